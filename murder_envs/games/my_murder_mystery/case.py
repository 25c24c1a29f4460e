"""Cases: what the cards of a story say, in the order of the case; case files and every check.

A case is *contents* (who did what, which card tells what, who wants what) in *terms* (the keys of questions, traits and
characters). Written cases, cases dealt by the generator, and snapshots go through the same checks.
"""

from __future__ import annotations

import os
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from murder_envs.core.checks import a_bool, a_list, a_text, an_int, distinct, fail, known_only, shown
from murder_envs.games.my_murder_mystery import cards as c


class Fact(NamedTuple):
    """`question.kind.subject` in numbers: the subject is a character (is, not) or a trait (has, lacks)."""

    question: int
    kind: int
    subject: int


class Objective(NamedTuple):
    """`accuse P`, `answer q P` or `hide q K P` in numbers."""

    kind: int
    question: int
    limit: int
    points: int


class Place(NamedTuple):
    """A location: the question on its front; the facts on its back, and the card that it hands out (0: none)."""

    theme: int
    facts: list[Fact]
    hands: int


@dataclass(frozen=True)
class Terms:
    """The keys that a case calls things by, its sizes, and who can be the answer to a question.

    Attributes:
        questions, traits, people: keys; portraits are the first of the people.
        n_portraits: how many of the people can be played.
        n_locations: how many places there are.
        n_secrets: how many top secret cards the places hand out.
        n_murder_locations: how many places are headed by the murder.
        n_answers: `answer` objectives of a portrait.
        n_witness: clearing facts on a portrait's own cards, at most.
        murderer_pool: who can be the murderer, one of `cards.POOLS`.
    """

    questions: tuple[str, ...]
    traits: tuple[str, ...]
    people: tuple[str, ...]
    n_portraits: int
    n_locations: int
    n_secrets: int
    n_murder_locations: int
    n_answers: int
    n_witness: int
    murderer_pool: str

    @property
    def portraits(self) -> tuple[str, ...]:
        """Keys of those who can be played."""
        return self.people[: self.n_portraits]

    @property
    def handed(self) -> tuple[int, ...]:
        """The top secret cards that places hand out."""
        return c.HANDED[: self.n_secrets]

    @property
    def plays_murderer(self) -> bool:
        """Is the murderer always a character that is played?"""
        return self.murderer_pool == c.POOLS[c.POOL.played]

    def pool(self, question: int, n_seats: int) -> int:
        """How many characters can be the answer when so many play.

        They are the first ones of players, portraits that are out, and extras; at the full table, of the case.
        """
        if question != c.MURDER or self.murderer_pool == c.POOLS[c.POOL.all]:
            return len(self.people)
        return n_seats if self.plays_murderer else self.n_portraits

    def cap(self, question: int, n_seats: int) -> int:
        """How many facts about one question a portrait's own cards may have, so that nobody knows another's answer."""
        return max(0, self.pool(question, n_seats) - c.FEW_KNOWN)

    # Keys and numbers. `name` is the field that a key or text stands in: errors begin with it.

    def question(self, name: str, key: Any) -> int:
        """The number of a question."""
        return index_of(name, key, self.questions, "question")

    def trait(self, name: str, key: Any) -> int:
        """The number of a trait."""
        return index_of(name, key, self.traits, "trait")

    def person(self, name: str, key: Any) -> int:
        """The number of a character."""
        return index_of(name, key, self.people, "character")

    def portrait(self, name: str, key: Any) -> int:
        """The number of a character that can be played."""
        return index_of(name, key, self.portraits, "portrait")

    def fact(self, name: str, text: Any) -> Fact:
        """A fact as `murder.has.limp` says it."""
        parts = a_text(name, text).split(".")
        if len(parts) != 3 or parts[1] not in c.KINDS:
            fail(name, f"a fact is question.kind.subject with kind one of {', '.join(c.KINDS)}, not {shown(text)}")
        kind = c.KINDS.index(parts[1])
        subject = self.person(name, parts[2]) if kind in (c.IS, c.NOT) else self.trait(name, parts[2])
        return Fact(self.question(name, parts[0]), kind, subject)

    def fact_text(self, fact: Fact) -> str:
        """The text that `fact` reads."""
        subjects = self.people if fact.kind in (c.IS, c.NOT) else self.traits
        return f"{self.questions[fact.question]}.{c.KINDS[fact.kind]}.{subjects[fact.subject]}"

    def objective(self, name: str, text: Any) -> Objective:
        """An objective as `hide theft 1 2` says it."""
        words = a_text(name, text).split(" ")
        if words[0] == "accuse" and len(words) == 2:
            return Objective(c.ACCUSE, c.MURDER, 0, number(name, words[1], 1, c.MAX_POINTS))
        if words[0] == "answer" and len(words) == 3:
            return Objective(c.ANSWER, self.question(name, words[1]), 0, number(name, words[2], 1, c.MAX_POINTS))
        if words[0] == "hide" and len(words) == 4:
            limit = number(name, words[2], 0, c.MAX_LIMIT)
            return Objective(c.HIDE, self.question(name, words[1]), limit, number(name, words[3], 1, c.MAX_POINTS))
        fail(name, f"`accuse P`, `answer q P` or `hide q K P`, not {shown(text)}")

    def objective_text(self, objective: Objective) -> str:
        """The text that `objective` reads."""
        kind, question, limit, points = objective
        if kind == c.ACCUSE:
            return f"accuse {points}"
        key = self.questions[question]
        return f"{c.OBJECTIVES[kind]} {key} {points}" if kind == c.ANSWER else f"hide {key} {limit} {points}"


