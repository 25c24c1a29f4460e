"""Sets as bitmasks: bit operations as single machine instructions, and bytes written eight at a time.

Each `@intrinsic` has a Python body for `NUMBA_DISABLE_JIT=1`. All sets are uint64 where they are computed with; rows
of bytes (observations, masks) are int8 arrays padded by PAD bytes, written in rising order.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from murder_envs.core.jit import COMPILED, inner, kernel

if sys.byteorder != "little":
    raise ImportError("murder_envs writes observations as little-endian words; this machine is big-endian")

PAD = 8
"""Bytes that a row of observation or mask has after its end, for the last word written."""

NONE: Any = np.uint64(0)
"""The empty set."""
ONE = np.uint64(1)
BYTE = np.uint64(0xFF)
EIGHT = np.uint64(8)
ONES = np.uint64(0x0101010101010101)
DIAGONAL = np.uint64(0x8040201008040201)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
SEVEN = np.uint64(7)
GATHER = np.uint64(0x0102040810204080)

if COMPILED:
    _I64 = ir.IntType(64)

    def _has_bmi2() -> bool:
        """Has the processor that numba compiles for these instructions? It may be set to be another than this one."""
        if config.CPU_FEATURES is not None:
            return "+bmi2" in config.CPU_FEATURES.split(",")
        return bool(binding.get_host_cpu_features().get("bmi2", False))

    HAS_PDEP = _has_bmi2()

    @intrinsic
    def popcount(typingctx: Any, x: Any) -> Any:
        """How many bits are set."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            function = builder.module.declare_intrinsic("llvm.ctpop", [_I64], ir.FunctionType(_I64, [_I64]))
            return builder.call(function, [args[0]])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest(typingctx: Any, x: Any) -> Any:
        """Index of the lowest set bit; 64 if there is none."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(_I64, [_I64, ir.IntType(1)])
            function = builder.module.declare_intrinsic("llvm.cttz", [_I64], kind)
            return builder.call(function, [args[0], ir.Constant(ir.IntType(1), 0)])

        return types.int64(types.uint64), codegen

    @intrinsic
    def _pdep(typingctx: Any, source: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(_I64, [_I64, _I64])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def put_word(typingctx: Any, row: Any, at: Any, word: Any) -> Any:
        """Write eight bytes into an int8 row from byte `at` on; `at` need not be a multiple of 8."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            place = builder.bitcast(builder.gep(data, [args[1]]), _I64.as_pointer())
            builder.store(args[2], place, align=1)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), codegen

    @intrinsic
    def get_word(typingctx: Any, row: Any, at: Any) -> Any:
        """Read eight bytes of an int8 row from byte `at` on; `at` need not be a multiple of 8."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            place = builder.bitcast(builder.gep(data, [args[1]]), _I64.as_pointer())
            return builder.load(place, align=1)

        return types.uint64(row, types.int64), codegen

    @intrinsic
    def copy_record(typingctx: Any, target: Any, source: Any) -> Any:
        """Make a record equal to another of its type; numba's own assignment copies it field by field."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            cgutils.raw_memcpy(builder, args[0], args[1], _I64(sig.args[0].size), 1)
            return context.get_dummy_value()

        return types.void(target, target), codegen

    @intrinsic
    def row_of(typingctx: Any, rows: Any, i: Any) -> Any:
        """rows[i] of a 2-d array in C order, valid as long as `rows` is.

        numba counts references to arrays, and doing so for six rows takes longer than a decision of a small game.
        """

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            whole = context.make_array(sig.args[0])(context, builder, args[0])
            row = context.make_array(sig.return_type)(context, builder)
            width = builder.extract_value(whole.shape, 1)
            context.populate_array(
                row,
                data=builder.gep(whole.data, [builder.mul(args[1], width)]),
                shape=[width],
                strides=[builder.extract_value(whole.strides, 1)],
                itemsize=whole.itemsize,
                meminfo=None,
            )
            return row._getvalue()

        return types.Array(rows.dtype, 1, "C")(rows, types.int64), codegen

else:
    HAS_PDEP = False

    def popcount(x: Any) -> int:
        """How many bits are set."""
        return int(x).bit_count()

    def lowest(x: Any) -> int:
        """Index of the lowest set bit; 64 if there is none."""
        return (int(x) & -int(x)).bit_length() - 1 if x else 64

    def put_word(row: Any, at: int, word: Any) -> None:
        """Write eight bytes into an int8 row from byte `at` on; `at` need not be a multiple of 8."""
        row[at : at + 8] = np.frombuffer(np.uint64(word).tobytes(), np.int8)

    def get_word(row: Any, at: int) -> Any:
        """Read eight bytes of an int8 row from byte `at` on; `at` need not be a multiple of 8."""
        return np.frombuffer(row[at : at + 8].tobytes(), np.uint64)[0]

    def copy_record(target: Any, source: Any) -> None:
        """Make a record equal to another of its type."""
        for name in target.dtype.names:
            target[name] = source[name]

    def row_of(rows: Any, i: int) -> Any:
        """rows[i] of a 2-d array in C order, valid as long as `rows` is."""
        return rows[i]


