"""What each seat sees: the observation, and the state vector for who sees everything. The layout is in `layout.py`.

A writer fills some sections that follow each other, in rising order, eight bytes at a time, so that the last word of a
section may spill into the next. Most sections are sets, written as a byte a member; rows of several bytes are sets too,
one for each column.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, NONE, ONE, bit, full, has, lowest, popcount, put_bits, put_word, put_zeros
from murder_envs.core.jit import inner, kernel
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import deal
from murder_envs.games.perfect_murder.knowledge import bottom_room_cards, known_cards, looked_at
from murder_envs.games.perfect_murder.moves import FLIGHT, PHASE, PHASES, STAGE_OF, STAGES
from murder_envs.games.perfect_murder.sheet import renew_sheet
from murder_envs.games.perfect_murder.state import PATH_DOORS, PATH_ENTRY, RECENT_WORDS, Rules, State

# -- Rows of several bytes --------------------------------------------------------------------------

MOST_COLUMNS = 5
EVERY = np.array(
    [[sum((byte >> i & 1) << width * i for i in range(8)) for byte in range(256)] for width in range(MOST_COLUMNS + 1)],
    np.uint64,
)
"""(width, byte) -> the byte's bits, spread to every width-th bit: a column of eight rows."""


@inner
def put_columns(row, at, n, width, a, b, c, d, e):
    """Write n rows of up to five bytes, whose columns are these sets, NONE past the width (and more bytes, which come
    later). Eight rows at a time: one byte of each set, its bits spread over the rows."""
    while n > 0:
        bits = EVERY[width, a & BYTE] | EVERY[width, b & BYTE] << 1 | EVERY[width, c & BYTE] << 2
        put_bits(row, at, bits | EVERY[width, d & BYTE] << 3 | EVERY[width, e & BYTE] << 4, 8 * width)
        a >>= 8
        b >>= 8
        c >>= 8
        d >>= 8
        e >>= 8
        at += 8 * width
        n -= 8


@kernel
def put_words(row, at, words, n):
    """Write n bytes of an array of words (and up to 7 bytes more, which come later)."""
    for i in range((n + 7) >> 3):
        put_word(row, at + 8 * i, words[i])


@kernel
def put_state_of_play(row, state: State, rules: Rules, seat):
    """Who looks, whose move it is, the round board, the action cards and the piles.

    The other seat sees the stage alone, not the phase: an action shows when its last decision is taken.
    """
    acting = state.to_act == seat
    mine = seat == c.MURDERER
    phase = state.phase
    put_bits(row, rules.obs_role, bit(seat), 2)
    row[rules.obs_acting] = acting
    put_bits(row, rules.obs_stage, bit(STAGE_OF[phase]), len(STAGES))
    put_bits(row, rules.obs_phase, bit(phase) if acting else NONE, len(PHASES) - 1)
    put_bits(row, rules.obs_round, bit(state.round - 1), c.N_SPACES)
    at = rules.obs_flight
    row[at] = state.flight == FLIGHT.stayed
    row[at + 1] = state.flight == FLIGHT.fled
    at = rules.obs_turn
    row[at] = state.actions_left
    row[at + 1] = state.standard_done
    row[at + 2] = state.bonus_done
    row[at + 3] = state.searched
    at = rules.obs_left
    row[at] = rules.rounds - state.round
    row[at + 1] = state.actions_used
    put_bits(row, rules.obs_board, rules.board_bits, 2 * c.N_SPACES)
    # The counts of action cards are words of a byte each; no byte of a difference is below 0, so nothing is borrowed.
    put_word(row, rules.obs_cards_up, state.up)
    put_word(row, rules.obs_cards_down, state.down if mine else NONE)
    put_word(row, rules.obs_cards_left, rules.action_cards - state.up - (state.down if mine else NONE))
    row[rules.obs_face_down] = state.n_down
    for i in range(3):
        row[rules.obs_standard + i] = state.standard_n[i]
        row[rules.obs_piles + i] = state.pile_n[i]
    row[rules.obs_hand_size] = popcount(state.hand & rules.clue_fields)
    row[rules.obs_hand_size + 1] = popcount(state.hand & rules.trace_fields)


