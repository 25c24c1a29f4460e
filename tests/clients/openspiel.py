"""OpenSpiel: its playthrough, simulation test, searches and solvers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pyspiel
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, mcts

from murder_envs.api import openspiel
from murder_envs.registry import GAMES
from tests.clients.report import run
from tests.support import rows

REQUIRES = ("open_spiel>=1.6",)
LIBRARIES = ("open_spiel",)


def _small(game: str) -> pyspiel.Game:
    """The smallest configuration that is counted to its end."""
    counts = [count for name, count in rows("counts.toml", "count") if name == game and "depth" not in count]
    whole = [count for count in counts if "setup" not in count]
    return openspiel.load(game, **min(whole, key=lambda count: count["decisions"])["config"])


def _zero_sum() -> pyspiel.Game:
    games = map(_small, GAMES)
    return next(game for game in games if game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM)


def playthroughs() -> None:
    """`generate_playthrough` of a small configuration"""
    for game in GAMES:
        generate_playthrough.playthrough(str(_small(game)), action_sequence=None, seed=1)


def simulations() -> None:
    """`random_sim_test`, without serialization where deals are sampled"""
    for game in GAMES:
        pyspiel.random_sim_test(openspiel.load(game), num_sims=1, serialize=False, verbose=False)


def copies() -> None:
    """games and states through pickle and `deepcopy`"""
    for game in GAMES:
        loaded = openspiel.load(game)
        state = loaded.new_initial_state().child(0)
        for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
            assert str(again) == str(state)
        assert str(pickle.loads(pickle.dumps(loaded))) == str(copy.deepcopy(loaded)) == str(loaded)


def solvers() -> None:
    """CFR in Python and its compiled solvers (by `openspiel.Tree`), in a small game"""
    game = _zero_sum()
    solver = cfr.CFRSolver(game)
    solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) >= 0
    compiled = pyspiel.CFRSolver(openspiel.Tree(game).compiled)
    compiled.evaluate_and_update_policy()


def search() -> None:
    """MCTS in Python, in a small game"""
    game = _zero_sum()
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 20, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = game.new_initial_state().child(0)
    assert bot.step(state) in state.legal_actions()


if __name__ == "__main__":
    run(globals(), LIBRARIES)
