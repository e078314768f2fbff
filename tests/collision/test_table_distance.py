"""Signed distances of every row of the pair table, proven from both sides without another library (V-25, V-28).

Apart: planes across the normal with d between them, and two points of the solids d from each other. Overlapping: along
the normal d parts the solids, a point lies in both, and no other direction needs less.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from table_samples import (
    APART,
    EVERY,
    FEW,
    MUCH,
    NAMES,
    evidence,
    find,
    lengths,
    limits,
    named,
    put_at,
    random_pairs,
    random_rotations,
    scaled,
    swapped,
    turned,
)

from gelenk.collision.pair_table import EXACT, OTHERS, SEARCHED
from gelenk.collision.solid import KINDS, PLANE, TRIANGLE

NEVER = [(PLANE, PLANE)]  # two half spaces: static bodies both, or one would be without end and move
NOISE = 1e-14  # of the size: rounding of a point


def test_every_pair_of_kinds_has_a_row_or_never_touches():
    rows = [*EXACT, *SEARCHED]
    assert len({frozenset(row) for row in rows}) == len(rows) == len(set(rows))  # none stands there twice
    for pair in itertools.combinations_with_replacement(range(KINDS), 2):
        has = pair in rows or pair[::-1] in rows
        assert has != (pair in NEVER), [NAMES[k] for k in pair]


def check_evidence(kinds, pairs, scale=1.0, other=None):
    """The certificate of every pair; the share of overlaps with a point in both."""
    points, L = find(pairs, scale=scale, other=other).deepest, lengths(pairs, scale)
    assert np.isfinite(points.d).all()
    assert np.abs(np.linalg.norm(points.n, axis=1) - 1).max() < 1e-14
    proof = evidence(pairs, points, scale)
    # the gap along the normal is d: planes across it part the solids, or d parts them; close to touching, a normal is
    # the direction between two points that are rounded themselves
    noise = NOISE * L / np.maximum(np.abs(points.d), NOISE * L)
    assert (np.abs(proof.gap - points.d) / L < APART + noise).all()
    off = np.maximum(np.abs(proof.a), np.abs(proof.b)) / L
    # apart: both points lie on their solids, so these are no farther than d. Along parallel lines, points lie beside
    # them by up to the root of rounding; then no gap is wider
    apart = points.d > APART * L
    assert off[apart].max(initial=0.0) < 1e-6
    assert (np.where(off < APART, 0.0, proof.widest - points.d) / L)[apart].max(initial=0.0) < APART
    # overlap: no shorter way out
    deep = points.d < 0
    assert (proof.widest - points.d < limits(kinds, pairs, points.d, scale))[deep].all()
    shared = proof.shared <= APART * L
    assert (shared | (proof.widest < 0))[points.d < -APART * L].all()
    return shared[points.d < -APART * L]


@pytest.mark.proof
@EVERY
def test_signed_distances_are_proven(kinds):
    pairs = random_pairs(np.random.default_rng((*kinds, 1)), FEW, kinds)
    check_evidence(kinds, pairs)


def check_many(kinds, seed, other=None):
    """MUCH pairs; the share of overlaps with a point in both."""
    rng = np.random.default_rng((*kinds, seed))
    parts = [check_evidence(kinds, random_pairs(rng, MUCH // 10, kinds), other=other) for _ in range(10)]
    shared = np.concatenate(parts)
    assert len(shared) > 0.01 * MUCH
    assert shared.mean() > (0.5 if TRIANGLE in kinds else 0.95 if PLANE not in kinds else 0.999)


@pytest.mark.proof
@EVERY
def test_no_wrong_sign_in_many_pairs(kinds):
    check_many(kinds, 2)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("other", "kinds"),
    [pytest.param(name, kinds, id=f"{name}-{named(kinds)}") for name, rows in OTHERS.items() for kinds in rows],
)
def test_no_wrong_sign_in_many_pairs_of_other_ways(other, kinds):
    """Ways that a user can choose by name (I-089)."""
    check_many(kinds, 9, other)


@pytest.mark.proof
@EVERY
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3])
def test_touching_and_grazing(kinds, gap):
    """Solids apart by d, moved along their normal until it is another: that is then known within bounds.

    The planes across n move along, so the gap along n is known, and the distance is no less. The two closest points
    move along too, so it is no more, but for what these points were off their surfaces: n is the direction between
    them, and as the distance is even in an error of n, it is known to the root of rounding only.
    """
    pairs = random_pairs(np.random.default_rng((*kinds, 3)), FEW, kinds)
    before = find(pairs).deepest
    apart = before.d > 0
    pairs, before = pairs[apart], before[apart]
    proof = evidence(pairs, before)
    L = lengths(pairs)
    pairs = put_at(pairs, before, gap * L)
    after = find(pairs).deepest
    rounding = 0.1 * APART * L  # where edges are nearly parallel, the place along them is noise
    assert (after.d > gap * L - np.where(after.d < 0, limits(kinds, pairs, after.d), rounding)).all()
    if gap >= 0:
        assert (after.d < gap * L + np.abs(proof.a) + np.abs(proof.b) + rounding).all()
    check_evidence(kinds, pairs)


@pytest.mark.proof
@EVERY
def test_swapped_solids_have_the_same_distance(kinds):
    pairs = random_pairs(np.random.default_rng((*kinds, 4)), FEW, kinds)
    one, other = find(pairs).deepest, find(swapped(pairs)).deepest
    limit = 2 * limits(kinds, pairs, one.d)
    np.testing.assert_array_less(np.abs(one.d - other.d), limit)
    far = one.d > 0.01 * lengths(pairs)  # where the normal is one alone
    assert np.abs(one.n + other.n)[far].max(initial=0.0) < 1e-6


@pytest.mark.proof
@EVERY
def test_rigid_motion_changes_nothing(kinds):
    """Any turn, and both put up to 10 km away: what is left of r after rounding there."""
    rng = np.random.default_rng((*kinds, 5))
    pairs = random_pairs(rng, FEW, kinds)
    Q, place = random_rotations(rng, FEW), rng.uniform(-1e4, 1e4, (FEW, 3))
    moved = turned(pairs, Q)
    moved["r"] = (place + moved["r"]) - place
    one, other = find(pairs).deepest, find(moved).deepest
    L = lengths(pairs)
    limit = 2 * limits(kinds, pairs, one.d) + 8e-12  # four roundings at 10 km
    np.testing.assert_array_less(np.abs(one.d - other.d), limit)
    far = one.d > 0.1 * L
    slip = np.linalg.norm(np.einsum("nij,nj->ni", Q, one.n) - other.n, axis=1)
    assert (slip * np.where(far, one.d, 0.0)).max(initial=0.0) < 1e-6


@pytest.mark.proof
@EVERY
@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_scale_changes_nothing(kinds, scale):
    """Samples are of 1 m: so of 1 mm and of 10 km."""
    pairs = random_pairs(np.random.default_rng((*kinds, 6)), FEW, kinds)
    one, other = find(pairs).deepest, find(scaled(pairs, scale), scale=scale).deepest
    limit = 2 * limits(kinds, pairs, one.d)
    np.testing.assert_array_less(np.abs(one.d - other.d / scale), limit)
    check_evidence(kinds, scaled(pairs, scale), scale)


@pytest.mark.proof
@EVERY
def test_identical_solids_on_one_place(kinds):
    """The same shape twice, centre on centre, and out of it in tiny steps: deep, and never apart."""
    pairs = random_pairs(np.random.default_rng((*kinds, 7)), FEW, kinds)
    if kinds[0] == kinds[1]:
        for field in ("table", "R", "size"):
            pairs[field][:, 1] = pairs[field][:, 0]
    pairs["r"] *= 10.0 ** -np.random.default_rng(8).uniform(3, 20, (len(pairs), 1))
    pairs["r"][: FEW // 3] = 0.0
    points = find(pairs).deepest
    if kinds[0] == kinds[1] and TRIANGLE not in kinds:
        assert (points.d < 0).all()
    check_evidence(kinds, pairs)
