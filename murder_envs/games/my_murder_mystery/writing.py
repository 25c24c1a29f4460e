"""A dealt case as a written one, with the names and texts that its game has, and as a file. Never compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.config import Config
from murder_envs.games.my_murder_mystery.names import Book, Library
from murder_envs.games.my_murder_mystery.snapshots import snapshot


def written_case(config: Config, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The case of a dealt game in the format of written cases, with texts.

    Args:
        config: of the generated case.
        rules, state: arrays of one record; the game has just been dealt.

    Returns:
        The table that `case.read_case` reads: the cast is no part of it, but for who is out and who gets setup cards.
    """
    terms = config.terms
    writer = CaseWriter(Library(terms, None).book(state), snapshot(terms, rules, state))
    texts = writer.book.texts
    return {
        **{name: texts[name] for name in ("title", "prologue", "introduction")},
        "solution_text": writer.book.done([*map(writer.name, writer.full["answers"].values())]),
        "summary": f"{config.rounds} rounds: choose a place, read it, talk, pass the token. Then accuse and answer.",
        "witness_facts": terms.n_witness,
        "questions": texts["questions"],
        "traits": texts["traits"],
        "characters": [writer.character(person) for person in range(len(terms.people))],
        "solution": writer.full["answers"],
        "locations": writer.locations(),
        "secrets": writer.secrets(),
    }


class CaseWriter:
    """The rows of a written case, each with a text that says what its facts say.

    Args:
        book: names and texts of the case.
        full: the complete snapshot of the dealt game.
    """

    def __init__(self, book: Book, full: Mapping[str, Any]) -> None:
        self.book = book
        self.terms = book.terms
        self.full = full

    def name(self, key: str) -> str:
        """A character's name."""
        return self.book.people[self.terms.people.index(key)].name

    def character(self, person: int) -> dict[str, Any]:
        """A character; of a portrait also its cards: the first half of its clearing facts is Story B."""
        key = self.terms.people[person]
        row: dict[str, Any] = {**self.book.row("characters", person), "traits": self.full["traits"][key]}
        if key not in self.terms.portraits:
            return {**row, "portrait": False}
        n_story = (self.terms.n_witness + 1) // 2
        facts = self.full["stories"][key]
        guilt = [q for q, answer in enumerate(self.full["answers"].values()) if answer == key]
        return {
            **row,
            "story": facts[:n_story],
            "relationships": facts[n_story:],
            "objectives": self.full["objectives"][key],
            "texts": [self.book.story_a(person, guilt), *self.book.story_b(person, facts)],
        }

    def locations(self) -> list[dict[str, Any]]:
        """The locations, in their order."""
        return [
            {"title": title, **place, "text": self.book.location(k, place["facts"])}
            for k, (title, place) in enumerate(zip(self.book.titles, self.full["locations"].values()))
        ]

    def secrets(self) -> list[dict[str, Any]]:
        """The top secret cards by their numbers, with the one that says who is out."""
        out = self.full["out"]
        rows: list[dict[str, Any]] = []
        if out:
            rows.append({"number": c.OUT_CARD[len(out)], "out": out, "text": self.book.out(out)})
        for card, holder in self.full["holders"].items():
            facts = self.full["secrets"][card]
            row = {"number": int(card), "facts": facts, "text": self.book.secret(int(card), facts)}
            if int(card) >= c.FIRST_SETUP_CARD:
                row["to"] = self.full["characters"][holder]
            rows.append(row)
        return sorted(rows, key=lambda row: row["number"])


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
