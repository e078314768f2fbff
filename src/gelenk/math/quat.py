"""Unit quaternions (w, x, y, z), Hamilton product, body to world.  H-44, I-017, virtual-worlds 3.16.

A rotation by the angle a about the unit axis n is  q = (cos a/2, n sin a/2);  q and -q are the same rotation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import helper, value_type
from gelenk.math.vec3 import Vec3


@value_type
class Quat(NamedTuple):
    """Quaternion w + i x + j y + k z with i^2 = j^2 = k^2 = ijk = -1."""

    w: float
    x: float
    y: float
    z: float

    def __mul__(a, b):
        """Hamilton product: first b, then a."""
        return Quat(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    def __add__(a, b):
        """Sum of the components."""
        return Quat(a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z)

    def __neg__(a):
        """The same rotation with the other sign."""
        return Quat(-a.w, -a.x, -a.y, -a.z)

    def scaled(a, s):
        """All components times s."""
        return Quat(a.w * s, a.x * s, a.y * s, a.z * s)

    def conj(a):
        """Conjugate; for a unit quaternion the inverse rotation."""
        return Quat(a.w, -a.x, -a.y, -a.z)

    def norm(a):
        """Length; 1 for a rotation."""
        return math.sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z)

    def unit(a):
        """Rescaled to length 1."""
        s = 1.0 / math.sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z)
        return Quat(a.w * s, a.x * s, a.y * s, a.z * s)

    def inv(a):
        """Inverse conj(a) / |a|^2, also for other lengths than 1."""
        s = 1.0 / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z)
        return Quat(a.w * s, -a.x * s, -a.y * s, -a.z * s)


@helper
def get4(A, i):
    """Row i of an (n, 4) array as a quaternion."""
    return Quat(A[i, 0], A[i, 1], A[i, 2], A[i, 3])


@helper
def put4(A, i, q):
    """Store a quaternion in row i of an (n, 4) array."""
    A[i, 0] = q.w
    A[i, 1] = q.x
    A[i, 2] = q.y
    A[i, 3] = q.z


SERIES = 0.015625  # a^2 up to which cosine and sine are taken from their series: a = 1/8


@helper
def half_angle(s):
    """(cos a, sin a / a) from s = a^2.

    Below a = 1/8 by the Taylor series in s up to s^5, whose remainder is under 1e-19, so that small angles keep all
    digits without a division by a and without a call of sin; above by the functions themselves.
    """
    if s < SERIES:
        c = s * (s * (1.0 / 40320.0 - s * (1.0 / 3628800.0)) - 1.0 / 720.0)
        c = 1.0 - s * (0.5 - s * (1.0 / 24.0 + c))
        d = s * (s * (1.0 / 362880.0 - s * (1.0 / 39916800.0)) - 1.0 / 5040.0)
        d = 1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 + d))
        return c, d
    a = math.sqrt(s)
    return math.cos(a), math.sin(a) / a


@helper
def quat_exp(r):
    """Quaternion of the rotation vector r = a n [rad]:  (cos a/2, n sin a/2)."""
    s = 0.25 * (r.x * r.x + r.y * r.y + r.z * r.z)
    c, d = half_angle(s)
    d *= 0.5
    return Quat(c, d * r.x, d * r.y, d * r.z)


@helper
def quat_log(q):
    """Rotation vector r = a n [rad] of a unit quaternion, 0 <= a <= pi; the inverse of :func:`quat_exp`.

        r = v 2 atan2(|v|, |w|) / |v| * sign(w)

    Below |v| = 1e-8 the quotient is 2/|w| up to a relative 4e-17. At a half turn (w = 0) both signs are right and
    that of the quaternion is kept.
    """
    w = q.w
    sign = 1.0
    if w < 0.0:
        w = -w
        sign = -1.0
    s2 = q.x * q.x + q.y * q.y + q.z * q.z
    if s2 < 1e-16:
        k = sign * 2.0 / w
    else:
        s = math.sqrt(s2)
        k = sign * 2.0 * math.atan2(s, w) / s
    return Vec3(k * q.x, k * q.y, k * q.z)


@helper
def quat_rate(q, w_B):
    """Q' = 1/2 q (0, w_B) for an angular velocity in body axes (impulse-dynamics 3.2)."""
    return Quat(
        -0.5 * (q.x * w_B.x + q.y * w_B.y + q.z * w_B.z),
        0.5 * (q.w * w_B.x + q.y * w_B.z - q.z * w_B.y),
        0.5 * (q.w * w_B.y + q.z * w_B.x - q.x * w_B.z),
        0.5 * (q.w * w_B.z + q.x * w_B.y - q.y * w_B.x),
    )
