"""Gymnasium: one learning seat against compiled opponents, or every seat in turn.

`gymnasium.make("murder_envs/theres-been-a-murder-v0", seat="random", opponents="heuristic", num_players=3)` comes here.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import gymnasium
import numpy as np

from murder_envs.core.checks import a_choice, a_seed, an_int, fail
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.rng import episode_seed
from murder_envs.core.tables import Block
from murder_envs.drivers.batch import PATIENCE, Batch
from murder_envs.registry import make_ruleset
from murder_envs.ruleset import Ruleset


def observation_space(ruleset: Ruleset) -> gymnasium.spaces.Box:
    """A seat's observation: int8[size], bounds by block."""
    low, high = ruleset.observation.bounds()
    return gymnasium.spaces.Box(low, high, dtype=np.int8)


def check_render(ruleset: Ruleset, render_mode: str | None, render_seat: int | None) -> None:
    """ValueError names a render argument that is out of range."""
    if render_mode is not None:
        a_choice("render_mode", render_mode, ("ansi",))
    if render_seat is not None:
        an_int("render_seat", render_seat, 0, ruleset.n_seats - 1)


class SeatEnv(gymnasium.Env):
    """A game seen from one seat: `step` takes that seat's action and plays on to its next decision.

    - Observations are int8[size]; the legal actions are in `info["action_mask"]` (int8[n]) and `action_masks()`
      (bool[n]), empty once the game is over. An illegal action raises ValueError and changes nothing.
    - The reward is the learning seat's return, paid when the game ends. `info["seat"]` is the seat that is to act (at
      the end: that the reward is for), `info["returns"]` at the end has every seat's return, beside the game's own
      score.
    - With `seat="all"` each seat is asked in turn and the last reward is that of the seat which acted last. That is
      meant for games in which all are paid alike; in others take each seat's pay from `info["returns"]`.
    - `reset(seed=s)` starts from s itself, the k-th reset after it without a seed from
      `murder_envs.episode_seed(s, 0, k)`, like the AEC environments. A game that ends before the learning seat has a
      decision is passed over as if it had been reset once more.
    - `reset(options=...)` takes `snapshot` and the game's own reset options.

    Args:
        ruleset: the configured game.
        seat: the learning seat: an absolute seat, "random" (drawn each episode, from its seed) or "all".
        opponents: "random", "heuristic", or a list with one of them for each other seat, the next one clockwise from
            the learning seat first. None: "random".
        skip_forced: play the learning seat's decisions with one legal option inside the step.
        render_mode: None or "ansi".
        render_seat: from whose view `render` shows the table, an absolute seat; None: from the learning seat's, or
            from above where all seats learn.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        ruleset: Ruleset,
        *,
        seat: int | str = 0,
        opponents: str | Sequence[str] | None = None,
        skip_forced: bool = False,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        no_ask(opponents)
        check_render(ruleset, render_mode, render_seat)
        self._batch = Batch(
            ruleset, 1, 0, seat=seat, opponents=opponents, skip_forced=skip_forced, auto_reset=False
        )  # fmt: skip
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.observation_space = observation_space(ruleset)
        self.action_space = gymnasium.spaces.Discrete(ruleset.actions.n)
        self._seed: int | None = None
        self._episode = 0

    @property
    def ruleset(self) -> Ruleset:
        """The configured game."""
        return self._batch.ruleset

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal the next game (see the class); a reset that fails changes nothing."""
        first, k = self._seed, self._episode + 1
        if seed is not None:
            first, k = a_seed("seed", seed), 0
        elif first is None:
            first, k = secrets.randbits(63), 0
        before = self._batch.clone() if options else None
        last = k + PATIENCE
        while not self._batch.start(0, first if k == 0 else episode_seed(first, 0, k), options):
            k += 1
            if k == last:
                self._batch = before or self._batch
                no_decision(options)
        super().reset(seed=seed)
        self._seed, self._episode = first, k
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the action of the seat to act and play on."""
        batch = self._batch
        if batch.seats[0] == NO_SEAT:
            raise gymnasium.error.ResetNeeded("no game is under way: call reset")
        batch.step([action])
        terminated, truncated = bool(batch.terminated[0]), bool(batch.truncated[0])
        return self._observation(), float(batch.rewards[0]), terminated, truncated, self._info()

    def _observation(self) -> np.ndarray:
        return self._batch.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        batch = self._batch
        mask = batch.masks[0].copy()
        if batch.seats[0] != NO_SEAT:
            return {"action_mask": mask, "seat": int(batch.seats[0])}
        seat = int(batch.final_seats[0])
        score = self.ruleset.info(batch.rules_of(0), batch.states, seat)
        return {**score, "action_mask": mask, "seat": seat, "returns": batch.returns[0].copy()}

    def action_masks(self) -> np.ndarray:
        """bool[n]: the legal actions, as sb3-contrib asks for them."""
        return self._batch.masks[0].astype(np.bool_)

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions; empty once the game is over."""
        return [int(action) for action in np.flatnonzero(self._batch.masks[0])]

    @property
    def action_names(self) -> tuple[str, ...]:
        """id -> name."""
        return self.ruleset.actions.names

    def action_id(self, name: str) -> int:
        """The id of an action name; ValueError names an unknown one."""
        return self.ruleset.actions.id(name)

    @property
    def observation_layout(self) -> Mapping[str, Block]:
        """Where each part of the observation lies."""
        return self.ruleset.observation

    def snapshot(self) -> dict[str, Any]:
        """The game as a complete plain dict."""
        return self._batch.snapshot(0)

    def render(self) -> str | None:  # type: ignore[override]
        """The table as text, with render_mode "ansi"."""
        if self.render_mode is None:
            gymnasium.logger.warn('render: make the environment with render_mode="ansi"')
            return None
        seat = self.render_seat
        if seat is None and self._batch.learners[0] >= 0:
            seat = int(self._batch.learners[0])
        return self.ruleset.text(self._batch.rules_of(0), self._batch.states, seat)


class AnyAction(gymnasium.ActionWrapper, gymnasium.utils.RecordConstructorArgs):
    """For tools that draw actions without looking at the mask: an illegal one counts as the next legal one after it.

    After the last action comes the first. Gymnasium's own environment checker is such a tool.
    """

    def __init__(self, env: gymnasium.Env) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ActionWrapper.__init__(self, env)

    def action(self, action: Any) -> int:
        """The action that is taken in its place."""
        mask = self.get_wrapper_attr("action_masks")()
        after = np.roll(mask, -int(action))
        return (int(action) + int(after.argmax())) % len(mask)


def no_decision(options: Mapping[str, Any] | None) -> NoReturn:
    """The error when all games, one after the other, end before the learning seat has a decision to take."""
    if options and "snapshot" in options:
        fail("snapshot", "the learning seat has no decision to take from here on")
    raise RuntimeError(f"{PATIENCE} games in a row ended before the learning seat had a decision to take")


def no_ask(opponents: Any) -> None:
    """ValueError where an opponent is "ask", which only a batch can be: here nobody would answer."""
    if opponents == "ask" or (isinstance(opponents, (list, tuple)) and "ask" in opponents):
        fail("opponents", "'random' or 'heuristic', not 'ask'")


def make(game: str, **options: Any) -> SeatEnv:
    """What `gymnasium.make` calls: the game by its registry name, arguments of `SeatEnv`, and the configuration."""
    ours = {name: options.pop(name) for name in _ARGUMENTS if name in options}
    return SeatEnv(make_ruleset(game, **options), **ours)


_ARGUMENTS = ("seat", "opponents", "skip_forced", "render_mode", "render_seat")
