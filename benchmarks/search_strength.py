"""How much stronger search plays than the scripted player, by budget: `python -m benchmarks.search_strength`.

One seat searches and all others play by the heuristic; what is shown is how much more that seat is paid than a
heuristic player in the same seats of the same deals (`gain` of `agents.evaluate`), with a 95 % interval, for each role
by itself. Beside it stands the ceiling, a search that knows everything. Writes a table (CSV, with all that is needed to
run it again, and Markdown) and a plot (PNG). Other games' rows stay in the table: games can be measured one by one.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import pathlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from agents import runs
from agents.evaluate import csv_rows, evaluate
from agents.measures import outcome
from agents.players import PERFECT
from agents.report import provenance
from benchmarks.measure import cpu_model
from murder_envs.core.checks import an_int, fail
from murder_envs.drivers.policies import COMPILED_POLICIES
from murder_envs.drivers.search import METHODS
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

AMONG = "heuristic"


def rulesets(given: argparse.Namespace) -> list[Ruleset]:
    """The games to be measured; ValueError names an option that is out of range."""
    if given.game is not None and given.game not in GAMES:
        fail("game", f"one of {', '.join(GAMES)}, not {given.game!r}")
    if given.players is not None and given.game is None:
        fail("players", "a game of its own; name it with --game")
    found = []
    for game in [given.game] if given.game else GAMES:
        if given.config not in configs(game):
            fail("config", f"of {game} one of {', '.join(configs(game))}, not {given.config!r}")
        players = {} if given.players is None else {"num_players": given.players}
        found.append(outcome(make_ruleset(game, **configs(game)[given.config], **players)))
    return found


def numbers(field: str, text: str) -> list[int]:
    """Ints from 1 on, with commas between."""
    try:
        return [an_int(field, int(n), 1, 10_000_000) for n in text.split(",")]
    except ValueError:
        fail(field, f"ints from 1 on with commas between, not {text!r}")


def measured(ruleset: Ruleset, given: argparse.Namespace, console: Console) -> Iterator[dict[str, Any]]:
    """A row for each role and budget, as soon as it is known; first the ceiling."""
    about = {**provenance(given.command_line), "seed": given.seed}
    asked = [("search", *it) for it in zip(given.budgets, given.deals)]
    if given.ceiling:
        asked.insert(0, (PERFECT, given.ceiling, given.deals[-1]))
    for kind, simulations, deals in asked:
        agent = f"{kind}:{simulations}:{given.method}:{given.playout}"
        agents = {AMONG: AMONG, agent: agent}
        found = evaluate(ruleset, agents, deals, given.seed, given.processes, console, [AMONG])
        for row in csv_rows(found, about):
            if row["row"] == agent:
                yield {**row, "config": given.config, "simulations": simulations, "processor": cpu_model()}


def rows_of(path: pathlib.Path) -> list[dict[str, Any]]:
    """The rows of a table, if there is one."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def what(row: dict[str, Any]) -> tuple[str, str, str]:
    """What a row is about: game, configuration, players."""
    return row["game"], row["config"], str(row["players"])


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table for people, with the commands that made it."""
    lines = [
        "# How strong search is",
        "",
        "Written by `benchmarks/search_strength.py`, whose head says what is measured. Gain: return above the",
        "heuristic's in the same seats of the same deals, all others heuristic; 95 % intervals over deals. Returns are",
        "-1 to 1.",
        "",
        "![gain by simulations](strength.png)",
        "",
        "| game | configuration | players | role | agent | deals | games | win rate | gain |",
        "|---|---|---:|---|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        gain, low, high, won = (float(row[name]) for name in ("gain", "gain_low", "gain_high", "win_rate"))
        about = " | ".join(str(row[name]) for name in ("game", "config", "players", "role", "row", "deals", "games"))
        lines.append(f"| {about} | {won:.3f} | {gain:+.3f} ({low:+.3f} to {high:+.3f}) |")
    lines.append("")
    for command in dict.fromkeys(row["command"] for row in rows):
        (row, *_) = (row for row in rows if row["command"] == command)
        lines += [f"    {command}", f"    # {row['processor']}; commit {row['commit']}; {row['versions']}", ""]
    return "\n".join(lines)


def plot(rows: Sequence[dict[str, Any]], path: pathlib.Path) -> None:
    """Gain against budget, a panel for each game and role; the ceiling as a line."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    numbers = ("simulations", "gain", "gain_low", "gain_high")
    rows = [{**row, **{name: float(row[name]) for name in numbers}} for row in rows]
    panels = sorted({(*what(row), row["role"]) for row in rows}, key=order_of)
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    size = (4.2 * across, 3.4 * down + 0.4)
    figure, table = pyplot.subplots(down, across, figsize=size, dpi=150, layout="constrained", squeeze=False)
    for axes in table.flat[len(panels) :]:
        axes.axis("off")
    for axes, panel in zip(table.flat, panels):
        its = [row for row in rows if (*what(row), row["role"]) == panel]
        search = [row for row in its if row["row"].startswith("search")]
        x, y = [row["simulations"] for row in search], np.array([row["gain"] for row in search])
        bars = [y - [row["gain_low"] for row in search], np.array([row["gain_high"] for row in search]) - y]
        axes.axhline(0, color="#c2571a", linewidth=1.3, linestyle=(0, (5, 3)))
        axes.errorbar(x, y, bars, marker="o", markersize=4, capsize=3, color="#1f5fa8")
        for row in its:
            if row["row"].startswith(PERFECT):
                axes.axhline(row["gain"], color="#7a7a7a", linewidth=1.3, linestyle=(0, (1, 2)))
                axes.text(
                    x[0], row["gain"], "knows everything", color="#7a7a7a", va="bottom", fontsize="small"
                )  # fmt: skip
        axes.set_xscale("log")
        axes.margins(y=0.12)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        game, config, players, role = panel
        title = [make_ruleset(game).title, *[config] * (config != "default")]
        title.append(f"{players} players" if role == "player" else role)
        axes.set_title(", ".join(title), loc="left", fontsize="medium")
    figure.supxlabel("simulations for each decision", fontsize="medium")
    figure.supylabel("return above the heuristic's", fontsize="medium")
    figure.savefig(path)
    pyplot.close(figure)


