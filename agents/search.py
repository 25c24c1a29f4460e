"""A player that searches, for any environment of this package.

    from agents.search import SearchAgent
    from murder_envs import murder_of_crows_v0

    env, player = murder_of_crows_v0.env(num_players=2), SearchAgent(1000)
    env.reset(seed=7)
    env.step(player.act(env))

The player knows what the agent to act knows, and nothing more; see `murder_envs.drivers.search`.
"""

from __future__ import annotations

from typing import Any

from murder_envs.core.checks import an_int
from murder_envs.core.rng import episode_seed
from murder_envs.drivers.search import Search, SearchResult


class SearchAgent:
    """Plays by search.

    Args:
        simulations: games played in thought for each decision.
        seed: int from 0 to 2^63 - 1; equal seeds and equal games give equal play.
        settings: those of `Search`: method, playout, exploration, threshold, perfect_information.

    Raises:
        ValueError: an argument has the wrong form; the text begins with its name. The settings of `Search`
            are checked at the first decision, when the game is known.
    """

    def __init__(self, simulations: int = 1000, *, seed: int = 0, **settings: Any) -> None:
        self._simulations = simulations
        self._settings = settings
        self._search: Search | None = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start the player's random numbers anew."""
        self._seed = an_int("seed", seed, 0, 2**63 - 1)
        self._decisions = 0

    def act(self, env: Any) -> int:
        """An action for the agent to act in an AEC environment of this package, which stays as it is.

        Raises:
            ValueError: `state`: the game is over.
        """
        legal = env.unwrapped.legal_actions()
        return legal[0] if len(legal) == 1 else self.think(env).action

    def think(self, env: Any) -> SearchResult:
        """The whole result of a search of this decision."""
        game = env.unwrapped
        if self._search is None or self._search.ruleset is not game.ruleset:
            self._search = Search(game.ruleset, simulations=self._simulations, **self._settings)
        state, rules = game.position()
        seed = int(episode_seed(self._seed, 0, self._decisions))
        self._decisions += 1
        return self._search.run(state, seed, rules=rules)
