"""Projected Gauss-Seidel on the velocities: any set, any topology, as exact as one has time for (V-86, I-063)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import helper, routine
from gelenk.rows.assemble import push, responses
from gelenk.rows.block import BALL, BOX, INNER, Joints
from gelenk.rows.sets import prox_interval
from gelenk.solvers.solver import (
    begin_solve,
    common_yield,
    nudged,
    nudged_ball,
    nudged_ellipse,
    prepare,
    solve,
)
from gelenk.state import Masses


class GaussSeidelWork(NamedTuple):
    """Scratch and options."""

    skip: np.ndarray  # (R,) uint32 no row
    sweeps: np.ndarray  # (2,) int64 most sweeps a solve; sweeps done since the start
    tolerance: np.ndarray  # (1,) [m/s] or [rad/s] stop when no row velocity changes by more in a sweep


@prepare.register(GaussSeidelWork)
def _(solver, joints, masses, state, bodies, rows):
    responses(joints, bodies, rows, solver.skip)


@solve.register(GaussSeidelWork)
def _(solver, joints, bodies, rows):
    sweep_rows(solver, joints, bodies, rows)


@routine
def sweep_rows(solver, joints, bodies, rows):
    """Sweep over the rows; each is solved for itself with the others as they stand (virtual-worlds 4.5, trap T-15):

        p_r <- prox( p_r + (ask_r - (J dV)_r - c/h dp_r) / A_rr )

    The first half of the sweeps goes backwards, the second forwards. Then dp = B ask with a symmetric B: what is left
    of an error only shrinks, mode by mode, and does not swing between rows from step to step.
    """
    begin_solve(bodies, rows)
    count = rows.counts[0]
    for m in range(solver.sweeps[0]):
        solver.sweeps[1] += 1
        largest, back = 0.0, m < solver.sweeps[0] // 2
        for n in range(count):
            r = rows.active[count - 1 - n if back else n]
            row = joints.row[r]
            if row.set == BOX:
                x = rows.number[r]
                p = prox_interval(nudged(joints, bodies, rows, r, x.diag + x.soft), x.lo, x.hi)
                largest = max(largest, settle(joints, bodies, rows, r, p))
            elif row.set != INNER:
                largest = max(largest, settle_block(joints, bodies, rows, r))
        if largest <= solver.tolerance[0]:
            break


@routine
def settle_block(joints, bodies, rows, r):
    """Rows that share a set take their new impulses together."""
    if joints.row[r].set == BALL:
        a, b, c = nudged_ball(joints, bodies, rows, r, common_yield(joints, rows, r, 3))
        third = settle(joints, bodies, rows, r + 2, c)
        return max(settle(joints, bodies, rows, r, a), settle(joints, bodies, rows, r + 1, b), third)
    a, b = nudged_ellipse(joints, bodies, rows, r, common_yield(joints, rows, r, 2))
    return max(settle(joints, bodies, rows, r, a), settle(joints, bodies, rows, r + 1, b))


@helper
def settle(joints, bodies, rows, r, p):
    """Take the new impulse of row r; returns by how much its velocity changes."""
    x = rows.number[r]
    dp = p - x.p
    x.p = p
    push(joints, rows.B, bodies.dV, r, dp)
    return abs(dp) * x.diag


@friendly
@dataclass(frozen=True, slots=True)
class GaussSeidel:
    """Projected Gauss-Seidel.

    Parameters
    ----------
    sweeps : most sweeps a solve, half of them back; a single one may let errors grow from step to step
    tolerance : stop when no row velocity changes by more than this in a sweep [m/s] or [rad/s]; 0 takes all sweeps
    """

    kind: ClassVar[str] = "gauss_seidel"
    takes_loops: ClassVar[bool] = True

    sweeps: int = 50
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        object.__setattr__(self, "sweeps", check_count("GaussSeidel", "sweeps", self.sweeps, least=1, most=10**9))
        tolerance = check_number("GaussSeidel", "tolerance", self.tolerance, "m/s", least=0)
        object.__setattr__(self, "tolerance", tolerance)

    def workspace(self, joints: Joints, masses: Masses) -> GaussSeidelWork:
        """Scratch for one run."""
        sweeps = np.array([self.sweeps, 0], dtype=np.int64)
        return GaussSeidelWork(np.zeros(len(joints.row), np.uint32), sweeps, np.array([self.tolerance]))
