"""Compiled loops over many queries, random solids, and plain references of their own."""

from typing import NamedTuple

import numpy as np
from convex_samples import hull_table, random_rotations, tables_with

from gelenk import compile as compiler
from gelenk.collision.batch import ManySolids, bounds_many, nearest_many, ray_many
from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    PLANE,
    SPHERE,
    TRIANGLE,
)

NAMES = {
    SPHERE: "sphere",
    BOX: "box",
    CAPSULE: "capsule",
    CYLINDER: "cylinder",
    CONE: "cone",
    ELLIPSOID: "ellipsoid",
    HULL: "hull",
    TRIANGLE: "triangle",
    PLANE: "plane",
}
SOLID_KINDS = [SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, PLANE]  # those with an inside
KINDS = [*SOLID_KINDS, TRIANGLE]
EPS = 2.0**-52
HULL_COUNT = 8


def some(count):
    """So many samples, fewer when interpreted."""
    return count if compiler.ENABLED else max(count // 40, 50)


class Many(NamedTuple):
    """Many solids of one kind."""

    kind: int
    table: np.ndarray
    R: np.ndarray
    size: np.ndarray

    def columns(self):
        """As the compiled loops take them."""
        return ManySolids(np.full(len(self.table), self.kind), self.table, self.R, self.size)


def the_tables():
    rng = np.random.default_rng(11)
    clouds = [rng.normal(size=(count, 3)) * rng.uniform(0.2, 1, 3) for count in (4, 5, 8, 12, 20, 30, 40, 60)]
    clouds[3][:, 2] *= 1e-2  # a flake
    clouds[4][:, :2] *= 1e-2  # a needle
    return tables_with(hull_table([cloud - cloud.mean(0) for cloud in clouds]))


TABLES = the_tables()
HULL_SPREAD = np.array(
    [np.linalg.norm(TABLES.hulls.vertex[h["vertex_first"] : h["vertex_last"]], axis=1).max() for h in TABLES.hulls.hull]
)


def cast(many, start, direction, length=np.inf, tables=TABLES):
    s, n = np.zeros(len(start)), np.zeros((len(start), 3))
    ray_many(many.columns(), tables, start, direction, np.broadcast_to(length, len(start)).astype(float), s, n)
    return s, n


def approach(many, p, tables=TABLES):
    d, q, n = np.zeros(len(p)), np.zeros((len(p), 3)), np.zeros((len(p), 3))
    nearest_many(many.columns(), tables, p, d, q, n)
    return d, q, n


def march(many, start, direction, far, near):
    """Go along each ray of unit direction by the distance to the solid until it is ``near`` or the way ``far``."""
    s, left = np.zeros(len(start)), np.arange(len(start))
    for _ in range(10000):
        rest = Many(many.kind, many.table[left], many.R[left], many.size[left])
        d, _, _ = approach(rest, start[left] + direction[left] * s[left, None])
        on = (d > near) & (s[left] <= far)
        left = left[on]
        if not len(left):
            break
        s[left] += d[on]
    return s


def box_of(many, tables=TABLES):
    box = np.zeros((len(many.table), 6))
    bounds_many(many.columns(), tables, box)
    return box


def solids(kind, count, rng, scale=1.0):
    """Random solids about as large as ``scale``, also flat and thin ones. Hulls have their size from the table."""
    size = scale * 10.0 ** rng.uniform(-2, 0, (count, 3))
    R = random_rotations(rng, count)
    if kind == TRIANGLE:
        R = scale * rng.uniform(-1, 1, (count, 3, 3))
    return Many(kind, rng.integers(0, HULL_COUNT, count), R, size)


def extent(many):
    """Radius of a ball around the centre that holds each solid; 1 for planes."""
    x, z = many.size[:, 0], many.size[:, 2]
    if many.kind == SPHERE:
        return x
    if many.kind in (BOX, ELLIPSOID):
        return np.linalg.norm(many.size, axis=1)
    if many.kind in (CAPSULE, CYLINDER, CONE):
        return x + z
    if many.kind == HULL:
        return HULL_SPREAD[many.table]
    return np.linalg.norm(many.R, axis=1).max(1) if many.kind == TRIANGLE else np.ones(len(x))


def to_shape(many, v):
    return np.einsum("kij,ki->kj", many.R, v)


def inside_measure(many, p):
    """A convex function of points p in shape axes that is 0 on the surface and negative inside, slope at most about 1.

    For each kind its plainest definition, without nearest points.
    """
    size = many.size
    rho = np.hypot(p[:, 0], p[:, 1])
    if many.kind == SPHERE:
        return np.linalg.norm(p, axis=1) - size[:, 0]
    if many.kind == BOX:
        return (np.abs(p) - size).max(1)
    if many.kind == CAPSULE:
        return np.hypot(rho, p[:, 2] - np.clip(p[:, 2], -size[:, 2], size[:, 2])) - size[:, 0]
    if many.kind == CYLINDER:
        return np.maximum(rho - size[:, 0], np.abs(p[:, 2]) - size[:, 2])
    if many.kind == CONE:
        edge = np.hypot(size[:, 0], size[:, 2])
        return np.maximum(-p[:, 2], (size[:, 2] * (rho - size[:, 0]) + size[:, 0] * p[:, 2]) / edge)
    if many.kind == ELLIPSOID:
        return (np.linalg.norm(p / size, axis=1) - 1) * size.min(1)
    if many.kind == PLANE:
        return p[:, 2]
    result = np.zeros(len(p))
    for t, h in enumerate(TABLES.hulls.hull):
        face = TABLES.hulls.face[h["face_first"] : h["face_last"]]
        at = many.table == t
        result[at] = (p[at] @ face["n"].T - face["d"]).max(1)
    return result


def support(many, u):
    """How far each solid reaches along its own unit vector u, world axes, from its centre."""
    v, size = to_shape(many, u), many.size
    across = np.hypot(v[:, 0], v[:, 1])
    if many.kind == SPHERE:
        return size[:, 0].copy()
    if many.kind == BOX:
        return (np.abs(v) * size).sum(1)
    if many.kind == CAPSULE:
        return size[:, 0] + size[:, 2] * np.abs(v[:, 2])
    if many.kind == CYLINDER:
        return size[:, 0] * across + size[:, 2] * np.abs(v[:, 2])
    if many.kind == CONE:
        return np.maximum(size[:, 0] * across, size[:, 2] * v[:, 2])
    if many.kind == ELLIPSOID:
        return np.linalg.norm(v * size, axis=1)
    if many.kind == TRIANGLE:
        return v.max(1)
    assert many.kind == HULL
    result = np.zeros(len(v))
    for t, h in enumerate(TABLES.hulls.hull):
        at = many.table == t
        result[at] = (v[at] @ TABLES.hulls.vertex[h["vertex_first"] : h["vertex_last"]].T).max(1)
    return result


def unit(v):
    return v / np.linalg.norm(v, axis=1)[:, None]


def points_about(many, rng):
    """A point of each solid or a little beside it, world axes."""
    count = len(many.table)
    way, size = 1.1 * rng.uniform(-1, 1, (count, 3)), many.size
    if many.kind == TRIANGLE:
        way = rng.dirichlet((1, 1, 1), count) + 0.1 * way
    elif many.kind == HULL:
        way = np.array([sample_hull(h, rng) for h in TABLES.hulls.hull[many.table]])
    elif many.kind in (BOX, ELLIPSOID):
        way *= size
    elif many.kind != PLANE:
        way *= np.stack([size[:, 0], size[:, 0], size[:, 0] if many.kind == SPHERE else size[:, 2]], axis=1)
    return np.einsum("kij,kj->ki", many.R, way)


def sample_hull(hull, rng):
    vertex = TABLES.hulls.vertex[hull["vertex_first"] : hull["vertex_last"]]
    return 1.1 * rng.dirichlet(np.ones(4)) @ vertex[rng.integers(0, len(vertex), 4)]


def random_rays(many, rng, reach=None):
    """Starts in and around the solids, some far away, most directions toward them, some along axes; any length."""
    count, size = len(many.table), extent(many)[:, None]
    away = 10.0 ** rng.uniform(-1, 1 if reach is None else reach, (count, 1))
    start = size * away * unit(rng.normal(size=(count, 3)))
    aim = points_about(many, rng)
    direction = aim - start
    along = rng.random(count) < 0.2  # exactly along an axis of the shape
    axis = np.eye(3)[rng.integers(0, 3, count)] * rng.choice([-1.0, 1.0], (count, 1))
    if many.kind != TRIANGLE:
        direction[along] = np.einsum("kij,kj->ki", many.R, axis)[along]
        start[along] = (aim - direction * 3 * size)[along]
    direction[rng.random(count) < 0.1] *= -1
    return start, unit(direction) * size * 10.0 ** rng.uniform(-3, 3, (count, 1))


def least_along(many, p, d, low, high):
    """Place and value of the least inside measure on p + s d, by thirds; the measure is convex on the way."""
    for _ in range(110):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = inside_measure(many, p + a[:, None] * d) < inside_measure(many, p + b[:, None] * d)
        low, high = np.where(left, low, a), np.where(left, b, high)
    s = (low + high) / 2
    return s, inside_measure(many, p + s[:, None] * d)


def first_inside(many, p, d, low, high):
    """Place where the inside measure gets negative, by halves; positive at ``low``, negative at ``high``."""
    for _ in range(110):
        s = (low + high) / 2
        out = inside_measure(many, p + s[:, None] * d) > 0
        low, high = np.where(out, s, low), np.where(out, high, s)
    return high
