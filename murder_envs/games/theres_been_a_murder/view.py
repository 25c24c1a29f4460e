"""Who sees what: the knowledge tables, the observation, another world for a seat, the state vector.

A table says, for each place, which cards may lie there as far as its viewer was shown: one table a seat, and one for
the *public*, an onlooker who sees what everybody sees (viewer number `rules.n_seats`). The truth is always in every
table. `depth_known` holds the deck cards whose exact place the viewer knows. Tables change only through this file:
first the events, each in terms of the tables from before it, then `close`, which draws the conclusions.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, has, kth, lowest, popcount, put_bits, put_word, put_zeros
from murder_envs.core.jit import inner, kernel
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
    minus,
    plus,
    put_lanes,
    sizes,
    store,
    where_equal,
    where_less,
    without,
)
from murder_envs.core.rng import below, seed_redeal
from murder_envs.core.scratch import scratch_words
from murder_envs.core.tables import Layout
from murder_envs.games.theres_been_a_murder.cards import (
    ABOVE_IMPOSTER,
    ARISTOCRAT_BIT,
    BLACKMAIL_PAIR,
    BLACKMAILER,
    DETECTIVE,
    DETECTIVE_BIT,
    DRUNK,
    DRUNK_BIT,
    IMPOSTER,
    MONKEY,
    MONKEY_BIT,
    MURDERER_BIT,
    N_CARDS,
    NO_CARD,
    NONE,
    STRANGER,
    STRANGER_BIT,
)
from murder_envs.games.theres_been_a_murder.deal import (
    HANDS,
    LOWER,
    N_EVENTS,
    N_PLACES,
    OUT,
    UPPER,
    place_of_top,
)
from murder_envs.games.theres_been_a_murder.moves import (
    ENDINGS,
    MAX_SEATS,
    MAX_SYMBOLS,
    NO_SEAT,
    PASS,
    PHASES,
    SHOW,
    TALK_OPEN,
    givable,
    hand_size,
    offset_of,
    seat_at,
    taker_of,
)

# -- Knowledge: the conclusions -----------------------------------------------------------------


@kernel
def places_of(rules):
    """How many places there are at this table."""
    return HANDS + rules.n_seats


@kernel
def groups_of(rules):
    """How many groups of lanes the viewers of this table fill: all seats and the public."""
    return (rules.n_seats + N_LANES) // N_LANES


@kernel
def lane_of(viewer, group):
    """Everything in a viewer's lane of a group, nothing in the others."""
    return load(LANE[viewer % N_LANES]) if viewer // N_LANES == group else all_lanes(NONE)


