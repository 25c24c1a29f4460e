"""Players by name: scripted, searching and trained ones, for evaluations."""

from __future__ import annotations

import hashlib
import pathlib
from typing import Any

import numpy as np

from agents import runs
from agents.measures import Player
from murder_envs.core.checks import a_choice, fail
from murder_envs.core.rng import episode_seed
from murder_envs.drivers.batch import Batch
from murder_envs.drivers.policies import COMPILED_POLICIES
from murder_envs.drivers.search import METHODS, Search
from murder_envs.networks.actor import Actor
from murder_envs.networks.files import check_game
from murder_envs.networks.policy import weights_of
from murder_envs.ruleset import Ruleset

PERFECT = "perfect_information"
"""The kind of agent that searches the true state."""

SAMPLED = "@sampled"
"""Behind a path: the agent draws its actions."""

HELP = """an agent is `random`, `heuristic`, `search:1000` (simulations a decision; with method and playout:
`search:1000:mo:heuristic`), `perfect_information:1000` (the same search, knowing everything: a ceiling, no fair
player), or a run folder, model or checkpoint of agents.train (with `@sampled` behind it: draws its actions).
`NAME=AGENT` names it in tables."""


class Searcher:
    """A search as a player: one search after the other for the games that wait for it.

    Each decision is searched under a seed of its own, which depends on what the game was dealt from and on how many
    decisions this player has taken in it; so a game is played alike wherever it stands in a batch.
    """

    def __init__(self, ruleset: Ruleset, **settings: Any) -> None:
        self._search = Search(ruleset, **settings)
        self._batch: Batch | None = None

    def choose(self, batch: Batch, games: np.ndarray) -> np.ndarray:
        """Actions int64[k] for the games int64[k]."""
        if batch is not self._batch:
            self._batch, self._taken = batch, np.zeros(batch.n, np.int64)
        self._taken[games] += 1
        return np.array([self._think(batch, int(i)) for i in games], np.int64)

    def _think(self, batch: Batch, i: int) -> int:
        seed = int(episode_seed(int(batch.seeds[i]), 0, int(self._taken[i])))
        return self._search.run(batch.states[i : i + 1], seed, rules=batch.rules_of(i)).action


class Roles:
    """Several trained policies, each for the seats that it learnt in."""

    def __init__(self, actors: dict[int, Actor]) -> None:
        self._actors = actors

    def choose(self, batch: Batch, games: np.ndarray) -> np.ndarray:
        """Actions int64[k] for the games int64[k]."""
        seats = batch.seats[games]
        actions = np.zeros(len(games), np.int64)
        for seat in np.unique(seats):
            k = np.flatnonzero(seats == seat)
            actions[k] = self._actors[int(seat)].choose(batch, games[k])
        return actions

    def digest(self) -> str:
        """Stands for all weights, and for how actions are taken."""
        of_all = hashlib.sha256()
        for seat, actor in sorted(self._actors.items()):
            of_all.update(f"{seat} {actor.sampled}".encode())
            for name, array in weights_of(actor.policy).items():
                of_all.update(name.encode() + array.tobytes())
        return of_all.hexdigest()

    def probabilities(self, batch: Batch, game: int) -> np.ndarray:
        """float[n]: how likely each action is in a game."""
        actor = self._actors[int(batch.seats[game])]
        return actor.probabilities(batch.observations[game : game + 1], batch.masks[game : game + 1])[0]


def named(text: str) -> tuple[str, str]:
    """What tables call an agent, and by what it is made. A path that exists may have a `=` in it."""
    name, equals, agent = text.partition("=")
    if not equals or path_of(text)[0].exists():
        return pathlib.Path(text).name, text
    return name, agent


def path_of(agent: str) -> tuple[pathlib.Path, bool]:
    """The path that a trained agent's name has, in which there may be an `@` too, and: are its actions drawn?"""
    path = agent.removesuffix(SAMPLED)
    return (pathlib.Path(agent), False) if pathlib.Path(agent).exists() else (pathlib.Path(path), path != agent)


def make_player(agent: str, ruleset: Ruleset) -> Player:
    """A player of this game.

    Raises:
        ValueError: there is no such agent, or it is of another game or configuration.
    """
    if agent in COMPILED_POLICIES:
        return agent
    kind, colon, rest = agent.partition(":")
    if kind in ("search", PERFECT) and colon:
        simulations, *more = rest.split(":")
        if not simulations.isdigit():
            fail("agents", f"how many simulations, as in search:1000, not {agent!r}")
        settings: dict[str, Any] = {}
        for word in more:
            a_choice("agents", word, (*METHODS, *COMPILED_POLICIES))
            settings["method" if word in METHODS else "playout"] = word
        return Searcher(ruleset, simulations=int(simulations), perfect_information=kind == PERFECT, **settings)
    path, sampled = path_of(agent)
    if not path.exists():
        _, at, how = agent.rpartition("@")
        if at and how != "sampled":
            fail("agents", f"{SAMPLED} or nothing behind a run that exists, not {agent!r}")
        fail("agents", f"random, heuristic, search:N, {PERFECT}:N or a run folder or model that exists, not {agent!r}")
    trained_on, models = runs.load_models(path)
    check_game(trained_on, ruleset, path)
    actors = {seat: Actor(each.policy, sampled) for each in models.values() for seat in each.seats}
    if len(actors) < ruleset.n_seats:
        fail(
            "agents", f"{path} plays the seats {sorted(actors)} only; name the run folder, which has a policy for each"
        )
    return Roles(actors)
