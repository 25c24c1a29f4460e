"""An observation as the features worth having. Knows no game: layouts and some play suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from murder_envs.core.checks import fail
from murder_envs.drivers.batch import Batch
from murder_envs.networks import agreement as agreements
from murder_envs.networks import lookup as lookups
from murder_envs.networks.agreement import Agreement
from murder_envs.networks.lookup import Lookup
from murder_envs.ruleset import Ruleset

FEATURES_SEED = 2**62
"""Seed of the games that show which entries ever change."""


class Encoder(BaseFeaturesExtractor):
    """An observation as the features worth having, then one layer that policy and value share.

    Layouts are made for all configurations of a game: with four players the rows of four more seats are always 0, and
    so are the cards that the level leaves out. Such entries cost time and teach nothing, so they are left out.

    Args:
        observation_space: int8[size].
        columns: int64[a], which entries are numbers; they are divided by `scales`. With a lookup its m entries can be
            named too, as size to size + m - 1.
        scales: float[a], each column's usual value, the mean size of those that are not 0.
        is_columns: int64[b], entries that are names of things (the kind of an event, a card's number) ...
        is_values: int64[b], ... and for each a value: the feature is 1 where the entry has this value, else 0.
        width: units of the shared layer; 0: none.
        lookup: arguments of a `Lookup`; None: none.
        agreement: arguments of an `Agreement`; None: none.
    """

    def __init__(
        self,
        observation_space: gymnasium.Space,
        columns: np.ndarray,
        scales: np.ndarray,
        is_columns: np.ndarray,
        is_values: np.ndarray,
        width: int,
        lookup: dict[str, Any] | None = None,
        agreement: dict[str, Any] | None = None,
    ) -> None:
        n = len(columns) + len(is_columns)
        if agreement is not None:
            n += len(agreement["statements"]) * len(agreement["marks"])
        super().__init__(observation_space, width or n)
        self.columns: torch.Tensor
        self.scales: torch.Tensor
        self.is_columns: torch.Tensor
        self.is_values: torch.Tensor
        self.register_buffer("columns", torch.as_tensor(np.asarray(columns, np.int64)))
        self.register_buffer("scales", torch.as_tensor(1 / np.asarray(scales, np.float32)))
        self.register_buffer("is_columns", torch.as_tensor(np.asarray(is_columns, np.int64)))
        self.register_buffer("is_values", torch.as_tensor(np.asarray(is_values, np.float32)))
        self.lookup = None if lookup is None else Lookup(**lookup)
        self.agreement = None if agreement is None else Agreement(**agreement)
        self.shared = torch.nn.Sequential(torch.nn.Linear(n, width), torch.nn.ReLU()) if width else torch.nn.Identity()

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float[N, size] -> float[N, features_dim]"""
        if self.lookup is not None:
            observations = self.lookup(observations)
        parts = [observations.index_select(1, self.columns) * self.scales]
        if len(self.is_columns):
            parts.append((observations.index_select(1, self.is_columns) == self.is_values).to(parts[0].dtype))
        if self.agreement is not None:
            parts.append(self.agreement(observations))
        return self.shared(torch.cat(parts, 1) if len(parts) > 1 else parts[0])


def features(
    ruleset: Ruleset,
    one_hot: Mapping[str, int],
    lookup: Mapping[str, Sequence[str]] | None = None,
    agreement: Sequence[str] = (),
    games: int = 2048,
    rounds: int = 100,
) -> dict[str, Any]:
    """Arguments of an `Encoder`, but for its width: the entries that change in play of this configuration.

    Args:
        ruleset: the configured game.
        one_hot: observation blocks whose entries are names of things, and how many of their rows to look at; from
            them come one feature for each value that occurs, in place of a number.
        lookup: the setting of this name, see `murder_envs.networks.lookup`; empty: none.
        agreement: the setting of this name, see `murder_envs.networks.agreement`; empty: none.
        games, rounds: how much play to look at: `rounds` decisions in each of so many games, first at random, then by
            the heuristic, which comes to positions that random play does not reach.

    Raises:
        ValueError: `one_hot`, `lookup`, `agreement`: the observation has no such block, or one of another shape.
    """
    check_blocks(ruleset, "one_hot", one_hot)
    check_blocks(ruleset, "lookup", [name for key, blocks in (lookup or {}).items() for name in (key, *blocks)])
    check_blocks(ruleset, "agreement", agreement)
    names, left_out = _names_of_things(ruleset, one_hot)
    changes, scales, occurs = _seen_in_play(ruleset, names, games, rounds)
    columns = np.flatnonzero(changes & ~left_out)
    which, values = np.nonzero(occurs & (occurs.sum(1, keepdims=True) > 1))
    of_lookup, selected = lookups.arguments_of(ruleset, lookup) if lookup else (None, {})
    n_selected = 0 if of_lookup is None else of_lookup["values"].shape[1]
    return {
        "columns": np.concatenate([columns, np.arange(n_selected) + ruleset.observation.size]),
        "scales": np.concatenate([scales[columns], np.ones(n_selected)]),
        "is_columns": names[which],
        "is_values": values,
        "lookup": of_lookup,
        "agreement": agreements.arguments_of(ruleset, agreement, selected) if agreement else None,
    }


def check_blocks(ruleset: Ruleset, field: str, names: Any) -> None:
    """ValueError that begins with a setting's name if it names a block that the observation does not have."""
    for name in names:
        if name not in ruleset.observation:
            fail(field, f"blocks of the observation ({', '.join(ruleset.observation)}), not {name!r}")


def _names_of_things(ruleset: Ruleset, one_hot: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """int64[b], the entries that are names of things, and bool[size], the entries that are no numbers."""
    names, left_out = [np.zeros(0, np.int64)], np.zeros(ruleset.observation.size, np.bool_)
    for name, rows in one_hot.items():
        block = ruleset.observation[name]
        row = int(np.prod(block.shape[1:]))
        names.append(np.arange(block.slice.start, block.slice.start + min(rows, block.shape[0]) * row))
        left_out[block.slice] = True
    return np.concatenate(names), left_out


def _seen_in_play(
    ruleset: Ruleset, names: np.ndarray, games: int, rounds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each entry, in games at random and by the heuristic: bool[size], does it ever change; float64[size], the mean
    size of its values that are not 0, at least 1; and of the entries `names` bool[b, values], which values occur.

    It takes seconds and depends on nothing else, so the latest answers are kept: policies of one run ask alike.
    """
    asked = ruleset.name, int(ruleset.rules["config_digest"][0]), names.tobytes(), games, rounds
    if asked not in _LATEST:
        if len(_LATEST) >= MOST_KEPT:
            del _LATEST[next(iter(_LATEST))]
        _LATEST[asked] = _see_in_play(ruleset, names, games, rounds)
    return _LATEST[asked]


_LATEST: dict[tuple[Any, ...], tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
MOST_KEPT = 8
"""Answers of `_seen_in_play`."""


def _see_in_play(
    ruleset: Ruleset, names: np.ndarray, games: int, rounds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `_seen_in_play` tells, by playing."""
    low, high = ruleset.observation.bounds()
    total, often = np.zeros(ruleset.observation.size), np.zeros(ruleset.observation.size)
    occurs = np.zeros((len(names), int(high.max()) + 1), np.bool_)
    least, greatest = high.copy(), low.copy()
    for player in ("random", "heuristic"):
        batch = Batch(ruleset, games, FEATURES_SEED, skip_forced=True)
        batch.reset(FEATURES_SEED)
        for _ in range(rounds):
            rows = batch.observations
            np.minimum(least, rows.min(0), out=least)
            np.maximum(greatest, rows.max(0), out=greatest)
            total += np.abs(rows).sum(0)
            often += (rows != 0).sum(0)
            for k, column in enumerate(names):
                occurs[k, rows[:, column]] = True
            batch.step(batch.choose(player))
    return least < greatest, np.maximum(1, total / np.maximum(1, often)), occurs
