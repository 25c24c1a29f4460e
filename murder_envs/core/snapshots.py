"""Snapshots: what of a record is shown and read as its declaration says, and what all games do alike with the rest.

A *plain* field (see `core.records`) is shown by `show` and read by `Reader.read`. What a rulebook makes special is code
of the game's own `snapshots.py`, whose `Position` is a `Reader`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import a_bool, a_list, a_text, an_int, distinct, fail, is_int, known_only, shown
from murder_envs.core.records import NOTHING, Bound, Field, Record

Names = Mapping[str, tuple[str, ...]]
"""Names that a case gives to things: the key that a field names -> the names."""


def members_of(bits: Any) -> list[int]:
    """A set as a list, rising."""
    rest, members = int(bits), []
    while rest:
        members.append((rest & -rest).bit_length() - 1)
        rest &= rest - 1
    return members


def set_of(members: Iterable[int]) -> int:
    """A list as a set: bit i for i."""
    return sum({1 << int(i) for i in members})


def _bound(bound: Bound, rules: Any) -> int:
    if isinstance(bound, str):
        return int(rules[bound])
    return bound(rules) if callable(bound) else int(bound)


def _names(field: Field, names: Names) -> tuple[str, ...] | None:
    return names[field.names] if isinstance(field.names, str) else None if field.names is None else tuple(field.names)


# -- From a state to plain values -------------------------------------------------------------------------------------


def show(record: type[Record], rules: np.ndarray, state: np.ndarray, names: Names | None = None) -> dict[str, Any]:
    """The plain fields of a state (array of one, as `rules`) by their names in snapshots."""
    return {
        field.snapshot: _shown(field, state[0][name], rules[0], names or {})
        for name, field in record.fields.items()
        if field.snapshot
    }


def public_fields(record: type[Record]) -> list[str]:
    """Names in snapshots of the plain fields that everybody sees."""
    return [field.snapshot for field in record.fields.values() if field.snapshot and field.public]


def _shown(field: Field, value: Any, rules: Any, names: Names) -> Any:
    if field.shape:
        return [_entry(field, entry, names) for entry in value[: _bound(field.entries, rules)]]
    return _entry(field, value, names)


def _entry(field: Field, value: Any, names: Names) -> Any:
    if field.kind == "flag":
        return bool(value)
    listed = _names(field, names)
    if field.kind in ("members", "seats"):
        return [listed[i] if listed else i for i in members_of(value)]
    if field.kind == "choice" and listed is not None:
        return "" if value == NOTHING else listed[value]
    return int(value)


# -- From plain values to a state -------------------------------------------------------------------------------------


class Reader:
    """A (partial) snapshot as it is read: each field checked, defaults filled in.

    Args:
        record: the game's State.
        rules: RULES, array of one.
        snapshot: plain dict; ValueError names a field that is unknown, or says that it is no dict.
        known: names of the fields that need code.
        names: what a case calls things.

    Attributes:
        values: field of the record -> what is to be written there, of the plain fields read so far.
    """

    def __init__(
        self,
        record: type[Record],
        rules: np.ndarray,
        snapshot: Mapping[str, Any],
        known: Iterable[str],
        names: Names | None = None,
    ) -> None:
        if not isinstance(snapshot, Mapping):
            fail("snapshot", f"a dict of fields, not {shown(snapshot)}")
        self.record = record
        self.rules = rules
        self.snapshot = snapshot
        self.names = names or {}
        self.values: dict[str, Any] = {}
        self._plain = {field.snapshot: name for name, field in record.fields.items() if field.snapshot}
        known_only(snapshot, [*self._plain, *known], "snapshot field")

    def get(self, name: str, default: Any) -> Any:
        """What the snapshot says of a field, unchecked."""
        return self.snapshot.get(name, default)

    def read(self, name: str, default: Any = None, *, low: int | None = None, high: int | None = None) -> Any:
        """A plain field, checked, in the terms of a snapshot; it is written to the state later.

        Args:
            name: the field's name in snapshots.
            default: its value where the snapshot leaves it out; None: that of an empty record.
            low, high: narrower bounds than the declared ones.
        """
        field = self.record.fields[self._plain[name]]
        if default is None:
            default = _shown(field, np.full(field.shape, field.empty, field.dtype), self.rules[0], self.names)
        value = self._checked(field, self.snapshot.get(name, default), low, high)
        self.put(name, value)
        return value

    def put(self, name: str, value: Any) -> None:
        """Let a plain field be a value in the terms of a snapshot, which is known to be possible."""
        field = self.record.fields[self._plain[name]]
        self.values[self._plain[name]] = self._stored(field, value)

    def read_rest(self, results: Iterable[str] = ()) -> None:
        """Read the plain fields that the game has not read by itself: checked as they are declared, and no more.

        Args:
            results: names in snapshots of plain fields that follow from the rest, and are not read at all.
        """
        for name, field in self._plain.items():
            if field not in self.values and name not in results:
                self.read(name)

    def write_plain(self, state: np.ndarray) -> None:
        """Write all plain fields that were read."""
        for name, value in self.values.items():
            if self.record.fields[name].shape:
                state[0][name][: len(value)] = value
            else:
                state[0][name] = value

    def _checked(self, field: Field, value: Any, low: int | None, high: int | None) -> Any:
        low = _bound(field.low, self.rules[0]) if low is None else low
        high = _bound(field.high, self.rules[0]) if high is None else high
        if field.shape:
            entries = a_list(field.snapshot, value, _bound(field.entries, self.rules[0]))
            return [self._checked_entry(field, entry, low, high) for entry in entries]
        return self._checked_entry(field, value, low, high)

    def _checked_entry(self, field: Field, value: Any, low: int, high: int) -> Any:
        name, listed = field.snapshot, _names(field, self.names)
        if field.kind == "flag":
            return a_bool(name, value)
        if field.kind in ("members", "seats"):
            entries = [_named(name, x, listed) if listed else an_int(name, x, low, high) for x in a_list(name, value)]
            distinct(name, entries)
            return entries
        if field.kind == "choice" and listed is not None:
            if isinstance(value, str) and not value and "" not in listed and field.empty == NOTHING:
                return ""
            return _named(name, value, listed)
        return an_int(name, value, low, high)

    def _stored(self, field: Field, value: Any) -> Any:
        if field.shape:
            return [self._stored_entry(field, entry) for entry in value]
        return self._stored_entry(field, value)

    def _stored_entry(self, field: Field, value: Any) -> int:
        listed = _names(field, self.names)
        if field.kind in ("members", "seats"):
            return set_of(listed.index(x) if listed else x for x in value)
        if field.kind == "choice" and listed is not None:
            return listed.index(value) if value in listed else NOTHING
        return int(value)


def _named(field: str, value: Any, names: tuple[str, ...]) -> str:
    """One of some names."""
    if (plain := a_text(field, value)) not in names:
        fail(field, f"one of {', '.join(map(repr, names))}, not {shown(value)}")
    return plain


# -- What follows from the rest ---------------------------------------------------------------------------------------


def check_results(
    snapshot: Mapping[str, Any], complete: Mapping[str, Any], names: Iterable[str], in_any_order: Iterable[str] = ()
) -> None:
    """What follows from the rest may be left out of a snapshot, or must agree; ValueError names a field that does not.

    Args:
        snapshot: as it was handed in.
        complete: that of the state which it led to.
        names: the fields to compare.
        in_any_order: of these, lists whose order does not count.
    """
    for name in names:
        if name not in snapshot:
            continue
        value, result = snapshot[name], complete[name]
        if name in in_any_order and isinstance(value, (list, tuple)):
            value, result = sorted(value, key=shown), sorted(result, key=shown)
        if not agree(value, result):
            fail(name, f"{complete[name]!r} follows from the rest, not {shown(snapshot[name])}")


def agree(value: Any, result: Any) -> bool:
    """Are two values of snapshots equal? Ints exactly, other numbers within 1e-6; a bool is not a number; a tuple is a
    list."""
    if isinstance(result, Mapping):
        return (
            isinstance(value, Mapping)
            and value.keys() == result.keys()
            and all(agree(value[key], result[key]) for key in result)
        )
    if isinstance(result, (list, tuple)):
        return isinstance(value, (list, tuple)) and len(value) == len(result) and all(map(agree, value, result))
    if isinstance(result, (bool, np.bool_)) or isinstance(value, (bool, np.bool_)):
        return (
            isinstance(result, (bool, np.bool_)) and isinstance(value, (bool, np.bool_)) and bool(value) == bool(result)
        )
    if isinstance(result, int) and is_int(value):
        return operator.index(value) == result
    if isinstance(result, (int, float)):
        # An int stays one: it may be too large for a float.
        if is_int(value):
            return bool(result - 1e-6 <= operator.index(value) <= result + 1e-6)
        return isinstance(value, (float, np.floating)) and abs(float(value) - result) <= 1e-6
    return isinstance(value, str) and value == result


def clockwise(seats: Iterable[int], start: int, n: int) -> list[int]:
    """Seats in clockwise order from a start on."""
    return sorted(seats, key=lambda seat: (seat - start) % n)
