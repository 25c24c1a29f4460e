"""Speed of every game, beside what other libraries do on the same machine: `python -m benchmarks.throughput`.

Everything runs on one core, in windows that take turns; a figure is the median of its windows.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks import modes, peers
from benchmarks.measure import Clock, Entry, cpu_model, git_commit, measure, pin
from benchmarks.modes import Setup
from murder_envs import GAMES, __version__
from murder_envs.registry import configs

CLOCKS: dict[str, Clock] = {"wall": time.perf_counter, "cpu": time.process_time}


@dataclass(frozen=True)
class Mode:
    """Something to measure.

    Attributes:
        text: what it is, for people.
        ours: the figures of one of our games.
        peers: the figures of other libraries, each made by a function that raises ImportError where one is missing.
    """

    text: str
    ours: Callable[[Setup], Iterator[Entry]]
    peers: tuple[Callable[[Setup], Iterator[Entry]], ...] = ()


MODES = {
    "core": Mode(
        "one compiled loop: step, legal set, uniform choice, restart",
        modes.core, (peers.open_spiel_rollouts,),
    ),
    "observe": Mode(
        "the same, and the acting seat's observation and mask at every decision",
        modes.observe,
    ),
    "observation": Mode(
        "nanoseconds for one observation with its mask, in random play",
        modes.observation,
    ),
    "batch": Mode(
        f"one Python call steps {modes.BATCH:,} games: step, restart, mask, observation; a second one chooses",
        modes.batch, (peers.open_spiel_vector,),
    ),
    "playouts": Mode(
        "copy of a fixed state in mid-game, redeal, random play to the end",
        modes.playouts, (peers.open_spiel_playouts,),
    ),
    "search": Mode(
        "information-set tree search with a single observer, redeals and random playouts",
        modes.search, (peers.open_spiel_search,),
    ),
    "aec_raw": Mode(
        "raw_env: agent_iter, last(), random legal choice, step()",
        modes.aec_raw, (peers.pettingzoo_raw, peers.open_spiel_from_python),
    ),
    "aec_env": Mode(
        "env, as under PettingZoo's default wrappers: the same loop",
        modes.aec_env, (peers.pettingzoo_wrapped,),
    ),
    "sb3": Mode(
        "share of MaskablePPO's training time that the environment takes; less is better",
        modes.sb3, (peers.pettingzoo_sb3,),
    ),
    "start": Mode(
        "seconds from a fresh process to its first AEC step; compiled before, and with an empty cache; less is better",
        modes.start, (peers.pettingzoo_start,),
    ),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the speed of games, each mode beside what other libraries do in the same run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.throughput",
        description=main.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="modes:\n" + "\n".join(f"  {name:9} {mode.text}" for name, mode in MODES.items()),
    )
    parser.add_argument("--game", metavar="NAME", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--config", metavar="NAME", default="default", help="a named configuration (default: default)")
    parser.add_argument("--modes", metavar="A,B,...", help="some of those below (default: all)")
    parser.add_argument("--seconds", metavar="S", type=float, default=0.5, help="length of a window (default: 0.5)")
    parser.add_argument("--windows", metavar="N", type=int, default=9, help="windows of a figure (default: 9)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of everything (default: 0)")
    parser.add_argument("--clock", choices=CLOCKS, default="wall",
                        help="cpu: count only the time that this process got (default: wall)")  # fmt: skip
    parser.add_argument("--no-peers", action="store_true", help="leave other libraries out")
    parser.add_argument("--json", action="store_true", help="one line a figure, spread as interquartile range")
    given = parser.parse_args(arguments)
    games, names = checked(parser, given)

    where = pin()
    print(*conditions(given, where), sep="\n", file=sys.stderr if given.json else sys.stdout, flush=True)
    entries, missing = prepare(parser, given, games, names)
    measure(entries, given.windows, given.seconds)
    if given.json:
        for entry in entries:
            print(json.dumps(entry.as_dict()))
        for line in missing:
            print(line, file=sys.stderr)
    else:
        print(*table(entries, games, names), *notes(entries), *missing, sep="\n")
    return 0


def checked(parser: argparse.ArgumentParser, given: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The games and modes that are asked for; an error that names what is unknown, and what there is."""
    if given.game is not None and given.game not in GAMES:
        parser.error(f"--game: one of {', '.join(GAMES)}, not {given.game!r}")
    games = [given.game] if given.game else list(GAMES)
    for game in games:
        if given.config not in configs(game):
            parser.error(f"--config: of {game} one of {', '.join(configs(game))}, not {given.config!r}")
    names = [name.strip() for name in given.modes.split(",")] if given.modes is not None else list(MODES)
    for name in names:
        if name not in MODES:
            parser.error(f"--modes: some of {', '.join(MODES)}, not {name!r}")
    if not 0 < given.seconds < 3600:
        parser.error(f"--seconds: more than 0 and less than 3600, not {given.seconds:g}")
    if given.windows < 1:
        parser.error(f"--windows: 1 or more, not {given.windows}")
    if not 0 <= given.seed < 2**31:
        parser.error(f"--seed: from 0 to 2^31 - 1, not {given.seed}")
    return games, list(dict.fromkeys(names))


