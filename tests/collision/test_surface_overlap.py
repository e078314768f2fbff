"""Closed surfaces that overlap, from the first touch until one is swallowed whole (V-20, V-21, V-33, I-091, I-093)."""

from __future__ import annotations

import numpy as np
import pytest
from closed_samples import ball_mesh, overlap, pierces, rock, some_meshes, torus_mesh
from narrow_samples import segments_distance, solid, turn
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial.transform import Rotation
from surface_samples import box_mesh, mesh, sheet, surface, tables_of, touch_many, touch_surface

import gelenk as gk
from gelenk.collision.solid import FIELD
from gelenk.collision.surface_work import new_surface_work
from gelenk.collision.tables import new_narrow_work
from gelenk.geometry.height_field import HeightField
from surfaces import surface_of

ROUND = 1e-9  # lengths are about 1, and normals lean by round-off over the sizes of triangles
TILT = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()


def down(first, second, heights, Q):
    """Points of the second mesh above the first at some heights, all turned by Q."""
    tables = tables_of([first, second])
    return touch_many([(surface(Q), surface(Q, 1), Q @ [0.11, 0.07, z]) for z in heights], 0.02, tables)


@pytest.mark.parametrize("Q", [np.eye(3), TILT], ids=["straight", "turned"])
def test_a_ball_of_triangles_is_pushed_into_a_cube_until_it_is_swallowed(Q):
    """I-093: depth and normal are those of the shortest of the six ways out of the cube, all the way to the middle."""
    cube, ball = box_mesh(np.ones(3), 2), ball_mesh(40, 0.3)
    heights = np.linspace(1.31, -0.4, 19) + 0.003
    for z, points in zip(heights, down(cube, ball, heights, Q)):
        corners = ball.vertices + np.array([0.11, 0.07, z])
        ways = np.append(1.0 - corners.min(axis=0), 1.0 + corners.max(axis=0))
        if ways.min() > 0:
            best = points[points.d.argmin()]
            assert best.d == pytest.approx(-ways.min(), abs=ROUND)
            np.testing.assert_allclose(best.n, Q @ np.concatenate((np.eye(3), -np.eye(3)))[ways.argmin()], atol=ROUND)
        else:
            assert not (points.d < 0).any()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_a_cube_in_a_cube_comes_out_by_the_shortest_way(size):
    """I-093: at any depth, with the four corners that are last to come out."""
    halves = np.array([1.0, 0.9, 0.8]), np.array([0.3, 0.2, 0.25])
    tables = tables_of([box_mesh(size * half, 1) for half in halves])
    for z in np.linspace(1.04, 0.05, 12):
        points = touch_surface(surface(), surface(table=1), size * np.array([0.1, 0.05, z]), 0.01 * size, tables)
        np.testing.assert_allclose(points.d / size, -(0.8 - z + 0.25), rtol=0, atol=ROUND)
        np.testing.assert_allclose(points.n, [(0, 0, 1)] * 4, rtol=0, atol=ROUND)
        corners = {(round(x, 6), round(y, 6)) for x, y in points.b[:, :2] / size}
        assert corners == {(-0.3, -0.2), (-0.3, 0.2), (0.3, -0.2), (0.3, 0.2)}


def test_cubes_that_share_planes_overlap():
    """No corner is strictly inside and no edge goes through: corners on the surface tell, and they come out."""
    tables = tables_of([box_mesh(np.ones(3), 1), box_mesh(np.array([1.0, 1.0, 0.5]), 2)])
    for x in (0.5, 1.0, 1.7):
        points = touch_surface(surface(), surface(), np.array([x, 0, 0]), 0.01, tables)
        assert points.d.min() == pytest.approx(x - 2.0, abs=ROUND)
        np.testing.assert_allclose(points.n[points.d.argmin()], (1, 0, 0), atol=ROUND)
    points = touch_surface(surface(), surface(), np.zeros(3), 0.01, tables)
    assert points.d.min() == pytest.approx(-2.0, abs=ROUND)
    points = touch_surface(surface(), surface(table=1), np.array([0, 0, 0.5]), 0.01, tables)  # flush with the top
    assert points.d.min() == pytest.approx(-1.0, abs=ROUND)
    points = touch_surface(surface(), surface(), np.array([2.0, 0.3, 0]), 0.01, tables)  # and touching alone does not
    assert np.abs(points.d).max() <= ROUND


