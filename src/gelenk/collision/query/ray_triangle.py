"""Ray against triangle."""

from __future__ import annotations

import math

from gelenk.collision.closest import unit_or
from gelenk.collision.query.hit import in_reach, miss
from gelenk.compile import routine


@routine
def ray_triangle(a, b, c, start, direction, length):
    """The ray passes all sides on the same hand; triangles that share a side leave no gap between them.

    With corners seen from the start, the hand of the side a b is the sign of  direction . (a x b), which changes
    exactly if the side is run the other way; s = a . m / direction . m  with m = (b - a) x (c - a).
    Source: M. Segura, F. Feito, Algorithms to test ray-triangle intersection, WSCG 2001.
    """
    m = (b - a).cross(c - a)
    a, b, c = a - start, b - start, c - start
    u, v, w = direction @ b.cross(c), direction @ c.cross(a), direction @ a.cross(b)
    rate = direction @ m
    same_hand = (u >= 0.0 and v >= 0.0 and w >= 0.0) or (u <= 0.0 and v <= 0.0 and w <= 0.0)
    if same_hand and rate != 0.0:
        s = (a @ m) / rate
        if in_reach(s, math.inf, length):
            return s, unit_or(m, m)
    return miss()
