"""The box: 24 cards, numbered as printed, and the score chart.

A *card* is its printed number, 1 to 24, and 0 is no card. A set of cards is a word with bit c for card c.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.core.tables import by_name, numbered

ACTION, EFFECT = "action", "effect"
"""The Cards: an Action does something when it is played; an Effect holds as long as the card is in a hand."""

BOX = (
    ("Murderer", EFFECT),  # its holder parts with it by choice only if it is the only card
    ("Detective", ACTION),  # a player discards a card; the Murderer: all win
    ("Confidant", EFFECT),  # the Murderer is passed to its holder: all win
    ("Stranger", EFFECT),  # has to be the card that is passed, shown or discarded
    ("Imposter", EFFECT),  # is not played beside a higher card
    ("Witness", EFFECT),  # the Murderer is passed to its holder: all lose
    ("Monkey", EFFECT),  # has to be played; does what the last Action did
    ("Drunk", EFFECT),  # announced, has to be played; its holder may talk
    ("Cad", ACTION),  # two other players swap a card
    ("Socialite", ACTION),  # the actor and another player swap a card
    ("Swain", ACTION),  # draw, then lose a random card to another player
    ("Gossip", ACTION),  # everybody passes a card to the left
    ("Invalid", ACTION),  # another player passes the actor a card
    ("Doctor", ACTION),  # a discarded card goes back into the deck
    ("Secretary", ACTION),  # look through the deck, and maybe discard a card of it
    ("Butler", ACTION),  # the top card of the deck is announced
    ("Maid", ACTION),  # both neighbours show the actor a card
    ("Driver", ACTION),  # look at three cards of the deck and keep one
    ("Blackmailer", EFFECT),  # sends the Detective out of the same hand into the deck
    ("Aristocrat", EFFECT),  # takes all Actions of the hand with it to the discard pile
    ("Nun", ACTION),  # a card of the hand goes under the deck
    ("Seer", ACTION),  # look at the bottom card of the deck, and maybe raise it to the top
    ("Faithful Hound", ACTION),  # learn who holds a card
    ("Reporter", ACTION),  # a random card of a neighbour is shown to all
)
"""Name and type of each card, in the order of the printed numbers (Card List & Guide)."""

NO_CARD = 0
N_CARDS = len(BOX)
NAMES = ("", *(name for name, _ in BOX))
"""card -> its name; "" for no card."""
CARD = numbered(("", *(name.split()[-1].lower() for name, _ in BOX)))
"""The cards by name: `CARD.murderer` is 1, and the Faithful Hound is `CARD.hound`."""

ACTION_CARDS = tuple(card for card, (_, kind) in enumerate(BOX, 1) if kind == ACTION)
NOVICE_CARDS = tuple(range(CARD.murderer, CARD.driver + 1))
GUESTS = (CARD.nun, CARD.seer, CARD.hound, CARD.reporter)
"""The cards for 5 to 8 players, in the order in which they are added."""
EASIER_WITHOUT = (CARD.stranger, CARD.imposter)

RATINGS = (
    (12, "suspiciously clever"),
    (9, "the Murderer outwitted"),
    (6, "dogged persistence"),
    (3, "who, but not why"),
    (0, "the Murderer confesses"),
)
"""Score chart, best first: least score, and our label for that row."""
BEST_SCORE = RATINGS[0][0]


def card_set(*cards: int) -> Any:
    """A set of cards: bit c for card c."""
    return np.uint64(sum(1 << card for card in cards))


SET = by_name(
    {
        "actions": card_set(*ACTION_CARDS),
        "above_imposter": card_set(*range(CARD.imposter + 1, N_CARDS + 1)),
        "shuffled_in": card_set(CARD.murderer, CARD.detective),  # Set Up: into the two parts, so they are never removed
        "blackmail": card_set(CARD.detective, CARD.blackmailer),  # what no hand keeps together
    }
)
"""Sets of cards that the rules speak of."""
