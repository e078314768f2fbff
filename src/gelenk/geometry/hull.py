"""Convex hull of points as a shape: flat faces, and which edge lies beside which face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray, MassProperties
from gelenk.geometry.mesh_check import IndexArray, check_vertices
from gelenk.geometry.mesh_mass import mesh_mass_properties

# Shares of the largest extent. Triangles whose corners lie this close to one plane are one face: above the rounding
# of a plane through three points (1e-15), below the accuracy that distances are held to (1e-9).
FLAT_FACE = 1e-10
# Points that lie this close to one plane enclose nothing.
FLAT_BODY = 1e-8
SMALLEST = 1e-50  # extent [m] below which products of lengths vanish


@friendly
@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class ConvexHull:
    """Smallest convex body around points, as convex polygons of which no two neighbours lie in one plane.

    Points inside, on a face or on an edge are dropped, and so are repetitions of a point. Every edge runs from tail to
    head with the face ``left`` on its left and ``right`` on its right, seen from outside. Faces and edges come in an
    order in which neighbours mostly follow each other. The vertices of a hull make the same hull again. Two hulls are
    equal if all their numbers agree to the last bit.

    Source: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The quickhull algorithm for convex hulls, ACM Trans. Math. Softw.
    22 (1996), through SciPy.

    Parameters
    ----------
    points : (n, 3) [m]
        Four or more that differ and do not lie in one plane, in the frame of the shape.
    element : str
        Kind and name for messages.
    """

    kind: ClassVar[str] = "hull"
    vertices: FloatArray  # (v, 3) [m]
    edges: IndexArray  # (e, 4) tail, head, left, right
    face_first: IndexArray  # (f + 1,) where the loop of a face begins
    loop: IndexArray  # vertices of the faces, counter-clockwise from outside
    loop_edge: IndexArray  # edge from this vertex of the loop to the next one
    normals: FloatArray  # (f, 3) outward, of unit length
    offsets: FloatArray  # (f,) plane n . x = d [m]

    def __init__(self, points: ArrayLike, *, element: str = "hull") -> None:
        checked = _check_points(element, points)
        triangles = _triangles(element, checked)
        extent = float(np.ptp(checked, axis=0).max())
        try:
            loops = _merge(checked, triangles, FLAT_FACE * extent)
            normals = _topology(checked, loops)[5]
            self._store(_topology(checked, [loops[i] for i in _snake(normals)]))
        except _NotClosedError:
            raise InputError(
                element,
                f"the faces around the {len(checked)} points cannot be told from rounding",
                f"faces that differ by more than {FLAT_FACE:g} of the extent {extent:.3g} m",
                "Round the coordinates, or drop points that lie close together.",
            ) from None

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties of the hull filled with constant ``density`` [kg/m^3], exact for the polyhedron."""
        return mesh_mass_properties(*self.triangles(), check_number("hull", "density", density, "kg/m^3", above=0))

    def triangles(self, resolution: int = 0) -> tuple[FloatArray, IndexArray]:
        """Every face split from its first corner; ``resolution`` has no meaning for a hull."""
        first, last = self.face_first[:-1].astype(np.int64), self.face_first[1:].astype(np.int64)
        count = last - first - 2
        corner = np.repeat(first, count)
        step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return self.vertices, np.column_stack([self.loop[corner + k] for k in (0 * step, step + 1, step + 2)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConvexHull):
            return NotImplemented
        return self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def __repr__(self) -> str:
        return f"ConvexHull({len(self.vertices)} vertices, {len(self.edges)} edges, {len(self.normals)} faces)"

    def __reduce__(self) -> tuple[Any, ...]:
        # not through the constructor: a copy in another process need not be made anew
        return ConvexHull._from_arrays, tuple(np.array(getattr(self, name)) for name in self.__slots__)

    @classmethod
    def _from_arrays(cls, *arrays: NDArray) -> ConvexHull:
        hull = object.__new__(cls)
        hull._store(arrays)
        return hull

    def _store(self, arrays: tuple[NDArray, ...]) -> None:
        for name, array in zip(self.__slots__, arrays):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def _bits(self) -> tuple[bytes, bytes, bytes]:
        return self.vertices.tobytes(), self.face_first.tobytes(), self.loop.tobytes()


def flat_faces(hull: ConvexHull, tolerance: float) -> list[NDArray[np.int64]] | None:
    """Loops of vertices if faces that lie within ``tolerance`` [m] of a plane were one; None if that cannot be."""
    try:
        return _merge(hull.vertices, hull.triangles()[1].astype(np.int64), tolerance)
    except _NotClosedError:
        return None


class _NotClosedError(Exception):
    """Merging did not leave every edge with two faces and every face with one loop."""


def _check_points(element: str, points: ArrayLike) -> FloatArray:
    """Finite, four or more, and not flat; each point once, where it comes first."""
    given = check_vertices(element, points)
    checked = given[np.sort(np.unique(given, axis=0, return_index=True)[1])]
    if len(checked) < 4:
        raise InputError(
            element,
            f"{len(given)} points" + (f", {len(checked)} of them different" if len(checked) < len(given) else ""),
            "four or more that differ and do not lie in one plane",
            "Give more points.",
        )
    if np.ptp(checked, axis=0).max() < SMALLEST:
        found, allowed = f"an extent of {np.ptp(checked, axis=0).max():.3g} m", f"at least {SMALLEST:g} m"
        raise InputError(element, found, allowed, "Check the units; coordinates are in m.")
    centred = checked - checked.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    extents = np.ptp(centred @ axes.T, axis=0)
    if extents[2] <= FLAT_BODY * extents[0]:
        what = "line" if extents[1] <= FLAT_BODY * extents[0] else "plane"
        raise InputError(
            element,
            f"all {len(checked)} points lie in one {what}: extents {', '.join(f'{e:.3g}' for e in extents)} m",
            f"points whose smallest extent is above {FLAT_BODY:g} of the largest",
            "Give the body a thickness, or use a thin box.",
        )
    return checked


def _triangles(element: str, points: FloatArray) -> NDArray[np.int64]:
    """Outward triangles (m, 3) of the hull."""
    from scipy.spatial import ConvexHull as Quickhull
    from scipy.spatial import QhullError

    # about the middle and of size one, lest tolerances of its own depend on where and how large the body is
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (points - 0.5 * (low + high)) / (high - low).max()
    try:
        found = Quickhull(unit)
    except QhullError as error:
        raise InputError(
            element,
            f"no hull was found ({str(error).splitlines()[0]})",
            "points that enclose a volume",
            "Give the body a thickness, or round its coordinates.",
        ) from None
    triangles = found.simplices.astype(np.int64)
    a, b, c = (unit[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    return triangles


def _merge(points: FloatArray, triangles: NDArray[np.int64], tolerance: float) -> list[NDArray[np.int64]]:
    """Loops of the flat faces: from the largest triangle on, all that is joined to it and lies in its plane."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    side = {(int(t[k]), int(t[(k + 1) % 3])): i for i, t in enumerate(triangles) for k in range(3)}
    face = np.full(len(triangles), -1)
    loops: list[NDArray[np.int64]] = []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if face[seed] >= 0:
            continue
        if areas[seed] == 0.0:
            raise _NotClosedError
        number, n = len(loops), normals[seed] / areas[seed]
        face[seed] = number
        members, outline = [seed], {}
        for i in members:  # grows while it is read
            for k in range(3):
                tail, head = int(triangles[i, k]), int(triangles[i, (k + 1) % 3])
                j = side.get((head, tail))
                if j is None:
                    raise _NotClosedError
                if face[j] < 0 and (np.abs((points[triangles[j]] - points[triangles[seed, 0]]) @ n) <= tolerance).all():
                    face[j] = number
                    members.append(j)
                if face[j] != number:
                    outline[tail] = head
        loops.append(_chain(outline))
    return _without_flat_corners(loops)


def _chain(outline: dict[int, int]) -> NDArray[np.int64]:
    """One loop from its sides tail -> head."""
    start = min(outline, default=-1)
    loop = [start]
    while len(loop) <= len(outline):
        following = outline.get(loop[-1], -1)
        if following == start:
            break
        loop.append(following)
    if len(loop) != len(outline) or len(loop) < 3:
        raise _NotClosedError
    return np.array(loop)


def _without_flat_corners(loops: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Vertices of fewer than three faces lie on an edge or inside a face."""
    faces_of = np.bincount(np.concatenate(loops))
    kept = [loop[faces_of[loop] > 2] for loop in loops]
    if min(len(loop) for loop in kept) < 3:
        raise _NotClosedError
    # each from its lowest vertex on, in rising order: the same faces whatever order they were found in
    return sorted((np.roll(loop, -int(loop.argmin())) for loop in kept), key=lambda loop: tuple(loop.tolist()))


def _topology(points: FloatArray, loops: list[NDArray[np.int64]]) -> tuple[NDArray, ...]:
    """Vertices that are used, in their old order, and all arrays of the class."""
    sizes = np.array([len(loop) for loop in loops])
    old = np.concatenate(loops)
    used, loop = np.unique(old, return_inverse=True)
    vertices = np.ascontiguousarray(points[used])
    first = np.concatenate(([0], np.cumsum(sizes)))
    face = np.repeat(np.arange(len(loops)), sizes)
    onward = np.arange(1, len(loop) + 1)
    onward[first[1:] - 1] = first[:-1]
    head = loop[onward]

    # the two sides of an edge, one from each of its faces, have the same key
    key = np.minimum(loop, head) * len(used) + np.maximum(loop, head)
    order = np.argsort(key, kind="stable")
    left, right = order[0::2], order[1::2]
    paired = len(order) % 2 == 0 and len(used) - len(order) // 2 + len(loops) == 2
    if not paired or (loop[left] != head[right]).any() or (head[left] != loop[right]).any():
        raise _NotClosedError
    normals, offsets = _planes(vertices, loop, onward, first[:-1], sizes)
    order = _snake(normals[face[left]] + normals[face[right]])
    left, right = left[order], right[order]
    edges = np.column_stack((loop[left], head[left], face[left], face[right]))
    loop_edge = np.empty(len(loop), dtype=np.int64)
    loop_edge[left] = loop_edge[right] = np.arange(len(left))
    index = [a.astype(np.uint32) for a in (edges, first, loop, loop_edge)]
    return vertices, *index, normals, offsets


def _snake(directions: FloatArray) -> NDArray[np.int64]:
    """Order in which neighbours follow each other: to and fro over bands of latitude, as wide as the directions lie."""
    count = len(directions)
    latitude = np.arccos(np.clip(directions[:, 2] / np.linalg.norm(directions, axis=1), -1.0, 1.0))
    band = np.floor(latitude / np.sqrt(4.0 * np.pi / count))
    longitude = np.arctan2(directions[:, 1], directions[:, 0])
    return np.lexsort((np.where(band % 2 == 0, longitude, -longitude), band))


def _planes(
    vertices: FloatArray, loop: NDArray, onward: NDArray, first: NDArray, sizes: NDArray
) -> tuple[FloatArray, FloatArray]:
    """Normal by Newell,  n ~ sum (x_i - x_0) x (x_{i+1} - x_0),  and the mean of n . x."""
    at = vertices[loop]
    arm = at - np.repeat(at[first], sizes, axis=0)
    n = np.add.reduceat(np.cross(arm, arm[onward]), first, axis=0)
    n /= np.linalg.norm(n, axis=1)[:, None]
    offsets = np.add.reduceat((at * np.repeat(n, sizes, axis=0)).sum(axis=1), first) / sizes
    return n, offsets
