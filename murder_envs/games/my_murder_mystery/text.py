"""A state in words: info, figures, the evening as a script; and a dealt case as a written one. Never compiled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.case import Fact, Terms
from murder_envs.games.my_murder_mystery.config import Config
from murder_envs.games.my_murder_mystery.snapshots import StateView, snapshot


def info(terms: Terms, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, Any]:
    """At the end everything that the solution says of this seat and of all; nothing before.

    Returns:
        `points`, `objectives` (text and whether it is completed, in the order of the card) and `won` of this seat; the
        seats that are `eliminated` (-1: none) and `winners`; who is `accused`, and the `accusations` and `answers` of
        all; the `solution` by question; `murderer_seat` (-1: nobody plays the murderer), whether the murderer is the
        most accused, and how many accusations are right.
    """
    view = StateView(terms, rules, state)
    if not view.over:
        return {}
    done, points, winners, _ = view.outcome()
    objectives = [terms.objective_text(objective) for objective in view.objectives(seat)]
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    accusations = [int(place) for place in view.s["accusation"][: view.n]]
    return {
        "points": points[seat],
        "objectives": [[text, kept] for text, kept in zip(objectives, done[seat], strict=True)],
        "won": seat in winners,
        "eliminated": view.eliminated(),
        "winners": winners,
        "accused": view.key(int(view.s["accused"])),
        "accusations": [view.key(place) for place in accusations],
        "answers": [view.written(other) for other in range(view.n)],
        "solution": {question: view.key(place) for question, place in zip(terms.questions, solution, strict=True)},
        "murderer_seat": solution[c.MURDER] if solution[c.MURDER] < view.n else NO_SEAT,
        "murderer_accused": int(view.s["accused"]) == solution[c.MURDER],
        "right_accusations": accusations.count(solution[c.MURDER]),
    }


def figures(terms: Terms, rules: np.ndarray, state: np.ndarray) -> dict[str, float]:
    """Of a finished game; NaN where nobody is of a kind, so that means are over games with some.

    `winners`; of innocents the share of right accusations and that of winners; of keepers of a secret among them the
    share of winners; the share of secrets (but the murder) that are kept; whether a murderer who is played wins, and is
    the most accused; whether seat 0 wins.
    """
    view = StateView(terms, rules, state)
    done, _, winners, _ = view.outcome()
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    murderer = solution[c.MURDER]
    innocents = [seat for seat in range(view.n) if seat != murderer]
    keepers = [seat for seat in innocents if seat in solution[1:]]
    kept = [
        completed
        for seat in range(view.n)
        for objective, completed in zip(view.objectives(seat), done[seat], strict=True)
        if objective.kind == c.HIDE and objective.question != c.MURDER
    ]
    played = murderer < view.n
    nothing = float("nan")
    return {
        "winners": float(len(winners)),
        "right_accusations": mean([view.s["accusation"][seat] == murderer for seat in innocents]),
        "innocents_win": mean([seat in winners for seat in innocents]),
        "keepers_win": mean([seat in winners for seat in keepers]),
        "secrets_kept": mean(kept),
        "murderer_wins": float(murderer in winners) if played else nothing,
        "murderer_accused": float(view.s["accused"] == murderer) if played else nothing,
        "seat_0_won": float(0 in winners),
    }


def figures_of_seat(terms: Terms, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, float]:
    """Of one seat of a finished game, NaN where it is of another kind: how it accuses, wins and talks.

    Whether an innocent accuses the murderer; whether it wins, as an innocent, as a keeper of a secret among these, as
    the murderer; and by kind, an investigator being an innocent without a secret, how many statements it has on record
    at the end and what share of them is true.
    """
    view = StateView(terms, rules, state)
    _, _, winners, _ = view.outcome()
    won = float(seat in winners)
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    innocent, keeper = seat != solution[c.MURDER], seat in solution[1:]
    kind = ("keeper" if keeper else "investigator") if innocent else "murderer"
    nothing = float("nan")
    numbers = {
        "right_accusation": float(view.s["accusation"][seat] == solution[c.MURDER]) if innocent else nothing,
        "innocent_wins": won if innocent else nothing,
        "keeper_wins": won if kind == "keeper" else nothing,
        "murderer_wins": nothing if innocent else won,
    }
    statements = [terms.fact("claims", text) for text in view.claims(seat)]
    true = [view.is_true(fact) for fact in statements]
    for each in ("investigator", "keeper", "murderer"):
        numbers[f"{each}_statements"] = float(len(statements)) if kind == each else nothing
        numbers[f"{each}_truth"] = mean(true) if kind == each else nothing
    return numbers


def mean(values: list[Any]) -> float:
    """The mean; NaN of nothing."""
    return sum(map(float, values)) / len(values) if values else float("nan")


# -- The evening as a script ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Book:
    """The names and texts of a case; a generated one has none but its keys.

    Attributes:
        terms: its keys.
        texts: the table that it was read from; {} for a generated one.
    """

    terms: Terms
    texts: Mapping[str, Any]

    def row(self, name: str, i: int) -> Mapping[str, Any]:
        """The i-th row of a list in the table; {} if there is none."""
        rows = self.texts.get(name, [])
        return rows[i] if i < len(rows) else {}

    def person(self, key: str) -> str:
        """A character's name."""
        if not key:
            return "nobody"
        return str(self.row("characters", self.terms.people.index(key)).get("name", key))

    def trait(self, i: int) -> str:
        """What somebody with a trait does or is, after "who"."""
        return str(self.row("traits", i).get("text", f"has {self.terms.traits[i]}"))

    def question(self, i: int) -> str:
        """A question as it is asked."""
        return str(self.row("questions", i).get("text", self.terms.questions[i]))

    def location(self, k: int) -> str:
        """The title of the location with number k + 1."""
        return str(self.row("locations", k).get("title", f"location {k + 1}"))

    def fact(self, text: str) -> str:
        """`letters: not Nell Harrow`, `theft: has left`."""
        fact = self.terms.fact(text, text)
        of_person = fact.kind in (c.IS, c.NOT)
        subject = self.person(self.terms.people[fact.subject]) if of_person else self.terms.traits[fact.subject]
        verb = ("it is", "not", "has", "lacks")[fact.kind]
        return f"{self.terms.questions[fact.question]}: {verb} {subject}"


