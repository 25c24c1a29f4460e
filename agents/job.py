"""Before a training: from the options of a command line to a checked run that is ready to go.

`open_new` makes the folder of a new run and `choose_run` finds that of `--resume`; `ready` makes policies and games for
it, fresh ones or those of its newest checkpoint.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import torch
from sb3_contrib import MaskablePPO

from agents import checkpoints, measures, runs
from agents import settings as all_settings
from agents.opponents import OpponentPool
from agents.report import provenance
from agents.settings import PAST, Settings
from murder_envs.api.sb3 import BatchVecEnv
from murder_envs.core.checks import an_int, fail, shown
from murder_envs.networks.encoder import features
from murder_envs.networks.files import Trained, facts_of
from murder_envs.networks.policy import policy_arguments
from murder_envs.registry import GAMES, configs, make_ruleset
from murder_envs.ruleset import Ruleset

ALL = "model"
"""The name of a policy that plays every seat."""


@dataclasses.dataclass
class Learner:
    """A policy that learns, and its games."""

    name: str
    seats: tuple[int, ...]
    env: BatchVecEnv
    pool: OpponentPool | None  # None: the policy plays all seats
    model: MaskablePPO = dataclasses.field(init=False)
    others: Learner = dataclasses.field(init=False)  # whose policies have the other seats


@dataclasses.dataclass
class Job:
    """A checked run that is ready to go."""

    run: pathlib.Path
    ruleset: Ruleset  # with the reward to learn from
    judged: Ruleset  # with the game's default reward
    settings: Settings
    learners: list[Learner]
    counters: dict[str, Any]  # seconds trained so far; rows of the learning curve; files of each policy in the past

    @property
    def steps(self) -> int:
        """Decisions learnt from so far."""
        return sum(learner.model.num_timesteps for learner in self.learners)

    @property
    def policies(self) -> dict[str, tuple[int, ...]]:
        """Name -> the seats that the policy learns in."""
        return {learner.name: learner.seats for learner in self.learners}

    @property
    def models(self) -> dict[str, tuple[MaskablePPO, tuple[int, ...]]]:
        """Name -> model and seats."""
        return {learner.name: (learner.model, learner.seats) for learner in self.learners}

    @property
    def trained(self) -> dict[str, Trained]:
        """Name -> the policy as it is now."""
        return {each.name: Trained(each.model.policy, self.ruleset, list(each.seats)) for each in self.learners}

    def past_of(self, name: str) -> list[pathlib.Path]:
        """What was kept of a policy, the oldest first."""
        return [self.run / PAST / file for file in self.counters["past"].get(name, ())]

    def learner_of(self, seat: int) -> Learner:
        """Who plays a seat."""
        return next(learner for learner in self.learners if seat in learner.seats)


# -- Which run --------------------------------------------------------------------------------------------------------


def open_new(options: argparse.Namespace) -> pathlib.Path:
    """Check everything, then make the folder of a new run, with its config.json."""
    game = options.game or next(iter(GAMES))
    if game not in GAMES:
        fail("game", f"one of {', '.join(GAMES)}, not {game!r}")
    settings = dataclasses.replace(all_settings.of_game(game), **all_settings.typed(options))
    ruleset = make_ruleset(game, **parameters(options, game, settings.reward))
    settings = dataclasses.replace(settings, reward=ruleset.config.get("reward"))
    content = {
        **facts_of(ruleset),
        "settings": settings.as_json(),
        "seeds": {"training": settings.seed, "curve": measures.CURVE_SEED, "table": measures.TEST_SEED},
        "threads": available_cores() if options.threads is None else options.threads,
        **provenance(),
    }
    return runs.new_run(options.out, game, settings.seed, content)


def parameters(
    options: argparse.Namespace, game: str, reward: str | None, config: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The game's own parameters: those of the options, else those of `config` (None: the default configuration)."""
    if config is None or options.config is not None:
        name_of_config = options.config or "default"
        if name_of_config not in configs(game):
            fail("config", f"one of {', '.join(configs(game))}, not {name_of_config!r}")
        config = configs(game)[name_of_config]
    config = dict(config)
    if reward is not None:
        config["reward"] = reward
    if options.players is not None:
        config["num_players"] = options.players
    for text in options.set or ():
        name, equals, value = text.partition("=")
        if not equals:
            fail("set", f"NAME=VALUE, not {text!r}")
        try:
            config[name] = json.loads(value)
        except json.JSONDecodeError:
            config[name] = {"True": True, "False": False, "None": None}.get(value, value)
    return config


def choose_run(options: argparse.Namespace) -> pathlib.Path:
    """The run that `--resume` means; ValueError if another option does not fit it."""
    run = pathlib.Path(options.resume) if options.resume else runs.newest_unfinished(options.out, options.game)
    config = runs.read_config(run)
    if options.game not in (None, config.game):
        fail("game", f"{run} is of {config.game}, not of {options.game!r}")
    typed = all_settings.typed(options)
    wanted = dataclasses.replace(config.settings, **typed)
    for name in typed:
        ours, other = getattr(config.settings, name), getattr(wanted, name)
        if name != "steps" and ours != other:
            ours, other = all_settings.as_text(ours), all_settings.as_text(other)
            fail(name, f"{run} has {ours}, not {other}; leave it out, or start a new run")
    if options.threads not in (None, config.threads):
        fail("threads", f"{run} has {config.threads}, not {options.threads}; leave it out, or start a new run")
    check_same_game(options, run, config)
    if "steps" in typed:
        learnt = runs.steps_of(paths[-1]) if (paths := runs.checkpoints(run)) else 0
        if wanted.steps < learnt:
            fail("steps", f"{run} has learnt from {learnt:,} already, so {learnt:,} at least, not {wanted.steps:,}")
    elif runs.is_finished(run, config.settings.steps):
        fail("resume", f"{run} is finished; name more --steps than its {config.settings.steps:,} to go on")
    return run


