"""A scene as pixels, with Pillow: no display is needed."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

from murder_envs.core.checks import a_choice, an_int
from murder_envs.picture import measure
from murder_envs.picture.palette import THEMES
from murder_envs.picture.scene import WIDTH, Circle, Line, Polygon, Rect, Scene, Shape, Text

NARROWEST, WIDEST = 60, 3840
FINER = 2
"""Everything is drawn so many times larger and then reduced, which makes edges smooth."""
DASH, GAP = 3.0, 2.0

MOSAIC_WIDTH = 1920
"""How wide a mosaic is, about, if its tiles are not given their width."""


def _pillow() -> tuple[Any, Any, Any]:
    """Pillow's modules Image, ImageDraw and ImageFont."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise DependencyNotInstalled(
            "pixels are drawn by Pillow: pip install 'murder_envs[pictures]'; render_mode=\"svg\" needs nothing"
        ) from error
    return Image, ImageDraw, ImageFont


@functools.cache
def _font(size: float) -> Any:
    """Pillow's own font at a size in pixels."""
    return _pillow()[2].load_default(size)


@functools.lru_cache(maxsize=1024)
def _written(words: str, size: float, bold: bool) -> tuple[Any, int, int]:
    """A line of text as a mask, and where its upper left corner lies from the left end of the baseline.

    From one picture to the next most texts stay, and drawing their letters takes most of the time. A bold text is drawn
    several times, a little apart, since Pillow's font has one weight.
    """
    image_module, draw_module, _ = _pillow()
    shifts = (0.0, 0.025 * size, 0.05 * size) if bold else (0.0,)
    left, top, right, bottom = (round(value) for value in _font(size).getbbox(words, anchor="ls"))
    mask = image_module.new("L", (max(1, right - left + 2 + math.ceil(shifts[-1])), max(1, bottom - top + 2)))
    draw = draw_module.Draw(mask)
    for shift in shifts:
        draw.text((shift + 1 - left, 1 - top), words, 255, _font(size), anchor="ls")
    return mask, left - 1, top - 1


def write(scene: Scene, width: int, theme: str) -> np.ndarray:
    """The pixels, uint8[height, width, 3]; ValueError names a theme or width that cannot be."""
    width = an_int("width", width, NARROWEST, WIDEST)
    colours = THEMES[a_choice("theme", theme, tuple(THEMES))]
    image_module, draw_module, _ = _pillow()
    height = height_of(scene, width)
    image = image_module.new("RGB", (FINER * width, FINER * height), colours["table"])
    painter = Painter(draw_module.Draw(image), FINER * width / WIDTH, colours)
    for shape in scene.shapes:
        painter.paint(shape)
    return np.asarray(image.reduce(FINER)).copy()


def height_of(scene: Scene, width: int) -> int:
    """How high a picture of this width is: an even number, as videos want it."""
    return 2 * math.ceil(scene.height * width / WIDTH / 2)


