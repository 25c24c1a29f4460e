"""What compiled code stands on: its cache, one signature a kernel, no allocation; random numbers and bits."""

from __future__ import annotations

import gc
import itertools
import math
import random

import numpy as np
import pytest

from murder_envs import episode_seed, warm
from murder_envs.core import jit
from murder_envs.core.bits import PAD
from murder_envs.core.rng import Randomness
from murder_envs.drivers import rollout
from tests import bricks
from tests.support import all_configs, ruleset_of

compiled_only = pytest.mark.skipif(not jit.COMPILED, reason="about compiled code")
MASK_64 = 2**64 - 1


def test_drivers_are_bound_once_and_by_name(game):
    ruleset = ruleset_of(game)
    assert jit.bind(ruleset, "single") is jit.bind(ruleset, "single")
    assert jit.bind(ruleset, "single") is not jit.bind(ruleset, "rollout")
    with pytest.raises(ValueError, match="^driver: no no_such_driver"):
        jit.bind(ruleset, "no_such_driver")


# -- Kernels ----------------------------------------------------------------------------------------------------------


@compiled_only
def test_a_kernel_called_from_python_says_what_to_do():
    with pytest.raises(TypeError, match="popcount_of.*entry"):
        bricks.popcount_of(np.uint64(3))


@compiled_only
def test_each_kernel_is_compiled_once(game):
    """After everything has run in every configuration: no kernel has two signatures for a game, neither here nor in the
    cache on disk. So another configuration, however different its sizes and tables, compiles nothing."""
    from numba.core.dispatcher import Dispatcher

    warm.warm(game)
    for config in all_configs(game):
        for stage in warm.STAGES.values():
            stage(ruleset_of(game, config))
    kernels = [
        function
        for function in gc.get_objects()
        if isinstance(function, Dispatcher) and function.py_func.__module__.startswith("murder_envs.")
    ]
    assert len(kernels) > 100
    for kernel in kernels:
        of_game: dict[tuple, set] = {}
        for signature in {tuple(signature) for signature in kernel.signatures} | on_disk(kernel):
            of_game.setdefault(records_in(signature), set()).add(signature)
        for signatures in of_game.values():
            assert len(signatures) == 1, f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}: {signatures}"
    assert any(map(on_disk, kernels)) or jit.CACHE is None


def records_in(signature) -> tuple:
    """The record types among the argument types: each game has its own."""
    from numba import types

    kinds = (kind.dtype if isinstance(kind, types.Array) else kind for kind in signature)
    return tuple(kind for kind in kinds if isinstance(kind, types.Record))


def on_disk(kernel) -> set:
    """The argument types for which the cache has a kernel."""
    if jit.CACHE is None:
        return set()
    return {tuple(key[0]) for key in kernel._cache._cache_file._load_index()}


def allocations(call, *arguments) -> int:
    """How often compiled code has asked for memory in a call."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats().alloc
    call(*arguments)
    return rtsys.get_allocation_stats().alloc - before


@compiled_only
@pytest.mark.parametrize("observe", [False, True])
def test_a_step_allocates_nothing(ruleset, observe):
    """However many decisions are played, a call allocates the same (its arguments are wrapped)."""
    play = rollout.RandomPlay(ruleset, 4, observe=observe)
    play.run(10)
    assert allocations(play.run, 2000) == allocations(play.run, 1)


@compiled_only
def test_allocations_are_noticed():
    out = np.zeros(1)
    bricks.allocates(1, out)
    assert allocations(bricks.allocates, 50, out) == allocations(bricks.allocates, 1, out) + 49


# -- Random numbers ---------------------------------------------------------------------------------------------------

SPLITMIX = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
}
"""seed -> first outputs of splitmix64, as published with its reference implementation and in Rosetta Code."""


def chance(seed: int) -> np.ndarray:
    """A state of random numbers alone."""
    states = jit.records(Randomness.dtype, 1)
    bricks.seed_states(states, seed)
    return states


def drawn(states: np.ndarray, n: int, times: int) -> list[int]:
    out = np.zeros(times, np.int64)
    bricks.draws(states, n, out)
    return out.tolist()


def mix(z: int) -> int:
    """Splitmix64's finaliser in plain Python."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK_64
    return z ^ z >> 31


GOLDEN = 0x9E3779B97F4A7C15


@pytest.mark.kernels
@pytest.mark.nojit
@pytest.mark.parametrize("seed", SPLITMIX)
def test_the_generator_gives_the_published_numbers(seed):
    out = np.zeros(5, np.uint64)
    bricks.next_words(np.array([seed], np.uint64), out)
    assert out.tolist() == SPLITMIX[seed]
    z = seed
    for word in out.tolist():
        z = z + GOLDEN & MASK_64
        assert mix(z) == word


