"""What a pair remembers of the ways out far from the shortest one (V-25, I-088).

Pushed together by s along the way out m, two cores overlap along any direction n by  h(n) + s (n . m).  If the least of
these is found to be D, then

    h(n) >= D - s (n . m)     for all unit vectors n

which is h(m) for n = m and more and more for directions farther from m: a ball of radius D inside K = B - A, its centre
s behind the origin. When no point of B has moved by more than e relative to A, still  h(n) >= D - e - s (n . m).  So
what was found once tells for some steps which directions need not be looked at (:mod:`gelenk.collision.near_proof`).
"""

from __future__ import annotations

import math

from gelenk.collision.epa import FLAT, MOST_TRIES, grow, nearest_face, put_tetrahedron, spread
from gelenk.collision.gjk import difference_point
from gelenk.collision.near_proof import TANGENTS, Far, nothing_far
from gelenk.collision.near_way import near_way
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

PUSH = 0.3  # tried first, of the width of K along the way out
LEAST = 0.003  # of this: a push worth nothing
SPARE = 0.8  # of the largest push that another way out allows: taken
SHARE = 0.5  # of what the near part leaves free: kept for motion, the rest being for the polytope
MOST_POINTS = 48
SPECTRAL = math.sqrt(0.5)  # largest change of a unit vector, of the root of the sum of squares of a change of rotation

# where what lies in ``memory.far``
KEY, PUSHED, DEPTH, REACH, PLACE, TURN, SIZES = 0, 1, 4, 5, 6, 9, 18


@helper
def key(A, B):
    """A number for the kinds and tables of two solids, above zero."""
    return 1.0 + A.kind + 16.0 * B.kind + 256.0 * A.table + 4294967296.0 * B.table


@helper
def is_round(solid):
    """Whether a solid looks the same however it turns about its axis z."""
    return solid.kind == CYLINDER or solid.kind == CONE or solid.kind == CAPSULE


@routine
def reach_of(solid, hulls):
    """Radius of a ball about the centre that holds the core; of a triangle 1: its corners are in place of axes."""
    s = solid.size
    if solid.kind == BOX:
        return s.norm()
    if solid.kind == CYLINDER:
        return math.sqrt(s.x * s.x + s.z * s.z)
    if solid.kind == CONE:
        return max(s.x, s.z)
    if solid.kind == CAPSULE:
        return s.z
    if solid.kind == ELLIPSOID:
        return max(s.x, max(s.y, s.z))
    if solid.kind == HULL:
        hull = hulls.hull[solid.table]
        far2 = 0.0
        for v in range(hull.vertex_first, hull.vertex_last):
            p = get3(hulls.vertex, v)
            far2 = max(far2, p @ p)
        return math.sqrt(far2)
    return 1.0 if solid.kind == TRIANGLE else 0.0


@helper
def turned_by(B, R, memory):
    """How far a unit vector of B has turned in the axes of A; of a triangle, how far its corners have moved."""
    f = memory.far
    x, y, z = R.xx - f[TURN], R.yx - f[TURN + 1], R.zx - f[TURN + 2]
    one = x * x + y * y + z * z
    x, y, z = R.xy - f[TURN + 3], R.yy - f[TURN + 4], R.zy - f[TURN + 5]
    two = x * x + y * y + z * z
    x, y, z = R.xz - f[TURN + 6], R.yz - f[TURN + 7], R.zz - f[TURN + 8]
    three = x * x + y * y + z * z
    if is_round(B):
        return math.sqrt(three)
    if B.kind == TRIANGLE:
        return math.sqrt(max(one, max(two, three)))
    return SPECTRAL * math.sqrt(one + two + three)


@helper
def same_sizes(A, B, memory):
    """Whether the solids are of the sizes they had."""
    f, a, b = memory.far, A.size, B.size
    return (
        f[SIZES] == a.x
        and f[SIZES + 1] == a.y
        and f[SIZES + 2] == a.z
        and f[SIZES + 3] == b.x
        and f[SIZES + 4] == b.y
        and f[SIZES + 5] == b.z
    )


@routine
def recall(A, B, r, memory):
    """What is still known of the far ways out."""
    f = memory.far
    if f[KEY] != key(A, B) or not same_sizes(A, B, memory):
        return nothing_far()
    r_A = A.R.tdot(r)
    x, y, z = r_A.x - f[PLACE], r_A.y - f[PLACE + 1], r_A.z - f[PLACE + 2]
    turned = f[REACH] * turned_by(B, A.R.transposed().times(B.R), memory)
    push = A.R @ Vec3(f[PUSHED] + x, f[PUSHED + 1] + y, f[PUSHED + 2] + z)
    size = push.norm()
    return Far(push * (1.0 / size), f[DEPTH] - turned, size)


