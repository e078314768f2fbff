"""Torque-free rigid body with two equal moments of inertia."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .quaternion import quat_exp, quat_mul, quat_unit, rotation


class SymmetricTopMotion(NamedTuple):
    w_WB_B: NDArray[np.float64]  # (n, 3) angular velocity in body axes [rad/s]
    q_WB: NDArray[np.float64]  # (n, 4) body to world, continuous in time
    R_WB: NDArray[np.float64]  # (n, 3, 3)


def body_precession_rate(inertia_across: float, inertia_axis: float, w_WB_B0: ArrayLike) -> float:
    """Rate at which w turns about the body's z axis,  (I3 - I1) / I1 * w3 [rad/s], seen from the body."""
    return float((inertia_axis - inertia_across) / inertia_across * np.asarray(w_WB_B0, dtype=float)[2])


def world_precession_rate(inertia_across: float, inertia_axis: float, w_WB_B0: ArrayLike) -> float:
    """Rate at which the body's z axis turns about the angular momentum,  |L| / I1 [rad/s], seen from the world."""
    inertia = np.array([inertia_across, inertia_across, inertia_axis])
    return float(np.linalg.norm(inertia * np.asarray(w_WB_B0, dtype=float)) / inertia_across)


def symmetric_top(
    t: ArrayLike, inertia_across: float, inertia_axis: float, w_WB_B0: ArrayLike, q_WB0: ArrayLike
) -> SymmetricTopMotion:
    """Free motion of a body with moments (I1, I1, I3); the body's z axis is the symmetry axis.

        I1 w1' = (I1 - I3) w2 w3,   I1 w2' = (I3 - I1) w3 w1,   w3' = 0
        w_B(t) = Rz(Omega t) w_B(0)                             Omega = (I3 - I1) / I1 * w3
        w_B    = L_B / I1 - Omega e_z                           turn about L, less a turn about the body's axis
        q_WB(t) = exp(L_W t / I1) o q_WB(0) o exp(-Omega t e_z) L_W constant

    Source: Landau & Lifshitz, Mechanics, sections 33 and 36.

    Parameters
    ----------
    t : (n,) or scalar [s], may be negative
    inertia_across, inertia_axis : I1 and I3 about the centre of mass [kg m^2], positive
    w_WB_B0 : (3,) angular velocity in body axes at t = 0 [rad/s]
    q_WB0 : (4,) attitude at t = 0
    """
    if not (inertia_across > 0.0 and inertia_axis > 0.0):
        raise ValueError(f"symmetric_top: moments ({inertia_across!r}, {inertia_axis!r}) must be positive.")
    t = np.asarray(t, dtype=float)
    w0 = np.asarray(w_WB_B0, dtype=float)
    q0 = quat_unit(q_WB0, "symmetric_top")
    Omega = body_precession_rate(inertia_across, inertia_axis, w0)
    c, s = np.cos(Omega * t), np.sin(Omega * t)
    w_WB_B = np.stack([c * w0[0] - s * w0[1], s * w0[0] + c * w0[1], np.broadcast_to(w0[2], t.shape)], axis=-1)

    L_W = rotation(q0) @ (np.array([inertia_across, inertia_across, inertia_axis]) * w0)
    q_WB = quat_mul(quat_mul(quat_exp(L_W / inertia_across, t), q0), quat_exp([0.0, 0.0, -Omega], t))
    return SymmetricTopMotion(w_WB_B, q_WB, rotation(q_WB))
