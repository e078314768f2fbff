"""Whether the solver of a step came close enough, counted over a run."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import CONVERGED, COUNT, FAR_OFF, UNSOLVED
from gelenk.contact.heaps import FOUND, HEAPS
from gelenk.contact.options import TOLERANCE
from gelenk.math.vec3 import get3

SHARE = 0.01  # of the speed that forces give in a step: a hundredth of the weight is not borne
OF_SPEED = 1e-2  # of the largest speed at the start of the step of a body that is touched
FAR = 100.0  # times that bound: worth a warning if it happens again and again


@routine
def judge_step(contacts, left, h):
    """Count a step in which the residual [m/s] of a heap is above

        max(10 tolerance,  h a / 100,  v / 100)

    with a, the mean acceleration by forces of its bodies at contacts, of two that which has more, and v, the largest
    speed of these bodies at the start of the step: a heap that falls need not be solved as one at rest. Where heaps are
    not solved one by one, ``left`` is the residual of all contacts, judged by all of them.
    """
    heaps, over, apart = contacts.heaps, 0.0, contacts.heaps.number[FOUND] != 0
    for g in range(heaps.number[HEAPS] if apart else 0):
        heap = heaps.item[g]
        apart = apart and heap.solved == 1
        if heap.solved == 1:
            over = max(over, heap.residual / bound_of(contacts, heap.point_first, heap.point_last, True, h))
    if not apart:
        over = max(over, left / bound_of(contacts, 0, contacts.number[COUNT], False, h))
    contacts.number[CONVERGED] = 1 if over <= 1.0 else 0
    contacts.number[UNSOLVED] += 0 if over <= 1.0 else 1
    contacts.number[FAR_OFF] += 0 if over <= FAR else 1


@helper
def bound_of(contacts, first, last, heap, h):
    """What the residual of some contacts, or of those of a heap, may be [m/s]."""
    total, fastest = 0.0, 0.0
    for i in range(first, last):
        k = contacts.heaps.points[i] if heap else i
        a, b = contacts.ends[k, 0], contacts.ends[k, 1]
        f, g = get3(contacts.load, a), get3(contacts.load, b)
        total += math.sqrt(max(f @ f, g @ g))
        fastest = max(fastest, contacts.speed[a], contacts.speed[b])
    mean = total / (last - first) if last > first else 0.0
    return max(10.0 * contacts.options[TOLERANCE], OF_SPEED * fastest, SHARE * h * mean, 1e-300)
