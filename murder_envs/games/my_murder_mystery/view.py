"""What each seat sees: the observation, and the state vector for who sees everything.

The blocks are listed in `layout.py`. A writer fills some that follow each other, in rising order, up to 32 bytes at a
time (`core.lanes`), so that the last bytes of a block may spill into the next; where a block is mostly empty, zeros are
written over all of it first. What a seat was shown is kept ready by `knowledge.py`.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core import lanes
from murder_envs.core.bits import NONE, bit, full, has, lowest, put_word, spread, without_lowest
from murder_envs.core.contract import NO_SEAT, offset_of, seat_at
from murder_envs.core.jit import inner, kernel
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.layout import observation_of, world_of
from murder_envs.games.my_murder_mystery.moves import NOBODY, PHASE
from murder_envs.games.my_murder_mystery.state import (
    COUNTED,
    Rules,
    State,
    parts_of_clearing,
    parts_of_trait_fact,
    relative_of,
    seen_groups,
    seen_people,
)

__all__ = ["observation_of", "observe", "world", "world_of"]

EVERY_BYTE = np.uint64(0x01010101)

# -- Sets, signs and people as bytes ----------------------------------------------------------------------------------


@inner
def put_few(row, at, x, n):
    """Write a set of n as n bytes (and up to 31 bytes more, which come later)."""
    for start in range(0, n, lanes.N_BYTES):
        ones = lanes.minus_bytes(lanes.all_lanes(NONE), lanes.member_bytes(lanes.all_lanes(x)))  # members are -1
        lanes.put_lanes(row, at + start, ones)
        x >>= lanes.N_BYTES


@inner
def put_nothing(row, start, stop):
    """Write zeros from one byte to another (and up to 31 bytes more, which come later)."""
    for at in range(start, stop, lanes.N_BYTES):
        lanes.put_lanes(row, at, lanes.all_lanes(NONE))


@inner
def put_signs(row, at, plus, minus, n):
    """n bytes, 1 for the members of a set and -1 for those of another (and up to 31 bytes more, which come later)."""
    for start in range(0, n, lanes.N_BYTES):
        signs = lanes.minus_bytes(lanes.member_bytes(lanes.all_lanes(minus)), lanes.member_bytes(lanes.all_lanes(plus)))
        lanes.put_lanes(row, at + start, signs)
        plus >>= lanes.N_BYTES
        minus >>= lanes.N_BYTES


@inner
def one(i):
    """The set of i alone; empty for what is nothing, -1."""
    return bit(i) if i >= 0 else NONE


@inner
def seen_seat(rules: Rules, seat, looker):
    """A seat as its offset from the looker; NO_SEAT stays."""
    return offset_of(rules, seat, looker) if seat != NO_SEAT else seat


@inner
def seen_traits(state: State, rules: Rules, looker):
    """The set of (person, trait) as a seat counts people: the bits of the players are turned round.

    The players' places come first, each with n_traits bits, so one rotation of their part turns all of them.
    """
    turned = looker * rules.n_traits
    whole = rules.n_seats * rules.n_traits
    played = full(whole)
    low = state.traits & played
    return (((low >> turned) | (low << (whole - turned))) & played) | (state.traits & ~played)


# -- The observation --------------------------------------------------------------------------------------------------


@kernel
def observe(state: State, rules: Rules, seat, row):
    """The seat's observation, block by block in rising order.

    Args:
        state, rules: the records.
        seat: who looks; seats and people are counted from there.
        row: int8, of the observation's size and PAD bytes more; every byte is written.
    """
    put_table(row, state, rules, seat)
    put_location_facts(row, rules.obs_location_facts, state, rules, state.revealed)
    put_cards(row, rules.obs_card_state, rules.obs_card_read, rules.obs_role, state, rules, seat)
    put_read_cards(row, state, rules, seat)
    put_own_cards(row, state, rules, seat)
    put_talk(row, state, rules, seat)
    if state.accusation[seat] != NOBODY:
        put_writing(row, state, rules, seat)
    put_events(row, rules.obs_events, state, rules, seat)


@kernel
def put_table(row, state: State, rules: Rules, looker):
    """The blocks that `layout.table_rows` names, in rising order; neighbours that are sets go together as one.

    looker NO_SEAT: absolute seats and nothing left out, as the state vector has it, but for the order of the people.
    """
    n = rules.n_seats
    width = rules.n_portraits
    n_locations = rules.n_locations
    base = max(looker, 0)
    n_phases = len(m.PHASES)
    head = bit(state.phase)
    head |= one(seen_seat(rules, state.to_act, base)) << n_phases
    head |= full(n) << (n_phases + width)
    put_few(row, rules.obs_phase, head, n_phases + 2 * width)
    row[rules.obs_round] = state.round_n
    put_few(row, rules.obs_leader, bit(offset_of(rules, state.leader, base)), width)
    put_word(row, rules.obs_tokens, NONE)
    for offset in range(n):
        row[rules.obs_tokens + offset] = state.tokens[seat_at(rules, base, offset)]
    windows = one(state.chosen - 1)
    windows |= one(state.vetoed_location - 1) << n_locations
    windows |= one(seen_seat(rules, state.nominee, base)) << (2 * n_locations)
    windows |= one(seen_seat(rules, state.vetoed_leader, base)) << (2 * n_locations + width)
    put_few(row, rules.obs_chosen, windows, 2 * n_locations + 2 * width)
    row[rules.obs_talk] = state.talk_round
    row[rules.obs_talk + 1] = state.spoken
    row[rules.obs_talk + 2] = state.final
    # What is asked for a reply all hear; what is to be answered in writing stands on the writer's own card.
    is_own = looker == state.to_act or looker == NO_SEAT
    shown = state.phase == PHASE.reply or (state.phase == PHASE.answer and is_own)
    question = bit(state.question) if shown else NONE
    traits = seen_traits(state, rules, base) << rules.n_questions
    put_few(row, rules.obs_question, question | traits, rules.n_questions + rules.n_people * rules.n_traits)
    kinds = 3 * rules.n_people
    fronts = rules.kinds | state.fronts << kinds
    put_few(row, rules.obs_kind, fronts, kinds + n_locations * rules.n_questions)
    put_nothing(row, rules.obs_location, rules.obs_location + 3 * n_locations)
    revealed = state.revealed
    while revealed != NONE:
        location = lowest(revealed)
        revealed = without_lowest(revealed)
        row[rules.obs_location + 3 * location] = 1
        row[rules.obs_location + 3 * location + 1] = state.order[location]
        row[rules.obs_location + 3 * location + 2] = state.hands[location]


@inner
def put_fact(row, at, rules: Rules, fact):
    """The byte of a fact in a block of (question, trait), over zeros; a blank changes nothing."""
    if fact != 0:
        question, trait, lacks = parts_of_trait_fact(fact)
        row[at + question * rules.n_traits + trait] = 1 - 2 * lacks


@inner
def put_location_facts(row, at, state: State, rules: Rules, locations):
    """The backs of some locations: those that are face up, or all of them for the state vector."""
    n_topics = rules.n_questions * rules.n_traits
    put_nothing(row, at, at + n_topics * rules.n_locations)
    while locations != NONE:
        location = lowest(locations)
        locations = without_lowest(locations)
        for k in range(c.FACTS_A_LOCATION):
            put_fact(row, at + n_topics * location, rules, state.facts[location, k])


@inner
def put_cards(row, at_state, at_read, stop, state: State, rules: Rules, looker):
    """Where the top secret cards are, and who has read them; zeros up to `stop`.

    The numbers of the cards are open, and so is who holds or has read which; cards in the stack are as at the start,
    which `rules.stack` has ready.
    """
    put_word(row, at_state, rules.stack)
    put_word(row, at_state + 8, rules.stack_on)
    put_nothing(row, at_read, stop)
    laid_out = state.laid_out
    while laid_out != NONE:
        card = lowest(laid_out)
        laid_out = without_lowest(laid_out)
        row[at_state + card - 1] = 1 + offset_of(rules, state.holder[card], looker)
        readers = seen_people(rules, state.readers[card], looker)
        put_word(row, at_read + rules.n_portraits * (card - 1), spread(readers))


@inner
def put_clears(row, at, state: State, rules: Rules, card, looker):
    """Whom a setup card clears, over zeros."""
    for k in range(c.CLEARS_A_CARD):
        clearing = state.clears[card - c.FIRST_SETUP_CARD, k]
        if clearing != 0:
            question, person = parts_of_clearing(clearing)
            group = rules.n_questions * (card - c.FIRST_SETUP_CARD) + question
            row[at + rules.n_people * group + relative_of(rules, person, looker)] = 1


@inner
def put_objectives(row, at, state: State, seat):
    """A seat's objectives, kept ready by `state.sum_up_cards`: 16 bytes, of which the last come later."""
    put_word(row, at, state.wants[seat, 0])
    put_word(row, at + 8, state.wants[seat, 1])


