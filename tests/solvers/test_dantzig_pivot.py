"""Dantzig's pivoting: the solution, the exactness of bounds, friction bounds fixed once, breakdown, the ladder."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lcp_samples import (
    INF,
    KINDS,
    Problem,
    complementary,
    contact_problem,
    enumerate_sets,
    gauss_seidel,
    problem,
    random_problem,
    residual,
    run_dantzig,
    run_ladder,
    size,
    solve,
)

from gelenk.compile import ENABLED
from gelenk.solvers import dantzig_pivot
from gelenk.solvers.boxed_lcp import INVALID, PIVOT_LIMIT, SINGULAR, SOLVED, UNBOUNDED, boxed_residual
from gelenk.solvers.dantzig_pivot import (
    BALLISTIC,
    LADDER_FIRST,
    dantzig_work,
    factor_append,
    factor_column,
    factor_remove,
    ratio,
)

# Elimination and triangular solves of n = 200 rows err by some n^2 eps = 1e-11 of the size of the sums; the solver
# itself promises 1e-9.
ROUNDING = 1e-11
examples = settings(max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)


# --- the solution ----------------------------------------------------------------------------------------------------


@examples
@given(SEEDS, st.integers(0, 6), st.data())
def test_finds_the_active_sets_that_enumeration_finds(seed, n, data):
    a = random_problem(seed, n, data.draw(st.integers(0, n)))
    answer, expected = solve(run_dantzig, a), enumerate_sets(*a[:4])
    assert answer.status == SOLVED
    # Two solutions of one definite problem differ by cond(A) <= 1e5 times the rounding of 1e-15 and enumeration's 1e-9.
    np.testing.assert_allclose(answer.p, expected, rtol=1e-6, atol=1e-6)
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


@pytest.mark.parametrize("n", [10, 33, 70])
@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_projected_gauss_seidel(n, seed):
    a = random_problem(seed, n, n // 4, spread=0.5)
    a = a._replace(A=a.A + 0.3 * np.diag(a.A.diagonal()))  # so that the sweeps converge to round-off in good time
    answer, expected = solve(run_dantzig, a), gauss_seidel(*a[:4])
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.p, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def test_agrees_with_bounded_least_squares():
    """min |L^T p - L^-1 beta|^2 within the box has the same optimality conditions for A = L L^T."""
    from scipy.optimize import lsq_linear

    a = random_problem(5, 40, 10, kinds=["contact", "upper", "motor", "push", "pull"])
    L = np.linalg.cholesky(a.A)
    expected = lsq_linear(L.T, np.linalg.solve(L, a.beta), (a.lo, a.hi), method="bvls", tol=1e-15).x
    np.testing.assert_allclose(solve(run_dantzig, a).p, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


@examples
@given(SEEDS, st.integers(7, 60), st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 8.0]))
def test_solves_many_sizes_mixtures_and_units(seed, n, share, spread):
    """Rows scaled by up to 1e4 up and down are what rotations and translations of grams and tonnes amount to."""
    a = random_problem(seed, n, int(share * n), spread=spread)
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


@pytest.mark.parametrize("kind", KINDS)
def test_solves_a_problem_of_one_kind_of_bounds(kind):
    for seed in range(5):
        a = random_problem(seed, 12, 3, kinds=[kind])
        answer = solve(run_dantzig, a)
        assert answer.status == SOLVED
        assert residual(a, answer) <= ROUNDING
        assert complementary(answer)


def test_unlimited_rows_alone_are_a_linear_solve():
    a = random_problem(8, 30, 30)
    answer = solve(run_dantzig, a)
    np.testing.assert_allclose(a.A @ answer.p, a.beta, rtol=0.0, atol=ROUNDING * size(a, answer.p))
    assert (answer.w == 0.0).all()


def test_a_motor_that_must_push_shifts_the_unknown():
    """Bounds [1, 2] and [-3, -2] with a target of zero velocity: each stays at the end nearest to zero."""
    a = problem(np.diag([2.0, 4.0]), [0.0, 0.0], [1.0, -3.0], [2.0, -2.0])
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_array_equal(answer.p, [1.0, -2.0])
    np.testing.assert_array_equal(answer.w, [2.0, -8.0])


def test_rows_at_nonzero_bounds_act_on_later_rows():
    """A saturated motor (p = 1) carries half of the load of the contact behind it."""
    a = problem([[1.0, 0.5], [0.5, 1.0]], [9.0, 2.0], [-1.0, 0.0], [1.0, INF])
    np.testing.assert_allclose(solve(run_dantzig, a).p, [1.0, 1.5], rtol=1e-15)


def test_only_the_leading_rows_are_read_and_written():
    a, n, m = random_problem(3, 9, 2), 9, 14
    big = Problem(*(np.full((m,) * x.ndim, 7, dtype=x.dtype) for x in a[:6]), 2)
    for whole, part in zip(big[:6], a[:6]):
        whole[tuple(slice(k) for k in part.shape)] = part
    big.A[n:], big.A[:, n:] = np.nan, np.nan
    work, p, w = dantzig_work(m), np.full(m, 7.0), np.full(m, 7.0)
    assert run_dantzig(*big[:6], n, 2, p, w, work) == SOLVED
    answer = solve(run_dantzig, a)
    np.testing.assert_array_equal(p, [*answer.p, *[7.0] * (m - n)])
    np.testing.assert_array_equal(w, [*answer.w, *[7.0] * (m - n)])


def test_memory_of_an_earlier_solve_does_not_show():
    a, b = random_problem(1, 15, 4), random_problem(2, 15, 4)
    work, p, w = dantzig_work(15), np.zeros(15), np.zeros(15)
    for x in (a, b, a):
        assert run_dantzig(*x[:6], 15, 4, p, w, work) == SOLVED
        np.testing.assert_array_equal(p, solve(run_dantzig, x).p)


# --- degenerate and singular -----------------------------------------------------------------------------------------


def test_nothing_to_do_gives_zero():
    a = random_problem(4, 20, 5, kinds=["contact", "upper", "motor", "free"])
    answer = solve(run_dantzig, a._replace(beta=np.zeros(20)))
    assert answer.status == SOLVED
    assert (answer.p == 0.0).all()
    assert (answer.w == 0.0).all()


def test_four_legged_table_stands_without_an_add_on():
    """Four contacts on one rigid body: rank 3 of 4. The legs together carry m g h, whoever carries what."""
    x, y = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    J = np.stack([np.ones(4), y, -x])  # unit mass, unit inertia
    a = problem(J.T @ J, np.full(4, 0.0981), np.zeros(4), np.full(4, INF))
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_allclose(J @ answer.p, [0.0981, 0.0, 0.0], atol=1e-15)
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


def test_four_legged_table_slides_with_friction():
    """Rank 6 of 12 rows; friction is fixed from the normal impulses, so the sum of bounds is mu m g h."""
    corners = [(1.0, 1.0, -0.5), (1.0, -1.0, -0.5), (-1.0, 1.0, -0.5), (-1.0, -1.0, -0.5)]
    rows = [[*n, *np.cross(r, n)] for n in np.eye(3)[[2]] for r in corners]
    rows += [[*t, *np.cross(r, t)] for r in corners for t in np.eye(3)[:2]]
    J, v = np.array(rows), np.array([3.0, 0.0, -0.0981, 0.0, 0.0, 0.0])  # fast sliding along x, h g downwards
    friction = [(4 + k, k // 2, 0.5) for k in range(8)]
    a = problem(J @ J.T, -J @ v, np.zeros(12), np.full(12, INF), friction=friction)
    for relative in (0.0, 1e-9):
        answer = solve(run_ladder, a, relative)
        assert answer.status == 0
        after = v + J.T @ answer.p
        # an add-on of 1e-9 lets each row yield by 1e-9 of its impulse times the mean diagonal of 2 to 3
        assert np.abs(answer.hi[4::2]).sum() == pytest.approx(0.5 * 0.0981, rel=1e-8)
        assert after[0] == pytest.approx(3.0 - 0.5 * 0.0981, rel=1e-8)  # all four legs slide: the full mu m g h


@pytest.mark.parametrize("bodies", [1, 3, 6])
def test_tower_of_boxes_rests_on_redundant_contacts(bodies):
    """12 rows a box and only 6 freedoms: all stand still, and level k carries the weight of all above."""
    corners, h_g = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)], 0.0981

    def row(k, corner, t):
        J = np.zeros(6 * bodies)
        J[6 * k : 6 * k + 6] = [*t, *np.cross([*corner, -0.5], t)]
        if k:
            J[6 * k - 6 : 6 * k] = [*-t, *-np.cross([*corner, 0.5], t)]
        return J

    normal = [row(k, c, np.eye(3)[2]) for k in range(bodies) for c in corners]
    tangent = [row(k, c, t) for k in range(bodies) for c in corners for t in np.eye(3)[:2]]
    J, n = np.array(normal + tangent), 4 * bodies
    v = np.tile([1e-3, 0.0, -h_g, 0.0, 0.0, 0.0], bodies)  # a little sliding, which friction can stop
    a = problem(J @ J.T, -J @ v, [0.0] * 3 * n, [INF] * 3 * n, friction=[(n + k, k // 2, 0.5) for k in range(2 * n)])
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert np.abs(v + J.T @ answer.p).max() <= ROUNDING
    loads = answer.p[:n].reshape(bodies, 4).sum(axis=1)
    np.testing.assert_allclose(loads, h_g * np.arange(bodies, 0, -1), rtol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_tables_with_many_legs_stand_and_are_pushed_without_an_add_on(seed):
    """Legs at random places depend on each other up to rounding only, which must not be taken for a motion."""
    random = np.random.default_rng(seed)
    legs, pushes = 4 + seed % 6, 1 + seed % 4
    at = np.column_stack([random.uniform(-1.0, 1.0, (legs, 2)), np.full(legs, -0.5)])
    J = np.concatenate([[[0.0, 0.0, 1.0, y, -x, 0.0] for x, y, _ in at], random.normal(size=(pushes, 6))])
    v = np.array([0.0, 0.0, -0.1, 0.0, 0.0, 0.0]) + 0.02 * random.normal(size=6)
    lo, hi = [0.0] * legs + [-0.03] * pushes, [INF] * legs + [0.03] * pushes
    a = problem(J * [1.0, 1.0, 1.0, 3.0, 2.5, 2.0] @ J.T, -J @ v, lo, hi)
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


def test_bounded_row_that_repeats_an_equality_saturates_or_rests():
    """A motor on a locked joint: the velocity is given already. It rests if it agrees and gives all it has if not."""
    A = np.ones((2, 2))
    agrees = solve(run_dantzig, problem(A, [1.0, 1.0], [-INF, -2.0], [INF, 3.0], 1))
    assert agrees.status == SOLVED
    np.testing.assert_array_equal(agrees.p, [1.0, 0.0])
    differs = solve(run_dantzig, problem(A, [1.0, 1.5], [-INF, -2.0], [INF, 3.0], 1))
    assert differs.status == SOLVED
    np.testing.assert_allclose(differs.p, [-2.0, 3.0], rtol=1e-15)


@pytest.mark.parametrize(("limit", "expected"), [(5.0, [1.0, 3.0, -3.5]), (2.0, [1.0, 2.0, -3.0])])
def test_row_that_rests_takes_over_when_the_one_it_repeats_saturates(limit, expected):
    """Two motors on one axis (limits 1 and `limit`); the second has nothing to do until the last row pulls."""
    A = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]]
    answer = solve(run_dantzig, problem(A, [0.5, 0.5, -3.0], [-1.0, -limit, -INF], [1.0, limit, INF]))
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.p, expected, rtol=1e-15)


def test_fixed_rows_cost_no_pivots():
    """They only shift the right-hand side of the others."""
    a, fixed = random_problem(12, 24, 4, kinds=["motor"]), slice(4, 14)
    a.lo[fixed] = a.hi[fixed] = 0.3 * np.sign(np.random.default_rng(3).normal(size=10))
    keep = np.r_[0:4, 14:24]
    beta = a.beta - a.A[:, fixed] @ a.hi[fixed]
    b = problem(a.A[np.ix_(keep, keep)], beta[keep], a.lo[keep], a.hi[keep], 4)
    pivots = []
    for x in (a, b):
        n, work = len(x.beta), dantzig_work(len(x.beta))
        assert run_dantzig(*x[:6], n, 4, np.zeros(n), np.zeros(n), work) == SOLVED
        pivots.append(work.pivots[0])
    assert pivots[0] == pivots[1] > 5


def test_distance_lost_by_rounding_is_no_step_backwards():
    assert ratio(-1e-18, 2.0) == 0.0
    assert ratio(3.0, 2.0) == 1.5


@pytest.mark.parametrize("seed", range(10))
def test_contact_that_contradicts_equalities_is_reported(seed):
    """It repeats three joint rows up to rounding and wants another velocity: no impulse, however large, gives it."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(4, 6))
    J[3] = random.normal(size=3) @ J[:3]
    beta = J @ random.normal(size=6) + [0.0, 0.0, 0.0, 1.0]
    a = problem(J @ J.T, beta, [-INF, -INF, -INF, 0.0], [INF] * 4, 3)
    assert solve(run_dantzig, a).status == UNBOUNDED


