"""What the tests share: the cases, the data files, and a table at which a test sees everything."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import pathlib
import pickle
import random
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import numpy as np

from murder_envs.core import jit
from murder_envs.core.jit import bind
from murder_envs.drivers import rollout
from murder_envs.drivers.cursor import Cursor
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

ROOT = pathlib.Path(__file__).parents[1]
DATA = pathlib.Path(__file__).parent / "data"
MOST_DECISIONS = 10_000
"""No game may be longer."""


# -- Cases and data ---------------------------------------------------------------------------------------------------


@functools.cache
def data(game: str, file: str) -> dict[str, Any]:
    """A TOML file of a game's data folder."""
    return tomllib.loads((DATA / game / file).read_text(encoding="utf-8"))


def named(value: Any) -> str:
    """A parameter as part of a test's name: the same in every process, so without addresses, and not too long."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))[:80]


def rows(file: str, key: str) -> list[tuple[str, dict[str, Any]]]:
    """(game, entry) for all entries [[key]] of a data file, game by game."""
    return [(game, entry) for game in GAMES for entry in data(game, file)[key]]


@functools.cache
def all_configs(game: str) -> dict[str, dict[str, Any]]:
    """The named configurations of a game, and those of `configs.toml`, for switches that no named one turns."""
    return {**configs(game), **data(game, "configs.toml")}


THIN = 3 if jit.DEBUG else 1
"""With bounds checks everything takes several times as long, and one configuration runs the same code as the next."""

CASES = [(game, name) for game in GAMES for name in list(all_configs(game))[::THIN]]
"""(game, name of a configuration); the first is the default one."""


@functools.cache
def ruleset_of(game: str, config: str = "default") -> Ruleset:
    """A configured game by name."""
    return make_ruleset(game, **all_configs(game)[config])


def switches(game: str, config: str) -> set[tuple[str, str]]:
    """(parameter, value) for each parameter of a configuration; lists and tables are the default one or another."""
    default = ruleset_of(game).config
    pairs = set()
    for parameter, value in ruleset_of(game, config).config.items():
        is_long = isinstance(value, (list, tuple, dict)) and value != default[parameter]
        pairs.add((parameter, "another list or table" if is_long else repr(value)))
    return pairs


@functools.cache
def covering(game: str) -> list[str]:
    """Configurations that together have every value of every parameter that any configuration has.

    The default one comes first, then, again and again, the one with most values that none before it has. For promises
    of the interfaces, which pass on what the rules say: what depends on a parameter's value shows in one configuration
    with that value. What the rules promise is tested in all configurations.
    """
    chosen = ["default"]
    missing = set().union(*(switches(game, config) for config in all_configs(game))) - switches(game, "default")
    while missing:
        chosen.append(max(all_configs(game), key=lambda config: len(switches(game, config) & missing)))
        missing -= switches(game, chosen[-1])
    return chosen


def with_config(game: str, config: dict[str, Any]) -> Ruleset:
    """A configured game by keywords."""
    return make_ruleset(game, **config)


def decisions_of(ruleset: Ruleset, games: float) -> int:
    """How many decisions so many random games have, roughly: for tests that wait for games to end."""
    played = rollout.play(ruleset, "random", 8, seed=3)
    return math.ceil(games * played.decisions.mean())


def same(a: Any, b: Any) -> bool:
    """Are two snapshot values equal? Numbers within 1e-6; a bool is no number; a tuple is a list."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-6
    return type(a) is type(b) and a == b


