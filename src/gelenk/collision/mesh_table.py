"""Triangle meshes of a model in one table, as collision reads them (V-20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.facet import Facet
from gelenk.collision.mesh_build import DEEPEST, build_tree, new_build_work, outward_float32
from gelenk.collision.mesh_cones import build_cones
from gelenk.collision.mesh_sides import RIM, face_normals, sides_and_tips
from gelenk.collision.mesh_vertices import shells, vertex_normals, vertex_owners
from gelenk.collision.mesh_wide import CHILDREN, WIDE_COLUMNS, widen
from gelenk.compile import helper
from gelenk.errors import InputError
from gelenk.geometry.mesh_check import check_vertices
from gelenk.math.vec3 import get3

MESH_RECORD = np.dtype(
    [
        ("vertex", "u4"),  # where its vertices, triangles and nodes begin in the table
        ("face", "u4"),
        ("node", "u4"),
        ("wide", "u4"),
        ("face_count", "u4"),
        ("low", "f8", (3,)),  # its bounds, shape axes [m]
        ("high", "f8", (3,)),
        ("reach", "f8"),  # largest coordinate without its sign [m]
        ("closed", "u4"),  # 1: it has no rim and bounds a volume, so that there is an inside
        ("shell", "u4"),  # where its connected pieces begin in the table, and how many they are
        ("shell_count", "u4"),
    ]
)


class Meshes(NamedTuple):
    """Triangle meshes of a model, each with a tree of boxes over its triangles. Triangles of a mesh count from 0.

    A node of the tree is one row of 64 bytes for its two children: columns 0 to 5 of ``box`` are the lowest x y z and
    highest x y z of the first, 6 to 11 those of the second. ``link`` is the same memory as whole numbers: 12 and 13 are
    the nodes of the children, or, for leaves, where their triangles begin in ``corner``; 14 and 15 are the counts of
    triangles of leaves, 0 for inner nodes. An absent child has an empty box, which nothing meets.
    ``wide`` is the same tree for rays, four children in a row of 128 bytes (:mod:`gelenk.collision.mesh_wide`).

    The stack is scratch of one query at a time: threads need copies of the block with a stack of their own.
    """

    mesh: np.ndarray  # (k,) MESH_RECORD
    vertex: np.ndarray  # (V, 3) shape axes [m]
    face: np.ndarray  # (F, 3) uint32 corners, counted within the mesh
    outward: np.ndarray  # (F, 3) unit normals
    across: np.ndarray  # (F, 3) uint32 triangle of the mesh with the farthest normal over a side, or RIM
    tips: np.ndarray  # (F,) int64 bit k: corner k can touch as a tip
    owner: np.ndarray  # (V,) uint32 triangle from which a vertex is looked at; RIM if no side there bends outward
    vertex_outward: np.ndarray  # (V, 3) unit normals at vertices
    shell: np.ndarray  # (S,) uint32 one triangle of each connected piece
    corner: np.ndarray  # (F, 9) the three corners in the order of the leaves [m]
    leaf_face: np.ndarray  # (F,) uint32 which triangle of the mesh that is
    box: np.ndarray  # (N, 16) float32 nodes; boxes are rounded outward, so no query misses a triangle
    link: np.ndarray  # (N, 16) uint32 the same memory
    wide: np.ndarray  # (W, 32) float32
    wide_link: np.ndarray  # (W, 32) uint32 the same memory
    cone: np.ndarray  # (N, 10) cones around the normals of both children, see ``build_cones``
    stack: np.ndarray  # (3 DEEPEST, 2) uint32 children still to be looked at, and their counts of triangles
    entry: np.ndarray  # (3 DEEPEST,) where the query meets them


def pack_meshes(meshes: Sequence[Any]) -> Meshes:
    """All meshes one after the other; ``Solid.table`` is the place in the sequence.

    Parameters
    ----------
    meshes : sequence
        Objects with ``vertices`` (n, 3) [m] and ``faces`` (m, 3), as ``TriangleMesh``. Open sheets are fine: a side of
        one triangle only, of more than two, or of two that turn opposite ways counts as the end of the surface.
    """
    parts = [_pack_one(k, mesh) for k, mesh in enumerate(meshes)]
    sizes = [[len(p.vertex), len(p.face), len(p.box), len(p.wide), len(p.shell)] for p in parts]
    first = np.cumsum([[0, 0, 0, 0, 0], *sizes], axis=0)
    record = np.zeros(len(parts), MESH_RECORD).view(np.recarray)
    for k, part in enumerate(parts):
        low, high = part.vertex[part.face].min(axis=(0, 1)), part.vertex[part.face].max(axis=(0, 1))
        reach = max(np.abs(low).max(), np.abs(high).max())
        closed = bounds_volume(part.vertex[part.face], part.across)
        record[k] = (*first[k, :4], len(part.face), low, high, reach, closed, first[k, 4], len(part.shell))
    nodes, wide = aligned_rows(int(first[-1, 2])), aligned_rows(int(first[-1, 3]), WIDE_COLUMNS)
    links, wide_links = nodes.view(np.uint32), wide.view(np.uint32)
    for k, part in enumerate(parts):
        here = slice(first[k, 2], first[k + 1, 2])
        nodes[here, :12] = part.box
        leaf = part.link[:, 2:] > 0
        links[here, 12:14] = part.link[:, :2] + np.where(leaf, first[k, 1], first[k, 2])
        links[here, 14:] = part.link[:, 2:]
        here = slice(first[k, 3], first[k + 1, 3])
        leaf = part.wide_link[:, CHILDREN:] > 0
        wide[here, : 6 * CHILDREN] = part.wide
        wide_links[here, 6 * CHILDREN : 7 * CHILDREN] = part.wide_link[:, :CHILDREN] + np.where(
            leaf, first[k, 1], first[k, 3]
        )
        wide_links[here, 7 * CHILDREN :] = part.wide_link[:, CHILDREN:]

    def joined(field: int, columns: tuple[int, ...], kind: Any) -> np.ndarray:
        return np.concatenate([np.zeros((0, *columns), kind), *(p[field] for p in parts)])

    return Meshes(
        record,
        joined(0, (3,), np.float64),
        joined(1, (3,), np.uint32),
        joined(2, (3,), np.float64),
        joined(3, (3,), np.uint32),
        joined(4, (), np.int64),
        joined(5, (), np.uint32),
        joined(6, (3,), np.float64),
        joined(7, (), np.uint32),
        joined(8, (9,), np.float64),
        joined(9, (), np.uint32),
        nodes,
        links,
        wide,
        wide_links,
        joined(14, (10,), np.float64),
        np.zeros((3 * DEEPEST + 1, 2), np.uint32),
        np.zeros(3 * DEEPEST + 1),
    )


def bounds_volume(corner: np.ndarray, across: np.ndarray) -> bool:
    """Whether triangles (F, 3, 3) have no rim and the volume inside,  sum of p . (q x s) / 6,  is positive."""
    p, q, s = np.moveaxis(corner - corner[0, 0], 1, 0)
    return not (across == RIM).any() and float(np.einsum("ij,ij->", p, np.cross(q, s))) > 0.0


class _Part(NamedTuple):
    """One mesh, with fields as in ``Meshes``, except for nodes of 12 and 4 columns."""

    vertex: np.ndarray
    face: np.ndarray
    outward: np.ndarray
    across: np.ndarray
    tips: np.ndarray
    owner: np.ndarray
    vertex_outward: np.ndarray
    shell: np.ndarray
    corner: np.ndarray
    leaf_face: np.ndarray
    box: np.ndarray
    link: np.ndarray
    wide: np.ndarray
    wide_link: np.ndarray
    cone: np.ndarray


def _pack_one(k: int, mesh: Any) -> _Part:
    vertices = check_vertices(f"mesh {k}", mesh.vertices)
    faces = np.asarray(mesh.faces)
    good = faces.ndim == 2 and faces.shape[1] == 3 and len(faces) > 0 and faces.dtype.kind in "iu"
    if not good or faces.min() < 0 or faces.max() >= len(vertices):
        raise InputError(
            f"mesh {k}",
            f"faces of shape {faces.shape} and type {faces.dtype}" if not good else "a corner that is no vertex",
            f"rows of three whole numbers from 0 to {len(vertices) - 1}",
            "Give three vertices for each triangle, counted from 0.",
        )
    faces = np.array(faces, dtype=np.uint32, order="C")
    normals = face_normals(vertices, faces)
    across, tips = sides_and_tips(vertices, faces, normals)
    corners = vertices[faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    work = new_build_work(low, high)
    count = build_tree(work)
    order, box, link = work.order, outward_float32(work.box[:count]), work.link[:count]
    wide, wide_link = np.zeros((count, 6 * CHILDREN), np.float32), np.zeros((count, 2 * CHILDREN), np.uint32)
    rows = widen(box, link, np.zeros((CHILDREN, 2), np.int64), np.zeros(count, np.int64), wide, wide_link)
    cone = np.zeros((count, 10))
    build_cones(link, order, normals, cone)
    return _Part(
        vertices,
        faces,
        normals,
        across,
        tips,
        vertex_owners(len(vertices), faces, across),
        vertex_normals(vertices, faces, normals),
        shells(len(vertices), faces),
        corners[order].reshape(-1, 9),
        order,
        box,
        link,
        wide[:rows],
        wide_link[:rows],
        cone,
    )


def aligned_rows(count: int, columns: int = 16) -> np.ndarray:
    """Zeros (count, 16 or 32) float32 whose rows begin with lines of the cache, of 64 bytes."""
    raw = np.zeros(columns * count + 16, np.float32)
    skip = (-raw.ctypes.data % 64) // 4
    return raw[skip : skip + columns * count].reshape(count, columns)


@helper
def mesh_bounds(meshes, index):
    """Box around a mesh, shape axes."""
    low, high = meshes.mesh[index].low, meshes.mesh[index].high
    return Bounds(low[0], low[1], low[2], high[0], high[1], high[2])


@helper
def farthest_normal(meshes, first, t, k, n, side):
    """Farthest normal of contacts over side k of triangle t: see ``Facet``."""
    other = meshes.across[first + t, k]
    if other != RIM:
        return get3(meshes.outward, first + np.int64(other))
    out = side.cross(n)
    size = out.norm()
    return out * (1.0 / size) if size > 0.0 else n


@helper
def mesh_facet(meshes, index, t):
    """Triangle t of a mesh with its surroundings."""
    first, vertex = np.int64(meshes.mesh[index].face), np.int64(meshes.mesh[index].vertex)
    i = first + np.int64(t)
    p = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 0]))
    q = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 1]))
    s = get3(meshes.vertex, vertex + np.int64(meshes.face[i, 2]))
    n = get3(meshes.outward, i)
    return Facet(
        p,
        q,
        s,
        n,
        farthest_normal(meshes, first, t, 0, n, q - p),
        farthest_normal(meshes, first, t, 1, n, s - q),
        farthest_normal(meshes, first, t, 2, n, p - s),
        meshes.tips[i],
    )
