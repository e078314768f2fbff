"""Time of impact of a convex solid and a surface of triangles: mesh or height field (V-06).

Triangles that the motion can come near are found once by a box around all of it; each is a convex solid that moves with
the surface, and the first impact counts. Sides do not matter: a triangle stops what comes from behind as well.
"""

from __future__ import annotations

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.impact_time import GAP_SHARE, Impact, first_impact, no_impact
from gelenk.collision.motion import (
    Motion,
    ball_centre,
    extent,
    make_mover,
    pose_after,
    shape_matrix,
)
from gelenk.collision.solid import TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import get33, rotation_exp
from gelenk.math.vec3 import Vec3

SLACK = 1e-12  # part of the way and of the sizes that the box is larger, for rounding


@helper
def put_corners(corners, k, facet):
    """Corners of a facet into row k, (k, 3, 3): one corner a row, shape axes."""
    p, q, s = facet.p, facet.q, facet.s
    corners[k, 0, 0], corners[k, 0, 1], corners[k, 0, 2] = p.x, p.y, p.z
    corners[k, 1, 0], corners[k, 1, 1], corners[k, 1, 2] = q.x, q.y, q.z
    corners[k, 2, 0], corners[k, 2, 1], corners[k, 2, 2] = s.x, s.y, s.z


@routine
def swept_box(A, motion_A, B, motion_B, r, t_end, gap, tables):
    """Box around all that a convex solid A passes until t_end as seen from the surface B, shape axes of B.

    The centre of a ball around A goes from P to Q on a way of length l there, which lies in an ellipsoid with these
    foci: no farther from the box of both than  (l - |PQ|) / 2,  which is 0 if the surface does not turn.
    """
    mover = make_mover(A, motion_A, tables.hulls)
    start = ball_centre(mover) - r
    later, way_B, _ = pose_after(B, motion_B, t_end)
    P, Q = B.R.tdot(start), later.R.tdot(start + motion_A.v * t_end - way_B)
    v = motion_A.v - motion_B.v
    y = start + motion_B.arm
    far = max(y.norm(), (y + v * t_end).norm())
    length = (v.norm() + motion_B.w.norm() * far) * t_end
    wide = 0.5 * max(length - (Q - P).norm(), 0.0) if motion_B.w.norm() > 0.0 else 0.0
    wide += mover.spin.ball + gap + SLACK * (mover.spin.ball + far)
    return Bounds(
        min(P.x, Q.x) - wide,
        min(P.y, Q.y) - wide,
        min(P.z, Q.z) - wide,
        max(P.x, Q.x) + wide,
        max(P.y, Q.y) + wide,
        max(P.z, Q.z) + wide,
    )


@helper
def surface_gap(A, gap, tables):
    """The gap given, or if it is not above 0 the default: ``GAP_SHARE`` of twice the size of A, for all triangles."""
    return gap if gap > 0.0 else 2.0 * GAP_SHARE * extent(A, tables.hulls)


@routine
def impact_time_triangles(A, motion_A, B, motion_B, r, t_end, gap, tables, corners, count, work):
    """First impact of a convex solid A with the first ``count`` triangles of the surface B, and which one it is.

    As :func:`gelenk.collision.impact_time.impact_time`; -1 if there is none. corners: (k, 3, 3) from ``put_corners``
    for the triangles in ``swept_box``. Each triangle is taken from its own middle, so that none loses digits by being
    far from the centre of its surface; points of B are from that centre again.
    """
    gap = surface_gap(A, gap, tables)
    mover = make_mover(A, motion_A, tables.hulls)
    best, which = no_impact(), -1
    for k in range(count):
        c = get33(corners, k)
        p, q, s = B.R @ Vec3(c.xx, c.xy, c.xz), B.R @ Vec3(c.yx, c.yy, c.yz), B.R @ Vec3(c.zx, c.zy, c.zz)
        g = (p + q + s) * (1.0 / 3.0)
        facet = Solid(TRIANGLE, B.table, shape_matrix(p - g, q - g, s - g), Vec3(0.0, 0.0, 0.0))
        motion = Motion(motion_B.v, motion_B.w, motion_B.arm + g)
        limit = min(t_end, best.t)
        found = first_impact(mover, make_mover(facet, motion, tables.hulls), r + g, limit, gap, tables.hulls, work)
        if found.t < best.t or (found.t == best.t and found.d < best.d):
            best = Impact(found.t, found.d, found.n, found.a, found.b + rotation_exp(motion_B.w * found.t) @ g)
            which = k
    return best, which
