"""The settings of a training run: which there are, what they mean, what they may be, and a game's own values.

`Settings` is the only list. The options of the command line, the checks, config.json and what `--resume` compares
follow from its fields. Where a game differs from the defaults, a file beside this one says so: `<game>.toml`, with
names and values as in `Settings`. A game without such a file is trained with the defaults.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from murder_envs.core.checks import a_bool, a_list, a_text, an_int, distinct, fail, known_only

FOLDER = pathlib.Path(__file__).resolve().parent
"""Where the games' own settings are."""

SELF, PAST = "self", "past"
OPPONENTS = (SELF, PAST, "heuristic", "random")
"""Who can have the seats in which a policy does not learn: the policies as they are, as they were, compiled players."""

NONE = ("", "none")
"""Texts of an empty setting on the command line."""

GROUPS = {
    "run": "the run",
    "learner": "the learner (defaults are those of a game without a file in agents/settings/)",
    "network": "the network (likewise)",
    "pretraining": "learning from the scripted player, before the first update (likewise)",
    "evaluation": "evaluation",
}
"""Headings of the options."""


# -- What a field may be ----------------------------------------------------------------------------------------------
#
# A reader takes the name of a field and a value from Python, TOML or JSON, or the text of a command line, and returns
# the checked value; its ValueError begins with the name.


def whole(low: int, high: int) -> Callable[[str, Any], int]:
    """An int in low..high."""
    return lambda name, value: an_int(name, value, low, high)


