"""Every game as a PettingZoo AEC environment: `RawEnv`, `Env` (under PettingZoo's default wrappers) and `SkipForced`.

One compiled call a step does all that concerns the game (`drivers/cursor.py`); what is left here is bookkeeping in
Python, so it is written to touch as little as possible: rewards and terminations change at the end only, and an info
is made when somebody asks for it.
"""

from __future__ import annotations

import copy
import inspect
import operator
import secrets
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import BaseWrapper

from murder_envs import registry
from murder_envs.api.pictures import MODES_HELP, RENDER_MODES, drawn
from murder_envs.core.checks import a_seed, an_int, fail, is_int, known_keywords, shown
from murder_envs.core.config import parameter_rows
from murder_envs.core.jit import copied
from murder_envs.core.rng import episode_seed
from murder_envs.core.tables import Layout
from murder_envs.drivers.cursor import OVER, Cursor
from murder_envs.drivers.story import Story
from murder_envs.picture.scene import Scene
from murder_envs.picture.window import Window
from murder_envs.registry import make_ruleset, parameters
from murder_envs.replay.file import Replay
from murder_envs.ruleset import Ruleset

ILLEGAL_REWARD = -1.0
"""What `Env` pays for an illegal action, as the environments of PettingZoo do."""

API_TEST_OPTIONS = {"options": 1}
"""What PettingZoo's `api_test` hands to every `reset`, whatever its options are: taken for none."""

SPACES = ("_observation_spaces", "_action_spaces", "_state_space")
COPIED = {"agents", "_played", "rewards", "_cumulative_rewards", "terminations", "truncations"}
NAMED = "_has_updated"
"""What a loop over `agent_iter` notes; a copy made inside the loop is iterated by nobody yet."""

SET_BY_RESET = {"rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"}


def raw_env(game: str, /, render_mode: str | None = None, render_seat: int | None = None, **config: Any) -> RawEnv:
    """A game by name as an environment in which an illegal action raises ValueError and changes nothing."""
    return RawEnvBeforeReset(make_ruleset(game, **config), render_mode, render_seat)


def env(game: str, /, render_mode: str | None = None, render_seat: int | None = None, **config: Any) -> Env:
    """A game by name as an environment that behaves as under PettingZoo's default wrappers."""
    return EnvBeforeReset(make_ruleset(game, **config), render_mode, render_seat)


def constructor(game: str, name: str) -> Any:
    """`env` or `raw_env` of a game's public module: a function whose signature and help have the game's parameters."""
    make = {"env": env, "raw_env": raw_env}[name]
    config = parameters(game)

    def construct(render_mode: str | None = None, render_seat: int | None = None, **keywords: Any) -> RawEnv:
        known_keywords(keywords, signature.parameters)
        return make(game, render_mode, render_seat, **keywords)

    own = list(inspect.signature(construct, eval_str=True).parameters.values())[:2]
    types = get_type_hints(config)
    rows = parameter_rows(config)
    named = [
        inspect.Parameter(
            row["parameter"], inspect.Parameter.KEYWORD_ONLY, default=row["default"], annotation=types[row["parameter"]]
        )
        for row in rows
    ]
    signature = inspect.Signature([*own, *named], return_annotation=get_type_hints(make)["return"])
    vars(construct)["__signature__"] = signature
    construct.__name__ = construct.__qualname__ = name
    construct.__module__ = f"murder_envs.{game}_v0"
    construct.__doc__ = _help(game, name, rows)
    return construct


