"""A scripted player, compiled: it sees an observation, a legal set and public rules, no more.

Fill empty stacks first; strip the leader of letters without a backup; never let a loss through while a card in hand
can stop it, and pay with the card one needs least. Every option has a score; the highest is taken, the lowest id among
equals. Scores are multiples of 1/2, so they are kept doubled, as whole numbers.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, get_bits, has, is_in, kth_of, place_of_one
from murder_envs.core.jit import kernel
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import ACT, MAX_SEATS, PHASE, PHASES
from murder_envs.games.murder_of_crows.state import Rules
from murder_envs.games.murder_of_crows.view import OBS

# -- What a card or an effect is worth; the numbers were set by hand, and play in the order of the docstring above --

TWICE = 2
LEAST = -1_000_000
WIN = 1_000_000
FEW_CARDS = 4
"""With so many cards in hand an Expel is welcome."""


@kernel
def heuristic(row, legal_set, rules: Rules, stream):
    """The scripted player's action."""
    phase = place_of_one(row, OBS.phase, len(PHASES))
    if phase == PHASE.start:
        return ACT.draw
    if phase == PHASE.play:
        return best_of(row, legal_set, phase, ACT.play, c.N_STACK_FACES)
    if phase == PHASE.react:
        welcome = row[OBS.hand_size] <= FEW_CARDS and is_expel(row)
        return ACT.allow if welcome else best_of(row, legal_set, phase, ACT.allow, 1 + c.N_CARDS)
    if phase == PHASE.target:
        return best_of(row, legal_set, phase, ACT.target, MAX_SEATS + 1)
    if phase == PHASE.take or phase == PHASE.third_take:
        return best_of(row, legal_set, phase, ACT.take, c.N_STACK_FACES)
    if phase == PHASE.grab:
        return best_of(row, legal_set, phase, ACT.grab, c.N_CARDS)
    if phase == PHASE.letter:
        return best_of(row, legal_set, phase, ACT.letter, c.N_LETTERS)
    if phase == PHASE.lose or phase == PHASE.third_lose:
        return best_of(row, legal_set, phase, ACT.lose, c.N_STACK_FACES)
    if phase == PHASE.raze or phase == PHASE.third_raze:
        return best_of(row, legal_set, phase, ACT.raze, c.N_STACKS)
    if phase == PHASE.wild:
        return ACT.wild
    return kth_of(legal_set, 0)


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
    return best


@kernel
def score(row, phase, action, i):
    """Twice what an option is worth, the i-th of its block."""
    if phase == PHASE.play:
        return play_value(row, i)
    if phase == PHASE.react:
        return LEAST if action == ACT.allow else -keep(row, action - ACT.prevent, 0)
    if phase == PHASE.target:
        if action == ACT.pass_:
            return LEAST + 1
        return LEAST if i == 0 else -row[OBS.missing + i]
    if phase == PHASE.grab:
        return keep(row, i, 1)
    if phase == PHASE.letter:
        return drain_value(row, i, get_bits(row, OBS.prevented, MAX_SEATS))
    offset = place_of_one(row, OBS.target, MAX_SEATS) if phase == PHASE.take or phase == PHASE.raze else 0
    if phase == PHASE.take:
        return take_value(row, offset, i)
    if phase == PHASE.raze:
        return in_stack(row, offset, i)
    if phase == PHASE.third_raze:
        return -in_stack(row, 0, i)
    wild = i % c.N_FACES == c.FACE_WILD
    cards = TWICE * in_stack(row, 0, i // c.N_FACES)
    return cards - wild if phase == PHASE.lose or phase == PHASE.third_lose else cards + wild


# -- Reading the observation ----------------------------------------------------------------------


@kernel
def n_seats(row):
    """How many seats the table has."""
    return place_of_one(row, OBS.players, MAX_SEATS - 1) + 2


@kernel
def in_stack(row, offset, stack):
    """How many cards lie in a stack."""
    at = OBS.murder + c.N_STACK_FACES * offset + c.N_FACES * stack
    total = 0
    for face in range(c.N_FACES):
        total += row[at + face]
    return total


@kernel
def is_expel(row):
    """Is the card in play an Expel, by a letter or by a wild?"""
    slot = place_of_one(row, OBS.played_slot, c.N_STACKS)
    return c.LETTER_OF[slot] == c.LETTER_E and row[OBS.mode + 1] == 0


@kernel
def need(row, letter):
    """Own empty stacks of a letter."""
    total = 0
    for stack in range(c.N_STACKS):
        if c.LETTER_OF[stack] == letter and row[OBS.word + stack] == 1 and in_stack(row, 0, stack) == 0:
            total += 1
    return total


@kernel
def held(row, letter):
    """Letter cards of a letter in the own hand."""
    total = 0
    for card in range(c.N_CROWS * letter, c.N_CROWS * (letter + 1)):
        total += row[OBS.my_hand + card]
    return total


# -- Values, doubled ------------------------------------------------------------------------------


@kernel
def keep(row, card, more):
    """Worth of a card in hand, with so many more cards of its letter held."""
    if card == c.WILD:
        return 6 * TWICE
    letter = card // c.N_CROWS
    if held(row, letter) + more > need(row, letter):
        return 1 * TWICE
    return (3 if letter == c.LETTER_R else 4) * TWICE


@kernel
def threat(row, offset):
    """How near a seat is to a complete word."""
    return max(1, 5 - row[OBS.missing + offset])


@kernel
def take_value(row, offset, stack_face):
    """Worth of taking a card out of a Murder."""
    lone = in_stack(row, offset, stack_face // c.N_FACES) == 1
    value = threat(row, offset) * (2 * TWICE if lone else 1)
    if c.CARD_OF[stack_face] == c.WILD:
        return value + 5 * TWICE
    return value + (3 * TWICE if need(row, c.LETTER_OF[stack_face // c.N_FACES]) > 0 else 0)


@kernel
def drain_value(row, letter, spared):
    """Worth of draining a letter, over the other seats that are not spared."""
    value = 0
    for offset in range(1, n_seats(row)):
        most = 0
        for stack in range(c.N_STACKS):
            if c.LETTER_OF[stack] == letter:
                most = max(most, in_stack(row, offset, stack))
        if most > 0 and not has(spared, offset):
            value += threat(row, offset) * (2 * TWICE if most == 1 else 1)
    return value


@kernel
def effect_value(row, letter):
    """Worth of a letter's effect, over all other seats."""
    value = 0
    if letter == c.LETTER_M:
        for offset in range(1, n_seats(row)):
            for stack_face in range(c.N_STACK_FACES):
                if row[OBS.murder + c.N_STACK_FACES * offset + stack_face] > 0:
                    value = max(value, 7 * take_value(row, offset, stack_face))
    elif letter == c.LETTER_D:
        for other in range(c.N_LETTERS):
            value = max(value, 7 * drain_value(row, other, NONE))
    elif letter == c.LETTER_E:
        for offset in range(1, n_seats(row)):
            value += 7 * TWICE * (row[OBS.hand_size + offset] - 2)
    else:
        value = 30 * TWICE
    return value


@kernel
def play_value(row, stack_face):
    """Worth of playing a card to a stack; a complete word is worth more than anything."""
    stack = stack_face // c.N_FACES
    empty = in_stack(row, 0, stack) == 0
    if empty and row[OBS.missing] == 1:
        return WIN
    value = effect_value(row, c.LETTER_OF[stack])
    if empty:
        value += 100 * TWICE
    return value - (60 * TWICE if stack_face % c.N_FACES == c.FACE_WILD else 0)
