"""Coordinates: scalar functions of two frames, each with its exact gradient. All rows are sums of them.

A *pair* is a frame fixed in body a and a frame fixed in body b, with origins P_a and P_b and axes x, y, z. A coordinate
measures b against a, so it does not change when both move together. Its rate is therefore the power of one wrench on
the motion of b relative to a,

    c' = f . (u_b - u_a) + t . (w_b - w_a),        u = velocity of the material point at P_b,

and the *gradient* of the coordinate is that wrench: a force f at P_b and a couple t, on b; the opposite wrench at the
same point acts on a. So every impulse along a coordinate keeps both momenta, also where a joint stands open
(virtual-worlds 3.5 and trap T-1, impulse-dynamics 3.5).

The kinds, with d_k an axis of the frame in a, and (w, u) the quaternion of b relative to a with w >= 0:

========== ============================================================== =========================================
kind       value                                                          used for
========== ============================================================== =========================================
SHIFT      d_k . (P_b - P_a)                                              T1 T2 T3, sliding axes
TURN       2 u_k, k = 0 1 2: twice the sine of the half angle             R3
TILT       rotation that carries z_a to z_b, as 2 sin(a/2), k = 0 1       R2
SKEW       angle from x_a to y_b                                          R1
TWIST      angle about z, the swing of z taken off                        hinge angle, twist of a ball
SWING      angle between z_a and z_b                                      cone limit of a ball
ANGLE_X    angle about x_a                                                first angle of a universal joint
ANGLE_Y    angle about y_b                                                second angle of a universal joint
DISTANCE   |P_b - P_a|                                                    rods
SPIN       rotation vector of b, d_k . r; no gradient of it, but          direct control of rotations
           a rate of its own: d_k . (w_b - w_a)
CURVE      offset of P_b from a curve in a along its normals, k = 0 1     ball on a curve
PLACE      length along the curve                                         motors and limits on it
FOLLOW     2 u_k against the moving frame of the curve                    slider along a curve
SURFACE    distance of P_b from a surface in a                            ball on a surface
========== ============================================================== =========================================
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import helper, routine, value_type
from gelenk.geometry.curve_eval import curve_foot, curve_frame, curve_point
from gelenk.geometry.surface_eval import surface_foot, surface_normal, surface_point
from gelenk.math.quat import Quat, quat_log
from gelenk.math.rotation import Mat3, quat_from_rotation
from gelenk.math.vec3 import Vec3

SHIFT, TURN, TILT, SKEW, TWIST, SWING, ANGLE_X, ANGLE_Y, DISTANCE, SPIN, CURVE, PLACE, FOLLOW, SURFACE = range(14)
TINY = 1e-12  # below, a direction is not defined and any will do


@value_type
class Frames(NamedTuple):
    """Where the two frames of a pair are."""

    p_a: Vec3  # origins in the world [m]
    p_b: Vec3
    R_a: Mat3  # axes as columns, frame to world
    R_b: Mat3
    q: Quat  # b relative to a:  q_a^-1 q_b


@helper
def axis_of(R, k):
    """Column k of a rotation matrix: axis x, y or z of its frame in the world."""
    if k == 0:
        return Vec3(R.xx, R.yx, R.zx)
    if k == 1:
        return Vec3(R.xy, R.yy, R.zy)
    return Vec3(R.xz, R.yz, R.zz)


@helper
def unit_axis(k):
    """The unit vector e_k."""
    return Vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@helper
def turn(q, k):
    """(2 u_k, gradient in a): the rate of q = (w, u) is  u' = (w o + o x u) / 2  for an angular velocity o in a."""
    s = 1.0 if q.w >= 0.0 else -1.0
    u, e = Vec3(s * q.x, s * q.y, s * q.z), unit_axis(k)
    return 2.0 * (u @ e), e * (s * q.w) + u.cross(e)


@helper
def tilt(R_a, R_b, k):
    """Component k of the rotation vector direction that carries z_a to z_b, of length 2 sin(a/2), and its gradient.

    (-y.z_b, x.z_b) g     g = sqrt(2 / (1 + c)),  c = z_a.z_b       (m.z_b)' = (w_b - w_a).(z_b x m)  for an axis m of a
    """
    z_a, z_b = axis_of(R_a, 2), axis_of(R_b, 2)
    m = -axis_of(R_a, 1) if k == 0 else axis_of(R_a, 0)
    c1 = max(1.0 + z_a @ z_b, TINY)
    g, sine = math.sqrt(2.0 / c1), m @ z_b
    return g * sine, (z_b.cross(m) - z_b.cross(z_a) * (0.5 * sine / c1)) * g


@helper
def twist(q):
    """(2 atan2(z, w), gradient in a): the turn about z that is left when the swing of the z axis is taken off.

    t = e_z + ((w y + z x) e_x + (z y - w x) e_y) / (w^2 + z^2)
    """
    n = max(q.w * q.w + q.z * q.z, TINY)
    t = Vec3((q.w * q.y + q.z * q.x) / n, (q.z * q.y - q.w * q.x) / n, 1.0)
    s = 1.0 if q.w >= 0.0 else -1.0
    return 2.0 * math.atan2(s * q.z, s * q.w), t


@helper
def angle_about(cosine, sine, d_cosine, d_sine):
    """atan2 of two scalar products and its gradient:  (c ds - s dc) / (c^2 + s^2)."""
    n = max(cosine * cosine + sine * sine, TINY)
    return math.atan2(sine, cosine), (d_sine * cosine - d_cosine * sine) * (1.0 / n)


