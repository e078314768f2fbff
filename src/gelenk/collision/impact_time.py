"""Time of impact of two convex solids that move: conservative advancement, never late (V-06, I-086).

At a time t the exact distance d > 0 has a direction n. The heights of all points along n say how long the plane between
the solids stays free; the solids advance by that time, and again, until d <= gap. Three bounds for the same n, each
safe by itself, of which the longest time counts. s(T) is the room along n, k = n x w, y a point from the centre of
rotation, rho its largest distance from the axis:

    speed      s(T) >= d - mu T,   mu = n . (v_A - v_B) + |k_A| rho_A + |k_B| rho_B
    tangent    s(T) >= L(T) = min over points of (height + speed T) - c T^2 / 2,   c = |w_A| |k_A| rho_A + same of B
    all turns  s(T) >= s* - n . (v_A - v_B) T,   s* the room left by the solids turned about their axes in every way

The tangent bound needs two supports along n + T k. L is concave, so that the chord from L(0) to any L(T) is safe, and
its error is of second order: the search ends like Newton's. Without rotation it is Newton's on a convex distance.
Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis, Berkeley 1996 (speed bound); Zhang, Lee
and Kim, Interactive continuous collision detection for non-convex polyhedra, Visual Computer 22 (2006), on bounds along
the direction of closest points. The tangent bound is Taylor's formula with the remainder of a circular motion.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.epa import distance_from
from gelenk.collision.gjk import NOWHERE, core_point
from gelenk.collision.motion import (
    ball_centre,
    extent,
    height_in_all_turns,
    make_mover,
    point_velocity,
    pose_after,
    speed_along,
    within,
)
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.solid import PLANE, Solid, rounding
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

GAP_SHARE = 1e-6  # default gap, part of the sizes: a contact this close is one, and distances are good to far less
LEAST_GAP = 1e-12  # part of sizes and ways: no gap is less, for distances have errors of this order
SLACK = 1e-12  # part of sizes and ways that bounding balls are taken larger
MOST_ADVANCES = 500  # free motion takes 1 to 8; the rest is for solids that spin many turns beside each other


class Impact(NamedTuple):
    """First contact of two moving solids; t infinite: none."""

    t: float  # [s]
    d: float  # distance then [m]
    n: Vec3  # unit normal from A to B
    a: Vec3  # centre of A to its point, as it is then, world axes [m]
    b: Vec3  # centre of B to its point


class Sight(NamedTuple):
    """Two movers at one time, and their distance."""

    A: Solid
    B: Solid
    arm_A: Vec3
    arm_B: Vec3
    r: Vec3  # centre of A to centre of B
    d: float
    n: Vec3
    a: Vec3


@helper
def no_impact():
    """What stands for no contact."""
    zero = Vec3(0.0, 0.0, 0.0)
    return Impact(math.inf, math.inf, zero, zero, zero)


@helper
def impact_at(t, sight):
    """Contact at time t."""
    return Impact(t, sight.d, sight.n, sight.a, sight.a + sight.n * sight.d - sight.r)


@helper
def default_gap(A, B, hulls):
    """Distance that counts as contact if none is given: ``GAP_SHARE`` of both sizes; a plane has none."""
    size_A = 0.0 if A.kind == PLANE else extent(A, hulls)
    return GAP_SHARE * (size_A + (0.0 if B.kind == PLANE else extent(B, hulls)))


# --- distance at one time --------------------------------------------------------------------------------------------


@routine
def outmost(solid, hulls, near, side, n):
    """Point of a bounded solid farthest along the unit vector n, from its centre."""
    return core_point(solid, hulls, near, side, n) + n * rounding(solid)


@routine
def pair_distance(A, B, r, guess, hulls, work):
    """Signed distance, normal and point of A, as :func:`gelenk.collision.epa.distance_from`; one may be a plane."""
    if A.kind == PLANE:
        n = plane_normal(A)
        p = r + outmost(B, hulls, work.near, 1, -n)
        return p @ n, n, p - n * (p @ n)
    if B.kind == PLANE:
        n = -plane_normal(B)
        a = outmost(A, hulls, work.near, 0, n)
        return (r - a) @ n, n, a
    return distance_from(A, B, r, guess, hulls, work)


@routine
def look(A, B, r, t_A, t_B, guess, hulls, work):
    """Distance of two movers, A after the time t_A and B after t_B; r: centre of A to that of B before both."""
    solid_A, way_A, arm_A = pose_after(A.solid, A.motion, t_A)
    solid_B, way_B, arm_B = pose_after(B.solid, B.motion, t_B)
    r = r + (way_B - way_A)
    d, n, a = pair_distance(solid_A, solid_B, r, guess, hulls, work)
    return Sight(solid_A, solid_B, arm_A, arm_B, r, d, n, a)


@helper
def approach_speed(A, B, sight):
    """Speed with which the nearest points of two movers come together [m/s]."""
    b = sight.a + sight.n * sight.d - sight.r
    v = point_velocity(A.motion, sight.arm_A, sight.a) - point_velocity(B.motion, sight.arm_B, b)
    return v @ sight.n


# --- how long the plane between stays free ---------------------------------------------------------------------------


@routine
def tangent_height(mover, solid, arm, hulls, near, side, n, T):
    """Largest  height + speed T  along n of any point of a mover, from the centre of its shape:

        max over p of  n . p + T (v . n + k . (arm + p)) = T (v . n + k . arm) + h(n + T k),     k = n x w

    h: support function. Of a plane that turns only the part counts that ``reach`` leaves.
    """
    k = n.cross(mover.motion.w)
    m = n + k * T
    lift = T * (mover.motion.v @ n + k @ arm)
    if solid.kind == PLANE:
        z = plane_normal(solid)
        e = m - z * (m @ z)
        return lift + e.norm() * mover.spin.reach - e @ arm
    return lift + core_point(solid, hulls, near, side, m) @ m + rounding(solid) * m.norm()


@helper
def bend(mover, n):
    """Bound on the acceleration along n of any point that turns:  |w| |n x w| reach."""
    return mover.spin.rate * n.cross(mover.motion.w).norm() * mover.spin.reach


@helper
def first_root(s, u, c):
    """Smallest T > 0 with  s = u T + c T^2 / 2,  s and c not negative; infinite if there is none."""
    root = math.sqrt(u * u + 2.0 * c * s)
    if u > 0.0:
        return 2.0 * s / (u + root)
    return (root - u) / c if c > 0.0 else math.inf


@helper
def still_height(mover, arm, n, p):
    """Height along n that a mover never exceeds by turning alone, from its centre of rotation; p: its highest point."""
    return height_in_all_turns(mover.spin, n) if mover.spin.rate > 0.0 else n @ (arm + p)


@routine
def safe_time(A, B, sight, gap, most, hulls, work):
    """Time for which two movers surely stay apart, from a sight with d > 0; at least ``most`` if it is as long as that.

    Leaves a part of the gap, so that what rounding does cannot let them touch.
    """
    d, n = sight.d, sight.n
    left, aim = min(0.25 * gap, 0.5 * d), min(0.5 * gap, 0.75 * d)
    mu = speed_along(A, n) + speed_along(B, -n)
    T = (d - left) / mu if mu > 0.0 else math.inf
    if T >= most or (A.spin.rate == 0.0 and B.spin.rate == 0.0):
        return T

    b = sight.a + n * d - sight.r
    room = n @ (sight.r + sight.arm_A - sight.arm_B)
    room -= still_height(A, sight.arm_A, n, sight.a) + still_height(B, sight.arm_B, -n, b) + left
    if room > 0.0:
        closing = n @ (A.motion.v - B.motion.v)
        T = max(T, room / closing if closing > 0.0 else math.inf)
        if T >= most:
            return T

    c = bend(A, n) + bend(B, n)
    T_0 = min(first_root(d - aim, approach_speed(A, B, sight), c), most)
    if T_0 <= T:
        return T
    L = n @ sight.r - 0.5 * c * T_0 * T_0
    L -= tangent_height(A, sight.A, sight.arm_A, hulls, work.near, 0, n, T_0)
    L -= tangent_height(B, sight.B, sight.arm_B, hulls, work.near, 1, -n, T_0)
    return T_0 if L >= left else max(T, T_0 * (d - left) / (d - L))


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
def usable_gap(A, B, r, t_end, gap, hulls):
    """The gap given, or the default if it is not above 0, not less than what distances are good for."""
    if gap <= 0.0:
        gap = default_gap(A.solid, B.solid, hulls)
    size = (0.0 if A.solid.kind == PLANE else A.spin.ball) + (0.0 if B.solid.kind == PLANE else B.spin.ball)
    return max(gap, LEAST_GAP * (size + r.norm() + (B.motion.v - A.motion.v).norm() * t_end))


# --- the search ------------------------------------------------------------------------------------------------------


@routine
def first_impact(A, B, r, t_end, gap, hulls, work):
    """Like :func:`impact_time`, of two movers."""
    t = free_time(A, B, r)
    if t > t_end:
        return no_impact()
    A, B = close_pair(A, B, r, t_end)
    gap = usable_gap(A, B, r, t_end, gap, hulls)
    work.near[0] = work.near[1] = NOWHERE
    n = Vec3(0.0, 0.0, 0.0)
    for k in range(MOST_ADVANCES):
        sight = look(A, B, r, t, t, n, hulls, work)
        if sight.d <= gap or k + 1 == MOST_ADVANCES:
            return impact_at(t, sight)
        T = safe_time(A, B, sight, gap, t_end - t, hulls, work)
        if T >= t_end - t:
            break
        t += T
        n = sight.n
    return no_impact()


@routine
def impact_time(A, motion_A, B, motion_B, r, t_end, gap, tables, work):
    """First time until t_end at which two convex solids are as near as ``gap``; infinite if they never are.

    r: centre of A to centre of B at t = 0; gap [m], or 0 for :func:`default_gap`. One of the two may be a plane. Before
    the time that is returned the distance is above 0; at it, it is above 0 and at most the gap, unless the solids were
    so near at t = 0: then the time is 0 and d what it was, negative if they overlapped, also where they move apart.
    Solids that pass each other within the gap may count as meeting. After ``MOST_ADVANCES`` looks, as for spinning
    solids that graze each other for many turns, the time reached is returned with its d: early, not late.
    A sweep along a straight line is the same without rotation. ``work``: a ConvexWork.
    """
    mover_A, mover_B = make_mover(A, motion_A, tables.hulls), make_mover(B, motion_B, tables.hulls)
    return first_impact(mover_A, mover_B, r, t_end, gap, tables.hulls, work)
