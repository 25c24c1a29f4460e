"""Murder of Crows: a race to lay the word MURDER, 2 to 5 players, 55 cards; answers out of turn, card counting.

Read in this order: cards, deal, moves, play (with effects), view, text; heuristic and snapshots as needed.
`effects.py` sorts between `deal` and `moves` and holds what the cards do; `play.py` is the table of contents.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.bits import always
from murder_envs.core.checks import an_int, known_only
from murder_envs.games.murder_of_crows import heuristic, play, text, view
from murder_envs.games.murder_of_crows.deal import STATE, config_dict, make_config, make_rules
from murder_envs.games.murder_of_crows.moves import ACTIONS, PHASES
from murder_envs.games.murder_of_crows.snapshots import restore, snapshot
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "ruleset"]

NAME = "murder_of_crows"
TITLE = "Murder of Crows"
VERSION = 1

_DUEL = {
    "num_players": 2, "first_player": 0, "deck": "house", "wilds": 1, "hand_size": 1, "expel_draw": 1, "max_steps": 12,
}  # fmt: skip
CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "duel-MU": {**_DUEL, "word": "MU", "crow_table": {"M": [1, 1, 0], "U": [1, 1, 0]}},
    "duel-MR": {**_DUEL, "word": "MR", "crow_table": {"M": [1, 1, 0], "R": [1, 1, 0]}},
    "duel-MUR": {
        **_DUEL, "word": "MUR", "crow_table": {"M": [1, 1, 0], "U": [1, 1, 0], "R": [1, 1, 0]}, "hand_size": 2,
        "max_steps": 60,
    },
    "short-MURD": {
        "num_players": 2, "deck": "house", "word": "MURD",
        "crow_table": {"M": [2, 1, 1], "U": [2, 1, 1], "R": [3, 2, 1], "D": [2, 1, 1]},
        "wilds": 2, "hand_size": 3, "expel_draw": 2, "max_steps": 200,
    },
}  # fmt: skip

KERNELS = {
    "deal": play.deal,
    "step": play.step,
    "legal": play.legal,
    "observe": view.observe,
    "redeal": view.redeal,
    "world": view.world,
    "returns": play.returns,
    "to_act": play.to_act,
    "is_over": play.is_over,
    "is_cut_off": play.is_cut_off,
    "heuristic": heuristic.heuristic,
    "is_consistent": always,
}


def ruleset(**config: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    checked = make_config(config)
    rules = make_rules(checked)
    n = checked.num_players

    def with_options(options: Mapping[str, Any]) -> np.ndarray:
        known_only(options, ("first_player",), "reset option")
        of_one_game = rules.copy()
        if "first_player" in options:
            of_one_game["first_player"] = an_int("first_player", options["first_player"], 0, n - 1)
        return of_one_game

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config_dict(checked),
        agents=tuple(f"player_{seat}" for seat in range(n)),
        phases=PHASES,
        actions=ACTIONS,
        observation=view.OBSERVATION,
        world=view.WORLD,
        STATE=STATE,
        rules=rules,
        kernels=KERNELS,
        with_options=with_options,
        restore=restore,
        snapshot=snapshot,
        info=text.info,
        text=text.text,
        figures=text.figures,
        public=text.public,
        title=TITLE,
        payoffs="zero_sum" if checked.reward == "zero_sum" else "general_sum",
    )
