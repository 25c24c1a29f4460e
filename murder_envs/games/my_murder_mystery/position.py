"""From a snapshot to a state: defaults filled in, everything checked, in the order of a game.

What the cards say is merged, card by card, into the case that the seed deals; so a snapshot that says nothing is a
fresh deal. Who can be asked, who is most accused and what is paid is not said here again: the compiled rules are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.bits import NONE, is_in
from murder_envs.core.checks import a_choice, a_list, a_text, an_int, distinct, fail, ints, shown
from murder_envs.core.contract import NO_SEAT, seat_at
from murder_envs.core.jit import entry, records
from murder_envs.core.snapshots import Reader, check_results, clockwise, members_of, set_of
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery import play, snapshots
from murder_envs.games.my_murder_mystery.case import Contents, Fact, Place, Terms, check
from murder_envs.games.my_murder_mystery.config import write_contents
from murder_envs.games.my_murder_mystery.effects import takeable
from murder_envs.games.my_murder_mystery.knowledge import show_the_start
from murder_envs.games.my_murder_mystery.moves import NOBODY, PHASE
from murder_envs.games.my_murder_mystery.state import State, record_event, sum_up_cards

FOLLOWS = ("pointed", "eliminated", "points", "winners", "returns", "over")
"""Fields that follow from the rest."""

PLACE_FIELDS = ("theme", "facts", "hands")
TALKING = ("talk", "reply")
WRITING = ("accuse", "answer")
LATE = (*WRITING, *snapshots.POINTED)


# -- Questions to the compiled rules ----------------------------------------------------------------------------------


@entry
def start_case(states, rules, seed):
    """A game before its first decision."""
    play.deal(states[0], rules[0], seed)


@entry
def go_on(states, rules):
    """What follows from the cards: portraits' own are summed up, and everybody reads what they have read."""
    for portrait in range(rules[0].n_portraits):
        sum_up_cards(states[0], rules[0], portrait)
    show_the_start(states[0], rules[0])


@entry
def enter_event(states, rules, event):
    """A public event: kind, seat, three arguments, and which byte is counted, int64[6]. Nothing else changes."""
    record_event(states[0], rules[0], event[0], event[1], event[2], event[3], event[4], event[5])


@entry
def can_be_asked(states, rules):
    """Can a question be put to another player in this round of talk?"""
    return not play.is_silent(states[0], rules[0]) and is_in(rules[0].offers[PHASE.talk], rules[0].do_ask)


@entry
def seats_to_act(states, rules, out):
    """The seats that can be asked in this phase, in the order in which they are, into int64[n]; returns how many.

    What the phase looks at must be in the state: Leader, turns that are over, tokens, and who holds what.
    """
    leader, phase = states[0].leader, states[0].phase
    n = 0
    if phase == PHASE.veto_location or phase == PHASE.veto_leader:
        seat = play.next_with_token(states[0], rules[0], leader)
        while seat != NO_SEAT:
            out[n] = seat
            n += 1
            seat = play.next_with_token(states[0], rules[0], seat)
        return n
    speaker = play.speaker(states[0], rules[0])
    for offset in range(rules[0].n_seats):
        seat = seat_at(rules[0], leader, offset)
        if phase == PHASE.talk:
            has_turn = not play.is_silent(states[0], rules[0]) or takeable(states[0], seat) != NONE
            fits = seat == speaker and has_turn
        elif phase == PHASE.reply:
            fits = seat != speaker
        else:
            fits = offset == 0 or phase == PHASE.accuse or phase == PHASE.answer
        if fits:
            out[n] = seat
            n += 1
    return n


@entry
def people_most_accused(states, rules):
    """Set of the people with most accusations, among those that count."""
    return play.most_accused(states[0], rules[0])


# -- Field by field ---------------------------------------------------------------------------------------------------


