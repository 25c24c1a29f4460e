"""Training: a small run from end to end, stopping and going on, checkpoints that are never half written, bad input."""

from __future__ import annotations

import base64
import contextlib
import csv
import dataclasses
import errno
import functools
import io
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402

from agents import (  # noqa: E402
    cloning,
    evaluate,
    improvement,
    job,
    measures,
    opponents,
    players,
    results,
    runs,
    settings,
    train,
)
from agents.opponents import OpponentPool  # noqa: E402
from agents.settings import Settings  # noqa: E402
from murder_envs import registry  # noqa: E402
from murder_envs.api import aec  # noqa: E402
from murder_envs.api.sb3 import BatchVecEnv  # noqa: E402
from murder_envs.drivers import rollout, transcript  # noqa: E402
from murder_envs.drivers.batch import Batch  # noqa: E402
from murder_envs.drivers.prior import ScriptedPrior  # noqa: E402
from murder_envs.networks import agent, files  # noqa: E402
from murder_envs.networks import policy as networks_policy  # noqa: E402
from murder_envs.networks.actor import Actor  # noqa: E402
from murder_envs.networks.encoder import Encoder, features  # noqa: E402
from murder_envs.networks.residual import ResidualPolicy  # noqa: E402
from murder_envs.replay import Replay  # noqa: E402
from tests.support import ROOT  # noqa: E402

GAME = next(iter(registry.GAMES))
SMALLER = (
    "--envs", "16", "--rollout", "16", "--batch-size", "128", "--epochs", "2", "--net", "32,16",
    "--evals", "4", "--eval-games", "50", "--test-games", "100", "--threads", "1",
)  # fmt: skip
SMALL = ("--config", "tiny", *SMALLER)
STEPS = 16 * 16 * 8
"""Eight updates."""


def run_of(out: pathlib.Path) -> pathlib.Path:
    """The only run in a folder."""
    (run,) = out.iterdir()
    return run


def rows_of(run: pathlib.Path) -> list[dict[str, str]]:
    """The points of a learning curve, without the times."""
    rows = list(csv.DictReader(io.StringIO((run / "progress.csv").read_text(encoding="utf-8"))))
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def weights_of(path: pathlib.Path) -> dict[str, np.ndarray]:
    """The weights of a model or checkpoint."""
    return files.arrays_of(files.entries_of(path.read_bytes(), path)[files.WEIGHTS])


def same_run(one: pathlib.Path, other: pathlib.Path, model: str = "model.zip") -> None:
    """Two runs have ended alike, to the last bit."""
    assert rows_of(one) == rows_of(other)
    ours, theirs = weights_of(one / model), weights_of(other / model)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


