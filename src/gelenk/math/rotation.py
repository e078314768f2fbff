"""3x3 matrices as values, and the way between rotation matrices, quaternions, rotation vectors and axes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, value_type
from gelenk.math.quat import Quat, quat_exp, quat_log
from gelenk.math.vec3 import Vec3


@value_type
class Mat3(NamedTuple):
    """A 3x3 matrix by rows. ``R_AB`` takes components in B to components in A."""

    xx: float
    xy: float
    xz: float
    yx: float
    yy: float
    yz: float
    zx: float
    zy: float
    zz: float

    def __matmul__(a, v):
        """Matrix times vector."""
        return Vec3(
            a.xx * v.x + a.xy * v.y + a.xz * v.z,
            a.yx * v.x + a.yy * v.y + a.yz * v.z,
            a.zx * v.x + a.zy * v.y + a.zz * v.z,
        )

    def tdot(a, v):
        """Transposed matrix times vector: back from A to B."""
        return Vec3(
            a.xx * v.x + a.yx * v.y + a.zx * v.z,
            a.xy * v.x + a.yy * v.y + a.zy * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z,
        )

    def times(a, b):
        """Matrix product a b."""
        return Mat3(
            a.xx * b.xx + a.xy * b.yx + a.xz * b.zx,
            a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
            a.xx * b.xz + a.xy * b.yz + a.xz * b.zz,
            a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
            a.yx * b.xy + a.yy * b.yy + a.yz * b.zy,
            a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
            a.zx * b.xx + a.zy * b.yx + a.zz * b.zx,
            a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
            a.zx * b.xz + a.zy * b.yz + a.zz * b.zz,
        )

    def transposed(a):
        """Transposed matrix; for a rotation the inverse."""
        return Mat3(a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz)

    def det(a):
        """Determinant."""
        return (
            a.xx * (a.yy * a.zz - a.yz * a.zy) + a.xy * (a.yz * a.zx - a.yx * a.zz) + a.xz * (a.yx * a.zy - a.yy * a.zx)
        )

    def inv(a):
        """Inverse by the adjugate; the matrix must be well away from singular."""
        cx = a.yy * a.zz - a.yz * a.zy
        cy = a.yz * a.zx - a.yx * a.zz
        cz = a.yx * a.zy - a.yy * a.zx
        s = 1.0 / (a.xx * cx + a.xy * cy + a.xz * cz)
        return Mat3(
            s * cx,
            s * (a.xz * a.zy - a.xy * a.zz),
            s * (a.xy * a.yz - a.xz * a.yy),
            s * cy,
            s * (a.xx * a.zz - a.xz * a.zx),
            s * (a.xz * a.yx - a.xx * a.yz),
            s * cz,
            s * (a.xy * a.zx - a.xx * a.zy),
            s * (a.xx * a.yy - a.xy * a.yx),
        )


@helper
def get33(A, i):
    """Matrix i of an (n, 3, 3) array as a value."""
    return Mat3(
        A[i, 0, 0], A[i, 0, 1], A[i, 0, 2], A[i, 1, 0], A[i, 1, 1], A[i, 1, 2], A[i, 2, 0], A[i, 2, 1], A[i, 2, 2]
    )


@helper
def rotation(q):
    """R_WB of a unit quaternion (biomechanics 3.11), with nine multiplications (H-44 asks for eighteen at most)."""
    x2 = q.x + q.x
    y2 = q.y + q.y
    z2 = q.z + q.z
    wx = q.w * x2
    wy = q.w * y2
    wz = q.w * z2
    xx = q.x * x2
    xy = q.x * y2
    xz = q.x * z2
    yy = q.y * y2
    yz = q.y * z2
    zz = q.z * z2
    return Mat3(1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy))


@helper
def quat_from_rotation(R):
    """Unit quaternion of a rotation matrix, w >= 0 where it is not 0.

    Takes the largest of the four components from the diagonal (Shepperd), so no digit is lost near a half turn.
    """
    t = R.xx + R.yy + R.zz
    if t >= R.xx and t >= R.yy and t >= R.zz:
        q = Quat(1.0 + t, R.zy - R.yz, R.xz - R.zx, R.yx - R.xy)
    elif R.xx >= R.yy and R.xx >= R.zz:
        q = Quat(R.zy - R.yz, 1.0 + R.xx - R.yy - R.zz, R.xy + R.yx, R.xz + R.zx)
    elif R.yy >= R.zz:
        q = Quat(R.xz - R.zx, R.xy + R.yx, 1.0 + R.yy - R.xx - R.zz, R.yz + R.zy)
    else:
        q = Quat(R.yx - R.xy, R.xz + R.zx, R.yz + R.zy, 1.0 + R.zz - R.xx - R.yy)
    q = q.unit()
    if q.w < 0.0:
        q = -q
    return q


@helper
def skew(a):
    """Cross-product matrix: skew(a) b = a x b."""
    return Mat3(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)


@helper
def rotation_exp(r):
    """Rotation matrix of the rotation vector r [rad]."""
    return rotation(quat_exp(r))


@helper
def rotation_log(R):
    """Rotation vector of a rotation matrix, of length 0 to pi."""
    return quat_log(quat_from_rotation(R))


def quat_from_axis_angle(axis: object, angle: float) -> Quat:
    """Unit quaternion of a turn by ``angle`` [rad] about ``axis`` (any length but 0)."""
    n = np.asarray(axis, dtype=np.float64)
    largest = float(np.max(np.abs(n), initial=0.0))
    if n.shape != (3,) or not math.isfinite(largest) or largest == 0.0:
        raise ValueError(f"axis {axis!r} has no direction. Pass three finite numbers that are not all 0.")
    x, y, z = (n / largest).tolist()  # of size 1, so that no square underflows or overflows
    s = math.sin(0.5 * angle) / math.sqrt(x * x + y * y + z * z)
    return Quat(math.cos(0.5 * angle), s * x, s * y, s * z)


def rotation_matrix(q: object) -> np.ndarray:
    """(..., 4) unit quaternions to (..., 3, 3) rotation matrices, for arrays outside kernels."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q.tolist() if q.ndim == 1 else np.moveaxis(q, -1, 0)  # plain numbers are ten times faster for one
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    R = np.array(rows)
    return R if q.ndim == 1 else np.ascontiguousarray(np.moveaxis(R, (0, 1), (-2, -1)))
