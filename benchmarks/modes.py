"""What is measured of each game. A mode knows nothing but a `Ruleset`, so a new game needs no line here."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ROOT, game_data
from benchmarks.measure import Clock, Figure, Window, rate
from murder_envs.api import aec
from murder_envs.drivers import rollout, transcript
from murder_envs.drivers.batch import Batch
from murder_envs.drivers.search import Search
from murder_envs.registry import configs, make_ruleset
from murder_envs.ruleset import Ruleset

BATCH = 1024
SIMULATIONS = 1000


@dataclass
class Setup:
    """What a mode measures: a configured game; with the seed of everything and the clock."""

    game: str
    config: str
    seed: int
    clock: Clock

    @property
    def keywords(self) -> dict[str, Any]:
        return configs(self.game)[self.config]

    @property
    def ruleset(self) -> Ruleset:
        return make_ruleset(self.game, **self.keywords)

    @property
    def goals(self) -> dict[str, float]:
        """Mode, or mode and unit -> goal."""
        return {
            mode: goal
            for file in ("every_game", self.game)
            for mode, goal in game_data("goals", file).get(self.config, {}).items()
        }

    def figure(self, mode: str, unit: str, window: Window, batch: int = 1, **more: Any) -> Figure:
        """A figure of this game, with its goal if it has one."""
        goal = self.goals.get(mode, self.goals.get(f"{mode} {unit}"))
        return Figure(self.game, self.config, mode, batch, unit, window, goal=goal, **more)


# -- Compiled loops ---------------------------------------------------------------------------------------------------


def core(setup: Setup) -> Iterator[Figure]:
    yield setup.figure("core", "decisions/s", _random_play(setup, observe=False))


def observe(setup: Setup) -> Iterator[Figure]:
    yield setup.figure("observe", "decisions/s", _random_play(setup, observe=True))


def observation(setup: Setup) -> Iterator[Figure]:
    alone, looking = _random_play(setup, observe=False), _random_play(setup, observe=True)

    def window(seconds: float) -> float:
        return 1e9 / looking(seconds / 2) - 1e9 / alone(seconds / 2)

    yield setup.figure("observation", "ns", window, note="what a decision costs in observe above what it costs in core")


def _random_play(setup: Setup, observe: bool) -> Window:
    play = rollout.RandomPlay(setup.ruleset, 1, setup.seed, observe)
    decisions = 20_000

    def work() -> float:
        play.run(decisions)
        return decisions

    return rate(work, setup.clock)


def batch(setup: Setup) -> Iterator[Figure]:
    games = Batch(setup.ruleset, BATCH, setup.seed)
    games.reset()

    def work() -> float:
        games.step(games.choose())
        return games.n

    yield setup.figure("batch", "decisions/s", rate(work, setup.clock), batch=BATCH)


def playouts(setup: Setup) -> Iterator[Figure]:
    ruleset, seeds = setup.ruleset, itertools.count(setup.seed)
    state, decided = middle_of_a_game(ruleset, setup.seed)
    n = 500

    def work() -> float:
        rollout.playouts(ruleset, state, n, next(seeds))
        return n

    _, decisions = rollout.playouts(ruleset, state, 20_000, setup.seed)
    note = f"from the state after {decided} decisions, {decisions / 20_000:.1f} more on average"
    yield setup.figure("playouts", "playouts/s", rate(work, setup.clock), note=note)


def middle_of_a_game(ruleset: Ruleset, seed: int) -> tuple[np.ndarray, int]:
    """STATE, array of one, halfway through a random game of median length, and how many decisions were taken."""
    played = []
    for k in range(101):
        game, choose = transcript.Game(ruleset, seed + k), transcript.at_random(k)
        while not game.over:
            game.act(choose(game))
        played.append((len(game.played), k, game))
    length, _, typical = sorted(played)[50]
    again = transcript.Game(ruleset, typical.seed)
    for name in typical.played[: length // 2]:
        again.act(name)
    return again.cursor.states, length // 2


def search(setup: Setup) -> Iterator[Figure]:
    ruleset, seeds = setup.ruleset, itertools.count(setup.seed)
    state, decisions = first_choice(ruleset, setup.seed)
    searcher = Search(ruleset, "so", SIMULATIONS, playout="random")

    def work() -> float:
        searcher.run(state, next(seeds))
        return SIMULATIONS

    note = f"from the first choice of a game, {SIMULATIONS:,} simulations, {decisions:.1f} decisions in random play"
    yield setup.figure("search", "simulations/s", rate(work, setup.clock), note=note)


def first_choice(ruleset: Ruleset, seed: int) -> tuple[np.ndarray, float]:
    """STATE, array of one, at the first decision with two legal actions; how many follow it in random play."""
    game, choose = transcript.Game(ruleset, seed), transcript.at_random(seed)
    while len(game.legal()) < 2:
        game.act(choose(game))
    _, decisions = rollout.playouts(ruleset, game.cursor.states, 2000, seed)
    return game.cursor.states, decisions / 2000


# -- One game from Python ---------------------------------------------------------------------------------------------


def aec_raw(setup: Setup) -> Iterator[Figure]:
    env = aec.raw_env(setup.game, **setup.keywords)
    yield setup.figure("aec_raw", "steps/s", rate(play_aec(env, setup.seed), setup.clock))


def aec_env(setup: Setup) -> Iterator[Figure]:
    env = aec.env(setup.game, **setup.keywords)
    yield setup.figure("aec_env", "steps/s", rate(play_aec(env, setup.seed), setup.clock))


def play_aec(env: Any, seed: int) -> Callable[[], float]:
    """A function that plays some random games of an AEC environment with masks, and returns the number of steps."""
    chance = random.Random(seed).random
    env.reset(seed=seed)

    def work() -> float:
        steps = 0
        while steps < 200:
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    action = None
                else:
                    legal = observation["action_mask"].nonzero()[0]
                    action = int(legal[int(chance() * legal.size)])
                env.step(action)
                steps += 1
        return steps

    return work


# -- Training ---------------------------------------------------------------------------------------------------------


def sb3(setup: Setup) -> Iterator[Figure]:
    from benchmarks import training
    from murder_envs.api.sb3 import BatchVecEnv

    env = BatchVecEnv(setup.ruleset, training.GAMES, seed=setup.seed, seat="all", skip_forced=True)
    window = training.share_in_env(env, setup.seed, setup.clock)
    yield setup.figure("sb3", "%", window, batch=training.GAMES, most=5, note=training.PPO_IN_WORDS)


# -- Starting ---------------------------------------------------------------------------------------------------------

FIRST_STEP = """
import importlib, json, sys, time
env = importlib.import_module(sys.argv[1]).env(**json.loads(sys.argv[2]))
env.reset(seed=0)
mask = env.last()[0]["action_mask"]
env.step(int(mask.nonzero()[0][0]))
print("stepped", time.process_time(), flush=True)
"""


def start(setup: Setup) -> Iterator[Figure]:
    begin = partial(seconds_to_first_step, setup.clock, f"murder_envs.{setup.game}_v0", setup.keywords)
    begin()
    yield setup.figure("start", "s warm", lambda _: begin(), most=7)

    def cold(_: float) -> float:
        with tempfile.TemporaryDirectory() as empty:
            return begin({"MURDER_ENVS_CACHE": empty})

    yield setup.figure("start", "s cold", cold, most=3)


def seconds_to_first_step(
    clock: Clock, module: str, keywords: dict[str, Any], variables: dict[str, str] | None = None
) -> float:
    """From the start of a new Python process to the end of the first step of a module's `env`.

    If `clock` counts the processor's time, then that of the new process, else the time that passes.
    """
    began, seconds = time.perf_counter(), None
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_STEP, module, json.dumps(keywords)],
        cwd=ROOT, env={**os.environ, **(variables or {})}, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            if line.startswith("stepped "):
                cpu_seconds = float(line.split()[1])
                seconds = cpu_seconds if clock is time.process_time else time.perf_counter() - began
    if seconds is None:
        raise RuntimeError(f"{module}: a new process did not reach its first step (status {process.returncode})")
    return seconds
