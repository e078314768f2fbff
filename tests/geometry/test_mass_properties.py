"""Placing, joining and checking mass properties."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from geometry_samples import EPS, numbers, rotation_from, rotations, translations
from hypothesis import given, settings
from hypothesis import strategies as st

from gelenk.errors import InputError
from gelenk.geometry.mass import MassProperties, check_inertia, combine, principal_axes
from gelenk.geometry.shapes import Box, Sphere


@st.composite
def parts(draw):
    """Boxes of any size and place: their tensors are those of real bodies."""
    size = draw(st.tuples(*[numbers(0.125, 2.0)] * 3))
    return Box(size).mass_properties(draw(numbers(0.5, 8.0))).moved(draw(translations) / 50.0, draw(rotations))


def test_two_half_boxes_make_the_whole():
    """V-105: a box cut in two and joined again has the inertia of the whole box."""
    half = Box((1.0, 2.0, 3.0)).mass_properties(7.0)
    joined = combine([half.moved((0.5, 0, 0)), half.moved((-0.5, 0, 0))])
    whole = Box((2.0, 2.0, 3.0)).mass_properties(7.0)
    assert joined.mass == whole.mass
    # a dozen additions of numbers of one size: a few eps
    np.testing.assert_allclose(joined.com, whole.com, atol=4 * EPS)
    np.testing.assert_allclose(joined.inertia, whole.inertia, rtol=8 * EPS, atol=8 * EPS * whole.mass)


def test_dumbbell_by_hand():
    """V-105: two point masses, one twice as heavy, a metre apart: reduced mass 2/3 kg times 1 m^2 across."""
    point = MassProperties(1.0, np.zeros(3), np.zeros((3, 3)))
    heavy = MassProperties(2.0, np.array([1.0, 0.0, 0.0]), np.zeros((3, 3)))
    joined = combine([point, heavy])
    np.testing.assert_allclose(joined.com, [2 / 3, 0, 0], rtol=2 * EPS)
    np.testing.assert_allclose(joined.inertia, np.diag([0.0, 2 / 3, 2 / 3]), rtol=4 * EPS, atol=EPS)


def test_one_part_keeps_its_bits():
    part = Box((0.1, 0.2, 0.3)).mass_properties(1000.0).moved((1e3, 2e3, 3e3))
    assert combine([part]) == part


@settings(deadline=None, max_examples=60)
@given(parts(), parts(), parts())
def test_combine_is_associative(a, b, c):
    """V-105: it does not matter which parts are joined first."""
    left, right, flat = combine([combine([a, b]), c]), combine([a, combine([b, c])]), combine([a, b, c])
    # lengths up to 4 m and masses up to 100 kg: about 50 roundings of the largest term
    scale = flat.mass * 32.0
    for other in (left, right):
        assert other.mass == pytest.approx(flat.mass, rel=4 * EPS)
        np.testing.assert_allclose(other.com, flat.com, atol=50 * EPS)
        np.testing.assert_allclose(other.inertia, flat.inertia, atol=50 * EPS * scale)


@settings(deadline=None, max_examples=60)
@given(parts(), parts(), translations, rotations)
def test_joining_and_placing_commute(a, b, t, R):
    """V-105, (A.6): join then move equals move then join."""
    one = combine([a, b]).moved(t, R)
    two = combine([a.moved(t, R), b.moved(t, R)])
    # positions up to 200 m are rounded, which moves the parts relative to each other by that much; arms are below 8 m
    size = 200.0
    np.testing.assert_allclose(one.com, two.com, atol=8 * EPS * size)
    np.testing.assert_allclose(one.inertia, two.inertia, atol=8 * EPS * size * 8.0 * one.mass)


@settings(deadline=None, max_examples=60)
@given(parts(), translations)
def test_parallel_axis_goes_through_the_centre_of_mass(part, point):
    """(A.10): the rod about its end, in tensor form, and the smallest moments are those about the centre of mass."""
    about = part.about(point)
    t = point - part.com
    expected = part.inertia + part.mass * (np.dot(t, t) * np.eye(3) - np.outer(t, t))
    np.testing.assert_allclose(about, expected, rtol=4 * EPS, atol=4 * EPS * part.mass * np.dot(t, t))
    scale = np.abs(about).max()
    assert np.linalg.eigvalsh(about - part.inertia).min() >= -8 * EPS * scale
    np.testing.assert_array_equal(part.about(part.com), part.inertia)


def test_rod_about_its_end():
    """(A.10): a thin rod has m l^2/12 about its middle and m l^2/3 about its end."""
    rod = Box((1e-6, 1e-6, 2.0)).mass_properties(1e12)
    m, length = rod.mass, 2.0
    # the thickness adds m d^2/12 = 1e-13 of the moment
    assert rod.inertia[0, 0] == pytest.approx(m * length**2 / 12, rel=1e-12)
    assert rod.about((0, 0, 1.0))[0, 0] == pytest.approx(m * length**2 / 3, rel=1e-12)


@settings(deadline=None, max_examples=100)
@given(st.tuples(numbers(1.0, 2.0), numbers(1.0, 2.0), numbers(1.0, 2.0)), rotations)
def test_principal_axes_rebuild_the_tensor(moments, R):
    """I-016: right-handed orthonormal axes whose moments rebuild the tensor, the same on every call."""
    inertia = R @ np.diag(moments) @ R.T
    inertia = 0.5 * (inertia + inertia.T)
    found, R_BP = principal_axes(inertia)
    np.testing.assert_allclose(R_BP.T @ R_BP, np.eye(3), atol=20 * EPS)
    assert np.linalg.det(R_BP) == pytest.approx(1.0, abs=20 * EPS)
    # products of inertia below 64 eps of the largest moment (2) may be left out
    np.testing.assert_allclose(R_BP @ np.diag(found) @ R_BP.T, inertia, atol=160 * EPS)
    np.testing.assert_allclose(np.sort(found), np.sort(moments), atol=160 * EPS)
    again, R_again = principal_axes(inertia.copy())
    np.testing.assert_array_equal(found, again)
    np.testing.assert_array_equal(R_BP, R_again)


def test_diagonal_tensor_keeps_its_axes_order_and_bits():
    """I-016: nothing is sorted or turned when there is nothing to turn."""
    diagonal = np.array([3.0, 0.1 + 0.2, 2.0 / 3.0 + 2.5])
    moments, R_BP = principal_axes(np.diag(diagonal))
    assert moments.tobytes() == diagonal.tobytes()
    np.testing.assert_array_equal(R_BP, np.eye(3))


@pytest.mark.parametrize("tilt", [1e-12, 1e-9, 1e-6, 1e-3])
def test_small_tilt_gives_a_small_rotation(tilt):
    """I-016: the axes are continuous with the diagonal case; unsorted moments do not turn the frame."""
    R = rotation_from([1.0, tilt, -tilt, tilt])
    moments, R_BP = principal_axes(R @ np.diag([3.0, 2.0, 1.5]) @ R.T)
    # eigenvectors of a tensor rounded to 3 eps, over the smallest gap of 0.5
    np.testing.assert_allclose(R_BP, R, atol=50 * EPS)
    np.testing.assert_allclose(moments, [3.0, 2.0, 1.5], rtol=10 * EPS)


def test_mirrored_axes_are_never_returned():
    """I-016: also when the eigenvectors come out left-handed, which happens for about half of all rotations."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        R = rotation_from(rng.normal(size=4))
        _, R_BP = principal_axes(R @ np.diag([1.0, 2.0, 2.5]) @ R.T)
        np.testing.assert_allclose(np.cross(R_BP[:, 0], R_BP[:, 1]), R_BP[:, 2], atol=20 * EPS)


