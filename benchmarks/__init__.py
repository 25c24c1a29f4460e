"""Speed, strength of search, small games solved exactly, generated cases; run from a checkout.

    python -m benchmarks.throughput         # how fast everything is, beside other libraries
    python -m benchmarks.search_strength    # how much search gains, by budget
    python -m benchmarks.exact              # small games solved exactly (needs OpenSpiel)
    python -m benchmarks.cases              # what generated cases are like

What belongs to a single game is data: `goals/<game>.toml`, `small_games/<game>.toml`, `generated_cases/<game>.toml`.
"""

from __future__ import annotations

import pathlib
import tomllib
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]


def game_data(kind: str, name: str) -> dict[str, Any]:
    """A data file of the benchmarks, `benchmarks/<kind>/<name>.toml`; empty if there is none."""
    path = ROOT / "benchmarks" / kind / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
