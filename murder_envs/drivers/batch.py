"""Many games in one call: check, step, play what nobody has to be asked, restart, legal sets, masks and observations.

The kernels are compiled once per game: `bind` executes this file with step, legal, observe, ... already set. `Batch`,
below them, is plain Python around the arrays, and what the Gymnasium and stable-baselines3 interfaces stand on.

Of each game Python is asked for some decisions only. Compiled opponents play the seats that nobody learns, and with
`skip_forced` a decision with one legal option is played at once; both happen inside the step, also right after a deal.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from murder_envs.core.bits import PAD, copy_record, count, is_in, kth_of, put_set, row_of
from murder_envs.core.checks import a_bool, a_seed, an_int, fail, is_int, shown
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import bind, direct, kernel, records
from murder_envs.core.rng import STREAM, episode_seed, stream_below
from murder_envs.drivers.policies import ASK, NO_ACTION, RANDOM, policy_number
from murder_envs.ruleset import Ruleset

EVERY, DRAWN = -1, -2
"""Which seat learns, in place of a number: all of them; one that each episode's seed draws."""

STEP, DEAL, TAKE_UP = 0, 1, 2
"""What `advance` does first."""

NOT_BEGUN = -1
"""In place of the seed that a game started from."""

PATIENCE = 1000
"""How many episodes in a row may end before Python is asked for anything; then the batch gives up."""

MOST_GAMES = 1 << 31
"""A batch of more would find no memory anywhere."""

MIN_PARALLEL = 1024
"""Smaller batches stay on one thread: handing over costs more than it saves."""

GAME = np.dtype(
    [
        ("seat", np.int64),  # absolute seat that Python chooses for; NO_SEAT when over or not yet begun
        ("learner", np.int64),  # absolute seat that learns; EVERY if all do
        ("rules", np.int64),  # rules record in force: 0 the configured one, others with options of a reset
        ("episode", np.int64),  # number of the episode, from 0
        ("base", np.int64),  # seed under which its episodes start, see `seed_of`
        ("alone", np.bool_),  # they are numbered as those of a single environment
        ("seed", np.int64),  # what the episode started from; NOT_BEGUN before the first
        ("length", np.int64),  # decisions of learning seats so far in this episode
        ("unseen", np.int64),  # episodes so far that ended before Python was asked for anything
        ("reward", np.float64),  # of the last step: what the learning seat is paid, 0 unless the game just ended
        ("terminated", np.bool_),  # the last step ended the game by the rules
        ("truncated", np.bool_),  # the last step ended the game by a step cap
        ("final_seat", np.int64),  # of the game that ended last: whose reward and final observation these are
        ("final_rules", np.int64),  # of the same: `rules`
        ("final_length", np.int64),  # of the same: `length`
        ("final_episode", np.int64),  # of the same: `episode`
        ("final_seed", np.int64),  # of the same: `seed`
    ],
    align=True,
)
"""What a batch keeps of a game beside its state."""


class Tables(NamedTuple):
    """All arrays of a batch, with a row a game."""

    states: np.ndarray  # STATE[N]
    rules: np.ndarray  # RULES[k]: the configured record, and those of games with options of their own
    games: np.ndarray  # GAME[N]
    legal_sets: np.ndarray  # uint64[N, n_words]
    rows: np.ndarray  # int8[N, size + PAD], observations
    masks: np.ndarray  # int8[N, n_actions + PAD]
    policies: np.ndarray  # int64[N, n_seats]: who plays a seat
    opponents: np.ndarray  # int64[N, n_seats - 1]: who plays the seats to the left of the learning one
    streams: np.ndarray  # uint64[N, 1], of the compiled policies
    payoffs: np.ndarray  # float64[N, n_seats]
    final_states: np.ndarray  # STATE[N]
    final_rows: np.ndarray  # int8[N, size + PAD]


class Settings(NamedTuple):
    """What does not change from step to step."""

    learner: int  # a seat, EVERY or DRAWN
    skip_forced: int
    restart: int  # 1: the next episode follows one that ended


@kernel
def choose(state, rules, policy, seat, legal_set, row, stream):
    """A compiled policy's action; a single option is taken without looking."""
    n = count(legal_set)
    if n == 1:
        return kth_of(legal_set, 0)
    if policy == RANDOM:
        return kth_of(legal_set, stream_below(stream, n))
    observe(state, rules, seat, row)
    return heuristic(row, legal_set, rules, stream)


