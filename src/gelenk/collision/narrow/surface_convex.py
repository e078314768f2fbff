"""Triangle mesh or height field against a convex solid (V-20, V-21, I-091, I-093).

A surface bounds a solid and has one outer side. Each triangle near the convex solid is asked for contact over its face,
over sides at which the surface bends outward, and at corners that stand out, each with the normals that place may have
(:mod:`gelenk.collision.facet`). Flat and inward sides have none of their own, so nothing catches at them.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.facet_normal import corner_of, is_bent, may_end, side_of
from gelenk.collision.gjk import NOWHERE, core_point
from gelenk.collision.narrow.facet_box import below_box
from gelenk.collision.narrow.facet_contact import SETTLED, UNKNOWN, UNSETTLED, Query, face_contact
from gelenk.collision.narrow.fans import is_new, load_facets
from gelenk.collision.narrow.from_inside import part_inside
from gelenk.collision.narrow.meeting import NOT_ASKED
from gelenk.collision.narrow.side_contact import side_contact
from gelenk.collision.narrow.surface_clearing import choose_points, of_one_direction
from gelenk.collision.narrow.through import part_through
from gelenk.collision.narrow.tip_contact import tip_contact
from gelenk.collision.narrow.together import part_rest
from gelenk.collision.narrow.unmet import ways_past
from gelenk.collision.narrow.unsettled import settle
from gelenk.collision.solid import BOX, FIELD, Solid, rounding
from gelenk.collision.surface import surface_bends, surface_face, surface_facet, surface_in_box
from gelenk.collision.surface_work import LISTED
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

EXCESS = 1e-12  # of the sizes: by which boxes are grown against round-off


@helper
def box_of(B, c, grown, hulls, near):
    """Box around a convex solid with centre c, grown on all sides."""
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    return Bounds(
        c.x + core_point(B, hulls, near, 1, -x).x - grown,
        c.y + core_point(B, hulls, near, 1, -y).y - grown,
        c.z + core_point(B, hulls, near, 1, -z).z - grown,
        c.x + core_point(B, hulls, near, 1, x).x + grown,
        c.y + core_point(B, hulls, near, 1, y).y + grown,
        c.z + core_point(B, hulls, near, 1, z).z + grown,
    )


@helper
def holds_point(box, p):
    """Whether a point lies in a box."""
    return box.x <= p.x <= box.x_high and box.y <= p.y <= box.y_high and box.z <= p.z <= box.z_high


@helper
def meets_side(box, p, q):
    """Whether the box around a side meets a box."""
    return box.meets(Bounds(min(p.x, q.x), min(p.y, q.y), min(p.z, q.z), max(p.x, q.x), max(p.y, q.y), max(p.z, q.z)))


@helper
def owns(side):
    """Whether a side is looked at from this facet: neighbours see it in opposite directions, one of them has it."""
    a, b = side.start, side.end
    if a.x != b.x:
        return a.x < b.x
    return a.y < b.y if a.y != b.y else a.z < b.z


@routine
def around_facet(F, t, row, box, q, hulls, surface, convex):
    """Contact over the sides and at the corners of a facet."""
    bent = 0
    for k in range(3):
        side = side_of(F, k)
        if is_bent(side):
            bent |= (1 << k) | (1 << (k + 1) % 3)  # its two corners
            if (owns(side) or may_end(side)) and meets_side(box, side.start, side.end):
                side_contact(side, k, t, row, q, hulls, surface, convex)
    for k in range(3):
        p = corner_of(F, k)
        if bent & (1 << k) and holds_point(box, p) and is_new(surface, row, k):
            tip_contact(p, k, row, q, hulls, surface, convex)


@routine
def surface_convex(A, B, r, margin, tables, memory, work, out):
    """Points of a surface A and a convex solid B, at most ``len(out)``; groups of one direction have up to four."""
    surface, convex, hulls = work.surface, work.convex, tables.hulls
    convex.near[0] = convex.near[1] = NOWHERE
    inner = Solid(B.kind, B.table, A.R.transposed().times(B.R), B.size)
    c, radius = A.R.tdot(r), rounding(B)
    box = box_of(inner, c, 0.0, hulls, convex.near)
    extent = Vec3(box.x_high - box.x, box.y_high - box.y, box.z_high - box.z).norm() + radius
    scale = extent + EXCESS * c.norm()
    grown = margin + radius + EXCESS * (extent + c.norm())
    high = box.z_high + radius
    sinks = A.kind == FIELD
    box = Bounds(
        box.x - grown,
        box.y - grown,
        box.z - grown,
        box.x_high + grown,
        box.y_high + grown,
        math.inf if sinks else box.z_high + grown,
    )
    count = surface_in_box(A, tables, box, surface.found)
    room = surface.found.shape[0]
    surface.counts[0] = surface.counts[1] = surface.counts[2] = surface.counts[4] = 0
    surface.counts[5] = surface.counts[7] = 0
    surface.counts[3] = max(count - room, 0)
    count = min(count, room)
    surface.counts[LISTED] = count
    top = c + core_point(inner, hulls, convex.near, 1, Vec3(0.0, 0.0, 1.0))
    q = Query(inner, c, radius, margin, scale, top, sinks)
    surface.last[0], surface.last[3] = math.nan, 0.0
    for i in range(count):
        surface.met[i] = NOT_ASKED
    for i in range(count):
        t = np.int64(surface.found[i])
        F = surface_face(A, tables, t)
        known = below_box(F, t, i, q, surface) if B.kind == BOX else UNKNOWN
        if known == UNKNOWN:
            known = face_contact(F, t, i, q, hulls, surface, convex)
        if known > SETTLED:
            if surface_bends(A, tables, t):
                load_facets(A, tables, surface, count)
                around_facet(surface_facet(A, tables, t), t, i, box, q, hulls, surface, convex)
            if known == UNSETTLED:
                surface.unsettled[surface.counts[5]] = i
                surface.counts[5] += 1
    ways_past(A, tables, count, box, q, surface, convex)
    settle(A, tables, q, high, count, surface, convex)
    parted = part_through(A, tables, count, box, q, surface, convex)
    part_inside(A, tables, box, q, surface, convex)
    if not of_one_direction(surface):
        load_facets(A, tables, surface, count)
    if not parted:
        part_rest(A, tables, count, box, q, surface, convex)
    return choose_points(surface, c, scale, A, r, out)
