"""What every game needs to read configurations and snapshots: checks whose errors begin with the field's name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn


def fail(field: str, what: str) -> NoReturn:
    """Raise the ValueError that names a field: `field: what`."""
    raise ValueError(f"{field}: {what}")


def known_only(given: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Every key is a known one; else the error names it and the nearest that exist."""
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(str(key), list(known), 2)
            fail(str(key), f"unknown {what}" + (f"; did you mean {' or '.join(near)}?" if near else ""))


def is_int(value: Any) -> bool:
    """An int (also numpy's), but no bool."""
    return not isinstance(value, bool) and hasattr(value, "__index__")


def an_int(field: str, value: Any, low: int, high: int) -> int:
    """An int in low..high; a bool is none."""
    if not is_int(value):
        fail(field, f"an int from {low} to {high}, not {value!r}")
    if not low <= int(value) <= high:
        fail(field, f"{low} to {high}, not {int(value)}")
    return int(value)


def a_bool(field: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        fail(field, f"True or False, not {value!r}")
    return value


def a_choice(field: str, value: Any, choices: Sequence[str]) -> str:
    """One of some names."""
    if not isinstance(value, str) or value not in choices:
        fail(field, f"one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


def a_text(field: str, value: Any) -> str:
    """A str."""
    if not isinstance(value, str):
        fail(field, f"text, not {value!r}")
    return value


def a_list(field: str, value: Any, n: int | None = None) -> list[Any]:
    """A list or tuple, of n entries if n is given."""
    if not isinstance(value, (list, tuple)):
        fail(field, f"a list, not {value!r}")
    if n is not None and len(value) != n:
        fail(field, f"{n} entries, not {len(value)}")
    return list(value)


def ints(field: str, value: Any, low: int, high: int, n: int | None = None) -> list[int]:
    """A list of ints in low..high."""
    return [an_int(field, x, low, high) for x in a_list(field, value, n)]


def numbers(field: str, value: Any, n: int) -> list[float]:
    """A list of n numbers; a bool is none."""
    for x in (found := a_list(field, value, n)):
        if isinstance(x, bool) or not isinstance(x, (int, float)) and not hasattr(x, "__float__"):
            fail(field, f"numbers, not {x!r}")
    return [float(x) for x in found]


def distinct(field: str, values: Sequence[Any]) -> None:
    """No entry twice."""
    for i, x in enumerate(values):
        if x in values[:i]:
            fail(field, f"{x!r} occurs twice")


def follows(field: str, given: Mapping[str, Any], value: Any, same: Callable[[Any, Any], bool] | None = None) -> None:
    """A field that follows from the rest may be left out, or must agree."""
    if field in given and not (same(given[field], value) if same else given[field] == value):
        fail(field, f"{value!r} follows from the rest, not {given[field]!r}")