@dataclass
class Contents:
    """Who did what, which card tells what, who wants what: characters, questions and traits by number.

    Attributes:
        codes: traits of each character as a set of bits, bit t for trait t.
        solution: the answer to each question.
        places: the locations, 1 first.
        secrets: facts of each top secret card that is handed out or given at setup, by number.
        stories: clearing facts of each portrait, Story B first.
        objectives: of each portrait, in the order of its card.
        out: the portraits that nobody plays (written cases only).
        to: setup card -> the portrait that it is given to (written cases only).
    """

    codes: list[int]
    solution: list[int]
    places: list[Place]
    secrets: dict[int, list[Fact]]
    stories: list[list[Fact]]
    objectives: list[list[Objective]]
    out: list[int] = field(default_factory=list)
    to: dict[int, int] = field(default_factory=dict)

    def is_true(self, fact: Fact) -> bool:
        """Does a fact hold of who is the answer to its question?"""
        answer = self.solution[fact.question]
        if fact.kind in (c.IS, c.NOT):
            return (answer == fact.subject) == (fact.kind == c.IS)
        return bool(self.codes[answer] >> fact.subject & 1) == (fact.kind == c.HAS)


def index_of(name: str, key: Any, keys: Sequence[str], what: str) -> int:
    """The number of a key; the error names the field it stands in."""
    if not isinstance(key, str) or key not in keys:
        fail(name, f"unknown {what} {shown(key)}; there are {', '.join(keys)}")
    return keys.index(key)


def number(name: str, text: str, low: int, high: int) -> int:
    """A number written in an objective."""
    if not text.isdecimal() or not text.isascii():
        fail(name, f"a number, not {shown(text)}")
    return an_int(name, int(text), low, high)


# -- The checks -------------------------------------------------------------------------------------------------------


def check(terms: Terms, contents: Contents, win_points: int, prefix: str = "") -> None:
    """Everything that makes a case fair and its questions answerable; ValueError begins with the prefix and a field.

    Nothing printed is false: only players lie. Each pair of a question and a trait is printed exactly once, on a
    location or on a card that a location hands out, and no two characters have the same
    traits. So all facts together name every answer, however many play; and few enough stand on each portrait's own
    cards that nobody knows another's answer at the start.

    Args:
        terms: keys and sizes, by which the contents are checked.
        contents: the case.
        win_points: what each portrait's objectives must offer.
        prefix: "case." for a written case, "" for a snapshot.
    """
    check_people(terms, contents, prefix)
    check_places(terms, contents, prefix + "locations")
    check_secrets(terms, contents, prefix + "secrets")
    check_stories(terms, contents, prefix + "stories")
    check_objectives(terms, contents, win_points, prefix + "objectives")


