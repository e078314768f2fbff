"""Which normals a contact with a facet may have, side by side (V-20, V-21, I-093).

Over a side from ``start`` to ``end`` a normal is a point of the arc

    m(theta) = n cos theta + o sin theta,     o = e x n,     0 <= theta <= theta_side

e the direction of the side, o level and outward. The arc ends at the normal the :class:`Facet` names for that side.
Where both are the same, the surface is flat there or bends inward: the side has no normal of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from gelenk.compile import helper
from gelenk.math.vec3 import Vec3

BENT = 1e-9  # angle from which on a side bends outward: below it n is as good


class Side(NamedTuple):
    """A side of a facet with its arc of normals; axes of the surface, from its origin."""

    start: Vec3
    end: Vec3
    e: Vec3  # unit, from start to end
    length: float
    n: Vec3  # where the arc begins
    o: Vec3  # a quarter turn on
    c: float  # cosine and sine of the angle where it ends
    s: float


@helper
def side_of(F, k):
    """Side k of a facet: p q, q s, s p."""
    start, end, last = (F.p, F.q, F.n_pq) if k == 0 else ((F.q, F.s, F.n_qs) if k == 1 else (F.s, F.p, F.n_sp))
    e = end - start
    length = e.norm()
    e = e * (1.0 / length if length > 0.0 else 0.0)
    o = e.cross(F.n)
    c, s = last @ F.n, last @ o
    return Side(start, end, e, length, F.n, o, c, s)


@helper
def is_bent(side):
    """Whether the surface bends outward at a side, or ends there."""
    return side.s > BENT or side.c < 0.0


@helper
def may_end(side):
    """Whether the surface may end at a side: the arc is a quarter. At right angles it is so too."""
    return abs(side.c) <= BENT


@helper
def arc_normal(side, c, s):
    """Normal of the arc at an angle given by its cosine and sine."""
    return side.n * c + side.o * s


@helper
def in_arc(side, m, slack):
    """Whether a unit normal is on the arc, up to an angle ``slack``; its part along the side does not count."""
    x, y = m @ side.n, m @ side.o
    after_start = y >= -slack and (y > slack or x > 0.0 or side.c < 0.0)
    # the turn from m to the end of the arc: less than half a turn and not backward
    turn = x * side.s - y * side.c
    before_end = turn >= -slack
    return after_start and before_end and x * x + y * y > slack


@helper
def corner_of(F, k):
    """Corner k of a facet: p, q, s."""
    return F.p if k == 0 else (F.q if k == 1 else F.s)
