"""The scripted player's choice as a function of observation and mask, for learners that take it as a prior.

The kernel is compiled once for each game: `bind` executes this file with `heuristic` already set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.core.bits import PAD, get_bits, row_of
from murder_envs.core.checks import fail
from murder_envs.core.jit import bind, kernel
from murder_envs.core.rng import fingerprint
from murder_envs.ruleset import Ruleset


@kernel
def scripted_actions(rows, masks, rules, legal_set, stream, out):
    """out[i] = the scripted player's action for an observation and a mask. Where it draws lots, the random numbers
    follow from the observation."""
    n_actions = masks.shape[1] - PAD
    for i in range(out.shape[0]):
        for w in range(legal_set.shape[0]):
            legal_set[w] = get_bits(row_of(masks, i), 64 * w, min(64, n_actions - 64 * w))
        row = row_of(rows, i)
        stream[0] = fingerprint(row)
        out[i] = heuristic(row, legal_set, rules[0], stream)


class ScriptedPrior:
    """The scripted player of a configured game as a function: equal arguments, equal choice.

    Args:
        ruleset: the configured game.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self._driver = bind(ruleset, "prior")
        self._legal_set = np.zeros(ruleset.actions.n_words, np.uint64)
        self._stream = np.zeros(1, np.uint64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Compiled functions cannot be pickled; a copy is made anew."""
        return ScriptedPrior, (self.ruleset,)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """int64[k]: the scripted player's actions.

        Args:
            observations: int8[k, size], as this ruleset gives them.
            masks: int8 or bool [k, n], the legal actions, at least one each.

        Raises:
            ValueError: an argument has another type or shape, a mask is empty, or an observation is none that goes with
                its mask.
        """
        size, n = self.ruleset.observation.size, self.ruleset.actions.n
        observations, masks = np.asarray(observations), np.asarray(masks)
        k = len(observations) if observations.ndim else 0
        if observations.shape != (k, size) or observations.dtype != np.int8:
            fail("observations", f"int8 of shape (k, {size}), not {observations.dtype} of shape {observations.shape}")
        if masks.shape != (k, n):
            fail("masks", f"shape ({k}, {n}), not {masks.shape}")
        if not masks.any(1).all():
            fail("masks", "at least one legal action each")
        rows, padded = np.zeros((k, size + PAD), np.int8), np.zeros((k, n + PAD), np.int8)
        rows[:, :size], padded[:, :n] = observations, masks != 0
        out = np.empty(k, np.int64)
        self._driver.scripted_actions(rows, padded, self.ruleset.rules, self._legal_set, self._stream, out)
        is_legal = (out >= 0) & (out < n) & (padded[np.arange(k), out % n] != 0)
        if not is_legal.all():
            fail("observations", f"as the game gives them; number {int(is_legal.argmin())} does not go with its mask")
        return out
