"""Who knows what: what a seat, and the public, can say of where each card lies.

A viewer's table says for each place which cards may lie there, as far as the viewer was shown. There is one
a seat, and one for the *public*, an onlooker who sees what everybody sees (viewer number `rules.n_seats`). Two things
hold at all times: the truth is in every table, and no seat's table allows what the public's excludes. Besides,
`depth_known` holds the deck cards whose exact place a viewer knows. Cards in the discard pile are in no table. Tables
of places, not whole histories: nearly all that a careful player writes down, in a few hundred bytes.

`events.py` says how a table changes with what its viewer sees; after that, `close` draws the conclusions.

All viewers of a group are worked on at once, each in a lane of its own (see `core.lanes`).
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, has, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.lanes import (
    LANE,
    N_LANES,
    all_lanes,
    anything,
    both,
    choose,
    differ,
    either,
    load,
    sizes,
    store,
    where_equal,
    without,
)
from murder_envs.games.theres_been_a_murder.cards import CARD
from murder_envs.games.theres_been_a_murder.deal import part_of_deck
from murder_envs.games.theres_been_a_murder.moves import TALK
from murder_envs.games.theres_been_a_murder.state import NO_PLACE, PLACE, Rules, State, hand_size

# -- Tables -------------------------------------------------------------------------------------


@kernel
def places_of(rules: Rules):
    """How many places there are at this table."""
    return PLACE.hands + rules.n_seats


@kernel
def groups_of(rules: Rules):
    """How many groups of lanes the viewers of this table fill: all seats and the public."""
    return (rules.n_seats + N_LANES) // N_LANES


@kernel
def lane_of(viewer, group):
    """Everything in a viewer's lane of a group, nothing in the others."""
    return load(LANE[viewer % N_LANES]) if viewer // N_LANES == group else all_lanes(NONE)


