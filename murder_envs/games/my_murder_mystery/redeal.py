"""Another world that a seat cannot tell from this one: determinization, which this project calls redeal.

Exact for the drawn case given all that the seat was shown: each way to complete the deal is as likely as the generator
makes it. A written case is redealt in the same way, as if it had been drawn.

Not modelled: what the others' words, choices and accusations say of their cards.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, full, has, kth, lowest, popcount, without_lowest
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, seed_redeal
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.generator import draw_clears, draw_portrait, hand_out, lay_facts, one_of
from murder_envs.games.my_murder_mystery.knowledge import candidates, show_own_cards
from murder_envs.games.my_murder_mystery.moves import NOBODY, PHASE
from murder_envs.games.my_murder_mystery.play import n_written
from murder_envs.games.my_murder_mystery.state import Rules, State


@kernel
def redeal(state: State, rules: Rules, seat, seed):
    """Deal anew what the seat has not seen, in place, from random numbers of its own.

    First the answers, from those that fit all that the seat was shown; then the cards that it has not read, which must
    agree with the new answers; then what others have written in secret.
    """
    seed_redeal(state, seed)
    draw_answers(state, rules, seat)
    draw_unread(state, rules, seat)
    for card in range(c.FIRST_SETUP_CARD, c.N_CARDS + 1):
        if has(rules.setup_cards, card) and not has(state.readers[card], seat):
            draw_clears(state, rules, card)
    for portrait in range(rules.n_portraits):
        if portrait != seat:
            draw_portrait(state, rules, portrait)
    draw_writing(state, rules, seat)
    for other in range(rules.n_seats):
        if other != seat:
            show_own_cards(state, rules, other)


@kernel
def draw_answers(state: State, rules: Rules, seat):
    """The murderer from the seat's candidates, by default players alone; the other answers together, no two alike.

    All lists of different candidates are equally likely. They are counted by the first answer, and by the second; then
    one number says which list it is. So one draw does, and none is thrown away.
    """
    state.solution[c.MURDER] = one_of(state, candidates(state, rules, seat, c.MURDER))
    if rules.n_questions == 1:
        return
    first = candidates(state, rules, seat, 1)
    second = candidates(state, rules, seat, 2)
    has_third = rules.n_questions > 3
    third = candidates(state, rules, seat, 3) if has_third else NONE
    n = 0
    left = first
    while left != NONE:
        n += ways(second, third, has_third, lowest(left))
        left = without_lowest(left)
    k = below(state, n)
    n = ways(second, third, has_third, lowest(first))
    while k >= n:
        k -= n
        first = without_lowest(first)
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
        second = without_lowest(second)
        n = popcount(third & ~bit(lowest(second)))
    state.solution[2] = lowest(second)
    state.solution[3] = kth(third & ~bit(lowest(second)), k)


@kernel
def ways(second, third, has_third, first):
    """In how many ways the remaining one or two questions can have answers other than `first` and each other.

    Two questions: all pairs, less those in which both have the same answer.
    """
    second = second & ~bit(first)
    third = third & ~bit(first)
    n = popcount(second)
    return n * popcount(third) - popcount(second & third) if has_third else n


@kernel
def draw_unread(state: State, rules: Rules, seat):
    """Locations face down, and the handed cards that the seat has not read, also those that others hold.

    Which location hands out which card is open as long as both are in the stack and face down; the topics that the seat
    has not seen are on them.
    """
    places = full(rules.n_locations) & ~state.revealed
    hand_out(state, places, rules.handed & ~state.laid_out)
    unread = NONE
    for card in range(1, c.FIRST_SETUP_CARD):
        if has(rules.handed, card) and not has(state.readers[card], seat):
            unread |= bit(card)
    seen = state.shown_has | state.shown_lacks | state.own_has[seat] | state.own_lacks[seat]
    lay_facts(state, rules, places, unread, full(rules.n_questions * rules.n_traits) & ~seen)


@kernel
def draw_writing(state: State, rules: Rules, seat):
    """What others have written and not shown: anybody, as often as they have written."""
    pointed = state.phase == PHASE.tiebreak or state.phase == PHASE.over
    for other in range(rules.n_seats):
        if other != seat:
            if not pointed and state.accusation[other] != NOBODY:
                state.accusation[other] = below(state, rules.n_people)
            for k in range(rules.answers):
                if state.answers[other, k] != NOBODY:
                    state.answers[other, k] = below(state, rules.n_people)
    if state.phase == PHASE.answer:
        writer = state.to_act
        state.question = state.must_answer[writer, n_written(state, writer)]