def test_contact_that_nearly_repeats_a_free_row_needs_the_ladder():
    """Directions 1e-7 apart leave a pivot of 1e-14; the contact must open against the motor that holds it."""
    J = np.array([[1.0, 0.0], [1.0, 1e-7], [0.0, 1.0]])
    a = problem(J @ J.T, [0.0, -1e-9, -1.0], [-10.0, 0.0, -10.0], [10.0, INF, 10.0])
    assert solve(run_dantzig, a).status == SINGULAR
    answer = solve(run_ladder, a, 0.0)
    assert answer.status == 1
    assert answer.p[2] == pytest.approx(-1.0, rel=2.0 * LADDER_FIRST)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_solution_that_touches_its_bounds_without_pressing(n):
    """beta = A p for a p with half its rows at a bound: w = 0 everywhere, and rounding decides on either side."""
    for seed in range(120):
        a, random = random_problem(seed, n, kinds=["motor"]), np.random.default_rng(seed)
        p = random.uniform(a.lo, a.hi)
        p[::2] = np.where(random.random(len(p[::2])) < 0.5, a.lo[::2], a.hi[::2])
        answer = solve(run_dantzig, a._replace(beta=a.A @ p))
        assert answer.status == SOLVED
        # cond(A) <= 1e5 after scaling, rounding 1e-15
        np.testing.assert_allclose(answer.p, p, rtol=0.0, atol=1e-9 * np.abs(p).max())
        assert complementary(answer)


