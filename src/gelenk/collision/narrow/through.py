"""Solids that go through a mesh: one way out, and a short one (V-20, I-093).

A needle through a plate meets facets of both sides. Each of them would push it to its own side, by no more than what of
the needle lies over that facet; and the rim, over which the way out may be shorter by far, it does not meet at all. So
where a solid is deep in a mesh, ways are looked at as wholes. A facet of normal n that the solid reaches down to
``low`` along n, with places up to ``high``, is left by

    d = low - high

Of the shortest such ways the first one counts that leads out: moved by it the solid overlaps no facet. The hull around
the mesh is left by the shortest way between two convex solids, which leads out of the mesh as well, and for a convex
mesh none is shorter. The shorter of both takes the place of all other directions. Only where several facets together
lead out by a way that is clearly shorter still, as floor and kerb do though the way over the kerb leads out alone
(:mod:`gelenk.collision.narrow.together`), these count.

These ways end on planes, of a facet or of a face of the hull, and that is where the mesh need not be: in the hole of a
ring, or beside a plate. So the solid goes back along its way until it touches the mesh itself
(:mod:`gelenk.collision.narrow.last_touch`). There are the depth and the two points.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.epa import distance_from
from gelenk.collision.narrow.facet_contact import (
    FACE,
    SAME,
    THROUGH,
    TIP,
    feature_of,
    put_found,
    put_pool,
)
from gelenk.collision.narrow.fans import load_facets, row_of
from gelenk.collision.narrow.last_touch import last_touch, lowest_of
from gelenk.collision.narrow.set_free import is_free
from gelenk.collision.narrow.surface_choice import TAKEN, row3
from gelenk.collision.narrow.surface_clearing import SIMILAR, whole_way
from gelenk.collision.narrow.swallowed import is_swallowed
from gelenk.collision.narrow.together import parts_by_all
from gelenk.collision.narrow.unsettled import OFF
from gelenk.collision.solid import HULL, MESH, TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

DEEP = 0.002  # of the size of a solid: from which depth on it is looked at
SHORTER = 0.9  # of the way of one facet: several together must be shorter, since its points lie on the surface itself
FIRST = 8  # ways of facets that are looked at, at most, shortest first


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
def way_by_facet(A, tables, box, shortest, q, surface, convex):
    """Finding whose whole way is the shortest that leads out, shorter than ``shortest``; -1 if there is none."""
    last, row = math.inf, -1
    for _ in range(FIRST):
        row, last = next_way(surface, last, row)
        if row < 0 or last <= shortest:
            return -1
        way = row3(surface.finding[row].m) * (OFF * q.scale - last)
        if is_free(A, tables, way, box, q, surface, convex):
            return row
    return -1


@routine
def undo_others(surface, m, d, slack):
    """Leave out findings of other directions than m, or deeper than d, negative, and their points: d m undoes them."""
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.d < 0.0 and (row3(finding.m) @ m < SIMILAR or finding.d < d - slack):
            finding.d = 0.0
            for k in range(surface.counts[1]):
                if int(surface.pool[k].b[1]) == i:
                    surface.pool[k].b[0] = TAKEN


@routine
def put_touch(surface, row, m, s, x, t, low, kind):
    """The finding of a solid that comes out by s along m, last at x, a place of facet t.

    row: a candidate; low: how far down along m the solid reaches; kind: feature of the solid.
    """
    put_pool(surface, x, m, -s, feature_of(t, FACE), kind)
    put_found(surface, row, FACE, m, -s, low, True)


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
    if is_swallowed(surface):
        return False
    for i in range(surface.counts[0]):  # noqa: SIM110
        if surface.finding[i].d < 0.0:
            return True
    return False


@routine
def way_of_hull(A, tables, q, convex):
    """Shortest way out of the hull around a mesh, and its direction; minus infinity if the hull is not known."""
    hull, m = tables.hull_of_mesh[A.table], Vec3(0.0, 0.0, 1.0)
    if hull < 0:
        return -math.inf, m
    upright = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    d, m, _ = distance_from(Solid(HULL, hull, upright, Vec3(0.0, 0.0, 0.0)), q.B, q.c, m, tables.hulls, convex)
    return d, m


@routine
def part_through(A, tables, candidates, box, q, surface, convex):
    """Leave one way out of a mesh that a solid is deep in, if one leads out alone; box: around the solid.

    Whether it is certain that what is left parts them.
    """
    if A.kind != MESH or q.B.kind == TRIANGLE or tables.meshes.mesh[A.table].closed == 0 or not meets_any(surface):
        return False
    load_facets(A, tables, surface, candidates)
    if not is_deep(surface, DEEP * q.scale):
        return False
    d, m = way_of_hull(A, tables, q, convex)
    slack = SAME * q.scale
    row = way_by_facet(A, tables, box, d - slack, q, surface, convex)
    known = False
    if row >= 0:
        finding = surface.finding[row]
        d, m = whole_way(surface, row), row3(finding.m)
        known = finding.regular == 1 and finding.d <= d + slack and finding.place < TIP
    if not -math.inf < d < 0.0:
        return False
    s, x, t = -d, q.c, np.int64(-1)
    if not known:
        s, x, t = last_touch(A, tables, m, OFF * q.scale - d, box, q, surface, convex)
        if t < 0:
            return False
    if parts_by_all(A, tables, box, SHORTER * s, q, surface, convex):
        return True
    if not known:
        low = lowest_of(m, q, tables.hulls, convex.near)
        put_touch(surface, row_of(A, tables, surface, t), m, s, x, t, low, THROUGH)
    undo_others(surface, m, -s, slack)
    return True
