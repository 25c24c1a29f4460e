"""What a table may choose before play, the records of a game in progress, and the set-up: a case is copied or drawn."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from murder_envs.core.bits import bit, full, has, kth, lowest, popcount, wipe
from murder_envs.core.checks import a_choice, a_list, an_int, distinct, fail, known_only
from murder_envs.core.jit import kernel, records
from murder_envs.core.rng import Randomness, below, seed_rng, shuffle
from murder_envs.core.tables import Actions, Layout
from murder_envs.games.my_murder_mystery.cards import (
    ACCUSE,
    ANSWER,
    CLEARS_A_CARD,
    FIRST_SETUP_CARD,
    HANDED,
    HIDE,
    LACKS,
    MAX_ANSWERS,
    MAX_EXTRAS,
    MAX_LIMIT,
    MAX_LOCATIONS,
    MAX_OBJECTIVES,
    MAX_OUT,
    MAX_PEOPLE,
    MAX_POINTS,
    MAX_QUESTIONS,
    MAX_SEATS,
    MAX_TALK,
    MAX_TOKENS,
    MAX_TRAITS,
    MAX_WITNESS,
    MIN_SEATS,
    MURDER,
    N_CARDS,
    N_SETUP_CARDS,
    NO_OBJECTIVE,
    NONE,
    SETUP_CARDS,
    SETUP_POOL,
)
from murder_envs.games.my_murder_mystery.case import N_QUESTIONS, Case, Contents, Fact, Objective, Terms, read_case
from murder_envs.games.my_murder_mystery.moves import (
    ACCUSE_PHASE,
    ANSWER_PHASE,
    NO_SEAT,
    NOBODY,
    NPC_ACCUSED,
    PASS,
    PHASES,
    POOL,
    POOL_ALL,
    REPLY,
    REWARD,
    SPEECH,
    SPEECH_FULL,
    STARTS,
    TALK,
    VETO,
    VETO_LEADER,
    VETO_LOCATION,
    Sizes,
)

GENERATED = "generated"
RANDOM = "random"
FROM_CASE = (
    "num_portraits", "num_extras", "num_questions", "num_traits", "num_locations", "murder_locations", "num_secrets",
    "witness_facts", "answers",
)  # fmt: skip
"""Parameters that a written case decides."""


@dataclass
class Config:
    """Parameters of a game, all keyword-only; ValueError begins with the name of a wrong one.

    None stands for what the page says: sizes of the full game, or those of the written case.

    Attributes:
        num_players: seats, 3..7; the rulebook's game is for 5, 6 or 7.
        num_portraits: characters that can be played, num_players..num_players+2, at most 7.
        num_extras: further characters that nobody plays, 0..3.
        num_questions: 1, 3 or 4; question 0 is the murder.
        num_traits: public traits, 2..5.
        traits: "random", or a list of trait keys for each character (generated cases only).
        num_locations: 2..8.
        murder_locations: locations whose front points at the murder.
        num_secrets: top secret cards handed out by locations, 0..6.
        witness_facts: clearing facts on each portrait's own cards, 0..6.
        hide_points: points for a kept secret, 1 or 2.
        hide_limit: others that may name a keeper's secret before it is lost, 0..6.
        answers: questions that each player has to answer beside the accusation, 0..2.
        rounds: locations revealed, 1..7, fewer than there are.
        tokens: action tokens a player, 0..3.
        talk_rounds, final_talk_rounds: turns to speak after each location, and in the final discussion, 0..3.
        speech: "full", or "suspect": suspicions and nothing else.
        murderer_pool: "portraits" or "all": who can be the murderer.
        npc_accused: "spared" or "players_only": what a non-player as the most accused means.
        case: "generated", "dead_monkey", the path of a TOML file, or a dict.
        characters: "random", or a portrait's key for each seat.
        first_leader: "random", or a seat.
        win_points: points that win, 1..6.
        reward: "win", "points" or "zero_sum".
    """

    num_players: int = 7
    num_portraits: int | None = None
    num_extras: int | None = None
    num_questions: int | None = None
    num_traits: int | None = None
    traits: str | Sequence[Sequence[str]] = RANDOM
    num_locations: int | None = None
    murder_locations: int | None = None
    num_secrets: int | None = None
    witness_facts: int | None = None
    hide_points: int = 2
    hide_limit: int = 1
    answers: int | None = None
    rounds: int = 5
    tokens: int = 2
    talk_rounds: int = 1
    final_talk_rounds: int = 1
    speech: str = "full"
    murderer_pool: str = "portraits"
    npc_accused: str = "spared"
    case: str | os.PathLike[str] | Mapping[str, Any] = GENERATED
    characters: str | Sequence[str] = RANDOM
    first_leader: str | int = RANDOM
    win_points: int = 3
    reward: str = "win"

    def __post_init__(self) -> None:
        self.written: Case | None = None
        if isinstance(self.case, os.PathLike):
            self.case = os.fspath(self.case)
        n = an_int("num_players", self.num_players, MIN_SEATS, MAX_SEATS)
        an_int("hide_points", self.hide_points, 1, 2)
        an_int("hide_limit", self.hide_limit, 0, MAX_LIMIT)
        an_int("rounds", self.rounds, 1, MAX_LOCATIONS - 1)
        an_int("tokens", self.tokens, 0, MAX_TOKENS)
        an_int("talk_rounds", self.talk_rounds, 0, MAX_TALK)
        an_int("final_talk_rounds", self.final_talk_rounds, 0, MAX_TALK)
        a_choice("speech", self.speech, SPEECH)
        a_choice("murderer_pool", self.murderer_pool, POOL)
        a_choice("npc_accused", self.npc_accused, NPC_ACCUSED)
        if self.first_leader != RANDOM or isinstance(self.first_leader, bool):
            an_int("first_leader", self.first_leader, 0, n - 1)
        an_int("win_points", self.win_points, 1, MAX_POINTS)
        a_choice("reward", self.reward, REWARD)
        if self.case == GENERATED:
            self.size_generated()
            self.terms = self.generated_terms()
        else:
            self.size_written()
        if self.rounds >= self.terms.n_locations:
            fail("rounds", f"fewer than the {self.terms.n_locations} locations, so that a veto leaves a choice")
        self.codes = self.read_traits()
        self.cast = self.read_characters()

    # Sizes

    def take(self, name: str, default: int, low: int, high: int) -> int:
        """A size: as given, or the default."""
        if getattr(self, name) is None:
            setattr(self, name, default)
        return an_int(name, getattr(self, name), low, high)

    def size_generated(self) -> None:
        """The sizes of generated cases."""
        n = self.num_players
        portraits = self.take("num_portraits", MAX_SEATS if n + MAX_OUT >= MAX_SEATS else n, MIN_SEATS, MAX_SEATS)
        if not n <= portraits <= n + MAX_OUT:
            fail("num_portraits", f"{n} to {min(MAX_SEATS, n + MAX_OUT)} with {n} players, not {portraits}")
        people = portraits + self.take("num_extras", 2, 0, MAX_EXTRAS)
        questions = self.take("num_questions", 4, min(N_QUESTIONS), max(N_QUESTIONS))
        if questions not in N_QUESTIONS:
            fail("num_questions", f"one of {N_QUESTIONS}, not {questions}")
        traits = self.take("num_traits", 4, 2, MAX_TRAITS)
        if people > 2**traits:
            fail("num_traits", f"{traits} traits cannot tell {people} characters apart")
        places = self.take("num_locations", 8, 2, MAX_LOCATIONS)
        if not places <= questions * traits <= 2 * places:
            fail("num_locations", f"no more than {questions} questions x {traits} traits, and at least half as many")
        if questions == 1:
            if self.take("murder_locations", places, 0, min(places, traits)) != places:
                fail("murder_locations", f"all {places} where there is one question")
        else:
            fewest = max(0, places - (questions - 1) * traits)
            murder = self.take("murder_locations", fewest, 0, min(places, traits))
            if math.ceil((places - murder) / (questions - 1)) > traits:
                fail("num_locations", f"{places - murder} do not fit {questions - 1} questions of {traits} traits each")
        secrets = self.take("num_secrets", len(HANDED), 0, len(HANDED))
        if secrets > places:
            fail("num_secrets", f"at most one a location: {places}")
        self.take("witness_facts", 1, 0, MAX_WITNESS)
        answers = self.take("answers", MAX_ANSWERS, 0, MAX_ANSWERS)
        if answers > max(0, questions - 2):
            fail("answers", f"at most {max(0, questions - 2)} with {questions} questions, not {answers}")
        offered = fewest_points(answers)
        if self.win_points > offered:
            fail("win_points", f"at most {offered}, what a card without a secret offers")

    def generated_terms(self) -> Terms:
        """Keys of a generated case: c0, q0, t0 and so on."""
        return Terms(
            tuple(f"q{q}" for q in range(self.size("num_questions"))),
            tuple(f"t{t}" for t in range(self.size("num_traits"))),
            tuple(f"c{c}" for c in range(self.size("num_portraits") + self.size("num_extras"))),
            self.size("num_portraits"),
            self.size("num_locations"),
            self.size("num_secrets"),
            self.size("murder_locations"),
            self.size("answers"),
            self.size("witness_facts"),
            self.murderer_pool == POOL[POOL_ALL],
        )

    def size(self, name: str) -> int:
        """A size that is an int by now."""
        return int(getattr(self, name))

    def size_written(self) -> None:
        """Read the written case, whose sizes count."""
        written = self.written = read_case(self.case, self.murderer_pool == POOL[POOL_ALL], self.win_points)
        terms = self.terms = written.terms
        sizes = (
            terms.n_portraits, len(terms.people) - terms.n_portraits, len(terms.questions), len(terms.traits),
            terms.n_locations, terms.n_murder_locations, terms.n_secrets, terms.n_witness, terms.n_answers,
        )  # fmt: skip
        for name, size in zip(FROM_CASE, sizes, strict=True):
            self.take(name, size, 0, MAX_PEOPLE)
            if getattr(self, name) != size:
                fail(name, f"{size} in this case, not {getattr(self, name)}")
        n_out = terms.n_portraits - self.num_players
        if not 0 <= n_out <= MAX_OUT or (n_out and n_out not in written.contents.out):
            fail("num_players", f"this case has no cards for {self.num_players} players")

    # Lists of keys

    def read_traits(self) -> list[int] | None:
        """Configured traits as sets of bits, or None."""
        if isinstance(self.traits, str):
            a_choice("traits", self.traits, (RANDOM,))
            return None
        if self.written:
            fail("traits", "a written case has its own")
        codes = []
        for its in a_list("traits", self.traits, len(self.terms.people)):
            traits = [self.terms.trait("traits", key) for key in a_list("traits", its)]
            distinct("traits", traits)
            codes.append(sum(1 << trait for trait in traits))
        distinct("traits", codes)
        return codes

    def read_characters(self) -> list[int] | None:
        """Configured portraits by seat, or None."""
        if isinstance(self.characters, str):
            a_choice("characters", self.characters, (RANDOM,))
            return None
        keys = a_list("characters", self.characters, self.num_players)
        cast = [self.terms.portrait("characters", key) for key in keys]
        distinct("characters", keys)
        if self.written:
            for portrait in cast:
                if portrait not in self.in_play():
                    fail("characters", f"{self.terms.people[portrait]} is out with {self.num_players} players")
        return cast

    def in_play(self) -> list[int]:
        """The portraits in play of a written case."""
        assert self.written
        out = self.written.contents.out.get(self.terms.n_portraits - self.num_players, [])
        return [portrait for portrait in range(self.terms.n_portraits) if portrait not in out]


def fewest_points(answers: int) -> int:
    """What an objectives card of a generated case without a secret offers."""
    return BASE_POINTS + answers if answers else BASE_POINTS_ALONE


BASE_POINTS, BASE_POINTS_ALONE = 2, 3
"""Points for the accusation in a generated case, with `answer` objectives beside it and without."""


def make_config(given: dict[str, Any]) -> Config:
    """A checked Config from keywords; ValueError names an unknown one."""
    known_only(given, [field.name for field in fields(Config)], "parameter")
    for name in FROM_CASE:
        if name in given and given[name] is None:
            fail(name, "an int, not None")
    return Config(**given)


def config_dict(config: Config) -> dict[str, Any]:
    """All parameters as plain values."""
    return {name: as_lists(x) for name, x in asdict(config).items()}


def as_lists(value: Any) -> Any:
    """Lists for tuples."""
    return [as_lists(x) for x in value] if isinstance(value, (list, tuple)) else value


# -- Records ----------------------------------------------------------------------------------------------------------

# Rows of RULES.offers after those of the phases: a silent talk turn, and replies by question.
OFFER_SILENT = len(PHASES)
OFFER_REPLY = OFFER_SILENT + 1
N_OFFERS = OFFER_REPLY + MAX_QUESTIONS
N_WORDS = 4

OBSERVATION_BLOCKS = (
    "phase", "to_act", "players", "round", "leader", "tokens", "chosen", "vetoed_location", "nominee", "vetoed_leader",
    "talk", "question", "traits", "kind", "theme", "location", "location_facts", "card_state", "card_read",
    "card_facts", "card_clears", "role", "story", "objective_accuse", "objective_answer", "objective_hide",
    "known_traits", "candidates", "claims_who", "claims_trait", "suspicions", "accusation", "answers", "accusations",
    "accused", "eliminated", "events",
)  # fmt: skip
WORLD_BLOCKS = (
    "phase", "to_act", "players", "round", "leader", "tokens", "chosen", "vetoed_location", "nominee", "vetoed_leader",
    "talk", "question", "traits", "kind", "theme", "location", "cast", "solution", "location_backs", "location_hands",
    "card_state", "card_read", "card_backs", "card_clears", "stories", "objectives", "claims_who", "claims_trait",
    "suspicions", "accusations", "answers", "accused", "eliminated", "events",
)  # fmt: skip

RULES = np.dtype(
    [
        # sizes
        ("n_seats", np.int64),  # n, 3..7
        ("n_portraits", np.int64),  # N, n..n+2
        ("n_people", np.int64),  # C
        ("n_questions", np.int64),  # Q
        ("n_traits", np.int64),  # T
        ("n_locations", np.int64),  # L
        ("n_murder_locations", np.int64),  # m
        ("n_witness", np.int64),  # w
        ("n_answers", np.int64),  # A
        ("n_rounds", np.int64),
        ("n_tokens", np.int64),
        ("n_talk_rounds", np.int64),
        ("n_final_rounds", np.int64),
        # the box
        ("handed", np.uint64),  # set of cards that locations hand out
        ("setup_cards", np.uint64),  # set of cards given to players before play
        ("pool", np.uint64, (MAX_QUESTIONS,)),  # set of places of people who can be the answer
        ("cap", np.int64, (MAX_QUESTIONS,)),  # facts about one question that a portrait's own cards may have
        ("suspects", np.uint64),  # all pools, as a set of (question, person)
        # choices
        ("hide_points", np.int64),
        ("hide_limit", np.int64),
        ("npc_accused", np.int64),  # NPC_*
        ("win_points", np.int64),
        ("reward", np.int64),  # REWARD_*
        ("first_leader", np.int64),  # a seat, or NO_SEAT: drawn
        ("has_cast", np.int64),  # 1: who sits where is configured
        ("cast", np.int64, (MAX_SEATS,)),  # the portrait of each seat, if so
        ("has_traits", np.int64),  # 1: traits are configured or written
        ("codes", np.uint64, (MAX_PEOPLE,)),  # set of traits of each character, if so
        # the written case, by characters in its order; for `deal` alone
        ("is_written", np.int64),
        ("in_play", np.uint64),  # set of portraits that are played
        ("solution", np.int64, (MAX_QUESTIONS,)),
        ("theme", np.int64, (MAX_LOCATIONS,)),
        ("facts", np.int64, (MAX_LOCATIONS, 2)),  # as in STATE
        ("hands", np.int64, (MAX_LOCATIONS,)),
        ("secrets", np.int64, (N_CARDS + 1,)),  # as in STATE
        ("clears", np.int64, (N_SETUP_CARDS, CLEARS_A_CARD)),  # as in STATE, by character
        ("given_to", np.int64, (N_SETUP_CARDS,)),  # a portrait
        ("story", np.int64, (MAX_SEATS, MAX_WITNESS)),  # as in STATE, by character
        ("objectives", np.int64, (MAX_SEATS, MAX_OBJECTIVES)),  # as in STATE
        # ids of the first actions of the blocks, and legal sets that depend on the phase alone
        *[(f"do_{block}", np.int64) for block in STARTS],
        ("n_facts", np.int64),  # facts about one question: 2C + 2T
        ("offers", np.uint64, (N_OFFERS, N_WORDS)),  # by phase, then OFFER_*
        # where the blocks of observation and state vector start
        *[(f"obs_{block}", np.int64) for block in OBSERVATION_BLOCKS],
        *[(f"world_{block}", np.int64) for block in WORLD_BLOCKS],
        ("kinds", np.uint64),  # the block `kind` as bits, by place
        ("stack", np.uint64),  # the block `card_state` with all cards in the stack, as bytes: cards 1 to 8
        ("stack_on", np.uint64),  # cards 9 and so on
        # sets of (question, person) seen from seat s: persons who come before it, after it, and are not played
        ("before", np.uint64, (MAX_SEATS,)),
        ("after", np.uint64, (MAX_SEATS,)),
        ("unplayed", np.uint64),
    ],
    align=True,
)

N_EVENTS, EVENT_BYTES = 32, 5

STATE = np.dtype(
    [
        # who is who; people are counted by place (see moves.py)
        ("person", np.uint8, (MAX_PEOPLE,)),  # at each place, the character's number in the case
        ("place", np.uint8, (MAX_PEOPLE,)),  # of each character, its place
        ("traits", np.uint64),  # set of (place, trait): bit place * T + trait
        ("bearers", np.uint64, (MAX_TRAITS,)),  # set of people who have a trait
        ("solution", np.uint8, (MAX_QUESTIONS,)),  # the answer to each question
        # locations 1..L at index 0..L-1
        ("theme", np.uint8, (MAX_LOCATIONS,)),  # the question on its front
        ("fronts", np.uint64),  # the same as a set of (location, question): bit location * Q + question
        ("facts", np.uint8, (MAX_LOCATIONS, 2)),  # 0: none, else 1 + question << 4 | trait << 1 | lacks
        ("hands", np.uint8, (MAX_LOCATIONS,)),  # card handed out, or 0
        ("order", np.uint8, (MAX_LOCATIONS,)),  # revealed as the k-th, from 1; 0: not yet
        ("revealed", np.uint64),  # set of revealed locations, bit 0 for location 1
        # top secret cards, by number
        ("secret", np.uint8, (N_CARDS + 1,)),  # fact of a handed card, as in `facts`
        ("clears", np.uint8, (N_SETUP_CARDS, CLEARS_A_CARD)),  # of a setup card: 0 or 1 + question << 4 | place
        ("holder", np.int8, (N_CARDS + 1,)),  # seat before which the card lies, or NO_SEAT
        ("readers", np.uint8, (N_CARDS + 1,)),  # set of seats that have read it
        ("cards_of", np.uint64, (MAX_SEATS,)),  # set of cards that lie before a seat
        ("laid_out", np.uint64),  # set of cards that lie before any seat
        # character cards, by place of the portrait
        ("story", np.uint8, (MAX_SEATS, MAX_WITNESS)),  # 0 or 1 + question << 4 | place, Story B first
        ("cleared", np.uint64, (MAX_SEATS,)),  # the same as a set of (question, person): bit question * C + place
        ("objectives", np.uint16, (MAX_SEATS, MAX_OBJECTIVES)),  # kind | question << 2 | points << 4 | limit << 7; or 0
        ("wants", np.uint64, (MAX_SEATS, 2)),  # the same as the observation has it, a byte a number: see `sum_up_cards`
        ("asked", np.uint8, (MAX_SEATS, MAX_ANSWERS)),  # questions of the `answer` objectives, in order
        # whose move
        ("phase", np.uint8),  # what is being asked: index in PHASES
        ("to_act", np.int8),  # seat asked; NO_SEAT when over
        ("round_n", np.uint8),  # 1..n_rounds
        ("leader", np.int8),  # seat
        ("tokens", np.uint8, (MAX_SEATS,)),
        ("chosen", np.uint8),  # location under veto now, or 0
        ("vetoed_location", np.uint8),  # location vetoed in this round, or 0
        ("nominee", np.int8),  # seat under veto now, or NO_SEAT
        ("vetoed_leader", np.int8),  # seat vetoed in this round, or NO_SEAT; until the token passes
        ("talk_round", np.uint8),  # finished rounds of this talk
        ("spoken", np.uint8),  # finished turns of this round of talk
        ("final", np.uint8),  # 1: the final discussion
        ("question", np.uint8),  # asked for a reply, or to be answered now; else 0
        # what was said, by seat
        ("claims_is", np.uint64, (MAX_SEATS,)),  # sets of (question, person): the latest statement
        ("claims_not", np.uint64, (MAX_SEATS,)),
        ("claims_has", np.uint64, (MAX_SEATS,)),  # sets of (question, trait): bit question * T + trait
        ("claims_lacks", np.uint64, (MAX_SEATS,)),
        ("suspicion", np.int8, (MAX_SEATS,)),  # a person or NOBODY
        # what was written, by seat
        ("accusation", np.int8, (MAX_SEATS,)),  # a person or NOBODY
        ("answers", np.int8, (MAX_SEATS, MAX_ANSWERS)),  # persons or NOBODY, in the order of `asked`
        ("accused", np.int8),  # at the end: the most accused, or NOBODY
        # what facts were shown: to all, and to one seat alone by its role, story and cards
        ("shown_has", np.uint64),  # sets of (question, trait)
        ("shown_lacks", np.uint64),
        ("shown_fits", np.uint64),  # set of (question, person) that these facts leave
        ("own_has", np.uint64, (MAX_SEATS,)),
        ("own_lacks", np.uint64, (MAX_SEATS,)),
        ("own_fits", np.uint64, (MAX_SEATS,)),
        # public events: a ring of kind, seat + 1, a, b, c, newest at events_at, each twice so that all lie in a row;
        # the sign bit is set where a byte counts seats or people from the one who looks; all 0: none
        ("events", np.uint8, (2 * N_EVENTS * EVENT_BYTES,)),
        ("events_at", np.uint8),
        *((name, field.dtype) for name, field in Randomness.fields.items()),
    ],
    align=True,
)


def make_rules(config: Config, actions: Actions, observation: Layout, world: Layout) -> np.ndarray:
    """The RULES record (array of one) of a configuration."""
    rules = records(RULES, 1)
    terms = config.terms
    n, n_people, n_questions = config.num_players, len(terms.people), len(terms.questions)
    n_out = terms.n_portraits - n
    rules["n_seats"] = n
    rules["n_portraits"] = terms.n_portraits
    rules["n_people"] = n_people
    rules["n_questions"] = n_questions
    rules["n_traits"] = len(terms.traits)
    rules["n_locations"] = terms.n_locations
    rules["n_murder_locations"] = terms.n_murder_locations
    rules["n_witness"] = terms.n_witness
    rules["n_answers"] = terms.n_answers
    rules["n_rounds"] = config.rounds
    rules["n_tokens"] = config.tokens
    rules["n_talk_rounds"] = config.talk_rounds
    rules["n_final_rounds"] = config.final_talk_rounds
    rules["handed"] = as_set(terms.handed)
    rules["setup_cards"] = as_set(SETUP_CARDS[n_out])
    for q in range(n_questions):
        rules["pool"][0, q] = (1 << terms.pool(q)) - 1
        rules["cap"][0, q] = terms.cap(q)
    rules["suspects"] = sum(((1 << terms.pool(q)) - 1) << q * n_people for q in range(n_questions))
    rules["hide_points"] = config.hide_points
    rules["hide_limit"] = config.hide_limit
    rules["npc_accused"] = NPC_ACCUSED.index(config.npc_accused)
    rules["win_points"] = config.win_points
    rules["reward"] = REWARD.index(config.reward)
    rules["first_leader"] = NO_SEAT if isinstance(config.first_leader, str) else config.first_leader
    if config.cast is not None:
        rules["has_cast"] = 1
        rules["cast"][0, :n] = config.cast
    if config.codes is not None:
        rules["has_traits"] = 1
        rules["codes"][0, :n_people] = config.codes
    if config.written:
        write_case(rules, config.written.contents, as_set(config.in_play()))
    for block in STARTS:
        rules[f"do_{block}"] = actions.starts[block]
    rules["n_facts"] = 2 * n_people + 2 * len(terms.traits)
    write_offers(rules, sizes_of(config), actions, config.speech == SPEECH[SPEECH_FULL])
    for block in OBSERVATION_BLOCKS:
        rules[f"obs_{block}"] = observation.start(block)
    for block in WORLD_BLOCKS:
        rules[f"world_{block}"] = world.start(block)
    in_play = (*terms.handed, *SETUP_CARDS[n_out])
    stack = bytes(0 if card in in_play else 0xFF for card in range(1, N_CARDS + 1)).ljust(16, b"\0")
    rules["stack"], rules["stack_on"] = (int.from_bytes(part, "little") for part in (stack[:8], stack[8:]))
    kind_of = [0] * n + [1] * n_out + [2] * (n_people - terms.n_portraits)
    rules["kinds"] = as_set(3 * place + kind for place, kind in enumerate(kind_of))
    for q in range(n_questions):
        rules["unplayed"] |= np.uint64(((1 << n_people) - (1 << n)) << q * n_people)
        for seat in range(n):
            rules["before"][0, seat] |= np.uint64(((1 << seat) - 1) << q * n_people)
            rules["after"][0, seat] |= np.uint64(((1 << n) - (1 << seat)) << q * n_people)
    return rules


def sizes_of(config: Config) -> Sizes:
    """What ids and layouts depend on."""
    terms = config.terms
    sizes = (terms.n_portraits, len(terms.people), len(terms.questions), len(terms.traits), terms.n_locations)
    return Sizes(config.num_players, *sizes)


def as_set(numbers: Any) -> int:
    """A set as bits."""
    return sum(1 << int(i) for i in numbers)


def write_offers(rules: np.ndarray, sizes: Sizes, actions: Actions, full_speech: bool) -> None:
    """The legal sets, or parts of them, that depend on the phase alone."""

    def offer(row: int, ids: Any) -> None:
        for action in ids:
            rules["offers"][0, row, action // 64] |= np.uint64(1 << action % 64)

    def block(name: str, start: int, n: int) -> range:
        return range(actions.starts[name] + start, actions.starts[name] + start + n)

    everyone = sizes.people
    for row in (VETO_LOCATION, VETO_LEADER):
        offer(row, (PASS, VETO))
    for row in (TALK, REPLY, OFFER_SILENT):
        offer(row, (PASS,))
    offer(TALK, block("suspect", 0, everyone))
    if full_speech:
        offer(TALK, block("say", 0, sizes.questions * sizes.facts))
        offer(TALK, block("ask", 0, (sizes.seats - 1) * sizes.questions))
    for q in range(sizes.questions):
        offer(OFFER_REPLY + q, (PASS, *block("say", q * sizes.facts, sizes.facts)))
    offer(ACCUSE_PHASE, block("accuse", 0, everyone))
    offer(ANSWER_PHASE, block("answer", 0, everyone))


def trait_fact(fact: Fact) -> int:
    """A fact about a trait as STATE has it."""
    return 1 + (fact.question << 4 | fact.subject << 1 | (fact.kind == LACKS))


def clearing_fact(fact: Fact, place: int) -> int:
    """A fact that clears a person, who is at a place, as STATE has it."""
    return 1 + (fact.question << 4 | place)


def packed_objective(objective: Objective) -> int:
    """An objective as STATE has it."""
    kind, question, limit, points = objective
    return kind | question << 2 | points << 4 | limit << 7


def write_case(rules: np.ndarray, its: Contents, in_play: int) -> None:
    """A written case, for `deal` to copy."""
    r = rules[0]
    r["is_written"] = 1
    r["in_play"] = in_play
    r["has_traits"] = 1
    r["codes"][: len(its.codes)] = its.codes
    r["solution"][: len(its.solution)] = its.solution
    for k, place in enumerate(its.places):
        r["theme"][k] = place.theme
        r["facts"][k, : len(place.facts)] = [trait_fact(fact) for fact in place.facts]
        r["hands"][k] = place.hands
    for card, facts in its.secrets.items():
        if card >= FIRST_SETUP_CARD:
            its_clears = [clearing_fact(fact, fact.subject) for fact in facts]
            r["clears"][card - FIRST_SETUP_CARD, : len(facts)] = its_clears
            r["given_to"][card - FIRST_SETUP_CARD] = its.to[card]
        elif facts:
            r["secrets"][card] = trait_fact(facts[0])
    for portrait, facts in enumerate(its.stories):
        r["story"][portrait, : len(facts)] = [clearing_fact(fact, fact.subject) for fact in facts]
        packed = [packed_objective(objective) for objective in its.objectives[portrait]]
        r["objectives"][portrait, : len(packed)] = packed


# -- What is packed, unpacked -----------------------------------------------------------------------------------------


@kernel
def fact_about(state, question, trait):
    """The fact that a card tells of a question and a trait: `has` or `lacks`, whichever is true."""
    lacks = 0 if has(state.bearers[trait], np.int64(state.solution[question])) else 1
    return 1 + (question << 4 | trait << 1 | lacks)


@kernel
def question_of(fact):
    """The question of a packed fact."""
    return (fact - 1) >> 4


@kernel
def subject_of(clearing):
    """The person whom a packed fact clears."""
    return (clearing - 1) & 15


# -- Setting Up the Crime Scene ---------------------------------------------------------------------------------------


@kernel
def clear(state):
    """An empty table; the random numbers are left alone."""
    rng, ways, listed = state.rng, state.rng_ways, state.rng_listed
    wipe(state)
    state.rng, state.rng_ways, state.rng_listed = rng, ways, listed
    for card in range(N_CARDS + 1):
        state.holder[card] = NO_SEAT
    for seat in range(MAX_SEATS):
        state.suspicion[seat] = NOBODY
        state.accusation[seat] = NOBODY
        for k in range(MAX_ANSWERS):
            state.answers[seat, k] = NOBODY
    state.accused = NOBODY
    state.nominee = NO_SEAT
    state.vetoed_leader = NO_SEAT


@kernel
def set_up(state, rules, seed):
    """Lay everything out and deal; what the players know of it comes later."""
    seed_rng(state, seed)
    clear(state)
    if rules.is_written != 0:
        draw_cast(state, rules, rules.in_play)
        lay_traits(state, rules)
        copy_case(state, rules)
    else:
        draw_cast(state, rules, full(rules.n_portraits))
        lay_traits(state, rules)
        draw_case(state, rules)
    for location in range(rules.n_locations):
        state.fronts |= bit(location * rules.n_questions + np.int64(state.theme[location]))
    for card in range(FIRST_SETUP_CARD, N_CARDS + 1):
        if state.holder[card] != NO_SEAT:
            state.readers[card] = bit(np.int64(state.holder[card]))
            state.cards_of[state.holder[card]] |= bit(card)
            state.laid_out |= bit(card)
    for seat in range(rules.n_seats):
        state.tokens[seat] = rules.n_tokens
    state.round_n = 1
    first = rules.first_leader
    state.leader = below(state, rules.n_seats) if first == NO_SEAT else first


@kernel
def seat_person(state, place, person):
    """Let a character be at a place."""
    state.person[place] = person
    state.place[person] = place


@kernel
def draw_cast(state, rules, portraits):
    """Step 3: who plays whom; those who are left are out, and the extras come last."""
    unplayed = full(rules.n_people)
    for seat in range(rules.n_seats):
        if rules.has_cast != 0:
            person = rules.cast[seat]
        else:
            person = kth(portraits, below(state, popcount(portraits)))
            portraits &= ~bit(person)
        seat_person(state, seat, person)
        unplayed &= ~bit(person)
    place = rules.n_seats
    while unplayed != NONE:
        seat_person(state, place, lowest(unplayed))
        unplayed &= unplayed - np.uint64(1)
        place += 1


@kernel
def lay_traits(state, rules):
    """Step 1: everybody's traits, no two alike."""
    n_codes = np.int64(1) << rules.n_traits
    unused = full(n_codes)
    for person in range(rules.n_people):
        if rules.has_traits != 0:
            code = rules.codes[person]
        else:
            code = np.uint64(kth(unused, below(state, n_codes - person)))
            unused &= ~bit(np.int64(code))
        place = np.int64(state.place[person])
        state.traits |= code << np.uint64(place * rules.n_traits)
        for trait in range(rules.n_traits):
            state.bearers[trait] |= ((code >> np.uint64(trait)) & np.uint64(1)) << np.uint64(place)