def test_contact_on_fixed_bodies_is_left_alone():
    """A row of zeros in A: nothing can move, and nothing pushes."""
    a = problem([[2.0, 0.0], [0.0, 0.0]], [1.0, -0.1], [0.0, 0.0], [INF, INF])
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_array_equal(answer.p, [0.5, 0.0])
    assert boxed_residual(*a[:4], answer.p, 2) == 0.0


def test_impossible_contact_is_reported():
    """Zero compliance and a wanted separation: no finite impulse gives it."""
    assert solve(run_dantzig, problem([[0.0]], [1.0], [0.0], [INF])).status == UNBOUNDED


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_redundant_equalities_are_reported(scale):
    """The first dependent pivot is rounding of either sign; neither may pass for a pivot."""
    for seed in range(10):
        J = np.random.default_rng(seed).normal(size=(7, 6)) * scale
        a = problem(J @ J.T, np.ones(7), np.full(7, -INF), np.full(7, INF), 7)
        assert solve(run_dantzig, a).status == SINGULAR


@examples
@given(SEEDS, st.integers(2, 12), st.integers(1, 8))
def test_rank_deficient_contacts_are_solved(seed, n, rank):
    """Integer Jacobians are exactly dependent and full of ties; beta = J v can be met, so that a solution exists."""
    random = np.random.default_rng(seed)
    J = random.integers(-1, 2, (n, rank)).astype(float)
    a = problem(J @ J.T, J @ random.integers(-2, 3, rank), np.zeros(n), np.full(n, INF))
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)


