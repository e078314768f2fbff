"""What a broad phase does (V-10): from the boxes of all elements to the pairs that the narrow phase looks at.

A phase is a block that remembers something of the last step to be faster in the next. What it finds follows from boxes
and filter alone, so every phase finds the same, in the same order, and one may take the place of another at any time.
The same boxes may be given to several phases with filters of their own (V-31).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.pair_filter import present
from gelenk.compile import generic, helper, routine

NONE = np.uint32(0xFFFFFFFF)  # no element, no node


@generic
def update(phase, boxes, filter_):
    """Take up where the elements are now, which came and which went. ``find_pairs`` does this itself."""


@generic
def find_pairs(phase, boxes, filter_, pairs_out):
    """Find all allowed pairs whose boxes meet, each once, i < j, sorted by i, then by j. Returns their number.

    If that is more than there is space for, the pairs are not to be used: enlarge the space and call again.
    """


@generic
def find_in_box(phase, boxes, filter_, box, mask, found_out):
    """Find the elements in groups of ``mask`` that meet a box (a value), in rising order (V-30). Returns their number.

    The phase is as of its last update. If the number is more than there is space for, ask again with more.
    """


def be_phase(
    block: type, follow: Callable[..., None], search: Callable[..., int], search_box: Callable[..., int]
) -> None:
    """Let a block be a broad phase that first takes up where the elements are and then finds the pairs.

    Parameters
    ----------
    follow : does what :func:`update` asks for
    search : finds the pairs as of then, see :func:`find_pairs`
    search_box : see :func:`find_in_box`
    """

    @update.register(block)
    def _(phase, boxes, filter_):
        follow(phase, boxes, filter_)

    @find_pairs.register(block)
    def _(phase, boxes, filter_, pairs_out):
        follow(phase, boxes, filter_)
        return search(phase, boxes, filter_, pairs_out)

    @find_in_box.register(block)
    def _(phase, boxes, filter_, box, mask, found_out):
        return search_box(phase, boxes, filter_, box, mask, found_out)


class BroadPairs(NamedTuple):
    """Space for pairs. Those of element i, with partners above i, are rows first[i] up to first[i + 1]."""

    pair: np.ndarray  # (capacity, 2) uint32
    scratch: np.ndarray  # (capacity, 2) uint32
    first: np.ndarray  # (n + 1,) uint32


def new_pairs(count: int, capacity: int | None = None) -> BroadPairs:
    """Space for the pairs of ``count`` elements; eight for each unless told, as in a dense pile."""
    count = check_count("pairs", "count", count, least=1, most=2**31)
    room = 8 * count + 64 if capacity is None else check_count("pairs", "capacity", capacity, least=0, most=2**32 - 1)
    pair = np.zeros((room, 2), dtype=np.uint32)
    return BroadPairs(pair, np.zeros_like(pair), np.zeros(count + 1, dtype=np.uint32))


@helper
def put_pair(pairs, count, i, j):
    """Add a pair if there is space; returns the number of pairs met so far."""
    if count < pairs.pair.shape[0]:
        pairs.pair[count, 0], pairs.pair[count, 1] = min(i, j), max(i, j)
    return count + 1


@routine
def sort_pairs(pairs, count):
    """Sort by i, then by j: two passes of counting sort, the second of which keeps the order of the first."""
    if count > pairs.pair.shape[0]:
        return
    counting_pass(pairs.pair, pairs.scratch, pairs.first, count, 1)
    counting_pass(pairs.scratch, pairs.pair, pairs.first, count, 0)
    for i in range(pairs.first.shape[0] - 1, 0, -1):  # each place now is where the next one begins
        pairs.first[i] = pairs.first[i - 1]
    pairs.first[0] = 0


@helper
def counting_pass(source, target, place, count, column):
    """Stable sort of ``count`` rows by a column of numbers below len(place) - 1."""
    for i in range(place.shape[0]):
        place[i] = 0
    for k in range(count):
        place[source[k, column] + 1] += 1
    for i in range(1, place.shape[0]):
        place[i] += place[i - 1]
    for k in range(count):
        key = source[k, column]
        at = place[key]
        place[key] = at + 1
        target[at, 0], target[at, 1] = source[k, 0], source[k, 1]


@helper
def put_found(found, count, i):
    """Add an element if there is space; returns the number met so far."""
    if count < found.shape[0]:
        found[count] = i
    return count + 1


@routine
def look_at_all(phase, boxes, filter_, box, mask, found):
    """Query without a structure: every element is compared."""
    count = 0
    for i in range(boxes.shape[0]):
        if filter_.element[i].group & mask != 0 and present(filter_, boxes, i) and box.meets(get_box(boxes, i)):
            count = put_found(found, count, i)
    return count


@routine
def sort_found(found, count):
    """Sort the first ``count`` numbers in place (heap sort); nothing if they did not find space."""
    if count > found.shape[0]:
        return
    for start in range(count // 2 - 1, -1, -1):
        sift(found, start, count)
    for last in range(count - 1, 0, -1):
        found[0], found[last] = found[last], found[0]
        sift(found, 0, last)


@helper
def sift(heap, start, count):
    """Let an entry sink below all larger ones."""
    at = start
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and heap[child + 1] > heap[child]:
            child += 1
        if heap[at] >= heap[child]:
            break
        heap[at], heap[child] = heap[child], heap[at]
        at = child
