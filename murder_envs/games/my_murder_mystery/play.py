"""Rounds, talk, writing and the revelation, in the rulebook's order.

A round, as phases:

    visit -> (veto_location by each with a token -> visit again, if one vetoes) -> the location is read
    -> talk by each in turn, from the Leader on (-> reply by whom one asks)
    -> leader -> (veto_leader by each with a token -> leader again, if one vetoes) -> the next round

Who is asked about a veto, or has a turn to talk, can first take cards from others: the phase and the seat stay.

In the last round nobody is named: a final talk, then accuse -> answer, answer by each, tiebreak by the Leader if the
most accused are several, over.

The rulebook lets all talk freely and at any time. Here discussion comes in turns of one act of speech each, in seat
order, since free interruption would need a decision of every seat after every act.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, allow_all, bit, full, has, kth, popcount
from murder_envs.core.contract import NO_SEAT, ask, seat_at
from murder_envs.core.jit import DEBUG, inner, kernel
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import effects
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.deal import set_up
from murder_envs.games.my_murder_mystery.knowledge import candidates, show_the_start
from murder_envs.games.my_murder_mystery.moves import EVENT, NO_LOCATION, NOBODY, PASS, PHASE, VETO
from murder_envs.games.my_murder_mystery.state import (
    OFFER_REPLY,
    OFFER_SILENT,
    Rules,
    State,
    parts_of_objective,
    person_at,
    record_event,
    seen_people,
)


@kernel
def legal(state: State, rules: Rules, legal_set):
    """The legal set of the seat to act; empty when the game is over.

    What depends on the phase alone is in `rules.offers`; the rest is added.
    """
    phase = state.phase
    offer = phase
    if phase == PHASE.talk and is_silent(state, rules):
        offer = OFFER_SILENT
    elif phase == PHASE.reply:
        offer = OFFER_REPLY + state.question
    for w in range(legal_set.shape[0]):
        legal_set[w] = rules.offers[offer, w]
    if phase == PHASE.talk:
        legal_talk(state, rules, legal_set)
    elif phase == PHASE.veto_location or phase == PHASE.veto_leader:
        legal_veto(state, rules, legal_set)
    elif phase == PHASE.visit:
        legal_visit(state, rules, legal_set)
    elif phase == PHASE.leader:
        legal_leader(state, rules, legal_set)
    elif phase == PHASE.tiebreak:
        legal_tiebreak(state, rules, legal_set)


@kernel
def step(state: State, rules: Rules, action):
    """One decision; the action is known to be legal.

    The phases that are asked most come first.
    """
    phase = state.phase
    if phase == PHASE.talk:
        apply_talk(state, rules, action)
    elif phase == PHASE.veto_location or phase == PHASE.veto_leader:
        apply_veto(state, rules, action)
    elif phase == PHASE.accuse:
        apply_accuse(state, rules, action)
    elif phase == PHASE.answer:
        apply_answer(state, rules, action)
    elif phase == PHASE.reply:
        apply_reply(state, rules, action)
    elif phase == PHASE.visit:
        apply_visit(state, rules, action)
    elif phase == PHASE.leader:
        apply_leader(state, rules, action)
    else:
        apply_tiebreak(state, rules, action)
    if DEBUG:
        check(state, rules)


@kernel
def deal(state: State, rules: Rules, seed):
    """Set up, let everybody read the own cards, and ask the Leader for the first location."""
    set_up(state, rules, seed)
    show_the_start(state, rules)
    ask(state, PHASE.visit, state.leader)


# -- Investigation ----------------------------------------------------------------------------------------------------


@kernel
def legal_visit(state: State, rules: Rules, legal_set):
    """A location face down that was not vetoed in this round; fewer rounds than locations leave a choice."""
    places = full(rules.n_locations) & ~state.revealed
    if state.vetoed_location != NO_LOCATION:
        places &= ~bit(state.vetoed_location - 1)
    allow_all(legal_set, rules.do_visit, places)


@kernel
def apply_visit(state: State, rules: Rules, action):
    """The location is only chosen; the others may veto it, unless one was vetoed in this round.

    Only one location can be vetoed per round, so a second choice stands.
    """
    location = action - rules.do_visit + 1
    record_event(state, rules, EVENT.visit, state.leader, location, 0, 0, m.COUNTED_BYTE.visit)
    state.chosen = location
    vetoer = next_with_token(state, rules, state.leader) if state.vetoed_location == NO_LOCATION else NO_SEAT
    if vetoer != NO_SEAT:
        ask(state, PHASE.veto_location, vetoer)
    else:
        open_location(state, rules)


@kernel
def open_location(state: State, rules: Rules):
    """The location is read, and then discussed."""
    effects.reveal(state, rules)
    begin_talk(state, rules)


@kernel
def legal_leader(state: State, rules: Rules, legal_set):
    """Any other player who was not vetoed in this round."""
    seats = full(rules.n_seats)
    if state.vetoed_leader != NO_SEAT:
        seats &= ~bit(state.vetoed_leader)
    offsets = seen_people(rules, seats, state.leader)
    allow_all(legal_set, rules.do_leader, offsets >> 1)


@kernel
def apply_leader(state: State, rules: Rules, action):
    """The others may veto the next Leader too, the nominee included, unless one was vetoed in this round.

    The present Leader cannot name itself: the token is passed to another player.
    """
    leader = state.leader
    nominee = seat_at(rules, leader, action - rules.do_leader + 1)
    record_event(state, rules, EVENT.leader, leader, nominee + 1, 0, 0, m.COUNTED_BYTE.leader)
    state.nominee = nominee
    vetoer = next_with_token(state, rules, leader) if state.vetoed_leader == NO_SEAT else NO_SEAT
    if vetoer != NO_SEAT:
        ask(state, PHASE.veto_leader, vetoer)
    else:
        pass_the_token(state)


@kernel
def pass_the_token(state: State):
    """The nominee leads the next round, in which each of the two vetoes is open again."""
    state.leader = state.nominee
    state.nominee = NO_SEAT
    state.vetoed_leader = NO_SEAT
    state.vetoed_location = NO_LOCATION
    state.round_n += 1
    ask(state, PHASE.visit, state.leader)


# -- Actions: placing a veto, or taking a card before ------------------------------------------------------------------


@kernel
def next_with_token(state: State, rules: Rules, seat):
    """The next seat clockwise that is asked about a veto, before the Leader's turn comes; NO_SEAT if there is none.

    Who has no token left has nothing to choose, and is not asked.
    """
    for offset in range(1, rules.n_seats):
        other = seat_at(rules, seat, offset)
        if other == state.leader:
            return NO_SEAT
        if state.tokens[other] > 0:
            return other
    return NO_SEAT


@kernel
def legal_veto(state: State, rules: Rules, legal_set):
    """Beside pass and veto: cards before another player can be taken, as the rulebook has it "at any time"."""
    allow_all(legal_set, rules.do_take, effects.takeable(state, state.to_act) >> 1)


@kernel
def apply_veto(state: State, rules: Rules, action):
    """The first veto counts and closes the window (Ruling); when all have passed, what was chosen happens.

    A take settles nothing: what is chosen stays chosen, and whoever has a token left is asked again. With the last
    token the veto is gone too, as after a pass. A window asks nobody twice otherwise, even if a card is taken away.
    """
    seat = state.to_act
    of_location = state.phase == PHASE.veto_location
    if action == VETO:
        state.tokens[seat] -= 1
        if of_location:
            record_event(state, rules, EVENT.veto_location, seat, state.chosen, 0, 0, m.COUNTED_BYTE.veto_location)
            state.vetoed_location = state.chosen
            state.chosen = NO_LOCATION
        else:
            record_event(state, rules, EVENT.veto_leader, seat, state.nominee + 1, 0, 0, m.COUNTED_BYTE.veto_leader)
            state.vetoed_leader = state.nominee
            state.nominee = NO_SEAT
        ask(state, PHASE.visit if of_location else PHASE.leader, state.leader)
        return
    if action != PASS:
        effects.take(state, rules, seat, action - rules.do_take + 1)
        if state.tokens[seat] > 0:
            return
    vetoer = next_with_token(state, rules, seat)
    if vetoer != NO_SEAT:
        ask(state, state.phase, vetoer)
    elif of_location:
        open_location(state, rules)
    else:
        pass_the_token(state)


# -- Discussing a location, and actions: taking a card ----------------------------------------------------------------


@inner
def is_silent(state: State, rules: Rules):
    """Is this a round of talk in which cards can be taken and nothing can be said?

    Cards can be taken "at any time" also at a table without talk, so such a table has talk turns for that alone.
    """
    return rules.talk_rounds == 0 and state.final == 0


@inner
def speaker(state: State, rules: Rules):
    """Whose talk turn it is: the Leader speaks first, then the others clockwise."""
    return seat_at(rules, state.leader, state.spoken)


@kernel
def begin_talk(state: State, rules: Rules):
    """The Leader speaks first; in a silent round whoever can take a card first."""
    state.talk_round = 0
    state.spoken = 0
    next_turn(state, rules)


@kernel
def next_turn(state: State, rules: Rules):
    """Whose talk turn it is now that `spoken` turns of this round are over; seats with nothing to choose have none."""
    n = rules.n_seats
    silent = is_silent(state, rules)
    while silent and state.spoken < n:
        if effects.takeable(state, speaker(state, rules)) != NONE:
            break
        state.spoken += 1
    if state.spoken == n:
        state.spoken = 0
        state.talk_round += 1
        rounds = rules.final_talk_rounds if state.final != 0 else max(1, rules.talk_rounds)
        if state.talk_round == rounds:
            end_talk(state, rules)
            return
    ask(state, PHASE.talk, speaker(state, rules))


@kernel
def end_talk(state: State, rules: Rules):
    """The Leader names the next one; after the last round comes the final discussion, and after it the writing."""
    state.talk_round = 0
    if state.round_n < rules.rounds:
        ask(state, PHASE.leader, state.leader)
    elif state.final == 0 and rules.final_talk_rounds > 0:
        state.final = 1
        ask(state, PHASE.talk, state.leader)
    else:
        state.final = 0
        ask(state, PHASE.accuse, state.leader)


@kernel
def end_turn(state: State, rules: Rules):
    """A talk turn is over."""
    state.spoken += 1
    next_turn(state, rules)


@kernel
def legal_talk(state: State, rules: Rules, legal_set):
    """Beside what can be said: cards before another player can be taken."""
    allow_all(legal_set, rules.do_take, effects.takeable(state, state.to_act) >> 1)


@kernel
def apply_talk(state: State, rules: Rules, action):
    """One act of speech ends the turn; cards are taken before, as many as tokens allow.

    The blocks of actions lie in the order take, say, ask, suspect, so the greatest start that is not above the action
    tells its block. A question is answered before the turn ends. In a silent round taking is the whole turn: it ends
    when nothing is left to take.
    """
    seat = state.to_act
    if action >= rules.do_suspect:
        suspect = person_at(rules, seat, action - rules.do_suspect)
        record_event(state, rules, EVENT.suspect, seat, suspect + 1, 0, 0, m.COUNTED_BYTE.suspect)
        state.suspicion[seat] = suspect
    elif action >= rules.do_ask:
        offset = (action - rules.do_ask) // rules.n_questions
        question = action - rules.do_ask - offset * rules.n_questions
        other = seat_at(rules, seat, offset + 1)
        record_event(state, rules, EVENT.ask, seat, question + 1, other + 1, 0, m.COUNTED_BYTE.ask)
        state.question = question
        ask(state, PHASE.reply, other)
        return
    elif action >= rules.do_say:
        effects.say(state, rules, seat, action - rules.do_say)
    elif action != PASS:
        effects.take(state, rules, seat, action - rules.do_take + 1)
        if not is_silent(state, rules) or effects.takeable(state, seat) != NONE:
            return
    end_turn(state, rules)


@kernel
def apply_reply(state: State, rules: Rules, action):
    """The one asked answers or declines; then the turn of the one who asked is over.

    A reply is no talk turn: whoever was asked still has its own.
    """
    seat = state.to_act
    if action == PASS:
        record_event(state, rules, EVENT.decline, seat, state.question + 1, 0, 0, m.COUNTED_BYTE.decline)
    else:
        effects.say(state, rules, seat, action - rules.do_say)
    state.question = 0
    end_turn(state, rules)


# -- Final Phase: Objectives ------------------------------------------------------------------------------------------


@kernel
def apply_accuse(state: State, rules: Rules, action):
    """The accusation is written down, unseen: any character of the story, also one that nobody plays, also oneself."""
    seat = state.to_act
    state.accusation[seat] = person_at(rules, seat, action - rules.do_accuse)
    if rules.answers > 0:
        state.question = state.must_answer[seat, 0]
        ask(state, PHASE.answer, seat)
    else:
        next_writer(state, rules, seat)


@kernel
def n_written(state: State, seat):
    """How many answers a seat has written; they are written in order."""
    n = 0
    while n < c.MAX_ANSWERS and state.answers[seat, n] != NOBODY:
        n += 1
    return n


@kernel
def apply_answer(state: State, rules: Rules, action):
    """The own questions are answered in the order of the card."""
    seat = state.to_act
    n = n_written(state, seat)
    state.answers[seat, n] = person_at(rules, seat, action - rules.do_answer)
    if n + 1 < rules.answers:
        state.question = state.must_answer[seat, n + 1]
    else:
        state.question = 0
        next_writer(state, rules, seat)


@kernel
def next_writer(state: State, rules: Rules, seat):
    """The next seat writes; when all have, they point at the same time, as they have written (Ruling).

    Writing goes in seat order from the Leader, and nobody sees what is written before the last is done: as if it were
    simultaneous. The accusation that is counted is the one that scores.
    """
    following = seat_at(rules, seat, 1)
    if following != state.leader:
        ask(state, PHASE.accuse, following)
        return
    tied = most_accused(state, rules)
    if popcount(tied) > 1:
        ask(state, PHASE.tiebreak, state.leader)
    else:
        finish(state, kth(tied, 0) if tied != NONE else NOBODY)


# -- Revelation -------------------------------------------------------------------------------------------------------


@kernel
def most_accused(state: State, rules: Rules):
    """Set of the people with most accusations, among those that count; empty if nobody who counts has any.

    "The player who received the most accusations" is eliminated: accusations of a character that nobody plays do not
    count here, and if no player is accused, nobody goes. `npc_accused` "spared" is a milder reading: such a character
    can be the most accused, and then no player goes.
    """
    counted = rules.n_seats if rules.npc_accused == m.NPC.players_only else rules.n_people
    most = 1
    tied = NONE
    for person in range(counted):
        n = 0
        for seat in range(rules.n_seats):
            n += state.accusation[seat] == person
        if n > most:
            most = n
            tied = NONE
        if n == most:
            tied |= bit(person)
    return tied


@kernel
def legal_tiebreak(state: State, rules: Rules, legal_set):
    """The Leader decides among the tied, even about itself."""
    allow_all(legal_set, rules.do_condemn, seen_people(rules, most_accused(state, rules), state.to_act))


@kernel
def apply_tiebreak(state: State, rules: Rules, action):
    """The one whom the Leader names is the most accused."""
    finish(state, person_at(rules, state.to_act, action - rules.do_condemn))


@kernel
def finish(state: State, accused):
    """The most accused is known; the rest follows from what was written."""
    state.accused = accused
    ask(state, PHASE.over, NO_SEAT)


@kernel
def right_answers(state: State, rules: Rules, question, seat):
    """How many others have named the right answer: in accusations, or in answers to an objective of theirs.

    What an eliminated player has written still counts for the objectives of the others.
    """
    n = 0
    for other in range(rules.n_seats):
        if other != seat:
            if question == c.MURDER:
                n += state.accusation[other] == state.solution[c.MURDER]
            else:
                for k in range(rules.answers):
                    concerns = state.must_answer[other, k] == question
                    n += concerns and state.answers[other, k] == state.solution[question]
    return n


@kernel
def is_done(state: State, rules: Rules, seat, k):
    """Is a seat's k-th objective completed? Exactly `limit` right answers of others still keep a secret."""
    kind, question, limit, _ = parts_of_objective(state.objectives[seat, k])
    if kind == c.ACCUSE:
        return state.accusation[seat] == state.solution[c.MURDER]
    if kind == c.HIDE:
        return right_answers(state, rules, question, seat) <= limit
    if kind == c.ANSWER:
        for i in range(rules.answers):
            if state.must_answer[seat, i] == question:
                return state.answers[seat, i] == state.solution[question]
    return False


