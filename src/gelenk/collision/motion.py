"""Rigid motion of a solid over one step, and how far its points can get (V-06, H-62, H-74).

Velocity v of the centre of rotation (mostly the centre of mass) and angular velocity w stay as they are for the step:

    R(t) = exp(w t) R(0),     c(t) = c(0) + v t + (exp(w t) - 1) arm

with c the centre of the shape and arm the way to it from the centre of rotation. Forces during the step are in v and w.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    PLANE,
    SPHERE,
    TRIANGLE,
    Solid,
    core_support,
    rounding,
)
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3, rotation_exp
from gelenk.math.vec3 import Vec3, get3


class Motion(NamedTuple):
    """How a solid moves from its pose at t = 0; world axes."""

    v: Vec3  # of the centre of rotation [m/s]
    w: Vec3  # [rad/s]
    arm: Vec3  # centre of rotation to centre of the shape at t = 0 [m]


class Spin(NamedTuple):
    """Room that a turning solid needs, seen from its centre of rotation; it is the same at all times.

    Reach and heights are those of the core: a radius around it stays what it is in any turn. A solid whose core lies on
    the axis, such as a ball about its centre, fills the same room all the time and counts as not turning.
    """

    rate: float  # |w| [rad/s]
    axis: Vec3  # unit vector along w, zero if it does not turn
    reach: float  # no point of the core is farther from the axis of rotation [m]; 0 if it does not turn
    low: float  # all points of the core lie between these heights along the axis [m]
    high: float
    ball: float  # radius of a ball about the centre of rotation, or of the shape if it does not turn [m]


class Mover(NamedTuple):
    """A solid that moves."""

    solid: Solid
    motion: Motion
    spin: Spin


@helper
def no_motion():
    """At rest."""
    zero = Vec3(0.0, 0.0, 0.0)
    return Motion(zero, zero, zero)


@helper
def pose_after(solid, motion, t):
    """The solid turned as at time t, the way of its centre until then, and its arm."""
    turn = rotation_exp(motion.w * t)
    arm = turn @ motion.arm
    return Solid(solid.kind, solid.table, turn.times(solid.R), solid.size), motion.v * t + (arm - motion.arm), arm


@helper
def point_velocity(motion, arm, p):
    """Velocity of the point p, from the centre of the shape; arm as it is then:  v + w x (arm + p)."""
    return motion.v + motion.w.cross(arm + p)


@helper
def off_axis(p, axis):
    """Distance of p from the line along the unit vector ``axis`` through the origin."""
    return p.cross(axis).norm()


@helper
def column(R, k):
    """Column k of a matrix: an axis of a shape, or a corner of a triangle."""
    if k == 0:
        return Vec3(R.xx, R.yx, R.zx)
    return Vec3(R.xy, R.yy, R.zy) if k == 1 else Vec3(R.xz, R.yz, R.zz)


@routine
def reach_from(solid, hulls, arm, axis):
    """Bound on the distance of all points of the core of a bounded solid from a unit axis.

    Exact where points are the end of all: box, hull, triangle, ball, capsule. Discs count with their whole radius, an
    ellipsoid x = R S e, |e| = 1 with the Frobenius norm of  [axis]x R S,  not less than its largest singular value.
    """
    s, R = solid.size, solid.R
    z = column(R, 2)
    most = off_axis(arm, axis)
    if solid.kind == CAPSULE or solid.kind == CYLINDER:
        most = max(off_axis(arm + z * s.z, axis), off_axis(arm - z * s.z, axis))
        most += s.x if solid.kind == CYLINDER else 0.0
    elif solid.kind == CONE:
        most = max(off_axis(arm + z * s.z, axis), most + s.x)
    elif solid.kind == ELLIPSOID:
        u = R.tdot(axis)
        k = s.x * s.x * (1.0 - u.x * u.x) + s.y * s.y * (1.0 - u.y * u.y) + s.z * s.z * (1.0 - u.z * u.z)
        most += min(math.sqrt(max(k, 0.0)), max(s.x, s.y, s.z))
    elif solid.kind == HULL:
        hull = hulls.hull[solid.table]
        most = 0.0
        for v in range(hull.vertex_first, hull.vertex_last):
            most = max(most, off_axis(arm + R @ get3(hulls.vertex, v), axis))
    elif solid.kind == BOX or solid.kind == TRIANGLE:
        most = 0.0
        for k in range(8 if solid.kind == BOX else 3):
            p = column(R, k) if solid.kind == TRIANGLE else R @ box_corner(s, k)
            most = max(most, off_axis(arm + p, axis))
    return most


@helper
def box_corner(size, k):
    """Corner k of a box, 0 to 7, shape axes."""
    return Vec3(
        size.x if k & 1 else -size.x,
        size.y if k & 2 else -size.y,
        size.z if k & 4 else -size.z,
    )


@routine
def extent(solid, hulls):
    """Distance of the farthest point of a solid from its centre; infinite for a plane."""
    s = solid.size
    if solid.kind == SPHERE:
        return s.x
    if solid.kind == BOX:
        return s.norm()
    if solid.kind == CAPSULE:
        return s.x + s.z
    if solid.kind == CYLINDER:
        return math.sqrt(s.x * s.x + s.z * s.z)
    if solid.kind == CONE:
        return max(s.x, s.z)
    if solid.kind == ELLIPSOID:
        return max(s.x, s.y, s.z)
    most = 0.0
    if solid.kind == HULL:
        hull = hulls.hull[solid.table]
        for v in range(hull.vertex_first, hull.vertex_last):
            p = get3(hulls.vertex, v)
            most = max(most, p @ p)
        return math.sqrt(most)
    if solid.kind == TRIANGLE:
        return max(column(solid.R, 0).norm(), column(solid.R, 1).norm(), column(solid.R, 2).norm())
    return math.inf


@routine
def core_height(solid, hulls, d):
    """Largest height of a point of the core of a bounded solid along d, from its centre."""
    return core_support(solid, hulls, d) @ d


@routine
def spin_of(solid, motion, hulls):
    """Room that a solid needs for its motion; infinite for a plane."""
    rate = motion.w.norm()
    axis = motion.w * (1.0 / rate) if rate > 0.0 else motion.w
    if solid.kind == PLANE and rate > 0.0:
        return Spin(rate, axis, math.inf, -math.inf, math.inf, math.inf)
    reach = reach_from(solid, hulls, motion.arm, axis) if rate > 0.0 else 0.0
    if reach == 0.0:
        return Spin(0.0, Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, extent(solid, hulls))
    at = motion.arm @ axis
    low, high = at - core_height(solid, hulls, -axis), at + core_height(solid, hulls, axis)
    far = max(high, -low)
    return Spin(rate, axis, reach, low, high, math.sqrt(reach * reach + far * far) + rounding(solid))


@helper
def mover_of(solid, motion, spin):
    """A solid with its motion, without a turn that does not count, and the room it needs."""
    w = motion.w if spin.rate > 0.0 else Vec3(0.0, 0.0, 0.0)
    return Mover(solid, Motion(motion.v, w, motion.arm), spin)


@helper
def make_mover(solid, motion, hulls):
    """The same, with the room found here."""
    return mover_of(solid, motion, spin_of(solid, motion, hulls))


@helper
def within(mover, far):
    """The same, of a plane that turns only what is no farther than this from its centre of rotation."""
    spin = mover.spin
    if mover.solid.kind == PLANE and spin.rate > 0.0:
        return Mover(mover.solid, mover.motion, Spin(spin.rate, spin.axis, far, -far, far, spin.ball))
    return mover


@helper
def speed_along(mover, n):
    """Bound on the speed of the height along the unit vector n, at any time:  v . n + |n x w| reach.

    A point p from the centre of rotation has  v . n + p . (n x w),  and only its part across the axis counts, which
    keeps its length. Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis, Berkeley 1996,
    with |w| and the distance from the centre in place of |n x w| and that from the axis.
    """
    return mover.motion.v @ n + n.cross(mover.motion.w).norm() * mover.spin.reach


@helper
def height_in_all_turns(mover, n):
    """Largest height along the unit vector n, from the centre of rotation, of any point in any turn about its axis."""
    spin = mover.spin
    k = n @ spin.axis
    return n.cross(spin.axis).norm() * spin.reach + max(k * spin.high, k * spin.low) + rounding(mover.solid)


@helper
def ball_centre(mover):
    """Centre of the shape to that of the ball in ``Spin``, at t = 0."""
    return -mover.motion.arm if mover.spin.rate > 0.0 else Vec3(0.0, 0.0, 0.0)


@helper
def shape_matrix(p, q, s):
    """Corners of a triangle as the columns of a matrix, as ``Solid`` takes them."""
    return Mat3(p.x, q.x, s.x, p.y, q.y, s.y, p.z, q.z, s.z)
