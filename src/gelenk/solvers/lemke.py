"""Lemke's pivoting on the dense matrix of all rows: a second way to the same answer, for reference (V-91)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import routine
from gelenk.errors import InputError
from gelenk.rows.assemble import responses
from gelenk.rows.block import Joints
from gelenk.solvers.balls import solve_balls, solve_intervals
from gelenk.solvers.boxed_lcp import INVALID, SOLVED, back_substitute, reduce_right
from gelenk.solvers.dantzig_pivot import BALLISTIC, LADDER_FIRST, LADDER_LAST
from gelenk.solvers.dense import DenseWork, count_rung, dense_problem, dense_work, take_dense
from gelenk.solvers.lemke_pivot import LemkeWork, eliminate_inside, lemke, lemke_work
from gelenk.solvers.polish import drop_inside, polish, repeats, solve_inside
from gelenk.solvers.solver import prepare, solve
from gelenk.state import Masses

MOST = 2000  # rows; the tableau of as many bounded ones has 256 MB


class LemkeRows(NamedTuple):
    """The problem, the memory of the pivoting, and options."""

    dense: DenseWork
    pivot: LemkeWork
    add_on: np.ndarray  # (1,) on the diagonal, relative to its mean
    tally: np.ndarray  # (4,) int64 solves, those that climbed the ladder, highest rung, those left without impulses


@prepare.register(LemkeRows)
def _(solver, joints, masses, state, bodies, rows):
    responses(joints, bodies, rows, solver.dense.skip)


@solve.register(LemkeRows)
def _(solver, joints, bodies, rows):
    solve_balls(solver, joints, bodies, rows)


@solve_intervals.register(LemkeRows)
def _(solver, joints, bodies, rows):
    follow_rows(solver, joints, bodies, rows)


@routine
def follow_rows(solver, joints, bodies, rows):
    """Assemble, follow the path, and count how it went."""
    d, pivot, n, u = solver.dense, solver.pivot, rows.counts[0], rows.counts[1]
    dense_problem(d, joints, bodies, rows)
    mean = 0.0
    for i in range(n):
        mean += d.scale[i] / n
    rung = lemke_ladder(d, pivot, n, u, solver.add_on[0], mean)
    add_on = solver.add_on[0] * mean
    if rung == 0 and add_on > 0.0:
        again = repeats(pivot.F, d.scale, add_on, u)
        polish(d.A, d.beta, d.lo, d.hi, n, u, add_on, d.dp, pivot, again, d.scratch)
    take_dense(d, joints, bodies, rows)
    count_rung(solver.tally, rung)


@routine
def lemke_ladder(d, pivot, n, u, relative, mean):
    """The rungs of :func:`gelenk.solvers.dantzig_pivot.dantzig_ladder`, with Lemke's path on each."""
    diagonal = d.scratch[0]
    for i in range(n):
        diagonal[i] = d.A[i, i]
    rung, share, status = 0, 0.0, INVALID
    while share <= LADDER_LAST:
        for i in range(n):
            d.A[i, i] = diagonal[i] + (relative + share) * mean
        status = lemke(d.A, d.beta, d.lo, d.hi, d.normal, d.mu, n, u, d.dp, d.w, pivot)
        if status in (SOLVED, INVALID):
            break
        rung, share = rung + 1, max(2.0 * share, LADDER_FIRST)
    for i in range(n):
        d.A[i, i] = diagonal[i]
    if status == SOLVED:
        return rung
    for i in range(n):
        d.dp[i] = 0.0
    return BALLISTIC


@solve_inside.register(LemkeWork)
def _(pivot, n, u, right, x_out):
    solve_eliminated(pivot, n, right, x_out)


@drop_inside.register(LemkeWork)
def _(pivot, A, beta, n, add_on, i, place):
    eliminate_without(pivot, A, beta, n, add_on, i)


@routine
def eliminate_without(pivot, A, beta, n, add_on, i):
    """Eliminate the rows inside their bounds once more, row i no longer among them."""
    pivot.inside[i] = 0
    for k in range(n):
        A[k, k] += add_on
    eliminate_inside(A, beta, n, pivot)
    for k in range(n):
        A[k, k] -= add_on


@routine
def solve_eliminated(pivot, n, right, x_out):
    """The last elimination has all rows inside their bounds first, those without bounds before the others."""
    inside = 0
    for i in range(n):
        x_out[i] = 0.0
        if pivot.inside[i] == 1:
            inside += 1
    for k in range(inside):
        pivot.right[k] = right[pivot.order[k]]
    reduce_right(pivot.F, pivot.right, inside, inside, pivot.gamma)
    back_substitute(pivot.F, pivot.gamma, inside, inside, pivot.solution)
    for k in range(inside):
        x_out[pivot.order[k]] = pivot.solution[k]


@friendly
@dataclass(frozen=True, slots=True)
class Lemke:
    """Lemke's pivoting over the classical linear complementarity problem.

    Parameters
    ----------
    add_on : compliance on every row, relative to the mean of the diagonal; see :class:`Dantzig`
    directions : of the pyramid of friction of a contact, an even number (V-43): a polygon with so many corners, which
        lie on the circle of Coulomb's law. Its sides lie within it by cos(pi / n)

    Contacts go into the classical problem with their pyramids, so that friction and normal impulses are found at once
    (:mod:`gelenk.solvers.lemke_pyramid`). Slower than :class:`Dantzig`, since its tableau has two rows for every row
    with two bounds; meant to check it, and for problems where it fails. What holds there of ladders and capped pulls
    holds here.
    """

    kind: ClassVar[str] = "lemke"

    add_on: float = 1e-9
    directions: int = 4

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "add_on", check_number("Lemke", "add_on", self.add_on, "1", least=0, most=1e-1))
        put(self, "directions", check_count("Lemke", "directions", self.directions, least=4, most=64))
        if self.directions % 2 == 1:
            found = f"directions is {self.directions}"
            raise InputError("Lemke", found, "an even number: directions are pairwise opposite", "Take one more.")

    def workspace(self, joints: Joints, masses: Masses) -> LemkeRows:
        """Scratch for one run."""
        dense = dense_work(joints, masses, "Lemke", MOST)
        return LemkeRows(dense, lemke_work(len(joints.row)), np.array([self.add_on]), np.zeros(4, np.int64))
