"""Capsules on ellipsoids (V-25): the closest place of the axis from any start, against all places."""

from __future__ import annotations

import numpy as np
import pytest
from table_samples import find, lengths, random_pairs, scaled

from gelenk.collision.manifold import new_memory
from gelenk.collision.narrow.capsule_ellipsoid import nearest_axis
from gelenk.collision.query.nearest_ellipsoid import nearest_on_ellipsoid
from gelenk.collision.solid import CAPSULE, ELLIPSOID
from gelenk.compile import kernel
from gelenk.math.vec3 import get3

STARTS = (0.0, 1e-6, 0.1, 50.0)  # multipliers [m^2]


@kernel
def find_axes(size, c, h, start, limit, s_out, d_out, t_out):
    """Multiplier, distance and place of axes c + t h."""
    for i in range(c.shape[0]):
        near = nearest_axis(get3(size, i), get3(c, i), get3(h, i), start[i], limit)
        s_out[i], d_out[i], t_out[i] = near.s, near.s * near.q.norm(), near.t


@kernel
def measure(size, p, d_out):
    """Signed distance of points p (n, k, 3) from ellipsoids."""
    for i in range(p.shape[0]):
        for k in range(p.shape[1]):
            d_out[i, k], _, _ = nearest_on_ellipsoid(get3(size, i), get3(p[i], k))


def axes(n):
    """Semi-axes from 1 cm to 1 m, and axes of capsules of all lengths about them."""
    rng = np.random.default_rng(5)
    size, c, h = 10 ** rng.uniform(-2, 0, (n, 3)), rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    h *= 10 ** rng.uniform(-2, 0.3, (n, 1))
    h[:2] = 0.0  # points
    h[2:6, :2] = c[4:8, :2] = 0.0  # along an axis of the ellipsoid, or on it
    size[8:12] = 0.3  # balls
    return size, c, h


def places(size, c, h, t):
    """Distance at places t (n, k)."""
    d = np.zeros(t.shape)
    measure(size, np.ascontiguousarray(c[:, None] + t[:, :, None] * h[:, None]), d)
    return d


def test_the_closest_place_is_found_from_any_start():
    n = 60
    size, c, h = axes(n)
    every = np.broadcast_to(np.linspace(-1.0, 1.0, 41), (n, 41))
    least = places(size, c, h, every).min(axis=1)
    s, d, t = np.zeros(n), np.zeros(n), np.zeros(n)
    for start in STARTS:
        find_axes(size, c, h, np.full(n, start), np.inf, s, d, t)
        assert (np.abs(t) <= 1.0).all()
        apart = d > 1e-9
        assert apart.sum() > n // 2
        # the distance is that of the place, and no sample is nearer; rounding of points some metres away
        np.testing.assert_allclose(places(size, c, h, t[:, None].copy())[apart, 0], d[apart], atol=1e-13)
        assert (d <= least + 1e-13)[apart].all()
        # axes that meet the ellipsoid: samples come as near as their spacing of 0.05 allows
        assert (least <= 0.025 * np.linalg.norm(h, axis=1))[~apart].all()


def test_far_axes_are_told_early_and_rightly():
    n = 100
    size, c, h = axes(n)
    s, d, t = np.zeros(n), np.zeros(n), np.zeros(n)
    find_axes(size, c, h, np.zeros(n), np.inf, s, d, t)
    for start in STARTS:
        far, other = np.zeros(n), np.zeros(n)
        find_axes(size, c, h, np.full(n, start), 0.3, far, other, t)
        # what is not told at once is as near as it was; both answers are right where they differ
        assert (d[far < 0.0] > 0.3).all()
        np.testing.assert_allclose(other[far >= 0.0], d[far >= 0.0], atol=1e-13)


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_memory_of_another_pair_changes_nothing(scale):
    """Through the table, deep overlaps included: memory of other poses and sizes leads to the same distance."""
    pairs = scaled(random_pairs(np.random.default_rng(6), 30, (CAPSULE, ELLIPSOID)), scale)
    alone = find(pairs, scale=scale).deepest
    memory = new_memory(len(pairs))
    memory.near_point[:, 0, 0] = np.random.default_rng(7).choice([1e-9, 1.0, 1e9], 30)
    again = find(pairs, memory=memory, scale=scale).deepest
    # apart or by the radius 1e-9 of the size, in deep overlaps 1e-6
    np.testing.assert_array_less(np.abs(again.d - alone.d) / lengths(pairs, scale), np.where(alone.d > 0, 1e-9, 1e-6))
