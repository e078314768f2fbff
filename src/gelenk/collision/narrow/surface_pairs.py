"""Pairs of triangles of two surfaces that are near each other (V-20, V-21).

Both trees of boxes are descended together: of two boxes that come within the margin the larger one is opened, until
two leaves are left. Boxes count as apart if they are along an axis of either surface. Triangles of a height field are
looked up by the boxes of those of the other surface.

Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree (1996), with six of its fifteen axes.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.facet import Facet
from gelenk.collision.mesh_nearest import leaf_corners
from gelenk.collision.mesh_tree import child, child_box, leaf_box
from gelenk.collision.narrow.face_to_face import face_to_face
from gelenk.collision.narrow.facet_contact import FLAT
from gelenk.collision.narrow.facet_facet import corners_over_faces, sides_across, turned
from gelenk.collision.narrow.facet_pierce import pierce
from gelenk.collision.narrow.facet_tips import corner_to_corner, corner_to_side
from gelenk.collision.narrow.surface_inside import own_corners
from gelenk.collision.narrow.surface_meets import field_meets
from gelenk.collision.solid import FIELD, MESH
from gelenk.collision.surface import surface_bends, surface_bounds, surface_face, surface_facet, surface_in_box
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3


@helper
def grown_box(p, q, s, way):
    """Box around three points, grown."""
    return Bounds(
        min(p.x, q.x, s.x) - way,
        min(p.y, q.y, s.y) - way,
        min(p.z, q.z, s.z) - way,
        max(p.x, q.x, s.x) + way,
        max(p.y, q.y, s.y) + way,
        max(p.z, q.z, s.z) + way,
    )


@helper
def turned_box(box, R, c, way):
    """Box around a box that was turned by R and moved by c, grown."""
    x, y, z = 0.5 * (box.x_high - box.x), 0.5 * (box.y_high - box.y), 0.5 * (box.z_high - box.z)
    m = R @ Vec3(box.x + x, box.y + y, box.z + z) + c
    u = abs(R.xx) * x + abs(R.xy) * y + abs(R.xz) * z + way
    v = abs(R.yx) * x + abs(R.yy) * y + abs(R.yz) * z + way
    w = abs(R.zx) * x + abs(R.zy) * y + abs(R.zz) * z + way
    return Bounds(m.x - u, m.y - v, m.z - w, m.x + u, m.y + v, m.z + w)


@helper
def largest_side(box):
    """Longest side of a box."""
    return max(box.x_high - box.x, box.y_high - box.y, box.z_high - box.z)


@helper
def range_over(F, G):
    """Lowest and highest corner of G over the plane of F."""
    a, b, c = (G.p - F.p) @ F.n, (G.q - F.p) @ F.n, (G.s - F.p) @ F.n
    return min(a, b, c), max(a, b, c)


@helper
def with_own_corners(F, X, tables, t):
    """A facet with those corners alone as tips that are looked at from it."""
    return Facet(F.p, F.q, F.s, F.n, F.n_pq, F.n_qs, F.n_sp, own_corners(X, tables, t))


@routine
def touch_facets(F, G, t, u, q, tables, surface):
    """Points of facets F, number t of A, and G, number u of B, that do not overlap."""
    if F.n @ G.n < -FLAT:
        face_to_face(F, G, t, u, q, surface)
    F, G = with_own_corners(F, q.A, tables, t), with_own_corners(G, q.B, tables, u)
    if F.tips != 0 or G.tips != 0:
        corners_over_faces(F, G, t, u, q, tables, surface)
        if q.margin > 0.0:
            corner_to_corner(q.A, q.B, q.R, F, G, t, u, q.margin, tables, surface)
            corner_to_side(q.A, q.B, q.R, F, G, t, u, q.margin, tables, surface)
    sides_across(F, G, t, u, q, surface)


@helper
def has_features(X, tables, t):
    """Whether a triangle has a side that bends outward or a corner that can touch."""
    if X.kind == MESH:
        tips = tables.meshes.tips[np.int64(tables.meshes.mesh[X.table].face) + t] != 0
        if tips or own_corners(X, tables, t) != 0:
            return True
    return surface_bends(X, tables, t)


@routine
def look_at_pair(F, G, t, u, q, tables, surface):
    """Points of triangle t of A and u of B, whose boxes are near each other, and where they pass through each other.

    F and G are those triangles, axes of A, without what lies around them.
    """
    low, high = range_over(F, G)
    if low > q.margin + q.slack:
        return
    low_f, high_f = range_over(G, F)
    if low_f > q.margin + q.slack:
        return
    if low <= q.slack and high >= -q.slack and low_f <= q.slack and high_f >= -q.slack:
        pierce(F, G, t, u, q, tables, surface)
    # interior of flat parts: the border of them tells
    if has_features(q.A, tables, t) or has_features(q.B, tables, u):
        G = turned(surface_facet(q.B, tables, u), q.R, q.c)
        touch_facets(surface_facet(q.A, tables, t), G, t, u, q, tables, surface)


@helper
def leaf_facet(meshes, X, k):
    """Number of the triangle in place k of the leaves, and the triangle without what lies around it."""
    t = np.int64(meshes.leaf_face[k])
    a, b, c = leaf_corners(meshes, k)
    n = get3(meshes.outward, np.int64(meshes.mesh[X.table].face) + t)
    return t, Facet(a, b, c, n, n, n, n, 0)


@routine
def look_at_leaves(first_a, size_a, first_b, size_b, q, tables, surface):
    """Pairs of triangles of two leaves."""
    meshes = tables.meshes
    for j in range(first_b, first_b + size_b):
        u, G = leaf_facet(meshes, q.B, j)
        G = turned(G, q.R, q.c)
        box = grown_box(G.p, G.q, G.s, q.margin + q.slack)
        for i in range(first_a, first_a + size_a):
            if box.meets(leaf_box(meshes, i)):
                t, F = leaf_facet(meshes, q.A, i)
                look_at_pair(F, G, t, u, q, tables, surface)


@helper
def put_walk(walk, top, a, b):
    """A pair of children, each as  2 node + side,  that is still to be looked at."""
    walk[top, 0], walk[top, 1] = a, b
    return top + 1


@routine
def look_at_meshes(q, tables, surface):
    """All pairs of triangles of two meshes that are near each other, both trees descended together."""
    meshes, walk, grown = tables.meshes, surface.walk, q.margin + q.slack
    back, back_c = q.R.transposed(), -q.R.tdot(q.c)
    root_a, root_b = np.int64(meshes.mesh[q.A.table].node), np.int64(meshes.mesh[q.B.table].node)
    top = 0
    for i in range(4):
        top = put_walk(walk, top, 2 * root_a + (i & 1), 2 * root_b + (i >> 1))
    while top > 0:
        top -= 1
        a, b = walk[top, 0], walk[top, 1]
        box_a, box_b = child_box(meshes, a >> 1, a & 1), child_box(meshes, b >> 1, b & 1)
        if not turned_box(box_b, q.R, q.c, grown).meets(box_a):
            continue
        if not turned_box(box_a, back, back_c, grown).meets(box_b):
            continue
        first_a, size_a = child(meshes, a >> 1, a & 1)
        first_b, size_b = child(meshes, b >> 1, b & 1)
        if size_a > 0 and size_b > 0:
            look_at_leaves(first_a, size_a, first_b, size_b, q, tables, surface)
        elif size_b > 0 or (size_a == 0 and largest_side(box_a) >= largest_side(box_b)):
            top = put_walk(walk, top, 2 * first_a, b)
            top = put_walk(walk, top, 2 * first_a + 1, b)
        else:
            top = put_walk(walk, top, a, 2 * first_b)
            top = put_walk(walk, top, a, 2 * first_b + 1)


@routine
def look_at_field(t, q, tables, surface):
    """Pairs of triangle t of A with those of a field B."""
    F = surface_face(q.A, tables, t)
    back, back_c = q.R.transposed(), -q.R.tdot(q.c)
    box = grown_box(back @ F.p + back_c, back @ F.q + back_c, back @ F.s + back_c, q.margin + q.slack)
    room = surface.found.shape[0]
    count = surface_in_box(q.B, tables, box, surface.found)
    surface.counts[3] = max(surface.counts[3], count - room)
    for i in range(min(count, room)):
        u = np.int64(surface.found[i])
        look_at_pair(F, turned(surface_face(q.B, tables, u), q.R, q.c), t, u, q, tables, surface)


@routine
def look_at_mesh_and_field(q, tables, surface):
    """All pairs of triangles of a mesh A and a field B: boxes of A that come near the heights below them are opened."""
    meshes, walk, grown = tables.meshes, surface.walk, q.margin + q.slack
    back, back_c = q.R.transposed(), -q.R.tdot(q.c)
    root = np.int64(meshes.mesh[q.A.table].node)
    top = put_walk(walk, 0, 2 * root, 0)
    top = put_walk(walk, top, 2 * root + 1, 0)
    while top > 0:
        top -= 1
        a = walk[top, 0]
        box = turned_box(child_box(meshes, a >> 1, a & 1), back, back_c, grown)
        if box.is_box() and field_meets(tables.fields, q.B.table, box):
            first, size = child(meshes, a >> 1, a & 1)
            for i in range(first, first + size):
                look_at_field(np.int64(meshes.leaf_face[i]), q, tables, surface)
            if size == 0:
                top = put_walk(walk, top, 2 * first, 0)
                top = put_walk(walk, top, 2 * first + 1, 0)


@routine
def look_at_fields(q, tables, surface):
    """All pairs of triangles of two fields."""
    box = turned_box(surface_bounds(q.B, tables), q.R, q.c, q.margin + q.slack)
    room = surface.found_b.shape[0]
    count = surface_in_box(q.A, tables, box, surface.found_b)
    surface.counts[3] = max(surface.counts[3], count - room)
    for i in range(min(count, room)):
        look_at_field(np.int64(surface.found_b[i]), q, tables, surface)


@routine
def look_at_surfaces(q, tables, surface):
    """All pairs of triangles of two surfaces that are near each other."""
    if q.A.kind == FIELD:
        look_at_fields(q, tables, surface)
    elif q.B.kind == FIELD:
        look_at_mesh_and_field(q, tables, surface)
    else:
        look_at_meshes(q, tables, surface)
