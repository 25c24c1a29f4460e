"""The table as a picture: the house, suspects and weapons with their marks, cards, what was done. Never compiled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.layout import MOST_WAYS
from murder_envs.games.perfect_murder.moves import FLIGHT
from murder_envs.games.perfect_murder.sentences import asked
from murder_envs.games.perfect_murder.text import Texts
from murder_envs.games.perfect_murder.words import ACTION_CARDS, counted
from murder_envs.games.perfect_murder.words import Scene as Table
from murder_envs.picture.drawing import GAP, HUES, LEADING, SMALL, Drawing, below_frame, height_for, rows_for
from murder_envs.picture.measure import width
from murder_envs.picture.scene import Box, Scene

LINE, TITLE, ROW_HIGH = LEADING * SMALL, 15.0, 15.0
PLAYER_HIGH, ROUNDS_HIGH, PILE_HIGH = 72.0, 48.0, 51.0
ROOM_HIGH, BETWEEN = 46.0, 12.0
MOST_COLUMNS = 5
N_SENTENCES = 7
NAME_WIDE = 66.0
MORE_WIDE = 60.0
"""Of the words for those cards for which there is no room."""
UNKNOWN, BLANK, X_DOWN, X_UP, TAKEN_OFF = range(5)
"""What lies on a field: the values of the observation's `marker`."""
FALSE = 2
"""The value of `marker_truth` for a false X."""


def scene(texts: Texts, rules: np.ndarray, state: np.ndarray, reader: int | None) -> Scene:
    """The table, from above (`reader` None) or as a seat sees it."""
    return Picture(texts, rules, state, reader).drawn()


