"""Depth of two triangles by the faces of their difference (V-25), beside every feature looked at."""

import numpy as np
import pytest
from convex_samples import few, find, pair, random_pairs, separation, widest_gap
from region_samples import regions

from gelenk.collision.solid import TRIANGLE, Solid
from gelenk.collision.triangle_depth import triangle_depth
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, vec3

EDGES, FACE = np.array([[0, 1], [1, 2], [2, 0]]), np.array([[0, 1, 2]])


def way_out(p):
    """Of one pair."""
    A, B = (Solid(TRIANGLE, 0, get33(p["R"], k), Vec3(0.0, 0.0, 0.0)) for k in range(2))
    return triangle_depth(A, B, vec3(p["r"]))


def reference(p):
    """Widest gap over all directions that count."""
    return widest_gap(p["R"][0].T, EDGES, FACE, p["R"][1].T + p["r"], EDGES, FACE)


def test_random_triangles():
    """The depth is that of the reference, the point of A lies on A and that of B on B; else a gap is shown."""
    pairs = random_pairs(np.random.default_rng(31), 60, (TRIANGLE, TRIANGLE), far=(0.1, 0.5))
    sure = 0
    for p in pairs:
        way, gap = way_out(p), reference(p)
        if gap > 0:  # along n they are apart, if not by as much as can be
            assert 0.0 < way.d <= gap + 1e-13
            assert separation(None, [p], [np.array(way.n)])[0] == pytest.approx(way.d, abs=1e-13)
        else:
            assert way.d == pytest.approx(gap, abs=1e-13)
            sure += way.sure
        if way.sure:
            b = np.array(way.a) + way.d * np.array(way.n) - p["r"]
            for corners, x in ((p["R"][0], np.array(way.a)), (p["R"][1], b)):
                weights = np.linalg.lstsq(np.vstack([corners, np.ones(3)]), np.append(x, 1.0), rcond=None)[0]
                np.testing.assert_allclose(corners @ weights, x, atol=1e-12)
                assert weights.min() > -1e-12
    assert sure > 10


def test_parallel_edges_and_triangles_without_area_are_left_to_the_polytope():
    flat = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0.0]])
    across = np.array([[0.2, 0.25, 0.2], [0.2, 0.2, 0.3], [-1, 1, 0.5]])
    along = np.array([[0.1, 0.6, 0.3], [0.2, 0.2, 0.2], [-1, -1, 1.0]])  # one edge as the first of the other
    line = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [-1, 0, 1.0]])
    assert way_out(pair(TRIANGLE, (0, 0, 0), TRIANGLE, (0, 0, 0), (0, 0, 0), flat, across)[0]).sure
    for other in (along, line):
        p = pair(TRIANGLE, (0, 0, 0), TRIANGLE, (0, 0, 0), (0, 0, 0), flat, other)
        assert not way_out(p[0]).sure
        assert find(p).d[0] == pytest.approx(reference(p[0]), abs=1e-13)


def test_the_pair_is_the_same_with_and_without_memory():
    """Through the routine of the pair, remembered normals included."""
    pairs = random_pairs(np.random.default_rng(33), few(200, 20), (TRIANGLE, TRIANGLE), far=(0.1, 0.5))
    gaps = np.array([reference(p) for p in pairs])
    points = regions(pairs, margin=10.0)
    overlap = gaps < 0
    assert 0.1 < overlap.mean() < 0.9
    d = np.array([q.d.min() for q in points])
    np.testing.assert_allclose(d[overlap], gaps[overlap], atol=1e-12)
    assert (d[~overlap] >= 0).all()
    n = np.array([q.n[0] for q in points])
    np.testing.assert_allclose(separation(None, pairs, n), d, atol=1e-12)
