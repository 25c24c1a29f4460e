"""Rounds, talk, writing and the revelation, in the rulebook's order.

A round, as phases:

    VISIT -> (VETO_LOCATION by each with a token -> VISIT again, if one vetoes) -> the location is read
    -> TALK by each in turn, from the Leader on (-> REPLY by whom one asks)
    -> LEADER -> (VETO_LEADER by each with a token -> LEADER again, if one vetoes) -> the next round

In the last round nobody is named: a final TALK, then ACCUSE_PHASE -> ANSWER_PHASE, ANSWER_PHASE by each, TIEBREAK by
the Leader if the most accused are several, OVER.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow_all, bit, full, has, kth, popcount
from murder_envs.core.jit import kernel
from murder_envs.games.my_murder_mystery.cards import (
    ACCUSE,
    ANSWER,
    HAS,
    HIDE,
    IS,
    LACKS,
    MAX_OBJECTIVES,
    MAX_POINTS,
    MURDER,
    NONE,
    NOT,
)
from murder_envs.games.my_murder_mystery.deal import EVENT_BYTES, N_EVENTS, OFFER_REPLY, OFFER_SILENT, set_up
from murder_envs.games.my_murder_mystery.moves import (
    ACCUSE_PHASE,
    ANSWER_PHASE,
    ASKED,
    DECLINED,
    HANDED_OUT,
    LEADER,
    NAMED_LEADER,
    NO_LOCATION,
    NO_SEAT,
    NOBODY,
    OVER,
    PASS,
    REPLY,
    REVEALED,
    REWARD_POINTS,
    REWARD_WIN,
    SAID,
    SUSPECTED,
    TALK,
    TIEBREAK,
    TOOK,
    VETO,
    VETO_LEADER,
    VETO_LOCATION,
    VETOED_LEADER,
    VETOED_LOCATION,
    VISIT,
    VISITED,
    is_silent,
    most_accused,
    next_with_token,
    person_at,
    seat_at,
    seen_people,
    takeable,
)
from murder_envs.games.my_murder_mystery.view import show_card, show_location, show_the_start


@kernel
def legal(state, rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    phase = np.int64(state.phase)
    offer = phase
    if phase == TALK and is_silent(state, rules):
        offer = np.int64(OFFER_SILENT)
    elif phase == REPLY:
        offer = OFFER_REPLY + np.int64(state.question)
    for w in range(legal_set.shape[0]):
        legal_set[w] = rules.offers[offer, w]
    if phase == TALK:
        legal_talk(state, rules, legal_set)
    elif phase == VISIT:
        legal_visit(state, rules, legal_set)
    elif phase == LEADER:
        legal_leader(state, rules, legal_set)
    elif phase == TIEBREAK:
        legal_tiebreak(state, rules, legal_set)


@kernel
def step(state, rules, action):
    """One decision; the action is known to be legal."""
    phase = state.phase
    if phase == TALK:
        apply_talk(state, rules, action)
    elif phase == VETO_LOCATION or phase == VETO_LEADER:
        apply_veto(state, rules, action)
    elif phase == ACCUSE_PHASE:
        apply_accuse(state, rules, action)
    elif phase == ANSWER_PHASE:
        apply_answer(state, rules, action)
    elif phase == REPLY:
        apply_reply(state, rules, action)
    elif phase == VISIT:
        apply_visit(state, rules, action)
    elif phase == LEADER:
        apply_leader(state, rules, action)
    else:
        apply_tiebreak(state, rules, action)


@kernel
def deal(state, rules, seed):
    """Set up, let everybody read the own cards, and ask the Leader for the first location."""
    set_up(state, rules, seed)
    show_the_start(state, rules)
    ask(state, VISIT, np.int64(state.leader))


@kernel
def ask(state, phase, seat):
    """Somebody is asked something next."""
    state.phase = phase
    state.to_act = seat


COUNTED = 0x80
"""Sign bit of a byte of an event that counts seats or people from the one who looks."""


@kernel
def record_event(state, rules, kind, seat, a, b, c, counted):
    """Enter a public event. counted: which of the bytes a, b, c (2, 3, 4) is 1 + a seat or a person, or 0: none."""
    at = (np.int64(state.events_at) - 1) & (N_EVENTS - 1)
    state.events_at = at
    event = np.uint64(kind | (seat + 1) << 8 | a << 16 | b << 24 | c << 32 | COUNTED << 8)
    if counted != 0 and (a if counted == 2 else b if counted == 3 else c) <= rules.n_seats:
        event |= np.uint64(COUNTED) << np.uint64(8 * counted)
    for k in range(EVENT_BYTES):
        byte = np.uint8(event >> np.uint64(8 * k))
        state.events[EVENT_BYTES * at + k] = byte
        state.events[EVENT_BYTES * (at + N_EVENTS) + k] = byte


# -- Investigation ----------------------------------------------------------------------------------------------------


@kernel
def legal_visit(state, rules, legal_set):
    """A location face down that was not vetoed in this round."""
    places = full(rules.n_locations) & ~np.uint64(state.revealed)
    if state.vetoed_location != NO_LOCATION:
        places &= ~bit(np.int64(state.vetoed_location) - 1)
    allow_all(legal_set, rules.do_visit, places)


@kernel
def apply_visit(state, rules, action):
    """The location is only chosen; the others may veto it, unless one was vetoed in this round."""
    leader = np.int64(state.leader)
    location = action - rules.do_visit + 1
    record_event(state, rules, VISITED, leader, location, 0, 0, 0)
    state.chosen = location
    asked = next_with_token(state, rules, leader) if state.vetoed_location == NO_LOCATION else np.int64(NO_SEAT)
    if asked != NO_SEAT:
        ask(state, VETO_LOCATION, asked)
    else:
        reveal(state, rules)


@kernel
def reveal(state, rules):
    """The chosen location is turned over and read aloud; the Leader takes the card that it names and reads it alone."""
    leader = np.int64(state.leader)
    location = np.int64(state.chosen) - 1
    state.chosen = NO_LOCATION
    state.revealed |= bit(location)
    state.order[location] = popcount(state.revealed)
    show_location(state, rules, location)
    record_event(state, rules, REVEALED, leader, location + 1, 0, 0, 0)
    card = np.int64(state.hands[location])
    if card != 0:
        record_event(state, rules, HANDED_OUT, leader, card, 0, 0, 0)
        lay_before(state, card, leader)
        show_card(state, rules, leader, card)
    begin_talk(state, rules)


@kernel
def lay_before(state, card, seat):
    """A card lies face down before a seat from now on."""
    holder = np.int64(state.holder[card])
    if holder != NO_SEAT:
        state.cards_of[holder] &= ~bit(card)
    state.holder[card] = seat
    state.cards_of[seat] |= bit(card)
    state.laid_out |= bit(card)


@kernel
def legal_leader(state, rules, legal_set):
    """Any other player who was not vetoed in this round."""
    seats = full(rules.n_seats)
    if state.vetoed_leader != NO_SEAT:
        seats &= ~bit(np.int64(state.vetoed_leader))
    others = seen_people(rules, seats, np.int64(state.leader)) & ~np.uint64(1)
    allow_all(legal_set, rules.do_leader, others >> np.uint64(1))


@kernel
def apply_leader(state, rules, action):
    """The others may veto the next Leader too, the nominee included, unless one was vetoed in this round."""
    leader = np.int64(state.leader)
    nominee = seat_at(rules, leader, action - rules.do_leader + 1)
    record_event(state, rules, NAMED_LEADER, leader, nominee + 1, 0, 0, 2)
    state.nominee = nominee
    asked = next_with_token(state, rules, leader) if state.vetoed_leader == NO_SEAT else np.int64(NO_SEAT)
    if asked != NO_SEAT:
        ask(state, VETO_LEADER, asked)
    else:
        pass_the_token(state)


@kernel
def pass_the_token(state):
    """The nominee leads the next round."""
    state.leader = state.nominee
    state.nominee = NO_SEAT
    state.vetoed_leader = NO_SEAT
    state.vetoed_location = NO_LOCATION
    state.round_n += 1
    ask(state, VISIT, np.int64(state.leader))


# -- Actions: vetoes --------------------------------------------------------------------------------------------------


@kernel
def apply_veto(state, rules, action):
    """The first veto counts and closes the window (Ruling); when all have passed, what was chosen happens."""
    seat = np.int64(state.to_act)
    of_location = state.phase == VETO_LOCATION
    if action == VETO:
        state.tokens[seat] -= 1
        if of_location:
            record_event(state, rules, VETOED_LOCATION, seat, np.int64(state.chosen), 0, 0, 0)
            state.vetoed_location = state.chosen
            state.chosen = NO_LOCATION
        else:
            record_event(state, rules, VETOED_LEADER, seat, np.int64(state.nominee) + 1, 0, 0, 2)
            state.vetoed_leader = state.nominee
            state.nominee = NO_SEAT
        ask(state, VISIT if of_location else LEADER, np.int64(state.leader))
        return
    asked = next_with_token(state, rules, seat)
    if asked != NO_SEAT:
        state.to_act = asked
    elif of_location:
        reveal(state, rules)
    else:
        pass_the_token(state)


# -- Talk, and actions: taking a card ---------------------------------------------------------------------------------


@kernel
def begin_talk(state, rules):
    """The Leader speaks first; in a silent round whoever can take a card first."""
    state.talk_round = 0
    state.spoken = 0
    next_turn(state, rules)


@kernel
def next_turn(state, rules):
    """Whose talk turn it is now that `spoken` turns of this round are over; seats with nothing to choose have none."""
    n = rules.n_seats
    silent = is_silent(state, rules)
    while silent and state.spoken < n:
        if takeable(state, seat_at(rules, np.int64(state.leader), np.int64(state.spoken))) != NONE:
            break
        state.spoken += 1
    if state.spoken == n:
        state.spoken = 0
        state.talk_round += 1
        rounds = rules.n_final_rounds if state.final != 0 else max(1, rules.n_talk_rounds)
        if state.talk_round == rounds:
            end_talk(state, rules)
            return
    ask(state, TALK, seat_at(rules, np.int64(state.leader), np.int64(state.spoken)))


@kernel
def end_talk(state, rules):
    """The Leader names the next one; after the last round comes the final discussion, and after it the writing."""
    state.talk_round = 0
    if state.round_n < rules.n_rounds:
        ask(state, LEADER, np.int64(state.leader))
    elif state.final == 0 and rules.n_final_rounds > 0:
        state.final = 1
        ask(state, TALK, np.int64(state.leader))
    else:
        state.final = 0
        ask(state, ACCUSE_PHASE, np.int64(state.leader))


@kernel
def end_turn(state, rules):
    """A talk turn is over."""
    state.spoken += 1
    next_turn(state, rules)


@kernel
def legal_talk(state, rules, legal_set):
    """Beside what can be said: cards before another player can be taken."""
    allow_all(legal_set, rules.do_take, takeable(state, np.int64(state.to_act)) >> np.uint64(1))


@kernel
def apply_talk(state, rules, action):
    """One act of speech ends the turn; cards are taken before, as many as tokens allow."""
    seat = np.int64(state.to_act)
    if action >= rules.do_suspect:
        suspect = person_at(rules, seat, action - rules.do_suspect)
        record_event(state, rules, SUSPECTED, seat, suspect + 1, 0, 0, 2)
        state.suspicion[seat] = suspect
    elif action >= rules.do_ask:
        offset = (action - rules.do_ask) // rules.n_questions
        question = action - rules.do_ask - offset * rules.n_questions
        asked = seat_at(rules, seat, offset + 1)
        record_event(state, rules, ASKED, seat, question + 1, asked + 1, 0, 3)
        state.question = question
        ask(state, REPLY, asked)
        return
    elif action >= rules.do_say:
        say(state, rules, seat, action - rules.do_say)
    elif action != PASS:
        take(state, rules, seat, action - rules.do_take + 1)
        if not is_silent(state, rules) or takeable(state, seat) != NONE:
            return
    end_turn(state, rules)


@kernel
def take(state, rules, seat, card):
    """A token buys a card from another player; the former holder remembers it."""
    holder = np.int64(state.holder[card])
    record_event(state, rules, TOOK, seat, card, holder + 1, 0, 3)
    state.tokens[seat] -= 1
    lay_before(state, card, seat)
    if not has(np.uint64(state.readers[card]), seat):
        show_card(state, rules, seat, card)


# -- Important: lying and questions -----------------------------------------------------------------------------------


@kernel
def say(state, rules, seat, fact):
    """A statement, true or not, replaces the one before on the same subject."""
    n_people = rules.n_people
    question = np.int64(0)
    while fact >= rules.n_facts:
        fact -= rules.n_facts
        question += 1
    if fact < 2 * n_people:
        kind = IS if fact < n_people else NOT
        subject = person_at(rules, seat, fact - n_people * kind)
        one = bit(question * n_people + subject)
        if kind == IS:
            state.claims_is[seat] |= one
            state.claims_not[seat] &= ~one
        else:
            state.claims_not[seat] |= one
            state.claims_is[seat] &= ~one
        record_event(state, rules, SAID, seat, question + 1, kind + 1, subject + 1, 4)
        return
    subject = fact - 2 * n_people
    kind = HAS if subject < rules.n_traits else LACKS
    one = bit(question * rules.n_traits + subject)
    if kind == HAS:
        state.claims_has[seat] |= one
        state.claims_lacks[seat] &= ~one
    else:
        subject -= rules.n_traits
        one >>= np.uint64(rules.n_traits)
        state.claims_lacks[seat] |= one
        state.claims_has[seat] &= ~one
    record_event(state, rules, SAID, seat, question + 1, kind + 1, subject + 1, 0)


@kernel
def apply_reply(state, rules, action):
    """The one asked answers or declines; then the turn of the one who asked is over."""
    seat = np.int64(state.to_act)
    if action == PASS:
        record_event(state, rules, DECLINED, seat, np.int64(state.question) + 1, 0, 0, 0)
    else:
        say(state, rules, seat, action - rules.do_say)
    state.question = 0
    end_turn(state, rules)


# -- Final Phase: Objectives ------------------------------------------------------------------------------------------


@kernel
def apply_accuse(state, rules, action):
    """The accusation is written down, unseen."""
    seat = np.int64(state.to_act)
    state.accusation[seat] = person_at(rules, seat, action - rules.do_accuse)
    if rules.n_answers > 0:
        state.question = state.asked[seat, 0]
        ask(state, ANSWER_PHASE, seat)
    else:
        next_writer(state, rules, seat)


@kernel
def apply_answer(state, rules, action):
    """The own questions are answered in the order of the card."""
    seat = np.int64(state.to_act)
    k = 0
    while state.answers[seat, k] != NOBODY:
        k += 1
    state.answers[seat, k] = person_at(rules, seat, action - rules.do_answer)
    if k + 1 < rules.n_answers:
        state.question = state.asked[seat, k + 1]
    else:
        state.question = 0
        next_writer(state, rules, seat)


@kernel
def next_writer(state, rules, seat):
    """When all have written they point at the same time, as they have written (Ruling)."""
    following = seat_at(rules, seat, 1)
    if following != state.leader:
        ask(state, ACCUSE_PHASE, following)
        return
    tied = most_accused(state, rules)
    if popcount(tied) > 1:
        ask(state, TIEBREAK, np.int64(state.leader))
    else:
        finish(state, kth(tied, 0) if tied != NONE else np.int64(NOBODY))


# -- Revelation -------------------------------------------------------------------------------------------------------


@kernel
def legal_tiebreak(state, rules, legal_set):
    """The Leader decides among the tied, even about itself."""
    allow_all(legal_set, rules.do_condemn, seen_people(rules, most_accused(state, rules), np.int64(state.to_act)))


@kernel
def apply_tiebreak(state, rules, action):
    """The one whom the Leader names is the most accused."""
    finish(state, person_at(rules, np.int64(state.to_act), action - rules.do_condemn))


@kernel
def finish(state, accused):
    """The most accused is known; the rest follows from what was written."""
    state.accused = accused
    ask(state, OVER, NO_SEAT)


@kernel
def right_answers(state, rules, question, seat):
    """How many others have named the right answer: in accusations, or in answers to an objective of theirs."""
    n = 0
    for other in range(rules.n_seats):
        if other != seat:
            if question == MURDER:
                n += state.accusation[other] == state.solution[MURDER]
            else:
                for k in range(rules.n_answers):
                    asked = state.asked[other, k] == question
                    n += asked and state.answers[other, k] == state.solution[question]
    return n


@kernel
def is_done(state, rules, seat, k):
    """Is a seat's k-th objective completed?"""
    objective = np.int64(state.objectives[seat, k])
    kind = objective & 3
    question = objective >> 2 & 3
    if kind == ACCUSE:
        return state.accusation[seat] == state.solution[MURDER]
    if kind == HIDE:
        return right_answers(state, rules, question, seat) <= objective >> 7
    if kind == ANSWER:
        for i in range(rules.n_answers):
            if state.asked[seat, i] == question:
                return state.answers[seat, i] == state.solution[question]
    return False


