"""Another world for a seat: determinization.

What the seat cannot see is dealt anew, uniformly up to which unknown cards are from before the latest reshuffle. Not
modelled: what the others' choices say of their hands.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit
from murder_envs.core.contract import others
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, seed_redeal, shuffle
from murder_envs.games.murder_of_crows.counts import byte_of, lay_out, least, n_at, one_at, total
from murder_envs.games.murder_of_crows.knowledge import unknown
from murder_envs.games.murder_of_crows.state import Rules, State


@kernel
def redeal(state: State, rules: Rules, seat, seed):
    """Another world that the seat cannot tell from this one, in place; it looks at what the seat sees and no more.

    What the seat knows: how many cards each hand holds, which of them are known to all, what is unseen (`hidden`
    without its own secret cards), how many copies of each card at most are in the draw pile (`deck_max`), and how many
    secret cards of a hand at most are old ones, from before the latest reshuffle (`old_max`).

    Cards that cannot be in the draw pile go to random places of old cards; all others are shuffled, and fill the
    other hands, a hand's remaining old places first, and then the draw pile.
    """
    seed_redeal(state, seed)
    n_free = lay_out(state.deck, 0, state.deck_max[seat, 0], state.deck_max[seat, 1])
    n = lay_out(
        state.deck,
        n_free,
        state.hidden[0] - state.secret[seat, 0] - state.deck_max[seat, 0],
        state.hidden[1] - state.secret[seat, 1] - state.deck_max[seat, 1],
    )
    hands = others(rules, seat)
    places = state.old_max  # a byte a seat: old places that are still free
    places -= n_at(seat, byte_of(places, seat))
    to_come = NONE  # a byte a seat: places that are still free
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            to_come += n_at(other, unknown(state, other))
            for i in range(2):
                state.secret[other, i] = NONE
    n_places = total(places, NONE)
    for k in range(n_free, n):
        at = below(state, n_places)
        n_places -= 1
        other = 0
        while at >= byte_of(places, other):
            at -= byte_of(places, other)
            other += 1
        places -= one_at(other)
        to_come -= one_at(other)
        put_secret(state, other, state.deck[k])
    shuffle(state, state.deck, 0, n_free)
    sure = NONE  # what is new for certain, as far as this deal goes: the draw pile and all places that are not old
    sure_high = NONE
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            for k in range(byte_of(to_come, other)):
                if k == byte_of(places, other):
                    state.deck_max[other, 0] = state.secret[other, 0]
                    state.deck_max[other, 1] = state.secret[other, 1]
                n_free -= 1
                put_secret(state, other, state.deck[n_free])
            if byte_of(to_come, other) <= byte_of(places, other):
                state.deck_max[other, 0] = state.secret[other, 0]
                state.deck_max[other, 1] = state.secret[other, 1]
            # deck_max holds the cards at old places for now
            sure -= state.deck_max[other, 0]
            sure_high -= state.deck_max[other, 1]
    sure += state.hidden[0]
    sure_high += state.hidden[1]
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            mine = state.secret[other, 0] - state.deck_max[other, 0]
            mine_high = state.secret[other, 1] - state.deck_max[other, 1]
            state.deck_max[other, 0] = least(sure - mine, state.hidden[0] - state.secret[other, 0])
            state.deck_max[other, 1] = least(sure_high - mine_high, state.hidden[1] - state.secret[other, 1])


@kernel
def put_secret(state: State, seat, card):
    """Put a card into the secret part of a hand."""
    state.secret[seat, card >> 3] += one_at(card & 7)