@kernel
def seed_of(game, i):
    """What the present episode of game i starts from, by its number.

    Under a seed of the whole batch each game has its own seeds. A game with a seed of its own goes on as a single
    environment with that seed does: the first episode starts from the seed itself.
    """
    if not game.alone:
        return episode_seed(game.base, i, game.episode)
    return game.base if game.episode == 0 else episode_seed(game.base, 0, game.episode)


@kernel
def seat_players(game, learner, seed, policies, opponents, stream):
    """Open an episode: who plays where follows from its seed, as do the policies' draws."""
    game.seed = seed
    game.length = 0
    stream[0] = np.uint64(episode_seed(seed, STREAM.policies, 0))
    n = policies.shape[0]
    if learner == EVERY:
        game.learner = EVERY
        for seat in range(n):
            policies[seat] = ASK
        return
    game.learner = stream_below(stream, n) if learner == DRAWN else learner
    policies[game.learner] = ASK
    for offset in range(1, n):
        policies[(game.learner + offset) % n] = opponents[offset - 1]


@kernel
def close(state, rules, game, actor, payoff, row):
    """Write down how a game ended, before it makes room for the next one."""
    cut_off = bool(is_cut_off(state))
    game.truncated = cut_off
    game.terminated = not cut_off
    game.final_seat = actor if game.learner == EVERY else game.learner
    game.final_rules = game.rules
    game.final_length = game.length
    game.final_episode = game.episode
    game.final_seed = game.seed
    returns(state, rules, payoff)
    game.reward = payoff[game.final_seat]
    observe(state, rules, game.final_seat, row)


@kernel
def show(state, rules, game, legal_set, row, mask):
    """Observation and mask of the decision that Python is asked for; of a finished game the last view and no action."""
    if game.seat != NO_SEAT:
        observe(state, rules, game.seat, row)
    else:
        for w in range(legal_set.shape[0]):
            legal_set[w] = np.uint64(0)
        observe(state, rules, max(game.final_seat, 0), row)
    put_set(mask, 0, legal_set, mask.shape[0] - PAD)


@kernel
def find_illegal(chosen, actions, legal_sets, n_actions):
    """The first k for which actions[k] is not legal in game chosen[k]; -1 if there is none."""
    for k in range(chosen.shape[0]):
        action = actions[k]
        if action < 0 or action >= n_actions or not is_in(row_of(legal_sets, chosen[k]), action):
            return k
    return -1


# Opening and stepping are one function, in which `step` stands once: each function around it costs seconds to compile.
@kernel
def advance(tables, settings, task, chosen, values, first, last):
    """Bring game chosen[k], for first <= k < last, to the next decision that Python is asked for.

    `task` says what comes before: STEP takes the action values[k], known to be legal; DEAL deals from the seed
    values[k]; TAKE_UP finds the position in states already, and values[k] is the seed. Returns how many games
    ended that Python had been asked for.
    """
    ended = 0
    rules, learner = tables.rules, settings.learner
    for k in range(first, last):
        i = chosen[k]
        state, game = tables.states[i], tables.games[i]
        legal_set, row, stream = row_of(tables.legal_sets, i), row_of(tables.rows, i), row_of(tables.streams, i)
        players, opponents = row_of(tables.policies, i), row_of(tables.opponents, i)
        actor = game.seat
        game.terminated = False
        game.truncated = False
        game.reward = 0.0
        takes_action = task == STEP
        deals = task == DEAL
        action = values[k] if takes_action else NO_ACTION
        if not takes_action:
            seat_players(game, learner, values[k], players, opponents, stream)
            game.final_seat = max(game.learner, 0)
        elif game.learner == EVERY or game.learner == actor:
            game.length += 1
        patience = PATIENCE
        while True:
            if action != NO_ACTION:
                step(state, rules[game.rules], action)
            elif deals:
                deal(state, rules[game.rules], game.seed)
            if is_over(state):
                game.seat = NO_SEAT
                if takes_action:
                    ended += 1
                    payoff, final_row = row_of(tables.payoffs, i), row_of(tables.final_rows, i)
                    close(state, rules[game.rules], game, actor, payoff, final_row)
                    copy_record(tables.final_states[i], state)
                else:
                    game.unseen += 1
                patience -= 1
                if settings.restart == 0 or patience < 0:
                    break
                game.rules = 0
                game.episode += 1
                seat_players(game, learner, seed_of(game, i), players, opponents, stream)
                takes_action, deals, action = False, True, NO_ACTION
                continue
            seat = to_act(state)
            legal(state, rules[game.rules], legal_set)
            if players[seat] == ASK and (settings.skip_forced == 0 or count(legal_set) > 1):
                game.seat = seat
                break
            action = choose(state, rules[game.rules], players[seat], seat, legal_set, row, stream)
        show(state, rules[game.rules], game, legal_set, row, row_of(tables.masks, i))
    return ended


