"""Lemke's pivoting for contacts whose friction lies in pyramids: the classical problem (V-43, virtual-worlds 2.4).

Friction acts in directions d with impulses p_d >= 0 that share a bound, the normal impulse p_n of their contact. With
gamma, the speed at which the contact slips,

    w_d = (A p - beta)_d + gamma >= 0,    p_d >= 0          p_n - sum of p_d >= 0,    gamma >= 0

each pair with a product of zero. So friction and the impulses that bound it are found at once, without rounds. The
matrix is no longer symmetric, but copositive, and Lemke's path still ends at a solution.
Sources: D. E. Stewart and J. C. Trinkle, International Journal for Numerical Methods in Engineering 39 (1996);
M. Anitescu and F. A. Potra, Nonlinear Dynamics 14 (1997).
"""

from __future__ import annotations

import math

from gelenk.compile import routine
from gelenk.rows.block import NONE
from gelenk.solvers.boxed_lcp import (
    ACCURACY,
    INACCURATE,
    SINGULAR,
    SOLVED,
    back_substitute,
    finite,
    mirror,
    subtract,
)
from gelenk.solvers.lemke_pivot import eliminate_inside, fill_tableau, follow_path

TINY = 1e-13  # a pivot of the basis, whose rows are scaled to 1, below this is rounding


@routine
def follow_pyramids(A, beta, lo, hi, normal, group, group_normal, groups, n, where, work):
    """Find the basis of the rows 0..n-1 with bounds lo and hi, and friction in pyramids; SOLVED or the reason why not.

    Parameters
    ----------
    normal : (n,) uint32 NONE for all but rows of friction, which have lo = 0 and no upper bound
    group : (n,) uint32 which bound a row of friction shares
    group_normal : (groups,) uint32 row whose impulse is that bound
    where : (n,) uint32 scratch
    """
    k, _, largest = pyramid_tableau(A, beta, lo, hi, normal, group, group_normal, groups, n, where, work)
    if k < 0:
        return SINGULAR
    work.pivots[0] = 0
    status = follow_path(work, k, largest)
    for column in range(2 * k + 1):
        work.chosen[column] = 0
    for row in range(k):
        work.chosen[work.basis[row]] = 1
    return status


@routine
def finish_pyramids(A, beta, lo, hi, normal, group, group_normal, groups, n, where, p_out, work):
    """Impulses of the basis that was found; A may have less added to its diagonal than it had on the path."""
    k, u, largest = pyramid_tableau(A, beta, lo, hi, normal, group, group_normal, groups, n, where, work)
    if k < 0:
        return SINGULAR
    status = solve_basis(work, k, largest)
    if status != SOLVED:
        return status
    for r in range(u, n):
        work.solution[r] += work.sign[r] * work.z[r - u] / work.root[r]
    back_substitute(work.F, work.gamma, u, n, work.solution)
    for r in range(n):
        p_out[work.order[r]] = work.solution[r]
    return SOLVED


@routine
def pyramid_tableau(A, beta, lo, hi, normal, group, group_normal, groups, n, where, work):
    """The tableau of the classical problem: its rows, -1 if it has none; rows without bounds; largest velocity."""
    for i in range(n):
        if not (finite(A[i, i]) and finite(beta[i])):
            return -1, 0, 0.0
        work.lo[i], work.hi[i] = lo[i], hi[i]
        work.inside[i] = 1 if lo[i] == -math.inf and hi[i] == math.inf else 0
    u = eliminate_inside(A, beta, n, work)
    if u < 0:
        return -1, 0, 0.0
    mirror(work.F, u, n)
    for r in range(n):
        where[work.order[r]] = r
    k, largest = fill_tableau(work, u, n, groups)
    share_bounds(work, normal, group, group_normal, groups, where, u, n, k)
    return k, u, largest


@routine
def share_bounds(work, normal, group, group_normal, groups, where, u, n, k):
    """Rows and columns of the bounds, last in the tableau:  y = p_n - sum of p_d,  and gamma in the rows of friction.

    A bound is measured as the row of its normal impulse is, and gamma by its inverse.
    """
    T, root = work.T, work.root
    last = k - groups
    for g in range(groups):
        r = where[group_normal[g]]
        T[last + g, k + r - u] = -1.0
        T[last + g, 2 * k + 1] = work.solution[r] * root[r]
    for r in range(u, n):
        i = work.order[r]
        if normal[i] != NONE:
            at = last + int(group[i])
            ratio = root[where[group_normal[group[i]]]] / root[r]
            T[at, k + r - u] = ratio
            T[r - u, k + at] = -ratio


@routine
def solve_basis(work, k, largest):
    """The basis that the path led to, solved anew by elimination, so that no rounding of the path remains in it.

    With y = 0 in the rows of the basic z it is  -M z = q  for these. z into work.z; INACCURATE if they or the y of the
    other rows are below zero by more than rounding.
    """
    T, z, count = work.T, work.z, 0
    for i in range(k):
        T[i, 2 * k] = T[i, 2 * k + 1]  # q of all rows
        if work.chosen[k + i] == 1:
            work.basis[count] = i
            count += 1
    for a in range(count):
        i = int(work.basis[a])
        for b in range(count):
            T[a, b] = T[i, k + int(work.basis[b])]
        T[a, 2 * k + 1] = T[i, 2 * k]
    if not eliminate_full(T, count, 2 * k + 1):
        return SINGULAR
    size = 0.0
    for i in range(k):
        z[i] = 0.0
    for a in range(count):
        z[int(work.basis[a])] = T[a, 2 * k + 1]
        size = max(size, abs(T[a, 2 * k + 1]))
    slack = ACCURACY * max(size, largest)
    for i in range(k):
        y = T[i, 2 * k]
        for j in range(k):
            y -= T[i, k + j] * z[j]
        if not (z[i] >= -slack and y >= -slack):
            return INACCURATE
        z[i] = max(z[i], 0.0)
    return SOLVED


@routine
def eliminate_full(T, n, right):
    """Solve the leading n rows and columns for one column, in place, by elimination with row exchanges.

    False if they depend on each other.

    Source: Golub and Van Loan, Matrix Computations, 3.4.
    """
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(T[i, j]) > abs(T[best, j]):
                best = i
        if not abs(T[best, j]) > TINY:
            return False
        if best != j:
            for c in range(j, n):
                T[j, c], T[best, c] = T[best, c], T[j, c]
            T[j, right], T[best, right] = T[best, right], T[j, right]
        for i in range(j + 1, n):
            f = T[i, j] / T[j, j]
            if f != 0.0:
                subtract(T[i, j:n], f, T[j, j:n], n - j)
                T[i, right] -= f * T[j, right]
    for m in range(n):
        i = n - 1 - m
        known = 0.0
        for c in range(i + 1, n):
            known += T[i, c] * T[c, right]
        T[i, right] = (T[i, right] - known) / T[i, i]
    return True
