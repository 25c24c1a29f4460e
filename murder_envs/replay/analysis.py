"""What a search thinks of the decisions of a game that has been played."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from murder_envs.core.rng import episode_seed
from murder_envs.drivers.search import Search, SearchResult
from murder_envs.replay.file import Note, Replay
from murder_envs.ruleset import Ruleset


def note_of(ruleset: Ruleset, result: SearchResult) -> Note:
    """What a search says of a decision, as a note."""
    names, tried = ruleset.actions.names, np.flatnonzero(result.visits)
    return Note(
        visits={names[action]: int(result.visits[action]) for action in tried},
        values={names[action]: round(float(result.values[action]), 4) for action in tried},
        value=round(float(result.returns[result.seat]), 4),
    )


def annotated(replay: Replay, simulations: int, seed: int = 0, **settings: Any) -> Replay:
    """The game with what a search thinks of each decision, from what the seat to act knew; notes that it has stay.

    Args:
        replay: the game.
        simulations: how many for each decision.
        seed: int from 0 to 2^63 - 1; equal arguments give equal notes.
        settings: those of `murder_envs.drivers.search.Search`.

    Raises:
        ValueError: an argument is out of range; or an error of `Replay.play`.
    """
    search = Search(replay.ruleset, simulations=simulations, **settings)
    notes = dict(replay.notes)
    for k, cursor in enumerate(replay.play()):
        if k < len(replay.actions) and k not in notes and len(cursor.legal()) > 1:
            result = search.run(cursor.states, int(episode_seed(seed, 0, k)), rules=cursor.rules)
            notes[k] = note_of(replay.ruleset, result)
    return dataclasses.replace(replay, notes=notes)
