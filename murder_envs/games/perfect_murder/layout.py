"""Where each part of the observation and of the state vector lies. Sizes follow from a case, so the starts of the
observation's sections are fields of Rules: `rules.obs_hand_size`."""

from __future__ import annotations

from murder_envs.core.tables import Layout
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.moves import PHASES, STAGES

Size = int | str
"""A number, or the part of a case of which there are so many: `fields`, `rooms`."""
Row = tuple[str, Size | tuple[Size, Size], int, int, str]

MOST_WAYS = 127
"""More possible paths than these are not told apart."""
N_RECENT = 8
MOST_LEFT = 64
MOST_DOWN = 12
MOST_SHOWN = 1 + max(c.MAX_FIELDS, c.MAX_DOORS)
"""The greatest object of an entry: 1 + a field or a door."""
_MOST = c.MAX_OF_A_KIND
_TOP = "the top being 1"

_ROWS: tuple[Row, ...] = (
    ("role", 2, 0, 1, "who looks, one-hot: murderer, detective"),
    ("acting", 1, 0, 1, "this seat is to act"),
    ("stage", len(STAGES), 0, 1, "one-hot: " + ", ".join(STAGES)),
    ("phase", len(PHASES) - 1, 0, 1, "what this seat is asked, one-hot; 0s if it is not to act"),
    ("round", c.N_SPACES, 0, 1, "one-hot"),
    ("flight", 2, 0, 1, "the murderer has stayed; has fled"),
    ("turn", 4, 0, c.MAX_ACTIONS, "the detective's actions left; standard done; bonus done; searched this round"),
    ("left", 2, 0, MOST_LEFT, "rounds after this one; the detective's actions used"),
    ("board", (c.N_SPACES, 2), 0, 1, "rounds 1..8: black; an action card there lies face down"),
    ("cards_up", len(c.ACTION_CARDS), 0, c.MAX_COPIES, "action cards lying face up: " + ", ".join(c.ACTION_CARDS)),
    ("cards_down", len(c.ACTION_CARDS), 0, c.MAX_COPIES, "action cards lying face down; murderer only"),
    ("cards_left", len(c.ACTION_CARDS), 0, c.MAX_COPIES, "murderer: those in hand; detective: those not lying face up"),
    ("face_down", 1, 0, MOST_DOWN, "number of action cards lying face down"),
    ("standard", 3, 0, _MOST, "clue removals, trace removals, room cards used"),
    ("piles", 3, 0, _MOST, "sizes of the clue, trace and room pile"),
    ("hand_size", 2, 0, _MOST, "clue and trace cards in the detective's hand"),
    ("card_place", ("fields", 5), 0, 1, "one-hot: unknown, known in the pile, in the hand, discarded, out"),
    ("card_depth", "fields", 0, _MOST, f"place in the pile if known, {_TOP}; murderer only"),
    ("exposed", "fields", 0, 1, "in the hand and known to the murderer"),
    ("drawn", "fields", 0, 1, "cards that the murderer is looking at; murderer only"),
    ("marker", ("fields", 5), 0, 1, "one-hot: unknown, face-down blank, face-down X, X face up, blank taken off"),
    ("marker_truth", "fields", 0, 2, "1 a real X, 2 a false one; murderer only"),
    ("surely_real", "fields", 0, 1, "an X that turned up when no false one could lie there"),
    ("plan_suspect", "suspects", 0, 1, "the culprit, one-hot; murderer only"),
    ("plan_weapon", "weapons", 0, 1, "the weapon, one-hot; murderer only"),
    ("plan_path", "rooms", 0, c.MAX_ROOMS, "place on the path, the entry being 1; murderer only"),
    ("crossed", "rooms", 0, 1, "crossed out: cleaned, or searched with success; murderer only"),
    ("room_search", ("rooms", 3), 0, 1, "one-hot: never searched, found something once, in vain only"),
    ("vain_cover", ("rooms", 2), 0, 12, "at the first search in vain: used cards that name it; free cleanings"),
    ("surely_off", "rooms", 0, 1, "searched in vain while it could not have been cleaned"),
    ("cover", "rooms", 0, 12, "used room cards that name the room"),
    ("door_answer", ("doors", 3), 0, 1, "one-hot: not asked, yes, no"),
    ("room_card", ("room_cards", 4), 0, 1, "one-hot: place unknown, known in the pile, laid open now, used"),
    ("room_card_depth", "room_cards", 0, c.MAX_ROOM_CARDS, f"place in the pile if known or laid open, {_TOP}"),
    ("room_card_choice", "room_cards", 0, 2, "which of its rooms was crossed out; murderer only"),
    ("caps", 3, 0, c.MAX_COPIES, "most false clues, false traces and free cleanings that can lie"),
    ("suspect_possible", "suspects", 0, 1, "the sheet: can be the culprit"),
    ("weapon_possible", "weapons", 0, 1, "the sheet: can be the weapon"),
    ("entry_possible", "rooms", 0, 1, "the sheet: the path can begin there"),
    ("room_on", ("rooms", 2), 0, 1, "the sheet: on some possible path; on every one"),
    ("door_on", ("doors", 2), 0, 1, "the sheet: on some possible path; on every one"),
    ("sheet_sizes", 4, 0, MOST_WAYS, "possible suspects, weapons, entries, paths (at most 127)"),
    ("chosen_cards", "fields", 0, 1, "cards named so far in this action; for who acts"),
    ("chosen_room_card", "room_cards", 0, 1, "the room card chosen, one-hot; murderer only"),
    ("chosen_room", "rooms", 0, 1, "the room where something was just found, one-hot; detective only"),
    ("named_suspect", "suspects", 0, 1, "accused so far, one-hot; detective only"),
    ("named_weapon", "weapons", 0, 1, "accused so far, one-hot; detective only"),
    ("recent", (N_RECENT, 3), 0, MOST_SHOWN, "last entries of the record, newest first: kind, object, result"),
    ("verdict", 2, 0, 1, "the murderer has won; the detective has won"),
)


SECTIONS = tuple(name for name, *_ in _ROWS)
"""The names of the observation's sections."""


def observation_of(case: Case) -> Layout:
    """The observation's layout for a case, the same for both seats; what a seat may not know is 0 for it."""
    return _layout(case, _ROWS)


def world_of(case: Case, observation: Layout) -> Layout:
    """The layout of the state vector for a case."""
    return _layout(
        case,
        (
            ("murderer", observation.size, 0, MOST_WAYS, "the murderer's observation"),
            ("detective", observation.size, 0, MOST_WAYS, "the detective's observation"),
            ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
            ("card_place", ("fields", 4), 0, 1, "one-hot: in the pile, in the hand, discarded, out of the game"),
            ("card_depth", "fields", 0, _MOST, f"place in its pile, {_TOP}"),
            ("room_card_depth", "room_cards", 0, c.MAX_ROOM_CARDS, f"place in the room pile, {_TOP}"),
        ),
    )


def _layout(case: Case, rows: tuple[Row, ...]) -> Layout:
    return Layout(
        (name, tuple(_number(case, n) for n in (size if isinstance(size, tuple) else (size,))), low, high, meaning)
        for name, size, low, high, meaning in rows
    )


def _number(case: Case, size: Size) -> int:
    return len(getattr(case, size)) if isinstance(size, str) else size
