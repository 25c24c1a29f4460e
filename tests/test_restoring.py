"""Every position that play can reach has a snapshot that restores, finished games included.

    python -m tests.test_restoring [seconds] [game ...]      plays on for so long, and prints each kind of failure once

Games of all configurations of the tests and of configurations drawn at random are played by random and by scripted
players. At every decision and at the end the snapshot is restored with another seed. The restored game must show the
same snapshot, observations, legal set and outcome, and have the same future. Where a snapshot does not hold the state
of the random numbers, the restored game takes over that of the original for this.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
import json
import os
import random
import re
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset
from tests.support import MOST_DECISIONS, Table, all_configs, data, reported, ruleset_of

FEW = 4
MANY = int(os.environ.get("MURDER_ENVS_RESTORED_CONFIGS", 60))
"""Configurations drawn at random; the environment variable lets the slow test have more of them."""

ENDS = 20
"""Further games, of which the end is restored, in each configuration drawn at random."""

SMALL_INTS = range(-1, 25)
"""The ints that are tried as values of a parameter."""

MOST_CHANGES = 6
"""A configuration drawn at random differs from one of the tests' in at most so many parameters."""


# -- Configurations drawn at random -----------------------------------------------------------------------------------


@functools.cache
def values_of(game: str) -> dict[str, list[Any]]:
    """parameter -> values to draw from.

    They are the small ints, the bools and the names that the declaration accepts, the values that occur in the tests'
    configurations, and those that `draws.toml` lists.
    """
    values = {}
    for field in dataclasses.fields(importlib.import_module(f"murder_envs.games.{game}.config").Config):
        names = re.findall(r'"([^"]*)"', field.metadata["values"])
        numbers = [] if accepts(field, object()) else [True, False, *SMALL_INTS]
        listed = [config[field.name] for config in all_configs(game).values() if field.name in config]
        values[field.name] = [value for value in (*names, *numbers) if accepts(field, value)] + listed
        values[field.name] += data(game, "draws.toml").get(field.name, [])
    return {name: some for name, some in values.items() if some}


def accepts(field: Any, value: Any) -> bool:
    """Does the declared check of a parameter let a value pass?"""
    try:
        field.metadata["check"](field.name, value)
    except ValueError:
        return False
    return True


def random_ruleset(game: str, rng: random.Random) -> Ruleset:
    """A game with a configuration of the tests in which some parameters, or none, have other values."""
    values = values_of(game)
    known = [*all_configs(game).values(), *data(game, "draws.toml").get("configurations", [])]
    while True:
        config = dict(rng.choice(known))
        for name in rng.sample(sorted(values), rng.randint(0, min(MOST_CHANGES, len(values)))):
            config[name] = rng.choice(values[name])
        try:
            return make_ruleset(game, **config)
        except ValueError:
            continue


# -- A game whose every position is restored --------------------------------------------------------------------------


def differences(table: Table, full: dict[str, Any], other: Table) -> list[str]:
    """In what a table, whose snapshot is at hand, differs from another one for anybody who looks; a line each."""
    theirs = other.snapshot()
    lines = [f"{name}: {value!r} became {theirs[name]!r}" for name, value in full.items() if value != theirs[name]]
    for what in (Table.legal, Table.views, Table.look_from_above, Table.returns, Table.is_cut_off):
        if what(table) != what(other):
            lines.append(f"{what.__name__} differs")
    if table.seat != other.seat:
        lines.append(f"seat {table.seat} is to act, and then seat {other.seat}")
    return lines


def must_agree(table: Table, full: dict[str, Any], other: Table, when: str) -> None:
    """Equal bytes are equal positions; others may differ in what nobody looks at."""
    if table.states.tobytes() != other.states.tobytes():
        lines = differences(table, full, other)
        assert not lines, f"{when}: " + "\n".join(lines)


def restore(table: Table, full: dict[str, Any], other: Table, seed: int) -> None:
    """Let another table begin with the snapshot of this one, as it comes out of a file, and compare them."""
    from_file = json.loads(json.dumps(full))
    assert from_file == full
    other.cursor.restore(from_file, seed)
    if "rng" not in full:
        other.states["rng"] = table.states["rng"]
    must_agree(table, full, other, "restored")


