"""Perfect Murder: a murderer with a secret plan against a detective, after a written case.

Read in this order: case and cards, deal, moves, play, redeal, view, text; heuristic, series and snapshots as needed.
`cases/` holds the built-in cases; a case is data and fixes sizes, ids and layouts, never compiled code.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import known_only
from murder_envs.core.contract import is_consistent as always
from murder_envs.games.perfect_murder import heuristic, play, redeal, text, view
from murder_envs.games.perfect_murder.cards import AGENTS
from murder_envs.games.perfect_murder.deal import STATE, config_dict, make_config, make_rules
from murder_envs.games.perfect_murder.moves import PHASES
from murder_envs.games.perfect_murder.series import home_and_away
from murder_envs.games.perfect_murder.snapshots import Snapshots
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "home_and_away", "ruleset"]

NAME = "perfect_murder"
TITLE = "Perfect Murder"
VERSION = 1

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "board_b": {"board": "B"},
    "board_c": {"board": "C"},
    "board_d": {"board": "D"},
    "all_down": {"face": "all_down"},
    "all_up": {"face": "all_up"},
    "start_cards": {"start_cards": True},
    "micro": {"case": "micro", "rounds": 1, "actions": 1},
    "micro_1_2": {"case": "micro", "rounds": 1, "actions": 2},
    "micro_1_1_c": {"case": "micro", "rounds": 1, "actions": 1, "board": "C"},
    "micro_2_1": {"case": "micro", "rounds": 2, "actions": 1},
    "micro_2_1_d": {"case": "micro", "rounds": 2, "actions": 1, "board": "D"},
    "tiny": {"case": "tiny", "rounds": 1, "actions": 1},
    "tiny_2_1": {"case": "tiny", "rounds": 2, "actions": 1},
}

KERNELS = {
    "deal": play.deal,
    "step": play.step,
    "legal": play.legal,
    "observe": view.observe,
    "redeal": redeal.redeal,
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
    case = checked.checked_case
    rules, actions = make_rules(checked)
    observation = view.observation_of(case)
    for section in observation:
        rules[f"obs_{section}"] = observation.start(section)
    rules["obs_size"] = observation.size
    says = text.Words(case, observation, Snapshots(case))

    def with_options(options: Mapping[str, Any]) -> np.ndarray:
        known_only(options, (), "reset option")
        return rules

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config_dict(checked),
        agents=AGENTS,
        phases=PHASES,
        actions=actions,
        observation=observation,
        world=view.world_of(case, observation),
        STATE=STATE,
        rules=rules,
        kernels=KERNELS,
        with_options=with_options,
        restore=says.snapshots.restore,
        snapshot=says.snapshots.snapshot,
        info=says.info,
        text=says.text,
        figures=says.figures,
        figures_of_seat=says.figures_of_seat,
        public=says.public,
        title=TITLE,
        payoffs="zero_sum",
    )
