"""Several ways out of a mesh together: a body in a corner is pushed by floor and wall (V-20, I-093)."""

from __future__ import annotations

import math

from gelenk.collision.narrow.facet_contact import SAME
from gelenk.collision.narrow.set_free import is_free
from gelenk.collision.narrow.surface_choice import KEPT, row3
from gelenk.collision.narrow.surface_clearing import drop_cleared
from gelenk.collision.narrow.unsettled import OFF
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3

TURNS = 64  # of the search for one move that undoes all
STEADY = 1e-12  # of that move: changes after which it is found


@routine
def way_by_all(surface, beyond):
    """The shortest move w that undoes findings that overlap and are kept, and what is left over:

        min |w|   with   m_i . w >= beyond - d_i,     w = sum p_i m_i,   p_i >= 0

    each p_i, the push of a finding, in turn until they settle. beyond: how far past each place it goes, however little
    deep that is.
    Source: C. Hildreth, A quadratic programming procedure, Naval Research Logistics Quarterly 4 (1957).
    """
    way, left = Vec3(0.0, 0.0, 0.0), math.inf
    for i in range(surface.counts[0]):
        surface.finding[i].push = 0.0
    for _ in range(TURNS):
        left = 0.0
        for i in range(surface.counts[0]):
            finding = surface.finding[i]
            if finding.d < 0.0 and finding.gone == KEPT:
                m = row3(finding.m)
                more = max(beyond - finding.d - m @ way, -finding.push)
                finding.push += more
                way, left = way + m * more, max(left, abs(more))
        if left <= STEADY * way.norm():
            break
    return way, left


@routine
def parts_by_all(A, tables, box, longest, q, surface, convex):
    """Whether findings, those that no other one clears, lead out together by a way shorter than this."""
    drop_cleared(surface, SAME * q.scale)
    way, left = way_by_all(surface, OFF * q.scale)
    if way.norm() >= longest or left > OFF * q.scale:
        return False
    return is_free(A, tables, way, box, q, surface, convex)
