"""Ray against convex hull."""

from __future__ import annotations

from gelenk.collision.query.hit import from_inside, in_reach, miss
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3

FAR = 1e200  # a finite length for rays without end


@routine
def ray_hull(hulls, table, start, direction, length):
    """Where the ray is below the planes of all faces; the plane passed last gives the normal.

    A plane  n . x = d  matters if its part of the ray still looked at, ``enter`` to ``leave``, has an end above it:
    h + s n . direction > 0  with h the height of the start. Only then there is a division.
    Source: M. Cyrus, J. Beck, Generalized two- and three-dimensional clipping, Computers & Graphics 3 (1978).
    """
    hull = hulls.hull[table]
    enter, leave, last, inside = 0.0, min(length, FAR), hull.face_first, True
    for f in range(hull.face_first, hull.face_last):
        face = hulls.face[f]
        n = Vec3(face.n[0], face.n[1], face.n[2])
        height, rate = n @ start - face.d, n @ direction
        if not height + rate * enter <= 0.0:
            if rate >= 0.0:
                return miss()
            enter, last, inside = -height / rate, f, False
            if enter > leave:
                return miss()
        elif height + rate * leave > 0.0:
            leave = -height / rate
            if enter > leave:
                return miss()
    if inside:
        return from_inside(direction, length)
    if in_reach(enter, leave, length):
        face = hulls.face[last]
        return enter, Vec3(face.n[0], face.n[1], face.n[2])
    return miss()