@kernel
def copy_case(state, rules):
    """A written case: its people are found by their places."""
    for question in range(rules.n_questions):
        state.solution[question] = state.place[rules.solution[question]]
    for location in range(rules.n_locations):
        state.theme[location] = rules.theme[location]
        state.hands[location] = rules.hands[location]
        for k in range(2):
            state.facts[location, k] = rules.facts[location, k]
    for card in range(N_CARDS + 1):
        state.secret[card] = rules.secrets[card]
    for card in range(FIRST_SETUP_CARD, N_CARDS + 1):
        if has(rules.setup_cards, card):
            for k in range(CLEARS_A_CARD):
                state.clears[card - FIRST_SETUP_CARD, k] = moved(state, rules.clears[card - FIRST_SETUP_CARD, k])
            state.holder[card] = state.place[rules.given_to[card - FIRST_SETUP_CARD]]
    for portrait in range(rules.n_portraits):
        place = np.int64(state.place[portrait])
        for k in range(MAX_WITNESS):
            state.story[place, k] = moved(state, rules.story[portrait, k])
        for k in range(MAX_OBJECTIVES):
            state.objectives[place, k] = rules.objectives[portrait, k]
        sum_up_cards(state, rules, place)


@kernel
def moved(state, clearing):
    """A fact that clears a character, as one that clears a place."""
    if clearing == 0:
        return clearing
    return 1 + (question_of(clearing) << 4 | np.int64(state.place[subject_of(clearing)]))