# --- friction --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_friction_bounds_come_once_from_the_frictionless_impulses(seed):
    a = contact_problem(seed, 6, 2, 4)
    first = 6 + 2 + 4
    smooth = Problem(np.ascontiguousarray(a.A[:first, :first]), *(x[:first] for x in a[1:6]), 6)
    impulses = solve(run_dantzig, smooth).p
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.hi[first:], 0.5 * np.repeat(impulses[8:first], 2), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(answer.lo[first:], -answer.hi[first:])
    assert residual(a, answer) <= ROUNDING
    assert complementary(answer)
    assert np.isinf(a.hi[first:]).all()  # the caller's bounds stay as they were


def test_friction_without_a_normal_impulse_is_zero():
    a = problem(np.eye(2) + 0.5, [-1.0, 3.0], [0.0, 0.0], [INF, INF], friction=[(1, 0, 0.8)])
    answer = solve(run_dantzig, a)
    assert answer.status == SOLVED
    np.testing.assert_array_equal(answer.p, [0.0, 0.0])


def test_friction_may_refer_to_an_unlimited_row_of_either_sign():
    """Friction of a joint: bounds from the size of its reaction."""
    for reaction in (2.0, -2.0):
        a = problem(np.diag([2.0, 1.0]), [2.0 * reaction, 5.0], [-INF, 0.0], [INF, 0.0], 1, [(1, 0, 0.25)])
        np.testing.assert_allclose(solve(run_dantzig, a).p, [reaction, 0.5], rtol=1e-15)


