"""Bounding volumes beside the axis-aligned box of broad/bounds.py: oriented box, sphere, k-DOP (V-18).

Each is never smaller than what it was fitted to (bounding_fit.py), and its test never misses an overlap: rounding can
only make it find one that is not there. Axis-aligned boxes and k-DOPs of a body that turns are taken anew from its
points; an oriented box and a sphere move with it.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3, get33
from gelenk.math.vec3 import Vec3, get3

SLACK = 32 * 2.0**-52  # of the sizes: rounding of a test


class OrientedBoxes(NamedTuple):
    """Boxes with axes of their own."""

    middle: np.ndarray  # (n, 3) [m]
    R: np.ndarray  # (n, 3, 3) box axes to axes of the body
    half: np.ndarray  # (n, 3) half of the edges [m]


class OrientedBox(NamedTuple):
    """One of them as a value."""

    middle: Vec3
    R: Mat3
    half: Vec3


class BoundingSpheres(NamedTuple):
    """Spheres."""

    middle: np.ndarray  # (n, 3) [m]
    radius: np.ndarray  # (n,) [m]


class Dops(NamedTuple):
    """Polytopes  low <= u . x <= high  over fixed directions u, world axes (k-DOP: k / 2 directions u)."""

    low: np.ndarray  # (n, k / 2) [m], for directions that are not of unit length in their lengths
    high: np.ndarray


def dop_directions(k: int) -> np.ndarray:
    """The k / 2 directions of a 6-, 14-, 18- or 26-DOP: axes, with diagonals of the cube or of its faces or both.

    Source: J. Klosowski et al., Efficient collision detection using bounding volume hierarchies of k-DOPs, IEEE Trans.
    Vis. Comput. Graph. 4 (1998).
    """
    wanted = {6: (1,), 14: (1, 3), 18: (1, 2), 26: (1, 2, 3)}
    if k not in wanted:
        raise ValueError(f"a {k}-DOP is not known; choose k from {sorted(wanted)}")
    ways = [u for u in itertools.product((1, 0, -1), repeat=3) if u > (0, 0, 0)]
    return np.array(
        [u for u in sorted(ways, key=lambda u: (np.abs(u).sum(), u)) if np.abs(u).sum() in wanted[k]], float
    )


@helper
def get_oriented_box(boxes, i):
    """Box i as a value."""
    return OrientedBox(get3(boxes.middle, i), get33(boxes.R, i), get3(boxes.half, i))


@helper
def placed(box, R, p):
    """The box of a body, moved with it: R body axes to world axes, p its place."""
    return OrientedBox(p + R @ box.middle, R.times(box.R), box.half)


@helper
def extent(R, half, u):
    """Half of the width of a box along u, in the axes in which R is."""
    w = R.tdot(u)
    return half.x * abs(w.x) + half.y * abs(w.y) + half.z * abs(w.z)


@helper
def parted(across, a_share, b_share, slack):
    """Whether two widths leave a gap."""
    return abs(across) > a_share + b_share + slack


@routine
def oriented_boxes_meet(a, b):
    """Whether two boxes have a point in common: no gap along 3 + 3 normals of faces and 9 products of edges.

    Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree: a hierarchical structure for rapid interference detection,
    SIGGRAPH 1996.
    """
    t = a.R.tdot(b.middle - a.middle)
    C = a.R.transposed().times(b.R)  # axes of b in axes of a
    g, h = a.half, b.half
    slack = SLACK * (g.x + g.y + g.z + h.x + h.y + h.z)
    # along the axes of a
    if (
        parted(t.x, g.x, h.x * abs(C.xx) + h.y * abs(C.xy) + h.z * abs(C.xz), slack)
        or parted(t.y, g.y, h.x * abs(C.yx) + h.y * abs(C.yy) + h.z * abs(C.yz), slack)
        or parted(t.z, g.z, h.x * abs(C.zx) + h.y * abs(C.zy) + h.z * abs(C.zz), slack)
    ):
        return False
    # along the axes of b
    s = C.tdot(t)
    if (
        parted(s.x, h.x, g.x * abs(C.xx) + g.y * abs(C.yx) + g.z * abs(C.zx), slack)
        or parted(s.y, h.y, g.x * abs(C.xy) + g.y * abs(C.yy) + g.z * abs(C.zy), slack)
        or parted(s.z, h.z, g.x * abs(C.xz) + g.y * abs(C.yz) + g.z * abs(C.zz), slack)
    ):
        return False
    # along the products of an axis of a and one of b; of parallel ones they are zero, and part nothing
    for j in range(3):
        c = Vec3(C.xx, C.yx, C.zx) if j == 0 else (Vec3(C.xy, C.yy, C.zy) if j == 1 else Vec3(C.xz, C.yz, C.zz))
        for i in range(3):
            u = Vec3(0.0, -c.z, c.y) if i == 0 else (Vec3(c.z, 0.0, -c.x) if i == 1 else Vec3(-c.y, c.x, 0.0))
            if parted(t @ u, g.x * abs(u.x) + g.y * abs(u.y) + g.z * abs(u.z), extent(C, h, u), slack):
                return False
    return True


@helper
def spheres_meet(way, radius, other_radius):
    """Whether two spheres have a point in common; ``way`` from middle to middle."""
    reach = (radius + other_radius) * (1.0 + SLACK)
    return way @ way <= reach * reach


@routine
def put_dop(dops, i, directions, points, first, last, R, p):
    """Set DOP i to that of the points first .. last - 1 of a body at R, p, widened by the rounding of its numbers."""
    for k in range(directions.shape[0]):
        u = get3(directions, k)
        w, shift = R.tdot(u), u @ p
        low, high = np.inf, -np.inf
        for j in range(first, last):
            x = get3(points, j) @ w
            low, high = min(low, x), max(high, x)
        slack = SLACK * (abs(low) + abs(high) + abs(u.x * p.x) + abs(u.y * p.y) + abs(u.z * p.z))
        dops.low[i, k] = shift + low - slack
        dops.high[i, k] = shift + high + slack


@routine
def dops_meet(a, i, b, j):
    """Whether two DOPs over the same directions overlap along each of them."""
    together = True
    for k in range(a.low.shape[1]):
        if a.low[i, k] > b.high[j, k] or b.low[j, k] > a.high[i, k]:
            together = False
            break
    return together
