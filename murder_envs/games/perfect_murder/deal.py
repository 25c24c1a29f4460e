"""What a table may choose before play, the records of a game in progress, and the set-up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from murder_envs.core.bits import bit
from murder_envs.core.checks import a_bool, a_choice, an_int, known_only
from murder_envs.core.jit import kernel, records
from murder_envs.core.rng import Randomness, below, seed_rng
from murder_envs.core.tables import Actions
from murder_envs.games.perfect_murder.cards import (
    BOARDS,
    CLUE,
    MAX_ACTIONS,
    MAX_DOORS,
    MAX_PATHS,
    MAX_ROOM_CARDS,
    MAX_ROOMS,
    MAX_ROUNDS,
    MAX_SUSPECTS,
    MAX_WEAPONS,
    MURDERER,
    NOBODY,
    NONE,
    ROOM,
    TRACE,
)
from murder_envs.games.perfect_murder.case import Case, load
from murder_envs.games.perfect_murder.moves import (
    BLOCKS,
    BYTE,
    FLIGHT_OPEN,
    PLAN_SUSPECT,
    REWARD,
    actions_of,
    base_of,
    card_at,
    without_place,
)

FACE = ("board", "all_down", "all_up")
PLAN = ("choose", "random")


@dataclass(frozen=True)
class Config:
    """Parameters of a game, all keyword-only; ValueError begins with the name of a wrong one.

    Attributes:
        case: "villa", "tiny" or "micro", the path of a case file, or a table; in a table (or file) with `base`, what
            is left out is as in that built-in case.
        rounds: rounds of the game, 1..8.
        actions: the detective's actions a round, 1..4.
        board: side of the round board, "A" to "D", the hardest for the detective.
        face: "board" (its symbols say how action cards lie), "all_down" or "all_up".
        start_cards: does the detective start with a clue and a trace card?
        plan: "choose" (the murderer plans by decisions) or "random" (the plan is drawn).
        reward: "outcome" (1, else -1), "graded" (-1 + a quarter a right statement) or "swift" (less for more actions).
    """

    case: Any = "villa"
    rounds: int = 8
    actions: int = 3
    board: str = "A"
    face: str = "board"
    start_cards: bool = False
    plan: str = "choose"
    reward: str = "outcome"
    checked_case: Case = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checked_case", load(self.case))
        an_int("rounds", self.rounds, 1, MAX_ROUNDS)
        an_int("actions", self.actions, 1, MAX_ACTIONS)
        a_choice("board", self.board, BOARDS)
        a_choice("face", self.face, FACE)
        a_bool("start_cards", self.start_cards)
        a_choice("plan", self.plan, PLAN)
        a_choice("reward", self.reward, REWARD)


PARAMETERS = [parameter.name for parameter in fields(Config) if parameter.init]


def make_config(given: dict[str, Any]) -> Config:
    """A checked Config from keywords; ValueError names an unknown one."""
    known_only(given, PARAMETERS, "parameter")
    return Config(**given)


def config_dict(config: Config) -> dict[str, Any]:
    """All parameters as plain values."""
    return {name: plain(getattr(config, name)) for name in PARAMETERS}


def plain(value: Any) -> Any:
    """A parameter as given, in plain values."""
    if isinstance(value, Mapping):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


# -- What a configuration fixes -------------------------------------------------------------------

PATH_DOORS, PATH_ENTRY = 16, 48
"""A path is a word: its rooms from bit 0, the scene included; its doors; its entry room, as a set of one."""

SECTIONS = (
    "role", "acting", "stage", "phase", "round", "flight", "turn", "left", "board", "cards_up", "cards_down",
    "cards_left", "face_down", "standard", "piles", "hand_size", "card_place", "card_depth", "exposed", "drawn",
    "marker", "marker_truth", "surely_real", "plan_suspect", "plan_weapon", "plan_path", "crossed", "room_search",
    "vain_cover", "surely_off", "cover", "door_answer", "room_card", "room_card_depth", "room_card_choice", "caps",
    "suspect_possible", "weapon_possible", "entry_possible", "room_on", "door_on", "sheet_sizes", "chosen_cards",
    "chosen_room_card", "chosen_room", "named_suspect", "named_weapon", "recent", "verdict",
)  # fmt: skip
"""The observation's sections; where each starts is a field of RULES, `obs_<section>`."""

