"""A game as a file of JSON lines: a header, a line for each decision, and a last line with a digest of the end.

    {"replay": 1, "game": "murder_of_crows", "version": 1, "config": {...}, "seed": 7, "players": ["search:1000", ...]}
    {"action": "play:M2", "values": {"play:M2": 0.31, ...}, "visits": {"play:M2": 812, ...}}
    ...
    {"end": "5f0c...", "decisions": 87}

What a file says is checked by playing it: it is refused with its reason if it is of another game, version or format, if
an action is illegal, if it is cut off, or if the game does not end where it says.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TextIO

from murder_envs.core.checks import a_choice, a_list, a_seed, a_text, an_int, fail, is_int, known_only, shown
from murder_envs.drivers.cursor import Cursor
from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset

FORMAT = 1
HEADER = ("replay", "game", "version", "config", "seed", "options", "snapshot", "players")
NEEDED = ("replay", "game", "version", "config", "seed")
LONGEST_LINE = 2**22
"""Characters; no line of a replay comes near it."""
MOST_TEXT = 2000
"""Characters of what a player says beside an action."""


@dataclass(frozen=True, slots=True)
class Note:
    """Why a player chose as it did, as far as it tells; all of it may be left out.

    Attributes:
        policy: name of a legal action -> its probability.
        visits: name of a legal action -> how often a search tried it.
        values: name of a legal action -> its estimated return, -1 to 1, for who acts.
        value: the estimated return of the position, -1 to 1, for who acts.
        says: free text that went with the action.
    """

    policy: Mapping[str, float] = field(default_factory=dict)
    visits: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    value: float | None = None
    says: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What there is of it."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in told.items() if value not in (None, "", {})}

    @classmethod
    def of(cls, kept: Mapping[str, Any], legal: Sequence[str]) -> Note:
        """A note from a file; ValueError names an entry that is none."""
        known_only(kept, [each.name for each in fields(cls)], "entry of a decision")
        for name in ("policy", "visits", "values"):
            table = kept.get(name, {})
            if not isinstance(table, Mapping) or not all(
                action in legal and _is_number(table[action]) for action in table
            ):
                fail(name, f"a number for each of some legal actions, not {shown(table)}")
        if not _is_number(kept.get("value", 0)):
            fail("value", f"a number, not {shown(kept['value'])}")
        if not isinstance(says := kept.get("says", ""), str) or len(says) > MOST_TEXT:
            fail("says", f"text of at most {MOST_TEXT} characters, not {shown(says)}")
        return cls(**kept)


def _is_number(value: Any) -> bool:
    """An int or a float that is one, no bool."""
    return (is_int(value) or isinstance(value, float)) and abs(value) < float("inf")


@dataclass
class Replay:
    """A game, from its beginning to its end or as far as it has been played.

    Attributes:
        ruleset: the configured game.
        seed: what it was dealt from.
        actions: names of the actions, in order.
        notes: number of a decision -> why it was made; most have none.
        players: who plays each seat, in words; () if nobody said.
        options, snapshot: what else the game began with, as `reset` takes them.
    """

    ruleset: Ruleset
    seed: int
    actions: list[str] = field(default_factory=list)
    notes: dict[int, Note] = field(default_factory=dict)
    players: tuple[str, ...] = ()
    options: Mapping[str, Any] | None = None
    snapshot: Mapping[str, Any] | None = None

    def header(self) -> dict[str, Any]:
        """The first line of the file."""
        return {
            "replay": FORMAT,
            "game": self.ruleset.name,
            "version": self.ruleset.version,
            "config": dict(self.ruleset.config),
            "seed": self.seed,
            **({"options": dict(self.options)} if self.options else {}),
            **({"snapshot": dict(self.snapshot)} if self.snapshot is not None else {}),
            **({"players": list(self.players)} if self.players else {}),
        }

    def begin(self) -> Cursor:
        """The game as it began."""
        cursor = Cursor(self.ruleset, self.ruleset.with_options(self.options) if self.options else None)
        if self.snapshot is None:
            cursor.deal(self.seed)
        else:
            cursor.restore(self.snapshot, self.seed)
        return cursor

    def play(self) -> Iterator[Cursor]:
        """The game at each decision, and at last at its end; it is one cursor, which goes on.

        Raises:
            ValueError: an action is unknown or illegal, or comes after the end; it says at which decision.
        """
        cursor = self.begin()
        yield cursor
        for k, name in enumerate(self.actions):
            if cursor.over:
                fail("actions", f"the game is over before decision {k} ({shown(name)})")
            try:
                cursor.act(self.ruleset.actions.id(a_text("action", name)))
            except ValueError as error:
                raise ValueError(f"{error}, at decision {k}") from None
            yield cursor

    def end(self) -> Cursor:
        """The game after its last action; errors are those of `play`."""
        *_, cursor = self.play()
        return cursor

    # -- Files -----------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; what stood there stays if that fails."""
        path = pathlib.Path(path)
        lines = [self.header()]
        lines += [_line_of(name, self.notes.get(k)) for k, name in enumerate(self.actions)]
        lines.append({"end": digest(self.end()), "decisions": len(self.actions)})
        fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            fresh.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: str | None = None, unfinished: bool = False) -> Replay:
        """Read a file, and play it to check every line.

        Args:
            path: the file.
            game: which game it should be of; None: any.
            unfinished: take a file whose last line is missing or cut off, as a process that was killed leaves it, as
                far as it goes.

        Raises:
            ValueError: it says what is wrong, with the path.
            OSError: the file cannot be read.
        """
        try:
            return cls._read(_lines(path, unfinished), game, unfinished)
        except ValueError as error:
            raise ValueError(f"{error} ({os.fspath(path)})") from None

    @classmethod
    def _read(cls, lines: Iterator[dict[str, Any]], game: str | None, unfinished: bool) -> Replay:
        replay = cls._of_header(next(lines, {}), game)
        cursor = replay.begin()
        for line in lines:
            if "end" in line:
                known_only(line, ("end", "decisions"), "entry of the last line")
                if next(lines, None) is not None:
                    fail("end", "the last line")
                if line["end"] != digest(cursor):
                    fail("end", f"{digest(cursor)}, as this game has ended, not {shown(line['end'])}")
                return replay
            if "action" not in line:
                fail("action", f"missing at decision {len(replay.actions)}")
            replay._take(cursor, line)
        if not unfinished:
            fail("end", "missing: the file is cut off, or the game is still going on")
        return replay

    @classmethod
    def _of_header(cls, head: dict[str, Any], game: str | None) -> Replay:
        """A replay without decisions, from the first line."""
        if "replay" not in head:
            fail("replay", "the first line of a replay file is its header")
        if head["replay"] != FORMAT:
            fail("replay", f"format {FORMAT}, not {shown(head['replay'])}")
        known_only(head, HEADER, "field of a replay")
        for name in NEEDED:
            if name not in head:
                fail(name, "missing from the replay")
        a_choice("game", head["game"], tuple(GAMES))
        if game is not None and head["game"] != game:
            fail("game", f"the replay is of {head['game']}, not of {shown(game)}")
        for name in ("config", "options", "snapshot"):
            if not isinstance(head.get(name, {}), dict):
                fail(name, f"a dict, not {shown(head[name])}")
        ruleset = make_ruleset(head["game"], **head["config"])
        if head["version"] != ruleset.version:
            was = shown(head["version"])
            fail("version", f"the replay is of version {was} of {ruleset.name}, this is {ruleset.version}")
        players = tuple(a_text("players", name) for name in a_list("players", head.get("players", [])))
        if players and len(players) != ruleset.n_seats:
            fail("players", f"one for each of the {ruleset.n_seats} seats, not {len(players)}")
        seed = a_seed("seed", head["seed"])
        return cls(ruleset, seed, players=players, options=head.get("options"), snapshot=head.get("snapshot"))

    def _take(self, cursor: Cursor, line: Mapping[str, Any]) -> None:
        """A line of a decision: the game goes on."""
        k = len(self.actions)
        if cursor.over:
            fail("actions", f"the game is over before decision {k} ({shown(line['action'])})")
        try:
            name = a_text("action", line["action"])
            rest = {key: value for key, value in line.items() if key != "action"}
            if rest:
                self.notes[k] = Note.of(rest, [self.ruleset.actions.names[action] for action in cursor.legal()])
            cursor.act(self.ruleset.actions.id(name))
        except ValueError as error:
            raise ValueError(f"{error}, at decision {k}") from None
        self.actions.append(name)

    # -- Pages -----------------------------------------------------------------------------------------------------

    def to_html(self, seat: int | None = None) -> str:
        """The game as one page that needs nothing else: all seats to choose from, or what one seat knew and no more.

        Args:
            seat: None: seen from above, and by each seat. Or an absolute seat: the page holds nothing that this seat
                did not know.

        Raises:
            ValueError: `seat`: out of range; or an error of `play`.
        """
        from murder_envs.replay import page

        return page.write(self, None if seat is None else an_int("seat", seat, 0, self.ruleset.n_seats - 1))

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame."""
        from murder_envs.replay import page

        return page.framed(self.to_html())


def digest(cursor: Cursor) -> str:
    """32 hexadecimal digits that stand for a position, in the rulebook's terms."""
    told = json.dumps(cursor.snapshot(), sort_keys=True)
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def _line_of(action: str, note: Note | None) -> dict[str, Any]:
    """The line of a decision."""
    return {"action": action, **(note.as_dict() if note else {})}


