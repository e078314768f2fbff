"""Boxes around every convex kind and the plane (V-18)."""

import numpy as np
import pytest
from query_samples import EPS, KINDS, NAMES, TABLES, box_of, extent, solids, some, support

from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.solid import PLANE, Solid
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

ZERO = Vec3(0.0, 0.0, 0.0)
COUNT = some(2000)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("kind", [k for k in KINDS if k != PLANE], ids=NAMES.get)
def test_box_is_tight(kind, scale):
    many = solids(kind, COUNT, np.random.default_rng(kind), scale)
    box = box_of(many)
    tol = 8 * EPS * extent(many)
    for axis in range(3):
        u = np.zeros((COUNT, 3))
        u[:, axis] = 1
        assert (np.abs(box[:, 3 + axis] - support(many, u)) <= tol).all()
        assert (np.abs(box[:, axis] + support(many, -u)) <= tol).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_plane_that_looks_along_an_axis_has_one_side(axis, sign):
    n = np.zeros(3)
    n[axis] = sign
    x = np.roll(n, 1)
    R = np.stack([x, np.cross(n, x), n], axis=1)
    box = solid_bounds(Solid(PLANE, 0, Mat3(*R.ravel().tolist()), ZERO), TABLES)
    expected = np.array([-np.inf] * 3 + [np.inf] * 3)
    expected[axis + 3 if sign > 0 else axis] = 0
    np.testing.assert_array_equal(np.array(box), expected)


def test_slanted_plane_has_no_end():
    tilted = Mat3(1.0, 0.0, 0.0, 0.0, 0.8, 0.6, 0.0, -0.6, 0.8)
    box = solid_bounds(Solid(PLANE, 0, tilted, ZERO), TABLES)
    np.testing.assert_array_equal(np.array(box), [-np.inf] * 3 + [np.inf] * 3)
