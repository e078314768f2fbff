"""Lemke's complementary pivoting for boxed problems, over the classical linear complementarity problem.

    y = M z + q,   y >= 0,   z >= 0,   y . z = 0

Rows without bounds are eliminated; S p = gamma + w is left. A row counts from one of its bounds, p = lo + x, or
p = hi - x where there is no lower one (then its row and column change sign). A second bound adds its slack and its
multiplier v:

    w = S x + q + v,   hi - lo - x = slack,     w . x = 0,   slack . v = 0

which keeps M positive semidefinite, so that Lemke's path ends at a solution or shows on a ray that there is none.
Rows and columns are scaled by sqrt(A_ii). The tableau yields the set of rows inside their bounds; the impulses then
come from one elimination with that set, so that no rounding of the path remains in them.
Sources: C. E. Lemke, Management Science 11 (1965); R. W. Cottle, J.-S. Pang and R. E. Stone, The Linear
Complementarity Problem (1992), 4.4 and 4.9 (lexicographic rule).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import routine
from gelenk.solvers.boxed_lcp import (
    INVALID,
    PIVOT_LIMIT,
    RAY,
    SINGULAR,
    SOLVED,
    back_substitute,
    dot,
    eliminate,
    finite,
    fix_friction,
    mirror,
    reduce_right,
    subtract,
    take_bounds,
    verify,
)

ENTRY_LEAST = 1e-11  # an entry of the tableau, whose diagonal began as 1, below this is rounding
TIE = 1e-12  # ratios closer than this are equal, relative to the largest q
PIVOTS_LEAST, PIVOTS_PER_ROW = 100, 50  # the path is finite but may be long


class LemkeWork(NamedTuple):
    """Memory of one solver for problems of up to n rows."""

    F: np.ndarray  # (n, n) matrix in the order of elimination
    T: np.ndarray  # (2 n, 4 n + 2) tableau: columns y, z, z0, right-hand side
    diagonal: np.ndarray  # (n,) of A
    root: np.ndarray  # (n,) its square roots in the order of elimination, 1 for rows of zeros
    gamma: np.ndarray  # (n,) right-hand side after elimination
    right: np.ndarray  # (n,) beta in the order of elimination
    solution: np.ndarray  # (n,) impulses in the order of elimination
    sign: np.ndarray  # (n,) +1: counted from lo, -1: from hi
    lo: np.ndarray  # (n,) bounds used, those of friction included
    hi: np.ndarray  # (n,)
    order: np.ndarray  # (n,) uint32, row at a place of the elimination
    inside: np.ndarray  # (n,) uint32, 1: between its bounds
    basis: np.ndarray  # (2 n,) uint32, variable of a row of the tableau: y 0..k-1, z k..2k-1, z0 2k
    pivots: np.ndarray  # (1,) uint32, pivots of the last tableau
    chosen: np.ndarray  # (4 n + 1,) uint32, variables of a basis, see gelenk.solvers.lemke_pyramid
    z: np.ndarray  # (2 n,) its solution


def lemke_work(n_max: int) -> LemkeWork:
    """Memory for problems of up to n_max rows."""
    lines, indices = np.zeros((8, n_max)), np.zeros((2, n_max), dtype=np.uint32)
    basis, pivots = np.zeros(2 * n_max, dtype=np.uint32), np.zeros(1, dtype=np.uint32)
    tableau = np.zeros((2 * n_max, 4 * n_max + 2))
    chosen, z = np.zeros(4 * n_max + 1, dtype=np.uint32), np.zeros(2 * n_max)
    return LemkeWork._make([np.zeros((n_max, n_max)), tableau, *lines, *indices, basis, pivots, chosen, z])


# --- elimination -----------------------------------------------------------------------------------------------------


@routine
def eliminate_inside(A, beta, n, work):
    """Put the rows marked inside first and eliminate them: their number, or -1 where they depend on each other."""
    order, F = work.order, work.F
    u, m = 0, n
    for i in range(n):
        if work.inside[i] == 1:
            order[u] = i
            u += 1
    for j in range(n):
        i = n - 1 - j
        if work.inside[i] == 0:
            m -= 1
            order[m] = i
    for r in range(n):
        i = order[r]
        for c in range(r, n):
            F[r, c] = A[i, order[c]]
        work.diagonal[r], work.right[r] = F[r, r], beta[i]
    if not eliminate(F, work.diagonal, u, n):
        return -1
    reduce_right(F, work.right, u, n, work.gamma)
    return u


# --- the classical problem -------------------------------------------------------------------------------------------


@routine
def fill_tableau(work, u, n, more):
    """Write  y - M z - z0 = q  for the rows behind u, and leave ``more`` rows for what the caller adds.

    Returns the number k of rows and the largest velocity |q|.
    """
    F, T, root, sign, start = work.F, work.T, work.root, work.sign, work.solution
    k = n - u + more
    for r in range(u, n):
        i = work.order[r]
        root[r] = math.sqrt(work.diagonal[r]) if work.diagonal[r] > 0.0 else 1.0
        sign[r] = 1.0 if work.lo[i] > -math.inf else -1.0
        start[r] = work.lo[i] if sign[r] > 0.0 else work.hi[i]
        if sign[r] > 0.0 and work.hi[i] < math.inf:
            k += 1
    T[:k, : 2 * k + 2] = 0.0
    largest, extra = 0.0, n - u
    for r in range(u, n):
        row, i = r - u, work.order[r]
        for c in range(u, n):
            T[row, k + c - u] = -(sign[r] * sign[c]) * F[r, c] / (root[r] * root[c])
        q = sign[r] * (dot(F[r, u:n], start[u:n], n - u) - work.gamma[r]) / root[r]
        T[row, 2 * k + 1] = q
        largest = max(largest, abs(q))
        if sign[r] > 0.0 and work.hi[i] < math.inf:
            T[row, k + extra] = -1.0
            T[extra, k + row] = 1.0
            T[extra, 2 * k + 1] = (work.hi[i] - work.lo[i]) * root[r]
            extra += 1
    for row in range(k):
        T[row, row], T[row, 2 * k] = 1.0, -1.0
        work.basis[row] = row
    return k, largest


@routine
def pivot(T, basis, row, column, k):
    """The variable of a column enters the basis in a row."""
    pivot_row = T[row]
    reciprocal = 1.0 / pivot_row[column]
    for c in range(2 * k + 2):
        pivot_row[c] *= reciprocal
    pivot_row[column] = 1.0
    for r in range(k):
        if r != row and T[r, column] != 0.0:
            subtract(T[r], T[r, column], pivot_row, 2 * k + 2)
            T[r, column] = 0.0
    basis[row] = column


@routine
def comes_first(T, a, b, column, k, tie):
    """Whether row a of the tableau leaves before row b: first in the order of (right-hand side, B^-1) / entry."""
    x, y = T[a, 2 * k + 1] / T[a, column], T[b, 2 * k + 1] / T[b, column]
    if abs(x - y) > tie:
        return x < y
    for c in range(k):
        x, y = T[a, c] / T[a, column], T[b, c] / T[b, column]
        if abs(x - y) > TIE * max(abs(x), abs(y)):
            return x < y
    return False


@routine
def leaving_row(T, basis, column, k, tie):
    """Row whose variable reaches zero first as that of a column grows, z0 before all that tie; -1: none does."""
    best = -1
    for r in range(k):
        if T[r, column] > ENTRY_LEAST and (best < 0 or comes_first(T, r, best, column, k, tie)):
            best = r
    if best >= 0:
        bound = T[best, 2 * k + 1] / T[best, column] + tie
        for r in range(k):
            if int(basis[r]) == 2 * k and T[r, column] > ENTRY_LEAST and T[r, 2 * k + 1] / T[r, column] <= bound:
                return r
    return best


@routine
def follow_path(work, k, largest):
    """Pivot from z0 in the basis to z0 out of it. SOLVED, RAY or PIVOT_LIMIT."""
    T, basis, tie = work.T, work.basis, TIE * largest
    row, least = -1, 0.0
    for r in range(k):
        if T[r, 2 * k + 1] < least:
            row, least = r, T[r, 2 * k + 1]
    if row < 0:
        return SOLVED
    column = 2 * k
    while True:
        left = int(basis[row])
        pivot(T, basis, row, column, k)
        if left == 2 * k:
            return SOLVED
        work.pivots[0] += 1
        if not work.pivots[0] <= PIVOTS_LEAST + PIVOTS_PER_ROW * k:
            return PIVOT_LIMIT
        column = left + k if left < k else left - k
        row = leaving_row(T, basis, column, k, tie)
        if row < 0:
            return RAY


# --- the solver ------------------------------------------------------------------------------------------------------


@routine
def lemke_bounded(A, beta, n, p_out, w_out, work):
    """Solve the first n rows between the bounds work.lo and work.hi."""
    work.pivots[0] = 0
    for i in range(n):
        if not finite(A[i, i]):
            return INVALID
        work.inside[i] = 1 if work.lo[i] == -math.inf and work.hi[i] == math.inf else 0
    u = eliminate_inside(A, beta, n, work)
    if u < 0:
        return SINGULAR
    mirror(work.F, u, n)
    k, largest = fill_tableau(work, u, n, 0)
    status = follow_path(work, k, largest)
    if status != SOLVED:
        return status

    # Rows whose x is in the basis left the bound they count from; a slack out of it says they met the other one.
    extra = n - u
    for r in range(u, n):
        i = work.order[r]
        p_out[i] = work.lo[i] if work.sign[r] > 0.0 else work.hi[i]
        moved = slack = False
        for row in range(k):
            moved = moved or int(work.basis[row]) == k + r - u
            slack = slack or int(work.basis[row]) == extra
        if work.sign[r] > 0.0 and work.hi[i] < math.inf:
            extra += 1
            if moved and not slack:
                p_out[i] = work.hi[i]
                moved = False
        work.inside[i] = 1 if moved else 0

    u = eliminate_inside(A, beta, n, work)
    if u < 0:
        return SINGULAR
    for r in range(u, n):
        work.solution[r] = p_out[work.order[r]]
    back_substitute(work.F, work.gamma, u, n, work.solution)
    for r in range(u):
        i = work.order[r]
        p_out[i] = min(max(work.solution[r], work.lo[i]), work.hi[i])
    return verify(A, 0.0, beta, work.lo, work.hi, n, p_out, w_out)


@routine
def lemke(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work):
    """Solve the boxed problem of :mod:`gelenk.solvers.boxed_lcp`; arguments and result as for `dantzig`.

    Problems with friction are solved twice: without, to fix its bounds, and with. For reference and for hard cases:
    the tableau costs some (2 n)^3, and unlike Dantzig's rows it needs no regular subsets to pass through.
    """
    first = take_bounds(beta, lo, hi, normal, mu, n, unlimited, work.lo, work.hi)
    if first < 0:
        return INVALID
    if first < n:
        status = lemke_bounded(A, beta, first, p_out, w_out, work)
        if status != SOLVED:
            return status
        fix_friction(normal, mu, p_out, first, n, work.lo, work.hi)
    return lemke_bounded(A, beta, n, p_out, w_out, work)