def shapes(value: Any) -> Any:
    """The keys, lengths and types of an info, without what is in its texts and numbers."""
    if isinstance(value, dict):
        return {key: shapes(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [shapes(each) for each in value]
    return value.shape if isinstance(value, np.ndarray) else type(value)


def agrees(actual: Any, expected: Any, where: str = "") -> list[str]:
    """What of `expected` (as in a ruling) is not so in a snapshot, a line each; empty if all is."""
    if not (isinstance(expected, dict) and isinstance(actual, dict)):
        return [] if same(actual, expected) else [f"{where}: {actual!r}, expected {expected!r}"]
    wrong = []
    for key, value in expected.items():
        name = key.removesuffix("~").removeprefix("#")
        at = f"{where}.{name}".removeprefix(".")
        if name not in actual:
            wrong.append(f"{at}: missing")
        elif key.startswith("#"):
            wrong += agrees(len(actual[name]), value, f"length of {at}")
        elif key.endswith("~"):
            wrong += agrees(sorted(actual[name], key=repr), sorted(value, key=repr), f"{at}, sorted")
        else:
            wrong += agrees(actual[name], value, at)
    return wrong


# -- A table ----------------------------------------------------------------------------------------------------------


class Table:
    """A game in progress, from above: everything that the contract says of it is at hand.

    Args:
        ruleset: the configured game.
        seed: what it is dealt from; below 0, the outcome -1 - seed of the list of all deals.
        snapshot: what to start from in place of a deal.

    Attributes:
        states: STATE, array of one.
        seat: absolute seat to act; -1 when over.
        played: "seat action" for each decision so far.
    """

    def __init__(self, ruleset: Ruleset, seed: int = 0, snapshot: dict[str, Any] | None = None) -> None:
        self.ruleset = ruleset
        self.seed = seed
        self.driver = bind(ruleset, "single")
        self.cursor = Cursor(ruleset)
        self.played: list[str] = []
        self.history: list[np.ndarray] = []
        if snapshot is None:
            self.cursor.deal(seed)
        else:
            self.cursor.restore(snapshot, seed)

    @property
    def states(self) -> np.ndarray:
        return self.cursor.states

    @property
    def legal_set(self) -> np.ndarray:
        return self.cursor.legal_set

    @property
    def seat(self) -> int:
        return self.cursor.seat

    @property
    def over(self) -> bool:
        return self.cursor.over

    def legal(self) -> list[int]:
        return self.cursor.legal()

    def names(self) -> list[str]:
        """The legal actions by name."""
        return [self.ruleset.actions.names[action] for action in self.legal()]

    def act(self, action: int) -> None:
        """Take a legal action, given by its id."""
        self.history.append(jit.copied(self.states))
        self.played.append(f"{self.seat} {self.ruleset.actions.names[action]}")
        self.cursor.act(action)

    def look(self, seat: int) -> bytes:
        """What a seat sees."""
        return self.cursor.look(seat).tobytes()

    def look_from_above(self) -> bytes:
        """The state vector."""
        return self.cursor.look_from_above().tobytes()

    def views(self) -> list[bytes]:
        """What each seat sees."""
        return [self.look(seat) for seat in range(self.ruleset.n_seats)]

    def returns(self) -> list[float]:
        return self.cursor.outcome()[0]

    def is_cut_off(self) -> bool:
        return self.cursor.outcome()[1]

    def snapshot(self) -> dict[str, Any]:
        return self.cursor.snapshot()

    def public(self) -> dict[str, Any]:
        return self.cursor.public()

    def with_states(self, states: np.ndarray) -> Table:
        """Another table with a copy of these states."""
        other = object.__new__(Table)
        other.__dict__.update(self.__dict__)
        other.cursor = Cursor(self.ruleset)
        other.cursor.place(states)
        other.played, other.history = self.played.copy(), self.history.copy()
        return other

    def copy(self) -> Table:
        return self.with_states(self.states)

    def redealt(self, seat: int, seed: int) -> Table:
        """Another table in a state that the seat cannot tell from this one."""
        other = self.copy()
        other.cursor.redeal(seat, seed)
        return other

    def play_on(self, rng: random.Random, decisions: int = MOST_DECISIONS) -> Iterator[None]:
        """Random legal play; each decision is yielded before it is taken, and the end of the game too."""
        for _ in range(decisions):
            yield
            if self.over:
                return
            self.act(rng.choice(self.legal()))
        assert self.over or decisions < MOST_DECISIONS, f"no end after {decisions} decisions"

    def finish(self, rng: random.Random) -> Table:
        """Play to the end at random."""
        for _ in self.play_on(rng):
            pass
        return self

    def report(self) -> str:
        """How to come back here, ready to become a ruling."""
        config = {key: value for key, value in self.ruleset.config.items() if value is not None}
        lines = [
            f"{self.ruleset.name}, seed {self.seed}, after {len(self.played)} decisions: {json.dumps(self.played)}",
            "The last decision as a ruling:",
            "[[ruling]]",
            f"config = {toml(config)}",
        ]
        if self.history:
            before = self.ruleset.snapshot(self.ruleset.rules, self.history[-1])
            lines += [f"setup = {toml(before)}", f"play = {toml(self.played[-1:])}"]
        else:
            lines += [f"setup = {toml(self.snapshot())}"]
        return "\n".join(lines)


@contextlib.contextmanager
def reported(table: Table) -> Iterator[Table]:
    """Add to a failure how to come back to it."""
    try:
        yield table
    except Exception as error:
        error.add_note(table.report())
        raise


def games(ruleset: Ruleset, n: int, first_seed: int = 0) -> Iterator[tuple[Table, random.Random]]:
    """n dealt tables, each with random numbers for its players; a failure in the loop's body is reported by it."""
    for seed in range(first_seed, first_seed + n):
        yield Table(ruleset, seed), random.Random(seed)


def toml(value: Any) -> str:
    """A plain value as TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(x)}" for key, x in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def through_read_only_memory(thing: Any) -> Any:
    """A copy that is unpickled from memory which is only read, as in the object stores of distributed training."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    assert buffers
    return pickle.loads(pickled, buffers=[bytes(buffer) for buffer in buffers])
