"""Nearest points of the surface of every convex kind and the plane (V-19, issue 4.5)."""

import numpy as np
import pytest
from query_samples import (
    EPS,
    KINDS,
    NAMES,
    SOLID_KINDS,
    TABLES,
    Many,
    approach,
    extent,
    inside_measure,
    points_about,
    solids,
    some,
    support,
    to_shape,
    unit,
)

from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.nearest_ellipsoid import nearest_on_ellipsoid
from gelenk.collision.query.nearest_rows import fill_nearest, nearest_plug, new_feet, new_nearest_rows
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, TRIANGLE, Solid
from gelenk.geometry.shapes import Box
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, vec3

EYE = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
CORNERS = Mat3(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # (0, 0, 0), (1, 0, 0), (0, 1, 0)
ROOT = np.sqrt(0.5)

CLOSED_FORMS = [
    (SPHERE, (2, 0, 0), (0, 5, 0), 3, (0, 2, 0), (0, 1, 0)),
    (SPHERE, (2, 0, 0), (0, 0, 0.5), -1.5, (0, 0, 2), (0, 0, 1)),
    (BOX, (1, 2, 3), (4, 6, 0), 5, (1, 2, 0), (0.6, 0.8, 0)),
    (BOX, (1, 2, 3), (0, 0, 2.5), -0.5, (0, 0, 3), (0, 0, 1)),
    (CAPSULE, (1, 0, 2), (0, 4, 1), 3, (0, 1, 1), (0, 1, 0)),
    (CAPSULE, (1, 0, 2), (3, 0, -6), 4, (0.6, 0, -2.8), (0.6, 0, -0.8)),
    (CYLINDER, (1, 0, 2), (4, 0, 6), 5, (1, 0, 2), (0.6, 0, 0.8)),
    (CYLINDER, (1, 0, 2), (0, 0.75, 0), -0.25, (0, 1, 0), (0, 1, 0)),
    (CONE, (1, 0, 1), (0, 0, 3), 2, (0, 0, 1), (0, 0, 1)),
    (CONE, (1, 0, 1), (0, 0.25, 0.125), -0.125, (0, 0.25, 0), (0, 0, -1)),
    (CONE, (1, 0, 1), (1.5, 0, 1.5), 2 * ROOT, (0.5, 0, 0.5), (ROOT, 0, ROOT)),
    (ELLIPSOID, (1, 2, 3), (0, 7, 0), 5, (0, 2, 0), (0, 1, 0)),
    (ELLIPSOID, (2, 2, 2), (3, 4, 0), 3, (1.2, 1.6, 0), (0.6, 0.8, 0)),
    (TRIANGLE, (0, 0, 0), (0.25, 0.25, -2), 2, (0.25, 0.25, 0), (0, 0, -1)),
    (TRIANGLE, (0, 0, 0), (4, -4, 0), 5, (1, 0, 0), (0.6, -0.8, 0)),
    (PLANE, (0, 0, 0), (3, 4, 5), 5, (3, 4, 0), (0, 0, 1)),
    (PLANE, (0, 0, 0), (3, 4, -5), -5, (3, 4, 0), (0, 0, 1)),
]


@pytest.mark.parametrize("kind", SOLID_KINDS, ids=NAMES.get)
def test_the_row_of_a_kind_finds_the_same(kind):
    """A routine for one kind alone, called by its address."""
    rows, foot = new_nearest_rows(), new_feet()
    fill_nearest(rows, [kind])
    for p in ((0.1, -0.2, 0.3), (2.0, 3.0, -1.5)):
        solid = Solid(kind, 0, EYE, Vec3(0.5, 0.6, 0.7))
        d, q, n = nearest_on_solid(solid, TABLES, vec3(p))
        assert nearest_plug.call(rows[kind], solid, TABLES, vec3(p), foot[0]) == (d < 0.0)
        assert (foot.d[0], *foot.q[0], *foot.n[0]) == (d, q.x, q.y, q.z, n.x, n.y, n.z)


@pytest.mark.parametrize(("kind", "size", "p", "d", "q", "n"), CLOSED_FORMS)
def test_closed_form(kind, size, p, d, q, n):
    solid = Solid(kind, 0, CORNERS if kind == TRIANGLE else EYE, vec3(size))
    distance, point, normal = nearest_on_solid(solid, TABLES, vec3(p))
    assert distance == pytest.approx(d, rel=4 * EPS)
    np.testing.assert_allclose(point, q, atol=8 * EPS)
    np.testing.assert_allclose(normal, n, atol=4 * EPS)


def points(many, rng, reach):
    """Inside, on the surface to round-off, near it and far away; some on axes and planes of symmetry."""
    count, size = len(many.table), extent(many)[:, None]
    p = points_about(many, rng)
    far = rng.random(count) < 0.4
    p[far] = (size * 10.0 ** rng.uniform(-1, reach, (count, 1)) * unit(rng.normal(size=(count, 3))))[far]
    flat = rng.random(count) < 0.2
    if many.kind != TRIANGLE:
        local = to_shape(many, p)
        local[rng.random((count, 3)) < 0.5] = 0
        p[flat] = np.einsum("kij,kj->ki", many.R, local)[flat]
    near = rng.random(count) < 0.2
    p[near] = approach(many, p)[1][near]
    return p


def check_nearest(kind, count, rng, scale=1.0, reach=1.0):
    """That nothing of the surface is nearer, from what the query says itself; returns how many points were inside.

    Outside the point q is of the solid and the solid lies behind the plane through q with the normal (p - q), so q is
    nearest. Inside q is of the surface, and the solid reaches farther than |d| from p along any direction, which is
    sampled: some thousand directions in all, and those close to the normal.
    """
    many = solids(kind, count, rng, scale)
    p = points(many, rng, reach)
    d, q, n = approach(many, p)
    size = extent(many) + np.linalg.norm(p, axis=1)
    tol = 32 * EPS * size
    if kind == HULL:
        tol *= 8  # planes hold the vertices of needles to EPS of the extent only
    np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1, atol=8 * EPS)
    assert (np.linalg.norm(p - q - d[:, None] * n, axis=1) <= tol).all()
    if kind == TRIANGLE:
        assert (d >= 0).all()
    else:
        measure = inside_measure(many, to_shape(many, p))
        assert not ((measure > tol) & (d < 0)).any()
        assert not ((measure < -tol) & (d > 0)).any()
        assert (np.abs(inside_measure(many, to_shape(many, q))) <= tol).all()
    if kind == PLANE:
        np.testing.assert_allclose(d, to_shape(many, p)[:, 2], atol=tol.max())
        return int((d < 0).sum())
    # a normal over an edge turns by tol / d if p moves by tol; at a distance of round-off it may be any
    outer = d > tol
    steep = tol + np.where(outer, tol / np.where(outer, d, 1), 0) * extent(many)
    assert ((support(many, n) - (q * n).sum(1))[outer] <= steep[outer]).all()
    inner = d < 0
    for k in range(40):
        u = rng.normal(size=(count, 3)) if k < 20 else n + rng.normal(size=(count, 3)) * 10.0 ** -rng.uniform(0, 6)
        u = unit(u)
        assert (support(many, u) - (p * u).sum(1) >= -d - tol)[inner].all()
    return int(inner.sum())


