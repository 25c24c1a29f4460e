"""What a table may choose before play, and the rules record that follows."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from murder_envs.core.checks import a_choice, a_list, an_int, distinct, fail, shown
from murder_envs.core.config import Parameters, integer, option, optional, parameter
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import set_of
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.case import Case, Contents, Fact, Terms, read_case, read_file
from murder_envs.games.my_murder_mystery.layout import observation_of, world_of
from murder_envs.games.my_murder_mystery.state import (
    OFFER_REPLY,
    OFFER_SILENT,
    Rules,
    pack_clearing,
    pack_objective,
    pack_trait_fact,
)

SPEECHES = {
    "full": "statements, questions and suspicions",
    "suspect": "suspicions and nothing else",
}
POOLS = {
    "played": "a character that is played",
    "portraits": "any portrait, also one that is out",
    "all": "any character, also one that nobody can play",
}
NPC_ACCUSED = {
    "players_only": "such accusations do not count: of the players the most accused goes",
    "spared": "such a character can be the most accused, and then nobody goes",
}
PAID = {
    "win": "each winner gets 1, each other -1",
    "points": "points divided by the most that a card can offer; whoever is eliminated gets -1",
    "zero_sum": "each winner gets 1, each other 0, and then all pay back an equal share of that",
}

GENERATED = "generated"
RANDOM = "random"

_TINY: dict[str, Any] = {
    "num_players": 3, "num_portraits": 3, "num_extras": 0, "num_questions": 1, "num_traits": 3, "num_locations": 2,
    "num_secrets": 1, "answers": 0, "witness_facts": 0, "rounds": 1, "tokens": 1, "talk_rounds": 0,
    "final_talk_rounds": 0, "traits": [["t0"], ["t1"], ["t0", "t1"]], "characters": ["c0", "c1", "c2"],
    "first_leader": 0,
}  # fmt: skip
_SMALL: dict[str, Any] = {
    "num_extras": 1, "num_questions": 3, "num_traits": 3, "answers": 1, "witness_facts": 2, "murder_locations": 1,
    "hide_points": 1,
}  # fmt: skip
CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "easy": {"murder_locations": 1, "witness_facts": 2, "hide_points": 1},
    "standard": {},
    "hard": {"witness_facts": 0, "hide_limit": 0},
    "mute": {"talk_rounds": 0, "final_talk_rounds": 0},
    "cut-throat": {"reward": "zero_sum"},
    "open_verdict": {"murderer_pool": "all", "npc_accused": "spared"},
    "dead_monkey": {"case": c.DEAD_MONKEY},
    "tiny": _TINY,
    "tiny_talk": {**_TINY, "final_talk_rounds": 1, "speech": "suspect"},
    "mini": {
        **_SMALL, "num_players": 3, "num_portraits": 4, "num_locations": 5, "num_secrets": 3, "rounds": 2, "tokens": 1,
        "talk_rounds": 1, "final_talk_rounds": 0, "speech": "suspect",
    },
    "four": {
        **_SMALL, "num_players": 4, "num_portraits": 5, "num_locations": 6, "num_secrets": 4, "rounds": 3,
    },
}  # fmt: skip
"""Named configurations: the game as printed, levels of difficulty, and small games that can be solved."""


# -- Checks of single parameters --------------------------------------------------------------------------------------


def size(meaning: str, low: int, high: int) -> Any:
    """A size of a case: an integer; left out, that of the full game or of the written case."""
    return parameter(
        None, meaning, optional(lambda name, value: an_int(name, value, low, high)), f"{low} to {high}, or left out"
    )


def a_number_of_questions(name: str, value: Any) -> int:
    """How many questions a case may have."""
    if an_int(name, value, min(c.N_QUESTIONS), max(c.N_QUESTIONS)) not in c.N_QUESTIONS:
        fail(name, f"one of {c.N_QUESTIONS}, not {value}")
    return int(value)


def random_or_list(name: str, value: Any) -> Any:
    """`"random"`, or a list whose keys are checked when those of the case are known."""
    return a_choice(name, value, (RANDOM,)) if isinstance(value, str) else a_list(name, value)


def random_or_seat(name: str, value: Any) -> Any:
    """`"random"`, or a seat."""
    return value if isinstance(value, str) and value == RANDOM else an_int(name, value, 0, c.MAX_SEATS - 1)


def a_case(name: str, value: Any) -> Any:
    """A name or a table; `case.read_case` checks what it says.

    A file is read here, once: what was pickled or saved with a case is still of that case when the file is another one.
    """
    if isinstance(value, os.PathLike) or (isinstance(value, str) and value not in (GENERATED, c.DEAD_MONKEY)):
        return read_file(value)
    if not isinstance(value, (str, Mapping)):
        fail(name, f'"{GENERATED}", "{c.DEAD_MONKEY}", the path of a TOML file or a dict, not {shown(value)}')
    return str(value) if isinstance(value, str) else value


# -- The parameters ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Config(Parameters):
    """Parameters of a game; sizes that are left out follow from the others, or from the written case.

    Why these defaults: as few locations as fit are headed by the murder, none in the full game. So what bears on it
    comes from top secret cards, from one's own story or by chance, and has to be told to count. Whoever keeps a secret
    cannot win by the accusation and one answer alone, as others can: so it is worth vetoes and lies. A murderer that
    stays free wins.
    """

    num_players: int = integer(7, "seats; the rulebook has 5, 6 or 7", low=c.MIN_SEATS, high=c.MAX_SEATS)
    num_portraits: int = size("characters that can be played, at most two more than seats", c.MIN_SEATS, c.MAX_SEATS)
    num_extras: int = size("further characters that nobody plays", 0, c.MAX_EXTRAS)
    num_questions: int = parameter(
        None, "questions of the case; the first is the murder", optional(a_number_of_questions), "1, 3 or 4"
    )
    num_traits: int = size("public traits", c.MIN_TRAITS, c.MAX_TRAITS)
    traits: str | Sequence[Sequence[str]] = parameter(
        RANDOM, "of each character, in a generated case", random_or_list, '"random", or a list of trait keys for each'
    )
    num_locations: int = size("places to open", c.MIN_LOCATIONS, c.MAX_LOCATIONS)
    murder_locations: int = size("locations whose front points at the murder", 0, c.MAX_LOCATIONS)
    num_secrets: int = size("top secret cards handed out by locations", 0, len(c.HANDED))
    witness_facts: int = size("clearing facts on each portrait's own cards", 0, c.MAX_WITNESS)
    hide_points: int = integer(2, "points for a kept secret", low=1, high=2)
    hide_limit: int = integer(1, "others that may name a keeper's secret before it is lost", low=0, high=c.MAX_LIMIT)
    answers: int = size("questions that each player has to answer beside the accusation", 0, c.MAX_ANSWERS)
    rounds: int = integer(5, "locations revealed, fewer than there are", low=1, high=c.MAX_LOCATIONS - 1)
    tokens: int = integer(2, "action tokens of a player", low=0, high=c.MAX_TOKENS)
    talk_rounds: int = integer(1, "turns to speak for everyone after each location", low=0, high=c.MAX_TALK)
    final_talk_rounds: int = integer(1, "the same in the final discussion", low=0, high=c.MAX_TALK)
    speech: str = option("full", "what can be said", SPEECHES)
    murderer_pool: str = option("played", "who can be the murderer", POOLS)
    npc_accused: str = option("players_only", "what it means to accuse whom nobody plays", NPC_ACCUSED)
    case: str | Mapping[str, Any] = parameter(
        GENERATED, "drawn anew each game, or written", a_case,
        '"generated", "dead_monkey", the path of a TOML file, or a dict',
    )  # fmt: skip
    characters: str | Sequence[str] = parameter(
        RANDOM, "who plays whom", random_or_list, '"random", or a portrait\'s key for each seat'
    )
    first_leader: str | int = parameter(RANDOM, "who has the Leader token first", random_or_seat, '"random", or a seat')
    win_points: int = integer(3, "points that win", low=1, high=c.MAX_POINTS)
    reward: str = option("win", "how the end is paid", PAID)

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> Self:
        """Checked parameters from keywords; a size is left out or an int, never None."""
        for name in keywords:
            if name in SIZES_OF_CASE and keywords[name] is None:
                fail(name, "an int, not None")
        return super().of(keywords)

    def check(self) -> None:
        """A case that can be dealt or read, for this number of players, with keys that it has."""
        if not isinstance(self.first_leader, str):
            an_int("first_leader", self.first_leader, 0, self.num_players - 1)
        if self.written is None:
            self.check_generated()
        else:
            self.check_written(self.written)
        if self.rounds >= self.terms.n_locations:
            fail("rounds", f"fewer than the {self.terms.n_locations} locations, so that a veto leaves a choice")
        _ = self.codes, self.cast  # which read `traits` and `characters`, and check them

    # Sizes

    def settle(self, name: str, default: int) -> int:
        """A size that was left out takes its default; either is returned."""
        if getattr(self, name) is None:
            object.__setattr__(self, name, default)
        return int(getattr(self, name))

    def check_generated(self) -> None:
        """The sizes of a generated case fit together.

        Different traits for all, so that facts can tell everybody apart; answers about questions that are neither the
        murder nor one's own secret, of which a player has at most one beside the murder.
        """
        n = self.num_players
        portraits = self.settle("num_portraits", c.MAX_SEATS if n + c.MAX_OUT >= c.MAX_SEATS else n)
        if not n <= portraits <= n + c.MAX_OUT:
            most = min(c.MAX_SEATS, n + c.MAX_OUT)
            fail("num_portraits", f"{n} to {most} with {n} players, not {portraits}")
        people = portraits + self.settle("num_extras", 2)
        questions = self.settle("num_questions", c.MAX_QUESTIONS)
        traits = self.settle("num_traits", 4)
        if people > 2**traits:
            fail("num_traits", f"{traits} traits cannot tell {people} characters apart")
        self.check_locations(questions, traits)
        self.settle("witness_facts", 1)
        answers = self.settle("answers", c.MAX_ANSWERS)
        if answers > max(0, questions - 2):
            fail("answers", f"at most {max(0, questions - 2)} with {questions} questions, not {answers}")
        offered = c.BASE_POINTS + answers if answers else c.BASE_POINTS_ALONE
        if self.win_points > offered:
            fail("win_points", f"at most {offered}, what a card without a secret offers")

    def check_locations(self, questions: int, traits: int) -> None:
        """Each pair of a question and a trait fits on a location or a card; each location has one of its theme.

        A location has room for two facts, or for one and a card that has room for another: two a location in all.
        """
        places = self.settle("num_locations", c.MAX_LOCATIONS)
        if not places <= questions * traits <= 2 * places:
            fail("num_locations", f"no more than {questions} questions x {traits} traits, and at least half as many")
        if questions == 1:
            if self.settle("murder_locations", places) != places:
                fail("murder_locations", f"all {places} where there is one question")
        else:
            murder = self.settle("murder_locations", max(0, places - (questions - 1) * traits))
            an_int("murder_locations", murder, 0, min(places, traits))
            if math.ceil((places - murder) / (questions - 1)) > traits:
                fail("num_locations", f"{places - murder} do not fit {questions - 1} questions of {traits} traits each")
        if self.settle("num_secrets", len(c.HANDED)) > places:
            fail("num_secrets", f"at most one a location: {places}")

    def check_written(self, written: Case) -> None:
        """The sizes are those of the written case."""
        for name, read in SIZES_OF_CASE.items():
            there = read(written.terms)
            if self.settle(name, there) != there:
                fail(name, f"{there} in this case, not {getattr(self, name)}")

    # What follows from the parameters

    @functools.cached_property
    def written(self) -> Case | None:
        """The written case, if it is one."""
        if isinstance(self.case, str) and self.case == GENERATED:
            return None
        return read_case(self.case, self.num_players, self.murderer_pool, self.win_points)

    @functools.cached_property
    def terms(self) -> Terms:
        """Keys and sizes of the case; a generated one has the keys c0, q0, t0 and so on."""
        if self.written:
            return self.written.terms
        return Terms(
            questions=tuple(f"q{question}" for question in range(self.num_questions)),
            traits=tuple(f"t{trait}" for trait in range(self.num_traits)),
            people=tuple(f"c{person}" for person in range(self.num_portraits + self.num_extras)),
            n_portraits=self.num_portraits,
            n_locations=self.num_locations,
            n_secrets=self.num_secrets,
            n_murder_locations=self.murder_locations,
            n_answers=self.answers,
            n_witness=self.witness_facts,
            murderer_pool=self.murderer_pool,
        )

    @functools.cached_property
    def codes(self) -> list[int] | None:
        """Configured or written traits, as sets of bits; None: drawn."""
        if isinstance(self.traits, str):
            return self.written.contents.codes if self.written else None
        if self.written:
            fail("traits", "a written case has its own")
        codes = []
        for keys in a_list("traits", self.traits, len(self.terms.people)):
            traits = [self.terms.trait("traits", key) for key in a_list("traits", keys)]
            distinct("traits", traits)
            codes.append(set_of(traits))
        distinct("traits", codes)
        return codes

    @functools.cached_property
    def cast(self) -> list[int] | None:
        """Configured portraits by seat; None: drawn."""
        if isinstance(self.characters, str):
            return None
        keys = a_list("characters", self.characters, self.num_players)
        cast = [self.terms.portrait("characters", key) for key in keys]
        distinct("characters", keys)
        for portrait in cast:
            if portrait not in self.in_play:
                fail("characters", f"{self.terms.people[portrait]} is out with {self.num_players} players")
        return cast

    @property
    def in_play(self) -> list[int]:
        """The portraits that can be played by so many; in a generated case all.

        Of a written case card 05 says who is out with two players fewer than portraits, card 06 with one.
        """
        out = self.written.contents.out if self.written else []
        return [portrait for portrait in range(self.terms.n_portraits) if portrait not in out]

    @property
    def n_out(self) -> int:
        """How many portraits nobody plays."""
        return self.terms.n_portraits - self.num_players

    @property
    def sizes(self) -> m.Sizes:
        """What action ids and layouts depend on."""
        terms = self.terms
        return m.Sizes(
            seats=self.num_players,
            portraits=terms.n_portraits,
            people=len(terms.people),
            questions=len(terms.questions),
            traits=len(terms.traits),
            locations=terms.n_locations,
        )


SIZES_OF_CASE = {
    "num_portraits": lambda terms: terms.n_portraits,
    "num_extras": lambda terms: len(terms.people) - terms.n_portraits,
    "num_questions": lambda terms: len(terms.questions),
    "num_traits": lambda terms: len(terms.traits),
    "num_locations": lambda terms: terms.n_locations,
    "murder_locations": lambda terms: terms.n_murder_locations,
    "num_secrets": lambda terms: terms.n_secrets,
    "witness_facts": lambda terms: terms.n_witness,
    "answers": lambda terms: terms.n_answers,
}
"""Parameters that a written case decides."""


# -- The rules record -------------------------------------------------------------------------------------------------


def make_rules(config: Config) -> np.ndarray:
    """The Rules record (array of one) of a configuration."""
    rules = Rules.from_config(config)
    terms, sizes = config.terms, config.sizes
    for name, n in sizes._asdict().items():
        rules[f"n_{name}"] = n
    rules["n_facts"] = sizes.facts
    rules["handed"] = set_of(terms.handed)
    rules["in_play"] = set_of(config.in_play)
    rules["setup_cards"] = set_of(c.SETUP_CARDS[config.n_out])
    for question in range(sizes.questions):
        pool = (1 << terms.pool(question, sizes.seats)) - 1
        rules["pool"][0, question] = pool
        rules["cap"][0, question] = terms.cap(question, sizes.seats)
        rules["suspects"] |= np.uint64(pool << question * sizes.people)
    rules["leads_first"] = NO_SEAT if isinstance(config.first_leader, str) else config.first_leader
    if config.cast is not None:
        rules["has_cast"] = 1
        rules["cast"][0, : sizes.seats] = config.cast
    if config.codes is not None:
        rules["has_codes"] = 1
        rules["codes"][0, : sizes.people] = config.codes
    if config.written:
        contents = config.written.contents
        rules["is_written"] = 1
        write_contents(rules[0], contents, range(sizes.people))
        for card, portrait in contents.to.items():
            rules["given_to"][0, card - c.FIRST_SETUP_CARD] = portrait
    write_starts(rules, sizes)
    write_offers(rules, config)
    write_blocks(rules, config)
    return rules


def write_contents(record: Any, contents: Contents, place: Sequence[int]) -> None:
    """What the cards of a case say, packed, into a record of rules or of a state.

    Args:
        record: `rules[0]`, which keeps a written case by the numbers of its characters, or `states[0]`, in which people
            are counted by place.
        place: character -> its number in the record.
    """

    def clearing(facts: list[Fact]) -> list[int]:
        return [pack_clearing(fact.question, place[fact.subject]) for fact in facts]

    def about_traits(facts: list[Fact]) -> list[int]:
        return [pack_trait_fact(fact.question, fact.subject, fact.kind == c.LACKS) for fact in facts]

    for name in ("facts", "secret", "clears", "story", "objectives"):
        record[name] = 0
    record["solution"][: len(contents.solution)] = [place[answer] for answer in contents.solution]
    for k, location in enumerate(contents.places):
        record["theme"][k], record["hands"][k] = location.theme, location.hands
        record["facts"][k, : len(location.facts)] = about_traits(location.facts)
    for card, facts in contents.secrets.items():
        if card >= c.FIRST_SETUP_CARD:
            record["clears"][card - c.FIRST_SETUP_CARD, : len(facts)] = clearing(facts)
        elif facts:
            record["secret"][card] = about_traits(facts)[0]
    for portrait, (story, objectives) in enumerate(zip(contents.stories, contents.objectives, strict=True)):
        record["story"][place[portrait], : len(story)] = clearing(story)
        record["objectives"][place[portrait], : len(objectives)] = [
            pack_objective(*objective) for objective in objectives
        ]


def write_starts(rules: np.ndarray, sizes: m.Sizes) -> None:
    """Where the blocks of actions, observation and state vector begin."""
    for block, start in m.actions_of(sizes).starts.items():
        rules[f"do_{block}"] = start
    for prefix, layout in (("obs", observation_of(sizes)), ("world", world_of(sizes))):
        for block in layout:
            rules[f"{prefix}_{block}"] = layout.start(block)


def write_offers(rules: np.ndarray, config: Config) -> None:
    """The legal sets, or parts of them, that depend on the phase alone: see `play.legal`.

    Any statement can be made, true or false, also about oneself; any character can be suspected, accused and named in
    an answer. A place, a Leader and a card depend on the position.
    """
    sizes = config.sizes
    starts = m.actions_of(sizes).starts

    def offer(row: int, *blocks: tuple[str, int, int]) -> None:
        """Let a row have some blocks of actions: name, first of them, how many."""
        for name, first, n in blocks:
            for action in range(starts[name] + first, starts[name] + first + n):
                rules["offers"][0, row, action // 64] |= np.uint64(1 << action % 64)

    for phase in (m.PHASE.veto_location, m.PHASE.veto_leader):
        offer(phase, ("pass", 0, 1), ("veto", 0, 1))
    for row in (m.PHASE.talk, m.PHASE.reply, OFFER_SILENT):
        offer(row, ("pass", 0, 1))
    offer(m.PHASE.talk, ("suspect", 0, sizes.people))
    if config.speech == m.SPEECHES[m.SPEECH.full]:
        offer(m.PHASE.talk, ("say", 0, sizes.questions * sizes.facts), ("ask", 0, (sizes.seats - 1) * sizes.questions))
    for question in range(sizes.questions):
        offer(OFFER_REPLY + question, ("pass", 0, 1), ("say", question * sizes.facts, sizes.facts))
    offer(m.PHASE.accuse, ("accuse", 0, sizes.people))
    offer(m.PHASE.answer, ("answer", 0, sizes.people))


def write_blocks(rules: np.ndarray, config: Config) -> None:
    """Parts of an observation that never change, and the sets that turn people round for a looker.

    Seen from a seat, people at places before it come after all others of the game: see `state.seen_groups`.
    """
    terms, sizes = config.terms, config.sizes
    in_play = (*terms.handed, *c.SETUP_CARDS[config.n_out])
    stack = bytes(0 if card in in_play else 0xFF for card in range(1, c.N_CARDS + 1)).ljust(16, b"\0")
    rules["stack"], rules["stack_on"] = np.frombuffer(stack, np.uint64)
    kind_of = [0] * sizes.seats + [1] * config.n_out + [2] * (sizes.people - sizes.portraits)
    rules["kinds"] = set_of(3 * place + kind for place, kind in enumerate(kind_of))

    def of_each_question(first: int, stop: int) -> int:
        """The people at some places, for every question."""
        return set_of(q * sizes.people + place for q in range(sizes.questions) for place in range(first, stop))

    rules["unplayed"] = of_each_question(sizes.seats, sizes.people)
    for seat in range(sizes.seats):
        rules["before"][0, seat] = of_each_question(0, seat)
        rules["after"][0, seat] = of_each_question(seat, sizes.seats)
