"""Which meshes enclose a volume: errors name the edge or the face, and say what to do.

A mesh is admissible if every edge is used as often in one direction as in the other. Then each edge can be paired, the
surface is closed and all triangles of a shell turn the same way. Several shells are allowed, also touching ones, and
inward shells are cavities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh_mass import mesh_volume

IndexArray = NDArray[np.uint32]

# Twice the area of a triangle, over the square of its longest side, that the cross product of collinear points may
# leave.
FLAT_TRIANGLE = 8.0 * float(np.finfo(np.float64).eps)

# Volume over the sum of its absolute terms. Sums of 1e6 terms round to about 1e-14 of that sum at worst.
FLAT_VOLUME = 1e-13
FARTHEST = 1e50  # coordinates [m] above this are refused: volumes and moments take their fifth power

SHOWN = 3


def check_mesh(element: str, vertices: ArrayLike, triangles: ArrayLike) -> tuple[FloatArray, IndexArray]:
    """Check a closed triangle mesh and return it in its canonical form.

    Refused, with the numbers and places of the first three offenders: vertices that are not finite, indices out of
    range, vertices no triangle uses, triangles without area, the same triangle twice, edges of one triangle only (a
    hole), edges that two triangles run along in the same direction (one of them is turned round), edges of several
    triangles that cannot be paired, meshes without volume, and inward shells that lie in no outward shell.

    A mesh that is inside out as a whole (negative volume) is not refused: all its triangles are turned round.

    Not found: surfaces that cut through themselves or each other, whose overlap counts twice; for these see
    :mod:`gelenk.geometry.mesh_crossing`.

    Parameters
    ----------
    element : str
        Kind and name for the message, such as ``"mesh 'hull.stl'"``.
    vertices : (n, 3) [m]
    triangles : (m, 3)
        Corners as indices into ``vertices``, counter-clockwise seen from outside.

    Returns
    -------
    vertices : (n, 3) float64 [m]
    triangles : (m, 3) uint32
        Outward, fresh arrays.
    """
    points = check_vertices(element, vertices)
    faces = _check_indices(element, triangles, points)
    _check_areas(element, points, faces)
    _check_duplicates(element, points, faces)
    edge_of_side = _check_edges(element, points, faces)

    volume, magnitude = mesh_volume(points, faces)
    if abs(volume) <= FLAT_VOLUME * magnitude:
        raise InputError(
            element,
            f"the surface is closed but encloses no volume ({volume:.3g} m^3)",
            "a mesh with a volume",
            "Give sheets a thickness; check that the two sides of a thin part are not the same triangles turned round.",
        )
    if volume < 0.0:
        faces = np.ascontiguousarray(faces[:, ::-1])
    _check_shells(element, points, faces, edge_of_side)
    return points, faces


def check_vertices(element: str, vertices: ArrayLike) -> FloatArray:
    """Return vertices (n, 3) [m] as a fresh float64 array, or refuse them unless all are finite."""
    try:
        points = np.array(vertices, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(
            element, "vertices are not rows of three numbers", "shape (n, 3)", "Give x, y, z [m] for each vertex."
        ) from error
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise InputError(
            element,
            f"vertices have shape {points.shape}",
            "shape (n, 3), one row x, y, z for each vertex",
            "Give the vertices as rows of three numbers in m.",
        )
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise InputError(
            element,
            f"{_count(bad, 'vertex is', 'vertices are')} not finite: {_list(bad, lambda i: _vertex(points, i))}",
            "finite coordinates [m]",
            "Repair the file or the program that made the vertices.",
        )
    bad = np.flatnonzero(np.abs(points).max(axis=1) > FARTHEST)
    if len(bad):
        raise InputError(
            element,
            f"{_count(bad, 'vertex is', 'vertices are')} too far away: {_list(bad, lambda i: _vertex(points, i))}",
            f"coordinates up to {FARTHEST:g} [m], so that no volume or moment of them overflows",
            "Check the units; coordinates are in m.",
        )
    return points


def _check_indices(element: str, triangles: ArrayLike, points: FloatArray) -> IndexArray:
    faces = np.asarray(triangles)
    if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0 or faces.dtype.kind not in "iu":
        raise InputError(
            element,
            f"triangles have shape {faces.shape} and type {faces.dtype}",
            "whole numbers of shape (m, 3), one row of vertex indices for each triangle",
            "Give three indices for each triangle; polygons go through TriangleMesh.from_polygons.",
        )
    bad = np.flatnonzero(((faces < 0) | (faces >= len(points))).any(axis=1))
    if len(bad):
        raise InputError(
            element,
            f"{_count(bad, 'triangle has', 'triangles have')} an index out of range: "
            f"{_list(bad, lambda i: f'triangle {i} {_indices(faces[i])}')}",
            f"indices from 0 to {len(points) - 1}",
            "Count vertices from 0, and check that none was left out.",
        )
    used = np.zeros(len(points), dtype=bool)
    used[faces.ravel()] = True
    unused = np.flatnonzero(~used)
    if len(unused):
        raise InputError(
            element,
            f"{_count(unused, 'vertex belongs', 'vertices belong')} to no triangle: "
            f"{_list(unused, lambda i: _vertex(points, i))}",
            "vertices that are corners of triangles",
            "Remove the loose vertices, or add the missing triangles.",
        )
    return np.array(faces, dtype=np.uint32, order="C")


def _check_areas(element: str, points: FloatArray, faces: IndexArray) -> None:
    a, b, c = (points[faces[:, k]] for k in range(3))
    twice_area = np.sqrt((np.cross(b - a, c - a) ** 2).sum(axis=1))
    longest = np.maximum.reduce([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))])
    bad = np.flatnonzero(twice_area <= FLAT_TRIANGLE * longest)
    if len(bad):
        raise InputError(
            element,
            f"{_count(bad, 'triangle has', 'triangles have')} no area: {_list(bad, lambda i: _face(points, faces, i))}",
            "three corners that do not lie on one line",
            "Remove triangles with a repeated corner; where three corners lie on one line, split the neighbour there.",
        )


def _check_duplicates(element: str, points: FloatArray, faces: IndexArray) -> None:
    # turn each triangle so that its smallest index comes first; the sense of rotation stays
    start = faces.argmin(axis=1)
    turned = np.take_along_axis(faces, (start[:, None] + np.arange(3)) % 3, axis=1)
    order = np.lexsort((turned[:, 2], turned[:, 1], turned[:, 0]))
    same = (turned[order[1:]] == turned[order[:-1]]).all(axis=1)
    repeats = np.flatnonzero(same)
    if len(repeats):
        raise InputError(
            element,
            f"{_count(repeats, 'triangle comes', 'triangles come')} twice: "
            f"{_list(repeats, lambda i: f'{order[i]} and {order[i + 1]}, {_face(points, faces, order[i])}')}",
            "each triangle once",
            "Remove the copies.",
        )


def _check_edges(element: str, points: FloatArray, faces: IndexArray) -> NDArray[np.int64]:
    """Check the pairing of edges; return the edge number of each side, (3 m,), sides in the order 0-1, 1-2, 2-0."""
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    low, high = np.minimum(start, end), np.maximum(start, end)
    keys, edge_of_side = np.unique(low * len(points) + high, return_inverse=True)
    edge_of_side = edge_of_side.ravel()
    forward = np.bincount(edge_of_side[start < end], minlength=len(keys))
    uses = np.bincount(edge_of_side, minlength=len(keys))
    backward = uses - forward

    def name(edge: int) -> str:
        i, j = divmod(int(keys[edge]), len(points))
        owners = np.flatnonzero(edge_of_side == edge) // 3
        where = "triangle" if len(owners) == 1 else "triangles"
        return (
            f"edge {i}-{j} from {_place(points[i])} to {_place(points[j])} "
            f"of {where} {', '.join(str(owner) for owner in owners)}"
        )

    problems = (
        (
            np.flatnonzero(uses == 1),
            ("edge belongs", "edges belong"),
            "to one triangle only, so the surface has a hole",
            "Close the hole with triangles, and merge vertices that lie at the same place.",
        ),
        (
            np.flatnonzero((uses == 2) & (forward != 1)),
            ("edge is", "edges are"),
            "used twice in the same direction, so one of its two triangles is turned round",
            "Swap two corners of the triangle whose neighbours all disagree with it.",
        ),
        (
            np.flatnonzero((uses > 2) & (forward != backward)),
            ("edge joins", "edges join"),
            "more than two triangles that cannot be paired",
            "Remove inner walls and loose sheets, or give each closed part its own vertices.",
        ),
    )
    for bad, verb, what, remedy in problems:
        if len(bad):
            raise InputError(
                element,
                f"{_count(bad, *verb)} {what}: {_list(bad, name)}",
                "edges used as often in one direction as in the other, normally by two triangles",
                remedy,
            )
    return edge_of_side


def _check_shells(element: str, points: FloatArray, faces: IndexArray, edge_of_side: NDArray[np.int64]) -> None:
    """Every inward shell must lie in an outward one: a part that was turned round would count as negative mass."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    # triangles and edges are the nodes of a graph; its components are the shells
    face_of_side = np.repeat(np.arange(len(faces)), 3)
    size = len(faces) + int(edge_of_side.max()) + 1
    links = coo_matrix((np.ones(len(face_of_side)), (face_of_side, len(faces) + edge_of_side)), shape=(size, size))
    count, label = connected_components(links, directed=False)
    if count == 1:
        return
    shell = label[: len(faces)]
    corners = (points - points.mean(axis=0))[faces]
    signed = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volume = np.bincount(shell, weights=signed, minlength=count) / 6.0
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, shell, points[faces].min(axis=1))
    np.maximum.at(high, shell, points[faces].max(axis=1))

    stray = []
    for s in np.flatnonzero(volume < 0.0):
        inner = shell == s
        place = points[faces[inner][0]].mean(axis=0)
        if winding_number(place, points[faces[~inner]]) < 0.5:  # 1 within matter, 0 outside
            stray.append(s)
    if stray:

        def name(s: int) -> str:
            mine = np.flatnonzero(shell == s)
            box = f"from {_place(low[s])} to {_place(high[s])}"
            return f"shell of {len(mine)} triangles {box}, with {_face(points, faces, mine[0])}"

        raise InputError(
            element,
            f"{_count(stray, 'shell is', 'shells are')} turned inside out and no cavity of another shell: "
            f"{_list(stray, name)}",
            "outward shells, and inward shells inside them as cavities",
            "Turn round all triangles of that part.",
        )


