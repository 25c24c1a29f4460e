"""Winning the Game: the murder story that the top cards of a complete word tell. Never compiled."""

from __future__ import annotations

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.snapshots import stack_of

WILD_NAME = c.CARD_NAMES[c.WILD]


def story(rules: np.ndarray, state: np.ndarray, seat: int) -> str:
    """What the top cards of a complete word read."""
    phrases = {c.STACKS[k]: phrase(rules, state, seat, c.STACKS[k]) for k in members_of(rules[0]["stacks"])}
    if "Rb" in phrases and phrases["Rb"] == phrases["Ra"]:
        phrases["Rb"] = f"the twin of {phrases['Ra']}"
    parts = [" ".join(phrases[stack] for stack in part if stack in phrases) for part in c.SENTENCE]
    return ", ".join(part for part in parts if part) + "."


def phrase(rules: np.ndarray, state: np.ndarray, seat: int, stack: str) -> str:
    """The phrase of a stack's top card; for a wild, that of a letter card below it, or of one that is on the table.

    On the table: the own other R stack, then the other Murders clockwise, in each stack the uppermost letter card.
    """
    n = int(rules[0]["n_seats"])
    of_letter = [name for name in c.STACKS if name[0] == stack[0]]
    places = [(seat, stack), *((seat, name) for name in of_letter if name != stack)]
    places += [((seat + offset) % n, name) for offset in range(1, n) for name in of_letter]
    for owner, name in places:
        letters = [card for card in stack_of(state, owner, c.STACKS.index(name)) if card != WILD_NAME]
        if letters:
            return c.PHRASES[stack[0]][int(letters[-1][1]) - 1]
    return c.PHRASES[stack[0]][0]
