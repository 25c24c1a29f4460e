"""Behaviour cloning: a policy learns to choose as the scripted player does, and how games of scripted players end.

Where random play hardly ever reaches an end that is paid, reinforcement learning has nothing to begin with; after this
it has. Bain & Sammut, "A Framework for Behavioural Cloning", Machine Intelligence 15, 1995; Pomerleau, "ALVINN", 1989.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.supervised import OnProgress, fit, wanted_seats
from murder_envs.core.rng import episode_seed
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

GAMES_AT_ONCE = 1024
"""Games that are played, and then learnt from in a random order."""

CLONING_STREAM = -3
"""In place of a game's number in `episode_seed`: the deals of these games."""


def clone(
    model: MaskablePPO,
    ruleset: Ruleset,
    seats: Sequence[int],
    decisions: int,
    seed: int,
    rate: float = 2e-3,
    batch_size: int = 512,
    on_progress: OnProgress = lambda done, agreement: None,
) -> None:
    """Play games of scripted players and learn their choices and returns.

    Args:
        model: what learns; its optimiser is not used.
        ruleset: the game, with the reward that the value is to predict.
        seats: whose decisions to learn from.
        decisions: how many, at least; those with one legal option do not count.
        seed: of the deals; the order comes from torch's random numbers.
        rate: learning rate; falls to 0 in a straight line.
        batch_size: decisions a gradient step.
        on_progress: called with the decisions so far and the share of the latest in which the network's likeliest
            action was the scripted player's.

    Raises:
        ValueError: `seats`: they have no decision to take.
    """

    def loss(
        scores: torch.Tensor, values: torch.Tensor, chosen: torch.Tensor, paid: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        missed = torch.nn.functional.cross_entropy(scores, chosen)
        missed = missed + model.vf_coef * torch.nn.functional.mse_loss(values, paid)
        return missed, scores.argmax(1) == chosen

    def examples(number: int) -> tuple[np.ndarray, ...]:
        return demonstrations(ruleset, seats, episode_seed(seed, CLONING_STREAM, number))

    fit(model, examples, loss, decisions, rate, batch_size, on_progress)


def demonstrations(
    ruleset: Ruleset, seats: Sequence[int], seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whole games of scripted players, as the decisions of some seats.

    Returns:
        observations int8[k, size], masks int8[k, n], actions int64[k], and float32[k], what the seat was paid.
    """
    batch = Batch(ruleset, GAMES_AT_ONCE, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    wanted = wanted_seats(ruleset.n_seats, seats)
    rounds: list[tuple[np.ndarray, ...]] = []
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        actions = batch.choose("heuristic")
        k = waiting[wanted[batch.seats[waiting]]]
        rounds.append((batch.observations[k], batch.masks[k], actions[k], k, batch.seats[k]))
        batch.step(actions[waiting], waiting)
    rows, masks, actions, games, actors = (np.concatenate(column) for column in zip(*rounds))
    return rows, masks, actions, batch.returns[games, actors].astype(np.float32)
