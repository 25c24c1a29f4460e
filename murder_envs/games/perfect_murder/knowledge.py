"""Who knows what of cards.

The detective knows his hand, what was discarded, and what was stolen from him. The murderer knows what is out of the
game, and of the other cards those in `known`: put back by a removal, drawn for a request (handed over or kept back),
the rest of a hand that was stolen from, the hand's cards of a kind whose pile he has searched. A card stays known when
it is drawn; the places in a pile are lost when that pile is shuffled. The effects write `known`; here it is read.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, popcount
from murder_envs.core.jit import kernel
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.deal import CARD_BITS, fields_of, first_cards, in_piles, top_of
from murder_envs.games.perfect_murder.moves import PHASE
from murder_envs.games.perfect_murder.state import Rules, State


@kernel
def known_cards(state: State, rules: Rules):
    """The cards whose place the murderer knows: those he has seen, closed under elimination, kind by kind.

    If he knows the whole pile, he knows the hand; if only one card of both is missing, he knows that too.
    """
    known = state.known
    piled = in_piles(state, rules)
    for kind in range(2):
        fields = fields_of(rules, kind)
        if piled & fields & ~known == NONE:
            known |= state.hand & fields
        unknown = (piled | state.hand) & fields & ~known
        if popcount(unknown) == 1:
            known |= unknown
    return known


@kernel
def looked_at(state: State, rules: Rules):
    """The cards that the murderer is looking at."""
    phase = state.phase
    if phase == PHASE.remove_pick or phase == PHASE.remove_top or phase == PHASE.request_keep:
        return top_of(state, rules, state.pile - 1)
    if phase == PHASE.search_card:
        return in_piles(state, rules) & fields_of(rules, state.pile - 1)
    if phase == PHASE.steal:
        return state.hand
    return NONE


@kernel
def bottom_room_cards(state: State):
    """The room cards at the bottom of their pile that both have seen: they were laid open and put under it."""
    unseen = state.pile_n[c.ROOM] - state.known_rooms
    return first_cards(state.piles[c.ROOM] >> CARD_BITS * unseen, state.known_rooms)
