"""The ice as a body: the smooth surface of a track with its boards, or triangles with something below them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gelenk.checks import check_choice
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.mesh import TriangleMesh
from gelenk.model.parts import Part
from gelenk.worlds.bobsleigh.track.track import Track

SURFACES = ("sheet", "mesh", "facets")  # smooth; triangles that bend between their corners; flat ones as in the source
SAME = 1e-6  # [m] corners nearer than this are one place
DEPTH = 0.5  # [m] how thick the ice is


def ice_parts(track: Track, surface: str = "sheet", *, view: bool = True) -> list[Part]:
    """What a sled touches of a track by its segments, and nothing else does (B-46 to B-48, bobsleigh 8.4)."""
    check_choice("bobsleigh", "surface", surface, SURFACES)
    shapes: list[LoftedSheet | TriangleMesh]
    if surface == "sheet":
        shapes = [track.surface, *([] if track.boards is None else [solid_below(track.boards)])]
    else:
        shapes = [solid_below(track.mesh if surface == "facets" else track.smooth_mesh)]
    return [Part(shape, view=view, collide=False, weighs=False) for shape in shapes]


class OpenSurface(Protocol):
    """A surface of triangles that faces upward, with normals at its corners."""

    @property
    def vertices(self) -> np.ndarray:
        """(n, 3) [m]."""
        ...

    @property
    def triangles(self) -> np.ndarray:
        """(m, 3) corners, to the left seen from above."""
        ...

    @property
    def normals(self) -> np.ndarray:
        """(n, 3) unit, upward."""
        ...


def solid_below(surface: OpenSurface, depth: float = DEPTH) -> TriangleMesh:
    """The surface as the upper side of a closed solid: copied down along its normals, and joined along its rims.

    Corners at one place are made one, so that patches join; triangles that lose their area by that are left out.
    """
    places = np.round(surface.vertices / SAME).astype(np.int64)
    order = np.lexsort(places.T)
    new = np.append(True, (np.diff(places[order], axis=0) != 0).any(axis=1))
    first, number = order[new], np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    faces = number[surface.triangles]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    used, faces = np.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    top = surface.vertices[first[used]]
    below = top - depth * surface.normals[first[used]]
    count = len(top)
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    key, back = sides[:, 0] * count + sides[:, 1], sides[:, 1] * count + sides[:, 0]
    rim = sides[~np.isin(key, back)]
    p, q = rim.T
    walls = np.concatenate([np.stack([q, p, p + count], axis=1), np.stack([q, p + count, q + count], axis=1)])
    every = np.concatenate([faces, faces[:, ::-1] + count, walls])
    return TriangleMesh(np.concatenate([top, below]), every, element="ice")
