"""What generated cases are like: `python -m benchmarks.cases` prints the tables of `generated_cases/<game>.md`.

For games whose public module has `generate_case`. The kinds of cases are listed in `generated_cases/<game>.toml`. Each
case is read as people would read it: who can be the answer to a question after some places have been opened in random
order. What is known comes from three sources: the opened places alone; also the cards that these places hand out; also
the cards of the portraits in play and the cards dealt in the set-up. Nobody lies, and nobody keeps quiet.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import random
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.report import markdown_table
from benchmarks import game_data
from murder_envs.registry import GAMES, configs, make_ruleset

SOURCES = ("places", "and handed cards", "and all cards")
"""Sources of knowledge; each contains those before it."""

Fact = tuple[str, str, str]
"""question, kind, subject"""


def kinds(game: str) -> dict[str, dict[str, Any]]:
    """The kinds of cases to measure: name -> the game's parameters."""
    rows = game_data("generated_cases", game).get("kind", [])
    return {row["name"]: {**configs(game)[row.get("config", "default")], **row.get("parameters", {})} for row in rows}


def parse(facts: Iterable[str]) -> list[Fact]:
    """Facts as they stand in a written case, in their parts."""
    return [(question, kind, subject) for question, kind, subject in (fact.split(".") for fact in facts)]


class Case:
    """A generated case, as far as it matters who can be the answer to what."""

    def __init__(self, game: str, seed: int, parameters: dict[str, Any], rounds: int) -> None:
        case = importlib.import_module(f"murder_envs.{game}_v0").generate_case(seed, **parameters)
        self.written = case
        self.questions = [row["key"] for row in case["questions"]]
        self.people = {row["key"]: set(row["traits"]) for row in case["characters"]}
        self.portraits = [row["key"] for row in case["characters"] if row.get("portrait", True)]
        self.out = [key for row in case["secrets"] for key in row.get("out", [])]
        self.cards = {row["number"]: parse(row.get("facts", [])) for row in case["secrets"]}
        self.places = case["locations"].copy()
        random.Random(seed).shuffle(self.places)
        self.rounds = rounds
        self.murderer_pool = parameters.get("murderer_pool", "played")

    def pool(self, question: str) -> set[str]:
        """Who can be the answer before anything is known."""
        if question != self.questions[0] or self.murderer_pool == "all":
            return set(self.people)
        return set(self.portraits) - set(self.out if self.murderer_pool == "played" else ())

    def left(self, question: str, facts: Iterable[Fact]) -> set[str]:
        """Who can still be the answer, by some facts."""
        people = self.pool(question)
        for about, kind, subject in facts:
            if about == question:
                if kind == "not":
                    people -= {subject}
                else:
                    people = {key for key in people if (subject in self.people[key]) == (kind == "has")}
        return people

    def known(self, opened: int) -> list[list[Fact]]:
        """What is known after so many rounds: a list of facts for each of SOURCES."""
        places = self.places[:opened]
        public = [fact for place in places for fact in parse(place["facts"])]
        handed = [fact for place in places if place["hands"] for fact in self.cards[place["hands"]]]
        own = [
            fact
            for row in self.written["characters"]
            if row["key"] not in self.out
            for fact in parse([*row.get("story", []), *row.get("relationships", [])])
        ]
        dealt = [fact for row in self.written["secrets"] if "to" in row for fact in self.cards[row["number"]]]
        return [public, public + handed, public + handed + own + dealt]

    def needed(self, question: str) -> int:
        """The fewest facts about traits that name the answer."""
        printed = [fact for place in self.places for fact in parse(place["facts"])]
        printed += [fact for facts in self.cards.values() for fact in facts if fact[1] != "not"]
        about = [fact for fact in printed if fact[0] == question]
        return next(
            n
            for n in range(len(about) + 1)
            if any(len(self.left(question, some)) == 1 for some in itertools.combinations(about, n))
        )


@dataclass
class Statistics:
    """What is counted over the cases of one kind.

    Attributes:
        rounds: of a game.
        roles: how often the murderer is played, out of the game, or has no portrait.
        needed: "murder" or "other", the question -> for each case, the fewest facts that name the answer.
        certain: (question, source, rounds played) -> for each case, whether one answer is left.
        left: for each case, how many can still be the murderer by the places that a game opens.
    """

    rounds: int
    roles: Counter[str] = field(default_factory=Counter)
    needed: dict[str, list[int]] = field(default_factory=dict)
    certain: dict[tuple[str, str, int], list[bool]] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)

    def add(self, case: Case) -> None:
        murderer = case.written["solution"][case.questions[0]]
        role = "out" if murderer in case.out else "played" if murderer in case.portraits else "no portrait"
        self.roles[role] += 1
        for question in case.questions:
            about = "murder" if question == case.questions[0] else "other"
            self.needed.setdefault(about, []).append(case.needed(question))
            for opened in range(case.rounds + 1):
                for source, facts in zip(SOURCES, case.known(opened), strict=True):
                    certain = len(case.left(question, facts)) == 1
                    self.certain.setdefault((about, source, opened), []).append(certain)
        self.left.append(len(case.left(case.questions[0], case.known(case.rounds)[0])))

    def share_certain(self, about: str, source: str, opened: int) -> float:
        """In what share of the cases the answer is certain."""
        return statistics.fmean(self.certain[about, source, opened])


def gather(game: str, parameters: dict[str, Any], cases: int, seed: int) -> Statistics:
    """The statistics of some generated cases."""
    rounds = make_ruleset(game, **parameters).config["rounds"]
    total = Statistics(rounds)
    for case_seed in range(seed, seed + cases):
        total.add(Case(game, case_seed, parameters, rounds))
    return total


def as_share(x: float) -> str:
    """Three digits, without the zero in front."""
    return f"{x:.3f}".removeprefix("0") if x < 1 else "1"


def tables(by_kind: dict[str, Statistics], cases: int) -> Iterator[str]:
    """All that is printed."""
    rows = []
    for kind, total in by_kind.items():
        row = {"cases": kind}
        row |= {f"murderer {role}": as_share(total.roles[role] / cases) for role in ("played", "out", "no portrait")}
        for about, heading in (("murder", "facts: murder"), ("other", "facts: other question")):
            row[heading] = f"{statistics.fmean(total.needed[about]):.2f}" if about in total.needed else ""
        rows.append({**row, "left by places": f"{statistics.fmean(total.left):.2f}"})
    yield markdown_table(rows)
    for about, title in (("murder", "The murder"), ("other", "Another question")):
        yield f"{title}: certain after round ...\n"
        yield markdown_table(
            [
                {
                    "cases": kind,
                    "by": source,
                    **{str(r): as_share(total.share_certain(about, source, r)) for r in range(total.rounds + 1)},
                }
                for kind, total in by_kind.items()
                if about in total.needed
                for source in SOURCES
            ]
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    games = [game for game in GAMES if kinds(game)]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cases", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--game", choices=games, default=games[0], help="default: %(default)s")
    parser.add_argument("--cases", type=int, default=1000, help="how many of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the others follow (default: 0)")
    options = parser.parse_args(arguments)
    if options.cases < 1:
        parser.error(f"--cases: 1 or more, not {options.cases}")
    if options.seed < 0:
        parser.error(f"--seed: 0 or more, not {options.seed}")
    by_kind = {
        kind: gather(options.game, parameters, options.cases, options.seed)
        for kind, parameters in kinds(options.game).items()
    }
    print(*tables(by_kind, options.cases), sep="\n", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