def restore(terms: Terms, rules: np.ndarray, snapshot: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
    state = records(State.dtype, 1)
    start_case(state, rules, seed)
    Position(terms, rules, snapshot, state).complete()
    return state


class Position(Reader):
    """What a snapshot says, in the order of a game: defaults filled in, everything checked.

    The state holds what has been read so far, so that the compiled rules can be asked about it.

    Args:
        terms: keys of the case.
        rules: array of one.
        snapshot: as it was handed in.
        state: array of one, a dealt game, whose case is the default; it is written to.
    """

    def __init__(self, terms: Terms, rules: np.ndarray, snapshot: Mapping[str, Any], state: np.ndarray) -> None:
        super().__init__(State, rules, snapshot, snapshots.SPECIAL)
        self.terms = terms
        self.r = rules[0]
        self.state = state
        self.s = state[0]
        self.n = int(self.r["n_seats"])
        self.n_answers = int(self.r["answers"])
        self.cards = snapshots.StateView(terms, rules, state).cards()
        self.dealt = snapshots.snapshot(terms, rules, state)
        self.read_case()
        self.read_turn()
        self.read_window()
        self.read_talk()
        self.read_cards()
        self.read_to_act()
        self.read_words()
        self.read_writing()
        self.read_end()

    def rules_say(self, question: Any, *arguments: Any) -> Any:
        """What the compiled rules say of the state so far: an `entry` of (states, rules, *arguments)."""
        self.write_plain(self.state)
        return question(self.state, self.rules, *arguments)

    def table(self, name: str, keys: Any, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """A table, merged key by key into its default."""
        table = self.get(name, {})
        if not isinstance(table, Mapping):
            fail(name, f"a table, not {shown(table)}")
        for key in table:
            if key not in keys:
                fail(name, f"unknown key {shown(key)}; there are {', '.join(keys)}")
        return {**defaults, **table}

    # The case

    def read_case(self) -> None:
        """What the cards say, which must be a case that could be written; by default as the seed deals it."""
        terms, dealt = self.terms, self.dealt
        traits = self.table("traits", terms.people, dealt["traits"])
        codes = []
        for key in terms.people:
            numbers = [terms.trait("traits", trait) for trait in a_list("traits", traits[key])]
            distinct("traits", numbers)
            codes.append(set_of(numbers))
        answers = self.table("answers", terms.questions, dealt["answers"])
        solution = [terms.person("answers", answers[question]) for question in terms.questions]
        self.read_cast()
        secrets = self.table("secrets", [str(card) for card in self.cards], dealt["secrets"])
        stories = self.table("stories", terms.portraits, dealt["stories"])
        objectives = self.table("objectives", terms.portraits, dealt["objectives"])
        self.places = self.read_places()
        contents = Contents(
            codes,
            solution,
            self.places,
            {card: self.facts("secrets", secrets[str(card)]) for card in self.cards},
            [self.facts("stories", stories[key]) for key in terms.portraits],
            [
                [terms.objective("objectives", text) for text in a_list("objectives", objectives[key])]
                for key in terms.portraits
            ],
        )
        check(terms, contents, int(self.r["win_points"]))
        if terms.plays_murderer and solution[c.MURDER] not in self.cast:
            fail("answers", f"{terms.people[solution[c.MURDER]]} is out, and the murderer is played")
        self.write_people(codes)
        write_contents(self.s, contents, self.place)

    def facts(self, name: str, texts: Any) -> list[Fact]:
        """A list of facts."""
        return [self.terms.fact(name, text) for text in a_list(name, texts)]

    def read_cast(self) -> None:
        """Who sits where; by default as dealt, in a written case in its order. The others are out."""
        terms = self.terms
        default = self.dealt["characters"]
        if self.r["is_written"] and not self.r["has_cast"]:
            default = [terms.people[portrait] for portrait in members_of(self.r["in_play"])]
        keys = a_list("characters", self.get("characters", default), self.n)
        self.cast = [terms.portrait("characters", key) for key in keys]
        distinct("characters", keys)
        out = [portrait for portrait in range(terms.n_portraits) if portrait not in self.cast]
        named = a_list("out", self.get("out", [terms.people[portrait] for portrait in out]))
        if sorted(terms.portrait("out", key) for key in named) != out:
            fail("out", f"exactly the portraits that are not in `characters`, not {shown(named)}")
        self.person = [*self.cast, *out, *range(terms.n_portraits, len(terms.people))]
        self.place = [self.person.index(person) for person in range(len(terms.people))]
        self.names = {"people": tuple(terms.people[person] for person in self.person)}

    def read_places(self) -> list[Place]:
        """The locations; what a snapshot leaves out of one is as dealt."""
        numbers = [str(k + 1) for k in range(self.terms.n_locations)]
        locations = self.table("locations", numbers, self.dealt["locations"])
        places = []
        for number in numbers:
            fields = locations[number]
            if not isinstance(fields, Mapping):
                fail("locations", f"location {number}: a table, not {shown(fields)}")
            for field in fields:
                if field not in PLACE_FIELDS:
                    fail("locations", f"location {number}: unknown field {shown(field)}")
            whole = {**self.dealt["locations"][number], **fields}
            theme = self.terms.question("locations", whole["theme"])
            hands = an_int("locations", whole["hands"], 0, c.N_CARDS)
            places.append(Place(theme, self.facts("locations", whole["facts"]), hands))
        return places

    def write_people(self, codes: list[int]) -> None:
        """Who is at which place, with which traits; and the fronts of the locations as a set."""
        n_people, n_traits, n_questions = len(self.person), len(self.terms.traits), len(self.terms.questions)
        self.s["person"][:n_people], self.s["place"][:n_people] = self.person, self.place
        at_place = [codes[person] for person in self.person]
        self.s["traits"] = sum(code << place * n_traits for place, code in enumerate(at_place))
        for trait in range(n_traits):
            self.s["bearers"][trait] = set_of(place for place, code in enumerate(at_place) if code >> trait & 1)
        self.s["fronts"] = set_of(k * n_questions + place.theme for k, place in enumerate(self.places))

    # Whose move it is

    def read_turn(self) -> None:
        """Phase, round and Leader, tokens, and the revealed locations: one a round, this round's once it is read."""
        last = int(self.r["rounds"])
        self.phase = self.read("phase", "visit")
        self.final = self.read("final")
        if self.final and (self.phase not in TALKING or self.r["final_talk_rounds"] == 0):
            fail("final", "only while talking, with a final discussion")
        late = self.final or self.phase in LATE
        round_n = self.read("round", last if late else 1)
        if late and round_n != last:
            fail("round", f"{last}, the last, in this phase, not {round_n}")
        if self.phase in ("leader", "veto_leader") and round_n == last:
            fail("phase", f"{self.phase}: the token is not passed in the last round")
        if self.phase == "answer" and self.n_answers == 0:
            fail("phase", "answer: there are no `answer` objectives")
        if self.phase == "reply" and not self.rules_say(can_be_asked):
            fail("phase", "reply: nothing can be asked")
        self.leader = self.read("leader", max(0, int(self.r["leads_first"])))
        self.read("tokens", [int(self.r["tokens"])] * self.n)
        n_revealed = round_n - (self.phase in ("visit", "veto_location"))
        default = [*range(1, n_revealed + 1)]
        self.revealed = ints("revealed", self.get("revealed", default), 1, self.terms.n_locations, n_revealed)
        distinct("revealed", self.revealed)
        self.s["revealed"] = set_of(number - 1 for number in self.revealed)
        for nth, number in enumerate(self.revealed, 1):
            self.s["order"][number - 1] = nth

    def read_window(self) -> None:
        """What is chosen, named or vetoed: only one location and one Leader can be vetoed per round."""
        vetoed = self.read("vetoed_location")
        if vetoed in self.revealed:
            fail("vetoed_location", f"location {vetoed} is revealed")
        if vetoed and self.phase == "veto_location":
            fail("vetoed_location", "one veto of a location a round")
        chosen = self.read("chosen")
        if (chosen != 0) != (self.phase == "veto_location"):
            fail("chosen", "a location exactly in veto_location")
        if chosen in self.revealed:
            fail("chosen", f"location {chosen} is revealed")
        nominee = self.read("nominee")
        if (nominee != NO_SEAT) != (self.phase == "veto_leader") or nominee == self.leader:
            fail("nominee", "another seat than the Leader exactly in veto_leader")
        vetoed_leader = self.read("vetoed_leader")
        if vetoed_leader != NO_SEAT and (self.phase != "leader" or vetoed_leader == self.leader):
            fail("vetoed_leader", "another seat than the Leader, and only in leader")

    def read_talk(self) -> None:
        """How far the talk has come, and what is asked in `reply`; the asker is the one whose turn it is."""
        talking = self.phase in TALKING
        rounds = int(self.r["final_talk_rounds"]) if self.final else max(1, int(self.r["talk_rounds"]))
        self.read("talk_round", high=rounds - 1 if talking else 0)
        self.read("spoken", high=self.n - 1 if talking else 0)
        question = a_text("question", self.get("question", ""))
        if (question != "") != (self.phase == "reply"):
            fail("question", "one of the case exactly in reply")
        self.s["question"] = self.terms.question("question", question) if question else 0

    # Who holds and has read what

    def read_cards(self) -> None:
        """Each card lies before a seat exactly if it was handed out, or given at setup; its holder has read it."""
        handed = [self.places[number - 1].hands for number in self.revealed]
        keys = [str(card) for card in self.cards]
        holders = self.table("holders", keys, {str(card): self.usual_holder(card, handed) for card in self.cards})
        read = self.table("read", keys, {})
        for name in ("cards_of", "laid_out", "readers"):
            self.s[name] = 0
        for card in self.cards:
            holder = an_int("holders", holders[str(card)], NO_SEAT, self.n - 1)
            if (holder != NO_SEAT) != (card in handed or card >= c.FIRST_SETUP_CARD):
                fail("holders", f"card {card} has a holder exactly if a revealed location has handed it out")
            readers = ints("read", read.get(str(card), [] if holder == NO_SEAT else [holder]), 0, self.n - 1)
            distinct("read", readers)
            if (holder == NO_SEAT and readers) or (holder != NO_SEAT and holder not in readers):
                fail("read", f"card {card}: nobody while it is in the stack, else its holder too")
            self.s["holder"][card] = holder
            self.s["readers"][card] = set_of(readers)
            if holder != NO_SEAT:
                self.s["cards_of"][holder] |= np.uint64(1 << card)
                self.s["laid_out"] |= np.uint64(1 << card)

    def usual_holder(self, card: int, handed: list[int]) -> int:
        """The Leader for a card handed out; a setup card goes as the case says, to seat 0 if that portrait is out."""
        if card < c.FIRST_SETUP_CARD:
            return self.leader if card in handed else NO_SEAT
        if not self.r["is_written"]:
            return int(self.dealt["holders"][str(card)])
        place = self.place[int(self.r["given_to"][card - c.FIRST_SETUP_CARD])]
        return place if place < self.n else 0

    def read_to_act(self) -> None:
        """Who is asked, once it is known who holds what."""
        if self.phase == "over":
            if self.read("to_act", NO_SEAT) != NO_SEAT:
                fail("to_act", "-1 when the game is over")
            return
        seats = np.zeros(self.n, np.int64)
        possible = seats[: self.rules_say(seats_to_act, seats)].tolist()
        if not possible and self.phase != "talk":
            fail("phase", f"{self.phase} needs somebody to ask")
        self.to_act = self.read("to_act", possible[0] if possible else self.leader, low=0)
        if self.to_act not in possible:
            fail("to_act", f"one of {possible} in this position, not {self.to_act}")

    # What was said

    def read_words(self) -> None:
        """What is on record: statements, suspicions, public events, oldest first."""
        for seat, texts in enumerate(a_list("claims", self.get("claims", [[]] * self.n), self.n)):
            self.read_claims(seat, texts)
        self.read("suspicions")
        events = a_list("events", self.get("events", []))
        if len(events) > m.N_EVENTS:
            fail("events", f"at most {m.N_EVENTS}")
        for event in events:
            enter_event(self.state, self.rules, np.array(self.event(event), np.int64))

    def read_claims(self, seat: int, texts: Any) -> None:
        """A seat's statements on record."""
        subjects, sets = set(), dict.fromkeys(c.KINDS, 0)
        for fact in self.facts("claims", texts):
            about_people = fact.kind in (c.IS, c.NOT)
            if (subject := (fact.question, about_people, fact.subject)) in subjects:
                fail("claims", f"one statement on each subject, not {shown(texts)}")
            subjects.add(subject)
            if about_people:
                pair = fact.question * len(self.person) + self.place[fact.subject]
            else:
                pair = fact.question * len(self.terms.traits) + fact.subject
            sets[c.KINDS[fact.kind]] |= 1 << pair
        for kind, pairs in sets.items():
            self.s[f"claims_{kind}"][seat] = pairs

    def event(self, value: Any) -> list[int]:
        """An event as kind, seat, three arguments (see `moves.EVENT_ARGUMENTS`), and which of its bytes is counted."""
        event = a_list("events", value)
        if len(event) < 3:
            fail("events", f"kind, seat and more, not {shown(event)}")
        name = a_choice("events", event[0], m.EVENTS[1:])
        arguments = m.EVENT_ARGUMENTS[name]
        if len(event) != 2 + len(arguments):
            fail("events", f"too few or too many entries: {shown(event)}")
        stored = [m.EVENTS.index(name), an_int("events", event[1], 0, self.n - 1), 0, 0, 0]
        for (what, at), argument in zip(arguments.items(), event[2:], strict=True):
            for k, number in enumerate(self.argument(what, argument)):
                stored[at + k] = number
        if name == "say":
            return [*stored, m.SUBJECT_BYTE if stored[3] - 1 in (c.IS, c.NOT) else 0]
        return [*stored, int(getattr(m.COUNTED_BYTE, name))]

    def argument(self, what: str, value: Any) -> list[int]:
        """An argument of an event as the bytes that hold it."""
        if what == "location":
            return [an_int("events", value, 1, self.terms.n_locations)]
        if what == "card":
            if (card := an_int("events", value, 1, c.N_CARDS)) not in self.cards:
                fail("events", f"card {card} is not in play")
            return [card]
        if what == "seat":
            return [1 + an_int("events", value, 0, self.n - 1)]
        if what == "person":
            return [1 + self.place[self.terms.person("events", value)]]
        if what == "question":
            return [1 + self.terms.question("events", value)]
        fact = self.terms.fact("events", value)
        subject = self.place[fact.subject] if fact.kind in (c.IS, c.NOT) else fact.subject
        return [1 + fact.question, 1 + fact.kind, 1 + subject]

    # What was written

    def read_writing(self) -> None:
        """Accusations and answers of those whose turn to write has come, clockwise from the Leader."""
        order = clockwise(range(self.n), self.leader, self.n)
        done = order if self.phase in snapshots.POINTED else []
        if self.phase in WRITING:
            done = order[: order.index(self.to_act)]
        accusers = [*done, self.to_act] if self.phase == "answer" else done
        names = [self.terms.people[person] for person in self.cast]
        default = [names[seat] if seat in accusers else "" for seat in range(self.n)]
        for seat, accusation in enumerate(self.read("accusations", default)):
            if (accusation != "") != (seat in accusers):
                fail("accusations", f"exactly those who have written, seats {sorted(accusers)}")
        by_default = [[names[seat]] * self.n_answers if seat in done else [] for seat in range(self.n)]
        for seat, keys in enumerate(a_list("written", self.get("written", by_default), self.n)):
            answers = [self.place[self.terms.person("written", key)] for key in a_list("written", keys)]
            if seat in done:
                if len(answers) != self.n_answers:
                    fail("written", f"seat {seat}: {self.n_answers} answers")
            elif len(answers) >= (self.n_answers if self.phase == "answer" and seat == self.to_act else 1):
                fail("written", f"seat {seat} has not written so much")
            self.s["answers"][seat, : len(answers)] = answers

    def read_end(self) -> None:
        """Who is the most accused: one of those with most accusations, in the order of the case by default."""
        most: list[int] = []
        if self.phase in snapshots.POINTED:
            most = sorted(self.person[place] for place in members_of(self.rules_say(people_most_accused)))
        if self.phase == "tiebreak" and len(most) < 2:
            fail("accusations", "a tie is broken, and there is none")
        may_be = [self.terms.people[person] for person in most] if self.phase == "over" and most else [""]
        if (accused := self.read("accused", may_be[0])) not in may_be:
            fail("accused", f"one of {', '.join(map(repr, may_be))}, not {shown(accused)}")

    # The state

    def complete(self) -> None:
        """Fill in what follows from the rest; a snapshot that says otherwise is wrong."""
        self.read_rest(FOLLOWS)
        self.write_plain(self.state)
        go_on(self.state, self.rules)
        if self.phase == "answer":
            n_written = int((self.s["answers"][self.to_act] != NOBODY).sum())
            self.s["question"] = self.s["must_answer"][self.to_act, n_written]
        whole = snapshots.snapshot(self.terms, self.rules, self.state)
        check_results(self.snapshot, whole, FOLLOWS)
