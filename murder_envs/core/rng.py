"""Random numbers whose state lives inside the game state: equal bytes, equal future.

A state record has three fields for them, see `Randomness`: `rng`, `rng_ways` and `rng_listed`.

- Normally `rng_listed` is 0 and `rng` counts up in steps of the golden ratio; a mixing function makes each value
  a random word (splitmix64: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014).
- With `rng_listed` 1 the draws are read from `rng` as a number in mixed radix: a draw among n is `rng % n`, then
  `rng //= n`, and `rng_ways` is multiplied by n. Playing the numbers 0, 1, 2, ... below the greatest product found,
  and leaving out those that are not below their own, lists every outcome of a small deal or shuffle once (exact
  counts, solvers). A seed below 0 starts a list, so that a game's own `deal` can be listed.

Bounded integers are unbiased: Lemire, "Fast random integer generation in an interval", 2019.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, ONE, PAD, get_word
from murder_envs.core.jit import entry, inner, kernel
from murder_envs.core.records import Record, table
from murder_envs.core.tables import by_name

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW_32 = np.uint64(0xFFFFFFFF)
TWO_32 = np.uint64(1 << 32)

STREAM = by_name(
    {
        "policies": -1,  # compiled policies, in batches and rollouts
        "choices": -2,  # policies that a batch is asked for
        "cloning": -3,  # games to clone the scripted player from
        "evaluation": -4,  # parts of an evaluation
        "improvement": -5,  # positions for rollout policy improvement
        "search": -6,  # searches
    }
)
"""All random streams beside those of the games, in the place of a game's number in `episode_seed`."""


class Randomness(Record):
    """The fields of chance; a game's State is a class below this one."""

    rng: int = table(np.uint64, "random numbers still to come; where draws are listed, the number of this outcome")
    rng_ways: int = table(np.uint64, "where draws are listed: product of the sizes of all draws so far")
    rng_listed: int = table(np.int8, "1: draws are read from `rng` in mixed radix")


@inner
def mix(z):
    """Splitmix64's finaliser: a bijection of 64-bit words."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@entry
def episode_seed(seed, game, episode):
    """Where episode `episode` of game `game` under seed `seed` starts: an int from 0 to 2^63 - 1."""
    z = mix(np.uint64(seed) + GOLDEN)
    z = mix(z ^ (np.uint64(np.int64(game)) * MIX_1 + GOLDEN))
    z = mix(z ^ (np.uint64(episode) * MIX_2 + GOLDEN))
    return np.int64(z >> np.uint64(1))


@kernel
def list_rng(state, number):
    """Let the state's draws be read from `number`: one outcome of all."""
    state.rng = np.uint64(number)
    state.rng_ways = np.uint64(1)
    state.rng_listed = 1


@kernel
def seed_rng(state, seed):
    """Start the state's random numbers from an int from 0 to 2^63 - 1; -1 - k, below 0, lists outcome k."""
    if seed < 0:
        list_rng(state, -1 - seed)
        return
    state.rng = mix(np.uint64(seed) + GOLDEN)
    state.rng_ways = np.uint64(1)
    state.rng_listed = 0


@kernel
def seed_redeal(state, seed):
    """Start the random numbers of a redeal: not those of a deal from the same seed, whose cards it could find."""
    seed_rng(state, seed)
    if state.rng_listed == 0:
        state.rng = mix(state.rng ^ MIX_2)


@inner
def below(state, n):
    """A uniform int from 0 to n-1 (1 <= n < 2^32): the one door of chance into a game."""
    width = np.uint64(n)
    if state.rng_listed != 0:
        digit = np.uint64(state.rng) % width
        state.rng = np.uint64(state.rng) // width
        state.rng_ways = state.rng_ways * width
        return np.int64(digit)
    z = state.rng + GOLDEN
    product = (mix(z) >> S32) * width
    if product & LOW_32 < width:
        least = (TWO_32 - width) % width
        while product & LOW_32 < least:
            z = z + GOLDEN
            product = (mix(z) >> S32) * width
    state.rng = z
    return np.int64(product >> S32)


@kernel
def shuffle(state, cards, start, stop):
    """Bring cards[start:stop] into a uniform random order (Fisher-Yates)."""
    for i in range(stop - 1, start, -1):
        j = start + below(state, i - start + 1)
        swapped = cards[i]
        cards[i] = cards[j]
        cards[j] = swapped


@inner
def next_word(stream):
    """The next random word of a stream, a uint64 array of length 1, as drivers and policies have them."""
    z = stream[0] + GOLDEN
    stream[0] = z
    return mix(z)


@inner
def stream_below(stream, n):
    """A uniform int from 0 to n-1 (1 <= n < 2^32) of a stream."""
    width = np.uint64(n)
    product = (next_word(stream) >> S32) * width
    if product & LOW_32 < width:
        least = (TWO_32 - width) % width
        while product & LOW_32 < least:
            product = (next_word(stream) >> S32) * width
    return np.int64(product >> S32)


# -- Hashes -----------------------------------------------------------------------------------------------------------


@inner
def stir(h, word):
    """Mix a word into a hash: a bijection of the hash for each word."""
    h = (h ^ word) * MIX_1
    return h ^ (h >> S32)


@kernel
def fingerprint(row):
    """Hash of an observation, in four strands that do not wait for each other."""
    size = row.shape[0] - PAD
    a, b, c, d = GOLDEN, MIX_1, MIX_2, ONE
    at = 0
    while at + 32 <= size:
        a = stir(a, get_word(row, at))
        b = stir(b, get_word(row, at + 8))
        c = stir(c, get_word(row, at + 16))
        d = stir(d, get_word(row, at + 24))
        at += 32
    while at + 8 <= size:
        a = stir(a, get_word(row, at))
        at += 8
    while at < size:
        b = stir(b, np.uint64(row[at]) & BYTE)
        at += 1
    return mix(mix(mix(a ^ mix(b)) ^ c) ^ mix(d))
