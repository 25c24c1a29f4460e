"""What all games write alike: seats round a table, whose decision it is, and the functions that they hand over.

A seat is absolute, 0 to n - 1 clockwise. An offset is relative to the seat that acts or looks: 0 is that seat itself,
1 the next to the left. Sets of seats have bit s for seat s.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from murder_envs.core.bits import bit, full, lowest
from murder_envs.core.jit import CONTRACT, inner, kernel

NO_SEAT = -1


# -- Seats ------------------------------------------------------------------------------------------------------------


@inner
def seat_at(rules, seat, offset):
    """The seat `offset` places to the left of a seat; 0 <= offset < n_seats."""
    at = seat + offset
    return at - rules.n_seats if at >= rules.n_seats else at


@inner
def offset_of(rules, seat, looker):
    """How many places to the left of `looker` a seat is."""
    offset = seat - looker
    return offset + rules.n_seats if offset < 0 else offset


@kernel
def seen_from(rules, seats, looker):
    """A set of seats as a set of offsets from a looker."""
    return ((seats >> looker) | (seats << (rules.n_seats - looker))) & full(rules.n_seats)


@kernel
def first_from(rules, seats, start):
    """The first seat of a set, clockwise from `start` on; the set must not be empty."""
    return seat_at(rules, start, lowest(seen_from(rules, seats, start)))


@kernel
def others(rules, seat):
    """All seats but one, as a set."""
    return full(rules.n_seats) & ~bit(seat)


# -- Whose decision it is ---------------------------------------------------------------------------------------------


@kernel
def ask(state, phase, seat):
    """The next decision, or NO_SEAT at the end: the only writer of `phase` and `to_act` while a game goes on."""
    state.phase = phase
    state.to_act = seat


@kernel
def to_act(state):
    """The seat to act; NO_SEAT when over."""
    return state.to_act


@kernel
def is_over(state):
    """Has the game ended?"""
    return state.to_act == NO_SEAT


@kernel
def is_consistent(state, rules, seat):
    """Of a game in which nobody says anything: every world is consistent with what was said."""
    return True


# -- What a game hands over -------------------------------------------------------------------------------------------

_ALIKE = {"to_act": to_act, "is_over": is_over, "is_consistent": is_consistent}


def kernels_of(*modules: ModuleType) -> dict[str, Any]:
    """The functions of CONTRACT by name: each from the first of a game's modules that defines it, or from here.

    Raises:
        LookupError: neither has one of them.
    """
    kernels = {}
    for name in CONTRACT:
        found = [vars(module)[name] for module in modules if name in vars(module)] or [_ALIKE.get(name)]
        if found[0] is None:
            raise LookupError(f"{name}: none of {', '.join(module.__name__ for module in modules)} defines it")
        kernels[name] = found[0]
    return kernels
