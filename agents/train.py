"""Train agents by self-play: MaskablePPO of sb3-contrib, one policy in every seat, many games at once.

    python -m agents.train                                  # There's Been A Murder, about 8 minutes on 2 cores
    python -m agents.train --steps 2_000_000 --players 3 --seed 1
    python -m agents.train --resume                         # the newest unfinished run goes on
    tensorboard --logdir runs                               # watch

Everything ends up in one folder in runs/, see `agents.runs`. A run can be stopped at any time, by Ctrl-C or harder; it
goes on from its last checkpoint, and then ends as it would have without the interruption.

This file reads from top to bottom: settings, command line, the run, what happens between updates, the results.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import math
import os
import pathlib
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.writer import SummaryWriter

from agents import evaluate, runs
from agents.policies import Encoder, Falling, features
from murder_envs.api.sb3 import BatchVecEnv
from murder_envs.core.snapshots import an_int, fail
from murder_envs.drivers.transcript import Game
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

# -- Settings ---------------------------------------------------------------------------------------------------------

COMMON: dict[str, Any] = {
    "steps": 2_000_000,  # decisions with more than one option, of all seats together
    "seed": 0,
    "envs": 512,  # games at once
    "rollout": 64,  # decisions in each of them between two updates
    "batch_size": 4096,
    "epochs": 4,
    "learning_rate": 1e-3,  # falls to a twentieth in a straight line
    "entropy": 0.01,
    "gamma": 1.0,  # games end by themselves and are paid at the end, so nothing speaks for discounting
    "gae_lambda": 0.95,
    "net": [256, 128],  # a shared layer, then layers of their own for policy and value
    "one_hot": {},  # observation blocks whose entries name things, and how many of their rows to look at
    "evals": 20,  # points of the learning curve after the first
    "eval_games": 2_000,  # games for each of them
    "test_games": 10_000,  # games for the final table
}

GAME_SETTINGS: dict[str, dict[str, Any]] = {
    "theres_been_a_murder": {"one_hot": {"events": 8}},
}
"""Where a game differs from COMMON."""

SAVE_SECONDS = 60
"""At most so much training is lost when a run is killed, and a rollout."""


# -- Command line -----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """What can be asked for. Everything is None unless given: `--resume` takes the rest from the run."""
    it = argparse.ArgumentParser(
        prog="python -m agents.train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    game = it.add_argument_group("the game")
    game.add_argument("--game", help=f"one of {', '.join(GAMES)} (default: {next(iter(GAMES))})")
    game.add_argument("--config", help="one of its named configurations (default: default)")
    game.add_argument("--players", type=int, help="its num_players")
    game.add_argument("--set", action="append", metavar="NAME=VALUE", help="any other parameter of it; may be repeated")
    run = it.add_argument_group("the run")
    run.add_argument("--steps", type=int, help=f"decisions to learn from (default: {COMMON['steps']:,})")
    run.add_argument("--seed", type=int, help="0 to 2^32 - 1; equal seeds and threads, equal runs (default: 0)")
    run.add_argument("--resume", nargs="?", const="", metavar="RUN", help="go on with this run; without a value with "
                     "the newest unfinished one. With --steps: go on to that many")  # fmt: skip
    run.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs"), help="where run folders go (default: runs)")
    run.add_argument("--threads", type=int, help="for the network (default: all cores)")
    run.add_argument("--device", default="cpu", help="cpu, cuda or auto (default: cpu; the network is small)")
    learner = it.add_argument_group("the learner (defaults may differ by game)")
    for name in ("envs", "rollout", "batch_size", "epochs", "evals", "eval_games", "test_games"):
        learner.add_argument(f"--{name.replace('_', '-')}", type=int, help=f"default: {COMMON[name]:,}")
    for name in ("learning_rate", "entropy", "gamma", "gae_lambda"):
        learner.add_argument(f"--{name.replace('_', '-')}", type=float, help=f"default: {COMMON[name]}")
    learner.add_argument("--net", help="widths: the shared layer, then those of policy and value (default: 256,128)")
    return it


@dataclasses.dataclass
class Job:
    """A checked run that is ready to go."""

    run: pathlib.Path
    ruleset: Ruleset
    settings: dict[str, Any]
    device: str
    env: BatchVecEnv
    model: MaskablePPO
    counters: dict[str, Any]  # seconds trained so far; rows of the learning curve


def new_settings(given: argparse.Namespace, game: str) -> dict[str, Any]:
    """The settings of a new run; ValueError names one that is out of range."""
    settings = {**COMMON, **GAME_SETTINGS.get(game, {})}
    settings.update({name: getattr(given, name) for name in COMMON if getattr(given, name, None) is not None})
    for name, low, high in (
        ("steps", 1, 10**12), ("seed", 0, 2**32 - 1), ("envs", 1, 65_536), ("rollout", 2, 65_536), ("batch_size", 2, 10**7),
        ("epochs", 1, 1000), ("evals", 1, 10_000), ("eval_games", 1, 10**6), ("test_games", 1, 10**7),
    ):  # fmt: skip
        settings[name] = an_int(name, settings[name], low, high)
    for name, high in (("learning_rate", 1.0), ("entropy", 10.0), ("gamma", 1.0), ("gae_lambda", 1.0)):
        if not 0 <= settings[name] <= high:
            fail(name, f"0 to {high}, not {settings[name]}")
    if isinstance(settings["net"], str):
        try:
            settings["net"] = [an_int("net", int(width), 1, 65_536) for width in settings["net"].split(",")]
        except ValueError:
            fail("net", f"widths of layers like 256,128, not {settings['net']!r}")
    settings["batch_size"] = min(settings["batch_size"], settings["envs"] * settings["rollout"])
    return settings


def parameters(given: argparse.Namespace, game: str) -> dict[str, Any]:
    """The game's own parameters."""
    named = given.config or "default"
    if named not in configs(game):
        fail("config", f"one of {', '.join(configs(game))}, not {named!r}")
    config = dict(configs(game)[named])
    if given.players is not None:
        config["num_players"] = given.players
    for text in given.set or ():
        name, equals, value = text.partition("=")
        if not equals:
            fail("set", f"NAME=VALUE, not {text!r}")
        try:
            config[name] = json.loads(value)
        except json.JSONDecodeError:
            config[name] = {"True": True, "False": False, "None": None}.get(value, value)
    return config


