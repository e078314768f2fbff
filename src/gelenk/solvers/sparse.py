"""Global sparse LDL^T: all rigid rows in one symmetric system, factorised once for each time level (I-065 to I-069).

    A x = ask,     A_ij = sum over the bodies that rows i and j share of  J_i M^-1 J_j^T

Which rows are coupled depends on topology alone, so the order of elimination, the places of all entries and the list of
their products are made once (I-066). A factor serves every solve until the next :func:`prepare`: the velocities of one
step and the positions of the next. The rows may tie any number of bodies and close any loop. Rows that repeat each
other share their load, see :mod:`gelenk.solvers.sparse_ldlt`. Motors, limits and springs come on top (V-44).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.compile import routine
from gelenk.rows.assemble import push, responses
from gelenk.rows.block import Joints
from gelenk.solvers.auxiliary import AuxiliaryWork, auxiliary_work, base_solve, solve_with_auxiliary
from gelenk.solvers.balls import solve_balls, solve_intervals
from gelenk.solvers.dense import six
from gelenk.solvers.polish import REPEATED
from gelenk.solvers.solver import prepare, solve
from gelenk.solvers.sparse_ldlt import (
    DEPENDENT,
    RELATIVE,
    SparseWork,
    sparse_factorise,
    sparse_refine,
    sparse_solve,
    sparse_work,
)
from gelenk.solvers.sparse_symbolic import SparsePattern, sparse_pattern, stored_values
from gelenk.state import Masses

PASSES, TOLERANCE = 12, 1e-13  # of the refinement where rows repeat; each pass gains six digits or more


class SparseRows(NamedTuple):
    """The system of all rigid rows."""

    pattern: SparsePattern
    work: SparseWork
    values: np.ndarray  # A, then its factor
    row: np.ndarray  # (n,) uint32 row of the model of each unknown
    own: np.ndarray  # (n,) place of each diagonal entry in the values
    product: np.ndarray  # (m, 3) uint32 place in the values, and the two entries of J whose product belongs there
    on: np.ndarray  # (E,) uint32 1 if the row of the entry takes part
    right: np.ndarray  # (n,)
    x: np.ndarray  # (n,)
    repeated: np.ndarray  # (1,) int64 how many rows repeat others now; -1 if a number was not finite
    in_base: np.ndarray  # (R,) uint32 1 if the row is in the system
    skip: np.ndarray  # (R,) uint32 no row
    auxiliary: AuxiliaryWork


@prepare.register(SparseRows)
def _(solver, joints, masses, state, bodies, rows):
    responses(joints, bodies, rows, solver.skip)
    factorise_rows(solver, joints, rows)


@solve.register(SparseRows)
def _(solver, joints, bodies, rows):
    solve_balls(solver, joints, bodies, rows)


@solve_intervals.register(SparseRows)
def _(solver, joints, bodies, rows):
    solve_with_auxiliary(solver, solver.auxiliary, solver.in_base, joints, bodies, rows)


@base_solve.register(SparseRows)
def _(solver, joints, bodies, rows, ask, dp, dV):
    solve_rows(solver, joints, rows, ask, dp, dV)


@routine
def factorise_rows(solver, joints, rows):
    """A = L D L^T; where rows repeat others, of A with a share of its diagonal added."""
    assemble_rows(solver, joints, rows)
    values, matrix = solver.values, solver.work.matrix
    found = sparse_factorise(solver.pattern, values, 0.0, REPEATED, solver.work)
    if found > 0:
        for k in range(values.shape[0]):
            values[k] = matrix[k]
        sparse_factorise(solver.pattern, values, RELATIVE, DEPENDENT, solver.work)
    solver.repeated[0] = found


@routine
def assemble_rows(solver, joints, rows):
    """All entries of A; a row that does not take part, as that of a broken joint, is a 1 on the diagonal."""
    on, values, row = solver.on, solver.values, solver.row
    on[:] = 0
    for n in range(rows.counts[1]):
        r = joints.row[rows.active[n]]
        for e in range(r.entry_first, r.entry_last):
            on[e] = 1
    values[:] = 0.0
    for k in range(solver.product.shape[0]):
        e, f = solver.product[k, 1], solver.product[k, 2]
        if on[e] == 1 and on[f] == 1:
            values[solver.product[k, 0]] += six(rows.J[e], rows.B[f])
    for n in range(row.shape[0]):
        if on[joints.row[row[n]].entry_first] == 0:
            values[solver.own[n]] = 1.0


@routine
def solve_rows(solver, joints, rows, ask, dp, dV):
    """Impulses ``dp`` of the rigid rows for ``ask``, the change of velocities into ``dV``."""
    row, x, right = solver.row, solver.x, solver.right
    for n in range(row.shape[0]):
        right[n] = ask[row[n]] if solver.on[joints.row[row[n]].entry_first] == 1 else 0.0
    if solver.repeated[0] > 0:
        x[:] = 0.0
        sparse_refine(solver.pattern, solver.values, right, x, TOLERANCE, PASSES, solver.work)
    else:
        for n in range(row.shape[0]):
            x[n] = right[n]
        sparse_solve(solver.pattern, solver.values, x, solver.work)
    dV[:, :] = 0.0
    for n in range(row.shape[0]):
        dp[row[n]] = x[n]
        push(joints, rows.B, dV, row[n], x[n])


def rigid_blocks(joints: Joints) -> list[list[int]]:
    """Rows that hold a position, those of the same bodies together."""
    blocks: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for r in range(int(joints.equalities[0])):
        row = joints.row[r]
        if row.gain > 0.0:
            blocks[tuple(sorted(int(i) for i in joints.body[row.entry_first : row.entry_last]))].append(r)
    return list(blocks.values())


def coupled(joints: Joints, blocks: list[list[int]]) -> list[tuple[int, int]]:
    """Pairs of blocks that share a body."""
    touching: dict[int, list[int]] = defaultdict(list)
    for k, block in enumerate(blocks):
        row = joints.row[block[0]]
        for i in joints.body[row.entry_first : row.entry_last]:
            touching[int(i)].append(k)
    return sorted({pair for around in touching.values() for pair in combinations(around, 2)})


def products(
    joints: Joints, blocks: list[list[int]], pairs: list[tuple[int, int]], pattern: SparsePattern
) -> Iterator[tuple[int, int, int]]:
    """(place in the values, entry, entry) of all products J_i M^-1 J_j^T of the lower triangle."""
    entries = {
        r: {int(joints.body[e]): e for e in range(joints.row[r].entry_first, joints.row[r].entry_last)}
        for block in blocks
        for r in block
    }

    def of(address: np.ndarray, first: list[int], second: list[int], lower: bool) -> Iterator[tuple[int, int, int]]:
        at, down, across = (int(a) for a in address)
        for m, r in enumerate(first):
            for n, s in enumerate(second[: m + 1] if lower else second):
                for body, e in entries[r].items():
                    if body in entries[s]:
                        yield at + m * down + n * across, e, entries[s][body]

    for k, block in enumerate(blocks):
        yield from of(pattern.diagonal[k], block, block, True)
    for k, (i, j) in enumerate(pairs):
        yield from of(pattern.pair[k], blocks[i], blocks[j], False)


@friendly
@dataclass(frozen=True, slots=True)
class Sparse:
    """Sparse LDL^T of all rigid rows; limits, motors and springs by a small dense problem on top.

    Loops cost no more than the entries they fill in. For trees :class:`Tree` is faster.
    """

    kind: ClassVar[str] = "sparse"

    def workspace(self, joints: Joints, masses: Masses) -> SparseRows:
        """Scratch for one run."""
        blocks = rigid_blocks(joints)
        pairs = coupled(joints, blocks)
        pattern = sparse_pattern([len(block) for block in blocks], pairs)
        rows = np.array([r for block in blocks for r in block], dtype=np.uint32)
        own = [
            pattern.diagonal[k, 0] + m * (pattern.diagonal[k, 1] + pattern.diagonal[k, 2])
            for k, block in enumerate(blocks)
            for m in range(len(block))
        ]
        product = np.array(list(products(joints, blocks, pairs, pattern)), dtype=np.uint32).reshape(-1, 3)
        R, n = len(joints.row), len(rows)
        in_base = np.zeros(R, np.uint32)
        in_base[rows] = 1
        return SparseRows(
            pattern,
            sparse_work(pattern),
            np.zeros(stored_values(pattern)),
            rows,
            np.array(own, dtype=np.int64),
            product[np.argsort(product[:, 0], kind="stable")],
            np.zeros(len(joints.body), np.uint32),
            np.zeros(n),
            np.zeros(n),
            np.zeros(1, np.int64),
            in_base,
            np.zeros(R, np.uint32),
            auxiliary_work(joints, in_base, len(masses.mass)),
        )