RULES = np.dtype(
    [
        ("n_rounds", np.int64),  # 1..8
        ("n_actions", np.int64),  # the detective's a round, 1..4
        ("start_cards", np.int64),  # 1: the detective starts with a clue and a trace card
        ("random_plan", np.int64),  # 1: the plan is drawn
        ("reward", np.int64),  # REWARD_*
        ("black", np.uint64),  # set of rounds that allow a bonus action
        ("down", np.uint64),  # set of black rounds whose action card lies face down
        ("board_bits", np.uint64),  # 2 bits a round from 1 on: black; a card there lies face down
        # the case
        ("n_suspects", np.int64),
        ("n_weapons", np.int64),
        ("n_rooms", np.int64),
        ("n_doors", np.int64),
        ("n_room_cards", np.int64),
        ("n_clues", np.int64),
        ("n_traces", np.int64),
        ("n_fields", np.int64),  # clues and traces
        ("fields", np.uint64),  # set of all fields
        ("clue_fields", np.uint64),
        ("trace_fields", np.uint64),
        ("suspect_fields", np.uint64, (MAX_SUSPECTS,)),  # set of clues that a suspect leaves
        ("weapon_fields", np.uint64, (MAX_WEAPONS,)),  # set of traces that a weapon leaves
        ("weapon_room", np.int64, (MAX_WEAPONS,)),
        ("weapons_in", np.uint64, (MAX_ROOMS,)),  # set of weapons lying in a room
        ("rooms", np.uint64),  # set of all rooms but the scene
        ("outer", np.uint64),  # set of rooms in which a path may begin
        ("scene", np.int64),
        ("beside", np.uint64, (MAX_ROOMS,)),  # set of rooms behind a door of a room
        ("door_between", np.int64, (MAX_ROOMS, MAX_ROOMS)),  # the door between two rooms, or NOBODY
        ("door_rooms", np.int64, (MAX_DOORS, 2)),
        ("card_rooms", np.int64, (MAX_ROOM_CARDS, 2)),  # the two rooms on a room card
        ("action_cards", np.uint64),  # copies of each action card, a byte each
        ("n_paths", np.int64),
        ("path", np.uint64, (MAX_PATHS,)),  # see PATH_DOORS
        ("path_chance", np.float64, (MAX_PATHS,)),  # how likely each is if all steps are drawn
        # where the blocks of actions and the sections of the vectors start
        *((f"act_{block}", np.int64) for block in BLOCKS),
        *((f"obs_{section}", np.int64) for section in SECTIONS),
        ("obs_size", np.int64),
    ],
    align=True,
)


def set_of(members: Any) -> int:
    """A set as an int: bit i for member i."""
    return sum(1 << int(i) for i in members)


def make_rules(config: Config) -> tuple[np.ndarray, Actions]:
    """The RULES record (array of one) of a configuration, sections left at 0; and its table of actions."""
    rules = records(RULES, 1)
    case = config.checked_case
    n = config.rounds
    black = [space for space in case.black[config.board] if space <= n]
    lying = {"board": case.down[config.board], "all_down": black, "all_up": ()}[config.face]
    down = [space for space in lying if space <= n]
    rules["n_rounds"], rules["n_actions"] = n, config.actions
    rules["start_cards"], rules["random_plan"] = config.start_cards, config.plan == "random"
    rules["reward"] = REWARD.index(config.reward)
    rules["black"], rules["down"] = set_of(black), set_of(down)
    rules["board_bits"] = set_of(2 * space - 2 for space in black) | set_of(2 * space - 1 for space in down)
    actions = actions_of(case)
    for block, start in actions.starts.items():
        rules[f"act_{block}"] = start
    write_case(rules, case)
    return rules, actions


