"""Sit down at a table."""

from __future__ import annotations

import argparse
import pathlib
import secrets
from collections.abc import Sequence

from murder_envs.core.checks import a_seed, fail
from murder_envs.play import terminal
from murder_envs.play.players import HUMAN, KINDS
from murder_envs.play.table import POLICIES, Table, begun
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.replay import Recorder, Replay
from murder_envs.ruleset import Ruleset

LOOPBACK = "127.0.0.1"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m murder_envs.play", description=__doc__)
    made.add_argument("game", choices=GAMES)
    made.add_argument("--config", default="default", help="a named configuration (default: %(default)s)")
    made.add_argument(
        "--seats", metavar="A,B,...", help=f"who sits where: {KINDS} (default: you, among scripted players)"
    )
    made.add_argument("--seed", type=int, help="what the game is dealt from (default: any)")
    made.add_argument("--replay", type=pathlib.Path, metavar="FILE", help="keep the game there; in the terminal")
    made.add_argument("--web", action="store_true", help="as pages, with a link for each person")
    made.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("tables"), help="where tables are kept; web")
    made.add_argument("--tables", type=int, default=1, help="how many new ones to open; web (default: %(default)s)")
    made.add_argument("--host", default=LOOPBACK, help="the address to listen on; web (default: %(default)s)")
    made.add_argument("--port", type=int, default=8000, help="web (default: %(default)s)")
    made.add_argument("--time-limit", type=float, metavar="S", help="seconds for a decision (default: none)")
    made.add_argument("--then", choices=POLICIES, default="heuristic", help="who decides when the time is up")
    return made


def seats_of(ruleset: Ruleset, text: str | None) -> list[str]:
    """Who sits where; by default a person in the first seat among scripted players."""
    if text is None:
        return [HUMAN, *["heuristic"] * (ruleset.n_seats - 1)]
    return [name.strip() for name in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play in the terminal, or serve tables."""
    parse = parser()
    options = parse.parse_args(arguments)
    try:
        if options.config not in configs(options.game):
            fail("config", f"one of {', '.join(configs(options.game))}, not {options.config}")
        if options.time_limit is not None and not 1 <= options.time_limit <= 86400:
            fail("time-limit", "1 to 86400 seconds")
        ruleset = make_ruleset(options.game, **configs(options.game)[options.config])
        seats = seats_of(ruleset, options.seats)
        return serve(ruleset, seats, options) if options.web else at_the_keyboard(ruleset, seats, options)
    except (ValueError, OSError) as error:
        parse.exit(2, f"{error}\n")
    except KeyboardInterrupt:
        print()
        return 130


def at_the_keyboard(ruleset: Ruleset, seats: Sequence[str], options: argparse.Namespace) -> int:
    """A game in the terminal."""
    seed = secrets.randbits(62) if options.seed is None else a_seed("seed", options.seed)
    replay = begun(seats, Replay(ruleset, seed))
    recorder = Recorder(options.replay, replay) if options.replay else None
    return 0 if terminal.play(Table(replay, recorder)) else 1


def serve(ruleset: Ruleset, seats: Sequence[str], options: argparse.Namespace) -> int:
    """Tables as pages."""
    try:
        import uvicorn

        from murder_envs.play.web import app_of
    except ModuleNotFoundError as error:
        raise ValueError(f"--web needs {error.name}: pip install 'murder_envs[play]'") from None
    from murder_envs.play.hall import Hall

    hall = Hall(options.folder, options.time_limit, options.then)
    for _ in range(options.tables):
        hall.open(ruleset, seats, options.seed)
    for problem in hall.problems:
        print(f"left as it is: {problem}", flush=True)
    for kept in hall.tables.values():
        if not kept.table.over:
            for seat, token in kept.tokens.items():
                agent = kept.table.ruleset.agents[seat]
                print(f"{kept.name} {agent}: http://{options.host}:{options.port}/t/{token}", flush=True)
    uvicorn.run(app_of(hall), host=options.host, port=options.port, log_level="warning", access_log=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
