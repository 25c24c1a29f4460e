"""Another world for a seat: determinization.

A *redeal* is a world that a seat cannot tell from the true one: what the seat cannot place is dealt anew, and all that
it sees stays. A search plays on in many such worlds (SO-ISMCTS, MO-ISMCTS, flat Monte Carlo) in place of the true one,
which it may not know.

The cards that the seat has not placed lie in *slots*: a card of another hand, of the removed pile, or of the deck at a
depth that the seat does not know. An arrangement of the cards in the slots is possible if each card lies where the
seat's table allows it, and no hand holds both the Blackmailer and the Detective, which would have gone off. Redeals are
uniform over all possible arrangements.

Not modelled: how likely the others' past choices were in a world, and the joint odds of the two halves of the set-up.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, bit, has, kth, lowest, popcount
from murder_envs.core.jit import inner, kernel
from murder_envs.core.lanes import N_LANES
from murder_envs.core.rng import below, seed_redeal
from murder_envs.core.scratch import scratch_words
from murder_envs.games.theres_been_a_murder import moves
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS, NO_CARD, SET
from murder_envs.games.theres_been_a_murder.deal import part_of
from murder_envs.games.theres_been_a_murder.knowledge import close, depths_of, may_be, places_of
from murder_envs.games.theres_been_a_murder.moves import PHASE, TALK
from murder_envs.games.theres_been_a_murder.state import NO_PLACE, PLACE, Rules, State

SWEEPS = 30
"""Exchanges tried for each slot, enough to mix: no difference from exact odds shows in counts of small positions."""

CARD_NUMBERS = 1 + N_CARDS
"""Cards are numbered from 1."""


@kernel
def redeal(state: State, rules: Rules, seat, seed):
    """A redeal for a seat, in place.

    It has random numbers of its own, since a search would meet the real shuffles to come with those of the true world.
    A card that another seat has placed face down, unseen, is chosen anew out of the hand that the seat has now.
    """
    seed_redeal(state, seed)
    n = list_slots(state, rules, seat)
    if n < 2:
        return
    forget(state, n)
    mix_slots(state, n)
    lay_out_slots(state, seat, n)
    if rules.talk != TALK.open:
        carry_over(state, rules, seat, n)
    if state.phase == PHASE.pass_ or state.phase == PHASE.show:
        for other in range(rules.n_seats):
            if other != seat and state.chosen[other] != NO_CARD:
                cards = moves.givable(state.hand[other])
                state.chosen[other] = kth(cards, below(state, popcount(cards)))
    close(state, rules)


@kernel
def carry_over(state: State, rules: Rules, seat, n):
    """What the other seats know fits the new world: a seat that knew a neighbour's hand still does.

    Where a slot's card changed, what a table says of the old card it says of the new one, within what is public.
    """
    public = rules.n_seats
    for other in range(rules.n_seats):
        if other != seat:
            group, lane = other // N_LANES, other % N_LANES
            state.depth_known[group, lane] = in_new_world(state, depths_of(state, other), n)
            for place in range(places_of(rules)):
                cards = may_be(state, public, place)
                ruled_out = in_new_world(state, cards & ~may_be(state, other, place), n)
                state.possible[group, place, lane] = cards & ~ruled_out


@kernel
def in_new_world(state: State, cards, n):
    """A set of cards with each slot's old card replaced by its new one."""
    new = cards
    for slot in range(n):
        if state.slot_was[slot] != state.slot_card[slot]:
            new &= ~bit(state.slot_was[slot])
    for slot in range(n):
        if state.slot_was[slot] != state.slot_card[slot] and has(cards, state.slot_was[slot]):
            new |= bit(state.slot_card[slot])
    return new


# -- The slots ----------------------------------------------------------------------------------


@kernel
def add_slot(state: State, seat, n, card, place):
    """Enter slot n: a card that may change places, where it lies, and what may lie there for all the seat knows."""
    state.slot_place[n] = place
    state.slot_may[n] = may_be(state, seat, place)
    state.slot_card[n] = card
    state.slot_was[n] = card


@kernel
def list_slots(state: State, rules: Rules, seat):
    """List all cards that the seat has not placed exactly by sight; returns how many slots that makes."""
    n = 0
    for place in range(PLACE.out, places_of(rules)):
        if place != PLACE.hands + seat:
            cards = state.removed if place == PLACE.out else state.hand[place - PLACE.hands]
            while cards != NONE:
                card = lowest(cards)
                add_slot(state, seat, n, card, place)
                cards &= ~bit(card)
                n += 1
    deep = depths_of(state, seat)
    for i in range(state.deck_n):
        if not has(deep, state.deck[i]):
            add_slot(state, seat, n, state.deck[i], part_of(state, i))
            n += 1
    return n


@kernel
def lay_out_slots(state: State, seat, n):
    """Bring hands, removed pile and deck into line with the slots."""
    for slot in range(n):
        place = state.slot_place[slot]
        cards = bit(state.slot_was[slot])
        if place >= PLACE.hands:
            state.hand[place - PLACE.hands] &= ~cards
        elif place == PLACE.out:
            state.removed &= ~cards
    deck_slot = n
    for slot in range(n - 1, -1, -1):
        place = state.slot_place[slot]
        cards = bit(state.slot_card[slot])
        if place >= PLACE.hands:
            state.hand[place - PLACE.hands] |= cards
        elif place == PLACE.out:
            state.removed |= cards
        else:
            deck_slot = slot
    deep = depths_of(state, seat)
    for i in range(state.deck_n):
        if not has(deep, state.deck[i]):
            state.deck[i] = state.slot_card[deck_slot]
            deck_slot += 1


