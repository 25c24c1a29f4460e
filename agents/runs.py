"""Run folders: what a training leaves on disk, checkpoints that are never half written, and reading them back.

    runs/<game>-<time>-s<seed>/
      config.json     game, configuration, settings, seeds, provenance; written first
      checkpoints/    the newest few: models, optimisers, random numbers, games, counters, curve; one file each
      past/           what the policies were like in the past, where those are opponents
      progress.csv    rows for each evaluation, and tensorboard/ with each update's losses
      model.zip  results.json  results.md  curve.png  game.txt      at the end

Where each role has a policy of its own, model.zip is several files, one named after each. They are stable-baselines3
files with one more entry, which `MaskablePPO.load` reads too; a checkpoint holds such files.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pathlib
import pickle
import random
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents import settings as all_settings
from agents.settings import Settings
from murder_envs.api.sb3 import BatchVecEnv
from murder_envs.core.checks import fail
from murder_envs.drivers.batch import Batch
from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset

FORMAT = 3
"""Of run folders, models and checkpoints; raised when older ones cannot be read any more."""

KEPT = 3
"""How many checkpoints stay."""

FACTS, RESUME = "murder_envs.json", "murder_envs.pkl"
"""Entries of models and checkpoints: what they are of; of checkpoints: what going on takes beside the models."""

Models = Mapping[str, tuple[MaskablePPO, Sequence[int]]]
"""A run's policies: name -> the model and the seats that it plays."""


# -- Writing ----------------------------------------------------------------------------------------------------------


