"""A scripted player (the page's section 13), compiled: it sees an observation, a legal set and public rules, no more.

Fill empty stacks first; strip the leader of letters without a backup; never let a loss through while a card in hand
can stop it, and pay with the card one needs least. Every option has a score; the highest is taken, the lowest id among
equals. Scores are multiples of 1/2, so they are kept doubled, as whole numbers.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import get_bits, has, is_in, lowest
from murder_envs.core.jit import kernel
from murder_envs.games.murder_of_crows.cards import (
    CARD_OF,
    FACE_WILD,
    LETTER_D,
    LETTER_E,
    LETTER_M,
    LETTER_OF,
    LETTER_R,
    N_CARDS,
    N_CROWS,
    N_FACES,
    N_LETTERS,
    N_STACK_FACES,
    N_STACKS,
    WILD,
)
from murder_envs.games.murder_of_crows.moves import (
    ALLOW,
    DRAW,
    GRAB,
    GRAB_CARD,
    LETTER,
    LOSE,
    LOSE_CARD,
    MAX_SEATS,
    NAME_LETTER,
    NONE,
    PASS,
    PHASES,
    PLAY,
    PLAY_CARD,
    PREVENT_WITH,
    RAZE,
    RAZE_STACK,
    REACT,
    START,
    TAKE,
    TAKE_CARD,
    TARGET,
    TARGET_SEAT,
    THIRD_LOSE,
    THIRD_RAZE,
    THIRD_TAKE,
    USE_WILD,
)
from murder_envs.games.murder_of_crows.view import (
    OBS_HAND_SIZE,
    OBS_MISSING,
    OBS_MODE,
    OBS_MURDER,
    OBS_MY_HAND,
    OBS_PHASE,
    OBS_PLAYED_SLOT,
    OBS_PLAYERS,
    OBS_PREVENTED,
    OBS_TARGET,
    OBS_WORD,
)

TWICE = 2
LEAST = -1_000_000
WIN = 1_000_000
FEW_CARDS = 4
"""With so many cards in hand an Expel is welcome."""


@kernel
def heuristic(row, legal_set, rules, stream):
    """The scripted player's action."""
    phase = lowest(get_bits(row, OBS_PHASE, len(PHASES)))
    if phase == START:
        return np.int64(DRAW)
    if phase == PLAY:
        return best_of(row, legal_set, phase, PLAY_CARD, N_STACK_FACES)
    if phase == REACT:
        welcome = row[OBS_HAND_SIZE] <= FEW_CARDS and is_expel(row)
        return np.int64(ALLOW) if welcome else best_of(row, legal_set, phase, ALLOW, 1 + N_CARDS)
    if phase == TARGET:
        return best_of(row, legal_set, phase, TARGET_SEAT, MAX_SEATS + 1)
    if phase == TAKE or phase == THIRD_TAKE:
        return best_of(row, legal_set, phase, TAKE_CARD, N_STACK_FACES)
    if phase == GRAB:
        return best_of(row, legal_set, phase, GRAB_CARD, N_CARDS)
    if phase == LETTER:
        return best_of(row, legal_set, phase, NAME_LETTER, N_LETTERS)
    if phase == LOSE or phase == THIRD_LOSE:
        return best_of(row, legal_set, phase, LOSE_CARD, N_STACK_FACES)
    if phase == RAZE or phase == THIRD_RAZE:
        return best_of(row, legal_set, phase, RAZE_STACK, N_STACKS)
    return np.int64(USE_WILD)


@kernel
def best_of(row, legal_set, phase, start, n):
    """The legal action of a block with the highest score."""
    best = start
    most = LEAST * TWICE
    for action in range(start, start + n):
        if is_in(legal_set, action):
            value = score(row, phase, action, action - start)
            if value > most:
                most = value
                best = action
    return np.int64(best)


