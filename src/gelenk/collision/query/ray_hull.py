"""Ray against convex hull."""

from __future__ import annotations

import numpy as np

from gelenk.collision.face_tree import least_below
from gelenk.collision.query.hit import from_inside, in_reach, miss
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

FAR = 1e150  # a finite length for rays without end
MANY_FACES = 800  # from so many on the tree of faces is faster than all of them: 1.8 times at 2000
GUESSES = 2  # leaves of the tree that each end of a ray is cut by before all others


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


@helper
def clip_by_leaf(hulls, node, start, direction, enter, leave, last):
    """The same by all faces of a leaf of the tree."""
    for m in range(node.first, node.last):
        if enter <= leave:
            face = np.int64(hulls.node_face[m])
            enter, leave, last = clip_by_face(hulls, face, start, direction, enter, leave, last)
    return enter, leave, last


@helper
def leaf_above(hulls, table, p):
    """A leaf of the tree with faces that p may be high above: each time the half whose bound allows more."""
    at = np.int64(hulls.node_first[table])
    while hulls.node[at].leaf == 0:
        left, right = at + 1, np.int64(hulls.node[at + 1].skip)
        at = left if least_below(hulls.node[left], p, 0) <= least_below(hulls.node[right], p, 0) else right
    return at


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
        for k in range(2 * GUESSES):  # faces that are likely to be those where it enters and leaves
            at = leaf_above(hulls, table, start + direction * (leave if k & 1 else enter))
            enter, leave, last = clip_by_leaf(hulls, hulls.node[at], start, direction, enter, leave, last)
            if enter > leave:
                return miss()
        at = np.int64(hulls.node_first[table])
        while at < np.int64(hulls.node_first[table + 1]):
            node = hulls.node[at]
            first, end = start + direction * enter, start + direction * leave
            if least_below(node, first, 0) > 0.0 and least_below(node, end, 0) > 0.0:
                at = np.int64(node.skip)
                continue
            if node.leaf == 1:
                enter, leave, last = clip_by_leaf(hulls, node, start, direction, enter, leave, last)
                if enter > leave:
                    return miss()
            at += 1
    if last < 0:
        return from_inside(direction, length)
    if in_reach(enter, leave, length):
        n = hulls.face[last].n
        return enter, Vec3(n[0], n[1], n[2])
    return miss()
