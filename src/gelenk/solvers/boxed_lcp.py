"""The boxed linear complementarity problem: its words, its residual, and what all pivoting solvers share.

    A p = beta + w,   lo <= p <= hi
    p = lo  =>  w >= 0,      p = hi  =>  w <= 0,      lo < p < hi  =>  w = 0

A is symmetric and positive semidefinite, p are impulses, beta and w velocities along the rows. The first `unlimited`
rows have no bounds whatever lo and hi say. Friction rows come last; each names the row of its normal impulse and has
the bounds -+ mu |p_normal|, fixed once from the solution without friction; their lo and hi are not read.

Rounding is measured against what a row sums up: |A_ij| <= r_i r_j with r = sqrt(diag A), so the velocity of row i is
good to some eps times |beta_i| + r_i sum_j r_j |p_j|. The same measure serves rows of any unit.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine

NONE = 0xFFFFFFFF  # in an index array: this row is no friction row

# What a solver returns.
SOLVED = 0
SINGULAR = 1  # rows without bounds, or free of them, repeat each other
PIVOT_LIMIT = 2  # more pivots than any regular problem needs: cycling
UNBOUNDED = 3  # some row stays wrong however large its impulse
INVALID = 4  # NaN, infinity, crossed bounds, friction without a normal row before it
INACCURATE = 5  # the answer does not fulfil the problem
RAY = 6  # Lemke's path leads to infinity

PIVOT_LEAST = 1e-12  # a pivot below this share of its diagonal is what rounding left of zero
ACCURACY = 1e-9  # what an answer must fulfil, relative to the sums of its row; round-off of 1000 rows is 1e-10


@routine
def boxed_residual(A, beta, lo, hi, p, n):
    """Largest  A_ii |p_i - clamp(p_i - (A p - beta)_i / A_ii, lo_i, hi_i)|, a velocity; zero exactly at a solution.

    A row that nothing can move, A_ii = 0, counts with |w_i| unless p_i stands at the bound that excuses w_i.
    """
    worst = 0.0
    for i in range(n):
        w = -beta[i]
        for j in range(n):
            w += A[i, j] * p[j]
        a = A[i, i]
        if a > 0.0:
            r = a * abs(p[i] - min(max(p[i] - w / a, lo[i]), hi[i]))
        elif (w >= 0.0 and p[i] == lo[i]) or (w <= 0.0 and p[i] == hi[i]):
            r = 0.0
        else:
            r = abs(w)
        worst = max(worst, r) if r < math.inf else math.inf  # NaN is no small residual
    return worst


# --- vectors ---------------------------------------------------------------------------------------------------------


@routine
def subtract(y, f, x, n):
    """Subtract a multiple:  y -= f x."""
    for k in range(n):
        y[k] -= f * x[k]


@routine
def dot(x, y, n):
    """Product x . y in four partial sums, whose additions need not wait for each other; the order is fixed."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    m = n - n % 4
    for k in range(0, m, 4):
        a += x[k] * y[k]
        b += x[k + 1] * y[k + 1]
        c += x[k + 2] * y[k + 2]
        d += x[k + 3] * y[k + 3]
    for k in range(m, n):
        a += x[k] * y[k]
    return (a + b) + (c + d)


@helper
def finite(x):
    """Whether x is neither NaN nor infinite."""
    return abs(x) < math.inf


# --- bounds ----------------------------------------------------------------------------------------------------------


@routine
def take_bounds(beta, lo, hi, normal, mu, n, unlimited, lo_out, hi_out):
    """Copy the bounds; rows without any get infinite, friction rows zero ones. First friction row, or -1: not valid."""
    first = n
    for i in range(n):
        if not finite(beta[i]):
            return -1
        if int(normal[i]) != NONE:
            first = min(first, i)
            if i < unlimited or int(normal[i]) >= first or not 0.0 <= mu[i] < math.inf:
                return -1
            lo_out[i] = hi_out[i] = 0.0
        elif i < unlimited:
            lo_out[i], hi_out[i] = -math.inf, math.inf
        else:
            if first < n or not (lo[i] <= hi[i] and lo[i] < math.inf and hi[i] > -math.inf):
                return -1
            lo_out[i], hi_out[i] = lo[i], hi[i]
    return first


@routine
def fix_friction(normal, mu, p, first, n, lo_out, hi_out):
    """Bounds of the friction rows first..n-1 from the impulses of their normal rows:  -+ mu |p_normal|."""
    for i in range(first, n):
        hi_out[i] = mu[i] * abs(p[normal[i]])
        lo_out[i] = -hi_out[i]


# --- elimination of the rows without bounds --------------------------------------------------------------------------


