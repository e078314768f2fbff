"""A line against triangles such that it never slips between two that share a side (V-20, B-19).

Corners are taken from the start of the line, and sheared so that its direction becomes the axis z it is closest to:

    x' = x - (d_x / d_z) z,    y' = y - (d_y / d_z) z

The line passes a triangle if the origin of the x' y' plane lies in it: the three areas of the origin with its sides,
u = b_x c_y - b_y c_x and so on, have one sign or vanish. Neighbours work out the area of a shared side from the same
rounded numbers, with the opposite sign, and rounding never turns the sign of a difference of two products, so no gap
opens between them. They weigh the heights of the corners at the crossing.

Source: S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection, J. Computer Graphics Techniques 2 (2013).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import helper


class ShearedLine(NamedTuple):
    """A line with its axes renamed in cyclic order, z closest to it."""

    ix: int  # which coordinates are x, y, z
    iy: int
    iz: int
    x: float  # start [m]
    y: float
    z: float
    shear_x: float
    shear_y: float
    d_z: float  # of the direction


@helper
def sheared_line(p, d):
    """Line from p along d, which must not be zero and may have any length."""
    x, y, z = abs(d.x), abs(d.y), abs(d.z)
    if x >= y and x >= z:
        return ShearedLine(1, 2, 0, p.y, p.z, p.x, d.y / d.x, d.z / d.x, d.x)
    if y >= z:
        return ShearedLine(2, 0, 1, p.z, p.x, p.y, d.z / d.y, d.x / d.y, d.y)
    return ShearedLine(0, 1, 2, p.x, p.y, p.z, d.x / d.z, d.y / d.z, d.z)


@helper
def line_triangle(line, corner, k):
    """Where a line passes triangle k of (m, 9) corners: place s in lengths of d, and N . d; s = -infinity if nowhere.

    N is the normal of the triangle, as long as twice its area, so that N . d is positive where the line comes from
    behind. A triangle seen edge-on is not met; its neighbours are.
    """
    ix, iy, iz = line.ix, line.iy, line.iz
    a_z, b_z, c_z = corner[k, iz] - line.z, corner[k, 3 + iz] - line.z, corner[k, 6 + iz] - line.z
    a_x = corner[k, ix] - line.x - line.shear_x * a_z
    a_y = corner[k, iy] - line.y - line.shear_y * a_z
    b_x = corner[k, 3 + ix] - line.x - line.shear_x * b_z
    b_y = corner[k, 3 + iy] - line.y - line.shear_y * b_z
    c_x = corner[k, 6 + ix] - line.x - line.shear_x * c_z
    c_y = corner[k, 6 + iy] - line.y - line.shear_y * c_z
    u, v, w = b_x * c_y - b_y * c_x, c_x * a_y - c_y * a_x, a_x * b_y - a_y * b_x
    if (min(u, v, w) < 0.0) & (max(u, v, w) > 0.0):  # one branch that is hard to foresee, not five
        return -math.inf, 0.0
    area = u + v + w
    if area == 0.0:
        return -math.inf, 0.0
    return (u * a_z + v * b_z + w * c_z) / (area * line.d_z), area * line.d_z
