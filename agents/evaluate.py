"""Any agents against any: a cross-play matrix with an interval for each cell, and ratings.

    python -m agents.evaluate --game murder_of_crows --players 2 --agents random heuristic search:1000 runs/...
    python -m agents.evaluate --run runs/theres_been_a_murder-...     # one run's table, as at the end of its training

In a cell the agent of the row has one seat, each of its role's by turns, and the agent of the column all others. Every
cell plays the same deals, so rows differ by play alone. The measure is the share of games that the row's seat wins (is
paid more than 0 for, under the default reward; where all are paid alike, that all win), and beside it the mean
return, and how much more the row's agent is paid than the column's would be in the same seats of the same deals. With
`random` and a `perfect_information:N` among the agents, `of_ceiling` says how far the row's mean return is on the way
from that of the first (0) to that of the second (1) among the same others.

Everything goes into one folder: matrix.csv, matrix.md, matrix.png, and evaluation.json with seed and provenance.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import io
import json
import math
import multiprocessing
import os
import pathlib
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from agents import measures, players, runs
from agents.measures import averages, mean_interval, outcome, paid_alike, play, share_interval
from agents.report import markdown_table, provenance
from murder_envs.core.checks import a_seed, an_int, fail
from murder_envs.core.rng import STREAM, episode_seed
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

CHUNK = 25
"""Deals that one process plays at a time; part c of an evaluation starts from episode c of `STREAM.evaluation`."""


# -- Playing ----------------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """Some deals of a cell, for one seat."""

    game: str
    config: str  # as JSON, so that processes can keep what they made of it
    row: str
    column: str
    seat: int
    deals: int
    seed: int


@functools.cache
def ruleset_of(game: str, config: str) -> Ruleset:
    """A configured game, made once a process."""
    return make_ruleset(game, **json.loads(config))


@functools.cache
def player_of(game: str, config: str, agent: str) -> measures.Player:
    """A player, made once a process."""
    return players.make_player(agent, ruleset_of(game, config))


def play_part(part: Part) -> tuple[np.ndarray, np.ndarray, dict[str, list[float]]]:
    """Play a part.

    Returns:
        bool[deals], whether the seat won; float64[deals, n_seats], the returns; the seat's figures of each game.
    """
    ruleset = ruleset_of(part.game, part.config)
    seated = [player_of(part.game, part.config, part.column)] * ruleset.n_seats
    seated[part.seat] = player_of(part.game, part.config, part.row)
    states, returns = play(ruleset, seated, part.deals, part.seed)
    won = returns[:, part.seat] > 0
    if paid_alike(ruleset):
        won = np.array([ruleset.figures(ruleset.rules, states[i : i + 1])["win"] for i in range(part.deals)]) > 0
    figures: dict[str, list[float]] = {}
    if ruleset.figures_of_seat is not None:
        for i in range(part.deals):
            for name, value in ruleset.figures_of_seat(ruleset.rules, states[i : i + 1], part.seat).items():
                figures.setdefault(name, []).append(value)
    return won, returns, figures


def begin_process() -> None:
    """One thread each, or the processes would take each other's cores."""
    import torch

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)


def play_all(parts: Sequence[Part], processes: int, console: Console) -> list[Any]:
    """All parts, in order, by several processes, with a progress bar."""
    if processes == 1:
        return [play_part(part) for part in track(parts, "playing", console=console)]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, context, begin_process) as pool:
        futures = [pool.submit(play_part, part) for part in parts]
        for _ in track(concurrent.futures.as_completed(futures), "playing", total=len(parts), console=console):
            pass
        return [future.result() for future in futures]


