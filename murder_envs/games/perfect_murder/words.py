"""A state in words: what its end says, its figures, the table as text. Never compiled."""

from __future__ import annotations

from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.snapshots import Snapshots


class Words:
    def __init__(self, case: Case, snapshots: Snapshots) -> None:
        self.case = case
        self.snapshots = snapshots

    def info(self, rules, state, seat): return {}
    def text(self, rules, state, seat): return ""
    def figures(self, rules, state): return {}
    def public(self, rules, state): return {}
