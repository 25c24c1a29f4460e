"""Pictures of tables: a game lays its table out once, as a `Scene`; from that come SVG, pixels and a window.

Knows no game. Read in this order: palette and measure, scene (what a picture consists of), drawing (the visual language
that all games share), then the writers: svg, pixels (Pillow) and window (pygame-ce). The last two libraries are
imported when they are first needed.
"""

from murder_envs.picture.palette import THEMES
from murder_envs.picture.scene import Scene

__all__ = ["THEMES", "Scene"]