def check_people(terms: Terms, contents: Contents, prefix: str) -> None:
    """Different traits for all; answers in their pools; one secret a character, beside the murder."""
    for i, code in enumerate(contents.codes):
        if code in contents.codes[:i]:
            fail(
                prefix + "traits",
                f"{terms.people[contents.codes.index(code)]} and {terms.people[i]} have the same traits",
            )
    for question, answer in enumerate(contents.solution):
        if answer >= terms.pool(question, terms.n_portraits):
            fail(prefix + "answers", f"{terms.people[answer]} cannot be the answer to {terms.questions[question]}")
    secrets = contents.solution[1:]
    for i, answer in enumerate(secrets):
        if answer in secrets[:i]:
            fail(prefix + "answers", f"{terms.people[answer]} is the answer to two questions beside the murder")


def check_places(terms: Terms, contents: Contents, name: str) -> None:
    """True facts about traits, the first on the theme; each card handed out once; themes spread evenly.

    Fronts are read aloud before play, so a theme must promise something; and a location that hands out a card says
    less.
    """
    for k, place in enumerate(contents.places, 1):
        for fact in place.facts:
            if fact.kind not in (c.HAS, c.LACKS):
                fail(name, f"location {k}: {terms.fact_text(fact)} is not about a trait")
            if not contents.is_true(fact):
                fail(name, f"location {k}: {terms.fact_text(fact)} is false")
        most = 1 if place.hands else 2
        if not 1 <= len(place.facts) <= most:
            fail(name, f"location {k}: 1 to {most} facts, not {len(place.facts)}")
        if place.facts[0].question != place.theme:
            fail(name, f"location {k}: its first fact is not about {terms.questions[place.theme]}")
    handed = sorted(place.hands for place in contents.places if place.hands)
    if handed != list(terms.handed):
        fail(name, f"they hand out the cards {list(terms.handed)} once each, not {handed}")
    n_themes = [sum(place.theme == q for place in contents.places) for q in range(len(terms.questions))]
    if n_themes[c.MURDER] != terms.n_murder_locations:
        fail(name, f"{terms.n_murder_locations} headed by {terms.questions[c.MURDER]}, not {n_themes[c.MURDER]}")
    if len(n_themes) > 1 and max(n_themes[1:]) - min(n_themes[1:]) > 1:
        fail(name, "the numbers of places headed by each of the other questions differ by at most 1")


def check_secrets(terms: Terms, contents: Contents, name: str) -> None:
    """One true fact at most on a handed card, clearing facts on a setup card, each topic printed once.

    A topic is a question and a trait. Who has seen a topic on a card knows that it is on no other: `redeal` deals those
    that a seat has not seen.
    """
    for card, facts in contents.secrets.items():
        kinds = (c.NOT,) if card >= c.FIRST_SETUP_CARD else (c.HAS, c.LACKS)
        most = c.CLEARS_A_CARD if card >= c.FIRST_SETUP_CARD else 1
        if len(facts) > most:
            fail(name, f"card {card}: at most {most} facts")
        for fact in facts:
            if fact.kind not in kinds:
                fail(name, f"card {card}: {terms.fact_text(fact)} is of the wrong kind")
            if not contents.is_true(fact):
                fail(name, f"card {card}: {terms.fact_text(fact)} is false")
        if len({fact.question for fact in facts}) < len(facts):
            fail(name, f"card {card}: two facts about one question")
    printed = [(fact.question, fact.subject) for place in contents.places for fact in place.facts]
    printed += [(fact.question, fact.subject) for card in terms.handed for fact in contents.secrets[card]]
    for q, question in enumerate(terms.questions):
        for t, trait in enumerate(terms.traits):
            if printed.count((q, t)) != 1:
                fail(name, f"{question} and {trait} on exactly one place or card, not on {printed.count((q, t))}")