def winding_number(place: FloatArray, corners: FloatArray) -> float:
    """How often closed triangles (m, 3, 3) wind round a place: the sum of their solid angles over 4 pi.

        tan(angle / 2) = a . (b x c) / (|a||b||c| + a.b |c| + b.c |a| + c.a |b|)

    Source: van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983).
    """
    a, b, c = np.moveaxis(corners - place, 1, 0)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    dots = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a)))
    ab, bc, ca = dots
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    return float(np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi))


def _count(items: NDArray | list, one: str, many: str) -> str:
    return f"{len(items)} {one if len(items) == 1 else many}"


def _list(items: NDArray | list, name: Callable[[int], str]) -> str:
    """The first three offenders by name, and how many more there are."""
    text = "; ".join(name(int(item)) for item in items[:SHOWN])
    return text if len(items) <= SHOWN else f"{text}; and {len(items) - SHOWN} more"


def _place(point: FloatArray) -> str:
    return "(" + ", ".join(f"{float(x):.6g}" for x in point) + ")"


def _indices(row: NDArray) -> str:
    return "(" + ", ".join(str(int(i)) for i in row) + ")"


def _vertex(points: FloatArray, i: int) -> str:
    return f"vertex {i} at {_place(points[i])}"


def _face(points: FloatArray, faces: IndexArray, i: int) -> str:
    return f"triangle {i} {_indices(faces[i])} at " + ", ".join(_place(points[j]) for j in faces[i])
