"""Who can sit at a table: people, and players that choose at once."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from murder_envs.core.checks import fail, shown
from murder_envs.core.rng import episode_seed
from murder_envs.drivers.cursor import Cursor
from murder_envs.drivers.search import Search
from murder_envs.replay import Note
from murder_envs.replay.analysis import note_of
from murder_envs.ruleset import Ruleset

HUMAN = "human"
KINDS = 'human, random, heuristic, or search:N with N simulations for each decision, as in "search:1000"'
MOST_SIMULATIONS = 1_000_000

Choice = Callable[[Cursor, int], tuple[int, Note | None]]
"""A game that stands at a decision, and a seed -> the action, and why."""


def at_random(cursor: Cursor, seed: int) -> tuple[int, Note | None]:
    """Any legal action, all with equal chances."""
    return cursor.choose_at_random(np.array([seed], np.uint64)), None


def by_heuristic(cursor: Cursor, seed: int) -> tuple[int, Note | None]:
    """What the game's own scripted player does."""
    return cursor.choose_by_heuristic(np.array([seed], np.uint64)), None


def by_search(ruleset: Ruleset, simulations: int) -> Choice:
    """What a search finds best; a single legal action is taken without one."""
    search = Search(ruleset, simulations=simulations)

    def choose(cursor: Cursor, seed: int) -> tuple[int, Note | None]:
        legal = cursor.legal()
        if len(legal) == 1:
            return legal[0], None
        result = search.run(cursor.states, seed, rules=cursor.rules)
        return result.action, note_of(ruleset, result)

    return choose


def player(ruleset: Ruleset, name: str) -> Choice | None:
    """A player by name; None for a person.

    Raises:
        ValueError: `seats`: there is none of this name.
    """
    if name == HUMAN:
        return None
    if name in ("random", "heuristic"):
        return at_random if name == "random" else by_heuristic
    found = re.fullmatch(r"search:([1-9][0-9]{0,6})", name) if isinstance(name, str) else None
    if found is None or int(found[1]) > MOST_SIMULATIONS:
        fail("seats", f"each one of {KINDS}, not {shown(name)}")
    return by_search(ruleset, int(found[1]))


def seed_of(seed: int, decision: int) -> int:
    """The seed of a player's choice: it depends on the game and the decision alone, so a game goes on as it would."""
    return int(episode_seed(seed, 1, decision))
