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
import contextlib
import csv
import dataclasses
import io
import json
import math
import os
import pathlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
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
    "evals": 20,  # points of the learning curve after the first
    "eval_games": 2_000,  # games for each of them
    "test_games": 10_000,  # games for the final table
}

GAME_SETTINGS: dict[str, dict[str, Any]] = {
    # What matters of the latest events is in the tables of possible places too; without them an update is faster.
    "theres_been_a_murder": {"one_hot": {"events": 0}},
}
"""Where a game differs from COMMON."""

SAVE_SECONDS = 60
"""At most so much training is lost when a run is killed, and a rollout."""


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
    game.add_argument("--game", help=f"one of {', '.join(GAMES)} (default: {next(iter(GAMES))})")
    game.add_argument("--config", help="one of its named configurations (default: default)")
    game.add_argument("--players", type=int, help="its num_players")
    game.add_argument("--set", action="append", metavar="NAME=VALUE", help="any other parameter of it; may be repeated")
    run = it.add_argument_group("the run")
    run.add_argument("--steps", type=int, help=f"decisions to learn from (default: {COMMON['steps']:,})")
    run.add_argument("--seed", type=int, help="0 to 2^32 - 1; equal seeds and threads, equal runs (default: 0)")
    resume = "go on with this run; without a value with the newest unfinished one. With --steps: go on to that many"
    run.add_argument("--resume", nargs="?", const="", metavar="RUN", help=resume)
    run.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs"), help="where runs go (default: runs)")
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
    env: BatchVecEnv
    model: MaskablePPO
    counters: dict[str, Any]  # seconds trained so far; rows of the learning curve


def new_settings(given: argparse.Namespace, game: str) -> dict[str, Any]:
    """The settings of a new run; ValueError names one that is out of range."""
    settings = {**COMMON, **GAME_SETTINGS.get(game, {})}
    settings.update({name: getattr(given, name) for name in COMMON if getattr(given, name, None) is not None})
    for name, low, high in (
        ("steps", 1, 10**12), ("seed", 0, 2**32 - 1), ("envs", 1, 65_536), ("rollout", 2, 65_536),
        ("batch_size", 2, 10**7), ("epochs", 1, 1000), ("evals", 1, 10_000), ("eval_games", 1, 10**6),
        ("test_games", 1, 10**7),
    ):  # fmt: skip
        settings[name] = an_int(name, settings[name], low, high)
    for name, most in (("learning_rate", 1.0), ("entropy", 10.0), ("gamma", 1.0), ("gae_lambda", 1.0)):
        if not 0 <= settings[name] <= most:
            fail(name, f"0 to {most}, not {settings[name]}")
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


def ready(given: argparse.Namespace, run: pathlib.Path) -> Job:
    """Model and games: as the newest checkpoint has them, or fresh ones."""
    config = runs.read_config(run)
    settings = config["settings"]
    ruleset = make_ruleset(config["game"], **config["config"])
    if config["version"] != ruleset.version:
        fail(
            "version",
            f"{run} is of version {config['version']} of {ruleset.name}, here is {ruleset.version}; train anew",
        )
    found = runs.checkpoints(run)
    env = BatchVecEnv(ruleset, settings["envs"], seed=settings["seed"], seat="all", skip_forced=True)
    counters: dict[str, Any] = {"seconds": 0.0, "curve": []}
    if found:
        model, counters = runs.resume_checkpoint(found[-1], env, given.device)
    else:
        model = new_model(ruleset, env, settings, given.device)
    if given.resume is not None:
        settings = {**settings, "steps": given.steps or settings["steps"]}
        again = [*config.get("resumed", []), runs.surroundings()]
        runs.write_json(run / "config.json", {**config, "settings": settings, "resumed": again})
    return Job(run, ruleset, settings, env, model, counters)


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
    console = Console(highlight=False)
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
    model, settings = job.model, job.settings
    console.print(f"[bold]{job.ruleset.name}[/bold], {job.ruleset.n_seats} players, all seats share one policy")
    n = sum(weights.numel() for weights in model.policy.parameters())
    console.print(
        f"{settings['steps']:,} decisions to learn from, {settings['envs']} games at once, {n:,} weights, "
        f"{torch.get_num_threads()} threads, seed {settings['seed']}",
        soft_wrap=True,
    )
    console.print(f"run folder: {job.run}", soft_wrap=True)
    console.print("stop with Ctrl-C, go on with --resume, watch with tensorboard --logdir")
    baselines = [
        evaluate.compiled_player(job.ruleset, player, settings["eval_games"], evaluate.CURVE_SEED)
        for player in ("random", "heuristic")
    ]
    tensorboard = TensorBoardOutputFormat(str(job.run / "tensorboard"))
    if model.num_timesteps:
        # What a killed process logged after its last checkpoint will be logged again.
        tensorboard.writer.close()
        tensorboard.writer = SummaryWriter(job.run / "tensorboard", purge_step=model.num_timesteps + 1)
    model.set_logger(Logger(str(job.run), [tensorboard]))
    watch = Watch(job, baselines, tensorboard.writer, console)
    with watch.progress, watch.handling_signals():
        watch.table_head()
        if model.num_timesteps < settings["steps"]:
            first = not job.counters["curve"]
            model.learn(settings["steps"] - model.num_timesteps, watch, reset_num_timesteps=first)
            if watch.left:
                console.print(f"stopped; go on with: python -m agents.train --resume {job.run}", soft_wrap=True)
                return 130
            watch.evaluate()
        watch.save()
    tensorboard.close()
    finish(job, console)
    return 0