def write_case(rules: np.ndarray, case: Case) -> None:
    """The case's sizes and tables."""
    r = rules[0]
    n_fields = len(case.fields)
    rules["n_suspects"], rules["n_weapons"] = len(case.suspects), len(case.weapons)
    rules["n_rooms"], rules["n_doors"] = len(case.rooms), len(case.doors)
    rules["n_room_cards"] = len(case.room_cards)
    rules["n_clues"], rules["n_traces"], rules["n_fields"] = case.n_clues, n_fields - case.n_clues, n_fields
    rules["fields"] = set_of(range(n_fields))
    rules["clue_fields"] = set_of(range(case.n_clues))
    rules["trace_fields"] = set_of(range(case.n_clues, n_fields))
    for suspect, its in enumerate(case.suspect_fields):
        r["suspect_fields"][suspect] = set_of(its)
    for weapon, (its, room) in enumerate(zip(case.weapon_fields, case.weapon_rooms, strict=True)):
        r["weapon_fields"][weapon] = set_of(its)
        r["weapon_room"][weapon] = room
        r["weapons_in"][room] |= np.uint64(1 << weapon)
    rules["rooms"] = set_of(room for room in range(len(case.rooms)) if room != case.scene)
    rules["outer"] = set_of(case.outer)
    rules["scene"] = case.scene
    r["door_between"][:] = NOBODY
    for door, (a, b) in enumerate(case.door_rooms):
        r["door_rooms"][door] = a, b
        for here, there in ((a, b), (b, a)):
            r["beside"][here] |= np.uint64(1 << there)
            r["door_between"][here, there] = door
    for card, pair in enumerate(case.room_cards):
        r["card_rooms"][card] = pair
    rules["action_cards"] = sum(n << 8 * card for card, n in enumerate(case.action_cards))
    rules["n_paths"] = len(case.paths)
    r["path_chance"][: len(case.paths)] = case.path_chances
    for i, path in enumerate(case.paths):
        doors = set_of(r["door_between"][a, b] for a, b in zip(path, path[1:]))
        r["path"][i] = set_of(path) | doors << PATH_DOORS | 1 << path[0] << PATH_ENTRY


# -- A game in progress -----------------------------------------------------------------------------

MAX_RECORD = 64
N_PATH_WORDS = MAX_PATHS // 64
N_BYTE_WORDS = 2 * MAX_ROOMS // 8
"""Words of an array of bytes, at most two a room; all are as long, so that one compiled function serves them."""
N_RECENT = 8

STATE = np.dtype(
    [
        # whose move
        ("phase", np.uint8),  # what is being asked: index in PHASES
        ("to_act", np.int8),  # seat asked; NO_SEAT when over
        ("round_n", np.uint8),  # 1..n_rounds; `round` is a method of every record where nothing is compiled
        ("actions_left", np.uint8),  # the detective's in this round
        ("actions_used", np.uint8),  # the detective's in the game so far
        ("standard_done", np.uint8),  # 1: this round's standard action is done
        ("bonus_done", np.uint8),  # 1: this round's bonus action is done
        ("searched", np.uint8),  # 1: the detective has searched in this round
        ("flight", np.uint8),  # FLIGHT_*
        ("verdict", np.uint8),  # 0, or 1 + the seat that has won
        # what the action under way has named so far
        ("pile", np.uint8),  # 0, or 1 + the pile
        ("chosen_room", np.int8),  # or NOBODY
        ("chosen_room_card", np.int8),  # or NOBODY
        ("named_suspect", np.int8),  # or NOBODY; after the end, whom the detective has accused
        ("named_weapon", np.int8),
        ("named_entry", np.int8),
        ("chosen", np.uint32),  # set of cards
        # the plan
        ("suspect", np.int8),  # or NOBODY
        ("weapon", np.int8),  # or NOBODY
        ("path_n", np.uint8),  # rooms of the path so far
        ("path", np.uint8, (MAX_ROOMS,)),  # path_n rooms, the entry first
        ("path_rooms", np.uint16),  # the same as a set
        ("path_doors", np.uint32),  # set of its doors
        # cards: clues and traces are in a pile, in the hand, discarded or out of the game
        ("hand", np.uint32),  # set of cards that the detective holds
        ("discarded", np.uint32),
        ("out", np.uint32),  # removed or stolen
        ("stolen", np.uint32),  # of these, what the detective has seen go
        ("known", np.uint32),  # cards in a pile or the hand whose place the murderer has seen
        ("pile_n", np.uint8, (3,)),  # sizes of the clue, trace and room pile
        ("piles", np.uint64, (3,)),  # their cards, four bits each, the top one lowest
        ("known_rooms", np.uint8),  # how many at the bottom of the room pile both have seen
        # action cards, a byte each
        ("up", np.uint64),  # lying face up
        ("down", np.uint64),  # lying face down
        ("n_down", np.uint8),  # how many these are
        ("standard_n", np.uint8, (3,)),  # clue removals, trace removals, room cards used
        # markers
        ("false_marks", np.uint32),  # set of fields with a false X
        ("x_up", np.uint32),  # fields with an X face up
        ("blank_off", np.uint32),  # fields whose blank has been taken off
        ("surely_real", np.uint32),  # an X that turned up when no false mark could lie there
        # rooms and doors
        ("crossed", np.uint16),  # set of rooms cleaned, or searched with success
        ("found", np.uint16),  # set of rooms where the detective has found something
        ("vain", np.uint16),  # set of rooms first searched in vain
        ("surely_off", np.uint16),  # of these, those that cannot have been cleaned
        ("vain_cover", np.uint64, (N_BYTE_WORDS,)),  # two bytes a room: by then, room cards used that name it, and
        # free cleanings that can lie
        ("cover", np.uint64, (N_BYTE_WORDS,)),  # room cards used that name a room; a byte each
        ("used_room_cards", np.uint16),  # set of room cards
        ("room_card_choice", np.uint64, (N_BYTE_WORDS,)),  # a byte each: which room was crossed out, from 1; 0: none
        ("door_yes", np.uint32),  # sets of doors
        ("door_no", np.uint32),
        # what has been done: see `record_event`
        ("record", np.uint32, (MAX_RECORD,)),  # record_n entries, oldest first
        ("record_n", np.uint8),
        ("recent", np.uint64, (3,)),  # the last eight as the observation has them, three bytes each
        # the sheet: a cache, renewed by `observe` where `stale` is 1; no part of what a state is
        ("stale", np.uint8),
        ("suspects", np.uint16),  # set of suspects that are possible
        ("weapons", np.uint16),  # set of weapons that are possible
        ("caps", np.uint64),  # most false clues, false traces and free cleanings that can lie; a byte each
        ("n_ways", np.uint8),  # number of possible paths, at most MOST_WAYS
        ("on_some", np.uint64),  # what is on some possible path; in the form of a path (see PATH_DOORS)
        ("on_all", np.uint64),  # what is on every one
        ("ways", np.uint64, (N_PATH_WORDS,)),  # set of paths that doors, finds and `surely_off` allow
        *((name, field.dtype) for name, field in Randomness.fields.items()),
    ],
    align=True,
)


