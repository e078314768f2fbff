"""Contact regions of any two convex solids: closed forms, exact pairs, and what no region may break (V-25, V-28)."""

import itertools
import math

import numpy as np
import pytest
from convex_samples import (
    CUBE,
    few,
    find,
    hull_table,
    lengths,
    moved,
    pair,
    random_pairs,
    random_rotations,
    scaled,
    separation,
    swapped,
)
from narrow_samples import solid, touch
from region_samples import check_region, deepest, regions

from gelenk.collision.manifold import new_memory
from gelenk.collision.narrow.box_box import box_box
from gelenk.collision.narrow.capsule_box import capsule_box
from gelenk.collision.narrow.sphere_box import sphere_box
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE

KINDS = (BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
PAIRS = [*itertools.combinations_with_replacement(KINDS, 2), (SPHERE, ELLIPSOID), (SPHERE, HULL)]
CURVED = (CYLINDER, CONE, ELLIPSOID)
EXACT = 1e-11  # of the sizes: rounding, and the gap of the bounds that ends a search
DEPTH = 1e-6  # of the sizes: depth of curved solids where no ball proves it


def turn(axis, angle):
    """Rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
FLOOR = (BOX, (3, 3, 1))  # its top at z = 1
LAID = turn(X, math.pi / 2)  # the axis z along -y


def rows(points):
    """Places on A in a fixed order."""
    return np.array(sorted(points.a.round(9).tolist())) + 0.0


@pytest.mark.parametrize("gap", [0.01, 1e-6, 0.0, -1e-6, -0.01])
class TestClosedForms:
    """Known places, counts and distances, apart, touching and overlapping (I-091, H-69)."""

    def test_cylinder_stands_on_a_floor(self, gap):
        points = regions(pair(*FLOOR, CYLINDER, (0.5, 0, 1), (0.3, -0.2, 2 + gap)), margin=0.1)[0]
        assert len(points) == 4
        np.testing.assert_allclose(points.d, gap, atol=1e-14)
        np.testing.assert_allclose(np.hypot(points.a[:, 0] - 0.3, points.a[:, 1] + 0.2), 0.5, atol=1e-14)
        np.testing.assert_allclose(points.a.mean(0), (0.3, -0.2, 1), atol=1e-14)  # a quarter turn apart

    def test_cylinder_tilted_has_its_lowest_point_and_the_margin_decides(self, gap):
        tilt = 0.03
        height = math.cos(tilt) + 0.5 * math.sin(tilt)
        R = turn((math.cos(1.0), math.sin(1.0), 0), tilt)
        points = regions(pair(*FLOOR, CYLINDER, (0.5, 0, 1), (0, 0, 1 + height + gap), R_b=R), margin=0.05)[0]
        assert len(points) == 4
        assert points.d[0] == pytest.approx(gap, abs=1e-13)
        assert points.d.max() <= gap + 2 * 0.5 * math.sin(tilt) + 1e-12
        points = regions(pair(*FLOOR, CYLINDER, (0.5, 0, 1), (0, 0, 1 + height + gap), R_b=R), margin=gap + 0.001)[0]
        assert len(points) < 4  # the far side is 0.03 higher
        assert points.d[0] == pytest.approx(gap, abs=1e-13)

    def test_cylinder_and_capsule_lie_on_a_floor(self, gap):
        for kind, end in ((CYLINDER, 1.0), (CAPSULE, 1.0)):
            points = regions(pair(*FLOOR, kind, (0.5, 0, 1), (0.2, 0, 1.5 + gap), R_b=LAID), margin=0.1)[0]
            np.testing.assert_allclose(rows(points), [(0.2, -end, 1), (0.2, end, 1)], atol=1e-9)
            np.testing.assert_allclose(points.d, gap, atol=1e-13)

    def test_capsule_over_the_border_of_a_floor(self, gap):
        points = regions(pair(*FLOOR, CAPSULE, (0.5, 0, 2), (0.2, 2, 1.5 + gap), R_b=LAID), margin=0.1)[0]
        np.testing.assert_allclose(rows(points), [(0.2, 0, 1), (0.2, 3, 1)], atol=1e-9)

    def test_cylinders_side_by_side_and_end_to_end(self, gap):
        points = regions(pair(CYLINDER, (1, 0, 1), CYLINDER, (0.5, 0, 2), (0, 1.5 + gap, 1.5)), margin=0.1)[0]
        # a normal off by t costs depth times t^2 only: bounds closer than 1e-12 leave it this much
        np.testing.assert_allclose(rows(points), [(0, 1, -0.5), (0, 1, 1)], atol=2e-6)
        np.testing.assert_allclose(points.d, gap, atol=EXACT)
        points = regions(pair(CYLINDER, (1, 0, 1), CYLINDER, (0.5, 0, 2), (0.2, 0, 3 + gap)), margin=0.1)[0]
        assert len(points) == 4
        np.testing.assert_allclose(points.a.mean(0), (0.2, 0, 1), atol=1e-13)

    def test_cylinders_crossed_touch_once(self, gap):
        points = regions(pair(CYLINDER, (1, 0, 1), CYLINDER, (0.5, 0, 2), (1.5 + gap, 0.1, 0.2), R_b=LAID), margin=0.1)
        assert len(points[0]) == 1
        assert points[0].d[0] == pytest.approx(gap, abs=1e-13)
        np.testing.assert_allclose(points[0].a[0], (1, 0, 0.2), atol=1e-6)

    def test_cone_stands_lies_and_stands_on_its_tip(self, gap):
        points = regions(pair(*FLOOR, CONE, (0.5, 0, 1), (0, 0, 1 + gap)), margin=0.1)[0]
        assert len(points) == 4
        np.testing.assert_allclose(points.d, gap, atol=1e-14)
        slant = math.hypot(0.5, 1)
        down = math.pi / 2 + math.atan2(0.5, 1)  # brings the side down on the floor
        lies = pair(*FLOOR, CONE, (0.5, 0, 1), (0, 0, 1 + 0.5 / slant + gap), R_b=turn(X, down))
        points = regions(lies, margin=0.1)[0]
        assert len(points) == 2
        np.testing.assert_allclose(points.d, gap, atol=1e-13)
        assert np.linalg.norm(points.a[0] - points.a[1]) == pytest.approx(slant, abs=1e-12)
        points = regions(pair(*FLOOR, CONE, (0.5, 0, 1), (0.1, 0, 2 + gap), R_b=turn(X, math.pi)), margin=0.1)[0]
        assert len(points) == 1
        np.testing.assert_allclose(points.a[0], (0.1, 0, 1), atol=1e-13)

    def test_two_cones_side_by_side_upside_down(self, gap):
        """Sides of opposite cones are parallel; the common part goes from tip to tip."""
        slant = math.hypot(0.5, 1)
        n, along = np.array((1, 0, 0.5)) / slant, np.array((-0.5, 0, 1)) / slant
        rim_a = np.array((0.5, 0, 0))
        tip_b = rim_a + gap * n + 0.2 * along  # the common part begins 0.2 up the side of A
        R = turn(Y, math.pi)
        points = regions(pair(CONE, (0.5, 0, 1), CONE, (0.5, 0, 1), tip_b - R @ (0, 0, 1), R_b=R), margin=0.1)[0]
        assert len(points) == 2
        np.testing.assert_allclose(points.d, gap, atol=1e-12)
        np.testing.assert_allclose(rows(points), sorted([(rim_a + 0.2 * along).tolist(), [0, 0, 1]]), atol=2e-6)

    def test_triangle_and_hull_on_a_floor(self, gap):
        corners = np.array([[-1, 1, 0], [-1, -1, 1], [0, 0, 0.0]])
        points = regions(pair(*FLOOR, TRIANGLE, (0, 0, 0), (0, 0, 1 + gap), R_b=corners), margin=0.1)[0]
        np.testing.assert_allclose(rows(points), [(-1, -1, 1), (0, 1, 1), (1, -1, 1)], atol=1e-12)
        steep = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * (1, 1, 0) + [[0, 0, 0]] * 4
        hulls = hull_table([np.vstack([steep[:3], [[0, 0, 1.0]]])])
        points = regions(pair(*FLOOR, HULL, (0, 0, 0), (0, 0, 1 + gap)), hulls, margin=0.1)[0]
        np.testing.assert_allclose(rows(points), [(-1, 1, 1), (1, -1, 1), (1, 1, 1)], atol=1e-12)

    def test_ellipsoid_and_ball_touch_once(self, gap):
        points = regions(pair(*FLOOR, ELLIPSOID, (1, 2, 0.5), (0.3, 0.1, 1.5 + gap)), margin=0.1)[0]
        assert len(points) == 1
        np.testing.assert_allclose(points.a[0], (0.3, 0.1, 1), atol=1e-6)
        points = regions(pair(SPHERE, (1, 0, 0), ELLIPSOID, (2, 1, 1), (3 + gap, 0, 0)), margin=0.1)[0]
        assert len(points) == 1
        assert points.d[0] == pytest.approx(gap, abs=1e-13)


@pytest.mark.parametrize("gap", [0.01, 1e-6])
def test_box_edge_along_an_edge(gap):
    """Apart: overlapping they would come out by a face."""
    R, top = turn(X, math.pi / 4), math.sqrt(2)
    points = regions(pair(BOX, (1, 1, 1), BOX, (2, 1, 1), (0.5, 0, 2 * top + gap), R, R), margin=0.1)[0]
    np.testing.assert_allclose(rows(points), [(-1, 0, top), (1, 0, top)], atol=1e-9)


def test_boxes_agree_with_their_own_pair():
    """Same signed distance as the exact pair; where the normal is that of a face also as many well-spread points."""
    rng = np.random.default_rng(1)
    count = few(300, 60)
    pairs = random_pairs(rng, count, (BOX, BOX), far=(0.3, 0.6, 1.0))
    pairs["R"][: count // 3, 1] = pairs["R"][: count // 3, 0]  # parallel
    found = regions(pairs)
    for p, points, size in zip(pairs, found, lengths(pairs), strict=True):
        A, B = (solid(BOX, p["R"][i], p["size"][i]) for i in range(2))
        known = touch(box_box, A, B, p["r"], 1e9)
        assert points.d.min() == pytest.approx(known.d.min(), abs=EXACT * size)


@pytest.mark.parametrize(("kind", "routine"), [(SPHERE, sphere_box), (CAPSULE, capsule_box)])
def test_rounded_solids_agree_with_their_own_pair(kind, routine):
    rng = np.random.default_rng(kind)
    pairs = random_pairs(rng, few(300, 60), (kind, BOX), far=(0.3, 0.6, 1.0, 2.0))
    found = deepest(regions(pairs))
    for p, d, size in zip(pairs, found, lengths(pairs), strict=True):
        A, B = (solid(int(p["kind"][i]), p["R"][i], p["size"][i]) for i in range(2))
        assert d == pytest.approx(touch(routine, A, B, p["r"], 1e9).d.min(), abs=EXACT * size)


def test_hulls_of_boxes_agree_with_boxes():
    """A box, its hull in triangles, and both mixed: the same distance, and a region of at least a triangle."""
    hulls = hull_table([CUBE])
    boxes = pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (0.5, 0.25, 2.001), R_b=turn(X, 0.01))
    for kinds in ((HULL, BOX), (BOX, HULL), (HULL, HULL)):
        p = boxes.copy()
        p["kind"] = kinds
        points, known = regions(p, hulls, 0.1)[0], regions(boxes, hulls, 0.1)[0]
        assert points.d.min() == pytest.approx(known.d.min(), abs=1e-14)
        assert len(points) >= 3


@pytest.mark.parametrize("kinds", PAIRS)
def test_every_region_keeps_its_promise(kinds):
    """One line, on the solids, within the margin, features once; the deepest point is the signed distance (I-092)."""
    rng = np.random.default_rng((*kinds, 1))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = random_pairs(rng, few(120, 8), kinds, 5, far=(0.1, 0.5, 1.0, 2.0))
    margin = 0.3
    found, known, size = regions(pairs, hulls, margin), find(pairs, hulls), lengths(pairs) + 3
    tolerance = DEPTH if set(kinds) & set(CURVED) else EXACT
    for p, points, d, s in zip(pairs, found, known.d, size, strict=True):
        if d > margin:
            assert len(points) == 0
        else:
            # a curved side lies off the line that stands for it by 1 - cos(0.1) at most
            check_region(p, points, hulls, margin, 0.005 * s, 1e-13 * s)
            assert points.d.min() == pytest.approx(d, abs=tolerance * s)
    single = deepest(regions(pairs, hulls, margin, single=True))
    near = known.d <= margin
    np.testing.assert_allclose(single[near], deepest(found)[near], atol=tolerance * 10)


@pytest.mark.parametrize("kinds", PAIRS)
def test_swapped_turned_scaled_and_remembered_give_the_same(kinds):
    rng = np.random.default_rng((*kinds, 2))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    count = few(60, 4)
    pairs = random_pairs(rng, count, kinds, 5, far=(0.3, 0.6, 1.0))
    size = lengths(pairs) + 3
    memory = new_memory(count)
    plain = deepest(regions(pairs, hulls, memory=memory))
    limit = np.where(plain > 0, EXACT, 2 * DEPTH if set(kinds) & set(CURVED) else EXACT) * size
    np.testing.assert_array_less(np.abs(deepest(regions(swapped(pairs), hulls)) - plain), limit)
    Q = random_rotations(rng, count)
    np.testing.assert_array_less(np.abs(deepest(regions(moved(pairs, Q), hulls)) - plain), limit)
    np.testing.assert_array_less(np.abs(deepest(regions(pairs, hulls, memory=memory)) - plain), limit)
    memory.guess = rng.normal(size=(count, 3))
    np.testing.assert_array_less(np.abs(deepest(regions(pairs, hulls, memory=memory)) - plain), limit)
    if HULL not in kinds:
        for factor in (1e-3, 1e4):
            np.testing.assert_array_less(np.abs(deepest(regions(scaled(pairs, factor))) / factor - plain), limit)


@pytest.mark.parametrize("kinds", PAIRS)
def test_distance_is_continuous_along_a_path_with_memory(kinds):
    """A step of length s changes the signed distance by s at most, through contact and out again."""
    rng = np.random.default_rng((*kinds, 3))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    count = few(10, 2)
    pairs = random_pairs(rng, count, kinds, 5, far=(1.0,))
    way = rng.normal(size=(count, 3)) * few(0.05, 0.1)
    pairs["r"] = way * few(-20, -10)
    memory, last = new_memory(count), None
    tolerance = DEPTH if set(kinds) & set(CURVED) else EXACT
    for _ in range(few(40, 20)):
        d = deepest(regions(pairs, hulls, memory=memory))
        if last is not None:
            assert (np.abs(d - last) <= np.linalg.norm(way, axis=1) + 10 * tolerance * (lengths(pairs) + 3)).all()
        last = d
        pairs["r"] += way


@pytest.mark.parametrize("kinds", [(BOX, CYLINDER), (BOX, CONE), (CYLINDER, CYLINDER), (BOX, HULL), (BOX, CAPSULE)])
def test_features_stay_while_the_pair_moves_a_little(kinds):
    hulls = hull_table([CUBE * 0.5])
    base = pair(kinds[0], (2, 2, 1), kinds[1], (0.5, 0.5, 1), (0.1, 0.2, 0), R_b=turn(X, 0.02) @ turn(Y, 0.01))
    base["r"][0, 2] = 5.0
    base["r"][0, 2] -= find(base, hulls).d[0] - 0.001
    names = None
    for k in range(10):
        p = base.copy()
        p["r"][0] += np.array((1.0, -0.5, 0.2)) * 1e-4 * k
        p["R"][0, 1] = turn(Y, 1e-5 * k) @ p["R"][0, 1]
        points = regions(p, hulls, margin=0.2)[0]
        now = {(int(q.feature_a), int(q.feature_b)) for q in points}
        assert names is None or now == names
        names = now


def test_beyond_the_margin_costs_no_point_and_remembers_a_plane_between():
    rng = np.random.default_rng(9)
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    count = few(300, 40)
    pairs = random_pairs(rng, count, rng.choice(KINDS, (count, 2)), 5, far=(2.0, 4.0))
    memory = new_memory(count)
    found, d = regions(pairs, hulls, 0.1, memory), find(pairs, hulls).d
    assert [len(f) > 0 for f in found] == (d <= 0.1).tolist()
    far = d > 0.1
    assert far.sum() > count // 3
    assert (separation(hulls, pairs[far], memory.guess[far]) > 0.1).all()
