"""Variant: Home and Away: two games with roles swapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murder_envs.core.checks import a_choice, an_int, fail, shown
from murder_envs.games.perfect_murder.cards import AGENTS, DETECTIVE, MAX_ACTIONS, MAX_ROUNDS


def home_and_away(first: Mapping[str, Any], second: Mapping[str, Any]) -> int:
    """Who wins the match of two finished games, told by `winner` and `actions_used` (as in `info`)?

    +1: the person who was the detective in the first game; -1: the other; 0: a draw. If both detectives won, fewer
    actions win; equally many are a draw (Ruling), and so are two wins of the murderers.
    """
    games = []
    for name, game in (("first", first), ("second", second)):
        if not isinstance(game, Mapping) or not {"winner", "actions_used"} <= set(game):
            fail(name, f"a table with `winner` and `actions_used`, not {shown(game)}")
        won = a_choice(f"{name}.winner", game["winner"], AGENTS) == AGENTS[DETECTIVE]
        used = an_int(f"{name}.actions_used", game["actions_used"], 0, MAX_ROUNDS * MAX_ACTIONS)
        games.append((won, used))
    (won_first, used_first), (won_second, used_second) = games
    if won_first and won_second:
        return (used_first < used_second) - (used_first > used_second)
    return won_first - won_second
