"""Boxes, triangles and line segments as hulls, so that V-Clip takes them too (V-24, H-63).

One table holds the three. How their features hang together never changes; before a pair is looked at, its own sizes are
written. A triangle has two faces back to back. A segment has none: its edge lies between two times a face without
normal, whose planes refuse nothing.

    box       vertices 0..7 by the signs of their coordinates, edges 0..11, four along each axis, faces 0..5
    triangle  vertices 8..10, edges 12..14 from each to the next, faces 6 in front, 7 behind
    segment   vertices 11, 12 at -h and h, edge 15
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.solid import EDGE_RECORD, FACE_RECORD, HULL_RECORD, NODE_RECORD, Hulls
from gelenk.collision.vclip_features import EDGE, FACE, index_of, kind_of
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3, put3

BOX_ROW, TRIANGLE_ROW, SEGMENT_ROW = 0, 1, 2
CORNER, SIDE, FRONT = 8, 12, 6  # first vertex, edge and face of the triangle
TAIL, AXIS, NO_FACE = 11, 15, 8  # of the segment


def small_polyhedra() -> Hulls:
    """The table, sizes not written yet."""
    loops = [*_box_loops(), [CORNER, CORNER + 1, CORNER + 2], [CORNER, CORNER + 2, CORNER + 1]]
    pairs = [(c, c | 1 << axis) for axis in range(3) for c in range(8) if not c & 1 << axis]
    pairs += [(CORNER + k, CORNER + (k + 1) % 3) for k in range(3)]
    left, number = {}, {}
    for f, loop in enumerate(loops):
        for v, w in zip(loop, loop[1:] + loop[:1]):
            left[v, w] = f
    for e, (v, w) in enumerate(pairs):
        number[v, w] = number[w, v] = e
    edges = [(v, w, left[v, w], left[w, v]) for v, w in pairs] + [(TAIL, TAIL + 1, NO_FACE, NO_FACE)]
    ends = np.cumsum([0, *(len(loop) for loop in loops), 0])
    faces = [(ends[f], ends[f + 1], (0.0, 0.0, 0.0), 0.0) for f in range(len(loops) + 1)]
    fans = [[(e, v + w - i) for e, (v, w, _, _) in enumerate(edges) if i in (v, w)] for i in range(TAIL + 2)]
    rows = [(0, 8, 0, 12, 0, 6), (8, 11, 12, 15, 6, 8), (11, 13, 15, 16, 8, 9)]
    # cones of all directions
    cone = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (-1.0, -1.0), (0.0, 0.0), (0.0, 0.0))
    table = Hulls(
        np.array(rows, HULL_RECORD).view(np.recarray),
        np.zeros((TAIL + 2, 3)),
        np.array(edges, EDGE_RECORD).view(np.recarray),
        np.array(faces, FACE_RECORD).view(np.recarray),
        np.array([v for loop in loops for v in loop], np.uint32),
        np.array([number[v, w] for loop in loops for v, w in zip(loop, loop[1:] + loop[:1])], np.uint32),
        np.cumsum([0, *map(len, fans)]).astype(np.uint32),
        np.array([e for fan in fans for e, _ in fan], np.uint32),
        np.array([v for fan in fans for _, v in fan], np.uint32),
        np.array([(*cone, 0, 6, 1, 1), (*cone, 6, 8, 2, 1)], NODE_RECORD).view(np.recarray),
        np.array([0, 1, 2, 2], np.uint32),
        np.arange(9, dtype=np.uint32),
    )
    for f in range(6):
        table.face[f].n[f // 2] = 1.0 if f % 2 else -1.0
    return table


def _box_loops() -> list[list[int]]:
    """Corners of the faces -x, x, -y, y, -z, z, counter-clockwise from outside."""
    loops = []
    for axis in range(3):
        i, j, top = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3, 1 << axis
        loop = [i | j, j, 0, i]
        loops += [loop[::-1], [c | top for c in loop]]
    return loops


@helper
def put_box(small, size):
    """Write the box of half edges ``size``."""
    for c in range(8):
        x = size.x if c & 1 else -size.x
        y = size.y if c & 2 else -size.y
        put3(small.vertex, c, Vec3(x, y, size.z if c & 4 else -size.z))
    small.face[0].d = small.face[1].d = size.x
    small.face[2].d = small.face[3].d = size.y
    small.face[4].d = small.face[5].d = size.z
    small.node[0].e[0] = small.node[0].e[1] = min(size.x, size.y, size.z)


@helper
def put_triangle(small, a, b, c, n):
    """Write the triangle a, b, c of unit normal n; its axes are those of the arguments."""
    put3(small.vertex, CORNER, a)
    put3(small.vertex, CORNER + 1, b)
    put3(small.vertex, CORNER + 2, c)
    d = n @ a
    for k in range(2):
        face, sign = small.face[FRONT + k], 1.0 - 2.0 * k
        face.n[0], face.n[1], face.n[2], face.d = sign * n.x, sign * n.y, sign * n.z, sign * d
    small.node[1].e[0] = small.node[1].e[1] = -abs(d)


@helper
def put_segment(small, h):
    """Write the segment from -h to h."""
    put3(small.vertex, TAIL, -h)
    put3(small.vertex, TAIL + 1, h)


@helper
def box_feature(X):
    """Number of a feature as in all pairs with boxes (:mod:`gelenk.collision.narrow.box`)."""
    i = index_of(X)
    if kind_of(X) == EDGE:
        axis, k = i >> 2, i & 3
        low = (1 << axis) - 1
        return 8 + 8 * axis + ((k & low) | (k & ~low) << 1)  # the corner without its bit of the axis is k
    return 32 + i if kind_of(X) == FACE else i


@helper
def triangle_feature(X):
    """Number of a feature as in all pairs with triangles: corners 0..2, sides 3..5 from them, 6 the face."""
    i = index_of(X)
    if kind_of(X) == EDGE:
        return 3 + i - SIDE
    return np.int64(6) if kind_of(X) == FACE else i - CORNER
