"""Compile ahead, into the cache: `python -m murder_envs.warm [game ...]`, all games if none is named.

Otherwise each kernel is compiled when it is first used. For images, continuous integration, and measurements.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset


def warm_single(ruleset: Ruleset) -> None:
    """What the PettingZoo environment, playthroughs and replays use."""
    from murder_envs.api.aec import RawEnv
    from murder_envs.drivers import transcript

    game = transcript.Game(ruleset, 0)
    players = (transcript.at_random(0), transcript.by_heuristic(0))
    env = RawEnv(ruleset)
    env.reset(seed=0)
    env.redeal(0, 0)
    env.reset(options={"snapshot": env.snapshot()})
    env.reset(seed=0)
    env.state()
    for agent in env.possible_agents:
        env.observe(agent)
    while not game.over:
        name = players[len(game.played) % 2](game)
        game.act(name)
        env.step(env.action_id(name))
    game.returns()


def warm_batch(ruleset: Ruleset) -> None:
    """What the Gymnasium and stable-baselines3 environments use, and training."""
    from murder_envs.drivers.batch import Batch
    from murder_envs.drivers.prior import ScriptedPrior

    batch = Batch(ruleset, 2, 0, seat=0, opponents="heuristic")
    batch.reset()
    for policy in ("random", "heuristic"):
        batch.step(batch.choose(policy))
    ScriptedPrior(ruleset)(batch.observations, batch.masks)


def warm_rollout(ruleset: Ruleset) -> None:
    """What evaluation and the benchmarks use."""
    from murder_envs.drivers import rollout

    dealt = rollout.RandomPlay(ruleset)
    rollout.playouts(ruleset, dealt.states, 1)
    dealt.run(1)
    rollout.RandomPlay(ruleset, observe=True).run(1)
    rollout.play(ruleset, "heuristic", games=1)


def warm_search(ruleset: Ruleset) -> None:
    """What search uses."""
    from murder_envs.drivers import rollout
    from murder_envs.drivers.search import METHODS, Search

    dealt = rollout.RandomPlay(ruleset)
    for method in METHODS:
        Search(ruleset, method, 1).run(dealt.states)


STAGES: dict[str, Callable[[Ruleset], None]] = {
    "single": warm_single,
    "batch": warm_batch,
    "rollout": warm_rollout,
    "search": warm_search,
}
"""Driver -> what has it compiled, with the argument types that it is used with."""


def warm(game: str) -> dict[str, float]:
    """Compile everything of a game; seconds by driver. What the cache has already takes a fraction of a second."""
    ruleset = make_ruleset(game)
    taken = {}
    for driver, stage in STAGES.items():
        start = time.perf_counter()
        stage(ruleset)
        taken[driver] = time.perf_counter() - start
    return taken


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile games ahead, so that later starts find everything in the cache."""
    parser = argparse.ArgumentParser(prog="python -m murder_envs.warm", description=main.__doc__)
    parser.add_argument("games", nargs="*", metavar="game", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: %(default)s)")
    options = parser.parse_args(arguments)
    for game in options.games:
        if game not in GAMES:
            parser.error(f"unknown game {game!r}; there are {', '.join(GAMES)}")
    if options.jobs < 1:
        parser.error(f"--jobs: 1 or more, not {options.jobs}")
    games = options.games or list(GAMES)
    if options.jobs > 1 and len(games) > 1:
        with ThreadPoolExecutor(options.jobs) as pool:
            return 1 if any(pool.map(warm_in_a_process, games)) else 0
    for game in games:
        taken = warm(game)
        parts = ", ".join(f"{driver} {seconds:.1f}" for driver, seconds in taken.items())
        print(f"{game}: {sum(taken.values()):.1f} s ({parts})", flush=True)
    return 0


def warm_in_a_process(game: str) -> int:
    """Compile everything of a game in a process of its own; returns its exit status, below 0 if it was
    ended by a signal."""
    return subprocess.run([sys.executable, "-m", "murder_envs.warm", game], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
