"""Component `lookup`: what other blocks have about the one thing that a one-hot block names.

Where an observation says by a one-hot block which of q things is at stake (a question that is to be answered) and tells
elsewhere about each of the q things, a network would have to learn the same thing q times over. So the entries about
the thing at stake are put beside the observation. This is the read operation of a memory with a one-hot weighting:
Graves, Wayne & Danihelka, "Neural Turing Machines", 2014, section 3.1. There are no weights to learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from murder_envs.core.checks import fail
from murder_envs.ruleset import Ruleset


class Lookup(torch.nn.Module):
    """Observations, and behind each of them the entries that its one-hot block selects.

    Args:
        keys: int64[q], the entries of the one-hot block.
        values: int64[q, m], of each thing the entries from which entries size to size + m - 1 are selected.
    """

    def __init__(self, keys: np.ndarray, values: np.ndarray) -> None:
        super().__init__()
        self.keys: torch.Tensor
        self.values: torch.Tensor
        self.register_buffer("keys", torch.as_tensor(np.asarray(keys, np.int64)))
        self.register_buffer("values", torch.as_tensor(np.asarray(values, np.int64)))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float[N, size] -> float[N, size + m]; 0 where the one-hot block is empty."""
        selected = torch.einsum("nq,nqm->nm", observations[:, self.keys], observations[:, self.values])
        return torch.cat([observations, selected], 1)


def arguments_of(ruleset: Ruleset, lookup: Mapping[str, Sequence[str]]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Arguments of a `Lookup`, and by block where its selected part stands behind the observation.

    Args:
        ruleset: the configured game.
        lookup: one one-hot block, and the blocks of which it selects a part: along their first axis of its length.

    Returns:
        The arguments, and block -> int64[rows, last axis], entries from the observation's size on.
    """
    size = ruleset.observation.size
    ((key, blocks),) = lookup.items()
    keys = rows_of(ruleset, key).ravel()
    values, selected = [], {}
    for name in blocks:
        block = ruleset.observation[name]
        if len(keys) not in block.shape:
            fail("lookup", f"a block with an axis of {len(keys)}, the length of {key}; {name} has shape {block.shape}")
        entries = np.arange(block.slice.start, block.slice.stop).reshape(block.shape)
        of_each = np.moveaxis(entries, block.shape.index(len(keys)), 0)
        n = of_each[0].size
        selected[name] = (size + np.arange(n)).reshape(-1, of_each.shape[-1])
        size += n
        values.append(of_each.reshape(len(keys), -1))
    return {"keys": keys, "values": np.concatenate(values, 1)}, selected


def rows_of(ruleset: Ruleset, name: str) -> np.ndarray:
    """int64[rows, last axis], the entries of an observation block."""
    block = ruleset.observation[name]
    return np.arange(block.slice.start, block.slice.stop).reshape(-1, block.shape[-1])