# -- The matrix -------------------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """One agent among others of one kind.

    Attributes:
        role: what the row's agent plays.
        row, column: names of the agents.
        deals, games: how many deals, each played once for each seat of the role.
        win_rate, mean_return: value, low and high end of the 95 % interval, over deals.
        gain: the same for what it is paid above the column's agent in the same seats of the same deals: the mean of
            paired differences.
        of_ceiling: mean return from that of random play (0) to that of the perfect-information search (1); NaN without
            both.
        figures: the game's figures of the row's seat.
    """

    role: str
    row: str
    column: str
    deals: int
    games: int
    win_rate: tuple[float, float, float]
    mean_return: tuple[float, float, float]
    gain: tuple[float, float, float]
    of_ceiling: float
    figures: dict[str, float]


class Evaluation(NamedTuple):
    """All cells of one configuration, and the ratings (name -> mu, sigma; empty where all are paid alike, and where not
    every agent met every other)."""

    ruleset: Ruleset
    cells: list[Cell]
    ratings: dict[str, tuple[float, float]]


def evaluate(
    ruleset: Ruleset,
    agents: Mapping[str, str],
    deals: int,
    seed: int,
    processes: int,
    console: Console,
    among: Sequence[str] | None = None,
) -> Evaluation:
    """Every agent (name -> what makes it) in every role, each of `among` (names; None: all) in the other seats.

    Raises:
        ValueError: there is no such agent, or `among` names one twice or one that is not there.
    """
    others = among_of(agents, among)
    for agent in agents.values():
        players.make_player(agent, ruleset)  # what is wrong is said here, not in another process
    config = json.dumps(dict(ruleset.config))
    sizes = [min(CHUNK, deals - first) for first in range(0, deals, CHUNK)]
    seeds = [int(episode_seed(seed, STREAM.evaluation, c)) for c in range(len(sizes))]
    keys = [(role, row, column) for role in ruleset.roles for row in agents for column in others]
    parts = [
        Part(ruleset.name, config, agents[row], agents[column], seat, size, seed_of_part)
        for role, row, column in keys
        for seat in ruleset.roles[role]
        for size, seed_of_part in zip(sizes, seeds)
    ]
    results = iter(play_all(parts, processes, console))
    cells, matches = [], []
    returns_of: dict[tuple[str, str, str], np.ndarray] = {}
    for role, row, column in keys:
        wins, paid, figures = [], [], []
        for seat in ruleset.roles[role]:
            won_of_parts, returns_of_parts, figures_of_parts = zip(*(next(results) for _ in sizes))
            returns = np.concatenate(returns_of_parts)
            wins.append(np.concatenate(won_of_parts))
            paid.append(returns[:, seat])
            figures += [dict(zip(part, values)) for part in figures_of_parts for values in zip(*part.values())]
            rest = (returns.sum(1) - returns[:, seat]) / (ruleset.n_seats - 1)
            matches += [(row, column, own, others_mean) for own, others_mean in zip(paid[-1], rest)]
        won, mean = np.stack(wins, 1).astype(np.float64), np.stack(paid, 1).mean(1)
        returns_of[role, row, column] = mean
        cells.append(
            Cell(
                role, row, column, deals, won.size, share_interval(won), mean_interval(mean), (math.nan,) * 3, math.nan,
                averages(figures),
            )
        )  # fmt: skip
    for k, cell in enumerate(cells):
        of_row, of_column = (returns_of[cell.role, name, cell.column] for name in (cell.row, cell.column))
        itself = cell.row == cell.column
        cells[k] = cell._replace(gain=(0.0, 0.0, 0.0) if itself else mean_interval(of_row - of_column, -2.0, 2.0))
    rated = {} if paid_alike(ruleset) or set(others) < set(agents) else ratings(list(agents), matches, seed)
    return Evaluation(ruleset, with_ceiling(cells, agents), rated)


def among_of(agents: Mapping[str, str], among: Sequence[str] | None) -> list[str]:
    """Who has the other seats, checked; None: all."""
    if among is None:
        return list(agents)
    for name in among:
        if name not in agents:
            fail("among", f"any of {', '.join(agents)}, not {name!r}")
    if not 0 < len(set(among)) == len(among):
        fail("among", "at least one name, each once")
    return list(among)


def with_ceiling(cells: list[Cell], agents: Mapping[str, str]) -> list[Cell]:
    """The cells with their place between random play and perfect-information search, where both are there."""
    floor = next((name for name, agent in agents.items() if agent == "random"), None)
    ceiling = next((name for name, agent in agents.items() if agent.startswith(f"{players.PERFECT}:")), None)
    if floor is None or ceiling is None:
        return cells
    at = {(cell.role, cell.row, cell.column): cell.mean_return[0] for cell in cells}
    placed = []
    for cell in cells:
        low, high = (at[cell.role, name, cell.column] for name in (floor, ceiling))
        share = (cell.mean_return[0] - low) / (high - low) if high > low else math.nan
        placed.append(cell._replace(of_ceiling=share))
    return placed


def ratings(
    names: Sequence[str], matches: list[tuple[str, str, float, float]], seed: int
) -> dict[str, tuple[float, float]]:
    """Plackett-Luce ratings (openskill): a game is a match of the row's agent with the column's.

    Who was paid more, the others by their mean, wins the match; matches of an agent with itself do not count. The
    matches come in a random order that depends on the names, and not on the order in which these are listed.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    rated = {name: model.rating(name=name) for name in names}
    matches = sorted(matches, key=lambda match: match[:2])
    for k in np.random.default_rng(seed).permutation(len(matches)):
        row, column, of_row, of_column = matches[k]
        if row != column:
            (first,), (second,) = model.rate([[rated[row]], [rated[column]]], scores=[float(of_row), float(of_column)])
            rated[row], rated[column] = first, second
    return {name: (float(rating.mu), float(rating.sigma)) for name, rating in rated.items()}