@kernel
def sum_up_cards(state, rules, portrait):
    """A portrait's story as a set; its objectives as numbers in a row: accuse, answer by question, hide and limit by
    question; and the questions that it has to answer."""
    cleared = NONE
    for k in range(MAX_WITNESS):
        clearing = np.int64(state.story[portrait, k])
        if clearing != 0:
            cleared |= bit(question_of(clearing) * rules.n_people + subject_of(clearing))
    state.cleared[portrait] = cleared
    state.wants[portrait, 0] = NONE
    state.wants[portrait, 1] = NONE
    n = 0
    for k in range(MAX_OBJECTIVES):
        its = np.int64(state.objectives[portrait, k])
        kind, question, points, limit = its & 3, its >> 2 & 3, its >> 4 & 7, its >> 7
        at = np.int64(0)
        if kind == ANSWER:
            state.asked[portrait, n] = question
            n += 1
            at = 1 + question
        elif kind == HIDE:
            at = 1 + rules.n_questions + 2 * question
            put_number(state, portrait, at + 1, limit)
        if kind != NO_OBJECTIVE:
            put_number(state, portrait, at, points)


@kernel
def put_number(state, portrait, at, number):
    """A byte of `wants`."""
    state.wants[portrait, at >> 3] |= np.uint64(number) << np.uint64(8 * (at & 7))