class Watch(BaseCallback):
    """What happens between updates: progress bar, points of the learning curve, checkpoints, stopping.

    A rollout is about to begin: then the last update is complete and everything belongs together, so this is the
    moment for checkpoints. One that is asked to stop waits for it.
    """

    def __init__(
        self, job: Job, baselines: list[evaluate.Result], tensorboard: SummaryWriter, console: Console
    ) -> None:
        super().__init__()
        self.job = job
        self.baselines = baselines
        self.tensorboard = tensorboard
        self.stop = False
        self.left = False
        self._since = time.monotonic()
        self._saved = -math.inf
        # A terminal sees the bar move; into a file go the lines of the table only.
        self.progress = Progress(
            TextColumn("learning"),
            BarColumn(None),
            TaskProgressColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        self._bar = self.progress.add_task("", total=job.settings["steps"], completed=job.model.num_timesteps, said="")

    @property
    def seconds(self) -> float:
        """How long this run has been training, in all its processes."""
        return self.job.counters["seconds"] + time.monotonic() - self._since

    def _on_rollout_start(self) -> None:
        curve, settings = self.job.counters["curve"], self.job.settings
        between = settings["steps"] / settings["evals"]
        due = not curve or self.job.model.num_timesteps // between > curve[-1]["steps"] // between
        if due:
            self.evaluate()
        if due or self.stop or time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()
        self.left = self.stop

    def _on_step(self) -> bool:
        steps = self.job.model.num_timesteps
        self.progress.update(self._bar, completed=steps, said=self._said(steps))
        return not self.left

    def _said(self, steps: int) -> str:
        return f"{steps / 1e6:.2f} M decisions, {steps / max(1e-9, self.seconds):,.0f}/s"

    def save(self) -> None:
        """Write a checkpoint."""
        counters = {**self.job.counters, "seconds": self.seconds}
        runs.save_checkpoint(self.job.run, self.job.model, self.job.env, counters)
        self._saved = time.monotonic()

    def evaluate(self) -> None:
        """Add a point to the learning curve."""
        job = self.job
        steps = job.model.num_timesteps
        now = evaluate.trained_player(job.ruleset, job.model, job.settings["eval_games"], evaluate.CURVE_SEED)
        row: dict[str, Any] = {"steps": steps, "seconds": round(self.seconds, 1)}
        row |= {"measure": now.measure, "value": now.value, "low": now.low, "high": now.high}
        row |= {it.player: it.value for it in self.baselines} | now.figures
        logged = job.model.logger.name_to_value
        names = ("entropy_loss", "explained_variance", "approx_kl", "clip_fraction", "value_loss", "learning_rate")
        row |= {name: float(logged[f"train/{name}"]) for name in names if f"train/{name}" in logged}
        job.counters["curve"].append(row)
        runs.write(job.run / "progress.csv", csv_text(job.counters["curve"]))
        for name, value in {now.measure.replace(" ", "_"): now.value, **now.figures}.items():
            self.tensorboard.add_scalar(f"evaluation/{name}", value, steps)
        self.table_row(row)

    def table_head(self) -> None:
        """The table of evaluations, and what it has so far."""
        random, heuristic = self.baselines
        self.progress.console.print(
            f"\n{random.measure} in {random.games:,} games on the same deals: random {random.value:.3f}, "
            f"heuristic {heuristic.value:.3f}"
        )
        self.progress.console.print(
            "[bold]decisions   minutes   trained (95 %)             to random   to heuristic[/bold]"
        )
        for row in self.job.counters["curve"]:
            self.table_row(row)

    def table_row(self, row: dict[str, Any]) -> None:
        """A line of it."""
        random, heuristic = (row["value"] - it.value for it in self.baselines)
        interval = f"({row['low']:.3f} to {row['high']:.3f})"
        self.progress.console.print(
            f"{row['steps']:9,}   {row['seconds'] / 60:7.1f}   {row['value']:.3f} {interval}   {random:+9.3f}"
            f"   {heuristic:+12.3f}"
        )

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


def csv_text(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV, with all columns that occur in any."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


# -- The results ------------------------------------------------------------------------------------------------------


def finish(job: Job, console: Console) -> None:
    """Write model, table, learning curve and a game; results.json, which says that the run is done, comes last."""
    run = job.run
    with console.status("playing the games of the final table"):
        results = evaluate.final_table(job.ruleset, job.model, job.settings["test_games"])
    runs.save_model(run / "model.zip", job.model, job.ruleset)
    runs.write(run / "game.txt", game_text(job, evaluate.TEST_SEED))
    runs.write(run / "curve.png", curve_png(job, results))
    steps, minutes = job.model.num_timesteps, job.counters["curve"][-1]["seconds"] / 60
    title = f"{job.ruleset.name}, after {steps:,} decisions and {minutes:.1f} minutes of self-play"
    runs.write(run / "results.md", f"# {title}\n\n{evaluate.markdown(results)}\n{EXPLAINED}\n")
    players = [
        {**it._asdict(), "figures": {name: None if math.isnan(x) else x for name, x in it.figures.items()}}
        for it in results
    ]
    content = {"steps": steps, "of": job.settings["steps"], "minutes": round(minutes, 2), "results": players}
    runs.write_json(run / "results.json", content)
    console.print()
    console.print(evaluate.table(results, title))
    console.print(f"model, curve.png, game.txt (a game of the trained agents) and more: {run}", soft_wrap=True)


EXPLAINED = """A row is one player in all seats; the deals are the same in all rows. `trained` takes its likeliest
action, `trained, sampled` draws one from its probabilities. Intervals of win rates are Wilson's."""


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
        table = job.ruleset.text(game.rules, game.states, None).splitlines()
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
    policy: Any = job.model.policy
    seen, _ = policy.obs_to_tensor(game.look(game.seat)[None])
    with torch.no_grad():
        odds = policy.get_distribution(seen, mask).distribution.probs[0, ids].tolist()
        worth = policy.predict_values(seen).item()
    order = sorted(range(len(legal)), key=lambda k: -odds[k])
    said = ", ".join(f"{legal[k]} {odds[k]:.0%}" for k in order[:6])
    more = f", {len(legal) - 6} more" if len(legal) > 6 else ""
    return legal[order[0]], f"    ({said}{more}; expects {worth:.2f})"


COLOURS = {"random": "#7a7a7a", "heuristic": "#c2571a", "trained": "#1f5fa8"}


def curve_png(job: Job, results: Sequence[evaluate.Result]) -> bytes:
    """The learning curve with its 95 % band; random play and heuristic as lines. The numbers are the final table's."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    final = {it.player: it for it in results if it.player in COLOURS}
    trained, share = final["trained"], results[-1].measure == "win rate"
    curve = job.counters["curve"]
    unit, name = (1e6, "millions") if curve[-1]["steps"] >= 1e6 else (1e3, "thousands")
    steps = np.array([row["steps"] for row in curve]) / unit
    value, low, high = (np.array([row[name] for row in curve]) for name in ("value", "low", "high"))
    figure, axes = pyplot.subplots(figsize=(8, 4.5), dpi=150, layout="constrained")
    for player in ("random", "heuristic"):
        axes.axhline(final[player].value, color=COLOURS[player], linestyle=(0, (5, 3)), linewidth=1.3)
    axes.fill_between(steps, low, high, color=COLOURS["trained"], alpha=0.2, linewidth=0)
    axes.plot(steps, value, color=COLOURS["trained"], linewidth=2, marker="o", markersize=3.5)
    if share:
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlim(0, max(steps[-1], 1e-9))
    bottom, top = axes.get_ylim()
    at = bottom
    for it in sorted(final.values(), key=lambda it: it.value):
        at = max(it.value, at)  # no label on top of another
        said = f"{it.value:.1%}" if share else f"{it.value:.2f}"
        axes.text(
            1.015, (at - bottom) / (top - bottom), f"{it.player}\n{said}",
            color=COLOURS[it.player], fontweight="bold", va="center", transform=axes.transAxes,
        )  # fmt: skip
        at += 0.1 * (top - bottom)
    axes.set_xlabel(f"decisions learnt from, {name}")
    axes.set_ylabel(f"{trained.measure}, {job.settings['eval_games']:,} games a point")
    game = job.ruleset.name.replace("_", " ").capitalize()
    axes.set_title(
        f"{game}, {job.ruleset.n_seats} players, {curve[-1]['seconds'] / 60:.0f} minutes of self-play", loc="left"
    )
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    pyplot.close(figure)
    return file.getvalue()


if __name__ == "__main__":
    sys.exit(main())
