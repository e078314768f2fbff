"""Functions written out as source: the compiler wants fixed argument lists where any number would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def call_of(jump: Callable[..., Any], arguments: int) -> Any:
    """A function for compiled code whose body is what ``jump`` emits; the compiler wants fixed argument lists here."""
    from numba.extending import intrinsic

    names = ", ".join(f"a{n}" for n in range(arguments))
    scope: dict[str, Any] = {"jump": jump}
    exec(  # source built from one integer only
        f"def typed(typingctx, {names}):\n    return jump(typingctx, {names})\n"
        f"def call({names}):\n    return typed({names})",
        scope,
    )
    scope["typed"] = intrinsic(scope["typed"])
    return scope["call"]


def unrolled(call: Callable[..., Any], blocks: int, arguments: int) -> Callable[..., Any]:
    """The loop ``for block in blocks: call(block, ...)`` written out, since every block has its own type."""
    names = ", ".join(f"a{k}" for k in range(arguments))
    lines = [f"    call(blocks[{k}], {names})" for k in range(blocks)] or ["    pass"]
    scope: dict[str, Any] = {"call": call}
    exec("\n".join([f"def each(blocks, {names}):", *lines]), scope)  # source built from two integers only
    each: Callable[..., Any] = scope["each"]
    return each


def chosen(table: dict[int, Callable[..., Any]]) -> Callable[..., Any]:
    """The choice of a function by its number, one after the other as ``if`` and ``elif`` do it; see ``by_number``."""
    *numbers, _ = table
    functions = list(table.values())
    names = ", ".join(f"a{k}" for k in range(functions[0].__code__.co_argcount))
    lines = [f"    if number == {int(n)}:\n        return f{k}({names})" for k, n in enumerate(numbers)]
    scope: dict[str, Any] = {"__name__": functions[0].__module__}
    scope |= {f"f{k}": function for k, function in enumerate(functions)}
    last = f"    return f{len(numbers)}({names})"
    exec("\n".join([f"def choose(number, {names}):", *lines, last]), scope)  # source built from integers only
    choose: Callable[..., Any] = scope["choose"]
    return choose
