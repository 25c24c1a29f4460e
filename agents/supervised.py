"""Supervised learning of a policy from games of the scripted player: what `cloning` and `improvement` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from murder_envs.core.checks import fail
from murder_envs.networks.actor import action_scores

OnProgress = Callable[[int, float], None]
"""Is told how many decisions were learnt from so far, and a figure that says how well the policy does."""


def fit(
    model: MaskablePPO,
    examples: Callable[[int], tuple[np.ndarray, ...]],
    loss: Callable[..., tuple[torch.Tensor, torch.Tensor]],
    decisions: int,
    rate: float,
    batch_size: int,
    on_progress: OnProgress,
) -> None:
    """Learn from one set of examples after the other, each in a random order, until there were enough.

    Args:
        model: what learns; its optimiser is not used.
        examples: number of a set -> observations int8[k, size], masks int8[k, n], and further arrays of length k.
        loss: (scores float[b, n], -inf where illegal; values float[b]; the further arrays of a batch) -> what is to
            become small, and figures to report the mean of.
        decisions: from how many examples to learn, at least.
        rate: learning rate of Adam; falls to 0 in a straight line.
        batch_size: examples a gradient step; their order comes from torch's random numbers.
        on_progress: called after each set.

    Raises:
        ValueError: `seats`: a whole set is empty.
    """
    policy = model.policy
    optimiser = torch.optim.Adam(policy.parameters(), lr=rate, eps=1e-5)
    policy.set_training_mode(True)
    done = number = 0
    while done < decisions:
        arrays = examples(number)
        if not len(arrays[0]):
            fail("seats", "some that have a decision to take")
        figures: list[torch.Tensor] = []
        for k in torch.randperm(len(arrays[0])).split(batch_size):
            for group in optimiser.param_groups:
                group["lr"] = rate * max(0.0, 1 - done / decisions)
            rows, masks, *further = (torch.as_tensor(array[k.numpy()], device=policy.device) for array in arrays)
            latent, latent_value = policy.mlp_extractor(policy.extract_features(rows))
            scores = action_scores(policy, latent, rows, masks != 0)
            missed, figure = loss(scores, policy.value_net(latent_value)[:, 0], *further)
            optimiser.zero_grad()
            missed.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimiser.step()
            figures.append(figure.detach())
            done += len(k)
        number += 1
        together = torch.cat(figures)
        on_progress(done, float(together.sum()) / max(1, len(together)))
    policy.set_training_mode(False)


def wanted_seats(n_seats: int, seats: Sequence[int]) -> np.ndarray:
    """bool[n_seats]: is a seat one of these?"""
    wanted = np.zeros(n_seats, np.bool_)
    wanted[list(seats)] = True
    return wanted
