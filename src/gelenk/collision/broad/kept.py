"""Broad phase that keeps its pairs while little moves: candidates of boxes grown by a skin, found now and then.

The pairs of grown boxes hold all pairs of the boxes themselves as long as each box stays within its grown one. So in
most steps of a scene that rests or creeps only the kept candidates are compared, by their boxes as they are now. What
is found does not depend on the skin. Lists that do not last get a wider skin; if that does not help, because something
is fast, the phase below is asked directly for a while.

Source: L. Verlet, Computer "experiments" on classical fluids I (1967), for boxes instead of particles.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.pair_filter import ABSENT, IN_PAIRS, MOVING
from gelenk.collision.broad.phase import BroadPairs, find_in_box, find_pairs, new_pairs, update
from gelenk.compile import helper, routine

NARROW, WIDE = 0.01, 0.2  # skin of a box, of its least extent
SHORT, LONG = 4, 64  # steps a list lasts: less asks for a wider skin, more for a narrower one
PAUSE = 32  # steps without lists when they do not last
ROOM = 32  # candidates an element has space for

KEPT = np.dtype(
    [
        ("count", "i8"),  # candidates, -1 if there is no list
        ("lasted", "i8"),  # steps the list has served
        ("pause", "i8"),  # steps to go without one
        ("skin", "f8"),  # of the least extent of a box
    ]
)


class KeptPairs(NamedTuple):
    """A phase and the candidates that it found last."""

    below: Any  # the phase that finds them
    grown: np.ndarray  # (n, 6) boxes of which the candidates are the pairs [m]
    element: np.ndarray  # (n,) IN_PAIRS the filter at that time
    candidates: BroadPairs
    tally: np.ndarray  # (1,) KEPT


def new_kept(below: Any, count: int) -> KeptPairs:
    """Keep the pairs of a phase for ``count`` elements."""
    tally = np.zeros(1, KEPT).view(np.recarray)
    tally.count, tally.skin = -1, 0.04
    return KeptPairs(
        below, np.zeros((count, 6)), np.zeros(count, IN_PAIRS).view(np.recarray), new_pairs(count, ROOM * count), tally
    )


@update.register(KeptPairs)
def _(phase, boxes, filter_):
    renew(phase, boxes, filter_)
    update(phase.below, phase.grown, filter_)


@find_pairs.register(KeptPairs)
def _(phase, boxes, filter_, pairs_out):
    return find_kept(phase, boxes, filter_, pairs_out)


@find_in_box.register(KeptPairs)
def _(phase, boxes, filter_, box, mask, found_out):
    """Elements whose grown boxes meet it, and of these the ones that do themselves."""
    near = find_in_box(phase.below, phase.grown, filter_, box, mask, found_out)
    if near > found_out.shape[0]:
        return near
    count = 0
    for k in range(near):
        found_out[count] = found_out[k]
        count += box.meets(get_box(boxes, found_out[k]))
    return count


@routine
def find_kept(kept, boxes, filter_, pairs):
    """Pairs among the candidates; those anew if a box has left its grown one or the filter has changed."""
    tally = kept.tally[0]
    if tally.pause == 0 and (tally.count < 0 or not holds(kept, boxes, filter_)):
        choose_skin(tally)
        if tally.pause == 0:
            renew(kept, boxes, filter_)
            tally.count = find_pairs(kept.below, kept.grown, filter_, kept.candidates)
            if tally.count > kept.candidates.pair.shape[0]:
                tally.count, tally.pause = -1, PAUSE
    if tally.pause > 0:
        tally.pause -= 1
        return find_pairs(kept.below, boxes, filter_, pairs)
    tally.lasted += 1
    return meeting(kept.candidates, tally.count, boxes, pairs)


@helper
def choose_skin(tally):
    """Of the next list, by how long the last one served."""
    if tally.count >= 0 and tally.lasted < SHORT:
        if tally.skin >= WIDE:
            tally.count, tally.pause, tally.skin = -1, PAUSE, 0.5 * WIDE
        tally.skin = min(2.0 * tally.skin, WIDE)
    elif tally.lasted > LONG:
        tally.skin = max(0.5 * tally.skin, NARROW)
    tally.lasted = 0


@routine
def holds(kept, boxes, filter_):
    """Whether all boxes are within their grown ones, and the filter is as it was."""
    for i in range(boxes.shape[0]):
        e, f = filter_.element[i], kept.element[i]
        if (e.role != f.role) | (e.body != f.body) | (e.group != f.group) | (e.mask != f.mask):
            return False
        box, grown = get_box(boxes, i), get_box(kept.grown, i)
        if e.role != ABSENT and not grown.holds(box) and (box.is_box() or grown.is_box()):
            return False
    return True


@routine
def renew(kept, boxes, filter_):
    """Grow the boxes of all that moves."""
    kept.tally[0].count = -1
    for i in range(boxes.shape[0]):
        e, f = filter_.element[i], kept.element[i]
        f.role, f.body, f.group, f.mask = e.role, e.body, e.group, e.mask
        box = get_box(boxes, i)
        least = min(box.x_high - box.x, box.y_high - box.y, box.z_high - box.z)
        way = kept.tally[0].skin * least if e.role == MOVING and box.is_box() and least < math.inf else 0.0
        kept.grown[i, 0], kept.grown[i, 1], kept.grown[i, 2] = box.x - way, box.y - way, box.z - way
        kept.grown[i, 3], kept.grown[i, 4], kept.grown[i, 5] = box.x_high + way, box.y_high + way, box.z_high + way


@routine
def meeting(candidates, total, boxes, pairs):
    """Candidates whose boxes meet, in their order; whether they do is chance, so nothing branches on it."""
    room, count, at = pairs.pair.shape[0], 0, 0
    for k in range(total):
        i, j = candidates.pair[k, 0], candidates.pair[k, 1]
        while at <= i:
            pairs.first[at] = min(count, room)
            at += 1
        if count < room:
            pairs.pair[count, 0], pairs.pair[count, 1] = i, j
        count += get_box(boxes, i).meets(get_box(boxes, j))
    while at < pairs.first.shape[0]:
        pairs.first[at] = min(count, room)
        at += 1
    return count
