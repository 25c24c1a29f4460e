"""Tables of named blocks: actions (ids and names), layouts (where each part of an observation lies), and plain lists.

Each has its numbers by name in a named tuple, which compiled code reads as constants: `PHASE.react`, `ACT.play + card`,
`OBS.hand_size`. So a list of names is written once.
"""

from __future__ import annotations

import difflib
import keyword
import math
import re
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from murder_envs.core.checks import shown


def attribute(name: str) -> str:
    """A name as an attribute: "" is `none`, `pass` is `pass_`, and signs are underscores."""
    plain = re.sub(r"\W", "_", name) or "none"
    return plain + "_" if keyword.iskeyword(plain) else plain


def by_name(numbers: Mapping[str, int]) -> Any:
    """A named tuple of numbers, for Python and kernels alike."""
    kind: Any = namedtuple("Numbers", list(map(attribute, numbers)))  # type: ignore[misc]
    return kind(*numbers.values())


def numbered(names: Sequence[str]) -> Any:
    """Names by their place in a list, as attributes: `numbered(("start", "over")).over` is 1."""
    return by_name({name: i for i, name in enumerate(names)})


class Block(NamedTuple):
    """A named part of an observation or state vector.

    Attributes:
        name: what it is called.
        slice: its bytes in the flat vector.
        shape: its shape; `vector[block.slice].reshape(block.shape)` reads it.
        low, high: least and greatest value.
        meaning: what a value says, in words.
    """

    name: str
    slice: slice
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str


class Layout(dict[str, Block]):
    """Named blocks in order, one after the other without gaps: name -> Block."""

    def __init__(self, rows: Iterable[tuple[str, int | tuple[int, ...], int, int, str]]) -> None:
        """ValueError names a block whose values do not fit into a byte."""
        super().__init__()
        at = 0
        for name, size, low, high, meaning in rows:
            if not -128 <= low <= high <= 127:
                raise ValueError(f"{name}: values from {low} to {high} do not fit into a byte")
            shape = (size,) if isinstance(size, int) else tuple(size)
            n = math.prod(shape)
            self[name] = Block(name, slice(at, at + n), shape, low, high, meaning)
            at += n
        self.size = at

    def start(self, name: str) -> int:
        """Where a block begins."""
        return int(self[name].slice.start)

    @property
    def at(self) -> Any:
        """Where each block begins, by name."""
        return by_name({name: block.slice.start for name, block in self.items()})

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each byte, as two int8 arrays."""
        low = np.concatenate([np.full(b.slice.stop - b.slice.start, b.low, np.int8) for b in self.values()])
        high = np.concatenate([np.full(b.slice.stop - b.slice.start, b.high, np.int8) for b in self.values()])
        return low, high


class Actions:
    """The flat vocabulary of a game: blocks of action names in order.

    Attributes:
        names: id -> name.
        ids: name -> id.
        starts: block -> id of its first action.
        at: the same as a named tuple.
        n: how many there are.
    """

    def __init__(self, blocks: Mapping[str, Sequence[str]]) -> None:
        names: list[str] = []
        self.starts: dict[str, int] = {}
        for block, names_of_block in blocks.items():
            self.starts[block] = len(names)
            names.extend(names_of_block)
        self.names = tuple(names)
        self.ids = {name: i for i, name in enumerate(names)}
        self.n = len(names)
        self.at = by_name(self.starts)

    @property
    def n_words(self) -> int:
        """How many words of 64 a legal set takes."""
        return (self.n + 63) // 64

    def id(self, name: str) -> int:
        """The id of an action name; ValueError names an unknown one and the nearest that exist."""
        try:
            return self.ids[name]
        except (KeyError, TypeError):
            near = difflib.get_close_matches(str(name), self.names, 3)
            hint = f"; near it: {', '.join(near)}" if near else ""
            raise ValueError(f"action: unknown name {shown(name)}{hint}") from None