def tags_of(run: pathlib.Path) -> list[int]:
    """The steps at which the TensorBoard log has the mean reward, rising.

    A run that was resumed within a second has two files of that second, which TensorBoard reads in the order of their
    process numbers as text.
    """
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(run / "tensorboard"))
    log.Reload()
    return sorted(event.step for event in log.Scalars("rollout/ep_rew_mean"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of a small run that went through."""
    out = tmp_path_factory.mktemp("finished")
    assert train.main([*SMALL, "--steps", str(STEPS), "--out", str(out)]) == 0
    return run_of(out)


# -- A run from end to end --------------------------------------------------------------------------------------------


def test_a_run_leaves_everything_in_its_folder(finished):
    content = json.loads((finished / "results.json").read_text())
    assert content["steps"] == STEPS
    players = {row["player"]: row for row in content["results"]}
    assert list(players) == ["random", "heuristic", "trained, sampled", "trained"]
    for row in players.values():
        assert row["games"] == 100 and row["low"] <= row["value"] <= row["high"]
    assert players["random"]["value"] < players["heuristic"]["value"]
    config = json.loads((finished / "config.json").read_text())
    assert config["settings"]["steps"] == STEPS and config["settings"]["net"] == [32, 16]
    assert config["seeds"]["training"] == 0 and "numba" in config["packages"]
    assert [int(row["steps"]) for row in rows_of(finished)] == [0, STEPS // 4, STEPS // 2, STEPS * 3 // 4, STEPS]
    assert (finished / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "returns: player_0" in (finished / "game.txt").read_text()
    replay = Replay.load(finished / "game.jsonl", GAME)
    assert replay.end().over and replay.notes and set(replay.players) == {"trained"}
    assert "| heuristic | " in (finished / "results.md").read_text()
    assert tags_of(finished) == [STEPS // 8 * k for k in range(1, 9)]
    assert len(runs.checkpoints(finished)) == runs.KEPT


def test_the_model_plays_as_it_did(finished):
    rows = json.loads((finished / "results.json").read_text())["results"]
    for path in (finished, finished / "model.zip"):
        ruleset, trained = runs.load_models(path)
        again = measures.final_table(measures.outcome(ruleset), trained, 100)
        assert [result.value for result in again] == [row["value"] for row in rows]


def test_evaluate_prints_the_table(finished, capsys):
    assert evaluate.main(["--run", str(finished), "--games", "50"]) == 0
    assert "heuristic" in capsys.readouterr().out


@pytest.mark.slow
def test_trained_agents_beat_random_play(tmp_path):
    arguments = ["--config", "tiny", "--steps", "60_000", "--envs", "64", "--rollout", "32", "--net", "64,64"]
    small = ["--evals", "2", "--eval-games", "500", "--test-games", "2_000", "--threads", "1"]
    assert train.main([*arguments, *small, "--batch-size", "512", "--out", str(tmp_path)]) == 0
    rows = json.loads((run_of(tmp_path) / "results.json").read_text())["results"]
    assert rows[-1]["low"] > rows[0]["high"]


class Crash(BaseException):
    """The power fails."""


def crash(*_: object) -> None:
    raise Crash


# -- Stopping and going on --------------------------------------------------------------------------------------------


def start(out: pathlib.Path, *more: str) -> subprocess.Popen[str]:
    """A small run in a process of its own."""
    command = [sys.executable, "-m", "agents.train", *SMALL, "--steps", str(STEPS), "--out", str(out), *more]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_checkpoint(out: pathlib.Path, process: subprocess.Popen[str]) -> None:
    """Until there is one from the middle of the run."""
    for _ in range(60_000):
        if any(not path.name.endswith("0" * 12 + ".zip") for path in out.glob("*/checkpoints/step-*.zip")):
            return
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.002)
    raise AssertionError("no checkpoint within two minutes")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on_and_ends_as_if_nothing_had_happened(finished, tmp_path, how):
    process = start(tmp_path)
    wait_for_checkpoint(tmp_path, process)
    process.send_signal(how)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), output
    run = run_of(tmp_path)
    assert not (run / "results.json").exists()
    assert train.main(["--resume", "--out", str(tmp_path), "--threads", "1"]) == 0
    same_run(finished, run)
    assert tags_of(run) == tags_of(finished)
    assert len(json.loads((run / "config.json").read_text())["resumed"]) == 1


def test_a_run_killed_before_its_first_checkpoint_begins_anew(finished, tmp_path, monkeypatch):
    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train, "train", killed)
        assert train.main([*SMALL, "--steps", str(STEPS), "--out", str(tmp_path)]) == 130
    assert train.main(["--resume", str(run_of(tmp_path)), "--threads", "1"]) == 0
    same_run(finished, run_of(tmp_path))


def test_a_finished_run_goes_on_to_more_steps(tmp_path, capsys):
    assert train.main([*SMALL, "--steps", "512", "--out", str(tmp_path)]) == 0
    run = str(run_of(tmp_path))
    assert train.main(["--resume", run]) == 2
    assert "is finished; name more --steps than its 512" in capsys.readouterr().err
    assert train.main(["--resume", "--out", str(tmp_path)]) == 2
    assert "no unfinished run" in capsys.readouterr().err
    assert train.main(["--resume", run, "--steps", "1_024", "--threads", "1"]) == 0
    assert json.loads((run_of(tmp_path) / "results.json").read_text())["steps"] == 1024
    assert [int(row["steps"]) for row in rows_of(run_of(tmp_path))] == [0, 256, 512, 768, 1024]


def test_one_process_at_a_time(tmp_path, finished, capsys):
    with runs.locked(finished):
        assert runs.is_locked(finished)
        assert train.main(["--resume", str(finished), "--steps", "10_000"]) == 2
    assert "another process is at work on " in capsys.readouterr().err
    assert not runs.is_locked(finished)


@pytest.mark.parametrize("other", registry.GAMES)
def test_a_run_with_pretraining_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch, other):
    """What was learnt from the scripted player, policies of the past and opponents' draws are all put back."""
    arguments = ["--game", other, *SMALLER, "--cloning-decisions", "500", "--improvement-positions", "200"]
    arguments += ["--steps", str(STEPS)]
    assert train.main([*arguments, "--out", str(tmp_path / "one")]) == 0
    one = run_of(tmp_path / "one")
    rows = json.loads((one / "results.json").read_text())["results"]
    if other != GAME:
        assert {row["against"] for row in rows} == {"random", "heuristic"}
        assert len(list((one / "past").iterdir())) == 4 * len({row["policy"] for row in rows})
        assert all(row["gain"][0] == 0 for row in rows if row["player"] == "heuristic")
    real = train.learn_a_round
    for when in (0,) if other == GAME else (0, STEPS * 3 // 4):  # after the pretraining; among policies of the past

        def crash_in_the_middle(job: job.Job, watch: train.Watch, when: int = when) -> None:
            if job.steps >= when:
                raise Crash
            real(job, watch)

        with monkeypatch.context() as patch:
            patch.setattr(train, "learn_a_round", crash_in_the_middle)
            with pytest.raises(Crash):
                train.main([*arguments, "--out", str(tmp_path / f"from {when}")])
        run = run_of(tmp_path / f"from {when}")
        assert train.main(["--resume", str(run), "--threads", "1"]) == 0
        for path in one.glob("*.zip"):
            same_run(one, run, path.name)
        ruleset, trained = runs.load_models(run)
        again = measures.final_table(measures.outcome(ruleset), trained, 100)
        assert [result.value for result in again] == [row["value"] for row in rows]


# -- Never half written -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_crash_while_writing_leaves_the_old_file(tmp_path, monkeypatch, call):
    path = tmp_path / "file"
    runs.write(path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, crash)
        with pytest.raises(Crash):
            runs.write(path, "new")
    assert path.read_text() == "old"
    runs.write(path, "new")
    assert path.read_text() == "new"


def test_a_crash_while_a_checkpoint_is_written_costs_only_that_one(finished, tmp_path, monkeypatch):
    real = os.replace

    def replace(half: object, path: pathlib.Path) -> None:
        if path.name == f"step-{STEPS // 2:012d}.zip":
            raise Crash
        real(half, path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(Crash):
            train.main([*SMALL, "--steps", str(STEPS), "--out", str(tmp_path)])
    run = run_of(tmp_path)
    assert [path.name for path in runs.checkpoints(run)][-1] == f"step-{STEPS // 4:012d}.zip"
    assert list((run / "checkpoints").glob("*.part")), "the half written one"
    assert train.main(["--resume", str(run), "--threads", "1"]) == 0
    same_run(finished, run)
    assert not list(run.rglob("*.part"))


@pytest.mark.parametrize("calls", [1, 5, 8])
def test_a_full_disk_is_told_and_leaves_no_partial_file(finished, tmp_path, monkeypatch, capsys, calls):
    """A run that had begun goes on when there is room again."""
    real, so_far = os.fsync, iter(range(1000))

    def fsync(file: int) -> None:
        if next(so_far) >= 2 * (calls - 1):  # two calls a file: it, and its folder
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        status = train.main([*SMALL, "--steps", str(STEPS), "--out", str(tmp_path)])
    assert not list(tmp_path.rglob("*.part"))
    error = capsys.readouterr().err
    assert "No space left on device" in error and "Traceback" not in error and str(tmp_path) in error
    if calls == 1:
        assert status == 2 and not list(tmp_path.iterdir())
        return
    assert status == 1
    assert train.main(["--resume", str(run_of(tmp_path))]) == 0
    same_run(finished, run_of(tmp_path))


def test_a_run_in_a_folder_with_signs_in_its_name(finished, tmp_path, capsys):
    """Those that mean something to the console or to names of agents."""
    out = tmp_path / "a=b@sampled [bold]c[/red] :smile: #d"
    arguments = [*SMALL, "--steps", "512", "--eval-games", "8", "--test-games", "8"]
    assert train.main([*arguments, "--out", str(out)]) == 0
    run = run_of(out)
    assert f"run folder: {run}\n" in capsys.readouterr().out
    for how in (["--resume", str(run), "--steps", "768"], ["--resume", "--out", str(out), "--steps", "1024"]):
        (run / "results.json").unlink()
        assert train.main(how) == 0
    assert evaluate.main(["--run", str(run), "--games", "8"]) == 0
    assert str(run) in capsys.readouterr().out
    agents = [str(run), f"{run}@sampled", f"mine={run}", f"drawn={run / 'model.zip'}@sampled"]
    matrix = ["--game", GAME, "--config", "tiny", "--deals", "2", "--processes", "1", "--out", str(out / "[i]e")]
    assert evaluate.main([*matrix, "--agents", *agents]) == 0
    (table,) = (out / "[i]e").rglob("matrix.csv")
    names = {row["row"] for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert names == {run.name, f"{run.name}@sampled", "mine", "drawn"}
    assert str(table.parent) in capsys.readouterr().out


# -- Bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "cluedo"], "game: one of "),
        (["--config", "hard"], "config: one of default, "),
        (["--players", "99"], "num_players: "),
        (["--set", "colour=red"], "colour: "),
        (["--set", "level"], "set: NAME=VALUE, not 'level'"),
        (["--steps", "0"], "steps: 1 to 1000000000000, not 0"),
        (["--seed", "-1"], "seed: 0 to 4294967295, not -1"),
        (["--opponents", "self=4,then=1"], "opponents: any of self, past, heuristic, random, not 'then'"),
        (["--opponents", "self"], "opponents: shares like self=4"),
        (["--opponents", "self=0"], "opponents: at least one share above 0"),
        (["--opponents", "past=65"], "opponents: 0 to 64 for past, not 65"),
        (["--cloning-decisions", "-1"], "cloning_decisions: 0 to "),
        (["--improvement-positions", "-1"], "improvement_positions: 0 to "),
        (["--prior-weight", "-1"], "prior_weight: 0 to "),
        (["--one-hot", "events"], "one_hot: blocks and numbers of rows like events=8, not 'events'"),
        (["--agreement", "claims"], "agreement: two blocks like claims,traits, not 'claims'"),
        (["--lookup", "a=b,c=d"], "lookup: one block and the blocks to read"),
        (["--reward", "much"], "reward: "),
        (["--net", "wide"], "net: widths of layers like 256,128, not 'wide'"),
        (["--gamma", "1.5"], "gamma: 0 to 1, not 1.5"),
        (["--threads", "0"], "threads: 1 to "),
        (["--device", "abacus"], "device: "),
        (["--resume"], "resume: no unfinished run in "),
        (["--resume", "nowhere"], "run: nowhere is no run folder"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(tmp_path, capsys, arguments, named):
    out = tmp_path / "runs"
    assert train.main([*arguments, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert f"error: {named}" in error and "Traceback" not in error
    assert not out.exists()


def test_what_is_no_number_is_refused_by_the_parser(capsys):
    with pytest.raises(SystemExit) as stopped:
        train.main(["--steps", "many"])
    assert stopped.value.code == 2
    assert "argument --steps: invalid int value: 'many'" in capsys.readouterr().err


def test_an_unwritable_run_folder(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert train.main([*SMALL, "--out", str(tmp_path / "file" / "runs")]) == 2
    assert "out: cannot write to " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def changed(path: pathlib.Path, **facts: object) -> None:
    """Let a model or checkpoint say something else of itself."""
    entries = files.entries_of(path.read_bytes(), path)
    entries[files.FACTS] = json.dumps({**json.loads(entries[files.FACTS]), **facts}).encode()
    path.write_bytes(files.archive(entries))


@pytest.fixture
def unfinished(finished, tmp_path) -> pathlib.Path:
    """A copy of the finished run without its results: one that can go on."""
    return pathlib.Path(
        shutil.copytree(finished, tmp_path / "run", ignore=shutil.ignore_patterns("results.json", "model.zip"))
    )


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"game": "cluedo"}, "is of 'cluedo', which is not here"),
        ({"game": next(name for name in registry.GAMES if name != GAME)}, f", not on {GAME}"),
        ({"version": 0}, f"was trained on version 0 of {GAME}, here is version"),
        ({"config": {}}, "config: "),
        ({"actions": 3}, "actions: "),
        ({"format": 0}, "has format 0, this program reads"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(unfinished, capsys, facts, named):
    path = runs.checkpoints(unfinished)[-1]
    changed(path, **facts)
    before = {file: file.read_bytes() for file in unfinished.rglob("*.*") if file.is_file()}
    assert train.main(["--resume", str(unfinished)]) == 2
    error = capsys.readouterr().err
    assert named in error and str(path) in error
    assert before == {file: file.read_bytes() for file in unfinished.rglob("*.*") if file in before}


def flip_a_bit(path: pathlib.Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 8
    path.write_bytes(content)


def cut(path: pathlib.Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def put_zeros(path: pathlib.Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def empty(path: pathlib.Path) -> None:
    path.write_bytes(b"")


def put_other_weights(path: pathlib.Path) -> None:
    entries = files.entries_of(path.read_bytes(), path)
    inner = files.entries_of(entries["model.zip"], path)
    weights = {name: array[..., :1] for name, array in files.arrays_of(inner[files.WEIGHTS]).items()}
    inner[files.WEIGHTS] = files.arrays_bytes(weights)
    path.write_bytes(files.archive({**entries, "model.zip": files.archive(inner)}))


@pytest.mark.parametrize("damage", [flip_a_bit, cut, put_zeros, empty, put_other_weights])
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_serves(finished, unfinished, capsys, damage):
    path = runs.checkpoints(unfinished)[-1]
    damage(path)
    assert train.main(["--resume", str(unfinished)]) == 0
    said = capsys.readouterr().out.replace("\n", " ")
    assert str(path) in said and "going on from the checkpoint before it" in said
    same_run(finished, unfinished)


def test_foreign_files_among_the_checkpoints_are_let_alone(finished, unfinished):
    folder = unfinished / "checkpoints"
    foreign = [folder / name for name in ("notes.txt", "step-many.zip", "step-000000009999.zip.old", "other.part")]
    for path in foreign:
        path.write_text("mine")
    (folder / "step-000000009999.zip").mkdir()
    assert train.main(["--resume", str(unfinished)]) == 0
    assert all(path.read_text() == "mine" for path in foreign)
    same_run(finished, unfinished)


def test_without_a_readable_checkpoint_a_run_stays_as_it_is(unfinished, capsys):
    for path in runs.checkpoints(unfinished):
        cut(path)
    config = (unfinished / "config.json").read_bytes()
    assert train.main(["--resume", str(unfinished)]) == 2
    assert f"error: checkpoint: none in {unfinished} can be read; start a new run" in capsys.readouterr().err
    assert (unfinished / "config.json").read_bytes() == config


def test_a_flipped_bit_is_noticed_or_does_no_harm(finished):
    path = finished / "model.zip"
    content, weights = path.read_bytes(), weights_of(path)
    for at in np.random.default_rng(1).integers(len(content), size=100):
        flipped = bytearray(content)
        flipped[at] ^= 1 << int(at) % 8
        try:
            policy = files.read_policy(bytes(flipped), path).policy
        except ValueError as error:
            assert str(path) in str(error)
            continue
        for name, array in networks_policy.weights_of(policy).items():
            np.testing.assert_array_equal(array, weights[name], err_msg=f"byte {at}")


def test_lost_policies_of_the_past_are_named(tmp_path, capsys):
    """The checkpoint before them serves, if it needs none of those that are lost."""
    every = {name: settings.of_game(name) for name in registry.GAMES}
    other = next(name for name, own in every.items() if "past" in own.opponents and not own.roles)
    few = ["--cloning-decisions", "0", "--improvement-positions", "0", "--prior-weight", "0", "--net", "8,8"]
    arguments = ["--game", other, *SMALLER, *few, "--evals", "2", "--eval-games", "8", "--test-games", "8"]
    assert train.main([*arguments, "--steps", "768", "--out", str(tmp_path)]) == 0
    run = run_of(tmp_path)
    before = weights_of(run / "model.zip")
    newest = sorted((run / "past").iterdir())[-1]
    flip_a_bit(newest)
    assert train.main(["--resume", str(run), "--steps", "768"]) == 0
    assert f"{newest} is damaged, a policy of the past" in capsys.readouterr().out
    for name, array in weights_of(run / "model.zip").items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    shutil.rmtree(run / "past")
    assert train.main(["--resume", str(run), "--steps", "1024"]) == 2
    told = capsys.readouterr()
    assert "is missing, a policy of the past" in told.out and f"none in {run} can be read" in told.err


def test_resuming_keeps_game_and_settings(unfinished, capsys, monkeypatch):
    monkeypatch.setitem(registry.GAMES, "other_game", registry.GAMES[GAME])
    for arguments, named in (
        (["--game", "other_game"], f"is of {GAME}, not of 'other_game'"),
        (["--seed", "5"], "seed: "),
        (["--net", "8"], "net: "),
        (["--players", "4"], "num_players: "),
        (["--set", "level=3"], "level: "),
        (["--config", "default"], "num_players: "),
        (["--threads", "2"], "threads: "),
        (["--steps", "100"], "steps: "),
    ):
        assert train.main(["--resume", str(unfinished), *arguments]) == 2
        assert named in capsys.readouterr().err


def test_options_equal_to_those_of_the_run_are_no_conflict(finished, unfinished):
    ours = json.loads((unfinished / "config.json").read_text())["config"]
    options = ["--game", GAME, "--config", "tiny", "--players", str(ours["num_players"]), "--threads", "1"]
    options += ["--set", f"level={ours['level']}"] if "level" in ours else []
    assert train.main(["--resume", str(unfinished), *options, "--steps", str(STEPS), "--seed", "0"]) == 0
    same_run(finished, unfinished)


def test_the_threads_are_part_of_a_run(unfinished, capsys):
    before = torch.get_num_threads()
    path = unfinished / "config.json"
    content = json.loads(path.read_text())
    try:
        path.write_text(json.dumps({**content, "threads": 3}))
        assert train.main(["--resume", str(unfinished)]) == 0
        assert torch.get_num_threads() == 3 and ", 3 threads, " in capsys.readouterr().out
    finally:
        torch.set_num_threads(before)
    for threads in (0, "all", None, 1.5):
        path.write_text(json.dumps({**content, "threads": threads}))
        assert train.main(["--resume", str(unfinished)]) == 2
        error = capsys.readouterr().err
        assert "error: threads: " in error and str(path) in error


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"rollout": -1}, "rollout: 2 to 65536, not -1 (in "),
        ({"evals": 0}, "evals: 1 to 10000, not 0 (in "),
        ({"net": "wide"}, "net: widths of layers"),
        ({"roles": 1}, "roles: True or False, not 1"),
        ({"opponents": {"nobody": 1}}, "opponents: any of self, past, heuristic, random, not 'nobody'"),
        ({"colour": "red"}, "colour: unknown setting"),
        ({"gamma": None}, "gamma: 0 to 1, not None"),
    ],
    ids=str,
)
def test_a_run_s_settings_are_checked_when_they_are_read(unfinished, capsys, changes, named):
    path = unfinished / "config.json"
    content = json.loads(path.read_text())
    content["settings"] |= changes
    path.write_text(json.dumps(content))
    assert train.main(["--resume", str(unfinished)]) == 2
    error = capsys.readouterr().err
    assert f"error: {named}" in error and str(path) in error


def test_an_older_run_is_refused(unfinished, capsys):
    path = unfinished / "config.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "format": 2}))
    with pytest.raises(ValueError, match=f"^run: {unfinished} has format 2, this program reads {files.FORMAT}"):
        runs.load_models(unfinished)
    del content["settings"]["steps"]
    path.write_text(json.dumps(content))
    assert train.main(["--resume", str(unfinished)]) == 2
    assert "error: steps: the setting is missing (in " in capsys.readouterr().err


def test_evaluating_what_is_no_run_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(["--run", str(tmp_path)])
    assert stopped.value.code == 2
    assert "is no run folder" in capsys.readouterr().err


# -- What files of strangers can do -----------------------------------------------------------------------------------


class Evil:
    """Whoever unpickles it makes a file."""

    def __init__(self, trace: pathlib.Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return open, (str(self.trace), "w")


def poisoned(content: bytes, evil: Evil) -> Iterator[bytes]:
    """The file with each of its entries replaced: by a pickle, by an array of objects, by a file of torch."""
    objects, of_torch = io.BytesIO(), io.BytesIO()
    np.savez(objects, **{"features_extractor.columns": np.array([evil], object)})
    torch.save({"policy": evil}, of_torch)
    entries = files.entries_of(content, "")
    for name, inner in entries.items():
        for poison in (pickle.dumps(evil), objects.getvalue(), of_torch.getvalue()):
            yield files.archive({**entries, name: poison})
        if name.endswith(".zip"):
            yield from (files.archive({**entries, name: deeper}) for deeper in poisoned(inner, evil))


def library_s_own(evil: Evil) -> bytes:
    """A model as stable-baselines3 saves it, which unpickles it when it is loaded."""
    serialized = base64.b64encode(pickle.dumps(evil)).decode()
    return files.archive({"data": json.dumps({"policy_class": {":type:": "", ":serialized:": serialized}}).encode()})


def test_reading_a_model_or_a_checkpoint_executes_nothing(finished, tmp_path, capsys):
    evil = Evil(tmp_path / "trace")
    of_library = library_s_own(evil)
    with pytest.raises(KeyError):  # of what else is missing, after it was unpickled
        MaskablePPO.load(io.BytesIO(of_library))
    assert evil.trace.exists(), "the poison works"
    evil.trace.unlink()
    path = tmp_path / "file.zip"
    ruleset, _ = runs.load_models(finished)
    contents = [pickle.dumps(evil), of_library]
    for good in (finished / "model.zip", runs.checkpoints(finished)[-1]):
        contents += poisoned(good.read_bytes(), evil)
    assert len(contents) > 20
    refused = 0
    for content in contents:
        path.write_bytes(content)
        for read in (runs.load_models, files.load, lambda path: players.make_player(str(path), ruleset)):
            with contextlib.suppress(ValueError):  # what is beside the policies is for resuming only
                read(path)
                refused -= 1
            refused += 1
    assert refused > 2 * len(contents)
    path.write_bytes(of_library)
    with pytest.raises(SystemExit):
        evaluate.main(["--run", str(path)])
    assert "is a file of stable-baselines3, which holds pickled objects" in capsys.readouterr().err
    assert not evil.trace.exists()


def test_resuming_executes_nothing(unfinished, tmp_path, monkeypatch):
    once = features(runs.load_models(unfinished)[0], {}, games=2048, rounds=100)
    monkeypatch.setattr(job, "features", lambda *_: once)  # which takes a second
    evil = Evil(tmp_path / "trace")
    newest = runs.checkpoints(unfinished)[-1]
    contents = list(poisoned(newest.read_bytes(), evil))
    for path in runs.checkpoints(unfinished):
        path.unlink()
    refused, options = 0, train.parser().parse_args(["--resume", str(unfinished)])
    for content in contents:
        newest.write_bytes(content)
        try:
            job.ready(options, unfinished, lambda _: None)
        except ValueError:
            refused += 1
    assert refused >= len(contents) - 3, "what a policy in a checkpoint says of itself is not looked at"
    past = tmp_path / "past.npz"
    for content in (pickle.dumps(evil), next(poisoned(files.archive({"a.npy": b""}), evil))):
        past.write_bytes(content)
        with pytest.raises(files.DamagedFile, match="past.npz is damaged"):
            opponents.weights_of_past(past)
    assert not evil.trace.exists()


# -- Where a policy is loaded -----------------------------------------------------------------------------------------

ALONE = """
import sys
sys.modules["agents"] = None  # as where the package alone is installed
from murder_envs.api import aec
from murder_envs.networks.agent import TrainedAgent
from murder_envs.networks.files import load

player = TrainedAgent(sys.argv[1])
env = aec.env(player.ruleset.name, **player.ruleset.config)
env.reset(seed=3)
taken = []
while env.agents:
    if env.unwrapped.legal_actions():
        taken.append(player.act(env))
        env.step(taken[-1])
    else:
        env.step(None)
print(taken)
policy = load(sys.argv[1]).policy
env.reset(seed=3)
view = env.observe(env.agent_selection)
print(policy.predict(view["observation"], action_masks=view["action_mask"], deterministic=True)[0])
"""


def test_a_trained_policy_needs_the_package_alone(finished):
    command = [sys.executable, "-c", ALONE, str(finished / "model.zip")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    taken, first = map(json.loads, done.stdout.splitlines())
    ruleset, trained = runs.load_models(finished)
    game, actor = transcript.Game(ruleset, 3), Actor(trained["model"].policy)
    for action in taken:
        row, mask = game.look(game.seat)[None], np.zeros((1, ruleset.actions.n), np.int8)
        mask[0, [ruleset.actions.id(name) for name in game.legal()]] = 1
        assert actor(row, mask)[0] == action
        game.act(ruleset.actions.names[action])
    assert game.over and first == taken[0]


def test_a_model_of_another_table_is_refused(finished):
    path = finished / "model.zip"
    ruleset, _ = runs.load_models(finished)
    player = agent.TrainedAgent(path)
    others = [name for name in registry.GAMES if name != GAME]
    tables: list[tuple] = [(GAME, {}, "num_players: ", "'num_players': 3", "'num_players': 4")]
    tables += [(name, {}, "game: ", GAME, name) for name in others]
    for name, config, field, *both in tables:
        env = aec.env(name, **config)
        env.reset(seed=1)
        with pytest.raises(ValueError, match=f"^{field}{path} was trained ") as refused_there:
            player.act(env)
        with pytest.raises(ValueError, match=f"^{field}{path} was trained ") as refused_here:
            players.make_player(str(path), registry.make_ruleset(name, **config))
        assert all(each in str(refused.value) for each in both for refused in (refused_there, refused_here))
    env = aec.env(GAME, **ruleset.config)
    env.reset(seed=1)
    assert player.act(env) in env.unwrapped.legal_actions()


def test_evaluation_of_a_run_takes_no_other_table(finished, capsys):
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(["--run", str(finished), "--players", "4"])
    assert stopped.value.code == 2 and f"players: {finished} has its own" in capsys.readouterr().err


# -- Settings ---------------------------------------------------------------------------------------------------------


def test_settings_go_to_a_file_and_to_a_command_line_and_back(game):
    ours = settings.of_game(game)
    assert settings.from_json(json.loads(json.dumps(ours.as_json()))) == ours
    for name in settings.NAMES:
        value = getattr(ours, name)
        if isinstance(value, (dict, tuple)):
            assert getattr(Settings(**{name: settings.as_text(value)}), name) == value
    options = train.parser().parse_args(["--net", "8", "--no-roles", "--opponents", "none"])
    assert settings.typed(options) == {"net": "8", "roles": False, "opponents": "none"}
    changed = dataclasses.replace(ours, **settings.typed(options))
    assert (changed.net, changed.roles, changed.opponents) == ((8,), False, {})


def test_settings_of_a_game_fit_its_observation(game):
    ours = settings.of_game(game)
    arguments = features(registry.make_ruleset(game), ours.one_hot, ours.lookup, ours.agreement, games=8, rounds=4)
    assert (arguments["lookup"] is None) == (not ours.lookup)
    assert (arguments["agreement"] is None) == (not ours.agreement)


def test_a_game_without_settings_of_its_own_has_the_defaults(tmp_path):
    assert {path.stem for path in settings.FOLDER.glob("*.toml")} <= set(registry.GAMES)
    assert settings.of_game(GAME, tmp_path) == Settings()
    (tmp_path / f"{GAME}.toml").write_text("rollout = -1")
    with pytest.raises(ValueError, match="^rollout: 2 to "):
        settings.of_game(GAME, tmp_path)


# -- Parts ------------------------------------------------------------------------------------------------------------


def test_evaluation_leaves_the_random_numbers_of_a_training_alone(finished):
    ruleset, trained = runs.load_models(finished)
    before = torch.get_rng_state(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    measures.final_table(ruleset, trained, 20)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == pickle.dumps(np.random.get_state())  # noqa: NPY002


def test_features_leave_out_what_never_changes(game):
    ruleset = registry.make_ruleset(game)
    plain = features(ruleset, {}, games=256, rounds=50)
    assert 0 < len(plain["columns"]) < ruleset.observation.size
    assert (plain["scales"] >= 1).all() and not len(plain["is_columns"])
    name = next(block.name for block in ruleset.observation.values() if len(block.shape) == 2)
    named = features(ruleset, {name: 1}, games=256, rounds=50)
    block = ruleset.observation[name].slice
    assert not ((named["columns"] >= block.start) & (named["columns"] < block.stop)).any()
    assert ((named["is_columns"] >= block.start) & (named["is_columns"] < block.start + block.stop)).all()


def test_demonstrations_are_whole_games_and_of_the_wanted_seats(game):
    ruleset = registry.make_ruleset(game)
    rows, masks, actions, paid = cloning.demonstrations(ruleset, [1], seed=3)
    assert len(rows) == len(masks) == len(actions) == len(paid) > 0
    assert (masks[np.arange(len(actions)), actions] == 1).all() and (masks.sum(1) > 1).all()
    low, high = ruleset.observation.bounds()
    assert (rows >= low).all() and (rows <= high).all()
    games = rollout.play(ruleset, "heuristic", cloning.GAMES_AT_ONCE, seed=3)
    assert set(np.unique(paid)) <= set(np.unique(games.returns[:, 1].astype(np.float32)))


def test_what_is_tried_out_begins_with_the_heuristics_choice(game):
    ruleset = registry.make_ruleset(game)
    seats = [ruleset.n_seats - 1]
    rows, masks, actions, paid = improvement.tried_actions(ruleset, seats, seed=3, horizon=10, tries=3)
    assert len(rows) == len(masks) == len(actions) == len(paid) > 0 and actions.shape[1] == paid.shape[1] == 3
    n_tried = len(rows) // 2
    for mask, entries, returns in zip(masks[:n_tried], actions, paid):
        tried = entries[entries >= 0]
        assert len(tried) == len(set(tried)) == min(3, mask.sum()) and mask[tried].all()
        assert len(set(returns[: len(tried)])) > 1 and not returns[len(tried) :].any()
    assert (actions[n_tried:, 1:] == -1).all() and masks[np.arange(len(rows)), actions[:, 0]].all()
    equal = ScriptedPrior(ruleset)(rows, masks) == actions[:, 0]
    assert equal.mean() > 0.5  # elsewhere the scripted player draws lots
    again = improvement.tried_actions(ruleset, seats, seed=3, horizon=10, tries=3)
    assert all((one == other).all() for one, other in zip((rows, masks, actions, paid), again))


def small_model(ruleset, **changes):
    """An untrained model of a game with opponents."""
    env = BatchVecEnv(ruleset, 8, seed=0, seat="random", opponents="heuristic", skip_forced=True)
    torch.manual_seed(0)
    return job.new_model(ruleset, env, Settings(net=(32, 16), **changes), "cpu")


def course(ruleset, learn, decisions, **changes) -> list[float]:
    """The figures that are reported while a small network learns from the scripted player."""
    figures: list[float] = []
    model = small_model(ruleset, **changes)
    learn(model, ruleset, range(ruleset.n_seats), decisions, 5, on_progress=lambda _, figure: figures.append(figure))
    return figures


def test_a_cloned_policy_agrees_more_and_more(game, monkeypatch):
    """In games that were not seen before."""
    monkeypatch.setattr(cloning, "GAMES_AT_ONCE", 64)
    figures = course(registry.make_ruleset(game), cloning.clone, 20_000)
    assert len(figures) > 1 and figures[-1] > figures[0]


def test_trying_out_leads_to_what_is_paid_more(game, monkeypatch):
    """In the same positions again and again; a single game says little of new ones."""
    ruleset = registry.make_ruleset(game)
    monkeypatch.setattr(improvement, "GAMES_AT_ONCE", 64)
    once = improvement.tried_actions(ruleset, range(ruleset.n_seats), 5)
    monkeypatch.setattr(improvement, "tried_actions", lambda *_: once)
    learn = functools.partial(improvement.improve, batch_size=32, rate=3e-3)
    figures = course(ruleset, learn, 20_000, prior_weight=1.0)
    assert figures[-1] > max(0, figures[0])


def test_a_residual_policy_begins_as_the_scripted_player(game, tmp_path):
    ruleset = registry.make_ruleset(game)
    model = small_model(ruleset, prior_weight=50.0)
    assert isinstance(model.policy, ResidualPolicy)
    batch = Batch(ruleset, 32, 5, skip_forced=True)
    batch.reset()
    for _ in range(5):
        batch.step(batch.choose("random"))
    rows, masks = batch.observations.copy(), batch.masks.copy()
    scripted = ScriptedPrior(ruleset)(rows, masks)
    assert (Actor(model.policy)(rows, masks) == scripted).all()
    model.learn(8 * 64)
    model.save(tmp_path / "model.zip")
    again = type(model).load(tmp_path / "model.zip")
    assert (again.predict(rows, deterministic=True, action_masks=masks)[0] == Actor(model.policy)(rows, masks)).all()
    with torch.no_grad():
        tensors = torch.as_tensor(rows), torch.as_tensor(scripted), torch.as_tensor(masks)
        scores = again.policy.get_distribution(tensors[0], masks).distribution.logits[np.arange(32), scripted]
        torch.testing.assert_close(model.policy.evaluate_actions(*tensors)[1], scores)


def test_a_residual_policy_asks_for_masks(game):
    model = small_model(registry.make_ruleset(game), prior_weight=1.0)
    with pytest.raises(ValueError, match="action_masks: "):
        model.predict(model.env.reset())


def test_seats_without_decisions_are_refused():
    ruleset = registry.make_ruleset(GAME)
    for learn in (cloning.clone, improvement.improve):
        with pytest.raises(ValueError, match="seats: "):
            learn(small_model(ruleset), ruleset, [], 10, 5)
    with pytest.raises(ValueError, match="tries: "):
        improvement.tried_actions(ruleset, [0], 5, tries=1)


def test_shares_of_opponents_add_up():
    for shares in ({"self": 4, "past": 2, "heuristic": 2}, {"heuristic": 1}, {"random": 1, "past": 3}):
        opponents = OpponentPool(shares, 100).opponents
        assert isinstance(opponents, dict) and sum(opponents.values()) == 100
        assert len(opponents) == len(shares) + max(0, shares.get("past", 1) - 1)


def test_the_actor_draws_what_the_policy_says(finished):
    ruleset, trained = runs.load_models(finished)
    policy = trained["model"].policy
    batch = Batch(ruleset, 1, 5, skip_forced=True)
    batch.reset(5)
    many = 4000
    rows, masks = np.repeat(batch.observations, many, 0), np.repeat(batch.masks, many, 0)
    drawn = np.bincount(Actor(policy, sampled=True)(rows, masks), minlength=ruleset.actions.n) / many
    with torch.no_grad():
        chances = (
            policy.get_distribution(torch.as_tensor(batch.observations), batch.masks).distribution.probs[0].numpy()
        )
    assert np.abs(drawn - chances).max() < 5 * np.sqrt(0.25 / many)
    assert drawn[batch.masks[0] == 0].sum() == 0
    np.testing.assert_allclose(Actor(policy, sampled=True).probabilities(rows[:1], masks[:1])[0], chances, atol=1e-6)
    assert (Actor(policy)(rows[:3], masks[:3]) == chances.argmax()).all()
    assert Actor(policy).probabilities(rows[:1], masks[:1])[0, chances.argmax()] == 1


def test_features_of_a_lookup_and_of_agreement():
    """Two statements about two marks, of which the second was selected by the lookup, and two people."""
    space = gymnasium.spaces.Box(-1, 1, (8,), np.int8)
    none = np.zeros(0, np.int64)
    agreement = {"statements": np.array([[0, 1], [8, 9]]), "marks": np.array([[2, 3], [4, 5]])}
    lookup = {"keys": np.array([6, 7]), "values": np.array([[0, 1], [2, 3]])}
    encoder = Encoder(space, np.array([8]), np.ones(1), none, none, 0, lookup, agreement)
    rows = torch.tensor([[1.0, -1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]])
    assert encoder(rows).tolist() == [[1.0, 1.0, 0.0, 0.5, 0.5], [0.0, -0.5, 0.5, -0.5, 0.5]]


def test_components_name_a_block_that_is_not_there():
    ruleset = registry.make_ruleset(GAME)
    block = next(iter(ruleset.observation))
    for field, arguments in (
        ("one_hot", ({"nothing": 1},)),
        ("lookup", ({}, {block: ("nothing",)})),
        ("agreement", ({}, {}, (block, "nothing"))),
    ):
        with pytest.raises(ValueError, match=f"^{field}: blocks of the observation .*, not 'nothing'"):
            features(ruleset, *arguments, games=1, rounds=1)


def test_labels_do_not_lie_on_each_other():
    assert results.spread([0.2, 0.5, 0.9], 0.1) == [0.2, 0.5, 0.9]
    assert results.spread([0.0, 0.05, 0.06], 0.1) == pytest.approx([0.0, 0.1, 0.2])
    assert results.spread([0.5, 0.999, 1.0], 0.1) == pytest.approx([0.5, 0.9, 1.0])
