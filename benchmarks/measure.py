"""Measuring: windows of everything in turn, so that the noise of a shared machine hits all alike."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Clock = Callable[[], float]
Window = Callable[[float], float]
"""Measures for about so many seconds and returns a value."""


@dataclass
class Figure:
    """One figure to be measured: a mode of one of our games, or of a peer, which is a game of another library.

    Attributes:
        game: the ruleset's name, or the peer's.
        config: name of the configuration, or in which way the peer is used.
        batch: how many games are played side by side.
        unit: of the values; where it is something a second, more is better, else less.
        window: takes one value.
        most: take no more than so many values; for those that take long.
        goal: what the figure should be; None: there is no goal.
        note: what else one should know.
        values: what was measured, one a window.
    """

    game: str
    config: str
    mode: str
    batch: int
    unit: str
    window: Window
    most: int = 1_000_000
    goal: float | None = None
    note: str = ""
    values: list[float] = field(default_factory=list)

    @property
    def more_is_better(self) -> bool:
        return self.unit.endswith("/s")

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Interquartile range, in the unit of the values; 0 for a single value."""
        if len(self.values) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return high - low

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "game": self.game,
            "config": self.config,
            "mode": self.mode,
            "batch": self.batch,
            "value": float(f"{self.median:.5g}"),
            "unit": self.unit,
            "spread": float(f"{self.spread:.3g}"),
        }


def rate(work: Callable[[], float], clock: Clock) -> Window:
    """A window that calls `work` until the time is up, and returns units a second.

    Args:
        work: does some units of work and returns how many. It is called once before each window, so that everything is
            compiled and back in the processor's caches.
        clock: what measures time, in seconds.
    """

    def window(seconds: float) -> float:
        work()
        begin, done, elapsed = clock(), 0.0, 0.0
        while elapsed <= 0 or elapsed < seconds:
            done += work()
            elapsed = clock() - begin
        return done / elapsed

    window(0.0)
    return window


def measure(figures: Sequence[Figure], windows: int, seconds: float) -> None:
    """Take `windows` values of each figure, one of each in turn."""
    for k in range(windows):
        for figure in figures:
            if k < figure.most:
                figure.values.append(figure.window(seconds))


def pin() -> str:
    """Keep this process, and those that it starts, on one core; says which, or why not."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned: this system cannot"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"pinned to core {core}"
