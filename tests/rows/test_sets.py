"""Sets of impulses: prox is in the set, is the nearest point, and leaves members alone, whatever the sizes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelenk.rows.sets import prox_ball, prox_disc, prox_ellipse, prox_interval

INF = math.inf
ROUND = 8 * np.finfo(float).eps  # a few operations on numbers of the size of the result

# Squares of what is below 1e-154 vanish; such impulses are nothing.
numbers = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-100 else 0.0)
sizes = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([0.0, INF]))


class Interval:
    """[lo, hi]: a point, a half-line or everything at its extremes."""

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def prox(self, x):
        return np.array([prox_interval(x[0], self.lo, self.hi)])

    def excess(self, x):
        return max(self.lo - x[0], x[0] - self.hi, 0.0)

    def members(self, rng, count):
        lo, hi = max(self.lo, -1e7), min(self.hi, 1e7)
        return rng.uniform(lo, hi, (count, 1))


class Ellipsoid:
    """Sum of (x_k / axis_k)^2 <= 1: discs, balls and ellipses, where a half axis of 0 holds x_k at 0."""

    def __init__(self, prox, axes):
        self._prox, self.axes = prox, np.array(axes)

    def prox(self, x):
        return np.array(self._prox(*(float(c) for c in x)))

    def excess(self, x):
        """How far outside, as a share of the size: |x / axes| - 1."""
        if any(x[self.axes == 0.0] != 0.0):
            return INF
        finite = (self.axes > 0.0) & (self.axes < INF)
        return max(np.linalg.norm(x[finite] / self.axes[finite]) - 1.0, 0.0)

    def members(self, rng, count):
        """Half of them on the boundary, to 1e-12; infinite half axes bound nothing."""
        finite = self.axes < INF
        u = rng.normal(size=(count, np.count_nonzero(finite)))
        length = np.linalg.norm(u, axis=1, keepdims=True)
        share = np.where(np.arange(count) % 2, rng.uniform(0.0, 1.0, count), 1 - 1e-12)[:, None]
        inside = rng.uniform(-1e7, 1e7, (count, len(self.axes)))
        inside[:, finite] = u / length * share * self.axes[finite]
        return inside


def disc(radius):
    return Ellipsoid(lambda x, y: prox_disc(x, y, radius), [radius] * 2)


def ball(radius):
    return Ellipsoid(lambda x, y, z: prox_ball(x, y, z, radius), [radius] * 3)


def ellipse(a, b):
    return Ellipsoid(lambda x, y: prox_ellipse(x, y, a, b), [a, b])


intervals = st.tuples(numbers, st.floats(0.0, 1e6), st.sampled_from(["both", "low", "high", "all"])).map(
    lambda t: Interval(t[0] if t[2] in ("both", "low") else -INF, t[0] + t[1] if t[2] in ("both", "high") else INF)
)
cases = st.one_of(
    st.tuples(intervals, st.tuples(numbers)),
    st.tuples(sizes.map(disc), st.tuples(numbers, numbers)),
    st.tuples(sizes.map(ball), st.tuples(numbers, numbers, numbers)),
    st.tuples(st.builds(ellipse, sizes, sizes), st.tuples(numbers, numbers)),
)


@given(cases)
def test_prox_is_in_the_set_and_leaves_members_alone(case):
    """Once there, the nearest point is the point itself; on the boundary to the last digit or two."""
    convex, x = case
    p = convex.prox(np.array(x))
    assert np.isfinite(p).all()
    assert convex.excess(p) <= ROUND
    np.testing.assert_allclose(convex.prox(p), p, rtol=0, atol=ROUND * np.linalg.norm(p))
    inside = convex.members(np.random.default_rng(0), 4)
    for member in inside:
        np.testing.assert_array_equal(convex.prox(member), member)


@given(cases, st.integers(0, 2**32))
def test_prox_is_the_nearest_point(case, seed):
    """The variational inequality  (x - p).(y - p) <= 0  for every member y holds for the nearest point p alone.

    Its round-off is that of p, which moves the product by  eps |p| |x - p|  and  eps |p| |y - p|.
    """
    convex, x = case
    x = np.array(x)
    p = convex.prox(x)
    members = convex.members(np.random.default_rng(seed), 20)
    reach = np.linalg.norm(members - p, axis=1) + np.linalg.norm(x - p)
    slack = 4 * ROUND * (np.linalg.norm(p) + np.linalg.norm(x)) * reach
    assert ((members - p) @ (x - p) <= slack).all()


def test_ellipse_against_brute_force():
    """Nearest of a fine walk along the boundary, narrowed three times; half axes and points over six decades."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        a, b = 10.0 ** rng.uniform(-3, 3, 2)
        x = np.array([a, b]) * rng.normal(size=2) * 10.0 ** rng.uniform(0, 3)
        p = np.array(prox_ellipse(*x, a, b))
        if (x[0] / a) ** 2 + (x[1] / b) ** 2 <= 1.0:
            np.testing.assert_array_equal(p, x)
            continue
        middle, width = 0.0, math.pi
        for _ in range(6):
            angle = middle + np.linspace(-width, width, 2001)
            walk = np.stack((a * np.cos(angle), b * np.sin(angle)), axis=1)
            middle, width = angle[np.argmin(np.linalg.norm(walk - x, axis=1))], width / 500
        # the distance is flat at its minimum, so that a walk finds it to round-off
        best = np.linalg.norm(walk - x, axis=1).min()
        assert np.linalg.norm(p - x) <= best * (1 + ROUND)


