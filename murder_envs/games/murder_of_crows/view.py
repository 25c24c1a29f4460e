"""What each seat sees: the observation, and the state vector for who sees everything.

Both are lists of named blocks, one after the other. A writer fills some blocks that follow each other, in rising order,
eight bytes at a time, so that the last word of a block may spill into the next.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, NONE, bit, put_bits, put_word
from murder_envs.core.contract import NO_SEAT, offset_of, seat_at, seen_from
from murder_envs.core.jit import kernel
from murder_envs.core.records import NOTHING
from murder_envs.core.tables import Layout
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.counts import HIGHS
from murder_envs.games.murder_of_crows.moves import ACTIONS, MAX_SEATS, MODE, MODES, PHASES
from murder_envs.games.murder_of_crows.state import EVENT_WORDS, EVENTS_A_WORD, FLIPPED, N_EVENTS, Rules, State

# -- The observation ----------------------------------------------------------------------------

_Rows = list[tuple[str, int | tuple[int, ...], int, int, str]]
_HEAD: _Rows = [
    ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
    ("to_act", MAX_SEATS, 0, 1, "seat to act, one-hot; 0s when over"),
    ("current", MAX_SEATS, 0, 1, "whose turn it is, one-hot"),
    ("first", MAX_SEATS, 0, 1, "the first player, one-hot"),
    ("players", MAX_SEATS - 1, 0, 1, "one-hot of 2, 3, 4, 5 players"),
    ("third", 1, 0, 1, "1: with the Murdered Third"),
    ("word", c.N_STACKS, 0, 1, "1: stack in play"),
    ("played_slot", c.N_STACKS, 0, 1, "stack of the card in play, one-hot"),
    ("played_face", c.N_FACES, 0, 1, "face of the card in play, one-hot"),
    ("mode", len(MODES) - 1, 0, 1, "declared use of a wild in play: letter, remove"),
    ("third_card", c.N_CARDS, 0, 1, "the Third's flip being resolved, one-hot"),
    ("letter", c.N_LETTERS, 0, 1, "letter being drained, one-hot"),
    ("target", MAX_SEATS, 0, 1, "chosen seat, one-hot"),
    ("prevented", MAX_SEATS, 0, 1, "1: has prevented the card in play"),
    ("pending", MAX_SEATS, 0, 1, "1: has still to answer in this step, the seat to act included"),
]
_TABLE: _Rows = [
    ("hand_size", MAX_SEATS, 0, c.MOST_CARDS, "cards in hand"),
    ("known", (MAX_SEATS, c.N_CARDS), 0, c.MOST_OF_A_LETTER, "cards known to all to be in that hand"),
    ("murder", (MAX_SEATS, c.N_STACKS, c.N_FACES), 0, c.MOST_OF_A_LETTER, "cards in each stack by face"),
    (
        "wild_depth", (MAX_SEATS, c.N_STACKS), 0, c.MOST_OF_A_LETTER + c.MOST_WILDS,
        "place of the uppermost wild in the stack, counted from the top (1: showing); 0: none",
    ),
    ("missing", MAX_SEATS, 0, c.N_STACKS, "stacks in play that are empty"),
    ("discard", c.N_CARDS, 0, c.MOST_OF_A_LETTER, "discard pile by card"),
    ("piles", 2, 0, c.MOST_CARDS, "size of the draw pile, of the discard pile"),
]  # fmt: skip
_TAIL: _Rows = [
    (
        "old_max",
        MAX_SEATS,
        0,
        c.MOST_CARDS,
        "at most so many unknown cards in hand are from before the latest reshuffle",
    ),
    ("steps_left", 1, 0, 127, "decisions before the game is cut off, at most 127"),
    ("events", (N_EVENTS, 2), 0, ACTIONS.n - 1, "newest first: 1 + seat, action id; or 6, card, for a flip; or 0, 0"),
]
OBSERVATION = Layout(
    [
        *_HEAD,
        ("my_hand", c.N_CARDS, 0, c.MOST_OF_A_LETTER, "own cards"),
        *_TABLE,
        ("unseen", c.N_CARDS, 0, c.MOST_OF_A_LETTER, "cards that lie in the draw pile or unknown in other hands"),
        ("deck_max", c.N_CARDS, 0, c.MOST_OF_A_LETTER, "at most so many copies are in the draw pile"),
        *_TAIL,
    ]
)
OBS = OBSERVATION.at
"""Where each block starts."""
MOST_STEPS_SHOWN = 127
N_HEAD = OBS.my_hand
WORD_SIZE = 64
assert OBS.third_card < WORD_SIZE <= OBS.letter < OBS.my_hand <= 2 * WORD_SIZE  # see put_head


@kernel
def one_hot(looker, rules: Rules, seat, at):
    """A seat as a bit of a row of bits, NO_SEAT as none."""
    return bit(at + offset_of(rules, seat, looker)) if seat != NO_SEAT else NONE


# Some seats do not exist at smaller tables: their rows are 0, and their records are empty, so that one code serves all.


@kernel
def put_head(row, state: State, rules: Rules, looker):
    """All that is one bit a byte: what is asked of whom, and what is in play. The first word has 64 of them."""
    low = bit(OBS.phase + state.phase)
    low |= one_hot(looker, rules, state.to_act, OBS.to_act)
    low |= one_hot(looker, rules, state.current, OBS.current)
    low |= one_hot(looker, rules, state.first, OBS.first)
    low |= bit(OBS.players + rules.n_seats - 2)
    low |= np.uint64(rules.murdered_third) << OBS.third
    low |= rules.stacks << OBS.word
    high = NONE
    if state.played != NOTHING:
        low |= bit(OBS.played_slot + state.played // c.N_FACES) | bit(OBS.played_face + state.played % c.N_FACES)
        if state.mode != MODE.none:
            low |= bit(OBS.mode + state.mode - 1)
        high = one_hot(looker, rules, state.target, OBS.target - WORD_SIZE)
        high |= seen_from(rules, state.prevented, looker) << (OBS.prevented - WORD_SIZE)
    if state.third_card != NOTHING:
        at = OBS.third_card + state.third_card
        if at < WORD_SIZE:
            low |= bit(at)
        else:
            high |= bit(at - WORD_SIZE)
    if state.letter != NOTHING:
        high |= bit(OBS.letter - WORD_SIZE + state.letter)
    high |= seen_from(rules, state.pending, looker) << (OBS.pending - WORD_SIZE)
    put_bits(row, 0, low, WORD_SIZE)
    put_bits(row, WORD_SIZE, high, N_HEAD - WORD_SIZE)


@kernel
def bytes_from(rules: Rules, word, looker):
    """A byte a seat as a byte an offset."""
    turned = (word >> (8 * looker)) | (word << (8 * (rules.n_seats - looker)))
    return turned & ((np.uint64(1) << (8 * rules.n_seats)) - np.uint64(1))


@kernel
def put_table(row, at, state: State, rules: Rules, looker):
    """What lies open: sizes of hands, known cards, Murders, discards, piles; rows of seats that do not exist are 0."""
    put_word(row, at, bytes_from(rules, state.n_held, looker))
    at -= OBS.hand_size
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        put_word(row, at + OBS.known + c.N_CARDS * offset, state.known[seat, 0])
        put_word(row, at + OBS.known + c.N_CARDS * offset + 8, state.known[seat, 1])
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        for i in range(c.N_STACK_FACES // 8):
            put_word(row, at + OBS.murder + c.N_STACK_FACES * offset + 8 * i, state.murder[seat, i])
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        put_word(row, at + OBS.wild_depth + c.N_STACKS * offset, state.wild_depth[seat])
    put_word(row, at + OBS.missing, bytes_from(rules, state.missing, looker))
    put_word(row, at + OBS.discard, state.discard[0])
    put_word(row, at + OBS.discard + 8, state.discard[1])
    row[at + OBS.piles] = state.deck_n
    row[at + OBS.piles + 1] = state.discard_n


PAIRS = np.uint64(0x0001000100010001)
PAIR_LOWS = PAIRS * BYTE


@kernel
def put_tail(row, at, state: State, rules: Rules, looker):
    """Old cards, steps left, and the last acts, four at a time: actors are 1 + offset, flips and nothing stay."""
    put_word(row, at, bytes_from(rules, state.old_max, looker))
    at -= OBS.old_max
    row[at + OBS.steps_left] = min(MOST_STEPS_SHOWN, rules.max_steps - state.steps)
    turned = PAIRS * np.uint64(rules.n_seats - looker)
    for i in range(EVENT_WORDS):
        word = state.events[i]
        actors = word & PAIR_LOWS
        is_actor = (actors + PAIRS * np.uint64(127)) & ~(actors + PAIRS * np.uint64(128 - FLIPPED)) & HIGHS
        is_later = ((actors + PAIRS * np.uint64(127 - looker)) & HIGHS) >> 7 & PAIRS
        offsets = actors + turned - is_later * np.uint64(rules.n_seats)
        chosen = (is_actor >> 7) * BYTE
        put_word(row, at + OBS.events + 2 * EVENTS_A_WORD * i, (word & ~chosen) | (offsets & chosen))


@kernel
def observe(state: State, rules: Rules, seat, row):
    """The seat's observation, block by block in rising order (a block's last word may spill into the next)."""
    put_head(row, state, rules, seat)
    put_word(row, OBS.my_hand, state.known[seat, 0] + state.secret[seat, 0])
    put_word(row, OBS.my_hand + 8, state.known[seat, 1] + state.secret[seat, 1])
    put_table(row, OBS.hand_size, state, rules, seat)
    put_word(row, OBS.unseen, state.hidden[0] - state.secret[seat, 0])
    put_word(row, OBS.unseen + 8, state.hidden[1] - state.secret[seat, 1])
    put_word(row, OBS.deck_max, state.deck_max[seat, 0])
    put_word(row, OBS.deck_max + 8, state.deck_max[seat, 1])
    put_tail(row, OBS.old_max, state, rules, seat)


# -- The whole truth ----------------------------------------------------------------------------

WORLD = Layout(
    [
        *_HEAD,
        *_TABLE,
        *_TAIL,
        ("hands", (MAX_SEATS, c.N_CARDS), 0, c.MOST_OF_A_LETTER, "cards in each hand"),
        ("deck", c.N_CARDS, 0, c.MOST_OF_A_LETTER, "cards in the draw pile"),
        ("deck_next", c.N_CARDS, 0, 1, "top card of the draw pile, one-hot"),
    ]
)
WORLD_AT = WORLD.at


@kernel
def world(state: State, rules: Rules, row):
    """The state vector, absolute seats, block by block in rising order."""
    put_head(row, state, rules, 0)
    put_table(row, WORLD_AT.hand_size, state, rules, 0)
    put_tail(row, WORLD_AT.old_max, state, rules, 0)
    for i in range(2):
        pile = state.hidden[i]
        for seat in range(MAX_SEATS):
            put_word(row, WORLD_AT.hands + c.N_CARDS * seat + 8 * i, state.known[seat, i] + state.secret[seat, i])
            pile -= state.secret[seat, i]
        put_word(row, WORLD_AT.deck + 8 * i, pile)
    put_bits(row, WORLD_AT.deck_next, bit(state.deck[state.deck_n - 1]) if state.deck_n > 0 else NONE, c.N_CARDS)
