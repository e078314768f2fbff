"""Whether a surface cuts through itself: pairs of triangles that cross, found by a tree of boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
Level = tuple[FloatArray, FloatArray, FloatArray]  # lowest and highest corner of each box, the one normal in it or NaN

# A point lies beside a plane if its determinant exceeds this share of the sum of its absolute terms: sixty times the
# bound on its rounding, 7 eps (J. R. Shewchuk, Adaptive precision floating-point arithmetic, 1997).
CERTAIN = 1e-13
# Two triangles cross if they share this much of the shorter of their two segments on the line of their planes. Where a
# surface cuts through itself, the segments of both sides follow each other along the cut, so that some pair shares half
# of its shorter one or more; where it only touches itself, they share a point.
SHARED = 0.05
# Triangles whose unit normals agree this far, up to their sign, do not cross: large fans need not be looked at.
PARALLEL = 1e-9
CHUNK = 1 << 17  # pairs at a time
SHOWN = 3


def check_no_crossing(element: str, vertices: FloatArray, faces: NDArray[np.integer]) -> None:
    """Refuse a closed mesh that cuts through itself: what it encloses twice would weigh twice, and inside is unclear.

    Parts that touch in points, along lines or with whole faces are fine.

    Parameters
    ----------
    element : str
        Kind and name for the message.
    vertices : (n, 3) [m]
    faces : (m, 3)
        As :func:`gelenk.geometry.mesh_check.check_mesh` returns them.
    """
    pairs = crossing_pairs(vertices, faces)
    if len(pairs):
        shown = "; ".join(_name(vertices, faces, s, t) for s, t in pairs[:SHOWN].tolist())
        more = f"; and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
        raise InputError(
            element,
            f"the surface cuts through itself in {len(pairs)} pair{'s' * (len(pairs) > 1)} of triangles: {shown}{more}",
            "a closed surface that does not cross itself",
            "Unite parts that overlap in the program that made the mesh, or make each a shape of its own; "
            "to draw it only, use gk.Part(mesh, collide=False, weighs=False).",
        )


def crossing_pairs(vertices: FloatArray, faces: NDArray[np.integer]) -> NDArray[np.int64]:
    """Pairs of triangles (k, 2) that cross, each with the smaller number first, in rising order."""
    faces = faces.astype(np.int64)
    corners = vertices[faces]
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals, sums = np.cross(u, v), _cross_of_sizes(np.abs(u), np.abs(v))
    order, levels = _box_tree(corners, normals)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for i, j in _close_leaves(levels):
        s, t = np.minimum(order[i], order[j]), np.maximum(order[i], order[j])
        shared = (faces[s][:, :, None] == faces[t][:, None, :]).sum(axis=(1, 2))
        s, t = s[shared < 2], t[shared < 2]
        for _ in range(2):  # each must reach through the plane of the other
            through = _reaches_through(corners, normals, sums, s, t)
            s, t = t[through], s[through]
        crossing = _share_a_segment(corners, normals, s, t)
        found.append(np.column_stack((s[crossing], t[crossing])))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _cross_of_sizes(u: FloatArray, v: FloatArray) -> FloatArray:
    """Cross product with all terms added."""
    return u[:, [1, 2, 0]] * v[:, [2, 0, 1]] + u[:, [2, 0, 1]] * v[:, [1, 2, 0]]


def _box_tree(corners: FloatArray, normals: FloatArray) -> tuple[NDArray[np.int64], list[Level]]:
    """Triangles in the order of a space-filling curve, and boxes over 1, 2, 4, ... ranges of it, the leaves last.

    Source: G. M. Morton, A computer oriented geodetic data base and a new technique in file sequencing, IBM (1966).
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = low + high
    start, extent = middle.min(axis=0), float(np.ptp(middle, axis=0).max())
    cell = np.minimum((middle - start) * (1024.0 / (extent or 1.0)), 1023.0).astype(np.uint64)
    code = np.zeros(len(cell), dtype=np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cell[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    order = np.argsort(code, kind="stable")

    unit = normals / np.linalg.norm(normals, axis=1)[:, None]
    size = 1 << max(0, len(order) - 1).bit_length()
    lowest, highest, n = (np.full((size, 3), start) for start in (np.inf, -np.inf, np.nan))
    lowest[: len(order)], highest[: len(order)], n[: len(order)] = low[order], high[order], unit[order]
    levels = [(lowest, highest, n)]
    while len(levels[-1][0]) > 1:
        lowest, highest, n = levels[-1]
        joined = np.where(_parallel(n[0::2], n[1::2])[:, None], n[0::2], np.nan)
        levels.append((lowest.reshape(-1, 2, 3).min(axis=1), highest.reshape(-1, 2, 3).max(axis=1), joined))
    return order, levels[::-1]


def _parallel(a: FloatArray, b: FloatArray) -> NDArray:
    parallel: NDArray = np.minimum(np.abs(a - b).max(axis=1), np.abs(a + b).max(axis=1)) <= PARALLEL
    return parallel


def _close_leaves(levels: list[Level]) -> Iterator[Pairs]:
    """Pairs of different leaves whose boxes meet and that are not all parallel, some at a time."""
    root = np.zeros(1, dtype=np.int64)
    waiting: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = [(0, root, root)]
    while waiting:
        level, i, j = waiting.pop()
        if len(i) > CHUNK:
            half = len(i) // 2
            waiting += [(level, i[half:], j[half:]), (level, i[:half], j[:half])]
            continue
        if level == len(levels) - 1:
            yield i, j
            continue
        # children of both; of a node with itself, one of the two mixed pairs
        i, j = ((2 * k[:, None] + np.array(c)).ravel() for k, c in ((i, (0, 0, 1, 1)), (j, (0, 1, 0, 1))))
        i, j = i[i <= j], j[i <= j]
        low, high, n = levels[level + 1]
        meet = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1) & ~_parallel(n[i], n[j])
        waiting.append((level + 1, i[meet], j[meet]))


def _reaches_through(corners: FloatArray, normals: FloatArray, sums: FloatArray, s: NDArray, t: NDArray) -> NDArray:
    """Whether corners of t lie on both sides of the plane of s, beyond rounding."""
    w = corners[t] - corners[s][:, :1]
    d = np.einsum("ik,ijk->ij", normals[s], w)
    rounding = CERTAIN * np.einsum("ik,ijk->ij", sums[s], np.abs(w))
    through: NDArray = (d > rounding).any(axis=1) & (d < -rounding).any(axis=1)
    return through


def _share_a_segment(corners: FloatArray, normals: FloatArray, s: NDArray, t: NDArray) -> NDArray:
    """Whether the segments of both triangles on the line of their planes overlap.

    Source: T. Moeller, A fast triangle-triangle intersection test, J. Graphics Tools 2 (1997).
    """
    line = np.cross(normals[s], normals[t])
    line /= np.maximum(np.linalg.norm(line, axis=1), np.finfo(np.float64).tiny)[:, None]
    start = corners[s][:, :1]
    ends = []
    for of, other in ((s, t), (t, s)):
        d = np.einsum("ik,ijk->ij", normals[other], corners[of] - corners[other][:, :1])
        x = np.einsum("ik,ijk->ij", line, corners[of] - start)
        above = d > 0.0
        lonely = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))[:, None]
        d_k, x_k = (np.take_along_axis(a, lonely, axis=1) for a in (d, x))
        d_j, x_j = (np.take_along_axis(a, (lonely + np.array([1, 2])) % 3, axis=1) for a in (d, x))
        ends.append(np.sort(x_k + (x_j - x_k) * (d_k / (d_k - d_j)), axis=1))
    overlap = np.minimum(ends[0][:, 1], ends[1][:, 1]) - np.maximum(ends[0][:, 0], ends[1][:, 0])
    shared: NDArray = overlap > SHARED * np.minimum(np.diff(ends[0])[:, 0], np.diff(ends[1])[:, 0])
    return shared


def _name(vertices: FloatArray, faces: NDArray, s: int, t: int) -> str:
    place = ", ".join(f"{x:.6g}" for x in vertices[faces[s]].mean(axis=0).tolist())
    rows = (f"triangle {k} ({', '.join(map(str, faces[k].tolist()))})" for k in (s, t))
    return f"{' and '.join(rows)} near ({place})"
