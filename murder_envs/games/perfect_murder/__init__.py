"""Perfect Murder: a murderer with a secret plan against a detective, after a written case.

Read in this order: cards, case, moves, layout, state, config, deal, effects, play; then sheet and knowledge for who
knows what, redeal and view; record, words, sentences, snapshots, text, picture, heuristic and series as needed.
`cases/` holds the built-in cases; a case is data and fixes sizes, ids, layouts and names, never compiled code.
`rules.md` and `rules_short.md` are the rules in our own words.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murder_envs.core.contract import kernels_of
from murder_envs.core.wording import document
from murder_envs.games.perfect_murder import heuristic, picture, play, redeal, sentences, view
from murder_envs.games.perfect_murder.cards import AGENTS
from murder_envs.games.perfect_murder.config import CONFIGS, Config, make_rules
from murder_envs.games.perfect_murder.layout import world_of
from murder_envs.games.perfect_murder.moves import PHASES
from murder_envs.games.perfect_murder.series import home_and_away
from murder_envs.games.perfect_murder.snapshots import Snapshots
from murder_envs.games.perfect_murder.state import State
from murder_envs.games.perfect_murder.text import Texts
from murder_envs.games.perfect_murder.words import Words
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "home_and_away", "ruleset"]

NAME = "perfect_murder"
TITLE = "Perfect Murder"
VERSION = 1

KERNELS = kernels_of(play, view, redeal, heuristic)


def ruleset(**keywords: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    config = Config.of(keywords)
    rules, actions, observation = make_rules(config)
    snapshots = Snapshots(config.loaded, actions)
    words = Words(config.loaded, actions)
    texts = Texts(words, observation, snapshots)

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config.as_dict(),
        agents=AGENTS,
        phases=PHASES,
        actions=actions,
        observation=observation,
        world=world_of(config.loaded, observation),
        STATE=State.dtype,
        rules=rules,
        kernels=KERNELS,
        restore=snapshots.restore,
        snapshot=snapshots.snapshot,
        info=texts.info,
        text=texts.text,
        scene=partial(picture.scene, texts),
        asked=partial(sentences.asked, words),
        describe=partial(sentences.describe, words),
        told=partial(sentences.told, words),
        rules_text=document(__package__, "rules_short.md"),
        rules_full=document(__package__, "rules.md"),
        figures=texts.figures,
        figures_of_seat=texts.figures_of_seat,
        public=snapshots.public,
        title=TITLE,
        payoffs="zero_sum",
        padding={"path": (len(config.loaded.rooms), "")},
    )
