"""stable-baselines3 and sb3-contrib: by id, and by this package's own vector environment."""

from __future__ import annotations

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

from murder_envs.api import sb3
from murder_envs.api.seat import AnyAction
from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ("stable-baselines3", "sb3-contrib")
LIBRARIES = ("stable-baselines3", "sb3-contrib")
SMALL = {"n_steps": 32, "batch_size": 32, "n_epochs": 1}


def own_check() -> None:
    """its `check_env`, around `AnyAction`"""
    for game in GAMES:
        check_env(AnyAction(gymnasium.make(env_id(game))))


def by_id() -> None:
    """`MaskablePPO("MlpPolicy", id)`"""
    for game in GAMES:
        MaskablePPO("MlpPolicy", env_id(game), **SMALL).learn(64)


def vectors_by_id() -> None:
    """`make_vec_env(id, n_envs=2)`, with `MaskablePPO`"""
    for game in GAMES:
        MaskablePPO("MlpPolicy", make_vec_env(env_id(game), n_envs=2), **SMALL).learn(64)


def own_vectors() -> None:
    """`murder_envs.api.sb3.make`, with `MaskablePPO`"""
    for game in GAMES:
        MaskablePPO("MlpPolicy", sb3.make(game, 4, skip_forced=True), **SMALL).learn(128)


def unmasked() -> None:
    """`PPO`, which knows no masks, around `AnyAction`"""
    for game in GAMES:
        PPO("MlpPolicy", AnyAction(gymnasium.make(env_id(game))), **SMALL).learn(64)


if __name__ == "__main__":
    run(globals(), LIBRARIES)