def _lines(path: str | os.PathLike[str], unfinished: bool) -> Iterator[dict[str, Any]]:
    """The lines of a file as dicts; a last one that was cut off is left out if the game may be unfinished."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for n, text in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
            try:
                line = json.loads(text)
            except (json.JSONDecodeError, RecursionError) as error:
                if unfinished and not text.endswith("\n"):
                    return
                fail(f"line {n}", f"a replay file has a JSON object a line, not {shown(text)} ({error})")
            if not isinstance(line, dict):
                fail(f"line {n}", f"a replay file has a JSON object a line, not {shown(line)}")
            yield line


class Recorder:
    """Writes a game to its file while it is played, so that a decision is on disk before anybody hears of it.

    Args:
        path: the file; it must not exist yet, unless `replay` has decisions, which are then in it already.
        replay: what is played.

    Raises:
        FileExistsError: there is such a file.
        OSError: the disk is full, or the file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], replay: Replay) -> None:
        self.path = pathlib.Path(path)
        self.replay = replay
        self._file: TextIO = self.path.open("a" if replay.actions else "x", encoding="utf-8")
        if replay.actions:
            self._cut_to_whole_lines()
        else:
            self._write(replay.header())

    def _cut_to_whole_lines(self) -> None:
        """Take away the rest of a line that was not finished when its process ended."""
        with self.path.open("rb+") as file:
            kept = file.read().rfind(b"\n") + 1
            file.truncate(kept)
        self._file.seek(0, os.SEEK_END)

    def add(self, action: str, note: Note | None = None) -> None:
        """A decision, which is legal."""
        self._write(_line_of(action, note))
        if note:
            self.replay.notes[len(self.replay.actions)] = note
        self.replay.actions.append(action)

    def finish(self, cursor: Cursor) -> None:
        """The game has ended, or nobody goes on with it."""
        self._write({"end": digest(cursor), "decisions": len(self.replay.actions)})
        self.close()

    def close(self) -> None:
        """No more is written."""
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())
