"""What a program draws beside its model: surfaces that deform and lines, asked for anew at every frame."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.simulate import Simulation
from gelenk.view.frame import LINES, SURFACE, Section
from gelenk.view.to_page import Colour, Scene, Skin, Strokes

Source = Callable[[Simulation], Any]
MOST_VERTICES = 2_000_000


@dataclass(frozen=True, slots=True)
class Drawing:
    """A named source of points."""

    told: Skin | Strokes
    source: Source
    shape: tuple[int, ...]  # of the array that it gives; -1 for any number


class Drawings:
    """All of them, in the order of their numbers. ``tell`` is called with why one was given up."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._all: dict[str, Drawing] = {}
        self._silent: set[str] = set()  # whose source failed

    def add_surface(self, name: str, triangles: Any, vertices: Source, colour: Any) -> None:
        """A surface: triangles never change, vertices are asked for."""
        label = f"surface {name!r}"
        source, faces = _source(label, "vertices", vertices), np.asarray(triangles)
        right = faces.ndim == 2 and faces.shape[1] == 3 and faces.size and np.issubdtype(faces.dtype, np.integer)
        if not right or faces.min() < 0 or faces.max() >= MOST_VERTICES:
            allowed = f"whole numbers (n, 3), each the number of a vertex below {MOST_VERTICES}"
            raise InputError(label, f"triangles of shape {faces.shape}", allowed, "Pass three vertices a triangle.")
        text = base64.b64encode(np.ascontiguousarray(faces, dtype="<u4").tobytes()).decode("ascii")
        count = int(faces.max()) + 1
        self._all[_name(name)] = Drawing(Skin(name, count, text, _colour(label, colour)), source, (-1, 3))
        self._silent.discard(name)

    def add_lines(self, name: str, ends: Source, colour: Any) -> None:
        """Straight lines, as many as the source gives."""
        label = f"lines {name!r}"
        source = _source(label, "ends", ends)
        self._all[_name(name)] = Drawing(Strokes(name, _colour(label, colour)), source, (-1, 2, 3))
        self._silent.discard(name)

    def remove(self, name: str) -> None:
        """Draw it no longer."""
        if name not in self._all:
            allowed = ", ".join(self._all) or "none: nothing is drawn"
            raise InputError("view", f"a drawing {name!r}", allowed, "Use a name that was given.")
        del self._all[name]

    def describe(self, scene: Scene) -> Scene:
        """A scene with them in it."""
        told = [d.told for d in self._all.values()]
        skins = tuple(t for t in told if isinstance(t, Skin))
        return replace(scene, skins=skins, strokes=tuple(t for t in told if isinstance(t, Strokes)))

    def sections(self, sim: Simulation) -> list[Section]:
        """Where they are now. One whose source fails is told of and left out from then on."""
        numbers = {Skin: 0, Strokes: 0}
        made = []
        for name, drawing in list(self._all.items()):
            kind = type(drawing.told)
            number, numbers[kind] = numbers[kind], numbers[kind] + 1
            if name in self._silent:
                continue
            try:
                points = _points(drawing, sim)
            except Exception as error:  # whatever a source does, the simulation goes on
                self._silent.add(name)
                self._tell(f"{name!r} is drawn no longer: {error}"[:500])
            else:
                made.append(Section(SURFACE if kind is Skin else LINES, struct.pack("<I", number) + points.tobytes()))
        return made


def _points(drawing: Drawing, sim: Simulation) -> np.ndarray:
    points = np.ascontiguousarray(drawing.source(sim), dtype="<f4")
    wanted, told = drawing.shape, drawing.told
    if points.ndim != len(wanted) or points.shape[1:] != wanted[1:]:
        raise ValueError(f"its source gave an array {points.shape}, not (n, {', '.join(map(str, wanted[1:]))})")
    if isinstance(told, Skin) and len(points) < told.vertices:
        raise ValueError(f"its source gave {len(points)} vertices, its triangles need {told.vertices}")
    return points[: told.vertices] if isinstance(told, Skin) else points


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name or len(name) > 200:
        raise InputError("view", f"a drawing {name!r}"[:100], "a name", "Pass a short text.")
    return name


def _source(label: str, what: str, source: Any) -> Source:
    if not callable(source):
        remedy = "Pass a function of the simulation that returns an array."
        raise InputError(label, f"{what} is {type(source).__name__}", "a function", remedy)
    made: Source = source
    return made


def _colour(label: str, colour: Any) -> Colour:
    try:
        r, g, b = (float(c) for c in colour)
    except (TypeError, ValueError):
        r = g = b = -1.0
    if not all(0.0 <= c <= 1.0 for c in (r, g, b)):
        found, remedy = f"colour is {colour!r}"[:80], "Pass such as (0.8, 0.3, 0.2)."
        raise InputError(label, found, "red, green, blue from 0 to 1", remedy)
    return r, g, b
