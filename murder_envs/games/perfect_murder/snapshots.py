"""A state as a plain dict in the terms of the rulebook, and back (the page's section 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from murder_envs.core.checks import a_bool, a_choice, a_list, a_text, an_int, distinct, fail, known_only
from murder_envs.core.jit import entry, records
from murder_envs.core.rng import seed_rng
from murder_envs.games.perfect_murder.cards import (
    ACTION_CARDS,
    AGENTS,
    CLEAN_ANY,
    DETECTIVE,
    DISCARDED,
    FALSE_CLUE,
    FALSE_TRACE,
    FLIGHT_BEFORE_END,
    FROM_TOP,
    KINDS,
    MURDERER,
    NO_SEAT,
    NOBODY,
    ROOM,
    SEARCH_PILE,
    STEAL,
    STOLEN,
)
from murder_envs.games.perfect_murder.case import Case, reaching
from murder_envs.games.perfect_murder.deal import STATE, clear
from murder_envs.games.perfect_murder.moves import (
    ACCUSED,
    ASKED,
    CARD_PHASES,
    CLEANED,
    DISCARDED_3,
    FLED,
    FLIGHT_FLED,
    FLIGHT_OPEN,
    FLIGHT_STAYED,
    PASSED,
    PHASES,
    PILE,
    PLAYED,
    PLAYED_DOWN,
    PLAYED_UP,
    REMOVED,
    REQUESTED,
    SEARCHED,
    STAYED,
    real_marks,
)
from murder_envs.games.perfect_murder.play import legal, returns

FIELDS = (
    "suspect", "path", "weapon", "phase", "record", "round", "hand", "removed", "clue_pile", "trace_pile", "known",
    "room_pile", "known_rooms", "standard_done", "bonus_done", "searched", "fled", "actions_left", "actions_used",
    "pile", "chosen", "to_act", "over", "returns", "discard", "crossed", "false_marks", "x_markers", "examined",
    "action_cards", "used_room_cards", "winner", "correct",
)  # fmt: skip

PLANNING = PHASES[: PHASES.index("murderer_turn")]
MURDERERS = PHASES[PHASES.index("murderer_turn") : PHASES.index("flee")]
"""The murderer's own phases."""
STANDARD = ("remove_pick", "remove_top", "clean_card", "clean_room")
BONUS = tuple(PHASES[phase] for phase in CARD_PHASES) + ("search_card",)
CARD_OF = {PHASES[phase]: card for card, phase in enumerate(CARD_PHASES)} | {"search_card": SEARCH_PILE}
DETECTIVES = ("detective_turn", "split", "request_keep", "discard", "discard_marker")
ACCUSING = ("accuse_suspect", "accuse_weapon", "accuse_entry")
SEEN_THROUGH = {"remove_pick": 1, "remove_top": FROM_TOP, "request_keep": FROM_TOP, "search_card": 1}
"""Phases in which a pile is named -> how many cards it must have."""

LOOKS = ("blank", "x", "known")
FACES = {PLAYED_UP: "up", PLAYED_DOWN: "down"}


@entry
def start_empty(states, rules, seed):
    """An empty table with random numbers from a seed."""
    clear(states[0], rules[0])
    seed_rng(states[0], seed)


@entry
def legal_of(states, rules, words):
    """What can be done."""
    legal(states[0], rules[0], words)


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    returns(states[0], rules[0], out)


@entry
def marks_of(states, rules):
    """The real marks, as far as planned."""
    return real_marks(states[0], rules[0])


def members(numbers: Any) -> list[int]:
    """A set as a list, ascending."""
    return [i for i in range(64) if int(numbers) >> i & 1]


def as_set(numbers: Any) -> int:
    """A list as a set: bit i for i."""
    return sum(1 << int(i) for i in numbers)


def pile_of(state: np.ndarray, kind: int) -> list[int]:
    """The cards of a pile, top first, numbered within their kind."""
    word = int(state[0]["piles"][kind])
    return [word >> 4 * place & 15 for place in range(int(state[0]["pile_n"][kind]))]


def copies_of(packed: Any) -> list[int]:
    """How many of each action card, from a word of a byte each."""
    return [int(packed) >> 8 * card & 255 for card in range(len(ACTION_CARDS))]


