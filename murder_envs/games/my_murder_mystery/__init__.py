"""My Murder Mystery: 3 to 7 players with mixed motives, a case of secrets, places to open, talk that nothing proves.

Read in this order: cards, case, moves, layout, state, config, generator, deal, knowledge, effects, play; then redeal
and view for who sees what; snapshots, position and heuristic as needed. For people: names, words, sentences, text,
picture. `case.py` reads written cases, `generator.py` draws new ones, `writing.py` writes them down. Sizes, action ids
and layouts follow from the configuration; the rules record says where their blocks start.

Version history (raised by every change of play, observation or action ids):

1. First version.
2. Closer to the rulebook's words. The murderer is somebody who is played (`murderer_pool="played"`), since the cards
   that players hold say who it is, and the end shows whether it was caught; "A Dead Monkey" has another card 05 and
   other cards 09 and 10. The most accused *player* goes, whatever accusations a character has that nobody plays
   (`npc_accused="players_only"`). A seat that is asked about a veto can take top secret cards first, as they can be
   taken "at any time". Action ids and the layout of observations are as before. Version 1 is
   `murderer_pool="portraits", npc_accused="spared"` without these takes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murder_envs.core.checks import a_seed, fail
from murder_envs.core.contract import NO_SEAT, kernels_of
from murder_envs.core.jit import records
from murder_envs.core.wording import document
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import (
    heuristic,
    picture,
    play,
    position,
    redeal,
    sentences,
    snapshots,
    text,
    view,
)
from murder_envs.games.my_murder_mystery.config import CONFIGS, GENERATED, Config, make_rules
from murder_envs.games.my_murder_mystery.moves import PHASES, actions_of
from murder_envs.games.my_murder_mystery.names import Library
from murder_envs.games.my_murder_mystery.state import State
from murder_envs.games.my_murder_mystery.writing import to_toml, written_case
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "generate_case", "ruleset", "to_toml"]

NAME = "my_murder_mystery"
TITLE = "My Murder Mystery"
VERSION = 2

KERNELS = kernels_of(play, view, redeal, heuristic)


def ruleset(**keywords: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    config = Config.of(keywords)
    terms, rules = config.terms, make_rules(config)
    library = Library(terms, config.written.texts if config.written else None)

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config.as_dict(),
        agents=tuple(f"player_{seat}" for seat in range(config.num_players)),
        phases=PHASES,
        actions=actions_of(config.sizes),
        observation=view.observation_of(config.sizes),
        world=view.world_of(config.sizes),
        STATE=State.dtype,
        rules=rules,
        kernels=KERNELS,
        restore=partial(position.restore, terms),
        snapshot=partial(snapshots.snapshot, terms),
        info=partial(text.info, terms),
        text=partial(text.text, library),
        scene=partial(picture.scene, library),
        asked=partial(sentences.asked, library),
        describe=partial(sentences.describe, library),
        told=partial(sentences.told, library),
        rules_text=document(__package__, "rules_short.md"),
        rules_full=document(__package__, "rules.md"),
        figures=partial(text.figures, terms),
        public=partial(snapshots.public, terms),
        title=TITLE,
        figures_of_seat=partial(text.figures_of_seat, terms),
        payoffs="zero_sum" if config.reward == "zero_sum" else "general_sum",
        padding={"objectives": (c.MAX_OBJECTIVES, ["", False]), "winners": (config.num_players, NO_SEAT)},
    )


def generate_case(seed: int, **keywords: Any) -> dict[str, Any]:
    """The case that `reset(seed=seed)` deals, as a written case with texts (`to_toml` makes a file of it).

    As `case`, with that game's `characters` and `first_leader`, it is the same game.

    Args:
        seed: an int from 0 to 2^63 - 1.
        keywords: parameters as for `env`; `case` stays "generated".

    Raises:
        ValueError: names `seed`, or a parameter that is unknown or out of range.
    """
    seed = a_seed("seed", seed)
    config = Config.of(keywords)
    if config.written:
        fail("case", f'"{GENERATED}": a written case need not be generated')
    rules = make_rules(config)
    state = records(State.dtype, 1)
    position.start_case(state, rules, seed)
    return written_case(config, rules, state)
