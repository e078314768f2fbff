"""Forces held constant over a step, and the motion under them exact: the free step of impulse-dynamics 4.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.integrators.scheme import angular_acceleration, applied_loads, new_status, step
from gelenk.math.quat import get4, put4, quat_rate
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3, put3
from gelenk.state import Loads, State, new_loads


class BallisticWork(NamedTuple):
    """Scratch."""

    loads: Loads
    status: np.ndarray  # (3,) int64


@helper
def turn_rate(masses, i, q, w_B, torque_W):
    """(q', w_B') under a torque that is constant in world axes."""
    unit = q.unit()
    return quat_rate(q, w_B), angular_acceleration(masses, i, w_B, rotation(unit).tdot(torque_W))


@step.register(BallisticWork)
def _(work, system, state, t, h):
    """Translation in closed form (I-012), rotation by one Runge-Kutta step of order 4 (I-018, I-019).

    p' = p + h v + h^2 f / 2m        v' = v + h f / m
    """
    loads, masses = work.loads, system.masses
    applied_loads(system, state, t, loads)
    for i in range(state.p_WC.shape[0]):
        v, a = get3(state.v_WC, i), get3(loads.force_W, i) * masses.inv_mass[i]
        put3(state.p_WC, i, get3(state.p_WC, i) + v * h + a * (0.5 * h * h))
        put3(state.v_WC, i, v + a * h)
    for i in range(state.q_WB.shape[0]):
        q, w, torque = get4(state.q_WB, i), get3(state.w_WB_B, i), get3(loads.torque_W, i)
        dq1, dw1 = turn_rate(masses, i, q, w, torque)
        dq2, dw2 = turn_rate(masses, i, q + dq1.scaled(0.5 * h), w + dw1 * (0.5 * h), torque)
        dq3, dw3 = turn_rate(masses, i, q + dq2.scaled(0.5 * h), w + dw2 * (0.5 * h), torque)
        dq4, dw4 = turn_rate(masses, i, q + dq3.scaled(h), w + dw3 * h, torque)
        put4(state.q_WB, i, (q + (dq1 + (dq2 + dq3).scaled(2.0) + dq4).scaled(h / 6.0)).unit())
        put3(state.w_WB_B, i, w + (dw1 + (dw2 + dw3) * 2.0 + dw4) * (h / 6.0))


@dataclass(frozen=True, slots=True)
class Ballistic:
    """One force evaluation a step; exact for particles under constant force, order 1 when forces change (I-007)."""

    order: ClassVar[int] = 1
    free_rotation_order: ClassVar[int] = 4
    kind: ClassVar[str] = "ballistic"

    def workspace(self, state: State) -> BallisticWork:
        """Scratch for one run."""
        return BallisticWork(new_loads(state), new_status())
