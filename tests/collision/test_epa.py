"""Depth of convex solids that overlap or touch: closed forms, all directions of polyhedra, degenerate cores."""

import itertools

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
    widest_gap,
)

from gelenk.collision.gjk import new_convex_work
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE

KINDS = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
CURVED = (CYLINDER, CONE, ELLIPSOID)
DEPTH = 1e-6  # part of the depth and of the sizes: what the search promises for curved solids
FACES = 1e-13  # of polyhedra: rounding of planes
POLISHED = 1e-11  # of the sizes: rounding, and what one more step would still gain


def test_hulls_against_all_directions():
    """The depth of polyhedra is found along a normal of a face, or across two edges."""
    rng = np.random.default_rng(1)
    clouds = [rng.normal(size=(rng.integers(4, 13), 3)) * rng.choice([1, 1, 0.1, 0.01], 3) for _ in range(30)]
    hulls = hull_table(clouds)
    count = few(500, 60)
    pairs = random_pairs(rng, count, (HULL, HULL), 30, far=(0.01, 0.1, 0.3))
    found, known = find(pairs, hulls), exhaustive_hulls(hulls, pairs)
    inside = known < 0
    assert inside.sum() > 0.4 * count
    np.testing.assert_array_equal(np.sign(found.d), np.sign(known))
    np.testing.assert_allclose(found.d[inside], known[inside], atol=10 * FACES)
    assert found.bound.max() < 10 * FACES


def boxes_on_a_lattice(rng, count):
    """Boxes with faces, edges and corners that coincide, parallel to rounding, or nearly so; in any attitude."""
    pairs = random_pairs(rng, count, (BOX, BOX))
    sizes = rng.choice([0.5, 1.0, 2.0], (count, 2, 3))
    sizes[count // 2 :] *= rng.choice([1.0, 1.0, 1e-3], (count - count // 2, 2, 3))
    quarter = [
        np.eye(3),
        np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]),
        np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]]),
    ]
    pairs["size"], pairs["R"] = sizes, np.array(quarter)[rng.integers(0, 3, (count, 2))]
    pairs["r"] = rng.integers(-6, 7, (count, 3)) * 0.25 * rng.choice([1.0, 0.5, 1e-3], (count, 1))
    tilt = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-16, -3, (count, 1))
    tilt[: 2 * count // 3] = 0
    x, y, z = tilt.T
    w = np.sqrt(1 - np.sum(tilt * tilt, 1))  # half a rotation vector is the vector part of the quaternion
    small = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    pairs["R"][:, 1] = small @ pairs["R"][:, 1]
    half = slice(count // 3, None, 2)
    pairs[half] = moved(pairs[half], random_rotations(rng, len(pairs[half])))
    return pairs


def test_boxes_with_parallel_faces():
    rng = np.random.default_rng(2)
    count = few(600, 90)
    pairs = boxes_on_a_lattice(rng, count)
    hulls = hull_table([CUBE * s for s in pairs["size"].reshape(-1, 3)])
    as_hulls = pairs.copy()
    as_hulls["kind"], as_hulls["table"] = HULL, np.arange(2 * count).reshape(count, 2)
    known = exhaustive_hulls(hulls, as_hulls)
    assert (np.abs(known) < 1e-14).sum() >= few(5, 1)  # some touch exactly
    inside = known < 1e-14
    for found in (find(pairs, hulls), find(as_hulls, hulls)):
        np.testing.assert_allclose(found.d[inside], known[inside], atol=10 * FACES)
        np.testing.assert_array_less(np.abs(separation(hulls, pairs, found.n) - found.d), 10 * FACES)
        # both points lie on the surfaces; faces tilted by t let them slide by t
        b = found.a + found.d[:, None] * found.n - pairs["r"]
        for side, x in ((0, found.a), (1, b)):
            x = np.einsum("nji,nj->ni", pairs["R"][:, side], x)
            assert np.abs((np.abs(x) - pairs["size"][:, side]).max(1)).max() < DEPTH


@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(KINDS, 2)))
def test_depth_along_the_normal_and_from_both_sides(kinds):
    """Moved apart by its depth along n a pair touches; no shorter way is found with A and B changed over or turned."""
    rng = np.random.default_rng(kinds)
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    count = few(80, 6)
    pairs = random_pairs(rng, count, kinds, 5, far=(0.01, 0.1, 0.5))
    found = find(pairs, hulls)
    deep = found.d < 0
    assert deep.sum() >= few(5, 1)
    size = lengths(pairs)
    np.testing.assert_array_less(np.abs(separation(hulls, pairs, found.n) - found.d)[deep], POLISHED * size[deep])
    # rounding of polyhedra; of curved solids twice what the search promises
    limit = (2 * DEPTH if set(kinds) & set(CURVED) else 10 * FACES) * size
    for other in (find(swapped(pairs), hulls), find(moved(pairs, random_rotations(rng, count)), hulls)):
        np.testing.assert_array_less(np.abs(other.d - found.d), limit)
    apart = pairs.copy()
    apart["r"] -= found.n * found.d[:, None]
    np.testing.assert_array_less(np.abs(find(apart, hulls).d), 10 * limit)


