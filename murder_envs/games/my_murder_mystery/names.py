"""What a case calls its people, places, traits and questions, and what its cards read. Never compiled.

A written case has names and texts of its own. Those of a generated case are drawn from word lists, by a hash of what
all see from the set-up on and what never changes: who plays whom and who is out, everybody's traits, the fronts of the
locations. So a restored or redealt game keeps its names, and no seat learns anything from them. Two games whose seats,
traits and fronts are equal have the same names; so has a configuration that fixes all of these.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from murder_envs.core.wording import capitalized, document, listed
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.case import Fact, Terms

Row = Mapping[str, Any]


class Question(NamedTuple):
    """A question as it is asked, and what its answer is called in a sentence."""

    text: str
    who: str


class Trait(NamedTuple):
    """What somebody with a trait is or does, and somebody without it."""

    text: str
    lacks: str


class Person(NamedTuple):
    """A character's name, and what the portrait or the introduction says."""

    name: str
    text: str


@dataclass(frozen=True)
class Book:
    """The names and texts of a case.

    Attributes:
        terms: the keys of the case.
        texts: a table in the format of written cases. What a generated one has of it is known to all.
        deeds: of a generated case, what the answer to each question did.
    """

    terms: Terms
    texts: Row
    deeds: Sequence[str] = ()

    def row(self, name: str, i: int) -> Row:
        """The i-th row of a list in the table; {} if there is none."""
        rows = self.texts.get(name, [])
        return rows[i] if i < len(rows) else {}

    def card(self, number: int) -> Row:
        """The row of a top secret card; {} if there is none."""
        return next((row for row in self.texts.get("secrets", []) if row["number"] == number), {})

    @property
    def title(self) -> str:
        """The title of the story."""
        return str(self.texts.get("title", "")) or "A case without a title"

    @property
    def prologue(self) -> list[str]:
        """What is read first; [] if there is nothing."""
        return sentences([self.texts.get("prologue", "")])

    @property
    def introduction(self) -> list[str]:
        """What is read when all know whom they play."""
        return sentences(self.texts.get("introduction", []))

    @functools.cached_property
    def people(self) -> list[Person]:
        """All characters, by number; no two have the same name."""
        rows = [self.row("characters", i) for i in range(len(self.terms.people))]
        names = different([row.get("name", "") for row in rows], [*map(readable, self.terms.people)])
        return [Person(name, str(row.get("text", ""))) for name, row in zip(names, rows)]

    @functools.cached_property
    def questions(self) -> list[Question]:
        """All questions, by number."""
        rows = [self.row("questions", i) for i in range(len(self.terms.questions))]
        texts = different(
            [row.get("text", "") for row in rows], [f"{readable(key)}: who?" for key in self.terms.questions]
        )
        names = [str(row.get("who", "")) for row in rows]
        return [
            Question(text, who if who and names.count(who) == 1 else f'the answer to "{text}"')
            for text, who in zip(texts, names)
        ]

    @functools.cached_property
    def traits(self) -> list[Trait]:
        """All traits, by number."""
        rows = [self.row("traits", i) for i in range(len(self.terms.traits))]
        unnamed = [f"has the trait {readable(key)}" for key in self.terms.traits]
        texts = different([row.get("text", "") for row in rows], unnamed)
        return [Trait(text, row.get("lacks", "") or without(text)) for text, row in zip(texts, rows)]

    @functools.cached_property
    def titles(self) -> list[str]:
        """The titles of the locations, number 1 first."""
        numbers = [f"Location {k + 1}" for k in range(self.terms.n_locations)]
        return different([self.row("locations", k).get("title", "") for k in range(self.terms.n_locations)], numbers)

    # What is printed, as sentences. A snapshot or a redeal may let a card say something else than the written case;
    # then it has no prose.

    def fact(self, text: str, speaker: str = "") -> str:
        """A fact such as `letters.lacks.ring`, as a sentence; of the speaker's own key, if there is one, as "I"."""
        fact: Fact = self.terms.fact(text, text)
        who = self.questions[fact.question].who
        if fact.kind in (c.HAS, c.LACKS):
            return statement(f"{who} {self.traits[fact.subject][fact.kind == c.LACKS]}")
        key = self.terms.people[fact.subject]
        subject = "I am" if key == speaker else f"{self.people[fact.subject].name} is"
        return statement(f"{subject}{' not' if fact.kind == c.NOT else ''} {who}")

    def location(self, k: int, facts: list[str]) -> str:
        """What the back of the location with number k + 1 says."""
        return self.printed(self.row("locations", k), facts)

    def secret(self, card: int, facts: list[str]) -> str:
        """What the back of a top secret card says."""
        return self.printed(self.card(card), facts) or "It tells nothing of use."

    def out(self, keys: Sequence[str]) -> str:
        """What card 05 or 06 says when so many are out; "" where nobody is."""
        if not keys:
            return ""
        names = listed(self.people[self.terms.people.index(key)].name for key in keys)
        row = self.card(c.OUT_CARD[len(keys)])
        prose = row.get("text", "") if sorted(row.get("out", [])) == sorted(keys) else ""
        if self.deeds:
            prose = f"{names} could not come tonight."
        return joined(prose, [f"{names} {'is' if len(keys) == 1 else 'are'} out."])

    def printed(self, row: Row, facts: list[str]) -> str:
        """The prose of a card, and its facts where the prose does not spell them out.

        Their order on the card is in no observation, so they are read in one order.
        """
        facts = sorted(facts)
        as_written = self.deeds or sorted(row.get("facts", [])) == facts
        return joined(row.get("text", "") if as_written else "", map(self.fact, facts))

    def story_a(self, portrait: int, guilt: list[int]) -> str:
        """The Story A card of a portrait.

        Args:
            portrait: its number.
            guilt: the questions to which it is the answer.
        """
        answers = self.texts.get("solution", {})
        written = [q for q, key in enumerate(self.terms.questions) if answers.get(key) == self.terms.people[portrait]]
        prose = self.row("characters", portrait).get("texts", [""])[0] if guilt == written else ""
        if self.deeds:
            prose = " ".join(f"You {self.deeds[question]}." for question in guilt)
        own = [statement(f"you are {self.questions[question].who}") for question in guilt]
        return joined(prose, own or ["You are the answer to none of the questions."])

    def story_b(self, portrait: int, facts: list[str]) -> tuple[str, str]:
        """The Story B and Relationships cards of a portrait.

        Args:
            portrait: its number.
            facts: its clearing facts; those of Story B come first.
        """
        row = self.row("characters", portrait)
        story, relationships = list(row.get("story", [])), list(row.get("relationships", []))
        as_written = not self.deeds and facts == [*story, *relationships]
        _, *prose = row.get("texts", [""] * 3) if as_written else [""] * 3
        n = len(story) if as_written else (self.terms.n_witness + 1) // 2
        return joined(prose[0], map(self.fact, facts[:n])), joined(prose[1], map(self.fact, facts[n:]))

    def solution(self, answers: Mapping[str, str]) -> list[str]:
        """The Solution cards: their prose, if it is that of these answers, and each answer."""
        names = [self.people[self.terms.people.index(answer)].name for answer in answers.values()]
        prose = self.texts.get("solution_text", []) if self.texts.get("solution", {}) == answers else self.done(names)
        return [
            *sentences(prose),
            *(capitalized(f"{question.text} {name}") for question, name in zip(self.questions, names)),
        ]

    def done(self, names: Sequence[str]) -> list[str]:
        """What the answers to the questions of a generated case did: who is named first in the first text."""
        deeds = [f"{name} {deed}." for name, deed in zip(names, self.deeds)]
        return deeds and [deeds[c.MURDER], " ".join(deeds[1:]) or "There was no other secret."]


