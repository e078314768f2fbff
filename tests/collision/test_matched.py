"""Points of an overlap where a face or a line is farthest along the normal: one that is over the other solid (V-11)."""

import math

import numpy as np
import pytest
from convex_samples import CUBE, hull_table

from gelenk.collision.gjk import new_convex_work
from gelenk.collision.matched import matched
from gelenk.collision.near_way import Way
from gelenk.collision.solid import BOX, CAPSULE, CYLINDER, ELLIPSOID, Solid
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

UPRIGHT = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ALONG_X = Mat3(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)  # shape z is world x
HULLS = hull_table([CUBE])


def partners(A, B, r, d, n, a):
    """The point of A that is found, and its partner from the centre of B."""
    way = matched(A, B, r, Way(d, n, a, True, 0.0), HULLS, new_convex_work())
    assert (way.d, way.n) == (d, n)
    return way.a, way.a + n * d - r


@pytest.mark.parametrize("angle", np.linspace(0.0, 2 * np.pi, 7))
def test_a_box_on_the_rim_of_a_disc(angle):
    """Of its face a strip of 0.05 lies over the disc, and the corner at hand does not."""
    A = Solid(BOX, 0, UPRIGHT, Vec3(0.1, 0.2, 0.3))
    B = Solid(CYLINDER, 0, UPRIGHT, Vec3(1.0, 0.0, 0.5))
    far = 0.95 + abs(0.1 * math.cos(angle)) + abs(0.2 * math.sin(angle))
    r = Vec3(far * math.cos(angle), far * math.sin(angle), 0.79)
    out = Vec3(-math.copysign(0.1, r.x), -math.copysign(0.2, r.y), 0.3)
    a, b = partners(A, B, r, -0.01, Vec3(0.0, 0.0, 1.0), out)
    assert abs(a.x) <= 0.1 + 1e-12
    assert abs(a.y) <= 0.2 + 1e-12
    assert a.z == pytest.approx(0.3, abs=1e-12)
    assert math.hypot(b.x, b.y) <= 1 + 1e-12
    assert b.z == pytest.approx(-0.5, abs=1e-12)


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-7])
def test_a_line_through_an_ellipsoid(off):
    """The end of the line is at hand; the normal, across the line, is off by an angle around it.

    The farthest place of the ellipsoid moves by at most its largest radius of curvature, 0.1, times the angle.
    """
    A = Solid(CAPSULE, 0, ALONG_X, Vec3(0.01, 0.0, 1.0))
    B = Solid(ELLIPSOID, 0, UPRIGHT, Vec3(0.03, 0.1, 0.1))
    n = Vec3(0.0, math.sin(off), math.cos(off))
    r = Vec3(0.2, 0.0, 0.02)
    d = n @ r - 0.1
    a, b = partners(A, B, r, d, n, Vec3(-1.0, 0.0, 0.0))
    np.testing.assert_allclose(a, (0.2, 0.0, 0.0), atol=1e-9 + 0.1 * off)
    np.testing.assert_allclose(b, (0.0, 0.0, -0.1), atol=1e-9 + 0.1 * off)


def test_two_ellipsoids_have_one_point_each():
    A, B = (Solid(ELLIPSOID, 0, UPRIGHT, Vec3(0.3, 0.2, z)) for z in (0.1, 0.4))
    a, b = partners(A, B, Vec3(0.0, 0.0, 0.45), -0.05, Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.1))
    np.testing.assert_allclose(a, (0.0, 0.0, 0.1), atol=1e-15)
    np.testing.assert_allclose(b, (0.0, 0.0, -0.4), atol=1e-15)
