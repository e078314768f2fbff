"""Rows of meshes and height fields: no wrong sign, and the distances of their parts (V-20..V-28).

The mesh of a convex polyhedron has the distances of its hull. Any other surface is as far as the nearest of its
triangles (:mod:`table_parts`).
"""

from __future__ import annotations

import numpy as np
import pytest
from table_parts import by_parts, find_wholes, random_wholes
from table_samples import APART, CONVEX, FEW, MUCH, NAMES, find, lengths, named, put_at, random_pairs, swapped

from gelenk.collision.manifold import MANY
from gelenk.collision.pair_table import SEARCHED
from gelenk.collision.solid import FIELD, HULL, MESH, PLANE

pytestmark = pytest.mark.proof

SURFACES = [row for row in SEARCHED if row[0] in (MESH, FIELD) and row[1] in CONVEX]


def each(rows):
    return pytest.mark.parametrize("kinds", rows, ids=[named(row) for row in rows])


@pytest.mark.parametrize("kind", CONVEX, ids=[NAMES[k].lower() for k in CONVEX])
@pytest.mark.parametrize("gap", [1e-2, 1e-4, -1e-4])
def test_a_convex_mesh_has_the_distances_of_its_hull(kind, gap):
    """Near touching: deep inside, a surface is left by the nearest of its sides. A plane takes part as B."""
    pairs = random_pairs(np.random.default_rng((kind, 41)), FEW // 3, (HULL, kind))
    if kind == PLANE:
        pairs["r"] = -1.5 * pairs["R"][:, 1, :, 2]  # outside the plane
    found, L = find(pairs).deepest, lengths(pairs)
    apart = found.d > 0
    pairs, L = put_at(pairs[apart], found[apart], gap * L[apart]), L[apart]
    hull = find(pairs).deepest.d
    pairs["kind"][:, 0] = MESH
    mesh = find(pairs, 0.02 * L, room=MANY)
    assert len(L) > 10
    close = hull >= 0
    assert (mesh.counts > 0)[close].all()
    np.testing.assert_array_less(np.abs(mesh.deepest.d - hull)[close], 1e-9 * L[close])
    assert (mesh.deepest.d < 0)[~close].all()


def check_surface(kinds, seed, count):
    """Distances of the nearest triangle apart; below zero where one is cut, or B is inside."""
    pairs, L = random_wholes(np.random.default_rng((*kinds, seed)), count, kinds)
    margin = 0.2 * L
    found, (d, inside) = find_wholes(pairs, margin), by_parts(pairs)
    apart, cut = (d > APART * L) & ~inside, d < -APART * L
    near = apart & (d < margin - APART * L)
    assert cut.sum() > 0.02 * count
    deepest = found.deepest.d
    assert not found.counts[apart & (d > margin + APART * L)].any()
    np.testing.assert_array_less(np.abs(deepest - d)[near], APART * L[near])
    assert (deepest < 0)[cut].all()
    assert (deepest < 0)[inside & (d > APART * L)].all()


@each(SURFACES)
def test_no_wrong_sign_in_many_pairs_of_surfaces(kinds):
    for k in range(10):
        check_surface(kinds, 420 + k, MUCH // 10)


def test_distances_of_many_pairs_of_meshes():
    """Apart. Depths are told of shallow overlaps only (:mod:`gelenk.collision.narrow.surface_surface`)."""
    kinds, count = (MESH, MESH), MUCH // 20
    pairs, L = random_wholes(np.random.default_rng(430), count, kinds)
    margin = 0.2 * L
    found, (d, inside), (_, around) = find_wholes(pairs, margin), by_parts(pairs), by_parts(swapped(pairs))
    near = (d > APART * L) & ~inside & ~around & (d < margin - APART * L)
    assert near.sum() > 0.05 * count
    np.testing.assert_array_less(np.abs(found.deepest.d - d)[near], APART * L[near])
