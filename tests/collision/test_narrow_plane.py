"""A plane against every kind of solid."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import check_points, half_width, matrix, moved, random_solid, solid, touch, turn

from gelenk.collision.hulls import pack_hulls
from gelenk.collision.manifold import new_memory, new_points
from gelenk.collision.narrow.plane_box import plane_box
from gelenk.collision.narrow.plane_capsule import plane_capsule
from gelenk.collision.narrow.plane_cone import plane_cone
from gelenk.collision.narrow.plane_cylinder import plane_cylinder
from gelenk.collision.narrow.plane_ellipsoid import plane_ellipsoid
from gelenk.collision.narrow.plane_hull import plane_hull
from gelenk.collision.narrow.plane_sphere import plane_sphere
from gelenk.collision.narrow.plane_triangle import plane_triangle
from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    PLANE,
    SPHERE,
    TRIANGLE,
)
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.geometry.hull import ConvexHull
from gelenk.math.vec3 import vec3


def above_plane(A, B, r, margin, hulls, out):
    """Plane against hull without memory."""
    tables = new_tables()._replace(hulls=hulls)
    return plane_hull(A, B, r, margin, tables, new_memory()[0], new_narrow_work(tables), out)


PAIRS = [
    (plane_sphere, SPHERE, 1),
    (plane_box, BOX, 4),
    (plane_capsule, CAPSULE, 2),
    (plane_cylinder, CYLINDER, 4),
    (plane_cone, CONE, 4),
    (plane_ellipsoid, ELLIPSOID, 1),
    (plane_triangle, TRIANGLE, 3),
    (above_plane, HULL, 4),
]
every_kind = pytest.mark.parametrize(("routine", "kind", "most"), PAIRS, ids=[p[0].__name__ for p in PAIRS])


def hull_of(points):
    """A table with the hull of some points."""
    return pack_hulls([ConvexHull(points)])


@every_kind
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_lowest_point_gives_the_distance(routine, kind, most, scale):
    """d = n . r - (how far the solid reaches down)."""
    rng = np.random.default_rng(21)
    hulls = hull_of(scale * rng.normal(size=(30, 3)))
    for _ in range(100):
        A, B = solid(PLANE, turn(rng), (0, 0, 0)), random_solid(kind, rng, scale)
        r = scale * rng.normal(size=3)
        n = matrix(A)[:, 2]
        points = touch(routine, A, B, r, 20 * scale, hulls)
        check_points(points, A, B, r, 20 * scale, 1e-12 * scale)
        assert 1 <= len(points) <= most
        assert abs(points.d.min() - (n @ r - half_width(B, -n[None], hulls)[0])) < 1e-13 * scale * 10
        assert np.abs(points.a @ n).max() < 1e-13 * scale * 10
        reach = half_width(B, np.concatenate([np.eye(3), -np.eye(3)]), hulls)
        assert (points.b <= reach[:3] + 1e-12 * scale).all()
        assert (-points.b <= reach[3:] + 1e-12 * scale).all()


@every_kind
def test_turning_everything_turns_the_points(routine, kind, most):
    rng = np.random.default_rng(22)
    hulls = hull_of(rng.normal(size=(30, 3)))
    for _ in range(50):
        A, B = solid(PLANE, turn(rng), (0, 0, 0)), random_solid(kind, rng)
        r, Q = rng.normal(size=3), turn(rng)
        one, two = touch(routine, A, B, r, 9.0, hulls), touch(routine, moved(A, Q), moved(B, Q), Q @ r, 9.0, hulls)
        assert len(one) == len(two)
        assert np.abs(two.a - one.a @ Q.T).max() < 1e-9
        assert (one.feature_b == two.feature_b).all()


@every_kind
def test_nothing_beyond_the_margin(routine, kind, most):
    rng = np.random.default_rng(23)
    hulls = hull_of(rng.normal(size=(30, 3)))
    plane = solid(PLANE, np.eye(3), (0, 0, 0))
    B = random_solid(kind, rng)
    reach = half_width(B, np.array([[0.0, 0.0, -1.0]]), hulls)[0]
    assert len(touch(routine, plane, B, (0, 0, reach + 0.011), 0.01, hulls)) == 0
    assert len(touch(routine, plane, B, (0, 0, reach + 0.009), 0.01, hulls)) > 0


def test_solids_at_rest_touch_with_all_they_have():
    plane = solid(PLANE, np.eye(3), (0, 0, 0))
    lying = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    tip = np.arctan2(1.0, 2.0)  # a cone of radius 1 and height 2 on its side
    c, s = np.cos(np.pi / 2 + tip), np.sin(np.pi / 2 + tip)
    on_side = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    for routine, kind, R, height, count in [
        (plane_box, BOX, np.eye(3), 2.0, 4),
        (plane_capsule, CAPSULE, lying, 1.0, 2),
        (plane_capsule, CAPSULE, np.eye(3), 3.0, 1),
        (plane_cylinder, CYLINDER, np.eye(3), 2.0, 4),
        (plane_cylinder, CYLINDER, lying, 1.0, 2),
        (plane_cone, CONE, np.eye(3), 0.0, 4),
        (plane_cone, CONE, on_side, np.cos(tip), 2),
    ]:
        points = touch(routine, plane, solid(kind, R, (1, 1, 2)), (0, 0, height), 0.01)
        assert len(points) == count
        assert np.abs(points.d).max() < 1e-15 * 4
        assert len(set(points.feature_b.tolist())) == count


def test_a_prism_rests_on_well_spread_corners():
    """Of twelve corners on a circle, four that hold at least 0.6 of its area (a square holds 2/3 of a 12-gon)."""
    angle = np.arange(12) * np.pi / 6
    ring = np.c_[np.cos(angle), np.sin(angle), np.zeros(12)]
    up = np.array([0, 0, 1])
    hulls = hull_of(np.concatenate([ring - up, ring + up]))
    plane, prism = solid(PLANE, np.eye(3), (0, 0, 0)), solid(HULL, np.eye(3), (0, 0, 0))
    points = touch(above_plane, plane, prism, (0, 0, 1), 0.1, hulls)
    assert len(points) == 4
    p = points.a[np.argsort(np.arctan2(points.a[:, 1], points.a[:, 0]))]
    area = 0.5 * abs(np.cross(p, np.roll(p, -1, axis=0))[:, 2].sum())
    assert area > 0.6 * 3.0


def test_a_hull_that_rolls_over_a_plane_remembers_without_a_trace():
    """V-24: with the lowest vertex of the last step as without, and as by looking at all vertices."""
    rng = np.random.default_rng(24)
    angle = np.arange(40) * np.pi / 20
    ring = np.c_[np.cos(angle), np.sin(angle), np.zeros(40)]
    up = np.array([0, 0, 1])
    clouds = [rng.normal(size=(60, 3)), np.concatenate([ring - up, ring + up]), np.eye(4)[:, :3] + 5.0]
    hulls = pack_hulls([ConvexHull(c) for c in clouds])
    tables = new_tables()._replace(hulls=hulls)
    work, plane = new_narrow_work(tables), solid(PLANE, turn(rng), (0, 0, 0))
    n = matrix(plane)[:, 2]
    for i, cloud in enumerate(clouds):
        memory, R, spin = new_memory()[0], turn(rng), turn(rng)
        for step in range(60):
            R = np.eye(3) if step == 30 else R @ np.linalg.matrix_power(spin, step % 3)
            B = solid(HULL, R, (0, 0, 0))._replace(table=i)
            heights = cloud @ R.T @ n
            r = n * (rng.choice((-0.3, 0.0, 0.01)) - heights.min())
            warm, cold = new_points(), new_points()
            counts = [
                plane_hull(plane, B, vec3(r), 0.02, tables, kept, work, out)
                for kept, out in ((memory, warm), (new_memory()[0], cold))
            ]
            assert counts[0] == counts[1] > 0
            assert (warm == cold).all()
            assert warm.d[: counts[0]].min() == pytest.approx(heights.min() + r @ n, abs=1e-14 * 9)
