"""What the schemes share: the equations of motion, the step contract, and arithmetic on whole states."""

from __future__ import annotations

import numpy as np

from gelenk.compile import generic, helper, routine
from gelenk.forces.block import add_loads
from gelenk.math.quat import get4, put4, quat_rate
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import get3, put3

OK, NOT_CONVERGED, STEP_TOO_SMALL = 0, 1, 2  # what a step leaves in work.status[0]


def new_status() -> np.ndarray:
    """(3,) int64 that every scheme carries: outcome, then two counters of its own (inner steps, iterations)."""
    return np.zeros(3, dtype=np.int64)


@generic
def step(work, system, state, t, h):
    """Advance ``state`` from t to t + h in place; ``work`` is the scheme's scratch and tells which scheme it is."""


@helper
def applied_loads(system, state, t, loads_out):
    """Sum of all force laws at one state."""
    loads_out.flat[:] = 0.0
    add_loads(system.forces, system.masses, state, t, loads_out)


@helper
def angular_acceleration(masses, i, w_B, torque_B):
    """Euler's equation in body axes (I-018):  w' = I^-1 (T - w x I w)."""
    return get33(masses.inv_inertia_B, i) @ (torque_B - w_B.cross(get33(masses.inertia_B, i) @ w_B))


@helper
def torque_in_body(loads, i, q):
    """R^T T; a body that bears no torque, as most free ones, is spared the rotation."""
    torque_W = get3(loads.torque_W, i)
    if torque_W.x == 0.0 and torque_W.y == 0.0 and torque_W.z == 0.0:
        return torque_W
    return rotation(q).tdot(torque_W)


@routine
def derivative(system, state, t, loads, rate_out):
    """Rate of every number of a state (impulse-dynamics 3.2).

    p' = v,    v' = f / m,    q' = 1/2 q (0, w_B),    w_B' = I^-1 (R^T T - w_B x I w_B)
    """
    applied_loads(system, state, t, loads)
    masses = system.masses
    for i in range(state.p_WC.shape[0]):
        put3(rate_out.p_WC, i, get3(state.v_WC, i))
        put3(rate_out.v_WC, i, get3(loads.force_W, i) * masses.inv_mass[i])
    for i in range(state.q_WB.shape[0]):
        q = get4(state.q_WB, i)
        w_B = get3(state.w_WB_B, i)
        torque_B = torque_in_body(loads, i, q)
        put4(rate_out.q_WB, i, quat_rate(q, w_B))
        put3(rate_out.w_WB_B, i, angular_acceleration(masses, i, w_B, torque_B))


@helper
def nearly_unit(q):
    """Bring a quaternion that is nearly unit back to unit length (I-017).

        q <- q (3 - |q|^2) / 2

    One Newton step for 1/|q| from 1: a length off by e is left off by 3/2 e^2, far below round-off for the product of
    two unit quaternions, without a root or a division.
    """
    return q.scaled(1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


@helper
def renormalise(state):
    """Unit quaternions (I-017), for schemes that step through the space of all quaternions."""
    for i in range(state.q_WB.shape[0]):
        put4(state.q_WB, i, get4(state.q_WB, i).unit())


@helper
def move(y_out, y, rate, h):
    """y_out = y + h rate, number by number."""
    for k in range(y.shape[0]):
        y_out[k] = y[k] + h * rate[k]


@helper
def copy(y_out, y):
    """y_out = y, number by number."""
    for k in range(y.shape[0]):
        y_out[k] = y[k]
