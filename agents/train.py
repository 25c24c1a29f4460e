"""Train agents by self-play: MaskablePPO of sb3-contrib on many games at once.

    python -m agents.train                                  # There's Been A Murder, about 8 minutes on 2 cores
    python -m agents.train --steps 2_000_000 --players 3 --seed 1
    python -m agents.train --game murder_of_crows           # against itself, its past and the scripted player
    python -m agents.train --resume                         # the newest unfinished run goes on
    tensorboard --logdir runs                               # watch

Where all are paid alike one policy plays every seat. Elsewhere it learns in one seat a game and has opponents in the
others (`agents.opponents`), in some games after it has learnt from the scripted player (`agents.cloning`,
`agents.improvement`); a game with roles has a policy for each.

Everything ends up in one folder in runs/, see `agents.runs`. A run can be stopped at any time, by Ctrl-C or harder; it
goes on from its last checkpoint, and then ends as it would have without the interruption.

This file reads from top to bottom: command line, the run, what happens between updates. Settings are in
`agents.settings`, policies and games in `agents.job`, what is left at the end in `agents.results`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import pathlib
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.writer import SummaryWriter

from agents import checkpoints, measures, opponents, results, runs
from agents import settings as all_settings
from agents.cloning import clone
from agents.improvement import improve
from agents.job import ALL, Job, Learner, check_machine, choose_run, open_new, ready
from agents.measures import Contest
from murder_envs.networks.actor import Actor
from murder_envs.registry import GAMES

SAVE_SECONDS = 60
"""At most so much training is lost when a run is killed, and a round; but what comes before the first update begins
anew."""


# -- Command line -----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The options. Each is None unless typed, but for those with a default in their help that is not a setting's:
    `--resume` takes the rest from the run."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.train",
        usage="%(prog)s [options]",
        description=(__doc__ or "").rpartition("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    game = parser.add_argument_group("the game")
    game.add_argument("--game", metavar="NAME", help=f"one of {', '.join(GAMES)} (default: {next(iter(GAMES))})")
    game.add_argument("--config", metavar="NAME", help="one of its named configurations (default: default)")
    game.add_argument("--players", metavar="N", type=int, help="its num_players")
    game.add_argument("--set", action="append", metavar="NAME=VALUE", help="any other parameter of it; may be repeated")
    run = all_settings.add_options(parser)["run"]
    resume = "go on with this run; without a value with the newest unfinished one. With --steps: go on to that many"
    run.add_argument("--resume", nargs="?", const="", metavar="RUN", help=resume)
    folder = pathlib.Path("runs")
    run.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=folder, help="where runs go (default: runs)")
    run.add_argument("--threads", metavar="N", type=int, help="for the network (default: all cores)")
    run.add_argument("--device", default="cpu", help="cpu, cuda or auto (default: cpu; the network is small)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Train; returns the exit status: 0 done, 2 bad input, 130 stopped (to go on with --resume)."""
    console = Console(markup=False, highlight=False, emoji=False)  # no markup: a path may have a [ in it
    command_line = parser()
    options = command_line.parse_args(argv)
    # The library would check every distribution that it makes; masks are never all zero here.
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        with contextlib.ExitStack() as until_done:
            try:
                check_machine(options)
                run = open_new(options) if options.resume is None else choose_run(options)
                until_done.enter_context(runs.locked(run))
                with console.status("making ready (the first time, the game is compiled)"):
                    job = ready(options, run, functools.partial(console.print, soft_wrap=True))
            except ValueError as error:
                print(f"{command_line.prog}: error: {error}", file=sys.stderr)
                return 2
            return train(job, console)
    except OSError as error:
        print(
            f"{command_line.prog}: error: cannot write {error.filename or 'a file'} ({error.strerror})", file=sys.stderr
        )
        print("when there is room again, --resume goes on from the last checkpoint", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        console.print("stopped")
        return 130


# -- The run ----------------------------------------------------------------------------------------------------------


def train(job: Job, console: Console) -> int:
    """Learn, with points of the learning curve and checkpoints between updates; then the results. Returns the exit
    status."""
    introduce(job, console)
    watch = Watch(job, console)
    for learner in job.learners:
        learner.model.set_logger(Logger(str(job.run), [watch.logs[learner.name]]))
    with watch.progress, watch.handling_signals():
        if not job.counters["curve"]:
            pretrain(job, watch)
        watch.table_head()
        while job.steps < job.settings.steps:
            watch.between_rounds()
            if watch.stop:
                again = shlex.join(["python", "-m", "agents.train", "--resume", str(job.run)])
                console.print(f"stopped; go on with: {again}", soft_wrap=True)
                return 130
            learn_a_round(job, watch)
        if job.counters["curve"][-1]["steps"] < job.steps:
            watch.evaluate()
        watch.save()
    watch.close()
    results.finish(job, console)
    return 0


def introduce(job: Job, console: Console) -> None:
    """Print what is going to be trained."""
    settings, ruleset = job.settings, job.ruleset
    one = len(job.learners) == 1
    who = "all seats share one policy" if one else "a policy each for " + " and ".join(job.policies)
    console.print(f"{ruleset.name}, {ruleset.n_seats} players, {who}", style="bold")
    n = sum(weights.numel() for weights in job.learners[0].model.policy.parameters())
    console.print(
        f"{settings.steps:,} decisions to learn from, {settings.envs} games at once, {n:,} weights, "
        f"{torch.get_num_threads()} threads, seed {settings.seed}",
        soft_wrap=True,
    )
    if settings.opponents:
        shares = all_settings.as_text(settings.opponents)
        console.print(f"opponents: {shares}; reward in training: {settings.reward}")
    console.print(f"run folder: {job.run}", soft_wrap=True)
    console.print("stop with Ctrl-C, go on with --resume, watch with tensorboard --logdir")


def pretrain(job: Job, watch: Watch) -> None:
    """Let every policy learn from the scripted player, before it learns from its own games."""
    settings = job.settings
    stages = (
        ("behaviour cloning", clone, settings.cloning_decisions, "{:.0%} the same"),
        ("rollout policy improvement", improve, settings.improvement_positions, "{:+.3f} paid by another choice"),
    )
    for learner in job.learners:
        for stage, learn, decisions, form in stages:
            on_progress = functools.partial(watch.on_pretraining, learner.name, stage, form, decisions)
            learn(learner.model, job.ruleset, learner.seats, decisions, settings.seed, on_progress=on_progress)


def learn_a_round(job: Job, watch: Watch) -> None:
    """A batch of experience and an update for every policy."""
    settings = job.settings
    for learner in job.learners:
        schedule: Any = learner.model.learning_rate
        schedule.remaining = 1 - job.steps / settings.steps
        if learner.pool is not None:
            learner.pool.draw(job.past_of(learner.others.name), settings.seed, job.steps)
        learner.model.learn(settings.envs * settings.rollout, watch, reset_num_timesteps=False)


class Watch(BaseCallback):
    """What happens between rounds: progress bar, points of the learning curve, checkpoints.

    Between rounds every update is complete and everything belongs together, so that is the moment for checkpoints, and
    a run that is asked to stop waits for it.
    """

    def __init__(self, job: Job, console: Console) -> None:
        super().__init__()
        self.job = job
        games = job.settings.eval_games
        self.contests = measures.contests(job.judged, job.policies)
        self.baselines = {
            (contest, player): measures.measure(job.judged, contest, player, player, games, measures.CURVE_SEED)
            for contest in self.contests
            for player in ("random", "heuristic")
        }
        self.logs = {learner.name: self._log(learner) for learner in job.learners}
        self.stop = False
        self._since = time.monotonic()
        self._saved = -math.inf
        # A terminal sees the bar move; into a file go the lines of the table only.
        self.progress = Progress(
            TextColumn("{task.fields[stage]}"),
            BarColumn(None),
            TaskProgressColumn(),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        total, done = job.settings.steps, job.steps
        self._bar = self.progress.add_task("", total=total, completed=done, stage="learning", state="")

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
        between = settings.steps / settings.evals
        due = not curve or self.job.steps // between > curve[-1]["steps"] // between
        if due:
            self.evaluate()
            if settings.opponents:
                for learner in self.job.learners:
                    kept = opponents.keep(self.job.run, learner.name, learner.model)
                    self.job.counters["past"].setdefault(learner.name, []).append(kept)
        if due or self.stop or time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def _on_step(self) -> bool:
        steps = self.job.steps
        state = f"{steps / 1e6:.2f} M decisions, {steps / max(1e-9, self.seconds):,.0f}/s"
        self.progress.update(self._bar, completed=steps, stage="learning", state=state)
        return True

    def on_pretraining(self, policy: str, stage: str, form: str, total: int, done: int, figure: float) -> None:
        """Show how far a policy is with learning from the scripted player; `form` is for the stage's figure."""
        who = "" if policy == ALL else f" of the {policy}"
        state = f"{done / 1e6:.2f} M decisions of the scripted player, {form.format(figure)}"
        self.progress.update(self._bar, completed=0, stage=f"{stage}{who}", state=state)
        if self.stop:
            raise KeyboardInterrupt
        if done >= total:
            self.progress.console.print(f"{stage}{who}: {state}, after {self.seconds / 60:.1f} minutes")

    def save(self) -> None:
        """Write a checkpoint."""
        job = self.job
        counters = {**job.counters, "seconds": self.seconds}
        checkpoints.save(job.run, job.ruleset, job.settings, job.models, counters)
        self._saved = time.monotonic()

    def evaluate(self) -> None:
        """Add a point to the learning curve: for every policy a row for each of its contests."""
        for learner in self.job.learners:
            rows = [self.point(contest) for contest in self.contests if contest.policy == learner.name]
            self.job.counters["curve"] += rows
            self.table_rows(rows)
        runs.write(self.job.run / "progress.csv", runs.csv_text(self.job.counters["curve"]))

    def point(self, contest: Contest) -> dict[str, Any]:
        """How a policy does now, beside the baselines and what its last update logged."""
        job = self.job
        model = job.models[contest.policy][0]
        games, actor = job.settings.eval_games, Actor(model.policy)
        result = measures.measure(job.judged, contest, "trained", actor, games, measures.CURVE_SEED)
        row: dict[str, Any] = {"steps": job.steps, "seconds": round(self.seconds, 1)}
        row |= {"policy": contest.policy, "against": contest.against}
        row |= {"measure": result.measure, "value": result.value, "low": result.low, "high": result.high}
        row |= {player: self.baselines[contest, player].value for player in ("random", "heuristic")} | result.figures
        row |= logged_of(model)
        where = "evaluation" + (f"_against_{contest.against}" if contest.against else "")
        for name, value in {result.measure.replace(" ", "_"): result.value, **result.figures}.items():
            self.logs[contest.policy].writer.add_scalar(f"{where}/{name}", value, model.num_timesteps)
        return row

    def table_head(self) -> None:
        """The table of evaluations, and what it has so far: a line for each point and policy."""
        say = self.progress.console.print
        say(f"\nwin rate in {self.job.settings.eval_games:,} games, always on the same deals:")
        for contest in self.contests:
            random, heuristic = (self.baselines[contest, player].value for player in ("random", "heuristic"))
            say(f"  {results.named(contest.policy, contest.against)}random {random:.3f}, heuristic {heuristic:.3f}")
        of_a_policy = [contest for contest in self.contests if contest.policy == self.contests[0].policy]
        heads = [f"against {contest.against}" if contest.against else "trained (95 %)" for contest in of_a_policy]
        who = "" if len(self.job.learners) == 1 else "policy      "
        say(f"  decisions   minutes   {who}{''.join(f'{head:27}' for head in heads)}".rstrip(), style="bold")
        curve = self.job.counters["curve"]
        for k in range(0, len(curve), len(of_a_policy)):
            self.table_rows(curve[k : k + len(of_a_policy)])

    def table_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """A line of it: one point of one policy, in all its contests."""
        first = rows[0]
        who = "" if len(self.job.learners) == 1 else f"{first['policy']:12}"
        values = "".join(f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})     " for row in rows)
        line = f"{first['steps']:11,}   {first['seconds'] / 60:7.1f}   {who}{values}"
        self.progress.console.print(line.rstrip(), soft_wrap=True)

    @contextlib.contextmanager
    def handling_signals(self) -> Iterator[None]:
        """The first Ctrl-C (or SIGTERM) asks to stop after this update, the second stops at once."""

        def ask_to_stop(*_: Any) -> None:
            if self.stop:
                raise KeyboardInterrupt
            self.stop = True
            self.progress.console.print("stopping after this update; once more: stop at once")

        in_main = threading.current_thread() is threading.main_thread()  # only there may handlers be set
        before = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM) if in_main}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def logged_of(model: MaskablePPO) -> dict[str, float]:
    """What the last update of a model logged, as far as the learning curve has it."""
    names = ("entropy_loss", "explained_variance", "approx_kl", "clip_fraction", "value_loss", "learning_rate")
    logged = model.logger.name_to_value
    return {name: float(logged[f"train/{name}"]) for name in names if f"train/{name}" in logged}


if __name__ == "__main__":
    sys.exit(main())
