"""Explicit Euler: one force evaluation a step, order 1 (V-55). For comparison: undamped oscillations grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.scheme import derivative, move, new_status, renormalise, step
from gelenk.state import Loads, State, like_state, new_loads


class ExplicitEulerWork(NamedTuple):
    """Scratch."""

    loads: Loads
    rate: State
    status: np.ndarray  # (3,) int64


@step.register(ExplicitEulerWork)
def _(work, system, state, t, h):
    """Y' = y + h f(t, y), then unit quaternions."""
    derivative(system, state, t, work.loads, work.rate)
    move(state.flat, state.flat, work.rate.flat, h)
    renormalise(state)


@dataclass(frozen=True, slots=True)
class ExplicitEuler:
    """Order 1, one force evaluation a step; the energy of a spring grows by 1 + h^2 w^2 a step."""

    order: ClassVar[int] = 1
    kind: ClassVar[str] = "explicit_euler"

    def workspace(self, state: State) -> ExplicitEulerWork:
        """Scratch for one run."""
        return ExplicitEulerWork(new_loads(state), like_state(state), new_status())
