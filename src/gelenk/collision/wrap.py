"""A ball wrapped in points of the difference: a proof of depth wherever the way out is nearly known (V-25).

The depth of two overlapping cores is not less than rho if the ball of radius rho about the origin lies in K = B - A. So
it does if it lies in a closed surface of triangles with corners in K. The surface need not be convex: enough is that
every face p, q, s, seen from outside counter-clockwise, has

    p . (q x s) >= rho |(q - p) x (s - p)|

since then the faces all turn the same way around the origin, and none comes nearer to it than rho.

The first triangle lies across the way out, with corners farthest along directions tilted from it by little: around a
smooth place with radius of curvature R by  sqrt(2 t / R),  so that its plane lies t lower, which is what is allowed; at
a face or at lines that cross, its corners are those of the face of K. Then ring after ring is laid around it. Through
an edge of its border goes one plane that touches the ball farther out. The point of K farthest along its normal lies
above it, or else this is a shorter way out; so the triangle from the edge to it keeps off the ball. From ring to ring
the radius grows by a factor of about R / rho, so that shallow overlaps are wrapped in two or three.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import across_unit
from gelenk.collision.gjk import ROUND_OFF, difference_point
from gelenk.collision.near_way import Way
from gelenk.collision.newton import bend
from gelenk.collision.solid import CONE, CYLINDER, ELLIPSOID
from gelenk.compile import helper, routine, unit
from gelenk.math.vec3 import get3, put3

# bounds this close, parts of the depth and of the sizes, are good enough on curved solids: of several ways out that are
# equally short to this any one may be taken
DEPTH_GAP = 1e-6
SIZE_GAP = 1e-7
EXACT_GAP = 1e-13  # of the sizes: the same for polyhedra, where nothing but rounding parts the bounds
TILT = 1e-3  # of the first corners, at most
SMOOTH = 1e-9  # of the sizes: what of w is left across n where a solid touches with one point
FIRST = 8  # row of the first corner; before them lies the simplex of another search, twice
MOST_CORNERS = 32
ROOMY = 2.0  # of the radius of the ball: how far faces to the point opposite keep off, lest they hem in others
MOST_TURNS = 8  # until the first triangle lies around the way out


@helper
def is_curved(solid):
    """Whether the core has no faces and edges, only ever smaller ones."""
    return solid.kind == CYLINDER or solid.kind == CONE or solid.kind == ELLIPSOID


@helper
def allowed_gap(A, B, depth, scale):
    """By how much the bounds of a depth may differ."""
    return DEPTH_GAP * depth + SIZE_GAP * scale if is_curved(A) or is_curved(B) else EXACT_GAP * scale


@helper
def put_corner(A, B, r, m, hulls, work, row):
    """Point of K farthest along m into a row; the point."""
    w, a = difference_point(A, B, r, hulls, work.near, -m)
    put3(work.w, row, w)
    put3(work.a, row, a)
    return w


@helper
def keeps_off(p, q, s, rho):
    """Whether the triangle turns around the origin counter-clockwise, no nearer than rho."""
    m = (q - p).cross(s - p)
    return p @ m >= rho * m.norm()


@helper
def same(p, q):
    """Whether two corners are one point."""
    return p.x == q.x and p.y == q.y and p.z == q.z


@helper
def swap_rows(work, i, j):
    """Exchange two corners."""
    w, a = get3(work.w, i), get3(work.a, i)
    put3(work.w, i, get3(work.w, j))
    put3(work.a, i, get3(work.a, j))
    put3(work.w, j, w)
    put3(work.a, j, a)


@helper
def tilt_for(radius, allowed, scale):
    """Tilt at which a surface of some radius of curvature has dropped by half of what is allowed; faces do not drop."""
    if radius * allowed >= scale * scale or radius * TILT * TILT <= allowed:
        return TILT
    return math.sqrt(allowed / radius)


@routine
def tilts(A, B, n, allowed, scale):
    """Tilts of the first corners, as vectors along the two main curvatures of K where its outward normal is -n."""
    s = across_unit(n)
    t = s.cross(n)
    a_0, a_1, a_2 = bend(A, n, s, t)
    b_0, b_1, b_2 = bend(B, -n, s, t)
    ss, st, tt = a_0 + b_0, a_1 + b_1, a_2 + b_2
    half = 0.5 * (ss - tt)
    bow = math.sqrt(half * half + st * st)
    x, y = (half + bow, st) if half >= 0.0 else (st, bow - half)
    size = math.sqrt(x * x + y * y)
    if size == 0.0:
        x, size = 1.0, 1.0
    most = 0.5 * (ss + tt) + bow
    least = max(0.5 * (ss + tt) - bow, 0.0)
    first, second = tilt_for(most, allowed, scale), tilt_for(least, allowed, scale)
    return (s * x + t * y) * (first / size), (t * x - s * y) * (second / size)


@helper
def tilted(m, x, y, out):
    """Direction m tilted along ``out``, across m, as far as the ellipse with half axes x, y reaches."""
    i, j = (out @ x) / (x @ x), (out @ y) / (y @ y)
    return m + out * (1.0 / math.sqrt(i * i + j * j))


@routine
def first_triangle(A, B, r, m, x, y, hulls, work):
    """Three corners around the way out along m, counter-clockwise, x and y their tilts: whether they lie around it."""
    high = 0.5 * math.sqrt(3.0)
    put_corner(A, B, r, m + x, hulls, work, FIRST)
    put_corner(A, B, r, m - x * 0.5 + y * high, hulls, work, FIRST + 1)
    put_corner(A, B, r, m - x * 0.5 - y * high, hulls, work, FIRST + 2)
    for _ in range(MOST_TURNS):
        worst, least, out = 0, math.inf, m
        for k in range(3):
            p, q = get3(work.w, FIRST + k), get3(work.w, FIRST + (k + 1) % 3)
            side = (q - p).cross(m)
            size = side.norm()
            inside = (p @ side) / size if size > 0.0 else 0.0
            if inside < least:
                worst, least, out = k, inside, side if size > 0.0 else m * (p @ m) - p
        if least > 0.0:
            return True
        if out @ out == 0.0:
            return False
        i, j, k = FIRST + worst, FIRST + (worst + 1) % 3, FIRST + (worst + 2) % 3
        p, q, s = get3(work.w, i), get3(work.w, j), get3(work.w, k)
        other = j if same(p, q) else k  # to be replaced: one of two alike, or the one opposite
        w = put_corner(A, B, r, tilted(m, x, y, out), hulls, work, other)
        if w @ out <= 0.0 or same(w, p) or same(w, q) or same(w, s):
            return False
        p, q, s = get3(work.w, FIRST), get3(work.w, FIRST + 1), get3(work.w, FIRST + 2)
        if (q - p).cross(s - p) @ m < 0.0:
            swap_rows(work, FIRST + 1, FIRST + 2)
    return False


@helper
def middle(work, m):
    """Point of A that belongs to the place where the way out along m passes the first triangle."""
    p, q, v = get3(work.w, FIRST), get3(work.w, FIRST + 1), get3(work.w, FIRST + 2)
    k_p, k_q, k_v = q.cross(v) @ m, v.cross(p) @ m, p.cross(q) @ m
    whole = 1.0 / (k_p + k_q + k_v)
    return (get3(work.a, FIRST) * k_p + get3(work.a, FIRST + 1) * k_q + get3(work.a, FIRST + 2) * k_v) * whole


@helper
def nearest_on_line(p, e):
    """Point nearest to the origin on the line from p along e; twice across e, lest what cancels leaves some of e."""
    ee = e @ e
    foot = p - e * ((p @ e) / ee)
    return foot - e * ((foot @ e) / ee)


@routine
def weakest(work, front):
    """Place in the front of the edge that passes nearest to the origin."""
    best, least = 0, math.inf
    for k in range(front):
        p = get3(work.w, np.int64(work.rim[k, 0]))
        e = get3(work.w, np.int64(work.rim[(k + 1) % front, 0])) - p
        pe, ee = p @ e, e @ e
        far2 = p @ p - pe * pe / ee
        if far2 < least:
            best, least = k, far2
    return best


@helper
def drop(work, front, k):
    """Take the corner at place k out of the front; its new length."""
    for i in range(k, front - 1):
        work.rim[i, 0] = work.rim[i + 1, 0]
    return front - 1


@routine
def is_empty(work, front, p, q, s):
    """Whether no corner of the front is seen from the origin inside the triangle, which then would fold the surface."""
    u, v, w = p.cross(q), q.cross(s), s.cross(p)
    for i in range(front):
        x = get3(work.w, np.int64(work.rim[i, 0]))
        if u @ x > 0.0 and v @ x > 0.0 and w @ x > 0.0 and not (same(x, p) or same(x, q) or same(x, s)):
            return False
    return True


@routine
def close_ears(work, front, rho):
    """Fill where three corners of the front in turn make a triangle that keeps off; what is left of the front."""
    k, idle = 0, 0
    while front >= 3 and idle < front:
        before, k, after = (k + front - 1) % front, k % front, (k + 1) % front
        p, q = get3(work.w, np.int64(work.rim[before, 0])), get3(work.w, np.int64(work.rim[k, 0]))
        s = get3(work.w, np.int64(work.rim[after, 0]))
        last = get3(work.w, np.int64(work.rim[(k + 2) % front, 0]))
        fits = keeps_off(s, q, p, rho)
        if fits:  # of four both triangles must do
            fits = keeps_off(last, s, p, rho) if front == 4 else is_empty(work, front, s, q, p)
        if fits or same(p, q) or same(q, s):
            front = drop(work, front, k)
            idle = 0
        else:
            k, idle = k + 1, idle + 1
    return front


@unit
def wrap(A, B, r, n, hulls, work):
    """The way out along the unit vector n, sure if proven to be the shortest; else that or a shorter one met."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    scale = r.norm() + a.norm() + w.norm()
    way = Way(d, n, a, False, 0.0)
    if d >= 0.0 or work.w.shape[0] < FIRST + MOST_CORNERS:
        return way
    m = -n
    allowed = allowed_gap(A, B, -d, scale)
    x, y = tilts(A, B, n, allowed, scale)
    if not first_triangle(A, B, r, m, x, y, hulls, work):
        return way
    rho = -d - allowed
    slack = rho - ROUND_OFF * scale
    if not keeps_off(get3(work.w, FIRST), get3(work.w, FIRST + 1), get3(work.w, FIRST + 2), slack):
        return way
    if (w - n * d).norm() > SMOOTH * scale:
        foot = middle(work, m)
        a = foot + n * (n @ (a - foot))
    last = put_corner(A, B, r, n, hulls, work, FIRST + 3)
    for k in range(3):
        work.rim[k, 0] = FIRST + k
    front = 3
    for row in range(FIRST + 4, FIRST + MOST_CORNERS):
        k = weakest(work, front)
        p, q = get3(work.w, np.int64(work.rim[k, 0])), get3(work.w, np.int64(work.rim[(k + 1) % front, 0]))
        new = FIRST + 3
        if same(p, last) or same(q, last) or not keeps_off(q, p, last, ROOMY * slack):
            e = q - p
            foot = nearest_on_line(p, e)
            side = e.cross(foot)
            far2, size = foot @ foot, side.norm()
            if far2 < rho * rho or size == 0.0:
                return way
            # the plane through the edge that touches the ball: u is of unit length, since far2 is that of the very foot
            u = foot * (rho / far2) + side * (math.sqrt(1.0 - rho * rho / far2) / size)
            v = put_corner(A, B, r, u, hulls, work, row)
            if u @ v < slack:
                return Way(-(u @ v), -u, get3(work.a, row), False, 0.0)
            if not keeps_off(q, p, v, slack):  # it lies above the first triangle, which cut off what bulges there
                v = put_corner(A, B, r, tilted(m, x, y, e.cross(m)), hulls, work, row)
                if not keeps_off(q, p, v, slack):
                    return way
            new = row
        for i in range(front, k + 1, -1):
            work.rim[i, 0] = work.rim[i - 1, 0]
        work.rim[k + 1, 0] = new
        front = close_ears(work, front + 1, slack)
        if front < 3:
            work.bound[0] = allowed
            return Way(d, n, a, True, 0.0)
    return way
