"""Curves: interpolation, smoothness, order, arc length, frames that neither flip nor break, nearest points.

Circle, helix and their frames have closed forms; the rest is held against finite differences and brute force.
"""

import math
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gelenk.compile import ENABLED, kernel
from gelenk.errors import InputError
from gelenk.geometry.curve import Curve
from gelenk.geometry.curve_eval import Curves, curve_foot, curve_frame, curve_point, nearest_on_curve, pack_curves
from gelenk.math.vec3 import get3, put3

EPS = 2.0**-52
RADIUS, PITCH, TURNS = 0.5, 0.1, 1.25  # helix (r cos a, r sin a, b a)
SLANT = math.hypot(RADIUS, PITCH)  # arc length a radian


@kernel
def evaluate(curves, k, s, out):
    """Rows c, c', c'', n1, n2, n1', n2' for every s."""
    for i in range(s.shape[0]):
        c, c1, c2 = curve_point(curves, k, s[i])
        n1, n2, dn1, dn2 = curve_frame(curves, k, s[i])
        put3(out[i], 0, c)
        put3(out[i], 1, c1)
        put3(out[i], 2, c2)
        put3(out[i], 3, n1)
        put3(out[i], 4, n2)
        put3(out[i], 5, dn1)
        put3(out[i], 6, dn2)


@kernel
def search(curves, k, p, guess, s_out):
    for i in range(guess.shape[0]):
        s_out[i] = curve_foot(curves, k, get3(p, i), guess[i])


def values(curves, s, k=0, entry=evaluate):
    curves = curves if isinstance(curves, Curves) else pack_curves([curves])
    s = np.atleast_1d(np.asarray(s, dtype=np.float64))
    out = np.full((len(s), 7, 3), np.nan)
    entry(curves, k, s, out)
    return out.swapaxes(0, 1)


def feet(curves, p, guess, k=0, entry=search):
    curves = curves if isinstance(curves, Curves) else pack_curves([curves])
    out = np.full(len(guess), np.nan)
    entry(curves, k, np.ascontiguousarray(p), np.asarray(guess, dtype=np.float64), out)
    return out


def dot(a, b):
    return (a * b).sum(axis=-1)


def norm(a):
    return np.linalg.norm(a, axis=-1)


def circle(count, radius=1.0):
    return Curve.along(
        lambda a: (radius * math.cos(a), radius * math.sin(a), 0.0), 0.0, 2.0 * math.pi, count, closed=True
    )


def helix_point(a):
    return RADIUS * math.cos(a), RADIUS * math.sin(a), PITCH * a


def helix(count):
    return Curve.along(helix_point, 0.0, 2.0 * math.pi * TURNS, count)


def winding(count, around=3):
    """Closed curve that winds round a ring: its torsion leaves an angle after one turn."""

    def at(a):
        r = 1.0 + 0.3 * math.cos(around * a)
        return r * math.cos(a), r * math.sin(a), 0.3 * math.sin(around * a)

    return Curve.along(at, 0.0, 2.0 * math.pi, count, closed=True)


def trefoil(count):
    def at(a):
        return math.sin(a) + 2 * math.sin(2 * a), math.cos(a) - 2 * math.cos(2 * a), -math.sin(3 * a)

    return Curve.along(at, 0.0, 2.0 * math.pi, count, closed=True)


def rough(closed):
    """Random points, uneven: the first such curve that the checks let through."""
    random = np.random.default_rng(5)
    return Curve(random.normal(size=(12, 3)), closed)


def hairpin():
    """Two long straight pieces and a tight bend of many points: segments that differ by a factor of 500."""
    bend = [(5.0 + 0.05 * math.cos(a), 0.05 * math.sin(a), 0.0) for a in np.linspace(-0.5 * math.pi, 0.5 * math.pi, 25)]
    return Curve([(0.0, -0.05, 0.0), (2.0, -0.05, 0.0), *bend, (2.0, 0.05, 0.0), (0.0, 0.05, 0.0)])


