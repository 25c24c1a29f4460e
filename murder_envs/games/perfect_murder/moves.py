"""What can be asked, and what can be answered: phases, the record's entries, the table of actions, shared tests.

Sets of cards and markers are sets of fields (clues, then traces). A pile is a word of four bits a card, the top card
lowest, with each card's number within its kind.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, has, kth, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.tables import Actions
from murder_envs.games.perfect_murder.cards import (
    ACTION_CARDS,
    CLUE,
    DISCARDED,
    FALSE_CLUE,
    FALSE_TRACE,
    FROM_TOP,
    KINDS,
    NONE,
    SEARCH_PILE,
    STEAL,
    STOLEN,
    TRACE,
)
from murder_envs.games.perfect_murder.case import Case

PHASES = (
    "plan_suspect", "plan_path", "plan_weapon", "murderer_turn", "remove_pick", "remove_top", "clean_card",
    "clean_room", "mark_trace", "mark_clue", "clean_any", "steal", "search_pile", "search_card", "flee",
    "detective_turn", "split", "request_keep", "discard", "discard_marker", "accuse_suspect", "accuse_weapon",
    "accuse_entry", "over",
)  # fmt: skip
(
    PLAN_SUSPECT, PLAN_PATH, PLAN_WEAPON, MURDERER_TURN, REMOVE_PICK, REMOVE_TOP, CLEAN_CARD, CLEAN_ROOM, MARK_TRACE,
    MARK_CLUE, CLEAN_ANY_PHASE, STEAL_PHASE, SEARCH_PILE_PHASE, SEARCH_CARD, FLEE, DETECTIVE_TURN, SPLIT, REQUEST_KEEP,
    DISCARD, DISCARD_MARKER, ACCUSE_SUSPECT, ACCUSE_WEAPON, ACCUSE_ENTRY, OVER,
) = range(len(PHASES))  # fmt: skip
CARD_PHASES = (MARK_TRACE, MARK_CLUE, CLEAN_ANY_PHASE, STEAL_PHASE, SEARCH_PILE_PHASE)
"""By action card, the phase in which it is carried out."""

STAGES = ("planning", "murderer", "detective", "flight", "accusation", "over")
STAGE_OF = np.array([0] * 3 + [1] * 11 + [3] + [2] * 5 + [4] * 3 + [5], np.int64)
"""By phase, the part of the game that it belongs to, as both see it."""

EVENTS = (
    "", "remove", "clean", "up", "down", "pass", "stay", "flee", "search", "door", "request", "play", "discard",
    "accuse",
)  # fmt: skip
(
    NO_EVENT, REMOVED, CLEANED, PLAYED_UP, PLAYED_DOWN, PASSED, STAYED, FLED, SEARCHED, ASKED, REQUESTED, PLAYED,
    DISCARDED_3, ACCUSED,
) = range(len(EVENTS))  # fmt: skip
BLANK, X, KNOWN = 0, 1, 2
"""What playing a card shows."""

REWARD = ("outcome", "graded", "swift")
REWARD_OUTCOME, REWARD_GRADED, REWARD_SWIFT = range(len(REWARD))

PILE = ("", *KINDS)
"""The pile that an action has named."""


def actions_of(case: Case) -> Actions:
    """The table of actions of a case."""
    return Actions(
        {
            "suspect": [f"suspect:{name}" for name in case.suspects],
            "weapon": [f"weapon:{name}" for name in case.weapons],
            "room": [f"room:{name}" for name in case.rooms],
            "search": [f"search:{name}" for room, name in enumerate(case.rooms) if room != case.scene],
            "door": [f"door:{name}" for name in case.doors],
            "room_card": [f"room_card:{card + 1}" for card in range(len(case.room_cards))],
            "card": [f"card:{name}" for name in case.fields],
            "play": [f"play:{name}" for name in case.fields],
            "marker": [f"marker:{name}" for name in case.fields],
            "bonus": [f"bonus:{name}" for name in ACTION_CARDS],
            "pile": [f"pile:{name}" for name in KINDS],
            "remove": [f"remove:{name}" for name in KINDS],
            "clean": ["clean"],
            "pass": ["pass"],
            "end_turn": ["end_turn"],
            "stay": ["stay"],
            "flee": ["flee"],
            "request": [f"request:{name}" for name in KINDS],
            "split": [f"split:{n}" for n in range(FROM_TOP + 1)],
            "discard": ["discard"],
            "accuse": ["accuse"],
        }
    )


BLOCKS = (
    "suspect", "weapon", "room", "search", "door", "room_card", "card", "play", "marker", "bonus", "pile", "remove",
    "clean", "pass", "end_turn", "stay", "flee", "request", "split", "discard", "accuse",
)  # fmt: skip
"""The blocks of actions; where each starts follows from the case, so it is a field of RULES, `act_<block>`."""


# -- Sets and piles -------------------------------------------------------------------------------

NIBBLE = np.uint64(15)
BYTE = np.uint64(255)
N4 = np.uint64(4)


@kernel
def kind_of(rules, field):
    """Is a field a clue or a trace?"""
    return CLUE if field < rules.n_clues else TRACE


@kernel
def base_of(rules, kind):
    """The first field of a kind."""
    return rules.n_clues if kind == TRACE else 0


@kernel
def fields_of(rules, kind):
    """All fields of a kind."""
    return rules.trace_fields if kind == TRACE else rules.clue_fields


@kernel
def card_at(pile, place):
    """The card at a place of a pile, the top being 0; its number within its kind."""
    return np.int64((pile >> np.uint64(4 * place)) & NIBBLE)


@kernel
def below_place(place):
    """All bits of the cards above a place of a pile; for a place below 16."""
    return (np.uint64(1) << np.uint64(4 * place)) - np.uint64(1)


@kernel
def first_cards(pile, n):
    """The set of the first n cards of a pile, numbered within their kind."""
    cards = NONE
    for _ in range(n):
        cards |= bit(card_at(pile, 0))
        pile >>= N4
    return cards


@kernel
def place_of(pile, card):
    """Where a card lies in a pile that has it."""
    place = 0
    while card_at(pile, place) != card:
        place += 1
    return place


@kernel
def without_place(pile, place):
    """The pile with the card at a place taken out."""
    above = pile & below_place(place)
    return above | ((pile >> np.uint64(4 * place)) >> N4) << np.uint64(4 * place)


@kernel
def top_of(state, rules, kind):
    """The fields of the top three cards (or fewer) of a pile."""
    n = min(FROM_TOP, np.int64(state.pile_n[kind]))
    return first_cards(np.uint64(state.piles[kind]), n) << np.uint64(base_of(rules, kind))


@kernel
def open_room_cards(state):
    """The top three room cards (or fewer)."""
    return first_cards(np.uint64(state.piles[2]), min(FROM_TOP, np.int64(state.pile_n[2])))


@kernel
def in_piles(state, rules):
    """The cards of both piles: those that are nowhere else."""
    return rules.fields & ~(np.uint64(state.hand) | state.discarded | state.out)


# -- Markers and action cards -------------------------------------------------------------------


@kernel
def real_marks(state, rules):
    """The fields of the culprit and the weapon, as far as planned."""
    fields = NONE
    if state.suspect >= 0:
        fields |= rules.suspect_fields[state.suspect]
    if state.weapon >= 0:
        fields |= rules.weapon_fields[state.weapon]
    return fields


@kernel
def blanks(state, rules):
    """Fields with a face-down blank, once planned."""
    return rules.fields & ~(real_marks(state, rules) | state.false_marks | state.blank_off)


@kernel
def copies(packed, card):
    """How many of an action card, in a word of one byte a card."""
    return np.int64((packed >> np.uint64(8 * card)) & BYTE)


@kernel
def cap(state, rules, card):
    """How many copies of an action card can have been played, as the detective sees it."""
    up = copies(state.up, card)
    return up + min(copies(rules.action_cards, card) - up, np.int64(state.n_down))


@kernel
def is_playable(state, rules, card):
    """Does the murderer hold an action card, and could it do something?"""
    if copies(rules.action_cards, card) <= copies(state.up, card) + copies(state.down, card):
        return False
    if card == FALSE_TRACE:
        return blanks(state, rules) & rules.trace_fields != NONE
    if card == FALSE_CLUE:
        return blanks(state, rules) & rules.clue_fields != NONE
    if card == STEAL:
        return state.hand != 0
    if card == SEARCH_PILE:
        return state.pile_n[CLUE] > 0 or state.pile_n[TRACE] > 0
    return True


@kernel
def playable_cards(state, rules):
    """The action cards that can be played as a bonus now: none on a white space, or after one."""
    cards = NONE
    if has(rules.black, state.round_n) and state.bonus_done == 0:
        for card in range(len(ACTION_CARDS)):
            if is_playable(state, rules, card):
                cards |= bit(card)
    return cards


@kernel
def lies_down(state, rules, card):
    """Would an action card lie face down on this round's space? Steal and search pile never (Ruling)."""
    return card < STEAL and has(rules.down, state.round_n)


