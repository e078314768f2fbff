"""Semi-implicit Euler on positions and on the rotation group: one force evaluation a step, order 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.scheme import applied_loads, nearly_unit, new_status, step, torque_in_body
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import get3, put3
from gelenk.state import Loads, State, new_loads


class SemiImplicitEulerWork(NamedTuple):
    """Scratch."""

    loads: Loads
    status: np.ndarray  # (3,) int64


@step.register(SemiImplicitEulerWork)
def _(work, system, state, t, h):
    """New velocities from the old forces, new poses from the new velocities.

        v' = v + h f / m                                     p' = p + h v'
        w* = w + h I^-1 (T - 1/2 w x I w)                    q' = q exp(h w*)        (body axes, T = R^T torque)
        w' = I^-1 exp(h w*)^T (I w + h T)

    The body turns with the velocity that it has in the middle of the step, torque impulse included, and the last line
    carries the angular momentum over to the new axes: it is kept exactly, and a free body turns with order 2. Euler's
    equation stepped for itself would let a tumbling body gain speed without bound.
    """
    loads, masses = work.loads, system.masses
    applied_loads(system, state, t, loads)
    for i in range(state.p_WC.shape[0]):
        v = get3(state.v_WC, i) + get3(loads.force_W, i) * (h * masses.inv_mass[i])
        put3(state.v_WC, i, v)
        put3(state.p_WC, i, get3(state.p_WC, i) + v * h)
    for i in range(state.q_WB.shape[0]):
        q, w_B = get4(state.q_WB, i), get3(state.w_WB_B, i)
        torque_B = torque_in_body(loads, i, q)
        inverse = get33(masses.inv_inertia_B, i)
        L_B = get33(masses.inertia_B, i) @ w_B
        w_middle = w_B + inverse @ ((torque_B - w_B.cross(L_B) * 0.5) * h)
        turn = quat_exp(w_middle * h)
        put3(state.w_WB_B, i, inverse @ rotation(turn).tdot(L_B + torque_B * h))
        put4(state.q_WB, i, nearly_unit(q * turn))


@dataclass(frozen=True, slots=True)
class SemiImplicitEuler:
    """Order 1 in forces, order 2 in the rotation of free bodies; one force evaluation a step.

    Energy error of springs bounded while h < 2 / (highest frequency); angular momentum of free bodies exact, so that
    their energy cannot run away at any step.
    """

    order: ClassVar[int] = 1
    free_rotation_order: ClassVar[int] = 2
    kind: ClassVar[str] = "semi_implicit_euler"

    def workspace(self, state: State) -> SemiImplicitEulerWork:
        """Scratch for one run."""
        return SemiImplicitEulerWork(new_loads(state), new_status())
