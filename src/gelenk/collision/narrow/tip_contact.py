"""Contact of a convex solid with a corner of a surface (V-20, V-21, I-093)."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.epa import distance_from, is_curved, unit_or
from gelenk.collision.gjk import core_point
from gelenk.collision.narrow.box import turn_back
from gelenk.collision.narrow.facet_contact import BESIDE, SAME, TIP, feature_of, put_found, put_pool
from gelenk.collision.narrow.fans import END, candidate_corner, fan_of, stands_out
from gelenk.collision.narrow.meeting import meets
from gelenk.collision.narrow.side_contact import facet_of_row
from gelenk.collision.narrow.sphere_box import point_box
from gelenk.collision.narrow.sphere_cone import point_cone
from gelenk.collision.narrow.sphere_cylinder import point_cylinder
from gelenk.collision.query.nearest_hull import nearest_on_hull
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE, TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

ROUND_LEAN = 1e-6  # of normals of curved solids, which are searched for
SHARP_LEAN = 1e-9  # sine of the angle by which a normal may lean over a side of a corner


@routine
def point_convex(B, hulls, convex, w):
    """Signed distance of a point from the surface of a convex solid, and the outward normal there; w: from its centre.

    Closed forms where there are any.
    """
    p = B.R.tdot(w)
    if B.kind == BOX or B.kind == CYLINDER or B.kind == CONE:
        foot = point_box(p, B.size)
        if B.kind != BOX:
            foot = point_cylinder(p, B.size) if B.kind == CYLINDER else point_cone(p, B.size)
        return foot.d, B.R @ foot.n
    if B.kind == HULL:
        d, _, n = nearest_on_hull(hulls, B.table, p)
        return d, B.R @ n
    if B.kind == SPHERE or B.kind == CAPSULE:
        half = B.size.z if B.kind == CAPSULE else 0.0
        p = Vec3(p.x, p.y, p.z - min(max(p.z, -half), half))
        return p.norm() - B.size.x, B.R @ unit_or(p, Vec3(1.0, 0.0, 0.0))
    point = Solid(SPHERE, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    d, m, _ = distance_from(point, B, -w, Vec3(0.0, 0.0, 0.0), hulls, convex)
    return d, -m


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


@helper
def vertex_feature(surface, row, k):
    """Feature of corner k of a candidate, the same from whichever triangle it is seen."""
    return feature_of(surface.vertex[row, k], TIP)


@routine
def tip_contact(p, k, row, q, hulls, surface, convex):
    """The point at corner p, number k of a candidate, in the pool, if it stands out toward the solid; whether it does.

    Apart the normal is the way to the nearest point of the solid. A corner inside leaves by the shortest way if that
    is one of its own, else through the nearest face of the solid of which that is so.
    """
    d, m = point_convex(q.B, hulls, convex, p - q.c)
    if d > q.margin:
        return False
    m = -m
    lean = ROUND_LEAN if is_curved(q.B) else SHARP_LEAN
    found = stands_out(surface, row, k, m, lean)
    if d < 0.0 and not found:
        d = -math.inf
        for i in range(face_count(q.B, hulls)):
            w = -face_outward(q.B, hulls, i, p - q.c)
            g = (q.c + core_point(q.B, hulls, convex.near, 1, -w) - p) @ w
            if g > d and stands_out(surface, row, k, w, lean):
                found, d, m = True, g, w
    if found:
        put_pool(surface, p, m, d, vertex_feature(surface, row, k), 0)
        put_found(surface, row, TIP + k, m, d, d + p @ m, True)
    return found


@routine
def height_below(B, hulls, i, x, near):
    """How far a point, from the centre of a solid, is above the plane of its face i: negative below."""
    if B.kind == HULL:
        face = hulls.face[np.int64(hulls.hull[B.table].face_first) + i]
        return Vec3(face.n[0], face.n[1], face.n[2]) @ B.R.tdot(x) - face.d
    w = face_outward(B, hulls, i, x)
    return (x - core_point(B, hulls, near, 1, w)) @ w


@routine
def meets_fan(row, k, q, hulls, surface, convex):
    """Whether a solid meets one of the facets around corner k of a candidate."""
    place = fan_of(surface, row, k)
    x = candidate_corner(surface, row, k)
    while place != END:
        if meets(facet_of_row(surface, place // 3), x, place // 3, q, hulls, surface, convex):
            return True
        place = surface.after[place]
    return False


@routine
def tip_beside(row, k, i, g, q, hulls, surface, convex):
    """A corner beside a solid that can leave it through its face i, g above its plane (negative): a finding, or none.

    Next to a sharp edge what lies over a face, and less deep than the face is wide, need not lie inside. Whether the
    solid meets a facet of the corner, the corner is as near to the solid as it is deep below the face, and it comes to
    lie on the face.
    """
    p = candidate_corner(surface, row, k)
    w = -face_outward(q.B, hulls, i, p - q.c)
    d, _ = point_convex(q.B, hulls, convex, p - q.c)
    if d <= 0.0 or not stands_out(surface, row, k, w, ROUND_LEAN if is_curved(q.B) else SHARP_LEAN):
        return False
    put_pool(surface, p, w, g, vertex_feature(surface, row, k), BESIDE + i)
    put_found(surface, row, TIP + k, w, g, g + p @ w, True)
    slack = SAME * q.scale
    if d > slack - g or not meets_fan(row, k, q, hulls, surface, convex):
        return False
    beside, _ = point_convex(q.B, hulls, convex, p + w * g - q.c)
    return beside <= slack
