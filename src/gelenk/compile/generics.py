"""Generics: one name with one implementation per class of block."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gelenk.compile.blocks import give_unique_name
from gelenk.compile.loading import when_loaded
from gelenk.compile.options import INLINE
from gelenk.compile.written_out import unrolled

F = TypeVar("F", bound=Callable[..., Any])


class Generic:
    """One name, one implementation per block class; see :func:`generic`."""

    def __init__(self, stub: Callable[..., Any]) -> None:
        self.name = stub.__name__
        self.table: dict[type, Callable[..., Any]] = {}
        table, name = self.table, self.name

        @functools.wraps(stub)
        def call(block: Any, *args: Any) -> Any:
            if type(block) is tuple:
                for one in block:
                    call(one, *args)
                return None
            if type(block) not in table:
                raise TypeError(
                    f"{name}: no implementation for {type(block).__name__}; register one with @{name}.register"
                )
            return table[type(block)](block, *args)

        self.call = call
        when_loaded(self._overload)

    def register(self, block_class: type) -> Callable[[F], F]:
        """Decorator: this is the implementation for ``block_class``."""

        def store(implementation: F) -> F:
            if block_class.__module__.split(".")[0] == "gelenk" != implementation.__module__.split(".")[0]:
                raise TypeError(f"{self.name}: {block_class.__name__} is built in; register a class of your own")
            give_unique_name(block_class)
            self.table[block_class] = implementation
            return implementation

        return store

    def _overload(self) -> None:
        from numba import types
        from numba.extending import overload

        @overload(self.call, jit_options=INLINE, strict=False)
        def choose(block: Any, *args: Any) -> Any:
            if isinstance(block, types.BaseNamedTuple):
                return self.table.get(block.instance_class)
            if isinstance(block, types.BaseTuple):
                return unrolled(self.call, len(block), len(args))
            return None


def generic(stub: Callable[..., Any]) -> Any:
    """Make ``stub`` a function whose implementation is chosen by the class of its first argument.

    ``@name.register(BlockClass)`` adds an implementation; a tuple of blocks is run through in order.
    """
    generic_ = Generic(stub)
    call: Any = generic_.call
    call.register, call.generic = generic_.register, generic_
    return call
