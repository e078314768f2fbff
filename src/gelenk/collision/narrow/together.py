"""Several ways out of a mesh together: a body in a corner is pushed by floor and wall (V-20, I-093).

The shortest move that undoes all findings (:mod:`gelenk.collision.narrow.shortest_move`) need not lead out: across a
facet it brings parts of the solid over it that were beside. So the solid is looked at where the move ends, and facets
that it overlaps there are added, each with the depth along its normal that it then takes.
"""

from __future__ import annotations

import math

from gelenk.collision.narrow.facet_contact import FACE, OVERLAP, SAME, feature_of, put_found, put_pool
from gelenk.collision.narrow.fans import load_facets, row_of
from gelenk.collision.narrow.last_touch import lowest_of
from gelenk.collision.narrow.set_free import deepest_in_way
from gelenk.collision.narrow.shortest_move import way_by_all
from gelenk.collision.narrow.surface_choice import FIRST, KEPT, TAKEN, row3
from gelenk.collision.narrow.surface_clearing import drop_cleared, of_one_direction
from gelenk.collision.narrow.surface_inside import is_inside, is_over, is_within
from gelenk.collision.narrow.swallowed import is_swallowed, middle_of
from gelenk.collision.narrow.unsettled import OFF, least_distance
from gelenk.collision.solid import MESH, TRIANGLE
from gelenk.collision.surface import surface_face
from gelenk.compile import routine

ALONE = 0.999  # cosine (2.6 degrees) of a normal to a way from which on no other has a share in it
ROUNDS = 4  # in which facets that are in the way are added, one each


@routine
def put_blocking(A, tables, way, s, x, t, q, surface, convex):
    """The finding of a facet t that a solid, moved, has still to leave by s along its normal n, last at x.

    The way as a whole, now:  -d = s + n . way.  What touches at x is now at  x - way - s n,  from where the depth leads
    to  x - way + (n . way) n  in the plane of the facet, which is on the surface or inside as behind an inward edge.
    Whether it is.
    """
    F = surface_face(A, tables, t)
    n = F.n
    a, d, slack = x - way + n * (n @ way), -s - n @ way, SAME * q.scale
    if d >= 0.0 or not (is_over(F, a, slack) or is_inside(A, tables, a, slack, 0.0)):
        return False
    put_pool(surface, a, n, d, feature_of(t, FACE), OVERLAP)
    put_found(surface, row_of(A, tables, surface, t), FACE, n, d, lowest_of(n, q, tables.hulls, convex.near), False)
    surface.pool[surface.counts[1] - 1].b[0] = FIRST
    return True


@routine
def put_aside(surface, longest):
    """Leave findings that are as deep as this out of account: no shorter way undoes them but past their places."""
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        finding.aside = 0.0
        if finding.d <= -longest:
            finding.aside, finding.d = finding.d, 0.0


@routine
def take_back(surface):
    """Take findings that were put aside into account again."""
    for i in range(surface.counts[0]):
        if surface.finding[i].aside < 0.0:
            surface.finding[i].d = surface.finding[i].aside


@routine
def drop_aside(surface):
    """Leave out the points of findings that were put aside."""
    for k in range(surface.counts[1]):
        if surface.finding[int(surface.pool[k].b[1])].aside < 0.0:
            surface.pool[k].b[0] = TAKEN


@routine
def is_by_one(surface, way):
    """Whether all findings that push do so along the way, and one is not regular: its point may lie inside the mesh."""
    regular = True
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.d < 0.0 and finding.gone == KEPT:
            if row3(finding.m) @ way < ALONE * way.norm():
                return False
            regular = regular and finding.regular == 1
    return not regular


@routine
def ends_outside(A, tables, box, longest, q, surface, convex):
    """Whether findings, those that no other one clears, lead out together by a way shorter than this.

    A move across a facet brings other parts of the solid over it, or over a facet that it did not meet: each that is in
    the way adds its finding, the one it is deepest in first.
    """
    for _ in range(ROUNDS):
        drop_cleared(surface, SAME * q.scale)
        way, found = way_by_all(surface, OFF * q.scale, SAME * q.scale)
        if not found or way.norm() >= longest:
            return False
        s, x, t = deepest_in_way(A, tables, way, longest, box, q, surface, convex)
        if t < 0:
            if is_by_one(surface, way):
                return False
            return not is_within(A, tables, middle_of(q.B, q.c + way, tables.hulls), 0.0)
        if not put_blocking(A, tables, way, s, x, t, q, surface, convex):
            return False
    return False


@routine
def parts_by_all(A, tables, box, longest, q, surface, convex):
    """Leave findings that lead out together by a way shorter than this; if there is none, all stays as it was."""
    put_aside(surface, longest)
    findings, points = surface.counts[0], surface.counts[1]
    if ends_outside(A, tables, box, longest, q, surface, convex):
        drop_aside(surface)
        return True
    surface.counts[0], surface.counts[1] = findings, points
    take_back(surface)
    return False


@routine
def part_rest(A, tables, candidates, box, q, surface, convex):
    """Add findings of facets that stand in the way of the shortest move that undoes all others, of many directions."""
    if A.kind != MESH or q.B.kind == TRIANGLE or is_swallowed(surface) or least_distance(surface) >= -OFF * q.scale:
        return
    if of_one_direction(surface):
        return
    load_facets(A, tables, surface, candidates)
    parts_by_all(A, tables, box, math.inf, q, surface, convex)
