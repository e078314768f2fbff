"""Capsule, box and triangle against hull: V-Clip with boxes, triangles and segments as polyhedra."""

import math

import numpy as np
import pytest
from hull_samples import (
    ball,
    bodies,
    brute_distance,
    direction,
    gap_along,
    rotation,
    segment_of,
    solid,
    triangle_of,
)

from gelenk.collision.hulls import box_hull as as_hull
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.manifold import new_memory, new_points
from gelenk.collision.narrow.box_hull import box_hull
from gelenk.collision.narrow.capsule_hull import capsule_hull
from gelenk.collision.narrow.hull_triangle import hull_triangle
from gelenk.collision.polyhedra import box_feature, put_box, put_triangle, small_polyhedra, triangle_feature
from gelenk.collision.solid import BOX, CAPSULE, TRIANGLE, Solid
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, vec3

I3 = np.eye(3)
EPS = 1e-12  # of bodies of size 1: some thousand roundings, for plates of 1 : 100


class Setting:
    """Hulls and one other solid of a kind, against any of them."""

    def __init__(self, hulls):
        self.hulls = hulls
        self.tables = new_tables()._replace(hulls=pack_hulls(hulls))
        self.work = new_narrow_work(self.tables)

    def contact(self, kind, size, Q, i, R, r, margin=10.0, memory=None):
        """Points with the hull i at the origin, turned by R, the other one at r, turned by Q; always hull to other."""
        out, memory = new_points(), new_memory()[0] if memory is None else memory
        other = Solid(kind, 0, Mat3(*np.ravel(Q).tolist()), Vec3(*size))
        rest = margin, self.tables, memory, self.work, out
        if kind == TRIANGLE:
            count = hull_triangle(solid(i, R), other, vec3(r), *rest)
            return out[:count].copy()
        count = (box_hull if kind == BOX else capsule_hull)(other, solid(i, R), vec3(-np.asarray(r)), *rest)
        found = out[:count].copy()
        found.a, found.b, found.n = found.b.copy(), found.a.copy(), -found.n
        found.feature_a, found.feature_b = found.feature_b.copy(), found.feature_a.copy()
        return found


def random_other(rng, kind):
    """Size, rotation, the same with the parts of a hull, its rotation, and the radius."""
    Q = rotation(rng)
    size = 10.0 ** rng.uniform(-2, 0, 3)
    if kind == TRIANGLE:
        corners = rng.normal(size=(3, 3)) * size[:, None]
        return (0.0, 0.0, 0.0), corners.T, triangle_of(corners), I3, 0.0
    if kind == BOX:
        return size, Q, as_hull(Box(tuple(2.0 * size))), Q, 0.0
    return size, Q, segment_of(size[2]), Q, size[0]


KINDS = pytest.mark.parametrize("kind", [CAPSULE, BOX, TRIANGLE], ids=["capsule", "box", "triangle"])


def check(points, hull, R, other, Q, r, radius, tolerance):
    """Distance and depth those of all features; every point d apart along n, none closer."""
    exact = brute_distance(hull, R, other, Q, r) - radius
    assert points.d.min() == pytest.approx(exact, abs=tolerance)
    n = points[0].n
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-13)
    np.testing.assert_allclose(r + points.b - points.a, points.d[:, None] * points.n, atol=1e-14 * 9)
    # n is known to round-off over the length of the way
    noise = 1e-15 * 9 / max(abs(exact + radius), 1e-12)
    assert gap_along(n, hull, R, other, Q, r) - radius == pytest.approx(exact, abs=tolerance + noise)


@KINDS
def test_distance_and_depth_are_those_of_all_pairs_of_features(kind):
    """H-63, H-64, I-088: apart, shallow, deep and pierced; plates, needles and slivers."""
    rng = np.random.default_rng(31)
    hulls = [*bodies(rng), ConvexHull(rng.normal(size=(20, 3)) * (1.0, 1e-3, 1e-3))]
    setting = Setting(hulls)
    below = 0
    for _ in range(250):
        i = int(rng.integers(0, len(hulls)))
        size, Q, other, axes, radius = random_other(rng, kind)
        R, r = rotation(rng), direction(rng) * rng.choice((0.0, 0.3, 1.0, 2.0, 4.0))
        points = setting.contact(kind, size, Q, i, R, r)
        check(points, hulls[i], R, other, axes, r, radius, EPS)
        names = set(zip(points.feature_a.tolist(), points.feature_b.tolist()))
        assert len(names) == len(points)
        below += points.d.min() + radius < 0.0
    assert 40 < below < 200


