"""Sweeps and impacts do not lose accuracy by how far they would go on (V-06)."""

from __future__ import annotations

import numpy as np
import pytest

import gelenk as gk

SHAPES = {
    "box": (gk.Box((1, 1, 1)), 0.5),
    "plane": (gk.Plane(), 0.0),
    "mesh": (gk.TriangleMesh(*gk.Box((1, 1, 1)).triangles()), 0.5),
    "field": (gk.HeightField(np.zeros((3, 3)), 1.0), 0.0),
}


def world_of(shape, z):
    b = gk.Builder()
    b.body("it", shape=shape, static=True, at=(0, 0, z))
    return gk.CollisionWorld(b.build())


@pytest.mark.parametrize("name", SHAPES)
def test_a_sweep_is_as_early_as_sizes_and_the_way_to_the_contact_allow(name):
    """1e-6 of the sizes (2 m at most together) for ways from 10 m to 1e40 m; 1e-14 of the way where that is longer."""
    shape, top = SHAPES[name]
    for z, lengths in ((0.0, (10.0, 1e7, 1e12, 1e40)), (-1e9, (2e9, 1e15))):
        world = world_of(shape, z)
        for length in lengths:
            hit = world.sweep(gk.Box((0.2, 0.2, 0.2)), (0.1, 0.05, 3), (0, 0, -length))
            early = (3 - 0.1 - top - z) - hit.distance
            assert -1e-15 < early <= 2e-6 + 1e-14 * abs(z)
            assert hit.share == pytest.approx(hit.distance / length, rel=1e-15)
            np.testing.assert_allclose(hit.normal, (0, 0, 1), rtol=0, atol=1e-12)


def test_an_impact_is_known_however_long_one_looks_ahead():
    """3000 km at 1500 km/s: 1e-14 of the way is 3e-8 m, less than the gap of 1e-6 of the sizes, 2e-12 s at most."""
    b = gk.Builder()
    b.body("box", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 3e6 + 1), velocity=(0, 0, -1.5e6))
    model = b.build()
    for duration in (3.0, 1e3, 1e9, 1e15):
        (impact,) = gk.CollisionWorld(model).impacts(model.initial_state(), duration)
        assert 0.0 <= 2.0 - impact.time <= 2e-12
