"""Small dense solves in place: Cholesky for positive definite, LDL^T for quasi-definite, elimination for all matrices.

Of symmetric ones only the lower triangle is read and written; the strict upper triangle is left alone. Each returns the
first row where it broke down, or -1: nothing is divided by zero silently. Source: Golub and Van Loan, Matrix
Computations, 3.4, 4.1 and 4.2.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine


@helper
def cholesky(A, n):
    """A = L L^T of the leading n x n block, L over the lower triangle of A; row of the first pivot <= 0, or -1."""
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return j
        d = math.sqrt(d)
        A[j, j] = d
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / d
    return -1


@helper
def cholesky_solve(L, b, n):
    """Solve L L^T x = b, x over b."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s / L[i, i]
    for m in range(n):
        i = n - 1 - m
        s = b[i]
        for k in range(i + 1, n):
            s -= L[k, i] * b[k]
        b[i] = s / L[i, i]


@helper
def ldlt(A, n):
    """A = L D L^T with unit L below and D on the diagonal of A; row of the first pivot that is 0 or NaN, or -1.

    No pivoting: exact for definite and quasi-definite matrices (those of constrained mechanics with compliance), where
    any order of elimination is stable enough. For others, or a zero pivot, the caller must order or regularise.
    """
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k] * A[k, k]
        if not abs(d) > 0.0:
            return j
        A[j, j] = d
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k] * A[k, k]
            A[i, j] = s / d
    return -1


@helper
def ldlt_solve(F, b, n):
    """Solve L D L^T x = b, x over b."""
    for i in range(n):
        for k in range(i):
            b[i] -= F[i, k] * b[k]
    for i in range(n):
        b[i] /= F[i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            b[i] -= F[k, i] * b[k]


@routine
def eliminate(A, b, n):
    """Solve A x = b by elimination with row pivots, x over b; first column that has no pivot, or -1. A is used up."""
    for k in range(n):
        top, at = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > top:
                top, at = abs(A[i, k]), i
        if not top > 0.0:
            return k
        if at != k:
            for j in range(k, n):
                A[k, j], A[at, j] = A[at, j], A[k, j]
            b[k], b[at] = b[at], b[k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                f = A[i, k] / A[k, k]
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for m in range(n):
        i = n - 1 - m
        s = b[i]
        for j in range(i + 1, n):
            s -= A[i, j] * b[j]
        b[i] = s / A[i, i]
    return -1
