"""Who a policy learns against: the policies as they are, as they were, and the compiled players.

Where all seats are paid alike one policy plays them all. Elsewhere it learns in one seat of each game, and who sits in
the others differs from game to game; a policy that met only itself would go round in circles.
"""

from __future__ import annotations

import copy
import io
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents import runs
from agents.policies import Actor
from murder_envs.api.sb3 import Opponents
from murder_envs.core.checks import fail

NOW, EARLIER = "now", "earlier"
TABLES = (NOW, EARLIER, "heuristic", "random")
"""Who can sit in the other seats of a game: the policies as they are; one from the past; a compiled player."""


class Other:
    """The others at some tables: a policy, which is put in later and changes."""

    actor: Actor

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return self.actor(observations, masks, seats)


class League:
    """The opponents of one learning policy.

    Args:
        shares: how many of `games` each of TABLES gets, as weights. Each unit of EARLIER is a table of its own, with
            another earlier policy.
        games: how many games the policy learns in at once.

    Attributes:
        opponents: as `BatchVecEnv` takes them.
    """

    def __init__(self, shares: Mapping[str, int], games: int) -> None:
        self._now = Other()
        self._earlier = [Other() for _ in range(shares.get(EARLIER, 0))]
        tables: dict[Any, int] = dict.fromkeys(self._earlier, 1)
        for name, share in shares.items():
            if name != EARLIER and share:
                tables[self._now if name == NOW else name] = share
        bounds = np.cumsum([0, *tables.values()]) * games // sum(tables.values())
        self.opponents: Opponents = {it: int(n) for it, n in zip(tables, np.diff(bounds))}

    def meet(self, policy: Any) -> None:
        """Let `policy`, that of the others' model, play at the tables of NOW; it may go on learning."""
        self._now.actor = Actor(policy, sampled=True)
        for other in self._earlier:
            other.actor = Actor(copy.deepcopy(policy), sampled=True)

    def draw(self, past: list[pathlib.Path], seed: int, steps: int) -> None:
        """Choose who comes back from the past; equal arguments, equal choice."""
        random = np.random.default_rng([seed, steps])
        for other in self._earlier:
            weights = torch.load(past[random.integers(len(past))], weights_only=True)
            other.actor.policy.load_state_dict(weights)


def check_shares(shares: Mapping[str, int]) -> None:
    """ValueError if these are no shares of tables."""
    for name, share in shares.items():
        if name not in TABLES:
            fail("tables", f"any of {', '.join(TABLES)}, not {name!r}")
        if not 0 <= share <= 64:
            fail("tables", f"0 to 64 for {name}, not {share}")
    if not sum(shares.values()):
        fail("tables", "at least one share above 0")


# -- The past ---------------------------------------------------------------------------------------------------------


def remember(run: pathlib.Path, name: str, model: MaskablePPO) -> None:
    """Keep a policy as it is now, in the run folder."""
    folder = run / "earlier"
    folder.mkdir(exist_ok=True)
    file = io.BytesIO()
    torch.save(model.policy.state_dict(), file)
    runs.write(folder / f"{name}-{model.num_timesteps:012d}.pt", file.getvalue())


def past(run: pathlib.Path, name: str, steps: int) -> list[pathlib.Path]:
    """What was kept of a policy until it had learnt from so many decisions, the oldest first."""
    files = sorted((run / "earlier").glob(f"{name}-*.pt"))
    return [path for path in files if int(path.stem.rpartition("-")[2]) <= steps]
