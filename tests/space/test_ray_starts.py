"""Rays that start on the surface of a body or inside it (V-30)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import gelenk as gk

BOX = gk.Box((1.0, 1.2, 1.4))
MESH = gk.TriangleMesh(*BOX.triangles())
SHAPES = {
    "sphere": gk.Sphere(0.7),
    "box": BOX,
    "capsule": gk.Capsule(0.5, 0.8),
    "cylinder": gk.Cylinder(0.6, 1.1),
    "cone": gk.Cone(0.7, 1.2),
    "ellipsoid": gk.Ellipsoid((0.5, 0.7, 0.9)),
    "plane": gk.Plane(),
    "hull": gk.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.9, 0.9, 0.9)]),
    "mesh": MESH,
    "torus": gk.Torus(0.8, 0.3),
    "field": gk.HeightField(np.random.default_rng(3).uniform(0, 0.4, (5, 6)), 0.4),
    "map": gk.DistanceMap(MESH, 8),
    "tree": gk.SphereTree(MESH, 2),
}
TURN = gk.unit((0.9, 0.2, -0.3, 0.4))
CENTRE = np.array((40.0, -30.0, 20.0))


@cache
def alone(name):
    b = gk.Builder()
    b.body("it", shape=SHAPES[name], static=True, at=CENTRE, rotation=TURN)
    return gk.CollisionWorld(b.build())


def first_hits(world, count, seed=5):
    """Where rays from around hit, their directions and the normals there."""
    random = np.random.default_rng(seed)
    away = random.normal(size=(count, 3))
    starts = CENTRE + 5.0 * away / np.linalg.norm(away, axis=1)[:, None]
    toward = CENTRE + random.uniform(-0.3, 0.3, (count, 3)) - starts
    hits = world.rays(starts, toward)
    hit = (hits["distance"] > 0) & (hits["distance"] < np.inf)
    assert hit.sum() > count // 8
    return hits["point"][hit], toward[hit] / np.linalg.norm(toward[hit], axis=1)[:, None], hits["normal"][hit]


@pytest.mark.parametrize("name", SHAPES)
def test_rays_from_where_others_hit_leave_or_go_in(name):
    """Reflected they do not hit the place they start from; onward they hit it at 0 with the normal it had.

    Points are good to the round-off of coordinates of 50 m, 1e-14, over the sine of 0.05; normals turn by as much over
    the radii.
    """
    world = alone(name)
    point, direction, normal = first_hits(world, 16)
    steep = np.abs((direction * normal).sum(1)) > 0.05
    reflected = direction - 2 * (direction * normal).sum(1)[:, None] * normal
    out = world.rays(point[steep], reflected[steep])
    assert (out["distance"] > 1e-3).all()
    if name not in ("torus", "field", "tree"):  # convex: nothing is met again
        assert np.isinf(out["distance"]).all()
    into = world.rays(point[steep], direction[steep])
    np.testing.assert_allclose(into["distance"], 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(into["point"], point[steep], rtol=0, atol=1e-12)
    np.testing.assert_allclose(into["normal"], normal[steep], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_the_normal_inside_is_that_of_the_nearest_surface(name):
    """As closest points have it; a ray back from outside finds the surface at the depth."""
    world = alone(name)
    point, direction, _ = first_hits(world, 8, seed=6)
    inside = point + 0.02 * direction
    inside = inside[[world.closest(p).distance < -1e-4 for p in inside]]
    assert len(inside)
    for p in inside:
        near = world.closest(p)
        for d in ((0, 0, 1.0), (0, -0.6, 0.8), -near.normal):
            hit = world.ray(p, d)
            assert hit.distance == 0.0
            np.testing.assert_array_equal(hit.point, p)
            if name not in ("map", "field"):  # these have other surfaces for closest points: a map, no sides
                np.testing.assert_array_equal(hit.normal, near.normal)
            assert np.linalg.norm(hit.normal) == pytest.approx(1.0, abs=1e-12)
            if name not in ("tree", "field"):  # a ball of the tree may hide another; a field is deep below its sides
                back = world.ray(p + hit.normal * (0.2 - near.distance), -hit.normal)
                assert back.distance == pytest.approx(0.2, abs=0.02 if name == "map" else 1e-9)


def test_box_top_edges_and_corners():
    """Closed forms at a place where one, two and three faces meet."""
    b = gk.Builder()
    b.body("box", shape=gk.Box((2, 2, 2)), density=1)
    world = gk.CollisionWorld(b.build())
    assert world.ray((0, 0, 1), (0, 0, 1)) is None
    assert world.ray((0, 0, 1), (1, 0, 0)) is None  # along the face
    assert world.ray((0, 0, 1), (1, 0, 1e-3)) is None
    hit = world.ray((0, 0, 1), (1, 0, -1e-3))
    assert hit.distance == 0.0
    np.testing.assert_array_equal(hit.normal, (0, 0, 1))
    for start in ((1, 0, 1), (1, 1, 1)):
        for d in ((1, 0, -0.1), (-0.1, 0, 1), (1, 1, 1), (-1, 0.0, 3)):
            assert world.ray(start, d) is None
        assert world.ray(start, (-1, -0.2, -0.1)).distance == 0.0
    assert world.ray((0, 0, 1), (0, 0, -1), 0.0).distance == 0.0
    assert world.ray((0, 0, 1), (0, 0, 1), 0.0) is None
    near = np.nextafter(1.0, 0.0)  # a hair inside
    assert world.ray((0, 0, near), (0, 0, 1)) is None


def test_between_bodies_that_touch_the_ray_goes_into_the_next():
    b = gk.Builder()
    b.body("floor", shape=gk.Box((4, 4, 1)), static=True, at=(0, 0, -0.5))
    b.body("wall", shape=gk.Box((1, 4, 4)), static=True, at=(-0.5, 0, 1))
    b.body("far", shape=gk.Sphere(0.5), density=1, at=(3, 0, 3))
    world = gk.CollisionWorld(b.build())
    corner = (0, 0, 0)
    hit = world.ray(corner, (1, 0, 1))  # out of both
    assert hit.body == "far"
    assert hit.distance == pytest.approx(3 * 2**0.5 - 0.5, abs=1e-14)
    assert world.ray(corner, (1, 0, 1), 3.0) is None
    hit = world.ray(corner, (-1, 0, 1))
    assert (hit.body, hit.distance) == ("wall", 0.0)
    np.testing.assert_array_equal(hit.normal, (1, 0, 0))
    hit = world.ray((1, 0, 0), (1, 0, -1))
    assert (hit.body, hit.distance) == ("floor", 0.0)


def test_the_sides_of_a_height_field_can_be_left():
    b = gk.Builder()
    b.body("ground", shape=gk.HeightField(np.ones((5, 5)), 0.5), static=True)
    world = gk.CollisionWorld(b.build())
    assert world.ray((1, 0, 0.5), (1, 0, 0)) is None
    assert world.ray((0, -1, -3), (0, -1, 1)) is None
    hit = world.ray((0.9, 0, -3), (1, 0, 0))
    assert hit.distance == 0.0
    np.testing.assert_array_equal(hit.normal, (1, 0, 0))


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (123.4, -56.7, 8.9)])
def test_in_the_corner_of_one_mesh_rays_leave_floor_and_wall(at):
    """A floor and a wall as one mesh that is not convex; closed forms, to the round-off of coordinates."""
    profile = [(-0.2, -0.2), (1.8, -0.2), (1.8, 0), (0, 0), (0, 1.8), (-0.2, 1.8)]
    v = np.array([(x, y, z) for y in (-1.0, 1.0) for x, z in profile])
    near = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    sides = [f for i in range(6) for f in ((i, i + 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, (i + 1) % 6))]
    b = gk.Builder()
    corner = gk.TriangleMesh(v, np.array(near + [(c + 6, b + 6, a + 6) for a, b, c in near] + sides))
    b.body("corner", shape=corner, static=True, at=at)
    world = gk.CollisionWorld(b.build())
    for start, d, distance, normal in (
        ((0, 0.3, 0), (1, 0, 1), None, None),
        ((0, 0.3, 0), (1, 0.1, 0.001), None, None),
        ((0, 0.3, 0), (-1, 0, 1), 0.0, (1, 0, 0)),
        ((0, 0.3, 0), (1, 0, -1), 0.0, (0, 0, 1)),
        ((1, 0.1, 0), (-1, 0, 0.1), math.sqrt(1.01), (1, 0, 0)),
        ((1, 0.1, 0), (-1, 0, 0), 1.0, (1, 0, 0)),  # along the floor
        ((0, 0.1, 1), (0.2, 0, -1), math.sqrt(1.04), (0, 0, 1)),
    ):
        hit = world.ray(np.array(at) + start, d)
        assert (hit is None) == (distance is None)
        if hit is not None:
            assert hit.distance == pytest.approx(distance, abs=1e-12)
            np.testing.assert_allclose(hit.normal, normal, rtol=0, atol=1e-12)
