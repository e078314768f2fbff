"""Solids that are not convex as trees of convex pieces: triangles of meshes and height fields, balls of trees of balls.

A node is a convex solid that holds all below it: a box of the tree of a mesh, a block of cells of a field, a ball. It
is named by one whole number, its *item*; a solid that is convex, or a plane, has the item 0 alone.

    balls    item  node of the tree
    mesh     -1 the whole;  2 row + side  a child in the tree of boxes;  -2 - k  the triangle in place k of the leaves
    field    level, i, j of a block of cells in one number;  -1 - t  the triangle t;  in place of the level WHOLE_FIELD,
             or WALL + side, level of a range, place of it;  WALL_TRIANGLE + side, WALL_STRIP + side, cell
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.ball_query import has_children
from gelenk.collision.ball_table import ball_centre
from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_raster import SHIFT, SIDE, block_bounds, triangle_of
from gelenk.collision.field_table import cell_and_half, field_corners, field_facet
from gelenk.collision.field_walls import (
    wall_bottom,
    wall_cells,
    wall_range,
    wall_strip,
    wall_top_level,
    wall_triangle,
)
from gelenk.collision.mesh_nearest import leaf_corners
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet
from gelenk.collision.mesh_tree import child, child_box
from gelenk.collision.motion import shape_matrix
from gelenk.collision.solid import BALLS, BOX, FIELD, MESH, SPHERE, TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

WHOLE = -1  # item of a whole mesh
LEVEL_BIT, ROW_BIT = 52, 26  # where the level and the row of a block begin in its item
LOW_BITS = (1 << ROW_BIT) - 1
WHOLE_FIELD, WALL, WALL_TRIANGLE, WALL_STRIP = 32, 64, 68, 72  # above all levels of blocks


@helper
def block_item(level, i, j):
    """Item of a block of a field."""
    return (np.int64(level) << LEVEL_BIT) + (np.int64(i) << ROW_BIT) + np.int64(j)


@helper
def block_of(item):
    """Level, i and j of a block."""
    return item >> LEVEL_BIT, (item >> ROW_BIT) & LOW_BITS, item & LOW_BITS


@routine
def whole_item(solid, tables):
    """Item of all of a solid."""
    if solid.kind == BALLS:
        return np.int64(tables.balls.root[solid.table])
    if solid.kind == MESH:
        return np.int64(WHOLE)
    if solid.kind == FIELD:
        return block_item(WHOLE_FIELD, 0, 0)
    return np.int64(0)


@helper
def blocks_below(samples, level, i):
    """How many blocks of the next finer level lie in row i of a level, along one axis."""
    finer = SHIFT * (level - 1)
    count = ((samples - 2) >> finer) + 1
    return min(SIDE, count - (i << SHIFT))


@routine
def children(solid, tables, item):
    """Number of nodes below a node; 0: it is a piece."""
    if solid.kind == BALLS:
        return np.int64(tables.balls.child_last[item]) - np.int64(tables.balls.child_first[item])
    if solid.kind == MESH:
        if item < WHOLE:
            return np.int64(0)
        size = np.int64(0)
        if item != WHOLE:
            _, size = child(tables.meshes, item >> 1, item & 1)
        return size if size > 0 else np.int64(2)
    if solid.kind == FIELD and item >= 0:
        field = tables.fields.field[solid.table]
        level, i, j = block_of(item)
        if level >= WALL_TRIANGLE:
            return np.int64(0)
        if level >= WALL:
            return np.int64(blocks_below(wall_cells(field, level - WALL) + 1, i, j) if i > 0 else 2)
        if level == WHOLE_FIELD:
            return np.int64(5)
        if level == 0:
            return np.int64(2)
        return np.int64(blocks_below(field.nx, level, i) * blocks_below(field.ny, level, j))
    return np.int64(0)


@routine
def child_item(solid, tables, item, k):
    """Item of child k of a node."""
    if solid.kind == BALLS:
        return np.int64(tables.balls.child_first[item]) + k
    if solid.kind == MESH:
        first, size = np.int64(tables.meshes.mesh[solid.table].node), np.int64(0)
        if item != WHOLE:
            first, size = child(tables.meshes, item >> 1, item & 1)
        return -2 - (first + k) if size > 0 else 2 * first + k
    field = tables.fields.field[solid.table]
    level, i, j = block_of(item)
    if level == WHOLE_FIELD:
        if k == 4:
            return block_item(field.top, 0, 0)
        return block_item(WALL + k, wall_top_level(field, k), 0)
    if level >= WALL:
        if i > 0:
            return block_item(level, i - 1, (j << SHIFT) + k)
        return block_item(level - WALL + (WALL_TRIANGLE if k == 0 else WALL_STRIP), 0, j)
    if level == 0:
        return np.int64(-1 - triangle_of(field, i, j, k))
    columns = blocks_below(field.ny, level, j)
    return block_item(level - 1, (i << SHIFT) + k // columns, (j << SHIFT) + k % columns)


@helper
def as_box(solid, box):
    """A box in the axes of a solid, and the way to its middle, world axes."""
    half = Vec3(0.5 * (box.x_high - box.x), 0.5 * (box.y_high - box.y), 0.5 * (box.z_high - box.z))
    middle = Vec3(0.5 * (box.x_high + box.x), 0.5 * (box.y_high + box.y), 0.5 * (box.z_high + box.z))
    return Solid(BOX, 0, solid.R, half), solid.R @ middle


@helper
def as_triangle(solid, p, q, s):
    """A triangle in the axes of a solid, taken from its own middle so that no digits are lost far from the centre."""
    p, q, s = solid.R @ p, solid.R @ q, solid.R @ s
    g = (p + q + s) * (1.0 / 3.0)
    return Solid(TRIANGLE, 0, shape_matrix(p - g, q - g, s - g), Vec3(0.0, 0.0, 0.0)), g


@routine
def piece_of(solid, tables, item):
    """A node as a convex solid, and the way to its centre from that of the whole, world axes."""
    if solid.kind == BALLS:
        balls = tables.balls
        radius = balls.reach[item] if has_children(balls, item) else balls.ball[item, 3]
        return Solid(SPHERE, 0, solid.R, Vec3(radius, 0.0, 0.0)), solid.R @ ball_centre(balls, item)
    if solid.kind == MESH:
        if item < WHOLE:
            p, q, s = leaf_corners(tables.meshes, -2 - item)
            return as_triangle(solid, p, q, s)
        if item == WHOLE:
            return as_box(solid, mesh_bounds(tables.meshes, solid.table))
        return as_box(solid, child_box(tables.meshes, item >> 1, item & 1))
    if solid.kind == FIELD:
        field = tables.fields.field[solid.table]
        if item < 0:
            i, j, half = cell_and_half(field, -1 - item)
            p, q, s = field_corners(tables.fields, field, i, j, half)
            return as_triangle(solid, p, q, s)
        level, i, j = block_of(item)
        if level >= WALL_STRIP:
            return as_box(solid, wall_strip(tables.fields, solid.table, level - WALL_STRIP, j))
        if level >= WALL_TRIANGLE:
            p, q, s = wall_triangle(tables.fields, solid.table, level - WALL_TRIANGLE, j)
            return as_triangle(solid, p, q, s)
        if level >= WALL:
            return as_box(solid, wall_range(tables.fields, solid.table, level - WALL, i, j))
        if level == WHOLE_FIELD:
            box = block_bounds(tables.fields, field, field.top, 0, 0)
            bottom = wall_bottom(field, box)
            return as_box(solid, Bounds(box.x, box.y, bottom, box.x_high, box.y_high, box.z_high))
        return as_box(solid, block_bounds(tables.fields, field, level, i, j))
    return solid, Vec3(0.0, 0.0, 0.0)


@helper
def is_void(piece):
    """Whether a node holds nothing: a mesh of one triangle has such a child."""
    return piece.kind == BOX and not piece.size.x >= 0.0


@helper
def wall_of(solid, item):
    """Side of a height field that a piece is of, or -1."""
    if solid.kind != FIELD or item < 0:
        return np.int64(-1)
    return (item >> LEVEL_BIT) & 3


@routine
def facet_of_piece(solid, tables, item):
    """The triangle of a mesh or of the top of a field, with the normals its contacts may have, shape axes."""
    if solid.kind == MESH:
        return mesh_facet(tables.meshes, solid.table, np.int64(tables.meshes.leaf_face[-2 - item]))
    return field_facet(tables.fields, solid.table, -1 - item)