CURVES = {
    "circle": circle(16),
    "helix": helix(24),
    "winding": winding(48),
    "trefoil": trefoil(60),
    "rough open": rough(False),
    "rough closed": rough(True),
    "hairpin": hairpin(),
    "parabola": Curve([(0, 0, 0), (1, 0.5, 0), (2, 0, 1)]),
    "straight": Curve([(0, 0, 0), (1, 0, 0), (3, 0, 0), (3.5, 0, 0)]),
    "upright": Curve([(0, 0, 0), (0, 0, 1), (0.2, 0, 2), (0, 0.3, 3)]),
    "square": Curve([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], closed=True),
}
every_curve = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())


def places(curve, count=301, seed=0):
    """Random arc lengths, from one length before the start to one length past the end."""
    return np.random.default_rng(seed).uniform(-curve.length, 2.0 * curve.length, count)


def smooth_places(curve, count=301):
    """Places away from knots, where also third derivatives exist, within the curve."""
    knots, x = curve.spline.knots, np.random.default_rng(1).uniform(0.1, 0.9, count)
    i = np.random.default_rng(2).integers(0, len(knots) - 1, count)
    return knots[i] + x * np.diff(knots)[i]


# --- the spline ------------------------------------------------------------------------------------------------------


@every_curve
def test_goes_through_its_points_in_order(curve):
    points = np.array(curve.points)
    knots = curve.spline.knots[: len(points)]
    # at a knot Horner's scheme starts from the point itself; at the end of the last segment it sums four terms
    np.testing.assert_allclose(curve.at(knots), points, rtol=0, atol=8 * EPS * np.abs(points).max())
    assert (np.diff(curve.spline.knots) > 0.0).all()
    assert curve.length == curve.spline.knots[-1]


@every_curve
def test_derivatives_match_finite_differences(curve):
    s = smooth_places(curve)
    h = 1e-4 * np.diff(curve.spline.knots).min()
    c, c1, c2, *_ = values(curve, s)
    before, after = values(curve, s - h), values(curve, s + h)
    # a cubic: the central difference of c errs by exactly h^2 c''' / 6, that of c' not at all; rounding is eps |c| / h
    third = 6.0 * np.abs(curve.spline.point[:, 3]).max()
    size = np.abs(c).max() + np.abs(s).max()
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), c1, rtol=0, atol=h * h * third + 4 * EPS * size / h)
    size = np.abs(c1).max() + np.abs(s).max() * np.abs(c2).max()
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), c2, rtol=0, atol=4 * EPS * size / h)


@every_curve
def test_second_derivative_is_continuous_at_the_knots(curve):
    a, h = curve.spline.point, np.diff(curve.spline.knots)[:, None]
    end = [
        a[:, 0] + h * (a[:, 1] + h * (a[:, 2] + h * a[:, 3])),
        a[:, 1] + h * (2 * a[:, 2] + 3 * h * a[:, 3]),
        2 * a[:, 2] + 6 * h * a[:, 3],
    ]
    start = [a[:, 0], a[:, 1], 2 * a[:, 2]]
    for order, (left, right) in enumerate(zip(end, start)):
        right = np.roll(right, -1, axis=0)
        gap = np.abs(left - right) if curve.closed else np.abs(left - right)[:-1]
        # the fit divides differences of points by the spacing, once an order
        assert gap.max() <= 64 * EPS * np.abs(np.array(curve.points)).max() / h.min() ** order


def test_open_curve_goes_on_straight_beyond_its_ends():
    curve = helix(24)
    for s, edge in ((np.array([-0.7, -1e-9]), 0.0), (curve.length + np.array([1e-9, 5.0]), curve.length)):
        c, c1, c2, n1, n2, dn1, dn2 = values(curve, s)
        c_, c1_, _, n1_, n2_, _, _ = values(curve, [edge])
        np.testing.assert_allclose(c, c_ + (s - edge)[:, None] * c1_, rtol=0, atol=4 * EPS * 6.0)
        for got, expected in ((c1, c1_), (n1, n1_), (n2, n2_)):
            np.testing.assert_array_equal(got, np.repeat(expected, 2, axis=0))
        for got in (c2, dn1, dn2):
            np.testing.assert_array_equal(got, 0.0)


