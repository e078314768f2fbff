"""Lemke's pivoting: the same answers as Dantzig's, classical problems with known ends, rays, degeneracy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lcp_samples import (
    INF,
    KINDS,
    complementary,
    contact_problem,
    enumerate_sets,
    problem,
    random_problem,
    residual,
    run_dantzig,
    run_lemke,
    size,
    solve,
)

from gelenk.compile import ENABLED
from gelenk.solvers import lemke_pivot
from gelenk.solvers.boxed_lcp import INVALID, PIVOT_LIMIT, RAY, SINGULAR, SOLVED
from gelenk.solvers.lemke_pivot import comes_first, leaving_row, lemke_work

ROUNDING = 1e-11  # the last solve is one elimination: n^2 eps of the size of the sums
examples = settings(max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)


@examples
@given(SEEDS, st.integers(0, 6), st.data())
def test_finds_the_active_sets_that_enumeration_finds(seed, n, data):
    a = random_problem(seed, n, data.draw(st.integers(0, n)))
    answer, expected = solve(run_lemke, a), enumerate_sets(*a[:4])
    assert answer.status == SOLVED
    # as in the tests of Dantzig's solver: cond(A) <= 1e5 times the slack of 1e-9 of the enumeration
    np.testing.assert_allclose(answer.p, expected, rtol=1e-6, atol=1e-6)
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


@examples
@given(SEEDS, st.integers(7, 60), st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 8.0]))
def test_agrees_with_dantzig(seed, n, share, spread):
    """Two roads that share only the elimination of unlimited rows."""
    a = random_problem(seed, n, int(share * n), spread=spread)
    answer, other = solve(run_lemke, a), solve(run_dantzig, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)
    scaled = np.sqrt(a.A.diagonal()) * (answer.p - other.p)
    # cond of the scaled matrix <= 1e5, rounding 1e-13 of the size
    assert np.abs(scaled).max() <= 1e-8 * np.abs(np.sqrt(a.A.diagonal()) * other.p).max()


@pytest.mark.parametrize("kind", KINDS)
def test_solves_a_problem_of_one_kind_of_bounds(kind):
    for seed in range(5):
        a = random_problem(seed, 12, 3, kinds=[kind])
        answer = solve(run_lemke, a)
        assert answer.status == SOLVED
        assert residual(a, answer) <= ROUNDING
        assert complementary(answer)


@pytest.mark.parametrize("seed", range(5))
def test_friction_bounds_come_once_from_the_frictionless_impulses(seed):
    a = contact_problem(seed, 6, 2, 4)
    answer, other = solve(run_lemke, a), solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.hi[12:], other.hi[12:], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(answer.p, other.p, rtol=0.0, atol=1e-9 * np.abs(other.p).max())


@pytest.mark.parametrize("n", [1, 8, 25])
def test_first_row_alone_carries_what_all_ask_for(n):
    """A = L L^T with 1 on and 2 below the diagonal of L: the first column is (1, 2, 2, ...), so p = (1, 0, 0, ...)."""
    L = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    a = problem(L @ L.T, np.ones(n), np.zeros(n), np.full(n, INF))
    for one in (run_lemke, run_dantzig):
        answer = solve(one, a)
        assert answer.status == SOLVED
        np.testing.assert_array_equal(answer.p, np.arange(n) == 0)
        np.testing.assert_array_equal(answer.w, np.arange(n) > 0)


def test_ties_do_not_cycle():
    """A = 1 + ones, beta = ones: every ratio ties, and p_i = 1 / (n + 1)."""
    for n in (2, 5, 9):
        a = problem(np.eye(n) + 1.0, np.ones(n), np.zeros(n), np.full(n, INF))
        np.testing.assert_allclose(solve(run_lemke, a).p, np.full(n, 1.0 / (n + 1)), rtol=1e-12)


def test_equal_ratios_are_told_apart_by_the_inverse_of_the_basis():
    """Rows (y, z, z0, q) of k = 2 with q / entry = 3 in both: 1/2 against 0/1 in the first column of y."""
    T = np.array([[1.0, 0.0, 2.0, 0.0, 0.0, 6.0], [0.0, 1.0, 1.0, 0.0, 0.0, 3.0]])
    assert comes_first(T, 1, 0, 2, 2, 1e-12)
    assert not comes_first(T, 0, 1, 2, 2, 1e-12)
    assert leaving_row(T, np.array([0, 1], dtype=np.uint32), 2, 2, 1e-12) == 1
    assert leaving_row(T, np.array([4, 1], dtype=np.uint32), 2, 2, 1e-12) == 0  # z0 goes before all that tie


@examples
@given(SEEDS, st.integers(2, 12), st.integers(1, 8))
def test_rank_deficient_contacts_are_solved(seed, n, rank):
    """beta = J v can be met, so that a solution exists and a semidefinite problem must not end on a ray."""
    random = np.random.default_rng(seed)
    J = random.integers(-1, 2, (n, rank)).astype(float)
    a = problem(J @ J.T, J @ random.integers(-2, 3, rank), np.zeros(n), np.full(n, INF))
    answer = solve(run_lemke, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


def test_impossible_problem_ends_on_a_ray():
    """Two contacts press one body from both sides: it cannot move away from both."""
    a = problem([[1.0, -1.0], [-1.0, 1.0]], [1.0, 1.0], [0.0, 0.0], [INF, INF])
    assert solve(run_lemke, a).status == RAY


def test_bounded_impulses_end_the_same_problem():
    """With limits to both, both give all they have."""
    a = problem([[1.0, -1.0], [-1.0, 1.0]], [1.0, 1.0], [0.0, 0.0], [3.0, 3.0])
    answer = solve(run_lemke, a)
    assert answer.status == SOLVED
    np.testing.assert_array_equal(answer.p, [3.0, 3.0])
    assert complementary(answer)


def test_redundant_equalities_are_reported():
    J = np.random.default_rng(6).normal(size=(9, 6))
    assert solve(run_lemke, problem(J @ J.T, np.ones(9), np.full(9, -INF), np.full(9, INF), 9)).status == SINGULAR


@pytest.mark.parametrize("name", ["A", "beta", "lo", "hi", "mu"])
@pytest.mark.parametrize("row", [0, 6, 9, 15])
def test_nan_fails_and_does_not_hang(name, row):
    a = contact_problem(2, 6, 2, 4)
    a = a._replace(**{name: getattr(a, name).copy()})
    getattr(a, name)[row] = np.nan
    not_read = (name in ("lo", "hi") and not 6 <= row < 12) or (name == "mu" and row < 12)
    assert (solve(run_lemke, a).status == SOLVED) == not_read


def test_crossed_bounds_are_refused():
    assert solve(run_lemke, problem(np.eye(1), [0.0], [1.0], [-1.0])).status == INVALID


def test_pivots_are_limited(monkeypatch):
    monkeypatch.setattr(lemke_pivot, "PIVOTS_LEAST", 0)
    monkeypatch.setattr(lemke_pivot, "PIVOTS_PER_ROW", 0)
    assert solve(run_lemke, random_problem(3, 12), python=True).status == PIVOT_LIMIT


def test_matrix_of_the_caller_is_left_alone():
    a = random_problem(7, 20, 6)
    before = [np.copy(x) for x in a[:6]]
    assert solve(run_lemke, a).status == SOLVED
    for x, y in zip(a[:6], before):
        np.testing.assert_array_equal(x, y)


def test_memory_of_an_earlier_solve_does_not_show():
    a, b = random_problem(1, 15, 4), random_problem(2, 15, 4)
    work, p, w = lemke_work(15), np.zeros(15), np.zeros(15)
    for x in (a, b, a):
        assert run_lemke(*x[:6], 15, 4, p, w, work) == SOLVED
        np.testing.assert_array_equal(p, solve(run_lemke, x).p)
        np.testing.assert_allclose(x.A @ p, x.beta + w, rtol=0.0, atol=ROUNDING * size(x, p))


def test_compiled_gives_the_same_bits_as_python():
    for a in (random_problem(21, 11, 4), contact_problem(3, 3, 2, 2)):
        for compiled, interpreted in zip(solve(run_lemke, a), solve(run_lemke, a, python=True)):
            np.testing.assert_array_equal(compiled, interpreted)


@pytest.mark.skipif(not ENABLED, reason="GELENK_COMPILE=0: nothing is compiled, so there is no LLVM code to look at")
def test_code_neither_allocates_nor_counts_references():
    assert solve(run_lemke, random_problem(1, 5, 2)).status == SOLVED
    for code in run_lemke.dispatcher.inspect_llvm().values():
        assert "fmul" in code
        assert "NRT_" not in code
