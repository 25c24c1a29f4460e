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

from murder_envs.api.seat import check_render, no_ask, observation_space
from murder_envs.core.checks import a_bool
from murder_envs.drivers.batch import Batch
from murder_envs.registry import make_ruleset
from murder_envs.ruleset import Ruleset


class SeatVectorEnv(gymnasium.vector.VectorEnv):
    """`SeatEnv` N times over one `Batch`; finished games are replaced in the same step.

    - `step` takes int[N] and returns observations int8[N, size], rewards float64[N], terminations and truncations
      bool[N], infos. All are new arrays at each call. One illegal action raises ValueError that names the game, and no
      game is changed.
    - `infos["action_mask"]` int8[N, n] and `action_masks()` bool[N, n] belong to the observations returned with them.
      `infos["seat"]` int64[N] is the seat to act.
    - Where games ended, `infos["final_obs"]` is an object array with their last observations (None elsewhere), and
      `infos["final_info"]` has `returns` float64[N, n_seats], `seat` int64[N] (whose reward and observation it is),
      `length` int64[N] (its decisions), `seed` int64[N] (what the episode started from); each with a mask under the
      same name behind `_`, as Gymnasium has it. Seeds are for people, who can play a game again: later seeds can be
      worked out from one, so no agent may see them.
    - `reset(seed=s)`: episode k of game i starts from `murder_envs.episode_seed(s, i, k)`; without a seed each game
      goes on to its next episode. `options` hold `snapshot` and the game's own reset options, for the episodes that
      begin with this reset.

    Args:
        ruleset: the configured game.
        num_envs: N.
        seat, opponents, skip_forced: as for `SeatEnv`.
        parallel: as for `Batch`.
        scores: also put the rulebook's own score of each finished game into `final_info`, at some microseconds a game.
        render_mode: None or "ansi": `render` gives a tuple of texts.
        render_seat: as for `SeatEnv`.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["ansi"], "render_fps": 1}

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
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        no_ask(opponents)
        check_render(ruleset, render_mode, render_seat)
        self._scores = a_bool("scores", scores)
        self.batch = Batch(
            ruleset, num_envs, seat=seat, opponents=opponents, skip_forced=skip_forced, parallel=parallel
        )  # fmt: skip
        self.num_envs = self.batch.n
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.single_observation_space = observation_space(ruleset)
        self.single_action_space = gymnasium.spaces.Discrete(ruleset.actions.n)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def ruleset(self) -> Ruleset:
        """The configured game."""
        return self.batch.ruleset

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin every game anew; a reset that fails changes nothing."""
        self.batch.reset(seed, options)
        super().reset(seed=seed)
        return self.batch.observations.copy(), self._infos()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in each game."""
        batch = self.batch
        ended = batch.step(actions)
        infos = self._infos()
        if ended:
            self._add_finals(infos)
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
        """`final_obs` and `final_info` of the games that the last step ended."""
        batch = self.batch
        ended = batch.terminated | batch.truncated
        views = np.full(self.num_envs, None, object)
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
        ours = set(last)
        for i in np.flatnonzero(ended).tolist():
            views[i] = batch.final_observations[i].copy()
            if self._scores:
                score = batch.final_score(i)
                self._add_info(last, {name: value for name, value in score.items() if name not in ours}, i)
        infos["final_obs"], infos["_final_obs"] = views, ended.copy()
        infos["final_info"], infos["_final_info"] = last, ended.copy()

    def action_masks(self) -> np.ndarray:
        """bool[N, n]: the legal actions."""
        return self.batch.masks.astype(np.bool_)

    def render(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """Every table as text, with render_mode "ansi"."""
        if self.render_mode is None:
            gymnasium.logger.warn('render: make the environment with render_mode="ansi"')
            return None
        batch = self.batch
        seats = [self.render_seat if self.render_seat is not None else int(seat) for seat in batch.learners]
        return tuple(
            self.ruleset.text(batch.rules_of(i), batch.states[i : i + 1], seat if seat >= 0 else None)
            for i, seat in enumerate(seats)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, if there are any."""
        self.batch.close()


def make(game: str, num_envs: int = 1, **options: Any) -> SeatVectorEnv:
    """What `gymnasium.make_vec` calls: the game by its registry name, arguments of `SeatVectorEnv`, configuration."""
    ours = {name: options.pop(name) for name in _ARGUMENTS if name in options}
    return SeatVectorEnv(make_ruleset(game, **options), num_envs, **ours)


_ARGUMENTS = ("seat", "opponents", "skip_forced", "parallel", "scores", "render_mode", "render_seat")
