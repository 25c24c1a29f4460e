"""Gymnasium: many games at once in one compiled call a step.

`gymnasium.make_vec("murder_envs/theres-been-a-murder-v0", num_envs=1024, seat="random", opponents="heuristic")` comes
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from murder_envs.api.pictures import RENDER_MODES
from murder_envs.api.seat import MASKS, OverBatch, checked_mode, checked_seat, no_ask, observation_space, split
from murder_envs.core.checks import a_bool, a_seed, an_int, fail, shown
from murder_envs.drivers.batch import MOST_GAMES, NOT_BEGUN, Batch, IllegalAction
from murder_envs.ruleset import Ruleset


class SeatVectorEnv(OverBatch, gymnasium.vector.VectorEnv):
    """`SeatEnv` N times over one `Batch`.

    - `step` takes int[N] or int[N, 1] and returns observations int8[N, size], rewards float64[N], terminations and
      truncations bool[N], infos. All are new arrays at each call. One illegal action raises ValueError that names the
      game, and no game is changed.
    - `infos["action_mask"]` int8[N, n] and `action_masks()` bool[N, n] belong to the observations returned with them.
      `infos["seat"]` int64[N] is the seat to act.
    - Of games that ended the infos tell `returns` float64[N, n_seats], `seat` int64[N] (whose reward and observation it
      is), `length` int64[N] (its decisions), `seed` int64[N] (what the episode started from); each with a mask under
      the same name behind `_`, as Gymnasium has it. Seeds are for people, who can play a game again: later seeds can be
      worked out from one, so no agent may see them. What becomes of such a game says `autoreset_mode`:

      - SAME_STEP: the next one replaces it in the same step. What the infos tell of the game that ended is in
        `infos["final_info"]`, its last observation in the object array `infos["final_obs"]` (None for other games).
      - NEXT_STEP: it stays as it ended, with an empty mask, and the next `step` begins the next one, whatever the
        action for it is, with a reward of 0.
      - DISABLED: it stays as it ended until `reset`, which with the option `reset_mask`, bool[N], begins the games
        anew for which that is True, and leaves the others as they are.
    - `reset(seed=s)`: episode k of game i starts from `murder_envs.episode_seed(s, i, k)`; without a seed each game
      goes on to its next episode. With a list of seeds each game goes on like a `SeatEnv` that was given its seed.
      `options` hold `snapshot` and the game's own reset options, for the episodes that begin with this reset.

    Args:
        ruleset: the configured game.
        num_envs: N.
        seat, opponents, skip_forced: as for `SeatEnv`.
        parallel: as for `Batch`.
        scores: also tell the rulebook's own score of each finished game, at some microseconds a game.
        autoreset_mode: a Gymnasium AutoresetMode or its value.
        render_mode: what `render` gives for each game: None, "ansi" (text), "svg" (a picture as SVG), "rgb_array" (the
            same as pixels) or "human": each `reset` and `step` shows the pictures in a window, side by side. Another
            one counts as None, with a warning.
        render_seat: as for `SeatEnv`.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        ruleset: Ruleset,
        num_envs: int = 1,
        *,
        seat: int | str = 0,
        opponents: str | Sequence[str] | None = None,
        skip_forced: bool = False,
        parallel: bool | int = False,
        scores: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        no_ask(opponents)
        self.num_envs = an_int("num_envs", num_envs, 1, MOST_GAMES)
        self.autoreset_mode = _checked_autoreset(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = checked_mode(render_mode)
        self.render_seat = checked_seat(ruleset, render_seat)
        self._scores = a_bool("scores", scores)
        self._settings = {"seat": seat, "opponents": opponents, "skip_forced": skip_forced}
        auto_reset = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.batch = Batch(
            ruleset, self.num_envs, auto_reset=auto_reset, pass_over=True, parallel=parallel, **self._settings
        )  # fmt: skip
        self.single_observation_space = observation_space(ruleset)
        self.single_action_space = gymnasium.spaces.Discrete(ruleset.actions.n)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin games anew: all, or those of `options["reset_mask"]`; a reset that fails changes nothing."""
        chosen = None
        if isinstance(options, Mapping) and "reset_mask" in options:
            chosen = self._chosen(options["reset_mask"])
            options = {name: value for name, value in options.items() if name != "reset_mask"}
        if isinstance(seed, (list, tuple)):
            if len(seed) != self.num_envs:
                fail("seed", f"one for each of the {self.num_envs} games, not {len(seed)}")
            self.batch.reset(seed if chosen is None else [seed[i] for i in chosen], options, chosen)
        else:
            seed = None if seed is None else a_seed("seed", seed)
            self.batch.reset(seed, options, chosen)
            super().reset(seed=seed)
        if self.render_mode == "human":
            self.render()
        return self.batch.observations.copy(), self._infos()

    def _chosen(self, reset_mask: Any) -> np.ndarray:
        """Which games a `reset_mask` begins anew."""
        n = self.num_envs
        if not isinstance(reset_mask, np.ndarray) or reset_mask.dtype != np.bool_ or reset_mask.shape != (n,):
            fail("reset_mask", f"a numpy array of {n} bools, not {shown(reset_mask)}")
        if not reset_mask.any():
            fail("reset_mask", "True for one game at least")
        if (self.batch.seeds[~reset_mask] == NOT_BEGUN).any():
            fail("reset_mask", "True for all games at the first reset")
        return np.flatnonzero(reset_mask)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in each game."""
        batch = self.batch
        self._need_reset("step")
        try:
            is_next = self.autoreset_mode is AutoresetMode.NEXT_STEP
            ended = batch.step_or_reset(actions) if is_next else batch.step(actions)
        except IllegalAction as error:
            raise IllegalAction(f"{error}; {MASKS}") from None
        infos = self._infos()
        if ended:
            self._add_finals(infos)
        if self.render_mode == "human":
            self.render()
        return (
            batch.observations.copy(),
            batch.rewards.copy(),
            batch.terminated.copy(),
            batch.truncated.copy(),
            infos,
        )

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.batch.masks.copy(),
            "_action_mask": everywhere,
            "seat": self.batch.seats.copy(),
            "_seat": everywhere.copy(),
        }

    def _add_finals(self, infos: dict[str, Any]) -> None:
        """What the infos tell of the games that the last step ended."""
        batch = self.batch
        ended = batch.terminated | batch.truncated
        last = self._finals(ended)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            infos["seat"] = np.where(ended, last.pop("seat"), infos["seat"])
            del last["_seat"]
            infos.update(last)
            return
        views = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended).tolist():
            views[i] = batch.final_observations[i].copy()
        infos["final_obs"], infos["_final_obs"] = views, ended.copy()
        infos["final_info"], infos["_final_info"] = last, ended.copy()

    def _finals(self, ended: np.ndarray) -> dict[str, Any]:
        """Returns, seat, length, seed and, if wanted, score of the games that the last step ended; 0 for the others."""
        batch = self.batch
        last: dict[str, Any] = {}
        for name, values in (
            ("returns", batch.returns),
            ("seat", batch.final_seats),
            ("length", batch.final_lengths),
            ("seed", batch.final_seeds),
        ):
            where = ended.reshape(-1, *[1] * (values.ndim - 1))
            last[name] = np.where(where, values, np.zeros((), values.dtype))
            last[f"_{name}"] = ended.copy()
        if self._scores:
            ours = set(last)
            for i in np.flatnonzero(ended).tolist():
                score = batch.final_score(i)
                self._add_info(last, {name: value for name, value in score.items() if name not in ours}, i)
        return last

    def action_masks(self) -> np.ndarray:
        """bool[N, n]: the legal actions."""
        self._need_reset("action_masks")
        return self.batch.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        """A tuple with every table, as `SeatEnv.render` gives it; Gymnasium's wrappers make a mosaic of the pixels.

        In "human" mode a window shows the mosaic, with the first 64 tables at most, and None is returned.
        """
        self._need_reset("render")
        if self.render_mode is None:
            gymnasium.logger.warn('render: make the environment with render_mode="ansi", or another one')
            return None
        if self.render_mode == "human":
            self._window.show(self._tiled())
            return None
        return tuple(self._drawn(i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window and end the threads, if there are any."""
        self._window.close()
        self.batch.close()


class AnyActions(gymnasium.vector.VectorActionWrapper):
    """`murder_envs.AnyAction` for a `SeatVectorEnv`: an illegal action counts as the next legal one after it."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._masks = env.unwrapped.action_masks
        self.autoreset_mode = env.unwrapped.autoreset_mode

    def actions(self, actions: Any) -> np.ndarray:
        """int64[N]: the actions that are taken in their place, of int[N] or int[N, 1]."""
        masks = self._masks()
        n_games, n_actions = masks.shape
        drawn = np.asarray(actions)
        if drawn.shape not in ((n_games,), (n_games, 1)) or drawn.dtype.kind not in "iu":
            fail("actions", f"{n_games} ints, one for each game, not {drawn.dtype} of shape {drawn.shape}")
        first = drawn.reshape(-1, 1).astype(np.int64)
        after = np.take_along_axis(masks, (first + np.arange(n_actions)) % n_actions, 1)
        return (first[:, 0] + after.argmax(1)) % n_actions


def _checked_autoreset(mode: Any) -> AutoresetMode:
    """The AutoresetMode of this name or value."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        fail("autoreset_mode", f"one of {', '.join(repr(each.value) for each in AutoresetMode)}, not {shown(mode)}")


def make(game: str, num_envs: int = 1, **options: Any) -> SeatVectorEnv:
    """What `gymnasium.make_vec` calls: the game by its registry name, arguments of `SeatVectorEnv`, configuration."""
    ruleset, ours = split(game, SeatVectorEnv, options)
    return SeatVectorEnv(ruleset, num_envs, **ours)
