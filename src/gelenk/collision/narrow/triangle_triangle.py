"""Triangle against triangle (V-25, I-088).

Apart, the parts that were closest in the last step are asked first: any two points of them give an upper bound of the
distance, the gap along the way between them a lower one; where both meet, these are the closest points. Overlapping,
the faces of the difference tell (:mod:`gelenk.collision.triangle_depth`). In all other cases the routine for all convex
pairs is asked.

Parts are numbered as everywhere: corners 0 to 2, edges 3 to 5 from corner 0, 1, 2 to the next one, the face 6.
"""

from __future__ import annotations

from typing import NamedTuple

from gelenk.collision.closest import point_segment, segment_segment
from gelenk.collision.gjk import ROUND_OFF
from gelenk.collision.manifold import NONE
from gelenk.collision.narrow.triangle import corners
from gelenk.collision.near_way import Way
from gelenk.collision.pair_plugs import run_searched
from gelenk.collision.region import region
from gelenk.collision.triangle_depth import is_inside, picked, triangle_depth
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

FACE = 6
LEVEL = 1e-9  # of the sizes: corners whose heights differ by less belong to one part
CLOSE = 1e-9  # of the sizes: nearer than this the way between two points has no direction


@helper
def gap_along(A, B, r, n):
    """Gap of two triangles along n."""
    u, v = A.R.tdot(n), B.R.tdot(n)
    return n @ r + min(v.x, min(v.y, v.z)) - max(u.x, max(u.y, u.z))


@helper
def corner_at(R, k):
    """Corner k of a triangle."""
    return picked(k, Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz))


@helper
def half_edge(R, part):
    """Middle of an edge, and from there to its end."""
    start, end = corner_at(R, part - 3), corner_at(R, (part - 2) % 3)
    return (start + end) * 0.5, (end - start) * 0.5


class Closest(NamedTuple):
    """Two parts."""

    a: Vec3  # point of A, from its centre
    b: Vec3  # point of B, from the centre of A
    n: Vec3  # the direction at right angles to both, free of the rounding of the points; of any length, also zero


@routine
def point_part(p, B, part):
    """Point of an edge or of the face of B next to p, and the way to it; no way if p is beside the face."""
    if part < FACE:
        middle, h = half_edge(B.R, part)
        foot = middle + h * point_segment(p - middle, h)
        w = foot - p
        hh = h @ h
        return foot, w - h * ((w @ h) / hh) if hh > 0.0 else w
    a, b, c = corners(B)
    n = (b - a).cross(c - a)
    above = (p - a) @ n
    nn = n @ n
    foot = p - n * (above / nn) if nn > 0.0 else p
    if not is_inside(foot, a, b, c, n):
        return foot, n * 0.0
    return foot, -n if above > 0.0 else n


@routine
def closest_of(A, B, r, part_a, part_b):
    """The closest points of two parts, of which one at least is no face."""
    if part_a <= 2:
        a = corner_at(A.R, part_a)
        if part_b <= 2:
            b = corner_at(B.R, part_b) + r
            return Closest(a, b, b - a)
        b, n = point_part(a - r, B, part_b)
        return Closest(a, b + r, n)
    if part_b <= 2:
        b = corner_at(B.R, part_b) + r
        a, n = point_part(b, A, part_a)
        return Closest(a, b, -n)
    if part_a == FACE or part_b == FACE:
        return Closest(r, r, r * 0.0)
    middle, h = half_edge(A.R, part_a)
    other, g = half_edge(B.R, part_b)
    way = other + r - middle
    x, y = segment_segment(h, way, g)
    m = h.cross(g)
    return Closest(middle + h * x, other + r + g * y, m if m @ way > 0.0 else -m)


@routine
def parts_apart(A, B, r, part_a, part_b):
    """The way between two parts; sure if it is the shortest between the triangles."""
    near = closest_of(A, B, r, part_a, part_b)
    d, size = (near.b - near.a).norm(), near.n.norm()
    scale = r.norm() + near.a.norm() + d
    if d <= CLOSE * scale or size == 0.0:
        return Way(d, near.n, near.a, False, 0.0)
    n = near.n * (1.0 / size)
    return Way(d, n, near.a, d - gap_along(A, B, r, n) <= ROUND_OFF * scale, 0.0)


@helper
def part_of(x, y, z, slack):
    """The part of a triangle whose corners have the largest heights x, y, z."""
    least = max(x, max(y, z)) - slack
    if x >= least:
        if y >= least:
            return FACE if z >= least else 3
        return 5 if z >= least else 0
    if y >= least:
        return 4 if z >= least else 1
    return 2


@routine
def remember(A, B, r, point, memory):
    """Which parts are closest, of triangles with a contact point."""
    n = Vec3(point.n[0], point.n[1], point.n[2])
    u, v = A.R.tdot(n), B.R.tdot(n)
    slack = LEVEL * (r.norm() + abs(u.x) + abs(u.y) + abs(u.z) + abs(v.x) + abs(v.y) + abs(v.z))
    memory.features[0] = part_of(u.x, u.y, u.z, slack)
    memory.features[1] = part_of(-v.x, -v.y, -v.z, slack)


@routine
def triangle_triangle(A, B, r, margin, tables, memory, work, out):
    """Points of two triangles: the whole region in which they face each other; the first is the deepest."""
    guess = Vec3(memory.guess[0], memory.guess[1], memory.guess[2])
    way = Way(0.0, guess, guess, False, 0.0)
    if guess @ guess > 0.0:
        gap = gap_along(A, B, r, guess)
        if gap > margin:
            return 0
        if gap <= 0.0:
            way = triangle_depth(A, B, r)
        elif memory.features[0] != NONE:
            way = parts_apart(A, B, r, memory.features[0], memory.features[1])
    if not way.sure:
        count = run_searched(tables.rows[A.kind, B.kind].behind, A, B, r, margin, tables, memory, work, out)
        if count > 0:
            remember(A, B, r, out[0], memory)
        return count
    memory.guess[0], memory.guess[1], memory.guess[2] = way.n.x, way.n.y, way.n.z
    if way.d > margin:
        return 0
    return region(A, B, r, margin, way.d, way.n, way.a, tables.hulls, work.convex.near, work.region, out)
