"""Meshes and height fields through one door: which triangles are near, and what they look like (V-20, V-21)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.facet import Facet
from gelenk.collision.field_table import (
    bend,
    cell_and_half,
    field_bounds,
    field_corners,
    field_facet,
    field_in_box,
    upward_normal,
)
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet
from gelenk.collision.mesh_tree import mesh_in_box
from gelenk.collision.solid import MESH
from gelenk.compile import routine
from gelenk.math.vec3 import get3


@routine
def surface_facet(A, tables, t):
    """Triangle t of a surface, axes of the surface."""
    if A.kind == MESH:
        return mesh_facet(tables.meshes, A.table, t)
    return field_facet(tables.fields, A.table, t)


@routine
def surface_face(A, tables, t):
    """The same without what lies around it, as of a flat surface: far less to load."""
    if A.kind == MESH:
        meshes, mesh = tables.meshes, tables.meshes.mesh[A.table]
        i, vertex = np.int64(mesh.face) + np.int64(t), np.int64(mesh.vertex)
        p = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 0]))
        q = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 1]))
        s = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 2]))
        n = get3(meshes.outward, i)
    else:
        field = tables.fields.field[A.table]
        x, y, half = cell_and_half(field, t)
        p, q, s = field_corners(tables.fields, field, x, y, half)
        n = upward_normal(tables.fields, field, x, y, half)
    return Facet(p, q, s, n, n, n, n, 0)


@routine
def surface_vertices(A, tables, t):
    """Numbers of the three corners of triangle t among those of the surface."""
    if A.kind == MESH:
        meshes = tables.meshes
        i = np.int64(meshes.mesh[A.table].face) + np.int64(t)
        return np.int64(meshes.face[i, 0]), np.int64(meshes.face[i, 1]), np.int64(meshes.face[i, 2])
    field = tables.fields.field[A.table]
    i, j, half = cell_and_half(field, t)
    p = np.int64(i * field.ny + j)
    r = np.int64(p + field.ny + 1)
    return (p, np.int64(r - 1), r) if half == 0 else (p, r, np.int64(p + 1))


@routine
def surface_bends(A, tables, t):
    """Whether the surface bends outward or ends at a side of triangle t."""
    if A.kind == MESH:
        meshes = tables.meshes
        i = np.int64(meshes.mesh[A.table].face) + np.int64(t)
        return meshes.across[i, 0] != t or meshes.across[i, 1] != t or meshes.across[i, 2] != t
    fields, field = tables.fields, tables.fields.field[A.table]
    i, j, half = cell_and_half(field, t)
    if bend(fields, field, i, j, 1, 1) > 0.0:
        return True
    if half == 0:
        return bend(fields, field, i, j, 1, 0) > 0.0 or bend(fields, field, i + 1, j, 0, 1) > 0.0
    return bend(fields, field, i, j + 1, 1, 0) > 0.0 or bend(fields, field, i, j, 0, 1) > 0.0


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