@kernel
def put_depths(row, at, pile, n, cards):
    """Place of each card of a set (numbered within the kind) in a pile, the top being 1, 0 if it is not there."""
    put_zeros(row, at, n)
    if cards != NONE:
        for place in range(n):
            card = deal.card_at(pile, place)
            if has(cards, card):
                row[at + card] = place + 1
                cards &= ~bit(card)
                if cards == NONE:
                    return


@kernel
def put_cards(row, state: State, rules: Rules, seat):
    """Where each card is, as far as the seat knows.

    To the murderer a card in the hand that he has not seen is unknown; to the detective one that was removed in secret
    is, as it could be in the pile.
    """
    n = rules.n_fields
    hand = state.hand
    discarded = state.discarded
    known = known_cards(state, rules)
    piled = NONE
    if seat == c.MURDERER:
        out = state.out
        piled = known & deal.in_piles(state, rules)
        held = hand & known
    else:
        out = state.stolen
        held = hand
    unknown = rules.all_fields & ~(piled | held | discarded | out)
    put_columns(row, rules.obs_card_place, n, 5, unknown, piled, held, discarded, out)
    clues = rules.n_clues
    put_depths(row, rules.obs_card_depth, state.piles[c.CLUE], clues, piled & rules.clue_fields)
    put_depths(row, rules.obs_card_depth + clues, state.piles[c.TRACE], rules.n_traces, piled >> clues)
    put_bits(row, rules.obs_exposed, hand & known, n)
    put_bits(row, rules.obs_drawn, looked_at(state, rules) if seat == c.MURDERER else NONE, n)


@kernel
def put_markers(row, state: State, rules: Rules, seat):
    """What lies on both boards, as far as the seat knows; the plan.

    Before the planning is finished the boards are not laid, and even the murderer sees nothing there.
    """
    n = rules.n_fields
    x_up = state.x_up
    blank_off = state.blank_off
    real = NONE
    false = NONE
    blank = NONE
    hidden_x = NONE
    unknown = rules.all_fields & ~(x_up | blank_off)
    if seat == c.MURDERER and state.phase >= PHASE.murderer_turn:
        real = deal.real_marks(state, rules)
        false = state.false_marks
        blank = deal.blanks(state, rules)
        hidden_x = unknown & ~blank
        unknown = NONE
    put_columns(row, rules.obs_marker, n, 5, unknown, blank, hidden_x, x_up, blank_off)
    put_bits(row, rules.obs_marker_truth, real, n)
    while false != NONE:
        row[rules.obs_marker_truth + lowest(false)] = 2
        false &= false - ONE
    put_bits(row, rules.obs_surely_real, state.surely_real, n)
    mine = seat == c.MURDERER
    put_bits(row, rules.obs_plan_suspect, one(state.suspect) if mine else NONE, rules.n_suspects)
    put_bits(row, rules.obs_plan_weapon, one(state.weapon) if mine else NONE, rules.n_weapons)
    put_zeros(row, rules.obs_plan_path, rules.n_rooms)
    if mine:
        for i in range(state.path_n):
            row[rules.obs_plan_path + state.path[i]] = i + 1


@kernel
def one(i):
    """The set of i alone, or none of NOBODY."""
    return bit(i) if i != c.NOBODY else NONE


@kernel
def put_rooms(row, state: State, rules: Rules, seat):
    """Rooms, doors and room cards. Which room a card has cleaned is the murderer's secret; that it names two is
    public."""
    n = rules.n_rooms
    mine = seat == c.MURDERER
    finds = state.finds
    vain = state.vain
    put_bits(row, rules.obs_crossed, state.crossed if mine else NONE, n)
    put_columns(row, rules.obs_room_search, n, 3, ~(finds | vain), finds, vain, NONE, NONE)
    put_words(row, rules.obs_vain_cover, state.vain_cover, 2 * n)
    put_bits(row, rules.obs_surely_off, state.surely_off, n)
    put_words(row, rules.obs_cover, state.cover, n)
    yes = state.door_yes
    no = state.door_no
    n = rules.n_doors
    put_columns(row, rules.obs_door_answer, n, 3, ~(yes | no), yes, no, NONE, NONE)
    n = rules.n_room_cards
    used = state.used_room_cards
    phase = state.phase
    laid_open = deal.open_room_cards(state) if phase == PHASE.clean_card or phase == PHASE.clean_room else NONE
    seen = bottom_room_cards(state) & ~laid_open
    put_columns(row, rules.obs_room_card, n, 4, ~(used | laid_open | seen), seen, laid_open, used, NONE)
    put_depths(row, rules.obs_room_card_depth, state.piles[c.ROOM], n, seen | laid_open)
    if mine:
        put_words(row, rules.obs_room_card_choice, state.room_card_choice, n)
    else:
        put_zeros(row, rules.obs_room_card_choice, n)


