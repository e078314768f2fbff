"""Trees of balls against solids and against each other: as all balls of a level would, within a budget (V-22, V-23)."""

import numpy as np
import pytest
from narrow_samples import matrix, moved, solid, turn

import gelenk as gk
from gelenk.collision.ball_table import new_ball_work, pack_balls
from gelenk.collision.batch import ManyPairs, collide_many
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.narrow.balls_balls import balls_balls
from gelenk.collision.narrow.balls_solid import balls_solid
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.solid import BALLS, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.geometry.ball_tree import ball_tree
from gelenk.math.vec3 import vec3

RNG = np.random.default_rng(7)
CLOUD = RNG.normal(size=(20, 3)) * 0.5
RING = ball_tree(gk.TriangleMesh(*gk.Torus(1.0, 0.3).triangles(12)), 3)
CUBE = ball_tree(gk.TriangleMesh(*gk.Box((1.0, 1.0, 1.0)).triangles()), 3)
TABLES = new_tables([gk.ConvexHull(CLOUD)])._replace(balls=pack_balls([RING, CUBE]))
WORK = new_narrow_work(TABLES)
SIZES = {
    SPHERE: (0.5, 0, 0),
    BOX: (0.4, 0.6, 0.3),
    CAPSULE: (0.3, 0, 0.5),
    CYLINDER: (0.4, 0, 0.6),
    CONE: (0.5, 0, 0.9),
    ELLIPSOID: (0.3, 0.5, 0.7),
    HULL: (0, 0, 0),
    PLANE: (0, 0, 0),
}


def touch(run, A, B, r, margin=0.05, budget=100_000, level=7, most=4096):
    out, work = new_points(most), WORK._replace(balls=new_ball_work(budget, level))
    count = run(A, B, vec3(r), margin, TABLES, new_memory()[0], work, out)
    return out[:count].copy()


def touch_compiled(A, B, r):
    pairs = ManyPairs(
        np.array([(A.kind, B.kind)]),
        np.array([(A.table, B.table)]),
        np.array([(matrix(A), matrix(B))]),
        np.array([(A.size, B.size)]),
        np.array([r]),
    )
    fill_rows(TABLES.rows, [(A.kind, B.kind)])
    out, count = new_points(4096).reshape(1, -1), np.zeros(1, np.int64)
    work = WORK._replace(balls=new_ball_work(100_000, 7))
    collide_many(pairs, 0.05, TABLES, new_memory(), work, out, count)
    return out[0, : count[0]].copy()


def centres(tree, s, level=-1):
    """Centres from the centre of the solid, world axes, and radii, of a level."""
    begin = tree.level_first.astype(int)
    level = len(begin) - 2 if level < 0 else level
    ball = tree.ball[begin[level] : begin[level + 1]]
    return ball[:, :3] @ matrix(s).T, ball[:, 3]


def reference(B, p, r):
    """Signed distance of points from B, by means other than those of the pair, for kinds that are plain; else None."""
    x = (p - np.asarray(r)) @ matrix(B)
    size = np.array(B.size)
    if B.kind == PLANE:
        return x[:, 2]
    if B.kind == SPHERE:
        return np.linalg.norm(x, axis=1) - size[0]
    if B.kind == CAPSULE:
        x[:, 2] -= np.clip(x[:, 2], -size[2], size[2])
        return np.linalg.norm(x, axis=1) - size[0]
    if B.kind == BOX:
        q = np.abs(x) - size
        return np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)
    return None


def check_points(points, r):
    np.testing.assert_allclose(np.linalg.norm(points["n"], axis=1), 1.0, atol=1e-14)
    gap = np.asarray(r) + points["b"] - points["a"]
    np.testing.assert_allclose(gap, points["d"][:, None] * points["n"], atol=1e-13)


@pytest.mark.parametrize("kind", [PLANE, SPHERE, CAPSULE, BOX])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_all_balls_of_a_level_that_touch_are_found(kind, level):
    """Against the distances of all balls of the level, by formulas of their own."""
    for _ in range(5):
        A, B = solid(BALLS, turn(RNG), (0, 0, 0)), solid(kind, turn(RNG), SIZES[kind])
        r = RNG.normal(size=3) * 0.6
        p, radius = centres(RING, A, level)
        d = reference(B, p, r) - radius
        points = touch(balls_solid, A, B, r, level=level)
        check_points(points, r)
        np.testing.assert_allclose(np.sort(points["d"]), np.sort(d[d <= 0.05]), rtol=0, atol=1e-13)
        if len(points):
            assert points["d"][0] == points["d"].min()
            np.testing.assert_allclose(d[points["feature_a"] - RING.level_first[level]], points["d"], atol=1e-13)


