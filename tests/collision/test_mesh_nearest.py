"""Nearest points of triangle meshes, and the triangles in a ball (V-20, B-20)."""

import math

import numpy as np
import pytest
from mesh_samples import EPS, SCALES, ball_mesh, corners_of, cube, every_nearest, soup

from gelenk import compile as compiler
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_nearest import mesh_in_ball, nearest_points_on_mesh
from gelenk.collision.mesh_table import pack_meshes
from gelenk.compile import kernel
from gelenk.math.vec3 import get3

MANY = 400 if compiler.ENABLED else 30


def nearest(meshes, index, p, limit=math.inf):
    count = len(p)
    distance, point, t = np.zeros(count), np.zeros((count, 3)), np.zeros(count, np.uint32)
    limits = np.broadcast_to(float(limit), count).copy()
    nearest_points_on_mesh(pack_meshes(meshes), index, np.ascontiguousarray(p, dtype=float), limits, distance, point, t)
    return distance, point, t


@pytest.mark.parametrize("scale", SCALES)
def test_nearest_points_agree_with_every_triangle(scale):
    rng = np.random.default_rng(3)
    meshes = [soup(rng, 120, scale), ball_mesh(8, 9, scale, 0.2)]
    p = scale * rng.normal(size=(MANY, 3)) * rng.choice([0.3, 1.0, 5.0], (MANY, 1))
    for k, mesh in enumerate(meshes):
        every = every_nearest(mesh, p)
        distance, point, t = nearest(meshes, k, p)
        # coordinates are rounded at the size of the mesh and of the way to it; slivers 1e-6 thin turn their normals
        # by EPS / 1e-6, which moves a foot by that times the way along the normal, but only across the sliver
        tolerance = 64 * EPS * (scale + np.linalg.norm(p, axis=1))
        assert (np.abs(distance - every.min(axis=1)) <= tolerance).all()
        assert (np.abs(every[np.arange(len(p)), t] - distance) <= tolerance).all()
        assert (np.abs(np.linalg.norm(point - p, axis=1) - distance) <= tolerance).all()


def test_nearest_points_of_a_cube_are_those_of_the_closed_form():
    rng = np.random.default_rng(4)
    p = rng.normal(size=(MANY, 3)) * 1.5
    distance, point, _ = nearest([cube()], 0, p)
    clamped = np.clip(p, -1.0, 1.0)
    inside = (np.abs(p) < 1.0).all(axis=1)
    axis = np.abs(p).argmax(axis=1)
    expected = clamped.copy()
    rows = np.flatnonzero(inside)
    expected[rows, axis[rows]] = np.sign(p[rows, axis[rows]])
    np.testing.assert_allclose(point, expected, atol=32 * EPS)
    np.testing.assert_allclose(distance, np.linalg.norm(p - expected, axis=1), atol=32 * EPS)
    assert inside.any()


def test_limit_is_inclusive():
    p = np.array([[0.25, 0.1, 3.0]])
    assert nearest([cube()], 0, p, 2.0)[0][0] == 2.0
    distance, point, t = nearest([cube()], 0, p, np.nextafter(2.0, 0.0))
    assert distance[0] == math.inf
    assert t[0] == NONE
    np.testing.assert_array_equal(point, p)
    assert nearest([cube()], 0, p[:, ::-1] * [0.0, 0.0, 0.0] + [0.2, 0.3, 1.0], 0.0)[0][0] == 0.0  # on the surface


def test_a_corner_belongs_to_the_first_of_its_triangles():
    mesh = cube()
    distance, point, t = nearest([mesh], 0, mesh.vertices * 2.0)
    np.testing.assert_array_equal(point, mesh.vertices)
    np.testing.assert_allclose(distance, math.sqrt(3.0), rtol=2 * EPS)
    assert t.tolist() == [int(np.flatnonzero((mesh.faces == v).any(axis=1)).min()) for v in range(8)]


@kernel
def balls_meet(meshes, index, centre, radius, found, count):
    for i in range(centre.shape[0]):
        count[i] = mesh_in_ball(meshes, index, get3(centre, i), radius[i], found[i])


def test_balls_find_the_triangles_whose_bounds_come_near():
    rng = np.random.default_rng(5)
    meshes = [cube(), ball_mesh(8, 12, 1.0, 0.1)]
    table, mesh = pack_meshes(meshes), meshes[1]
    centre, radius = rng.normal(size=(MANY, 3)), rng.uniform(0.0, 0.8, MANY)
    found, count = np.zeros((MANY, len(mesh.faces)), np.uint32), np.zeros(MANY, np.int64)
    balls_meet(table, 1, centre, radius, found, count)
    low, high = corners_of(mesh).min(axis=1), corners_of(mesh).max(axis=1)
    away = np.linalg.norm(np.maximum(np.maximum(low - centre[:, None], centre[:, None] - high), 0.0), axis=2)
    near = away <= radius[:, None]
    for row, number, expected in zip(found, count, near):
        np.testing.assert_array_equal(np.sort(table.leaf_face[row[:number]]), np.flatnonzero(expected))
    # no triangle that truly comes into the ball is left out
    assert (near | (every_nearest(mesh, centre) > radius[:, None])).all()
    assert near.any()
