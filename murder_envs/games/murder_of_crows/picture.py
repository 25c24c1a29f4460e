"""The table as a picture: Murders and hands, piles, what is unseen, and the latest acts. Never compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.sentences import asked
from murder_envs.games.murder_of_crows.snapshots import counted, snapshot
from murder_envs.games.murder_of_crows.text import in_play, record
from murder_envs.games.murder_of_crows.words import EFFECTS, WILD, Words, card_in, count_of, stacks_of
from murder_envs.picture.drawing import BACK, GAP, HUES, NORMAL, SMALL, Card, Drawing, below_frame, height_for, rows_for
from murder_envs.picture.scene import Box, Scene

BANNER_LINES = 3
SEAT_HIGH, PILES_HIGH, ROW_HIGH = 82.0, 76.0, 14.0
CARD_WIDE, CARD_HIGH, STACK_WIDE = 34.0, 36.0, 40.0
N_SENTENCES = 7
FEW = 5
"""So many cards of a hand are drawn as cards; if there are more, each kind is drawn once, with its number."""
LABELS_WIDE = 98.0
LETTER_HUES = (HUES.blue, HUES.vermilion, HUES.green, HUES.purple, HUES.orange)
"""letter -> the hue of its cards; a wild crow is grey."""
CROW = (
    (0.0, 2.4), (2.0, 0.6), (4.0, 0.4), (5.6, 1.6), (7.2, 3.2), (10.0, 4.4), (12.0, 6.6), (8.6, 6.0), (6.6, 7.4),
    (4.4, 6.6), (2.6, 5.0), (2.2, 3.0),
)  # fmt: skip
"""A crow that looks to the left, in a box of CROW_SIZE."""
CROW_SIZE = (12.0, 8.0)


def scene(rules: np.ndarray, state: np.ndarray, reader: int | None) -> Scene:
    """The table, from above (`reader` None) or as a seat sees it."""
    return Picture(rules, state, reader).drawn()


def face(name: str, is_known: bool = False) -> Card:
    """A card by its name."""
    hue = HUES.grey if name == WILD else LETTER_HUES[c.LETTERS.index(name[0])]
    return Card(name, "", hue, is_known)


class Picture:
    """Draws a state for a reader.

    Attributes:
        full: the snapshot.
        words: sentences for the reader.
        stacks: the stacks in play, by name.
    """

    def __init__(self, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.rules, self.state, self.reader = rules, state, reader
        self.full: dict[str, Any] = snapshot(rules, state)
        self.words = Words(rules, reader)
        self.stacks = stacks_of(rules)

    def drawn(self) -> Scene:
        """The whole picture."""
        n = self.words.n
        seats_high = n * (SEAT_HIGH + GAP) - GAP
        parts = (seats_high, PILES_HIGH, 10 + 15 + 6 * ROW_HIGH + 2, 10 + 15 + height_for(N_SENTENCES))
        height = below_frame(BANNER_LINES) + sum(parts) + GAP * (len(parts) - 1)
        question, acts = asked(self.rules, self.state, self.reader), record(self.words, self.full)
        drawing = self.drawing = Drawing(height, "Murder of Crows", " ".join([question, *acts[-3:]]))
        seen = "seen from above" if self.reader is None else f"as {self.words.names[self.reader]} sees it"
        seat = self.full["to_act"] if not self.full["over"] else None
        rest = drawing.frame(f"turn {self.full['turn'] + 1}, {seen}", question, seat, BANNER_LINES)
        seats, piles, grid, latest = rest.stack(parts, GAP)
        for seat, box in zip(range(n), seats.cells(1, n, GAP)):
            self.seat(box, seat)
        self.piles(piles)
        self.grid(grid)
        drawing.latest(latest, acts)
        return drawing.scene

    # -- Players ------------------------------------------------------------------------------------------------------

    def seat(self, box: Box, seat: int) -> None:
        """A player: the Murder at the left, the hand at the right."""
        full = self.full
        is_asked = seat == full["to_act"] and not full["over"]
        inner = self.drawing.panel(box, calls=is_asked)
        top, table = inner.from_top(17)
        tags = ["you"] if seat == self.reader else []
        tags += ["on turn"] if seat == full["current"] and not full["over"] else []
        tags += ["winner"] if seat == full["winner"] else []
        tags += self.part(seat)
        tags.append(f"{count_of(len(full['hands'][seat]), 'card')} in hand")
        empty = sum(stack not in full["murders"][seat] for stack in self.stacks)
        tags.append(f"{count_of(empty, 'stack')} empty")
        self.drawing.name(top, seat, self.words.names[seat], tags, is_asked)
        table = Box(table.x, table.y + 3, table.w, table.h - 3)
        murder, hand = table.from_left(6 * STACK_WIDE + 5 * 4 + 14)
        for i, stack in enumerate(self.stacks):
            self.stack(Box(murder.x + i * (STACK_WIDE + 4), murder.y, STACK_WIDE, murder.h), seat, stack)
        self.drawing.line(hand.x - 7, hand.y, hand.x - 7, hand.bottom)
        self.hand(hand, seat)

    def part(self, seat: int) -> list[str]:
        """What a player has to do with the card in play."""
        full = self.full
        parts = {"aimed at": [full["target"]], "spared": full["prevented"], "answers later": full["pending"][1:]}
        return [part for part, seats in parts.items() if seat in seats and not full["over"]]

    def stack(self, box: Box, seat: int, stack: str) -> None:
        """A stack: the card that shows, and below it the faces of those beneath, from the top down."""
        cards = self.full["murders"][seat].get(stack, [])
        top, below = box.from_top(CARD_HIGH)
        if not cards:
            self.drawing.rect(top, stroke="line", radius=4, dashed=True)
            self.drawing.label(top, stack[0], NORMAL, "muted", "middle")
            return
        self.face(top, face(cards[-1]))
        beneath = [WILD if card == WILD else card[1] for card in cards[-2::-1]]
        cells = list(below.inset(0, 1).cells(3, 1, 1))
        if len(beneath) > len(cells):
            rest = Box(cells[1].x, cells[1].y, cells[2].right - cells[1].x, cells[1].h)
            self.drawing.label(rest, f"+{len(beneath) - 1}", SMALL, "ink", "middle")
            beneath = beneath[:1]
        for cell, text in zip(cells, beneath):
            self.drawing.rect(cell, "card", "edge", 2)
            self.drawing.label(cell, text, SMALL, "ink", "middle")

    def face(self, box: Box, card: Card) -> None:
        """A card with its crows; a wild has none."""
        self.drawing.card(box, card)
        if card.head == WILD:
            self.drawing.label(Box(box.x, box.y + 16, box.w, box.h - 16), "wild", SMALL, "muted", "middle")
            return
        n = int(card.head[1])
        w, h = CROW_SIZE
        scale = min(0.95, (box.w - 4) / (n * (w - 2) + 2))
        x = box.x + (box.w - scale * (n * (w - 2) + 2)) / 2
        y = box.y + 17 + (box.h - 17 - scale * h) / 2
        for i in range(n):
            left = x + scale * i * (w - 2)
            self.drawing.polygon(((left + scale * dx, y + scale * dy) for dx, dy in CROW), "ink")

    def hand(self, box: Box, seat: int) -> None:
        """A hand: open to its holder and from above, else what all know of it, and backs; all know dashed cards."""
        held, known = self.full["hands"][seat], Counter(self.full["known"][seat])
        shown = Counter(held) if self.words.sees(seat) else known
        backs = len(held) - shown.total()
        if len(held) <= FEW:
            cards = [face(name, i < known[name]) for name, n in sorted_cards(shown) for i in range(n)]
            wide = min(CARD_WIDE, (box.w + 3) / FEW - 3)
            for i, card in enumerate([*cards, *[BACK] * backs]):
                place = Box(box.x + i * (wide + 3), box.y, wide, CARD_HIGH)
                if card is BACK:
                    self.drawing.back(place)
                else:
                    self.face(place, card)
            return
        if not shown:
            step = (box.w - CARD_WIDE) / (backs - 1)
            for i in range(backs):
                self.drawing.back(Box(box.x + i * step, box.y, CARD_WIDE, CARD_HIGH))
            return
        kinds = sorted_cards(shown) + ([("", backs)] if backs else [])
        for cell, (name, n) in zip(box.cells(5, max(3, rows_for(len(kinds), 5))), kinds):
            self.tile(cell.inset(1, 0.5), name, n, 0 < n == known[name])

    def tile(self, box: Box, name: str, n: int, is_known: bool) -> None:
        """Several cards of a kind, or backs (no name), in little space."""
        hue = face(name).hue if name else None
        fill, ink = ("back", "on_back") if hue is None else (f"hue{hue}", f"on{hue}")
        self.drawing.rect(box, fill, "ink" if is_known else "", 3, dashed=is_known)
        text = f"+{n}" if not name else name if n == 1 else f"{n}x{name}"
        self.drawing.label(box, text, SMALL, ink, "middle", True)

    # -- Piles --------------------------------------------------------------------------------------------------------

    def piles(self, box: Box) -> None:
        """The draw pile, the discards, and the card in play."""
        full = self.full
        deck, rest = box.from_left(118)
        discard, play = Box(rest.x + GAP, rest.y, rest.w - GAP, rest.h).from_left(112)
        note = f"reshuffled {'once' if full['reshuffles'] == 1 else str(full['reshuffles']) + ' times'}"
        deck = self.drawing.panel(deck)
        self.drawing.pile(deck, "Draw pile", len(full["deck"]), note=note if full["reshuffles"] else "")
        discard = self.drawing.panel(discard)
        self.drawing.pile(discard, "Discards", len(full["discard"]), Card("") if full["discard"] else None)
        inner = self.drawing.panel(Box(play.x + GAP, play.y, play.w - GAP, play.h), "In play")
        self.in_play(inner)

    def in_play(self, box: Box) -> None:
        """The card that has been played or flipped, and what is not over of it."""
        full = self.full
        card = full["third_card"] or (card_in(full["played"]) if full["played"] else "")
        if full["third_card"]:
            sentence = f"The Murdered Third: {self.words.third(full['third_card'][0])}."
        else:
            sentence = "".join(in_play(self.words, full)[:1])
        if not card:
            self.drawing.label(box.from_top(14)[0], "no card now", SMALL, "muted")
            return
        place, words = box.from_left(CARD_WIDE + 6)
        self.face(Box(place.x, place.y + 2, CARD_WIDE, CARD_HIGH), face(card))
        self.drawing.paragraph(words, sentence, SMALL)

    # -- Knowledge ----------------------------------------------------------------------------------------------------

    def grid(self, box: Box) -> None:
        """A column for each card: how many there are, and where they can be."""
        title = "Cards by letter and crows: where they are" if self.reader is None else (
            "Cards by letter and crows: what you have seen, and what is left"
        )  # fmt: skip
        inner = self.drawing.panel(box, title)
        cards = [name for name in c.CARD_NAMES if name == WILD or name[0] in self.words.word]
        head, *rows, legend, last = inner.stack([ROW_HIGH] * 6)
        cells = list(head.from_left(LABELS_WIDE)[1].cells(len(cards), 1, 2))
        for name, cell in zip(cards, cells):
            hue = face(name).hue
            self.drawing.rect(cell, f"hue{hue}", radius=3)
            self.drawing.label(cell, name, SMALL, f"on{hue}", "middle", True)
        for (label, counts), row in zip(self.counts(), rows):
            self.drawing.label(row, label, SMALL)
            for name, cell in zip(cards, row.from_left(LABELS_WIDE)[1].cells(len(cards), 1, 2)):
                n = counts.get(name, 0)
                self.drawing.label(cell, str(n) if n else "-", SMALL, "ink" if n else "muted", "middle", n > 0)
        effects = [f"{letter} {EFFECTS[letter]}" for letter in dict.fromkeys(self.words.word)]
        self.drawing.label(legend, ", ".join(effects), SMALL, "muted")
        if self.reader is None:
            self.drawing.listing(last, "the draw pile from the top:", self.full["deck"])
        else:
            self.drawing.label(last, "A dashed edge: all know of that card.", SMALL, "muted")

    def counts(self) -> Sequence[tuple[str, dict[str, int]]]:
        """The rows of the grid: what is counted, and how many of each card."""
        full, discards = self.full, Counter(self.full["discard"])
        if self.reader is None:
            hands = Counter(card for hand in full["hands"] for card in hand)
            return (("draw pile", Counter(full["deck"])), ("hands", hands), ("discards", discards))
        secret = counted(self.state[0]["secret"][self.reader])
        unseen = [all_ - own for all_, own in zip(counted(self.state[0]["hidden"]), secret)]
        left = {name: n for name, n in zip(c.CARD_NAMES, unseen) if n}
        return (("not seen", left), ("at most in the pile", full["deck_max"][self.reader]), ("discards", discards))


def sorted_cards(counts: Counter[str]) -> list[tuple[str, int]]:
    """Cards with how many there are, in the order of their ids."""
    return sorted(counts.items(), key=lambda pair: c.CARD_NAMES.index(pair[0]))
