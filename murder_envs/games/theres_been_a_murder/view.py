"""Who sees what: the knowledge tables, the observation, another world for a seat, the state vector.

A table says, for each place, which cards may lie there as far as its viewer was shown: one table a seat, and one for
the *public*, an onlooker who sees what everybody sees (viewer number `rules.n_seats`). The truth is always in every
table. `depth_known` holds the deck cards whose exact place the viewer knows. Tables change only through this file:
first the events, each in terms of the tables from before it, then `close`, which draws the conclusions.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, has, kth, lowest, popcount, put_bits, put_word, put_zeros
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, seed_rng
from murder_envs.core.tables import Layout
from murder_envs.games.theres_been_a_murder.cards import (
    ABOVE_IMPOSTER,
    ARISTOCRAT_BIT,
    BLACKMAIL_PAIR,
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
def measure(state, rules):
    """Count the cards at each place, into `place_size`; returns the place of the Drunk's hand, or -1."""
    drunk_at = -1
    for seat in range(rules.n_seats):
        state.place_size[HANDS + seat] = hand_size(state, seat)
        if state.hand[seat] & DRUNK_BIT != NONE:
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
def pin(state, rules, viewer, drunk_at):
    """What needs no reasoning: the own hand, the Drunk's place in a hand or none, empty places, known depths."""
    own = state.hand[viewer] if viewer < rules.n_seats else NONE
    deep = state.depth_known[viewer]
    in_piles = ~(own | deep)
    if drunk_at >= 0:
        in_piles &= ~DRUNK_BIT
    in_hands = in_piles & ~DRUNK_BIT
    for place in range(places_of(rules)):
        cards = np.uint64(state.possible[viewer, place])
        cards &= in_hands if place >= HANDS else in_piles
        if state.place_size[place] == 0:
            cards = NONE
        state.possible[viewer, place] = cards
    if drunk_at >= 0:
        state.possible[viewer, drunk_at] |= np.uint32(DRUNK_BIT)
    if viewer < rules.n_seats:
        state.possible[viewer, HANDS + viewer] = own
    if deep != NONE:
        low = part_of_deck(state, 0, np.int64(state.lower_n))
        state.possible[viewer, LOWER] |= np.uint32(deep & low)
        state.possible[viewer, UPPER] |= np.uint32(deep & ~low)


@kernel
def conclude(state, rules, viewer):
    """Repeat until nothing changes: a place with as many candidates as cards holds exactly these; a place whose sure
    cards (possible nowhere else) are as many as its size holds nothing else."""
    n = places_of(rules)
    changed = True
    while changed:
        once = NONE
        twice = NONE
        exact = NONE
        for place in range(n):
            cards = np.uint64(state.possible[viewer, place])
            twice |= once & cards
            once |= cards
            if popcount(cards) == state.place_size[place]:
                exact |= cards
        sure = once & ~twice
        changed = False
        for place in range(n):
            cards = np.uint64(state.possible[viewer, place])
            size = np.int64(state.place_size[place])
            if popcount(cards) != size:
                left = cards & ~exact
                if popcount(left & sure) == size:
                    left &= sure
                if left != cards:
                    state.possible[viewer, place] = left
                    changed = True


@kernel
def pool(state, rules):
    """The open table: what one knows, all know."""
    n = rules.n_seats
    deep = NONE
    for viewer in range(n + 1):
        deep |= state.depth_known[viewer]
    for place in range(places_of(rules)):
        cards = np.uint64(state.possible[n, place])
        for viewer in range(n):
            cards &= np.uint64(state.possible[viewer, place])
        for viewer in range(n + 1):
            state.possible[viewer, place] = cards
    for viewer in range(n + 1):
        state.depth_known[viewer] = deep


@kernel
def close(state, rules):
    """After an event: bring every table up to what follows from it."""
    drunk_at = measure(state, rules)
    n = rules.n_seats
    for viewer in range(n + 1):
        pin(state, rules, viewer, drunk_at)
    if rules.talk == TALK_OPEN:
        pool(state, rules)
        for viewer in range(n + 1):
            pin(state, rules, viewer, drunk_at)
    for viewer in range(n + 1):
        conclude(state, rules, viewer)


