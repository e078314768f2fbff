"""The friction set of a runner: nearest points, in lengths and other measures, steady sliding (B-24, B-26, B-27)."""

import math

import numpy as np
import pytest

from gelenk import compile as compiler
from gelenk.compile import kernel
from gelenk.forces.runner_friction import RunnerFriction
from gelenk.rows.runner_set import nearest_in_runner_set, within_runner_set

MANY = 3000 if compiler.ENABLED else 300
EPS = np.finfo(np.float64).eps


@kernel
def nearest_of_many(at, K, size, out):
    """Nearest points of sets (n, 3) f, a, b to points (n, 2) in measures (n, 3) tt, ts, ss."""
    for i in range(at.shape[0]):
        x, y = nearest_in_runner_set(at[i, 0], at[i, 1], K[i, 0], K[i, 1], K[i, 2], size[i, 0], size[i, 1], size[i, 2])
        out[i, 0], out[i, 1] = x, y


def nearest(at, K, size):
    out = np.zeros_like(at)
    nearest_of_many(at, K, size, out)
    return out


def samples(seed, count=MANY, euclid=False):
    """Points in and around sets from nearly a rectangle to an ellipse, and from needles to discs."""
    rng = np.random.default_rng(seed)
    a = 10.0 ** rng.uniform(-3, 1, count)
    f = a * rng.choice([0.0, 0.3, 0.66, 0.95], count)
    b = a * 10.0 ** rng.uniform(-1.5, 1.5, count)
    at = np.column_stack((a, b)) * rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-1, 2, (count, 1))
    angle, k = rng.uniform(0, math.pi, count), 10.0 ** rng.uniform(-1, 1, (count, 2))
    if euclid:
        k[:] = 1.0
    c, s = np.cos(angle), np.sin(angle)
    K = np.column_stack(
        (c * c * k[:, 0] + s * s * k[:, 1], c * s * (k[:, 0] - k[:, 1]), s * s * k[:, 0] + c * c * k[:, 1])
    )
    return at, K, np.column_stack((f, a, b))


def by_bisection(at, K, size):
    """The nearest point by other means: the rim searched densely, then the slope of the distance bisected."""
    (X, Y), (tt, ts, ss), (f, a, b) = at, K, size
    if within_runner_set(X, Y, f, a, b):
        return X, Y

    def slope(piece, v):
        if piece < 2:  # sides, v = x
            y = b if piece == 0 else -b
            return v, y, tt * (v - X) + ts * (y - Y)
        end = 1.0 if piece == 2 else -1.0
        x, y = end * (f + (a - f) * math.cos(v)), b * math.sin(v)
        dx, dy = -end * (a - f) * math.sin(v), b * math.cos(v)
        return x, y, (tt * (x - X) + ts * (y - Y)) * dx + (ts * (x - X) + ss * (y - Y)) * dy

    best, least = (0.0, 0.0), math.inf
    for piece in range(4):
        ends = (-f, f) if piece < 2 else (-0.5 * math.pi, 0.5 * math.pi)
        grid = np.linspace(*ends, 61)
        signs = [slope(piece, v)[2] for v in grid]
        places = list(ends)
        for lo, hi, s_lo, s_hi in zip(grid, grid[1:], signs, signs[1:]):
            if s_lo < 0.0 <= s_hi:
                for _ in range(80):
                    mid = 0.5 * (lo + hi)
                    lo, hi = (mid, hi) if slope(piece, mid)[2] < 0.0 else (lo, mid)
                places.append(0.5 * (lo + hi))
        for v in places:
            x, y, _ = slope(piece, v)
            far = tt * (x - X) ** 2 + 2.0 * ts * (x - X) * (y - Y) + ss * (y - Y) ** 2
            if far < least:
                best, least = (x, y), far
    return best


