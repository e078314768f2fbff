"""Contact of a convex solid with a corner of a surface (V-20, V-21, I-093)."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.epa import distance_from, is_curved, unit_or
from gelenk.collision.gjk import core_point
from gelenk.collision.narrow.box import turn_back
from gelenk.collision.narrow.facet_contact import SAME, TIP, feature_of, put_found, put_pool
from gelenk.collision.narrow.side_contact import reaches
from gelenk.collision.solid import BOX, CONE, CYLINDER, HULL, SPHERE, TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

ROUND_LEAN = 1e-6  # of normals of curved solids, which are searched for
LEAN = 1e-9  # sine of the angle by which a normal may lean over a side of a corner


@helper
def stands_out(surface, candidates, p, m, lean):
    """Whether along m no triangle at the corner p rises above it, and m is on the outer side of one of them."""
    outside = False
    for i in range(candidates):
        c = surface.corners[i]
        a, b, s = Vec3(c[0], c[1], c[2]), Vec3(c[3], c[4], c[5]), Vec3(c[6], c[7], c[8])
        for k in range(3):
            x, e, f = (a, b - a, s - a) if k == 0 else ((b, s - b, a - b) if k == 1 else (s, a - s, b - s))
            if x.x == p.x and x.y == p.y and x.z == p.z:
                if m @ e > lean * e.norm() or m @ f > lean * f.norm():
                    return False
                n = surface.outward[i]
                outside = outside or m @ Vec3(n[0], n[1], n[2]) >= -lean
    return outside


@helper
def face_count(B, hulls):
    """Faces through which a corner can leave a solid: flat ones, and the mantle of round ones."""
    if B.kind == HULL:
        return np.int64(hulls.hull[B.table].face_last) - np.int64(hulls.hull[B.table].face_first)
    if B.kind == BOX:
        return 6
    return 3 if B.kind == CYLINDER else (2 if B.kind == CONE or B.kind == TRIANGLE else 0)


@helper
def face_outward(B, hulls, i, w):
    """Outward normal of face i of a solid; of a mantle where w, from the centre, is nearest to it."""
    sign = 1.0 if i % 2 == 0 else -1.0
    if B.kind == HULL:
        return B.R @ get3(hulls.face.n, np.int64(hulls.hull[B.table].face_first) + i)
    if B.kind == BOX:
        return B.R @ turn_back(Vec3(0.0, 0.0, sign), i // 2)
    if B.kind == TRIANGLE:
        R = B.R
        a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
        return unit_or((b - a).cross(c - a), Vec3(0.0, 0.0, 1.0)) * sign
    x = B.R.tdot(w)
    if i == 0 and B.kind == CYLINDER:
        return B.R @ Vec3(0.0, 0.0, 1.0)
    if i == 1:
        return B.R @ Vec3(0.0, 0.0, -1.0)
    radial = unit_or(Vec3(x.x, x.y, 0.0), Vec3(1.0, 0.0, 0.0))
    if B.kind == CYLINDER:
        return B.R @ radial
    return B.R @ unit_or(radial * B.size.z + Vec3(0.0, 0.0, B.size.x), radial)


@routine
def tip_contact(p, k, t, row, candidates, q, hulls, surface, convex):
    """The point at corner p, number k of facet t, in the pool, if it stands out toward the solid; whether it does.

    Apart the normal is the way to the nearest point of the solid. A corner inside leaves by the shortest way if that
    is one of its own, else through the nearest face of the solid of which that is so.
    """
    point = Solid(SPHERE, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    d, m, _ = distance_from(point, q.B, q.c - p, Vec3(0.0, 0.0, 0.0), hulls, convex)
    if d > q.margin:
        return False
    lean = ROUND_LEAN if is_curved(q.B) else LEAN
    found = stands_out(surface, candidates, p, m, lean)
    if d < 0.0 and not found:
        d = -math.inf
        for i in range(face_count(q.B, hulls)):
            w = -face_outward(q.B, hulls, i, p - q.c)
            g = (q.c + core_point(q.B, hulls, convex.near, 1, -w) - p) @ w
            if g > d and stands_out(surface, candidates, p, w, lean):
                found, d, m = True, g, w
    if found:
        put_pool(surface, p, m, d, feature_of(t, TIP + k), 0)
        put_found(surface, row, TIP + k, m, d, d + p @ m, True)
    return found


@helper
def least_depth(surface):
    """Distance of the shallowest regular finding that overlaps, or minus infinity."""
    best = -math.inf
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.regular == 1 and finding.d < 0.0:
            best = max(best, finding.d)
    return best


@helper
def candidate_corner(surface, row, k):
    """Corner k of a candidate."""
    c = surface.corners[row]
    return Vec3(c[3 * k], c[3 * k + 1], c[3 * k + 2])


@routine
def tips_beside(candidates, q, hulls, surface, convex):
    """Corners that lie beside a solid with sharp edges, and yet leave it through a face by a shorter way than is known.

    Next to a sharp edge what lies over a face, and less deep than the face is wide, need not lie inside. The solid must
    meet a facet of the corner, and the corner be as near to the solid as it is deep below the face.
    """
    best = least_depth(surface)
    sharp = q.B.kind == CONE or q.B.kind == HULL or q.B.kind == TRIANGLE
    if not sharp or best == -math.inf or surface.counts[4] == 0:
        return
    point = Solid(SPHERE, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    slack = SAME * q.scale
    faces = face_count(q.B, hulls)
    for row in range(candidates):
        for k in range(3):
            p = candidate_corner(surface, row, k)
            for i in range(faces):
                w = -face_outward(q.B, hulls, i, p - q.c)
                g = (q.c + core_point(q.B, hulls, convex.near, 1, -w) - p) @ w
                lean = ROUND_LEAN if is_curved(q.B) else LEAN
                if best + slack < g < -slack and stands_out(surface, candidates, p, w, lean):
                    d, _, _ = distance_from(point, q.B, q.c - p, w, hulls, convex)
                    if 0.0 < d <= -g + slack and reaches(surface, row, q, hulls, convex):
                        put_pool(surface, p, w, g, feature_of(np.int64(surface.found[row]), TIP + k), 0)
                        put_found(surface, row, TIP + k, w, g, g + p @ w, True)
                        best = g
