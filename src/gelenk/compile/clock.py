"""The clock, for kernels and for plain Python."""

from __future__ import annotations

import sys
import time

from gelenk.compile.loading import when_loaded
from gelenk.compile.options import FLAGS


def seconds() -> float:
    """Time from some fixed moment on [s], in kernels and interpreted: for steps that must end in time."""
    return time.perf_counter()


def _register_clock() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    word = ir.IntType(64)

    @intrinsic
    def read_clock(typingctx):
        def emit(context, builder, signature, args):
            if sys.platform == "win32":  # ticks of a millisecond
                function = ir.Function(builder.module, ir.FunctionType(ir.IntType(32), []), "clock")
                ticks = builder.sitofp(builder.call(function, []), ir.DoubleType())
                return builder.fmul(ticks, ir.Constant(ir.DoubleType(), 1e-3))
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()])
            known = builder.module.globals.get("clock_gettime")
            function = known or ir.Function(builder.module, kind, "clock_gettime")
            pair = cgutils.alloca_once(builder, word, size=2)
            which = ir.Constant(ir.IntType(32), time.CLOCK_MONOTONIC)
            builder.call(function, [which, pair])
            whole = builder.sitofp(builder.load(pair), ir.DoubleType())
            rest = builder.sitofp(builder.load(builder.gep(pair, [word(1)])), ir.DoubleType())
            return builder.fadd(whole, builder.fmul(rest, ir.Constant(ir.DoubleType(), 1e-9)))

        return types.float64(), emit

    @overload(seconds, jit_options=FLAGS)
    def choose():
        return lambda: read_clock()


when_loaded(_register_clock)
