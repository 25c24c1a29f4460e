"""What the network sees of an observation, and a network as a player. Knows no game: layouts and some play suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from murder_envs.core.checks import fail
from murder_envs.drivers.advice import Advice
from murder_envs.drivers.batch import Batch
from murder_envs.registry import make_ruleset
from murder_envs.ruleset import Ruleset

LOOK_SEED = 2**62
"""Seed of the random games that show which features ever change."""


class Encoder(BaseFeaturesExtractor):
    """An observation as the features worth having, then one layer that policy and value share.

    Layouts are made for all configurations of a game: with four players the rows of four more seats are always 0, and
    so are the cards that the level leaves out. Such columns cost time and teach nothing, so they are left out.

    Behind the observation stand further entries, which can be named like its own: where a one-hot block says which of q
    things is meant (a question that is asked), what other blocks have of that thing.

    Args:
        observation_space: int8[size].
        meant: int64[q], the entries of the one-hot block ...
        of_each: int64[q, m], ... and of each thing the entries that become entries size to size + m - 1.
        columns: int64[a], which entries are numbers; they are divided by `scales`.
        scales: float[a], each column's usual value, the mean size of those that are not 0.
        is_columns: int64[b], entries that are names of things (the kind of an event, a card's number) ...
        is_values: int64[b], ... and for each the value that is asked about: the feature is 1 where the entry has it.
        said: int64[r, k], entries that say for k marks whether somebody has them: -1 no, 0 unsaid, 1 yes ...
        has: int64[p, k], ... and entries that tell for p people whether they have these marks, 0 or 1: the features are
            how much each of r sayings fits each of p people, from -1 to 1.
        width: units of the shared layer; 0: none.
    """

    def __init__(
        self,
        observation_space: gymnasium.Space,
        meant: np.ndarray,
        of_each: np.ndarray,
        columns: np.ndarray,
        scales: np.ndarray,
        is_columns: np.ndarray,
        is_values: np.ndarray,
        said: np.ndarray,
        has: np.ndarray,
        width: int,
    ) -> None:
        n = len(columns) + len(is_columns) + len(said) * len(has)
        super().__init__(observation_space, width or n)
        self.meant: torch.Tensor
        self.of_each: torch.Tensor
        self.columns: torch.Tensor
        self.scales: torch.Tensor
        self.is_columns: torch.Tensor
        self.is_values: torch.Tensor
        self.said: torch.Tensor
        self.has: torch.Tensor
        self.register_buffer("meant", torch.as_tensor(np.asarray(meant, np.int64)))
        self.register_buffer("of_each", torch.as_tensor(np.asarray(of_each, np.int64)))
        self.register_buffer("columns", torch.as_tensor(np.asarray(columns, np.int64)))
        self.register_buffer("scales", torch.as_tensor(1 / np.asarray(scales, np.float32)))
        self.register_buffer("is_columns", torch.as_tensor(np.asarray(is_columns, np.int64)))
        self.register_buffer("is_values", torch.as_tensor(np.asarray(is_values, np.float32)))
        self.register_buffer("said", torch.as_tensor(np.asarray(said, np.int64)))
        self.register_buffer("has", torch.as_tensor(np.asarray(has, np.int64)))
        self.shared = torch.nn.Sequential(torch.nn.Linear(n, width), torch.nn.ReLU()) if width else torch.nn.Identity()

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float[N, size] -> float[N, features_dim]"""
        if len(self.meant):
            further = torch.einsum("nq,nqm->nm", observations[:, self.meant], observations[:, self.of_each])
            observations = torch.cat([observations, further], 1)
        parts = [observations.index_select(1, self.columns) * self.scales]
        if len(self.is_columns):
            parts.append((observations.index_select(1, self.is_columns) == self.is_values).to(parts[0].dtype))
        if len(self.said):
            has = 2 * observations[:, self.has] - 1
            fits = torch.einsum("nrk,npk->nrp", observations[:, self.said], has)
            parts.append(fits.flatten(1) / self.said.shape[1])
        return self.shared(torch.cat(parts, 1) if len(parts) > 1 else parts[0])


def features(
    ruleset: Ruleset,
    one_hot: Mapping[str, int],
    fits: Sequence[str] = (),
    meant: Mapping[str, Sequence[str]] = {},
    games: int = 2048,
    rounds: int = 100,
) -> dict[str, Any]:
    """Arguments of an `Encoder`: the entries that change in play of this configuration.

    Args:
        ruleset: the configured game.
        one_hot: observation blocks whose entries are names of things, and how many of their rows to look at; from
            them come one feature for each value that occurs, in place of a number.
        fits: the names of two blocks with equal last axes, or none: what is said of marks, and who has these marks.
        meant: a one-hot block and the blocks of which it chooses a part, along their first axis of its length; or none.
        games, rounds: how much play to look at: `rounds` decisions in each of so many games, first at random, then by
            the heuristic, which comes where random play does not.
    """
    named, left_out = [], np.zeros(ruleset.observation.size, np.bool_)
    for name, rows in one_hot.items():
        block = ruleset.observation[name]
        row = int(np.prod(block.shape[1:]))
        named.append(np.arange(block.slice.start, block.slice.start + min(rows, block.shape[0]) * row))
        left_out[block.slice] = True
    names = np.concatenate([np.zeros(0, np.int64), *named])
    low, high = ruleset.observation.bounds()
    total, often = np.zeros(ruleset.observation.size), np.zeros(ruleset.observation.size)
    occurs = np.zeros((len(names), int(high.max()) + 1), np.bool_)
    least, greatest = high.copy(), low.copy()
    for player in ("random", "heuristic"):
        batch = Batch(ruleset, games, LOOK_SEED, skip_forced=True)
        batch.reset(LOOK_SEED)
        for _ in range(rounds):
            seen = batch.observations
            np.minimum(least, seen.min(0), out=least)
            np.maximum(greatest, seen.max(0), out=greatest)
            total += np.abs(seen).sum(0)
            often += (seen != 0).sum(0)
            for k, column in enumerate(names):
                occurs[k, seen[:, column]] = True
            batch.step(batch.choose(player))
    columns = np.flatnonzero((least < greatest) & ~left_out)
    scales = np.maximum(1, total[columns] / np.maximum(1, often[columns]))
    chooser, of_each, further = _chosen(ruleset, meant)
    more = np.arange(of_each.shape[1]) + ruleset.observation.size
    said, has = ([*further.get(name, []), *_rows(ruleset, name)] for name in fits) if fits else ([], [])
    which, values = np.nonzero(occurs & (occurs.sum(1, keepdims=True) > 1))
    return {
        "meant": chooser,
        "of_each": of_each,
        "columns": np.concatenate([columns, more]),
        "scales": np.concatenate([scales, np.ones(len(more))]),
        "is_columns": names[which],
        "is_values": values,
        "said": np.array(said, np.int64),
        "has": np.array(has, np.int64),
    }


def _chosen(
    ruleset: Ruleset, meant: Mapping[str, Sequence[str]]
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """`meant` and `of_each` of an `Encoder`, and by block the further entries made of it, int64[rows, last axis]."""
    size = ruleset.observation.size
    for chooser, names in meant.items():
        entries = _rows(ruleset, chooser).ravel()
        parts, further = [], {}
        for name in names:
            block = ruleset.observation[name]
            its = np.arange(block.slice.start, block.slice.stop).reshape(block.shape)
            part = np.moveaxis(its, block.shape.index(len(entries)), 0)
            further[name] = (size + np.arange(part[0].size)).reshape(-1, part.shape[-1])
            size += part[0].size
            parts.append(part.reshape(len(entries), -1))
        return entries, np.concatenate(parts, 1), further
    return np.zeros(0, np.int64), np.zeros((0, 0), np.int64), {}


def _rows(ruleset: Ruleset, name: str) -> np.ndarray:
    """int64[rows, last axis], the entries of a block."""
    block = ruleset.observation[name]
    return np.arange(block.slice.start, block.slice.stop).reshape(-1, block.shape[-1])


class Advised(MaskableActorCriticPolicy):
    """A policy that knows what the scripted player would do here, and learns where to do otherwise.

    Its scores (logits) are those of its own network, and more for the scripted player's choice, which follows from
    observation and mask alone: so much that a network without an opinion takes it with the odds e^trust to 1, however
    many actions are legal. It begins as that player with some noise, so that what is learnt is an improvement from the
    first step on (as in Silver et al., "Residual Policy Learning", 2018).

    It cannot do without action masks: ValueError names them where they are left out.

    Args:
        trust: what it begins with; learnt like all weights.
        game, config: name and parameters of the game that it plays.
        arguments: those of `MaskableActorCriticPolicy`.
    """

    def __init__(self, *arguments: Any, trust: float, game: str, config: dict[str, Any], **named: Any) -> None:
        self._first_trust = trust
        super().__init__(*arguments, **named)
        self._advice = Advice(make_ruleset(game, **config))

    def _build(self, lr_schedule: Any) -> None:
        self.trust = torch.nn.Parameter(torch.tensor(float(self._first_trust)))
        super()._build(lr_schedule)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        ruleset = self._advice.ruleset
        its_own = {"trust": self._first_trust, "game": ruleset.name, "config": dict(ruleset.config)}
        return {**super()._get_constructor_parameters(), **its_own}

    def advised(self, scores: torch.Tensor, observations: torch.Tensor, masks: Any) -> torch.Tensor:
        """Scores float[N, n] with what the scripted player's choices are worth; masks [N, n], as tensor or array."""
        if masks is None:
            fail("action_masks", "the legal actions, which a policy that takes advice cannot do without")
        seen, legal = observations.cpu().numpy().astype(np.int8), torch.as_tensor(masks).cpu().numpy()
        legal = legal.reshape(scores.shape)
        choices = torch.as_tensor(self._advice(seen, legal), device=scores.device)
        others = torch.as_tensor(np.maximum(1, (legal != 0).sum(1) - 1), device=scores.device)
        bonus = self.trust + others.log()
        return scores + bonus[:, None] * torch.nn.functional.one_hot(choices, scores.shape[1])

    # The library asks for distributions in three ways, and knows the masks only outside the part that makes scores.

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> MaskableDistribution:
        return self.action_dist.proba_distribution(action_logits=self.advised(self.action_net(latent_pi), *self._given))

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> Any:
        self._given = obs, action_masks
        return super().forward(obs, deterministic, action_masks)

    def evaluate_actions(self, obs: Any, actions: Any, action_masks: Any = None) -> Any:
        self._given = obs, action_masks
        return super().evaluate_actions(obs, actions, action_masks)

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        self._given = obs, action_masks
        return super().get_distribution(obs, action_masks)


def scores(policy: Any, latent: torch.Tensor, observations: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """float[N, n]: a policy's scores of all actions, -inf where they are illegal."""
    found = policy.action_net(latent)
    if isinstance(policy, Advised):
        found = policy.advised(found, observations, legal)
    return found.masked_fill(~legal, -torch.inf)


class Falling:
    """A learning rate that falls from `start` to `end` in a straight line as a run goes on.

    Attributes:
        left: 1 to 0, how much of the run is still to come. The library counts by calls of `learn`, of which a run has
            many, so it is set from outside.
    """

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end
        self.left = 1.0

    def __call__(self, _: float) -> float:
        """The present rate."""
        return self.end + (self.start - self.end) * min(1.0, max(0.0, self.left))


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
            found = self._scores(observations, masks)
            if self.sampled:  # the greatest of Gumbel numbers: a draw from the softmax
                found = found - torch.empty_like(found).exponential_().log()
            return found.argmax(1).cpu().numpy()

    def odds(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """float[k, n]: how likely it takes each action."""
        with torch.no_grad():
            found = self._scores(observations, masks)
            if not self.sampled:
                found = torch.where(found == found.max(1, keepdim=True).values, 0.0, -torch.inf)
            return found.softmax(1).cpu().numpy()

    def _scores(self, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        policy = self.policy
        seen = torch.as_tensor(np.asarray(observations), device=policy.device)
        legal = torch.as_tensor(np.asarray(masks), device=policy.device) != 0
        latent = policy.mlp_extractor.forward_actor(policy.extract_features(seen, policy.pi_features_extractor))
        return scores(policy, latent, seen, legal)

    def choose(self, batch: Batch, games: np.ndarray) -> np.ndarray:
        """What it does in some games of a batch."""
        return self(batch.observations[games], batch.masks[games])