@inner
def put_events(row, at, state: State, rules: Rules, looker):
    """The last public events, newest first, 32 bytes at a time.

    Bytes that count from the looker are stored with the sign bit set. They have 1..n for the seats, of which s is taken
    off; n is added first where that would leave nothing. All 32 bytes are turned, and those that are not counted are
    then taken as they were.
    """
    nothing = lanes.all_lanes(NONE)
    s = lanes.all_lanes(np.uint64(looker) * EVERY_BYTE)
    n = lanes.all_lanes(np.uint64(rules.n_seats) * EVERY_BYTE)
    after = lanes.all_lanes(np.uint64(looker + 1) * EVERY_BYTE)
    unsigned = lanes.all_lanes(np.uint64(0x7F) * EVERY_BYTE)
    newest = m.EVENT_BYTES * state.events_at
    for i in range(0, m.EVENT_BYTES * m.N_EVENTS, lanes.N_BYTES):
        stored = lanes.get_lanes(state.events, newest + i)
        event = lanes.both(stored, unsigned)
        turned = lanes.minus_bytes(lanes.plus_bytes(event, lanes.both(lanes.where_less_bytes(event, after), n)), s)
        lanes.put_lanes(row, at + i, lanes.choose(lanes.where_less_bytes(stored, nothing), turned, event))


