"""Averages over many games against reference figures, which come from another build.

Both samples err, so the limit is three standard errors of their difference; a figure beyond it is decided by ten times
the games from other seeds.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from murder_envs import episode_seed
from murder_envs.drivers import rollout
from murder_envs.ruleset import Ruleset
from tests.support import Table, data, rows, with_config

ROWS = rows("figures.toml", "row")
GAMES = 4000
STANDARD_ERRORS = 3


def figures(ruleset: Ruleset, row: dict[str, Any], games: int, seed: int) -> dict[str, np.ndarray]:
    """The numbers of each of many games, by name; NaN where a game has none."""
    if "never" in row:
        return figures_without(ruleset, row, games, seed)
    played = rollout.play(ruleset, row["player"], games, seed)
    numbers = numbers_of(ruleset, [played.states[i : i + 1] for i in range(games)])
    # The mean over all decisions of all games is a ratio; so is each game's share, and its error is that of a mean.
    excess = (played.options - played.branching * played.decisions) / played.decisions.mean()
    return numbers | {"decisions": played.decisions.astype(float), "branching": played.branching + excess}


def figures_without(ruleset: Ruleset, row: dict[str, Any], games: int, seed: int) -> dict[str, np.ndarray]:
    """The same where players who choose at random leave some actions alone, as long as there are others."""
    by_seat = row["player"] if isinstance(row["player"], list) else [row["player"]] * ruleset.n_seats
    never = {ruleset.actions.id(name) for name in row["never"]}
    tables = []
    for i in range(games):
        table, rng = Table(ruleset, episode_seed(seed, i, 0)), random.Random(f"{seed} {i}")
        stream = np.array([rng.getrandbits(64)], np.uint64)
        while not table.over:
            if by_seat[table.seat] == "random":
                legal = table.legal()
                action = rng.choice([action for action in legal if action not in never] or legal)
            else:
                action = int(table.driver.choose_by_heuristic(table.row, table.legal_set, ruleset.rules, stream))
            table.act(action)
        tables.append(table)
    numbers = numbers_of(ruleset, [table.states for table in tables])
    return numbers | {"decisions": np.array([float(len(table.played)) for table in tables])}


def numbers_of(ruleset: Ruleset, states: list[np.ndarray]) -> dict[str, np.ndarray]:
    """The figures of finished games, by name."""
    by_game = [ruleset.figures(ruleset.rules, state) for state in states]
    return {name: np.array([each[name] for each in by_game]) for name in by_game[0]}


def beyond(numbers: dict[str, np.ndarray], row: dict, games: int, rounded: dict[str, float]) -> list[str]:
    """The figures of a row that are too far off, a line each."""
    wrong = []
    for name, reference in row["figures"].items():
        sample = numbers[name][~np.isnan(numbers[name])]
        theirs = games * len(sample) / len(numbers[name])  # of their games as many as of ours have this number
        spread = max(sample.std(), rounded[name])
        error = spread * np.sqrt(1 / len(sample) + 1 / theirs)
        off = abs(sample.mean() - reference) - rounded[name] / 2
        if off > STANDARD_ERRORS * error:
            wrong.append(f"{name}: {sample.mean():.4f}, reference {reference}, standard error {error:.4f}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize(("game", "row"), ROWS, ids=[f"{game}-{row['name']}" for game, row in ROWS])
def test_figures(game, row):
    usual = data(game, "figures.toml")
    ruleset = with_config(game, row["config"])
    for games, seed in ((GAMES, 1), (10 * GAMES, 2)):
        theirs = row.get("games", usual["games"])
        rounded = usual["rounded"] | row.get("rounded", {})
        wrong = beyond(figures(ruleset, row, games, seed), row, theirs, rounded)
        if not wrong:
            return
    raise AssertionError("\n".join(wrong))
