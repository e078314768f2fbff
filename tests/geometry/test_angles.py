"""Axis and angle, and Cardan angles, as descriptions of orientations (T-52)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk.geometry.angles import cardan, cardan_angles, turned
from gelenk.math.rotation import rotation_matrix

EPS = 2.0**-52  # twice the unit roundoff
ANGLES = st.floats(-3.0, 3.0)
SIGNED = st.floats(-1.0, 1.0)
QUATERNIONS = st.tuples(SIGNED, SIGNED, SIGNED, SIGNED).filter(lambda q: np.linalg.norm(q) > 0.1)
examples = settings(max_examples=25, deadline=None)


@examples
@given(ANGLES, ANGLES, ANGLES)
def test_cardan_angles_are_turns_about_axes_that_go_along(x, y, z):
    ours = rotation_matrix(cardan(x, y, z))
    np.testing.assert_allclose(ours, Rotation.from_euler("XYZ", [x, y, z]).as_matrix(), rtol=0, atol=30 * EPS)


@examples
@given(QUATERNIONS)
def test_angles_give_the_orientation_back(q):
    x, y, z = cardan_angles(q)
    assert abs(x) <= math.pi
    assert abs(y) <= math.pi / 2 + EPS
    assert abs(z) <= math.pi
    there = rotation_matrix(np.array(q) / np.linalg.norm(q))
    np.testing.assert_allclose(rotation_matrix(cardan(x, y, z)), there, rtol=0, atol=60 * EPS)


@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-12, 1e-8, 1e-4])
@pytest.mark.parametrize("side", [1, -1])
def test_a_quarter_turn_about_y_loses_no_digit_of_the_orientation(side, off):
    """Only the sum, or the difference, of x and z can be told there; near it both keep the rotation to round-off."""
    q = cardan(0.4, side * (math.pi / 2 - off), -1.3)
    x, y, z = cardan_angles(q)
    assert y == pytest.approx(side * (math.pi / 2 - off), abs=4 * EPS)
    np.testing.assert_allclose(rotation_matrix(cardan(x, y, z)), rotation_matrix(q), rtol=0, atol=60 * EPS)
    if off == 0.0:
        assert z == pytest.approx(0.0, abs=1e-15)
        assert x == pytest.approx(0.4 + side * -1.3, abs=8 * EPS)


def test_angles_of_a_run_are_a_row_a_time():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("top", shape=gk.Box((1, 1, 1)), mass=1, rotation=gk.cardan(0.1, 0.2, 0.3), angular_velocity=(0, 0, 1))
    run = gk.Simulation(b.build(), gk.FreeMotion(h=0.01)).run(0.1)
    angles = gk.cardan_angles(run["top"].orientation)
    assert angles.shape == (len(run.time), 3)
    np.testing.assert_allclose(angles[0], (0.1, 0.2, 0.3), rtol=0, atol=1e-15)


def test_turns_are_about_named_axes_or_any():
    half = math.sqrt(0.5)
    np.testing.assert_allclose(turned("z", math.pi / 2), (half, 0, 0, half), rtol=0, atol=EPS)
    np.testing.assert_allclose(turned("-z", math.pi / 2), (half, 0, 0, -half), rtol=0, atol=EPS)
    np.testing.assert_allclose(turned((0, 0, 1e-200), 0.3), turned("z", 0.3), rtol=0, atol=EPS)


@pytest.mark.parametrize("axis", ["w", (0, 0, 0), (1, 2), None, (math.nan, 0, 0)])
def test_an_axis_without_direction_is_refused(axis):
    with pytest.raises(gk.InputError, match="axis"):
        turned(axis, 1.0)


@pytest.mark.parametrize("q", [(1, 0, 0), (0, 0, 0, 0), (math.nan, 0, 0, 1), 1.0, [(1, 0, 0, 0), (0, 0, 0, 0)]])
def test_what_is_no_orientation_has_no_angles(q):
    with pytest.raises(gk.InputError, match="quaternions"):
        cardan_angles(q)
