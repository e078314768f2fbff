"""Sweeps over contacts, sped up by the direction in which they lead."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.block import COUNT, SWEEPS
from gelenk.contact.options import TOLERANCE
from gelenk.contact.sweep import sweep_contacts
from gelenk.contact.turn import begin_trend, follow_trend, turn_square


@routine
def sweep_on(contacts, bodies, most):
    """At most so many sweeps, forth and back in turn, as a non-linear conjugate gradient method (NNCG):

        p'  = sweep(p),    g = p' - p,    beta = |g|^2 / |g before|^2
        p'' = p' + beta s,    s <- g + beta s

    and anew from s = 0 where beta > 1. What s does to the velocities is carried along, so a step costs little more than
    its sweep. Source: M. Silcowitz-Hansen, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for
    interactive contact force problems (2010).
    """
    count, before, largest = contacts.number[COUNT], 0.0, 0.0
    dV, trend, last = bodies.dV, contacts.trend, contacts.last
    for i in range(dV.shape[0]):
        for j in range(6):
            trend[i, j], last[i, j] = 0.0, dV[i, j]
    for k in range(count):
        c = contacts.contact[k]
        for j in range(3):
            c.trend[j], c.last[j] = 0.0, c.p[j]
    begin_trend(contacts)
    for m in range(most):
        contacts.number[SWEEPS] += 1
        largest = sweep_contacts(bodies, contacts, m % 2 == 1)
        if largest <= contacts.options[TOLERANCE] or m + 1 == most:
            break
        square = turn_square(contacts)
        for k in range(count):
            c = contacts.contact[k]
            for j in range(3):
                g = c.p[j] - c.last[j]
                square += g * g * c.K[0]
        beta = square / before if before > 0.0 else 0.0
        before = square
        if beta > 1.0:
            beta = 0.0
        for k in range(count):
            c = contacts.contact[k]
            for j in range(3):
                g, s = c.p[j] - c.last[j], beta * c.trend[j]
                c.trend[j] = g + s
                c.p[j] += s
                c.last[j] = c.p[j]
        follow_trend(contacts, beta)
        for i in range(dV.shape[0]):
            for j in range(6):
                g, s = dV[i, j] - last[i, j], beta * trend[i, j]
                trend[i, j] = g + s
                dV[i, j] += s
                last[i, j] = dV[i, j]
    return largest
