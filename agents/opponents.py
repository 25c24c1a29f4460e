"""Who a policy learns against: the policies as they are, as they were, and compiled players.

Where all seats are paid alike one policy plays them all. Elsewhere it learns in one seat of each game, and who has the
others differs from game to game. A policy that met only itself would go round in circles; so some games are played
against opponents of the past, as in fictitious self-play (Heinrich, Lanctot & Silver, "Fictitious Self-Play in
Extensive-Form Games", ICML 2015) and in the opponent pools of Bansal et al., "Emergent Complexity via Multi-Agent
Competition", ICLR 2018.
"""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO

from agents import runs
from agents.settings import PAST, SELF
from murder_envs.api.sb3 import Opponents
from murder_envs.core.checks import shown
from murder_envs.networks import files
from murder_envs.networks.actor import Actor
from murder_envs.networks.policy import put_weights, weights_of


class PolicyOpponent:
    """The opponents in some games: a policy, which is put in later and changes."""

    actor: Actor

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return self.actor(observations, masks, seats)


class OpponentPool:
    """The opponents of one learning policy.

    Args:
        shares: how many of `games` go to each kind of opponents (OPPONENTS of `agents.settings`), as weights. Each unit
            of PAST is a group of games of its own, with another policy of the past.
        games: how many games the policy learns in at once.

    Attributes:
        opponents: as `BatchVecEnv` takes them.
    """

    def __init__(self, shares: Mapping[str, int], games: int) -> None:
        self._self = PolicyOpponent()
        self._past = [PolicyOpponent() for _ in range(shares.get(PAST, 0))]
        weights: dict[Any, int] = dict.fromkeys(self._past, 1)
        for kind, share in shares.items():
            if kind != PAST and share:
                weights[self._self if kind == SELF else kind] = share
        bounds = np.cumsum([0, *weights.values()]) * games // sum(weights.values())
        self.opponents: Opponents = {opponent: int(n) for opponent, n in zip(weights, np.diff(bounds))}

    def set_policy(self, policy: Any) -> None:
        """Let `policy` play in the games of SELF, where it may go on learning, and copies of it in those of PAST."""
        self._self.actor = Actor(policy, sampled=True)
        for opponent in self._past:
            opponent.actor = Actor(copy.deepcopy(policy), sampled=True)

    def draw(self, past: Sequence[pathlib.Path], seed: int, steps: int) -> None:
        """Choose who comes back from the past; equal arguments, equal choice."""
        random = np.random.default_rng([seed, steps])
        for opponent in self._past:
            put_weights(opponent.actor.policy, weights_of_past(past[int(random.integers(len(past)))]))


# -- The past ---------------------------------------------------------------------------------------------------------


def keep(run: pathlib.Path, name: str, model: MaskablePPO) -> str:
    """Keep a policy as it is now, in the run folder; returns the name of the file."""
    folder = run / PAST
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{model.num_timesteps:012d}.npz"
    runs.write(path, files.arrays_bytes(weights_of(model.policy)))
    return path.name


def weights_of_past(path: pathlib.Path) -> dict[str, np.ndarray]:
    """What was kept; DamagedFile names the file if it is missing or damaged."""
    try:
        return files.arrays_of(path.read_bytes())
    except Exception as error:  # numpy's reader raises almost anything for a changed bit
        what = "missing" if isinstance(error, FileNotFoundError) else "damaged"
        raise files.DamagedFile(f"{PAST}: {path} is {what}, a policy of the past that this run plays against") from None


def check_past(paths: Sequence[pathlib.Path], policy: Any) -> None:
    """DamagedFile names the first file that does not hold weights of a policy like this."""
    other = copy.deepcopy(policy)
    for path in paths:
        weights = weights_of_past(path)
        try:
            put_weights(other, weights)
        except (RuntimeError, TypeError) as error:
            raise files.DamagedFile(f"{PAST}: {path} holds no weights of this network ({shown(str(error))})") from None