class Picture:
    """Draws a state for a reader.

    Attributes:
        table: the state in words.
        seen: section of the observation -> its values for the reader; from above, for the murderer.
        knows: does the reader know what the murderer knows?
        path: the rooms of the path, if the reader knows them: at the end all do.
        places: room -> its row and column on the floor plan.
    """

    def __init__(self, texts: Texts, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.table = Table(texts.words, rules, state, reader)
        self.seen = texts.seen(rules, state, reader)
        self.rules, self.reader, self.s, self.case = rules, reader, state[0], texts.case
        self.knows = self.table.wording.sees(c.MURDERER)
        over = self.table.phase == "over"
        self.path = self.s["path"][: self.s["path_n"]].tolist() if self.knows or over else []
        self.question = asked(texts.words, rules, state, reader)
        self.seat = None if over else self.table.seat
        plan = self.case.plan or [
            range(first, min(first + MOST_COLUMNS, len(self.case.rooms)))
            for first in range(0, len(self.case.rooms), MOST_COLUMNS)
        ]
        self.places = {room: (i, k) for i, row in enumerate(plan) for k, room in enumerate(row) if room >= 0}
        self.n_rows, self.n_columns = len(plan), max(map(len, plan))

    def drawn(self) -> Scene:
        """The whole picture."""
        case, table = self.case, self.table
        house_high = 10 + TITLE + self.n_rows * (ROOM_HIGH + BETWEEN) - BETWEEN + 4 + 2 * LINE
        sheet_high = 10 + TITLE + ROW_HIGH * (len(case.suspects) + rows_for(len(case.weapons), 2)) + 6 + 2 * LINE
        cards_high = 10 + TITLE + PILE_HIGH + 4 + 7 * LINE
        parts = (PLAYER_HIGH, ROUNDS_HIGH, house_high, sheet_high, cards_high, 10 + TITLE + height_for(N_SENTENCES))
        height = below_frame() + sum(parts) + GAP * (len(parts) - 1)
        entries = table.entries()
        drawing = self.drawing = Drawing(height, "Perfect Murder", " ".join([self.question, *entries[-3:]]))
        seen = "seen from above" if self.reader is None else f"as the {c.AGENTS[self.reader]} sees it"
        rest = drawing.frame(f"{case.name}, round {int(self.s['round'])}, {seen}", self.question, self.seat)
        players, rounds, house, sheet, cards, latest = rest.stack(parts, GAP)
        for seat, box in enumerate(players.cells(2, 1, GAP)):
            self.player(box, seat)
        self.rounds(rounds)
        self.house(house)
        self.sheet(sheet)
        self.cards(cards)
        drawing.latest(latest, entries)
        return drawing.scene

    # -- Players and rounds -------------------------------------------------------------------------------------------

    def player(self, box: Box, seat: int) -> None:
        """The murderer with the plan and the action cards played, or the detective with actions and accusation."""
        inner = self.drawing.panel(box, calls=seat == self.seat)
        top, rest = inner.from_top(17)
        tags = ["you"] if seat == self.reader else []
        if seat == c.MURDERER and self.s["flight"] == FLIGHT.fled:
            tags.append("has fled")
        self.drawing.name(top, seat, c.AGENTS[seat], tags, seat == self.seat)
        lines = self.murderer() if seat == c.MURDERER else self.detective()
        first, others = Box(rest.x, rest.y + 3, rest.w, 3 * LINE + 0.1).from_top(LINE)
        self.drawing.label(first, lines[0], SMALL)
        self.drawing.paragraph(others, lines[1], SMALL)

    def murderer(self) -> tuple[str, str]:
        """The plan, as far as it is made, to one who knows; the action cards that lie on the board."""
        s = self.s
        up, down = int(self.seen["cards_up"].sum()), int(self.seen["face_down"][0])
        played = f"action cards: {up} face up, {down} face down"
        if not self.knows and self.table.phase != "over":
            return "the plan is secret", played
        suspect = self.table.suspect(int(s["suspect"])) if s["suspect"] >= 0 else "suspect open"
        weapon = self.table.weapon(int(s["weapon"])) if s["weapon"] >= 0 else "weapon open"
        return f"{suspect}, {weapon}", played

    def detective(self) -> tuple[str, str]:
        """The actions left; the cards in hand, or the accusation as far as it is made."""
        s, table = self.s, self.table
        first = f"{counted(int(s['actions_left']), 'action')} left in this round, {int(s['actions_used'])} used"
        if s["named_suspect"] < 0 or not (table.wording.sees(c.DETECTIVE) or s["verdict"]):
            return first, f"{counted(len(table.hand()), 'card')} in hand"
        named = [table.suspect(int(s["named_suspect"]))]
        named += [table.weapon(int(s["named_weapon"]))] if s["named_weapon"] >= 0 else []
        named += [table.room(int(s["named_entry"]))] if s["named_entry"] >= 0 else []
        return first, f"accused: {', '.join(named)}"

    def rounds(self, box: Box) -> None:
        """The round board: which round it is, and on which spaces an action card may be played."""
        title = "Rounds (dark: the murderer may play an action card; with a card: it lies face down)"
        inner = self.drawing.panel(box, title)
        rounds = int(self.rules[0]["rounds"])
        for space, cell in zip(range(1, rounds + 1), inner.cells(c.N_SPACES, 1, 4)):
            black, down = (int(self.rules[0][what]) >> space & 1 for what in ("black", "down"))
            now = space == self.s["round"]
            fill, ink = ("back", "on_back") if black else ("card", "ink")
            self.drawing.rect(cell, fill, "ink" if now else "edge", 4, thick=3 if now else 1)
            self.drawing.label(cell, str(space), SMALL + 2, ink, "middle", bool(now))
            if down:
                self.drawing.rect(Box(cell.right - 13, cell.y + 3.5, 8, 11), "weave", "on_back", 1.5)

    # -- The house ----------------------------------------------------------------------------------------------------

    def house(self, box: Box) -> None:
        """Rooms and doors, with what the reader knows of them; the path, to one who knows it."""
        inner = self.drawing.panel(box, "The house")
        plan = Box(inner.x, inner.y, inner.w, self.n_rows * (ROOM_HIGH + BETWEEN) - BETWEEN)
        columns = max(self.n_columns, 3)
        wide = (plan.w - BETWEEN * (columns - 1)) / columns
        left = plan.x + (plan.w - self.n_columns * (wide + BETWEEN) + BETWEEN) / 2
        boxes = {
            room: Box(left + k * (wide + BETWEEN), plan.y + i * (ROOM_HIGH + BETWEEN), wide, ROOM_HIGH)
            for room, (i, k) in self.places.items()
        }
        for door, (a, b) in enumerate(self.case.door_rooms):
            self.door(boxes[a], boxes[b], ("", "yes", "no")[int(self.seen["door_answer"][door].argmax())])
        for room, place in boxes.items():
            self.room(place, room)
        first, second = Box(inner.x, plan.bottom + 4, inner.w, 2 * LINE).cells(1, 2)
        keys = "doors: thick, the path leads through; crossed, it does not; a flag: a path may begin there"
        self.drawing.label(first, keys, SMALL, "muted")
        known = [("sure", "surely on the path"), ("no", "surely not")]
        if self.path:
            known.append(("7", "place on the path (grey: crossed out)"))
        self.drawing.key(second, known)

    def door(self, a: Box, b: Box, answer: str) -> None:
        """A door between two rooms, and what was answered of it."""
        ends = [(box.x + box.w / 2, box.y + box.h / 2) for box in (a, b)]
        (x1, y1), (x2, y2) = ends
        self.drawing.line(x1, y1, x2, y2, "ink" if answer == "yes" else "edge", thick=4 if answer == "yes" else 1.2)
        if answer == "no":
            across = abs(x2 - x1) > 1 and abs(y2 - y1) < 1
            x, y = self.gap(a, b, across), (y1 + y2) / 2
            if not across:
                x = x1 + (x2 - x1) * 0.5
            for sign in (1, -1):
                self.drawing.line(x - 5, y - 5 * sign, x + 5, y + 5 * sign, "ink", thick=1.8)

    def gap(self, a: Box, b: Box, across: bool) -> float:
        """Where the middle between two rooms of a row is."""
        first, second = sorted((a, b), key=lambda box: box.x)
        return (first.right + second.x) / 2 if across else first.x

    def room(self, box: Box, room: int) -> None:
        """A room: its name, its weapon, whether it was searched, and whether the path leads through it."""
        seen, case, drawing = self.seen, self.case, self.drawing
        is_scene = room == case.scene
        drawing.rect(box, "faint" if is_scene else "card", "ink" if is_scene else "edge", 4, thick=2 if is_scene else 1)
        name, weapon, state = box.inset(4, 3).cells(1, 3)
        if room in case.outer:
            x, y = weapon.right - 8, weapon.y + 2
            drawing.line(x, y, x, y + 10, "ink", thick=1.2)
            drawing.polygon(((x, y), (x + 8, y + 3), (x, y + 6)), "hue2")
            weapon = Box(weapon.x, weapon.y, weapon.w - 10, weapon.h)
        drawing.label(name, case.words[case.rooms[room]], SMALL, bold=True)
        weapons = [case.words[one] for one, there in zip(case.weapons, case.weapon_rooms) if there == room]
        drawing.label(weapon, "the scene" if is_scene else ", ".join(weapons), SMALL, "muted")
        if not is_scene:
            on_some, on_all = (bool(on) for on in seen["room_on"][room])
            drawing.mark(Box(state.right - 12, state.y, 12, state.h), "sure" if on_all else "" if on_some else "no")
        if room in self.path:
            hue = HUES.grey if seen["crossed"][room] else HUES.orange
            chip = Box(state.x, state.y, 15, state.h)
            drawing.rect(chip, f"hue{hue}", radius=5)
            drawing.label(chip, str(self.path.index(room) + 1), SMALL, f"on{hue}", "middle", True)
            state = state.from_left(18)[1]
        searched = ("", "found", "in vain")[int(seen["room_search"][room].argmax())]
        drawing.label(Box(state.x, state.y, state.w - 13, state.h), searched, SMALL)

    # -- Suspects and weapons -----------------------------------------------------------------------------------------

    def sheet(self, box: Box) -> None:
        """Who leaves which clues and what leaves which traces, with their markers; struck out: ruled out."""
        case, seen = self.case, self.seen
        inner = self.drawing.panel(box, "Suspects with their clues, weapons with their traces, on what both know")
        suspects, rest = inner.from_top(ROW_HIGH * len(case.suspects))
        rows = list(suspects.cells(1, len(case.suspects)))
        for suspect, row in enumerate(rows):
            name = case.words[case.suspects[suspect]]
            self.candidate(row, name, bool(seen["suspect_possible"][suspect]), case.suspect_fields[suspect])
        n_rows = rows_for(len(case.weapons), 2)
        weapons, rest = Box(rest.x, rest.y + 4, rest.w, rest.h).from_top(ROW_HIGH * n_rows)
        halves = list(weapons.cells(2, 1, 6))
        for weapon, fields in enumerate(case.weapon_fields):
            half = halves[weapon // n_rows]
            row = Box(half.x, half.y + ROW_HIGH * (weapon % n_rows), half.w, ROW_HIGH)
            self.candidate(row, case.words[case.weapons[weapon]], bool(seen["weapon_possible"][weapon]), fields)
        suspects_n, weapons_n, entries_n, ways = (int(size) for size in seen["sheet_sizes"])
        n_ways = str(ways) if ways < MOST_WAYS else f"{MOST_WAYS} or more"
        first, second = Box(rest.x, rest.y + 2, rest.w, 2 * LINE).cells(1, 2)
        left = f"{counted(suspects_n, 'suspect')}, {counted(weapons_n, 'weapon')}, {counted(entries_n, 'entry')}"
        left = left.replace("entrys", "entries")
        self.drawing.label(first, f"still possible: {left}, {n_ways} path{'' if ways == 1 else 's'}", SMALL)
        marks = [("X", X_UP, False), ("no X", TAKEN_OFF, False)]
        if self.knows:
            marks += [("X face down", X_DOWN, False), ("blank face down", BLANK, False), ("false X", X_DOWN, True)]
        x = second.x
        for text, marker, is_false in [*marks, ("not known", UNKNOWN, False)]:
            if text == "not known" and self.knows:
                continue
            x += self.field(x, second, text, marker, is_false) + 8

    def candidate(self, row: Box, name: str, possible: bool, fields: Sequence[int]) -> None:
        """A suspect or a weapon with the fields that it leaves."""
        used = self.drawing.label(
            Box(row.x, row.y, NAME_WIDE - 4, row.h), name, SMALL, "ink" if possible else "muted", bold=possible
        )
        if not possible:
            self.drawing.line(row.x - 1, row.y + row.h / 2, row.x + used + 1, row.y + row.h / 2, "muted")
        x = row.x + NAME_WIDE
        total = sum(width(self.table.field(field), SMALL) + 5 for field in fields)
        gap = min(4.0, (row.right - x - total) / max(1, len(fields) - 1))
        for field in fields:
            marker = int(self.seen["marker"][field].argmax())
            x += self.field(x, row, self.table.field(field), marker, self.seen["marker_truth"][field] == FALSE) + gap

    def field(self, x: float, row: Box, text: str, marker: int, is_false: bool) -> float:
        """A clue or a trace, or its card, drawn as its marker lies; returns how wide it is."""
        wide = width(text, SMALL) + 5
        box = Box(x, row.y + 0.75, wide, row.h - 1.5)
        fill = "hue1" if marker == X_UP else ""
        stroke = "line" if marker == UNKNOWN else "hue1" if marker in (X_UP, X_DOWN) else ""
        ink = "on1" if marker == X_UP else "muted" if marker in (BLANK, TAKEN_OFF) else "ink"
        if fill or stroke:
            self.drawing.rect(box, fill, stroke, 3, thick=1.6 if marker == X_DOWN else 1, dashed=is_false)
        self.drawing.label(Box(x + 2.5, box.y, wide - 2.4, box.h), text, SMALL, ink)
        if marker == TAKEN_OFF:
            self.drawing.line(x + 1, box.y + box.h / 2, x + wide - 1, box.y + box.h / 2, "muted")
        return wide

    # -- Cards --------------------------------------------------------------------------------------------------------

    def cards(self, box: Box) -> None:
        """The piles, the detective's hand, and what has left the game."""
        table, s = self.table, self.s
        inner = self.drawing.panel(box, "")
        piles, rest = inner.from_top(TITLE + PILE_HIGH)
        piles, hand = piles.from_left(150)
        for kind, (name, cell) in enumerate(zip(("clues", "traces", "rooms"), piles.cells(3, 1, 4))):
            top, pile = cell.from_top(TITLE)
            self.drawing.label(top, name, SMALL, "muted", bold=True)
            self.pile(Box(pile.x, pile.y, 36, pile.h), len(table.pile(kind)))
        title, hand = hand.from_top(TITLE)
        self.drawing.label(title, f"{table.wording.owner(c.DETECTIVE)} hand", SMALL, "muted", bold=True)
        self.hand(hand)
        lines = [("discarded:", self.names(members_of(s["discarded"])))]
        out, stolen = members_of(s["out"]), members_of(s["stolen"])
        hidden = 0 if self.knows else len(out) - len(stolen)
        gone = self.names(out if self.knows else stolen) + ([f"{hidden} unseen"] if hidden else [])
        lines.append(("out of the game:", gone))
        used = [f"{card + 1} ({self.pair(card)})" for card in members_of(s["used_room_cards"])]
        open_ = [f"{card + 1} ({self.pair(card)})" for card in np.flatnonzero(self.seen["room_card"][:, 2]).tolist()]
        lines.append(("room cards laid open:", open_) if open_ else ("room cards used:", used))
        up = [f"{n} {card}" for card, n in zip(ACTION_CARDS, self.seen["cards_up"]) if n]
        left = [f"{n} {card}" for card, n in zip(ACTION_CARDS, self.seen["cards_left"]) if n]
        lines.append(("action cards face up:", up))
        lines.append((f"action cards {'in hand' if self.knows else 'not face up'}:", left))
        for (what, things), row in zip(lines, Box(rest.x, rest.y + 4, rest.w, 5 * LINE).cells(1, 5)):
            self.drawing.listing(row, what, things)
        self.looks(Box(rest.x, rest.y + 4 + 5 * LINE, rest.w, 2 * LINE + 0.1))

    def looks(self, box: Box) -> None:
        """The cards that are looked at or chosen now; else what the reader knows of the piles."""
        table, seen = self.table, self.seen
        first, second = box.cells(1, 2)
        looked, chosen = np.flatnonzero(seen["drawn"]), np.flatnonzero(seen["chosen_cards"])
        if looked.size:
            who = "you look at" if self.reader == c.MURDERER else "the murderer looks at"
            self.drawing.paragraph(box, f"{who}: {', '.join(self.names(looked))}", SMALL)
        elif chosen.size:
            self.drawing.listing(first, "chosen so far:", self.names(chosen))
        elif self.reader is None:
            self.drawing.listing(first, "clues from the top:", self.names(table.pile(c.CLUE)))
            self.drawing.listing(second, "traces from the top:", self.names(table.pile(c.TRACE)))
        elif self.knows:
            depths = [
                (int(seen["card_depth"][field]), self.table.field(field)) for field in range(len(self.case.fields))
            ]
            known = [f"{name} at place {depth}" for depth, name in sorted(depths) if depth]
            if known:
                self.drawing.listing(first, "known in the piles, from the top:", known)

    def pile(self, box: Box, n: int) -> None:
        """A pile with its number of cards."""
        if not n:
            self.drawing.rect(box, stroke="line", radius=4, dashed=True)
            self.drawing.label(box, "0", SMALL, "muted", "middle")
            return
        self.drawing.back(box)
        badge = Box(box.x + 8, box.y + box.h / 2 - 8, box.w - 16, 16)
        self.drawing.rect(badge, "back", radius=3)
        self.drawing.label(badge, str(n), SMALL + 2, "on_back", "middle", True)

    def hand(self, box: Box) -> None:
        """The detective's cards; those that the reader does not know as backs."""
        table = self.table
        held = table.hand()
        known = held if table.wording.sees(c.DETECTIVE) else np.flatnonzero(self.seen["exposed"]).tolist()
        x, y, high = box.x, box.y, 15.0
        cards = [*known, *[-1] * (len(held) - len(known))]
        for i, field in enumerate(cards):
            wide = width(table.field(field), SMALL) + 7 if field >= 0 else 11
            last_row = y + 2 * (high + 3) > box.bottom + 3
            if last_row and i < len(cards) - 1 and x + wide > box.right - MORE_WIDE:
                more = Box(x + 2, y, MORE_WIDE, high)
                self.drawing.label(more, f"and {len(cards) - i} more", SMALL)
                break
            if x + wide > box.right:
                x, y = box.x, y + high + 3
            card = Box(x, y, wide, high)
            if field < 0:
                self.drawing.back(card)
            else:
                self.drawing.rect(card, "card", "edge", 3)
                self.drawing.label(Box(x + 3.5, y, wide - 6.9, high), table.field(field), SMALL)
            x += wide + 3

    def names(self, fields: Iterable[int]) -> list[str]:
        """Cards by name."""
        return [self.table.field(int(field)) for field in fields]

    def pair(self, card: int) -> str:
        """The rooms on a room card: `hall/study`."""
        return "/".join(self.case.words[self.case.rooms[room]] for room in self.case.room_cards[card])
