"""A state as a plain dict in the terms of the rulebook: what is not plain in `state.py`. `position.py` is the way back.

People, questions and traits go by the keys of the case, facts and objectives by texts such as `murder.has.limp` and
`hide theft 1 2` (see `case.Terms`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import entry
from murder_envs.core.snapshots import members_of, public_fields, show
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery import play
from murder_envs.games.my_murder_mystery.case import Fact, Objective, Terms
from murder_envs.games.my_murder_mystery.moves import NOBODY, PHASES
from murder_envs.games.my_murder_mystery.state import (
    State,
    unpack_clearing,
    unpack_objective,
    unpack_trait_fact,
)

SPECIAL = {
    "traits": "a dict character -> its traits",
    "answers": "a dict question -> the character that is its answer",
    "characters": "for each seat the character that it plays",
    "out": "portraits that nobody plays",
    "locations": "a dict number -> theme (a question), facts, and the card that it hands out or 0",
    "secrets": "a dict top secret card -> its facts",
    "stories": "a dict portrait -> the facts on its own cards",
    "objectives": "a dict portrait -> its objectives",
    "revealed": "numbers of the revealed locations, in their order",
    "question": 'in the phase `reply` the question that was asked, else ""',
    "holders": "a dict top secret card -> the seat that it lies before, or -1",
    "read": "a dict top secret card -> the seats that have read it",
    "claims": "for each seat the facts that it has stated",
    "events": "[kind, seat, ...], oldest first",
    "written": "for each seat the answers that it has written so far",
    "pointed": "have all pointed at whom they accuse?",
    "eliminated": "the seat that is out, or -1; it follows from the rest",
    "points": "for each seat its points at the end, 0 before; they follow from the rest",
    "winners": "the seats that have won; they follow from the rest",
    "returns": "what each seat is paid; it follows from the rest",
    "over": "is the game over?",
}
"""The fields that need code, and what is in them; the others are plain fields of State."""
SEEN_BY_ALL = (
    "traits", "characters", "out", "revealed", "question", "holders", "read", "claims", "events", "pointed",
    "eliminated", "over",
)  # fmt: skip
POINTED = ("tiebreak", "over")
"""Phases after the pointing, in which all accusations are open."""


# -- Questions to the compiled rules ----------------------------------------------------------------------------------


@entry
def outcome_of(states, rules, done, points, won, out):
    """Which objectives are completed, the points, who wins, and what each seat is paid."""
    for seat in range(rules[0].n_seats):
        points[seat] = play.points_of(states[0], rules[0], seat)
        won[seat] = play.is_winner(states[0], rules[0], seat, points[seat])
        for k in range(c.MAX_OBJECTIVES):
            done[seat, k] = play.is_done(states[0], rules[0], seat, k)
    play.returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------------------------


class StateView:
    """A state in the terms of a case: what its records mean.

    Args:
        terms: keys of the case.
        rules, state: arrays of one record.
    """

    def __init__(self, terms: Terms, rules: np.ndarray, state: np.ndarray) -> None:
        self.terms = terms
        self.rules = rules
        self.state = state
        self.s = state[0]
        self.n = int(rules[0]["n_seats"])
        self.n_people = len(terms.people)
        self.over = PHASES[self.s["phase"]] == "over"

    @functools.cached_property
    def keys(self) -> list[str]:
        """The key of the character at each place."""
        return [self.terms.people[person] for person in self.s["person"][: self.n_people].tolist()]

    def key(self, place: int) -> str:
        """The key of the character at a place; "" for NOBODY."""
        return "" if place == NOBODY else self.keys[place]

    def cards(self) -> list[int]:
        """The top secret cards in play that have facts."""
        return members_of(int(self.rules[0]["handed"]) | int(self.rules[0]["setup_cards"]))

    def traits(self, person: int) -> list[str]:
        """The traits of a character."""
        code = int(self.s["traits"]) >> self.place_of(person) * len(self.terms.traits)
        return [trait for t, trait in enumerate(self.terms.traits) if code >> t & 1]

    def about_traits(self, facts: Any) -> list[str]:
        """Packed facts about traits as texts, blanks left out."""
        unpacked = [unpack_trait_fact(int(fact)) for fact in facts if fact]
        return [self.terms.fact_text(Fact(q, c.LACKS if lacks else c.HAS, trait)) for q, trait, lacks in unpacked]

    def clearing(self, facts: Any) -> list[str]:
        """Packed facts that clear people as texts, blanks left out."""
        unpacked = [unpack_clearing(int(fact)) for fact in facts if fact]
        return [self.terms.fact_text(Fact(q, c.NOT, int(self.s["person"][place]))) for q, place in unpacked]

    def place_of(self, person: int) -> int:
        """The place of a character."""
        return int(self.s["place"][person])

    def objectives(self, place: int) -> list[Objective]:
        """The objectives of a portrait, by its place, in the order of its card."""
        return [Objective(*unpack_objective(packed)) for packed in self.s["objectives"][place].tolist() if packed]

    def location(self, k: int) -> dict[str, Any]:
        """Front and back of the location with number k + 1."""
        return {
            "theme": self.terms.questions[self.s["theme"][k]],
            "facts": self.about_traits(self.s["facts"][k]),
            "hands": int(self.s["hands"][k]),
        }

    def secret(self, card: int) -> list[str]:
        """The facts on a top secret card."""
        if card >= c.FIRST_SETUP_CARD:
            return self.clearing(self.s["clears"][card - c.FIRST_SETUP_CARD])
        return self.about_traits([self.s["secret"][card]])

    def revealed(self) -> list[int]:
        """Numbers of the revealed locations, in their order."""
        order = self.s["order"].tolist()
        return sorted((k + 1 for k, nth in enumerate(order) if nth), key=lambda number: order[number - 1])

    def claims(self, seat: int) -> list[str]:
        """A seat's statements on record, sorted as text."""
        facts = []
        for kind, name in enumerate(c.KINDS):
            about_people = kind in (c.IS, c.NOT)
            for pair in members_of(self.s[f"claims_{name}"][seat]):
                question, subject = divmod(pair, self.n_people if about_people else len(self.terms.traits))
                facts.append(Fact(question, kind, int(self.s["person"][subject]) if about_people else subject))
        return sorted(map(self.terms.fact_text, facts))

    def is_true(self, fact: Fact) -> bool:
        """Does a fact hold of who is the answer to its question?"""
        place = int(self.s["solution"][fact.question])
        if fact.kind in (c.IS, c.NOT):
            return (fact.subject == int(self.s["person"][place])) == (fact.kind == c.IS)
        trait = place * len(self.terms.traits) + fact.subject
        return bool(int(self.s["traits"]) >> trait & 1) == (fact.kind == c.HAS)

    def events(self) -> list[list[Any]]:
        """The public events, oldest first."""
        at = int(self.s["events_at"])
        ring = self.s["events"].reshape(2 * m.N_EVENTS, m.EVENT_BYTES)[at : at + m.N_EVENTS] & 0x7F
        return [self.event(event) for event in ring[::-1].tolist() if event[0]]

    def event(self, stored: list[int]) -> list[Any]:
        """Kind, seat, and what `moves.EVENT_ARGUMENTS` says."""
        kind = m.EVENTS[stored[0]]
        arguments = [self.argument(what, stored, at) for what, at in m.EVENT_ARGUMENTS[kind].items()]
        return [kind, stored[1] - 1, *arguments]

    def argument(self, what: str, stored: list[int], at: int) -> Any:
        """An argument of an event, of which byte `at` is the first."""
        if what in ("location", "card"):
            return stored[at]
        number = stored[at] - 1
        if what == "seat":
            return number
        if what == "person":
            return self.key(number)
        if what == "question":
            return self.terms.questions[number]
        kind, subject = stored[at + 1] - 1, stored[at + 2] - 1
        return self.terms.fact_text(
            Fact(number, kind, int(self.s["person"][subject]) if kind in (c.IS, c.NOT) else subject)
        )

    def written(self, seat: int) -> list[str]:
        """The answers that a seat has written so far."""
        return [self.key(place) for place in self.s["answers"][seat].tolist() if place != NOBODY]

    def outcome(self) -> tuple[list[list[bool]], list[int], list[int], list[float]]:
        """Which objectives of each seat are completed; points; seats that win; returns."""
        done, won = np.zeros((self.n, c.MAX_OBJECTIVES), np.bool_), np.zeros(self.n, np.bool_)
        points, paid = np.zeros(self.n, np.int64), np.zeros(self.n)
        outcome_of(self.state, self.rules, done, points, won, paid)
        n_objectives = (self.s["objectives"][: self.n] != 0).sum(1)
        completed = [row[:n].tolist() for row, n in zip(done, n_objectives)]
        return completed, points.tolist(), np.flatnonzero(won).tolist(), paid.tolist()

    def eliminated(self) -> int:
        """The seat that is out; NO_SEAT: none."""
        accused = int(self.s["accused"])
        return accused if 0 <= accused < self.n else NO_SEAT


