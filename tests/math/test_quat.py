"""Quaternions: group axioms, the rotation they stand for, exponential and logarithm at small angles and half turns."""

import math
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import (
    AXES,
    EPS,
    angles_near_pi,
    distance,
    examples,
    half_turns,
    numbers,
    rotation_vectors,
    size,
    tiny_angles,
    unit_quaternions,
    vectors,
)

from gelenk.math.quat import SERIES, Quat, get4, half_angle, put4, quat_exp, quat_log, quat_rate
from gelenk.math.vec3 import Vec3

ONE = Quat(1.0, 0.0, 0.0, 0.0)
I, J, K = Quat(0.0, 1.0, 0.0, 0.0), Quat(0.0, 0.0, 1.0, 0.0), Quat(0.0, 0.0, 0.0, 1.0)  # noqa: E741

# One component of a product is a sum of four products, 4 u |a||b| at most; the norm of four components at most
# doubles that:  8 u = 4 EPS for every product.
PRODUCT = 4 * EPS


def quaternions(limit=1e3):
    """Of any length between 1e-3 and 2 limit."""
    parts = [numbers(limit)] * 4
    return st.builds(Quat, *parts).filter(lambda q: size(q) > 1e-3)


# --- algebra ---------------------------------------------------------------------------------------------------------


def test_product_is_hamilton():
    assert I * I == J * J == K * K == I * J * K == -ONE
    assert I * J == K
    assert J * K == I
    assert K * I == J


@examples
@given(unit_quaternions(), unit_quaternions(), unit_quaternions())
def test_product_is_associative(a, b, c):
    assert distance((a * b) * c, a * (b * c)) <= 4 * PRODUCT  # two products a side


@examples
@given(quaternions())
def test_one_is_the_identity_without_rounding(q):
    assert ONE * q == q
    assert q * ONE == q


@examples
@given(unit_quaternions())
def test_conjugate_of_a_unit_quaternion_is_its_inverse(q):
    # the length of q enters squared: 2 * 1 EPS
    assert distance(q * q.conj(), ONE) <= PRODUCT + 2 * EPS
    assert distance(q.conj() * q, ONE) <= PRODUCT + 2 * EPS


@examples
@given(quaternions())
def test_inverse_holds_for_every_length(q):
    assert distance(q * q.inv(), ONE) <= PRODUCT + 4 * EPS  # 6 u of the inverse itself
    assert distance(q.inv() * q, ONE) <= PRODUCT + 4 * EPS


@examples
@given(quaternions(), quaternions())
def test_length_of_a_product_is_the_product_of_lengths(a, b):
    assert (a * b).norm() == pytest.approx(a.norm() * b.norm(), rel=2 * PRODUCT, abs=0.0)


@examples
@given(quaternions(), quaternions())
def test_conjugate_turns_the_order_round(a, b):
    # the same products in another order of summation: not the same bits
    assert distance((a * b).conj(), b.conj() * a.conj()) <= 2 * PRODUCT * size(a) * size(b)
    assert a.conj().conj() == a


@examples
@given(quaternions(), quaternions(), quaternions())
def test_product_is_distributive(a, b, c):
    assert distance(a * (b + c), a * b + a * c) <= 3 * PRODUCT * size(a) * (size(b) + size(c))


@examples
@given(quaternions(), numbers())
def test_scaling_multiplies_by_a_real_number(q, s):
    assert q.scaled(s) == q * Quat(s, 0.0, 0.0, 0.0)
    assert q + (-q) == Quat(0.0, 0.0, 0.0, 0.0)


@examples
@given(quaternions())
def test_unit_has_length_one_and_the_same_direction(q):
    u = q.unit()
    assert abs(size(u) - 1.0) <= 3 * EPS  # 3 u of the length, 1 u of its inverse, 1 u of the product
    assert distance(u.scaled(size(q)), q) <= 4 * EPS * size(q)


@examples
@given(unit_quaternions(), vectors())
def test_sandwich_product_keeps_length_and_is_real_free(q, a):
    b = q * Quat(0.0, a.x, a.y, a.z) * q.conj()
    bound = (2 * PRODUCT + 2 * EPS) * size(a)  # two products, |q|^2
    assert abs(b.w) <= bound
    assert abs(size(b) - size(a)) <= bound


