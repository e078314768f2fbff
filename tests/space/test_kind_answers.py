"""Answers of a world are handy: compared, listed by number, drawn, asked for without oneself (V-30, V-33)."""

import numpy as np
import pytest

import gelenk as gk


@pytest.fixture(scope="module")
def world():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("crate", shape=gk.Box((1, 1, 1)), density=1, at=(0, 0, 0.5))
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(3, 0, 0.49))
    b.body("lid", shape=gk.Box((1, 1, 0.1)), density=1, at=(0, 0, 1.04))
    return gk.CollisionWorld(b.build())


def test_answers_are_equal_if_every_field_is(world):
    one, other = list(world), list(world.detect())
    assert one == other
    assert one[0] != one[1]
    assert one[0] != "contact"
    assert one[0].flipped() != one[0]
    assert one[0].flipped().flipped() == one[0]
    ask = (0, 0, 9), (0, 0, -1)
    assert world.ray(*ask) == world.ray(*ask) != world.ray((3, 0, 9), (0, 0, -1))
    assert world.closest((0, 0, 5)) == world.closest((0, 0, 5))
    assert world.overlap(gk.Sphere(0.1)) == world.overlap(gk.Sphere(0.1))
    assert (
        world.sweep(gk.Sphere(0.1), (0, 0, 9), (0, 0, -9))
        == world.sweep(gk.Sphere(0.1), (0, 0, 9), (0, 0, -9))
        is not None
    )


def test_contacts_by_number(world):
    contacts = list(world)
    assert [world[k] for k in range(len(world))] == contacts
    assert world[-1] == contacts[-1]
    with pytest.raises(IndexError):
        world[len(world)]


def test_a_world_says_what_it_holds(world):
    assert "4 shapes, 9 contacts, broad phase all pairs" in repr(world)


def test_names_of_many_colliders(world):
    hits = world.rays((0, 0, 9), np.array([[(0, 0, -1), (3, 0, -8.5)], [(0, 0, 1), (0, 5, -9)]], dtype=float))
    assert hits.shape == (2, 2)
    assert world.body_of(hits.collider) == [["lid", "ball"], [None, "ground"]]
    assert world.body_of(hits.collider[1, 0]) is None
    assert world.body_of(0) == "ground"
    with pytest.raises(gk.InputError, match=r"directions has shape \(2, 2, 2\)"):
        world.rays((0, 0, 9), np.zeros((2, 2, 2)))


def test_bodies_can_be_looked_through(world):
    down = (0, 0, -1)
    assert world.ray((0, 0, 9), down, ignore="lid").body == "crate"
    assert world.ray((0, 0, 9), down, ignore=["lid", "crate"]).body == "ground"
    assert world.ray((0, 0, 0.5), (1, 0, 0)).distance == 0.0  # from within the crate
    assert world.ray((0, 0, 0.5), (1, 0, 0), ignore="crate").body == "ball"
    assert world.closest((0, 0, 5), ignore="lid").body == "crate"
    assert [hit.body for hit in world.in_box((-1, -1, 0.5), (1, 1, 2), ignore="lid")] == ["crate"]
    assert [o.body for o in world.overlap(gk.Box((1, 1, 0.1)), at=(0, 0, 1.04), ignore="lid")] == ["crate"]
    start, way = (0, 0, 1.04), (0, 0, 5)
    assert world.sweep(gk.Box((1, 1, 0.1)), start, way).distance == 0.0
    assert world.sweep(gk.Box((1, 1, 0.1)), start, way, ignore=("lid", "crate")) is None
    assert world.ray((0, 0, 9), down).body == "lid"  # nothing stays ignored
    with pytest.raises(gk.InputError, match="Did you mean 'lid'"):
        world.ray((0, 0, 9), down, ignore="lids")
    with pytest.raises(gk.InputError, match="names of bodies"):
        world.ray((0, 0, 9), down, ignore=3)


def test_functions_hear_no_more_once_they_are_taken_out():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 2))
    model = b.build()
    world, heard, state = gk.CollisionWorld(model), [], model.initial_state()
    world.subscribe(heard.append)
    with pytest.raises(gk.InputError, match="given to subscribe"):
        world.unsubscribe(print)
    world.unsubscribe(heard.append)
    state.p_WC[2, 2] = 0.4
    assert len(world.detect(state).events) == 1
    assert heard == []
