"""One line a game: its name and where its rules are, loaded on first use."""

from __future__ import annotations

import copyreg
import functools
import importlib
from typing import Any

from murder_envs.core.checks import shown
from murder_envs.core.config import Parameters
from murder_envs.ruleset import Ruleset

GAMES = {
    "theres_been_a_murder": "murder_envs.games.theres_been_a_murder",
    "perfect_murder": "murder_envs.games.perfect_murder",
    "murder_of_crows": "murder_envs.games.murder_of_crows",
    "my_murder_mystery": "murder_envs.games.my_murder_mystery",
}
"""name -> the package with `ruleset(**config) -> Ruleset` and `CONFIGS`; the public module is `<name>_v0`."""


def game(name: str) -> Any:
    """The package of a game's rules; ValueError names an unknown game."""
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"game: one of {', '.join(GAMES)}, not {shown(name)}")
    return importlib.import_module(GAMES[name])


def make_ruleset(name: str, /, **config: Any) -> Ruleset:
    """A configured game by name; ValueError names an unknown game, or a parameter that is unknown or out of range."""
    return game(name).ruleset(**config)


def _pickled(ruleset: Ruleset) -> tuple[Any, ...]:
    return _unpickled, (ruleset.name, dict(ruleset.config))


def _unpickled(name: str, config: dict[str, Any]) -> Ruleset:
    return make_ruleset(name, **config)


# Compiled functions do not travel: a ruleset is made anew from its name and configuration.
copyreg.pickle(Ruleset, _pickled)


def env_id(name: str) -> str:
    """The id of a game in PettingZoo's and Gymnasium's registries."""
    return f"murder_envs/{name.replace('_', '-')}-v0"


def parameters(name: str) -> type[Parameters]:
    """The parameters of a game, as its Config declares them; ValueError names an unknown game."""
    return game(name).Config


@functools.cache
def configs(name: str) -> dict[str, dict[str, Any]]:
    """The game's named configurations."""
    return game(name).CONFIGS
