"""The box: how many of everything there can be, the numbers of the top secret cards, and what may stand on a card.

The deck has 60 cards: Prologue, 8 Locations, 11 Top Secret cards, 7 Portraits, 28 Character cards (Story A, Story B,
Relationships and Objectives of each portrait), 2 Introductions, 2 Solutions, Summary. The rulebook leaves the story to
the cards; here what is on them is a *case*: data that is written by hand (`case.py`) or drawn anew each game
(`generator.py`).
"""

from __future__ import annotations

from murder_envs.core.tables import numbered

# -- How many ---------------------------------------------------------------------------------------------------------

MIN_SEATS, MAX_SEATS = 3, 7
"""The rulebook's game is for 5 to 7 players; 3 and 4 are for small games."""
MAX_OUT = 2  # portraits that nobody plays
MAX_EXTRAS = 3  # further characters that nobody plays
MAX_PEOPLE = MAX_SEATS + MAX_EXTRAS
N_QUESTIONS = (1, 3, 4)
"""How many questions a case may have: the murder, and no other or enough for answers beside one's own secret."""
MAX_QUESTIONS = max(N_QUESTIONS)
MIN_TRAITS, MAX_TRAITS = 2, 5
MIN_LOCATIONS, MAX_LOCATIONS = 2, 8
MAX_TOKENS = 3
MAX_TALK = 3
MAX_WITNESS = 6  # clearing facts on the Story B and Relationships cards of a portrait
MAX_POINTS = 6
MAX_LIMIT = 6
MAX_ANSWERS = 2  # `answer` objectives of a portrait
MAX_OBJECTIVES = MAX_ANSWERS + 2  # beside them: `accuse` or `hide` of the murder, `hide` of another secret

# -- Questions and facts ----------------------------------------------------------------------------------------------

MURDER = 0
"""The first question: who is the murderer? The others are secrets of other characters."""

POOLS = ("played", "portraits", "all")
"""Who can be the murderer: a character that is played; any portrait, also one that is out; any character."""
POOL = numbered(POOLS)

KINDS = ("is", "not", "has", "lacks")
"""A fact is question.kind.subject: the answer is, or is not, a character; it has, or lacks, a trait."""
IS, NOT, HAS, LACKS = range(len(KINDS))
FACTS_A_LOCATION = 2  # one if the location hands out a card

# -- Top Secret cards, by their printed numbers -----------------------------------------------------------------------

N_CARDS = 11
HANDED = (1, 2, 3, 4, 7, 8)
"""Handed out by locations; a smaller deck has the first of them."""

OUT_CARD = (0, 6, 5)
"""By how many portraits are out: the card that says which."""

SETUP_CARDS: tuple[tuple[int, ...], ...] = ((), (11,), (9, 10))
"""By how many portraits are out: the cards given to players before play, for what the missing ones would know."""

FIRST_SETUP_CARD = 9
N_SETUP_CARDS = N_CARDS + 1 - FIRST_SETUP_CARD
CLEARS_A_CARD = 2  # facts on a setup card, at most

# -- Objectives -------------------------------------------------------------------------------------------------------

OBJECTIVES = ("", "accuse", "answer", "hide")
NO_OBJECTIVE, ACCUSE, ANSWER, HIDE = range(len(OBJECTIVES))

BASE_POINTS, BASE_POINTS_ALONE = 2, 3
"""Points for the accusation in a generated case, with `answer` objectives beside it and without."""

# -- What nobody may know at the start --------------------------------------------------------------------------------

FEW_KNOWN = 5
"""A portrait's own cards clear at most (size of the pool - FEW_KNOWN) characters of one question."""

OPEN_NAMES, OPEN_NAMES_OF_FEW = 3, 2
"""Names beside its own that the cards of a written portrait leave open; the second in pools below FEW_KNOWN."""

SETUP_POOL = 4
"""Setup cards of a drawn case say nothing about a question with fewer characters in its pool."""

DEAD_MONKEY = "dead_monkey"
"""The written case that comes with the package."""
