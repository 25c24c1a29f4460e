"""The records: what a configuration fixes (Rules), a game in progress (State); how both count people and pack facts.

**Places.** People are counted by *place*: 0..n-1 are the characters played, by their seats; then come the portraits
that are out and the extras, each in the order of the case. So a set of people, seen from a seat, is the same set with
its n low bits turned round.

**Facts as numbers.** A fact about a trait is `1 + (question << 4 | trait << 1 | lacks)`, one that clears a person
`1 + (question << 4 | place)`, an objective `kind | question << 2 | points << 4 | limit << 7`; 0 is none of them.

**Sets of pairs.** (question, person) is bit `question * n_people + place`, (question, trait) bit
`question * n_traits + trait`; there are at most 40 of the first and 20 of the second.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, bit, full
from murder_envs.core.contract import NO_SEAT, offset_of, seat_at
from murder_envs.core.jit import inner, kernel
from murder_envs.core.records import NOTHING, choice, flag, number, seat, starts, table
from murder_envs.core.rng import Randomness
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.layout import OBSERVATION_BLOCKS, WORLD_BLOCKS

OFFER_SILENT = len(m.PHASES)
OFFER_REPLY = OFFER_SILENT + 1
N_OFFERS = OFFER_REPLY + c.MAX_QUESTIONS
"""Rows of `Rules.offers` after those of the phases: a silent talk turn, and replies by question."""


class Rules(starts(do=m.STARTS, obs=OBSERVATION_BLOCKS, world=WORLD_BLOCKS)):  # type: ignore[misc]
    """What a configuration fixes. Fields named like a parameter hold that parameter."""

    # sizes
    n_seats: int = number("players, 3 to 7")
    n_portraits: int = number("characters that can be played, n_seats to n_seats + 2")
    n_people: int = number("all characters")
    n_questions: int = number("1, 3 or 4")
    n_traits: int = number("2 to 5")
    n_locations: int = number("2 to 8")
    n_facts: int = number("facts about one question that can be stated")
    murder_locations: int = number("locations whose front points at the murder")
    witness_facts: int = number("clearing facts on a portrait's own cards, at most")
    answers: int = number("`answer` objectives of each portrait")
    rounds: int = number("locations that are revealed")
    tokens: int = number("action tokens of a player")
    talk_rounds: int = number("turns to speak for each after a location; 0: silent")
    final_talk_rounds: int = number("the same in the final discussion; 0: there is none")
    # the box
    handed: int = table(np.uint64, "set of the cards that locations hand out")
    in_play: int = table(np.uint64, "set of the portraits that can be played by so many")
    setup_cards: int = table(np.uint64, "set of the cards given to players before play")
    pool: np.ndarray = table(
        np.uint64, "by question: set of the people who can be the answer", shape=(c.MAX_QUESTIONS,)
    )
    cap: np.ndarray = table(
        np.int64, "by question: facts about it that a portrait's own cards may have", shape=(c.MAX_QUESTIONS,)
    )
    suspects: int = table(np.uint64, "all pools as a set of (question, person)")
    # choices
    speech: int = choice(m.SPEECHES, "what can be said")
    npc_accused: int = choice(m.NPC_ACCUSED, "what accusations of characters that nobody plays mean")
    hide_points: int = number("points for a kept secret")
    hide_limit: int = number("others that may name it")
    win_points: int = number("points that win")
    reward: int = choice(m.REWARDS, "how the end is paid")
    leads_first: int = seat("who has the Leader token first; NO_SEAT: drawn at random")
    has_cast: int = flag("1: who sits where is configured")
    cast: np.ndarray = table(np.int64, "the portrait of each seat, if so", shape=(c.MAX_SEATS,))
    has_codes: int = flag("1: traits are configured or written")
    codes: np.ndarray = table(np.uint64, "set of the traits of each character, if so", shape=(c.MAX_PEOPLE,))
    # a written case, by characters in its order; for the deal alone; numbers as in State
    is_written: int = flag("1: the case is written, 0: it is drawn")
    solution: np.ndarray = table(np.int64, "the answer to each question", shape=(c.MAX_QUESTIONS,))
    theme: np.ndarray = table(np.int64, "the question on a front", shape=(c.MAX_LOCATIONS,))
    facts: np.ndarray = table(np.int64, "on the back of a location", shape=(c.MAX_LOCATIONS, c.FACTS_A_LOCATION))
    hands: np.ndarray = table(np.int64, "card that a location hands out", shape=(c.MAX_LOCATIONS,))
    secret: np.ndarray = table(np.int64, "fact of a handed card", shape=(c.N_CARDS + 1,))
    clears: np.ndarray = table(np.int64, "facts of a setup card", shape=(c.N_SETUP_CARDS, c.CLEARS_A_CARD))
    given_to: np.ndarray = table(np.int64, "the portrait that a setup card is given to", shape=(c.N_SETUP_CARDS,))
    story: np.ndarray = table(np.int64, "clearing facts of a portrait", shape=(c.MAX_SEATS, c.MAX_WITNESS))
    objectives: np.ndarray = table(np.int64, "of a portrait", shape=(c.MAX_SEATS, c.MAX_OBJECTIVES))
    # what kernels look up in place of counting
    offers: np.ndarray = table(
        np.uint64, "legal sets, or parts of them, by phase, then OFFER_*", shape=(N_OFFERS, m.N_WORDS)
    )
    kinds: int = table(np.uint64, "the block `kind` as bits, by place")
    stack: int = table(np.uint64, "the block `card_state` as bytes while all cards lie in the stack: cards 1 to 8")
    stack_on: int = table(np.uint64, "the same, cards 9 and so on")
    before: np.ndarray = table(
        np.uint64, "sets of (question, person): the players who come before a seat", shape=(c.MAX_SEATS,)
    )
    after: np.ndarray = table(np.uint64, "the seat itself, and the players who come after it", shape=(c.MAX_SEATS,))
    unplayed: int = table(np.uint64, "those whom nobody plays")


class State(Randomness):
    """A game in progress."""

    # who is who
    person: np.ndarray = table(np.int8, "the character's number in the case, at each place", shape=(c.MAX_PEOPLE,))
    place: np.ndarray = table(np.int8, "the place of each character", shape=(c.MAX_PEOPLE,))
    traits: int = table(np.uint64, "set of (person, trait): bit place * n_traits + trait")
    bearers: np.ndarray = table(np.uint64, "set of the people who have a trait", shape=(c.MAX_TRAITS,))
    solution: np.ndarray = table(np.int8, "the person who is the answer to each question", shape=(c.MAX_QUESTIONS,))
    # locations: number 1 at index 0
    theme: np.ndarray = table(np.int8, "the question on the front", shape=(c.MAX_LOCATIONS,))
    fronts: int = table(np.uint64, "the same as a set of (location, question): bit location * n_questions + question")
    facts: np.ndarray = table(np.int8, "facts on the back", shape=(c.MAX_LOCATIONS, c.FACTS_A_LOCATION))
    hands: np.ndarray = table(np.int8, "card that is handed out, or 0", shape=(c.MAX_LOCATIONS,))
    order: np.ndarray = table(np.int8, "revealed as which, from 1; 0: face down", shape=(c.MAX_LOCATIONS,))
    revealed: int = table(np.uint64, "set of the revealed locations, bit 0 for number 1")
    # top secret cards, by their printed numbers
    secret: np.ndarray = table(np.int8, "fact of a handed card", shape=(c.N_CARDS + 1,))
    clears: np.ndarray = table(np.int8, "facts of a setup card", shape=(c.N_SETUP_CARDS, c.CLEARS_A_CARD))
    holder: np.ndarray = table(
        np.int8, "seat before which the card lies; NO_SEAT: none", shape=(c.N_CARDS + 1,), empty=NO_SEAT
    )
    readers: np.ndarray = table(np.uint32, "set of the seats that have read the card", shape=(c.N_CARDS + 1,))
    cards_of: np.ndarray = table(np.uint64, "set of the cards that lie before a seat", shape=(c.MAX_SEATS,))
    laid_out: int = table(np.uint64, "set of the cards that lie before any seat")
    # character cards, by place of the portrait; the last three follow from them, see `sum_up_cards`
    story: np.ndarray = table(np.int8, "clearing facts, Story B first", shape=(c.MAX_SEATS, c.MAX_WITNESS))
    objectives: np.ndarray = table(np.int16, "in the order of the card", shape=(c.MAX_SEATS, c.MAX_OBJECTIVES))
    cleared: np.ndarray = table(np.uint64, "the story as a set of (question, person)", shape=(c.MAX_SEATS,))
    wants: np.ndarray = table(np.uint64, "objectives as the observation has them, a byte each", shape=(c.MAX_SEATS, 2))
    must_answer: np.ndarray = table(
        np.int8, "questions of the `answer` objectives, in their order", shape=(c.MAX_SEATS, c.MAX_ANSWERS)
    )
    # whose move
    phase: int = choice(m.PHASES, "what is being asked", snapshot=True, public=True)
    to_act: int = seat("who is asked; NO_SEAT when over", snapshot=True, public=True)
    round_n: int = number("number of this round", low=1, high="rounds", snapshot="round", public=True)
    leader: int = seat("who has the Leader token", empty=0, snapshot=True, public=True)
    tokens: np.ndarray = number(
        "action tokens left", dtype=np.int8, shape=(c.MAX_SEATS,), high="tokens", snapshot=True, public=True
    )
    chosen: int = number("location under veto now, or 0", high="n_locations", snapshot=True, public=True)
    vetoed_location: int = number("location vetoed in this round, or 0", high="n_locations", snapshot=True, public=True)
    nominee: int = seat("next Leader under veto now", snapshot=True, public=True)
    vetoed_leader: int = seat("next Leader vetoed in this round, until the token passes", snapshot=True, public=True)
    talk_round: int = number("finished rounds of this talk", snapshot=True, public=True)
    spoken: int = number("finished turns of this round of talk", snapshot=True, public=True)
    final: int = flag("1: the final discussion", snapshot=True, public=True)
    question: int = number("asked for a reply, or to be answered now; else 0", dtype=np.int8)
    # what was said, by seat: the latest statement on each subject
    claims_is: np.ndarray = table(np.uint64, "set of (question, person)", shape=(c.MAX_SEATS,))
    claims_not: np.ndarray = table(np.uint64, "set of (question, person)", shape=(c.MAX_SEATS,))
    claims_has: np.ndarray = table(np.uint64, "set of (question, trait)", shape=(c.MAX_SEATS,))
    claims_lacks: np.ndarray = table(np.uint64, "set of (question, trait)", shape=(c.MAX_SEATS,))
    suspicion: np.ndarray = choice(
        "people", "whom a seat suspects", shape=(c.MAX_SEATS,), empty=NOTHING, snapshot="suspicions", public=True
    )
    # what was written, by seat
    accusation: np.ndarray = choice(
        "people", "whom a seat accuses", shape=(c.MAX_SEATS,), empty=NOTHING, snapshot="accusations"
    )
    answers: np.ndarray = table(
        np.int8, "people, in the order of `must_answer`; NOBODY: not yet", shape=(c.MAX_SEATS, c.MAX_ANSWERS),
        empty=NOTHING,
    )  # fmt: skip
    accused: int = choice("people", "at the end: the most accused", empty=NOTHING, snapshot=True, public=True)
    # what facts were shown: to all, and to one seat alone by its role, its story and the cards that it has read
    shown_has: int = table(np.uint64, "set of (question, trait): the answer has it")
    shown_lacks: int = table(np.uint64, "set of (question, trait): the answer has it not")
    shown_fits: int = table(np.uint64, "set of (question, person): whom these facts leave")
    own_has: np.ndarray = table(np.uint64, "as shown_has, of a seat alone", shape=(c.MAX_SEATS,))
    own_lacks: np.ndarray = table(np.uint64, "as shown_lacks, of a seat alone", shape=(c.MAX_SEATS,))
    own_fits: np.ndarray = table(np.uint64, "as shown_fits, of a seat alone", shape=(c.MAX_SEATS,))
    # the past
    events: np.ndarray = table(
        np.int8,
        "a ring of public events, each twice, so that the latest lie in a row",
        shape=(2 * m.N_EVENTS * m.EVENT_BYTES,),
    )
    events_at: int = table(np.int8, "which event of the ring is the newest; the others follow, the newer first")


# -- Counting people --------------------------------------------------------------------------------------------------


@inner
def person_at(rules: Rules, seat, relative):
    """The person that a seat counts as number `relative`: itself, the others clockwise, then those nobody plays.

    Actions and observations count people so; whoever nobody plays has the same number for all.
    """
    return seat_at(rules, seat, relative) if relative < rules.n_seats else relative


@inner
def relative_of(rules: Rules, person, looker):
    """As which number a seat counts a person."""
    return offset_of(rules, person, looker) if person < rules.n_seats else person


@inner
def seen_people(rules: Rules, people, looker):
    """A set of people in a seat's own count: its n low bits turned round."""
    played = full(rules.n_seats)
    low = people & played
    return (((low >> looker) | (low << (rules.n_seats - looker))) & played) | (people & ~played)


