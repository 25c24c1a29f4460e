"""What `render` gives in each mode, in all environments alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from murder_envs.picture.pixels import mosaic, tile_width
from murder_envs.picture.scene import WIDTH, Scene
from murder_envs.picture.window import Window

RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
"""A window; text; an SVG document; pixels, uint8[height, 960, 3]."""
MODES_HELP = (
    '"human" (a window), "ansi" (text), "svg" (a picture as SVG) or "rgb_array" (pixels, uint8[height, 960, 3])'
)
MOST_WIDE, MOST_HIGH = 720, 960
"""How large a picture in a window is, at most: it fits on a screen of 1080 lines."""
MOST_TILES = 64
"""So many tables at most are drawn in a mosaic; those after them are left out."""


def drawn(mode: str, text: Callable[[], str], scene: Callable[[], Scene], window: Window) -> str | np.ndarray | None:
    """One table: text ("ansi"), SVG or pixels ("rgb_array"); in "human" mode it is shown, and None returned."""
    if mode == "ansi":
        return text()
    if mode == "svg":
        return scene().svg()
    if mode == "rgb_array":
        return scene().pixels()
    shown = scene()
    window.show(shown.pixels(min(MOST_WIDE, int(MOST_HIGH * WIDTH / shown.height))))
    return None


def tiled(scenes: Sequence[Scene]) -> np.ndarray:
    """Several tables side by side as pixels: uint8[height, width, 3]."""
    width = tile_width(len(scenes), scenes[0])
    return mosaic([scene.pixels(width) for scene in scenes])
