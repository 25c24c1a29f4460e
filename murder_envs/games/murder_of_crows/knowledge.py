"""Who knows what: what a seat learns when cards are shown, played, flipped or reshuffled.

A hand is kept in two parts: what everybody knows to be in it (`known`), and the rest, seen by its holder alone
(`secret`). `hidden` is what is open to nobody: the draw pile and the secret parts of all hands. So a seat cannot place
`hidden` without its own secret part (`unseen`); of that, `deck_max` says how many at most lie in the draw pile.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE
from murder_envs.core.jit import kernel
from murder_envs.games.murder_of_crows.counts import byte_of, least, n_at, one_at, total
from murder_envs.games.murder_of_crows.state import Rules, State


@kernel
def unknown(state: State, seat):
    """How many cards of a hand are not known to all."""
    return total(state.secret[seat, 0], state.secret[seat, 1])


@kernel
def laid_open(state: State, rules: Rules, seat, low, high):
    """Secret cards of a hand are seen by all: they become known there, or leave the hand.

    If the seat has no older cards, they came from the present draw pile, and there are so many fewer left in it. With
    older ones among its secret cards nobody can tell which these were, so each bound is only lowered to the
    number of copies that are still unseen.
    """
    state.secret[seat, 0] -= low
    state.secret[seat, 1] -= high
    state.hidden[0] -= low
    state.hidden[1] -= high
    old = byte_of(state.old_max, seat)
    if old == 0:
        for other in range(rules.n_seats):
            if other != seat:
                state.deck_max[other, 0] -= low
                state.deck_max[other, 1] -= high
        return
    for other in range(rules.n_seats):
        if other != seat:
            for i in range(2):
                unseen = state.hidden[i] - state.secret[other, i]
                state.deck_max[other, i] = least(state.deck_max[other, i], unseen)
    left = unknown(state, seat)
    if left < old:
        state.old_max -= n_at(seat, old - left)


@kernel
def reveal(state: State, rules: Rules, seat):
    """A whole hand is shown to all."""
    low = state.secret[seat, 0]
    high = state.secret[seat, 1]
    state.known[seat, 0] += low
    state.known[seat, 1] += high
    laid_open(state, rules, seat, low, high)


@kernel
def leave_hand(state: State, rules: Rules, seat, card):
    """A card leaves a hand, seen by all. If a copy is known to be there, that one leaves."""
    half = card >> 3
    one = one_at(card & 7)
    state.n_held -= one_at(seat)
    if byte_of(state.known[seat, half], card & 7) > 0:
        state.known[seat, half] -= one
    elif half == 0:
        laid_open(state, rules, seat, one, NONE)
    else:
        laid_open(state, rules, seat, NONE, one)


@kernel
def enter_hand(state: State, seat, card):
    """A card that all have seen goes to a hand."""
    state.known[seat, card >> 3] += one_at(card & 7)
    state.n_held += one_at(seat)


@kernel
def saw_flip(state: State, rules: Rules, card):
    """The top of the draw pile was turned over."""
    half = card >> 3
    one = one_at(card & 7)
    state.hidden[half] -= one
    for seat in range(rules.n_seats):
        state.deck_max[seat, half] -= one


@kernel
def saw_reshuffle(state: State, rules: Rules):
    """The discards have become the draw pile: all know what is in it, and secret cards are old now."""
    state.old_max = NONE
    for seat in range(rules.n_seats):
        state.old_max += n_at(seat, unknown(state, seat))
        for i in range(2):
            state.deck_max[seat, i] = state.discard[i]
    for i in range(2):
        state.hidden[i] += state.discard[i]
