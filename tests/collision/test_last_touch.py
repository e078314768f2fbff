"""The last touch of a solid that leaves a facet along a straight way (V-20, I-093)."""

from __future__ import annotations

import numpy as np
import pytest
from surface_samples import ball

from gelenk.collision.facet import Facet
from gelenk.collision.narrow.facet_contact import Query
from gelenk.collision.narrow.last_touch import touch_of_facet
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.compile import kernel
from gelenk.math.vec3 import Vec3


@kernel
def touch_from(B, radius, height, m, start, hulls, convex, out):
    """Last touch of a ball over the plane z = 0, its middle at this height, along m."""
    up = Vec3(0.0, 0.0, 1.0)
    F = Facet(Vec3(-9.0, -9.0, 0.0), Vec3(9.0, -9.0, 0.0), Vec3(0.0, 9.0, 0.0), up, up, up, up, 0)
    c = Vec3(0.0, 0.0, height)
    q = Query(B, c, radius, 0.0, 1.0, c, False)
    s, x = touch_of_facet(F, m, start, 0.0, q, hulls, convex)
    out[0], out[1], out[2], out[3] = s, x.x, x.y, x.z


@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-10, 1e-9])
def test_a_touch_is_not_beyond_its_start(short):
    """Where round-off leaves an overlap at the start, the way ends there: rise over slope may be far longer."""
    tables = new_tables([], [])
    radius, slope, deep = 0.5, 1e-3, 1e-4
    m = Vec3(np.sqrt(1 - slope**2), 0.0, slope)
    out, start = np.zeros(4), (deep - short) / slope
    touch_from(ball(radius), radius, radius - deep, m, start, tables.hulls, new_narrow_work(tables).convex, out)
    assert out[0] <= start
    assert start - out[0] < 1e-9
    np.testing.assert_allclose(out[1:], (out[0] * m.x, 0, 0), atol=1e-8)
