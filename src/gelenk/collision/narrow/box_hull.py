"""Box against convex hull: V-Clip with the box as a polyhedron, and the contact region (H-63..H-71, I-087, I-091)."""

from __future__ import annotations

from gelenk.collision.clip import KEPT
from gelenk.collision.hull_manifold import CORNERS, polyhedra
from gelenk.collision.manifold import swap_sides
from gelenk.collision.narrow.hull_hull import still_apart
from gelenk.collision.polyhedra import BOX_ROW, box_feature, put_box
from gelenk.collision.solid import HULL, Solid
from gelenk.compile import routine


@routine
def box_hull(A, B, r, margin, tables, memory, work, out):
    """Contact points, the number of them; ``work.clip`` is a :class:`ClipSpace`.

    The hull comes first, since the depth looks along the arcs of the first: those of a box are long and cross many.
    """
    space, hulls = work.clip, tables.hulls
    put_box(space.small, A.size)
    box = Solid(HULL, BOX_ROW, A.R, A.size)
    if still_apart(B, box, -r, margin, hulls, space.small, memory):
        return 0
    count = polyhedra(B, box, -r, margin, hulls, space.small, memory, space, CORNERS, min(KEPT, out.shape[0]), out)
    for k in range(count):
        out[k].feature_b = box_feature(out[k].feature_b)
        swap_sides(out[k])
    return count
