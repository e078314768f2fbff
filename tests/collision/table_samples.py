"""Random pairs of all convex kinds, and one compiled loop that runs them through the pair table."""

from __future__ import annotations

import itertools
import os
from typing import NamedTuple

import numpy as np
import pytest
from table_reference import CERTIFICATE, Clouds, certify, measure_points, new_clouds

from gelenk.collision import solid
from gelenk.collision.manifold import POINT, new_memory
from gelenk.collision.pair_table import EXACT, SEARCHED, collide, fill_rows
from gelenk.collision.solid import BOX, HULL, PLANE, SPHERE, TRIANGLE, Solid
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work, new_tables
from gelenk.compile import ENABLED, kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh import TriangleMesh
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3

NAMES = {k: name for name, k in vars(solid).items() if name.isupper() and isinstance(k, int) and name != "KINDS"}
CONVEX = tuple(range(PLANE + 1))
CURVED = (solid.CYLINDER, solid.CONE, solid.ELLIPSOID)
ROWS = [pair for pair in {**EXACT, **SEARCHED} if set(pair) <= set(CONVEX)]


def named(kinds):
    """Name of a row."""
    return "-".join(NAMES[k].lower() for k in kinds)


EVERY = pytest.mark.parametrize("kinds", ROWS, ids=[named(row) for row in ROWS])
APART, DEPTH = 1e-9, 1e-6  # of the size: see limits()
FEW = 300 if ENABLED else 10  # pairs of a row
MUCH = int(os.environ.get("GELENK_PROOF_PAIRS", "100000"))  # and of the long proofs

PAIR = np.dtype(
    [("kind", "i8", (2,)), ("table", "i8", (2,)), ("R", "f8", (2, 3, 3)), ("size", "f8", (2, 3)), ("r", "f8", (3,))]
)
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def random_clouds():
    """Points whose hulls are the samples: solids, needles, plates, a cube, a tetrahedron, a prism of many sides."""
    rng = np.random.default_rng(41)
    clouds = [CUBE * (0.5, 0.4, 0.3), CUBE * (0.02, 0.5, 0.5), CUBE * (0.01, 0.01, 0.8), CUBE[[0, 3, 5, 6]] * 0.4]
    ring = np.exp(2j * np.pi * np.arange(24) / 24)
    ring = np.column_stack((ring.real, ring.imag, 0 * ring.real))
    clouds.append(np.concatenate((ring, ring + np.array((0, 0, 1)))) * 0.4)
    for count, axes in itertools.product((4, 8, 30), ((1, 1, 1), (0.02, 1, 1), (0.02, 0.02, 1), (0.3, 0.05, 1))):
        ball = rng.normal(size=(count, 3))
        clouds.append(ball / np.linalg.norm(ball, axis=1)[:, None] * axes * rng.uniform(0.3, 1))
    return clouds


class Table(NamedTuple):
    """The pair table with the rows of the samples, scratch, and the same hulls for the reference."""

    tables: Tables
    work: NarrowWork
    clouds: Clouds


_tables: dict[tuple[float, str | None], Table] = {}


def table(kinds, scale=1.0, other=None):
    """Rows of these kinds, hulls ``scale`` times as large, and as meshes the same hulls once more.

    other: name of other ways for some pairs.
    """
    key = scale, other
    if key not in _tables:
        clouds = [c * scale for c in random_clouds()]
        hulls = [ConvexHull(c) for c in clouds]
        tables = new_tables(hulls=hulls, meshes=[TriangleMesh(*hull.triangles()) for hull in hulls])
        _tables[key] = Table(tables, new_narrow_work(tables), new_clouds(clouds))
    fill_rows(_tables[key].tables.rows, [kinds], other)
    return _tables[key]


