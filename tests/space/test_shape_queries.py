"""Overlaps and sweeps of shapes, one and many (V-06, V-30)."""

import numpy as np
import pytest

import gelenk as gk
from surfaces import surface_of

BOX = surface_of(gk.Box((4, 4, 4)))
HULL = gk.ConvexHull(np.random.default_rng(3).normal(size=(30, 3)) * 0.2)


def surroundings(**more):
    b = gk.Builder()
    b.body("rock", shape=BOX, static=True)
    b.body("land", shape=gk.HeightField(np.zeros((5, 5)), 1.0, base=-1.0), static=True, at=(20, 0, 0))
    b.body("heap", shape=gk.SphereTree(BOX, 1), static=True, at=(0, 20, 0))
    b.body("map", shape=gk.DistanceMap(BOX, 6), static=True, at=(0, -20, 0))
    for name, shape in more.items():
        b.body(name, shape=shape, density=1, at=(0, 0, 50))
    return gk.CollisionWorld(b.build())


@pytest.mark.parametrize("shape", [gk.Sphere(0.2), gk.Box((0.3, 0.2, 0.1)), HULL, gk.Compound([gk.Sphere(0.1), HULL])])
@pytest.mark.parametrize("place", [(0.5, 0, 0), (20, 0, -0.5), (20.5, 0.1, -70), (0, 20, 0), (0, -20.3, 0)])
def test_a_sweep_from_inside_meets_at_once_wherever_it_goes(shape, place):
    world = surroundings()
    for way in ((9, 0, 0), (0, 0, 100), (0, 0, 0)):
        hit = world.sweep(shape, place, way)
        assert (hit.distance, hit.share) == (0.0, 0.0)
        assert np.linalg.norm(hit.normal) == pytest.approx(1.0, abs=1e-12)


def test_meshes_and_trees_of_balls_go_and_are_met():
    """A box of 1 m onto a box of 4 m, as meshes, maps and balls: the gap between is known."""
    world = surroundings()
    small = surface_of(gk.Box((1, 1, 1)))
    for shape in (small, gk.DistanceMap(small, 4)):
        for place in ((0, 0, 12), (0, -20, 12)):
            assert world.sweep(shape, place, (0, 0, -30)).distance == pytest.approx(12 - 2.5, abs=3e-6)
    balls = gk.SphereTree(small, 2)
    # balls reach out of the mesh by less than the diagonal of a cell of 0.25 m
    assert 12 - 2.5 - 0.25 * 3**0.5 < world.sweep(balls, (0, 0, 12), (0, 0, -30)).distance < 12 - 2.5
    assert world.sweep(gk.Sphere(0.1), (0, 20, 12), (0, 0, -30)).body == "heap"
    assert world.sweep(small, (9, 0, 12), (0, 0, -30)) is None


def test_many_places_are_as_one_at_a_time():
    world, random = surroundings(ball=gk.Sphere(0.3)), np.random.default_rng(1)
    places = np.concatenate([random.uniform(-2.5, 2.5, (6, 3)), random.uniform((18, -2, -1), (22, 2, 6), (6, 3))])
    turns = random.normal(size=(12, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    ways = random.normal(size=(12, 3)) * 9
    found, hits = world.overlaps(HULL, places, turns, margin=0.2), world.sweeps(HULL, places, ways, turns)
    for k in range(12):
        one = world.overlap(HULL, places[k], turns[k], margin=0.2)
        rows = found[found["query"] == k]
        assert [o.body for o in one] == world.body_of(rows.collider)
        assert [o.distance for o in one] == rows.distance.tolist()
        hit = world.sweep(HULL, places[k], ways[k], turns[k])
        assert (hit and hit.body) == world.body_of(hits[k].collider)
        assert (hit.distance if hit else np.inf) == hits[k].distance
    assert len(found) > 2
    assert np.isfinite(hits.distance).sum() > 2


def test_one_place_or_way_serves_for_all_and_there_may_be_none():
    world = surroundings()
    hits = world.sweeps(gk.Sphere(0.1), (0, 0, 9), [(0, 0, -20), (0, 0, 20), (20, 0, -10)])
    assert world.body_of(hits.collider) == ["rock", None, "land"]
    assert len(world.sweeps(gk.Sphere(0.1), np.zeros((0, 3)), (0, 0, 1))) == 0
    assert len(world.overlaps(gk.Sphere(0.1), np.zeros((0, 3)))) == 0
    with pytest.raises(gk.InputError, match="2 places and 3 rotations"):
        world.overlaps(gk.Sphere(0.1), np.zeros((2, 3)), np.tile((1.0, 0, 0, 0), (3, 1)))
    with pytest.raises(gk.InputError, match="2 places and 3 ways"):
        world.sweeps(gk.Sphere(0.1), np.zeros((2, 3)), np.ones((3, 3)))


def test_room_is_made_for_many_overlaps():
    b = gk.Builder()
    for k in range(150):
        b.body(f"b{k}", shape=gk.Sphere(0.5), static=True, at=(0.01 * k, 0, 0))
    found = gk.CollisionWorld(b.build()).overlaps(gk.Sphere(1.0), [(0, 0, 0), (50, 0, 0), (0.5, 0, 0)])
    assert np.bincount(found["query"]).tolist() == [150, 0, 150]


def test_a_shape_is_packed_once_and_alone():
    world = surroundings()
    world.overlap(HULL, (0, 0, 9))
    (asked,) = world._asked_shapes
    assert asked.tables.meshes is world.tables.meshes  # the meshes of the model are not packed again
    world.sweep(gk.ConvexHull(HULL.vertices), (0, 0, 9), (1, 0, 0))
    assert world._asked_shapes[0] is asked  # an equal shape is the same
    for k in range(20):
        world.overlap(gk.Sphere(1.0 + k))
    assert len(world._asked_shapes) == 8


def test_asked_shapes_of_all_kinds_meet_what_their_bodies_would():
    """Of a second model in which the shape is a body, the contacts with the rock are the same."""
    mesh = surface_of(gk.Box((1, 1, 1)))
    for shape in (mesh, gk.SphereTree(mesh, 1), gk.DistanceMap(mesh, 4), HULL):
        (there,) = [o for o in surroundings().overlap(shape, (0.3, 0, 2.2)) if o.body == "rock"]
        b = gk.Builder()
        b.body("rock", shape=BOX, static=True)
        b.body("other", shape=shape, density=1, at=(0.3, 0, 2.2))
        contacts = gk.CollisionWorld(b.build()).between("rock", "other")
        assert there.distance == pytest.approx(min(c.distance for c in contacts), abs=1e-12)
