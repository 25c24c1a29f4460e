"""Train agents by self-play: MaskablePPO of sb3-contrib on many games at once.

    python -m agents.train                                  # There's Been A Murder, about 8 minutes on 2 cores
    python -m agents.train --steps 2_000_000 --players 3 --seed 1
    python -m agents.train --game murder_of_crows           # against itself, its past and the scripted player
    python -m agents.train --resume                         # the newest unfinished run goes on
    tensorboard --logdir runs                               # watch

Where all are paid alike one policy plays every seat. Elsewhere it learns in one seat a game (see `agents.league`),
after first lessons from the scripted player (`agents.lessons`); a game with roles has a policy for each.

Everything ends up in one folder in runs/, see `agents.runs`. A run can be stopped at any time, by Ctrl-C or harder; it
goes on from its last checkpoint, and then ends as it would have without the interruption.

This file reads from top to bottom: settings, command line, the run, what happens between updates, the results.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import io
import json
import math
import os
import pathlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.writer import SummaryWriter

from agents import measures, runs
from agents.league import League, check_shares, past, remember
from agents.lessons import imitate, improve
from agents.measures import Contest
from agents.policies import Actor, Advised, Encoder, Falling, features
from murder_envs.api.sb3 import BatchVecEnv
from murder_envs.core.checks import an_int, fail
from murder_envs.drivers.transcript import Game
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

# -- Settings ---------------------------------------------------------------------------------------------------------

COMMON: dict[str, Any] = {
    "steps": 6_000_000,  # decisions with more than one option, of all seats together
    "seed": 0,
    "envs": 512,  # games at once
    "rollout": 64,  # decisions in each of them between two updates
    "batch_size": 1024,
    "epochs": 1,  # games are cheap: fresh ones teach more in the same time than looking at old ones again
    "learning_rate": 1e-3,  # falls to a twentieth in a straight line
    "entropy": 0.01,
    "gamma": 1.0,  # games end by themselves and are paid at the end, so nothing speaks for discounting
    "gae_lambda": 0.95,
    "net": [256, 128],  # a shared layer, then layers of their own for policy and value
    "one_hot": {},  # observation blocks whose entries name things, and how many of their rows to look at (0: none)
    "fits": [],  # two blocks: what is said of marks, who has them; see `agents.policies.Encoder`
    "meant": {},  # a one-hot block, and the blocks of which it chooses a part
    "trust": 0.0,  # above 0: the policy knows the scripted player's choice, and begins by taking it with odds e^trust
    "reward": None,  # the game's, in training only; evaluations are by its default one
    "roles": False,  # a policy for each seat, and not one for all
    "tables": {},  # shares of the games by who plays the other seats, see `agents.league`; none: one policy plays all
    "imitate": 0,  # decisions of the scripted player to begin with, for each policy
    "improve": 0,  # positions to learn from trying out something else than the scripted player, for each policy
    "evals": 20,  # points of the learning curve after the first
    "eval_games": 2_000,  # games for each of them
    "test_games": 10_000,  # games for the final table
}

GAME_SETTINGS: dict[str, dict[str, Any]] = {
    # What matters of the latest events is in the tables of possible places too; without them an update is faster.
    "theres_been_a_murder": {"one_hot": {"events": 0}},
    "murder_of_crows": {
        "tables": {"now": 4, "earlier": 2, "heuristic": 2},
        "imitate": 1_000_000,
        "steps": 9_000_000,
        "learning_rate": 5e-4,
    },
    "perfect_murder": {
        "roles": True,
        "reward": "graded",
        "tables": {"now": 3, "earlier": 2, "heuristic": 3},
        "one_hot": {"recent": 8},
        "net": [512, 256],
        "imitate": 1_000_000,
        "steps": 8_000_000,
        "learning_rate": 5e-4,
    },
    "my_murder_mystery": {
        "tables": {"now": 1, "earlier": 1, "heuristic": 6},
        "one_hot": {"events": 0, "card_state": 11},
        "fits": ["claims_trait", "traits"],
        "meant": {"question": ["candidates", "claims_who", "claims_trait"]},
        "net": [512, 256],
        "trust": 2.0,
        "improve": 1_500_000,
        "steps": 6_000_000,
        "learning_rate": 2e-4,
        "entropy": 0.003,
    },
}
"""The games that can be trained here, and where one differs from COMMON."""

SAVE_SECONDS = 60
"""At most so much training is lost when a run is killed, and a round; but first lessons begin anew."""

ALL = "model"
"""The name of a policy that plays every seat."""


# -- Command line -----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """What can be asked for. Everything is None unless given: `--resume` takes the rest from the run."""
    it = argparse.ArgumentParser(
        prog="python -m agents.train",
        usage="%(prog)s [options]",
        description=(__doc__ or "").rpartition("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    game = it.add_argument_group("the game")
    game.add_argument("--game", help=f"one of {', '.join(GAME_SETTINGS)} (default: {next(iter(GAME_SETTINGS))})")
    game.add_argument("--config", help="one of its named configurations (default: default)")
    game.add_argument("--players", type=int, help="its num_players")
    game.add_argument("--set", action="append", metavar="NAME=VALUE", help="any other parameter of it; may be repeated")
    run = it.add_argument_group("the run")
    run.add_argument("--steps", type=int, help=f"decisions to learn from (default: {COMMON['steps']:,}, or by game)")
    run.add_argument("--seed", type=int, help="0 to 2^32 - 1; equal seeds and threads, equal runs (default: 0)")
    resume = "go on with this run; without a value with the newest unfinished one. With --steps: go on to that many"
    run.add_argument("--resume", nargs="?", const="", metavar="RUN", help=resume)
    run.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs"), help="where runs go (default: runs)")
    run.add_argument("--threads", type=int, help="for the network (default: all cores)")
    run.add_argument("--device", default="cpu", help="cpu, cuda or auto (default: cpu; the network is small)")
    learner = it.add_argument_group("the learner (defaults may differ by game)")
    for name in ("envs", "rollout", "batch_size", "epochs", "evals", "eval_games", "test_games"):
        learner.add_argument(f"--{name.replace('_', '-')}", type=int, help=f"default: {COMMON[name]:,}")
    for name in ("learning_rate", "entropy", "gamma", "gae_lambda", "trust"):
        learner.add_argument(f"--{name.replace('_', '-')}", type=float, help=f"default: {COMMON[name]}")
    learner.add_argument("--imitate", type=int, help="decisions of the scripted player to learn from first")
    learner.add_argument("--improve", type=int, help="positions to learn from trying out other actions than its")
    learner.add_argument("--tables", help="who has the other seats, as in now=4,earlier=2,heuristic=2")
    learner.add_argument("--reward", help="the game's reward to train on")
    learner.add_argument("--net", help="widths: the shared layer, then those of policy and value (default: 256,128)")
    return it


@dataclasses.dataclass
class Learner:
    """A policy that learns, and its games."""

    name: str
    seats: tuple[int, ...]
    env: BatchVecEnv
    league: League | None  # None: it plays all seats
    model: MaskablePPO = dataclasses.field(init=False)
    others: Learner = dataclasses.field(init=False)  # who has the other seats


@dataclasses.dataclass
class Job:
    """A checked run that is ready to go."""

    run: pathlib.Path
    ruleset: Ruleset  # with the reward to learn from
    judged: Ruleset  # with the game's default reward
    settings: dict[str, Any]
    learners: list[Learner]
    counters: dict[str, Any]  # seconds trained so far; rows of the learning curve

    @property
    def steps(self) -> int:
        """Decisions learnt from so far."""
        return sum(it.model.num_timesteps for it in self.learners)

    @property
    def policies(self) -> dict[str, tuple[int, ...]]:
        """Name -> the seats that it learns in."""
        return {it.name: it.seats for it in self.learners}

    @property
    def models(self) -> dict[str, tuple[MaskablePPO, tuple[int, ...]]]:
        """Name -> model and seats."""
        return {it.name: (it.model, it.seats) for it in self.learners}

    def learner_of(self, seat: int) -> Learner:
        """Who plays a seat."""
        return next(it for it in self.learners if seat in it.seats)


def new_settings(given: argparse.Namespace, game: str) -> dict[str, Any]:
    """The settings of a new run; ValueError names one that is out of range."""
    settings = {**COMMON, **GAME_SETTINGS[game]}
    settings.update({name: getattr(given, name) for name in COMMON if getattr(given, name, None) is not None})
    for name, low, high in (
        ("steps", 1, 10**12), ("seed", 0, 2**32 - 1), ("envs", 1, 65_536), ("rollout", 2, 65_536),
        ("batch_size", 2, 10**7), ("epochs", 1, 1000), ("evals", 1, 10_000), ("eval_games", 1, 10**6),
        ("test_games", 1, 10**7), ("imitate", 0, 10**9),
        ("improve", 0, 10**9),
    ):  # fmt: skip
        settings[name] = an_int(name, settings[name], low, high)
    for name, most in (
        ("learning_rate", 1.0),
        ("entropy", 10.0),
        ("gamma", 1.0),
        ("gae_lambda", 1.0),
        ("trust", 100.0),
    ):
        if not 0 <= settings[name] <= most:
            fail(name, f"0 to {most}, not {settings[name]}")
    if isinstance(settings["net"], str):
        try:
            settings["net"] = [an_int("net", int(width), 1, 65_536) for width in settings["net"].split(",")]
        except ValueError:
            fail("net", f"widths of layers like 256,128, not {settings['net']!r}")
    if isinstance(settings["tables"], str):
        try:
            shares = [share.split("=") for share in settings["tables"].split(",")]
            settings["tables"] = {name: int(share) for name, share in shares}
        except ValueError:
            fail("tables", f"shares like now=4,earlier=2,heuristic=2, not {settings['tables']!r}")
    if settings["tables"]:
        check_shares(settings["tables"])
    settings["batch_size"] = min(settings["batch_size"], settings["envs"] * settings["rollout"])
    return settings


def parameters(given: argparse.Namespace, game: str, reward: str | None) -> dict[str, Any]:
    """The game's own parameters."""
    named = given.config or "default"
    if named not in configs(game):
        fail("config", f"one of {', '.join(configs(game))}, not {named!r}")
    config = dict(configs(game)[named])
    if reward is not None:
        config["reward"] = reward
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
    game = given.game or next(iter(GAME_SETTINGS))
    if game not in GAME_SETTINGS:
        why = ", which has no training program yet" if game in GAMES else ""
        fail("game", f"one of {', '.join(GAME_SETTINGS)}, not {game!r}{why}")
    settings = new_settings(given, game)
    ruleset = make_ruleset(game, **parameters(given, game, settings["reward"]))
    settings["reward"] = ruleset.config.get("reward")
    run = runs.new_folder(given.out, game, settings["seed"])
    config = {
        **runs.facts_of(ruleset),
        "settings": settings,
        "seeds": {"training": settings["seed"], "curve": measures.CURVE_SEED, "table": measures.TEST_SEED},
        "threads": torch.get_num_threads(),
        **runs.surroundings(),
    }
    runs.write_json(run / "config.json", config)
    return run


