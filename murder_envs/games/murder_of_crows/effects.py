"""Moving cards, and what cards do, in the order of the letters; then the Murdered Third.

Each effect returns what comes next: `asked` if somebody is asked, else `turn_over` or `next_turn` (see `play.resolve`).
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, NONE, ONES, allow, allow_all, bit, full, has, lowest
from murder_envs.core.contract import ask, first_from, others, seat_at, seen_from
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, shuffle
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.counts import byte_of, kinds, lay_out, n_at, nonzero, one_at
from murder_envs.games.murder_of_crows.deal import give, take_top
from murder_envs.games.murder_of_crows.knowledge import (
    enter_hand,
    laid_open,
    leave_hand,
    reveal,
    saw_flip,
    saw_reshuffle,
)
from murder_envs.games.murder_of_crows.moves import ACT, MODE, PHASE, THEN
from murder_envs.games.murder_of_crows.state import EMPTY_STACK, FLIPPED, Rules, State, record_event

# -- Asking -------------------------------------------------------------------------------------


@kernel
def ask_one(state: State, phase, seat):
    """Somebody is asked, and nothing else comes before the answer."""
    ask(state, phase, seat)
    return THEN.asked


@kernel
def ask_each(state: State, rules: Rules, phase, seats, start, then):
    """Ask a set of seats one after the other, clockwise from `start`; `then` is what comes if there are none.

    The set waits in `state.pending`, so that nothing of a chain of answers lives outside the state.
    """
    state.pending = seats
    if seats == NONE:
        return then
    return ask_one(state, phase, first_from(rules, seats, start))


@kernel
def ask_next(state: State, rules: Rules, start, then):
    """The seat to act has answered: the next of the pending ones is asked the same."""
    return ask_each(state, rules, state.phase, state.pending & ~bit(state.to_act), start, then)


# -- Building a Murder --------------------------------------------------------------------------
# A stack is kept twice: its cards in their order, two bits each, since a wild may come to the top again; and their
# number by face, since effects and observations ask for that. `renew_stack` is the only writer of what follows from
# the order: which stacks are empty, and how deep the uppermost wild lies.

SHIFT_OF_PAIR = np.uint64(2)
TOP_CARD = np.uint64(3)
LOW_OF_PAIRS = np.uint64(0x5555555555555555)


@kernel
def renew_stack(state: State, seat, stack, cards):
    """Write a changed stack, and how deep its uppermost wild lies."""
    if (state.stack[seat, stack] == EMPTY_STACK) != (cards == EMPTY_STACK):
        if cards == EMPTY_STACK:
            state.missing += one_at(seat)
        else:
            state.missing -= one_at(seat)
    state.stack[seat, stack] = cards
    wilds = cards & (cards >> 1) & LOW_OF_PAIRS
    depth = NONE if wilds == NONE else np.uint64((lowest(wilds) >> 1) + 1)
    shift = np.uint64(8 * stack)
    state.wild_depth[seat] = (state.wild_depth[seat] & ~(BYTE << shift)) | (depth << shift)


@kernel
def lay_on_stack(state: State, seat, stack_face):
    """A card goes on top of a stack."""
    stack = stack_face // c.N_FACES
    state.murder[seat, stack_face >> 3] += one_at(stack_face & 7)
    face = np.uint64(stack_face % c.N_FACES)
    renew_stack(state, seat, stack, (state.stack[seat, stack] << SHIFT_OF_PAIR) | face)


@kernel
def lift_from_stack(state: State, seat, stack_face):
    """The uppermost card of a face leaves a stack (Ruling); those above it slide down."""
    stack = stack_face // c.N_FACES
    state.murder[seat, stack_face >> 3] -= one_at(stack_face & 7)
    cards = state.stack[seat, stack]
    differs = cards ^ (LOW_OF_PAIRS * np.uint64(stack_face % c.N_FACES))
    at = np.uint64(lowest(~(differs | (differs >> 1)) & LOW_OF_PAIRS))
    above = cards & ((np.uint64(1) << at) - np.uint64(1))
    renew_stack(state, seat, stack, ((cards >> (at + SHIFT_OF_PAIR)) << at) | above)


@kernel
def filled(state: State, seat):
    """The stacks of a seat that have a card, as a set."""
    stacks = NONE
    for stack in range(c.N_STACKS):
        if state.stack[seat, stack] != EMPTY_STACK:
            stacks |= bit(stack)
    return stacks


@kernel
def faces_in(state: State, seat):
    """The kinds of card in a seat's stacks, as a set of stack-faces."""
    faces = nonzero(state.murder[seat, 0]) | (nonzero(state.murder[seat, 1]) << 8)
    return faces | (nonzero(state.murder[seat, 2]) << 16)


