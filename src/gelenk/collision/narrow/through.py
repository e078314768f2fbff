"""Solids that go through a mesh: one way out, and a short one (V-20, I-093).

A needle through a plate meets facets of both sides. Each of them would push it to its own side, by no more than what of
the needle lies over that facet; and the rim, over which the way out may be shorter by far, it does not meet at all. So
where a solid is deep in a mesh, ways are looked at as wholes. A facet of normal n that the solid reaches down to
``low`` along n, with places up to ``high``, is left by

    d = low - high

Of the shortest such ways the first one counts that leads out: moved by it the solid overlaps no facet. The hull around
the mesh is left by the shortest way between two convex solids, which leads out of the mesh as well, and for a convex
mesh none is shorter. The shorter of both takes the place of all other directions. Only where several facets together
lead out by a way that is shorter still, all stays as it was: a body in a corner is pushed by floor and wall.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.epa import distance_from
from gelenk.collision.gjk import core_point, gjk_within
from gelenk.collision.narrow.facet_contact import FACE, SAME, SWALLOWED, THROUGH, Query, feature_of, put_found, put_pool
from gelenk.collision.narrow.fans import load_facets
from gelenk.collision.narrow.meeting import facet_solid
from gelenk.collision.narrow.surface_choice import TAKEN, row3
from gelenk.collision.narrow.surface_clearing import SIMILAR, reach_along
from gelenk.collision.narrow.unmet import leads_out, shifted
from gelenk.collision.narrow.unsettled import OFF, height_over
from gelenk.collision.solid import HULL, MESH, TRIANGLE, Solid
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

DEEP = 0.002  # of the size of a solid: from which depth on it is looked at
LOOKS = 8  # ways of facets that are looked at, at most
TURNS = 16  # of projections


@helper
def whole_way(surface, i):
    """Way after which the whole solid lies on the outer side of the place of finding i: negative."""
    finding = surface.finding[i]
    return finding.low - reach_along(surface, finding, row3(finding.m))


@routine
def next_way(surface, last, last_row):
    """The shortest whole way of a finding that overlaps, after one that was looked at before; -1 if there is none."""
    best, most = -1, -math.inf
    for i in range(surface.counts[0]):
        if surface.finding[i].d < 0.0:
            d = whole_way(surface, i)
            if d > most and (d < last or (d == last and i > last_row)):
                best, most = i, d
    return best, most


@routine
def way_by_all(surface):
    """A move that undoes all findings that overlap, each by its whole way, by projections in turn; what is left over.

    Source: S. Agmon, The relaxation method for linear inequalities, Canadian J. Mathematics 6 (1954).
    """
    way = Vec3(0.0, 0.0, 0.0)
    left = math.inf
    for _ in range(TURNS):
        left = 0.0
        for i in range(surface.counts[0]):
            if surface.finding[i].d < 0.0:
                m = row3(surface.finding[i].m)
                short = max(-whole_way(surface, i) - m @ way, 0.0)
                way, left = way + m * short, max(left, short)
    return way, left


@routine
def is_free(A, tables, way, box, q, surface, convex):
    """Whether a solid, moved, overlaps no facet; box: around the solid where it is now."""
    count = surface_in_box(A, tables, shifted(box, way), surface.found_b)
    if count > surface.found_b.shape[0]:
        return False
    moved = Query(q.B, q.c + way, q.radius, q.margin, q.scale, q.top, q.sinks)
    for i in range(count):
        F = surface_face(A, tables, np.int64(surface.found_b[i]))
        if height_over(F, moved, tables.hulls, convex.near, F.n) < 0.0:
            v, _, corners, _ = gjk_within(facet_solid(F), q.B, moved.c - F.p, F.n, q.radius, tables.hulls, convex)
            if corners == 4 or (corners > 0 and v.norm() < q.radius):
                return False
    return True


@helper
def parts_by_all(A, tables, box, longest, q, surface, convex):
    """Whether all findings together lead out, by a move no longer than this."""
    way, left = way_by_all(surface)
    size = way.norm()
    if size > longest or left > OFF * q.scale:
        return False
    return is_free(A, tables, way * (1.0 + OFF * q.scale / size), box, q, surface, convex)


@routine
def way_by_facet(A, tables, box, shortest, q, surface, convex):
    """Finding whose whole way is the shortest that leads out, shorter than ``shortest``; -1 if there is none."""
    last, row = math.inf, -1
    for _ in range(LOOKS):
        row, last = next_way(surface, last, row)
        if row < 0 or last <= shortest:
            return -1
        finding = surface.finding[row]
        d = finding.d
        finding.d = last
        out = leads_out(A, tables, finding, box, q, surface, convex)
        finding.d = d
        if out:
            return row
    return -1


@routine
def put_way(surface, m, d, point, t, row, regular, slack):
    """The one way out: findings of other directions, or deeper, are undone by it, and their points are left out.

    d, point: the way along m, negative, and the place where the solid then touches; regular: a finding tells it.
    """
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.d < 0.0 and (row3(finding.m) @ m < SIMILAR or finding.d < d - slack):
            finding.d = 0.0
            for k in range(surface.counts[1]):
                if int(surface.pool[k].b[1]) == i:
                    surface.pool[k].b[0] = TAKEN
    if not regular:
        put_pool(surface, point, m, d, feature_of(t, FACE), THROUGH)
        put_found(surface, row, FACE, m, d, d + point @ m, True)


@helper
def is_deep(surface, depth):
    """Whether a finding is deeper than this."""
    for i in range(surface.counts[0]):  # noqa: SIM110
        if surface.finding[i].d < 0.0 and whole_way(surface, i) < -depth:
            return True
    return False


@helper
def meets_any(surface):
    """Whether a finding overlaps, not of a solid that is inside as a whole."""
    if surface.counts[1] > 0 and surface.pool[0].feature_b == SWALLOWED:
        return False
    for i in range(surface.counts[0]):  # noqa: SIM110
        if surface.finding[i].d < 0.0:
            return True
    return False


@routine
def part_through(A, tables, candidates, box, q, surface, convex):
    """Leave one way out of a mesh that a solid is deep in, if one leads out alone; box: around the solid."""
    if A.kind != MESH or q.B.kind == TRIANGLE or tables.meshes.mesh[A.table].closed == 0 or not meets_any(surface):
        return
    load_facets(A, tables, surface, candidates)
    if not is_deep(surface, DEEP * q.scale):
        return
    hull, d, m = tables.hull_of_mesh[A.table], -math.inf, Vec3(0.0, 0.0, 1.0)
    if hull >= 0:
        upright = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        d, m, _ = distance_from(Solid(HULL, hull, upright, Vec3(0.0, 0.0, 0.0)), q.B, q.c, m, tables.hulls, convex)
    slack = SAME * q.scale
    row = way_by_facet(A, tables, box, d - slack, q, surface, convex)
    if row >= 0:
        finding = surface.finding[row]
        d, m = whole_way(surface, row), row3(finding.m)
        regular = finding.regular == 1 and finding.d <= d + slack
    elif -math.inf < d < 0.0 and not parts_by_all(A, tables, box, -d, q, surface, convex):
        regular, row = False, 0
    else:
        return
    t = np.int64(surface.found[surface.finding[row].row])
    lowest = q.c + core_point(q.B, tables.hulls, convex.near, 1, -m) - m * q.radius
    put_way(surface, m, d, lowest - m * d, t, surface.finding[row].row, regular, slack)
