"""Point of a hull nearest to a point: V-Clip with a single vertex on one side (H-63 to H-68, V-24).

The walk goes from feature to neighbouring feature as long as the point lies beyond one of the planes around the Voronoi
region of the feature. Each step brings the feature closer, or keeps its distance and lowers its dimension. It begins at
the feature of the last call, mostly the one looked for.

A point below a face, between the planes around it, may be inside. Then the face it lies least below counts, and that is
the one highest above which it is if it is outside after all: a tree of faces finds either (:mod:`face_tree`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.vclip_features import (
    EDGE,
    FACE,
    NONE,
    VERTEX,
    along,
    climb,
    face_normal,
    feature,
    height,
    index_of,
    kind_of,
)
from gelenk.collision.vclip_steps import crossed_side, highest_above, region_beside_edge, steepest_edge
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

TOUCHING = 1e-12  # of the distance from the centre: a point closer to an edge or vertex gets the normal of a face


class Near(NamedTuple):
    """Nearest feature of a hull."""

    d: float  # signed distance, negative inside [m]
    n: Vec3  # outward normal there, shape axes
    X: int  # feature


@routine
def nearest_feature(hulls, table, y, remembered):
    """Where the hull is nearest to y, shape axes; ``remembered`` is the feature of an earlier call, or NONE."""
    X = feature(VERTEX, np.int64(hulls.hull[table].vertex_first))
    if remembered == NONE:
        X = feature(VERTEX, climb(hulls, index_of(X), y))
    else:
        X = np.int64(remembered)
    X_kept, keep_at, steps = X, 1, 0
    while True:
        N = neighbour(hulls, table, X, y)
        steps += 1
        if N < 0 or X_kept == N:  # the place is found, or nearly flat neighbours send the walk round in circles
            break
        X = N
        if steps == keep_at:
            X_kept, keep_at = X, 2 * keep_at
    if kind_of(X) == FACE:
        f = index_of(X)
        return Near(height(hulls, f, y), face_normal(hulls, f), X)
    if kind_of(X) == EDGE:
        x, u = get3(hulls.vertex, hulls.edge[index_of(X)].tail), along(hulls, index_of(X))
        way = y - (x + u * (((y - x) @ u) / (u @ u)))
        way = way - u * ((way @ u) / (u @ u))  # of a short way the part along the edge is rounding
    else:
        way = y - get3(hulls.vertex, index_of(X))
    d = way.norm()
    if d <= TOUCHING * y.norm():
        f = highest_of(hulls, table, np.int64(hulls.hull[table].face_first), y)
        return Near(height(hulls, f, y), face_normal(hulls, f), X)
    return Near(d, way * (1.0 / d), X)


@helper
def neighbour(hulls, table, X, y):
    """Feature behind a plane around X beyond which y lies, or -1 if X is the nearest one."""
    i = index_of(X)
    if kind_of(X) == VERTEX:
        e = steepest_edge(hulls, i, y)
        return feature(EDGE, e) if e >= 0 else e
    if kind_of(X) == EDGE:
        return region_beside_edge(hulls, i, y)
    e = crossed_side(hulls, i, y)
    if e >= 0:
        return feature(EDGE, e)
    if height(hulls, i, y) > 0.0:
        return np.int64(-1)
    f = highest_of(hulls, table, i, y)
    return feature(FACE, f) if f != i else np.int64(-1)


@helper
def highest_of(hulls, table, f, y):
    """The face of a hull that y lies highest above, or least below; f is a guess and stays among equals."""
    return highest_above(hulls, table, y, f, height(hulls, f, y))