def choose_run(given: argparse.Namespace) -> pathlib.Path:
    """The run that `--resume` means; ValueError if what else was given does not fit it."""
    run = pathlib.Path(given.resume) if given.resume else runs.newest_unfinished(given.out, given.game)
    config = runs.read_config(run)
    settings = {**COMMON, **config["settings"]}
    if given.game not in (None, config["game"]):
        fail("game", f"{run} is of {config['game']}, not of {given.game!r}")
    for name in COMMON:
        asked = getattr(given, name, None)
        if name != "steps" and asked is not None and asked not in (settings[name], as_text(settings[name])):
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


def as_text(setting: Any) -> str:
    """A setting as the command line has it."""
    if isinstance(setting, dict):
        return ",".join(f"{name}={value}" for name, value in setting.items())
    return ",".join(map(str, setting)) if isinstance(setting, list) else str(setting)


def ready(given: argparse.Namespace, run: pathlib.Path) -> Job:
    """Model and games: as the newest checkpoint has them, or fresh ones."""
    config = runs.read_config(run)
    settings = {**COMMON, **config["settings"]}
    ruleset = make_ruleset(config["game"], **config["config"])
    if config["version"] != ruleset.version:
        fail(
            "version",
            f"{run} is of version {config['version']} of {ruleset.name}, here is {ruleset.version}; train anew",
        )
    counters: dict[str, Any] = {"seconds": 0.0, "curve": []}
    learners = [new_learner(ruleset, settings, name, seats) for name, seats in policies(ruleset, settings).items()]
    if found := runs.checkpoints(run):
        envs = {it.name: it.env for it in learners}
        models, counters = runs.resume_checkpoint(found[-1], ruleset, envs, given.device)
        for it in learners:
            it.model = models[it.name]
    else:
        torch.manual_seed(settings["seed"])
        for it in learners:
            it.model = new_model(ruleset, it.env, settings, given.device)
    if given.resume is not None:
        settings = {**settings, "steps": given.steps or settings["steps"]}
        again = [*config.get("resumed", []), runs.surroundings()]
        runs.write_json(run / "config.json", {**config, "settings": settings, "resumed": again})
    job = Job(run, ruleset, measures.outcome(ruleset), settings, learners, counters)
    for it in learners:
        it.others = job.learner_of((it.seats[0] + 1) % ruleset.n_seats)
        if it.league is not None:
            it.league.meet(it.others.model.policy)
    return job