@kernel
def points_of(state, rules, seat):
    """Points of a seat's completed objectives."""
    points = np.int64(0)
    for k in range(MAX_OBJECTIVES):
        if is_done(state, rules, seat, k):
            points += np.int64(state.objectives[seat, k]) >> 4 & 7
    return points


@kernel
def returns(state, rules, out):
    """Several may win; who is eliminated does not."""
    n = rules.n_seats
    n_winners = 0
    over = state.phase == OVER
    for seat in range(n):
        out[seat] = 0.0
        if over:
            points = points_of(state, rules, seat)
            won = points >= rules.win_points and state.accused != seat
            n_winners += won
            if rules.reward == REWARD_WIN:
                out[seat] = 1.0 if won else -1.0
            elif rules.reward == REWARD_POINTS:
                out[seat] = -1.0 if state.accused == seat else min(points, MAX_POINTS) / MAX_POINTS
            else:
                out[seat] = 1.0 if won else 0.0
    if over and rules.reward != REWARD_WIN and rules.reward != REWARD_POINTS:
        for seat in range(n):
            out[seat] -= n_winners / n


@kernel
def to_act(state):
    """The seat asked; -1 when over."""
    return np.int64(state.to_act)


@kernel
def is_over(state):
    """Has the game ended?"""
    return state.phase == OVER


@kernel
def is_cut_off(state):
    """There is no step cap."""
    return False
