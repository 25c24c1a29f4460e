"""What happens to cards: drawing, passing, and each card's effect, in card order.

Every function that carries something out returns what is to come next, one of the steps of `moves.py`:

    ASKED       a decision is needed, and nobody learned anything on the way
    NEXT_TURN   the turn is over, and nobody learned anything on the way
    SEEN        a decision is needed, after something was seen: `close` the tables first
    CARRY_OUT, ENTERED, DRAWING, SHUFFLING, TURN_OVER    `close`, then go on (see `play.resolve`)

The functions of `view.py` that say what is seen are called while the cards still lie as before.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow, allow_all, bit, has, kth, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, shuffle
from murder_envs.games.theres_been_a_murder.cards import (
    BLACKMAIL_PAIR,
    BLACKMAILER,
    BUTLER,
    CAD,
    CONFIDANT_BIT,
    DETECTIVE,
    DETECTIVE_BIT,
    DOCTOR,
    DRIVER,
    DRUNK,
    GOSSIP,
    HOUND,
    INVALID,
    MAID,
    MURDERER,
    NO_CARD,
    NONE,
    NUN,
    REPORTER,
    SECRETARY,
    SOCIALITE,
    SWAIN,
    WITNESS_BIT,
)
from murder_envs.games.theres_been_a_murder.deal import HANDS, UPPER, record_event, take_top
from murder_envs.games.theres_been_a_murder.moves import (
    ANNOUNCE,
    ASKED,
    BLACKMAILED,
    BURIED,
    BURY,
    BUTLERED,
    BY_CONFIDANT,
    BY_DETECTIVE,
    BY_WITNESS,
    DISCARD,
    DISCARDED,
    DREW,
    ENTERED,
    GIVE_CARD,
    HAS_DRUNK,
    LEAVE,
    NAME,
    NAME_CARD,
    NAMED,
    NEXT_TURN,
    NO_SEAT,
    OVER,
    PASS,
    PASSED,
    PICK,
    PICKED,
    RAISE,
    REPORTED,
    RESCUE,
    RESCUED,
    SEARCH,
    SEARCHED,
    SEEN,
    SEER_PHASE,
    SEERED,
    SHOW,
    SHOWED,
    SHUFFLING,
    TAKE_CARD,
    TALK_NONE,
    TALK_SYMBOLS,
    TARGET,
    TARGET2,
    TARGET_SEAT,
    TARGETED,
    TURN_OVER,
    allow_cards,
    buriable,
    card_of,
    offset_of,
    seat_at,
    taker_of,
)
from murder_envs.games.theres_been_a_murder.view import (
    all_know,
    laid_open,
    lose_line,
    part_of_deck,
    saw_answer,
    saw_bury,
    saw_discard,
    saw_draw,
    saw_look,
    saw_passes,
    saw_pick,
    saw_random_pass,
    saw_show,
    saw_shuffle,
    saw_top,
)

# -- Moving cards -------------------------------------------------------------------------------


@kernel
def ask(state, phase, seat):
    """Set the next decision."""
    state.phase = phase
    state.to_act = seat
    return ASKED


@kernel
def finish(state, ending):
    """Game End: nobody is asked any more."""
    state.ending = ending
    ask(state, OVER, NO_SEAT)
    return SEEN


@kernel
def lay_on_discard(state, card):
    """A card goes on top of the discard pile."""
    state.discard[state.discard_n] = card
    state.discard_n += 1


@kernel
def put_into_deck(state, card):
    """A card goes on top of the deck (a shuffle follows)."""
    state.deck[state.deck_n] = card
    state.deck_n += 1


@kernel
def take_out(pile, n, card):
    """Take a card out of a pile of n, wherever it lies; returns its place."""
    at = 0
    while pile[at] != card:
        at += 1
    for i in range(at, n - 1):
        pile[i] = pile[i + 1]
    pile[n - 1] = NO_CARD
    return at


@kernel
def take_from_deck(state, card):
    """Take a card out of the deck."""
    at = take_out(state.deck, np.int64(state.deck_n), card)
    state.deck_n -= 1
    if at < state.lower_n:
        state.lower_n -= 1


@kernel
def shuffle_deck(state, rules):
    """The deck is shuffled; there are no two parts any more."""
    shuffle(state, state.deck, 0, np.int64(state.deck_n))
    state.lower_n = 0
    saw_shuffle(state, rules)


@kernel
def draw(state, rules, seat):
    """A seat draws the top card, and the card takes effect as it enters the hand."""
    record_event(state, DREW, seat, NO_SEAT, 0)
    saw_draw(state, rules, seat)
    card = take_top(state)
    state.hand[seat] |= bit(card)
    announce_drunk(state, seat, card)
    return card


@kernel
def announce_drunk(state, seat, card):
    """8. The Drunk: announced whenever it enters a hand."""
    if card == DRUNK:
        record_event(state, HAS_DRUNK, seat, NO_SEAT, DRUNK)


@kernel
def blackmailed(state, rules):
    """The seat that holds both the Blackmailer and the Detective, or NO_SEAT."""
    for seat in range(rules.n_seats):
        if state.hand[seat] & BLACKMAIL_PAIR == BLACKMAIL_PAIR:
            return seat
    return NO_SEAT


@kernel
def blackmail(state, rules, seat):
    """19. The Blackmailer: both are shown, and the Detective is shuffled into the deck."""
    record_event(state, BLACKMAILED, seat, NO_SEAT, DETECTIVE)
    state.hand[seat] &= ~DETECTIVE_BIT
    put_into_deck(state, DETECTIVE)
    shuffle_deck(state, rules)
    all_know(state, rules, DETECTIVE, UPPER)
    all_know(state, rules, BLACKMAILER, HANDS + seat)


@kernel
def murderer_passed_to(state, seat):
    """3 and 6: the Murderer was passed to a seat; does the game end? The Confidant's lower number goes first."""
    if state.hand[seat] & CONFIDANT_BIT != NONE:
        return finish(state, BY_CONFIDANT)
    if state.hand[seat] & WITNESS_BIT != NONE:
        return finish(state, BY_WITNESS)
    return ENTERED


