"""Gymnasium: one learning seat against compiled opponents, or every seat in turn.

`gymnasium.make("murder_envs/theres-been-a-murder-v0", seat="random", opponents="heuristic", num_players=3)` comes here.
"""

from __future__ import annotations

import functools
import inspect
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

from murder_envs.api.pictures import MOST_TILES, RENDER_MODES, drawn, tiled
from murder_envs.core.checks import a_seed, an_int, fail, known_keywords, shown
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.tables import Block
from murder_envs.drivers.batch import NOT_BEGUN, Batch, IllegalAction
from murder_envs.picture.scene import Scene
from murder_envs.picture.window import Window
from murder_envs.registry import make_ruleset, parameters
from murder_envs.ruleset import Ruleset

MASKS = (
    "only some actions are legal at a time, see `action_masks()`: use an algorithm that knows masks (sb3-contrib's "
    "MaskablePPO, with MaskableEvalCallback for EvalCallback), or wrap the environment in murder_envs.AnyAction (many "
    "at once: murder_envs.AnyActions), which takes the next legal action instead"
)
"""What the error for an illegal action says to programs that know nothing of masks."""


class ResetFirst(gymnasium.error.ResetNeeded, AssertionError):
    """There is no game yet: Gymnasium's error, and the one that PettingZoo's environments raise."""


# -- What the interfaces for one learning seat have in common ---------------------------------------------------------


class OverBatch:
    """An environment over a batch: what it was made with, and the errors of a game that has not begun.

    The settings cannot be set: games know them from their beginning, so make another environment.
    """

    batch: Batch
    render_mode: str | None
    render_seat: int | None
    _settings: Mapping[str, Any]

    @property
    def ruleset(self) -> Ruleset:
        """The configured game."""
        return self.batch.ruleset

    @property
    def seat(self) -> int | str:
        """The learning seat, as it was given."""
        return self._settings["seat"]

    @property
    def opponents(self) -> Any:
        """Who plays the other seats, as it was given."""
        return self._settings["opponents"]

    @property
    def skip_forced(self) -> bool:
        """Are decisions with one legal option played inside the step?"""
        return self._settings["skip_forced"]

    def _need_reset(self, what: str) -> None:
        if self.batch.seeds[0] == NOT_BEGUN:  # the first reset begins all games
            raise ResetFirst(f"reset() needs to be called before {what}.")

    def _seen(self, game: int) -> tuple[np.ndarray, np.ndarray, int | None]:
        """A game's rules and state, and from whose view it is shown: `render_seat`, or the learning seat, or above."""
        batch, seat = self.batch, self.render_seat
        if seat is None and batch.learners[game] >= 0:
            seat = int(batch.learners[game])
        return batch.rules_of(game), batch.states[game : game + 1], seat

    def _scene(self, game: int) -> Scene:
        """A game as a picture."""
        return self.ruleset.scene(*self._seen(game))

    def _drawn(self, game: int) -> str | np.ndarray | None:
        """What `render` gives for one game."""
        assert self.render_mode is not None
        text, scene = (lambda: self.ruleset.text(*self._seen(game))), (lambda: self._scene(game))
        return drawn(self.render_mode, text, scene, self._window)

    def _tiled(self) -> np.ndarray:
        """The games side by side, uint8[height, width, 3]; the first MOST_TILES, if there are more."""
        return tiled([self._scene(game) for game in range(min(MOST_TILES, self.batch.n))])

    @functools.cached_property
    def _window(self) -> Window:
        return Window(self.ruleset.title)


def observation_space(ruleset: Ruleset) -> gymnasium.spaces.Box:
    """A seat's observation: int8[size], bounds by block."""
    low, high = ruleset.observation.bounds()
    return gymnasium.spaces.Box(low, high, dtype=np.int8)


def checked_mode(render_mode: Any) -> str | None:
    """The render mode; one that there is not is warned of, as Gymnasium does, and counts as None."""
    if render_mode is None or render_mode in RENDER_MODES:
        return render_mode
    if not isinstance(render_mode, str):
        fail("render_mode", f"None or one of {', '.join(map(repr, RENDER_MODES))}, not {render_mode!r}")
    gymnasium.logger.warn(
        f"The environment is being initialised with render_mode={render_mode!r} that is not in the possible "
        f"render_modes ({list(RENDER_MODES)})."
    )
    return None


def checked_seat(ruleset: Ruleset, render_seat: Any) -> int | None:
    """From whose view is drawn; ValueError if there is no such seat."""
    return None if render_seat is None else an_int("render_seat", render_seat, 0, ruleset.n_seats - 1)


def no_ask(opponents: Any) -> None:
    """ValueError where an opponent is "ask", which only a batch can be: here nobody would answer."""
    if opponents == "ask" or (isinstance(opponents, (list, tuple)) and "ask" in opponents):
        fail("opponents", "'random' or 'heuristic', not 'ask'")


def split(game: str, env: type, options: dict[str, Any]) -> tuple[Ruleset, dict[str, Any]]:
    """The configured game by its registry name, and those of the options that are keywords of an environment's class.

    Raises:
        ValueError: an argument is wrong; the text begins with its name. It is an UnknownKeyword where neither the
            class nor the game has such a keyword.
    """
    signature = inspect.signature(env).parameters.values()
    own = [each.name for each in signature if each.kind is inspect.Parameter.KEYWORD_ONLY]
    known_keywords(options, [*parameters(game).names(), *own])
    config = {name: value for name, value in options.items() if name not in own}
    return make_ruleset(game, **config), {name: options[name] for name in own if name in options}