def check_stories(terms: Terms, contents: Contents, name: str) -> None:
    """True clearing facts about others, few enough of each question (`Terms.cap`).

    Oneself is left out, since Story A says already whether one is the answer. Printed cards are the same however many
    play. So pools and caps are those of the full table, and a story may clear somebody who is out.
    """
    full_table = terms.n_portraits
    for portrait, facts in enumerate(contents.stories):
        key = terms.people[portrait]
        if len(facts) > terms.n_witness:
            fail(name, f"{key}: at most {terms.n_witness} facts, not {len(facts)}")
        distinct(name, [terms.fact_text(fact) for fact in facts])
        for fact in facts:
            if fact.kind != c.NOT or not contents.is_true(fact):
                fail(name, f"{key}: {terms.fact_text(fact)} is no true clearing fact")
            if fact.subject == portrait or fact.subject >= terms.pool(fact.question, full_table):
                fail(name, f"{key}: {terms.fact_text(fact)} is about oneself or outside the pool")
        for q in range(len(terms.questions)):
            if sum(fact.question == q for fact in facts) > terms.cap(q, full_table):
                fail(name, f"{key}: at most {terms.cap(q, full_table)} facts about {terms.questions[q]}")


def check_objectives(terms: Terms, contents: Contents, win_points: int, name: str) -> None:
    """Everybody accuses but the murderer; everybody has as many answers to give; secrets are one's own.

    Writing is simultaneous at a table. Here it is one decision after another, and a different number of them would tell
    who has a secret.
    """
    for portrait, objectives in enumerate(contents.objectives):
        key = terms.people[portrait]
        own = [q for q, answer in enumerate(contents.solution) if answer == portrait]
        answers = [objective.question for objective in objectives if objective.kind == c.ANSWER]
        if len(answers) != terms.n_answers or len(set(answers)) < len(answers):
            fail(name, f"{key}: {terms.n_answers} different `answer` objectives")
        if c.MURDER in answers or set(answers) & set(own):
            fail(name, f"{key}: no `answer` about the murder or an own secret")
        accuses = sum(objective.kind == c.ACCUSE for objective in objectives)
        if accuses != (c.MURDER not in own):
            fail(name, f"{key}: `accuse` exactly once, but for the murderer, who has none")
        hidden = [objective.question for objective in objectives if objective.kind == c.HIDE]
        if not set(hidden) <= set(own) or len(set(hidden)) < len(hidden):
            fail(name, f"{key}: `hide` only what one is the answer to, once each")
        if sum(objective.points for objective in objectives) < win_points:
            fail(name, f"{key}: {win_points} points in all at least")


# -- Written cases ----------------------------------------------------------------------------------------------------

CASE_FIELDS = (
    "title", "prologue", "introduction", "solution_text", "summary", "witness_facts", "questions", "traits",
    "characters", "solution", "locations", "secrets",
)  # fmt: skip
PORTRAIT_FIELDS = ("key", "name", "portrait", "text", "traits", "story", "relationships", "texts", "objectives")
KEY = re.compile(r"[a-z0-9_-]+")


@dataclass(frozen=True)
class Case:
    """A written case: its terms, its contents, and its texts as they stand in the file."""

    terms: Terms
    contents: Contents
    texts: Mapping[str, Any]


