"""Run folders: what a training leaves on disk, checkpoints that are never half written, and reading them back.

    runs/<game>-<time>-s<seed>/
      config.json     game, configuration, settings, seeds, command line, versions; written first
      checkpoints/    the newest few: model, optimizer, random numbers, games under way, counters, curve; one file each
      progress.csv    a row for each evaluation, and tensorboard/ with each update's losses
      model.zip  results.json  results.md  curve.png  game.txt      at the end

Checkpoints and model.zip are stable-baselines3 files with one or two more entries: `MaskablePPO.load` reads them too.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import os
import pathlib
import pickle
import platform
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from murder_envs.api.sb3 import BatchVecEnv
from murder_envs.core.snapshots import fail
from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset

FORMAT = 1
"""Of checkpoints; raised when older ones cannot be read any more."""

KEPT = 3
"""How many checkpoints stay."""

FACTS, RESUME = "murder_envs.json", "murder_envs.pkl"
"""Entries of a checkpoint beside stable-baselines3's own: what it is; what going on takes beside the model."""

PACKAGES = (
    "murder_envs", "numpy", "numba", "llvmlite", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo",
)  # fmt: skip


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


def surroundings() -> dict[str, Any]:
    """Command line, machine and versions: what else a result depends on."""
    packages = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            packages[name] = importlib.metadata.version(name)
    return {
        "time": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "command": [sys.executable, *sys.argv],
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "commit": _commit(),
        "packages": packages,
    }


def _commit() -> str | None:
    """The checkout's git commit, with a + if files have changed since."""
    here = pathlib.Path(__file__).resolve().parents[1]
    said = []
    for question in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]):
        try:
            answer = subprocess.run(["git", *question], cwd=here, capture_output=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
        said.append(answer.stdout.decode().strip())
    return said[0] + ("+" if said[1] else "")


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


def save_model(path: pathlib.Path, model: MaskablePPO, ruleset: Ruleset, more: Mapping[str, bytes | str] = {}) -> None:
    """Write a model and what it was trained on, with more entries if given, as one file."""
    buffer = io.BytesIO()
    model.save(buffer, exclude=["_last_obs", "_last_episode_starts"])
    buffer.seek(0)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(FACTS, json.dumps(facts_of(ruleset)))
        for name, content in more.items():
            archive.writestr(name, content)
    write(path, buffer.getvalue())


def save_checkpoint(run: pathlib.Path, model: MaskablePPO, env: BatchVecEnv, counters: dict[str, Any]) -> None:
    """Write all that it takes to go on from here as if nothing had happened, and remove the oldest checkpoints."""
    resume = {
        "counters": counters,
        "batch": env.batch,
        "starts": model._last_episode_starts,
        "random": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002  (what stable-baselines3 draws from)
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if model.device.type == "cuda" else [],
    }
    name = f"step-{model.num_timesteps:012d}.zip"
    save_model(run / "checkpoints" / name, model, env.ruleset, {RESUME: pickle.dumps(resume)})
    for old in [*checkpoints(run)[:-KEPT], *(run / "checkpoints").glob("*.part")]:
        old.unlink(missing_ok=True)


def checkpoints(run: pathlib.Path) -> list[pathlib.Path]:
    """The checkpoints of a run, the newest last."""
    return sorted((run / "checkpoints").glob("step-*.zip"))


def read_facts(path: pathlib.Path) -> dict[str, Any]:
    """What a model or checkpoint says of itself; ValueError if it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            facts = json.loads(archive.read(FACTS))
    except OSError as error:
        fail("checkpoint", f"cannot read {path} ({error.strerror})")
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        fail("checkpoint", f"{path} is no model or checkpoint of agents.train")
    if facts.get("format") != FORMAT:
        fail("checkpoint", f"{path} has format {facts.get('format')}, this program reads {FORMAT}; train anew")
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


def resume_checkpoint(path: pathlib.Path, env: BatchVecEnv, device: str) -> tuple[MaskablePPO, dict[str, Any]]:
    """The model of a checkpoint and its counters; games and random numbers are put back where they were."""
    check_facts(path, env.ruleset)
    with zipfile.ZipFile(path) as archive:
        kept = pickle.loads(archive.read(RESUME))
    if kept["batch"].n != env.num_envs:
        fail("envs", f"the checkpoint has {kept['batch'].n} games under way, not {env.num_envs}")
    model = MaskablePPO.load(path, env=env, device=device)
    env.batch = kept["batch"]
    model._last_obs = env.batch.observations.copy()
    model._last_episode_starts = kept["starts"]
    random.setstate(kept["random"])
    np.random.set_state(kept["numpy"])  # noqa: NPY002
    torch.set_rng_state(kept["torch"])
    if kept["cuda"] and model.device.type == "cuda":
        torch.cuda.set_rng_state_all(kept["cuda"])
    return model, kept["counters"]


# -- Reading ----------------------------------------------------------------------------------------------------------


def read_config(run: pathlib.Path) -> dict[str, Any]:
    """A run's config.json; ValueError if it is no run folder or of an unknown game."""
    try:
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        game, _, _, _ = (config[name] for name in ("game", "version", "config", "settings"))
    except OSError as error:
        fail("run", f"{run} is no run folder: no config.json in it ({error.strerror})")
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        fail("run", f"{run / 'config.json'} is damaged")
    if game not in GAMES:
        fail("game", f"{run} is of {game!r}, which is not here; known: {', '.join(GAMES)}")
    return config


def is_finished(run: pathlib.Path, config: Mapping[str, Any]) -> bool:
    """Has a run reached all its steps and written its results?"""
    try:
        return json.loads((run / "results.json").read_text(encoding="utf-8"))["of"] >= config["settings"]["steps"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def newest_unfinished(out: pathlib.Path, game: str | None) -> pathlib.Path:
    """The newest run that is neither finished nor being trained right now; ValueError if there is none."""
    found = []
    for path in out.glob("*/config.json"):
        with contextlib.suppress(ValueError):
            config = read_config(path.parent)
            if game in (None, config["game"]) and not is_finished(path.parent, config) and not is_locked(path.parent):
                found.append(path)
    if not found:
        fail("resume", f"no unfinished run{f' of {game}' if game else ''} in {out}; leave --resume out to start one")
    return max(found, key=lambda path: path.stat().st_mtime).parent


def load_model(path: pathlib.Path, device: str = "cpu") -> tuple[Ruleset, MaskablePPO]:
    """A trained model and its game: from a run folder (its model, else its newest checkpoint), or from a file.

    Raises:
        ValueError: there is none, or it is of a game or version that is not here.
    """
    if path.is_dir():
        read_config(path)
        files = [*checkpoints(path), *([path / "model.zip"] if (path / "model.zip").exists() else [])]
        if not files:
            fail("run", f"{path} has neither model.zip nor a checkpoint yet")
        path = max(files, key=lambda file: file.stat().st_mtime)
    facts = read_facts(path)
    if facts["game"] not in GAMES:
        fail("game", f"{path} is of {facts['game']!r}, which is not here; known: {', '.join(GAMES)}")
    ruleset = make_ruleset(facts["game"], **facts["config"])
    check_facts(path, ruleset)
    return ruleset, MaskablePPO.load(path, device=device)
