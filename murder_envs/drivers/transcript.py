"""A game on paper: a playthrough, which people read and tests replay line by line.

python -m murder_envs.drivers.transcript write theres_been_a_murder --config tiny --player heuristic > game.txt
python -m murder_envs.drivers.transcript write theres_been_a_murder --seat 1 > what_player_1_read.txt
python -m murder_envs.drivers.transcript check game.txt
python -m murder_envs.drivers.transcript renew tests/data/theres_been_a_murder/playthroughs/*.txt
"""

from __future__ import annotations

import argparse
import copy
import json
import pathlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from murder_envs.core.checks import a_choice, a_seed, fail, shown
from murder_envs.core.jit import copied
from murder_envs.core.tables import Block
from murder_envs.drivers.cursor import Cursor
from murder_envs.drivers.story import Story
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

WIDTH = 120
"""Characters of a line of what a seat has been told."""
Choice = Callable[["Game"], str]
"""Who plays: a game that stands at a decision -> the name of a legal action."""


class Game:
    """One game of a ruleset from Python, in names.

    Args:
        ruleset: the configured game.
        seed: what it starts from, an int from 0 to 2^63 - 1.
        snapshot: a (partial) snapshot to start from in place of a deal.
        options: other options of `reset`, for this game alone.

    Raises:
        ValueError: it names what is wrong with the seed, the snapshot or an option.

    Attributes:
        cursor: the game itself.
        played: names of the actions so far.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        seed: int,
        snapshot: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.seed = a_seed("seed", seed)
        if options is not None and not isinstance(options, Mapping):
            fail("options", f"a dict, not {shown(options)}")
        # Replays name what this game began with, whatever becomes of the caller's dicts.
        self.start, self.options = copy.deepcopy((snapshot, options))
        self.played: list[str] = []
        self.cursor = Cursor(ruleset, ruleset.with_options(options) if options else None)
        begun = None
        if snapshot is None:
            self.cursor.deal(self.seed)
        else:
            self.cursor.restore(snapshot, self.seed)
            begun = copied(self.cursor.states)
        self._story = Story(ruleset, self.cursor.rules, self.seed, begun)

    @property
    def seat(self) -> int:
        """Absolute seat to act; -1 when over."""
        return self.cursor.seat

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.cursor.over

    def snapshot(self) -> dict[str, Any]:
        """The state in the rulebook's terms."""
        return self.cursor.snapshot()

    def legal(self) -> list[str]:
        """Names of the legal actions, in the order of their ids."""
        return [self.ruleset.actions.names[action] for action in self.cursor.legal()]

    def act(self, name: str) -> None:
        """Take an action; ValueError names one that is unknown or illegal."""
        try:
            self.cursor.act(self.ruleset.actions.id(name))
        except ValueError as error:
            raise ValueError(f"{error}, at decision {len(self.played)}") from None
        self.played.append(name)

    def choose_at_random(self, stream: np.ndarray) -> str:
        """A legal action, drawn from a random stream, a uint64 array of length 1."""
        return self.ruleset.actions.names[self.cursor.choose_at_random(stream)]

    def choose_by_heuristic(self, stream: np.ndarray) -> str:
        """What the game's own scripted player does."""
        return self.ruleset.actions.names[self.cursor.choose_by_heuristic(stream)]

    def look(self, seat: int) -> np.ndarray:
        """The observation of a seat, int8[observation.size]."""
        return self.cursor.look(seat)

    def info(self, seat: int) -> dict[str, Any]:
        """The rulebook's own score, and what else the game tells that seat."""
        return self.cursor.info(seat)

    def returns(self) -> list[float]:
        """What each seat is paid."""
        return self.cursor.outcome()[0]

    def describe(self, name: str, seat: int | None = None) -> str:
        """What a legal action means, as a sentence for a seat, or from above; ValueError names an illegal one."""
        return self.cursor.describe(self.ruleset.actions.id(name), seat)

    def messages(self, seat: int | None, since: int | None = None) -> list[str]:
        """What a seat has been told by its own last action and since, as sentences; None: all, from above.

        `since` is as in `RawEnv.messages`.
        """
        return self._story.since(seat, [self.ruleset.actions.id(name) for name in self.played], since)


# -- Who plays --------------------------------------------------------------------------------------------------------


