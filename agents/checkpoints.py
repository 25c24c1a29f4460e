"""Checkpoints: all that it takes to go on with a run as if nothing had happened, as files of plain data.

A checkpoint is a zip archive. It holds each policy as a file of `murder_envs.networks.files`, the optimisers, games and
random numbers as arrays, and what is counted, with the learning curve, as JSON. Reading one executes nothing, whoever
wrote it.
"""

from __future__ import annotations

import collections
import json
import pathlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.opponents import check_past
from agents.runs import KEPT, checkpoints, write
from agents.settings import PAST, Settings
from murder_envs.core.checks import a_seed, an_int, fail, shown
from murder_envs.drivers.batch import Batch
from murder_envs.drivers.policies import POLICIES
from murder_envs.networks import files
from murder_envs.networks.files import DamagedFile
from murder_envs.networks.policy import Weights, put_weights
from murder_envs.ruleset import Ruleset

COUNTERS, ARRAYS = "training.json", "training.npz"
"""Entries of a checkpoint beside the policies: plain values and arrays."""

PAST_FILE = re.compile(r"\w+-\d{12}\.npz")
"""Names of what is kept of policies in the past."""

ROW = {"steps", "seconds", "policy", "against", "value", "low", "high"}
"""What each row of a learning curve has."""

Models = Mapping[str, tuple[MaskablePPO, Sequence[int]]]
"""A run's learners: name -> the model and the seats that it plays."""


# -- Writing ----------------------------------------------------------------------------------------------------------


def save(run: pathlib.Path, ruleset: Ruleset, settings: Settings, models: Models, counters: dict[str, Any]) -> None:
    """Write all that it takes to go on from here as if nothing had happened, and remove the oldest checkpoints."""
    numpy_random: Any = np.random.get_state()  # noqa: NPY002  (what stable-baselines3 draws from)
    arrays = {"torch": torch.get_rng_state().numpy(), "numpy": numpy_random[1]}
    if any(model.device.type == "cuda" for model, _ in models.values()):
        arrays |= {f"cuda/{i}": state.numpy() for i, state in enumerate(torch.cuda.get_rng_state_all())}
    plain: dict[str, Any] = {"counters": counters, "random": random.getstate(), "numpy": numpy_random[2:]}
    plain["models"] = {name: plain_model(model) for name, (model, _) in models.items()}
    entries = {}
    for name, (model, seats) in models.items():
        entries[f"{name}.zip"] = files.policy_bytes(model.policy, ruleset, seats, settings.net, settings.prior_weight)
        arrays |= {f"{name}/{key}": array for key, array in arrays_of_model(model).items()}
    entries[COUNTERS] = json.dumps(plain).encode()
    entries[ARRAYS] = files.arrays_bytes(arrays)
    entries[files.FACTS] = json.dumps(files.facts_of(ruleset)).encode()
    steps = sum(model.num_timesteps for model, _ in models.values())
    write(run / "checkpoints" / f"step-{steps:012d}.zip", files.archive(entries))
    for old in [*checkpoints(run)[:-KEPT], *(run / "checkpoints").glob("step-*.part")]:
        old.unlink(missing_ok=True)


def plain_model(model: MaskablePPO) -> dict[str, Any]:
    """What a learner counts."""
    return {
        "num_timesteps": model.num_timesteps,
        "n_updates": model._n_updates,
        "episodes": list(model.ep_info_buffer or ()),
        "seed": batch_of(model).seed,
    }


def arrays_of_model(model: MaskablePPO) -> dict[str, np.ndarray]:
    """A learner's optimiser and games."""
    arrays: dict[str, np.ndarray] = {}
    for i, state in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimiser/{i}/{name}": tensor.cpu().numpy() for name, tensor in state.items()}
    for name, array in arrays_of_batch(batch_of(model)).items():
        arrays[f"games/{name}"] = np.frombuffer(array.tobytes(), np.uint8)
    if model._last_episode_starts is not None:  # None: before the first game
        arrays["starts"] = model._last_episode_starts
    return arrays


def batch_of(model: MaskablePPO) -> Batch:
    """The games that a learner plays."""
    env: Any = model.env
    return env.batch


def arrays_of_batch(batch: Batch) -> dict[str, np.ndarray]:
    """What changes in the course of a batch; its rules and opponents are those of its settings."""
    fixed = ("_rules", "_opponents", "_all")
    kept = batch.__getstate__().items()
    return {name: value for name, value in kept if isinstance(value, np.ndarray) and name not in fixed}


# -- Reading ----------------------------------------------------------------------------------------------------------


def resume(
    run: pathlib.Path, ruleset: Ruleset, models: Mapping[str, MaskablePPO], say: Callable[[str], None]
) -> dict[str, Any] | None:
    """Put models, games and random numbers back where the newest checkpoint has them that can be read.

    Args:
        run: the run folder.
        ruleset: its game.
        models: name -> a model like the one that the checkpoint has.
        say: is told of each checkpoint that is damaged, before the one before it is tried.

    Returns:
        The counters; None: the run has no checkpoint yet.

    Raises:
        ValueError: a checkpoint is of something else, or none can be read.
    """
    paths = checkpoints(run)
    for path in reversed(paths):
        try:
            return put_all_back(path, ruleset, models)
        except DamagedFile as error:
            say(f"{error}; going on from the checkpoint before it")
    if paths:
        fail("checkpoint", f"none in {run} can be read; start a new run")
    return None


