"""Who sees what: facts as they are shown, the observation, the state vector.

What is shown to all is kept once for all, what one seat alone knows (its role, its story, the cards that it has read)
by seat; both as facts about traits (has, lacks) and as the people whom these facts leave for each question (fits). So
an observation only puts the two together.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, full, has, lowest, put_word, spread
from murder_envs.core.jit import inner, kernel
from murder_envs.core.lanes import (
    N_BYTES,
    all_lanes,
    both,
    choose,
    get_lanes,
    member_bytes,
    minus_bytes,
    plus_bytes,
    put_lanes,
    where_less_bytes,
)
from murder_envs.core.tables import Layout
from murder_envs.games.my_murder_mystery.cards import (
    CLEARS_A_CARD,
    FIRST_SETUP_CARD,
    IS,
    MAX_LIMIT,
    MAX_LOCATIONS,
    MAX_POINTS,
    MAX_TALK,
    MAX_TOKENS,
    N_CARDS,
    N_SETUP_CARDS,
    NONE,
    NOT,
)
from murder_envs.games.my_murder_mystery.deal import EVENT_BYTES, N_EVENTS, question_of, subject_of
from murder_envs.games.my_murder_mystery.moves import (
    ANSWER_PHASE,
    NO_SEAT,
    NOBODY,
    OVER,
    PHASES,
    REPLY,
    SAID,
    SUSPECTED,
    TIEBREAK,
    Sizes,
    offset_of,
    relative_of,
    seat_at,
    seen_people,
)

EVERY_BYTE = np.uint64(0x01010101)

# -- Facts are shown --------------------------------------------------------------------------------------------------


@kernel
def topic_of(rules, fact):
    """The set of one (question, trait) that a fact is about."""
    return bit(question_of(fact) * rules.n_traits + ((fact - 1) >> 1 & 7))


@kernel
def is_lacks(fact):
    """Does a fact say that the answer has not the trait?"""
    return (fact - 1) & 1 != 0


@kernel
def misfits(state, rules, fact):
    """The set of (question, person) that a fact excludes."""
    bearers = np.uint64(state.bearers[(fact - 1) >> 1 & 7])
    excluded = bearers if is_lacks(fact) else ~bearers & full(rules.n_people)
    return excluded << np.uint64(question_of(fact) * rules.n_people)


@kernel
def show_location(state, rules, location):
    """A location is read aloud: all learn its facts."""
    for k in range(2):
        fact = np.int64(state.facts[location, k])
        if fact != 0:
            if is_lacks(fact):
                state.shown_lacks |= topic_of(rules, fact)
            else:
                state.shown_has |= topic_of(rules, fact)
            state.shown_fits &= ~misfits(state, rules, fact)


@kernel
def show_card(state, rules, seat, card):
    """A seat reads a top secret card."""
    state.readers[card] |= bit(seat)
    if card >= FIRST_SETUP_CARD:
        for k in range(CLEARS_A_CARD):
            clearing = np.int64(state.clears[card - FIRST_SETUP_CARD, k])
            if clearing != 0:
                state.own_fits[seat] &= ~bit(question_of(clearing) * rules.n_people + subject_of(clearing))
        return
    fact = np.int64(state.secret[card])
    if fact != 0:
        if is_lacks(fact):
            state.own_lacks[seat] |= topic_of(rules, fact)
        else:
            state.own_has[seat] |= topic_of(rules, fact)
        state.own_fits[seat] &= ~misfits(state, rules, fact)


@kernel
def show_own_cards(state, rules, seat):
    """What a seat knows alone: of what it is guilty, its story, and the cards that it has read."""
    state.own_has[seat] = NONE
    state.own_lacks[seat] = NONE
    fits = rules.suspects & ~state.cleared[seat]
    for question in range(rules.n_questions):
        oneself = bit(question * rules.n_people + seat)
        if state.solution[question] == seat:
            fits &= ~(full(rules.n_people) << np.uint64(question * rules.n_people)) | oneself
        else:
            fits &= ~oneself
    state.own_fits[seat] = fits
    for card in range(1, N_CARDS + 1):
        if has(np.uint64(state.readers[card]), seat):
            show_card(state, rules, seat, card)


@kernel
def show_the_start(state, rules):
    """Absorb the Story: all read their own cards, and those revealed so far."""
    state.shown_has = NONE
    state.shown_lacks = NONE
    state.shown_fits = full(rules.n_questions * rules.n_people)
    revealed = np.uint64(state.revealed)
    while revealed != NONE:
        show_location(state, rules, lowest(revealed))
        revealed &= revealed - np.uint64(1)
    for seat in range(rules.n_seats):
        show_own_cards(state, rules, seat)


# -- The observation --------------------------------------------------------------------------------------------------

SIGN = "1: the answer has the trait, -1: it has not, 0: nothing known"
EVENT = "newest first: kind (1 visit, 2 veto_location, 3 veto_leader, 4 reveal, 5 hand, 6 take, 7 say, 8 ask, "
EVENT += "9 suspect, 10 decline, 11 leader), actor + 1, and three arguments"


def table_rows(sizes: Sizes) -> list[tuple[str, int | tuple[int, ...], int, int, str]]:
    """The blocks that observation and state vector begin with."""
    n, people, questions, traits, places = sizes[1:]
    return [
        ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
        ("to_act", n, 0, 1, "seat asked, one-hot; 0s when over"),
        ("players", n, 0, 1, "1 for each seat in the game"),
        ("round", 1, 1, MAX_LOCATIONS - 1, "number of this round"),
        ("leader", n, 0, 1, "the Leader, one-hot"),
        ("tokens", n, 0, MAX_TOKENS, "action tokens left"),
        ("chosen", places, 0, 1, "location under veto now, one-hot"),
        ("vetoed_location", places, 0, 1, "location vetoed in this round, one-hot"),
        ("nominee", n, 0, 1, "next Leader under veto now, one-hot"),
        ("vetoed_leader", n, 0, 1, "next Leader vetoed in this round, one-hot"),
        ("talk", 3, 0, max(MAX_TALK, n - 1), "finished rounds of this talk; finished turns of this one; final"),
        ("question", questions, 0, 1, "asked for a reply; or to be answered now, for the seat to act; one-hot"),
        ("traits", (people, traits), 0, 1, "1: the character has the trait"),
        ("kind", (people, 3), 0, 1, "one-hot: played, portrait that is out, extra"),
        ("theme", (places, questions), 0, 1, "question that a location bears on, one-hot"),
        ("location", (places, 3), 0, N_CARDS, "revealed; as which, from 1; card handed out"),
    ]


def observation_of(sizes: Sizes) -> Layout:
    """The layout of the observation: seats and characters as the looker counts them."""
    n, people, questions, traits, places = sizes[1:]
    return Layout(
        [
            *table_rows(sizes),
            ("location_facts", (places, questions, traits), -1, 1, f"of revealed locations. {SIGN}"),
            ("card_state", N_CARDS, -1, n, "-1: not in play, 0: in the stack, else 1 + holder"),
            ("card_read", (N_CARDS, n), 0, 1, "who has read the card"),
            ("card_facts", (N_CARDS, questions, traits), -1, 1, f"of cards that I have read. {SIGN}"),
            ("card_clears", (N_SETUP_CARDS, questions, people), 0, 1, "cards 9, 10, 11, if I have read them: cleared"),
            ("role", questions, 0, 1, "1: I am the answer"),
            ("story", (questions, people), 0, 1, "1: my own cards clear this character"),
            ("objective_accuse", 1, 0, MAX_POINTS, "points for the right accusation"),
            ("objective_answer", questions, 0, MAX_POINTS, "points for the right answer"),
            ("objective_hide", (questions, 2), 0, MAX_LIMIT, "points for a kept secret; how many others may name it"),
            ("known_traits", (questions, traits), -1, 1, f"from all that I was shown. {SIGN}"),
            ("candidates", (questions, people), 0, 1, "1: not excluded by a fact that I was shown"),
            ("claims_who", (n, questions, people), -1, 1, "a player's latest statement: 1 is, -1 is not"),
            ("claims_trait", (n, questions, traits), -1, 1, "a player's latest statement: 1 has, -1 lacks"),
            ("suspicions", (n, people), 0, 1, "whom a player named last, one-hot"),
            ("accusation", people, 0, 1, "whom I have written down, one-hot"),
            ("answers", (questions, people), 0, 1, "what I have answered so far, one-hot"),
            ("accusations", (n, people), 0, 1, "after the pointing: whom each accuses, one-hot"),
            ("accused", people, 0, 1, "at the end: the most accused, one-hot"),
            ("eliminated", n, 0, 1, "at the end: the player who is out, one-hot"),
            ("events", (N_EVENTS, EVENT_BYTES), 0, N_CARDS, EVENT),
        ]
    )


@inner
def put_few(row, at, x, n):
    """Write a set of n as n bytes (and up to 31 bytes more, which come later)."""
    x = np.uint64(x)
    for start in range(0, n, N_BYTES):
        put_lanes(row, at + start, minus_bytes(all_lanes(NONE), member_bytes(all_lanes(x))))
        x >>= np.uint64(N_BYTES)


@inner
def put_nothing(row, start, stop):
    """Write zeros from one byte to another (and up to 31 bytes more, which come later)."""
    for at in range(start, stop, N_BYTES):
        put_lanes(row, at, all_lanes(NONE))


@inner
def put_signs(row, at, plus, minus, n):
    """n bytes, 1 for the members of a set and -1 for those of another (and up to 31 bytes more, which come later)."""
    plus = np.uint64(plus)
    minus = np.uint64(minus)
    for start in range(0, n, N_BYTES):
        signs = minus_bytes(member_bytes(all_lanes(minus)), member_bytes(all_lanes(plus)))
        put_lanes(row, at + start, signs)
        plus >>= np.uint64(N_BYTES)
        minus >>= np.uint64(N_BYTES)


@inner
def one(i):
    """The set of i alone; empty for what is nothing, -1."""
    return bit(i) if i >= 0 else NONE


@inner
def seen_seat(rules, seat, looker):
    """A seat as its offset from the looker; NO_SEAT stays."""
    return offset_of(rules, seat, looker) if seat != NO_SEAT else seat


@inner
def seen_groups(rules, people, looker):
    """A set of (question, person) as a seat counts people."""
    n = np.uint64(rules.n_seats)
    s = np.uint64(looker)
    after = (people & rules.after[looker]) >> s
    before = (people & rules.before[looker]) << (n - s)
    return after | before | (people & rules.unplayed)


@inner
def seen_traits(state, rules, looker):
    """The set of (person, trait) as a seat counts people: the bits of the players are turned round."""
    turned = np.uint64(looker * rules.n_traits)
    whole = np.uint64(rules.n_seats * rules.n_traits)
    played = full(rules.n_seats * rules.n_traits)
    low = state.traits & played
    return (((low >> turned) | (low << (whole - turned))) & played) | (state.traits & ~played)


@kernel
def put_table(row, state, rules, looker):
    """The blocks that `table_rows` names, in rising order; neighbours that are sets go together.

    looker NO_SEAT: absolute seats and nothing left out, as the state vector has it, but for the order of the people.
    """
    n = rules.n_seats
    width = rules.n_portraits
    n_locations = rules.n_locations
    base = max(looker, 0)
    asked = one(seen_seat(rules, np.int64(state.to_act), base))
    asked = asked << np.uint64(len(PHASES)) | full(n) << np.uint64(len(PHASES) + width)
    put_few(row, rules.obs_phase, bit(np.int64(state.phase)) | asked, len(PHASES) + 2 * width)
    row[rules.obs_round] = state.round_n
    put_few(row, rules.obs_leader, bit(offset_of(rules, np.int64(state.leader), base)), width)
    put_word(row, rules.obs_tokens, NONE)
    for offset in range(n):
        row[rules.obs_tokens + offset] = state.tokens[seat_at(rules, base, offset)]
    windows = one(np.int64(state.chosen) - 1)
    windows |= one(np.int64(state.vetoed_location) - 1) << np.uint64(n_locations)
    windows |= one(seen_seat(rules, np.int64(state.nominee), base)) << np.uint64(2 * n_locations)
    windows |= one(seen_seat(rules, np.int64(state.vetoed_leader), base)) << np.uint64(2 * n_locations + width)
    put_few(row, rules.obs_chosen, windows, 2 * n_locations + 2 * width)
    row[rules.obs_talk] = state.talk_round
    row[rules.obs_talk + 1] = state.spoken
    row[rules.obs_talk + 2] = state.final
    shown = state.phase == REPLY or (state.phase == ANSWER_PHASE and (looker == state.to_act or looker == NO_SEAT))
    question = bit(np.int64(state.question)) if shown else NONE
    traits = seen_traits(state, rules, base) << np.uint64(rules.n_questions)
    put_few(row, rules.obs_question, question | traits, rules.n_questions + rules.n_people * rules.n_traits)
    kinds = 3 * rules.n_people
    fronts = rules.kinds | state.fronts << np.uint64(kinds)
    put_few(row, rules.obs_kind, fronts, kinds + n_locations * rules.n_questions)
    put_nothing(row, rules.obs_location, rules.obs_location + 3 * n_locations)
    revealed = np.uint64(state.revealed)
    while revealed != NONE:
        location = lowest(revealed)
        revealed &= revealed - np.uint64(1)
        row[rules.obs_location + 3 * location] = 1
        row[rules.obs_location + 3 * location + 1] = state.order[location]
        row[rules.obs_location + 3 * location + 2] = state.hands[location]


@inner
def put_fact(row, at, rules, fact):
    """The byte of a fact in a block of (question, trait)."""
    if fact != 0:
        row[at + question_of(fact) * rules.n_traits + ((fact - 1) >> 1 & 7)] = 1 - 2 * ((fact - 1) & 1)


@inner
def put_location_facts(row, at, state, rules, locations):
    """The backs of some locations."""
    n_topics = rules.n_questions * rules.n_traits
    put_nothing(row, at, at + n_topics * rules.n_locations)
    while locations != NONE:
        location = lowest(locations)
        locations &= locations - np.uint64(1)
        for k in range(2):
            put_fact(row, at + n_topics * location, rules, np.int64(state.facts[location, k]))


@inner
def put_cards(row, at_state, at_read, stop, state, rules, looker):
    """Where the top secret cards are, and who has read them; zeros up to `stop`."""
    put_word(row, at_state, rules.stack)
    put_word(row, at_state + 8, rules.stack_on)
    put_nothing(row, at_read, stop)
    laid_out = np.uint64(state.laid_out)
    while laid_out != NONE:
        card = lowest(laid_out)
        laid_out &= laid_out - np.uint64(1)
        row[at_state + card - 1] = 1 + offset_of(rules, np.int64(state.holder[card]), looker)
        readers = seen_people(rules, np.uint64(state.readers[card]), looker)
        put_word(row, at_read + rules.n_portraits * (card - 1), spread(readers))


@inner
def put_clears(row, at, state, rules, card, looker):
    """Whom a setup card clears."""
    for k in range(CLEARS_A_CARD):
        clearing = np.int64(state.clears[card - FIRST_SETUP_CARD, k])
        if clearing != 0:
            person = relative_of(rules, subject_of(clearing), looker)
            group = rules.n_questions * (card - FIRST_SETUP_CARD) + question_of(clearing)
            row[at + rules.n_people * group + person] = 1


@inner
def put_objectives(row, at, state, seat):
    """A seat's objectives: 16 bytes, of which the last come later."""
    put_word(row, at, state.wants[seat, 0])
    put_word(row, at + 8, state.wants[seat, 1])


