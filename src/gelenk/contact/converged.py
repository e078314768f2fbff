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
FAR, FAST = 100.0, 10.0  # times that of forces and that of speed: worth a warning if it happens again and again


@routine
def judge_step(contacts, left, h):
    """Count a step in which the residual [m/s] of a heap is above

        max(10 tolerance,  h a / 100,  v / 100)

    with a, the mean acceleration by forces of its bodies at contacts, of two that which has more, and v, the largest
    speed of these bodies at the start of the step: a heap that falls need not be solved as one at rest. Where heaps are
    not solved one by one, ``left`` is the residual of all contacts, judged by all of them.
    """
    heaps, over, far, apart = contacts.heaps, False, False, contacts.heaps.number[FOUND] != 0
    for g in range(heaps.number[HEAPS] if apart else 0):
        heap = heaps.item[g]
        apart = apart and heap.solved == 1
        if heap.solved == 1:
            forced, fast = bounds_of(contacts, heap.point_first, heap.point_last, True, h)
            over = over or heap.residual > max(forced, fast)
            far = far or heap.residual > max(FAR * forced, FAST * fast)
    if not apart:
        forced, fast = bounds_of(contacts, 0, contacts.number[COUNT], False, h)
        over, far = over or left > max(forced, fast), far or left > max(FAR * forced, FAST * fast)
    contacts.number[CONVERGED] = 0 if over else 1
    contacts.number[UNSOLVED] += 1 if over else 0
    contacts.number[FAR_OFF] += 1 if far else 0


@helper
def bounds_of(contacts, first, last, heap, h):
    """What the residual of some contacts, or of those of a heap, may be by forces and by speed [m/s]."""
    total, fastest = 0.0, 0.0
    for i in range(first, last):
        k = contacts.heaps.points[i] if heap else i
        a, b = contacts.ends[k, 0], contacts.ends[k, 1]
        f, g = get3(contacts.load, a), get3(contacts.load, b)
        total += math.sqrt(max(f @ f, g @ g))
        fastest = max(fastest, contacts.speed[a], contacts.speed[b])
    mean = total / (last - first) if last > first else 0.0
    return max(10.0 * contacts.options[TOLERANCE], SHARE * h * mean), OF_SPEED * fastest
