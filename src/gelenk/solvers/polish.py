"""Pivoting with an add-on that is taken out of the answer again, also where rows repeat each other.

Pivoting solves  (A + c) p = beta + w  with a small c on the diagonal. The rows inside their bounds, among them all rows
without bounds, are then improved with the factor that is there:

    p <- p + G (beta - A p),       G = (A + c)^-1              once: what is left is of the order c^2
    p <- p + G A G A G (beta - A p)    from p_u = 0, three times   where rows without bounds repeat each other

The second form leaves the null space of A alone, see :mod:`gelenk.solvers.sparse_ldlt`. Otherwise the errors of joints
that repeat each other, which never agree to the last digit, would be turned into inner stress of 1/c their size. A
computed null space has values of A up to 1e-15; every factor A G makes 1e-5 of what it lets through. So a door on three
hinges has finite reactions, shared alike among the rows that are solved here.

Without the add-on a row may belong beyond the bound that it kept with it. It is then held there, and the others are
improved anew: to bend its impulse back alone would leave the joints with the difference.
"""

from __future__ import annotations

import math

from gelenk.compile import generic, routine
from gelenk.solvers.boxed_lcp import back_substitute, dot, reduce_right, subtract
from gelenk.solvers.dantzig_pivot import INSIDE, LOWER, UPPER, DantzigWork, dantzig_ladder, factor_back, factor_remove

# Of a row without bounds: a pivot below this share of its diagonal says that rows before it repeat it. It is the square
# of the sine of an angle, here a thousandth, since rows that repeat each other turn apart as joints open.
REPEATED = 1e-6
PASSES = 3  # where rows repeat; each gains at least three digits
ROUND_OFF = 1e-12  # of an impulse


@routine
def dantzig_polished(A, scale, beta, lo, hi, normal, mu, n, unlimited, relative, p_out, w_out, work, scratch):
    """Solve as :func:`dantzig_ladder` does, and polish what the first rung gives; returns the rung.

    Parameters
    ----------
    scale : (n,) what the add-on is relative to: J M^-1 J^T of the rows, without softness
    scratch : (3, n)

    The problem is scaled in place; friction, whose bound is another impulse, is not.
    """
    mean, mean_A = 0.0, 0.0
    unit_diagonal(A, scale, beta, lo, hi, n, scratch[0])
    for i in range(n):
        mean += scale[i] / n
        mean_A += A[i, i] / n
    if not mean_A > 0.0:  # nothing that these rows could move
        for i in range(n):
            p_out[i], w_out[i] = min(max(0.0, lo[i]), hi[i]), -beta[i]
        return 0
    add_on = relative * mean
    rung = dantzig_ladder(A, beta, lo, hi, normal, mu, n, unlimited, add_on / mean_A, p_out, w_out, work)
    if rung == 0 and add_on > 0.0:
        repeated = repeats(work.F, scale, add_on, unlimited)
        polish(A, beta, lo, hi, n, unlimited, add_on, p_out, work, repeated, scratch[1:])
    for i in range(n):
        p_out[i] *= scratch[0, i]
        w_out[i] /= scratch[0, i]
    return rung


@routine
def unit_diagonal(A, scale, beta, lo, hi, n, s):
    """Measure every row by its own yield, so that light and heavy parts share one add-on:  s_i = scale_i^-1/2,

    A_ij <- s_i A_ij s_j,    beta_i <- s_i beta_i,    p_i = s_i p_i',    in place.
    """
    for i in range(n):
        size = max(scale[i], A[i, i])
        s[i] = 1.0 / math.sqrt(size) if size > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            A[i, j] *= s[i] * s[j]
        scale[i] *= s[i] * s[i]
        beta[i] *= s[i]
        lo[i] /= s[i]
        hi[i] /= s[i]


@generic
def solve_inside(pivot, n, u, right, x_out):
    """Solve  (A + c) x = right  for the rows inside their bounds, with the factor of the pivoting; others get zero."""


@generic
def drop_inside(pivot, A, beta, n, add_on, i, place):
    """Take row i out of the factor of the rows inside their bounds; it is at its lower or upper one now."""


@routine
def polish(A, beta, lo, hi, n, u, add_on, p, pivot, repeated, scratch):
    """Improve p; see the module.

    Parameters
    ----------
    A, beta, lo, hi : the problem without add-on
    n, u : number of rows, and of those without bounds, which come first
    add_on : on the diagonal while pivoting
    p : (n,) the answer with add-on, improved in place
    pivot : memory of the pivoting that gave it
    repeated : whether rows without bounds repeat each other, see :func:`repeats`
    scratch : (2, n)
    """
    right, step = scratch[0], scratch[1]
    passes = PASSES if repeated else 1
    while True:
        if repeated:
            for i in range(u):
                p[i] = 0.0
        for _ in range(passes):
            for i in range(n):
                right[i] = beta[i] - dot(A[i], p, n)
            solve_inside(pivot, n, u, right, step)
            for _ in range(2 if repeated else 0):
                for i in range(n):
                    right[i] = dot(A[i], step, n)
                solve_inside(pivot, n, u, right, step)
            for i in range(n):
                p[i] += step[i]
        if keep_bounds(A, beta, lo, hi, n, u, add_on, p, pivot) == 0:
            return
        passes = PASSES


@routine
def keep_bounds(A, beta, lo, hi, n, u, add_on, p, pivot):
    """Put impulses that left their bounds back on them; how many rows are out of the factor by that."""
    dropped = 0
    for i in range(u, n):
        nearest = min(max(p[i], lo[i]), hi[i])
        if abs(p[i] - nearest) > ROUND_OFF * abs(nearest):
            drop_inside(pivot, A, beta, n, add_on, i, LOWER if p[i] < nearest else UPPER)
            dropped += 1
        p[i] = nearest
    return dropped


@routine
def repeats(F, scale, add_on, u):
    """Whether some of the first u rows, eliminated in F with an add-on, repeat each other."""
    count = 0
    for j in range(u):
        count += 1 if F[j, j] <= max(REPEATED * scale[j], 100.0 * add_on) else 0
    return count > 0


@solve_inside.register(DantzigWork)
def _(pivot, n, u, right, x_out):
    solve_members(pivot, n, u, right, x_out)


@drop_inside.register(DantzigWork)
def _(pivot, A, beta, n, add_on, i, place):
    drop_member(pivot, n, i, place)


@routine
def drop_member(pivot, n, i, place):
    """Out of the factor of N, and to B."""
    if pivot.place[i] != INSIDE:
        return
    count, position = 0, 0
    for k in range(n):
        count += 1 if pivot.place[k] == INSIDE else 0
    while int(pivot.members[position]) != i:
        position += 1
    factor_remove(pivot, position, count)
    pivot.place[i] = place


@routine
def solve_members(pivot, n, u, right, x_out):
    """Rows without bounds by their elimination, rows of N by their own factor; see :mod:`dantzig_pivot`."""
    L, y, count = pivot.L, pivot.column, 0
    reduce_right(pivot.F, right, u, n, pivot.gamma)
    for i in range(u, n):
        x_out[i] = 0.0
        if pivot.place[i] == INSIDE:
            count += 1
    for k in range(count):
        y[k] = pivot.gamma[pivot.members[k]]
    for k in range(count):
        subtract(y[k + 1 : count], y[k], L[k, k + 1 : count], count - k - 1)
    factor_back(pivot, count)
    for k in range(count):
        x_out[pivot.members[k]] = pivot.solution[k]
    back_substitute(pivot.F, pivot.gamma, u, n, x_out)
