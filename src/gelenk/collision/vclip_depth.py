"""How deep two hulls lie in each other: exact, over all faces of their Minkowski difference (H-64).

Along the unit vector n the hulls overlap by

    w(n) = max over A of n . a  -  min over B of n . b

and B must be moved by w(n) along n to be free. The depth is the smallest w. It lies at the normal of a face of the
Minkowski difference A - B: that of a face of A (against a vertex of B), of a face of B (against a vertex of A), or
across an edge of A and one of B. On the sphere of normals an edge of A is the arc between the normals of its two
faces,

    n(t) = (1 - t) n_f + t n_g,

along which the vertex of B that lies deepest changes where the arc crosses that of an edge of B. On the arc between
two crossings  w = (a - b) . n / |n|  has no minimum inside where it is positive, so looking at the crossings suffices.

Any vertex b bounds from below what faces and arcs can give,  w(n(t)) >= min(w_b(n_f), w_b(n_g)) if positive,
and any direction bounds the depth from above. Unless the hulls lie deep in each other, the two leave hardly anything to
look at. Two vertices are tried, the deepest along the first direction and the last one found.

The faces of A that the first one, now at y in the axes of A, lies less than some reach below are remembered, with y.
Instead of a vertex any point of B will do; where B has few faces, large ones, that is the one near the last contact.
When it has moved to y', no others can be less than  reach - |y' - y|  above y'. So as long as the bound from
above is below that, looking at these few is enough. Else a tree finds them anew (:mod:`face_tree`).

Where the hulls are apart, the result is minus the distance of the farthest pair of parallel planes along such a normal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.face_tree import least_below
from gelenk.collision.manifold import NEAR, NONE
from gelenk.collision.vclip_features import (
    EDGE,
    FACE,
    VERTEX,
    along,
    carry,
    climb,
    closest_on_segments,
    face_normal,
    feature,
    height,
    index_of,
    kind_of,
    vertex_of,
)
from gelenk.collision.vclip_steps import crossed_side
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3


class Depth(NamedTuple):
    """The smallest overlap found."""

    overlap: float  # [m]
    n: Vec3  # from A to B, axes of A
    X: int  # features of A and B that touch once they are moved apart
    Y: int


@routine
def depth(one, two, X, Y, to_1, to_2, memory):
    """Smallest overlap of hull 1 and hull 2; the features X and Y, such as those of the last step, are a guess."""
    n = guess_direction(one, two, X, Y, to_1)
    a = climb(one, vertex_of(one, X), n)
    b = climb(two, vertex_of(two, Y), -(to_2.R @ n))
    overlap = n @ (get3(one.vertex, a) - carry(to_1, get3(two.vertex, b)))
    # the guess is an upper bound, with room for rounding; the face behind it is found again below
    bound = overlap + 1e-12 * (abs(overlap) + to_1.p.norm() + get3(one.vertex, a).norm())
    best = Depth(bound, n, feature(VERTEX, a), feature(VERTEX, b))
    best = over_faces(two, one, best, a, carry(to_2, get3(one.vertex, a)), to_2, to_1, 1, memory)
    y = carry(to_1, get3(two.vertex, b))
    if has_few_faces(two, to_2.table):
        y = meeting_point(one, two, X, Y, a, y, to_1, to_2)
    return over_faces(one, two, best, b, y, to_1, to_2, 0, memory)


@helper
def has_few_faces(hulls, table):
    """Whether one node of the tree holds all faces, or there are none."""
    k = np.int64(hulls.node_first[table])
    return k == np.int64(hulls.node_first[table + 1]) or hulls.node[k].leaf == 1


@helper
def meeting_point(one, two, X, Y, a, y, to_1, to_2):
    """A point of hull 2 near the place where the features meet, else y; axes of hull 1.

    The corners of large faces are far from there and bound little.
    """
    if kind_of(X) == EDGE and kind_of(Y) == EDGE:
        q, w = carry(to_1, get3(two.vertex, vertex_of(two, Y))), to_1.R @ along(two, index_of(Y))
        _, t = closest_on_segments(get3(one.vertex, vertex_of(one, X)), along(one, index_of(X)), q, w)
        return q + w * t
    if kind_of(Y) == FACE:
        x, g = carry(to_2, get3(one.vertex, a)), index_of(Y)
        foot = x - face_normal(two, g) * height(two, g, x)
        if crossed_side(two, g, foot) < 0:
            return carry(to_1, foot)
    return y


@helper
def guess_direction(one, two, X, Y, to_1):
    """Direction that the features give together, else from centre to centre."""
    n = to_1.p
    if kind_of(X) == FACE:
        n = face_normal(one, index_of(X))
    elif kind_of(Y) == FACE:
        n = -(to_1.R @ face_normal(two, index_of(Y)))
    elif kind_of(X) == EDGE and kind_of(Y) == EDGE:
        n = along(one, index_of(X)).cross(to_1.R @ along(two, index_of(Y)))
        left = face_normal(one, np.int64(one.edge[index_of(X)].left))
        right = face_normal(one, np.int64(one.edge[index_of(X)].right))
        if n @ (left + right) < 0.0:
            n = -n
    size = n.norm()
    return n * (1.0 / size) if size > 0.0 else Vec3(0.0, 0.0, 1.0)


@routine
def over_faces(one, two, best, b, deep, to_1, to_2, side, memory):
    """Faces of hull 1 against vertices of hull 2, b the first of them; on side 0 also edges against edges.

    deep: a point of hull 2, axes of hull 1.
    """
    k = np.int64(one.node_first[to_1.table])
    if k == np.int64(one.node_first[to_1.table + 1]):
        return best
    if one.node[k].leaf == 1:  # few faces need no list
        for j in range(np.int64(one.node[k].first), np.int64(one.node[k].last)):
            f = np.int64(one.node_face[j])
            if -height(one, f, deep) < max(best.overlap, 0.0):
                best, b = at_face(one, two, best, f, b, to_1, to_2, side)
        return best
    if memory.near_vertex[side] != NONE:
        first = deep
        if not has_few_faces(two, to_2.table):
            deep = carry(to_1, get3(two.vertex, memory.near_vertex[side]))
        moved = (deep - get3(memory.near_point, side)).norm()
        if memory.near_reach[side] - moved >= max(best.overlap, 0.0):
            for j in range(np.int64(memory.near_count[side])):
                f = np.int64(memory.near_face[side, j])
                if -height(one, f, deep) < max(best.overlap, 0.0):
                    best, b = at_face(one, two, best, f, b, to_1, to_2, side)
            return best
        deep = first
    return over_all_faces(one, two, best, b, deep, to_1, to_2, side, memory)


@routine
def over_all_faces(one, two, best, b, deep, to_1, to_2, side, memory):
    """The same without a list of faces; makes the list.

    Where hull 2 lies far inside, one vertex says little: a node is tried with the one deepest along its axis too. That
    one must bound the faces around the node as well, since every node has another one and arcs lead from node to node.
    """
    far_in = deep.norm()
    spare = memory.near_spare[side]
    if memory.near_vertex[side] == NONE:
        spare = 0.1 * deep.norm()
    bound = max(best.overlap, 0.0)
    reach, count = bound + spare, 0
    memory.near_vertex[side] = b
    k, last = np.int64(one.node_first[to_1.table]), np.int64(one.node_first[to_1.table + 1])
    while k < last:
        node = one.node[k]
        least = least_below(node, deep, 0)
        out = least >= max(reach, best.overlap)
        if not out and best.overlap > far_in:
            b = climb(two, b, -(to_2.R @ Vec3(node.m[0], node.m[1], node.m[2])))
            out = least_below(node, carry(to_1, get3(two.vertex, b)), 1) >= best.overlap
            if out:
                reach = min(reach, least)
        if out:
            k = np.int64(node.skip)
            continue
        if node.leaf == 1:
            for j in range(np.int64(node.first), np.int64(node.last)):
                f = np.int64(one.node_face[j])
                s = -height(one, f, deep)
                if s < reach and count < NEAR:
                    memory.near_face[side, count] = f
                    count += 1
                else:
                    reach = min(reach, s)
                if s < max(best.overlap, 0.0):
                    best, b = at_face(one, two, best, f, b, to_1, to_2, side)
        k += 1
    memory.near_count[side] = count
    memory.near_reach[side] = reach
    memory.near_spare[side] = 1.5 * spare if 2 * count < NEAR else max(0.25 * spare, min(spare, reach - bound))
    put3(memory.near_point, side, deep)
    return best


@helper
def at_face(one, two, best, f, b, to_1, to_2, side):
    """The face f of hull 1 against its deepest vertex, b the last one found, and on side 0 the arcs around it."""
    y = carry(to_1, get3(two.vertex, b))
    if -height(one, f, y) < best.overlap:
        n = face_normal(one, f)
        b = climb(two, b, -(to_2.R @ n))
        overlap = -height(one, f, carry(to_1, get3(two.vertex, b)))
        if overlap < best.overlap and side == 1:
            best = Depth(overlap, -(to_2.R @ n), feature(VERTEX, b), feature(FACE, f))
        elif overlap < best.overlap:
            best = Depth(overlap, n, feature(FACE, f), feature(VERTEX, b))
    if side == 0:
        best, b = over_arcs(one, two, best, f, b, to_1, to_2)
    return best, b


@routine
def over_arcs(one, two, best, f, b, to_1, to_2):
    """Edges around the face f of hull 1 against edges of hull 2.

    Let b be deepest below f and c below the face g behind an edge. On the chord between the two normals w is above both

        (1 - t) w_b(n_f) + t w_b(n_g),    (1 - t) w_c(n_f) + t w_c(n_g),

    so above the height where these lines cross.
    """
    y = carry(to_1, get3(two.vertex, b))
    w_bf = -height(one, f, y)
    deepest = False
    for k in range(np.int64(one.face[f].first), np.int64(one.face[f].last)):
        e = np.int64(one.loop_edge[k])
        g, bound = beyond(one, e, f), max(best.overlap, 0.0)
        if min(w_bf, -height(one, g, y)) < bound:
            if not deepest:
                b = climb(two, b, -(to_2.R @ face_normal(one, f)))
                y = carry(to_1, get3(two.vertex, b))
                w_bf, deepest = -height(one, f, y), True
            w_bg = -height(one, g, y)
            if min(w_bf, w_bg) < bound:
                c = climb(two, b, -(to_2.R @ face_normal(one, g)))
                z = carry(to_1, get3(two.vertex, c))
                w_cf, w_cg = -height(one, f, z), -height(one, g, z)
                if (w_bf - bound) * ((w_bf - w_cf) + (w_cg - w_bg)) < (w_bf - w_bg) * (w_bf - w_cf):
                    best = along_arc(one, two, best, e, f, g, b, to_1, to_2)
    return best, b


@helper
def beyond(hulls, e, f):
    """The face on the other side of an edge."""
    edge = hulls.edge[e]
    return np.int64(edge.right) if edge.left == f else np.int64(edge.left)


@routine
def along_arc(one, two, best, e, f, g, b, to_1, to_2):
    """Follow the arc of edge e from face f to g over the normals of hull 2; b is deepest below f."""
    first, last = face_normal(one, f), face_normal(one, g)
    start, change = -(to_2.R @ first), -(to_2.R @ (last - first))
    x = get3(one.vertex, one.edge[e].tail)
    t = 0.0
    hull = two.hull[to_2.table]
    for _ in range(np.int64(hull.vertex_first), np.int64(hull.vertex_last)):
        # the neighbour that comes level with b first
        origin = get3(two.vertex, b)
        t_next, b_next, e_next = 1.0, b, np.int64(-1)
        for k in range(np.int64(two.fan_first[b]), np.int64(two.fan_first[b + 1])):
            crossed = np.int64(two.fan[k])
            neighbour = np.int64(two.fan_vertex[k])
            u = get3(two.vertex, neighbour) - origin
            rate = u @ change
            if rate > 0.0:
                level = max(-(u @ start) / rate, t)
                if level < t_next:
                    t_next, b_next, e_next = level, neighbour, crossed
        if e_next < 0:
            break
        t, b = t_next, b_next
        n = first + (last - first) * t
        size = n.norm()
        overlap = (n @ (x - carry(to_1, get3(two.vertex, b)))) / size if size > 0.0 else math.inf
        if overlap < best.overlap:
            best = Depth(overlap, n * (1.0 / size), feature(EDGE, e), feature(EDGE, e_next))
    return best