@kernel
def drunk_window(rules):
    """Does this table's talk have windows for the Drunk's holder?"""
    return rules.talk == TALK_NONE or rules.talk == TALK_SYMBOLS


# -- Choosing cards face down: Cad, Socialite, Gossip, Invalid, Maid ----------------------------


@kernel
def is_chooser(state, rules, seat):
    """Does a seat place a card face down in the effect under way (if it has one)?"""
    effect = state.effect
    if effect == GOSSIP:
        return True
    if effect == CAD:
        return seat == state.targets[0] or seat == state.targets[1]
    if effect == SOCIALITE:
        return seat == state.turn or seat == state.targets[0]
    if effect == INVALID:
        return seat == state.targets[0]
    offset = offset_of(rules, seat, np.int64(state.turn))
    return offset == 1 or offset == rules.n_seats - 1


@kernel
def next_chooser(state, rules):
    """The first seat clockwise from the actor that has a card to place and has not placed it; NO_SEAT when all have."""
    for offset in range(rules.n_seats):
        seat = seat_at(rules, np.int64(state.turn), offset)
        if is_chooser(state, rules, seat) and state.hand[seat] != NONE and state.chosen[seat] == NO_CARD:
            return seat
    return NO_SEAT


@kernel
def ask_choosers(state, rules):
    """Ask the next chooser; when all cards are placed they move, or are shown, at once."""
    seat = next_chooser(state, rules)
    if seat != NO_SEAT:
        return ask(state, SHOW if state.effect == MAID else PASS, seat)
    return show_all(state, rules) if state.effect == MAID else pass_all(state, rules)