def play(ruleset: Ruleset, seed: int, rng: random.Random, share: float = 1.0, ends: int = 0) -> None:
    """Play games, random and scripted decisions mixed, and restore their positions.

    Args:
        ruleset: the configured game.
        seed: what the first game is dealt from; the others are dealt from the seeds after it.
        rng: random numbers for the players.
        share: how many of the first game's positions are restored.
        ends: how many further games there are, of which only the end is restored.
    """
    table = Table(ruleset, seed)
    restored, follower = table.copy(), table.copy()
    for game in range(1 + ends):
        table.seed = seed + game
        table.cursor.deal(table.seed)
        table.played.clear()
        table.history.clear()
        with reported(table):
            play_one(table, restored, follower, rng, 0.0 if game else share)


def play_one(table: Table, restored: Table, follower: Table, rng: random.Random, share: float) -> None:
    """Play the game that has been dealt; the follower goes on from a restored position, decision by decision."""
    scripted = rng.choice((0.0, 0.0, 0.5, 0.9, 1.0))
    stream = np.array([table.seed], np.uint64)
    follower.cursor.place(table.states)
    for _ in range(MOST_DECISIONS):
        if table.over or rng.random() < share:
            full = table.snapshot()
            must_agree(table, full, follower, "after restoring and some decisions")
            restore(table, full, restored, rng.randrange(100))
            if rng.random() < 0.5:
                follower.cursor.place(restored.states)
        if table.over:
            return
        by_script = rng.random() < scripted
        action = table.cursor.choose_by_heuristic(stream) if by_script else rng.choice(table.legal())
        table.act(action)
        follower.cursor.act(action)
    raise AssertionError(f"no end after {MOST_DECISIONS} decisions")


def play_any(game: str, seed: int, share: float = 1.0, ends: int = 0) -> None:
    """Games in a configuration drawn at random; the same games for the same arguments."""
    rng = random.Random(f"{game} {seed}")
    play(random_ruleset(game, rng), seed, rng, share, ends)


@pytest.mark.kernels
def test_in_every_configuration(ruleset):
    play(ruleset, 700, random.Random(700), ends=FEW)


@pytest.mark.kernels
def test_in_configurations_drawn_at_random(game):
    for seed in range(FEW):
        play_any(game, seed, ends=FEW)


@pytest.mark.slow
def test_in_many_configurations(game):
    for seed in range(FEW, FEW + MANY):
        play_any(game, seed, share=0.3, ends=ENDS)


def test_the_values_to_draw_from_are_those_of_parameters(game):
    """Almost every parameter varies, and what `draws.toml` lists belongs to a parameter."""
    assert set(data(game, "draws.toml")) <= {*ruleset_of(game).config, "configurations"}
    assert all(len(values) > 1 for values in values_of(game).values())


# -- For longer -------------------------------------------------------------------------------------------------------


def play_on(seconds: float, games: list[str]) -> int:
    """Play games in configurations drawn at random, print the first failure of each kind, return how many failed.

    One game in four is restored at every decision, the others at few of them: so more different games are played.
    """
    failures: Counter[tuple[str, str]] = Counter()
    begun, first = time.monotonic(), time.time_ns()
    for seed in itertools.count(first):
        if time.monotonic() - begun > seconds:
            break
        for game in games:
            share = 1.0 if seed % 4 == 0 else 0.1
            try:
                play_any(game, seed, share, ENDS)
            except (ValueError, AssertionError) as error:
                kind = (game, re.sub(r"\d+", "#", str(error).partition("\n")[0]))
                failures[kind] += 1
                if failures[kind] == 1:
                    notes = "\n".join(getattr(error, "__notes__", []))
                    print(f"play_any({game!r}, {seed}, {share}, {ENDS}): {error}\n{notes}", flush=True)
    print(f"{seed - first} configurations each of {', '.join(games)}; failures: {failures or 'none'}")
    return failures.total()


if __name__ == "__main__":
    limit, *chosen = sys.argv[1:] or ["60"]
    sys.exit(min(1, play_on(float(limit), chosen or list(GAMES))))
