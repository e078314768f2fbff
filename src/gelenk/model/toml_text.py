"""Values and tables as TOML text, every number to the last bit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.model.parts import ORIGIN, UPRIGHT

WIDTH = 120  # longer values are spread over lines: tables to one row a line
Pairs = dict[str, str]  # key -> TOML text of its value

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEFAULTS = {"at": ORIGIN, "rotation": UPRIGHT, "velocity": ORIGIN, "angular_velocity": ORIGIN, "com": ORIGIN}


def given(element: str, item: Any, but: tuple[str, ...] = ()) -> Pairs:
    """The fields of a dataclass that differ from their defaults; a name is not among them."""
    pairs = {}
    for field in fields(item):
        if not field.init or field.name in ("name", *but):
            continue
        value, width = getattr(item, field.name), WIDTH - len(field.name) - 3
        if value is None and field.default is None:
            continue
        try:
            text = value_text(value, width)
        except NoTomlError as error:
            raise InputError(
                element,
                f"{field.name} is {value!r}"[:160] + f", where {error}",
                "numbers, strings, true or false, and tuples or arrays of them",
                "Store plain values in the element; only a law keeps a function.",
            ) from None
        # texts, not values: -0.0 equals 0.0 and is still another number
        if text != _default_text(field, width):
            pairs[field.name] = text
    return pairs


def _default_text(field: Field[Any], width: int) -> str | None:
    try:
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        return value_text(default, width)
    except NoTomlError:
        return None


def unless_default(**values: Any) -> Pairs:
    """Places and velocities that are not at rest in the origin."""
    texts = {name: value_text(given) for name, given in values.items()}
    return {name: text for name, text in texts.items() if text != value_text(_DEFAULTS[name])}


class NoTomlError(Exception):
    """The value has no counterpart in TOML."""


def value_text(value: Any, width: int | None = None) -> str:
    """TOML text of a value; an array of arrays wider than ``width`` gets a line for each row."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise NoTomlError("a whole number has more than 64 bits")
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)  # the shortest text that reads back to the same bits
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (tuple, list)):
        items = [value_text(item) for item in value]
        text = f"[{', '.join(items)}]"
        if width is None or len(text) <= width or not any(isinstance(item, (tuple, list)) for item in value):
            return text
        return "\n".join(["[", *(f"    {item}," for item in items), "]"])
    if is_dataclass(value) and not isinstance(value, type):
        return inline(given(type(value).__name__, value))
    raise NoTomlError(f"{type(value).__name__!r} has no place in TOML")


def quoted(text: str) -> str:
    """A text in quotes."""
    if _SURROGATE.search(text):
        raise NoTomlError("half a character (a surrogate) has no place in TOML")
    return '"' + _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04X}", text) + '"'


def key_text(key: str) -> str:
    """A key, in quotes if it needs them."""
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def header(*keys: str) -> str:
    """First line of a table."""
    return f"[{'.'.join(map(key_text, keys))}]"


def pair_lines(pairs: Pairs) -> Iterator[str]:
    """A line for each key."""
    return (f"{key_text(key)} = {text}" for key, text in pairs.items())


def inline(pairs: Pairs) -> str:
    """A table in braces."""
    return f"{{ {', '.join(pair_lines(pairs))} }}" if pairs else "{}"