@inner
def put_events(row, at, state, rules, looker):
    """The last public events, newest first, 32 bytes at a time.

    Bytes that count from the looker are stored with the sign bit set. They have 1..n for the seats, of which s is taken
    off; n is added first where that would leave nothing.
    """
    nothing = all_lanes(NONE)
    s = all_lanes(np.uint64(looker) * EVERY_BYTE)
    n = all_lanes(np.uint64(rules.n_seats) * EVERY_BYTE)
    after = all_lanes(np.uint64(looker + 1) * EVERY_BYTE)
    unsigned = all_lanes(np.uint64(0x7F) * EVERY_BYTE)
    newest = EVENT_BYTES * np.int64(state.events_at)
    for i in range(0, EVENT_BYTES * N_EVENTS, N_BYTES):
        stored = get_lanes(state.events, newest + i)
        event = both(stored, unsigned)
        turned = minus_bytes(plus_bytes(event, both(where_less_bytes(event, after), n)), s)
        put_lanes(row, at + i, choose(where_less_bytes(stored, nothing), turned, event))


@kernel
def observe(state, rules, seat, row):
    """The seat's observation, block by block in rising order (a block's last word may spill into the next)."""
    n = rules.n_seats
    n_people = rules.n_people
    n_groups = rules.n_questions * n_people
    n_topics = rules.n_questions * rules.n_traits
    put_table(row, state, rules, seat)
    put_location_facts(row, rules.obs_location_facts, state, rules, np.uint64(state.revealed))
    put_cards(row, rules.obs_card_state, rules.obs_card_read, rules.obs_role, state, rules, seat)
    laid_out = np.uint64(state.laid_out)
    while laid_out != NONE:
        card = lowest(laid_out)
        laid_out &= laid_out - np.uint64(1)
        if has(np.uint64(state.readers[card]), seat):
            if card >= FIRST_SETUP_CARD:
                put_clears(row, rules.obs_card_clears, state, rules, card, seat)
            else:
                put_fact(row, rules.obs_card_facts + n_topics * (card - 1), rules, np.int64(state.secret[card]))
    role = NONE
    for question in range(rules.n_questions):
        role |= np.uint64(state.solution[question] == seat) << np.uint64(question)
    story = seen_groups(rules, state.cleared[seat], seat) << np.uint64(rules.n_questions)
    put_few(row, rules.obs_role, role | story, rules.n_questions + n_groups)
    put_objectives(row, rules.obs_objective_accuse, state, seat)
    has_it = state.shown_has | state.own_has[seat]
    lacks_it = state.shown_lacks | state.own_lacks[seat]
    put_signs(row, rules.obs_known_traits, has_it, lacks_it, n_topics)
    fits = state.shown_fits & state.own_fits[seat]
    put_few(row, rules.obs_candidates, seen_groups(rules, fits, seat), n_groups)
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        said_is = seen_groups(rules, state.claims_is[other], seat)
        said_not = seen_groups(rules, state.claims_not[other], seat)
        put_signs(row, rules.obs_claims_who + n_groups * offset, said_is, said_not, n_groups)
    put_nothing(row, rules.obs_claims_who + n_groups * n, rules.obs_claims_trait)
    for offset in range(n):
        other = seat_at(rules, seat, offset)
        at = rules.obs_claims_trait + n_topics * offset
        put_signs(row, at, state.claims_has[other], state.claims_lacks[other], n_topics)
    put_nothing(row, rules.obs_claims_trait + n_topics * n, rules.obs_events)
    for offset in range(n):
        suspect = np.int64(state.suspicion[seat_at(rules, seat, offset)])
        if suspect != NOBODY:
            row[rules.obs_suspicions + n_people * offset + relative_of(rules, suspect, seat)] = 1
    if state.accusation[seat] != NOBODY:
        put_writing(row, state, rules, seat)
    put_events(row, rules.obs_events, state, rules, seat)


