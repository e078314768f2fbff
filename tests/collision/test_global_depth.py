"""Shortest way out of deep overlaps of bodies made of convex pieces: closed forms, brute force, invariants (V-27)."""

import numpy as np
import pytest
from narrow_samples import turn
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk.collision.global_depth import shortest_beyond, way_out
from gelenk.collision.pieces import pieces_of
from gelenk.collision.polytope import difference, polytope
from surfaces import surface_of

RNG = np.random.default_rng(27)
EXACT = 1e-11  # of sizes of about 1 m: the slack of the search, 1e-12 of the coordinates, over slanted faces
# legs 1 m thick and 2 m high on a floor, 1 m apart, 9 m deep along y
U = gk.Compound([(gk.Box((3, 9, 1)), (0, 0, -0.5)), (gk.Box((1, 9, 2)), (-1, 0, 1)), (gk.Box((1, 9, 2)), (1, 0, 1))])


def cloud(count, size=0.4):
    return gk.Compound(
        [(gk.ConvexHull(RNG.normal(size=(8, 3)) * size), RNG.normal(size=3) * 0.7) for _ in range(count)]
    )


def polytopes(shape):
    return [polytope("test", piece, True) for piece in pieces_of("test", shape)]


def differences(a, b):
    return [difference(A, B) for A in a for B in b]


def straight(faces, u):
    """How far b must go along u: the ends of the ways on which pairs overlap, by their faces."""
    ways = []
    for n, d in faces:
        rate = n @ u
        ways.append(((d[rate < 0] / rate[rate < 0]).max(initial=-np.inf), (d[rate > 0] / rate[rate > 0]).min()))
    s = 0.0
    while holding := [leave for enter, leave in ways if enter < s + 1e-12 < leave]:
        s = max(holding)
    return s


def deepest(faces, t):
    return max((n @ t - d).max() * -1.0 for n, d in faces)


@pytest.mark.parametrize("sunk", [0.2, 0.7, 1.4])
def test_block_squeezed_in_a_u_goes_up(sunk):
    """Each leg says 0.1 m to the other side; the way out is up, out of the whole U (spec, figure 2.9)."""
    block = gk.Box((1.2, 1.0, 3.0))
    found = gk.separating_move(U, block, at_b=(0, 0, 3.5 - sunk))
    np.testing.assert_allclose(found.move, (0, 0, sunk), atol=EXACT)
    assert found.depth == pytest.approx(sunk, abs=EXACT)
    assert found.least == pytest.approx(sunk, abs=EXACT)
    leg, _, _ = U.children[1]
    alone = gk.separating_move(leg, block, at_a=(-1, 0, 1), at_b=(0, 0, 3.5 - sunk))
    np.testing.assert_allclose(alone.move, (0.1, 0, 0), atol=EXACT)


def test_narrow_block_in_a_u_goes_aside():
    """With room between the legs the nearer leg alone counts."""
    found = gk.separating_move(U, gk.Box((0.8, 1.0, 3.0)), at_b=(0.15, 0, 2.5))
    np.testing.assert_allclose(found.move, (-0.05, 0, 0), atol=EXACT)


def test_corner_of_two_walls():
    """Out of two walls and a floor at once: the move is the corner of three faces."""
    corner = gk.Compound(
        [(gk.Box((1, 9, 9)), (-0.5, 0, 0)), (gk.Box((9, 1, 9)), (0, -0.5, 0)), (gk.Box((9, 9, 1)), (0, 0, -0.5))]
    )
    found = gk.separating_move(corner, gk.Box((1, 1, 1)), at_b=(0.4, 0.3, 0.45))
    np.testing.assert_allclose(found.move, (0.1, 0.2, 0.05), atol=EXACT)
    assert found.depth == pytest.approx(np.sqrt(0.01 + 0.04 + 0.0025), abs=EXACT)


def test_planes_and_bodies_apart():
    found = gk.separating_move(gk.Box((1, 1, 1)), gk.Box((1, 1, 1)), at_b=(1.5, 0, 0))
    assert (found.depth, found.least, *found.move) == (0, 0, 0, 0, 0)
    found = gk.separating_move(gk.Plane(), U, at_b=(0, 0, 0.25))
    np.testing.assert_allclose(found.move, (0, 0, 0.75), atol=EXACT)
    found = gk.separating_move(U, gk.Plane(), at_a=(0, 0, 0.25))
    np.testing.assert_allclose(found.move, (0, 0, -0.75), atol=EXACT)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_no_direction_has_a_shorter_way(count):
    """Against a search over 500 directions, refined around the best; and pieces that touch but do not overlap then."""
    for _ in range(2):
        a, b = polytopes(cloud(count)), polytopes(cloud(count))
        found, faces = way_out(a, b), differences(a, b)
        assert found.least == found.depth == pytest.approx(np.linalg.norm(found.move), abs=EXACT)
        assert deepest(faces, found.move) < EXACT
        if found.depth == 0.0:
            continue
        u = RNG.normal(size=(500, 3))
        best, width = min(u / np.linalg.norm(u, axis=1)[:, None], key=lambda d: straight(faces, d)), 0.1
        for _ in range(12):
            near = best + width * RNG.normal(size=(40, 3))
            best = min([best, *near / np.linalg.norm(near, axis=1)[:, None]], key=lambda d: straight(faces, d))
            width *= 0.6
        brute = straight(faces, best)
        assert found.depth <= brute + EXACT
        assert brute <= 1.05 * found.depth  # directions are refined to 2e-4, over slopes of up to 1 : 200


