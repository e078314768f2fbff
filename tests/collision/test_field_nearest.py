"""Nearest points of height fields (V-21) against all triangles."""

from __future__ import annotations

import numpy as np
import pytest
from field_samples import SHAPES, hills, nearest, nearest_by_all, top_of

from gelenk.collision.field_table import pack_fields
from gelenk.geometry.height_field import HeightField


def points_around(field, count, seed):
    """Above, below, beside, and on the surface."""
    rng = np.random.default_rng(seed)
    top = top_of(field)
    low, high = top.min(axis=(0, 1)), top.max(axis=(0, 1))
    points = rng.uniform(low - 0.5 * (high - low), high + 0.5 * (high - low), (count, 3))
    on = top[rng.integers(len(top), size=count // 4)]
    points[: count // 4] = (on * rng.dirichlet(np.ones(3), len(on))[:, :, None]).sum(axis=1)
    points[-2:] = 5 * (high + 1), 5 * (low - 1)
    return points


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_triangles_agree(shape, scale):
    """V-21, from 1 mm to 10 km: the distance, a foot at that distance, and on the triangle named."""
    field = hills(shape, scale=scale, rough=0.5)
    top = top_of(field)
    size = np.ptp(top.reshape(-1, 3), axis=0).max()
    points = points_around(field, 60, 3)
    d, foot, t = nearest(pack_fields([field]), points)
    want = np.array([nearest_by_all(top, p) for p in points])
    np.testing.assert_allclose(d, want, atol=1e-13 * size)
    np.testing.assert_allclose(np.linalg.norm(foot - points, axis=1), d, atol=1e-15 * size)
    np.testing.assert_allclose([nearest_by_all(top[k : k + 1], p) for k, p in zip(t, foot)], 0, atol=1e-13 * size)


def test_limit():
    """V-21: nothing beyond the limit, the same within; a point at the limit itself counts."""
    field = hills((9, 12))
    fields = pack_fields([field])
    points = points_around(field, 60, 4)
    d, foot, t = nearest(fields, points)
    for share in (0.5, 0.999, 1.001, 3.0):
        near, its, number = nearest(fields, points, share * d)
        within = (share > 1) & (d > 0) | (d == 0)
        assert (np.isinf(near) == ~within).all()
        assert (number[~within] == -1).all()
        np.testing.assert_array_equal(near[within], d[within])
        np.testing.assert_allclose(its[within], foot[within], atol=1e-12)
    flat = pack_fields([HeightField(np.zeros((5, 5)), 1.0)])
    d, foot, t = nearest(flat, np.array([[0.2, 0.3, 0.75], [0.2, 0.3, -0.75], [3.0, 0, 0]]), np.array([0.75, 0.75, 1]))
    np.testing.assert_array_equal(d, [0.75, 0.75, 1.0])
    np.testing.assert_allclose(foot, [[0.2, 0.3, 0], [0.2, 0.3, 0], [2, 0, 0]], atol=1e-15)
    assert (t >= 0).all()
    d, _, t = nearest(flat, np.array([[np.nan, 0, 0], [0, np.nan, 0], [0, 0, np.nan]]))
    assert (d == np.inf).all()
    assert (t == -1).all()


def test_cliffs():
    """V-21: walls a thousand times as high as wide."""
    field = HeightField(np.random.default_rng(4).uniform(size=(12, 14)), 1e-3)
    top = top_of(field)
    points = points_around(field, 60, 6)
    want = np.array([nearest_by_all(top, p) for p in points])
    np.testing.assert_allclose(nearest(pack_fields([field]), points)[0], want, atol=1e-13)


@pytest.mark.parametrize("beyond", [1e-9, 0.1, 0.3, 7.7, 1e3])
def test_beyond_the_rim(beyond):
    """V-21: level with a flat field and off its sides and corners, where only the rim is within reach."""
    field = HeightField(np.zeros((11, 10)), 0.1)
    rim = np.array([field.axes()[0][-1], field.axes()[1][-1], 0.0])
    outward = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 1, 0], [-1, 1, 0], [1, -1, 0], [-1, -1, 0]])
    points = outward * (rim + beyond)
    d, foot, _ = nearest(pack_fields([field]), points)
    np.testing.assert_allclose(d, beyond * np.linalg.norm(outward, axis=1), atol=4e-16 + 2e-16 * beyond)
    np.testing.assert_allclose(foot, outward * rim, atol=1e-16)


@pytest.mark.proof
def test_many_points_against_all_triangles():
    """V-21: 5000 points about a field with peaks and pits."""
    field = hills((40, 33), rough=2.0, seed=8)
    top = top_of(field)
    points = points_around(field, 5000, 5)
    want = np.array([nearest_by_all(top, p) for p in points])
    np.testing.assert_allclose(nearest(pack_fields([field]), points)[0], want, atol=1e-12)
