"""Which of many moving pairs meets first: a heap of conservative impact times (V-06, H-62).

    fill the heap with a bound for each candidate pair: balls around both, no distance; never, if they cannot meet
    take the pair with the earliest bound, and measure it there
        nearer than the gap and coming together: this is the first impact of all
        else: put it back with its next bound

Every pair is advanced only as far as the first impact needs it. After an impact was treated the bodies have new
velocities, and all their pairs start again from that time.
Source: virtual-worlds 4.25; Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis, Berkeley 1996.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.gjk import NOWHERE
from gelenk.collision.impact_time import (
    MOST_ADVANCES,
    close_pair,
    free_time,
    impact_at,
    no_impact,
    usable_gap,
)
from gelenk.collision.motion import speed_along
from gelenk.collision.safe_time import safe_time
from gelenk.collision.sight import approach_speed, look
from gelenk.collision.swept_solids import centre_way, get_mover
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3


class ImpactQueue(NamedTuple):
    """Pairs in a heap: the parent of place k is (k - 1) // 2 and never later than it."""

    pair: np.ndarray  # (m, 2) uint32 elements A and B
    bound: np.ndarray  # (m,) until then they surely do not meet [s]
    heap: np.ndarray  # (m,) uint32 pairs
    place: np.ndarray  # (m,) uint32 where a pair is in the heap
    looks: np.ndarray  # (m,) uint32 how often it was measured
    guess: np.ndarray  # (m, 3) last normal
    near: np.ndarray  # (m, 2) uint32 last vertices of hulls
    filled: np.ndarray  # (2,) int64 pairs in the heap; pairs that found no space


def new_impact_queue(most: int) -> ImpactQueue:
    """Space for at most so many pairs."""
    m = check_count("impact queue", "most", most, least=1, most=2**31)
    whole = [np.zeros(m, np.uint32) for _ in range(3)]
    heap, place, looks = whole
    pair, near = np.zeros((m, 2), np.uint32), np.full((m, 2), NOWHERE, np.uint32)
    return ImpactQueue(pair, np.zeros(m), heap, place, looks, np.zeros((m, 3)), near, np.zeros(2, np.int64))


# --- the heap ---------------------------------------------------------------------------------------------------------


@routine
def free_until(solids, i, j, t):
    """Time, not before t, until which i and j surely do not meet, by balls around them (H-62, H-74)."""
    A, B = get_mover(solids, i), get_mover(solids, j)
    # both at the time t: the balls go straight on, and a plane has no turn where this counts
    r = centre_way(solids, i, j) + B.motion.v * (t - solids.t[j]) - A.motion.v * (t - solids.t[i])
    return t + free_time(A, B, r)


@helper
def is_before(queue, k, j):
    """Whether pair k comes before pair j; of equal times the smaller number."""
    return queue.bound[k] < queue.bound[j] or (queue.bound[k] == queue.bound[j] and k < j)


@helper
def put_at(queue, at, k):
    """Put pair k at a place of the heap."""
    queue.heap[at] = k
    queue.place[k] = at


