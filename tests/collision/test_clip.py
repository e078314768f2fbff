"""Cutting polygons, and choosing points that stand for many."""

from __future__ import annotations

import numpy as np

from gelenk.collision.clip import cut, spread
from gelenk.collision.manifold import MOST, new_points


def polygon_area(p):
    x, y = p[:, 0], p[:, 1]
    return 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))


def flat(places, depths):
    out = new_points(max(MOST, len(places)))
    out.a[: len(places), :2] = places
    out.d[: len(places)] = depths
    out.feature_a[: len(places)] = np.arange(len(places))
    return out


def test_a_square_is_cut_at_a_line():
    square = np.array([[1, 1, 0, 0], [-1, 1, 2, 1], [-1, -1, 2, 2], [1, -1, 0, 3]], float)
    out = np.zeros((8, 4))
    assert cut(square, 4, 1.0, 0.0, 0.5, 7.0, out) == 4
    assert abs(polygon_area(out[:4]) - 3.0) < 1e-15
    assert np.allclose(out[:4, 2], 1 - out[:4, 0])  # heights stay on the plane
    assert sorted(out[:4, 3]) == [0, 1, 2, 7]  # the right edge gave way to the line
    assert cut(square, 4, 1.0, 0.0, 2.0, 7.0, out) == 4
    assert cut(square, 4, 1.0, 0.0, -2.0, 7.0, out) == 0


def test_both_sides_of_a_cut_add_up():
    rng = np.random.default_rng(41)
    one, two = np.zeros((12, 4)), np.zeros((12, 4))
    for _ in range(200):
        angle = np.sort(rng.uniform(0, 2 * np.pi, 7))
        p = np.zeros((7, 4))
        p[:, 0], p[:, 1], p[:, 2] = np.cos(angle), np.sin(angle), rng.normal()
        (x, y), c = rng.normal(size=2), rng.normal() * 0.5
        m, k = cut(p, 7, x, y, c, 1.0, one), cut(p, 7, -x, -y, -c, 1.0, two)
        assert m <= 8
        assert k <= 8
        both = sum(polygon_area(q[:n]) if n else 0.0 for q, n in ((one, m), (two, k)))
        assert abs(both - polygon_area(p)) < 1e-14
        assert (one[:m, :2] @ (x, y) <= c + 1e-14).all()


def test_deepest_is_kept_and_comes_first():
    rng = np.random.default_rng(42)
    for _ in range(200):
        count = rng.integers(1, 9)
        depths = rng.normal(size=count)
        out = flat(rng.normal(size=(count, 2)), depths)
        kept = spread(out, count, 1.0)
        assert out.d[0] == depths.min()
        assert kept == min(kept, 4, count)
        for k in range(kept):  # rows stay whole
            assert out.d[k] == depths[out.feature_a[k]]


def test_four_of_a_convex_ring_hold_most_of_its_area():
    """Against the best four of all that hold the deepest: the worst of these samples keeps 0.7 of it."""
    from itertools import combinations

    rng = np.random.default_rng(43)
    for _ in range(100):
        angle = np.sort(rng.uniform(0, 2 * np.pi, 8))
        ring = np.c_[np.cos(angle), np.sin(angle)] * (1.0, 0.5)
        depths = rng.normal(size=8)
        best = max(polygon_area(ring[list(c)]) for c in combinations(range(8), 4) if depths.argmin() in c)
        out = flat(ring, depths)
        kept = np.sort(out.feature_a[: spread(out, 8, 1.0)])
        assert polygon_area(ring[kept]) > 0.7 * best


def test_twins_are_one():
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    out = flat(np.concatenate([square, square + 1e-12]), np.zeros(8))
    assert spread(out, 8, 1.0) == 4
    assert set(out.feature_a[:4] % 4) == {0, 1, 2, 3}
    out = flat([(0, 0), (0, 1e-12)], (0, 0))
    assert spread(out, 2, 1.0) == 1
    out = flat([(0, 0), (1, 0), (1, 1e-12)], (0, 0, 0))
    assert spread(out, 3, 1.0) == 2
