"""TorchRL: by Gymnasium's id, and around PettingZoo environments."""

from __future__ import annotations

import importlib

import gymnasium
import torch
from torchrl.envs import GymEnv, GymWrapper, PettingZooWrapper, check_env_specs
from torchrl.envs.utils import MarlGroupMapType

from murder_envs.api.seat import AnyAction
from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ("torchrl",)
LIBRARIES = ("torchrl", "tensordict")


def zoo() -> None:
    """`PettingZooWrapper(env, use_mask=True)`: `check_env_specs` and a game to its end"""
    for game in GAMES:
        env = importlib.import_module(f"murder_envs.{game}_v0").env()
        wrapped = PettingZooWrapper(env, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
        check_env_specs(wrapped)
        assert wrapped.rollout(10_000)["next", "done"].any()


def by_id() -> None:
    """`GymEnv(id)`"""
    for game in GAMES:
        assert GymEnv(env_id(game)).reset()["observation"].dtype == torch.int8


def wrapped() -> None:
    """`GymWrapper` around `AnyAction`: `check_env_specs` and a rollout"""
    for game in GAMES:
        env = GymWrapper(AnyAction(gymnasium.make(env_id(game))))
        check_env_specs(env)
        assert len(env.rollout(50)) > 0


if __name__ == "__main__":
    run(globals(), LIBRARIES)
