"""Tables that are kept on disk, and the links of their people: what a server needs, without a network.

A table is two files in a folder: `<name>.jsonl`, its replay, in which each decision stands before anybody hears of it,
and `<name>.seats.json`, which only its owner may read: who sits where, and the tokens of people's links.
"""

from __future__ import annotations

import json
import os
import pathlib
import secrets
import threading
from collections.abc import Sequence
from typing import Any

from murder_envs.core.checks import a_seed, fail
from murder_envs.play.players import HUMAN
from murder_envs.play.table import Table, begun
from murder_envs.replay import Recorder, Replay
from murder_envs.ruleset import Ruleset

TOKEN_BYTES = 24


class Kept:
    """A table, the tokens of its seats, and a lock for whoever looks or acts.

    Attributes:
        name: of its files.
        table: the game.
        tokens: seat of a person -> token.
        lock: held while the game is looked at or goes on.
    """

    def __init__(self, name: str, table: Table, tokens: dict[int, str]) -> None:
        self.name, self.table, self.tokens = name, table, tokens
        self.lock = threading.RLock()
        self._views: dict[int, tuple[int, str]] = {}

    def picture(self, seat: int) -> str:
        """The table as a seat sees it; drawn once for each decision."""
        n, drawn = self._views.get(seat, (-1, ""))
        if n != self.table.n:
            drawn = self.table.picture(seat)
            self._views[seat] = self.table.n, drawn
        return drawn


class Hall:
    """All tables of a folder; those that are there already go on where they were.

    Args:
        folder: where they are kept; it is made if there is none.
        time_limit, then: as for `Table`.

    Attributes:
        tables: by name.
        problems: what is wrong with the files of tables that could not be opened again; these are left as they are.
    """

    def __init__(
        self, folder: str | os.PathLike[str], time_limit: float | None = None, then: str = "heuristic"
    ) -> None:
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.time_limit, self.then = time_limit, then
        self.tables: dict[str, Kept] = {}
        self._seats: dict[str, tuple[Kept, int]] = {}
        self.problems: list[str] = []
        for path in sorted(self.folder.glob("*.seats.json")):
            try:
                self._reopen(path)
            except (ValueError, OSError) as error:
                self.problems.append(str(error))

    def seat(self, token: str) -> tuple[Kept, int] | None:
        """The table and the seat of a link; None if there is none."""
        return self._seats.get(token)

    def open(self, ruleset: Ruleset, seats: Sequence[str], seed: int | None = None) -> Kept:
        """A new table.

        Args:
            ruleset: the configured game.
            seats: who sits where, see `players`.
            seed: what the game is dealt from; None: the operating system's.

        Raises:
            ValueError: `seats` or `seed`.
        """
        seed = secrets.randbits(62) if seed is None else a_seed("seed", seed)
        replay = begun(seats, Replay(ruleset, seed))
        name = f"{ruleset.name}-{secrets.token_hex(4)}"
        people = [seat for seat, who in enumerate(seats) if who == HUMAN]
        tokens = {seat: secrets.token_urlsafe(TOKEN_BYTES) for seat in people}
        kept = {"seats": list(seats), "tokens": {str(seat): token for seat, token in tokens.items()}}
        recorder = Recorder(self.folder / f"{name}.jsonl", replay)
        write_for_the_owner(self.folder / f"{name}.seats.json", json.dumps(kept))
        return self._add(name, Table(replay, recorder, self.time_limit, self.then), tokens)

    def _reopen(self, path: pathlib.Path) -> None:
        """A table that another process has left."""
        name = path.name.removesuffix(".seats.json")
        try:
            kept: Any = json.loads(path.read_text(encoding="utf-8"))
            tokens = {int(seat): str(token) for seat, token in kept["tokens"].items()}
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            fail("seats", f"a file with the seats and tokens of a table, not {path} ({error})")
        file = self.folder / f"{name}.jsonl"
        if not file.exists():  # the process ended before the table was open
            path.unlink()
            return
        recorder = None
        try:
            replay = Replay.load(file)
        except ValueError:
            replay = Replay.load(file, unfinished=True)
            recorder = Recorder(file, replay, goes_on=True)
        table = Table(replay, recorder, self.time_limit, self.then)
        if recorder is not None and table.over and not recorder.is_finished:
            recorder.finish(table.cursor)
        self._add(name, table, tokens)

    def _add(self, name: str, table: Table, tokens: dict[int, str]) -> Kept:
        kept = self.tables[name] = Kept(name, table, tokens)
        self._seats |= {token: (kept, seat) for seat, token in tokens.items()}
        return kept


def write_for_the_owner(path: pathlib.Path, text: str) -> None:
    """A whole file or none, which nobody else may read."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
