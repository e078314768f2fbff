"""Sparse LDL^T: fill, addresses, backward error, dependent rows, the limit of the passes, bits.

EPS = 2 u stands for the rounding unit u in the bounds; the factor of two covers the residual, which is computed in
double precision too.
"""

import numpy as np
import pytest

from gelenk.compile import ENABLED, kernel
from gelenk.errors import InputError
from gelenk.solvers.sparse_ldlt import (
    DEPENDENT,
    RELATIVE,
    sparse_entry,
    sparse_factorise,
    sparse_refine,
    sparse_solve,
    sparse_work,
)
from gelenk.solvers.sparse_symbolic import sparse_pattern, stored_values

EPS = 2.0**-52


@kernel
def factorise_and_solve(pattern, values, relative, dependent, x, work):
    """Both in one call; the number of dropped rows."""
    dropped = sparse_factorise(pattern, values, relative, dependent, work)
    if dropped >= 0:
        sparse_solve(pattern, values, x, work)
    return dropped


@kernel
def factorise_and_refine(pattern, values, relative, dependent, b, x, tolerance, passes, work):
    """Both in one call; the residual, or -1 if a number is not finite."""
    if sparse_factorise(pattern, values, relative, dependent, work) < 0:
        return -1.0
    return sparse_refine(pattern, values, b, x, tolerance, passes, work)


# --- systems of bodies and joints ------------------------------------------------------------------------------------


def chain(n):
    """Joint k holds body k to body k - 1; -1 is the world."""
    return [(k - 1, k) for k in range(n)]