@pytest.mark.parametrize(
    ("x", "axes", "nearest"),
    [
        ((3.0, 4.0), (0.0, 0.0), (0.0, 0.0)),
        ((3.0, 4.0), (2.0, 0.0), (2.0, 0.0)),
        ((3.0, -4.0), (0.0, 1.0), (0.0, -1.0)),
        ((3.0, 4.0), (INF, 1.0), (3.0, 1.0)),
        ((0.0, 4.0), (INF, 1.0), (0.0, 1.0)),
        ((-3.0, 4.0), (2.0, INF), (-2.0, 4.0)),
        ((3.0, 4.0), (INF, INF), (3.0, 4.0)),
        ((3.0, 4.0), (INF, 0.0), (3.0, 0.0)),
        ((3.0, 4.0), (2.5, 2.5), (1.5, 2.0)),
        ((0.0, 4.0), (3.0, 2.0), (0.0, 2.0)),
        ((5.0, 0.0), (3.0, 2.0), (3.0, 0.0)),
        ((0.5, 0.5), (3.0, 2.0), (0.5, 0.5)),
    ],
)
def test_degenerate_ellipses(x, axes, nearest):
    """Points, segments, strips and the plane; points on the axes, where the centre of curvature lies inside."""
    np.testing.assert_allclose(prox_ellipse(*x, *axes), nearest, rtol=ROUND, atol=0)


@pytest.mark.parametrize("far", [1e3, 1e150])
def test_far_points_keep_their_direction(far):
    """An impulse that a solver threw far out comes back to the boundary; squares overflow beyond 1e154."""
    np.testing.assert_allclose(prox_disc(3 * far, 4 * far, 5.0), (3.0, 4.0), rtol=ROUND)
    np.testing.assert_allclose(prox_ball(2 * far, 3 * far, 6 * far, 7.0), (2.0, 3.0, 6.0), rtol=ROUND)
    np.testing.assert_allclose(prox_ellipse(3 * far, 4 * far, 5.0, 5.0), (3.0, 4.0), rtol=ROUND)


def test_half_lines_and_empty_bounds():
    assert prox_interval(-3.0, 0.0, INF) == 0.0
    assert prox_interval(3.0, 0.0, INF) == 3.0
    assert prox_interval(3.0, -INF, 0.0) == 0.0
    assert prox_interval(3.0, -INF, INF) == 3.0
    assert prox_interval(3.0, 1.0, 1.0) == 1.0


def test_a_negative_radius_is_no_force():
    """A normal impulse that came out a rounding below zero carries no friction."""
    assert prox_disc(1.0, 2.0, -1e-17) == (0.0, 0.0)
    assert prox_ball(1.0, 2.0, 3.0, -1e-17) == (0.0, 0.0, 0.0)
    assert prox_ellipse(1.0, 2.0, -1e-17, 1.0) == (0.0, 1.0)
