"""Maps of signed distances: order of accuracy, signs, the way to the exact surface, and all their pairs (V-26)."""

import numpy as np
import pytest
from narrow_samples import matrix, moved, solid, turn

import gelenk as gk
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.map_build import map_parts
from gelenk.collision.map_query import nearest_on_map
from gelenk.collision.map_table import WRONG, map_distance
from gelenk.collision.mesh_foot import mesh_foot
from gelenk.collision.narrow.balls_solid import balls_solid
from gelenk.collision.narrow.map_solid import map_solid
from gelenk.collision.pair_table import CONVEX, EXACT, SEARCHED
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.ray import ray_solid
from gelenk.collision.solid import (
    BALLS,
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HULL,
    KINDS,
    MAP,
    MESH,
    PLANE,
    SPHERE,
    TRIANGLE,
)
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.compile import kernel
from gelenk.math.vec3 import get3, put3, vec3

RNG = np.random.default_rng(26)
ROUND = gk.TriangleMesh(*gk.Sphere(1.0).triangles(96))
CUBE = gk.TriangleMesh(*gk.Box((2.0, 2.0, 2.0)).triangles())
RING = gk.TriangleMesh(*gk.Torus(1.0, 0.4).triangles(24))
ORDER_MAPS = [gk.DistanceMap(ROUND, cells) for cells in (8, 16, 32)]
HULL_CUBE = gk.ConvexHull(gk.Box((1.0, 1.0, 1.0)).triangles()[0])
FLOOR = gk.HeightField(np.zeros((9, 9)), spacing=0.5)
TABLES = new_tables(
    [HULL_CUBE],
    [CUBE],
    [FLOOR],
    [gk.SphereTree(CUBE, 3)],
    [
        gk.DistanceMap(CUBE, 8),
        gk.DistanceMap(CUBE, 8, True),
        gk.DistanceMap(RING, 12),
        gk.DistanceMap(RING, 12, True),
        *ORDER_MAPS,
    ],
)
WORK = new_narrow_work(TABLES)
I3 = np.eye(3)
# half of it is 0.5 m high, and its centre in the middle but for the cone
SIZES = {
    SPHERE: (0.5, 0, 0),
    BOX: (0.5, 0.5, 0.5),
    CAPSULE: (0.2, 0, 0.3),
    CYLINDER: (0.4, 0, 0.5),
    CONE: (0.4, 0, 0.8),
    ELLIPSOID: (0.4, 0.3, 0.5),
    HULL: (0, 0, 0),
}


@kernel
def ask(maps, meshes, index, p, d_out, exact_out, n_out):
    """Distances by a map and by its mesh, and the gradients."""
    for i in range(p.shape[0]):
        record = maps.map[index]
        d, g = map_distance(maps, record, get3(p, i))
        d_out[i] = d
        put3(n_out, i, g)
        exact_out[i] = mesh_foot(meshes, record.mesh, get3(p, i))[0]


@kernel
def run(A, B, r, margin, tables, memory, work, out):
    """Entry point for the test."""
    return map_solid(A, B, r, margin, tables, memory, work, out)


def asked(index, p):
    d, exact, n = np.zeros(len(p)), np.zeros(len(p)), np.zeros((len(p), 3))
    ask(TABLES.maps, TABLES.meshes, index, p, d, exact, n)
    return d, exact, n


def touch(A, B, r, margin=0.02, routine=map_solid, most=MANY):
    out = new_points(most)
    return out[: routine(A, B, vec3(r), margin, TABLES, new_memory()[0], WORK, out)].copy()