@pytest.mark.parametrize("kind", KINDS, ids=NAMES.get)
def test_nothing_is_nearer(kind):
    inside = check_nearest(kind, some(4000), np.random.default_rng(kind))
    assert inside > some(4000) // 10 or kind == TRIANGLE


@pytest.mark.parametrize("scale", [1e-3, 1e4])
@pytest.mark.parametrize("kind", [k for k in KINDS if k not in (HULL, PLANE)], ids=NAMES.get)
def test_nothing_is_nearer_at_all_scales_and_from_far(kind, scale):
    inside = check_nearest(kind, some(1000), np.random.default_rng(50 + kind), scale, reach=4)
    assert inside > some(1000) // 20 or kind == TRIANGLE


@pytest.mark.proof
@pytest.mark.parametrize("kind", KINDS, ids=NAMES.get)
def test_nothing_is_nearer_to_many_points(kind):
    for part in range(5):
        check_nearest(kind, 20000, np.random.default_rng(100 * kind + part), reach=2)


@pytest.mark.parametrize("kind", SOLID_KINDS, ids=NAMES.get)
def test_the_distance_is_continuous(kind):
    rng = np.random.default_rng(kind)
    one = solids(kind, 1, rng)
    a, b = 2 * extent(one) * unit(rng.normal(size=(2, 3)))
    count = some(2000)
    many = Many(kind, *(np.repeat(x, count, 0) for x in one[1:]))
    p = a + np.linspace(0, 1, count)[:, None] * (b - a)
    d, _, _ = approach(many, p)
    # a distance changes by no more than its point moves
    assert (np.abs(np.diff(d)) <= np.linalg.norm(b - a) / (count - 1) + 64 * EPS * np.linalg.norm(a)).all()


def test_ellipsoid_from_its_middle_and_its_axes():
    size = Vec3(3.0, 2.0, 1.0)
    d, q, n = nearest_on_ellipsoid(size, Vec3(0.0, 0.0, 0.0))
    assert d == -1
    np.testing.assert_allclose(np.abs([q, n]), [(0, 0, 1), (0, 0, 1)], atol=EPS)
    # on the longest axis within its centre of curvature 3 - 1/3 the nearest point is off the axis:
    # x = a^2 p / (a^2 - c^2),  z = c sqrt(1 - x^2 / a^2)
    d, q, _ = nearest_on_ellipsoid(size, Vec3(1.0, 0.0, 0.0))
    x, z = 9 / 8, np.sqrt(1 - 9 / 64)
    np.testing.assert_allclose(np.abs(q), (x, 0, z), atol=4 * EPS)
    assert d == pytest.approx(-np.hypot(x - 1, z), rel=4 * EPS)
    # beyond it, it is the end of the axis
    d, q, _ = nearest_on_ellipsoid(size, Vec3(2.9, 0.0, 0.0))
    np.testing.assert_allclose((d, *q), (-0.1, 3, 0, 0), atol=8 * EPS)


