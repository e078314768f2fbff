"""The shortest move that undoes several findings at once:  min |w|   with   m_i . w >= b_i,   m_i of length 1.

At the solution w is a sum  p_1 m_1 + p_2 m_2 + p_3 m_3  with  p >= 0  of at most three normals, those of bounds that
are met with equality. They are found from one to the next: a bound that w breaks takes the place of one, or joins them,
by which |w| grows; so no choice comes twice, and the search ends.
Source: M. Sharir, E. Welzl, A combinatorial bound for linear programming and related problems, STACS 1992.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.narrow.surface_choice import KEPT, row3
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

EXCHANGES = 64  # of bounds that are met, at most
PARALLEL = 1e-12  # sine squared, and volume, below which normals do not span anything


class Bound(NamedTuple):
    """m . w >= b; of length zero if there is none."""

    m: Vec3
    b: float


class Move(NamedTuple):
    """A move, and whether it is one that bounds allow."""

    w: Vec3
    fits: bool


@helper
def none():
    """No bound."""
    return Bound(Vec3(0.0, 0.0, 0.0), 0.0)


@helper
def by_two(f, g):
    """Shortest move that meets two bounds with equality; it fits if both push."""
    c = f.m @ g.m
    square = 1.0 - c * c
    if square <= PARALLEL or f.m @ f.m == 0.0 or g.m @ g.m == 0.0:
        return Move(f.m, False)
    p, q = (f.b - c * g.b) / square, (g.b - c * f.b) / square
    return Move(f.m * p + g.m * q, p >= 0.0 and q >= 0.0)


@helper
def by_three(f, g, h):
    """The move that meets three bounds with equality; it fits if all push."""
    u, v, t = g.m.cross(h.m), h.m.cross(f.m), f.m.cross(g.m)
    volume = f.m @ u
    if abs(volume) <= PARALLEL:
        return Move(f.m, False)
    w = (u * f.b + v * g.b + t * h.b) * (1.0 / volume)
    return Move(w, w @ u * volume >= 0.0 and w @ v * volume >= 0.0 and w @ t * volume >= 0.0)


@helper
def allows(f, w, slack):
    """Whether a bound allows a move."""
    return f.m @ w >= f.b - slack


@helper
def allow(f, g, h, w, slack):
    """Whether three bounds allow a move."""
    return allows(f, w, slack) and allows(g, w, slack) and allows(h, w, slack)


@routine
def exchange(new, f, g, h, slack):
    """Shortest move that a new bound and up to three others allow, and those that it meets; whether there is one."""
    w = new.m * new.b
    if allow(f, g, h, w, slack):
        return True, w, new, none(), none()
    for one, other, third in ((f, g, h), (g, h, f), (h, f, g)):
        move = by_two(new, one)
        if move.fits and allows(other, move.w, slack) and allows(third, move.w, slack):
            return True, move.w, new, one, none()
    for one, other, third in ((f, g, h), (g, h, f), (h, f, g)):
        move = by_three(new, one, other)
        if move.fits and allows(third, move.w, slack):
            return True, move.w, new, one, other
    return False, w, f, g, h


@routine
def most_broken(surface, way, beyond):
    """Of findings that overlap and are kept, the one that a move undoes least: which, and by how much too little."""
    worst, most = -1, 0.0
    for i in range(surface.counts[0]):
        finding = surface.finding[i]
        if finding.d < 0.0 and finding.gone == KEPT:
            short = beyond - finding.d - row3(finding.m) @ way
            if short > most:
                worst, most = i, short
    return worst, most


@routine
def way_by_all(surface, beyond, slack):
    """The shortest move that undoes findings that overlap and are kept, and whether there is one.

    beyond: how far past each place it goes, however little deep that is.
    """
    way, f, g, h = Vec3(0.0, 0.0, 0.0), none(), none(), none()
    for _ in range(EXCHANGES):
        i, short = most_broken(surface, way, beyond)
        if i < 0 or short <= slack:
            return way, True
        finding = surface.finding[np.int64(i)]
        found, way, f, g, h = exchange(Bound(row3(finding.m), beyond - finding.d), f, g, h, 0.5 * slack)
        if not found:
            break
    return way, False
