"""Sparse LDL^T of A = J M^-1 J^T + C on a fixed pattern, with the redundant rows of over-constrained systems.

Factorisation. L is unit lower triangular, D diagonal; panel by panel, each first changed by the earlier panels that
reach it and then factorised as a dense one (left-looking):

    a_r  <-  a_r - sum_k  l_rk d_k l_ck      column c of A, all k before c
    d_c  =  a_c,     l_rc = a_r / d_c

A definite A is stable in any order, so no search for pivots is needed. Since  d_c / a_cc  is the part of row c that no
earlier row explains, a pivot  d_c <= dependent a_cc  marks a row that depends on those before it. It is dropped:
1/d_c = 0 is stored, its unknown becomes zero. Source: Golub and Van Loan, Matrix Computations, 4.1 and 4.2; Davis,
Direct Methods for Sparse Linear Systems, chapter 4.

Redundant constraints. Then A is singular, and  A x = b  has many solutions or, by the errors of a step, none. Dropping
rows leaves one joint with all the load and its twin with none. Instead factorise  A + relative diag(A), call its
inverse G, and repeat

    x  <-  x + G A G (b - A x)

Scale all rows and columns so that A has the diagonal 1, and let t be its eigenvalues then. A and G have the same
eigenvectors, and each pass multiplies the error along one of them by

    1 - (t / (t + relative))^2    about  2 relative / t   for  t >> relative,     exactly 1  for  t = 0

So the range of A converges in two or three passes, and the null space is untouched, both of x and of b: from x = 0 the
limit is the solution of least  sum a_ii x_i^2 (of least squares if there is none), and equal rows carry equal shares.
The plain pass  x <- x + G (b - A x), the proximal point method, has the factor  relative / (t + relative), but turns
what b has in the null space into impulses of 1/relative its size. Round-off enters the null space as eps/relative of x;
relative = sqrt(eps) makes this as small as what one pass leaves. Source: Rockafellar, SIAM J. Control Optim. 14 (1976);
Engl, Hanke and Neubauer, Regularization of Inverse Problems (1996), chapter 5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.solvers.sparse_symbolic import SparsePattern, stored_values

DEPENDENT = 1e-12  # a pivot this small against its diagonal is round-off: some thousand operations at 2.2e-16
RELATIVE = 1.5e-8  # sqrt(eps), see above


class SparseWork(NamedTuple):
    """Scratch and what a factorisation keeps. Vectors are in order of elimination."""

    matrix: np.ndarray  # (values,) A as it was given to sparse_factorise
    pivot: np.ndarray  # (n,) D, zero for dropped rows
    place: np.ndarray  # (n,) uint32, where a row lies in the panel at work
    part: np.ndarray  # (largest height,) one column, or the rows below a panel
    solution: np.ndarray  # (n,)
    rest: np.ndarray  # (n,)
    step: np.ndarray  # (n,)


def sparse_work(pattern: SparsePattern) -> SparseWork:
    """Scratch for a pattern."""
    n = len(pattern.order)
    height = np.diff(pattern.column) + np.diff(pattern.row_start)
    return SparseWork(
        np.zeros(stored_values(pattern)),
        np.zeros(n),
        np.zeros(n, dtype=np.uint32),
        np.zeros(int(height.max(initial=0))),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
    )


@helper
def sparse_entry(address, k, r, c):
    """Place of entry (r, c) of block k in the values; ``address`` is ``pattern.diagonal`` or ``pattern.pair``."""
    return address[k, 0] + r * address[k, 1] + c * address[k, 2]


# --- factorisation ---------------------------------------------------------------------------------------------------


@helper
def subtract_products(t, panel, height, row, count, pivot):
    """t_r <- t_r - sum over k < count of  l_rk d_k l_ck,  c = ``row`` and r = c, c + 1, ... as far as t goes.

    Three columns at a time, which are those of a ball joint: t is loaded and stored once for them.
    """
    m = t.shape[0]
    k = 0
    while k + 2 < count:
        i = k * height + row
        a, b, c = panel[i : i + m], panel[i + height : i + height + m], panel[i + 2 * height : i + 2 * height + m]
        fa, fb, fc = pivot[k] * a[0], pivot[k + 1] * b[0], pivot[k + 2] * c[0]
        for r in range(m):
            t[r] -= a[r] * fa + b[r] * fb + c[r] * fc
        k += 3
    while k < count:
        i = k * height + row
        a = panel[i : i + m]
        fa = pivot[k] * a[0]
        for r in range(m):
            t[r] -= a[r] * fa
        k += 1


@helper
def update_panel(pattern, values, p, work):
    """Take what earlier panels explain out of panel p:  a_rc <- a_rc - sum over their k of  l_rk d_k l_ck."""
    if pattern.update_start[p] == pattern.update_start[p + 1]:
        return
    rows, place = pattern.rows, work.place
    first, beyond = pattern.column[p], pattern.column[p + 1]
    start, stop = pattern.row_start[p], pattern.row_start[p + 1]
    height = beyond - first + stop - start
    target = values[pattern.value[p] : pattern.value[p + 1]]
    for k in range(first, beyond):
        place[k] = k - first
    for k in range(start, stop):
        place[rows[k]] = beyond - first + k - start
    for u in range(pattern.update_start[p], pattern.update_start[p + 1]):
        q = pattern.update_panel[u]
        q_first, q_beyond = pattern.column[q], pattern.column[q + 1]
        q_start, q_stop = pattern.row_start[q], pattern.row_start[q + 1]
        width = q_beyond - q_first
        source = values[pattern.value[q] : pattern.value[q + 1]]
        pivot = work.pivot[q_first:q_beyond]
        k = pattern.update_row[u]
        while k < q_stop and rows[k] < beyond:
            t = work.part[: q_stop - k]
            t[:] = 0.0
            subtract_products(t, source, width + q_stop - q_start, width + k - q_start, width, pivot)
            c = (rows[k] - first) * height
            for r in range(q_stop - k):
                target[c + place[rows[k + r]]] += t[r]
            k += 1


@helper
def factorise_panel(panel, height, pivot, scale, dependent):
    """Dense LDL^T of one panel; returns how many of its rows are dependent, or -1 for numbers that are not finite.

    The diagonal holds 1/d afterwards, zero in dropped rows; ``scale`` is the panel as it was assembled.
    """
    dropped = 0
    for j in range(pivot.shape[0]):
        diagonal = j * height + j
        t = panel[diagonal : diagonal + height - j]
        subtract_products(t, panel, height, j, j, pivot)
        d = t[0]
        if not abs(d) < math.inf:
            return -1
        inverse = 0.0
        if d > dependent * scale[diagonal]:
            inverse = 1.0 / d
        else:
            d = 0.0
            dropped += 1
        pivot[j] = d
        t[0] = inverse
        for r in range(1, t.shape[0]):
            t[r] *= inverse
    return dropped


@routine
def sparse_factorise(pattern, values, relative, dependent, work):
    """Factorise  A + relative diag(A)  in place; returns how many rows were dropped, or -1 if a number is not finite.

    Parameters
    ----------
    values : A as assembled; the factor afterwards. A itself is kept in ``work.matrix``, for a second try copy it back.
    relative : 0 for A itself, ``RELATIVE`` if it is singular and :func:`sparse_refine` is to follow
    dependent : least pivot against its diagonal, ``DEPENDENT``
    """
    for k in range(values.shape[0]):
        work.matrix[k] = values[k]
    dropped = 0
    for p in range(pattern.column.shape[0] - 1):
        first, beyond = pattern.column[p], pattern.column[p + 1]
        start, stop = pattern.value[p], pattern.value[p + 1]
        panel, scale, pivot = values[start:stop], work.matrix[start:stop], work.pivot[first:beyond]
        height = beyond - first + pattern.row_start[p + 1] - pattern.row_start[p]
        for j in range(beyond - first):
            panel[j * height + j] += relative * panel[j * height + j]
        update_panel(pattern, values, p, work)
        count = factorise_panel(panel, height, pivot, scale, dependent)
        if count < 0:
            return -1
        dropped += count
    return dropped


# --- solution --------------------------------------------------------------------------------------------------------


@routine
def substitute(pattern, values, y, part):
    """Solve  L D L^T x = y,  x over y, in order of elimination."""
    rows = pattern.rows
    panels = pattern.column.shape[0] - 1
    for p in range(panels):  # L z = y, z over y
        first, start = pattern.column[p], pattern.row_start[p]
        width, below = pattern.column[p + 1] - first, pattern.row_start[p + 1] - start
        panel = values[pattern.value[p] : pattern.value[p + 1]]
        z, t = y[first : first + width], part[:below]
        t[:] = 0.0
        for k in range(width):
            column = panel[k * (width + below) : (k + 1) * (width + below)]
            for r in range(k + 1, width):
                z[r] -= column[r] * z[k]
            for r in range(below):
                t[r] += column[width + r] * z[k]
        for r in range(below):
            y[rows[start + r]] -= t[r]
    for s in range(panels):  # L^T x = D^-1 z
        p = panels - 1 - s
        first, start = pattern.column[p], pattern.row_start[p]
        width, below = pattern.column[p + 1] - first, pattern.row_start[p + 1] - start
        panel = values[pattern.value[p] : pattern.value[p + 1]]
        z, t = y[first : first + width], part[:below]
        for r in range(below):
            t[r] = y[rows[start + r]]
        for j in range(width):
            k = width - 1 - j
            column = panel[k * (width + below) : (k + 1) * (width + below)]
            sum_ = z[k] * column[k]
            for r in range(below):
                sum_ -= column[width + r] * t[r]
            for r in range(k + 1, width):
                sum_ -= column[r] * z[r]
            z[k] = sum_


@routine
def sparse_solve(pattern, values, x, work):
    """Solve  L D L^T x = b,  x over b, with the factor in ``values``; unknowns of dropped rows become zero."""
    y = work.solution
    for k in range(y.shape[0]):
        y[k] = x[pattern.order[k]]
    substitute(pattern, values, y, work.part)
    for k in range(y.shape[0]):
        x[pattern.order[k]] = y[k]


@routine
def multiply(pattern, matrix, x, y_out, part):
    """Product  y = A x  in order of elimination, from the lower triangle as it was assembled."""
    y_out[:] = 0.0
    rows = pattern.rows
    for p in range(pattern.column.shape[0] - 1):
        first, start = pattern.column[p], pattern.row_start[p]
        width, below = pattern.column[p + 1] - first, pattern.row_start[p + 1] - start
        panel = matrix[pattern.value[p] : pattern.value[p + 1]]
        z, y = x[first : first + width], y_out[first : first + width]
        ahead = part[:below]
        for r in range(below):
            ahead[r] = x[rows[start + r]]
        for k in range(width):
            column = panel[k * (width + below) : (k + 1) * (width + below)]
            sum_ = column[k] * z[k]
            for r in range(k + 1, width):
                sum_ += column[r] * z[r]
                y[r] += column[r] * z[k]
            for r in range(below):
                sum_ += column[width + r] * ahead[r]
                y_out[rows[start + r]] += column[width + r] * z[k]
            y[k] += sum_


@helper
def length(a):
    """Euclidean length."""
    sum_ = 0.0
    for k in range(a.shape[0]):
        sum_ += a[k] * a[k]
    return math.sqrt(sum_)


@routine
def sparse_refine(pattern, values, b, x, tolerance, passes, work):
    """Improve x by passes  x <- x + G A G (b - A x);  returns |b - A x|.

    It ends when  |A G (b - A x)|, the residual without its part in the null space, is below  tolerance |b|  or no
    longer halves. From x = 0 it tends to the solution of least  sum a_ii x_i^2; the part of another x in the null
    space stays as it is. With a factor of A itself it is the usual iterative refinement.
    """
    order, y, rest, step = pattern.order, work.solution, work.rest, work.step
    n = order.shape[0]
    for k in range(n):
        y[k] = x[order[k]]
    allowed = tolerance * length(b)
    before, residual = math.inf, 0.0
    for done in range(passes + 1):
        multiply(pattern, work.matrix, y, rest, work.part)
        for k in range(n):
            rest[k] = b[order[k]] - rest[k]
        residual = length(rest)
        if done == passes:
            break
        substitute(pattern, values, rest, work.part)
        multiply(pattern, work.matrix, rest, step, work.part)
        explained = length(step)
        if explained <= allowed or not explained < 0.5 * before:
            break
        before = explained
        substitute(pattern, values, step, work.part)
        for k in range(n):
            y[k] += step[k]
    for k in range(n):
        x[order[k]] = y[k]
    return residual
