"""Records: each field of a game's state, and of what a configuration fixes, is declared once.

    class State(Record):
        phase: int = choice(PHASES, "what is asked", snapshot=True, public=True)
        hand: np.ndarray = members("cards that a seat holds", shape=(MAX_SEATS,))

From the declaration follow the record type that kernels work on (`State.dtype`), a kernel that empties a record
(`emptier(State)`), the field's place in snapshots with its checks (`core.snapshots`), and the tables of documentation
(`State.fields`). To a type checker `state.phase` is an int and `state.hand` an array, so kernels may be annotated:
`def step(state: State, rules: Rules, action: int)`.

**Which type.** Numbers that are counted with are signed, so that differences may be negative; sets are unsigned with 32
or 64 bits. To compiled code the first are int64 and the second uint64 as soon as they are computed with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import COMPILED, records

NOTHING = -1
"""Of a choice: none of the names; a snapshot has "" for it."""

Bound = int | str | Callable[[Any], int]
"""A number; the name of a field of the rules record; or a function of the rules record."""


@dataclass(frozen=True)
class Field:
    """A field of a record.

    Attributes:
        dtype: type of the field, or of its entries.
        shape: () for a single number.
        empty: its value before a game begins.
        meaning: what is in it.
        kind: how a snapshot shows it: "number", "flag" (True or False), "choice" (a name), "seat", "members" (a set as
            a list), "seats" (a set of seats as a list); or "table", which needs code.
        low, high: least and greatest value in a snapshot.
        names: of a choice or of members: the names; or, where they follow from a game's case file, the key under which
            `Names` has them; None: plain numbers.
        snapshot: its name in snapshots; "": snapshots show it in another way, or not at all.
        public: does everybody at the table see it?
        entries: for an array in a snapshot, how many entries are shown.
    """

    dtype: Any
    shape: tuple[int, ...]
    empty: Any
    meaning: str
    kind: str = "table"
    low: Bound = 0
    high: Bound = 0
    names: Sequence[str] | str | None = None
    snapshot: str = ""
    public: bool = False
    entries: Bound = 0


def table(dtype: Any, meaning: str, *, shape: tuple[int, ...] = (), empty: Any = 0) -> Any:
    """A field that snapshots show by code of its own, or not at all."""
    return Field(dtype, shape, empty, meaning)


def number(
    meaning: str,
    *,
    dtype: Any = np.int64,
    shape: tuple[int, ...] = (),
    empty: int = 0,
    low: Bound = 0,
    high: Bound = 2**62,
    snapshot: bool | str = False,
    public: bool = False,
    entries: Bound = "n_seats",
) -> Any:
    """A number, or an array of numbers."""
    return Field(dtype, shape, empty, meaning, "number", low, high, None, snapshot, public, entries)  # type: ignore[arg-type]


def flag(meaning: str, *, empty: int = 0, snapshot: bool | str = False, public: bool = False) -> Any:
    """0 or 1, in a snapshot False or True."""
    return Field(np.int8, (), empty, meaning, "flag", 0, 1, None, snapshot, public)  # type: ignore[arg-type]


def choice(
    names: Sequence[str] | str,
    meaning: str,
    *,
    shape: tuple[int, ...] = (),
    empty: int = 0,
    snapshot: bool | str = False,
    public: bool = False,
    entries: Bound = "n_seats",
) -> Any:
    """The place of a name in a list, or NOTHING, in a snapshot the name, or ""; or an array of them."""
    return Field(np.int8, shape, empty, meaning, "choice", NOTHING, 0, names, snapshot, public, entries)  # type: ignore[arg-type]


def seat(
    meaning: str, *, empty: int = NO_SEAT, low: int | None = None, snapshot: bool | str = False, public: bool = False
) -> Any:
    """An absolute seat, or NO_SEAT if it may be empty."""
    least = empty if low is None else low
    return Field(np.int8, (), empty, meaning, "seat", least, _last_seat, None, snapshot, public)  # type: ignore[arg-type]


def seats(meaning: str, *, snapshot: bool | str = False, public: bool = False) -> Any:
    """A set of seats, in a snapshot a list."""
    return Field(np.uint64, (), 0, meaning, "seats", 0, _last_seat, None, snapshot, public)  # type: ignore[arg-type]


def members(
    meaning: str,
    *,
    dtype: Any = np.uint64,
    shape: tuple[int, ...] = (),
    names: Sequence[str] | str | None = None,
    low: Bound = 0,
    high: Bound = 63,
    snapshot: bool | str = False,
    public: bool = False,
    entries: Bound = "n_seats",
) -> Any:
    """A set, or an array of sets, in a snapshot a list of names or numbers."""
    return Field(dtype, shape, 0, meaning, "members", low, high, names, snapshot, public, entries)  # type: ignore[arg-type]


def _last_seat(rules: Any) -> int:
    return int(rules["n_seats"]) - 1


class Record:
    """A record type; a class below it declares the fields.

    All configurations of a game have one record type, and compiled code does not check bounds. So each record carries
    the digest of its configuration: it tells states of one configuration from those of another, which may have more
    seats or cards (see `Ruleset.checked_states`).

    Attributes:
        fields: name -> Field, in order: `config_digest`, then those of base classes, then its own.
        dtype: the record type, aligned and without hidden bytes, so that equal records are equal bytes.
    """

    config_digest: int
    fields: ClassVar[dict[str, Field]] = {
        "config_digest": table(np.uint64, "stands for the configuration; 0: no game has begun")
    }
    dtype: ClassVar[np.dtype]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        for name, field in own.items():
            if field.snapshot is True:
                object.__setattr__(field, "snapshot", name)
            elif field.snapshot is False:
                object.__setattr__(field, "snapshot", "")
        inherited = {name: field for base in cls.__bases__ for name, field in getattr(base, "fields", {}).items()}
        cls.fields = {**inherited, **own}
        cls.dtype = _without_gaps([(name, field.dtype, field.shape) for name, field in cls.fields.items()])

    @classmethod
    def blank(cls) -> np.ndarray:
        """An array of one record whose fields are all empty."""
        blank = records(cls.dtype, 1)
        for name, field in cls.fields.items():
            blank[name] = field.empty
        return blank

    @classmethod
    def from_config(cls, config: Any) -> np.ndarray:
        """An array of one record, with the parameters of a configuration that it has under the same name filled in."""
        rules = cls.blank()
        for name in {each.name for each in dataclasses.fields(config)} & cls.fields.keys():
            field, value = cls.fields[name], getattr(config, name)
            rules[name] = field.names.index(value) if field.kind == "choice" and field.names else value
        return rules


def _without_gaps(rows: list[tuple[str, Any, tuple[int, ...]]]) -> np.dtype:
    """An aligned record type whose padding is made of fields too: numpy and numba copy what is a field."""
    aligned = np.dtype(rows, align=True)
    filled: list[tuple[str, Any, tuple[int, ...]]] = []
    at = 0
    for (name, dtype, shape), start in zip(rows, [aligned.fields[name][1] for name, _, _ in rows]):  # type: ignore[index]
        if start > at:
            filled.append((f"_gap{at}", np.uint8, (start - at,)))
        filled.append((name, dtype, shape))
        at = start + np.dtype((dtype, shape)).itemsize
    if aligned.itemsize > at:
        filled.append((f"_gap{at}", np.uint8, (aligned.itemsize - at,)))
    return np.dtype(filled, align=True)


def starts(**tables: Iterable[str]) -> type[Record]:
    """A base of a rules record for a game whose tables follow from a case: where each of their blocks starts.

    `starts(do=ACTIONS.starts, obs=OBSERVATION)` has the fields `do_<block>` and `obs_<block>`.
    """
    names = [f"{prefix}_{block}" for prefix, table in tables.items() for block in table]
    return type("Starts", (Record,), {name: number("where this block starts") for name in names})


def emptier(record: type[Record]) -> Any:
    """A kernel (state) that makes every field of a record empty, by copying a constant over it."""
    blank = record.blank()
    if not COMPILED:

        def empty_uncompiled(state: Any) -> None:
            for name in record.dtype.names or ():
                state[name] = blank[0][name]

        return empty_uncompiled
    data = blank.tobytes()

    @intrinsic
    def empty(typingctx: Any, state: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            constant = ir.Constant(ir.ArrayType(ir.IntType(8), len(data)), bytearray(data))
            source = cgutils.global_constant(builder, "murder_envs.blank", constant)
            cgutils.raw_memcpy(builder, arguments[0], source, ir.IntType(64)(len(data)), 1)
            return context.get_dummy_value()

        return types.void(state), codegen

    return empty


def field_rows(record: type[Record]) -> list[Mapping[str, Any]]:
    """The fields of a record as rows of a table, for documentation."""
    return [
        {
            "field": name,
            "type": np.dtype(field.dtype).name + (str(list(field.shape)) if field.shape else ""),
            "meaning": field.meaning,
            "snapshot": field.snapshot,
            "public": field.public,
        }
        for name, field in record.fields.items()
    ]
