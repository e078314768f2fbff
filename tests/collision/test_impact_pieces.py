"""Times of impact of solids of pieces: trees of balls, meshes, fields, and each other (V-06, V-22)."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk import compile as compiler
from gelenk.collision.facet import Facet
from gelenk.collision.impact_coming import facet_normal_of
from gelenk.collision.piece_tree import child_item, children, is_void, piece_of, whole_item
from gelenk.collision.solid import BALLS, FIELD, MESH, SPHERE, TRIANGLE, Solid
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, vec3
from surfaces import surface_of

UPRIGHT = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
BLOCK = surface_of(gk.Box((1.0, 0.7, 0.5)))
WEDGE = gk.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
GAP = 4e-6  # shapes of 1 m or less count as met at twice 1e-6 of the smaller or at 1e-6 of both
HILLS = gk.HeightField(0.3 * np.sin(np.arange(30)).reshape(5, 6), 0.6)
SHAPES = {
    "balls": gk.SphereTree(WEDGE, 2),
    "mesh": BLOCK,
    "map": gk.DistanceMap(BLOCK, 6),
    "hull": gk.ConvexHull(WEDGE.vertices),
    "capsule": gk.Capsule(0.2, 0.8),
    "hills": HILLS,
    "plane": gk.Plane(),
}


def model_of(a, b, at, v, w, turn=(1, 0, 0, 0)):
    """Body b flies at body a, which is turned and still."""
    builder = gk.Builder()
    builder.body("a", shape=a, static=True, rotation=turn)
    builder.body("b", shape=b, density=1.0, at=at, velocity=v, angular_velocity=w)
    return builder.build()


def later(model, t):
    """The state after all bodies went on with their velocities."""
    state = model.initial_state()
    for k in range(len(state.q_WB)):
        R = Rotation.from_quat(state.q_WB[k], scalar_first=True)
        turned = Rotation.from_rotvec(R.apply(state.w_WB_B[k]) * t) * R
        state.q_WB[k] = turned.as_quat(scalar_first=True)
    state.p_WC[:] += state.v_WC * t
    return state


PAIRS = [
    ("mesh", "mesh"),
    ("hills", "mesh"),
    ("plane", "mesh"),
    ("balls", "mesh"),
    ("balls", "balls"),
    ("hills", "balls"),
    ("plane", "balls"),
    ("capsule", "balls"),
    ("hull", "balls"),
    ("mesh", "capsule"),
    ("hills", "hull"),
]


def meets_on_time(first, second, seed, samples):
    """Whether the pair meets; before that its distance is above 0, then it is at most the gap, by other routines.

    The centre of mass is aimed. As long as it is above a field, a convex body meets the surface before the sides, which
    distances do not know: from a point on a side, the straight way to the centre would lie below the surface.
    """
    random = np.random.default_rng(seed)
    high = first in ("hills", "plane")
    start = random.normal(size=3)
    start = 2.5 * (start if not high else np.array((0.2 * start[0], 0.2 * start[1], 1.0))) / np.linalg.norm(start)
    start[2] = max(start[2], 2.2) if high else start[2]
    turn = (1, 0, 0, 0) if high else Rotation.random(random_state=seed).as_quat(scalar_first=True)
    aim = 0.15 * random.normal(size=3)
    v, w = (aim - start) * 2.0, 3.0 * random.normal(size=3)
    spin_alone = model_of(SHAPES[first], SHAPES[second], start, (0, 0, 0), w, turn).initial_state().v_WC[-1]
    model = model_of(SHAPES[first], SHAPES[second], start, v - spin_alone, w, turn)
    world = gk.CollisionWorld(model, margin=0.01)
    found = world.impacts(model.initial_state(), 1.0)
    t_hit = found[0].time if found else 1.0
    for t in np.linspace(0, t_hit, samples, endpoint=False):
        near = world.detect(later(model, t)).nearest("a", "b")
        assert near.distance > 0.0, (first, second, seed, t, t_hit)
    if found:
        (hit,) = found
        near = world.detect(later(model, hit.time)).nearest("a", "b")
        assert 0.0 < near.distance <= GAP, (first, second, seed, near.distance)
        assert abs(world.closest(hit.point).distance) <= GAP  # the point lies on one of them
    return bool(found)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_pairs_of_pieces_meet_neither_late_nor_early(first, second):
    counts = (3, 5) if compiler.ENABLED else (3, 2)
    hits = sum(meets_on_time(first, second, seed, counts[1]) for seed in range(counts[0]))
    assert hits > 0


@pytest.mark.proof
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_many_pairs_of_pieces_meet_neither_late_nor_early(first, second):
    assert sum(meets_on_time(first, second, 100 + seed, 100) for seed in range(100)) > 50


def leaf_balls(world):
    """Centres and radii of the smallest balls of the first tree, shape axes."""
    balls = world.tables.balls
    last = balls.child_first == balls.child_last
    return balls.ball[last]


def test_tree_of_balls_on_a_plane_and_on_a_ball_by_the_closed_form():
    """Each smallest ball is a ball: h / v on the plane, the root of |r + v t| = R + R' on a ball."""
    for target in (gk.Plane(), gk.Sphere(0.4)):
        speed = np.array((0.1, 0.2, -2.0))
        model = model_of(target, SHAPES["balls"], (0.1, 0.05, 2.0), speed, (0, 0, 0))
        world = gk.CollisionWorld(model)
        balls = leaf_balls(world)
        place = world.colliders.place[1]
        centre, radius = place.p + balls[:, :3] @ place.R.T, balls[:, 3]
        if isinstance(target, gk.Plane):
            times = (centre[:, 2] - radius) / -speed[2]
        else:
            vv, rv = speed @ speed, centre @ speed
            root = rv**2 - vv * ((centre**2).sum(1) - (radius + 0.4) ** 2)
            times = np.where(root > 0, (-rv - np.sqrt(np.maximum(root, 0))) / vv, math.inf)
        (hit,) = world.impacts(model.initial_state(), 2.0)
        # early by the gap of at most 2e-6 m at 2 m/s and more along the normal than half of it
        assert times.min() - 4e-6 <= hit.time <= times.min()


