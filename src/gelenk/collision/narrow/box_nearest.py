"""Closest points of two boxes that do not overlap, exact.

The closest points of two polyhedra are a corner of one and any point of the other, or inner points of two edges. So
the smallest of

    8 + 8 distances of a corner to the other box, by clamping its coordinates,
    9 distances of an edge of A to an edge of B: one pair of edges for each pair of directions, namely those that look
      at each other along their common normal,

is the distance. Each one is the distance of two points of the boxes, so none is too small. Where two edges are
closest, the distance is the gap along their common normal, and no other gap is wider: so edges are looked at only if
such a gap comes up to the widest one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.narrow.box import (
    clamp_to_box,
    edge_id,
    place_id,
    turn_back,
    turn_columns,
    turn_rows,
    turn_to,
)
from gelenk.collision.narrow.box_gap import PARALLEL
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

TOUCHING = 1e-10  # of the size: two points closer than this give no direction


class Nearest(NamedTuple):
    """Two points at the distance d along n, from A to B; p on A from its centre. All in axes of A."""

    d: float
    n: Vec3
    p: Vec3
    feature_a: int
    feature_b: int


class Edges(NamedTuple):
    """An edge of A and one of B that look at each other, in axes of A."""

    across: bool  # whether the closest points of both lines lie on the edges
    n: Vec3  # common normal from A to B
    p: Vec3  # closest point on the edge of A, from the centre of A
    q: Vec3  # on the edge of B, from the centre of A
    feature_a: int
    feature_b: int


@helper
def facing_edges(C, t, a, b, i, j):
    """The edges along axis i of A and axis j of B that look at each other along their common normal.

    With directions e and c, m = e x c and w the way from a point p of the first line to a point q of the second, the
    closest points are  p + x e  and  q + y c  with  x = (w x c) . m / m . m,   y = (w x e) . m / m . m.
    """
    D, s = turn_columns(turn_rows(C, i), j), turn_to(t, i)  # e is now the axis z of A, c the third column
    g, f = turn_to(a, i), turn_to(b, j)
    mx, my = -D.yz, D.xz
    size = math.sqrt(mx * mx + my * my)
    k = 1.0 / size if size > PARALLEL else 0.0
    if mx * s.x + my * s.y < 0.0:
        k = -k
    nx, ny = k * mx, k * my
    px, py = math.copysign(g.x, nx), math.copysign(g.y, ny)
    qx = -math.copysign(f.x, nx * D.xx + ny * D.yx)
    qy = -math.copysign(f.y, nx * D.xy + ny * D.yy)
    q = Vec3(s.x + qx * D.xx + qy * D.xy, s.y + qx * D.yx + qy * D.yy, s.z + qx * D.zx + qy * D.zy)
    w = Vec3(q.x - px, q.y - py, q.z)
    x = k * ((w.y * D.zz - w.z * D.yz) * nx + (w.z * D.xz - w.x * D.zz) * ny)
    y = k * (w.y * nx - w.x * ny)
    across = abs(x) <= g.z and abs(y) <= f.z and size > PARALLEL
    x, y = min(max(x, -g.z), g.z), min(max(y, -f.z), f.z)
    return Edges(
        across,
        turn_back(Vec3(nx, ny, 0.0), i),
        turn_back(Vec3(px, py, x), i),
        turn_back(Vec3(q.x + y * D.xz, q.y + y * D.yz, q.z + y * D.zz), i),
        edge_id(i, edge_corner(px, py, i)),
        edge_id(j, edge_corner(qx, qy, j)),
    )


@helper
def edge_corner(x, y, axis):
    """A corner of the edge along ``axis``, from its coordinates along the next two axes."""
    return (1 << (axis + 1) % 3 if x > 0.0 else 0) | (1 << (axis + 2) % 3 if y > 0.0 else 0)


@routine
def boxes_nearest(C, t, a, b, gap_n, total, edges):
    """Closest points of boxes apart. C: axes of B in those of A; t: its centre; gap_n: an axis that separates them.

    edges: whether the closest points may lie on two edges.
    """
    best, way, p = math.inf, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    feature_a, feature_b = 0, 0
    edge = Vec3(0.0, 0.0, 0.0)

    for k in range(8):  # corners of B
        x, y, z = b.x if k & 1 else -b.x, b.y if k & 2 else -b.y, b.z if k & 4 else -b.z
        v = t + C @ Vec3(x, y, z)
        foot = clamp_to_box(v, a)
        w = v - foot
        if w @ w < best:
            best, way, p = w @ w, w, foot
            feature_a, feature_b = place_id(v, a), k

    shift = C.tdot(t)
    for k in range(8):  # corners of A
        corner = Vec3(a.x if k & 1 else -a.x, a.y if k & 2 else -a.y, a.z if k & 4 else -a.z)
        v = C.tdot(corner) - shift
        w = clamp_to_box(v, b) - v
        if w @ w < best:
            best, way, p = w @ w, C @ w, corner
            feature_a, feature_b = k, place_id(v, b)

    for k in range(9 if edges else 0):
        pair = facing_edges(C, t, a, b, k // 3, k % 3)
        w = pair.q - pair.p
        if pair.across and w @ w < best:
            best, way, p, edge = w @ w, w, pair.p, pair.n
            feature_a, feature_b = pair.feature_a, pair.feature_b

    d = math.sqrt(best)
    if edge @ edge > 0.0:
        n = edge
    elif d > TOUCHING * total:
        n = way * (1.0 / d)
    else:
        n = gap_n
    return Nearest(d, n, p, feature_a, feature_b)