# -- Where to begin -----------------------------------------------------------------------------
# Exchanges out of the true world would leave traces of it, so they begin at an arrangement that does not depend on it.


@kernel
def would_go_off(state: State, n):
    """Do the slots put the Blackmailer and the Detective into one hand?"""
    blackmailer_at = NO_PLACE
    detective_at = NO_PLACE
    for slot in range(n):
        if state.slot_card[slot] == CARD.blackmailer:
            blackmailer_at = state.slot_place[slot]
        elif state.slot_card[slot] == CARD.detective:
            detective_at = state.slot_place[slot]
    return blackmailer_at == detective_at and blackmailer_at >= PLACE.hands


@inner
def may_take(state: State, slot, apart):
    """Cards that a slot may take; with `apart` a place: the Blackmailer only there, and no Detective in its hand."""
    cards = state.slot_may[slot]
    if apart != NO_PLACE:
        if state.slot_place[slot] != apart:
            cards &= ~bit(CARD.blackmailer)
        elif apart >= PLACE.hands:
            cards &= ~bit(CARD.detective)
    return cards


@kernel
def give_way(state: State, slot, cards, left, apart, holder):
    """None of the slots' cards that are left may lie in this one: others before it give way.

    By the shortest chain, a slot gives it its card and takes another, for which a third may have to give way, and so
    on: breadth first over the slots that hold a card which the slot before in the chain may take. Returns which card
    is no longer left; NO_CARD: there is no chain.
    """
    wanted_by = scratch_words(CARD_NUMBERS)  # card -> slot from which the chain came to it
    reached = NONE
    to_visit = NONE
    now = slot
    while True:
        fresh = may_take(state, now, apart) & cards & ~reached
        reached |= fresh
        to_visit |= fresh
        while fresh != NONE:
            card = lowest(fresh)
            wanted_by[card] = now
            fresh &= ~bit(card)
        if reached & left != NONE:
            break
        if to_visit == NONE:
            return NO_CARD
        card = lowest(to_visit)
        now = np.int64(holder[card])
        to_visit &= ~bit(card)
    taken = lowest(reached & left)
    card = taken
    while True:
        taker = np.int64(wanted_by[card])
        given_up = state.slot_card[taker]
        state.slot_card[taker] = card
        holder[card] = taker
        if taker == slot:
            return taken
        card = given_up


@kernel
def line_up(state: State, n, apart):
    """Put the slots' cards into an arrangement that depends on what the seat knows and not on where they were.

    Slot by slot takes its lowest card that is left; if there is none, others give way (a matching with augmenting
    paths). False if there is no arrangement; there is one without `apart`, since the truth is one.
    """
    holder = scratch_words(CARD_NUMBERS)  # card -> slot
    cards = NONE
    for slot in range(n):
        cards |= bit(state.slot_was[slot])
    left = cards
    for slot in range(n):
        free = may_take(state, slot, apart) & left
        card = lowest(free)
        if free == NONE:
            card = give_way(state, slot, cards, left, apart, holder)
            if card == NO_CARD:
                return False
        else:
            state.slot_card[slot] = card
            holder[card] = slot
        left &= ~bit(card)
    return True


@kernel
def forget(state: State, n):
    """Begin at an arrangement that the seat's knowledge alone singles out, with Blackmailer and Detective apart."""
    line_up(state, n, NO_PLACE)
    if would_go_off(state, n):
        place = 0
        while not line_up(state, n, place):
            place += 1  # the Blackmailer lies somewhere, so one of them succeeds


# -- Mixing -------------------------------------------------------------------------------------


@inner
def try_exchange(state: State, i, j, pair, n):
    """Exchange the cards of two slots if the seat's table and the Blackmailer allow it."""
    a = state.slot_card[i]
    b = state.slot_card[j]
    allowed = (state.slot_may[i] >> b) & (state.slot_may[j] >> a) & 1
    change = (a ^ b) * allowed
    state.slot_card[i] = a ^ change
    state.slot_card[j] = b ^ change
    if (bit(a) | bit(b)) & pair != NONE and would_go_off(state, n):
        state.slot_card[i] = a
        state.slot_card[j] = b


@inner
def try_rotation(state: State, i, j, k, pair, n):
    """Rotate the cards of three slots if the seat's table and the Blackmailer allow it."""
    a = state.slot_card[i]
    b = state.slot_card[j]
    c = state.slot_card[k]
    allowed = (state.slot_may[i] >> c) & (state.slot_may[j] >> a) & (state.slot_may[k] >> b) & 1
    if allowed == 0 or i == j or j == k or k == i:
        return
    state.slot_card[i] = c
    state.slot_card[j] = a
    state.slot_card[k] = b
    if (bit(a) | bit(b) | bit(c)) & pair != NONE and would_go_off(state, n):
        state.slot_card[i] = a
        state.slot_card[j] = b
        state.slot_card[k] = c


@kernel
def mix_slots(state: State, n):
    """Exchange two random slots, every fourth time rotate three.

    Slots are drawn independently and equal ones change nothing. So each change is as likely as its reverse, and the
    arrangements tend to the uniform distribution.
    """
    cards = NONE
    for slot in range(n):
        cards |= bit(state.slot_card[slot])
    pair = SET.blackmail if cards & SET.blackmail == SET.blackmail else NONE
    reciprocal = 65536 // n + 1  # drawn // n without a division: exact, since drawn < 24 * 24
    for i in range(SWEEPS * n):
        drawn = below(state, n * n)
        first = (drawn * reciprocal) >> 16
        second = drawn - first * n
        if i & 3 == 3 and n >= 3:
            try_rotation(state, first, second, below(state, n), pair, n)
        else:
            try_exchange(state, first, second, pair, n)