@KINDS
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_touching_and_grazing(kind, scale):
    """Moved along the normal to a gap of 0 and 1e-9 of the size, and to a depth of that; from 1 mm to 10 km."""
    rng = np.random.default_rng(32)
    clouds = [h.vertices for h in bodies(rng)[:4]]
    hulls = [ConvexHull(scale * c) for c in clouds]
    setting = Setting(hulls)
    for k in range(24):
        i = k % len(hulls)
        size, Q, _, _, _ = random_other(rng, kind)
        size, Q = scale * np.array(size), Q * (scale if kind == TRIANGLE else 1.0)
        R, r = rotation(rng), 8.0 * scale * direction(rng)
        memory = new_memory()[0]
        first = setting.contact(kind, size, Q, i, R, r, 20.0 * scale, memory)[0]
        for gap in (0.0, 1e-9, -1e-9, 0.0):
            moved = r - (first.d - gap * scale) * first.n
            for kept in (memory, None):
                points = setting.contact(kind, size, Q, i, R, moved, 0.1 * scale, kept)
                exact = gap * scale
                if gap < 0.0 and kind != CAPSULE:  # of corners there are shorter ways out than back, and ways past
                    other = triangle_of(Q.T) if kind == TRIANGLE else as_hull(Box(tuple(2.0 * size)))
                    exact = brute_distance(hulls[i], R, other, I3 if kind == TRIANGLE else Q, moved)
                assert points.d.min() == pytest.approx(exact, abs=1e-13 * scale)


@KINDS
def test_path_with_memory_gives_what_a_cold_start_gives(kind):
    """H-66, V-24: through the hull and out again; d changes by no more than the motion, nothing beyond the margin."""
    rng = np.random.default_rng(33)
    setting = Setting([ball(80, rng), bodies(rng)[3]])
    for i in range(2):
        size, Q, other, _, radius = random_other(rng, kind)
        memory, way, before, R = new_memory()[0], direction(rng), None, rotation(rng)
        reach = np.linalg.norm(other.vertices, axis=1).max() + radius
        counts = []
        for s in np.linspace(-2.5 - reach, 2.5 + reach, 120):
            spin = 0.02 * direction(rng)
            turn = I3 + np.cross(I3, -spin)
            turn = np.linalg.svd(turn)[0] @ np.linalg.svd(turn)[2]
            Q = turn @ Q
            r = s * way + (0.1, 0.2, 0.0)
            warm = setting.contact(kind, size, Q, i, R, r, 0.05, memory)
            cold = setting.contact(kind, size, Q, i, R, r, 0.05)
            assert bool(len(warm)) == bool(len(cold))
            counts.append(len(warm))
            if len(warm) == 0:
                before = None
                continue
            assert warm.d.min() == pytest.approx(cold.d.min(), abs=EPS)
            assert warm.d.max() <= 0.05
            step = (5.0 + 2.0 * reach) / 119 + 0.021 * reach
            assert before is None or abs(warm.d.min() - before) <= step
            before = warm.d.min()
        assert counts[0] == counts[-1] == 0 < max(counts)


@pytest.mark.parametrize("gap", [-0.01, 0.0, 0.005])
def test_flat_contacts_have_all_their_corners(gap):
    """H-69..H-71: on a cube of edge 2, a box has four corners, a triangle three, a capsule both ends."""
    setting = Setting([as_hull(Box((2.0, 2.0, 2.0)))])
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    triangle = np.array([(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.6, 0.0)])
    cases = [
        (BOX, (0.3, 0.4, 0.5), I3, 0.5, [(x, y) for x in (-0.3, 0.3) for y in (-0.4, 0.4)]),
        (BOX, (1.5, 0.4, 0.5), I3, 0.5, [(x, y) for x in (-1.1, 0.9) for y in (-0.4, 0.4)]),
        (CAPSULE, (0.2, 0.0, 0.5), lying, 0.2, [(-0.5, 0.0), (0.5, 0.0)]),
        (CAPSULE, (0.2, 0.0, 1.5), lying, 0.2, [(-1.1, 0.0), (0.9, 0.0)]),
        (CAPSULE, (0.2, 0.0, 0.5), I3, 0.7, [(0.0, 0.0)]),
        (TRIANGLE, (0.0, 0.0, 0.0), triangle.T, 0.0, triangle[:, :2].tolist()),
    ]
    for kind, size, Q, low, feet in cases:
        if kind == TRIANGLE and gap < 0.0:
            continue  # the way out of a sunk triangle has corners elsewhere
        points = setting.contact(kind, size, Q, 0, I3, (0.1, 0.2, 1.0 + low + gap), 0.02)
        own = sorted(map(tuple, points.b[:, :2].round(12).tolist()))
        np.testing.assert_allclose(own, sorted(map(tuple, feet)), atol=1e-12)
        np.testing.assert_allclose(points.d, gap, atol=1e-15 * 9)
        np.testing.assert_allclose(points.n, [(0, 0, 1)] * len(feet), atol=1e-15 * 9)
        assert len(set(zip(points.feature_a.tolist(), points.feature_b.tolist()))) == len(feet)


