"""The records: what a configuration fixes (Rules), and a game in progress (State).

A set of cards has bit c for card c. A *place* is where a card may lie: a part of the deck, out of the game, or a hand.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import popcount
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import kernel
from murder_envs.core.lanes import N_LANES
from murder_envs.core.records import Record, choice, flag, members, number, seat, table
from murder_envs.core.rng import Randomness
from murder_envs.core.tables import numbered
from murder_envs.games.theres_been_a_murder import moves
from murder_envs.games.theres_been_a_murder.cards import N_CARDS, NO_CARD
from murder_envs.games.theres_been_a_murder.moves import MAX_SEATS, PHASE


class Rules(Record):
    """What a configuration fixes."""

    n_seats: int = number("3 to 8")
    in_game: int = members("the cards of this game", low=1, high=N_CARDS)
    n_cards: int = number("how many these are")
    n_removed: int = number("how many of them are removed unseen")
    first_player: int = seat("who begins; NO_SEAT: drawn at random")
    detective_self: int = flag("1: the Detective may choose its own player")
    dead_end: int = choice(moves.DEAD_ENDS, "when a hopeless game is stopped")
    talk: int = choice(moves.TALKS, "what may be said")
    n_symbols: int = number("size of the channel of symbols; 0: there is none")
    allowed_symbols: int = table(np.uint64, "set of the symbols that may be sent")
    reward: int = choice(moves.REWARDS, "how the end is paid")
    max_turns: int = number("turns after which the game is cut off")


PLACE = numbered(("upper", "lower", "out", "hands"))
"""Places as rows of the tables of knowledge; a seat's hand is `PLACE.hands + seat`.