@kernel
def put_writing(row, state, rules, seat):
    """What the seat has written; after the pointing the accusations of all, and whom they hit."""
    n_people = rules.n_people
    row[rules.obs_accusation + relative_of(rules, np.int64(state.accusation[seat]), seat)] = 1
    for k in range(rules.n_answers):
        answer = np.int64(state.answers[seat, k])
        if answer != NOBODY:
            at = rules.obs_answers + n_people * np.int64(state.asked[seat, k])
            row[at + relative_of(rules, answer, seat)] = 1
    if state.phase == TIEBREAK or state.phase == OVER:
        for offset in range(rules.n_seats):
            accused = np.int64(state.accusation[seat_at(rules, seat, offset)])
            row[rules.obs_accusations + n_people * offset + relative_of(rules, accused, seat)] = 1
    if state.accused != NOBODY:
        accused = relative_of(rules, np.int64(state.accused), seat)
        row[rules.obs_accused + accused] = 1
        if accused < rules.n_seats:
            row[rules.obs_eliminated + accused] = 1


# -- The whole truth --------------------------------------------------------------------------------------------------


def world_of(sizes: Sizes) -> Layout:
    """The layout of the state vector: absolute seats, characters in the order of the case."""
    n, people, questions, traits, places = sizes[1:]
    return Layout(
        [
            *table_rows(sizes),
            ("cast", (n, people), 0, 1, "whom a seat plays, one-hot"),
            ("solution", (questions, people), 0, 1, "the answers, one-hot"),
            ("location_backs", (places, questions, traits), -1, 1, f"of all locations. {SIGN}"),
            ("location_hands", places, 0, N_CARDS, "card that a location hands out, or 0"),
            ("card_state", N_CARDS, -1, n, "-1: not in play, 0: in the stack, else 1 + holder"),
            ("card_read", (N_CARDS, n), 0, 1, "who has read the card"),
            ("card_backs", (N_CARDS, questions, traits), -1, 1, f"of all cards. {SIGN}"),
            ("card_clears", (N_SETUP_CARDS, questions, people), 0, 1, "cards 9, 10, 11: cleared"),
            ("stories", (n, questions, people), 0, 1, "whom a seat's own cards clear"),
            ("objectives", (n, 1 + 3 * questions), 0, MAX_POINTS, "accuse; answers; hide and limit, by question"),
            ("claims_who", (n, questions, people), -1, 1, "a player's latest statement: 1 is, -1 is not"),
            ("claims_trait", (n, questions, traits), -1, 1, "a player's latest statement: 1 has, -1 lacks"),
            ("suspicions", (n, people), 0, 1, "whom a player named last, one-hot"),
            ("accusations", (n, people), 0, 1, "whom each has written down, one-hot"),
            ("answers", (n, questions, people), 0, 1, "what each has answered, one-hot"),
            ("accused", people, 0, 1, "at the end: the most accused, one-hot"),
            ("eliminated", n, 0, 1, "at the end: the player who is out, one-hot"),
            ("events", (N_EVENTS, EVENT_BYTES), 0, N_CARDS, EVENT),
        ]
    )


