"""A state as a plain dict in the terms of the rulebook, and back (the page's section 11)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import (
    a_bool,
    a_choice,
    a_list,
    a_text,
    an_int,
    distinct,
    fail,
    follows,
    ints,
    known_only,
)
from murder_envs.core.jit import entry, records
from murder_envs.games.my_murder_mystery.cards import (
    FIRST_SETUP_CARD,
    HAS,
    IS,
    KINDS,
    LACKS,
    MAX_OBJECTIVES,
    N_CARDS,
    NOT,
)
from murder_envs.games.my_murder_mystery.case import Contents, Fact, Objective, Place, Terms, check
from murder_envs.games.my_murder_mystery.deal import (
    EVENT_BYTES,
    N_EVENTS,
    STATE,
    clearing_fact,
    packed_objective,
    sum_up_cards,
    trait_fact,
)
from murder_envs.games.my_murder_mystery.moves import (
    EVENTS,
    NO_SEAT,
    NOBODY,
    PHASES,
    PLAYERS_ONLY,
)
from murder_envs.games.my_murder_mystery.play import deal, is_done, points_of, record_event, returns
from murder_envs.games.my_murder_mystery.view import show_the_start

FIELDS = (
    "traits", "answers", "characters", "out", "locations", "secrets", "stories", "objectives", "round", "leader",
    "phase", "to_act", "tokens", "revealed", "chosen", "vetoed_location", "nominee", "vetoed_leader", "talk_round",
    "spoken", "final", "question", "holders", "read", "claims", "suspicions", "events", "accusations", "written",
    "pointed", "accused", "eliminated", "points", "winners", "returns", "over",
)  # fmt: skip
PLACE_FIELDS = ("theme", "facts", "hands")
WRITING = ("accuse", "answer")
POINTED = ("tiebreak", "over")
LATE = (*WRITING, *POINTED)


@entry
def start_case(states, rules, seed):
    """A game before its first decision."""
    deal(states[0], rules[0], seed)


@entry
def go_on(states, rules):
    """What follows from the cards: portraits' own are summed up, and everybody reads what they have read."""
    for portrait in range(rules[0].n_portraits):
        sum_up_cards(states[0], rules[0], portrait)
    show_the_start(states[0], rules[0])


@entry
def enter_event(states, rules, kind, seat, a, b, c, counted):
    """A public event, from Python."""
    record_event(states[0], rules[0], kind, seat, a, b, c, counted)


@entry
def outcome_of(states, rules, done, points, out):
    """Which objectives are completed, the points, and what each seat is paid."""
    for seat in range(rules[0].n_seats):
        points[seat] = points_of(states[0], rules[0], seat)
        for k in range(MAX_OBJECTIVES):
            done[seat, k] = is_done(states[0], rules[0], seat, k)
    returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------------------------


def members(numbers: Any) -> list[int]:
    """A set as a list, ascending."""
    return [i for i in range(64) if int(numbers) >> i & 1]


def has_ended(state: np.ndarray) -> bool:
    """Has the game ended?"""
    return PHASES[state[0]["phase"]] == "over"


