"""Every game as an OpenSpiel game: `load` gives one by name, with all that OpenSpiel's algorithms ask of it.

    from murder_envs.api import openspiel

    game = openspiel.load("murder_of_crows", "duel-MU", max_steps=8)     # a named configuration, keywords on top
    game = pyspiel.load_game("python_murder_of_crows(config=duel-MU,settings=max_steps:8)")             # the same
    tree = openspiel.Tree(game)                     # the whole game, for OpenSpiel's compiled solvers

**Chance.** Where there are at most `MOST_DEALS` ways to deal, the deal is an explicit chance node, and so is all later
chance: histories, solvers and exact values mean what they say. Other games are sampled: the deal is a chance node with
one outcome, drawn from `seed` and the number of states that the game has made so far (copies count, since OpenSpiel
begins each as a new state); what is drawn later comes from the random numbers in the state, which copies share.

**Information states** have perfect recall. Their string stands for the seat's observation and, at each earlier decision
of its own, its observation and its action: a digest of 128 bits, since a readable form would grow with the game.
Observation strings are readable: the table as the seat sees it. The tensor of an information state is what the seat
sees now, and what it saw and did at its last `RECALL` decisions.

**Copies** are cheap: states share positions, which never change. Games and states can be pickled and copied, and
`state.serialize()` and `game.deserialize_state(text)` work for all; `pyspiel.serialize_game_and_state` asks a sampled
game for what no Python game can give it. Several threads may play one game.

**Other worlds.** `State.resample_from_infostate` is the game's own `redeal`. The state that it returns has no history,
and the other seats no past: they know what they see. OpenSpiel's compiled searches do not find this method (they end
the process when they ask a Python game for it); those in Python do. It is uniform over the worlds that fit what the
seat knows, and no posterior of the deal: see `RawEnv.redeal`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from murder_envs.core.checks import an_int, fail, shown
from murder_envs.core.jit import copied, copy_into, records
from murder_envs.core.rng import episode_seed
from murder_envs.drivers.chance import MOST_WAYS, Chance, Outcome
from murder_envs.drivers.cursor import Cursor
from murder_envs.registry import GAMES, configs, game, make_ruleset
from murder_envs.ruleset import Ruleset

LAST_SEED = 2**31 - 1
"""OpenSpiel's integers have 32 bits."""

RECALL = 12
"""How many earlier decisions of a seat the tensor of its information state holds: all, in the small games."""

MOST_DEALS = 10_000
"""A game with more ways to deal, equal ones included, is sampled."""

MOST_DECISIONS = 10_000
"""No game of a named configuration is longer."""

SETTING_END, SETTING_IS = ";", ":"
"""OpenSpiel's own game strings are made of = , ( and )."""

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
UTILITY = {
    "identical": pyspiel.GameType.Utility.IDENTICAL,
    "zero_sum": pyspiel.GameType.Utility.ZERO_SUM,
    "general_sum": pyspiel.GameType.Utility.GENERAL_SUM,
}


# -- Names and parameters ---------------------------------------------------------------------------------------------


def name_of(game: str) -> str:
    """The short name in OpenSpiel of a game of this package."""
    return f"python_{game}"


def load(game: str, config: str = "default", *, seed: int = 0, **keywords: Any) -> pyspiel.Game:
    """A game as OpenSpiel knows it.

    Args:
        game: its name in this package, such as "murder_of_crows".
        config: a named configuration.
        seed: of a sampled game, an int from 0 to 2^31 - 1: equal seed, equal deals.
        keywords: parameters of the environment that differ from the named configuration.

    Raises:
        ValueError: it names what is unknown or out of range.
    """
    kept = _configured(game, config, keywords).config
    settings = to_settings({name: kept[name] for name in keywords})
    parameters = {"config": config, "settings": settings, "seed": an_int("seed", seed, 0, LAST_SEED)}
    return pyspiel.load_game(name_of(game), parameters)


def to_settings(keywords: Mapping[str, Any]) -> str:
    """Keywords as one value that can stand in OpenSpiel's game strings: "max_steps:8;first_player:0"."""
    return SETTING_END.join(f"{key}{SETTING_IS}{quote(json.dumps(value))}" for key, value in sorted(keywords.items()))


