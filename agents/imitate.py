"""A first lesson: a network learns to do as the heuristic does, and to say how such games end.

Where random play hardly ever reaches an end that is paid, there is nothing to learn from at first; after this there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from murder_envs.core.rng import episode_seed
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

GAMES = 1024
"""Games played at a time, and learnt from in a random order."""

LESSON_STREAM = -3
"""In place of a game's number in `episode_seed`: the deals of lessons."""


def imitate(
    model: MaskablePPO,
    ruleset: Ruleset,
    seats: Sequence[int],
    decisions: int,
    seed: int,
    rate: float = 2e-3,
    batch_size: int = 512,
    said: Callable[[int, float], None] = lambda done, agreed: None,
) -> None:
    """Play games of heuristic players and learn their choices and returns.

    Args:
        model: what learns; its optimiser is not used.
        ruleset: the game, with the reward that the value is to predict.
        seats: whose decisions to learn from.
        decisions: how many, at least; those with one legal option do not count.
        seed: of the deals; the order comes from torch's random numbers.
        rate: learning rate; falls to 0 in a straight line.
        batch_size: decisions an update.
        said: called now and then with the decisions so far and the share in which the network's likeliest action was
            the heuristic's.
    """
    policy = model.policy
    optimiser = torch.optim.Adam(policy.parameters(), lr=rate, eps=1e-5)
    policy.set_training_mode(True)
    done = chapter = 0
    while done < decisions:
        seen, masks, actions, worth = lesson(ruleset, seats, episode_seed(seed, LESSON_STREAM, chapter))
        agreed = 0
        for k in torch.randperm(len(actions)).split(batch_size):
            for group in optimiser.param_groups:
                group["lr"] = rate * max(0.0, 1 - done / decisions)
            legal = torch.as_tensor(masks[k.numpy()], device=policy.device)
            chosen = torch.as_tensor(actions[k.numpy()], device=policy.device)
            paid = torch.as_tensor(worth[k.numpy()], device=policy.device)
            features = policy.extract_features(torch.as_tensor(seen[k.numpy()], device=policy.device))
            own, value = policy.mlp_extractor(features)
            scores = policy.action_net(own).masked_fill(legal == 0, -1e8)
            loss = torch.nn.functional.cross_entropy(scores, chosen)
            loss = loss + model.vf_coef * torch.nn.functional.mse_loss(policy.value_net(value)[:, 0], paid)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimiser.step()
            agreed += int((scores.argmax(1) == chosen).sum())
            done += len(k)
        chapter += 1
        said(done, agreed / max(1, len(actions)))
    policy.set_training_mode(False)


def lesson(ruleset: Ruleset, seats: Sequence[int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whole games of heuristic players, as the decisions of some seats.

    Returns:
        observations int8[k, size], masks int8[k, n], actions int64[k], and float32[k], what the seat was paid.
    """
    batch = Batch(ruleset, GAMES, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    wanted = np.zeros(ruleset.n_seats, np.bool_)
    wanted[list(seats)] = True
    kept: list[tuple[np.ndarray, ...]] = []
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        actions = batch.choose("heuristic")
        k = waiting[wanted[batch.seats[waiting]]]
        kept.append((batch.observations[k], batch.masks[k], actions[k], k, batch.seats[k]))
        batch.step(actions[waiting], waiting)
    seen, masks, actions, games, at = (np.concatenate(column) for column in zip(*kept))
    return seen, masks, actions, batch.returns[games, at].astype(np.float32)