# -- The generator (the page's section 3.4) ---------------------------------------------------------------------------
# Traits and cast, steps 1 and 3, stand above: written cases share them. Draws are independent and uniform, so their
# order does not matter; the steps below that `redeal` shares take sets of what is still to be dealt.


@kernel
def draw_case(state, rules):
    """Steps 2 and 4 to 9."""
    draw_solution(state, rules)
    draw_themes(state, rules)
    places = full(rules.n_locations)
    hand_out(state, places, rules.handed)
    lay_facts(state, rules, places, rules.handed, full(rules.n_questions * rules.n_traits))
    for portrait in range(rules.n_portraits):
        draw_portrait(state, rules, portrait)
    give_setup_cards(state, rules)
    for card in range(FIRST_SETUP_CARD, N_CARDS + 1):
        if has(rules.setup_cards, card):
            draw_clears(state, rules, card)


@kernel
def draw_solution(state, rules):
    """Step 2: the murderer from its pool, the other answers different from each other."""
    state.solution[MURDER] = kth(rules.pool[MURDER], below(state, popcount(rules.pool[MURDER])))
    people = full(rules.n_people)
    for question in range(1, rules.n_questions):
        answer = kth(people, below(state, popcount(people)))
        state.solution[question] = answer
        people &= ~bit(answer)


