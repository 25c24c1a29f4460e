"""The visual language that the pictures of all games share: panels, cards and backs, piles, grids, marks, sentences.

- A card that the viewer sees is white, with a coloured head; one that the viewer does not see is a dark back. A card
  that lies face down and that the viewer knows all the same is a face with a dashed edge.
- Amber is for whoever has to decide, and for nothing else.
- In a grid of knowledge a full square is certain, a ring may be, and an empty cell cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from murder_envs.core.tables import numbered
from murder_envs.picture import measure
from murder_envs.picture.palette import N_HUES
from murder_envs.picture.scene import WIDTH, Box, Circle, Line, Polygon, Rect, Scene, Text

MARGIN = 8.0
GAP = 6.0
SMALL, NORMAL, LARGE = 10.0, 11.0, 13.0
LEADING = 1.28
"""From one line of text to the next, in heights of the font."""
HEADER = 22.0
HUES = numbered(("blue", "vermilion", "green", "purple", "orange", "sky", "yellow", "grey"))
"""The hues of the palette by name, for kinds of cards."""
NARROW = 26.0
"""No card of a hand is narrower."""
STEP = 0.5
"""By how much a text is made smaller at a time, until it fits."""


@dataclass(frozen=True)
class Card:
    """A card as a viewer sees it.

    Attributes:
        head: its number or letter, which stands large in its corner; "" for a face without anything.
        name: what stands below; "" for nothing.
        hue: the colour of its head, a number of the palette; None: grey.
        is_known: it lies face down, and the viewer knows what it is.
        note: a word in its other corner.
    """

    head: str
    name: str = ""
    hue: int | None = None
    is_known: bool = False
    note: str = ""


BACK = Card("back")
"""A card that the viewer does not know."""


class Drawing:
    """Draws a scene.

    Args:
        height: how high the canvas is.
        title, description: see `Scene`.

    Attributes:
        scene: what has been drawn.
    """

    def __init__(self, height: float, title: str, description: str) -> None:
        self.scene = Scene(height, title, description)

    # -- Plain shapes and text ----------------------------------------------------------------------------------------

    def rect(self, box: Box, fill: str = "", stroke: str = "", radius: float = 0, **look: float | bool) -> None:
        """A rectangle."""
        self.scene.shapes.append(Rect(box, fill, stroke, radius, **look))  # type: ignore[arg-type]

    def circle(self, x: float, y: float, r: float, fill: str = "", stroke: str = "", thick: float = 1) -> None:
        """A circle."""
        self.scene.shapes.append(Circle(x, y, r, fill, stroke, thick))

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "line", **look: float | bool) -> None:
        """A line."""
        self.scene.shapes.append(Line(x1, y1, x2, y2, stroke, **look))  # type: ignore[arg-type]

    def polygon(self, points: Iterable[tuple[float, float]], fill: str) -> None:
        """A filled polygon."""
        self.scene.shapes.append(Polygon(tuple(points), fill))

    def label(
        self,
        box: Box,
        text: str,
        size: float = NORMAL,
        fill: str = "ink",
        align: str = "left",
        bold: bool = False,
    ) -> float:
        """A line of text in the middle of a box's height: smaller if it is too wide, and shortened in the end.

        Args:
            align: "left", "middle" or "right".

        Returns:
            How wide it is.
        """
        text = measure.plain(text)
        while size > measure.SMALLEST and measure.width(text, size, bold) > box.w:
            size -= STEP
        text = measure.shortened(text, size, box.w, bold)
        if not text:
            return 0.0
        wide = measure.width(text, size, bold)
        x = box.x + {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * (box.w - wide)
        y = box.y + box.h / 2 + (measure.ASCENT - measure.DESCENT) / 2 * size
        self.scene.shapes.append(Text(x, y, text, size, fill, bold, box))
        return wide

    def paragraph(
        self, box: Box, text: str, size: float = NORMAL, fill: str = "ink", align: str = "left", bold: bool = False
    ) -> float:
        """Text in lines from the top of a box down: smaller if it does not fit, and shortened if that is not enough.

        Returns:
            How high it is.
        """
        text = measure.plain(text)
        size = fitting(box, text, size, bold)
        lines = measure.wrapped(text, size, box.w, bold)
        most = max(1, int(box.h / (LEADING * size) + 1e-6))
        if len(lines) > most:
            lines = [*lines[: most - 1], measure.shortened(" ".join(lines[most - 1 :]), size, box.w, bold)]
        for i, line in enumerate(lines):
            self.label(Box(box.x, box.y + i * LEADING * size, box.w, LEADING * size), line, size, fill, align, bold)
        return len(lines) * LEADING * size

    def centred(
        self, box: Box, text: str, size: float = NORMAL, fill: str = "ink", align: str = "left", bold: bool = False
    ) -> None:
        """A paragraph in the middle of a box's height."""
        text = measure.plain(text)
        size = fitting(box, text, size, bold)
        high = min(box.h, len(measure.wrapped(text, size, box.w, bold)) * LEADING * size)
        self.paragraph(Box(box.x, box.y + (box.h - high) / 2, box.w, high + 0.01), text, size, fill, align, bold)

    # -- The frame ----------------------------------------------------------------------------------------------------

    def frame(self, subtitle: str, question: str, seat: int | None, lines: int = 2) -> Box:
        """The header and the banner with what is asked; returns the box that is left below.

        Args:
            subtitle: where the game stands, and who looks.
            question: what is asked, or how the game ended.
            seat: whose decision it is; None when the game is over.
            lines: how many lines of text the banner has room for.
        """
        head, _ = Box(MARGIN, 3, WIDTH - 2 * MARGIN, self.scene.height - 2 * MARGIN).from_top(HEADER)
        used = self.label(head, self.scene.title, LARGE, bold=True)
        self.label(Box(head.x + used + GAP, head.y, head.w - used - GAP, head.h), subtitle, SMALL, "muted", "right")
        banner = Box(MARGIN, head.bottom + 2, head.w, lines * LEADING * LARGE + 12)
        self.rect(banner, "banner", radius=6)
        text = banner.inset(10, 5)
        if seat is not None:
            self.chip(banner.x + 18, banner.y + banner.h / 2, seat, 10, calls=True)
            text = text.from_left(28)[1]
        self.centred(text, question, LARGE, "on_banner", bold=True)
        top = banner.bottom + GAP
        return Box(MARGIN, top, head.w, self.scene.height - MARGIN - top)

    def panel(self, box: Box, title: str = "", calls: bool = False, fill: str = "panel") -> Box:
        """A panel, perhaps with a title; in amber for whoever has to decide. Returns the box inside."""
        self.rect(box, fill, "call" if calls else "line", 6, thick=2.5 if calls else 1)
        inner = box.inset(7, 5)
        if not title:
            return inner
        top, rest = inner.from_top(15)
        self.label(top, title, SMALL, "muted", bold=True)
        return rest

    # -- Players ------------------------------------------------------------------------------------------------------

    def chip(self, x: float, y: float, seat: int, r: float = 8, calls: bool = False, hue: int | None = None) -> None:
        """A player's number on the player's colour (or on a hue), in an amber ring if it is to decide."""
        hue = seat % N_HUES if hue is None else hue
        self.circle(x, y, r, f"hue{hue}", "call" if calls else "", 2.5)
        self.label(Box(x - r, y - r, 2 * r, 2 * r), str(seat), max(SMALL, r * 1.4), f"on{hue}", "middle", True)

    def name(self, box: Box, seat: int, name: str, tags: Sequence[str] = (), calls: bool = False) -> None:
        """A player's number and name in a line, what there is to say of it, and whether it has to decide."""
        r = min(8.0, box.h / 2)
        self.chip(box.x + r, box.y + box.h / 2, seat, r)
        rest = box.from_left(2 * r + 4)[1]
        if calls:
            wide = self.pill(rest, "to decide")
            rest = Box(rest.x, rest.y, rest.w - wide - 4, rest.h)
        used = self.label(rest, name, NORMAL, bold=True)
        if tags:
            left = rest.from_left(used + 5)[1]
            if left.w > 24:
                self.label(left, ", ".join(tags), SMALL, "muted")

    def pill(self, box: Box, text: str, fill: str = "call", ink: str = "on_call") -> float:
        """A short text on a coloured ground, at the right of a box; returns how wide it is."""
        wide = measure.width(text, SMALL, True) + 10
        ground = Box(box.right - wide, box.y + box.h / 2 - 7, wide, 14)
        self.rect(ground, fill, radius=7)
        self.label(ground.inset(4, 0), text, SMALL, ink, "middle", True)
        return wide

    # -- Cards --------------------------------------------------------------------------------------------------------

    def card(self, box: Box, card: Card) -> None:
        """A card: its face, its back, or the face of one that lies face down."""
        if card is BACK:
            self.back(box)
            return
        self.rect(box, "card", "edge", 4, dashed=card.is_known)
        if not card.head:
            return
        head = Box(box.x + 1.5, box.y + 1.5, box.w - 3, min(16.0, box.h - 3))
        hue, ink = ("faint", "ink") if card.hue is None else (f"hue{card.hue}", f"on{card.hue}")
        wide = max(15.0, measure.width(card.head, NORMAL, True) + 6)
        self.rect(Box(head.x, head.y, wide, head.h), hue, radius=3)
        self.label(Box(head.x, head.y, wide, head.h), card.head, NORMAL, ink, "middle", True)
        if card.note:
            self.label(head.from_left(wide + 2)[1], card.note, SMALL, "muted", "right")
        if card.name:
            self.centred(Box(box.x + 3, head.bottom, box.w - 5, box.bottom - head.bottom - 1), card.name, SMALL)

    def back(self, box: Box) -> None:
        """The back of a card, woven."""
        self.rect(box, "back", "panel", 4)
        inner = box.inset(min(4.0, box.w / 5), min(4.0, box.h / 5))
        self.rect(inner, stroke="weave", radius=2)
        if inner.w > 10 and inner.h > 10:
            x, y, r = inner.x + inner.w / 2, inner.y + inner.h / 2, min(inner.w, inner.h) / 4
            self.polygon(((x, y - r), (x + r, y), (x, y + r), (x - r, y)), "weave")

    def hand(self, box: Box, cards: Sequence[Card], wide: float) -> None:
        """Cards side by side from the left, as wide as they should be or as there is room for.

        If there is room for little more than their heads, they are drawn without names, and the last say how many.
        """
        gap = 4.0
        most = int((box.w + gap) / (NARROW + gap))
        if len(cards) > most:
            more = len(cards) - most + 1
            self.label(Box(box.right - NARROW, box.y, NARROW, box.h), f"+{more}", NORMAL, "ink", "middle", True)
            cards = cards[: most - 1]
            wide = NARROW
        wide = min(wide, (box.w + gap) / max(1, len(cards)) - gap)
        for i, card in enumerate(cards):
            named = card is BACK or all(measure.width(word, SMALL) <= wide - 5 for word in card.name.split())
            shown = card if named else replace(card, name="", note="")
            self.card(Box(box.x + i * (wide + gap), box.y, wide, box.h), shown)

    def pile(self, box: Box, title: str, count: int, top: Card | None = None, note: str = "", wide: float = 44) -> None:
        """A pile, `wide` units wide, with its number of cards: face down, or with the card on top.

        It takes the left of the box; what it is stands at the right.
        """
        deck = Box(box.x, box.y + 3, wide, box.h - 3)
        if not count:
            self.rect(deck, stroke="line", radius=4, dashed=True)
        for i in range(min(2, count - 1), 0, -1):
            self.rect(
                Box(deck.x + 2 * i, deck.y - 1.5 * i, deck.w, deck.h), "back" if top is None else "card", "edge", 4
            )
        if count:
            self.card(deck, BACK if top is None else top)
        if count and (top is None or not top.head):
            badge = Box(deck.x + deck.w / 2 - 12, deck.y + deck.h / 2 - 9, 24, 18)
            ground, ink = ("back", "on_back") if top is None else ("card", "ink")
            self.rect(badge, ground, radius=4)
            self.label(badge, str(count), LARGE, ink, "middle", True)
        words = box.from_left(wide + 9)[1]
        self.label(words.from_top(15)[0], title, SMALL, "muted", bold=True)
        said = f"{count} card{'' if count == 1 else 's'}"
        self.paragraph(words.from_top(15)[1], f"{said}{', ' if note else ''}{note}", SMALL)

    # -- Knowledge ----------------------------------------------------------------------------------------------------

    def mark(self, cell: Box, kind: str, colour: str = "ink") -> None:
        """A mark of a grid of knowledge: "sure", "may" or "no" (a cross); anything else leaves the cell empty."""
        x, y = cell.x + cell.w / 2, cell.y + cell.h / 2
        r = min(cell.w, cell.h) / 2
        if kind == "sure":
            self.rect(Box(x - 0.62 * r, y - 0.62 * r, 1.24 * r, 1.24 * r), colour, radius=1.5)
        elif kind == "may":
            self.circle(x, y, 0.45 * r, stroke="may", thick=1.3)
        elif kind == "no":
            d = 0.38 * r
            self.line(x - d, y - d, x + d, y + d, "may", thick=1.2)
            self.line(x - d, y + d, x + d, y - d, "may", thick=1.2)

    def stripes(self, box: Box, rows: int) -> Iterable[Box]:
        """The rows of a grid, every other one with a ground of its own."""
        for i, row in enumerate(box.cells(1, rows)):
            if i % 2 == 0:
                self.rect(row, "faint", radius=2)
            yield row

    def key(self, box: Box, entries: Sequence[tuple[str, str]]) -> None:
        """What marks mean, in a line: (kind of `mark`, or a character, words)."""
        x = box.x
        for kind, words in entries:
            sign = Box(x, box.y + box.h / 2 - 6, 12, 12)
            if len(kind) == 1:
                self.label(sign, kind, SMALL, "ink", "middle", True)
            self.mark(sign, kind)
            x += 15 + self.label(Box(x + 15, box.y, box.right - x - 15, box.h), words, SMALL, "muted") + 10

    # -- Sentences ----------------------------------------------------------------------------------------------------

    def sentences(self, box: Box, sentences: Sequence[str], nothing: str, size: float = SMALL) -> None:
        """The latest sentences that fit, the newest last and marked; each whole, the last perhaps in a smaller font."""
        indent = 9.0
        room = box.h
        chosen: list[tuple[str, float]] = []
        for sentence in reversed(sentences):
            n = len(measure.wrapped(measure.plain(sentence), size, box.w - indent))
            high = n * LEADING * size + 1.5
            if high > room and chosen:
                break
            chosen.append((sentence, min(high, room)))
            room -= high
        y = box.y
        for i, (sentence, high) in enumerate(reversed(chosen)):
            newest = i == len(chosen) - 1
            middle = y + LEADING * size / 2
            self.circle(box.x + 3, middle, 2, "ink" if newest else "may")
            line = Box(box.x + indent, y, box.w - indent, high)
            self.paragraph(line, sentence, size, "ink" if newest else "muted")
            y += high
        if not sentences:
            self.label(box.from_top(LEADING * size)[0], nothing, size, "muted")

    def latest(self, box: Box, sentences: Sequence[str]) -> None:
        """A panel with what has happened last."""
        self.scene.news_at = box.y, len(self.scene.shapes)
        self.sentences(self.panel(box, "What has happened, the latest last"), sentences, "nothing yet")

    def listing(self, box: Box, what: str, things: Sequence[str]) -> None:
        """In a line: what is listed, as many of the things as there is room for, and how many more there are."""
        used = self.label(box, what, SMALL, "muted") + 4
        rest = box.from_left(used)[1]
        n = len(things)
        text = ", ".join(things) or "none"
        while n and measure.width(text, SMALL) > rest.w:
            n -= 1
            text = f"{', '.join(things[:n])} and {len(things) - n} more"
        self.label(rest, text, SMALL)


def fitting(box: Box, text: str, size: float, bold: bool = False) -> float:
    """The size, or the greatest below it, at which a text has room in a box and no word has to be broken."""
    words = text.split()
    while size > measure.SMALLEST:
        lines = measure.wrapped(text, size, box.w, bold)
        if len(lines) * LEADING * size <= box.h and all(measure.width(word, size, bold) <= box.w for word in words):
            break
        size -= STEP
    return size


def below_frame(lines: int = 2) -> float:
    """How high all is that stands above and below what a game draws, see `Drawing.frame`."""
    return 3 + HEADER + 2 + lines * LEADING * LARGE + 12 + GAP + MARGIN


def height_for(sentences: int, size: float = SMALL) -> float:
    """How high so many lines of sentences are."""
    return sentences * (LEADING * size + 1.5)


def rows_for(n: int, columns: int) -> int:
    """How many rows n things in so many columns have."""
    return math.ceil(n / columns)
