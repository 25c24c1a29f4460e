"""The box: letter cards with one to three crows, wild crows, the stacks of a Murder, and the phrases of the stories.

A *card* is a type, 0..15: `3 * letter + crows - 1`, or the wild crow. Cards of one type are the same in every rule, so
hands and piles are counts by type: sixteen bytes in two words, types 0..7 and 8..15. A *stack-face* is a card lying in
a stack or played to it, 0..23: `4 * stack + face`, the face 0..2 for one to three crows, 3 for a wild.
"""

from __future__ import annotations

import numpy as np

# -- Contents: letter cards and wild crows --------------------------------------------------------

LETTERS = "MURDE"
LETTER_M, LETTER_U, LETTER_R, LETTER_D, LETTER_E = range(len(LETTERS))
N_LETTERS = len(LETTERS)
CROWS = (1, 2, 3)
N_CROWS = len(CROWS)

REMOVE = N_LETTERS
"""The effect of a wild that removes a stack; the other effects are letters."""

WILD = N_LETTERS * N_CROWS
N_CARDS = WILD + 1
NO_CARD = -1
CARD_NAMES = (*(f"{letter}{crows}" for letter in LETTERS for crows in CROWS), "W")

# -- Building a Murder: six stacks, the two of R interchangeable while a card is being played ------

STACKS = ("M", "U", "Ra", "D", "E", "Rb")
N_STACKS = len(STACKS)
LETTER_OF = np.array([LETTERS.index(stack[0]) for stack in STACKS])
"""stack -> the letter that it stands for."""
STACKS_OF = np.array([sum(1 << s for s in range(N_STACKS) if LETTER_OF[s] == letter) for letter in range(N_LETTERS)])
"""letter -> its stacks, as a set."""

FACES = (*map(str, CROWS), "W")
N_FACES = len(FACES)
FACE_WILD = N_FACES - 1
STACK_FACES = tuple(stack + face for stack in STACKS for face in FACES)
N_STACK_FACES = len(STACK_FACES)
CARD_OF = np.array(
    [WILD if face == FACE_WILD else N_CROWS * letter + face for letter in LETTER_OF for face in range(N_FACES)]
)
"""stack-face -> the card that it is in a hand."""

# -- The printed totals. How crows are spread over letters is not printed ---------------------------

CROW_TABLE = {"M": (3, 3, 2), "U": (3, 3, 2), "R": (7, 5, 4), "D": (3, 2, 3), "E": (3, 3, 2)}
"""letter -> copies with one, two, three crows (Ruling: as even as the printed totals allow)."""
LETTER_TOTALS = {letter: sum(row) for letter, row in CROW_TABLE.items()}
CROW_TOTALS = (19, 16, 13)
N_WILDS = 7
MOST_OF_A_LETTER = 16
MOST_WILDS = 8
MOST_CARDS = 55
WORD = "MURDER"
EXPEL_DRAW = 3

# -- The Murdered Third: what its flips do to both living players (the printed actions are not to be had) -----------

THIRD_ACTS = ("take_back", "reveal", "draw", "drain", "expel", "remove", "nothing")
TAKE_BACK, REVEAL, DRAW, DRAIN, EXPEL, REMOVE_OWN, NOTHING_AT_ALL = range(len(THIRD_ACTS))
FLIPS = (*LETTERS, "W")
THIRD_TABLE = dict(zip(FLIPS, THIRD_ACTS))
"""What is flipped, a letter or a wild -> the act (Ruling: the letter's own effect, turned on both players)."""

# -- Winning the Game: the story that the top cards tell (texts of our own, not the printed ones) ---

PHRASES = {
    "M": ("As fog crept in", "On a moonless night", "While thunder rolled"),
    "U": ("by the old mill", "in the attic of the inn", "beneath the gallows tree"),
    "R": ("Silas Pike", "Widow Harrow", "the sexton"),
    "D": ("out of envy", "over an unpaid debt", "to bury a secret"),
    "E": ("used a brass candlestick on", "slipped nightshade to", "pushed from the belfry"),
}
"""letter -> what its card with one, two, three crows reads."""
SENTENCE = (("M", "U"), ("Ra",), ("D",), ("E", "Rb"))
"""The stacks of a story, in parts with commas between them."""
