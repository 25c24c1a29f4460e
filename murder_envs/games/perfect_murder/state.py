"""The records: what a configuration and its case fix (Rules), and a game in progress (State).

Three packings save room. A *pile* is a word of four bits a card, the top card lowest, each card by its number within
its kind. A *path* is a word too, see PATH_DOORS. And small counts stand in words of a byte each ("a byte a room").
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE
from murder_envs.core.jit import kernel
from murder_envs.core.records import NOTHING, choice, flag, members, number, seat, starts, table
from murder_envs.core.rng import Randomness
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.layout import N_RECENT, SECTIONS
from murder_envs.games.perfect_murder.moves import BLOCKS, FLIGHTS, PHASES, PILES, PLANS, REWARDS, VERDICTS

PATH_DOORS, PATH_ENTRY = 16, 48
"""A path as a word: its rooms from bit 0, the scene included; its doors from PATH_DOORS; its entry room, as a set of
one, from PATH_ENTRY. So "passes these rooms and doors" is one comparison."""


class Rules(starts(act=BLOCKS, obs=SECTIONS)):  # type: ignore[misc]
    """What a configuration and its case fix; also where each block of actions and each section of the observation
    starts: `act_card`, `obs_hand_size`."""

    rounds: int = number("1 to 8")
    actions: int = number("the detective's in a round, 1 to 4")
    start_cards: int = flag("1: the detective starts with a clue and a trace card")
    plan: int = choice(PLANS, "is the plan chosen, or drawn?")
    reward: int = choice(REWARDS, "how the end is paid")
    black: int = table(np.uint64, "set of rounds that allow a bonus action")
    down: int = table(np.uint64, "set of black rounds whose action card lies face down")
    board_bits: int = table(np.uint64, "two bits a round from 1 on: black; a card there lies face down")
    # the case: sizes
    n_suspects: int = number("suspects")
    n_weapons: int = number("weapons")
    n_rooms: int = number("rooms")
    n_doors: int = number("doors")
    n_room_cards: int = number("room cards")
    n_clues: int = number("clue fields, and clue cards")
    n_traces: int = number("trace fields, and trace cards")
    n_fields: int = number("both together")
    n_paths: int = number("paths from an outer room to the scene")
    obs_size: int = number("bytes of the observation")
    # the case: tables
    all_fields: int = table(np.uint64, "set of all fields")
    clue_fields: int = table(np.uint64, "set of the clue fields")
    trace_fields: int = table(np.uint64, "set of the trace fields")
    suspect_fields: np.ndarray = table(np.uint64, "set of the clues that a suspect leaves", shape=(c.MAX_SUSPECTS,))
    weapon_fields: np.ndarray = table(np.uint64, "set of the traces that a weapon leaves", shape=(c.MAX_WEAPONS,))
    weapon_room: np.ndarray = number("where a weapon lies", shape=(c.MAX_WEAPONS,))
    weapons_in: np.ndarray = table(np.uint64, "set of the weapons lying in a room", shape=(c.MAX_ROOMS,))
    rooms: int = table(np.uint64, "set of all rooms but the scene")
    outer: int = table(np.uint64, "set of the rooms in which a path may begin")
    scene: int = number("the room of the crime")
    beside: np.ndarray = table(np.uint64, "set of the rooms behind a door of a room", shape=(c.MAX_ROOMS,))
    door_between: np.ndarray = number("the door between two rooms, or NOBODY", shape=(c.MAX_ROOMS, c.MAX_ROOMS))
    card_rooms: np.ndarray = number("the two rooms on a room card", shape=(c.MAX_ROOM_CARDS, 2))
    action_cards: int = table(np.uint64, "copies of each action card, a byte each")
    path: np.ndarray = table(np.uint64, "every path as a word", shape=(c.MAX_PATHS,))
    path_chance: np.ndarray = table(np.float64, "how likely it is if all steps are drawn", shape=(c.MAX_PATHS,))


MAX_RECORD = 64
N_PATH_WORDS = c.MAX_PATHS // 64
N_BYTE_WORDS = 2 * c.MAX_ROOMS // 8
"""Words of an array of bytes, at most two a room; all are as long, so that one compiled function serves them."""
RECENT_WORDS = 3 * N_RECENT // 8


class State(Randomness):
    """A game in progress. Sets of cards and markers are sets of fields."""

    # whose move
    phase: int = choice(PHASES, "what is being asked", snapshot=True)
    to_act: int = seat("who is asked; NO_SEAT when over")
    round: int = number("from 1 on", dtype=np.int8, empty=1, low=1, high="rounds", snapshot=True, public=True)
    actions_left: int = number("the detective's in this round", dtype=np.int8, snapshot=True, public=True)
    actions_used: int = number("the detective's in the game so far", dtype=np.int8, snapshot=True, public=True)
    standard_done: int = flag("this round's standard action is done", snapshot=True, public=True)
    bonus_done: int = flag("this round's bonus action is done", snapshot=True, public=True)
    searched: int = flag("the detective has searched in this round", snapshot=True, public=True)
    flight: int = choice(FLIGHTS, "has the murderer decided to stay or to flee?")
    verdict: int = choice(VERDICTS, "who has won", snapshot="winner", public=True)
    # what the action under way has named so far
    pile: int = choice(PILES, "the pile", snapshot=True)
    chosen_room: int = number("where something was just found, or NOBODY", dtype=np.int8, empty=c.NOBODY)
    chosen_room_card: int = number("the room card to clean with, or NOBODY", dtype=np.int8, empty=c.NOBODY)
    named_suspect: int = number("accused, also after the end, or NOBODY", dtype=np.int8, empty=c.NOBODY)
    named_weapon: int = number("accused with it, or NOBODY", dtype=np.int8, empty=c.NOBODY)
    named_entry: int = number("accused of having entered there, or NOBODY", dtype=np.int8, empty=c.NOBODY)
    chosen: int = members("cards", dtype=np.uint32)
    # the plan
    suspect: int = choice("suspects", "the culprit", empty=NOTHING, snapshot=True)
    weapon: int = choice("weapons", "the murder weapon", empty=NOTHING, snapshot=True)
    path: np.ndarray = number("path_n rooms, the entry first", dtype=np.int8, shape=(c.MAX_ROOMS,))
    path_n: int = number("rooms of the path so far", dtype=np.int8)
    path_rooms: int = members("the same as a set", dtype=np.uint32)
    path_doors: int = members("doors of the path", dtype=np.uint32)
    # clue and trace cards: each is in a pile, in the hand, discarded, or out of the game
    hand: int = members("the detective's cards", dtype=np.uint32, names="fields", snapshot=True)
    discarded: int = members(
        "cards played or laid down", dtype=np.uint32, names="fields", snapshot="discard", public=True
    )
    out: int = members("cards removed or stolen", dtype=np.uint32, names="fields", snapshot="removed")
    stolen: int = members("of these, what the detective has seen go", dtype=np.uint32)
    known: int = members(
        "cards in a pile or the hand whose place the murderer has seen", dtype=np.uint32, names="fields", snapshot=True
    )
    piles: np.ndarray = table(np.uint64, "the clue, trace and room pile, see above", shape=(3,))
    pile_n: np.ndarray = number("their sizes", dtype=np.int8, shape=(3,))
    known_rooms: int = number(
        "how many cards at the bottom of the room pile both have seen", dtype=np.int8, snapshot=True, public=True
    )
    # action cards
    up: int = table(np.uint64, "copies lying face up, a byte each")
    down: int = table(np.uint64, "copies lying face down, a byte each")
    n_down: int = number("how many these are", dtype=np.int8)
    standard_n: np.ndarray = number("clue removals, trace removals, room cards used", dtype=np.int8, shape=(3,))
    # markers
    false_marks: int = members("fields with a false X", dtype=np.uint32, names="fields", snapshot=True)
    x_up: int = members("fields with an X face up", dtype=np.uint32)
    blank_off: int = members("fields whose blank has been taken off", dtype=np.uint32)
    surely_real: int = members("fields with an X that turned up when no false one could lie there", dtype=np.uint32)
    # rooms and doors
    crossed: int = members("rooms cleaned, or searched with success", dtype=np.uint32, names="rooms", snapshot=True)
    finds: int = members("rooms where the detective has found something", dtype=np.uint32)
    vain: int = members("rooms first searched in vain", dtype=np.uint32)
    surely_off: int = members("of these, rooms that cannot have been cleaned: not on the path", dtype=np.uint32)
    vain_cover: np.ndarray = table(
        np.uint64,
        "two bytes a room, at its first search in vain: used room cards that name it; free cleanings that can lie",
        shape=(N_BYTE_WORDS,),
    )
    cover: np.ndarray = table(np.uint64, "a byte a room: used room cards that name it", shape=(N_BYTE_WORDS,))
    used_room_cards: int = members("room cards", dtype=np.uint32)
    room_card_choice: np.ndarray = table(
        np.uint64, "a byte a card: which of its rooms was crossed out, 1 or 2; 0: none", shape=(N_BYTE_WORDS,)
    )
    door_yes: int = members("doors on the path, as answered", dtype=np.uint32)
    door_no: int = members("doors not on the path, as answered", dtype=np.uint32)
    # what has been done, see `record_event`
    record: np.ndarray = table(np.int32, "record_n entries, oldest first", shape=(MAX_RECORD,))
    record_n: int = number("how many there are", dtype=np.int8)
    recent: np.ndarray = table(
        np.uint64, "the last eight as the observation has them, three bytes each", shape=(RECENT_WORDS,)
    )
    # the sheet (see `sheet.py`): a cache, and no part of what a state is
    stale: int = flag("1: to be renewed before it is read", empty=1)
    suspects: int = members("possible suspects", dtype=np.uint32)
    weapons: int = members("possible weapons", dtype=np.uint32)
    caps: int = table(np.uint64, "a byte each: most false clues, false traces, free cleanings that can lie")
    n_ways: int = number("possible paths, at most MOST_WAYS", dtype=np.int8)
    on_some: int = table(np.uint64, "what is on some possible path, in the form of a path")
    on_all: int = table(np.uint64, "what is on every one")
    ways: np.ndarray = table(np.uint64, "set of the paths that no answer has struck out", shape=(N_PATH_WORDS,))


# -- Bytes in words -------------------------------------------------------------------------------


@kernel
def byte_of(row, i):
    """The i-th byte of an array of words."""
    return np.int64((row[i >> 3] >> (8 * (i & 7))) & BYTE)


@kernel
def add_byte(row, i, n):
    """Add to the i-th byte of an array of words, which can hold the sum."""
    row[i >> 3] += np.uint64(n) << (8 * (i & 7))


@kernel
def put_byte(row, i, n):
    """Write the i-th byte of an array of words."""
    shift = 8 * (i & 7)
    row[i >> 3] = (row[i >> 3] & ~(BYTE << shift)) | np.uint64(n) << shift


@kernel
def copies(packed, card):
    """How many of an action card, in a word of one byte a card."""
    return np.int64((packed >> (8 * card)) & BYTE)


# -- The record -------------------------------------------------------------------------------------
# An entry is 4 bits of kind, 4 of result, and up to four arguments of 6 bits; by kind (numbers from 0):
#   remove: card                  search: room, clue cards, trace cards    discard: 3 cards, field of the marker
#   clean: room card, room        door: door                               accuse: suspect, weapon, entry
#   up, down: action card; its field, room or (first) card; 1 + the second stolen card
#   request: 1 + kind, cards      play: card

KIND_BITS = RESULT_BITS = 4
ARGUMENT_BITS = 6
RECENT_BITS = 24
RECENT_SPILL = 64 - RECENT_BITS


@kernel
def packed(a, b, c, d):
    """Four arguments of an entry as one number."""
    return a | b << ARGUMENT_BITS | c << 2 * ARGUMENT_BITS | d << 3 * ARGUMENT_BITS


@kernel
def record_event(state: State, kind, result, arguments, thing, value):
    """Enter a finished action, with its arguments as one number; and for the observation the object and the value that
    both seats see."""
    state.record[state.record_n] = kind | result << KIND_BITS | arguments << (KIND_BITS + RESULT_BITS)
    state.record_n += 1
    shown = np.uint64(kind | thing << 8 | value << 16)
    state.recent[2] = state.recent[2] << RECENT_BITS | state.recent[1] >> RECENT_SPILL
    state.recent[1] = state.recent[1] << RECENT_BITS | state.recent[0] >> RECENT_SPILL
    state.recent[0] = state.recent[0] << RECENT_BITS | shown


@kernel
def kind_of_event(event):
    """What an entry is of."""
    return event & 15


@kernel
def result_of(event):
    """Its result."""
    return event >> KIND_BITS & 15


@kernel
def argument(event, i):
    """Its i-th argument."""
    return event >> (KIND_BITS + RESULT_BITS + ARGUMENT_BITS * i) & 63


@kernel
def with_argument(event, i, value):
    """The entry with another i-th argument."""
    shift = KIND_BITS + RESULT_BITS + ARGUMENT_BITS * i
    return event & ~(63 << shift) | value << shift
