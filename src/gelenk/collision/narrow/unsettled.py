"""Facets near a convex solid of which no place gave a finding: what is certain is certain all the same (V-20, I-093).

A solid that meets a facet overlaps. If no other finding undoes that, the facet does, along its own normal n: moved by
its depth below the plane of the facet the solid lies on the outer side of it; or by a far shorter way off the triangle
that does not lean far from n, as when a sharp tip just grazes it. So at an inward edge a solid whose middle has passed
is pushed out along the normals of both faces, as long as both are crossed, and a blade on the side where it is less
deep. Where the lowest point of the solid leaves the plane of the facet beside the surface, and not on it or inside, the
way ends at the last touch with the facet (:mod:`gelenk.collision.narrow.last_touch`).

A solid that meets none may be inside as a whole (:mod:`gelenk.collision.narrow.swallowed`). Else it is apart, and the
nearest facet of all has the distance, with the way between the nearest points for a normal.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.epa import distance_from, distance_within, is_curved
from gelenk.collision.facet_normal import corner_of
from gelenk.collision.gjk import core_point, gjk_within
from gelenk.collision.narrow.facet_contact import (
    FACE,
    NEAREST,
    OVERLAP,
    SAME,
    SIDE,
    TIP,
    feature_of,
    put_found,
    put_pool,
)
from gelenk.collision.narrow.last_touch import touch_of_facet
from gelenk.collision.narrow.meeting import facet_solid, overlaps
from gelenk.collision.narrow.surface_choice import row3
from gelenk.collision.narrow.surface_inside import is_inside, is_over
from gelenk.collision.narrow.swallowed import is_below_field, swallowed_by_field, swallowed_by_mesh
from gelenk.collision.solid import FIELD, MESH
from gelenk.collision.surface import surface_face
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

OUTWARD = 0.7  # cosine to the normal of a facet up to which a shorter way off it leads outward
GRAZES = 0.1  # of the depth below its plane: a way off the triangle this short is taken instead
BACKWARD = 1e-6  # cosine by which the way to a facet may lean to its back
CLEARING = 8  # findings that are looked at, at most, for whether they clear a facet
OFF = 1e-6  # of the sizes: how much farther than its depth a solid is moved to see whether it is off a facet
NEARER = 1e-11  # of the sizes: by which a facet must be nearer than what was found


@routine
def is_cleared(surface, F, low, q, hulls, convex, slack):
    """Whether a finding undoes all overlap with a facet: the solid, moved by its depth d along its normal m, is off it.

    It is if the whole facet lies below the plane that the solid then touches, or the whole solid, which reached ``low``
    along the normal n of the facet, above the plane of the facet:  low - d m . n >= 0.  Else the moved solid is looked
    at, for the findings that come nearest to that.
    """
    for i in range(surface.counts[0]):
        other = surface.finding[i]
        if other.d < 0.0:
            m = row3(other.m)
            if other.low - max(F.p @ m, max(F.q @ m, F.s @ m)) >= other.d - slack:
                return True
            if low - other.d * (m @ F.n) >= slack:
                return True
    last = math.inf
    for _ in range(CLEARING):
        best, most = -1, -math.inf
        for i in range(surface.counts[0]):
            other = surface.finding[i]
            if other.d < 0.0:
                m = row3(other.m)
                over = other.low - other.d - max(F.p @ m, max(F.q @ m, F.s @ m))
                over = max(over, low - other.d * (m @ F.n))
                if most < over < last:
                    best, most = i, over
        if best < 0:
            return False
        last = most
        other = surface.finding[best]
        moved = q.c - F.p - row3(other.m) * (other.d - OFF * q.scale)
        v, _, count, _ = gjk_within(facet_solid(F), q.B, moved, F.n, q.radius, hulls, convex)
        if count == 0 or (count < 4 and v.norm() >= q.radius):
            return True
    return False


@routine
def height_over(F, q, hulls, near, m):
    """How far over a facet, along the normal m, the lowest point of the solid is [m]."""
    return (q.c + core_point(q.B, hulls, near, 1, -m) - F.p) @ m - q.radius


@routine
def way_by_plane(A, tables, F, low, q, convex):
    """Way out along the normal of a facet, negative, and the point of it: where the lowest point leaves its plane.

    That is on the surface or inside, as behind an inward edge. Else the way of what of the solid lies over the facet.
    """
    m, slack = F.n, SAME * q.scale
    x = q.c + core_point(q.B, tables.hulls, convex.near, 1, -m) - m * (q.radius + low)
    if is_over(F, x, slack) or is_inside(A, tables, x, slack, 0.0):
        return low, x
    s, x = touch_of_facet(F, m, -low, 0.0, q, tables.hulls, convex)
    return max(-s, low), x


@routine
def settle_overlaps(A, tables, q, surface, convex):
    """Findings of facets that the solid meets and no other finding clears; how many."""
    hulls, near, added = tables.hulls, convex.near, 0
    for i in range(surface.counts[5]):
        row = np.int64(surface.unsettled[i])
        t = np.int64(surface.found[row])
        F = surface_face(A, tables, t)
        low = height_over(F, q, hulls, near, F.n)
        if (
            low < 0.0
            and height_over(F, q, hulls, near, -F.n) < 0.0
            and overlaps(F, row, q, hulls, surface, convex)
            and not is_cleared(surface, F, low, q, hulls, convex, SAME * q.scale)
        ):
            d, m, x = distance_from(facet_solid(F), q.B, q.c - F.p, F.n, hulls, convex)
            x = F.p + x
            lowest = d + x @ m
            if d <= GRAZES * low or d >= 0.0 or m @ F.n < OUTWARD:
                m, lowest = F.n, low + F.p @ F.n
                d, x = way_by_plane(A, tables, F, low, q, convex)
            put_pool(surface, x, m, d, feature_of(t, FACE), OVERLAP)
            put_found(surface, row, FACE, m, d, lowest, False)
            added += 1
    return added


@helper
def place_of(F, x, slack):
    """Whether a point of a facet is a corner, on a side or over the face."""
    place = FACE
    for k in range(3):
        start, end = corner_of(F, k), corner_of(F, (k + 1) % 3)
        o = (end - start).cross(F.n)
        if (x - start).norm() <= slack:
            return TIP + k
        if (x - start) @ o >= -slack * o.norm():
            place = SIDE + k
    return place


@routine
def settle_apart(A, tables, q, least, surface, convex):
    """The finding of the nearest facet of those left, if it is nearer than ``least``."""
    hulls, near = tables.hulls, convex.near
    best, normal, point, row_best = min(q.margin, least - NEARER * q.scale), Vec3(0.0, 0.0, 0.0), q.c, np.int64(-1)
    for i in range(surface.counts[5]):
        row = np.int64(surface.unsettled[i])
        F = surface_face(A, tables, np.int64(surface.found[row]))
        if height_over(F, q, hulls, near, F.n) <= best:
            d, m, a = distance_within(facet_solid(F), q.B, q.c - F.p, Vec3(0.0, 0.0, 0.0), best, hulls, convex)
            if 0.0 <= d <= best and m @ F.n >= -BACKWARD and (d < best or row_best < 0):
                best, normal, point, row_best = d, m, F.p + a, row
    if row_best >= 0:
        t = np.int64(surface.found[row_best])
        place = place_of(surface_face(A, tables, t), point, SAME * q.scale)
        put_pool(surface, point, normal, best, feature_of(t, FACE), NEAREST + place)
        put_found(surface, row_best, place, normal, best, best + point @ normal, True)


@routine
def settle(A, tables, q, top, candidates, surface, convex):
    """Look at facets without a finding, and at solids without one; top: how high the solid reaches."""
    if A.kind == FIELD and is_below_field(A, tables, q, top, candidates, surface, convex):
        return swallowed_by_field(A, tables, q, surface, convex)
    least = least_distance(surface)
    if settle_overlaps(A, tables, q, surface, convex) > 0:
        least = -math.inf
    if least >= 0.0:
        if surface.counts[5] > 0 and (least == math.inf or is_curved(q.B)):
            settle_apart(A, tables, q, least, surface, convex)
            least = least_distance(surface)
        if A.kind == MESH:
            seen = np.int64(surface.found[surface.finding[0].row]) if surface.counts[0] > 0 else np.int64(-1)
            swallowed_by_mesh(A, tables, q, seen, surface, convex)
    return 0


@helper
def least_distance(surface):
    """Of all findings; infinite if there are none."""
    least = math.inf
    for i in range(surface.counts[0]):
        least = min(least, surface.finding[i].d)
    return least