@pytest.mark.kernels
@pytest.mark.nojit
@pytest.mark.parametrize("n", [1, 2, 3, 24, 1000, 2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_draws_are_those_of_the_published_method(n):
    """Lemire's method in plain Python gives the same numbers, in the state's stream and in others."""
    for seed in (0, 7, 2**63 - 1):
        z = mix(seed + GOLDEN & MASK_64)
        expected = []
        while len(expected) < 30:
            z = z + GOLDEN & MASK_64
            product = (mix(z) >> 32) * n
            if product % 2**32 >= 2**32 % n:
                expected.append(product >> 32)
        assert drawn(chance(seed), n, 30) == expected
        out = np.zeros(30, np.int64)
        bricks.stream_draws(np.array([mix(seed + GOLDEN & MASK_64)], np.uint64), n, out)
        assert out.tolist() == expected


@pytest.mark.kernels
@compiled_only
@pytest.mark.parametrize("n", [2, 3, 5, 6, 24])
def test_draws_are_unbiased(n):
    times = 60_000
    counts = np.bincount(drawn(chance(n), n, times), minlength=n)
    distance = ((counts - times / n) ** 2 / (times / n)).sum()
    assert len(counts) == n and distance < n - 1 + 5 * math.sqrt(2 * (n - 1))


@pytest.mark.kernels
@compiled_only
def test_wide_draws_are_unbiased():
    """Without rejection, half of the draws among 3 x 2^30 would be 0 modulo 3."""
    thirds = np.bincount(np.array(drawn(chance(1), 3 * 2**30, 30_000)) % 3)
    assert (abs(thirds - 10_000) < 5 * math.sqrt(30_000 * 2 / 9)).all()


@pytest.mark.kernels
@pytest.mark.nojit
def test_a_list_has_every_order_once():
    orders = []
    for number in range(24):
        states = chance(-1 - number)
        cards = np.arange(6, dtype=np.uint8)
        bricks.shuffled(states, cards, 1, 5)
        assert states["rng_ways"][0] == 24 and states["rng"][0] == 0
        assert cards[0] == 0 and cards[5] == 5
        orders.append(tuple(cards[1:5].tolist()))
    assert sorted(orders) == list(itertools.permutations(range(1, 5)))


@pytest.mark.kernels
@compiled_only
def test_shuffles_are_uniform():
    counts: dict[bytes, int] = {}
    states = chance(3)
    for _ in range(24_000):
        cards = np.arange(4, dtype=np.uint8)
        bricks.shuffled(states, cards, 0, 4)
        counts[cards.tobytes()] = counts.get(cards.tobytes(), 0) + 1
    assert len(counts) == 24
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 23 + 5 * math.sqrt(46)


@pytest.mark.kernels
@pytest.mark.nojit
def test_episode_seeds():
    def plain(seed: int, game: int, episode: int) -> int:
        z = mix(seed + GOLDEN & MASK_64)
        z = mix(z ^ (game * 0xBF58476D1CE4E5B9 + GOLDEN & MASK_64))
        return mix(z ^ (episode * 0x94D049BB133111EB + GOLDEN & MASK_64)) >> 1

    cases = list(itertools.product((0, 1, 2**63 - 1), (-1, 0, 1, 1000), (0, 1, 2, 10**6)))
    seeds = [episode_seed(*case) for case in cases]
    assert seeds == [plain(*case) for case in cases]
    assert len(set(seeds)) == len(cases) and all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds)
    assert episode_seed(np.uint8(7), np.int32(1), np.int64(2)) == episode_seed(7, 1, 2)
    for at, name in enumerate(("seed", "game", "episode")):
        for wrong in (5.0, np.float64(5), True, np.array([5]), "5", None, 2**63, *([-1] if name != "game" else [])):
            with pytest.raises(ValueError, match=f"^{name}: "):
                episode_seed(*[wrong if each == at else 5 for each in range(3)])


# -- Bits -------------------------------------------------------------------------------------------------------------


def some_words(n: int = 40) -> list[int]:
    rng = random.Random(5)
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in range(n)]
    return [0, 1, 1 << 63, MASK_64, *(rng.getrandbits(64) for _ in range(n)), *sparse]


def members(x: int) -> list[int]:
    return [i for i in range(64) if x >> i & 1]


@pytest.mark.kernels
@pytest.mark.nojit
@pytest.mark.parametrize("x", some_words(6))
def test_words(x):
    out = np.zeros(5, np.int64)
    bricks.words_of(np.uint64(x), out)
    held = members(x)
    assert out[0] == len(held) and out[1] == (held[0] if held else 64)
    assert out[2].tobytes() == bytes(x >> i & 1 for i in range(8))
    assert out[3] == sum(i + 1 for i in held)
    assert out[4] == sum((k + 1) * i for k, i in enumerate(held))


