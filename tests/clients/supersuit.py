"""SuperSuit: its wrappers for PettingZoo and Gymnasium."""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium
import numpy as np
import supersuit
from pettingzoo.test import api_test

from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ("supersuit",)
LIBRARIES = ("supersuit",)


def _make(game: str) -> Any:
    return importlib.import_module(f"murder_envs.{game}_v0").env()


def for_dicts() -> None:
    """`clip_reward_v0`, `reward_lambda_v0` and `pad_action_space_v0`, with its observations as they are"""
    for game in GAMES:
        env = supersuit.reward_lambda_v0(supersuit.clip_reward_v0(_make(game)), lambda reward: reward)
        api_test(supersuit.pad_action_space_v0(env), num_cycles=50)


def for_arrays() -> None:
    """`dtype_v0`, `frame_stack_v2`, `agent_indicator_v0` after `observation_lambda_v0`; masks are in the infos"""
    for game in GAMES:
        env = supersuit.observation_lambda_v0(
            _make(game), lambda observation, space: observation["observation"], lambda space: space["observation"]
        )
        env = supersuit.agent_indicator_v0(supersuit.frame_stack_v2(supersuit.dtype_v0(env, "float32"), 2))
        env.reset(seed=1)
        for _ in env.agent_iter():
            *_, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else int(info["action_mask"].argmax()))


def vectors() -> None:
    """`gym_vec_env_v0` around `gymnasium.make`"""
    for game in GAMES:
        envs = supersuit.gym_vec_env_v0(gymnasium.make(env_id(game)), 3)
        _, infos = envs.reset(seed=1)
        envs.step(np.stack(infos["action_mask"]).argmax(-1))


if __name__ == "__main__":
    run(globals(), LIBRARIES)
