"""Solids that are inside a surface as a whole: a way that leads out, and where it touches last (V-20, V-21, I-093).

The nearest place of the surface to the middle of the solid gives a direction
(:mod:`gelenk.collision.narrow.swallowed`). Moved along it until all of the solid is beyond that place, it may still be
inside, or in another wall. Then, or where that is shorter, it leaves a mesh by the shortest way out of the hull around
it. Depth and points are those of the last touch on the way. Where neither leads out, they are those of the nearest
facet alone, and the next step goes on from there.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.narrow.facet_contact import SWALLOWED
from gelenk.collision.narrow.last_touch import last_touch, lowest_of, reach_of, touch_of_facet
from gelenk.collision.narrow.set_free import is_free
from gelenk.collision.narrow.surface_choice import row3
from gelenk.collision.narrow.swallowed import is_swallowed
from gelenk.collision.narrow.through import put_touch, way_of_hull
from gelenk.collision.narrow.unsettled import OFF
from gelenk.collision.solid import MESH
from gelenk.collision.surface import surface_face
from gelenk.compile import routine


@routine
def way_from_inside(A, tables, m, d, box, q, surface, convex):
    """The shorter of a way d along m and that of the hull, of those that lead out; minus infinity if none does."""
    free = is_free(A, tables, m * (OFF * q.scale - d), box, q, surface, convex)
    if A.kind == MESH:
        whole, n = way_of_hull(A, tables, q, convex)
        if whole > -math.inf and (whole > d or not free):
            return whole, n
    return (d if free else -math.inf), m


@routine
def part_inside(A, tables, box, q, surface, convex):
    """Put the last touch of a way that leads out in place of the finding of a solid that is inside as a whole."""
    if not is_swallowed(surface):
        return
    m, t = row3(surface.finding[0].m), np.int64(surface.pool[0].feature_a) // 8
    d, m = way_from_inside(A, tables, m, surface.finding[0].d, box, q, surface, convex)
    s, x, facet = 0.0, q.c, np.int64(-1)
    if d > -math.inf:
        s, x, facet = last_touch(A, tables, m, OFF * q.scale - d, box, q, surface, convex)
    low = lowest_of(m, q, tables.hulls, convex.near)
    if facet < 0:
        F = surface_face(A, tables, t)
        s, x = touch_of_facet(F, m, reach_of(F, m) - low, 0.0, q, tables.hulls, convex)
        facet = t
    if s > 0.0:
        surface.counts[0] = surface.counts[1] = 0
        put_touch(surface, 0, m, s, x, facet, low, SWALLOWED)
