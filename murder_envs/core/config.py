"""Parameters of a game, each declared once: default, range, meaning.

    @dataclass(frozen=True, kw_only=True)
    class Config(Parameters):
        num_players: int = integer(4, "seats", low=2, high=5)

        def check(self) -> None:          # what several parameters have to do with each other
            ...

From the declaration follow the checks (an error begins with the parameter's name; the value that was checked is the one
that is kept, as a plain int, bool, str, list or dict), the keywords with their help, and the tables of documentation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from murder_envs.core.checks import a_bool, a_choice, a_text, an_int, known_keywords

Check = Callable[[str, Any], Any]
"""(name, value) -> the checked, plain value; ValueError begins with the name."""


def parameter(
    default: Any, meaning: str, check: Check, values: str = "", meanings: Mapping[str, str] | None = None
) -> Any:
    """A parameter with a check of its own; `values` says in words what it can be, `meanings` what each name means."""
    metadata = {"check": check, "meaning": meaning, "values": values, "meanings": meanings or {}}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def integer(default: int, meaning: str, *, low: int, high: int) -> Any:
    """An integer in low..high."""
    return parameter(default, meaning, lambda name, value: an_int(name, value, low, high), f"{low} to {high:,}")


def boolean(default: bool, meaning: str) -> Any:
    """True or False."""
    return parameter(default, meaning, a_bool, "True or False")


def option(default: str, meaning: str, names: Sequence[str] | Mapping[str, str]) -> Any:
    """One of some names; a dict says what each of them means."""
    listed, meanings = tuple(names), dict(names) if isinstance(names, Mapping) else {}
    values = ", ".join(f'"{name}"' for name in listed)
    return parameter(default, meaning, lambda name, value: a_choice(name, value, listed), values, meanings)


def text(default: str, meaning: str) -> Any:
    """A text."""
    return parameter(default, meaning, a_text, "text")


def optional(check: Check) -> Check:
    """The check of a parameter that may also be None."""
    return lambda name, value: None if value is None else check(name, value)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters:
    """The base of a game's Config."""

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            value = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)
        self.check()

    def check(self) -> None:
        """What several parameters have to do with each other; ValueError begins with the name of one."""

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> Self:
        """Checked parameters from keywords; UnknownKeyword names one that is unknown, and the nearest that exist."""
        known_keywords(keywords, cls.names())
        return cls(**keywords)

    @classmethod
    def names(cls) -> list[str]:
        """The names of all parameters."""
        return [each.name for each in dataclasses.fields(cls)]

    def as_dict(self) -> dict[str, Any]:
        """All parameters as plain values."""
        return {each.name: _plain(getattr(self, each.name)) for each in dataclasses.fields(self)}


def _plain(value: Any) -> Any:
    """A copy in which nothing is shared and tuples are lists."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _default(each: Any) -> Any:
    return each.default_factory() if each.default is dataclasses.MISSING else each.default


def parameter_rows(config: type[Parameters]) -> list[Mapping[str, Any]]:
    """The parameters of a game as rows of a table, for documentation."""
    return [
        {
            "parameter": each.name,
            "default": _default(each),
            "values": each.metadata["values"],
            "meaning": each.metadata["meaning"],
            "meanings": each.metadata["meanings"],
        }
        for each in dataclasses.fields(config)
    ]
