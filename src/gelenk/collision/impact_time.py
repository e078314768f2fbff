"""Time of impact of two convex solids that move: conservative advancement, never late (V-06).

    t = time until which balls around both do not meet
    repeat: measure the exact distance d at t; if d <= gap: impact;  t += a time for which they surely stay apart

Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis, Berkeley 1996; the times are those of
:mod:`gelenk.collision.safe_time`. Velocities are those of the step, so gravity needs no term of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.gjk import NOWHERE
from gelenk.collision.motion import ball_centre, extent, make_mover, within
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.safe_time import safe_time
from gelenk.collision.sight import look
from gelenk.collision.solid import PLANE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

GAP_SHARE = 1e-6  # default gap, part of the sizes: a contact this close is one, and distances are good to far less
LEAST_GAP = 1e-12  # part of sizes: no gap is less, for distances have errors of this order
ROUND_OFF = 7e-15  # 32 eps, part of ways: nor less than this, for where solids are then is not known better
SLACK = 1e-12  # part of sizes and ways that bounding balls are taken larger
MOST_ADVANCES = 500  # free motion takes 1 to 8; the rest is for solids that spin many turns beside each other


class Impact(NamedTuple):
    """First contact of two moving solids; t infinite: none."""

    t: float  # [s]
    d: float  # distance then [m]
    n: Vec3  # unit normal from A to B
    a: Vec3  # centre of A to its point, as it is then, world axes [m]
    b: Vec3  # centre of B to its point


@helper
def no_impact():
    """What stands for no contact."""
    zero = Vec3(0.0, 0.0, 0.0)
    return Impact(math.inf, math.inf, zero, zero, zero)


@helper
def impact_at(t, sight):
    """Contact at time t."""
    return Impact(t, sight.d, sight.n, sight.a, sight.b)


@helper
def default_gap(A, B, hulls):
    """Distance that counts as contact if none is given: ``GAP_SHARE`` of both sizes; a plane has none."""
    size_A = 0.0 if A.kind == PLANE else extent(A, hulls)
    return GAP_SHARE * (size_A + (0.0 if B.kind == PLANE else extent(B, hulls)))


# --- the first time worth a look -------------------------------------------------------------------------------------


@routine
def balls_meet(r, v, radius):
    """First time t >= 0 with  |r + v t| <= radius;  infinite if there is none. Never late by rounding."""
    size = r.norm()
    radius = radius * (1.0 + SLACK) + SLACK * size
    if size <= radius:
        return 0.0
    vv, rv = v @ v, r @ v
    if rv >= 0.0:
        return math.inf
    miss = r - v * (rv / vv)
    rest = radius * radius - miss @ miss
    if rest < 0.0:
        return math.inf
    return (size - radius) * (size + radius) / (math.sqrt(vv * rest) - rv)


@routine
def free_time(A, B, r):
    """Time until which two movers surely do not meet, by balls around them (H-62, H-74); infinite: they never do.

    The centre of rotation goes straight on, so a ball about it holds the solid at all times. No distance is needed.
    """
    r = r + ball_centre(B) - ball_centre(A)
    v = B.motion.v - A.motion.v
    if A.solid.kind != PLANE and B.solid.kind != PLANE:
        return balls_meet(r, v, A.spin.ball + B.spin.ball)
    if (A.solid.kind == PLANE and A.spin.rate > 0.0) or (B.solid.kind == PLANE and B.spin.rate > 0.0):
        return 0.0
    n = plane_normal(A.solid) if A.solid.kind == PLANE else -plane_normal(B.solid)
    ball = B.spin.ball if A.solid.kind == PLANE else A.spin.ball
    h = n @ r - ball - SLACK * (ball + r.norm())
    if h <= 0.0:
        return 0.0
    return h / -(n @ v) if n @ v < 0.0 else math.inf


@helper
def far_of(A, B, r, t_end):
    """How far points of B can be from the centre of rotation of A until t_end."""
    way = r + A.motion.arm + ball_centre(B)
    return way.norm() + (B.motion.v - A.motion.v).norm() * t_end + B.spin.ball


@helper
def close_pair(A, B, r, t_end):
    """Both movers, a plane that turns cut off at what the other can reach."""
    if A.solid.kind == PLANE:
        return within(A, far_of(A, B, r, t_end)), B
    if B.solid.kind == PLANE:
        return A, within(B, far_of(B, A, -r, t_end))
    return A, B


@helper
def usable_gap(A, B, r, t, gap, hulls):
    """The gap given, or the default if it is not above 0, not less than what distances at time t are good for."""
    if gap <= 0.0:
        gap = default_gap(A.solid, B.solid, hulls)
    ball_A = 0.0 if A.solid.kind == PLANE else A.spin.ball
    ball_B = 0.0 if B.solid.kind == PLANE else B.spin.ball
    speed = (B.motion.v - A.motion.v).norm() + A.spin.rate * ball_A + B.spin.rate * ball_B
    return max(gap, LEAST_GAP * (ball_A + ball_B) + ROUND_OFF * (r.norm() + speed * t))


# --- the search ------------------------------------------------------------------------------------------------------


@routine
def first_impact(A, B, r, t_end, gap, hulls, work):
    """Like :func:`impact_time`, of two movers."""
    t = free_time(A, B, r)
    if t > t_end:
        return no_impact()
    A, B = close_pair(A, B, r, t_end)
    work.near[0] = work.near[1] = NOWHERE
    n = Vec3(0.0, 0.0, 0.0)
    for k in range(MOST_ADVANCES):
        sight, near = look(A, B, r, t, t, n, hulls, work), usable_gap(A, B, r, t, gap, hulls)
        if sight.d <= near or k + 1 == MOST_ADVANCES:
            return impact_at(t, sight)
        free = safe_time(A, B, sight, near, t_end - t, hulls, work)
        if free >= t_end - t:
            break
        t += free
        n = sight.n
    return no_impact()


@routine
def impact_time(A, motion_A, B, motion_B, r, t_end, gap, tables, work):
    """Time until t_end at which two convex solids meet; infinite if they do not.

    r: centre of A to centre of B at t = 0; gap [m], or 0 for :func:`default_gap`, and at least :func:`usable_gap`:
    some round-off of the way until the contact, however long it would go on; t_end finite. One of the two may be a
    plane. Until the time that is returned the distance is above 0; at it, it is above 0 and at most the gap, unless
    the solids were so near at t = 0: then the time is 0 and d what it was, below 0 if they overlapped, even if they
    part. Solids that pass each other within the gap without contact may count as meeting or not. After
    ``MOST_ADVANCES`` looks, as for solids that spin past each other for many turns, the time reached is returned
    with its d: early, not late. A sweep along a straight line is the same without rotation. ``work``: a ConvexWork.
    """
    mover_A, mover_B = make_mover(A, motion_A, tables.hulls), make_mover(B, motion_B, tables.hulls)
    return first_impact(mover_A, mover_B, r, t_end, gap, tables.hulls, work)