# -- Knowledge: the events ----------------------------------------------------------------------


@kernel
def knows(state, rules, viewer, card, place):
    """A viewer learns where a card is: there and nowhere else."""
    it = np.uint32(bit(card))
    for other in range(places_of(rules)):
        state.possible[viewer, other] &= ~it
    state.possible[viewer, place] |= it


@kernel
def all_know(state, rules, card, place):
    """Everybody learns where a card is."""
    for viewer in range(rules.n_seats + 1):
        knows(state, rules, viewer, card, place)


@kernel
def strike(state, rules, cards, place):
    """Everybody learns that none of some cards is at a place."""
    kept = np.uint32(~cards)
    for viewer in range(rules.n_seats + 1):
        state.possible[viewer, place] &= kept


@kernel
def laid_open(state, rules, card):
    """A card is in the discard pile now: in no table any more."""
    kept = ~bit(card)
    for viewer in range(rules.n_seats + 1):
        state.depth_known[viewer] &= kept
        for place in range(places_of(rules)):
            state.possible[viewer, place] &= np.uint32(kept)


@kernel
def know_the_deal(state, rules):
    """Set Up: the Murderer was shuffled into the upper part, the Detective into the lower, neither was removed."""
    n_kept = rules.n_cards - 2 - rules.n_removed
    n_upper = n_kept - n_kept // 2 + 1
    anywhere = rules.in_game & ~(MURDERER_BIT | DETECTIVE_BIT)
    for viewer in range(rules.n_seats + 1):
        for place in range(places_of(rules)):
            state.possible[viewer, place] = anywhere
        state.possible[viewer, UPPER] |= np.uint32(MURDERER_BIT)
        state.possible[viewer, LOWER] |= np.uint32(DETECTIVE_BIT)
        for i in range(2 * rules.n_seats):
            hand = HANDS + seat_at(rules, np.int64(state.first), i % rules.n_seats)
            state.possible[viewer, hand] |= np.uint32(MURDERER_BIT if i < n_upper else DETECTIVE_BIT)


@kernel
def saw_draw(state, rules, seat):
    """A seat takes the top card: the seat sees it, all see the Drunk, others see a back."""
    card = np.int64(state.deck[np.int64(state.deck_n) - 1])
    hand = HANDS + seat
    part = place_of_top(state)
    for viewer in range(rules.n_seats + 1):
        deep = state.depth_known[viewer]
        if viewer == seat or card == DRUNK or has(deep, card):
            knows(state, rules, viewer, card, hand)
            state.depth_known[viewer] = deep & ~bit(card)
        else:
            drawn = np.uint64(state.possible[viewer, part]) & ~(deep | DRUNK_BIT)
            state.possible[viewer, hand] |= np.uint32(drawn)


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
def is_certain(state, rules, viewer, card, place):
    """Is a viewer certain that a card is at a place?"""
    if not has(state.possible[viewer, place], card):
        return False
    for other in range(places_of(rules)):
        if other != place and has(state.possible[viewer, other], card):
            return False
    return True


@kernel
def by_choice(state, viewer, seat):
    """Cards other than the Drunk that may be among those a seat chooses from, the Murderer only if it is alone."""
    cards = np.uint64(state.possible[viewer, HANDS + seat]) & ~DRUNK_BIT
    return cards & ~MURDERER_BIT if hand_size(state, seat) >= 2 else cards


@kernel
def saw_passes(state, rules):
    """The chosen cards move, all at once, while the hands still are as before.

    Both ends of a pass see the card, and all see the Drunk. For other viewers the candidates are the Stranger alone
    where it is certain in that hand, else what the giver may choose. All candidates come from the tables of before,
    so they are found for all givers first; then the Stranger is struck from the hands that gave (whatever was chosen,
    it is not among the cards kept); only then do the takers' hands gain.
    """
    n = rules.n_seats
    for viewer in range(n + 1):
        for giver in range(n):
            card = np.int64(state.chosen[giver])
            if card != NO_CARD:
                if viewer == giver or viewer == taker_of(state, rules, giver) or card == DRUNK:
                    candidates = bit(card)
                elif is_certain(state, rules, viewer, STRANGER, HANDS + giver):
                    candidates = STRANGER_BIT
                else:
                    candidates = by_choice(state, viewer, giver)
                state.candidates[giver] = candidates
        for giver in range(n):
            if state.chosen[giver] != NO_CARD:
                state.possible[viewer, HANDS + giver] &= np.uint32(~STRANGER_BIT)
        for giver in range(n):
            if state.chosen[giver] != NO_CARD:
                state.possible[viewer, HANDS + taker_of(state, rules, giver)] |= state.candidates[giver]
        for giver in range(n):
            if state.chosen[giver] != NO_CARD:
                candidates = np.uint64(state.candidates[giver])
                if popcount(candidates) == 1:
                    knows(state, rules, viewer, lowest(candidates), HANDS + taker_of(state, rules, giver))