@routine
def push_back(work, points, faces, way):
    """Move the polytope."""
    for i in range(points):
        put3(work.w, i, get3(work.w, i) + way)
    for f in range(faces):
        work.offset[f] += get3(work.normal, f) @ way


@routine
def ball_behind(A, B, r, n, depth, good, hulls, work):
    """Push, the least overlap of the cores pushed together by it along n, and n; no push if there is none worth it.

    A polytope is grown as in :mod:`gelenk.collision.epa` until its nearest face is far enough. Where another way out is
    too short, the push is made smaller: with m this way, of overlap h, it may be  (h - depth) / (good - m . n).  Where
    one is met that is shorter than ``depth``, it is returned instead of n.
    """
    w, a = difference_point(A, B, r, hulls, work.near, -n)
    push = PUSH * (n @ w + depth)
    least = LEAST * push
    scale = r.norm() + a.norm() + w.norm()
    r = r - n * push
    span, _ = spread(A, B, r, n, hulls, work, scale)
    if span < 4:
        return 0.0, 0.0, n
    put_tetrahedron(work)
    points, faces = 4, 4
    centre = (get3(work.w, 0) + get3(work.w, 1) + get3(work.w, 2) + get3(work.w, 3)) * 0.25
    most = min(work.w.shape[0], MOST_POINTS)
    while points < most:
        f = nearest_face(work, faces)
        m = get3(work.normal, f)
        if work.offset[f] >= depth + good * push:
            return push, work.offset[f], n
        w, a = difference_point(A, B, r, hulls, work.near, -m)
        h, along = m @ w, -(m @ n)
        if h < depth + good * push:
            own = h - push * along
            if own < depth:
                return 0.0, 0.0, -m
            smaller = SPARE * (own - depth) / (good - along) if along < good else 0.0
            if smaller < least:
                break
            back = n * (push - smaller)
            push_back(work, points, faces, back)
            r, centre, w, push = r + back, centre + back, w + back, smaller
        put3(work.w, points, w)
        faces = grow(work, faces, points, centre, FLAT * scale)
        points += 1
        if faces < 0:
            break
    return 0.0, 0.0, n


@routine
def remember(A, B, r, n, push, depth, hulls, memory):
    """Keep what was found."""
    f = memory.far
    m, r_A, R = A.R.tdot(n) * push, A.R.tdot(r), A.R.transposed().times(B.R)
    f[KEY], f[DEPTH], f[REACH] = key(A, B), depth, reach_of(B, hulls)
    f[PUSHED], f[PUSHED + 1], f[PUSHED + 2] = m.x, m.y, m.z
    f[PLACE], f[PLACE + 1], f[PLACE + 2] = r_A.x, r_A.y, r_A.z
    f[TURN], f[TURN + 1], f[TURN + 2] = R.xx, R.yx, R.zx
    f[TURN + 3], f[TURN + 4], f[TURN + 5] = R.xy, R.yy, R.zy
    f[TURN + 6], f[TURN + 7], f[TURN + 8] = R.xz, R.yz, R.zz
    f[SIZES], f[SIZES + 1], f[SIZES + 2] = A.size.x, A.size.y, A.size.z
    f[SIZES + 3], f[SIZES + 4], f[SIZES + 5] = B.size.x, B.size.y, B.size.z


@routine
def known_way(A, B, r, n, limit, hulls, memory, work):
    """The way near to the unit vector n, or to a shorter way out met; sure if proven, by what is remembered or anew."""
    far = recall(A, B, r, memory) if memory.far[KEY] != 0.0 else nothing_far()
    way = near_way(A, B, r, n, limit, far, hulls, work)
    for _ in range(MOST_TRIES):
        if way.sure or way.tangent == 0.0 or A.kind == TRIANGLE or A.kind == SPHERE:
            break
        tangent = min(way.tangent, TANGENTS[0])
        good = SHARE + (1.0 - SHARE) / math.sqrt(1.0 + tangent * tangent)
        push, depth, n = ball_behind(A, B, r, way.n, -way.d, good, hulls, work)
        if push > 0.0:
            remember(A, B, r, way.n, push, depth, hulls, memory)
        elif n.x == way.n.x and n.y == way.n.y and n.z == way.n.z:
            break
        way = near_way(A, B, r, n, limit, recall(A, B, r, memory), hulls, work)
    return way
