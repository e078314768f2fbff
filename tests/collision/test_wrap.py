"""Depth from a direction that is nearly known: circles of lines, Newton along them, the ball wrapped (V-25)."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from convex_samples import CUBE, PAIR, find, hull_table, lengths, pair, random_pairs, separation

from gelenk.collision.epa import local_way
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.near_proof import nothing_far
from gelenk.collision.near_way import near_way
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE, Solid
from gelenk.collision.wrap import wrap
from gelenk.compile import kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, put3

KINDS = (BOX, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))
DEPTH = 1e-6  # part of the depth and of the sizes: what a proof leaves open on curved solids
NEAR, WRAP, BOTH = 0, 1, 2


class Ways(NamedTuple):
    """What was found for many pairs, without rounding of balls and capsules."""

    d: np.ndarray
    n: np.ndarray
    a: np.ndarray
    sure: np.ndarray


@kernel
def ways(kind, table, R, size, r, n, hulls, work, which, out):
    """The way near to n of every pair."""
    for i in range(r.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        work.near[0], work.near[1] = hulls.hull[table[i, 0]].vertex_first, hulls.hull[table[i, 1]].vertex_first
        if which == 0:
            way = near_way(A, B, get3(r, i), get3(n, i), np.inf, nothing_far(), hulls, work)
        elif which == 1:
            way = wrap(A, B, get3(r, i), get3(n, i), hulls, work)
        else:
            way = local_way(A, B, get3(r, i), get3(n, i), np.inf, hulls, work)
        out.d[i], out.sure[i] = way.d, way.sure
        put3(out.n, i, way.n)
        put3(out.a, i, way.a)


def run(pairs, n, hulls=None, which=BOTH):
    count = len(pairs)
    out = Ways(np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count, bool))
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    ways(*parts, np.ascontiguousarray(n, float), hulls or hull_table([CUBE]), new_convex_work(), which, out)
    return out


def units(rng, n, spread):
    """Unit vectors about n."""
    n = n + rng.normal(size=np.shape(n)) * spread
    return n / np.linalg.norm(n, axis=-1)[..., None]


def at_gap(rng, kinds, hulls, count, gap):
    """Random pairs moved along their normal to a signed distance near to ``gap``."""
    pairs = random_pairs(rng, count, kinds, len(hulls.hull), far=(0.6, 1.0))
    found = find(pairs, hulls)
    pairs["r"] -= found.n * (found.d - gap)[:, None]
    return pairs


@pytest.mark.parametrize("gap", [-0.001, -0.03])
def test_edges_that_cross(gap):
    """Of two beams, one across the other, turned onto their edges: depth and place are known."""
    c = math.sqrt(0.5)
    on_edge = np.array([[1, 0, 0], [0, c, -c], [0, c, c]])  # beam along x
    across = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) @ on_edge
    beams = pair(BOX, (3, 0.5, 0.5), BOX, (3, 0.5, 0.5), (0.3, 0.2, 2 * 0.5 / c + gap), on_edge, across)
    out = run(beams, [(0, 0, 1.0)], which=WRAP)
    assert out.sure[0]
    assert out.d[0] == pytest.approx(gap, abs=1e-14)
    np.testing.assert_allclose(out.a[0], (0.3, 0, 0.5 / c), atol=1e-13)
    tilted = run(beams, units(np.random.default_rng(0), np.array([(0, 0, 1.0)]), 0.01))
    assert tilted.sure[0]
    np.testing.assert_allclose(tilted.n[0], (0, 0, 1), atol=1e-14)


def test_sides_of_cones_that_cross():
    """Two cones on their sides, one across the other: the lowest and the highest side line cross at right angles."""
    slant = math.hypot(0.5, 2.0)
    down = math.pi / 2 + math.atan2(0.5, 2.0)
    y, z = math.cos(down), math.sin(down)
    lying = np.array([[1, 0, 0], [0, y, -z], [0, z, y]])  # its side below is level
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) @ np.diag((1.0, -1.0, -1.0)) @ lying  # above, across
    low, gap = 0.5 / slant * 2.0, -0.005
    r = np.array((0.0, 0.0, -2 * low + 2 * (low - 0.5 * 2.0 / slant) - gap))
    cones = pair(CONE, (0.5, 0, 2), CONE, (0.5, 0, 2), r, lying, turned)
    along = lying @ (0.0, 0.0, 1.0)
    other = turned @ (0.0, 0.0, 1.0)
    cones["r"] += along * (1, 1, 0) - other * (1, 1, 0)  # middles of the side lines over each other
    out = run(cones, units(np.random.default_rng(1), np.array([(0, 0, -1.0)]), 0.01))
    assert out.sure[0]
    np.testing.assert_allclose(out.n[0], (0, 0, -1), atol=1e-12)
    assert out.d[0] == pytest.approx(separation(hull_table([CUBE]), cones, np.array([(0, 0, -1.0)]))[0], abs=1e-14)


@pytest.mark.parametrize("kinds", PAIRS)
def test_proofs_hold_and_are_found(kinds):
    """From the normal of a step before: nearly all are proven, and no direction has less depth than was proven."""
    rng = np.random.default_rng((*kinds, 5))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = at_gap(rng, kinds, hulls, 60, -0.01)
    known, size = find(pairs, hulls), lengths(pairs) + 3
    shallow = (known.d > -0.02) & (pairs["size"].min((1, 2)) > 0.2)
    out = run(pairs, units(rng, known.n, 1e-4), hulls)
    assert out.sure[shallow].mean() > 0.9
    np.testing.assert_array_less(np.abs(out.d - known.d)[out.sure], DEPTH * size[out.sure])
    for p, d, n, s in zip(pairs[out.sure], out.d[out.sure], out.n[out.sure], size[out.sure], strict=True):
        around = np.concatenate([units(rng, np.tile(n, (20, 1)), w) for w in (1e-3, 0.1, 3.0)])
        assert separation(hulls, np.repeat(p, len(around)), around).max() <= d + DEPTH * s


@pytest.mark.parametrize("kinds", [*PAIRS, (SPHERE, ELLIPSOID), (CAPSULE, CONE), (CAPSULE, CYLINDER)])
def test_near_pairs_need_no_search(kinds):
    rng = np.random.default_rng((*kinds, 6))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = at_gap(rng, kinds, hulls, 60, 0.01)
    known = find(pairs, hulls)
    radii = np.where(np.isin(pairs["kind"], (SPHERE, CAPSULE)), pairs["size"][:, :, 0], 0).sum(1)
    out = run(pairs, units(rng, known.n, 1e-4), hulls, NEAR)
    assert out.sure.mean() > 0.9
    np.testing.assert_allclose((out.d - radii)[out.sure], known.d[out.sure], atol=1e-11)


@pytest.mark.parametrize("kinds", PAIRS)
def test_a_longer_way_is_never_proven(kinds):
    """From any direction: either the depth, or no proof."""
    rng = np.random.default_rng((*kinds, 7))
    hulls = hull_table([rng.normal(size=(12, 3)) for _ in range(5)])
    pairs = random_pairs(rng, 150, kinds, 5, far=(0.1, 0.3, 0.6))
    known, size = find(pairs, hulls), lengths(pairs) + 3
    out = run(pairs, units(rng, known.n, rng.choice([0.1, 0.5, 3.0], (150, 1))), hulls, WRAP)
    wrong = np.abs(out.d - known.d) > DEPTH * size
    assert wrong.sum() > 30
    assert not (out.sure & wrong).any()


def test_little_scratch_proves_nothing():
    pairs = pair(BOX, (1, 1, 1), CYLINDER, (1, 0, 1), (0, 0, 1.99))
    out = Ways(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1, bool))
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    ways(*parts, np.array([(0, 0, 1.0)]), hull_table([CUBE]), new_convex_work(16), WRAP, out)
    assert not out.sure[0]
    assert out.d[0] == pytest.approx(-0.01, abs=1e-15)
