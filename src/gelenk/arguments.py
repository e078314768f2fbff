"""Calls with arguments that do not exist: refused with the word that was meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from gelenk.errors import InputError

Called = TypeVar("Called", bound=Callable[..., Any])

# Words that other programs have for the same, and ours.
FOREIGN: dict[str, tuple[str, ...]] = {
    "pos": ("at", "start"),
    "position": ("at", "start"),
    "origin": ("at", "start"),
    "center": ("at",),
    "start": ("at",),
    "quat": ("rotation",),
    "quaternion": ("rotation",),
    "orientation": ("rotation",),
    "extents": ("size",),
    "half_extents": ("size",),
    "end": ("way",),
    "max_distance": ("length", "limit"),
    "max_length": ("length",),
    "fixed": ("static",),
    "exclude": ("ignore",),
}
PLACES = ("at", "pos", "position", "origin", "center", "rotation", "quat", "orientation", "normal")


def friendly(called: Called) -> Called:
    """Decorate a function, or a class for its constructor: wrong arguments are input like any other.

    Costs nothing as long as all is well: arguments are looked at once Python has refused them.
    """
    if isinstance(called, type):
        called.__init__ = friendly(called.__init__)  # type: ignore[misc]
        return cast(Called, called)

    @functools.wraps(called)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return called(*args, **kwargs)
        except TypeError:
            error = wrong_arguments(called, args, kwargs)
            if error is None:
                raise
        raise error

    return cast(Called, call)


def wrong_arguments(called: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """What is wrong with the arguments of a call; None if nothing is, and a TypeError comes from within."""
    signature = inspect.signature(called)
    try:
        signature.bind(*args, **kwargs)
        return None
    except TypeError:
        pass
    parameters = list(signature.parameters.values())
    is_method = bool(parameters) and parameters[0].name in ("self", "cls")
    own, given = parameters[is_method:], len(args) - is_method
    of_class = called.__name__ == "__init__"
    name = type(args[0]).__name__ if of_class else called.__name__
    names = [p.name for p in own]
    in_order = [p.name for p in own if p.kind is not p.KEYWORD_ONLY]
    needed = [p.name for p in own if p.default is p.empty]
    example = f"{'gk.' if of_class else ''}{name}({', '.join(f'{word}=...' for word in needed)})"
    for word in kwargs:
        if word not in names:
            return unknown_argument(f"{name}()", word, [own for own in names if own != "element"])
    if given > len(in_order):
        allowed = f"only {', '.join(in_order)} without their names" if in_order else "every argument by its name"
        return InputError(
            f"{name}()", f"{given} argument{'s' * (given > 1)} without a name", allowed, f"Write {example}."
        )
    missing = [word for word in needed if word not in kwargs and word not in in_order[:given]]
    if missing:
        return InputError(f"{name}()", f"without {', '.join(missing)}", example, f"Pass {', '.join(missing)}.")
    twice = [word for word in in_order[:given] if word in kwargs]
    return InputError(f"{name}()", f"{', '.join(twice)} twice", "each argument once", "Leave one of them out.")


def unknown_argument(element: str, word: str, names: Iterable[str]) -> InputError:
    """Error for an argument that does not exist, with the nearest word."""
    names = list(names)
    near = [own for own in FOREIGN.get(word, ()) if own in names] or get_close_matches(word, names, n=1)
    near = near or [own for own in names if len(word) > 1 and own.startswith(word)]
    remedy = "Leave it out."
    if near:
        remedy = f"Did you mean {near[0]!r}?"
    elif word in PLACES and not {"at", "start"} & set(names):
        remedy = "Place it with at= and rotation= of the part or body that holds it."
    return InputError(element, f"unknown argument {word!r}", ", ".join(names) or "no arguments", remedy)
