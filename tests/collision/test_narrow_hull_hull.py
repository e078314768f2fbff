"""Hull against hull with memory: the same as without, however the pair moves."""

from typing import NamedTuple

import numpy as np
import pytest
from hull_samples import ball, bodies, brute_distance, direction, gap_along, new_pair, rotation, solid, table_of
from scipy.spatial.transform import Rotation

from gelenk import compile as compiler
from gelenk.collision.hull_manifold import clip_space
from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.manifold import NEAR, NONE, new_memory, new_points
from gelenk.collision.narrow.hull_hull import hull_hull_pair
from gelenk.collision.solid import HULL, Solid
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.collision.vclip_features import VERTEX
from gelenk.compile import kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3, put3, vec3

I3 = np.eye(3)
TABLES = new_tables()
WORK = new_narrow_work(TABLES)
EPS = 1e-12  # of bodies of size 1: some thousand roundings, for plates of 1 : 100


def contact(table, i, R, j, Q, r, margin=0.01, memory=None):
    out = new_points()
    memory = new_pair() if memory is None else memory
    tables, work = TABLES._replace(hulls=table), WORK._replace(clip=clip_space(table))
    count = hull_hull_pair(solid(i, R), solid(j, Q), vec3(r), margin, tables, memory, work, out)
    return out[:count].copy()


def turned(rng, R, angle):
    return Rotation.from_rotvec(angle * direction(rng)).as_matrix() @ R


def rows(points):
    """Points in an order of their own."""
    return points[np.lexsort(points.a.round(9).T)]


@pytest.mark.parametrize(
    ("distance", "angle"),
    [(1.75, 0.01), (1.0, 0.03), (0.1, 0.02), (1.3, 0.6)],
    ids=["shallow", "deep", "one in the other", "fast rotation"],
)
def test_depth_with_memory_is_that_of_a_cold_start_and_of_all_axes(distance, angle):
    """H-64, H-66: along random paths of bodies in each other, the smallest overlap is found in every step."""
    rng = np.random.default_rng(11)
    hulls = [ball(24, rng), *bodies(rng)[:4]]
    table = pack_hulls(hulls)
    met = 0
    for j in range(1, len(hulls)):
        R, Q, u, memory = rotation(rng), rotation(rng), direction(rng), new_pair()
        for _ in range(15):
            R, Q = turned(rng, R, angle), turned(rng, Q, angle)
            u = turned(rng, I3, angle) @ u
            r = u * distance * rng.uniform(0.97, 1.03)
            args = table, 0, R, j, Q, r
            warm, cold = contact(*args, 0.05, memory), contact(*args, 0.05)
            exact = brute_distance(hulls[0], R, hulls[j], Q, r)
            assert (len(warm) > 0) == (len(cold) > 0) == (exact <= 0.05)
            if len(warm) > 0:
                met += 1
                # corners as deep as the deepest to 1e-9 of the size of the region are equal
                assert warm.d.min() == pytest.approx(exact, abs=4e-9)
                assert cold.d.min() == pytest.approx(exact, abs=4e-9)
                assert gap_along(warm[0].n, hulls[0], R, hulls[j], Q, r) == pytest.approx(exact, abs=EPS)
    assert met > 15


def test_points_with_memory_are_those_of_a_cold_start():
    """H-66, H-69: all points of the region, where the normal is unique."""
    rng = np.random.default_rng(12)
    table = table_of(ball(60, rng), ball(40, rng))
    R, Q, u, memory = rotation(rng), rotation(rng), direction(rng), new_pair()
    met = 0
    for k in range(60):
        R, Q, u = turned(rng, R, 0.01), turned(rng, Q, 0.01), turned(rng, I3, 0.01) @ u
        args = table, 0, R, 1, Q, u * (1.85 + 0.1 * np.sin(0.3 * k))
        warm, cold = rows(contact(*args, 0.02, memory)), rows(contact(*args, 0.02))
        assert len(warm) == len(cold)
        met += len(warm) > 0
        np.testing.assert_allclose(warm.a, cold.a, atol=1e-9)
        np.testing.assert_allclose(warm.d, cold.d, atol=EPS)
        np.testing.assert_array_equal(warm.feature_a, cold.feature_a)
        np.testing.assert_array_equal(warm.feature_b, cold.feature_b)
    assert met > 30


def test_ids_stay_while_a_box_slides_in_contact():
    """H-71, I-092: the same four corners from step to step, sinking in and lifting off within the margin."""
    table = table_of(box_hull(Box((4.0, 4.0, 1.0))), box_hull(Box((1.0, 1.0, 1.0))))
    memory, seen = new_pair(), set()
    for k in range(60):
        Q = Rotation.from_rotvec([1e-3 * np.sin(0.5 * k), 1e-3 * np.cos(0.7 * k), 0.02 * k]).as_matrix()
        points = contact(table, 0, I3, 1, Q, (-1.0 + 0.03 * k, 0.2, 1.0 + 0.002 * np.sin(0.9 * k)), 0.01, memory)
        assert len(points) == 4
        seen.add(frozenset((int(p.feature_a), int(p.feature_b)) for p in points))
    assert len(seen) == 1