@kernel
def clear(state, rules):
    """An empty table before the planning: every field, the random numbers left alone."""
    state.phase = PLAN_SUSPECT
    state.to_act = MURDERER
    state.round_n = 1
    state.actions_left = rules.n_actions
    state.actions_used = 0
    state.standard_done = 0
    state.bonus_done = 0
    state.searched = 0
    state.flight = FLIGHT_OPEN
    state.verdict = 0
    state.named_suspect = NOBODY
    state.named_weapon = NOBODY
    state.named_entry = NOBODY
    clear_chosen(state)
    clear_plan(state)
    state.hand = 0
    state.discarded = 0
    state.out = 0
    state.stolen = 0
    state.known = 0
    for pile in range(3):
        state.pile_n[pile] = 0
        state.piles[pile] = NONE
        state.standard_n[pile] = 0
        state.recent[pile] = NONE
    state.known_rooms = 0
    state.up = NONE
    state.down = NONE
    state.n_down = 0
    state.false_marks = 0
    state.x_up = 0
    state.blank_off = 0
    state.surely_real = 0
    state.crossed = 0
    state.found = 0
    state.vain = 0
    state.surely_off = 0
    for i in range(N_BYTE_WORDS):
        state.vain_cover[i] = NONE
        state.cover[i] = NONE
        state.room_card_choice[i] = NONE
    state.used_room_cards = 0
    state.door_yes = 0
    state.door_no = 0
    for i in range(MAX_RECORD):
        state.record[i] = 0
    state.record_n = 0
    state.stale = 1
    state.suspects = 0
    state.weapons = 0
    state.caps = NONE
    state.n_ways = 0
    state.on_some = NONE
    state.on_all = NONE
    for i in range(N_PATH_WORDS):
        left = rules.n_paths - 64 * i
        state.ways[i] = NONE if left <= 0 else (~NONE if left >= 64 else bit(left) - np.uint64(1))


@kernel
def byte_of(row, i):
    """The i-th byte of an array of words."""
    return np.int64((row[i >> 3] >> np.uint64(8 * (i & 7))) & BYTE)


@kernel
def add_byte(row, i, n):
    """Add to the i-th byte of an array of words, which can hold the sum."""
    row[i >> 3] += np.uint64(n) << np.uint64(8 * (i & 7))


