"""Kernels, and the functions that are compiled as a part of them: helpers and routines."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gelenk.compile.cache import kernel_cache
from gelenk.compile.loading import load_compiler, when_loaded
from gelenk.compile.options import CALLED, ENABLED, FLAGS, INLINE
from gelenk.compile.written_out import chosen
from gelenk.kernel_files import stamped

F = TypeVar("F", bound=Callable[..., Any])


class Kernel:
    """An entry point, compiled on its first call for each combination of argument types."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any] = FLAGS) -> None:
        functools.update_wrapper(self, function)
        self.python, self._options = function, options
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._dispatcher: Any = None
        module = function.__module__
        if module.split(".")[0] == "gelenk" and not stamped(module):
            raise TypeError(f"{self.name}: no kernel may live in {module}, the cache stamp leaves it out")

    @property
    def dispatcher(self) -> Any:
        """The compiler's own object (tests look at the code it generates)."""
        if self._dispatcher is None:
            load_compiler()
            from numba import njit

            self._dispatcher = njit(**self._options)(self.python)
            self._dispatcher.is_entry = True
            if self.python.__module__.split(".")[0] == "gelenk":
                self._dispatcher._cache = kernel_cache(self.python)
        return self._dispatcher

    def __call__(self, *args: Any) -> Any:
        """Run compiled, or as plain Python when the off switch is set."""
        if not ENABLED:
            return self.python(*args)
        return (self._dispatcher or self.dispatcher)(*args)

    def code(self, *args: Any) -> Callable[..., Any]:
        """What runs for arguments of these types, compiled if it is not yet; it looks at the types no more."""
        if not ENABLED:
            return self.python
        found: Callable[..., Any] = self.dispatcher.compile(tuple(map(self.dispatcher.typeof_pyval, args)))
        return found


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark an entry point."""
    return Kernel(function)


def unlocked(function: Callable[..., Any]) -> Kernel:
    """Mark an entry point beside which other threads of Python run, so that several may be in it at once.

    Their arguments share nothing that is written to.
    """
    return Kernel(function, {**FLAGS, "nogil": True})


def helper(function: F) -> F:
    """Mark a small function that kernels call, inlined everywhere; from Python it runs as it stands."""
    when_loaded(functools.partial(_register_helper, function, INLINE))
    return function


def routine(function: F) -> F:
    """Mark a larger function that kernels call; not forced inline, so that several calls compile it once."""
    when_loaded(functools.partial(_register_helper, function, CALLED))
    return function


def by_number(table: dict[int, Callable[..., Any]]) -> Callable[..., Any]:
    """A helper ``choose(number, ...)`` that calls the function of a table with this number, the last for all others.

    All functions of the table take and return the same types.
    """
    return helper(chosen(table))


def _register_helper(function: Callable[..., Any], options: dict[str, Any]) -> None:
    from numba.extending import overload

    @overload(function, jit_options=options, strict=False)
    def choose(*args: Any) -> Any:
        return function