def test_closed_curve_repeats_after_its_length():
    curve = winding(48)
    s = np.linspace(0.0, curve.length, 50)
    once = values(curve, s)
    for turns in (-3, 1, 40):
        # s + turns L is rounded to EPS of itself, and enters with the third derivatives of c and n
        again = values(curve, s + turns * curve.length)
        np.testing.assert_allclose(again, once, rtol=0, atol=50 * EPS * 41 * curve.length * np.abs(once).max())


@every_curve
def test_python_side_agrees_with_the_compiled_one(curve):
    s = places(curve)
    c, c1, _, n1, *_ = values(curve, s)
    size = np.abs(s).max() + np.abs(c).max()
    np.testing.assert_allclose(curve.at(s), c, rtol=0, atol=16 * EPS * size)
    bend = 16 * EPS * size * max(1.0, np.abs(curve.spline.point[:, 2:]).max())
    np.testing.assert_allclose(curve.tangent(s), c1 / norm(c1)[:, None], rtol=0, atol=bend)
    np.testing.assert_allclose(curve.normal(s), n1, rtol=0, atol=20 * bend)
    assert curve.at(0.25).shape == (3,)
    assert curve.at(np.zeros((2, 4))).shape == (2, 4, 3)


# --- order and arc length --------------------------------------------------------------------------------------------


def observed_order(errors):
    """Exponents from each error to the next, for spacings that halve."""
    errors = np.array(errors)
    return np.log2(errors[:-1] / errors[1:])


def test_circle_converges_with_fourth_order():
    errors, lengths, speeds = [], [], []
    for count in (16, 32, 64, 128):
        curve = circle(count)
        s = np.linspace(0.0, curve.length, 1001)
        a = s / curve.length * 2.0 * math.pi
        exact = np.stack((np.cos(a), np.sin(a), 0.0 * a), axis=-1)
        errors.append(norm(curve.at(s) - exact).max())
        lengths.append(abs(curve.length - 2.0 * math.pi))
        speeds.append(np.abs(norm(values(curve, s)[1]) - 1.0).max())
    # the circle is even, so the speed gains the order that its derivative loses
    for measured in (errors, lengths, speeds):
        np.testing.assert_allclose(observed_order(measured), 4.0, rtol=0, atol=0.1)


def test_helix_converges_with_fourth_order_up_to_its_ends():
    errors, lengths = [], []
    for count in (81, 161, 321, 641):
        curve = helix(count)
        s = np.linspace(0.0, curve.length, 4001)
        a = s / SLANT
        exact = np.stack((RADIUS * np.cos(a), RADIUS * np.sin(a), PITCH * a), axis=-1)
        errors.append(norm(curve.at(s) - exact).max())
        lengths.append(abs(curve.length - SLANT * 2.0 * math.pi * TURNS))
    np.testing.assert_allclose(observed_order(errors), 4.0, rtol=0, atol=0.25)
    np.testing.assert_allclose(observed_order(lengths), 4.0, rtol=0, atol=0.25)


@pytest.mark.parametrize(("count", "bound"), [(8, 2e-3), (16, 1.1e-4), (32, 7e-6)])
def test_speed_on_a_circle_is_as_near_to_one_as_the_docstring_says(count, bound):
    speed = norm(values(circle(count), np.linspace(0.0, 6.2, 500))[1])
    assert 0.3 * bound < np.abs(speed - 1.0).max() <= bound


def test_speed_at_the_ends_of_a_helix_is_as_near_to_one_as_the_docstring_says():
    curve = Curve.along(helix_point, 0.0, 2.0 * math.pi, 16)
    speed = norm(values(curve, np.linspace(0.0, curve.length, 500))[1])
    assert 0.002 < np.abs(speed - 1.0).max() <= 0.004


@every_curve
def test_every_segment_has_its_own_arc_length(curve):
    knots = curve.spline.knots
    x, w = np.polynomial.legendre.leggauss(40)
    h = np.diff(knots)
    speed = norm(values(curve, (knots[:-1, None] + 0.5 * h[:, None] * (x + 1.0)).ravel())[1]).reshape(len(h), -1)
    # the knots settle to 1e-11; eight Gauss points miss up to 1e-3 where |c'| nearly has a kink
    tolerance = 1e-3 if min(speed.ravel()) < 0.5 else 1e-9
    np.testing.assert_allclose(0.5 * h * (speed @ w), h, rtol=tolerance)


