"""Value types: NamedTuples of floats whose operators and methods compile to scalars."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from gelenk.compile.loading import when_loaded
from gelenk.compile.options import INLINE

C = TypeVar("C", bound=type)

_OPERATORS = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__matmul__": operator.matmul,
    "__neg__": operator.neg,
}
implementations: dict[str, dict[type, Callable[..., Any]]] = {}  # operator or method name -> class -> function


def value_type(cls: C) -> C:
    """Let the operators and methods of a NamedTuple of floats compile; the Python methods are what is compiled."""
    for name, function in vars(cls).items():
        if name.startswith("_") and name not in _OPERATORS:
            continue
        code = getattr(function, "__code__", None)
        if code is None or code.co_filename != sys._getframe(1).f_code.co_filename:
            continue  # fields and what NamedTuple itself brings
        if name not in implementations:
            implementations[name] = {}
            when_loaded(functools.partial(_register_method, name))
        implementations[name][cls] = function
    return cls


def _register_method(name: str) -> None:
    from numba import types
    from numba.extending import overload, overload_method

    table = implementations[name]

    def choose(value: Any) -> Any:
        return table.get(value.instance_class) if isinstance(value, types.BaseNamedTuple) else None

    # The compiler wants fixed argument lists here; every class that has a method gives it the same number.
    (count,) = {f.__code__.co_argcount for f in table.values()}
    chooser = [lambda a: choose(a), lambda a, b: choose(a), lambda a, b, c: choose(a)][count - 1]
    if name in _OPERATORS:
        overload(_OPERATORS[name], jit_options=INLINE, strict=False)(chooser)
    else:
        overload_method(types.BaseNamedTuple, name, jit_options=INLINE, strict=False)(chooser)
