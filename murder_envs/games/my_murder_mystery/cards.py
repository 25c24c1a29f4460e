"""The box: how many of everything there can be, the numbers of the top secret cards, and what may stand on a card.

The deck has 60 cards: Prologue, 8 Locations, 11 Top Secret cards, 7 Portraits, 28 Character cards (Story A, Story B,
Relationships and Objectives of each portrait), 2 Introductions, 2 Solutions, Summary. What is on them is a *case*: data
that is written by hand (`case.py`) or drawn anew each game (`deal.py`).
"""

from __future__ import annotations

import numpy as np

NONE = np.uint64(0)

MIN_SEATS, MAX_SEATS = 3, 7
MAX_OUT = 2  # portraits that nobody plays
MAX_EXTRAS = 3  # further characters that nobody plays
MAX_PEOPLE = MAX_SEATS + MAX_EXTRAS
MAX_QUESTIONS = 4
MAX_TRAITS = 5
MAX_LOCATIONS = 8
MAX_TOKENS = 3
MAX_TALK = 3
MAX_WITNESS = 6  # clearing facts on the Story B and Relationships cards of a portrait
MAX_POINTS = 6
MAX_LIMIT = 6
MAX_ANSWERS = 2  # `answer` objectives of a portrait
MAX_OBJECTIVES = MAX_ANSWERS + 2  # beside them: `accuse` or `hide` of the murder, `hide` of another secret

MURDER = 0
"""The first question: who is the murderer?"""

# Top Secret cards, by their printed numbers.
N_CARDS = 11
HANDED = (1, 2, 3, 4, 7, 8)
"""Handed out by locations; a smaller deck has the first of them."""

OUT_CARD = (0, 6, 5)
"""By how many portraits are out: the card that says which."""

SETUP_CARDS: tuple[tuple[int, ...], ...] = ((), (11,), (9, 10))
"""By how many portraits are out: the cards given to players before play."""

FIRST_SETUP_CARD = 9
N_SETUP_CARDS = N_CARDS + 1 - FIRST_SETUP_CARD
CLEARS_A_CARD = 2  # facts on a setup card, at most

# Facts: question.kind.subject, of a character (is, not) or a trait (has, lacks).
KINDS = ("is", "not", "has", "lacks")
IS, NOT, HAS, LACKS = range(len(KINDS))

# Objectives.
OBJECTIVES = ("", "accuse", "answer", "hide")
NO_OBJECTIVE, ACCUSE, ANSWER, HIDE = range(len(OBJECTIVES))

FEW_KNOWN = 5
"""A portrait's own cards clear at most (size of the pool - FEW_KNOWN) characters of one question."""

SETUP_POOL = 4
"""Setup cards of a drawn case say nothing about a question with fewer characters in its pool."""

DEAD_MONKEY = "dead_monkey"
"""The written case that comes with the package."""
