"""Doors from Python to the small kernels of `core`, which only other kernels can call."""

import numpy as np

from murder_envs.core import bits, lanes, rng
from murder_envs.core.jit import entry, kernel


@kernel
def popcount_of(x):
    return bits.popcount(x)


@entry
def allocates(n, out):
    for i in range(n):
        out[0] += np.full(4 + i % 2, 1.5).sum()


@entry
def next_words(stream, out):
    for i in range(out.shape[0]):
        out[i] = rng.next_word(stream)


@entry
def stream_draws(stream, n, out):
    for i in range(out.shape[0]):
        out[i] = rng.stream_below(stream, n)


@entry
def seed_states(states, seed):
    rng.seed_rng(states[0], seed)


@entry
def draws(states, n, out):
    for i in range(out.shape[0]):
        out[i] = rng.below(states[0], n)


@entry
def shuffled(states, cards, start, stop):
    rng.shuffle(states[0], cards, start, stop)


@entry
def words_of(x, out):
    """All that bits.py says of one word; out int64[5]."""
    out[0] = bits.popcount(x)
    out[1] = bits.lowest(x)
    out[2] = bits.spread(x)
    for i in range(64):
        out[3] += (i + 1) * bits.has(x, i)
    for k in range(bits.popcount(x)):
        out[4] += (k + 1) * bits.kth(x, k)


@entry
def bit_and_full(i, out):
    out[0] = bits.bit(i)
    out[1] = bits.full(i)


@entry
def put_bits(row, at, x, n):
    bits.put_bits(row, at, x, n)


@entry
def get_bits(row, at, n, out):
    out[0] = bits.get_bits(row, at, n)


@entry
def put_zeros(row, at, n):
    bits.put_zeros(row, at, n)


@entry
def put_word(row, at, word, out):
    bits.put_word(row, at, word)
    out[0] = bits.get_word(row, at)


@entry
def put_set(row, at, bitset, n):
    bits.put_set(row, at, bitset, n)


@entry
def members(bitset, out):
    """The elements of a set in order; returns how many there are."""
    n = bits.count(bitset)
    for k in range(n):
        out[k] = bits.kth_of(bitset, k)
    return n


@entry
def allow(bitset, i):
    bits.allow(bitset, i)


@entry
def allow_all(bitset, start, x):
    bits.allow_all(bitset, start, x)


@entry
def is_in(bitset, i):
    return bits.is_in(bitset, i)


@entry
def rows_of(rows, out):
    for i in range(rows.shape[0]):
        row = bits.row_of(rows, i)
        for k in range(row.shape[0]):
            out[i] += row[k]


@entry
def lanes_of(a, b, c, out, row, at):
    """Each operation on rows of eight words, a row of `out` each; the last also into an int8 row."""
    x, y, z = lanes.load(a), lanes.load(b), lanes.load(c)
    lanes.store(out[0], lanes.both(x, y))
    lanes.store(out[1], lanes.either(x, y))
    lanes.store(out[2], lanes.without(x, y))
    lanes.store(out[3], lanes.differ(x, y))
    lanes.store(out[4], lanes.plus(x, y))
    lanes.store(out[5], lanes.minus(x, y))
    lanes.store(out[6], lanes.where_less(x, y))
    lanes.store(out[7], lanes.where_equal(x, y))
    lanes.store(out[8], lanes.sizes(x))
    lanes.store(out[9], lanes.choose(z, x, y))
    lanes.store(out[10], lanes.all_lanes(a[0]))
    lanes.put_lanes(row, at, x)
    return lanes.anything(x)
