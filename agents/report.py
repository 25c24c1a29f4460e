"""What every result comes with: tables in Markdown, and its provenance.

The only place that writes Markdown tables and the only one that tells command, commit, machine and versions. It imports
no learner, so that benchmarks can use it too.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import math
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]

PACKAGES = (
    "murder_envs", "numpy", "numba", "llvmlite", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo",
)  # fmt: skip
"""The packages that results depend on. Those that are not installed are left out of a provenance."""

NUMBER = re.compile(r"[-+]?\d")


def markdown_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | Mapping[str, str] | None = None) -> str:
    """Rows as a Markdown table.

    A column is aligned to the right where each of its cells is empty or begins with a number, else to the left.

    Args:
        rows: one mapping a row, column name -> value. Text stands as it is, ints with commas, floats with four digits;
            what is missing, None or NaN is an empty cell.
        columns: the names of the columns in order, or name -> heading; None: all names that occur in any row.

    Returns:
        The lines of the table, each with its end of line.
    """
    if columns is None:
        columns = list(dict.fromkeys(name for row in rows for name in row))
    headings = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    cells = [[_cell(row.get(name)) for name in headings] for row in rows]
    to_the_right = [all(not cell or NUMBER.match(cell) for cell in column) for column in zip(*cells)]
    if not rows:
        to_the_right = [False] * len(headings)
    rule = ["---:" if right else "---" for right in to_the_right]
    lines = [[_cell(heading) for heading in headings.values()], rule, *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: Any) -> str:
    """The text of a cell; a `|` in it would begin the next one."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value).replace("|", r"\|").replace("\n", " ")


def provenance(command: str | None = None) -> dict[str, Any]:
    """What a result depends on besides its settings, for JSON.

    Args:
        command: what was typed, if that is not this process's own command line.

    Returns:
        time: local time with its offset.
        command: the command line, as it can be typed in the checkout again.
        commit: the checkout's git commit, with a `+` where files differ from it; None: no git checkout.
        platform, processor: the machine.
        python, packages: versions; of packages by name (see PACKAGES), as far as they are installed.
    """
    return {
        "time": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "command": command or shlex.join(["python", *sys.orig_argv[1:]]),
        "commit": git_commit(),
        "platform": platform.platform(),
        "processor": cpu_model(),
        "python": platform.python_version(),
        "packages": package_versions(),
    }


def package_versions(names: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Name -> version of those packages that are installed."""
    versions = {}
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def git_commit(folder: pathlib.Path = ROOT) -> str | None:
    """The commit of a checkout in 12 digits, with a `+` where files differ from it; None: no git checkout."""
    answers = []
    for question in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain"]):
        try:
            done = subprocess.run(["git", *question], cwd=folder, capture_output=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
        answers.append(done.stdout.decode().strip())
    commit, changes = answers
    return commit + ("+" if changes else "")


def cpu_model() -> str:
    """The processor's name, as far as the system tells it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