@examples
@given(unit_quaternions())
def test_rows_of_arrays_round_trip_and_neighbours_stay(q):
    A = np.full((3, 4), 7.0)
    put4(A, 1, q)
    assert get4(A, 1) == q
    assert (A[[0, 2]] == 7.0).all()


# --- cos a and sin a / a from a^2 ------------------------------------------------------------------------------------


def exact_half_angle(s):
    """cos a and sin a / a to 40 digits; both are power series in s = a^2, so no root is rounded."""
    with localcontext() as context:
        context.prec = 60
        s, term, n = Decimal(s), Decimal(1), 0
        c = d = Decimal(0)
        while abs(term) > Decimal("1e-45"):
            c += term
            d += term / (2 * n + 1)
            n += 1
            term *= -s / (2 * n * (2 * n - 1))
        return c, d


def relative_error(value, exact):
    return float(abs(Decimal(value) - exact) / abs(exact))


@examples
@given(st.floats(0.0, SERIES, exclude_max=True))
@example(0.0)
@example(5e-324)
@example(1e-16)
@example(math.nextafter(SERIES, 0.0))
def test_series_branch_has_all_digits(s):
    c, d = half_angle(s)
    exact_c, exact_d = exact_half_angle(s)
    assert relative_error(c, exact_c) <= EPS  # 1 ulp: the last addition rounds by u, all before it is scaled by s/2
    assert relative_error(d, exact_d) <= EPS


@examples
@given(st.floats(SERIES, 10.0))  # a up to 3.16, beyond a full turn of a = angle / 2
@example(SERIES)
@example(math.nextafter(SERIES, 1.0))
@example((math.pi / 2) ** 2)
@example(math.pi**2)
def test_function_branch_has_all_digits(s):
    c, d = half_angle(s)
    exact_c, exact_d = exact_half_angle(s)
    # u/2 ... u of the root moves cos by a sin(a) u <= 2 u and sin(a)/a by at most 1 u; each function and the
    # division add 1 u. Absolute bounds, since both have zeros here.
    assert abs(Decimal(c) - exact_c) <= 2 * EPS
    assert abs(Decimal(d) - exact_d) <= 2 * EPS


@examples
@given(st.floats(0.5 * SERIES, 2 * SERIES))
def test_half_angle_agrees_with_the_library_on_both_sides_of_its_branch(s):
    a = math.sqrt(s)
    c, d = half_angle(s)
    # one ulp of our own, one ulp of the library, 1/2 ulp of the root
    assert c == pytest.approx(math.cos(a), rel=2 * EPS, abs=0.0)
    assert d == pytest.approx(math.sin(a) / a, rel=2 * EPS, abs=0.0)


def test_half_angle_does_not_jump_at_its_branch():
    below, at = half_angle(math.nextafter(SERIES, 0.0)), half_angle(SERIES)
    for left, right in zip(below, at):
        assert abs(left - right) <= 2 * math.ulp(right)  # true change over this step: under 1/30 ulp


def test_half_angle_decreases_across_its_branch():
    # a step of 1e-14 in s changes cos by 5e-15 and sin(a)/a by 1.7e-15: more than ten times their errors
    values = [half_angle(SERIES + 1e-14 * k) for k in range(-50, 51)]
    for (c0, d0), (c1, d1) in pairwise(values):
        assert c1 < c0
        assert d1 < d0


# --- exponential -----------------------------------------------------------------------------------------------------


def test_exponential_of_zero_is_one():
    assert quat_exp(Vec3(0.0, 0.0, 0.0)) == ONE


@examples
@given(st.one_of(rotation_vectors(), vectors(100.0)))
def test_exponential_is_a_unit_quaternion(r):
    # |v| = sin(a) with 3 u of s, 2 u of sin(a)/a, 2 u of the products; cos(a) takes the same rounded a
    assert abs(size(quat_exp(r)) - 1.0) <= 4 * EPS


@examples
@given(rotation_vectors(st.floats(1e-8, 2 * math.pi)))
def test_exponential_is_half_angle_cosine_and_sine(r):
    angle = size(r)
    s = math.sin(0.5 * angle) / angle
    exact = Quat(math.cos(0.5 * angle), s * r.x, s * r.y, s * r.z)
    assert distance(quat_exp(r), exact) <= 6 * EPS  # s = a^2 is off by 3 u, so cos(a) by a 2 u <= 6.3 u; 4 u the rest