def order_of(panel: tuple[str, ...]) -> tuple[Any, ...]:
    """Games in the registry's order."""
    return list(GAMES).index(panel[0]), *panel[1:]


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    it = argparse.ArgumentParser(
        prog="python -m benchmarks.search_strength",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    it.add_argument("--game", metavar="NAME", help=f"one of {', '.join(GAMES)} (default: all)")
    it.add_argument("--config", metavar="NAME", default="default", help="a named configuration (default: default)")
    it.add_argument("--players", metavar="N", type=int, help="its num_players")
    it.add_argument("--budgets", metavar="N,...", default="10,100,1000", help="simulations (default: %(default)s)")
    it.add_argument("--deals", metavar="N,...", default="100", help="for all budgets or each (default: %(default)s)")
    it.add_argument(
        "--ceiling",
        metavar="N",
        type=int,
        default=0,
        help="simulations of a ceiling, with the last budget's deals (default: none)",
    )
    it.add_argument("--method", choices=METHODS, default="mo")
    it.add_argument("--playout", choices=COMPILED_POLICIES, default="heuristic")
    it.add_argument("--processes", metavar="N", type=int, default=os.cpu_count() or 1, help="default: all cores")
    it.add_argument("--seed", metavar="N", type=int, default=0, help="of deals and players (default: %(default)s)")
    it.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("evaluations/search_strength"))
    return it


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status: 0 done, 2 bad input."""
    asked = parser()
    given = asked.parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    given.command_line = f"python -m benchmarks.search_strength {shlex.join(words)}".rstrip()
    try:
        games = rulesets(given)
        given.budgets, given.deals = numbers("budgets", given.budgets), numbers("deals", given.deals)
        if len(given.deals) not in (1, len(given.budgets)):
            fail("deals", f"one number, or one for each of the {len(given.budgets)} budgets")
        given.deals *= len(given.budgets) // len(given.deals)
        an_int("ceiling", given.ceiling, 0, 10_000_000)
        an_int("processes", given.processes, 1, 1024)
        an_int("seed", given.seed, 0, 2**63 - 1)
    except ValueError as error:
        asked.error(str(error))
    given.out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, emoji=False)
    table = given.out / "strength.csv"
    rows = rows_of(table)
    for ruleset in games:
        new: list[dict[str, Any]] = []
        for row in measured(ruleset, given, console):
            new.append(row)
            gain, low, high = (row[name] for name in ("gain", "gain_low", "gain_high"))
            console.print(
                f"{row['game']}, {row['players']} players, {row['role']}: {row['row']} {gain:+.3f} "
                f"({low:+.3f} to {high:+.3f}), {row['games']} games on {row['deals']} deals",
                soft_wrap=True,
            )
        rows = [row for row in rows if what(row) != what(new[0])] + new
        runs.write(table, runs.csv_text(rows))
        runs.write(given.out / "strength.md", markdown(rows))
        plot(rows, given.out / "strength.png")
    console.print(f"strength.csv, strength.md, strength.png: {given.out}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