@kernel
def saw_random_pass(state, rules, giver, taker, card):
    """The Swain: a card is taken at random; both ends see it, and all see the Drunk."""
    for viewer in range(rules.n_seats + 1):
        if viewer == giver or viewer == taker or card == DRUNK:
            knows(state, rules, viewer, card, HANDS + taker)
        else:
            candidates = np.uint64(state.possible[viewer, HANDS + giver]) & ~DRUNK_BIT
            state.possible[viewer, HANDS + taker] |= np.uint32(candidates)


@kernel
def saw_show(state, rules, viewer, shower, card):
    """The Maid: a viewer is shown a card of the shower's choice."""
    knows(state, rules, viewer, card, HANDS + shower)
    if card != STRANGER:
        state.possible[viewer, HANDS + shower] &= np.uint32(~STRANGER_BIT)


@kernel
def saw_shuffle(state, rules):
    """The deck is shuffled: the line between its parts and all depths are lost."""
    for viewer in range(rules.n_seats + 1):
        state.depth_known[viewer] = NONE
        lose_line(state, viewer)


@kernel
def lose_line(state, viewer):
    """What may be in the lower part may now be anywhere in the deck."""
    state.possible[viewer, UPPER] |= state.possible[viewer, LOWER]
    state.possible[viewer, LOWER] = 0


@kernel
def saw_raise(state, rules):
    """The Seer raises the bottom card: the line is lost, known depths stay (all know how the order turned)."""
    for viewer in range(rules.n_seats + 1):
        lose_line(state, viewer)


@kernel
def saw_bury(state, rules, seat, card):
    """The Nun: a seat puts a card of its choice under the deck, while the hand still is as before."""
    part = LOWER if state.lower_n > 0 else UPPER
    for viewer in range(rules.n_seats + 1):
        candidates = by_choice(state, viewer, seat)
        if viewer == seat or card == DRUNK or popcount(candidates) == 1:
            knows(state, rules, viewer, card, part)
            state.depth_known[viewer] |= bit(card)
        else:
            state.possible[viewer, part] |= np.uint32(candidates)


@kernel
def saw_look(state, viewer, start, stop):
    """A viewer looks at state.deck[start:stop]."""
    state.depth_known[viewer] |= part_of_deck(state, start, stop)


@kernel
def saw_butler(state, rules):
    """The top card is announced to all."""
    top = np.int64(state.deck_n) - 1
    for viewer in range(rules.n_seats + 1):
        saw_look(state, viewer, top, top + 1)


@kernel
def saw_pick(state, rules, seat, card, n_looked):
    """The Driver: a seat keeps one of the top cards, while the deck still is as before."""
    hand = HANDS + seat
    top = np.int64(state.deck_n) - 1
    for viewer in range(rules.n_seats + 1):
        if viewer == seat or card == DRUNK:
            knows(state, rules, viewer, card, hand)
        else:
            deep = state.depth_known[viewer]
            picked = NONE
            for i in range(top - n_looked + 1, top + 1):
                looked_at = bit(state.deck[i])
                if deep & looked_at != NONE:
                    picked |= looked_at
                else:
                    part = UPPER if i >= state.lower_n else LOWER
                    picked |= np.uint64(state.possible[viewer, part]) & ~deep
            state.possible[viewer, hand] |= np.uint32(picked & ~DRUNK_BIT)


