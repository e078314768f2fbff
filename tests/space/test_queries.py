"""Rays, closest points, overlaps, sweeps and boxes in a whole model."""

import math

import numpy as np
import pytest

import gelenk as gk
from surfaces import surface_of


def scene():
    b = gk.Builder()
    b.body("ground", shape=gk.Part(gk.Plane(), groups="floor"), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 2))
    b.body("box", shape=[gk.Part(gk.Box((1, 1, 1)), at=(0, 0, 3)), gk.Cylinder(0.2, 1.0)], density=1, at=(4, 0, 0.5))
    return gk.CollisionWorld(b.build())


def test_ray_hits_the_first_part_and_tells_where():
    hit = scene().ray((4, 0, 10), (0, 0, -3))
    assert (hit.body, hit.part) == ("box", 0)
    assert hit.distance == pytest.approx(6.0, abs=1e-12)
    np.testing.assert_allclose(hit.point, (4, 0, 4), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(hit.normal, (0, 0, 1))


def test_ray_ends_at_its_length_and_looks_at_groups():
    world = scene()
    assert world.ray((0, 0, 10), (0, 0, -1), 7.4) is None
    assert world.ray((0, 0, 10), (0, 0, -1), 7.6).body == "ball"
    assert world.ray((0, 0, 10), (0, 0, -1), groups="floor").body == "ground"
    assert world.ray((9, 0, 10), (0, 0, 1)) is None
    with pytest.raises(gk.InputError, match="group"):
        world.ray((0, 0, 10), (0, 0, -1), groups="sky")


def test_ray_from_inside_hits_at_once():
    hit = scene().ray((0, 0, 2.1), (1, 0, 0))
    assert (hit.body, hit.distance) == ("ball", 0.0)


def test_many_rays_agree_with_one_at_a_time_and_with_the_closed_form():
    world, random = scene(), np.random.default_rng(2)
    starts = random.uniform((-3, -3, 3), (3, 3, 9), (200, 3))
    directions = np.array((0, 0, 2.0)) - starts + random.normal(0, 0.3, (200, 3))
    hits = world.rays(starts, directions)
    balls = 0
    for start, direction, hit in zip(starts, directions, hits):
        one = world.ray(start, direction)
        assert one.distance == hit.distance
        assert one.body == world.body_of(hit.collider)
        if one.body == "ball":
            balls += 1
            u = direction / np.linalg.norm(direction)
            m = start - (0, 0, 2)
            s = -m @ u - math.sqrt((m @ u) ** 2 - m @ m + 0.25)
            assert hit.distance == pytest.approx(s, abs=1e-12)
    assert balls > 20


def test_rays_are_checked():
    world = scene()
    for starts, directions, lengths, message in (
        ([(0, 0, 0)], [(0, 0, 0)], 1.0, "direction 0"),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 0, 1), (1, 0, 0)], 1.0, "as many of one"),
        ([(0, 0, 0)], [(0, 0, 1)], -1.0, "lengths"),
        ([(0, 0, math.nan)], [(0, 0, 1)], 1.0, "starts"),
    ):
        with pytest.raises(gk.InputError, match=message):
            world.rays(starts, directions, lengths)


def test_closest_surface_outside_and_inside():
    world = scene()
    near = world.closest((0, 0, 3))
    assert (near.body, near.distance) == ("ball", pytest.approx(0.5))
    np.testing.assert_allclose(near.point, (0, 0, 2.5), atol=1e-15)
    assert world.closest((0, 0, 1.9)).distance == pytest.approx(-0.4)
    assert world.closest((0, 0, -7)).distance == pytest.approx(-7)
    assert world.closest((0, 0, 3), limit=0.4) is None
    assert world.closest((0, 0, 3), groups="floor").distance == pytest.approx(3)


def test_closest_points_in_one_call_are_the_least_over_all_parts():
    world, random = scene(), np.random.default_rng(3)
    points = random.uniform((-6, -6, 1), (6, 6, 13), (300, 3))
    found = world.closest_points(points)

    def box(p, at, half):
        q = np.abs(p - at) - half
        return np.linalg.norm(np.maximum(q, 0)) + min(q.max(), 0.0)

    for p, f in zip(points, found):
        q = np.array((math.hypot(p[0] - 4, p[1]) - 0.2, abs(p[2] - 0.5) - 0.5))
        rod = np.linalg.norm(np.maximum(q, 0)) + min(q.max(), 0.0)
        ways = (p[2], np.linalg.norm(p - (0, 0, 2)) - 0.5, box(p, (4, 0, 3.5), 0.5), rod)
        assert f.distance == pytest.approx(min(ways), abs=1e-12)


