"""A point mass that slides on a ruled surface and may leave it, with a force that resists motion across."""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import kernel
from gelenk.geometry.ruled import find_gap, track_forward
from gelenk.math.vec3 import Vec3, put3

G = 9.81  # [m/s^2]
LIFT = 0.1  # [m/s] what has sunk into the ice comes out no faster


@kernel
def slide_steps(track, numbers, h, every, out):
    """Steps of Moreau's midpoint rule; a row after every so many. Returns the number of rows.

        r_M = r + h/2 v,      u = v + h (g - k |v| v)
        gap at r_M below 0:   p_n = max(0, v_r - n . u),   v_r = min(-gap / (20 h), 0.1 m/s)
                              sideways  -min(c h |u_a|, mu_a p_n) sgn u_a,    friction  -mu p_n u_t/|u_t|
        r' = r_M + h/2 v'

    a is the direction across the track within the ice; percussions p are per unit of mass. Velocities along the ice at
    r_M lead into it by h v^2 / 2R a second where it is hollow with radius R, and lose as much energy as that costs; the
    velocity v_r leads out again, and gives it back.

    The work of each percussion is it times the mean of the velocities at both ends of the step; that of gravity is the
    change of height then, exactly. So the books balance to round-off.
    """
    mass, k_drag, mu, rate, mu_side = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    r, v = Vec3(out[0, 0], out[0, 1], out[0, 2]), Vec3(out[0, 3], out[0, 4], out[0, 5])
    along, sideways, air, normal, flight = 0.0, 0.0, 0.0, 0.0, 0.0
    i, _, gap, n = find_gap(track, r, np.int64(0))
    out[0, 6] = gap
    last = np.int64(track.s.shape[0]) - 2
    for row in range(1, out.shape[0]):
        load = 0.0
        for _ in range(every):
            r = r + v * (0.5 * h)
            i, _, gap, n = find_gap(track, r, i)
            drag = v * (-k_drag * v.norm() * h)
            u = v + Vec3(0.0, 0.0, -G * h) + drag
            p_n, side, brake = 0.0, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
            if gap <= 0.0:
                p_n = max(0.0, min(-gap / (20.0 * h), LIFT) - n @ u)
            else:
                flight += h
            if p_n > 0.0:
                u = u + n * p_n
                across = track_forward(track, i).cross(n)
                across = across * (1.0 / across.norm())
                u_a = u @ across
                side = across * (-math.copysign(min(rate * h * abs(u_a), mu_side * p_n), u_a))
                u = u + side
                slip = u - n * (n @ u)
                brake = slip * (-min(mu * p_n / max(slip.norm(), 1e-300), 1.0))
                u = u + brake
            mean = (u + v) * (0.5 * mass)
            along -= brake @ mean
            sideways -= side @ mean
            air -= drag @ mean
            normal -= p_n * (n @ mean)
            load += p_n
            v = u
            r = r + v * (0.5 * h)
        put3(out[:, 0:3], row, r)
        put3(out[:, 3:6], row, v)
        out[row, 6], out[row, 7] = gap, load / (every * h * G)
        out[row, 8], out[row, 9], out[row, 10], out[row, 11], out[row, 12] = along, sideways, air, normal, flight
        if i >= last:
            return row + 1
    return out.shape[0]
