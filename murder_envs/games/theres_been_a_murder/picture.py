"""The table as a picture: hands, piles, where each card may be, and the latest events. Never compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.games.theres_been_a_murder.cards import ACTION_CARDS, NAMES
from murder_envs.games.theres_been_a_murder.sentences import Table, asked, looks
from murder_envs.games.theres_been_a_murder.snapshots import snapshot, table_of
from murder_envs.games.theres_been_a_murder.state import PLACE
from murder_envs.games.theres_been_a_murder.text import record, sure_cards
from murder_envs.picture.drawing import (
    BACK,
    GAP,
    HUES,
    SMALL,
    Card,
    Drawing,
    below_frame,
    height_for,
    rows_for,
)
from murder_envs.picture.scene import Box, Scene

SEAT_HIGH, PILES_HIGH, ROW_HIGH, KEY_HIGH = 76.0, 70.0, 14.0, 14.0
CARD_WIDE = 64.0
N_SENTENCES = 8
PLACES = (("U", "upper part of the deck"), ("L", "lower part"), ("R", "removed unseen"), ("D", "discarded"))
"""The columns of the grid behind those of the players, and what they mean."""


def scene(rules: np.ndarray, state: np.ndarray, reader: int | None) -> Scene:
    """The table, from above (`reader` None) or as a seat sees it."""
    return Picture(rules, state, reader).drawn()


class Picture:
    """Draws a state for a reader.

    Attributes:
        full: the snapshot.
        n: how many seats.
        cards: the cards of this game.
    """

    def __init__(self, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.rules, self.state, self.reader = rules, state, reader
        self.full: dict[str, Any] = snapshot(rules, state)
        self.table = Table(rules, state, reader)
        self.n = self.table.n
        self.cards = members_of(rules[0]["in_game"])
        self.events = record(self.full, self.table.wording)
        if not self.full["over"]:
            self.events += looks(self.table)

    def drawn(self) -> Scene:
        """The whole picture."""
        n_rows = rows_for(self.n, 2)
        seats_high = n_rows * (SEAT_HIGH + GAP) - GAP
        n_keys = 3 if self.rules[0]["n_symbols"] else 2
        grid_high = 10 + 15 + 16 + ROW_HIGH * rows_for(len(self.cards), 2) + KEY_HIGH * n_keys + 4
        events_high = 10 + 15 + height_for(N_SENTENCES)
        parts = (seats_high, PILES_HIGH, grid_high, events_high)
        height = below_frame() + sum(parts) + GAP * (len(parts) - 1)
        question = asked(self.rules, self.state, self.reader)
        drawing = self.drawing = Drawing(height, "There's Been A Murder", " ".join([question, *self.events[-3:]]))
        seen = "seen from above" if self.reader is None else f"as player_{self.reader} sees it"
        seat = self.full["to_act"] if not self.full["over"] else None
        rest = drawing.frame(f"turn {self.full['turns']}, {seen}", question, seat)
        seats, piles, grid, latest = rest.stack(parts, GAP)
        for other, box in zip(range(self.n), seats.cells(2, n_rows, GAP)):
            self.seat(box, other)
        self.piles(piles)
        self.grid(grid)
        drawing.latest(latest, self.events)
        return drawing.scene

    # -- Cards --------------------------------------------------------------------------------------------------------

    def card(self, card: int, is_known: bool = False, note: str = "") -> Card:
        """The face of a card."""
        hue = HUES.sky if card in ACTION_CARDS else HUES.purple
        return Card(str(card), NAMES[card], hue, is_known, note)

    def seat(self, box: Box, seat: int) -> None:
        """A player: the hand, open or as backs, and what is to be said of it."""
        full = self.full
        is_asked = seat == full["to_act"] and not full["over"]
        inner = self.drawing.panel(box, calls=is_asked)
        tags = ["you"] if seat == self.reader else []
        tags += ["on turn"] if seat == full["turn"] and not full["over"] else []
        placed = 0 if full["over"] else full["chosen"][seat]
        tags += ["placed"] if placed else []
        top, hand = inner.from_top(17)
        self.drawing.name(top, seat, f"player_{seat}", tags, is_asked)
        self.drawing.hand(Box(hand.x, hand.y + 2, hand.w, hand.h - 2), self.hand(seat, placed), CARD_WIDE)

    def hand(self, seat: int, placed: int) -> list[Card]:
        """A hand: open to its holder and from above, else with what the viewer is sure of."""
        held = self.full["hands"][seat]
        if self.reader is None or self.reader == seat:
            return [self.card(card, note="placed" if card == placed else "") for card in held]
        sure = sure_cards(self.rules, self.state, self.reader, PLACE.hands + seat)
        return [self.card(card, True) for card in sure] + [BACK] * (len(held) - len(sure))

    def piles(self, box: Box) -> None:
        """The deck, the discard pile, and the Action that is carried out."""
        full = self.full
        deck, discard, play = (self.drawing.panel(each) for each in box.cells(3, 1, GAP))
        notes = [f"lower part {full['lower']}"] if full["lower"] else []
        notes += [f"{len(full['removed'])} removed unseen"] if full["removed"] else []
        self.drawing.pile(deck, "Deck", len(full["deck"]), note=", ".join(notes))
        top = full["discard"][-1] if full["discard"] else 0
        copied = f"Monkey copies {full['last_action']}" if full["last_action"] else ""
        self.drawing.pile(
            discard, "Discard pile", len(full["discard"]), self.card(top) if top else None, copied, CARD_WIDE
        )
        self.in_play(play)

    def in_play(self, box: Box) -> None:
        """The Action that is carried out, and on whom."""
        card, words = box.from_left(CARD_WIDE + 8)
        self.drawing.label(words.from_top(15)[0], "In play", SMALL, "muted", bold=True)
        effect = self.full["effect"] if not self.full["over"] else 0
        place = Box(card.x, card.y + 3, CARD_WIDE, card.h - 3)
        if not effect:
            self.drawing.rect(place, stroke="line", radius=4, dashed=True)
            self.drawing.paragraph(words.from_top(15)[1], "no Action now", SMALL, "muted")
            return
        self.drawing.card(place, self.card(effect))
        by, on, _ = words.from_top(15)[1].stack((14, 18, 0))
        if self.full["played"] != effect:
            self.drawing.label(by, "by Monkey", SMALL)
        if self.full["targets"]:
            x = on.x + 12 + self.drawing.label(on, "on", SMALL)
            for i, seat in enumerate(self.full["targets"]):
                self.drawing.chip(x + 19 * i, on.y + 9, seat)

    # -- Knowledge ----------------------------------------------------------------------------------------------------

    def grid(self, box: Box) -> None:
        """A row for each card, a column for each place: where it is or may be, as far as the reader can tell."""
        of = "Where the cards are" if self.reader is None else "Where the cards may be, as far as you know"
        inner = self.drawing.panel(box, of)
        n_rows = rows_for(len(self.cards), 2)
        halves = list(Box(inner.x, inner.y, inner.w, 16 + ROW_HIGH * n_rows).cells(2, 1, 12))
        for i, half in enumerate(halves):
            cards = self.cards[i * n_rows : (i + 1) * n_rows]
            head, body = half.from_top(16)
            names, columns = head.from_left(84)
            for cell, label in zip(columns.cells(self.n + len(PLACES), 1), self.columns()):
                own = label == str(self.reader)
                self.drawing.label(cell, label, SMALL, "ink" if own else "muted", "middle", True)
            for card, row in zip(cards, self.drawing.stripes(body, n_rows)):
                self.row(row, card, names.w)
        first, second, third = Box(inner.x, halves[0].bottom + 2, inner.w, 0).stack([KEY_HIGH] * 3)
        places = ", ".join(f"{letter} {meaning}" for letter, meaning in PLACES)
        self.drawing.label(first, f"0 to {self.n - 1} players, {places}", SMALL, "muted")
        self.drawing.key(
            second, [("sure", "is there"), ("may", "may be there"), ("3", "which card from the top of the deck")]
        )

        if self.rules[0]["n_symbols"]:
            symbols = [f"{seat}: {'-' if symbol < 0 else symbol}" for seat, symbol in enumerate(self.full["signals"])]
            self.drawing.label(third, f"symbols that players sent last: {', '.join(symbols)}", SMALL, "muted")

    def columns(self) -> list[str]:
        """The heads of the columns."""
        return [*map(str, range(self.n)), *(letter for letter, _ in PLACES)]

    def row(self, row: Box, card: int, names_wide: float) -> None:
        """A card, and a mark at each place where it may be."""
        name, cells = row.from_left(names_wide)
        places, depth = self.places(card), self.depth(card)
        gone = self.columns()[-1] in places
        self.drawing.label(name.inset(3, 0).from_left(13)[0], str(card), SMALL, "muted", "right")
        short = NAMES[card].split()[-1]
        self.drawing.label(name.inset(3, 0).from_left(17)[1], short, SMALL, "muted" if gone else "ink")
        for label, cell in zip(self.columns(), cells.cells(self.n + len(PLACES), 1)):
            if label in places and depth and label in "UL":
                self.drawing.label(cell, str(depth), SMALL, "ink", "middle", True)
            elif label in places:
                sure = len(places) == 1
                self.drawing.mark(cell, "sure" if sure else "may", "may" if gone else "ink")

    def depth(self, card: int) -> int:
        """Which card of the deck it is, counted from the top, if the reader knows that; else 0."""
        deck = self.full["deck"]
        known = card in deck and (self.reader is None or card in self.full["depth_known"][self.reader])
        return deck.index(card) + 1 if known else 0

    def places(self, card: int) -> list[str]:
        """The columns of the places where a card may be; from above, the one where it is."""
        full = self.full
        if card in full["discard"]:
            return ["D"]
        if self.reader is not None:
            table = table_of(self.state, self.reader)
            rows = [PLACE.hands + seat for seat in range(self.n)] + [PLACE.upper, PLACE.lower, PLACE.out]
            return [label for label, place in zip(self.columns(), rows) if int(table[place]) >> card & 1]
        for seat, hand in enumerate(full["hands"]):
            if card in hand:
                return [str(seat)]
        if card in full["removed"]:
            return ["R"]
        upper = full["deck"][: len(full["deck"]) - full["lower"]]
        return ["U" if card in upper else "L"]