@helper
def eliminate_four(F, j, i, n):
    """Row i of the trailing block less its share of the pivots j .. j+3."""
    f0, f1 = F[j, j] * F[j, i], F[j + 1, j + 1] * F[j + 1, i]
    f2, f3 = F[j + 2, j + 2] * F[j + 2, i], F[j + 3, j + 3] * F[j + 3, i]
    y, x0, x1, x2, x3 = F[i, i:n], F[j, i:n], F[j + 1, i:n], F[j + 2, i:n], F[j + 3, i:n]
    for k in range(n - i):
        y[k] -= f0 * x0[k] + f1 * x1[k] + f2 * x2[k] + f3 * x3[k]


@routine
def eliminate(F, diagonal, u, n):
    """Eliminate the first u of n rows of a symmetric matrix, given by the upper triangle of F, in place.

        [A_uu  A_ub]   [L_u  0] [D  0] [L_u^T  L_b^T]
        [A_bu  A_bb] = [L_b  1] [0  S] [  0      1  ]       S = A_bb - A_bu A_uu^-1 A_ub

    Row j < u of F then holds D_j and column j of L behind it, the last n - u rows hold S. Right-looking, so that every
    inner loop runs along rows; four pivots at a time, so that a row is loaded once for four. False: a pivot was below
    PIVOT_LEAST of its diagonal. Source: Golub and Van Loan, Matrix Computations, 4.1 and 4.2.
    """
    for j in range(0, u, 4):
        end = min(j + 4, u)
        for a in range(j, end):
            for b in range(j, a):
                subtract(F[a, a:n], F[b, b] * F[b, a], F[b, a:n], n - a)
            if not F[a, a] > PIVOT_LEAST * diagonal[a]:
                return False
            reciprocal, row = 1.0 / F[a, a], F[a, a + 1 : n]
            for k in range(n - a - 1):
                row[k] *= reciprocal
        if end == j + 4:
            for i in range(end, n):
                eliminate_four(F, j, i, n)
        else:
            for b in range(j, end):
                for i in range(end, n):
                    subtract(F[i, i:n], F[b, b] * F[b, i], F[b, i:n], n - i)
    return True


@routine
def mirror(F, u, n):
    """Copy the upper triangle of the trailing block to its lower one."""
    for i in range(u, n):
        for k in range(i + 1, n):
            F[k, i] = F[i, k]


@routine
def reduce_right(F, beta, u, n, gamma_out):
    """Solve [L_u 0; L_b 1] gamma = beta: behind u stands the right-hand side of S.

    Returns sqrt(beta_u A_uu^-1 beta_u), which bounds what gamma_i summed up by r_i times itself.
    """
    energy = 0.0
    for k in range(n):
        gamma_out[k] = beta[k]
    for j in range(u):
        subtract(gamma_out[j + 1 : n], gamma_out[j], F[j, j + 1 : n], n - j - 1)
        energy += gamma_out[j] * gamma_out[j] / F[j, j]
    return math.sqrt(energy)


@routine
def back_substitute(F, gamma, u, n, p_out):
    """The first u impulses from the others, which p holds:  p_u = L_u^-T (D^-1 gamma_u - L_b^T p_b)."""
    for m in range(u):
        j = u - 1 - m
        p_out[j] = gamma[j] / F[j, j] - dot(F[j, j + 1 : n], p_out[j + 1 : n], n - j - 1)


# --- the end ---------------------------------------------------------------------------------------------------------


@routine
def verify(A, add_on, beta, lo, hi, n, p, w_out):
    """Compute w = (A + add_on) p - beta and check all signs to ACCURACY; w gets rid of rounding. SOLVED or INACCURATE.

    p stands exactly at a bound or inside, so its place tells what w must be.
    """
    for k in range(n):
        w_out[k] = -beta[k]
    total = 0.0
    for j in range(n):
        total += math.sqrt(max(A[j, j] + add_on, 0.0)) * abs(p[j])
        subtract(w_out, -p[j], A[j], n)
    status = SOLVED
    for i in range(n):
        w = w_out[i] + add_on * p[i]
        slack = ACCURACY * (abs(beta[i]) + math.sqrt(max(A[i, i] + add_on, 0.0)) * total)
        if p[i] == lo[i] and p[i] == hi[i]:
            right = finite(w)
        elif p[i] == lo[i]:
            right, w = w >= -slack, max(w, 0.0)
        elif p[i] == hi[i]:
            right, w = w <= slack, min(w, 0.0)
        else:
            right, w = lo[i] < p[i] < hi[i] and abs(w) <= slack, 0.0
        w_out[i] = w
        if not (right and slack < math.inf):
            status = INACCURATE
    return status