@kernel
def pass_all(state, rules):
    """All placed cards change hands at once; then the Murderer's, the Drunk's and the Blackmailer's rules."""
    n = rules.n_seats
    actor = np.int64(state.turn)
    for offset in range(n):
        giver = seat_at(rules, actor, offset)
        if state.chosen[giver] != NO_CARD and state.effect != GOSSIP:
            record_event(state, PASSED, giver, taker_of(state, rules, giver), 0)
    saw_passes(state, rules)
    murderer_to = NO_SEAT
    drunk_to = NO_SEAT
    for giver in range(n):
        if state.chosen[giver] != NO_CARD:
            state.hand[giver] &= ~bit(state.chosen[giver])
    for giver in range(n):
        card = np.int64(state.chosen[giver])
        if card != NO_CARD:
            taker = taker_of(state, rules, giver)
            state.hand[taker] |= bit(card)
            if card == MURDERER:
                murderer_to = taker
            elif card == DRUNK:
                drunk_to = taker
    after = murderer_passed_to(state, murderer_to) if murderer_to != NO_SEAT else ENTERED
    if after == ENTERED and drunk_to != NO_SEAT:
        announce_drunk(state, drunk_to, DRUNK)
    return after


@kernel
def show_all(state, rules):
    """17. The Maid: both neighbours' cards are shown to the actor."""
    actor = np.int64(state.turn)
    for offset in range(1, rules.n_seats):
        seat = seat_at(rules, actor, offset)
        card = np.int64(state.chosen[seat])
        if card != NO_CARD:
            record_event(state, SHOWED, seat, actor, 0)
            saw_show(state, rules, actor, seat, card)
    return TURN_OVER


@kernel
def apply_choice(state, rules, action):
    """A seat places a card face down."""
    state.chosen[state.to_act] = card_of(action, GIVE_CARD)
    return ask_choosers(state, rules)


# -- Starting an effect -------------------------------------------------------------------------


@kernel
def carry_out(state, rules):
    """Start the effect under way."""
    effect = state.effect
    actor = np.int64(state.turn)
    if effect == DETECTIVE or effect == CAD or effect == SOCIALITE or effect == INVALID or effect == REPORTER:
        return ask(state, TARGET, actor)
    if effect == SWAIN:
        return the_swain(state, rules)
    if effect == GOSSIP or effect == MAID:
        return ask_choosers(state, rules)
    if effect == DOCTOR:
        return ask(state, RESCUE, actor) if state.discard_n > 1 else NEXT_TURN
    if effect == NUN:
        return ask(state, BURY, actor) if state.hand[actor] != NONE else NEXT_TURN
    if effect == HOUND:
        return ask(state, NAME, actor)
    return look_into_deck(state, rules, actor)


@kernel
def look_into_deck(state, rules, actor):
    """15, 16, 18, 22: Secretary, Butler, Driver and Seer look at cards of the deck; an empty deck: nothing."""
    n = np.int64(state.deck_n)
    if n == 0:
        return NEXT_TURN
    if state.effect == BUTLER:
        record_event(state, BUTLERED, actor, NO_SEAT, np.int64(state.deck[n - 1]))
        saw_top(state, rules)
        return TURN_OVER
    if state.effect == SECRETARY:
        saw_look(state, actor, 0, n)
        ask(state, SEARCH, actor)
    elif state.effect == DRIVER:
        saw_look(state, actor, n - n_top(state), n)
        ask(state, PICK, actor)
    else:
        saw_look(state, actor, 0, 1)
        ask(state, SEER_PHASE, actor)
    return SEEN


@kernel
def legal_target(state, rules, legal_set):
    """2: anybody, oneself unless the table forbids it; 24: a neighbour; 9, 10, 11, 13: another player."""
    n = rules.n_seats
    everybody = bit(n) - np.uint64(1)
    if state.effect == DETECTIVE and rules.detective_self != 0:
        offsets = everybody
    elif state.effect == REPORTER:
        offsets = bit(1) | bit(n - 1)
    else:
        offsets = everybody & ~np.uint64(1)
    allow_all(legal_set, TARGET_SEAT, offsets)


