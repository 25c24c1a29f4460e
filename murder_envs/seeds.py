"""What episodes start from, for everybody: `murder_envs.episode_seed`."""

from __future__ import annotations

from typing import Any

from murder_envs.core import rng
from murder_envs.core.checks import MAX_SEED, a_seed, an_int


def episode_seed(seed: Any, game: Any, episode: Any) -> int:
    """What episode `episode` of game `game` starts from under a seed: an int from 0 to 2^63 - 1.

    Args:
        seed: of the batch, or of the environment, whose games are all game 0.
        game: its number in the batch; numbers below 0 stand for the other random streams, see `core.rng.STREAM`.
        episode: counted from 0.

    Raises:
        ValueError: an argument is no int or out of range; the text begins with its name.
    """
    number = an_int("game", game, -MAX_SEED, MAX_SEED)
    return int(rng.episode_seed(a_seed("seed", seed), number, a_seed("episode", episode)))
