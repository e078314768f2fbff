"""Distances of the pair table beside those of another library, coal (BSD), on the pairs that both have.

Its own accuracy is asked for as 1e-8 (distance) and holds to about 1e-7 of the size for curved solids apart; where both
differ by more, the certificate of :mod:`table_reference` says who is right. Its depths come from an expanding polytope
with a tolerance, or are bounds, so they are not compared.
"""

from __future__ import annotations

import numpy as np
import pytest
from table_samples import FEW, NAMES, ROWS, evidence, find, lengths, random_clouds, random_pairs

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE

pytestmark = pytest.mark.proof

coal = pytest.importorskip("coal")
SHARED = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL)
PAIRS = [row for row in ROWS if set(row) <= set(SHARED)]
CLOSE = 1e-6  # of the size


def peer_shape(kind, size, table):
    """The same solid there, and where its centre is along z of ours: a cone is centred at half its height."""
    x, y, z = size.tolist()
    if kind == HULL:
        points = coal.StdVec_Vec3s()
        for p in random_clouds()[table]:
            points.append(p)
        return coal.Convex.convexHull(points, False, "Qt"), 0.0
    return {
        SPHERE: lambda: (coal.Sphere(x), 0.0),
        BOX: lambda: (coal.Box(2 * x, 2 * y, 2 * z), 0.0),
        CAPSULE: lambda: (coal.Capsule(x, 2 * z), 0.0),
        CYLINDER: lambda: (coal.Cylinder(x, 2 * z), 0.0),
        CONE: lambda: (coal.Cone(x, z), 0.5 * z),
        ELLIPSOID: lambda: (coal.Ellipsoid(x, y, z), 0.0),
    }[kind]()


def peer_distance(pair):
    """Signed distance there."""
    shapes, places = [], []
    for side in range(2):
        shape, up = peer_shape(int(pair["kind"][side]), pair["size"][side], int(pair["table"][side]))
        R = pair["R"][side]
        shapes.append(shape)
        places.append(coal.Transform3s(R, side * pair["r"] + R[:, 2] * up))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-8
    return coal.distance(shapes[0], places[0], shapes[1], places[1], request, result)


@pytest.mark.parametrize("kinds", PAIRS, ids=["-".join(NAMES[k].lower() for k in pair) for pair in PAIRS])
def test_distances_agree_with_another_library(kinds):
    pairs = random_pairs(np.random.default_rng((*kinds, 31)), FEW // 3, kinds)
    ours, L = find(pairs).deepest, lengths(pairs)
    theirs = np.array([peer_distance(p) for p in pairs])
    apart = ours.d > CLOSE * L
    assert apart.sum() > 5
    # nothing that we call apart overlaps there, nor the other way round
    assert (theirs[apart] > 0).all()
    assert (theirs[ours.d < -CLOSE * L] <= CLOSE * L[ours.d < -CLOSE * L]).all()
    differs = np.abs(ours.d - theirs) > CLOSE * L
    proof = evidence(pairs, ours)
    wrong = differs & apart & ((proof.gap < ours.d - 1e-9 * L) | (np.maximum(proof.a, proof.b) > 1e-7 * L))
    assert not wrong.any()
    assert (differs & apart).sum() <= 1 + 0.02 * apart.sum()
