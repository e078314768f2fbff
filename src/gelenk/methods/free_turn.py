"""How a body turns by itself through a step, its energy kept.

A body that turns by the rate of the middle of its step keeps its angular momentum, and its energy to the order of the
method. Where it turns far in a step the energy may grow without end: a slender one needs a small part of its angular
momentum along its long axis for that. There the midpoint rule for  L' = L x w  in body axes takes its place,

    M = (L_0 + L_1) / 2,     L_1 - L_0 = h M x I^-1 M

which keeps |L| and the energy  L . I^-1 L / 2,  both quadratic, at any step; and so does L in world axes with the turn

    q_1 = q_0 (1, h/2 w) / |.|     with    w = I^-1 M.

Source: M. A. Austin, P. S. Krishnaprasad, L.-S. Wang, Almost Poisson integration of rigid body systems (1993).
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import Mat3, skew

GAIN = 1.01  # of its energy, from which on a step has turned a body too far
TURNS, CLOSE = 16, 1e-13  # of Newton's method, and where it ends, of the angular momentum
HALVINGS = 8  # of the step, until Newton's method finds all parts of it


@helper
def gains(inv_inertia, L, L_new):
    """Whether a turn has changed an angular momentum in body axes so that the energy has grown."""
    return L_new @ (inv_inertia @ L_new) > GAIN * (L @ (inv_inertia @ L))


@routine
def turned_by_midpoint(inv_inertia, L, h):
    """By the midpoint rule, in as many parts as it needs; else the rate stays in body axes, which keeps the energy."""
    parts = 1
    for _ in range(HALVINGS):
        turn, L_new, done = Quat(1.0, 0.0, 0.0, 0.0), L, 0
        while done < parts:
            part, L_new, found = midpoint(inv_inertia, L_new, h / parts)
            turn, done = turn * part, done + 1
            if not found:
                break
        if found:
            return turn, L_new
        parts *= 2
    return quat_exp(inv_inertia @ L * h), L


@routine
def midpoint(A, L, h):
    """One step, and whether Newton's method found it:  S = 2 M,   F = S - 2 L - h/4 S x I^-1 S = 0."""
    S = L * 2.0
    for _ in range(TURNS):
        w = A @ S
        F = S - L * 2.0 - S.cross(w) * (0.25 * h)
        if F.norm() <= CLOSE * L.norm():
            u = w * (0.25 * h)
            return Quat(1.0, u.x, u.y, u.z).unit(), S - L, True
        S = S - slope(S, w, A, h).inv() @ F
    return Quat(1.0, 0.0, 0.0, 0.0), L, False


@helper
def slope(S, w, A, h):
    """dF/dS = 1 - h/4 (S x I^-1 - w x)."""
    X, Y = skew(S).times(A), skew(w)
    s = 0.25 * h
    return Mat3(
        1.0 - s * (X.xx - Y.xx),
        -s * (X.xy - Y.xy),
        -s * (X.xz - Y.xz),
        -s * (X.yx - Y.yx),
        1.0 - s * (X.yy - Y.yy),
        -s * (X.yz - Y.yz),
        -s * (X.zx - Y.zx),
        -s * (X.zy - Y.zy),
        1.0 - s * (X.zz - Y.zz),
    )