@kernel
def score(row, phase, action, i):
    """Twice what an option is worth, the i-th of its block."""
    if phase == PLAY:
        return play_value(row, i)
    if phase == REACT:
        return LEAST if action == ALLOW else -keep(row, action - PREVENT_WITH, 0)
    if phase == TARGET:
        if action == PASS:
            return LEAST + 1
        return LEAST if i == 0 else -row[OBS_MISSING + i]
    if phase == GRAB:
        return keep(row, i, 1)
    if phase == LETTER:
        return drain_value(row, i, get_bits(row, OBS_PREVENTED, MAX_SEATS))
    offset = lowest(get_bits(row, OBS_TARGET, MAX_SEATS)) if phase == TAKE or phase == RAZE else 0
    if phase == TAKE:
        return take_value(row, offset, i)
    if phase == RAZE:
        return in_stack(row, offset, i)
    if phase == THIRD_RAZE:
        return -in_stack(row, 0, i)
    wild = i % N_FACES == FACE_WILD
    cards = TWICE * in_stack(row, 0, i // N_FACES)
    return cards - wild if phase == LOSE or phase == THIRD_LOSE else cards + wild


# -- Reading the observation ----------------------------------------------------------------------


@kernel
def n_seats(row):
    """How many seats the table has."""
    return lowest(get_bits(row, OBS_PLAYERS, MAX_SEATS - 1)) + 2


@kernel
def in_stack(row, offset, stack):
    """How many cards lie in a stack."""
    at = OBS_MURDER + N_STACK_FACES * offset + N_FACES * stack
    total = 0
    for face in range(N_FACES):
        total += row[at + face]
    return np.int64(total)


@kernel
def is_expel(row):
    """Is the card in play an Expel, by a letter or by a wild?"""
    slot = lowest(get_bits(row, OBS_PLAYED_SLOT, N_STACKS))
    return LETTER_OF[slot] == LETTER_E and row[OBS_MODE + 1] == 0


@kernel
def need(row, letter):
    """Own empty stacks of a letter."""
    total = 0
    for stack in range(N_STACKS):
        if LETTER_OF[stack] == letter and row[OBS_WORD + stack] == 1 and in_stack(row, 0, stack) == 0:
            total += 1
    return total


@kernel
def held(row, letter):
    """Letter cards of a letter in the own hand."""
    total = 0
    for card in range(N_CROWS * letter, N_CROWS * (letter + 1)):
        total += row[OBS_MY_HAND + card]
    return np.int64(total)


# -- Values, doubled ------------------------------------------------------------------------------


@kernel
def keep(row, card, more):
    """Worth of a card in hand, with so many more cards of its letter held."""
    if card == WILD:
        return 6 * TWICE
    letter = card // N_CROWS
    if held(row, letter) + more > need(row, letter):
        return 1 * TWICE
    return (3 if letter == LETTER_R else 4) * TWICE


@kernel
def threat(row, offset):
    """How near a seat is to a complete word."""
    return max(1, 5 - np.int64(row[OBS_MISSING + offset]))


@kernel
def take_value(row, offset, stack_face):
    """Worth of taking a card out of a Murder."""
    lone = in_stack(row, offset, stack_face // N_FACES) == 1
    value = threat(row, offset) * (2 * TWICE if lone else 1)
    if CARD_OF[stack_face] == WILD:
        return value + 5 * TWICE
    return value + (3 * TWICE if need(row, LETTER_OF[stack_face // N_FACES]) > 0 else 0)


@kernel
def drain_value(row, letter, spared):
    """Worth of draining a letter, over the other seats that are not spared."""
    value = 0
    for offset in range(1, n_seats(row)):
        most = 0
        for stack in range(N_STACKS):
            if LETTER_OF[stack] == letter:
                most = max(most, in_stack(row, offset, stack))
        if most > 0 and not has(spared, offset):
            value += threat(row, offset) * (2 * TWICE if most == 1 else 1)
    return value


@kernel
def effect_value(row, letter):
    """Worth of a letter's effect, over all other seats."""
    value = 0
    if letter == LETTER_M:
        for offset in range(1, n_seats(row)):
            for stack_face in range(N_STACK_FACES):
                if row[OBS_MURDER + N_STACK_FACES * offset + stack_face] > 0:
                    value = max(value, 7 * take_value(row, offset, stack_face))
    elif letter == LETTER_D:
        for other in range(N_LETTERS):
            value = max(value, 7 * drain_value(row, other, NONE))
    elif letter == LETTER_E:
        for offset in range(1, n_seats(row)):
            value += 7 * TWICE * (np.int64(row[OBS_HAND_SIZE + offset]) - 2)
    else:
        value = 30 * TWICE
    return value


@kernel
def play_value(row, stack_face):
    """Worth of playing a card to a stack; a complete word is worth more than anything."""
    stack = stack_face // N_FACES
    empty = in_stack(row, 0, stack) == 0
    if empty and row[OBS_MISSING] == 1:
        return WIN
    value = effect_value(row, LETTER_OF[stack])
    if empty:
        value += 100 * TWICE
    return value - (60 * TWICE if stack_face % N_FACES == FACE_WILD else 0)