def check_same_game(options: argparse.Namespace, run: pathlib.Path, config: runs.RunConfig) -> None:
    """ValueError names the first parameter of the game that an option would have otherwise than the run has it."""
    ours = make_ruleset(config.game, **config.config).config
    if options.players not in (None, n := ours.get("num_players")):  # first: its other parameters may not allow for it
        fail("num_players", f"{run} has {n or 'no such parameter'}, not {options.players}; leave it out")
    given = parameters(options, config.game, ours.get("reward"), config.config)
    wanted = make_ruleset(config.game, **given).config
    for name in ours:
        if wanted[name] != ours[name]:
            fail(name, f"{run} has {shown(ours[name])}, not {shown(wanted[name])}; leave it out, or start a new run")


# -- Policies and games -----------------------------------------------------------------------------------------------


def ready(options: argparse.Namespace, run: pathlib.Path, say: Callable[[str], None]) -> Job:
    """Policies and games: as the newest checkpoint has them that can be read, or fresh ones. `say` is told of damaged
    checkpoints."""
    config = runs.read_config(run)
    settings = config.settings
    torch.set_num_threads(config.threads)
    ruleset = make_ruleset(config.game, **config.config)
    if config.version != ruleset.version:
        fail(
            "version",
            f"{run} is of version {config.version} of {ruleset.name}, here is {ruleset.version}; train anew",
        )
    learners = [new_learner(ruleset, settings, name, seats) for name, seats in policies(ruleset, settings).items()]
    torch.manual_seed(settings.seed)
    for learner in learners:
        learner.model = new_model(ruleset, learner.env, settings, options.device)
    counters = checkpoints.resume(run, ruleset, {learner.name: learner.model for learner in learners}, say)
    if counters is None:
        counters = {"seconds": 0.0, "curve": [], "past": {}}
    job = Job(run, ruleset, measures.outcome(ruleset), settings, learners, counters)
    for learner in learners:
        learner.others = job.learner_of((learner.seats[0] + 1) % ruleset.n_seats)
        if learner.pool is not None:
            learner.pool.set_policy(learner.others.model.policy)
    if options.resume is not None:
        if options.steps is not None:
            job.settings = dataclasses.replace(settings, steps=options.steps)
        again = [*config.content.get("resumed", []), provenance()]
        runs.write_json(run / "config.json", {**config.content, "settings": job.settings.as_json(), "resumed": again})
    return job


def policies(ruleset: Ruleset, settings: Settings) -> dict[str, tuple[int, ...]]:
    """What is to be trained: name -> the seats that the policy plays."""
    if settings.roles:
        return {agent: (seat,) for seat, agent in enumerate(ruleset.agents)}
    return {ALL: tuple(range(ruleset.n_seats))}


def new_learner(ruleset: Ruleset, settings: Settings, name: str, seats: tuple[int, ...]) -> Learner:
    """A policy's games; the model comes later."""
    n, seed = settings.envs, settings.seed
    if not settings.opponents:
        return Learner(name, seats, BatchVecEnv(ruleset, n, seed=seed, seat="all", skip_forced=True), None)
    pool = OpponentPool(settings.opponents, n)
    seat = seats[0] if len(seats) == 1 else "random"
    env = BatchVecEnv(ruleset, n, seed=seed, seat=seat, opponents=pool.opponents, skip_forced=True)
    return Learner(name, seats, env, pool)


def new_model(ruleset: Ruleset, env: BatchVecEnv, settings: Settings, device: str) -> MaskablePPO:
    """An untrained model."""
    encoder = features(ruleset, settings.one_hot, settings.lookup, settings.agreement)
    policy, arguments = policy_arguments(ruleset, settings.net, settings.prior_weight, encoder)
    return MaskablePPO(
        policy,
        env,
        n_steps=settings.rollout,
        batch_size=min(settings.batch_size, settings.envs * settings.rollout),
        n_epochs=settings.epochs,
        learning_rate=LinearSchedule(settings.learning_rate, settings.learning_rate / 20),
        ent_coef=settings.entropy,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        seed=settings.seed,
        device=device,
        stats_window_size=settings.envs * 4,
        policy_kwargs=arguments,
    )


class LinearSchedule:
    """A learning rate that goes from `start` to `end` in a straight line in the course of a run.

    Attributes:
        remaining: 1 to 0, how much of the run is still to come. The library tells a schedule how much of a call of
            `learn` is; a run has many of these, so this is set from outside.
    """

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end
        self.remaining = 1.0

    def __call__(self, _: float) -> float:
        """The present rate."""
        return self.end + (self.start - self.end) * min(1.0, max(0.0, self.remaining))


# -- The machine ------------------------------------------------------------------------------------------------------


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_machine(options: argparse.Namespace) -> None:
    """ValueError names a number of threads or a device that cannot be."""
    if options.threads is not None:
        an_int("threads", options.threads, 1, 1024)
    if options.device not in ("cpu", "cuda", "auto"):
        fail("device", f"cpu, cuda or auto, not {options.device!r}")
    if options.device == "cuda" and not torch.cuda.is_available():
        fail("device", "cuda is not available on this machine; use cpu, or auto to take what there is")