@kernel
def may_be(state: State, viewer, place):
    """Set of cards that may lie at a place, as far as a viewer knows."""
    return state.possible[viewer // N_LANES, place, viewer % N_LANES]


@kernel
def depths_of(state: State, viewer):
    """Set of deck cards whose exact place a viewer knows."""
    return state.depth_known[viewer // N_LANES, viewer % N_LANES]


# -- The conclusions ----------------------------------------------------------------------------


@kernel
def close(state: State, rules: Rules):
    """After an event: bring every table up to what follows from it."""
    drunk_at = measure(state, rules)
    n = groups_of(rules)
    for group in range(n):
        pin(state, rules, group, drunk_at)
    if rules.talk == TALK.open:
        pool(state, rules)
        for group in range(n):
            pin(state, rules, group, drunk_at)
    for group in range(n):
        conclude(state, rules, group)


@kernel
def measure(state: State, rules: Rules):
    """Count the cards at each place, into `place_size`; returns the place of the hand with the Drunk, or NO_PLACE."""
    drunk_at = NO_PLACE
    for seat in range(rules.n_seats):
        state.place_size[PLACE.hands + seat] = hand_size(state, seat)
        if has(state.hand[seat], CARD.drunk):
            drunk_at = PLACE.hands + seat
    state.place_size[PLACE.lower] = state.lower_n
    state.place_size[PLACE.upper] = state.deck_n - state.lower_n
    state.place_size[PLACE.out] = popcount(state.removed)
    return drunk_at


@kernel
def pin(state: State, rules: Rules, group, drunk_at):
    """What needs no reasoning: the own hand, the Drunk's place in a hand or none, empty places, known depths.

    All see which hand holds the Drunk, since its holder announces it (8. The Drunk), and so that none does.
    """
    own = load(state.hand) if group == 0 else all_lanes(NONE)
    deep = load(state.depth_known[group])
    drunk = all_lanes(bit(CARD.drunk))
    placed = either(own, deep)
    not_in_hands = either(placed, drunk)
    not_in_piles = not_in_hands if drunk_at != NO_PLACE else placed
    for place in range(PLACE.hands):
        cards = without(load(state.possible[group, place]), not_in_piles)
        store(state.possible[group, place], cards if state.place_size[place] > 0 else all_lanes(NONE))
    for seat in range(rules.n_seats):
        place = PLACE.hands + seat
        cards = without(load(state.possible[group, place]), not_in_hands)
        if state.place_size[place] == 0:
            cards = all_lanes(NONE)
        elif place == drunk_at:
            cards = either(cards, drunk)
        store(state.possible[group, place], choose(lane_of(seat, group), own, cards))
    if anything(deep):
        low = all_lanes(part_of_deck(state, 0, state.lower_n))
        gain(state, group, both(deep, low), PLACE.lower)
        gain(state, group, without(deep, low), PLACE.upper)


@kernel
def conclude(state: State, rules: Rules, group):
    """Repeat until nothing changes: a place with as many candidates as cards holds exactly these; a place whose sure
    cards (possible nowhere else) are as many as its size holds nothing else."""
    n = places_of(rules)
    nothing = all_lanes(NONE)
    changed = True
    while changed:
        once = nothing  # cards that are possible at one place or more, and at two or more
        twice = nothing
        exact = nothing  # cards of the places with as many candidates as cards
        for place in range(n):
            cards = load(state.possible[group, place])
            size = all_lanes(state.place_size[place])
            twice = either(twice, both(once, cards))
            once = either(once, cards)
            exact = either(exact, both(cards, where_equal(sizes(cards), size)))
        sure = without(once, either(twice, exact))
        if not anything(either(both(exact, twice), sure)):
            return
        changes = nothing
        for place in range(n):
            cards = load(state.possible[group, place])
            size = all_lanes(state.place_size[place])
            left = without(cards, exact)  # nothing where this place is exact itself
            sure_here = both(left, sure)
            concluded = choose(where_equal(sizes(sure_here), size), sure_here, left)
            concluded = choose(where_equal(left, nothing), cards, concluded)
            changes = either(changes, differ(cards, concluded))
            store(state.possible[group, place], concluded)
        changed = anything(changes)


@kernel
def pool(state: State, rules: Rules):
    """No Talking!, where all agree to relax it: with open talk, what one knows all know."""
    n = rules.n_seats
    deep = NONE
    for viewer in range(n + 1):
        deep |= depths_of(state, viewer)
    for place in range(places_of(rules)):
        cards = may_be(state, n, place)
        for viewer in range(n):
            cards &= may_be(state, viewer, place)
        for group in range(groups_of(rules)):
            store(state.possible[group, place], all_lanes(cards))
    for group in range(groups_of(rules)):
        store(state.depth_known[group], all_lanes(deep))


# -- Learning -----------------------------------------------------------------------------------


@kernel
def learn(state: State, rules: Rules, group, cards, place):
    """Each viewer of a group learns of its own cards that they are at a place, and nowhere else."""
    for other in range(places_of(rules)):
        store(state.possible[group, other], without(load(state.possible[group, other]), cards))
    gain(state, group, cards, place)


@kernel
def gain(state: State, group, cards, place):
    """For each viewer of a group, its own cards may now be at a place too."""
    store(state.possible[group, place], either(load(state.possible[group, place]), cards))


@kernel
def one_knows(state: State, rules: Rules, viewer, card, place):
    """A single viewer learns where a card is."""
    group, lane = viewer // N_LANES, viewer % N_LANES
    for other in range(places_of(rules)):
        state.possible[group, other, lane] &= ~bit(card)
    state.possible[group, place, lane] |= bit(card)


@kernel
def one_strikes(state: State, viewer, card, place):
    """A single viewer learns that a card is not at a place."""
    state.possible[viewer // N_LANES, place, viewer % N_LANES] &= ~bit(card)


@kernel
def all_know(state: State, rules: Rules, card, place):
    """Everybody learns where a card is."""
    for group in range(groups_of(rules)):
        learn(state, rules, group, all_lanes(bit(card)), place)


@kernel
def strike(state: State, rules: Rules, cards, place):
    """Everybody learns that none of some cards is at a place."""
    for group in range(groups_of(rules)):
        store(state.possible[group, place], without(load(state.possible[group, place]), all_lanes(cards)))


@kernel
def laid_open(state: State, rules: Rules, card):
    """A card is in the discard pile now: in no table any more."""
    this = all_lanes(bit(card))
    for group in range(groups_of(rules)):
        store(state.depth_known[group], without(load(state.depth_known[group]), this))
        for place in range(places_of(rules)):
            store(state.possible[group, place], without(load(state.possible[group, place]), this))


@kernel
def lose_line(state: State, rules: Rules):
    """What may be in the lower part may now be anywhere in the deck."""
    for group in range(groups_of(rules)):
        gain(state, group, load(state.possible[group, PLACE.lower]), PLACE.upper)
        store(state.possible[group, PLACE.lower], all_lanes(NONE))