@routine
def coordinate(kind, k, table, memory, frames, curves, surfaces):
    """(value, f, t, memory) of one coordinate; ``memory`` is where it was: an angle, or a place on a curve or surface.

    An angle is counted on from its memory, so that turns add up (virtual-worlds 3.10 and trap T-14); where a step may
    take half a turn and more, from its memory and its rate: see :func:`gelenk.rows.assemble.count_turns`.
    """
    zero = Vec3(0.0, 0.0, 0.0)
    R_a, R_b, q = frames.R_a, frames.R_b, frames.q
    r = frames.p_b - frames.p_a
    if kind == SHIFT:
        d = axis_of(R_a, k)
        return d @ r, d, zero, memory
    if kind == TURN:
        value, t = turn(q, k)
        return value, zero, R_a @ t, memory
    if kind == TILT:
        value, t = tilt(R_a, R_b, k)
        return value, zero, t, memory
    if kind == SKEW:
        x, y = axis_of(R_a, 0), axis_of(R_b, 1)
        n = x.cross(y)
        s = n.norm()
        return math.atan2(s, x @ y), zero, n * (1.0 / max(s, TINY)), memory
    if kind == SWING:
        z_a, z_b = axis_of(R_a, 2), axis_of(R_b, 2)
        n = z_a.cross(z_b)
        s = n.norm()
        t = n * (1.0 / s) if s > TINY else axis_of(R_a, 0)
        return math.atan2(s, z_a @ z_b), zero, t, memory
    if kind == TWIST:
        value, t = twist(q)
        value = unwrapped(value, memory[0])
        return value, zero, R_a @ t, (value, 0.0)
    if kind == ANGLE_X:
        y_b, y_a, z_a = axis_of(R_b, 1), axis_of(R_a, 1), axis_of(R_a, 2)
        value, t = angle_about(y_b @ y_a, y_b @ z_a, y_b.cross(y_a), y_b.cross(z_a))
        value = unwrapped(value, memory[0])
        return value, zero, t, (value, 0.0)
    if kind == ANGLE_Y:
        x_a, x_b, z_b = axis_of(R_a, 0), axis_of(R_b, 0), axis_of(R_b, 2)
        value, t = angle_about(x_b @ x_a, z_b @ x_a, x_b.cross(x_a), z_b.cross(x_a))
        value = unwrapped(value, memory[0])
        return value, zero, t, (value, 0.0)
    if kind == DISTANCE:
        length = r.norm()
        d = r * (1.0 / length) if length > TINY else axis_of(R_a, 2)
        return length, d, zero, memory
    if kind == SPIN:
        return quat_log(q) @ unit_axis(k), zero, axis_of(R_a, k), memory
    if kind == SURFACE:
        p = R_a.tdot(r)
        u, v = surface_foot(surfaces, table, p, memory[0], memory[1])
        S, _, _, _, _, _ = surface_point(surfaces, table, u, v)
        n = surface_normal(surfaces, table, u, v)
        return n @ (p - S), R_a @ n, zero, (u, v)
    return on_curve(kind, k, table, memory, frames, curves)


@helper
def on_curve(kind, k, table, memory, frames, curves):
    """CURVE, PLACE and FOLLOW: all in the frame of a, about the foot s of P_b on the curve c.

    (p - c).c' = 0  gives  s' = p'.c' / (c'.c' - (p - c).c'')
    CURVE    n_k.(p - c)            f = n_k + (n_k'.(p - c)) grad s
    PLACE    s                      f = grad s
    FOLLOW   TURN against (t, n_1, n_2), which turns with  O = 1/2 sum e x e'  per length:   t_k,  f = -(t_k.O) grad s
    """
    zero = Vec3(0.0, 0.0, 0.0)
    R_a = frames.R_a
    p = R_a.tdot(frames.p_b - frames.p_a)
    s = curve_foot(curves, table, p, memory[0])
    c, c1, c2 = curve_point(curves, table, s)
    e = p - c
    grad = c1 * (1.0 / max(c1 @ c1 - e @ c2, TINY))
    if kind == PLACE:
        return s, R_a @ grad, zero, (s, 0.0)
    n1, n2, d1, d2 = curve_frame(curves, table, s)
    if kind == CURVE:
        n, d = (n1, d1) if k == 0 else (n2, d2)
        return n @ e, R_a @ (n + grad * (d @ e)), zero, (s, 0.0)
    t0 = n1.cross(n2)
    dt = d1.cross(n2) + n1.cross(d2)
    darboux = (t0.cross(dt) + n1.cross(d1) + n2.cross(d2)) * 0.5
    F = Mat3(t0.x, n1.x, n2.x, t0.y, n1.y, n2.y, t0.z, n1.z, n2.z)  # frame of the curve to frame of a
    value, t_F = turn(quat_from_rotation(F).conj() * frames.q, k)
    t = F @ t_F
    return value, R_a @ (grad * -(t @ darboux)), R_a @ t, (s, 0.0)


@helper
def is_angle(kind):
    """Whether a coordinate counts turns."""
    return kind in (TWIST, ANGLE_X, ANGLE_Y)


@helper
def unwrapped(angle, before):
    """The angle plus the whole turns that bring it nearest to ``before``."""
    apart = before - angle
    if not abs(apart) < math.inf:
        return angle
    return angle + 2.0 * math.pi * math.floor(apart / (2.0 * math.pi) + 0.5)
