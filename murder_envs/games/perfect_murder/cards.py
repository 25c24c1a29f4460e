"""The box: roles, kinds of cards, action cards, sides of the round board. What a case fixes is in `case.py`.

A card of clues or traces is known by its *field* on the boards: clues first, then traces. Sets of such cards and of
markers are sets of fields.
"""

from __future__ import annotations

MURDERER, DETECTIVE = 0, 1
AGENTS = ("murderer", "detective")

CLUE, TRACE, ROOM = 0, 1, 2
"""The three piles."""
KINDS = ("clue", "trace")

ACTION_CARDS = ("false_trace", "false_clue", "clean_any", "steal", "search_pile")
FALSE_TRACE, FALSE_CLUE, CLEAN_ANY, STEAL, SEARCH_PILE = range(len(ACTION_CARDS))
N_SECRET = 3
"""The first so many may lie face down; the others always lie face up."""

BOARDS = ("A", "B", "C", "D")
FACES = ("board", "all_down", "all_up")
"""What decides how an action card lies: the board's symbols, or the rules of a harder or an easier game."""
N_SPACES = 8
FROM_TOP = 3
"""How many cards are drawn from a pile to choose from, and how many a search brings."""
DISCARDED = 3
"""How many cards are laid down for a look under any marker."""
STOLEN = 2
FLIGHT_BEFORE_END = 2
"""The murderer may flee so many rounds before the last one ends."""
N_STATEMENTS = 3
"""Of an accusation: who, with what, entering where."""

# The largest case.
MAX_ROOMS = 16
MAX_DOORS = 32
MAX_FIELDS = 32
MAX_OF_A_KIND = 16
MAX_SUSPECTS = 12
MAX_WEAPONS = 16
MAX_ROOM_CARDS = 12
MAX_COPIES = 4
MAX_PATHS = 2048
MAX_ROUNDS = N_SPACES
MAX_ACTIONS = 4

NOBODY = -1
"""No suspect, no weapon, no room card, no room, no door."""
