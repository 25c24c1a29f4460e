"""How much stronger search plays than the scripted player, by budget: `python -m benchmarks.search_strength`.

On each deal one seat searches and all others play by the heuristic; then the heuristic plays that seat too, on the same
deal and with the same random numbers of its own. What is shown is the difference of that seat's return, averaged over
deals, with a 95 % interval. Seats whose agents have names of their own (roles) are measured one by one, numbered ones
(`player_0`, `player_1`, ...) take turns, a deal each. Writes a table (CSV) with all that is needed to run it again, and
a plot of it (PNG).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import datetime
import math
import os
import pathlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.measure import cpu_model, git_commit
from benchmarks.throughput import versions
from murder_envs import GAMES, __version__
from murder_envs.core.bits import PAD
from murder_envs.core.jit import bind, records
from murder_envs.core.rng import episode_seed
from murder_envs.core.snapshots import an_int
from murder_envs.drivers.rollout import POLICIES
from murder_envs.drivers.search import METHODS, Search
from murder_envs.registry import configs, make_ruleset
from murder_envs.ruleset import Ruleset

ROOT = pathlib.Path(__file__).resolve().parents[1]
Z = 1.959964
"""95 % of a normal distribution lie within so many standard deviations."""

DEAL_STREAM, HEURISTIC_STREAM, SEARCH_SEED = 0, 1_000_000, 2_000_000
"""In place of a game's number in `episode_seed`: deals, the scripted players of the seats, searches."""

FIELDS = (
    "game", "config", "role", "method", "playout", "exploration", "doubt", "cheating", "simulations", "deals",
    "heuristic", "search", "difference", "low", "high", "seed", "date", "versions", "processor", "command",
)  # fmt: skip


class Player:
    """Plays whole games with a search in one seat and the heuristic in the others."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._driver = bind(ruleset, "single")
        self._states = records(ruleset.STATE, 1)
        self._shown = (
            np.zeros(ruleset.actions.n_words, np.uint64),
            np.zeros(ruleset.actions.n + PAD, np.int8),
            np.zeros(ruleset.observation.size + PAD, np.int8),
        )

    def play(self, seed: int, deal: int, searcher: int, search: Search | None) -> float:
        """The return of seat `searcher`, who plays by `search`, or like all others where that is None."""
        ruleset, driver, states, (words, mask, row) = self._ruleset, self._driver, self._states, self._shown
        streams = [
            np.array([episode_seed(seed, HEURISTIC_STREAM + seat, deal)], np.uint64) for seat in range(ruleset.n_seats)
        ]
        seat = driver.start(states, ruleset.rules, episode_seed(seed, DEAL_STREAM, deal), words, mask, row)
        taken = 0
        while seat >= 0:
            if search is not None and seat == searcher and mask[:-PAD].sum() > 1:
                found = search.run(states, int(episode_seed(seed, SEARCH_SEED + deal, taken)))
                action = found.action
            else:
                action = driver.choose_by_heuristic(row, words, ruleset.rules, streams[seat])
            seat = driver.advance(states, ruleset.rules, action, words, mask, row)
            taken += 1
        out = np.zeros(ruleset.n_seats)
        driver.outcome(states, ruleset.rules, out)
        return float(out[searcher])


def play_deals(
    game: str, config: str, settings: dict[str, Any], seed: int, seats: Sequence[int], deals: Sequence[int]
) -> list[tuple[float, float]]:
    """(the heuristic's return, the search's) on each deal, in one process."""
    ruleset = make_ruleset(game, **configs(game)[config])
    player, search = Player(ruleset), Search(ruleset, **settings)
    results = []
    for deal in deals:
        seat = seats[deal % len(seats)]
        results.append((player.play(seed, deal, seat, None), player.play(seed, deal, seat, search)))
    return results


def summary(results: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Means, their difference and its 95 % interval, of pairs on equal deals."""
    pairs = np.array(results)
    differences = pairs[:, 1] - pairs[:, 0]
    middle = float(differences.mean())
    spread = Z * float(differences.std(ddof=1)) / math.sqrt(len(differences)) if len(differences) > 1 else math.inf
    return {
        "heuristic": float(pairs[:, 0].mean()),
        "search": float(pairs[:, 1].mean()),
        "difference": middle,
        "low": middle - spread,
        "high": middle + spread,
    }