@inner
def put_read_cards(row, state: State, rules: Rules, seat):
    """The backs of the top secret cards that the seat has read, over zeros."""
    n_topics = rules.n_questions * rules.n_traits
    laid_out = state.laid_out
    while laid_out != NONE:
        card = lowest(laid_out)
        laid_out = without_lowest(laid_out)
        if has(state.readers[card], seat):
            if card >= c.FIRST_SETUP_CARD:
                put_clears(row, rules.obs_card_clears, state, rules, card, seat)
            else:
                put_fact(row, rules.obs_card_facts + n_topics * (card - 1), rules, state.secret[card])


@inner
def put_own_cards(row, state: State, rules: Rules, seat):
    """The seat's role, story and objectives, and what follows from all that it was shown.

    What follows is a union of what all were shown and what this seat alone was: for traits the facts, for people those
    whom both leave.
    """
    n_groups = rules.n_questions * rules.n_people
    role = NONE
    for question in range(rules.n_questions):
        role |= np.uint64(state.solution[question] == seat) << question
    story = seen_groups(rules, state.cleared[seat], seat) << rules.n_questions
    put_few(row, rules.obs_role, role | story, rules.n_questions + n_groups)
    put_objectives(row, rules.obs_objective_accuse, state, seat)
    has_traits = state.shown_has | state.own_has[seat]
    lacks_traits = state.shown_lacks | state.own_lacks[seat]
    put_signs(row, rules.obs_known_traits, has_traits, lacks_traits, rules.n_questions * rules.n_traits)
    fits = state.shown_fits & state.own_fits[seat]
    put_few(row, rules.obs_candidates, seen_groups(rules, fits, seat), n_groups)


