"""Nearest points by the kind of the solid, each compiled when a model first needs it (V-26).

What :func:`gelenk.collision.query.nearest.nearest_on_solid` does for all kinds at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gelenk.collision.ball_query import nearest_on_balls
from gelenk.collision.map_query import nearest_on_map
from gelenk.collision.mesh_foot import mesh_foot
from gelenk.collision.narrow.sphere_cone import point_cone
from gelenk.collision.narrow.sphere_cylinder import point_cylinder
from gelenk.collision.query.nearest import field_foot, nearest_on_box, nearest_on_capsule
from gelenk.collision.query.nearest_ellipsoid import nearest_on_ellipsoid
from gelenk.collision.query.nearest_hull import nearest_on_hull
from gelenk.collision.solid import (
    BALLS,
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HULL,
    KINDS,
    MAP,
    MESH,
    PLANE,
    SPHERE,
    Solid,
)
from gelenk.compile import Plug, helper
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

FOOT = np.dtype([("d", "f8"), ("q", "f8", (3,)), ("n", "f8", (3,))])  # signed distance, point, outward normal


@helper
def put_foot(foot, solid, d, q, n):
    """Write what was found in shape axes, in world axes; 1 inside, else 0."""
    q, n = solid.R @ q, solid.R @ n
    foot.d = d
    foot.q[0], foot.q[1], foot.q[2] = q.x, q.y, q.z
    foot.n[0], foot.n[1], foot.n[2] = n.x, n.y, n.z
    return 1 if d < 0.0 else 0


def on_sphere(solid, tables, p, foot):
    """Like all below: p from the centre of the solid, world axes."""
    d, q, n = nearest_on_capsule(Vec3(solid.size.x, 0.0, 0.0), solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_capsule(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_capsule(solid.size, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_box(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_box(solid.size, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_cylinder(solid, tables, p, foot):  # noqa: D103
    u = solid.R.tdot(p)
    found = point_cylinder(u, solid.size)
    return put_foot(foot, solid, found.d, u - found.n * found.d, found.n)


def on_cone(solid, tables, p, foot):  # noqa: D103
    u = solid.R.tdot(p)
    found = point_cone(u, solid.size)
    return put_foot(foot, solid, found.d, u - found.n * found.d, found.n)


def on_ellipsoid(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_ellipsoid(solid.size, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_hull(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_hull(tables.hulls, solid.table, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_plane(solid, tables, p, foot):  # noqa: D103
    u = solid.R.tdot(p)
    return put_foot(foot, solid, u.z, Vec3(u.x, u.y, 0.0), Vec3(0.0, 0.0, 1.0))


def on_mesh(solid, tables, p, foot):  # noqa: D103
    d, q, n = mesh_foot(tables.meshes, solid.table, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_field(solid, tables, p, foot):  # noqa: D103
    d, q, n = field_foot(tables.fields, solid.table, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


def on_map(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_map(tables.maps, tables.meshes, solid.table, solid.R.tdot(p), math.inf)
    return put_foot(foot, solid, d, q, n)


def on_balls(solid, tables, p, foot):  # noqa: D103
    d, q, n = nearest_on_balls(tables.balls, solid.table, solid.R.tdot(p))
    return put_foot(foot, solid, d, q, n)


ROWS = {
    SPHERE: on_sphere,
    BOX: on_box,
    CAPSULE: on_capsule,
    CYLINDER: on_cylinder,
    CONE: on_cone,
    ELLIPSOID: on_ellipsoid,
    HULL: on_hull,
    PLANE: on_plane,
    MESH: on_mesh,
    FIELD: on_field,
    BALLS: on_balls,
    MAP: on_map,
}


def _samples() -> tuple[Any, ...]:
    from gelenk.collision.tables import new_tables

    solid = Solid(0, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    return solid, new_tables(), Vec3(0.0, 0.0, 0.0), new_feet()[0]


def new_feet() -> np.ndarray:
    """Space for one answer."""
    return np.zeros(1, FOOT).view(np.recarray)


nearest_plug = Plug(_samples, 4)
run_nearest = nearest_plug.call


def fill_nearest(rows: np.ndarray, kinds: Iterable[int]) -> None:
    """Have those of some kinds compiled: addresses into ``rows`` (KINDS,)."""
    for kind in map(int, kinds):
        rows[kind] = nearest_plug.address(ROWS[kind])


def new_nearest_rows() -> np.ndarray:
    """(KINDS,) addresses, none of them there yet."""
    return np.zeros(KINDS, np.int64)
