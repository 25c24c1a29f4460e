"""What a game hands over to drivers and interfaces, and what each part promises."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from murder_envs.core.checks import fail, known_only
from murder_envs.core.config import Check
from murder_envs.core.tables import Actions, Layout
from murder_envs.core.wording import Wording
from murder_envs.picture.scene import Scene

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
                                              of what it does not know (in the literature: determinization), all that
                                              fits alike, and so not the posterior of the deal
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
            A game that gives none of these three has plain ones, which name actions and phases by their identifiers,
            say of others only that they have acted, and tell nothing that a seat learns on the way.
        scene: (rules, state, reader) -> the table as a picture of what the reader knows; its size is the same for all
            states and readers.
        rules_text: the rules in our own words, 300 to 900 words of Markdown; "" if the game has none.
        rules_full: the same in full, by the rulebook's headings, and what is ours where the rulebook is silent.
        figures: (rules, state) -> numbers of a finished game, which reference figures average.
        options: `reset` options but `snapshot`, with their checks: fields of the rules record that one game may have
            otherwise.
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
    restore: Callable[[np.ndarray, Mapping[str, Any], int], np.ndarray]
    snapshot: Callable[[np.ndarray, np.ndarray], dict[str, Any]]
    info: Callable[[np.ndarray, np.ndarray, int], dict[str, Any]]
    text: Callable[[np.ndarray, np.ndarray, int | None], str]
    scene: Callable[[np.ndarray, np.ndarray, int | None], Scene]
    figures: Callable[[np.ndarray, np.ndarray], dict[str, float]]
    public: Callable[[np.ndarray, np.ndarray], dict[str, Any]]
    options: Mapping[str, Check] = field(default_factory=dict)
    title: str = ""
    figures_of_seat: Callable[[np.ndarray, np.ndarray, int], dict[str, float]] | None = None
    payoffs: str = "general_sum"
    padding: Mapping[str, tuple[int, Any]] = field(default_factory=dict)
    asked: Callable[[np.ndarray, np.ndarray, int | None], str] = None  # type: ignore[assignment]
    describe: Callable[[np.ndarray, np.ndarray, int, int | None], str] = None  # type: ignore[assignment]
    told: Callable[[np.ndarray, np.ndarray | None, int | None, np.ndarray, int | None], list[str]] = None  # type: ignore[assignment]
    rules_text: str = ""
    rules_full: str = ""

    def __post_init__(self) -> None:
        for name, plain in (("asked", _asked), ("describe", _describe), ("told", _told)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, functools.partial(plain, self))
        self.rules["config_digest"] = 0
        told = f"{self.name} {self.version} ".encode() + self.rules.tobytes()
        self.rules["config_digest"] = np.frombuffer(hashlib.blake2b(told, digest_size=8).digest(), np.uint64)

    def padded(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of what `info` says, with the same shapes in every game: lists are filled up as `padding` says."""
        fixed = dict(info)
        for name in info.keys() & self.padding.keys():
            length, filler = self.padding[name]
            fixed[name] = info[name] + [filler] * (length - len(info[name]))
        return fixed

    # Compiled code trusts the records that it is given, so what comes from outside goes through these first.

    def with_options(self, options: Mapping[str, Any]) -> np.ndarray:
        """The rules record (array of one) of a game with `reset` options.

        Raises:
            ValueError: it names an option that is unknown or out of range.
        """
        known_only(options, self.options, "reset option")
        values = {name: self.options[name](name, value) for name, value in options.items()}
        if not values:
            return self.rules
        rules = self.rules.copy()
        for name, value in values.items():
            rules[name] = value
        return rules

    def checked_rules(self, rules: np.ndarray | None) -> np.ndarray:
        """A rules record that was handed in, as one of our own: the configured one for None, or one with options.

        Raises:
            ValueError: `rules`: it is none that `with_options` of this ruleset gives.
        """
        if rules is None or rules is self.rules:
            return self.rules
        if not isinstance(rules, np.ndarray) or rules.dtype != self.rules.dtype or rules.shape != (1,):
            fail("rules", "an array of one RULES record, as `with_options` of this ruleset gives it")
        if rules.tobytes() == self.rules.tobytes():
            return self.rules
        differ = [name for name in self.rules.dtype.names or () if (rules[name] != self.rules[name]).any()]
        others = [name for name in differ if name not in self.options]
        if others:
            fail("rules", f"those of this ruleset or of its `with_options`; these differ in {others[-1]}")
        try:
            return self.with_options({name: rules[name][0] for name in differ})
        except ValueError as error:
            raise ValueError(f"rules: {error}") from None

    def checked_states(self, name: str, states: Any, n: int | None = None) -> np.ndarray:
        """States that were handed in, if they are of games that this ruleset has begun.

        What such a game has become since is not looked at: a record that was written to by hand goes unnoticed, and can
        end the process. Whoever wants a position of their own restores a snapshot.

        Args:
            name: the argument, as errors call it.
            states: STATE, array of one dimension.
            n: how many there must be; None: any number.

        Raises:
            ValueError: another type or shape, or games of another configuration, or of none.
        """
        if not isinstance(states, np.ndarray) or states.dtype != self.STATE or states.ndim != 1:
            fail(name, "an array of one dimension of this ruleset's STATE")
        if n is not None and len(states) != n:
            fail(name, f"an array of {n}, not of {len(states)}")
        if (states["config_digest"] != self.rules["config_digest"]).any():
            fail(
                name,
                "games that this configuration has begun; snapshots bring a position from one configuration to another",
            )
        return states

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


# -- Plain sentences, for a game that has none of its own -------------------------------------------------------------


def _to_act(ruleset: Ruleset, rules: np.ndarray, state: np.ndarray) -> tuple[int, str]:
    """The seat to act (-1 when over) and the phase."""
    full = ruleset.snapshot(rules, state)
    return int(full["to_act"]), str(full["phase"])


def _asked(ruleset: Ruleset, rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    seat, phase = _to_act(ruleset, rules, state)
    if seat < 0:
        return "The game is over."
    wording = Wording(ruleset.agents, reader)
    return wording.sentence("{who} [is|are] to act" + (f": {phase}" if wording.sees(seat) else ""), seat)


def _describe(ruleset: Ruleset, rules: np.ndarray, state: np.ndarray, action: int, reader: int | None) -> str:
    seat, _ = _to_act(ruleset, rules, state)
    wording = Wording(ruleset.agents, reader)
    if not wording.sees(seat):
        return wording.sentence("{who} acts", seat)
    return wording.sentence("{who} [takes|take] the action {action}", seat, action=ruleset.actions.names[action])


def _told(
    ruleset: Ruleset,
    rules: np.ndarray,
    before: np.ndarray | None,
    action: int | None,
    after: np.ndarray,
    reader: int | None,
) -> list[str]:
    if before is None or action is None:
        return ["The game begins." if reader is None else f"You are {ruleset.agents[reader]}."]
    sentences = [_describe(ruleset, rules, before, action, reader)]
    if _to_act(ruleset, rules, after)[0] < 0:
        sentences.append("The game is over.")
    return sentences
