"""Any agents against any: a cross-play matrix with an interval for each cell, and ratings.

    python -m agents.evaluate --game murder_of_crows --players 2 --agents random heuristic search:1000 runs/...
    python -m agents.evaluate --run runs/theres_been_a_murder-...     # one run's table, as at the end of its training

In a cell the agent of the row has one seat, each of its role's by turns, and the agent of the column all others. Every
cell plays the same deals, so rows differ by play alone. The measure is the share of games that the row's seat wins (is
paid more than 0 for, under the default reward; where all are paid alike, that all win), and beside it the mean
return, and how much more the row's agent is paid than the column's would be in the same seats of the same deals. With
`random` and a `perfect_information:N` among the agents, `of_ceiling` says how far the row's mean return is on the way
from that of the first (0) to that of the second (1) among the same others.

Everything goes into one folder: matrix.csv, matrix.md, matrix.png, and evaluation.json with seed and provenance. Each
game's result is written into games.jsonl there as soon as it is known, and `--resume FOLDER` goes on from these.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import math
import os
import pathlib
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from agents import measures, players, runs, workers
from agents.measures import averages, mean_interval, outcome, paid_alike, play, share_interval
from agents.report import markdown_table, provenance
from murder_envs.core.checks import a_list, a_seed, a_text, an_int, fail
from murder_envs.core.rng import STREAM, episode_seed
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

PLAN, GAMES_PLAYED = "plan.json", "games.jsonl"
"""In the folder of an evaluation: what it was begun with, and each part's results, a line each as they come."""

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
                figures.setdefault(name, []).append(float(value))
    return won, returns, figures


def begin_process() -> None:
    """One thread each, or the processes would take each other's cores."""
    import torch

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)


def play_all(parts: Sequence[Part], processes: int, console: Console, kept: pathlib.Path | None) -> list[Any]:
    """The results of all parts, in order, by several processes, with a progress bar.

    Args:
        parts: what to play.
        processes: how many share the work.
        console: where the bar is shown.
        kept: file to which each result is added as soon as it is there; parts that it has already are not played again.
            None: nothing is kept.
    """
    done = {} if kept is None else read_kept(kept)
    waiting = [part for part in dict.fromkeys(parts) if part not in done]
    with contextlib.ExitStack() as until_done:
        file = None if kept is None else until_done.enter_context(open(kept, "a", encoding="utf-8"))
        played = workers.results(play_part, waiting, processes, begin_process)
        until_done.enter_context(contextlib.closing(played))
        for part, result in track(played, "playing", total=len(waiting), console=console):
            done[part] = result
            if file is not None:
                file.write(kept_line(part, result))
                file.flush()
    return [done[part] for part in parts]


def kept_line(part: Part, result: tuple[np.ndarray, np.ndarray, dict[str, list[float]]]) -> str:
    """A part's result as a line of JSON."""
    won, returns, figures = result
    content = {"part": part, "won": won.astype(int).tolist(), "returns": returns.tolist(), "figures": figures}
    return json.dumps(content) + "\n"


def read_kept(path: pathlib.Path) -> dict[Part, Any]:
    """The results in a file of `kept_line`s. A last line that was cut off is taken away."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        runs.write(path, whole)
    done = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            row = json.loads(line)
            part, won, returns = Part(*row["part"]), np.array(row["won"]) > 0, np.array(row["returns"], np.float64)
            if won.shape != (part.deals,) or returns.ndim != 2 or len(returns) != part.deals:
                raise ValueError
            done[part] = won, returns, dict(row["figures"])
        except (ValueError, KeyError, TypeError, RecursionError):
            fail("resume", f"line {number} of {path} is damaged; remove it, and its games are played again")
    return done


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
    kept: pathlib.Path | None = None,
) -> Evaluation:
    """Every agent (name -> what makes it) in every role, each of `among` (names; None: all) in the other seats.

    Results are kept in the file `kept`, and gone on from if it is there already.

    Raises:
        ValueError: there is no such agent, or `among` names one twice or one that is not there.
        WorkersDied: processes that play die again and again.
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
    results = iter(play_all(parts, processes, console, kept))
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
    parser.add_argument("--processes", type=int, help="default: all cores")
    parser.add_argument("--resume", metavar="FOLDER", type=pathlib.Path, help="go on with this folder of an evaluation")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("evaluations"), help="default: %(default)s")
    return parser