def put_all_back(path: pathlib.Path, ruleset: Ruleset, models: Mapping[str, MaskablePPO]) -> dict[str, Any]:
    """Put models, games and random numbers back where they were; returns the counters. A damaged file changes
    nothing that counts, since all comes anew from the next one."""
    entries = files.entries_of(files.content_of(path), path)
    files.check_facts(files.read_facts(entries, path), ruleset, path)
    try:
        plain, arrays = json.loads(entries[COUNTERS]), files.arrays_of(entries[ARRAYS])
        for name, model in models.items():
            own = {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}
            weights = files.arrays_of(files.entries_of(entries[f"{name}.zip"], path)[files.WEIGHTS])
            put_back(model, weights, plain["models"][name], own)
        put_random_back(plain, arrays)
        counters = plain["counters"]
        if not all(
            {"steps", "seconds", "policy", "against", "value", "low", "high"} <= row.keys() for row in counters["curve"]
        ):
            raise KeyError("curve")
        for name, kept in counters["past"].items():
            if not all(PAST_FILE.fullmatch(file) for file in kept):
                raise KeyError(PAST)
            check_past([path.parents[1] / PAST / file for file in kept], models[name].policy)
        return {"seconds": float(counters["seconds"]), "curve": counters["curve"], "past": dict(counters["past"])}
    except DamagedFile:
        raise
    except Exception as error:  # numpy and torch raise almost anything for what does not fit
        raise DamagedFile(f"checkpoint: {path} is damaged ({shown(str(error))})") from None


def put_random_back(plain: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Let all random numbers go on from where a checkpoint has them; errors of all kinds if they do not fit."""
    version, words, gauss = plain["random"]
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(("MT19937", arrays["numpy"], *plain["numpy"]))  # noqa: NPY002
    torch.set_rng_state(torch.as_tensor(arrays["torch"]))
    cuda = [torch.as_tensor(array) for key, array in sorted(arrays.items()) if key.startswith("cuda/")]
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda)


def put_back(model: MaskablePPO, weights: Weights, plain: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Give a model the weights, optimiser, games and counters of a checkpoint; errors of all kinds if they do not
    fit."""
    put_weights(model.policy, weights)
    optimiser = model.policy.optimizer
    state: dict[int, dict[str, torch.Tensor]] = collections.defaultdict(dict)
    for key, array in arrays.items():
        if key.startswith("optimiser/"):
            _, i, name = key.split("/")
            state[int(i)][name] = torch.as_tensor(array)
    for k, parameter in enumerate(optimiser.param_groups[0]["params"]):
        if any(tensor.shape not in (parameter.shape, ()) for tensor in state[k].values()):
            fail("optimiser", f"entries of shape {tuple(parameter.shape)}")
    used = {k: entries for k, entries in state.items() if entries}
    optimiser.load_state_dict({"state": used, "param_groups": optimiser.state_dict()["param_groups"]})
    model.num_timesteps = an_int("num_timesteps", plain["num_timesteps"], 0, 10**13)
    model._n_updates = an_int("n_updates", plain["n_updates"], 0, 10**13)
    episodes = [{name: info[name] for name in ("r", "l", "t")} for info in plain["episodes"]]
    model.ep_info_buffer = collections.deque(episodes, maxlen=model._stats_window_size)
    model.ep_success_buffer = collections.deque(maxlen=model._stats_window_size)
    env: Any = model.env
    games = {name: arrays[f"games/{name}"] for name in arrays_of_batch(env.batch)}
    put_games_back(env.batch, games, plain["seed"])
    begun = "starts" in arrays  # else the library begins with a reset
    model._last_obs = env.batch.observations.copy() if begun else None
    model._last_episode_starts = arrays["starts"].astype(np.bool_).reshape(env.num_envs) if begun else None


def put_games_back(batch: Batch, arrays: Mapping[str, np.ndarray], seed: Any) -> None:
    """Let a batch have the games of a checkpoint; ValueError if they cannot be those of such a batch."""
    state = batch.__getstate__()
    for name, like in arrays_of_batch(batch).items():
        state[name] = np.frombuffer(arrays[name].tobytes(), like.dtype).reshape(like.shape)
    games, n_seats = state["_games"], batch.ruleset.n_seats
    for name, low, high in (
        *((name, -1, n_seats - 1) for name in ("seat", "learner", "final_seat")),
        *((name, 0, 0) for name in ("rules", "final_rules")),
    ):
        if not ((games[name] >= low) & (games[name] <= high)).all():
            fail("games", f"{name} from {low} to {high}")
    if not np.isin(state["_policies"], list(POLICIES.values())).all():
        fail("games", "numbers of policies")
    batch.__setstate__({**state, "_seed": a_seed("seed", seed)})