def test_moved_and_back_again():
    part = Sphere(0.3).mass_properties(500.0).moved((1, 2, 3))
    R = rotation_from([0.3, 0.1, -0.7, 0.2])
    back = part.moved((4, 5, 6), R).moved(-R.T @ np.array([4.0, 5.0, 6.0]), R.T)
    # numbers up to 10 pass through six products each
    np.testing.assert_allclose(back.com, part.com, atol=100 * EPS)
    np.testing.assert_allclose(back.inertia, part.inertia, atol=100 * EPS)


def test_values_cannot_be_changed_and_survive_copies():
    part = Sphere(0.3).mass_properties(500.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.mass = 2.0
    for copied in (part, pickle.loads(pickle.dumps(part)), copy.deepcopy(part), dataclasses.replace(part)):
        assert copied == part
        assert hash(copied) == hash(part)
        for array in (copied.com, copied.inertia):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
    assert part != Sphere(0.4).mass_properties(500.0)
    assert part != "sphere"


def test_zero_and_minus_zero_are_equal_with_equal_hash():
    a = MassProperties(1.0, np.array([0.0, 0.0, 0.0]), np.eye(3))
    b = MassProperties(1.0, np.array([-0.0, 0.0, 0.0]), np.eye(3))
    assert a == b
    assert hash(a) == hash(b)


class TestCheckInertia:
    """Bad tensors are refused with the numbers that are wrong (H-55: tensors typed by hand)."""

    def test_good_ones_pass(self):
        check_inertia("body 'a'", np.diag([1.0, 2.0, 2.5]))
        R = rotation_from([1, 2, 3, 4])
        check_inertia("body 'a'", R @ np.diag([1.0, 2.0, 2.5]) @ R.T)
        check_inertia("body 'a'", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    def test_flat_body_passes(self):
        """A lamina has A + B = C exactly; turned in space it is off by rounding, either way."""
        rng = np.random.default_rng(1)
        check_inertia("plate", np.diag([1.0, 2.0, 3.0]))
        for _ in range(50):
            R = rotation_from(rng.normal(size=4))
            tensor = R @ np.diag([1.0, 2.0, 3.0]) @ R.T
            check_inertia("plate", 0.5 * (tensor + tensor.T))

    @pytest.mark.parametrize(
        ("inertia", "words"),
        [
            ([1.0, 2.0, 3.0], ["shape (3,)", "3 x 3", "numpy.diag"]),
            (np.eye(2), ["shape (2, 2)"]),
            ("heavy", ["'heavy'", "3 x 3 finite numbers"]),
            ([[1, 0, 0], [0, np.nan, 0], [0, 0, 1]], ["inertia[1, 1] is nan", "finite"]),
            ([[1, 0, 0], [0, 1, 0], [0, np.inf, 1]], ["inertia[2, 1] is inf"]),
            ([[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]], ["inertia[0, 1] is 0.2", "inertia[1, 0] is 0.1", "symmetric"]),
            (np.diag([1.0, -2.0, 3.0]), ["(-2, 1, 3) kg m^2", "above 0"]),
            (np.diag([0.0, 1.0, 1.0]), ["(0, 1, 1) kg m^2", "thickness"]),
            (np.diag([1.0, 3.0, 1.0]), ["(1, 1, 3)", "1 + 1 = 2 is less than 3", "A + B >= C", "centre of mass"]),
        ],
    )
    def test_bad_ones_are_named(self, inertia, words):
        with pytest.raises(InputError) as caught:
            check_inertia("body 'sled'", inertia)
        for word in ["body 'sled'", *words]:
            assert word in str(caught.value)

    def test_just_outside_the_tolerance(self):
        """1e-9 of the largest moment is forgiven, 1e-8 is not."""
        check_inertia("plate", np.diag([1.0, 2.0, 3.0 + 2e-9]))
        with pytest.raises(InputError, match="less than"):
            check_inertia("plate", np.diag([1.0, 2.0, 3.0 + 3e-8]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MassProperties(0.0, np.zeros(3), np.eye(3)), ["mass is 0.0", "[kg]"]),
        (lambda: MassProperties(np.nan, np.zeros(3), np.eye(3)), ["mass is nan"]),
        (lambda: MassProperties(True, np.zeros(3), np.eye(3)), ["mass is True"]),
        (lambda: MassProperties(1.0, [0, 0], np.eye(3)), ["com has shape (2,)", "three numbers"]),
        (lambda: MassProperties(1.0, [0, 0, np.inf], np.eye(3)), ["com[2] is inf"]),
        (lambda: combine([]), ["no part", "one or more"]),
        (lambda: MassProperties(1.0, np.zeros(3), np.eye(3)).moved((0, 0)), ["translation has shape (2,)"]),
        (lambda: MassProperties(1.0, np.zeros(3), np.eye(3)).moved((0, 0, 0), 2 * np.eye(3)), ["determinant 8"]),
        (lambda: MassProperties(1.0, np.zeros(3), np.eye(3)).moved((0, 0, 0), -np.eye(3)), ["determinant -1"]),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(InputError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
