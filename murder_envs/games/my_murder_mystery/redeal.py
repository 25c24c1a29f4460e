"""Another world that a seat cannot tell from this one (the page's section 12).

Exact for the drawn case given all that the seat was shown, if what others said and chose is taken to tell nothing.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, full, has, kth, lowest, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, seed_redeal
from murder_envs.games.my_murder_mystery.cards import FIRST_SETUP_CARD, MURDER, N_CARDS, NONE
from murder_envs.games.my_murder_mystery.deal import draw_clears, draw_portrait, hand_out, lay_facts
from murder_envs.games.my_murder_mystery.moves import ANSWER_PHASE, NOBODY, OVER, TIEBREAK
from murder_envs.games.my_murder_mystery.view import show_own_cards


@kernel
def redeal(state, rules, seat, seed):
    """Deal anew what the seat has not seen, in place."""
    seed_redeal(state, seed)
    draw_answers(state, rules, seat)
    draw_unread(state, rules, seat)
    for card in range(FIRST_SETUP_CARD, N_CARDS + 1):
        if has(rules.setup_cards, card) and not has(np.uint64(state.readers[card]), seat):
            draw_clears(state, rules, card)
    for portrait in range(rules.n_portraits):
        if portrait != seat:
            draw_portrait(state, rules, portrait)
    draw_writing(state, rules, seat)
    for other in range(rules.n_seats):
        if other != seat:
            show_own_cards(state, rules, other)


@kernel
def candidates(state, rules, seat, question):
    """Who may be the answer, as far as the seat was shown."""
    fits = state.shown_fits & state.own_fits[seat]
    return (fits >> np.uint64(question * rules.n_people)) & full(rules.n_people)


@kernel
def draw_answers(state, rules, seat):
    """The murderer from the seat's candidates; the other answers all together, no two alike."""
    people = candidates(state, rules, seat, MURDER)
    state.solution[MURDER] = kth(people, below(state, popcount(people)))
    if rules.n_questions == 1:
        return
    first = candidates(state, rules, seat, 1)
    second = candidates(state, rules, seat, 2)
    has_third = rules.n_questions > 3
    third = candidates(state, rules, seat, 3) if has_third else NONE
    n = np.int64(0)
    left = first
    while left != NONE:
        n += ways(second, third, has_third, lowest(left))
        left &= left - np.uint64(1)
    k = below(state, n)
    n = ways(second, third, has_third, lowest(first))
    while k >= n:
        k -= n
        first &= first - np.uint64(1)
        n = ways(second, third, has_third, lowest(first))
    state.solution[1] = lowest(first)
    second &= ~bit(lowest(first))
    third &= ~bit(lowest(first))
    if not has_third:
        state.solution[2] = kth(second, k)
        return
    n = popcount(third & ~bit(lowest(second)))
    while k >= n:
        k -= n
        second &= second - np.uint64(1)
        n = popcount(third & ~bit(lowest(second)))
    state.solution[2] = lowest(second)
    state.solution[3] = kth(third & ~bit(lowest(second)), k)


@kernel
def ways(second, third, has_third, first):
    """In how many ways the remaining one or two questions can have answers other than `first` and each other."""
    second = second & ~bit(first)
    third = third & ~bit(first)
    n = popcount(second)
    return n * popcount(third) - popcount(second & third) if has_third else n


@kernel
def draw_unread(state, rules, seat):
    """Locations face down, and the cards that the seat has not read."""
    places = full(rules.n_locations) & ~np.uint64(state.revealed)
    stack = rules.handed & ~state.laid_out
    hand_out(state, places, stack)
    unread = NONE
    for card in range(1, FIRST_SETUP_CARD):
        if has(rules.handed, card) and not has(np.uint64(state.readers[card]), seat):
            unread |= bit(card)
    seen = state.shown_has | state.shown_lacks | state.own_has[seat] | state.own_lacks[seat]
    lay_facts(state, rules, places, unread, full(rules.n_questions * rules.n_traits) & ~seen)


@kernel
def draw_writing(state, rules, seat):
    """What others have written and not shown: anybody."""
    pointed = state.phase == TIEBREAK or state.phase == OVER
    for other in range(rules.n_seats):
        if other != seat:
            if not pointed and state.accusation[other] != NOBODY:
                state.accusation[other] = below(state, rules.n_people)
            for k in range(rules.n_answers):
                if state.answers[other, k] != NOBODY:
                    state.answers[other, k] = below(state, rules.n_people)
    if state.phase == ANSWER_PHASE:
        writer = np.int64(state.to_act)
        k = 0
        while state.answers[writer, k] != NOBODY:
            k += 1
        state.question = state.asked[writer, k]