`upper` and `lower` are the two parts of the deck; once the line between them is lost, all of the deck is `upper`. `out`
are the cards that were removed unseen.
"""
N_PLACES = PLACE.hands + MAX_SEATS
NO_PLACE = -1
N_GROUPS = (MAX_SEATS + 1 + N_LANES - 1) // N_LANES
"""Viewers are all seats and the public; they are worked on in groups of N_LANES at once (see `core.lanes`)."""

N_EVENTS = 32
BITS_A, BITS_B, BITS_ARGUMENT = 8, 16, 24
"""Where the parts of a public event lie above its kind: 1 + the seat, 1 + the second seat, the argument."""


def _symbols_end(rules: np.ndarray) -> int:
    return int(rules["n_symbols"]) - 1


class State(Randomness):
    """A game in progress."""

    # face down
    hand: np.ndarray = members(
        "cards that a seat holds", dtype=np.uint32, shape=(MAX_SEATS,), low=1, high=N_CARDS, snapshot="hands"
    )
    removed: int = members("cards removed unseen", low=1, high=N_CARDS, snapshot=True)
    deck: np.ndarray = table(np.int8, "deck_n cards, bottom first, top last", shape=(N_CARDS,), empty=NO_CARD)
    deck_n: int = table(np.int8, "cards in the deck")
    lower_n: int = number(
        "how many at the bottom belong to the lower part; 0: no line any more",
        dtype=np.int8, high="n_cards", snapshot="lower", public=True,
    )  # fmt: skip
    chosen: np.ndarray = number(
        "card that a seat has placed face down in this effect, or NO_CARD",
        dtype=np.int8, shape=(MAX_SEATS,), empty=NO_CARD, high=N_CARDS, snapshot=True,
    )  # fmt: skip
    # face up
    discard: np.ndarray = table(np.int8, "discard_n cards, oldest first, top last", shape=(N_CARDS,), empty=NO_CARD)
    discard_n: int = table(np.int8, "cards in the discard pile")
    last_action: int = number(
        "last Action card played, or NO_CARD", dtype=np.int8, empty=NO_CARD, high=N_CARDS, snapshot=True, public=True
    )
    signals: np.ndarray = number(
        "last symbol that a seat sent, or NO_SYMBOL: it was silent last",
        dtype=np.int8, shape=(MAX_SEATS,), empty=moves.NO_SYMBOL, low=moves.NO_SYMBOL, high=_symbols_end, snapshot=True,
        public=True,
    )  # fmt: skip
    used_symbols: int = members("symbols sent in this game", high=_symbols_end, snapshot=True, public=True)
    # whose move
    phase: int = choice(moves.PHASES, "what is being asked", empty=PHASE.over, snapshot=True, public=True)
    to_act: int = seat("who is asked; NO_SEAT when over", snapshot=True, public=True)
    turn: int = seat("the actor: whose turn it is", empty=0, snapshot=True, public=True)
    first: int = seat("first player of the game", empty=0, snapshot=True, public=True)
    turns: int = number(
        "number of this turn, from 1",
        dtype=np.int16, empty=1, low=1, high=lambda rules: int(rules["max_turns"]) + 1, snapshot=True, public=True,
    )  # fmt: skip
    played: int = number(
        "card that brought the effect: itself or the Monkey; NO_CARD: no effect",
        dtype=np.int8, empty=NO_CARD, high=N_CARDS, snapshot=True, public=True,
    )  # fmt: skip
    effect: int = number(
        "Action being carried out, or NO_CARD", dtype=np.int8, empty=NO_CARD, high=N_CARDS, snapshot=True, public=True
    )
    targets: np.ndarray = table(np.int8, "chosen seats, or NO_SEAT", shape=(2,), empty=NO_SEAT)
    ending: int = choice(moves.ENDINGS, "how the game ended", snapshot=True, public=True)
    # who knows what: viewer v, a seat or (as number n_seats) the public, is lane v % N_LANES of group v // N_LANES
    possible: np.ndarray = table(
        np.uint32, "set of the cards that may lie at a place, for each viewer", shape=(N_GROUPS, N_PLACES, N_LANES)
    )
    depth_known: np.ndarray = table(
        np.uint32, "set of the deck cards whose exact place a viewer knows", shape=(N_GROUPS, N_LANES)
    )
    # room to work in: nothing here outlives the kernel that wrote it
    place_size: np.ndarray = table(np.int8, "of `knowledge.close`: cards at a place", shape=(N_PLACES,))
    candidates: np.ndarray = table(
        np.uint32, "of `knowledge.saw_passes`: what a seat may have passed, for each viewer", shape=(MAX_SEATS, N_LANES)
    )
    slot_may: np.ndarray = table(np.uint32, "of `redeal`: set of the cards that may lie in a slot", shape=(N_CARDS,))
    slot_place: np.ndarray = table(np.int8, "of `redeal`: the place of a slot", shape=(N_CARDS,))
    slot_card: np.ndarray = table(np.int8, "of `redeal`: the card in a slot now", shape=(N_CARDS,), empty=NO_CARD)
    slot_was: np.ndarray = table(np.int8, "of `redeal`: the card in a slot before", shape=(N_CARDS,), empty=NO_CARD)
    # the past
    events: np.ndarray = table(
        np.uint32,
        "public events, see BITS_A; 0: none. A ring, newest at events_at, each event written twice so that N_EVENTS "
        "lie in a row",
        shape=(2 * N_EVENTS,),
    )
    events_at: int = table(np.int8, "where the newest event lies")


@kernel
def record_event(state: State, kind, a, b, argument):
    """Enter a public event: its kind, the seat it is about, a second seat or NO_SEAT, and its argument."""
    at = state.events_at - 1
    if at < 0:
        at = N_EVENTS - 1
    event = kind + ((a + 1) << BITS_A) + ((b + 1) << BITS_B) + (argument << BITS_ARGUMENT)
    state.events[at] = event
    state.events[at + N_EVENTS] = event
    state.events_at = at


@kernel
def hand_size(state: State, seat):
    """How many cards a seat holds."""
    return popcount(state.hand[seat])