class Plan(NamedTuple):
    """A checked matrix that is ready to be played.

    Attributes:
        game: its name.
        rulesets: its configurations, one for each number of players.
        agents: name -> what makes it.
        among: who has the other seats; None: all.
        deals, seed: how many, and from what.
        models: name -> digest of the weights, of the trained agents.
    """

    game: str
    rulesets: list[Ruleset]
    agents: dict[str, str]
    among: list[str] | None
    deals: int
    seed: int
    models: dict[str, str]


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate; returns the exit status: 0 done, 1 workers died or the disk is full, 2 bad input, 130 stopped."""
    command_line = parser()
    typed = sys.argv[1:] if argv is None else list(argv)
    options: Any = command_line.parse_args(typed)
    console = Console(markup=False, highlight=False, emoji=False)  # no markup: a path may have a [ in it
    begin_process()
    folder = None
    with contextlib.ExitStack() as until_done:
        try:
            if options.run is not None:
                return print_table(options, console)
            processes = an_int("processes", options.processes or os.cpu_count() or 1, 1, 1024)
            if options.resume is None:
                plan = planned(options)
                folder = runs.new_folder(options.out, f"{plan.game}-{time.strftime('%Y%m%d-%H%M%S')}")
                runs.write_json(folder / PLAN, facts_of(plan, typed))
            else:
                folder, typed = options.resume, read_plan(options.resume)
                plan = planned(command_line.parse_args(typed))
                check_plan(folder, plan, typed)
            until_done.enter_context(runs.locked(folder))
            return play_plan(plan, folder, typed, processes, console)
        except ValueError as error:
            command_line.error(str(error))
        except (OSError, workers.WorkersDied) as error:
            print(f"{command_line.prog}: error: {error}", file=sys.stderr)
            status = 1
        except KeyboardInterrupt:
            console.print("stopped")
            status = 130
    if folder is not None:
        again = shlex.join(["python", "-m", "agents.evaluate", "--resume", str(folder)])
        console.print(f"what was played is kept; go on with: {again}", soft_wrap=True)
    return status


def print_table(options: Any, console: Console) -> int:
    """The table of one training run."""
    seed, games = a_seed("seed", options.seed), an_int("games", options.games, 1, 10_000_000)
    for name in ("game", "config", "players", "agents", "resume"):
        if getattr(options, name) is not None:
            fail(name, f"{options.run} has its own; leave --{name} out, or --run")
    ruleset, trained = runs.load_models(options.run)
    console.print(f"{ruleset.name}, {ruleset.n_seats} players: {options.run}", soft_wrap=True)
    console.print(*measures.tables(measures.final_table(outcome(ruleset), trained, games, seed)), sep="\n")
    return 0


def planned(options: Any) -> Plan:
    """What options ask for; ValueError names what cannot be."""
    seed = a_seed("seed", options.seed)
    if options.game not in GAMES:
        fail("game", f"one of {', '.join(GAMES)}, not {options.game!r}")
    name_of_config = options.config or "default"
    if name_of_config not in configs(options.game):
        fail("config", f"one of {', '.join(configs(options.game))}, not {name_of_config!r}")
    if not options.agents:
        fail("agents", "at least one; --help says what there is")
    deals = an_int("deals", options.deals, 1, 10_000_000)
    agents = dict(map(players.named, options.agents))
    if len(agents) < len(options.agents):
        fail("agents", "each name once; NAME=AGENT gives another name")
    among_of(agents, options.among)
    config = configs(options.game)[name_of_config]
    rulesets = [
        outcome(make_ruleset(options.game, **config, **({} if n is None else {"num_players": n})))
        for n in options.players or [None]
    ]
    models = {}
    for ruleset in rulesets:
        for name, agent in agents.items():
            player = players.make_player(agent, ruleset)
            if isinstance(player, players.Roles):
                models[name] = player.digest()
    return Plan(options.game, rulesets, agents, options.among, deals, seed, models)


def facts_of(plan: Plan, typed: list[str]) -> dict[str, Any]:
    """What going on with an evaluation takes, as JSON."""
    return {"options": typed, "version": plan.rulesets[0].version, "models": plan.models}


def read_plan(folder: pathlib.Path) -> list[str]:
    """The options that an evaluation was begun with; ValueError if the folder is none of an evaluation."""
    try:
        options = json.loads((folder / PLAN).read_text(encoding="utf-8"))["options"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        fail("resume", f"{folder} is no folder of an evaluation: it has no readable {PLAN}")
    return [a_text("resume", option) for option in a_list("resume", options)]


def check_plan(folder: pathlib.Path, plan: Plan, typed: list[str]) -> None:
    """ValueError unless what has been played would be played again."""
    kept = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    for name, now in facts_of(plan, typed).items():
        if kept.get(name) != now:
            what = "a trained agent" if name == "models" else f"the {name} of {plan.game}"
            fail("resume", f"{what} is another than when {folder} was begun; begin a new evaluation")


def play_plan(plan: Plan, folder: pathlib.Path, typed: list[str], processes: int, console: Console) -> int:
    """Play, and write everything into the folder; returns the exit status. SIGTERM is answered like Ctrl-C."""
    about = {**provenance("python -m agents.evaluate " + shlex.join(typed)), "seed": plan.seed}
    about |= {"deals": plan.deals, "agents": plan.agents}
    for ruleset in plan.rulesets:
        out = folder / f"{ruleset.n_seats}-players" if len(plan.rulesets) > 1 else folder
        out.mkdir(exist_ok=True)
        with stopping_by_signals():
            evaluation = evaluate(
                ruleset, plan.agents, plan.deals, plan.seed, processes, console, plan.among, out / GAMES_PLAYED
            )
        save(out, evaluation, about)
        console.print(markdown(evaluation, about))
        console.print(f"matrix.csv, matrix.md, matrix.png, evaluation.json: {out}", soft_wrap=True)
    return 0


@contextlib.contextmanager
def stopping_by_signals() -> Iterator[None]:
    """SIGINT and SIGTERM raise KeyboardInterrupt, also where a shell has set that SIGINT be ignored."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    in_main = threading.current_thread() is threading.main_thread()  # only there may handlers be set
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM) if in_main}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