def test_pairs_that_stay_apart_are_left_at_once():
    """Nothing within the margin is ever left out; the planes of an earlier step are enough for many steps."""
    rng = np.random.default_rng(13)
    hulls = bodies(rng)[:6]
    table = pack_hulls(hulls)
    left = walked = 0
    for _ in range(12):
        i, j = rng.integers(0, len(hulls), 2)
        R, Q, u, memory = rotation(rng), rotation(rng), direction(rng), new_pair()
        for k in range(12):
            R, Q = turned(rng, R, 0.05), turned(rng, Q, 0.05)
            r = u * (3.5 - 0.2 * k)
            guess = memory.guess.copy()
            points = contact(table, i, R, j, Q, r, 0.1, memory)
            assert (len(points) > 0) == (brute_distance(hulls[i], R, hulls[j], Q, r) <= 0.1)
            if len(points) > 0:
                assert not memory.guess.any()
            elif guess.any() and (guess == memory.guess).all():
                assert (memory.features & 3 == VERTEX).all()
                left += 1
            else:
                walked += 1
    assert left > walked


def test_remembered_faces_are_all_that_can_matter():
    """What the pair remembers is true: every other face lies at least ``near_reach`` above the vertex."""
    rng = np.random.default_rng(14)
    hulls = [ball(150, rng), ball(80, rng)]
    table = pack_hulls(hulls)
    R, Q, u, memory = rotation(rng), rotation(rng), direction(rng), new_pair()
    kept = 0
    for k in range(40):
        R, Q = turned(rng, R, 0.001), turned(rng, Q, 0.001)
        before = memory.near_point.copy()
        contact(table, 0, R, 1, Q, u * (1.9 - 0.0005 * k), 0.0, memory)
        kept += (before == memory.near_point).all()
        for side in range(2):
            count, reach = int(memory.near_count[side]), memory.near_reach[side]
            first, last = table.hull[side].face_first, table.hull[side].face_last
            depths = table.face.d[first:last] - table.face.n[first:last] @ memory.near_point[side]
            others = np.setdiff1d(np.arange(first, last), memory.near_face[side, :count])
            assert count <= NEAR
            assert depths[others - np.int64(first)].min() >= reach - 1e-15
    assert kept > 15


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_scale_and_swapped_bodies(scale):
    """From a millimetre to ten kilometres the same figures; swapped, the opposite."""
    rng = np.random.default_rng(15)
    shapes = [np.array(b.vertices) for b in bodies(rng)[:4]]
    table, unit = table_of(*[ConvexHull(scale * v) for v in shapes]), table_of(*[ConvexHull(v) for v in shapes])
    met = 0
    for i, j in ((0, 1), (1, 2), (0, 3)):
        memory, other, plain = new_pair(), new_pair(), new_pair()
        R, Q, u = rotation(rng), rotation(rng), direction(rng)
        for k in range(0, 20, 2):
            R, Q = turned(rng, R, 0.02), turned(rng, Q, 0.02)
            r = u * (2.2 - 0.1 * k)
            one = rows(contact(table, i, R, j, Q, scale * r, 0.02 * scale, memory))
            two = contact(table, j, Q, i, R, -scale * r, 0.02 * scale, other)
            base = rows(contact(unit, i, R, j, Q, r, 0.02, plain))
            assert len(one) == len(two) == len(base)
            if len(one) > 0:
                met += 1
                np.testing.assert_allclose(one.d.min(), scale * base.d.min(), atol=1e-8 * scale)
                np.testing.assert_allclose(sorted(one.d), sorted(two.d), atol=1e-8 * scale)
    assert met > 10


def test_needles_and_slivers_with_memory():
    """1 : 1000 : 1000 and 1 : 1 : 10000, through each other; the planes of such faces lose as many digits."""
    rng = np.random.default_rng(16)
    hulls = [ConvexHull(rng.normal(size=(20, 3)) * s) for s in ((1.0, 1e-3, 1e-3), (1.0, 1.0, 1e-4)) for _ in range(2)]
    table = pack_hulls(hulls)
    met = 0
    for i, j in ((0, 1), (0, 2), (2, 3)):
        R, Q, u, memory = rotation(rng), rotation(rng), direction(rng), new_pair()
        for _ in range(25):
            R, Q = turned(rng, R, 0.05), turned(rng, Q, 0.05)
            r = u * rng.uniform(0.0, 0.02)
            args = table, i, R, j, Q, r
            warm, cold = contact(*args, 1e-3, memory), contact(*args, 1e-3)
            assert (len(warm) > 0) == (len(cold) > 0)
            if len(warm) > 0:
                met += 1
                assert warm.d.min() == pytest.approx(cold.d.min(), abs=1e-9)
                gap = gap_along(warm[0].n, hulls[i], R, hulls[j], Q, r)
                assert gap == pytest.approx(warm.d.min(), abs=4e-9)
    assert met > 10


