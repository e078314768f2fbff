"""On which line of a TOML text each key stands: the parser of the standard library does not tell.

The scanner reads only as much of the grammar as is needed to find keys, and expects text that the parser accepts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress

# Keys from the root; an integer is the place in an array: ("body", "arm", "part", 0, "shape").
Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*"|'[^'\n]*'))[ \t]*""")
_SCALAR = re.compile(r"[^,\]}\n#]+")  # also a date and a time with a space between them
# What ends a string, or an escaped character inside it. Two quotes may stand before the three that end a long string.
_STRING_END = {
    '"""': re.compile(r'\\.|"{3,5}', re.DOTALL),
    "'''": re.compile("'{3,5}"),
    '"': re.compile(r'\\.|"'),
    "'": re.compile("'"),
}


def key_lines(text: str) -> dict[Path, int]:
    """Line, from 1, of every key, table header and table in an array of a valid TOML text.

    A table has the line of its own header, or else of the first header or key that mentions it.
    """
    return _Scanner(text).document()


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """Line of a path, or of the nearest table around it that has one; None for the root."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return None


def last_key_line(text: str) -> int:
    """Line of the last key or header of a text that breaks off in the middle of a value."""
    scanner = _Scanner(text)
    with suppress(ValueError, IndexError):
        scanner.document()
    return max(scanner.lines.values(), default=1)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.lines: dict[Path, int] = {}
        self._line, self._counted = 1, 0
        self._length: dict[Path, int] = {}  # of every array of tables

    def document(self) -> dict[Path, int]:
        """Read header after header and value after value."""
        table: Path = ()
        while self._skip_blank() < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._value(self._assignment(table))
        return self.lines

    def _header(self) -> Path:
        """Read ``[a.b]`` or ``[[a.b]]``; return where its keys belong."""
        repeated = self.text.startswith("[[", self.at)
        self.at += 2 if repeated else 1
        keys = self._keys()
        self.at += 2 if repeated else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self._last(self._mention((*path, key)))
        path = (*path, keys[-1])
        if repeated:
            self._mention(path)
            self._length[path] = self._length.get(path, 0) + 1
            path = self._last(path)
        self.lines[path] = self._line_here()
        return path

    def _assignment(self, table: Path) -> Path:
        """Read ``a.b =``; return the path of the value."""
        path = table
        for key in self._keys():
            path = self._mention((*path, key))
        self.lines[path] = self._line_here()
        self.at += 1  # the sign "="
        return path

    def _value(self, path: Path) -> None:
        """Read one value. Arrays and inline tables that are open wait on a stack: [path, place in an array or None]."""
        open_values: list[tuple[Path, int | None]] = []
        self._open(path, open_values)
        while open_values:
            self._skip_blank()
            path, place = open_values[-1]
            sign = self.text[self.at]
            if sign == ",":
                self.at += 1
                open_values[-1] = (path, None if place is None else place + 1)
            elif sign in "]}":
                self.at += 1
                open_values.pop()
            elif place is None:
                self._open(self._assignment(path), open_values)
            else:
                self._open((*path, place), open_values)

    def _open(self, path: Path, open_values: list[tuple[Path, int | None]]) -> None:
        """Read a scalar, or enter an array or an inline table."""
        self._skip_blank()
        sign = self.text[self.at]
        if sign == "[":
            self.at += 1
            open_values.append((path, 0))
        elif sign == "{":
            self._mention(path)
            self.at += 1
            open_values.append((path, None))
        elif sign in "\"'":
            self._string()
        else:
            self.at = self._end(_SCALAR)

    def _string(self) -> None:
        long = self.text[self.at : self.at + 3]
        quote = long if long in _STRING_END else self.text[self.at]
        self.at += len(quote)
        end = _STRING_END[quote].search(self.text, self.at)
        while end is not None and end.group().startswith("\\"):
            end = _STRING_END[quote].search(self.text, end.end())
        if end is None:
            raise ValueError("a string without end")
        self.at = end.end()

    def _keys(self) -> list[str]:
        keys = []
        while True:
            match = _KEY.match(self.text, self.at)
            if match is None:
                raise ValueError(f"no key: {self.text[self.at : self.at + 40]!r}")
            self.at = match.end()
            keys.append(match[1] or _unquote(match[2]))
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def _mention(self, path: Path) -> Path:
        self.lines.setdefault(path, self._line_here())
        return path

    def _last(self, path: Path) -> Path:
        """The last table of an array of tables; any other path as it is."""
        return (*path, self._length[path] - 1) if path in self._length else path

    def _skip_blank(self) -> int:
        self.at = self._end(_BLANK)
        return self.at

    def _end(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        return match.end() if match else self.at

    def _line_here(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line


def _unquote(key: str) -> str:
    return str(tomllib.loads(f"key = {key}")["key"]) if "\\" in key else key[1:-1]
