"""Small solids deep in a large ellipsoid: the shortest of many nearly equal ways out (V-25)."""

import numpy as np
import pytest
from convex_samples import CUBE, PAIR, few, find, hull_table
from scipy.spatial.transform import Rotation

from gelenk.collision.every_way import LOOKS, WIDE, look, uphill
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.solid import BOX, CYLINDER, ELLIPSOID, Solid
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, vec3


def units(rng, count):
    """Directions."""
    n = rng.normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=1)[:, None]


def deep_pairs(rng, kind, count):
    """Solids of a hundredth of an ellipsoid that is nearly a ball, near its centre."""
    pairs = np.zeros(count, PAIR)
    pairs["kind"] = kind, ELLIPSOID
    pairs["size"][:, 0] = 10.0 ** rng.uniform(-3, -1.5, (count, 3))
    pairs["size"][:, 1] = rng.uniform(0.7, 1.0, (count, 3))
    flat = rng.random(count) < 0.5
    pairs["size"][flat, 1, 1] = pairs["size"][flat, 1, 0] * rng.uniform(0.99, 1.01, flat.sum())
    for side in range(2):
        pairs["R"][:, side] = Rotation.random(count, rng=rng).as_matrix()
    pairs["r"] = units(rng, count) * 0.01
    return pairs


def overlap(pair, n):
    """Along directions n (k, 3): closed forms of the support functions."""
    u, v, s = n @ pair["R"][0], n @ pair["R"][1], pair["size"][0]
    if pair["kind"][0] == BOX:
        own = np.abs(u * s).sum(1)
    elif pair["kind"][0] == CYLINDER:
        own = s[0] * np.hypot(u[:, 0], u[:, 1]) + s[2] * np.abs(u[:, 2])
    else:
        own = np.linalg.norm(u * s, axis=1)
    return own + np.linalg.norm(v * pair["size"][1], axis=1) - n @ pair["r"]


def least_overlap(pair, rng):
    """The least overlap of many directions, then of many around the best ones, ever closer."""
    n = units(rng, 4000)
    for spread in 0.1 * 0.3 ** np.arange(12):
        best = n[np.argsort(overlap(pair, n))[:40]]
        n = (best[:, None] + rng.normal(size=(40, 50, 3)) * spread).reshape(-1, 3)
        n = np.concatenate((best, n / np.linalg.norm(n, axis=1)[:, None]))
    return overlap(pair, n).min()


@pytest.mark.parametrize(("kind", "seed"), [(BOX, 14), (CYLINDER, 9), (ELLIPSOID, 19)])
def test_no_way_out_of_an_ellipsoid_is_shorter(kind, seed):
    """Each of these has a pair for which the polytope and what lies around its way out are not enough."""
    rng = np.random.default_rng((kind, seed))
    pairs = deep_pairs(rng, kind, 40)[: few(25, 3)]
    found = find(pairs)
    for pair, d, n in zip(pairs, found.d, found.n, strict=True):
        np.testing.assert_allclose(overlap(pair, n[None]), -d, rtol=1e-13)
        assert -d <= least_overlap(pair, rng) * (1 + 1e-12)


def test_every_direction_has_a_look_nearby():
    """No direction is farther from the nearest look than the tangent says; 20 000 of them are 0.02 apart."""
    looks = np.array([look(k) for k in range(LOOKS)])
    np.testing.assert_allclose(np.linalg.norm(looks, axis=1), 1, rtol=1e-15)
    cosine = (units(np.random.default_rng(1), 20_000) @ looks.T).max(1).min()
    assert np.sqrt(1 / cosine**2 - 1) < WIDE


def test_uphill_goes_to_a_place_where_nothing_nearby_is_better():
    """Two ellipsoids: the end has a gap of at least that of the start and of 1000 directions up to 0.1 around it."""
    rng = np.random.default_rng(2)
    for pair in deep_pairs(rng, ELLIPSOID, 5):
        A, B = (Solid(ELLIPSOID, 0, get33(pair["R"], i), get3(pair["size"], i)) for i in range(2))
        start = units(rng, 1)
        end = uphill(A, B, vec3(pair["r"]), vec3(start[0]), hull_table([CUBE]), new_convex_work())
        near = np.array([end]) + 0.1 * rng.uniform(-1, 1, (1000, 1)) * units(rng, 1000)
        near /= np.linalg.norm(near, axis=1)[:, None]
        least = overlap(pair, np.array([end]))[0]
        assert least <= overlap(pair, start)[0]
        assert least <= overlap(pair, near).min() * (1 + 1e-6)  # steps below 1e-3 are left to Newton: 1e-6 / 2
