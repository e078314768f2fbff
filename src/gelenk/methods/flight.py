"""Kicks by forces and free flight between them: what Impulse does with bodies (I-027)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.integrators.free_rotation import free_rotation
from gelenk.integrators.scheme import nearly_unit
from gelenk.math.quat import get4, put4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.rows.assemble import inverse_inertia


@routine
def kick(masses, state, loads, bodies, h):
    """V += h M^-1 F."""
    V = bodies.V
    for i in range(state.p_WC.shape[0]):
        s = h * masses.inv_mass[i]
        for k in range(3):
            V[i, k] += s * loads.force_W[i, k]
    for i in range(state.q_WB.shape[0]):
        w = get33(bodies.inv_inertia_W, i) @ get3(loads.torque_W, i)
        V[i, 3] += h * w.x
        V[i, 4] += h * w.y
        V[i, 5] += h * w.z


@routine
def fly(masses, state, V, h, out, first, last):
    """Free flight of some nodes over h without forces: straight on, and turning as a free body does (I-027)."""
    for i in range(first, last):
        put3(out.p_WC, i, get3(state.p_WC, i) + Vec3(V[i, 0], V[i, 1], V[i, 2]) * h)
    for i in range(first, min(last, state.q_WB.shape[0])):
        q = get4(state.q_WB, i)
        if masses.inv_mass[i] == 0.0:
            put4(out.q_WB, i, q)
            continue
        w_B = rotation(q).tdot(Vec3(V[i, 3], V[i, 4], V[i, 5]))
        turn, w_B = free_rotation(get33(masses.inertia_B, i), get33(masses.inv_inertia_B, i), w_B, h)
        put4(out.q_WB, i, nearly_unit(q * turn))
        put3(out.w_WB_B, i, w_B)


@routine
def land(masses, state, bodies, next_):
    """Take the flight: poses, and velocities as seen from the new axes."""
    for i in range(state.p_WC.shape[0]):
        put3(state.p_WC, i, get3(next_.p_WC, i))
    for i in range(state.q_WB.shape[0]):
        if masses.inv_mass[i] > 0.0:
            q = get4(next_.q_WB, i)
            R = rotation(q)
            w = R @ get3(next_.w_WB_B, i)
            put4(state.q_WB, i, q)
            bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5] = w.x, w.y, w.z
            inverse_inertia(masses, bodies, i, R)


@helper
def store_velocities(state, bodies):
    """Velocities back to the state, rotations in body axes; V is then what the state gives, as after a restart."""
    V = bodies.V
    for i in range(state.p_WC.shape[0]):
        put3(state.v_WC, i, Vec3(V[i, 0], V[i, 1], V[i, 2]))
    for i in range(state.q_WB.shape[0]):
        R = rotation(get4(state.q_WB, i))
        w_B = R.tdot(Vec3(V[i, 3], V[i, 4], V[i, 5]))
        put3(state.w_WB_B, i, w_B)
        w = R @ w_B
        V[i, 3], V[i, 4], V[i, 5] = w.x, w.y, w.z
