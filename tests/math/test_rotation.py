"""Matrices and rotations: orthonormality, the ways between matrix, quaternion and rotation vector, half turns."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from strategies import (
    AXES,
    EPS,
    angles_near_pi,
    array,
    distance,
    examples,
    half_turns,
    matrices,
    numbers,
    rotation_vectors,
    size,
    tiny_angles,
    unit_axes,
    unit_quaternions,
    vectors,
)

from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import (
    get33,
    quat_from_axis_angle,
    quat_from_rotation,
    rotation,
    rotation_exp,
    rotation_log,
    rotation_matrix,
    skew,
)
from gelenk.math.vec3 import Vec3

# An entry of R(q) is a sum of a 1 and two products below 1, so rounded by at most 4 u = 2 EPS: 6 EPS for the matrix.
# |q| = 1 + EPS changes R^T R by 4 |v|^2 (|q|^2 - 1) <= 8 EPS.
ENTRY = 2 * EPS
ORTHONORMAL = 2 * 6 * EPS + 8 * EPS

# R back to q: each component is a difference or sum of entries, 4 entries at most with 3 roundings, so 10 EPS; it is
# divided by 4 |q_k| >= 2 with q_k the largest component; the norm of four at most doubles it; |q| - 1 adds 4 EPS.
BACK = 14 * EPS


# --- 3 x 3 matrices --------------------------------------------------------------------------------------------------


@examples
@given(matrices(), vectors())
def test_matrix_times_vector_is_that_of_numpy(A, v):
    bound = 3 * EPS * size(A) * size(v)  # a sum of three products a component, 3 u, for both of us
    np.testing.assert_allclose(A @ v, array(A) @ v, rtol=0, atol=bound)
    np.testing.assert_allclose(A.tdot(v), array(A).T @ v, rtol=0, atol=bound)


@examples
@given(matrices(), matrices())
def test_matrix_product_is_that_of_numpy(A, B):
    np.testing.assert_allclose(array(A.times(B)), array(A) @ array(B), rtol=0, atol=3 * EPS * size(A) * size(B))


@examples
@given(matrices(), vectors())
def test_transposed_swaps_rows_and_columns(A, v):
    np.testing.assert_array_equal(array(A.transposed()), array(A).T)
    assert A.transposed() @ v == A.tdot(v)


def exact_determinant(A):
    """By Leibniz' formula in rational numbers."""
    a = [[Fraction(x) for x in A[3 * i : 3 * i + 3]] for i in range(3)]
    total = Fraction(0)
    for i, j, k in itertools.permutations(range(3)):
        sign = (j - i) * (k - i) * (k - j) // 2
        total += sign * a[0][i] * a[1][j] * a[2][k]
    return total


@examples
@given(matrices())
def test_determinant_is_leibniz_formula(A):
    # 5 u on each of six products, whose sum is at most the product of the row sums, under |A|^3
    assert abs(Fraction(A.det()) - exact_determinant(A)) <= 5 * EPS * size(A) ** 3


@examples
@given(matrices(), matrices())
def test_determinant_of_a_product_is_the_product_of_determinants(A, B):
    # 5 u each side from the determinants, 3 * 3 u from the rounded product
    assert abs(A.times(B).det() - A.det() * B.det()) <= 10 * EPS * (size(A) * size(B)) ** 3


@examples
@given(matrices())
def test_inverse_undoes_the_matrix_from_both_sides(A):
    volume = abs(A.det())
    assume(volume > 1e-6 * size(A) ** 3)  # "well away from singular"
    # an entry of the adjugate is rounded by 2 u |A|^2, the determinant by 5 u |A|^3: 10 u |A|^3 / |det| a row
    bound = 10 * EPS * size(A) ** 3 / volume
    np.testing.assert_allclose(array(A) @ array(A.inv()), np.eye(3), rtol=0, atol=bound)
    np.testing.assert_allclose(array(A.inv()) @ array(A), np.eye(3), rtol=0, atol=bound)


@examples
@given(matrices())
def test_matrices_in_arrays_are_read_by_rows(A):
    stack = np.full((3, 3, 3), 7.0)
    stack[1] = array(A)
    assert get33(stack, 1) == A


@examples
@given(vectors(), vectors())
def test_skew_is_the_cross_product_as_a_matrix(a, b):
    assert distance(skew(a) @ b, a.cross(b)) <= 2 * EPS * size(a) * size(b)  # the same two products
    assert skew(a).transposed() == skew(-a)


@examples
@given(unit_quaternions(), vectors())
def test_skew_of_a_turned_vector_is_the_turned_skew(q, a):
    R = rotation(q)
    turned = R.times(skew(a)).times(R.transposed())
    # R is off by 6 EPS and orthonormal within 20 EPS, and enters three times; two products of 3 u a term
    np.testing.assert_allclose(array(turned), array(skew(R @ a)), rtol=0, atol=40 * EPS * size(a))


# --- quaternion to matrix --------------------------------------------------------------------------------------------


