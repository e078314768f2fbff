"""Whether the solver of a step came close enough, counted over a run."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.block import CONVERGED, COUNT, FAR_OFF, UNSOLVED
from gelenk.contact.options import TOLERANCE
from gelenk.math.vec3 import get3

SHARE = 0.1  # of the speed that forces give in a step: a tenth of the weight is not borne
OF_IMPACT = 1e-3  # of the largest speed that a contact is to lose
FAR = 10.0  # times that bound: worth a warning if it happens again and again


@routine
def judge_step(contacts, left, h):
    """Count a step whose residual ``left`` [m/s] is above

        max(10 tolerance,  h a / 10,  largest ask / 1000)

    with a, the mean acceleration by forces of the bodies at contacts: of the two bodies that which has more.
    """
    count, total, largest = contacts.number[COUNT], 0.0, 0.0
    for k in range(count):
        c = contacts.contact[k]
        total += max(get3(contacts.load, c.a).norm(), get3(contacts.load, c.b).norm())
        largest = max(largest, c.ask[0])
    bound = max(10.0 * contacts.options[TOLERANCE], OF_IMPACT * largest)
    if count > 0:
        bound = max(bound, SHARE * h * total / count)
    contacts.number[CONVERGED] = 1 if left <= bound else 0
    contacts.number[UNSOLVED] += 0 if left <= bound else 1
    contacts.number[FAR_OFF] += 0 if left <= FAR * bound else 1
