"""Poses, twists and wrenches as values, linear part first.

A pose X_AB = (p_AB, q_AB) takes points of frame B to frame A:  p_AP = p_AB + R_AB p_BP.
A twist (v, w) is the velocity of the frame's origin and its angular velocity; a wrench (f, t) is the force and the
torque about the origin. Power  f . v + t . w  does not depend on the frame:  :func:`wrench_in` is the transposed
inverse of :func:`twist_in`.
"""

from __future__ import annotations

from typing import NamedTuple

from gelenk.compile import helper, value_type
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3


@value_type
class Pose(NamedTuple):
    """Rigid transform X_AB."""

    p: Vec3
    q: Quat

    def __mul__(a, b):
        """X_AC = X_AB X_BC."""
        return Pose(a.p + rotation(a.q) @ b.p, a.q * b.q)

    def inv(a):
        """X_BA."""
        return Pose(-rotation(a.q).tdot(a.p), a.q.conj())

    def point(a, p):
        """p_AP from p_BP."""
        return a.p + rotation(a.q) @ p

    def point_back(a, p):
        """p_BP from p_AP."""
        return rotation(a.q).tdot(p - a.p)


class Twist(NamedTuple):
    """Velocity of a frame's origin [m/s] and its angular velocity [rad/s]."""

    v: Vec3
    w: Vec3


class Wrench(NamedTuple):
    """Force [N] and torque about a frame's origin [N m]."""

    f: Vec3
    t: Vec3


@helper
def twist_in(X_AB, V):
    """Twist of one rigid body, given at B's origin in B's axes, at A's origin in A's axes.

    w_A = R w_B,   v_A = R v_B + p_AB x w_A.
    """
    R = rotation(X_AB.q)
    w = R @ V.w
    return Twist(R @ V.v + X_AB.p.cross(w), w)


@helper
def wrench_in(X_AB, F):
    """Wrench given at B's origin in B's axes, at A's origin in A's axes:  f_A = R f_B,  t_A = R t_B + p_AB x f_A."""
    R = rotation(X_AB.q)
    f = R @ F.f
    return Wrench(f, R @ F.t + X_AB.p.cross(f))


@helper
def power(F, V):
    """F . v + t . w [W]."""
    return F.f @ V.v + F.t @ V.w
