"""The generator: a case is drawn, and what of it a seat has not seen can be drawn again.

The rulebook leaves the story to the cards, and a printed case can be played once. A drawn one has the same logical
skeleton as a written case (see `case.check`): who is the answer to each question, what each card tells of it, what each
portrait wants. Traits and cast come before, in `deal.py`, since written cases draw them too.

All draws are uniform and independent of those before, but for what they leave to choose from. So the parts can be drawn
in any order, and `redeal` draws a part anew with the very functions that drew it first; those that it shares take the
set of what is still to be dealt.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, full, has, kth, lowest, popcount, without_lowest
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, shuffle
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.state import (
    Rules,
    State,
    clearing_fact,
    objective_of,
    of_question,
    sum_up_cards,
    trait_fact,
)


@kernel
def draw_case(state: State, rules: Rules):
    """All that stands on the cards of a generated case."""
    draw_solution(state, rules)
    draw_themes(state, rules)
    places = full(rules.n_locations)
    hand_out(state, places, rules.handed)
    lay_facts(state, rules, places, rules.handed, full(rules.n_questions * rules.n_traits))
    for portrait in range(rules.n_portraits):
        draw_portrait(state, rules, portrait)
    give_setup_cards(state, rules)
    for card in range(c.FIRST_SETUP_CARD, c.N_CARDS + 1):
        if has(rules.setup_cards, card):
            draw_clears(state, rules, card)


@kernel
def one_of(state: State, members):
    """A random member of a set that is not empty."""
    return kth(members, below(state, popcount(members)))


# -- Who did what -----------------------------------------------------------------------------------------------------


@kernel
def draw_solution(state: State, rules: Rules):
    """The murderer from its pool, the other answers different from each other; a murderer may have a secret too."""
    state.solution[c.MURDER] = one_of(state, rules.pool[c.MURDER])
    people = full(rules.n_people)
    for question in range(1, rules.n_questions):
        answer = one_of(state, people)
        state.solution[question] = answer
        people &= ~bit(answer)


# -- Locations and the cards that they hand out -----------------------------------------------------------------------


@kernel
def draw_themes(state: State, rules: Rules):
    """The murder on its number of fronts, the other questions in turn on the rest."""
    question = 1
    for location in range(rules.n_locations):
        if location < rules.murder_locations:
            state.theme[location] = c.MURDER
        else:
            state.theme[location] = question
            question += 1
            if question == rules.n_questions:
                question = 1
    shuffle(state, state.theme, 0, rules.n_locations)


@kernel
def hand_out(state: State, places, cards):
    """Each card of a set to a location of its own; the other locations of the set hand out nothing."""
    left = places
    while left != NONE:
        state.hands[lowest(left)] = 0
        left = without_lowest(left)
    while cards != NONE:
        location = one_of(state, places)
        state.hands[location] = lowest(cards)
        places &= ~bit(location)
        cards = without_lowest(cards)


@kernel
def fact_about(state: State, question, trait):
    """The fact that a card tells of a question and a trait: `has` or `lacks`, whichever is true."""
    return trait_fact(question, trait, 0 if has(state.bearers[trait], state.solution[question]) else 1)


@kernel
def lay_facts(state: State, rules: Rules, places, cards, topics):
    """What is to be told of the answers goes on locations and on handed cards.

    Each location first gets a topic of its theme. What is left over is padded with blanks and dealt to the other slots:
    the cards, and the second facts of locations that hand out no card.

    Args:
        state, rules: the records.
        places: set of locations to fill.
        cards: set of handed cards to fill.
        topics: set of (question, trait) that are still to be printed.
    """
    n_traits = rules.n_traits
    left = places
    n_slots = popcount(cards)
    while left != NONE:
        location = lowest(left)
        left = without_lowest(left)
        question = state.theme[location]
        trait = one_of(state, of_question(topics, question, n_traits))
        topics &= ~bit(question * n_traits + trait)
        state.facts[location, 0] = fact_about(state, question, trait)
        state.facts[location, 1] = 0
        n_slots += state.hands[location] == 0
    n_left = popcount(topics)
    while n_slots > 0:
        # Each slot takes one of those that are left, blanks included: as if all had been shuffled.
        k = below(state, n_slots)
        n_slots -= 1
        fact = 0
        if k < n_left:
            topic = kth(topics, k)
            topics &= ~bit(topic)
            n_left -= 1
            question = topic // n_traits
            fact = fact_about(state, question, topic - question * n_traits)
        if cards != NONE:
            state.secret[lowest(cards)] = fact
            cards = without_lowest(cards)
        else:
            while state.hands[lowest(places)] != 0:
                places = without_lowest(places)
            state.facts[lowest(places), 1] = fact
            places = without_lowest(places)


# -- Character cards --------------------------------------------------------------------------------------------------


@kernel
def draw_portrait(state: State, rules: Rules, portrait):
    """The own cards of a portrait."""
    draw_story(state, rules, portrait)
    draw_objectives(state, rules, portrait)
    sum_up_cards(state, rules, portrait)


@kernel
def draw_story(state: State, rules: Rules, portrait):
    """Story B and Relationships: clearing facts about others, few enough of each question.

    A question is drawn from those with room (`rules.cap`), then one who is not the answer. How many there are to choose
    from is the same whoever the answer is, so the number of facts tells nothing.
    """
    cleared = NONE
    for k in range(c.MAX_WITNESS):
        state.story[portrait, k] = 0
    for k in range(rules.witness_facts):
        questions = NONE
        for question in range(rules.n_questions):
            if popcount(of_question(cleared, question, rules.n_people)) < rules.cap[question]:
                questions |= bit(question)
        if questions == NONE:
            break
        question = one_of(state, questions)
        known = of_question(cleared, question, rules.n_people)
        others = rules.pool[question] & ~known & ~bit(portrait) & ~bit(state.solution[question])
        person = one_of(state, others)
        state.story[portrait, k] = clearing_fact(question, person)
        cleared |= bit(question * rules.n_people + person)


@kernel
def draw_objectives(state: State, rules: Rules, portrait):
    """Objectives: the accusation, or the murder to hide; answers to give; another secret to hide.

    Whoever keeps a secret gets less for the accusation, so that what all cards offer is about the same; the murder is
    kept while at most half of the others accuse the murderer.
    """
    base = c.BASE_POINTS if rules.answers > 0 else c.BASE_POINTS_ALONE
    secret = 0
    for question in range(1, rules.n_questions):
        if state.solution[question] == portrait:
            secret = question
    for k in range(c.MAX_OBJECTIVES):
        state.objectives[portrait, k] = 0
    if state.solution[c.MURDER] == portrait:
        points = max(base, rules.hide_points + 1)
        state.objectives[portrait, 0] = objective_of(c.HIDE, c.MURDER, (rules.n_seats - 1) // 2, points)
    else:
        points = base + 1 - rules.hide_points if secret != 0 else base
        state.objectives[portrait, 0] = objective_of(c.ACCUSE, c.MURDER, 0, points)
    left = full(rules.n_questions) & ~bit(c.MURDER) & ~bit(secret)
    for _ in range(popcount(left) - rules.answers):
        left &= ~bit(one_of(state, left))
    for k in range(rules.answers):
        state.objectives[portrait, 1 + k] = objective_of(c.ANSWER, lowest(left), 0, 1)
        left = without_lowest(left)
    if secret != 0:
        kept = objective_of(c.HIDE, secret, rules.hide_limit, rules.hide_points)
        state.objectives[portrait, 1 + rules.answers] = kept


# -- Setup cards: what portraits that are out would know --------------------------------------------------------------


@kernel
def give_setup_cards(state: State, rules: Rules):
    """Each setup card to another seat."""
    seats = full(rules.n_seats)
    for card in range(c.FIRST_SETUP_CARD, c.N_CARDS + 1):
        if has(rules.setup_cards, card):
            seat = one_of(state, seats)
            state.holder[card] = seat
            seats &= ~bit(seat)


@kernel
def draw_clears(state: State, rules: Rules, card):
    """Clearing facts about different questions that have enough characters in their pools."""
    questions = NONE
    for question in range(rules.n_questions):
        if popcount(rules.pool[question]) >= c.SETUP_POOL:
            questions |= bit(question)
    for k in range(c.CLEARS_A_CARD):
        fact = 0
        if questions != NONE:
            question = one_of(state, questions)
            questions &= ~bit(question)
            fact = clearing_fact(question, one_of(state, rules.pool[question] & ~bit(state.solution[question])))
        state.clears[card - c.FIRST_SETUP_CARD, k] = fact