def measured(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each game, role and budget, as soon as it is known."""
    fixed = {
        "method": given.method,
        "playout": given.playout,
        "exploration": given.exploration,
        "doubt": given.doubt,
        "cheating": given.cheating,
    }
    about = {
        "seed": given.seed,
        "date": datetime.datetime.now().astimezone().isoformat(" ", "seconds"),
        "versions": ", ".join([f"murder_envs {__version__} ({git_commit(str(ROOT))})", *versions()]),
        "processor": cpu_model(),
        "command": f"python -m benchmarks.search_strength {shlex.join(given.arguments)}".rstrip(),
    }
    with concurrent.futures.ProcessPoolExecutor(given.processes) as pool:
        for game in given.games:
            for role, seats in make_ruleset(game, **configs(game)[given.config]).roles.items():
                for simulations in given.budgets:
                    settings = {**fixed, "simulations": simulations}
                    shares = [range(k, given.deals, 4 * given.processes) for k in range(4 * given.processes)]
                    parts = [
                        pool.submit(play_deals, game, given.config, settings, given.seed, seats, share)
                        for share in shares
                        if share
                    ]
                    results = [pair for part in parts for pair in part.result()]
                    yield {
                        "game": game, "config": given.config, "role": role, "simulations": simulations,
                        "deals": given.deals, **fixed, **summary(results), **about,
                    }  # fmt: skip


def plot(rows: Sequence[dict[str, Any]], path: pathlib.Path) -> None:
    """Difference against budget, a line for each game and role."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name in dict.fromkeys((row["game"], row["role"]) for row in rows):
        its = [row for row in rows if (row["game"], row["role"]) == name]
        x = [row["simulations"] for row in its]
        y = np.array([row["difference"] for row in its])
        bars = [y - [row["low"] for row in its], np.array([row["high"] for row in its]) - y]
        axes.errorbar(x, y, bars, marker="o", capsize=3, label=f"{name[0].replace('_', ' ')}, {name[1]}")
    axes.axhline(0, color="grey", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("simulations for each decision")
    axes.set_ylabel("return above the heuristic's, same seat and deals")
    axes.set_title(f"{rows[0]['method']}, {rows[0]['playout']} playouts, {rows[0]['deals']} deals, 95 % intervals")
    axes.legend()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure how much stronger search plays than the heuristic, on the same deals."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_strength", description=main.__doc__)
    parser.add_argument("--game", metavar="NAME", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--config", metavar="NAME", default="default", help="a named configuration (default: default)")
    parser.add_argument("--budgets", metavar="N,...", default="10,100,1000", help="simulations (default: 10,100,1000)")
    parser.add_argument("--deals", metavar="N", type=int, default=200, help="for each budget and role (default: 200)")
    parser.add_argument("--method", choices=METHODS, default="mo")
    parser.add_argument("--playout", choices=POLICIES, default="heuristic")
    parser.add_argument("--exploration", metavar="C", type=float, default=0.7)
    parser.add_argument("--doubt", metavar="Z", type=float, default=2.0, help="standard errors (default: 2)")
    parser.add_argument("--cheating", action="store_true", help="search in the true state: the ceiling")
    parser.add_argument("--processes", metavar="N", type=int, default=2, help="default: 2")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of deals and players (default: 0)")
    parser.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("runs/search_strength"))
    given = parser.parse_args(arguments)
    given.arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        check(given)
    except ValueError as error:
        parser.error(str(error))
    given.out.mkdir(parents=True, exist_ok=True)
    rows = []
    with open(given.out / "strength.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        for row in measured(given):
            table.writerow({key: f"{x:.4f}" if isinstance(x, float) else x for key, x in row.items()})
            file.flush()
            rows.append(row)
            print(
                f"{row['game']} {row['config']}, {row['role']}, {row['simulations']:,} simulations, {row['deals']} "
                f"deals: heuristic {row['heuristic']:.3f}, search {row['search']:.3f}, "
                f"difference {row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})",
                flush=True,
            )
    plot(rows, given.out / "strength.png")
    print(f"{given.out / 'strength.csv'}, {given.out / 'strength.png'}")
    return 0


def check(given: argparse.Namespace) -> None:
    """ValueError names an option that is out of range."""
    if given.game is not None and given.game not in GAMES:
        raise ValueError(f"--game: one of {', '.join(GAMES)}, not {given.game!r}")
    given.games = [given.game] if given.game else list(GAMES)
    for game in given.games:
        if given.config not in configs(game):
            raise ValueError(f"--config: of {game} one of {', '.join(configs(game))}, not {given.config!r}")
    try:
        given.budgets = [an_int("--budgets", int(n), 1, 10_000_000) for n in given.budgets.split(",")]
    except ValueError as error:
        raise ValueError(f"--budgets: ints from 1 on, with commas between ({error})") from None
    an_int("--deals", given.deals, 1, 1_000_000)
    an_int("--processes", given.processes, 1, 4 * (os.cpu_count() or 1))
    an_int("--seed", given.seed, 0, 2**63 - 1)


if __name__ == "__main__":
    sys.exit(main())