# -- The environment --------------------------------------------------------------------------------------------------


class SeatEnv(OverBatch, gymnasium.Env):
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
    - Infos have the same keys and shapes in every game: lists of the score whose length differs are filled up, see
      `Ruleset.padding`.

    Args:
        ruleset: the configured game.
        seat: the learning seat: an absolute seat, "random" (drawn each episode, from its seed) or "all".
        opponents: "random", "heuristic", or a list with one of them for each other seat, the next one clockwise from
            the learning seat first. None: "random".
        skip_forced: play the learning seat's decisions with one legal option inside the step.
        render_mode: what `render` gives: None, "ansi" (text), "svg" (a picture as SVG), "rgb_array" (it as pixels)
            or "human": each `reset` and `step` shows the picture in a window. Another one counts as None, with a
            warning.
        render_seat: from whose view `render` shows the table, an absolute seat; None: from the learning seat's, or
            from above where all seats learn.

    Raises:
        ValueError: an argument is out of range; the text begins with its name.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

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
        self._settings = {"seat": seat, "opponents": opponents, "skip_forced": skip_forced}
        self.batch = Batch(ruleset, 1, auto_reset=False, pass_over=True, **self._settings)
        self.render_mode = checked_mode(render_mode)
        self.render_seat = checked_seat(ruleset, render_seat)
        self.observation_space = observation_space(ruleset)
        self.action_space = gymnasium.spaces.Discrete(ruleset.actions.n)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal the next game (see the class); a reset that fails changes nothing."""
        if seed is not None:
            seed = a_seed("seed", seed)
        is_first = self.batch.seeds[0] == NOT_BEGUN
        begin = secrets.randbits(63) if seed is None and is_first else seed
        self.batch.reset(None if begin is None else [begin], options)
        super().reset(seed=seed)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the action of the seat to act, an int or an array of one, and play on."""
        batch = self.batch
        if batch.seats[0] == NO_SEAT:
            self._need_reset("step")
            raise gymnasium.error.ResetNeeded("no game is under way: call reset")
        try:
            batch.step([action])
        except IllegalAction as error:
            raise IllegalAction(f"{error}; {MASKS}") from None
        if self.render_mode == "human":
            self.render()
        terminated, truncated = bool(batch.terminated[0]), bool(batch.truncated[0])
        return self._observation(), float(batch.rewards[0]), terminated, truncated, self._info()

    def _observation(self) -> np.ndarray:
        return self.batch.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        batch = self.batch
        mask = batch.masks[0].copy()
        if batch.seats[0] != NO_SEAT:
            return {"action_mask": mask, "seat": int(batch.seats[0])}
        seat = int(batch.final_seats[0])
        return {**batch.final_score(0), "action_mask": mask, "seat": seat, "returns": batch.returns[0].copy()}

    def action_masks(self) -> np.ndarray:
        """bool[n]: the legal actions, as sb3-contrib asks for them."""
        self._need_reset("action_masks")
        return self.batch.masks[0].astype(np.bool_)

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions; empty once the game is over."""
        self._need_reset("legal_actions")
        return [int(action) for action in np.flatnonzero(self.batch.masks[0])]

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
        self._need_reset("snapshot")
        return self.batch.snapshot(0)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """The table as text ("ansi"), as SVG ("svg") or as pixels, uint8[height, 960, 3] ("rgb_array").

        In "human" mode a window shows the picture, and None is returned. Errors: see `RawEnv.render`.
        """
        self._need_reset("render")
        if self.render_mode is None:
            gymnasium.logger.warn('render: make the environment with render_mode="ansi", or another one')
            return None
        return self._drawn(0)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()


class AnyAction(gymnasium.ActionWrapper, gymnasium.utils.RecordConstructorArgs):
    """For tools that draw actions without looking at the mask: an illegal one counts as the next legal one after it.

    After the last action comes the first. Gymnasium's own environment checker is such a tool.
    """

    def __init__(self, env: gymnasium.Env) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ActionWrapper.__init__(self, env)

    def action(self, action: Any) -> int:
        """The action that is taken in its place, of an int or an array of one."""
        drawn = np.asarray(action)
        if drawn.size != 1 or drawn.dtype.kind not in "iu":
            fail("action", f"an int, not {shown(action)}")
        mask = self.get_wrapper_attr("action_masks")()
        after = np.roll(mask, -drawn.item())
        return (drawn.item() + int(after.argmax())) % len(mask)


def make(game: str, **options: Any) -> SeatEnv:
    """What `gymnasium.make` calls: the game by its registry name, arguments of `SeatEnv`, and the configuration."""
    ruleset, ours = split(game, SeatEnv, options)
    if isinstance(mode := ours.get("render_mode"), str) and mode not in RENDER_MODES:
        ours["render_mode"] = None  # of which Gymnasium has warned, since it knows `metadata`
    return SeatEnv(ruleset, **ours)


make.metadata = SeatEnv.metadata  # type: ignore[attr-defined]
