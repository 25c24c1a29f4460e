"""Trained policies as files of plain data: reading one executes nothing, whoever wrote it.

A file is a zip archive with `murder_envs.json`, which says what the policy was trained on and how its network is built,
and `weights.npz`, numpy arrays without objects. The policy is built anew from both. Files that hold pickled objects, as
stable-baselines3 writes them, can run any program when they are loaded; they are refused.

    policy, ruleset, seats = load("model.zip")
    action, _ = policy.predict(observation, action_masks=mask)
"""

from __future__ import annotations

import io
import json
import operator
import os
import pathlib
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from murder_envs.core.checks import distinct, fail, ints, shown
from murder_envs.networks.policy import Weights, rebuilt, weights_of
from murder_envs.registry import GAMES, make_ruleset
from murder_envs.ruleset import Ruleset

FORMAT = 4
"""Of these files and of all that `agents.train` writes; raised when older ones cannot be read any more."""

FACTS, WEIGHTS = "murder_envs.json", "weights.npz"
"""Entries of a file: what the policy is of; what it has learnt."""

Path = str | os.PathLike[str]


class DamagedFile(ValueError):
    """A file is not, or not any more, what it should be."""


class Trained(NamedTuple):
    """What a file holds.

    Attributes:
        policy: as sb3-contrib knows it; `policy.predict(observation, action_masks=mask)` plays.
        ruleset: the game that it was trained on.
        seats: those that it learnt in.
    """

    policy: MaskableActorCriticPolicy
    ruleset: Ruleset
    seats: list[int]


# -- Archives ---------------------------------------------------------------------------------------------------------


def archive(entries: Mapping[str, bytes]) -> bytes:
    """A zip file of these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return buffer.getvalue()


def entries_of(content: bytes, path: Path) -> dict[str, bytes]:
    """The entries of a zip file; DamagedFile if it is none, or has changed since it was written."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            return {name: file.read(name) for name in file.namelist()}
    except Exception as error:  # a changed bit makes zipfile and zlib raise almost anything
        raise DamagedFile(f"checkpoint: {path} is damaged or no file of agents.train ({error})") from None


def arrays_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Arrays of numbers as an entry."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def arrays_of(content: bytes) -> dict[str, np.ndarray]:
    """Arrays of numbers from an entry; ValueError and others if it holds objects or is something else."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
            fail(name, "an array of numbers")
    return arrays


def content_of(path: Path) -> bytes:
    """All bytes of a file; ValueError if there are none to read."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        fail("checkpoint", f"cannot read {path} ({error.strerror})")


# -- Facts ------------------------------------------------------------------------------------------------------------


def facts_of(ruleset: Ruleset) -> dict[str, Any]:
    """What a policy must have been trained on to be used with a ruleset."""
    return {
        "format": FORMAT,
        "game": ruleset.name,
        "version": ruleset.version,
        "config": json.loads(json.dumps(dict(ruleset.config))),
        "observation": ruleset.observation.size,
        "actions": ruleset.actions.n,
    }


def read_facts(entries: Mapping[str, bytes], path: Path) -> dict[str, Any]:
    """What a file says of itself; ValueError if it is not ours, of another format, or of a game that is not here."""
    if FACTS not in entries and "data" in entries:
        fail(
            "checkpoint",
            f"{path} is a file of stable-baselines3, which holds pickled objects: loading it could run any program, so "
            "it is not done here; train anew with agents.train, which writes plain weights",
        )
    try:
        facts = json.loads(entries[FACTS])
        if not isinstance(facts, dict) or not isinstance(facts.get("config", {}), dict):
            raise TypeError
    except (KeyError, ValueError, TypeError, RecursionError):
        raise DamagedFile(f"checkpoint: {path} is no model or checkpoint of agents.train") from None
    check_format("checkpoint", path, facts.get("format"))
    for name in ("game", "version", "config", "observation", "actions"):
        if name not in facts:
            raise DamagedFile(f"checkpoint: {path} does not say its {name}")
    if facts["game"] not in list(GAMES):
        fail("game", f"{path} is of {shown(facts['game'])}, which is not here; known: {', '.join(GAMES)}")
    return facts


def check_format(field: str, path: Path, number: Any) -> None:
    """ValueError if a run, model or checkpoint was written in another format than this program's."""
    if number != FORMAT:
        fail(field, f"{path} has format {shown(number)}, this program reads {FORMAT}; train anew")


