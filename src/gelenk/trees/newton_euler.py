"""Inverse dynamics of a tree: the recursive Newton-Euler equations (V-52; virtual-worlds 4.34).

Outward accelerations for given u', then inward the force that each joint must pass on,

    f = m (a_N + a_w x d + w x (w x d)) - F          n = I a_w + w x I w + d x f - T        tau_k = v_k.f + w_k.n

with f and n of the children added.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.vec3 import get3, triple
from gelenk.rows.block import NONE
from gelenk.trees.articulated import inertia_at
from gelenk.trees.kinematics import store


@routine
def inverse_dynamics(tree, masses, loads, work, tau):
    """Generalised forces ``tau`` that lead to work.du, at the state that the kinematics left."""
    count = tree.link.shape[0]
    for n in range(count):
        link, moving = tree.link[n], work.moving[n]
        known_acceleration(link, moving, work)
        joint_force(masses, loads, link, moving, work.at)
    sum_inward(tree, work, tau)


@routine
def sum_inward(tree, work, out):
    """What each link holds in f and n, with that of all its children, and along its columns:  out_k = v_k.f + w_k.n."""
    count = tree.link.shape[0]
    for m in range(count):
        link, moving = tree.link[count - 1 - m], work.moving[count - 1 - m]
        f, t = triple(moving.f), triple(moving.n)
        for k in range(link.u, link.last):
            out[k] = triple(work.column[k].v) @ f + triple(work.column[k].w) @ t
        if link.parent != NONE:
            parent = work.moving[link.parent]
            store(parent.f, triple(parent.f) + f)
            store(parent.n, triple(parent.n) + t + triple(moving.r).cross(f))


@helper
def known_acceleration(link, moving, work):
    """Acceleration of a link whose u' is given."""
    a_N, a_w = triple(moving.c_N), triple(moving.c_w)
    if link.parent != NONE:
        parent = work.moving[link.parent]
        above = triple(parent.a_w)
        a_N, a_w = a_N + triple(parent.a_N) + above.cross(triple(moving.r)), a_w + above
    for k in range(link.u, link.last):
        a_N, a_w = a_N + triple(work.column[k].v) * work.du[k], a_w + triple(work.column[k].w) * work.du[k]
    store(moving.a_N, a_N)
    store(moving.a_w, a_w)


@helper
def joint_force(masses, loads, link, moving, at):
    """What a link needs of its joint, about N."""
    m, d, w = masses.mass[link.node], triple(moving.d), triple(moving.w)
    a_N, a_w = triple(moving.a_N), triple(moving.a_w)
    f = (a_N + a_w.cross(d) + w.cross(w.cross(d))) * m - get3(loads.force_W, link.node)
    t = d.cross(f)
    if at.q_WB.shape[0] > link.node:
        inertia = inertia_at(masses, at, link.node)
        t = t + inertia @ a_w + w.cross(inertia @ w) - get3(loads.torque_W, link.node)
    store(moving.f, f)
    store(moving.n, t)
