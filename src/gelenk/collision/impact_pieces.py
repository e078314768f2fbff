"""Time of impact of any two solids: down the trees of their convex pieces, earliest nodes first (V-06).

    take the pair of nodes that can meet first, by conservative advancement of the solids around them
        two pieces: their exact time of impact, by :mod:`gelenk.collision.impact_time`
        else: the children of the larger one, each with the other
    until none can meet before the earliest impact found

So what is never late for two pieces is never late for the whole, and a long way costs only what lies on it.
Source of the search by trees: Tang, Kim and Manocha, C2A: controlled conservative advancement for continuous collision
detection of polygonal models, ICRA 2009.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.gjk import NOWHERE, gjk
from gelenk.collision.impact_coming import EVERY, coming_impact
from gelenk.collision.impact_time import GAP_SHARE, Impact, close_pair, default_gap, first_impact, free_time, no_impact
from gelenk.collision.motion import Motion, extent, make_mover, pose_after, speed_along
from gelenk.collision.piece_tree import child_item, children, is_void, piece_of, whole_item
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.sight import pair_distance
from gelenk.collision.solid import FIELD, PLANE, rounding
from gelenk.compile import helper, routine
from gelenk.math.rotation import rotation_exp
from gelenk.math.vec3 import Vec3

LOOSE = 0.05  # of the smaller of two nodes: nearer than this they count as met
FEW_LOOKS = 8  # at two nodes; then their children tell more
KEPT = 0.9  # part of a distance of nodes that is gone, so that its rounding does not matter
STACK = 4096  # 64 children at 7 levels of each of two fields; those of meshes and balls need less


class PairStack(NamedTuple):
    """Pairs of nodes still to be looked at, and before which time they do not meet."""

    item: np.ndarray  # (STACK, 2) int64
    bound: np.ndarray  # (STACK,) [s]
    found: np.ndarray  # (4, 3) the impact that was found, see :mod:`gelenk.collision.impact_rows`
    row: np.ndarray  # (1,) int64 address of the routine that finds it


def new_pair_stack() -> PairStack:
    """Scratch of one search."""
    return PairStack(np.zeros((STACK, 2), np.int64), np.zeros(STACK), np.zeros((4, 3)), np.zeros(1, np.int64))


@helper
def size_of(solid, tables):
    """Half of the diagonal of a solid, infinite for planes and fields."""
    if solid.kind == PLANE or solid.kind == FIELD:
        return math.inf
    if solid.kind < PLANE:
        return extent(solid, tables.hulls)
    b = solid_bounds(solid, tables)
    return 0.5 * Vec3(b.x_high - b.x, b.y_high - b.y, b.z_high - b.z).norm()


@routine
def pair_gap(A, B, gap, tables):
    """The gap given, or if it is not above 0 the default: ``GAP_SHARE`` of both sizes, or of twice the smaller one."""
    if gap > 0.0:
        return gap
    if A.kind <= PLANE and B.kind <= PLANE:
        return default_gap(A, B, tables.hulls)
    smaller = min(size_of(A, tables), size_of(B, tables))
    return 2.0 * GAP_SHARE * (smaller if smaller < math.inf else 1.0)


@helper
def with_piece(motion, g):
    """Motion of a piece of a solid, whose centre is g from that of the whole."""
    return Motion(motion.v, motion.w, motion.arm + g)


@routine
def node_time(A, B, r, t_end, loose, hulls, work):
    """Time before which two movers surely are not as near as ``loose``; infinite if that is after t_end."""
    t = free_time(A, B, r)
    A, B = close_pair(A, B, r, t_end)
    n = Vec3(0.0, 0.0, 0.0)
    work.near[0] = work.near[1] = NOWHERE
    for _ in range(FEW_LOOKS):
        if t > t_end:
            return math.inf
        solid_A, way_A, _ = pose_after(A.solid, A.motion, t)
        solid_B, way_B, _ = pose_after(B.solid, B.motion, t)
        way = r + (way_B - way_A)
        if solid_A.kind == PLANE or solid_B.kind == PLANE:
            d, n, _ = pair_distance(solid_A, solid_B, way, n, hulls, work)
        else:
            v, _, count, _ = gjk(solid_A, solid_B, way, n, hulls, work)
            size = v.norm()
            d = size - rounding(solid_A) - rounding(solid_B)
            if count == 4 or not d > 0.0:
                return t
            n = v * (1.0 / size)
        if d <= loose:
            return t
        mu = speed_along(A, n) + speed_along(B, -n)
        t = t + KEPT * d / mu if mu > 0.0 else math.inf
    return t if t <= t_end else math.inf


@routine
def pieces_meet(A, motion_A, item_A, B, motion_B, item_B, r, t_end, gap, counts, tables, work):
    """First impact of two pieces; its points are from the centres of the wholes."""
    piece_A, g_A = piece_of(A, tables, item_A)
    piece_B, g_B = piece_of(B, tables, item_B)
    mover_A = make_mover(piece_A, with_piece(motion_A, g_A), tables.hulls)
    mover_B = make_mover(piece_B, with_piece(motion_B, g_B), tables.hulls)
    way = r + g_B - g_A
    if counts == EVERY:
        found = first_impact(mover_A, mover_B, way, t_end, gap, tables.hulls, work)
    else:
        found = coming_impact(A, mover_A, item_A, B, mover_B, item_B, way, t_end, gap, counts, tables, work)
    if found.t == math.inf:
        return found
    a, b = found.a + rotation_exp(motion_A.w * found.t) @ g_A, found.b + rotation_exp(motion_B.w * found.t) @ g_B
    return Impact(found.t, found.d, found.n, a, b)


@routine
def nodes_meet(A, motion_A, item_A, B, motion_B, item_B, r, t_end, gap, tables, work):
    """Time before which nothing below two nodes meets; infinite if that is after t_end."""
    node_A, g_A = piece_of(A, tables, item_A)
    node_B, g_B = piece_of(B, tables, item_B)
    if is_void(node_A) or is_void(node_B):
        return math.inf
    mover_A = make_mover(node_A, with_piece(motion_A, g_A), tables.hulls)
    mover_B = make_mover(node_B, with_piece(motion_B, g_B), tables.hulls)
    loose = max(gap, LOOSE * min(extent(node_A, tables.hulls), extent(node_B, tables.hulls)))
    return node_time(mover_A, mover_B, r + g_B - g_A, t_end, loose, tables.hulls, work)


@routine
def put_pair(stack, low, top, item_A, item_B, bound):
    """Put a pair of nodes on the stack above ``low``, the earliest on top; returns the new height."""
    k = top
    while k > low and stack.bound[k - 1] < bound:
        stack.item[k, 0], stack.item[k, 1] = stack.item[k - 1, 0], stack.item[k - 1, 1]
        stack.bound[k] = stack.bound[k - 1]
        k -= 1
    stack.item[k, 0], stack.item[k, 1], stack.bound[k] = item_A, item_B, bound
    return top + 1


@helper
def extent_of_node(solid, tables, item):
    """Size of a node, for the choice which one to split."""
    return extent(piece_of(solid, tables, item)[0], tables.hulls)


@routine
def impact_of_pieces(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):
    """First impact until t_end of two solids of any kinds but maps; t infinite: none.

    r: centre of A to centre of B at t = 0; gap [m], or 0 for that of ``pair_gap``; counts: which contacts are impacts,
    see :mod:`gelenk.collision.impact_coming`. Surfaces are their triangles alone, without what is inside. Times and
    distances as of :func:`gelenk.collision.impact_time.impact_time`. ``work``: a ConvexWork.
    """
    gap = pair_gap(A, B, gap, tables)
    best = no_impact()
    stack.item[0, 0], stack.item[0, 1], stack.bound[0] = whole_item(A, tables), whole_item(B, tables), 0.0
    top = 1
    while top > 0:
        top -= 1
        item_A, item_B, bound = stack.item[top, 0], stack.item[top, 1], stack.bound[top]
        if bound > best.t:
            continue
        count_A, count_B = children(A, tables, item_A), children(B, tables, item_B)
        if count_A == 0 and count_B == 0:
            limit = min(t_end, best.t)
            found = pieces_meet(A, motion_A, item_A, B, motion_B, item_B, r, limit, gap, counts, tables, work)
            if found.t < best.t or (found.t == best.t and found.d < best.d):
                best = found
            continue
        of_A = count_B == 0
        if count_A > 0 and count_B > 0:
            of_A = extent_of_node(A, tables, item_A) >= extent_of_node(B, tables, item_B)
        low = top
        for k in range(count_A if of_A else count_B):
            i = child_item(A, tables, item_A, k) if of_A else item_A
            j = item_B if of_A else child_item(B, tables, item_B, k)
            bound = nodes_meet(A, motion_A, i, B, motion_B, j, r, min(t_end, best.t), gap, tables, work)
            if bound < math.inf:
                top = put_pair(stack, low, top, i, j, bound)
    return best