def _help(game: str, name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The docstring of a constructor."""
    behaves = {
        "env": "which behaves as under PettingZoo's default wrappers",
        "raw_env": "in which an illegal action raises ValueError and changes nothing",
    }
    arguments = [
        f"render_mode: what `render` gives: None, {MODES_HELP}.",
        "render_seat: from whose view `render` shows the game, an absolute seat. Default: None, from above.",
    ]
    for row in rows:
        meaning = row["meaning"] if row["meaning"].endswith("?") else f"{row['meaning']}."
        values = "; ".join(f'"{name}": {each}' for name, each in row["meanings"].items()) or row["values"]
        arguments.append(f"{row['parameter']}: {meaning} Values: {values}. Default: {row['default']!r}.")
    wrapped = [textwrap.fill(each, 100, initial_indent=" " * 4, subsequent_indent=" " * 8) for each in arguments]
    return "\n".join(
        [
            f"{registry.game(game).TITLE} as a PettingZoo AEC environment, {behaves[name]}.",
            "",
            "`CONFIGS` of this module has named configurations: `env(**CONFIGS[name])`.",
            "",
            "Args:",
            *wrapped,
            "",
            "Raises:",
            "    ValueError: an argument is unknown or out of range; the text begins with its name.",
        ]
    )


class RawEnv(AECEnv[str, dict[str, np.ndarray], int | None]):
    """A game as a PettingZoo AEC environment.

    Observations are dicts of two fresh arrays: `observation`, int8[observation.size], and `action_mask`, int8[n], all
    zero for whoever is not to act. Rewards are paid once, at the end.

    Args:
        ruleset: the configured game.
        render_mode: what `render` gives: None, "ansi" (text), "svg" (a picture as SVG), "rgb_array" (it as pixels)
            or "human": it shows the picture in a window, which the first `render` opens.
        render_seat: from whose view `render` shows the game; None: from above.

    Attributes:
        possible_agents: agent names by absolute seat.
        agents: those still in; after the end each leaves with its `step(None)`.
        game_seed: the seed that this game started from.
        state_space: Box of `state()`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 1}

    def __init__(self, ruleset: Ruleset, render_mode: str | None = None, render_seat: int | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            fail("render_mode", f"None or one of {', '.join(map(repr, RENDER_MODES))}, not {render_mode!r}")
        if render_seat is not None:
            render_seat = an_int("render_seat", render_seat, 0, ruleset.n_seats - 1)
        self.metadata = {**type(self).metadata, "name": f"{ruleset.name}_v0"}
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.possible_agents = list(ruleset.agents)
        self.game_seed: int | None = None
        self._ruleset = ruleset
        self._seat_of = {agent: seat for seat, agent in enumerate(ruleset.agents)}
        self._observation_spaces: dict[str, Dict] = {}
        self._action_spaces: dict[str, Discrete] = {}
        self._state_space: Box | None = None
        # The seed last given and how many games have been started from it: what the next reset follows from.
        self._seed: int | None = None
        self._episode = 0
        self._has_reset = False
        self._acting: str | None = None  # who may act; None before the first game and after the end of one
        self._infos: dict[str, dict[str, Any]] = {}  # those of this decision that have been asked for
        self._skip_agent_selection: str | None = None
        self._n_actions = ruleset.actions.n
        self._game = Cursor(ruleset)
        self._window = Window(ruleset.title)
        self._played: list[int] = []  # the actions of this game
        self._story: Story  # what its seats have been told of them

    # -- Names and spaces ---------------------------------------------------------------------------------------------

    @property
    def action_names(self) -> tuple[str, ...]:
        """Action id -> name."""
        return self._ruleset.actions.names

    def action_id(self, name: str) -> int:
        """The id of an action name; ValueError names an unknown one."""
        return self._ruleset.actions.id(name)

    @property
    def observation_layout(self) -> Layout:
        """Block name -> Block(name, slice, shape, low, high, meaning) of an observation, in order."""
        return self._ruleset.observation

    @property
    def state_layout(self) -> Layout:
        """The same for `state()`."""
        return self._ruleset.world

    @property
    def ruleset(self) -> Ruleset:
        """The configured game, as `murder_envs.drivers` take it."""
        return self._ruleset

    def observation_space(self, agent: str) -> Dict:
        """Dict of the Boxes `observation` and `action_mask`, the same object each time."""
        if agent not in self._observation_spaces:
            self._seat(agent)
            low, high = self._ruleset.observation.bounds()
            mask = Box(0, 1, (self._n_actions,), np.int8)
            self._observation_spaces[agent] = Dict({"observation": Box(low, high, dtype=np.int8), "action_mask": mask})
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Discrete(n), the same object each time."""
        if agent not in self._action_spaces:
            self._seat(agent)
            self._action_spaces[agent] = Discrete(self._n_actions)
        return self._action_spaces[agent]

    @property
    def observation_spaces(self) -> dict[str, Dict]:
        """Agent -> observation space."""
        return {agent: self.observation_space(agent) for agent in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, Discrete]:
        """Agent -> action space."""
        return {agent: self.action_space(agent) for agent in self.possible_agents}

    @property
    def state_space(self) -> Box:
        """The Box of `state()`."""
        if self._state_space is None:
            low, high = self._ruleset.world.bounds()
            self._state_space = Box(low, high, dtype=np.int8)
        return self._state_space

    def _seat(self, agent: str) -> int:
        """The seat of an agent; ValueError names an unknown one."""
        try:
            return self._seat_of[agent]
        except (KeyError, TypeError):
            raise ValueError(f"agent: one of {', '.join(self.possible_agents)}, not {shown(agent)}") from None

    # -- A game begins and ends ---------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: an int from 0 to 2^63 - 1, which the game starts from. The k-th reset after it without a seed starts
                from `murder_envs.episode_seed(seed, 0, k)`; without any so far, the operating system gives one.
            options: `snapshot` (a dict, which may be partial) and the game's own reset options, for this game alone.

        Raises:
            ValueError: it names what is wrong with the seed or an option; nothing has changed then.
        """
        base, episode = self._next_episode(seed)
        game_seed = base if episode == 0 else int(episode_seed(base, 0, episode))
        rules, snapshot = self._read_options(options)
        begun = None
        if snapshot is None:
            self._game.deal(game_seed, rules)
        else:
            self._game.restore(snapshot, game_seed, rules)
            begun = copied(self._game.states)
        self._seed, self._episode, self.game_seed = base, episode, game_seed
        self._played = []
        self._begun_with = {name: copy.deepcopy(value) for name, value in (options or {}).items()}
        self._story = Story(self._ruleset, self._game.rules, game_seed, begun)
        self._begin(self._game.seat)

    def _next_episode(self, seed: int | None) -> tuple[int, int]:
        """The seed that counts, and which game under it is next."""
        if seed is not None:
            return a_seed("seed", seed), 0
        if self._seed is None:
            return secrets.randbits(63), 0
        return self._seed, self._episode + 1

    def _read_options(self, options: Mapping[str, Any] | None) -> tuple[np.ndarray, Mapping[str, Any] | None]:
        """The rules record of one game, and the snapshot to start from or None."""
        if options is None:
            return self._ruleset.rules, None
        if not isinstance(options, Mapping):
            fail("options", f"a dict, not {shown(options)}")
        if is_int(options.get("options")) and options == API_TEST_OPTIONS:
            return self._ruleset.rules, None
        others = {key: value for key, value in options.items() if key != "snapshot"}
        snapshot = options.get("snapshot")
        if snapshot is not None and not isinstance(snapshot, Mapping):
            fail("snapshot", f"a dict, not {shown(snapshot)}")
        return (self._ruleset.with_options(others) if others else self._ruleset.rules), snapshot

    def _begin(self, seat: int) -> None:
        """All agents are in, and `seat` acts first; or nobody, if a snapshot of a finished game was restored."""
        if not self._has_reset:
            self._has_reset = True
            self._first_reset()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._infos = {}
        if seat >= 0:
            self.agent_selection = self._acting = self.possible_agents[seat]
        else:
            self.agent_selection = self.possible_agents[0]
            self._end()

    def _first_reset(self) -> None:
        """See BeforeReset."""

    def _end(self) -> None:
        """The game is over: everybody is paid, and leaves in the order of the seats."""
        paid, cut_off = self._game.outcome()
        self.rewards = dict(zip(self.agents, paid))
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, not cut_off)
        self.truncations = dict.fromkeys(self.agents, cut_off)
        self._deads_step_first()

    def _deads_step_first(self) -> str:
        """As PettingZoo's, which its wrappers call too after they have ended a game; from here on nobody may act."""
        self._acting = None
        self._infos = {}
        return super()._deads_step_first()

    # -- Playing ------------------------------------------------------------------------------------------------------

    def step(self, action: int | None) -> None:
        """Take an action for `agent_selection`; None for one whose game is over.

        Raises:
            ValueError: the action is illegal or out of range; the text says what is legal, and nothing has changed.
        """
        agent = self.agent_selection
        if not self.agents or self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int or not 0 <= action < self._n_actions:
            action = self._in_range(action)
        seat = self._game.advance(action)
        if seat >= 0:
            self.agent_selection = self._acting = self.possible_agents[seat]
            self._infos = {}
            self._played.append(action)
        elif seat == OVER:
            self._played.append(action)
            self._end()
        else:
            self._illegal(action)

    def _in_range(self, action: Any) -> int:
        """An action of another integer type as an int; ValueError names what is none or out of range."""
        if is_int(action) and 0 <= operator.index(action) < self._n_actions:
            return operator.index(action)
        fail("action", f"an int from 0 to {self._n_actions - 1}, not {shown(action)}; {self._what_is_legal()}")

    def _illegal(self, action: int) -> None:
        fail("action", f"{action} ({self.action_names[action]}) is illegal; {self._what_is_legal()}")

    def _what_is_legal(self) -> str:
        names = ", ".join(self.action_names[action] for action in self.legal_actions())
        return f"legal for {self.agent_selection} in phase {self.snapshot()['phase']}: {names}"

    def _was_dead_step(self, action: int | None) -> None:
        """As PettingZoo's, but knows that all agents are dead: the next in the order of the seats follows."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        if not self.agents:
            raise ValueError("step: the game is over and all agents have left; reset() starts the next")
        agent = self.agent_selection
        self.agents.remove(agent)
        for each in (self.terminations, self.truncations, self._cumulative_rewards):
            del each[agent]
        self._infos.pop(agent, None)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            if self._skip_agent_selection is None:
                self._skip_agent_selection = agent
            self.agent_selection = self.agents[0]
        else:
            if self._skip_agent_selection is not None:
                self.agent_selection = self._skip_agent_selection
            self._skip_agent_selection = None

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees and may do: {"observation": int8[...], "action_mask": int8[n]}, in arrays of their own."""
        if agent == self._acting:
            return {"observation": self._game.row.copy(), "action_mask": self._game.mask.copy()}
        self._need_reset("observe")
        observation = self._game.look(self._seat(agent))
        return {"observation": observation, "action_mask": np.zeros(self._n_actions, np.int8)}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, termination, truncation and info of `agent_selection`."""
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        paid = self._cumulative_rewards[agent]
        info = self._infos[agent] if agent in self._infos else self._info(agent)
        return seen, paid, self.terminations[agent], self.truncations[agent], info

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """Agent -> its `action_mask`, and at the end the rulebook's own score; made when asked for."""
        if len(self._infos) != len(self.agents):
            made = self._infos
            self._infos = {agent: made[agent] if agent in made else self._info(agent) for agent in self.agents}
        return self._infos

    def _info(self, agent: str) -> dict[str, Any]:
        # Before the end there is no score, and asking for it would take a third of the time of a step.
        info = self._game.info(self._seat_of[agent]) if self._acting is None else {}
        info["action_mask"] = self._game.mask.copy() if agent == self._acting else np.zeros(self._n_actions, np.int8)
        self._infos[agent] = info
        return info

    def legal_actions(self) -> list[int]:
        """Ids legal for the seat to act, rising; none when the game is over."""
        self._need_reset("legal_actions")
        return [] if self._acting is None else self._game.legal()

    def state(self) -> np.ndarray:
        """The whole hidden truth, int8[state_layout.size]."""
        self._need_reset("state")
        return self._game.look_from_above()

    def position(self) -> tuple[np.ndarray, np.ndarray]:
        """Copies of this game's state and rules, arrays of one STATE and one RULES record, as the drivers take them."""
        self._need_reset("position")
        return copied(self._game.states), copied(self._game.rules)

    def replay(self) -> Replay:
        """This game so far, to be kept in a file, played again, or looked at as a page.

        Raises:
            ValueError: `replay`: the game goes on from a `redeal`, and no seed deals that.
        """
        self._need_reset("replay")
        if self._story.before:
            fail("replay", "a game that was dealt from a seed or a snapshot, not one that goes on from a redeal")
        options = copy.deepcopy(self._begun_with)
        snapshot = options.pop("snapshot", None)
        names = self._ruleset.actions.names
        actions = [names[action] for action in self._played]
        return Replay(self._ruleset, self._story.seed, actions, options=options or None, snapshot=snapshot)

    def snapshot(self) -> dict[str, Any]:
        """The state as a plain dict in the rulebook's terms; `reset(options={"snapshot": ...})` restores it."""
        self._need_reset("snapshot")
        return self._game.snapshot()

    def render(self) -> str | np.ndarray | None:
        """The table, from above or from the view of `render_seat`.

        Returns:
            Text ("ansi"), an SVG document ("svg") or pixels, uint8[height, 960, 3] ("rgb_array"); None in "human" mode,
            where a window shows the picture.

        Raises:
            DependencyNotInstalled: Pillow or pygame-ce is missing; the text says how to get it.
            NoDisplay: "human", and there is no screen; the text says what to use instead.
        """
        self._need_reset("render")
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        game, seat = self._game, self.render_seat
        return drawn(self.render_mode, lambda: game.text(seat), lambda: game.scene(seat), self._window)

    def scene(self, seat: int | None = None) -> Scene:
        """The table as a picture, whatever the render mode: `scene(1).svg("dark")`, `scene().pixels(480)`.

        Args:
            seat: from whose view; None: from above.

        Raises:
            ValueError: `seat`: there is none of this number.
        """
        self._need_reset("scene")
        return self._game.scene(seat)

    def describe(self, action: int, seat: int | None = None) -> str:
        """What an action of the agent to act means, as a sentence.

        Args:
            action: the id of a legal action.
            seat: who reads: that seat is "you", and reads what it would be told. None: from above, with nothing hidden.

        Raises:
            ValueError: the action is illegal, or there is no such seat.
        """
        self._need_reset("describe")
        return self._game.describe(action, seat)

    def asked(self, seat: int | None = None) -> str:
        """What the agent to act is asked, as a sentence for a seat, or from above; at the end how the game ended."""
        self._need_reset("asked")
        return self._game.asked(seat)

    def messages(self, agent: str, since: int | None = None) -> list[str]:
        """What an agent has been told, its private knowledge included, as sentences.

        Args:
            agent: who is told.
            since: by decision number `since` of this game, counted from 0, and those after it; -1: also what it knew as
                the game began. None: by its own last decision, -1 before its first.
        """
        self._need_reset("messages")
        seat = self._seat(agent)
        if since is not None:
            since = an_int("since", since, -1, len(self._played))
        return self._story.since(seat, self._played, since)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def _need_reset(self, what: str) -> None:
        if not self._has_reset:
            raise AssertionError(f"reset() needs to be called before {what}.")

    # -- The same game twice ------------------------------------------------------------------------------------------

    def redeal(self, seat: int, seed: int) -> RawEnv:
        """A new environment in another state that the seat cannot tell from this one; this one stays as it is.

        Worlds that fit what the seat was shown are drawn uniformly, or nearly so, and not from the posterior of the
        deal: one that players, or in some games chance, would bring about more often is not drawn more often. It shows
        in Perfect Murder with plan="random" and in There's Been A Murder's `tiny`; docs/search.md has the details.

        Args:
            seat: an absolute seat.
            seed: an int from 0 to 2^63 - 1, which also draws what is still random in the new state.

        Raises:
            ValueError: seat or seed out of range, or `over`: a finished game keeps no secret worth dealing anew.
        """
        self._need_reset("redeal")
        seat = an_int("seat", seat, 0, len(self.possible_agents) - 1)
        seed = a_seed("seed", seed)
        if self._acting is None:
            fail("over", "a finished game cannot be dealt anew")
        other = self.clone()
        other._game.redeal(seat, seed)
        other._story = self._story.redealt(seat, other._game.states, self._played)
        return other

    def clone(self) -> RawEnv:
        """An independent copy that goes on with the same game; its spaces are new, so they sample from a new seed."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop(NAMED, None)
        other._game, other._window = self._game.copy(), copy.copy(self._window)
        if self._has_reset:
            other._story = self._story.copy()
        other._observation_spaces, other._action_spaces, other._state_space, other._infos = {}, {}, None, {}
        for name in COPIED & self.__dict__.keys():
            setattr(other, name, getattr(self, name).copy())
        return other

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> RawEnv:
        other = memo[id(self)] = self.clone()
        for name in SPACES:
            setattr(other, name, copy.deepcopy(getattr(self, name), memo))
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_ruleset", NAMED)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._ruleset = self._game.ruleset


class Env(RawEnv):
    """A game as it behaves under PettingZoo's default wrappers, without their cost.

    These are TerminateIllegalWrapper (an illegal action ends the game, with a reward of -1 for its agent and 0 for the
    others), AssertOutOfBoundsWrapper and OrderEnforcingWrapper: their effects, warnings and messages, one to one.
    """

    _has_updated = True  # has the game moved since `agent_iter` named an agent?

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._has_updated = True

    reset.__doc__ = RawEnv.reset.__doc__

    def step(self, action: int | None) -> None:
        """Take an action for `agent_selection`; None for one whose game is over."""
        self._need_reset("step")
        self._has_updated = True
        if self.agents:
            super().step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()

    def _in_range(self, action: Any) -> int:
        if not is_int(action) or not self.action_space(self.agent_selection).contains(action):
            raise AssertionError("action is not in action space")
        return operator.index(action)

    def _was_dead_step(self, action: int | None) -> None:
        if action is not None:
            self._in_range(action)
        super()._was_dead_step(action)

    def _illegal(self, action: int) -> None:
        EnvLogger.warn_on_illegal_move()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = ILLEGAL_REWARD
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """The agents in the order of their decisions; AssertionError if one is not followed by a `step`."""
        self._need_reset("agent_iter()")
        return OrderedIterable(self, max_iter)


class BeforeReset(RawEnv):
    """An environment whose first game has not begun yet: says so when it is asked for agents, rewards and the like.

    Its first reset makes it a plain RawEnv or Env, since with `__getattr__` every access takes six times as long.
    """

    def __getattr__(self, name: str) -> Any:
        if name in SET_BY_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class RawEnvBeforeReset(BeforeReset):
    """A RawEnv, but for that."""

    def _first_reset(self) -> None:
        self.__class__ = RawEnv


class EnvBeforeReset(Env, BeforeReset):
    """An Env, but for that."""

    def _first_reset(self) -> None:
        self.__class__ = Env


class OrderedIterable(AECIterable):
    """What `Env.agent_iter` returns."""

    def __iter__(self) -> OrderedIterator:
        return OrderedIterator(self.env, self.max_iter)


class OrderedIterator(AECIterator):
    """Names the agents to act; an AssertionError says if one was named and no step has followed."""

    def __next__(self) -> str:
        env = self.env
        if self.iters_til_term <= 0 or not env.agents:
            raise StopIteration
        self.iters_til_term -= 1
        if not env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        env._has_updated = False
        return env.agent_selection


class SkipForced(BaseWrapper[str, Any, int | None]):
    """Plays decisions with a single legal action itself, in any AEC environment with an `action_mask`.

    Who is asked therefore always has a choice. `rewards` are those of all decisions since the last `step`, the skipped
    ones included, and `last` returns to an agent what it was paid since its own last choice.
    """

    _n_played = 0  # decisions of this game, chosen and forced
    _chose_at: dict[str, int]  # agent -> the number of its last choice among them

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game, and go on to the first choice."""
        self.env.reset(seed=seed, options=options)
        self.rewards = dict(self.env.rewards)
        self._cumulative_rewards = dict(self.env.rewards)
        self._n_played, self._chose_at = 0, {}
        self._play_forced()

    def step(self, action: int | None) -> None:
        """Take an action, and go on to the next choice."""
        agent = self.env.agent_selection
        if action is not None:
            self._chose_at[agent] = self._n_played
            self._n_played += 1
        self.env.step(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(self.env.rewards)
        self._cumulative_rewards = {a: self._cumulative_rewards[a] + paid for a, paid in self.rewards.items()}
        self._play_forced()

    def _play_forced(self) -> None:
        while (forced := self._forced_action()) is not None:
            self.env.step(forced)
            self._n_played += 1
            for agent, paid in self.env.rewards.items():
                self.rewards[agent] += paid
                self._cumulative_rewards[agent] += paid

    def _forced_action(self) -> int | None:
        """The only legal action of the seat to act; None if there is a choice, or nobody to act."""
        env = self.env
        if not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            return None
        observation, _, _, _, info = env.last()
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        legal = np.flatnonzero(mask)
        return int(legal[0]) if len(legal) == 1 else None

    def messages(self, agent: str) -> list[str]:
        """What an agent has been told by its own last choice and since; see `RawEnv.messages`."""
        return self.env.messages(agent, since=self._chose_at.get(agent, -1))

    def clone(self) -> SkipForced:
        """An independent copy that goes on with the same game."""
        return self._around(self.env.clone())

    __copy__ = clone

    def redeal(self, seat: int, seed: int) -> SkipForced:
        """A new environment in another state that the seat cannot tell from this one."""
        return self._around(self.env.redeal(seat, seed))

    def _around(self, env: AECEnv) -> SkipForced:
        other = type(self)(env)
        for name in {"rewards", "_cumulative_rewards", "_chose_at"} & self.__dict__.keys():
            setattr(other, name, dict(getattr(self, name)))
        other._n_played = self._n_played
        return other


class PaddedInfos(BaseWrapper[str, Any, int | None]):
    """Infos have the same shapes in every game, for libraries that stack them (Tianshou).

    Lists of the score whose length differs from game to game are filled up, see `Ruleset.padding`.
    """

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """As those of the environment inside, filled up."""
        return {agent: self._padded(info) for agent, info in self.env.infos.items()}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As of the environment inside, with an info that is filled up."""
        seen, paid, terminated, truncated, info = self.env.last(observe)
        return seen, paid, terminated, truncated, self._padded(info)

    def _padded(self, info: dict[str, Any]) -> dict[str, Any]:
        return self.env.unwrapped.ruleset.padded(info)

    def clone(self) -> PaddedInfos:
        """An independent copy that goes on with the same game."""
        return type(self)(self.env.clone())

    __copy__ = clone

    def redeal(self, seat: int, seed: int) -> PaddedInfos:
        """A new environment in another state that the seat cannot tell from this one."""
        return type(self)(self.env.redeal(seat, seed))
