"""Floors of several still parts side by side: nothing catches at their seams (V-20, I-093)."""

import numpy as np
import pytest

import gelenk as gk

TILE = 0.2  # edge of a tile [m]
FLAT = 1e-6  # of the normals, as the distances of curved shapes
DEEP = 2e-3  # most that a body is sunk in [m]
UP = np.array((0.0, 0.0, 1.0))


def box_corners(x, y, z):
    """Corners and outward triangles of a box with half edges x, y, z."""
    corners = np.array([(i, j, k) for i in (-x, x) for j in (-y, y) for k in (-z, z)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])


def tile(kind):
    """A tile and how high its middle lies if its top is at 0."""
    if kind == "field":
        return gk.HeightField(np.zeros((5, 5)), TILE / 4), 0.0
    corners, triangles = box_corners(TILE / 2, TILE / 2, 0.05)
    made = {
        "box": gk.Box((TILE, TILE, 0.1)),
        "hull": gk.ConvexHull(corners),
        "mesh": gk.TriangleMesh(corners, triangles),
    }
    return made[kind], -0.05


def shape(kind, rng):
    """What slides."""
    made = {
        "box": lambda: gk.Box(tuple(rng.uniform(0.05, 0.3, 3))),
        "sphere": lambda: gk.Sphere(rng.uniform(0.02, 0.15)),
        "capsule": lambda: gk.Capsule(0.05, 0.2),
        "cylinder": lambda: gk.Cylinder(0.08, 0.15),
        "cone": lambda: gk.Cone(0.08, 0.15),
        "ellipsoid": lambda: gk.Ellipsoid((0.08, 0.15, 0.06)),
        "hull": lambda: gk.ConvexHull(0.1 * rng.normal(size=(30, 3))),
    }
    return made[kind]()


def floor(body, tiles="box", heights=None, order=1, **options):
    """A world of 4 x 5 tiles with a body above them."""
    b = gk.Builder()
    for k in range(20)[::order]:
        made, z = tile(tiles)
        at = ((k // 5 - 1.5) * TILE, (k % 5 - 2) * TILE, z + (heights[k] if heights is not None else 0.0))
        b.body(f"tile{k}", shape=made, static=True, at=at)
    b.body("body", shape=body, density=500, at=(0, 0, 1))
    return gk.CollisionWorld(b.build(), margin=2e-3, **options)


def sink(world, x, y, turn, depth):
    """A state with the lowest point of the body this much below the floor."""
    state, k = world.model.initial_state(), world.model.index("body")
    state.q_WB[k], state.p_WC[k] = turn, (x, y, 1.0)
    world._place("sink", state)
    state.p_WC[k, 2] -= world.colliders.box[-1, 2] + 0.5 * world.margin + depth
    return state


def normals(world):
    """From the floor to the body, and distances."""
    found = list(world)
    return np.array([c.normal if c.b == "body" else -c.normal for c in found]).reshape(-1, 3), [
        c.distance for c in found
    ]


def slide(kind, tiles, seed, count):
    """Places over the seams of a floor, every other upright and turned about z; how many caught without the rule."""
    rng = np.random.default_rng(seed)
    body = shape(kind, rng)
    world, plain = floor(body, tiles), floor(body, tiles, seams=False)
    caught = 0
    for k in range(count):
        turn = rng.normal(size=4) * ((1, 0, 0, 1) if k % 2 else 1)
        depth = rng.uniform(0, DEEP)
        state = sink(world, *rng.uniform(-0.1, 0.1, 2), turn / np.linalg.norm(turn), depth)
        found, distances = normals(world.detect(state))
        np.testing.assert_allclose(found, np.tile(UP, (len(found), 1)), rtol=0, atol=FLAT)
        assert min(distances) == pytest.approx(-depth, abs=1e-6)
        caught += np.abs(normals(plain.detect(state))[0] - UP).max() > FLAT
    return caught


@pytest.mark.parametrize(("kind", "tiles", "count"), [("box", "box", 30), ("capsule", "box", 30)])
def test_nothing_catches_on_tiles(kind, tiles, count):
    assert slide(kind, tiles, 3, count) > count // 15  # else the places show nothing


@pytest.mark.proof
@pytest.mark.parametrize("tiles", ["box", "hull", "mesh", "field"])
@pytest.mark.parametrize("kind", ["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull"])
def test_nothing_catches_on_tiles_of_any_kind(kind, tiles):
    assert sum(slide(kind, tiles, (seed, 7), 75) for seed in range(4)) > 15


def test_a_blade_over_a_seam_is_held():
    """It is thinner than twice its depth, so each tile alone would push it out to the side."""
    world = floor(gk.Box((0.003, 0.1, 0.1)))
    found, distances = normals(world.detect(sink(world, 0.0, 0.03, (1, 0, 0, 0), 2e-3)))
    np.testing.assert_allclose(found, np.tile(UP, (4, 1)), rtol=0, atol=1e-12)
    np.testing.assert_allclose(distances, -2e-3, rtol=0, atol=1e-12)


@pytest.mark.parametrize("points", ["region", "one"])
@pytest.mark.parametrize("body", ["box", "wedge"])
def test_steps_and_walls_still_push(body, points):
    """Tiles that are 1 cm or 5 cm higher push the body back. Of the wedge only an edge below the floor meets them."""
    profile = [(0.05, -0.04), (-0.05, -0.03), (-0.02, 0.04)]
    wedge = gk.ConvexHull([(x, y, z) for x, z in profile for y in (-0.03, 0.03)])
    for step in (0.01, 0.05):
        heights = np.where(np.arange(20) // 5 >= 2, step, 0.0)
        made = gk.Box((0.1, 0.05, 0.08)) if body == "box" else wedge
        world, plain = (floor(made, heights=heights, points=points, seams=on) for on in (True, False))
        state = sink(world, 0.0, 0.01, (1, 0, 0, 0), 1.5e-3)
        state.p_WC[world.model.index("body"), 0] -= world.colliders.box[-1, 3] - 0.5 * world.margin - 1e-3
        found, distances = normals(world.detect(state))
        expected, depths = normals(plain.detect(state))
        assert (found[:, 0] < -0.8).any()
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(distances, depths)


def test_steps_lower_than_a_thousandth_do_not_catch():
    heights = np.where(np.arange(20) // 5 >= 2, 3e-5, 0.0)
    world = floor(gk.Box((0.1, 0.05, 0.08)), heights=heights)
    found, _ = normals(world.detect(sink(world, 5e-4 - 0.05, 0.01, (1, 0, 0, 0), 1.5e-3)))
    np.testing.assert_allclose(found, np.tile(UP, (len(found), 1)), rtol=0, atol=1e-12)


def test_the_order_of_the_tiles_does_not_matter():
    turn = gk.unit((1.0, 0.4, 0.1, 0.3))
    sets = []
    for order in (1, -1):
        world = floor(gk.Box((0.1, 0.05, 0.08)), order=order)
        world.detect(sink(world, 0.012, -0.095, turn, 1.9e-3))
        sets.append(sorted((c.a, *c.point_a.round(12), *c.normal.round(9), round(c.distance, 12)) for c in world))
    assert sets[0] == sets[1]


def test_the_switch_is_checked():
    with pytest.raises(gk.InputError, match="seams is 'no'"):
        floor(gk.Sphere(0.1), seams="no")
