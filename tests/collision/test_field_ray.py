"""Rays against height fields (V-21): all triangles as reference, and rays aimed at borders."""

from __future__ import annotations

import numpy as np
import pytest
from field_samples import SHAPES, cast, hills, ray_by_all, top_of

from gelenk.collision.field_table import pack_fields
from gelenk.geometry.height_field import HeightField


def random_rays(field, count, seed):
    """Starts around and in the field, ends in its box: from above, from below, level and steep."""
    rng = np.random.default_rng(seed)
    top = top_of(field).reshape(-1, 3)
    low, high = top.min(axis=0), top.max(axis=0)
    start = rng.uniform(low - 0.5 * (high - low), high + 0.5 * (high - low), (count, 3))
    end = rng.uniform(low, high, (count, 3))
    end[::7, 2] = start[::7, 2]
    end[3::7, :2] = start[3::7, :2]
    end[5::7, 0] = start[5::7, 0]
    way = end - start
    return start, way / np.linalg.norm(way, axis=1)[:, None]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_triangles_agree(shape, scale):
    """V-21, from 1 mm to 10 km: same first hit, its normal and triangle; 1e-9 of the size is asked for."""
    field = hills(shape, scale=scale)
    top = top_of(field)
    size = np.ptp(top.reshape(-1, 3), axis=0).max()
    start, way = random_rays(field, 150, 1)
    length = np.where(np.arange(150) % 5 == 0, 0.5 * size, np.inf)
    s, n, t = cast(pack_fields([field]), start, way, length)
    want = np.array([ray_by_all(top, *ray) for ray in zip(start, way, length)])
    np.testing.assert_allclose(s, want, atol=1e-11 * size)
    hit = np.isfinite(s)
    assert hit.sum() > 20
    assert (~hit).sum() > 20
    assert (t[~hit] == -1).all()
    p, q, r = np.moveaxis(top[t[hit]], 1, 0)
    normal = np.cross(q - p, r - p)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    np.testing.assert_allclose(n[hit], normal, atol=1e-13)
    point = start[hit] + s[hit, None] * way[hit]
    np.testing.assert_allclose(((point - p) * normal).sum(axis=1), 0, atol=1e-12 * size)


def test_no_ray_slips_through_between_triangles():
    """V-21: rays down and slanting onto corners, onto sides and along the raster; all that cross the height hit."""
    field = hills((6, 7), spacing=(0.3, 0.7), rough=0.5)
    top = top_of(field)
    rng = np.random.default_rng(2)
    u = rng.uniform(size=(len(top), 3, 1))
    sides = (u * top + (1 - u) * np.roll(top, 1, axis=1)).reshape(-1, 3)
    aims = np.concatenate((top.reshape(-1, 3), sides))
    fields, crossing = pack_fields([field]), 0
    for slant in ((0, 0), (0.3, 0), (0, 0.7), (0.3, 0.7), (-0.3, -0.7), (1e-9, -1e-12), rng.normal(size=2)):
        for sign in (1.0, -1.0):
            way = sign * np.array([*slant, 1.0])
            way /= np.linalg.norm(way)
            start, end = aims - 0.5 * way, aims + 0.5 * way
            f, f_end = (p[:, 2] - field.height_at(p[:, 0], p[:, 1]) for p in (start, end))
            must = f * f_end < 0  # not so beyond the rim, where f is nan
            _, _, t = cast(fields, start, np.tile(way, (len(start), 1)), 1.0)
            assert (t[must] >= 0).all()
            crossing += must.sum()
    assert crossing > 1000


def test_rays_along_raster_lines_and_diagonals():
    """V-21: a level ray on a line of samples meets a wedge where its height says so; borders belong to the field."""
    x, y = np.linspace(-2, 2, 9), np.linspace(-1, 1, 5)
    field = HeightField(np.tile(0.25 * x[:, None], (1, 5)), 0.5)
    fields = pack_fields([field])
    start = np.column_stack((np.full(5, -3.0), y, np.full(5, 0.1)))
    s, n, _ = cast(fields, start, np.tile([1.0, 0, 0], (5, 1)))
    np.testing.assert_allclose(s, 3.4, atol=1e-14)  # 0.25 x = 0.1
    np.testing.assert_allclose(n, np.tile(np.array([-0.25, 0, 1]) / np.hypot(0.25, 1), (5, 1)), atol=1e-15)
    for sign in (1.0, -1.0):
        start = sign * np.array([[-1.5, -1.5, 0.1]])
        s, _, _ = cast(fields, start, sign * np.array([[1.0, 1.0, 0]]) / np.sqrt(2))
        # 0.25 x = +-0.1 at x = +-0.4
        np.testing.assert_allclose(s, 1.9 * np.sqrt(2), atol=1e-14)