# -- Sets named one by one, in rising order -------------------------------------------------------


@kernel
def next_of_set(cards, chosen, size):
    """Which of some cards can be named next, in rising order, so that `size` can be named in all."""
    above = cards
    if chosen != NONE:
        last = kth(chosen, popcount(chosen) - 1)
        above = cards & ~((bit(last) << np.uint64(1)) - np.uint64(1))
    for _ in range(size - popcount(chosen) - 1):
        above &= ~bit(kth(above, popcount(above) - 1))
    return above


@kernel
def n_stolen(state):
    """How many cards a theft takes: two, or one if there is only one."""
    return min(STOLEN, popcount(np.uint64(state.hand)))


@kernel
def can_discard(state):
    """Does the detective hold three cards?"""
    return popcount(np.uint64(state.hand)) >= DISCARDED


# -- Paths ----------------------------------------------------------------------------------------


@kernel
def steps_from(state, rules):
    """Rooms that the path may enter next: outer ones first, then those from which the scene can still be reached."""
    if state.path_n == 0:
        return rules.outer
    taken = np.uint64(state.path_rooms)
    reached = bit(rules.scene)
    edge = reached
    while edge != NONE:
        beside = NONE
        while edge != NONE:
            room = kth(edge, 0)
            edge &= edge - np.uint64(1)
            beside |= rules.beside[room]
        edge = beside & ~(taken | reached)
        reached |= edge
    return rules.beside[np.int64(state.path[state.path_n - 1])] & reached


@kernel
def full_actions(state, rules):
    """The detective's actions in this round: one less in the last after a flight."""
    fewer = state.flight == FLIGHT_FLED and state.round_n == rules.n_rounds
    return rules.n_actions - 1 if fewer else rules.n_actions


FLIGHT_OPEN, FLIGHT_STAYED, FLIGHT_FLED = range(3)
