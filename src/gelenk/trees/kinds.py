"""Kinds of joints in minimal coordinates: pose, columns, and the way from bodies to coordinates (B-04 to B-06, B-17).

A joint is told as the motion of side b against side a:

    R_ab(q), r(q) in axes of a        v = sum v_k u_k,  w = sum w_k u_k        D v, D w for u' = 0, in axes of a

========== ============================ ============================== =======================================
kind       q                            u                              columns (v_k; w_k) in the world
========== ============================ ============================== =======================================
HINGE      angle about z                its rate                       (0; z)
SLIDER     shift along z                its rate                       (z; 0)
CYLINDRICAL shift, angle                their rates                    (z; 0) (0; z)
SCREW      angle                        its rate                       (lead z; z)
UNIVERSAL  angle about x_a, about y_b   their rates                    (0; x_a) (0; y_b)
PLANAR     x, y, angle about z          their rates                    (x_a; 0) (y_a; 0) (0; z)
BALL       quaternion                   angular velocity, axes of b    (0; x_b) (0; y_b) (0; z_b)
FREE       centre, quaternion           velocity, world axes; angular  (e_k; 0) (0; x_b) (0; y_b) (0; z_b)
           velocity, axes of the body
POINT      place of a particle          velocity                       (e_k; 0)
TRACK      place on a curve             its rate                       (c'; D), see :mod:`gelenk.trees.curves`
BEAD       place on a curve, quaternion its rate, angular velocity     (c'; 0) (0; x_b) (0; y_b) (0; z_b)
SPECK      place of a particle on one   its rate                       (c'; 0)
========== ============================ ============================== =======================================

A link may be side a of its joint. Its motion against the parent is then the motion of b turned around, at its own
origin, d = P_a - P_b away (:func:`turned_around`), so that no kind is written twice.
"""

from __future__ import annotations

import math

from gelenk.compile import helper
from gelenk.integrators.scheme import nearly_unit
from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.coordinate import axis_of, twist, unwrapped
from gelenk.trees.curves import curve_columns, curve_place, curve_rate, curve_s
from gelenk.trees.kind_table import (
    BALL,
    BEAD,
    CYLINDRICAL,
    FREE,
    HINGE,
    PLANAR,
    POINT,
    SCREW,
    SLIDER,
    SPECK,
    TRACK,
    UNIVERSAL,
)


@helper
def joint_pose(kind, q, k, lead, curves, table):
    """(r, q_ab): where frame b is in frame a, from the coordinates q[k], q[k + 1], ..."""
    if kind == HINGE:
        return Vec3(0.0, 0.0, 0.0), about_z(q[k])
    if kind == BALL:
        return Vec3(0.0, 0.0, 0.0), Quat(q[k], q[k + 1], q[k + 2], q[k + 3])
    if kind == FREE:
        return Vec3(q[k], q[k + 1], q[k + 2]), Quat(q[k + 3], q[k + 4], q[k + 5], q[k + 6])
    if kind == SLIDER:
        return Vec3(0.0, 0.0, q[k]), Quat(1.0, 0.0, 0.0, 0.0)
    if kind == CYLINDRICAL:
        return Vec3(0.0, 0.0, q[k]), about_z(q[k + 1])
    if kind == SCREW:
        return Vec3(0.0, 0.0, lead * q[k]), about_z(q[k])
    if kind == UNIVERSAL:
        x, y = 0.5 * q[k], 0.5 * q[k + 1]
        about_x = Quat(math.cos(x), math.sin(x), 0.0, 0.0)
        return Vec3(0.0, 0.0, 0.0), about_x * Quat(math.cos(y), 0.0, math.sin(y), 0.0)
    if kind == PLANAR:
        return Vec3(q[k], q[k + 1], 0.0), about_z(q[k + 2])
    if kind == POINT:
        return Vec3(q[k], q[k + 1], q[k + 2]), Quat(1.0, 0.0, 0.0, 0.0)
    if on_curve(kind):
        c, frame = curve_place(curves, table, q[k])
        if kind == BEAD:
            return c, Quat(q[k + 1], q[k + 2], q[k + 3], q[k + 4])
        return c, (frame if kind == TRACK else Quat(1.0, 0.0, 0.0, 0.0))
    return Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0)


@helper
def on_curve(kind):
    """Whether a joint runs along a curve."""
    return kind in (TRACK, BEAD, SPECK)


