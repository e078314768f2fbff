"""Contact regions of two hulls: corners, centroid, one point."""

import math

import numpy as np
import pytest
from hull_samples import ball, bodies, direction, find, new_pair, outside, pair_at, rotation, solid, table_of
from scipy.spatial import HalfspaceIntersection

from gelenk.collision.hull_manifold import CENTROID, CORNERS, SINGLE, clip_space, hull_hull
from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.manifold import new_points
from gelenk.collision.vclip_features import EDGE, FACE, VERTEX
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box
from gelenk.math.vec3 import vec3

I3 = np.eye(3)
EPS = 1e-13  # some hundred roundings of bodies of size 1


def turn(angle, axis=2):
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def contact(table, i, R, j, Q, r, margin=0.01, mode=CORNERS, most=16, pair=None):
    out = new_points(16)
    pair = new_pair() if pair is None else pair
    count = hull_hull(solid(i, R), solid(j, Q), vec3(r), margin, table, pair, clip_space(table), mode, most, out)
    return out[:count].copy()


def prism(sides, radius, shift=(0.0, 0.0)):
    a = 2.0 * np.pi * np.arange(sides) / sides
    flat = radius * np.c_[np.cos(a), np.sin(a)] + shift
    return ConvexHull(np.concatenate([np.c_[flat, np.full(sides, z)] for z in (0.0, 1.0)]))


def test_box_on_box_touches_with_four_corners():
    """4.7 of the impulse method: aligned boxes give four points, whichever side of touching they are on."""
    table = table_of(box_hull(Box((2.0, 2.0, 0.5))), box_hull(Box((1.0, 1.0, 1.0))))
    for gap in (-0.01, 0.0, 0.005):
        points = contact(table, 0, I3, 1, I3, (0.1, 0.2, 0.75 + gap))
        assert sorted(map(tuple, points.b.round(12).tolist())) == [
            (x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)
        ]
        np.testing.assert_allclose(points.d, gap, atol=EPS)
        np.testing.assert_allclose(points.n, [(0, 0, 1)] * 4, atol=EPS)
        assert set(points.feature_a & 3) == {FACE}
        assert len(set(points.feature_b)) == 4
        assert set(points.feature_b & 3) == {VERTEX}


def test_turned_square_gives_an_octagon_and_four_of_it_spread():
    table = table_of(*[box_hull(Box((1.0, 1.0, 1.0)))] * 2)
    args = table, 0, I3, 1, turn(math.pi / 4), (0.0, 0.0, 1.0)
    octagon = contact(*args)
    assert len(octagon) == 8
    # corners where the sides x = 1/2 and x + y = sqrt(1/2) meet
    np.testing.assert_allclose(
        np.linalg.norm(octagon.a[:, :2], axis=1), math.hypot(0.5, math.sqrt(0.5) - 0.5), atol=EPS
    )
    assert set(octagon.feature_a & 3) == set(octagon.feature_b & 3) == {EDGE}
    assert len({(p.feature_a, p.feature_b) for p in octagon}) == 8
    four = contact(*args, most=4)
    gaps = np.linalg.norm(four.a[:, None] - four.a[None], axis=-1)[np.triu_indices(4, 1)]
    side = math.sqrt(2.0) - 1.0
    assert len(four) == 4
    assert gaps.min() > 1.5 * side  # no two are neighbours


@pytest.mark.parametrize(("m", "n"), [(3, 4), (5, 7), (12, 31)])
def test_region_is_the_intersection_of_the_faces(m, n):
    """Against the intersection of half planes by another algorithm, area and centroid of its triangles."""
    rng = np.random.default_rng(m)
    lower, upper = prism(m, 1.0), prism(n, 0.9)
    table = table_of(lower, upper)
    Q, shift = turn(rng.uniform(0, 6)), np.array([0.4, -0.3])
    planes = np.concatenate([prism_sides(lower, I3, np.zeros(2)), prism_sides(upper, Q, shift)])
    expected = HalfspaceIntersection(planes, 0.5 * shift).intersections
    R = rotation(rng)
    out = new_points(64)
    r = R @ np.array([*shift, 1.0 - 1e-3])
    pair, space = new_pair(), clip_space(table)
    count = hull_hull(solid(0, R), solid(1, R @ Q), vec3(r), 0.0, table, pair, space, CORNERS, 64, out)
    found = out[:count].a @ R
    assert count == len(expected)
    distance = np.linalg.norm(found[:, None, :2] - expected[None], axis=-1)
    assert distance.min(axis=1).max() < 1e-12
    np.testing.assert_allclose(found[:, 2], 1.0, atol=EPS)

    centre = contact(table, 0, R, 1, R @ Q, r, mode=CENTROID)
    middle = expected.mean(axis=0)
    order = np.argsort(np.arctan2(*(expected - middle).T[::-1]))
    a, b = expected[order], np.roll(expected[order], -1, axis=0)
    area = (a - middle)[:, 0] * (b - middle)[:, 1] - (a - middle)[:, 1] * (b - middle)[:, 0]
    exact = ((a + b + middle) * area[:, None]).sum(axis=0) / (3.0 * area.sum())
    assert len(centre) == 1
    np.testing.assert_allclose(centre[0].a @ R, [*exact, 1.0], atol=1e-12)
    assert centre[0].d == pytest.approx(-1e-3, abs=EPS)


def prism_sides(hull, R, shift):
    """Half planes  n . x - d <= 0  of the upright faces."""
    upright = np.abs(hull.normals[:, 2]) < 0.5
    n = (hull.normals[upright] @ R.T)[:, :2]
    return np.c_[n, -(hull.offsets[upright] + n @ shift)]


