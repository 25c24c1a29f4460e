"""Colours by what they are for, in a light and a dark theme.

The hues are those of Okabe and Ito, which people with any of the common kinds of colour blindness can tell apart. No
colour says anything alone: what it marks has a number, a word or a shape of its own.
"""

from __future__ import annotations

N_HUES = 8
"""Players and kinds of cards have the colours `hue0` to `hue7`, and text on them `on0` to `on7`."""

_HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#8a8f98")
_DARK, _LIGHT = "#16181d", "#ffffff"
_ON_HUES = (_LIGHT, _DARK, _DARK, _DARK, _DARK, _DARK, _DARK, _DARK)

_COMMON = {
    **{f"hue{i}": colour for i, colour in enumerate(_HUES)},
    **{f"on{i}": colour for i, colour in enumerate(_ON_HUES)},
}

THEMES: dict[str, dict[str, str]] = {
    "light": {
        **_COMMON,
        "table": "#efece4",
        "panel": "#fbfaf7",
        "line": "#cdc7ba",
        "ink": "#1d2026",
        "muted": "#585e69",
        "card": "#ffffff",
        "edge": "#8d8778",
        "back": "#44516b",
        "weave": "#6f7e9c",
        "on_back": "#ffffff",
        "banner": "#22304a",
        "on_banner": "#ffffff",
        "call": "#ffb000",
        "on_call": "#16181d",
        "faint": "#e4dfd3",
        "may": "#9aa0aa",
    },
    "dark": {
        **_COMMON,
        "table": "#121419",
        "panel": "#1d2129",
        "line": "#3a414d",
        "ink": "#eef0f4",
        "muted": "#adb4c0",
        "card": "#2b313c",
        "edge": "#7e8898",
        "back": "#50618a",
        "weave": "#7789b3",
        "on_back": "#ffffff",
        "banner": "#2c3c5e",
        "on_banner": "#ffffff",
        "call": "#ffb000",
        "on_call": "#16181d",
        "faint": "#2a303a",
        "may": "#7d8695",
    },
}
"""theme -> name of a colour -> how it is written."""