def open_new(given: argparse.Namespace) -> pathlib.Path:
    """Check everything, then make the folder of a new run, with its config.json."""
    game = given.game or next(iter(GAMES))
    if game not in GAMES:
        fail("game", f"one of {', '.join(GAMES)}, not {game!r}")
    settings = new_settings(given, game)
    ruleset = make_ruleset(game, **parameters(given, game))
    run = runs.new_folder(given.out, game, settings["seed"])
    config = {
        **runs.facts_of(ruleset),
        "settings": settings,
        "seeds": {"training": settings["seed"], "curve": evaluate.CURVE_SEED, "table": evaluate.TEST_SEED},
        "threads": torch.get_num_threads(),
        **runs.surroundings(),
    }
    runs.write_json(run / "config.json", config)
    return run


def choose_run(given: argparse.Namespace) -> pathlib.Path:
    """The run that `--resume` means; ValueError if what else was given does not fit it."""
    run = pathlib.Path(given.resume) if given.resume else runs.newest_unfinished(given.out, given.game)
    config = runs.read_config(run)
    settings = config["settings"]
    if given.game not in (None, config["game"]):
        fail("game", f"{run} is of {config['game']}, not of {given.game!r}")
    for name in COMMON:
        asked = getattr(given, name, None)
        if name != "steps" and asked is not None and asked not in (settings[name], ",".join(map(str, settings["net"]))):
            fail(name, f"{run} has {settings[name]}, not {asked}; leave it out, or start a new run")
    if given.config is not None or given.players is not None or given.set:
        fail("config", f"{run} keeps its own; leave --config, --players and --set out, or start a new run")
    if given.steps is not None:
        an_int("steps", given.steps, 1, 10**12)
        at = int(path[-1].stem.removeprefix("step-")) if (path := runs.checkpoints(run)) else 0
        if given.steps < at:
            fail("steps", f"{run} has learnt from {at:,} already, so {at:,} at least, not {given.steps:,}")
    elif runs.is_finished(run, config):
        fail("resume", f"{run} is finished; name more --steps than its {settings['steps']:,} to go on")
    return run


def ready(given: argparse.Namespace, run: pathlib.Path, config: dict[str, Any]) -> Job:
    """Model and games: as the newest checkpoint has them, or fresh ones."""
    settings = config["settings"]
    ruleset = make_ruleset(config["game"], **config["config"])
    found = runs.checkpoints(run)
    if found:
        runs.check_facts(found[-1], ruleset)
    elif config["version"] != ruleset.version:
        fail("version", f"{run} was begun with version {config['version']} of {ruleset.name}, here is {ruleset.version}")
    if given.resume is not None:
        settings = {**settings, **({"steps": given.steps} if given.steps is not None else {})}
        again = [*config.get("resumed", []), runs.surroundings()]
        runs.write_json(run / "config.json", {**config, "settings": settings, "resumed": again})
    env = BatchVecEnv(ruleset, settings["envs"], seed=settings["seed"], seat="all", skip_forced=True)
    if found:
        model, counters = runs.resume_checkpoint(found[-1], env, given.device)
        return Job(run, ruleset, settings, given.device, env, model, counters)
    model = new_model(ruleset, env, settings, given.device)
    return Job(run, ruleset, settings, given.device, env, model, {"seconds": 0.0, "curve": []})


def new_model(ruleset: Ruleset, env: BatchVecEnv, settings: dict[str, Any], device: str) -> MaskablePPO:
    """An untrained model."""
    torch.manual_seed(settings["seed"])
    shared, *own = settings["net"]
    rate = settings["learning_rate"]
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=settings["rollout"],
        batch_size=settings["batch_size"],
        n_epochs=settings["epochs"],
        learning_rate=Falling(rate, rate / 20),
        ent_coef=settings["entropy"],
        gamma=settings["gamma"],
        gae_lambda=settings["gae_lambda"],
        seed=settings["seed"],
        device=device,
        stats_window_size=settings["envs"] * 4,
        policy_kwargs={
            "net_arch": {"pi": own, "vf": own},
            "activation_fn": torch.nn.ReLU,
            "features_extractor_class": Encoder,
            "features_extractor_kwargs": {**features(ruleset, settings["one_hot"]), "width": shared},
        },
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; returns the exit status: 0 done, 2 bad input, 130 stopped (to go on with --resume)."""
    console = Console(highlight=False)
    asked = parser()
    given = asked.parse_args(arguments)
    # The library checks every distribution it makes, which takes a good part of an update; masks are never all zero here.
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        torch.set_num_threads(an_int("threads", given.threads or available_cores(), 1, 1024))
        run = open_new(given) if given.resume is None else choose_run(given)
        with runs.locked(run):
            with console.status("compiling the game, the first time for half a minute"):
                job = ready(given, run, runs.read_config(run))
            return train(job, console)
    except runs.Refused as error:
        print(f"{asked.prog}: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        console.print("stopped")
        return 130
