"""Meshes and height fields through one door: which triangles are near, and what they look like (V-20, V-21)."""

from __future__ import annotations

from gelenk.collision.field_table import field_bounds, field_facet, field_in_box
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet
from gelenk.collision.mesh_tree import mesh_in_box
from gelenk.collision.solid import MESH
from gelenk.compile import routine


@routine
def surface_facet(A, tables, t):
    """Triangle t of a surface, axes of the surface."""
    if A.kind == MESH:
        return mesh_facet(tables.meshes, A.table, t)
    return field_facet(tables.fields, A.table, t)


@routine
def surface_in_box(A, tables, box, found_out):
    """Triangles of a surface whose bounds meet a box, axes of the surface; there may be more than there is room for."""
    if A.kind == MESH:
        return mesh_in_box(tables.meshes, A.table, box, found_out)
    return field_in_box(tables.fields, A.table, box, found_out)


@routine
def surface_bounds(A, tables):
    """Box around a whole surface, its own axes."""
    if A.kind == MESH:
        return mesh_bounds(tables.meshes, A.table)
    return field_bounds(tables.fields, A.table)
