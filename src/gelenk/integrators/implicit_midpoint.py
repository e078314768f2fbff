"""Implicit midpoint rule: keeps what is quadratic in the state, order 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.checks import check_number
from gelenk.compile import routine
from gelenk.integrators.scheme import NOT_CONVERGED, derivative, move, new_status, normalise, step
from gelenk.state import Loads, State, like_state, new_loads

TINY = 1e-300


class ImplicitMidpointWork(NamedTuple):
    """Scratch and the accuracy of the iteration."""

    loads: Loads
    middle: State
    rate: State
    tolerance: np.ndarray  # (1,)
    limit: np.ndarray  # (1,) int64, iterations allowed
    status: np.ndarray  # (3,) int64: status, steps, iterations


@routine
def correct(middle, y, rate, half, positions):
    """Middle = y + half rate; returns (largest change, largest number) of orientations and velocities.

    Positions follow the velocities and may be large, so they do not judge the iteration.
    """
    change, size = 0.0, TINY
    for k in range(positions):
        middle[k] = y[k] + half * rate[k]
    for k in range(positions, y.shape[0]):
        new = y[k] + half * rate[k]
        change = max(change, abs(new - middle[k]))
        size = max(size, abs(new))
        middle[k] = new
    return change, size


@step.register(ImplicitMidpointWork)
def _(work, system, state, t, h):
    """Solve  m = y + h/2 f(t + h/2, m)  by iteration, then  y' = 2 m - y.

    Quadratic invariants of the motion are kept to the tolerance of the iteration: |q|, the rotational energy and the
    length of the angular momentum of a free body. The iteration converges while h/2 times the highest frequency of
    the system is below 1; beyond, the step reports that it did not and the run stops.
    """
    middle, rate = work.middle.flat, work.rate.flat
    derivative(system, state, t, work.loads, work.rate)
    move(middle, state.flat, rate, 0.5 * h)
    work.status[1] += 1
    before = np.inf
    for n in range(work.limit[0]):
        derivative(system, work.middle, t + 0.5 * h, work.loads, work.rate)
        change, size = correct(middle, state.flat, rate, 0.5 * h, 3 * state.p_WC.shape[0])
        work.status[2] += 1
        # Done at the tolerance, or when round-off keeps the change from shrinking further.
        if change <= work.tolerance[0] * size or (change >= before and change <= 1e-12 * size):
            break
        before = change
        if n == work.limit[0] - 1:
            work.status[0] = NOT_CONVERGED
    for k in range(middle.shape[0]):
        state.flat[k] = 2.0 * middle[k] - state.flat[k]
    normalise(state)


@dataclass(frozen=True, slots=True)
class ImplicitMidpoint:
    """Order 2, time-reversible; energy error bounded over long times.

    Parameters
    ----------
    tolerance : change of the last iteration relative to the largest velocity (m/s, rad/s) or 1
    iterations : how many are allowed before the run stops with an error
    """

    order: ClassVar[int] = 2
    kind: ClassVar[str] = "implicit_midpoint"

    tolerance: float = 1e-15
    iterations: int = 100

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tolerance", check_number("ImplicitMidpoint", "tolerance", self.tolerance, "1", least=0, most=1e-3))
        n = check_number("ImplicitMidpoint", "iterations", self.iterations, "1", least=1, most=10000)
        put(self, "iterations", int(n))

    def workspace(self, state: State) -> ImplicitMidpointWork:
        """Scratch for one run."""
        return ImplicitMidpointWork(
            new_loads(state),
            like_state(state),
            like_state(state),
            np.array([self.tolerance]),
            np.array([self.iterations]),
            new_status(),
        )