def from_settings(text: str) -> dict[str, Any]:
    """The keywords again; what is no JSON is taken for a string."""
    keywords = {}
    for setting in filter(None, text.split(SETTING_END)):
        key, is_one, value = setting.partition(SETTING_IS)
        if not is_one:
            fail("settings", f'as in "max_steps:8;first_player:0", not {shown(text)}')
        try:
            keywords[key] = json.loads(unquote(value))
        except json.JSONDecodeError:
            keywords[key] = unquote(value)
    return keywords


def _configured(name: str, config: str, keywords: Mapping[str, Any]) -> Ruleset:
    """A named configuration with keywords on top; ValueError names what is unknown or out of range."""
    if config not in configs(name):
        fail("config", f"one of {', '.join(configs(name))}, not {shown(config)}")
    return make_ruleset(name, **{**configs(name)[config], **keywords})


# -- Positions --------------------------------------------------------------------------------------------------------


Own = tuple[tuple[bytes, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Where a game stands. It never changes, so copies of an OpenSpiel state share it.

    Attributes:
        states: STATE, array of one. At a chance node, what the seats see until chance has decided: empty before the
            deal.
        seat: absolute seat to act, CHANCE or TERMINAL.
        legal: ids of its legal actions, rising.
        past: for each seat a digest of its observations and actions so far, without what it sees now.
        own: for each seat its last RECALL decisions, the newest first: what it saw, as bytes, and its action.
        outcomes: of a chance node; one that stands for all, if the deal is sampled.
        seed: of a sampled deal.
    """

    states: np.ndarray
    seat: int
    legal: tuple[int, ...]
    past: tuple[bytes, ...]
    own: tuple[Own, ...]
    outcomes: tuple[Outcome, ...] = ()
    seed: int = 0

    @property
    def is_dealt(self) -> bool:
        """Has the game begun?"""
        return len(self.states) > 0

    def __deepcopy__(self, memo: Any) -> Position:
        return self


class Dealer:
    """Leads from position to position, by one ruleset; of threads that ask at once, one after the other."""

    def __init__(self, name: str, config: str, settings: str) -> None:
        self.key = (name, config, settings)
        self.ruleset = _configured(name, config, from_settings(settings))
        self.chance = Chance(self.ruleset)
        self.is_listed = self.chance.can_list_deals(MOST_DEALS)
        self._cursor = Cursor(self.ruleset)
        self._lock = threading.RLock()

    def __deepcopy__(self, memo: Any) -> Dealer:
        return self

    def __reduce__(self) -> tuple[Callable[..., Dealer], tuple[str, str, str]]:
        return _dealer, self.key

    @functools.cached_property
    def deals(self) -> tuple[Outcome, ...]:
        """All deals, of a listed game."""
        with self._lock:
            return tuple(self.chance.deals())

    def before_the_deal(self, seed: int) -> Position:
        """The chance node that a game begins with."""
        n = self.ruleset.n_seats
        outcomes = self.deals if self.is_listed else (Outcome(records(self.ruleset.STATE, 0), 1.0),)
        return Position(records(self.ruleset.STATE, 0), CHANCE, (), (b"",) * n, ((),) * n, outcomes, seed)

    def decide(self, at: Position, outcome: int) -> Position:
        """The position after an outcome of chance; ValueError if there is no such outcome."""
        if not 0 <= outcome < len(at.outcomes):
            fail("action", f"an outcome from 0 to {len(at.outcomes) - 1}, not {outcome}")
        with self._lock:
            if not at.is_dealt and not self.is_listed:
                self._cursor.deal(at.seed)
            else:
                self._cursor.place(at.outcomes[outcome].states)
            return self._stand(at.past, at.own)

    def act(self, at: Position, action: int) -> Position:
        """The position after an action, a chance node if chance has a say in what follows.

        Raises:
            ValueError: the action is illegal.
        """
        if action not in at.legal:
            names = ", ".join(self.ruleset.actions.names[each] for each in at.legal)
            fail("action", f"{action} is illegal; legal: {names}")
        seat = at.seat
        row = self.look(at, seat).tobytes()
        past = _with(at.past, seat, _digest(_digest(at.past[seat], row), action.to_bytes(4, "little")))
        own = _with(at.own, seat, ((row, action), *at.own[seat][: RECALL - 1]))
        with self._lock:
            if self.is_listed:
                outcomes = self.chance.after(at.states, action)
                if len(outcomes) > 1:
                    return Position(at.states, CHANCE, (), past, own, tuple(outcomes))
                self._cursor.place(outcomes[0].states)
            else:
                self._cursor.place(at.states)
                self._cursor.act(action)
            return self._stand(past, own)

    def redeal(self, at: Position, seat: int, seed: int) -> Position:
        """Another position that the seat cannot tell from this one; the others forget their past."""
        start = self.before_the_deal(0)
        with self._lock:
            self._cursor.place(at.states)
            self._cursor.redeal(seat, seed)
            return self._stand(_with(start.past, seat, at.past[seat]), _with(start.own, seat, at.own[seat]))

    def _stand(self, past: tuple[bytes, ...], own: tuple[Own, ...]) -> Position:
        """The position at which the cursor stands."""
        cursor = self._cursor
        return Position(
            copied(cursor.states), TERMINAL if cursor.over else cursor.seat, tuple(cursor.legal()), past, own
        )

    def look(self, at: Position, seat: int) -> np.ndarray:
        """What a seat sees, int8[observation.size]: zeros before the deal."""
        if not at.is_dealt:
            return np.zeros(self.ruleset.observation.size, np.int8)
        with self._at(at) as cursor:
            return cursor.look(seat)

    def seen(self, at: Position, seat: int) -> bytes:
        """What a seat has known and done so far, and sees now, as 16 bytes."""
        return _digest(at.past[seat], self.look(at, seat).tobytes())

    def returns(self, at: Position) -> list[float]:
        """What each seat is paid; 0 before the end."""
        if not at.is_dealt:
            return [0.0] * self.ruleset.n_seats
        with self._at(at) as cursor:
            return cursor.outcome()[0]

    @contextlib.contextmanager
    def _at(self, at: Position) -> Iterator[Cursor]:
        """The cursor with the states of a position, to look at: it takes no notice of whose move it is."""
        with self._lock:
            copy_into(self._cursor.states, self.ruleset.checked_states("state", at.states, 1))
            yield self._cursor

    def text(self, at: Position, seat: int | None) -> str:
        """The table as text, from a seat's view or from above; ValueError if there is no such seat."""
        if seat is not None:
            seat = an_int("seat", seat, 0, self.ruleset.n_seats - 1)
        return self.ruleset.text(self.ruleset.rules, at.states, seat) if at.is_dealt else "before the deal"


def _digest(past: bytes, then: bytes) -> bytes:
    """What has been known, with what came then, as 16 bytes."""
    return hashlib.blake2b(past + then, digest_size=16).digest()


def _with(entries: tuple[Any, ...], seat: int, entry: Any) -> tuple[Any, ...]:
    """The same for all seats but one."""
    return (*entries[:seat], entry, *entries[seat + 1 :])


@functools.lru_cache(maxsize=64)
def _dealer(name: str, config: str, settings: str) -> Dealer:
    return Dealer(name, config, settings)


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def _game_type(name: str, title: str, players: range, utility: str, listed: bool) -> pyspiel.GameType:
    chance = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=name_of(name),
        long_name=title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if listed else chance.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=UTILITY[utility],
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players[-1],
        min_num_players=players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"config": "default", "settings": "", "seed": 0},
    )


