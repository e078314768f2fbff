"""Friction of a contact within a polygon instead of the disc or ellipse of Coulomb's law, for solvers that pivot.

A polygon is a regular one, stretched as the coefficients along and across are: its corners are

    p_n size (along cos(turn + 2 pi k / sides),  across sin(turn + 2 pi k / sides))

Size 1 puts the corners on the ellipse, 1 / cos(pi / sides) the sides around it (V-84). Without sides it is the ellipse.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import routine
from gelenk.contact.block import COUNT, TURNS
from gelenk.contact.sweep import change_at
from gelenk.contact.turn import turn_at
from gelenk.math.vec3 import triple
from gelenk.rows.sets import prox_ellipse, prox_interval

SIDES, SIZE, TURN = range(3)


def ellipse() -> np.ndarray:
    """Coulomb's law itself."""
    return np.zeros(3)


def around(directions: int) -> np.ndarray:
    """The polygon that impulses along so many lines, each within +- tan(pi / 2n) mu p_n, make together: a zonogon.

    Its sides lie along the lines, at the distance mu p_n.
    """
    half = math.pi / (2 * directions)
    return np.array([2.0 * directions, 1.0 / math.cos(half), 0.5 * math.pi + half])


def within(directions: int) -> np.ndarray:
    """The polygon whose corners are so many directions on the circle mu p_n."""
    return np.array([float(directions), 1.0, 0.0])


@routine
def prox_polygon(x, y, a, b, polygon):
    """Nearest point of the polygon with half axes a, b >= 0: itself if it is inside, else the nearest on its sides."""
    sides, size, turn = int(polygon[SIDES]), polygon[SIZE], polygon[TURN]
    if sides == 0:
        return prox_ellipse(x, y, a, b)
    a, b = max(a, 0.0) * size, max(b, 0.0) * size
    inside, best, X, Y = a > 0.0 and b > 0.0, math.inf, 0.0, 0.0
    for k in range(sides):
        g, h = turn + 2.0 * math.pi * k / sides, turn + 2.0 * math.pi * (k + 1) / sides
        p, q = a * math.cos(g), b * math.sin(g)
        u, v = a * math.cos(h) - p, b * math.sin(h) - q
        inside = inside and u * (y - q) - v * (x - p) >= 0.0
        square = u * u + v * v
        s = prox_interval(((x - p) * u + (y - q) * v) / square, 0.0, 1.0) if square > 0.0 else 0.0
        far = (p + s * u - x) * (p + s * u - x) + (q + s * v - y) * (q + s * v - y)
        if far < best:
            best, X, Y = far, p + s * u, q + s * v
    if inside:
        return x, y
    return X, Y


@routine
def polygon_residual(bodies, contacts, polygon):
    """How far impulses are from solving their problem, with friction in polygons [m/s].

    :func:`gelenk.contact.sweep.contact_residual` for any polygon, and equal to it for the ellipse.
    """
    worst = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        D = c.K[0] + c.soft
        wish = c.p[0] + (c.ask[0] - n @ u - c.soft * (c.p[0] - c.before)) / D
        worst = max(worst, abs(c.p[0] - max(c.least, wish)) * D)
        u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
        a, b = c.along * c.p[0], c.across * c.p[0]
        x, y = prox_polygon(c.p[1] - u_t / c.top, c.p[2] - u_s / c.top, a, b, polygon)
        worst = max(worst, math.hypot(c.p[1] - x, c.p[2] - y) * c.top)
    return max(worst, polygon_turn_residual(bodies, contacts, polygon))


@routine
def polygon_turn_residual(bodies, contacts, polygon):
    """The same for couples, as :func:`gelenk.contact.turn.turn_residual` does for discs [rad/s]."""
    worst = 0.0
    if contacts.number[TURNS] == 0:
        return worst
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        if x.on == 0:
            continue
        w = turn_at(bodies.dV, c)
        bound, arm = x.torsional * c.p[0], x.rolling * c.p[0]
        q = prox_interval(x.p[0] - (w.x - x.ask[0]) / x.G[0], -bound, bound)
        worst = max(worst, abs(x.p[0] - q) * x.G[0])
        q_t, q_s = prox_polygon(x.p[1] - (w.y - x.ask[1]) / x.top, x.p[2] - (w.z - x.ask[2]) / x.top, arm, arm, polygon)
        worst = max(worst, math.hypot(x.p[1] - q_t, x.p[2] - q_s) * x.top)
    return worst
