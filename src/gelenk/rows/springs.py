"""Springs of rows: straight ones, and ones that bend where they are stretched beyond a kink (B-53).

    F(x) = -c1 x                                   |x| <= x_k
         = -sgn(x) (c1 x_k + c2 (|x| - x_k))       |x| >  x_k

Between two kinks a spring is a straight line,  F = -(k x + f),  which is what a step solves for.
"""

from __future__ import annotations

import math

from gelenk.compile import helper


@helper
def spring_line(row, x):
    """(k, f) of the line  F = -(k x + f)  on which the spring of a row lies at x from its rest."""
    if abs(x) <= row.kink:
        return row.stiffness, 0.0
    return row.beyond, (row.stiffness - row.beyond) * math.copysign(row.kink, x)


@helper
def stiffest(row):
    """The largest stiffness that a spring can have."""
    return row.stiffness if row.kink == math.inf else max(row.stiffness, row.beyond)


@helper
def spring_energy(row, x):
    """Work to stretch the spring of a row by x from its rest.

    A straight one may be bounded,  F = -k x  within low and high:  |F| |x| - F^2 / 2k,  k x^2 / 2 between the bounds.
    """
    if abs(x) > row.kink:
        more = abs(x) - row.kink
        return row.stiffness * row.kink * (0.5 * row.kink + more) + 0.5 * row.beyond * more * more
    F = min(max(-row.stiffness * x, row.low), row.high)
    return 0.0 if F == 0.0 else abs(F) * (abs(x) - 0.5 * abs(F) / row.stiffness)