class MurderGame(pyspiel.Game):
    """A configured game; each game of this package is a class of its own below this one.

    Args:
        params: `config`, a named configuration; `settings`, other parameters of the environment, as `to_settings` has
            them; `seed`, of a sampled game.
    """

    game_name: str

    def __init__(self, params: Mapping[str, Any]) -> None:
        name = self.game_name
        self.dealer = dealer = _dealer(name, params["config"], params["settings"])
        self.seed = an_int("seed", params["seed"], 0, LAST_SEED)
        self.begun = 0
        rules = dealer.ruleset
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.actions.n,
            max_chance_outcomes=MOST_WAYS if dealer.is_listed else 1,
            num_players=rules.n_seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if rules.payoffs == "zero_sum" else None,
            max_game_length=MOST_DECISIONS,
        )
        players = range(rules.n_seats, rules.n_seats + 1)
        super().__init__(_game_type(name, rules.title, players, rules.payoffs, dealer.is_listed), info, dict(params))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self), self.begun)

    def new_initial_state(self) -> MurderState:
        """The chance node that a game begins with."""
        return MurderState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Chance may decide after each action."""
        return MOST_DECISIONS

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> Observer | None:
        """What a seat sees, with perfect recall what it knows; None if asked for anything else.

        What is public is not told apart, so there is no observer for that alone, nor for what is private alone.

        Raises:
            ValueError: `params`: there are none.
        """
        if params:
            fail("params", f"an observer takes none, not {shown(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return Observer(self.dealer, kind.perfect_recall)


def _unpickled(text: str, begun: int) -> pyspiel.Game:
    """A game by OpenSpiel's name for it, parameters included, that has begun so many states."""
    game = pyspiel.load_game(text)
    game.begun = begun
    return game