@examples
@given(rotation_vectors(tiny_angles()))
def test_exponential_of_a_tiny_vector_is_one_and_its_half_without_rounding(r):
    # cos(a/2) - 1 is under 1.3e-17 here, less than u
    assert quat_exp(r) == Quat(1.0, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z)


@examples
@given(rotation_vectors())
def test_exponential_of_the_opposite_vector_is_the_conjugate_without_rounding(r):
    assert quat_exp(-r) == quat_exp(r).conj()


@examples
@given(rotation_vectors(st.floats(0.0, math.pi)), st.floats(0.0, 2.0))
def test_turns_about_one_axis_add(r, s):
    product = quat_exp(r) * quat_exp(r * s)
    assert distance(product, quat_exp(r * (1.0 + s))) <= 3 * 6 * EPS + PRODUCT  # three exponentials, a product


@pytest.mark.parametrize("n", AXES, ids=str)
def test_exponential_of_a_half_turn_about_a_coordinate_axis(n):
    q = quat_exp(n * math.pi)
    assert Vec3(q.x, q.y, q.z) == n
    assert abs(q.w) <= EPS / 2  # math.pi / 2 lies 6.1e-17 below pi / 2


# --- logarithm -------------------------------------------------------------------------------------------------------


def test_logarithm_of_one_and_of_minus_one_is_zero():
    assert quat_log(ONE) == Vec3(0.0, 0.0, 0.0)
    assert quat_log(-ONE) == Vec3(0.0, 0.0, 0.0)


@examples
@given(rotation_vectors(tiny_angles()))
def test_tiny_rotation_vectors_survive_the_round_trip_without_rounding(r):
    # halved and doubled; only numbers below 2^-1021 can lose their last bit, 5e-324, which is nothing beside |r|
    assert distance(quat_log(quat_exp(r)), r) <= 1e-20 * size(r)


@examples
@given(rotation_vectors(st.floats(-8.0, -2.0).map(lambda e: 10.0**e)))
def test_small_rotation_vectors_survive_the_round_trip_within_4_eps(r):
    # across the change of formula of the logarithm at |v| = 1e-8
    assert distance(quat_log(quat_exp(r)), r) <= 4 * EPS * size(r)


@examples
@given(rotation_vectors(st.floats(1e-2, 3.14)))
def test_ordinary_rotation_vectors_survive_the_round_trip(r):
    # root of s: 2 u; sin(a)/a: 3 u; v: 1 u; |v|: 2 u; atan2: 2 u; quotient and products: 4 u.  14 u = 7 EPS
    assert distance(quat_log(quat_exp(r)), r) <= 7 * EPS * size(r)


@examples
@given(rotation_vectors(st.just(math.pi)))
def test_exponential_and_logarithm_of_a_half_turn_keep_angle_and_axis(r):
    back = quat_log(quat_exp(r))
    # both ends r and -r are this rotation, and the rounding of |r| decides which; the angle is pi either way
    assert abs(size(back) - math.pi) <= 7 * EPS * math.pi
    assert min(distance(back, r), distance(back, -r)) <= 7 * EPS * math.pi


@pytest.mark.parametrize("n", AXES, ids=str)
def test_half_turn_about_a_coordinate_axis_survives_the_round_trip_without_rounding(n):
    assert quat_log(quat_exp(n * math.pi)) == n * math.pi


@examples
@given(half_turns())
def test_logarithm_of_an_exact_half_turn_is_pi_and_keeps_the_sign_of_the_quaternion(q):
    n = Vec3(q.x, q.y, q.z)
    # |v| 2 u, quotient 1 u, product 1 u, and the axis itself is a unit one within 2 u
    assert distance(quat_log(q), n * math.pi) <= 3 * EPS * math.pi
    assert quat_log(-q) == -quat_log(q)


@examples
@given(rotation_vectors(angles_near_pi(side=-1)))
def test_rotation_vectors_just_below_pi_survive_the_round_trip(r):
    back = quat_log(quat_exp(r))
    if math.pi - size(r) > 4 * EPS * math.pi:  # closer, the rounding of |r| may carry it over: see exactly pi
        assert distance(back, r) <= 7 * EPS * math.pi
    else:
        assert min(distance(back, r), distance(back, -r)) <= 7 * EPS * math.pi