def test_overlap_lists_the_deepest_first():
    world = scene()
    found = world.overlap(gk.Sphere(1.0), at=(0, 0, 0.9))
    assert [o.body for o in found] == ["ball", "ground"]
    assert found[0].distance == pytest.approx(1.1 - 1.5)
    assert found[1].distance == pytest.approx(-0.1)
    np.testing.assert_allclose(found[1].normal, (0, 0, 1), atol=1e-15)
    assert not world.overlap(gk.Sphere(0.2), at=(0, 0, 0.5))
    assert [o.body for o in world.overlap(gk.Sphere(0.2), at=(0, 0, 0.5), margin=0.4)] == ["ground"]


def test_overlap_with_shapes_that_the_model_does_not_have():
    world = scene()
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    hull = world.overlap(gk.ConvexHull(corners), at=(0, 0, 2))
    both = world.overlap(gk.Compound([(gk.ConvexHull(corners), (0, 0, 2)), (gk.Sphere(0.3), (4, 0, 3.5))]))
    assert [o.body for o in hull] == ["ball"]
    assert {(o.body, o.part) for o in both} == {("ball", 0), ("box", 0)}


def test_box_query_lists_parts_in_order():
    world = scene()
    assert world.in_box((3.9, -0.1, 2), (4.1, 0.1, 5)) == [("box", 0)]
    assert [hit.body for hit in world.in_box((-1, -1, -1), (5, 1, 3))] == ["ground", "ball", "box", "box"]
    assert world.in_box((-1, -1, -1), (5, 1, 3), groups="floor") == [("ground", 0)]


def plate(thickness=0.005):
    b = gk.Builder()
    b.body("plate", shape=gk.Box((thickness, 1, 1)), static=True)
    b.body("bullet", shape=gk.Sphere(0.005), density=8000, at=(-2, 0, 0), velocity=(300, 0, 0))
    return b.build()


def test_a_bullet_never_passes_a_thin_plate():
    """1 cm at 300 m/s against 5 mm, a step of 10 ms: it goes 3 m and would be 1 m behind it (V-06)."""
    model = plate()
    world = gk.CollisionWorld(model)
    (impact,) = world.impacts(model.initial_state(), 0.01)
    assert {impact.a, impact.b} == {"plate", "bullet"}
    # centre 2 m away, surfaces 2 - 0.0025 - 0.005; contact counts from 1e-6 of both sizes on
    assert impact.time == pytest.approx((2 - 0.0075) / 300, abs=3e-6 / 300)
    np.testing.assert_allclose(impact.point, (-0.0025, 0, 0), atol=3e-6)
    assert not world.impacts(model.initial_state(), 0.0066)


def test_impacts_come_in_order_and_from_turning_bodies():
    """A rod that turns about its middle hits a wall beside it with its end; a ball hits the floor later."""
    b = gk.Builder()
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True, at=(0.5 + 0.3, 0, 0))
    b.body("floor", shape=gk.Plane(), static=True, at=(0, 0, -5))
    b.body("rod", shape=gk.Capsule(0.01, 1.0), density=1, angular_velocity=(0, 2.0, 0))
    b.body("ball", shape=gk.Sphere(0.1), density=1, at=(-3, 0, 0), velocity=(0, 0, -10))
    model = b.build()
    found = gk.CollisionWorld(model).impacts(model.initial_state(), 1.0)
    assert [{i.a, i.b} for i in found] == [{"wall", "rod"}, {"floor", "ball"}]
    # the end at 0.5 m: 0.5 sin(w t) = 0.3 - 0.01
    assert found[0].time == pytest.approx(math.asin(0.29 / 0.5) / 2.0, abs=1e-5)
    assert found[1].time == pytest.approx(4.9 / 10, abs=1e-6)


def test_sweep_stops_at_what_is_first():
    world = scene()
    hit = world.sweep(gk.Sphere(0.25), at=(-10, 0, 2), way=(20, 0, 0))
    assert hit.body == "ball"
    assert hit.distance == pytest.approx(10 - 0.75, abs=3e-6)
    assert hit.share == pytest.approx(hit.distance / 20)
    np.testing.assert_allclose(hit.normal, (-1, 0, 0), atol=1e-9)
    assert world.sweep(gk.Sphere(0.25), at=(-10, 0, 2), way=(9, 0, 0)) is None
    assert world.sweep(gk.Sphere(0.25), at=(-10, 0, 2), way=(20, 0, -10), groups="floor").body == "ground"


