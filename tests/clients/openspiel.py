"""OpenSpiel: its playthrough, simulation test, searches and solvers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pyspiel
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, mcts

from murder_envs.api import openspiel
from murder_envs.registry import GAMES, configs
from tests.clients.report import run

REQUIRES = ("open_spiel>=1.6",)
LIBRARIES = ("open_spiel",)


def playthroughs() -> None:
    """`generate_playthrough`"""
    for game in GAMES:
        config = next(name for name in ("tiny", "duel-MU", "default") if name in configs(game))
        generate_playthrough.playthrough(f"{openspiel.name_of(game)}(config={config})", action_sequence=None, seed=1)


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
    """CFR in Python on a small game, and its compiled solvers by `openspiel.Tree`"""
    game = openspiel.load("murder_of_crows", "duel-MU", max_steps=3)
    solver = cfr.CFRSolver(game)
    solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) >= 0
    compiled = pyspiel.CFRSolver(openspiel.Tree(game).compiled)
    compiled.evaluate_and_update_policy()


def search() -> None:
    """MCTS in Python, on a game whose chance is listed"""
    game = openspiel.load("murder_of_crows", "duel-MU", max_steps=8)
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 20, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = game.new_initial_state().child(0)
    assert bot.step(state) in state.legal_actions()


if __name__ == "__main__":
    run(globals(), LIBRARIES)