def binary_tree(n):
    return [((k - 1) // 2 if k else -1, k) for k in range(n)]


def star(n):
    return [(0, k + 1) for k in range(n)]


def random_tree(n, seed=3):
    random = np.random.default_rng(seed)
    return [(int(random.integers(-1, k)), k) for k in range(n)]


def linked_stars(n):
    """Two bodies with n leaves each, joined by a chain."""
    middle = [(k, k + 1) for k in range(4)]
    return middle + [(end, 10 + k + n * (end > 0)) for end in (0, 4) for k in range(n)]


def ring(n):
    return [(k, (k + 1) % n) for k in range(n)]


def net(m):
    """m x m bodies, each joined with its neighbours."""
    across = [(m * i + j, m * i + j + 1) for i in range(m) for j in range(m - 1)]
    return across + [(m * i + j, m * i + m + j) for i in range(m - 1) for j in range(m)]


def doubled(joints):
    """Every joint twice, as for a hinge of two parts."""
    return [joint for joint in joints for _ in range(2)]


TREES = {
    "one": chain(1),
    "chain": chain(12),
    "binary tree": binary_tree(31),
    "random tree": random_tree(40),
    "star": star(50),
    "linked stars": linked_stars(6),
    "double chain": doubled(chain(8)),
    "forest": chain(5) + [(a + 20, b + 20) for a, b in star(4)],
}
LOOPS = {"ring": ring(9), "net": net(6), "double net": doubled(net(3)), "ring of two": ring(2)}
SYSTEMS = {**TREES, **LOOPS}


def couplings(joints):
    """Pairs of joints with a common body, once a body and in both directions."""
    on_body = {}
    for k, bodies in enumerate(joints):
        for body in bodies:
            if body >= 0:
                on_body.setdefault(body, []).append(k)
    pairs = [(a, b) for group in on_body.values() for i, a in enumerate(group) for b in group[i + 1 :]]
    return [pair if k % 2 else pair[::-1] for k, pair in enumerate(pairs)]


def mixed_sizes(joints):
    return [k * 5 % 6 + 1 for k in range(len(joints))]


def rows_of(sizes):
    """First row of each block, and the number of rows."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(int)


def random_matrix(joints, sizes, seed=1):
    """J M^-1 J^T + C with random J, 6 coordinates a body, and a small compliance that makes it definite."""
    random = np.random.default_rng(seed)
    start = rows_of(sizes)
    J = np.zeros((start[-1], 6 * (1 + max(b for bodies in joints for b in bodies))))
    for k, bodies in enumerate(joints):
        for body in bodies:
            if body >= 0:
                J[start[k] : start[k + 1], 6 * body : 6 * body + 6] = random.normal(size=(sizes[k], 6))
    inv_mass = 10.0 ** random.uniform(-1.0, 1.0, J.shape[1])
    A = J * inv_mass @ J.T + 0.1 * np.eye(start[-1])
    return 0.5 * (A + A.T)  # symmetric to the last bit


def put(values, address, k, block):
    for r in range(block.shape[0]):
        for c in range(block.shape[1]):
            values[sparse_entry(address, k, r, c)] += block[r, c]


def assemble(pattern, A, sizes, pairs):
    """Values of A; a pair that occurs m times gets its block in m equal parts."""
    start, values = rows_of(sizes), np.zeros(stored_values(pattern))
    count = {}
    for i, j in pairs:
        count[frozenset((i, j))] = count.get(frozenset((i, j)), 0) + 1
    for k in range(len(sizes)):
        put(values, pattern.diagonal, k, A[start[k] : start[k + 1], start[k] : start[k + 1]])
    for k, (i, j) in enumerate(pairs):
        put(values, pattern.pair, k, A[start[i] : start[i + 1], start[j] : start[j + 1]] / count[frozenset((i, j))])
    return values


def system(joints, sizes, A=None):
    pairs = couplings(joints)
    pattern = sparse_pattern(sizes, pairs)
    A = random_matrix(joints, sizes) if A is None else A
    return pattern, A, assemble(pattern, A, sizes, pairs)


def dense_matrix(A, size):
    """The pattern of a matrix as one block: everything dense."""
    pattern = sparse_pattern([size], [])
    return pattern, assemble(pattern, A, [size], [])


def lower_triangle(pattern, values):
    """Values as a dense lower triangle in order of elimination, NaN where nothing is stored."""
    n = len(pattern.order)
    L = np.full((n, n), np.nan)
    for p in range(len(pattern.column) - 1):
        columns = np.arange(pattern.column[p], pattern.column[p + 1])
        rows = np.concatenate([columns, pattern.rows[pattern.row_start[p] : pattern.row_start[p + 1]]]).astype(int)
        panel = values[pattern.value[p] : pattern.value[p + 1]].reshape(len(columns), len(rows))
        L[rows[:, None], columns] = panel.T
    L[np.triu_indices(n, 1)] = np.nan
    return L


def entries(pattern):
    """Number of entries in the lower triangle of the factor."""
    return int(np.isfinite(lower_triangle(pattern, np.zeros(stored_values(pattern)))).sum())


def entries_of_matrix(joints, sizes):
    """Number of entries in the lower triangle of the matrix."""
    pairs = {frozenset(pair) for pair in couplings(joints)}
    return sum(s * (s + 1) // 2 for s in sizes) + sum(int(np.prod([sizes[k] for k in pair])) for pair in pairs)


# --- pattern ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joints", TREES.values(), ids=TREES)
def test_trees_of_bodies_have_no_fill(joints):
    sizes = mixed_sizes(joints)
    assert entries(sparse_pattern(sizes, couplings(joints))) == entries_of_matrix(joints, sizes)


def test_storage_of_a_long_chain_is_linear():
    pattern = sparse_pattern([3] * 1000, couplings(chain(1000)))
    assert stored_values(pattern) <= 2 * 1000 * 9  # two blocks of nine values a joint
    indices = sum(a.size for a in pattern[:8])  # without the addresses of the input
    assert indices <= 12 * 1000


def test_a_ring_has_the_least_fill_that_it_can():
    n = 60
    # n blocks, n couplings, and the n - 3 chords that cut a ring into triangles
    assert entries(sparse_pattern([1] * n, couplings(ring(n)))) == n + n + n - 3


def test_order_reduces_the_fill_of_a_net():
    pairs, n = couplings(net(24)), len(net(24))
    given = np.eye(n, dtype=bool)
    given[tuple(np.array(pairs).T)] = True
    in_given_order = fill(given | given.T).sum()  # grows with n^(3/2), that of a good order with n log n
    assert entries(sparse_pattern([1] * n, pairs)) < 0.5 * in_given_order


def fill(coupled):
    """Lower triangle of the factor of a matrix with these entries, eliminated as they stand."""
    filled = coupled.copy()
    for k in range(len(filled)):
        below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
        filled[np.ix_(below, below)] = True
    return np.tril(filled)


@pytest.mark.parametrize("joints", SYSTEMS.values(), ids=SYSTEMS)
def test_pattern_is_that_of_elimination(joints):
    """Neither an entry that elimination makes is missing, nor is one stored that stays zero."""
    sizes = mixed_sizes(joints)
    pattern, A, _ = system(joints, sizes)
    assert sorted(pattern.order) == list(range(sum(sizes)))
    coupled = A[np.ix_(pattern.order, pattern.order)] != 0.0
    stored = np.isfinite(lower_triangle(pattern, np.zeros(stored_values(pattern))))
    np.testing.assert_array_equal(stored, fill(coupled))


@pytest.mark.parametrize("seed", range(20))
def test_pattern_of_random_couplings_is_that_of_elimination(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 40))
    pairs = random.integers(0, n, (int(random.integers(0, 3 * n)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    sizes = random.integers(1, 4, n)
    start = rows_of(sizes)
    coupled = np.zeros((start[-1], start[-1]), dtype=bool)
    for i, j in [*pairs.tolist(), *((k, k) for k in range(n))]:
        coupled[start[i] : start[i + 1], start[j] : start[j + 1]] = True
        coupled[start[j] : start[j + 1], start[i] : start[i + 1]] = True
    pattern = sparse_pattern(sizes, pairs)
    stored = np.isfinite(lower_triangle(pattern, np.zeros(stored_values(pattern))))
    np.testing.assert_array_equal(stored, fill(coupled[np.ix_(pattern.order, pattern.order)]))


@pytest.mark.parametrize("joints", SYSTEMS.values(), ids=SYSTEMS)
def test_blocks_arrive_where_they_belong(joints):
    pattern, A, values = system(joints, mixed_sizes(joints))
    expected = np.tril(A[np.ix_(pattern.order, pattern.order)])
    # halves of a block that is given twice add up exactly
    np.testing.assert_array_equal(np.nan_to_num(lower_triangle(pattern, values)), expected)


def test_entries_above_the_diagonal_are_never_read():
    pattern, A, values = system(net(4), mixed_sizes(net(4)))
    places = lower_triangle(pattern, np.arange(len(values), dtype=float))
    above = np.ones(len(values), dtype=bool)
    above[places[np.isfinite(places)].astype(int)] = False
    assert above.any()
    spoilt, b = values.copy(), np.random.default_rng(2).normal(size=len(A))
    spoilt[above] = np.nan
    found = []
    for given in (values, spoilt):
        x = np.zeros(len(A))
        found.append(factorise_and_refine(pattern, given, RELATIVE, DEPENDENT, b, x, 1e-14, 3, sparse_work(pattern)))
        found.append(x)
    assert found[0] == found[2]
    np.testing.assert_array_equal(found[1], found[3])


def test_nothing_to_solve():
    pattern = sparse_pattern([], [])
    work, x = sparse_work(pattern), np.zeros(0)
    assert factorise_and_solve(pattern, np.zeros(0), 0.0, DEPENDENT, x, work) == 0
    assert factorise_and_refine(pattern, np.zeros(0), RELATIVE, DEPENDENT, x, x, 1e-12, 3, work) == 0.0


@pytest.mark.parametrize(
    ("sizes", "pairs", "message"),
    [
        ([3, 0], [], r"block 1: 0 rows"),
        ([3, 3], [(0, 1), (1, 1)], r"pair 1: couples \(1, 1\)"),
        ([3, 3], [(0, 2)], r"two different blocks from 0 to 1"),
        ([3, 3], [(-1, 0)], r"pair 0"),
    ],
)
def test_what_is_no_pattern_is_refused(sizes, pairs, message):
    with pytest.raises(InputError, match=message):
        sparse_pattern(sizes, pairs)


@pytest.mark.parametrize(
    ("joints", "most"),
    [(chain(10_000), 2), (random_tree(10_000), 5), (net(71), 26)],
    ids=["chain", "random tree", "net"],
)
def test_ten_thousand_blocks_are_laid_out_with_little_fill(joints, most):
    """Values of the factor, in blocks a joint: 2 of a chain and 3 of this tree do not fill, but for what panels pad; a

    net of n crossings fills up to n log n, which is 13 n here, times a factor of some two (A. George 1973).
    """
    pattern = sparse_pattern([3] * len(joints), couplings(joints))
    assert len(pattern.order) == 3 * len(joints)
    assert pattern.value[-1] <= 9 * most * len(joints) + 9


# --- factor and solution ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joints", SYSTEMS.values(), ids=SYSTEMS)
def test_factor_and_solution_have_the_backward_error_of_the_textbook(joints):
    pattern, A, values = system(joints, mixed_sizes(joints))
    n = len(A)
    b = np.random.default_rng(2).normal(size=n)
    x, work = b.copy(), sparse_work(pattern)
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, work) == 0

    # |L D L^T - A|_ij <= (n + 1) u (|L| |D| |L^T|)_ij <= (n + 1) u sqrt(a_ii a_jj): Higham, Accuracy and Stability of
    # Numerical Algorithms (2nd ed.), theorem 10.3; one u more for the pivot as 1/d
    L = np.nan_to_num(np.tril(lower_triangle(pattern, values), -1)) + np.eye(n)
    A_ordered = A[np.ix_(pattern.order, pattern.order)]
    root = np.sqrt(A_ordered.diagonal())
    assert (np.abs(L * work.pivot @ L.T - A_ordered) <= (n + 2) * EPS * np.outer(root, root)).all()

    # |b - A x| <= (3 n + 3) u sqrt(a_ii) sum_j sqrt(a_jj) |x_j|: theorem 10.4, with the same u more
    root = np.sqrt(A.diagonal())
    assert (np.abs(b - A @ x) <= (3 * n + 3) * EPS * root * (root @ np.abs(x))).all()


@pytest.mark.parametrize("joints", SYSTEMS.values(), ids=SYSTEMS)
def test_solution_agrees_with_numpy(joints):
    pattern, A, values = system(joints, mixed_sizes(joints))
    b = np.random.default_rng(2).normal(size=len(A))
    x = b.copy()
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, sparse_work(pattern)) == 0
    expected = np.linalg.solve(A, b)
    # two backward errors of about 3 n u |A|, brought to x by the condition number
    bound = 6 * len(A) * EPS * np.linalg.cond(A) * np.linalg.norm(expected)
    assert np.linalg.norm(x - expected) <= bound


def test_one_factor_serves_many_right_hand_sides():
    pattern, A, values = system(net(4), mixed_sizes(net(4)))
    work, n = sparse_work(pattern), len(A)
    x = np.zeros(n)
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, work) == 0
    assert (x == 0.0).all()
    inverse = np.eye(n)
    for row in inverse:
        sparse_solve(pattern, values, row, work)
    assert np.linalg.norm(A @ inverse - np.eye(n)) <= 6 * n * EPS * np.linalg.cond(A) * np.sqrt(n)


def test_units_of_rows_do_not_matter():
    """Rows in other units, by powers of two: the same bits in those units, nothing dropped."""
    joints = net(3)
    sizes = mixed_sizes(joints)
    pattern, A, values = system(joints, sizes)
    unit = 2.0 ** np.random.default_rng(5).integers(-40, 40, len(A))
    _, _, scaled = system(joints, sizes, unit[:, None] * A * unit)
    b = np.random.default_rng(2).normal(size=len(A))
    x, x_scaled = b.copy(), unit * b
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, sparse_work(pattern)) == 0
    assert factorise_and_solve(pattern, scaled, 0.0, DEPENDENT, x_scaled, sparse_work(pattern)) == 0
    np.testing.assert_array_equal(unit * x_scaled, x)


# --- dependent rows --------------------------------------------------------------------------------------------------


def repeated(A, copies):
    """Matrix of a system in which every row occurs ``copies`` times in a row."""
    return np.repeat(np.repeat(A, copies, axis=0), copies, axis=1)


def test_dependent_rows_are_counted_and_carry_nothing():
    joints = chain(6)
    A = repeated(random_matrix(joints, [3] * 6), 2)
    pattern, A, values = system(joints, [6] * 6, A)
    b = A @ np.random.default_rng(4).normal(size=len(A))
    x = b.copy()
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, sparse_work(pattern)) == 18
    assert (x == 0.0).sum() == 18
    # the kept rows are a regular system of half the size; the others are met because they are the same
    bound = 6 * len(A) * EPS * np.linalg.norm(A, 2) * np.linalg.norm(x)
    assert np.linalg.norm(b - A @ x) <= bound


def test_a_row_without_response_is_dropped():
    """A joint between two static bodies: zero row and column."""
    pattern, A, values = system(chain(4), [3] * 4)
    first = sparse_entry(pattern.diagonal, 2, 0, 0)
    A[6:9], A[:, 6:9] = 0.0, 0.0
    pattern, A, values = system(chain(4), [3] * 4, A)
    assert values[first] == 0.0
    x = np.ones(12)
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, x, sparse_work(pattern)) == 3
    assert (x[6:9] == 0.0).all()
    kept = np.r_[0:6, 9:12]
    np.testing.assert_allclose(A[np.ix_(kept, kept)] @ x[kept], 1.0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_reported(wrong):
    joints = net(3)
    sizes = mixed_sizes(joints)
    pattern, A, values = system(joints, sizes)
    stored = np.isfinite(lower_triangle(pattern, np.arange(len(values), dtype=float)))
    places = lower_triangle(pattern, np.arange(len(values), dtype=float))[stored].astype(int)
    for place in places[::7]:
        broken = values.copy()
        broken[place] = wrong
        with np.errstate(all="ignore"):  # interpreted, NumPy would warn of inf - inf
            assert factorise_and_solve(pattern, broken, 0.0, DEPENDENT, np.ones(len(A)), sparse_work(pattern)) == -1


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def four_bar():
    """Jacobian of a spatial four-bar with hinges about y: 20 rows for 18 coordinates, and yet it moves.

    Points on both bodies coincide, and the axis of one is at right angles to two directions of the other.
    """
    points = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 1.0], [1.7, 0.0, 1.2], [2.0, 0.0, 0.0]])
    centres = 0.5 * (points[1:] + points[:-1])
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    J = np.zeros((20, 18))
    for k in range(4):
        rows = J[5 * k : 5 * k + 5]
        for body, sign in ((k - 1, -1.0), (k, 1.0)):
            if 0 <= body < 3:
                at = rows[:, 6 * body : 6 * body + 6]
                at[:3, :3] = sign * np.eye(3)
                at[:3, 3:] = -sign * skew(points[k] - centres[body])
                at[3:, 3:] = sign * across
    mass = np.concatenate([np.r_[m, m, m, 0.1 * m, 0.01 * m, 0.1 * m] for m in (1.0, 2.0, 1.5)])
    return J, 1.0 / mass


def four_bar_system():
    J, inv_mass = four_bar()
    joints = [(-1, 0), (0, 1), (1, 2), (2, -1)]
    pattern, A, values = system(joints, [5] * 4, J * inv_mass @ J.T)
    return J, inv_mass, pattern, A, values


def test_four_bar_has_three_redundant_rows():
    J, _, pattern, _, values = four_bar_system()
    assert np.linalg.matrix_rank(J) == 17  # one degree of freedom is left of 18
    assert factorise_and_solve(pattern, values, 0.0, DEPENDENT, np.ones(20), sparse_work(pattern)) == 3


def test_four_bar_moves_as_its_constraints_allow():
    """Redundant joints: a velocity is projected on what the joints allow, with impulses of least weighted size."""
    J, inv_mass, pattern, A, values = four_bar_system()
    v = np.random.default_rng(6).normal(size=18)
    b, x, work = -J @ v, np.zeros(20), sparse_work(pattern)
    residual = factorise_and_refine(pattern, values, RELATIVE, DEPENDENT, b, x, 1e-14, 8, work)
    assert residual <= 1e-12 * np.linalg.norm(b)
    after = v + inv_mass * (J.T @ x)
    assert np.linalg.norm(J @ after) <= 1e-12 * np.linalg.norm(b)
    expected = weighted_least(A, b)
    # round-off in the null space, EPS / RELATIVE of x a pass
    assert np.linalg.norm(x - expected) <= 8 * 20 * EPS / RELATIVE * np.linalg.norm(expected)


# --- the limit of the passes -----------------------------------------------------------------------------------------


def weighted_least(A, b):
    """Of all x that minimise  sum r_i^2 / a_ii,  r = b - A x, the one of least  sum a_ii x_i^2."""
    root = np.sqrt(A.diagonal())
    return np.linalg.pinv(A / np.outer(root, root), rcond=1e-10, hermitian=True) @ (b / root) / root


@pytest.mark.parametrize("copies", [2, 3])
@pytest.mark.parametrize("joints", [chain(5), binary_tree(7), ring(5), star(4)], ids=["chain", "tree", "ring", "star"])
def test_equal_rows_carry_equal_shares(joints, copies):
    n = len(joints)
    A = repeated(random_matrix(joints, [2] * n), copies)
    pattern, A, values = system(joints, [2 * copies] * n, A)
    b = A @ np.random.default_rng(4).normal(size=len(A))
    x = np.zeros(len(A))
    residual = factorise_and_refine(pattern, values, RELATIVE, DEPENDENT, b, x, 1e-14, 8, sparse_work(pattern))
    assert residual <= 1e-12 * np.linalg.norm(b)
    assert np.isfinite(x).all()
    shares = x.reshape(-1, copies)
    # round-off in the null space, EPS / RELATIVE of x a pass
    bound = 8 * len(A) * EPS / RELATIVE * np.linalg.norm(x)
    assert np.abs(shares - shares.mean(axis=1, keepdims=True)).max() <= bound
    assert np.linalg.norm(x - weighted_least(A, b)) <= bound


def test_what_no_impulse_can_mend_is_left_alone():
    """Two equal rows that ask for different velocities: least squares, and no impulse of 1 / RELATIVE."""
    joints = chain(4)
    A = repeated(random_matrix(joints, [3] * 4), 2)
    pattern, A, values = system(joints, [6] * 4, A)
    b = A @ np.ones(24)
    contradiction = np.tile([1e-3, -1e-3], 12)  # in the null space: A contradiction = 0
    x = np.zeros(24)
    residual = factorise_and_refine(
        pattern, values, RELATIVE, DEPENDENT, b + contradiction, x, 1e-14, 8, sparse_work(pattern)
    )
    assert residual == pytest.approx(np.linalg.norm(contradiction), rel=1e-6)
    # a pass turns round-off of the contradiction, EPS / RELATIVE of it, into 1 / RELATIVE times as much
    allowed = 8 * EPS / RELATIVE**2 * np.linalg.norm(contradiction / A.diagonal())
    assert np.linalg.norm(x - weighted_least(A, b)) <= allowed
    assert allowed < 1.0


def test_each_pass_has_the_factor_of_the_textbook():
    """A = [[1, s], [s, 1]] has t = 1 + s, 1 - s; a large ``relative`` makes the passes slow enough to see."""
    s, relative, passes = 0.6, 0.3, 4
    A = np.array([[1.0, s], [s, 1.0]])
    for t, direction in ((1.0 + s, np.array([1.0, 1.0])), (1.0 - s, np.array([1.0, -1.0]))):
        pattern, values = dense_matrix(A, 2)
        x = np.zeros(2)
        work = sparse_work(pattern)
        factorise_and_refine(pattern, values, relative, DEPENDENT, A @ direction, x, 0.0, 1, work)
        factor = 1.0 - (t / (t + relative)) ** 2
        np.testing.assert_allclose(x, (1.0 - factor) * direction, rtol=0.0, atol=8 * EPS)
        if factor < 0.5:  # else it ends: the residual no longer halves
            for _ in range(passes - 1):
                sparse_refine(pattern, values, A @ direction, x, 0.0, 1, work)
            np.testing.assert_allclose(x, (1.0 - factor**passes) * direction, rtol=0.0, atol=32 * EPS)


def test_null_space_of_the_start_is_untouched():
    A = repeated(random_matrix(chain(3), [2] * 3), 2)
    pattern, A, values = system(chain(3), [4] * 3, A)
    null = np.tile([1.0, -1.0], 6)
    b, x = A @ np.ones(12), null.copy()
    residual = factorise_and_refine(pattern, values, RELATIVE, DEPENDENT, b, x, 1e-14, 8, sparse_work(pattern))
    assert residual <= 1e-12 * np.linalg.norm(b)
    bound = 8 * 12 * EPS / RELATIVE * np.linalg.norm(x)
    assert np.linalg.norm(x - (null + weighted_least(A, b))) <= bound


def test_refinement_with_the_factor_of_the_matrix_itself():
    pattern, A, values = system(net(4), mixed_sizes(net(4)))
    b = np.random.default_rng(2).normal(size=len(A))
    x = np.zeros(len(A))
    residual = factorise_and_refine(pattern, values, 0.0, DEPENDENT, b, x, 1e-13, 5, sparse_work(pattern))
    assert residual <= 1e-13 * np.linalg.norm(b)
    assert np.linalg.norm(b - A @ x) <= 2e-13 * np.linalg.norm(b)


def test_matrix_is_kept_beside_its_factor():
    pattern, _, values = system(ring(5), [3] * 5)
    given, work = values.copy(), sparse_work(pattern)
    factorise_and_solve(pattern, values, RELATIVE, DEPENDENT, np.ones(15), work)
    np.testing.assert_array_equal(work.matrix, given)
    assert (values != given).any()


def test_a_refinement_that_is_not_finite_says_so():
    pattern, _, values = system(ring(5), [3] * 5)
    b = np.full(15, np.nan)
    residual = factorise_and_refine(
        pattern, values, RELATIVE, DEPENDENT, b, np.zeros(15), 1e-12, 5, sparse_work(pattern)
    )
    assert np.isnan(residual)


# --- code ------------------------------------------------------------------------------------------------------------


def run(solve, refine, joints=None):
    """Factor, both solutions and all that is returned, as bits."""
    joints = joints or doubled(net(3))
    pattern, A, values = system(joints, mixed_sizes(joints))
    b = np.random.default_rng(2).normal(size=len(A))
    work, direct, refined, again = sparse_work(pattern), b.copy(), np.zeros(len(A)), values.copy()
    dropped = solve(pattern, values, 0.0, DEPENDENT, direct, work)
    residual = refine(pattern, again, RELATIVE, DEPENDENT, b, refined, 1e-14, 4, work)
    numbers = np.concatenate([values, again, direct, refined, work.pivot, [float(dropped), residual]])
    return numbers.view(np.uint64)


def test_compiled_code_gives_the_same_bits_as_python():
    compiled = run(factorise_and_solve, factorise_and_refine)
    np.testing.assert_array_equal(compiled, run(factorise_and_solve.python, factorise_and_refine.python))


def test_two_runs_give_the_same_bits():
    one, two = (run(factorise_and_solve, factorise_and_refine, net(6)) for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.skipif(not ENABLED, reason="GELENK_COMPILE=0: nothing is compiled, so there is no LLVM code to look at")
@pytest.mark.parametrize("one", [factorise_and_solve, factorise_and_refine], ids=lambda one: one.python.__name__)
def test_compiled_code_neither_allocates_nor_counts_references(one):
    run(factorise_and_solve, factorise_and_refine, chain(2))
    for code in one.dispatcher.inspect_llvm().values():
        assert "fmul" in code  # this is the code, not a shell around it
        assert "NRT_" not in code
