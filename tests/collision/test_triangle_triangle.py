"""Two triangles (V-25, I-088): closest parts in closed form, right also if others are remembered."""

from __future__ import annotations

import numpy as np
import pytest
from convex_samples import few
from table_samples import find, lengths, random_pairs

from gelenk.collision.manifold import NONE, new_memory
from gelenk.collision.narrow.triangle_triangle import part_of
from gelenk.collision.solid import TRIANGLE

MARGIN = 0.5
N, G, P = np.array((0, -0.6, 0.8)), np.array((0.1, 0.4, 0.3)), np.array((0.3, -0.06, 0.08))  # G . N = 0, P: 0.1 N aside
BASE = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0.0)])
# corners of B, parts of A and B, distance, normal: over the face, beside an edge, a corner
CASES = {
    "corner on face": ([(0.2, 0.3, 0.1), (0.3, 0.2, 1), (0.1, 0.4, 1)], (6, 0), 0.1, (0, 0, 1)),
    "corner by edge": ([(0.3, -1, 1), (0.4, -0.1, 0), (0.2, -1, -1)], (3, 1), 0.1, (0, -1, 0)),
    "corner by corner": ([(-2, -1, 1), (-1, -2, 1), (-0.1, -0.1, 0.1)], (0, 2), 0.03**0.5, (-1, -1, 1)),
    "edge by edge": ([P + G, P + N, P - G], (3, 5), 0.1, N),
    "face over corner": ([(-0.3, -0.3, -0.1), (2, -1, -0.1), (-1, 2, -0.1)], (6, 6), 0.1, (0, 0, -1)),
}


def triangles(corners):
    """The base and another one, as a pair of the table's samples."""
    pairs = random_pairs(np.random.default_rng(1), 1, (TRIANGLE, TRIANGLE))
    pairs["r"] = (0.2, -0.1, 0.3)
    pairs["R"][0, 0], pairs["R"][0, 1] = BASE.T, (np.array(corners) - pairs["r"]).T
    return pairs


@pytest.mark.parametrize("name", CASES)
def test_closest_parts_in_closed_form(name):
    corners, parts, d, n = CASES[name]
    pairs, memory = triangles(corners), new_memory(1)
    first = find(pairs, MARGIN, memory).deepest
    assert tuple(memory.features[0]) == parts
    for remembered in (parts, (0, 0), (1, 5), (4, 2), (6, 1), (2, 6), (3, 3), (6, 6), (NONE, NONE)):
        memory.features[0] = remembered
        again = find(pairs, MARGIN, memory).deepest
        # round-off of coordinates of 1
        np.testing.assert_allclose((first.d[0], again.d[0]), d, atol=1e-15)
        np.testing.assert_allclose(again.n[0], np.array(n) / np.linalg.norm(n), atol=1e-14)


def test_parts_by_heights():
    assert [part_of(*x, 1e-9) for x in ((1, 0, 0), (0, 1, 0), (0, 0, 1))] == [0, 1, 2]
    assert [part_of(*x, 1e-9) for x in ((1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1))] == [3, 4, 5, 6]


def test_motion_with_memory_is_as_without():
    """From apart into an overlap and on: distances, and names of points, as of a pair that remembers nothing."""
    rng = np.random.default_rng(2)
    count = few(200, 15)
    pairs = random_pairs(rng, count, (TRIANGLE, TRIANGLE))
    way, memory, L = rng.normal(size=(count, 3)) * 0.01, new_memory(count), lengths(pairs)
    d = []
    for _ in range(12):
        own, anew = find(pairs, np.inf, memory), find(pairs)
        np.testing.assert_allclose(own.deepest.d / L, anew.deepest.d / L, atol=1e-12)
        np.testing.assert_array_equal(own.counts, anew.counts)
        d.append(own.deepest.d)
        pairs["r"] += way
    d = np.array(d)
    assert ((d[1:] < 0) != (d[:-1] < 0)).any()