def prepare(
    parser: argparse.ArgumentParser, given: argparse.Namespace, games: Sequence[str], names: Sequence[str]
) -> tuple[list[Entry], list[str]]:
    """Everything that is to be measured, compiled and run once; and what is not, for lack of a library."""
    entries: list[Entry] = []
    missing: list[str] = []
    for name in names:
        setups = [Setup(game, given.config, given.seed, CLOCKS[given.clock]) for game in games]
        sources = [(MODES[name].ours, setup, True) for setup in setups]
        if not given.no_peers:
            sources += [(peer, setups[0], False) for peer in MODES[name].peers]
        for source, setup, is_ours in sources:
            try:
                entries += source(setup)
            except ImportError as error:
                if is_ours and given.modes is not None:
                    parser.error(f"--modes: {name} needs a library that is not installed ({error})")
                missing.append(f"{name}: {'not measured' if is_ours else 'a peer is missing'} ({error})")
    return entries, missing


# -- For people -------------------------------------------------------------------------------------------------------


def conditions(given: argparse.Namespace, where: str) -> Iterator[str]:
    """What one has to know to measure the same again."""
    commit = git_commit(str(modes.ROOT))
    load = f", load {os.getloadavg()[0]:.1f} of {os.cpu_count()}" if hasattr(os, "getloadavg") else ""
    yield f"date      {datetime.datetime.now().astimezone().isoformat(' ', 'seconds')}"
    yield f"command   python -m benchmarks.throughput {shlex.join(sys.argv[1:])}".rstrip()
    yield f"processor {cpu_model()}; {where}; 1 thread{load}"
    yield f"versions  murder_envs {__version__}{f' ({commit})' if commit else ''}, {', '.join(versions())}"
    yield (
        f"windows   {given.windows} of {given.seconds:g} s ({given.clock} clock) of everything in turn: "
        "the median, and the interquartile range in percent of it"
    )


def versions() -> Iterator[str]:
    """Python and the libraries involved, as far as they are installed."""
    yield f"Python {platform.python_version()}"
    for library in ("numpy", "numba", "pettingzoo", "open_spiel", "stable_baselines3", "sb3_contrib", "torch"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield f"{library} {importlib.metadata.version(library)}"


def table(entries: Sequence[Entry], games: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """A block for each mode and game: our figure with its goal, below it the peers' and how many times better ours is.

    With several games the peers stand below each of them.
    """
    ours = {entry.game for entry in entries} & set(games)
    for name in names:
        yield ""
        yield f"{name}: {MODES[name].text}"
        of_mode = [entry for entry in entries if entry.mode == name]
        for game in games:
            mine = [entry for entry in of_mode if entry.game == game]
            for entry in mine:
                yield row(entry, f"goal {figure(entry.goal, entry.unit)}, {verdict(entry)}" if entry.goal else "")
            for entry in of_mode:
                if mine and entry.game not in ours:
                    yield row(entry, f"ours is {times(advantage(mine[0], entry))} as good")
    yield ""


def row(entry: Entry, remark: str) -> str:
    """A line of the table."""
    width = 100 * entry.spread / entry.median if entry.median else 0.0
    games = "1 game" if entry.batch == 1 else f"{entry.batch:,} games"
    who = f"{entry.game} {entry.config}"
    return f"  {who:50} {games:>11} {figure(entry.median, entry.unit):>22}  +-{width:3.0f} %  {remark}".rstrip()


def figure(value: float, unit: str) -> str:
    """A value with three digits and its unit."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:#.3g}".rstrip(".") + f"{letter} {unit}"
    return f"{value:#.3g}".rstrip(".") + f" {unit}"


def verdict(entry: Entry) -> str:
    """Is the goal reached?"""
    assert entry.goal is not None
    ratio = entry.median / entry.goal
    reached = ratio >= 1 if entry.more_is_better else ratio <= 1
    return "reached" if reached else f"missed: {100 * ratio:.0f} % of it"


def advantage(ours: Entry, peer: Entry) -> float:
    """How many times better our figure is than a peer's."""
    return ours.median / peer.median if ours.more_is_better else peer.median / ours.median


def times(ratio: float) -> str:
    """A ratio with three digits."""
    return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"


def notes(entries: Sequence[Entry]) -> Iterator[str]:
    """What else there is to say of single figures, once for all of which it is so."""
    of_note: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if entry.note:
            of_note.setdefault((entry.mode, entry.note), []).append(entry.game)
    for (mode, note), games in of_note.items():
        yield f"{mode}, {', '.join(games)}: {note}"


if __name__ == "__main__":
    sys.exit(main())
