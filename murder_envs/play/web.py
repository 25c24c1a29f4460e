"""Tables as local pages: each person has a link of their own, and is sent what their seat may know and nothing else.

    GET  /t/<token>                  the page
    GET  /t/<token>/view?since=<n>   what the seat sees; it waits until more than n decisions have been taken
    POST /t/<token>/act              {"decision": n, "action": "play:9"}
    GET  /t/<token>/replay           the game as a page, when it has ended

Errors are JSON with a reason, and change nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from murder_envs.core.wording import document
from murder_envs.play.hall import Hall, Kept
from murder_envs.play.table import TooLate
from murder_envs.replay.page import style, themes

LONGEST_BODY = 4096
"""Bytes of a decision; no honest one comes near it."""
PATIENCE = 20.0
"""Seconds that a view is waited for."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
NO_SEAT = "no seat has this link"


class News:
    """Tells those who wait that a table has gone on."""

    def __init__(self) -> None:
        self._events: dict[str, asyncio.Event] = {}

    def of(self, name: str) -> asyncio.Event:
        """What is set when a table goes on next."""
        return self._events.setdefault(name, asyncio.Event())

    def tell(self, name: str) -> None:
        """A table has gone on."""
        self._events.pop(name, asyncio.Event()).set()


def refused(status: int, reason: str) -> JSONResponse:
    """An error."""
    return JSONResponse({"error": reason}, status)


class Doors:
    """The doors of a hall."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.news = hall, News()
        self.page = page()

    def app(self) -> Starlette:
        """The application."""
        routes = [
            Route("/t/{token}", self.at_the_table(self.get_page)),
            Route("/t/{token}/view", self.at_the_table(self.get_view)),
            Route("/t/{token}/act", self.at_the_table(self.post_act), methods=["POST"]),
            Route("/t/{token}/replay", self.at_the_table(self.get_replay)),
        ]
        return Starlette(routes=routes)

    def at_the_table(self, door: Callable[[Request, Kept, int], Awaitable[Response]]) -> Any:
        """A door for who has a link."""

        async def behind(request: Request) -> Response:
            found = self.hall.seat(request.path_params["token"])
            response = refused(404, NO_SEAT) if found is None else await door(request, *found)
            response.headers.update(HEADERS)
            return response

        return behind

    async def get_page(self, request: Request, kept: Kept, seat: int) -> Response:
        """The page, which is the same for all; it asks for its view."""
        return HTMLResponse(self.page)

    async def get_view(self, request: Request, kept: Kept, seat: int) -> Response:
        """What the seat sees, as soon as there is more than it has seen."""
        since = request.query_params.get("since", "-1")
        if not since.removeprefix("-").isdecimal() or len(since) > 9:
            return refused(400, "since: how many decisions have been seen")
        ends = asyncio.get_running_loop().time() + PATIENCE
        while kept.table.n <= int(since):
            event = self.news.of(kept.name)
            left = kept.table.seconds_left()
            wait = min(ends - asyncio.get_running_loop().time(), PATIENCE if left is None else left + 0.05)
            if wait <= 0:
                break
            try:
                await asyncio.wait_for(event.wait(), wait)
            except TimeoutError:
                if await run_in_threadpool(self._expire, kept):
                    self.news.tell(kept.name)
                    break
        return JSONResponse(await run_in_threadpool(self._view, kept, seat, int(since)))

    async def post_act(self, request: Request, kept: Kept, seat: int) -> Response:
        """A decision."""
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
            return refused(403, "origin: a page of another server")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return refused(415, "content-type: application/json")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_BODY:
                return refused(413, f"body: at most {LONGEST_BODY} bytes")
        try:
            told = json.loads(body)
        except (ValueError, RecursionError):
            return refused(400, "body: JSON with a decision and an action")
        if not isinstance(told, dict) or set(told) != {"decision", "action"}:
            return refused(400, "body: JSON with a decision and an action")
        try:
            await run_in_threadpool(self._act, kept, seat, told)
        except TooLate as error:
            return refused(409, str(error))
        except ValueError as error:
            return refused(400, str(error))
        except OSError as error:
            return refused(507, f"the decision could not be written, and was not taken: {error.strerror}")
        self.news.tell(kept.name)
        return JSONResponse({"decision": kept.table.n})

    async def get_replay(self, request: Request, kept: Kept, seat: int) -> Response:
        """The whole game, when nothing of it is a secret any more."""
        if not kept.table.over:
            return refused(403, "the game has not ended")
        return HTMLResponse(await run_in_threadpool(kept.table.replay.to_html))

    def _view(self, kept: Kept, seat: int, since: int) -> dict[str, Any]:
        with kept.lock:
            kept.table.expire()
            return kept.table.view(seat, since, kept.picture(seat))

    def _expire(self, kept: Kept) -> bool:
        with kept.lock:
            return kept.table.expire()

    def _act(self, kept: Kept, seat: int, told: dict[str, Any]) -> None:
        with kept.lock:
            kept.table.act(seat, told["decision"], told["action"])


def page() -> str:
    """The page of a seat."""
    parts = {"themes": themes(), "style": style(__package__), "script": document(__package__, "page.js")}
    text = document(__package__, "page.html")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def app_of(hall: Hall) -> Starlette:
    """The application of a hall."""
    return Doors(hall).app()