def test_invariants():
    """A rigid motion turns the move; swapped bodies go the other way by as much; a longer overlap is not less deep."""
    a, b = cloud(3), cloud(3)
    one, other = gk.separating_move(a, b), gk.separating_move(b, a)
    assert one.depth > 0.1
    assert other.depth == pytest.approx(one.depth, abs=EXACT)
    Q, p = turn(RNG), np.array([5.0, -3.0, 2.0])
    q = np.roll(Rotation.from_matrix(Q).as_quat(), 1)
    moved = gk.separating_move(a, b, at_a=p, rotation_a=q, at_b=p, rotation_b=q)
    assert moved.depth == pytest.approx(one.depth, abs=10 * EXACT)
    more = gk.separating_move(a, gk.Compound([b, (gk.Box((0.1, 0.1, 0.1)), (0.2, 0.1, 0.3))]))
    assert more.depth >= one.depth - EXACT  # more pieces are no easier to part
    pair = max(gk.separating_move(gk.Compound([x]), gk.Compound([y])).depth for x in a.children for y in b.children)
    assert pair <= one.depth + EXACT  # no pair alone is deeper than the whole


def test_curved_pieces_are_bounded_from_both_sides():
    """Two balls: depth between what polyhedra inside and around them say, each within 2 % of the radii."""
    found = gk.separating_move(gk.Sphere(1.0), gk.Sphere(0.5), at_b=(0.6, 0.5, 0.3))
    true = 1.5 - np.linalg.norm((0.6, 0.5, 0.3))
    assert found.least <= true <= found.depth
    assert found.depth - found.least < 0.02 * 1.5
    for shape in (gk.Capsule(0.3, 1.0), gk.Cylinder(0.3, 1.0), gk.Cone(0.3, 1.0), gk.Ellipsoid((0.3, 0.2, 0.5))):
        found = gk.separating_move(U, shape, at_b=(0.6, 0, 1.0))
        assert 0 < found.least <= found.depth < found.least + 0.02
        moved = np.array((0.6, 0, 1.0)) + found.move * (1 + 1e-9)
        assert gk.separating_move(U, shape, at_b=moved).depth < 1e-6


def test_shortest_point_beyond_planes_is_that_of_a_quadratic_program():
    """Against projection by turns (Dykstra), on random planes of which the last one is active."""
    met = 0
    for _ in range(20):
        n = RNG.normal(size=(5, 3))
        n /= np.linalg.norm(n, axis=1)[:, None]
        d = RNG.uniform(-0.5, 0.3, 5)
        d[4] = 1.0
        t = shortest_beyond(n, d, 1e-12)
        x, push = np.zeros(3), np.zeros((5, 3))
        for _ in range(1000):
            for k in range(5):
                y = x + push[k]
                x = y + n[k] * max(d[k] - n[k] @ y, 0.0)
                push[k] = y - x
        if (n @ x >= d - 1e-9).all() and np.isclose(n[4] @ x, 1.0, atol=1e-9):  # there is one, and it is found
            np.testing.assert_allclose(t, x, atol=1e-6)
            met += 1
    assert met > 5


@pytest.mark.proof  # compiles most pairs
def test_world_parts_bodies_where_they_are():
    b = gk.Builder()
    b.body("u", shape=U, static=True)
    b.body("block", shape=gk.Part(gk.Box((1.2, 1.0, 3.0)), at=(0, 0, 1.0)), density=100, at=(0, 0, 1.8))
    hull = gk.ConvexHull(gk.Box((1.2, 1.0, 3.0)).triangles()[0])
    b.body("hull", shape=hull, density=100, at=(0, 3, 2.6))
    b.body("mesh", shape=surface_of(gk.Box((1, 1, 1))), density=100, at=(50, 0, 0))
    world = gk.CollisionWorld(b.build())
    found = world.way_out("u", "block")
    np.testing.assert_allclose(found.move, (0, 0, 0.7), atol=EXACT)
    np.testing.assert_allclose(world.way_out("block", "u").move, (0, 0, -0.7), atol=EXACT)
    np.testing.assert_allclose(world.way_out("u", "hull").move, (0, 0, 0.9), atol=EXACT)
    with pytest.raises(gk.InputError, match=r"gk\.decompose"):
        world.way_out("u", "mesh")
    with pytest.raises(gk.InputError, match="nothing"):
        world.way_out("u", "nothing")


@pytest.mark.proof
def test_many_clouds_touch_after_the_move_and_overlap_before():
    """100 bodies of several hulls: nothing overlaps after the move, and a move that is shorter by 1e-6 leaves some."""
    for _ in range(100):
        a, b = polytopes(cloud(RNG.integers(1, 6))), polytopes(cloud(RNG.integers(1, 6)))
        found, faces = way_out(a, b), differences(a, b)
        assert deepest(faces, found.move) < EXACT
        assert found.depth == 0.0 or deepest(faces, found.move * (1 - 1e-6)) > 0.0
        assert found.least == found.depth
