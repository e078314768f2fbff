"""Inside a height field is all below its surface within its outline, in all questions alike (V-21, V-30)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk import compile as compiler

DEEP = (1.3, 0.4, -50.0)  # far below the base at -1


def land(turn=(1, 0, 0, 0), at=(0, 0, 0), where=DEEP):
    b = gk.Builder()
    heights = 0.1 * np.arange(49.0).reshape(7, 7) / 49
    b.body("land", shape=gk.HeightField(heights, 1.0, base=-1.0), static=True, rotation=turn, at=at)
    b.body("ball", shape=gk.Sphere(0.2), density=1, at=where)
    return gk.CollisionWorld(b.build())


def test_what_is_deeper_than_the_base_is_inside():
    world = land()
    (contact, *_) = world.between("land", "ball")
    assert contact.distance < -49
    assert contact.normal[2] > 0.9
    only = {"groups": "default"}
    assert [o.body for o in world.overlap(gk.Sphere(0.1), (1.3, -1, -80))] == ["land"]
    assert world.sweep(gk.Sphere(0.1), (1.3, -1, -80), (0, 0, -9), **only).distance == 0.0
    assert world.closest((1.3, -1, -80)).distance < -79
    assert world.in_box((1, -1, -90), (1.1, -0.9, -80)) == [("land", 0)]
    for way in ((0, 0, 1), (0, 0, -1), (1, 0, 0)):
        hit = world.ray((1.3, -1, -80), way)
        assert (hit.body, hit.distance) == ("land", 0.0)
        np.testing.assert_array_equal(hit.normal, (1, 0, 0))  # the side at x = 3 is nearest


def test_what_is_beside_the_outline_is_not_inside():
    world = land(where=(3.5, 0, -50))
    assert not world.between("land", "ball")
    assert not world.overlap(gk.Sphere(0.1), (3.5, 0.7, -80))
    assert world.sweep(gk.Sphere(0.1), (3.5, 0.7, -80), (0, 0, 200)) is None
    assert world.closest((3.5, 0.7, -0.5)).distance > 0
    assert world.in_box((3.5, 0.7, -90), (3.6, 0.8, -80)) == []
    assert world.ray((3.5, 0.7, -80), (0, 0, 1)) is None


def test_rays_come_in_by_the_side():
    """The outline ends at x = 3 and y = 3."""
    world = land()
    hit = world.ray((5, 0.5, -7), (-1, 0, 0))
    assert (hit.body, hit.distance) == ("land", 2.0)
    np.testing.assert_array_equal(hit.normal, (1, 0, 0))
    hit = world.ray((0.5, -9, -7), (0, 2, 0))
    assert hit.distance == 6.0
    np.testing.assert_array_equal(hit.normal, (0, -1, 0))
    assert world.ray((5, 0.5, -7), (-1, 0, 0), 1.9) is None
    assert world.ray((5, 0.5, 0.5), (-1, 0, 0)) is None  # above it


def test_shapes_come_in_by_the_side():
    """Below the rim at x = 3; a shape across it has begun inside, also if its middle is outside."""
    world = land()
    assert world.sweep(gk.Sphere(0.2), (5, 0.5, -7), (-9, 0, 0)).distance == pytest.approx(1.8, abs=1e-5)
    hit = world.sweep(gk.Box((0.4, 0.4, 0.4)), (0.5, -6, -7), (0, 9, 0))
    assert hit.distance == pytest.approx(2.8, abs=1e-5)
    np.testing.assert_allclose(hit.normal, (0, -1, 0), atol=1e-9)
    assert world.sweep(gk.Sphere(0.2), (3.1, 0.5, -7), (9, 0, 0)).distance == 0.0
    assert world.sweep(gk.Sphere(0.2), (3.3, 0.5, -7), (0, 0, 100)) is None


def test_a_grain_that_goes_straight_is_a_ray():
    """Over a rough rim on all sides: what a sphere of 1e-5 m and a ray meet is that far apart along the normal."""
    random = np.random.default_rng(8)
    b = gk.Builder()
    b.body("land", shape=gk.HeightField(random.normal(size=(9, 20)), (0.7, 0.3)), static=True)
    world = gk.CollisionWorld(b.build())
    count = 300 if compiler.ENABLED else 12
    angle = random.uniform(0, 2 * np.pi, count)
    start = np.column_stack([6 * np.cos(angle), 6 * np.sin(angle), random.uniform(-1.5, 0.7, count)])
    way = random.uniform((-2, -2, -2), (2, 2, 1), (count, 3)) - start
    rays = world.rays(start, way, np.linalg.norm(way, axis=1))
    hits = world.sweeps(gk.Sphere(1e-5), start, way)
    steep = np.abs((rays.normal * way).sum(1)) > 0.1 * np.linalg.norm(way, axis=1)
    both = steep & np.isfinite(rays.distance)
    assert (np.abs(rays.normal[both, 2]) == 0).sum() >= count // 6  # through a side
    assert (hits.distance[np.isfinite(rays.distance)] <= rays.distance[np.isfinite(rays.distance)]).all()
    # grains that brush an edge before are few
    assert (np.abs(hits.distance[both] - rays.distance[both]) < 2e-4).mean() > 0.95


@pytest.mark.parametrize("turn", [(0.8, 0.6, 0, 0), (0.5, 0.5, 0.5, 0.5), (0, 1, 0, 0), (0.6, 0, 0, 0.8)])
def test_turned_fields_have_no_bottom_either(turn):
    deep = Rotation.from_quat(turn, scalar_first=True).apply(DEEP) + np.array((0, 0, 3))
    world = land(turn, (0, 0, 3), deep)
    assert world.between("land", "ball")[0].distance < -49
    assert world.in_box(deep - 0.01, deep + 0.01)[0] == ("land", 0)
    assert world.sweep(gk.Sphere(0.1), deep, (0, 0, 1)).distance == 0.0
