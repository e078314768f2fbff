"""Convex hull against triangle: V-Clip, the triangle as a polyhedron of two faces (H-63..H-71, I-087, I-091)."""

from __future__ import annotations

from gelenk.collision.clip import KEPT
from gelenk.collision.hull_manifold import CORNERS, polyhedra
from gelenk.collision.narrow.hull_hull import still_apart
from gelenk.collision.narrow.triangle import corners, triangle_normal
from gelenk.collision.polyhedra import TRIANGLE_ROW, put_triangle, triangle_feature
from gelenk.collision.solid import HULL, Solid
from gelenk.compile import routine
from gelenk.math.rotation import Mat3


@routine
def hull_triangle(A, B, r, margin, tables, memory, work, out):
    """Contact points, the number of them; ``work.clip`` is a :class:`ClipSpace`. The triangle has world axes."""
    space = work.clip
    a, b, c = corners(B)
    put_triangle(space.small, a, b, c, triangle_normal(a, b, c))
    triangle = Solid(HULL, TRIANGLE_ROW, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), B.size)
    if still_apart(A, triangle, r, margin, tables.hulls, space.small, memory):
        return 0
    most = min(KEPT, out.shape[0])
    count = polyhedra(A, triangle, r, margin, tables.hulls, space.small, memory, space, CORNERS, most, out)
    for k in range(count):
        out[k].feature_b = triangle_feature(out[k].feature_b)
    return count
