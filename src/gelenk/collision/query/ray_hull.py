"""Ray against convex hull."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import from_inside, in_reach, miss
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_hull(hulls, table, start, direction, length):
    """Where the ray is below the planes of all faces; the plane passed last gives the normal.

    Source: M. Cyrus, J. Beck, Generalized two- and three-dimensional clipping, Computers & Graphics 3 (1978).
    """
    hull = hulls.hull[table]
    enter, leave, last, inside = -math.inf, math.inf, hull.face_first, True
    for f in range(hull.face_first, hull.face_last):
        face = hulls.face[f]
        n = Vec3(face.n[0], face.n[1], face.n[2])
        height, rate = n @ start - face.d, n @ direction
        if not height <= 0.0:
            inside = False
            if rate >= 0.0:
                return miss()
        if rate < 0.0:
            s = -height / rate
            if s > enter:
                enter, last = s, f
        elif rate > 0.0:
            leave = min(leave, -height / rate)
        if enter > leave or enter > length:
            return miss()
    if inside:
        return from_inside(direction, length)
    if in_reach(enter, leave, length):
        face = hulls.face[last]
        return enter, Vec3(face.n[0], face.n[1], face.n[2])
    return miss()
