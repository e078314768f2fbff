"""Teams: one function run for many parts of some work, by several threads at once.

Which thread takes which part must not matter: parts write to places of their own. Then results are the same to the last
bit for any number of threads, and one thread, which is the default, takes the parts one after the other.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from gelenk.compile.options import ENABLED, INLINE
from gelenk.compile.plugs import Plug
from gelenk.compile.written_out import call_of

SPINS = "20000"  # turns that a thread waits for work before it sleeps; some 20 us


def thread_runner() -> int:
    """Address of the loop that shares parts among threads, or 0 if this machine has none.

    The parallel loop of the compiler's run-time on OpenMP; its other layers may not be entered by two threads.
    """
    if not ENABLED:
        return 0
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    try:
        pool: Any = importlib.import_module("numba.np.ufunc.omppool")
    except ImportError:
        return 0
    return int(pool.parallel_for)


class Team(Plug):
    """Functions of parts, compiled each by itself: ``share(runner, threads, address, first, last, *args)``.

    The function at ``address`` is called with (part, *args) for every part from first up to last. ``runner`` is the
    address that :func:`thread_runner` gives, or 0 to take the parts one after the other.
    """

    def __init__(self, samples: Callable[[], Sequence[Any]], arguments: int) -> None:

        def share(runner: int, threads: int, address: int, first: int, last: int, *args: Any) -> int:
            for part in range(first, last):
                self._python[int(address)](part, *args)
            return 0

        self.share = share
        super().__init__(lambda: (0, *samples()), 1 + arguments)

    def _overload(self) -> None:
        super()._overload()
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils
        from numba.extending import overload

        word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
        words = word.as_pointer()

        def emit_part(context: Any, builder: Any, form: Any, address: Any, part: Any, packed: Any) -> None:
            """Call the function for one part."""
            result = cgutils.alloca_once(builder, word)
            error = cgutils.alloca_once_value(builder, ir.Constant(form.args[1].pointee, None))
            builder.call(builder.inttoptr(address, form.as_pointer()), [result, error, part, *packed])

        def emit_chunk(context: Any, module: Any, name: str, form: Any, bundle: Any) -> Any:
            """What a thread runs: void (args, counts, steps, bundle); args[0] is the first of its parts as a number."""
            chunk = ir.Function(module, ir.FunctionType(ir.VoidType(), [byte.as_pointer(), words, words, byte]), name)
            chunk.linkage = "internal"
            builder = ir.IRBuilder(chunk.append_basic_block("entry"))
            first = builder.ptrtoint(builder.load(chunk.args[0]), word)
            count = builder.load(chunk.args[1])
            held = builder.load(builder.bitcast(chunk.args[3], bundle.as_pointer()))
            values = [builder.extract_value(held, k) for k in range(len(bundle.elements))]
            with cgutils.for_range(builder, count) as loop:
                emit_part(context, builder, form, values[0], builder.add(first, loop.index), values[1:])
            builder.ret_void()
            return chunk

        def jump(typingctx: Any, runner: Any, threads: Any, address: Any, first: Any, last: Any, *args: Any) -> Any:
            wanted = self._argument_types()

            def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                runner, threads, address, first, last = values[:5]
                given = [context.cast(builder, *v) for v in zip(values[5:], signature.args[5:], wanted[1:])]
                form = context.call_conv.get_function_type(types.int64, wanted)
                packed = context.get_arg_packer(wanted[1:]).as_arguments(builder, given)
                count = builder.sub(last, first)
                alone = builder.or_(
                    builder.icmp_signed("==", runner, ir.Constant(word, 0)),
                    builder.icmp_signed("<", count, ir.Constant(word, 2)),
                )
                with builder.if_else(alone) as (one, many):
                    with one, cgutils.for_range(builder, count) as loop:
                        emit_part(context, builder, form, address, builder.add(first, loop.index), packed)
                    with many:
                        bundle = ir.LiteralStructType([word, *(v.type for v in packed)])
                        held = cgutils.alloca_once(builder, bundle)
                        for k, value in enumerate([address, *packed]):
                            builder.store(value, cgutils.gep_inbounds(builder, held, 0, k))
                        name = builder.module.get_unique_name(f"{builder.function.name}.chunk")
                        chunk = emit_chunk(context, builder.module, name, form, bundle)
                        start = cgutils.alloca_once_value(builder, builder.inttoptr(first, byte))
                        sizes = cgutils.alloca_once_value(builder, count)
                        steps = cgutils.alloca_once_value(builder, ir.Constant(word, 1))
                        number = builder.trunc(threads, ir.IntType(32))
                        kinds = [byte, byte.as_pointer(), words, words, byte, word, word, ir.IntType(32)]
                        loop_form = ir.FunctionType(ir.VoidType(), kinds)
                        work = [builder.bitcast(chunk, byte), start, sizes, steps, builder.bitcast(held, byte)]
                        arrays = [ir.Constant(word, 0), ir.Constant(word, 1)]  # inner dimensions, and how many
                        builder.call(builder.inttoptr(runner, loop_form.as_pointer()), [*work, *arrays, number])
                return ir.Constant(word, 0)

            return types.int64(*(types.int64,) * 5, *args), emit

        call = call_of(jump, 5 + self._arguments - 1)

        @overload(self.share, jit_options=INLINE, strict=False)
        def choose(*args: Any) -> Any:
            return call
