"""The box: 24 cards, numbered as printed, and the score chart."""

from __future__ import annotations

import numpy as np

NO_CARD = 0
MURDERER = 1
DETECTIVE = 2
CONFIDANT = 3
STRANGER = 4
IMPOSTER = 5
WITNESS = 6
MONKEY = 7
DRUNK = 8
CAD = 9
SOCIALITE = 10
SWAIN = 11
GOSSIP = 12
INVALID = 13
DOCTOR = 14
SECRETARY = 15
BUTLER = 16
MAID = 17
DRIVER = 18
BLACKMAILER = 19
ARISTOCRAT = 20
NUN = 21
SEER = 22
HOUND = 23
REPORTER = 24
N_CARDS = 24

NAMES = (
    "", "Murderer", "Detective", "Confidant", "Stranger", "Imposter", "Witness", "Monkey", "Drunk", "Cad",
    "Socialite", "Swain", "Gossip", "Invalid", "Doctor", "Secretary", "Butler", "Maid", "Driver", "Blackmailer",
    "Aristocrat", "Nun", "Seer", "Faithful Hound", "Reporter",
)  # fmt: skip

ACTION_CARDS = (
    DETECTIVE, CAD, SOCIALITE, SWAIN, GOSSIP, INVALID, DOCTOR, SECRETARY, BUTLER, MAID, DRIVER, NUN, SEER, HOUND,
    REPORTER,
)  # fmt: skip
"""The cards with the action symbol; all others are Effect cards."""

NOVICE_CARDS = tuple(range(MURDERER, DRIVER + 1))
GUESTS = (NUN, SEER, HOUND, REPORTER)
EASIER_WITHOUT = (STRANGER, IMPOSTER)
MOST_REMOVED = 6

RATINGS = (
    (12, "suspiciously clever"),
    (9, "the Murderer outwitted"),
    (6, "dogged persistence"),
    (3, "who, but not why"),
    (0, "the Murderer confesses"),
)
"""Score chart, best first: least score, and our label for that row."""


def card_set(*cards: int) -> np.uint64:
    """A set of cards: bit c for card c."""
    return np.uint64(sum(1 << card for card in cards))


NONE = np.uint64(0)
ACTION_SET = card_set(*ACTION_CARDS)
ABOVE_IMPOSTER = card_set(*range(IMPOSTER + 1, N_CARDS + 1))
MURDERER_BIT = card_set(MURDERER)
DETECTIVE_BIT = card_set(DETECTIVE)
CONFIDANT_BIT = card_set(CONFIDANT)
STRANGER_BIT = card_set(STRANGER)
IMPOSTER_BIT = card_set(IMPOSTER)
WITNESS_BIT = card_set(WITNESS)
MONKEY_BIT = card_set(MONKEY)
DRUNK_BIT = card_set(DRUNK)
DOCTOR_BIT = card_set(DOCTOR)
BLACKMAILER_BIT = card_set(BLACKMAILER)
ARISTOCRAT_BIT = card_set(ARISTOCRAT)
BLACKMAIL_PAIR = card_set(DETECTIVE, BLACKMAILER)
