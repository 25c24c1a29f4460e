"""How wide a text is, and where a line of it breaks: known without a font, so that every writer lays out alike.

The widths are those of the font that Pillow brings along (Aileron). SVG says them with each text, so that the font of
whoever looks is fitted to them.
"""

from __future__ import annotations

import functools
import unicodedata

SMALLEST = 10.0
"""No text is smaller, on a canvas 480 wide: on paper that would be about 2 mm on a page."""
ASCENT, DESCENT = 0.78, 0.24
"""How far letters reach above and below their baseline, in heights of the font."""
BOLD = 1.03
"""How much wider a bold text is."""

_FIRST = 32
_WIDTHS = (
    22, 25, 34, 58, 58, 74, 65, 18, 31, 32, 55, 58, 22, 27, 23, 30, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 23, 23, 58,
    58, 58, 50, 84, 64, 63, 70, 71, 59, 57, 71, 73, 27, 55, 61, 58, 87, 72, 74, 60, 73, 62, 58, 61, 68, 62, 95, 63, 58,
    59, 31, 30, 30, 58, 50, 30, 54, 60, 53, 62, 55, 29, 62, 59, 24, 24, 52, 25, 85, 59, 58, 60, 62, 33, 45, 32, 60, 51,
    79, 48, 51, 46, 30, 26, 30, 59,
)  # fmt: skip
"""Of the characters from the space on, in hundredths of the font's height."""
_OTHERS = {
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "–": "-",
    "—": "-",
    "−": "-",
    "×": "x",
    "·": "-",
    "•": "-",
    "…": "...",
}
_SPECIAL = {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "œ": "oe", "Œ": "OE"}
_WIDE = 100


@functools.lru_cache(4096)
def plain(text: str) -> str:
    """A text in the characters that have a width of their own: without accents, one question mark for each unknown."""
    letters = []
    for each in text:
        base = _OTHERS.get(each) or _SPECIAL.get(each) or unicodedata.normalize("NFKD", each)
        letters.append("".join(part for part in base if not unicodedata.combining(part)) or "")
    return "".join(part if 0 <= ord(part) - _FIRST < len(_WIDTHS) else "?" for part in "".join(letters))


@functools.lru_cache(16384)
def width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is at a size of the font."""
    total = 0
    for each in text:
        number = ord(each) - _FIRST
        if 0 <= number < len(_WIDTHS):
            total += _WIDTHS[number]
        elif unicodedata.east_asian_width(each) in "WF":
            total += _WIDE
        else:
            total += sum(_WIDTHS[ord(part) - _FIRST] for part in plain(each))
    return total * size / 100 * (BOLD if bold else 1)


def wrapped(text: str, size: float, most: float, bold: bool = False) -> list[str]:
    """A text as lines of at most a width; a word that is wider alone is broken where it has to be."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold) <= most:
            line = longer
            continue
        if line:
            lines.append(line)
        while width(word, size, bold) > most and len(word) > 1:
            n = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or width(word[:n], size, bold) <= most)
            lines.append(word[:n])
            word = word[n:]
        line = word
    return [*lines, line] if line else lines


def shortened(text: str, size: float, most: float, bold: bool = False) -> str:
    """A text that is too wide, cut behind a word if there is one that fits, with dots for the rest."""
    if width(text, size, bold) <= most:
        return text
    room = most - width("...", size, bold)
    first = wrapped(text, size, max(room, 1), bold)[0]
    return f"{first}..."