def test_linked_tori_touch_inside_the_hole():
    """V-20: apart while linked, in contact when the tube of one reaches that of the other from within."""
    ring = torus_mesh(1.0, 0.3, 16, 8)
    tables = tables_of([ring])
    cross = Rotation.from_rotvec([np.pi / 2, 0, 0]).as_matrix()
    inner = 0.7  # of the hole at a vertex of the ring, where the other tube comes with a vertex too
    for x, gap in ((0.0, 0.4), (0.39, 0.01), (0.41, -0.01), (0.6, -0.2)):
        # the second ring goes through the middle of the first one, moved by x toward its tube at (1, 0, 0)
        points = touch_surface(surface(), surface(cross), np.array([1.0 + x, 0, 0]), 0.05, tables)
        swapped = touch_surface(surface(cross), surface(), -np.array([1.0 + x, 0, 0]), 0.05, tables)
        assert x + 0.3 + gap == pytest.approx(inner)
        if gap > 0.05:
            assert len(points) == len(swapped) == 0
        else:
            # tubes of 8 sides: faces lie up to 0.3 (1 - cos(pi / 8)) = 0.023 within the round tube
            assert points.d.min() == pytest.approx(gap, abs=0.046)
            assert np.sign(points.d.min()) == np.sign(gap)
            assert swapped.d.min() == pytest.approx(points.d.min(), abs=ROUND)
            assert points.n[points.d.argmin()] @ [-1, 0, 0] > 0.9


def test_a_mesh_below_a_field_is_pushed_up_from_any_depth():
    """V-21: also when it lies wholly below, or half beyond the rim; beside the rim there is nothing."""
    x = np.arange(9) - 4.0
    hills = HeightField(0.2 * np.sin(x)[:, None] * np.cos(x)[None, :], spacing=(1.0, 1.0))
    tables = tables_of([box_mesh(np.array([0.5, 0.3, 0.2]), 1)], fields=[HeightField(np.zeros((9, 9)), 1.0), hills])
    flat, wavy = solid(FIELD, np.eye(3), (0, 0, 0)), solid(FIELD, np.eye(3), (0, 0, 0), 1)
    for z in (0.1, -0.1, -0.5, -3.0, -40.0):
        points = touch_surface(flat, surface(), np.array([0.3, 0.2, z]), 0.01, tables)
        np.testing.assert_allclose(points.d, z - 0.2, rtol=0, atol=ROUND)
        np.testing.assert_allclose(points.n, [(0, 0, 1)] * 4, rtol=0, atol=ROUND)
        points = touch_surface(surface(), wavy, -np.array([0.3, 0.2, z - 0.3]), 0.01, tables)
        assert points.d.min() < z - 0.2
    points = touch_surface(flat, surface(), np.array([4.2, 0.1, -1.0]), 0.01, tables)
    assert points.d.min() == pytest.approx(-1.2, abs=0.1)  # the nearest place is at the rim
    assert len(touch_surface(flat, surface(), np.array([4.6, 0.1, -1.0]), 0.01, tables)) == 0


