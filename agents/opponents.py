"""Who a policy learns against: the policies as they are, as they were, and compiled players.

Where all seats are paid alike one policy plays them all. Elsewhere it learns in one seat of each game, and who has the
others differs from game to game. A policy that met only itself would go round in circles; so some games are played
against opponents of the past, as in fictitious self-play (Heinrich, Lanctot & Silver, "Fictitious Self-Play in
Extensive-Form Games", ICML 2015) and in the opponent pools of Bansal et al., "Emergent Complexity via Multi-Agent
Competition", ICLR 2018.
"""

from __future__ import annotations

import copy
import io
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents import runs
from agents.networks.actor import Actor
from agents.settings import PAST, SELF
from murder_envs.api.sb3 import Opponents


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

    def draw(self, past: list[pathlib.Path], seed: int, steps: int) -> None:
        """Choose who comes back from the past; equal arguments, equal choice."""
        random = np.random.default_rng([seed, steps])
        for opponent in self._past:
            weights = torch.load(past[random.integers(len(past))], weights_only=True)
            opponent.actor.policy.load_state_dict(weights)


# -- The past ---------------------------------------------------------------------------------------------------------


def keep(run: pathlib.Path, name: str, model: MaskablePPO) -> None:
    """Keep a policy as it is now, in the run folder."""
    folder = run / PAST
    folder.mkdir(exist_ok=True)
    file = io.BytesIO()
    torch.save(model.policy.state_dict(), file)
    runs.write(folder / f"{name}-{model.num_timesteps:012d}.pt", file.getvalue())


def past_of(run: pathlib.Path, name: str, steps: int) -> list[pathlib.Path]:
    """What was kept of a policy until it had learnt from so many decisions, the oldest first."""
    files = sorted((run / PAST).glob(f"{name}-*.pt"))
    return [path for path in files if int(path.stem.rpartition("-")[2]) <= steps]
