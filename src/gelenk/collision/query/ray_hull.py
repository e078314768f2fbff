"""Ray against convex hull."""

from __future__ import annotations

import numpy as np

from gelenk.collision.face_tree import least_below
from gelenk.collision.query.hit import from_inside, in_reach, miss
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

FAR = 1e150  # a finite length for rays without end
MANY_FACES = 64  # from so many on the tree of faces is faster than all of them


@helper
def clip_by_face(hulls, f, start, direction, enter, leave, last):
    """Part of a ray below the plane of face f, and the face where it enters: (enter, leave, last).

    A plane  n . x = d  matters if the part still looked at has an end above it:  h + s n . direction > 0  with h the
    height of the start. Only then there is a division. Nothing is left where enter > leave.
    """
    face = hulls.face[f]
    n = Vec3(face.n[0], face.n[1], face.n[2])
    height, rate = n @ start - face.d, n @ direction
    if not height + rate * enter <= 0.0:
        if rate >= 0.0:
            return enter, -1.0, last
        return -height / rate, leave, np.int64(f)
    if height + rate * leave > 0.0:
        return enter, -height / rate, last
    return enter, leave, last


@routine
def ray_hull(hulls, table, start, direction, length):
    """Where the ray is below the planes of all faces; the plane passed last gives the normal.

    Faces of alike normals below which both ends of the part still looked at lie are passed over together.
    Source: M. Cyrus, J. Beck, Generalized two- and three-dimensional clipping, Computers & Graphics 3 (1978).
    """
    hull = hulls.hull[table]
    enter, leave, last = 0.0, min(length, FAR), np.int64(-1)
    if hull.face_last - hull.face_first < MANY_FACES or hulls.node.shape[0] == 0:
        for f in range(hull.face_first, hull.face_last):
            enter, leave, last = clip_by_face(hulls, f, start, direction, enter, leave, last)
            if enter > leave:
                return miss()
    else:
        k = np.int64(hulls.node_first[table])
        while k < np.int64(hulls.node_first[table + 1]):
            node = hulls.node[k]
            below = min(
                least_below(node, start + direction * enter, 0), least_below(node, start + direction * leave, 0)
            )
            if below > 0.0:
                k = np.int64(node.skip)
                continue
            if node.leaf == 1:
                for m in range(node.first, node.last):
                    face = np.int64(hulls.node_face[m])
                    enter, leave, last = clip_by_face(hulls, face, start, direction, enter, leave, last)
                    if enter > leave:
                        return miss()
            k += 1
    if last < 0:
        return from_inside(direction, length)
    if in_reach(enter, leave, length):
        n = hulls.face[last].n
        return enter, Vec3(n[0], n[1], n[2])
    return miss()
