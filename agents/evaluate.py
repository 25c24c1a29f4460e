"""How well a player plays: many games on fixed deals, and a table with 95 % intervals.

    python -m agents.evaluate --run runs/theres_been_a_murder-...     # a trained model beside random play and heuristic

All players of a table get the same deals, so their differences owe nothing to the cards. Where the rulebook knows a win
for the whole table (`figures` has one), the measure is the share of games won, with Wilson's interval; else the
mean return of all seats.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO

from agents import runs
from murder_envs.core.snapshots import an_int
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

CURVE_SEED, TEST_SEED = 2**62 + 1, 2**62 + 2
"""Deals for the learning curve and for the final table: the same in every run, and no seed of a training run."""

Z = 1.959964
"""95 % of a normal distribution lie within so many standard deviations."""


class Result(NamedTuple):
    """How a player did.

    Attributes:
        player: what the table calls it.
        games: how many were played.
        measure: "win rate", or "mean return" in games without a win for all.
        value, low, high: the measure and its 95 % interval.
        figures: the game's other figures, averaged over the games that have them.
    """

    player: str
    games: int
    measure: str
    value: float
    low: float
    high: float
    figures: dict[str, float]


def wilson(wins: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of `wins` in `n` games."""
    if n == 0:
        return 0.0, 1.0
    p, z2 = wins / n, Z * Z
    middle, spread = p + z2 / (2 * n), Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + z2 / n)), min(1.0, (middle + spread) / (1 + z2 / n))


def result(ruleset: Ruleset, player: str, states: np.ndarray, returns: np.ndarray) -> Result:
    """What finished games (STATE[n], float64[n, n_seats]) say of a player that had all seats."""
    n = len(states)
    each = [ruleset.figures(ruleset.rules, states[i : i + 1]) for i in range(n)]
    figures = {}
    for name in dict.fromkeys(name for figure in each for name in figure):
        values = [figure[name] for figure in each if name in figure and not math.isnan(figure[name])]
        figures[name] = sum(values) / len(values) if values else math.nan
    if "win" in figures:
        value = figures.pop("win")
        return Result(player, n, "win rate", value, *wilson(value * n, n), figures)
    table = returns.mean(1)
    value, spread = float(table.mean()), Z * float(table.std()) / math.sqrt(max(1, n))
    return Result(player, n, "mean return", value, value - spread, value + spread, figures)


def compiled_player(ruleset: Ruleset, policy: str, games: int, seed: int) -> Result:
    """All seats played by "random" or "heuristic"."""
    played = rollout.play(ruleset, policy, games, seed)
    return result(ruleset, policy, played.states, played.returns)


def trained_player(
    ruleset: Ruleset, model: MaskablePPO, games: int, seed: int, *, sampled: bool = False, name: str = "trained"
) -> Result:
    """All seats played by a model: its likeliest action or, `sampled`, one drawn from its probabilities.

    The draws come from `seed`; the random numbers of a training that goes on are left as they were.
    """
    batch = Batch(ruleset, games, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed % 2**63)
        while (waiting := np.flatnonzero(batch.seats >= 0)).size:
            masks = batch.masks[waiting].astype(np.bool_)
            actions, _ = model.predict(batch.observations[waiting], action_masks=masks, deterministic=not sampled)
            batch.step(actions, waiting)
    return result(ruleset, name, batch.states, batch.returns)


# -- The table --------------------------------------------------------------------------------------------------------


def columns(results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the table, as text; without figures that are 0 for all."""
    names = [name for name in results[0].figures if any(it.figures[name] != 0 for it in results)]
    headings = ["all seats", "games", results[0].measure, "95 % interval", *(name.replace("_", " ") for name in names)]
    rows = []
    for it in results:
        others = [f"{it.figures[name]:.3g}" for name in names]
        rows.append([it.player, f"{it.games:,}", f"{it.value:.3f}", f"{it.low:.3f} to {it.high:.3f}", *others])
    return headings, rows


def table(results: Sequence[Result]) -> Table:
    """The table for the terminal: what fits there."""
    headings, rows = columns(results)
    drawn = Table()
    for k, heading in enumerate(headings[:4]):
        drawn.add_column(heading, justify="left" if k == 0 else "right", no_wrap=True)
    for row in rows:
        drawn.add_row(*row[:4])
    return drawn


def markdown(results: Sequence[Result]) -> str:
    """The table for a file."""
    headings, rows = columns(results)
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def final_table(ruleset: Ruleset, model: MaskablePPO, games: int, seed: int = TEST_SEED) -> list[Result]:
    """Random, heuristic and trained players on the same deals."""
    return [
        compiled_player(ruleset, "random", games, seed),
        compiled_player(ruleset, "heuristic", games, seed),
        trained_player(ruleset, model, games, seed, sampled=True, name="trained, sampled"),
        trained_player(ruleset, model, games, seed, name="trained"),
    ]


# -- From the command line --------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how well a trained model plays, beside random play and the heuristic, on the same deals."""
    parser = argparse.ArgumentParser(prog="python -m agents.evaluate", description=main.__doc__)
    parser.add_argument("--run", type=pathlib.Path, required=True, help="run folder, or a model or checkpoint in it")
    parser.add_argument("--games", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=TEST_SEED, help="of the deals; default: those of training's table")
    given: Any = parser.parse_args(arguments)
    try:
        games = an_int("games", given.games, 1, 10_000_000)
        seed = an_int("seed", given.seed, 0, 2**63 - 1)
        ruleset, model = runs.load_model(given.run)
    except ValueError as error:
        parser.error(str(error))
    console = Console(highlight=False)
    console.print(f"{ruleset.name}, {ruleset.n_seats} players: {given.run}", soft_wrap=True)
    console.print(table(final_table(ruleset, model, games, seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
