"""3-vectors: the axioms of a vector space and the identities of dot and cross product."""

import math

import numpy as np
import pytest
from hypothesis import given
from strategies import EPS, distance, examples, numbers, size, vectors

from gelenk.math.vec3 import Vec3, get3, put3, vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
ZERO = Vec3(0.0, 0.0, 0.0)


@examples
@given(vectors(), vectors(), vectors())
def test_sum_is_a_commutative_group(a, b, c):
    assert a + b == b + a
    assert a + ZERO == a
    assert a + (-a) == ZERO
    assert a - b == a + (-b)
    # two roundings each side
    assert distance((a + b) + c, a + (b + c)) <= 2 * EPS * (size(a) + size(b) + size(c))


@examples
@given(vectors(), vectors(), numbers(), numbers())
def test_scaling_is_linear(a, b, s, t):
    assert a * 1.0 == a
    assert a * 0.0 == ZERO
    assert a * -1.0 == -a
    # two or three roundings each side
    assert distance((a + b) * s, a * s + b * s) <= 3 * EPS * abs(s) * (size(a) + size(b))
    assert distance(a * (s + t), a * s + a * t) <= 3 * EPS * (abs(s) + abs(t)) * size(a)


@examples
@given(vectors(), vectors(), vectors(), numbers())
def test_scalar_product_is_symmetric_and_bilinear(a, b, c, s):
    assert a @ b == b @ a
    # a sum of three products carries 3 u |a||b|; with the sums before and after it 5 u a side
    assert abs((a + b) @ c - (a @ c + b @ c)) <= 5 * EPS * (size(a) + size(b)) * size(c)
    assert abs((a * s) @ b - s * (a @ b)) <= 5 * EPS * abs(s) * size(a) * size(b)


@examples
@given(vectors())
def test_norm_is_the_length(a):
    assert a.norm() == pytest.approx(size(a), rel=2 * EPS, abs=0.0)  # 3 u of the sum halved, 1 u of the root
    assert a.norm() ** 2 == pytest.approx(a @ a, rel=2 * EPS, abs=0.0)
    assert (a @ a == 0.0) == (a == ZERO)


@examples
@given(vectors(), vectors())
def test_norm_obeys_the_triangle_and_cauchy_schwarz_inequalities(a, b):
    slack = 1 + 4 * EPS  # at parallel vectors both are equalities up to their roundings
    assert (a + b).norm() <= (a.norm() + b.norm()) * slack
    assert abs(a @ b) <= a.norm() * b.norm() * slack


def test_cross_product_is_right_handed():
    assert X.cross(Y) == Z
    assert Y.cross(Z) == X
    assert Z.cross(X) == Y


@examples
@given(vectors(), vectors())
def test_cross_product_is_antisymmetric_without_rounding(a, b):
    assert a.cross(b) == -b.cross(a)
    assert a.cross(a) == ZERO


@examples
@given(vectors(), vectors(), vectors(), numbers())
def test_cross_product_is_bilinear(a, b, c, s):
    # components carry 2 u of two products, the norm of three components at most doubles it
    assert distance((a + b).cross(c), a.cross(c) + b.cross(c)) <= 8 * EPS * (size(a) + size(b)) * size(c)
    assert distance((a * s).cross(b), a.cross(b) * s) <= 8 * EPS * abs(s) * size(a) * size(b)


@examples
@given(vectors(), vectors())
def test_cross_product_is_normal_to_both_factors(a, b):
    # c is off by at most 4 u |a||b|, the scalar product adds 3 u
    assert abs(a.cross(b) @ a) <= 4 * EPS * size(a) ** 2 * size(b)
    assert abs(a.cross(b) @ b) <= 4 * EPS * size(a) * size(b) ** 2


@examples
@given(vectors(), vectors())
def test_lagrange_identity_joins_dot_and_cross(a, b):
    c = a.cross(b)
    # |a x b|^2 + (a . b)^2 = |a|^2 |b|^2; about 8 u from each term
    assert abs(c @ c + (a @ b) ** 2 - (a @ a) * (b @ b)) <= 12 * EPS * (size(a) * size(b)) ** 2


@examples
@given(vectors(), vectors(), vectors())
def test_jacobi_identity(a, b, c):
    total = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    # 8 u |a||b||c| from each of the three double products
    assert size(total) <= 12 * EPS * size(a) * size(b) * size(c)


@examples
@given(vectors(), vectors(), vectors())
def test_double_cross_product_is_bac_minus_cab(a, b, c):
    # 8 u on either side
    assert distance(a.cross(b.cross(c)), b * (a @ c) - c * (a @ b)) <= 8 * EPS * size(a) * size(b) * size(c)


@examples
@given(vectors(), vectors(), vectors())
def test_triple_product_is_cyclic(a, b, c):
    # a determinant in two orders, each within 7 u |a||b||c|
    assert abs(a @ b.cross(c) - b @ c.cross(a)) <= 8 * EPS * size(a) * size(b) * size(c)


@examples
@given(vectors())
def test_rows_of_arrays_round_trip_and_neighbours_stay(a):
    A = np.full((3, 3), 7.0)
    put3(A, 1, a)
    assert get3(A, 1) == a
    assert (A[[0, 2]] == 7.0).all()


def test_vec3_takes_every_sequence_of_three_numbers_and_nothing_else():
    for sequence in ([1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3], dtype=np.float32), range(1, 4)):
        a = vec3(sequence)
        assert a == Vec3(1.0, 2.0, 3.0)
        assert [type(x) for x in a] == [float, float, float]
    for wrong in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0], []):
        with pytest.raises(ValueError):
            vec3(wrong)


def test_norm_of_a_known_vector_is_exact():
    assert Vec3(2.0, -3.0, 6.0).norm() == 7.0
    assert Vec3(1.0, 1.0, 0.0).norm() == math.sqrt(2.0)
