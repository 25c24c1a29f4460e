"""Murder of Crows: a race to lay the word MURDER, 2 to 5 players, 55 cards; answers out of turn, card counting.

Read in this order: cards, moves, state, config, deal, effects, play; then knowledge, view and redeal for who sees what;
snapshots, sentences, text, picture and heuristic as needed. `counts.py` packs eight counts into a word; `words.py` has
the words that sentences and text are made of, `story.py` the story of a complete word.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from typing import Any

from murder_envs.core.checks import an_int
from murder_envs.core.contract import kernels_of
from murder_envs.core.wording import document
from murder_envs.games.murder_of_crows import heuristic, picture, play, redeal, sentences, snapshots, text, view
from murder_envs.games.murder_of_crows.config import CONFIGS, Config, make_rules
from murder_envs.games.murder_of_crows.moves import ACTIONS, PHASES
from murder_envs.games.murder_of_crows.state import State
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "ruleset"]

NAME = "murder_of_crows"
TITLE = "Murder of Crows"
VERSION = 1

KERNELS = kernels_of(play, view, redeal, heuristic)


def ruleset(**keywords: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    config = Config.of(keywords)
    rules = make_rules(config)
    n = config.num_players

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config.as_dict(),
        agents=tuple(f"player_{seat}" for seat in range(n)),
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
        options={"first_player": lambda name, value: an_int(name, value, 0, n - 1)},
        payoffs="zero_sum" if config.reward == "zero_sum" else "general_sum",
    )
