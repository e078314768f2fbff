"""The one check of every Jacobian: rows against differences of their sums of coordinates under small rigid motions.

A node moves by a small twist (dx, dphi): its centre of mass by dx, its axes by the rotation vector dphi, both in world
axes. The columns of J are the rates of the row along the six unit twists of each node. Central differences are wrong
by C s^2 for a step s; two steps tell C, so that

    (4 D(s/2) - D(s)) / 3  =  J       up to s^4 and to round-off / s
"""

import numpy as np

from gelenk.math.quat import Quat, quat_exp
from gelenk.math.vec3 import Vec3
from gelenk.rows.assemble import evaluate, jacobian, new_coordinates, new_rows, row_error
from gelenk.rows.coordinate import SPIN
from gelenk.state import state_of

STEP = 2e-3  # [m] or [rad]; s^4 = 2e-11 and round-off / s = 1e-13 for coordinates of the size 1


def copy_of(state):
    """A state of its own."""
    return state_of(state.flat.copy(), len(state.p_WC), len(state.q_WB))


def moved(state, node, twist):
    """The state after one node moved by a twist (dx, dphi), world axes."""
    new = copy_of(state)
    new.p_WC[node] += twist[:3]
    if node < len(state.q_WB):
        new.q_WB[node] = quat_exp(Vec3(*(float(x) for x in twist[3:]))) * Quat(*(float(x) for x in state.q_WB[node]))
    return new


def coordinates_at(model, state):
    """The coordinates at a pose, seen from the memory of the state, which stays as it is."""
    now = new_coordinates(model.wired.joints)
    evaluate(model.wired.joints, model.wired.memory(state.memory), state, now)
    return now


def row_sums(model, state):
    """(R,) sums of coordinates minus rest."""
    joints, now = model.wired.joints, coordinates_at(model, state)
    return np.array([row_error(joints, now, r) for r in range(len(joints.row))])


def row_jacobian(model, state):
    """(R, nodes, 6) J of every row as a full array."""
    joints, rows = model.wired.joints, new_rows(model.wired.joints)
    jacobian(joints, state, coordinates_at(model, state), rows)
    J = np.zeros((len(joints.row), len(state.p_WC), 6))
    for r, row in enumerate(joints.row):
        for e in range(row.entry_first, row.entry_last):
            J[r, joints.body[e]] = rows.J[e]
    return J


def difference_jacobian(model, state, step):
    """(R, nodes, 6) by central differences; zero for nodes that never move."""
    D = np.zeros((len(model.wired.joints.row), len(state.p_WC), 6))
    for node in np.flatnonzero(model.system.masses.inv_mass):
        for k in range(6 if node < len(state.q_WB) else 3):
            twist = np.zeros(6)
            twist[k] = step
            ahead, behind = (row_sums(model, moved(state, node, s * twist)) for s in (1, -1))
            D[:, node, k] = (ahead - behind) / (2 * step)
    return D


def has_value(model):
    """(R,) whether a row has a value to differentiate; SPIN is a rate only."""
    joints = model.wired.joints
    kinds = joints.coordinate.kind[joints.term.coordinate]
    return np.array([all(kinds[row.term_first : row.term_last] != SPIN) for row in joints.row], dtype=bool)


def together(state, v, w):
    """(nodes, 6) velocities of all nodes in one rigid motion: v at the origin, w, world axes."""
    return np.concatenate((v + np.cross(w, state.p_WC), np.broadcast_to(w, state.p_WC.shape)), axis=1)


def check_rows(model, state, bend=1.0):
    """Assert that J is the gradient of every row, and that what it does is a wrench pair.

    ``bend`` is the length [m] or angle [rad] over which the rows curve: their fifth derivative is about 1/bend^4, of
    which (4 D(s/2) - D(s)) / 3 keeps  s^4 / 480  (central differences: s^2/6 of the third, s^4/120 of the fifth).
    """
    rows = has_value(model)
    J = row_jacobian(model, state)
    coarse, fine = (difference_jacobian(model, state, s) for s in (STEP, STEP / 2))
    size = 1.0 + np.abs(J).max(initial=0.0)
    left = (4 * fine - coarse) / 3 - J
    np.testing.assert_allclose(left[rows], 0.0, rtol=0, atol=size * (1e-14 / STEP + (STEP / bend) ** 4))


def check_wrench_pairs(model, state):
    """Assert that rows do not feel a rigid motion of all bodies: each acts as forces that cancel, at common points.

    Only where no body of a row is fixed to the world.
    """
    rng = np.random.default_rng(0)
    J = row_jacobian(model, state)
    for _ in range(3):
        U = together(state, rng.normal(size=3), rng.normal(size=3))
        # up to a dozen products of the size |J| |U|
        atol = 20 * np.finfo(float).eps * (1 + np.abs(J).max(initial=0.0)) * (1 + np.abs(U).max())
        np.testing.assert_allclose(np.einsum("rnk,nk->r", J, U), 0.0, rtol=0, atol=atol)
