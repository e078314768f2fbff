"""Hulls of a model in one table, as the pair routines read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.collision.face_tree import face_tree
from gelenk.collision.solid import EDGE_RECORD, FACE_RECORD, HULL_RECORD, NODE_RECORD, Hulls
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box


def pack_hulls(hulls: Sequence[ConvexHull]) -> Hulls:
    """All hulls one after the other; ``Solid.table`` is the place in the sequence."""
    trees = [face_tree(hull) for hull in hulls]
    v, e, f, loop = (
        np.concatenate(([0], np.cumsum([len(part(hull)) for hull in hulls]))).astype(np.int64)
        for part in (_vertices, _edges, _faces, _loop)
    )
    node = np.concatenate(([0], np.cumsum([len(nodes) for nodes, _ in trees]))).astype(np.int64)
    table = Hulls(
        np.zeros(len(hulls), HULL_RECORD).view(np.recarray),
        np.zeros((v[-1], 3)),
        np.zeros(e[-1], EDGE_RECORD).view(np.recarray),
        np.zeros(f[-1], FACE_RECORD).view(np.recarray),
        np.zeros(loop[-1], np.uint32),
        np.zeros(loop[-1], np.uint32),
        np.zeros(v[-1] + 1, np.uint32),
        np.zeros(2 * e[-1], np.uint32),
        np.zeros(2 * e[-1], np.uint32),
        np.zeros(node[-1], NODE_RECORD).view(np.recarray),
        node.astype(np.uint32),
        np.zeros(f[-1], np.uint32),
    )
    for i, (hull, (nodes, faces)) in enumerate(zip(hulls, trees)):
        table.hull[i] = (v[i], v[i + 1], e[i], e[i + 1], f[i], f[i + 1])
        table.vertex[v[i] : v[i + 1]] = hull.vertices
        edge = table.edge[e[i] : e[i + 1]]
        edge["tail"], edge["head"] = hull.edges[:, 0] + v[i], hull.edges[:, 1] + v[i]
        edge["left"], edge["right"] = hull.edges[:, 2] + f[i], hull.edges[:, 3] + f[i]
        face = table.face[f[i] : f[i + 1]]
        face["first"], face["last"] = hull.face_first[:-1] + loop[i], hull.face_first[1:] + loop[i]
        face["n"], face["d"] = hull.normals, hull.offsets
        table.loop[loop[i] : loop[i + 1]] = hull.loop + v[i]
        table.loop_edge[loop[i] : loop[i + 1]] = hull.loop_edge + e[i]
        part = table.node[node[i] : node[i + 1]]
        part[:] = nodes
        part["first"] += np.uint32(f[i])
        part["last"] += np.uint32(f[i])
        part["skip"] += np.uint32(node[i])
        table.node_face[f[i] : f[i + 1]] = faces + f[i]
    ends = np.column_stack((table.edge["tail"], table.edge["head"])).ravel()
    order = np.argsort(ends, kind="stable")
    table.fan[:], table.fan_vertex[:] = order // 2, ends[order ^ 1]
    table.fan_first[1:] = np.cumsum(np.bincount(ends, minlength=v[-1]))
    return table


def box_hull(box: Box) -> ConvexHull:
    """A box as a hull of eight vertices and six faces."""
    return ConvexHull(box.triangles()[0], element="box")


def _vertices(hull: ConvexHull) -> np.ndarray:
    return hull.vertices


def _edges(hull: ConvexHull) -> np.ndarray:
    return hull.edges


def _faces(hull: ConvexHull) -> np.ndarray:
    return hull.normals


def _loop(hull: ConvexHull) -> np.ndarray:
    return hull.loop
