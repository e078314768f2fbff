"""Capsules on cylinders and cones: the closest place of the axis, from any start, against all places."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import solid, turn

from gelenk.collision.narrow.capsule_round import closest_place, foot_of
from gelenk.collision.solid import CONE, CYLINDER
from gelenk.compile import kernel
from gelenk.math.vec3 import Vec3, get3


@kernel
def find_places(B, c, h, start, limit, t_out, d_out):
    """Closest places of lines c + t h, and their distances."""
    for i in range(c.shape[0]):
        t_out[i] = closest_place(get3(c, i), get3(h, i), B, start[i], limit)
        d_out[i] = foot_of(get3(c, i) + get3(h, i) * t_out[i], B).d


@pytest.mark.parametrize("kind", [CYLINDER, CONE], ids=["cylinder", "cone"])
def test_the_closest_place_is_found_from_any_start(kind):
    rng = np.random.default_rng(kind)
    n = 60
    B = solid(kind, turn(rng), (0.4, 0.0, 0.6))
    c, h = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    h[:6, :2] = 0.0  # along its axis
    h[6:12, 2] = 0.0  # across it
    c[12:18, :2] = 0.0  # through it
    h[18:20] = 0.0  # points
    every = np.linspace(-1.0, 1.0, 201)
    least = np.array([min(foot_of(Vec3(*c[i]) + Vec3(*h[i]) * t, B).d for t in every) for i in range(n)])
    t, d, ends = np.zeros(n), np.zeros(n), []
    for start in (-1.0, 0.0, 0.3, 1.0, 7.0):
        find_places(B, c, h, np.full(n, start), np.inf, t, d)
        ends.append(d.copy())
        assert (np.abs(t) <= 1.0).all()
        # no sample is nearer; the nearest one is beside the place by at most half a spacing of 0.01
        outside = least > 1e-3
        assert (d <= least + 1e-14)[outside].all()
        assert (d >= least - 0.005 * np.linalg.norm(h, axis=1))[outside].all()
    # the distance is flat where it is least, so places that differ by rounding have the same
    np.testing.assert_allclose(ends, np.broadcast_to(ends[0], (5, n)), atol=1e-13)


@pytest.mark.parametrize("kind", [CYLINDER, CONE], ids=["cylinder", "cone"])
def test_far_axes_are_told_early_and_rightly(kind):
    rng = np.random.default_rng(9)
    n = 100
    B = solid(kind, np.eye(3), (0.4, 0.0, 0.6))
    c, h = rng.normal(size=(n, 3)) * 1.5, rng.normal(size=(n, 3)) * 0.5
    t, d = np.zeros(n), np.zeros(n)
    find_places(B, c, h, np.zeros(n), np.inf, t, d)
    far, other = np.zeros(n), np.zeros(n)
    find_places(B, c, h, np.zeros(n), 0.3, far, other)
    np.testing.assert_array_equal(far == 2.0, d > 0.3)