# -- Files ------------------------------------------------------------------------------------------------------------


def csv_rows(evaluation: Evaluation, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each cell, each with all that it takes to play its games again.

    Args:
        evaluation: the cells.
        about: its seed, and its provenance.
    """
    rows = []
    for cell in evaluation.cells:
        row: dict[str, Any] = {"game": evaluation.ruleset.name, "players": evaluation.ruleset.n_seats}
        row |= {"role": cell.role, "row": cell.row, "column": cell.column, "deals": cell.deals, "games": cell.games}
        for name, interval in (("win_rate", cell.win_rate), ("mean_return", cell.mean_return), ("gain", cell.gain)):
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), (round(x, 6) for x in interval)))
        row["of_ceiling"] = cell.of_ceiling
        row |= cell.figures
        row |= {"seed": about["seed"], "commit": about["commit"], "command": about["command"]}
        row["versions"] = " ".join(f"{name}={version}" for name, version in about["packages"].items())
        rows.append(row)
    return rows


def markdown(evaluation: Evaluation, about: Mapping[str, Any]) -> str:
    """The matrices, one for each role, the ratings and the games' own figures."""
    ruleset = evaluation.ruleset
    parts = [f"# {ruleset.title or ruleset.name}, {ruleset.n_seats} players\n"]
    for role in ruleset.roles:
        cells = [cell for cell in evaluation.cells if cell.role == role]
        parts.append(f"## Win rate of the row's agent as {role}, the column's in all other seats\n")
        parts += [markdown_table(matrix_rows(cells)), markdown_table([figures_row(cell) for cell in cells])]
    if evaluation.ratings:
        rated = sorted(evaluation.ratings.items(), key=lambda entry: -entry[1][0])
        rows = [{"agent": name, "mu": f"{mu:.2f}", "sigma": f"{sigma:.2f}"} for name, (mu, sigma) in rated]
        parts += ["## Ratings (Plackett-Luce, openskill)\n", markdown_table(rows)]
    parts.append(
        f"{evaluation.cells[0].deals:,} deals, each played once for each seat of a role; 95 % intervals over deals. "
        "Gain: return above that of the agent among whom it plays, in the same seats of the same deals. "
        f"Seed {about['seed']}, murder_envs {about['packages'].get('murder_envs', '')}, commit {about['commit']}.\n"
    )
    parts.append(f"    {about['command']}\n")
    return "\n".join(parts)


def matrix_rows(cells: Sequence[Cell]) -> list[dict[str, str]]:
    """A role's win rates: a row for each agent, a column for each among whom it plays."""
    rows: dict[str, dict[str, str]] = {}
    for cell in cells:
        value, low, high = cell.win_rate
        rows.setdefault(cell.row, {"": cell.row})[cell.column] = f"{value:.3f} ({low:.3f} to {high:.3f})"
    return list(rows.values())


def figures_row(cell: Cell) -> dict[str, str]:
    """What else is known of a cell."""
    gain, low, high = cell.gain
    row = {"agent": cell.row, "among": cell.column, "mean return": f"{cell.mean_return[0]:.3f}"}
    row["gain"] = f"{gain:+.3f} ({low:+.3f} to {high:+.3f})" if cell.row != cell.column else ""
    for name, value in {"of ceiling": cell.of_ceiling, **cell.figures}.items():
        row[name.replace("_", " ")] = "" if math.isnan(value) else f"{value:.3f}"
    return row


def heat_map(evaluation: Evaluation, about: Mapping[str, Any]) -> bytes:
    """The matrices as a picture, PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    roles = evaluation.ruleset.roles
    names, others = (
        list(dict.fromkeys(names)) for names in zip(*((cell.row, cell.column) for cell in evaluation.cells))
    )
    width, height = (max(3.2, 1.15 * len(them) + 1.6) for them in (others, names))
    figure, panels = pyplot.subplots(
        1, len(roles), figsize=(width * len(roles) + 0.8, height), dpi=150, layout="constrained", squeeze=False
    )
    for axes, role in zip(panels.flat, roles):
        cells = {(cell.row, cell.column): cell.win_rate for cell in evaluation.cells if cell.role == role}
        shares = np.array([[cells[row, column][0] for column in others] for row in names])
        image = axes.imshow(shares, cmap="viridis", vmin=0, vmax=1)
        for i, row in enumerate(names):
            for j, column in enumerate(others):
                value, low, high = cells[row, column]
                text = f"{value:.2f}\n±{(high - low) / 2:.2f}"
                axes.text(j, i, text, ha="center", va="center", color="black" if value > 0.6 else "white", fontsize=8)
        axes.set_xticks(range(len(others)), others, rotation=30, ha="right", fontsize=8)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_xlabel("in all other seats")
        axes.set_title(
            f"win rate as {role}" if len(roles) > 1 else "win rate in one seat", loc="left", fontsize="medium"
        )
    figure.colorbar(image, ax=panels.ravel().tolist(), shrink=0.8)
    game = evaluation.ruleset.title or evaluation.ruleset.name
    figure.suptitle(
        f"{game}, {evaluation.ruleset.n_seats} players\n{evaluation.cells[0].deals:,} deals, seed {about['seed']}",
        x=0.01,
        ha="left",
        fontsize="medium",
    )
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Description": about["command"]})
    pyplot.close(figure)
    return file.getvalue()


def save(out: pathlib.Path, evaluation: Evaluation, about: Mapping[str, Any]) -> None:
    """Write all files of one configuration."""
    out.mkdir(parents=True, exist_ok=True)
    runs.write(out / "matrix.csv", runs.csv_text(csv_rows(evaluation, about)))
    runs.write(out / "matrix.md", markdown(evaluation, about))
    runs.write(out / "matrix.png", heat_map(evaluation, about))
    runs.write_json(
        out / "evaluation.json", {**about, "config": dict(evaluation.ruleset.config), "ratings": evaluation.ratings}
    )


# -- Command line -----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.evaluate",
        usage="%(prog)s (--run RUN | --game GAME --agents AGENT AGENT ...) [options]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=players.HELP,
    )
    parser.add_argument("--run", type=pathlib.Path, help="run folder, or a model or checkpoint in it: print its table")
    parser.add_argument("--games", type=int, default=10_000, help="for --run (default: %(default)s)")
    parser.add_argument("--game", help=f"one of {', '.join(GAMES)}")
    parser.add_argument("--config", help="one of its named configurations (default: default)")
    parser.add_argument("--players", type=int, nargs="+", help="its num_players; several: one after the other")
    parser.add_argument("--agents", nargs="+", metavar="AGENT", help="see below")
    parser.add_argument("--among", nargs="+", metavar="NAME", help="which of them have the other seats (default: all)")
    parser.add_argument("--deals", type=int, default=200, help="for each seat of a cell (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=measures.TEST_SEED, help="of the deals (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: all cores")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("evaluations"), help="default: %(default)s")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate; returns the exit status: 0 done, 2 bad input."""
    command_line = parser()
    options: Any = command_line.parse_args(argv)
    console = Console(markup=False, highlight=False, emoji=False)  # no markup: a path may have a [ in it
    begin_process()
    try:
        seed = a_seed("seed", options.seed)
        if options.run is not None:
            for name in ("game", "config", "players", "agents"):
                if getattr(options, name) is not None:
                    fail(name, f"{options.run} has its own; leave --{name} out, or --run")
            games = an_int("games", options.games, 1, 10_000_000)
            ruleset, trained = runs.load_models(options.run)
        else:
            if options.game not in GAMES:
                fail("game", f"one of {', '.join(GAMES)}, not {options.game!r}")
            name_of_config = options.config or "default"
            if name_of_config not in configs(options.game):
                fail("config", f"one of {', '.join(configs(options.game))}, not {name_of_config!r}")
            if not options.agents:
                fail("agents", "at least one; --help says what there is")
            deals = an_int("deals", options.deals, 1, 10_000_000)
            processes = an_int("processes", options.processes, 1, 1024)
            agents = dict(map(players.named, options.agents))
            if len(agents) < len(options.agents):
                fail("agents", "each name once; NAME=AGENT gives another name")
            among_of(agents, options.among)
            config = configs(options.game)[name_of_config]
            rulesets = [
                outcome(make_ruleset(options.game, **config, **({} if n is None else {"num_players": n})))
                for n in options.players or [None]
            ]
            for ruleset in rulesets:
                for agent in agents.values():
                    players.make_player(agent, ruleset)
    except ValueError as error:
        command_line.error(str(error))
    if options.run is not None:
        console.print(f"{ruleset.name}, {ruleset.n_seats} players: {options.run}", soft_wrap=True)
        console.print(*measures.tables(measures.final_table(outcome(ruleset), trained, games, seed)), sep="\n")
        return 0
    command = "python -m agents.evaluate " + shlex.join(sys.argv[1:] if argv is None else argv)
    about = {**provenance(command), "seed": seed, "deals": deals, "agents": agents}
    folder = options.out / f"{options.game}-{time.strftime('%Y%m%d-%H%M%S')}"
    for ruleset in rulesets:
        out = folder / f"{ruleset.n_seats}-players" if len(rulesets) > 1 else folder
        evaluation = evaluate(ruleset, agents, deals, seed, processes, console, options.among)
        save(out, evaluation, about)
        console.print(markdown(evaluation, about))
        console.print(f"matrix.csv, matrix.md, matrix.png, evaluation.json: {out}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
