"""Checks of plain values, whose errors begin with the name of the field; what they return is what to go on with."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

MAX_SEED = 2**63 - 1


def fail(field: str, what: str) -> NoReturn:
    """Raise the ValueError that names a field: `field: what`."""
    raise ValueError(f"{field}: {what}")


LINE = 100
"""So much of what they were given errors quote."""


def shown(value: Any) -> str:
    """A value as errors show it: on one line, and no more of it than fits there.

    Python refuses to write down an int of thousands of digits.
    """
    try:
        return in_a_line(repr(value))
    except ValueError:
        return "one with a number that is too long to be shown"


def in_a_line(text: str) -> str:
    """A text on one line, cut off where it is too long."""
    line = " ".join(text[: 4 * LINE].split())
    return line if len(line) <= LINE and len(text) <= 4 * LINE else f"{line[: LINE - 3]}..."


def known_only(values: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Every key is a known one; else the error names it and the nearest that exist."""
    for key in values:
        if key not in known:
            fail(in_a_line(str(key)), f"unknown {what}{_nearest(key, known)}")


class UnknownKeyword(ValueError, TypeError):
    """A function has no such keyword: a ValueError like all wrong arguments, and the TypeError that Python itself
    raises, since other libraries try keywords out and look for its text."""


def known_keywords(keywords: Mapping[str, Any], known: Collection[str]) -> None:
    """Every keyword is a known one; else UnknownKeyword names it and the nearest that exist."""
    for key in keywords:
        if key not in known:
            raise UnknownKeyword(
                f"{in_a_line(str(key))}: unexpected keyword argument {shown(key)}{_nearest(key, known)}"
            )


def _nearest(key: Any, known: Collection[str]) -> str:
    near = difflib.get_close_matches(in_a_line(str(key)), list(known), 2)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def is_int(value: Any) -> bool:
    """An integer of Python or numpy, also in an array without dimensions; a bool does not count as one."""
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def an_int(field: str, value: Any, low: int, high: int) -> int:
    """An integer in low..high, as a plain int; a bool does not count as one."""
    if not is_int(value):
        fail(field, f"an int from {low} to {high}, not {shown(value)}")
    if not low <= (plain := operator.index(value)) <= high:
        fail(field, f"{low} to {high}, not {shown(plain)}")
    return plain


def a_seed(field: str, value: Any) -> int:
    """A seed: an int from 0 to 2^63 - 1."""
    return an_int(field, value, 0, MAX_SEED)


def a_bool(field: str, value: Any) -> bool:
    """True or False, also numpy's, as a plain bool."""
    if not isinstance(value, (bool, np.bool_)):
        fail(field, f"True or False, not {shown(value)}")
    return bool(value)


def a_choice(field: str, value: Any, choices: Sequence[str]) -> str:
    """One of some names, as a plain str."""
    if not isinstance(value, str) or value not in choices:
        fail(field, f"one of {', '.join(map(repr, choices))}, not {shown(value)}")
    return str.__str__(value)


def a_text(field: str, value: Any) -> str:
    """A str, also numpy's or an enumeration's, as a plain one."""
    if not isinstance(value, str):
        fail(field, f"text, not {shown(value)}")
    return str.__str__(value)


def a_list(field: str, value: Any, n: int | None = None) -> list[Any]:
    """A list or tuple, of n entries if n is given."""
    if not isinstance(value, (list, tuple)):
        fail(field, f"a list, not {shown(value)}")
    if n is not None and len(value) != n:
        fail(field, f"{n} entries, not {len(value)}")
    return list(value)


def ints(field: str, value: Any, low: int, high: int, n: int | None = None) -> list[int]:
    """A list of ints in low..high."""
    return [an_int(field, x, low, high) for x in a_list(field, value, n)]


def distinct(field: str, values: Sequence[Any]) -> None:
    """No entry twice."""
    for i, x in enumerate(values):
        if x in values[:i]:
            fail(field, f"{shown(x)} occurs twice")