@pytest.mark.parametrize(
    "friction",
    [[(1, 2, 0.5), (2, 0, 0.5)], [(1, 0, 0.5)], [(2, 2, 0.5)], [(2, 9, 0.5)], [(2, 0, -0.5)], [(2, 0, INF)]],
    ids=["refers to friction", "not last", "refers to itself", "refers outside", "negative", "infinite"],
)
def test_friction_that_makes_no_sense_is_refused(friction):
    assert solve(run_dantzig, problem(np.eye(3), np.ones(3), np.zeros(3), np.ones(3), 0, friction)).status == INVALID


# --- input that is not a problem -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A", "beta", "lo", "hi", "mu"])
@pytest.mark.parametrize("value", [np.nan, INF, -INF])
@pytest.mark.parametrize("row", [0, 6, 9, 15])
def test_nan_and_infinity_fail_and_do_not_hang(name, value, row):
    a = contact_problem(2, 6, 2, 4)
    a = a._replace(**{name: getattr(a, name).copy()})
    getattr(a, name)[row] = value
    not_read = (name in ("lo", "hi") and not 6 <= row < 12) or (name == "mu" and row < 12)
    one_sided = (name, value) in [("lo", -INF), ("hi", INF)]
    with np.errstate(all="ignore"):  # interpreted, infinities in A speak of themselves
        answer, rescued = solve(run_dantzig, a), solve(run_ladder, a, 1e-9)
    if not_read or one_sided:
        assert answer.status == SOLVED
    else:
        assert answer.status == INVALID
        assert rescued.status == BALLISTIC
        assert (rescued.p == 0.0).all()