@inner
def seen_groups(rules: Rules, people, looker):
    """A set of (question, person) in a seat's own count.

    The players of each question are turned round at once: `rules.after` and `rules.before` have the bits of all
    questions.
    """
    after = (people & rules.after[looker]) >> looker
    before = (people & rules.before[looker]) << (rules.n_seats - looker)
    return after | before | (people & rules.unplayed)


@inner
def of_question(pairs, question, n):
    """The people (or traits) that a set of (question, person) has for a question; n: how many people there are."""
    return (pairs >> (question * n)) & full(n)


# -- Facts and objectives as numbers ----------------------------------------------------------------------------------
# Written once for Python and for kernels: the plain functions read and write snapshots, and are compiled below.


def pack_trait_fact(question, trait, lacks):
    """A fact about a trait."""
    return 1 + (question << 4 | trait << 1 | lacks)


def unpack_trait_fact(fact):
    """Question, trait, and 1 if the answer lacks it."""
    return (fact - 1) >> 4, (fact - 1) >> 1 & 7, (fact - 1) & 1


def pack_clearing(question, person):
    """A fact that clears a person."""
    return 1 + (question << 4 | person)


def unpack_clearing(fact):
    """Question and person."""
    return (fact - 1) >> 4, (fact - 1) & 15


def pack_objective(kind, question, limit, points):
    """An objective."""
    return kind | question << 2 | points << 4 | limit << 7


