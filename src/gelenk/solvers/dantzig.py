"""Dantzig's pivoting on the dense matrix of all rows: exact for kinematics, limits and motors together (V-87, V-88)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import routine
from gelenk.rows.assemble import responses
from gelenk.rows.block import Joints
from gelenk.solvers.balls import solve_balls, solve_intervals
from gelenk.solvers.dantzig_pivot import DantzigWork, dantzig_work
from gelenk.solvers.dense import DenseWork, count_rung, dense_problem, dense_work, take_dense
from gelenk.solvers.polish import dantzig_polished
from gelenk.solvers.solver import prepare, solve
from gelenk.state import Masses

MOST = 4000  # rows; three matrices of 128 MB


class DantzigRows(NamedTuple):
    """The problem, the memory of the pivoting, and options."""

    dense: DenseWork
    pivot: DantzigWork
    add_on: np.ndarray  # (1,) on the diagonal, relative to it
    tally: np.ndarray  # (4,) int64 solves, those that climbed the ladder, highest rung, those left without impulses


@prepare.register(DantzigRows)
def _(solver, joints, masses, state, bodies, rows):
    responses(joints, bodies, rows, solver.dense.skip)


@solve.register(DantzigRows)
def _(solver, joints, bodies, rows):
    solve_balls(solver, joints, bodies, rows)


@solve_intervals.register(DantzigRows)
def _(solver, joints, bodies, rows):
    pivot_rows(solver, joints, bodies, rows)


@routine
def pivot_rows(solver, joints, bodies, rows):
    """Assemble, pivot, and count how it went (virtual-worlds 4.6)."""
    d, n, u = solver.dense, rows.counts[0], rows.counts[1]
    dense_problem(d, joints, bodies, rows)
    rung = dantzig_polished(
        d.A, d.scale, d.beta, d.lo, d.hi, d.normal, d.mu, n, u, solver.add_on[0], d.dp, d.w, solver.pivot, d.scratch
    )
    take_dense(d, joints, bodies, rows)
    count_rung(solver.tally, rung)


@friendly
@dataclass(frozen=True, slots=True)
class Dantzig:
    """Dantzig's pivoting: an exact answer for up to some hundred rows, whatever their topology (V-89).

    Parameters
    ----------
    add_on : compliance on every row while pivoting, as a share of its diagonal; taken out again afterwards.
        1e-9 is what rows that repeat each other need; with 0 these climb the ladder at once
    rounds : of contacts: how often the bounds of friction are taken from the normal impulses. 1 fixes them once, from
        the impulses without friction, as is usual for this solver and too little friction where it shifts load (E-26);
        more go on until they agree
    directions : lines along which friction acts at a contact, each for itself (V-84). Two make a square around the
        disc of Coulomb's law, n a polygon of 2 n sides, whose corners lie beyond the disc by 1 / cos(pi / 2n)

    The cost grows with the cube of the rows. Where pivoting fails the add-on is raised to 1e-4 and doubled up to 1e-1;
    a step that even then has no answer goes without impulses.
    """

    kind: ClassVar[str] = "dantzig"

    add_on: float = 1e-9
    rounds: int = 30
    directions: int = 2

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "add_on", check_number("Dantzig", "add_on", self.add_on, "1", least=0, most=1e-1))
        put(self, "rounds", check_count("Dantzig", "rounds", self.rounds, least=1, most=10**4))
        put(self, "directions", check_count("Dantzig", "directions", self.directions, least=2, most=32))

    def workspace(self, joints: Joints, masses: Masses) -> DantzigRows:
        """Scratch for one run."""
        dense = dense_work(joints, masses, "Dantzig", MOST)
        return DantzigRows(dense, dantzig_work(len(joints.row)), np.array([self.add_on]), np.zeros(4, np.int64))