def test_a_capsule_along_a_ridge_touches_twice():
    """I-091: parallel to the upper edge of a roof, which is longer or shorter than the axis."""
    setting = Setting([ConvexHull([(x, y, z) for x in (-1.0, 1.0) for y, z in ((-1.0, 0.0), (1.0, 0.0), (0.0, 1.0))])])
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    for half, ends in ((0.5, (-0.3, 0.7)), (2.0, (-1.0, 1.0))):
        points = setting.contact(CAPSULE, (0.1, 0.0, half), lying, 0, I3, (0.2, 0.0, 1.1 + 1e-3), 0.01)
        np.testing.assert_allclose(np.sort(points.a[:, 0]), ends, atol=1e-14)
        np.testing.assert_allclose(points.d, 1e-3, atol=1e-14)
        assert len(set(points.feature_b.tolist())) == 2


@pytest.mark.parametrize("radius", [0.2, 0.01, 1e-4])
def test_a_capsule_nearly_along_a_ridge_touches_where_both_are(radius):
    """H-69: crossing it at 0.8 degrees. The second point is off the ridge by y <= t, and by x <= max(t, sqrt(2 R t))
    off the line of the capsule, t = 5e-4 of its half axis and radius: as far as the lines part by less than  x + y.
    """
    yaw, half = 0.014, 1.0
    roof = ConvexHull([[3, 0, 0], [-3, 0, 0], [3, 1, -1], [-3, 1, -1], [3, -1, -1], [-3, -1, -1]])
    Q = np.array([[0, -math.sin(yaw), math.cos(yaw)], [0, math.cos(yaw), math.sin(yaw)], [-1, 0, 0]])
    points = Setting([roof]).contact(CAPSULE, (radius, 0.0, half), Q, 0, I3, (0.3, 0.0, radius))
    t = 5e-4 * (half + radius)
    x = max(t, math.sqrt(2 * radius * t))
    assert len(points) == 2
    assert np.abs(points.d).max() < EPS
    assert np.abs(points.a[:, 1]).max() <= t + EPS  # the ridge is the axis x
    line = points.a[:, 1] * math.cos(yaw) - (points.a[:, 0] - 0.3) * math.sin(yaw)
    assert np.abs(line).max() <= x + EPS
    length = min(half, (x + t) / math.sin(yaw))
    assert abs(np.ptp(points.a[:, 0]) - length) < 1e-3


def test_a_capsule_without_axis_is_a_sphere():
    setting = Setting([as_hull(Box((2.0, 2.0, 2.0)))])
    (point,) = setting.contact(CAPSULE, (0.25, 0.0, 0.0), I3, 0, I3, (0.1, 0.2, 1.5))
    assert point.d == pytest.approx(0.25, abs=1e-15)
    np.testing.assert_allclose(point.n, (0.0, 0.0, 1.0), atol=1e-15)


def test_the_small_polyhedra_hang_together():
    """Faces turn to the left around their normals, edges know both sides, numbers are those of the other pairs."""
    small, corners = small_polyhedra(), np.array([(1.0, 0.2, 0.0), (0.0, 1.0, 0.3), (-1.0, 0.0, 0.5)])
    put_box(small, Vec3(1.0, 2.0, 3.0))
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    put_triangle(small, *map(vec3, corners), vec3(n / np.linalg.norm(n)))
    for f, face in enumerate(small.face[:8]):
        loop = small.loop[face.first : face.last]
        p = small.vertex[loop]
        np.testing.assert_allclose(p @ face.n, face.d, atol=1e-15)
        turn = np.cross(p[1] - p[0], p[2] - p[1])
        assert turn @ face.n == pytest.approx(np.linalg.norm(turn))
        for k, e in enumerate(small.loop_edge[face.first : face.last]):
            ends = (loop[k], loop[(k + 1) % len(loop)])
            edge = small.edge[e]
            assert ends == ((edge.tail, edge.head) if edge.left == f else (edge.head, edge.tail))
            assert f in (edge.left, edge.right)
    for v in range(13):
        for k in range(small.fan_first[v], small.fan_first[v + 1]):
            assert {int(small.edge[small.fan[k]].tail), int(small.edge[small.fan[k]].head)} == {v, small.fan_vertex[k]}
    for axis in range(3):  # as narrow.box numbers them
        for e in range(4 * axis, 4 * axis + 4):
            assert box_feature(4 * e + 1) == 8 + 8 * axis + small.edge[e].tail
    assert [box_feature(4 * f + 2) for f in range(6)] == list(range(32, 38))
    assert [triangle_feature(x) for x in (32, 36, 40, 49, 53, 57, 26, 30)] == [0, 1, 2, 3, 4, 5, 6, 6]
    assert math.isclose(small.node[0].e[0], 1.0)
