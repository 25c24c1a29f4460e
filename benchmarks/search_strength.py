"""How much stronger search plays than the scripted player, by budget: `python -m benchmarks.search_strength`.

One seat searches, all others play by the heuristic. The gain is the mean return of the searching seat minus that of a
heuristic player in the same seats of the same deals (see `agents.evaluate`), with a 95 % interval, for each role. For
comparison, a ceiling: search with perfect information, which sees all hidden cards.

Writes a table (CSV, with everything needed to measure again, and Markdown) and a plot (PNG). Rows of other games stay
in the table, so games can be measured one by one.
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
from agents.report import markdown_table, provenance
from murder_envs.core.checks import a_seed, an_int, fail
from murder_envs.drivers.policies import COMPILED_POLICIES
from murder_envs.drivers.search import METHODS
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

OTHER_SEATS = "heuristic"
"""Who plays all seats but the searching one."""


def rulesets(options: argparse.Namespace) -> list[Ruleset]:
    """The games to be measured; ValueError names an option that is out of range."""
    if options.game is not None and options.game not in GAMES:
        fail("game", f"one of {', '.join(GAMES)}, not {options.game!r}")
    if options.players is not None and options.game is None:
        fail("players", "only with --game, which names the game that they play")
    games = []
    for game in [options.game] if options.game else GAMES:
        if options.config not in configs(game):
            fail("config", f"of {game} one of {', '.join(configs(game))}, not {options.config!r}")
        players = {} if options.players is None else {"num_players": options.players}
        games.append(outcome(make_ruleset(game, **configs(game)[options.config], **players)))
    return games


def numbers(field: str, text: str) -> list[int]:
    """Ints from 1 on, with commas between."""
    try:
        return [an_int(field, int(n), 1, 10_000_000) for n in text.split(",")]
    except ValueError:
        fail(field, f"ints from 1 on with commas between, not {text!r}")


def measure(ruleset: Ruleset, options: argparse.Namespace, console: Console) -> Iterator[dict[str, Any]]:
    """A row for each role and budget, as soon as it is known; first the ceiling."""
    origin = {**provenance(options.command_line), "seed": options.seed}
    searches = [("search", *pair) for pair in zip(options.budgets, options.deals)]
    if options.ceiling:
        searches.insert(0, (PERFECT, options.ceiling, options.deals[-1]))
    for kind, simulations, deals in searches:
        agent = f"{kind}:{simulations}:{options.method}:{options.playout}"
        agents = {OTHER_SEATS: OTHER_SEATS, agent: agent}
        evaluation = evaluate(ruleset, agents, deals, options.seed, options.processes, console, [OTHER_SEATS])
        for row in csv_rows(evaluation, origin):
            if row["row"] == agent:
                more = {"config": options.config, "simulations": simulations, "processor": origin["processor"]}
                yield {**row, **more}


def read_rows(path: pathlib.Path) -> list[dict[str, Any]]:
    """The rows of a table, if there is one."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def group_of(row: dict[str, Any]) -> tuple[str, str, str]:
    """The game, configuration and number of players of a row: rows of one group are measured together."""
    return row["game"], row["config"], str(row["players"])


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table for people, with the commands that made it."""
    table = []
    for row in rows:
        gain, low, high, won = (float(row[name]) for name in ("gain", "gain_low", "gain_high", "win_rate"))
        names = {"game": "game", "config": "configuration", "players": "players", "role": "role", "row": "agent"}
        cells = {heading: row[name] for name, heading in names.items()}
        cells |= {"deals": row["deals"], "games": row["games"], "win rate": f"{won:.3f}"}
        table.append({**cells, "gain": f"{gain:+.3f} ({low:+.3f} to {high:+.3f})"})
    lines = [
        "# How strong search is",
        "",
        "Written by `benchmarks/search_strength.py`; its first lines say what is measured. Gain: the agent's mean",
        "return minus that of the heuristic in the same seats of the same deals, all others heuristic; 95 % intervals",
        "over deals. Returns are -1 to 1.",
        "",
        "![gain by simulations](strength.png)",
        "",
        markdown_table(table),
    ]
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
    panels = sorted({(*group_of(row), row["role"]) for row in rows}, key=order_of)
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    size = (4.2 * across, 3.4 * down + 0.4)
    figure, grid = pyplot.subplots(down, across, figsize=size, dpi=150, layout="constrained", squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.axis("off")
    for axes, panel in zip(grid.flat, panels):
        of_panel = [row for row in rows if (*group_of(row), row["role"]) == panel]
        search = [row for row in of_panel if row["row"].startswith("search")]
        x, y = [row["simulations"] for row in search], np.array([row["gain"] for row in search])
        bars = [y - [row["gain_low"] for row in search], np.array([row["gain_high"] for row in search]) - y]
        axes.axhline(0, color="#c2571a", linewidth=1.3, linestyle=(0, (5, 3)))
        axes.errorbar(x, y, bars, marker="o", markersize=4, capsize=3, color="#1f5fa8")
        for row in of_panel:
            if row["row"].startswith(PERFECT):
                axes.axhline(row["gain"], color="#7a7a7a", linewidth=1.3, linestyle=(0, (1, 2)))
                axes.text(
                    x[0], row["gain"], "perfect information", color="#7a7a7a", va="bottom", fontsize="small"
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


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The checked options, with budgets and deals as lists of equal length and the command line that was typed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search_strength",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--game", metavar="NAME", help=f"one of {', '.join(GAMES)} (default: all)")
    add("--config", metavar="NAME", default="default", help="a named configuration (default: default)")
    add("--players", metavar="N", type=int, help="the game's num_players")
    add("--budgets", metavar="N,...", default="10,100,1000", help="simulations (default: %(default)s)")
    add("--deals", metavar="N,...", default="100", help="for all budgets or each (default: %(default)s)")
    add("--ceiling", metavar="N", type=int, default=0,
        help="simulations with perfect information, on the last budget's deals (default: none)")  # fmt: skip
    add("--method", choices=METHODS, default="mo", help="MO-ISMCTS, SO-ISMCTS or flat (default: %(default)s)")
    add("--playout", choices=COMPILED_POLICIES, default="heuristic", help="who plays them out (default: %(default)s)")
    add("--processes", metavar="N", type=int, default=os.cpu_count() or 1, help="default: all cores")
    add("--seed", metavar="N", type=int, default=0, help="of deals and players (default: %(default)s)")
    add("--out", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("evaluations/search_strength"),
        help="default: %(default)s")  # fmt: skip
    options = parser.parse_args(arguments)
    typed = sys.argv[1:] if arguments is None else arguments
    options.command_line = f"python -m benchmarks.search_strength {shlex.join(typed)}".rstrip()
    try:
        options.games = rulesets(options)
        options.budgets, options.deals = numbers("budgets", options.budgets), numbers("deals", options.deals)
        if len(options.deals) not in (1, len(options.budgets)):
            fail("deals", f"one number, or one for each of the {len(options.budgets)} budgets")
        options.deals *= len(options.budgets) // len(options.deals)
        an_int("ceiling", options.ceiling, 0, 10_000_000)
        an_int("processes", options.processes, 1, 1024)
        a_seed("seed", options.seed)
    except ValueError as error:
        parser.error(str(error))
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status: 0 done, 2 bad input."""
    options = parse(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, emoji=False)
    table = options.out / "strength.csv"
    rows = read_rows(table)
    for ruleset in options.games:
        new: list[dict[str, Any]] = []
        for row in measure(ruleset, options, console):
            new.append(row)
            gain, low, high = (row[name] for name in ("gain", "gain_low", "gain_high"))
            console.print(
                f"{row['game']}, {row['players']} players, {row['role']}: {row['row']} {gain:+.3f} "
                f"({low:+.3f} to {high:+.3f}), {row['games']} games on {row['deals']} deals",
                soft_wrap=True,
            )
        rows = [row for row in rows if group_of(row) != group_of(new[0])] + new
        runs.write(table, runs.csv_text(rows))
        runs.write(options.out / "strength.md", markdown(rows))
        plot(rows, options.out / "strength.png")
    console.print(f"strength.csv, strength.md, strength.png: {options.out}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
