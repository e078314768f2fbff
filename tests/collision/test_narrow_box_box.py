"""Box against box, against exhaustive references."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import (
    boxes_apart,
    boxes_distance,
    certify,
    check_points,
    corners,
    edges,
    matrix,
    moved,
    random_boxes,
    solid,
    touch,
    turn,
)

from gelenk.collision.clip import deepest_only
from gelenk.collision.narrow.box_box import box_box, box_box_sparing
from gelenk.collision.solid import BOX

EYE = np.eye(3)
CUBE = solid(BOX, EYE, (1.0, 1.0, 1.0))
EXACT = 1e-9  # of the size: what the choice between a face and an edge may cost at most (ten times EQUAL)


@pytest.mark.parametrize("near", [None, 1e-2, 1e-5, 1e-8, 1e-11, 0.0])
def test_signed_distance_is_that_of_an_exhaustive_search(near):
    rng = np.random.default_rng(1)
    for _ in range(150):
        A, B, r = random_boxes(rng, near)
        points = touch(box_box, A, B, r, 100.0)
        check_points(points, A, B, r, 100.0, 1e-12)
        assert abs(points.d.min() - boxes_distance(A, B, r)) < EXACT


def test_closest_points_lie_on_both_boxes():
    rng = np.random.default_rng(2)
    for _ in range(100):
        A, B, r = random_boxes(rng)
        for p in touch(box_box, A, B, r, 100.0):
            own, its = np.abs(matrix(A).T @ p.a) - A.size, np.abs(matrix(B).T @ p.b) - B.size
            if boxes_distance(A, B, r) > 0:
                assert abs(own.max()) < 1e-10
                assert abs(its.max()) < 1e-10


def test_overlap_is_undone_by_moving_along_the_normal():
    """Depth is right if B moved out by it touches, and nothing shorter can do (the reference tested above)."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        A, B, r = random_boxes(rng)
        points = touch(box_box, A, B, 0.5 * r, 0.0)
        if len(points):
            p = points[points.d.argmin()]
            out = boxes_apart(A, B, 0.5 * r - (p.d - 1e-6) * p.n)
            assert abs(out - 1e-6) < EXACT


def test_nothing_beyond_the_margin():
    rng = np.random.default_rng(4)
    for _ in range(200):
        A, B, r = random_boxes(rng)
        margin = rng.uniform(0, 0.3)
        points = touch(box_box, A, B, r, margin)
        assert (len(points) > 0) == (boxes_distance(A, B, r) <= margin)
        assert (points.d <= margin).all()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_swapping_moving_and_scaling_change_nothing(scale):
    rng = np.random.default_rng(5)
    for _ in range(150):
        A, B, r = random_boxes(rng)
        A, B, r = A._replace(size=A.size * scale), B._replace(size=B.size * scale), r * scale
        margin, tol = 100.0 * scale, EXACT * scale
        points, swapped = touch(box_box, A, B, r, margin), touch(box_box, B, A, -r, margin)
        assert abs(points.d.min() - swapped.d.min()) < tol
        Q = turn(rng)
        turned = touch(box_box, moved(A, Q), moved(B, Q), Q @ r, margin)
        assert abs(points.d.min() - turned.d.min()) < tol
        if len(points) == len(turned) and (points.feature_a == turned.feature_a).all():
            assert np.abs(turned.n - points.n @ Q.T).max() < 1e-6
            assert np.abs(turned.a - points.a @ Q.T).max() < 1e-6 * scale


def test_normal_of_single_point_is_the_same_from_both_sides():
    rng = np.random.default_rng(6)
    compared = 0
    for _ in range(300):
        A, B, r = random_boxes(rng)
        points, swapped = touch(box_box, A, B, r, 100.0), touch(box_box, B, A, -r, 100.0)
        if len(points) == len(swapped) == 1 and points.d[0] > 0:
            assert np.abs(points.n[0] + swapped.n[0]).max() < 1e-9
            assert np.abs(points.a[0] - swapped.b[0]).max() < 1e-9
            assert (points.feature_a[0], points.feature_b[0]) == (swapped.feature_b[0], swapped.feature_a[0])
            compared += 1
    assert compared > 50


