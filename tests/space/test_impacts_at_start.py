"""What touches or overlaps at the start is an impact only where it comes together (V-06)."""

import math

import numpy as np
import pytest

import gelenk as gk
from surfaces import surface_of


def impacts_of(ground, shape, at, velocity=(0, 0, 0), spin=(0, 0, 0), duration=1.0, **more):
    b = gk.Builder()
    b.body("ground", shape=ground, static=True)
    b.body("body", shape=shape, density=1, at=at, velocity=velocity, angular_velocity=spin, **more)
    model = b.build()
    return [i.time for i in gk.CollisionWorld(model).impacts(model.initial_state(), duration)]


def stairs():
    heights = np.zeros((17, 9))
    heights[12:] = 1.0  # from x = 1.0 (sample 12 of spacing 0.25 about the middle at 8) on; a ramp from 0.75
    return gk.HeightField(heights, 0.25)


@pytest.mark.parametrize(
    ("shape", "at"),
    [
        (gk.Sphere(0.5), (0, 0, 0.5)),
        (gk.Box((1, 1, 1)), (0, 0, 0.5)),
        (gk.Sphere(0.5), (0, 0, 0.4)),
        (surface_of(gk.Box((1, 1, 1))), (0, 0, 0.5)),
        (surface_of(gk.Box((1, 1, 1))), (0, 0, 0.49)),
    ],
)
@pytest.mark.parametrize(
    "ground",
    [gk.Plane(), gk.Part(gk.Box((8, 8, 1)), at=(0, 0, -0.5)), gk.HeightField(np.zeros((9, 9)), 0.7)],
)
def test_resting_sliding_and_parting_are_no_impacts_and_falling_is(shape, at, ground):
    assert impacts_of(ground, shape, at) == []
    assert impacts_of(ground, shape, at, (0, 0, 1)) == []
    assert impacts_of(ground, shape, at, (0.5, 0.2, 0)) == []
    assert impacts_of(ground, shape, at, (0, 0, -1)) == [0.0]
    assert impacts_of(ground, shape, at, (3, 0, -0.01)) == [0.0]


def test_a_spinning_and_a_rolling_body_stay_in_contact():
    assert impacts_of(gk.Plane(), gk.Box((1, 1, 1)), (0, 0, 0.5), spin=(0, 0, 5)) == []
    roll = {"rotation": (math.sqrt(0.5), math.sqrt(0.5), 0, 0)}
    assert impacts_of(gk.Plane(), gk.Cylinder(0.5, 1.0), (0, 0, 0.5), (1, 0, 0), (0, 0, -2), **roll) == []
    assert impacts_of(gk.Plane(), gk.Sphere(0.5), (0, 0, 0.5), (1, 0, 0), (0, 2, 0)) == []


def test_a_box_that_tilts_presses_a_corner_in_at_once():
    assert impacts_of(gk.Plane(), gk.Box((1, 1, 1)), (0, 0, 0.5), spin=(1, 0, 0)) == [0.0]


def test_a_box_that_slides_over_cells_meets_the_step_on_time():
    """0.2 m a side, its front at 0.1 m; the ramp begins at x = 0.75, and the lower front edge meets it there."""
    (time,) = impacts_of(stairs(), gk.Box((0.2, 0.2, 0.2)), (0, 0.03, 0.1), (1, 0, 0))
    assert time == pytest.approx(0.75 - 0.1, abs=1e-5)
    (time,) = impacts_of(stairs(), gk.Box((0.2, 0.2, 0.2)), (0, 0.03, 0.1 - 1e-9), (1, 0, 0))
    assert time == pytest.approx(0.75 - 0.1, abs=1e-5)


def test_what_parts_meets_again_when_it_comes_back():
    """A capsule as a hand of a clock leaves the wall and hits it from the other side after nearly a turn."""
    wall = gk.Part(gk.Box((1.0, 0.2, 0.2)), at=(1.0, 0, 0))
    at_wall = gk.Part(gk.Capsule(0.05, 2.0), rotation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0))
    found = impacts_of(wall, at_wall, (0, 0, 0.15), spin=(0, -1.0, 0), duration=4.0)
    # it lies on the wall with z = 0.1 + 0.05 and turns up on the side of the wall; the other end comes from below: the
    # rod at the angle a has the edge x = 0.5, z = -0.1 at its radius: 0.5 sin a + 0.25 cos a = 0.05 from below
    a = np.linspace(math.pi / 2, math.pi, 200001)
    x, z = 0.5, -0.1 - 0.15
    side = x * np.sin(a - math.pi) - z * np.cos(a - math.pi)
    first = a[np.argmax(np.abs(side) <= 0.05)]
    assert len(found) == 1
    assert found[0] == pytest.approx(first, abs=4.0 / 64)


def test_inside_a_mesh_out_is_free_and_deeper_is_an_impact():
    rock = surface_of(gk.Box((4, 4, 4)))
    for shape in (
        gk.Sphere(0.2),
        surface_of(gk.Box((0.3, 0.3, 0.3))),
        gk.SphereTree(rock.scaled(0.05), 1),
    ):
        assert impacts_of(rock, shape, (1.2, 0, 0), (2, 0, 0)) == []
        assert impacts_of(rock, shape, (1.2, 0, 0), (-2, 0, 0)) == [0.0]
    land = gk.HeightField(np.zeros((9, 9)), 1.0)
    assert impacts_of(land, gk.Sphere(0.2), (0, 0, -30), (0, 0, 60)) == []
    assert impacts_of(land, gk.Sphere(0.2), (0, 0, -30), (0, 0, -60)) == [0.0]


def test_two_bodies_that_overlap():
    b = gk.Builder()
    b.body("a", shape=gk.Sphere(0.5), density=1, velocity=(-1, 0, 0))
    b.body("b", shape=gk.Sphere(0.5), density=1, at=(0.9, 0, 0), velocity=(1, 0, 0))
    b.body("c", shape=gk.Sphere(0.5), density=1, at=(1.8, 0, 0), velocity=(0, 0, 0))
    model = b.build()
    (impact,) = gk.CollisionWorld(model).impacts(model.initial_state(), 1.0)
    assert (impact.a, impact.b, impact.time) == ("b", "c", 0.0)
