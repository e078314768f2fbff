"""What moves, what it weighs, what acts on it: the arrays that kernels share.

*Nodes* are all bodies followed by all particles. A body has a frame B of its own and a centre of mass C; the state
follows C in translation and B in rotation. Node 0 is the world (B-03): it never moves and has no mass. Static nodes
have zero inverse mass and inertia, so every formula holds for them without a branch (I-006, I-022).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray


class State(NamedTuple):
    """What changes. ``flat`` is one vector that the other fields are views of.

    With the time it is enough to restart a fixed-step run exactly; an adaptive scheme finds its step anew.
    """

    flat: Array  # (6 nodes + 7 bodies + memory,)
    p_WC: Array  # (nodes, 3) centre of mass in world [m]
    q_WB: Array  # (bodies, 4) unit quaternion w x y z, body to world
    v_WC: Array  # (nodes, 3) velocity of the centre of mass in world [m/s]
    w_WB_B: Array  # (bodies, 3) angular velocity in body axes [rad/s]
    memory: Array  # (k,) what joints, motors and inputs hold from step to step; see gelenk.rows.memory


class Loads(NamedTuple):
    """What acts on the nodes; force laws add to it."""

    flat: Array  # (3 nodes + 3 bodies,)
    force_W: Array  # (nodes, 3) in world axes [N]
    torque_W: Array  # (bodies, 3) about the centre of mass, world axes [N m]


class Masses(NamedTuple):
    """What the nodes weigh. The inverse is zero where a node is static."""

    mass: Array  # (nodes,) [kg]
    inv_mass: Array  # (nodes,) [1/kg]
    inertia_B: Array  # (bodies, 3, 3) about the centre of mass, body axes [kg m^2]
    inv_inertia_B: Array  # (bodies, 3, 3) [1/(kg m^2)]


class System(NamedTuple):
    """A model as compiled code sees it."""

    masses: Masses
    forces: tuple  # one block per kind of force, the built-in kinds always present and in fixed order


def state_of(flat: Array, nodes: int, bodies: int) -> State:
    """View a vector of 6 nodes + 7 bodies numbers, and what is left as memory, as a state."""
    a, b, c, d = 3 * nodes, 3 * nodes + 4 * bodies, 6 * nodes + 4 * bodies, 6 * nodes + 7 * bodies
    p, q, v, w, memory = flat[:a], flat[a:b], flat[b:c], flat[c:d], flat[d:]
    return State(flat, p.reshape(-1, 3), q.reshape(-1, 4), v.reshape(-1, 3), w.reshape(-1, 3), memory)


def new_state(nodes: int, bodies: int, memory: int = 0) -> State:
    """All zero, apart from the quaternions, which are the identity."""
    state = state_of(np.zeros(6 * nodes + 7 * bodies + memory), nodes, bodies)
    state.q_WB[:, 0] = 1.0
    return state


def like_state(state: State) -> State:
    """Scratch of the same shape, all zero (rates and stages)."""
    return state_of(np.zeros_like(state.flat), len(state.p_WC), len(state.q_WB))


def loads_of(flat: Array, nodes: int) -> Loads:
    """View a vector of 3 nodes + 3 bodies numbers as loads."""
    return Loads(flat, flat[: 3 * nodes].reshape(-1, 3), flat[3 * nodes :].reshape(-1, 3))


def new_loads(state: State) -> Loads:
    """Zero loads for the nodes of a state."""
    return loads_of(np.zeros(3 * len(state.p_WC) + 3 * len(state.q_WB)), len(state.p_WC))
