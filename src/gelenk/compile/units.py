"""Units: functions compiled and cached by themselves, whose code all kernels share."""

from __future__ import annotations

import hashlib
import importlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from gelenk.compile.kernels import Kernel
from gelenk.compile.loading import when_loaded
from gelenk.compile.options import CALLED, ENABLED, INLINE
from gelenk.compile.progress import Compiling, at_work
from gelenk.compile.written_out import call_of

F = TypeVar("F", bound=Callable[..., Any])


class Unit:
    """A function that is compiled by itself, once for each combination of argument types; see :func:`unit`.

    Its callers know it by a name that says which it is, the same in every process. A kernel that comes from the cache
    has its units placed before it is loaded.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._kernel = function, Kernel(function, CALLED)
        self._placed: dict[Any, tuple[str, Any]] = {}  # argument types -> name of the code, type of the result
        _units[self._kernel.name] = self
        when_loaded(self._overload)

    def place(self, kinds: Any) -> tuple[str, Any]:
        """Have the code for these argument types in memory: its name, and the type of the result."""
        if kinds not in self._placed:
            import llvmlite.binding as llvm

            kernel = self._kernel
            # what comes from the cache while a helper is compiled is no part of that helper
            at_work.append(Compiling(kernel.name, time.perf_counter(), True, True, self._function.__qualname__))
            try:
                kernel.dispatcher.compile(kinds)
            finally:
                at_work.pop()
            result = kernel.dispatcher.overloads[kinds]
            which = hashlib.sha256(f"{kernel.name} {kinds}".encode()).hexdigest()[:16]
            name = f"gelenk.{self._function.__name__}.{which}"
            llvm.add_symbol(name, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
            self._placed[kinds] = name, result.signature.return_type
        return self._placed[kinds]

    def _overload(self) -> None:
        from llvmlite import ir
        from numba import types
        from numba.extending import overload

        def jump(typingctx, *args):
            wanted = tuple(types.unliteral(a) for a in args)
            name, returned = self.place(wanted)

            def emit(context, builder, signature, values):
                given = [context.cast(builder, *v) for v in zip(values, signature.args, wanted)]
                form = context.call_conv.get_function_type(returned, wanted)
                function = builder.module.globals.get(name) or ir.Function(builder.module, form, name)
                context.active_code_library._reload_init.add(_PlaceUnit(self._kernel.name, wanted))
                return context.call_conv.call_function(builder, function, returned, wanted, given)[1]

            return returned(*args), emit

        call = call_of(jump, self._function.__code__.co_argcount)

        @overload(self._function, jit_options=INLINE, strict=False)
        def choose(*args: Any) -> Any:
            return call


_units: dict[str, Unit] = {}


class _PlaceUnit(NamedTuple):
    """What is run before a cached kernel that calls a unit is loaded."""

    name: str
    kinds: Any

    def __call__(self) -> None:
        if self.name not in _units:
            importlib.import_module(self.name.rpartition(".")[0])
        _units[self.name].place(self.kinds)


def unit(function: F) -> F:
    """Mark a large function that several kernels call: compiled and cached by itself, so that they share its code.

    Its arguments should have the same types everywhere, since it is compiled whole for each combination. A call costs
    a nanosecond more than that of a routine.
    """
    if ENABLED:
        Unit(function)
    return function
