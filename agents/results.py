"""What a run leaves at its end: models, the final table, the picture of the learning curve, a game as text."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console

from agents import measures, runs
from agents.job import ALL, Job
from murder_envs.drivers.cursor import Cursor
from murder_envs.networks import files
from murder_envs.replay import Note, Replay


def named(policy: str, against: str) -> str:
    """A contest in words, where there are several."""
    if not against:
        return ""
    return f"{'one seat' if policy == ALL else policy} against {against} players: "


def finish(job: Job, console: Console) -> None:
    """Write models, table, learning curve and a game; results.json, which says that the run is done, comes last."""
    run = job.run
    with console.status("playing the games of the final table"):
        table = measures.final_table(job.judged, job.trained, job.settings.test_games)
    net, prior_weight = job.settings.net, job.settings.prior_weight
    for name, (model, seats) in job.models.items():
        runs.write(run / f"{name}.zip", files.policy_bytes(model.policy, job.ruleset, seats, net, prior_weight))
    replay = example(job, measures.TEST_SEED)
    replay.save(run / "game.jsonl")
    runs.write(run / "game.txt", game_text(replay))
    runs.write(run / "curve.png", curve_png(job, table))
    steps, minutes = job.steps, job.counters["curve"][-1]["seconds"] / 60
    title = f"{job.ruleset.name}, after {steps:,} decisions and {minutes:.1f} minutes of self-play"
    explained = EXPLAINED if table[0].against else EXPLAINED_TOGETHER
    runs.write(run / "results.md", f"# {title}\n\n{measures.markdown(table)}\n{explained}\n")
    rows = []
    for result in table:
        row = {name: value for name, value in result._asdict().items() if name != "wins"}
        rows.append({**row, "figures": {name: None if math.isnan(x) else x for name, x in result.figures.items()}})
    content = {"steps": steps, "of": job.settings.steps, "minutes": round(minutes, 2), "results": rows}
    runs.write_json(run / "results.json", content)
    console.print(f"\n{title}", soft_wrap=True)
    console.print(*measures.tables(table), sep="\n")
    console.print(
        f"models, curve.png, a game of the trained agents (game.txt, and game.jsonl as a replay): {run}",
        soft_wrap=True,
    )


EXPLAINED = """A row is one player in one seat, in each of those that the policy learnt in by turns, with players of the
kind named under `against` in all others; the deals are the same in all rows. `above heuristic` is how much more the
player wins than the heuristic in the same seats of the same deals, with the 95 % interval of these paired differences.
`trained` takes its likeliest action, `trained, sampled` draws one from its probabilities."""

EXPLAINED_TOGETHER = """A row is one player in all seats; the deals are the same in all rows. `trained` takes its
likeliest action, `trained, sampled` draws one from its probabilities."""


def example(job: Job, seed: int) -> Replay:
    """A game of the trained agents, with their reasons."""
    replay = Replay(job.ruleset, seed, players=tuple("trained" for _ in job.ruleset.agents))
    cursor = replay.begin()
    while not cursor.over:
        action, note = likeliest(job, cursor)
        if note:
            replay.notes[len(replay.actions)] = note
        replay.actions.append(job.ruleset.actions.names[action])
        cursor.act(action)
    return replay


def game_text(replay: Replay) -> str:
    """A game for people: before each choice what has changed on the table, seen from above."""
    ruleset = replay.ruleset
    lines = [
        f"A game of {ruleset.name} played by the trained agents. The table is seen from above; a line of it is",
        "shown again when it has changed. Beside a choice stand the probabilities that the agent gave to its options,",
        "and the return that it expected.",
        "",
    ]
    shown: set[str] = set()
    paid: list[float] = []
    for k, cursor in enumerate(replay.play()):
        picture = cursor.text(None).splitlines()
        lines += [f"    {line}".rstrip() for line in picture if line.strip() and line not in shown]
        shown = set(picture)
        if k < len(replay.actions):
            lines += ["", f"{ruleset.agents[cursor.seat]}: {replay.actions[k]}{reasons(replay.notes.get(k))}"]
        paid = cursor.outcome()[0]
    each = ", ".join(f"{agent} {value:g}" for agent, value in zip(ruleset.agents, paid))
    return "\n".join([*lines, "", f"returns: {each}", ""])


def reasons(note: Note | None) -> str:
    """The likeliest options and the expected return, as text."""
    if note is None:
        return ""
    options = ", ".join(f"{name} {chance:.0%}" for name, chance in [*note.policy.items()][:6])
    more = f", {len(note.policy) - 6} more" if len(note.policy) > 6 else ""
    return f"    ({options}{more}; expects {note.value:.2f})"


def likeliest(job: Job, cursor: Cursor) -> tuple[int, Note | None]:
    """The action that the model takes, and its reasons, the likeliest option first; none where there is no choice."""
    legal = cursor.legal()
    if len(legal) == 1:
        return legal[0], None
    mask = np.zeros((1, job.ruleset.actions.n), np.bool_)
    mask[0, legal] = True
    policy: Any = job.learner_of(cursor.seat).model.policy
    observations, _ = policy.obs_to_tensor(cursor.look(cursor.seat)[None])
    with torch.no_grad():
        chances = policy.get_distribution(observations, mask).distribution.probs[0, legal].tolist()
        value = policy.predict_values(observations).item()
    order = sorted(range(len(legal)), key=lambda k: -chances[k])
    names = job.ruleset.actions.names
    return legal[order[0]], Note(policy={names[legal[k]]: chances[k] for k in order}, value=value)


COLOURS = {"random": "#7a7a7a", "heuristic": "#c2571a", "trained": "#1f5fa8"}


def curve_png(job: Job, table: Sequence[measures.Result]) -> bytes:
    """The learning curve of each contest with its 95 % band; random play and heuristic in its place as lines."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    contests = list(dict.fromkeys((result.policy, result.against) for result in table))
    across = min(2, len(contests))
    down = -(-len(contests) // across)
    size = (8 if across == 1 else 12, 4.5 * down if across == 1 else 3.9 * down)
    figure, panels = pyplot.subplots(down, across, figsize=size, dpi=150, layout="constrained", squeeze=False)
    for axes, (policy, against) in zip(panels.flat, contests):
        curve = [row for row in job.counters["curve"] if (row["policy"], row["against"]) == (policy, against)]
        final = {result.player: result for result in table if (result.policy, result.against) == (policy, against)}
        panel(axes, curve, {name: final[name] for name in COLOURS})
        axes.set_ylabel(f"win rate, {job.settings.eval_games:,} games a point")
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
    players = sorted(final.values(), key=lambda result: result.value)
    for result, at in zip(players, spread([result.value for result in players], 0.11)):
        axes.text(
            1.015, at, f"{result.player}\n{result.value:.1%}",
            color=COLOURS[result.player], fontweight="bold", va="center", transform=axes.transAxes,
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