@kernel
def points_of(state: State, rules: Rules, seat):
    """Points of a seat's completed objectives."""
    total = 0
    for k in range(c.MAX_OBJECTIVES):
        if is_done(state, rules, seat, k):
            _, _, _, points = parts_of_objective(state.objectives[seat, k])
            total += points
    return total


@kernel
def is_winner(state: State, rules: Rules, seat, points):
    """Does a seat win with so many points? Who is eliminated loses, no matter how many."""
    return points >= rules.win_points and state.accused != seat


@kernel
def returns(state: State, rules: Rules, out):
    """Several may win, or none; who is eliminated does not.

    `win` pays 1 to each winner and -1 to all others; `points` the share of the most that a card can offer, and -1 to
    whoever is eliminated; `zero_sum` takes what is paid to the winners from all alike.

    Args:
        state, rules: the records.
        out: float64[n_seats], written; all 0 before the end.
    """
    n_winners = 0
    over = state.phase == PHASE.over
    for seat in range(rules.n_seats):
        out[seat] = 0.0
        if over:
            points = points_of(state, rules, seat)
            won = is_winner(state, rules, seat, points)
            n_winners += won
            if rules.reward == m.REWARD.win:
                out[seat] = 1.0 if won else -1.0
            elif rules.reward == m.REWARD.points:
                out[seat] = -1.0 if state.accused == seat else min(points, c.MAX_POINTS) / c.MAX_POINTS
            else:
                out[seat] = 1.0 if won else 0.0
    if over and rules.reward == m.REWARD.zero_sum:
        for seat in range(rules.n_seats):
            out[seat] -= n_winners / rules.n_seats


