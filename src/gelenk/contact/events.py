"""Which pairs of shapes began or ended to touch, noted inside compiled steps (V-33)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, STEP
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.rows.block import NONE

EVENT = np.dtype(
    [
        ("step", "i8"),
        ("a", "u4"),  # colliders
        ("b", "u4"),
        ("change", "i8"),  # 1 begins, -1 ends
        ("after", "f8"),  # the start of the step, as far as impacts tell it [s]
        ("impulse", "f8", (3,)),  # on b, of all points of the pair in the step of a beginning, world axes [N s]
        ("speed", "f8"),  # at which the fastest of these points met, along its normal [m/s]; 0 if none of them bounced
    ]
)
LISTENS, NOTED = 0, 1  # numbers


class ContactEvents(NamedTuple):
    """What happened since it was read last."""

    event: np.ndarray  # (capacity,) EVENT
    number: np.ndarray  # (2,) int64 whether anybody listens, how many events there are


def new_events(capacity: int = 256) -> ContactEvents:
    """Room for so many; nobody listens."""
    return ContactEvents(np.zeros(capacity, EVENT).view(np.recarray), np.zeros(2, np.int64))


def more_events(events: ContactEvents, need: int) -> ContactEvents:
    """The same with room for more."""
    new = new_events(2 * (len(events.event) + need))
    new.event[: len(events.event)], new.number[:] = events.event, events.number
    return new


@helper
def has_room(events, found, more):
    """Whether there is room for whatever can happen in a step, to pairs of shapes and so many more."""
    tally = found.tally[0]
    most = events.number[NOTED] + tally.pairs[0] + tally.pairs[1] + more
    return events.number[LISTENS] == 0 or most <= events.event.shape[0]


@routine
def note_events(events, found, contacts):
    """Note the pairs whose touch has changed in this step; an impact within it, and any pressure, is touch too."""
    tally, step = found.tally[0], contacts.number[STEP]
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if c.pair != NONE and (c.hit == 1 or c.p[0] > 0.0):
            found.pair[tally.now, c.pair].touch = 1
    if events.number[LISTENS] == 0:
        return
    for k in range(tally.pairs[1 - tally.now]):
        pair = found.pair[1 - tally.now, k]
        if pair.was == 1:
            put_event(events, step, pair, -1)
    for k in range(tally.pairs[tally.now]):
        pair = found.pair[tally.now, k]
        if pair.touch != pair.was:
            event = put_event(events, step, pair, 1 if pair.touch == 1 else -1)
            if pair.touch == 1:
                note_meeting(event, pair, contacts)


@helper
def note_meeting(event, pair, contacts):
    """When the points of a pair met first, and what they gave each other in the step, in impacts and after them."""
    first, total, speed = math.inf, Vec3(0.0, 0.0, 0.0), 0.0
    for k in range(pair.first, pair.first + pair.count):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        total = total + n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2]
        if c.hit == 1:
            total, first = total + get3(contacts.struck, k), min(first, contacts.struck[k, 4])
            speed = max(speed, contacts.struck[k, 3])
    event.speed = speed
    event.after = first if first < math.inf else 0.0
    event.impulse[0], event.impulse[1], event.impulse[2] = total.x, total.y, total.z


@routine
def note_gone(events, found, step):
    """Note the pairs that touched in the step before and are no more, where pairs are to be found once more."""
    tally = found.tally[0]
    for k in range(tally.pairs[1 - tally.now] if events.number[LISTENS] == 1 else 0):
        pair = found.pair[1 - tally.now, k]
        if pair.was == 1 and events.number[NOTED] < events.event.shape[0]:
            put_event(events, step, pair, -1)


@helper
def put_event(events, step, pair, change):
    """Put one down, and return it."""
    event = events.event[events.number[NOTED]]
    event.step, event.a, event.b, event.change, event.after = step, pair.a, pair.b, change, 0.0
    event.impulse[0] = event.impulse[1] = event.impulse[2] = event.speed = 0.0
    events.number[NOTED] += 1
    return event
