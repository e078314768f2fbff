"""Implicit midpoint rule: keeps what is quadratic in the state, also when stiff, order 2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.compile import routine
from gelenk.integrators.newton_krylov import KrylovWork, dot, evaluate, krylov_work, newton_direction
from gelenk.integrators.scheme import NOT_CONVERGED, copy, derivative, move, new_status, renormalise, step
from gelenk.state import Loads, State, like_state, new_loads

TINY, UNIT = 1e-300, 4.5e-16
ROUND_OFF = 1e-12  # a change below this that no longer shrinks is round-off
HALVINGS, OVERSHOOT = 6, 2.0  # a Newton change that makes F twice as long is halved, up to six times
SLOW = 0.3  # plain iteration that shrinks less than this a turn gives way to Newton's method


class ImplicitMidpointWork(NamedTuple):
    """Scratch and the accuracy of the solution."""

    loads: Loads
    middle: State
    rate: State
    krylov: KrylovWork
    tolerance: np.ndarray  # (1,)
    limit: np.ndarray  # (1,) int64, iterations allowed
    status: np.ndarray  # (3,) int64: outcome, steps, iterations


@routine
def measure(middle, change, positions, half):
    """(largest change, largest number) among orientations and velocities.

    Positions may be large, so their change counts as the velocity that makes it in half a step, above its round-off.
    """
    largest, size = 0.0, TINY
    for k in range(positions):
        largest = max(largest, (abs(change[k]) - UNIT * abs(middle[k])) / half)
    for k in range(positions, middle.shape[0]):
        largest = max(largest, abs(change[k]))
        size = max(size, abs(middle[k]))
    return largest, size


@routine
def length(a):
    """Euclidean length."""
    return math.sqrt(dot(a, a))


@routine
def newton_change(work, system, state, t, h):
    """Newton's change of m in ``krylov.direction``, halved while it lengthens F; F is evaluated at the end."""
    krylov, middle = work.krylov, work.middle
    size = newton_direction(krylov, system, state, middle, t, h)
    move(middle.flat, middle.flat, krylov.direction, 1.0)
    evaluate(krylov, system, state, middle, t, h)
    for _ in range(HALVINGS):
        if length(krylov.residual) <= OVERSHOOT * size or length(krylov.direction) <= ROUND_OFF * length(middle.flat):
            return
        for k in range(krylov.direction.shape[0]):
            krylov.direction[k] *= 0.5
        move(middle.flat, middle.flat, krylov.direction, -1.0)
        evaluate(krylov, system, state, middle, t, h)


@routine
def solve_middle(work, system, state, t, h):
    """Find  m = y + h/2 f(t + h/2, m);  returns whether it was found.

    Plain iteration m <- m - F(m) while it shrinks fast, which is the rule for soft systems and costs one evaluation
    a turn; Newton's method as soon as it does not.
    """
    krylov, middle = work.krylov, work.middle
    positions = 3 * state.p_WC.shape[0]
    newton = False
    before = np.inf
    evaluate(krylov, system, state, middle, t, h)
    for _ in range(work.limit[0]):
        work.status[2] += 1
        if newton:
            newton_change(work, system, state, t, h)
        else:
            for k in range(krylov.residual.shape[0]):
                krylov.direction[k] = -krylov.residual[k]
            move(middle.flat, middle.flat, krylov.direction, 1.0)
            evaluate(krylov, system, state, middle, t, h)
        change, size = measure(middle.flat, krylov.direction, positions, 0.5 * h)
        if change <= work.tolerance[0] * size or (change >= 0.5 * before and change <= ROUND_OFF * size):
            return True
        if not newton and not change < SLOW * before and before < np.inf:
            newton = True
            before = np.inf
            copy(middle.flat, state.flat)  # back to the start of the step
            evaluate(krylov, system, state, middle, t, h)
        else:
            before = change
    return False


@step.register(ImplicitMidpointWork)
def _(work, system, state, t, h):
    """Solve  m = y + h/2 f(t + h/2, m),  then  y' = 2 m - y.

    Quadratic invariants of the motion are kept to the tolerance of the solution: |q|, the rotational energy and the
    length of the angular momentum of a free body, the energy of linear springs along a fixed line. Not among them are
    the energy of springs that turn and the direction of the angular momentum in world axes: they err with h^2. Linear
    systems are stable at any step; a frequency that the step does not resolve (h w > 2) is slowed down, not damped.
    A strongly non-linear step may have no solution that is found: then the run stops and says so.
    """
    derivative(system, state, t, work.loads, work.rate)
    move(work.middle.flat, state.flat, work.rate.flat, 0.5 * h)
    work.status[1] += 1
    if not solve_middle(work, system, state, t, h):
        work.status[0] = NOT_CONVERGED
    for k in range(state.flat.shape[0]):
        state.flat[k] = 2.0 * work.middle.flat[k] - state.flat[k]
    renormalise(state)


def check_iteration(scheme: Any) -> None:
    """Options of a scheme that iterates: a tolerance and a number of iterations."""
    name, put = type(scheme).__name__, object.__setattr__
    put(scheme, "tolerance", check_number(name, "tolerance", scheme.tolerance, "1", least=0, most=1e-3))
    put(scheme, "iterations", check_count(name, "iterations", scheme.iterations, least=1, most=10000))


@dataclass(frozen=True, slots=True)
class ImplicitMidpoint:
    """Order 2, time-reversible; energy error bounded over long times, fit for stiff springs.

    Parameters
    ----------
    tolerance : change of the last iteration relative to the largest velocity in the model (m/s, rad/s) or 1
    iterations : how many are allowed before the run stops with an error
    """

    order: ClassVar[int] = 2
    kind: ClassVar[str] = "implicit_midpoint"
    counters: ClassVar[tuple[str, ...]] = ("steps", "iterations")

    tolerance: float = 1e-15
    iterations: int = 50

    def __post_init__(self) -> None:
        check_iteration(self)

    def workspace(self, state: State) -> ImplicitMidpointWork:
        """Scratch for one run."""
        return ImplicitMidpointWork(
            new_loads(state),
            like_state(state),
            like_state(state),
            krylov_work(state),
            np.array([self.tolerance]),
            np.array([self.iterations]),
            new_status(),
        )
