"""Check replay files, tell what is in them, and write them as pages."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence

from murder_envs.core.checks import an_int
from murder_envs.replay.file import Replay


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a replay again; say what it is, or write it as a page."""
    parser = argparse.ArgumentParser(prog="python -m murder_envs.replay", description=main.__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--html", type=pathlib.Path, metavar="OUT", help="write a page that needs no network")
    parser.add_argument(
        "--seat", type=int, help="of what this seat knew and no more (default: from above, and all seats)"
    )
    parser.add_argument(
        "--search", type=int, metavar="N", help="note what a search of N simulations thinks of each decision"
    )
    parser.add_argument("--unfinished", action="store_true", help="take a game that is still going on, or was cut off")
    settings = parser.parse_args(arguments)
    try:
        replay = Replay.load(settings.file, unfinished=settings.unfinished)
        seat = (
            settings.seat if settings.seat is None else an_int("--seat", settings.seat, 0, replay.ruleset.n_seats - 1)
        )
        if settings.search is not None:
            from murder_envs.replay.analysis import annotated  # which compiles the search

            replay = annotated(replay, settings.search)
        if settings.html:
            settings.html.write_text(replay.to_html(seat), encoding="utf-8")
    except (ValueError, OSError) as error:
        parser.exit(1, f"{error}\n")
    cursor = replay.end()
    print(f"{replay.ruleset.title}, version {replay.ruleset.version}: {len(replay.actions)} decisions")
    for seat, player in enumerate(replay.players):
        print(f"{replay.ruleset.agents[seat]}: {player}")
    print(cursor.asked(None))
    if settings.html:
        print(f"{settings.html}: {settings.html.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
