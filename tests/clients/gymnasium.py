"""Gymnasium: its checker, `make` and `make_vec`, its wrappers."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import NormalizeReward, RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVector

from murder_envs.api.seat import AnyAction
from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ("pillow",)
LIBRARIES = ("gymnasium",)


def _legal(masks: np.ndarray) -> np.ndarray:
    return masks.argmax(-1)


def own_check() -> None:
    """`check_env`, around `AnyAction`, since it takes illegal actions"""
    for game in GAMES:
        check_env(AnyAction(gymnasium.make(env_id(game)).unwrapped))


def render_modes() -> None:
    """`make` with the render modes `"ansi"`, `"svg"`, `"rgb_array"` and `"rgb_array_list"`"""
    for game in GAMES:
        for mode, kind in (("ansi", str), ("svg", str), ("rgb_array", np.ndarray), ("rgb_array_list", list)):
            env = gymnasium.make(env_id(game), render_mode=mode)
            env.reset(seed=1)
            assert isinstance(env.render(), kind)


def wrappers() -> None:
    """`RecordEpisodeStatistics`, `NormalizeReward` and `TimeLimit`"""
    for game in GAMES:
        env = RecordEpisodeStatistics(NormalizeReward(TimeLimit(gymnasium.make(env_id(game)), 50)))
        _, info = env.reset(seed=1)
        over = False
        while not over:
            *_, terminated, truncated, info = env.step(_legal(info["action_mask"]))
            over = terminated or truncated
        assert info["episode"]["l"] <= 50


def vectors() -> None:
    """`make_vec` in its three modes, and `RecordEpisodeStatistics` for vectors"""
    for game in GAMES:
        for mode in ("vector_entry_point", "sync", "async"):
            envs = RecordVector(gymnasium.make_vec(env_id(game), num_envs=3, vectorization_mode=mode))
            _, infos = envs.reset(seed=1)
            for _ in range(20):
                *_, infos = envs.step(_legal(np.stack(infos["action_mask"])))
            envs.close()


if __name__ == "__main__":
    run(globals(), LIBRARIES)
