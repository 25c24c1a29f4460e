"""What generated cases of My Murder Mystery are like: `python -m benchmarks.cases` prints the tables of cases.md.

Every case is written down with `generate_case` and read as people would read it: who can be the answer to a question
after so many places, opened in random order, going by what is printed on them; by what is printed on the cards that
they hand out, too; and by the cards of the portraits in play and those given at setup as well. Nobody lies, and nobody
keeps quiet.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from murder_envs import my_murder_mystery_v0
from murder_envs.registry import make_ruleset

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "6 players": {"num_players": 6},
    "5 players": {"num_players": 5},
    **{name: my_murder_mystery_v0.CONFIGS[name] for name in ("easy", "hard", "open_verdict", "tiny", "mini", "four")},
}
"""What is measured: name -> keywords."""

SOURCES = ("places", "and handed cards", "and all cards")
"""What is known when certainty is asked for; each has what those before it have."""

Fact = tuple[str, str, str]
"""question, kind, subject"""


def read(facts: Iterable[str]) -> list[Fact]:
    """Facts as they stand in a written case, in their parts."""
    return [(question, kind, subject) for question, kind, subject in (fact.split(".") for fact in facts)]


class Story:
    """A generated case, as far as it matters who can be the answer to what."""

    def __init__(self, seed: int, config: dict[str, Any], rounds: int) -> None:
        case = my_murder_mystery_v0.generate_case(seed, **config)
        self.case = case
        self.questions = [row["key"] for row in case["questions"]]
        self.people = {row["key"]: set(row["traits"]) for row in case["characters"]}
        self.portraits = [row["key"] for row in case["characters"] if row.get("portrait", True)]
        self.out = [key for row in case["secrets"] for key in row.get("out", [])]
        self.cards = {row["number"]: read(row.get("facts", [])) for row in case["secrets"]}
        self.places = case["locations"].copy()
        random.Random(seed).shuffle(self.places)
        self.rounds = rounds
        self.pool_all = config.get("murderer_pool") == "all"

    def pool(self, question: str) -> set[str]:
        """Who can be the answer before anything is known."""
        return set(self.portraits if question == self.questions[0] and not self.pool_all else self.people)

    def left(self, question: str, facts: Iterable[Fact]) -> set[str]:
        """Whom some facts leave."""
        people = self.pool(question)
        for about, kind, subject in facts:
            if about == question:
                if kind == "not":
                    people -= {subject}
                else:
                    people = {key for key in people if (subject in self.people[key]) == (kind == "has")}
        return people

    def known(self, opened: int) -> list[list[Fact]]:
        """What is known after so many rounds, by source."""
        places = self.places[:opened]
        public = [fact for place in places for fact in read(place["facts"])]
        handed = [fact for place in places if place["hands"] for fact in self.cards[place["hands"]]]
        own = [
            fact
            for row in self.case["characters"]
            if row["key"] not in self.out
            for fact in read([*row.get("story", []), *row.get("relationships", [])])
        ]
        given = [fact for row in self.case["secrets"] if "to" in row for fact in self.cards[row["number"]]]
        return [public, public + handed, public + handed + own + given]

    def needed(self, question: str) -> int:
        """The fewest facts about traits that name the answer."""
        printed = [fact for place in self.places for fact in read(place["facts"])]
        printed += [fact for facts in self.cards.values() for fact in facts if fact[1] != "not"]
        about = [fact for fact in printed if fact[0] == question]
        return next(
            n
            for n in range(len(about) + 1)
            if any(len(self.left(question, some)) == 1 for some in itertools.combinations(about, n))
        )


@dataclass
class Statistics:
    """Means over the cases of a configuration."""

    rounds: int
    role: Counter[str] = field(default_factory=Counter)
    needed: dict[str, list[int]] = field(default_factory=dict)
    certain: dict[tuple[str, str, int], list[bool]] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)

    def add(self, story: Story) -> None:
        murderer = story.case["solution"][story.questions[0]]
        played = "out" if murderer in story.out else "played" if murderer in story.portraits else "no portrait"
        self.role[played] += 1
        for question in story.questions:
            kind = "murder" if question == story.questions[0] else "other"
            self.needed.setdefault(kind, []).append(story.needed(question))
            for opened in range(story.rounds + 1):
                for source, facts in zip(SOURCES, story.known(opened), strict=True):
                    sure = len(story.left(question, facts)) == 1
                    self.certain.setdefault((kind, source, opened), []).append(sure)
        self.left.append(len(story.left(story.questions[0], story.known(story.rounds)[0])))

    def share(self, kind: str, source: str, opened: int) -> float:
        """How often it is certain who did it."""
        return statistics.fmean(self.certain[kind, source, opened])


def gather(config: dict[str, Any], cases: int, seed: int) -> Statistics:
    """The statistics of some generated cases."""
    rounds = make_ruleset("my_murder_mystery", **config).config["rounds"]
    found = Statistics(rounds)
    for its_seed in range(seed, seed + cases):
        found.add(Story(its_seed, config, rounds))
    return found


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows))


def share(x: float) -> str:
    return f"{x:.3f}".removeprefix("0") if x < 1 else "1"


def tables(found: dict[str, Statistics], cases: int) -> str:
    """All that is printed."""
    who = ["played", "out", "no portrait"]
    first = [
        [name, *(share(its.role[role] / cases) for role in who)]
        + [f"{statistics.fmean(its.needed[kind]):.2f}" if kind in its.needed else "" for kind in ("murder", "other")]
        + [f"{statistics.fmean(its.left):.2f}"]
        for name, its in found.items()
    ]
    heads = ["cases", *(f"murderer {role}" for role in who), "facts: murder", "facts: other question", "left by places"]
    parts = [table(heads, first)]
    most = max(its.rounds for its in found.values())
    for kind, title in (("murder", "The murder"), ("other", "Another question")):
        rows = [
            [name, source, *(share(its.share(kind, source, r)) if r <= its.rounds else "" for r in range(most + 1))]
            for name, its in found.items()
            if kind in its.needed
            for source in SOURCES
        ]
        parts.append(f"{title}: certain after round ...\n\n" + table(["cases", "by", *map(str, range(most + 1))], rows))
    return "\n\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cases", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=1000, help="how many of each configuration (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first one; the others follow (default: 0)")
    given = parser.parse_args(arguments)
    if given.cases < 1 or given.seed < 0:
        parser.error("--cases: 1 at least; --seed: 0 at least")
    print(tables({name: gather(config, given.cases, given.seed) for name, config in CONFIGS.items()}, given.cases))


if __name__ == "__main__":
    main()
