"""Oriented boxes, spheres and k-DOPs: never smaller than the body, overlaps never missed (V-18)."""

import numpy as np
import pytest
from convex_samples import random_rotations
from narrow_samples import boxes_distance, random_boxes
from scipy.optimize import nnls

from gelenk.collision.bounding import (
    Dops,
    OrientedBox,
    dop_directions,
    dops_meet,
    oriented_boxes_meet,
    placed,
    put_dop,
    spheres_meet,
)
from gelenk.collision.bounding_compare import compare_rejections
from gelenk.collision.bounding_fit import fit_dop, fit_oriented_box, fit_sphere
from gelenk.collision.solid import BOX
from gelenk.compile import kernel
from gelenk.errors import InputError
from gelenk.geometry.hull import ConvexHull
from gelenk.math.rotation import Mat3, get33
from gelenk.math.vec3 import Vec3, get3, vec3

EPS = 2.0**-52
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def clouds(rng):
    """Bodies of all kinds: round, flat, long, few points, symmetric, of all scales and far from their origin."""
    for scale in (1e-3, 1.0, 1e4):
        for shape in ((1, 1, 1), (1, 1, 1e-6), (1, 1e-6, 1e-6), (1, 1, 0), (1, 0, 0)):
            for count in (1, 2, 3, 4, 10, 100):
                turned = rng.normal(size=(count, 3)) * shape @ random_rotations(rng, 1)[0].T
                yield scale * turned + scale * rng.normal(size=3) * rng.choice([0, 1, 100])
        yield scale * CUBE
        yield scale * CUBE @ random_rotations(rng, 1)[0].T
        yield scale * np.repeat(CUBE, 3, 0)


def test_no_volume_is_smaller_than_the_body():
    for x in clouds(np.random.default_rng(0)):
        (middle,), (R,), (half,) = fit_oriented_box(x)
        assert (np.abs((x - middle) @ R) <= half).all()
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=8 * EPS)
        assert np.linalg.det(R) > 0
        (middle,), (radius,) = fit_sphere(x)
        assert (np.linalg.norm(x - middle, axis=1) <= radius).all()
        for k in (6, 14, 18, 26):
            (low,), (high,) = fit_dop(x, k)
            along = x @ dop_directions(k).T
            assert ((low <= along) & (along <= high)).all()


def test_the_sphere_is_the_smallest():
    # its middle lies in the hull of the points on its rim; then any other middle is farther from one of them
    for x in clouds(np.random.default_rng(1)):
        (middle,), (radius,) = fit_sphere(x)
        size = np.abs(x).max()
        y = x - middle
        rim = y[np.linalg.norm(y, axis=1) >= radius - 1e-9 * radius - 100 * EPS * size]
        if radius < 1e-6 * size:
            continue
        weights, rest = nnls(np.vstack([rim.T / radius, np.ones(len(rim))]), np.array([0, 0, 0, 1.0]))
        assert rest < 1e-6
        assert (weights >= 0).all()


def test_the_oriented_box_of_a_box_is_that_box():
    rng = np.random.default_rng(2)
    for half in ((1, 2, 3), (1, 1, 1), (1, 1, 3), (1e-3, 1, 1)):
        for _ in range(5):
            x = CUBE * half @ random_rotations(rng, 1)[0].T
            box = fit_oriented_box(x)
            np.testing.assert_allclose(np.sort(box.half[0]), np.sort(half), atol=64 * EPS * 3)


def test_the_oriented_box_of_a_slanted_body_is_smaller_than_its_axis_aligned_box():
    rng = np.random.default_rng(3)
    for _ in range(20):
        on_ball = rng.normal(size=(200, 3))
        on_ball /= np.linalg.norm(on_ball, axis=1)[:, None]
        hull = ConvexHull(on_ball * (3, 1, 0.3) @ random_rotations(rng, 1)[0].T)
        oriented = np.prod(2 * fit_oriented_box(*hull.triangles()).half)
        assert oriented <= np.prod(np.ptp(hull.vertices, axis=0)) * (1 + 1e-12)
        assert (
            oriented < 1.02 * 8 * 3 * 1 * 0.3
        )  # the box of the ellipsoid; random points show its axes to some percent


def test_directions_of_dops():
    for k in (6, 14, 18, 26):
        u = dop_directions(k)
        assert len(u) == k // 2
        np.testing.assert_array_equal(u[:3], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
        assert len({tuple(sign * row) for row in u for sign in (-1, 1)}) == k
    with pytest.raises(ValueError, match="choose k"):
        dop_directions(10)


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros(3), [[np.nan, 0, 0]]])
def test_bad_points_are_refused(points):
    for fit in (fit_dop, fit_sphere, fit_oriented_box):
        with pytest.raises(InputError, match="bounding volume"):
            fit(points)


@kernel
def meet(R, half, middle, found_out):
    """Whether boxes 0 and 1 of each pair meet."""
    for i in range(middle.shape[0]):
        a = OrientedBox(get3(middle[i], 0), get33(R[i], 0), get3(half[i], 0))
        b = OrientedBox(get3(middle[i], 1), get33(R[i], 1), get3(half[i], 1))
        found_out[i] = oriented_boxes_meet(a, b)