@pytest.mark.parametrize("mode", [CORNERS, CENTROID, SINGLE])
def test_every_point_keeps_what_a_point_promises(mode):
    """b - a = d n; nothing beyond the margin; the deepest is there; the points lie on the faces they name."""
    rng = np.random.default_rng(2)
    hulls = bodies(rng)
    table = pack_hulls(hulls)
    met = 0
    for _ in range(60):
        i, j = rng.integers(0, len(hulls), 2)
        R, Q, r = rotation(rng), rotation(rng), direction(rng) * rng.uniform(0.5, 3.0)
        closest, points = find(table, i, R, j, Q, r), contact(table, i, R, j, Q, r, 0.05, mode)
        assert (len(points) > 0) == (closest.d <= 0.05)
        if len(points) == 0:
            continue
        met += 1
        np.testing.assert_allclose(points.b - points.a + r, points.d[:, None] * points.n, atol=EPS)
        assert points.d.max() <= 0.05
        assert points.d.min() >= closest.d - 1e-12
        if mode != CENTROID:
            assert points.d.min() == pytest.approx(closest.d, abs=1e-8)  # corners within 1e-9 of the size are equal
        if mode == SINGLE:
            assert len(points) == 1
        for p in points:
            assert outside(hulls[i], R.T @ p.a) < 1e-9
            assert outside(hulls[j], Q.T @ p.b) < 1e-9
    assert met > 10


def test_tip_and_edge():
    """A box on its tip has one point, on its edge two, lying flat four."""
    table = table_of(box_hull(Box((4.0, 4.0, 1.0))), box_hull(Box((1.0, 1.0, 1.0))))
    half = math.sqrt(0.5)
    on_edge = turn(math.pi / 4, axis=0)
    assert len(contact(table, 0, I3, 1, on_edge, (0.0, 0.0, 0.5 + half - 0.001))) == 2
    tip = turn(math.atan(half), axis=1) @ on_edge
    point = contact(table, 0, I3, 1, tip, (0.0, 0.0, 0.5 + math.sqrt(0.75) - 0.001))
    assert len(point) == 1
    np.testing.assert_allclose(point[0].a, (0.0, 0.0, 0.5), atol=1e-12)
    assert point[0].d == pytest.approx(-0.001, abs=EPS)


def test_crossed_edges_keep_the_closest_point():
    table = table_of(*[box_hull(Box((1.0, 1.0, 1.0)))] * 2)
    R = turn(math.pi / 4, axis=0)
    points = contact(table, 0, R, 1, turn(math.pi / 2) @ R, (0.0, 0.0, 2 * math.sqrt(0.5) - 0.01))
    assert points.d.min() == pytest.approx(-0.01, abs=EPS)
    deepest = points[points.d.argmin()]
    np.testing.assert_allclose(deepest.n, (0, 0, 1), atol=EPS)
    assert (deepest.feature_a & 3, deepest.feature_b & 3) == (EDGE, EDGE)


def test_points_do_not_depend_on_where_the_walk_began():
    """T-17 of the biomechanics pages: with parallel faces many pairs of features are equally close."""
    table = table_of(box_hull(Box((1.0, 1.0, 1.0))), prism(6, 0.7))
    seen = set()
    for v in range(table.hull[0].vertex_first, table.hull[0].vertex_last):
        for w in range(table.hull[1].vertex_first, table.hull[1].vertex_last):
            points = contact(table, 0, I3, 1, I3, (0.1, 0.2, 0.501), pair=pair_at(4 * v, 4 * w))
            seen.add(tuple(sorted(map(tuple, points.a.round(9).tolist()))))
    assert len(seen) == 1


def test_swapped_bodies_have_the_same_points():
    rng = np.random.default_rng(7)
    table = table_of(prism(5, 0.8), prism(7, 1.0), ball(40, rng))
    for i, j, r in ((0, 1, (0.2, 0.1, 0.999)), (1, 0, (0.3, 0.1, 1.002)), (1, 2, (0.2, 0.1, 1.95))):
        Q = turn(0.3)
        one, other = contact(table, i, I3, j, Q, r), contact(table, j, Q, i, I3, -np.array(r))
        assert len(one) == len(other) > 0
        for p in one:
            assert np.abs(other.b - p.a).max(axis=1).min() < 1e-12
            assert np.abs(other.a - p.b).max(axis=1).min() < 1e-12
        np.testing.assert_allclose(sorted(one.d), sorted(other.d), atol=EPS)


def test_points_of_a_region_have_places_and_names_of_their_own():
    """V-11: tips that face each other over faces without a common part, and edges that lie along each other."""
    rng = np.random.default_rng(41)
    hulls = bodies(rng)
    table = pack_hulls(hulls)
    single = 0
    for _ in range(150):
        i, j = (int(k) for k in rng.integers(0, len(hulls), 2))
        R, Q, r = rotation(rng), rotation(rng), 9.0 * direction(rng)
        away = find(table, i, R, j, Q, r)
        r = r - (away.d - rng.choice((0.0, 1e-4, -1e-3))) * np.array(away.n)
        points = contact(table, i, R, j, Q, r, 0.1)
        names = set(zip(points.feature_a.tolist(), points.feature_b.tolist()))
        assert len(names) == len(points)
        ways = np.linalg.norm(points.a[:, None] - points.a, axis=2)
        assert (ways + np.eye(len(points))).min() > EPS
        single += len(points) == 1
    assert single > 5
