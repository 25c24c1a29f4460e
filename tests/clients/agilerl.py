"""AgileRL: a masked DQN over many games at once."""

from __future__ import annotations

import gymnasium
from agilerl.algorithms import DQN, PPO
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer

from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ("agilerl",)
LIBRARIES = ("agilerl",)
N = 4


def _envs(game: str) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec(env_id(game), num_envs=N, vectorization_mode="vector_entry_point")


def dqn() -> None:
    """`DQN` with action masks over `make_vec`: play, fill a `ReplayBuffer`, learn"""
    for game in GAMES:
        envs, memory = _envs(game), ReplayBuffer(max_size=1000)
        agent = DQN(envs.single_observation_space, envs.single_action_space, batch_size=16)
        before, infos = envs.reset(seed=1)
        for _ in range(10):
            action = agent.get_action(before, epsilon=0.3, action_mask=infos["action_mask"])
            after, reward, terminated, truncated, infos = envs.step(action)
            seen = {"obs": before, "action": action, "reward": reward, "next_obs": after}
            memory.add(Transition(**seen, done=terminated | truncated, batch_size=[N]).to_tensordict())
            before = after
        agent.learn(memory.sample(16))


def ppo() -> None:
    """`PPO` with action masks over `make_vec`: play"""
    for game in GAMES:
        envs = _envs(game)
        agent = PPO(envs.single_observation_space, envs.single_action_space, num_envs=N)
        observations, infos = envs.reset(seed=1)
        for _ in range(10):
            action, *_ = agent.get_action(observations, action_mask=infos["action_mask"])
            observations, *_, infos = envs.step(action)


if __name__ == "__main__":
    run(globals(), LIBRARIES)