def policies(ruleset: Ruleset, settings: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """What is to be trained: name -> the seats that it plays."""
    if settings["roles"]:
        return {agent: (seat,) for seat, agent in enumerate(ruleset.agents)}
    return {ALL: tuple(range(ruleset.n_seats))}


def new_learner(ruleset: Ruleset, settings: dict[str, Any], name: str, seats: tuple[int, ...]) -> Learner:
    """A policy's games; the model comes later."""
    n, seed = settings["envs"], settings["seed"]
    if not settings["tables"]:
        return Learner(name, seats, BatchVecEnv(ruleset, n, seed=seed, seat="all", skip_forced=True), None)
    league = League(settings["tables"], n)
    seat = seats[0] if len(seats) == 1 else "random"
    env = BatchVecEnv(ruleset, n, seed=seed, seat=seat, opponents=league.opponents, skip_forced=True)
    return Learner(name, seats, env, league)


def new_model(ruleset: Ruleset, env: BatchVecEnv, settings: dict[str, Any], device: str) -> MaskablePPO:
    """An untrained model."""
    shared, *own = settings["net"]
    rate = settings["learning_rate"]
    advised = {"trust": settings["trust"], "game": ruleset.name, "config": dict(ruleset.config)}
    return MaskablePPO(
        Advised if settings["trust"] else "MlpPolicy",
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
            **(advised if settings["trust"] else {}),
            "net_arch": {"pi": own, "vf": own},
            "activation_fn": torch.nn.ReLU,
            "features_extractor_class": Encoder,
            "features_extractor_kwargs": {
                **features(ruleset, *(settings[name] for name in ("one_hot", "fits", "meant"))),
                "width": shared,
            },
        },
    )


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_machine(given: argparse.Namespace) -> None:
    """Set the threads; ValueError names a number of threads or a device that cannot be."""
    threads = available_cores() if given.threads is None else given.threads
    torch.set_num_threads(an_int("threads", threads, 1, 1024))
    if given.device not in ("cpu", "cuda", "auto"):
        fail("device", f"cpu, cuda or auto, not {given.device!r}")
    if given.device == "cuda" and not torch.cuda.is_available():
        fail("device", "cuda is not to be had here; cpu, or auto to take what there is")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; returns the exit status: 0 done, 2 bad input, 130 stopped (to go on with --resume)."""
    console = Console(highlight=False, emoji=False)
    asked = parser()
    given = asked.parse_args(arguments)
    # The library would check every distribution that it makes; masks are never all zero here.
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        with contextlib.ExitStack() as until_done:
            try:
                check_machine(given)
                run = open_new(given) if given.resume is None else choose_run(given)
                until_done.enter_context(runs.locked(run))
                with console.status("making ready (the first time, the game is compiled)"):
                    job = ready(given, run)
            except ValueError as error:
                print(f"{asked.prog}: error: {error}", file=sys.stderr)
                return 2
            return train(job, console)
    except KeyboardInterrupt:
        console.print("stopped")
        return 130


# -- The run ----------------------------------------------------------------------------------------------------------


def train(job: Job, console: Console) -> int:
    """Learn, looking on between updates; then the results. Returns the exit status."""
    settings, ruleset = job.settings, job.ruleset
    says = "all seats share one policy" if len(job.learners) == 1 else "a policy each for " + " and ".join(job.policies)
    console.print(f"[bold]{ruleset.name}[/bold], {ruleset.n_seats} players, {says}")
    n = sum(weights.numel() for weights in job.learners[0].model.policy.parameters())
    console.print(
        f"{settings['steps']:,} decisions to learn from, {settings['envs']} games at once, {n:,} weights, "
        f"{torch.get_num_threads()} threads, seed {settings['seed']}",
        soft_wrap=True,
    )
    if settings["tables"]:
        console.print(f"tables: {as_text(settings['tables'])}; reward in training: {settings['reward']}")
    console.print(f"run folder: {job.run}", soft_wrap=True)
    console.print("stop with Ctrl-C, go on with --resume, watch with tensorboard --logdir")
    watch = Watch(job, console)
    for it in job.learners:
        it.model.set_logger(Logger(str(job.run), [watch.logs[it.name]]))
    with watch.progress, watch.handling_signals():
        if not job.counters["curve"]:
            first_lessons(job, watch)
        watch.table_head()
        while job.steps < settings["steps"]:
            watch.between_rounds()
            if watch.stop:
                console.print(f"stopped; go on with: python -m agents.train --resume {job.run}", soft_wrap=True)
                return 130
            learn_a_round(job, watch)
        if job.counters["curve"][-1]["steps"] < job.steps:
            watch.evaluate()
        watch.save()
    watch.close()
    finish(job, console)
    return 0


def first_lessons(job: Job, watch: Watch) -> None:
    """Let every policy learn from the scripted player before it learns from its own games."""
    settings = job.settings
    for it in job.learners:
        for lesson, name in ((imitate, "imitate"), (improve, "improve")):
            lesson(
                it.model, job.ruleset, it.seats, settings[name], settings["seed"],
                said=functools.partial(watch.lesson, it.name, name),
            )  # fmt: skip


def learn_a_round(job: Job, watch: Watch) -> None:
    """A batch of experience and an update for every policy."""
    settings = job.settings
    for it in job.learners:
        rate: Any = it.model.learning_rate
        rate.left = 1 - job.steps / settings["steps"]
        if it.league is not None:
            of = it.others
            it.league.draw(past(job.run, of.name, of.model.num_timesteps), settings["seed"], job.steps)
        it.model.learn(settings["envs"] * settings["rollout"], watch, reset_num_timesteps=False)


class Watch(BaseCallback):
    """What happens between rounds: progress bar, points of the learning curve, checkpoints.

    Between rounds every update is complete and everything belongs together, so that is the moment for checkpoints. One
    that is asked to stop waits for it.
    """

    def __init__(self, job: Job, console: Console) -> None:
        super().__init__()
        self.job = job
        games = job.settings["eval_games"]
        self.contests = measures.contests(job.judged, job.policies)
        self.baselines = {
            (contest, player): measures.measure(job.judged, contest, player, player, games, measures.CURVE_SEED)
            for contest in self.contests
            for player in ("random", "heuristic")
        }
        self.logs = {it.name: self._log(it) for it in job.learners}
        self.stop = False
        self._since = time.monotonic()
        self._saved = -math.inf
        # A terminal sees the bar move; into a file go the lines of the table only.
        self.progress = Progress(
            TextColumn("{task.fields[what]}"),
            BarColumn(None),
            TaskProgressColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        total, done = job.settings["steps"], job.steps
        self._bar = self.progress.add_task("", total=total, completed=done, what="learning", said="")

    def _log(self, learner: Learner) -> TensorBoardOutputFormat:
        """A policy's TensorBoard log; what a killed process logged after its last checkpoint will be logged again."""
        folder = self.job.run / "tensorboard" / (learner.name if len(self.job.learners) > 1 else "")
        log = TensorBoardOutputFormat(str(folder))
        if steps := learner.model.num_timesteps:
            log.writer.close()
            log.writer = SummaryWriter(folder, purge_step=steps + 1)
        return log

    def close(self) -> None:
        """Close the logs."""
        for log in self.logs.values():
            log.close()

    @property
    def seconds(self) -> float:
        """How long this run has been training, in all its processes."""
        return self.job.counters["seconds"] + time.monotonic() - self._since

    def between_rounds(self) -> None:
        """A point of the curve and a checkpoint, where they are due."""
        curve, settings = self.job.counters["curve"], self.job.settings
        between = settings["steps"] / settings["evals"]
        due = not curve or self.job.steps // between > curve[-1]["steps"] // between
        if due:
            self.evaluate()
            if settings["tables"]:
                for it in self.job.learners:
                    remember(self.job.run, it.name, it.model)
        if due or self.stop or time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def _on_step(self) -> bool:
        steps = self.job.steps
        said = f"{steps / 1e6:.2f} M decisions, {steps / max(1e-9, self.seconds):,.0f}/s"
        self.progress.update(self._bar, completed=steps, what="learning", said=said)
        return True

    def lesson(self, policy: str, lesson: str, done: int, figure: float) -> None:
        """Say how far a first lesson is."""
        who = "" if policy == ALL else f" of the {policy}"
        came_of_it = f"{figure:.0%} the same" if lesson == "imitate" else f"{figure:+.3f} paid by another choice"
        said = f"{done / 1e6:.2f} M decisions of the heuristic, {came_of_it}"
        self.progress.update(self._bar, completed=0, what=f"first lesson{who}: {lesson}", said=said)
        if self.stop:
            raise KeyboardInterrupt
        if done >= self.job.settings[lesson]:
            self.progress.console.print(f"first lesson{who}: {lesson}, {said}, after {self.seconds / 60:.1f} minutes")

    def save(self) -> None:
        """Write a checkpoint."""
        job = self.job
        counters = {**job.counters, "seconds": self.seconds}
        batches = {it.name: it.env.batch for it in job.learners}
        runs.save_checkpoint(job.run, job.ruleset, job.models, batches, counters)
        self._saved = time.monotonic()

    def evaluate(self) -> None:
        """Add a point to the learning curve: for every policy a row for each of its contests."""
        for it in self.job.learners:
            rows = [self.point(contest) for contest in self.contests if contest.policy == it.name]
            self.job.counters["curve"] += rows
            self.table_rows(rows)
        runs.write(self.job.run / "progress.csv", runs.csv_text(self.job.counters["curve"]))

    def point(self, contest: Contest) -> dict[str, Any]:
        """How a policy does now, beside the baselines and what its last update said."""
        job = self.job
        model = job.models[contest.policy][0]
        games, actor = job.settings["eval_games"], Actor(model.policy)
        now = measures.measure(job.judged, contest, "trained", actor, games, measures.CURVE_SEED)
        row: dict[str, Any] = {"steps": job.steps, "seconds": round(self.seconds, 1)}
        row |= {"policy": contest.policy, "against": contest.against}
        row |= {"measure": now.measure, "value": now.value, "low": now.low, "high": now.high}
        row |= {player: self.baselines[contest, player].value for player in ("random", "heuristic")} | now.figures
        logged = model.logger.name_to_value
        names = ("entropy_loss", "explained_variance", "approx_kl", "clip_fraction", "value_loss", "learning_rate")
        row |= {name: float(logged[f"train/{name}"]) for name in names if f"train/{name}" in logged}
        where = "evaluation" + (f"_against_{contest.against}" if contest.against else "")
        for name, value in {now.measure.replace(" ", "_"): now.value, **now.figures}.items():
            self.logs[contest.policy].writer.add_scalar(f"{where}/{name}", value, model.num_timesteps)
        return row

    def table_head(self) -> None:
        """The table of evaluations, and what it has so far: a line for each point and policy."""
        say = self.progress.console.print
        say(f"\nwin rate in {self.job.settings['eval_games']:,} games, always on the same deals:")
        for contest in self.contests:
            random, heuristic = (self.baselines[contest, player].value for player in ("random", "heuristic"))
            say(f"  {named(contest.policy, contest.against)}random {random:.3f}, heuristic {heuristic:.3f}")
        one = [it for it in self.contests if it.policy == self.contests[0].policy]
        heads = [f"against {it.against}" if it.against else "trained (95 %)" for it in one]
        who = "" if len(self.job.learners) == 1 else "policy      "
        say(f"[bold]  decisions   minutes   {who}{''.join(f'{head:27}' for head in heads)}[/bold]".rstrip())
        curve = self.job.counters["curve"]
        for k in range(0, len(curve), len(one)):
            self.table_rows(curve[k : k + len(one)])

    def table_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """A line of it: one point of one policy, in all its contests."""
        first = rows[0]
        who = "" if len(self.job.learners) == 1 else f"{first['policy']:12}"
        said = "".join(f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})     " for row in rows)
        line = f"{first['steps']:11,}   {first['seconds'] / 60:7.1f}   {who}{said}"
        self.progress.console.print(line.rstrip(), soft_wrap=True)

    @contextlib.contextmanager
    def handling_signals(self) -> Iterator[None]:
        """The first Ctrl-C (or SIGTERM) asks to stop after this update, the second stops at once."""

        def ask(*_: Any) -> None:
            if self.stop:
                raise KeyboardInterrupt
            self.stop = True
            self.progress.console.print("stopping after this update; once more: stop at once")

        here = threading.current_thread() is threading.main_thread()  # only there may they be set
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM) if here}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


