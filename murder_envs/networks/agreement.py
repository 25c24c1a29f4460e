"""Component `agreement`: how much each statement agrees with each person.

A statement says of k marks whether somebody unnamed has them (1), has them not (-1), or nothing (0); another block
tells for p people which of these marks they have. Whom the statement fits is told by dot products of both, and layers
that add up their inputs learn products of inputs slowly. So the dot products are features of their own, as in
factorization machines (Rendle, "Factorization Machines", ICDM 2010), with the marks themselves as embeddings; see also
Jayakumar et al., "Multiplicative Interactions and Where to Find Them", ICLR 2020. There are no weights to learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from murder_envs.core.checks import fail
from murder_envs.networks.lookup import rows_of
from murder_envs.ruleset import Ruleset


class Agreement(torch.nn.Module):
    """From -1, contradicts every mark, to 1, agrees in every mark: of r statements with p people.

    Args:
        statements: int64[r, k], the entries of r statements about k marks, each -1, 0 or 1.
        marks: int64[p, k], the entries that tell for p people whether they have these marks, each 0 or 1.
    """

    def __init__(self, statements: np.ndarray, marks: np.ndarray) -> None:
        super().__init__()
        self.statements: torch.Tensor
        self.marks: torch.Tensor
        self.register_buffer("statements", torch.as_tensor(np.asarray(statements, np.int64)))
        self.register_buffer("marks", torch.as_tensor(np.asarray(marks, np.int64)))

    @property
    def size(self) -> int:
        """How many features there are, r times p."""
        return len(self.statements) * len(self.marks)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float[N, entries] -> float[N, r * p]"""
        has = 2 * observations[:, self.marks] - 1
        agreed = torch.einsum("nrk,npk->nrp", observations[:, self.statements], has)
        return agreed.flatten(1) / self.statements.shape[1]


def arguments_of(ruleset: Ruleset, blocks: Sequence[str], selected: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Arguments of an `Agreement`.

    Args:
        ruleset: the configured game.
        blocks: the block of statements and the block of marks; their last axes are the marks.
        selected: by block, the entries that a `Lookup` puts behind the observation; they are rows like the others.
    """
    statements, marks = (
        np.concatenate([selected[name], rows_of(ruleset, name)]) if name in selected else rows_of(ruleset, name)
        for name in blocks
    )
    if statements.shape[1] != marks.shape[1]:
        fail("agreement", f"two blocks with the same last axis, not {statements.shape[1]} and {marks.shape[1]}")
    return {"statements": statements, "marks": marks}