class Reader:
    """A state in the terms of a case: what its records mean."""

    def __init__(self, terms: Terms, rules: np.ndarray, state: np.ndarray) -> None:
        self.terms = terms
        self.rules = rules
        self.state = state
        self.s = state[0]
        self.n = int(rules[0]["n_seats"])
        self.n_people = len(terms.people)
        self.over = has_ended(state)

    @functools.cached_property
    def keys(self) -> list[str]:
        """The key of the character at each place."""
        return [self.terms.people[person] for person in self.s["person"][: self.n_people].tolist()]

    def key(self, place: int) -> str:
        """The key of the character at a place; "" for NOBODY."""
        return "" if place == NOBODY else self.keys[place]

    def cards(self) -> list[int]:
        """The top secret cards in play that have facts."""
        return members(int(self.rules[0]["handed"]) | int(self.rules[0]["setup_cards"]))

    def trait_fact(self, stored: int) -> str:
        question, trait, lacks = stored - 1 >> 4, stored - 1 >> 1 & 7, stored - 1 & 1
        return self.terms.fact_text(Fact(question, LACKS if lacks else HAS, trait))

    def clearing(self, stored: int) -> str:
        return self.terms.fact_text(Fact(stored - 1 >> 4, NOT, int(self.s["person"][stored - 1 & 15])))

    def place_of(self, portrait: int) -> int:
        return int(self.s["place"][portrait])

    def objectives(self, place: int) -> list[Objective]:
        stored = self.s["objectives"][place].tolist()
        return [Objective(x & 3, x >> 2 & 3, x >> 7, x >> 4 & 7) for x in stored if x]

    def story(self, place: int) -> list[str]:
        return [self.clearing(int(x)) for x in self.s["story"][place] if x]

    def location(self, k: int) -> dict[str, Any]:
        return {
            "theme": self.terms.questions[self.s["theme"][k]],
            "facts": [self.trait_fact(int(x)) for x in self.s["facts"][k] if x],
            "hands": int(self.s["hands"][k]),
        }

    def secret(self, card: int) -> list[str]:
        if card >= FIRST_SETUP_CARD:
            return [self.clearing(int(x)) for x in self.s["clears"][card - FIRST_SETUP_CARD] if x]
        return [self.trait_fact(int(self.s["secret"][card]))] if self.s["secret"][card] else []

    def revealed(self) -> list[int]:
        order = [int(x) for x in self.s["order"]]
        return sorted((k + 1 for k, x in enumerate(order) if x), key=lambda location: order[location - 1])

    def claims(self, seat: int) -> list[str]:
        facts = []
        for name, kind in (("claims_is", IS), ("claims_not", NOT)):
            for i in members(self.s[name][seat]):
                question, place = divmod(i, self.n_people)
                facts.append(Fact(question, kind, int(self.s["person"][place])))
        for name, kind in (("claims_has", HAS), ("claims_lacks", LACKS)):
            for i in members(self.s[name][seat]):
                question, trait = divmod(i, len(self.terms.traits))
                facts.append(Fact(question, kind, trait))
        return sorted(map(self.terms.fact_text, facts))

    def is_true(self, fact: Fact) -> bool:
        """Does a fact hold of who is the answer to its question?"""
        place = int(self.s["solution"][fact.question])
        if fact.kind in (IS, NOT):
            return (fact.subject == int(self.s["person"][place])) == (fact.kind == IS)
        trait = place * len(self.terms.traits) + fact.subject
        return bool(int(self.s["traits"]) >> trait & 1) == (fact.kind == HAS)

    def events(self) -> list[list[Any]]:
        """The public events, oldest first."""
        at = int(self.s["events_at"])
        ring = self.s["events"].reshape(2 * N_EVENTS, EVENT_BYTES)[at : at + N_EVENTS] & 0x7F
        return [self.event([int(x) for x in event]) for event in ring[::-1] if event[0]]

    def event(self, stored: list[int]) -> list[Any]:
        kind, seat, a, b, c = stored
        what: list[Any] = [EVENTS[kind], seat - 1]
        if what[0] in ("visit", "veto_location", "reveal", "hand"):
            return [*what, a]
        if what[0] in ("veto_leader", "leader"):
            return [*what, a - 1]
        if what[0] == "take":
            return [*what, a, b - 1]
        if what[0] == "ask":
            return [*what, b - 1, self.terms.questions[a - 1]]
        if what[0] == "decline":
            return [*what, self.terms.questions[a - 1]]
        if what[0] == "suspect":
            return [*what, self.key(a - 1)]
        subject = int(self.s["person"][c - 1]) if b - 1 in (IS, NOT) else c - 1
        return [*what, self.terms.fact_text(Fact(a - 1, b - 1, subject))]

    def written(self, seat: int) -> list[str]:
        return [self.key(x) for x in self.s["answers"][seat].tolist() if x != NOBODY]

    def outcome(self) -> tuple[list[list[bool]], list[int], list[float]]:
        """Which objectives of each seat are completed, points, and returns."""
        done = np.zeros((self.n, MAX_OBJECTIVES), np.bool_)
        points, paid = np.zeros(self.n, np.int64), np.zeros(self.n)
        outcome_of(self.state, self.rules, done, points, paid)
        n_objectives = (self.s["objectives"][: self.n] != 0).sum(1)
        return [row[:n].tolist() for row, n in zip(done, n_objectives)], points.tolist(), paid.tolist()

    def eliminated(self) -> int:
        accused = int(self.s["accused"])
        return accused if 0 <= accused < self.n else NO_SEAT

    def winners(self, points: list[int]) -> list[int]:
        least = int(self.rules[0]["win_points"])
        return [seat for seat in range(self.n) if points[seat] >= least and seat != self.eliminated()]


