"""Fixtures: each registered game with each of its configurations."""

from __future__ import annotations

import importlib
import os

import pytest

from murder_envs.registry import GAMES
from tests.support import CASES, ruleset_of

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows open on a screen that nobody looks at


def game_of(item: pytest.Item) -> int:
    """The number of the game that a test's parameters name; behind all games if they name none."""
    parameters = item.nodeid.partition("[")[2]
    return next((number for number, game in enumerate(GAMES) if game in parameters), len(GAMES))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests game by game.

    pytest-xdist gives each process a stretch of this list. So each process compiles, or reads from the cache, mostly
    the kernels of its own games, and two processes seldom compile the same kernel at the same time.
    """
    items.sort(key=game_of)


@pytest.fixture(params=list(GAMES))
def game(request):
    """A registered game's name."""
    return request.param


@pytest.fixture
def module(game):
    """A game's public module."""
    return importlib.import_module(f"murder_envs.{game}_v0")


@pytest.fixture(params=CASES, ids="-".join)
def case(request):
    """(game, name of a configuration)"""
    return request.param


@pytest.fixture
def ruleset(case):
    """Each registered game x its configurations."""
    return ruleset_of(*case)