@pytest.mark.parametrize("kind", [CYLINDER, CONE, ELLIPSOID, HULL])
def test_other_solids_and_one_that_is_turned_with_all(kind):
    """A rigid motion changes nothing but the axes; the points lie on their balls."""
    for _ in range(1 if kind == ELLIPSOID else 3):
        A, B = solid(BALLS, turn(RNG), (0, 0, 0)), solid(kind, turn(RNG), SIZES[kind])
        r, Q = np.array([0.9, 0.3, 0.2]) + 0.1 * RNG.normal(size=3), turn(RNG)
        points, again = touch(balls_solid, A, B, r), touch(balls_solid, moved(A, Q), moved(B, Q), Q @ r)
        check_points(points, r)
        # ellipsoids and hulls are searched, to 1e-6 of the size where they overlap
        np.testing.assert_allclose(np.sort(points["d"]), np.sort(again["d"]), atol=1e-6)
        node = points["feature_a"].astype(int)
        away = points["a"] - RING.ball[node, :3] @ matrix(A).T
        np.testing.assert_allclose(away, points["n"] * RING.ball[node, 3:], atol=1e-13)


def test_two_trees_against_all_pairs_of_balls():
    for _ in range(4):
        A, B = solid(BALLS, turn(RNG), (0, 0, 0), 0), solid(BALLS, turn(RNG), (0, 0, 0), 1)
        r = RNG.normal(size=3)
        r *= 1.5 / np.linalg.norm(r)
        p, radius = centres(RING, A)
        q, other = centres(CUBE, B)
        d = np.linalg.norm(p[:, None] - q - r, axis=2) - radius[:, None] - other
        points = touch(balls_balls, A, B, r)
        check_points(points, r)
        assert (points["d"][0] if len(points) else np.inf) == pytest.approx(d.min() if d.min() <= 0.05 else np.inf)
        # each ball of A once, with the ball of B that is deepest in it
        ball = points["feature_a"].astype(int) - int(RING.level_first[-2])
        assert sorted(ball) == np.flatnonzero(d.min(axis=1) <= 0.05).tolist()
        np.testing.assert_allclose(points["d"], d.min(axis=1)[ball], atol=1e-13)


def test_swapped_trees_have_the_same_depth():
    for _ in range(2):
        A, B = solid(BALLS, turn(RNG), (0, 0, 0), 0), solid(BALLS, turn(RNG), (0, 0, 0), 1)
        r = np.array([0.7, 0.3, 0.2])
        one, other = touch(balls_balls, A, B, r), touch(balls_balls, B, A, -r)
        assert one["d"].min() == pytest.approx(other["d"].min(), abs=1e-13)


@pytest.mark.parametrize("run", [balls_solid, balls_balls])
def test_budget_stays_at_the_level_reached(run):
    """Never shallower than the truth: balls of upper levels hold those parts of the body that lower ones do."""
    A = solid(BALLS, turn(RNG), (0, 0, 0), 0)
    B = solid(BALLS, turn(RNG), (0, 0, 0), 1) if run is balls_balls else solid(BOX, turn(RNG), SIZES[BOX])
    r = np.array([0.9, 0.2, 0.1])
    levels = []
    for budget in (1, 20, 100, 400, 100_000):
        points = touch(run, A, B, r, budget=budget)
        levels.append(np.searchsorted(RING.level_first[1:], points["feature_a"], side="right").max())
        again = touch(run, A, B, r, budget=budget)
        assert points.tobytes() == again.tobytes()
        assert len(points) > 0
    assert levels[0] == 0
    assert levels[-1] == 3
    assert levels == sorted(levels)


def test_points_are_few_and_spread():
    """A cube of balls on a plane: MANY points, which reach all four corners of its face within a cell."""
    A, B = solid(BALLS, np.eye(3), (0, 0, 0), 1), solid(PLANE, np.eye(3), (0, 0, 0))
    points = touch(balls_solid, A, B, (0.0, 0.0, -0.5), margin=0.0, most=MANY)
    assert len(points) == MANY
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            near = np.linalg.norm(points["a"][:, :2] - (x, y), axis=1).min()
            assert near < 3.0**0.5 * CUBE.cell


def test_apart():
    A, B = solid(BALLS, np.eye(3), (0, 0, 0)), solid(SPHERE, np.eye(3), (0.2, 0, 0))
    assert len(touch(balls_solid, A, B, (0.0, 0.0, 0.0))) == 0  # in the hole of the ring
    assert len(touch(balls_solid, A, B, (5.0, 0.0, 0.0))) == 0
    assert len(touch(balls_solid, A, B, (1.0, 0.0, 0.0))) > 0


@pytest.mark.proof
def test_compiled_and_interpreted_agree_to_the_last_bit():
    rng = np.random.default_rng(7)  # its own, so that poses do not depend on which tests ran before
    for kind in (*SIZES, BALLS):
        plain = np.empty(0)
        while len(plain) == 0:
            A = solid(BALLS, turn(rng), (0, 0, 0))
            B = solid(kind, turn(rng), SIZES.get(kind, (0, 0, 0)), int(kind == BALLS))
            r = np.array([0.9, 0.3, 0.2])
            plain = touch(balls_balls if kind == BALLS else balls_solid, A, B, r)
        assert plain.tobytes() == touch_compiled(A, B, r).tobytes()
