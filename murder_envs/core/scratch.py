"""Scratch arrays for kernels, which may not allocate: on the stack of the function that asks for one."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from murder_envs.core.jit import COMPILED

if COMPILED:

    def _on_stack(kind: Any, element: Any) -> Any:
        """An intrinsic (n) -> array of n elements on the stack of the function that calls it; n is a literal."""

        @intrinsic(prefer_literal=True)
        def scratch(typingctx: Any, n: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                size = n.literal_value
                data = cgutils.alloca_once(builder, ir.ArrayType(element, size))
                length = context.get_constant(types.intp, size)
                array = context.make_array(sig.return_type)(context, builder)
                context.populate_array(
                    array,
                    data=builder.bitcast(data, element.as_pointer()),
                    shape=[length],
                    strides=[context.get_constant(types.intp, 8)],
                    itemsize=context.get_constant(types.intp, 8),
                    meminfo=None,
                )
                return array._getvalue()

            return types.Array(kind, 1, "C")(n), codegen

        return scratch

    scratch_words = _on_stack(types.uint64, ir.IntType(64))
    scratch_numbers = _on_stack(types.float64, ir.DoubleType())

else:

    def scratch_words(n: int) -> np.ndarray:
        """n words, as they come."""
        return np.zeros(n, np.uint64)

    def scratch_numbers(n: int) -> np.ndarray:
        """n float64, as they come."""
        return np.zeros(n)