@kernel
def may_be(state, viewer, place):
    """Set of cards that may lie at a place, as far as a viewer knows."""
    return np.uint64(state.possible[viewer // N_LANES, place, viewer % N_LANES])


@kernel
def depths_of(state, viewer):
    """Set of deck cards whose exact place a viewer knows."""
    return np.uint64(state.depth_known[viewer // N_LANES, viewer % N_LANES])


@kernel
def measure(state, rules):
    """Count the cards at each place, into `place_size`; returns the place of the Drunk's hand, or -1."""
    drunk_at = -1
    for seat in range(rules.n_seats):
        state.place_size[HANDS + seat] = hand_size(state, seat)
        if has(state.hand[seat], DRUNK):
            drunk_at = HANDS + seat
    state.place_size[LOWER] = state.lower_n
    state.place_size[UPPER] = np.int64(state.deck_n) - np.int64(state.lower_n)
    state.place_size[OUT] = popcount(state.removed)
    return drunk_at


@kernel
def part_of_deck(state, start, stop):
    """Set of the cards at state.deck[start:stop]."""
    cards = NONE
    for i in range(start, stop):
        cards |= bit(state.deck[i])
    return cards


@kernel
def pin(state, rules, group, drunk_at):
    """What needs no reasoning: the own hand, the Drunk's place in a hand or none, empty places, known depths."""
    own = load(state.hand) if group == 0 else all_lanes(NONE)
    deep = load(state.depth_known[group])
    drunk = all_lanes(DRUNK_BIT)
    placed = either(own, deep)
    not_in_hands = either(placed, drunk)
    not_in_piles = not_in_hands if drunk_at >= 0 else placed
    for place in range(HANDS):
        cards = without(load(state.possible[group, place]), not_in_piles)
        store(state.possible[group, place], cards if state.place_size[place] > 0 else all_lanes(NONE))
    for seat in range(rules.n_seats):
        place = HANDS + seat
        cards = without(load(state.possible[group, place]), not_in_hands)
        if state.place_size[place] == 0:
            cards = all_lanes(NONE)
        elif place == drunk_at:
            cards = either(cards, drunk)
        store(state.possible[group, place], choose(lane_of(seat, group), own, cards))
    if anything(deep):
        low = all_lanes(part_of_deck(state, 0, np.int64(state.lower_n)))
        store(state.possible[group, LOWER], either(load(state.possible[group, LOWER]), both(deep, low)))
        store(state.possible[group, UPPER], either(load(state.possible[group, UPPER]), without(deep, low)))


@kernel
def conclude(state, rules, group):
    """Repeat until nothing changes: a place with as many candidates as cards holds exactly these; a place whose sure
    cards (possible nowhere else) are as many as its size holds nothing else."""
    n = places_of(rules)
    nothing = all_lanes(NONE)
    changed = True
    while changed:
        once = nothing
        twice = nothing
        exact = nothing
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
def pool(state, rules):
    """The open table: what one knows, all know."""
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


@kernel
def close(state, rules):
    """After an event: bring every table up to what follows from it."""
    drunk_at = measure(state, rules)
    n = groups_of(rules)
    for group in range(n):
        pin(state, rules, group, drunk_at)
    if rules.talk == TALK_OPEN:
        pool(state, rules)
        for group in range(n):
            pin(state, rules, group, drunk_at)
    for group in range(n):
        conclude(state, rules, group)


# -- Knowledge: the events ----------------------------------------------------------------------


@kernel
def knows(state, rules, viewer, card, place):
    """A viewer learns where a card is: there and nowhere else."""
    group, lane = viewer // N_LANES, viewer % N_LANES
    for other in range(places_of(rules)):
        state.possible[group, other, lane] &= ~bit(card)
    state.possible[group, place, lane] |= bit(card)


@kernel
def learn(state, rules, group, cards, place):
    """Each viewer of a group learns of its own cards that they are at a place, and nowhere else."""
    for other in range(places_of(rules)):
        store(state.possible[group, other], without(load(state.possible[group, other]), cards))
    store(state.possible[group, place], either(load(state.possible[group, place]), cards))


@kernel
def gain(state, group, cards, place):
    """For each viewer of a group, its own cards may now be at a place too."""
    store(state.possible[group, place], either(load(state.possible[group, place]), cards))


@kernel
def all_know(state, rules, card, place):
    """Everybody learns where a card is."""
    for group in range(groups_of(rules)):
        learn(state, rules, group, all_lanes(bit(card)), place)


@kernel
def strike(state, rules, cards, place):
    """Everybody learns that none of some cards is at a place."""
    for group in range(groups_of(rules)):
        store(state.possible[group, place], without(load(state.possible[group, place]), all_lanes(cards)))


@kernel
def laid_open(state, rules, card):
    """A card is in the discard pile now: in no table any more."""
    it = all_lanes(bit(card))
    for group in range(groups_of(rules)):
        store(state.depth_known[group], without(load(state.depth_known[group]), it))
        for place in range(places_of(rules)):
            store(state.possible[group, place], without(load(state.possible[group, place]), it))


@kernel
def know_the_deal(state, rules):
    """Set Up: the Murderer was shuffled into the upper part, the Detective into the lower, neither was removed."""
    n_kept = rules.n_cards - 2 - rules.n_removed
    n_upper = n_kept - n_kept // 2 + 1
    others = rules.in_game & ~(MURDERER_BIT | DETECTIVE_BIT)
    for place in range(places_of(rules)):
        cards = others
        if place == UPPER:
            cards |= MURDERER_BIT
        elif place == LOWER:
            cards |= DETECTIVE_BIT
        elif place >= HANDS:
            offset = offset_of(rules, place - HANDS, np.int64(state.first))
            for i in range(offset, 2 * rules.n_seats, rules.n_seats):
                cards |= MURDERER_BIT if i < n_upper else DETECTIVE_BIT
        for group in range(groups_of(rules)):
            store(state.possible[group, place], all_lanes(cards))


@kernel
def who_sees(group, a, b, card):
    """Lanes of the viewers who see a card that goes from a to b: these two, and everybody if it is the Drunk."""
    return all_lanes(~NONE) if card == DRUNK else either(lane_of(a, group), lane_of(b, group))


@kernel
def saw_draw(state, rules, seat):
    """A seat takes the top card: the seat sees it, all see the Drunk, others see a back."""
    card = np.int64(state.deck[np.int64(state.deck_n) - 1])
    it = all_lanes(bit(card))
    part = place_of_top(state)
    for group in range(groups_of(rules)):
        deep = load(state.depth_known[group])
        sees = either(who_sees(group, seat, seat, card), where_equal(both(deep, it), it))
        drawn = without(load(state.possible[group, part]), either(deep, all_lanes(DRUNK_BIT)))
        gain(state, group, without(drawn, sees), HANDS + seat)
        learn(state, rules, group, both(it, sees), HANDS + seat)
        store(state.depth_known[group], without(deep, it))


@kernel
def saw_play(state, rules, seat, card):
    """A card is played from a hand: what would have to be played before it is not there."""
    gone = NONE
    if card != MONKEY:
        gone |= MONKEY_BIT
        if card != DRUNK:
            gone |= ARISTOCRAT_BIT
    if card == IMPOSTER:
        gone |= ABOVE_IMPOSTER
    laid_open(state, rules, card)
    strike(state, rules, gone, HANDS + seat)


@kernel
def saw_discard(state, rules, seat, card):
    """A seat chooses this card to discard: had it the Stranger, it would be that."""
    laid_open(state, rules, card)
    if card != STRANGER:
        strike(state, rules, STRANGER_BIT, HANDS + seat)


@kernel
def certain(state, rules, group, card, place):
    """Lanes of the viewers who are certain that a card is at a place."""
    elsewhere = all_lanes(NONE)
    for other in range(places_of(rules)):
        if other != place:
            elsewhere = either(elsewhere, load(state.possible[group, other]))
    it = all_lanes(bit(card))
    return where_equal(both(without(load(state.possible[group, place]), elsewhere), it), it)


@kernel
def by_choice(state, group, seat):
    """Cards other than the Drunk that may be among those a seat chooses from, the Murderer only if it is alone."""
    never = DRUNK_BIT | MURDERER_BIT if hand_size(state, seat) >= 2 else DRUNK_BIT
    return without(load(state.possible[group, HANDS + seat]), all_lanes(never))


@kernel
def saw_passes(state, rules):
    """The chosen cards move, all at once, while the hands still are as before.

    Both ends of a pass see the card, and all see the Drunk. For other viewers the candidates are the Stranger alone
    where it is certain in that hand, else what the giver may choose. All candidates come from the tables of before,
    so they are found for all givers first; then the Stranger is struck from the hands that gave (whatever was chosen,
    it is not among the cards kept); only then do the takers' hands gain. A single candidate is known to have moved.
    """
    stranger = all_lanes(STRANGER_BIT)
    for group in range(groups_of(rules)):
        for giver in range(rules.n_seats):
            card = np.int64(state.chosen[giver])
            if card != NO_CARD:
                unseen = choose(
                    certain(state, rules, group, STRANGER, HANDS + giver), stranger, by_choice(state, group, giver)
                )
                sees = who_sees(group, giver, taker_of(state, rules, giver), card)
                store(state.candidates[giver], choose(sees, all_lanes(bit(card)), unseen))
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                place = HANDS + giver
                store(state.possible[group, place], without(load(state.possible[group, place]), stranger))
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                gain(state, group, load(state.candidates[giver]), HANDS + taker_of(state, rules, giver))
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                cards = only_one(load(state.candidates[giver]))
                learn(state, rules, group, cards, HANDS + taker_of(state, rules, giver))


@kernel
def only_one(cards):
    """The sets of exactly one card; nothing in the other lanes."""
    return both(cards, where_equal(sizes(cards), all_lanes(np.uint64(1))))


@kernel
def saw_random_pass(state, rules, giver, taker, card):
    """The Swain: a card is taken at random; both ends see it, and all see the Drunk."""
    for group in range(groups_of(rules)):
        sees = who_sees(group, giver, taker, card)
        unseen = without(load(state.possible[group, HANDS + giver]), all_lanes(DRUNK_BIT))
        gain(state, group, without(unseen, sees), HANDS + taker)
        learn(state, rules, group, both(all_lanes(bit(card)), sees), HANDS + taker)


@kernel
def saw_show(state, rules, viewer, shower, card):
    """The Maid: a viewer is shown a card of the shower's choice."""
    knows(state, rules, viewer, card, HANDS + shower)
    if card != STRANGER:
        state.possible[viewer // N_LANES, HANDS + shower, viewer % N_LANES] &= ~STRANGER_BIT


@kernel
def lose_line(state, rules):
    """What may be in the lower part may now be anywhere in the deck."""
    for group in range(groups_of(rules)):
        gain(state, group, load(state.possible[group, LOWER]), UPPER)
        store(state.possible[group, LOWER], all_lanes(NONE))


@kernel
def saw_shuffle(state, rules):
    """The deck is shuffled: the line between its parts and all depths are lost."""
    lose_line(state, rules)
    for group in range(groups_of(rules)):
        store(state.depth_known[group], all_lanes(NONE))


@kernel
def saw_bury(state, rules, seat, card):
    """The Nun: a seat puts a card of its choice under the deck, while the hand still is as before."""
    part = LOWER if state.lower_n > 0 else UPPER
    for group in range(groups_of(rules)):
        sees = who_sees(group, seat, seat, card)
        candidates = choose(sees, all_lanes(bit(card)), by_choice(state, group, seat))
        known = only_one(candidates)
        gain(state, group, candidates, part)
        learn(state, rules, group, known, part)
        store(state.depth_known[group], either(load(state.depth_known[group]), known))


@kernel
def saw_look(state, viewer, start, stop):
    """A viewer looks at state.deck[start:stop]."""
    state.depth_known[viewer // N_LANES, viewer % N_LANES] |= part_of_deck(state, start, stop)


@kernel
def saw_top(state, rules):
    """The Butler: the top card is announced to all."""
    top = all_lanes(bit(state.deck[np.int64(state.deck_n) - 1]))
    for group in range(groups_of(rules)):
        store(state.depth_known[group], either(load(state.depth_known[group]), top))


@kernel
def saw_pick(state, rules, seat, card, n_looked):
    """The Driver: a seat keeps one of the top cards, while the deck still is as before.

    For other viewers it is one of these: the card itself where they knew its depth, else what may lie in its part.
    """
    top = np.int64(state.deck_n) - 1
    for group in range(groups_of(rules)):
        deep = load(state.depth_known[group])
        unseen = all_lanes(NONE)
        for i in range(top - n_looked + 1, top + 1):
            it = all_lanes(bit(state.deck[i]))
            part = UPPER if i >= state.lower_n else LOWER
            may = without(load(state.possible[group, part]), deep)
            unseen = either(unseen, choose(where_equal(both(deep, it), it), it, may))
        sees = who_sees(group, seat, seat, card)
        gain(state, group, without(unseen, either(sees, all_lanes(DRUNK_BIT))), HANDS + seat)
        learn(state, rules, group, both(all_lanes(bit(card)), sees), HANDS + seat)


@kernel
def saw_answer(state, rules, viewer, card, raiser):
    """The Hound: a viewer alone learns which other seat holds a card, or that none does (NO_SEAT)."""
    if raiser != NO_SEAT:
        knows(state, rules, viewer, card, HANDS + raiser)
        return
    for seat in range(rules.n_seats):
        if seat != viewer:
            state.possible[viewer // N_LANES, HANDS + seat, viewer % N_LANES] &= ~bit(card)


@kernel
def tellable(state, rules, teller):
    """Cards of which a seat knows more than the public: a place excluded, or a depth."""
    public = rules.n_seats
    cards = depths_of(state, teller) & ~depths_of(state, public)
    for place in range(places_of(rules)):
        cards |= may_be(state, public, place) & ~may_be(state, teller, place)
    return cards


@kernel
def saw_tell(state, rules, teller, cards):
    """The Drunk's holder tells all it knows about where some cards are."""
    deep = all_lanes(depths_of(state, teller) & cards)
    for place in range(places_of(rules)):
        told = all_lanes(may_be(state, teller, place) | ~cards)
        for group in range(groups_of(rules)):
            store(state.possible[group, place], both(load(state.possible[group, place]), told))
    for group in range(groups_of(rules)):
        store(state.depth_known[group], either(load(state.depth_known[group]), deep))


# -- The observation ----------------------------------------------------------------------------

_PLACES_TEXT = "rows: relative hands 0..7, upper part, lower part, out of the game"
OBSERVATION = Layout(
    [
        ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
        ("to_act", MAX_SEATS, 0, 1, "relative seat asked, one-hot; 0s when over"),
        ("turn", MAX_SEATS, 0, 1, "the actor's relative seat, one-hot"),
        ("first", MAX_SEATS, 0, 1, "first player's relative seat, one-hot"),
        ("seats", MAX_SEATS, 0, 1, "1: relative seat in use"),
        ("hand", N_CARDS, 0, 1, "own cards"),
        ("hand_sizes", MAX_SEATS, 0, N_CARDS, "number of cards a relative seat holds"),
        ("piles", 3, 0, N_CARDS, "number of cards in the deck, in its lower part, removed"),
        ("in_game", N_CARDS, 0, 1, "card belongs to this game"),
        ("discard", N_CARDS, 0, N_CARDS, "0: not in the discard pile, else 1 + cards above it"),
        ("last_action", N_CARDS, 0, 1, "last Action card played, one-hot"),
        ("effect", N_CARDS, 0, 1, "Action card being carried out, one-hot"),
        ("by_monkey", 1, 0, 1, "1: that effect comes from the Monkey"),
        ("targets", MAX_SEATS, 0, 2, "1: first, 2: second chosen target of this effect, by relative seat"),
        ("placed", MAX_SEATS, 0, 1, "1: relative seat has placed a card face down in this effect"),
        ("my_card", N_CARDS, 0, 1, "own card placed face down, one-hot"),
        ("possible", (N_PLACES, N_CARDS), 0, 1, f"1: may lie there as far as this seat knows; {_PLACES_TEXT}"),
        ("public", (N_PLACES, N_CARDS), 0, 1, f"1: may lie there as far as everybody knows; {_PLACES_TEXT}"),
        ("depth", N_CARDS, 0, N_CARDS, "depth in the deck (1: top) if this seat knows it, else 0"),
        ("public_depth", N_CARDS, 0, N_CARDS, "depth in the deck (1: top) if everybody knows it, else 0"),
        ("signals", (MAX_SEATS, MAX_SYMBOLS), 0, 1, "last symbol sent by each relative seat, one-hot"),
        ("events", (N_EVENTS, 4), 0, 25, "newest first: kind 1..18, 1 + relative seat a, b (0: none), argument"),
        ("turns", 1, 0, 127, "number of this turn, at most 127"),
        ("ending", len(ENDINGS) - 1, 0, 1, "how the game ended, one-hot"),
    ]
)
(
    OBS_PHASE, OBS_TO_ACT, OBS_TURN, OBS_FIRST, OBS_SEATS, OBS_HAND, OBS_HAND_SIZES, OBS_PILES, OBS_IN_GAME,
    OBS_DISCARD, OBS_LAST_ACTION, OBS_EFFECT, OBS_BY_MONKEY, OBS_TARGETS, OBS_PLACED, OBS_MY_CARD, OBS_POSSIBLE,
    OBS_PUBLIC, OBS_DEPTH, OBS_PUBLIC_DEPTH, OBS_SIGNALS, OBS_EVENTS, OBS_TURNS, OBS_ENDING,
) = (OBSERVATION.start(name) for name in OBSERVATION)  # fmt: skip
MOST_TURNS_SHOWN = 127
TABLE_BYTES = N_PLACES * N_CARDS


@kernel
def put_cards(row, at, cards):
    """A set of cards as one byte a card."""
    put_bits(row, at, np.uint64(cards) >> np.uint64(1), N_CARDS)


@kernel
def put_card(row, at, card):
    """A card as a one-hot; NO_CARD as zeros."""
    put_cards(row, at, bit(card))


@kernel
def put_discard(row, at, state):
    """Place of each card in the discard pile, counted from its top."""
    put_zeros(row, at, N_CARDS)
    n = np.int64(state.discard_n)
    for i in range(n):
        row[at + np.int64(state.discard[i]) - 1] = n - i


@kernel
def put_depths(row, at, state, cards):
    """Depth of each card of a set that lies in the deck."""
    put_zeros(row, at, N_CARDS)
    if cards != NONE:
        n = np.int64(state.deck_n)
        for i in range(n):
            card = np.int64(state.deck[i])
            if has(cards, card):
                row[at + card - 1] = n - i


@kernel
def put_table(row, at, state, rules, viewer, looker):
    """A viewer's table, hands in the looker's order."""
    n = rules.n_seats
    for offset in range(n):
        put_cards(row, at + N_CARDS * offset, may_be(state, viewer, HANDS + seat_at(rules, looker, offset)))
    put_zeros(row, at + N_CARDS * n, N_CARDS * (MAX_SEATS - n))
    piles = at + N_CARDS * MAX_SEATS
    put_cards(row, piles, may_be(state, viewer, UPPER))
    put_cards(row, piles + N_CARDS, may_be(state, viewer, LOWER))
    put_cards(row, piles + 2 * N_CARDS, may_be(state, viewer, OUT))


@kernel
def put_signals(row, at, state, rules, looker):
    """Last symbol of each seat."""
    put_zeros(row, at, MAX_SEATS * MAX_SYMBOLS)
    if rules.n_symbols > 0:
        for offset in range(rules.n_seats):
            symbol = np.int64(state.signals[seat_at(rules, looker, offset)])
            if symbol >= 0:
                row[at + MAX_SYMBOLS * offset + symbol] = 1


@kernel
def seen_from(rules, events, shift, looker):
    """The seats that events store as 1 + seat at a shift, as 1 + relative seat there; 0 (nobody) stays 0."""
    nobody = all_lanes(NONE)
    stored = both(events, all_lanes(np.uint64(0xFF << shift)))
    relative = minus(stored, all_lanes(np.uint64(looker << shift)))
    behind = where_less(relative, all_lanes(np.uint64(1 << shift)))
    relative = plus(relative, both(behind, all_lanes(np.uint64(rules.n_seats << shift))))
    return without(relative, where_equal(stored, nobody))


@kernel
def put_events(row, at, state, rules, looker):
    """The last public events, newest first, eight at a time."""
    newest = np.int64(state.events_at)
    for i in range(0, N_EVENTS, N_LANES):
        events = load(state.events[newest + i :])
        seats = either(seen_from(rules, events, 8, looker), seen_from(rules, events, 16, looker))
        put_lanes(row, at + 4 * i, either(both(events, all_lanes(np.uint64(0xFF0000FF))), seats))


@kernel
def observe(state, rules, seat, row):
    """The seat's observation, block by block in rising order (a block's last word may spill into the next)."""
    n = rules.n_seats
    put_bits(row, OBS_PHASE, bit(state.phase), len(PHASES))
    asked = bit(offset_of(rules, np.int64(state.to_act), seat)) if state.to_act != NO_SEAT else NONE
    put_bits(row, OBS_TO_ACT, asked, MAX_SEATS)
    put_bits(row, OBS_TURN, bit(offset_of(rules, np.int64(state.turn), seat)), MAX_SEATS)
    put_bits(row, OBS_FIRST, bit(offset_of(rules, np.int64(state.first), seat)), MAX_SEATS)
    put_bits(row, OBS_SEATS, bit(n) - np.uint64(1), MAX_SEATS)
    put_cards(row, OBS_HAND, state.hand[seat])
    n_held = NONE
    placed = NONE
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        n_held |= np.uint64(hand_size(state, other)) << np.uint64(8 * offset)
        if state.chosen[other] != NO_CARD:
            placed |= bit(offset)
    put_word(row, OBS_HAND_SIZES, n_held)
    row[OBS_PILES] = state.deck_n
    row[OBS_PILES + 1] = state.lower_n
    row[OBS_PILES + 2] = popcount(state.removed)
    put_cards(row, OBS_IN_GAME, rules.in_game)
    put_discard(row, OBS_DISCARD, state)
    put_card(row, OBS_LAST_ACTION, state.last_action)
    put_card(row, OBS_EFFECT, state.effect)
    row[OBS_BY_MONKEY] = state.effect != NO_CARD and state.played == MONKEY
    put_zeros(row, OBS_TARGETS, MAX_SEATS)
    for k in range(2):
        target = np.int64(state.targets[k])
        if target != NO_SEAT:
            row[OBS_TARGETS + offset_of(rules, target, seat)] = k + 1
    put_bits(row, OBS_PLACED, placed, MAX_SEATS)
    put_card(row, OBS_MY_CARD, state.chosen[seat])
    put_table(row, OBS_POSSIBLE, state, rules, seat, seat)
    put_table(row, OBS_PUBLIC, state, rules, n, seat)
    put_depths(row, OBS_DEPTH, state, depths_of(state, seat))
    put_depths(row, OBS_PUBLIC_DEPTH, state, depths_of(state, n))
    put_signals(row, OBS_SIGNALS, state, rules, seat)
    put_events(row, OBS_EVENTS, state, rules, seat)
    row[OBS_TURNS] = min(np.int64(state.turns), MOST_TURNS_SHOWN)
    put_bits(row, OBS_ENDING, bit(state.ending) >> np.uint64(1), len(ENDINGS) - 1)


# -- Another world for a seat -------------------------------------------------------------------
# Uniform over all arrangements of the cards that the seat has not placed, as far as its table goes. Not modelled:
# how likely the others' past choices were, and the joint odds of the two halves of the set-up.

SWEEPS = 30
"""Exchanges tried for each slot: enough to mix (the page's section 12)."""

CARD_NUMBERS = 1 + N_CARDS
"""Cards are numbered from 1."""


@kernel
def add_slot(state, seat, n, card, place):
    """Enter slot n: a card that may change places, where it lies, and what may lie there for all the seat knows."""
    state.slot_place[n] = place
    state.slot_may[n] = may_be(state, seat, place)
    state.slot_card[n] = card
    state.slot_was[n] = card


@kernel
def list_slots(state, rules, seat):
    """List all cards that the seat has not placed exactly by sight; returns how many slots that makes."""
    n = 0
    for place in range(OUT, places_of(rules)):
        if place != HANDS + seat:
            cards = state.removed if place == OUT else np.uint64(state.hand[place - HANDS])
            while cards != NONE:
                add_slot(state, seat, n, lowest(cards), place)
                cards &= cards - np.uint64(1)
                n += 1
    deep = depths_of(state, seat)
    for i in range(state.deck_n):
        if not has(deep, state.deck[i]):
            add_slot(state, seat, n, state.deck[i], LOWER if i < state.lower_n else UPPER)
            n += 1
    return n


@kernel
def would_go_off(state, n):
    """Do the slots put the Blackmailer and the Detective into one hand?"""
    blackmailer_at = -1
    detective_at = -2
    for slot in range(n):
        if state.slot_card[slot] == BLACKMAILER:
            blackmailer_at = np.int64(state.slot_place[slot])
        elif state.slot_card[slot] == DETECTIVE:
            detective_at = np.int64(state.slot_place[slot])
    return blackmailer_at == detective_at and blackmailer_at >= HANDS


@inner
def may_take(state, slot, apart):
    """Cards that a slot may take; with `apart`, a place: the Blackmailer only there, and no Detective in its hand."""
    cards = np.uint64(state.slot_may[slot])
    if apart >= 0:
        if state.slot_place[slot] != apart:
            cards &= ~bit(BLACKMAILER)
        elif apart >= HANDS:
            cards &= ~DETECTIVE_BIT
    return cards


@kernel
def give_way(state, slot, cards, left, apart, holder):
    """None of the slots' cards that are left may lie in this one: by the shortest chain, a slot before it gives it its
    card and takes another, for which a third may have to give way, and so on. Returns which card is no longer left,
    NO_CARD: none."""
    wanted_by = scratch_words(CARD_NUMBERS)  # card -> slot from which the chain came to it
    reached = NONE
    to_visit = NONE
    now = slot
    while True:
        fresh = may_take(state, now, apart) & cards & ~reached
        reached |= fresh
        to_visit |= fresh
        while fresh != NONE:
            wanted_by[lowest(fresh)] = np.uint64(now)
            fresh &= fresh - np.uint64(1)
        if reached & left != NONE:
            break
        if to_visit == NONE:
            return NO_CARD
        now = np.int64(holder[lowest(to_visit)])
        to_visit &= to_visit - np.uint64(1)
    taken = lowest(reached & left)
    card = taken
    while True:
        taker = np.int64(wanted_by[card])
        given_up = np.int64(state.slot_card[taker])
        state.slot_card[taker] = card
        holder[card] = np.uint64(taker)
        if taker == slot:
            return taken
        card = given_up


@kernel
def line_up(state, n, apart):
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
            holder[card] = np.uint64(slot)
        left &= ~bit(card)
    return True


@kernel
def forget(state, n):
    """Begin at an arrangement that the seat's knowledge alone singles out, with Blackmailer and Detective apart."""
    line_up(state, n, -1)
    if would_go_off(state, n):
        place = 0
        while not line_up(state, n, place):
            place += 1  # the Blackmailer lies somewhere, so one of them succeeds


@inner
def try_exchange(state, i, j, pair, n):
    """Exchange the cards of two slots if the seat's table and the Blackmailer allow it."""
    a = np.int64(state.slot_card[i])
    b = np.int64(state.slot_card[j])
    allowed = (np.int64(state.slot_may[i]) >> b) & (np.int64(state.slot_may[j]) >> a) & 1
    change = (a ^ b) * allowed
    state.slot_card[i] = a ^ change
    state.slot_card[j] = b ^ change
    if (bit(a) | bit(b)) & pair != NONE and would_go_off(state, n):
        state.slot_card[i] = a
        state.slot_card[j] = b


@inner
def try_rotation(state, i, j, k, pair, n):
    """Rotate the cards of three slots if the seat's table and the Blackmailer allow it."""
    a = np.int64(state.slot_card[i])
    b = np.int64(state.slot_card[j])
    c = np.int64(state.slot_card[k])
    may_i, may_j, may_k = np.int64(state.slot_may[i]), np.int64(state.slot_may[j]), np.int64(state.slot_may[k])
    if (may_i >> c) & (may_j >> a) & (may_k >> b) & 1 == 0 or i == j or j == k or k == i:
        return
    state.slot_card[i] = c
    state.slot_card[j] = a
    state.slot_card[k] = b
    if (bit(a) | bit(b) | bit(c)) & pair != NONE and would_go_off(state, n):
        state.slot_card[i] = a
        state.slot_card[j] = b
        state.slot_card[k] = c


@kernel
def mix_slots(state, n):
    """Exchange two random slots, every fourth time rotate three.

    Slots are drawn independently and equal ones change nothing. So each change is as likely as its reverse, and the
    arrangements tend to the uniform distribution.
    """
    cards = NONE
    for slot in range(n):
        cards |= bit(state.slot_card[slot])
    pair = BLACKMAIL_PAIR if cards & BLACKMAIL_PAIR == BLACKMAIL_PAIR else NONE
    reciprocal = 65536 // n + 1  # drawn // n without a division: exact, since drawn < 24 * 24
    for i in range(SWEEPS * n):
        drawn = below(state, n * n)
        first = (drawn * reciprocal) >> 16
        second = drawn - first * n
        if i & 3 == 3 and n >= 3:
            try_rotation(state, first, second, below(state, n), pair, n)
        else:
            try_exchange(state, first, second, pair, n)


@kernel
def lay_out_slots(state, seat, n):
    """Bring hands, removed pile and deck into line with the slots."""
    for slot in range(n):
        place = np.int64(state.slot_place[slot])
        cards = bit(state.slot_was[slot])
        if place >= HANDS:
            state.hand[place - HANDS] &= ~cards
        elif place == OUT:
            state.removed &= ~cards
    deck_slot = n
    for slot in range(n - 1, -1, -1):
        place = np.int64(state.slot_place[slot])
        cards = bit(state.slot_card[slot])
        if place >= HANDS:
            state.hand[place - HANDS] |= cards
        elif place == OUT:
            state.removed |= cards
        else:
            deck_slot = slot
    deep = depths_of(state, seat)
    for i in range(state.deck_n):
        if not has(deep, state.deck[i]):
            state.deck[i] = state.slot_card[deck_slot]
            deck_slot += 1


@kernel
def in_new_world(state, cards, n):
    """A set of cards with each slot's old card replaced by its new one."""
    new = cards
    for slot in range(n):
        if state.slot_was[slot] != state.slot_card[slot]:
            new &= ~bit(state.slot_was[slot])
    for slot in range(n):
        if state.slot_was[slot] != state.slot_card[slot] and has(cards, state.slot_was[slot]):
            new |= bit(state.slot_card[slot])
    return new


@kernel
def redeal(state, rules, seat, seed):
    """Another world that the seat cannot tell from this one (the page's section 12), in place.

    What the other seats know is carried over: where a slot's card changed, their tables change with it, within what is
    public.
    """
    seed_redeal(state, seed)
    n = list_slots(state, rules, seat)
    if n < 2:
        return
    forget(state, n)
    mix_slots(state, n)
    lay_out_slots(state, seat, n)
    if rules.talk != TALK_OPEN:
        public = rules.n_seats
        for other in range(rules.n_seats):
            if other != seat:
                group, lane = other // N_LANES, other % N_LANES
                state.depth_known[group, lane] = in_new_world(state, depths_of(state, other), n)
                for place in range(places_of(rules)):
                    cards = may_be(state, public, place)
                    ruled_out = in_new_world(state, cards & ~may_be(state, other, place), n)
                    state.possible[group, place, lane] = cards & ~ruled_out
    if state.phase == PASS or state.phase == SHOW:
        for other in range(rules.n_seats):
            if other != seat and state.chosen[other] != NO_CARD:
                cards = givable(state.hand[other])
                state.chosen[other] = kth(cards, below(state, popcount(cards)))
    close(state, rules)


# -- The whole truth ----------------------------------------------------------------------------

WORLD = Layout(
    [
        ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
        ("to_act", MAX_SEATS, 0, 1, "seat asked, one-hot; 0s when over"),
        ("turn", MAX_SEATS, 0, 1, "the actor, one-hot"),
        ("first", MAX_SEATS, 0, 1, "first player, one-hot"),
        ("hands", (MAX_SEATS, N_CARDS), 0, 1, "1: the seat holds the card"),
        ("deck", N_CARDS, 0, N_CARDS, "depth in the deck (1: top), 0: not in it"),
        ("lower", 1, 0, N_CARDS, "number of cards in the lower part of the deck"),
        ("removed", N_CARDS, 0, 1, "removed unseen"),
        ("discard", N_CARDS, 0, N_CARDS, "0: not in the discard pile, else 1 + cards above it"),
        ("last_action", N_CARDS, 0, 1, "last Action card played, one-hot"),
        ("effect", N_CARDS, 0, 1, "Action card being carried out, one-hot"),
        ("by_monkey", 1, 0, 1, "1: that effect comes from the Monkey"),
        ("targets", MAX_SEATS, 0, 2, "1: first, 2: second chosen target of this effect"),
        ("chosen", MAX_SEATS, 0, N_CARDS, "card that the seat has placed face down, or 0"),
        ("public", (N_PLACES, N_CARDS), 0, 1, "the public's table; rows: hands 0..7, upper part, lower part, out"),
        ("signals", (MAX_SEATS, MAX_SYMBOLS), 0, 1, "last symbol sent by each seat, one-hot"),
        ("turns", 1, 0, 127, "number of this turn, at most 127"),
        ("ending", len(ENDINGS) - 1, 0, 1, "how the game ended, one-hot"),
        ("in_game", N_CARDS, 0, 1, "card belongs to this game"),
    ]
)
(
    WORLD_PHASE, WORLD_TO_ACT, WORLD_TURN, WORLD_FIRST, WORLD_HANDS, WORLD_DECK, WORLD_LOWER, WORLD_REMOVED,
    WORLD_DISCARD, WORLD_LAST_ACTION, WORLD_EFFECT, WORLD_BY_MONKEY, WORLD_TARGETS, WORLD_CHOSEN, WORLD_PUBLIC,
    WORLD_SIGNALS, WORLD_TURNS, WORLD_ENDING, WORLD_IN_GAME,
) = (WORLD.start(name) for name in WORLD)  # fmt: skip


@kernel
def world(state, rules, row):
    """The state vector, absolute seats, block by block in rising order."""
    put_bits(row, WORLD_PHASE, bit(state.phase), len(PHASES))
    put_bits(row, WORLD_TO_ACT, bit(state.to_act) if state.to_act != NO_SEAT else NONE, MAX_SEATS)
    put_bits(row, WORLD_TURN, bit(state.turn), MAX_SEATS)
    put_bits(row, WORLD_FIRST, bit(state.first), MAX_SEATS)
    for seat in range(MAX_SEATS):
        put_cards(row, WORLD_HANDS + N_CARDS * seat, state.hand[seat])
    put_depths(row, WORLD_DECK, state, rules.in_game)
    row[WORLD_LOWER] = state.lower_n
    put_cards(row, WORLD_REMOVED, state.removed)
    put_discard(row, WORLD_DISCARD, state)
    put_card(row, WORLD_LAST_ACTION, state.last_action)
    put_card(row, WORLD_EFFECT, state.effect)
    row[WORLD_BY_MONKEY] = state.effect != NO_CARD and state.played == MONKEY
    put_zeros(row, WORLD_TARGETS, MAX_SEATS)
    for k in range(2):
        if state.targets[k] != NO_SEAT:
            row[WORLD_TARGETS + np.int64(state.targets[k])] = k + 1
    for seat in range(MAX_SEATS):
        row[WORLD_CHOSEN + seat] = state.chosen[seat]
    put_table(row, WORLD_PUBLIC, state, rules, rules.n_seats, 0)
    put_signals(row, WORLD_SIGNALS, state, rules, 0)
    row[WORLD_TURNS] = min(np.int64(state.turns), MOST_TURNS_SHOWN)
    put_bits(row, WORLD_ENDING, bit(state.ending) >> np.uint64(1), len(ENDINGS) - 1)
    put_cards(row, WORLD_IN_GAME, rules.in_game)
