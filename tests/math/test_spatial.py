"""Poses, twists and wrenches: group axioms, rigid motion, power the same in every frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import EPS, distance, examples, poses, size, twists, unit_quaternions, vectors, wrenches

from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation
from gelenk.math.spatial import Pose, Twist, Wrench, power, twist_in, wrench_in
from gelenk.math.vec3 import Vec3

ZERO = Vec3(0.0, 0.0, 0.0)
IDENTITY = Pose(ZERO, Quat(1.0, 0.0, 0.0, 0.0))

# R a is off by 6 EPS (entries of R) + 2 EPS (three products) + 2 EPS (|q| - 1) times |a|: 10 EPS. R^T R a - a is at
# most 20 EPS |a| (tests/math/test_rotation.py) + 2 * 2 EPS.
TURN = 10 * EPS
BACK = 24 * EPS


def assert_same(X, Y, p_bound, q_bound):
    assert distance(X.p, Y.p) <= p_bound
    assert distance(X.q, Y.q) <= q_bound


# --- poses -----------------------------------------------------------------------------------------------------------


@examples
@given(poses(), poses(), poses())
def test_composition_is_associative(X_AB, X_BC, X_CD):
    reach = size(X_AB.p) + size(X_BC.p) + size(X_CD.p)
    # p_CD is turned twice on one side, once by R(q q') on the other, 1e-14 = 45 EPS apart an entry, 135 EPS the matrix
    assert_same((X_AB * X_BC) * X_CD, X_AB * (X_BC * X_CD), (135 * EPS + 3 * TURN) * reach, 16 * EPS)


@examples
@given(poses())
def test_identity_changes_nothing(X):
    assert IDENTITY * X == X
    assert X * IDENTITY == X


@examples
@given(poses())
def test_inverse_undoes_the_pose_from_both_sides(X):
    bound = BACK * size(X.p)
    assert_same(X * X.inv(), IDENTITY, bound, 6 * EPS)  # q q*: product 4 EPS, |q|^2 2 EPS
    assert_same(X.inv() * X, IDENTITY, bound, 6 * EPS)


@examples
@given(poses())
def test_inverse_of_the_inverse_is_the_pose(X):
    assert_same(X.inv().inv(), X, BACK * size(X.p), 0.0)


@examples
@given(poses(), poses())
def test_inverse_of_a_product_is_the_product_of_inverses_in_the_other_order(X_AB, X_BC):
    reach = size(X_AB.p) + size(X_BC.p)
    assert_same((X_AB * X_BC).inv(), X_BC.inv() * X_AB.inv(), (135 * EPS + 4 * TURN) * reach, 8 * EPS)


@examples
@given(poses(), poses(), vectors())
def test_composition_takes_points_as_one_pose_after_the_other(X_AB, X_BC, p_CP):
    reach = size(X_AB.p) + size(X_BC.p) + size(p_CP)
    once, twice = (X_AB * X_BC).point(p_CP), X_AB.point(X_BC.point(p_CP))
    assert distance(once, twice) <= (135 * EPS + 3 * TURN) * reach


@examples
@given(poses(), vectors())
def test_point_back_undoes_point(X_AB, p_BP):
    bound = BACK * size(p_BP) + 4 * EPS * size(X_AB.p)  # p_AB is added and taken away again
    assert distance(X_AB.point_back(X_AB.point(p_BP)), p_BP) <= bound
    assert distance(X_AB.point(X_AB.point_back(p_BP)), p_BP) <= bound + BACK * size(X_AB.p)


@examples
@given(poses(), vectors())
def test_point_back_is_the_point_of_the_inverse(X_AB, p_AP):
    assert distance(X_AB.point_back(p_AP), X_AB.inv().point(p_AP)) <= 2 * TURN * (size(p_AP) + size(X_AB.p))


@examples
@given(poses(), vectors(), vectors())
def test_pose_keeps_distances(X, a, b):
    reach = size(X.p) + size(a) + size(b)
    assert abs(distance(X.point(a), X.point(b)) - distance(a, b)) <= 3 * TURN * reach


def test_pose_takes_the_origin_of_b_to_its_place_in_a():
    X_AB = Pose(Vec3(1.0, 2.0, 3.0), Quat(0.5, 0.5, 0.5, 0.5))  # x -> y -> z -> x
    assert X_AB.point(ZERO) == Vec3(1.0, 2.0, 3.0)
    assert X_AB.point(Vec3(1.0, 0.0, 0.0)) == Vec3(1.0, 3.0, 3.0)
    assert X_AB.point_back(Vec3(1.0, 3.0, 3.0)) == Vec3(1.0, 0.0, 0.0)


# --- twists and wrenches ---------------------------------------------------------------------------------------------


def scale(X, a, b):
    """Largest linear part after the lever arm p, for a pair (linear, angular) or (torque, force)."""
    return size(a) + (1.0 + size(X.p)) * size(b)


@examples
@given(poses(), twists(), vectors())
def test_twist_gives_every_point_of_the_body_one_velocity(X_AB, V_B, p_BP):
    """v_P = v + w x p, in A and in B."""
    V_A, p_AP = twist_in(X_AB, V_B), X_AB.point(p_BP)
    in_A = V_A.v + V_A.w.cross(p_AP)
    in_B = V_B.v + V_B.w.cross(p_BP)
    reach = size(X_AB.p) + size(p_BP)
    # v: turned once a side; w x p: both turned on one side, the product on the other, and the arm p_AB cancels
    bound = 3 * TURN * size(V_B.v) + 8 * TURN * size(V_B.w) * reach
    assert distance(in_A, rotation(X_AB.q) @ in_B) <= bound


@examples
@given(poses(), vectors(), vectors())
def test_wrench_of_a_force_has_the_moment_of_its_arm_in_every_frame(X_AB, p_BP, f_B):
    F_A = wrench_in(X_AB, Wrench(f_B, p_BP.cross(f_B)))
    p_AP = X_AB.point(p_BP)
    reach = size(X_AB.p) + size(p_BP)
    assert F_A.f == rotation(X_AB.q) @ f_B
    assert distance(F_A.t, p_AP.cross(F_A.f)) <= 8 * TURN * reach * size(f_B)


@examples
@given(poses(), wrenches(), twists())
def test_power_is_the_same_in_every_frame(X, F, V):
    # the two moments p x f . w and f . p x w cancel; each is within a few turns of its size
    bound = 3 * BACK * scale(X, F.t, F.f) * (size(V.w) + size(V.v))
    assert abs(power(wrench_in(X, F), twist_in(X, V)) - power(F, V)) <= bound


@examples
@given(poses(), poses(), twists())
def test_twist_through_two_frames_is_that_through_their_product(X_AB, X_BC, V_C):
    once, twice = twist_in(X_AB * X_BC, V_C), twist_in(X_AB, twist_in(X_BC, V_C))
    reach = 1.0 + size(X_AB.p) + size(X_BC.p)
    assert distance(once.w, twice.w) <= (135 * EPS + 3 * TURN) * size(V_C.w)
    assert distance(once.v, twice.v) <= (135 * EPS + 8 * TURN) * (size(V_C.v) + reach * size(V_C.w))


@examples
@given(poses(), poses(), wrenches())
def test_wrench_through_two_frames_is_that_through_their_product(X_AB, X_BC, F_C):
    once, twice = wrench_in(X_AB * X_BC, F_C), wrench_in(X_AB, wrench_in(X_BC, F_C))
    reach = 1.0 + size(X_AB.p) + size(X_BC.p)
    assert distance(once.f, twice.f) <= (135 * EPS + 3 * TURN) * size(F_C.f)
    assert distance(once.t, twice.t) <= (135 * EPS + 8 * TURN) * (size(F_C.t) + reach * size(F_C.f))


@examples
@given(poses(), twists(), wrenches())
def test_inverse_pose_brings_twist_and_wrench_back(X, V, F):
    V_back, F_back = twist_in(X.inv(), twist_in(X, V)), wrench_in(X.inv(), wrench_in(X, F))
    assert distance(V_back.w, V.w) <= BACK * size(V.w)
    assert distance(V_back.v, V.v) <= 4 * BACK * scale(X, V.v, V.w)
    assert distance(F_back.f, F.f) <= BACK * size(F.f)
    assert distance(F_back.t, F.t) <= 4 * BACK * scale(X, F.t, F.f)


@examples
@given(twists(), wrenches())
def test_identity_pose_leaves_twist_and_wrench(V, F):
    assert twist_in(IDENTITY, V) == V
    assert wrench_in(IDENTITY, F) == F


@examples
@given(poses(limit=10.0))
def test_wrench_transform_is_the_transposed_inverse_of_the_twist_transform(X):
    units = np.eye(6).tolist()
    T = np.array([np.concatenate(twist_in(X, Twist(Vec3(*e[:3]), Vec3(*e[3:])))) for e in units]).T
    W = np.array([np.concatenate(wrench_in(X, Wrench(Vec3(*e[:3]), Vec3(*e[3:])))) for e in units]).T
    # two moments of an arm p, which cancel: entries up to |p|
    np.testing.assert_allclose(W.T @ T, np.eye(6), rtol=0, atol=2 * BACK * (1.0 + size(X.p)))


@examples
@given(unit_quaternions(), vectors(), st.floats(-10.0, 10.0))
def test_pure_couple_has_one_moment_everywhere(q, p, torque):
    F = wrench_in(Pose(p, q), Wrench(ZERO, Vec3(0.0, 0.0, torque)))
    assert F.f == ZERO
    assert F.t == rotation(q) @ Vec3(0.0, 0.0, torque)


def test_power_is_force_times_velocity_plus_torque_times_angular_velocity():
    F = Wrench(Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0))
    V = Twist(Vec3(1.0, 0.0, 2.0), Vec3(0.0, 3.0, 1.0))
    assert power(F, V) == pytest.approx(7.0 + 21.0)
