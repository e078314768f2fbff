"""Balls that hold a closed mesh, in the cells of an octree (V-22).

The cube around the mesh is halved ``levels`` times. Each cell of the last level that holds some of the body gets a ball
around what it holds, and so does each cell of the levels above. So the balls of any level hold the body, and no point
of a ball is farther from the body than the diagonal of a cell of its level.

What a cell holds of the body is held by the hull of two sets of points: corners of the triangles cut by the cell, and
corners of the cell that lie inside the body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, kernel
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_check import IndexArray

# The cube is larger than the mesh and set off by odd shares of its edge, so that planes between cells do not fall on
# flat faces, as they would with round numbers.
LARGER, OFF = 1.0 + 1.0e-3 * 2.0**0.5, (1.7e-4 * 3.0**0.5, 1.3e-4 * 5.0**0.5, 1.1e-4 * 7.0**0.5)
MOST_CORNERS = 16  # a triangle cut by six planes has nine


class BallTree(NamedTuple):
    """Nodes level by level from the root; the children of a node follow each other."""

    ball: FloatArray  # (n, 4) centre and radius of the ball around what the cell holds, axes of the mesh [m]
    reach: FloatArray  # (n,) radius about the same centre that holds the balls of all nodes below as well [m]
    first: IndexArray  # (n,) first child
    last: IndexArray  # (n,) after the last child; as ``first`` where there is none
    level_first: IndexArray  # (levels + 2,) where each level begins
    cell: float  # edge of a cell of the last level [m]


def ball_tree(mesh: TriangleMesh, levels: int) -> BallTree:
    """Build the tree; with compiled kernels some 0.1 s for 5 levels, 3 s for 7."""
    points, faces = mesh.vertices, mesh.faces
    low, high = points.min(axis=0), points.max(axis=0)
    edge = float((high - low).max()) * LARGER
    start = 0.5 * (low + high) - edge * (0.5 + np.array(OFF))
    count = 1 << levels
    winding = np.zeros((count + 1, count + 1, count + 1), np.int8)
    count_crossings(points, faces, np.array([*start, edge / count]), winding)
    inside = winding > 0

    balls: list[FloatArray] = []
    reaches: list[FloatArray] = []
    codes: list[np.ndarray] = []
    for level in range(levels, -1, -1):
        grid = np.array([*start, edge / (1 << level)])
        code, ball = _level(points, faces, grid, inside, level)
        reach = ball[:, 3].copy()
        if balls:
            parent = np.searchsorted(code, codes[-1] >> 3)
            away = np.linalg.norm(balls[-1][:, :3] - ball[parent, :3], axis=1)
            np.maximum.at(reach, parent, away + reaches[-1])
        balls.append(ball)
        reaches.append(reach)
        codes.append(code)
        inside = inside[::2, ::2, ::2]
    return _joined(balls[::-1], reaches[::-1], codes[::-1], edge / count)


def _level(
    points: FloatArray, faces: IndexArray, grid: FloatArray, inside: np.ndarray, level: int
) -> tuple[np.ndarray, FloatArray]:
    """Cells of one level that hold something, by their number along the curve of Morton, and their balls.

    A ball is about the middle of the box around what its cell holds, through the farthest of these points.
    """
    count, scratch = 1 << level, np.zeros((2, MOST_CORNERS, 3))
    either = (slice(None, -1), slice(1, None))
    corners = np.stack([inside[either[i & 1], either[i >> 1 & 1], either[i >> 2]] for i in range(8)], axis=-1)
    touched = np.zeros((count, count, count), np.int32)
    cut_cells(points, faces, grid, 0, touched, np.zeros((1, 7)), scratch)
    cells = np.argwhere((touched > 0) | corners.any(axis=-1))
    code = np.zeros(len(cells), dtype=np.int64)
    for bit in range(level):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    order = np.argsort(code)
    cells, code = cells[order], code[order]

    which = tuple(cells.T)
    touched[which] = np.arange(1, len(cells) + 1)
    held = corners[which]
    places = grid[:3] + grid[3] * (cells[:, None] + np.array([(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]))
    box = np.empty((len(cells) + 1, 7))
    box[1:, :3] = np.where(held[:, :, None], places, np.inf).min(axis=1)
    box[1:, 3:6] = np.where(held[:, :, None], places, -np.inf).max(axis=1)
    cut_cells(points, faces, grid, 1, touched, box, scratch)
    middle = 0.5 * (box[1:, :3] + box[1:, 3:6])
    away = ((places - middle[:, None]) ** 2).sum(axis=2)
    box[1:, :3], box[1:, 6] = middle, np.where(held, away, 0.0).max(axis=1)
    cut_cells(points, faces, grid, 2, touched, box, scratch)
    return code, np.column_stack((middle, np.sqrt(box[1:, 6])))


def _joined(balls: list[FloatArray], reaches: list[FloatArray], codes: list[np.ndarray], cell: float) -> BallTree:
    """All levels in one table; children have the codes 8 c to 8 c + 7."""
    begin = np.cumsum([0, *map(len, balls)])
    first, last = [], []
    for k, code in enumerate(codes):
        below = codes[k + 1] if k + 1 < len(codes) else np.zeros(0, np.int64)
        first.append(begin[k + 1] + np.searchsorted(below, 8 * code))
        last.append(begin[k + 1] + np.searchsorted(below, 8 * code + 8))
    children, after, levels = (a.astype(np.uint32) for a in (np.concatenate(first), np.concatenate(last), begin))
    return BallTree(np.concatenate(balls), np.concatenate(reaches), children, after, levels, cell)


@helper
def is_left(points, a, b, x, y):
    """Whether (x, y) lies left of the line from a to b, seen along z; never on the same side of a line and its reverse.

    The line is always taken from the lower number to the higher one, so both triangles at a side agree to the last bit.
    """
    p, q = min(a, b), max(a, b)
    px, py = points[p, 0], points[p, 1]
    left = (points[q, 0] - px) * (y - py) - (points[q, 1] - py) * (x - px) > 0.0
    return left if a < b else not left


@kernel
def count_crossings(points, faces, grid, winding_out):
    """Winding number of the corners of all cells: over the triangles above each, +1 where it faces up, -1 down."""
    size, h = winding_out.shape[0], grid[3]
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
        ux, uy, uz = points[b, 0] - ax, points[b, 1] - ay, points[b, 2] - az
        vx, vy, vz = points[c, 0] - ax, points[c, 1] - ay, points[c, 2] - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        i_low = int((min(ax, ax + ux, ax + vx) - grid[0]) / h)
        i_high = min(int((max(ax, ax + ux, ax + vx) - grid[0]) / h) + 2, size)
        j_low = int((min(ay, ay + uy, ay + vy) - grid[1]) / h)
        j_high = min(int((max(ay, ay + uy, ay + vy) - grid[1]) / h) + 2, size)
        for i in range(max(i_low, 0), i_high):
            for j in range(max(j_low, 0), j_high):
                x, y = grid[0] + h * i, grid[1] + h * j
                left = is_left(points, a, b, x, y)
                if left != is_left(points, b, c, x, y) or left != is_left(points, c, a, x, y):
                    continue
                z = az - (nx * (x - ax) + ny * (y - ay)) / nz if nz != 0.0 else az
                for k in range(size):
                    if grid[2] + h * k < z:
                        winding_out[i, j, k] += 1 if left else -1


@helper
def clip(polygon, source, count, axis, side, limit):
    """Cut a convex polygon: what has side (x_axis - limit) <= 0 goes to the other half of the scratch.

    Source: I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, CACM 17 (1974).
    """
    kept = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        d, e = side * (polygon[source, i, axis] - limit), side * (polygon[source, j, axis] - limit)
        if d <= 0.0:
            for k in range(3):
                polygon[1 - source, kept, k] = polygon[source, i, k]
            kept += 1
        if (d < 0.0 and e > 0.0) or (d > 0.0 and e < 0.0):
            t = d / (d - e)
            for k in range(3):
                p, q = polygon[source, i, k], polygon[source, j, k]
                polygon[1 - source, kept, k] = p + (q - p) * t
            polygon[1 - source, kept, axis] = limit
            kept += 1
    return kept


@kernel
def cut_cells(points, faces, grid, task, touched, box, polygon):
    """Cut every triangle by every cell near it.

    Task 0 marks cells that hold some of it; 1 widens the box (low, high) of cell number ``touched`` by the corners;
    2 widens the squared radius box[6] about the middle box[:3].
    """
    size, h = touched.shape[0], grid[3]
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        i_low = int((min(points[a, 0], points[b, 0], points[c, 0]) - grid[0]) / h)
        i_high = min(int((max(points[a, 0], points[b, 0], points[c, 0]) - grid[0]) / h) + 1, size)
        j_low = int((min(points[a, 1], points[b, 1], points[c, 1]) - grid[1]) / h)
        j_high = min(int((max(points[a, 1], points[b, 1], points[c, 1]) - grid[1]) / h) + 1, size)
        k_low = int((min(points[a, 2], points[b, 2], points[c, 2]) - grid[2]) / h)
        k_high = min(int((max(points[a, 2], points[b, 2], points[c, 2]) - grid[2]) / h) + 1, size)
        for i in range(i_low, i_high):
            for j in range(j_low, j_high):
                for k in range(k_low, k_high):
                    if task == 0 and touched[i, j, k] > 0:
                        continue
                    for x in range(3):
                        polygon[0, 0, x], polygon[0, 1, x], polygon[0, 2, x] = points[a, x], points[b, x], points[c, x]
                    count = 3
                    for axis in range(3):
                        at = grid[axis] + h * (i if axis == 0 else (j if axis == 1 else k))
                        count = clip(polygon, 0, count, axis, -1.0, at)
                        count = clip(polygon, 1, count, axis, 1.0, at + h)
                    if count == 0:
                        continue
                    cell = touched[i, j, k]
                    if task == 0:
                        touched[i, j, k] = 1
                    elif task == 1:
                        for p in range(count):
                            for x in range(3):
                                box[cell, x] = min(box[cell, x], polygon[0, p, x])
                                box[cell, 3 + x] = max(box[cell, 3 + x], polygon[0, p, x])
                    else:
                        for p in range(count):
                            away = 0.0
                            for x in range(3):
                                away += (polygon[0, p, x] - box[cell, x]) ** 2
                            box[cell, 6] = max(box[cell, 6], away)
