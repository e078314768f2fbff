"""What questions to a world and the loading of shapes say about wrong input, and when events were (V-33)."""

import math

import numpy as np
import pytest

import gelenk as gk


def world_of(**part):
    b = gk.Builder()
    b.body("ground", shape=gk.Part(gk.Plane(), groups="floor"), static=True)
    b.body("ball", shape=gk.Part(gk.Sphere(0.5), **part), density=1, at=(0, 0, 2))
    return gk.CollisionWorld(b.build())


@pytest.mark.parametrize("call", ["overlap", "overlaps", "sweep", "sweeps"])
def test_shapes_are_asked_for(call):
    more = {"overlap": (), "overlaps": ((0, 0, 0),), "sweep": ((0, 0, 0), (0, 0, 1)), "sweeps": ((0, 0, 0), (0, 0, 1))}
    world = world_of()
    for bad, message in (
        (gk.Part(gk.Sphere(1.0)), "a Part; allowed: a shape"),
        ("ball", "the name 'ball'"),
        (3.0, "a float that collides"),
    ):
        with pytest.raises(gk.InputError, match=message):
            getattr(world, call)(bad, *more[call])


@pytest.mark.parametrize("call", ["between", "nearest", "way_out"])
def test_two_bodies_are_asked_for(call):
    with pytest.raises(gk.InputError, match="'ball' twice; allowed: two different bodies"):
        getattr(world_of(), call)("ball", "ball")


def test_groups_in_which_no_part_is_are_named():
    with pytest.warns(gk.GroupWarning, match="body 'ball', part 0 meets the group 'flor', in which no part is"):
        world = world_of(meets=("flor",))
    with pytest.raises(gk.InputError, match="flor"):
        world.ray((0, 0, 9), (0, 0, -1), groups="flor")
    assert world.ray((0, 0, 9), (0, 0, -1), groups="floor").body == "ground"
    assert world.ray((0, 0, 9), (0, 0, -1), groups=["default"]).body == "ball"
    world_of(meets=("floor", "default"))  # says nothing


@pytest.mark.parametrize("bad", [None, 3, b"car.obj", np.zeros((3, 3)), gk.Box((1, 1, 1))])
def test_meshes_come_from_files_or_are_meshes(bad):
    with pytest.raises(gk.InputError, match="a path"):
        gk.decompose(bad)
    with pytest.raises(gk.InputError, match="the path of a file"):
        gk.load_mesh(bad)


def test_faces_with_corners_that_are_not_there(tmp_path):
    path = tmp_path / "part.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 7\n")
    with pytest.raises(gk.InputError, match=r"part.obj:5: .*a face has the corner 7; allowed: corners from 1 to 3"):
        gk.load_mesh(path)


def test_events_have_the_time_of_the_state():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 2))
    model = b.build()
    world = gk.CollisionWorld(model)
    seen = []
    world.subscribe(seen.append)
    state = model.initial_state()
    for t, z in ((0.25, 1.0), (0.5, 0.49), (0.75, 0.49), (1.0, 2.0)):
        state.p_WC[2, 2] = z
        world.detect(state, time=t)
    assert [(e.kind, e.time) for e in seen] == [("begin", 0.5), ("end", 1.0)]
    state.p_WC[2, 2] = 0.49
    assert world.detect(state).events[0].time is None
    with pytest.raises(gk.InputError, match="time"):
        world.detect(state, time=float("nan"))


def test_a_scale_without_a_file_is_refused():
    with pytest.raises(gk.InputError, match=r"scale is 0.001 beside a TriangleMesh.*load_mesh\(path, scale"):
        gk.decompose(gk.TriangleMesh(*gk.Box((100, 80, 40)).triangles()), scale=0.001)


def test_parts_in_compounds_are_refused_with_the_way():
    with pytest.raises(gk.InputError, match=r"Pass \(part.shape, part.at, part.rotation\)"):
        gk.Compound([gk.Part(gk.Sphere(1.0), at=(1, 0, 0))])


def boxes():
    b = gk.Builder()
    b.body("Crate", shape=gk.Box((1, 1, 1)), density=1)
    b.body("lid", shape=gk.Box((1, 1, 0.1)), density=1, at=(0, 0, 2))
    return gk.CollisionWorld(b.build())


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda w: w.ray((0, 0, 5), (0, 0, 0)), r"^ray: direction is 0; "),
        (lambda w: w.ray((0, 0, math.nan), (0, 0, 1)), r"^ray: start is \(0, 0, nan\)"),
        (lambda w: w.ray((0, 0, 5), (0, 0, 1), -1), r"^ray: length is -1.0; "),
        (lambda w: w.ray((0, 0, 5), dir=(0, 0, -1)), "Did you mean 'direction'"),
        (lambda w: w.closest((0, 0)), r"^closest: point is \(0, 0\)"),
        (lambda w: w.overlap(gk.Sphere, at=(0, 0, 0)), r"the class Sphere; allowed: a shape. Make one: gk.Sphere\("),
        (lambda w: w.nearest("lid", "crate"), "Did you mean 'Crate'"),
        (lambda w: w.picture(colors={"crat": (1, 0, 0)}), "body in colors is 'crat'"),
        (lambda w: w.impacts(1.0, w.model.initial_state()), r"duration is State\(flat=array\(\[[^\n]*; allowed"),
    ],
)
def test_single_questions_name_themselves_and_what_was_meant(ask, message):
    with pytest.raises(gk.InputError, match=message):
        ask(boxes())
