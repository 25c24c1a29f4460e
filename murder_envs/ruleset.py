"""What a game hands over to drivers and interfaces, and what each part promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from murder_envs.core.tables import Actions, Layout

PAYOFFS = ("identical", "zero_sum", "general_sum")
"""Equal for all seats; adding up to 0; neither."""


@dataclass(frozen=True)
class Ruleset:
    """A configured game: names and sizes for people, two record types for the machine, compiled functions over them.

    The compiled functions, `kernels[name]`, in which `state` and `rules` are records, `legal_set` is a uint64 array,
    `row` an int8 array of the vector's size + `bits.PAD`, and seats are absolute:

    ========================================  ==========================================================================
    deal(state, rules, seed)                  a fresh game up to its first decision, every field written; a seed -1 - k,
                                              below 0, gives outcome k of the list of all deals (see `core.rng`)
    step(state, rules, action)                one decision; the action is known to be legal
    legal(state, rules, legal_set)            the legal set, bit a % 64 of word a // 64, every word written; empty when
                                              over
    observe(state, rules, seat, row)          the seat's observation, every byte written
    redeal(state, rules, seat, seed)          another world that the seat cannot tell from this one, in place: a sample
                                              of what it does not know (in the literature: determinization)
    world(state, rules, row)                  the whole truth, for `state()`
    returns(state, rules, out)                float64 a seat, under the configured reward; 0 before the end
    to_act(state)                             absolute seat, -1 when over
    is_over(state)                            has the game ended at all?
    is_cut_off(state)                         did a step cap end it (truncation) and not the rules?
    heuristic(row, legal_set, rules, stream)  a scripted player's action, from observation and legal set alone; `stream`
                                              is its own random stream, a uint64 array of length 1
    is_consistent(state, rules, seat)         could the others' statements so far have been made in this world, if they
                                              play like the scripted player? Always, where nobody says anything
    ========================================  ==========================================================================

    Attributes:
        name: the module's name without `_v0`.
        version: raised by every change of play, observation or action ids.
        config: all parameters with their values, defaults included.
        agents: agent names by absolute seat.
        phases: phase names by number.
        actions: the action table.
        observation: layout of the observation.
        world: layout of the state vector.
        STATE: record type of a game in progress; batches are 1-d arrays of it.
        rules: array of one record with everything that the configuration fixes.
        kernels: the compiled functions above.
        with_options: `reset` options but `snapshot` -> the rules record (array of one) of that one game;
            ValueError names a key that is unknown or out of range.
        restore: (rules, snapshot, seed) -> array of one state; ValueError names a field that cannot be.
        snapshot: (rules, state) -> complete plain dict. `state` is an array of one here and below.
        info: (rules, state, seat) -> at the end the rulebook's own score, and what else the game tells that seat;
            nothing before, so that infos have constant keys.
        text: (rules, state, reader) -> the table as text. A reader is a seat, who reads what it may know and is "you";
            or None, who sees everything from above.
        asked: (rules, state, reader) -> what the seat to act is asked, as a sentence; at the end how the game ended.
        describe: (rules, state, action, reader) -> what a legal action means, as a sentence for that reader; for
            another seat than the one to act, what it would be told. The sentences of one decision differ for who acts.
        told: (rules, before, action, after, reader) -> the sentences that the reader is told when an action has led
            from one state to another, its private ones included; with `before` and `action` None, as the game begins.
        rules_text: the rules in our own words, 300 to 900 words of Markdown.
        rules_full: the same in full, by the rulebook's headings, and what is ours where the rulebook is silent.
        figures: (rules, state) -> numbers of a finished game, which reference figures average.
        title: the game's name as printed, for pictures and tables.
        figures_of_seat: (rules, state, seat) -> numbers that say how that seat did in a finished game, NaN where one
            does not apply to it; None: the game has none.
        public: (rules, state) -> the facts that `redeal` must keep for any seat.
        padding: name of an entry of `info` that is a list of another length in each game -> its greatest length, and
            what fills up shorter ones in `padded`.
        payoffs: how the returns of the seats are related, one of PAYOFFS; all lie in -1..1.
    """

    name: str
    version: int
    config: Mapping[str, Any]
    agents: tuple[str, ...]
    phases: tuple[str, ...]
    actions: Actions
    observation: Layout
    world: Layout
    STATE: np.dtype
    rules: np.ndarray
    kernels: Mapping[str, Any]
    with_options: Callable[[Mapping[str, Any]], np.ndarray]
    restore: Callable[[np.ndarray, Mapping[str, Any], int], np.ndarray]
    snapshot: Callable[[np.ndarray, np.ndarray], dict[str, Any]]
    info: Callable[[np.ndarray, np.ndarray, int], dict[str, Any]]
    text: Callable[[np.ndarray, np.ndarray, int | None], str]
    figures: Callable[[np.ndarray, np.ndarray], dict[str, float]]
    public: Callable[[np.ndarray, np.ndarray], dict[str, Any]]
    title: str = ""
    figures_of_seat: Callable[[np.ndarray, np.ndarray, int], dict[str, float]] | None = None
    payoffs: str = "general_sum"
    padding: Mapping[str, tuple[int, Any]] = field(default_factory=dict)

    def padded(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of what `info` says, with the same shapes in every game: lists are filled up as `padding` says."""
        fixed = dict(info)
        for name in info.keys() & self.padding.keys():
            length, filler = self.padding[name]
            fixed[name] = info[name] + [filler] * (length - len(info[name]))
        return fixed

    asked: Any = None  # until every game has them
    describe: Any = None
    told: Any = None
    rules_text: str = ""
    rules_full: str = ""

    @property
    def n_seats(self) -> int:
        """How many seats the table has."""
        return len(self.agents)

    @property
    def roles(self) -> dict[str, list[int]]:
        """Role -> its seats: agents whose names differ in a number alone have one role."""
        found: dict[str, list[int]] = {}
        for seat, agent in enumerate(self.agents):
            found.setdefault(agent.rstrip("0123456789").rstrip("_"), []).append(seat)
        return found