def unpack_objective(objective):
    """Kind, question, limit, points."""
    return objective & 3, objective >> 2 & 3, objective >> 7, objective >> 4 & 7


trait_fact = inner(pack_trait_fact)
parts_of_trait_fact = inner(unpack_trait_fact)
clearing_fact = inner(pack_clearing)
parts_of_clearing = inner(unpack_clearing)
objective_of = inner(pack_objective)
parts_of_objective = inner(unpack_objective)


@kernel
def sum_up_cards(state: State, rules: Rules, portrait):
    """A portrait's own cards in the terms of the observation, so that each look need not unpack them.

    The story as a set; the questions that it has to answer; its objectives as numbers in a row: accuse, answer by
    question, hide and limit by question.
    """
    cleared = NONE
    for k in range(c.MAX_WITNESS):
        if state.story[portrait, k] != 0:
            question, person = parts_of_clearing(state.story[portrait, k])
            cleared |= bit(question * rules.n_people + person)
    state.cleared[portrait] = cleared
    state.wants[portrait, 0] = NONE
    state.wants[portrait, 1] = NONE
    n_answers = 0
    for k in range(c.MAX_OBJECTIVES):
        kind, question, limit, points = parts_of_objective(state.objectives[portrait, k])
        at = 0
        if kind == c.ANSWER:
            state.must_answer[portrait, n_answers] = question
            n_answers += 1
            at = 1 + question
        elif kind == c.HIDE:
            at = 1 + rules.n_questions + 2 * question
            put_number(state, portrait, at + 1, limit)
        if kind != c.NO_OBJECTIVE:
            put_number(state, portrait, at, points)


