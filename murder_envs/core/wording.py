"""Sentences for whoever reads them: the reader is "you", everybody else has a name. Never compiled."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

_EITHER = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


class Wording:
    """Writes sentences about seats for one reader.

    Args:
        names: what each seat is called, by absolute seat.
        reader: the seat that reads; None: somebody who watches from above, to whom nobody is "you".
    """

    def __init__(self, names: Sequence[str], reader: int | None) -> None:
        self.names = names
        self.reader = reader

    def name(self, seat: int) -> str:
        """`you` or the name."""
        return "you" if seat == self.reader else self.names[seat]

    def owner(self, seat: int) -> str:
        """`your` or `player_2's`."""
        return "your" if seat == self.reader else f"{self.names[seat]}'s"

    def sees(self, seat: int) -> bool:
        """May the reader read what this seat alone knows?"""
        return self.reader is None or self.reader == seat

    def sentence(self, template: str, who: int, **words: object) -> str:
        """A sentence about what a seat does, with a capital and a full stop.

        Args:
            template: `{who}` is the seat, `{name}` a word of that name, and in `[takes|take]` the second form is for a
                reader who is that seat: "{who} [takes|take] {card} from {whom}".
            who: the seat that acts.
            words: what else stands in braces.
        """
        with_verbs = in_second_person(template) if who == self.reader else _EITHER.sub(r"\1", template)
        return capitalized(with_verbs.format(who=self.name(who), **words))


def in_second_person(template: str) -> str:
    """A template for a reader who is the seat that it is about: the second form of each verb."""
    return _EITHER.sub(r"\2", template)


def capitalized(text: str) -> str:
    """With a capital letter at the beginning and a full stop at the end, unless the text ends otherwise already.

    Names of agents (`player_2`) are names of things in programs, and stay as they are.
    """
    if not re.match(r"\w+_\d", text):
        text = text[:1].upper() + text[1:]
    return text if text[-1:] in '.!?:"' else text + "."


def listed(words: Iterable[str], last: str = "and", nothing: str = "nothing") -> str:
    """`a`, `a and b`, `a, b and c`; `nothing` for none."""
    *before, end = [*words] or [nothing]
    return f"{', '.join(before)} {last} {end}" if before else end


@functools.cache
def document(package: str, file: str) -> str:
    """A text file that lies beside a package's code."""
    return files(package).joinpath(file).read_text(encoding="utf-8")
