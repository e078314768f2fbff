"""Steps of many copies of a tree in one compiled call: each takes its turn in the space of one run.

A copy is a row of numbers, its state. What the method needs besides is scratch, the same for all copies, so that it
stays in the cache of the processor while they pass through. A step depends on the state alone, hence a copy moves as it
would by itself, bit for bit, whoever shares its scratch and however many threads there are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.compile import Repeated, helper, unlocked
from gelenk.forces.law import Law
from gelenk.methods.rows_stepper import take_steps
from gelenk.methods.tree_stepper import TreeStepper, fit_turns, fit_velocities


@unlocked
def advance_copies(work, links, tally, system, state, copies, good, t_start, h, first, count, begin, end):
    """Take the copies from ``begin`` up to ``end`` through steps, as ``advance_tree`` takes one.

    A copy whose step fails, or that ends in numbers that are not finite, stays as it was, and ``good`` says so.
    """
    for c in range(begin, end):
        if good[c] != 0:
            for k in range(state.flat.shape[0]):
                state.flat[k] = copies[c, k]
            if fit_turns(state) != 0:
                good[c] = 0
                continue
            fit_velocities(work, system, state)
            taken = take_steps(work, links, tally, system, state, t_start, h, first, count)
            good[c] = leave_copy(work, taken == count, copies, c, state)
    return 0


@helper
def leave_copy(work, whole, copies, c, state):
    """Take over what the run made of copy c, if it is good; 1 if it is."""
    work.status[0] = 0
    finite = True
    for k in range(state.flat.shape[0]):
        finite = finite and math.isfinite(state.flat[k])
    if not (whole and finite):
        return 0
    for k in range(state.flat.shape[0]):
        copies[c, k] = state.flat[k]
    return 1


class CopyStepper:
    """One run through which copies pass; each thread has one of its own."""

    def __init__(self, stepper: TreeStepper) -> None:
        self._call = Repeated(advance_copies)
        self._blocks = stepper.work, stepper.links, stepper.tally, stepper.system, stepper.state

    def advance(self, copies: np.ndarray, good: np.ndarray, steps: tuple[Any, ...], begin: int, end: int) -> None:
        """Take copies from ``begin`` up to ``end`` through  (t_start, h, first, count)."""
        self._call((*self._blocks, copies, good), *steps, begin, end)


def may_pass(stepper: Any) -> bool:
    """Whether copies may pass through one run: nothing stays there from step to step, or is looked at between calls.

    Contacts, adaptive steps, prepared factors and jumps of driven joints stay; a law written in Python may fail for one
    copy, which is found out between calls.
    """
    if not isinstance(stepper, TreeStepper):
        return False
    laws = any(isinstance(force, Law) for force in stepper.model.forces)
    return stepper.forgets and not laws
