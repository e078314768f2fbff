"""Springs and dampers on joints in ``Impulse``: half of their impulse before the flight, half after it.

    p1 = -h/2 (K (x + b h V1) + D ((1 - b) V + b V1))      x, V at the start, V1 in flight
    p2 = -h/2 (K (x' + b h V') + D V')                     x', V' at the end

With b = 0 this is the scheme of all other forces, order 2. It is stable up to h omega = 2 only, so

    b = z / (1 + z),      z = h (h K + D) A,      A = J M^-1 J^T,      K and D of all springs on the coordinate

which vanishes as fast as h and leaves the order alone. For a spring that is far too stiff for its step b is near 1:
p1 takes the whole way and p2 all of the speed, and no stiffness is too stiff (V-78). A stop that yields is such a
spring with its rest at the limit, which takes part where the coordinate is beyond it and only pushes back.
"""

from __future__ import annotations

import math

from gelenk.compile import helper
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3
from gelenk.rows.assemble import row_error, row_rate, target_of
from gelenk.rows.block import LIMIT
from gelenk.rows.conditions import WEAK, bounds, way_to_stop


@helper
def implicit_share(joints, bodies, rows, r, h):
    """Share b of what is solved for; see the module. Stores A, which solvers compute only when they prepare."""
    row, x, yields = joints.row[r], rows.number[r], 0.0
    for e in range(row.entry_first, row.entry_last):
        i, J = joints.body[e], rows.J[e]
        t = Vec3(J[3], J[4], J[5])
        yields += bodies.inv_mass[i] * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2])
        yields += t @ (get33(bodies.inv_inertia_W, i) @ t)
    x.diag = yields
    z = h * (h * row.kp + row.ki) * yields
    return z / (1.0 + z)


@helper
def first_half(joints, memory, now, bodies, rows, r, h):
    """J V1 + c p1 = want of the flight; a spring on nothing that moves takes no part."""
    row, x = joints.row[r], rows.number[r]
    b = implicit_share(joints, bodies, rows, r, h)
    x.begin, x.rate = row_error(joints, now, r), row_rate(joints, rows.J, bodies.V, r)
    solved = b * (h * row.stiffness + row.damping)
    x.soft = x.want = 0.0
    if solved > WEAK and not (row.mode == LIMIT and way_to_stop(row, x.begin) > 0.0):
        known = row.stiffness * (x.begin - rest_of(row, memory)) + (1.0 - b) * row.damping * x.rate
        x.soft, x.want = 2.0 / (h * solved), -known / solved
    spring_bounds(row, memory, x, 0.5 * h)


@helper
def second_half(joints, memory, now, bodies, rows, r, h):
    """J V' + c p2 = want of the velocities at the end."""
    row, x = joints.row[r], rows.number[r]
    b = implicit_share(joints, bodies, rows, r, h)
    solved = b * h * row.stiffness + row.damping
    x.soft = x.want = 0.0
    if solved > WEAK:
        x.soft = 2.0 / (h * solved)
        x.want = -row.stiffness * (row_error(joints, now, r) - rest_of(row, memory)) / solved
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
