"""A state in words for one reader: who is who, what cards read, what was done and what came of it. Never compiled."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import Wording, capitalized, listed
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.case import Fact, Objective
from murder_envs.games.my_murder_mystery.moves import NOBODY
from murder_envs.games.my_murder_mystery.names import Library
from murder_envs.games.my_murder_mystery.position import people_most_accused
from murder_envs.games.my_murder_mystery.snapshots import POINTED, StateView

EVENTS = {
    "visit": '{who} [chooses|choose] {location} ("{front}")',
    "veto_location": "{who} [spends|spend] a token to veto {location}",
    "veto_leader": "{who} [spends|spend] a token to veto {seat}",
    "reveal": "{who} [reads|read] aloud at {location}: {back}",
    "hand": "{who} [takes|take] card {card} from the stack and [reads|read] it alone",
    "take": "{who} [spends|spend] a token to take card {card} from {seat}, and [reads|read] it alone",
    "say": '{who} [says|say]: "{fact}"',
    "ask": '{who} [asks|ask] {seat}: "{question}"',
    "suspect": '{who} [says|say]: "I suspect {person}."',
    "decline": '{who} [declines|decline] to answer "{question}"',
    "leader": "{who} [names|name] {seat} as the next Leader",
}
"""Event -> what is told of it; `who` acts, and the other words are the arguments of `moves.EVENT_ARGUMENTS`."""


@functools.cache
def names_of(sizes: m.Sizes) -> tuple[str, ...]:
    """The names of all actions."""
    return m.actions_of(sizes).names


def counted(n: int, what: str) -> str:
    """`1 point`, `2 points`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


