"""A state in words: what its end says, its figures, the table as text. Never compiled."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from murder_envs.core.bits import PAD
from murder_envs.core.jit import entry
from murder_envs.core.snapshots import members_of
from murder_envs.core.tables import Layout
from murder_envs.core.wording import listed
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import sentences
from murder_envs.games.perfect_murder.layout import MOST_WAYS
from murder_envs.games.perfect_murder.moves import FLIGHT, FLIGHTS, VERDICTS
from murder_envs.games.perfect_murder.snapshots import Snapshots
from murder_envs.games.perfect_murder.view import observe
from murder_envs.games.perfect_murder.words import ACTION_CARDS, Scene, Words, counted

SHOWN = 12
"""How many entries of the record a text shows."""


@entry
def look(states, rules, seat, row):
    """A seat's observation."""
    observe(states[0], rules[0], seat, row)


class Texts:
    """Texts and tables in the names of a case."""

    def __init__(self, words: Words, observation: Layout, snapshots: Snapshots) -> None:
        self.words = words
        self.case = words.case
        self.observation = observation
        self.snapshots = snapshots

    def info(self, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, Any]:
        """Nothing before the end; then the plan, the accusation, what of it was right, and how long it took."""
        s = state[0]
        if not s["verdict"]:
            return {}
        case = self.case
        return {
            "winner": VERDICTS[s["verdict"]],
            "accusation": [
                case.suspects[s["named_suspect"]],
                case.weapons[s["named_weapon"]],
                case.rooms[s["named_entry"]],
            ],
            "correct": self.snapshots.correct(state),
            "actions_used": int(s["actions_used"]),
            "round": int(s["round"]),
            "actions_left": int(s["actions_left"]),
            "fled": bool(s["flight"] == FLIGHT.fled),
            "suspect": case.suspects[s["suspect"]],
            "weapon": case.weapons[s["weapon"]],
            "path": [case.rooms[room] for room in s["path"][: s["path_n"]]],
        }

    def figures(self, rules: np.ndarray, state: np.ndarray) -> dict[str, float]:
        """Of a finished game: who won, what was right, rooms on the path before the scene, searches and the share of
        them that found something (NaN without one), the detective's last hand, markers examined, whether it came to a
        flight (NaN if it was not decided), actions used (NaN unless the detective won)."""
        full = self.snapshots.snapshot(rules, state)
        searches = [text for text in full["record"] if text.startswith("search ")]
        successes = [text for text in searches if " found " in text]
        decided = full["fled"] or "stay" in full["record"]
        won = full["winner"] == c.AGENTS[c.DETECTIVE]
        return {
            "win": float(won),
            **{name: float(right) for name, right in zip(("suspect", "weapon", "entry"), full["correct"], strict=True)},
            "rooms": float(len(full["path"]) - 1),
            "searches": float(len(searches)),
            "found": len(successes) / len(searches) if searches else float("nan"),
            "hand": float(len(full["hand"])),
            "examined": float(len(full["examined"])),
            "fled": float(full["fled"]),
            "fled_if_asked": float(full["fled"]) if decided else float("nan"),
            "actions": float(full["actions_used"]) if won else float("nan"),
        }

    def figures_of_seat(self, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, float]:
        """Of a finished game, the same for both: what of the accusation was right, and the actions used."""
        full = self.snapshots.snapshot(rules, state)
        right = zip(("suspect", "weapon", "entry"), full["correct"], strict=True)
        return {**{name: float(is_right) for name, is_right in right}, "actions": float(full["actions_used"])}

    # -- The table as text ---------------------------------------------------------------------------

    def text(self, rules: np.ndarray, state: np.ndarray, seat: int | None) -> str:
        """Both boards, the villa, the cards, the record and the sheet, from above or as a seat sees them."""
        scene, seen = Scene(self.words, rules, state, seat), self.seen(rules, state, seat)
        lines = [
            self.headline(scene),
            sentences.asked(self.words, rules, state, seat),
            "",
            *self.plan_text(scene),
            *self.round_text(scene),
            "",
            *self.house_text(scene, seen),
            *self.rooms_text(scene, seen),
            "",
            *self.suspects_text(seen),
            "",
            *self.weapons_text(seen),
            MARKERS,
            "",
            *self.sheet_text(seen),
            "",
            *self.cards_text(scene, seen),
            "",
            *record_text(scene),
        ]
        return "\n".join(part for line in lines for part in folded(line)) + "\n"

    def seen(self, rules: np.ndarray, state: np.ndarray, seat: int | None) -> dict[str, np.ndarray]:
        """Section of the observation -> its values for a seat; from above, for the murderer."""
        row = np.zeros(self.observation.size + PAD, np.int8)
        look(state, rules, c.MURDERER if seat is None else seat, row)
        return {name: row[block.slice].reshape(block.shape) for name, block in self.observation.items()}

    def headline(self, scene: Scene) -> str:
        """The case, the round, and who looks."""
        seen_from = "seen from above" if scene.reader is None else f"as the {c.AGENTS[scene.reader]} sees it"
        round_n, rounds = int(scene.s["round"]), int(scene.rules[0]["rounds"])
        return f"Perfect Murder, {self.case.name}, round {round_n} of {rounds}, {seen_from}"

    def plan_text(self, scene: Scene) -> list[str]:
        """Suspect, weapon and path, as far as they are planned; the accusation as far as it is made."""
        s, lines = scene.s, []
        if scene.wording.sees(c.MURDERER):
            suspect = scene.suspect(int(s["suspect"])) if s["suspect"] >= 0 else "none yet"
            weapon = scene.weapon(int(s["weapon"])) if s["weapon"] >= 0 else "none yet"
            path = ", ".join(scene.room(int(room)) for room in s["path"][: s["path_n"]])
            lines += [f"the plan: suspect: {suspect}; weapon: {weapon}; path: {path or 'none yet'}", ""]
        if s["named_suspect"] >= 0 and (scene.wording.sees(c.DETECTIVE) or s["verdict"]):
            weapon = f", with {scene.weapon(int(s['named_weapon']))}" if s["named_weapon"] >= 0 else ""
            entry = f", entering through {scene.room(int(s['named_entry']))}" if s["named_entry"] >= 0 else ""
            lines += [f"the accusation: {scene.suspect(int(s['named_suspect']))}{weapon}{entry}", ""]
        return lines

    def round_text(self, scene: Scene) -> list[str]:
        """The round board: the marker, and what each space allows."""
        s, spaces = scene.rules[0], []
        for space in range(1, int(s["rounds"]) + 1):
            black, down = (int(s[what]) >> space & 1 for what in ("black", "down"))
            here = f"({space})" if space == scene.s["round"] else f"{space}"
            spaces.append(here + ("v" if down else "*" if black else ""))
        lines = [f"round board: {'  '.join(spaces)}", BOARD_LEGEND]
        if scene.s["flight"]:
            lines.append(f"the murderer has {FLIGHTS[scene.s['flight']]}")
        return lines

    # -- The house

    def house_text(self, scene: Scene, seen: dict[str, np.ndarray]) -> list[str]:
        """The floor plan: rooms with their marks, doors with their answers; nothing if the case has no plan."""
        case = self.case
        if not case.plan:
            return []
        canvas = np.full((len(case.plan) * DEEP - 1, len(case.plan[0]) * WIDE), " ", "<U1")
        places = {room: (i, k) for i, row in enumerate(case.plan) for k, room in enumerate(row) if room >= 0}
        names = {room: (case.words[case.rooms[room]] + self.room_mark(room))[: WIDE - 3] for room in places}

        def put(y: int, x: int, text: str) -> None:
            canvas[y, x : x + len(text)] = list(text)

        def put_in_the_middle(y: int, column: int, text: str) -> None:
            put(y, column * WIDE + (WIDE - len(text)) // 2, text)

        for door, pair in enumerate(case.door_rooms):
            one, two = sorted(pair, key=places.__getitem__)
            (top, left), (bottom, right) = places[one], places[two]
            answer = int(seen["door_answer"][door].argmax())
            if top == bottom:
                start = left * WIDE + (WIDE + len(names[one])) // 2 + 1
                end = right * WIDE + (WIDE - len(names[two])) // 2 - 1
                put(top * DEEP, start, "-=-"[answer] * (end - start))
                put(top * DEEP, (start + end) // 2, "-=x"[answer])
            elif bottom == top + 1 and abs(right - left) <= 1:
                put(top * DEEP + 2, (left + right + 1) * WIDE // 2, ("/|\\"[1 + right - left], "=", "x")[answer])
        for room, (i, k) in places.items():
            put_in_the_middle(i * DEEP, k, names[room])
            put_in_the_middle(i * DEEP + 1, k, self.room_state(scene, seen, room))
        title = f"the house (* a path may begin there; # the scene; {DOORS}):"
        return [title, SEARCHES, *("  " + "".join(line).rstrip() for line in canvas), ""]

    def room_mark(self, room: int) -> str:
        """Is it the scene, or may a path begin in it?"""
        return "#" if room == self.case.scene else "*" if room in self.case.outer else ""

    def room_state(self, scene: Scene, seen: dict[str, np.ndarray], room: int) -> str:
        """What the looker knows of a room, in short: at most `path 16, nothing`, which fits between two rooms."""
        knows = scene.wording.sees(c.MURDERER)
        marks = [f"path {seen['plan_path'][room]}"] if knows and seen["plan_path"][room] else []
        marks += [("", "found", "nothing")[int(seen["room_search"][room].argmax())]]
        return ", ".join(mark for mark in marks if mark)

    def rooms_text(self, scene: Scene, seen: dict[str, np.ndarray]) -> list[str]:
        """Each room with its weapon, the rooms behind its doors, and what the looker knows of it."""
        case, lines = (
            self.case,
            ["rooms: the weapon that lies there; doors to which rooms, with the answer; what is known"],
        )
        for room, name in enumerate(case.rooms):
            beside = [
                case.words[case.rooms[sum(pair) - room]] + ("", " yes", " no")[int(seen["door_answer"][door].argmax())]
                for door, pair in enumerate(case.door_rooms)
                if room in pair
            ]
            weapons = [
                case.words[weapon]
                for weapon, there in zip(case.weapons, case.weapon_rooms, strict=True)
                if there == room
            ]
            notes = "; ".join(self.room_notes(scene, seen, room))
            title = f"{case.words[name]}{self.room_mark(room)}"
            line = f"  {title:14} {', '.join(weapons) or '':12} {', '.join(beside)}"
            lines.append(line + (f"; {notes}" if notes else ""))
        return lines

    def room_notes(self, scene: Scene, seen: dict[str, np.ndarray], room: int) -> list[str]:
        """What is known of a room: the plan, the search, the cards that name it, what follows from it."""
        notes = []
        if scene.wording.sees(c.MURDERER):
            notes += [f"room {seen['plan_path'][room]} of the path"] if seen["plan_path"][room] else []
            notes += ["crossed out"] if seen["crossed"][room] else []
        notes += [("", "something was found", "nothing was found")[int(seen["room_search"][room].argmax())]]
        if seen["cover"][room]:
            notes.append(f"on {counted(int(seen['cover'][room]), 'used room card')}")
        if room != self.case.scene and seen["room_on"][room, 1]:
            notes.append("surely on the path")
        if room != self.case.scene and not seen["room_on"][room, 0]:
            notes.append("surely not on the path")
        return [note for note in notes if note]

    # -- The sheet

    def suspects_text(self, seen: dict[str, np.ndarray]) -> list[str]:
        """Who leaves which clues, with the marker of each, and who is ruled out."""
        rows = zip(self.case.suspects, self.case.suspect_fields, seen["suspect_possible"], strict=True)
        return ["suspects and their clues (/ is ruled out):", *(self.sheet_row(seen, *row) for row in rows)]

    def weapons_text(self, seen: dict[str, np.ndarray]) -> list[str]:
        """Which weapon leaves which traces, with the marker of each, and what is ruled out."""
        rows = zip(self.case.weapons, self.case.weapon_fields, seen["weapon_possible"], strict=True)
        return ["weapons and their traces (/ is ruled out):", *(self.sheet_row(seen, *row) for row in rows)]

    def sheet_row(self, seen: dict[str, np.ndarray], name: str, fields: Iterable[int], possible: int) -> str:
        """A suspect or a weapon with its fields."""
        marked = "".join(f"{self.marked(seen, field):14}" for field in fields)
        return f"  {' ' if possible else '/'} {self.case.words[name]:13} {marked}".rstrip()

    def marked(self, seen: dict[str, np.ndarray], field: int) -> str:
        """A field with its marker: `Oil ?`."""
        mark = MARKS[int(seen["marker"][field].argmax())]
        return f"{self.words.field(field)} {mark}" + ("!" if seen["marker_truth"][field] == 2 else "")

    def sheet_text(self, seen: dict[str, np.ndarray]) -> list[str]:
        """What can be, on what both know."""
        words, n = self.words, int(seen["sheet_sizes"][3])
        suspects, weapons, entries, _ = (int(size) for size in seen["sheet_sizes"])
        rooms = ", ".join(words.case.words[words.case.rooms[i]] for i in np.flatnonzero(seen["entry_possible"]))
        return [
            "from what both players know:",
            f"  possible: {counted(suspects, 'suspect')}, {counted(weapons, 'weapon')}",
            f"  the path can begin in {counted(entries, 'room')}: {rooms or '-'}",
            f"  possible paths: {n if n < MOST_WAYS else f'more than {MOST_WAYS - 1}'}",
        ]

    # -- The cards

    def cards_text(self, scene: Scene, seen: dict[str, np.ndarray]) -> list[str]:
        """The hand, the piles and the action cards."""
        words, s = self.words, scene.s
        knows = scene.wording.sees(c.MURDERER)
        lines = [f"{scene.wording.owner(c.DETECTIVE)} hand: {self.hand_text(scene, seen)}"]
        for kind, name in enumerate(c.KINDS):
            lines.append(f"{name} pile: {self.pile_text(scene, seen, kind)}")
        if knows and (looked := np.flatnonzero(seen["drawn"])).size and scene.phase != "search_card":
            lines.append(
                f"{'you look' if scene.reader == c.MURDERER else 'the murderer looks'} at: {names(words, looked)}"
            )
        if (chosen := np.flatnonzero(seen["chosen_cards"])).size:
            lines.append(f"chosen so far: {names(words, chosen)}")
        lines.append(f"discard pile: {names(words, members_of(s['discarded']))}")
        stolen = members_of(s["stolen"])
        out = members_of(s["out"])
        rest = counted(len(out) - len(stolen), "card")
        gone = names(words, out) if knows else f"{names(words, stolen)}, and unseen {rest}" if stolen else rest
        lines.append(f"out of the game: {gone if out else '-'}")
        return lines + self.other_cards_text(scene, seen)

    def other_cards_text(self, scene: Scene, seen: dict[str, np.ndarray]) -> list[str]:
        """Room cards and action cards."""
        s = scene.s
        used = self.room_cards(members_of(s["used_room_cards"]))
        lines = [f"room cards used: {used}; left: {int(s['pile_n'][c.ROOM])}"]
        laid = np.flatnonzero(seen["room_card"][:, 2])
        if laid.size:
            lines.append("room cards laid open: " + self.room_cards(laid))
        bottom = scene.pile(c.ROOM)[::-1][: int(s["known_rooms"])][::-1]
        if bottom:
            lines.append("bottom of the room pile, from the top down: " + self.room_cards(bottom))
        up, down, left = (
            ", ".join(f"{n} {card}" for card, n in zip(ACTION_CARDS, seen[block], strict=True) if n) or "-"
            for block in ("cards_up", "cards_down", "cards_left")
        )
        face_down = down if scene.wording.sees(c.MURDERER) else seen["face_down"][0]
        lines.append(f"action cards face up: {up}; face down: {face_down}")
        where = "action cards in hand" if scene.wording.sees(c.MURDERER) else "action cards that do not lie face up"
        return [*lines, f"{where}: {left}"]

    def room_cards(self, cards: Iterable[int]) -> str:
        """Room cards in short: `4 (hall or golf room)`."""
        case = self.case
        pairs = {card: " or ".join(case.words[case.rooms[room]] for room in case.room_cards[card]) for card in cards}
        return ", ".join(f"{card + 1} ({rooms})" for card, rooms in pairs.items()) or "-"

    def hand_text(self, scene: Scene, seen: dict[str, np.ndarray]) -> str:
        """The detective's cards; for the murderer those that are known, and how many of each kind."""
        if scene.wording.sees(c.DETECTIVE):
            return names(self.words, scene.hand())
        if not scene.hand():
            return "-"
        sizes = scene.drawn(len(scene.hand(c.CLUE)), len(scene.hand(c.TRACE)))
        known = np.flatnonzero(seen["exposed"])
        return f"{sizes}, of which you know {names(self.words, known)}" if known.size else sizes

    def pile_text(self, scene: Scene, seen: dict[str, np.ndarray], kind: int) -> str:
        """A pile: its cards from above, what the murderer knows of it, or its size."""
        cards = scene.pile(kind)
        if scene.reader is None:
            return f"from the top {names(self.words, cards)}" if cards else "-"
        size = counted(len(cards), "card")
        if scene.reader == c.DETECTIVE:
            return size
        if scene.phase == "search_card" and kind == int(scene.s["pile"]) - 1:
            return f"{size}: {names(self.words, sorted(cards))}"
        known = [f"{self.words.field(card)} at place {depth}" for card in cards if (depth := seen["card_depth"][card])]
        return f"{size}, of which you know {listed(known)}, counted from the top" if known else size


def names(words: Words, fields: Iterable[int]) -> str:
    """Cards by name."""
    return ", ".join(words.field(int(field)) for field in fields) or "-"


def record_text(scene: Scene) -> list[str]:
    """What has been done, the last entries."""
    entries = scene.entries()
    lines = ["what has been done, oldest first:"]
    if len(entries) > SHOWN:
        lines.append(f"  ({counted(len(entries) - SHOWN, 'earlier action')} not shown)")
    return [*lines, *(f"  {entry}" for entry in entries[-SHOWN:])] if entries else [*lines, "  nothing yet"]


def folded(line: str) -> list[str]:
    """A line as lines of at most 120 characters, those after the first indented."""
    if len(line) <= WIDTH:
        return [line.rstrip()]
    return textwrap.wrap(line, WIDTH, subsequent_indent="      ", drop_whitespace=True)


WIDTH = 120
WIDE, DEEP = 19, 3
"""Of the floor plan: characters from one room to the next, and lines from one row to the next."""
MARKS = ("?", ".", "x", "X", "-")
MARKERS = (
    "  (markers: ? face down, . a blank face down, x an X face down, X an X face up, - a blank taken off, ! a false X)"
)
SEARCHES = "  (found, nothing: what a search of the room has brought)"
DOORS = "examined doors: = the path leads through, x it does not"
BOARD_LEGEND = (
    "  (in round brackets: now; * black: the murderer may play an action card; v black, and it lies face down)"
)