def at_random(seed: int) -> Choice:
    """Any legal action, all with equal chances."""
    stream = np.array([seed], np.uint64)
    return lambda game: game.choose_at_random(stream)


def by_heuristic(seed: int) -> Choice:
    """The game's own scripted player."""
    stream = np.array([seed], np.uint64)
    return lambda game: game.choose_by_heuristic(stream)


PLAYERS = {"random": at_random, "heuristic": by_heuristic}
"""Who can write a playthrough: name -> seed -> Choice."""


def by_script(names: Sequence[str]) -> Choice:
    """These actions, in order."""
    script = iter(names)

    def choose(game: Game) -> str:
        for name in script:
            return name
        fail("actions", f"none for decision {len(game.played)}")

    return choose


# -- Playthroughs -----------------------------------------------------------------------------------------------------


def playthrough(game: Game, choose: Choice) -> str:
    """The game played to its end, as text.

    It opens with the configuration and all sizes; then, for each decision, who chooses in which phase, what is legal,
    what is chosen, and which blocks of each seat's observation change by it; at the end, what each is paid and told.
    Blocks show their entries by index, from 0; `+3 -7` says which entries have become 1 and 0.
    """
    return "\n".join(_lines(game, choose)) + "\n"


def _lines(game: Game, choose: Choice) -> Iterator[str]:
    ruleset = game.ruleset
    yield from _head_lines(game)
    yield f"seats: {', '.join(ruleset.agents)}"
    yield f"phases: {', '.join(ruleset.phases)}"
    starts = ", ".join(f"{block} from {start}" for block, start in ruleset.actions.starts.items())
    yield f"actions: {ruleset.actions.n}: {starts}"
    for what, layout in (("observation", ruleset.observation), ("state vector", ruleset.world)):
        sizes = ", ".join(f"{block.name} {'x'.join(map(str, block.shape))}" for block in layout.values())
        yield f"{what}: {layout.size}: {sizes}"
    seen = [np.zeros(ruleset.observation.size, np.int8) for _ in ruleset.agents]
    yield ""
    yield "start"
    yield from _table(game)
    yield from _shown_to_each(game, seen)
    while not game.over:
        yield ""
        yield f"decision {len(game.played)}: {ruleset.agents[game.seat]} in {game.snapshot()['phase']}"
        yield f"  legal: {' '.join(game.legal())}"
        chosen = choose(game)
        yield f"  chosen: {chosen}"
        game.act(chosen)
        yield from _shown_to_each(game, seen)
    yield ""
    yield f"over after {len(game.played)} decisions"
    yield from _table(game)
    for seat, paid in enumerate(game.returns()):
        yield f"  {ruleset.agents[seat]}: paid {paid:g}, info {json.dumps(game.info(seat), sort_keys=True)}"


def _head_lines(game: Game) -> Iterator[str]:
    """What game this is."""
    yield f"game: {game.ruleset.name}"
    yield f"version: {game.ruleset.version}"
    yield f"config: {json.dumps(dict(game.ruleset.config))}"
    yield f"seed: {game.seed}"
    if game.options:
        yield f"options: {json.dumps(game.options)}"
    if game.start is not None:
        yield f"snapshot: {json.dumps(game.start)}"


def _table(game: Game, seat: int | None = None) -> Iterator[str]:
    """The game as a seat sees it, or from above."""
    for line in game.cursor.text(seat).splitlines():
        yield f"  | {line}".rstrip()


def seat_playthrough(game: Game, player: str, seat: int) -> str:
    """The game played to its end, as one seat reads it: nothing that is hidden from that seat stands in it.

    At each decision of the seat: what it has been told since its last one, the table as it sees it, each legal action
    with its meaning, and what it chooses.

    Args:
        game: a game before its first decision.
        player: who plays all seats, one of PLAYERS, with the game's seed.
        seat: whose view it is.
    """
    return "\n".join(_seat_lines(game, player, seat)) + "\n"


