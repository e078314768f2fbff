"""One step of the walk of V-Clip for every pair of kinds of features (H-63, biomechanics 4.8).

The pair (X, Y) has X on hull 1 and Y on hull 2. A step looks whether the closest point of each lies in the Voronoi
region of the other. If not, the feature whose region was left is exchanged for the neighbour behind the plane that was
crossed; the distance of the two features becomes smaller, or stays and their dimension shrinks.

Every step gives the next X and Y and whether the walk is over. ``one`` and ``two`` are the tables of hulls 1 and 2,
``to_1`` and ``to_2`` take points from the axes of the other hull to those of 1 and 2.

Source: B. Mirtich, V-Clip: fast and robust polyhedral collision detection, ACM Trans. Graph. 17 (1998).
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.face_tree import least_below
from gelenk.collision.vclip_features import (
    EDGE,
    FACE,
    VERTEX,
    along,
    beside,
    carry,
    closest_on_segments,
    face_normal,
    feature,
    height,
    index_of,
    kind_of,
)
from gelenk.compile import helper, routine
from gelenk.math.vec3 import get3

ON = 0  # the walk goes on
APART = 1  # the closest features are found
MEET = 2  # the hulls have a point in common

# Sine of the angle below which an edge counts as parallel to a face: some roundings of a rotated unit vector. Without
# it a vertex, the edge beside it and the other vertex of that edge may each be sent to the next one for ever.
PARALLEL = 1e-14


@routine
def step(one, two, X, Y, to_1, to_2):
    """The step for the kinds of X and Y."""
    kind_x, kind_y = kind_of(X), kind_of(Y)
    if kind_x == VERTEX:
        if kind_y == VERTEX:
            return vertex_vertex(one, two, X, Y, to_1, to_2)
        if kind_y == EDGE:
            return vertex_edge(one, two, X, Y, to_1, to_2)
        return vertex_face(one, two, X, Y, to_1, to_2)
    if kind_x == EDGE:
        if kind_y == EDGE:
            return edge_edge(one, two, X, Y, to_1, to_2)
        if kind_y == FACE:
            return edge_face(one, two, X, Y, to_1, to_2)
        Y, X, end = vertex_edge(two, one, Y, X, to_2, to_1)
        return X, Y, end
    if kind_y == VERTEX:
        Y, X, end = vertex_face(two, one, Y, X, to_2, to_1)
        return X, Y, end
    Y, X, end = edge_face(two, one, Y, X, to_2, to_1)  # two faces are never a pair
    return X, Y, end


@helper
def vertex_vertex(one, two, X, Y, to_1, to_2):
    """Each must lie behind all the planes across the edges of the other."""
    x, y = get3(one.vertex, index_of(X)), get3(two.vertex, index_of(Y))
    e = steepest_edge(one, index_of(X), carry(to_1, y))
    if e >= 0:
        return feature(EDGE, e), Y, ON
    e = steepest_edge(two, index_of(Y), carry(to_2, x))
    if e >= 0:
        return X, feature(EDGE, e), ON
    return X, Y, APART


@routine
def steepest_edge(hulls, v, y):
    """Edge of a vertex that points most towards y, or -1 if none does."""
    x = get3(hulls.vertex, v)
    d = y - x
    best, most = np.int64(-1), 0.0
    for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
        e = np.int64(hulls.fan[k])
        w = get3(hulls.vertex, hulls.fan_vertex[k]) - x
        s = d @ w
        if s > 0.0:
            steepness = s * s / (w @ w)
            if steepness > most or best < 0:
                best, most = e, steepness
    return best


@routine
def vertex_edge(one, two, X, Y, to_1, to_2):
    """The vertex X against the four planes of the edge Y, then the edge against all planes of the vertex."""
    e, v = index_of(Y), index_of(X)
    N = region_beside_edge(two, e, carry(to_2, get3(one.vertex, v)))
    if N >= 0:
        return X, N, ON
    edge = two.edge[e]
    x = get3(one.vertex, v)
    tail, head = carry(to_1, get3(two.vertex, edge.tail)), carry(to_1, get3(two.vertex, edge.head))
    low, high, N_low, N_high = 0.0, 1.0, np.int64(-1), np.int64(-1)
    for k in range(np.int64(one.fan_first[v]), np.int64(one.fan_first[v + 1])):
        g = np.int64(one.fan[k])
        w = get3(one.vertex, one.fan_vertex[k]) - x
        at_tail, at_head = (x - tail) @ w, (x - head) @ w
        if at_tail < 0.0 and at_head < 0.0:
            return feature(EDGE, g), Y, ON
        low, high, N_low, N_high = clip(low, high, N_low, N_high, at_tail, at_head, feature(EDGE, g))
    u = head - tail
    if N_low >= 0 and u @ (tail + u * low - x) > 0.0:
        return N_low, Y, ON
    if N_high >= 0 and u @ (tail + u * high - x) < 0.0:
        return N_high, Y, ON
    return X, Y, APART


@helper
def region_beside_edge(hulls, e, y):
    """Neighbour of an edge in whose region y lies, or -1 if y is in that of the edge."""
    edge = hulls.edge[e]
    u = along(hulls, e)
    if (y - get3(hulls.vertex, edge.tail)) @ u < 0.0:
        return feature(VERTEX, edge.tail)
    if (y - get3(hulls.vertex, edge.head)) @ u > 0.0:
        return feature(VERTEX, edge.head)
    left, right = beside(hulls, e, edge.left, y), beside(hulls, e, edge.right, y)
    if left > 0.0 and left >= right:
        return feature(FACE, edge.left)
    if right > 0.0:
        return feature(FACE, edge.right)
    return np.int64(-1)


@helper
def clip(low, high, N_low, N_high, at_tail, at_head, N):
    """What a plane leaves of an edge from ``low`` to ``high``; N lies behind the plane, inside is positive."""
    if at_tail < 0.0 and at_head >= 0.0:
        s = at_tail / (at_tail - at_head)
        if s > low:
            low, N_low = s, N
    elif at_head < 0.0 and at_tail >= 0.0:
        s = at_tail / (at_tail - at_head)
        if s < high:
            high, N_high = s, N
    return low, high, N_low, N_high


@routine
def vertex_face(one, two, X, Y, to_1, to_2):
    """The vertex X against the planes around the face Y; then its edges must lead away from the plane of the face."""
    v, f = index_of(X), index_of(Y)
    x = get3(one.vertex, v)
    y = carry(to_2, x)
    e = crossed_side(two, f, y)
    if e >= 0:
        return X, feature(EDGE, e), ON
    s = height(two, f, y)
    n = to_1.R @ face_normal(two, f)
    best, most = np.int64(-1), PARALLEL * PARALLEL
    for k in range(np.int64(one.fan_first[v]), np.int64(one.fan_first[v + 1])):
        e = np.int64(one.fan[k])
        w = get3(one.vertex, one.fan_vertex[k]) - x
        rise = n @ w
        if (rise < 0.0 and s >= 0.0) or (rise > 0.0 and s <= 0.0):
            steepness = rise * rise / (w @ w)
            if steepness > most:
                best, most = e, steepness
    if best >= 0:
        return feature(EDGE, best), Y, ON
    if s > 0.0:
        return X, Y, APART
    best = highest_face(two, to_2.table, y)
    if best < 0:
        return X, Y, MEET
    return X, feature(FACE, best), ON


@helper
def crossed_side(hulls, f, y):
    """Side of a face whose plane y lies farthest beyond, or -1 if y lies above or below the face."""
    face = hulls.face[f]
    best, most = np.int64(-1), 0.0
    for k in range(np.int64(face.first), np.int64(face.last)):
        e = np.int64(hulls.loop_edge[k])
        s = beside(hulls, e, f, y)
        if s < 0.0:
            u = along(hulls, e)
            far = s * s / (u @ u)
            if far > most or best < 0:
                best, most = e, far
    return best


@helper
def highest_face(hulls, table, y):
    """The face of a hull that y lies highest above; -1 if y is inside."""
    return highest_above(hulls, table, y, np.int64(-1), 0.0)


@routine
def highest_above(hulls, table, y, best, most):
    """The face of a hull that y lies higher above than ``most``, and highest; ``best`` if there is none."""
    k, last = np.int64(hulls.node_first[table]), np.int64(hulls.node_first[table + 1])
    while k < last:
        node = hulls.node[k]
        if -least_below(node, y, 0) <= most:
            k = np.int64(node.skip)
            continue
        if node.leaf == 1:
            for j in range(np.int64(node.first), np.int64(node.last)):
                g = np.int64(hulls.node_face[j])
                s = height(hulls, g, y)
                if s > most:
                    best, most = g, s
        k += 1
    return best


@routine
def edge_edge(one, two, X, Y, to_1, to_2):
    """Each edge, clipped to the region of the other, must have its closest point inside."""
    edge = two.edge[index_of(Y)]
    tail, head = carry(to_1, get3(two.vertex, edge.tail)), carry(to_1, get3(two.vertex, edge.head))
    N, end = region_of_edge(one, X, tail, head)
    if end != APART:
        return N, Y, end
    edge = one.edge[index_of(X)]
    tail, head = carry(to_2, get3(one.vertex, edge.tail)), carry(to_2, get3(one.vertex, edge.head))
    N, end = region_of_edge(two, Y, tail, head)
    return X, N, end


@routine
def region_of_edge(hulls, X, tail, head):
    """Neighbour of the edge X whose region holds the point of another edge that is closest to X.

    The other edge is clipped by the two planes across the ends of X first: with both faces as well, the ends could be
    cut away before they were asked.
    """
    e = index_of(X)
    edge = hulls.edge[e]
    a, b = get3(hulls.vertex, edge.tail), get3(hulls.vertex, edge.head)
    u, w = b - a, head - tail
    low, high, N_low, N_high = 0.0, 1.0, np.int64(-1), np.int64(-1)
    for k in range(2):
        at_tail, at_head = ((tail - a) @ u, (head - a) @ u) if k == 0 else ((b - tail) @ u, (b - head) @ u)
        N = feature(VERTEX, edge.tail if k == 0 else edge.head)
        if at_tail < 0.0 and at_head < 0.0:
            return N, ON
        low, high, N_low, N_high = clip(low, high, N_low, N_high, at_tail, at_head, N)
    if N_low >= 0 and w @ (tail + w * low - get3(hulls.vertex, index_of(N_low))) > 0.0:
        return N_low, ON
    if N_high >= 0 and w @ (tail + w * high - get3(hulls.vertex, index_of(N_high))) < 0.0:
        return N_high, ON

    for k in range(2):
        f = edge.left if k == 0 else edge.right
        at_tail, at_head = -beside(hulls, e, f, tail), -beside(hulls, e, f, head)
        N = feature(FACE, f)
        if at_tail < 0.0 and at_head < 0.0:
            return N, ON
        low, high, N_low, N_high = clip(low, high, N_low, N_high, at_tail, at_head, N)
    if N_low >= 0 and kind_of(N_low) == FACE:
        s, rise = above(hulls, index_of(N_low), tail, w, low)
        if s == 0.0:
            return X, MEET
        if s * rise > 0.0:
            return N_low, ON
    if N_high >= 0 and kind_of(N_high) == FACE:
        s, rise = above(hulls, index_of(N_high), tail, w, high)
        if s == 0.0:
            return X, MEET
        if s * rise < 0.0:
            return N_high, ON
    return X, APART


@helper
def above(hulls, f, tail, w, s):
    """Height of  tail + s w  above a face, and how it grows with s."""
    return height(hulls, f, tail + w * s), face_normal(hulls, f) @ w


@routine
def edge_face(one, two, X, Y, to_1, to_2):
    """The edge X above the face Y: if it does not pass through, one of its ends or a side of the face is closer."""
    f = index_of(Y)
    edge, face = one.edge[index_of(X)], two.face[f]
    tail, head = carry(to_2, get3(one.vertex, edge.tail)), carry(to_2, get3(one.vertex, edge.head))
    low, high, N_low, N_high = 0.0, 1.0, np.int64(-1), np.int64(-1)
    outside = False
    for k in range(np.int64(face.first), np.int64(face.last)):
        e = np.int64(two.loop_edge[k])
        at_tail, at_head = beside(two, e, f, tail), beside(two, e, f, head)
        outside = outside or (at_tail < 0.0 and at_head < 0.0)
        low, high, N_low, N_high = clip(low, high, N_low, N_high, at_tail, at_head, feature(EDGE, e))
    w = head - tail
    if outside or low > high:
        return X, closest_side(two, f, tail, w), ON
    at_low, rise = above(two, f, tail, w, low)
    at_high, rise = above(two, f, tail, w, high)
    if at_low * at_high <= 0.0:
        return X, Y, MEET
    if at_low * rise >= 0.0:
        if N_low >= 0:
            return X, N_low, ON
        return feature(VERTEX, edge.tail), Y, ON
    if N_high >= 0:
        return X, N_high, ON
    return feature(VERTEX, edge.head), Y, ON


@routine
def closest_side(hulls, f, tail, w):
    """Edge or vertex around a face that is closest to an edge from ``tail`` along w."""
    face = hulls.face[f]
    best, least = np.int64(-1), 0.0
    for k in range(np.int64(face.first), np.int64(face.last)):
        e = np.int64(hulls.loop_edge[k])
        edge = hulls.edge[e]
        p, u = get3(hulls.vertex, edge.tail), along(hulls, e)
        s, t = closest_on_segments(p, u, tail, w)
        d = tail + w * t - p - u * s
        if best < 0 or d @ d < least:
            least = d @ d
            best = feature(EDGE, e)
            if s == 0.0:
                best = feature(VERTEX, edge.tail)
            elif s == 1.0:
                best = feature(VERTEX, edge.head)
    return best