# -- The results ------------------------------------------------------------------------------------------------------


def named(policy: str, against: str) -> str:
    """A contest in words, where there are several."""
    if not against:
        return ""
    return f"{'one seat' if policy == ALL else policy} against {against} players: "


def finish(job: Job, console: Console) -> None:
    """Write models, table, learning curve and a game; results.json, which says that the run is done, comes last."""
    run = job.run
    with console.status("playing the games of the final table"):
        results = measures.final_table(job.judged, job.models, job.settings["test_games"])
    for name, (model, seats) in job.models.items():
        runs.write(run / f"{name}.zip", runs.model_bytes(model, job.ruleset, seats))
    runs.write(run / "game.txt", game_text(job, measures.TEST_SEED))
    runs.write(run / "curve.png", curve_png(job, results))
    steps, minutes = job.steps, job.counters["curve"][-1]["seconds"] / 60
    title = f"{job.ruleset.name}, after {steps:,} decisions and {minutes:.1f} minutes of self-play"
    explained = EXPLAINED if results[0].against else EXPLAINED_TOGETHER
    runs.write(run / "results.md", f"# {title}\n\n{measures.markdown(results)}\n{explained}\n")
    players = []
    for it in results:
        row = {name: value for name, value in it._asdict().items() if name != "wins"}
        players.append({**row, "figures": {name: None if math.isnan(x) else x for name, x in it.figures.items()}})
    content = {"steps": steps, "of": job.settings["steps"], "minutes": round(minutes, 2), "results": players}
    runs.write_json(run / "results.json", content)
    console.print(f"\n{title}", soft_wrap=True)
    console.print(*measures.tables(results), sep="\n")
    console.print(f"models, curve.png, game.txt (a game of the trained agents) and more: {run}", soft_wrap=True)


