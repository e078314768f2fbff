"""Plugs: tables of functions that kernels call by address, each compiled by itself when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gelenk.compile.kernels import Kernel
from gelenk.compile.loading import load_compiler, when_loaded
from gelenk.compile.options import CALLED, ENABLED, INLINE
from gelenk.compile.written_out import call_of


class Plug:
    """A kind of function that kernels call by its address: ``plug(address, *args)`` returns a whole number.

    Each is compiled by itself, when it is first asked for, and kept in the cache by itself. So a kernel that serves a
    table of many of them is compiled once and quickly, and of the table only what a model needs.

    Parameters
    ----------
    samples : gives arguments of the types that all functions of this kind take; called when the first is compiled
    """

    def __init__(self, samples: Callable[[], Sequence[Any]], arguments: int) -> None:
        self._samples, self._arguments = samples, arguments
        self._python: dict[int, Callable[..., Any]] = {}  # address -> function
        self._kernels: dict[Callable[..., Any], tuple[Kernel, int]] = {}
        self._types: Any = None

        def call(address: int, *args: Any) -> Any:
            return self._python[int(address)](*args)

        self.call = call
        when_loaded(self._overload)

    def address(self, function: Callable[..., Any]) -> int:
        """Where a function is, never 0; compiled if it is asked for the first time."""
        if function not in self._kernels:
            compiled = Kernel(function, CALLED)
            place = len(self._kernels) + 1
            if ENABLED:
                compiled.dispatcher.compile(self._argument_types())
                (result,) = compiled.dispatcher.overloads.values()
                if str(result.signature.return_type) != "int64":
                    raise TypeError(f"{compiled.name} returns {result.signature.return_type}, not int64")
                place = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
            self._kernels[function] = compiled, place  # which keeps the code alive
            self._python[place] = function
        return self._kernels[function][1]

    def _argument_types(self) -> Any:
        if self._types is None:
            load_compiler()
            from numba import typeof

            self._types = tuple(typeof(sample) for sample in self._samples())
        return self._types

    def _overload(self) -> None:
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils
        from numba.extending import overload

        def jump(typingctx, address, *args):
            wanted = self._argument_types()

            def emit(context, builder, signature, values):
                given = [context.cast(builder, *v) for v in zip(values[1:], signature.args[1:], wanted)]
                form = context.call_conv.get_function_type(types.int64, wanted)
                result = cgutils.alloca_once(builder, ir.IntType(64))
                error = cgutils.alloca_once_value(builder, ir.Constant(form.args[1].pointee, None))
                packed = context.get_arg_packer(wanted).as_arguments(builder, given)
                function = builder.inttoptr(values[0], form.as_pointer())
                builder.call(function, [result, error, *packed])
                return builder.load(result)

            return types.int64(types.int64, *args), emit

        call = call_of(jump, 1 + self._arguments)

        @overload(self.call, jit_options=INLINE, strict=False)
        def choose(address: Any, *args: Any) -> Any:
            return call
