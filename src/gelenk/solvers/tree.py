"""The linear-time solver: the rows of a tree eliminated from its leaves to its root, without fill-in (I-070, V-44).

With y the change of body velocities and p the impulses the system is

    M y - J^T p = 0,     J y = ask

Body k with its rows J_k towards the parent and J_p on the parent side is eliminated once all its children are:

    S = J_k D_k^-1 J_k^T        D_p <- D_p + J_p^T S^-1 J_p

where D starts as the mass matrix of the body, 6 x 6. A solve goes up and comes down again:

    up     a = S^-1 (ask - J_k D_k^-1 b_k)       b_p <- b_p + J_p^T a
    down   p = a - S^-1 J_p y_p                  y_k = D_k^-1 (b_k + J_k^T p)

Sources: impulse-dynamics 3.7 and 4.5, here with the joint nodes eliminated at once with their bodies. All matrices are
kept as blocks of 3 x 3, which are values in registers: translation and rotation of a body, and the rows of a joint in
threes, filled up with rows that do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.compile import helper, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import Mat3, get33, rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.assemble import responses
from gelenk.rows.block import NONE, Joints
from gelenk.solvers.auxiliary import AuxiliaryWork, auxiliary_work, base_solve, solve_with_auxiliary
from gelenk.solvers.balls import solve_balls, solve_intervals
from gelenk.solvers.forest import Forest, forest
from gelenk.solvers.solver import prepare, solve
from gelenk.state import Masses

# Blocks of a body. D = [[A, B^T], [B, C]]; its factors A^-1, W = B A^-1 and Q = (C - W B^T)^-1 take their places.
A, B, C = 0, 1, 2
X_LIN, X_ANG = 3, 4  # D^-1 J_k^T of the first three rows
S_11 = 5  # S^-1
X_LIN2, X_ANG2, S_21, S_22 = 6, 7, 8, 9  # of the other rows
FEW, ALL = 6, 10  # blocks of a body with up to three rows, and with more


class TreeWork(NamedTuple):
    """Factors of one time, and scratch, for bodies in the order of elimination."""

    forest: Forest
    F: np.ndarray  # (m, 3, 3) blocks of all bodies
    b: np.ndarray  # (n, 6), zero between solves
    a: np.ndarray  # (n, 6)
    on: np.ndarray  # (R,) uint32 1 if the row takes part
    auxiliary: AuxiliaryWork


@prepare.register(TreeWork)
def _(solver, joints, masses, state, bodies, rows):
    factorise_tree(solver, joints, masses, state, rows)
    responses(joints, bodies, rows, solver.forest.in_tree)


@solve.register(TreeWork)
def _(solver, joints, bodies, rows):
    solve_balls(solver, joints, bodies, rows)


@solve_intervals.register(TreeWork)
def _(solver, joints, bodies, rows):
    solve_with_auxiliary(solver, solver.auxiliary, solver.forest.in_tree, joints, bodies, rows)


@base_solve.register(TreeWork)
def _(solver, joints, bodies, rows, ask, dp, dV):
    solve_tree(solver, rows.J, ask, dp, dV)


@routine
def factorise_tree(solver, joints, masses, state, rows):
    """Eliminate all bodies, children first."""
    edge = solver.forest.edge
    for r in range(joints.row.shape[0]):
        solver.on[r] = 0
    for n in range(rows.counts[1]):
        solver.on[rows.active[n]] = 1
    for n in range(edge.shape[0]):
        if edge[n].children == 0:
            mass_matrix(masses, state, edge[n], solver.F)
        if edge[n].eldest == 1:
            mass_matrix(masses, state, edge[edge[n].parent], solver.F)
        eliminate(solver, rows, n)


@helper
def mass_matrix(masses, state, edge, F):
    """diag(m E, R I R^T); a particle, which no couple can turn, gets a unit inertia that nothing touches."""
    i, s = edge.body, edge.slot
    m = masses.mass[i]
    put_block(F, s, A, Mat3(m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m))
    put_block(F, s, B, ZERO)
    if i < state.q_WB.shape[0]:
        R = rotation(get4(state.q_WB, i))
        put_block(F, s, C, R.times(get33(masses.inertia_B, i)).times(R.transposed()))
    else:
        put_block(F, s, C, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


@helper
def eliminate(solver, rows, n):
    """Factorise D of one body and S of its rows, and add to D of its parent."""
    tree, F = solver.forest, solver.F
    edge = tree.edge[n]
    s = edge.slot
    A_inv = symmetric_inverse(block(F, s, A))
    W = block(F, s, B).times(A_inv)
    Q = symmetric_inverse(minus(block(F, s, C), W.times(block(F, s, B).transposed())))
    put_block(F, s, A, A_inv)
    put_block(F, s, B, W)
    put_block(F, s, C, Q)
    if edge.first == edge.last:
        return
    # the first three rows
    f1, m1 = three_rows(rows.J, tree.entry, tree.row, solver.on, edge.first, edge.last)
    x1, y1 = body_response(A_inv, W, Q, f1, m1)
    S = plus(plus(f1.times(x1), m1.times(y1)), missing_ones(tree.row, solver.on, edge.first, edge.last))
    put_block(F, s, X_LIN, x1)
    put_block(F, s, X_ANG, y1)
    if edge.last - edge.first <= 3:
        S_inv = symmetric_inverse(S)
        put_block(F, s, S_11, S_inv)
        if edge.parent != NONE:
            f1, m1 = three_rows(rows.J, tree.parent_entry, tree.row, solver.on, edge.first, edge.last)
            add_to_parent(F, tree.edge[edge.parent].slot, f1, m1, S_inv.times(f1), S_inv.times(m1))
        return
    # and the other three:  S = [[S, T^T], [T, U]]
    f2, m2 = three_rows(rows.J, tree.entry, tree.row, solver.on, edge.first + 3, edge.last)
    x2, y2 = body_response(A_inv, W, Q, f2, m2)
    T = plus(f2.times(x1), m2.times(y1))
    U = plus(plus(f2.times(x2), m2.times(y2)), missing_ones(tree.row, solver.on, edge.first + 3, edge.last))
    S_inv = symmetric_inverse(S)
    TS = T.times(S_inv)
    U_inv = symmetric_inverse(minus(U, TS.times(T.transposed())))
    low = minus(ZERO, U_inv.times(TS))
    first = minus(S_inv, TS.transposed().times(low))
    put_block(F, s, X_LIN2, x2)
    put_block(F, s, X_ANG2, y2)
    put_block(F, s, S_11, first)
    put_block(F, s, S_21, low)
    put_block(F, s, S_22, U_inv)
    if edge.parent != NONE:
        f1, m1 = three_rows(rows.J, tree.parent_entry, tree.row, solver.on, edge.first, edge.last)
        f2, m2 = three_rows(rows.J, tree.parent_entry, tree.row, solver.on, edge.first + 3, edge.last)
        g, k = plus(first.times(f1), low.transposed().times(f2)), plus(first.times(m1), low.transposed().times(m2))
        add_to_parent(F, tree.edge[edge.parent].slot, f1, m1, g, k)
        g, k = plus(low.times(f1), U_inv.times(f2)), plus(low.times(m1), U_inv.times(m2))
        add_to_parent(F, tree.edge[edge.parent].slot, f2, m2, g, k)


@helper
def body_response(A_inv, W, Q, f, m):
    """D^-1 J^T of three rows J = [f, m]:  angular part Q (m^T - W f^T), linear part A^-1 f^T - W^T (angular part)."""
    ft = f.transposed()
    y = Q.times(minus(m.transposed(), W.times(ft)))
    return minus(A_inv.times(ft), W.transposed().times(y)), y


@helper
def add_to_parent(F, p, f, m, g, n):
    """D_p += J_p^T S^-1 J_p for three rows J_p = [f, m] with [g, n] = S^-1 J_p."""
    ft, mt = f.transposed(), m.transposed()
    put_block(F, p, A, plus(block(F, p, A), ft.times(g)))
    put_block(F, p, B, plus(block(F, p, B), mt.times(g)))
    put_block(F, p, C, plus(block(F, p, C), mt.times(n)))


@routine
def solve_tree(solver, J, ask, dp, dV):
    """Up and down the tree: impulses ``dp`` of its rows for ``ask``, the change of velocities into ``dV``."""
    edge, outside = solver.forest.edge, solver.forest.outside
    for m in range(outside.shape[0]):
        put_three(dV, outside[m], 0, Vec3(0.0, 0.0, 0.0))
        put_three(dV, outside[m], 3, Vec3(0.0, 0.0, 0.0))
    for n in range(edge.shape[0]):
        go_up(solver, J, ask, n)
    for m in range(edge.shape[0]):
        go_down(solver, J, dp, dV, edge.shape[0] - 1 - m)


@helper
def go_up(solver, J, ask, n):
    """A = S^-1 (ask - X^T b),  b_p += J_p^T a."""
    tree, F, a = solver.forest, solver.F, solver.a
    edge = tree.edge[n]
    if edge.first == edge.last:
        return
    b, c = three(solver.b, n, 0), three(solver.b, n, 3)
    r1 = asked(ask, tree.row, solver.on, edge.first, edge.last)
    r1 = r1 - block(F, edge.slot, X_LIN).tdot(b) - block(F, edge.slot, X_ANG).tdot(c)
    if edge.last - edge.first <= 3:
        a1 = block(F, edge.slot, S_11) @ r1
        a2 = Vec3(0.0, 0.0, 0.0)
    else:
        r2 = asked(ask, tree.row, solver.on, edge.first + 3, edge.last)
        r2 = r2 - block(F, edge.slot, X_LIN2).tdot(b) - block(F, edge.slot, X_ANG2).tdot(c)
        low = block(F, edge.slot, S_21)
        a1 = block(F, edge.slot, S_11) @ r1 + low.tdot(r2)
        a2 = low @ r1 + block(F, edge.slot, S_22) @ r2
    put_three(a, n, 0, a1)
    put_three(a, n, 3, a2)
    if edge.parent != NONE:
        f, m = three_rows(J, tree.parent_entry, tree.row, solver.on, edge.first, edge.last)
        u, v = f.tdot(a1), m.tdot(a1)
        if edge.last - edge.first > 3:
            f, m = three_rows(J, tree.parent_entry, tree.row, solver.on, edge.first + 3, edge.last)
            u, v = u + f.tdot(a2), v + m.tdot(a2)
        put_three(solver.b, edge.parent, 0, three(solver.b, edge.parent, 0) + u)
        put_three(solver.b, edge.parent, 3, three(solver.b, edge.parent, 3) + v)


@helper
def go_down(solver, J, dp, dV, n):
    """P = a - G y_p,  y = D^-1 (b + J_k^T p)."""
    tree, F, a, b = solver.forest, solver.F, solver.a, solver.b
    edge = tree.edge[n]
    u, v = three(b, n, 0), three(b, n, 3)
    put_three(b, n, 0, Vec3(0.0, 0.0, 0.0))
    put_three(b, n, 3, Vec3(0.0, 0.0, 0.0))
    if edge.first != edge.last:
        p, q = three(a, n, 0), three(a, n, 3)
        if edge.parent != NONE:
            above = tree.edge[edge.parent].body
            y, z = three(dV, above, 0), three(dV, above, 3)
            f, m = three_rows(J, tree.parent_entry, tree.row, solver.on, edge.first, edge.last)
            s = f @ y + m @ z
            p = p - block(F, edge.slot, S_11) @ s
            if edge.last - edge.first > 3:
                f, m = three_rows(J, tree.parent_entry, tree.row, solver.on, edge.first + 3, edge.last)
                r, low = f @ y + m @ z, block(F, edge.slot, S_21)
                p = p - low.tdot(r)
                q = q - low @ s - block(F, edge.slot, S_22) @ r
        f, m = three_rows(J, tree.entry, tree.row, solver.on, edge.first, edge.last)
        u, v = u + f.tdot(p), v + m.tdot(p)
        if edge.last - edge.first > 3:
            f, m = three_rows(J, tree.entry, tree.row, solver.on, edge.first + 3, edge.last)
            u, v = u + f.tdot(q), v + m.tdot(q)
        give(dp, tree.row, solver.on, edge.first, edge.last, p)
        give(dp, tree.row, solver.on, edge.first + 3, edge.last, q)
    W = block(F, edge.slot, B)
    v = block(F, edge.slot, C) @ (v - W @ u)
    put_three(dV, edge.body, 0, block(F, edge.slot, A) @ u - W.tdot(v))
    put_three(dV, edge.body, 3, v)


# --- blocks of 3 x 3 -------------------------------------------------------------------------------------------------

ZERO = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def block(F, s, k):
    """Block k of slot s."""
    return get33(F, s + k)


@helper
def put_block(F, s, k, M):
    """Store a block."""
    i = s + k
    F[i, 0, 0], F[i, 0, 1], F[i, 0, 2] = M.xx, M.xy, M.xz
    F[i, 1, 0], F[i, 1, 1], F[i, 1, 2] = M.yx, M.yy, M.yz
    F[i, 2, 0], F[i, 2, 1], F[i, 2, 2] = M.zx, M.zy, M.zz


@helper
def three(x, n, k):
    """Three numbers of row n from column k on."""
    return Vec3(x[n, k], x[n, k + 1], x[n, k + 2])


@helper
def put_three(x, n, k, v):
    """Store three numbers."""
    x[n, k], x[n, k + 1], x[n, k + 2] = v.x, v.y, v.z


@helper
def plus(M, N):
    """M + N."""
    return Mat3(
        M.xx + N.xx,
        M.xy + N.xy,
        M.xz + N.xz,
        M.yx + N.yx,
        M.yy + N.yy,
        M.yz + N.yz,
        M.zx + N.zx,
        M.zy + N.zy,
        M.zz + N.zz,
    )


@helper
def minus(M, N):
    """M - N."""
    return Mat3(
        M.xx - N.xx,
        M.xy - N.xy,
        M.xz - N.xz,
        M.yx - N.yx,
        M.yy - N.yy,
        M.yz - N.yz,
        M.zx - N.zx,
        M.zy - N.zy,
        M.zz - N.zz,
    )


@helper
def symmetric_inverse(M):
    """Inverse of a symmetric positive definite block by L d L^T, which keeps digits where the adjugate would not."""
    d1 = 1.0 / M.xx
    l21, l31 = M.yx * d1, M.zx * d1
    d2 = 1.0 / (M.yy - l21 * M.yx)
    u = M.zy - l31 * M.yx
    l32 = u * d2
    d3 = 1.0 / (M.zz - l31 * M.zx - l32 * u)
    # L^-1 = [[1, 0, 0], [-l21, 1, 0], [c, -l32, 1]]
    c = l21 * l32 - l31
    zz, zy, zx = d3, -l32 * d3, c * d3
    yy, yx = d2 - l32 * zy, -l21 * d2 - l32 * zx
    xx = d1 - l21 * (-l21 * d2) + c * zx
    return Mat3(xx, yx, zx, yx, yy, zy, zx, zy, zz)


@helper
def three_rows(J, entry, row, on, i, last):
    """Rows i, i + 1, i + 2 of a joint as [f, m], linear and angular part; zero where there is none or it is off."""
    a, d = half_row(J, entry, row, on, i, last, 0), half_row(J, entry, row, on, i, last, 3)
    b, e = half_row(J, entry, row, on, i + 1, last, 0), half_row(J, entry, row, on, i + 1, last, 3)
    c, f = half_row(J, entry, row, on, i + 2, last, 0), half_row(J, entry, row, on, i + 2, last, 3)
    return Mat3(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z), Mat3(d.x, d.y, d.z, e.x, e.y, e.z, f.x, f.y, f.z)


@helper
def half_row(J, entry, row, on, i, last, k):
    """Three numbers of a row of the Jacobian."""
    if i < last and on[row[i]] == 1:
        return three(J, entry[i], k)
    return Vec3(0.0, 0.0, 0.0)


@helper
def missing_ones(row, on, i, last):
    """diag(1 where a row is missing or off, 0 elsewhere), which makes the impulses of what is missing zero."""
    x, y, z = missing(row, on, i, last), missing(row, on, i + 1, last), missing(row, on, i + 2, last)
    return Mat3(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)


@helper
def missing(row, on, i, last):
    """1 for a row that is missing or off."""
    return 0.0 if i < last and on[row[i]] == 1 else 1.0


@helper
def asked(ask, row, on, i, last):
    """What three rows ask; zero where a row is missing or off."""
    x, y, z = 0.0, 0.0, 0.0
    if i < last and on[row[i]] == 1:
        x = ask[row[i]]
    if i + 1 < last and on[row[i + 1]] == 1:
        y = ask[row[i + 1]]
    if i + 2 < last and on[row[i + 2]] == 1:
        z = ask[row[i + 2]]
    return Vec3(x, y, z)


@helper
def give(dp, row, on, i, last, p):
    """Impulses of three rows; none where a row is off."""
    if i < last:
        dp[row[i]] = p.x * float(on[row[i]])
    if i + 1 < last:
        dp[row[i + 1]] = p.y * float(on[row[i + 1]])
    if i + 2 < last:
        dp[row[i + 2]] = p.z * float(on[row[i + 2]])


@friendly
@dataclass(frozen=True, slots=True)
class Tree:
    """Linear time for trees; rows that close loops, gears, limits and motors by a small dense problem on top (V-44)."""

    kind: ClassVar[str] = "tree"

    def workspace(self, joints: Joints, masses: Masses) -> TreeWork:
        """Scratch for one run."""
        made = forest(joints, len(masses.mass))
        return tree_work(made, joints, auxiliary_work(joints, made.in_tree, len(masses.mass)))


def tree_work(made: Forest, joints: Joints, auxiliary: AuxiliaryWork) -> TreeWork:
    """Space for a forest; bodies with few rows get few blocks."""
    edge: Any = made.edge
    n = len(edge)
    ends = np.cumsum(np.where(edge.last - edge.first <= 3, FEW, ALL))
    edge.slot[1:] = ends[:-1]
    F = np.zeros((int(ends[-1]) if n else 0, 3, 3))
    return TreeWork(made, F, np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(len(joints.row), np.uint32), auxiliary)
