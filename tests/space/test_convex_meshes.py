"""Convex meshes collide as their hulls; what is touched triangle by triangle has the same normals and points (V-20)."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.rotation import rotation_matrix
from surfaces import surface_of

ROUND = 1e-12  # [m], of bodies of 1 m
PROFILE = [(0, 0), (2, 0), (2, 0.2), (0.2, 0.2), (0.2, 2), (0, 2)]  # x, z of an L


def mesh_of(shape):
    return gk.TriangleMesh(*shape.triangles())


def prism(profile, cap):
    """Body between y = -1 and 1 over a profile x, z whose triangles are ``cap``; the inner corner of the L is 0."""
    n = len(profile)
    vertices = [(x - 0.2, y, z - 0.2) for y in (-1, 1) for x, z in profile]
    sides = [t for i in range(n) for j in ((i + 1) % n,) for t in ((i, i + n, j + n), (i, j + n, j))]
    return gk.TriangleMesh(vertices, [*cap, *(tuple(i + n for i in t[::-1]) for t in cap), *sides])


CORNER = prism(PROFILE, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])


def world_of(a, b, at, turn=(1, 0, 0, 0), order=1, **options):
    builder = gk.Builder()
    for name in ("a", "b")[::order]:
        if name == "a":
            builder.body("a", shape=a, static=True)
        else:
            builder.body("b", shape=b, density=1, at=at, rotation=gk.unit(turn))
    return gk.CollisionWorld(builder.build(), **options)


def found(world):
    """Points of the pair from a to b, sorted: normal, distance, place on b."""
    rows = [(*c.normal, c.distance, *c.point_b) for c in world.between("a", "b")]
    return np.array(sorted(np.round(rows, 10).tolist()))


def test_depth_of_two_cubes_is_the_shortest_way_out():
    large, small = gk.Box((0.3, 0.3, 0.3)), gk.Box((0.2, 0.2, 0.2))
    at, turn = (0.062, -0.18, 0.19), (-0.761, 0.275, 0.052, 0.585)
    depths = []
    for make in (mesh_of, lambda shape: shape):
        world = world_of(make(large), make(small), at, turn)
        deepest = min(world, key=lambda c: c.distance)
        depths.append(deepest.distance)
        state = world.model.initial_state()
        state.p_WC[world.model.index("b")] -= deepest.distance * deepest.normal
        # the deepest point names the move that parts the cubes
        assert min((c.distance for c in world.detect(state)), default=0.0) > -1e-9
    assert depths[0] == pytest.approx(depths[1], abs=ROUND)
    assert depths[0] == pytest.approx(-0.0809, abs=1e-4)


def test_the_way_out_of_a_convex_mesh_is_known():
    """V-27: only convex pieces have one."""
    world = world_of(gk.Box((2, 2, 2)), mesh_of(gk.Box((0.2, 0.2, 0.2))), (0, 0, 1.05))
    np.testing.assert_allclose(world.way_out("a", "b").move, (0, 0, 0.05), atol=1e-9)


@pytest.mark.parametrize(("wall", "floor"), [(0.0, 0.0), (1e-6, 1e-6), (1e-5, 1e-3), (1e-3, 1e-5)])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("make", [mesh_of, surface_of])
def test_a_cube_in_an_inner_corner_touches_floor_and_wall(wall, floor, order, make):
    cube = make(gk.Box((0.5, 0.5, 0.5)))
    points = found(world_of(CORNER, cube, (0.25 - wall, 0, 0.25 - floor), order=order, margin=0.01))
    np.testing.assert_allclose(points[:4, :4], [(0, 0, 1, -floor)] * 4, atol=1e-9)
    np.testing.assert_allclose(points[4:, :4], [(1, 0, 0, -wall)] * 4, atol=1e-9)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("make", [mesh_of, surface_of])
def test_a_cube_in_a_valley_touches_both_slopes(order, make):
    heights = np.abs(np.arange(-4, 5))[:, None] * np.full((1, 9), 0.25)
    cube, turn = make(gk.Box((0.3, 0.3, 0.3))), (math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0)
    at = (0, 0.03, 0.15 * 2**0.5 - 1e-6)
    points = found(world_of(gk.HeightField(heights, 0.25), cube, at, turn, order))
    side = 0.5**0.5
    np.testing.assert_allclose(points[:4, :4], [(-side, 0, side, -1e-6 * side)] * 4, atol=1e-9)
    np.testing.assert_allclose(points[4:, :4], [(side, 0, side, -1e-6 * side)] * 4, atol=1e-9)


FLOORS = {
    "hull": (mesh_of(gk.Box((4, 4, 1))), 0.5),
    "mesh": (surface_of(gk.Box((4, 4, 1))), 0.5),
    "field": (gk.HeightField(np.zeros((9, 9)), 0.5), 0.0),
}


@pytest.mark.parametrize("kind", list(FLOORS))
@pytest.mark.parametrize("axis", [(1, 0, 0), (0.3, -0.8, 0.5)])
def test_on_a_floor_the_normal_of_the_floor_counts_in_either_order(kind, axis):
    """A cube tilted by 4 degrees, 1e-4 deep or as far apart; its lowest corner tells the distance."""
    floor, top = FLOORS[kind]
    cube = (mesh_of if kind == "hull" else surface_of)(gk.Box((0.5, 0.6, 0.7)))
    angle = math.radians(4.0)
    turn = (math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis)))
    low = min(rotation_matrix(gk.unit(turn))[2] @ v for v in cube.vertices)
    for gap in (1e-4, -1e-4):
        worlds = [world_of(floor, cube, (0.1, 0.12, top - low + gap), turn, k, margin=0.1) for k in (1, -1)]
        first, second = (found(world) for world in worlds)
        np.testing.assert_allclose(first, second, atol=1e-9)
        np.testing.assert_allclose(first[:, :3], [(0, 0, 1)] * len(first), atol=1e-9)
        assert len(first) == 4
        assert first[:, 3].min() == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "at"),
    [
        (gk.ConvexHull(gk.Box((0.5, 0.5, 0.5)).triangles()[0]), (0.25, 0, 0.25)),
        (gk.Cylinder(0.25, 0.5), (0.25, 0, 0.25)),
        (gk.Cone(0.25, 0.5), (0.25, 0, 0)),
    ],
)
def test_a_solid_that_just_touches_floor_and_wall_is_not_inside(shape, at):
    """Its upright edge, or its rim, lies in the wall of a mesh."""
    points = found(world_of(CORNER, shape, at, margin=1e-6))
    assert {tuple(n) for n in np.abs(points[:, :3]).round(9).tolist()} == {(0, 0, 1), (1, 0, 0)}
    np.testing.assert_allclose(points[:, 3], 0.0, atol=1e-9)
