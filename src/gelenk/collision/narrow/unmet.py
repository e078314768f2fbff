"""Ways out past facets that a convex solid does not meet (V-20, I-093).

The places of an overlap are facets that the solid meets, and their sides and corners. A solid with edges sharper than a
right angle can have a shorter way out: a tip just inside, beside an outward edge, leaves over the facet beyond the edge
without meeting it. Such a place counts if its way is shorter than all that are known and leads *out*: moved by it, the
solid lies on that place from the outer side and overlaps no facet at all. So of a solid that is deep inside a block
only that one face can count, and none that lies behind a wall.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.facet_normal import side_of
from gelenk.collision.narrow.facet_contact import SAME, face_contact
from gelenk.collision.narrow.fans import candidate_corner, fan_of
from gelenk.collision.narrow.last_touch import last_touch
from gelenk.collision.narrow.meeting import ADMITTED, overlaps
from gelenk.collision.narrow.set_free import leads_out
from gelenk.collision.narrow.side_contact import is_sharp, side_contact
from gelenk.collision.narrow.surface_choice import row3
from gelenk.collision.narrow.swallowed import middle_of
from gelenk.collision.narrow.tip_contact import face_count, height_below, tip_beside
from gelenk.collision.narrow.unsettled import OFF, height_over
from gelenk.collision.surface import surface_face, surface_facet
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

BESIDE = 1e-3  # of the sizes: how far points of the pool may be beside the solid
ONE_WAY = 1.0 - 1e-9  # cosine between normals of one way out


@helper
def way_of(finding, q):
    """The depth of a finding along its normal, and a little more."""
    return row3(finding.m) * (OFF * q.scale - finding.d)


@routine
def look_again(A, tables, row, k, q, surface, convex):
    """Findings over side k of a candidate, or its face if k is 3, as if the solid met it; whether there is one more."""
    before, met = surface.counts[0], surface.met[row]
    t = np.int64(surface.found[row])
    surface.met[row] = ADMITTED
    if k == 3:
        face_contact(surface_face(A, tables, t), t, row, q, tables.hulls, surface, convex)
    else:
        side_contact(side_of(surface_facet(A, tables, t), k), k, t, row, q, tables.hulls, surface, convex)
    surface.met[row] = met
    return surface.counts[0] > before


@routine
def unmet_place(A, tables, i, best, x, q, surface, convex):
    """Place i of those that the solid does not meet: row and side, or 3 for the face; row -1 if it is deeper.

    x: a point of the solid; most facets lie far above it, which is seen without a search.
    """
    faces = surface.counts[5]
    if i >= faces:
        row, k, d = surface.pierce[i - faces, 0], surface.pierce[i - faces, 1], surface.pierce[i - faces, 2]
        return (np.int64(row) if d > best else np.int64(-1)), np.int64(k)
    row = np.int64(surface.unsettled[i])
    F = surface_face(A, tables, np.int64(surface.found[row]))
    if (x - F.p) @ F.n < best - BESIDE * q.scale:
        return np.int64(-1), np.int64(3)
    low = height_over(F, q, tables.hulls, convex.near, F.n)
    return (row if best < low < 0.0 else np.int64(-1)), np.int64(3)


@routine
def known_way(A, tables, q, surface, convex):
    """The shortest way out that is known, negative, and whether it is that of a regular finding; else by a plane.

    Minus infinity without overlap. What is as deep as a plane can still have its place over the next facet of it.
    """
    regular, plane = -math.inf, -math.inf
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.d < 0.0 and finding.regular == 1:
            regular = max(regular, finding.d)
        elif finding.d < 0.0:
            F = surface_face(A, tables, np.int64(surface.found[finding.row]))
            plane = max(plane, finding.low - F.p @ row3(finding.m))
    unsettled = surface.counts[5] if max(regular, plane) == -math.inf else 0
    for i in range(unsettled):
        row = np.int64(surface.unsettled[i])
        F = surface_face(A, tables, np.int64(surface.found[row]))
        low = height_over(F, q, tables.hulls, convex.near, F.n)
        if plane < low < 0.0 and overlaps(F, row, q, tables.hulls, surface, convex):
            plane = low
    return max(regular, plane - 2.0 * SAME * q.scale), regular > -math.inf


@helper
def point_inside(q, hulls, surface):
    """A point of the solid that is inside the surface, if one is known; else its middle."""
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.d < 0.0:
            return row3(point.a) + row3(point.n) * point.d
    return middle_of(q.B, q.c, hulls)


@routine
def to_last_touch(A, tables, i, k, box, q, surface, convex):
    """Move point k, the one of finding i, to the last touch on its way out; the depth there, negative."""
    finding, point = surface.finding[i], surface.pool[k]
    s, x, t = last_touch(A, tables, row3(finding.m), OFF * q.scale - finding.d, box, q, surface, convex)
    if t >= 0:
        finding.d = point.d = -s
        point.a[0], point.a[1], point.a[2] = x.x, x.y, x.z
    return finding.d


@routine
def corners_beside(A, tables, candidates, box, best, regular, q, surface, convex):
    """Findings of corners beside the solid that are shorter ways out than ``best``: the shortest.

    Where a regular finding is known, a corner of a facet that the solid meets counts as it is. Of others depth and
    point are those of the last touch on the way.
    """
    faces, slack = face_count(q.B, tables.hulls), SAME * q.scale
    for place in range(3 * candidates):
        row, k = place // 3, place % 3
        if fan_of(surface, row, k) == place:  # every corner once
            x = candidate_corner(surface, row, k) - q.c
            for i in range(faces):
                g = height_below(q.B, tables.hulls, i, x, convex.near)
                if not best + slack < g < -slack:
                    continue
                findings, points = surface.counts[0], surface.counts[1]
                sure = tip_beside(row, k, i, g, q, tables.hulls, surface, convex)
                if surface.counts[0] > findings:
                    mine = surface.finding[findings]
                    if sure and regular:
                        best = mine.d
                    elif leads_out(A, tables, way_of(mine, q), box, q, surface, convex):
                        best = to_last_touch(A, tables, findings, points, box, q, surface, convex)
                    else:
                        surface.counts[0], surface.counts[1] = findings, points
    return best


@routine
def ways_past(A, tables, candidates, box, q, surface, convex):
    """Add the findings of the shortest way out, if it leads past facets that a solid with sharp edges does not meet."""
    if not is_sharp(q.B):
        return
    best, regular = known_way(A, tables, q, surface, convex)
    if best == -math.inf:
        return
    x = point_inside(q, tables.hulls, surface)
    if surface.counts[4]:
        best = corners_beside(A, tables, candidates, box, best, regular, q, surface, convex)
    slack = SAME * q.scale
    places = surface.counts[5] + surface.counts[7]
    normal = Vec3(0.0, 0.0, 0.0)
    for i in range(places):
        findings, points = surface.counts[0], surface.counts[1]
        row, k = unmet_place(A, tables, i, best + slack, x, q, surface, convex)
        if row >= 0 and look_again(A, tables, row, k, q, surface, convex):
            mine = surface.finding[findings]
            shorter = mine.regular == 1 and best + slack < mine.d < 0.0
            if shorter and leads_out(A, tables, way_of(mine, q), box, q, surface, convex):
                best, normal = mine.d, row3(mine.m)
            surface.counts[0], surface.counts[1] = findings, points
    if normal @ normal == 0.0:
        return
    for i in range(places):
        findings, points = surface.counts[0], surface.counts[1]
        row, k = unmet_place(A, tables, i, best - slack, x, q, surface, convex)
        if row >= 0 and look_again(A, tables, row, k, q, surface, convex):
            mine = surface.finding[findings]
            if mine.regular == 0 or abs(mine.d - best) > slack or row3(mine.m) @ normal < ONE_WAY:
                surface.counts[0], surface.counts[1] = findings, points
