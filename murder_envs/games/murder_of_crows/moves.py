"""What can be asked, and what can be answered: phases, ends, the table of actions, and small shared tests."""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import GATHER, ONES, SEVENS, bit, full, lowest
from murder_envs.core.jit import kernel
from murder_envs.core.tables import Actions
from murder_envs.games.murder_of_crows.cards import CARD_NAMES, LETTERS, STACK_FACES, STACKS

MAX_SEATS = 5
NO_SEAT = -1
NOTHING = -1
NONE = np.uint64(0)

PHASES = (
    "start", "play", "wild", "react", "target", "take", "grab", "letter", "lose", "raze", "third_take", "third_lose",
    "third_raze", "over",
)  # fmt: skip
(
    START, PLAY, WILD_USE, REACT, TARGET, TAKE, GRAB, LETTER, LOSE, RAZE, THIRD_TAKE, THIRD_LOSE, THIRD_RAZE, OVER,
) = range(len(PHASES))  # fmt: skip

ASKED, WINDOW, NEXT_ANSWER, EFFECT, TURN_OVER, NEXT_TURN = range(6)
"""What is to come next between two decisions (see `play.resolve`)."""

REMOVE = len(LETTERS)
"""The effect of a wild that removes a stack; the other effects are letters."""

MODES = ("", "letter", "remove")
NO_MODE, AS_LETTER, AS_REMOVE = range(len(MODES))
ENDINGS = ("", "won", "dead", "truncated")
NO_END, WON, DEAD, TRUNCATED = range(len(ENDINGS))
REWARD = ("zero_sum", "win_loss", "win_only", "progress")
REWARD_ZERO_SUM, REWARD_WIN_LOSS, REWARD_WIN_ONLY, REWARD_PROGRESS = range(len(REWARD))

ACTIONS = Actions(
    {
        "draw": ["draw"],
        "skip": ["skip"],
        "play": [f"play:{name}" for name in STACK_FACES],
        "wild": ["wild:letter", "wild:remove"],
        "allow": ["allow"],
        "prevent": [f"prevent:{name}" for name in CARD_NAMES],
        "target": [f"target:{offset}" for offset in range(MAX_SEATS)],
        "pass": ["pass"],
        "letter": [f"letter:{letter}" for letter in LETTERS],
        "take": [f"take:{name}" for name in STACK_FACES],
        "lose": [f"lose:{name}" for name in STACK_FACES],
        "grab": [f"grab:{name}" for name in CARD_NAMES],
        "raze": [f"raze:{name}" for name in STACKS],
    }
)
DRAW = ACTIONS.starts["draw"]
SKIP = ACTIONS.starts["skip"]
PLAY_CARD = ACTIONS.starts["play"]
USE_WILD = ACTIONS.starts["wild"]
ALLOW = ACTIONS.starts["allow"]
PREVENT_WITH = ACTIONS.starts["prevent"]
TARGET_SEAT = ACTIONS.starts["target"]
PASS = ACTIONS.starts["pass"]
NAME_LETTER = ACTIONS.starts["letter"]
TAKE_CARD = ACTIONS.starts["take"]
LOSE_CARD = ACTIONS.starts["lose"]
GRAB_CARD = ACTIONS.starts["grab"]
RAZE_STACK = ACTIONS.starts["raze"]

HIGHS = ONES << np.uint64(7)
SEVEN = np.uint64(7)
TOP_BYTE = np.uint64(56)
BYTE = np.uint64(0xFF)


@kernel
def nonzero(word):
    """Which of eight bytes, each less than 128, are not 0: a set of 8."""
    return ((((word + SEVENS) & HIGHS) >> SEVEN) * GATHER) >> TOP_BYTE


@kernel
def kinds(low, high):
    """Which cards there are at all in counts by card: a set of 16."""
    return nonzero(low) | (nonzero(high) << np.uint64(8))


@kernel
def total(low, high):
    """How many cards there are in counts by card."""
    return np.int64(((low + high) * ONES) >> TOP_BYTE)


@kernel
def byte_of(word, i):
    """Byte i of a word, as a number."""
    return np.int64((word >> np.uint64(8 * i)) & BYTE)


@kernel
def one_at(i):
    """1 in byte i, to be added or taken away."""
    return np.uint64(1) << np.uint64(8 * i)


@kernel
def seat_at(rules, seat, offset):
    """The seat `offset` places to the left of `seat`."""
    at = seat + offset
    return at - rules.n_seats if at >= rules.n_seats else at


@kernel
def offset_of(rules, seat, looker):
    """How many places to the left of `looker` a seat is."""
    offset = seat - looker
    return offset + rules.n_seats if offset < 0 else offset


@kernel
def seen_from(rules, seats, looker):
    """A set of seats as one of offsets from a looker."""
    return ((seats >> np.uint64(looker)) | (seats << np.uint64(rules.n_seats - looker))) & full(rules.n_seats)


@kernel
def first_from(rules, seats, start):
    """The first seat of a set, clockwise from `start`; there must be one."""
    return seat_at(rules, start, lowest(seen_from(rules, seats, start)))


@kernel
def others(rules, seat):
    """All seats but one, as a set."""
    return full(rules.n_seats) & ~bit(seat)