@pytest.mark.parametrize("kind", ["balls", "mesh", "hills"])
def test_every_piece_is_in_all_nodes_above_it(kind):
    """Corners of triangles, ends of balls and strips lie in the solids of their nodes; all pieces are found once.

    A field has two triangles a cell, and below each cell of its rim a triangle and a strip.
    """
    world = gk.CollisionWorld(model_of(SHAPES[kind], gk.Sphere(0.1), (0, 0, 9), (0, 0, 0), (0, 0, 0)))
    tables, number = world.tables, {"balls": BALLS, "mesh": MESH, "hills": FIELD}[kind]
    solid = Solid(number, 0, UPRIGHT, Vec3(0.0, 0.0, 0.0))
    pieces = 0

    def visit(item, above):
        nonlocal pieces
        piece, g = piece_of(solid, tables, item)
        if is_void(piece):
            return
        count = children(solid, tables, item)
        if count == 0:
            pieces += 1
            if piece.kind == TRIANGLE:
                points = [np.array(g) + np.array(piece.R)[[k, 3 + k, 6 + k]] for k in range(3)]
            elif piece.kind == SPHERE:
                points = [np.array(g) + piece.size.x * e for e in (*np.eye(3), *-np.eye(3))]
            else:
                points = [np.array(g) + sign * np.array(piece.size) for sign in (-1, 1)]
            for node, middle in above:
                for p in points:
                    if node.kind == SPHERE:
                        assert np.linalg.norm(p - middle) <= node.size.x * (1 + 1e-12)
                    else:
                        assert (np.abs(p - np.array(middle)) <= np.array(node.size) + 1e-12 * (1 + node.size.z)).all()
            return
        for k in range(count):
            visit(child_item(solid, tables, item, k), [*above, (piece, np.array(g))])

    visit(whole_item(solid, tables), [])
    expected = {"balls": len(leaf_balls(world)), "mesh": 12, "hills": 2 * 4 * 5 + 2 * 2 * (4 + 5)}[kind]
    assert pieces == expected


def test_normals_of_a_facet_lean_as_far_as_its_sides_allow():
    """Flat over p q, a quarter over q s: m stays, is brought to the arc, or becomes the normal."""
    n = Vec3(0.0, 0.0, 1.0)
    out = Vec3(math.sqrt(0.5), math.sqrt(0.5), 0.0)
    facet = Facet(vec3((0, 0, 0)), vec3((1, 0, 0)), vec3((0, 1, 0)), n, n, out, n, 0)
    leaning = vec3((0.5, 0.5, math.sqrt(0.5)))
    np.testing.assert_allclose(facet_normal_of(facet, leaning), leaning, atol=1e-15)
    np.testing.assert_allclose(facet_normal_of(facet, vec3((0, -0.8, 0.6))), n, atol=1e-15)
    np.testing.assert_allclose(facet_normal_of(facet, vec3((0, 0, -1))), n, atol=1e-15)