@examples
@given(unit_quaternions())
def test_rotation_is_orthonormal(q):
    R = array(rotation(q))
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=ORTHONORMAL)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=ORTHONORMAL)


@examples
@given(unit_quaternions())
def test_rotation_has_determinant_one(q):
    # the gradient of det is R itself, |R|_F = 1.74, and its entries are off by 6 EPS together: 11 EPS;
    # det = 1 + 4 |v|^2 (|q|^2 - 1): 8 EPS; evaluation: 3 EPS
    assert abs(rotation(q).det() - 1.0) <= 22 * EPS


@examples
@given(unit_quaternions(), unit_quaternions())
def test_quaternion_product_is_rotation_product(q_AB, q_BC):
    R_AC = rotation(q_AB).times(rotation(q_BC))
    # product off by 4 EPS, R at most four times as much; three matrices with ENTRY; |q| - 1: 45 EPS = 1e-14
    np.testing.assert_allclose(array(rotation(q_AB * q_BC)), array(R_AC), rtol=0, atol=1e-14)


@examples
@given(unit_quaternions(), vectors())
def test_rotation_is_the_sandwich_product(q, a):
    turned = q * Quat(0.0, a.x, a.y, a.z) * q.conj()
    # two products of 4 EPS; the matrix 6 EPS; |q| - 1 enters both, 2 EPS and 4 EPS
    assert distance(rotation(q) @ a, Vec3(turned.x, turned.y, turned.z)) <= 20 * EPS * size(a)


@examples
@given(unit_quaternions())
def test_opposite_quaternions_are_one_rotation_without_rounding(q):
    assert rotation(-q) == rotation(q)


@examples
@given(unit_quaternions())
def test_conjugate_quaternion_is_the_transposed_rotation_without_rounding(q):
    assert rotation(q.conj()) == rotation(q).transposed()


@examples
@given(unit_quaternions(), vectors(), vectors())
def test_rotation_keeps_scalar_and_vector_products(q, a, b):
    R = rotation(q)
    bound = 40 * EPS * size(a) * size(b)  # orthonormal within 20 EPS; three products with R, 3 * 3 u
    assert abs((R @ a) @ (R @ b) - a @ b) <= bound
    assert distance((R @ a).cross(R @ b), R @ a.cross(b)) <= bound


@examples
@given(rotation_vectors())
def test_rotation_vector_is_turned_into_itself(r):
    assert distance(rotation_exp(r) @ r, r) <= 10 * EPS * size(r)  # entries 6 EPS, product 3 u, |q| - 1 2 EPS


def test_quarter_turn_about_z_takes_x_to_y():
    R = rotation_exp(Vec3(0.0, 0.0, math.pi / 2))
    assert distance(R @ Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)) <= 2 * EPS


@examples
@given(st.lists(unit_quaternions(), min_size=1, max_size=5))
def test_array_form_is_the_value_form(qs):
    R = rotation_matrix(np.array(qs))
    assert R.shape == (len(qs), 3, 3)
    for one, q in zip(R, qs):
        np.testing.assert_allclose(one, array(rotation(q)), rtol=0, atol=ENTRY)
    np.testing.assert_array_equal(rotation_matrix(qs[0]), R[0])


# --- matrix to quaternion --------------------------------------------------------------------------------------------


def signed(q):
    """The sign that quat_from_rotation promises; with w = 0 both."""
    return [q, -q] if abs(q.w) <= BACK else [q] if q.w > 0.0 else [-q]


@pytest.mark.parametrize("largest", range(4), ids=["w", "x", "y", "z"])
@examples
@given(unit_quaternions())
def test_matrix_gives_the_quaternion_back_in_each_of_the_four_branches(largest, q):
    parts = list(q)
    at = max(range(4), key=lambda k: abs(parts[k]))
    parts[at], parts[largest] = parts[largest], parts[at]
    q = Quat(*parts)
    back = quat_from_rotation(rotation(q))
    assert back.w >= 0.0
    assert min(distance(back, p) for p in signed(q)) <= BACK
    assert abs(size(back) - 1.0) <= 3 * EPS  # 3 u the length, 1 u its inverse, 1 u the product


@pytest.mark.parametrize("n", AXES, ids=str)
def test_matrix_of_a_half_turn_about_a_coordinate_axis_gives_the_axis_without_rounding(n):
    q = quat_from_rotation(rotation(Quat(0.0, n.x, n.y, n.z)))
    assert q.w == 0.0
    assert Vec3(q.x, q.y, q.z) in (n, -n)


@pytest.mark.parametrize("signs", list(itertools.product((-1.0, 0.0, 1.0), repeat=3)), ids=str)
def test_matrix_of_a_half_turn_about_a_diagonal_gives_the_axis(signs):
    """Here two or three of the diagonal entries are equal, so that rounding picks the branch."""
    if signs == (0.0, 0.0, 0.0):
        q = Quat(1.0, 0.0, 0.0, 0.0)
    else:
        q = Quat(0.0, *(s / size(signs) for s in signs))
    back = quat_from_rotation(rotation(q))
    assert min(distance(back, q), distance(back, -q)) <= BACK


