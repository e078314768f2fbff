"""Broad phase by sweep-and-prune along three axes (V-16): the pairs that meet are kept, and changed by events alone.

For each axis there is a list of the low and high ends of all boxes, sorted by place, low ends before high ends in the
same place, since boxes are closed. From step to step insertion sort puts the ends in order again. Where a low end comes
before a high end of another, the two begin to overlap along this axis, and where a high end comes before a low end they
cease to. A pair meets if it overlaps along all three:

    begins along one axis: put it into the set if it overlaps now along the two others
    ceases along one axis: take it out

Each two ends change places once at most, and both rules look at where boxes are now, so after the third axis the set is
right. Two elements at rest are not in it; who begins or ceases to move, comes or goes is taken out and put in anew.

Source: virtual-worlds 4.11; J. Cohen, M. Lin, D. Manocha, M. Ponamgi, I-Collide (1995). There a table of n x n flags
says along which axes a pair overlaps; here four comparisons of boxes say so, as in D. Baraff's version (1992). Along
one axis alone n boxes in a cube have n^(5/3) overlaps: 2 10^8 pairs for 100 000, of which a few 10^5 meet.
If the lists are much out of order, as at the start, all is built anew by merge sort and a sweep along one axis; if more
pairs meet than there is space for, the sweep finds them in each step. In large flat or long scenes it is slow, since
many ends lie together along the short axes and pass each other in each step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, allowed, present
from gelenk.collision.broad.pair_set import PairSet, empty_set, new_pair_set, put_into_set, take_from_set
from gelenk.collision.broad.phase import be_phase, look_at_all, put_pair, sort_pairs
from gelenk.collision.broad.sweep import Sweep, merge_sort, new_sweep, put_in_order, sweep_along
from gelenk.compile import helper, routine

SWAPS = 64  # changes of place of an end on average beyond which all is built anew
HIGH = 1  # bit of a tag

# entries of SweepAxes.state
ENDS, BUILDS = 0, 1


class SweepAxes(NamedTuple):
    """A tag is twice the number of an element, plus one for its high end."""

    place: np.ndarray  # (3, 2 n) ends in order [m]
    tag: np.ndarray  # (3, 2 n) uint32 whose they are
    role: np.ndarray  # (n,) uint8 as which an element is in the lists
    meet: PairSet  # pairs that meet, one of which moves at least
    once: Sweep  # to build all anew
    place_scratch: np.ndarray  # (2 n,)
    tag_scratch: np.ndarray  # (2 n,) uint32
    state: np.ndarray  # (2,) int64 ends in each list; times built


def new_sweep_axes(count: int, capacity: int | None = None) -> SweepAxes:
    """Make the phase for ``count`` elements, with space for so many pairs that meet, sixteen for each unless told."""
    n = check_count("sweep along three axes", "count", count, least=1, most=2**26)
    room = (
        16 * n if capacity is None else check_count("sweep along three axes", "capacity", capacity, least=1, most=2**30)
    )
    return SweepAxes(
        np.zeros((3, 2 * n)),
        np.zeros((3, 2 * n), dtype=np.uint32),
        np.zeros(n, dtype=np.uint8),
        new_pair_set(room),
        new_sweep(n),
        np.zeros(2 * n),
        np.zeros(2 * n, dtype=np.uint32),
        np.zeros(2, dtype=np.int64),
    )


@helper
def search_axes(phase, boxes, filter_, pairs):
    """Pairs of the set, or those of a sweep along one axis where the set had no space."""
    if phase.meet.state[1] == 1:
        put_in_order(phase.once, boxes, filter_)
        return sweep_along(phase.once, boxes, filter_, pairs)
    return allowed_of_set(phase.meet, filter_, pairs)


@routine
def allowed_of_set(meet, filter_, pairs):
    """Pairs that meet and that the filter lets pass."""
    count = 0
    for k in range(meet.state[0]):
        if allowed(filter_, meet.member[k, 0], meet.member[k, 1]):
            count = put_pair(pairs, count, meet.member[k, 0], meet.member[k, 1])
    sort_pairs(pairs, count)
    return count


@routine
def follow_along_axes(axes, boxes, filter_):
    """Drop who went, append who came, sort each list; build anew if that is too much or the set had no space."""
    drop_gone(axes, boxes, filter_)
    append_new(axes, boxes, filter_)
    swaps = SWAPS * axes.state[ENDS]
    for axis in range(3):
        if swaps >= 0 and axes.meet.state[1] == 0:
            swaps = sort_ends(axes, boxes, filter_, axis, swaps)
    if swaps < 0 or axes.meet.state[1] == 1:
        build_axes(axes, boxes, filter_)


@helper
def role_now(boxes, filter_, i):
    """Role of an element, ABSENT if its box is none."""
    return filter_.element[i].role if present(filter_, boxes, i) else np.uint32(ABSENT)


@routine
def drop_gone(axes, boxes, filter_):
    """Take out who is absent now or has another role: out of the set, then out of the lists."""
    gone = 0
    for i in range(boxes.shape[0]):
        if axes.role[i] != ABSENT and axes.role[i] != role_now(boxes, filter_, i):
            axes.role[i] = ABSENT
            gone += 1
    if gone == 0:
        return
    for k in range(axes.meet.state[0] - 1, -1, -1):  # from the end: the last takes the place of one taken out
        i, j = axes.meet.member[k, 0], axes.meet.member[k, 1]
        if axes.role[i] == ABSENT or axes.role[j] == ABSENT:
            take_from_set(axes.meet, i, j)
    for axis in range(3):
        count, tag = 0, axes.tag[axis]
        for k in range(axes.state[ENDS]):
            if axes.role[tag[k] >> 1] != ABSENT:
                tag[count] = tag[k]
                count += 1
    axes.state[ENDS] -= 2 * gone


@routine
def append_new(axes, boxes, filter_):
    """Append both ends of who came to all lists, then note in these where all ends are now."""
    count = axes.state[ENDS]
    for i in range(boxes.shape[0]):
        if axes.role[i] == ABSENT and present(filter_, boxes, i):
            axes.role[i] = filter_.element[i].role
            for axis in range(3):
                axes.tag[axis, count], axes.tag[axis, count + 1] = 2 * i, 2 * i + HIGH
            count += 2
    axes.state[ENDS] = count
    for axis in range(3):
        tag, place = axes.tag[axis], axes.place[axis]
        for k in range(count):
            place[k] = boxes[tag[k] >> 1, axis + 3 * (tag[k] & HIGH)]


@routine
def sort_ends(axes, boxes, filter_, axis, swaps):
    """Insertion sort of the ends along an axis with its events. Returns the swaps left; below zero if it gave up."""
    place, tag = axes.place[axis], axes.tag[axis]
    for k in range(1, axes.state[ENDS]):
        x, t, at = place[k], tag[k], k
        while at > 0 and (place[at - 1] > x or (place[at - 1] == x and (tag[at - 1] & HIGH) > (t & HIGH))):
            place[at], tag[at] = place[at - 1], tag[at - 1]
            if (t ^ tag[at]) & HIGH == 1:
                event(axes, boxes, t, tag[at])
            at -= 1
        place[at], tag[at] = x, t
        swaps -= k - at
        if swaps < 0:
            break
    return swaps


@helper
def event(axes, boxes, t, passed):
    """An end t came before another one of the other kind: a pair may begin to meet, or has ceased to."""
    i, j = t >> 1, passed >> 1
    if axes.role[i] != MOVING and axes.role[j] != MOVING:
        return
    if t & HIGH == 1:
        take_from_set(axes.meet, i, j)
    elif i != j and get_box(boxes, i).meets(get_box(boxes, j)):
        put_into_set(axes.meet, i, j)


@routine
def build_axes(axes, boxes, filter_):
    """Sort all ends from scratch and fill the set by a sweep along one axis."""
    count = axes.state[ENDS]
    axes.state[BUILDS] += 1
    for axis in range(3):
        place, tag = axes.place[axis], axes.tag[axis]
        lows = 0
        for high in range(2):  # low ends first: the sort keeps them before high ends in the same place
            for i in range(boxes.shape[0]):
                if axes.role[i] != ABSENT:
                    place[lows], tag[lows] = boxes[i, axis + 3 * high], 2 * i + high
                    lows += 1
        merge_sort(place, tag, axes.place_scratch, axes.tag_scratch, count)
    empty_set(axes.meet)
    fill_set(axes, boxes)


@routine
def fill_set(axes, boxes):
    """Pairs that meet, by the low ends along the axis with the fewest overlaps: each with those until its high end."""
    axis = fewest_overlaps(axes)
    tag = axes.tag[axis]
    for k in range(axes.state[ENDS]):
        if tag[k] & HIGH == 1:
            continue
        i, box, m = tag[k] >> 1, get_box(boxes, tag[k] >> 1), k + 1
        while tag[m] >> 1 != i:
            j = tag[m] >> 1
            if (
                tag[m] & HIGH == 0
                and box.meets(get_box(boxes, j))
                and (axes.role[i] == MOVING or axes.role[j] == MOVING)
            ):
                put_into_set(axes.meet, i, j)
            m += 1
        if axes.meet.state[1] == 1:
            return


@helper
def fewest_overlaps(axes):
    """Axis along which the fewest boxes overlap: how many are open at each low end, summed."""
    best, fewest = 0, -1
    for axis in range(3):
        opened, overlaps, tag = 0, 0, axes.tag[axis]
        for k in range(axes.state[ENDS]):
            if tag[k] & HIGH == 1:
                opened -= 1
            else:
                overlaps += opened
                opened += 1
        if fewest < 0 or overlaps < fewest:
            best, fewest = axis, overlaps
    return best


be_phase(SweepAxes, follow_along_axes, search_axes, look_at_all)