@helper
def about_z(angle):
    """Turn about z."""
    return Quat(math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


@helper
def joint_column(kind, i, R_a, R_b, lead, curves, table, s):
    """Column i of a joint (v, w): motion of b against a at P_b for u_i = 1, world axes."""
    zero = Vec3(0.0, 0.0, 0.0)
    if kind == HINGE:
        return zero, axis_of(R_a, 2)
    if kind == BALL:
        return zero, axis_of(R_b, i)
    if kind == SLIDER:
        return axis_of(R_a, 2), zero
    if kind == CYLINDRICAL:
        return (axis_of(R_a, 2), zero) if i == 0 else (zero, axis_of(R_a, 2))
    if kind == SCREW:
        z = axis_of(R_a, 2)
        return z * lead, z
    if kind == UNIVERSAL:
        return zero, (axis_of(R_a, 0) if i == 0 else axis_of(R_b, 1))
    if kind == PLANAR:
        return (axis_of(R_a, i), zero) if i < 2 else (zero, axis_of(R_a, 2))
    if on_curve(kind):
        if i > 0:
            return zero, axis_of(R_b, i - 1)
        c1, _, turn, _ = curve_columns(curves, table, s)
        return R_a @ c1, (R_a @ turn if kind == TRACK else zero)
    e = Vec3(1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
    return (e, zero) if i < 3 else (zero, axis_of(R_b, i - 3))  # FREE and POINT


@helper
def joint_bias(kind, u, k, R_a, R_b, curves, table, s):
    """(D v, D w): rates of v and w as a sees them, for u' = 0.

    A universal joint has one,  (x_a u_x) x (y_b u_y),  and so have joints along curves; s is the first coordinate.
    """
    zero = Vec3(0.0, 0.0, 0.0)
    if kind == UNIVERSAL:
        return zero, axis_of(R_a, 0).cross(axis_of(R_b, 1)) * (u[k] * u[k + 1])
    if on_curve(kind):
        _, c2, _, bend = curve_columns(curves, table, s)
        return R_a @ c2 * (u[k] * u[k]), (R_a @ bend * (u[k] * u[k]) if kind == TRACK else zero)
    return zero, zero


@helper
def turned_around(v, w, d):
    """Column of a against b at P_a = P_b + d:  -(v + w x d), -w."""
    return -(v + w.cross(d)), -w


@helper
def bias_turned_around(v, w, dv, dw, d):
    """Rates of :func:`turned_around` as b sees them; it turns by w against a, and  D d = -v  in a.

    -(D v + D w x d) + 2 w x v + w x (w x d),   -D w
    """
    return w.cross(v) * 2.0 + w.cross(w.cross(d)) - dv - dw.cross(d), -dw


@helper
def move_coordinates(kind, q, k, u, i, h):
    """Coordinates after h at constant velocities:  q' = B(q) u,  quaternions by their exponential."""
    if kind == BALL:
        turned = Quat(q[k], q[k + 1], q[k + 2], q[k + 3]) * quat_exp(Vec3(u[i], u[i + 1], u[i + 2]) * h)
        put_quat(q, k, nearly_unit(turned))
    elif kind == FREE:
        for j in range(3):
            q[k + j] += h * u[i + j]
        turned = Quat(q[k + 3], q[k + 4], q[k + 5], q[k + 6]) * quat_exp(Vec3(u[i + 3], u[i + 4], u[i + 5]) * h)
        put_quat(q, k + 3, nearly_unit(turned))
    elif kind == BEAD:
        q[k] += h * u[i]
        turned = Quat(q[k + 1], q[k + 2], q[k + 3], q[k + 4]) * quat_exp(Vec3(u[i + 1], u[i + 2], u[i + 3]) * h)
        put_quat(q, k + 1, nearly_unit(turned))
    else:
        for j in range(count_of(kind)):
            q[k + j] += h * u[i + j]


@helper
def turn_rates(kind, u, i, turn, out):
    """Rates of ``turn`` that carry coordinates on from where they were,  q = q_0 exp(turn),  at velocities u:

        turn' = w + turn x w / 2 + turn x (turn x w) / 12 + O(turn^4)

    since turns do not commute; other coordinates have the rates u. Source: Hairer, Lubich & Wanner, Geometric Numerical
    Integration, section IV.8 (Munthe-Kaas methods).
    """
    for j in range(6 if kind == FREE else 1 if kind == BEAD else count_of(kind)):
        out[i + j] = u[i + j]
    if kind in (BALL, FREE, BEAD):
        k = i + 3 if kind == FREE else i + 1 if kind == BEAD else i
        w, r = Vec3(u[k], u[k + 1], u[k + 2]), Vec3(turn[k], turn[k + 1], turn[k + 2])
        twice = r.cross(w)
        put_vec(out, k, w + twice * 0.5 + r.cross(twice) * (1.0 / 12.0))


@helper
def count_of(kind):
    """Coordinates of a kind whose rates are its velocities."""
    if kind in (HINGE, SLIDER, SCREW, TRACK, SPECK):
        return 1
    if kind in (CYLINDRICAL, UNIVERSAL):
        return 2
    return 3 if kind in (PLANAR, POINT) else 0


@helper
def angle_place(kind):
    """Which of the coordinates of a kind is the angle that counts turns."""
    return 1 if kind == CYLINDRICAL else 2 if kind == PLANAR else 0


@helper
def put_quat(q, k, x):
    """Store a quaternion."""
    q[k], q[k + 1], q[k + 2], q[k + 3] = x.w, x.x, x.y, x.z


@helper
def read_coordinates(kind, q, k, r, turn, first, second, curves, table):
    """Coordinates of a joint whose frame b is at (r, turn) in frame a; angles are counted on from first and second.
    The place on a curve is looked for from first on.

    What the joint does not leave free is not looked at: a pose that is off by round-off is brought back.
    """
    if kind in (HINGE, SCREW):
        q[k] = unwrapped(twist(turn)[0], first)
    elif kind == BALL:
        put_quat(q, k, turn)
    elif kind == FREE:
        q[k], q[k + 1], q[k + 2] = r.x, r.y, r.z
        put_quat(q, k + 3, turn)
    elif kind == SLIDER:
        q[k] = r.z
    elif kind == CYLINDRICAL:
        q[k], q[k + 1] = r.z, unwrapped(twist(turn)[0], first)
    elif kind == UNIVERSAL:
        R = rotation(turn)
        q[k] = unwrapped(math.atan2(R.zy, R.yy), first)  # y_b against y_a, z_a
        q[k + 1] = unwrapped(math.atan2(R.xz, R.xx), second)  # x_a against x_b, z_b
    elif kind == PLANAR:
        q[k], q[k + 1], q[k + 2] = r.x, r.y, unwrapped(twist(turn)[0], first)
    elif kind == POINT:
        q[k], q[k + 1], q[k + 2] = r.x, r.y, r.z
    elif on_curve(kind):
        q[k] = curve_s(curves, table, r, first)
        if kind == BEAD:
            put_quat(q, k + 1, turn)


@helper
def read_velocities(kind, u, i, v, w, R_a, R_b, curves, table, s):
    """Velocities of a joint from the motion (v, w) of b against a at P_b, world axes."""
    if kind in (HINGE, SCREW):
        u[i] = axis_of(R_a, 2) @ w
    elif kind == BALL:
        put_vec(u, i, R_b.tdot(w))
    elif kind == FREE:
        put_vec(u, i, v)
        put_vec(u, i + 3, R_b.tdot(w))
    elif kind == SLIDER:
        u[i] = axis_of(R_a, 2) @ v
    elif kind == CYLINDRICAL:
        u[i], u[i + 1] = axis_of(R_a, 2) @ v, axis_of(R_a, 2) @ w
    elif kind == UNIVERSAL:
        u[i], u[i + 1] = axis_of(R_a, 0) @ w, axis_of(R_b, 1) @ w
    elif kind == PLANAR:
        u[i], u[i + 1], u[i + 2] = axis_of(R_a, 0) @ v, axis_of(R_a, 1) @ v, axis_of(R_a, 2) @ w
    elif kind == POINT:
        put_vec(u, i, v)
    elif on_curve(kind):
        u[i] = curve_rate(curves, table, s, R_a.tdot(v))
        if kind == BEAD:
            put_vec(u, i + 1, R_b.tdot(w))


@helper
def put_vec(u, i, v):
    """Store three velocities."""
    u[i], u[i + 1], u[i + 2] = v.x, v.y, v.z
