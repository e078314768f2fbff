"""Contacts of whole models: which pairs are looked at, what is reported, events, surroundings that change."""

import numpy as np
import pytest

import gelenk as gk
from surfaces import surface_of

TURN = gk.unit((1.0, 0.2, -0.3, 0.5))


def stack(count=3, gap=0.0):
    """Cubes of 1 m on a plane, a gap between each."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(count):
        b.body(f"cube{k}", shape=gk.Box((1, 1, 1)), density=1000, at=(0, 0, 0.5 + gap + k * (1 + gap)))
    return b.build()


def moved(model, name, by):
    state = model.initial_state()
    state.p_WC[model.index(name)] += by
    return state


def test_a_stack_has_four_points_at_every_joint_of_two_faces():
    world = gk.CollisionWorld(stack(3, gap=-1e-3))
    assert len(world) == 12
    for lower, upper in (("ground", "cube0"), ("cube0", "cube1"), ("cube1", "cube2")):
        found = world.between(lower, upper)
        assert len(found) == 4
        np.testing.assert_allclose([c.distance for c in found], -1e-3, rtol=0, atol=1e-15)
        np.testing.assert_allclose([c.normal for c in found], [(0, 0, 1)] * 4, rtol=0, atol=1e-15)
        corners = {(round(c.point_a[0], 9), round(c.point_a[1], 9)) for c in found}
        assert corners == {(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)}
    assert not world.between("ground", "cube1")


def test_normals_and_points_keep_their_promise_and_flip():
    model = stack(2, gap=0.003)
    world = gk.CollisionWorld(model, margin=0.01)
    for c, other in zip(world.between("cube0", "cube1"), world.between("cube1", "cube0")):
        np.testing.assert_allclose(c.point_b - c.point_a, c.distance * c.normal, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(c.normal, -other.normal)
        np.testing.assert_array_equal(c.point_a, other.point_b)


def test_points_follow_the_centre_of_mass_and_the_place_of_the_part():
    """A part beside the centre of mass on a turned body touches where its corner is."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    parts = [gk.Part(gk.Sphere(0.2), at=(1, 0, 0)), gk.Part(gk.Box((1, 1, 1)), collide=False)]
    turn = gk.unit((np.cos(0.6), 0, np.sin(0.6), 0))  # about y by 1.2 rad: x of the body goes down
    b.body("arm", shape=parts, density=500, at=(3, 2, np.sin(1.2) + 0.1), rotation=turn)
    (c,) = gk.CollisionWorld(b.build()).between("ground", "arm")
    np.testing.assert_allclose(c.point_b, (3 + np.cos(1.2), 2, -0.1), rtol=0, atol=1e-12)
    assert c.distance == pytest.approx(-0.1, abs=1e-12)
    assert c.part_b == 0


def test_the_margin_decides_what_is_reported():
    model = stack(1, gap=0.01)
    assert len(gk.CollisionWorld(model, margin=0.0099)) == 0
    assert len(gk.CollisionWorld(model, margin=0.0101)) == 4
    assert gk.CollisionWorld(model).margin == pytest.approx(0.02)  # 2 % of the cube


def test_neighbours_at_a_joint_do_not_touch_unless_it_says_so():
    def arms(**options):
        b = gk.Builder()
        for k in range(3):
            b.body(f"arm{k}", shape=gk.Capsule(0.05, 1.0), density=1000, at=(0.0, 0, -k * 1.02))
        b.add(gk.Hinge(name="h0", a="arm0", b="arm1", at=(0, 0, -0.51), axis=(0, 1, 0), **options))
        return gk.CollisionWorld(b.build())

    assert not arms().between("arm0", "arm1")
    assert arms().between("arm1", "arm2")
    assert arms(collide=True).between("arm0", "arm1")


def test_groups_and_what_they_meet():
    def balls(first, second):
        b = gk.Builder()
        b.body("a", shape=gk.Part(gk.Sphere(1.0), **first), density=1)
        b.body("b", shape=gk.Part(gk.Sphere(1.0), **second), density=1, at=(1.5, 0, 0))
        return len(gk.CollisionWorld(b.build()))

    assert balls({}, {}) == 1
    assert balls({"groups": "robot", "meets": ("default",)}, {"groups": "robot", "meets": ("default",)}) == 0
    assert balls({"groups": ("robot", "hand")}, {"meets": ("hand",)}) == 1
    with pytest.warns(gk.GroupWarning, match="'hand', in which no part is; there are 'default', 'robot'"):
        assert balls({"groups": ("robot",)}, {"meets": ("hand",)}) == 0
    assert balls({"collide": False}, {}) == 0