@kernel
def put_sheet(row, state: State, rules: Rules):
    """What can be, on public facts; the same for both seats (see `sheet.py`)."""
    put_word(row, rules.obs_caps, state.caps)
    on_some = state.on_some
    on_all = state.on_all
    entries = on_some >> PATH_ENTRY
    put_bits(row, rules.obs_suspect_possible, state.suspects, rules.n_suspects)
    put_bits(row, rules.obs_weapon_possible, state.weapons, rules.n_weapons)
    put_bits(row, rules.obs_entry_possible, entries, rules.n_rooms)
    put_columns(row, rules.obs_room_on, rules.n_rooms, 2, on_some, on_all, NONE, NONE, NONE)
    on_some >>= PATH_DOORS
    on_all >>= PATH_DOORS
    put_columns(row, rules.obs_door_on, rules.n_doors, 2, on_some, on_all, NONE, NONE, NONE)
    at = rules.obs_sheet_sizes
    row[at] = popcount(state.suspects)
    row[at + 1] = popcount(state.weapons)
    row[at + 2] = popcount(entries)
    row[at + 3] = state.n_ways


@kernel
def put_action(row, state: State, rules: Rules, seat):
    """The action under way, the last ones done, the end. What an action has named so far is for who names it."""
    mine = seat == c.MURDERER
    acting = state.to_act == seat
    put_bits(row, rules.obs_chosen_cards, state.chosen if acting else NONE, rules.n_fields)
    chosen = one(state.chosen_room_card)
    put_bits(row, rules.obs_chosen_room_card, chosen if mine else NONE, rules.n_room_cards)
    put_bits(row, rules.obs_chosen_room, NONE if mine else one(state.chosen_room), rules.n_rooms)
    accusing = not mine and PHASE.accuse_suspect <= state.phase <= PHASE.accuse_entry
    put_bits(row, rules.obs_named_suspect, one(state.named_suspect) if accusing else NONE, rules.n_suspects)
    put_bits(row, rules.obs_named_weapon, one(state.named_weapon) if accusing else NONE, rules.n_weapons)
    for i in range(RECENT_WORDS):
        put_word(row, rules.obs_recent + 8 * i, state.recent[i])
    put_bits(row, rules.obs_verdict, bit(state.verdict) >> 1, 2)


@kernel
def observe(state: State, rules: Rules, seat, row):
    """The seat's observation, section by section in rising order (a section's last word may spill into the next).

    Args:
        row: int8, of the layout's size and PAD bytes more.
    """
    if state.stale != 0:
        renew_sheet(state, rules)
    put_state_of_play(row, state, rules, seat)
    put_cards(row, state, rules, seat)
    put_markers(row, state, rules, seat)
    put_rooms(row, state, rules, seat)
    put_sheet(row, state, rules)
    put_action(row, state, rules, seat)


# -- The whole truth --------------------------------------------------------------------------------


@kernel
def world(state: State, rules: Rules, row):
    """The state vector, block by block in rising order: both observations, and what neither of them shows.

    Args:
        row: int8, of the layout's size and PAD bytes more.
    """
    at = rules.obs_size
    observe(state, rules, 0, row)
    observe(state, rules, 1, row[at:])
    at *= 2
    put_bits(row, at, bit(state.phase), len(PHASES))
    at += len(PHASES)
    n = rules.n_fields
    piled = deal.in_piles(state, rules)
    put_zeros(row, at, 4 * n)
    for field in range(n):  # one by one: eight rows at a time could reach past the end of a small case's vector
        place = 0 if has(piled, field) else 1 if has(state.hand, field) else 2 if has(state.discarded, field) else 3
        row[at + 4 * field + place] = 1
    at += 4 * n
    clues = rules.n_clues
    put_depths(row, at, state.piles[c.CLUE], clues, piled & rules.clue_fields)
    put_depths(row, at + clues, state.piles[c.TRACE], rules.n_traces, piled >> clues)
    at += n
    left = full(rules.n_room_cards) & ~state.used_room_cards
    put_depths(row, at, state.piles[c.ROOM], rules.n_room_cards, left)
