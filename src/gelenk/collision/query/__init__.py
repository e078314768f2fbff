"""Queries on a single solid: where a ray meets it, its point nearest to a point, its box (V-18, V-19).

One file a shape for rays, in shape axes:  ``ray_<kind>(size or table, start, direction, length) -> (s, n)``.

    start + s direction    first point of the solid on the ray, 0 <= s <= length; s is infinite if there is none
    n                      outward unit normal there; zero if there is none

The direction need not be of unit length: s and length count in lengths of it, so a segment from a to b has
direction = b - a, length = 1. A ray that starts in a solid or on its surface has s = 0 and n against the direction;
``ray_start.py`` then gives it the normal of the surface, or takes it on to what it meets next.
Solids are closed; a ray that only grazes one, to round-off, may find it or not. A triangle has no inside: it is met
from both sides, its normal always looks to where its corners go counter-clockwise, and a ray in its plane misses it.

``ray.py``, ``nearest.py`` and ``bounds.py`` choose by kind, in world axes from the centre of the solid.
"""
