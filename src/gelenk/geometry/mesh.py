"""A closed triangle mesh as a shape, and the splitting of polygons into triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mass import FloatArray, MassProperties
from gelenk.geometry.mesh_check import IndexArray, check_mesh, check_vertices
from gelenk.geometry.mesh_convex import hull_of
from gelenk.geometry.mesh_crossing import check_no_crossing
from gelenk.geometry.mesh_mass import mesh_mass_properties

# A corner counts as a corner if twice its area exceeds this share of the squared extent of its polygon. It lies above
# the rounding of a cross product (2e-16) and below the needles that float32 files contain.
FLAT_CORNER = 1e-14


@friendly
@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class TriangleMesh:
    """Closed surface of triangles; checked when made, read-only afterwards.

    Several shells and inner cavities (inward shells) are allowed. A mesh given inside out is turned round. Whether it
    cuts through itself is looked at where it is to weigh or to collide. Two meshes are equal if all their numbers agree
    to the last bit.

    A convex mesh of at most 2000 vertices, 500 of them corners, collides as its hull (:meth:`convex_hull`): the same
    solid, with the shortest way out for its depth, and faces in place of their triangles. There is no switch, since
    nothing is lost.

    Parameters
    ----------
    vertices : (n, 3) [m]
        In the frame of the shape; stored as float64.
    faces : (m, 3)
        Corners of each triangle, counter-clockwise seen from outside; stored as uint32.
    element : str
        Kind and name for messages.
    """

    kind: ClassVar[str] = "mesh"
    vertices: FloatArray
    faces: IndexArray
    _uncrossed: bool  # known not to cut through itself
    _hull: tuple[ConvexHull, ...] | None  # one if the mesh is convex, none if it is not; None while not known

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, element: str = "mesh") -> None:
        self._store(*check_mesh(element, vertices, faces))

    @classmethod
    def from_polygons(
        cls, vertices: ArrayLike, polygons: Sequence[Sequence[int]] | NDArray, *, element: str = "mesh"
    ) -> TriangleMesh:
        """Mesh from faces with three or more sides.

        Convex faces are split from their first corner; a face that is not convex is split by clipping ears. Faces may
        be slightly warped: they are split as seen along their mean normal, and neighbours still meet in the same
        edges.

        Source: G. H. Meisters, Polygons have ears, Amer. Math. Monthly 82 (1975).

        Parameters
        ----------
        vertices : (n, 3) [m]
        polygons : sequence of index sequences
            Counter-clockwise seen from outside.
        element : str
            Kind and name for messages.
        """
        points = check_vertices(element, vertices)
        return cls(points, split_polygons(element, points, polygons), element=element)

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties of the mesh filled with constant ``density`` [kg/m^3], exact for the polyhedron."""
        return mesh_mass_properties(
            self.vertices, self.faces, check_number("mesh", "density", density, "kg/m^3", above=0)
        )

    def triangles(self, resolution: int = 0) -> tuple[FloatArray, IndexArray]:
        """Vertices and faces as they are; ``resolution`` has no meaning for a mesh."""
        return self.vertices, self.faces

    def check_no_crossing(self, element: str = "mesh") -> None:
        """Refuse the mesh if it cuts through itself; parts that weigh or collide ask for this once, 2 s per 100 000
        triangles.
        """
        if not self._uncrossed:
            check_no_crossing(element, self.vertices, self.faces)
            object.__setattr__(self, "_uncrossed", True)

    def convex_hull(self) -> ConvexHull | None:
        """The same solid as a hull if the mesh is convex and not too large (see above), or None.

        Convex to 1e-9 of its size, or to what rounding of its coordinates to float32 can have done, as in STL files:
        mesh and hull then differ by at most 2e-6 of the size, mostly by 1e-7, and faces that were bent are flat.
        """
        if self._hull is None:
            object.__setattr__(self, "_hull", hull_of(self.vertices, self.faces))
        return self._hull[0] if self._hull else None

    def recentred(self) -> tuple[TriangleMesh, FloatArray]:
        """The mesh with its centre of mass at the origin, and the shift [m] that leads back: old = new + shift."""
        shift = self.mass_properties(1.0).com
        return TriangleMesh._from_checked(self.vertices - shift, self.faces), np.array(shift)

    def scaled(self, factor: float) -> TriangleMesh:
        """The mesh with all coordinates times ``factor`` (above 0)."""
        return TriangleMesh._from_checked(
            self.vertices * check_number("mesh", "factor", factor, "1", above=0), self.faces
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TriangleMesh):
            return NotImplemented
        return self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def __repr__(self) -> str:
        return f"TriangleMesh({len(self.vertices)} vertices, {len(self.faces)} triangles)"

    def __reduce__(self) -> tuple[Any, ...]:
        # not through the constructor: a copy in another process need not be checked again
        return TriangleMesh._from_checked, (np.array(self.vertices), np.array(self.faces))

    @classmethod
    def _from_checked(cls, vertices: FloatArray, faces: IndexArray) -> TriangleMesh:
        mesh = object.__new__(cls)
        mesh._store(vertices, faces)
        return mesh

    def _store(self, vertices: FloatArray, faces: IndexArray) -> None:
        vertices.setflags(write=False)
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        object.__setattr__(self, "_uncrossed", False)
        object.__setattr__(self, "_hull", None)

    def _bits(self) -> tuple[bytes, bytes]:
        return self.vertices.tobytes(), self.faces.tobytes()


