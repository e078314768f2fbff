"""Whether a convex solid, moved, is outside of a surface (V-20, V-21)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.gjk import gjk_within
from gelenk.collision.narrow.facet_contact import Query
from gelenk.collision.narrow.meeting import facet_solid
from gelenk.collision.narrow.surface_inside import is_within
from gelenk.collision.narrow.swallowed import middle_of
from gelenk.collision.narrow.unmet import shifted
from gelenk.collision.narrow.unsettled import height_over
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import routine


@routine
def is_free(A, tables, way, box, q, surface, convex):
    """Whether a solid, moved, overlaps no facet and is not inside; box: around the solid where it is now."""
    count = surface_in_box(A, tables, shifted(box, way), surface.found_b)
    if count > surface.found_b.shape[0]:
        surface.counts[LEFT_OUT] = max(surface.counts[LEFT_OUT], count - surface.found_b.shape[0])
        return False
    moved = Query(q.B, q.c + way, q.radius, q.margin, q.scale, q.top, q.sinks)
    for i in range(count):
        F = surface_face(A, tables, np.int64(surface.found_b[i]))
        if height_over(F, moved, tables.hulls, convex.near, F.n) < 0.0:
            v, _, corners, _ = gjk_within(facet_solid(F), q.B, moved.c - F.p, F.n, q.radius, tables.hulls, convex)
            if corners == 4 or (corners > 0 and v.norm() < q.radius):
                return False
    return not is_within(A, tables, middle_of(q.B, moved.c, tables.hulls), 0.0)
