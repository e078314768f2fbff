"""Rows of meshes: the mesh of a convex polyhedron has the distances of its hull (V-20, V-28)."""

from __future__ import annotations

import numpy as np
import pytest
from table_samples import CONVEX, FEW, NAMES, find, lengths, put_at, random_pairs

from gelenk.collision.manifold import MANY
from gelenk.collision.solid import HULL, MESH, PLANE

pytestmark = pytest.mark.proof


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
