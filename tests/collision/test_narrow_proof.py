"""Compiled pair routines: the same bits as interpreted, and no wrong sign in 100 000 random pairs."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import touch
from scipy.spatial.transform import Rotation
from test_narrow_pairs import PAIRS

from gelenk.collision.manifold import new_points
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, SPHERE, TRIANGLE, Solid
from gelenk.compile import kernel
from gelenk.math.rotation import Mat3, get33
from gelenk.math.vec3 import get3, vec3

pytestmark = pytest.mark.proof
COUNT = 100_000
every_pair = pytest.mark.parametrize(("routine", "a", "b"), PAIRS, ids=[p[0].__name__ for p in PAIRS])


def over_all(routine, a, b):
    """A kernel that runs a routine over many pairs and keeps the deepest point of each."""

    @kernel
    def run(R_a, size_a, R_b, size_b, r, margin, hulls, out, deepest):
        for k in range(r.shape[0]):
            A = Solid(a, 0, get33(R_a, k), get3(size_a, k))
            B = Solid(b, 0, get33(R_b, k), get3(size_b, k))
            count = routine(A, B, get3(r, k), margin, hulls, out)
            best = 0
            for i in range(1, count):
                if out[i].d < out[best].d:
                    best = i
            p, q = deepest[k], out[best]
            for i in range(3):
                p.a[i], p.b[i], p.n[i] = q.a[i], q.b[i], q.n[i]
            p.d, p.feature_a, p.feature_b = q.d, q.feature_a, count

    return run


def sample(kind, count, rng):
    R = Rotation.random(count, rng=rng).as_matrix()
    if kind == TRIANGLE:
        R = rng.uniform(-1, 1, (count, 3, 3))
    return R, 10.0 ** rng.uniform(-2, 0, (count, 3))


def reach(kind, R, size, n):
    """Support function, one direction a solid."""
    u = np.einsum("kij,ki->kj", R, n)
    across = np.hypot(u[:, 0], u[:, 1])
    return {
        SPHERE: lambda: size[:, 0],
        BOX: lambda: (np.abs(u) * size).sum(1),
        CAPSULE: lambda: size[:, 0] + size[:, 2] * np.abs(u[:, 2]),
        CYLINDER: lambda: size[:, 0] * across + size[:, 2] * np.abs(u[:, 2]),
        CONE: lambda: np.maximum(size[:, 0] * across, size[:, 2] * u[:, 2]),
        TRIANGLE: lambda: u.max(1),
    }[kind]()


def contains(kind, R, size, x, tol):
    """Whether points lie in the solids, up to tol."""
    if kind == TRIANGLE:
        a, b, c = R[:, :, 0], R[:, :, 1], R[:, :, 2]
        n = np.cross(b - a, c - a)
        nn = (n * n).sum(1)
        w = [(np.cross(q - p, x - p) * n).sum(1) / np.linalg.norm(q - p, axis=1) for p, q in ((a, b), (b, c), (c, a))]
        return (np.min(w, axis=0) > -tol * np.sqrt(nn)) & (np.abs(((x - a) * n).sum(1)) < tol * np.sqrt(nn))
    u = np.einsum("kij,ki->kj", R, x)
    rho = np.hypot(u[:, 0], u[:, 1])
    over = np.maximum(np.abs(u[:, 2]) - size[:, 2], 0)
    return {
        SPHERE: lambda: np.linalg.norm(u, axis=1) <= size[:, 0] + tol,
        BOX: lambda: (np.abs(u) <= size + tol).all(1),
        CAPSULE: lambda: np.hypot(rho, over) <= size[:, 0] + tol,
        CYLINDER: lambda: (rho <= size[:, 0] + tol) & (over <= tol),
        CONE: lambda: (u[:, 2] >= -tol) & (rho / size[:, 0] + u[:, 2] / size[:, 2] <= 1 + tol / size.min(1)),
    }[kind]()


def flat_sides(kind, R):
    """Normals and edges of the core of a solid, if that is a polyhedron."""
    if kind == TRIANGLE:
        edges = [R[:, :, 1] - R[:, :, 0], R[:, :, 2] - R[:, :, 1], R[:, :, 0] - R[:, :, 2]]
        return [np.cross(edges[0], edges[1])], edges
    axes = [R[:, :, i] for i in range(3)]
    return {BOX: (axes, axes), CAPSULE: ([], axes[2:])}.get(kind, ([], []))


def widest_gap(a, R_a, size_a, b, R_b, size_b, r):
    """Widest gap over all axes that can separate two polyhedra: the signed distance where these overlap."""
    (faces, edges), (other_faces, other_edges) = flat_sides(a, R_a), flat_sides(b, R_b)
    widest = np.full(len(r), -np.inf)
    for n in faces + other_faces + [np.cross(e, f) for e in edges for f in other_edges]:
        m = n / np.linalg.norm(n, axis=1)[:, None]
        for u in (m, -m):
            widest = np.maximum(widest, (u * r).sum(1) - reach(a, R_a, size_a, u) - reach(b, R_b, size_b, -u))
    return widest


@every_pair
def test_no_wrong_sign(routine, a, b):
    """A positive distance is a gap along the normal that wide, between two points of the solids that far apart.

    A negative one has a gap of minus the depth, and a point in both solids or no axis that separates their cores.
    """
    rng = np.random.default_rng(61)
    (R_a, size_a), (R_b, size_b) = sample(a, COUNT, rng), sample(b, COUNT, rng)
    r = rng.normal(size=(COUNT, 3)) * rng.choice([0.05, 0.3, 1.0], (COUNT, 1))
    deepest = new_points(COUNT)
    over_all(routine, a, b)(R_a, size_a, R_b, size_b, r, 100.0, np.zeros(1), new_points(), deepest)
    n, d, tol = deepest.n, deepest.d, 1e-9
    assert (deepest.feature_b > 0).all()
    width = (n * r).sum(1) - reach(a, R_a, size_a, n) - reach(b, R_b, size_b, -n)
    assert np.abs(width - d).max() < tol
    places = [(deepest.a, deepest.b + r), (deepest.b + r, deepest.b + r), (deepest.a, deepest.a)]
    places.append((0.5 * (places[0][0] + places[0][1]),) * 2)
    both = np.array([contains(a, R_a, size_a, p, tol) & contains(b, R_b, size_b, q - r, tol) for p, q in places])
    assert both[0][d > 0].all()
    cores = d + sum(size[:, 0] for kind, size in ((a, size_a), (b, size_b)) if kind in (SPHERE, CAPSULE))
    widest = widest_gap(a, R_a, size_a, b, R_b, size_b, r)
    no_axis = (np.abs(widest - d) < tol) & (cores <= tol)
    assert (both[1:].any(0) | no_axis)[d <= 0].all()
    assert 0.01 * COUNT < (d <= 0).sum() < 0.99 * COUNT


@every_pair
def test_compiled_and_interpreted_give_the_same_bits(routine, a, b):
    rng = np.random.default_rng(62)
    (R_a, size_a), (R_b, size_b) = sample(a, 300, rng), sample(b, 300, rng)
    r = rng.normal(size=(300, 3)) * 0.5
    deepest = new_points(300)
    over_all(routine, a, b)(R_a, size_a, R_b, size_b, r, 100.0, np.zeros(1), new_points(), deepest)
    for k, p in enumerate(deepest):
        A = Solid(a, 0, Mat3(*R_a[k].ravel().tolist()), vec3(size_a[k]))
        B = Solid(b, 0, Mat3(*R_b[k].ravel().tolist()), vec3(size_b[k]))
        points = touch(routine, A, B, r[k], 100.0)
        q = points[points.d.argmin()]
        assert (p.d, *p.n, *p.a, *p.b) == (q.d, *q.n, *q.a, *q.b)
        assert p.feature_b == len(points)
