"""Exact numbers of deals, lines of play, decisions and views, against counts.toml."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from murder_envs.drivers.chance import Chance, Outcome
from murder_envs.drivers.cursor import Cursor
from tests.support import Table, rows, same, with_config

COUNTS = rows("counts.toml", "count")


class Tree:
    """All that can happen from some positions on, to the end or to a depth, each chance event one branch an outcome.

    A *view* is an observation that a seat can meet, whoever's turn it is, at the end too. An *information state* is
    what a seat to act has had before it: its own observations and actions so far.

    Args:
        table: a table of the game.
        depth: decisions after which a line ends; None: at the end of the game.
        wanted: what to count beside lines and decisions, some of WANTED: each takes its time at every position.

    Attributes:
        lines: complete lines of play, or of `depth` decisions.
        decisions: decision points.
        views: a set of observations for each seat.
        information_states: set of all of them.
        longest: most decisions on a line.
        value: mean of the figures of finished games, if all choose at random.
    """

    WANTED = ("information_states", "views", "random_play")

    def __init__(self, table: Table, depth: int | None = None, wanted: Collection[str] = WANTED) -> None:
        self.table = table
        self.sees = "views" in wanted or "information_states" in wanted
        self.scores = "random_play" in wanted
        self.chance = Chance(table.ruleset)
        self.cursor, self.rules, self.n_seats = Cursor(table.ruleset), table.ruleset.rules, table.ruleset.n_seats
        self.depth = depth
        self.lines = self.decisions = self.longest = 0
        self.views: list[set[bytes]] = [set() for _ in range(self.n_seats)]
        self.information_states: set[int] = set()
        self.value: Counter[str] = Counter()

    def grow(self, states: np.ndarray, weight: float) -> None:
        """Count everything from a position on."""
        self._walk(states, (0,) * self.n_seats, 0, weight)

    def _walk(self, states: np.ndarray, past: tuple[int, ...], decisions: int, weight: float) -> None:
        """`past`: for each seat, a number that stands for its observations and actions so far."""
        seen = self._look(states)
        seat = self.cursor.seat
        if seat < 0 or decisions == self.depth:
            self.lines += 1
            self.longest = max(self.longest, decisions)
            if seat < 0 and self.scores:
                for name, x in self.table.ruleset.figures(self.rules, states).items():
                    self.value[name] += weight * x
            return
        self.decisions += 1
        legal = self.cursor.legal()
        if self.sees:
            here = hash((seat, past[seat], seen[seat]))
            self.information_states.add(here)
        then = past
        for action in legal:
            if self.sees:
                then = (*past[:seat], hash((here, action)), *past[seat + 1 :])
            for outcome, share in self.chance.after(states, action):
                self._walk(outcome, then, decisions + 1, weight * share / len(legal))

    def _look(self, states: np.ndarray) -> list[bytes]:
        """Stand at a position: what each seat sees there, which is entered into the views; nothing if not wanted."""
        self.cursor.place(states)
        seen: list[bytes] = []
        if not self.sees:
            return seen
        for seat in range(self.n_seats):
            seen.append(self.cursor.look(seat).tobytes())
            self.views[seat].add(seen[-1])
        return seen


def marks_of(count: dict[str, Any]) -> list[pytest.MarkDecorator]:
    """Trees from a position are small; those of whole games take the same kernels many times more often."""
    if count.get("slow"):
        return [pytest.mark.slow]
    return [pytest.mark.kernels] if "setup" in count else []


@pytest.mark.parametrize(
    ("game", "count"),
    [pytest.param(game, count, id=f"{game}-{count['name']}", marks=marks_of(count)) for game, count in COUNTS],
)
def test_count(game, count):
    ruleset = with_config(game, count.get("config", {}))
    tree = Tree(Table(ruleset), count.get("depth"), set(count) & set(Tree.WANTED))
    if "setup" in count:
        starts = [Outcome(Table(ruleset, 1, count["setup"]).states, 1.0)]
    else:
        starts = tree.chance.deals()
    assert sum(start.probability for start in starts) == pytest.approx(1)
    for start in starts:
        tree.grow(*start)
    counted = {
        "deals": len(starts),
        "lines": tree.lines,
        "decisions": tree.decisions,
        "longest": tree.longest,
        "information_states": len(tree.information_states),
        "views": [len(views) for views in tree.views],
        "random_play": dict(tree.value),
    }
    expected = {name: count[name] for name in counted if name in count}
    assert expected, "nothing to count"
    for name, value in expected.items():
        if isinstance(value, dict):
            counted[name] = {key: round(counted[name][key], 5) for key in value}
        assert same(counted[name], value), f"{name}: {counted[name]}, expected {value}"


def cards_dealt(ruleset: Any, states: np.ndarray) -> str:
    """A deal without random numbers and the order of the deck, which a list may leave open until cards are drawn."""
    full = ruleset.snapshot(ruleset.rules, states)
    return json.dumps({name: sorted(x) if name == "deck" else x for name, x in full.items() if name != "rng"})


def test_every_deal_of_a_list_is_dealt_too():
    """The list has what seeds deal, and as often as they do."""
    for game, count in COUNTS:
        if "deals" in count and count["deals"] < 1000:
            ruleset = with_config(game, count["config"])
            expected: Counter[str] = Counter()
            for states, probability in Chance(ruleset).deals():
                expected[cards_dealt(ruleset, states)] += probability
            n = 10 * len(expected)
            dealt: Counter[str] = Counter()
            for seed in range(n):
                dealt[cards_dealt(ruleset, Table(ruleset, seed).states)] += 1
            assert set(dealt) <= set(expected)
            distance = sum((dealt[key] - n * p) ** 2 / (n * p) for key, p in expected.items())
            freedom = max(1, len(expected) - 1)
            assert abs(distance - freedom) < 5 * (2 * freedom) ** 0.5, "the seeds' deals have other frequencies"
