"""Pairs in motion through the pair table: continuous distance, memory, and names that stay (V-25, I-088, I-092)."""

from __future__ import annotations

import numpy as np
import pytest
from table_samples import EVERY, FEW, MUCH, find, lengths, limits, radii, random_pairs, unit

from gelenk.collision.manifold import new_memory
from gelenk.collision.solid import PLANE, TRIANGLE

pytestmark = pytest.mark.proof

STEPS = 40


def turn(w):
    """Rotations by the vectors w (Rodrigues)."""
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    x, y, z = unit(w).T
    o = 0 * x
    K = np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def path(kinds, seed, count, step, steps=STEPS):
    """Pairs that go through each other and turn: their places, and how far any point of B moves in a step."""
    rng = np.random.default_rng((*kinds, seed))
    pairs = random_pairs(rng, count, kinds)
    if kinds[0] == PLANE:
        size, pairs["r"] = radii(pairs)[:, 1], pairs["R"][:, 0, :, 2] * radii(pairs)[:, 1:]
        way = -pairs["R"][:, 0, :, 2]
    else:
        size = radii(pairs).min(1)
        way = unit(rng.normal(size=(count, 3)))
        pairs["r"] = -0.5 * step * steps * size[:, None] * way + 0.2 * size[:, None] * unit(rng.normal(size=(count, 3)))
    spin = rng.normal(size=(count, 3)) * 0.3 * step
    Q = turn(spin)
    for _ in range(steps):
        yield pairs.copy(), step * size + np.linalg.norm(spin, axis=1) * radii(pairs)[:, 1]
        pairs["r"] += step * size[:, None] * way
        pairs["R"][:, 1] = Q @ pairs["R"][:, 1]


@EVERY
def test_distance_is_continuous_and_memory_changes_nothing(kinds):
    """A step changes the distance by no more than the bodies move (support functions are Lipschitz); each step starts
    from what the last one remembered, and from nothing."""
    count = max(FEW // 10, 5)
    memory, last = new_memory(count), None
    for pairs, moved in path(kinds, 21, count, 0.1):
        cold, warm = find(pairs).deepest.d, find(pairs, memory=memory).deepest.d
        limit = 2 * limits(kinds, pairs, cold)
        np.testing.assert_array_less(np.abs(warm - cold), limit)
        if last is not None:
            np.testing.assert_array_less(np.abs(warm - last), moved * (1 + 1e-12) + 2 * limit)
        last = warm


@EVERY
def test_memory_of_anything_changes_nothing(kinds):
    """What the same two solids remembered in another place: the same distance."""
    rng = np.random.default_rng((*kinds, 22))
    pairs = random_pairs(rng, FEW, kinds)
    elsewhere, memory = pairs.copy(), new_memory(FEW)
    if TRIANGLE not in kinds:
        elsewhere["R"] = elsewhere["R"][::-1]
    elsewhere["r"] = -pairs["r"][::-1]
    cold = find(pairs).deepest.d
    assert (find(elsewhere, memory=memory).counts > 0).all()
    again = find(pairs, memory=memory).deepest.d
    np.testing.assert_array_less(np.abs(again - cold), 2 * limits(kinds, pairs, cold))


def follow_names(kinds, seed, count, step):
    """Share of steps in which all names stay, and the largest jump of a point with the same name and normal."""
    kept, total, jump = 0, 0, 0.0
    memory, last = new_memory(count), None
    for pairs, _ in path(kinds, seed, count, step):
        L = lengths(pairs)
        found = find(pairs, 0.02 * L, memory)
        now = [
            {(int(p.feature_a), int(p.feature_b)): (p.a.copy(), p.n.copy()) for p in row[:k]}
            for row, k in zip(found.out, found.counts, strict=True)
        ]
        for i, names in enumerate(now if last is not None else []):
            if names and last[i]:
                total += 1
                kept += names.keys() == last[i].keys()
                for name in names.keys() & last[i].keys():
                    (a, n), (b, m) = names[name], last[i][name]
                    if n @ m > 0.99:
                        jump = max(jump, np.linalg.norm(a - b) / L[i])
        last = now
    return kept / max(total, 1), total, jump


@EVERY
def test_names_stay_in_slow_motion_and_their_points_move_little(kinds):
    """Steps of 1/1000 of the smaller solid. Faces, edges and corners change now and then: not in 9 of 10 steps."""
    share, total, _ = follow_names(kinds, 23, max(FEW // 15, 2), 1e-3)
    assert total > 20
    assert share > 0.9


@EVERY
def test_memory_along_many_paths(kinds):
    count = MUCH // 50
    memory, last = new_memory(count), None
    for pairs, moved in path(kinds, 24, count, 0.03, 200):
        warm, cold = find(pairs, memory=memory).deepest.d, find(pairs).deepest.d
        limit = 2 * limits(kinds, pairs, cold)
        np.testing.assert_array_less(np.abs(warm - cold), limit)
        if last is not None:
            np.testing.assert_array_less(np.abs(warm - last), moved * (1 + 1e-12) + 2 * limit)
        last = warm
