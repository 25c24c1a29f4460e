"""Chance laid open: all deals of a game, and all that an action can lead to, each with its probability.

For exact counts and for solvers. Draws are read from a number in mixed radix (see `murder_envs.core.rng`), so games in
which a deal or a shuffle has few outcomes can be listed; equal positions are one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from murder_envs.core.checks import fail
from murder_envs.core.jit import copied
from murder_envs.drivers.cursor import Cursor
from murder_envs.ruleset import Ruleset

MOST_WAYS = 100_000
"""Chance with more outcomes, equal ones included, is not listed."""


class Outcome(NamedTuple):
    """One of the positions that chance can lead to.

    Attributes:
        states: STATE, array of one; what it draws next is read from a number too.
        probability: above 0; those of all outcomes of an event sum to 1.
    """

    states: np.ndarray
    probability: float


class Chance:
    """The chance events of a ruleset.

    Args:
        ruleset: the configured game.
        rules: rules record (array of one) in place of the configured one, as `Ruleset.with_options` gives it.
    """

    def __init__(self, ruleset: Ruleset, rules: np.ndarray | None = None) -> None:
        self.ruleset = ruleset
        self._cursor = Cursor(ruleset, rules)
        self.rules = self._cursor.rules

    def deals(self, most: int = MOST_WAYS) -> list[Outcome]:
        """All different deals; ValueError names `chance` if there are more than `most` ways to deal."""
        return self._different(listed(self._deal, most))

    def can_list_deals(self, most: int = MOST_WAYS) -> bool:
        """Are there at most so many ways to deal?"""
        return 0 < ways_of(self._deal(0)) <= most

    def after(self, states: np.ndarray, action: int, most: int = MOST_WAYS) -> list[Outcome]:
        """All different positions that a legal action leads to, usually one; `states` is not changed."""
        return self._different(listed(lambda number: self._step(states, action, number), most))

    def _deal(self, number: int) -> np.ndarray:
        self._cursor.deal(-1 - number)
        return copied(self._cursor.states)

    def _step(self, states: np.ndarray, action: int, number: int) -> np.ndarray:
        """The position after a legal action whose draws are read from a number."""
        before = copied(self.ruleset.checked_states("states", states, 1))
        before["rng"], before["rng_ways"], before["rng_listed"] = number, 1, 1
        self._cursor.place(before)
        self._cursor.act(action)
        return copied(self._cursor.states)

    def _different(self, positions: Iterable[tuple[np.ndarray, int]]) -> list[Outcome]:
        """Equal positions as one."""
        each = [Outcome(states, 1 / ways) for states, ways in positions]
        if len(each) == 1:
            return each
        first: dict[str, Outcome] = {}
        for outcome in each:
            key = json.dumps(self.ruleset.snapshot(self.rules, outcome.states))
            before = first[key].probability if key in first else 0.0
            first[key] = Outcome(first.get(key, outcome).states, before + outcome.probability)
        return list(first.values())


def listed(outcome: Callable[[int], np.ndarray], most: int = MOST_WAYS) -> Iterator[tuple[np.ndarray, int]]:
    """Every outcome of some draws once, with the number of equally likely ways of which it is one.

    Args:
        outcome: a number -> states in which the draws were read from it.
        most: numbers to try.

    Raises:
        ValueError: `chance`: there are more ways.
    """
    number, ways = 0, 1
    while number < ways:
        states = outcome(number)
        own_ways = ways_of(states)
        ways = max(ways, own_ways)
        if own_ways == 0 or ways > most:
            fail("chance", f"more than {most} ways, too many to be listed")
        if number < own_ways:
            yield states, own_ways
        number += 1


def ways_of(states: np.ndarray) -> int:
    """Product of the sizes of all draws so far, of listed ones.

    Products of 2^64 and more lose their upper bits. A shuffle of that many cards has so many factors of two that what
    is left is 0 or far too large to be listed.
    """
    return int(states["rng_ways"][0])
