"""Run folders: what a training leaves on disk, checkpoints that are never half written, and reading them back.

    runs/<game>-<time>-s<seed>/
      config.json     game, configuration, settings, seeds, threads, provenance; written first
      checkpoints/    the newest few, see `agents.checkpoints`
      past/           what the policies were like in the past, where those are opponents
      progress.csv    rows for each evaluation, and tensorboard/ with each update's losses
      model.zip  results.json  results.md  curve.png  game.txt  game.jsonl    at the end

Where each role has a policy of its own, model.zip is several files, one named after each. They are files of
`murder_envs.networks.files`, which only hold numbers and plain JSON; a checkpoint holds such files, and further ones
like them. So nothing that is read here can execute anything, whoever wrote it.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agents import settings as all_settings
from agents.settings import Settings
from murder_envs.core.checks import an_int, fail, shown
from murder_envs.networks import files
from murder_envs.networks.files import DamagedFile, Trained
from murder_envs.registry import GAMES
from murder_envs.ruleset import Ruleset

KEPT = 3
"""How many checkpoints stay."""

CHECKPOINT = re.compile(r"step-(\d{12})\.zip")
"""Names of checkpoints; other files in their folder are let alone."""

# -- Writing ----------------------------------------------------------------------------------------------------------


def write(path: pathlib.Path, content: bytes | str) -> None:
    """Write a file so that at any moment either the old or the whole new one is there, even if the power fails.

    Raises:
        OSError: the disk is full or cannot be written; the error names the file, and nothing half written is left.
    """
    data = content.encode() if isinstance(content, str) else content
    half = path.with_name(path.name + ".part")
    try:
        with open(half, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
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


def new_folder(out: pathlib.Path, name: str) -> pathlib.Path:
    """Make a folder of this name in `out`, with a number behind it where there is one already; ValueError if that
    cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for k in range(1, 1000):
            folder = out / (name if k == 1 else f"{name}-{k}")
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                return folder
    except OSError as error:
        fail("out", f"cannot write to {out} ({error.strerror}); name a folder that can be written")
    fail("out", f"{out} has a thousand folders of this second already; name another folder")


def new_run(out: pathlib.Path, game: str, seed: int, content: Mapping[str, Any]) -> pathlib.Path:
    """Make the folder of a new run, with its config.json; ValueError if that cannot be."""
    run = new_folder(out, f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-s{seed}")
    try:
        (run / "checkpoints").mkdir()
        write_json(run / "config.json", content)
    except OSError as error:
        shutil.rmtree(run, ignore_errors=True)
        fail("out", f"cannot write to {out} ({error.strerror}); name a folder that can be written")
    return run


@contextlib.contextmanager
def locked(run: pathlib.Path) -> Iterator[None]:
    """Keep other processes off a run; the lock goes with the process. ValueError if one is at work already."""
    try:
        file = open(run / ".lock", "a")  # noqa: SIM115
    except OSError as error:
        fail("out", f"cannot write to {run} ({error.strerror}); the run goes on only where it can be written")
    with file:
        if not _lock(file):
            fail("resume", f"another process is at work on {run}")
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


# -- Reading ----------------------------------------------------------------------------------------------------------


def checkpoints(run: pathlib.Path) -> list[pathlib.Path]:
    """The checkpoints of a run, the newest last."""
    with contextlib.suppress(OSError):
        found = [path for path in (run / "checkpoints").iterdir() if CHECKPOINT.fullmatch(path.name)]
        return sorted(path for path in found if path.is_file())
    return []


def steps_of(checkpoint: pathlib.Path) -> int:
    """From how many decisions a run had learnt when it wrote a checkpoint."""
    return int(checkpoint.stem.removeprefix("step-"))


class RunConfig(NamedTuple):
    """A run's config.json, checked.

    Attributes:
        game, version: of what.
        config: the game's configuration.
        settings: those of the run.
        threads: how many the network has, on which its results depend.
        content: all of it.
    """

    game: str
    version: int
    config: dict[str, Any]
    settings: Settings
    threads: int
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
    except (ValueError, KeyError, TypeError, RecursionError):  # ValueError: no JSON, or no text
        fail("run", f"{path} is damaged")
    files.check_format("run", run, content.get("format"))
    if game not in list(GAMES):  # a list, since what stands there need not be text
        fail("game", f"{run} is of {shown(game)}, which is not here; known: {', '.join(GAMES)}")
    try:
        settings = all_settings.from_json(values)
        threads = an_int("threads", content.get("threads"), 1, 1024)
        if not isinstance(config, dict):
            fail("config", f"the game's parameters, not {shown(config)}")
    except ValueError as error:
        raise ValueError(f"{error} (in {path})") from None
    return RunConfig(game, version, config, settings, threads, content)


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


def load_models(path: pathlib.Path, device: str = "cpu") -> tuple[Ruleset, dict[str, Trained]]:
    """Trained policies and their game: from a run folder (its newest checkpoint, else its models), or from a file.

    Returns:
        The ruleset, and name -> policy.

    Raises:
        ValueError: there is no model, or it is of a game, version or format that is not here.
    """
    if path.is_dir():
        read_config(path)
        paths = checkpoints(path)[-1:] or sorted(path.glob("*.zip"))
        if not paths:
            fail("run", f"{path} has neither models nor a checkpoint yet")
    else:
        paths = [path]
    models: dict[str, Trained] = {}
    for each in paths:
        content = files.content_of(each)
        entries = files.entries_of(content, each)
        if files.WEIGHTS in entries:
            models[each.stem] = files.read_policy(content, each, device)
            continue
        files.read_facts(entries, each)
        for name, inner in entries.items():
            if name.endswith(".zip"):
                models[name.removesuffix(".zip")] = files.read_policy(inner, each, device)
    if not models:
        raise DamagedFile(f"checkpoint: {paths[0]} is damaged: there is no policy in it")
    rulesets = [trained.ruleset for trained in models.values()]
    for ruleset in rulesets:
        files.check_facts(files.facts_of(ruleset), rulesets[0], path)
    return rulesets[0], models
