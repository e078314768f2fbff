"""Scenery: coloured surfaces and many copies of small things that belong to no model (B-65, B-66).

    hill = gk.ScenerySurface("hill", vertices, triangles, colours=colours)
    wood = gk.SceneryCopies("wood", "conifer", at=places, sizes=heights)
    view = gk.view(sim, scenery=[hill, wood])
    view.show("wood", False)

Nothing of it touches anything. Pages fetch it as bytes (:mod:`gelenk.view.blobs`), once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_name, check_number, unknown
from gelenk.errors import InputError
from gelenk.view.blobs import Blobs
from gelenk.view.instruments import check_names
from gelenk.view.to_page import Piece, Scenery

KINDS = ("conifer", "tree", "post", "banner", "box", "lamp", "rock")
TEXTURES = ("", "ice", "wood")
Texture = Literal["", "ice", "wood"]
MOST = 4_000_000  # vertices or triangles of a surface, and copies


@friendly
class ScenerySurface:
    """A surface of triangles, seen from both sides, with a colour and a normal a vertex.

    Parameters
    ----------
    name : to show and hide it by
    vertices : (n, 3) [m]
    triangles : (m, 3) vertices of each
    colours : red, green, blue from 0 to 1; one of all, or (n, 3)
    normals : (n, 3); the mean of the triangles around a vertex, each as long as it is large, if left out
    gloss : from 0, as snow, to 1, as wet ice
    shadow : whether it casts one
    shown : whether it is seen from the start
    texture : "ice" is frosted, with streaks along; "wood" is made of planks 0.25 m wide; plain if left out
    grain : (n, 2) way along and across at the vertices [m], which a texture lies on
    """

    def __init__(
        self,
        name: str,
        vertices: ArrayLike,
        triangles: ArrayLike,
        *,
        colours: ArrayLike = (0.8, 0.8, 0.8),
        normals: ArrayLike | None = None,
        gloss: float = 0.0,
        shadow: bool = True,
        shown: bool = True,
        texture: Texture = "",
        grain: ArrayLike | None = None,
    ) -> None:
        self.name = check_name("scenery", name)
        label = f"scenery {name!r}"
        self.vertices = _points(label, "vertices", vertices)
        self.triangles = _triangles(label, triangles, len(self.vertices))
        self.colours = _colours(label, colours, len(self.vertices))
        given = normals is not None
        self.normals = _points(label, "normals", normals) if given else smooth_normals(self.vertices, self.triangles)
        if len(self.normals) != len(self.vertices):
            found = f"{len(self.normals)} normals for {len(self.vertices)} vertices"
            raise InputError(label, found, "a normal a vertex", "Leave them out, or give as many.")
        self.gloss = check_number(label, "gloss", gloss, "1", least=0.0, most=1.0)
        self.shadow, self.shown = bool(shadow), bool(shown)
        self.texture = check_choice(label, "texture", texture, TEXTURES)
        self.grain = None if grain is None else _numbers(label, "grain", grain, (len(self.vertices), 2))
        if bool(texture) != (grain is not None):
            found = "a texture without grain" if texture else "grain without a texture"
            raise InputError(label, found, "both or none", "Say where along and across each vertex is.")

    def piece(self, blobs: Blobs) -> Piece:
        """As the page is told of it: vertices f32 (n, 3), normals i16 (n, 4), colours u8 (n, 4), triangles u32.

        Behind them the grain f32 (n, 2), if there is a texture.
        """
        n, low, high = len(self.vertices), self.vertices.min(axis=0), self.vertices.max(axis=0)
        normals = np.zeros((n, 4), dtype="<i2")
        normals[:, :3] = np.round(32767.0 * self.normals)
        colours = np.full((n, 4), 255, dtype="u1")
        colours[:, :3] = np.round(255.0 * self.colours)
        grain = () if self.grain is None else (self.grain.astype("<f4"),)
        key = blobs.put((self.vertices.astype("<f4"), normals, colours, self.triangles.astype("<u4"), *grain))
        ends = tuple(map(float, low)), tuple(map(float, high))
        looks = self.gloss, self.shadow, self.shown, self.texture
        return Piece(self.name, "surface", key, n, len(self.triangles), 0, *ends, *looks)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<scenery {self.name!r}: {len(self.triangles)} triangles>"


@friendly
class SceneryCopies:
    """Many copies of one small thing: trees, posts, banners, lamps; far away they are drawn simpler.

    Parameters
    ----------
    name : to show and hide them by
    kind : "conifer", "tree", "post", "banner", "box", "lamp" or "rock"; each is 1 m high and stands on its place
    at : (n, 3) places [m]
    headings_deg : how each is turned about the upright; a banner looks along x at 0
    sizes : factor of each; or (n, 3) along its own axes, such as width, thickness and height of a banner
    colours : of all, or (n, 3); of what is green of trees
    shadow, shown : as of a surface
    """

    def __init__(
        self,
        name: str,
        kind: str,
        at: ArrayLike,
        *,
        headings_deg: ArrayLike = 0.0,
        sizes: ArrayLike = 1.0,
        colours: ArrayLike = (1.0, 1.0, 1.0),
        shadow: bool = True,
        shown: bool = True,
    ) -> None:
        self.name = check_name("scenery", name)
        label = f"scenery {name!r}"
        self.kind = check_choice(label, "kind", kind, KINDS)
        self.at = _points(label, "at", at)
        n = len(self.at)
        self.headings = np.radians(_numbers(label, "headings_deg", headings_deg, (n,)))
        factors = np.asarray(sizes, dtype=np.float64)
        spread = factors[:, None] if factors.ndim == 1 and len(factors) == n and n != 3 else factors
        self.sizes = _numbers(label, "sizes", spread, (n, 3))
        self.colours = _colours(label, colours, n)
        self.shadow, self.shown = bool(shadow), bool(shown)

    def piece(self, blobs: Blobs) -> Piece:
        """As the page is told of them: f32 (n, 10) of place, heading [rad], sizes, colour."""
        rows = np.column_stack((self.at, self.headings, self.sizes, self.colours)).astype("<f4")
        ends = tuple(map(float, self.at.min(axis=0))), tuple(map(float, self.at.max(axis=0)))
        key = blobs.put((rows,))
        return Piece(self.name, self.kind, key, 0, 0, len(rows), *ends, 0.0, self.shadow, self.shown)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<scenery {self.name!r}: {len(self.at)} of {self.kind}>"


class Sceneries:
    """The scenery of a session."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._all: dict[str, Piece] = {}

    def add(self, pieces: Iterable[ScenerySurface | SceneryCopies]) -> None:
        """Add some; one of the same name is replaced."""
        for thing in check_names("scenery", pieces, (ScenerySurface, SceneryCopies)):
            self._all[thing.name] = thing.piece(self._blobs)

    def show(self, name: str, on: bool) -> None:
        """Show a piece, or hide it."""
        if name not in self._all:
            raise unknown("view", "scenery", name, self._all)
        self._all[name] = replace(self._all[name], shown=bool(on))

    def is_shown(self, name: str) -> bool:
        """Whether a piece is seen."""
        if name not in self._all:
            raise unknown("view", "scenery", name, self._all)
        return self._all[name].shown

    @property
    def told(self) -> Scenery:
        """As pages are told of it."""
        return Scenery(tuple(self._all.values()))


