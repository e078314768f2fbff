"""Contact region of two hulls (H-69 to H-71, I-091).

V-Clip gives the closest points and the normal n. On each hull the face beside the closest feature that looks most along
n is taken. Seen along n both are convex polygons; they overlap in one, and over each of its corners stand a point of
A and a point of B, a distance d apart along n. A and B have equal parts in this: swapped, they give the same points.

No corner is closer than the closest points. Where none is as close, as with a tip on an edge, these are a point too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.closest import across_unit
from gelenk.collision.manifold import put_point
from gelenk.collision.polyhedra import small_polyhedra
from gelenk.collision.solid import Hulls
from gelenk.collision.vclip import vclip
from gelenk.collision.vclip_features import EDGE, FACE, VERTEX, face_normal, feature, index_of, kind_of
from gelenk.compile import helper, routine, unit
from gelenk.math.vec3 import Vec3, get3

# what a pair gives
CORNERS = 0  # corners of the region, a well-spread few
CENTROID = 1  # one point in the middle of its area
SINGLE = 2  # the closest points alone, to compare with

EDGE_AGAIN = 3  # kind in the name of a point: the other place where the same edges meet
FACING = 0.1  # cosine between n and a face below which the face is seen too much from the side to be clipped
SAME = 1e-9  # share of the size of the region within which places are the same, and cosines
LEVEL = 1e-12  # share of it within which distances are the same
ROUND_OFF = 1e-12  # share of the coordinates within which places are the same


class ClipSpace(NamedTuple):
    """Room for two polygons, turn by turn read and written."""

    x: np.ndarray  # (2, k) corners in the plane across n, from the closest point [m]
    y: np.ndarray
    side: np.ndarray  # (2, k) side that begins at the corner: place k in the loops for A, -1 - k for B
    d: np.ndarray  # (k,) distance at the corner [m]
    spread: np.ndarray  # (k,) square of the way to the nearest point chosen; negative: not a candidate [m^2]
    vertex: np.ndarray  # (v,) uint32 vertices of a hull
    trace: np.ndarray  # (m, 2) uint32 for the walk of V-Clip; no rows: not kept
    small: Hulls  # boxes, triangles and segments as hulls (:mod:`polyhedra`)


def clip_space(hulls: Hulls) -> ClipSpace:
    """Room for the largest faces of a table, and for boxes: clipping adds at most one corner a side."""
    sizes = hulls.face["last"].astype(np.int64) - hulls.face["first"]
    vertices = hulls.hull["vertex_last"].astype(np.int64) - hulls.hull["vertex_first"]
    room = 2 * int(sizes.max(initial=4)) + 2
    return ClipSpace(
        np.zeros((2, room)),
        np.zeros((2, room)),
        np.zeros((2, room), np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(int(vertices.max(initial=0)) + 1, np.uint32),
        np.zeros((0, 2), np.uint32),
        small_polyhedra(),
    )


class Region(NamedTuple):
    """Two faces seen along n; world axes, from the closest point of A."""

    n: Vec3
    s: Vec3  # axes across n
    t: Vec3
    f: int  # faces
    g: int
    low: Vec3  # height along n of the point of A above the place (x, y):  low.x x + low.y y + low.z
    high: Vec3  # and of B


@helper
def plane_above(n, s, t, normal, point):
    """Height along n of a plane above the place (x, y) of the axes s, t: its factors of x, y and 1."""
    k = 1.0 / (n @ normal)
    return Vec3(-k * (s @ normal), -k * (t @ normal), k * (point @ normal))


@helper
def hull_hull(A, B, r, margin, hulls, memory, space, mode, most, out):
    """Contact points of two hulls of one table."""
    return polyhedra(A, B, r, margin, hulls, hulls, memory, space, mode, most, out)


@unit
def polyhedra(A, B, r, margin, one, two, memory, space, mode, most, out):
    """Contact points of two polyhedra, the number of them.

    Parameters
    ----------
    A, B, r, margin, out : as for every pair of solids
    one, two : Hulls
        The tables of A and of B.
    memory : MEMORY
        What the pair remembers of the last step, in and out; ``guess`` is n as long as nothing is within the margin.
    space : ClipSpace
    mode : CORNERS, CENTROID or SINGLE
    most : int
        Corners to keep, at most the length of ``out``.
    """
    closest = vclip(A, B, r, one, two, memory, space.trace)
    n, X, Y = closest.n, closest.X, closest.Y
    away = closest.d > margin
    keep = 1.0 if away else 0.0
    memory.guess[0], memory.guess[1], memory.guess[2] = keep * n.x, keep * n.y, keep * n.z
    if away:
        return 0
    if mode != SINGLE:
        f, g = facing_face(one, X, A.R.tdot(n)), facing_face(two, Y, B.R.tdot(-n))
        n_f, n_g = A.R @ face_normal(one, f), B.R @ face_normal(two, g)
        if n_f @ n > FACING and n_g @ n < -FACING:
            from_f = A.R @ get3(one.vertex, one.loop[one.face[f].first]) - closest.a
            from_g = B.R @ get3(two.vertex, two.loop[two.face[g].first]) + r - closest.a
            s = across_unit(n)
            t = n.cross(s)
            region = Region(n, s, t, f, g, plane_above(n, s, t, n_f, from_f), plane_above(n, s, t, n_g, from_g))
            row, count = overlap_polygon(A, B, r, one, two, region, closest.a, space)
            if mode == CENTROID and count > 2:
                x, y, size = centroid(space.x[row], space.y[row], count)
                low, high = heights(region, x, y)
                if size > 0.0 and high - low <= margin:
                    a = closest.a + region.s * x + region.t * y + n * low
                    put_point(out, 0, a, r, n, high - low, feature(FACE, f), feature(FACE, g))
                    return 1
            if mode == CORNERS:
                return spread_corners(one, two, region, closest, r, margin, space, row, count, most, out)
    put_point(out, 0, closest.a, r, n, closest.d, X, Y)
    return 1


@routine
def facing_face(hulls, X, m):
    """Among the faces around a feature the one that looks most along m; of equal ones the first in the table."""
    i = index_of(X)
    if kind_of(X) == FACE:
        return np.int64(i)
    best, most = np.int64(-1), -2.0
    for k in range(2 if kind_of(X) == EDGE else 1):
        v = np.int64(i)
        if kind_of(X) == EDGE:
            v = np.int64(hulls.edge[i].tail if k == 0 else hulls.edge[i].head)
        for j in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            edge = hulls.edge[hulls.fan[j]]
            f = np.int64(edge.left if edge.tail == v else edge.right)  # every face once
            c = face_normal(hulls, f) @ m
            if c > most + SAME or (c > most - SAME and f < best):
                best, most = f, c
    return best


@routine
def overlap_polygon(A, B, r, one, two, region, a, space):
    """What the two faces have in common seen along n: which of the two rows of ``space``, and how many corners.

    The face of A turns to the left, that of B, which looks the other way, to the right. Each side of it cuts off what
    lies on its left (I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Comm. ACM 17 (1974)).
    """
    face = one.face[region.f]
    row, count = 0, 0
    for k in range(np.int64(face.first), np.int64(face.last)):
        p = A.R @ get3(one.vertex, one.loop[k]) - a
        space.x[0, count], space.y[0, count], space.side[0, count] = p @ region.s, p @ region.t, k
        count += 1
    face = two.face[region.g]
    shift = r - a
    p = B.R @ get3(two.vertex, two.loop[np.int64(face.last) - 1]) + shift
    x, y, side = p @ region.s, p @ region.t, np.int64(face.last) - 1
    for following in range(np.int64(face.first), np.int64(face.last)):
        p = B.R @ get3(two.vertex, two.loop[following]) + shift
        x_next, y_next = p @ region.s, p @ region.t
        count = cut(space, row, count, x, y, x_next - x, y_next - y, -1 - side)
        row = 1 - row
        x, y, side = x_next, y_next, np.int64(following)
    return row, count


@routine
def cut(space, row, count, x, y, u, v, label):
    """Cut a polygon along the line through (x, y) along (u, v), keep what lies on its right; the number of corners."""
    px, py, side = space.x[row], space.y[row], space.side[row]
    qx, qy, q_side = space.x[1 - row], space.y[1 - row], space.side[1 - row]
    kept = 0
    s_next = v * (px[0] - x) - u * (py[0] - y)
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        s, s_next = s_next, v * (px[j] - x) - u * (py[j] - y)
        if s >= 0.0:
            qx[kept], qy[kept], q_side[kept] = px[i], py[i], side[i]
            kept += 1
        if (s > 0.0 and s_next < 0.0) or (s < 0.0 and s_next > 0.0):
            c = s / (s - s_next)
            qx[kept], qy[kept] = px[i] + c * (px[j] - px[i]), py[i] + c * (py[j] - py[i])
            q_side[kept] = label if s > 0.0 else side[i]
            kept += 1
        elif s == 0.0 and s_next < 0.0:
            q_side[kept - 1] = label
    return kept


@helper
def heights(region, x, y):
    """Of the points of A and B above the place (x, y), along n."""
    low, high = region.low, region.high
    return low.x * x + low.y * y + low.z, high.x * x + high.y * y + high.z


@helper
def centroid(px, py, count):
    """Middle of the area of a polygon (H-70), and the area:  x = sum (x_i + x_j) c / (3 sum c),  c = x_i y_j - x_j y_i.

    Coordinates are taken from the first corner.
    """
    area = x = y = 0.0
    for i in range(1, count - 1):
        ux, uy, wx, wy = px[i] - px[0], py[i] - py[0], px[i + 1] - px[0], py[i + 1] - py[0]
        c = ux * wy - wx * uy
        area += c
        x += (ux + wx) * c
        y += (uy + wy) * c
    k = 1.0 / (3.0 * area) if area > 0.0 else 0.0
    return px[0] + k * x, py[0] + k * y, 0.5 * area


@routine
def spread_corners(one, two, region, closest, r, margin, space, row, count, most, out):
    """The deepest point, then again and again the corner farthest from all that were chosen."""
    px, py, side = space.x[row], space.y[row], space.side[row]
    first, least, size = -1, closest.d, 0.0
    for i in range(count):
        size = max(size, abs(px[i] - px[0]) + abs(py[i] - py[0]))
    twin = max(SAME * size, ROUND_OFF * (closest.a.norm() + r.norm()))
    level = LEVEL * size
    for i in range(count):
        low, high = heights(region, px[i], py[i])
        space.d[i] = high - low
        space.spread[i] = np.inf if high - low <= margin else -1.0
        if high - low <= closest.d + level and (first < 0 or high - low < least - level):
            first, least = i, high - low
    chosen, alone = 0, first < 0
    if alone:  # no corner is as deep as the closest points
        put_point(out, 0, closest.a, r, region.n, closest.d, closest.X, closest.Y)
        chosen = 1
        mark_spread(space, px, py, count, 0.0, 0.0)
    while chosen < most:
        if chosen > 0:
            first, far = -1, twin * twin
            for i in range(count):
                if space.spread[i] > far:
                    first, far = i, space.spread[i]
        if first < 0:
            break
        low, high = heights(region, px[first], py[first])
        a = closest.a + region.s * px[first] + region.t * py[first] + region.n * low
        before = side[first - 1 if first > 0 else count - 1]
        X, Y = corner_features(one, two, region, before, side[first], count)
        if not alone or (X, Y) != (closest.X, closest.Y):  # rounding may part the closest points from their corner
            put_point(out, chosen, a, r, region.n, high - low, X, Y)
            chosen += 1
        mark_spread(space, px, py, count, px[first], py[first])
    return chosen


@helper
def mark_spread(space, px, py, count, x, y):
    """A point was chosen at (x, y)."""
    for i in range(count):
        if space.spread[i] >= 0.0:
            u, v = px[i] - x, py[i] - y
            space.spread[i] = min(space.spread[i], u * u + v * v)


@helper
def corner_features(one, two, region, before, after, count):
    """What meets in a corner between two sides: a vertex and a face, or an edge of each.

    Two edges that lie along each other meet twice and leave a polygon of two corners, which need two names.
    """
    if before >= 0 and after >= 0:
        return feature(VERTEX, one.loop[after]), feature(FACE, region.g)
    if before < 0 and after < 0:
        return feature(FACE, region.f), feature(VERTEX, two.loop[-1 - before])
    if before >= 0:
        return feature(EDGE, one.loop_edge[before]), feature(EDGE, two.loop_edge[-1 - after])
    own = feature(EDGE if count > 2 else EDGE_AGAIN, one.loop_edge[after])
    return own, feature(EDGE, two.loop_edge[-1 - before])
