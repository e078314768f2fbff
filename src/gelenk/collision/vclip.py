"""Closest points of two hulls by V-Clip: a walk over pairs of features (H-63 to H-68, I-087, V-24).

The walk begins at the closest features of the last call, which are the same or neighbours if little moved, so that a
call costs next to nothing however many faces there are. Without them it begins at the vertices that look at each other
along the line of centres.

Loops. Nearly flat neighbours may send the walk round in circles by rounding. The walk depends on nothing but the pair,
so that a pair seen twice is a loop, whatever its period. The pair at the steps 1, 2, 4, 8, ... is kept to compare with
(R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20 (1980)). All pairs of the loop are then looked at
and the closest counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.vclip_depth import depth, guess_direction
from gelenk.collision.vclip_features import (
    EDGE,
    FACE,
    NONE,
    VERTEX,
    Motion,
    along,
    carry,
    climb,
    closest_on_segments,
    face_normal,
    feature,
    height,
    index_of,
    kind_of,
    share,
    vertex_of,
)
from gelenk.collision.vclip_steps import APART, MEET, ON, crossed_side, step
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

LOOP = 3  # how a walk can end besides APART and MEET: in a loop

# Below this share of the coordinates the difference of two points has no direction left that is worth anything.
TOUCHING = 1e-13
# Share of the coordinates by which hulls that touch are moved apart to see where: the root of the above and more.
APART_BY = 1e-6


class Closest(NamedTuple):
    """Closest points, or the deepest ones."""

    d: float  # signed distance [m]
    n: Vec3  # unit normal from A to B, world axes
    a: Vec3  # centre of A to its point, world axes; that of B is  a + d n - r  from its own centre
    X: int  # closest features
    Y: int
    steps: int  # pairs looked at
    end: int  # APART, MEET or LOOP


class Witness(NamedTuple):
    """Closest points of a pair of features, axes of hull 1."""

    d: float
    n: Vec3
    x: Vec3  # on hull 1
    clear: bool  # whether n is known, so that points that touch need no further look


@routine
def vclip(A, B, r, one, two, memory, trace):
    """Closest points of two hulls.

    Parameters
    ----------
    A, B : Solid
        Their places in the tables and their rotations count.
    r : Vec3
        Centre of A to centre of B, world axes [m].
    one, two : Hulls
        The tables of A and of B.
    memory : MEMORY
        Features of the last call, or NONE, replaced by those found; and faces near which the hulls overlap.
    trace : (m, 2) uint32
        Takes the first m pairs of the walk; no rows for none.
    """
    R = A.R.transposed().times(B.R)
    p = A.R.tdot(r)
    to_1, to_2 = Motion(A.table, R, p), Motion(B.table, R.transposed(), -R.tdot(p))
    pair = memory.features
    X, Y = np.int64(pair[0]), np.int64(pair[1])
    if pair[0] == NONE or pair[1] == NONE:
        X = feature(VERTEX, climb(one, np.int64(one.hull[A.table].vertex_first), to_1.p))
        Y = feature(VERTEX, climb(two, np.int64(two.hull[B.table].vertex_first), to_2.p))
    elif sunk(one, two, X, Y, to_1, to_2):
        deepest = depth(one, two, X, Y, to_1, to_2, memory)
        X, Y = deepest.X, deepest.Y
        if deepest.overlap >= 0.0:
            found = deepest_points(one, two, deepest, to_1, to_2, trace)
            pair[0], pair[1] = X, Y
            return Closest(found.d, A.R @ found.n, A.R @ found.x, X, Y, 1, MEET)
    X_last, Y_last = X, Y
    X, Y, steps, end = walk(one, two, X, Y, to_1, to_2, trace)
    found = witness(one, two, X, Y, to_1, to_2)
    touching = abs(found.d) <= TOUCHING * (found.x.norm() + p.norm())
    if (end == APART and not found.clear) or (end == LOOP and touching):
        end = MEET
    if end != APART:
        deepest = depth(one, two, X_last, Y_last, to_1, to_2, memory)
        if end == MEET or deepest.overlap >= 0.0:
            X, Y, end = deepest.X, deepest.Y, MEET
            found = deepest_points(one, two, deepest, to_1, to_2, trace)
    pair[0], pair[1] = X, Y
    return Closest(found.d, A.R @ found.n, A.R @ found.x, X, Y, steps, end)


@helper
def sunk(one, two, X, Y, to_1, to_2):
    """Whether a vertex lies below the face of its pair, or two edges beyond each other: the hulls seem to overlap."""
    kind_x, kind_y = kind_of(X), kind_of(Y)
    if kind_x == FACE:
        return height(one, index_of(X), carry(to_1, get3(two.vertex, vertex_of(two, Y)))) <= 0.0
    if kind_y == FACE:
        return height(two, index_of(Y), carry(to_2, get3(one.vertex, vertex_of(one, X)))) <= 0.0
    if kind_x == EDGE and kind_y == EDGE:
        x, y = get3(one.vertex, vertex_of(one, X)), carry(to_1, get3(two.vertex, vertex_of(two, Y)))
        return guess_direction(one, two, X, Y, to_1) @ (y - x) <= 0.0
    return False


@routine
def walk(one, two, X, Y, to_1, to_2, trace):
    """Step from pair to pair until none is closer; the pair, the number of pairs seen, and how it ended."""
    X_kept, Y_kept = X, Y
    keep_at, steps, end = 1, 0, ON
    while end == ON:
        if steps < trace.shape[0]:
            trace[steps, 0], trace[steps, 1] = X, Y
        X, Y, end = step(one, two, X, Y, to_1, to_2)
        steps += 1
        if end == ON:
            if (X_kept, Y_kept) == (X, Y):
                X, Y = closest_of_loop(one, two, X, Y, to_1, to_2)
                end = LOOP
            elif steps == keep_at:
                X_kept, Y_kept, keep_at = X, Y, 2 * keep_at
    return X, Y, steps, end


@routine
def closest_of_loop(one, two, X, Y, to_1, to_2):
    """Go round the loop once; the pair whose closest points are nearest to each other."""
    X_end, Y_end = X, Y
    X_best, Y_best, least = X, Y, abs(witness(one, two, X, Y, to_1, to_2).d)
    X, Y, _ = step(one, two, X, Y, to_1, to_2)
    while (X_end, Y_end) != (X, Y):
        d = abs(witness(one, two, X, Y, to_1, to_2).d)
        if d < least:
            X_best, Y_best, least = X, Y, d
        X, Y, _ = step(one, two, X, Y, to_1, to_2)
    return X_best, Y_best


@routine
def witness(one, two, X, Y, to_1, to_2):
    """Closest points of two features, by the rules of I-093.

    With a face n is that of the face, of two edges across both, of a vertex and an edge or two vertices along the
    shortest way.
    """
    kind_x, kind_y = kind_of(X), kind_of(Y)
    i, j = index_of(X), index_of(Y)
    if kind_x == FACE:
        y = carry(to_1, get3(two.vertex, vertex_of(two, Y)))
        n, s = face_normal(one, i), height(one, i, y)
        return Witness(s, n, y - n * s, True)
    x = get3(one.vertex, vertex_of(one, X))
    if kind_y == FACE:
        return Witness(height(two, j, carry(to_2, x)), -(to_1.R @ face_normal(two, j)), x, True)
    y = carry(to_1, get3(two.vertex, vertex_of(two, Y)))
    if kind_x == EDGE and kind_y == EDGE:
        return edges_witness(x, along(one, i), y, to_1.R @ along(two, j))
    if kind_x == EDGE:
        u = along(one, i)
        x = x + u * share(((y - x) @ u) / (u @ u), 0.0, 1.0)
    elif kind_y == EDGE:
        u = to_1.R @ along(two, j)
        y = y + u * share(((x - y) @ u) / (u @ u), 0.0, 1.0)
    return points_witness(x, y)


@helper
def points_witness(x, y):
    """The shortest way from x to y."""
    way = y - x
    d = way.norm()
    clear = d > TOUCHING * (x.norm() + y.norm())
    return Witness(d, way * (1.0 / d) if clear else Vec3(0.0, 0.0, 1.0), x, clear)


@helper
def edges_witness(p, u, q, w):
    """Of two edges: where both points lie inside,  n = u x w / |u x w|  keeps its digits when they touch."""
    s, t = closest_on_segments(p, u, q, w)
    x, y = p + u * s, q + w * t
    n = u.cross(w)
    size = n.norm()
    inside = 0.0 < s < 1.0 and 0.0 < t < 1.0 and size * size > 1e-12 * (u @ u) * (w @ w)
    found = points_witness(x, y)
    if inside and found.clear:
        n = n * (1.0 / size)
        d = (q - p) @ n
        return Witness(abs(d), n if d > 0.0 else -n, x, True)
    return found


@routine
def deepest_points(one, two, deepest, to_1, to_2, trace):
    """Points that touch once hull 2 is moved by the depth along n.

    They are those of the two features, unless faces or edges are parallel and have their common points elsewhere. Then
    the walk finds them, with hull 2 moved on by a little.
    """
    n, shift = deepest.n, deepest.n * deepest.overlap
    x = get3(one.vertex, vertex_of(one, deepest.X))
    y = carry(to_1, get3(two.vertex, vertex_of(two, deepest.Y))) + shift
    size = x.norm() + y.norm()
    if kind_of(deepest.X) == FACE:
        x = y
        good = crossed_side(one, index_of(deepest.X), y) < 0
    elif kind_of(deepest.Y) == FACE:
        good = crossed_side(two, index_of(deepest.Y), carry(to_2, x - shift)) < 0
    elif kind_of(deepest.X) == EDGE:
        u, w = along(one, index_of(deepest.X)), to_1.R @ along(two, index_of(deepest.Y))
        s, t = closest_on_segments(x, u, y, w)
        x = x + u * s
        good = (y + w * t - x).norm() < APART_BY * size
    else:
        good = False
    if not good:
        p = to_1.p + shift + n * (APART_BY * size)
        moved_1, moved_2 = Motion(to_1.table, to_1.R, p), Motion(to_2.table, to_2.R, -to_1.R.tdot(p))
        X, Y, _, _ = walk(one, two, deepest.X, deepest.Y, moved_1, moved_2, trace[:0])
        x = witness(one, two, X, Y, moved_1, moved_2).x
    return Witness(-deepest.overlap, n, x, True)