@routine
def move_in_heap(queue, k):
    """Bring pair k to its place after its bound has changed, up or down."""
    count, at = queue.filled[0], np.int64(queue.place[k])
    while at > 0:
        parent = np.int64(queue.heap[(at - 1) // 2])
        if not is_before(queue, k, parent):
            break
        put_at(queue, at, parent)
        at = (at - 1) // 2
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and is_before(queue, np.int64(queue.heap[below + 1]), np.int64(queue.heap[below])):
            below += 1
        child = np.int64(queue.heap[below])
        if not is_before(queue, child, k):
            break
        put_at(queue, at, child)
        at = below
    put_at(queue, at, k)


@routine
def put_pairs(queue, solids, pairs, pair_count, t, t_end):
    """Fill the heap with candidates; how many of them can meet between t and t_end at all (H-62).

    The others stay in it behind these, for they may meet once a body gets another motion, and cost no distance. Pairs
    that find no space are counted in ``queue.filled[1]``, and as if they could meet.
    """
    count = min(pair_count, queue.heap.shape[0])
    queue.filled[0], queue.filled[1] = 0, pair_count - count
    likely = pair_count - count
    for k in range(count):
        i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        queue.pair[k, 0], queue.pair[k, 1] = i, j
        put3(queue.guess, k, Vec3(0.0, 0.0, 0.0))
        queue.near[k, 0] = queue.near[k, 1] = NOWHERE
        queue.filled[0] = k + 1
        put_at(queue, k, k)
        start_pair(queue, k, free_until(solids, i, j, t))
        likely += 1 if queue.bound[k] <= t_end else 0
    return likely


@helper
def start_pair(queue, k, bound):
    """Give pair k a new bound and no looks yet."""
    queue.bound[k] = bound
    queue.looks[k] = 0
    move_in_heap(queue, k)


@routine
def start_again(queue, solids, i, t):
    """Estimate all pairs of element i anew from the time t, at which it got another motion (V-06)."""
    for k in range(queue.filled[0]):
        if queue.pair[k, 0] == i or queue.pair[k, 1] == i:
            other_i, other_j = np.int64(queue.pair[k, 0]), np.int64(queue.pair[k, 1])
            start_pair(queue, k, free_until(solids, other_i, other_j, t))


# --- the search ------------------------------------------------------------------------------------------------------


@routine
def look_at_pair(queue, solids, k, t_end, gap, hulls, work):
    """Measure pair k at its bound: whether it meets then, how, and else the next bound."""
    i, j, t = np.int64(queue.pair[k, 0]), np.int64(queue.pair[k, 1]), queue.bound[k]
    t_A, t_B = t - solids.t[i], t - solids.t[j]
    r = centre_way(solids, i, j)
    A, B = close_pair(get_mover(solids, i), get_mover(solids, j), r, t_end - min(solids.t[i], solids.t[j]))
    gap = usable_gap(A, B, r, max(t_A, t_B), gap, hulls)
    work.near[0], work.near[1] = queue.near[k, 0], queue.near[k, 1]
    sight = look(A, B, r, t_A, t_B, get3(queue.guess, k), hulls, work)
    near = sight.d <= gap
    queue.looks[k] += 1
    if (near and approach_speed(A, B, sight) > 0.0) or queue.looks[k] == MOST_ADVANCES:
        return True, impact_at(t, sight), t
    free = safe_time(A, B, sight, gap, t_end - t, hulls, work) if sight.d > 0.0 else 0.0
    mu = speed_along(A, sight.n) + speed_along(B, -sight.n)
    if near and free * mu < gap:  # touching and moving apart: for so long depth cannot grow by more than the gap
        free = gap / mu if mu > 0.0 else math.inf
    put3(queue.guess, k, sight.n)
    queue.near[k, 0], queue.near[k, 1] = work.near[0], work.near[1]
    return False, no_impact(), t + free if free < t_end - t else math.inf


@routine
def next_impact(queue, solids, t_end, gap, tables, work):
    """First pair of all that meets until t_end, and how; -1 if there is none.

    A pair meets where it is no farther apart than the gap [m] (0: the default of the pair) and its nearest points come
    together. Pairs that touch and move apart are left alone until they do not, and then noticed within a gap of it.
    The pair stays first in the heap. To go on: ``bring_to`` the time of the impact the elements that it changes, set
    their motion, call ``set_room`` and ``start_again`` for them, or ``leave`` the pair. ``work``: a ConvexWork.
    """
    while queue.filled[0] > 0:
        k = np.int64(queue.heap[0])
        if queue.bound[k] > t_end:
            break
        meets, impact, bound = look_at_pair(queue, solids, k, t_end, gap, tables.hulls, work)
        if meets:
            return k, impact
        queue.bound[k] = bound
        move_in_heap(queue, k)
    return np.int64(-1), no_impact()


@helper
def leave(queue, k):
    """Take no further notice of pair k until one of its bodies gets a new motion."""
    start_pair(queue, k, math.inf)
