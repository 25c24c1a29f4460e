"""What a table may choose before play."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from murder_envs.core.config import Parameters, boolean, integer, option, parameter
from murder_envs.core.snapshots import set_of
from murder_envs.core.tables import Actions, Layout
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.case import Case, kept, load
from murder_envs.games.perfect_murder.layout import observation_of
from murder_envs.games.perfect_murder.moves import actions_of
from murder_envs.games.perfect_murder.state import PATH_DOORS, PATH_ENTRY, Rules

BOARDS = dict(zip(c.BOARDS, ("the easiest for the detective", "harder", "harder still", "the hardest")))
FACES = dict(
    zip(
        c.FACES,
        (
            "as the symbols of the round board say",
            "face down, which is harder for the detective; steal and search always lie face up",
            "face up, which is easier for the detective",
        ),
    )
)
PLANS = {
    "choose": "by the murderer's own decisions",
    "random": "it is drawn, and the game begins after it",
}
PAID = {
    "outcome": "the detective gets 1 for a right accusation, else -1; the murderer gets the negative",
    "graded": "as `outcome`, but after a wrong accusation the detective gets back a quarter for each right statement",
    "swift": "as `outcome`, but a right accusation is worth up to a half less, in proportion to the actions used",
}

_MICRO = {"case": "micro", "rounds": 1, "actions": 1}
_TINY = {"case": "tiny", "rounds": 1, "actions": 1}
CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "board_b": {"board": "B"},
    "board_c": {"board": "C"},
    "board_d": {"board": "D"},
    "all_down": {"face": "all_down"},
    "all_up": {"face": "all_up"},
    "start_cards": {"start_cards": True},
    "micro": _MICRO,
    "micro_1_2": {**_MICRO, "actions": 2},
    "micro_1_1_c": {**_MICRO, "board": "C"},
    "micro_2_1": {**_MICRO, "rounds": 2},
    "micro_2_1_d": {**_MICRO, "rounds": 2, "board": "D"},
    "tiny": _TINY,
    "tiny_2_1": {**_TINY, "rounds": 2},
}
"""Named configurations: the levels of the rulebook, and small games by case, rounds, actions and board, which can be
solved."""


def a_case(name: str, value: Any) -> Any:
    """A name or a table; `Config.loaded` checks what it says."""
    return kept(value)


@dataclass(frozen=True, kw_only=True)
class Config(Parameters):
    """Parameters of a game."""

    case: Any = parameter(
        "villa", "the case; a table (or file) with `base` takes what it leaves out from that built-in case", a_case,
        '"villa", "tiny", "micro", the path of a case file, or a table',
    )  # fmt: skip
    rounds: int = integer(c.MAX_ROUNDS, "rounds of the game", low=1, high=c.MAX_ROUNDS)
    actions: int = integer(3, "the detective's actions a round", low=1, high=c.MAX_ACTIONS)
    board: str = option("A", "side of the round board", BOARDS)
    face: str = option("board", "how action cards lie when they are played", FACES)
    start_cards: bool = boolean(False, "does the detective start with a clue and a trace card?")
    plan: str = option("choose", "how the murder is planned", PLANS)
    reward: str = option("outcome", "how the end is paid", PAID)

    def check(self) -> None:
        """The case can be read, and can be played."""
        _ = self.loaded

    @functools.cached_property
    def loaded(self) -> Case:
        """The case itself; ValueError names `case` or `case.<key>`."""
        return load(self.case)


def make_rules(config: Config) -> tuple[np.ndarray, Actions, Layout]:
    """The Rules record (array of one) of a configuration, its table of actions and its observation's layout.

    Round board: a black space allows a bonus action, and one with the symbol has its card face down ("board"). Harder
    or easier: all cards face down, or all face up. Spaces past the last round are left out.
    """
    rules = Rules.from_config(config)
    case = config.loaded
    black = [space for space in case.black[config.board] if space <= config.rounds]
    lying = {"board": case.down[config.board], "all_down": black, "all_up": ()}[config.face]
    down = [space for space in lying if space <= config.rounds]
    rules["black"], rules["down"] = set_of(black), set_of(down)
    rules["board_bits"] = set_of(2 * space - 2 for space in black) | set_of(2 * space - 1 for space in down)
    actions, observation = actions_of(case), observation_of(case)
    for block, start in actions.starts.items():
        rules[f"act_{block}"] = start
    for section in observation:
        rules[f"obs_{section}"] = observation.start(section)
    rules["obs_size"] = observation.size
    write_sizes(rules, case)
    write_people(rules, case)
    write_villa(rules, case)
    return rules, actions, observation


def write_sizes(rules: np.ndarray, case: Case) -> None:
    """How many there are of everything."""
    for what in ("suspects", "weapons", "rooms", "doors", "room_cards", "fields", "paths"):
        rules[f"n_{what}"] = len(getattr(case, what))
    rules["n_clues"] = case.n_clues
    rules["n_traces"] = len(case.fields) - case.n_clues


def write_people(rules: np.ndarray, case: Case) -> None:
    """What suspects and weapons leave, where weapons lie, and the action cards."""
    rules["all_fields"] = set_of(range(len(case.fields)))
    rules["clue_fields"] = set_of(range(case.n_clues))
    rules["trace_fields"] = set_of(range(case.n_clues, len(case.fields)))
    for suspect, clues in enumerate(case.suspect_fields):
        rules["suspect_fields"][0, suspect] = set_of(clues)
    for weapon, (traces, room) in enumerate(zip(case.weapon_fields, case.weapon_rooms, strict=True)):
        rules["weapon_fields"][0, weapon] = set_of(traces)
        rules["weapon_room"][0, weapon] = room
        rules["weapons_in"][0, room] |= np.uint64(1 << weapon)
    rules["action_cards"] = sum(n << 8 * card for card, n in enumerate(case.action_cards))


def write_villa(rules: np.ndarray, case: Case) -> None:
    """Rooms, doors, room cards and paths."""
    rules["rooms"] = set_of(room for room in range(len(case.rooms)) if room != case.scene)
    rules["outer"] = set_of(case.outer)
    rules["scene"] = case.scene
    door_between = rules["door_between"][0]
    door_between[:] = c.NOBODY
    for door, (a, b) in enumerate(case.door_rooms):
        for here, there in ((a, b), (b, a)):
            rules["beside"][0, here] |= np.uint64(1 << there)
            door_between[here, there] = door
    rules["card_rooms"][0, : len(case.room_cards)] = case.room_cards
    rules["path_chance"][0, : len(case.paths)] = case.path_chances
    for i, path in enumerate(case.paths):
        doors = set_of(door_between[a, b] for a, b in zip(path, path[1:]))
        rules["path"][0, i] = set_of(path) | doors << PATH_DOORS | 1 << path[0] << PATH_ENTRY
