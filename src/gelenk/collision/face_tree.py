"""Faces of a hull in a tree of alike normals, to find those that a point lies little below (H-64, H-67).

A node holds faces with normals n_f in a cone about m and planes  n_f . x = d_f  that pass near a point c:

    angle of n_f and m <= alpha,    d_f - n_f . c >= e

A point y lies  d_f - n_f . y  below a face. With v = y - c, at an angle theta to m, that is at least

    e - |v| cos(max(theta - alpha, 0)).

The nodes come in the order in which they are looked at, each with the number of the node to go on with if all below it
can be left out: no stack is needed.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.solid import NODE_RECORD
from gelenk.compile import helper
from gelenk.geometry.hull import ConvexHull

LEAF = 16  # faces up to which a node is not split: measured on hulls of 100 and 1000 vertices
WIDER = 1e-12  # by which the cosine is less, for rounding


def face_tree(hull: ConvexHull) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (NODE_RECORD) and the faces in their order, counted from the first of this hull."""
    ends = hull.face_first.astype(np.int64)
    first, sizes = ends[:-1], ends[1:] - ends[:-1]
    middles = np.add.reduceat(hull.vertices[hull.loop], first, axis=0) / sizes[:, None]
    order = np.arange(len(hull.normals))
    left, right = hull.edges[:, 2].astype(np.int64), hull.edges[:, 3].astype(np.int64)
    edge = hull.loop_edge.astype(np.int64)
    face = np.repeat(order, sizes)
    beyond = np.split(np.where(left[edge] == face, right[edge], left[edge]), first[1:])
    rows: list[tuple] = []
    _split(hull, middles, beyond, order, 0, rows)
    return np.array(rows, NODE_RECORD), order.astype(np.uint32)


def _axis(n: np.ndarray) -> np.ndarray:
    """Axis of a narrow cone around unit vectors."""
    axis = n.sum(axis=0) + 1e-9 * n[0]
    axis /= np.linalg.norm(axis)
    for share in (0.2, 0.1, 0.05, 0.02):  # towards the vector that is farthest out
        axis += share * n[np.argmin(n @ axis)]
        axis /= np.linalg.norm(axis)
    return axis


def _split(
    hull: ConvexHull,
    middles: np.ndarray,
    beyond: list[np.ndarray],
    order: np.ndarray,
    start: int,
    rows: list[tuple],
) -> None:
    """Add a node for the faces ``order``, which begin at ``start``, and its halves along the widest axis."""
    n, c = hull.normals[order], middles[order].mean(axis=0)
    m = _axis(n)
    cosines, least = [], []
    for faces in (order, np.concatenate([order, *(beyond[f] for f in order)])):
        cosines.append(max(float((hull.normals[faces] @ m).min()) - WIDER, -1.0))
        least.append(float((hull.offsets[faces] - hull.normals[faces] @ c).min()))
    sines = [math.sqrt(1.0 - cosine * cosine) for cosine in cosines]
    here, leaf = len(rows), len(order) <= LEAF
    rows.append(())
    if not leaf:
        half = len(order) // 2
        order[:] = order[np.argpartition(n[:, np.argmax(np.ptp(n, axis=0))], half)]
        _split(hull, middles, beyond, order[:half], start, rows)
        _split(hull, middles, beyond, order[half:], start + half, rows)
    rows[here] = (tuple(c), tuple(m), cosines, sines, least, start, start + len(order), len(rows), int(leaf))


@helper
def least_below(node, y, wide):
    """What y lies at least below every face of a node [m]; wide: 1 with all neighbours of these faces, else 0."""
    vx, vy, vz = y.x - node.c[0], y.y - node.c[1], y.z - node.c[2]
    square = vx * vx + vy * vy + vz * vz
    along = node.m[0] * vx + node.m[1] * vy + node.m[2] * vz
    cosine = node.cosine[wide]
    if along * abs(along) >= cosine * abs(cosine) * square:  # inside the cone
        return node.e[wide] - math.sqrt(square)
    return node.e[wide] - along * cosine - math.sqrt(max(square - along * along, 0.0)) * node.sine[wide]
