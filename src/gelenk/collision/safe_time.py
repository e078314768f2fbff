"""How long a plane between two moving solids surely stays free of both (V-06).

At a time with distance d the plane has the direction n of the nearest points. s(T) is the room that heights along n
leave between the solids after T more; v, w velocities, k = n x w, rho the largest distance of a point from its axis of
rotation. Each of these bounds is safe by itself, and the longest time counts:

    speed      s(T) >= d - mu T,   mu = n . (v_A - v_B) + |k_A| rho_A + |k_B| rho_B
    all turns  s(T) >= s* - n . (v_A - v_B) T,   s* the room left by the solids turned about their axes in every way
    tangent    s(T) >= L(T) = min over all points of (height + its speed T) - c T^2 / 2,   c bounds the acceleration
    carried    the same for a plane that turns with one of the solids, which then keeps its height

The minimum is a support mapping along n + T k. L is concave, so the chord from L(0) = d to any L(T) is safe as well,
and its error is of second order: the search ends like Newton's. Without rotation it is Newton's on a convex distance.
Source of the speed bound: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis, Berkeley 1996; along
the direction of nearest points: Zhang, Lee and Kim, Interactive continuous collision detection for non-convex
polyhedra, Visual Computer 22 (2006). The tangent bounds are Taylor's formula with the remainder of a circular motion.
"""

from __future__ import annotations

import math

from gelenk.collision.gjk import core_point
from gelenk.collision.motion import height_in_all_turns, speed_along
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.sight import approach_speed, from_other_side
from gelenk.collision.solid import PLANE, rounding
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

LEFT = 0.25  # part of the gap that stays free, so that rounding does not let solids touch
AIM = 0.5  # part of the gap where the next time should end


@routine
def safe_time(A, B, sight, gap, most, hulls, work):
    """Time for which two movers surely stay apart, from a sight with d > 0; at least ``most`` if it is as long as that.

    gap [m]: where the search is going to end.
    """
    d, n = sight.d, sight.n
    left, aim = min(LEFT * gap, 0.5 * d), min(AIM * gap, 0.75 * d)
    mu = speed_along(A, n) + speed_along(B, -n)
    free = (d - left) / mu if mu > 0.0 else math.inf
    if free >= most or (A.spin.rate == 0.0 and B.spin.rate == 0.0):
        return free
    free = max(free, all_turns_time(A, B, sight, left))
    if free >= most:
        return free
    trial = min(first_root(d - aim, approach_speed(A, B, sight), bend(A, n) + bend(B, n)), most)
    if free >= trial:
        return free
    free = max(free, chord(d, tangent_room(A, B, sight, trial, hulls, work.near), trial, left))
    if free >= trial:
        return free
    if A.spin.rate > 0.0 and sight.B.kind != PLANE:
        free = max(free, carried_time(A, B, sight, left, aim, most, hulls, work.near, 1))
    if B.spin.rate > 0.0 and sight.A.kind != PLANE:
        free = max(free, carried_time(B, A, from_other_side(sight), left, aim, most, hulls, work.near, 0))
    return free


@helper
def first_root(s, u, c):
    """Smallest T > 0 with  s = u T + c T^2 / 2,  s and c not negative; infinite if there is none."""
    root = math.sqrt(u * u + 2.0 * c * s)
    if u > 0.0:
        return 2.0 * s / (u + root)
    return (root - u) / c if c > 0.0 else math.inf


@helper
def chord(d, room, trial, left):
    """Time up to ``trial`` until which a concave room that is d at first and ``room`` then has at least ``left``."""
    return trial if room >= left else trial * (d - left) / (d - room)


# --- solids turned in every way --------------------------------------------------------------------------------------


@helper
def height_in_turns(mover, arm, n, p):
    """Height along n that turning alone does not exceed, from the centre of rotation; p: the highest point now."""
    return height_in_all_turns(mover, n) if mover.spin.rate > 0.0 else n @ (arm + p)