def real(low: float, high: float) -> Callable[[str, Any], float]:
    """A number in low..high."""

    def read(name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            fail(name, f"{low:g} to {high:g}, not {value!r}")
        return float(value)

    return read


def widths(name: str, value: Any) -> tuple[int, ...]:
    """Numbers of units, at least one: [256, 128], or as text "256,128"."""
    try:
        entries = [int(part) for part in value.split(",")] if isinstance(value, str) else a_list(name, value, None)
        if not entries:
            raise ValueError
        return tuple(an_int(name, width, 1, 65_536) for width in entries)
    except ValueError:
        fail(name, f"widths of layers like 256,128, not {value!r}")


def shares(name: str, value: Any) -> dict[str, int]:
    """Kinds of opponents and their weights: {"self": 4, "past": 2}, or as text "self=4,past=2"; empty: none."""
    weights = _int_of_each(name, value, "shares like self=4,past=2,heuristic=2")
    for kind, weight in weights.items():
        if kind not in OPPONENTS:
            fail(name, f"any of {', '.join(OPPONENTS)}, not {kind!r}")
        if not 0 <= weight <= 64:
            fail(name, f"0 to 64 for {kind}, not {weight}")
    if weights and not sum(weights.values()):
        fail(name, "at least one share above 0")
    return weights


def rows_of_blocks(name: str, value: Any) -> dict[str, int]:
    """Observation blocks and numbers of their rows: {"events": 8}, or as text "events=8"; empty: none."""
    rows = _int_of_each(name, value, "blocks and numbers of rows like events=8")
    return {block: an_int(name, n, 0, 65_536) for block, n in rows.items()}


def blocks_by_key(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    """A block and blocks that belong to it: {"question": ["claims", "answers"]}, or as text "question=claims+answers";
    empty: none."""
    if isinstance(value, str):
        value = {key: blocks.split("+") for key, _, blocks in _pairs(value)}
    if not isinstance(value, Mapping) or len(value) > 1:
        fail(name, f"one block and the blocks to read, like question=claims+answers, not {value!r}")
    return {a_text(name, key): _names(name, blocks) for key, blocks in value.items()}


def two_blocks(name: str, value: Any) -> tuple[str, ...]:
    """Names of two blocks: ["claims", "traits"], or as text "claims,traits"; empty: none."""
    blocks = _names(name, value)
    if len(blocks) not in (0, 2):
        fail(name, f"two blocks like claims,traits, not {value!r}")
    return blocks


def text_or_none(name: str, value: Any) -> str | None:
    """A text, or None."""
    return None if value is None else a_text(name, value)


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",") if value not in NONE else []
    names = [a_text(name, entry) for entry in a_list(name, value, None)]
    distinct(name, names)
    return tuple(names)


def _pairs(text: str) -> list[tuple[str, str, str]]:
    return [part.partition("=") for part in text.split(",")] if text not in NONE else []


def _int_of_each(name: str, value: Any, example: str) -> dict[str, int]:
    """Names and ints, in the order in which they were written."""
    try:
        if isinstance(value, str):
            value = {key: int(number) for key, _, number in _pairs(value)}
        return {a_text(name, key): an_int(name, number, -(2**31), 2**31) for key, number in value.items()}
    except (ValueError, AttributeError):
        fail(name, f"{example}, not {value!r}")


# -- The settings -----------------------------------------------------------------------------------------------------


def _setting(group: str, default: Any, read: Callable[[str, Any], Any], help: str) -> Any:
    """A field of `Settings`: where its option stands in the help, its default, what it may be, what it means."""
    metadata = {"group": group, "read": read, "help": help}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a run, checked: ValueError begins with the name of a field that cannot be."""

    steps: int = _setting(
        "run", 6_000_000, whole(1, 10**12),
        "decisions to learn from, of all seats together; those with one legal option do not count",
    )  # fmt: skip
    seed: int = _setting("run", 0, whole(0, 2**32 - 1), "0 to 2^32 - 1; equal seeds and threads, equal runs")

    envs: int = _setting("learner", 512, whole(1, 65_536), "games at once")
    rollout: int = _setting("learner", 64, whole(2, 65_536), "decisions in each of them between two updates")
    batch_size: int = _setting(
        "learner", 1024, whole(2, 10**7), "decisions of a gradient step; at most envs times rollout count"
    )
    epochs: int = _setting(
        "learner", 1, whole(1, 1000),
        "how often an update goes through its decisions; games are cheap, and fresh ones teach more in the same time",
    )  # fmt: skip
    learning_rate: float = _setting("learner", 1e-3, real(0, 1), "of Adam; falls in a straight line to a twentieth")
    entropy: float = _setting("learner", 0.01, real(0, 10), "coefficient of the entropy bonus")
    gamma: float = _setting(
        "learner", 1.0, real(0, 1),
        "discount; games end by themselves and are paid at the end, so nothing speaks for less than 1",
    )  # fmt: skip
    gae_lambda: float = _setting("learner", 0.95, real(0, 1), "lambda of generalised advantage estimation")
    reward: str | None = _setting(
        "learner", None, text_or_none, "the game's reward to train on; evaluations are by its default one"
    )
    roles: bool = _setting("learner", False, a_bool, "a policy for each seat, and not one for all")
    opponents: dict[str, int] = _setting(
        "learner", {}, shares,
        "shares of the games by who has the other seats, as in self=4,past=2,heuristic=2; none: one policy has all",
    )  # fmt: skip

    net: tuple[int, ...] = _setting(
        "network", (256, 128), widths, "widths: the layer that policy and value share, then layers of each"
    )
    one_hot: dict[str, int] = _setting(
        "network", {}, rows_of_blocks,
        "observation blocks whose entries are names of things, and how many of their rows to look at, as in events=8",
    )  # fmt: skip
    lookup: dict[str, tuple[str, ...]] = _setting(
        "network", {}, blocks_by_key,
        "a one-hot block, and the blocks from which it selects, as in question=claims+answers; see "
        "murder_envs/networks/lookup.py",
    )  # fmt: skip
    agreement: tuple[str, ...] = _setting(
        "network", (), two_blocks,
        "a block of statements about marks, and the block of who has them, as in claims,traits; see "
        "murder_envs/networks/agreement.py",
    )  # fmt: skip
    prior_weight: float = _setting(
        "network", 0.0, real(0, 100),
        "above 0: a residual policy, which adds to the scripted player's choice and begins by taking it with the odds "
        "e^prior_weight to 1",
    )  # fmt: skip

    cloning_decisions: int = _setting(
        "pretraining", 0, whole(0, 10**9),
        "behaviour cloning: decisions of the scripted player to learn from, for each policy",
    )  # fmt: skip
    improvement_positions: int = _setting(
        "pretraining", 0, whole(0, 10**9),
        "rollout policy improvement: positions of the scripted player's games to learn from, for each policy",
    )  # fmt: skip

    evals: int = _setting("evaluation", 20, whole(1, 10_000), "points of the learning curve after the first")
    eval_games: int = _setting("evaluation", 2_000, whole(1, 10**6), "games for each of them")
    test_games: int = _setting("evaluation", 10_000, whole(1, 10**7), "games for each row of the final table")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, field.metadata["read"](field.name, getattr(self, field.name)))

    def as_json(self) -> dict[str, Any]:
        """All fields as plain values, as `from_json` reads them."""
        return dataclasses.asdict(self)


NAMES = tuple(field.name for field in dataclasses.fields(Settings))


def from_mapping(values: Mapping[str, Any]) -> Settings:
    """Settings from some names and values; the other fields have their defaults."""
    known_only(values, NAMES, "setting")
    return Settings(**values)


def from_json(values: Any) -> Settings:
    """Settings as `Settings.as_json` wrote them: ValueError names a field that is missing, unknown or out of range."""
    if not isinstance(values, Mapping):
        fail("settings", f"names and values, not {values!r}")
    for name in NAMES:
        if name not in values:
            fail(name, "the setting is missing")
    return from_mapping(values)


def of_game(game: str, folder: pathlib.Path = FOLDER) -> Settings:
    """A game's own settings: the defaults, but for what its file says."""
    path = folder / f"{game}.toml"
    return from_mapping(tomllib.loads(path.read_text(encoding="utf-8"))) if path.exists() else Settings()


# -- The command line -------------------------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """An option for each field, in groups, which are returned by name. What is not typed is None."""
    groups = {name: parser.add_argument_group(heading) for name, heading in GROUPS.items()}
    for field in dataclasses.fields(Settings):
        default = getattr(Settings(), field.name)
        form: dict[str, Any] = {"type": str, "metavar": "TEXT"}
        if isinstance(default, bool):
            form = {"action": argparse.BooleanOptionalAction}
        elif isinstance(default, (int, float)):
            form = {"type": type(default), "metavar": "N" if isinstance(default, int) else "X"}
        groups[field.metadata["group"]].add_argument(
            f"--{field.name.replace('_', '-')}", help=f"{field.metadata['help']} (default: {as_text(default)})", **form
        )
    return groups


def typed(options: argparse.Namespace) -> dict[str, Any]:
    """Those settings that a command line names: name -> value as typed."""
    return {name: getattr(options, name) for name in NAMES if getattr(options, name) is not None}


def as_text(value: Any) -> str:
    """A setting as the command line has it."""
    if isinstance(value, dict):
        parts = {key: "+".join(entry) if isinstance(entry, tuple) else entry for key, entry in value.items()}
        return ",".join(f"{key}={entry}" for key, entry in parts.items()) or "none"
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "the game's"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else str(value)
