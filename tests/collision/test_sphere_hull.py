"""Sphere against hull: the nearest feature of the hull, by a walk from the last one."""

import math

import numpy as np
import pytest
from hull_samples import ball, bodies, direction, rotation, solid

from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.manifold import new_memory, new_points
from gelenk.collision.narrow.sphere_hull import sphere_hull
from gelenk.collision.query.nearest_hull import nearest_on_hull
from gelenk.collision.solid import SPHERE
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.collision.vclip_features import EDGE, FACE, NONE, VERTEX
from gelenk.collision.vclip_point import nearest_feature
from gelenk.compile import ENABLED, kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box
from gelenk.math.vec3 import Vec3, get3, put3, vec3

EPS = 1e-14  # of bodies of size 1: some roundings


def thin(rng):
    """Needles and slivers, 1 : 1000 and 1 : 10000."""
    return [ConvexHull(rng.normal(size=(30, 3)) * s) for s in ((1.0, 1e-3, 1e-3), (1.0, 1.0, 1e-4))]


@kernel
def nearest_all(hulls, tables, points, starts, d, n):
    for i in range(len(d)):
        near = nearest_feature(hulls, np.int64(tables[i]), get3(points, i), starts[i])
        d[i] = near.d
        put3(n, i, near.n)


@kernel
def nearest_by_faces(hulls, tables, points, d):
    for i in range(len(d)):
        d[i] = nearest_on_hull(hulls, np.int64(tables[i]), get3(points, i))[0]


def placed_points(rng, hulls, count):
    """Around, inside and on the hulls: which hull, where."""
    tables = rng.integers(0, len(hulls), count)
    points = np.zeros((count, 3))
    for k, i in enumerate(tables):
        v = hulls[i].vertices
        points[k] = rng.normal(size=3) * rng.choice((0.01, 0.3, 1.0, 3.0)) * (np.abs(v).max(axis=0) if k % 2 else 1.0)
        if k % 4 == 0:  # at a vertex, on an edge, on a face or shallow inside; touching, or off by little
            on = rng.permutation(len(v))[: rng.integers(1, 5)]
            points[k] = rng.dirichlet(np.ones(len(on))) @ v[on] * rng.choice((1.0, 1.0 + 1e-9, 1.0 - 1e-9))
    return tables.astype(np.uint32), points


def any_starts(rng, table, tables):
    """Features to begin with, or none."""
    h, kind = table.hull[tables], rng.integers(0, 4, len(tables))
    starts = np.full(len(tables), NONE, np.uint32)
    for k, part in enumerate(("vertex", "edge", "face")):
        first, last = h[f"{part}_first"].astype(int), h[f"{part}_last"].astype(int)
        starts = np.where(kind == k, 4 * rng.integers(first, last) + k, starts).astype(np.uint32)
    return starts


def check_walk(seed, count):
    """Distance that of all faces, from any start; no plane across n is farther off."""
    rng = np.random.default_rng(seed)
    hulls = [*bodies(rng), ball(60, rng), *thin(rng)]
    table = pack_hulls(hulls)
    tables, points = placed_points(rng, hulls, count)
    d, n, exact = np.zeros(count), np.zeros((count, 3)), np.zeros(count)
    nearest_all(table, tables, points, any_starts(rng, table, tables), d, n)
    nearest_by_faces(table, tables, points, exact)
    size = np.array([np.abs(h.vertices).max() for h in hulls])[tables] + np.abs(points).max(axis=1)
    np.testing.assert_array_less(np.abs(d - exact), 4 * EPS * size)
    np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1.0, atol=EPS)
    for i, hull in enumerate(hulls):
        own = tables == i
        gap = (points[own] * n[own]).sum(axis=1) - (n[own] @ hull.vertices.T).max(axis=1)
        # n is known to some roundings of the coordinates over the length of the way
        turned = EPS * size[own] * np.minimum(size[own] / np.maximum(np.abs(d[own]), 1e-300), 1e12)
        assert (np.abs(gap - d[own]) < turned + 1e-12 * size[own]).all()
    assert min((exact < 0).mean(), (exact > 0).mean()) > 0.2


def test_distance_is_that_of_all_faces_from_any_start():
    """H-63, H-64, H-66: outside and inside, on features, needles and slivers."""
    check_walk(1, 3000 if ENABLED else 800)


@pytest.mark.proof
def test_a_million_points():
    for seed in range(10):
        check_walk(10 + seed, 100_000)


def contact(table, B, r, radius, memory=None, margin=1.0):
    tables = new_tables()._replace(hulls=table)
    out, A = new_points(), solid(0)._replace(kind=SPHERE, size=Vec3(radius, 0.0, 0.0))
    memory = new_memory()[0] if memory is None else memory
    count = sphere_hull(A, B, vec3(r), margin, tables, memory, new_narrow_work(tables), out)
    return out[:count].copy()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize(
    ("centre", "distance", "outward", "kind"),
    [
        ((0.1, 0.2, 0.8), 0.3, (0, 0, 1), FACE),
        ((0.8, 0.1, 0.9), 0.5, (0.6, 0, 0.8), EDGE),
        ((0.7, 0.7, 0.6), 0.3, (2 / 3, 2 / 3, 1 / 3), VERTEX),
        ((0.1, 0.4, 0.0), -0.1, (0, 1, 0), FACE),
        ((0.1, 0.2, -0.5), 0.0, (0, 0, -1), FACE),
        ((0.5 + 1e-9, 0.1, 0.0), 1e-9, (1, 0, 0), FACE),
    ],
)
def test_unit_box(scale, centre, distance, outward, kind):
    """Closed forms, from millimetres to ten kilometres; centre outside, inside and on the surface."""
    table, radius = pack_hulls([box_hull(Box((scale, scale, scale)))]), 0.25 * scale
    rng = np.random.default_rng(2)
    for _ in range(5):
        R = rotation(rng)
        (point,) = contact(table, solid(0, R), -scale * R @ centre, radius, margin=scale)
        assert point.d == pytest.approx(scale * distance - radius, abs=2e-15 * scale)
        np.testing.assert_allclose(-R.T @ point.n, outward, atol=1e-14)
        np.testing.assert_allclose(point.a, radius * point.n, atol=2e-15 * scale)
        np.testing.assert_allclose(point.b - point.a + -scale * R @ centre, point.d * point.n, atol=2e-15 * scale)
        assert point.feature_b & 3 == kind


def test_path_with_memory_and_margin():
    """H-66, V-24: into the hull and out again, with memory as without; d changes by no more than the way."""
    rng = np.random.default_rng(3)
    hull = ball(100, rng)
    table, memory, R = pack_hulls([hull]), new_memory()[0], rotation(rng)
    way, before, counts = direction(rng), None, []
    for s in np.linspace(-1.6, 1.6, 65):
        r = R @ (s * way + (0.1, 0.2, 0.0))
        warm, cold = contact(table, solid(0, R), r, 0.2, memory, 0.1), contact(table, solid(0, R), r, 0.2, None, 0.1)
        assert len(warm) == len(cold)
        counts.append(len(warm))
        if len(warm):
            assert warm[0].d == pytest.approx(cold[0].d, abs=EPS)
            assert warm[0].d <= 0.1
            assert before is None or abs(warm[0].d - before) <= 3.2 / 64 + EPS
            before = warm[0].d
    assert counts[0] == counts[-1] == 0
    assert math.isclose(sum(counts), 45, abs_tol=10)
