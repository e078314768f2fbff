"""Semi-implicit Euler on positions and on the rotation group: one force evaluation a step, order 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.scheme import angular_acceleration, applied_loads, new_status, normalise, step
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3, put3
from gelenk.state import Loads, State, new_loads


class SemiImplicitEulerWork(NamedTuple):
    """Scratch."""

    loads: Loads
    status: np.ndarray  # (3,) int64


@step.register(SemiImplicitEulerWork)
def _(work, system, state, t, h):
    """New velocities from the old forces, new poses from the new velocities.

        v' = v + h f / m                             p' = p + h v'
        w' = w + h I^-1 (R^T T - w x I w)            q' = q exp(h w')      (body axes)

    The exponential turns a body of constant angular velocity exactly.
    """
    loads, masses = work.loads, system.masses
    applied_loads(system, state, t, loads)
    for i in range(state.p_WC.shape[0]):
        v = get3(state.v_WC, i) + get3(loads.force_W, i) * (h * masses.inv_mass[i])
        put3(state.v_WC, i, v)
        put3(state.p_WC, i, get3(state.p_WC, i) + v * h)
    for i in range(state.q_WB.shape[0]):
        q, w_B = get4(state.q_WB, i), get3(state.w_WB_B, i)
        torque_B = rotation(q).tdot(get3(loads.torque_W, i))
        w_B = w_B + angular_acceleration(masses, i, w_B, torque_B) * h
        put3(state.w_WB_B, i, w_B)
        put4(state.q_WB, i, q * quat_exp(w_B * h))
    normalise(state)


@dataclass(frozen=True, slots=True)
class SemiImplicitEuler:
    """Order 1, one force evaluation a step. Bounded energy error for springs while h < 2 / (highest frequency)."""

    order: ClassVar[int] = 1
    kind: ClassVar[str] = "semi_implicit_euler"

    def workspace(self, state: State) -> SemiImplicitEulerWork:
        """Scratch for one run."""
        return SemiImplicitEulerWork(new_loads(state), new_status())
