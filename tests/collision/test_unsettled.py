"""Overlaps that no place of a surface undoes by its own normals (V-20, V-21): each gives a contact that leads out."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import solid, turn
from surface_samples import ball, box, mesh, sheet, surface, tables_of, touch_surface

import gelenk as gk
from gelenk.collision.solid import CONE, CYLINDER, ELLIPSOID, FIELD
from gelenk.geometry.height_field import HeightField

SOLIDS = {
    "ball": ball(0.2),
    "box": box((0.2, 0.15, 0.1), turn(np.random.default_rng(4))),
    "cylinder": solid(CYLINDER, turn(np.random.default_rng(5)), (0.15, 0.0, 0.2)),
    "cone": solid(CONE, turn(np.random.default_rng(6)), (0.15, 0.0, 0.3)),
    "ellipsoid": solid(ELLIPSOID, turn(np.random.default_rng(7)), (0.2, 0.15, 0.1)),
}


def prism(profile, triangles, depth):
    """Solid over a profile in the plane x z, counter-clockwise seen from -y, with ends at y = -depth and depth."""
    k = len(profile)
    points = [(x, y, z) for y in (-depth, depth) for x, z in profile]
    faces = [f for a, b, c in triangles for f in ((a, b, c), (a + k, c + k, b + k))]
    for i in range(k):
        j = (i + 1) % k
        faces += [(i, i + k, j + k), (i, j + k, j)]
    return mesh(points, faces)


# two arms at right angles, the inward edge along y through x = z = 1
ANGLE = prism([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 2.0)
BLADE = prism([(0.0, 0.0), (0.01, 0.0), (0.005, 1.0)], [(0, 1, 2)], 1.0)


def followed(A, B, r, tables, steps):
    """Where a solid comes to by following its deepest contact, and how deep that still is."""
    for _ in range(steps):
        points = touch_surface(A, B, r, 0.0, tables)
        if len(points) == 0 or points.d.min() > -1e-9:
            return r, 0.0
        p = points[points.d.argmin()]
        r = r - p.n * (p.d - 1e-9)
    return r, points.d.min()


def test_a_mesh_is_wound_outward():
    """The samples bound a volume."""
    assert tables_of([ANGLE]).meshes.mesh[0].closed
    assert tables_of([BLADE]).meshes.mesh[0].closed
    assert not tables_of([sheet([-1, 1], [-1, 1], lambda x, y: 0 * x)]).meshes.mesh[0].closed
    assert not tables_of([mesh(ANGLE.vertices, ANGLE.faces[:, ::-1])]).meshes.mesh[0].closed


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_whose_middle_has_passed_an_inward_edge_comes_out(name):
    """V-20: over no facet, yet inside; contacts have the normals of the two faces, and lead to free space."""
    tables, B = tables_of([ANGLE]), SOLIDS[name]
    for x, z in ((0.99, 0.99), (0.95, 0.9), (0.9, 0.97)):
        r = np.array([x, 0.1, z])
        points = touch_surface(surface(), B, r, 1e-3, tables)
        assert len(points) > 0
        assert points.d.min() < 0.0
        assert (np.minimum(np.abs(points.n - [1, 0, 0]).max(1), np.abs(points.n - [0, 0, 1]).max(1)) < 1e-9).all()
        place, deep = followed(surface(), B, r, tables, 6)
        assert deep == 0.0
        assert place[0] > 1.0
        assert place[2] > 1.0


def test_a_ball_behind_an_inward_edge_feels_both_faces():
    """V-20: depths are those below the planes of the faces, as before its middle passed: continuous."""
    tables = tables_of([ANGLE])
    for x, z in ((1.01, 1.02), (0.99, 1.02), (0.99, 0.98)):
        points = touch_surface(surface(), ball(0.2), (x, 0.1, z), 0.0, tables)
        assert len(points) == 2
        assert np.abs(np.sort(points.d) - np.sort([x - 1.2, z - 1.2])).max() < 1e-12


@pytest.mark.parametrize("name", SOLIDS)
def test_a_swallowed_solid_is_pushed_out_of_a_closed_mesh(name):
    """V-20: no facet is met; the nearest place of the surface is the way out."""
    tables, B = tables_of([ANGLE]), SOLIDS[name]
    r = np.array([2.0, 0.1, 0.6])
    points = touch_surface(surface(), B, r, 1e-3, tables)
    assert len(points) == 1
    assert np.abs(points.n[0] - [0, 0, 1]).max() < 1e-9
    place, deep = followed(surface(), B, r, tables, 3)
    assert deep == 0.0
    assert place[2] > 1.0


@pytest.mark.parametrize("name", SOLIDS)
def test_a_blade_through_a_solid_is_left_on_the_nearer_side(name):
    """V-20: need not be the shortest way, but it leads out, with the first step or a few."""
    tables, B = tables_of([BLADE]), SOLIDS[name]
    for x, z in ((0.02, 0.5), (-0.01, 0.7), (0.005, 0.99)):
        _, deep = followed(surface(), B, np.array([x, 0.05, z]), tables, 6)
        assert deep == 0.0
    assert len(touch_surface(surface(), B, np.array([0.02, 0.05, 0.5]), 0.0, tables)) > 0


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_below_the_valley_of_a_field_comes_up(name):
    """V-21: below an inward edge of a field, meeting it or not, it is pushed up."""
    x = np.linspace(-2, 2, 5)
    field = HeightField(np.abs(x)[:, None] + 0 * x[None, :], spacing=(1.0, 1.0))
    tables = tables_of([ANGLE], fields=[field])
    A, B = solid(FIELD, np.eye(3), (0, 0, 0)), SOLIDS[name]
    for z in (-0.05, -0.5):
        r = np.array([0.01, 0.1, z])
        points = touch_surface(A, B, r, 1e-3, tables)
        assert points.n[points.d.argmin()][2] > 0.5
        place, deep = followed(A, B, r, tables, 12)
        assert deep == 0.0
        assert place[2] > abs(place[0])


def test_a_solid_swallowed_by_a_slope_takes_the_nearest_way():
    """V-21: deep below a slope of 1 in 1 with a step beside it, the way out is that to the nearest place of all."""
    x = np.linspace(-2, 2, 9)
    heights = np.where(x < 0.0, 3.0, x)[:, None] + 0 * x[None, :]
    tables = tables_of([ANGLE], fields=[HeightField(heights, spacing=(0.5, 0.5))])
    A = solid(FIELD, np.eye(3), (0, 0, 0))
    for name, r, n in (
        ("ball", (1.5, 0.1, 0.5), (-np.sqrt(0.5), 0.0, np.sqrt(0.5))),  # below the slope
        ("ball", (-0.8, 0.1, 1.7), (3.0 / np.sqrt(9.25), 0.0, 0.5 / np.sqrt(9.25))),  # behind the step
        ("box", (-0.8, 0.1, 1.7), (3.0 / np.sqrt(9.25), 0.0, 0.5 / np.sqrt(9.25))),
    ):
        points = touch_surface(A, SOLIDS[name], np.array(r), 1e-3, tables)
        assert len(points) == 1
        assert np.abs(points.n[0] - n).max() < 1e-9
        _, deep = followed(A, SOLIDS[name], np.array(r), tables, 3)
        assert deep == 0.0


def test_a_curved_solid_apart_is_never_missed():
    """I-093: an ellipsoid past the tip of a ridge, at the border between a side and its corner."""
    tables = tables_of([ANGLE])
    rng = np.random.default_rng(8)
    for _ in range(20):
        B = solid(ELLIPSOID, turn(rng), (0.5, 0.1, 0.02))
        way = np.array([1.0, 1e-7 * rng.normal(), 1.0])
        points = touch_surface(surface(), B, np.array([3.0, 2.0, 1.0]) + 0.6 * way, 2.0, tables)
        assert len(points) > 0
        assert (points.d > 0).all()


def test_a_body_in_one_arm_of_a_u_is_inside_though_the_other_arm_faces_it():
    """The inner wall of the other arm is 0.32 m ahead, nearer than the walls around are to its middle."""
    across = np.array([(0, 0), (2.3, 0), (2.3, 3), (1.3, 3), (1.3, 1), (1, 1), (1, 3), (0, 3)])
    front = np.array([(0, 1, 4), (0, 4, 5), (1, 2, 4), (2, 3, 4), (0, 5, 7), (5, 6, 7)])
    vertices = np.vstack([np.insert(across, 1, y, axis=1) for y in (0.0, 1.0)])
    k = np.arange(8)
    after = (k + 1) % 8
    faces = np.vstack(
        (front, front[:, ::-1] + 8, np.stack((after, k, k + 8), 1), np.stack((after, k + 8, after + 8), 1))
    )
    b = gk.Builder()
    b.body("u", shape=gk.TriangleMesh(vertices, faces), static=True)
    b.body("box", shape=gk.Box((0.96, 0.96, 0.96)), density=1.0, at=(0.5, 0.5, 2.0))
    world = gk.CollisionWorld(b.build(), margin=0.4)
    assert len(world) > 0
    assert max(c.distance for c in world) < -0.96  # out to the left, front or back: by its own width and 0.02 m