# --- frames ----------------------------------------------------------------------------------------------------------


@every_curve
def test_frame_is_orthonormal_and_right_handed(curve):
    _, c1, _, n1, n2, _, _ = values(curve, places(curve))
    t = c1 / norm(c1)[:, None]
    # the projection divides its rounding by |m|, which the checks keep above 0.05
    for a, b, expected in ((n1, n1, 1), (n2, n2, 1), (n1, n2, 0), (n1, t, 0), (n2, t, 0)):
        np.testing.assert_allclose(dot(a, b), expected, rtol=0, atol=8 * EPS / 0.05)
    np.testing.assert_allclose(np.cross(t, n1), n2, rtol=0, atol=8 * EPS)


@every_curve
def test_frame_derivatives_match_finite_differences(curve):
    s = smooth_places(curve)
    h = 1e-5 * np.diff(curve.spline.knots).min()
    at, before, after = values(curve, s), values(curve, s - h), values(curve, s + h)
    far = (values(curve, s - 2 * h), values(curve, s + 2 * h))
    for n, dn in ((3, 5), (4, 6)):
        # fourth order: the h^4 term is far below the rounding of s and n over h
        difference = (8 * (after[n] - before[n]) - (far[1][n] - far[0][n])) / (12 * h)
        scale = 1.0 + np.abs(at[dn]).max() * curve.length
        np.testing.assert_allclose(difference, at[dn], rtol=0, atol=20 * EPS * scale / h)


@every_curve
def test_frame_and_its_derivative_are_continuous_and_never_flip(curve):
    # the end of a closed curve meets its start; the ends of an open one are left out, since c'' jumps there
    knots = curve.spline.knots if curve.closed else curve.spline.knots[1:-1]
    if curve.closed:
        assert len(knots) == len(curve.points) + 1
    d = 1e-9 * np.diff(curve.spline.knots).min()
    left, right = values(curve, knots - d), values(curve, knots + d)
    for row in (3, 4):
        np.testing.assert_allclose(left[row], right[row], rtol=0, atol=4 * d * (1.0 + np.abs(left[5:]).max()))
    # the slope of n' is at most about (third derivative of c, 1 / |m|^2) / h^2
    h = np.diff(curve.spline.knots).min()
    for row in (5, 6):
        np.testing.assert_allclose(left[row], right[row], rtol=0, atol=1e4 * d / h**2 + 1e-9)
    s = np.linspace(0.0, curve.length, 400 * len(curve.points))
    n1 = values(curve, s)[3]
    assert (dot(n1[1:], n1[:-1]) > 0.9).all()


