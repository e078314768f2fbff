"""Explicit midpoint rule: two force evaluations a step, order 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.scheme import derivative, move, new_status, renormalise, step
from gelenk.state import Loads, State, like_state, new_loads


class ExplicitMidpointWork(NamedTuple):
    """Scratch."""

    loads: Loads
    middle: State
    rate: State
    status: np.ndarray  # (3,) int64


@step.register(ExplicitMidpointWork)
def _(work, system, state, t, h):
    """Y' = y + h f(t + h/2, y + h/2 f(t, y)), then unit quaternions."""
    derivative(system, state, t, work.loads, work.rate)
    move(work.middle.flat, state.flat, work.rate.flat, 0.5 * h)
    derivative(system, work.middle, t + 0.5 * h, work.loads, work.rate)
    move(state.flat, state.flat, work.rate.flat, h)
    renormalise(state)


@dataclass(frozen=True, slots=True)
class ExplicitMidpoint:
    """Order 2, two force evaluations a step."""

    order: ClassVar[int] = 2
    kind: ClassVar[str] = "explicit_midpoint"

    def workspace(self, state: State) -> ExplicitMidpointWork:
        """Scratch for one run."""
        return ExplicitMidpointWork(new_loads(state), like_state(state), like_state(state), new_status())
