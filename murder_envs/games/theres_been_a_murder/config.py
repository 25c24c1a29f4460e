"""What a table may choose before play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from murder_envs.core.checks import an_int, distinct, fail, ints
from murder_envs.core.config import Parameters, boolean, integer, option, optional, parameter
from murder_envs.core.snapshots import set_of
from murder_envs.games.theres_been_a_murder import cards as c
from murder_envs.games.theres_been_a_murder.moves import MAX_SEATS, MAX_SYMBOLS
from murder_envs.games.theres_been_a_murder.state import Rules

# Ongoing Play & Difficulty Levels: cards are added by level, and by the number of players (The Cards). To make it
# harder, cards are left out that all know of, 18 first, or more than one is removed unseen; to make it easier, the
# cards for more players are used at a smaller table, or the Stranger and the Imposter are left out.

LEVELS = {"novice": (), "veteran": (c.CARD.blackmailer,), "master": (c.CARD.blackmailer, c.CARD.aristocrat)}
"""level -> the advanced cards that it adds."""
ADDED = {
    "novice": "the basic game",
    "veteran": "the Blackmailer is added",
    "master": "the Blackmailer and the Aristocrat are added",
}
DEAD_ENDS = {
    "rulebook": "when Murderer, Detective and Confidant are all gone for good",
    "certain": "as soon as the cards that are left cannot win",
    "off": "never",
}
TALKS = {
    "silent": "nobody talks",
    "none": "only the Drunk's holder talks",
    "symbols": "the Drunk's holder talks, and symbols are sent",
    "open": "all know at once what anybody knows",
}
PAID = {
    "outcome": "all get 1 for a win, else -1",
    "win": "all get 1 for a win, else 0",
    "score": "all get (1 + min(score, 12)) / 13 for a win, else 0",
}
FEWEST_SEATS = 3
SEATS_WITHOUT_GUESTS = 4
MOST_REMOVED = 6
"""Twice as many as the rulebook's greatest challenge removes (Ruling)."""

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    **{f"novice_{n}": {"num_players": n} for n in range(3, 9)},
    **{f"{level}_{n}": {"num_players": n, "level": level} for level in ("veteran", "master") for n in range(3, 9)},
    "easiest_3": {"num_players": 3, "guests": 4, "leave_out": (4, 5)},
    "legend_4": {"num_players": 4, "level": "master", "remove_random": 3},
    "tiny": {"num_players": 3, "cards": (1, 2, 3, 6, 9, 13, 17), "remove_random": 0},
    "small": {"num_players": 3, "cards": (1, 2, 3, 4, 6, 9, 10, 13, 16, 17), "remove_random": 1},
    "bench": {"num_players": 3, "cards": (*range(1, 10), 13, 14, 16, 17, 18, 19), "remove_random": 1},
}
"""Named configurations: the rulebook's tables, and small sets of cards that can be solved."""


def different(name: str, value: Any, low: int, high: int) -> list[int]:
    """Different ints in low..high."""
    entries = ints(name, value, low, high)
    distinct(name, entries)
    return entries


def some_cards(name: str, value: Any) -> list[int]:
    """Different cards, the Murderer and the Detective among them."""
    cards = different(name, value, 1, c.N_CARDS)
    if c.CARD.murderer not in cards or c.CARD.detective not in cards:
        fail(name, "both 1 (the Murderer) and 2 (the Detective) must be among them")
    return cards


@dataclass(frozen=True, kw_only=True)
class Config(Parameters):
    """Parameters of a game."""

    num_players: int = integer(4, "seats", low=FEWEST_SEATS, high=MAX_SEATS)
    level: str = option("novice", "which advanced cards are used", ADDED)
    guests: int | None = parameter(
        None, "how many of the cards 21 to 24 are used; None: as few as there may be",
        optional(lambda name, value: an_int(name, value, 0, len(c.GUESTS))), "max(0, num_players - 4) to 4, or None",
    )  # fmt: skip
    leave_out: Sequence[int] = parameter(
        [], "cards left out to make it easier: the Stranger (4), the Imposter (5), or both",
        lambda name, value: different(name, value, c.EASIER_WITHOUT[0], c.EASIER_WITHOUT[-1]), "different ints of 4, 5",
    )  # fmt: skip
    remove_known: int = integer(0, "how many cards are publicly left out, 18 first", low=0, high=MOST_REMOVED)
    remove_random: int = integer(1, "how many cards are removed unseen", low=0, high=MOST_REMOVED)
    cards: Sequence[int] | None = parameter(
        None, "the exact set of cards in place of level, guests, leave_out and remove_known",
        optional(some_cards), "different ints 1 to 24 with both 1 and 2, or None",
    )  # fmt: skip
    first_player: int = integer(-1, "who begins; -1: drawn at random", low=-1, high=MAX_SEATS - 1)
    detective_self: bool = boolean(True, "may the Detective choose its own player?")
    dead_end: str = option("rulebook", "when a hopeless game is stopped", DEAD_ENDS)
    talk: str = option("none", "who may say what", TALKS)
    symbols: int = integer(0, 'how many symbols there are; above 0 only with talk="symbols"', low=0, high=MAX_SYMBOLS)
    banned_symbols: Sequence[int] = parameter(
        [], "symbols that may not be sent",
        lambda name, value: different(name, value, 0, MAX_SYMBOLS - 1), "different ints from 0 to symbols - 1",
    )  # fmt: skip
    reward: str = option("outcome", "how the end is paid", PAID)
    max_turns: int = integer(200, "turns after which the game is cut off", low=1, high=1000)

    def check(self) -> None:
        """A table for this number of players, and cards enough for it: two each, and those that are removed."""
        n = self.num_players
        if self.guests is not None:
            an_int("guests", self.guests, max(0, n - SEATS_WITHOUT_GUESTS), len(c.GUESTS))
        an_int("first_player", self.first_player, -1, n - 1)
        if self.symbols > 0 and self.talk != "symbols":
            fail("symbols", f'above 0 only with talk="symbols", not with talk={self.talk!r}')
        if self.banned_symbols and self.symbols == 0:
            fail("banned_symbols", "there are no symbols to ban")
        ints("banned_symbols", self.banned_symbols, 0, self.symbols - 1)
        size, needed = len(self.card_list()), 2 * n + self.remove_random
        if size < needed:
            name = "remove_random" if self.cards is None else "cards"
            fail(name, f"{n} players and {self.remove_random} removed cards need {needed} cards; there are {size}")

    def card_list(self) -> list[int]:
        """Ongoing Play & Difficulty Levels: the cards of the game, ascending."""
        if self.cards is not None:
            return sorted(self.cards)
        guests = max(0, self.num_players - SEATS_WITHOUT_GUESTS) if self.guests is None else self.guests
        kept = c.NOVICE_CARDS[: len(c.NOVICE_CARDS) - self.remove_known] + LEVELS[self.level] + c.GUESTS[:guests]
        return [card for card in kept if card not in self.leave_out]


def make_rules(config: Config) -> np.ndarray:
    """The Rules record (array of one) of a configuration."""
    rules = Rules.from_config(config)
    cards = config.card_list()
    rules["n_seats"] = config.num_players
    rules["in_game"] = c.card_set(*cards)
    rules["n_cards"] = len(cards)
    rules["n_removed"] = config.remove_random
    rules["n_symbols"] = config.symbols
    rules["allowed_symbols"] = set_of(symbol for symbol in range(config.symbols) if symbol not in config.banned_symbols)
    return rules
