"""Orientations as people describe them, by an axis and an angle or by Cardan angles; quaternions hold them (T-52)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.checks import DIRECTIONS, Quaternion, check_number, check_vector
from gelenk.errors import InputError
from gelenk.math.quat import Quat
from gelenk.math.rotation import quat_from_axis_angle

UPRIGHT = 1e-15  # share of the quaternion, which is round-off, below which x and z turn about one axis


def turned(axis: Any, angle: float) -> Quaternion:
    """Unit quaternion w x y z of a turn by ``angle`` [rad] about ``axis``: "x", "-z", or three numbers of any length.

    ::

        b.body("wheel", shape=gk.Cylinder(0.3, 0.1), at=(0, 0, 0.3), rotation=gk.turned("x", math.pi / 2))
    """
    a = check_number("turned()", "angle", angle, "rad")
    if isinstance(axis, str) and axis not in DIRECTIONS:
        raise InputError("turned()", f"axis is {axis!r}", '"x", "y", "z", "-x" or three numbers', "Pass one of them.")
    n = DIRECTIONS[axis] if isinstance(axis, str) else check_vector("turned()", "axis", axis, "")
    if not any(n):
        raise InputError("turned()", "axis is (0, 0, 0)", "an axis with a direction", 'Pass (0, 0, 1) or "z".')
    q = quat_from_axis_angle(n, a)
    return q.w, q.x, q.y, q.z


def cardan(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Quaternion:
    """Unit quaternion of turns [rad] one after the other about axes that go along: x, then the new y, then the new z.

    R = R_x(x) R_y(y) R_z(z)
    """
    q_x, q_y, q_z = (Quat(*turned(axis, angle)) for axis, angle in zip("xyz", (x, y, z)))
    q = q_x * q_y * q_z
    return q.w, q.x, q.y, q.z


def cardan_angles(orientation: Any) -> np.ndarray:
    """(..., 3) Cardan angles x, y, z [rad] of (..., 4) quaternions, of a body or a run; the inverse of :func:`cardan`.

    x and z are within half a turn, y within a quarter. Where y is a quarter turn, x and z turn about one axis, and z
    is taken as 0. From the product of the three half turns, with a = y / 2 and exact to round-off everywhere:

        q_x + q_z = (cos a + sin a) sin((x + z) / 2)        q_w + q_y = (cos a + sin a) cos((x + z) / 2)
        q_x - q_z = (cos a - sin a) sin((x - z) / 2)        q_w - q_y = (cos a - sin a) cos((x - z) / 2)
    """
    q = np.asarray(orientation, dtype=np.float64)
    size = np.linalg.norm(q, axis=-1, keepdims=True) if q.ndim and q.shape[-1] == 4 else np.zeros(1)
    if not (np.isfinite(size) & (size > 0.0)).all():
        found = f"orientation is {orientation!r}"[:100]
        raise InputError("cardan_angles()", found, "quaternions w x y z", 'Pass sim["body"].orientation.')
    q_w, q_x, q_y, q_z = np.moveaxis(q / size, -1, 0)
    plus, minus = np.hypot(q_x + q_z, q_w + q_y), np.hypot(q_x - q_z, q_w - q_y)
    half_sum, half_difference = np.arctan2(q_x + q_z, q_w + q_y), np.arctan2(q_x - q_z, q_w - q_y)
    half_sum = np.where(plus > UPRIGHT, half_sum, half_difference)
    half_difference = np.where(minus > UPRIGHT, half_difference, half_sum)
    angles = [half_sum + half_difference, np.pi / 2 - 2 * np.arctan2(minus, plus), half_sum - half_difference]
    made = np.stack(angles, axis=-1)
    return made - 2 * np.pi * np.round(made / (2 * np.pi))