@pytest.mark.parametrize("kind", KINDS)
def test_any_solid_sunk_into_a_wide_box(kind):
    """Its lowest point counts, since all other ways out are longer."""
    rng = np.random.default_rng(kind)
    hulls = hull_table([rng.normal(size=(15, 3))])
    count = few(60, 20)
    pairs = random_pairs(rng, count, (BOX, kind))
    pairs["R"][:, 0], pairs["size"][:, 0] = np.eye(3), (50, 50, 20)
    depth = 10.0 ** rng.uniform(-9, 0, count)
    down = np.array((0, 0, -1.0))
    for p, z in zip(pairs, depth, strict=True):
        p["r"] = (*rng.uniform(-1, 1, 2), 20 - z + reach(kind, p["size"][1], p["R"][1], down, hulls.vertex))
    found = find(pairs, hulls)
    np.testing.assert_allclose(found.d, -depth, atol=1e-11 * 50)
    # shallow, the depth says little of the direction: a tilt t costs t^2 times the radius of curvature
    np.testing.assert_allclose(found.n, np.tile(-down, (count, 1)), atol=1e-4)


def test_ball_inside_a_cylinder_near_its_axis():
    """All ways to the mantle are nearly the same, so that no polytope of a few points can tell them apart."""
    rng = np.random.default_rng(3)
    count = few(300, 10)
    pairs = random_pairs(rng, count, (SPHERE, CYLINDER), far=(0.001, 0.01, 0.1))
    pairs["size"] = rng.uniform(0.3, 2.0, (count, 2, 3))
    found = find(pairs)
    c = -np.einsum("nji,nj->ni", pairs["R"][:, 1], pairs["r"])
    radius, half = pairs["size"][:, 1, 0], pairs["size"][:, 1, 2]
    out = np.minimum(radius - np.hypot(c[:, 0], c[:, 1]), half - np.abs(c[:, 2]))
    np.testing.assert_allclose(found.d, -out - pairs["size"][:, 0, 0], atol=DEPTH)


def test_coincident_centres():
    check = [
        (SPHERE, (1, 0, 0), SPHERE, (2, 0, 0), -3),
        (SPHERE, (1, 0, 0), CAPSULE, (2, 0, 1), -3),
        (CAPSULE, (1, 0, 2), CAPSULE, (0.5, 0, 1), -1.5),
        (BOX, (1, 2, 3), BOX, (1, 2, 3), -2),
        (BOX, (1, 2, 3), SPHERE, (0.5, 0, 0), -1.5),
        (BOX, (1, 2, 3), CAPSULE, (0.5, 0, 9), -1.5),
        (ELLIPSOID, (1, 2, 3), BOX, (1, 1, 1), -2),
        (CYLINDER, (1, 0, 3), CYLINDER, (2, 0, 3), -3),
        (ELLIPSOID, (1, 2, 3), ELLIPSOID, (1, 2, 3), -2),
        (ELLIPSOID, (1, 1, 1), ELLIPSOID, (2, 2, 2), -3),
        (CONE, (3, 0, 1), CONE, (3, 0, 1), -1),
    ]
    for kind_a, size_a, kind_b, size_b, d in check:
        found = find(pair(kind_a, size_a, kind_b, size_b, (0, 0, 0)))
        assert found.d[0] == pytest.approx(d, abs=1e-11), (kind_a, kind_b)
        assert np.linalg.norm(found.n[0]) == pytest.approx(1, abs=1e-15)


