"""Set Up: the deck in its two parts, the deal; and taking the top card, which goes on all game."""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, has
from murder_envs.core.contract import NO_SEAT, seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.records import emptier
from murder_envs.core.rng import below, seed_rng, shuffle
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS, NO_CARD
from murder_envs.games.theres_been_a_murder.state import PLACE, Rules, State

empty = emptier(State)


@kernel
def clear(state: State, rules: Rules, seed):
    """An empty table with random numbers from a seed."""
    empty(state)
    state.config_digest = rules.config_digest
    seed_rng(state, seed)


@kernel
def set_up(state: State, rules: Rules, seed):
    """Set Up: build the deck and deal two cards each; what the seats know and what cards do comes later.

    The deck is built with its top last: the lower part with the Detective, then the upper part with the Murderer. The
    rulebook splits the deck in about half; here an odd card lies above (Ruling), so that what the parts tell is exact.
    Cards are dealt one at a time (Ruling), so at a full table the last seats get cards of the lower part.
    """
    clear(state, rules, seed)
    n = 0
    for card in range(CARD.detective + 1, N_CARDS + 1):
        if has(rules.in_game, card):
            state.discard[n] = card  # the discard pile's room, to shuffle in
            n += 1
    shuffle(state, state.discard, 0, n)
    n_removed = rules.n_removed
    for i in range(n_removed):
        state.removed |= bit(state.discard[i])
    kept = n - n_removed
    lower = kept // 2
    for i in range(kept):
        at = i if i < lower else i + 1  # a gap above the lower part, for the Detective to be shuffled into it
        state.deck[at] = state.discard[n_removed + i]
    for i in range(n):
        state.discard[i] = NO_CARD
    put_in_part(state, CARD.detective, 0, lower)
    put_in_part(state, CARD.murderer, lower + 1, kept - lower)
    state.lower_n = lower + 1
    state.deck_n = kept + 2
    first = rules.first_player
    state.first = below(state, rules.n_seats) if first == NO_SEAT else first
    state.turn = state.first
    for i in range(2 * rules.n_seats):
        seat = seat_at(rules, state.first, i % rules.n_seats)
        state.hand[seat] |= bit(take_top(state))


@kernel
def put_in_part(state: State, card, start, n):
    """Shuffle a card into the n cards at state.deck[start:], which move up for it."""
    at = start + below(state, n + 1)
    for i in range(start + n, at, -1):
        state.deck[i] = state.deck[i - 1]
    state.deck[at] = card


@kernel
def take_top(state: State):
    """Take the top card off the deck."""
    top = state.deck_n - 1
    card = state.deck[top]
    state.deck[top] = NO_CARD
    state.deck_n = top
    state.lower_n = min(state.lower_n, top)
    return card


@kernel
def part_of(state: State, i):
    """The part of the deck in which its i-th card from the bottom lies."""
    return PLACE.lower if i < state.lower_n else PLACE.upper


@kernel
def part_of_deck(state: State, start, stop):
    """Set of the cards at state.deck[start:stop]."""
    cards = NONE
    for i in range(start, stop):
        cards |= bit(state.deck[i])
    return cards
