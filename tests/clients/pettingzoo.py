"""PettingZoo: its own tests of every game."""

from __future__ import annotations

import importlib

import pettingzoo
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.utils import wrappers

from murder_envs.registry import GAMES, env_id
from tests.clients.report import run

REQUIRES = ()
LIBRARIES = ("pettingzoo",)


def own_tests() -> None:
    """`api_test`, `seed_test` and `test_state`, every game by `pettingzoo.make`"""
    for game in GAMES:
        env = pettingzoo.make("aec", env_id(game))
        api_test(env, num_cycles=200)
        check_state(env, num_cycles=200)
        seed_test(lambda game=game: pettingzoo.make("aec", env_id(game)), num_cycles=200)


def its_wrappers() -> None:
    """its default wrappers around `raw_env`: `api_test`"""
    for game in GAMES:
        env = importlib.import_module(f"murder_envs.{game}_v0").raw_env()
        env = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(env, illegal_reward=-1))
        api_test(wrappers.OrderEnforcingWrapper(env), num_cycles=200)


if __name__ == "__main__":
    run(globals(), LIBRARIES)