@pytest.mark.parametrize(
    "curve",
    [winding(48), winding(96, around=5), trefoil(60), rough(True)],
    ids=["winding", "five windings", "trefoil", "rough"],
)
def test_frame_closes_with_its_twist_spread_evenly(curve):
    s = np.linspace(0.0, curve.length, 4001)
    _, _, _, n1, _, dn1, _ = values(curve, s)
    np.testing.assert_allclose(n1[0], n1[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(dn1[0], dn1[-1], rtol=0, atol=1e-11 * (1.0 + np.abs(dn1).max()))
    # the turning about t, w = n1' . n2, is the same at all knots; less than half a turn in all
    at_knots = values(curve, curve.spline.knots)
    twist = dot(at_knots[5], at_knots[4])
    np.testing.assert_allclose(twist, twist[0], rtol=0, atol=1e-10 * (1.0 + np.abs(at_knots[5]).max()))
    assert abs(twist[0]) * curve.length <= math.pi * (1.0 + 1e-9)


def test_twist_of_a_closed_curve_is_its_total_torsion():
    """The rotation-minimising frame turns by minus the torsion against Frenet's, so this much is left to spread.

    Total torsion of the winding curve by quadrature of its closed-form derivatives (Calugareanu: it need not be a
    multiple of a full turn).
    """
    a = np.linspace(0.0, 2.0 * math.pi, 4001)[:-1]

    def ring(z):
        r = 1.0 + 0.3 * np.cos(3 * z)
        return np.stack((r * np.cos(z), r * np.sin(z), 0.3 * np.sin(3 * z)))

    # spectral derivatives of a trigonometric polynomial are exact
    modes = 1j * np.fft.fftfreq(len(a), 1.0 / len(a))
    d1, d2, d3 = (np.fft.ifft(np.fft.fft(ring(a)) * modes**order).real.T for order in (1, 2, 3))
    binormal = np.cross(d1, d2)
    torsion = dot(binormal, d3) / dot(binormal, binormal)
    total = (torsion * norm(d1)).mean() * 2.0 * math.pi
    errors = []
    for count in (48, 96, 192):
        curve = winding(count)
        _, _, _, _, n2, dn1, _ = values(curve, [0.0])
        angle = float(dot(dn1, n2)[0]) * curve.length
        errors.append(abs(math.remainder(angle - total, 2.0 * math.pi)))
    # total - angle is a whole number of turns; it differs by c''' of the spline, of first order and better when summed
    assert errors[-1] < 1e-3
    assert (observed_order(errors) > 1.8).all()


def test_frame_of_a_helix_turns_by_minus_its_torsion():
    torsion = PITCH / SLANT**2
    errors, rates = [], []
    for count in (41, 81, 161):
        curve = helix(count)
        s = np.linspace(0.0, curve.length, 1001)
        _, _, _, n1, n2, dn1, _ = values(curve, s)
        a = s / SLANT
        N = np.stack((-np.cos(a), -np.sin(a), 0.0 * a), axis=-1)
        B = np.stack((PITCH * np.sin(a), -PITCH * np.cos(a), RADIUS + 0.0 * a), axis=-1) / SLANT
        turned = np.unwrap(np.arctan2(dot(n1, B), dot(n1, N)))
        errors.append(np.abs(turned - turned[0] + torsion * s).max())
        rates.append(np.abs(dot(dn1, n2)).max())
    # tangents, and with them the frame, are a derivative of the spline: third order; the rate is one below
    assert (observed_order(errors) > 2.75).all()
    assert errors[-1] < 1e-4
    assert (observed_order(rates) > 1.75).all()


def test_frame_begins_near_the_vertical():
    np.testing.assert_allclose(circle(8).normal([0.0, 1.0, 2.5]), [(0, 0, 1)] * 3, rtol=0, atol=1e-14)
    upright = CURVES["upright"]
    t, n = upright.tangent(0.0), upright.normal(0.0)
    assert t[2] > 0.9
    expected = np.array([1.0, 0.0, 0.0]) - t[0] * t
    np.testing.assert_allclose(n, expected / norm(expected), rtol=0, atol=1e-14)


def test_frame_of_a_plane_curve_keeps_its_binormal():
    curve = Curve.along(lambda a: (2 * math.cos(a), math.sin(a), 0.3), 0.0, 2.0 * math.pi, 20, closed=True)
    _, _, _, n1, _, dn1, _ = values(curve, np.linspace(0.0, curve.length, 200))
    np.testing.assert_allclose(n1, np.tile([0.0, 0.0, 1.0], (200, 1)), rtol=0, atol=1e-13)
    np.testing.assert_allclose(dn1, 0.0, rtol=0, atol=1e-12)


# --- nearest points --------------------------------------------------------------------------------------------------


def brute_force(curve, p, low, high, count=20001):
    """Nearest of many samples, and their spacing."""
    s = np.linspace(low, high, count)
    distance = norm(curve.at(s) - p)
    return s[np.argmin(distance)], distance.min(), (high - low) / (count - 1)


@pytest.mark.parametrize("name", ["circle", "helix", "winding", "trefoil"])
def test_foot_is_the_nearest_point_nearby(name):
    curve = CURVES[name]
    random = np.random.default_rng(3)
    s = random.uniform(0.1, curve.length - 0.1, 60)
    p = curve.at(s) + 0.03 * random.normal(size=(60, 3))
    found = feet(curve, p, s + random.uniform(-0.05, 0.05, 60))
    c, c1, *_ = values(curve, found)
    # the residual (p - c) . c' is rounded where p - c cancels
    np.testing.assert_allclose(dot(p - c, c1), 0.0, rtol=0, atol=16 * EPS * 4.0)
    for i in range(60):
        nearest, distance, spacing = brute_force(curve, p[i], s[i] - 0.2, s[i] + 0.2)
        assert abs(found[i] - nearest) <= spacing
        assert norm(p[i] - c[i]) <= distance * (1.0 + 4 * EPS)


@every_curve
def test_foot_of_a_point_on_the_curve_is_its_place(curve):
    """Also from guesses as far off as a fast body moves within a step: a tenth of the spacing."""
    s = places(curve)
    step = 0.1 * np.diff(curve.spline.knots).min()
    guess = s + np.random.default_rng(4).uniform(-step, step, len(s))
    found = feet(curve, values(curve, s)[0], guess)
    # rounding of c, of s over three lengths; the slowest |c'| divides it
    slowest = norm(values(curve, np.linspace(0.0, curve.length, 2000))[1]).min()
    np.testing.assert_allclose(found, s, rtol=0, atol=16 * EPS * (2.0 * curve.length + 4.0) / slowest)


def test_foot_on_a_circle_follows_over_many_turns():
    curve = circle(64)
    a = np.linspace(0.0, 40.0 * math.pi, 2001)
    p = 1.3 * np.stack((np.cos(a), np.sin(a), 0.2 + 0.0 * a), axis=-1)
    packed, s = pack_curves([curve]), 0.0
    followed = []
    for point in p:
        s = feet(packed, point[None], [s])[0]
        followed.append(s)
    # the direction of a spline errs by h^3 / 24 times the fourth derivative, which is 1, and tilts the perpendicular
    h = 2.0 * math.pi / 64
    np.testing.assert_allclose(np.array(followed) / curve.length * 2.0 * math.pi, a, rtol=0, atol=h**3 / 24)


def test_foot_beyond_an_open_end_lies_on_the_straight_extension():
    curve = helix(24)
    for edge, sign in ((0.0, -1.0), (curve.length, 1.0)):
        c, c1, _, n1, *_ = (row[0] for row in values(curve, [edge]))
        for far in (1e-3, 0.4, 250.0):
            p = c + sign * far * c1 + 0.05 * n1
            found = feet(curve, p[None], [edge - sign * 0.05])[0]
            assert found == pytest.approx(edge + sign * far, rel=0, abs=16 * EPS * (far + 6.0))


def test_foot_never_leads_farther_away_and_ends_at_a_minimum():
    """From any guess and for any point, also within the curvature and far away."""
    random = np.random.default_rng(7)
    n = 1000
    for curve in (circle(16), winding(48), trefoil(60), rough(True), helix(24), rough(False)):
        p = random.normal(size=(n, 3)) * random.choice([0.05, 1.0, 20.0], (n, 1))
        guess = random.uniform(0.0, curve.length, n)
        found = feet(curve, p, guess)
        assert np.isfinite(found).all()
        before, after = values(curve, guess)[0], values(curve, found)
        distance = norm(p - after[0])
        assert (distance <= norm(p - before) * (1.0 + 1e-9)).all()
        # stationary, and the second derivative of half the squared distance is not negative
        slope = dot(p - after[0], after[1])
        assert (np.abs(slope) <= 1e-9 * (1.0 + distance)).all()
        assert (dot(after[1], after[1]) - dot(p - after[0], after[2]) > -1e-6 * (1.0 + distance)).all()
        if curve.closed:
            assert (np.abs(found - guess) <= curve.length).all()


def test_foot_does_not_swing_over_an_open_end():
    """Far points near the plane across the end of a helix: full steps lead from the bend to the straight and back."""
    curve = helix(24)
    random = np.random.default_rng(11)
    c, c1, c2 = (row[0] for row in values(curve, [0.0])[:3])
    e = np.stack((c1, c2 / norm(c2), np.cross(c1, c2) / norm(c2)))
    p = c + random.uniform((-1.0, -20.0, -20.0), (1.0, 20.0, 20.0), (500, 3)) @ e
    found = feet(curve, p, random.uniform(0.1, 0.4, 500))
    out = values(curve, found)
    d = p - out[0]
    assert (np.abs(dot(d, out[1])) <= 1e-9 * (1.0 + norm(d))).all()


def test_foot_keeps_to_its_turn_of_a_narrow_coil():
    """The neighbouring turns are nearly as near; the nearest point of a guess's own turn is within half of it."""
    pitch, turns = 0.01, 8
    coil = Curve.along(
        lambda a: (RADIUS * math.cos(a), RADIUS * math.sin(a), pitch * a), 0.0, 2.0 * math.pi * turns, 200
    )
    random = np.random.default_rng(3)
    turn = coil.length / turns
    guess = random.uniform(3.0 * turn, 5.0 * turn, 1000)
    p = coil.at(guess) * (0.0, 0.0, 1.0) + random.normal(size=(1000, 3)) * (0.1, 0.1, 0.0)
    assert np.abs(feet(coil, p, guess) - guess).max() <= 0.55 * turn


def test_foot_at_the_centre_of_a_circle_stays_put():
    """Every point is as near: whatever comes out is finite and deterministic."""
    guess = np.linspace(0.0, 6.0, 7)
    found = feet(circle(16), np.zeros((7, 3)), guess)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, feet(circle(16), np.zeros((7, 3)), guess))


@every_curve
def test_nearest_on_curve_agrees_with_brute_force(curve):
    random = np.random.default_rng(8)
    for p in random.uniform(-2.5, 2.5, (12, 3)):
        s = nearest_on_curve(curve, p)
        _, distance, _ = brute_force(curve, p, 0.0, curve.length, 40001)
        assert 0.0 <= s <= curve.length
        assert norm(curve.at(s) - p) <= distance * (1.0 + 8 * EPS)


def test_nearest_on_curve_takes_the_end_of_an_open_curve():
    curve = Curve([(0, 0, 0), (1, 0, 0), (2, 0, 0)])
    assert nearest_on_curve(curve, (-3.0, 1.0, 0.0)) == 0.0
    assert nearest_on_curve(curve, (7.0, 0.0, 1.0)) == curve.length == 2.0
    assert nearest_on_curve(curve, (0.3, 5.0, 0.0)) == pytest.approx(0.3, abs=8 * EPS)


# --- packing and compiling -------------------------------------------------------------------------------------------


def test_packed_curves_give_the_same_bits_as_each_alone():
    packed = pack_curves(list(CURVES.values()))
    for k, curve in enumerate(CURVES.values()):
        s = places(curve, 50)
        np.testing.assert_array_equal(values(packed, s, k), values(curve, s))
        p = values(curve, s)[0] + 0.01
        np.testing.assert_array_equal(feet(packed, p, s, k), feet(curve, p, s))


def test_packed_arrays_have_the_types_kernels_expect():
    for curves in ([], [circle(8)], [circle(8), helix(9)]):
        packed = pack_curves(curves)
        n = sum(len(curve.points) - (not curve.closed) for curve in curves)
        assert packed.first.dtype == packed.table.dtype == np.uint32
        assert packed.first.shape == (len(curves) + 1,)
        assert packed.closed.dtype == np.bool_
        assert packed.start.shape == packed.table.shape == (n,)
        assert packed.course.shape == packed.normal.shape == (n, 4, 3)
        assert packed.closed.shape == packed.length.shape == (len(curves),)
        for array in (packed.length, packed.start, packed.course, packed.normal):
            assert array.dtype == np.float64
        assert all(array.flags.c_contiguous for array in packed)
        assert values(packed, []).shape == (7, 0, 3)  # the kernel accepts them


@pytest.mark.parametrize("name", ["winding", "helix", "rough open"])
def test_compiled_and_interpreted_give_the_same_bits(name):
    curve = CURVES[name]
    s = places(curve, 40)
    python = evaluate.python
    np.testing.assert_array_equal(values(curve, s), values(curve, s, entry=python))
    p = curve.at(s) + np.random.default_rng(9).normal(size=(40, 3)) * 0.3
    np.testing.assert_array_equal(feet(curve, p, s + 0.05), feet(curve, p, s + 0.05, entry=search.python))


@pytest.mark.parametrize("entry", [evaluate, evaluate.python], ids=["compiled", "python"])
@pytest.mark.parametrize("name", ["circle", "helix"])
def test_not_a_number_stays_so(entry, name):
    curve = CURVES[name]
    assert np.isnan(values(curve, [np.nan], entry=entry)[0]).all()
    if ENABLED and entry is evaluate:  # Python warns where infinities cancel
        assert not np.isfinite(values(curve, [np.inf, -np.inf])[0]).all(axis=-1).any()


@pytest.mark.parametrize("entry", [search, search.python], ids=["compiled", "python"])
def test_foot_of_not_a_number_is_not_a_number(entry):
    for curve in (circle(8), helix(9)):
        found = feet(curve, [[np.nan, 0.0, 0.0], [0.0, 0.0, 0.1]], [0.1, np.nan], entry=entry)
        assert np.isnan(found).all()


def test_importing_curves_loads_neither_compiler_nor_scipy():
    code = "import sys, gelenk.geometry.curve_eval; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- data and input --------------------------------------------------------------------------------------------------


def test_curve_is_a_value():
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5)]
    curve = Curve(np.array(points))
    assert curve == Curve(points) == pickle.loads(pickle.dumps(curve))
    assert hash(curve) == hash(Curve(points))
    assert curve.points[3] == (0.0, 1.0, 0.5)
    assert all(type(x) is float for point in curve.points for x in point)
    closed = replace(curve, closed=True)
    assert closed != curve
    assert closed.length > curve.length  # nothing kept from the open one
    assert not hasattr(curve, "name")


