"""Component `prior_weight`: a residual policy over the scripted player.

The network learns where to do otherwise than the scripted player, in place of learning everything from nothing: Silver,
Allen, Tenenbaum & Kaelbling, "Residual Policy Learning", 2018; Johannink et al., "Residual Reinforcement Learning for
Robot Control", 2018. There the residual is added to an action; here, where actions are discrete, to its score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from murder_envs.core.checks import fail
from murder_envs.drivers.prior import ScriptedPrior
from murder_envs.registry import make_ruleset


class ResidualPolicy(MaskableActorCriticPolicy):
    """A policy whose scores (logits) are those of its own network, with a bonus for the scripted player's choice.

    The scripted player's choice follows from observation and mask alone. Its bonus is so large that a network without
    an opinion takes it with the odds e^prior_weight to 1, however many actions are legal. So the policy begins as that
    player with some noise, and all that it learns is an improvement from the first step on.

    It cannot do without action masks: ValueError names them where they are left out.

    Args:
        prior_weight: the weight to begin with; learnt like all weights.
        game, config: name and parameters of the game that the policy plays.
        arguments, keywords: those of `MaskableActorCriticPolicy`.
    """

    def __init__(
        self, *arguments: Any, prior_weight: float, game: str, config: dict[str, Any], **keywords: Any
    ) -> None:
        self._first_weight = prior_weight
        super().__init__(*arguments, **keywords)
        self._prior = ScriptedPrior(make_ruleset(game, **config))

    def _build(self, lr_schedule: Any) -> None:
        self.prior_weight = torch.nn.Parameter(torch.tensor(float(self._first_weight)))
        super()._build(lr_schedule)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        ruleset = self._prior.ruleset
        own = {"prior_weight": self._first_weight, "game": ruleset.name, "config": dict(ruleset.config)}
        return {**super()._get_constructor_parameters(), **own}

    def with_prior(self, scores: torch.Tensor, observations: torch.Tensor, masks: Any) -> torch.Tensor:
        """Scores float[N, n] with the bonus of the scripted player's choices; masks [N, n], as tensor or array."""
        if masks is None:
            fail("action_masks", "the legal actions, which a residual policy cannot do without")
        rows, legal = observations.cpu().numpy().astype(np.int8), torch.as_tensor(masks).cpu().numpy()
        legal = legal.reshape(scores.shape)
        choices = torch.as_tensor(self._prior(rows, legal), device=scores.device)
        others = torch.as_tensor(np.maximum(1, (legal != 0).sum(1) - 1), device=scores.device)
        bonus = self.prior_weight + others.log()
        return scores + bonus[:, None] * torch.nn.functional.one_hot(choices, scores.shape[1])

    # The library asks for distributions in three ways, and makes scores in a place that is not told the masks; so they
    # are kept from the call that has them.

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> MaskableDistribution:
        scores = self.with_prior(self.action_net(latent_pi), *self._inputs)
        return self.action_dist.proba_distribution(action_logits=scores)

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> Any:
        self._inputs = obs, action_masks
        return super().forward(obs, deterministic, action_masks)

    def evaluate_actions(self, obs: Any, actions: Any, action_masks: Any = None) -> Any:
        self._inputs = obs, action_masks
        return super().evaluate_actions(obs, actions, action_masks)

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        self._inputs = obs, action_masks
        return super().get_distribution(obs, action_masks)
