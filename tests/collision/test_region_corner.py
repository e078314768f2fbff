"""Faces that have no more than a place in common: what rounding makes of it is one point (I-091, I-092)."""

import numpy as np
from convex_samples import PAIR, few, random_rotations
from region_samples import regions

from gelenk.collision.manifold import POINT
from gelenk.collision.region import free_name
from gelenk.collision.solid import TRIANGLE


def corner_on_a_side(rng):
    """Two triangles in one plane, a corner of B on a side of A, the rest of B beyond it."""
    A, B = rng.normal(size=(3, 2)), np.zeros((3, 2))
    e = A[2] - A[1]
    out = np.array((e[1], -e[0]))
    if out @ (A[0] - A[1]) > 0:
        out = -out
    B[0] = A[1] + rng.random() * e
    B[1:] = B[0] + rng.uniform(0.2, 1, (2, 1)) * out + rng.normal(size=(2, 1)) * e
    return A, B


def test_a_corner_of_a_triangle_on_a_side_of_another_has_no_two_points_in_one_place():
    rng = np.random.default_rng(3)
    pairs = np.zeros(few(200, 40), PAIR)
    pairs["kind"] = TRIANGLE
    pairs["r"] = rng.normal(size=(len(pairs), 3))
    for pair, Q in zip(pairs, random_rotations(rng, len(pairs)), strict=True):
        A, B = corner_on_a_side(rng)
        pair["R"][0] = Q[:, :2] @ A.T
        pair["R"][1] = Q[:, :2] @ B.T - pair["r"][:, None]
    for points in regions(pairs, margin=0.05):
        apart = np.linalg.norm(points.a[:, None] - points.a, axis=2) + np.eye(len(points))
        assert apart.min() > 1e-6
        assert len({(p.feature_a, p.feature_b) for p in points}) == len(points)


def test_places_of_one_name_get_four_names():
    """Two sides that lie along each other cross twice, and the closest points may be there before."""
    out = np.zeros(4, POINT).view(np.recarray)
    for k in range(4):
        out[k].feature_a, out[k].feature_b = free_name(out, k, 5, 3, 6, 7)
    assert [(p.feature_a, p.feature_b) for p in out] == [(5, 3), (6, 7), (5, 7), (6, 3)]