def test_the_sign_of_a_mesh_and_a_field_is_that_of_a_slow_search():
    """V-21: a rough field and meshes turned at random over and below it; corners below it, edges through triangles."""
    rng = np.random.default_rng(4)
    shapes, heights, x = some_meshes(rng), rng.uniform(-0.5, 0.5, (7, 7)), np.arange(7) - 3.0
    ground = sheet(x, x, lambda u, v: heights)
    height = LinearNDInterpolator(
        ground.vertices[:, :2], ground.vertices[:, 2]
    )  # of other triangles: for corners far off
    tables = tables_of(shapes, fields=[HeightField(heights, 1.0)])
    pairs, inside = [], []
    for _ in range(60):
        i, R, S = rng.integers(len(shapes)), turn(rng), turn(rng)
        c = np.array([*rng.uniform(-1, 1, 2), rng.uniform(-3, 2.5)])
        pairs.append((surface(R, i), solid(FIELD, S, (0, 0, 0)), -S @ c))
        body = mesh(shapes[i].vertices @ (S.T @ R).T + c, shapes[i].faces)
        through = any(pierces(p.vertices, p.faces.astype(int), q.vertices, q.faces.astype(int))
                      for p, q in ((body, ground), (ground, body)))  # fmt: skip
        inside.append(through or bool((body.vertices[:, 2] < height(body.vertices[:, :2])).all()))
    least = np.array([p.d.min(initial=np.inf) for p in touch_many(pairs, 0.05, tables)])
    np.testing.assert_array_equal(least < 0, inside)
    assert 20 < sum(inside) < 60


def random_pairs(seed, count):
    rng = np.random.default_rng(seed)
    shapes, places = some_meshes(rng), []
    for _ in range(count):
        way = rng.normal(size=3)
        r = rng.uniform(0.0, 2.4) * way / np.linalg.norm(way)
        places.append((*rng.integers(len(shapes), size=2), turn(rng), turn(rng), r))
    return shapes, places


def signs_agree(seed, count):
    """Random pairs: d < 0 if and only if they overlap, whichever of them comes first; returns how many do."""
    shapes, places = random_pairs(seed, count)
    tables = tables_of(shapes)
    pairs = [(surface(R, i), surface(S, j), r) for i, j, R, S, r in places]
    found, swapped = touch_many(pairs, 0.05, tables), touch_many([(B, A, -r) for A, B, r in pairs], 0.05, tables)
    inside = np.array([overlap(shapes[i], R, shapes[j], S, r) for i, j, R, S, r in places])
    least = np.array([[p.d.min(initial=np.inf) for p in side] for side in (found, swapped)])
    np.testing.assert_array_equal(least[0] < 0, inside)
    np.testing.assert_array_equal(least[1] < 0, inside)
    near = np.isfinite(least[0])
    np.testing.assert_array_equal(np.isfinite(least[1]), near)
    np.testing.assert_allclose(least[0][near], least[1][near], rtol=0, atol=ROUND)
    for p, (*_, r) in zip(found, places):
        np.testing.assert_allclose(r + p.b - p.a, p.d[:, None] * p.n, rtol=0, atol=ROUND)
    return inside.sum()


def test_the_sign_is_that_of_a_slow_search():
    """I-093: rocks with hollows, tori, bent bars and meshes of two pieces; edges through triangles and solid angles."""
    assert 40 < signs_agree(1, 80) < 80


@pytest.mark.proof
def test_the_sign_is_that_of_a_slow_search_many_times():
    assert signs_agree(2, 20000) > 5000


def test_the_distance_apart_is_that_of_a_slow_search():
    """I-093: the least of all edges from all edges, and of corners over faces, of pairs that are apart."""
    shapes, places = random_pairs(3, 60)
    tables = tables_of(shapes)
    places = [p for p in places if not overlap(shapes[p[0]], *p[2:3], shapes[p[1]], *p[3:])][:12]
    found = touch_many([(surface(R, i), surface(S, j), r) for i, j, R, S, r in places], 0.3, tables)
    near = 0
    for points, (i, j, R, S, r) in zip(found, places):
        p, q = shapes[i].vertices @ R.T, shapes[j].vertices @ S.T + r
        f, g = shapes[i].faces.astype(int), shapes[j].faces.astype(int)
        edges = [v[x[:, [[0, 1], [1, 2], [2, 0]]]].reshape(-1, 2, 3) for v, x in ((p, f), (q, g))]
        exact = min(segments_distance(*edges), over_faces(p, q, g), over_faces(q, p, f))
        least = points.d.min(initial=np.inf)
        near += exact < 0.3
        assert least == pytest.approx(exact, abs=ROUND) if exact < 0.3 else least == np.inf
    assert near >= 4


