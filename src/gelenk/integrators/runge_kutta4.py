"""The classical Runge-Kutta scheme: four force evaluations a step, order 4 (I-013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.scheme import derivative, move, new_status, renormalise, step
from gelenk.state import Loads, State, like_state, new_loads


class RungeKutta4Work(NamedTuple):
    """Scratch."""

    loads: Loads
    stage: State
    k1: State
    k2: State
    k3: State
    k4: State
    status: np.ndarray  # (3,) int64


@step.register(RungeKutta4Work)
def _(work, system, state, t, h):
    """Four slopes, weighted 1 2 2 1, then unit quaternions.

    k1 = f(t, y)   k2 = f(t + h/2, y + h/2 k1)   k3 = f(t + h/2, y + h/2 k2)   k4 = f(t + h, y + h k3)
    y' = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
    """
    loads, stage, k1, k2, k3, k4 = work.loads, work.stage, work.k1, work.k2, work.k3, work.k4
    derivative(system, state, t, loads, k1)
    move(stage.flat, state.flat, k1.flat, 0.5 * h)
    derivative(system, stage, t + 0.5 * h, loads, k2)
    move(stage.flat, state.flat, k2.flat, 0.5 * h)
    derivative(system, stage, t + 0.5 * h, loads, k3)
    move(stage.flat, state.flat, k3.flat, h)
    derivative(system, stage, t + h, loads, k4)
    y, s = state.flat, h / 6.0
    for k in range(y.shape[0]):
        y[k] += s * (k1.flat[k] + 2.0 * (k2.flat[k] + k3.flat[k]) + k4.flat[k])
    renormalise(state)


@dataclass(frozen=True, slots=True)
class RungeKutta4:
    """Order 4, four force evaluations a step. The default: accurate and plain."""

    order: ClassVar[int] = 4
    kind: ClassVar[str] = "runge_kutta4"

    def workspace(self, state: State) -> RungeKutta4Work:
        """Scratch for one run."""
        stage, k1, k2, k3, k4 = (like_state(state) for _ in range(5))
        return RungeKutta4Work(new_loads(state), stage, k1, k2, k3, k4, new_status())
