"""A policy as a player, and its scores of actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from murder_envs.drivers.batch import Batch
from murder_envs.networks.residual import ResidualPolicy


def action_scores(policy: Any, latent: torch.Tensor, observations: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """float[N, n]: a policy's scores (logits) of all actions, -inf where they are illegal.

    Args:
        policy: of a MaskablePPO model.
        latent: float[N, units], the output of its policy layers.
        observations: [N, size].
        legal: bool[N, n].
    """
    scores = policy.action_net(latent)
    if isinstance(policy, ResidualPolicy):
        scores = policy.with_prior(scores, observations, legal)
    return scores.masked_fill(~legal, -torch.inf)


class Actor:
    """A policy as a player: observations int8[k, size], masks int8[k, n] -> actions int64[k].

    Args:
        policy: of a MaskablePPO model.
        sampled: draw actions from its probabilities, with torch's random numbers; else take the likeliest.
    """

    def __init__(self, policy: Any, sampled: bool = False) -> None:
        self.policy = policy
        self.sampled = sampled

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        with torch.no_grad():
            scores = self._scores(observations, masks)
            if self.sampled:  # the greatest of scores plus Gumbel numbers: a draw from the softmax
                scores = scores - torch.empty_like(scores).exponential_().log()
            return scores.argmax(1).cpu().numpy()

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """float[k, n]: how likely the player takes each action."""
        with torch.no_grad():
            scores = self._scores(observations, masks)
            if not self.sampled:
                scores = torch.where(scores == scores.max(1, keepdim=True).values, 0.0, -torch.inf)
            return scores.softmax(1).cpu().numpy()

    def choose(self, batch: Batch, games: np.ndarray) -> np.ndarray:
        """Actions int64[k] for some games of a batch, int64[k]."""
        return self(batch.observations[games], batch.masks[games])

    def _scores(self, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        policy = self.policy
        rows = torch.as_tensor(np.asarray(observations), device=policy.device)
        legal = torch.as_tensor(np.asarray(masks), device=policy.device) != 0
        latent = policy.mlp_extractor.forward_actor(policy.extract_features(rows, policy.pi_features_extractor))
        return action_scores(policy, latent, rows, legal)