class Painter:
    """Draws shapes at a scale."""

    def __init__(self, draw: Any, scale: float, colours: dict[str, str]) -> None:
        self.draw = draw
        self.scale = scale
        self.colours = colours

    def paint(self, shape: Shape) -> None:
        """Draw a shape."""
        if isinstance(shape, Rect):
            self.rect(shape)
        elif isinstance(shape, Circle):
            x, y, r = (self.scale * value for value in (shape.x, shape.y, shape.r))
            self.draw.ellipse((x - r, y - r, x + r, y + r), **self.look(shape))
        elif isinstance(shape, Line):
            ends = [(shape.x1, shape.y1), (shape.x2, shape.y2)]
            self.line(ends, shape.stroke, shape.thick, shape.dashed)
        elif isinstance(shape, Polygon):
            self.draw.polygon([(self.scale * x, self.scale * y) for x, y in shape.points], self.colours[shape.fill])
        else:
            self.text(shape)

    def look(self, shape: Rect | Circle) -> dict[str, Any]:
        """Fill and outline as Pillow takes them."""
        return {
            "fill": self.colours[shape.fill] if shape.fill else None,
            "outline": self.colours[shape.stroke] if shape.stroke else None,
            "width": max(1, round(self.scale * shape.thick)),
        }

    def rect(self, shape: Rect) -> None:
        """A rectangle; where its outline is dashed, round corners are whole."""
        box = shape.box
        corners = [self.scale * value for value in (box.x, box.y, box.right, box.bottom)]
        look = self.look(shape)
        if shape.dashed:
            look["outline"] = None
        if look["fill"] or look["outline"]:  # with neither, Pillow draws an outline of its own
            self.draw.rounded_rectangle(corners, self.scale * shape.radius, **look)
        if shape.dashed and shape.stroke:
            r = shape.radius
            x1, y1, x2, y2 = box.x, box.y, box.right, box.bottom
            for ends in (((x1 + r, y1), (x2 - r, y1)), ((x1 + r, y2), (x2 - r, y2)),
                         ((x1, y1 + r), (x1, y2 - r)), ((x2, y1 + r), (x2, y2 - r))):  # fmt: skip
                self.line(ends, shape.stroke, shape.thick, True)
            for start, x, y in (
                (180, x1, y1),
                (270, x2 - 2 * r, y1),
                (0, x2 - 2 * r, y2 - 2 * r),
                (90, x1, y2 - 2 * r),
            ):
                around = [self.scale * value for value in (x, y, x + 2 * r, y + 2 * r)]
                self.draw.arc(around, start, start + 90, self.colours[shape.stroke], look["width"])

    def line(self, ends: Sequence[tuple[float, float]], stroke: str, thick: float, dashed: bool) -> None:
        """A line, whole or in dashes."""
        (x1, y1), (x2, y2) = ends
        length = math.hypot(x2 - x1, y2 - y1)
        pieces = [(0.0, length)]
        if dashed:
            starts = [i * (DASH + GAP) for i in range(math.ceil(length / (DASH + GAP)))]
            pieces = [(start, min(start + DASH, length)) for start in starts]
        for start, end in pieces:
            points = [
                (self.scale * (x1 + (x2 - x1) * at / length), self.scale * (y1 + (y2 - y1) * at / length))
                for at in (start, end)
                if length
            ]
            self.draw.line(points, self.colours[stroke], max(1, round(self.scale * thick)))

    def text(self, shape: Text) -> None:
        """A line of text."""
        mask, left, top = _written(measure.plain(shape.text), self.scale * shape.size, shape.bold)
        corner = (round(self.scale * shape.x) + left, round(self.scale * shape.y) + top)
        self.draw.bitmap(corner, mask, self.colours[shape.fill])


def mosaic(frames: Sequence[np.ndarray]) -> np.ndarray:
    """Pictures of one size side by side, uint8[height, width, 3], about as wide as high; what is left over is black.

    Args:
        frames: one or more, uint8[h, w, 3].
    """
    h, w, _ = frames[0].shape
    columns = columns_for(len(frames), h / w)
    rows = math.ceil(len(frames) / columns)
    whole = np.zeros((rows * h, columns * w, 3), np.uint8)
    for i, frame in enumerate(frames):
        y, x = h * (i // columns), w * (i % columns)
        whole[y : y + h, x : x + w] = frame
    return whole


def columns_for(n: int, shape: float) -> int:
    """How many of n tiles, each `shape` times as high as wide, stand in a row of a mosaic."""
    return min(n, max(1, round(math.sqrt(n * shape))))


def tile_width(n: int, scene: Scene) -> int:
    """How wide each of n pictures is in a mosaic: an even number."""
    columns = columns_for(n, scene.height / WIDTH)
    return max(NARROWEST, 2 * (min(2 * WIDTH, MOSAIC_WIDTH // columns) // 2))
