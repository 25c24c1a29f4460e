"""Tianshou: collectors over PettingZoo environments."""

from __future__ import annotations

import importlib
from typing import Any

from tianshou.algorithm import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv

from murder_envs import PaddedInfos
from murder_envs.registry import GAMES
from tests.clients.report import run

REQUIRES = ("tianshou",)
LIBRARIES = ("tianshou",)


def _make(game: str) -> PettingZooEnv:
    return PettingZooEnv(PaddedInfos(importlib.import_module(f"murder_envs.{game}_v0").env()))


def _collect(game: str, buffer: Any) -> None:
    env = _make(game)
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in env.agents]
    envs = DummyVectorEnv([lambda: _make(game) for _ in range(2)])
    collector = Collector(MultiAgentOffPolicyAlgorithm(algorithms=players, env=env), envs, buffer)
    collector.reset()
    assert collector.collect(n_episode=4).n_collected_episodes == 4


def collectors() -> None:
    """`PettingZooEnv(PaddedInfos(env))`, with a `Collector` that plays games to their end"""
    for game in GAMES:
        _collect(game, VectorReplayBuffer(10_000, 2))


if __name__ == "__main__":
    run(globals(), LIBRARIES)
