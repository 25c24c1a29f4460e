"""What can be asked, and what can be answered: phases, events, endings, the table of actions, and shared tests."""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow_all, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.tables import Actions
from murder_envs.games.theres_been_a_murder.cards import (
    ARISTOCRAT,
    CAD,
    GOSSIP,
    MURDERER_BIT,
    N_CARDS,
    NONE,
    STRANGER_BIT,
)

MAX_SEATS = 8
MAX_SYMBOLS = 16
NO_SEAT = -1

PHASES = (
    "announce", "signal", "play", "target", "target2", "discard", "pass", "show", "bury", "rescue", "search", "pick",
    "seer", "name", "over",
)  # fmt: skip
(
    ANNOUNCE, SIGNAL, PLAY, TARGET, TARGET2, DISCARD, PASS, SHOW, BURY, RESCUE, SEARCH, PICK, SEER_PHASE, NAME, OVER,
) = range(len(PHASES))  # fmt: skip

ASKED, NEXT_TURN, SEEN, CARRY_OUT, ENTERED, DRAWING, SHUFFLING, TURN_OVER, BEGIN = range(9)
"""What is to come next between two decisions (see `effects.py` and `play.resolve`)."""

EVENTS = (
    "", "draw", "play", "discard", "target", "pass", "show", "bury", "rescue", "search", "butler", "pick", "seer",
    "name", "report", "blackmail", "drunk", "tell", "signal",
)  # fmt: skip
(
    NO_EVENT, DREW, PLAYED, DISCARDED, TARGETED, PASSED, SHOWED, BURIED, RESCUED, SEARCHED, BUTLERED, PICKED, SEERED,
    NAMED, REPORTED, BLACKMAILED, HAS_DRUNK, TOLD, SIGNALLED,
) = range(len(EVENTS))  # fmt: skip
TOLD_ALL = 25
"""Argument of a `tell` event for `tell:all`; 0 is `hush`."""

ENDINGS = ("", "detective", "confidant", "witness", "deck", "dead_end", "turn_limit")
NO_END, BY_DETECTIVE, BY_CONFIDANT, BY_WITNESS, BY_DECK, BY_DEAD_END, BY_TURN_LIMIT = range(len(ENDINGS))

WON = ("detective", "confidant")
"""The endings that are a win."""

TALK = ("silent", "none", "symbols", "open")
TALK_SILENT, TALK_NONE, TALK_SYMBOLS, TALK_OPEN = range(len(TALK))
DEAD_END = ("rulebook", "certain", "off")
DEAD_END_RULEBOOK, DEAD_END_CERTAIN, DEAD_END_OFF = range(len(DEAD_END))
REWARD = ("outcome", "win", "score")
REWARD_OUTCOME, REWARD_WIN, REWARD_SCORE = range(len(REWARD))

_cards = range(1, N_CARDS + 1)
ACTIONS = Actions(
    {
        "play": [f"play:{card}" for card in _cards],
        "discard": [f"discard:{ARISTOCRAT}"],
        "target": [f"target:{offset}" for offset in range(MAX_SEATS)],
        "give": [f"give:{card}" for card in _cards],
        "take": [f"take:{card}" for card in _cards],
        "name": [f"name:{card}" for card in _cards],
        "raise": ["raise"],
        "leave": ["leave"],
        "tell": [f"tell:{card}" for card in _cards],
        "tell_all": ["tell:all"],
        "hush": ["hush"],
        "signal": [f"signal:{symbol}" for symbol in range(MAX_SYMBOLS)],
    }
)
PLAY_CARD = ACTIONS.starts["play"]
DISCARD_ARISTOCRAT = ACTIONS.starts["discard"]
TARGET_SEAT = ACTIONS.starts["target"]
GIVE_CARD = ACTIONS.starts["give"]
TAKE_CARD = ACTIONS.starts["take"]
NAME_CARD = ACTIONS.starts["name"]
RAISE = ACTIONS.starts["raise"]
LEAVE = ACTIONS.starts["leave"]
TELL_CARD = ACTIONS.starts["tell"]
TELL_ALL = ACTIONS.starts["tell_all"]
HUSH = ACTIONS.starts["hush"]
SEND_SYMBOL = ACTIONS.starts["signal"]
N_ACTIONS = ACTIONS.n
N_WORDS = ACTIONS.n_words


@kernel
def card_of(action, block):
    """The card that an action of a block of cards names."""
    return action - block + 1


@kernel
def allow_cards(words, block, cards):
    """Allow a block's action for each card of a set."""
    allow_all(words, block, np.uint64(cards) >> np.uint64(1))


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
def givable(hand):
    """Cards that a holder may choose to pass, show or discard: the Stranger if held; never the Murderer by choice."""
    if hand & STRANGER_BIT != NONE:
        return STRANGER_BIT
    others = hand & ~MURDERER_BIT
    return others if others != NONE else hand


@kernel
def buriable(hand):
    """Cards that may go under the deck: the Stranger does not bind here (Ruling, card 21)."""
    others = hand & ~MURDERER_BIT
    return others if others != NONE else hand


@kernel
def taker_of(state, rules, giver):
    """To whom a giver's card goes in the effect under way: Cad, Socialite, Gossip, Invalid."""
    if state.effect == GOSSIP:
        return seat_at(rules, giver, 1)
    first = np.int64(state.targets[0])
    if state.effect == CAD:
        return np.int64(state.targets[1]) if giver == first else first
    return first if giver == state.turn else np.int64(state.turn)


@kernel
def hand_size(state, seat):
    """How many cards a seat holds."""
    return popcount(state.hand[seat])
