"""A replay as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import json
import zlib
from html import escape
from typing import Any

from murder_envs.core.wording import document
from murder_envs.picture.palette import THEMES
from murder_envs.replay.file import Replay
from murder_envs.replay.frames import payload

FRAME_HEIGHT = 760
"""Pixels of the frame in a notebook."""


def write(replay: Replay, seat: int | None = None) -> str:
    """The page; errors are those of `Replay.to_html`."""
    return page_of(payload(replay, seat))


def page_of(told: dict[str, Any]) -> str:
    """The page of what `frames.payload` has put together."""
    data = zlib.compress(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    parts = {
        "title": escape(told["title"]),
        "themes": themes(),
        "style": style(__package__),
        "script": document(__package__, "page.js"),
        "data": base64.b85encode(data).decode().replace("<", ","),  # no tag can begin in it
    }
    text = document(__package__, "page.html")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def style(package: str) -> str:
    """The style of a page: what pages of replays and of tables have in common, and what is a package's own."""
    return document("murder_envs.picture", "page.css") + document(package, "page.css")


def themes() -> str:
    """The palette as CSS: the light one, and the dark one for who asks for it."""
    written = {theme: "".join(f"--{name}:{colour};" for name, colour in THEMES[theme].items()) for theme in THEMES}
    return (
        f":root{{color-scheme:light dark;{written['light']}}}"
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{written["dark"]}}}}}'
        f':root[data-theme="dark"]{{color-scheme:dark;{written["dark"]}}}'
        ':root[data-theme="light"]{color-scheme:light}'
    )


def framed(page: str) -> str:
    """The page in a frame, for notebooks."""
    return (
        f'<iframe srcdoc="{escape(page)}" style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
        'sandbox="allow-scripts" title="A game, decision by decision"></iframe>'
    )
