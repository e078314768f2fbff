"""Implicit Euler: stable at any step, damps what the step does not resolve, order 1 (V-55)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.integrators.implicit_midpoint import ImplicitMidpoint, ImplicitMidpointWork, check_iteration, solve_middle
from gelenk.integrators.scheme import NOT_CONVERGED, copy, derivative, move, renormalise, step
from gelenk.state import State


class ImplicitEulerWork(NamedTuple):
    """Scratch: that of the midpoint rule over two steps, whose middle is the end of one."""

    double: ImplicitMidpointWork
    status: np.ndarray  # (3,) int64: outcome, steps, iterations


@step.register(ImplicitEulerWork)
def _(work, system, state, t, h):
    """Solve  y' = y + h f(t + h, y')  by fixed-point iteration, or by Newton's method where that converges slowly."""
    double = work.double
    derivative(system, state, t, double.loads, double.rate)
    move(double.middle.flat, state.flat, double.rate.flat, h)
    work.status[1] += 1
    if not solve_middle(double, system, state, t, 2.0 * h):
        work.status[0] = NOT_CONVERGED
    copy(state.flat, double.middle.flat)
    renormalise(state)


@dataclass(frozen=True, slots=True)
class ImplicitEuler:
    """Order 1, stable for stiff springs; the energy of a spring shrinks by 1 + h^2 w^2 a step.

    Parameters
    ----------
    tolerance : change of the last iteration relative to the largest velocity in the model (m/s, rad/s) or 1
    iterations : how many are allowed before the run stops with an error
    """

    order: ClassVar[int] = 1
    kind: ClassVar[str] = "implicit_euler"
    counters: ClassVar[tuple[str, ...]] = ("steps", "iterations")

    tolerance: float = 1e-15
    iterations: int = 50

    def __post_init__(self) -> None:
        check_iteration(self)

    def workspace(self, state: State) -> ImplicitEulerWork:
        """Scratch for one run."""
        double = ImplicitMidpoint(self.tolerance, self.iterations).workspace(state)
        return ImplicitEulerWork(double, double.status)
