"""Four hidden-information card and deduction games for reinforcement learning, compiled with numba.

    from murder_envs import theres_been_a_murder_v0

    env = theres_been_a_murder_v0.env()

Importing this package registers the games with PettingZoo and Gymnasium, by entry points that are loaded on first use,
and imports neither numba nor a game.
"""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium
import pettingzoo

from murder_envs.registry import GAMES, env_id, make_ruleset

__version__ = "0.1.0"

_LATER = {
    "AnyAction": "murder_envs.api.seat",
    "AnyActions": "murder_envs.api.vector",
    "PaddedInfos": "murder_envs.api.aec",
    "SkipForced": "murder_envs.api.aec",
    "episode_seed": "murder_envs.seeds",
}
"""Public name -> the module that has it, imported when the name is first used."""

__all__ = [
    "GAMES",
    "AnyAction",
    "AnyActions",
    "PaddedInfos",
    "SkipForced",
    "__version__",
    "env_id",
    "episode_seed",
    "make_ruleset",
]


def _register() -> None:
    """Make every game known under its id to `pettingzoo.make`, `gymnasium.make` and `gymnasium.make_vec`."""
    for game in GAMES:
        name = env_id(game)
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, entry_point=f"murder_envs.{game}_v0:env")
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="murder_envs.api.seat:make",
                vector_entry_point="murder_envs.api.vector:make",
                kwargs={"game": game},
            )


_register()


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    if name.endswith("_v0") and name[:-3] in GAMES:
        return importlib.import_module(f"murder_envs.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *(f"{game}_v0" for game in GAMES)})