class Snapshots:
    """Snapshots in the names of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case

    # -- From a state to a dict ----------------------------------------------------------------------

    def fields(self, cards: Any) -> list[str]:
        """A set of fields as names, in board order."""
        return [self.case.fields[field] for field in members(cards)]

    def snapshot(self, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
        """The complete snapshot of a state."""
        s = state[0]
        case = self.case
        phase = PHASES[s["phase"]]
        over = phase == "over"
        marks = int(marks_of(state, rules)) | int(s["false_marks"])
        paid = np.zeros(len(AGENTS))
        returns_of(state, rules, paid)
        left = [
            n - up - down
            for n, up, down in zip(case.action_cards, copies_of(s["up"]), copies_of(s["down"]), strict=True)
        ]
        events = [int(event) for event in s["record"][: s["record_n"]]]
        used = [argument_of(event, 0) + 1 for event in events if event & 15 == CLEANED]
        x_up, blank_off = int(s["x_up"]), int(s["blank_off"])
        return {
            "suspect": case.suspects[s["suspect"]] if s["suspect"] != NOBODY else "",
            "path": [case.rooms[room] for room in s["path"][: s["path_n"]]],
            "weapon": case.weapons[s["weapon"]] if s["weapon"] != NOBODY else "",
            "phase": phase,
            "record": [self.entry(event) for event in events],
            "round": int(s["round_n"]),
            "hand": self.fields(s["hand"]),
            "removed": self.fields(s["out"]),
            "clue_pile": [case.fields[card] for card in pile_of(state, 0)],
            "trace_pile": [case.fields[case.n_clues + card] for card in pile_of(state, 1)],
            "known": self.fields(s["known"]),
            "room_pile": [card + 1 for card in pile_of(state, ROOM)],
            "known_rooms": int(s["known_rooms"]),
            "standard_done": bool(s["standard_done"]),
            "bonus_done": bool(s["bonus_done"]),
            "searched": bool(s["searched"]),
            "fled": bool(s["flight"] == FLIGHT_FLED),
            "actions_left": int(s["actions_left"]),
            "actions_used": int(s["actions_used"]),
            "pile": PILE[s["pile"]],
            "chosen": self.chosen(state),
            "to_act": int(s["to_act"]),
            "over": over,
            "returns": [float(x) for x in paid],
            "discard": self.fields(s["discarded"]),
            "crossed": [case.rooms[room] for room in members(s["crossed"])],
            "false_marks": self.fields(s["false_marks"]),
            "x_markers": self.fields(marks),
            "examined": {case.fields[i]: "x" if x_up >> i & 1 else "blank" for i in members(x_up | blank_off)},
            "action_cards": dict(zip(ACTION_CARDS, left, strict=True)),
            "used_room_cards": used,
            "winner": AGENTS[s["verdict"] - 1] if s["verdict"] else "",
            "correct": self.correct(state) if over else [],
        }

    def correct(self, state: np.ndarray) -> list[bool]:
        """Which statements of the accusation are right: suspect, weapon, entry."""
        s = state[0]
        pairs = (("named_suspect", s["suspect"]), ("named_weapon", s["weapon"]), ("named_entry", s["path"][0]))
        return [bool(s[named] == true) for named, true in pairs]

    def chosen(self, state: np.ndarray) -> list[str]:
        """What the action under way has named so far."""
        s = state[0]
        phase = PHASES[s["phase"]]
        if phase == "clean_room":
            return [str(int(s["chosen_room_card"]) + 1)]
        if phase == "split":
            return [self.case.rooms[s["chosen_room"]]]
        if phase == "accuse_weapon":
            return [self.case.suspects[s["named_suspect"]]]
        if phase == "accuse_entry":
            return [self.case.suspects[s["named_suspect"]], self.case.weapons[s["named_weapon"]]]
        return self.fields(s["chosen"])

    def entry(self, event: int) -> str:
        """An entry of the record as text."""
        case = self.case
        kind, result = event & 15, event >> 4 & 15
        a, b, c, d = (argument_of(event, i) for i in range(4))
        fields, rooms = case.fields, case.rooms
        if kind == REMOVED:
            return f"remove {KINDS[a >= case.n_clues]} {fields[a]}"
        if kind == CLEANED:
            return f"clean {a + 1} {rooms[b]}"
        if kind in FACES:
            said = f"bonus {FACES[kind]} {ACTION_CARDS[a]}"
            if a == CLEAN_ANY:
                return f"{said} {rooms[b]}"
            if a == SEARCH_PILE:
                return f"{said} {KINDS[b >= case.n_clues]} {fields[b]}"
            return f"{said} {fields[b]}" + (f" {fields[c - 1]}" if a == STEAL and c else "")
        if kind == SEARCHED:
            return f"search {rooms[a]} " + (f"found {b} {c}" if result else "nothing")
        if kind == ASKED:
            return f"door {case.doors[a]} {'yes' if result else 'no'}"
        if kind == REQUESTED:
            return f"request {KINDS[a - 1]} {b}"
        if kind == PLAYED:
            return f"play {fields[a]} {LOOKS[result]}"
        if kind == DISCARDED_3:
            return f"discard {fields[a]} {fields[b]} {fields[c]} {fields[d]} {LOOKS[result]}"
        if kind == ACCUSED:
            return f"accuse {case.suspects[a]} {case.weapons[b]} {rooms[c]} {'right' if result else 'wrong'}"
        return {PASSED: "pass", STAYED: "stay", FLED: "flee"}[kind]

    # -- From a dict to a state ----------------------------------------------------------------------

    def restore(self, rules: np.ndarray, given: Mapping[str, Any], seed: int) -> np.ndarray:
        """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
        if not isinstance(given, Mapping):
            raise ValueError(f"snapshot: a dict of fields, not {given!r}")
        known_only(given, FIELDS, "snapshot field")
        state = records(STATE, 1)
        start_empty(state, rules, np.int64(seed))
        position = Position(self.case, rules, given)
        position.write(state)
        self.check_results(rules, state, given)
        return state

    def check_results(self, rules: np.ndarray, state: np.ndarray, given: Mapping[str, Any]) -> None:
        """Something can be done, and what follows from the rest agrees with it."""
        words = np.zeros(4, np.uint64)
        legal_of(state, rules, words)
        if PHASES[state[0]["phase"]] != "over" and not words.any():
            fail("phase", f"nothing is legal in {PHASES[state[0]['phase']]}")
        complete = self.snapshot(rules, state)
        in_any_order = ("discard", "crossed", "false_marks", "x_markers")
        for field in FIELDS[FIELDS.index("to_act") :]:
            if field not in given:
                continue
            value, expected = given[field], complete[field]
            if field in in_any_order and isinstance(value, (list, tuple)):
                value, expected = sorted(value, key=repr), sorted(expected)
            if not alike(value, expected):
                fail(field, f"{complete[field]!r} follows from the rest, not {given[field]!r}")


