"""Where round solids touch twice, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import solid, touch, turn

from gelenk.collision.narrow.capsule_box import capsule_box
from gelenk.collision.narrow.capsule_capsule import capsule_capsule
from gelenk.collision.narrow.capsule_triangle import capsule_triangle
from gelenk.collision.narrow.sphere_box import sphere_box
from gelenk.collision.narrow.sphere_cone import sphere_cone
from gelenk.collision.narrow.sphere_cylinder import sphere_cylinder
from gelenk.collision.narrow.sphere_sphere import sphere_sphere
from gelenk.collision.narrow.sphere_triangle import sphere_triangle
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, SPHERE, TRIANGLE

EYE = np.eye(3)
LYING = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # axis z of the solid along x of the world
BALL = solid(SPHERE, EYE, (0.5, 0, 0))
ROD = solid(CAPSULE, LYING, (0.25, 0, 1.0))
FLOOR = solid(TRIANGLE, [[-4, 8, -4], [-4, -4, 8], [0, 0, 0]], (0, 0, 0))


@pytest.mark.parametrize(
    ("routine", "B", "centre", "d", "n"),
    [
        (sphere_sphere, solid(SPHERE, EYE, (2, 0, 0)), (3, 4, 0), 2.5, (-0.6, -0.8, 0)),
        (sphere_sphere, solid(SPHERE, EYE, (2, 0, 0)), (0.3, 0.4, 0), -2.0, (-0.6, -0.8, 0)),
        (sphere_box, solid(BOX, EYE, (1, 2, 3)), (0, 0, 4), 0.5, (0, 0, -1)),
        (sphere_box, solid(BOX, EYE, (1, 2, 3)), (4, 6, 0), 4.5, (-0.6, -0.8, 0)),
        (sphere_box, solid(BOX, EYE, (1, 2, 3)), (2, 4, 5), 2.5, (-1 / 3, -2 / 3, -2 / 3)),
        (sphere_box, solid(BOX, EYE, (1, 2, 3)), (0.75, 0, 0), -0.75, (-1, 0, 0)),
        (sphere_cylinder, solid(CYLINDER, EYE, (1, 0, 2)), (0, 3, 1), 1.5, (0, -1, 0)),
        (sphere_cylinder, solid(CYLINDER, EYE, (1, 0, 2)), (0, 0.5, 3), 0.5, (0, 0, -1)),
        (sphere_cylinder, solid(CYLINDER, EYE, (1, 0, 2)), (4, 0, 6), 4.5, (-0.6, 0, -0.8)),
        (sphere_cylinder, solid(CYLINDER, EYE, (1, 0, 2)), (0.9, 0, 0), -0.6, (-1, 0, 0)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (0, 0, 6), 1.5, (0, 0, -1)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (1, 0, -2), 1.5, (0, 0, 1)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (6, 0, -4), 4.5, (-0.6, 0, 0.8)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (1.5 + 1.6, 0, 2 + 1.2), 1.5, (-0.8, 0, -0.6)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (1.5 - 0.4, 0, 2 - 0.3), -1.0, (-0.8, 0, -0.6)),
        (sphere_cone, solid(CONE, EYE, (3, 0, 4)), (0, 0.1, 0.25), -0.75, (0, 0, 1)),
        (sphere_triangle, FLOOR, (0, 0, 2), 1.5, (0, 0, -1)),
        (sphere_triangle, FLOOR, (0, 0, -0.25), -0.25, (0, 0, 1)),
        (sphere_triangle, FLOOR, (0, -7, 4), 4.5, (0, 0.6, -0.8)),
        (sphere_triangle, FLOOR, (-6, -7, 6), 6.5, (2 / 7, 3 / 7, -6 / 7)),
    ],
)
def test_spheres_in_closed_form(routine, B, centre, d, n):
    """The centre of the sphere is seen from B; each region of the surface has its turn."""
    rng = np.random.default_rng(31)
    for Q in (EYE, turn(rng)):
        world = B._replace(R=type(B.R)(*(Q @ np.array(B.R).reshape(3, 3)).ravel().tolist()))
        (p,) = touch(routine, BALL, world, -Q @ np.array(centre, float), 10.0)
        assert abs(p.d - d) < 1e-14 * 8
        assert np.abs(p.n - Q @ n).max() < 1e-14 * 8


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-9, 1e-3, 0.05])
def test_capsules_side_by_side_touch_twice(tilt):
    c, s = np.cos(tilt), np.sin(tilt)
    other = solid(CAPSULE, np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ LYING, (0.25, 0, 1.0))
    points = touch(capsule_capsule, ROD, other, (0.5, 0.0, 0.5 + s), 0.2)
    assert len(points) == 2
    assert np.allclose(sorted(points.a[:, 0]), (-0.5, 1.0), atol=0.6 * tilt + 1e-12)


def test_crossed_capsules_touch_once():
    other = solid(CAPSULE, [[1, 0, 0], [0, 0, 1], [0, -1, 0]], (0.25, 0, 1.0))
    (p,) = touch(capsule_capsule, ROD, other, (0.3, 0.2, 0.49), 0.1)
    assert abs(p.d + 0.01) < 1e-15
    assert np.allclose(p.a, (0.3, 0, 0.25))
    (p,) = touch(capsule_capsule, ROD, other, (0.3, 0.2, 0.0), 0.1)  # axes that meet
    assert abs(p.d + 0.5) < 1e-15
    assert np.allclose(np.abs(p.n), (0, 0, 1))


@pytest.mark.parametrize("tilt", [0.0, 1e-15, -1e-15, 1e-9, 1e-3, -0.05])
@pytest.mark.parametrize("lift", [0.01, 0.0, -0.1, -0.3])
def test_capsule_on_a_face_touches_twice(tilt, lift):
    """Also pressed in beyond its axis (lift -0.3). Its ends reach beyond the face, which is 1.4 wide."""
    c, s = np.cos(tilt), np.sin(tilt)
    R = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) @ LYING
    rod = solid(CAPSULE, R, (0.25, 0, 1.0))
    block = solid(BOX, EYE, (0.7, 2.0, 3.0))
    points = touch(capsule_box, rod, block, (-0.2, 0.0, -3.25 - lift), 0.2)
    assert len(points) == 2
    assert np.allclose(np.sort(points.a[:, 0]), (-0.9, 0.5), atol=abs(tilt) + 1e-9)
    assert np.allclose(points.n, (0, 0, -1), atol=1.1 * abs(tilt) + 1e-12)  # closest is an edge of the box
    assert abs(points.d - lift).max() < abs(tilt) + 1e-12
    points = touch(capsule_triangle, rod, FLOOR, (0.0, 0.0, -0.25 - lift), 0.2)
    assert len(points) == (2 if lift > -0.25 or tilt == 0 else len(points))
    assert abs(points.d.min() - lift) < 2 * abs(tilt) + 1e-12 or lift < -0.25


def test_capsule_standing_on_a_face_touches_once():
    rod, block = solid(CAPSULE, EYE, (0.25, 0, 1.0)), solid(BOX, EYE, (1, 1, 1))
    (p,) = touch(capsule_box, rod, block, (0.1, 0.2, -2.24), 0.1)
    assert abs(p.d + 0.01) < 1e-14
    (p,) = touch(capsule_triangle, rod, FLOOR, (0, 0, -1.24), 0.1)
    assert abs(p.d + 0.01) < 1e-14


def test_capsule_through_a_triangle_leaves_the_short_way():
    """An axis from z = -0.2 to 1.8 leaves the plane z = 0 upward, by 0.2 and the radius."""
    rod = solid(CAPSULE, EYE, (0.25, 0, 1.0))
    p = touch(capsule_triangle, rod, FLOOR, (0, 0, -0.8), 0.1)[0]
    assert abs(p.d + 0.45) < 1e-14
    assert np.allclose(p.n, (0, 0, -1))
    p = touch(capsule_triangle, rod, FLOOR, (0, 3.9, -0.5), 0.1)[0]  # 0.1 from an edge
    assert abs(p.d + 0.35) < 1e-14
    assert np.allclose(p.n, (0, 1, 0))


@pytest.mark.parametrize(("length", "at"), [(1.0, 0.2), (0.5, 0.1), (3.0, 0.0)])
def test_features_stay_while_a_capsule_rocks(length, at):
    """One end, both or none of it over the face; two points with names of their own, whatever the tilt."""
    rng = np.random.default_rng(32)
    block = solid(BOX, EYE, (0.7, 2.0, 3.0))
    plate = solid(TRIANGLE, [[-0.7, 1.4, -0.7], [-2, 0.1, 2.1], [0, 0, 0]], (0, 0, 0))
    other = solid(CAPSULE, LYING, (0.5, 0, 0.7))
    for routine, B, height in (
        (capsule_box, block, 3.25),
        (capsule_triangle, plate, 0.25),
        (capsule_capsule, other, 0.75),
    ):
        seen = set()
        for _ in range(60):
            tilt = rng.normal() * 10.0 ** rng.uniform(-14, -3)
            c, s = np.cos(tilt), np.sin(tilt)
            rod = solid(CAPSULE, np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) @ LYING, (0.25, 0, length))
            points = touch(routine, rod, B, (-at, 0.0, -height - rng.uniform(-0.01, 0.01)), 0.1)
            assert len(points) == 2
            seen.add(frozenset(zip(points.feature_a.tolist(), points.feature_b.tolist(), strict=True)))
        assert len(seen) == 1
        assert len(next(iter(seen))) == 2