def test_ellipsoid_next_to_the_planes_where_its_nearest_point_jumps():
    rng = np.random.default_rng(5)
    count = some(3000)
    size = 10.0 ** rng.uniform(-4, 0, (count, 3))
    size[: count // 3, 1] = size[: count // 3, 0]  # spheroids
    size[-count // 30 :] = size[-count // 30 :, :1]  # spheres
    p = size * rng.uniform(-1, 1, (count, 3)) * 10.0 ** rng.uniform(-20, 0, (count, 3))
    many = Many(ELLIPSOID, np.zeros(count, int), np.tile(np.eye(3), (count, 1, 1)), size)
    d, q, n = approach(many, p)
    assert (np.abs(np.linalg.norm(q / size, axis=1) - 1) < 16 * EPS).all()
    largest = size.max(1)
    assert (np.linalg.norm(p - q - d[:, None] * n, axis=1) <= 16 * EPS * largest).all()
    inner = d < 0
    assert inner.sum() > count // 2
    for _ in range(100):  # no point of the surface is nearer
        other = size * unit(rng.normal(size=(count, 3)) * 10.0 ** -rng.uniform(0, 6, (count, 3)))
        assert (np.linalg.norm(p - other, axis=1) >= np.abs(d) - 16 * EPS * largest).all()


def test_a_box_and_its_hull_of_six_faces_have_the_same_nearest_points():
    rng = np.random.default_rng(12)
    count = some(2000)
    boxes = solids(BOX, count, rng)
    boxes.size[:] = size = (0.2, 0.5, 0.9)
    p = points(boxes, rng, 2.0)
    hulls = boxes._replace(kind=HULL, table=np.zeros(count, int))
    tables = TABLES._replace(hulls=pack_hulls([box_hull(Box(tuple(2 * x for x in size)))]))
    (d, q, _), (e, o, _) = approach(boxes, p), approach(hulls, p, tables)
    far = 1 + np.linalg.norm(p, axis=1)
    assert (np.abs(d - e) <= 32 * EPS * far).all()
    assert (np.linalg.norm(q - o, axis=1)[d > 0] <= 32 * EPS * far[d > 0]).all()


def test_distances_of_coal():
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(9)
    made = {
        SPHERE: lambda s: (coal.Sphere(s[0]), 0),
        BOX: lambda s: (coal.Box(*(2 * s)), 0),
        CAPSULE: lambda s: (coal.Capsule(s[0], 2 * s[2]), 0),
        CYLINDER: lambda s: (coal.Cylinder(s[0], 2 * s[2]), 0),
        CONE: lambda s: (coal.Cone(s[0], s[2]), s[2] / 2),
        ELLIPSOID: lambda s: (coal.Ellipsoid(*s), 0),
    }
    for kind, make in made.items():
        size = rng.uniform(0.2, 1, (30, 3))
        many = Many(kind, np.zeros(30, int), np.tile(np.eye(3), (30, 1, 1)), size)
        p = 4 * unit(rng.normal(size=(30, 3)))
        d, _, _ = approach(many, p)
        for i in range(30):
            shape, up = make(size[i])
            a, b = coal.Transform3s(), coal.Transform3s()
            a.setTranslation(np.array([0, 0, up]))
            b.setTranslation(p[i])
            request, result = coal.DistanceRequest(), coal.DistanceResult()
            other = coal.distance(shape, a, coal.Sphere(0.5), b, request, result)
            assert other + 0.5 == pytest.approx(d[i], abs=1e-5)  # its tolerance is 1e-6 of a distance


def test_hull_as_by_trimesh():
    trimesh = pytest.importorskip("trimesh")
    rng = np.random.default_rng(4)
    for table in (2, 5, 7):
        h = TABLES.hulls.hull[table]
        vertex = TABLES.hulls.vertex[h["vertex_first"] : h["vertex_last"]]
        mesh = trimesh.convex.convex_hull(vertex)
        count = some(300)
        p = rng.normal(size=(count, 3))
        many = Many(HULL, np.full(count, table), np.tile(np.eye(3), (count, 1, 1)), np.ones((count, 3)))
        d, q, _ = approach(many, p)
        point, distance, _ = trimesh.proximity.closest_point_naive(mesh, p)
        np.testing.assert_allclose(np.abs(d), distance, atol=1e-12)
        np.testing.assert_allclose(q[d > 0], point[d > 0], atol=1e-11)