@kernel
def draw_themes(state, rules):
    """Step 4: the murder on its number of fronts, the other questions in turn on the rest."""
    question = 1
    for location in range(rules.n_locations):
        if location < rules.n_murder_locations:
            state.theme[location] = MURDER
        else:
            state.theme[location] = question
            question += 1
            if question == rules.n_questions:
                question = 1
    shuffle(state, state.theme, 0, rules.n_locations)


@kernel
def hand_out(state, places, cards):
    """Step 5: each card to a location of its own; the other locations of the set hand out nothing."""
    left = places
    while left != NONE:
        state.hands[lowest(left)] = 0
        left &= left - np.uint64(1)
    while cards != NONE:
        location = kth(places, below(state, popcount(places)))
        state.hands[location] = lowest(cards)
        places &= ~bit(location)
        cards &= cards - np.uint64(1)


@kernel
def lay_facts(state, rules, places, cards, topics):
    """Step 6: a topic of its theme for each location; what is left over, padded with blanks, on the other slots."""
    n_traits = rules.n_traits
    left = places
    n_slots = popcount(cards)
    while left != NONE:
        location = lowest(left)
        left &= left - np.uint64(1)
        question = np.int64(state.theme[location])
        of_theme = (topics >> np.uint64(question * n_traits)) & full(n_traits)
        trait = kth(of_theme, below(state, popcount(of_theme)))
        topics &= ~bit(question * n_traits + trait)
        state.facts[location, 0] = fact_about(state, question, trait)
        state.facts[location, 1] = 0
        n_slots += state.hands[location] == 0
    n_left = popcount(topics)
    while n_slots > 0:
        k = below(state, n_slots)
        n_slots -= 1
        fact = np.int64(0)
        if k < n_left:
            topic = kth(topics, k)
            topics &= ~bit(topic)
            n_left -= 1
            question = np.int64(0)
            while topic >= n_traits:
                topic -= n_traits
                question += 1
            fact = fact_about(state, question, topic)
        if cards != NONE:
            state.secret[lowest(cards)] = fact
            cards &= cards - np.uint64(1)
        else:
            while state.hands[lowest(places)] != 0:
                places &= places - np.uint64(1)
            state.facts[lowest(places), 1] = fact
            places &= places - np.uint64(1)


