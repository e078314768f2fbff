"""Whether a box comes near a surface at all: as ``mesh_in_box`` and ``field_in_box``, up to the first triangle."""

from __future__ import annotations

import numpy as np

from gelenk.collision.field_raster import END, block_bounds, cells_in, first_below, holding_block, next_block
from gelenk.collision.mesh_tree import child, child_box, leaf_box
from gelenk.compile import routine


@routine
def mesh_meets(meshes, index, box):
    """Whether the box of a triangle of a mesh meets a box, axes of the mesh."""
    top, node = 0, np.int64(meshes.mesh[index].node)
    while True:
        for side in range(2):
            if box.meets(child_box(meshes, node, side)):
                first, size = child(meshes, node, side)
                if size == 0:
                    meshes.stack[top, 0] = first
                    top += 1
                for k in range(first, first + size):
                    if box.meets(leaf_box(meshes, k)):
                        return True
        if top == 0:
            return False
        top -= 1
        node = np.int64(meshes.stack[top, 0])


@routine
def field_meets(fields, index, box):
    """Whether the box of a cell of a field meets a box, axes of the field."""
    field = fields.field[index]
    cells = cells_in(field, box.x, box.x_high, box.y, box.y_high)
    level, i, j = holding_block(cells)
    while level != END:
        block = block_bounds(fields, field, level, i, j)
        if block.z <= box.z_high and box.z <= block.z_high:
            if level == 0:
                return True
            level, i, j = first_below(level, i, j, cells)
        else:
            level, i, j = next_block(level, i, j, cells)
    return False