EXPLAINED = """A row is one player in one seat, by turns in each of those that the policy learnt in, with players of the
kind named under `against` in all others; the deals are the same in all rows. `above heuristic` is how much more it wins
than the heuristic in the same seats of the same deals, with the 95 % interval of these paired differences. `trained`
takes its likeliest action, `trained, sampled` draws one from its probabilities."""

EXPLAINED_TOGETHER = """A row is one player in all seats; the deals are the same in all rows. `trained` takes its
likeliest action, `trained, sampled` draws one from its probabilities. Intervals of win rates are Wilson's."""


def game_text(job: Job, seed: int) -> str:
    """One game of the trained agents, for people: before each choice what has changed on the table, seen from above."""
    game = Game(job.ruleset, seed)
    lines = [
        f"A game of {job.ruleset.name} played by the trained agents. The table is seen from above; a line of it is",
        "shown again when it has changed. Beside a choice stand the probabilities that the agent gave to its options,",
        "and the return that it expected.",
        "",
    ]
    shown: set[str] = set()
    while True:
        table = job.ruleset.text(game.cursor.rules, game.cursor.states, None).splitlines()
        lines += [f"    {line}".rstrip() for line in table if line.strip() and line not in shown]
        shown = set(table)
        if game.over:
            break
        name, why = likeliest(job, game)
        lines += ["", f"{job.ruleset.agents[game.seat]}: {name}{why}"]
        game.act(name)
    paid = ", ".join(f"{agent} {value:g}" for agent, value in zip(job.ruleset.agents, game.returns()))
    return "\n".join([*lines, "", f"returns: {paid}", ""])