def text(book: Book, rules: np.ndarray, state: np.ndarray, seat: int | None) -> str:
    """The evening so far, from above or as a seat sees it: the cast, the places, the cards, and the last 32 events."""
    return "\n".join(Script(book, rules, state, seat).lines()) + "\n"


SENTENCES = {
    "visit": "{who}, the Leader, wants to go to {location}.",
    "veto_location": "{who} vetoes {location}.",
    "veto_leader": "{who} vetoes {seat} as Leader.",
    "reveal": "{who} reads aloud at {location}: {back}",
    "hand": "{who} takes card {card} and reads it alone.",
    "take": "{who} takes card {card} from {seat}.",
    "say": '{who}: "{fact}"',
    "ask": '{who} asks {seat}: "{question}"',
    "suspect": '{who}: "I suspect {person}."',
    "decline": "{who} does not answer.",
    "leader": "{who} names {seat} as the next Leader.",
}
"""Event -> what is told of it; the words in braces are `who` acts and the arguments of `moves.EVENT_ARGUMENTS`."""


class Script:
    """What is to be told of a state, and to whom.

    Args:
        book: names and texts.
        rules, state: arrays of one record.
        seat: whose view it is; None: from above, where nothing is hidden.
    """

    def __init__(self, book: Book, rules: np.ndarray, state: np.ndarray, seat: int | None) -> None:
        self.book = book
        self.rules = rules
        self.state = state
        self.seat = seat
        self.full = snapshot(book.terms, rules, state)
        self.view = StateView(book.terms, rules, state)
        self.n = len(self.full["characters"])

    def name(self, seat: int) -> str:
        """Whom a seat plays."""
        return self.book.person(self.full["characters"][seat])

    def open_to_me(self, seat: int) -> bool:
        """Do I see what this seat alone has?"""
        return self.seat is None or self.seat == seat

    def lines(self) -> list[str]:
        """The whole script."""
        full = self.full
        seen = "seen from above" if self.seat is None else f"as {self.name(self.seat)} (player_{self.seat}) sees it"
        title = self.book.texts.get("title", "a case of its own")
        return [
            f"My Murder Mystery: {title}, round {full['round']} of {int(self.rules[0]['rounds'])}, {seen}",
            self.request(),
            "",
            *self.cast(),
            "",
            *self.places(),
            *self.cards(),
            "",
            "The script:" if full["events"] else "Nothing has happened yet.",
            *(f"  {self.event(event)}" for event in full["events"]),
            *self.end(),
        ]

    def request(self) -> str:
        """Who is asked what."""
        full, phase = self.full, self.full["phase"]
        if full["over"]:
            return "The game is over."
        what = {
            "visit": "leads and chooses where to go",
            "talk": "speaks" + (", in the final discussion" if full["final"] else ""),
            "reply": f"is asked about {full['question']}",
            "leader": "passes the Leader token on",
            "accuse": "writes an accusation",
            "answer": "writes an answer",
            "tiebreak": "decides the tie",
        }
        if phase == "veto_location":
            task = f"may veto {self.location(full['chosen'])}"
        elif phase == "veto_leader":
            task = f"may veto {self.name(full['nominee'])} as the next Leader"
        else:
            task = what[phase]
        return f"{self.name(full['to_act'])} {task}. Leader: {self.name(full['leader'])}."

    def cast(self) -> list[str]:
        """Who is who, with what the viewer knows of them."""
        lines = []
        for seat in range(self.n):
            key = self.full["characters"][seat]
            traits = ", ".join(self.full["traits"][key]) or "no trait"
            marks = ("*" if seat == self.full["leader"] else " ") + ("?" if seat == self.full["to_act"] else " ")
            lines.append(f"{marks} player_{seat}: {self.name(seat)} ({traits}), tokens {self.full['tokens'][seat]}")
            if self.open_to_me(seat):
                lines += [f"       {line}" for line in self.own_cards(seat, key)]
        terms = self.book.terms
        for role, keys in (("out", self.full["out"]), ("not played", terms.people[terms.n_portraits :])):
            for key in keys:
                traits = ", ".join(self.full["traits"][key]) or "no trait"
                lines.append(f"   {role}: {self.book.person(key)} ({traits})")
        return lines

    def own_cards(self, seat: int, key: str) -> list[str]:
        """What a seat alone sees: its four character cards, and what it has written on them."""
        guilt = [question for question, answer in self.full["answers"].items() if answer == key]
        lines = [f"is the answer to: {', '.join(guilt)}"] if guilt else []
        if story := self.full["stories"][key]:
            lines.append(f"knows: {'; '.join(map(self.book.fact, story))}")
        lines.append(f"wants: {'; '.join(self.full['objectives'][key])}")
        if accusation := self.full["accusations"][seat]:
            answers = ", ".join(map(self.book.person, self.full["written"][seat]))
            lines.append(f"has written: {self.book.person(accusation)}" + (f"; {answers}" if answers else ""))
        return lines

    def location(self, number: int) -> str:
        """The title of a location."""
        return self.book.location(number - 1)

    def places(self) -> list[str]:
        """The locations: fronts, and the backs of those that were read."""
        lines = []
        for number, place in self.full["locations"].items():
            line = f"   {number} {self.location(int(number))} ({place['theme']})"
            shown = int(number) in self.full["revealed"]
            if shown or self.seat is None:
                facts = "; ".join(map(self.book.fact, place["facts"]))
                hands = f"; hands out card {place['hands']:02}" if place["hands"] else ""
                line += f": {'' if shown else 'face down: '}{facts}{hands}"
            lines.append(line)
        return lines

    def cards(self) -> list[str]:
        """The top secret cards that somebody holds, and all from above."""
        lines = []
        for card, holder in self.full["holders"].items():
            readers = self.full["read"][card]
            mine = self.seat is None or self.seat in readers
            if holder < 0 and not mine:
                continue
            where = f"before {self.name(holder)}" if holder >= 0 else "in the stack"
            facts = "; ".join(map(self.book.fact, self.full["secrets"][card])) or "nothing"
            read = f", read by {', '.join(map(self.name, readers))}" if readers else ""
            lines.append(f"   card {int(card):02} {where}{read}" + (f": {facts}" if mine else ""))
        return lines

    def event(self, event: list[Any]) -> str:
        """A public event as a sentence."""
        kind, seat, *values = event
        words = {what: self.word(what, value) for what, value in zip(m.EVENT_ARGUMENTS[kind], values, strict=True)}
        if kind == "reveal":
            words["back"] = self.back(values[0])
        return SENTENCES[kind].format(who=self.name(seat), **words)

    def word(self, what: str, value: Any) -> str:
        """An argument of an event in words; `moves.EVENT_ARGUMENTS` says what it is."""
        if what == "question":
            return self.book.question(self.book.terms.questions.index(value))
        say: dict[str, Callable[[Any], str]] = {
            "location": self.location, "card": "{:02}".format, "seat": self.name, "person": self.book.person,
            "fact": self.sentence,
        }  # fmt: skip
        return say[what](value)

    def back(self, number: int) -> str:
        """What is read aloud at a location: its text, if the case has one, and its facts."""
        facts = "; ".join(map(self.book.fact, self.full["locations"][str(number)]["facts"]))
        told = str(self.book.row("locations", number - 1).get("text", ""))
        return f"{told + ' ' if told else ''}[{facts}]"

    def sentence(self, text: str) -> str:
        """What somebody states, in words."""
        fact: Fact = self.book.terms.fact(text, text)
        question = self.book.question(fact.question)
        if fact.kind in (c.IS, c.NOT):
            name = self.book.person(self.book.terms.people[fact.subject])
            return f"{question} {'It is' if fact.kind == c.IS else 'Not'} {name}."
        trait = self.book.trait(fact.subject)
        return f"{question} {'Somebody' if fact.kind == c.HAS else 'Nobody'} who {trait}."

    def end(self) -> list[str]:
        """The pointing and the revelation."""
        full = self.full
        if not full["pointed"]:
            return []
        lines = ["", "All point:"]
        lines += [f"  {self.name(seat)} at {self.book.person(full['accusations'][seat])}" for seat in range(self.n)]
        if not full["over"]:
            return lines
        out = self.name(full["eliminated"]) if full["eliminated"] >= 0 else "nobody"
        lines += ["", f"Most accused: {self.book.person(full['accused'])}; eliminated: {out}."]
        lines += [f"  {question}: {self.book.person(answer)}" for question, answer in full["answers"].items()]
        done, points, _, _ = self.view.outcome()
        for seat in range(self.n):
            key = full["characters"][seat]
            objectives = zip(full["objectives"][key], done[seat])
            kept = [f"{text} {'yes' if completed else 'no'}" for text, completed in objectives]
            won = " and wins" if seat in full["winners"] else ""
            lines.append(f"  {self.name(seat)} scores {points[seat]}{won}: {'; '.join(kept)}")
        return lines