def sentences(texts: Sequence[str]) -> list[str]:
    """The texts that are not empty, each with a capital letter and a full stop."""
    return [capitalized(text) for text in texts if text]


def statement(text: str) -> str:
    """A sentence that ends with a full stop, also if a question in quotes comes last."""
    return capitalized(text) + ("." if text.endswith('"') else "")


def joined(prose: str, sentences: Any) -> str:
    """Prose, and the sentences that follow it unless it ends with them."""
    said = " ".join(sentences)
    prose = capitalized(prose) if prose else ""
    return prose if prose.endswith(said) else f"{prose} {said}".strip()


def readable(key: str) -> str:
    """A key as a name: `old_baron` is Old Baron."""
    return key.replace("_", " ").replace("-", " ").strip().title() or key


def without(trait: str) -> str:
    """What is true of whoever lacks a trait, where the case does not say it."""
    return f"is not {trait.removeprefix('is ')}" if trait.startswith("is ") else f"is nobody who {trait}"


def different(texts: Sequence[Any], otherwise: Sequence[str]) -> list[str]:
    """Texts, or others where there are none; equal ones are numbered, so that no two are alike."""
    named = [str(text) or other for text, other in zip(texts, otherwise)]
    return [name if named.count(name) == 1 else f"{name} (no. {i})" for i, name in enumerate(named, 1)]