@kernel
def apply_target(state, rules, action):
    """The actor names a player."""
    actor = np.int64(state.turn)
    target = seat_at(rules, actor, action - TARGET_SEAT)
    second = state.phase == TARGET2
    state.targets[1 if second else 0] = target
    record_event(state, TARGETED, actor, target, 0)
    effect = state.effect
    if effect == DETECTIVE:
        return ask(state, DISCARD, target) if state.hand[target] != NONE else NEXT_TURN
    if effect == CAD and not second:
        return ask(state, TARGET2, actor)
    if effect == SWAIN:
        return be_taken_from(state, rules, actor, target)
    if effect == REPORTER:
        return report(state, rules, actor, target)
    return ask_choosers(state, rules)


# -- 2. The Detective ---------------------------------------------------------------------------


@kernel
def apply_discard(state, rules, action):
    """The target's card is laid open, unplayed; the Murderer: all win."""
    seat = np.int64(state.to_act)
    card = card_of(action, GIVE_CARD)
    record_event(state, DISCARDED, seat, NO_SEAT, card)
    saw_discard(state, rules, seat, card)
    state.hand[seat] &= ~bit(card)
    lay_on_discard(state, card)
    return finish(state, BY_DETECTIVE) if card == MURDERER else TURN_OVER


# -- 9. The Cad ---------------------------------------------------------------------------------


@kernel
def legal_target2(state, rules, legal_set):
    """The second of two other players."""
    first = offset_of(rules, np.int64(state.targets[0]), np.int64(state.turn))
    allow_all(legal_set, TARGET_SEAT, (bit(rules.n_seats) - np.uint64(1)) & ~(np.uint64(1) | bit(first)))


# -- 11. The Swain ------------------------------------------------------------------------------


@kernel
def the_swain(state, rules):
    """Draw a card if there is one; a Drunk just drawn may talk before the target is chosen."""
    actor = np.int64(state.turn)
    card = draw(state, rules, actor) if state.deck_n > 0 else NO_CARD
    if card == DRUNK and drunk_window(rules):
        ask(state, ANNOUNCE, actor)
        return SEEN
    return ENTERED


@kernel
def after_swain_drew(state):
    """A target is chosen, if there is a card to take."""
    actor = np.int64(state.turn)
    return ask(state, TARGET, actor) if state.hand[actor] != NONE else NEXT_TURN


@kernel
def be_taken_from(state, rules, actor, target):
    """The target takes a random card of the actor's hand, whatever it is; it is a pass."""
    hand = state.hand[actor]
    card = kth(hand, below(state, popcount(hand)))
    record_event(state, PASSED, actor, target, 0)
    saw_random_pass(state, rules, actor, target, card)
    state.hand[actor] &= ~bit(card)
    state.hand[target] |= bit(card)
    if card == MURDERER:
        return murderer_passed_to(state, target)
    announce_drunk(state, target, card)
    return ENTERED


# -- 14. The Doctor -----------------------------------------------------------------------------


@kernel
def legal_rescue(state, rules, legal_set):
    """Any card of the discard pile but the one just played, which lies on top."""
    cards = NONE
    for i in range(np.int64(state.discard_n) - 1):
        cards |= bit(state.discard[i])
    allow_cards(legal_set, TAKE_CARD, cards)


@kernel
def apply_rescue(state, rules, action):
    """The card is shown and shuffled into the deck."""
    card = card_of(action, TAKE_CARD)
    record_event(state, RESCUED, np.int64(state.turn), NO_SEAT, card)
    n = np.int64(state.discard_n) - 1
    take_out(state.discard, n + 1, card)
    state.discard_n = n
    put_into_deck(state, card)
    shuffle_deck(state, rules)
    all_know(state, rules, card, UPPER)
    return TURN_OVER


# -- 15. The Secretary --------------------------------------------------------------------------


