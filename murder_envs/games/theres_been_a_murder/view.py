"""What each seat sees: the observation, and the state vector for who sees everything.

Both are lists of named blocks, one after the other; blocks that both have are declared and written once, from where the
looker sits (for the state vector, seat 0). Writers fill blocks in rising order, eight bytes at a time, so that the last
word of a block may spill into the next.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, bit, full, has, popcount, put_bits, put_word, put_zeros
from murder_envs.core.contract import NO_SEAT, offset_of, seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.lanes import (
    N_LANES,
    all_lanes,
    both,
    either,
    load,
    minus,
    plus,
    put_lanes,
    where_equal,
    where_less,
    without,
)
from murder_envs.core.tables import Layout
from murder_envs.games.theres_been_a_murder import moves
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS, NO_CARD
from murder_envs.games.theres_been_a_murder.knowledge import depths_of, may_be
from murder_envs.games.theres_been_a_murder.moves import ENDINGS, MAX_SEATS, MAX_SYMBOLS, PHASES
from murder_envs.games.theres_been_a_murder.state import (
    BITS_A,
    BITS_B,
    N_EVENTS,
    N_PLACES,
    PLACE,
    Rules,
    State,
    hand_size,
)

# -- The blocks ---------------------------------------------------------------------------------

_Rows = list[tuple[str, int | tuple[int, ...], int, int, str]]
MOST_TURNS_SHOWN = 127

_HEAD: _Rows = [
    ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
    ("to_act", MAX_SEATS, 0, 1, "seat asked, one-hot; 0s when over"),
    ("turn", MAX_SEATS, 0, 1, "the actor's seat, one-hot"),
    ("first", MAX_SEATS, 0, 1, "first player's seat, one-hot"),
]
_PILE: _Rows = [
    ("discard", N_CARDS, 0, N_CARDS, "0: not in the discard pile, else 1 + cards above it"),
    ("last_action", N_CARDS, 0, 1, "last Action card played, one-hot"),
    ("effect", N_CARDS, 0, 1, "Action card being carried out, one-hot"),
    ("by_monkey", 1, 0, 1, "1: that effect comes from the Monkey"),
    ("targets", MAX_SEATS, 0, 2, "1: first, 2: second chosen target of this effect, by seat"),
]
_SIGNALS: _Rows = [("signals", (MAX_SEATS, MAX_SYMBOLS), 0, 1, "last symbol sent by each seat, one-hot")]
_END: _Rows = [
    ("turns", 1, 0, MOST_TURNS_SHOWN, f"number of this turn, at most {MOST_TURNS_SHOWN}"),
    ("ending", len(ENDINGS) - 1, 0, 1, "how the game ended, one-hot"),
]
_IN_GAME: _Rows = [("in_game", N_CARDS, 0, 1, "card belongs to this game")]
_PLACES_TEXT = "rows: hands 0..7, upper part, lower part, out of the game"
_PUBLIC: _Rows = [("public", (N_PLACES, N_CARDS), 0, 1, f"1: may lie there as far as everybody knows; {_PLACES_TEXT}")]

OBSERVATION = Layout(
    [
        *_HEAD,
        ("seats", MAX_SEATS, 0, 1, "1: seat in use"),
        ("hand", N_CARDS, 0, 1, "own cards"),
        ("hand_sizes", MAX_SEATS, 0, N_CARDS, "number of cards that a seat holds"),
        ("piles", 3, 0, N_CARDS, "number of cards in the deck, in its lower part, removed"),
        *_IN_GAME,
        *_PILE,
        ("placed", MAX_SEATS, 0, 1, "1: seat has placed a card face down in this effect"),
        ("my_card", N_CARDS, 0, 1, "own card placed face down, one-hot"),
        ("possible", (N_PLACES, N_CARDS), 0, 1, f"1: may lie there as far as this seat knows; {_PLACES_TEXT}"),
        *_PUBLIC,
        ("depth", N_CARDS, 0, N_CARDS, "depth in the deck (1: top) if this seat knows it, else 0"),
        ("public_depth", N_CARDS, 0, N_CARDS, "depth in the deck (1: top) if everybody knows it, else 0"),
        *_SIGNALS,
        (
            "events", (N_EVENTS, 4), 0, max(moves.TELLS_ALL, len(moves.EVENTS) - 1),
            f"newest first: kind 1..{len(moves.EVENTS) - 1}, 1 + seat a, 1 + seat b (0: none), argument",
        ),
        *_END,
    ]
)  # fmt: skip
"""All seats are relative to the observer: row 0 is the observer, row k the k-th to the left."""
OBS = OBSERVATION.at
"""Where each block starts."""

WORLD = Layout(
    [
        *_HEAD,
        ("hands", (MAX_SEATS, N_CARDS), 0, 1, "1: the seat holds the card"),
        ("deck", N_CARDS, 0, N_CARDS, "depth in the deck (1: top), 0: not in it"),
        ("lower", 1, 0, N_CARDS, "number of cards in the lower part of the deck"),
        ("removed", N_CARDS, 0, 1, "removed unseen"),
        *_PILE,
        ("chosen", MAX_SEATS, 0, N_CARDS, "card that the seat has placed face down, or 0"),
        *_PUBLIC,
        *_SIGNALS,
        *_END,
        *_IN_GAME,
    ]
)
"""All seats are absolute."""
WORLD_AT = WORLD.at

# -- Writers ------------------------------------------------------------------------------------
# `looker` is the seat from which the others are counted, and `at` the byte where a block begins.


@kernel
def put_cards(row, at, cards):
    """A set of cards as one byte a card."""
    put_bits(row, at, cards >> 1, N_CARDS)


@kernel
def put_card(row, at, card):
    """A card as a one-hot; NO_CARD as zeros."""
    put_cards(row, at, bit(card))


@kernel
def put_depths(row, at, state: State, cards):
    """Depth of each card of a set that lies in the deck, 1 for the top; 0 for all others."""
    put_zeros(row, at, N_CARDS)
    if cards != NONE:
        n = state.deck_n
        for i in range(n):
            card = state.deck[i]
            if has(cards, card):
                row[at + card - 1] = n - i


@kernel
def put_possible(row, at, state: State, rules: Rules, viewer, looker):
    """A viewer's table, hands in the looker's order."""
    n = rules.n_seats
    for offset in range(n):
        put_cards(row, at + N_CARDS * offset, may_be(state, viewer, PLACE.hands + seat_at(rules, looker, offset)))
    put_zeros(row, at + N_CARDS * n, N_CARDS * (MAX_SEATS - n))
    piles = at + N_CARDS * MAX_SEATS
    put_cards(row, piles, may_be(state, viewer, PLACE.upper))
    put_cards(row, piles + N_CARDS, may_be(state, viewer, PLACE.lower))
    put_cards(row, piles + 2 * N_CARDS, may_be(state, viewer, PLACE.out))


@kernel
def put_head(row, state: State, rules: Rules, looker):
    """What is asked of whom; it comes first."""
    put_bits(row, OBS.phase, bit(state.phase), len(PHASES))
    actor = bit(offset_of(rules, state.to_act, looker)) if state.to_act != NO_SEAT else NONE
    put_bits(row, OBS.to_act, actor, MAX_SEATS)
    put_bits(row, OBS.turn, bit(offset_of(rules, state.turn, looker)), MAX_SEATS)
    put_bits(row, OBS.first, bit(offset_of(rules, state.first, looker)), MAX_SEATS)


@kernel
def put_pile(row, at, state: State, rules: Rules, looker):
    """The discard pile and the effect under way: the blocks from `discard` to `targets`, from byte `at` on."""
    put_zeros(row, at, N_CARDS)
    n = state.discard_n
    for i in range(n):
        row[at + state.discard[i] - 1] = n - i
    at -= OBS.discard
    put_card(row, at + OBS.last_action, state.last_action)
    put_card(row, at + OBS.effect, state.effect)
    row[at + OBS.by_monkey] = state.effect != NO_CARD and state.played == CARD.monkey
    put_zeros(row, at + OBS.targets, MAX_SEATS)
    for k in range(2):
        target = state.targets[k]
        if target != NO_SEAT:
            row[at + OBS.targets + offset_of(rules, target, looker)] = k + 1


@kernel
def put_signals(row, at, state: State, rules: Rules, looker):
    """Last symbol of each seat."""
    put_zeros(row, at, MAX_SEATS * MAX_SYMBOLS)
    if rules.n_symbols > 0:
        for offset in range(rules.n_seats):
            symbol = state.signals[seat_at(rules, looker, offset)]
            if symbol != moves.NO_SYMBOL:
                row[at + MAX_SYMBOLS * offset + symbol] = 1


@kernel
def put_end(row, at, state: State):
    """The blocks `turns` and `ending`, from byte `at` on."""
    row[at] = min(state.turns, MOST_TURNS_SHOWN)
    put_bits(row, at + 1, bit(state.ending) >> 1, len(ENDINGS) - 1)


A_SEAT = 0xFF
NOT_SEATS = 0xFF0000FF
"""Of an event, seen as four bytes: its kind and its argument."""


@kernel
def relative(rules: Rules, events, shift, looker):
    """The seats that events store as 1 + seat at a shift, as 1 + relative seat there; 0 (nobody) stays 0.

    Eight events at once: the looker is subtracted, and where that leaves less than 1, the number of seats is added.
    """
    stored = both(events, all_lanes(A_SEAT << shift))
    turned = minus(stored, all_lanes(looker << shift))
    behind = where_less(turned, all_lanes(1 << shift))
    turned = plus(turned, both(behind, all_lanes(rules.n_seats << shift)))
    return without(turned, where_equal(stored, all_lanes(NONE)))


@kernel
def put_events(row, at, state: State, rules: Rules, looker):
    """The last public events, newest first, eight at a time; a row of four bytes an event, as it lies in the state."""
    newest = state.events_at
    for i in range(0, N_EVENTS, N_LANES):
        events = load(state.events[newest + i :])
        seats = either(relative(rules, events, BITS_A, looker), relative(rules, events, BITS_B, looker))
        put_lanes(row, at + 4 * i, either(both(events, all_lanes(NOT_SEATS)), seats))


# -- Observation and state vector ---------------------------------------------------------------


@kernel
def observe(state: State, rules: Rules, seat, row):
    """The seat's observation, int8[OBSERVATION.size] and room for the last word written.

    It depends on what the seat has been shown and on nothing else: the own hand, the own and the public's table, and
    what lies open.
    """
    n = rules.n_seats
    put_head(row, state, rules, seat)
    put_bits(row, OBS.seats, full(n), MAX_SEATS)
    put_cards(row, OBS.hand, state.hand[seat])
    n_held = NONE
    placed = NONE
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        n_held |= np.uint64(hand_size(state, other)) << (8 * offset)
        if state.chosen[other] != NO_CARD:
            placed |= bit(offset)
    put_word(row, OBS.hand_sizes, n_held)
    row[OBS.piles] = state.deck_n
    row[OBS.piles + 1] = state.lower_n
    row[OBS.piles + 2] = popcount(state.removed)
    put_cards(row, OBS.in_game, rules.in_game)
    put_pile(row, OBS.discard, state, rules, seat)
    put_bits(row, OBS.placed, placed, MAX_SEATS)
    put_card(row, OBS.my_card, state.chosen[seat])
    put_possible(row, OBS.possible, state, rules, seat, seat)
    put_possible(row, OBS.public, state, rules, n, seat)
    put_depths(row, OBS.depth, state, depths_of(state, seat))
    put_depths(row, OBS.public_depth, state, depths_of(state, n))
    put_signals(row, OBS.signals, state, rules, seat)
    put_events(row, OBS.events, state, rules, seat)
    put_end(row, OBS.turns, state)


@kernel
def world(state: State, rules: Rules, row):
    """The state vector, int8[WORLD.size] and room for the last word: the whole truth, but for the seats' own tables."""
    put_head(row, state, rules, 0)
    for seat in range(MAX_SEATS):
        put_cards(row, WORLD_AT.hands + N_CARDS * seat, state.hand[seat])
    put_depths(row, WORLD_AT.deck, state, rules.in_game)
    row[WORLD_AT.lower] = state.lower_n
    put_cards(row, WORLD_AT.removed, state.removed)
    put_pile(row, WORLD_AT.discard, state, rules, 0)
    for seat in range(MAX_SEATS):
        row[WORLD_AT.chosen + seat] = state.chosen[seat]
    put_possible(row, WORLD_AT.public, state, rules, rules.n_seats, 0)
    put_signals(row, WORLD_AT.signals, state, rules, 0)
    put_end(row, WORLD_AT.turns, state)
    put_cards(row, WORLD_AT.in_game, rules.in_game)