@kernel
def draw_portrait(state, rules, portrait):
    """The own cards of a portrait."""
    draw_story(state, rules, portrait)
    draw_objectives(state, rules, portrait)
    sum_up_cards(state, rules, portrait)


@kernel
def draw_story(state, rules, portrait):
    """Step 7: clearing facts about others, few enough of each question."""
    cleared = NONE
    for k in range(MAX_WITNESS):
        state.story[portrait, k] = 0
    for k in range(rules.n_witness):
        questions = NONE
        for question in range(rules.n_questions):
            known = (cleared >> np.uint64(question * rules.n_people)) & full(rules.n_people)
            if popcount(known) < rules.cap[question]:
                questions |= bit(question)
        if questions == NONE:
            break
        question = kth(questions, below(state, popcount(questions)))
        known = (cleared >> np.uint64(question * rules.n_people)) & full(rules.n_people)
        others = rules.pool[question] & ~known & ~bit(portrait) & ~bit(np.int64(state.solution[question]))
        person = kth(others, below(state, popcount(others)))
        state.story[portrait, k] = 1 + (question << 4 | person)
        cleared |= bit(question * rules.n_people + person)


@kernel
def objective(kind, question, limit, points):
    """An objective, packed."""
    return kind | question << 2 | points << 4 | limit << 7


