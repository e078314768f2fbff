"""What every kind of force gives to the compiled step: loads and potential energy.

A kind is one file with an *element* (what the user adds to a builder), a *block* (all its elements as arrays) and
the two functions below registered for the block.
"""

from __future__ import annotations

from gelenk.compile import generic, helper
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3, put3


@generic
def add_loads(block, masses, state, t, loads_out):
    """Add the forces [N] and the torques about the centres of mass [N m] of all elements, world axes."""


@generic
def add_energy(block, masses, state, t, energy_out):
    """Add the potential energy [J] of all elements to ``energy_out[0]``; laws without a potential add nothing."""


@helper
def arm(state, node, r_B):
    """Vector from the centre of mass to a point fixed in a node, world axes; a particle has no arm."""
    if node < state.q_WB.shape[0]:
        return rotation(get4(state.q_WB, node)) @ r_B
    return r_B * 0.0


@helper
def point_velocity(state, node, r_B):
    """Velocity of a point fixed in a node (I-020):  u = v + R (w_B x r_B)."""
    v = get3(state.v_WC, node)
    if node < state.q_WB.shape[0]:
        v = v + rotation(get4(state.q_WB, node)) @ get3(state.w_WB_B, node).cross(r_B)
    return v


@helper
def add_force_at(loads_out, node, r_W, f_W):
    """Add a force at the arm r_W of a node:  F += f,  T += r x f."""
    put3(loads_out.force_W, node, get3(loads_out.force_W, node) + f_W)
    if node < loads_out.torque_W.shape[0]:
        put3(loads_out.torque_W, node, get3(loads_out.torque_W, node) + r_W.cross(f_W))
