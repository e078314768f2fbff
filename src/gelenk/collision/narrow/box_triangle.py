"""Box against triangle: V-Clip with both as small polyhedra (H-63..H-71, I-087, I-091)."""

from __future__ import annotations

from gelenk.collision.clip import KEPT
from gelenk.collision.hull_manifold import CORNERS, polyhedra
from gelenk.collision.narrow.hull_hull import still_apart
from gelenk.collision.narrow.triangle import corners, triangle_normal
from gelenk.collision.polyhedra import BOX_ROW, TRIANGLE_ROW, box_feature, put_box, put_triangle, triangle_feature
from gelenk.collision.solid import HULL, Solid
from gelenk.compile import routine
from gelenk.math.rotation import Mat3


@routine
def box_triangle(A, B, r, margin, tables, memory, work, out):
    """Contact points, the number of them; ``work.clip`` is a :class:`ClipSpace`. The triangle has world axes."""
    space = work.clip
    a, b, c = corners(B)
    put_box(space.small, A.size)
    put_triangle(space.small, a, b, c, triangle_normal(a, b, c))
    box = Solid(HULL, BOX_ROW, A.R, A.size)
    triangle = Solid(HULL, TRIANGLE_ROW, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), B.size)
    if still_apart(box, triangle, r, margin, space.small, space.small, memory):
        return 0
    most = min(KEPT, out.shape[0])
    count = polyhedra(box, triangle, r, margin, space.small, space.small, memory, space, CORNERS, most, out)
    for k in range(count):
        out[k].feature_a, out[k].feature_b = box_feature(out[k].feature_a), triangle_feature(out[k].feature_b)
    return count