@kernel
def is_cut_off(state: State):
    """There is no step cap."""
    return False


# -- Invariants -------------------------------------------------------------------------------------------------------


@kernel
def check(state: State, rules: Rules):
    """Invariants, for debug runs: phases and their windows agree, places are one to one, and what is below."""
    assert (state.to_act == NO_SEAT) == (state.phase == PHASE.over)
    assert state.round_n >= 1 and state.round_n <= rules.rounds
    n_face_up = state.round_n - (state.phase == PHASE.visit or state.phase == PHASE.veto_location)
    assert popcount(state.revealed) == n_face_up
    assert (state.chosen != NO_LOCATION) == (state.phase == PHASE.veto_location)
    assert (state.nominee != NO_SEAT) == (state.phase == PHASE.veto_leader)
    assert state.spoken >= 0 and state.spoken < rules.n_seats
    for person in range(rules.n_people):
        assert state.person[state.place[person]] == person
    for location in range(rules.n_locations):
        assert has(state.fronts, location * rules.n_questions + state.theme[location])
        assert (state.order[location] > 0) == has(state.revealed, location)
        assert state.order[location] <= n_face_up
    check_cards(state, rules)
    for seat in range(rules.n_seats):
        check_seat(state, rules, seat)


@kernel
def check_cards(state: State, rules: Rules):
    """Each card lies before one seat, which has read it, or in the stack, where nobody has."""
    out = rules.setup_cards
    revealed = state.revealed
    for location in range(rules.n_locations):
        if has(revealed, location) and state.hands[location] != 0:
            out |= bit(state.hands[location])
    assert state.laid_out == out
    for card in range(1, c.N_CARDS + 1):
        holder = state.holder[card]
        assert has(state.laid_out, card) == (holder != NO_SEAT)
        for seat in range(rules.n_seats):
            assert has(state.cards_of[seat], card) == (seat == holder)
        assert has(state.readers[card], holder) if holder != NO_SEAT else state.readers[card] == NONE


@kernel
def check_seat(state: State, rules: Rules, seat):
    """What a seat has, says and knows: no token too many, no contradiction on record; no fact excludes the truth."""
    assert state.tokens[seat] >= 0 and state.tokens[seat] <= rules.tokens
    assert state.claims_is[seat] & state.claims_not[seat] == NONE
    assert state.claims_has[seat] & state.claims_lacks[seat] == NONE
    has_traits = state.shown_has | state.own_has[seat]
    lacks_traits = state.shown_lacks | state.own_lacks[seat]
    for question in range(rules.n_questions):
        answer = state.solution[question]
        assert has(rules.pool[question], answer)
        assert has(candidates(state, rules, seat, question), answer)
        for trait in range(rules.n_traits):
            topic = question * rules.n_traits + trait
            assert not has(has_traits, topic) or has(state.bearers[trait], answer)
            assert not has(lacks_traits, topic) or not has(state.bearers[trait], answer)
