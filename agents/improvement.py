"""Rollout policy improvement: a policy learns where another action does better than the scripted player's.

What would have come of another action, taken once, and then to go on as the scripted player does? In a simulator that
can be tried out by a rollout. A policy that prefers what did better, as far as it can tell such positions apart, is a
step of policy iteration ahead of the scripted player. Tesauro & Galperin, "On-line Policy Improvement using Monte-Carlo
Search", NIPS 1996; Lagoudakis & Parr, "Reinforcement Learning as Classification", ICML 2003.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.supervised import OnProgress, fit, wanted_seats
from murder_envs.core.checks import an_int
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

GAMES_AT_ONCE = 256
"""Games that are played, and then learnt from in a random order; whole positions are kept of them."""

HORIZON, TRIES = 25, 8
"""Other actions are tried out in so many decisions before the end of a game, so many actions in each."""

IMPROVEMENT_STREAM = -5
"""In place of a game's number in `episode_seed`: deals and choices here."""


def improve(
    model: MaskablePPO,
    ruleset: Ruleset,
    seats: Sequence[int],
    positions: int,
    seed: int,
    rate: float = 1e-3,
    batch_size: int = 512,
    on_progress: OnProgress = lambda done, gain: None,
) -> None:
    """Try out other actions near the end of games of scripted players, and learn which of them do better; and from
    other positions of these games, how they end.

    Args:
        model: what learns; its optimiser is not used.
        ruleset: the game, with the reward that counts.
        seats: whose decisions to learn from.
        positions: from how many to learn, at least; in half of them something was tried out.
        seed: of deals and choices; the order comes from torch's random numbers.
        rate: learning rate; falls to 0 in a straight line.
        batch_size: positions a gradient step.
        on_progress: called with the positions so far, and with the mean of how much more than the scripted player the
            policy would have been paid in the latest in which something was tried out, had it drawn one of the actions
            that were tried.

    Raises:
        ValueError: `seats`: they have no decision to take.
    """

    def loss(
        scores: torch.Tensor, values: torch.Tensor, actions: torch.Tensor, paid: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        none = actions < 0
        tried = ~none[:, 1]
        log_odds = scores.gather(1, actions.clamp(min=0)).masked_fill(none, -torch.inf).log_softmax(1)
        odds = log_odds.exp()
        gain = (odds * (paid - paid[:, :1])).sum(1)
        entropy = -(odds * log_odds.masked_fill(none, 0.0)).sum(1)
        worse = -(gain + model.ent_coef * entropy).sum() / tried.sum().clamp(min=1)
        missed = torch.nn.functional.mse_loss(values[~tried], paid[~tried, 0], reduction="sum")
        return worse + model.vf_coef * missed / (~tried).sum().clamp(min=1), gain[tried]

    def examples(number: int) -> tuple[np.ndarray, ...]:
        return tried_actions(ruleset, seats, episode_seed(seed, IMPROVEMENT_STREAM, number))

    fit(model, examples, loss, positions, rate, batch_size, on_progress)


def tried_actions(
    ruleset: Ruleset, seats: Sequence[int], seed: int, horizon: int = HORIZON, tries: int = TRIES
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Near the end of games of scripted players: what would have come of other actions, where it makes a difference.

    Args:
        ruleset: the game.
        seats: whose decisions.
        seed: of the deals and of all choices here.
        horizon: look at the last so many decisions of a game. After earlier ones much is still to come whatever one
            does, and a single rollout says little.
        tries: how many actions of a position at most; 2 or more.

    Returns:
        observations int8[k, size] and masks int8[k, n] of the seat to act; actions int64[k, tries], the scripted
        player's choice first, then other legal ones in random order, -1: no more; float32[k, tries], what the seat was
        paid when it took the action and all went on as scripted players, with equal draws (0 where there is no action).
        The first half are positions in which something was tried out; as many from anywhere in the games, in which
        nothing was, come behind them.
    """
    an_int("tries", tries, 2, 1 << 31)
    random = np.random.default_rng(seed)
    batch = Batch(ruleset, GAMES_AT_ONCE, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    wanted = wanted_seats(ruleset.n_seats, seats)
    rounds: list[tuple[np.ndarray, ...]] = []
    length = np.zeros(batch.n, np.int64)
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        choices = batch.choose("heuristic")
        k = waiting[wanted[batch.seats[waiting]]]
        rounds.append(
            (batch.states[k], batch.observations[k], batch.masks[k], choices[k], batch.seats[k], k, length[k])
        )  # fmt: skip
        length[waiting] += 1
        batch.step(choices[waiting], waiting)
    states, rows, masks, chosen, actors, games, when = (np.concatenate(column) for column in zip(*rounds))

    # Which actions to try in late positions: the smallest of random numbers, the scripted player's first.
    late = np.flatnonzero(length[games] - when <= horizon)
    order = np.where(masks[late] != 0, random.random((len(late), masks.shape[1])), 2.0)
    order[np.arange(len(late)), chosen[late]] = -1.0
    actions = np.argsort(order, axis=1)[:, :tries]
    actions[np.take_along_axis(order, actions, 1) == 2.0] = -1

    # One rollout each, all of a position with the same draws; kept where they do not end alike.
    i, j = np.nonzero(actions >= 0)
    seeds = random.integers(2**63, size=len(late))[i]
    results = rollout.play(ruleset, "heuristic", states=states[late[i]], first=actions[i, j], seeds=seeds)
    returns = np.zeros(actions.shape, np.float32)
    returns[i, j] = results.returns[np.arange(len(i)), actors[late[i]]]
    differ = ((returns != returns[:, :1]) & (actions >= 0)).any(1)

    # As many positions to learn values from, with what was done and how the game ended.
    other = random.choice(len(games), min(len(games), max(1, differ.sum())), replace=False)
    one, ends = np.full((len(other), actions.shape[1]), -1), np.zeros((len(other), actions.shape[1]), np.float32)
    one[:, 0], ends[:, 0] = chosen[other], batch.returns[games[other], actors[other]]
    k = np.concatenate([late[differ], other])
    return rows[k], masks[k], np.concatenate([actions[differ], one]), np.concatenate([returns[differ], ends])