def write(path: pathlib.Path, content: bytes | str) -> None:
    """Write a file so that at any moment either the old or the whole new one is there, even if the power fails."""
    data = content.encode() if isinstance(content, str) else content
    half = path.with_name(path.name + ".part")
    with open(half, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(half, path)
    with contextlib.suppress(OSError):  # Windows opens no folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_json(path: pathlib.Path, content: Any) -> None:
    """The same for JSON."""
    write(path, json.dumps(content, indent=1) + "\n")


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV, with all columns that occur in any."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def new_folder(out: pathlib.Path, game: str, seed: int) -> pathlib.Path:
    """Make the folder of a new run; ValueError if that cannot be."""
    name = f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-s{seed}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        for k in range(1, 1000):
            run = out / (name if k == 1 else f"{name}-{k}")
            with contextlib.suppress(FileExistsError):
                run.mkdir()
                (run / "checkpoints").mkdir()
                return run
    except OSError as error:
        fail("out", f"cannot write to {out} ({error.strerror}); name a folder that can be written")
    fail("out", f"{out} has a thousand runs of this second already; name another folder")


@contextlib.contextmanager
def locked(run: pathlib.Path) -> Iterator[None]:
    """Keep other processes off a run; the lock goes with the process. ValueError if one is at work already."""
    try:
        file = open(run / ".lock", "a")  # noqa: SIM115
    except OSError as error:
        fail("out", f"cannot write to {run} ({error.strerror}); the run goes on only where it can be written")
    with file:
        if not _lock(file):
            fail("resume", f"{run} is being trained by another process")
        yield


def is_locked(run: pathlib.Path) -> bool:
    """Is a process at work on this run?"""
    try:
        with open(run / ".lock", "rb") as file:
            return not _lock(file)
    except OSError:
        return False


def _lock(file: Any) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: nothing keeps two processes off one run
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# -- Checkpoints ------------------------------------------------------------------------------------------------------


def facts_of(ruleset: Ruleset) -> dict[str, Any]:
    """What a model must have been trained on to be used with a ruleset."""
    return {
        "format": FORMAT,
        "game": ruleset.name,
        "version": ruleset.version,
        "config": json.loads(json.dumps(dict(ruleset.config))),
        "observation": ruleset.observation.size,
        "actions": ruleset.actions.n,
    }


def model_bytes(model: MaskablePPO, ruleset: Ruleset, seats: Sequence[int]) -> bytes:
    """A model, the game that it was trained on and the seats that it plays, as a file."""
    buffer = io.BytesIO()
    model.save(buffer, exclude=["_last_obs", "_last_episode_starts"])
    buffer.seek(0)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(FACTS, json.dumps({**facts_of(ruleset), "seats": list(seats)}))
    return buffer.getvalue()


def save_checkpoint(
    run: pathlib.Path, ruleset: Ruleset, models: Models, batches: Mapping[str, Batch], counters: dict[str, Any]
) -> None:
    """Write all that it takes to go on from here as if nothing had happened, and remove the oldest checkpoints."""
    first = next(iter(models.values()))[0]
    resume = {
        "counters": counters,
        "batches": dict(batches),
        "starts": {name: model._last_episode_starts for name, (model, _) in models.items()},
        "random": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002  (what stable-baselines3 draws from)
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if first.device.type == "cuda" else [],
    }
    steps = sum(model.num_timesteps for model, _ in models.values())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, (model, seats) in models.items():
            archive.writestr(f"{name}.zip", model_bytes(model, ruleset, seats))
        archive.writestr(RESUME, pickle.dumps(resume))
        archive.writestr(FACTS, json.dumps(facts_of(ruleset)))
    write(run / "checkpoints" / f"step-{steps:012d}.zip", buffer.getvalue())
    for old in [*checkpoints(run)[:-KEPT], *(run / "checkpoints").glob("*.part")]:
        old.unlink(missing_ok=True)


def checkpoints(run: pathlib.Path) -> list[pathlib.Path]:
    """The checkpoints of a run, the newest last."""
    return sorted((run / "checkpoints").glob("step-*.zip"))


def read_facts(path: pathlib.Path) -> dict[str, Any]:
    """What a model or checkpoint says of itself; ValueError if the file is neither."""
    try:
        with zipfile.ZipFile(path) as archive:
            facts = json.loads(archive.read(FACTS))
    except OSError as error:
        fail("checkpoint", f"cannot read {path} ({error.strerror})")
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        fail("checkpoint", f"{path} is no model or checkpoint of agents.train")
    check_format("checkpoint", path, facts.get("format"))
    return facts


def check_facts(path: pathlib.Path, ruleset: Ruleset) -> None:
    """ValueError unless a model or checkpoint was trained on this ruleset, in this version."""
    facts, ours = read_facts(path), facts_of(ruleset)
    if facts["game"] != ours["game"]:
        fail("game", f"{path} was trained on {facts['game']}, not on {ours['game']}")
    if facts["version"] != ours["version"]:
        fail(
            "version",
            f"{path} was trained on version {facts['version']} of {ours['game']}, here is version {ours['version']}; "
            f"train anew, or use the murder_envs of that version",
        )
    for name in ("config", "observation", "actions"):
        if facts[name] != ours[name]:
            fail(name, f"{path} was trained with {facts[name]}, not with {ours[name]}")


def resume_checkpoint(
    path: pathlib.Path, ruleset: Ruleset, envs: Mapping[str, BatchVecEnv], device: str
) -> tuple[dict[str, MaskablePPO], dict[str, Any]]:
    """The models of a checkpoint and its counters; games and random numbers are put back where they were."""
    check_facts(path, ruleset)
    models = {}
    with zipfile.ZipFile(path) as archive:
        kept = pickle.loads(archive.read(RESUME))
        for name, env in envs.items():
            if name not in kept["batches"]:
                fail("checkpoint", f"{path} has no policy {name!r}")
            if kept["batches"][name].n != env.num_envs:
                fail("envs", f"the checkpoint has {kept['batches'][name].n} games under way, not {env.num_envs}")
            model = MaskablePPO.load(io.BytesIO(archive.read(f"{name}.zip")), env=env, device=device)
            env.batch = kept["batches"][name]
            # None: the checkpoint was written before the first game; then the library begins with a reset.
            if kept["starts"][name] is not None:
                model._last_obs = env.batch.observations.copy()
                model._last_episode_starts = kept["starts"][name]
            models[name] = model
    random.setstate(kept["random"])
    np.random.set_state(kept["numpy"])  # noqa: NPY002
    torch.set_rng_state(kept["torch"])
    if kept["cuda"] and device != "cpu":
        torch.cuda.set_rng_state_all(kept["cuda"])
    return models, kept["counters"]


# -- Reading ----------------------------------------------------------------------------------------------------------


class RunConfig(NamedTuple):
    """A run's config.json, checked.

    Attributes:
        game, version: of what.
        config: the game's configuration.
        settings: those of the run.
        content: all of it.
    """

    game: str
    version: int
    config: dict[str, Any]
    settings: Settings
    content: dict[str, Any]


def read_config(run: pathlib.Path) -> RunConfig:
    """A run's config.json; ValueError names what is wrong with it: no run folder, another format, an unknown game, a
    setting that is missing or out of range."""
    path = run / "config.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        game, version, config, values = (content[name] for name in ("game", "version", "config", "settings"))
    except OSError as error:
        fail("run", f"{run} is no run folder: no config.json in it ({error.strerror})")
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        fail("run", f"{path} is damaged")
    check_format("run", run, content.get("format"))
    if game not in GAMES:
        fail("game", f"{run} is of {game!r}, which is not here; known: {', '.join(GAMES)}")
    try:
        settings = all_settings.from_json(values)
    except ValueError as error:
        raise ValueError(f"{error} (in {path})") from None
    return RunConfig(game, version, config, settings, content)


def check_format(field: str, path: pathlib.Path, number: Any) -> None:
    """ValueError if a run, model or checkpoint was written in another format than this program's."""
    if number != FORMAT:
        fail(field, f"{path} has format {number}, this program reads {FORMAT}; train anew")


def is_finished(run: pathlib.Path, steps: int) -> bool:
    """Has a run reached all its steps and written its results?"""
    try:
        return json.loads((run / "results.json").read_text(encoding="utf-8"))["of"] >= steps
    except (OSError, ValueError, KeyError, TypeError):
        return False


def newest_unfinished(out: pathlib.Path, game: str | None) -> pathlib.Path:
    """The newest run that is neither finished nor being trained right now; ValueError if there is none."""
    paths = []
    for path in out.glob("*/config.json"):
        run = path.parent
        with contextlib.suppress(ValueError):
            config = read_config(run)
            if game in (None, config.game) and not is_finished(run, config.settings.steps) and not is_locked(run):
                paths.append(path)
    if not paths:
        fail("resume", f"no unfinished run{f' of {game}' if game else ''} in {out}; leave --resume out to start one")
    return max(paths, key=lambda path: path.stat().st_mtime).parent


def load_models(path: pathlib.Path, device: str = "cpu") -> tuple[Ruleset, dict[str, tuple[MaskablePPO, list[int]]]]:
    """Trained policies and their game: from a run folder (its newest checkpoint, else its models), or from a file.

    Returns:
        The ruleset, and name -> (model, the seats that it plays).

    Raises:
        ValueError: there is no model, or it is of a game, version or format that is not here.
    """
    if path.is_dir():
        read_config(path)
        files = checkpoints(path)[-1:] or sorted(path.glob("*.zip"))
        if not files:
            fail("run", f"{path} has neither models nor a checkpoint yet")
    else:
        files = [path]
    models: dict[str, tuple[MaskablePPO, list[int]]] = {}
    for file in files:
        facts = read_facts(file)
        if facts["game"] not in GAMES:
            fail("game", f"{file} is of {facts['game']!r}, which is not here; known: {', '.join(GAMES)}")
        ruleset = make_ruleset(facts["game"], **facts["config"])
        check_facts(file, ruleset)
        if "seats" in facts:
            models[file.stem] = MaskablePPO.load(file, device=device), facts["seats"]
            continue
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name.endswith(".zip"):
                    content = io.BytesIO(archive.read(name))
                    with zipfile.ZipFile(content) as inner:
                        seats = json.loads(inner.read(FACTS))["seats"]
                    content.seek(0)
                    models[name.removesuffix(".zip")] = MaskablePPO.load(content, device=device), seats
    return ruleset, models
