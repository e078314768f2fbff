"""Energies and momenta of a state, in one pass of compiled code (H-13, H-14)."""

from __future__ import annotations

import numpy as np

from gelenk.compile import kernel
from gelenk.forces.block import add_energy
from gelenk.math.quat import get4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3
from gelenk.state import State, System

LEDGER = ("kinetic", "potential", "px", "py", "pz", "Lx", "Ly", "Lz")


@kernel
def observe_kernel(system, state, t, out):
    """Sum over all nodes that move (biomechanics 3.14):

    kinetic    1/2 m v.v + 1/2 w.I w                   potential   of the force laws that have one
    momentum   P = m v                                 angular     L = p x m v + R I w   about the world origin
    """
    masses = system.masses
    kinetic = 0.0
    P, L = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for i in range(state.p_WC.shape[0]):
        v = get3(state.v_WC, i)
        mv = v * masses.mass[i]
        kinetic += 0.5 * (mv @ v)
        P = P + mv
        L = L + get3(state.p_WC, i).cross(mv)
    for i in range(state.q_WB.shape[0]):
        w_B = get3(state.w_WB_B, i)
        L_B = get33(masses.inertia_B, i) @ w_B
        kinetic += 0.5 * (w_B @ L_B)
        L = L + rotation(get4(state.q_WB, i)) @ L_B
    out[1] = 0.0
    add_energy(system.forces, masses, state, t, out[1:2])
    out[0] = kinetic
    out[2], out[3], out[4] = P.x, P.y, P.z
    out[5], out[6], out[7] = L.x, L.y, L.z


def observe(system: System, state: State, t: float) -> np.ndarray:
    """(8,) kinetic and potential energy [J], momentum [N s], angular momentum about the world origin [N m s]."""
    out = np.empty(len(LEDGER))
    observe_kernel(system, state, t, out)
    return out