def snapshot(terms: Terms, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    view = StateView(terms, rules, state)
    n, over = view.n, view.over
    _, points, winners, paid = view.outcome()
    phase = PHASES[view.s["phase"]]
    portraits = {key: view.place_of(portrait) for portrait, key in enumerate(terms.portraits)}
    return {
        **show(State, rules, state, {"people": tuple(view.keys)}),
        "traits": {key: view.traits(person) for person, key in enumerate(terms.people)},
        "answers": {question: view.key(view.s["solution"][q]) for q, question in enumerate(terms.questions)},
        "characters": view.keys[:n],
        "out": view.keys[n : terms.n_portraits],
        "locations": {str(k + 1): view.location(k) for k in range(terms.n_locations)},
        "secrets": {str(card): view.secret(card) for card in view.cards()},
        "stories": {key: view.clearing(view.s["story"][place]) for key, place in portraits.items()},
        "objectives": {key: [*map(terms.objective_text, view.objectives(place))] for key, place in portraits.items()},
        "revealed": view.revealed(),
        "question": terms.questions[view.s["question"]] if phase == "reply" else "",
        "holders": {str(card): int(view.s["holder"][card]) for card in view.cards()},
        "read": {str(card): members_of(view.s["readers"][card]) for card in view.cards()},
        "claims": [view.claims(seat) for seat in range(n)],
        "events": view.events(),
        "written": [view.written(seat) for seat in range(n)],
        "pointed": phase in POINTED,
        "eliminated": view.eliminated(),
        "points": points if over else [0] * n,
        "winners": winners if over else [],
        "returns": paid,
        "over": over,
    }


def public(terms: Terms, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """What everybody sees: it stays the same in any `redeal`.

    Of locations the fronts, and the backs of those that are revealed; of what was written how much, and after the
    pointing the accusations.
    """
    full = snapshot(terms, rules, state)
    seen = {name: full[name] for name in (*public_fields(State), *SEEN_BY_ALL)}
    seen["fronts"] = {number: place["theme"] for number, place in full["locations"].items()}
    seen["backs"] = {number: full["locations"][str(number)] for number in full["revealed"]}
    if full["phase"] not in POINTED:
        seen["written"] = [[accusation != "" for accusation in full["accusations"]], [*map(len, full["written"])]]
    else:
        seen["accusations"] = full["accusations"]
    return seen
