"""Dask and joblib: games sent to other processes and threads, and their hashes."""

from __future__ import annotations

import importlib
from typing import Any

import dask
import joblib
import numpy as np

from murder_envs.drivers import rollout
from murder_envs.registry import GAMES, make_ruleset
from tests.clients.report import run

REQUIRES = ("dask", "joblib")
LIBRARIES = ("dask", "joblib")


def _begun(game: str) -> Any:
    env = importlib.import_module(f"murder_envs.{game}_v0").raw_env()
    env.reset(seed=3)
    return env


def _finish(env: Any, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    while legal := env.legal_actions():
        env.step(int(random.choice(legal)))
    return env.snapshot()


def _mean(ruleset: Any, seed: int) -> list[float]:
    return rollout.play(ruleset, games=50, seed=seed).returns.mean(0).tolist()


def joblib_processes() -> None:
    """`joblib.Parallel` over processes that finish copies of one begun game"""
    for game in GAMES:
        env = _begun(game)
        ends = joblib.Parallel(2)(joblib.delayed(_finish)(env, seed) for seed in range(4))
        assert ends == [_finish(env.clone(), seed) for seed in range(4)]


def joblib_hashes() -> None:
    """`joblib.hash`: equal games, equal hashes"""
    for game in GAMES:
        env = _begun(game)
        assert joblib.hash(env) == joblib.hash(env.clone()) == joblib.hash(_begun(game))
        assert joblib.hash(env) != joblib.hash(env.redeal(0, 1))


def schedulers() -> None:
    """Dask's schedulers `processes`, `threads` and `sync` over one ruleset: equal results"""
    for game in GAMES:
        ruleset = make_ruleset(game)
        tasks = [dask.delayed(_mean)(ruleset, seed) for seed in range(3)]
        processes, threads, alone = (
            dask.compute(*tasks, scheduler=scheduler) for scheduler in ("processes", "threads", "sync")
        )
        assert processes == threads == alone


if __name__ == "__main__":
    run(globals(), LIBRARIES)
