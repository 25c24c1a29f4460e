"""Measuring: windows of everything in turn, so that the noise of a shared machine hits all alike."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Clock = Callable[[], float]
Window = Callable[[float], float]
"""Measures for about so many seconds and returns a value."""


@dataclass
class Entry:
    """One figure to be measured: a mode of one of our games, or what a peer does in its place.

    Attributes:
        game: the ruleset's name, or the peer's.
        config: name of the configuration, or in which way the peer is used.
        batch: how many games are played side by side.
        unit: of the values; where it is something a second, more is better, else less.
        window: takes one value.
        most: take no more than so many values; for those that take long.
        goal: what it should be; None: there is no goal.
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
    """A window that calls `work`, which returns how many units it did, until the time is up: units a second.

    It is called once before each, so that everything is compiled and back in the processor's caches.
    """

    def window(seconds: float) -> float:
        work()
        begin, done, taken = clock(), 0.0, 0.0
        while taken <= 0 or taken < seconds:
            done += work()
            taken = clock() - begin
        return done / taken

    window(0.0)
    return window


def measure(entries: Sequence[Entry], windows: int, seconds: float) -> None:
    """Take `windows` values of each entry, one of each in turn."""
    for k in range(windows):
        for entry in entries:
            if k < entry.most:
                entry.values.append(entry.window(seconds))


# -- The machine ------------------------------------------------------------------------------------------------------


def pin() -> str:
    """Keep this process, and those that it starts, on one core; says which, or why not."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned: this system cannot"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"pinned to core {core}"


def cpu_model() -> str:
    """The processor's name, as far as it can be found out."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()


def git_commit(folder: str) -> str:
    """Commit of a checkout, with `+` if files differ from it; empty if it is none."""
    try:
        git = ["git", "-C", folder]
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        dirty = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + ("+" if dirty.stdout.strip() else "")
