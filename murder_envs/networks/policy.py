"""A policy from its parts, for a learner and for a file that keeps one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from murder_envs.api.seat import observation_space
from murder_envs.networks.encoder import Encoder
from murder_envs.networks.residual import ResidualPolicy
from murder_envs.ruleset import Ruleset

ENCODER = "features_extractor."
"""What the names of an encoder's weights begin with."""

COPIES = ("pi_features_extractor.", "vf_features_extractor.")
"""The library lists the encoder, which policy and value share, under these names too."""

Weights = Mapping[str, np.ndarray]
"""Name -> array, all that a policy has learnt, and the tables of its encoder; without COPIES."""


def policy_arguments(
    ruleset: Ruleset, net: Sequence[int], prior_weight: float, encoder: Mapping[str, Any]
) -> tuple[type[MaskableActorCriticPolicy], dict[str, Any]]:
    """A policy's class and arguments, beside its spaces and learning rate.

    Args:
        ruleset: the configured game.
        net: widths, the layer that policy and value share, then layers of each.
        prior_weight: above 0: a `ResidualPolicy` that begins with it.
        encoder: arguments of the `Encoder`, but for its width.
    """
    shared, *own = net
    residual = {"prior_weight": prior_weight, "game": ruleset.name, "config": dict(ruleset.config)}
    return ResidualPolicy if prior_weight else MaskableActorCriticPolicy, {
        **(residual if prior_weight else {}),
        "net_arch": {"pi": own, "vf": own},
        "activation_fn": torch.nn.ReLU,
        "features_extractor_class": Encoder,
        "features_extractor_kwargs": {**encoder, "width": shared},
    }


def rebuilt(ruleset: Ruleset, net: Sequence[int], prior_weight: float, weights: Weights) -> MaskableActorCriticPolicy:
    """The policy that has these weights.

    Raises:
        KeyError, RuntimeError, ...: they are no weights of such a policy.
    """
    kind, arguments = policy_arguments(ruleset, net, prior_weight, encoder_of(weights))
    spaces = observation_space(ruleset), gymnasium.spaces.Discrete(ruleset.actions.n)
    with torch.random.fork_rng(devices=[]):  # the weights that it begins with are drawn, and then written over
        policy = kind(*spaces, lambda _: 0.0, **arguments)
    put_weights(policy, weights)
    policy.set_training_mode(False)
    with torch.no_grad():  # a table that points beyond the observation is noticed now, and not in the first game
        policy.predict_values(torch.zeros((1, ruleset.observation.size)))
    return policy


def encoder_of(weights: Weights) -> dict[str, Any]:
    """Arguments of the `Encoder` with these weights, but for its width."""
    own = {name.removeprefix(ENCODER): array for name, array in weights.items() if name.startswith(ENCODER)}
    parts: dict[str, dict[str, np.ndarray] | None] = {}
    for part, names in (("lookup", ("keys", "values")), ("agreement", ("statements", "marks"))):
        has = any(name.startswith(f"{part}.") for name in own)
        parts[part] = {name: own[f"{part}.{name}"] for name in names} if has else None
    tables = {name: own[name] for name in ("columns", "is_columns", "is_values")}
    return {**tables, "scales": np.ones(len(own["scales"])), **parts}


def weights_of(policy: MaskableActorCriticPolicy) -> dict[str, np.ndarray]:
    """All that a policy has learnt, and the tables of its encoder."""
    named = policy.state_dict().items()
    return {name: tensor.cpu().numpy() for name, tensor in named if not name.startswith(COPIES)}


def put_weights(policy: MaskableActorCriticPolicy, weights: Weights) -> None:
    """Let a policy have other weights; RuntimeError unless they are those of a policy like this."""
    full = {name: torch.as_tensor(np.array(array)) for name, array in weights.items()}
    for name in list(full):
        if name.startswith(ENCODER):
            full |= {copy + name.removeprefix(ENCODER): full[name] for copy in COPIES}
    policy.load_state_dict(full)
