"""Small games solved exactly, and how far players are from that: `python -m benchmarks.exact`.

OpenSpiel's compiled solvers run on the whole tree of each game. A player's policy is tabulated over all information
states, so that the best response to it can be computed. The table shows for each player

- **value**: the mean return of each seat if all seats play this policy;
- **gain**: how much more each seat would get, on its own, by the best response to the others;
- **NashConv**: the sum of all gains; 0 is a Nash equilibrium. In a two-player zero-sum game the exploitability is half
  of it. Where all seats are paid alike, an equilibrium need not be the best that they can do together: there, compare
  the values.

CFR and CFR+ are judged by their average policy; MCCFR samples externally. Only in two-player zero-sum games is it
proved that they converge to an equilibrium. A trained agent gives the probabilities of its actions. Any other agent
that draws at random is asked several times at each information state, and the shares of its answers are taken as its
policy. NashConv is then too high rather than too low, since the best response also exploits the chance in these shares.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from agents.players import HELP, PERFECT, Roles, make_player, named
from agents.report import PACKAGES, markdown_table, package_versions, provenance
from benchmarks import game_data
from murder_envs.api import openspiel
from murder_envs.core.checks import an_int
from murder_envs.drivers.batch import Batch
from murder_envs.registry import GAMES
from murder_envs.ruleset import Ruleset

Policy = Callable[[Any], Mapping[int, float]]
"""An OpenSpiel state in which a seat is to act -> the probabilities of its actions."""


class Case(NamedTuple):
    """A game to be solved.

    Attributes:
        game, config: by name.
        parameters: of the game, on top of the configuration.
        effort: the share of the iterations and samples to spend on it.
    """

    game: str
    config: str
    parameters: dict[str, Any] = {}
    effort: float = 1.0

    def __str__(self) -> str:
        more = "".join(f", {name}={value}" for name, value in self.parameters.items())
        return f"{self.game} {self.config}{more}"


CASES = sorted(
    (Case(game, **row) for game in GAMES for row in game_data("small_games", game).get("small_game", [])),
    key=lambda case: -case.effort,
)
"""The small games, from `small_games/<game>.toml`; those that take longest come last."""

AGENTS = ("random", "heuristic", "search:200", "search:200:mo", "search:200:heuristic")

SOLVERS: dict[str, Callable[[pyspiel.Game, int], Any]] = {
    "CFR": lambda game, seed: pyspiel.CFRSolver(game),
    "CFR+": lambda game, seed: pyspiel.CFRPlusSolver(game),
    "MCCFR": lambda game, seed: pyspiel.ExternalSamplingMCCFRSolver(game, seed),
}
SCRIPTED_SAMPLES = 16
"""A scripted player is asked so many times more often than the others: its answers cost next to nothing."""

MOST_SEARCHED = 30_000
"""In a game with more information states, searching at each of them takes too long."""

SAMPLES_OF_AN_ITERATION = 50
"""So many iterations of MCCFR take about the time of one iteration of CFR."""


class Result(NamedTuple):
    """A line of the table.

    Attributes:
        player: an agent or a solver; it plays all seats.
        iterations: of a solver.
        values: float64[n_seats], mean return of each seat.
        gains: float64[n_seats], what the best response would add.
        seconds: to compute the policy, without judging it.
    """

    player: str
    iterations: int | None
    values: np.ndarray
    gains: np.ndarray
    seconds: float


# -- Policies ---------------------------------------------------------------------------------------------------------


def uniform(state: Any) -> dict[int, float]:
    """All legal actions with equal probabilities."""
    legal = state.legal_actions()
    return dict.fromkeys(legal, 1 / len(legal))


def policy_of(agent: str, ruleset: Ruleset, samples: int, seed: int) -> Policy:
    """The policy of an agent (see `agents.players`): a trained agent's probabilities, or the shares of others' answers.

    Args:
        samples: how often an agent that was not trained is asked at each information state.
        seed: of the agent's random choices.

    Raises:
        ValueError: there is no such agent for this game, or it searches with perfect information: what it does depends
            on hidden cards, so it has no policy over information states.
    """
    if agent == "random":
        return uniform
    if agent.startswith(PERFECT):
        raise ValueError(f"agents: {agent!r} knows more than an information state holds")
    player = make_player(agent, ruleset)
    if isinstance(player, str):
        samples *= SCRIPTED_SAMPLES
    batch, games = Batch(ruleset, 1, seed), np.arange(1)

    def policy(state: Any) -> dict[int, float]:
        legal = state.legal_actions()
        if len(legal) == 1:
            return {legal[0]: 1.0}
        batch.start(0, seed, {"snapshot": ruleset.snapshot(ruleset.rules, state.position())})
        if isinstance(player, Roles):
            probabilities = player.probabilities(batch, 0)
            return {action: float(probabilities[action]) for action in legal}
        answers = collections.Counter(
            int(batch.choose(player)[0] if isinstance(player, str) else player.choose(batch, games)[0])
            for _ in range(samples)
        )
        return {action: times / samples for action, times in answers.items()}

    return policy


# -- Judging ----------------------------------------------------------------------------------------------------------


def judge(game: pyspiel.Game, policy: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean return of each seat if all play a policy, and what the best response would add: float64[n_seats] each.

    The sum of the second is NashConv.
    """
    root = game.new_initial_state()
    values = np.array(pyspiel.expected_returns(root, policy, -1, False))
    best = [
        pyspiel.TabularBestResponse(game, seat, policy).value_from_state(root) for seat in range(game.num_players())
    ]
    return values, np.array(best) - values


