"""Rays that start in a solid or on its surface.

Deep in a solid a ray hits at once, with the normal of the surface nearest to its start. On a surface it depends on
where the ray leads: into the solid it hits at once, out of it what it meets next. That is told without looking at
edges and corners: the start p is lifted off the surface along its normal, to the height 2 e with
e = ``ON_SURFACE`` of all coordinates and sizes, and the ray cast again from there. A hit of

    p + lift + s' direction

with the normal m is one of the ray itself at  s = s' + lift . m / (direction . m),  to first order in e, which is exact
for flat surfaces and gives 0 for a ray that goes in where it starts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.collision.broad.phase import NONE
from gelenk.collision.collider import centre_of, solid_of
from gelenk.collision.map_query import mesh_of
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.scene import HIT, cast_rays
from gelenk.collision.solid import BALLS, CAPSULE, CONE, CYLINDER, ELLIPSOID, FIELD, MAP, SPHERE
from gelenk.compile import helper, kernel, routine
from gelenk.math.vec3 import Vec3, get3, put3

ON_SURFACE = 1e-10  # part of coordinates and sizes: a start this near to a surface is on it; far above round-off
MOST_LIFTS = 8  # as many surfaces as may meet in one point
CURVED = (SPHERE, CAPSULE, CYLINDER, CONE, ELLIPSOID, BALLS)  # their normals change with the lift
ALIKE = 0.9999  # cosine of the angle up to which two normals are of the same place
GRAZING = 1e-6  # sine of the angle from which on a hit is not corrected for the lift


@routine
def foot_in_ground(fields, index, p, d, n):
    """Distance and normal of the surface of a height field, d and n, or those of its side if that is nearer to p."""
    field = fields.field[index]
    x, y = abs(p.x) - field.mid_x * field.dx, abs(p.y) - field.mid_y * field.dy
    if max(x, y) < d:
        return d, n
    if x > y:
        return x, Vec3(math.copysign(1.0, p.x), 0.0, 0.0)
    return y, Vec3(0.0, math.copysign(1.0, p.y), 0.0)


@routine
def foot_of(solid, tables, p):
    """Signed distance and outward normal of the surface that rays meet, at its point nearest to p; world axes."""
    if solid.kind == MAP:
        solid = mesh_of(solid, tables.maps)
    d, _, n = nearest_on_solid(solid, tables, p)
    if solid.kind == FIELD:
        d, n = foot_in_ground(tables.fields, solid.table, solid.R.tdot(p), d, solid.R.tdot(n))
        n = solid.R @ n
    return d, n


@helper
def largest(p):
    """Largest component."""
    return max(abs(p.x), abs(p.y), abs(p.z))


@kernel
def find_feet(colliders, tables, collider, point, distance_out, normal_out, near_out):
    """Of points (k, 3) and a collider for each: signed distance, outward normal, and what counts as on the surface."""
    for k in range(point.shape[0]):
        i, p = np.int64(collider[k]), get3(point, k)
        centre = centre_of(colliders, i)
        d, n = foot_of(solid_of(colliders, i), tables, p - centre)
        size = largest(p) + largest(centre)
        for c in range(3):
            edge = colliders.box[i, c + 3] - colliders.box[i, c]
            size += edge if edge < math.inf else 0.0
        distance_out[k], near_out[k] = d, ON_SURFACE * size
        put3(normal_out, k, n)


def settle_starts(
    scene: tuple[Any, ...], start: np.ndarray, unit: np.ndarray, length: np.ndarray, mask: np.uint32, hits: np.ndarray
) -> None:
    """Give hits at distance 0 their normals, and take rays that lead out of where they start to what they meet next.

    ``scene`` is what :func:`gelenk.collision.query.scene.cast_rays` begins with, directions are of unit length.
    """
    _, colliders, tables, _ = scene
    rows = np.flatnonzero(hits["distance"] == 0.0)
    at = start[rows]
    for lifts in range(MOST_LIFTS + 1):
        if not len(rows):
            return
        distance, normal, near = np.zeros(len(rows)), np.zeros((len(rows), 3)), np.zeros(len(rows))
        find_feet(colliders, tables, np.ascontiguousarray(hits["collider"][rows]), at, distance, normal, near)
        hits["normal"][rows] = normal
        on = np.flatnonzero((np.abs(distance) <= near) & (lifts < MOST_LIFTS))
        rows, at = rows[on], np.ascontiguousarray(at[on] + normal[on] * (2.0 * near - distance)[on, None])
        found, again = lifted_hits(scene, start[rows], at, unit[rows], length[rows], mask)
        curved = np.isin(colliders.item["kind"][hits["collider"][rows]], CURVED) & (found["distance"] == 0.0)
        here = curved & (np.einsum("ij,ij->i", found["normal"], normal[on]) > ALIKE)
        found["normal"][here] = normal[on][here]
        hits[rows] = found
        rows, at = rows[again], at[again]


def lifted_hits(
    scene: tuple[Any, ...],
    start: np.ndarray,
    lifted: np.ndarray,
    unit: np.ndarray,
    length: np.ndarray,
    mask: np.uint32,
) -> tuple[np.ndarray, np.ndarray]:
    """Hits of rays from their lifted starts, put back onto the rays themselves; and which are in a solid there."""
    hits = np.zeros(len(start), HIT).view(np.recarray)
    cast_rays(*scene, lifted, unit, np.full(len(start), np.inf), mask, hits)
    s, m, lift = hits["distance"], hits["normal"], lifted - start
    inside, ahead = s == 0.0, (s > 0.0) & (s < np.inf)
    rate = np.einsum("ij,ij->i", m, unit)
    sloped = ahead & (np.abs(rate) > GRAZING)
    s[sloped] += np.einsum("ij,ij->i", m, lift)[sloped] / rate[sloped]
    s[ahead & (s <= np.linalg.norm(lift, axis=1))] = 0.0
    hits["point"][ahead] = start[ahead] + s[ahead, None] * unit[ahead]
    hits["point"][inside] = start[inside]
    beyond = ~(s <= length)
    hits["collider"][beyond], s[beyond] = NONE, np.inf
    hits["point"][beyond] = m[beyond] = np.nan
    return hits, inside
