"""Records of descents as XML that any text tool reads, bit for bit there and back (B-70).

::

    <run format="gelenk-bobsleigh 1">
      <setup pilot="calm" start_speed="8.0" ... />
      <track name="S-13" />
      <times><at place="50.0">4.81</at> ...</times>
      <speeds><at place="50.0">12.3</at> ...</speeds>
      <states rate="100.0" columns="t q.x q.y ...">
    0.0 1.0 2.0
    ...
      </states>
      <traces><trace point="rear runner left 1">
    x y z
    ...
      </trace> ...</traces>
    </run>

A trace element is one polyline. Files come from anywhere, so they are read with care: no document types, hence no
entities and nothing fetched; bounds on size, depth and number of elements; every number checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.record import Record
from gelenk.worlds.bobsleigh.setup import Setup

FORMAT = "gelenk-bobsleigh 1"
SIZE_MAX = 256 * 2**20  # [bytes] an hour of samples has half of that
ELEMENTS_MAX = 200_000
DEPTH_MAX = 3  # run, traces, trace
CHILDREN = {
    "": ("run",),
    "run": ("setup", "track", "times", "speeds", "states", "traces"),
    "times": ("at",),
    "speeds": ("at",),
    "traces": ("trace",),
}
TEXTS = ("pilot", "middle_springs", "front_springs")


def save_xml(record: Record, file: str | Path) -> Path:
    """Write a record; numbers in the shortest form that gives the same bits."""
    path = Path(file)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in _lines(record))
    return path


def _lines(record: Record) -> Iterator[str]:
    setup = {name: value for name, value in asdict(record.setup).items() if value is not None}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<run format={quoteattr(FORMAT)}>"
    yield "  <setup " + " ".join(f"{name}={quoteattr(str(value))}" for name, value in setup.items()) + " />"
    yield f"  <track name={quoteattr(record.track)} />"
    for element, values in (("times", record.times), ("speeds", record.speeds)):
        yield f"  <{element}>"
        for place, value in zip(record.places.tolist(), values.tolist()):
            yield f'    <at place="{place!r}">{value!r}</at>'
        yield f"  </{element}>"
    yield f'  <states rate="{float(record.rate)!r}" columns={quoteattr(" ".join(record.columns))}>'
    yield from _rows(record.states)
    yield "  </states>"
    yield "  <traces>"
    for point, lines in record.traces.items():
        for line in lines:
            yield f"    <trace point={quoteattr(point)}>"
            yield from _rows(line)
            yield "    </trace>"
    yield "  </traces>"
    yield "</run>"


def _rows(table: np.ndarray) -> Iterator[str]:
    for row in table.tolist():
        yield " ".join(map(repr, row))


@dataclass
class _Element:
    """An element of the file while it is read."""

    name: str
    line: int
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    children: list[_Element] = field(default_factory=list)


def load_xml(file: str | Path) -> Record:
    """Read a record; what is wrong is refused with its line."""
    return _Reader(Path(file)).record()


class _Reader:
    """One file and what is known of it, for messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = _Element("", 0, {})
        self.stack = [self.root]
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def refuse(self, line: int, found: str, allowed: str, remedy: str) -> NoReturn:
        raise InputError(f"record {self.path.name}", found, allowed, remedy, file=self.path.name, line=line or None)

    def record(self) -> Record:
        """Parse all and make the record of it."""
        if not self.path.is_file():
            self.refuse(0, "there is no such file", "a file that save_xml wrote", "Check the path.")
        if self.path.stat().st_size > SIZE_MAX:
            found = f"{self.path.stat().st_size / 2**20:.0f} MB"
            self.refuse(0, found, f"at most {SIZE_MAX // 2**20} MB", "Keep the run file (HDF5) of such a run.")
        try:
            with self.path.open("rb") as source:
                while chunk := source.read(2**20):
                    self.parser.Parse(chunk, False)
                self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            remedy = "Write it anew, it may be cut off."
            self.refuse(error.lineno, expat.ErrorString(error.code), "well-formed XML", remedy)
        [run] = self.root.children
        if run.attributes.get("format") != FORMAT:
            found = f"format {run.attributes.get('format')!r}"
            self.refuse(run.line, found, repr(FORMAT), "Open a record of this program.")
        parts = {child.name: child for child in run.children}
        for name in CHILDREN["run"]:
            if sum(child.name == name for child in run.children) != (name in parts) or name not in parts:
                self.refuse(run.line, f"<{name}> missing or there twice", "each part once", "Write it anew.")
        places, times = self._points(parts["times"])
        again, speeds = self._points(parts["speeds"])
        if not np.array_equal(places, again):
            self.refuse(parts["speeds"].line, "other places than the times have", "the same", "Write it anew.")
        columns = tuple(self._attribute(parts["states"], "columns").split())
        return Record(
            setup=self._setup(parts["setup"]),
            track=self._attribute(parts["track"], "name"),
            places=places,
            times=times,
            speeds=speeds,
            rate=self._number(parts["states"], self._attribute(parts["states"], "rate")),
            columns=columns,
            states=self._table(parts["states"], len(columns)),
            traces=self._traces(parts["traces"]),
        )

    def _refuse_doctype(self, *_: Any) -> None:
        remedy = "Remove it: such lines can make a reader fetch or fill anything."
        self.refuse(self.parser.CurrentLineNumber, "a document type (<!DOCTYPE ...>)", "none", remedy)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent, line = self.stack[-1], self.parser.CurrentLineNumber
        self.count += 1
        if len(self.stack) > DEPTH_MAX or name not in CHILDREN.get(parent.name, ()):
            allowed = ", ".join(f"<{c}>" for c in CHILDREN.get(parent.name, ())) or "numbers alone"
            self.refuse(line, f"<{name[:40]}> in <{parent.name}>", allowed, "Remove it.")
        if self.count > ELEMENTS_MAX:
            self.refuse(line, f"more than {ELEMENTS_MAX} elements", "fewer", "Keep the run file (HDF5) of such a run.")
        element = _Element(name, line, attributes)
        parent.children.append(element)
        self.stack.append(element)

    def _end(self, _: str) -> None:
        self.stack.pop()

    def _characters(self, text: str) -> None:
        element = self.stack[-1]
        if element.name in ("at", "states", "trace"):
            element.text.append(text)
        elif text.strip():
            found = f"text {text.strip()[:40]!r} in <{element.name}>"
            self.refuse(self.parser.CurrentLineNumber, found, "elements", "Remove it.")

    def _attribute(self, element: _Element, name: str) -> str:
        if name not in element.attributes:
            self.refuse(element.line, f"<{element.name}> without {name}", f'{name}="..."', "Add it.")
        return element.attributes[name]

    def _number(self, element: _Element, text: str, *, may_miss: bool = False) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.inf
        if not math.isfinite(value) and not (may_miss and math.isnan(value)):
            self.refuse(element.line, f"{text.strip()[:40]!r} in <{element.name}>", "a finite number", "Correct it.")
        return value

    def _points(self, element: _Element) -> tuple[np.ndarray, np.ndarray]:
        """Places and values of times or speeds; nan is a place that was not reached."""
        places = [self._number(child, self._attribute(child, "place")) for child in element.children]
        values = [self._number(child, "".join(child.text), may_miss=True) for child in element.children]
        return np.array(places), np.array(values)

    def _table(self, element: _Element, width: int) -> np.ndarray:
        """The rows of numbers in an element, a line each."""
        rows = []
        for k, text in enumerate("".join(element.text).split("\n")):
            cells = text.split()
            if not cells:
                continue
            if len(cells) != width:
                found = f"{len(cells)} numbers in a row of <{element.name}>"
                self.refuse(element.line + k, found, f"{width}", "Write a number for each column.")
            try:
                rows.append([float(cell) for cell in cells])
            except ValueError:
                found = f"a row of <{element.name}> with {text.strip()[:40]!r}"
                self.refuse(element.line + k, found, "numbers", "Correct it.")
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)

    def _traces(self, element: _Element) -> dict[str, tuple[np.ndarray, ...]]:
        made: dict[str, tuple[np.ndarray, ...]] = {}
        for child in element.children:
            point = self._attribute(child, "point")
            made[point] = (*made.get(point, ()), self._table(child, 3))
        return made

    def _setup(self, element: _Element) -> Setup:
        known = {f.name for f in fields(Setup)}
        values: dict[str, Any] = {}
        for name, text in element.attributes.items():
            if name not in known:
                self.refuse(element.line, f"{name[:40]!r} in <setup>", ", ".join(sorted(known)), "Remove it.")
            values[name] = text if name in TEXTS else self._number(element, text)
        return Setup(**values)