def test_crossing_capsules_and_triangles_come_out_across_both():
    along_x = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]])
    found = find(pair(CAPSULE, (0.2, 0, 1), CAPSULE, (0.3, 0, 1), (0.5, 0, -0.25), R_b=along_x))
    assert found.d[0] == pytest.approx(-0.5, abs=1e-15)
    np.testing.assert_allclose(np.abs(found.n[0]), (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(found.a[0], 0.2 * found.n[0] + (0, 0, -0.25), atol=1e-15)
    # a triangle pierces another to a depth of 0.25
    flat = np.array([[-5, 5, 0], [-5, -5, 5], [0, 0, 0.0]])
    spike = np.array([[-1, 1, 0], [0, 0, 0], [2, 2, -0.25]])
    found = find(pair(TRIANGLE, (0, 0, 0), TRIANGLE, (0, 0, 0), (0, 0, 0), flat, spike))
    assert found.d[0] == pytest.approx(-0.25, abs=1e-14)
    np.testing.assert_allclose(found.n[0], (0, 0, 1), atol=1e-14)
    # two in one plane overlap without any depth
    found = find(pair(TRIANGLE, (0, 0, 0), TRIANGLE, (0, 0, 0), (1, 0, 0), flat, flat))
    assert found.d[0] == 0.0
    np.testing.assert_allclose(np.abs(found.n[0]), (0, 0, 1), atol=1e-15)


def test_touching_is_zero():
    on_edge = np.array([[1, 0, 0], [0, 0.6, -0.8], [0, 0.8, 0.6]])
    top = 1.4  # of a turned cube
    across = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) @ on_edge
    one = (1, 1, 1)
    touching = {
        "face on face": pair(BOX, one, BOX, one, (0.3, 0.4, 2)),
        "same face": pair(BOX, one, BOX, one, (0, 0, 2)),
        "edge on edge, parallel": pair(BOX, one, BOX, one, (2, 0.5, 2)),
        "corner on corner": pair(BOX, one, BOX, one, (2, 2, 2)),
        "edge on face": pair(BOX, one, BOX, one, (0.1, 0.2, 1 + top), None, on_edge),
        "edge across edge": pair(BOX, one, BOX, one, (0.1, 0.2, 2 * top), on_edge, across),
        "cone upon box": pair(BOX, one, CONE, (1, 0, 2), (0.25, 0, 1)),
        "tip under box": pair(CONE, (1, 0, 2), BOX, one, (0.25, 0, 3)),
        "ellipsoid on box": pair(BOX, one, ELLIPSOID, (1, 2, 3), (0.25, 0, 4)),
        "cylinders": pair(CYLINDER, (1, 0, 2), CYLINDER, (1.5, 0, 3), (2.5, 0, 1)),
        "ball in a corner of a box": pair(BOX, one, SPHERE, (0, 0, 0), (1, 1, 1)),
    }
    for name, p in touching.items():
        found = find(p)
        assert found.d[0] == pytest.approx(0, abs=2e-12), name  # some roundings of sizes, and that of ``TOUCH``
        assert separation(hull_table([CUBE]), p, found.n)[0] == pytest.approx(0, abs=2e-12), name


@pytest.mark.parametrize("kinds", [(BOX, BOX), (BOX, HULL), (BOX, ELLIPSOID), (CYLINDER, CONE), (CAPSULE, BOX)])
def test_distance_goes_through_zero_without_a_jump(kinds):
    rng = np.random.default_rng(kinds)
    hulls = hull_table([rng.normal(size=(20, 3))])
    pairs = random_pairs(rng, few(20, 2), kinds)
    pairs["r"] *= 8 / np.linalg.norm(pairs["r"], axis=1)[:, None]
    start = find(pairs, hulls)
    steps = np.concatenate([-np.logspace(-6, -15, 19), [0], np.logspace(-15, -6, 19)])
    for p, n, d in zip(pairs, start.n, start.d, strict=True):
        along = np.repeat(p[None], len(steps), 0)
        along["r"] -= n * (d - steps)[:, None]
        found = find(along, hulls)
        # a separating way along n stays one; overlapping, another way out may be shorter, not longer
        limit = 1e-12 * lengths(along)
        np.testing.assert_array_less(np.abs(found.d - steps)[steps >= 0], limit[steps >= 0])
        np.testing.assert_array_less(steps - limit, found.d)
        np.testing.assert_array_less(found.d[steps < 0], limit[steps < 0])


def test_scales_from_a_millimetre_to_kilometres():
    rng = np.random.default_rng(5)
    count = few(200, 25)
    kinds = rng.integers(0, 6, (count, 2))
    pairs = random_pairs(rng, count, kinds, far=(0.1, 0.5))
    plain = find(pairs)
    limit = np.where(np.isin(kinds, CURVED).any(1), DEPTH, FACES) * 10 * lengths(pairs)
    for factor in (1e-3, 1e4):
        np.testing.assert_array_less(np.abs(find(scaled(pairs, factor)).d / factor - plain.d), limit)


def test_full_scratch_gives_the_best_so_far_and_says_how_good_it_is():
    rng = np.random.default_rng(6)
    count = few(100, 12)
    pairs = random_pairs(rng, count, (ELLIPSOID, CONE), far=(0.05, 0.2))
    good = find(pairs)
    for points in (5, 8, 16):
        found = find(pairs, work=new_convex_work(points))
        deep = (good.d < 0) & (found.d < 0)
        assert deep.sum() > count // 2
        slack = DEPTH * lengths(pairs)[deep]
        np.testing.assert_array_less(found.d[deep], good.d[deep] + slack)
        np.testing.assert_array_less(good.d[deep], found.d[deep] + found.bound[deep] + slack)


@pytest.mark.proof
def test_no_wrong_sign_in_many_pairs():
    rng = np.random.default_rng(7)
    hulls = hull_table([rng.normal(size=(rng.integers(4, 8), 3)) * rng.choice([1, 1, 0.1], 3) for _ in range(200)])
    pairs = random_pairs(rng, 100_000, (HULL, HULL), 200, far=(0.3, 0.6, 1.0, 1.5))
    found = find(pairs, hulls)
    apart, some = found.d > 0, slice(0, 5000)
    assert 0.2 < apart.mean() < 0.8
    # a plane with room on both sides proves a pair apart, no such direction among all that count proves an overlap
    assert separation(hulls, pairs[apart], found.n[apart]).min() > -1e-13
    depth = exhaustive_hulls(hulls, pairs[~apart], widest_gap)
    np.testing.assert_allclose(found.d[~apart], depth, atol=10 * FACES)
    np.testing.assert_allclose(found.d[some], exhaustive_hulls(hulls, pairs[some]), atol=1e-11)


@pytest.mark.proof
def test_bounds_of_many_pairs_of_all_kinds():
    rng = np.random.default_rng(8)
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(20)])
    pairs = random_pairs(rng, 50_000, rng.integers(0, 8, (50_000, 2)), 20)
    found, size = find(pairs, hulls), lengths(pairs) + 3
    np.testing.assert_array_less(np.abs(separation(hulls, pairs, found.n) - found.d), POLISHED * size)
    other = find(swapped(pairs), hulls)
    np.testing.assert_array_less(np.abs(other.d - found.d), 2 * DEPTH * size)
    apart = found.d > 0
    np.testing.assert_array_less(np.abs(other.d - found.d)[apart], 1e-12 * size[apart])


@pytest.mark.proof
def test_many_boxes_with_nearly_parallel_faces():
    """Tilts about as large as rounding fold polytopes that are grown with too fine a measure."""
    pairs = boxes_on_a_lattice(np.random.default_rng(11), 12_000)
    hulls = hull_table([CUBE])
    corners, edges, triangles = features(hulls, 0)
    found, depth = find(pairs, hulls), []
    for p in pairs:
        a, b = (corners * p["size"][side] @ p["R"][side].T for side in range(2))
        depth.append(widest_gap(a, edges, triangles, b + p["r"], edges, triangles))
    depth = np.array(depth)
    np.testing.assert_allclose(found.d[depth < 0], depth[depth < 0], atol=1e-11)  # rounding, coarser by one try