@examples
@given(rotation_vectors(angles_near_pi(side=1)))
def test_rotation_vectors_just_above_pi_come_back_the_short_way_round(r):
    angle = size(r)
    back = quat_log(quat_exp(r))
    short = r * ((angle - 2 * math.pi) / angle)  # length 2 pi - angle about the opposite axis
    if angle - math.pi > 4 * EPS * math.pi:
        assert distance(back, short) <= 8 * EPS * math.pi  # 1 EPS more for 2 pi itself
    else:
        assert min(distance(back, short), distance(back, -short)) <= 8 * EPS * math.pi


@examples
@given(rotation_vectors(st.floats(1.01 * math.pi, 1.99 * math.pi)))
def test_logarithm_is_never_longer_than_pi(r):
    assert size(quat_log(quat_exp(r))) <= math.pi


@examples
@given(unit_quaternions())
def test_quaternion_and_its_opposite_have_one_logarithm(q):
    if q.w != 0.0:
        assert quat_log(-q) == quat_log(q)
    else:
        assert quat_log(-q) == -quat_log(q)  # a half turn: both ends are right


@examples
@given(unit_quaternions())
def test_exponential_undoes_the_logarithm_up_to_the_sign(q):
    back = quat_exp(quat_log(q))
    # 7 u of the logarithm's length a <= pi move the half angle by 11 u; the exponential adds 12 u, |q| - 1 2 u
    assert min(distance(back, q), distance(back, -q)) <= 14 * EPS
    assert back.w >= -EPS  # the short way round


@examples
@given(unit_quaternions(), st.sampled_from([0.5, 0.999, 1.001, 2.0]))
def test_logarithm_does_not_depend_on_the_length_of_the_quaternion(q, s):
    assert distance(quat_log(q.scaled(s)), quat_log(q)) <= 7 * EPS * size(quat_log(q))  # 7 u each, 14 u together


@examples
@given(unit_quaternions(), unit_quaternions())
def test_logarithm_of_a_conjugated_turn_is_the_turned_logarithm(g, q):
    """log(g q g^-1) = g log(q) g^-1, away from the half turn where both signs are right."""
    r = quat_log(q)
    turned = g * Quat(0.0, r.x, r.y, r.z) * g.conj()
    got = quat_log(g * q * g.conj())
    turned = Vec3(turned.x, turned.y, turned.z)
    bound = 40 * EPS  # four products of PRODUCT = 4 EPS; those before the logarithm count twice (angle, not half)
    ends = [distance(got, turned)] + ([distance(got, -turned)] if abs(q.w) < bound else [])
    assert min(ends) <= bound


# --- rate ------------------------------------------------------------------------------------------------------------


@examples
@given(unit_quaternions(), vectors())
def test_rate_is_half_the_product_with_the_angular_velocity(q, w_B):
    half = (q * Quat(0.0, w_B.x, w_B.y, w_B.z)).scaled(0.5)
    assert distance(quat_rate(q, w_B), half) <= PRODUCT * size(w_B)  # halves are exact; two products, halved


@examples
@given(unit_quaternions(), vectors())
def test_rate_is_the_derivative_of_the_turned_quaternion(q, w_B):
    """Central difference of q exp(h w) at h |w| = 1e-5."""
    if size(w_B) == 0.0:
        assert quat_rate(q, w_B) == Quat(0.0, 0.0, 0.0, 0.0)
        return
    h = 1e-5 / size(w_B)
    ahead, behind = q * quat_exp(w_B * h), q * quat_exp(w_B * -h)
    difference = (ahead + -behind).scaled(0.5 / h)
    # truncation (h |w|)^2 |w| / 48 = 2e-12 |w|;  rounding 2 (PRODUCT + 2 EPS) / 2h = 1.4e-10 |w|
    assert distance(quat_rate(q, w_B), difference) <= (2e-12 + 6 * EPS / 1e-5) * size(w_B)


@examples
@given(unit_quaternions(), vectors())
def test_rate_keeps_the_length(q, w_B):
    rate = quat_rate(q, w_B)
    assert abs(sum(a * b for a, b in zip(q, rate))) <= PRODUCT * size(w_B)  # d|q|^2/dt = 2 q . q'
