"""The records: what a configuration fixes (Rules), and a game in progress (State).

Counts by card are packed into words, see `counts.py`; "a byte a seat" is a word with the number of seat s in byte s.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.jit import kernel
from murder_envs.core.records import NOTHING, Record, choice, flag, number, seat, seats, table
from murder_envs.core.rng import Randomness
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import ENDINGS, MAX_SEATS, MODES, PHASES, REWARDS


class Rules(Record):
    """What a configuration fixes."""

    n_seats: int = number("2 to 5")
    murdered_third: int = flag("1: the Murdered Third plays too")
    third_table: np.ndarray = table(np.int8, "what is flipped -> what the Third does", shape=(len(c.FLIPS),))
    first_player: int = seat("who begins; NO_SEAT: drawn at random")
    stacks: int = table(np.uint64, "set of the stacks in play")
    n_stacks: int = number("how many these are")
    letters: int = table(np.uint64, "set of the letters of the word")
    copies: np.ndarray = table(np.uint64, "how many there are of each card, as counts", shape=(2,))
    box: np.ndarray = table(np.int8, "the n_cards cards, by card id", shape=(c.MOST_CARDS,))
    n_cards: int = number("how many cards there are")
    hand_size: int = number("cards dealt; the first player gets one less")
    expel_draw: int = number("cards drawn after an Expel")
    reward: int = choice(REWARDS, "how the end is paid")
    max_steps: int = number("decisions after which the game is cut off")


N_EVENTS = 16
EVENTS_A_WORD = 4
EVENT_WORDS = N_EVENTS // EVENTS_A_WORD
EVENT_BITS = 16
EVENT_CARRIED = 64 - EVENT_BITS
FLIPPED = MAX_SEATS + 1
"""In the place of 1 + the seat: a flip of the Third, whose argument is the card."""

EMPTY_STACK = np.uint64(1)
"""A stack as a number: two bits a card (its face), the top in the lowest, a 1 above the bottom card."""


class State(Randomness):
    """A game in progress."""

    # face up
    stack: np.ndarray = table(
        np.uint64, "cards of a stack in their order, see EMPTY_STACK", shape=(MAX_SEATS, c.N_STACKS), empty=EMPTY_STACK
    )
    murder: np.ndarray = table(np.uint64, "counts by stack-face of a seat's stacks", shape=(MAX_SEATS, 3))
    wild_depth: np.ndarray = table(
        np.uint64, "a byte a stack: place of the uppermost wild, 1: on top, 0: none", shape=(MAX_SEATS,)
    )
    missing: int = table(np.uint64, "a byte a seat: stacks in play that are empty")
    discard: np.ndarray = table(np.uint64, "counts by card", shape=(2,))
    discard_n: int = table(np.int8, "how many cards these are")
    # face down: a hand is what everybody knows of it, and the rest
    known: np.ndarray = table(np.uint64, "counts by card of what all know to be in a hand", shape=(MAX_SEATS, 2))
    secret: np.ndarray = table(np.uint64, "counts by card of the rest of a hand", shape=(MAX_SEATS, 2))
    n_held: int = table(np.uint64, "a byte a seat: cards in hand")
    deck: np.ndarray = table(np.int8, "deck_n cards, bottom first, top last", shape=(c.MOST_CARDS,))
    deck_n: int = table(np.int8, "cards in the draw pile")
    # who knows what
    hidden: np.ndarray = table(np.uint64, "counts by card: the draw pile and the secret parts of all hands", shape=(2,))
    deck_max: np.ndarray = table(
        np.uint64, "counts by card: a seat's upper bounds on copies in the draw pile", shape=(MAX_SEATS, 2)
    )
    old_max: int = table(np.uint64, "a byte a seat: upper bound on secret cards from before the latest reshuffle")
    # whose move
    phase: int = choice(PHASES, "what is being asked", snapshot=True, public=True)
    to_act: int = seat("who is asked; NO_SEAT when over")
    current: int = seat("whose turn it is", empty=0, snapshot=True, public=True)
    first: int = seat("first player of the game", empty=0, snapshot=True, public=True)
    turn: int = number("how many turns have ended", snapshot=True, public=True)
    steps: int = number("how many decisions were taken", high="max_steps", snapshot=True, public=True)
    reshuffles: int = number("how often the discards became the draw pile", snapshot=True, public=True)
    # the card in play
    played: int = choice(c.STACK_FACES, "the stack-face that was played", empty=NOTHING, snapshot=True, public=True)
    mode: int = choice(MODES, "declared use of a wild in play", snapshot=True, public=True)
    target: int = seat("chosen seat", snapshot=True, public=True)
    letter: int = choice(tuple(c.LETTERS), "letter being drained", empty=NOTHING, snapshot=True, public=True)
    third_card: int = choice(c.CARD_NAMES, "the Third's flip being resolved", empty=NOTHING, snapshot=True, public=True)
    prevented: int = seats("who has prevented the card in play", snapshot=True, public=True)
    pending: int = seats("who has still to answer in this step")
    # the end
    winner: int = seat("who has completed the word", snapshot=True, public=True)
    ending: int = choice(ENDINGS, "how the game ended")
    # the past
    events: np.ndarray = table(
        np.uint64,
        "open acts, 16 bits each, the newest lowest: 1 + the seat (or FLIPPED) + (argument << 8); 0: none",
        shape=(EVENT_WORDS,),
    )
    drawn: int = table(
        np.uint64, "where chance is listed: the cards drawn since the deal, in order, as a number; else 0"
    )


@kernel
def record_event(state: State, actor, argument):
    """Enter an open act: 1 + the seat and its action, or FLIPPED and the card."""
    carried = np.uint64(actor + (argument << 8))
    for i in range(EVENT_WORDS):
        word = state.events[i]
        state.events[i] = (word << EVENT_BITS) | carried
        carried = word >> EVENT_CARRIED
