"""Counts by card, packed: a byte a card, eight cards a word, so that eight are added, compared or tested at once.

A hand or a pile is two such words, for cards 0 to 7 and 8 to 15; a Murder is three, for its 24 stack-faces. Every count
is less than 128, so sums and differences of bytes never reach a neighbour.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, GATHER, NONE, ONE, ONES, SEVENS
from murder_envs.core.jit import kernel

HIGHS = ONES << ONE * 7
"""The highest bit of each byte."""


@kernel
def nonzero(word):
    """Which of eight bytes, each less than 128, are not 0: a set of 8."""
    return ((((word + SEVENS) & HIGHS) >> 7) * GATHER) >> 56


@kernel
def kinds(low, high):
    """Which cards there are at all in counts by card: a set of 16."""
    return nonzero(low) | (nonzero(high) << 8)


@kernel
def total(low, high):
    """How many cards there are in counts by card."""
    return np.int64(((low + high) * ONES) >> 56)


@kernel
def byte_of(word, i):
    """Byte i of a word, as a number."""
    return np.int64((word >> (8 * i)) & BYTE)


@kernel
def one_at(i):
    """1 in byte i, to be added or taken away."""
    return ONE << (8 * i)


@kernel
def least(a, b):
    """The smaller of each pair of bytes, each less than 128."""
    b_is = ((((a | HIGHS) - b) & HIGHS) >> 7) * BYTE
    return (b & b_is) | (a & ~b_is)


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
            left >>= 8
            card += 1
    return at


@kernel
def n_at(i, n):
    """n in byte i, to be added or taken away."""
    return np.uint64(n) << (8 * i)
