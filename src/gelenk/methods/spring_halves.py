"""Springs and dampers on joints in ``Impulse``: half of their impulse before the flight, half after it.

    p1 = -h/2 (K (x + b h V1) + D ((1 - b) V + b V1))      x, V at the start, V1 in flight
    p2 = -h/2 (K (x' + b h V') + D V')                     x', V' at the end

With b = 0 this is the scheme of all other forces, order 2. It is stable up to h omega = 2 only, so

    b = Z / (1 + Z),      Z = sum of  h (h K + D) A  over all springs on a body,      A = J M^-1 J^T

with the larger Z of the bodies of a spring. b vanishes as fast as h and leaves the order alone. For springs that are
far too stiff for their step b is near 1: p1 takes the whole way and p2 all of the speed, and no stiffness is too stiff
(V-78). A stop that yields is such a spring with its rest at the limit, which only pushes back.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.rows.assemble import respond, row_error, row_rate, target_of
from gelenk.rows.block import LIMIT
from gelenk.rows.conditions import WEAK, bounds, is_spring, way_to_stop
from gelenk.rows.springs import spring_line, stiffest


@routine
def reckon_springs(joints, bodies, rows, load, h):
    """Z of each body: of all springs and yielding stops on it, touched or not."""
    for i in range(load.shape[0]):
        load[i] = 0.0
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row = joints.row[r]
        if is_spring(row):
            respond(joints, bodies, rows, r)
            z = h * (h * stiffest(row) + row.damping) * rows.number[r].diag
            for e in range(row.entry_first, row.entry_last):
                load[joints.body[e]] += z


@helper
def implicit_share(joints, load, r):
    """Share b of what is solved for; see the module."""
    Z = 0.0
    for e in range(joints.row[r].entry_first, joints.row[r].entry_last):
        Z = max(Z, load[joints.body[e]])
    return Z / (1.0 + Z)


@helper
def first_half(joints, memory, now, bodies, rows, load, r, h):
    """J V1 + c p1 = want of the flight; a spring on nothing that moves takes no part.

    A stop that is not reached yet has its spring begin where it stands.
    """
    row, x = joints.row[r], rows.number[r]
    b = implicit_share(joints, load, r)
    x.begin, x.rate = row_error(joints, now, r), row_rate(joints, rows.J, bodies.V, r)
    k, f = spring_line(row, x.begin - rest_of(row, memory))
    solved = b * (h * k + row.damping)
    x.soft = x.want = 0.0
    way = way_to_stop(row, x.begin) if row.mode == LIMIT else 0.0
    if solved > WEAK and way > 0.0:
        x.soft, x.want = 2.0 / (h * solved), (-way if row.low > -math.inf else way) / h
    elif solved > WEAK:
        known = k * (x.begin - rest_of(row, memory)) + f + (1.0 - b) * row.damping * x.rate
        x.soft, x.want = 2.0 / (h * solved), -known / solved
    spring_bounds(row, memory, x, 0.5 * h)


@helper
def second_half(joints, memory, now, bodies, rows, load, r, h):
    """J V' + c p2 = want of the velocities at the end."""
    row, x = joints.row[r], rows.number[r]
    b = implicit_share(joints, load, r)
    stretch = row_error(joints, now, r) - rest_of(row, memory)
    k, f = spring_line(row, stretch)
    solved = b * h * k + row.damping
    x.soft = x.want = 0.0
    if solved > WEAK:
        x.soft = 2.0 / (h * solved)
        x.want = -(k * stretch + f) / solved
    x.ask = x.want - x.rate - x.soft * x.p
    spring_bounds(row, memory, x, 0.5 * h)
    if x.soft == 0.0:
        x.lo = x.hi = 0.0


@helper
def rest_of(row, memory):
    """Place without force: the input of a spring, the limit of a stop."""
    if row.mode == LIMIT:
        return row.low if row.low > -math.inf else row.high
    return target_of(row, memory)


@helper
def spring_bounds(row, memory, x, h):
    """Those of a spring; a stop pushes back alone."""
    if row.mode == LIMIT:
        x.lo, x.hi = (0.0, math.inf) if row.low > -math.inf else (-math.inf, 0.0)
    else:
        bounds(row, memory, x, h)
