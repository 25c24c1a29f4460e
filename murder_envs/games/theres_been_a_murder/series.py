"""Ongoing Play & Difficulty Levels: several games in a row with the same table. Plain Python, never compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murder_envs.core.checks import a_bool, a_list, an_int, fail, shown
from murder_envs.games.theres_been_a_murder.config import LEVELS, Config

GENIUS = 3
"""Wins in a row at the highest level that make legends."""


class Campaign:
    """Games in a row: a win moves up a level, the first player passes to the left, symbols may be banned after a win.

    Args:
        config: parameters of the first game, as for `env`; `first_player` -1 counts as seat 0.

    Attributes:
        level: level of the next game; it never goes down.
        first_player: who starts the next game.
        banned_symbols: sorted list of symbols banned so far.
        streak: wins in a row at the highest level.
        genius: were there ever three?
        games, wins: counters.
        may_ban: symbols that may be banned now: used in the last game if it was won, and not yet banned.
    """

    def __init__(self, **config: Any) -> None:
        self._config = Config.of(config).as_dict()
        self.level: str = self._config["level"]
        self.first_player: int = max(0, self._config["first_player"])
        self.banned_symbols: list[int] = sorted(self._config["banned_symbols"])
        self.streak = 0
        self.genius = False
        self.games = 0
        self.wins = 0
        self.may_ban: list[int] = []

    def next_config(self) -> dict[str, Any]:
        """Keywords of the next game."""
        ours = {
            "level": self.level,
            "first_player": self.first_player,
            "banned_symbols": list(self.banned_symbols),
        }
        return {**self._config, **ours}

    def record(self, snapshot: Mapping[str, Any]) -> None:
        """Enter the final snapshot of a game; ValueError naming `over` if it is unfinished."""
        if not a_bool("over", snapshot.get("over", False)):
            fail("over", "only a finished game can be recorded")
        won = a_bool("won", snapshot.get("won", False))
        used = [an_int("used_symbols", s, 0, 15) for s in a_list("used_symbols", snapshot.get("used_symbols", []))]
        levels = list(LEVELS)
        self.games += 1
        self.wins += won
        if self.level == levels[-1]:
            self.streak = self.streak + 1 if won else 0
            self.genius = self.genius or self.streak >= GENIUS
        elif won:
            self.level = levels[levels.index(self.level) + 1]
        self.first_player = (self.first_player + 1) % self._config["num_players"]
        self.may_ban = sorted(set(used) - set(self.banned_symbols)) if won else []

    def ban(self, symbol: int) -> None:
        """Ban one of `may_ban`, once a win; else ValueError naming `symbol`."""
        if symbol not in self.may_ban:
            fail("symbol", f"one of {self.may_ban}, not {shown(symbol)}")
        self.banned_symbols = sorted([*self.banned_symbols, int(symbol)])
        self.may_ban = []