def likeliest(job: Job, game: Game) -> tuple[str, str]:
    """The action that the model takes, and its reasons as text; none where there is no choice."""
    legal = game.legal()
    if len(legal) == 1:
        return legal[0], ""
    ids = [job.ruleset.actions.id(name) for name in legal]
    mask = np.zeros((1, job.ruleset.actions.n), np.bool_)
    mask[0, ids] = True
    policy: Any = job.learner_of(game.seat).model.policy
    seen, _ = policy.obs_to_tensor(game.look(game.seat)[None])
    with torch.no_grad():
        odds = policy.get_distribution(seen, mask).distribution.probs[0, ids].tolist()
        worth = policy.predict_values(seen).item()
    order = sorted(range(len(legal)), key=lambda k: -odds[k])
    said = ", ".join(f"{legal[k]} {odds[k]:.0%}" for k in order[:6])
    more = f", {len(legal) - 6} more" if len(legal) > 6 else ""
    return legal[order[0]], f"    ({said}{more}; expects {worth:.2f})"


COLOURS = {"random": "#7a7a7a", "heuristic": "#c2571a", "trained": "#1f5fa8"}


def curve_png(job: Job, results: Sequence[measures.Result]) -> bytes:
    """The learning curve of each contest with its 95 % band; random play and heuristic in its place as lines."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    contests = list(dict.fromkeys((it.policy, it.against) for it in results))
    across = min(2, len(contests))
    down = -(-len(contests) // across)
    size = (8 if across == 1 else 12, 4.5 * down if across == 1 else 3.9 * down)
    figure, table = pyplot.subplots(down, across, figsize=size, dpi=150, layout="constrained", squeeze=False)
    for axes, (policy, against) in zip(table.flat, contests):
        curve = [row for row in job.counters["curve"] if (row["policy"], row["against"]) == (policy, against)]
        final = {it.player: it for it in results if (it.policy, it.against) == (policy, against)}
        panel(axes, curve, {name: final[name] for name in COLOURS})
        axes.set_ylabel(f"win rate, {job.settings['eval_games']:,} games a point")
        axes.set_title(named(policy, against).removesuffix(": "), loc="left", fontsize="medium")
    game = job.ruleset.title or job.ruleset.name
    minutes = job.counters["curve"][-1]["seconds"] / 60
    figure.suptitle(f"{game}, {job.ruleset.n_seats} players, {minutes:.0f} minutes of self-play", x=0.01, ha="left")
    file = io.BytesIO()
    figure.savefig(file, format="png")
    pyplot.close(figure)
    return file.getvalue()


def panel(axes: Any, curve: Sequence[Mapping[str, Any]], final: Mapping[str, measures.Result]) -> None:
    """One contest. The labels' numbers are the final table's."""
    from matplotlib.ticker import PercentFormatter

    unit, name = (1e6, "millions") if curve[-1]["steps"] >= 1e6 else (1e3, "thousands")
    steps = np.array([row["steps"] for row in curve]) / unit
    value, low, high = (np.array([row[column] for row in curve]) for column in ("value", "low", "high"))
    for player in ("random", "heuristic"):
        axes.axhline(final[player].value, color=COLOURS[player], linestyle=(0, (5, 3)), linewidth=1.3)
    axes.fill_between(steps, low, high, color=COLOURS["trained"], alpha=0.2, linewidth=0)
    axes.plot(steps, value, color=COLOURS["trained"], linewidth=2, marker="o", markersize=3.5)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlim(0, max(steps[-1], 1e-9))
    players = sorted(final.values(), key=lambda it: it.value)
    for it, at in zip(players, spread([it.value for it in players], 0.11)):
        axes.text(
            1.015, at, f"{it.player}\n{it.value:.1%}",
            color=COLOURS[it.player], fontweight="bold", va="center", transform=axes.transAxes,
        )  # fmt: skip
    axes.set_xlabel(f"decisions learnt from, {name}")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Rising places in 0..1 for labels of rising values, at least `gap` apart, so that none lies on another."""
    places: list[float] = []
    for value in values:
        places.append(max(value, places[-1] + gap) if places else value)
    for k in reversed(range(len(places))):
        places[k] = min(places[k], 1 - gap * (len(places) - 1 - k))
    return places


if __name__ == "__main__":
    sys.exit(main())
