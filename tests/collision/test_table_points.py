"""Contact points of every row of the pair table: where they lie, how many, and their names (V-11, I-091, I-092)."""

from __future__ import annotations

import numpy as np
import pytest
from table_samples import EVERY, FEW, MUCH, find, lengths, limits, off_surface, put_at, random_pairs

from gelenk.collision.manifold import MOST
from gelenk.collision.pair_table import SEARCHED
from gelenk.collision.solid import CAPSULE

pytestmark = pytest.mark.proof

EXACT = 1e-11  # of the size: rounding in slivers
# A way out that is known to 1e-7 of the size, as are those of curved solids, has a normal known to the root of twice
# that, and the deepest point moves along with it.
SLACK = 5e-4
# Lines that lie nearly along each other count as long as a place between them is off by 5e-4 of  |r| + |a| + |d|,
# which is at most three times the size
ASIDE = 1.5e-3
# Points of a capsule lie a radius from its axis along the normal, and this slants up to a sine of 0.1: they are
# 1 - sqrt(1 - 0.01) of the radius too low
SLANTED = 5.1e-3


def most_off(kinds):
    """How far points beside the deepest one may be off a surface, of the size."""
    return SLANTED if CAPSULE in kinds else ASIDE


def near_pairs(kinds, rng, count):
    """Overlapping, just apart and touching: what contact is made of."""
    pairs = random_pairs(rng, count, kinds)
    L, found = lengths(pairs), find(pairs).deepest
    apart = found.d > 0
    gap = rng.choice([1e-2, 1e-4, 0.0, -1e-4, -1e-2], apart.sum())
    pairs[apart] = put_at(pairs[apart], found[apart], gap * L[apart])
    return pairs


def check_points(kinds, pairs):
    L, signed = lengths(pairs), find(pairs).deepest.d
    margin = 0.05 * L
    found = find(pairs, margin)
    # within the margin there are points, beyond it none, and the deepest is the same
    assert ((found.counts > 0) == (signed <= margin)).all()
    assert found.counts.max() <= MOST
    first = found.deepest
    have = found.counts > 0
    assert (np.abs(first.d - signed) <= 2 * limits(kinds, pairs, signed))[have].all()
    points, owner = found.all
    assert (points.d <= margin[owner]).all()
    assert np.abs(np.linalg.norm(points.n, axis=1) - 1).max() < 1e-14
    way = pairs["r"][owner] + points.b - points.a - points.d[:, None] * points.n
    assert (np.abs(way).max(1) / L[owner]).max() < 1e-15 * (2 + (np.linalg.norm(pairs["r"], axis=1) / L).max())
    # on both surfaces: the deepest point, and the rest of a region nearly
    off = np.abs(off_surface(pairs[have], first[have], np.arange(have.sum()))) / L[have][:, None]
    assert off.max() < (SLACK if kinds in SEARCHED else EXACT)
    off = off_surface(pairs, points, owner) / L[owner][:, None]
    assert np.abs(off).max() < most_off(kinds)
    # names are there once
    names = np.column_stack((owner, points.feature_a, points.feature_b))
    assert len(np.unique(names, axis=0)) == len(names)


@EVERY
def test_points_are_on_both_solids_within_the_margin_with_names_of_their_own(kinds):
    check_points(kinds, near_pairs(kinds, np.random.default_rng((*kinds, 11)), FEW))


@pytest.mark.proof
@EVERY
def test_points_of_many_pairs(kinds):
    rng = np.random.default_rng((*kinds, 12))
    for _ in range(10):
        check_points(kinds, near_pairs(kinds, rng, MUCH // 10))