def test_too_many_groups_are_refused():
    b = gk.Builder()
    for k in range(32):
        b.body(f"b{k}", shape=gk.Part(gk.Sphere(1.0), groups=(f"g{k}",)), density=1, at=(3 * k, 0, 0))
    with pytest.raises(gk.InputError, match="33 groups"):
        gk.CollisionWorld(b.build())


def test_one_point_mode_keeps_the_deepest():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("cube", shape=gk.Box((1, 1, 1)), density=1000, at=(0, 0, 0.5), rotation=gk.unit((1, 0.001, 0.002, 0)))
    model = b.build()
    (one,) = gk.CollisionWorld(model, points="one")
    assert one.distance == min(c.distance for c in gk.CollisionWorld(model))


def test_static_bodies_never_meet():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 5))
    assert len(gk.CollisionWorld(b.build())) == 0


def test_events_tell_begin_and_end_once():
    model = stack(1, gap=0.1)
    world, heard = gk.CollisionWorld(model), []
    world.subscribe(heard.append)
    for z in (0.0, -0.05, -0.1, -0.11, -0.1, -0.09, -0.05, 0.0):
        world.detect(moved(model, "cube0", (0, 0, z)))
    # begins at d = 0 (z = -0.1), ends beyond the margin of 0.02 (z = -0.05); at -0.09 it is still near
    assert [(e.kind, e.a, e.b) for e in heard] == [("begin", "ground", "cube0"), ("end", "ground", "cube0")]
    assert world.events == []


def test_events_of_what_leaves_far_and_of_compounds_come_once():
    two = gk.Compound([(gk.Box((1, 1, 1)), (-0.6, 0, 0)), (gk.Box((1, 1, 1)), (0.6, 0, 0))])
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("pair", shape=two, density=1, at=(0, 0, 0.5))
    model = b.build()
    world = gk.CollisionWorld(model)
    assert [e.kind for e in world.events] == ["begin"]
    assert len(world) == 8
    world.detect(moved(model, "pair", (0, 0, 100)))
    assert [e.kind for e in world.events] == ["end"]


def test_tiles_come_and_go():
    b = gk.Builder()
    for k in range(3):
        b.body(f"tile{k}", shape=gk.Box((10, 10, 1)), static=True, at=(10 * k, 0, -0.5))
    b.body("car", shape=gk.Box((2, 1, 1)), density=1, at=(10, 0, 0.5))
    world = gk.CollisionWorld(b.build())
    assert len(world.between("tile1", "car")) == 4
    world.show("tile1", False)
    assert len(world.detect()) == 0
    world.show("tile1")
    assert len(world.detect()) == 4


def test_surroundings_are_exchanged_and_what_touches_goes_on():
    model = stack(1)
    world = gk.CollisionWorld(model)
    heard = []
    world.subscribe(heard.append)
    b = gk.Builder.from_model(model)
    b.remove("ground")
    b.body("ground", shape=gk.Box((20, 20, 2)), static=True, at=(0, 0, -1))
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True, at=(1.0, 0, 0.5))
    world.exchange(b.build())
    assert [(e.kind, e.a, e.b) for e in heard] == [("begin", "cube0", "wall")]
    b.remove("ground")
    world.exchange(b.build())
    assert [(e.kind, {e.a, e.b}) for e in heard[1:]] == [("end", {"cube0", "ground"})]


def test_space_grows_with_the_number_of_contacts():
    """More than eight pairs a shape, and more points than were made room for at first."""
    b = gk.Builder()
    for k in range(60):
        b.body(f"cube{k}", shape=gk.Box((1, 1, 1)), density=1, at=(1e-4 * k, 2e-4 * k, 3e-4 * k))
    world = gk.CollisionWorld(b.build())
    assert len(world.pairs) == 60 * 59 // 2
    assert world.pairs["count"].min() >= 4
    assert int(world.pairs["count"].sum()) == len(world)
    last = world.pairs[-1]
    assert last["first"] + last["count"] == len(world)