class MurderState(pyspiel.State):
    """A game in progress."""

    def __init__(self, game: MurderGame) -> None:
        super().__init__(game)
        self._dealer = game.dealer
        self._at = game.dealer.before_the_deal(int(episode_seed(game.seed, 0, game.begun)))
        game.begun += 1

    def __reduce__(self) -> tuple[Any, ...]:
        return _deserialized, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        """Absolute seat, CHANCE or TERMINAL."""
        return self._at.seat

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self._at.seat == TERMINAL

    def _legal_actions(self, player: int) -> Sequence[int]:
        return self._at.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes by number, with their probabilities."""
        return [(number, outcome.probability) for number, outcome in enumerate(self._at.outcomes)]

    def _apply_action(self, action: int) -> None:
        if self._at.seat == CHANCE:
            self._at = self._dealer.decide(self._at, action)
        else:
            self._at = self._dealer.act(self._at, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return f"chance:{action}"
        return self._dealer.ruleset.actions.names[action]

    def returns(self) -> list[float]:
        """What each seat is paid; 0 before the end."""
        return self._dealer.returns(self._at)

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> MurderState:
        """Another state that a seat cannot tell from this one, without a history (see this module).

        Args:
            player_id: an absolute seat.
            probability_sampler: gives numbers from 0 to below 1; one is asked for.

        Raises:
            ValueError: the game is over, or chance is to decide in the middle of it.
        """
        other = self.get_game().new_initial_state()
        if self._at.is_dealt:
            if self._at.seat < 0:
                fail("state", "one in which a seat is to act can be dealt anew")
            other._at = self._dealer.redeal(self._at, player_id, int(probability_sampler() * 2**53))
        return other

    def position(self) -> np.ndarray:
        """STATE, a copy, as drivers take it: array of one, empty before the deal."""
        return copied(self._at.states)

    def __str__(self) -> str:
        return self._dealer.text(self._at, None)


def _deserialized(game: pyspiel.Game, text: str) -> pyspiel.State:
    return game.deserialize_state(text)


class Observer:
    """An observation, or with perfect recall an information state, as OpenSpiel asks for it.

    Attributes:
        tensor: float32, all parts of `dict` one after the other.
        dict: `observation`, float32[observation.size]. With perfect recall also what was seen and done at the seat's
            last decisions, the newest first, 0 where there are none: `earlier_observations`, float32[RECALL,
            observation.size], and `earlier_actions`, float32[RECALL, n], 1 at the action's id.
    """

    def __init__(self, dealer: Dealer, perfect_recall: bool) -> None:
        self._dealer = dealer
        self.perfect_recall = perfect_recall
        size, n = dealer.ruleset.observation.size, dealer.ruleset.actions.n
        self.tensor = np.zeros(size + perfect_recall * RECALL * (size + n), np.float32)
        self.dict = {"observation": self.tensor[:size]}
        if perfect_recall:
            earlier, actions = np.split(self.tensor[size:], [RECALL * size])
            self.dict["earlier_observations"] = earlier.reshape(RECALL, size)
            self.dict["earlier_actions"] = actions.reshape(RECALL, n)

    def set_from(self, state: MurderState, player: int) -> None:
        """Write the tensor for a seat."""
        self.tensor[:] = 0
        self.dict["observation"][:] = self._dealer.look(state._at, player)
        if self.perfect_recall:
            for back, (row, action) in enumerate(state._at.own[player]):
                self.dict["earlier_observations"][back] = np.frombuffer(row, np.int8)
                self.dict["earlier_actions"][back, action] = 1

    def string_from(self, state: MurderState, player: int) -> str:
        """The information state's digest, or the table as the seat sees it."""
        if self.perfect_recall:
            return f"{self._dealer.ruleset.agents[player]} {self._dealer.seen(state._at, player).hex()}"
        return self._dealer.text(state._at, player)


# -- The whole tree ---------------------------------------------------------------------------------------------------