@kernel
def saw_answer(state, rules, viewer, card, raiser):
    """The Hound: a viewer alone learns which other seat holds a card, or that none does (NO_SEAT)."""
    if raiser != NO_SEAT:
        knows(state, rules, viewer, card, HANDS + raiser)
        return
    for seat in range(rules.n_seats):
        if seat != viewer:
            state.possible[viewer, HANDS + seat] &= np.uint32(~bit(card))


@kernel
def tellable(state, rules, teller):
    """Cards of which a seat knows more than the public: a place excluded, or a depth."""
    public = rules.n_seats
    cards = state.depth_known[teller] & ~state.depth_known[public]
    for place in range(places_of(rules)):
        cards |= np.uint64(state.possible[public, place]) & ~np.uint64(state.possible[teller, place])
    return cards


@kernel
def saw_tell(state, rules, teller, cards):
    """The Drunk's holder tells all it knows about where some cards are."""
    deep = state.depth_known[teller] & cards
    for viewer in range(rules.n_seats + 1):
        state.depth_known[viewer] |= deep
        for place in range(places_of(rules)):
            told = np.uint64(state.possible[teller, place]) | ~cards
            state.possible[viewer, place] &= np.uint32(told)


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
        put_cards(row, at + N_CARDS * offset, state.possible[viewer, HANDS + seat_at(rules, looker, offset)])
    put_zeros(row, at + N_CARDS * n, N_CARDS * (MAX_SEATS - n))
    piles = at + N_CARDS * MAX_SEATS
    put_cards(row, piles, state.possible[viewer, UPPER])
    put_cards(row, piles + N_CARDS, state.possible[viewer, LOWER])
    put_cards(row, piles + 2 * N_CARDS, state.possible[viewer, OUT])


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
def seen_from(rules, event, shift, looker):
    """The seat that an event stores as 1 + seat at a shift, as 1 + relative seat at that shift; 0 stays 0."""
    one_more = np.int64((event >> shift) & 0xFF)
    relative = one_more - looker
    if relative <= 0:
        relative += rules.n_seats
    return relative << shift if one_more > 0 else 0


@kernel
def put_events(row, at, state, rules, looker):
    """The last public events, newest first, two in a word."""
    newest = np.int64(state.events_at)
    for i in range(0, N_EVENTS, 2):
        word = np.uint64(0)
        for k in range(2):
            event = np.int64(state.events[newest + i + k])
            a = seen_from(rules, event, 8, looker)
            b = seen_from(rules, event, 16, looker)
            word |= np.uint64((event & 0xFF0000FF) | a | b) << np.uint64(32 * k)
        put_word(row, at + 4 * i, word)


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
    sizes = NONE
    placed = NONE
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        sizes |= np.uint64(hand_size(state, other)) << np.uint64(8 * offset)
        if state.chosen[other] != NO_CARD:
            placed |= bit(offset)
    put_word(row, OBS_HAND_SIZES, sizes)
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
    put_depths(row, OBS_DEPTH, state, state.depth_known[seat])
    put_depths(row, OBS_PUBLIC_DEPTH, state, state.depth_known[n])
    put_signals(row, OBS_SIGNALS, state, rules, seat)
    put_events(row, OBS_EVENTS, state, rules, seat)
    row[OBS_TURNS] = min(np.int64(state.turns), MOST_TURNS_SHOWN)
    put_bits(row, OBS_ENDING, bit(state.ending) >> np.uint64(1), len(ENDINGS) - 1)


# -- Another world for a seat -------------------------------------------------------------------
# Uniform over all arrangements of the cards that the seat has not placed, as far as its table goes. Not modelled:
# how likely the others' past choices were, and the joint odds of the two halves of the set-up.

SWEEPS = 30
"""Exchanges tried for each slot: enough to mix (the page's section 12)."""


@kernel
def add_slot(state, n, card, place):
    """Enter slot n: a card that may change places, and where it lies."""
    state.slot_place[n] = place
    state.slot_card[n] = card
    state.slot_was[n] = card


