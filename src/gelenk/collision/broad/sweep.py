"""Broad phase by sweep-and-prune along one axis (V-15, I-090).

Elements stand in the order of their low ends along the axis on which they are spread most. Each is compared with those
after it as long as these begin before it ends. From step to step the order hardly changes, so insertion sort takes a
time near n; if it has much to do, as at the start, merge sort takes over.

Source: virtual-worlds 4.11; D. Baraff, Dynamic simulation of non-penetrating rigid bodies (1992), on coherent sorting.
The sweep itself compares about n^(5/3) boxes if n equal ones fill a cube, so it is for small scenes and for long ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.pair_filter import allowed, present
from gelenk.collision.broad.phase import be_phase, look_at_all, put_pair, sort_pairs
from gelenk.compile import helper, routine

SHIFTS = 8  # moves an element that insertion sort may need; merge sort makes about log2 n of them
KEEP_AXIS = 1.5  # a new axis must have so many times the variance of the old one, lest the order is lost too often

FAR = 1e100  # [m]; sums of squares of less are numbers still

# entries of Sweep.state
COUNT, AXIS, FULL_SORTS = 0, 1, 2


class Sweep(NamedTuple):
    """The order of the last step."""

    order: np.ndarray  # (n,) uint32 elements by rising low end
    key: np.ndarray  # (n,) low ends in that order [m]
    listed: np.ndarray  # (n,) uint8 whether an element stands in the order
    box: np.ndarray  # (n, 5) in that order: high end, then low and high ends along the other axes [m]
    order_scratch: np.ndarray  # (n,) uint32
    key_scratch: np.ndarray  # (n,)
    state: np.ndarray  # (3,) int64 elements in the order; axis; merge sorts so far


def new_sweep(count: int) -> Sweep:
    """Make the phase for ``count`` elements."""
    n = check_count("sweep", "count", count, least=1, most=2**31)
    order, key = np.zeros(n, dtype=np.uint32), np.zeros(n)
    listed = np.zeros(n, dtype=np.uint8)
    return Sweep(
        order, key, listed, np.zeros((n, 5)), np.zeros_like(order), np.zeros_like(key), np.zeros(3, dtype=np.int64)
    )


@routine
def put_in_order(sweep, boxes, filter_):
    """Drop who went, append who came, choose the axis, sort."""
    count = 0
    for k in range(sweep.state[COUNT]):
        i = sweep.order[k]
        if present(filter_, boxes, i):
            sweep.order[count] = i
            count += 1
        else:
            sweep.listed[i] = 0
    for i in range(boxes.shape[0]):
        if sweep.listed[i] == 0 and present(filter_, boxes, i):
            sweep.order[count] = i
            sweep.listed[i] = 1
            count += 1
    axis = widest_axis(boxes, sweep.order, count, sweep.state[AXIS])
    for k in range(count):
        sweep.key[k] = boxes[sweep.order[k], axis]
    if not insertion_sort(sweep.key, sweep.order, count, SHIFTS * count):
        merge_sort(sweep.key, sweep.order, sweep.key_scratch, sweep.order_scratch, count)
        sweep.state[FULL_SORTS] += 1
    sweep.state[COUNT], sweep.state[AXIS] = count, axis


@routine
def sweep_along(sweep, boxes, filter_, pairs):
    """Compare each with those that begin before it ends."""
    axis, found, last = sweep.state[AXIS], 0, sweep.state[COUNT]
    u, v = (axis + 1) % 3, (axis + 2) % 3
    key, box, near = sweep.key, sweep.box, sweep.order_scratch
    for k in range(last):
        i = sweep.order[k]
        box[k, 0] = boxes[i, axis + 3]
        box[k, 1], box[k, 2], box[k, 3], box[k, 4] = boxes[i, u], boxes[i, u + 3], boxes[i, v], boxes[i, v + 3]
    for k in range(last):
        i, end = sweep.order[k], box[k, 0]
        u_low, u_high, v_low, v_high = box[k, 1], box[k, 2], box[k, 3], box[k, 4]
        hits = 0
        for m in range(k + 1, last):
            if key[m] > end:
                break
            # Whether boxes meet is chance, and a wrong guess costs the processor more than the test: note each partner
            # and go on to the next place only if it is one.
            near[hits] = sweep.order[m]
            hits += (u_low <= box[m, 2]) & (box[m, 1] <= u_high) & (v_low <= box[m, 4]) & (box[m, 3] <= v_high)
        for h in range(hits):
            if allowed(filter_, i, near[h]):
                found = put_pair(pairs, found, i, near[h])
    sort_pairs(pairs, found)
    return found


@routine
def widest_axis(boxes, order, count, axis):
    """Axis along which the centres vary most, the present one if it is not much worse."""
    x = centre_variance(boxes, order, count, 0) * (KEEP_AXIS if axis == 0 else 1.0)
    y = centre_variance(boxes, order, count, 1) * (KEEP_AXIS if axis == 1 else 1.0)
    z = centre_variance(boxes, order, count, 2) * (KEEP_AXIS if axis == 2 else 1.0)
    most = max(x, y, z)
    if (most == x and axis == 0) or (most == y and axis == 1) or (most == z and axis == 2):
        return axis
    return 0 if most == x else 1 if most == y else 2


@helper
def centre_variance(boxes, order, count, axis):
    """Variance of the centres along an axis [m^2]; boxes that reach beyond FAR do not count.

    Sums run over the way from some centre, the middle one in the order, lest they cancel far from the origin.
    """
    first, second, n, zero = 0.0, 0.0, 0, 0.0
    for k in range(count // 2, count):
        low, high = boxes[order[k], axis], boxes[order[k], axis + 3]
        if low > -FAR and high < FAR:
            zero = 0.5 * (low + high)
            break
    for k in range(count):
        low, high = boxes[order[k], axis], boxes[order[k], axis + 3]
        if low > -FAR and high < FAR:
            way = 0.5 * (low + high) - zero
            first += way
            second += way * way
            n += 1
    n = max(n, 1)
    return second / n - (first / n) ** 2


@routine
def insertion_sort(key, order, count, most_shifts):
    """Sort keys and order by rising key; false if that needs more than so many shifts, then half done."""
    shifts = 0
    for k in range(1, count):
        x, i, at = key[k], order[k], k
        while at > 0 and key[at - 1] > x:
            key[at], order[at] = key[at - 1], order[at - 1]
            at -= 1
        key[at], order[at] = x, i
        shifts += k - at
        if shifts > most_shifts:
            return False
    return True


@routine
def merge_sort(key, order, key_scratch, order_scratch, count):
    """Sort keys and order by rising key, bottom up; stable, n log n always."""
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            merge(
                key, order, key_scratch, order_scratch, start, min(start + width, count), min(start + 2 * width, count)
            )
        for k in range(count):
            key[k], order[k] = key_scratch[k], order_scratch[k]
        width *= 2


@helper
def merge(key, order, key_out, order_out, start, middle, end):
    """Merge the sorted runs from start and from middle."""
    a, b = start, middle
    for k in range(start, end):
        if a < middle and (b >= end or key[a] <= key[b]):
            key_out[k], order_out[k] = key[a], order[a]
            a += 1
        else:
            key_out[k], order_out[k] = key[b], order[b]
            b += 1


be_phase(Sweep, put_in_order, sweep_along, look_at_all)
