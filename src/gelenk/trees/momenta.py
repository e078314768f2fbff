"""Momenta of a tree from the velocities of its bodies, whatever these are."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import get3, triple
from gelenk.trees.kinematics import store
from gelenk.trees.newton_euler import sum_inward

CLOSE = 1e-9  # of the velocities: what round-off, and other methods, may leave between them and what joints allow


@routine
def fits(tree, work, state):
    """Whether the velocities of a state are those that (q, u) gives."""
    apart, size = 0.0, 0.0
    for n in range(tree.link.shape[0]):
        i = tree.link[n].node
        v = get3(state.v_WC, i)
        size, apart = max(size, v.norm()), max(apart, (v - get3(work.at.v_WC, i)).norm())
        if i < state.w_WB_B.shape[0]:
            w = get3(state.w_WB_B, i)
            size, apart = max(size, w.norm()), max(apart, (w - get3(work.at.w_WB_B, i)).norm())
    return apart <= CLOSE * size


@routine
def momenta(tree, masses, work, state, p):
    """Generalised momenta  p_k = v_k.P + w_k.L  with momentum P and angular momentum L of all that joint k moves.

    P and L are about N and take the places of forces while they are summed up, children first.
    """
    for n in range(tree.link.shape[0]):
        own_momentum(masses, tree.link[n], work.moving[n], state)
    sum_inward(tree, work, p)


@helper
def own_momentum(masses, link, moving, state):
    """Of one body, about N."""
    i = link.node
    f = get3(state.v_WC, i) * masses.mass[i]
    t = triple(moving.d).cross(f)
    if i < state.q_WB.shape[0]:
        t = t + rotation(get4(state.q_WB, i)) @ (get33(masses.inertia_B, i) @ get3(state.w_WB_B, i))
    store(moving.f, f)
    store(moving.n, t)
