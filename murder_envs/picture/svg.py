"""A scene as SVG."""

from __future__ import annotations

from xml.sax.saxutils import escape

from murder_envs.core.checks import a_choice
from murder_envs.picture.palette import THEMES
from murder_envs.picture.scene import WIDTH, Box, Circle, Line, Polygon, Rect, Scene, Shape, Text

FONTS = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', 'DejaVu Sans', sans-serif"
DASHES = "3 2"


def write(scene: Scene, theme: str) -> str:
    """The document; ValueError names a theme that there is not."""
    colours = THEMES[a_choice("theme", theme, tuple(THEMES))]
    whole = Rect(Box(0, 0, WIDTH, scene.height), "table")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(scene.height)}" role="img"'
            f' font-family="{FONTS}">',
            f"<title>{readable(scene.title)}</title>",
            f"<desc>{readable(scene.description)}</desc>",
            *(element(shape, colours) for shape in [whole, *scene.shapes]),
            "</svg>\n",
        ]
    )


def number(value: float) -> str:
    """A number as short as it can be written, to a tenth."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def readable(text: str) -> str:
    """A text without what has a meaning in XML, or is not allowed there."""
    return escape("".join(each for each in text if each >= " "))


def attributes(**values: float | str) -> str:
    """`x="1" stroke-width="2"`; those that are "" are left out."""
    written = {name: value if isinstance(value, str) else number(value) for name, value in values.items()}
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in written.items() if value != "")


def paint(shape: Rect | Circle, colours: dict[str, str]) -> str:
    """How an area is filled and outlined."""
    fill = colours[shape.fill] if shape.fill else "none"
    if not shape.stroke:
        return attributes(fill=fill)
    thick = "" if shape.thick == 1 else number(shape.thick)
    return attributes(fill=fill, stroke=colours[shape.stroke], stroke_width=thick)


def element(shape: Shape, colours: dict[str, str]) -> str:
    """A shape as an element."""
    if isinstance(shape, Rect):
        box = shape.box
        dashes = DASHES if shape.dashed else ""
        where = attributes(x=box.x, y=box.y, width=box.w, height=box.h, rx=shape.radius or "", stroke_dasharray=dashes)
        return f"<rect{where}{paint(shape, colours)}/>"
    if isinstance(shape, Circle):
        return f"<circle{attributes(cx=shape.x, cy=shape.y, r=shape.r)}{paint(shape, colours)}/>"
    if isinstance(shape, Line):
        dashes = DASHES if shape.dashed else ""
        ends = attributes(x1=shape.x1, y1=shape.y1, x2=shape.x2, y2=shape.y2)
        look = attributes(stroke=colours[shape.stroke], stroke_width=shape.thick, stroke_dasharray=dashes)
        return f"<line{ends}{look}/>"
    if isinstance(shape, Polygon):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
        return f"<polygon{attributes(points=points, fill=colours[shape.fill])}/>"
    return text(shape, colours)


def text(shape: Text, colours: dict[str, str]) -> str:
    """A line of text, fitted to its width whatever font the viewer has."""
    look = attributes(
        x=shape.x,
        y=shape.y,
        font_size=shape.size,
        font_weight="bold" if shape.bold else "",
        fill=colours[shape.fill],
        textLength=shape.width if len(shape.text) > 1 else "",
        lengthAdjust="spacingAndGlyphs" if len(shape.text) > 1 else "",
    )
    return f"<text{look}>{readable(shape.text)}</text>"
