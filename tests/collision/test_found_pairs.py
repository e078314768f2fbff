"""Pairs that the long proofs found wrong once, one by one (V-11, V-25); run as plain Python, so nothing is compiled."""

from __future__ import annotations

import numpy as np
from narrow_samples import matrix, solid
from table_samples import random_clouds

from gelenk.collision.gjk import gjk, new_convex_work
from gelenk.collision.manifold import new_memory, new_points
from gelenk.collision.matched import matched
from gelenk.collision.narrow.convex_convex import convex_convex
from gelenk.collision.near_way import Way
from gelenk.collision.solid import BOX, CONE, CYLINDER, HULL
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.geometry.hull import ConvexHull
from gelenk.math.vec3 import vec3

TABLES = new_tables([ConvexHull(random_clouds()[10])])


def touch(A, B, r, margin):
    """Points of two convex solids."""
    out = new_points()
    return out[: convex_convex(A, B, vec3(r), margin, TABLES, new_memory()[0], new_narrow_work(TABLES), out)]


def test_a_shorter_way_met_while_a_ball_is_wrapped_is_a_unit_vector():
    """A flat cone in a plate: the edge in question runs by the origin 30 times closer than its ends are.

    The square of how near it passes was a difference of squares, wrong by 1e-12, and so was the length of the normal.
    """
    cone = [
        [-0.2903133454917206, -0.6341733542162271, 0.7166186700271941],
        [-0.29994715465861604, 0.7714381694947915, 0.5611727497471037],
        [-0.908707800033435, -0.05203179267202879, -0.41417728898351003],
    ]
    plate = [
        [-0.9293148198443872, 0.3583362739647254, 0.08926970582830397],
        [-0.27810993285023783, -0.8381471180690816, 0.4692166596813561],
        [0.24295849618325938, 0.41122320366629433, 0.8785594151215947],
    ]
    A, B = solid(CONE, cone, (0.010199768280027492, 0.0, 0.0016346603281919556)), solid(HULL, plate, (0, 0, 0))
    points = touch(A, B, (-0.02239937911168456, 0.054187617430639975, -0.013502425491168283), 0.02)
    assert len(points) > 0
    assert np.abs(np.linalg.norm(points.n, axis=1) - 1.0).max() < 1e-14


# a small cylinder with its cap 1.6e-5 deep in the face of a long box, over a corner of it; all axes are parallel
AXES = [
    [0.15930198495619496, 0.5192200115770067, -0.8396627044039705],
    [0.7994619644829517, -0.5668512440256874, -0.19884726422958543],
    [-0.579209327388705, -0.6396016312709842, -0.5053971788023954],
]
LONG = solid(BOX, AXES, (0.1391697101156153, 0.7750717925699895, 0.3938498616038006))
SMALL = solid(CYLINDER, AXES, (0.007501466209172349, 0.0, 0.009687144855721582))
WAY = np.array([0.041542114559016866, -0.6378042993997517, -0.6164993641283053])
DEPTH, OUT = 1.5691303381825056e-05, vec3((-0.8396627044039704, -0.1988472642295856, -0.505397178802395))


def on_cylinder(p):
    """How far a point, from the centre of the cylinder, is outside it."""
    x = p @ matrix(SMALL)
    return max(np.hypot(x[0], x[1]) - SMALL.size.x, abs(x[2]) - SMALL.size.z)


def test_four_points_of_one_plane_are_no_overlap():
    """Faces 1.8 mm apart: the fourth point of the difference lies in the plane of three others, but for rounding.

    Planes of slivers among them turned by that rounding had the origin inside, far from it as it is.
    """
    gap = 0.0017684351987955226
    v, a, count, _ = gjk(LONG, SMALL, vec3(WAY) + OUT * gap + OUT * DEPTH, OUT, TABLES.hulls, new_convex_work())
    assert count < 4
    np.testing.assert_allclose(np.array(v), gap * np.array(OUT), atol=1e-11)
    b = np.array(a) + np.array(v) - WAY - (gap + DEPTH) * np.array(OUT)
    assert abs(on_cylinder(b)) < 1e-12


def test_the_point_of_a_cap_over_the_corner_of_a_box_is_on_both():
    """From a point of the box beside the cap, as one way out had it; and as the pair itself has it."""
    beside = vec3((0.04963673692202482, -0.6285508632794121, -0.6144521018284115))
    way = matched(LONG, SMALL, vec3(WAY), Way(-DEPTH, OUT, beside, False, 2.0), TABLES.hulls, new_convex_work())
    partner = np.array(way.a) - DEPTH * np.array(OUT) - WAY
    assert abs(on_cylinder(partner)) < 1e-12
    points = touch(LONG, SMALL, WAY, 0.05)
    assert len(points) > 0
    first = points[points.d.argmin()]
    assert abs(first.d + DEPTH) < 1e-12
    assert abs(on_cylinder(first.b)) < 1e-12
