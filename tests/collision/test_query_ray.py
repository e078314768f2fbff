"""Rays on every convex kind and the plane (V-19, issue 4.5): closed forms, brute force, marching."""

import numpy as np
import pytest
from query_samples import (
    EPS,
    KINDS,
    NAMES,
    SOLID_KINDS,
    TABLES,
    Many,
    cast,
    extent,
    first_inside,
    inside_measure,
    least_along,
    march,
    random_rays,
    solids,
    some,
    to_shape,
)

from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.collision.query.ray import ray_solid
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, TRIANGLE, Solid
from gelenk.geometry.shapes import Box
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, vec3

EYE = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
CORNERS = Mat3(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # (0, 0, 0), (1, 0, 0), (0, 1, 0)
ROOT = np.sqrt(0.5)


def hit(kind, size, start, direction, length=np.inf, R=EYE):
    s, n = ray_solid(Solid(kind, 0, R, vec3(size)), TABLES, vec3(start), vec3(direction), length)
    return s, np.array(n)


CLOSED_FORMS = [
    (SPHERE, (2, 0, 0), (-5, 0, 0), (1, 0, 0), 3, (-1, 0, 0)),
    (SPHERE, (1, 0, 0), (-5, ROOT, 0), (2, 0, 0), (5 - ROOT) / 2, (-ROOT, ROOT, 0)),
    (SPHERE, (1, 0, 0), (-5, 1.5, 0), (1, 0, 0), np.inf, (0, 0, 0)),
    (SPHERE, (1, 0, 0), (-5, 0, 0), (-1, 0, 0), np.inf, (0, 0, 0)),
    (BOX, (1, 2, 3), (0.5, 0.5, 7), (0, 0, -2), 2, (0, 0, 1)),
    (BOX, (1, 2, 3), (-3, 0, 0), (1, 0.5, 0.1), 2, (-1, 0, 0)),
    (BOX, (1, 2, 3), (-3, 2.5, 0), (1, 0, 0), np.inf, (0, 0, 0)),
    (BOX, (1, 2, 3), (-3, 2, 0), (1, 0, 0), 2, (-1, 0, 0)),  # slides along a face: closed
    (CAPSULE, (1, 0, 2), (4, 0, 1), (-1, 0, 0), 3, (1, 0, 0)),
    (CAPSULE, (1, 0, 2), (0, 0, 9), (0, 0, -3), 2, (0, 0, 1)),
    (CAPSULE, (1, 0, 2), (5, 0, 2 + ROOT), (-1, 0, 0), 5 - ROOT, (ROOT, 0, ROOT)),
    (CAPSULE, (1, 0, 2), (5, 0, 3.5), (-1, 0, 0), np.inf, (0, 0, 0)),
    (CYLINDER, (1, 0, 2), (0.5, 0.5, 9), (0, 0, -1), 7, (0, 0, 1)),
    (CYLINDER, (1, 0, 2), (4, 0, 1), (-1, 0, 0), 3, (1, 0, 0)),
    (CYLINDER, (1, 0, 2), (0.9, 0.9, 9), (0, 0, -1), np.inf, (0, 0, 0)),
    (CYLINDER, (1, 0, 2), (4, 0, 2.5), (-1, 0, 0), np.inf, (0, 0, 0)),
    (CONE, (1, 0, 1), (0, 0, 5), (0, 0, -1), 4, (0, 0, 1)),  # on the apex
    (CONE, (1, 0, 1), (4, 0, 0.5), (-1, 0, 0), 3.5, (ROOT, 0, ROOT)),
    (CONE, (1, 0, 1), (0.3, 0.2, -2), (0, 0, 1), 2, (0, 0, -1)),
    (CONE, (1, 0, 1), (0.25, 0, 4), (0, 0, -1), 3.25, (ROOT, 0, ROOT)),
    (CONE, (1, 0, 1), (4, 0, 1.5), (-1, 0, 0), np.inf, (0, 0, 0)),  # only the mirror image
    (CONE, (1, 0, 1), (2, 0, 0.5), (-1, 0, -1), np.inf, (0, 0, 0)),
    (CONE, (1, 0, 1), (-1, 0, 1.5), (1, 0, -1), 0.75, (-ROOT, 0, ROOT)),  # parallel to the other side
    (ELLIPSOID, (1, 2, 3), (0, 0, 8), (0, 0, -1), 5, (0, 0, 1)),
    (ELLIPSOID, (1, 2, 3), (5, 0, 0), (-2, 0, 0), 2, (1, 0, 0)),
    (ELLIPSOID, (1, 2, 3), (5, 2.1, 0), (-2, 0, 0), np.inf, (0, 0, 0)),
    (TRIANGLE, (0, 0, 0), (0.25, 0.25, 2), (0, 0, -1), 2, (0, 0, 1)),
    (TRIANGLE, (0, 0, 0), (0.25, 0.25, -2), (0, 0, 4), 0.5, (0, 0, 1)),  # from behind: the same normal
    (TRIANGLE, (0, 0, 0), (0.75, 0.75, 2), (0, 0, -1), np.inf, (0, 0, 0)),
    (TRIANGLE, (0, 0, 0), (-1, 0.25, 0), (1, 0, 0), np.inf, (0, 0, 0)),  # in its plane
    (PLANE, (0, 0, 0), (3, 4, 5), (1, 0, -2), 2.5, (0, 0, 1)),
    (PLANE, (0, 0, 0), (3, 4, 5), (1, 0, 0), np.inf, (0, 0, 0)),
    (PLANE, (0, 0, 0), (3, 4, 5), (1, 0, 1), np.inf, (0, 0, 0)),
]


@pytest.mark.parametrize(("kind", "size", "start", "direction", "s", "n"), CLOSED_FORMS)
def test_closed_form(kind, size, start, direction, s, n):
    found, normal = hit(kind, size, start, direction, R=CORNERS if kind == TRIANGLE else EYE)
    assert found == pytest.approx(s, rel=4 * EPS)
    np.testing.assert_allclose(normal, n, atol=4 * EPS)


@pytest.mark.parametrize("kind", SOLID_KINDS, ids=NAMES.get)
def test_start_inside_is_a_hit_at_once_against_the_direction(kind):
    start = (0.0, 0.0, -0.01) if kind == PLANE else (0.0, 0.0, 0.01)
    s, n = hit(kind, (1, 1, 1), start, (0, 3, 4))
    assert s == 0
    np.testing.assert_allclose(n, (0, -0.6, -0.8), atol=EPS)
    assert hit(kind, (1, 1, 1), start, (0, 0, 0))[0] == 0
    assert hit(kind, (1, 1, 1), start, (0, 3, 4), -1.0)[0] == np.inf


@pytest.mark.parametrize("kind", KINDS, ids=NAMES.get)
def test_no_direction_and_no_number_hit_nothing(kind):
    R = CORNERS if kind == TRIANGLE else EYE
    assert hit(kind, (1, 1, 1), (7, 0, 9), (0, 0, 0), R=R)[0] == np.inf
    assert hit(kind, (1, 1, 1), (np.nan, 0, 9), (0, 0, -1), R=R)[0] == np.inf


@pytest.mark.parametrize("kind", KINDS, ids=NAMES.get)
def test_length_and_unit_of_the_direction(kind):
    R, size = CORNERS if kind == TRIANGLE else EYE, (1, 1, 1)
    start, direction = Vec3(0.2, 0.1, 8.0), Vec3(0.0, 0.0, -0.5)
    s, n = hit(kind, size, start, direction, R=R)
    assert 10 < s < 17
    assert hit(kind, size, start, direction, s, R=R)[0] == s
    assert hit(kind, size, start, direction, s * (1 - EPS), R=R)[0] == np.inf
    longer, same = hit(kind, size, start, direction * 8.0, R=R)
    assert longer * 8 == pytest.approx(s, rel=2 * EPS)
    np.testing.assert_allclose(same, n, atol=8 * EPS)


def check_rays(kind, count, rng, scale=1.0, reach=None):
    """Against thirds and halves on the plain inside measure; returns how many hit.

    Starts and directions round to EPS of the distance from the centre, and what is computed is exact for data that
    differ by some of that: this is the tolerance in space. Rays whose depth in the solid is below it may go either way.
    """
    many = solids(kind, count, rng, scale)
    start, direction = random_rays(many, rng, reach)
    s, n = cast(many, start, direction)
    p, d = to_shape(many, start), to_shape(many, direction)
    speed = np.linalg.norm(direction, axis=1)
    size = extent(many)
    far = np.linalg.norm(start, axis=1)
    middle = np.maximum(-(start * direction).sum(1), 0) / speed**2
    spread = 3 * size / speed
    if kind == PLANE:  # the measure falls for ever
        least = np.where(d[:, 2] < 0, -np.inf, p[:, 2])
        place = 2 * p[:, 2] / np.maximum(-d[:, 2], 1e-3 * speed)
    else:
        place, least = least_along(many, p, d, np.maximum(middle - spread, 0), middle + spread)
    tol = 32 * EPS * (far + size) * (1 if kind != ELLIPSOID else (many.size.max(1) / many.size.min(1)))
    if kind == HULL:
        tol *= 8  # the planes of needles hold their vertices to EPS of the extent only
    hits = np.isfinite(s)
    at_start = inside_measure(many, p)
    assert not (hits & (least > tol)).any()
    assert not (~hits & (least < -tol)).any()
    assert (s[at_start < -tol] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(n[hits], axis=1), 1, atol=8 * EPS)
    np.testing.assert_array_equal(n[~hits], 0)
    outside = hits & (at_start > tol)
    entry = p + np.where(hits, s, 0)[:, None] * d
    assert (np.abs(inside_measure(many, entry))[outside] <= tol[outside]).all()
    assert ((n * direction).sum(1)[outside] <= 64 * EPS * (speed * (far + size) / many.size.min(1))[outside]).all()
    deep = outside & (least < -tol)
    first = first_inside(many, p, d, np.zeros(count), place)
    # a shift by tol across a surface that falls by ``rate`` along the ray moves the entry by tol / rate
    ahead = inside_measure(many, p + (np.where(hits, s, 0) + 1e-7 * size / speed)[:, None] * d)
    steep = deep & (ahead < -1e-9 * size)
    rate = np.maximum(-ahead / (1e-7 * size / speed), 1e-300)
    if kind == PLANE:
        steep &= -d[:, 2] > 1e-3 * speed
    assert steep.sum() > 0.05 * count
    assert (np.abs(s[steep] - first[steep]) <= (2 * tol / rate + 32 * EPS * first)[steep]).all()
    return int(hits.sum())


@pytest.mark.parametrize("kind", SOLID_KINDS, ids=NAMES.get)
def test_rays_as_by_brute_force(kind):
    count = some(4000)
    hits = check_rays(kind, count, np.random.default_rng(kind))
    assert count // 4 < hits < count


@pytest.mark.parametrize("scale", [1e-3, 1e4])
@pytest.mark.parametrize("kind", [k for k in SOLID_KINDS if k not in (HULL, PLANE)], ids=NAMES.get)
def test_rays_from_near_and_far_at_all_scales(kind, scale):
    count = some(1000)
    assert check_rays(kind, count, np.random.default_rng(kind), scale, reach=4) > count // 5


@pytest.mark.proof
@pytest.mark.parametrize("kind", SOLID_KINDS, ids=NAMES.get)
def test_many_rays_as_by_brute_force(kind):
    for part in range(5):
        check_rays(kind, 20000, np.random.default_rng(100 * kind + part), reach=3)


def check_triangle_rays(count, rng, scale=1.0):
    """Against the linear system  start + s direction = u p + v q + (1 - u - v) r."""
    many = solids(TRIANGLE, count, rng, scale)
    start, direction = random_rays(many, rng)
    inner = rng.random(count) < 0.7
    weight = rng.dirichlet((1, 1, 1), count)
    direction[inner] = (np.einsum("kij,kj->ki", many.R, weight) - start)[inner]
    s, n = cast(many, start, direction)
    p, q, r = many.R[:, :, 0], many.R[:, :, 1], many.R[:, :, 2]
    A = np.stack([-direction, p - r, q - r], axis=2)
    size, speed = extent(many), np.linalg.norm(direction, axis=1)
    well = np.linalg.cond(A / np.linalg.norm(A, axis=1)[:, None]) < 1e4
    solution = np.linalg.solve(A[well], (start - r)[well][:, :, None])[:, :, 0]
    margin = np.minimum(solution.min(1), 1 - solution[:, 1:].sum(1))
    # the solution of the reference is good to its condition times EPS, starts are up to ten sizes away
    assert np.isfinite(s[well][margin > 1e-9]).all()
    assert not np.isfinite(s[well][margin < -1e-9]).any()
    on = margin > 1e-9
    np.testing.assert_allclose(s[well][on], solution[on, 0], rtol=1e-9, atol=1e-10)
    plane = (n * (start + np.where(np.isfinite(s), s, 0)[:, None] * direction - p)).sum(1)
    assert (np.abs(plane[well][on]) <= 1e-11 * size[well][on]).all()
    assert (speed > 0).all()
    return int(on.sum())


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_triangles_as_by_a_linear_system(scale):
    count = some(4000)
    assert check_triangle_rays(count, np.random.default_rng(7), scale) > 0.35 * count


@pytest.mark.proof
def test_many_triangles_as_by_a_linear_system():
    assert check_triangle_rays(100000, np.random.default_rng(8)) > 30000


def test_no_ray_passes_between_triangles_that_share_a_side():
    rng = np.random.default_rng(3)
    count = some(20000)
    a, b, c, d = rng.normal(size=(4, count, 3))
    on = a + rng.random((count, 1)) * (b - a)
    start = on + rng.normal(size=(count, 3))
    across = np.cross(b - a, on - start)
    opposite = (across * (c - a)).sum(1) * (across * (d - a)).sum(1) < 0  # c and d on both sides of the side, as seen
    corners = [np.stack(x, axis=2) for x in ((a, b, c), (b, a, d))]
    zeros, size = np.zeros(count, int), np.ones((count, 3))
    first, second = (cast(Many(TRIANGLE, zeros, R, size), start, on - start)[0] for R in corners)
    assert opposite.sum() > count // 5
    assert (np.isfinite(first) | np.isfinite(second))[opposite].all()


def test_a_box_and_its_hull_of_six_faces_are_met_at_the_same_place():
    rng = np.random.default_rng(12)
    count = some(2000)
    boxes = solids(BOX, count, rng)
    boxes.size[:] = size = (0.2, 0.5, 0.9)
    start, direction = random_rays(boxes, rng)
    hulls = boxes._replace(kind=HULL, table=np.zeros(count, int))
    tables = TABLES._replace(hulls=pack_hulls([box_hull(Box(tuple(2 * x for x in size)))]))
    (s, n), (t, m) = cast(boxes, start, direction), cast(hulls, start, direction, tables=tables)
    close = np.isfinite(s) & np.isfinite(t)
    far = np.linalg.norm(start, axis=1)
    assert close.sum() > count // 2
    assert (np.isfinite(s) == np.isfinite(t)).mean() > 0.999  # a ray along a face may graze
    rate = np.abs((n * direction).sum(1)) + 1e-300
    assert (np.abs(s[close] - t[close]) <= (32 * EPS * (far + 1) / rate)[close] + 32 * EPS * s[close]).all()
    assert (np.linalg.norm(n - m, axis=1)[close] < 1e-12).mean() > 0.999  # but for hits on an edge


@pytest.mark.parametrize("kind", KINDS, ids=NAMES.get)
def test_marching_by_the_nearest_distance_arrives_at_the_same_place(kind):
    rng = np.random.default_rng(20 + kind)
    count = some(1000)
    many = solids(kind, count, rng)
    start, direction = random_rays(many, rng)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    s, n = cast(many, start, direction)
    size = extent(many)
    steep = np.abs((n * direction).sum(1)) > 0.2
    if kind == TRIANGLE:
        steep &= np.isfinite(s)
    way = march(many, start, direction, 1e3 * size.max(), 1e-12)
    reached = steep & (s > 0)
    assert reached.sum() > count // 5
    # it stops 1e-12 over the surface, at most 5 times that before the place, and adds up round-off of each of its steps
    assert (np.abs(way - s)[reached] <= 1e-11 * (1 + np.linalg.norm(start, axis=1)[reached])).all()
    missed = ~np.isfinite(s)
    close = np.linalg.norm(start, axis=1) < 100 * size
    assert (way[missed & close] > 10 * size[missed & close]).all()