# -- Names of a generated case ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Library:
    """Where a game's names and texts come from.

    Attributes:
        terms: keys of the case.
        texts: the table of a written case; None: the case is generated.
    """

    terms: Terms
    texts: Row | None

    @functools.cached_property
    def written(self) -> Book:
        """The book of a written case."""
        return Book(self.terms, self.texts or {})

    def book(self, state: np.ndarray) -> Book:
        """The names and texts of a game; `state` is an array of one."""
        if self.texts is not None:
            return self.written
        s = state[0]
        people, fronts = s["person"][: len(self.terms.people)], s["theme"][: self.terms.n_locations]
        return drawn_book(self.terms, b"".join([people.tobytes(), s["traits"].tobytes(), fronts.tobytes()]))


@functools.cache
def word_lists() -> Row:
    """The word lists of `names.toml`."""
    return tomllib.loads(document(__package__, "names.toml"))


def drawn(key: bytes, what: str, words: Sequence[Any], n: int) -> list[Any]:
    """Some of a list of words, in an order that a hash of the key gives.

    Args:
        key: facts that all see.
        what: what is drawn, so that draws from lists of one length are not alike.
        words: the list.
        n: how many.
    """

    def rank(i: int) -> bytes:
        return hashlib.sha256(key + f"{what} {i}".encode()).digest()

    return [words[i] for i in sorted(range(len(words)), key=rank)[:n]]


@functools.lru_cache(maxsize=256)
def drawn_book(terms: Terms, key: bytes) -> Book:
    """The names of a generated case, and those of its texts that all can read."""
    lists = word_lists()
    (setting,) = drawn(key, "setting", lists["settings"], 1)
    questions = [setting["murder"], *drawn(key, "secrets", setting["secrets"], len(terms.questions) - 1)]
    n_people = len(terms.people)
    first, last = (drawn(key, which, lists[which], n_people) for which in ("first_names", "last_names"))
    roles = drawn(key, "roles", setting["roles"], n_people)
    traits = drawn(key, "traits", lists["traits"], len(terms.traits))
    texts = {
        "title": drawn(key, "title", setting["titles"], 1)[0],
        "prologue": setting["prologue"],
        "introduction": setting["introduction"],
        "questions": [
            {"key": q, "text": question["text"], "who": question["who"]}
            for q, question in zip(terms.questions, questions)
        ],
        "traits": [{"key": t, **trait} for t, trait in zip(terms.traits, traits)],
        "characters": [
            {"key": person, "name": f"{one} {other}", "text": f"{role}."}
            for person, one, other, role in zip(terms.people, first, last, roles)
        ],
        "locations": [{"title": title} for title in drawn(key, "places", setting["places"], terms.n_locations)],
        "secrets": [
            {"number": card, "text": text}
            for card, text in enumerate(drawn(key, "objects", lists["objects"], c.N_CARDS), 1)
        ],
    }
    return Book(terms, texts, [question["deed"] for question in questions])