def read_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A case file as a table; ValueError names `case` if it cannot be read."""
    try:
        return tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail("case", f"cannot read {shown(os.fspath(path))}: {error}")


def read_case(case: str | Mapping[str, Any], n_seats: int, murderer_pool: str, win_points: int) -> Case:
    """A written case as so many play it, with every check; the error begins with `case`, and names the field.

    Args:
        case: a dict, or the name of the shipped case.
        n_seats: players. Of the cards that depend on their number, only those that they use are read.
        murderer_pool: who can be the murderer, one of `cards.POOLS`.
        win_points: what each portrait's objectives must offer.

    Raises:
        ValueError: `case.<field>: ...`; or `num_players: ...`, if the case has no cards for so many.
    """
    table = read_file(pathlib.Path(__file__).with_name(f"{case}.toml")) if isinstance(case, str) else case
    return CaseReader(table, n_seats, murderer_pool).read(win_points)


class CaseReader:
    """A table that describes a case, read field by field.

    Sizes follow from how many rows there are, so `sizes` comes first; then every key that a row names can be looked up.
    """

    def __init__(self, table: Mapping[str, Any], n_seats: int, murderer_pool: str) -> None:
        self.table = table
        self.n_seats = n_seats
        self.murderer_pool = murderer_pool

    def sizes(self) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
        """How many there are of everything, into `terms` as far as is known yet; the characters and the locations."""
        table = self.table
        if unknown := [key for key in table if key not in CASE_FIELDS]:
            fail(f"case.{unknown[0]}", "unknown field")
        for name, n in (("title", 0), ("prologue", 0), ("summary", 0), ("introduction", 2), ("solution_text", 2)):
            self.texts(table, name, n)
        questions = self.keys("questions", self.rows("questions", "key", "text", "who"))
        if len(questions) not in c.N_QUESTIONS:
            fail("case.questions", f"1, 3 or 4, not {len(questions)}")
        traits = self.keys("traits", self.rows("traits", "key", "text", "lacks"))
        if not 2 <= len(traits) <= c.MAX_TRAITS:
            fail("case.traits", f"2 to {c.MAX_TRAITS}, not {len(traits)}")
        characters = self.rows("characters", *PORTRAIT_FIELDS)
        people = self.keys("characters", characters)
        is_portrait = [a_bool("case.characters", row.get("portrait", True)) for row in characters]
        n_portraits = sum(is_portrait)
        if is_portrait != sorted(is_portrait, reverse=True):
            fail("case.characters", "portraits come first")
        if not c.MIN_SEATS <= n_portraits <= c.MAX_SEATS or len(people) - n_portraits > c.MAX_EXTRAS:
            fail("case.characters", f"{c.MIN_SEATS} to {c.MAX_SEATS} portraits and at most {c.MAX_EXTRAS} others")
        if len(people) > 2 ** len(traits):
            fail("case.traits", f"{len(traits)} traits cannot tell {len(people)} characters apart")
        rows = self.rows("locations", "title", "theme", "facts", "hands", "text")
        if not 2 <= len(rows) <= c.MAX_LOCATIONS or not len(rows) <= len(questions) * len(traits) <= 2 * len(rows):
            fail("case.locations", f"2 to {c.MAX_LOCATIONS}, no more than questions x traits and at least half as many")
        self.terms = Terms(questions, traits, people, n_portraits, len(rows), 0, 0, 0, 0, self.murderer_pool)
        return characters, rows

    def read(self, win_points: int) -> Case:
        """The whole case."""
        characters, rows = self.sizes()
        questions, n_portraits = self.terms.questions, self.terms.n_portraits
        secrets = self.secrets()
        n_secrets = sum(card in c.HANDED for card in secrets)
        if n_secrets > len(rows):
            fail("case.secrets", f"at most {len(rows)} can be handed out")
        places = [self.place(row) for row in rows]
        portraits = characters[:n_portraits]
        stories = [self.story(row) for row in portraits]
        objectives = [self.objectives(row) for row in portraits]
        for row in characters[n_portraits:]:
            known_only_in("characters", row, PORTRAIT_FIELDS[:5])
        n_answers = sum(objective.kind == c.ANSWER for objective in objectives[0])
        if n_answers > min(c.MAX_ANSWERS, max(0, len(questions) - 2)):
            fail("case.objectives", f"{self.terms.people[0]}: too many `answer` objectives")
        most = max(map(len, stories))
        if most > c.MAX_WITNESS:
            fail("case.stories", f"at most {c.MAX_WITNESS} facts")
        n_witness = an_int("case.witness_facts", self.table.get("witness_facts", most), most, c.MAX_WITNESS)
        n_murder = sum(place.theme == c.MURDER for place in places)
        self.terms = replace(
            self.terms, n_secrets=n_secrets, n_murder_locations=n_murder, n_answers=n_answers, n_witness=n_witness
        )
        out = self.out(secrets)
        contents = Contents(
            [self.code(row) for row in characters],
            self.solution(),
            places,
            {card: facts for card, (facts, _) in secrets.items() if card not in c.OUT_CARD},
            stories,
            objectives,
            out,
            self.to(secrets, out),
        )
        if len(questions) == 1 and any(place.theme != c.MURDER for place in places):
            fail("case.locations", "headed by the only question")
        check(self.terms, contents, win_points, "case.")
        if self.terms.plays_murderer and contents.solution[c.MURDER] in out:
            fail("case.out", f"{self.terms.people[contents.solution[c.MURDER]]}, the murderer, is played")
        self.check_open_names(contents)
        return Case(self.terms, contents, self.table)

    def rows(self, name: str, *known: str) -> list[Mapping[str, Any]]:
        """A list of tables with no other fields than some; texts in them are texts."""
        rows = a_list(f"case.{name}", self.table.get(name))
        for row in rows:
            if not isinstance(row, Mapping):
                fail(f"case.{name}", f"a table, not {shown(row)}")
            known_only_in(name, row, known)
            for text in ("text", "name", "title", "who", "lacks"):
                self.texts(row, text, 0, f"case.{name}")
            self.texts(row, "texts", 3, f"case.{name}")
        return rows

    def texts(self, table: Mapping[str, Any], key: str, n: int, name: str = "") -> None:
        """A text, or a list of n, or nothing."""
        if key in table:
            name = name or f"case.{key}"
            for text in a_list(name, table[key], n) if n else [table[key]]:
                a_text(name, text)

    def keys(self, name: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """The keys of some rows: short, plain, no two alike."""
        keys = [a_text(f"case.{name}", row.get("key")) for row in rows]
        for key in keys:
            if not KEY.fullmatch(key):
                fail(f"case.{name}", f"a key has lower-case letters, digits, _ and -, not {shown(key)}")
        distinct(f"case.{name}", keys)
        return tuple(keys)

    def facts(self, name: str, texts: Any) -> list[Fact]:
        return [self.terms.fact(f"case.{name}", text) for text in a_list(f"case.{name}", texts)]

    def code(self, row: Mapping[str, Any]) -> int:
        traits = [self.terms.trait("case.traits", key) for key in a_list("case.traits", row.get("traits", []))]
        distinct("case.traits", traits)
        return sum(1 << trait for trait in traits)

    def solution(self) -> list[int]:
        answers = self.table.get("solution")
        if not isinstance(answers, Mapping) or set(answers) != set(self.terms.questions):
            fail("case.answers", f"a table [solution] with {', '.join(self.terms.questions)}, not {shown(answers)}")
        return [self.terms.person("case.answers", answers[question]) for question in self.terms.questions]

    def place(self, row: Mapping[str, Any]) -> Place:
        name = "case.locations"
        theme = self.terms.question(name, row.get("theme"))
        hands = an_int(name, row.get("hands", 0), 0, c.N_CARDS)
        return Place(theme, self.facts("locations", row.get("facts")), hands)

    def story(self, row: Mapping[str, Any]) -> list[Fact]:
        return self.facts("stories", row.get("story", [])) + self.facts("stories", row.get("relationships", []))

    def objectives(self, row: Mapping[str, Any]) -> list[Objective]:
        name = "case.objectives"
        return [self.terms.objective(name, text) for text in a_list(name, row.get("objectives"))]

    def secrets(self) -> dict[int, tuple[list[Fact], Mapping[str, Any]]]:
        """Card -> its facts and its row; the numbers are a possible deck's.

        Cards for another number of players are left out: only their numbers are looked at.
        """
        rows: dict[int, Mapping[str, Any]] = {}
        for row in self.rows("secrets", "number", "facts", "text", "out", "to") if "secrets" in self.table else []:
            card = an_int("case.secrets", row.get("number"), 1, c.N_CARDS)
            if card in rows:
                fail("case.secrets", f"card {card} occurs twice")
            rows[card] = row
        handed = [card for card in c.HANDED if card in rows]
        if handed != list(c.HANDED[: len(handed)]):
            fail("case.secrets", f"a smaller deck has the first of the cards {list(c.HANDED)}, not {handed}")
        for n_out, setup in enumerate(c.SETUP_CARDS):
            together = [c.OUT_CARD[n_out], *setup] if n_out else []
            if 0 < sum(card in rows for card in together) < len(together):
                fail("case.secrets", f"the cards {together} come together")
        return {card: self.secret(card, rows[card]) for card in sorted({*handed, *self.cards_of_this_table(rows)})}

    def cards_of_this_table(self, rows: Mapping[int, Any]) -> list[int]:
        """The cards that depend on the number of players and that this one uses; the case must have them."""
        n_out = self.terms.n_portraits - self.n_seats
        if not 0 <= n_out <= c.MAX_OUT or (n_out and c.OUT_CARD[n_out] not in rows):
            fail("num_players", f"this case has no cards for {self.n_seats} players")
        return [c.OUT_CARD[n_out], *c.SETUP_CARDS[n_out]] if n_out else []

    def secret(self, card: int, row: Mapping[str, Any]) -> tuple[list[Fact], Mapping[str, Any]]:
        """The facts and the row of a card, which has the fields that such a card has."""
        facts = self.facts("secrets", row.get("facts", []))
        if (card in c.OUT_CARD) != ("out" in row):
            fail("case.out", f"card {card}: `out` on cards 5 and 6 only")
        if (card >= c.FIRST_SETUP_CARD) != ("to" in row):
            fail("case.to", f"card {card}: `to` on cards 9, 10 and 11 only")
        if card in c.OUT_CARD and facts:
            fail("case.secrets", f"card {card} has no facts")
        return facts, row

    def out(self, secrets: Mapping[int, tuple[list[Fact], Mapping[str, Any]]]) -> list[int]:
        """Who is out, as card 05 or 06 says."""
        out: list[int] = []
        for n_out, card in enumerate(c.OUT_CARD):
            if n_out and card in secrets:
                keys = a_list("case.out", secrets[card][1]["out"], n_out)
                out += [self.terms.portrait("case.out", key) for key in keys]
                distinct("case.out", keys)
        return out

    def to(self, secrets: Mapping[int, tuple[list[Fact], Mapping[str, Any]]], out: Sequence[int]) -> dict[int, int]:
        """Who gets each setup card: a portrait that is played."""
        to = {}
        for card, (_, row) in secrets.items():
            if card >= c.FIRST_SETUP_CARD:
                to[card] = self.terms.portrait("case.to", row["to"])
                if to[card] in out:
                    fail("case.to", f"card {card} goes to {self.terms.people[to[card]]}, who is out then")
        return to

    def check_open_names(self, contents: Contents) -> None:
        """At the start nobody but the answer to a question is near to knowing it: each keeps enough open names.

        Printed stories are made for the full table. With fewer players the pool of the murder is smaller, and a drawn
        case would have fewer facts; so the names that a player's own cards leave open are counted.
        """
        terms = self.terms
        played = [portrait for portrait in range(terms.n_portraits) if portrait not in contents.out]
        for portrait in played:
            told = contents.stories[portrait] + [
                fact for card, reader in contents.to.items() if reader == portrait for fact in contents.secrets[card]
            ]
            for q, answer in enumerate(contents.solution):
                pool = played if q == c.MURDER and terms.plays_murderer else range(terms.pool(q, self.n_seats))
                cleared = {fact.subject for fact in told if fact.question == q}
                n_open = len(set(pool) - cleared - {portrait})
                needed = c.OPEN_NAMES if len(pool) >= c.FEW_KNOWN else c.OPEN_NAMES_OF_FEW
                if answer != portrait and n_open < needed:
                    key = terms.people[portrait]
                    fail("case.stories", f"{key}: {needed} open names for {terms.questions[q]} at least, not {n_open}")


def known_only_in(name: str, row: Mapping[str, Any], known: Sequence[str]) -> None:
    try:
        known_only(row, known, "field")
    except ValueError as error:
        raise ValueError(f"case.{name}: {error}") from None
