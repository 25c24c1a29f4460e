"""stable-baselines3: many games as one VecEnv, for MaskablePPO of sb3-contrib and for every other algorithm.

    env = make("theres_been_a_murder", 512, seat="all", skip_forced=True)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env)

There is no adapter in between: the whole batch is one compiled call a step, and what the library asks for beside it
(the infos, the masks) is made of a few arrays.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from murder_envs.api.pictures import RENDER_MODES
from murder_envs.api.seat import MASKS, OverBatch, checked_mode, checked_seat, no_ask, observation_space, split
from murder_envs.core.checks import a_bool, a_seed, an_int, fail, is_int, shown
from murder_envs.drivers.batch import MOST_GAMES, PATIENCE, Batch, IllegalAction
from murder_envs.ruleset import Ruleset

Chooser = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(observations int8[k, size], masks int8[k, n], absolute seats int64[k]) -> int[k], a legal action for each."""

Table = str | Chooser | Sequence[str | Chooser]
Opponents = Table | Mapping[Table, int] | None


class BatchVecEnv(OverBatch, VecEnv):
    """N games of one ruleset as a VecEnv. The masks come through `action_masks()`, as sb3-contrib looks for them.

    - Observations are int8[N, size], the seat to act's view (the library makes floats of them), rewards float32[N].
    - The reward is the learning seat's return, paid when its game ends. With `seat="all"` every seat is asked in turn
      by one policy and the last reward is that of the seat which acted last: meant for games in which all are paid
      alike, since the value of the next decision, another seat's, then stands for that of one's own.
    - `infos` are empty but where a game ended: there they have `terminal_observation`, `TimeLimit.truncated`,
      `episode` (`r` return, `l` decisions, `t` seconds), `seat` (whose return and observation it is), `returns`
      (of every seat) and `seed` (what the episode started from). It is for people: later seeds can be worked out from
      one, so no agent may see it.
    - Episode k of game i under seed s starts from `murder_envs.episode_seed(s, i, k)`. `env.seed(s)` counts from the
      next `reset`; a reset without it goes on to each game's next episode.
    - All games have their settings in common: `set_attr` knows `render_mode` alone. An opponent that is to change
      during training is a callable that changes.

    Args:
        ruleset: the configured game.
        num_envs: N.
        seed: int from 0 to 2^63 - 1; None: from the operating system, unless the algorithm gives one.
        seat: the learning seat: an absolute seat, "random" (drawn each episode, from its seed) or "all".
        opponents: who plays the other seats: "random", "heuristic" (both inside the compiled step), a callable
            (observations int8[k, size], masks int8[k, n], seats int64[k]) -> int[k], or a list with one of these for
            each, the next seat clockwise from the learning one first; or a dict of these (lists as tuples) that says
            how many of the games each plays. A callable is asked for all games that wait for it at once, again and
            again until every game waits for its learning seat. None: "random".
        skip_forced: play decisions with one legal option inside the step.
        parallel: as for `Batch`.
        scores: also put the rulebook's own score into the infos of finished games, at some microseconds a game.
        render_mode: what `render` gives: None, "ansi" (all tables as one text), "svg" (a list of pictures), "rgb_array"
            (one picture of all as pixels) or "human" (it shows that in a window). Another one counts as None, with a
            warning.
        render_seat: as for `SeatEnv`.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        ruleset: Ruleset,
        num_envs: int,
        *,
        seed: int | None = None,
        seat: int | str = "all",
        opponents: Opponents = None,
        skip_forced: bool = False,
        parallel: bool | int = False,
        scores: bool = False,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        no_ask(list(opponents) if isinstance(opponents, Mapping) else opponents)
        num_envs = an_int("num_envs", num_envs, 1, MOST_GAMES)
        names, self._choosers, self._whose = _split(opponents, num_envs, ruleset.n_seats)
        self._scores = a_bool("scores", scores)
        self._settings = {"seat": seat, "opponents": opponents, "skip_forced": skip_forced}
        self.batch = Batch(
            ruleset, num_envs, seed, seat=seat, opponents=names, skip_forced=skip_forced, parallel=parallel
        )  # fmt: skip
        self.render_mode = checked_mode(render_mode)
        self.render_seat = checked_seat(ruleset, render_seat)
        self._unseen = np.zeros(self.batch.n, np.int64)
        self._next_seed: int | None = None
        self._next_options: dict[str, Any] | None = None
        self._given: Any = None
        self._began = time.time()
        super().__init__(self.batch.n, observation_space(ruleset), gymnasium.spaces.Discrete(ruleset.actions.n))

    @property
    def unseen(self) -> np.ndarray:
        """int64[N]: episodes so far that ended before the learning seat had a decision, and were passed over."""
        return self._unseen + self.batch.unseen

    # -- Playing -------------------------------------------------------------------------------------------------------

    def reset(self) -> np.ndarray:
        """Begin every game anew; returns the observations, int8[N, size]. A reset that fails changes nothing."""
        unseen = self._unseen.copy()
        try:
            with self.batch.all_or_nothing() if self._choosers else contextlib.nullcontext():
                self.batch.reset(self._next_seed, self._next_options)
                self._unseen[:] = 0
                if self._choosers:
                    self._answer(_Ended(self.num_envs, all_seen=True))
        except BaseException:
            self._unseen[:] = unseen
            raise
        self._next_seed, self._next_options = None, None
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.observations.copy()

    def step_async(self, actions: Any) -> None:
        """Remember the actions for `step_wait`."""
        self._given = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the actions; returns observations int8[N, size], rewards float32[N], dones bool[N] and infos."""
        batch = self.batch
        self._need_reset("step")
        ended = _Ended(self.num_envs)
        try:
            n_ended = batch.step(self._given)
        except IllegalAction as error:
            raise IllegalAction(f"{error}; {MASKS}") from None
        if n_ended:
            self._note(np.flatnonzero(batch.terminated | batch.truncated), ended)
        if self._choosers:
            self._answer(ended)
        return batch.observations.copy(), ended.rewards, ended.dones, ended.infos

    def _note(self, games: np.ndarray, ended: _Ended) -> None:
        """Write down the games that just ended; of those that end twice in one step the learner saw only the first."""
        batch = self.batch
        self._unseen[games[ended.dones[games]]] += 1
        seen = games[~ended.dones[games]]
        ended.dones[seen] = True
        ended.rewards[seen] = batch.rewards[seen]
        now = round(time.time() - self._began, 6)
        views, returns = batch.final_observations[seen], batch.returns[seen]
        columns = (batch.rewards, batch.final_lengths, batch.truncated, batch.final_seats, batch.final_seeds)
        for k, (i, reward, length, cut_off, seat, seed) in enumerate(
            zip(seen.tolist(), *(column[seen].tolist() for column in columns))
        ):
            info = batch.final_score(i) if self._scores else {}
            info["terminal_observation"] = views[k]
            info["TimeLimit.truncated"] = cut_off
            info["episode"] = {"r": reward, "l": length, "t": now}
            info["seat"], info["returns"], info["seed"] = seat, returns[k], seed
            ended.infos[i] = info

    def _answer(self, ended: _Ended) -> None:
        """Ask the callables until every game waits for its learning seat."""
        batch = self.batch
        patience = self._unseen + PATIENCE
        while True:
            waiting = np.flatnonzero(batch.seats != batch.learners)
            if not waiting.size:
                return
            if batch.step(self._choices(waiting), waiting):
                self._note(waiting[(batch.terminated | batch.truncated)[waiting]], ended)
                if (self._unseen > patience).any():
                    raise RuntimeError(
                        f"{PATIENCE} games in a row ended before the learning seat had a decision to take; "
                        "choose another seat or configuration"
                    )

    def _choices(self, waiting: np.ndarray) -> np.ndarray:
        """int64[k]: what the callables do in the games that wait for them."""
        batch = self.batch
        seats = batch.seats[waiting]
        whose = self._whose[waiting, (seats - batch.learners[waiting]) % self.ruleset.n_seats - 1]
        actions = np.full(len(waiting), -1, np.int64)
        for number, chooser in enumerate(self._choosers):
            k = np.flatnonzero(whose == number)
            if not k.size:
                continue
            games = waiting[k]
            chosen = np.asarray(chooser(batch.observations[games], batch.masks[games], seats[k]))
            if chosen.shape != k.shape or chosen.dtype.kind not in "iu":
                fail("opponents", f"{k.size} ints were asked for, not {chosen.dtype} of shape {chosen.shape}")
            legal = (chosen >= 0) & (chosen < self.ruleset.actions.n)
            legal[legal] = batch.masks[games[legal], chosen[legal]] != 0
            if not legal.all():
                fail("opponents", f"illegal action {int(chosen[~legal][0])} in game {int(games[~legal][0])}")
            actions[k] = chosen
        return actions

    def action_masks(self) -> np.ndarray:
        """bool[N, n]: the legal actions of the seat to act in each game."""
        self._need_reset("action_masks")
        return self.batch.masks.astype(np.bool_)

    # -- What the library asks for -------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Take the episodes' seed from the next reset on; one for all games."""
        if seed is not None:
            seed = self._next_seed = a_seed("seed", seed)
        return [seed] * self.num_envs

    def set_options(self, options: list[dict] | dict | None = None) -> None:
        """Options of the next reset (`snapshot`, and the game's own reset options), the same for all games."""
        if options is not None and not isinstance(options, Mapping):
            fail("options", f"one dict for all games, not {shown(options)}")
        self._next_options = dict(options) if options else None

    def has_attr(self, attr_name: str) -> bool:
        """Is there such an attribute?"""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this env, once for each game asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set `render_mode`, for all games; AttributeError for all else, ValueError for some of the games."""
        if attr_name != "render_mode":
            raise AttributeError(f"{shown(attr_name)} cannot be set, only 'render_mode'; make another environment")
        if len(self._get_indices(indices)) != self.num_envs:
            fail("indices", f"None or all {self.num_envs} games, which have the render mode in common")
        self.render_mode = checked_mode(value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks`, `snapshot` or `render` of each game asked for."""
        games = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[i] for i in games]
        if method_name not in ("snapshot", "render"):
            raise AttributeError(f"single games have action_masks, snapshot and render, not {shown(method_name)}")
        self._need_reset(method_name)
        if method_name == "snapshot":
            return [self.batch.snapshot(i) for i in games]
        if self.render_mode in (None, "human"):
            return [None for _ in games]
        return [self._drawn(i) for i in games]

    def _get_indices(self, indices: Any) -> list[int]:
        """Numbers of games: all for None; ValueError names one that there is not."""
        if indices is None:
            return list(range(self.num_envs))
        given = [indices] if is_int(indices) else indices
        return [an_int("indices", i, 0, self.num_envs - 1) for i in given]

    def render(self, mode: str | None = None) -> Any:
        """All tables: one text ("ansi"), a list of SVG documents ("svg"), one mosaic ("rgb_array").

        A mosaic is uint8[height, width, 3] and shows the first 64 tables at most. In "human" mode a window shows
        it, and None is returned.

        Args:
            mode: can only repeat `render_mode`.
        """
        self._need_reset("render")
        if self.render_mode is None or mode not in (None, self.render_mode):
            super().render(mode)  # which warns
            return None
        if self.render_mode == "human":
            self._window.show(self._tiled())
            return None
        if self.render_mode == "rgb_array":
            return self._tiled()
        tables = self.env_method("render")
        return tables if self.render_mode == "svg" else "\n\n".join(tables)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for Monitor, which is what callers want to know: finished games have `episode` in their infos."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """The pixels of each table, uint8[height, 960, 3], with render_mode="rgb_array"; else None for each."""
        self._need_reset("get_images")
        return self.env_method("render") if self.render_mode == "rgb_array" else [None] * self.num_envs

    def close(self) -> None:
        """Close the window and end the threads, if there are any."""
        self._window.close()
        self.batch.close()


class _Ended:
    """What one step tells of the games that ended in it."""

    def __init__(self, n: int, all_seen: bool = False) -> None:
        self.dones = np.full(n, all_seen)
        self.rewards = np.zeros(n, np.float32)
        self.infos: list[dict[str, Any]] = [{} for _ in range(n)]


def _split(opponents: Opponents, n: int, n_seats: int) -> tuple[Any, list[Chooser], np.ndarray]:
    """What a `Batch` is told of the opponents; the callables; int[n, n_seats - 1], which of them plays, -1: none."""
    tables = list(opponents.items()) if isinstance(opponents, Mapping) else [(opponents, n)]
    counts = [count for _, count in tables]
    if not all(is_int(count) and count >= 0 for count in counts) or sum(counts) != n:
        fail("opponents", f"how many of the {n} games each plays, not {counts}")
    names = np.empty((n, n_seats - 1), object)
    whose = np.full(names.shape, -1)
    choosers: list[Chooser] = []
    games = 0
    for table, count in tables:
        if table is None or isinstance(table, str) or callable(table):
            table = ["random" if table is None else table] * (n_seats - 1)
        elif not isinstance(table, Sequence) or len(table) != n_seats - 1:
            fail("opponents", f"a policy or {n_seats - 1} of them, the next seat clockwise first, not {shown(table)}")
        for offset, policy in enumerate(table):
            if callable(policy) and policy not in choosers:
                choosers.append(policy)
            names[games : games + count, offset] = "ask" if callable(policy) else policy
            whose[games : games + count, offset] = choosers.index(policy) if callable(policy) else -1
        games += count
    return names if opponents is not None else None, choosers, whose


def make(game: str, num_envs: int, **options: Any) -> BatchVecEnv:
    """A VecEnv: the game by its registry name, arguments of `BatchVecEnv`, and the configuration."""
    ruleset, ours = split(game, BatchVecEnv, options)
    return BatchVecEnv(ruleset, num_envs, **ours)