# -- A dealt case as a written one ------------------------------------------------------------------------------------

PEOPLE = (
    "Ada Crane", "Basil Holt", "Cora Finch", "Dorian Pike", "Edith Marsh", "Felix Rook", "Greta Lowe", "Hector Vale",
    "Iris Thorne", "Jonas Wren",
)  # fmt: skip
TRAITS = ("is left-handed", "wears spectacles", "has a cough", "carries a cane", "speaks with an accent")
QUESTIONS = (
    "Who killed the host?",
    "Who emptied the safe?",
    "Who wrote the unsigned letters?",
    "Whom had the host put in the new will?",
)
TITLES = (
    "The library", "The boathouse", "The wine cellar", "The conservatory", "The gun room", "The attic",
    "The chapel", "The kitchen",
)  # fmt: skip
DEEDS = (
    "You killed the host.", "You emptied the safe.", "You wrote the letters.", "You are in the new will.",
)  # fmt: skip


def written_case(terms: Terms, config: Config, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The case of a dealt game in the format of written cases, with texts.

    Args:
        terms, config: of the generated case.
        rules, state: arrays of one record; the game has just been dealt.

    Returns:
        The table that `case.read_case` reads: the cast is no part of it, but for who is out and who gets setup cards.
    """
    writer = CaseWriter(terms, snapshot(terms, rules, state))
    return {
        "title": "A Death at Supper",
        "prologue": "The host of a country house lies dead before coffee is served. Nobody has left; all have reasons.",
        "introduction": [
            "Supper was at eight, and the guests knew each other better than they let on.",
            "By midnight the host was dead, and it was plain that more than one of them had something to hide.",
        ],
        "solution_text": writer.solution_text(),
        "summary": f"{config.rounds} rounds: choose a place, read it, talk, pass the token. Then accuse and answer.",
        "witness_facts": terms.n_witness,
        "questions": [{"key": key, "text": QUESTIONS[q]} for q, key in enumerate(terms.questions)],
        "traits": [{"key": key, "text": TRAITS[t]} for t, key in enumerate(terms.traits)],
        "characters": [writer.character(key) for key in terms.people],
        "solution": writer.full["answers"],
        "locations": writer.locations(),
        "secrets": writer.secrets(),
    }


class CaseWriter:
    """The rows of a written case, each with a short text that says what its facts say.

    Args:
        terms: keys of the case.
        full: the complete snapshot of the dealt game.
    """

    def __init__(self, terms: Terms, full: Mapping[str, Any]) -> None:
        self.terms = terms
        self.full = full
        self.people = dict(zip(terms.people, PEOPLE))

    def character(self, key: str) -> dict[str, Any]:
        """A character; of a portrait also its cards: the first half of its clearing facts is Story B."""
        traits = self.full["traits"][key]
        row: dict[str, Any] = {"key": key, "name": self.people[key], "text": self.looks(traits), "traits": traits}
        if key not in self.terms.portraits:
            return {**row, "portrait": False}
        n_story = (self.terms.n_witness + 1) // 2
        story, rest = self.full["stories"][key][:n_story], self.full["stories"][key][n_story:]
        return {
            **row,
            "story": story,
            "relationships": rest,
            "objectives": self.full["objectives"][key],
            "texts": [self.guilt(key), self.all(story), self.all(rest)],
        }

    def locations(self) -> list[dict[str, Any]]:
        """The locations, in their order."""
        places = self.full["locations"].values()
        return [{"title": title, **place, "text": self.all(place["facts"])} for title, place in zip(TITLES, places)]

    def secrets(self) -> list[dict[str, Any]]:
        """The top secret cards by their numbers, with the one that says who is out."""
        out = self.full["out"]
        rows: list[dict[str, Any]] = []
        if out:
            names = " and ".join(self.people[key] for key in out)
            rows.append({"number": c.OUT_CARD[len(out)], "out": out, "text": f"{names} could not come tonight."})
        for card, holder in self.full["holders"].items():
            facts = self.full["secrets"][card]
            row = {"number": int(card), "facts": facts, "text": self.all(facts)}
            if int(card) >= c.FIRST_SETUP_CARD:
                row["to"] = self.full["characters"][holder]
            rows.append(row)
        return sorted(rows, key=lambda row: row["number"])

    def solution_text(self) -> list[str]:
        """Who killed the host, and the other answers."""
        names = [self.people[answer] for answer in self.full["answers"].values()]
        others = " ".join(f"{question} {name}." for question, name in zip(QUESTIONS[1:], names[1:]))
        return [f"{names[c.MURDER]} killed the host.", others or "There was no other secret."]

    def looks(self, traits: list[str]) -> str:
        """What is read of a character's traits."""
        looks = [TRAITS[self.terms.traits.index(trait)] for trait in traits]
        return (", ".join(looks) if looks else "nothing that one would remember").capitalize() + "."

    def guilt(self, key: str) -> str:
        """Story A: what a portrait has done."""
        deeds = [deed for deed, answer in zip(DEEDS, self.full["answers"].values()) if answer == key]
        return " ".join(deeds) or "You have nothing to hide but an old grudge."

    def all(self, facts: list[str]) -> str:
        """Some facts as sentences."""
        return " ".join(map(self.fact, facts)) or "Nothing that bears on anything."

    def fact(self, text: str) -> str:
        """A fact as a sentence."""
        fact = self.terms.fact(text, text)
        question = QUESTIONS[fact.question]
        if fact.kind in (c.IS, c.NOT):
            name = self.people[self.terms.people[fact.subject]]
            return f"{question} {'It was' if fact.kind == c.IS else 'Certainly not'} {name}."
        trait = TRAITS[fact.subject]
        return f"{question} Somebody who {trait}." if fact.kind == c.HAS else f"{question} Nobody who {trait}."


def to_toml(case: Mapping[str, Any]) -> str:
    """A case as the text of a TOML file: plain values first, as TOML asks, then tables and lists of tables."""
    plain = [(name, value) for name, value in case.items() if not is_table(value)]
    lines = [f"{name} = {toml_value(value)}" for name, value in plain]
    for name, value in case.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{name}]", *(f"{key} = {toml_value(x)}" for key, x in value.items())]
        elif is_table(value):
            for row in value:
                lines += ["", f"[[{name}]]", *(f"{key} = {toml_value(x)}" for key, x in row.items())]
    return "\n".join(lines) + "\n"


def is_table(value: Any) -> bool:
    """Does it stand under a heading of its own?"""
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def toml_value(value: Any) -> str:
    """A plain value; JSON's escapes are TOML's."""
    return json.dumps(value, ensure_ascii=True)