@kernel
def legal_search(state, rules, legal_set):
    """Any card of the deck, or none."""
    allow_cards(legal_set, TAKE_CARD, part_of_deck(state, 0, np.int64(state.deck_n)))
    allow(legal_set, LEAVE)


@kernel
def apply_search(state, rules, action):
    """A card may go on top of the discard pile, for all to see; the deck is shuffled in any case."""
    actor = np.int64(state.turn)
    card = NO_CARD if action == LEAVE else card_of(action, TAKE_CARD)
    record_event(state, SEARCHED, actor, NO_SEAT, card)
    if card != NO_CARD:
        take_from_deck(state, card)
        laid_open(state, rules, card)
        lay_on_discard(state, card)
    return SHUFFLING


# -- 18. The Driver -----------------------------------------------------------------------------


@kernel
def n_top(state):
    """How many cards the Driver looks at."""
    return min(3, np.int64(state.deck_n))


@kernel
def legal_pick(state, rules, legal_set):
    """Any of the cards looked at."""
    n = np.int64(state.deck_n)
    allow_cards(legal_set, TAKE_CARD, part_of_deck(state, n - n_top(state), n))


@kernel
def apply_pick(state, rules, action):
    """One card is taken into the hand; the whole deck is shuffled; only then does the card take effect."""
    actor = np.int64(state.turn)
    card = card_of(action, TAKE_CARD)
    record_event(state, PICKED, actor, NO_SEAT, 0)
    saw_pick(state, rules, actor, card, n_top(state))
    take_from_deck(state, card)
    state.hand[actor] |= bit(card)
    shuffle_deck(state, rules)
    announce_drunk(state, actor, card)
    return ENTERED


# -- 21. The Nun --------------------------------------------------------------------------------


@kernel
def legal_bury(state, rules, legal_set):
    """Any card of the hand but the Murderer, unless it is alone."""
    allow_cards(legal_set, GIVE_CARD, buriable(state.hand[state.turn]))


@kernel
def apply_bury(state, rules, action):
    """The card goes under the deck, unseen; it joins the lower part if there is one."""
    actor = np.int64(state.turn)
    card = card_of(action, GIVE_CARD)
    record_event(state, BURIED, actor, NO_SEAT, 0)
    saw_bury(state, rules, actor, card)
    state.hand[actor] &= ~bit(card)
    for i in range(np.int64(state.deck_n), 0, -1):
        state.deck[i] = state.deck[i - 1]
    state.deck[0] = card
    state.deck_n += 1
    if state.lower_n > 0:
        state.lower_n += 1
    return TURN_OVER


# -- 22. The Seer -------------------------------------------------------------------------------


@kernel
def apply_seer(state, rules, action):
    """Everybody sees whether the card is raised; then there are no two parts any more."""
    record_event(state, SEERED, np.int64(state.turn), NO_SEAT, np.int64(action == RAISE))
    if action == RAISE:
        card = np.int64(state.deck[0])
        take_from_deck(state, card)
        put_into_deck(state, card)
        state.lower_n = 0
        lose_line(state, rules)
    return TURN_OVER


# -- 23. The Faithful Hound ---------------------------------------------------------------------


@kernel
def apply_name(state, rules, action):
    """The actor alone learns which other seat holds the card, or that none does."""
    actor = np.int64(state.turn)
    card = card_of(action, NAME_CARD)
    record_event(state, NAMED, actor, NO_SEAT, card)
    raiser = NO_SEAT
    for seat in range(rules.n_seats):
        if seat != actor and has(state.hand[seat], card):
            raiser = seat
    saw_answer(state, rules, actor, card, raiser)
    return TURN_OVER


# -- 24. The Reporter ---------------------------------------------------------------------------


@kernel
def report(state, rules, actor, target):
    """A random card of a neighbour is shown to all and goes back."""
    hand = state.hand[target]
    if hand == NONE:
        return NEXT_TURN
    card = kth(hand, below(state, popcount(hand)))
    record_event(state, REPORTED, actor, target, card)
    all_know(state, rules, card, HANDS + target)
    return TURN_OVER
