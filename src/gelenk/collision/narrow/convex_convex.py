"""Any two convex solids (V-25, V-28, I-088, I-091..I-093, H-75): for pairs without a routine of their own."""

from __future__ import annotations

from gelenk.collision.epa import distance_within
from gelenk.collision.manifold import put_point
from gelenk.collision.region import region
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def closest(A, B, r, margin, hulls, memory, convex):
    """Signed distance, normal and point of A within the margin; the normal and the vertices of hulls are remembered."""
    convex.near[0], convex.near[1] = memory.features[0], memory.features[1]
    guess = Vec3(memory.guess[0], memory.guess[1], memory.guess[2])
    d, n, a = distance_within(A, B, r, guess, margin, hulls, convex)
    memory.guess[0], memory.guess[1], memory.guess[2] = n.x, n.y, n.z
    memory.features[0], memory.features[1] = convex.near[0], convex.near[1]
    return d, n, a


@routine
def convex_convex(A, B, r, margin, tables, memory, work, out):
    """Points of two convex solids: the whole region in which they face each other; the first is the deepest.

    tables: block with ``hulls``; work: block with ``convex`` (ConvexWork) and ``region`` (RegionSpace).
    """
    d, n, a = closest(A, B, r, margin, tables.hulls, memory, work.convex)
    if d > margin:
        return 0
    return region(A, B, r, margin, d, n, a, tables.hulls, work.convex.near, work.region, out)


@routine
def convex_single(A, B, r, margin, tables, memory, work, out):
    """The closest or deepest points alone (H-71)."""
    d, n, a = closest(A, B, r, margin, tables.hulls, memory, work.convex)
    if d > margin:
        return 0
    put_point(out, 0, a, r, n, d, 0, 0)
    return 1
