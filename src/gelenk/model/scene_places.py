"""Where things stand in a scene file: its keys are checked, and errors get the line they come from."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from gelenk.errors import InputError
from gelenk.model.toml_lines import Path as KeyPath
from gelenk.model.toml_lines import line_of

Table = dict[str, Any]


class Places:
    """What a scene file holds, and on which lines.

    Parameters
    ----------
    element : kind and name of the scene, for messages
    data : the tables of the file
    lines : where each key stands
    file : name for messages
    """

    def __init__(self, element: str, data: Table, lines: dict[KeyPath, int], file: str | None) -> None:
        self.element, self.data, self.lines, self.file = element, data, lines, file

    def check_values(self) -> None:
        """No dates, and no whole numbers beyond 64 bits, wherever they stand."""
        waiting: list[tuple[KeyPath, Any]] = [((), self.data)]
        while waiting:
            path, value = waiting.pop()
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(item, (dict, list)):
                    waiting.append(((*path, key), item))
                elif type(item) is int and not -(2**63) <= item < 2**63:
                    remedy = "Write large numbers with an exponent, as 1e20."
                    found = f"{key} is a whole number of {item.bit_length()} bits"
                    raise self.error((*path, key), self.element, found, "whole numbers of 64 bits", remedy)
                elif isinstance(item, (datetime.date, datetime.time)):
                    raise self.error(
                        (*path, key),
                        self.element,
                        f"{key} is the date or time {item}",
                        "numbers, texts, true and false",
                        "Give times in seconds, and texts in quotes.",
                    )

    def only_key(
        self, element: str, path: KeyPath, value: Any, what: str, known: Sequence[str], how: str
    ) -> tuple[str, Any]:
        """The one key of a table that says what it is, and its value."""
        one = f"one {what}: {', '.join(known)}"
        if not isinstance(value, dict) or len(value) != 1:
            found = f"{what} is {shown(value)}" if not isinstance(value, dict) else f"keys are {shown(list(value))}"
            remedy = f"Name the {what} and put its numbers inside: {known[0]} = {{ ... }}."
            raise self.error(path, element, found, one, remedy)
        ((key, inner),) = value.items()
        if key not in known:
            near = get_close_matches(key, known, n=1)
            remedy = f"Did you mean {near[0]!r}? {how}".strip() if near else how or "Choose one of these."
            raise self.error((*path, key), element, f"{what} is {key!r}, which does not exist", one, remedy)
        return key, inner

    def check_keys(
        self, element: str, path: KeyPath, table: Any, keys: Sequence[str], required: Sequence[str] = ()
    ) -> None:
        """A table with known keys only, and with all that are needed."""
        if not isinstance(table, dict):
            what = path[-1] if isinstance(path[-1], str) else "it"
            remedy = f"Write {what} = {{ {', '.join(f'{key} = ...' for key in keys[:2])} }}."
            raise self.error(path, element, f"{what} is {shown(table)}", "a table", remedy)
        for key, value in table.items():
            if key not in keys:
                near = get_close_matches(key, keys, n=1)
                remedy = f"Did you mean {near[0]!r}?" if near else "Remove it, or correct the word."
                if isinstance(value, dict) and not near and len(path) == 2 and isinstance(path[-1], str):
                    remedy = f'Remove it; if it belongs to the name, write the name in quotes: "{path[-1]}.{key}".'
                raise self.error((*path, key), element, f"unknown key {key!r}", ", ".join(keys) or "no keys", remedy)
        for key in required:
            if key not in table:
                raise self.error(path, element, f"{key} is missing", ", ".join(keys), f"Add {key} = ...")

    def error(self, path: KeyPath, element: str, found: str, allowed: str, remedy: str) -> InputError:
        """An error at the place of a key."""
        return InputError(element, found, allowed, remedy, file=self.file, line=line_of(self.lines, path))

    @contextmanager
    def at(self, path: KeyPath, element: str | None = None, prefix: str = "") -> Iterator[None]:
        """Give errors that come from inside their place, and if wanted another element and a prefix."""
        try:
            yield
        except InputError as error:
            raise self.placed(error, path, element, prefix) from error.__cause__

    def placed(self, error: InputError, path: KeyPath, element: str | None = None, prefix: str = "") -> InputError:
        """The same error with file and line: that of the key the error speaks of, or else of its table."""
        if error.line is not None:
            return error
        place = (*path, *self._key_named(error, path))
        return self.error(place, element or error.element, prefix + error.found, error.allowed, error.remedy)

    def _key_named(self, error: InputError, path: KeyPath) -> tuple[str, ...]:
        table: Any = self.data
        for key in path:
            table = table[key]
        if not isinstance(table, dict) or error.found.startswith("the name"):
            return ()
        if error.found.startswith("principal moments"):
            return ("inertia",)
        # what stands in quotes are the user's own words
        words = re.findall(r"\w+", re.sub(r"'[^']*'|\"[^\"]*\"", " ", error.found))
        return next(((word,) for word in words if word in table), ())


def shown(value: Any) -> str:
    """A value in a message, not too long."""
    text = repr(value) if not isinstance(value, (list, dict)) or len(value) < 100 else f"{len(value)} values"
    return text if len(text) <= 80 else text[:77] + "..."
