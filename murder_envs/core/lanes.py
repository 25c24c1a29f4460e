"""Eight sets of up to 32 elements at once: the same bit operation for eight viewers in one vector instruction.

Compiled, a value of type Lanes is an LLVM vector of eight 32-bit words (AVX2, NEON or pairs of SSE2, as the machine
has it); with `NUMBA_DISABLE_JIT=1` it is a uint32 array of eight. It lives in local variables and is read from and
written to rows of eight uint32 of a record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from murder_envs.core.jit import COMPILED

N_LANES = 8
N_BYTES = 4 * N_LANES
"""The same vector as bytes, for tables of small numbers."""

if COMPILED:
    _I32 = ir.IntType(32)
    _VECTOR = ir.VectorType(_I32, N_LANES)
    _FULL = ir.Constant(_VECTOR, [-1] * N_LANES)
    _EMPTY = ir.Constant(_VECTOR, [0] * N_LANES)
    _BYTES = ir.VectorType(ir.IntType(8), N_BYTES)
    # Where a set of 32 lies in every lane: byte i takes the word's byte i // 8, within its own half of the vector.
    _BYTE_OF = ir.Constant(ir.VectorType(_I32, N_BYTES), [i // 8 + (i & 16) for i in range(N_BYTES)])
    _BIT_OF = ir.Constant(_BYTES, [1 << (i & 7) for i in range(N_BYTES)])

    class Lanes(types.Type):
        """Eight sets."""

        def __init__(self) -> None:
            super().__init__(name="Lanes")

    @register_model(Lanes)
    class _LanesModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _VECTOR)

    LANES = Lanes()

    def _primitive(build: Callable[..., Any], *, result: Any = LANES, n: int = 2) -> Any:
        """An intrinsic over n Lanes from the code that builds it."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return build(builder, *args)

        if n == 1:

            def one(typingctx: Any, x: Any) -> Any:
                return result(LANES), codegen

            return intrinsic(one)
        if n == 2:

            def two(typingctx: Any, x: Any, y: Any) -> Any:
                return result(LANES, LANES), codegen

            return intrinsic(two)

        def three(typingctx: Any, x: Any, y: Any, z: Any) -> Any:
            return result(LANES, LANES, LANES), codegen

        return intrinsic(three)

    def _mask(builder: Any, flags: Any) -> Any:
        return builder.sext(flags, _VECTOR)

    def _count(builder: Any, x: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{N_LANES}i32")
        return builder.call(function, [x])

    def _any(builder: Any, x: Any) -> Any:
        flags = builder.icmp_unsigned("!=", x, _EMPTY)
        return builder.icmp_unsigned("!=", builder.bitcast(flags, ir.IntType(N_LANES)), ir.IntType(N_LANES)(0))

    both = _primitive(lambda b, x, y: b.and_(x, y))
    either = _primitive(lambda b, x, y: b.or_(x, y))
    without = _primitive(lambda b, x, y: b.and_(x, b.xor(y, _FULL)))
    differ = _primitive(lambda b, x, y: b.xor(x, y))
    plus = _primitive(lambda b, x, y: b.add(x, y))
    minus = _primitive(lambda b, x, y: b.sub(x, y))
    where_less = _primitive(lambda b, x, y: _mask(b, b.icmp_signed("<", x, y)))
    where_equal = _primitive(lambda b, x, y: _mask(b, b.icmp_unsigned("==", x, y)))
    sizes = _primitive(_count, n=1)
    anything = _primitive(_any, result=types.boolean, n=1)
    choose = _primitive(lambda b, m, x, y: b.or_(b.and_(m, x), b.and_(b.xor(m, _FULL), y)), n=3)

    def _bytewise(build: Callable[..., Any]) -> Any:
        """An intrinsic over the bytes of two Lanes."""

        def build_bytes(builder: Any, x: Any, y: Any) -> Any:
            return builder.bitcast(build(builder, builder.bitcast(x, _BYTES), builder.bitcast(y, _BYTES)), _VECTOR)

        return _primitive(build_bytes)

    plus_bytes = _bytewise(lambda b, x, y: b.add(x, y))
    minus_bytes = _bytewise(lambda b, x, y: b.sub(x, y))
    where_less_bytes = _bytewise(lambda b, x, y: b.sext(b.icmp_signed("<", x, y), _BYTES))

    def _members(builder: Any, x: Any) -> Any:
        spread = builder.shuffle_vector(builder.bitcast(x, _BYTES), ir.Constant(_BYTES, ir.Undefined), _BYTE_OF)
        flags = builder.icmp_unsigned("==", builder.and_(spread, _BIT_OF), _BIT_OF)
        return builder.bitcast(builder.sext(flags, _BYTES), _VECTOR)

    member_bytes = _primitive(_members, n=1)

    @intrinsic
    def all_lanes(typingctx: Any, x: Any) -> Any:
        """The same set in every lane."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = builder.trunc(args[0], _I32)
            first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
            return builder.shuffle_vector(first, first, _EMPTY)

        return LANES(types.uint64), codegen

    def _row_pointer(context: Any, builder: Any, kind: Any, row: Any) -> Any:
        data = context.make_array(kind)(context, builder, row).data
        return builder.bitcast(data, _VECTOR.as_pointer())

    @intrinsic
    def load(typingctx: Any, row: Any) -> Any:
        """Read eight uint32 of a row, its first."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(_row_pointer(context, builder, sig.args[0], args[0]), align=4)

        return LANES(row), codegen

    @intrinsic
    def store(typingctx: Any, row: Any, x: Any) -> Any:
        """Write a row of eight uint32."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            builder.store(args[1], _row_pointer(context, builder, sig.args[0], args[0]), align=4)
            return context.get_dummy_value()

        return types.void(row, LANES), codegen

    @intrinsic
    def get_lanes(typingctx: Any, row: Any, at: Any) -> Any:
        """Read 32 bytes of a row of bytes from byte `at` on; `at` need not be a multiple of 4."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            place = builder.bitcast(builder.gep(data, [args[1]]), _VECTOR.as_pointer())
            return builder.load(place, align=1)

        return LANES(row, types.int64), codegen

    @intrinsic
    def put_lanes(typingctx: Any, row: Any, at: Any, x: Any) -> Any:
        """Write the eight words into an int8 row from byte `at` on; `at` need not be a multiple of 4."""

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            place = builder.bitcast(builder.gep(data, [args[1]]), _VECTOR.as_pointer())
            builder.store(args[2], place, align=1)
            return context.get_dummy_value()

        return types.void(row, types.int64, LANES), codegen

else:
    _FULL_LANE = np.uint32(0xFFFFFFFF)

    def _flags(x: Any) -> Any:
        return np.where(x, _FULL_LANE, np.uint32(0))

    def both(x: Any, y: Any) -> Any:
        """In both."""
        return x & y

    def either(x: Any, y: Any) -> Any:
        """In one or both."""
        return x | y

    def without(x: Any, y: Any) -> Any:
        """In the first and not in the second."""
        return x & ~y

    def differ(x: Any, y: Any) -> Any:
        """In exactly one."""
        return x ^ y

    def plus(x: Any, y: Any) -> Any:
        """Sum of the lanes as 32-bit numbers."""
        return x + y

    def minus(x: Any, y: Any) -> Any:
        """Difference of the lanes as 32-bit numbers."""
        return x - y

    def where_less(x: Any, y: Any) -> Any:
        """Everything in the lanes where the first is less than the second, as signed numbers."""
        return _flags(x.view(np.int32) < y.view(np.int32))

    def where_equal(x: Any, y: Any) -> Any:
        """Everything in the lanes where two are equal, nothing in the others."""
        return _flags(x == y)

    def sizes(x: Any) -> Any:
        """How many elements each lane has, as numbers."""
        return np.bitwise_count(x).astype(np.uint32)

    def anything(x: Any) -> bool:
        """Is anything in any lane?"""
        return bool(x.any())

    def choose(mask: Any, x: Any, y: Any) -> Any:
        """The first where the mask is set, the second elsewhere."""
        return (mask & x) | (~mask & y)

    def plus_bytes(x: Any, y: Any) -> Any:
        """Sum of the bytes."""
        return (x.view(np.int8) + y.view(np.int8)).view(np.uint32)

    def minus_bytes(x: Any, y: Any) -> Any:
        """Difference of the bytes."""
        return (x.view(np.int8) - y.view(np.int8)).view(np.uint32)

    def where_less_bytes(x: Any, y: Any) -> Any:
        """Everything in the bytes where the first is less than the second, as signed numbers."""
        return np.where(x.view(np.int8) < y.view(np.int8), np.int8(-1), np.int8(0)).view(np.uint32)

    def member_bytes(x: Any) -> Any:
        """With the same set in every lane: everything in byte i, of 32, if i is in the set."""
        members = int(x[0]) >> np.arange(N_BYTES) & 1
        return np.where(members == 1, np.int8(-1), np.int8(0)).view(np.uint32)

    def all_lanes(x: Any) -> Any:
        """The same set in every lane."""
        return np.full(N_LANES, int(x) & 0xFFFFFFFF, np.uint32)

    def load(row: Any) -> Any:
        """Read eight uint32 of a row, its first."""
        return np.array(row[:N_LANES])

    def store(row: Any, x: Any) -> None:
        """Write a row of eight uint32."""
        row[:] = x

    def get_lanes(row: Any, at: int) -> Any:
        """Read 32 bytes of a row of bytes from byte `at` on; `at` need not be a multiple of 4."""
        return np.frombuffer(row[at : at + 4 * N_LANES].tobytes(), np.uint32)

    def put_lanes(row: Any, at: int, x: Any) -> None:
        """Write the eight words into an int8 row from byte `at` on; `at` need not be a multiple of 4."""
        row[at : at + 4 * N_LANES] = x.view(np.int8)


LANE = np.eye(N_LANES, dtype=np.uint32) * np.uint32(0xFFFFFFFF)
"""Row k: everything in lane k, nothing in the others."""