def check_points(points, r, margin=0.02):
    np.testing.assert_allclose(np.linalg.norm(points["n"], axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(
        np.asarray(r) + points["b"] - points["a"], points["d"][:, None] * points["n"], atol=1e-13
    )
    assert (points["d"] <= margin).all()
    assert len(points) == 0 or points["d"][0] == points["d"].min()


def test_error_falls_with_the_square_of_the_cell():
    """Of a ball, 0.3 m or more from its centre: bounded by h^2 / 8 times the sum of second derivatives, 2 / |p|."""
    p = RNG.normal(size=(3000, 3))
    p *= RNG.uniform(0.35, 1.0, 3000)[:, None] / np.linalg.norm(p, axis=1)[:, None]
    worst = []
    for index, shape in enumerate(ORDER_MAPS, start=4):
        d, exact, g = asked(index, p)
        h = 2.0 / shape.cells
        worst.append(np.abs(d - exact).max())
        # corners of a cell lie up to sqrt(3) h nearer to the centre; the mesh is not smooth: its sagitta is 5e-4
        assert worst[-1] < h * h / 8 * 2.0 / max(0.35 - 3**0.5 * h, 0.1) + 1e-3
        # normals to the first order: h / |p|, more near the centre
        n = g / np.linalg.norm(g, axis=1)[:, None]
        out = p / np.linalg.norm(p, axis=1)[:, None]
        assert np.linalg.norm(n - out, axis=1).mean() < h
    order = np.log2(np.array(worst[:-1]) / worst[1:])
    assert order[0] > 1.6
    assert order[1] > 1.6


@pytest.mark.parametrize("index", [0, 2])
def test_distances_are_never_wrong_by_a_cell_and_signs_are_right(index):
    """For any body: 0.87 cells at most, so signs are right farther than that from the surface."""
    shape = gk.DistanceMap(CUBE, 8) if index == 0 else gk.DistanceMap(RING, 12)
    parts = map_parts(shape)
    top = parts.low + parts.cell * (np.array(parts.value.shape) - 1)
    d, exact, _ = asked(index, RNG.uniform(parts.low, top, (4000, 3)))
    assert np.abs(d - exact).max() <= WRONG * parts.cell * (1 + 1e-12)
    far = np.abs(exact) > WRONG * parts.cell
    assert (np.sign(d[far]) == np.sign(exact[far])).all()
    assert far.mean() > 0.3


def test_corners_hold_the_distances_of_the_mesh():
    """To the last bits, signs included, though each is found from the one before: of a ring by its own formula too."""
    parts = map_parts(gk.DistanceMap(RING, 12))
    i = np.stack(np.meshgrid(*map(np.arange, parts.value.shape), indexing="ij"), axis=-1).reshape(-1, 3)
    p = parts.low + parts.cell * i
    _, exact, _ = asked(2, p)
    np.testing.assert_allclose(parts.value.ravel(), exact, atol=1e-14)
    true = np.hypot(np.hypot(p[:, 0], p[:, 1]) - 1.0, p[:, 2]) - 0.4
    assert np.abs(parts.value.ravel() - true).max() < 0.03  # sagitta of 24 sides: 1.4 (1 - cos(pi / 24)) and 0.4 of it
    assert parts.value.min() < -0.3


@pytest.mark.parametrize("plain", [0, 2])
def test_march_to_the_surface_is_exact(plain):
    """Distance, point and normal as of the mesh, to 1e-9 and better, in the grid and outside."""
    for p in RNG.uniform(-1.6, 1.6, (60, 3)):
        B = solid(MAP, I3, (0, 0, 0), plain + 1)
        d, q, n = nearest_on_solid(B, TABLES, vec3(p))
        mesh = TABLES.maps.map[plain + 1].mesh
        d_mesh, q_mesh, n_mesh = mesh_foot(TABLES.meshes, mesh, vec3(p))
        assert d == pytest.approx(d_mesh, abs=1e-12)
        np.testing.assert_allclose(q, q_mesh, atol=1e-12)
        np.testing.assert_allclose(n, n_mesh, atol=1e-9)
        rough, foot, normal = nearest_on_solid(solid(MAP, I3, (0, 0, 0), plain), TABLES, vec3(p))
        np.testing.assert_allclose(np.array(foot) + rough * np.array(normal), p, atol=1e-12)


def test_too_far_is_told_at_once_and_by_no_less_than_the_limit():
    d, _, _ = nearest_on_map(TABLES.maps, TABLES.meshes, 0, vec3((3.0, 0, 0)), 0.5)
    assert d > 0.5
    d, _, _ = nearest_on_map(TABLES.maps, TABLES.meshes, 0, vec3((3.0, 0, 0)), 2.5)
    assert d == pytest.approx(2.0, abs=1e-14)


def test_rays_and_bounds_are_those_of_the_mesh():
    B = solid(MAP, turn(RNG), (0, 0, 0), 2)
    mesh = B._replace(kind=MESH, table=int(TABLES.maps.map[2].mesh))
    assert solid_bounds(B, TABLES) == solid_bounds(mesh, TABLES)
    for _ in range(20):
        start, way = vec3(RNG.normal(size=3) * 3), vec3(RNG.normal(size=3))
        assert ray_solid(B, TABLES, start, way, 9.0) == ray_solid(mesh, TABLES, start, way, 9.0)
    s, n = ray_solid(B._replace(R=solid(0, I3, (0, 0, 0)).R), TABLES, vec3((1, 0, 5)), vec3((0, 0, -1)), 9.0)
    assert s == pytest.approx(4.6, abs=1e-12)
    assert n.z == pytest.approx(1.0, abs=0.01)


def test_every_pair_with_a_map_has_its_row():
    rows = {**EXACT, **SEARCHED}
    for kind in range(KINDS):
        assert (MAP, kind) in rows or (kind, MAP) in rows
    assert all(rows[MAP, kind] is map_solid for kind in (*CONVEX, PLANE, MESH, FIELD, MAP))
    assert rows[BALLS, MAP] is balls_solid


@pytest.mark.parametrize("table", [0, 1])
@pytest.mark.parametrize("depth", [0.01, -0.01])
@pytest.mark.parametrize("kind", [*SIZES, PLANE, MESH, FIELD, MAP])
def test_bodies_on_the_face_of_a_cube(kind, depth, table):
    """Flat faces are linear, so the map is exact there: depth and normal to round-off, for every kind."""
    A = solid(MAP, I3, (0, 0, 0), table)
    half = {CONE: 0.0, PLANE: 0.0, FIELD: 0.0, MESH: 1.0, MAP: 1.0}.get(kind, 0.5)
    below = kind in (PLANE, FIELD)
    r = np.array([0.0, 0.0, depth - 1.0]) if below else np.array([0.03, 0.05, 1.0 + half - depth])
    r[2] = -1.0 + depth if below else r[2]
    points = touch(A, solid(kind, I3, SIZES.get(kind, (0, 0, 0)), 0), r)
    check_points(points, r)
    assert len(points) >= (1 if kind in (SPHERE, CAPSULE, ELLIPSOID) else 4)
    # a ball and an ellipsoid meet test points beside their lowest point as well, which lie less deep
    assert points["d"].min() == pytest.approx(-depth, abs=1e-9 if kind == ELLIPSOID else 1e-12)
    first = points[np.argmin(points["d"])]
    np.testing.assert_allclose(first["n"], (0, 0, -1.0 if below else 1.0), atol=1e-6 if kind == ELLIPSOID else 1e-12)
    if kind not in (SPHERE, CAPSULE, ELLIPSOID):
        lean = points["n"] @ first["n"]
        assert (lean > 0.5).all()  # none is pushed over the rim; beside it and at edges of the map normals lean
        assert np.median(lean) == pytest.approx(1.0, abs=1e-12)
        assert np.ptp(points["a"][:, 0]) > 0.6
        assert np.ptp(points["a"][:, 1]) > 0.6


def test_a_triangle_and_a_tree_of_balls():
    A = solid(MAP, I3, (0, 0, 0), 0)
    lying = solid(TRIANGLE, np.array([[0.5, -0.5, 0.0], [0.0, 0.5, -0.5], [0, 0, 0]]), (0, 0, 0))
    points = touch(A, lying, (0, 0, 0.99))
    assert points["d"].min() == pytest.approx(-0.01, abs=1e-12)
    points = touch(solid(BALLS, I3, (0, 0, 0), 0), solid(MAP, I3, (0, 0, 0), 1), (0, 0, 2.0), routine=balls_solid)
    assert len(points) > 0
    assert points["n"][0][2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", [SPHERE, BOX, HULL, CYLINDER, MAP])
def test_turned_as_a_whole_and_swapped(kind):
    """A rigid motion turns normals and points; two maps swapped have the same depth."""
    A, B = solid(MAP, turn(RNG), (0, 0, 0), 3), solid(kind, turn(RNG), SIZES.get(kind, (0, 0, 0)), 0)
    r, Q = matrix(A) @ np.array([1.1, 0.3, 0.5]), turn(RNG)
    points, again = touch(A, B, r), touch(moved(A, Q), moved(B, Q), Q @ r)
    check_points(points, r)
    assert len(points) > 0
    assert again["d"].min() == pytest.approx(points["d"].min(), abs=1e-12)
    np.testing.assert_allclose(again["n"][0], Q @ points["n"][0], atol=1e-9)
    if kind == MAP:
        assert touch(B, A, -r)["d"].min() == pytest.approx(points["d"].min(), abs=1e-12)


def test_ball_against_a_ring_by_its_formula():
    """Around it and in the hole: depth within the sagitta of the mesh for the exact map, else a share of a cell."""
    cell = map_parts(gk.DistanceMap(RING, 12)).cell
    for table, allowed in ((2, 0.25 * cell + 0.02), (3, 0.02)):
        met = 0
        for _ in range(40):
            p = RNG.uniform((-1.4, -1.4, -0.5), (1.4, 1.4, 0.5))
            true = np.hypot(np.hypot(*p[:2]) - 1.0, p[2]) - 0.4
            if not 0.05 < true < 0.25:
                continue
            points = touch(solid(MAP, I3, (0, 0, 0), table), solid(SPHERE, I3, (0.3, 0, 0)), p)
            check_points(points, p)
            assert points["d"].min() == pytest.approx(true - 0.3, abs=allowed)
            met += 1
        assert met > 2
    assert len(touch(solid(MAP, I3, (0, 0, 0), 2), solid(SPHERE, I3, (0.4, 0, 0)), (0, 0, 0))) == 0


def test_all_test_points_in_a_plane_are_found():
    """Culling by balls loses none: against all points by hand."""
    A, plane = solid(MAP, turn(RNG), (0, 0, 0), 2), solid(PLANE, turn(RNG), (0, 0, 0))
    r = matrix(plane)[:, 2] * 0.1
    points = touch(A, plane, r, most=4096)
    probes = map_parts(gk.DistanceMap(RING, 12)).tree.place @ matrix(A).T
    d = (probes - r) @ matrix(plane)[:, 2]
    own = points["feature_a"].astype(int)
    np.testing.assert_allclose(points["d"], d[own], atol=1e-14)
    assert set(own) <= set(np.flatnonzero(d <= 0.02))
    # those that are not there look away from the plane
    assert len(own) > 0.5 * (d <= 0.02).sum()
    assert d.min() == pytest.approx(points["d"].min(), abs=1e-14)


def test_world_of_maps():
    """In a model: contacts, rays, nearest points and impacts."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("low", shape=gk.DistanceMap(CUBE, 8), density=100, at=(0, 0, 0.99))
    b.body("high", shape=gk.DistanceMap(CUBE, 8, exact=True), density=100, at=(0.3, 0, 2.98))
    b.body("ball", shape=gk.Sphere(0.2), density=100, at=(0, 0, 5), velocity=(0, 0, -10))
    model = b.build()
    world = gk.CollisionWorld(model, margin=0.01)
    for names in (("ground", "low"), ("low", "high")):
        found = world.between(*names)
        assert len(found) >= 4
        deepest = min(found, key=lambda c: c.distance)
        assert deepest.distance == pytest.approx(-0.01, abs=1e-12)
        np.testing.assert_allclose(deepest.normal, (0, 0, 1), atol=1e-12)
        assert all(c.normal[2] > 0.5 for c in found)  # over edges the map is rounded
    assert world.ray((0.5, 0, 9), (0, 0, -1)).distance == pytest.approx(9 - 3.98, abs=1e-12)
    assert world.closest((2.0, 0, 3.0)).distance == pytest.approx(0.7, abs=1e-12)
    first = world.impacts(model.initial_state(), 1.0)
    assert ("high", "ball") in {(hit.a, hit.b) for hit in first} | {(hit.b, hit.a) for hit in first}
    assert next(hit.time for hit in first if "ball" in (hit.a, hit.b)) == pytest.approx((4.8 - 3.98) / 10, abs=1e-6)


@pytest.mark.proof
def test_compiled_and_interpreted_agree_to_the_last_bit():
    for kind in (*SIZES, PLANE, MESH, FIELD, MAP):
        for table in range(4):
            A, B = solid(MAP, turn(RNG), (0, 0, 0), table), solid(kind, turn(RNG), SIZES.get(kind, (0, 0, 0)), 0)
            r = np.array([0.9, 0.3, 0.2])
            assert touch(A, B, r).tobytes() == touch(A, B, r, routine=run).tobytes()
