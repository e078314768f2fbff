"""Closest points of segments, boxes and triangles against dense searches."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import segments_distance

from gelenk.collision.closest import (
    perpendicular,
    point_segment,
    point_triangle,
    segment_box,
    segment_segment,
    segment_triangle,
)
from gelenk.math.vec3 import Vec3, vec3


def ends(middle, half):
    return np.array([middle - half, middle + half])


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, 1e-9, 1e-12, 0.0])
def test_segments(angle):
    """From crossed to parallel, against all ends and all crossings."""
    rng = np.random.default_rng(51)
    for _ in range(200):
        h, r = rng.normal(size=(2, 3))
        g = rng.normal() * h + angle * rng.normal(size=3)
        r *= rng.choice([1e-3, 1.0])
        x, y = segment_segment(vec3(h), vec3(r), vec3(g))
        assert max(abs(x), abs(y)) <= 1
        d = np.linalg.norm(r + y * g - x * h)
        assert d <= segments_distance(ends(0 * r, h), ends(r, g)) + 1e-12


def test_segments_without_length():
    zero, r = Vec3(0.0, 0.0, 0.0), Vec3(1.0, 2.0, 3.0)
    assert segment_segment(zero, r, zero)
    assert segment_segment(Vec3(2.0, 0.0, 0.0), r, zero)[0] == 0.5
    assert segment_segment(zero, r, Vec3(2.0, 0.0, 0.0))[1] == -0.5
    assert point_segment(r, zero) == 0


@pytest.mark.parametrize("angle", [1.0, 1e-4, 1e-8, 0.0])
def test_segment_and_box(angle):
    """The slope of the squared distance, which is convex, changes its sign at the place found."""
    rng = np.random.default_rng(52)
    for _ in range(300):
        size, p = rng.uniform(0.1, 1, 3), 2 * rng.normal(size=3)
        h = np.eye(3)[rng.integers(3)] * rng.normal() + angle * rng.normal(size=3)
        t = segment_box(vec3(p), vec3(h), vec3(size))
        assert -1 <= t <= 1

        def far(t, p=p, h=h, size=size):
            x = p + np.multiply.outer(t, h)
            return np.linalg.norm(x - np.clip(x, -size, size), axis=-1)

        near = np.clip(t + np.r_[0, np.logspace(-9, 0, 30), -np.logspace(-9, 0, 30)], -1, 1)
        assert far(t) <= far(np.concatenate([near, np.linspace(-1, 1, 201)])).min() + 1e-14


def test_point_and_triangle():
    """No point of a grid on the triangle is closer; the closest one is of the triangle."""
    rng = np.random.default_rng(53)
    u, v = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    u, v = u[u + v <= 1 + 1e-9], v[u + v <= 1 + 1e-9]
    for _ in range(200):
        a, b, c = rng.normal(size=(3, 3))
        if rng.uniform() < 0.3:
            c = a + rng.uniform(-1, 2) * (b - a) + 1e-7 * rng.normal(size=3)  # a sliver
        p = 2 * rng.normal(size=3)
        foot, feature = point_triangle(*(vec3(x) for x in (p, a, b, c)))
        foot = np.array(foot)
        grid = a + np.multiply.outer(u, b - a) + np.multiply.outer(v, c - a)
        assert np.linalg.norm(foot - p) <= np.linalg.norm(grid - p, axis=1).min() + 1e-12
        assert (np.array([a, b, c]) @ (p - foot)).max() <= np.dot(foot, p - foot) + 1e-7
        assert 0 <= feature <= 6


def test_segment_and_triangle():
    """Against a dense search over the segment; a segment that passes through is at distance zero."""
    rng = np.random.default_rng(54)
    through = 0
    for _ in range(200):
        a, b, c, h = rng.normal(size=(4, 3))
        p = rng.normal(size=3)
        corners = [vec3(x) for x in (a, b, c)]
        t, foot, feature = segment_triangle(vec3(p), vec3(h), *corners)
        d = np.linalg.norm(p + t * h - foot)
        line = [vec3(x) for x in p + np.outer(np.linspace(-1, 1, 101), h)]
        dense = min((x - point_triangle(x, *corners)[0]).norm() for x in line)
        assert -1 <= t <= 1
        assert d <= dense + 1e-12
        assert d >= dense - 0.01 * np.linalg.norm(h)  # half a step of the search
        through += d < 1e-12
        if d < 1e-12:
            assert feature == 6
    assert through > 5


def test_perpendicular():
    rng = np.random.default_rng(55)
    for v in [*rng.normal(size=(20, 3)), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, 0)]:
        w = np.array(perpendicular(vec3(v)))
        assert abs(w @ w - 1) < 1e-14
        assert abs(w @ v) < 1e-14