@pytest.mark.parametrize(("i", "j"), [(0, 3), (2, 9), (7, 8), (9, 15), (15, 9)])
def test_nan_beside_the_diagonal_fails_and_does_not_hang(i, j):
    a = contact_problem(2, 6, 2, 4)
    a.A[i, j] = np.nan
    assert solve(run_dantzig, a).status != SOLVED
    assert solve(run_ladder, a, 0.0).status == BALLISTIC


def test_crossed_bounds_are_refused():
    assert solve(run_dantzig, problem(np.eye(1), [0.0], [1.0], [-1.0])).status == INVALID


def test_pivots_are_counted_and_limited(monkeypatch):
    a = random_problem(3, 12)
    monkeypatch.setattr(dantzig_pivot, "PIVOTS_LEAST", 0)
    monkeypatch.setattr(dantzig_pivot, "PIVOTS_PER_ROW", 0)
    assert solve(run_dantzig, a, python=True).status == PIVOT_LIMIT


def test_pivots_stay_far_below_their_limit():
    a = contact_problem(1, 20, 10, 30)
    n = len(a.beta)
    work = dantzig_work(n)
    assert run_dantzig(*a[:6], n, 20, np.zeros(n), np.zeros(n), work) == SOLVED
    assert 20 < work.pivots[0] < 2 * n


# --- the factor of the free rows -------------------------------------------------------------------------------------


def test_factor_follows_its_set_through_appends_and_removals():
    random, n = np.random.default_rng(9), 14
    work = dantzig_work(n)
    B = random.normal(size=(n, n))
    S = B @ B.T + 0.1 * np.eye(n)
    work.F[:], work.diagonal[:] = S, S.diagonal()
    members = []
    for _ in range(200):
        i = int(random.integers(n))
        if i in members:
            factor_remove(work, members.index(i), len(members))
            members.remove(i)
        else:
            d = factor_column(work, i, len(members))
            factor_append(work, i, len(members), d)
            members.append(i)
        m = len(members)
        assert list(work.members[:m]) == members
        L = np.triu(work.L[:m, :m], 1).T + np.eye(m)
        # 200 updates of a condition of some 1e3, each good to n eps |S|
        np.testing.assert_allclose(
            L * work.L.diagonal()[:m] @ L.T, S[np.ix_(members, members)], rtol=0.0, atol=1e-12 * S.max()
        )


# --- the ladder ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_redundant_equalities_take_one_rung_whatever_the_masses(scale):
    J = np.random.default_rng(6).normal(size=(9, 6))
    v = np.arange(1.0, 7.0)
    a = problem(scale * J @ J.T, J @ v, np.full(9, -INF), np.full(9, INF), 9)
    before = a.A.copy()
    answer = solve(run_ladder, a, 0.0)
    assert answer.status == 1
    np.testing.assert_array_equal(a.A, before)
    add_on = LADDER_FIRST * a.A.diagonal().mean()
    np.testing.assert_allclose(a.A @ answer.p - a.beta, -add_on * answer.p, rtol=0.0, atol=1e-11 * size(a, answer.p))


def test_relative_add_on_spares_the_ladder():
    J = np.random.default_rng(6).normal(size=(9, 6))
    a = problem(J @ J.T, J @ np.ones(6), np.full(9, -INF), np.full(9, INF), 9)
    answer = solve(run_ladder, a, 1e-9)
    assert answer.status == 0
    # the redundant directions cost cond = 1e9 of the 1e-16; the velocity error is the add-on times p
    assert residual(a, answer) <= 1e-8


