"""Who sees what: knowledge, the observation, another world for a seat, the state vector.

A hand is kept in two parts: what everybody knows to be in it (`known`), and the rest, seen by its holder alone
(`secret`). `hidden` is what is open to nobody: the draw pile and the secret parts of all hands. So a seat cannot place
`hidden` without its own secret part (`unseen`); of that, `deck_max` says how many at most lie in the draw pile.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, put_bits, put_word
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, seed_redeal, shuffle
from murder_envs.core.tables import Layout
from murder_envs.games.murder_of_crows.cards import (
    MOST_CARDS,
    MOST_OF_A_LETTER,
    MOST_WILDS,
    N_CARDS,
    N_FACES,
    N_LETTERS,
    N_STACK_FACES,
    N_STACKS,
)
from murder_envs.games.murder_of_crows.deal import EVENT_WORDS, EVENTS_A_WORD, FLIPPED, N_EVENTS
from murder_envs.games.murder_of_crows.moves import (
    ACTIONS,
    BYTE,
    HIGHS,
    MAX_SEATS,
    MODES,
    NO_MODE,
    NO_SEAT,
    NONE,
    NOTHING,
    PHASES,
    SEVEN,
    byte_of,
    offset_of,
    one_at,
    others,
    seat_at,
    seen_from,
    total,
)

# -- Knowledge ----------------------------------------------------------------------------------


@kernel
def least(a, b):
    """The smaller of each pair of bytes, each less than 128."""
    b_is = ((((a | HIGHS) - b) & HIGHS) >> SEVEN) * BYTE
    return (b & b_is) | (a & ~b_is)


@kernel
def unknown(state, seat):
    """How many cards of a hand are not known to all."""
    return total(state.secret[seat, 0], state.secret[seat, 1])


@kernel
def laid_open(state, rules, seat, low, high):
    """Secret cards of a hand are seen by all: they become known there, or leave the hand.

    They came from this draw pile, and lower what the others think of it, if the seat has no older ones.
    """
    state.secret[seat, 0] -= low
    state.secret[seat, 1] -= high
    state.hidden[0] -= low
    state.hidden[1] -= high
    old = byte_of(state.old_max, seat)
    if old == 0:
        for other in range(rules.n_seats):
            if other != seat:
                state.deck_max[other, 0] -= low
                state.deck_max[other, 1] -= high
        return
    for other in range(rules.n_seats):
        if other != seat:
            for i in range(2):
                unseen = state.hidden[i] - state.secret[other, i]
                state.deck_max[other, i] = least(state.deck_max[other, i], unseen)
    left = unknown(state, seat)
    if left < old:
        state.old_max -= one_at(seat) * np.uint64(old - left)


@kernel
def reveal(state, rules, seat):
    """A whole hand is shown to all."""
    low = state.secret[seat, 0]
    high = state.secret[seat, 1]
    state.known[seat, 0] += low
    state.known[seat, 1] += high
    laid_open(state, rules, seat, low, high)


@kernel
def leave_hand(state, rules, seat, card):
    """An open card leaves a hand: one that is known to be there, if there is any."""
    half = card >> 3
    one = one_at(card & 7)
    state.n_held -= one_at(seat)
    if byte_of(state.known[seat, half], card & 7) > 0:
        state.known[seat, half] -= one
    elif half == 0:
        laid_open(state, rules, seat, one, NONE)
    else:
        laid_open(state, rules, seat, NONE, one)


@kernel
def enter_hand(state, seat, card):
    """A card that all have seen goes to a hand."""
    state.known[seat, card >> 3] += one_at(card & 7)
    state.n_held += one_at(seat)


@kernel
def saw_flip(state, rules, card):
    """The top of the draw pile was turned over."""
    half = card >> 3
    one = one_at(card & 7)
    state.hidden[half] -= one
    for seat in range(rules.n_seats):
        state.deck_max[seat, half] -= one


@kernel
def saw_reshuffle(state, rules):
    """The discards have become the draw pile: all know what is in it, and secret cards are old now."""
    state.old_max = NONE
    for seat in range(rules.n_seats):
        state.old_max += one_at(seat) * np.uint64(unknown(state, seat))
        for i in range(2):
            state.deck_max[seat, i] = state.discard[i]
    for i in range(2):
        state.hidden[i] += state.discard[i]


@kernel
def lay_out(cards, at, low, high):
    """Write counts as a list of cards in the order of their ids, from place `at` on; returns where it ends."""
    for half in range(2):
        left = low if half == 0 else high
        card = 8 * half
        while left != NONE:
            for _ in range(byte_of(left, 0)):
                cards[at] = card
                at += 1
            left >>= np.uint64(8)
            card += 1
    return at


# -- The observation ----------------------------------------------------------------------------

_Rows = list[tuple[str, int | tuple[int, ...], int, int, str]]
_HEAD: _Rows = [
    ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
    ("to_act", MAX_SEATS, 0, 1, "seat to act, one-hot; 0s when over"),
    ("current", MAX_SEATS, 0, 1, "whose turn it is, one-hot"),
    ("first", MAX_SEATS, 0, 1, "the first player, one-hot"),
    ("players", MAX_SEATS - 1, 0, 1, "one-hot of 2, 3, 4, 5 players"),
    ("third", 1, 0, 1, "1: with the Murdered Third"),
    ("word", N_STACKS, 0, 1, "1: stack in play"),
    ("played_slot", N_STACKS, 0, 1, "stack of the card in play, one-hot"),
    ("played_face", N_FACES, 0, 1, "face of the card in play, one-hot"),
    ("mode", len(MODES) - 1, 0, 1, "declared use of a wild in play: letter, remove"),
    ("third_card", N_CARDS, 0, 1, "the Third's flip being resolved, one-hot"),
    ("letter", N_LETTERS, 0, 1, "letter being drained, one-hot"),
    ("target", MAX_SEATS, 0, 1, "chosen seat, one-hot"),
    ("prevented", MAX_SEATS, 0, 1, "1: has prevented the card in play"),
    ("pending", MAX_SEATS, 0, 1, "1: has still to answer in this step, the seat to act included"),
]
_TABLE: _Rows = [
    ("hand_size", MAX_SEATS, 0, MOST_CARDS, "cards in hand"),
    ("known", (MAX_SEATS, N_CARDS), 0, MOST_OF_A_LETTER, "cards known to all to be in that hand"),
    ("murder", (MAX_SEATS, N_STACKS, N_FACES), 0, MOST_OF_A_LETTER, "cards in each stack by face"),
    (
        "wild_depth", (MAX_SEATS, N_STACKS), 0, MOST_OF_A_LETTER + MOST_WILDS,
        "place of the uppermost wild in the stack, counted from the top (1: showing); 0: none",
    ),
    ("missing", MAX_SEATS, 0, N_STACKS, "stacks in play that are empty"),
    ("discard", N_CARDS, 0, MOST_OF_A_LETTER, "discard pile by card"),
    ("piles", 2, 0, MOST_CARDS, "size of the draw pile, of the discard pile"),
]  # fmt: skip
_TAIL: _Rows = [
    ("old_max", MAX_SEATS, 0, MOST_CARDS, "at most so many unknown cards in hand are from before the latest reshuffle"),
    ("steps_left", 1, 0, 127, "decisions before the game is cut off, at most 127"),
    ("events", (N_EVENTS, 2), 0, ACTIONS.n - 1, "newest first: 1 + seat, action id; or 6, card, for a flip; or 0, 0"),
]
OBSERVATION = Layout(
    [
        *_HEAD,
        ("my_hand", N_CARDS, 0, MOST_OF_A_LETTER, "own cards"),
        *_TABLE,
        ("unseen", N_CARDS, 0, MOST_OF_A_LETTER, "cards that lie in the draw pile or unknown in other hands"),
        ("deck_max", N_CARDS, 0, MOST_OF_A_LETTER, "at most so many copies are in the draw pile"),
        *_TAIL,
    ]
)
(
    OBS_PHASE, OBS_TO_ACT, OBS_CURRENT, OBS_FIRST, OBS_PLAYERS, OBS_THIRD, OBS_WORD, OBS_PLAYED_SLOT, OBS_PLAYED_FACE,
    OBS_MODE, OBS_THIRD_CARD, OBS_LETTER, OBS_TARGET, OBS_PREVENTED, OBS_PENDING, OBS_MY_HAND, OBS_HAND_SIZE, OBS_KNOWN,
    OBS_MURDER, OBS_WILD_DEPTH, OBS_MISSING, OBS_DISCARD, OBS_PILES, OBS_UNSEEN, OBS_DECK_MAX, OBS_OLD_MAX,
    OBS_STEPS_LEFT, OBS_EVENTS,
) = (OBSERVATION.start(name) for name in OBSERVATION)  # fmt: skip
MOST_STEPS_SHOWN = 127
N_HEAD = OBS_MY_HAND
WORD_SIZE = 64


@kernel
def one_hot(looker, rules, seat, at):
    """A seat as a bit of a row of bits, NO_SEAT as none."""
    return bit(at + offset_of(rules, np.int64(seat), looker)) if seat != NO_SEAT else NONE


@kernel
def put_head(row, state, rules, looker):
    """All that is one bit a byte: what is asked of whom, and what is in play. The first word has 64 of them."""
    low = bit(OBS_PHASE + state.phase)
    low |= one_hot(looker, rules, state.to_act, OBS_TO_ACT)
    low |= one_hot(looker, rules, state.current, OBS_CURRENT)
    low |= one_hot(looker, rules, state.first, OBS_FIRST)
    low |= bit(OBS_PLAYERS + rules.n_seats - 2)
    low |= np.uint64(rules.third) << np.uint64(OBS_THIRD)
    low |= rules.stacks << np.uint64(OBS_WORD)
    high = NONE
    if state.played != NOTHING:
        low |= bit(OBS_PLAYED_SLOT + state.played // N_FACES) | bit(OBS_PLAYED_FACE + state.played % N_FACES)
        if state.mode != NO_MODE:
            low |= bit(OBS_MODE + state.mode - 1)
        high = one_hot(looker, rules, state.target, OBS_TARGET - WORD_SIZE)
        high |= seen_from(rules, state.prevented, looker) << np.uint64(OBS_PREVENTED - WORD_SIZE)
    if state.third_card != NOTHING:
        at = OBS_THIRD_CARD + state.third_card
        if at < WORD_SIZE:
            low |= bit(at)
        else:
            high |= bit(at - WORD_SIZE)
    if state.letter != NOTHING:
        high |= bit(OBS_LETTER - WORD_SIZE + state.letter)
    high |= seen_from(rules, state.pending, looker) << np.uint64(OBS_PENDING - WORD_SIZE)
    put_bits(row, 0, low, WORD_SIZE)
    put_bits(row, WORD_SIZE, high, N_HEAD - WORD_SIZE)


@kernel
def bytes_from(rules, word, looker):
    """A byte a seat as a byte an offset."""
    turned = (word >> np.uint64(8 * looker)) | (word << np.uint64(8 * (rules.n_seats - looker)))
    return turned & ((np.uint64(1) << np.uint64(8 * rules.n_seats)) - np.uint64(1))


@kernel
def put_table(row, at, state, rules, looker):
    """What lies open: sizes of hands, known cards, Murders, discards, piles; rows of seats that do not exist are 0."""
    put_word(row, at, bytes_from(rules, state.n_held, looker))
    at -= OBS_HAND_SIZE
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        put_word(row, at + OBS_KNOWN + N_CARDS * offset, state.known[seat, 0])
        put_word(row, at + OBS_KNOWN + N_CARDS * offset + 8, state.known[seat, 1])
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        for i in range(N_STACK_FACES // 8):
            put_word(row, at + OBS_MURDER + N_STACK_FACES * offset + 8 * i, state.murder[seat, i])
    for offset in range(MAX_SEATS):
        seat = seat_at(rules, looker, offset) if offset < rules.n_seats else offset
        put_word(row, at + OBS_WILD_DEPTH + N_STACKS * offset, state.wild_depth[seat])
    put_word(row, at + OBS_MISSING, bytes_from(rules, state.missing, looker))
    put_word(row, at + OBS_DISCARD, state.discard[0])
    put_word(row, at + OBS_DISCARD + 8, state.discard[1])
    row[at + OBS_PILES] = state.deck_n
    row[at + OBS_PILES + 1] = state.discard_n


PAIRS = np.uint64(0x0001000100010001)
PAIR_LOWS = PAIRS * BYTE


@kernel
def put_tail(row, at, state, rules, looker):
    """Old cards, steps left, and the last acts, four at a time: actors are 1 + offset, flips and nothing stay."""
    put_word(row, at, bytes_from(rules, state.old_max, looker))
    at -= OBS_OLD_MAX
    row[at + OBS_STEPS_LEFT] = min(MOST_STEPS_SHOWN, rules.max_steps - state.steps)
    turned = PAIRS * np.uint64(rules.n_seats - looker)
    for i in range(EVENT_WORDS):
        word = state.events[i]
        actors = word & PAIR_LOWS
        is_actor = (actors + PAIRS * np.uint64(127)) & ~(actors + PAIRS * np.uint64(128 - FLIPPED)) & HIGHS
        is_later = ((actors + PAIRS * np.uint64(127 - looker)) & HIGHS) >> SEVEN & PAIRS
        offsets = actors + turned - is_later * np.uint64(rules.n_seats)
        chosen = (is_actor >> SEVEN) * BYTE
        put_word(row, at + OBS_EVENTS + 2 * EVENTS_A_WORD * i, (word & ~chosen) | (offsets & chosen))


@kernel
def observe(state, rules, seat, row):
    """The seat's observation, block by block in rising order (a block's last word may spill into the next)."""
    put_head(row, state, rules, seat)
    put_word(row, OBS_MY_HAND, state.known[seat, 0] + state.secret[seat, 0])
    put_word(row, OBS_MY_HAND + 8, state.known[seat, 1] + state.secret[seat, 1])
    put_table(row, OBS_HAND_SIZE, state, rules, seat)
    put_word(row, OBS_UNSEEN, state.hidden[0] - state.secret[seat, 0])
    put_word(row, OBS_UNSEEN + 8, state.hidden[1] - state.secret[seat, 1])
    put_word(row, OBS_DECK_MAX, state.deck_max[seat, 0])
    put_word(row, OBS_DECK_MAX + 8, state.deck_max[seat, 1])
    put_tail(row, OBS_OLD_MAX, state, rules, seat)


# -- Another world for a seat -------------------------------------------------------------------
# Uniform up to which unknown cards are old (the page's section 12). Not modelled: what the others' choices say of
# their hands.


@kernel
def redeal(state, rules, seat, seed):
    """Another world that the seat cannot tell from this one, in place; it looks at what the seat sees and no more.

    Cards that cannot be in the draw pile go to random places of old cards; all others are shuffled, and fill the
    other hands, a hand's remaining old places first, and then the draw pile.
    """
    seed_redeal(state, seed)
    n_free = lay_out(state.deck, 0, state.deck_max[seat, 0], state.deck_max[seat, 1])
    n = lay_out(
        state.deck,
        n_free,
        state.hidden[0] - state.secret[seat, 0] - state.deck_max[seat, 0],
        state.hidden[1] - state.secret[seat, 1] - state.deck_max[seat, 1],
    )
    hands = others(rules, seat)
    places = state.old_max  # a byte a seat: old places that are still free
    places -= one_at(seat) * np.uint64(byte_of(places, seat))
    to_come = NONE  # a byte a seat: places that are still free
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            to_come += one_at(other) * np.uint64(unknown(state, other))
            for i in range(2):
                state.secret[other, i] = NONE
    n_places = total(places, NONE)
    for k in range(n_free, n):
        at = below(state, n_places)
        n_places -= 1
        other = 0
        while at >= byte_of(places, other):
            at -= byte_of(places, other)
            other += 1
        places -= one_at(other)
        to_come -= one_at(other)
        put_secret(state, other, state.deck[k])
    shuffle(state, state.deck, 0, n_free)
    sure = NONE  # what is new for certain, as far as this deal goes: the draw pile and all places that are not old
    sure_high = NONE
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            for k in range(byte_of(to_come, other)):
                if k == byte_of(places, other):
                    state.deck_max[other, 0] = state.secret[other, 0]
                    state.deck_max[other, 1] = state.secret[other, 1]
                n_free -= 1
                put_secret(state, other, state.deck[n_free])
            if byte_of(to_come, other) <= byte_of(places, other):
                state.deck_max[other, 0] = state.secret[other, 0]
                state.deck_max[other, 1] = state.secret[other, 1]
            # deck_max holds the cards at old places for now
            sure -= state.deck_max[other, 0]
            sure_high -= state.deck_max[other, 1]
    sure += state.hidden[0]
    sure_high += state.hidden[1]
    for other in range(rules.n_seats):
        if hands & bit(other) != NONE:
            mine = state.secret[other, 0] - state.deck_max[other, 0]
            mine_high = state.secret[other, 1] - state.deck_max[other, 1]
            state.deck_max[other, 0] = least(sure - mine, state.hidden[0] - state.secret[other, 0])
            state.deck_max[other, 1] = least(sure_high - mine_high, state.hidden[1] - state.secret[other, 1])


@kernel
def put_secret(state, seat, card):
    """Put a card into the secret part of a hand."""
    state.secret[seat, card >> 3] += one_at(card & 7)


# -- The whole truth ----------------------------------------------------------------------------

WORLD = Layout(
    [
        *_HEAD,
        *_TABLE,
        *_TAIL,
        ("hands", (MAX_SEATS, N_CARDS), 0, MOST_OF_A_LETTER, "cards in each hand"),
        ("deck", N_CARDS, 0, MOST_OF_A_LETTER, "cards in the draw pile"),
        ("deck_next", N_CARDS, 0, 1, "top card of the draw pile, one-hot"),
    ]
)
WORLD_TABLE, WORLD_TAIL, WORLD_HANDS, WORLD_DECK, WORLD_DECK_NEXT = (
    WORLD.start(name) for name in ("hand_size", "old_max", "hands", "deck", "deck_next")
)


@kernel
def world(state, rules, row):
    """The state vector, absolute seats, block by block in rising order."""
    put_head(row, state, rules, 0)
    put_table(row, WORLD_TABLE, state, rules, 0)
    put_tail(row, WORLD_TAIL, state, rules, 0)
    for i in range(2):
        pile = state.hidden[i]
        for seat in range(MAX_SEATS):
            put_word(row, WORLD_HANDS + N_CARDS * seat + 8 * i, state.known[seat, i] + state.secret[seat, i])
            pile -= state.secret[seat, i]
        put_word(row, WORLD_DECK + 8 * i, pile)
    put_bits(row, WORLD_DECK_NEXT, bit(state.deck[state.deck_n - 1]) if state.deck_n > 0 else NONE, N_CARDS)
