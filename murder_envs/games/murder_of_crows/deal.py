"""To Start: an empty table, the shuffle, the deal; and the draw pile that is drawn from ever after."""

from __future__ import annotations

from murder_envs.core.bits import NONE
from murder_envs.core.contract import NO_SEAT, ask, seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.records import NOTHING, emptier
from murder_envs.core.rng import below, seed_rng, shuffle
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.counts import n_at, one_at
from murder_envs.games.murder_of_crows.moves import MODE, PHASE
from murder_envs.games.murder_of_crows.state import Rules, State

empty = emptier(State)


@kernel
def clear(state: State, rules: Rules):
    """An empty table with all cards in the box's order in the draw pile; random numbers are seeded afterwards."""
    empty(state)
    state.config_digest = rules.config_digest
    for i in range(2):
        state.hidden[i] = rules.copies[i]
        for seat in range(rules.n_seats):
            state.deck_max[seat, i] = rules.copies[i]
    for i in range(c.MOST_CARDS):
        state.deck[i] = rules.box[i]
    state.deck_n = rules.n_cards
    for seat in range(rules.n_seats):
        state.missing += n_at(seat, rules.n_stacks)


@kernel
def clear_play(state: State):
    """Forget the card in play and all that it asked."""
    state.played = NOTHING
    state.mode = MODE.none
    state.target = NO_SEAT
    state.letter = NOTHING
    state.third_card = NOTHING
    state.prevented = NONE
    state.pending = NONE


@kernel
def set_up(state: State, rules: Rules, seed):
    """To Start: shuffle, deal a hand at a time clockwise from the first player, who gets one card less.

    Who is the most suspicious-looking is chance; in later games the seat to the left of the last winner begins, which
    `info` names as `next_first_player` and a reset takes as the option `first_player`.
    """
    clear(state, rules)
    seed_rng(state, seed)
    first = rules.first_player
    state.first = below(state, rules.n_seats) if first == NO_SEAT else first
    state.current = state.first
    ask(state, PHASE.start, state.first)
    if state.rng_listed == 0:
        shuffle(state, state.deck, 0, rules.n_cards)
    for offset in range(rules.n_seats):
        seat = seat_at(rules, state.first, offset)
        for _ in range(rules.hand_size - (offset == 0)):
            give(state, seat, take_top(state))
    state.drawn = NONE


# -- The draw pile ------------------------------------------------------------------------------
# Shuffled once and then drawn from the top. Where chance is listed (see `core.rng`) it has no order, and each draw
# takes one of its cards at random instead: a draw, not a whole order, is one event of chance. Cards of one type are one
# event: `drawn` tells histories apart, and stands in the snapshot in place of random numbers.


@kernel
def take_top(state: State):
    """Take the top card off a draw pile that is not empty."""
    top = state.deck_n - 1
    if state.rng_listed != 0:
        at = below(state, top + 1)
        card = state.deck[at]
        for i in range(at, top):
            state.deck[i] = state.deck[i + 1]
        state.drawn = state.drawn * (c.N_CARDS + 1) + card + 1
    else:
        card = state.deck[top]
    state.deck_n = top
    return card


@kernel
def give(state: State, seat, card):
    """A card from the draw pile goes to a hand; its drawer alone sees it."""
    one = one_at(card & 7)
    state.secret[seat, card >> 3] += one
    state.deck_max[seat, card >> 3] -= one
    state.n_held += one_at(seat)