def _seat_lines(game: Game, player: str, seat: int) -> Iterator[str]:
    choose = PLAYERS[player](game.seed)
    yield from _head_lines(game)
    yield f"player: {player}"
    yield f"seat: {game.ruleset.agents[seat]}"
    own = 0  # how many decisions others have taken in between may be secret
    while not game.over:
        asked = game.seat == seat
        if asked:
            own += 1
            yield ""
            yield f"decision {own} of {game.ruleset.agents[seat]}"
            yield from _heard(game, seat)
            width = max(map(len, game.legal()))
            for name in game.legal():
                yield f"    {name:{width}}  {game.describe(name, seat)}"
        chosen = choose(game)
        if asked:
            yield f"  chosen: {chosen}"
        game.act(chosen)
    yield ""
    yield f"over after {own} decisions of {game.ruleset.agents[seat]}"
    yield from _heard(game, seat)
    yield f"  paid {game.returns()[seat]:g}, info {json.dumps(game.info(seat), sort_keys=True)}"


def _heard(game: Game, seat: int) -> Iterator[str]:
    """What a seat has been told since it last acted, and the table as it sees it."""
    for sentence in game.messages(seat):
        for line in sentence.splitlines():
            yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ") or [""]
    yield from _table(game, seat)


def _shown_to_each(game: Game, seen: list[np.ndarray]) -> Iterator[str]:
    """A line for each seat whose observation has changed; `seen` is brought up to date."""
    for seat, agent in enumerate(game.ruleset.agents):
        now = game.look(seat)
        changes = [
            _change(block, seen[seat][block.slice].reshape(block.shape), now[block.slice].reshape(block.shape))
            for block in game.ruleset.observation.values()
            if not np.array_equal(seen[seat][block.slice], now[block.slice])
        ]
        seen[seat] = now
        if changes:
            yield f"  {agent}: {'; '.join(changes)}"


def _change(block: Block, before: np.ndarray, now: np.ndarray) -> str:
    """What a block shows now: a vector, the rows of a table that have changed, what is new in a list."""
    if now.ndim == 1:
        return f"{block.name} {_vector(block, before, now)}"
    rows, old = now.reshape(-1, now.shape[-1]), before.reshape(-1, now.shape[-1])
    if new := _moved_down(old, rows):
        return f"{block.name} new {' '.join(_entry(row) for row in rows[:new])}"
    changed = np.flatnonzero((rows != old).any(axis=1))
    return f"{block.name} " + " ".join(f"[{row}] {_vector(block, old[row], rows[row])}" for row in changed)


def _moved_down(old: np.ndarray, rows: np.ndarray) -> int:
    """By how many rows a list with the newest on top has grown; 0 if this is none."""
    if old.any():
        for n in range(1, len(rows)):
            if rows[:n].any(axis=1).all() and (rows[n:] == old[:-n]).all():
                return n
    return 0


def _vector(block: Block, before: np.ndarray, now: np.ndarray) -> str:
    """`{1 4..6}`: where a 1 is, or `+1 -7`: what came and went; `{0:2 3:1}`: what is where; or the only value."""
    if now.size == 1:
        return str(now[0])
    if (block.low, block.high) != (0, 1):
        return "{" + " ".join(f"{i}:{now[i]}" for i in np.flatnonzero(now)) + "}"
    whole = "{" + " ".join(_ranges(np.flatnonzero(now).tolist())) + "}"
    came, went = (_ranges(np.flatnonzero(more).tolist()) for more in (now > before, now < before))
    change = " ".join([*(f"+{each}" for each in came), *(f"-{each}" for each in went)])
    return change if before.any() and len(change) < len(whole) else whole


def _ranges(numbers: list[int]) -> list[str]:
    """[1, 4, 5, 6] -> ["1", "4..6"]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs]


def _entry(row: np.ndarray) -> str:
    return "(" + " ".join(map(str, row)) + ")"


def game_of(head: Mapping[str, str]) -> Game:
    """The game that a playthrough's head describes, before its first decision; ValueError names what is wrong."""
    config = _json("config", head)
    if not isinstance(config, dict):
        fail("config", f"a dict, not {shown(config)}")
    ruleset = make_ruleset(head["game"], **config)
    options, snapshot = (_json(name, head) if name in head else None for name in ("options", "snapshot"))
    return Game(ruleset, a_seed("seed", _json("seed", head)), snapshot, options)


