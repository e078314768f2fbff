"""The next way out of an overlap, from a direction near to it, and whether it is known to be the shortest (V-25).

From step to step, and where solids overlap by little, the normal is nearly known. Put apart along it by somewhat more
than their depth, the cores have a nearest way whose direction m is a better one. Over a surface of curvature 1/R its
error shrinks by  depth / R  a step, over a face to nothing. Two bounds tell how good it is:

    q <= depth <= h(m),     h(m) the overlap along m, q the radius of a ball (:mod:`gelenk.collision.inscribed`)
"""

from __future__ import annotations

from gelenk.collision.gjk import ROUND_OFF, difference_point, gjk
from gelenk.collision.inscribed import room
from gelenk.collision.near_way import Way
from gelenk.collision.solid import CONE, CYLINDER, ELLIPSOID
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

# bounds this close, parts of the depth and of the sizes, are good enough on curved solids: of several ways out that are
# equally short to this any one may be taken
DEPTH_GAP = 1e-6
SIZE_GAP = 1e-7
EXACT_GAP = 1e-13  # of the sizes: the same for polyhedra, where nothing but rounding parts the bounds
POLISHED = 1e-12  # gain of depth, or gap of the bounds, part of the sizes, that is worth no further step
MOST_STEPS = 10
FEW_STEPS = 4  # where no polytope said yet that the direction is a good one
HOPELESS = 0.5  # of the depth: a gap after which no proof is near, as where an edge crosses an edge
MARGIN = 1e-3  # of the sizes: how far apart cores are put


@helper
def is_curved(solid):
    """Whether the core has no faces and edges, only ever smaller ones."""
    return solid.kind == CYLINDER or solid.kind == CONE or solid.kind == ELLIPSOID


@routine
def follow(A, B, r, d, n, a, hulls, work, scale, most):
    """Follow the direction n, along which the cores overlap by -d, to the next way out in at most ``most`` steps.

    Two steps tell the factor by which the error shrinks; then the limit of the sequence is tried.
    """
    allowed = -DEPTH_GAP * d + SIZE_GAP * scale if is_curved(A) or is_curved(B) else EXACT_GAP * scale
    last, gap = Vec3(0.0, 0.0, 0.0), -d
    for _ in range(most):
        apart = MARGIN * scale - 1.1 * d
        v, a_v, count, _ = gjk(A, B, r + n * apart, n, hulls, work)
        if count == 4:
            break
        size = v.norm()
        m = v * (1.0 / size)
        d_m = size - apart * (m @ n)
        gain = d_m - d
        if gain < -ROUND_OFF * scale:
            break
        step, b = m - n, a_v + v - n * apart
        d, n, a = d_m, m, a_v
        if d > 0.0:  # apart after all
            break
        in_a, in_b = room(A, hulls, b, n), room(B, hulls, a - r, -n)
        gap = -d - max(in_a, in_b)
        if in_a > in_b and gap <= allowed:  # the ball around b touches the surface of A here
            a = b - n * d
        if gap <= POLISHED * scale or gain <= POLISHED * scale:
            break
        if most == FEW_STEPS and gap > max(HOPELESS * -d, allowed):
            break
        factor = (step @ last) / (last @ last) if last @ last > 0.0 else 0.0
        last = step
        if 0.0 < factor < 1.0:
            m = n + step * (factor / (1.0 - factor))
            m = m * (1.0 / m.norm())
            w, _ = difference_point(A, B, r, hulls, work.near, m)
            if m @ w > d:
                d, n, last = m @ w, m, Vec3(0.0, 0.0, 0.0)
    work.bound[0] = max(gap, 0.0)
    return Way(d, n, a, d <= 0.0 and gap <= allowed)


@helper
def polish(A, B, r, d, n, a, hulls, work, scale):
    """Better depth, normal and point of A from those of a polytope; its bound stays as it was."""
    bound = work.bound[0]
    out = follow(A, B, r, d, n, a, hulls, work, scale, MOST_STEPS)
    work.bound[0] = bound
    return out.d, out.n, out.a


@routine
def way_out(A, B, r, n, hulls, work):
    """The way out of an overlap next to the unit vector n; not sure where the cores are apart along n."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    if d >= 0.0:
        return Way(d, n, a, False)
    return follow(A, B, r, d, n, a, hulls, work, r.norm() + a.norm() + w.norm(), FEW_STEPS)


@helper
def move_simplex(work, source, target):
    """Copy the four rows of a simplex to another place."""
    for i in range(4):
        put3(work.w, target + i, get3(work.w, source + i))
        put3(work.a, target + i, get3(work.a, source + i))
