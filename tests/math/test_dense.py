"""Cholesky, LDL^T and elimination in place: backward error, exact factors, breakdown rows, what is left alone.

Bounds are those of Higham, Accuracy and Stability of Numerical Algorithms (2nd ed.), theorems 10.3, 10.4 and section
10.4, with EPS = 2 u in place of u: the factor of two covers the residual, which is computed in double precision too.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import EPS, definite, examples, integer_factors, quasi_definite, right_hand_sides

from gelenk.math.dense import cholesky, cholesky_solve, eliminate, ldlt, ldlt_solve

FACTORS = [cholesky, ldlt]
SOLVES = [(cholesky, cholesky_solve), (ldlt, ldlt_solve)]
NAMES = ["cholesky", "ldlt"]


def solve(pair, A, b):
    factor, back = pair
    F, x = A.copy(), b.copy()
    assert factor(F, len(b)) == -1
    back(F, x, len(b))
    return F, x


def split(F):
    """Unit lower triangle and pivots out of what ldlt leaves."""
    return np.tril(F, -1) + np.eye(len(F)), F.diagonal().copy()


# --- backward error --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", SOLVES, ids=NAMES)
@examples
@given(definite(scaled=True), st.data())
def test_definite_solve_has_the_backward_error_of_the_textbook(pair, A, data):
    n = len(A)
    b = data.draw(right_hand_sides(n))
    _, x = solve(pair, A, b)
    # |dA| <= (3n + 2) u |L| |L^T|, and (|L| |L^T|)_ij <= sqrt(a_ii a_jj): a bound row by row, whatever the scaling;
    # at most (3n + 2) EPS |A|_2 |x|_1
    root = np.sqrt(A.diagonal())
    assert (np.abs(b - A @ x) <= (3 * n + 2) * EPS * root * (root @ np.abs(x))).all()


@examples
@given(quasi_definite(), st.data())
def test_quasi_definite_solve_has_the_backward_error_of_the_textbook(matrix, data):
    K, m = matrix
    n = len(K)
    b = data.draw(right_hand_sides(n))
    F, x = solve(SOLVES[1], K, b)
    residual = np.abs(b - K @ x)
    # |dK| <= (3n + 2) u |L| |D| |L^T| for any matrix that does not break down
    L, D = split(F)
    size = np.abs(L) @ np.diag(np.abs(D)) @ np.abs(L.T)
    assert (residual <= (3 * n + 2) * EPS * (size @ np.abs(x))).all()
    # and for a quasi-definite one  | |L||D||L^T| |_F <= n (|T| + |S T^-1 S|)  with  T = diag(H, G),  S the rest
    T = np.zeros((n, n))
    T[:m, :m], T[m:, m:] = K[:m, :m], -K[m:, m:]
    S = np.zeros((n, n))
    S[:m, m:], S[m:, :m] = -K[:m, m:], K[m:, :m]
    growth = np.linalg.norm(T, 2) + np.linalg.norm(S @ np.linalg.solve(T, S), 2)
    assert np.linalg.norm(residual) <= (3 * n + 2) * EPS * n * growth * np.linalg.norm(x)


@pytest.mark.parametrize("pair", SOLVES, ids=NAMES)
@examples
@given(definite(), st.data())
def test_definite_solve_agrees_with_numpy(pair, A, data):
    n = len(A)
    b = data.draw(right_hand_sides(n))
    _, x = solve(pair, A, b)
    expected = np.linalg.solve(A, b)
    # both have a backward error of about 3 n u sqrt(n) |A|; the condition number brings it to x
    bound = 6 * n * math.sqrt(n) * EPS * np.linalg.cond(A)
    assert np.linalg.norm(x - expected) <= bound * np.linalg.norm(expected)


@examples
@given(quasi_definite(), st.data())
def test_quasi_definite_solve_agrees_with_numpy(matrix, data):
    K, _ = matrix
    n = len(K)
    b = data.draw(right_hand_sides(n))
    F, x = solve(SOLVES[1], K, b)
    expected = np.linalg.solve(K, b)
    # numpy pivots; ours has |L||D||L^T| in place of |K|
    L, D = split(F)
    size = np.linalg.norm(np.abs(L) @ np.diag(np.abs(D)) @ np.abs(L.T), 2)
    bound = 6 * n * math.sqrt(n) * EPS * np.linalg.norm(np.linalg.inv(K), 2) * size
    assert np.linalg.norm(x - expected) <= bound * np.linalg.norm(expected)


# --- factors ---------------------------------------------------------------------------------------------------------


@examples
@given(definite(scaled=True))
def test_cholesky_factor_times_its_transposed_is_the_matrix(A):
    n = len(A)
    F = A.copy()
    assert cholesky(F, n) == -1
    L = np.tril(F)
    assert (np.abs(L @ L.T - A) <= (n + 1) * EPS * np.abs(L) @ np.abs(L.T)).all()
    assert (L.diagonal() > 0.0).all()


@examples
@given(quasi_definite())
def test_pivots_of_a_quasi_definite_matrix_have_the_signs_of_its_blocks(matrix):
    K, m = matrix
    F = K.copy()
    assert ldlt(F, len(K)) == -1
    assert (F.diagonal()[:m] > 0.0).all()
    assert (F.diagonal()[m:] < 0.0).all()


@examples
@given(quasi_definite())
def test_cholesky_of_a_quasi_definite_matrix_breaks_down_where_its_negative_block_begins(matrix):
    K, m = matrix
    assert cholesky(K.copy(), len(K)) == (m if m < len(K) else -1)


@examples
@given(integer_factors(st.sampled_from([-3, -2, -1, 1, 2, 3])))
def test_ldlt_finds_integer_factors_without_rounding(factors):
    L, D = factors
    F = L @ np.diag(D) @ L.T
    assert ldlt(F, len(F)) == -1
    for got, expected in zip(split(F), factors):
        np.testing.assert_array_equal(got, expected)


@examples
@given(integer_factors(st.sampled_from([1, 4, 9])))
def test_cholesky_finds_integer_factors_without_rounding(factors):
    L, D = factors
    F = L @ np.diag(D) @ L.T
    assert cholesky(F, len(F)) == -1
    np.testing.assert_array_equal(np.tril(F), L @ np.diag(np.sqrt(D)))


# --- breakdown -------------------------------------------------------------------------------------------------------


@examples
@given(integer_factors(st.sampled_from([1, 4, 9, 1, 4, 9, 0, -1])))
def test_cholesky_reports_the_first_pivot_that_is_not_positive(factors):
    L, D = factors
    broken = np.flatnonzero(D <= 0.0)
    assert cholesky(L @ np.diag(D) @ L.T, len(D)) == (broken[0] if len(broken) else -1)


@examples
@given(integer_factors(st.sampled_from([-2, -1, 1, 2, 3, 0])))
def test_ldlt_reports_the_first_pivot_that_is_zero(factors):
    L, D = factors
    broken = np.flatnonzero(D == 0.0)
    assert ldlt(L @ np.diag(D) @ L.T, len(D)) == (broken[0] if len(broken) else -1)


@pytest.mark.parametrize("factor", FACTORS, ids=NAMES)
@examples
@given(definite(), st.data())
def test_nan_is_reported_at_its_row(factor, A, data):
    n = len(A)
    row = data.draw(st.integers(0, n - 1))
    A[row, data.draw(st.integers(0, row))] = math.nan
    assert factor(A, n) == row


@pytest.mark.parametrize("factor", FACTORS, ids=NAMES)
def test_zero_matrix_breaks_down_at_row_0(factor):
    assert factor(np.zeros((3, 3)), 3) == 0
    assert factor(np.full((3, 3), -0.0), 3) == 0


@pytest.mark.parametrize("pair", SOLVES, ids=NAMES)
def test_size_0_is_solved_and_touches_nothing(pair):
    A, b = np.full((2, 2), 7.0), np.full(2, 7.0)
    factor, back = pair
    assert factor(A, 0) == -1
    back(A, b, 0)
    assert (A == 7.0).all()
    assert (b == 7.0).all()


# --- what is left alone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", SOLVES, ids=NAMES)
@examples
@given(definite(), st.data())
def test_upper_triangle_and_the_rest_of_the_arrays_are_neither_read_nor_written(pair, A, data):
    n = len(A)
    b = data.draw(right_hand_sides(n))
    F, x = solve(pair, A, b)

    spare = data.draw(st.integers(0, 2))
    big, long = np.full((n + spare, n + spare), math.nan), np.full(n + spare, math.nan)
    lower = np.tril_indices(n)
    big[lower], long[:n] = A[lower], b
    factor, back = pair
    assert factor(big, n) == -1
    back(big, long, n)
    np.testing.assert_array_equal(big[lower], F[lower])
    np.testing.assert_array_equal(long[:n], x)
    big[lower] = math.nan
    assert np.isnan(big).all()
    assert np.isnan(long[n:]).all()
    np.testing.assert_array_equal(np.triu(F, 1), np.triu(A, 1))


@pytest.mark.parametrize("pair", SOLVES, ids=NAMES)
@examples
@given(definite(), st.data())
def test_solve_leaves_the_factor_alone_so_that_it_serves_again(pair, A, data):
    n = len(A)
    b = data.draw(right_hand_sides(n))
    F, x = solve(pair, A, b)
    before, again = F.copy(), b.copy()
    pair[1](F, again, n)
    np.testing.assert_array_equal(F, before)
    np.testing.assert_array_equal(again, x)


# --- elimination with pivots -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 9))
def test_elimination_has_the_backward_error_of_the_textbook(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)  # zero pivots come with probability zero
        F, x = A.copy(), b.copy()
        assert eliminate(F, x, n) == -1
        # |dA|_inf <= 2 n^3 rho u |A|_inf with row pivots, growth rho of U against A (theorem 9.5)
        growth = np.abs(np.triu(F)).max() / np.abs(A).max()
        assert np.abs(b - A @ x).max() <= n**3 * growth * EPS * np.abs(A).sum(1).max() * np.abs(x).max()


@examples
@given(st.permutations(range(5)))
def test_elimination_finds_its_way_through_any_order_of_rows(order):
    P, b = np.eye(5)[order], np.arange(5.0)
    x = P @ b
    assert eliminate(P.copy(), x, 5) == -1
    np.testing.assert_array_equal(x, b)


def test_elimination_names_the_column_without_a_pivot():
    A = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [4.0, 8.0, 6.0]])
    assert eliminate(A.copy(), np.ones(3), 3) == 1
    assert eliminate(np.full((2, 2), math.nan), np.ones(2), 2) == 0
    assert eliminate(np.zeros((2, 2)), np.ones(2), 0) == -1
