"""One game from Python: its state, and what the seat to act is shown.

Environments, playthroughs, replays, listed chance and OpenSpiel's positions all stand on this class. The compiled
functions are those of `single.py`, bound to the game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from murder_envs.core.bits import PAD
from murder_envs.core.checks import MAX_SEED, an_int, fail
from murder_envs.core.jit import bind, copied, copy_into, direct, records
from murder_envs.picture.scene import Scene
from murder_envs.ruleset import Ruleset

OVER, ILLEGAL = -1, -2
"""What `advance` returns in place of a seat."""


class Cursor:
    """A game in progress. It begins empty: `deal`, `restore` or `place` puts a game there.

    Args:
        ruleset: the configured game.
        rules: RULES (array of one) in place of the configured record, as `Ruleset.with_options` gives it.

    Raises:
        ValueError: `rules`, here and below: of another configuration.

    Attributes:
        states: STATE, array of one.
        rules: RULES, array of one.
        seat: absolute seat to act; -1 when over.
        legal_set: uint64[actions.n_words], the legal set of the seat to act, bit a % 64 of word a // 64.
        mask: int8[actions.n], the same as bytes; a view that the next decision overwrites.
        row: int8[observation.size], the observation of the seat to act; likewise.
        advance: action id, 0..n-1 -> seat to act next, OVER, or ILLEGAL and nothing changed. The fast way for whoever
            keeps track of the seat; `act` is the safe one.
    """

    __slots__ = (
        "_driver",
        "_mask",
        "_row",
        "advance",
        "legal_set",
        "mask",
        "row",
        "rules",
        "ruleset",
        "seat",
        "states",
    )

    advance: Callable[[int], int]

    def __init__(self, ruleset: Ruleset, rules: np.ndarray | None = None) -> None:
        self.ruleset = ruleset
        self.seat = OVER
        self._driver = bind(ruleset, "single")
        self._allocate(
            records(ruleset.STATE, 1),
            ruleset.checked_rules(rules),
            np.zeros(ruleset.actions.n_words, np.uint64),
            np.zeros(ruleset.actions.n + PAD, np.int8),
            np.zeros(ruleset.observation.size + PAD, np.int8),
        )

    def _allocate(
        self, states: np.ndarray, rules: np.ndarray, legal_set: np.ndarray, mask: np.ndarray, row: np.ndarray
    ) -> None:
        """Take these arrays for the game and for what is shown; rows have PAD bytes more than people see."""
        self.states, self.rules, self.legal_set = states, rules, legal_set
        self._mask, self._row = mask, row
        self.mask, self.row = mask[:-PAD], row[:-PAD]
        shown = (states, rules, legal_set, mask, row)
        self.advance = functools.partial(direct(self._driver.advance, *shown, 0), *shown)

    # -- A game begins ------------------------------------------------------------------------------------------------

    def deal(self, seed: int, rules: np.ndarray | None = None) -> None:
        """Deal a game from a seed, an int from 0 to 2^63 - 1; -1 - k, below 0, gives outcome k of all deals.

        Args:
            seed: what the game starts from.
            rules: rules record of this game and those that follow; None: stay with those in force.

        Raises:
            ValueError: the seed is no such int; nothing has changed then.
        """
        seed, rules = _a_seed(seed), self._own(rules)
        self._use(rules)
        self._stand_at(self._driver.start(self.states, self.rules, seed, self.legal_set, self._mask, self._row))

    def restore(self, snapshot: Mapping[str, Any], seed: int, rules: np.ndarray | None = None) -> None:
        """Start from a (partial) snapshot; ValueError names a field that cannot be, and nothing has changed then."""
        seed, rules = _a_seed(seed), self._own(rules)
        states = self.ruleset.restore(rules, snapshot, seed)
        self._use(rules)
        self.place(states)

    def place(self, states: np.ndarray) -> None:
        """Start from a copy of a state (STATE, array of one).

        Raises:
            ValueError: `state`: of another type or shape, or not of a game of this ruleset.
        """
        copy_into(self.states, self.ruleset.checked_states("state", states, 1))
        self.look_again()

    def look_again(self) -> None:
        """Take notice of `states`, which somebody else has changed."""
        self._stand_at(self._driver.resume(self.states, self.rules, self.legal_set, self._mask, self._row))

    def _stand_at(self, seat: int) -> None:
        self.seat = int(seat)

    def _own(self, rules: np.ndarray | None) -> np.ndarray:
        """The rules record in force for None; else the one that was handed in, checked."""
        return self.rules if rules is None or rules is self.rules else self.ruleset.checked_rules(rules)

    def _use(self, rules: np.ndarray) -> None:
        if rules is not self.rules:
            self._allocate(self.states, rules, self.legal_set, self._mask, self._row)

    # -- Playing ------------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.seat < 0

    def legal(self) -> list[int]:
        """Ids of the legal actions, rising; none when over."""
        return np.flatnonzero(self.mask).tolist()

    def act(self, action: int) -> None:
        """Take an action by its id; ValueError names one that is illegal, and what is legal."""
        action = an_int("action", action, 0, self.ruleset.actions.n - 1)
        seat = self.advance(action)
        if seat == ILLEGAL:
            self._refuse(action)
        self.seat = int(seat)

    def _refuse(self, action: int) -> NoReturn:
        names = self.ruleset.actions.names
        what = f"legal: {', '.join(names[each] for each in self.legal())}" if not self.over else "the game is over"
        fail("action", f"{names[action]} is illegal; {what}")

    def choose_at_random(self, stream: np.ndarray) -> int:
        """A legal action, all with equal chances; `stream` is a random stream, a uint64 array of length 1."""
        return int(self._driver.choose_at_random(self.legal_set, stream))

    def choose_by_heuristic(self, stream: np.ndarray) -> int:
        """What the scripted player does here."""
        return int(self._driver.choose_by_heuristic(self._row, self.legal_set, self.rules, stream))

    # -- Looking ------------------------------------------------------------------------------------------------------

    def look(self, seat: int) -> np.ndarray:
        """The observation of any seat, int8[observation.size], in an array of its own; ValueError if there is none."""
        seat = self._seat(seat)
        row = np.empty(self._row.size, np.int8)
        self._driver.look(self.states, self.rules, seat, row)
        return row[:-PAD]

    def look_from_above(self) -> np.ndarray:
        """The state vector, int8[world.size], in an array of its own."""
        row = np.empty(self.ruleset.world.size + PAD, np.int8)
        self._driver.look_from_above(self.states, self.rules, row)
        return row[:-PAD]

    def outcome(self) -> tuple[list[float], bool]:
        """What each seat is paid, 0 before the end, and whether a step cap ended the game."""
        paid = np.zeros(self.ruleset.n_seats)
        cut_off = self._driver.outcome(self.states, self.rules, paid)
        return paid.tolist(), bool(cut_off)

    def snapshot(self) -> dict[str, Any]:
        """The state as a plain dict in the rulebook's terms."""
        return self.ruleset.snapshot(self.rules, self.states)

    def public(self) -> dict[str, Any]:
        """The facts that everybody sees."""
        return self.ruleset.public(self.rules, self.states)

    def info(self, seat: int) -> dict[str, Any]:
        """The rulebook's own score, and what else the game tells a seat beside its observation."""
        return self.ruleset.info(self.rules, self.states, self._seat(seat))

    # -- In words: a reader is a seat, or None from above -------------------------------------------------------------

    def text(self, reader: int | None) -> str:
        """The table as text."""
        return self.ruleset.text(self.rules, self.states, self._reader(reader))

    def scene(self, reader: int | None) -> Scene:
        """The table as a picture."""
        return self.ruleset.scene(self.rules, self.states, self._reader(reader))

    def asked(self, reader: int | None) -> str:
        """What the seat to act is asked, as a sentence; at the end how the game ended."""
        return self.ruleset.asked(self.rules, self.states, self._reader(reader))

    def describe(self, action: int, reader: int | None) -> str:
        """What a legal action means, as a sentence; ValueError names one that is illegal, and what is legal."""
        action = an_int("action", action, 0, self.ruleset.actions.n - 1)
        if not self.mask[action]:
            self._refuse(action)
        return self.ruleset.describe(self.rules, self.states, action, self._reader(reader))

    def _reader(self, reader: int | None) -> int | None:
        return None if reader is None else self._seat(reader)

    def _seat(self, seat: int) -> int:
        return an_int("seat", seat, 0, self.ruleset.n_seats - 1)

    # -- The same game twice ------------------------------------------------------------------------------------------

    def copy(self) -> Cursor:
        """An independent copy that goes on with the same game."""
        other = object.__new__(Cursor)
        other.ruleset, other.seat, other._driver = self.ruleset, self.seat, self._driver
        other._allocate(copied(self.states), self.rules, self.legal_set.copy(), self._mask.copy(), self._row.copy())
        return other

    __copy__ = copy

    def redeal(self, seat: int, seed: int) -> None:
        """Turn the state into another world that a seat cannot tell from it (determinization).

        It is no draw from the posterior of the deal: see `RawEnv.redeal`.

        Raises:
            ValueError: seat or seed out of range.
        """
        seat, seed = self._seat(seat), _a_seed(seed)
        self._driver.deal_anew(self.states, self.rules, seat, seed)
        self.look_again()

    def __reduce__(self) -> tuple[Any, ...]:
        begun = self.states["config_digest"].any()
        return _unpickled, (self.ruleset, np.asarray(self.rules), np.asarray(self.states) if begun else None)


def _unpickled(ruleset: Ruleset, rules: np.ndarray, states: np.ndarray | None) -> Cursor:
    """A cursor at these states; it copies them, since unpickled ones may be memory that is only read."""
    cursor = Cursor(ruleset, rules)
    if states is not None:
        cursor.place(states)
    return cursor


def _a_seed(seed: int) -> int:
    """What chance starts from: a seed, or -1 - k, below 0, for outcome k of a list."""
    return an_int("seed", seed, -1 - MAX_SEED, MAX_SEED)
