"""Small games solved exactly, and how far players are from that: `python -m benchmarks.exact`.

OpenSpiel's compiled solvers run on the whole tree of each game, and any agent's policy is laid out over all information
states, so that the best answer to it can be computed. What is shown for each is

- **value**: what each seat is paid on average if all play so;
- **gain**: what each seat would gain by the best answer to the others, it alone;
- **NashConv**: the sum of all gains; 0 is an equilibrium. With two seats and zero sum, half of it is the
  exploitability. Where all seats are paid alike, an equilibrium need not be the best that they can do: there the value
  counts.

CFR and CFR+ show the average policy, MCCFR is external sampling. They are bound to come to an equilibrium only with two
seats and zero sum. A trained agent says its probabilities. Another one that draws is asked several times at each
information state, and the shares of its answers are taken for its policy; NashConv then errs upwards, since the best
answer exploits what is left of chance in them.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import datetime
import pathlib
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from agents.players import HELP, Roles, make_player, named
from benchmarks.measure import cpu_model, git_commit
from benchmarks.throughput import versions
from murder_envs import __version__
from murder_envs.api import openspiel
from murder_envs.core.checks import an_int
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

ROOT = pathlib.Path(__file__).resolve().parents[1]

Policy = Callable[[Any], Mapping[int, float]]
"""An OpenSpiel state in which a seat is to act -> the probabilities of its actions."""


class Case(NamedTuple):
    """A game to be solved.

    Attributes:
        game, config: by name.
        keywords: parameters on top.
        scale: iterations and samples in this game, for each in a small one.
    """

    game: str
    config: str
    keywords: dict[str, Any] = {}
    scale: float = 1.0

    def __str__(self) -> str:
        more = "".join(f", {name}={value}" for name, value in self.keywords.items())
        return f"{self.game} {self.config}{more}"


CASES = (
    Case("perfect_murder", "micro"),
    Case("my_murder_mystery", "tiny"),
    Case("murder_of_crows", "duel-MU", {"max_steps": 8}),
    Case("murder_of_crows", "duel-MR", {"max_steps": 8}),
    Case("theres_been_a_murder", "tiny", {"first_player": 0}, 0.25),
    Case("murder_of_crows", "duel-MU", {}, 0.5),
    Case("murder_of_crows", "duel-MR", {}, 0.5),
)

AGENTS = ("random", "heuristic", "search:200", "search:200:mo", "search:200:heuristic")

SOLVERS: dict[str, Callable[[pyspiel.Game, int], Any]] = {
    "CFR": lambda game, seed: pyspiel.CFRSolver(game),
    "CFR+": lambda game, seed: pyspiel.CFRPlusSolver(game),
    "MCCFR": lambda game, seed: pyspiel.ExternalSamplingMCCFRSolver(game, seed),
}
SCRIPTED_SAMPLES = 16
"""A scripted player is asked so many times more often than others: its answers cost next to nothing."""

MOST_SEARCHED = 30_000
"""Where there are more information states, searching at each takes too long."""

SAMPLES_OF_AN_ITERATION = 50
"""So many iterations of MCCFR take the place of one of CFR."""


class Result(NamedTuple):
    """A line of the table.

    Attributes:
        player: who plays all seats.
        iterations: of a solver.
        values: float64[n_seats], what each seat is paid.
        gains: float64[n_seats], what the best answer would add.
        seconds: until the policy was there, without judging it.
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
    """What an agent (see `agents.players`) does: a trained one by its probabilities, another by its answers.

    Args:
        samples: how often another is asked at each information state.
        seed: of what it draws.

    Raises:
        ValueError: there is no such agent for this game, or it is one that cheats and so has no policy.
    """
    if agent == "random":
        return uniform
    if agent.startswith("perfect_information"):
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
            odds = player.probabilities(batch, 0)
            return {action: float(odds[action]) for action in legal}
        answers = collections.Counter(
            int(batch.choose(player)[0] if isinstance(player, str) else player.choose(batch, games)[0])
            for _ in range(samples)
        )
        return {action: times / samples for action, times in answers.items()}

    return policy


# -- Judging ----------------------------------------------------------------------------------------------------------


def judge(game: pyspiel.Game, policy: Any) -> tuple[np.ndarray, np.ndarray]:
    """What each seat is paid if all play so, and what the best answer would add: float64[n_seats] each."""
    root = game.new_initial_state()
    values = np.array(pyspiel.expected_returns(root, policy, -1, False))
    best = [
        pyspiel.TabularBestResponse(game, seat, policy).value_from_state(root) for seat in range(game.num_players())
    ]
    return values, np.array(best) - values


