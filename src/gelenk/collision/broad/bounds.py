"""Axis-aligned boxes as values (V-18).

A table of boxes is (n, 6) float64: lowest x y z, highest x y z, world axes [m]. Boxes are closed: those that share no
more than a face, an edge or a corner meet. Ends may be infinite, as those of a plane are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper, value_type
from gelenk.errors import InputError


@value_type
class Bounds(NamedTuple):
    """One box, world axes [m]."""

    x: float
    y: float
    z: float
    x_high: float
    y_high: float
    z_high: float

    def meets(a, b):
        """Whether two boxes have a point in common: six comparisons at most, one at best."""
        return (
            a.x <= b.x_high
            and b.x <= a.x_high
            and a.y <= b.y_high
            and b.y <= a.y_high
            and a.z <= b.z_high
            and b.z <= a.z_high
        )

    def holds(a, b):
        """Whether b lies in a."""
        return (
            a.x <= b.x
            and b.x_high <= a.x_high
            and a.y <= b.y
            and b.y_high <= a.y_high
            and a.z <= b.z
            and b.z_high <= a.z_high
        )

    def around(a, b):
        """Smallest box that holds both."""
        return Bounds(
            min(a.x, b.x),
            min(a.y, b.y),
            min(a.z, b.z),
            max(a.x_high, b.x_high),
            max(a.y_high, b.y_high),
            max(a.z_high, b.z_high),
        )

    def half_area(a):
        """Half of its surface [m^2]: a random line that hits a larger box hits this one with odds as the areas."""
        x, y, z = a.x_high - a.x, a.y_high - a.y, a.z_high - a.z
        return x * y + y * z + z * x

    def is_box(a):
        """Whether low ends are at or below high ends; not so if any is not a number."""
        return a.x <= a.x_high and a.y <= a.y_high and a.z <= a.z_high


@helper
def get_box(boxes, i):
    """Row i of a table of boxes as a value."""
    return Bounds(boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5])


def check_boxes(boxes: Any) -> np.ndarray:
    """A table of boxes without gaps in memory, infinite ends allowed."""
    allowed = "(n, 6) numbers, lowest x y z at or below highest x y z [m]; infinite ends are fine"
    try:
        table = np.ascontiguousarray(boxes, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("boxes", f"{type(boxes).__name__} that is no table", allowed, "Give an array.") from None
    if table.ndim != 2 or table.shape[1] != 6 or not len(table):
        raise InputError("boxes", f"shape {table.shape}", allowed, "Give one row of six numbers for each element.")
    bad = np.flatnonzero(~(table[:, :3] <= table[:, 3:]).all(axis=1))
    if len(bad):
        found = f"box {bad[0]} is {table[bad[0]].tolist()}"
        raise InputError("boxes", found, allowed, "Mend this box, or take its element out by its role in the filter.")
    return table


@helper
def box_of_segment(p, q, margin):
    """Box around two points, grown by a margin."""
    return Bounds(
        min(p.x, q.x) - margin,
        min(p.y, q.y) - margin,
        min(p.z, q.z) - margin,
        max(p.x, q.x) + margin,
        max(p.y, q.y) + margin,
        max(p.z, q.z) + margin,
    )