@pytest.mark.kernels
@pytest.mark.nojit
def test_bit_and_full():
    out = np.zeros(2, np.uint64)
    for i in range(64):
        bricks.bit_and_full(i, out)
        assert out.tolist() == [1 << i, (1 << i) - 1]


@pytest.mark.kernels
def test_rows_at_any_offset():
    """put_bits writes n bytes of 0 or 1 at any offset, and less than a word beyond them; get_bits reads them."""
    rng = random.Random(8)
    out = np.zeros(1, np.uint64)
    for x in some_words():
        for n in (1, 7, 8, 9, rng.randrange(1, 65), 63, 64):
            at = rng.randrange(20)
            row = np.full(100 + PAD, 55, np.int8)
            bricks.put_bits(row, at, np.uint64(x), n)
            written = (n + 7) // 8 * 8
            assert row[at : at + n].tolist() == [x >> i & 1 for i in range(n)]
            assert (row[:at] == 55).all() and (row[at + written :] == 55).all()
            bricks.get_bits(row, at, n, out)
            assert int(out[0]) == x & ((1 << n) - 1)
            bricks.put_zeros(row, at, n)
            assert not row[at : at + n].any() and (row[:at] == 55).all() and (row[at + written :] == 55).all()


@pytest.mark.kernels
@pytest.mark.nojit
def test_rows_at_some_offsets():
    out = np.zeros(1, np.uint64)
    for at, x in ((0, 0x0123456789ABCDEF), (3, MASK_64), (5, 1 << 63)):
        row = np.zeros(40, np.int8)
        bricks.put_word(row, at, np.uint64(x), out)
        assert row[at : at + 8].tobytes() == x.to_bytes(8, "little") and int(out[0]) == x
        bricks.put_bits(row, at, np.uint64(x), 20)
        assert row[at : at + 20].tolist() == [x >> i & 1 for i in range(20)]
        bricks.get_bits(row, at, 20, out)
        assert int(out[0]) == x & 0xFFFFF


@pytest.mark.kernels
@pytest.mark.nojit
@pytest.mark.parametrize("n", [1, 63, 64, 65, 149])
def test_sets_of_words(n):
    rng = random.Random(n)
    held = sorted(rng.sample(range(n), rng.randrange(1, n + 1)))
    bitset = np.zeros((n + 63) // 64, np.uint64)
    for i in held:
        bricks.allow(bitset, i)
    elements = np.zeros(n, np.int64)
    assert bricks.members(bitset, elements) == len(held) and elements[: len(held)].tolist() == held
    assert [i for i in range(n) if bricks.is_in(bitset, i)] == held
    row = np.full(3 + n + PAD, 55, np.int8)
    bricks.put_set(row, 3, bitset, n)
    assert row[3 : 3 + n].tolist() == [int(i in held) for i in range(n)] and (row[:3] == 55).all()


@pytest.mark.kernels
@pytest.mark.nojit
def test_allow_all_across_words():
    for start in (0, 1, 40, 63, 64, 100):
        x = 0x8000_0000_0000_0001 if start % 64 == 0 else 0x0800_0100_0001_0001
        bitset = np.zeros(4, np.uint64)
        bricks.allow_all(bitset, start, np.uint64(x))
        elements = np.zeros(64, np.int64)
        n = bricks.members(bitset, elements)
        assert elements[:n].tolist() == [start + i for i in members(x)]


@pytest.mark.kernels
@pytest.mark.nojit
def test_rows_of_a_table():
    rows = np.arange(12, dtype=np.int64).reshape(3, 4)
    out = np.zeros(3, np.int64)
    bricks.rows_of(rows, out)
    assert out.tolist() == rows.sum(1).tolist()


@pytest.mark.kernels
@pytest.mark.nojit
def test_lanes():
    rng = np.random.default_rng(4)
    a, b, c = (rng.integers(0, 2**32, 8, dtype=np.uint32) for _ in range(3))
    b[2], b[5], a[7] = a[2], a[5], 0
    everything, nothing = np.uint32(0xFFFFFFFF), np.uint32(0)
    out = np.zeros((11, 8), np.uint32)
    row = np.full(48, 55, np.int8)
    assert bricks.lanes_of(a, b, c, out, row, 3)
    expected = [
        a & b, a | b, a & ~b, a ^ b, a + b, a - b,
        np.where(a.view(np.int32) < b.view(np.int32), everything, nothing),
        np.where(a == b, everything, nothing),
        [int(x).bit_count() for x in a],
        (c & a) | (~c & b),
        [a[0]] * 8,
    ]  # fmt: skip
    for k, values in enumerate(expected):
        assert out[k].tolist() == list(values), k
    assert row[3:35].tobytes() == a.tobytes() and (row[:3] == 55).all() and (row[35:] == 55).all()
    assert not bricks.lanes_of(np.zeros(8, np.uint32), b, c, out, row, 0)
