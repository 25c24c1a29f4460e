"""There's Been A Murder: cooperative, 3 to 8 players, 24 unique cards.

Read in this order: cards, deal, moves, play (with effects), view, text; heuristic, series and snapshots as needed.
`effects.py` sorts between `deal` and `moves` and holds what the cards do; `play.py` is the table of contents.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import known_only
from murder_envs.core.contract import is_consistent as always
from murder_envs.games.theres_been_a_murder import heuristic, play, text, view
from murder_envs.games.theres_been_a_murder.deal import STATE, config_dict, make_config, make_rules
from murder_envs.games.theres_been_a_murder.moves import ACTIONS, PHASES
from murder_envs.games.theres_been_a_murder.series import Campaign
from murder_envs.games.theres_been_a_murder.snapshots import restore, snapshot
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "Campaign", "ruleset"]

NAME = "theres_been_a_murder"
TITLE = "There's Been A Murder"
VERSION = 1

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    **{f"novice_{n}": {"num_players": n} for n in range(3, 9)},
    **{f"{level}_{n}": {"num_players": n, "level": level} for level in ("veteran", "master") for n in range(3, 9)},
    "easiest_3": {"num_players": 3, "guests": 4, "leave_out": (4, 5)},
    "legend_4": {"num_players": 4, "level": "master", "remove_random": 3},
    "tiny": {"num_players": 3, "cards": (1, 2, 3, 6, 9, 13, 17), "remove_random": 0},
    "small": {"num_players": 3, "cards": (1, 2, 3, 4, 6, 9, 10, 13, 16, 17), "remove_random": 1},
    "bench": {"num_players": 3, "cards": (*range(1, 10), 13, 14, 16, 17, 18, 19), "remove_random": 1},
}

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

    def with_options(options: Mapping[str, Any]) -> np.ndarray:
        known_only(options, (), "reset option")
        return rules

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config_dict(checked),
        agents=tuple(f"player_{seat}" for seat in range(checked.num_players)),
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
        payoffs="identical",
    )