def touching_boxes(rng, count):
    """Pairs with one point in common, mostly on both surfaces; needles, plates, parallel axes, far from the origin."""
    half = 10.0 ** rng.uniform(-4, 0, (count, 2, 3))
    R = np.stack([random_rotations(rng, count), random_rotations(rng, count)], axis=1)
    same = rng.random(count) < 0.5
    R[same, 1] = R[same, 0]
    same &= rng.random(count) < 0.5
    turn = np.eye(3) + 10.0 ** -rng.uniform(3, 16, (count, 1, 1)) * rng.normal(size=(count, 3, 3))
    R[same, 1] = np.linalg.qr(R[same, 1] @ turn[same])[0]
    place = np.clip(rng.uniform(-2, 2, (count, 2, 3)), -1, 1)
    away = 100 * rng.normal(size=(count, 1, 3)) * rng.choice([0, 1], (count, 1, 1))
    middle = -np.einsum("kpij,kpj->kpi", R, place * half)
    # rounding of the places must not part them: shrink the way by that
    middle[:, 1] = middle[:, 0] + (middle[:, 1] - middle[:, 0]) * (1 - 8 * EPS)
    return R, half, middle, away


def check_touching(count, rng):
    R, half, middle, away = touching_boxes(rng, count)
    found = np.zeros(count, bool)
    meet(R, half, middle, found)
    assert found.all()
    grown = half + 4 * EPS * np.abs(away).max((1, 2))[:, None, None]  # as a fit does for places that round
    meet(R, grown, middle + away, found)
    assert found.all()


def test_oriented_boxes_with_a_common_point_are_not_missed():
    check_touching(20000, np.random.default_rng(4))


@pytest.mark.proof
def test_many_oriented_boxes_with_a_common_point_are_not_missed():
    check_touching(1000000, np.random.default_rng(5))


def test_oriented_boxes_meet_exactly_where_their_distance_is_not_positive():
    rng = np.random.default_rng(6)
    signs = []
    for k in range(300):
        A, B, r = random_boxes(rng, None if k % 2 else 1e-9)
        assert A.kind == BOX
        d = boxes_distance(A, B, r)
        a, b = OrientedBox(Vec3(0.0, 0.0, 0.0), A.R, A.size), OrientedBox(vec3(r), B.R, B.size)
        if abs(d) > 1e-10:
            assert oriented_boxes_meet(a, b) == oriented_boxes_meet(b, a) == (d < 0)
            signs.append(d < 0)
    assert 50 < sum(signs) < len(signs) - 50


def test_spheres_meet_where_they_touch():
    assert spheres_meet(Vec3(3.0, 0.0, 0.0), 1.0, 2.0)
    assert not spheres_meet(Vec3(3.0, 0.0, 1e-6), 1.0, 2.0)


def test_a_box_moves_with_its_body():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(20, 3)) * (1, 2, 3) + (4, 5, 6)
    fitted = fit_oriented_box(x)
    Q, p = random_rotations(rng, 1)[0], rng.normal(size=3)
    box = OrientedBox(vec3(fitted.middle[0]), Mat3(*fitted.R[0].ravel().tolist()), vec3(fitted.half[0]))
    moved = placed(box, Mat3(*Q.ravel().tolist()), vec3(p))
    local = (x @ Q.T + p - np.array(moved.middle)) @ np.array(moved.R).reshape(3, 3)
    assert (np.abs(local) <= np.array(moved.half) + 32 * EPS * 10).all()


def test_dops_of_bodies_with_a_common_point_are_not_missed():
    rng = np.random.default_rng(8)
    for k in (6, 14, 18, 26):
        u = dop_directions(k)
        dops = Dops(np.zeros((2, k // 2)), np.zeros((2, k // 2)))
        tight = 0
        for _ in range(30):
            x, y = rng.normal(size=(2, 15, 3))
            R, S = random_rotations(rng, 2)
            far = 1e4 * rng.normal(size=3)
            for i, (points, Q) in enumerate(((x, R), (y, S))):  # vertex 0 of one on vertex 3 of the other
                p = far - Q @ points[3 * i]
                put_dop(dops, i, u, points, 0, 15, Mat3(*Q.ravel().tolist()), vec3(p))
                world = (points @ Q.T + p) @ u.T
                tight = max(tight, np.abs(world.max(0) - dops.high[i]).max())
            assert dops_meet(dops, 0, dops, 1)
        assert tight < 200 * EPS * 1e4 * 3
        dops.low[1] += 100
        dops.high[1] += 100
        assert not dops_meet(dops, 0, dops, 1)


def test_rejections_of_all_volumes():
    rng = np.random.default_rng(9)
    rod = ConvexHull(rng.normal(size=(30, 3)) * (3, 0.3, 0.3))
    plate = ConvexHull(rng.normal(size=(30, 3)) * (1, 1, 0.05))
    found = compare_rejections(rod, plate, pairs=3000)
    assert found.missed == 0
    assert 2000 < found.apart < 3000
    assert max(found.sphere, found.box, found.dop, found.oriented) <= found.apart
    assert found.sphere < found.box < found.dop  # the directions of a box are among those of an 18-DOP
    assert found.box < found.oriented
    assert f"{found.apart} of them apart, 0 missed" in found.table()
