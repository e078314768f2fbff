"""What is there at the start of a motion: solids inside each other (V-06).

A mesh or a height field has an inside that its triangles do not show. Where no triangle of it is touched, one point of
the other solid tells whether that is inside.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.ball_query import has_children
from gelenk.collision.ball_table import ball_centre
from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_table import field_height
from gelenk.collision.impact_coming import COMING, EVERY, LATER, comes_together
from gelenk.collision.impact_pieces import impact_of_pieces
from gelenk.collision.impact_time import Impact, no_impact
from gelenk.collision.map_query import mesh_of
from gelenk.collision.mesh_nearest import leaf_corners
from gelenk.collision.mesh_table import mesh_bounds
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.solid import BALLS, FIELD, MAP, MESH, PLANE, core_support
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@routine
def some_point(solid, tables):
    """A point of a solid that is convex, a mesh or a tree of balls, from its centre, world axes."""
    if solid.kind == BALLS:
        node = np.int64(tables.balls.root[solid.table])
        while has_children(tables.balls, node):
            node = np.int64(tables.balls.child_first[node])
        return solid.R @ ball_centre(tables.balls, node)
    if solid.kind == MESH:
        return solid.R @ leaf_corners(tables.meshes, np.int64(tables.meshes.mesh[solid.table].face))[0]
    x = Vec3(1.0, 0.0, 0.0)  # the middle of two points of a convex solid is one of it
    return (core_support(solid, tables.hulls, x) + core_support(solid, tables.hulls, -x)) * 0.5


@routine
def may_hold(solid, tables, p):
    """Whether a point, from the centre of a mesh or a field, may lie inside: a test that costs little."""
    u = solid.R.tdot(p)
    if solid.kind == MESH:
        point = Bounds(u.x, u.y, u.z, u.x, u.y, u.z)
        return tables.meshes.mesh[solid.table].closed == 1 and mesh_bounds(tables.meshes, solid.table).holds(point)
    return u.z < field_height(tables.fields, solid.table, u.x, u.y)[0]


@routine
def held_in(A, B, r, tables):
    """Contact at t = 0 of a solid A, a point of which lies in the mesh or field B; t infinite: it does not."""
    if (B.kind != MESH and B.kind != FIELD) or A.kind == PLANE or A.kind == FIELD:
        return no_impact()
    a = some_point(A, tables)
    if not may_hold(B, tables, a - r):
        return no_impact()
    d, b, n = nearest_on_solid(B, tables, a - r)
    return Impact(0.0, d, -n, a, b) if d < 0.0 else no_impact()


@helper
def swapped(impact):
    """The same with A and B changed over."""
    return Impact(impact.t, impact.d, -impact.n, impact.b, impact.a)


@routine
def held(A, B, r, tables):
    """Contact at t = 0 of two solids, one of which is a mesh or a field and holds a point of the other."""
    found = held_in(A, B, r, tables)
    return found if found.t == 0.0 else swapped(held_in(B, A, -r, tables))


@routine
def impact_of(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):
    """First contact until t_end of two solids of any kind that move, at t = 0 if one begins inside the other.

    Maps are as their meshes. counts: EVERY, COMING or LATER, see :mod:`gelenk.collision.impact_coming`; ``work``: a
    ConvexWork; the rest as for :func:`gelenk.collision.impact_pieces.impact_of_pieces`.
    """
    if A.kind == MAP:
        A = mesh_of(A, tables.maps)
    if B.kind == MAP:
        B = mesh_of(B, tables.maps)
    inside = held(A, B, r, tables)
    if inside.t == 0.0:
        coming = comes_together(motion_A, motion_A.arm, inside.a, motion_B, motion_B.arm, inside.b, inside.n)
        if counts == EVERY or (counts == COMING and coming):
            return inside
        counts = LATER
    return impact_of_pieces(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack)
