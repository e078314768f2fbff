"""Walks through the tree of boxes over a mesh, and the triangles in a box (V-20).

Nodes are rows of ``Meshes.box`` and ``Meshes.link``. A walk goes on with the nearer child and puts the other aside.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.compile import helper, routine


@helper
def child_box(meshes, node, side):
    """Box of a child of a node."""
    box, k = meshes.box, 6 * side
    return Bounds(
        np.float64(box[node, k]),
        np.float64(box[node, k + 1]),
        np.float64(box[node, k + 2]),
        np.float64(box[node, k + 3]),
        np.float64(box[node, k + 4]),
        np.float64(box[node, k + 5]),
    )


@helper
def child(meshes, node, side):
    """Node of a child and 0, or for a leaf where its triangles begin and how many they are."""
    return np.int64(meshes.link[node, 12 + side]), np.int64(meshes.link[node, 14 + side])


@helper
def put_aside(meshes, node, side, entry, top):
    """Put a child on the stack unless its entry is infinite; returns the new height. No branch to be foreseen."""
    meshes.stack[top, 0], meshes.stack[top, 1] = meshes.link[node, 12 + side], meshes.link[node, 14 + side]
    meshes.entry[top] = entry
    return top + 1 if entry < math.inf else top


@helper
def next_aside(meshes, limit, top):
    """Last child on the stack with an entry up to a limit, as ``child``, and the new height; -1 if there is none."""
    top -= 1
    while top >= 0 and meshes.entry[top] > limit:
        top -= 1
    last = max(top, 0)
    return np.int64(meshes.stack[last, 0]), np.int64(meshes.stack[last, 1]), top


@helper
def leaf_box(meshes, k):
    """Box of the triangle in place k of the leaves."""
    c = meshes.corner
    return Bounds(
        min(c[k, 0], c[k, 3], c[k, 6]),
        min(c[k, 1], c[k, 4], c[k, 7]),
        min(c[k, 2], c[k, 5], c[k, 8]),
        max(c[k, 0], c[k, 3], c[k, 6]),
        max(c[k, 1], c[k, 4], c[k, 7]),
        max(c[k, 2], c[k, 5], c[k, 8]),
    )


@routine
def mesh_in_box(meshes, index, box, found_out):
    """Triangles whose own boxes meet a box, in the order of the tree; as many as fit are written, all are counted."""
    count, top, node = 0, 0, np.int64(meshes.mesh[index].node)
    while True:
        for side in range(2):
            if box.meets(child_box(meshes, node, side)):
                first, size = child(meshes, node, side)
                if size == 0:
                    meshes.stack[top, 0] = first
                    top += 1
                for k in range(first, first + size):
                    if box.meets(leaf_box(meshes, k)):
                        if count < found_out.shape[0]:
                            found_out[count] = meshes.leaf_face[k]
                        count += 1
        if top == 0:
            return count
        top -= 1
        node = np.int64(meshes.stack[top, 0])