@kernel
def choose_all(states, rules, games, legal_sets, rows, streams, policy, out):
    """A compiled policy's action for the decision that each game waits for; -1 where a game is over."""
    for i in range(games.shape[0]):
        game = games[i]
        if game.seat == NO_SEAT:
            out[i] = -1
        else:
            legal_set, row, stream = row_of(legal_sets, i), row_of(rows, i), row_of(streams, i)
            out[i] = choose(states[i], rules[game.rules], policy, game.seat, legal_set, row, stream)


@kernel
def fill_seeds(chosen, games, out):
    """out[k] = what the present episode of game chosen[k] starts from."""
    for k in range(chosen.shape[0]):
        out[k] = seed_of(games[chosen[k]], chosen[k])


@kernel
def start_choices(chosen, games, streams):
    """Streams for `choose_all`, one a game, that depend on the seed and the game's number alone."""
    for k in range(chosen.shape[0]):
        i = chosen[k]
        game = games[i]
        number = 0 if game.alone else i
        streams[i, 0] = np.uint64(episode_seed(episode_seed(game.base, STREAM.choices, 0), number, 0))


# -- Python -----------------------------------------------------------------------------------------------------------


def opponent_codes(opponents: Any, n: int, n_seats: int) -> np.ndarray:
    """int64[n, n_seats - 1]: who plays the seats to the left of the learning one, the next clockwise first."""
    if isinstance(opponents, np.ndarray):
        if opponents.shape != (n, n_seats - 1):
            fail("opponents", f"names of shape ({n}, {n_seats - 1}), not {opponents.shape}")
        return np.array([policy_number("opponents", name) for name in opponents.ravel().tolist()], np.int64).reshape(
            n, -1
        )
    if opponents is None:
        opponents = "random"
    if isinstance(opponents, str):
        opponents = [opponents] * (n_seats - 1)
    if not isinstance(opponents, Sequence):
        fail("opponents", f"the name of a policy or a list of {n_seats - 1}, not {shown(opponents)}")
    if len(opponents) != n_seats - 1:
        fail("opponents", f"{n_seats - 1} entries, the next seat clockwise first, not {len(opponents)}")
    return np.tile(np.array([policy_number("opponents", name) for name in opponents], np.int64), (n, 1))


def learner_code(seat: Any, n_seats: int) -> int:
    """A seat's number, EVERY or DRAWN; ValueError names `seat`."""
    if isinstance(seat, str) and seat in ("all", "random"):
        return EVERY if seat == "all" else DRAWN
    if not is_int(seat):
        fail("seat", f"'all', 'random' or an int from 0 to {n_seats - 1}, not {shown(seat)}")
    return an_int("seat", seat, 0, n_seats - 1)


class IllegalAction(ValueError):
    """A batch was told to take an action that is not legal."""


