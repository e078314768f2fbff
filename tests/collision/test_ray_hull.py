"""Rays against hulls of many faces, by the tree of faces (V-19)."""

import numpy as np

import gelenk as gk
from gelenk import compile as compiler
from gelenk.collision.query.ray_hull import MANY_FACES


def test_rays_at_a_hull_of_many_faces_are_those_of_all_its_planes():
    """Hits lie on the hull and no plane is passed outside before; misses have no point below all planes."""
    random = np.random.default_rng(5)
    points = random.normal(size=(500, 3))
    hull = gk.ConvexHull(points / np.linalg.norm(points, axis=1)[:, None] * (1.0, 0.6, 0.3))
    assert len(hull.normals) >= MANY_FACES
    b = gk.Builder()
    b.body("stone", shape=hull, static=True)
    world = gk.CollisionWorld(b.build())
    count = 2000 if compiler.ENABLED else 60
    start = random.normal(size=(count, 3)) * 1.5
    way = random.normal(size=(count, 3)) * 0.4 - start
    way /= np.linalg.norm(way, axis=1)[:, None]
    hits = world.rays(start, way)
    height, rate = start @ hull.normals.T - hull.offsets, way @ hull.normals.T
    with np.errstate(divide="ignore"):
        place = -height / rate
    enter = np.where(rate < 0, place, -np.inf).max(1)
    leave = np.where(rate > 0, place, np.inf).min(1)
    inside = (height <= 0).all(1)
    expected = np.where(inside, 0.0, np.where((enter <= leave) & (enter >= 0), enter, np.inf))
    clear = inside | (np.abs(leave - enter) > 1e-9)  # of those that graze an edge rounding decides
    assert np.isfinite(expected).sum() > count // 3
    np.testing.assert_allclose(hits.distance[clear], expected[clear], rtol=0, atol=1e-12)
