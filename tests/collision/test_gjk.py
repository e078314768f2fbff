"""Distances of convex solids apart: closed forms, all features of polyhedra, bounds that prove themselves."""

import itertools
import math

import numpy as np
import pytest
from convex_samples import (
    CUBE,
    exhaustive_hulls,
    features,
    few,
    find,
    hull_table,
    lengths,
    moved,
    pair,
    random_pairs,
    random_rotations,
    reach,
    scaled,
    separation,
    swapped,
)

from gelenk.collision.gjk import climb, nearest_on_triangle, new_convex_work
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE, farthest_vertex
from gelenk.math.vec3 import vec3

KINDS = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
EPS = np.finfo(float).eps
APART = 1e-12  # part of the sizes: some rounding of supports, and the gap of curved pairs


def turn(axis, angle):
    """Rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def check(found, d, n=None, a=None, tolerance=1e-14):
    """Compare one result with what is known."""
    assert found.d[0] == pytest.approx(d, abs=tolerance)
    if n is not None:
        np.testing.assert_allclose(found.n[0], n, atol=tolerance)
    if a is not None:
        np.testing.assert_allclose(found.a[0], a, atol=tolerance)


@pytest.mark.parametrize("distance", [1e-9, 0.5, 2.0, 3.0, 1e4])
def test_balls_apart_and_overlapping(distance):
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    found = find(pair(SPHERE, (1, 0, 0), SPHERE, (2, 0, 0), distance * n))
    # direction of a way of this length: rounding of its components only
    check(found, distance - 3.0, n, n, tolerance=4 * EPS * max(distance, 3.0))


def test_ball_near_face_edge_and_corner_of_a_box():
    for c in itertools.product((-3.0, -0.5, 0.0, 0.7, 4.0), repeat=3):
        c = np.array(c)
        foot = np.clip(c, -1.0, 1.0)
        way = c - foot
        if np.linalg.norm(way) > 0:
            found = find(pair(BOX, (1, 1, 1), SPHERE, (0.25, 0, 0), c))
            check(found, np.linalg.norm(way) - 0.25, way / np.linalg.norm(way), foot, tolerance=8 * EPS * 6)


def test_capsules_crossed_parallel_and_end_to_end():
    along_x = turn((0, 1, 0), math.pi / 2)
    crossed = pair(CAPSULE, (0.2, 0, 1), CAPSULE, (0.3, 0, 1), (0, 2, 0), R_b=along_x)
    check(find(crossed), 1.5, (0, 1, 0), (0, 0.2, 0), tolerance=1e-15)
    parallel = pair(CAPSULE, (0.2, 0, 1), CAPSULE, (0.3, 0, 1), (0, 0.4, 0.5))
    found = find(parallel)
    check(found, -0.1, (0, 1, 0), tolerance=1e-15)
    assert -0.5 <= found.a[0, 2] <= 1.0  # anywhere in the common part
    check(
        find(pair(CAPSULE, (0.2, 0, 1), CAPSULE, (0.3, 0, 1), (0, 0, 3))), 0.5, (0, 0, 1), (0, 0, 1.2), tolerance=1e-15
    )


def test_boxes_by_face_edge_and_corner():
    size = (1, 2, 3)
    check(find(pair(BOX, size, BOX, size, (2.5, 0.3, -0.4))), 0.5, (1, 0, 0), tolerance=1e-15)
    check(find(pair(BOX, size, BOX, size, (2 + 3, 4 + 4, 0.5))), 5, (0.6, 0.8, 0), tolerance=4e-15)
    check(find(pair(BOX, size, BOX, size, (2 + 2, 4 + 3, 6 + 6))), 7, np.array((2, 3, 6)) / 7, size, tolerance=8e-15)
    # edge across edge: both boxes stand on an edge, turned by a right angle to each other
    on_edge = turn((1, 0, 0), math.pi / 4)
    across = turn((0, 0, 1), math.pi / 2) @ on_edge
    found = find(pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (0.1, -0.2, 3.0), on_edge, across))
    check(found, 3 - 2 * math.sqrt(2), (0, 0, 1), (0.1, 0, math.sqrt(2)), tolerance=4e-15)
    # corner over a face
    on_corner = turn((1 / math.sqrt(2), -1 / math.sqrt(2), 0), math.acos(1 / math.sqrt(3)))
    found = find(pair(BOX, (5, 5, 1), BOX, (1, 1, 1), (0.3, 0.4, 3.0), None, on_corner))
    check(found, 2 - math.sqrt(3), (0, 0, 1), tolerance=4e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_any_solid_over_a_wide_box_is_as_high_as_its_lowest_point(kind):
    rng = np.random.default_rng(kind)
    hulls = hull_table([rng.normal(size=(15, 3))])
    pairs = random_pairs(rng, 50, (BOX, kind))
    pairs["R"][:, 0], pairs["size"][:, 0] = np.eye(3), (50, 50, 1)
    pairs["r"] = np.array((0, 0, 8)) + rng.uniform(-1, 1, (50, 3))
    found = find(pairs, hulls)
    down = np.array((0, 0, -1.0))
    low = [p["r"][2] - 1 - reach(kind, p["size"][1], p["R"][1], down, hulls.vertex) for p in pairs]
    np.testing.assert_allclose(found.d, low, atol=APART * 50)
    # a normal off by t costs d t^2 / 2, so the gap leaves it this much
    np.testing.assert_allclose(found.n, np.tile(-down, (50, 1)), atol=math.sqrt(2 * APART))


@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(KINDS, 2)))
def test_bounds_meet(kinds):
    """The ways found are ways between points of the solids, and no plane between them would do with more room."""
    rng = np.random.default_rng(kinds)
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = random_pairs(rng, few(60, 10), kinds, 5, far=(1.0, 2.0, 4.0))
    found = find(pairs, hulls)
    size = lengths(pairs)
    apart = found.d > 0
    assert apart.sum() >= few(10, 2)
    np.testing.assert_array_less(np.abs(separation(hulls, pairs, found.n) - found.d)[apart], APART * size[apart])
    for p, n, a, d, s in zip(pairs, found.n, found.a, found.d, size, strict=True):
        if d > 0:
            b = a + d * n - p["r"]
            vertices = [features(hulls, t)[0] for t in p["table"]]
            assert n @ a == pytest.approx(reach(kinds[0], p["size"][0], p["R"][0], n, vertices[0]), abs=APART * s)
            assert -n @ b == pytest.approx(reach(kinds[1], p["size"][1], p["R"][1], -n, vertices[1]), abs=APART * s)


def random_hulls(rng, count):
    """Fat ones, discs and needles of 4 to 12 points."""
    return hull_table(
        [rng.normal(size=(rng.integers(4, 13), 3)) * rng.choice([1, 1, 0.1, 0.01], 3) for _ in range(count)]
    )


def test_hulls_against_all_pairs_of_features():
    rng = np.random.default_rng(1)
    hulls = random_hulls(rng, 30)
    pairs = random_pairs(rng, few(400, 60), (HULL, HULL), 30, far=(0.5, 1.0, 2.0))
    found, known = find(pairs, hulls), exhaustive_hulls(hulls, pairs)
    # the reference loses digits where edges are nearly parallel, by its limit of 1e-12 for a determinant
    np.testing.assert_allclose(found.d, known, atol=1e-11)
    np.testing.assert_array_less(np.abs(separation(hulls, pairs, found.n) - found.d), 1e-14 * 10)


def test_needles_and_slivers():
    rng = np.random.default_rng(2)
    thin = [rng.normal(size=(10, 3)) * (1, w, h) for w in (1.0, 1e-3, 1e-6) for h in (1e-3, 1e-6, 1e-9)]
    hulls = hull_table([*thin, CUBE])
    for kind in KINDS:
        pairs = random_pairs(rng, few(40, 15), (HULL, kind), len(thin) + 1, far=(0.3, 1.0, 2.0))
        pairs["size"][:, 1, :2] *= 1e-6
        found = find(pairs, hulls)
        apart = found.d > 0
        assert apart.sum() > few(10, 3)
        gap = np.abs(separation(hulls, pairs, found.n) - found.d)
        np.testing.assert_array_less(gap[apart], APART * (1 + lengths(pairs))[apart])


def test_thin_triangles_keep_their_digits():
    """v is nearest if and only if no corner lies nearer along v: v . p >= v . v."""
    rng = np.random.default_rng(3)
    for thin in 10.0 ** np.arange(0.0, -16.0, -1.0):
        for _ in range(40):
            p, q = rng.normal(size=(2, 3))
            s = p + (q - p) * rng.uniform(-0.5, 1.5) + thin * rng.normal(size=3)
            v, *weights = nearest_on_triangle(vec3(p), vec3(q), vec3(s))
            v, corners = np.array(v), np.array([p, q, s])
            assert min(weights) >= 0
            assert sum(weights) == pytest.approx(1, abs=4 * EPS)
            size = np.abs(corners).max()
            np.testing.assert_allclose(np.array(weights) @ corners, v, atol=8 * EPS * size)
            # across a triangle as thin as h its edges leave v off by eps d / h, which costs its square over d
            assert (corners @ v - v @ v).min() >= -64 * EPS * size * size


def test_changing_over_turning_and_scaling():
    rng = np.random.default_rng(4)
    hulls = random_hulls(rng, 5)
    count = few(300, 60)
    kinds = rng.integers(0, 8, (count, 2))
    pairs = random_pairs(rng, count, kinds, 5, far=(1.0, 2.0, 4.0))
    found, size = find(pairs, hulls), lengths(pairs) + 3
    apart = found.d > 0
    over = find(swapped(pairs), hulls)
    np.testing.assert_array_less(np.abs(over.d - found.d)[apart], APART * size[apart])
    np.testing.assert_array_less(np.abs(over.n + found.n)[apart].max(1) * np.sqrt(found.d[apart]), 1e-6 * size[apart])
    Q = random_rotations(rng, count)
    turned = find(moved(pairs, Q), hulls)
    np.testing.assert_array_less(np.abs(turned.d - found.d)[apart], APART * size[apart])
    sized = pairs[(kinds != HULL).all(1)]
    plain = find(sized, hulls)
    apart = plain.d > 0
    for factor in (1e-3, 1e4):
        other = find(scaled(sized, factor), hulls)
        np.testing.assert_array_less(np.abs(other.d / factor - plain.d)[apart], APART * lengths(sized)[apart])


def test_any_guess_and_any_start_of_climbing_give_the_same():
    rng = np.random.default_rng(5)
    hulls = hull_table([rng.normal(size=(40, 3)) for _ in range(4)])
    count = few(60, 20)
    pairs = random_pairs(rng, count, (HULL, HULL), 4, far=(1.0, 3.0, 5.0))
    plain, work = find(pairs, hulls), new_convex_work()
    for guess in (plain.n, -plain.n, rng.normal(size=(count, 3))):
        for climbing in (False, True):
            found = find(pairs, hulls, guess, work, climbing)
            np.testing.assert_allclose(found.d, plain.d, atol=1e-14 * 10)
    for _ in range(few(200, 60)):
        u = vec3(rng.normal(size=3))
        table = rng.integers(0, 4)
        top = farthest_vertex(hulls, table, u)
        for start in range(hulls.hull[table].vertex_first, hulls.hull[table].vertex_last):
            assert climb(hulls, table, u, start) == top


def test_far_solids_lose_no_digits():
    """Nothing is squared that would overflow, and a way of 10 km between solids of 1 mm is right to rounding."""
    found = find(pair(BOX, (1e-3, 1e-3, 1e-3), BOX, (1e-3, 1e-3, 1e-3), (6e3, 0, 8e3)))
    corner = np.array((6e3 - 2e-3, 0, 8e3 - 2e-3))
    check(found, np.linalg.norm(corner), corner / np.linalg.norm(corner), tolerance=8 * EPS * 1e4)