STACK_OF_FACES = np.array([((1 << c.N_FACES) - 1) << (c.N_FACES * stack) for stack in range(c.N_STACKS)], np.uint64)
FACES_OF = np.array([sum(int(STACK_OF_FACES[s]) for s in range(c.N_STACKS) if c.STACKS_OF[letter] >> s & 1)
                     for letter in range(len(c.STACKS_OF))], np.uint64)  # fmt: skip
"""letter -> the stack-faces of its stacks, as a set."""


@kernel
def with_murder(state: State, rules: Rules):
    """The seats with at least one card in their Murder, as a set."""
    return nonzero(state.missing ^ (ONES * np.uint64(rules.n_stacks))) & full(rules.n_seats)


@kernel
def with_letter(state: State, rules: Rules, seats, letter):
    """Those of some seats that have a card in the stacks of a letter."""
    having = NONE
    for seat in range(rules.n_seats):
        if has(seats, seat) and faces_in(state, seat) & FACES_OF[letter] != NONE:
            having |= bit(seat)
    return having


# -- Piles and hands ----------------------------------------------------------------------------


# Hands are counts by card in two parts (see `knowledge.py`); the discard pile is counts too, since its order plays no
# role: it is shuffled before it is drawn from.


@kernel
def hand_of(state: State, seat):
    """The cards that a seat holds, as a set."""
    return kinds(state.known[seat, 0] + state.secret[seat, 0], state.known[seat, 1] + state.secret[seat, 1])


@kernel
def discard(state: State, card):
    """A card goes to the discards."""
    state.discard[card >> 3] += one_at(card & 7)
    state.discard_n += 1


@kernel
def next_card(state: State, rules: Rules):
    """Take the top of the draw pile, which is made new from the discards if it must be; NO_CARD if there is none."""
    if state.deck_n == 0:
        if state.discard_n == 0:
            return c.NO_CARD
        saw_reshuffle(state, rules)
        state.deck_n = lay_out(state.deck, 0, state.discard[0], state.discard[1])
        if state.rng_listed == 0:
            shuffle(state, state.deck, 0, state.deck_n)
        state.discard[0] = NONE
        state.discard[1] = NONE
        state.discard_n = 0
        state.reshuffles += 1
    return take_top(state)


@kernel
def draw(state: State, rules: Rules, seat, n):
    """Draw n cards, as far as there are any."""
    for _ in range(n):
        card = next_card(state, rules)
        if card != c.NO_CARD:
            give(state, seat, card)


@kernel
def discard_hand(state: State, rules: Rules, seat):
    """A whole hand goes to the discards."""
    for i in range(2):
        state.discard[i] += state.known[seat, i] + state.secret[seat, i]
        state.known[seat, i] = NONE
    n = byte_of(state.n_held, seat)
    state.discard_n += n
    state.n_held -= n_at(seat, n)
    laid_open(state, rules, seat, state.secret[seat, 0], state.secret[seat, 1])


