"""Needles through thin plates of triangles: one way out that parts them, for convex plates the shortest (V-20, I-093).

A plate of one piece has the depths of its hull. An angle of two plates is left if both of these are.
"""

from __future__ import annotations

import numpy as np
import pytest
from convex_samples import PAIR, find, hull_table
from narrow_samples import solid, turn
from surface_samples import box_mesh, mesh, surface, touch_many
from table_samples import MUCH

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL
from gelenk.collision.tables import new_tables
from gelenk.compile import ENABLED
from gelenk.geometry.hull import ConvexHull

HALF = np.array([0.1, 0.08, 0.0025])
SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
RING = np.array([(1.0, 0.0), (-0.5, 0.87), (-0.5, -0.87)])
SPIKE = np.vstack(
    [np.column_stack((w * RING, np.full(3, z))) for w, z in ((0.003, -0.2), (0.002, 0.1))] + [(0, 0, 0.2)]
)
SIZES = {
    CONE: (0.003, 0, 0.4),
    CAPSULE: (0.002, 0, 0.2),
    CYLINDER: (0.002, 0, 0.2),
    BOX: (0.002, 0.003, 0.2),
    ELLIPSOID: (0.002, 0.003, 0.2),
    HULL: (0, 0, 0),
}
KINDS = pytest.mark.parametrize("kind", SIZES, ids=["cone", "capsule", "cylinder", "box", "ellipsoid", "hull"])
SIZE = 0.4  # of a needle
NEARLY = 1e-6 * SIZE  # what depths of curved solids are known to


def angle():
    """Two plates that share a rim at right angles, as one mesh: a profile along y, with many inner sides."""
    thick, wide, deep = 0.005, 0.2, 0.08
    outline = np.array([(0, 0), (wide, 0), (wide, thick), (thick, thick), (thick, wide), (0, wide)])
    caps = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    y = np.linspace(-deep, deep, 5)
    points = np.array([(x, v, z) for v in y for x, z in outline])
    faces = [*caps, *(caps[:, ::-1] + 24)]
    for j in range(4):
        for i in range(6):
            a, b = 6 * j + i, 6 * j + (i + 1) % 6
            faces += [(a, a + 6, b + 6), (a, b + 6, b)]
    boxes = [(SIGNS + 1) / 2 * (wide, 0, thick), (SIGNS + 1) / 2 * (thick, 0, wide)]
    return mesh(points, faces), [b + SIGNS * (0, deep, 0) for b in boxes]


def needles(rng, count, kind, middle):
    """Needles in any attitude with a point of their axis at a place of the plate: pairs for both routines."""
    pairs, p = [], np.zeros(count, PAIR)
    p["kind"], p["table"], p["R"] = (HULL, kind), (0, 1), np.eye(3)
    for k in range(count):
        R, along = turn(rng), rng.uniform(-0.19, 0.19) + (0.2 if kind == CONE else 0.0)
        r = middle(rng) - R @ [0, 0, along]
        p[k]["R"][1], p[k]["size"][1], p[k]["r"] = R, SIZES[kind], r
        pairs.append((surface(), solid(kind, R, SIZES[kind], 1), r))
    return pairs, p


def on_plate(rng):
    return rng.uniform(-1, 1, 3) * HALF * (1, 1, 0)


def on_angle(rng):
    x, y = rng.uniform(0.001, 0.199), rng.uniform(-0.079, 0.079)
    return np.array([x, y, 0.0025] if rng.random() < 0.5 else [0.0025, y, x])


def deepest(found):
    """Depths and normals of the deepest points; each pair must have one."""
    assert all(len(points) for points in found)
    best = [points[points.d.argmin()] for points in found]
    return np.array([b.d for b in best]), np.array([b.n for b in best])


def check_plate(rng, count, kind, cells):
    """The deepest point parts needle and plate, and no way is shorter."""
    tables = new_tables([ConvexHull(SIGNS * HALF), ConvexHull(SPIKE)], [box_mesh(HALF, cells)])
    pairs, p = needles(rng, count, kind, on_plate)
    hulls = hull_table([SIGNS * HALF, SPIKE])
    exact = find(p, hulls).d
    d, n = deepest(touch_many(pairs, 1e-3, tables))
    assert np.abs(d - exact).max() < NEARLY
    p["r"] -= (d - NEARLY)[:, None] * n
    assert find(p, hulls).d.min() > -1e-9


def check_angle(rng, count, kind):
    """Distance from both plates after the way of the deepest point, which is no longer than that out of their hull."""
    shape, plates = angle()
    tables = new_tables([ConvexHull(plates[0]), ConvexHull(SPIKE)], [shape])
    assert tables.meshes.mesh[0].closed
    pairs, p = needles(rng, count, kind, on_angle)
    d, n = deepest(touch_many(pairs, 1e-3, tables))
    whole = find(p, hull_table([shape.vertices, SPIKE])).d
    assert (d > whole - NEARLY).all()
    moved = p.copy()
    moved["r"] -= (d - NEARLY)[:, None] * n
    left = np.minimum(*(find(moved, hull_table([plate, SPIKE])).d for plate in plates))
    return left


@KINDS
@pytest.mark.parametrize("cells", [1, 4], ids=["two triangles a side", "many"])
def test_needles_leave_a_plate_by_the_shortest_way(kind, cells):
    check_plate(np.random.default_rng((kind, cells)), 30 if ENABLED else 5, kind, cells)


@pytest.mark.proof
@KINDS
@pytest.mark.parametrize("cells", [1, 4], ids=["two triangles a side", "many"])
def test_many_needles_leave_a_plate_by_the_shortest_way(kind, cells):
    check_plate(np.random.default_rng((kind, cells, 2)), MUCH // 10, kind, cells)


@KINDS
def test_needles_leave_an_angle(kind):
    left = check_angle(np.random.default_rng((kind, 3)), 30 if ENABLED else 5, kind)
    assert left.min() > -1e-9


@pytest.mark.proof
@KINDS
def test_many_needles_leave_an_angle(kind):
    """Where both plates are met beside their common rim, each may push to its own side, and both together part."""
    left = check_angle(np.random.default_rng((kind, 4)), MUCH // 10, kind)
    assert (left > -1e-9).mean() > 0.99
