"""Overlaps are taken out by a motion of their own, which leaves velocities and energy alone (V-57, trap T-30)."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.assemble import gap_of
from gelenk.contact.block import COUNT
from gelenk.contact.lanes import READY, batch_contacts
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.separate_lanes import separate_in_lanes
from gelenk.contact.sweep import change_at, push_pair, triple
from gelenk.math.vec3 import get3


@routine
def separate(contacts, bodies, h):
    """Speeds that take a share of the overlaps at the end of the step out, by Gauss-Seidel over the normals alone:

        J P >= share (depth - slop) / h   where points overlap,      J P >= -gap / h   where they do not,     p >= 0

    The gap is that at the end of the step,  d + J shift + h J V',  less h^2/2 a for bodies that nothing pushes.
    """
    for i in range(contacts.push.shape[0]):
        for k in range(6):
            contacts.push[i, k] = 0.0
    lanes = contacts.lanes
    if lanes.number[READY] == 0:
        contacts.figures[2] = ask_apart(contacts, bodies, h)
        if contacts.figures[2] <= contacts.options[SLOP]:
            return
    if lanes.number[READY] == 1 or batch_contacts(lanes, contacts.contact, contacts.number[COUNT], bodies):
        contacts.figures[2] = separate_in_lanes(contacts, bodies, h)
        return
    for m in range(int(contacts.options[CORRECTIONS])):
        count = contacts.number[COUNT]
        for i in range(count):
            c = contacts.contact[count - 1 - i if m % 2 == 1 else i]
            n = triple(c.n)
            p = max(0.0, c.ask[2] + (c.ask[1] - n @ change_at(contacts.push, c)) / c.K[0])
            if p != c.ask[2]:
                push_pair(bodies, contacts.push, c, n * (p - c.ask[2]))
                c.ask[2] = p


@routine
def ask_apart(contacts, bodies, h):
    """Speed that each point asks for, and no impulse to begin with; returns the deepest overlap [m]."""
    slop, deepest = contacts.options[SLOP], 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        gap = gap_of(contacts, c) + h * (triple(c.n) @ change_at(bodies.V, c))
        if contacts.touched[c.a] == 0:
            gap += 0.5 * h * h * (triple(c.n) @ get3(contacts.load, c.a))
        if contacts.touched[c.b] == 0:
            gap -= 0.5 * h * h * (triple(c.n) @ get3(contacts.load, c.b))
        deepest = max(deepest, -gap)
        c.ask[1] = -gap / h
        if c.soft > 0.0:
            c.ask[1] = -1e300  # a soft point overlaps
        elif gap < 0.0:
            c.ask[1] = min(contacts.options[SHARE] * max(-gap - slop, 0.0) / h, contacts.options[SPEED])
        c.ask[2] = 0.0  # its impulse
    return deepest