@kernel
def list_slots(state, rules, seat):
    """List all cards that the seat has not placed exactly by sight; returns how many slots that makes."""
    n = 0
    for place in range(OUT, places_of(rules)):
        if place != HANDS + seat:
            cards = state.removed if place == OUT else state.hand[place - HANDS]
            while cards != NONE:
                add_slot(state, n, lowest(cards), place)
                cards &= cards - np.uint64(1)
                n += 1
    for i in range(state.deck_n):
        if not has(state.depth_known[seat], state.deck[i]):
            add_slot(state, n, state.deck[i], LOWER if i < state.lower_n else UPPER)
            n += 1
    return n


@kernel
def fits(state, seat, card, slot):
    """May a card lie in a slot, as far as the seat's table goes?"""
    return has(state.possible[seat, np.int64(state.slot_place[slot])], card)


@kernel
def move(state, slot, card):
    """Put a card into a slot, in place of the one there."""
    place = np.int64(state.slot_place[slot])
    if place >= HANDS:
        state.hand[place - HANDS] ^= bit(card) ^ bit(state.slot_card[slot])
    state.slot_card[slot] = card


@kernel
def has_gone_off(state, slot):
    """Would the Blackmailer have taken the Detective out of this slot's hand?"""
    place = np.int64(state.slot_place[slot])
    return place >= HANDS and state.hand[place - HANDS] & BLACKMAIL_PAIR == BLACKMAIL_PAIR


@kernel
def try_exchange(state, seat, i, j):
    """Exchange the cards of two slots if the seat's table and the Blackmailer allow it."""
    a = np.int64(state.slot_card[i])
    b = np.int64(state.slot_card[j])
    if fits(state, seat, b, i) and fits(state, seat, a, j):
        move(state, i, b)
        move(state, j, a)
        if has_gone_off(state, i) or has_gone_off(state, j):
            move(state, i, a)
            move(state, j, b)


@kernel
def try_rotation(state, seat, i, j, k):
    """Rotate the cards of three slots if the seat's table and the Blackmailer allow it."""
    a = np.int64(state.slot_card[i])
    b = np.int64(state.slot_card[j])
    c = np.int64(state.slot_card[k])
    if fits(state, seat, a, j) and fits(state, seat, b, k) and fits(state, seat, c, i):
        move(state, i, c)
        move(state, j, a)
        move(state, k, b)
        if has_gone_off(state, i) or has_gone_off(state, j) or has_gone_off(state, k):
            move(state, i, a)
            move(state, j, b)
            move(state, k, c)


@kernel
def mix_slots(state, seat, n):
    """Exchange and rotate at random: symmetric moves, so this tends to the uniform distribution."""
    for _ in range(SWEEPS * n):
        if n >= 3 and below(state, 4) == 0:
            i = below(state, n)
            j = below(state, n - 1)
            k = below(state, n - 2)
            j += j >= i
            low, high = min(i, j), max(i, j)
            k += k >= low
            k += k >= high
            try_rotation(state, seat, i, j, k)
        else:
            i = below(state, n)
            j = below(state, n)
            if i != j:
                try_exchange(state, seat, i, j)


@kernel
def lay_out_slots(state, seat, n):
    """Bring the removed pile and the deck into line with the slots; the hands are already."""
    removed = NONE
    slot = 0
    while slot < n and state.slot_place[slot] == OUT:
        removed |= bit(state.slot_card[slot])
        slot += 1
    state.removed = removed
    while slot < n and state.slot_place[slot] >= HANDS:
        slot += 1
    for i in range(state.deck_n):
        if not has(state.depth_known[seat], state.deck[i]):
            state.deck[i] = state.slot_card[slot]
            slot += 1


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

    Starts from the truth, so it always has an answer. What the other seats know is carried over: where a slot's card
    changed, their tables change with it, within what is public.
    """
    seed_rng(state, seed)
    n = list_slots(state, rules, seat)
    if n < 2:
        return
    mix_slots(state, seat, n)
    lay_out_slots(state, seat, n)
    if rules.talk != TALK_OPEN:
        public = rules.n_seats
        for other in range(rules.n_seats):
            if other != seat:
                state.depth_known[other] = in_new_world(state, state.depth_known[other], n)
                for place in range(places_of(rules)):
                    cards = in_new_world(state, np.uint64(state.possible[other, place]), n)
                    state.possible[other, place] = cards & np.uint64(state.possible[public, place])
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
