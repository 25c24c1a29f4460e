"""There's Been A Murder: cooperative, 3 to 8 players, 24 unique cards.

Read in this order: cards, moves, state, config, deal, effects, play; then knowledge, events, view and redeal for who
sees what; snapshots, text, picture, heuristic and series as needed. Each card's effect is in `effects.py` under its
number, and what each viewer sees of it in `events.py`.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from typing import Any

from murder_envs.core.contract import kernels_of
from murder_envs.core.wording import document
from murder_envs.games.theres_been_a_murder import heuristic, picture, play, redeal, sentences, snapshots, text, view
from murder_envs.games.theres_been_a_murder.config import CONFIGS, Config, make_rules
from murder_envs.games.theres_been_a_murder.moves import ACTIONS, PHASES
from murder_envs.games.theres_been_a_murder.series import Campaign
from murder_envs.games.theres_been_a_murder.state import State
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "Campaign", "ruleset"]

NAME = "theres_been_a_murder"
TITLE = "There's Been A Murder"
VERSION = 1

KERNELS = kernels_of(play, view, redeal, heuristic)


def ruleset(**keywords: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    config = Config.of(keywords)
    rules = make_rules(config)

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config.as_dict(),
        agents=tuple(f"player_{seat}" for seat in range(config.num_players)),
        phases=PHASES,
        actions=ACTIONS,
        observation=view.OBSERVATION,
        world=view.WORLD,
        STATE=State.dtype,
        rules=rules,
        kernels=KERNELS,
        restore=snapshots.restore,
        snapshot=snapshots.snapshot,
        info=text.info,
        text=text.text,
        scene=picture.scene,
        asked=sentences.asked,
        describe=sentences.describe,
        told=sentences.told,
        rules_text=document(__package__, "rules_short.md"),
        rules_full=document(__package__, "rules.md"),
        figures=text.figures,
        public=snapshots.public,
        title=TITLE,
        payoffs="identical",
    )