class Scene:
    """What there is to be told of a state, and to whom. Players are called by the characters that they play.

    Args:
        library: names and texts.
        rules, state: arrays of one record.
        reader: a seat; None: somebody who sees everything from above.
    """

    def __init__(self, library: Library, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.book = library.book(state)
        self.terms = library.terms
        self.rules = rules
        self.reader = reader
        self.view = StateView(library.terms, rules, state)
        self.s, self.n = state[0], self.view.n
        self.phase = m.PHASES[self.s["phase"]]
        self.words = Wording([self.named(seat) for seat in range(self.n)], reader)

    # -- Who and what -------------------------------------------------------------------------------------------------

    def named(self, place: int) -> str:
        """The name of the character at a place."""
        return "" if place == NOBODY else self.book.people[int(self.s["person"][place])].name

    def name(self, place: int) -> str:
        """`you`, or the name of the character at a place."""
        return "you" if place == self.reader else self.named(place)

    def names(self, places: Any) -> str:
        """Some of them in a row; the reader comes first."""
        return listed(self.name(place) for place in sorted(places, key=lambda place: place != self.reader))

    def question(self, q: int) -> str:
        """A question as it is asked."""
        return self.book.questions[q].text

    def front(self, number: int) -> str:
        """The question that a location bears on."""
        return self.question(int(self.s["theme"][number - 1]))

    def title(self, number: int) -> str:
        """The title of a location; "" for none."""
        return self.book.titles[number - 1] if number else ""

    def front_of(self, number: int) -> str:
        """The front of a location, which is read aloud before play."""
        named = "" if self.title(number) == f"Location {number}" else f", {self.title(number)},"
        return f'location {number}{named} bears on "{self.front(number)}"'

    def looks(self, place: int) -> str:
        """What all see of a character: the traits."""
        person = int(self.s["person"][place])
        keys = self.view.traits(person)
        traits = [self.book.traits[self.terms.trait("traits", key)].text for key in keys]
        return listed(traits, nothing="has none of the traits")

    def portrait(self, place: int) -> str:
        """The text of the portrait, and the traits."""
        text = self.book.people[int(self.s["person"][place])].text
        return f"{capitalized(text)} {self.looks_of(place)}" if text else self.looks_of(place)

    def looks_of(self, place: int) -> str:
        """The traits as a sentence."""
        return capitalized(f"{self.named(place)} {self.looks(place)}")

    def part(self, seat: int) -> str:
        """Which character a seat plays."""
        plays = f"You are player_{seat} and play" if seat == self.reader else f"player_{seat} plays"
        return f"{plays} {self.named(seat)}. {self.portrait(seat)}"

    def no_part(self, place: int) -> str:
        """A character that nobody plays."""
        return f"Nobody plays {self.named(place)}. {self.portrait(place)}"

    # -- Cards --------------------------------------------------------------------------------------------------------

    def back(self, number: int) -> str:
        """What the back of a location says, but for the card that it hands out."""
        return self.book.location(number - 1, self.view.about_traits(self.s["facts"][number - 1]))

    def card(self, card: int) -> str:
        """What the back of a top secret card says, after its number."""
        return f"Card {card:02}: {self.book.secret(card, self.view.secret(card))}"

    def out_card(self) -> list[str]:
        """What Top Secret card 05 or 06 says, which is turned over for all; [] where nobody is out."""
        keys = [self.view.key(place) for place in range(self.n, self.terms.n_portraits)]
        return [f"Card {c.OUT_CARD[len(keys)]:02} is turned over: {self.book.out(keys)}"] if keys else []

    def readers(self, card: int) -> list[int]:
        """The seats that have read a card."""
        return members_of(self.s["readers"][card])

    def has_read(self, card: int) -> bool:
        """May the reader read the back of this card?"""
        return self.reader is None or self.reader in self.readers(card)

    def own_cards(self, seat: int) -> list[str]:
        """The four character cards of a seat; [] if the reader may not read them."""
        if not self.words.sees(seat):
            return []
        guilt = [q for q in range(len(self.terms.questions)) if self.s["solution"][q] == seat]
        person = int(self.s["person"][seat])
        story_b, relationships = self.book.story_b(person, self.view.clearing(self.s["story"][seat]))
        story = {"Story A": self.book.story_a(person, guilt), "Story B": story_b, "Relationships": relationships}
        cards = [f"{name}: {text}" for name, text in story.items() if text]
        objectives = [
            f"{self.objective(objective)} ({counted(objective.points, 'point')})"
            for objective in self.view.objectives(seat)
        ]
        return [*cards, f"Objectives: {'; '.join(objectives)}."]

    def objective(self, objective: Objective) -> str:
        """What is to be done for an objective."""
        question = self.question(objective.question)
        if objective.kind == c.ACCUSE:
            return "accuse the murderer"
        if objective.kind == c.ANSWER:
            return f'write the right answer to "{question}"'
        by = f"at most {counted(objective.limit, 'other player')}" if objective.limit else "no other player"
        if objective.question == c.MURDER:
            return f"be accused by {by}"
        return f'be named by {by} as the answer to "{question}"'

    # -- What is done -------------------------------------------------------------------------------------------------

    def event(self, event: list[Any]) -> str:
        """A public event, as `StateView.event` gives it, as a sentence."""
        kind, seat, *values = event
        arguments = dict(zip(m.EVENT_ARGUMENTS[kind], values, strict=True))
        words = {what: self.argument(what, value, seat) for what, value in arguments.items()}
        if kind == "visit":
            words["front"] = self.front(arguments["location"])
        if kind == "veto_leader":
            words["seat"] = self.as_leader(arguments["seat"], seat)
        if kind == "reveal":
            words["back"] = self.back(arguments["location"])
        return self.words.sentence(EVENTS[kind], seat, **words)

    def as_leader(self, nominee: int, seat: int) -> str:
        """What a seat vetoes, or does not veto, when somebody has been named as the next Leader."""
        return "being the next Leader" if nominee == seat else f"{self.name(nominee)} as the next Leader"

    def argument(self, what: str, value: Any, speaker: int) -> str:
        """An argument of an event in words; `moves.EVENT_ARGUMENTS` says what it is."""
        if what == "location":
            return self.title(value)
        if what == "card":
            return f"{value:02}"
        if what == "seat":
            return self.name(value)
        if what == "question":
            return self.question(self.terms.question("question", value))
        key = self.view.key(speaker)
        if what == "fact":
            return self.book.fact(value, key)
        return "myself" if value == key else self.book.people[self.terms.person("person", value)].name

    def new_events(self, before: np.ndarray) -> list[list[Any]]:
        """The public events since an earlier state, fewer than there is room for."""
        n = (int(before[0]["events_at"]) - int(self.s["events_at"])) % m.N_EVENTS
        return self.view.events()[-n:] if n else []

    def act(self, action: int) -> tuple[str, list[Any]]:
        """The kind of an action, and the public event that it is, as `StateView.event` gives it.

        Passing is none, and the list is empty; nor is what is written or decided at last: then it has a place alone.
        """
        sizes = m.Sizes(*(int(self.rules[0][f"n_{size}"]) for size in m.Sizes._fields))
        kind, _, what = names_of(sizes)[action].partition(":")
        seat = int(self.s["to_act"])
        if kind in ("visit", "take"):
            of = [int(self.s["holder"][int(what)])] if kind == "take" else []
            return kind, [kind, seat, int(what), *of]
        if kind == "leader":
            return kind, [kind, seat, self.place(int(what))]
        if kind == "ask":
            offset, question = map(int, what.split("."))
            return kind, [kind, seat, self.place(offset), self.terms.questions[question]]
        if kind == "say":
            return kind, [kind, seat, self.fact(what)]
        if kind == "suspect":
            return kind, [kind, seat, self.view.key(self.place(int(what)))]
        if kind in ("accuse", "answer", "condemn"):
            return kind, [self.place(int(what))]
        if kind == "veto":
            of_location = self.phase == "veto_location"
            return kind, [self.phase, seat, int(self.s["chosen" if of_location else "nominee"])]
        if self.phase == "reply":
            return kind, ["decline", seat, self.terms.questions[self.s["question"]]]
        return kind, []

    def place(self, relative: int) -> int:
        """The place of the person whom the seat to act counts as this one."""
        return (int(self.s["to_act"]) + relative) % self.n if relative < self.n else relative

    def fact(self, what: str) -> str:
        """A statement such as `1.not.3`, whose person the speaker counts, as a fact in the keys of the case."""
        question, kind_name, subject = what.split(".")
        kind, number = c.KINDS.index(kind_name), int(subject)
        if kind in (c.IS, c.NOT):
            number = int(self.s["person"][self.place(number)])
        return self.terms.fact_text(Fact(int(question), kind, number))

    # -- What can be done ---------------------------------------------------------------------------------------------

    @property
    def is_silent(self) -> bool:
        """Is this a round of talk in which cards can be taken and nothing can be said?"""
        return self.phase == "talk" and not self.rules[0]["talk_rounds"] and not self.s["final"]

    @property
    def vetoed(self) -> str:
        """What the Leader cannot choose or name again now; "" for nothing."""
        if self.phase == "visit":
            return self.title(int(self.s["vetoed_location"]))
        seat = int(self.s["vetoed_leader"])
        return "" if seat == NO_SEAT else self.name(seat)

    def takeable(self, seat: int) -> list[str]:
        """The numbers of the cards that lie before others, if a seat has a token for one."""
        cards = members_of(int(self.s["laid_out"]) & ~int(self.s["cards_of"][seat]))
        return [f"{card:02}" for card in cards] if self.s["tokens"][seat] else []

    def most_accused(self) -> list[int]:
        """The places of those who are accused most, among those who count."""
        return members_of(people_most_accused(self.view.state, self.rules))

    # -- The pointing and the end -------------------------------------------------------------------------------------

    @property
    def pointed(self) -> bool:
        """Have all pointed?"""
        return self.phase in POINTED

    def pointing(self) -> str:
        """Whom all point at."""
        pairs = []
        for seat in range(self.n):
            accused = int(self.s["accusation"][seat])
            whom = "yourself" if accused == seat == self.reader else self.name(accused)
            pairs.append(f"{self.name(seat)} at {whom}")
        return f"All point at the same time: {listed(pairs)}."

    def elimination(self) -> str:
        """Who is eliminated, and why."""
        accused = int(self.s["accused"])
        if accused == NOBODY:
            return "No player is accused, so nobody is eliminated."
        if accused >= self.n:
            return f"{self.named(accused)}, whom nobody plays, is accused most, so nobody is eliminated."
        return self.words.sentence("{who}, the most accused player, [is|are] eliminated", accused)

    def winning(self) -> str:
        """Who wins."""
        _, _, winners, _ = self.view.outcome()
        if not winners:
            return "Nobody wins."
        verb = "wins" if len(winners) == 1 and winners[0] != self.reader else "win"
        return capitalized(f"{self.names(winners)} {verb}")

    def revelation(self) -> list[str]:
        """Who is eliminated; the solution; each player's objectives, answers and points; who wins."""
        done, points, winners, _ = self.view.outcome()
        answers = {key: self.view.key(int(self.s["solution"][q])) for q, key in enumerate(self.terms.questions)}
        return [
            self.elimination(),
            *self.book.solution(answers),
            *(self.score(seat, done[seat], points[seat]) for seat in range(self.n)),
            self.winning(),
        ]

    def score(self, seat: int, done: list[bool], points: int) -> str:
        """Points of a seat, which objectives were completed, and what was written for them."""
        s, results = self.s, []
        answers = dict(zip(s["must_answer"][seat].tolist(), s["answers"][seat].tolist()))
        for objective, completed in zip(self.view.objectives(seat), done):
            result = ("right" if completed else "wrong") + ": "
            if objective.kind == c.HIDE:
                result = ("achieved" if completed else "failed") + ": "
            elif objective.kind == c.ANSWER:
                result = f"{self.name(answers[objective.question])}, {result}"
            else:
                result = f"{self.name(int(s['accusation'][seat]))}, {result}"
            gained = counted(objective.points if completed else 0, "point")
            results.append(f"{self.objective(objective)} ({result}{gained})")
        return self.words.sentence(
            "{who} [scores|score] {points}{but}: {results}",
            seat,
            points=counted(points, "point"),
            but=f", but {'are' if seat == self.reader else 'is'} eliminated" if s["accused"] == seat else "",
            results="; ".join(results),
        )