@kernel
def run_pairs(kind, table, R, size, r, margin, tables, memory, work, out, counts):
    """Points of every pair."""
    for i in range(r.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        counts[i] = collide(A, B, get3(r, i), margin[i], tables, memory[i], work, out[i])


class Found(NamedTuple):
    """Points of many pairs."""

    out: np.recarray  # (n, MANY)
    counts: np.ndarray  # (n,)

    @property
    def deepest(self):
        """The deepest point of each pair; d is infinite where there is none."""
        d = np.where(np.arange(self.out.shape[1]) < self.counts[:, None], self.out.d, np.inf)
        best = d.argmin(1)
        points = self.out[np.arange(len(best)), best]
        points.d = d.min(1)
        return points

    @property
    def all(self):
        """All points one after the other, and the pair of each."""
        have = np.arange(self.out.shape[1]) < self.counts[:, None]
        return self.out[have].view(np.recarray), np.repeat(np.arange(len(self.counts)), self.counts)


def find(pairs, margin=np.inf, memory=None, scale=1.0, room=8, other=None):
    """Run pairs of two kinds."""
    t = table(tuple(int(k) for k in pairs["kind"][0]), scale, other)
    n = len(pairs)
    out, counts = np.zeros((n, room), POINT).view(np.recarray), np.zeros(n, np.int64)
    memory = new_memory(n) if memory is None else memory
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    margins = np.ascontiguousarray(np.broadcast_to(np.asarray(margin, float), n))
    run_pairs(*parts, margins, t.tables, memory, t.work, out, counts)
    return Found(out, counts)


def radii(pairs, scale=1.0):
    """(n, 2) how far each solid reaches from its centre; planes not at all."""
    size, out = pairs["size"], np.zeros((len(pairs), 2))
    hull = np.array([np.linalg.norm(c, axis=1).max() for c in random_clouds()]) * scale
    for k in CONVEX:
        reach = {
            SPHERE: size[..., 0],
            solid.CAPSULE: size[..., 0] + size[..., 2],
            solid.CYLINDER: np.hypot(size[..., 0], size[..., 2]),
            solid.CONE: np.maximum(size[..., 0], size[..., 2]),
            solid.ELLIPSOID: size.max(-1),
            HULL: hull[pairs["table"]],
            TRIANGLE: np.linalg.norm(pairs["R"], axis=2).max(-1),
            BOX: np.linalg.norm(size, axis=-1),
        }.get(k, out)
        out = np.where(pairs["kind"] == k, reach, out)
    return out


def lengths(pairs, scale=1.0):
    """What errors are of: the size of a pair."""
    return radii(pairs, scale).sum(1)


def limits(kinds, pairs, d, scale=1.0):
    """How far signed distances may be off [m]: 1e-9 of the size, and 1e-6 for depths of curved solids by a search."""
    searched = kinds in SEARCHED and bool(set(kinds) & set(CURVED))
    return np.where(d > 0, APART, DEPTH if searched else APART) * lengths(pairs, scale)


def random_rotations(rng, count):
    """Uniform rotations (n, 3, 3)."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
    rows += [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
    rows += [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.array(rows).T.reshape(-1, 3, 3)


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def random_pairs(rng, count, kinds):
    """Sizes from 1 to 1/100 along each axis, one solid up to 100 times larger; any attitude; deep overlap to apart."""
    p = np.zeros(count, PAIR)
    p["kind"] = kinds
    clouds = len(random_clouds())
    p["table"] = rng.integers(0, clouds, (count, 2))
    p["size"] = 10.0 ** rng.uniform(-2, 0, (count, 2, 3)) * 10.0 ** np.minimum(rng.uniform(-2, 1, (count, 2, 1)), 0)
    for side in range(2):
        p["R"][:, side] = random_rotations(rng, count)
        if kinds[side] == TRIANGLE:
            axes = 10.0 ** rng.uniform(-2, 0, (count, 3, 1))  # slivers in any attitude
            p["R"][:, side] = p["R"][:, side] @ (axes * unit(rng.normal(size=(count, 3, 3))))
    way = unit(rng.normal(size=(count, 3)))
    near, far = radii(p).min(1), radii(p).max(1)
    ways = (
        near * rng.uniform(0, 2, count),
        near + far * rng.random(count),
        (near + far) * rng.uniform(0.5, 1.5, count),
    )
    p["r"] = way * np.choose(rng.integers(0, 3, count), ways)[:, None]
    p["r"][:: max(count // 20, 1)] = 0.0  # centres at one place
    parallel = rng.random(count) < 0.1
    if TRIANGLE not in kinds:
        p["R"][parallel, 1] = p["R"][parallel, 0]
    return p


def all_around(count):
    """Unit vectors spread evenly: a spiral that turns by the golden angle from one to the next."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    rho = np.sqrt(1 - z * z)
    return np.column_stack((rho * np.cos(angle), rho * np.sin(angle), z))


def evidence(pairs, points, scale=1.0, directions=128):
    """Certificates of the deepest points of pairs."""
    out = np.zeros(len(pairs), CERTIFICATE).view(np.recarray)
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    clouds = table((SPHERE, SPHERE), scale).clouds
    certify(*parts, points, lengths(pairs, scale), clouds, all_around(directions), np.zeros(directions), out)
    return out


def off_surface(pairs, points, owner, scale=1.0):
    """Signed distances (k, 2) of points from the surfaces of A and B."""
    a, b = np.zeros(len(points)), np.zeros(len(points))
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names[:-1]]
    measure_points(*parts, owner, points, table((SPHERE, SPHERE), scale).clouds, a, b)
    return np.column_stack((a, b))


# --- the same pairs in another way -----------------------------------------------------------------------------------


def swapped(pairs):
    """A and B changed over."""
    s = pairs.copy()
    for field in ("kind", "table", "R", "size"):
        s[field] = pairs[field][:, ::-1]
    s["r"] = -pairs["r"]
    return s


def turned(pairs, Q):
    """Turned by one rotation each."""
    m = pairs.copy()
    m["R"] = np.einsum("nij,nkjl->nkil", Q, pairs["R"])
    m["r"] = np.einsum("nij,nj->ni", Q, pairs["r"])
    return m


def scaled(pairs, factor):
    """In another size; hulls are scaled in their table."""
    m = pairs.copy()
    m["R"] *= np.where(pairs["kind"] == TRIANGLE, factor, 1.0)[:, :, None, None]
    m["size"] *= factor
    m["r"] *= factor
    return m


def put_at(pairs, found, d):
    """Moved along their normals so that those apart are at distance d: known without any search."""
    m = pairs.copy()
    m["r"] += (d - found.d)[:, None] * found.n
    return m
