"""What a picture consists of: rectangles, circles, lines, polygons and text, on a canvas 480 wide.

Lengths are in units of the canvas, with the origin in the upper left corner; colours are names of the palette.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from murder_envs.picture import measure

if TYPE_CHECKING:
    import numpy as np

WIDTH = 480
"""How wide every canvas is; how high it is depends on the game and on its configuration."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the canvas."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.h

    def inset(self, dx: float, dy: float | None = None) -> Box:
        """The box within margins."""
        dy = dx if dy is None else dy
        return Box(self.x + dx, self.y + dy, self.w - 2 * dx, self.h - 2 * dy)

    def from_top(self, h: float) -> tuple[Box, Box]:
        """The upper part of this height, and the rest."""
        return Box(self.x, self.y, self.w, h), Box(self.x, self.y + h, self.w, self.h - h)

    def from_left(self, w: float) -> tuple[Box, Box]:
        """The left part of this width, and the rest."""
        return Box(self.x, self.y, w, self.h), Box(self.x + w, self.y, self.w - w, self.h)

    def stack(self, heights: Iterable[float], gap: float = 0) -> Iterator[Box]:
        """Boxes of these heights, one below the other."""
        y = self.y
        for h in heights:
            yield Box(self.x, y, self.w, h)
            y += h + gap

    def cells(self, columns: int, rows: int, gap: float = 0) -> Iterator[Box]:
        """The cells of a grid, row by row."""
        w, h = (self.w - gap * (columns - 1)) / columns, (self.h - gap * (rows - 1)) / rows
        for row in range(rows):
            for column in range(columns):
                yield Box(self.x + column * (w + gap), self.y + row * (h + gap), w, h)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, perhaps with round corners; `fill` or `stroke` may be "" for none."""

    box: Box
    fill: str = ""
    stroke: str = ""
    radius: float = 0
    thick: float = 1
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle."""

    x: float
    y: float
    r: float
    fill: str = ""
    stroke: str = ""
    thick: float = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    thick: float = 1
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text.

    Attributes:
        x, y: the left end of its baseline.
        text, size, fill, bold: what is written, and how.
        within: the box that it belongs into.
    """

    x: float
    y: float
    text: str
    size: float
    fill: str
    bold: bool
    within: Box

    @property
    def width(self) -> float:
        """How wide it is."""
        return measure.width(self.text, self.size, self.bold)

    @property
    def covers(self) -> Box:
        """The box that its letters fill."""
        top = self.y - measure.ASCENT * self.size
        return Box(self.x, top, self.width, (measure.ASCENT + measure.DESCENT) * self.size)


Shape = Rect | Circle | Line | Polygon | Text


@dataclass(slots=True)
class Scene:
    """A picture of a table: shapes, each above those before it.

    Attributes:
        height: how high the canvas is; it is WIDTH wide.
        title: what is seen, in a line.
        description: the same for people who hear it: what is asked of whom, and what happened last.
        shapes: what is drawn.
        news_at: where the latest events begin, which are the last thing drawn: y, and the number of their first shape.
    """

    height: float
    title: str
    description: str
    shapes: list[Shape] = field(default_factory=list)
    news_at: tuple[float, int] | None = None

    def without_news(self) -> Scene:
        """The picture without the latest events, for who shows these as text beside it."""
        if self.news_at is None:
            return self
        y, n = self.news_at
        return Scene(y, self.title, self.description, self.shapes[:n])

    def svg(self, theme: str = "light") -> str:
        """The picture as an SVG document, without anything from outside.

        Raises:
            ValueError: `theme`: there is none of this name.
        """
        from murder_envs.picture import svg

        return svg.write(self, theme)

    def pixels(self, width: int = 2 * WIDTH, theme: str = "light") -> np.ndarray:
        """The picture as pixels, uint8[height, width, 3], drawn by Pillow without a display.

        Raises:
            ValueError: `theme` or `width`: there is no such theme; the width is out of range.
            DependencyNotInstalled: Pillow is missing; the text says how to get it.
        """
        from murder_envs.picture import pixels

        return pixels.write(self, width, theme)

    def _repr_svg_(self) -> str:
        """For notebooks."""
        return self.svg()