@kernel
def draw_objectives(state, rules, portrait):
    """Step 8: the accusation, or the murder to hide; answers to give; another secret to hide."""
    base = BASE_POINTS if rules.n_answers > 0 else BASE_POINTS_ALONE
    secret = 0
    for question in range(1, rules.n_questions):
        if state.solution[question] == portrait:
            secret = question
    for k in range(MAX_OBJECTIVES):
        state.objectives[portrait, k] = 0
    if state.solution[MURDER] == portrait:
        points = max(base, rules.hide_points + 1)
        state.objectives[portrait, 0] = objective(HIDE, MURDER, (rules.n_seats - 1) // 2, points)
    else:
        points = base + 1 - rules.hide_points if secret != 0 else base
        state.objectives[portrait, 0] = objective(ACCUSE, MURDER, 0, points)
    left = full(rules.n_questions) & ~bit(MURDER) & ~bit(secret)
    for _ in range(popcount(left) - rules.n_answers):
        left &= ~bit(kth(left, below(state, popcount(left))))
    for k in range(rules.n_answers):
        question = lowest(left)
        left &= left - np.uint64(1)
        state.objectives[portrait, 1 + k] = objective(ANSWER, question, 0, 1)
    if secret != 0:
        kept = objective(HIDE, secret, rules.hide_limit, rules.hide_points)
        state.objectives[portrait, 1 + rules.n_answers] = kept


@kernel
def give_setup_cards(state, rules):
    """Step 9: each setup card to another seat."""
    seats = full(rules.n_seats)
    for card in range(FIRST_SETUP_CARD, N_CARDS + 1):
        if has(rules.setup_cards, card):
            seat = kth(seats, below(state, popcount(seats)))
            state.holder[card] = seat
            seats &= ~bit(seat)


@kernel
def draw_clears(state, rules, card):
    """Step 9: clearing facts about different questions that have enough characters in their pools."""
    questions = NONE
    for question in range(rules.n_questions):
        if popcount(rules.pool[question]) >= SETUP_POOL:
            questions |= bit(question)
    for k in range(CLEARS_A_CARD):
        clearing = np.int64(0)
        if questions != NONE:
            question = kth(questions, below(state, popcount(questions)))
            questions &= ~bit(question)
            others = rules.pool[question] & ~bit(np.int64(state.solution[question]))
            clearing = 1 + (question << 4 | kth(others, below(state, popcount(others))))
        state.clears[card - FIRST_SETUP_CARD, k] = clearing
