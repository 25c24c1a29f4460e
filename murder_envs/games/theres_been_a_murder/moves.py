"""What can be asked, and what can be answered: phases, events, endings, the table of actions; what a hand offers."""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, allow_all, bit, has
from murder_envs.core.contract import seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.tables import Actions, numbered
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS

MAX_SEATS = 8
MAX_SYMBOLS = 16
NO_SYMBOL = -1

PHASES = (
    "announce", "signal", "play", "target", "target2", "discard", "pass", "show", "bury", "rescue", "search", "pick",
    "seer", "name", "over",
)  # fmt: skip
PHASE = numbered(PHASES)

THEN = numbered(
    ("asked", "next_turn", "seen", "carry_out", "entered", "drawing", "shuffling", "turn_over", "first_turn")
)
"""What is to come next between two decisions (see `play.resolve`)."""

EVENTS = (
    "", "draw", "play", "discard", "target", "pass", "show", "bury", "rescue", "search", "butler", "pick", "seer",
    "name", "report", "blackmail", "drunk", "tell", "signal",
)  # fmt: skip
EVENT = numbered(EVENTS)
"""Kinds of public event, each with a seat, a second seat or nobody, and an argument: a card where it is public; of a
`seer` 1 if the card was raised, of a `signal` 1 + the symbol, else 0."""
TELLS_ALL = N_CARDS + 1
"""Argument of a `tell` event for `tell:all`; 0 is `hush`, and any other number is the card."""

ENDINGS = ("", "detective", "confidant", "witness", "deck", "dead_end", "turn_limit")
ENDING = numbered(ENDINGS)
WON = ("detective", "confidant")
WINS = np.uint64(sum(1 << ENDINGS.index(ending) for ending in WON))
"""The endings that are a win, and the same as a set."""

TALKS = ("silent", "none", "symbols", "open")
TALK = numbered(TALKS)
DEAD_ENDS = ("rulebook", "certain", "off")
DEAD_END = numbered(DEAD_ENDS)
REWARDS = ("outcome", "win", "score")
REWARD = numbered(REWARDS)

_cards = range(1, N_CARDS + 1)
ACTIONS = Actions(
    {
        "play": [f"play:{card}" for card in _cards],
        "discard": [f"discard:{CARD.aristocrat}"],
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
ACT = ACTIONS.at
"""Where each block of actions starts: `ACT.signal + symbol` is an action. Of blocks of cards, the first is card 1."""


@kernel
def with_card(start, card):
    """The action of a block of cards that names a card."""
    return start + card - 1


@kernel
def card_of(action, start):
    """The card that an action of a block of cards names."""
    return action - start + 1


@kernel
def allow_cards(legal_set, start, cards):
    """Allow an action of a block of cards for each card of a set."""
    allow_all(legal_set, start, cards >> 1)


# -- What a hand offers -------------------------------------------------------------------------
# To pass, to show, to play and to discard are "game effects", which the Murderer evades beside another card.


@kernel
def givable(hand):
    """4. The Stranger, 1. The Murderer: cards that a holder may choose to pass, show or discard.

    The Stranger alone if it is held; else all but the Murderer; the Murderer if it is alone. The lower number goes
    first in a conflict (Game Turns), but the Murderer beside the Stranger is no conflict: both say the Stranger.
    """
    if has(hand, CARD.stranger):
        return bit(CARD.stranger)
    return buriable(hand)


@kernel
def buriable(hand):
    """21. The Nun: cards that may go under the deck. The Stranger does not bind here (Ruling)."""
    rest = hand & ~bit(CARD.murderer)
    return rest if rest != NONE else hand


@kernel
def taker_of(state, rules, giver):
    """To whom a giver's card goes in the effect under way: Cad, Socialite, Gossip, Invalid."""
    first = state.targets[0]
    if state.effect == CARD.gossip:
        return seat_at(rules, giver, 1)
    if state.effect == CARD.cad:
        return state.targets[1] if giver == first else first
    return first if giver == state.turn else state.turn
