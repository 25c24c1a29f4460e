"""Whole games in compiled loops: random play for speed, games between compiled policies, playouts from one position.

The kernels are compiled once per game: `bind` executes this file with step, legal, observe, ... already set. The
functions at the end are plain Python around them; use those of this module itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from murder_envs.core.bits import PAD, copy_record, count, is_in, kth_of, put_set, row_of
from murder_envs.core.checks import a_seed, an_int, fail, shown
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import bind, kernel, records
from murder_envs.core.rng import STREAM, episode_seed, next_word, stream_below
from murder_envs.drivers.policies import COMPILED_POLICIES, HEURISTIC, NO_ACTION, RANDOM, policy_number
from murder_envs.ruleset import Ruleset


@kernel
def seat_to_act(states):
    """Who acts in the first of some states."""
    return to_act(states[0])


@kernel
def fill_seeds(seed, out):
    """out[i] = where episode 0 of game i starts."""
    for i in range(out.shape[0]):
        out[i] = episode_seed(seed, i, 0)


@kernel
def random_play(states, rules, episodes, legal_set, stream, seed, fresh, rounds, look, rows, masks):
    """Rounds of one random legal decision in each game, finished ones replaced; returns how many were finished.

    `fresh` 1: every game's present episode is dealt first. `look` 1: before each decision the acting seat's observation
    and mask are written.
    """
    ended = 0
    n_actions = masks.shape[1] - PAD
    if fresh != 0:
        rounds += 1
    for t in range(rounds):
        for i in range(states.shape[0]):
            state = states[i]
            over = fresh != 0 and t == 0
            if not over:
                legal(state, rules[0], legal_set)
                if look != 0:
                    put_set(row_of(masks, i), 0, legal_set, n_actions)
                    observe(state, rules[0], to_act(state), row_of(rows, i))
                step(state, rules[0], kth_of(legal_set, stream_below(stream, count(legal_set))))
                if is_over(state):
                    over = True
                    ended += 1
                    episodes[i] += 1
            while over:
                deal(state, rules[0], episode_seed(seed, i, episodes[i]))
                over = is_over(state)
                if over:
                    episodes[i] += 1
    return ended


@kernel
def find_illegal(states, rules, first, legal_set):
    """The first i for which first[i] is an action, and not a legal one in states[i]; -1 if there is none."""
    for i in range(first.shape[0]):
        if first[i] != NO_ACTION:
            legal(states[i], rules[0], legal_set)
            if first[i] < 0 or first[i] >= 64 * legal_set.shape[0] or not is_in(legal_set, first[i]):
                return i
    return -1


class Games(NamedTuple):
    """What `play_games` is told of each of N games, and what it writes of them."""

    policies: np.ndarray  # int64[N, n_seats]: RANDOM or HEURISTIC
    seeds: np.ndarray  # int64[N]: what a game is dealt from, and its policies draw from
    first: np.ndarray  # int64[N]: an action to begin with, or NO_ACTION
    decisions: np.ndarray  # int64[N], written
    options: np.ndarray  # int64[N], written: legal actions of all decisions
    forced: np.ndarray  # int64[N], written: decisions with one legal action
    payoffs: np.ndarray  # float64[N, n_seats], written


@kernel
def play_games(states, rules, dealt, games, legal_set, row, stream):
    """Play each game to its end, from a deal of its seed or, with `dealt` 1, from states[i]."""
    for i in range(states.shape[0]):
        state = states[i]
        if dealt == 0:
            deal(state, rules[0], games.seeds[i])
        elif games.first[i] != NO_ACTION:
            step(state, rules[0], games.first[i])
        stream[0] = np.uint64(episode_seed(games.seeds[i], STREAM.policies, 0))
        decisions, options, forced = 0, 0, 0
        while not is_over(state):
            legal(state, rules[0], legal_set)
            n = count(legal_set)
            if n == 1:
                action = kth_of(legal_set, 0)
                forced += 1
            elif games.policies[i, to_act(state)] == RANDOM:
                action = kth_of(legal_set, stream_below(stream, n))
            else:
                observe(state, rules[0], to_act(state), row)
                action = heuristic(row, legal_set, rules[0], stream)
            decisions += 1
            options += n
            step(state, rules[0], action)
        games.decisions[i], games.options[i], games.forced[i] = decisions, options, forced
        returns(state, rules[0], row_of(games.payoffs, i))


@kernel
def play_out(start, scratch, rules, seat, n, legal_set, stream, payoff, total):
    """n times: copy the position, redeal what `seat` cannot know (NO_SEAT: nothing), play randomly to the end.

    Adds the returns up in `total` and returns how many decisions were played.
    """
    decisions = 0
    for _ in range(n):
        state = scratch[0]
        copy_record(state, start[0])
        if seat != NO_SEAT:
            redeal(state, rules[0], seat, np.int64(next_word(stream) >> np.uint64(1)))
        while not is_over(state):
            legal(state, rules[0], legal_set)
            step(state, rules[0], kth_of(legal_set, stream_below(stream, count(legal_set))))
            decisions += 1
        returns(state, rules[0], payoff)
        for s in range(total.shape[0]):
            total[s] += payoff[s]
    return decisions


# -- Python -----------------------------------------------------------------------------------------------------------


class GameResults(NamedTuple):
    """Finished games. With N games:

    Attributes:
        states: STATE [N], as they ended.
        returns: float64 [N, n_seats].
        decisions: int64 [N], how many decisions were taken.
        options: int64 [N], legal actions of all decisions added up.
        forced: int64 [N], decisions with one legal action.
        seeds: int64 [N], what each was dealt from (or, with given states, what its policies drew from).
    """

    states: np.ndarray
    returns: np.ndarray
    decisions: np.ndarray
    options: np.ndarray
    forced: np.ndarray
    seeds: np.ndarray

    @property
    def branching(self) -> float:
        """Mean number of legal actions a decision."""
        return float(self.options.sum() / max(1, self.decisions.sum()))


class RandomPlay:
    """Uniformly random legal play in one compiled loop, finished games replaced: what benchmarks measure.

    Args:
        ruleset: the configured game.
        games: how many are played side by side.
        seed: int from 0 to 2^63 - 1; episode k of game i starts from `episode_seed(seed, i, k)`.
        observe: also write the acting seat's observation and mask before each decision.

    Attributes:
        states: STATE [games]
        episodes: int64 [games], number of the present episode.
        observations, masks: int8 [games, size] and [games, n_actions], those of the last decision.
    """

    def __init__(self, ruleset: Ruleset, games: int = 1, seed: int = 0, observe: bool = False) -> None:
        n = an_int("games", games, 1, 1 << 31)
        self._seed = a_seed("seed", seed)
        self._driver = bind(ruleset, "rollout")
        self._rules = ruleset.rules
        self.states = records(ruleset.STATE, n)
        self.episodes = np.zeros(n, np.int64)
        self._legal_set = np.zeros(ruleset.actions.n_words, np.uint64)
        self._stream = np.array([episode_seed(self._seed, STREAM.policies, 0)], np.uint64)
        self._rows = np.zeros((n, ruleset.observation.size + PAD), np.int8)
        self._masks = np.zeros((n, ruleset.actions.n + PAD), np.int8)
        self.observations = self._rows[:, : ruleset.observation.size]
        self.masks = self._masks[:, : ruleset.actions.n]
        self._observe = bool(observe)
        self._run(1, 0)

    def run(self, rounds: int) -> int:
        """Play `rounds` decisions in each game; returns how many games were finished."""
        return self._run(0, an_int("rounds", rounds, 0, 1 << 62))

    def _run(self, fresh: int, rounds: int) -> int:
        return int(
            self._driver.random_play(
                self.states, self._rules, self.episodes, self._legal_set, self._stream, self._seed, fresh, rounds,
                int(self._observe), self._rows, self._masks,
            )
        )  # fmt: skip


def policy_table(policies: str | Sequence[Any] | np.ndarray, n: int, n_seats: int) -> np.ndarray:
    """int64[n, n_seats]: 0 random, 1 heuristic; from one name, one a seat, or an array that broadcasts to that."""
    if isinstance(policies, str):
        policies = [policies] * n_seats
    if not isinstance(policies, np.ndarray):
        if not isinstance(policies, Sequence):
            fail("policies", f"one name, one for each of {n_seats} seats, or an array, not {shown(policies)}")
        numbers = [policy_number("policies", name, COMPILED_POLICIES) for name in policies]
        if len(numbers) != n_seats:
            fail("policies", f"one for each of {n_seats} seats, not {len(numbers)}")
        policies = np.array(numbers)
    if policies.shape not in ((n_seats,), (n, n_seats)):
        fail("policies", f"shape ({n_seats},) or ({n}, {n_seats}), not {policies.shape}")
    if policies.dtype.kind not in "iu" or not np.isin(policies, (RANDOM, HEURISTIC)).all():
        fail("policies", "0 for random, 1 for heuristic")
    return np.array(np.broadcast_to(policies, (n, n_seats)), np.int64, order="C")


def play(
    ruleset: Ruleset,
    policies: str | Sequence[Any] | np.ndarray = "random",
    games: int | None = None,
    seed: int = 0,
    *,
    seeds: Sequence[int] | np.ndarray | None = None,
    states: np.ndarray | None = None,
    first: np.ndarray | None = None,
    rules: np.ndarray | None = None,
) -> GameResults:
    """Play games to their end with compiled policies.

    Args:
        ruleset: the configured game.
        policies: "random" or "heuristic" for all seats, one of them for each absolute seat, or int[n_seats] or
            int[games, n_seats] with 0 for random and 1 for heuristic.
        games: how many; as many as `seeds` or `states` if these are given, else 1,000.
        seed: int from 0 to 2^63 - 1; game i starts from `episode_seed(seed, i, 0)`.
        seeds: int64[games]: start game i from seeds[i] itself.
        states: STATE[games]: start from copies of these; `seed` or `seeds` then only feed the policies.
        first: int[games]: an action that is taken first in each of `states`, legal there and not counted as a decision
            of the policies; -1: none.
        rules: rules record (array of one) in place of the configured one, as `Ruleset.with_options` gives it.

    Raises:
        ValueError: an argument has the wrong form, or states or rules are of another configuration; the text begins
            with its name.
    """
    n = _how_many(games, seeds, states)
    driver = bind(ruleset, "rollout")
    starts = _starts(driver, n, seed, seeds)
    ends = records(ruleset.STATE, n)
    if states is not None:
        ends[:] = ruleset.checked_states("states", states)
    rules = ruleset.checked_rules(rules)
    legal_set = np.zeros(ruleset.actions.n_words, np.uint64)
    begin = np.full(n, NO_ACTION, np.int64)
    if first is not None:
        if states is None:
            fail("first", "only together with states")
        begin = _first_actions(ruleset, rules, ends, first, legal_set)
    decisions, options, forced = (np.zeros(n, np.int64) for _ in range(3))
    payoffs = np.zeros((n, ruleset.n_seats))
    players = policy_table(policies, n, ruleset.n_seats)
    played = Games(players, starts, begin, decisions, options, forced, payoffs)
    row, stream = np.zeros(ruleset.observation.size + PAD, np.int8), np.zeros(1, np.uint64)
    driver.play_games(ends, rules, int(states is not None), played, legal_set, row, stream)
    return GameResults(ends, payoffs, decisions, options, forced, starts)


def _starts(driver: Any, n: int, seed: int, seeds: Any) -> np.ndarray:
    """int64[n], what each game starts from, checked."""
    if seeds is None:
        starts = np.zeros(n, np.int64)
        driver.fill_seeds(a_seed("seed", seed), starts)
        return starts
    array = np.asarray(seeds)
    if array.shape != (n,) or array.dtype.kind not in "iu" or (array.astype(np.int64) < 0).any():
        fail("seeds", f"{n} ints from 0 to 2^63 - 1")
    return np.array(array, np.int64)


def _first_actions(
    ruleset: Ruleset, rules: np.ndarray, states: np.ndarray, first: Any, legal_set: np.ndarray
) -> np.ndarray:
    """int64[games], checked."""
    array = np.asarray(first)
    if array.shape != (len(states),) or array.dtype.kind not in "iu":
        fail("first", f"{len(states)} ints, one for each of the states")
    array = array.astype(np.int64)
    i = bind(ruleset, "rollout").find_illegal(states, rules, array, legal_set)
    if i >= 0:
        fail("first", f"legal actions; in game {i}, {int(array[i])} is not legal")
    return array


def playouts(
    ruleset: Ruleset,
    state: np.ndarray,
    n: int,
    seed: int = 0,
    *,
    seat: int | None = None,
    redeal: bool = True,
    rules: np.ndarray | None = None,
) -> tuple[np.ndarray, int]:
    """Random play to the end, again and again from one position, each time with what a seat cannot know dealt anew.

    Args:
        ruleset: the configured game.
        state: STATE, array of one; not changed.
        n: how many times.
        seed: int from 0 to 2^63 - 1 for redealing and choosing.
        seat: whose view is kept; None: the seat to act.
        redeal: False: play on from the true state. See `RawEnv.redeal` for what a redeal does not know.
        rules: rules record (array of one) in place of the configured one.

    Returns:
        float64[n_seats], the returns added up, and how many decisions were played.

    Raises:
        ValueError: an argument is wrong, or the game is over; the text begins with the argument's name.
    """
    n = an_int("n", n, 0, 1 << 62)
    stream = np.array([a_seed("seed", seed)], np.uint64)
    driver = bind(ruleset, "rollout")
    start = records(ruleset.STATE, 1)
    start[:] = ruleset.checked_states("state", state, 1)
    at = int(driver.seat_to_act(start))
    if at == NO_SEAT:
        fail("state", "the game is over")
    seat = at if seat is None else an_int("seat", seat, 0, ruleset.n_seats - 1)
    total = np.zeros(ruleset.n_seats)
    decisions = driver.play_out(
        start,
        records(ruleset.STATE, 1),
        ruleset.checked_rules(rules),
        seat if redeal else NO_SEAT,
        n,
        np.zeros(ruleset.actions.n_words, np.uint64),
        stream,
        np.zeros(ruleset.n_seats),
        total,
    )
    return total, int(decisions)


def _how_many(games: int | None, seeds: Any, states: Any) -> int:
    """The number of games that the arguments agree on."""
    lists = {name: each for name, each in (("seeds", seeds), ("states", states)) if each is not None}
    for name, each in lists.items():
        if np.ndim(each) != 1:
            fail(name, "a list, or an array of one dimension")
    sizes = {name: len(each) for name, each in lists.items()}
    if games is not None:
        sizes["games"] = an_int("games", games, 0, 1 << 31)
    if len(set(sizes.values())) > 1:
        fail(next(iter(sizes)), "as many as " + " and ".join(f"{n} {name}" for name, n in list(sizes.items())[1:]))
    return next(iter(sizes.values()), 1000)
