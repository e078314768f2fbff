"""Loops cut into trees that are solved in turn, each in linear time (I-072, I-075).

The first part is a spanning forest of all rigid rows, the second one of what is left, and so on: every part is without
loops. A round goes over the parts, each solved exactly with the others as they stand, the first one last:

    A_k d_k = (lack - A d)_k        lack = ask - A p

Alone, such rounds converge slowly where the parts are nearly parallel. So each is turned conjugate to the one before
and taken as far as the energy of the problem falls,

    d <- d - (d.A d' / d'.A d') d'        p <- p + (d.lack / d.A d) d

With two parts this is the conjugate gradient method on the loop rows: in exact arithmetic it ends after as many rounds
as these have independent ones. Every round brings the answer nearer, so it may be stopped at any time (I-076), and rows
that repeat each other do no harm. Motors, limits, springs and gears come on top (V-44).
Sources: impulse-dynamics 4.6; Hestenes and Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import routine
from gelenk.rows.assemble import responses, row_rate
from gelenk.rows.block import Joints
from gelenk.solvers.auxiliary import AuxiliaryWork, auxiliary_work, base_solve, solve_with_auxiliary
from gelenk.solvers.balls import solve_balls, solve_intervals
from gelenk.solvers.forest import Forest, forest
from gelenk.solvers.solver import prepare, solve
from gelenk.solvers.tree import TreeWork, factorise_tree, solve_tree, tree_work
from gelenk.state import Masses

PARTS = 4  # of a model; a loop makes two, three hinges of a door three. What is left beyond them comes on top
NOTHING = 1e-12  # d.A d below this share of its terms: the direction changes no velocity


class SplitRows(NamedTuple):
    """The parts, and scratch."""

    parts: tuple[TreeWork, ...]  # PARTS of them, empty ones last
    loop: np.ndarray  # (m,) uint32 rows of all parts but the first
    lack: np.ndarray  # (R,) what is still lacking
    ask: np.ndarray  # (R,) what a part is asked for
    dp: np.ndarray  # (R,) what it gives
    dV: np.ndarray  # (nodes, 6)
    d: np.ndarray  # (2, R) impulses of this round and of the one before
    U: np.ndarray  # (2, nodes, 6) and their velocities
    rounds: np.ndarray  # (2,) int64 most rounds a solve; rounds done since the start
    tolerance: np.ndarray  # (1,) share of the largest ask
    in_base: np.ndarray  # (R,) uint32 1 if the row is in one of the parts
    skip: np.ndarray  # (R,) uint32 no row
    auxiliary: AuxiliaryWork


@prepare.register(SplitRows)
def _(solver, joints, masses, state, bodies, rows):
    responses(joints, bodies, rows, solver.skip)
    for part in solver.parts:
        factorise_tree(part, joints, masses, state, rows)


@solve.register(SplitRows)
def _(solver, joints, bodies, rows):
    solve_balls(solver, joints, bodies, rows)


@solve_intervals.register(SplitRows)
def _(solver, joints, bodies, rows):
    solve_with_auxiliary(solver, solver.auxiliary, solver.in_base, joints, bodies, rows)


@base_solve.register(SplitRows)
def _(solver, joints, bodies, rows, ask, dp, dV):
    alternate(solver, joints, rows, ask, dp, dV)


@routine
def alternate(solver, joints, rows, ask, dp, dV):
    """Rounds over all parts until no row lacks more than the tolerance: impulses ``dp`` and their velocities ``dV``."""
    solve_tree(solver.parts[0], rows.J, ask, dp, dV)
    if solver.loop.shape[0] == 0:
        return
    solver.d[:, :] = 0.0
    solver.U[:, :, :] = 0.0
    most = 0.0
    for n in range(solver.loop.shape[0]):
        dp[solver.loop[n]] = 0.0
    for part in solver.parts:
        for n in range(part.forest.row.shape[0]):
            r = part.forest.row[n]
            if part.on[r] == 1:
                most = max(most, abs(ask[r]))
    before = 0.0
    for n in range(solver.rounds[0]):
        if lacking(solver, joints, rows, ask, dV) <= solver.tolerance[0] * most:
            break
        solver.rounds[1] += 1
        new, old = n % 2, 1 - n % 2
        one_round(solver, joints, rows, new)
        if before > 0.0:
            turn_conjugate(solver, joints, rows, new, old, before)
        gain, before, terms = along(solver, joints, rows, new)
        if not before > NOTHING * terms:
            break
        step = gain / before
        for r in range(dp.shape[0]):
            dp[r] += step * solver.d[new, r]
        for i in range(dV.shape[0]):
            for k in range(6):
                dV[i, k] += step * solver.U[new, i, k]


@routine
def lacking(solver, joints, rows, ask, dV):
    """What the loop rows lack, ask - J dV; those of the first part lack nothing. Returns the largest."""
    worst = 0.0
    for p in range(1, PARTS):
        part = solver.parts[p]
        for n in range(part.forest.row.shape[0]):
            r = part.forest.row[n]
            solver.lack[r] = ask[r] - row_rate(joints, rows.J, dV, r) if part.on[r] == 1 else 0.0
            worst = max(worst, abs(solver.lack[r]))
    return worst


@routine
def one_round(solver, joints, rows, new):
    """Solve all parts once, the first one last, for what is lacking: d and its velocities."""
    d, U = solver.d[new], solver.U[new]
    d[:] = 0.0
    U[:, :] = 0.0
    for p in range(PARTS):
        part = solver.parts[(p + 1) % PARTS]
        for n in range(part.forest.row.shape[0]):
            r = part.forest.row[n]
            solver.ask[r] = solver.lack[r] - row_rate(joints, rows.J, U, r)
        solve_tree(part, rows.J, solver.ask, solver.dp, solver.dV)
        for n in range(part.forest.row.shape[0]):
            r = part.forest.row[n]
            d[r] += solver.dp[r]
        for n in range(part.forest.edge.shape[0]):
            i = part.forest.edge[n].body
            for k in range(6):
                U[i, k] += solver.dV[i, k]


@routine
def turn_conjugate(solver, joints, rows, new, old, before):
    """Turn d conjugate to the direction d' before; only loop rows count, A d' is zero in those of the first part."""
    product = 0.0
    for n in range(solver.loop.shape[0]):
        r = solver.loop[n]
        product += solver.d[new, r] * row_rate(joints, rows.J, solver.U[old], r)
    s = product / before
    for r in range(solver.d.shape[1]):
        solver.d[new, r] -= s * solver.d[old, r]
    for i in range(solver.U.shape[1]):
        for k in range(6):
            solver.U[new, i, k] -= s * solver.U[old, i, k]


@routine
def along(solver, joints, rows, new):
    """(d.lack, d.A d, sum of d_r^2 A_rr) over the loop rows."""
    gain, energy, terms = 0.0, 0.0, 0.0
    for n in range(solver.loop.shape[0]):
        r = solver.loop[n]
        d = solver.d[new, r]
        gain += d * solver.lack[r]
        energy += d * row_rate(joints, rows.J, solver.U[new], r)
        terms += d * d * rows.number[r].diag
    return gain, energy, terms


def acyclic_parts(joints: Joints, nodes: int) -> list[Forest]:
    """Spanning forests of the rigid rows, of what the first leaves over, and so on; PARTS of them."""
    parts: list[Forest] = []
    taken: set[int] = set()
    for _ in range(PARTS):
        parts.append(forest(joints, nodes, frozenset(taken)))
        taken.update(int(r) for r in parts[-1].row)
    return parts


def part_work(part: Forest, joints: Joints, nodes: int) -> TreeWork:
    """Space for one part, with nothing on top."""
    return tree_work(part, joints, auxiliary_work(joints, np.ones(len(joints.row), np.uint32), nodes))


@friendly
@dataclass(frozen=True, slots=True)
class Split:
    """Trees solved in turn: memory and time of a round are linear in the joints, also where they close loops.

    Parameters
    ----------
    rounds : most rounds a solve; a model without loops needs none
    tolerance : stop when no row lacks more than this share of the most that is asked

    Limits, motors, springs and gears are solved exactly on top, each at the cost of a solve of its own.
    """

    kind: ClassVar[str] = "split"

    rounds: int = 200
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", check_count("Split", "rounds", self.rounds, least=1, most=10**9))
        tolerance = check_number("Split", "tolerance", self.tolerance, "1", least=0, most=1)
        object.__setattr__(self, "tolerance", tolerance)

    def workspace(self, joints: Joints, masses: Masses) -> SplitRows:
        """Scratch for one run."""
        R, nodes = len(joints.row), len(masses.mass)
        parts = acyclic_parts(joints, nodes)
        in_base = np.zeros(R, np.uint32)
        for part in parts:
            in_base[part.row] = 1
        loop = np.concatenate([part.row for part in parts[1:]]).astype(np.uint32)
        return SplitRows(
            tuple(part_work(part, joints, nodes) for part in parts),
            loop,
            np.zeros(R),
            np.zeros(R),
            np.zeros(R),
            np.zeros((nodes, 6)),
            np.zeros((2, R)),
            np.zeros((2, nodes, 6)),
            np.array([self.rounds, 0], dtype=np.int64),
            np.array([self.tolerance]),
            in_base,
            np.zeros(R, np.uint32),
            auxiliary_work(joints, in_base, nodes),
        )
