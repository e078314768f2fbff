"""Whether the solver of a step came close enough, counted over a run."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import CONVERGED, COUNT, FAR_OFF, UNSOLVED
from gelenk.contact.options import TOLERANCE
from gelenk.math.vec3 import Vec3, get3

SHARE = 0.1  # of the speed that forces give in a step: a tenth of the weight is not borne
OF_SPEED = 1e-2  # of the largest speed of a body that is touched, or that a contact is to lose
FAR = 10.0  # times that bound: worth a warning if it happens again and again


@routine
def judge_step(contacts, bodies, left, h):
    """Count a step whose residual ``left`` [m/s] is above

        max(10 tolerance,  h a / 10,  v / 100)

    with a, the mean acceleration by forces of the bodies at contacts, of two that which has more, and v, the largest
    speed of these bodies: a heap that falls need not be solved as one at rest.
    """
    count, total, fastest, asked = contacts.number[COUNT], 0.0, 0.0, 0.0
    for k in range(count):
        a, b = contacts.ends[k, 0], contacts.ends[k, 1]
        f, g = get3(contacts.load, a), get3(contacts.load, b)
        v, w = velocity_of(bodies, a), velocity_of(bodies, b)
        total += math.sqrt(max(f @ f, g @ g))
        fastest, asked = max(fastest, v @ v, w @ w), max(asked, contacts.contact[k].ask[0])
    largest = max(asked, math.sqrt(fastest))
    bound = max(10.0 * contacts.options[TOLERANCE], OF_SPEED * largest)
    if count > 0:
        bound = max(bound, SHARE * h * total / count)
    contacts.number[CONVERGED] = 1 if left <= bound else 0
    contacts.number[UNSOLVED] += 0 if left <= bound else 1
    contacts.number[FAR_OFF] += 0 if left <= FAR * bound else 1


@helper
def velocity_of(bodies, i):
    """Velocity of a node [m/s]."""
    return Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2])