@pytest.mark.parametrize("euclid", [True, False], ids=["lengths", "any measure"])
def test_nearest_point_is_the_one_a_search_finds(euclid):
    """Both roads end at the same point; the measure is known to some ulps of its larger value, hence its condition."""
    at, K, size = samples(1, MANY // 10, euclid)
    found = nearest(at, K, size)
    for i in range(len(at)):
        expected = np.array(by_bisection(at[i], K[i], size[i]))
        reach = max(size[i, 1], size[i, 2])
        assert np.abs(found[i] - expected).max() <= 1e-12 * reach, (at[i], K[i], size[i], found[i], expected)


def test_nearest_point_obeys_its_law():
    """K (x - X) is a normal of the set at x: no other point q of the set has (q - x).K (x - X) < 0, to rounding."""
    at, K, size = samples(2)
    x = nearest(at, K, size)
    d = x - at
    u = np.column_stack((K[:, 0] * d[:, 0] + K[:, 1] * d[:, 1], K[:, 1] * d[:, 0] + K[:, 2] * d[:, 1]))
    f, a, b = size.T
    support = f * np.abs(u[:, 0]) + np.hypot((a - f) * u[:, 0], b * u[:, 1])  # largest -q.u over the set
    scale = np.maximum(a, b) * np.hypot(*u.T) + 1e-300
    assert ((support + np.einsum("ij,ij->i", x, u)) / scale).max() < 1e-11  # condition of K, 100, times some 1e3 ulps
    inside = np.array([within_runner_set(*p, *s) for p, s in zip(at, size)])
    assert inside.any()
    assert not inside.all()
    np.testing.assert_array_equal(x[inside], at[inside])


def test_projection_is_firmly_non_expansive():
    """|P x - P y|^2 <= (P x - P y).(x - y), which makes every sweep come nearer to the solution."""
    at, K, size = samples(3, euclid=True)
    other = at + np.random.default_rng(4).normal(size=at.shape) * size[:, 1:]
    d, p = at - other, nearest(at, K, size) - nearest(other, K, size)
    slack = 16 * EPS * (np.einsum("ij,ij->i", d, d) + size.max(axis=1) ** 2 + (at**2).sum(axis=1))
    assert (np.einsum("ij,ij->i", p, p) <= np.einsum("ij,ij->i", p, d) + slack).all()


def test_a_set_without_width_is_a_point():
    """No normal impulse, no friction."""
    at, K, size = samples(5, 50)
    assert not nearest(at, K, 0.0 * size).any()


@pytest.mark.parametrize("load", [0.0001, 120.0, 480.0, 2000.0, 9000.0])
@pytest.mark.parametrize("slip_deg", [0.0, 0.05, 0.45, 1.0, 5.0, 40.0, 89.0])
def test_steady_sliding_has_its_closed_form(load, slip_deg):
    """The point of the set against the slip, found by the projection of a distant point (bobsleigh 3.14)."""
    law = RunnerFriction()
    v = np.array([math.cos(math.radians(slip_deg)), math.sin(math.radians(slip_deg))])
    f_t, f_b = law.sliding(*v, load)
    mu_b = law.across(load)
    assert mu_b == pytest.approx(0.02 + 0.08 * min(load / 2000.0, 1.0), rel=1e-15)
    size = np.array([[law.straight_share * law.along * load, law.along * load, mu_b * load]])
    far = 1e12 * load  # the nearest point to a distant one is that with the normal in its direction, to 1e-12
    x = nearest(-far * v[None], np.array([[1.0, 0.0, 1.0]]), size)[0]
    np.testing.assert_allclose(x, (f_t, f_b), rtol=0.0, atol=1e-11 * mu_b * load)
    assert v @ x < 0.0
    assert -f_t <= law.along * load * (1.0 + 1e-15)


def test_half_of_the_lateral_force_at_its_slip():
    """tan(slip) = (mu_t - mu_r) / (mu_b sqrt 3): half of mu_b; along, more than mu_r and less than mu_t."""
    law = RunnerFriction()
    slip = (1.0 - 0.66) * 0.004 / (0.1 * math.sqrt(3.0))
    assert math.degrees(math.atan(slip)) == pytest.approx(0.45, abs=0.005)  # two digits in the source
    f_t, f_b = law.sliding(1.0, slip, 2000.0)
    assert -f_b == pytest.approx(0.5 * 0.1 * 2000.0, rel=1e-14)
    assert 0.66 * 0.004 * 2000.0 < -f_t < 0.004 * 2000.0