@inner
def bit(i):
    """The set of i alone."""
    return ONE << np.uint64(i)


@inner
def has(x, i):
    """Is i in the set?"""
    return (np.uint64(x) >> np.uint64(i)) & ONE != 0


@inner
def without_lowest(x):
    """A set without its lowest member, to go through it: `while x != NONE: i = lowest(x); x = without_lowest(x)`."""
    return x & (x - ONE)


@kernel
def full(n):
    """The set of 0..n-1, for n up to 63."""
    return (ONE << np.uint64(n)) - ONE


if HAS_PDEP:

    @kernel
    def spread(x):
        """The eight low bits as eight bytes of 0 or 1."""
        return _pdep(np.uint64(x) & BYTE, ONES)

    @kernel
    def kth(x, k):
        """Index of the k-th set bit, from 0; there must be that many."""
        return lowest(_pdep(ONE << np.uint64(k), np.uint64(x)))

else:

    @kernel
    def spread(x):
        """The eight low bits as eight bytes of 0 or 1."""
        y = ((np.uint64(x) & BYTE) * ONES) & DIAGONAL
        return ((y + SEVENS) >> SEVEN) & ONES

    @kernel
    def kth(x, k):
        """Index of the k-th set bit, from 0; there must be that many."""
        x = np.uint64(x)
        at = np.int64(0)
        k = np.int64(k)
        for half in (32, 16, 8, 4, 2, 1):
            low = x & ((ONE << np.uint64(half)) - ONE)
            n = popcount(low)
            if k >= n:
                k -= n
                at += half
                x >>= np.uint64(half)
            else:
                x = low
        return at


@kernel
def put_bits(row, at, x, n):
    """Write the n low bits of x as n bytes from byte `at` on (and up to 7 bytes more, which come later)."""
    x = np.uint64(x)
    for k in range((n + 7) >> 3):
        put_word(row, at + 8 * k, spread(x))
        x >>= EIGHT


@kernel
def get_bits(row, at, n):
    """Read n bytes of 0 or 1 from byte `at` on as a set of n <= 64; what the bytes after them are does not matter."""
    x = np.uint64(0)
    for k in range((n + 7) >> 3):
        eight = ((get_word(row, at + 8 * k) & ONES) * GATHER) >> np.uint64(56)
        x |= eight << np.uint64(8 * k)
    return x & (full(n) if n < 64 else ~np.uint64(0))


@kernel
def place_of_one(row, at, n):
    """Which of n <= 64 bytes of an observation is 1: a choice among n. No game shows none; then it is the last, so that
    nobody looks anything up beyond an array's end."""
    return min(lowest(get_bits(row, at, n)), n - 1)


@kernel
def put_zeros(row, at, n):
    """Write n bytes of 0 from byte `at` on (and up to 7 bytes more, which come later)."""
    for k in range((n + 7) >> 3):
        put_word(row, at + 8 * k, np.uint64(0))


@kernel
def put_set(row, at, bitset, n):
    """Write a set of n elements, given as words of 64, as n bytes: a legal set as a mask."""
    for w in range((n + 63) >> 6):
        put_bits(row, at + 64 * w, bitset[w], min(64, n - 64 * w))


@inner
def count(bitset):
    """Size of a set given as words."""
    total = 0
    for w in range(bitset.shape[0]):
        total += popcount(bitset[w])
    return total


@inner
def kth_of(bitset, k):
    """The k-th element, from 0, of a set given as words; there must be that many."""
    w = 0
    n = popcount(bitset[0])
    while k >= n:
        k -= n
        w += 1
        n = popcount(bitset[w])
    return 64 * w + kth(bitset[w], k)


@kernel
def allow(bitset, i):
    """Put i into a set given as words."""
    bitset[i >> 6] |= ONE << np.uint64(i & 63)


@kernel
def allow_all(bitset, start, x):
    """Put start + i into a set given as words, for each i of x (a set of at most 64)."""
    x = np.uint64(x)
    w = start >> 6
    shift = np.uint64(start & 63)
    bitset[w] |= x << shift
    if shift != 0 and x >> (np.uint64(64) - shift) != 0:
        bitset[w + 1] |= x >> (np.uint64(64) - shift)


@kernel
def is_in(bitset, i):
    """Is i in a set given as words?"""
    return (bitset[i >> 6] >> np.uint64(i & 63)) & ONE != 0
