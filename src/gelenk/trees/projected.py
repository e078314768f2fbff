"""The projected Newton-Euler equations: Jacobians of all bodies, mass matrix and forces (B-14, B-15, T-47, T-51).

    v_C = J_C u + H_C m        w = J_R u + H_R m               velocities u of free joints, m of driven ones
    M = sum m J_C^T J_C + J_R^T I J_R
    h = sum J_C^T (F - m k_C) + J_R^T (T - I k_R - w x I w)    k: accelerations for u' = 0

Dense and of cubic cost: the second way to the same accelerations. Column k of a link is the column of its ancestor's
joint, carried over to its centre of mass as that of a rigid body.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.dense import cholesky, cholesky_solve
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.rows.block import NONE
from gelenk.trees.articulated import inertia_at
from gelenk.trees.kinematics import store
from gelenk.trees.newton_euler import known_acceleration


@routine
def jacobian_at(tree, work, n, point_W, J):
    """J (6, nu): velocity of a point of link n, then its angular velocity, for each u_k = 1, driven joints included."""
    for i in range(6):
        for k in range(J.shape[1]):
            J[i, k] = 0.0
    at = n
    while at != NONE:
        link, moving = tree.link[at], work.moving[at]
        r = point_W - triple(moving.p_N)
        for k in range(link.u, link.last):
            v, w = triple(work.column[k].v), triple(work.column[k].w)
            v = v + w.cross(r)
            J[0, k], J[1, k], J[2, k] = v.x, v.y, v.z
            J[3, k], J[4, k], J[5, k] = w.x, w.y, w.z
        at = link.parent


@routine
def motion_at(tree, work, n, point_W, out):
    """Velocity and angular velocity, acceleration and angular acceleration (12,) of a point of link n for work.du:

        v = v_N + w x r        a = a_N + a_w x r + w x (w x r)

    by the transfers from body to body, which is how they are told from those of Jacobians (B-13).
    """
    for i in range(n + 1):
        known_acceleration(tree.link[i], work.moving[i], work)
    moving = work.moving[n]
    r, w, a_w = point_W - triple(moving.p_N), triple(moving.w), triple(moving.a_w)
    outward = w.cross(r)
    v, a = triple(moving.v_N) + outward, triple(moving.a_N) + a_w.cross(r) + w.cross(outward)
    store(out[0:3], v)
    store(out[3:6], w)
    store(out[6:9], a)
    store(out[9:12], a_w)


@routine
def mass_and_forces(tree, masses, loads, work, J, M, h):
    """Mass matrix M and forces h at the state that the kinematics left, with the u' of driven joints."""
    nu = M.shape[0]
    for i in range(nu):
        h[i] = work.tau[i]
        for k in range(nu):
            M[i, k] = 0.0
    for i in range(nu):
        if tree.driven[i] == 0:
            work.du[i] = 0.0
    for n in range(tree.link.shape[0]):
        link, moving = tree.link[n], work.moving[n]
        known_acceleration(link, moving, work)
        d, w, m = triple(moving.d), triple(moving.w), masses.mass[link.node]
        k_R = triple(moving.a_w)
        k_C = triple(moving.a_N) + k_R.cross(d) + w.cross(w.cross(d))
        inertia = inertia_at(masses, work.at, link.node)
        force = get3(loads.force_W, link.node) - k_C * m
        torque = -(inertia @ k_R) - w.cross(inertia @ w)
        if work.at.q_WB.shape[0] > link.node:
            torque = torque + get3(loads.torque_W, link.node)
        jacobian_at(tree, work, n, triple(moving.p_N) + d, J)
        add_body(J, M, h, m, inertia, force, torque)


@helper
def add_body(J, M, h, m, inertia, force, torque):
    """What one body adds to the mass matrix and the forces."""
    nu = M.shape[0]
    for k in range(nu):
        v, w = Vec3(J[0, k], J[1, k], J[2, k]), Vec3(J[3, k], J[4, k], J[5, k])
        h[k] += v @ force + w @ torque
        p, L = v * m, inertia @ w
        for i in range(nu):
            M[i, k] += J[0, i] * p.x + J[1, i] * p.y + J[2, i] * p.z + J[3, i] * L.x + J[4, i] * L.y + J[5, i] * L.z


@routine
def projected_accelerations(tree, masses, loads, work, J, M, h):
    """Work.du of the free joints by Cholesky's factors of M. Rows of driven joints become u' = u'."""
    mass_and_forces(tree, masses, loads, work, J, M, h)
    nu = M.shape[0]
    for i in range(nu):
        if tree.driven[i] == 1:
            for k in range(nu):
                M[i, k] = M[k, i] = 0.0
            M[i, i], h[i] = 1.0, work.du[i]
    cholesky(M, nu)
    cholesky_solve(M, h, nu)
    for i in range(nu):
        work.du[i] = h[i]
