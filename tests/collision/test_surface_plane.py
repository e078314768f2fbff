"""Meshes and height fields against planes (V-20, V-21)."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import solid, turn
from surface_samples import box_mesh, sheet, surface, tables_of, touch_surface

from gelenk.collision.solid import FIELD, PLANE
from gelenk.collision.surface_work import new_surface_work
from gelenk.collision.tables import new_narrow_work
from gelenk.geometry.height_field import HeightField


def plane(R=None):
    return solid(PLANE, np.eye(3) if R is None else R, (0, 0, 0))


def test_a_box_of_triangles_stands_on_its_four_corners():
    """V-20: as the exact box does, whatever the triangles inside its faces; normal from mesh to plane."""
    half = np.array([0.5, 0.3, 0.2])
    tables = tables_of([box_mesh(half, 7)])
    points = touch_surface(surface(), plane(), (0.1, 0.2, -0.2 + 1e-3), 0.01, tables)
    assert len(points) == 4
    assert np.abs(points.n - [0, 0, -1]).max() < 1e-12
    assert np.abs(points.d + 1e-3).max() < 1e-12
    assert np.abs(np.abs(points.a) - half).max() < 1e-12
    assert len(touch_surface(surface(), plane(), (0.1, 0.2, -0.22), 0.01, tables)) == 0


@pytest.mark.parametrize("room", [16, 2048])
def test_the_lowest_corner_is_found_at_any_attitude(room):
    """V-20: also with less room than there are triangles near."""
    rng = np.random.default_rng(4)
    x = np.linspace(-1, 1, 13)
    shape = sheet(x, x, lambda X, Y: 0.2 * np.sin(4 * X) * np.cos(3 * Y))
    tables = tables_of([shape])
    work = new_narrow_work(tables)._replace(surface=new_surface_work(room))
    for _ in range(6):
        R, Q = turn(rng), turn(rng)
        heights = shape.vertices @ R.T @ Q[:, 2]
        r = Q[:, 2] * (heights.min() + 0.05)
        points = touch_surface(surface(R), plane(Q), r, 0.01, tables, work)
        assert abs(points.d.min() + 0.05) < 1e-12
        assert np.abs(points.n + Q[:, 2]).max() < 1e-12
        assert np.abs(r + points.b - points.a - points.d[:, None] * points.n).max() < 1e-12


def test_a_field_touches_a_plane_by_its_peaks():
    """V-21."""
    heights = np.zeros((6, 6))
    heights[1, 1] = heights[4, 2] = heights[3, 4] = 0.5
    tables = tables_of([sheet([0, 1], [0, 1], lambda x, y: 0 * x)], fields=[HeightField(heights, 1.0)])
    down = np.diag([1.0, -1.0, -1.0])
    points = touch_surface(solid(FIELD, np.eye(3), (0, 0, 0)), plane(down), (0, 0, 0.501), 0.01, tables)
    assert len(points) == 3
    assert np.abs(points.d - 1e-3).max() < 1e-12
    assert np.abs(points.a[:, 2] - 0.5).max() < 1e-12