@examples
@given(half_turns())
def test_matrix_of_a_half_turn_about_any_axis_gives_the_axis(q):
    back = quat_from_rotation(rotation(q))
    assert min(distance(back, q), distance(back, -q)) <= BACK


@examples
@given(unit_quaternions())
def test_quaternion_of_a_matrix_gives_the_matrix_back(q):
    R = rotation(q)
    # an entry of R changes by at most 4 |dq|
    np.testing.assert_allclose(array(rotation(quat_from_rotation(R))), array(R), rtol=0, atol=4 * BACK)


# --- exponential and logarithm ---------------------------------------------------------------------------------------


@examples
@given(rotation_vectors())
def test_matrix_exponential_agrees_with_scipy(r):
    # two quaternions off by 6 EPS each, R at most four times as much
    np.testing.assert_allclose(array(rotation_exp(r)), Rotation.from_rotvec(r).as_matrix(), rtol=0, atol=48 * EPS)


@examples
@given(rotation_vectors(tiny_angles()))
def test_tiny_rotation_vectors_survive_the_matrix_within_4_eps(r):
    # R - 1 is skew(r) but for products below 1e-8 |r|; one rounding in, one out, and the length 4 is exact
    assert distance(rotation_log(rotation_exp(r)), r) <= 4 * EPS * size(r)


@examples
@given(rotation_vectors(st.floats(-8.0, -2.0).map(lambda e: 10.0**e)))
def test_small_rotation_vectors_survive_the_matrix_within_8_eps(r):
    # 4 EPS of quaternion exponential and logarithm; the differences of entries and the length 4: 4 EPS more
    assert distance(rotation_log(rotation_exp(r)), r) <= 8 * EPS * size(r)


@examples
@given(rotation_vectors(st.floats(1e-2, 3.14)))
def test_ordinary_rotation_vectors_survive_the_matrix(r):
    # the quaternion is off by BACK, the angle by twice that; exponential and logarithm add 7 EPS pi
    assert distance(rotation_log(rotation_exp(r)), r) <= 2 * BACK + 22 * EPS


@examples
@given(rotation_vectors(st.just(math.pi) | angles_near_pi()))
def test_rotation_vectors_near_and_at_pi_survive_the_matrix(r):
    angle = size(r)
    back = rotation_log(rotation_exp(r))
    short = r * ((angle - 2 * math.pi) / angle) if angle > math.pi else r
    bound = 2 * BACK + 22 * EPS
    ends = [short, -short] if abs(angle - math.pi) <= bound else [short]
    assert min(distance(back, e) for e in ends) <= bound
    assert size(back) <= math.pi * (1 + 3 * EPS)


@pytest.mark.parametrize("n", AXES, ids=str)
def test_logarithm_of_an_exact_half_turn_matrix_is_pi_about_its_axis(n):
    r = rotation_log(rotation(Quat(0.0, n.x, n.y, n.z)))
    assert r in (n * math.pi, n * -math.pi)


# --- axis and angle --------------------------------------------------------------------------------------------------


@examples
@given(unit_axes(), st.floats(-2 * math.pi, 2 * math.pi))
def test_axis_and_angle_is_the_exponential(n, angle):
    assert distance(quat_from_axis_angle(n, angle), quat_exp(n * angle)) <= 8 * EPS  # 6 EPS of exp, 2 EPS of ours


@examples
@given(unit_axes(), st.floats(-2 * math.pi, 2 * math.pi), st.integers(-300, 300))
def test_axis_may_have_any_length_but_zero(n, angle, exponent):
    axis = n * 10.0**exponent
    # scaling rounds each component by u; the length and the quotient add 4 u
    assert distance(quat_from_axis_angle(axis, angle), quat_from_axis_angle(n, angle)) <= 4 * EPS


@pytest.mark.parametrize("exponent", [-1074, -1060, -1023, 1022])
def test_axis_of_the_smallest_and_largest_numbers_has_its_direction(exponent):
    length = math.ldexp(1.0, exponent)
    assert quat_from_axis_angle((length, length, 0.0), math.pi) == quat_from_axis_angle((1.0, 1.0, 0.0), math.pi)


@pytest.mark.parametrize(
    "axis", [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0), (math.inf, 0.0, 0.0), (1.0, 0.0), 1.0, [[1.0, 0.0, 0.0]]]
)
def test_axis_without_direction_is_refused_by_name(axis):
    with pytest.raises(ValueError, match="has no direction"):
        quat_from_axis_angle(axis, 1.0)


@examples
@given(unit_axes(), numbers(math.pi), numbers(math.pi))
def test_angles_about_one_axis_add(n, a, b):
    product = quat_from_axis_angle(n, a) * quat_from_axis_angle(n, b)
    # two EPS for each of the three, 4 EPS for the product, half an EPS of 2 pi for the sum of angles
    assert distance(product, quat_from_axis_angle(n, a + b)) <= 12 * EPS