def renewed(file: pathlib.Path) -> str:
    """A playthrough anew: the game of its head, played by the player that its head or the file's name ends with.

    Raises:
        ValueError: neither names one of PLAYERS, or the head is wrong.
    """
    head = _head(file.read_text(encoding="utf-8").splitlines())
    if "seat" in head:
        return _seat_playthrough_of(head)
    player = PLAYERS.get(file.stem.rpartition("_")[2])
    if player is None:
        fail("file", f"a name that ends with _{' or _'.join(PLAYERS)}, not {file.name}")
    game = game_of(head)
    return playthrough(game, player(game.seed))


def _seat_playthrough_of(head: Mapping[str, str]) -> str:
    game = game_of(head)
    seat = game.ruleset.agents.index(a_choice("seat", head["seat"], game.ruleset.agents))
    return seat_playthrough(game, a_choice("player", head.get("player", ""), list(PLAYERS)), seat)


def first_difference(text: str) -> str | None:
    """Replay a playthrough against this build, and say where they first differ; None if they do not.

    Raises:
        ValueError: the text is no playthrough, or one of an unknown game or impossible configuration.
    """
    written = text.splitlines()
    head = _head(written)
    if "seat" in head:
        lines = iter(_seat_playthrough_of(head).splitlines())
    else:
        chosen = [line.removeprefix("  chosen: ") for line in written if line.startswith("  chosen: ")]
        lines = _lines(game_of(head), by_script(chosen))
    n = 0
    try:
        for n, line in enumerate(lines):
            if n >= len(written):
                return f"line {n + 1}: the playthrough ends, where this build goes on with\n  {line}"
            if line != written[n]:
                return f"line {n + 1}: the playthrough has\n  {written[n]}\nand this build\n  {line}"
    except ValueError as error:
        return f"line {n + 2}: this build cannot go on: {error}"
    if len(written) > n + 1:
        return f"line {n + 2}: this build has ended, where the playthrough goes on with\n  {written[n + 1]}"
    return None


def _head(lines: Sequence[str]) -> dict[str, str]:
    """The lines before the first empty one, as name -> text."""
    head = {}
    for line in lines:
        if not line:
            break
        name, _, value = line.partition(": ")
        head[name] = value
    for name in ("game", "config", "seed"):
        if name not in head:
            fail(name, "the playthrough must name it before its first empty line")
    return head


def _json(name: str, head: Mapping[str, str]) -> Any:
    try:
        return json.loads(head[name])
    except json.JSONDecodeError as error:
        fail(name, f"JSON, not {shown(head[name])} ({error})")


# -- From the command line --------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a new playthrough, or check or renew old ones."""
    parser = argparse.ArgumentParser(prog="python -m murder_envs.drivers.transcript", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="print a playthrough")
    write.add_argument("game", choices=GAMES)
    write.add_argument("--config", default="default", help="a named configuration (default: %(default)s)")
    write.add_argument("--seed", type=int, default=0)
    write.add_argument("--player", choices=PLAYERS, default="random")
    write.add_argument("--seat", type=int, help="as this seat reads it (default: from above)")
    check = commands.add_parser("check", help="compare playthroughs with this build")
    check.add_argument("files", nargs="+", type=pathlib.Path)
    renew = commands.add_parser("renew", help="play the games of playthroughs anew, and write them over the old ones")
    renew.add_argument("files", nargs="+", type=pathlib.Path)
    settings = parser.parse_args(arguments)
    if settings.command == "write":
        if settings.config not in configs(settings.game):
            parser.error(f"--config: one of {', '.join(configs(settings.game))}, not {settings.config!r}")
        ruleset = make_ruleset(settings.game, **configs(settings.game)[settings.config])
        game = Game(ruleset, settings.seed)
        if settings.seat is None:
            print(playthrough(game, PLAYERS[settings.player](settings.seed)), end="")
        elif 0 <= settings.seat < ruleset.n_seats:
            print(seat_playthrough(game, settings.player, settings.seat), end="")
        else:
            parser.error(f"--seat: 0 to {ruleset.n_seats - 1}, not {settings.seat}")
        return 0
    if settings.command == "renew":
        for file in settings.files:
            file.write_text(renewed(file), encoding="utf-8")
        return 0
    wrong = 0
    for file in settings.files:
        if difference := first_difference(file.read_text(encoding="utf-8")):
            wrong += 1
            print(f"{file}: {difference}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
