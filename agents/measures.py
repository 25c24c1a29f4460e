"""How well players play: many games on fixed deals, win rates with 95 % intervals, the table of a training run.

All players of a table get the same deals, so their differences owe nothing to the cards.

- Where all seats are paid alike, a player has all of them, and the measure is the share of games won.
- Elsewhere a player has one seat, each of those that its policy learnt in by turns, and all others are random or
  heuristic players; the measure is the share of games that this seat wins. To win is to be paid more than 0 under the
  default reward.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from rich.table import Table

from agents.report import markdown_table
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.networks.actor import Actor
from murder_envs.networks.files import Trained, without_reward
from murder_envs.registry import make_ruleset
from murder_envs.ruleset import Ruleset

CURVE_SEED, TEST_SEED = 2**62 + 1, 2**62 + 2
"""Deals for the learning curve and for the final table: the same in every run, and no seed of a training run."""

Z = 1.959964
"""95 % of a normal distribution lie within so many standard deviations."""


class Chooser(Protocol):
    """A player that is not compiled in: what it does in some games of a batch that wait for it."""

    def choose(self, batch: Batch, games: np.ndarray) -> np.ndarray:
        """Actions int64[k] for the games int64[k]."""


Player = str | Chooser
"""Who plays: "random", "heuristic", or a chooser."""


# -- Playing ----------------------------------------------------------------------------------------------------------


def play(ruleset: Ruleset, players: Sequence[Player], games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Games of these players, one for each seat: STATE[games] at the end, and returns float64[games, n_seats].

    Game i starts from `episode_seed(seed, i, 0)`. What players draw from torch's random numbers comes from `seed`;
    those of a training that goes on are left as they were.
    """
    seats_of: dict[Chooser, list[int]] = {}  # of the players that are not compiled in
    for seat, player in enumerate(players):
        if not isinstance(player, str):
            seats_of.setdefault(player, []).append(seat)
    if not seats_of:
        results = rollout.play(ruleset, list(players), games, seed)
        return results.states, results.returns
    first = next(iter(seats_of.values()))[0]
    others = [player if isinstance(player, str) else "ask" for player in [*players[first + 1 :], *players[:first]]]
    batch = Batch(ruleset, games, seed, seat=first, opponents=others, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        while (waiting := np.flatnonzero(batch.seats >= 0)).size:
            seats = batch.seats[waiting]
            actions = np.zeros(len(waiting), np.int64)
            for player, own_seats in seats_of.items():
                k = np.flatnonzero(np.isin(seats, own_seats))
                if k.size:
                    actions[k] = player.choose(batch, waiting[k])
            batch.step(actions, waiting)
    return batch.states, batch.returns


def outcome(ruleset: Ruleset) -> Ruleset:
    """The same game under its default reward, by which players are judged whatever they are trained on."""
    return make_ruleset(ruleset.name, **without_reward(ruleset))


# -- Measures ---------------------------------------------------------------------------------------------------------


class Contest(NamedTuple):
    """What a policy is measured by.

    Attributes:
        policy: its name.
        seats: those it learnt in.
        against: who sits in the other seats ("random" or "heuristic"); "": the player itself has all seats.
    """

    policy: str
    seats: tuple[int, ...]
    against: str


def contests(ruleset: Ruleset, policies: Mapping[str, Sequence[int]]) -> list[Contest]:
    """All that the policies of a run (name -> seats) are measured by."""
    if paid_alike(ruleset):
        return [Contest(name, tuple(seats), "") for name, seats in policies.items()]
    kinds = ("random", "heuristic")
    return [Contest(name, tuple(seats), kind) for name, seats in policies.items() for kind in kinds]


def paid_alike(ruleset: Ruleset) -> bool:
    """Are all seats one team?"""
    return ruleset.payoffs == "identical"


class Result(NamedTuple):
    """How a player did in a contest.

    Attributes:
        policy, against: the contest.
        player: what the table calls the player.
        games: how many were played.
        measure: "win rate".
        value, low, high: the measure and its 95 % interval, over deals.
        gain: where there are opponents, how much more it wins than the heuristic in the same seats of the same deals,
            with the low and high end of the 95 % interval (of the mean of paired differences).
        figures: the game's other figures, averaged over the games that have them.
        wins: float64[deals, seats], 1 where it won.
    """

    policy: str
    against: str
    player: str
    games: int
    measure: str
    value: float
    low: float
    high: float
    gain: tuple[float, float, float] | None
    figures: dict[str, float]
    wins: np.ndarray


def mean_interval(values: np.ndarray, low: float = -1.0, high: float = 1.0) -> tuple[float, float, float]:
    """The mean of independent numbers and its 95 % interval.

    It is Student's interval after one number of each extreme was added, with a quarter of the range for the steps in
    which sums of few numbers rise. So it has a width even for one number, or for numbers that are all alike; and it
    holds (0.94 and more, from 20 numbers on) where almost all are alike, which is where the numbers' own spread says
    little. The idea is that of Agresti & Coull, "Approximate is better than exact for interval estimation of binomial
    proportions", The American Statistician 52, 1998, who add two successes and two failures.

    Args:
        values: float[n], n at least 1.
        low, high: least and greatest that a number can be; a return is from -1 to 1.
    """
    ends = intervals(values, low, high)
    return float(values.mean()), float(ends[0]), float(ends[1])


def intervals(values: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the intervals for many samples at once, float[..., n] -> float[...] each."""
    n = values.shape[-1]
    mean = values.mean(-1)
    middle = (values.sum(-1) + low + high) / (n + 2)
    variance = ((values**2).sum(-1) + low * low + high * high) / (n + 2) - middle**2
    spread = _student(max(1, n - 1)) * np.sqrt(np.maximum(0, variance) / (n + 2)) + (high - low) / (4 * n)
    return np.maximum(low, np.minimum(mean, middle - spread)), np.minimum(high, np.maximum(mean, middle + spread))


def _student(freedom: int) -> float:
    """95 % of Student's distribution lie within so much of 0 (Abramowitz & Stegun, 26.7.5)."""
    z, n = Z, freedom
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / n + second / n**2 + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / n**3


def share_interval(wins: np.ndarray) -> tuple[float, float, float]:
    """The share of ones among 0 and 1, float[deals, seats], with its 95 % interval. Deals are independent; how much
    the seats of a deal go together is seen from the deals."""
    return mean_interval(wins.mean(1), 0.0, 1.0)


def averages(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each figure over the games that have it; NaN if none has."""
    means = {}
    for name in dict.fromkeys(name for figures in each for name in figures):
        values = [figures[name] for figures in each if name in figures and not math.isnan(figures[name])]
        means[name] = sum(values) / len(values) if values else math.nan
    return means


def measure(ruleset: Ruleset, contest: Contest, name: str, player: Player, games: int, seed: int) -> Result:
    """How a player does in a contest; each deal is played once for each seat of the contest."""
    if not contest.against:
        states, _ = play(ruleset, [player] * ruleset.n_seats, games, seed)
        each = [dict(ruleset.figures(ruleset.rules, states[i : i + 1])) for i in range(games)]
        wins = np.array([[figures.pop("win")] for figures in each], np.float64)
        return Result(
            contest.policy, "", name, games, "win rate", *share_interval(wins), None, averages(each), wins
        )  # fmt: skip
    deals = -(-games // len(contest.seats))
    columns, of_seats = [], []
    for seat in contest.seats:
        players: list[Player] = [contest.against] * ruleset.n_seats
        players[seat] = player
        states, returns = play(ruleset, players, deals, seed)
        columns.append(returns[:, seat] > 0)
        if ruleset.figures_of_seat is not None:
            of_seats += [ruleset.figures_of_seat(ruleset.rules, states[i : i + 1], seat) for i in range(deals)]
    wins = np.stack(columns, 1).astype(np.float64)
    share = share_interval(wins)
    return Result(
        contest.policy, contest.against, name, wins.size, "win rate", *share, None, averages(of_seats), wins
    )  # fmt: skip


def with_gain(result: Result, heuristic: Result) -> Result:
    """The same with its gain over the heuristic."""
    if not result.against:
        return result
    if result.player == heuristic.player:
        return result._replace(gain=(0.0, 0.0, 0.0))
    return result._replace(gain=mean_interval((result.wins - heuristic.wins).mean(1)))


# -- The table --------------------------------------------------------------------------------------------------------


NAMES = ("policy", "one seat", "all seats", "against")
"""Headings of the columns that say who plays; the others are numbers."""


def table_rows(results: Sequence[Result]) -> list[dict[str, str]]:
    """The rows of the table, heading -> text; without figures that are 0 for all."""
    names = list(dict.fromkeys(name for result in results for name in result.figures))
    names = [name for name in names if any(result.figures.get(name, 0) != 0 for result in results)]
    seated, several = any(result.against for result in results), len({result.policy for result in results}) > 1
    rows = []
    for result in results:
        row = {"policy": result.policy} if several else {}
        row |= {"one seat": result.player, "against": result.against} if seated else {"all seats": result.player}
        row |= {result.measure: f"{result.value:.3f}", "95 % interval": f"{result.low:.3f} to {result.high:.3f}"}
        if seated:
            gain, low, high = result.gain or (0.0, 0.0, 0.0)
            heuristic = result.player == "heuristic"
            row["above heuristic"] = "" if heuristic else f"{gain:+.3f} ± {(high - low) / 2:.3f}"
        for name in names:
            value = result.figures.get(name, math.nan)
            row[name.replace("_", " ")] = "" if math.isnan(value) else f"{value:.3g}"
        rows.append(row)
    return rows


def tables(results: Sequence[Result]) -> list[Table]:
    """The table for the terminal, one for each policy: what fits there, without the games' own figures."""
    policies = list(dict.fromkeys(result.policy for result in results))
    return [
        _table([result for result in results if result.policy == name], name if len(policies) > 1 else None)
        for name in policies
    ]


def _table(results: Sequence[Result], title: str | None) -> Table:
    rows = table_rows(results)
    headings = list(rows[0])
    end = headings.index("above heuristic" if "above heuristic" in headings else "95 % interval") + 1
    table = Table(
        title=title, title_justify="left", caption=f"{results[0].games:,} games a row", caption_justify="left"
    )
    for heading in headings[:end]:
        table.add_column(heading, justify="left" if heading in NAMES else "right", no_wrap=True)
    for before, result, row in zip([None, *results], results, rows):
        if before is not None and before.against != result.against:
            table.add_section()
        table.add_row(*[row[heading] for heading in headings[:end]])
    return table


def markdown(results: Sequence[Result]) -> str:
    """The table for a file, with all figures."""
    return markdown_table(table_rows(results)) + f"\n{results[0].games:,} games a row.\n"


def final_table(ruleset: Ruleset, trained: Mapping[str, Trained], games: int, seed: int = TEST_SEED) -> list[Result]:
    """Random, heuristic and trained players on the same deals, for each policy by name."""
    results = []
    for contest in contests(ruleset, {name: each.seats for name, each in trained.items()}):
        policy = trained[contest.policy].policy
        players: dict[str, Player] = {
            "random": "random",
            "heuristic": "heuristic",
            "trained, sampled": Actor(policy, sampled=True),
            "trained": Actor(policy),
        }
        of_contest = {name: measure(ruleset, contest, name, player, games, seed) for name, player in players.items()}
        results += [with_gain(result, of_contest["heuristic"]) for result in of_contest.values()]
    return results