@inner
def put_talk(row, state: State, rules: Rules, seat):
    """What all have on record, the looker first; zeros from there up to the events.

    Each row's last bytes spill into the next, which is written after it; rows of seats that nobody has are zeros.
    """
    n = rules.n_seats
    n_groups = rules.n_questions * rules.n_people
    n_topics = rules.n_questions * rules.n_traits
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        claims_is = seen_groups(rules, state.claims_is[other], seat)
        claims_not = seen_groups(rules, state.claims_not[other], seat)
        put_signs(row, rules.obs_claims_who + n_groups * offset, claims_is, claims_not, n_groups)
    put_nothing(row, rules.obs_claims_who + n_groups * n, rules.obs_claims_trait)
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        at = rules.obs_claims_trait + n_topics * offset
        put_signs(row, at, state.claims_has[other], state.claims_lacks[other], n_topics)
    put_nothing(row, rules.obs_claims_trait + n_topics * n, rules.obs_events)
    for offset in range(n):
        suspect = state.suspicion[seat_at(rules, seat, offset)]
        if suspect != NOBODY:
            row[rules.obs_suspicions + rules.n_people * offset + relative_of(rules, suspect, seat)] = 1


@kernel
def put_writing(row, state: State, rules: Rules, seat):
    """What the seat has written; after the pointing the accusations of all, and whom they hit.

    Answers stay hidden from others to the end: the solution is in `info`, not in an observation.
    """
    n_people = rules.n_people
    row[rules.obs_accusation + relative_of(rules, state.accusation[seat], seat)] = 1
    for k in range(rules.answers):
        answer = state.answers[seat, k]
        if answer != NOBODY:
            at = rules.obs_answers + n_people * state.must_answer[seat, k]
            row[at + relative_of(rules, answer, seat)] = 1
    if state.phase == PHASE.tiebreak or state.phase == PHASE.over:
        for offset in range(rules.n_seats):
            accused = state.accusation[seat_at(rules, seat, offset)]
            row[rules.obs_accusations + n_people * offset + relative_of(rules, accused, seat)] = 1
    if state.accused != NOBODY:
        accused = relative_of(rules, state.accused, seat)
        row[rules.obs_accused + accused] = 1
        if accused < rules.n_seats:
            row[rules.obs_eliminated + accused] = 1


# -- The whole truth --------------------------------------------------------------------------------------------------


@kernel
def put_people(row, at, state: State, rules: Rules, people, value):
    """A byte for each of a set of (question, person), in the order of the case; the others are left as they are."""
    while people != NONE:
        i = lowest(people)
        people = without_lowest(people)
        question = i // rules.n_people
        place = i - question * rules.n_people
        row[at + question * rules.n_people + state.person[place]] = value


@kernel
def put_person(row, at, state: State, place):
    """A one-hot of a person in the order of the case, over zeros; NOBODY: none."""
    if place != NOBODY:
        row[at + state.person[place]] = 1


@kernel
def world(state: State, rules: Rules, row):
    """The state vector, block by block in rising order: nothing is hidden, seats are absolute.

    Characters have their numbers of the case here and not those of places, so that a critic meets the same character in
    the same column in every game of a written case.
    """
    put_table(row, state, rules, NO_SEAT)
    put_cast(row, state, rules)
    put_location_facts(row, rules.world_location_backs, state, rules, full(rules.n_locations))
    for location in range(rules.n_locations):
        row[rules.world_location_hands + location] = state.hands[location]
    put_cards(row, rules.world_card_state, rules.world_card_read, rules.world_claims_trait, state, rules, 0)
    put_backs(row, state, rules)
    put_claims(row, state, rules)
    put_all_writing(row, state, rules)
    put_world_events(row, rules.world_events, state, rules)


@kernel
def put_cast(row, state: State, rules: Rules):
    """Who is who, over what `put_table` has written in the order of the seats; whom each seat plays; the answers."""
    n_people = rules.n_people
    for place in range(n_people):
        person = state.person[place]
        for trait in range(rules.n_traits):
            row[rules.obs_traits + rules.n_traits * person + trait] = has(state.bearers[trait], place)
        for k in range(3):
            row[rules.obs_kind + 3 * person + k] = has(rules.kinds, 3 * place + k)
    put_nothing(row, rules.world_cast, rules.world_location_backs)
    for seat in range(rules.n_seats):
        row[rules.world_cast + n_people * seat + state.person[seat]] = 1
    for question in range(rules.n_questions):
        row[rules.world_solution + n_people * question + state.person[state.solution[question]]] = 1


