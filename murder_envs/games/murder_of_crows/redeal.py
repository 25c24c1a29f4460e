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
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            n_free = fill_hand(state, other, byte_of(to_come, other), byte_of(places, other), n_free)
    bound_draw_pile(state, rules, hands)


@kernel
def fill_hand(state: State, seat, n_left, n_old, n_free):
    """Deal a seat its n_left remaining secret cards off the n_free free ones, its n_old remaining old places first.

    Returns how many free cards are left. Until `bound_draw_pile`, the seat's `deck_max` is what lies at its old places.
    """
    for k in range(n_left):
        if k == n_old:
            note_old_cards(state, seat)
        n_free -= 1
        put_secret(state, seat, state.deck[n_free])
    if n_left <= n_old:
        note_old_cards(state, seat)
    return n_free


@kernel
def note_old_cards(state: State, seat):
    """All secret cards that a seat has so far lie at old places."""
    for i in range(2):
        state.deck_max[seat, i] = state.secret[seat, i]


@kernel
def bound_draw_pile(state: State, rules: Rules, hands):
    """What each of some seats can say of the draw pile after this deal.

    A card is there, or at a place that is not old, as far as this deal goes: of these a seat takes away its own, and it
    can never think of more than it has not seen.
    """
    for i in range(2):
        new = state.hidden[i]
        for seat in range(rules.n_seats):
            if hands & bit(seat) != NONE:
                new -= state.deck_max[seat, i]
        for seat in range(rules.n_seats):
            if hands & bit(seat) != NONE:
                own_new = state.secret[seat, i] - state.deck_max[seat, i]
                state.deck_max[seat, i] = least(new - own_new, state.hidden[i] - state.secret[seat, i])


@kernel
def put_secret(state: State, seat, card):
    """Put a card into the secret part of a hand."""
    state.secret[seat, card >> 3] += one_at(card & 7)