def solve(tree: openspiel.Tree, name: str, iterations: Sequence[int], seed: int) -> Iterator[Result]:
    """The average policy of a solver, judged after each of these numbers of iterations (rising)."""
    start = time.perf_counter()
    solver = SOLVERS[name](tree.compiled, seed)
    seconds = time.perf_counter() - start
    step = solver.run_iteration if name == "MCCFR" else solver.evaluate_and_update_policy
    done = 0
    for stop in iterations:
        start = time.perf_counter()
        for _ in range(done, stop):
            step()
        done = stop
        policy = solver.average_policy()
        seconds += time.perf_counter() - start
        yield Result(name, stop, *judge(tree.compiled, policy), seconds)


def play(tree: openspiel.Tree, name: str, policy: Policy) -> Result:
    """A policy, judged."""
    start = time.perf_counter()
    table = tree.tabular(policy)
    seconds = time.perf_counter() - start
    return Result(name, None, *judge(tree.compiled, table), seconds)


def results(tree: openspiel.Tree, case: Case, options: argparse.Namespace) -> Iterator[Result]:
    """All lines of a game."""
    ruleset = tree.game.dealer.ruleset
    for agent in options.agents:
        name, player = named(agent)
        if player.startswith("search") and len(tree.states) > MOST_SEARCHED:
            print(f"{case}: {name} left out: more than {MOST_SEARCHED:,} information states", file=sys.stderr)
            continue
        try:
            policy = policy_of(player, ruleset, max(1, round(options.samples * case.effort)), options.seed)
        except ValueError as error:
            print(f"{case}: {name} left out: {error}", file=sys.stderr)
        else:
            yield play(tree, name, policy)
    for solver in SOLVERS:
        most = options.iterations * case.effort * (SAMPLES_OF_AN_ITERATION if solver == "MCCFR" else 1)
        yield from solve(tree, solver, sorted({max(1, round(most / part)) for part in (100, 10, 1)}), options.seed)


# -- The page ---------------------------------------------------------------------------------------------------------


def page(cases: Sequence[Case], options: argparse.Namespace) -> Iterator[str]:
    """The page as Markdown, each section as soon as its game is solved."""
    origin = provenance()
    versions = {"python": origin["python"], **package_versions((*PACKAGES, "open_spiel"))}
    yield "# Small games solved exactly"
    yield ""
    yield "Written by `benchmarks/exact.py`; its first lines say what the columns mean."
    yield ""
    yield f"    {origin['command']}"
    yield ""
    yield (
        f"{origin['time']}; seed {options.seed}; {origin['processor']}; commit {origin['commit']}; "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
    )
    for case in cases:
        yield ""
        yield from section(case, options)


def section(case: Case, options: argparse.Namespace) -> Iterator[str]:
    """A game's heading, the size of its tree, and its table."""
    start = time.perf_counter()
    tree = openspiel.Tree(openspiel.load(case.game, case.config, **case.parameters))
    utility = tree.game.get_type().utility.name.lower().replace("_", " ")
    yield f"## {case}"
    yield ""
    yield (
        f"{tree.game.num_players()} seats, {utility}; {tree.decisions:,} decisions, {tree.ends:,} ends, "
        f"{tree.chance_nodes:,} chance nodes, {len(tree.states):,} information states; "
        f"walked in {time.perf_counter() - start:.0f} s"
    )
    yield ""
    rows = []
    for result in results(tree, case, options):
        rows.append(row(result))
        print(f"{case}: {', '.join(f'{name} {value}' for name, value in rows[-1].items() if value)}", file=sys.stderr)
    yield markdown_table(rows).rstrip()


def row(result: Result) -> dict[str, str]:
    """A line of the table."""
    return {
        "player": result.player,
        "iterations": "" if result.iterations is None else f"{result.iterations:,}",
        "value": " / ".join(f"{x:.4f}" for x in result.values),
        "gain": " / ".join(f"{x:.4f}" for x in result.gains),
        "NashConv": f"{sum(result.gains):.4f}",
        "seconds": f"{result.seconds:.1f}",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve, compare, and print or write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.exact", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=HELP,
    )  # fmt: skip
    for option, names in (("--game", {case.game for case in CASES}), ("--config", {case.config for case in CASES})):
        parser.add_argument(option, action="append", choices=sorted(names), help="may be repeated; default: all")
    parser.add_argument(
        "--agents", nargs="*", default=AGENTS, metavar="AGENT",
        help="an agent of another game is left out (default: {})".format(" ".join(AGENTS)),
    )  # fmt: skip
    parser.add_argument("--iterations", type=int, default=300, help="of CFR, at full effort (default: %(default)s)")
    parser.add_argument("--samples", type=int, default=4, help="answers of an agent at each information state")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, help="write the page to this file too")
    options = parser.parse_args(arguments)
    try:
        for name, most in (("iterations", 10**7), ("samples", 10**6), ("seed", 2**31 - 1)):
            an_int(name, getattr(options, name), int(name != "seed"), most)
        cases = [
            case
            for case in CASES
            if case.game in (options.game or [case.game]) and case.config in (options.config or [case.config])
        ]
        if not cases:
            raise ValueError("config: no such game has one of these")
    except ValueError as error:
        parser.error(str(error))
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(options.out.open("w", encoding="utf-8")) if options.out else None
        for line in page(cases, options):
            print(line, flush=True)
            if file:
                print(line, file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