def alike(a: Any, b: Any) -> bool:
    """Are two plain values equal? A bool is no number; numbers are equal within 1e-6."""
    if isinstance(b, dict):
        return isinstance(a, Mapping) and a.keys() == b.keys() and all(alike(a[key], b[key]) for key in b)
    if isinstance(b, list):
        return isinstance(a, (list, tuple)) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(b, bool) or isinstance(a, (bool, np.bool_)):
        return isinstance(b, bool) and isinstance(a, (bool, np.bool_)) and bool(a) == b
    if isinstance(b, (int, float)):
        return isinstance(a, (int, float, np.number)) and abs(float(a) - b) <= 1e-6
    return isinstance(a, str) and a == b


def argument_of(event: int, i: int) -> int:
    """The i-th argument of an entry, from Python."""
    return event >> (8 + 6 * i) & 63


class Ledger:
    """A record, entry by entry: each is checked against the plan and those before it, and its effects are kept.

    Attributes:
        events: the entries as the state has them.
        recent: (kind, object, value) of each, as all see them.
        gone, stolen, discarded, removed: cards out of the game; those stolen; discarded; in the order of removal.
        up, down: copies of each action card lying face up, face down.
        used: room cards in order of use, with the room crossed out.
        crossed, found, vain, surely_off: sets of rooms; vain_cover: room -> the two numbers of its first vain search.
        x_up, blank_off, surely_real, false_marks: sets of fields.
        doors: door -> answer.
        removals: clue and trace removals.
        actions: how many actions the detective has done.
        flight: FLIGHT_*.
        accusation: (suspect, weapon, entry, right), or None.
    """

    def __init__(self, case: Case, suspect: int, weapon: int, path: Sequence[int]) -> None:
        self.case = case
        self.suspect, self.weapon, self.path = suspect, weapon, path
        self.real = {*case.suspect_fields[suspect], *case.weapon_fields[weapon]} if weapon != NOBODY else set()
        steps = {frozenset(pair) for pair in zip(path, path[1:])}
        self.path_doors = {door for door, pair in enumerate(case.door_rooms) if frozenset(pair) in steps}
        self.events: list[int] = []
        self.recent: list[tuple[int, int, int]] = []
        self.removed: list[int] = []
        self.stolen: set[int] = set()
        self.discarded: set[int] = set()
        self.up = [0] * len(ACTION_CARDS)
        self.down = [0] * len(ACTION_CARDS)
        self.used: dict[int, int] = {}
        self.crossed: set[int] = set()
        self.found: set[int] = set()
        self.vain: set[int] = set()
        self.surely_off: set[int] = set()
        self.vain_cover: dict[int, tuple[int, int]] = {}
        self.x_up: set[int] = set()
        self.blank_off: set[int] = set()
        self.surely_real: set[int] = set()
        self.false_marks: set[int] = set()
        self.doors: dict[int, bool] = {}
        self.removals = [0, 0]
        self.actions = 0
        self.flight = FLIGHT_OPEN
        self.accusation: tuple[int, int, int, bool] | None = None
        self.text = ""
        self.readers: dict[str, Callable[[list[str]], None]] = {
            "remove": self.remove,
            "clean": self.clean,
            "bonus": self.bonus,
            "pass": self.do_pass,
            "stay": self.stay,
            "flee": self.flee,
            "search": self.search,
            "door": self.door,
            "request": self.request,
            "play": self.play,
            "discard": self.discard,
            "accuse": self.accuse,
        }

    def wrong(self, why: str) -> Any:
        fail("record", f"{self.text!r}: {why}")

    def read(self, text: Any) -> None:
        """Enter an entry."""
        self.text = text
        words = text.split(" ") if isinstance(text, str) else []
        if not words or words[0] not in self.readers:
            self.wrong(f"begins with one of {', '.join(self.readers)}")
        if self.accusation:
            self.wrong("comes after the accusation")
        if self.flight == FLIGHT_FLED and words[0] in ("remove", "clean", "bonus", "pass"):
            self.wrong("the murderer has fled")
        self.readers[words[0]](words[1:])

    def enter(self, kind: int, result: int, arguments: Sequence[int], thing: int, value: int) -> None:
        packed = sum(argument << (8 + 6 * i) for i, argument in enumerate(arguments))
        self.events.append(kind | result << 4 | packed)
        self.recent.append((kind, thing, value))

    # Words

    def split(self, words: list[str], n: int) -> list[str]:
        if len(words) != n:
            self.wrong(f"{n} words after the first, not {len(words)}")
        return words

    def name(self, word: str, known: Sequence[str]) -> int:
        if word not in known:
            self.wrong(f"no {word!r} here")
        return list(known).index(word)

    def number(self, word: str, low: int, high: int) -> int:
        if not (word.isdecimal() and word.isascii() and low <= int(word) <= high):
            self.wrong(f"a number from {low} to {high}, not {word!r}")
        return int(word)

    def card(self, word: str, kind: int | None = None) -> int:
        """A card that is not gone yet."""
        card = self.name(word, self.case.fields)
        if kind is not None and (card >= self.case.n_clues) != (kind == 1):
            self.wrong(f"{word} is no {KINDS[kind]} card")
        if card in self.discarded or card in self.removed:
            self.wrong(f"the card {word} is gone already")
        return card

    def cards(self, words: Sequence[str]) -> list[int]:
        cards = sorted(self.card(word) for word in words)
        if len(set(cards)) < len(cards):
            self.wrong("a card twice")
        return cards

    def room(self, word: str) -> int:
        """A room, but not the scene."""
        room = self.name(word, self.case.rooms)
        if room == self.case.scene:
            self.wrong("never the scene")
        return room

    # What the murderer does

    def remove(self, words: list[str]) -> None:
        word, name = self.split(words, 2)
        kind = self.name(word, KINDS)
        card = self.card(name, kind)
        self.removed.append(card)
        self.removals[kind] += 1
        self.enter(REMOVED, 0, [card], kind + 1, 0)

    def clean(self, words: list[str]) -> None:
        number, name = self.split(words, 2)
        card = self.number(number, 1, len(self.case.room_cards)) - 1
        room = self.room(name)
        if card in self.used:
            self.wrong(f"room card {number} is used already")
        if room not in self.case.room_cards[card]:
            self.wrong(f"{name} is not on room card {number}")
        self.used[card] = room
        self.crossed.add(room)
        self.enter(CLEANED, 0, [card, room], card + 1, 0)

    def bonus(self, words: list[str]) -> None:
        if len(words) < 3 or words[0] not in ("up", "down"):
            self.wrong("bonus up|down, an action card, and what it does")
        down = words[0] == "down"
        card = self.name(words[1], ACTION_CARDS)
        if down and card >= STEAL:
            self.wrong(f"{words[1]} is always face up")
        if self.up[card] + self.down[card] >= self.case.action_cards[card]:
            self.wrong(f"no {words[1]} is left")
        (self.down if down else self.up)[card] += 1
        arguments, value = self.carry_out(card, words[2:])
        self.enter(PLAYED_DOWN if down else PLAYED_UP, 0, [card, *arguments], 0 if down else card + 1, value)

    def carry_out(self, card: int, words: list[str]) -> tuple[list[int], int]:
        """What an action card does; returns its arguments, and the value that all see."""
        if card == STEAL:
            if not 1 <= len(words) <= STOLEN:
                self.wrong("one or two cards")
            cards = self.cards(words)
            self.removed += cards
            self.stolen |= set(cards)
            return [cards[0], *(1 + other for other in cards[1:])], len(cards)
        if card == SEARCH_PILE:
            word, name = self.split(words, 2)
            kind = self.name(word, KINDS)
            self.removed.append(self.card(name, kind))
            return [self.removed[-1]], kind + 1
        (name,) = self.split(words, 1)
        if card == CLEAN_ANY:
            room = self.room(name)
            self.crossed.add(room)
            return [room], 0
        field = self.name(name, self.case.fields)
        if (field >= self.case.n_clues) != (card == FALSE_TRACE):
            self.wrong(f"{name} is on the other board")
        if field in self.real | self.false_marks | self.blank_off:
            self.wrong(f"no face-down blank on {name}")
        self.false_marks.add(field)
        return [field], 0

    def do_pass(self, words: list[str]) -> None:
        self.split(words, 0)
        self.enter(PASSED, 0, [], 0, 0)

    def stay(self, words: list[str]) -> None:
        self.decide_flight(words, STAYED, FLIGHT_STAYED)

    def flee(self, words: list[str]) -> None:
        self.decide_flight(words, FLED, FLIGHT_FLED)

    def decide_flight(self, words: list[str], kind: int, flight: int) -> None:
        self.split(words, 0)
        if self.flight != FLIGHT_OPEN:
            self.wrong("that is decided already")
        self.flight = flight
        self.enter(kind, 0, [], 0, 0)

    # What the detective does

    def search(self, words: list[str]) -> None:
        if len(words) < 2:
            self.wrong("search, a room, and `nothing` or `found` with two numbers")
        room = self.room(words[0])
        finds = room in self.path and room not in self.crossed
        if words[1] != ("found" if finds else "nothing"):
            self.wrong(f"the answer is {'found' if finds else 'nothing'}")
        self.actions += 1
        if not finds:
            self.split(words, 2)
            if room not in self.found | self.vain:
                cover, free = sum(room in self.case.room_cards[card] for card in self.used), self.cap(CLEAN_ANY)
                self.vain.add(room)
                self.vain_cover[room] = (cover, free)
                if cover == free == 0:
                    self.surely_off.add(room)
            self.enter(SEARCHED, 0, [room], room + 1, 0)
            return
        self.split(words, 4)
        clues, traces = (self.number(word, 0, FROM_TOP) for word in words[2:])
        if clues + traces > FROM_TOP:
            self.wrong(f"at most {FROM_TOP} cards")
        self.found.add(room)
        self.crossed.add(room)
        self.enter(SEARCHED, 1, [room, clues, traces], room + 1, 1 + clues)

    def door(self, words: list[str]) -> None:
        name, answer = self.split(words, 2)
        door = self.name(name, self.case.doors)
        yes = door in self.path_doors
        if answer != ("yes" if yes else "no"):
            self.wrong(f"the answer is {'yes' if yes else 'no'}")
        self.doors[door] = yes
        self.actions += 1
        self.enter(ASKED, int(yes), [door], door + 1, int(yes))

    def request(self, words: list[str]) -> None:
        word, number = self.split(words, 2)
        kind, n = self.name(word, KINDS), self.number(number, 1, FROM_TOP - 1)
        self.actions += 1
        self.enter(REQUESTED, 0, [kind + 1, n], kind + 1, n)

    def play(self, words: list[str]) -> None:
        name, shown = self.split(words, 2)
        card = self.card(name)
        self.discarded.add(card)
        look = self.examine(card, shown)
        self.actions += 1
        self.enter(PLAYED, look, [card], card + 1, look)

    def discard(self, words: list[str]) -> None:
        *names, field_name, shown = self.split(words, DISCARDED + 2)
        cards = self.cards(names)
        self.discarded |= set(cards)
        field = self.name(field_name, self.case.fields)
        if field in self.x_up | self.blank_off:
            self.wrong(f"the marker of {field_name} does not lie face down")
        look = self.examine(field, shown)
        self.actions += 1
        self.enter(DISCARDED_3, look, [*cards, field], field + 1, look)

    def cap(self, card: int) -> int:
        """How many copies can have been played, as the detective sees it."""
        return self.up[card] + min(self.case.action_cards[card] - self.up[card], sum(self.down))

    def examine(self, field: int, shown: str) -> int:
        """Look under a marker."""
        true = (
            "known"
            if field in self.x_up | self.blank_off
            else "x"
            if field in self.real | self.false_marks
            else "blank"
        )
        if shown != true:
            self.wrong(f"the marker is {true}")
        if true == "x":
            self.x_up.add(field)
            if self.cap(FALSE_CLUE if field < self.case.n_clues else FALSE_TRACE) == 0:
                self.surely_real.add(field)
        elif true == "blank":
            self.blank_off.add(field)
        return LOOKS.index(true)

    def accuse(self, words: list[str]) -> None:
        suspect_name, weapon_name, entry_name, verdict = self.split(words, 4)
        suspect = self.name(suspect_name, self.case.suspects)
        weapon = self.name(weapon_name, self.case.weapons)
        room = self.name(entry_name, self.case.rooms)
        if room not in self.case.outer:
            self.wrong(f"{entry_name} is no outer room")
        right = (suspect, weapon, room) == (self.suspect, self.weapon, self.path[0])
        if verdict != ("right" if right else "wrong"):
            self.wrong(f"the accusation is {'right' if right else 'wrong'}")
        self.accusation = (suspect, weapon, room, right)
        self.enter(ACCUSED, int(right), [suspect, weapon, room], 0, int(right))