def over_faces(points, vertices, faces):
    """Least distance of points from triangles that they lie over or under."""
    a, b, c = (vertices[faces[:, k]][None] for k in range(3))
    n = np.cross(b - a, c - a)
    n = n / np.linalg.norm(n, axis=2)[..., None]
    p = points[:, None]
    over = np.ones((len(points), len(faces)), bool)
    for x, y in ((a, b), (b, c), (c, a)):
        over &= np.einsum("ijk,ijk->ij", np.cross(y - x, p - x), np.broadcast_to(n, (len(points), *n.shape[1:]))) >= 0
    height = np.abs(np.einsum("ijk,ijk->ij", p - a, np.broadcast_to(n, (len(points), *n.shape[1:]))))
    return height[over].min(initial=np.inf)


def test_depth_is_continuous_until_a_rock_is_swallowed_by_a_rock():
    """I-093: neither is convex; from step to step depth changes by a few steps at most, and its sign is right."""
    rng, step = np.random.default_rng(3), 0.02
    shapes = rock(rng, 60, 0.06), rock(rng, 30, 0.08)
    shapes = shapes[0], mesh(0.3 * shapes[1].vertices, shapes[1].faces)
    way = rng.normal(size=3)
    way, R = way / np.linalg.norm(way), turn(rng)
    places = [way * (1.5 - step * k) for k in range(60)]
    found = touch_many([(surface(), surface(R, 1), r) for r in places], 0.02, tables_of(shapes))
    depth = np.array([max(0.0, -p.d.min(initial=0.0)) for p in found])
    inside = [overlap(shapes[0], np.eye(3), shapes[1], R, r) for r in places]
    np.testing.assert_array_equal(depth > 0, inside)
    assert depth[-1] > 0.8
    assert np.abs(np.diff(depth)).max() <= 3.0 * step


def test_the_deepest_point_stays_where_there_is_little_room():
    """I-091: thousands of points on two fine flat faces, and one that is deeper."""
    plate = box_mesh(np.array([1.0, 1.0, 0.2]), 6)
    bump = plate.vertices.copy()
    k = np.flatnonzero((np.abs(bump - [1 / 3, 1 / 3, 0.2]) < 1e-9).all(1))[0]
    bump[k, 2] += 0.01
    tables = tables_of([mesh(bump, plate.faces), plate])
    work = new_narrow_work(tables)._replace(surface=new_surface_work(16))
    for gap in (0.012, 0.004):
        points = touch_surface(surface(), surface(table=1), np.array([0.03, 0.02, 0.4 + gap]), 0.02, tables, work)
        assert points.d.min() == pytest.approx(gap - 0.01, abs=ROUND)
        assert len(points) >= 4


def test_events_of_meshes_that_pass_through_each_other():
    """V-33: one begin, one end, and none while they overlap or one is inside the other."""
    b = gk.Builder()
    b.body("wall", shape=surface_of(gk.Box((2, 2, 2))), static=True)
    b.body("bullet", shape=surface_of(gk.Box((0.4, 0.5, 0.6))), density=1000, at=(0.1, 0.2, 2.0))
    model = b.build()
    world, state, log = gk.CollisionWorld(model, margin=0.01), model.initial_state(), []
    for z in np.arange(2.0, -2.0, -0.07):
        state.p_WC[model.index("bullet")] = (0.1, 0.2, z)
        world.detect(state)
        log += [(e.kind, round(float(z), 2)) for e in world.events]
        overlapping = abs(z) < 1.3
        assert (min((c.distance for c in world.between("wall", "bullet")), default=1.0) < 0) == overlapping
    (begin, high), (end, low) = log
    assert (begin, end) == ("begin", "end")
    assert 1.23 < high <= 1.3
    assert -1.4 < low <= -1.3
