"""Who knows what: facts as they are shown.

What is shown to all is kept once for all, what one seat alone knows (its role, its story, the cards that it has read)
by seat; both as facts about traits (has, lacks) and as the people whom these facts leave for each question (fits). So
an observation only puts the two together. What players say proves nothing and is no part of it.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, full, has, lowest, without_lowest
from murder_envs.core.jit import kernel
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.state import Rules, State, of_question, parts_of_clearing, parts_of_trait_fact


@kernel
def misfits(state: State, rules: Rules, fact):
    """The set of (question, person) that a fact about a trait excludes: who lacks it, or who has it."""
    question, trait, lacks = parts_of_trait_fact(fact)
    bearers = state.bearers[trait]
    excluded = bearers if lacks != 0 else ~bearers & full(rules.n_people)
    return excluded << (question * rules.n_people)


@kernel
def show_location(state: State, rules: Rules, location):
    """A location is read aloud: all learn its facts, and the card stays open for the rest of the game."""
    for k in range(c.FACTS_A_LOCATION):
        fact = state.facts[location, k]
        if fact != 0:
            question, trait, lacks = parts_of_trait_fact(fact)
            if lacks != 0:
                state.shown_lacks |= bit(question * rules.n_traits + trait)
            else:
                state.shown_has |= bit(question * rules.n_traits + trait)
            state.shown_fits &= ~misfits(state, rules, fact)


@kernel
def show_card(state: State, rules: Rules, seat, card):
    """A seat reads a top secret card; whoever has read a card remembers it when another takes it."""
    state.readers[card] |= bit(seat)
    if card >= c.FIRST_SETUP_CARD:
        for k in range(c.CLEARS_A_CARD):
            clearing = state.clears[card - c.FIRST_SETUP_CARD, k]
            if clearing != 0:
                question, person = parts_of_clearing(clearing)
                state.own_fits[seat] &= ~bit(question * rules.n_people + person)
        return
    fact = state.secret[card]
    if fact != 0:
        question, trait, lacks = parts_of_trait_fact(fact)
        if lacks != 0:
            state.own_lacks[seat] |= bit(question * rules.n_traits + trait)
        else:
            state.own_has[seat] |= bit(question * rules.n_traits + trait)
        state.own_fits[seat] &= ~misfits(state, rules, fact)


@kernel
def show_own_cards(state: State, rules: Rules, seat):
    """What a seat knows alone: of what it is guilty, its story, and the cards that it has read.

    Story A tells each player for each question whether it is the answer. So whoever is, knows the answer (the seat
    alone fits), and everybody else knows to be clear of it. Story B and Relationships clear others. Nobody but those of
    a question's pool fits it.

    Everything is built anew: after a redeal, and when a snapshot is restored, the cards are not those of before.
    """
    state.own_has[seat] = NONE
    state.own_lacks[seat] = NONE
    fits = rules.suspects & ~state.cleared[seat]
    for question in range(rules.n_questions):
        oneself = bit(question * rules.n_people + seat)
        if state.solution[question] == seat:
            fits &= ~(full(rules.n_people) << (question * rules.n_people)) | oneself
        else:
            fits &= ~oneself
    state.own_fits[seat] = fits
    for card in range(1, c.N_CARDS + 1):
        if has(state.readers[card], seat):
            show_card(state, rules, seat, card)


@kernel
def show_the_start(state: State, rules: Rules):
    """Absorb the Story: all read their own cards, and what lies open already."""
    state.shown_has = NONE
    state.shown_lacks = NONE
    state.shown_fits = full(rules.n_questions * rules.n_people)
    revealed = state.revealed
    while revealed != NONE:
        show_location(state, rules, lowest(revealed))
        revealed = without_lowest(revealed)
    for seat in range(rules.n_seats):
        show_own_cards(state, rules, seat)


@kernel
def candidates(state: State, rules: Rules, seat, question):
    """The set of those who may be the answer, as far as a seat was shown."""
    return of_question(state.shown_fits & state.own_fits[seat], question, rules.n_people)
