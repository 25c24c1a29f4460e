"""A state in words: what its end says, its figures, the table as text. Never compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.games.perfect_murder.snapshots import Snapshots
from murder_envs.games.perfect_murder.case import Case


class Words:
    def __init__(self, case: Case, snapshots: Snapshots) -> None:
        self.case = case
        self.snapshots = snapshots

    def info(self, rules, state, seat): return {}
    def text(self, rules, state, seat): return ""
    def figures(self, rules, state): return {}
    def public(self, rules, state): return {}
