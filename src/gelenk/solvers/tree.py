"""The linear-time solver: the rows of a tree eliminated from its leaves to its root, without fill-in (I-070, V-44).

With y the change of body velocities and p the impulses the system is

    M y - J^T p = 0,     J y + (c/h) p = ask

Body k with its rows J_k towards the parent and J_p on the parent side is eliminated once all its children are:

    S = J_k D_k^-1 J_k^T + c/h        D_p <- D_p + J_p^T S^-1 J_p

where D starts as the mass matrix of the body, 6 x 6. A solve goes up and comes down again:

    up     a = S^-1 (ask - J_k D_k^-1 b_k)       b_p <- b_p + J_p^T a
    down   p = a - S^-1 J_p y_p                  y_k = D_k^-1 (b_k + J_k^T p)

Sources: impulse-dynamics 3.7 and 4.5, here with the joint nodes eliminated at once with their bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import get33, rotation
from gelenk.rows.block import NONE, Joints
from gelenk.solvers.auxiliary import AuxiliaryWork, auxiliary_work, base_solve, solve_with_auxiliary
from gelenk.solvers.forest import Forest, forest
from gelenk.solvers.solver import prepare, solve
from gelenk.state import Masses


class TreeWork(NamedTuple):
    """Factors of one time, and scratch. One slot a body, in the order of elimination."""

    forest: Forest
    D: np.ndarray  # (n, 6, 6) L below and 1/d on the diagonal of D = L d L^T
    X: np.ndarray  # (n, 6, 6) D^-1 J_k^T, by rows of the joint
    S: np.ndarray  # (n, 6, 6) S^-1
    G: np.ndarray  # (n, 6, 6) S^-1 J_p
    b: np.ndarray  # (n, 6)
    a: np.ndarray  # (n, 6)
    y: np.ndarray  # (n, 6)
    on: np.ndarray  # (R,) uint32 1 if the row takes part
    auxiliary: AuxiliaryWork


@prepare.register(TreeWork)
def _(solver, joints, masses, state, bodies, rows):
    factorise_tree(solver, joints, masses, state, rows)


@solve.register(TreeWork)
def _(solver, joints, bodies, rows):
    solve_with_auxiliary(solver, solver.auxiliary, solver.forest.in_tree, joints, bodies, rows)


@routine
def factorise_tree(solver, joints, masses, state, rows):
    """Eliminate all bodies, children first."""
    edge = solver.forest.edge
    for r in range(joints.row.shape[0]):
        solver.on[r] = 0
    for n in range(rows.counts[1]):
        solver.on[rows.active[n]] = 1
    for n in range(edge.shape[0]):
        mass_matrix(masses, state, edge[n].body, solver.D[n])
    for n in range(edge.shape[0]):
        dim = int(edge[n].last) - int(edge[n].first)
        if dim == 3:
            eliminate(solver, rows, n, 3)
        elif dim == 5:
            eliminate(solver, rows, n, 5)
        else:
            eliminate(solver, rows, n, dim)


@helper
def mass_matrix(masses, state, i, D):
    """diag(m E, R I R^T); a particle, which no couple can turn, gets a unit inertia that nothing touches."""
    for j in range(6):
        for k in range(6):
            D[j, k] = 0.0
    m = masses.mass[i]
    D[0, 0], D[1, 1], D[2, 2] = m, m, m
    if i < state.q_WB.shape[0]:
        R = rotation(get4(state.q_WB, i))
        A = R.times(get33(masses.inertia_B, i)).times(R.transposed())
        D[3, 3], D[4, 4], D[5, 5] = A.xx, A.yy, A.zz
        D[4, 3], D[5, 3], D[5, 4] = A.yx, A.zx, A.zy
    else:
        D[3, 3], D[4, 4], D[5, 5] = 1.0, 1.0, 1.0


@helper
def factor6(D):
    """D = L d L^T in place, 1/d on the diagonal, lower triangle only."""
    for j in range(6):
        inverse = 1.0 / D[j, j]
        for i in range(j + 1, 6):
            s = D[i, j] * inverse
            for k in range(j + 1, i + 1):
                D[i, k] -= s * D[k, j]
        for i in range(j + 1, 6):
            D[i, j] *= inverse
        D[j, j] = inverse


@helper
def solve6(D, x):
    """X <- D^-1 x with the factors of :func:`factor6`."""
    for j in range(6):
        for i in range(j + 1, 6):
            x[i] -= D[i, j] * x[j]
    for j in range(6):
        x[j] *= D[j, j]
    for m in range(6):
        j = 5 - m
        for i in range(j):
            x[i] -= D[j, i] * x[j]


@helper
def eliminate(solver, rows, n, dim):
    """Factorise D of one body, its S, and add to D of its parent. ``dim`` is a constant where it is common."""
    tree, D, X, S, G = solver.forest, solver.D[n], solver.X[n], solver.S[n], solver.G[n]
    first = tree.edge[n].first
    factor6(D)
    for a in range(dim):
        e = tree.entry[first + a]
        on = float(solver.on[tree.row[first + a]])
        for k in range(6):
            X[a, k] = rows.J[e, k] * on
        solve6(D, X[a])
    for a in range(dim):
        r = tree.row[first + a]
        for c in range(a + 1):
            e = tree.entry[first + c]
            s = 0.0
            for k in range(6):
                s += X[a, k] * rows.J[e, k]
            S[a, c] = s * float(solver.on[tree.row[first + c]])
        S[a, a] += rows.number[r].soft
        if solver.on[r] == 0:
            S[a, a] = 1.0
    invert(S, dim)
    parent = tree.edge[n].parent
    if parent == NONE:
        return
    P = solver.D[parent]
    for a in range(dim):
        for k in range(6):
            G[a, k] = 0.0
        for c in range(dim):
            e = tree.parent_entry[first + c]
            s = S[a, c] * float(solver.on[tree.row[first + c]])
            for k in range(6):
                G[a, k] += s * rows.J[e, k]
    for a in range(dim):
        if solver.on[tree.row[first + a]] == 1:
            e = tree.parent_entry[first + a]
            for j in range(6):
                s = rows.J[e, j]
                for k in range(j + 1):
                    P[j, k] += s * G[a, k]


@helper
def invert(S, dim):
    """S <- S^-1, symmetric positive definite, by Gauss-Jordan sweeps in place on the lower triangle, then mirrored."""
    for p in range(dim):
        d = 1.0 / S[p, p]
        for i in range(dim):
            if i != p:
                s = (S[i, p] if i > p else S[p, i]) * d
                for j in range(i + 1):
                    if j != p:
                        S[i, j] -= s * (S[j, p] if j > p else S[p, j])
        for i in range(dim):
            if i > p:
                S[i, p] *= d
            elif i < p:
                S[p, i] *= d
        S[p, p] = -d
    for i in range(dim):
        for j in range(i + 1):
            S[i, j] = -S[i, j]
            S[j, i] = S[i, j]


@base_solve.register(TreeWork)
def _(solver, joints, bodies, rows, ask, dp, dV):
    solve_tree(solver, rows.J, ask, dp, dV)


@routine
def solve_tree(solver, J, ask, dp, dV):
    """Up and down the tree: impulses ``dp`` of its rows for ``ask``, the change of velocities into ``dV``."""
    edge = solver.forest.edge
    for i in range(dV.shape[0]):
        for k in range(6):
            dV[i, k] = 0.0
    for n in range(edge.shape[0]):
        for k in range(6):
            solver.b[n, k] = 0.0
    for n in range(edge.shape[0]):
        dim = int(edge[n].last) - int(edge[n].first)
        if dim == 3:
            go_up(solver, J, ask, n, 3)
        else:
            go_up(solver, J, ask, n, dim)
    for m in range(edge.shape[0]):
        n = edge.shape[0] - 1 - m
        dim = int(edge[n].last) - int(edge[n].first)
        if dim == 3:
            go_down(solver, J, dp, dV, n, 3)
        else:
            go_down(solver, J, dp, dV, n, dim)


@helper
def go_up(solver, J, ask, n, dim):
    """A = S^-1 (ask - X^T b),  b_p += J_p^T a."""
    tree, X, S, a, b = solver.forest, solver.X[n], solver.S[n], solver.a[n], solver.b[n]
    first, parent = tree.edge[n].first, tree.edge[n].parent
    for i in range(dim):
        a[i] = 0.0
    for i in range(dim):
        r = tree.row[first + i]
        s = 0.0
        if solver.on[r] == 1:
            s = ask[r]
            for k in range(6):
                s -= X[i, k] * b[k]
        for j in range(dim):
            a[j] += S[j, i] * s
    if parent != NONE:
        for i in range(dim):
            if solver.on[tree.row[first + i]] == 1:
                e = tree.parent_entry[first + i]
                for k in range(6):
                    solver.b[parent, k] += J[e, k] * a[i]


@helper
def go_down(solver, J, dp, dV, n, dim):
    """P = a - G y_p,  y = D^-1 (b + J_k^T p)."""
    tree, b, a, G = solver.forest, solver.b[n], solver.a[n], solver.G[n]
    edge = tree.edge[n]
    for i in range(dim):
        r = tree.row[edge.first + i]
        s = a[i]
        if edge.parent != NONE:
            for k in range(6):
                s -= G[i, k] * solver.y[edge.parent, k]
        if solver.on[r] == 0:
            s = 0.0
        dp[r] = s
        e = tree.entry[edge.first + i]
        for k in range(6):
            b[k] += J[e, k] * s
    solve6(solver.D[n], b)
    for k in range(6):
        solver.y[n, k] = b[k]
        dV[edge.body, k] = b[k]


@dataclass(frozen=True, slots=True)
class Tree:
    """Linear time for trees; rows that close loops, gears, limits and motors by a small dense problem on top (V-44)."""

    kind: ClassVar[str] = "tree"

    def workspace(self, joints: Joints, masses: Masses) -> TreeWork:
        """Scratch for one run."""
        made = forest(joints, len(masses.mass))
        n = len(made.edge)
        D, X, S, G = (np.zeros((n, 6, 6)) for _ in range(4))
        b, a, y = (np.zeros((n, 6)) for _ in range(3))
        return TreeWork(
            made,
            D,
            X,
            S,
            G,
            b,
            a,
            y,
            np.zeros(len(joints.row), np.uint32),
            auxiliary_work(joints, made.in_tree, len(masses.mass)),
        )
