"""Depth proven in two parts, the far one remembered (V-25, I-088): bounds hold, and memory changes nothing but time."""

import itertools
import math

import numpy as np
import pytest
from convex_samples import CUBE, few, find, hull_table, lengths, pair, random_pairs, separation

from gelenk.collision.far_proof import known_way, recall
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.manifold import forget, new_memory
from gelenk.collision.near_proof import nothing_far, open_tangent
from gelenk.collision.near_way import near_way
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, TRIANGLE, Solid
from gelenk.compile import kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3, put3, vec3

KINDS = (BOX, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
PAIRS = [p for p in itertools.combinations_with_replacement(KINDS, 2) if p[0] != TRIANGLE]
FRAMES = 6
DEPTH = 1e-6  # of the sizes: of several ways out that are equally long to this any one may be taken


@kernel
def follow_pairs(kind, table, R, size, r, turn, way, guess, hulls, memory, work, d_out, n_out, far_out, sure_out):
    """Every pair as B moves and turns a little from frame to frame; the bound of each frame too."""
    for i in range(r.shape[0]):
        forget(memory[i])
        n = get3(guess, i)
        R_B, p = get33(R[i], 1), get3(r, i)
        work.near[0] = hulls.hull[table[i, 0]].vertex_first
        work.near[1] = hulls.hull[table[i, 1]].vertex_first
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        for f in range(d_out.shape[0]):
            B = Solid(kind[i, 1], table[i, 1], R_B, get3(size[i], 1))
            found = known_way(A, B, p, n, np.inf, hulls, memory[i], work)
            d_out[f, i], sure_out[f, i], n = found.d, found.sure, found.n
            put3(n_out[f], i, n)
            far = recall(A, B, p, memory[i])
            far_out[f, i, 0], far_out[f, i, 1] = far.depth, far.push
            far_out[f, i, 2], far_out[f, i, 3], far_out[f, i, 4] = far.m.x, far.m.y, far.m.z
            R_B, p = get33(turn, i).times(R_B), p + get3(way, i)


def shallow_pairs(rng, kinds, hulls, count):
    """Random pairs moved along their normal to a depth of about 0.01."""
    pairs = random_pairs(rng, count, kinds, len(hulls.hull), far=(0.6, 1.0))
    pairs["size"] = np.maximum(pairs["size"], 0.3)
    found = find(pairs, hulls)
    pairs["r"] -= found.n * (found.d + 0.01)[:, None]
    return pairs


def small_turns(rng, count, angle):
    """Rotations by ``angle`` about any axis (Rodrigues)."""
    out = []
    for axis in rng.normal(size=(count, 3)):
        x, y, z = axis / np.linalg.norm(axis)
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        out.append(np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K)
    return np.array(out)


@pytest.mark.parametrize("kinds", PAIRS)
def test_what_is_remembered_is_true_in_every_frame(kinds):
    """No direction overlaps by less than the bound says, no proven way out is longer than another one."""
    rng = np.random.default_rng((*kinds, 21))
    count = few(40, 3)
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = shallow_pairs(rng, kinds, hulls, count)
    turn, way = small_turns(rng, count, 1e-3), rng.normal(size=(count, 3)) * 1e-3
    d, n, far, sure = (np.zeros((FRAMES, count, *s)) for s in ((), (3,), (5,), ()))
    parts = [np.ascontiguousarray(pairs[f]) for f in ("kind", "table", "R", "size", "r")]
    guess = np.ascontiguousarray(find(pairs, hulls).n)
    follow_pairs(*parts, turn, way, guess, hulls, new_memory(count), new_convex_work(), d, n, far, sure)
    moved = pairs.copy()
    proven = 0
    for f in range(FRAMES):
        some = rng.normal(size=(20, 3))
        some /= np.linalg.norm(some, axis=1)[:, None]
        for i in range(count):
            near = n[f, i] + rng.normal(size=(20, 3)) * rng.choice([1e-3, 0.03, 0.3], (20, 1))
            m = np.concatenate([some, near / np.linalg.norm(near, axis=1)[:, None]])
            overlap = -separation(hulls, np.repeat(moved[i], len(m)), m)
            slack = 1e-12 * (lengths(moved[i : i + 1])[0] + 3)  # rounding
            if far[f, i, 1] > 0:
                assert (overlap >= far[f, i, 0] - far[f, i, 1] * (m @ far[f, i, 2:]) - slack).all()
            if sure[f, i] and d[f, i] < 0:
                proven += 1
                assert overlap.min() >= -d[f, i] * (1 - DEPTH) - slack
        moved["R"][:, 1] = turn @ moved["R"][:, 1]
        moved["r"] += way
    assert proven > FRAMES * count // 4


def test_memory_of_other_solids_is_not_used():
    """A cylinder that stands on the edge of a box: kinds, sizes and tables are part of what is remembered."""
    hulls, memory, work = hull_table([CUBE]), new_memory()[0], new_convex_work()
    c, s = math.cos(0.3), math.sin(0.3)
    edge_up, tilted = np.array([[0.5**0.5, 0, 0.5**0.5], [0, 1, 0], [-(0.5**0.5), 0, 0.5**0.5]]), np.eye(3)
    tilted[1:, 1:] = (c, -s), (s, c)
    box = Solid(BOX, 0, get33(edge_up[None], 0), Vec3(1.0, 1.0, 1.0))
    cylinder = Solid(CYLINDER, 0, get33(tilted[None], 0), Vec3(0.5, 0.0, 1.0))
    r = Vec3(0.1, 0.2, 2.0**0.5 + c + 0.5 * s - 0.02)  # the lowest point of its rim beside the edge
    way = known_way(box, cylinder, r, Vec3(0.0, 0.0, 1.0), math.inf, hulls, memory, work)
    assert way.sure
    assert way.d < 0.0
    assert recall(box, cylinder, r, memory).push > 0.0
    for other in (box._replace(size=box.size * 1.1), box._replace(kind=ELLIPSOID), box._replace(table=1)):
        assert recall(other, cylinder, r, memory).push == 0.0
    forget(memory)
    assert recall(box, cylinder, r, memory).push == 0.0
    assert open_tangent(nothing_far(), Vec3(0.6, 0.0, 0.8), 0.01) < 0.0


@pytest.mark.parametrize("tilt", [1e-5, 1e-3, 0.02])
@pytest.mark.parametrize("which", ["edge", "rim"])
def test_rims_of_flat_ends_over_edges_and_rims(tilt, which):
    """From a normal off by more than the tilt the crossing is found, as deep as the polytope tells."""
    hulls, work = hull_table([CUBE]), new_convex_work()
    c, s = math.cos(tilt), math.sin(tilt)
    R_b = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.diag((1.0, -1.0, -1.0))
    turn = np.array([[math.cos(1.1), -math.sin(1.1), 0], [math.sin(1.1), math.cos(1.1), 0], [0, 0, 1]])
    if which == "edge":
        p = pair(BOX, (0.4, 1, 1), CYLINDER, (0.5, 0, 1), (-0.2, 0.3, 1.995), R_b=turn @ R_b)
    else:
        p = pair(CYLINDER, (0.6, 0, 1), CYLINDER, (0.5, 0, 1), (0.5, 0.1, 1.995), R_b=turn @ R_b)
    known = find(p, hulls)
    A, B = (Solid(int(p["kind"][0, k]), 0, get33(p["R"][0], k), vec3(p["size"][0, k])) for k in range(2))
    for off in (0.0, 0.3 * tilt, 3.0 * tilt):
        guess = known.n[0] + off * np.array((0.6, -0.8, 0))
        way = near_way(A, B, vec3(p["r"][0]), vec3(guess / np.linalg.norm(guess)), math.inf, nothing_far(), hulls, work)
        assert way.sure or way.tangent > 0.0
        assert way.d == pytest.approx(known.d[0], abs=1e-12)
        assert way.d == pytest.approx(separation(hulls, p, [np.array(way.n)])[0], abs=1e-15)


@pytest.mark.parametrize("kind", [CYLINDER, CONE, CAPSULE])
def test_small_deep_in_a_large_cylinder(kind):
    """All lines of the side are nearly as good: the best is found among directions all around (1e-6 of the sizes)."""
    rng = np.random.default_rng((kind, 23))
    count = few(30, 3)
    pairs = random_pairs(rng, count, (kind, CYLINDER))
    pairs["size"][:, 0], pairs["size"][:, 1] = rng.uniform(3e-4, 3e-3, (count, 3)), (0.4, 0.4, 0.5)
    pairs["r"] = rng.normal(size=(count, 3)) * 3e-4
    found = find(pairs)
    angle = np.linspace(0, 2 * np.pi, 721)
    for p, d in zip(pairs, found.d, strict=True):
        circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1) @ p["R"][1].T
        assert d >= separation(None, np.repeat(p, len(circle)), circle).max() - DEPTH
    np.testing.assert_allclose(separation(None, pairs, found.n), found.d, atol=1e-14)
