"""Closest features of hulls by V-Clip, against every pair of features, closed forms and itself."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hull_samples import (
    NO_TRACE,
    ball,
    bodies,
    brute_distance,
    direction,
    find,
    gap_along,
    new_pair,
    outside,
    pair_at,
    rotation,
    table_of,
)

from gelenk.collision import vclip as module
from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.manifold import new_memory
from gelenk.collision.solid import HULL, Solid
from gelenk.collision.vclip import APART, LOOP, MEET, vclip, walk
from gelenk.collision.vclip_features import EDGE, FACE, VERTEX, Motion
from gelenk.compile import kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box
from gelenk.math.rotation import Mat3, get33
from gelenk.math.vec3 import Vec3, get3, put3

I3 = np.eye(3)
EPS = 1e-12  # of bodies of size 1: some thousand roundings, for plates of 1 : 100


def as_array(v):
    return np.array([v.x, v.y, v.z])


def check_result(found, hull_a, R, hull_b, Q, r, tolerance=EPS):
    """The points lie on the hulls, d apart along n, and no planes across n are farther apart: nothing can be closer."""
    a, n = as_array(found.a), as_array(found.n)
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
    assert abs(gap_along(n, hull_a, R, hull_b, Q, r) - found.d) < tolerance
    assert abs(outside(hull_a, R.T @ a)) < tolerance or found.d < 0.0
    assert outside(hull_a, R.T @ a) < tolerance
    assert outside(hull_b, Q.T @ (a + found.d * n - r)) < tolerance


@pytest.mark.parametrize("seed", range(4))
def test_distance_and_depth_are_those_of_all_pairs_of_features(seed):
    """H-63, H-64."""
    rng = np.random.default_rng(seed)
    hulls = bodies(rng)
    table = pack_hulls(hulls)
    ends = set()
    for _ in range(60):
        i, j = rng.integers(0, len(hulls), 2)
        R, Q, r = rotation(rng), rotation(rng), direction(rng) * rng.uniform(0.0, 4.0)
        found = find(table, i, R, j, Q, r)
        assert found.d == pytest.approx(brute_distance(hulls[i], R, hulls[j], Q, r), abs=EPS)
        check_result(found, hulls[i], R, hulls[j], Q, r)
        ends.add(found.end)
    assert ends == {APART, MEET}


@pytest.mark.parametrize("seed", range(2))
def test_parallel_faces_and_exact_touch(seed):
    """Bodies on a grid, turned by right angles and moved by half cells: faces, edges and vertices lie on each other."""
    rng = np.random.default_rng(seed)
    hulls = bodies(rng)[3::4]
    table = pack_hulls(hulls)
    turns = [
        R
        for R in (np.eye(3)[list(p)] for p in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))
        for R in (R, R @ np.diag([-1, -1, 1]))
    ]
    touching = 0
    for _ in range(120):
        i, j, k, m = rng.integers(0, len(hulls), 2).tolist() + rng.integers(0, len(turns), 2).tolist()
        R, Q, r = turns[k] * 1.0, turns[m] * 1.0, 0.5 * rng.integers(-5, 6, 3)
        found = find(table, i, R, j, Q, r)
        assert found.d == pytest.approx(brute_distance(hulls[i], R, hulls[j], Q, r), abs=EPS)
        check_result(found, hulls[i], R, hulls[j], Q, r)
        touching += abs(found.d) < EPS
    assert touching > 3


@pytest.mark.parametrize(
    ("r", "distance", "normal", "kinds"),
    [
        ((1.3, 0.1, 0.2), 0.3, (1, 0, 0), None),  # faces
        ((1.3, 1.4, 0.1), 0.5, (0.6, 0.8, 0), None),  # parallel edges
        ((1.2, 1.2, 1.1), 0.3, (2 / 3, 2 / 3, 1 / 3), (VERTEX, VERTEX)),
        ((0.1, -0.2, 0.9), -0.1, (0, 0, 1), None),
        ((0.1, 0.0, -1.0), 0.0, (0, 0, -1), None),
    ],
)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_unit_boxes(scale, r, distance, normal, kinds):
    """Closed forms, from millimetres to ten kilometres."""
    box = box_hull(Box((scale, scale, scale)))
    found = find(table_of(box, box), 0, I3, 1, I3, scale * np.array(r))
    assert found.d == pytest.approx(scale * distance, abs=1e-15 * scale * 8)
    np.testing.assert_allclose(as_array(found.n), normal, atol=1e-14)
    if kinds:
        assert kinds == (found.X & 3, found.Y & 3)


def test_every_kind_of_pair_is_an_end():
    """H-63: V-V, V-E, V-F and E-E end a walk of hulls that are apart."""
    box, tip = box_hull(Box((1.0, 1.0, 1.0))), ConvexHull([(0, 0, 0), (1, 1, 2), (-1, 1, 2), (0, -1, 2)])
    table = table_of(box, tip)
    c = math.cos(math.pi / 4)
    edge_down = np.array([[1.0, 0.0, 0.0], [0.0, c, -c], [0.0, c, c]])
    turned = np.array([[c, -c, 0.0], [c, c, 0.0], [0.0, 0.0, 1.0]])
    tilted = np.array([[1.0, 0.0, 0.0], [0.0, c, c], [0.0, -c, c]])
    cases = [
        (find(table, 0, I3, 1, I3, (0.1, 0.2, 1.0)), {FACE, VERTEX}, 0.5),
        (find(table, 0, edge_down, 1, I3, (0.1, 0.0, 1.0)), {EDGE, VERTEX}, 1.0 - 2 * c / 2),
        (find(table, 0, I3, 1, tilted, (1.0, 1.0, 1.0)), {VERTEX}, math.sqrt(0.75)),
        (find(table, 0, edge_down, 0, turned @ edge_down, (0.0, 0.1, 2.0)), {EDGE}, 2.0 - 2 * c),
    ]
    for found, kinds, distance in cases:
        assert {found.X & 3, found.Y & 3} == kinds
        assert found.d == pytest.approx(distance, abs=1e-14)
        assert found.end == APART


def test_swapped_bodies_give_the_opposite():
    rng = np.random.default_rng(3)
    hulls = bodies(rng)
    table = pack_hulls(hulls)
    for _ in range(60):
        i, j = rng.integers(0, len(hulls), 2)
        R, Q, r = rotation(rng), rotation(rng), direction(rng) * rng.uniform(0.0, 4.0)
        one, other = find(table, i, R, j, Q, r), find(table, j, Q, i, R, -r)
        assert one.d == pytest.approx(other.d, abs=EPS)
        if one.d > 1e-3:  # the direction of the shortest way is unique; that of the depth may have equals
            np.testing.assert_allclose(as_array(one.n), -as_array(other.n), atol=1e-9)


def test_walk_with_memory_gives_what_a_cold_start_gives():
    """H-66: along a random path, in and out of contact; d changes by no more than the motion."""
    rng = np.random.default_rng(4)
    hulls = [ball(60, rng), bodies(rng)[0]]
    table = pack_hulls(hulls)
    R, r, pair = rotation(rng), np.array([2.2, 0.0, 0.0]), new_pair()
    warm_steps = cold_steps = 0
    before = None
    for _ in range(80):
        spin = 0.02 * rng.normal(size=3)
        R = R + np.cross(spin, R.T).T
        R = np.linalg.svd(R)[0] @ np.linalg.svd(R)[2]
        step = 0.03 * rng.normal(size=3) - 0.01 * (r - 1.6 * r / np.linalg.norm(r))
        r = r + step
        warm, cold = find(table, 0, I3, 1, R, r, pair), find(table, 0, I3, 1, R, r)
        assert warm.d == pytest.approx(cold.d, abs=EPS)
        radius = np.linalg.norm(hulls[1].vertices, axis=1).max()
        if before is not None:
            assert abs(warm.d - before) <= np.linalg.norm(step) + 1.1 * np.linalg.norm(spin) * radius
        before = warm.d
        warm_steps, cold_steps = warm_steps + warm.steps, cold_steps + cold.steps
    assert warm_steps < cold_steps


def test_ten_thousand_faces():
    """H-67, H-68: few steps with memory, a walk below the estimate without; the result proves itself."""
    rng = np.random.default_rng(5)
    hulls = [ball(5002, rng), ball(5002, rng)]
    assert [len(h.normals) for h in hulls] == [10000, 10000]
    table = pack_hulls(hulls)
    estimate = 2.0 * (math.sqrt(10000) + math.sqrt(10000))
    R, Q = rotation(rng), rotation(rng)
    for r in ((2.5, 0.3, 0.0), (0.0, 2.01, 0.0)):
        pair = pair_at(*[4 * int(table.hull[k].vertex_first) for k in (0, 1)])
        trace = np.zeros((1000, 2), np.uint32)
        found = find(table, 0, R, 1, Q, np.array(r), pair, trace)
        check_result(found, hulls[0], R, hulls[1], Q, np.array(r))
        assert found.end == APART
        assert found.steps <= estimate
        # the walk as a picture would show it: from the start, no pair twice, to the features found
        seen = [tuple(p) for p in trace[: found.steps].tolist()]
        assert len(set(seen)) == found.steps
        assert seen[-1] == (found.X, found.Y) == tuple(pair.features.tolist())
        assert not trace[found.steps :].any()
        again = find(table, 0, R, 1, Q, np.array(r) + 0.003, pair)
        assert again.steps <= 12
        assert find(table, 0, R, 1, Q, np.array(r) + 0.003, pair).steps == 1


def test_needles_and_slivers():
    """1 : 1000 : 1000 and 1 : 1 : 10000; the planes of such faces lose as many digits."""
    rng = np.random.default_rng(6)
    shapes = [(1.0, 1e-3, 1e-3), (1.0, 1.0, 1e-4)]
    hulls = [ConvexHull(rng.normal(size=(20, 3)) * s) for s in shapes for _ in range(3)]
    table = pack_hulls(hulls)
    for _ in range(80):
        i, j = rng.integers(0, len(hulls), 2)
        R, Q, r = rotation(rng), rotation(rng), direction(rng) * rng.uniform(0.0, 1.5)
        check_result(find(table, i, R, j, Q, r), hulls[i], R, hulls[j], Q, r, 1e-10)


@pytest.mark.parametrize("period", [1, 2, 3, 5, 16, 37])
@pytest.mark.parametrize("lead", [0, 1, 7])
def test_loops_of_any_period_end_with_their_closest_pair(monkeypatch, period, lead):
    """H-65: a walk that is sent round in circles stops, and takes the best it has seen."""
    box = box_hull(Box((1.0, 1.0, 1.0)))
    table = table_of(box, ball(60, np.random.default_rng(8)))
    start = int(table.hull[1].vertex_first)
    pairs = [(0, 4 * (start + k)) for k in range(lead + period)]
    following = dict(zip(pairs, [*pairs[1:], pairs[lead]]))
    monkeypatch.setattr(module, "step", lambda one, two, X, Y, to_1, to_2: (*following[X, Y], module.ON))
    eye, p = Mat3(*I3.ravel().tolist()), Vec3(3.0, 0.0, 0.0)
    X, Y, steps, end = walk(table, table, *pairs[0], Motion(0, eye, p), Motion(1, eye, -p), NO_TRACE)
    distance = {pair: np.linalg.norm(table.vertex[pair[1] // 4] + [3.0, 0.0, 0.0] - table.vertex[0]) for pair in pairs}
    assert end == LOOP
    assert distance[X, Y] == min(distance[pair] for pair in pairs[lead:])
    assert steps <= 3 * (lead + period) + 1


class Placements(NamedTuple):
    """Many pairs for one kernel."""

    i: np.ndarray
    j: np.ndarray
    R: np.ndarray
    Q: np.ndarray
    r: np.ndarray
    pair: np.ndarray
    d: np.ndarray
    n: np.ndarray
    end: np.ndarray


@kernel
def find_all(many, hulls, trace):
    for k in range(many.i.shape[0]):
        A = Solid(HULL, np.int64(many.i[k]), get33(many.R, k), Vec3(0.0, 0.0, 0.0))
        B = Solid(HULL, np.int64(many.j[k]), get33(many.Q, k), Vec3(0.0, 0.0, 0.0))
        found = vclip(A, B, get3(many.r, k), hulls, hulls, many.pair[k], trace)
        many.d[k], many.end[k] = found.d, found.end
        put3(many.n, k, found.n)


@pytest.mark.proof
def test_a_hundred_thousand_pairs_have_the_right_sign():
    """Each proves itself: planes across n are as far apart as the points, or an overlap is the smallest of all axes."""
    rng = np.random.default_rng(9)
    hulls = bodies(rng)
    count = 100_000
    many = Placements(
        rng.integers(0, len(hulls), count).astype(np.uint32),
        rng.integers(0, len(hulls), count).astype(np.uint32),
        np.array([rotation(rng) for _ in range(count)]),
        np.array([rotation(rng) for _ in range(count)]),
        np.array([direction(rng) for _ in range(count)]) * rng.uniform(0.0, 4.0, count)[:, None],
        new_memory(count),
        np.zeros(count),
        np.zeros((count, 3)),
        np.zeros(count, np.int64),
    )
    find_all(many, pack_hulls(hulls), NO_TRACE)
    assert set(np.unique(many.end)) == {APART, MEET}
    for k in range(count):
        args = hulls[many.i[k]], many.R[k], hulls[many.j[k]], many.Q[k], many.r[k]
        assert abs(gap_along(many.n[k], *args) - many.d[k]) < EPS
        if many.end[k] == MEET and k % 20 == 0:
            assert brute_distance(*args) == pytest.approx(many.d[k], abs=EPS)