def split_polygons(element: str, vertices: FloatArray, polygons: Sequence[Sequence[int]] | NDArray) -> IndexArray:
    """Split polygons into triangles that use their corners only.

    The triangles of a polygon do not overlap, turn the same way as it does, and come in the order of the polygons.

    Parameters
    ----------
    element : str
        Kind and name for messages.
    vertices : (n, 3) [m]
    polygons : sequence of index sequences
        Three or more corners each, without holes.

    Returns
    -------
    (m, 3) uint32
    """
    sizes, flat = _flatten(element, vertices, polygons)
    starts = np.cumsum(sizes) - sizes
    owners, pieces = [], []
    for size in np.unique(sizes).tolist():
        which = np.flatnonzero(sizes == size)
        corners = flat[starts[which][:, None] + np.arange(size)]
        if size == 3:
            owner, triangles = which, corners
        else:
            local, owner_row = _split_equal(element, vertices, which, corners)
            owner, triangles = which[owner_row], np.take_along_axis(corners[owner_row], local, axis=1)
        owners.append(owner)
        pieces.append(triangles)
    order = np.argsort(np.concatenate(owners), kind="stable")
    return np.concatenate(pieces)[order].astype(np.uint32)


def _flatten(
    element: str, vertices: FloatArray, polygons: Sequence[Sequence[int]] | NDArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of corners of each polygon, and all corners in a row."""
    sizes = np.array([len(polygon) for polygon in polygons], dtype=np.int64)
    flat = np.array([index for polygon in polygons for index in polygon])
    if len(sizes) == 0 or sizes.min() < 3:
        found = "there is no polygon" if len(sizes) == 0 else f"polygon {sizes.argmin()} has {sizes.min()} corners"
        raise InputError(element, found, "polygons with three or more corners", "Leave out points and lines.")
    if flat.dtype.kind not in "iu" or flat.min() < 0 or flat.max() >= len(vertices):
        bad = next(
            i
            for i, polygon in enumerate(polygons)
            if any(not isinstance(k, (int, np.integer)) or not 0 <= k < len(vertices) for k in polygon)
        )
        raise InputError(
            element,
            f"polygon {bad} has corners {_corners(polygons[bad])}",
            f"whole numbers from 0 to {len(vertices) - 1}",
            "Count vertices from 0, and check that none was left out.",
        )
    return sizes, flat.astype(np.int64)


def _split_equal(
    element: str, vertices: FloatArray, which: NDArray, corners: NDArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split polygons with one number of corners.

    Parameters
    ----------
    element : str
        For messages.
    vertices : (n, 3) [m]
    which : (p,)
        Numbers of the polygons, for messages.
    corners : (p, k)
        Vertex indices, k above 3.

    Returns
    -------
    local : (m, 3)
        Corners of each triangle, counted from 0 to k - 1.
    owner_row : (m,)
        Row of ``corners`` it came from.
    """
    count, size = corners.shape
    flat, has_area = _project(vertices[corners])
    if not has_area.all():
        row = int(np.flatnonzero(~has_area)[0])
        raise InputError(
            element,
            f"polygon {which[row]} with corners {_corners(corners[row])} encloses no area",
            "polygons that neither lie on one line nor cross themselves",
            "Remove the polygon, or check the order of its corners.",
        )
    # split from corner 0, or for four corners from corner 1 if that fails
    fan = np.array([(0, i, i + 1) for i in range(1, size - 1)])
    local = np.broadcast_to(fan, (count, size - 2, 3)).copy()
    if size == 4:
        other = (fan + 1) % 4
        good, good_other = (
            (_twice_area(*(flat[:, rows[:, k]] for k in range(3))) > FLAT_CORNER).all(axis=1) for rows in (fan, other)
        )
        local[~good] = other
        slow = np.flatnonzero(~good & ~good_other)
    else:
        slow = np.flatnonzero(~_convex(flat))
    for row in slow.tolist():
        ears = None if (crossing := _crossing(flat[row])) else _clip_ears(flat[row], corners[row])
        if ears is None:
            raise InputError(
                element,
                f"polygon {which[row]} with corners {_corners(corners[row])} {_trouble(corners[row], crossing)}",
                "polygons whose sides meet in their corners only",
                "Check the order of the corners, or split the polygon into triangles before.",
            )
        local[row] = ears
    return local.reshape(-1, 3), np.repeat(np.arange(count), size - 2)


def _project(points: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Polygons (p, k, 3) in their mean plane, (p, k, 2), counter-clockwise, in units of their extent.

    The mean normal is Newell's, the sum of the cross products of successive corners. The second result is False where
    that sum vanishes: the polygon has no area.
    """
    relative = points - points[:, :1]
    extent = np.sqrt((relative**2).sum(axis=2).max(axis=1))
    relative = relative / np.where(extent > 0.0, extent, 1.0)[:, None, None]
    normal = np.cross(relative, np.roll(relative, -1, axis=1)).sum(axis=1)
    length = np.sqrt((normal**2).sum(axis=1))
    has_area = length > FLAT_CORNER
    n = normal / np.where(has_area, length, 1.0)[:, None]
    # the coordinate axis least along n gives the first direction in the plane
    u = np.cross(n, np.eye(3)[np.abs(n).argmin(axis=1)])
    u /= np.where(has_area, np.sqrt((u**2).sum(axis=1)), 1.0)[:, None]
    v = np.cross(n, u)
    return np.stack(((relative * u[:, None]).sum(axis=2), (relative * v[:, None]).sum(axis=2)), axis=2), has_area


def _twice_area(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Signed, for points in the plane; positive if a, b, c turn counter-clockwise."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def _convex(flat: FloatArray) -> NDArray[np.bool_]:
    """Which polygons (p, k, 2) turn left at every corner, and once round in all (a five-pointed star turns twice)."""
    before, after = np.roll(flat, 1, axis=1), np.roll(flat, -1, axis=1)
    turn = _twice_area(before, flat, after)
    straight = ((flat - before) * (after - flat)).sum(axis=2)
    turns = np.arctan2(turn, straight).sum(axis=1) / (2.0 * np.pi)
    return (turn > FLAT_CORNER).all(axis=1) & (np.abs(turns - 1.0) < 0.5)


def _crossing(p: FloatArray) -> tuple[int, int] | None:
    """The first two sides of a polygon (k, 2) that cut through each other, by their first corners."""
    a, b = p[:, None], np.roll(p, -1, axis=0)[:, None]
    c, d = p[None], np.roll(p, -1, axis=0)[None]
    cut = (_twice_area(a, b, c) * _twice_area(a, b, d) < -(FLAT_CORNER**2)) & (
        _twice_area(c, d, a) * _twice_area(c, d, b) < -(FLAT_CORNER**2)
    )
    pairs = np.argwhere(cut)
    return (int(pairs[0, 0]), int(pairs[0, 1])) if len(pairs) else None


def _clip_ears(p: FloatArray, corners: NDArray) -> NDArray[np.int64] | None:
    """Triangles (k - 2, 3) of one polygon (k, 2), counter-clockwise; None if no ear is left.

    An ear is a convex corner whose triangle, border included, holds no other corner. The best-shaped ear goes first.
    A vertex that the polygon visits twice (a seam to a hole) does not block its own ears.
    """
    left = list(range(len(p)))
    triangles: list[tuple[int, int, int]] = []
    while len(left) >= 3:
        now = np.array(left)
        before, after = np.roll(now, 1), np.roll(now, -1)
        a, b, c = p[before], p[now], p[after]
        area = _twice_area(a, b, c)
        longest = np.maximum.reduce([((x - y) ** 2).sum(axis=1) for x, y in ((a, b), (b, c), (c, a))])
        quality = np.where(area > FLAT_CORNER, area / np.where(longest > 0.0, longest, 1.0), 0.0)
        for i in np.argsort(-quality, kind="stable").tolist():
            if quality[i] <= 0.0:
                return None
            inside = (
                (_twice_area(a[i], b[i], b) >= -FLAT_CORNER)
                & (_twice_area(b[i], c[i], b) >= -FLAT_CORNER)
                & (_twice_area(c[i], a[i], b) >= -FLAT_CORNER)
            )
            own = np.isin(corners[now], corners[[before[i], now[i], after[i]]])
            if not (inside & ~own).any():
                triangles.append((int(before[i]), int(now[i]), int(after[i])))
                del left[i]
                break
        else:
            return None
        if len(left) == 2:
            break
    return np.array(triangles)


def _corners(polygon: Sequence[int] | NDArray) -> str:
    shown = ", ".join(str(index) for index in polygon[:12])
    return f"({shown})" if len(polygon) <= 12 else f"({shown}, and {len(polygon) - 12} more)"


def _trouble(corners: NDArray, crossing: tuple[int, int] | None) -> str:
    if crossing is None:
        return "cannot be split without triangles that overlap or have no area"
    sides = [f"{corners[i]}-{corners[(i + 1) % len(corners)]}" for i in crossing]
    return f"crosses itself: its sides {sides[0]} and {sides[1]} cut through each other"