def test_flat_field_and_its_rim():
    """V-21: no height at all; rays on the rim hit, beyond it nothing; lengths end a ray; a start on it is a hit."""
    field = HeightField(np.full((4, 6), 0.1), 0.1, base=-1)
    fields = pack_fields([field])
    rim_x, rim_y = field.axes()[0][-1], field.axes()[1][-1]
    start = np.array([[rim_x, rim_y, 1.0], [-rim_x, 0, 1.0], [1.001 * rim_x, 0, 1.0], [0, 0, 1.0], [0, 0, -5.0]])
    way = np.array([[0, 0, -1.0]] * 4 + [[0, 0, 1.0]])
    s, n, t = cast(fields, start, way)
    np.testing.assert_allclose(s, [0.9, 0.9, np.inf, 0.9, 5.1], atol=1e-14)
    assert (n[t >= 0] == [0, 0, 1]).all()
    assert (cast(fields, start, way, 0.899)[0] == np.inf).all()
    s, _, t = cast(fields, np.array([[0.01, 0.02, 0.1], [-5.0, 0.02, 0.1]]), np.array([[1.0, 0, 0], [1.0, 0, 0]]))
    np.testing.assert_allclose(s, [0, 5.0 - rim_x], atol=1e-14)
    assert (t >= 0).all()


def test_base_and_sides_are_no_surface():
    """V-21: a ray in from the side below the surface passes under it, and hits from below where it comes out."""
    field = HeightField(np.ones((3, 3)), 1.0, base=0)
    start = np.array([[-5.0, 0.1, 0.5], [-5.0, 0.1, 0.5], [0.2, 0.1, -9]])
    way = np.array([[1.0, 0, 0], [0.995, 0, np.sqrt(1 - 0.995**2)], [0, 0, 1.0]])
    s, _, _ = cast(pack_fields([field]), start, way)
    np.testing.assert_allclose(s, [np.inf, 0.5 / way[1, 2], 10.0], rtol=1e-14)


def test_far_starts():
    """V-21: 1e6 times the size away; the start alone rounds to 1e-10 of the size."""
    field = hills((20, 20))
    rng = np.random.default_rng(5)
    aim = rng.uniform(-3, 3, (100, 3)) * [1, 1, 0.1]
    way = rng.normal(size=(100, 3)) * [1, 1, 0.3] - [0, 0, 1]
    way /= np.linalg.norm(way, axis=1)[:, None]
    near, far = cast(pack_fields([field]), aim - 50 * way, way), cast(pack_fields([field]), aim - 1e7 * way, way)
    both = np.isfinite(near[0]) & np.isfinite(far[0])
    assert both.sum() > 60
    assert (np.isfinite(near[0]) == np.isfinite(far[0])).sum() >= 99  # one may graze
    np.testing.assert_allclose(far[0][both] - 1e7, near[0][both] - 50, atol=1e-6)


def test_what_is_no_ray_hits_nothing():
    """V-21: a state that has blown up must not read beside the table."""
    start, way = np.tile([0.1, 0.2, 9.0], (6, 1)), np.tile([0.0, 0.0, -1.0], (6, 1))
    start[np.arange(3), np.arange(3)], way[np.arange(3, 6), np.arange(3)] = np.nan, np.nan
    s, _, t = cast(pack_fields([hills((20, 20))]), start, way)
    assert (s == np.inf).all()
    assert (t == -1).all()


def test_cliffs():
    """V-21: walls a thousand times as high as wide, met from the side."""
    field = HeightField(np.random.default_rng(4).uniform(size=(12, 14)), 1e-3)
    top = top_of(field)
    start, way = random_rays(field, 200, 6)
    s, _, _ = cast(pack_fields([field]), start, way)
    want = np.array([ray_by_all(top, *ray, np.inf) for ray in zip(start, way)])
    np.testing.assert_allclose(s, want, atol=1e-11)


@pytest.mark.proof
def test_many_rays_against_all_triangles():
    """V-21: 20 000 rays, steep and rough."""
    field = hills((40, 33), rough=2.0, seed=8)
    top = top_of(field)
    start, way = random_rays(field, 20_000, 9)
    s, _, _ = cast(pack_fields([field]), start, way)
    want = np.array([ray_by_all(top, *ray, np.inf) for ray in zip(start, way)])
    np.testing.assert_allclose(s, want, atol=1e-9)
