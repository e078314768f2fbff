"""Checks of what comes over a socket: plain JSON values against the types of dataclass fields, within limits.

A field is declared as its Python type, with its limits beside it where the usual ones do not fit:

    n: Annotated[int, Between(1, 100_000)]
    names: Annotated[tuple[str, ...], AtMost(32)]

Nothing is converted but whole numbers to floats, nothing is evaluated, and what is not declared is refused.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

MOST_TEXT, MOST_ENTRIES, LARGEST = 200, 64, 1e12  # where a field says nothing else


class Between(NamedTuple):
    """Least and most that a number may be."""

    least: float
    most: float


class AtMost(NamedTuple):
    """Most characters of a text, or most entries of a list or table."""

    most: int


class BadValue(ValueError):  # noqa: N818
    """A value that a field does not allow; the text says which and why, without repeating what was sent."""


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Types of the fields of a dataclass with their limits, by name; class variables are none."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}


def made_of(kind: type, given: Any, where: str) -> Any:
    """A dataclass made of a JSON object; refused if a field is unknown, missing or not as declared."""
    if not isinstance(given, dict):
        raise BadValue(f"{where} is no object")
    hints = hints_of(kind)
    if not given.keys() <= hints.keys():
        raise BadValue(f"{where} has a field that does not exist; there are: {', '.join(hints) or 'none'}")
    missing = [f.name for f in fields(kind) if f.name not in given and not _has_default(f)]
    if missing:
        raise BadValue(f"{where} lacks {', '.join(missing)}")
    return kind(**{name: checked(hints[name], value, f"{where}.{name}") for name, value in given.items()})


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def checked(hint: Any, value: Any, where: str) -> Any:
    """The value as its field has it, or :class:`BadValue`."""
    limits: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        limits = tuple(rest)
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (int, float):
        return _number(hint, value, where, limits)
    if hint is str:
        if not isinstance(value, str) or len(value) > _most(limits, MOST_TEXT) or not value.isprintable():
            raise BadValue(f"{where} is no printable text of at most {_most(limits, MOST_TEXT)} characters")
        return value
    if hint is bool:
        if not isinstance(value, bool):
            raise BadValue(f"{where} is neither true nor false")
        return value
    if origin is Literal:
        if not isinstance(value, str) or value not in inner:
            raise BadValue(f"{where} is none of {', '.join(inner)}")
        return value
    if origin in (Union, UnionType):
        return None if value is None else checked(next(h for h in inner if h is not NoneType), value, where)
    if origin is tuple:
        return _entries(inner, value, where, limits)
    if origin is dict:
        if not isinstance(value, dict) or len(value) > _most(limits, MOST_ENTRIES):
            raise BadValue(f"{where} is no table of at most {_most(limits, MOST_ENTRIES)} entries")
        return {checked(inner[0], k, f"a key of {where}"): checked(inner[1], v, where) for k, v in value.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return made_of(hint, value, where)
    raise TypeError(f"{where} has a type that messages do not know: {hint!r}")


def _number(hint: type, value: Any, where: str, limits: tuple[Any, ...]) -> Any:
    least, most = next((limit for limit in limits if isinstance(limit, Between)), Between(-LARGEST, LARGEST))
    right = isinstance(value, int if hint is int else (int, float)) and not isinstance(value, bool)
    if not right or not least <= value <= most or not math.isfinite(value):
        kind = "whole number" if hint is int else "number"
        raise BadValue(f"{where} is no {kind} from {least:g} to {most:g}")
    return hint(value)


def _entries(inner: tuple[Any, ...], value: Any, where: str, limits: tuple[Any, ...]) -> tuple[Any, ...]:
    if inner[-1] is Ellipsis:
        if not isinstance(value, list) or len(value) > _most(limits, MOST_ENTRIES):
            raise BadValue(f"{where} is no list of at most {_most(limits, MOST_ENTRIES)} entries")
        return tuple(checked(inner[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if not isinstance(value, list) or len(value) != len(inner):
        raise BadValue(f"{where} is no list of {len(inner)} entries")
    return tuple(checked(h, entry, f"{where}[{i}]") for i, (h, entry) in enumerate(zip(inner, value)))


def _most(limits: tuple[Any, ...], usual: int) -> int:
    return next((limit.most for limit in limits if isinstance(limit, AtMost)), usual)