class Batch:
    """N games of one ruleset that step together. Episode k of game i starts from `episode_seed(seed, i, k)`.

    `reset` deals; then `step(actions)` takes one action for each game, plays on to the next decision of each, and
    replaces a game that ended by the next episode at once. The arrays below always describe the decisions that the
    games wait for now. They are views of the batch's own memory: the next `step` writes over them, so copy what you
    keep. With N games:

    ======================  =======  ===============  ==================================================================
    `observations`          int8     [N, size]        observation of the seat to act
    `masks`                 int8     [N, n_actions]   its legal actions as 0 and 1; never all 0 (but see `auto_reset`)
    `legal_sets`            uint64   [N, n_words]     the same as bits: action a is bit a % 64 of word a // 64
    `seats`                 int64    [N]              the seat to act, absolute; -1 when over
    `learners`              int64    [N]              the seat that learns; -1 if every seat does
    `rewards`               float64  [N]              return of the learning seat if the last step ended the game, else
                                                      0; if every seat learns, of the seat that acted in that step
    `terminated`            bool     [N]              the last step ended the game by the rules
    `truncated`             bool     [N]              the last step ended the game by a step cap
    `returns`               float64  [N, n_seats]     every seat's return; where the last step ended the game
    `final_observations`    int8     [N, size]        last view of `final_seats`; where the last step ended the game
    `final_states`          STATE    [N]              the finished game; where the last step ended the game; see also
                                                      `final_score`
    `final_seats`           int64    [N]              whose `rewards` and `final_observations` these are
    `final_lengths`         int64    [N]              decisions of learning seats in the finished episode
    `final_episodes`        int64    [N]              its number; likewise `final_seeds`, what it started from
    `episodes`, `seeds`     int64    [N]              number of the present episode, and what it started from; a seed
                                                      of -1: the game has not begun
    `lengths`               int64    [N]              decisions of learning seats so far in it
    `unseen`                int64    [N]              episodes passed over, see below
    `states`                STATE    [N]              the games themselves
    ======================  =======  ===============  ==================================================================

    An episode that ends before Python is asked for anything (the opponents won before the learning seat had a turn) is
    counted in `unseen` and followed by the next one at once.

    Args:
        ruleset: the configured game.
        n: how many games.
        seed: int from 0 to 2^63 - 1 under which the episodes start; None: one from the operating system.
        seat: which seat learns: an absolute seat, "random" (drawn for each episode from its seed) or "all".
        opponents: who plays the other seats: "random", "heuristic", "ask" (Python is asked for them too), or a list
            with one of these for each, the next seat clockwise from the learning one first, or an array of them,
            [N, n_seats - 1], for each game its own. None: "random".
        skip_forced: play decisions with one legal option inside the step.
        auto_reset: False: a finished game stays as it ended, with an empty mask and `seats` -1, until `start` or
            `reset`.
        pass_over: False: an episode that ends before Python is asked for anything is not followed by the next one at
            once, and a game may be over right after `reset`. None: as `auto_reset`.
        parallel: True or a number of threads, for batches of 1,024 and more on idle cores; smaller ones ignore it.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        n: int,
        seed: int | None = None,
        *,
        seat: int | str = "all",
        opponents: str | Sequence[str] | np.ndarray | None = None,
        skip_forced: bool = False,
        auto_reset: bool = True,
        pass_over: bool | None = None,
        parallel: bool | int = False,
    ) -> None:
        self.ruleset = ruleset
        self.n = an_int("n", n, 1, MOST_GAMES)
        self._learner = learner_code(seat, ruleset.n_seats)
        if self._learner == EVERY and opponents is not None:
            fail("opponents", 'None where seat is "all"')
        self._opponents = opponent_codes(opponents, self.n, ruleset.n_seats)
        self._skip_forced = int(a_bool("skip_forced", skip_forced))
        self._restart = int(a_bool("auto_reset", auto_reset))
        self._pass_over = self._restart if pass_over is None else int(a_bool("pass_over", pass_over))
        self._threads = _threads(parallel, self.n)
        self._seed = secrets.randbits(63) if seed is None else a_seed("seed", seed)
        self._allocate()
        self._connect()

    def _allocate(self) -> None:
        """All arrays. Rows have PAD bytes more than people see (see `core.bits`)."""
        of, n = self.ruleset, self.n
        self.states = records(of.STATE, n)
        self.final_states = records(of.STATE, n)
        self._rules = records(of.rules.dtype, 1)
        self._rules[:] = of.rules
        self._games = records(GAME, n)
        self._games["seat"] = NO_SEAT
        self._games["base"] = self._seed
        self._games["seed"] = NOT_BEGUN
        self.legal_sets = np.zeros((n, of.actions.n_words), np.uint64)
        self._rows = np.zeros((n, of.observation.size + PAD), np.int8)
        self._final_rows = np.zeros((n, of.observation.size + PAD), np.int8)
        self._masks = np.zeros((n, of.actions.n + PAD), np.int8)
        self._policies = np.zeros((n, of.n_seats), np.int64)
        self._streams = np.zeros((n, 1), np.uint64)
        self._choices = np.zeros((n, 1), np.uint64)
        self.returns = np.zeros((n, of.n_seats))
        self._actions = np.zeros(n, np.int64)
        self._all = np.arange(n)

    def _connect(self) -> None:
        """The compiled driver, and the views that are named for people."""
        self._driver = bind(self.ruleset, "batch")
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        self._pool_of = 0
        self._list_tables()
        size, n_actions = self.ruleset.observation.size, self.ruleset.actions.n
        self.observations = self._rows[:, :size]
        self.final_observations = self._final_rows[:, :size]
        self.masks = self._masks[:, :n_actions]
        games = self._games
        self.seats, self.learners, self.rewards = games["seat"], games["learner"], games["reward"]
        self.terminated, self.truncated = games["terminated"], games["truncated"]
        self.episodes, self.seeds, self.lengths = games["episode"], games["seed"], games["length"]
        self.unseen = games["unseen"]
        self.final_seats, self.final_lengths = games["final_seat"], games["final_length"]
        self.final_episodes, self.final_seeds = games["final_episode"], games["final_seed"]

    def _list_tables(self) -> None:
        """The arrays as `advance` takes them, and that kernel, compiled for their types."""
        self._tables = Tables(
            self.states, self._rules, self._games, self.legal_sets, self._rows, self._masks, self._policies,
            self._opponents, self._streams, self.returns, self.final_states, self._final_rows,
        )  # fmt: skip
        types_of = (self._tables, self._settings(), STEP, self._all, self._actions, 0, 0)
        self._advance = direct(self._driver.advance, *types_of)

    def __getstate__(self) -> dict[str, Any]:
        """Arrays and settings; what is compiled does not travel, and is connected anew."""
        return {name: value for name, value in vars(self).items() if name in {"ruleset", *_KEPT}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays may be memory that is only read, as in the object stores of distributed training.
        writable = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
        vars(self).update(writable)
        for k in range(len(self._rules)):
            self.ruleset.checked_rules(self._rules[k : k + 1])
        for name, states in (("states", self.states), ("final_states", self.final_states)):
            self.ruleset.checked_states(name, states[states["config_digest"] != 0])
        self._connect()

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.clone()

    def __copy__(self) -> Batch:
        return self.clone()

    def clone(self) -> Batch:
        """An independent batch in the same position, with the same future."""
        other = object.__new__(Batch)
        other.ruleset = self.ruleset
        for name in _KEPT:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, np.ndarray) else value)
        other._connect()
        return other

    @property
    def seed(self) -> int:
        """The seed under which all games were begun last; seeds of single games do not count."""
        return self._seed

    # -- Starting ------------------------------------------------------------------------------------------------------

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
        games: Any = None,
    ) -> None:
        """Begin games anew: with a seed at episode 0, without one at each game's next episode.

        Args:
            seed: int from 0 to 2^63 - 1, or None; or a list with one of these for each game. From its own seed a game
                starts as a single environment does: episode 0 from the seed s itself, episode k from
                `episode_seed(s, 0, k)`.
            options: what a single env's `reset` takes: `snapshot`, and the game's own reset options. They count for
                the episodes that begin now (also for one that is passed over and begun once more), not for those
                that follow when these have ended.
            games: numbers of games in rising order; the others stay as they are. None: all.

        Raises:
            ValueError: an argument is wrong; nothing is changed.
            RuntimeError: no game in which Python is asked for anything turned up; nothing is changed.
        """
        chosen = self._all if games is None else self._choose_games(games)
        bases, alone = _bases(seed, len(chosen))
        with self.all_or_nothing(games, and_ends=False) as where:
            fresh = self._number_episodes(where, bases, alone)
            seeds = np.zeros(len(chosen), np.int64)
            self._driver.fill_seeds(chosen, self._games, seeds)
            self._open(chosen, seeds, options)
            if fresh.any():
                self._driver.start_choices(chosen[fresh], self._games, self._choices)
            if games is None and isinstance(bases, int):
                self._seed = bases

    def _number_episodes(self, where: Any, bases: int | np.ndarray | None, alone: bool) -> np.ndarray:
        """Write which episodes come next, and under which seeds; returns bool[k], those that begin the count anew."""
        games = self._games
        fresh = games["seed"][where] == NOT_BEGUN
        if bases is not None:
            has_seed = np.broadcast_to(bases != NOT_BEGUN, fresh.shape)
            fresh |= has_seed
            games["base"][where] = np.where(has_seed, bases, games["base"][where])
            games["alone"][where] = np.where(has_seed, alone, games["alone"][where])
        games["episode"][where] = np.where(fresh, 0, games["episode"][where] + 1)
        games["unseen"][where] = 0
        return fresh

    def start(self, game: int, seed: int, options: Mapping[str, Any] | None = None) -> bool:
        """Begin one game anew, from `seed` itself, in place of its present episode.

        Returns:
            Whether there is a decision to take. Only with pass_over=False it can be False: the game is over.

        Raises:
            ValueError: an argument is wrong, or no decision follows from the snapshot; nothing is changed.
            RuntimeError: no game in which Python is asked for anything turned up; nothing is changed.
        """
        chosen = np.array([an_int("game", game, 0, self.n - 1)])
        seeds = np.array([a_seed("seed", seed)])
        has_begun = self.seeds[chosen[0]] != NOT_BEGUN
        with self.all_or_nothing(chosen, and_ends=False):
            self._open(chosen, seeds, options)
        if not has_begun:
            self._driver.start_choices(chosen, self._games, self._choices)
        return bool(self.seats[chosen[0]] != NO_SEAT)

    def restore(self, game: int, snapshot: Mapping[str, Any], seed: int = 0) -> None:
        """Begin one game anew from a (partial) snapshot; chance that is still to come follows from `seed`."""
        self.start(game, seed, {"snapshot": snapshot})

    def snapshot(self, game: int) -> dict[str, Any]:
        """One game as a complete plain dict; ValueError if it has not begun."""
        game = an_int("game", game, 0, self.n - 1)
        if self.seeds[game] == NOT_BEGUN:
            fail("game", f"{game} has not begun; call reset first")
        return self.ruleset.snapshot(self.rules_of(game), self.states[game : game + 1])

    def rules_of(self, game: int) -> np.ndarray:
        """The rules record, as an array of one, that the present episode of a game is played under."""
        k = int(self._games["rules"][game])
        return self._rules[k : k + 1]

    def final_score(self, game: int) -> dict[str, Any]:
        """What `Ruleset.info` says of the game that ended last, for `final_seats`, padded; some microseconds a call."""
        k, seat = int(self._games["final_rules"][game]), int(self.final_seats[game])
        info = self.ruleset.info(self._rules[k : k + 1], self.final_states[game : game + 1], seat)
        return self.ruleset.padded(info)

    def _open(self, games: np.ndarray, seeds: np.ndarray, options: Mapping[str, Any] | None) -> None:
        """Begin games from seeds and options; with pass_over again and again, until each has a decision to take."""
        if options is not None and not isinstance(options, Mapping):
            fail("options", f"a dict, not {shown(options)}")
        options = dict(options or {})
        snapshot = options.pop("snapshot", None)
        rules = self.ruleset.with_options(options) if options else self.ruleset.rules
        special = snapshot is not None or bool(options)
        slot = self._slot_of(rules)
        # What is special has to be repeated here; plain episodes follow each other inside the kernel.
        settings = self._settings()._replace(restart=0 if special else self._pass_over)
        for _ in range(PATIENCE):
            if snapshot is not None:
                for game, game_seed in zip(games, seeds):
                    self.states[game] = self.ruleset.restore(rules, snapshot, int(game_seed))[0]
            self._games["rules"][games] = slot
            task = DEAL if snapshot is None else TAKE_UP
            self._advance(self._tables, settings, task, games, seeds, 0, len(games))
            games = games[self.seats[games] == NO_SEAT]
            if not games.size or not self._pass_over or not special:
                break
            self._games["episode"][games] += 1
            seeds = np.zeros(len(games), np.int64)
            self._driver.fill_seeds(games, self._games, seeds)
        if games.size and self._pass_over:
            if snapshot is not None:
                fail("snapshot", "the learning seat has no decision to take from here on")
            self._give_up(int(games[0]))

    def _slot_of(self, rules: np.ndarray) -> int:
        """Where in `_rules` a record stands; it takes a place that no game refers to any more, or a new one."""
        for k in range(len(self._rules)):
            if self._rules[k : k + 1].tobytes() == rules.tobytes():
                return k
        in_use = {0, *self._games["rules"].tolist(), *self._games["final_rules"].tolist()}
        slot = next(k for k in range(len(in_use) + 1) if k not in in_use)
        if slot >= len(self._rules):
            more = records(rules.dtype, slot + 1)
            more[: len(self._rules)] = self._rules
            self._rules = more
            self._list_tables()
        self._rules[slot] = rules[0]
        return slot

    @contextlib.contextmanager
    def all_or_nothing(self, games: Any = None, and_ends: bool = True) -> Iterator[Any]:
        """`with batch.all_or_nothing():` puts these games, or all, back to where they were if what follows fails.

        Args:
            games: numbers of games in rising order; None: all.
            and_ends: also what they tell of the games that ended last, which only steps change.

        Yields:
            The index of these games in the arrays.
        """
        where = slice(None) if games is None else self._choose_games(games)
        names = ("states", "games", "legal_sets", "rows", "masks", "policies", "streams")
        ends = ("payoffs", "final_states", "final_rows") if and_ends else ()
        tables = [self._choices, *(getattr(self._tables, name) for name in names + ends)]
        saved, seed = [table[where].copy() for table in tables], self._seed
        try:
            yield where
        except BaseException:
            self._seed = seed
            for table, old in zip(tables, saved):
                table[where] = old
            raise

    def close(self) -> None:
        """End the threads, if there are any; the batch goes on without them."""
        self._threads = 1
        if self._pool is not None and self._pool_of == os.getpid():
            self._pool.shutdown()
        self._pool = None

    # -- Playing -------------------------------------------------------------------------------------------------------

    def step(self, actions: Any, games: Any = None) -> int:
        """Take one action in each game, or in those whose numbers `games` lists in rising order.

        Args:
            actions: int[N] or int[N, 1], or one for each of `games`: action ids, each legal for the seat to act.

        Returns:
            How many games ended in this step.

        Raises:
            IllegalAction: a ValueError that names game, action id and name; nothing is changed.
            ValueError: an argument has the wrong form, or a game is over or has not begun; nothing is changed.
        """
        chosen = self._all if games is None else self._choose_games(games)
        taken = self._checked(actions, len(chosen))
        k = self._driver.find_illegal(chosen, taken, self.legal_sets, self.ruleset.actions.n)
        if k >= 0:
            self._refuse(int(chosen[k]), int(np.asarray(actions).flat[k]))
        if self._threads == 1 or len(chosen) < MIN_PARALLEL:
            settings = self._settings()
            ended = self._advance(self._tables, settings, STEP, chosen, taken, 0, len(chosen))
        else:
            ended = self._step_in_threads(chosen, taken)
        if ended:
            self._check_patience()
        return int(ended)

    def step_or_reset(self, actions: Any) -> int:
        """Begin the next episode of each game that is over, whatever the action for it is, and step the others.

        Args and returns as for `step`; raises as `step` and `reset` do.
        """
        over = np.flatnonzero(self.seats == NO_SEAT)
        if not over.size:
            return self.step(actions)
        waiting = np.flatnonzero(self.seats != NO_SEAT)
        ended = self.step(self._checked(actions, self.n)[waiting], waiting)
        self.reset(games=over)
        return ended

    def choose(self, policy: str = "random") -> np.ndarray:
        """int64[N]: what a compiled policy ("random", "heuristic") does in each game; -1 where a game is over.

        The choices come from streams of their own, one a game, that start with `reset(seed)`.
        """
        code = policy_number("policy", policy)
        if code == ASK:
            fail("policy", "'random' or 'heuristic', not 'ask'")
        out = np.empty(self.n, np.int64)
        self._driver.choose_all(
            self.states, self._rules, self._games, self.legal_sets, self._rows, self._choices, code, out
        )  # fmt: skip
        return out

    def _settings(self) -> Settings:
        return Settings(self._learner, self._skip_forced, self._restart)

    def _choose_games(self, games: Any) -> np.ndarray:
        """int64[k]: numbers of games in rising order, so that none is stepped twice."""
        array = np.asarray(games)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            fail("games", "a list of numbers of games")
        chosen = array.astype(np.int64)
        if chosen.size and (chosen[0] < 0 or chosen[-1] >= self.n or (np.diff(chosen) <= 0).any()):
            fail("games", f"numbers from 0 to {self.n - 1} in rising order, none twice")
        return chosen

    def _checked(self, actions: Any, n: int) -> np.ndarray:
        """int64[n] in memory of our own, so that the kernels are compiled for one kind of array."""
        array = np.asarray(actions)
        if array.shape == (n, 1):
            array = array[:, 0]
        if array.shape != (n,):
            fail("actions", f"shape ({n},), one for each game, not {array.shape}")
        if array.dtype.kind not in "iu" and n:
            fail("actions", f"integers, not {array.dtype}")
        taken = self._actions[:n]
        taken[:] = array
        return taken

    def _refuse(self, game: int, action: int) -> None:
        """The error for an illegal action."""
        names = self.ruleset.actions.names
        if self.seats[game] == NO_SEAT:
            begun = self.seeds[game] != NOT_BEGUN
            fail("actions", f"game {game} is over; reset begins the next" if begun else "call reset first")
        name = names[action] if 0 <= action < len(names) else f"no action, they are 0 to {len(names) - 1}"
        legal_now = [names[a] for a in np.flatnonzero(self.masks[game])]
        more = f", and {len(legal_now) - 8} more" if len(legal_now) > 8 else ""
        raise IllegalAction(
            f"actions: game {game}: {action} ({name}) is illegal; legal: {', '.join(legal_now[:8])}{more}"
        )

    def _check_patience(self) -> None:
        """With auto_reset every game that was begun waits for a decision, or none will ever come."""
        stuck = (self.seats == NO_SEAT) & (self.unseen > 0)
        if self._restart and stuck.any():
            self._give_up(int(stuck.argmax()))

    def _give_up(self, game: int) -> NoReturn:
        raise RuntimeError(
            f"game {game}: {PATIENCE} episodes in a row ended before the learning seat had a decision to take; "
            "choose another seat or configuration"
        )

    def _step_in_threads(self, chosen: np.ndarray, taken: np.ndarray) -> int:
        """The same in equal shares on several threads; games do not touch each other, so nothing else changes."""
        # A process that was forked off has no threads of the pool that it inherits.
        if self._pool is None or self._pool_of != os.getpid():
            self._pool_of = os.getpid()
            self._pool = concurrent.futures.ThreadPoolExecutor(self._threads - 1, "murder_envs")
        bounds = [len(chosen) * k // self._threads for k in range(self._threads + 1)]
        step = functools.partial(self._advance, self._tables, self._settings(), STEP, chosen, taken)
        others = [self._pool.submit(step, first, last) for first, last in zip(bounds[1:], bounds[2:])]
        return step(bounds[0], bounds[1]) + sum(other.result() for other in others)


_KEPT = (
    "n", "states", "final_states", "legal_sets", "returns", "_rules", "_games", "_rows", "_final_rows", "_masks",
    "_policies", "_streams", "_choices", "_actions", "_all", "_learner", "_opponents", "_skip_forced", "_restart",
    "_pass_over", "_threads", "_seed",
)  # fmt: skip
"""What makes up a batch; the rest are views and the compiled driver."""


def _bases(seed: Any, n: int) -> tuple[int | np.ndarray | None, bool]:
    """The seed of all; or int64[n], each game's own, NOT_BEGUN for none, and True."""
    if not isinstance(seed, (list, tuple)):
        return None if seed is None else a_seed("seed", seed), False
    if len(seed) != n:
        fail("seed", f"one for each of the {n} games, not {len(seed)}")
    return np.array([NOT_BEGUN if each is None else a_seed("seed", each) for each in seed], np.int64), True


def _threads(parallel: bool | int, n: int) -> int:
    """How many threads step a batch of n."""
    if isinstance(parallel, (bool, np.bool_)):
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = cores if parallel else 1
    else:
        wanted = an_int("parallel", parallel, 1, 1024)
    return min(wanted, max(1, n // (MIN_PARALLEL // 2)))
