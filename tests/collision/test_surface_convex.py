"""Convex solids on meshes and height fields (V-20, V-21, I-091, I-093): nothing catches at inner edges."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from convex_samples import PAIR, find, hull_table, random_rotations
from narrow_samples import moved, solid, turn
from scipy.spatial.transform import Rotation
from surface_samples import (
    ball,
    box,
    box_mesh,
    convex_mesh,
    mesh,
    random_sheet,
    sheet,
    stairs,
    surface,
    tables_of,
    touch_many,
    touch_surface,
)

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FIELD, HULL, SPHERE
from gelenk.collision.tables import new_narrow_work
from gelenk.geometry.height_field import HeightField

CORNERS = np.array([(x, y, -1.0) for x in (-1, 1) for y in (-1, 1)])
X = np.linspace(-2.0, 2.0, 51)


def flat(x, y):
    return 0.0 * x


def same_points(found, expected, tol):
    """Whether two sets of points are the same, in any order."""
    far = np.linalg.norm(found[:, None] - expected[None], axis=2)
    return len(found) == len(expected) and far.min(0).max() <= tol and far.min(1).max() <= tol


FLAT_SHEETS = [sheet(X, X, flat), random_sheet(np.random.default_rng(3), 400, 2.0), sheet([-2, 2], [-2, 2], flat)]


@pytest.mark.parametrize("kind", [0, 1, 2], ids=["raster of 50 x 50", "random triangles", "two triangles"])
def test_a_box_slides_over_a_flat_sheet_as_over_a_plane(kind):
    """V-20: everywhere its four corners and the normal of the plane, to round-off of the sizes."""
    rng = np.random.default_rng(1)
    tables = tables_of([FLAT_SHEETS[kind]])
    half = np.array([0.5, 0.3, 0.2])
    for k in range(8):
        yaw = Rotation.from_rotvec([0, 0, rng.uniform(0, 6)]).as_matrix() if k else np.eye(3)
        d = rng.choice([-0.01, -1e-9, 0.0, 1e-9, 0.004])
        r = np.array([*rng.uniform(-1, 1, 2), half[2] + d]) if k > 1 else np.array([0.08 * k, 0.16 * k, half[2]])
        d = r[2] - half[2]
        points = touch_surface(surface(), box(half, yaw), r, 0.005, tables)
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-12
        assert np.abs(points.d - d).max() < 1e-12
        assert same_points(r + points.b, r + (CORNERS * half) @ yaw.T, 1e-9)


def test_a_slightly_tilted_box_keeps_its_four_corners():
    """V-20: heights of the corners over the plane, whichever triangles they are over."""
    rng = np.random.default_rng(2)
    tables = tables_of([FLAT_SHEETS[1]])
    half = np.array([0.5, 0.3, 0.2])
    for tilt in (1e-9, 1e-6, 1e-3):
        R = Rotation.from_rotvec(tilt * rng.normal(size=3)).as_matrix()
        r = np.array([*rng.uniform(-1, 1, 2), half[2]])
        points = touch_surface(surface(), box(half, R), r, 0.01, tables)
        corners = r + (CORNERS * half) @ R.T
        assert same_points(r + points.b, corners, 1e-9)
        assert abs(points.d.min() - corners[:, 2].min()) < 1e-12
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-12


def roof(bend):
    """Ridge along y at x = 0, its flanks down by ``bend`` each (up, if negative), with many inner edges."""
    return sheet(np.linspace(-2, 2, 9), np.linspace(-2, 2, 12), lambda x, y: -np.tan(bend) * np.abs(x))


def roof_distance(c, bend):
    """Distance and normal of a point from a roof that bends away."""
    x, z = abs(c[0]), c[2]
    s = np.array([np.sin(bend), np.cos(bend)])  # normal of the flank
    if x * s[1] - z * s[0] >= 0:
        return x * s[0] + z * s[1], np.array([np.sign(c[0]) * s[0], 0, s[1]])
    return np.hypot(x, z), np.array([c[0], 0, z]) / np.hypot(x, z)


@pytest.mark.parametrize("bend", [0.01, 0.3, 1.2])
def test_a_ball_rolls_over_a_ridge_without_a_bump(bend):
    """I-093: distance and normal are those of the ridge itself, continuous from flank to flank."""
    tables = tables_of([roof(bend)])
    last = None
    for x in np.linspace(-0.3, 0.3, 25):
        c = np.array([x, 0.123, 0.45])
        d, n = roof_distance(c, bend)
        points = touch_surface(surface(), ball(0.4), c, 1.0, tables)
        assert len(points) == 1
        assert abs(points.d[0] - (d - 0.4)) < 1e-12
        assert np.abs(points.n[0] - n).max() < 1e-12
        # the normal turns by the way over the distance from the ridge at most
        assert last is None or np.abs(points.n[0] - last).max() <= 0.025 / (d * 0.95) + 1e-12
        last = points.n[0]


@pytest.mark.parametrize("bend", [1e-3, 0.1, 0.5])
def test_a_box_on_a_ridge_has_normals_between_those_of_the_flanks(bend):
    """I-093: a level box rests on the ridge by its own normal; two points at its ends, four if the flanks are near."""
    tables = tables_of([roof(bend)])
    for d in (1e-4, 0.0, -1e-4):
        points = touch_surface(surface(), box((0.3, 0.4, 0.2)), (0.05, 0.1, 0.2 + d), 1e-3, tables)
        level = np.abs(points.n - [0, 0, 1]).max(1) < 1e-9
        assert abs(points.d.min() - d) < 1e-9
        ends = np.array([[0, -0.3, 0], [0, 0.5, 0]])
        assert same_points(points.a[level], ends, 1e-9) if bend > 0.01 else len(points) == 4
        assert (np.abs(points.n[:, 0]) <= np.sin(bend) + 1e-12).all()
        assert np.abs(points.n[:, 1]).max() < 1e-12


def test_an_edge_across_a_ridge_has_the_normal_of_both():
    """I-093: edge on edge, normal across both."""
    tables = tables_of([roof(0.6)])
    yaw, tip = Rotation.from_rotvec([0, 0, 0.4]), Rotation.from_rotvec([np.pi / 4, 0, 0])
    R = (yaw * tip).as_matrix()
    for d in (0.01, 0.0, -0.001):
        low = 0.3 * np.sqrt(2)
        points = touch_surface(surface(), box((0.9, 0.3, 0.3), R), (0.1, 0.03, low + d), 0.05, tables)
        assert len(points) == 1
        assert abs(points.d[0] - d) < 1e-9
        assert np.abs(points.n[0] - [0, 0, 1]).max() < 1e-9
        assert np.abs(points.a[0][[0, 2]]).max() < 1e-9


def test_a_valley_is_touched_on_both_flanks():
    """V-20: two groups, each with the normal of its flank, none in between."""
    tables = tables_of([roof(-0.5)])
    c = np.array([0.0, 0.2, 0.5])
    radius = c[2] * np.cos(0.5) + 1e-3
    points = touch_surface(surface(), ball(radius), c, 0.0, tables)
    assert len(points) == 2
    assert np.abs(points.d + 1e-3).max() < 1e-12
    assert np.abs(np.sort(points.n[:, 0]) - [-np.sin(0.5), np.sin(0.5)]).max() < 1e-12
    # a box on the one flank, its lower edge against the other
    R = Rotation.from_rotvec([0, -0.5, 0]).as_matrix()
    points = touch_surface(surface(), box((0.2, 0.3, 0.1), R), R @ [0.199, 0, 0.1] + [0, 0.01, 0], 1e-6, tables)
    assert (np.abs(np.abs(points.n[:, 0]) - np.sin(0.5)) < 1e-12).all()
    assert (points.n[:, 0] > 0).any()


def test_a_box_on_stairs_feels_tread_and_riser_apart():
    """V-20: on a tread only up; pushed against the riser also back, with no other direction at the inner edge."""
    tables = tables_of([stairs(3, 0.5, 0.3, 1.0)])
    half = np.array([0.2, 0.3, 0.4])
    for x in np.linspace(0.75, 0.79, 5):
        points = touch_surface(surface(), box(half), (x, 0.07, 0.3 + 0.4), 1e-3, tables)
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-12
        assert same_points(points.a, CORNERS * half * [1, 1, 0] + [x, 0.07, 0.3], 1e-9)
    points = touch_surface(surface(), box(half), (0.8 + 1e-4, 0.07, 0.7 - 1e-4), 1e-3, tables)
    up, back = np.abs(points.n - [0, 0, 1]).max(1) < 1e-12, np.abs(points.n - [-1, 0, 0]).max(1) < 1e-12
    assert (up | back).all()
    assert up.sum() == 4
    assert back.sum() >= 2
    assert np.abs(points.d + 1e-4).max() < 1e-9
    # over the nose of the step: the box hangs over, nothing pushes sideways
    points = touch_surface(surface(), box(half), (0.45, 0.07, 0.7), 1e-3, tables)
    assert np.abs(points.n - [0, 0, 1]).max() < 1e-12


def sphere_mesh(level):
    """Ball of radius 1 by halving the edges of an octahedron."""
    v = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    f = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    v = list(v)
    for _ in range(level):
        known, g = {}, []

        def middle(a, b, known=known):
            key = (min(a, b), max(a, b))
            if key not in known:
                m = v[a] + v[b]
                v.append(m / np.linalg.norm(m))
                known[key] = len(v) - 1
            return known[key]

        for a, b, c in f:
            x, y, z = middle(a, b), middle(b, c), middle(c, a)
            g += [(a, x, z), (x, b, y), (z, y, c), (x, y, z)]
        f = g
    return mesh(v, f)


def test_a_sphere_of_triangles_is_a_sphere_within_its_sagitta():
    """V-20: distance of balls and boxes as from the true sphere, less the sagitta at most."""
    rng = np.random.default_rng(5)
    shape = sphere_mesh(3)
    corners = shape.vertices[shape.faces]
    sagitta = (
        1
        - np.einsum(
            "ij,ij->i",
            corners[:, 0],
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            / np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)[:, None],
        ).min()
    )
    tables = tables_of([shape])
    for _ in range(6):
        R, d = turn(rng), rng.uniform(-0.01, 0.02)
        n = R[:, 2]
        for B, low in ((ball(0.3), 0.3), (box((0.5, 0.4, 0.2), R), 0.2)):
            points = touch_surface(surface(), B, n * (1 + low + d), 0.2, tables)
            assert d - 1e-9 <= points.d.min() <= d + sagitta + 1e-9
            best = points[points.d.argmin()]
            assert best.n @ n > np.cos(2 * np.sqrt(2 * sagitta)) - 1e-9


def random_convex_pairs(rng, count, kind, tables):
    """Meshes of hulls and convex solids placed a small way apart or into each other."""
    p = np.zeros(count, PAIR)
    p["kind"], p["table"] = (HULL, kind), rng.integers(0, tables, (count, 2))
    p["R"] = random_rotations(rng, 2 * count).reshape(count, 2, 3, 3)
    p["size"][:, 1] = 10.0 ** rng.uniform(-1.0, 0.3, (count, 3))
    way = rng.normal(size=(count, 3))
    p["r"] = 6 * way / np.linalg.norm(way, axis=1)[:, None]
    return p


def against_exact(kind, count, seed):
    """Distances of hulls, how much more that of their meshes is (missing: infinite), and how far normals lean."""
    rng = np.random.default_rng(seed)
    clouds = [rng.normal(size=(k, 3)) for k in (6, 8, 20)] + [CUBE * [1, 0.7, 0.4]]
    hulls = hull_table(clouds)
    tables = tables_of([convex_mesh(c) for c in clouds[:-1]] + [box_mesh(np.array([1, 0.7, 0.4]), 3)], hulls)
    p = random_convex_pairs(rng, count, kind, len(clouds))
    exact = find(p, hulls)
    p["r"] -= (exact.d - rng.choice([-1e-3, -1e-5, 1e-4, 0.05, 0.3], count))[:, None] * exact.n
    exact = find(p, hulls)
    pairs = [
        (surface(q["R"][0], q["table"][0]), solid(kind, q["R"][1], q["size"][1], q["table"][1]), q["r"]) for q in p
    ]
    found = touch_many(pairs, 0.5, tables)
    more = np.array([f.d.min() - d if len(f) else np.inf for f, d in zip(found, exact.d, strict=True)])
    lean = np.array(
        [np.linalg.norm(np.cross(f.n[f.d.argmin()], n)) if len(f) else 1.0 for f, n in zip(found, exact.n, strict=True)]
    )
    return exact.d, more, lean


CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
KINDS = [SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL]


@pytest.mark.parametrize("kind", KINDS)
def test_a_convex_mesh_is_as_far_as_the_convex_solid(kind):
    """V-20, I-093: same distance and normal as the exact convex pair, at random attitudes."""
    d, more, lean = against_exact(kind, 12, 7)
    error = np.abs(more)
    assert error[d > 0].max() < 1e-9
    assert lean[d > 1e-2].max() < 1e-5
    assert np.isfinite(error).all()
    # overlaps have several ways out; a sharp edge that passes through may choose another than the shortest
    assert np.median(error[d < 0]) < 1e-6


@pytest.mark.proof
@pytest.mark.parametrize("kind", KINDS)
def test_many_convex_meshes(kind):
    """V-20: apart all are exact, to 1e-9 of their size, and none is missed. Overlaps of a thousandth come apart by the
    shortest way, to 1e-6. Next to edges sharper than a right angle, as cones and hulls have, two of 8000 are a few
    millionths longer, as counted.
    """
    d, more, _ = against_exact(kind, 20_000, 8)
    assert (np.abs(more[d > 0]) > 1e-9).sum() == 0
    assert np.isfinite(more[d < 0]).all()
    wrong = (np.abs(more[d < 0]) > 1e-6).sum()
    assert wrong <= (3 if kind in (CONE, HULL) else 0)
    assert np.abs(more[d < 0]).max() < 1e-5


def blocks(gap):
    """Block of 2 x 2 x 2 about the origin, and another one beside it beyond a gap in x, if that is not zero."""
    one = box_mesh(np.ones(3), 2)
    if gap == 0.0:
        return one
    other = one.vertices + np.array([2 + gap, 0, 0])
    return mesh(np.concatenate([one.vertices, other]), np.concatenate([one.faces, one.faces + len(other)]))


PYRAMID = np.array([[0.1, 0, 0], [0, 0.1, 0], [-0.1, 0, 0], [0, -0.1, 0], [0, 0, 1.0]])


@pytest.mark.parametrize("kind", [CONE, HULL])
@pytest.mark.parametrize("y", [0.0, 0.2], ids=["at an inner side", "over a triangle"])
def test_a_tip_beside_an_edge_leaves_by_the_side_it_does_not_meet(kind, y):
    """V-20: a needle dips 2 mm deep through the top of a block, 1 mm from its side, and leans over that side.

    Its tip, at x = 1 - a, z = 1 - b, is lowest along x and along z; with a < b the side is the shorter way out, though
    the needle meets only the top:  b tan(lean + half angle) < a.  With a second block 0.5 mm off it cannot go there.
    """
    a, b, lean = 1e-3, 2e-3, 0.3
    assert b * np.tan(lean + np.arctan(0.1)) < a
    R = Rotation.from_rotvec([0, np.pi + lean, 0]).as_matrix()  # the tip points down, the base leans to +x
    r = np.array([1 - a, y, 1 - b]) - R @ [0, 0, 1]
    needle = solid(kind, R, (0.1, 0.1, 1.0))
    for gap, n, d in ((0.0, [1, 0, 0], -a), (5e-4, [0, 0, 1], -b)):
        points = touch_surface(surface(), needle, r, 1e-4, tables_of([blocks(gap)], hull_table([PYRAMID])))
        assert np.abs(points.n - n).max() < 1e-12
        assert abs(points.d.min() - d) < 1e-10  # heights closer than 1e-10 of the size are equal


def test_a_thin_plate_pushes_out_on_the_side_of_the_body():
    """V-20: 5 mm plate, ball of 1 cm, a box; also once they poke through, and once the middle has passed."""
    tables = tables_of([box_mesh(np.array([0.2, 0.2, 0.0025]), 6)])
    for depth in (0.002, 0.004, 0.006, 0.009, 0.0115):
        for sign in (1, -1):
            c = np.array([0.013, 0.021, sign * (0.0025 + 0.01 - depth)])
            for B in (ball(0.01), box((0.05, 0.04, 0.01))):
                points = touch_surface(surface(), B, c, 1e-3, tables)
                assert np.abs(points.n - [0, 0, sign]).max() < 1e-9
                assert abs(points.d.min() + depth) < 1e-12


def test_a_thick_block_pushes_out_a_body_whose_middle_has_passed():
    """V-20."""
    tables = tables_of([box_mesh(np.array([2.0, 2.0, 2.0]), 8)])
    for B in (ball(0.3), box((0.3, 0.3, 0.3))):
        points = touch_surface(surface(), B, (0.1, 0.23, 2.0 - 0.1), 1e-3, tables)
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-9
        assert abs(points.d.min() + 0.4) < 1e-12


def test_the_wrong_side_of_a_surface_does_not_touch():
    """V-20: nothing below a sheet or behind the wall of a cavity; all inside a block is pushed out."""
    block = box_mesh(np.ones(3), 3)
    cavity = mesh(block.vertices, block.faces[:, ::-1])
    tables = tables_of([block, cavity, sheet(X[::5], X[::5], flat)])
    inside = np.array([0.1, 0.2, 0.89])
    for B in (ball(0.1), box((0.1, 0.1, 0.1))):
        points = touch_surface(surface(), B, inside, 0.02, tables)
        assert np.abs(points.n - [0, 0, 1]).max() < 1e-12
        assert np.abs(points.d + 0.21).max() < 1e-12
        points = touch_surface(surface(table=1), B, inside, 0.02, tables)
        assert np.abs(points.n - [0, 0, -1]).max() < 1e-12
        assert np.abs(points.d - 0.01).max() < 1e-12
        assert len(touch_surface(surface(table=1), B, inside + np.array([0, 0, 0.25]), 0.02, tables)) == 0
        assert len(touch_surface(surface(table=2), B, (0.1, 0.2, -0.11), 0.02, tables)) == 0


def test_the_rim_of_a_sheet_is_round_down_to_its_level():
    """V-20: over the rim normals from up to level, at its corner too; none from below."""
    tables = tables_of([sheet(X[::10], X[::10], flat)])
    for angle in (0.0, 0.4, 1.2, np.pi / 2):
        n = np.array([np.sin(angle), 0, np.cos(angle)])
        points = touch_surface(surface(), ball(0.1), np.array([2, 0.3, 0]) + 0.11 * n, 0.02, tables)
        assert len(points) == 1
        assert np.abs(points.n[0] - n).max() < 1e-9
        assert abs(points.d[0] - 0.01) < 1e-12
    n = np.array([1, 1, 1]) / np.sqrt(3)
    points = touch_surface(surface(), ball(0.1), np.array([2, 2, 0]) + 0.11 * n, 0.02, tables)
    assert np.abs(points.n - n).max() < 1e-9
    # from below: nothing until it meets the sheet, then up
    assert len(touch_surface(surface(), ball(0.1), (2.05, 0.3, -0.09), 0.02, tables)) == 0
    points = touch_surface(surface(), ball(0.1), (2.05, 0.3, -0.08), 0.02, tables)
    assert np.abs(points.n - [0, 0, 1]).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_motion_and_scale_change_nothing(scale):
    """V-20: turned as a whole and at any size the same points, to round-off."""
    rng = np.random.default_rng(9)
    bumps = sheet(
        scale * X[::5], scale * X[::5], lambda x, y: 0.1 * scale * np.sin(3 * x / scale) * np.cos(2 * y / scale)
    )
    one = sheet(X[::5], X[::5], lambda x, y: 0.1 * np.sin(3 * x) * np.cos(2 * y))
    tables, unit = tables_of([bumps]), tables_of([one])
    for B in (ball(0.3), box((0.5, 0.4, 0.2), turn(rng, 0.2)), solid(CAPSULE, turn(rng), (0.2, 0, 0.4))):
        r, Q = np.array([0.13, 0.21, 0.3]), turn(rng)
        size = type(B.size)(*(scale * np.array(B.size)).tolist())
        a = touch_surface(surface(), B, r, 0.02, unit)
        b = touch_surface(surface(Q), moved(B._replace(size=size), Q), Q @ r * scale, 0.02 * scale, tables)
        assert len(a) > 0
        assert same_points(b.a / scale, a.a @ Q.T, 1e-9)
        assert abs(a.d.min() - b.d.min() / scale) < 1e-10
        assert same_points(b.n, a.n @ Q.T, 1e-9)


def test_a_height_field_is_the_same_as_its_mesh():
    """V-21: same points of a field and of the same surface as a mesh."""
    rng = np.random.default_rng(11)
    x = np.linspace(-1, 1, 11)
    heights = 0.1 * rng.normal(size=(11, 11))
    field = HeightField(heights, spacing=(0.2, 0.2))
    tables = tables_of([sheet(x, x, lambda X, Y: heights)], fields=[field])
    A = solid(FIELD, np.eye(3), (0, 0, 0))
    for B in (ball(0.15), box((0.3, 0.2, 0.1), turn(rng, 0.3)), solid(CYLINDER, turn(rng), (0.1, 0, 0.2))):
        for _ in range(3):
            r = np.array([*rng.uniform(-0.4, 0.4, 2), 0.25])
            a, b = touch_surface(A, B, r, 0.2, tables), touch_surface(surface(), B, r, 0.2, tables)
            assert len(b) > 0
            assert same_points(a.a, b.a, 1e-7)  # places on curved solids are known to a root of round-off
            assert np.abs(np.sort(a.d) - np.sort(b.d)).max() < 1e-12


def test_a_body_below_a_height_field_is_pushed_up():
    """V-21: all below it is inside, as deep as you like."""
    tables = tables_of([FLAT_SHEETS[2]], fields=[HeightField(np.zeros((5, 5)), spacing=(1.0, 1.0))])
    A = solid(FIELD, np.eye(3), (0, 0, 0))
    points = touch_surface(A, ball(0.1), (0.1, 0.2, -0.5), 0.01, tables)
    assert len(points) == 1
    assert abs(points.d[0] + 0.6) < 1e-12
    assert np.abs(points.n[0] - [0, 0, 1]).max() < 1e-12


@pytest.mark.proof
def test_a_wide_plate_takes_time_in_proportion_to_the_triangles_below_it():
    """V-20: on bumps, four times the triangles take about four times as long (less than eight; the square: sixteen)."""
    seconds = []
    for cells in (64, 128):
        rng = np.random.default_rng(cells)
        x = np.linspace(-1.0, 1.0, cells + 1)
        heights = 0.02 * rng.uniform(-1.0, 0.0, (cells + 1, cells + 1))
        tables = tables_of([sheet(x, x, lambda X, Y, heights=heights: heights)])
        work = new_narrow_work(tables, 2 * cells * cells)
        pairs = [(surface(), box((0.9, 0.9, 0.2)), (0.0, 0.0, 0.19))]
        touch_many(pairs, 0.01, tables, work)
        begin = process_time()
        for _ in range(5):
            assert len(touch_many(pairs, 0.01, tables, work)[0]) > 0
        seconds.append(process_time() - begin)
    assert seconds[1] < 8 * seconds[0]
