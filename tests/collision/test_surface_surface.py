"""Meshes and height fields against each other (V-20, V-21, I-091, I-093)."""

from __future__ import annotations

import numpy as np
from narrow_samples import solid, turn
from scipy.spatial.transform import Rotation
from surface_samples import box_mesh, random_sheet, sheet, surface, tables_of, touch_surface

from gelenk.collision.narrow.box_box import box_box
from gelenk.collision.solid import BOX, FIELD
from gelenk.geometry.height_field import HeightField

HALF = np.array([0.5, 0.3, 0.2])
CORNERS = np.array([(x, y, -1.0) for x in (-1, 1) for y in (-1, 1)])


def touch(A, B, r, margin, tables):
    return touch_surface(A, B, r, margin, tables)


def near(found, expected, tol):
    return np.linalg.norm(found[:, None] - expected[None], axis=2).min(0).max() <= tol


def test_a_box_of_triangles_slides_over_a_flat_sheet():
    """V-20, I-091: four corners, the normal of the plane, apart and overlapping; nothing catches."""
    rng = np.random.default_rng(1)
    tables = tables_of([random_sheet(rng, 40, 2.0), box_mesh(HALF, 2)])
    for d in (1e-3, 0.0, -1e-3, -0.02):
        yaw = Rotation.from_rotvec([0, 0, rng.uniform(0, 6)]).as_matrix()
        r = np.array([*rng.uniform(-0.8, 0.8, 2), HALF[2] + d])
        points = touch(surface(), surface(yaw, 1), r, 0.005, tables)
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-9
        assert np.abs(points.d - d).max() < 1e-9
        assert len(points) == 4
        assert near(points.b, (CORNERS * HALF) @ yaw.T, 1e-9)
        # swapped: the same the other way round
        other = touch(surface(yaw, 1), surface(), -r, 0.005, tables)
        assert np.abs(other.n - [0, 0, -1]).max() < 1e-9
        assert np.abs(other.d - d).max() < 1e-9
        assert near(other.a, (CORNERS * HALF) @ yaw.T, 1e-9)


def test_meshes_of_boxes_are_as_far_as_the_boxes():
    """I-093: corner on face, edge on edge; distance and normal of the exact pair where a face or two edges touch."""
    from narrow_samples import touch as touch_exact

    rng = np.random.default_rng(2)
    tables = tables_of([box_mesh(HALF, 1)])
    same = 0
    for _ in range(30):
        R, S, way = turn(rng), turn(rng), rng.normal(size=3)
        A, B = solid(BOX, R, HALF), solid(BOX, S, HALF)
        r = 3 * way / np.linalg.norm(way)
        p = touch_exact(box_box, A, B, r, 10.0)
        p = p[p.d.argmin()]
        # put into each other by a hair along their normal
        r = r - (p.d + 1e-4) * p.n
        exact = touch_exact(box_box, A, B, r, 0.1)
        exact = exact[exact.d.argmin()]
        points = touch(surface(R), surface(S), r, 1e-3, tables)
        error = np.abs(points.d - exact.d) + np.abs(points.n - exact.n).max(1)
        same += len(points) > 0 and error.min() < 1e-8
    assert same >= 24  # the rest touch corner to corner or corner to edge, or in two ways as good to 1e-7


def test_a_box_of_triangles_on_a_field_and_a_field_on_a_field():
    """V-21."""
    field = HeightField(np.zeros((5, 5)), spacing=(1.0, 1.0))
    bumps = np.zeros((5, 5))
    bumps[1, 1] = bumps[3, 1] = bumps[2, 3] = -0.5
    tables = tables_of(
        [box_mesh(HALF, 2), sheet([-1, 1], [-1, 1], lambda x, y: 0 * x)],
        fields=[field, HeightField(-bumps, 1.0)],
    )
    A = solid(FIELD, np.eye(3), (0, 0, 0))
    points = touch(A, surface(), np.array([0.1, 0.2, 0.2 - 1e-3]), 0.01, tables)
    assert len(points) == 4
    assert np.abs(points.n - [0, 0, 1]).max() < 1e-9
    assert np.abs(points.d + 1e-3).max() < 1e-9
    # a field with three peaks, upside down on the flat one
    B = solid(FIELD, np.diag([1.0, -1.0, -1.0]), (0, 0, 0), 1)
    points = touch(A, B, np.array([0.1, 0.2, 0.5 + 1e-3]), 0.01, tables)
    assert len(points) == 3
    assert np.abs(points.n - [0, 0, 1]).max() < 1e-9
    assert np.abs(points.d - 1e-3).max() < 1e-9


def test_meshes_of_boxes_apart_have_the_distance_of_the_boxes():
    """I-093: also corner to corner and corner to side; the least distance and its normal, to round-off."""
    from narrow_samples import touch as touch_exact

    rng = np.random.default_rng(3)
    tables = tables_of([box_mesh(HALF, 1)])
    kinds = set()
    for _ in range(24):
        R, S, way = turn(rng), turn(rng), rng.normal(size=3)
        A, B = solid(BOX, R, HALF), solid(BOX, S, HALF)
        r = 3 * way / np.linalg.norm(way)
        p = touch_exact(box_box, A, B, r, 10.0)
        p = p[p.d.argmin()]
        r = r - (p.d - 0.1) * p.n
        exact = touch_exact(box_box, A, B, r, 0.2)
        exact = exact[exact.d.argmin()]
        points = touch(surface(R), surface(S), r, 0.11, tables)
        best = points[points.d.argmin()]
        assert abs(best.d - exact.d) < 1e-12
        assert np.abs(best.n - exact.n).max() < 1e-9
        kinds.add((min(best.feature_a % 8, 4), min(best.feature_b % 8, 4)))
    assert (4, 4) in kinds


def test_a_corner_over_a_corner_and_over_an_edge():
    """I-093: two cubes point at each other with corners, and a corner at an edge."""
    from scipy.spatial.transform import Rotation

    tables = tables_of([box_mesh(np.ones(3), 1)])
    up = Rotation.align_vectors([[0, 0, 1]], [np.ones(3) / np.sqrt(3)])[0].as_matrix()
    points = touch(surface(up), surface(up), np.array([0, 0, 2 * np.sqrt(3) + 0.01]), 0.02, tables)
    assert len(points) == 1
    assert abs(points.d[0] - 0.01) < 1e-12
    assert np.abs(points.n[0] - [0, 0, 1]).max() < 1e-9
    edge = Rotation.from_rotvec([np.pi / 4, 0, 0]).as_matrix()
    points = touch(surface(up), surface(edge), np.array([0.3, 0, np.sqrt(3) + np.sqrt(2) + 0.01]), 0.02, tables)
    assert len(points) == 1
    assert abs(points.d[0] - 0.01) < 1e-12
    assert np.abs(points.n[0] - [0, 0, 1]).max() < 1e-9
