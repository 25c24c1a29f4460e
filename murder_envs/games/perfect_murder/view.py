"""Who sees what: the detective's sheet, what the murderer knows of cards, the observation, the state vector.

The sheet is sound logic on public facts alone, so it is the same for both seats. It changes only with the detective's
answers and with cards played, so it is a cache: `step` marks it stale, `observe` renews it.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, has, lowest, popcount, put_bits, put_word, put_zeros, spread
from murder_envs.core.jit import kernel
from murder_envs.core.tables import Layout
from murder_envs.games.perfect_murder.cards import (
    ACTION_CARDS,
    CLEAN_ANY,
    CLUE,
    FALSE_CLUE,
    FALSE_TRACE,
    MAX_COPIES,
    MAX_OF_A_KIND,
    MAX_ROOM_CARDS,
    MURDERER,
    N_SPACES,
    NOBODY,
    NONE,
    TRACE,
)
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.deal import N_RECENT, PATH_DOORS, PATH_ENTRY
from murder_envs.games.perfect_murder.moves import (
    ACCUSE_ENTRY,
    ACCUSE_SUSPECT,
    BYTE,
    CLEAN_CARD,
    CLEAN_ROOM,
    FLIGHT_FLED,
    FLIGHT_STAYED,
    MURDERER_TURN,
    N4,
    PHASES,
    REMOVE_PICK,
    REMOVE_TOP,
    REQUEST_KEEP,
    SEARCH_CARD,
    STAGE_OF,
    STAGES,
    STEAL_PHASE,
    blanks,
    cap,
    card_at,
    fields_of,
    in_piles,
    open_room_cards,
    real_marks,
    top_of,
)

# -- The sheet ------------------------------------------------------------------------------------

MOST_WAYS = 127
EIGHT = np.uint64(8)
ROOM_BITS = np.uint64((1 << PATH_DOORS) - 1)


@kernel
def fits(state, rules, fields, board, false_marks):
    """Can these be all the real marks of a board? No blank among them, nothing sure outside, few enough X besides."""
    besides = board & ~fields
    return (
        (fields & state.blank_off == NONE)
        & (besides & state.surely_real == NONE)
        & (popcount(besides & state.x_up) <= false_marks)
    )


@kernel
def renew_sheet(state, rules):
    """Draw the conclusions from what has become public since the last time."""
    most = cap(state, rules, FALSE_CLUE)
    caps = np.uint64(most)
    suspects = NONE
    for suspect in range(rules.n_suspects):
        if fits(state, rules, rules.suspect_fields[suspect], rules.clue_fields, most):
            suspects |= bit(suspect)
    most = cap(state, rules, FALSE_TRACE)
    caps |= np.uint64(most) << EIGHT
    fitting = NONE
    armed = NONE
    for weapon in range(rules.n_weapons):
        if fits(state, rules, rules.weapon_fields[weapon], rules.trace_fields, most):
            fitting |= bit(weapon)
            armed |= bit(rules.weapon_room[weapon])
    most = cap(state, rules, CLEAN_ANY)
    state.caps = caps | np.uint64(most) << np.uint64(16)
    follow_paths(state, rules, armed, np.int64(state.standard_n[2]) + most)
    weapons = NONE
    for weapon in range(rules.n_weapons):
        if has(fitting, weapon) and has(state.on_some, rules.weapon_room[weapon]):
            weapons |= bit(weapon)
    state.suspects = suspects
    state.weapons = weapons
    state.stale = 0


@kernel
def follow_paths(state, rules, armed, cleanings):
    """Which paths are possible: the answers strike some for good; others need more cleanings than there were, or pass
    no room of a fitting weapon (`armed`), as far as is known now."""
    must = np.uint64(state.found) | np.uint64(state.door_yes) << np.uint64(PATH_DOORS)
    never = np.uint64(state.surely_off) | np.uint64(state.door_no) << np.uint64(PATH_DOORS)
    vain = np.uint64(state.vain)
    on_some = NONE
    on_all = ~NONE
    n = 0
    for word in range((rules.n_paths + 63) >> 6):
        left = state.ways[word]
        kept = left
        while left != NONE:
            i = lowest(left)
            left &= left - np.uint64(1)
            path = rules.path[64 * word + i]
            if (path & must != must) | (path & never != NONE):
                kept &= ~bit(i)
            elif (path & armed != NONE) & (popcount(path & vain) <= cleanings):
                on_some |= path
                on_all &= path
                n += 1
        state.ways[word] = kept
    state.on_some = on_some
    state.on_all = on_all
    state.n_ways = min(n, MOST_WAYS)


# -- What the murderer knows of cards -------------------------------------------------------------


@kernel
def known_cards(state, rules):
    """The cards whose place the murderer knows: those he has seen, closed under elimination, kind by kind.

    If he knows the whole pile, he knows the hand; if only one card of both is missing, he knows that too.
    """
    known = np.uint64(state.known)
    piled = in_piles(state, rules)
    hand = np.uint64(state.hand)
    for kind in range(2):
        fields = fields_of(rules, kind)
        if piled & fields & ~known == NONE:
            known |= hand & fields
        unknown = (piled | hand) & fields & ~known
        if popcount(unknown) == 1:
            known |= unknown
    return known


@kernel
def looked_at(state, rules):
    """The cards that the murderer is looking at."""
    phase = state.phase
    if phase == REMOVE_PICK or phase == REMOVE_TOP or phase == REQUEST_KEEP:
        return top_of(state, rules, np.int64(state.pile) - 1)
    if phase == SEARCH_CARD:
        return in_piles(state, rules) & fields_of(rules, np.int64(state.pile) - 1)
    if phase == STEAL_PHASE:
        return np.uint64(state.hand)
    return NONE


# -- The observation ------------------------------------------------------------------------------

_MOST = MAX_OF_A_KIND


def observation_of(case: Case) -> Layout:
    """The layout for a case; the same for both seats, a section that a seat may not know being 0 for it."""
    fields, rooms, doors = len(case.fields), len(case.rooms), len(case.doors)
    suspects, weapons, room_cards = len(case.suspects), len(case.weapons), len(case.room_cards)
    cards = len(ACTION_CARDS)
    top = "the top being 1"
    return Layout(
        [
            ("role", 2, 0, 1, "who looks, one-hot: murderer, detective"),
            ("acting", 1, 0, 1, "this seat is to act"),
            ("stage", len(STAGES), 0, 1, "one-hot: " + ", ".join(STAGES)),
            ("phase", len(PHASES) - 1, 0, 1, "what this seat is asked, one-hot; 0s if it is not to act"),
            ("round", N_SPACES, 0, 1, "one-hot"),
            ("flight", 2, 0, 1, "the murderer has stayed; has fled"),
            ("turn", 4, 0, 4, "the detective's actions left; standard done; bonus done; searched this round"),
            ("left", 2, 0, 64, "rounds after this one; the detective's actions used"),
            ("board", (N_SPACES, 2), 0, 1, "rounds 1..8: black; an action card there lies face down"),
            ("cards_up", cards, 0, MAX_COPIES, "action cards lying face up: " + ", ".join(ACTION_CARDS)),
            ("cards_down", cards, 0, MAX_COPIES, "action cards lying face down; murderer only"),
            ("cards_left", cards, 0, MAX_COPIES, "murderer: those in hand; detective: those not lying face up"),
            ("face_down", 1, 0, 12, "number of action cards lying face down"),
            ("standard", 3, 0, _MOST, "clue removals, trace removals, room cards used"),
            ("piles", 3, 0, _MOST, "sizes of the clue, trace and room pile"),
            ("hand_size", 2, 0, _MOST, "clue and trace cards in the detective's hand"),
            ("card_place", (fields, 5), 0, 1, "one-hot: unknown, known in the pile, in the hand, discarded, out"),
            ("card_depth", fields, 0, _MOST, f"place in the pile if known, {top}; murderer only"),
            ("exposed", fields, 0, 1, "in the hand and known to the murderer"),
            ("drawn", fields, 0, 1, "cards that the murderer is looking at; murderer only"),
            ("marker", (fields, 5), 0, 1, "one-hot: unknown, face-down blank, face-down X, X face up, blank taken off"),
            ("marker_truth", fields, 0, 2, "1 a real X, 2 a false one; murderer only"),
            ("surely_real", fields, 0, 1, "an X that turned up when no false one could lie there"),
            ("plan_suspect", suspects, 0, 1, "the culprit, one-hot; murderer only"),
            ("plan_weapon", weapons, 0, 1, "the weapon, one-hot; murderer only"),
            ("plan_path", rooms, 0, 16, "place on the path, the entry being 1; murderer only"),
            ("crossed", rooms, 0, 1, "crossed out: cleaned, or searched with success; murderer only"),
            ("room_search", (rooms, 3), 0, 1, "one-hot: never searched, found something once, in vain only"),
            ("vain_cover", (rooms, 2), 0, 12, "at the first search in vain: used cards that name it; free cleanings"),
            ("surely_off", rooms, 0, 1, "searched in vain while it could not have been cleaned"),
            ("cover", rooms, 0, 12, "used room cards that name the room"),
            ("door_answer", (doors, 3), 0, 1, "one-hot: not asked, yes, no"),
            ("room_card", (room_cards, 4), 0, 1, "one-hot: place unknown, known in the pile, laid open now, used"),
            ("room_card_depth", room_cards, 0, 12, f"place in the pile if known or laid open, {top}"),
            ("room_card_choice", room_cards, 0, 2, "which of its rooms was crossed out; murderer only"),
            ("caps", 3, 0, MAX_COPIES, "most false clues, false traces and free cleanings that can lie"),
            ("suspect_possible", suspects, 0, 1, "the sheet: can be the culprit"),
            ("weapon_possible", weapons, 0, 1, "the sheet: can be the weapon"),
            ("entry_possible", rooms, 0, 1, "the sheet: the path can begin there"),
            ("room_on", (rooms, 2), 0, 1, "the sheet: on some possible path; on every one"),
            ("door_on", (doors, 2), 0, 1, "the sheet: on some possible path; on every one"),
            ("sheet_sizes", 4, 0, MOST_WAYS, "possible suspects, weapons, entries, paths (at most 127)"),
            ("chosen_cards", fields, 0, 1, "cards named so far in this action; for who acts"),
            ("chosen_room_card", room_cards, 0, 1, "the room card chosen, one-hot; murderer only"),
            ("chosen_room", rooms, 0, 1, "the room where something was just found, one-hot; detective only"),
            ("named_suspect", suspects, 0, 1, "accused so far, one-hot; detective only"),
            ("named_weapon", weapons, 0, 1, "accused so far, one-hot; detective only"),
            ("recent", (N_RECENT, 3), 0, 33, "last entries of the record, newest first: kind, object, result"),
            ("verdict", 2, 0, 1, "the murderer has won; the detective has won"),
        ]
    )


def _strides(n: int) -> np.ndarray:
    """For each byte, its bits spread to every n-th bit."""
    return np.array([sum((byte >> i & 1) << n * i for i in range(8)) for byte in range(256)], np.uint64)


_EVERY = np.array([_strides(n) for n in range(6)])


@kernel
def put_twos(row, at, n, a, b):
    """Write n rows of two bytes, whose columns are these sets (and more bytes, which come later)."""
    while n > 0:
        bits = _EVERY[2, a & BYTE] | _EVERY[2, b & BYTE] << np.uint64(1)
        put_word(row, at, spread(bits))
        put_word(row, at + 8, spread(bits >> np.uint64(8)))
        a >>= EIGHT
        b >>= EIGHT
        at += 16
        n -= 8


@kernel
def put_threes(row, at, n, a, b, c):
    """Write n rows of three bytes, whose columns are these sets (and more bytes, which come later)."""
    while n > 0:
        bits = _EVERY[3, a & BYTE] | _EVERY[3, b & BYTE] << np.uint64(1) | _EVERY[3, c & BYTE] << np.uint64(2)
        put_word(row, at, spread(bits))
        put_word(row, at + 8, spread(bits >> np.uint64(8)))
        put_word(row, at + 16, spread(bits >> np.uint64(16)))
        a >>= EIGHT
        b >>= EIGHT
        c >>= EIGHT
        at += 24
        n -= 8


@kernel
def put_fours(row, at, n, a, b, c, d):
    """Write n rows of four bytes, whose columns are these sets (and more bytes, which come later)."""
    while n > 0:
        bits = (
            _EVERY[4, a & BYTE]
            | _EVERY[4, b & BYTE] << np.uint64(1)
            | _EVERY[4, c & BYTE] << np.uint64(2)
            | _EVERY[4, d & BYTE] << np.uint64(3)
        )
        put_word(row, at, spread(bits))
        put_word(row, at + 8, spread(bits >> np.uint64(8)))
        put_word(row, at + 16, spread(bits >> np.uint64(16)))
        put_word(row, at + 24, spread(bits >> np.uint64(24)))
        a >>= EIGHT
        b >>= EIGHT
        c >>= EIGHT
        d >>= EIGHT
        at += 32
        n -= 8


@kernel
def put_fives(row, at, n, a, b, c, d, e):
    """Write n rows of five bytes, whose columns are these sets (and more bytes, which come later)."""
    while n > 0:
        bits = (
            _EVERY[5, a & BYTE]
            | _EVERY[5, b & BYTE] << np.uint64(1)
            | _EVERY[5, c & BYTE] << np.uint64(2)
            | _EVERY[5, d & BYTE] << np.uint64(3)
            | _EVERY[5, e & BYTE] << np.uint64(4)
        )
        put_word(row, at, spread(bits))
        put_word(row, at + 8, spread(bits >> np.uint64(8)))
        put_word(row, at + 16, spread(bits >> np.uint64(16)))
        put_word(row, at + 24, spread(bits >> np.uint64(24)))
        put_word(row, at + 32, spread(bits >> np.uint64(32)))
        a >>= EIGHT
        b >>= EIGHT
        c >>= EIGHT
        d >>= EIGHT
        e >>= EIGHT
        at += 40
        n -= 8


@kernel
def put_words(row, at, words, n):
    """Write n bytes of an array of words (and up to 7 bytes more, which come later)."""
    for i in range((n + 7) >> 3):
        put_word(row, at + 8 * i, words[i])


@kernel
def put_state_of_play(row, state, rules, seat):
    """Who looks, whose move it is, the round board, the action cards and the piles."""
    acting = state.to_act == seat
    phase = np.int64(state.phase)
    put_bits(row, rules.obs_role, bit(seat), 2)
    row[rules.obs_acting] = acting
    put_bits(row, rules.obs_stage, bit(STAGE_OF[phase]), len(STAGES))
    put_bits(row, rules.obs_phase, bit(phase) if acting else NONE, len(PHASES) - 1)
    put_bits(row, rules.obs_round, bit(np.int64(state.round_n) - 1), N_SPACES)
    at = rules.obs_flight
    row[at] = state.flight == FLIGHT_STAYED
    row[at + 1] = state.flight == FLIGHT_FLED
    at = rules.obs_turn
    row[at] = state.actions_left
    row[at + 1] = state.standard_done
    row[at + 2] = state.bonus_done
    row[at + 3] = state.searched
    at = rules.obs_left
    row[at] = rules.n_rounds - np.int64(state.round_n)
    row[at + 1] = state.actions_used
    put_bits(row, rules.obs_board, rules.board_bits, 2 * N_SPACES)
    # the counts of action cards are words of a byte each, and no byte of a difference is below 0
    mine = seat == MURDERER
    put_word(row, rules.obs_cards_up, state.up)
    put_word(row, rules.obs_cards_down, state.down if mine else NONE)
    put_word(row, rules.obs_cards_left, rules.action_cards - state.up - (state.down if mine else NONE))
    row[rules.obs_face_down] = state.n_down
    hand = np.uint64(state.hand)
    for i in range(3):
        row[rules.obs_standard + i] = state.standard_n[i]
        row[rules.obs_piles + i] = state.pile_n[i]
    row[rules.obs_hand_size] = popcount(hand & rules.clue_fields)
    row[rules.obs_hand_size + 1] = popcount(hand & rules.trace_fields)


@kernel
def put_depths(row, at, pile, n, cards):
    """Place of each card of a set (numbered within the kind) in a pile, the top being 1, 0 if it is not there."""
    put_zeros(row, at, n)
    if cards != NONE:
        for place in range(n):
            card = card_at(pile, place)
            if has(cards, card):
                row[at + card] = place + 1
                cards &= ~bit(card)
                if cards == NONE:
                    return


@kernel
def put_cards(row, state, rules, seat):
    """Where each card is, as far as the seat knows."""
    n = rules.n_fields
    hand = np.uint64(state.hand)
    discarded = np.uint64(state.discarded)
    known = known_cards(state, rules)
    piled = NONE
    if seat == MURDERER:
        out = np.uint64(state.out)
        piled = known & in_piles(state, rules)
        held = hand & known
    else:
        out = np.uint64(state.stolen)
        held = hand
    unknown = rules.fields & ~(piled | held | discarded | out)
    put_fives(row, rules.obs_card_place, n, unknown, piled, held, discarded, out)
    clues = rules.n_clues
    put_depths(row, rules.obs_card_depth, state.piles[CLUE], clues, piled & rules.clue_fields)
    put_depths(row, rules.obs_card_depth + clues, state.piles[TRACE], rules.n_traces, piled >> np.uint64(clues))
    put_bits(row, rules.obs_exposed, hand & known, n)
    put_bits(row, rules.obs_drawn, looked_at(state, rules) if seat == MURDERER else NONE, n)


@kernel
def put_markers(row, state, rules, seat):
    """What lies on both boards, as far as the seat knows; the plan."""
    n = rules.n_fields
    x_up = np.uint64(state.x_up)
    blank_off = np.uint64(state.blank_off)
    real = NONE
    false = NONE
    blank = NONE
    hidden_x = NONE
    unknown = rules.fields & ~(x_up | blank_off)
    if seat == MURDERER and state.phase >= MURDERER_TURN:
        real = real_marks(state, rules)
        false = np.uint64(state.false_marks)
        blank = blanks(state, rules)
        hidden_x = unknown & ~blank
        unknown = NONE
    put_fives(row, rules.obs_marker, n, unknown, blank, hidden_x, x_up, blank_off)
    put_bits(row, rules.obs_marker_truth, real, n)
    while false != NONE:
        row[rules.obs_marker_truth + lowest(false)] = 2
        false &= false - np.uint64(1)
    put_bits(row, rules.obs_surely_real, np.uint64(state.surely_real), n)
    mine = seat == MURDERER
    put_bits(row, rules.obs_plan_suspect, one(state.suspect) if mine else NONE, rules.n_suspects)
    put_bits(row, rules.obs_plan_weapon, one(state.weapon) if mine else NONE, rules.n_weapons)
    put_zeros(row, rules.obs_plan_path, rules.n_rooms)
    if mine:
        for i in range(state.path_n):
            row[rules.obs_plan_path + np.int64(state.path[i])] = i + 1


@kernel
def one(i):
    """The set of i alone, or none of NOBODY."""
    return bit(i) if i != NOBODY else NONE


@kernel
def put_rooms(row, state, rules, seat):
    """Rooms, doors and room cards."""
    n = rules.n_rooms
    mine = seat == MURDERER
    found = np.uint64(state.found)
    vain = np.uint64(state.vain)
    put_bits(row, rules.obs_crossed, np.uint64(state.crossed) if mine else NONE, n)
    put_threes(row, rules.obs_room_search, n, ~(found | vain), found, vain)
    put_words(row, rules.obs_vain_cover, state.vain_cover, 2 * n)
    put_bits(row, rules.obs_surely_off, np.uint64(state.surely_off), n)
    put_words(row, rules.obs_cover, state.cover, n)
    yes = np.uint64(state.door_yes)
    no = np.uint64(state.door_no)
    n = rules.n_doors
    put_threes(row, rules.obs_door_answer, n, ~(yes | no), yes, no)
    n = rules.n_room_cards
    used = np.uint64(state.used_room_cards)
    phase = state.phase
    laid_open = open_room_cards(state) if phase == CLEAN_CARD or phase == CLEAN_ROOM else NONE
    seen = bottom_room_cards(state) & ~laid_open
    put_fours(row, rules.obs_room_card, n, ~(used | laid_open | seen), seen, laid_open, used)
    put_depths(row, rules.obs_room_card_depth, state.piles[2], n, seen | laid_open)
    if mine:
        put_words(row, rules.obs_room_card_choice, state.room_card_choice, n)
    else:
        put_zeros(row, rules.obs_room_card_choice, n)


@kernel
def bottom_room_cards(state):
    """The room cards at the bottom of the pile that both have seen."""
    cards = NONE
    unseen = np.int64(state.pile_n[2]) - np.int64(state.known_rooms)
    pile = np.uint64(state.piles[2]) >> np.uint64(4 * unseen)
    for _ in range(state.known_rooms):
        cards |= bit(card_at(pile, 0))
        pile >>= N4
    return cards


@kernel
def put_sheet(row, state, rules):
    """What can be, on public facts."""
    put_word(row, rules.obs_caps, state.caps)
    suspects = np.uint64(state.suspects)
    weapons = np.uint64(state.weapons)
    on_some = state.on_some
    on_all = state.on_all
    entries = on_some >> np.uint64(PATH_ENTRY)
    put_bits(row, rules.obs_suspect_possible, suspects, rules.n_suspects)
    put_bits(row, rules.obs_weapon_possible, weapons, rules.n_weapons)
    put_bits(row, rules.obs_entry_possible, entries, rules.n_rooms)
    put_twos(row, rules.obs_room_on, rules.n_rooms, on_some, on_all)
    on_some >>= np.uint64(PATH_DOORS)
    on_all >>= np.uint64(PATH_DOORS)
    put_twos(row, rules.obs_door_on, rules.n_doors, on_some, on_all)
    at = rules.obs_sheet_sizes
    row[at] = popcount(suspects)
    row[at + 1] = popcount(weapons)
    row[at + 2] = popcount(entries)
    row[at + 3] = state.n_ways


@kernel
def put_action(row, state, rules, seat):
    """The action under way, the last ones done, the end."""
    mine = seat == MURDERER
    acting = state.to_act == seat
    put_bits(row, rules.obs_chosen_cards, np.uint64(state.chosen) if acting else NONE, rules.n_fields)
    chosen = one(state.chosen_room_card)
    put_bits(row, rules.obs_chosen_room_card, chosen if mine else NONE, rules.n_room_cards)
    put_bits(row, rules.obs_chosen_room, NONE if mine else one(state.chosen_room), rules.n_rooms)
    accusing = not mine and ACCUSE_SUSPECT <= state.phase <= ACCUSE_ENTRY
    put_bits(row, rules.obs_named_suspect, one(state.named_suspect) if accusing else NONE, rules.n_suspects)
    put_bits(row, rules.obs_named_weapon, one(state.named_weapon) if accusing else NONE, rules.n_weapons)
    for i in range(3):
        put_word(row, rules.obs_recent + 8 * i, state.recent[i])
    put_bits(row, rules.obs_verdict, bit(state.verdict) >> np.uint64(1), 2)


@kernel
def observe(state, rules, seat, row):
    """The seat's observation, section by section in rising order (a section's last word may spill into the next)."""
    if state.stale != 0:
        renew_sheet(state, rules)
    put_state_of_play(row, state, rules, seat)
    put_cards(row, state, rules, seat)
    put_markers(row, state, rules, seat)
    put_rooms(row, state, rules, seat)
    put_sheet(row, state, rules)
    put_action(row, state, rules, seat)


# -- The whole truth --------------------------------------------------------------------------------


def world_of(case: Case, observation: Layout) -> Layout:
    """The layout of the state vector for a case."""
    fields, room_cards = len(case.fields), len(case.room_cards)
    return Layout(
        [
            ("murderer", observation.size, 0, MOST_WAYS, "the murderer's observation"),
            ("detective", observation.size, 0, MOST_WAYS, "the detective's observation"),
            ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
            ("card_place", (fields, 4), 0, 1, "one-hot: in the pile, in the hand, discarded, out of the game"),
            ("card_depth", fields, 0, _MOST, "place in its pile, the top being 1"),
            ("room_card_depth", room_cards, 0, MAX_ROOM_CARDS, "place in the room pile, the top being 1"),
        ]
    )


@kernel
def world(state, rules, row):
    """The state vector, block by block in rising order."""
    at = rules.obs_size
    observe(state, rules, 0, row)
    observe(state, rules, 1, row[at:])
    at *= 2
    put_bits(row, at, bit(state.phase), len(PHASES))
    at += len(PHASES)
    n = rules.n_fields
    hand = np.uint64(state.hand)
    discarded = np.uint64(state.discarded)
    piled = in_piles(state, rules)
    put_zeros(row, at, 4 * n)
    for field in range(n):
        place = 0 if has(piled, field) else 1 if has(hand, field) else 2 if has(discarded, field) else 3
        row[at + 4 * field + place] = 1
    at += 4 * n
    clues = rules.n_clues
    put_depths(row, at, state.piles[CLUE], clues, piled & rules.clue_fields)
    put_depths(row, at + clues, state.piles[TRACE], rules.n_traces, piled >> np.uint64(clues))
    at += n
    in_pile = first_of_pile(state)
    put_depths(row, at, state.piles[2], rules.n_room_cards, in_pile)


@kernel
def first_of_pile(state):
    """The room cards in their pile."""
    cards = NONE
    pile = np.uint64(state.piles[2])
    for _ in range(state.pile_n[2]):
        cards |= bit(card_at(pile, 0))
        pile >>= N4
    return cards