def test_ten_thousand_faces_in_contact():
    """H-67, H-68: with memory few faces are looked at; the depth is that of a cold start."""
    rng = np.random.default_rng(17)
    table = table_of(ball(5002, rng), ball(5002, rng))
    R, Q, memory = rotation(rng), rotation(rng), new_pair()
    kept = 0
    for k in range(12):
        r = np.array([1.99 - 1e-4 * k, 1e-5 * k, 0.0])
        R = Rotation.from_rotvec([0.0, 1e-5, 0.0]).as_matrix() @ R
        before = memory.near_point.copy()
        warm, cold = contact(table, 0, R, 1, Q, r, 0.0, memory), contact(table, 0, R, 1, Q, r, 0.0)
        assert len(warm) == len(cold) > 0
        assert warm.d.min() == pytest.approx(cold.d.min(), abs=EPS)
        kept += (before == memory.near_point).all(axis=1).sum()
    assert kept > 0
    assert (memory.near_vertex != NONE).all()


class PathPlaces(NamedTuple):
    """Many pairs, each moving along a path."""

    i: np.ndarray
    j: np.ndarray
    R: np.ndarray  # (paths, steps, 3, 3)
    Q: np.ndarray
    r: np.ndarray
    memory: np.ndarray
    d: np.ndarray  # (paths, steps) least distance of the points, inf: none
    n: np.ndarray


@kernel
def follow(many, tables, work, margin, warm, out):
    for k in range(many.i.shape[0]):
        R, Q, r = many.R[k], many.Q[k], many.r[k]
        for m in range(r.shape[0]):
            A = Solid(HULL, np.int64(many.i[k]), get33(R, m), Vec3(0.0, 0.0, 0.0))
            B = Solid(HULL, np.int64(many.j[k]), get33(Q, m), Vec3(0.0, 0.0, 0.0))
            place = k if warm else k * r.shape[0] + m
            count = hull_hull_pair(A, B, get3(r, m), margin, tables, many.memory[place], work, out)
            many.d[k, m] = np.inf
            for c in range(count):
                many.d[k, m] = min(many.d[k, m], out[c].d)
            if count > 0:
                put3(many.n[k], m, Vec3(out[0].n[0], out[0].n[1], out[0].n[2]))


@pytest.mark.proof
def test_a_hundred_thousand_steps_have_the_right_sign():
    """5000 paths of 20 steps, in and out of contact: with memory as without, and each depth proves itself."""
    if not compiler.ENABLED:
        pytest.skip("long when interpreted")
    rng = np.random.default_rng(18)
    hulls = [*bodies(rng), ball(100, rng), ball(300, rng)]
    table = pack_hulls(hulls)
    paths, steps, margin = 5000, 20, 0.05
    start = Rotation.random(2 * paths, random_state=1)
    spin = np.concatenate([rng.normal(size=(2 * paths, 3))]) * rng.choice([0.003, 0.03, 0.3], 2 * paths)[:, None]
    turns = np.stack([(Rotation.from_rotvec(spin * m) * start).as_matrix() for m in range(steps)], axis=1)
    u, v = rng.normal(size=(2, paths, 1, 3))
    r = u * rng.uniform(0.0, 1.0, (paths, 1, 1)) + 0.02 * v * np.arange(steps)[None, :, None]
    i, j = rng.integers(0, len(hulls), (2, paths)).astype(np.uint32)
    found = []
    for warm in (True, False):
        many = PathPlaces(
            i,
            j,
            np.ascontiguousarray(turns[:paths]),
            np.ascontiguousarray(turns[paths:]),
            r,
            new_memory(paths if warm else paths * steps),
            np.zeros((paths, steps)),
            np.zeros((paths, steps, 3)),
        )
        tables = TABLES._replace(hulls=table)
        follow(many, tables, new_narrow_work(tables), margin, warm, new_points())
        found.append(many)
    warm, cold = found
    met = np.isfinite(cold.d)
    assert (np.isfinite(warm.d) == met).all()
    assert 20_000 < met.sum() < 90_000
    # corners that are as deep to 1e-9 of the size of the region count as equal
    np.testing.assert_allclose(warm.d[met], cold.d[met], atol=4e-9)
    for k, m in zip(*np.nonzero(met)):
        args = hulls[i[k]], warm.R[k, m], hulls[j[k]], warm.Q[k, m], r[k, m]
        assert abs(gap_along(warm.n[k, m], *args) - warm.d[k, m]) < 4e-9
        if (k + m) % 50 == 0 and max(i[k], j[k]) < 20:
            assert brute_distance(*args) == pytest.approx(warm.d[k, m], abs=4e-9)