def test_all_broad_phases_give_the_same_contacts():
    random = np.random.default_rng(4)
    b = gk.Builder()
    for k in range(80):
        q = gk.unit(random.normal(size=4))
        b.body(f"b{k}", shape=gk.Box((0.5, 0.7, 0.9)), density=1, at=random.uniform(0, 3, 3), rotation=q)
    model = b.build()
    kinds = ("all pairs", "sweep", "tree", "grid", "cell lists", "octree", "kd-tree", "sweep on three axes")
    points = [gk.CollisionWorld(model, broad=kind).points.tobytes() for kind in kinds]
    assert len(points[0]) > 0
    assert points.count(points[0]) == len(kinds)


def test_memory_changes_nothing_but_round_off():
    """A world that followed a motion, and one that sees its end alone, agree."""
    random = np.random.default_rng(5)
    b = gk.Builder()
    for k, shape in enumerate(
        (gk.Box((1, 1, 1)), gk.Cylinder(0.5, 1.0), gk.Cone(0.6, 1.2), gk.Ellipsoid((0.4, 0.5, 0.7)))
    ):
        b.body(f"s{k}", shape=shape, density=1, at=random.normal(0, 0.25, 3), rotation=gk.unit(random.normal(size=4)))
    model = b.build()
    followed, state = gk.CollisionWorld(model, margin=0.1), model.initial_state()
    for _ in range(20):
        state.p_WC[1:] += random.normal(0, 0.01, (4, 3))
        followed.detect(state)
    fresh = gk.CollisionWorld(model, margin=0.1).detect(state)
    assert len(fresh) == len(followed) >= 6
    for a, c in zip(fresh, followed):
        assert a.distance == pytest.approx(c.distance, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -1}, "margin"),
        ({"points": "all"}, "points"),
        ({"method": "magic"}, "method"),
        ({"broad": "magic"}, "broad phase"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(gk.InputError, match=message):
        gk.CollisionWorld(stack(1), **options)


def test_other_bad_input():
    world = gk.CollisionWorld(stack(1))
    with pytest.raises(gk.InputError, match="Pass builder"):
        gk.CollisionWorld("scene")
    with pytest.raises(gk.InputError, match="cube7"):
        world.between("cube7", "ground")
    with pytest.raises(gk.InputError, match="function of one event"):
        world.subscribe(3)
    with pytest.raises(gk.InputError, match="groups"):
        gk.Part(gk.Sphere(1.0), groups=(1, 2))
    with pytest.raises(gk.InputError, match="collide"):
        gk.Ball(name="j", a="world", b="x", at=(0, 0, 0), collide=1)


def test_a_model_without_shapes_has_no_contacts():
    b = gk.Builder()
    b.particle("p", mass=1)
    world = gk.CollisionWorld(b.build())
    assert len(world) == 0
    assert world.ray((0, 0, 0), (1, 0, 0)) is None


def test_room_is_made_for_many_triangles_below_one_box():
    """A box on a raster finer than the scratch has room for at first still has its four corners."""
    b = gk.Builder()
    b.body("ground", shape=gk.HeightField(np.zeros((41, 41)), 0.05), static=True)
    b.body("box", shape=gk.Box((1.61, 1.41, 0.2)), density=1, at=(0, 0, 0.1))
    world = gk.CollisionWorld(b.build())
    assert len(world.work.surface.found) > 1600 > 512
    found = world.between("ground", "box")
    corners = {(round(abs(c.point_b[0]), 9), round(abs(c.point_b[1]), 9)) for c in found}
    assert len(found) == 4
    assert corners == {(0.805, 0.705)}


def test_a_state_of_another_model_is_refused():
    world = gk.CollisionWorld(stack(1))
    with pytest.raises(gk.InputError, match="has 3 nodes"):
        world.detect(stack(2).initial_state())
    with pytest.raises(gk.InputError, match="initial_state"):
        world.detect("now")


def test_a_state_that_is_no_place_is_refused():
    model = stack(1)
    world, state = gk.CollisionWorld(model), model.initial_state()
    state.p_WC[2, 0] = np.nan
    with pytest.raises(gk.InputError, match="'cube0'"):
        world.detect(state)
    state = model.initial_state()
    state.q_WB[2] *= 2
    with pytest.raises(gk.InputError, match="length 1"):
        world.detect(state)


def with_mesh(mesh, shape, at, **options):
    b = gk.Builder()
    b.body("mesh", shape=mesh, static=True)
    b.body("solid", shape=shape, density=1, at=at)
    return gk.CollisionWorld(b.build(), **options)


def test_where_a_hull_has_its_origin_does_not_matter_to_a_mesh():
    """The same cube, its points given around its middle or from far away: free in a ring, deep in a box."""
    cube = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    ring = gk.TriangleMesh(*gk.Torus(0.6, 0.2).triangles(24))
    box = surface_of(gk.Box((2, 2, 2)))
    for shift in (0.0, 0.6, -5.0):
        away = np.array((shift, 0, 0))
        assert len(with_mesh(ring, gk.ConvexHull(cube - away), away, margin=0.01)) == 0
        (deep,) = with_mesh(box, gk.ConvexHull(cube - away), (shift + 0.3, 0, 0), margin=0.01)
        assert deep.distance == pytest.approx(-0.8, abs=1e-9)


def test_a_body_inside_a_mesh_is_inside_however_large_the_margin_is():
    ring = gk.TriangleMesh(*gk.Torus(0.6, 0.2).triangles(12))
    depths = [
        min(c.distance for c in with_mesh(ring, gk.Sphere(0.05), (0.6, 0.01, 0.02), margin=m)) for m in (0.1, 0.6)
    ]
    assert depths[0] == pytest.approx(depths[1], abs=1e-12)
    assert depths[0] < -0.2


def test_a_ball_on_a_ring_of_triangles_has_no_contact_with_the_wall_beside():
    """It touches the top by a quarter of a millimetre; the inner wall, met at its upper edge, is cleared by that."""
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    corner = [
        (r * np.cos(a), r * np.sin(a), z)
        for a in angle
        for r, z in ((0.3, -0.15), (0.6, -0.15), (0.6, 0.15), (0.3, 0.15))
    ]
    quads = [
        (4 * i + k, 4 * j + k, 4 * j + m, 4 * i + m)
        for i in range(24)
        for j in ((i + 1) % 24,)
        for k, m in ((0, 1), (1, 2), (2, 3), (3, 0))
    ]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    at = np.array((0.1454, 0.2416, 0.5694))
    world = with_mesh(gk.TriangleMesh(corner, faces), gk.Sphere(0.42), at)
    for c in world:
        assert abs(np.linalg.norm(c.point_b - at) - 0.42) < 1e-9
    assert min(c.distance for c in world) == pytest.approx(-0.00025, abs=1e-5)


def test_exchange_finds_the_contacts_of_the_state_given():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("tile", shape=gk.Box((1, 1, 1)), static=True, at=(0, 0, 3))
    b.body("box", shape=gk.Box((1, 1, 1)), density=1, at=(0, 0, 5))
    model = b.build()
    world, heard, state = gk.CollisionWorld(model), [], moved(model, "box", (0, 0, -4.501))
    world.show("tile", False)
    world.detect(state)
    world.subscribe(heard.append)
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True, at=(9, 0, 0))
    other = b.build()
    later = moved(other, "box", (0, 0, -4.501))
    world.exchange(other, later)
    assert heard == []
    assert len(world.between("ground", "box")) == 4
    assert not world.detect(moved(other, "box", (0, 0, -1.2))).between("tile", "box")


def test_an_exchange_that_fails_changes_nothing():
    model = stack(1)
    world = gk.CollisionWorld(model)
    b = gk.Builder()
    for k in range(32):
        b.body(f"q{k}", shape=gk.Part(gk.Sphere(1.0), groups=(f"g{k}",)), density=1, at=(k, 0, 0))
    with pytest.raises(gk.InputError, match="33 groups"):
        world.exchange(b.build())
    assert world.model is model
    assert world.detect().events == []
    assert len(world) == 4


def test_impacts_leave_contacts_where_they_are():
    model = stack(1)
    world = gk.CollisionWorld(model)
    before = [c.point_b.tolist() for c in world]
    world.impacts(moved(model, "cube0", (10, 0, 20)), 0.1)
    assert [c.point_b.tolist() for c in world] == before
    assert world.ray((0, 0, 9), (0, 0, -1)).body == "cube0"