@kernel
def put_number(state: State, portrait, at, number):
    """A byte of `wants`."""
    state.wants[portrait, at >> 3] |= np.uint64(number) << (8 * (at & 7))


# -- Public events ----------------------------------------------------------------------------------------------------

COUNTED = 0x80
"""Sign bit of a byte of an event that counts seats or people from the one who looks.

Such a byte is turned when it is seen, not when it is entered; so all seats share one ring.
"""


@kernel
def record_event(state: State, rules: Rules, kind, seat, first, second, third, counted):
    """Enter a public event.

    The ring has each event twice, N_EVENTS apart. So the latest N_EVENTS lie in a row wherever the newest is, and a
    view of them is one long copy.

    Args:
        state, rules: the records.
        kind: EVENT.*
        seat: who acts.
        first, second, third: arguments in bytes 2, 3, 4, as `moves.EVENT_ARGUMENTS` lists them; 0 for none.
        counted: the byte that holds a seat or a person; 0 for none.
    """
    at = (state.events_at - 1) & (m.N_EVENTS - 1)
    state.events_at = at
    event = np.uint64(kind | (seat + 1) << 8 | first << 16 | second << 24 | third << 32 | COUNTED << 8)
    argument = first if counted == 2 else second if counted == 3 else third
    if counted != 0 and argument <= rules.n_seats:
        event |= np.uint64(COUNTED) << (8 * counted)
    for k in range(m.EVENT_BYTES):
        byte = event >> (8 * k)
        state.events[m.EVENT_BYTES * at + k] = byte
        state.events[m.EVENT_BYTES * (at + m.N_EVENTS) + k] = byte
