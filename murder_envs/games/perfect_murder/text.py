"""A state in words: what its end says, its figures, the table as text. Never compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.core.bits import PAD
from murder_envs.core.jit import entry
from murder_envs.core.tables import Layout
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.layout import MOST_WAYS
from murder_envs.games.perfect_murder.moves import FLIGHT, VERDICTS
from murder_envs.games.perfect_murder.record import as_seen
from murder_envs.games.perfect_murder.snapshots import Snapshots
from murder_envs.games.perfect_murder.view import observe

SHOWN = 12
"""How many entries of the record a text shows."""


@entry
def look(states, rules, seat, row):
    """A seat's observation."""
    observe(states[0], rules[0], seat, row)


class Texts:
    """Texts and tables in the names of a case."""

    def __init__(self, case: Case, observation: Layout, snapshots: Snapshots) -> None:
        self.case = case
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
        """Both boards, the villa, the cards and the record, from above or as a seat sees them."""
        full = self.snapshots.snapshot(rules, state)
        row = np.zeros(self.observation.size + PAD, np.int8)
        look(state, rules, c.MURDERER if seat is None else seat, row)
        seen = {name: row[block.slice].reshape(block.shape) for name, block in self.observation.items()}
        lines = [self.headline(rules, full, seat), self.turn_text(full, seat), ""]
        if seat != c.DETECTIVE:
            lines += [f"plan: {self.plan_text(full)}", ""]
        lines += [f"clue board   {self.board_text(seen, range(self.case.n_clues))}"]
        lines += [f"trace board  {self.board_text(seen, range(self.case.n_clues, len(self.case.fields)))}"]
        lines += ["             " + LEGEND, ""]
        lines += self.villa_text(full, seen, seat)
        lines += ["", *self.cards_text(full, seen, seat), "", "record:"]
        entries = full["record"] if seat != c.DETECTIVE else [as_seen(text) for text in full["record"]]
        lines += [f"  {text}" for text in entries[-SHOWN:]] or ["  nothing yet"]
        lines += ["", *self.sheet_text(seen)]
        return "\n".join(lines) + "\n"

    def headline(self, rules: np.ndarray, full: dict[str, Any], seat: int | None) -> str:
        """The case, the round, and who looks."""
        seen_from = "seen from above" if seat is None else f"as the {c.AGENTS[seat]} sees it"
        return f"Perfect Murder, {self.case.name}, round {full['round']} of {rules[0]['rounds']}, {seen_from}"

    def turn_text(self, full: dict[str, Any], seat: int | None) -> str:
        """What is asked of whom, or who has won."""
        if full["over"]:
            return f"the game is over: the {full['winner']} has won after {full['actions_used']} actions"
        asked = full["phase"] if seat in (None, full["to_act"]) else "something"
        left = f"; the detective has {full['actions_left']} actions left"
        left += ", the murderer has fled" if full["fled"] else ""
        chosen = f" after {', '.join(full['chosen'])}" if full["chosen"] and asked == full["phase"] else ""
        return f"the {c.AGENTS[full['to_act']]} is asked: {asked}{chosen}{left}"

    def plan_text(self, full: dict[str, Any]) -> str:
        """Suspect, weapon and path, as far as they are planned."""
        return f"{full['suspect'] or '?'}, {full['weapon'] or '?'}, {' > '.join(full['path']) or '?'}"

    def board_text(self, seen: dict[str, np.ndarray], fields: range) -> str:
        """Each field with what lies on it: ? . x X - and ! for a false X."""
        parts = []
        for field in fields:
            mark = MARKS[int(seen["marker"][field].argmax())]
            parts.append(f"{self.case.fields[field]} {mark}" + ("!" if seen["marker_truth"][field] == 2 else ""))
        return "  ".join(parts)

    def villa_text(self, full: dict[str, Any], seen: dict[str, np.ndarray], seat: int | None) -> list[str]:
        """Each room with the rooms behind its doors, and what the looker knows of both."""
        case = self.case
        lines = ["villa (=: the path leads through; |: it does not; -: not known):"]
        for room, name in enumerate(case.rooms):
            notes = []
            if seat != c.DETECTIVE and seen["plan_path"][room]:
                notes.append(f"path {seen['plan_path'][room]}")
            if seat != c.DETECTIVE and seen["crossed"][room]:
                notes.append("crossed out")
            notes += [("", "found", "in vain")[int(seen["room_search"][room].argmax())]]
            if seen["surely_off"][room]:
                notes.append("surely off")
            if seen["cover"][room]:
                notes.append(f"on {seen['cover'][room]} used cards")
            if room != case.scene and not seen["room_on"][room, 0]:
                notes.append("not on the path")
            if room != case.scene and seen["room_on"][room, 1]:
                notes.append("on the path")
            notes += [weapon for weapon, there in zip(case.weapons, case.weapon_rooms, strict=True) if there == room]
            doors = []
            for door, pair in enumerate(case.door_rooms):
                if room in pair:
                    other = pair[0] if pair[1] == room else pair[1]
                    doors.append("-=|"[int(seen["door_answer"][door].argmax())] + case.rooms[other])
            mark = "#" if room == case.scene else "*" if room in case.outer else " "
            lines.append(f"  {mark}{name:13} {' '.join(doors):60} {', '.join(note for note in notes if note)}".rstrip())
        return lines

    def cards_text(self, full: dict[str, Any], seen: dict[str, np.ndarray], seat: int | None) -> list[str]:
        """The hand, the piles and the action cards."""
        case = self.case
        lines = []
        held = full["hand"]
        if seat == c.MURDERER:
            exposed = [case.fields[i] for i in np.flatnonzero(seen["exposed"])]
            unknown = len(held) - len(exposed)
            shown = ", ".join([*exposed, *([f"{unknown} unknown"] if unknown else [])])
        else:
            shown = ", ".join(held)
        lines.append(f"the detective's hand: {shown or '-'}")
        for kind in c.KINDS:
            pile = full[f"{kind}_pile"]
            if seat is None:
                shown = ", ".join(pile) or "-"
            elif seat == c.MURDERER:
                shown = f"{len(pile)} cards: " + (" ".join(self.known_place(card, seen) for card in pile) or "-")
            else:
                shown = f"{len(pile)} cards"
            lines.append(f"{kind} pile, top first: {shown}")
        lines.append(f"discard pile: {', '.join(full['discard']) or '-'}")
        out = full["removed"] if seat != c.DETECTIVE else [f"{len(full['removed'])} cards"]
        lines.append(f"out of the game: {', '.join(out) or '-'}")
        used = ", ".join(map(self.room_card_text, full["used_room_cards"]))
        lines.append(f"room cards used: {used or '-'}; left: {len(full['room_pile'])}")
        laid = np.flatnonzero(seen["room_card"][:, 2])
        if laid.size:
            lines.append("room cards laid open: " + ", ".join(self.room_card_text(int(i) + 1) for i in laid))
        up = [f"{n} {card}" for card, n in zip(c.ACTION_CARDS, seen["cards_up"], strict=True) if n]
        lines.append(f"action cards face up: {', '.join(up) or '-'}; face down: {seen['face_down'][0]}")
        if seat != c.DETECTIVE:
            left = [f"{n} {card}" for card, n in full["action_cards"].items() if n]
            lines.append(f"action cards in hand: {', '.join(left) or '-'}")
        return lines

    def room_card_text(self, card: int) -> str:
        """A room card with its two rooms."""
        return f"{card} {'/'.join(self.case.rooms[room] for room in self.case.room_cards[card - 1])}"

    def known_place(self, card: str, seen: dict[str, np.ndarray]) -> str:
        """A card of a pile as the murderer sees it: a question mark if he knows neither it nor its place."""
        field = self.case.fields.index(card)
        return card if seen["card_depth"][field] or seen["drawn"][field] else "?"

    def sheet_text(self, seen: dict[str, np.ndarray]) -> list[str]:
        """What can be, on public facts."""
        case = self.case
        named = (("suspects", case.suspects), ("weapons", case.weapons), ("entries", case.rooms))
        blocks = (seen["suspect_possible"], seen["weapon_possible"], seen["entry_possible"])
        lines = ["the sheet, on what both know:"]
        for (what, names), block in zip(named, blocks, strict=True):
            lines.append(f"  possible {what}: " + ", ".join(names[i] for i in np.flatnonzero(block)))
        n = int(seen["sheet_sizes"][3])
        return [*lines, f"  possible paths: {n if n < MOST_WAYS else f'{MOST_WAYS} or more'}"]


MARKS = ("?", ".", "x", "X", "-")
LEGEND = "(? face down; . face-down blank; x face-down X; X face up; - blank taken off; ! a false X)"