def check_facts(facts: Mapping[str, Any], ruleset: Ruleset, path: Path) -> None:
    """ValueError unless a file is of a policy that was trained on this ruleset, in this version."""
    ours = facts_of(ruleset)
    if facts["game"] != ours["game"]:
        fail("game", f"{path} was trained on {facts['game']}, not on {ours['game']}")
    if facts["version"] != ours["version"]:
        fail(
            "version",
            f"{path} was trained on version {shown(facts['version'])} of {ours['game']}, here is version "
            f"{ours['version']}; train anew, or use the murder_envs of that version",
        )
    for name in ("config", "observation", "actions"):
        if facts[name] != ours[name]:
            fail(name, f"{path} was trained with {facts[name]}, not with {ours[name]}")


def check_game(trained_on: Ruleset, ruleset: Ruleset, path: Path) -> None:
    """ValueError unless a policy can play this game: the one that it was trained on, under whatever reward."""
    if trained_on.name != ruleset.name:
        fail("game", f"{path} was trained on {trained_on.name}, not on {ruleset.name}")
    theirs, ours = without_reward(trained_on), without_reward(ruleset)
    differ = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    if differ:
        has, here = ({name: each.get(name) for name in differ} for each in (theirs, ours))
        fail(differ[0], f"{path} was trained with {shown(has)}, here is {shown(here)}; its play means nothing there")


def without_reward(ruleset: Ruleset) -> dict[str, Any]:
    """A configuration but for its reward, which does not alter what can be played."""
    return {name: value for name, value in ruleset.config.items() if name != "reward"}


# -- Policies ---------------------------------------------------------------------------------------------------------


def policy_bytes(
    policy: MaskableActorCriticPolicy, ruleset: Ruleset, seats: Sequence[int], net: Sequence[int], prior_weight: float
) -> bytes:
    """A policy as a file: with the game that it was trained on, the seats that it plays, and how it is built."""
    facts = {**facts_of(ruleset), "seats": list(seats), "net": list(net), "prior_weight": prior_weight}
    return archive({FACTS: json.dumps(facts).encode(), WEIGHTS: arrays_bytes(weights_of(policy))})


def load(path: Path, device: str = "cpu") -> Trained:
    """The policy of a file, which may be anybody's: nothing in it is executed.

    Raises:
        ValueError: there is no such file, or it is of a game, version or format that is not here, or damaged.
    """
    return read_policy(content_of(path), path, device)


def read_policy(content: bytes, path: Path, device: str = "cpu") -> Trained:
    """The same from the content of a file."""
    entries = entries_of(content, path)
    facts = read_facts(entries, path)
    ruleset = make_ruleset(facts["game"], **facts["config"])
    check_facts(facts, ruleset, path)
    seats, net, prior_weight, weights = read_parts(entries, facts, ruleset, path)
    try:
        policy = rebuilt(ruleset, net, prior_weight, weights)
    except Exception as error:  # whatever torch says to weights that do not fit
        raise DamagedFile(f"checkpoint: {path} has no weights of such a network ({shown(str(error))})") from None
    return Trained(policy.to(device), ruleset, seats)


def read_parts(
    entries: Mapping[str, bytes], facts: Mapping[str, Any], ruleset: Ruleset, path: Path
) -> tuple[list[int], list[int], float, Weights]:
    """Seats, widths of layers, first weight of the prior and weights of a policy's file; DamagedFile names it."""
    try:
        seats = ints("seats", facts.get("seats"), 0, ruleset.n_seats - 1)
        distinct("seats", seats)
        net, prior_weight = ints("net", facts.get("net"), 1, 65_536), facts.get("prior_weight")
        if not net or isinstance(prior_weight, bool) or not isinstance(prior_weight, (int, float)):
            fail("prior_weight", "a number, and at least one layer")
        weights = arrays_of(entries[WEIGHTS])
        if sum(map(operator.mul, net, net[1:])) > sum(array.size for array in weights.values()):
            fail("net", "layers that the weights have")  # before memory is asked for
        return seats, net, float(prior_weight), weights
    except Exception as error:  # numpy's reader raises almost anything
        raise DamagedFile(f"checkpoint: {path} is damaged ({shown(str(error))})") from None