@kernel
def put_people(row, at, state, rules, people, value):
    """A byte for each of a set of (question, person), in the order of the case; the others are left as they are."""
    while people != NONE:
        i = lowest(people)
        people &= people - np.uint64(1)
        question = i // rules.n_people
        place = i - question * rules.n_people
        row[at + question * rules.n_people + np.int64(state.person[place])] = value


@kernel
def put_person(row, at, state, place):
    """A one-hot of a person in the order of the case, over zeros; NOBODY: none."""
    if place != NOBODY:
        row[at + np.int64(state.person[place])] = 1


@kernel
def world(state, rules, row):
    """The state vector, block by block in rising order."""
    n = rules.n_seats
    n_people = rules.n_people
    n_groups = rules.n_questions * n_people
    n_topics = rules.n_questions * rules.n_traits
    put_table(row, state, rules, NO_SEAT)
    for place in range(n_people):
        person = np.int64(state.person[place])
        for trait in range(rules.n_traits):
            row[rules.obs_traits + rules.n_traits * person + trait] = has(np.uint64(state.bearers[trait]), place)
        for k in range(3):
            row[rules.obs_kind + 3 * person + k] = has(rules.kinds, 3 * place + k)
    put_nothing(row, rules.world_cast, rules.world_location_backs)
    for seat in range(n):
        row[rules.world_cast + n_people * seat + np.int64(state.person[seat])] = 1
    for question in range(rules.n_questions):
        row[rules.world_solution + n_people * question + np.int64(state.person[state.solution[question]])] = 1
    put_location_facts(row, rules.world_location_backs, state, rules, full(rules.n_locations))
    for location in range(rules.n_locations):
        row[rules.world_location_hands + location] = state.hands[location]
    put_cards(row, rules.world_card_state, rules.world_card_read, rules.world_claims_trait, state, rules, 0)
    for card in range(1, FIRST_SETUP_CARD):
        put_fact(row, rules.world_card_backs + n_topics * (card - 1), rules, np.int64(state.secret[card]))
    for k in range(N_SETUP_CARDS):
        for i in range(CLEARS_A_CARD):
            clearing = np.int64(state.clears[k, i])
            if clearing != 0:
                person = bit(question_of(clearing) * n_people + subject_of(clearing))
                put_people(row, rules.world_card_clears + n_groups * k, state, rules, person, 1)
    for seat in range(n):
        put_people(row, rules.world_stories + n_groups * seat, state, rules, np.uint64(state.cleared[seat]), 1)
    for seat in range(n):
        put_objectives(row, rules.world_objectives + (1 + 3 * rules.n_questions) * seat, state, seat)
    put_nothing(row, rules.world_objectives + (1 + 3 * rules.n_questions) * n, rules.world_claims_trait)
    for seat in range(n):
        at = rules.world_claims_who + n_groups * seat
        put_people(row, at, state, rules, np.uint64(state.claims_is[seat]), 1)
        put_people(row, at, state, rules, np.uint64(state.claims_not[seat]), -1)
    for seat in range(n):
        at = rules.world_claims_trait + n_topics * seat
        put_signs(row, at, state.claims_has[seat], state.claims_lacks[seat], n_topics)
    put_nothing(row, rules.world_claims_trait + n_topics * n, rules.world_events)
    for seat in range(n):
        put_person(row, rules.world_suspicions + n_people * seat, state, np.int64(state.suspicion[seat]))
        put_person(row, rules.world_accusations + n_people * seat, state, np.int64(state.accusation[seat]))
        for k in range(rules.n_answers):
            answer = np.int64(state.answers[seat, k])
            if answer != NOBODY:
                at = rules.world_answers + n_groups * seat + n_people * np.int64(state.asked[seat, k])
                row[at + np.int64(state.person[answer])] = 1
    accused = np.int64(state.accused)
    put_person(row, rules.world_accused, state, accused)
    if accused != NOBODY and accused < n:
        row[rules.world_eliminated + accused] = 1
    put_world_events(row, rules.world_events, state, rules)


@kernel
def put_world_events(row, at, state, rules):
    """The last public events, with characters in the order of the case."""
    newest = EVENT_BYTES * np.int64(state.events_at)
    for i in range(0, EVENT_BYTES * N_EVENTS, EVENT_BYTES):
        for k in range(EVENT_BYTES):
            row[at + i + k] = state.events[newest + i + k] & 0x7F
        k = person_byte(row[at + i], row[at + i + 3])
        if k != 0:
            row[at + i + k] = np.int64(state.person[row[at + i + k] - 1]) + 1


@kernel
def person_byte(kind, said):
    """Which byte of an event is a character: the subject of an `is` or a `not`, or the suspect; 0: none."""
    if kind == SAID and (said == 1 + IS or said == 1 + NOT):
        return 4
    return 2 if kind == SUSPECTED else 0
