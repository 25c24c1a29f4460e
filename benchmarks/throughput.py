"""Speed of every game, beside what other libraries do on the same machine: `python -m benchmarks.throughput`.

Everything runs on one core, in windows that take turns; a figure is the median of its windows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agents.report import PACKAGES, package_versions, provenance
from benchmarks import modes, peers
from benchmarks.measure import Clock, Figure, measure, pin
from benchmarks.modes import Setup
from murder_envs import GAMES
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
    ours: Callable[[Setup], Iterator[Figure]]
    peers: tuple[Callable[[Setup], Iterator[Figure]], ...] = ()


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
        "SO-ISMCTS (information-set tree search, single observer) with redeals and random playouts",
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
    options = parser.parse_args(arguments)
    games, names = check(parser, options)

    core = pin()
    print(*conditions(options, core), sep="\n", file=sys.stderr if options.json else sys.stdout, flush=True)
    figures, missing = prepare(parser, options, games, names)
    measure(figures, options.windows, options.seconds)
    if options.json:
        for figure in figures:
            print(json.dumps(figure.as_dict()))
        for line in missing:
            print(line, file=sys.stderr)
    else:
        print(*blocks(figures, games, names), *notes(figures), *missing, sep="\n")
    return 0


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The games and modes to measure; ends with an error that names what is unknown, and what there is."""
    if options.game is not None and options.game not in GAMES:
        parser.error(f"--game: one of {', '.join(GAMES)}, not {options.game!r}")
    games = [options.game] if options.game else list(GAMES)
    for game in games:
        if options.config not in configs(game):
            parser.error(f"--config: of {game} one of {', '.join(configs(game))}, not {options.config!r}")
    names = [name.strip() for name in options.modes.split(",")] if options.modes is not None else list(MODES)
    for name in names:
        if name not in MODES:
            parser.error(f"--modes: some of {', '.join(MODES)}, not {name!r}")
    if not 0 < options.seconds < 3600:
        parser.error(f"--seconds: more than 0 and less than 3600, not {options.seconds:g}")
    if options.windows < 1:
        parser.error(f"--windows: 1 or more, not {options.windows}")
    if not 0 <= options.seed < 2**31:
        parser.error(f"--seed: from 0 to 2^31 - 1, not {options.seed}")
    return games, list(dict.fromkeys(names))


def prepare(
    parser: argparse.ArgumentParser, options: argparse.Namespace, games: Sequence[str], names: Sequence[str]
) -> tuple[list[Figure], list[str]]:
    """The figures to measure, each compiled and run once; and a line for each that needs a library not installed."""
    figures: list[Figure] = []
    missing: list[str] = []
    for name in names:
        setups = [Setup(game, options.config, options.seed, CLOCKS[options.clock]) for game in games]
        sources = [(MODES[name].ours, setup, True) for setup in setups]
        if not options.no_peers:
            sources += [(peer, setups[0], False) for peer in MODES[name].peers]
        for source, setup, is_ours in sources:
            try:
                figures += source(setup)
            except ImportError as error:
                if is_ours and options.modes is not None:
                    parser.error(f"--modes: {name} needs a library that is not installed ({error})")
                missing.append(f"{name}: {'not measured' if is_ours else 'a peer is missing'} ({error})")
    return figures, missing


# -- For people -------------------------------------------------------------------------------------------------------


def conditions(options: argparse.Namespace, core: str) -> Iterator[str]:
    """What one has to know to measure the same again."""
    origin = provenance()
    versions = {"python": origin["python"], **package_versions((*PACKAGES, "open_spiel"))}
    load = f", load {os.getloadavg()[0]:.1f} of {os.cpu_count()}" if hasattr(os, "getloadavg") else ""
    yield f"date      {origin['time']}"
    yield f"command   {origin['command']}"
    yield f"processor {origin['processor']}; {core}; 1 thread{load}"
    yield f"commit    {origin['commit'] or 'unknown'}"
    yield f"versions  {', '.join(f'{name} {version}' for name, version in versions.items())}"
    yield (
        f"windows   {options.windows} of {options.seconds:g} s ({options.clock} clock) of everything in turn: "
        "the median, and the interquartile range in percent of it"
    )


def blocks(figures: Sequence[Figure], games: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """A block for each mode and game: our figure with its goal, below it the peers' and how many times better ours is.

    With several games the peers stand below each of them.
    """
    for name in names:
        yield ""
        yield f"{name}: {MODES[name].text}"
        of_mode = [figure for figure in figures if figure.mode == name]
        peers_of_mode = [figure for figure in of_mode if figure.game not in games]
        for game in games:
            ours = [figure for figure in of_mode if figure.game == game]
            for figure in ours:
                goal = f"goal {text(figure.goal, figure.unit)}, {verdict(figure)}" if figure.goal else ""
                yield row(figure, goal)
            for peer in peers_of_mode if ours else ():
                yield row(peer, f"ours is {times(advantage(ours[0], peer))} as good")
    yield ""


def row(figure: Figure, remark: str) -> str:
    """A line of a block."""
    width = 100 * figure.spread / figure.median if figure.median else 0.0
    games = "1 game" if figure.batch == 1 else f"{figure.batch:,} games"
    who = f"{figure.game} {figure.config}"
    return f"  {who:50} {games:>11} {text(figure.median, figure.unit):>22}  +-{width:3.0f} %  {remark}".rstrip()


def text(value: float, unit: str) -> str:
    """A value with three digits and its unit."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:#.3g}".rstrip(".") + f"{letter} {unit}"
    return f"{value:#.3g}".rstrip(".") + f" {unit}"


def verdict(figure: Figure) -> str:
    """Whether the goal is reached."""
    assert figure.goal is not None
    ratio = figure.median / figure.goal
    reached = ratio >= 1 if figure.more_is_better else ratio <= 1
    return "reached" if reached else f"missed: {100 * ratio:.0f} % of it"


def advantage(ours: Figure, peer: Figure) -> float:
    """How many times better our figure is than a peer's."""
    return ours.median / peer.median if ours.more_is_better else peer.median / ours.median


def times(ratio: float) -> str:
    """A ratio with three digits."""
    return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"


def notes(figures: Sequence[Figure]) -> Iterator[str]:
    """The figures' notes; a note that several figures of a mode share appears once, with their names."""
    of_note: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        if figure.note:
            of_note.setdefault((figure.mode, figure.note), []).append(figure.game)
    for (mode, note), games in of_note.items():
        yield f"{mode}, {', '.join(games)}: {note}"


if __name__ == "__main__":
    sys.exit(main())
