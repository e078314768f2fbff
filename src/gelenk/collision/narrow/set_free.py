"""Whether a convex solid, moved, is outside of a surface (V-20, V-21)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.epa import unit_or
from gelenk.collision.gjk import gjk_within
from gelenk.collision.narrow.facet_contact import Query
from gelenk.collision.narrow.last_touch import lowest_of, reach_of, touch_of_facet
from gelenk.collision.narrow.meeting import facet_solid
from gelenk.collision.narrow.surface_inside import is_within
from gelenk.collision.narrow.swallowed import middle_of
from gelenk.collision.narrow.unsettled import height_over
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def shifted(box, w):
    """A box moved by w."""
    return Bounds(box.x + w.x, box.y + w.y, box.z + w.z, box.x_high + w.x, box.y_high + w.y, box.z_high + w.z)


@helper
def moved_by(q, way):
    """What is asked about every facet, of the solid moved."""
    return Query(q.B, q.c + way, q.radius, q.margin, q.scale, q.top + way, q.sinks)


@routine
def is_in_way(F, q, hulls, convex):
    """Whether a solid overlaps a facet: it reaches below its plane, and the two have points in common."""
    if height_over(F, q, hulls, convex.near, F.n) >= 0.0:
        return False
    v, _, corners, _ = gjk_within(facet_solid(F), q.B, q.c - F.p, F.n, q.radius, hulls, convex)
    return corners == 4 or (corners > 0 and v.norm() < q.radius)


@routine
def facets_there(A, tables, way, box, surface):
    """Facets near a solid that is moved, in ``found_b``: how many, or -1 if there is no room for them."""
    count, room = surface_in_box(A, tables, shifted(box, way), surface.found_b), surface.found_b.shape[0]
    surface.counts[LEFT_OUT] = max(surface.counts[LEFT_OUT], count - room)
    return count if count <= room else -1


@routine
def leads_out(A, tables, way, box, q, surface, convex):
    """Whether a solid, moved, overlaps no facet; box: around the solid where it is now.

    It overlaps none that lies below the plane across the way that it then touches, and none whose plane it lies above.
    """
    count = facets_there(A, tables, way, box, surface)
    moved, m = moved_by(q, way), unit_or(way, Vec3(0.0, 0.0, 0.0))
    plane = lowest_of(m, moved, tables.hulls, convex.near)
    for i in range(count):
        F = surface_face(A, tables, np.int64(surface.found_b[i]))
        if reach_of(F, m) >= plane and is_in_way(F, moved, tables.hulls, convex):
            return False
    return count >= 0


@routine
def deepest_in_way(A, tables, way, longest, box, q, surface, convex):
    """Facet that a solid, moved, is deepest in, and the way s out of it along its normal, with the place of the touch.

    Facet -1 if it overlaps none. The first one out of which all of the way is longer than ``longest`` will do.
    """
    count, moved, hulls = facets_there(A, tables, way, box, surface), moved_by(q, way), tables.hulls
    best, place, facet = 0.0, q.c, np.int64(-1)
    m = unit_or(way, Vec3(0.0, 0.0, 0.0))
    plane = lowest_of(m, moved, hulls, convex.near)
    for i in range(count):
        t = np.int64(surface.found_b[i])
        F = surface_face(A, tables, t)
        if reach_of(F, m) < plane:
            continue
        high = -height_over(F, moved, hulls, convex.near, F.n)
        if high > best and is_in_way(F, moved, hulls, convex):
            s, x = touch_of_facet(F, F.n, high, best, moved, hulls, convex)
            if s > best:
                best, place, facet = s, x, t
                if s + F.n @ way >= longest:
                    break
    return best, place, facet


@routine
def is_free(A, tables, way, box, q, surface, convex):
    """Whether a solid, moved, overlaps no facet and is not inside as a whole."""
    if not leads_out(A, tables, way, box, q, surface, convex):
        return False
    return not is_within(A, tables, middle_of(q.B, q.c + way, tables.hulls), 0.0)
