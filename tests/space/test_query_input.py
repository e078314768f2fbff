"""What questions take and what they refuse: lengths, directions of any size, tables of none, meshes that cross."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gelenk as gk


def ball():
    b = gk.Builder()
    b.body("ball", shape=gk.Sphere(1.0), density=1)
    return gk.CollisionWorld(b.build())


@pytest.mark.parametrize("size", [1e300, 1e200, 1e-200, 1e-300, 5e-324])
def test_directions_of_any_size_lead_the_same_way(size):
    """Squares of these overflow or vanish."""
    hit = ball().ray((0, 0, 3), (0, 0, -size))
    assert hit.distance == pytest.approx(2.0, abs=1e-15)
    if size > 1e-310:  # below, numbers have but a few digits
        askew = ball().ray((3, 3, 3), (-size, -size, -size))
        assert askew.distance == pytest.approx(27**0.5 - 1.0, abs=4e-15)


def test_a_direction_of_zero_is_refused():
    with pytest.raises(gk.InputError, match="direction 1 is"):
        ball().rays((0, 0, 3), [(0, 0, 1), (0, -0.0, 0)])


@pytest.mark.parametrize("lengths", ["1", True, [True], None, -1.0, math.nan, [1.0, 2.0], 10**400, [[1.0], [2.0, 3.0]]])
def test_lengths_that_are_none_are_refused(lengths):
    with pytest.raises(gk.InputError, match="lengths"):
        ball().rays([(0, 0, 3)], [(0, 0, -1)], lengths)


def test_infinite_limits_of_any_type():
    world = ball()
    for kind in (float, np.float64, np.float32):
        assert world.closest((0, 0, 3), kind("inf")).distance == pytest.approx(2.0, abs=1e-15)
        assert world.rays([(0, 0, 3)], [(0, 0, -1)], kind("inf")).distance[0] == 2.0
    with pytest.raises(gk.InputError, match="limit"):
        world.closest((0, 0, 3), "1")


def test_no_rays_points_or_places_have_no_answers():
    world = ball()
    for none in ([], (), np.zeros((0, 3)), np.zeros(0)):
        assert len(world.rays(none, none)) == 0
        assert len(world.closest_points(none)) == 0
        assert len(world.overlaps(gk.Sphere(1.0), none)) == 0


@pytest.mark.parametrize("rotations", [5, "1000", [1, 2], [(1, 0, 0, 0), (1, 0)], None, [[[1, 0, 0, 0]]], (2, 0, 0, 0)])
def test_rotations_that_are_none_are_refused(rotations):
    with pytest.raises(gk.InputError, match="rotation"):
        ball().overlaps(gk.Sphere(1.0), [(0, 0, 0)], rotations)


def test_places_too_far_to_be_squared_are_refused():
    world, ball_ = ball(), gk.Sphere(1.0)
    for ask in (
        lambda: world.ray((0, 0, 1e200), (0, 0, -1)),
        lambda: world.closest((0, 0, -1e60)),
        lambda: world.overlap(ball_, (1e60, 0, 0)),
        lambda: world.sweep(ball_, (0, 0, 3), (0, 0, -1e300)),
        lambda: world.sweeps(ball_, [(0, 0, 3)], [(0, 0, -1e300)]),
        lambda: world.overlaps(ball_, [(0, 0, 3), (0, 1e99, 0)]),
    ):
        with pytest.raises(gk.InputError, match="1e\\+50"):
            ask()


def test_impacts_of_no_state_are_refused_also_where_nothing_collides():
    world = gk.CollisionWorld(gk.Builder().build())
    with pytest.raises(gk.InputError, match="state is 'x'"):
        world.impacts("x", 1.0)
    assert world.impacts(world.model.initial_state(), 1.0) == []


def test_meshes_that_cut_through_themselves_are_refused_by_overlap_and_sweep():
    v = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    f = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    crossing = gk.TriangleMesh(np.vstack([v, v + 0.1]), np.vstack([f, f + 4]))
    world = ball()
    for ask in (
        lambda: world.overlap(crossing),
        lambda: world.overlaps(gk.Compound([gk.Sphere(1.0), crossing]), [(0, 0, 0)]),
        lambda: world.sweep(crossing, (0, 0, 5), (0, 0, -9)),
        lambda: world.sweeps(crossing, [(0, 0, 5)], [(0, 0, -9)]),
    ):
        with pytest.raises(gk.InputError, match="cross"):
            ask()
    assert world.overlap(gk.TriangleMesh(v, f))[0].body == "ball"


@pytest.mark.parametrize("scale", [1e51, 1e200, 1e300, 1e-60, 1e-200])
def test_hulls_of_sizes_that_products_lose_are_refused(scale):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    with pytest.raises(gk.InputError, match="Check the units"):
        gk.ConvexHull(points * scale)


@pytest.mark.parametrize("scale", [1e-40, 1.0, 1e49])
def test_hulls_of_other_sizes_are_whole(scale):
    """Normals of unit length and finite moments."""
    hull = gk.ConvexHull(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) * scale)
    np.testing.assert_allclose(np.linalg.norm(hull.normals, axis=1), 1.0, rtol=0, atol=1e-15)
    assert hull.mass_properties(1.0).mass == pytest.approx(scale**3 / 6, rel=1e-14)


def test_meshes_of_sizes_that_products_lose_are_refused():
    v, f = gk.Box((1, 1, 1)).triangles()
    with pytest.raises(gk.InputError, match="Check the units"):
        gk.TriangleMesh(v * 1e200, f)