@kernel
def clear_chosen(state):
    """No action is under way."""
    state.pile = 0
    state.chosen = 0
    state.chosen_room = NOBODY
    state.chosen_room_card = NOBODY


@kernel
def clear_plan(state):
    """Nothing is planned."""
    state.suspect = NOBODY
    state.weapon = NOBODY
    state.path_n = 0
    for i in range(MAX_ROOMS):
        state.path[i] = 0
    state.path_rooms = 0
    state.path_doors = 0


@kernel
def set_up(state, rules, seed):
    """Setup: shuffle the piles; the detective may be dealt a clue and a trace card, which the murderer never sees."""
    clear(state, rules)
    seed_rng(state, seed)
    for pile in range(3):
        n = rules.n_room_cards if pile == ROOM else (rules.n_traces if pile == TRACE else rules.n_clues)
        cards = NONE
        for card in range(n):
            cards |= np.uint64(card) << np.uint64(4 * card)
        state.pile_n[pile] = n
        state.piles[pile] = shuffled(state, cards, 0, n)
    if rules.start_cards != 0:
        draw(state, rules, CLUE)
        draw(state, rules, TRACE)


@kernel
def shuffled(state, pile, start, stop):
    """A pile with the cards from `start` to before `stop` in a uniform random order (Fisher-Yates)."""
    for i in range(stop - 1, start, -1):
        j = start + below(state, i - start + 1)
        change = np.uint64(card_at(pile, i) ^ card_at(pile, j))
        pile ^= change << np.uint64(4 * i)
        pile ^= change << np.uint64(4 * j)
    return pile


@kernel
def take_from_pile(state, kind, place):
    """Take the card at a place out of a pile; its number within its kind."""
    card = card_at(np.uint64(state.piles[kind]), place)
    state.piles[kind] = without_place(np.uint64(state.piles[kind]), place)
    state.pile_n[kind] -= 1
    return card


@kernel
def draw(state, rules, kind):
    """The detective draws the top card of a pile."""
    state.hand |= bit(base_of(rules, kind) + take_from_pile(state, kind, 0))


@kernel
def put_under(state, kind, card):
    """Put a card under a pile."""
    n = np.int64(state.pile_n[kind])
    state.piles[kind] |= np.uint64(card) << np.uint64(4 * n)
    state.pile_n[kind] = n + 1


@kernel
def put_on_top(state, kind, card):
    """Put a card on top of a pile."""
    state.piles[kind] = np.uint64(state.piles[kind]) << np.uint64(4) | np.uint64(card)
    state.pile_n[kind] += 1


# -- The record -------------------------------------------------------------------------------------

RECENT_BITS = np.uint64(24)
RECENT_SPILL = np.uint64(64 - 24)


@kernel
def record_event(state, kind, result, a, b, c, d, thing, value):
    """Enter a finished action: its kind, result and up to four arguments; and the object and value that all see.

    The arguments, by kind (cards and markers are fields; numbers from 0):
    remove: card. clean: room card, room. up, down: action card, field or room or card, 1 + second stolen card.
    search: room, clue cards, trace cards. door: door. request: 1 + kind, cards. play: card. discard: 3 cards, field.
    accuse: suspect, weapon, entry.
    """
    state.record[state.record_n] = kind | result << 4 | a << 8 | b << 14 | c << 20 | d << 26
    state.record_n += 1
    shown = np.uint64(kind | thing << 8 | value << 16)
    state.recent[2] = np.uint64(state.recent[2]) << RECENT_BITS | np.uint64(state.recent[1]) >> RECENT_SPILL
    state.recent[1] = np.uint64(state.recent[1]) << RECENT_BITS | np.uint64(state.recent[0]) >> RECENT_SPILL
    state.recent[0] = np.uint64(state.recent[0]) << RECENT_BITS | shown


@kernel
def kind_of_event(event):
    """What an entry is of."""
    return np.int64(event) & 15


@kernel
def result_of(event):
    """Its result."""
    return np.int64(event) >> 4 & 15


@kernel
def argument(event, i):
    """Its i-th argument."""
    return np.int64(event) >> (8 + 6 * i) & 63


@kernel
def with_argument(event, i, value):
    """The entry with another i-th argument."""
    shift = 8 + 6 * i
    return np.int64(event) & ~(63 << shift) | value << shift
