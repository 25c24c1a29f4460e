"""My Murder Mystery: 3 to 7 players with mixed motives, a case of secrets, places to open, talk that nothing proves.

Read in this order: cards, case, moves, deal, view, play, redeal, snapshots, text; heuristic as needed. `deal.py` holds
the case generator, since a case is dealt like cards; `case.py` reads written cases. Sizes, action ids
and layouts follow from the configuration; RULES says where their blocks start.

Version history (raised by every change of play, observation or action ids):

1. First version.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from murder_envs.core.checks import an_int, fail, known_only
from murder_envs.core.jit import records
from murder_envs.games.my_murder_mystery import heuristic, play, redeal, snapshots, text, view
from murder_envs.games.my_murder_mystery.cards import DEAD_MONKEY
from murder_envs.games.my_murder_mystery.deal import GENERATED, STATE, config_dict, make_config, make_rules, sizes_of
from murder_envs.games.my_murder_mystery.moves import PHASES, actions_of
from murder_envs.games.my_murder_mystery.text import to_toml
from murder_envs.ruleset import Ruleset

__all__ = ["CONFIGS", "generate_case", "ruleset", "to_toml"]

NAME = "my_murder_mystery"
TITLE = "My Murder Mystery"
VERSION = 1

_TINY: dict[str, Any] = {
    "num_players": 3, "num_portraits": 3, "num_extras": 0, "num_questions": 1, "num_traits": 3, "num_locations": 2,
    "num_secrets": 1, "answers": 0, "witness_facts": 0, "rounds": 1, "tokens": 1, "talk_rounds": 0,
    "final_talk_rounds": 0, "traits": [["t0"], ["t1"], ["t0", "t1"]], "characters": ["c0", "c1", "c2"],
    "first_leader": 0,
}  # fmt: skip

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "easy": {"murder_locations": 1, "witness_facts": 2, "hide_points": 1},
    "standard": {},
    "hard": {"witness_facts": 0, "hide_limit": 0},
    "mute": {"talk_rounds": 0, "final_talk_rounds": 0},
    "cut-throat": {"reward": "zero_sum"},
    "open_verdict": {"murderer_pool": "all"},
    "dead_monkey": {"case": DEAD_MONKEY},
    "tiny": _TINY,
    "tiny_talk": {**_TINY, "final_talk_rounds": 1, "speech": "suspect"},
    "mini": {
        "num_players": 3, "num_portraits": 4, "num_extras": 1, "num_questions": 3, "num_traits": 3, "num_locations": 5,
        "num_secrets": 3, "answers": 1, "witness_facts": 2, "murder_locations": 1, "hide_points": 1, "rounds": 2,
        "tokens": 1, "talk_rounds": 1, "final_talk_rounds": 0, "speech": "suspect",
    },
    "four": {
        "num_players": 4, "num_portraits": 5, "num_extras": 1, "num_questions": 3, "num_traits": 3, "num_locations": 6,
        "num_secrets": 4, "answers": 1, "witness_facts": 2, "murder_locations": 1, "hide_points": 1, "rounds": 3,
    },
}  # fmt: skip

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
    "is_consistent": heuristic.is_consistent,
}


def ruleset(**config: Any) -> Ruleset:
    """The configured game; ValueError names a parameter that is unknown or out of range."""
    checked = make_config(config)
    sizes = sizes_of(checked)
    actions, observation, world = actions_of(sizes), view.observation_of(sizes), view.world_of(sizes)
    rules = make_rules(checked, actions, observation, world)
    terms = checked.terms
    book = text.Book(terms, checked.written.texts if checked.written else {})

    def with_options(options: Mapping[str, Any]) -> np.ndarray:
        known_only(options, (), "reset option")
        return rules

    return Ruleset(
        name=NAME,
        version=VERSION,
        config=config_dict(checked),
        agents=tuple(f"player_{seat}" for seat in range(checked.num_players)),
        phases=PHASES,
        actions=actions,
        observation=observation,
        world=world,
        STATE=STATE,
        rules=rules,
        kernels=KERNELS,
        with_options=with_options,
        restore=partial(snapshots.restore, terms),
        snapshot=partial(snapshots.snapshot, terms),
        info=partial(text.info, terms),
        text=partial(text.text, book),
        figures=partial(text.figures, terms),
        public=partial(text.public, terms),
        title=TITLE,
        figures_of_seat=partial(text.figures_of_seat, terms),
        payoffs="zero_sum" if checked.reward == "zero_sum" else "general_sum",
    )


def generate_case(seed: int, **config: Any) -> dict[str, Any]:
    """The case that `reset(seed=seed)` deals, as a written case with texts (`to_toml` makes a file of it).

    As `case`, with that game's `characters` and `first_leader`, it is the same game.

    Args:
        seed: an int from 0 to 2^63 - 1.
        config: parameters as for `env`; `case` stays "generated".
    """
    seed = an_int("seed", seed, 0, 2**63 - 1)
    checked = make_config(config)
    if checked.written:
        fail("case", f'"{GENERATED}": a written case need not be generated')
    sizes = sizes_of(checked)
    rules = make_rules(checked, actions_of(sizes), view.observation_of(sizes), view.world_of(sizes))
    state = records(STATE, 1)
    snapshots.start_case(state, rules, np.int64(seed))
    return text.written_case(checked.terms, checked, rules, state)
