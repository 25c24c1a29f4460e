"""A trained policy as a player for any environment of this package.

from murder_envs import murder_of_crows_v0
from murder_envs.networks.agent import TrainedAgent

env, player = murder_of_crows_v0.env(num_players=2), TrainedAgent("model.zip")
env.reset(seed=7)
env.step(player.act(env))
"""

from __future__ import annotations

from typing import Any

from murder_envs.core.checks import fail
from murder_envs.networks.actor import Actor
from murder_envs.networks.files import Path, check_game, load


class TrainedAgent:
    """Plays as it was trained, in any AEC environment of this package that has the same game.

    Args:
        paths: models that `agents.train` left behind; several where roles have policies of their own.
        sampled: draw actions from the policy's probabilities, with torch's random numbers; else take the likeliest.

    Raises:
        ValueError: a file cannot be read, or is of another game than the first.
    """

    def __init__(self, *paths: Path, sampled: bool = False) -> None:
        if not paths:
            fail("paths", "at least one model")
        self._path = paths[0]
        self._actors: dict[int, Actor] = {}
        for path in paths:
            policy, ruleset, seats = load(path)
            if path == paths[0]:
                self.ruleset = ruleset
            check_game(ruleset, self.ruleset, path)
            self._actors |= dict.fromkeys(seats, Actor(policy, sampled))

    def act(self, env: Any) -> int:
        """An action for the agent to act in an environment, which stays as it is.

        Raises:
            ValueError: the environment is of another game, number of players or other configuration than the policy
                was trained on; or no policy here plays the seat to act; or the game is over.
        """
        game = env.unwrapped
        if game.ruleset is not self.ruleset:
            check_game(self.ruleset, game.ruleset, self._path)
        if not game.legal_actions():
            fail("state", "the game is over")
        seat = self.ruleset.agents.index(game.agent_selection)
        if seat not in self._actors:
            fail("seat", f"the policies are for the seats {sorted(self._actors)}, not for {seat}")
        view = game.observe(game.agent_selection)
        return int(self._actors[seat](view["observation"][None], view["action_mask"][None])[0])
