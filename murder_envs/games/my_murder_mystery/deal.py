"""Setting Up the Crime Scene and Starting the Investigation: who plays whom, and what lies where.

What the players come to know of it is in `knowledge.py`; a generated case is drawn in `generator.py`.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, ONE, bit, full, has, kth, lowest, without_lowest
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import kernel
from murder_envs.core.records import emptier
from murder_envs.core.rng import below, seed_rng
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.generator import draw_case, one_of
from murder_envs.games.my_murder_mystery.state import (
    Rules,
    State,
    clearing_fact,
    parts_of_clearing,
    sum_up_cards,
)

empty = emptier(State)


@kernel
def set_up(state: State, rules: Rules, seed: int):
    """Lay everything out and deal; what the players know of it comes later.

    The rulebook has the Leader token go to a random player, and portraits be chosen or drawn: both are drawn here,
    unless the configuration says who it is. An order of the draws is an order of the random numbers, so it is part of
    the game.
    """
    empty(state)
    state.config_digest = rules.config_digest
    seed_rng(state, seed)
    assign_portraits(state, rules)
    lay_traits(state, rules)
    if rules.is_written != 0:
        copy_case(state, rules)
    else:
        draw_case(state, rules)
    # The fronts of the locations are read aloud before play: all see them as a set.
    for location in range(rules.n_locations):
        state.fronts |= bit(location * rules.n_questions + state.theme[location])
    # A setup card is read by the player to whom it was given, and can be taken like any other.
    for card in range(c.FIRST_SETUP_CARD, c.N_CARDS + 1):
        if state.holder[card] != NO_SEAT:
            state.readers[card] = bit(state.holder[card])
            lay_before(state, card, state.holder[card])
    for seat in range(rules.n_seats):
        state.tokens[seat] = rules.tokens
    state.round_n = 1
    state.leader = below(state, rules.n_seats) if rules.leads_first == NO_SEAT else rules.leads_first


@kernel
def lay_before(state: State, card, seat):
    """A top secret card lies face down before a seat from now on."""
    holder = state.holder[card]
    if holder != NO_SEAT:
        state.cards_of[holder] &= ~bit(card)
    state.holder[card] = seat
    state.cards_of[seat] |= bit(card)
    state.laid_out |= bit(card)


# -- Assign Portraits -------------------------------------------------------------------------------------------------


@kernel
def assign_portraits(state: State, rules: Rules):
    """A portrait for each seat, as configured or at random; those who are left are out, and the extras come last.

    With five or six players of seven, Top Secret card 05 or 06 says who is out: so in a written case only
    `rules.in_play` is assigned. In a drawn case any portrait may be left over. Either way all see who is out.
    """
    portraits = rules.in_play
    unplayed = full(rules.n_people)
    for seat in range(rules.n_seats):
        if rules.has_cast != 0:
            person = rules.cast[seat]
        else:
            person = one_of(state, portraits)
            portraits &= ~bit(person)
        put_at(state, seat, person)
        unplayed &= ~bit(person)
    place = rules.n_seats
    while unplayed != NONE:
        put_at(state, place, lowest(unplayed))
        unplayed = without_lowest(unplayed)
        place += 1


@kernel
def put_at(state: State, place, person):
    """Let a character be at a place."""
    state.person[place] = person
    state.place[person] = place


@kernel
def lay_traits(state: State, rules: Rules):
    """Everybody's traits, printed on the portraits or told by the introduction: no two alike, and open to all.

    A set of traits is one of 2 ** n_traits codes; codes are drawn without putting them back. Traits that facts can be
    about are what makes deduction possible: the facts on a question together leave one code, so one character.
    """
    n_codes = 1 << rules.n_traits
    unused = full(n_codes)
    for person in range(rules.n_people):
        if rules.has_codes != 0:
            code = rules.codes[person]
        else:
            drawn = kth(unused, below(state, n_codes - person))
            unused &= ~bit(drawn)
            code = np.uint64(drawn)  # a set on both paths
        place = state.place[person]
        state.traits |= code << (place * rules.n_traits)
        for trait in range(rules.n_traits):
            state.bearers[trait] |= ((code >> trait) & ONE) << place


# -- A written case ---------------------------------------------------------------------------------------------------


@kernel
def copy_case(state: State, rules: Rules):
    """Lay out a written case: its characters become the people at their places.

    Facts about traits are copied as they are; facts about characters, and what a portrait has, move to the places.
    """
    for question in range(rules.n_questions):
        state.solution[question] = state.place[rules.solution[question]]
    for location in range(rules.n_locations):
        state.theme[location] = rules.theme[location]
        state.hands[location] = rules.hands[location]
        for k in range(c.FACTS_A_LOCATION):
            state.facts[location, k] = rules.facts[location, k]
    for card in range(c.N_CARDS + 1):
        state.secret[card] = rules.secret[card]
    for k in range(c.N_SETUP_CARDS):
        if has(rules.setup_cards, c.FIRST_SETUP_CARD + k):
            for i in range(c.CLEARS_A_CARD):
                state.clears[k, i] = moved(state, rules.clears[k, i])
            state.holder[c.FIRST_SETUP_CARD + k] = state.place[rules.given_to[k]]
    for portrait in range(rules.n_portraits):
        place = state.place[portrait]
        for k in range(c.MAX_WITNESS):
            state.story[place, k] = moved(state, rules.story[portrait, k])
        for k in range(c.MAX_OBJECTIVES):
            state.objectives[place, k] = rules.objectives[portrait, k]
        sum_up_cards(state, rules, place)


@kernel
def moved(state: State, fact):
    """A fact that clears a character, as one that clears the person at its place; 0 stays."""
    if fact == 0:
        return 0
    question, person = parts_of_clearing(fact)
    return clearing_fact(question, state.place[person])