def test_regular_problem_is_the_first_try():
    a = random_problem(11, 20, 6)
    rung, plain = solve(run_ladder, a, 0.0), solve(run_dantzig, a)
    assert rung.status == 0
    np.testing.assert_array_equal(rung.p, plain.p)
    np.testing.assert_array_equal(rung.w, plain.w)


@pytest.mark.parametrize(("lowest", "rung"), [(-0.9e-4, 1), (-1.1e-4, 2), (-1e-3, 5), (-0.05, 10), (-0.06, BALLISTIC)])
def test_each_rung_doubles_the_add_on(lowest, rung):
    """Eigenvalues 1 and `lowest` (1 + ... so that the mean diagonal is 1) need an add-on above -lowest."""
    values = np.array([lowest, 1.0, 1.0, 2.0 - lowest])
    H = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2.0
    a = problem(H * values @ H.T, [1.0, 2.0, 3.0, 4.0], [-INF] * 4, [INF] * 4, 4)
    assert a.A.diagonal().mean() == pytest.approx(1.0, rel=1e-15)
    answer = solve(run_ladder, a, 0.0)
    assert answer.status == rung
    assert np.any(answer.p != 0.0) == (rung != BALLISTIC)


def test_ballistic_step_has_no_impulse():
    a = problem(-np.eye(2), [1.0, 2.0], [0.0, -INF], [INF, INF])
    answer = solve(run_ladder, a, 0.0)
    assert answer.status == BALLISTIC
    np.testing.assert_array_equal(answer.p, [0.0, 0.0])
    np.testing.assert_array_equal(answer.w, [-1.0, -2.0])


# --- the code --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [(), (1e-9,)], ids=["dantzig", "ladder"])
def test_compiled_gives_the_same_bits_as_python(extra):
    one = run_ladder if extra else run_dantzig
    for a in (random_problem(21, 13, 6), contact_problem(3, 5, 2, 2), random_problem(22, 9, 0, spread=6.0)):
        for compiled, interpreted in zip(solve(one, a, *extra), solve(one, a, *extra, python=True)):
            np.testing.assert_array_equal(compiled, interpreted)


@pytest.mark.skipif(not ENABLED, reason="GELENK_COMPILE=0: nothing is compiled, so there is no LLVM code to look at")
@pytest.mark.parametrize("extra", [(), (1e-9,)], ids=["dantzig", "ladder"])
def test_code_neither_allocates_nor_counts_references(extra):
    one = run_ladder if extra else run_dantzig
    assert solve(one, random_problem(1, 5, 2), *extra).status == 0
    for code in one.dispatcher.inspect_llvm().values():
        assert "fmul" in code
        assert "NRT_" not in code


# --- the residual ----------------------------------------------------------------------------------------------------


def test_residual_is_the_velocity_a_row_still_misses():
    A, beta = np.array([[2.0, 1.0], [1.0, 4.0]]), np.array([1.0, 2.0])
    lo, hi = np.array([0.0, -1.0]), np.array([INF, 1.0])
    # p = 0: row 0 misses 1, row 1 misses 2 and could take it (p = 0.5 within its bounds)
    assert boxed_residual(A, beta, lo, hi, np.zeros(2), 2) == 2.0
    # an upper bound of 0.25 lets row 1 answer for only 0.25 * 4 of them
    assert boxed_residual(A, beta, lo, np.array([INF, 0.25]), np.zeros(2), 2) == 1.0
    # rows that pull are excused at their lower bound
    assert boxed_residual(A, -beta, np.zeros(2), hi, np.zeros(2), 2) == 0.0
    # and an impulse outside its bounds counts with the velocity it makes
    assert boxed_residual(A, A @ [-1.0, 0.0], lo, hi, np.array([-1.0, 0.0]), 2) == 2.0


def test_residual_of_nan_is_not_small():
    A, bounds = np.eye(2), np.ones(2)
    assert not boxed_residual(A, np.array([np.nan, 0.0]), -bounds, bounds, np.zeros(2), 2) <= 1.0
