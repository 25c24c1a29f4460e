"""Averages over many games against reference figures, which come from another build.

Both samples err, so the limit is three standard errors of their difference; a figure beyond it is decided by ten times
the games from other seeds.
"""

from __future__ import annotations

import numpy as np
import pytest

from murder_envs.drivers import rollout
from murder_envs.ruleset import Ruleset
from tests.support import data, rows, with_config

ROWS = rows("figures.toml", "row")
GAMES = 4000
STANDARD_ERRORS = 3


def figures(ruleset: Ruleset, player: str, games: int, seed: int) -> dict[str, np.ndarray]:
    """The numbers of each of many games, by name; NaN where a game has none."""
    played = rollout.play(ruleset, player, games, seed)
    found = [ruleset.figures(ruleset.rules, played.states[i : i + 1]) for i in range(games)]
    numbers = {name: np.array([each[name] for each in found]) for name in found[0]}
    # The mean over all decisions of all games is a ratio; so is each game's share, and its error is that of a mean.
    excess = (played.options - played.branching * played.decisions) / played.decisions.mean()
    return numbers | {"decisions": played.decisions.astype(float), "branching": played.branching + excess}


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
    told = data(game, "figures.toml")
    ruleset = with_config(game, row["config"])
    for games, seed in ((GAMES, 1), (10 * GAMES, 2)):
        theirs = row.get("games", told["games"])
        wrong = beyond(figures(ruleset, row["player"], games, seed), row, theirs, told["rounded"])
        if not wrong:
            return
    raise AssertionError("\n".join(wrong))