def snapshot(terms: Terms, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    its = Reader(terms, rules, state)
    s, n, over = its.s, its.n, its.over
    _, points, paid = its.outcome()
    phase = PHASES[s["phase"]]
    code = [int(s["traits"]) >> its.place_of(c) * len(terms.traits) for c in range(its.n_people)]
    portraits = range(terms.n_portraits)
    return {
        "traits": {
            key: [trait for t, trait in enumerate(terms.traits) if code[c] >> t & 1]
            for c, key in enumerate(terms.people)
        },
        "answers": {question: its.key(s["solution"][q]) for q, question in enumerate(terms.questions)},
        "characters": [its.key(seat) for seat in range(n)],
        "out": [its.key(place) for place in range(n, terms.n_portraits)],
        "locations": {str(k + 1): its.location(k) for k in range(terms.n_locations)},
        "secrets": {str(card): its.secret(card) for card in its.cards()},
        "stories": {terms.people[c]: its.story(its.place_of(c)) for c in portraits},
        "objectives": {
            terms.people[c]: [terms.objective_text(objective) for objective in its.objectives(its.place_of(c))]
            for c in portraits
        },
        "round": int(s["round_n"]),
        "leader": int(s["leader"]),
        "phase": phase,
        "to_act": int(s["to_act"]),
        "tokens": [int(x) for x in s["tokens"][:n]],
        "revealed": its.revealed(),
        "chosen": int(s["chosen"]),
        "vetoed_location": int(s["vetoed_location"]),
        "nominee": int(s["nominee"]),
        "vetoed_leader": int(s["vetoed_leader"]),
        "talk_round": int(s["talk_round"]),
        "spoken": int(s["spoken"]),
        "final": bool(s["final"]),
        "question": terms.questions[s["question"]] if phase == "reply" else "",
        "holders": {str(card): int(s["holder"][card]) for card in its.cards()},
        "read": {str(card): members(s["readers"][card]) for card in its.cards()},
        "claims": [its.claims(seat) for seat in range(n)],
        "suspicions": [its.key(int(x)) for x in s["suspicion"][:n]],
        "events": its.events(),
        "accusations": [its.key(int(x)) for x in s["accusation"][:n]],
        "written": [its.written(seat) for seat in range(n)],
        "pointed": phase in POINTED,
        "accused": its.key(int(s["accused"])),
        "eliminated": its.eliminated(),
        "points": points if over else [0] * n,
        "winners": its.winners(points) if over else [],
        "returns": paid,
        "over": over,
    }


# -- From a dict to a state -------------------------------------------------------------------------------------------


def restore(terms: Terms, rules: np.ndarray, given: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
    if not isinstance(given, Mapping):
        raise ValueError(f"snapshot: a dict of fields, not {given!r}")
    known_only(given, FIELDS, "snapshot field")
    base = records(STATE, 1)
    start_case(base, rules, np.int64(seed))
    defaults = snapshot(terms, rules, base)
    if rules[0]["is_written"] and not rules[0]["has_cast"]:
        in_case_order(terms, rules, defaults)
    return Position(terms, rules, given, defaults).write(base)


def in_case_order(terms: Terms, rules: np.ndarray, defaults: dict[str, Any]) -> None:
    """Portraits in play sit in the order of the case."""
    in_play = members(rules[0]["in_play"])
    defaults["characters"] = [terms.people[portrait] for portrait in in_play]


class Position:
    """What a snapshot says, field by field: defaults filled in, everything checked, in the order of the page."""

    def __init__(
        self,
        terms: Terms,
        rules: np.ndarray,
        given: Mapping[str, Any],
        defaults: Mapping[str, Any],
    ) -> None:
        self.terms = terms
        self.rules = rules
        self.r = rules[0]
        self.given = given
        self.defaults = defaults
        self.n = int(self.r["n_seats"])
        self.n_answers = int(self.r["n_answers"])
        self.cards = members(int(self.r["handed"]) | int(self.r["setup_cards"]))
        self.read_case()
        self.read_turn()
        self.read_window()
        self.read_talk()
        self.read_cards()
        self.read_words()
        self.read_writing()

    def get(self, name: str, default: Any) -> Any:
        return self.given.get(name, default)

    def table(self, name: str, keys: Any) -> dict[str, Any]:
        """A table, merged key by key into its default."""
        given = self.get(name, {})
        if not isinstance(given, Mapping):
            fail(name, f"a table, not {given!r}")
        for key in given:
            if key not in keys:
                fail(name, f"unknown key {key!r}; there are {', '.join(keys)}")
        return {**self.defaults[name], **given}

    # The case

    def read_case(self) -> None:
        terms = self.terms
        traits = self.table("traits", terms.people)
        codes = []
        for key in terms.people:
            its = [terms.trait("traits", trait) for trait in a_list("traits", traits[key])]
            distinct("traits", its)
            codes.append(sum(1 << trait for trait in its))
        answers = self.table("answers", terms.questions)
        solution = [terms.person("answers", answers[question]) for question in terms.questions]
        self.read_cast()
        secrets = self.table("secrets", [str(card) for card in self.cards])
        stories = self.table("stories", terms.portraits)
        objectives = self.table("objectives", terms.portraits)
        self.its = Contents(
            codes,
            solution,
            self.read_places(),
            {card: self.facts("secrets", secrets[str(card)]) for card in self.cards},
            [self.facts("stories", stories[key]) for key in terms.portraits],
            [
                [terms.objective("objectives", text) for text in a_list("objectives", objectives[key])]
                for key in terms.portraits
            ],
        )
        check(terms, self.its, int(self.r["win_points"]))

    def facts(self, name: str, given: Any) -> list[Fact]:
        return [self.terms.fact(name, text) for text in a_list(name, given)]

    def read_cast(self) -> None:
        terms = self.terms
        keys = a_list("characters", self.get("characters", self.defaults["characters"]), self.n)
        self.cast = [terms.portrait("characters", key) for key in keys]
        distinct("characters", keys)
        out = [portrait for portrait in range(terms.n_portraits) if portrait not in self.cast]
        given = a_list("out", self.get("out", [terms.people[portrait] for portrait in out]))
        if sorted(terms.portrait("out", key) for key in given) != out:
            fail("out", f"exactly the portraits that are not in `characters`, not {given!r}")
        self.person = [*self.cast, *out, *range(terms.n_portraits, len(terms.people))]
        self.place = [self.person.index(c) for c in range(len(terms.people))]

    def read_places(self) -> list[Place]:
        locations = self.table("locations", [str(k + 1) for k in range(self.terms.n_locations)])
        places = []
        for k in range(self.terms.n_locations):
            fields = locations[str(k + 1)]
            if not isinstance(fields, Mapping):
                fail("locations", f"location {k + 1}: a table, not {fields!r}")
            for field in fields:
                if field not in PLACE_FIELDS:
                    fail("locations", f"location {k + 1}: unknown field {field!r}")
            whole = {**self.defaults["locations"][str(k + 1)], **fields}
            theme = self.terms.question("locations", whole["theme"])
            hands = an_int("locations", whole["hands"], 0, N_CARDS)
            places.append(Place(theme, self.facts("locations", whole["facts"]), hands))
        return places

    # Whose move it is

    def read_turn(self) -> None:
        n_rounds = int(self.r["n_rounds"])
        self.phase = a_choice("phase", self.get("phase", "visit"), PHASES)
        self.final = a_bool("final", self.get("final", False))
        talking = self.phase in ("talk", "reply")
        if self.final and (not talking or self.r["n_final_rounds"] == 0):
            fail("final", "only while talking, with a final discussion")
        late = self.final or self.phase in LATE
        self.round = an_int("round", self.get("round", n_rounds if late else 1), 1, n_rounds)
        if late and self.round != n_rounds:
            fail("round", f"{n_rounds}, the last, in this phase, not {self.round}")
        if self.phase in ("leader", "veto_leader") and self.round == n_rounds:
            fail("phase", f"{self.phase}: the token is not passed in the last round")
        if self.phase == "answer" and self.n_answers == 0:
            fail("phase", "answer: there are no `answer` objectives")
        self.silent = self.r["n_talk_rounds"] == 0 and not self.final
        says = int(self.r["do_say"])
        speaks = int(self.r["offers"][0 + PHASES.index("talk"), says // 64]) >> says % 64 & 1
        if self.phase == "reply" and (self.silent or not speaks):
            fail("phase", "reply: nothing can be asked")
        first = int(self.r["first_leader"])
        self.leader = an_int("leader", self.get("leader", max(first, 0)), 0, self.n - 1)
        n_tokens = int(self.r["n_tokens"])
        self.tokens = ints("tokens", self.get("tokens", [n_tokens] * self.n), 0, n_tokens, self.n)
        n_revealed = self.round - (self.phase in ("visit", "veto_location"))
        self.revealed = ints(
            "revealed", self.get("revealed", [*range(1, n_revealed + 1)]), 1, self.terms.n_locations, n_revealed
        )
        distinct("revealed", self.revealed)

    def clockwise(self, first: int) -> list[int]:
        """All seats from one on."""
        return [(first + k) % self.n for k in range(self.n)]

    def read_window(self) -> None:
        """What is chosen, named or vetoed."""
        n_locations = self.terms.n_locations
        self.vetoed_location = an_int("vetoed_location", self.get("vetoed_location", 0), 0, n_locations)
        if self.vetoed_location in self.revealed:
            fail("vetoed_location", f"location {self.vetoed_location} is revealed")
        if self.vetoed_location and self.phase == "veto_location":
            fail("vetoed_location", "one veto of a location a round")
        self.chosen = an_int("chosen", self.get("chosen", 0), 0, n_locations)
        if (self.chosen != 0) != (self.phase == "veto_location"):
            fail("chosen", "a location exactly in veto_location")
        if self.chosen in self.revealed:
            fail("chosen", f"location {self.chosen} is revealed")
        self.nominee = an_int("nominee", self.get("nominee", NO_SEAT), NO_SEAT, self.n - 1)
        if (self.nominee != NO_SEAT) != (self.phase == "veto_leader") or self.nominee == self.leader:
            fail("nominee", "another seat than the Leader exactly in veto_leader")
        self.vetoed_leader = an_int("vetoed_leader", self.get("vetoed_leader", NO_SEAT), NO_SEAT, self.n - 1)
        if self.vetoed_leader != NO_SEAT and (self.phase != "leader" or self.vetoed_leader == self.leader):
            fail("vetoed_leader", "another seat than the Leader, and only in leader")

    def read_talk(self) -> None:
        talking = self.phase in ("talk", "reply")
        rounds = int(self.r["n_final_rounds"]) if self.final else max(1, int(self.r["n_talk_rounds"]))
        self.talk_round = an_int("talk_round", self.get("talk_round", 0), 0, rounds - 1 if talking else 0)
        self.spoken = an_int("spoken", self.get("spoken", 0), 0, self.n - 1 if talking else 0)
        question = a_text("question", self.get("question", ""))
        if (question != "") != (self.phase == "reply"):
            fail("question", "one of the case exactly in reply")
        self.question = self.terms.question("question", question) if question else 0

    def read_to_act(self) -> None:
        """Once it is known who holds what."""
        possible = self.possible_seats()
        if self.phase == "over":
            self.to_act = NO_SEAT
            follows("to_act", self.given, NO_SEAT)
            return
        if not possible and self.phase != "talk":
            fail("phase", f"{self.phase} needs somebody to ask")
        default = possible[0] if possible else self.clockwise(self.leader)[self.spoken]
        self.to_act = an_int("to_act", self.get("to_act", default), 0, self.n - 1)
        if self.to_act not in possible:
            fail("to_act", f"one of {possible} in this position, not {self.to_act}")

    def possible_seats(self) -> list[int]:
        """Who can be asked, in the order in which they are."""
        order = self.clockwise(self.leader)
        if self.phase in ("veto_location", "veto_leader"):
            return [seat for seat in order[1:] if self.tokens[seat]]
        speaker = order[self.spoken]
        if self.phase == "talk":
            can_take = self.tokens[speaker] and any(x not in (NO_SEAT, speaker) for x in self.holder.values())
            return [speaker] if can_take or not self.silent else []
        if self.phase == "reply":
            return [seat for seat in order if seat != speaker]
        return order if self.phase in WRITING else order[:1]

    # Who holds and has read what

    def read_cards(self) -> None:
        handed = [self.its.places[location - 1].hands for location in self.revealed]
        # Before the merge: what these fields are by default follows from the fields above.
        holders: dict[str, Any] = {}
        for card in self.cards:
            if card < FIRST_SETUP_CARD:
                holders[str(card)] = self.leader if card in handed else NO_SEAT
            else:
                holders[str(card)] = self.player_of(card)
        self.defaults = {**self.defaults, "holders": holders, "read": {}}
        keys = [str(card) for card in self.cards]
        given = self.table("holders", keys)
        self.holder = {card: an_int("holders", given[str(card)], NO_SEAT, self.n - 1) for card in self.cards}
        for card, seat in self.holder.items():
            if (seat != NO_SEAT) != (card in handed or card >= FIRST_SETUP_CARD):
                fail("holders", f"card {card} has a holder exactly if a revealed location has handed it out")
        read = self.table("read", keys)
        self.readers = {}
        for card, seat in self.holder.items():
            default = [] if seat == NO_SEAT else [seat]
            seats = ints("read", read.get(str(card), default), 0, self.n - 1)
            distinct("read", seats)
            if (seat == NO_SEAT and seats) or (seat != NO_SEAT and seat not in seats):
                fail("read", f"card {card}: nobody while it is in the stack, else its holder too")
            self.readers[card] = seats
        self.read_to_act()

    def player_of(self, card: int) -> int:
        """To whom a setup card is given: by default as the case says, seat 0 if that portrait is out."""
        if not self.r["is_written"]:
            return int(self.defaults["holders"][str(card)])
        place = self.place[int(self.r["given_to"][card - FIRST_SETUP_CARD])]
        return place if place < self.n else 0

    # What was said

    def read_words(self) -> None:
        self.claims = []
        for texts in a_list("claims", self.get("claims", [[]] * self.n), self.n):
            facts = self.facts("claims", texts)
            subjects = [(fact.question, fact.kind in (IS, NOT), fact.subject) for fact in facts]
            if len(set(subjects)) < len(subjects):
                fail("claims", f"one statement on each subject, not {texts!r}")
            self.claims.append(facts)
        self.suspicions = self.people("suspicions")
        events = a_list("events", self.get("events", []))
        if len(events) > N_EVENTS:
            fail("events", f"at most {N_EVENTS}")
        self.events = [self.event(event) for event in events]

    def people(self, name: str, default: Any = None) -> list[int]:
        """A list by seat of characters or "", as places."""
        keys = a_list(name, self.get(name, [""] * self.n if default is None else default), self.n)
        return [NOBODY if key == "" else self.place[self.terms.person(name, key)] for key in keys]

    def event(self, given: Any) -> tuple[int, ...]:
        """An event as kind, seat, a, b, c, and which of a, b, c is a seat or a person."""
        event = a_list("events", given)
        if len(event) < 3:
            fail("events", f"kind, seat and more, not {event!r}")
        name = a_choice("events", event[0], EVENTS[1:])
        if len(event) != (4 if name in ("take", "ask") else 3):
            fail("events", f"too few or too many entries: {event!r}")
        kind, seat = EVENTS.index(name), an_int("events", event[1], 0, self.n - 1)
        last = event[-1]
        if name in ("visit", "veto_location", "reveal"):
            return kind, seat, an_int("events", last, 1, self.terms.n_locations), 0, 0, 0
        if name == "hand":
            return kind, seat, self.card(last), 0, 0, 0
        if name in ("veto_leader", "leader"):
            return kind, seat, 1 + an_int("events", last, 0, self.n - 1), 0, 0, 2
        if name == "take":
            return kind, seat, self.card(event[2]), 1 + an_int("events", last, 0, self.n - 1), 0, 3
        if name == "ask":
            asked = an_int("events", event[2], 0, self.n - 1)
            return kind, seat, 1 + self.terms.question("events", last), 1 + asked, 0, 3
        if name == "decline":
            return kind, seat, 1 + self.terms.question("events", last), 0, 0, 0
        if name == "suspect":
            return kind, seat, 1 + self.place[self.terms.person("events", last)], 0, 0, 2
        fact = self.terms.fact("events", last)
        of_person = fact.kind in (IS, NOT)
        subject = self.place[fact.subject] if of_person else fact.subject
        return kind, seat, 1 + fact.question, 1 + fact.kind, 1 + subject, 4 if of_person else 0

    def card(self, given: Any) -> int:
        card = an_int("events", given, 1, N_CARDS)
        if card not in self.cards:
            fail("events", f"card {card} is not in play")
        return card

    # What was written

    def read_writing(self) -> None:
        order = self.clockwise(self.leader)
        done = order if self.phase in POINTED else []
        accused = done
        if self.phase in WRITING:
            done = order[: order.index(self.to_act)]
            accused = [*done, self.to_act] if self.phase == "answer" else done
        names = [self.terms.people[c] for c in self.cast]
        self.accusations = self.people(
            "accusations", [names[seat] if seat in accused else "" for seat in range(self.n)]
        )
        for seat, accusation in enumerate(self.accusations):
            if (accusation != NOBODY) != (seat in accused):
                fail("accusations", f"exactly those who have written, seats {sorted(accused)}")
        default = [[names[seat]] * self.n_answers if seat in done else [] for seat in range(self.n)]
        self.written = []
        for seat, keys in enumerate(a_list("written", self.get("written", default), self.n)):
            answers = [self.place[self.terms.person("written", key)] for key in a_list("written", keys)]
            if seat in done:
                if len(answers) != self.n_answers:
                    fail("written", f"seat {seat}: {self.n_answers} answers")
            elif len(answers) >= (self.n_answers if self.phase == "answer" and seat == self.to_act else 1):
                fail("written", f"seat {seat} has not written so much")
            self.written.append(answers)
        self.read_end()

    def read_end(self) -> None:
        pointed, over = self.phase in POINTED, self.phase == "over"
        if a_bool("pointed", self.get("pointed", pointed)) != pointed:
            fail("pointed", f"{pointed} in phase {self.phase}")
        if a_bool("over", self.get("over", over)) != over:
            fail("over", f"{over} in phase {self.phase}")
        most = self.most_accused() if pointed else []
        if self.phase == "tiebreak" and len(most) < 2:
            fail("accusations", "a tie is broken, and there is none")
        key = a_text("accused", self.get("accused", self.terms.people[min(most)] if most and over else ""))
        self.accused = NOBODY
        if not over or not most:
            if key:
                fail("accused", "nobody is in this position")
        else:
            accused = self.terms.person("accused", key)
            if accused not in most:
                fail("accused", f"one of {', '.join(self.terms.people[c] for c in sorted(most))}, not {key}")
            self.accused = self.place[accused]

    def most_accused(self) -> list[int]:
        """The characters with most accusations, among those that count."""
        n = self.n if self.r["npc_accused"] == PLAYERS_ONLY else len(self.person)
        counts = [self.accusations.count(place) for place in range(n)]
        return [self.person[place] for place in range(n) if counts[place] == max(counts) > 0]

    # The state

    def write(self, state: np.ndarray) -> np.ndarray:
        """Fill in a dealt state; what follows from the rest is checked at the end."""
        s = state[0]
        self.write_case(s)
        n = self.n
        s["round_n"], s["leader"] = self.round, self.leader
        s["phase"], s["to_act"] = PHASES.index(self.phase), self.to_act
        s["tokens"][:n] = self.tokens
        s["revealed"] = 0
        s["order"] = 0
        for k, location in enumerate(self.revealed, 1):
            s["revealed"] |= np.uint64(1 << location - 1)
            s["order"][location - 1] = k
        s["chosen"], s["vetoed_location"] = self.chosen, self.vetoed_location
        s["nominee"], s["vetoed_leader"] = self.nominee, self.vetoed_leader
        s["talk_round"], s["spoken"], s["final"] = self.talk_round, self.spoken, self.final
        s["cards_of"], s["laid_out"], s["readers"] = 0, 0, 0
        for card, seat in self.holder.items():
            s["holder"][card] = seat
            s["readers"][card] = sum(1 << reader for reader in self.readers[card])
            if seat != NO_SEAT:
                s["cards_of"][seat] |= np.uint64(1 << card)
                s["laid_out"] |= np.uint64(1 << card)
        go_on(state, self.rules)
        self.write_words(s)
        for event in self.events:
            enter_event(state, self.rules, *(np.int64(x) for x in event))
        s["accusation"][:n] = self.accusations
        for seat in range(n):
            s["answers"][seat, : len(self.written[seat])] = self.written[seat]
        s["question"] = self.question
        if self.phase == "answer":
            s["question"] = s["asked"][self.to_act, len(self.written[self.to_act])]
        s["accused"] = self.accused
        self.check_results(snapshot(self.terms, self.rules, state))
        return state

    def write_case(self, s: Any) -> None:
        n_people, n_traits = len(self.person), len(self.terms.traits)
        s["person"][:n_people], s["place"][:n_people] = self.person, self.place
        codes = [self.its.codes[c] for c in self.person]
        s["traits"] = sum(code << place * n_traits for place, code in enumerate(codes))
        for t in range(n_traits):
            s["bearers"][t] = sum((code >> t & 1) << place for place, code in enumerate(codes))
        s["solution"][: len(self.its.solution)] = [self.place[c] for c in self.its.solution]
        s["facts"], s["secret"], s["clears"], s["story"], s["objectives"] = 0, 0, 0, 0, 0
        s["fronts"] = sum(1 << k * len(self.terms.questions) + its.theme for k, its in enumerate(self.its.places))
        for k, its in enumerate(self.its.places):
            s["theme"][k], s["hands"][k] = its.theme, its.hands
            s["facts"][k, : len(its.facts)] = [trait_fact(fact) for fact in its.facts]
        for card, facts in self.its.secrets.items():
            if card >= FIRST_SETUP_CARD:
                s["clears"][card - FIRST_SETUP_CARD, : len(facts)] = self.clearing(facts)
            elif facts:
                s["secret"][card] = trait_fact(facts[0])
        for portrait, facts in enumerate(self.its.stories):
            place = self.place[portrait]
            s["story"][place, : len(facts)] = self.clearing(facts)
            objectives = self.its.objectives[portrait]
            s["objectives"][place, : len(objectives)] = [packed_objective(objective) for objective in objectives]

    def clearing(self, facts: list[Fact]) -> list[int]:
        return [clearing_fact(fact, self.place[fact.subject]) for fact in facts]

    def write_words(self, s: Any) -> None:
        n_people, n_traits = len(self.person), len(self.terms.traits)
        for seat, facts in enumerate(self.claims):
            for kind in range(len(KINDS)):
                of_person = kind in (IS, NOT)
                its = [fact for fact in facts if fact.kind == kind]
                if of_person:
                    bits = [fact.question * n_people + self.place[fact.subject] for fact in its]
                else:
                    bits = [fact.question * n_traits + fact.subject for fact in its]
                s[f"claims_{KINDS[kind]}"][seat] = sum(1 << i for i in bits)
        s["suspicion"][: self.n] = self.suspicions

    def check_results(self, complete: Mapping[str, Any]) -> None:
        for name in ("eliminated", "points", "winners"):
            follows(name, self.given, complete[name], lambda a, b: repr(a) == repr(b))
        paid = self.get("returns", complete["returns"])
        if not isinstance(paid, (list, tuple)) or len(paid) != self.n or not close(paid, complete["returns"]):
            fail("returns", f"{complete['returns']} follows from the rest, not {paid!r}")


def close(a: Any, b: Any) -> bool:
    """Are these numbers, and equal?"""
    return all(isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x - y) < 1e-6 for x, y in zip(a, b))