class Position:
    """What a snapshot says, field by field: defaults filled in, everything checked, in the order of the page."""

    def __init__(self, case: Case, rules: np.ndarray, given: Mapping[str, Any]) -> None:
        self.case = case
        self.given = given
        self.n_rounds = int(rules[0]["n_rounds"])
        self.n_actions = int(rules[0]["n_actions"])
        self.black = int(rules[0]["black"])
        self.read_plan()
        self.read_phase()
        self.read_record()
        self.read_cards()
        self.read_rooms()
        self.read_turn()
        self.read_action()

    def get(self, field: str, default: Any) -> Any:
        return self.given.get(field, default)

    # The plan

    def read_plan(self) -> None:
        case = self.case
        suspect = a_text("suspect", self.get("suspect", ""))
        self.suspect = NOBODY if suspect == "" else self.index("suspect", suspect, case.suspects)
        rooms = [self.index("path", name, case.rooms) for name in a_list("path", self.get("path", []))]
        weapon = a_text("weapon", self.get("weapon", ""))
        self.weapon = NOBODY if weapon == "" else self.index("weapon", weapon, case.weapons)
        if self.suspect == NOBODY and (rooms or self.weapon != NOBODY):
            fail("suspect", "is chosen before the path and the weapon")
        self.path: list[int] = []
        for room in rooms:
            if room not in self.steps():
                fail("path", f"does not lead to {case.rooms[room]} as its step {len(self.path) + 1}")
            self.path.append(room)
        self.finished = bool(self.path) and self.path[-1] == case.scene
        if self.weapon != NOBODY:
            if not self.finished:
                fail("weapon", "is chosen when the path is finished")
            if case.weapon_rooms[self.weapon] not in self.path:
                fail("weapon", f"{weapon} does not lie on the path")
        self.planned = self.weapon != NOBODY

    def index(self, field: str, name: Any, known: Sequence[str]) -> int:
        return known.index(a_choice(field, name, known))

    def steps(self) -> set[int]:
        """The rooms that the path may enter next."""
        if not self.path:
            return set(self.case.outer)
        if self.path[-1] == self.case.scene:
            return set()
        beside: list[list[int]] = [[] for _ in self.case.rooms]
        for a, b in self.case.door_rooms:
            beside[a].append(b)
            beside[b].append(a)
        return set(beside[self.path[-1]]) & reaching(self.case.scene, beside, set(self.path))

    # What is asked, and when

    def read_phase(self) -> None:
        lacks = (
            "plan_suspect"
            if self.suspect == NOBODY
            else "plan_path"
            if not self.finished
            else "plan_weapon"
            if not self.planned
            else ""
        )
        over = a_bool("over", self.get("over", False))
        self.phase = a_choice("phase", self.get("phase", lacks or ("over" if over else "murderer_turn")), PHASES)
        if lacks and self.phase != lacks:
            fail("phase", f"{lacks}, since the plan is not finished")
        if not lacks and self.phase in PLANNING:
            fail("phase", "the plan is finished")
        last = self.phase == "over" or (self.phase in ACCUSING and self.get("actions_left", None) == 0)
        self.round = an_int("round", self.get("round", self.n_rounds if last else 1), 1, self.n_rounds)
        if lacks and self.round != 1:
            fail("round", "1 while the murderer plans")
        flight_after = self.n_rounds - FLIGHT_BEFORE_END
        if self.phase == "flee" and (flight_after < 1 or self.round != flight_after):
            fail("phase", f"flee only at the end of round {flight_after}, if there is one")

    def read_record(self) -> None:
        self.ledger = ledger = Ledger(self.case, self.suspect, self.weapon, self.path)
        entries = a_list("record", self.get("record", []))
        if entries and not self.planned:
            fail("record", "empty before the plan is finished")
        most = self.round * (2 + self.n_actions) + 2
        if len(entries) > most:
            fail("record", f"at most {most} entries by round {self.round}")
        for text in entries:
            ledger.read(text)
        if ledger.flight != FLIGHT_OPEN and not (
            self.n_rounds > FLIGHT_BEFORE_END and self.round > self.n_rounds - FLIGHT_BEFORE_END
        ):
            fail("record", f"no flight is decided by round {self.round}")
        if (ledger.accusation is not None) != (self.phase == "over"):
            fail("record", "ends with an accusation exactly when the game is over")
        self.has_fled = ledger.flight == FLIGHT_FLED
        if a_bool("fled", self.get("fled", self.has_fled)) != self.has_fled:
            fail("fled", f"{self.has_fled} by the record")
        if self.has_fled and self.phase in MURDERERS:
            fail("phase", "the murderer has fled")

    # Where the cards are

    def cards(self, field: str, default: Sequence[int]) -> list[int]:
        """A list of different cards."""
        if field not in self.given:
            return list(default)
        cards = [self.index(field, name, self.case.fields) for name in a_list(field, self.given[field])]
        distinct(field, [self.case.fields[card] for card in cards])
        return cards

    def read_cards(self) -> None:
        ledger, names = self.ledger, self.case.fields
        gone = ledger.discarded | set(ledger.removed)
        self.hand = self.cards("hand", [])
        for card in self.hand:
            if card in gone:
                fail("hand", f"the card {names[card]} is gone")
        self.removed = self.cards("removed", sorted(ledger.removed))
        for card in ledger.removed:
            if card not in self.removed:
                fail("removed", f"{names[card]} is removed in the record")
        for card in self.removed:
            if card in self.hand or card in ledger.discarded:
                fail("removed", f"{names[card]} is in two places")
        if not self.planned and self.removed:
            fail("removed", "nothing before the plan is finished")
        elsewhere = {*self.hand, *self.removed, *ledger.discarded}
        n_clues = self.case.n_clues
        self.piles = []
        for kind, fields in enumerate((range(n_clues), range(n_clues, len(names)))):
            field = f"{KINDS[kind]}_pile"
            left = [card for card in fields if card not in elsewhere]
            pile = self.cards(field, left)
            if sorted(pile) != left:
                fail(field, f"exactly the cards that are nowhere else: {', '.join(names[card] for card in left)}")
            self.piles.append(pile)
        self.known = self.cards("known", [])
        for card in self.known:
            if card not in self.hand and card not in self.piles[0] and card not in self.piles[1]:
                fail("known", f"{names[card]} is neither in a pile nor in the hand")

    def read_rooms(self) -> None:
        left = [card for card in range(len(self.case.room_cards)) if card not in self.ledger.used]
        given = a_list("room_pile", self.get("room_pile", [card + 1 for card in left]))
        self.room_pile = [an_int("room_pile", card, 1, len(self.case.room_cards)) - 1 for card in given]
        if sorted(self.room_pile) != left:
            fail("room_pile", f"exactly the cards that are not used: {', '.join(str(card + 1) for card in left)}")
        self.known_rooms = an_int("known_rooms", self.get("known_rooms", 0), 0, len(left))

    # The round

    def read_turn(self) -> None:
        phase = self.phase
        open_still = phase in MURDERERS or phase in PLANNING or self.has_fled
        self.standard_done = a_bool("standard_done", self.get("standard_done", not open_still))
        if self.standard_done and phase in STANDARD:
            fail("standard_done", f"False in {phase}")
        if self.standard_done and phase in PLANNING:
            fail("standard_done", "False while the murderer plans")
        self.bonus_done = a_bool("bonus_done", self.get("bonus_done", False))
        is_black = bool(self.black >> self.round & 1)
        if self.bonus_done and not is_black:
            fail("bonus_done", f"round {self.round} does not begin on a black space")
        if self.bonus_done and (phase in BONUS or phase in PLANNING):
            fail("bonus_done", f"False in {phase}")
        self.searched = a_bool("searched", self.get("searched", phase == "split"))
        if phase == "split" and not self.searched:
            fail("searched", "True in split")
        if self.searched and phase in PLANNING:
            fail("searched", "False while the murderer plans")
        if phase in BONUS:
            card = CARD_OF[phase]
            if not is_black:
                fail("phase", f"{phase} only in a round that begins on a black space")
            if self.ledger.up[card] + self.ledger.down[card] >= self.case.action_cards[card]:
                fail("phase", f"{phase} only with the card {ACTION_CARDS[card]} in hand")
        self.read_actions()

    def read_actions(self) -> None:
        full = self.n_actions - (self.has_fled and self.round == self.n_rounds)
        phase = self.phase
        low, high = full, full
        if phase == "flee":
            low, high = 0, 0
        elif phase == "over":
            low = 0
        elif phase in DETECTIVES:
            low = 1
        elif phase in ACCUSING:
            low = 0 if self.round == self.n_rounds else 1
        default = 0 if phase in ("flee", "over") else full
        if low > high:
            fail("phase", f"the detective has no action in round {self.round}")
        self.actions_left = an_int("actions_left", self.get("actions_left", default), low, high)
        done = self.ledger.actions
        most = max(done, self.n_rounds * self.n_actions)
        self.actions_used = an_int("actions_used", self.get("actions_used", done), done, most)

    # The action under way

    def read_action(self) -> None:
        self.pile = PILE.index(a_choice("pile", self.get("pile", ""), PILE))
        if (self.pile != 0) != (self.phase in SEEN_THROUGH):
            fail("pile", f"named exactly in {', '.join(SEEN_THROUGH)}")
        if self.pile and len(self.piles[self.pile - 1]) < SEEN_THROUGH[self.phase]:
            fail("pile", f"has too few cards for {self.phase}")
        self.chosen = [a_text("chosen", name) for name in a_list("chosen", self.get("chosen", []))]
        self.chosen_cards: list[int] = []
        self.chosen_room = self.chosen_room_card = NOBODY
        self.named = [NOBODY] * 3
        phase, case = self.phase, self.case
        if phase == "remove_top":
            self.choose_cards(1, 1, self.piles[self.pile - 1][:FROM_TOP])
        elif phase == "steal":
            self.check_named(min(STOLEN, len(self.hand)))
        elif phase == "discard":
            self.check_named(DISCARDED)
        elif phase == "discard_marker":
            self.choose_cards(DISCARDED, DISCARDED, self.hand)
        elif phase == "clean_room":
            (name,) = self.n_chosen(1, 1)
            on_top = [str(card + 1) for card in self.room_pile[:FROM_TOP]]
            if name not in on_top:
                fail("chosen", f"one of the top room cards {', '.join(on_top)}, not {name!r}")
            self.chosen_room_card = int(name) - 1
        elif phase == "split":
            (name,) = self.n_chosen(1, 1)
            self.chosen_room = self.index("chosen", name, case.rooms)
            finds = self.chosen_room in self.path and self.chosen_room not in self.ledger.crossed
            if self.chosen_room == case.scene or not finds:
                fail("chosen", f"nothing is found in {name}")
            if not any(self.piles):
                fail("phase", "both piles are empty in split")
        elif phase in ACCUSING:
            names = self.n_chosen(ACCUSING.index(phase), ACCUSING.index(phase))
            for i, (name, known) in enumerate(zip(names, (case.suspects, case.weapons))):
                self.named[i] = self.index("chosen", name, known)
        else:
            self.n_chosen(0, 0)
        if self.ledger.accusation:
            self.named = list(self.ledger.accusation[:3])

    def n_chosen(self, low: int, high: int) -> list[str]:
        if not low <= len(self.chosen) <= high:
            fail("chosen", f"{low if low == high else f'{low} to {high}'} entries in {self.phase}")
        return self.chosen

    def choose_cards(self, low: int, high: int, cards: Sequence[int]) -> None:
        """Cards named so far, in rising order, out of some."""
        for name in self.n_chosen(low, high):
            card = self.index("chosen", name, self.case.fields)
            if card not in cards or any(card <= other for other in self.chosen_cards):
                fail("chosen", f"{name} cannot be named here; cards are named in board order")
            self.chosen_cards.append(card)

    def check_named(self, size: int) -> None:
        """Fewer than `size` cards of the hand, with enough higher ones left to go on."""
        if size == 0 or len(self.hand) < size:
            fail("phase", f"too few cards in the hand for {self.phase}")
        self.choose_cards(0, size - 1, self.hand)
        for i, card in enumerate(self.chosen_cards):
            if sum(other > card for other in self.hand) < size - 1 - i:
                fail("chosen", f"after {self.case.fields[card]} too few cards can follow; they go in board order")

    # The state

    def write(self, state: np.ndarray) -> None:
        """Fill in an empty state."""
        s = state[0]
        ledger = self.ledger
        s["phase"] = PHASES.index(self.phase)
        murderers = (*PLANNING, *MURDERERS, "flee", "request_keep")
        s["to_act"] = NO_SEAT if self.phase == "over" else MURDERER if self.phase in murderers else DETECTIVE
        s["round_n"], s["actions_left"], s["actions_used"] = self.round, self.actions_left, self.actions_used
        s["standard_done"], s["bonus_done"], s["searched"] = self.standard_done, self.bonus_done, self.searched
        s["flight"] = ledger.flight
        if ledger.accusation:
            s["verdict"] = 1 + (DETECTIVE if ledger.accusation[3] else MURDERER)
        s["pile"], s["chosen"] = self.pile, as_set(self.chosen_cards)
        s["chosen_room"], s["chosen_room_card"] = self.chosen_room, self.chosen_room_card
        s["named_suspect"], s["named_weapon"], s["named_entry"] = self.named
        s["suspect"], s["weapon"], s["path_n"] = self.suspect, self.weapon, len(self.path)
        s["path"][: len(self.path)] = self.path
        s["path_rooms"], s["path_doors"] = as_set(self.path), as_set(ledger.path_doors)
        s["hand"], s["discarded"], s["out"] = as_set(self.hand), as_set(ledger.discarded), as_set(self.removed)
        s["stolen"], s["known"] = as_set(ledger.stolen), as_set(self.known)
        traces = [card - self.case.n_clues for card in self.piles[1]]
        for kind, pile in enumerate((self.piles[0], traces, self.room_pile)):
            s["pile_n"][kind] = len(pile)
            s["piles"][kind] = sum(card << 4 * place for place, card in enumerate(pile))
        s["known_rooms"] = self.known_rooms
        s["up"], s["down"] = (sum(n << 8 * card for card, n in enumerate(its)) for its in (ledger.up, ledger.down))
        s["n_down"] = sum(ledger.down)
        s["standard_n"][:] = *ledger.removals, len(ledger.used)
        for field in ("false_marks", "x_up", "blank_off", "surely_real", "crossed", "found", "vain", "surely_off"):
            s[field] = as_set(getattr(ledger, field))
        for room, (cover, free) in ledger.vain_cover.items():
            s["vain_cover"].view(np.uint8)[2 * room : 2 * room + 2] = cover, free
        s["used_room_cards"] = as_set(ledger.used)
        for card, room in ledger.used.items():
            s["room_card_choice"].view(np.uint8)[card] = 1 + self.case.room_cards[card].index(room)
            for named in self.case.room_cards[card]:
                s["cover"].view(np.uint8)[named] += 1
        s["door_yes"] = as_set(door for door, yes in ledger.doors.items() if yes)
        s["door_no"] = as_set(door for door, yes in ledger.doors.items() if not yes)
        s["record"][: len(ledger.events)] = ledger.events
        s["record_n"] = len(ledger.events)
        shown = 0
        for kind, thing, value in ledger.recent[-8:]:
            shown = shown << 24 | kind | thing << 8 | value << 16
        for i in range(3):
            s["recent"][i] = shown >> 64 * i & (1 << 64) - 1