@kernel
def expel(state: State, rules: Rules, seats, start):
    """EXPEL: all of some seats, clockwise, discard their hands; then, clockwise, each draws anew.

    Discarding comes first for all, so that the cards are there if the draw pile has to be made new in between.
    """
    for offset in range(rules.n_seats):
        seat = seat_at(rules, start, offset)
        if has(seats, seat):
            discard_hand(state, rules, seat)
    for offset in range(rules.n_seats):
        seat = seat_at(rules, start, offset)
        if has(seats, seat):
            draw(state, rules, seat, rules.expel_draw)


# -- Card Effects -------------------------------------------------------------------------------
# An effect *touches* seats: those that it could do something to when the card was played. Who of them has prevented it
# is spared, and the rest is *affected*. A wild acts as the letter of its stack or removes a stack, as it was declared.


@kernel
def effect_of(state: State):
    """What the card in play does: a letter, or REMOVE."""
    return c.REMOVE if state.mode == MODE.remove else c.LETTER_OF[state.played // c.N_FACES]


@kernel
def touched(state: State, rules: Rules, effect):
    """The seats that an effect touches, prevented or not."""
    if effect == c.LETTER_R:
        return NONE
    seats = others(rules, state.current)
    if effect == c.LETTER_U:
        return seats & nonzero(state.n_held)
    return seats if effect == c.LETTER_E else seats & with_murder(state, rules)


@kernel
def affected(state: State, rules: Rules, effect):
    """The seats that an effect touches and that have not prevented it."""
    return touched(state, rules, effect) & ~state.prevented


@kernel
def carry_out(state: State, rules: Rules):
    """The effect of the card in play; without anybody affected, only a stack may be removed."""
    current = state.current
    effect = effect_of(state)
    seats = affected(state, rules, effect)
    if effect == c.LETTER_R:
        draw(state, rules, current, 1)
    elif effect == c.LETTER_E:
        expel(state, rules, seats, current)
    elif effect == c.LETTER_D:
        if seats != NONE:
            return ask_one(state, PHASE.letter, current)
    elif seats != NONE or effect == c.REMOVE:
        if effect == c.LETTER_U:
            for seat in range(rules.n_seats):
                if has(seats, seat):
                    reveal(state, rules, seat)
        return ask_one(state, PHASE.target, current)
    return THEN.turn_over


@kernel
def legal_target(state: State, rules: Rules, legal_set):
    """A seat still affected; for Remove also oneself, or nobody."""
    effect = effect_of(state)
    seats = affected(state, rules, effect)
    if effect == c.REMOVE:
        seats |= bit(state.current)
        allow(legal_set, ACT.pass_)
    allow_all(legal_set, ACT.target, seen_from(rules, seats, state.current))


@kernel
def apply_target(state: State, rules: Rules, action):
    """Then the card or the stack is chosen."""
    if action == ACT.pass_:
        return THEN.turn_over
    current = state.current
    effect = effect_of(state)
    state.target = seat_at(rules, current, action - ACT.target)
    return ask_one(
        state, PHASE.take if effect == c.LETTER_M else PHASE.grab if effect == c.LETTER_U else PHASE.raze, current
    )


@kernel
def legal_take(state: State, legal_set, seat):
    """Any kind of card in a Murder."""
    allow_all(legal_set, ACT.take, faces_in(state, seat))


@kernel
def apply_take(state: State, action, seat):
    """MISPLACE: one card of a Murder goes to the hand of the seat to act; everybody has seen it."""
    stack_face = action - ACT.take
    lift_from_stack(state, seat, stack_face)
    enter_hand(state, state.to_act, c.CARD_OF[stack_face])


@kernel
def apply_grab(state: State, rules: Rules, action):
    """UNCOVER: one card of a revealed hand."""
    card = action - ACT.grab
    leave_hand(state, rules, state.target, card)
    enter_hand(state, state.current, card)
    return THEN.turn_over


@kernel
def apply_letter(state: State, rules: Rules, action):
    """DRAIN: a letter is named, even one that nobody has."""
    letter = action - ACT.letter
    state.letter = letter
    seats = with_letter(state, rules, affected(state, rules, c.LETTER_D), letter)
    return ask_each(state, rules, PHASE.lose, seats, state.current, THEN.turn_over)


@kernel
def legal_lose(state: State, legal_set):
    """Any kind of card in the own stacks of the letter."""
    allow_all(legal_set, ACT.lose, faces_in(state, state.to_act) & FACES_OF[state.letter])


@kernel
def apply_lose(state: State, action):
    """DRAIN: the loser chooses which card goes to the discards (Ruling)."""
    stack_face = action - ACT.lose
    lift_from_stack(state, state.to_act, stack_face)
    discard(state, c.CARD_OF[stack_face])


@kernel
def legal_raze(state: State, legal_set, seat):
    """Any stack that has a card."""
    allow_all(legal_set, ACT.raze, filled(state, seat))


@kernel
def apply_raze(state: State, action, seat):
    """Remove a stack: all its cards go to the discards."""
    stack = action - ACT.raze
    for stack_face in range(c.N_FACES * stack, c.N_FACES * (stack + 1)):
        word = stack_face >> 3
        n = byte_of(state.murder[seat, word], stack_face & 7)
        card = c.CARD_OF[stack_face]
        state.murder[seat, word] -= n_at(stack_face & 7, n)
        state.discard[card >> 3] += n_at(card & 7, n)
        state.discard_n += n
    renew_stack(state, seat, stack, EMPTY_STACK)


# -- The Murdered Third -------------------------------------------------------------------------
# A third player who is not there: after both living players' turns a card is flipped, and does to both what the table
# of the configuration says (the printed actions are not in the rulebook's text). Nothing can be prevented, and the
# Third owns nothing.


@kernel
def flip(state: State, rules: Rules):
    """Turn over the top of the draw pile; it goes to the discards at once. NO_CARD if there is none."""
    card = next_card(state, rules)
    if card != c.NO_CARD:
        saw_flip(state, rules, card)
        discard(state, card)
        record_event(state, FLIPPED, card)
    return card


@kernel
def third_acts(state: State, rules: Rules):
    """Its flip hits both living players, the first player first; nothing can be prevented (Ruling: the acts)."""
    card = flip(state, rules)
    if card == c.NO_CARD:
        return THEN.next_turn
    first = state.first
    both = full(rules.n_seats)
    act = rules.third_table[card // c.N_CROWS]
    phase, asked = PHASE.third_raze, NONE
    if act == c.REVEAL:
        reveal(state, rules, 0)
        reveal(state, rules, 1)
        lose_random_card(state, rules, first)
        lose_random_card(state, rules, 1 - first)
    elif act == c.DRAW:
        draw(state, rules, first, 1)
        draw(state, rules, 1 - first, 1)
    elif act == c.EXPEL:
        expel(state, rules, both, first)
    elif act == c.DRAIN:
        named = flip(state, rules)
        if named != c.NO_CARD and named != c.WILD:
            state.letter = named // c.N_CROWS
            phase, asked = PHASE.third_lose, with_letter(state, rules, both, named // c.N_CROWS)
    elif act != c.NOTHING_AT_ALL:
        phase, asked = PHASE.third_take if act == c.TAKE_BACK else PHASE.third_raze, with_murder(state, rules)
    state.third_card = card
    return ask_each(state, rules, phase, asked, first, THEN.next_turn)


@kernel
def lose_random_card(state: State, rules: Rules, seat):
    """The Third's U: a card of an open hand goes to the discards, each as likely as any other."""
    n = byte_of(state.n_held, seat)
    if n == 0:
        return
    at = below(state, n)
    card = 0
    held = state.known[seat, 0]
    while at >= byte_of(held, card & 7):
        at -= byte_of(held, card & 7)
        card += 1
        if card == 8:
            held = state.known[seat, 1]
    leave_hand(state, rules, seat, card)
    discard(state, card)