@routine
def all_turns_time(A, B, sight, left):
    """Time by the bound for all turns; 0 if it says nothing."""
    n = sight.n
    room = n @ (sight.r + sight.arm_A - sight.arm_B) - left
    room -= height_in_turns(A, sight.arm_A, n, sight.a) + height_in_turns(B, sight.arm_B, -n, sight.b)
    if not room > 0.0:
        return 0.0
    closing = n @ (A.motion.v - B.motion.v)
    return room / closing if closing > 0.0 else math.inf


# --- a plane at rest -------------------------------------------------------------------------------------------------


@helper
def bend(mover, n):
    """Bound on the acceleration along n of any point that turns:  |w| |n x w| rho."""
    return mover.spin.rate * n.cross(mover.motion.w).norm() * mover.spin.reach


@routine
def tilted_height(solid, hulls, near, side, m):
    """Largest height along m of a core, from its centre, and the radius around it, which no turn alters."""
    return core_point(solid, hulls, near, side, m) @ m + rounding(solid)


@routine
def tangent_height(mover, solid, arm, hulls, near, side, n, T):
    """Largest  height + speed T  along n of any point of a mover, from the centre of its shape:

        max over p of  n . p + T (v . n + k . (arm + p)) = T (v . n + k . arm) + h(n + T k),     k = n x w

    h: support function of the core. Of a plane that turns only the part counts that ``reach`` leaves.
    """
    k = n.cross(mover.motion.w)
    m = n + k * T
    lift = T * (mover.motion.v @ n + k @ arm)
    if solid.kind == PLANE:
        z = plane_normal(solid)
        e = m - z * (m @ z)
        return lift + e.norm() * mover.spin.reach - e @ arm
    return lift + tilted_height(solid, hulls, near, side, m)


@helper
def tangent_room(A, B, sight, T, hulls, near):
    """L(T) of a plane at rest."""
    n = sight.n
    room = n @ sight.r - 0.5 * (bend(A, n) + bend(B, n)) * T * T
    room -= tangent_height(A, sight.A, sight.arm_A, hulls, near, 0, n, T)
    return room - tangent_height(B, sight.B, sight.arm_B, hulls, near, 1, -n, T)


# --- a plane that turns with A ---------------------------------------------------------------------------------------


@routine
def carried_time(A, B, sight, left, aim, most, hulls, near, side):
    """Time by a plane that turns with A; side: which of ``near`` is that of B, a bounded solid.

    With q the way from the centre of rotation of A to that of B, w = w_B - w_A, v = v_B - v_A, and p a point from the
    centre of rotation of B, heights over the plane have

        speed          n . v - (n x w_A) . q + (n x w) . p
        acceleration   n . (w x (w x p) + (w_B x w_A) x p + w_A x (w_A x q) - 2 w_A x v),     |p| <= ball of B
    """
    n, arm_B = sight.n, sight.arm_B
    if B.spin.rate == 0.0:  # any point is a centre of rotation: take that of its ball
        arm_B = Vec3(0.0, 0.0, 0.0)
    w_A, w, v = A.motion.w, B.motion.w - A.motion.w, B.motion.v - A.motion.v
    q = sight.r + sight.arm_A - arm_B
    size, speed, rate = q.norm(), v.norm(), A.spin.rate
    T = min(most, (size + B.spin.ball) / speed if speed > 0.0 else math.inf)
    c = (w @ w + w_A.cross(B.motion.w).norm()) * B.spin.ball + rate * (rate * (size + speed * T) + 2.0 * speed)
    T = min(T, first_root(sight.d - aim, approach_speed(A, B, sight), c))
    k = n.cross(w)
    room = n @ (sight.r - sight.a) + T * (n @ v - n.cross(w_A) @ q + k @ arm_B) - 0.5 * c * T * T
    room -= tilted_height(sight.B, hulls, near, side, -(n + k * T))
    return chord(sight.d, room, T, left)