def test_along_samples_the_function():
    curve = Curve.along(helix_point, 0.5, 2.0, 7)
    np.testing.assert_array_equal(curve.points, [helix_point(a) for a in np.linspace(0.5, 2.0, 7)])
    assert len(circle(9).points) == 9
    assert circle(9).points[-1] != circle(9).points[0]


LINE = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Curve(LINE[:2]), "it has 2 points; allowed: at least 3 points"),
        (lambda: Curve([*LINE[:2], (0, 1, 0)], closed=True), "at least 4 points for a closed curve"),
        (lambda: Curve([*LINE, (np.nan, 0, 0)]), "row 3 of points"),
        (lambda: Curve([*LINE, (math.inf, 0, 0)]), "row 3 of points"),
        (lambda: Curve([*LINE, (1e200, 0, 0)]), "a coordinate is 1e\\+200"),
        (lambda: Curve([*LINE, (2, 0, 0), (3, 1, 0)]), "points 2 and 3 are the same"),
        (lambda: Curve([*LINE, (2, 0, 1e-14), (3, 1, 0)]), "points 2 and 3 are the same"),
        (lambda: Curve([*LINE, (1, 1, 0), (0, 0, 0)], closed=True), "points 4 and 0 are the same.*returns by itself"),
        (lambda: Curve([(1, 1, 1)] * 3), "points 0 and 1 are the same"),
        (lambda: Curve([(0, 0, 0), (1, 0, 0), (0, 0, 0)]), "turns back too sharply near point 1"),
        (lambda: Curve([(0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0)]), "turns back too sharply near point"),
        (lambda: Curve([(0, 0), (1, 0), (2, 1)]), "points"),
        (lambda: Curve("abc"), "points"),
        (lambda: Curve([]), "points"),
        (lambda: Curve([(0, 0, 0), (1, 0), (2, 0, 0)]), "points"),
        (lambda: Curve(LINE, closed=1), "closed is 1; allowed: true or false"),
        (lambda: Curve.along(3, 0, 1, 5), "function is 3"),
        (lambda: Curve.along(helix_point, 0, 1, 2), "count is 2"),
        (lambda: Curve.along(helix_point, 0, math.inf, 5), "end is inf"),
        (lambda: Curve.along(lambda t: (t, 0.0), 0, 1, 5), "function\\(0.0\\)"),
        (lambda: Curve.along(lambda t: (t, math.nan, 0.0), 0, 1, 5), "function\\(0.0\\)"),
        (lambda: nearest_on_curve(circle(8), (0, 1)), "p is \\(0, 1\\)"),
    ],
)
def test_bad_input_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