@kernel
def put_backs(row, state: State, rules: Rules):
    """The backs of all cards."""
    n_groups = rules.n_questions * rules.n_people
    n_topics = rules.n_questions * rules.n_traits
    for card in range(1, c.FIRST_SETUP_CARD):
        put_fact(row, rules.world_card_backs + n_topics * (card - 1), rules, state.secret[card])
    for k in range(c.N_SETUP_CARDS):
        for i in range(c.CLEARS_A_CARD):
            clearing = state.clears[k, i]
            if clearing != 0:
                question, person = parts_of_clearing(clearing)
                one_person = bit(question * rules.n_people + person)
                put_people(row, rules.world_card_clears + n_groups * k, state, rules, one_person, 1)
    for seat in range(rules.n_seats):
        put_people(row, rules.world_stories + n_groups * seat, state, rules, state.cleared[seat], 1)
    width = 1 + 3 * rules.n_questions
    for seat in range(rules.n_seats):
        put_objectives(row, rules.world_objectives + width * seat, state, seat)
    put_nothing(row, rules.world_objectives + width * rules.n_seats, rules.world_claims_trait)


@kernel
def put_claims(row, state: State, rules: Rules):
    """What all have on record; zeros from there up to the events."""
    n_groups = rules.n_questions * rules.n_people
    n_topics = rules.n_questions * rules.n_traits
    for seat in range(rules.n_seats):
        at = rules.world_claims_who + n_groups * seat
        put_people(row, at, state, rules, state.claims_is[seat], 1)
        put_people(row, at, state, rules, state.claims_not[seat], -1)
    for seat in range(rules.n_seats):
        at = rules.world_claims_trait + n_topics * seat
        put_signs(row, at, state.claims_has[seat], state.claims_lacks[seat], n_topics)
    put_nothing(row, rules.world_claims_trait + n_topics * rules.n_seats, rules.world_events)
    for seat in range(rules.n_seats):
        put_person(row, rules.world_suspicions + rules.n_people * seat, state, state.suspicion[seat])


@kernel
def put_all_writing(row, state: State, rules: Rules):
    """What all have written, and at the end whom it hits, over zeros."""
    n_people = rules.n_people
    for seat in range(rules.n_seats):
        put_person(row, rules.world_accusations + n_people * seat, state, state.accusation[seat])
        for k in range(rules.answers):
            at = rules.world_answers + n_people * (rules.n_questions * seat + state.must_answer[seat, k])
            put_person(row, at, state, state.answers[seat, k])
    accused = state.accused
    put_person(row, rules.world_accused, state, accused)
    if accused != NOBODY and accused < rules.n_seats:
        row[rules.world_eliminated + accused] = 1


@kernel
def put_world_events(row, at, state: State, rules: Rules):
    """The last public events, with characters in the order of the case.

    Seats in them are absolute already; of an event's people only whom it is said of, or suspects, is a character.
    """
    newest = m.EVENT_BYTES * state.events_at
    for i in range(0, m.EVENT_BYTES * m.N_EVENTS, m.EVENT_BYTES):
        for k in range(m.EVENT_BYTES):
            row[at + i + k] = state.events[newest + i + k] & (COUNTED - 1)
        k = person_byte(row[at + i], row[at + i + 3] - 1)
        if k != 0:
            row[at + i + k] = state.person[row[at + i + k] - 1] + 1


@kernel
def person_byte(event, kind):
    """Which byte of an event is a character: whom a statement of some kind is about, or the suspect; 0: none."""
    if event == m.EVENT.say:
        return m.SUBJECT_BYTE if kind == c.IS or kind == c.NOT else 0
    return m.COUNTED_BYTE.suspect if event == m.EVENT.suspect else 0
