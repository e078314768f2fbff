"""Dantzig's pivoting for boxed complementarity problems: rows one by one, the solution kept exact all the way.

The rows without bounds are eliminated first; what follows works on the Schur complement S of the others,
S p = gamma + w. Rows already treated lie in N (inside their bounds, w = 0) or in B (at a bound, w of the right sign).
A new row i is driven to w_i = 0 or to its bound while all others keep their conditions; whoever meets the end of his
range first changes sets. With e = +-1 the sense in which p_i must go,

    dp_i = e,   dp_N = -e S_NN^-1 S_Ni,   dw = S dp

An impulse starts at the point of its bounds nearest to zero, so bounds need not contain zero. S_NN is kept as L D L^T
and follows N in O(n^2): a row appended, or one removed by a rank-one update of what stands behind it.
A row that repeats rows of N, as the fourth leg of a table, stays out of the factor and does no harm; only rows without
bounds must be independent.
Sources: R. W. Cottle and G. B. Dantzig, Linear Algebra and its Applications 1 (1968); D. Baraff, SIGGRAPH 1994;
P. E. Gill, G. H. Golub, W. Murray and M. A. Saunders, Mathematics of Computation 28 (1974), method C1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.solvers.boxed_lcp import (
    INVALID,
    PIVOT_LEAST,
    PIVOT_LIMIT,
    SINGULAR,
    SOLVED,
    UNBOUNDED,
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

NOISE = 1e-12  # of its row's sums: a velocity or a rate below this is rounding
PIVOTS_LEAST, PIVOTS_PER_ROW = 100, 20  # guard against cycling; contact problems need one to three pivots a row

LADDER_FIRST, LADDER_LAST = 1e-4, 1e-1  # add-on to the diagonal relative to its mean, doubled from rung to rung
BALLISTIC = -1  # the rung below the ladder: no impulses

# Where a row stands; also which end of its range it met. A dependent row says the same as rows of N together: w = 0
# without an impulse of its own, until one of those leaves N.
WAITING, INSIDE, LOWER, UPPER, DEPENDENT = 0, 1, 2, 3, 4


class DantzigWork(NamedTuple):
    """Memory of one solver for problems of up to n rows."""

    F: np.ndarray  # (n, n) rows without bounds eliminated: D and L^T, then S, symmetric
    L: np.ndarray  # (n, n) row r: pivot r of S_NN on the diagonal and column r of its factor behind
    diagonal: np.ndarray  # (n,) of A with add-on
    root: np.ndarray  # (n,) its square roots
    gamma: np.ndarray  # (n,) right-hand side after elimination
    lo: np.ndarray  # (n,) bounds used, those of friction included
    hi: np.ndarray  # (n,)
    dp: np.ndarray  # (n,) direction of the impulses
    dw: np.ndarray  # (n,) and of the velocities
    noise: np.ndarray  # (n,) a velocity of this row below this is rounding
    column: np.ndarray  # (n,) L^-1 S_Ni
    solution: np.ndarray  # (n,) S_NN^-1 times something
    members: np.ndarray  # (n,) uint32, rows of N in the order of the factor
    place: np.ndarray  # (n,) uint32, WAITING, INSIDE, LOWER, UPPER or DEPENDENT
    pivots: np.ndarray  # (1,) uint32, pivots of the last solve


def dantzig_work(n_max: int) -> DantzigWork:
    """Memory for problems of up to n_max rows."""
    squares, lines = np.zeros((2, n_max, n_max)), np.zeros((10, n_max))
    indices = np.zeros((2, n_max), dtype=np.uint32)
    return DantzigWork._make([*squares, *lines, *indices, np.zeros(1, dtype=np.uint32)])


# --- the factor of S_NN ----------------------------------------------------------------------------------------------


@routine
def factor_column(work, i, count):
    """Solve L y = S_Ni into work.column; returns the pivot row i would get,  d = S_ii - y . D^-1 y."""
    F, L, y = work.F, work.L, work.column
    for r in range(count):
        y[r] = F[i, work.members[r]]
    d = F[i, i]
    for r in range(count):
        d -= y[r] * y[r] / L[r, r]
        subtract(y[r + 1 : count], y[r], L[r, r + 1 : count], count - r - 1)
    return d


@routine
def factor_back(work, count):
    """Solve D L^T x = y for y in work.column, x into work.solution."""
    L, y, x = work.L, work.column, work.solution
    for m in range(count):
        r = count - 1 - m
        x[r] = y[r] / L[r, r] - dot(L[r, r + 1 : count], x[r + 1 : count], count - r - 1)


@routine
def factor_append(work, i, count, d):
    """Append row i, whose work.column and pivot d are those of :func:`factor_column`."""
    L = work.L
    for r in range(count):
        L[r, count] = work.column[r] / L[r, r]
    L[count, count] = d
    work.members[count] = i


@routine
def factor_remove(work, position, count):
    """Remove the row at a position. What stands behind it, L' D' L'^T, regains its share d v v^T of the column removed.

    With a = d before the first row and p = v_q in each:  D_q' = D_q + a p^2,  b = a p / D_q',  a' = a D_q / D_q',
    v -= p L_q,  L_q' = L_q + b v. Pivots are sums of positive terms: none can break down.
    """
    L, v = work.L, work.column
    for q in range(position):
        row = L[q, position:count]
        for k in range(count - position - 1):
            row[k] = row[k + 1]
    for k in range(position + 1, count):
        v[k] = L[position, k]
    a = L[position, position]
    for q in range(position + 1, count):
        p, d = v[q], L[q, q]
        updated = d + a * p * p
        b = a * p / updated
        a *= d / updated
        L[q - 1, q - 1] = updated
        rest = count - q - 1
        subtract(v[q + 1 : count], p, L[q, q + 1 : count], rest)
        old, new, change = L[q, q + 1 : count], L[q - 1, q:count], v[q + 1 : count]
        for k in range(rest):
            new[k] = old[k] + b * change[k]
        work.members[q - 1] = work.members[q]


# --- one step --------------------------------------------------------------------------------------------------------


@routine
def set_direction(work, i, e, count, u, n):
    """Set dp and dw when impulse i goes in the sense e; work.column holds L^-1 S_Ni. Returns sum_j r_j |dp_j|."""
    F, dp, dw = work.F, work.dp, work.dw
    factor_back(work, count)
    for k in range(u, n):
        dp[k] = dw[k] = 0.0
    dp[i] = e
    for r in range(count):
        dp[work.members[r]] = -e * work.solution[r]
    total = 0.0
    for j in range(u, n):
        if dp[j] != 0.0:
            total += work.root[j] * abs(dp[j])
            subtract(dw[u:n], -dp[j], F[j, u:n], n - u)
    return total


@helper
def ratio(distance, rate):
    """Step until a distance is used up; a distance just below zero is rounding and means at once."""
    return max(distance / rate, 0.0)


@routine
def find_step(work, p, w, i, e, d, total, u, n):
    """Smallest step at which a row meets the end of its range: step, row and place it moves to; row -1: none ever.

    d is the rate of |w_i|. Of rows that tie, row i wins, then the first.
    """
    lo, hi, dp, dw, root = work.lo, work.hi, work.dp, work.dw, work.root
    step, row, place = math.inf, -1, INSIDE
    if d > PIVOT_LEAST * work.diagonal[i]:
        step, row = abs(w[i]) / d, i
    own = hi[i] - p[i] if e > 0.0 else p[i] - lo[i]
    if own <= step and own < math.inf:
        step, row, place = own, i, UPPER if e > 0.0 else LOWER
    for k in range(u, n):
        s, end = math.inf, INSIDE
        if k == i or work.place[k] == WAITING:
            continue
        if work.place[k] == INSIDE:
            if dp[k] > 0.0:
                s, end = ratio(hi[k] - p[k], dp[k]), UPPER
            elif dp[k] < 0.0:
                s, end = ratio(lo[k] - p[k], dp[k]), LOWER
        elif lo[k] < hi[k] and abs(dw[k]) > NOISE * root[k] * total:
            if work.place[k] == DEPENDENT:
                s = 0.0
            elif (dw[k] < 0.0) == (work.place[k] == LOWER):
                s = ratio(-w[k], dw[k])
        if s < step:
            step, row, place = s, k, end
    return step, row, place


@routine
def drive(work, p, w, i, count, u, n, limit):
    """Bring row i into N or B. Returns the status and the number of rows in N."""
    while True:
        d = factor_column(work, i, count)
        if abs(w[i]) <= work.noise[i]:
            w[i] = 0.0
            if not d > PIVOT_LEAST * work.diagonal[i]:
                work.place[i] = DEPENDENT
                return SOLVED, count
        e = 1.0 if w[i] < 0.0 else -1.0
        total = set_direction(work, i, e, count, u, n)
        step, c, place = find_step(work, p, w, i, e, d, total, u, n)
        if c < 0:
            return UNBOUNDED, count
        work.pivots[0] += 1
        if not work.pivots[0] <= limit:
            return PIVOT_LIMIT, count
        for k in range(u, n):
            p[k] += step * work.dp[k]
            w[k] += step * work.dw[k]
        for r in range(count):
            w[work.members[r]] = 0.0
        if place == INSIDE:
            if c != i:
                d = factor_column(work, c, count)
            if not d > PIVOT_LEAST * work.diagonal[c]:
                return SINGULAR, count
            factor_append(work, c, count, d)
            w[c] = 0.0
            count += 1
        else:
            p[c] = work.lo[c] if place == LOWER else work.hi[c]
            if c != i:
                position = 0
                while int(work.members[position]) != c:
                    position += 1
                factor_remove(work, position, count)
                count -= 1
        work.place[c] = place
        if c == i:
            return SOLVED, count


# --- the solver ------------------------------------------------------------------------------------------------------


@routine
def rests(work, p, w, i, energy, beta, u, n):
    """Compute w_i of a new row; True if it may stay at the bound where it starts."""
    total = energy
    for j in range(u, n):
        total += work.root[j] * abs(p[j])
    w[i] = dot(work.F[i, u:n], p[u:n], n - u) - work.gamma[i]
    work.noise[i] = NOISE * (abs(beta[i]) + work.root[i] * total)
    if abs(w[i]) <= work.noise[i]:
        w[i] = 0.0
    lower, upper = p[i] == work.lo[i], p[i] == work.hi[i]
    if lower and w[i] >= 0.0:
        work.place[i] = LOWER
    elif upper and w[i] <= 0.0:
        work.place[i] = UPPER
    return work.place[i] != WAITING


@routine
def dantzig_added(A, add_on, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work):
    """Solve with an add-on to the diagonal of A; see :func:`dantzig`."""
    u, F, p, w = unlimited, work.F, p_out, w_out
    work.pivots[0] = 0
    friction = take_bounds(beta, lo, hi, normal, mu, n, u, work.lo, work.hi)
    if friction < 0:
        return INVALID
    for i in range(n):
        for k in range(i, n):
            F[i, k] = A[i, k]
        F[i, i] += add_on
        if not finite(F[i, i]):
            return INVALID
        if F[i, i] < 0.0:
            return SINGULAR
        work.diagonal[i], work.root[i] = F[i, i], math.sqrt(F[i, i])
    if not eliminate(F, work.diagonal, u, n):
        return SINGULAR
    mirror(F, u, n)
    energy = reduce_right(F, beta, u, n, work.gamma)

    for i in range(u, n):
        p[i] = min(max(0.0, work.lo[i]), work.hi[i])
        w[i] = 0.0
        work.place[i] = WAITING
    count, limit = 0, PIVOTS_LEAST + PIVOTS_PER_ROW * (n - u)
    for i in range(u, n):
        if i == friction:
            back_substitute(F, work.gamma, u, n, p)
            fix_friction(normal, mu, p, friction, n, work.lo, work.hi)
        if not rests(work, p, w, i, energy, beta, u, n):
            status, count = drive(work, p, w, i, count, u, n, limit)
            if status != SOLVED:
                return status
    for r in range(count):
        i = work.members[r]
        p[i] = min(max(p[i], work.lo[i]), work.hi[i])
    back_substitute(F, work.gamma, u, n, p)
    return verify(A, add_on, beta, work.lo, work.hi, n, p, w)


@routine
def dantzig(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work):
    """Solve the boxed problem of :mod:`gelenk.solvers.boxed_lcp`; returns SOLVED or the reason why not.

    Parameters
    ----------
    A : (n, n) symmetric, positive semidefinite; read only
    beta, lo, hi : (n,) right-hand side and bounds
    normal : (n,) uint32, row of the normal impulse of a friction row, NONE for all others
    mu : (n,) friction coefficients
    n, unlimited : number of rows, and of those without bounds, which come first
    p_out, w_out : (n,) the answer. Bounds are met exactly and w of inner rows is exactly zero.
    work : memory of :func:`dantzig_work`; afterwards work.lo and work.hi hold the bounds used
    """
    return dantzig_added(A, 0.0, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work)


@routine
def dantzig_ladder(A, beta, lo, hi, normal, mu, n, unlimited, relative, p_out, w_out, work):
    """Solve, and where that fails, with ever more added to the diagonal: always an answer. Returns the rung.

    The add-on is a multiple of the mean diagonal of A, so that it acts alike on grams and tonnes:

        rung 0    relative                            what the caller adds from the start, 0 or some 1e-9
        rung k    relative + 1e-4 2^(k-1)             until that exceeds 1e-1
        BALLISTIC                                     p = 0

    An add-on c is a compliance: row i yields by c p_i, as a spring under its impulse. What the last try failed of does
    not show; call :func:`dantzig` to know.
    """
    mean = 0.0
    for i in range(n):
        mean += A[i, i] / n
    rung, share = 0, 0.0
    while share <= LADDER_LAST:
        add_on = (relative + share) * mean
        status = dantzig_added(A, add_on, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work)
        if status == SOLVED:
            return rung
        if status == INVALID:
            break
        rung, share = rung + 1, max(2.0 * share, LADDER_FIRST)
    for i in range(n):
        p_out[i], w_out[i] = 0.0, -beta[i]
    return BALLISTIC
