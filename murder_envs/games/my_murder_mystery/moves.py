"""What can be asked, and what can be answered: phases, events, the table of actions, and what play and view share.

Inside the game people are counted by *place*: 0..n-1 are the characters played, by their seats; then come the portraits
that are out and the extras, each in the order of the case. So a set of people, seen from a seat, is the same set with
its n low bits turned round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from murder_envs.core.bits import bit, full
from murder_envs.core.jit import inner, kernel
from murder_envs.core.tables import Actions
from murder_envs.games.my_murder_mystery.cards import KINDS, N_CARDS

NO_SEAT = -1
NOBODY = -1
NO_LOCATION = 0

PHASES = (
    "visit", "veto_location", "talk", "reply", "leader", "veto_leader", "accuse", "answer", "tiebreak", "over",
)  # fmt: skip
VISIT, VETO_LOCATION, TALK, REPLY, LEADER, VETO_LEADER, ACCUSE_PHASE, ANSWER_PHASE, TIEBREAK, OVER = range(len(PHASES))

EVENTS = (
    "", "visit", "veto_location", "veto_leader", "reveal", "hand", "take", "say", "ask", "suspect", "decline", "leader",
)  # fmt: skip
(
    NO_EVENT, VISITED, VETOED_LOCATION, VETOED_LEADER, REVEALED, HANDED_OUT, TOOK, SAID, ASKED, SUSPECTED, DECLINED,
    NAMED_LEADER,
) = range(len(EVENTS))  # fmt: skip

SPEECH = ("full", "suspect")
SPEECH_FULL, SPEECH_SUSPECT = range(len(SPEECH))
POOL = ("portraits", "all")
POOL_PORTRAITS, POOL_ALL = range(len(POOL))
NPC_ACCUSED = ("spared", "players_only")
NPC_SPARED, PLAYERS_ONLY = range(len(NPC_ACCUSED))
REWARD = ("win", "points", "zero_sum")
REWARD_WIN, REWARD_POINTS, REWARD_ZERO_SUM = range(len(REWARD))


class Sizes(NamedTuple):
    """How many of everything there are in a configured game; ids and layouts follow from it."""

    seats: int
    portraits: int
    people: int
    questions: int
    traits: int
    locations: int

    @property
    def facts(self) -> int:
        """Facts about one question."""
        return 2 * self.people + 2 * self.traits


PASS, VETO = 0, 1


def actions_of(sizes: Sizes) -> Actions:
    """The table of actions."""
    people, questions, others = range(sizes.people), range(sizes.questions), range(1, sizes.portraits)
    subjects = [range(sizes.people), range(sizes.people), range(sizes.traits), range(sizes.traits)]
    return Actions(
        {
            "pass": ["pass"],
            "veto": ["veto"],
            "visit": [f"visit:{location + 1}" for location in range(sizes.locations)],
            "leader": [f"leader:{offset}" for offset in others],
            "take": [f"take:{card}" for card in range(1, N_CARDS + 1)],
            "say": [f"say:{q}.{kind}.{x}" for q in questions for kind, its in zip(KINDS, subjects) for x in its],
            "ask": [f"ask:{offset}.{q}" for offset in others for q in questions],
            "suspect": [f"suspect:{person}" for person in people],
            "accuse": [f"accuse:{person}" for person in people],
            "answer": [f"answer:{person}" for person in people],
            "condemn": [f"condemn:{person}" for person in people],
        }
    )


STARTS = ("visit", "leader", "take", "say", "ask", "suspect", "accuse", "answer", "condemn")
"""Blocks of actions whose first ids are in RULES, as `do_<block>`."""


# -- Round the table ------------------------------------------------------------------------------------------------


@inner
def seat_at(rules, seat, offset):
    """The seat `offset` places to the left of `seat`."""
    at = seat + offset
    return at - rules.n_seats if at >= rules.n_seats else at


@inner
def offset_of(rules, seat, looker):
    """How many places to the left of `looker` a seat is."""
    offset = seat - looker
    return offset + rules.n_seats if offset < 0 else offset


@inner
def person_at(rules, seat, relative):
    """The person that a seat counts as number `relative`: itself, the others clockwise, then those nobody plays."""
    return seat_at(rules, seat, relative) if relative < rules.n_seats else relative


@inner
def relative_of(rules, person, looker):
    """As which number a seat counts a person."""
    return offset_of(rules, person, looker) if person < rules.n_seats else person


@inner
def seen_people(rules, people, looker):
    """A set of people in a seat's own count: its n low bits turned round."""
    n = np.uint64(rules.n_seats)
    played = full(rules.n_seats)
    low = people & played
    return (((low >> np.uint64(looker)) | (low << (n - np.uint64(looker)))) & played) | (people & ~played)


@inner
def is_silent(state, rules):
    """Is this a round of talk in which cards can be taken and nothing can be said?"""
    return rules.n_talk_rounds == 0 and state.final == 0


@inner
def takeable(state, seat):
    """Set of the cards that a seat can take now: those before another player, if it has a token."""
    return np.uint64(state.laid_out & ~state.cards_of[seat]) if state.tokens[seat] > 0 else np.uint64(0)


@kernel
def next_with_token(state, rules, seat):
    """The next seat clockwise that is asked about a veto, before the Leader's turn comes; NO_SEAT if there is none."""
    for offset in range(1, rules.n_seats):
        other = seat_at(rules, seat, offset)
        if other == state.leader:
            return NO_SEAT
        if state.tokens[other] > 0:
            return other
    return NO_SEAT


@kernel
def most_accused(state, rules):
    """Set of the people with most accusations, among those that count; empty if nobody who counts has any."""
    counted = rules.n_seats if rules.npc_accused == PLAYERS_ONLY else rules.n_people
    most = 1
    tied = np.uint64(0)
    for person in range(counted):
        n = 0
        for seat in range(rules.n_seats):
            n += state.accusation[seat] == person
        if n > most:
            most = n
            tied = np.uint64(0)
        if n == most:
            tied |= bit(person)
    return tied