def solve(tree: openspiel.Tree, name: str, iterations: Sequence[int], seed: int) -> Iterator[Result]:
    """What a solver has come to after so many iterations, rising numbers."""
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
    """What a policy is worth."""
    start = time.perf_counter()
    table = tree.tabular(policy)
    seconds = time.perf_counter() - start
    return Result(name, None, *judge(tree.compiled, table), seconds)


def results(tree: openspiel.Tree, case: Case, given: argparse.Namespace) -> Iterator[Result]:
    """All lines of a game."""
    ruleset = tree.game.dealer.ruleset
    for agent in given.agents:
        name, player = named(agent)
        if player.startswith("search") and len(tree.states) > MOST_SEARCHED:
            print(f"{case}: {name} left out: more than {MOST_SEARCHED:,} information states", file=sys.stderr)
            continue
        try:
            policy = policy_of(player, ruleset, max(1, round(given.samples * case.scale)), given.seed)
        except ValueError as error:
            print(f"{case}: {name} left out: {error}", file=sys.stderr)
        else:
            yield play(tree, name, policy)
    for solver in SOLVERS:
        most = given.iterations * case.scale * (SAMPLES_OF_AN_ITERATION if solver == "MCCFR" else 1)
        yield from solve(tree, solver, sorted({max(1, round(most / part)) for part in (100, 10, 1)}), given.seed)


# -- The page ---------------------------------------------------------------------------------------------------------


def page(cases: Sequence[Case], given: argparse.Namespace) -> Iterator[str]:
    """All of it as Markdown, line by line as it comes to be."""
    commit = git_commit(str(ROOT))
    yield "# Small games solved exactly"
    yield ""
    yield "Written by `benchmarks/exact.py`, whose head says what the columns mean."
    yield ""
    yield f"    python -m benchmarks.exact {shlex.join(sys.argv[1:])}".rstrip()
    yield ""
    yield (
        f"{datetime.date.today().isoformat()}; seed {given.seed}; {cpu_model()}; "
        f"murder_envs {__version__}{f' ({commit})' if commit else ''}, {', '.join(versions())}"
    )
    for case in cases:
        yield ""
        yield from section(case, given)


def section(case: Case, given: argparse.Namespace) -> Iterator[str]:
    """What there is to say of a game."""
    start = time.perf_counter()
    tree = openspiel.Tree(openspiel.load(case.game, case.config, **case.keywords))
    utility = tree.game.get_type().utility.name.lower().replace("_", " ")
    yield f"## {case}"
    yield ""
    yield (
        f"{tree.game.num_players()} seats, {utility}; {tree.decisions:,} decisions, {tree.ends:,} ends, "
        f"{tree.chance_nodes:,} chance nodes, {len(tree.states):,} information states; "
        f"walked in {time.perf_counter() - start:.0f} s"
    )
    yield ""
    yield "| player | iterations | value | gain | NashConv | seconds |"
    yield "|---|---|---|---|---|---|"
    for result in results(tree, case, given):
        yield row(result)


def row(result: Result) -> str:
    """A line of the table."""
    iterations = "" if result.iterations is None else f"{result.iterations:,}"
    values, gains = (" / ".join(f"{x:.4f}" for x in each) for each in (result.values, result.gains))
    return f"| {result.player} | {iterations} | {values} | {gains} | {sum(result.gains):.4f} | {result.seconds:.1f} |"


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
        help="one that is of another game is left out there (default: {})".format(" ".join(AGENTS)),
    )  # fmt: skip
    parser.add_argument("--iterations", type=int, default=300, help="of CFR, in a small game (default: %(default)s)")
    parser.add_argument("--samples", type=int, default=4, help="answers of an agent at each information state")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, help="write the page there too")
    given = parser.parse_args(arguments)
    try:
        for name, most in (("iterations", 10**7), ("samples", 10**6), ("seed", 2**31 - 1)):
            an_int(name, getattr(given, name), int(name != "seed"), most)
        cases = [c for c in CASES if c.game in (given.game or [c.game]) and c.config in (given.config or [c.config])]
        if not cases:
            raise ValueError("config: no such game has one of these")
    except ValueError as error:
        parser.error(str(error))
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(given.out.open("w", encoding="utf-8")) if given.out else None
        for line in page(cases, given):
            print(line, flush=True)
            if file:
                print(line, file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