def test_distance_is_continuous_along_paths():
    """It changes by no more than the farthest corner of B moves."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        A, B, r = random_boxes(rng)
        spin, way = turn(rng, 0.01), rng.normal(size=3) * 0.01
        last, place = None, None
        for _ in range(60):
            d = touch(box_box, A, B, r, 100.0).d.min()
            now = corners(B) + r
            if last is not None:
                assert abs(d - last) <= np.linalg.norm(now - place, axis=1).max() + 2 * EXACT
            last, place = d, now
            B, r = moved(B, spin), r + way


def test_aligned_boxes_touch_with_four_points_and_one_turned_by_45_degrees_too():
    for d in (-0.01, 0.0, 0.01):
        points = touch(box_box, CUBE, CUBE, (0, 0, 2 + d), 0.02)
        assert len(points) == 4
        assert np.allclose(points.d, d, atol=1e-15)
        assert {tuple(p) for p in np.round(points.a, 9)} == {(x, y, 1.0) for x in (-1, 1) for y in (-1, 1)}
        assert (points.n == [0, 0, 1]).all()
        c = np.sqrt(0.5)
        turned = solid(BOX, [[c, -c, 0], [c, c, 0], [0, 0, 1]], (1.0, 1.0, 1.0))
        points = touch(box_box, CUBE, turned, (0, 0, 2 + d), 0.02)
        spread = np.cross(points.a[1] - points.a[0], points.a[3] - points.a[2])
        assert len(points) == 4
        assert abs(spread[2]) / 2 > 0.7 * 8 * (np.sqrt(2) - 1)  # of the area of the octagon that both share


def test_region_of_shifted_faces_is_their_common_rectangle():
    points = touch(box_box, CUBE, CUBE, (0.5, -1.25, 1.999), 0.01)
    assert {tuple(p) for p in np.round(points.a, 9)} == {(x, y, 1.0) for x in (-0.5, 1) for y in (-1, -0.25)}
    kinds = {
        tuple(sorted((int(a >= 8) + int(a >= 32), int(b >= 8) + int(b >= 32))))
        for a, b in zip(points.feature_a, points.feature_b)
    }
    assert kinds == {(0, 2), (1, 1)}  # two corners on faces, two crossings of edges


def test_normals_of_closest_corners_and_edges():
    """I-093: corner to corner, foot on an edge to corner, and edge across edge."""
    n = touch(box_box, CUBE, CUBE, (2.01, 2.02, 2.03), 0.1)[0]
    assert np.allclose(n.n, np.array([1, 2, 3]) / np.sqrt(14), atol=1e-12)
    assert (n.feature_a, n.feature_b) == (7, 0)
    n = touch(box_box, CUBE, CUBE, (2.03, 2.04, 0.5), 0.1)[0]
    assert np.allclose(n.n, [0.6, 0.8, 0], atol=1e-12)
    assert abs(n.d - 0.05) < 1e-14
    c = np.sqrt(0.5)
    upright = solid(BOX, [[1, 0, 0], [0, c, -c], [0, c, c]], (1, 1, 1))  # an edge along x at its bottom
    lying = solid(BOX, [[c, 0, c], [0, 1, 0], [-c, 0, c]], (1, 1, 1))  # an edge along y at its top
    n = touch(box_box, lying, upright, (0.2, 0.3, 2 * np.sqrt(2) + 0.01), 0.1)[0]
    assert np.allclose(n.n, [0, 0, 1], atol=1e-12)
    assert abs(n.d - 0.01) < 1e-14
    assert 8 <= n.feature_a < 32
    assert 8 <= n.feature_b < 32
    assert np.allclose(n.a, [0.0, 0.3, np.sqrt(2)], atol=1e-12)


def test_features_stay_while_boxes_slide():
    seen = set()
    for x in np.linspace(-0.4, 0.4, 9):
        points = touch(box_box, CUBE, CUBE._replace(size=CUBE.size * 0.5), (x, 0.3 * x, 1.499), 0.01)
        seen.add(frozenset(zip(points.feature_a.tolist(), points.feature_b.tolist())))
    assert len(seen) == 1


def test_slight_tilt_keeps_a_full_region():
    """A box that rests with its edge beyond the one below: closest are two edges, yet it is held by a region."""
    rng = np.random.default_rng(8)
    for angle in (1e-2, 1e-4, 1e-7):
        for _ in range(50):
            B = moved(CUBE, turn(rng, angle))
            r = np.array([rng.uniform(-1, 1), rng.uniform(-1, 1), 2.0])
            points = touch(box_box, CUBE, B, r, 0.2)
            assert len(points) >= 3
            assert np.ptp(points.a, axis=0)[:2].prod() > 0.5 * (2 - abs(r[0])) * (2 - abs(r[1]))
            assert abs(points.d.min() - boxes_distance(CUBE, B, r)) < EXACT


@pytest.mark.parametrize("at", [(0.4, 0.3, 2.0), (-1.2, 0.1, 2.0), (1.4, -1.7, 2.0)])
def test_features_stay_while_a_box_rocks(at):
    """A tilt changes which face is the reference, which axis is best, and whether they overlap; not what touches."""
    rng = np.random.default_rng(20)
    seen = set()
    for _ in range(150):
        B = moved(CUBE, turn(rng, 10.0 ** rng.uniform(-9, -2.5)))
        points = touch(box_box, CUBE, B, at + np.array([0, 0, rng.uniform(-0.01, 0.01)]), 0.1)
        seen.add(frozenset(zip(points.feature_a.tolist(), points.feature_b.tolist(), strict=True)))
    assert len(seen) == 1


@pytest.mark.parametrize("size", [1e-3, 0.1, 10.0])
def test_a_small_box_on_a_large_one(size):
    """Round-off is that of the large one, 1e4 m wide; all else is as sharp as the small one is large."""
    rng = np.random.default_rng(24)
    ground = solid(BOX, EYE, (1e4, 1e4, 1.0))
    for k in range(150):
        B = solid(BOX, turn(rng, None if k % 2 else 1e-3), size * rng.uniform(0.2, 1.0, 3))
        r = np.array([*rng.uniform(-1e4, 1e4, 2), 1.0 + size * rng.uniform(0.0, 2.5)])
        if k % 3 == 0:  # at an edge
            r[0] = 1e4 + size * rng.uniform(-2, 2)
        points = touch(box_box, ground, B, r, 10 * size)
        check_points(points, ground, B, r, 10 * size, 1e-11)
        certify(points, ground, B, r, 1e-9 * size + 1e-11, rng)


@pytest.mark.parametrize(
    "size", [(1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1e3, 1e-3, 1e-3), (1e3, 1e3, 1e-3)]
)
def test_flat_boxes_needles_and_slivers(size):
    rng = np.random.default_rng(9)
    for _ in range(60):
        A, B = solid(BOX, turn(rng), (0.3, 0.5, 0.7)), solid(BOX, turn(rng), size)
        r = rng.normal(size=3) * 0.6
        points = touch(box_box, A, B, r, 1e4)
        check_points(points, A, B, r, 1e4, 1e-12 * max(1.0, max(size)))
        assert abs(points.d.min() - boxes_distance(A, B, r)) < EXACT * (1 + max(size))


def test_same_centre_gives_the_least_way_out():
    p = touch(box_box, CUBE, solid(BOX, EYE, (0.5, 0.2, 0.4)), (0.0, 0.0, 0.0), 0.0)
    assert abs(p.d.min() + 1.2) < 1e-15


def test_one_point_mode_and_the_sparing_rule():
    rng = np.random.default_rng(10)
    single = 0
    for _ in range(200):
        A, B, r = random_boxes(rng, 0.3)
        points, few = touch(box_box, A, B, r, 0.3), touch(box_box_sparing, A, B, r, 0.3)
        if len(points):
            assert few.d.min() == points.d.min()
            cosine = np.abs(matrix(A).T @ matrix(B)).max(0)
            single += len(few) < len(points)
            if len(few) > 1:
                assert cosine.max() > 0.99
            assert deepest_only(points, len(points)) == 1
            assert points.d[0] == points.d.min()
    assert single > 10


def test_edges_of_the_reference_are_right():
    assert len(edges(CUBE)) == 12