class Tree:
    """All of a listed game, and the same game once more as one of OpenSpiel's compiled ones.

    In a Python game every step of a solver costs a call of Python. The tree is walked once and handed over as a Gambit
    file, whose solvers (`pyspiel.CFRSolver(tree.compiled)`, best responses, NashConv) then run without Python.

    Args:
        game: a listed game, small enough to be walked; ValueError names one that is sampled.

    Attributes:
        game: the same.
        compiled: its copy. Ids of actions and names of information states are its own; see `tabular` and `name`.
        decisions, ends, chance_nodes: how many histories there are of each kind.
        states: for each information state of a seat to act, by its string, the first state met in it.
    """

    def __init__(self, game: pyspiel.Game) -> None:
        if game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            fail("game", f"one whose chance is explicit, not {game}")
        self.game = game
        self.decisions = self.ends = self.chance_nodes = 0
        self.states: dict[str, pyspiel.State] = {}
        self._numbers: dict[str, int] = {}
        self._sizes = [0] * game.num_players()
        seats = " ".join(f'"{seat}"' for seat in range(game.num_players()))
        self._lines = [f'EFG 2 R "{game}" {{ {seats} }}']
        self._walk(game.new_initial_state())
        self.compiled = pyspiel.load_efg_game("\n".join(self._lines) + "\n")
        del self._lines
        # Both trees are walked in one order, so their information states come in one order, and so do the actions.
        theirs: dict[str, list[int]] = {}
        _read(self.compiled.new_initial_state(), theirs)
        self._theirs = dict(zip(self.states, theirs.items()))

    def name(self, state: pyspiel.State) -> str:
        """The information state of the seat to act as `compiled` calls it."""
        return self._theirs[state.information_state_string()][0]

    def tabular(self, policy: Callable[[pyspiel.State], Mapping[int, float]]) -> pyspiel.TabularPolicy:
        """A policy for `compiled`.

        Args:
            policy: a state of `game` in which a seat is to act -> the probabilities of its actions, those of 0 left out
                at will. It is asked once for each information state.

        Raises:
            ValueError: `policy`: the probabilities of legal actions do not sum to 1 somewhere.
        """
        table = {}
        for key, state in self.states.items():
            chosen, legal = policy(state), state.legal_actions()
            shares = [float(chosen.get(action, 0.0)) for action in legal]
            if abs(sum(shares) - 1) > 1e-6:
                fail("policy", f"probabilities of {legal} that sum to 1, not {shown(chosen)}")
            name, ids = self._theirs[key]
            table[name] = list(zip(ids, shares))
        return pyspiel.TabularPolicy(table)

    def _walk(self, state: pyspiel.State) -> None:
        """Write down a state and all that follow it, in the order of a Gambit file."""
        if state.is_terminal():
            self.ends += 1
            paid = " ".join(map(repr, state.returns()))
            self._lines.append(f't "" {self.ends} "" {{ {paid} }}')
            return
        if state.is_chance_node():
            self.chance_nodes += 1
            labels = " ".join(f'"{number}" {share!r}' for number, share in state.chance_outcomes())
            self._lines.append(f'c "" {self.chance_nodes} "" {{ {labels} }} 0')
        else:
            self.decisions += 1
            seat, key = state.current_player(), state.information_state_string()
            if key not in self.states:
                self.states[key] = state
                self._sizes[seat] += 1
                self._numbers[key] = self._sizes[seat]
            labels = " ".join(f'"{state.action_to_string(action)}"' for action in state.legal_actions())
            self._lines.append(f'p "" {seat + 1} {self._numbers[key]} "" {{ {labels} }} 0')
        for action in state.legal_actions():
            self._walk(state.child(action))


def _read(state: pyspiel.State, sets: dict[str, list[int]]) -> None:
    """Names and legal actions of all information states from here on, in the order in which they are met."""
    if not state.is_terminal():
        legal = state.legal_actions()
        if not state.is_chance_node():
            sets.setdefault(state.information_state_string(), legal)
        for action in legal:
            _read(state.child(action), sets)


# -- In OpenSpiel's list of games -------------------------------------------------------------------------------------


def _register(name: str) -> type[MurderGame]:
    """Let `pyspiel.load_game` know of a game; its configuration says more."""
    rules = game(name).ruleset()
    kind = type(name_of(name), (MurderGame,), {"game_name": name})
    pyspiel.register_game(_game_type(name, rules.title, range(2, 9), rules.payoffs, False), kind)
    return kind


REGISTERED = {name: _register(name) for name in GAMES}
"""Name of a game -> its class."""
