"""Fixtures: each registered game with each of its configurations."""

from __future__ import annotations

import importlib

import pytest

from murder_envs.registry import GAMES
from tests.support import CASES, ruleset_of


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