def smooth_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(n, 3) unit normals:  n_v  is along the sum of  (b - a) x (c - a)  over the triangles around v."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    corner = triangles.ravel()
    total = np.stack([np.bincount(corner, np.repeat(face[:, k], 3), len(vertices)) for k in range(3)], axis=1)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0.0, total / np.where(length > 0.0, length, 1.0), (0.0, 0.0, 1.0))


def _points(label: str, what: str, points: Any) -> np.ndarray:
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 3 or not 0 < len(found) <= MOST or not np.isfinite(found).all():
        raise InputError(label, f"{what} of shape {found.shape}", f"finite (n, 3), n to {MOST}", "Pass an array.")
    return found


def _triangles(label: str, triangles: Any, count: int) -> np.ndarray:
    found = np.asarray(triangles)
    right = found.ndim == 2 and found.shape[1] == 3 and 0 < len(found) <= MOST
    if not right or not np.issubdtype(found.dtype, np.integer) or found.min() < 0 or found.max() >= count:
        allowed = f"whole numbers (m, 3) from 0 to {count - 1}"
        raise InputError(label, f"triangles of shape {found.shape}", allowed, "Pass three vertices a triangle.")
    return found


def _colours(label: str, colours: Any, count: int) -> np.ndarray:
    found = _numbers(label, "colours", colours, (count, 3))
    if found.min() < 0.0 or found.max() > 1.0:
        raise InputError(label, "colours beyond 0 to 1", "red, green, blue from 0 to 1", "Divide by 255?")
    return found


def _numbers(label: str, what: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    found = np.asarray(given, dtype=np.float64)
    try:
        spread = np.broadcast_to(found, shape)
    except ValueError:
        spread = None
    if spread is None or not np.isfinite(found).all():
        raise InputError(label, f"{what} of shape {found.shape}", f"finite, one or {shape}", "Pass as many as places.")
    return spread
