"""Dormand and Prince's embedded pair of orders 5 and 4 with step control."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.checks import check_number
from gelenk.compile import routine
from gelenk.integrators.scheme import STEP_TOO_SMALL, copy, derivative, new_status, renormalise, step
from gelenk.state import Loads, State, like_state, new_loads

# Butcher's table of the pair. Source: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19-26, table 2, RK5(4)7M.
A2 = (1 / 5,)
A3 = (3 / 40, 9 / 40)
A4 = (44 / 45, -56 / 15, 32 / 9)
A5 = (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729)
A6 = (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656)
A7 = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)  # also the weights of order 5
E = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)  # order 5 minus order 4
SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
ALPHA, BETA = 0.7 / 5, 0.4 / 5  # proportional-integral control: Hairer, Norsett, Wanner I, II.4


class DormandPrinceWork(NamedTuple):
    """Scratch, tolerances and the memory of the step control."""

    loads: Loads
    stage: State
    k1: State
    k2: State
    k3: State
    k4: State
    k5: State
    k6: State
    k7: State
    tolerance: np.ndarray  # (2,) relative, absolute
    control: np.ndarray  # (2,) next inner step [s], error of the last accepted one
    status: np.ndarray  # (3,) int64: status, accepted, rejected


@routine
def stages(work, system, state, t, h):
    """All seven slopes; the last stage is the solution of order 5."""
    y, s = state.flat, work.stage.flat
    k1, k2, k3, k4, k5, k6 = work.k1.flat, work.k2.flat, work.k3.flat, work.k4.flat, work.k5.flat, work.k6.flat
    derivative(system, state, t, work.loads, work.k1)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A2[0] * k1[i])
    derivative(system, work.stage, t + h / 5, work.loads, work.k2)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A3[0] * k1[i] + A3[1] * k2[i])
    derivative(system, work.stage, t + h * 3 / 10, work.loads, work.k3)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A4[0] * k1[i] + A4[1] * k2[i] + A4[2] * k3[i])
    derivative(system, work.stage, t + h * 4 / 5, work.loads, work.k4)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A5[0] * k1[i] + A5[1] * k2[i] + A5[2] * k3[i] + A5[3] * k4[i])
    derivative(system, work.stage, t + h * 8 / 9, work.loads, work.k5)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A6[0] * k1[i] + A6[1] * k2[i] + A6[2] * k3[i] + A6[3] * k4[i] + A6[4] * k5[i])
    derivative(system, work.stage, t + h, work.loads, work.k6)
    for i in range(y.shape[0]):
        s[i] = y[i] + h * (A7[0] * k1[i] + A7[2] * k3[i] + A7[3] * k4[i] + A7[4] * k5[i] + A7[5] * k6[i])
    derivative(system, work.stage, t + h, work.loads, work.k7)


@routine
def scaled_error(work, state, h):
    """Largest estimated error over its tolerance; at most 1 is good. The largest, so that no body hides in a crowd."""
    k1, k3, k4, k5, k6, k7 = (work.k1.flat, work.k3.flat, work.k4.flat, work.k5.flat, work.k6.flat, work.k7.flat)
    y, s = state.flat, work.stage.flat
    relative, absolute = work.tolerance[0], work.tolerance[1]
    worst = 0.0
    for i in range(y.shape[0]):
        e = h * (E[0] * k1[i] + E[2] * k3[i] + E[3] * k4[i] + E[4] * k5[i] + E[5] * k6[i] + E[6] * k7[i])
        ratio = abs(e) / (absolute + relative * max(abs(y[i]), abs(s[i])))
        if not ratio < math.inf:  # also when it is not a number: no such step
            return math.inf
        worst = max(worst, ratio)
    return worst


@step.register(DormandPrinceWork)
def _(work, system, state, t, h):
    """As many inner steps as the tolerance asks for, the last one ending exactly at t + h."""
    end = t + h
    while t < end:
        natural = work.control[0]  # infinite at the start: the whole interval is tried
        last = t + natural * (1.0 + 1e-10) >= end
        # What is left is taken in one step or in two halves, so that no splinter remains.
        inner = end - t if last else min(natural, 0.5 * (end - t))
        if not t + 0.01 * inner > t:
            work.status[0] = STEP_TOO_SMALL
            return
        stages(work, system, state, t, inner)
        error = scaled_error(work, state, inner)
        if error <= 1.0:
            t = end if last else t + inner
            copy(state.flat, work.stage.flat)
            renormalise(state)
            work.status[1] += 1
            kept = max(error, 1e-10)
            factor = SAFETY * kept**-ALPHA * work.control[1] ** BETA
            work.control[1] = kept
            proposal = inner * min(GROW, max(SHRINK, factor))
            # A step cut short by the end says nothing against the natural one.
            work.control[0] = max(natural, proposal) if inner < natural else proposal
        else:
            work.status[2] += 1
            if not error < math.inf:
                work.control[0] = inner * SHRINK
            else:
                work.control[0] = inner * max(SHRINK, SAFETY * error**-ALPHA)


@dataclass(frozen=True, slots=True)
class DormandPrince:
    """Order 5 with an embedded error of order 4; the inner step follows the motion.

    The step ``h`` of the method is the interval at whose ends the scheme lands exactly and the longest inner step. It
    must be shorter than the shortest pulse of a force that depends on time: what falls between the evaluations of an
    accepted step is not seen.

    Parameters
    ----------
    relative, absolute : tolerances of the error a step, each number of the state for itself (m, m/s, rad/s, 1)
    """

    order: ClassVar[int] = 5
    kind: ClassVar[str] = "dormand_prince"
    counters: ClassVar[tuple[str, ...]] = ("inner_steps", "rejected")

    relative: float = 1e-9
    absolute: float = 1e-12

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "relative", check_number("DormandPrince", "relative", self.relative, "1", least=1e-14, most=1e-1))
        put(self, "absolute", check_number("DormandPrince", "absolute", self.absolute, "1", above=0))

    def workspace(self, state: State) -> DormandPrinceWork:
        """Scratch for one run."""
        stage, k1, k2, k3, k4, k5, k6, k7 = (like_state(state) for _ in range(8))
        tolerance, control = np.array([self.relative, self.absolute]), np.array([np.inf, 1e-4])
        return DormandPrinceWork(new_loads(state), stage, k1, k2, k3, k4, k5, k6, k7, tolerance, control, new_status())