def test_sweep_of_compounds_and_against_surfaces():
    b = gk.Builder()
    heights = np.zeros((20, 20))
    heights[10, 10] = 1.0
    b.body("hills", shape=gk.HeightField(heights, 1.0), static=True)
    box = surface_of(gk.Box((1, 1, 1)))
    b.body("crate", shape=box, density=1, at=(0.5, 5, 3))
    world = gk.CollisionWorld(b.build())
    down = world.sweep(
        gk.Compound([(gk.Sphere(0.1), (0, 0, 0)), (gk.Box((0.1, 0.1, 0.1)), (3, 0, 0))]), (0.5, 0.5, 5), (0, 0, -9)
    )
    assert down.body == "hills"
    assert down.distance == pytest.approx(
        4.0 - 0.1, abs=0.05
    )  # onto the tip of 1 m, beside which a ball sinks a little
    assert world.sweep(gk.Sphere(0.1), (0.5, 5, 9), (0, 0, -9)).distance == pytest.approx(9 - 3.5 - 0.1, abs=1e-5)
    # a mesh goes as well, onto the flat beside the tip: 9 less half of its edge
    assert world.sweep(box, (-4.5, -4.5, 9), (0, 0, -9)).distance == pytest.approx(8.5, abs=1e-5)
    with pytest.raises(gk.InputError, match="an end on all sides"):
        world.sweep(gk.Plane(), (0, 0, 9), (0, 0, -1))


def test_nearest_points_of_two_bodies_however_far():
    """Balls by the closed form; bodies of several parts; joined bodies; a mesh; a plane; depth in overlap."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("arms", shape=[gk.Part(gk.Sphere(0.1), at=(0, 0, 5)), gk.Part(gk.Sphere(0.2), at=(3, 0, 5))], density=1)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(40, 0, 5))
    mesh = surface_of(gk.Box((1, 1, 1)))
    b.body("crate", shape=mesh, density=1, at=(40, 7, 5))
    b.body("inside", shape=gk.Box((0.2, 0.2, 0.2)), density=1, at=(40, 0, 5.4))
    b.add(gk.Ball(name="j", a="arms", b="ball", at=(20, 0, 5)))
    b.particle("dust", mass=1.0)
    world = gk.CollisionWorld(b.build())
    near = world.nearest("arms", "ball")
    assert (near.part_a, near.distance) == (1, pytest.approx(37 - 0.7, abs=1e-12))
    np.testing.assert_allclose(near.normal, (1, 0, 0), atol=1e-15)
    assert world.nearest("crate", "ball").distance == pytest.approx(7 - 1.0, abs=1e-9)
    assert world.nearest("ball", "ground").distance == pytest.approx(4.5, abs=1e-12)
    assert world.nearest("ball", "inside").distance == pytest.approx(-0.2, abs=1e-9)
    assert world.nearest("ball", "dust") is None
    with pytest.raises(gk.InputError, match="two different"):
        world.nearest("ball", "ball")


def test_batches_of_rays_from_one_place_and_of_none():
    world = scene()
    fan = [(math.cos(a), math.sin(a), 0) for a in (0.0, 0.1, 3.0)]
    hits = world.rays((-3, 0, 2), fan)
    assert world.body_of(hits.collider) == ["ball", "ball", None]
    assert np.isnan(hits.point[2]).all()
    assert len(world.rays(np.zeros((0, 3)), (0, 0, 1))) == 0
    assert len(world.closest_points(np.zeros((0, 3)))) == 0


@pytest.mark.parametrize("bad", [-1, 99, "a", 1.5])
def test_numbers_of_colliders_are_checked(bad):
    with pytest.raises(gk.InputError, match="collider is"):
        scene().body_of(bad)


def test_boxes_and_groups_are_checked():
    world = scene()
    with pytest.raises(gk.InputError, match="at or below"):
        world.in_box((1, 1, 1), (0, 0, 0))
    with pytest.raises(gk.InputError, match="names of groups"):
        world.ray((0, 0, 5), (0, 0, -1), groups=5)


def test_a_plane_that_moves_is_met():
    b = gk.Builder()
    b.body("ball", shape=gk.Sphere(0.5), static=True, at=(0, 0, 2))
    b.body("lift", shape=gk.Plane(), mass=1, inertia=(1, 1, 1), velocity=(0, 0, 10))
    model = b.build()
    (impact,) = gk.CollisionWorld(model).impacts(model.initial_state(), 1.0)
    assert impact.time == pytest.approx(0.15, abs=1e-6)


def test_overlap_with_more_triangles_than_there_is_room_for_at_first():
    b = gk.Builder()
    heights = np.random.default_rng(0).normal(size=(60, 60)) * 0.02
    b.body("field", shape=gk.HeightField(heights, 0.1), static=True)
    b.body("box", shape=gk.Box((4, 4, 0.2)), density=1, at=(0, 0, 0.12))
    world = gk.CollisionWorld(b.build())
    (found,) = [o for o in world.overlap(gk.Box((4, 4, 0.2)), at=(0, 0, 0.12)) if o.body == "field"]
    assert found.distance == min(c.distance for c in world.between("field", "box"))
