"""Ways to solve a contact problem by itself: each with the arguments of a stage, run until the residual is small."""

from __future__ import annotations

import numpy as np

from gelenk.compile import routine
from gelenk.contact.block import COUNT, SWEEPS, TURNS
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.lanes import batch_contacts
from gelenk.contact.newton import polish, sweep_all, whole_residual
from gelenk.contact.newton_rows import begin_rows
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, TOLERANCE
from gelenk.contact.polygon import polygon_residual
from gelenk.contact.skyline import order_bodies
from gelenk.contact.sweep_lanes import sweep_in_lanes
from gelenk.rows.assemble import respond
from gelenk.solvers.solver import residual

UNABLE = -1  # the way does not take this problem
AT_ONCE = 50  # sweeps between two looks at the residual


@routine
def measure(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Only the residual, in the sets of the solver that pivots if there is one."""
    contacts = stages.contacts
    for n in range(rows.counts[0]):
        respond(joints, bodies, rows, rows.active[n])
    own = polygon_residual(bodies, contacts, stages.pivot.polygon)
    contacts.figures[3] = max(own, residual(joints, bodies, rows))
    return np.int64(0)


@routine
def by_sweeps(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Rows and contacts one by one, forth and back."""
    contacts, tolerance = stages.contacts, stages.contacts.options[TOLERANCE]
    begin_rows(joints, bodies, rows)
    left = whole_residual(contacts, joints, rows, bodies)
    while left > tolerance and contacts.number[SWEEPS] < contacts.options[MOST_SWEEPS]:
        for m in range(AT_ONCE):
            sweep_all(contacts, joints, rows, bodies, m % 2 == 1)
        left = whole_residual(contacts, joints, rows, bodies)
    contacts.figures[3] = left
    return np.int64(0)


@routine
def by_conjugate(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts one by one, sped up by the direction in which sweeps lead."""
    contacts, tolerance = stages.contacts, stages.contacts.options[TOLERANCE]
    if rows.counts[0] > 0:
        return np.int64(UNABLE)
    contacts.options[TOLERANCE] = 0.0  # the residual says when it is over
    left = whole_residual(contacts, joints, rows, bodies)
    while left > tolerance and contacts.number[SWEEPS] < contacts.options[MOST_SWEEPS]:
        sweep_on(contacts, bodies, AT_ONCE)
        left = whole_residual(contacts, joints, rows, bodies)
    contacts.figures[3] = left
    return np.int64(0)


@routine
def by_lanes(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts four at a time, sped up alike."""
    contacts, tolerance = stages.contacts, stages.contacts.options[TOLERANCE]
    if rows.counts[0] > 0 or contacts.number[TURNS] > 0:
        return np.int64(UNABLE)
    if not batch_contacts(contacts.lanes, contacts.contact, contacts.number[COUNT], bodies):
        return np.int64(UNABLE)
    contacts.options[TOLERANCE] = 0.0
    left = whole_residual(contacts, joints, rows, bodies)
    while left > tolerance and contacts.number[SWEEPS] < contacts.options[MOST_SWEEPS]:
        batch_contacts(contacts.lanes, contacts.contact, contacts.number[COUNT], bodies)
        sweep_in_lanes(contacts, bodies, AT_ONCE)
        left = whole_residual(contacts, joints, rows, bodies)
    contacts.figures[3] = left
    return np.int64(0)


@routine
def by_newton(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Newton's method on the sets that sweeps find."""
    contacts, tolerance = stages.contacts, stages.contacts.options[TOLERANCE]
    begin_rows(joints, bodies, rows)
    sky, count = contacts.sky, contacts.number[COUNT]
    if not order_bodies(sky, contacts.contact, count, joints, rows, bodies.inv_mass):
        return np.int64(UNABLE)
    left = whole_residual(contacts, joints, rows, bodies)
    while left > tolerance and contacts.number[SWEEPS] < contacts.options[MOST_SWEEPS]:
        for m in range(AT_ONCE):
            sweep_all(contacts, joints, rows, bodies, m % 2 == 1)
        polish(contacts, joints, rows, masses, state, bodies, int(contacts.options[NEWTON_STEPS]), tolerance)
        left = whole_residual(contacts, joints, rows, bodies)
    contacts.figures[3] = left
    return np.int64(0)


WAYS = {"sweeps": by_sweeps, "conjugate": by_conjugate, "lanes": by_lanes, "newton": by_newton}
