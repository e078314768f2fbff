"""Solids that are not convex, taken apart into triangles or balls: each of these has a proven row of the table.

The distance of a surface is that of its nearest triangle, that of a tree of balls that of its nearest ball. A point is
inside a closed mesh if the triangles take up the whole view from there, and inside a height field if one is above it.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from field_samples import top_of
from mesh_samples import ball_mesh
from table_samples import PAIR, Found, radii, random_pairs, random_rotations, run_pairs, unit

from gelenk.collision.manifold import MANY, POINT, forget, new_memory, new_points
from gelenk.collision.pair_table import collide, fill_rows
from gelenk.collision.solid import BALLS, FIELD, HULL, MAP, MESH, PLANE, SPHERE, TRIANGLE, Solid
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.compile import helper, kernel, routine
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Box
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.math.rotation import Mat3, get33
from gelenk.math.vec3 import Vec3, get3

WHOLE = (MESH, FIELD, BALLS, MAP)


class Parts(NamedTuple):
    """Parts of solids of one kind."""

    corner: np.ndarray  # (P, 9) corners of triangles one after the other, or centre and radius of balls
    first: np.ndarray  # (n + 1,) int64


def new_parts(groups):
    """Of (p, k) arrays, one a solid."""
    rows = [
        np.pad(np.reshape(g, (len(g), -1)), ((0, 0), (0, 9 - np.reshape(g, (len(g), -1)).shape[1]))) for g in groups
    ]
    return Parts(np.concatenate(rows), np.concatenate(([0], np.cumsum([len(g) for g in rows]))))


@routine
def part_of(kind, R, parts, p):
    """Part p as a solid, and where its centre is; a convex solid is its own part."""
    c = parts.corner[p]
    if kind == BALLS:
        return Solid(SPHERE, 0, R, Vec3(c[3], 0.0, 0.0)), R @ Vec3(c[0], c[1], c[2])
    a, b, s = R @ Vec3(c[0], c[1], c[2]), R @ Vec3(c[3], c[4], c[5]), R @ Vec3(c[6], c[7], c[8])
    corners = Mat3(a.x, b.x, s.x, a.y, b.y, s.y, a.z, b.z, s.z)
    return Solid(TRIANGLE, 0, corners, Vec3(0.0, 0.0, 0.0)), Vec3(0.0, 0.0, 0.0)


@routine
def deepest_of(A, B, r, tables, memory, work, out):
    """Signed distance of two solids."""
    forget(memory)
    d = math.inf
    for k in range(collide(A, B, r, math.inf, tables, memory, work, out)):
        d = min(d, out[k].d)
    return d


@routine
def view_taken(parts, first, last, x):
    """Share of the view from x that triangles take up, 1 inside a closed mesh.

    Source: A. van Oosterom, J. Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983).
    """
    total = 0.0
    for p in range(first, last):
        c = parts.corner[p]
        a, b, s = Vec3(c[0], c[1], c[2]) - x, Vec3(c[3], c[4], c[5]) - x, Vec3(c[6], c[7], c[8]) - x
        la, lb, ls = a.norm(), b.norm(), s.norm()
        total += math.atan2(a.cross(b) @ s, la * lb * ls + (a @ b) * ls + (b @ s) * la + (s @ a) * lb)
    return total / (2.0 * math.pi)


@routine
def is_under(parts, first, last, x):
    """Whether a triangle of a height field is above x."""
    for p in range(first, last):
        c = parts.corner[p]
        ax, ay, bx, by = c[3] - c[0], c[4] - c[1], c[6] - c[0], c[7] - c[1]
        area = ax * by - ay * bx
        u, v = ((x.x - c[0]) * by - (x.y - c[1]) * bx) / area, ((x.y - c[1]) * ax - (x.x - c[0]) * ay) / area
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            return x.z < c[2] + u * (c[5] - c[2]) + v * (c[8] - c[2])
    return False


@helper
def point_of(B, hulls):
    """Some point of a solid, from its centre."""
    if B.kind == TRIANGLE:
        return Vec3(B.R.xx, B.R.yx, B.R.zx)
    if B.kind == HULL:
        return B.R @ get3(hulls.vertex, hulls.hull[B.table].vertex_first)
    return Vec3(0.0, 0.0, 0.0)


@kernel
def nearest_parts(kind, table, R, size, r, parts, others, tables, memory, work, out, d_out, inside_out):
    """Least distance of the parts of A and those of B, if B has some; whether a point of B is inside A.

    kind: of the whole solids. parts: of A; others: of B.
    """
    for i in range(r.shape[0]):
        R_a, R_b, way = get33(R[i], 0), get33(R[i], 1), get3(r, i)
        B = Solid(kind[i, 1], table[i, 1], R_b, get3(size[i], 1))
        whole = kind[i, 1] == MESH or kind[i, 1] == FIELD or kind[i, 1] == BALLS
        start, end = (others.first[B.table], others.first[B.table + 1]) if whole else (0, 1)
        first, last = parts.first[table[i, 0]], parts.first[table[i, 0] + 1]
        d = math.inf
        for p in range(first, last):
            S, s = part_of(kind[i, 0], R_a, parts, p)
            for q in range(start, end):
                if whole:
                    T, t = part_of(kind[i, 1], R_b, others, q)
                    d = min(d, deepest_of(S, T, way + t - s, tables, memory[0], work, out))
                else:
                    d = min(d, deepest_of(S, B, way - s, tables, memory[0], work, out))
        d_out[i] = d
        x = R_a.tdot(way + point_of(B, tables.hulls))
        inside_out[i] = False
        if B.kind == PLANE:
            continue
        if kind[i, 0] == MESH:
            inside_out[i] = view_taken(parts, first, last, x) > 0.5
        elif kind[i, 0] == FIELD:
            inside_out[i] = is_under(parts, first, last, x)


# --- samples ---------------------------------------------------------------------------------------------------------

CELLS = 8  # of a map along its longest side
SPACING, GRID = 1.0, 5  # of the height fields
WIDEST = 0.95  # no sample of many parts reaches farther from its centre [m]
MAP_BOX = (1.0, 0.8, 1.2)  # the first map is that of a box, which is hull number 3, the second that of mesh number 1


def sample_meshes():
    """Bumpy balls, round and flat, of 24 triangles."""
    meshes = [ball_mesh(4, 4, 0.6, bumps) for bumps in (0.0, 0.3, 0.5)]
    for mesh, axes in zip(meshes, ((1, 1, 1), (1, 0.7, 1), (0.15, 1, 1)), strict=True):
        mesh.vertices *= axes
    return [TriangleMesh(m.vertices, m.faces) for m in meshes]


class Samples(NamedTuple):
    """Tables with all kinds, and their solids in parts."""

    tables: object
    work: object
    parts: dict[int, Parts]


_samples: list[Samples] = []


def samples():
    """Made once."""
    if not _samples:
        rng = np.random.default_rng(61)
        meshes = sample_meshes()
        fields = [HeightField(high * rng.random((GRID, GRID)), SPACING) for high in (0.2, 0.5, 0.0)]
        balls = [SphereTree(meshes[1], levels=2), SphereTree(TriangleMesh(*Box((1.0, 0.6, 0.4)).triangles()), levels=1)]
        maps = [DistanceMap(TriangleMesh(*Box(MAP_BOX).triangles()), CELLS), DistanceMap(meshes[1], CELLS)]
        hulls = [ConvexHull(rng.normal(size=(k, 3)) * 0.2) for k in (4, 8, 20)]
        hulls.append(ConvexHull(maps[0].mesh.vertices))
        tables = new_tables(hulls, meshes, fields, balls, maps)
        tree = tables.balls
        ends = np.append(tree.root.astype(np.int64), len(tree.ball))
        leaf = tree.child_first == tree.child_last
        parts = {
            MESH: new_parts([m.vertices[m.faces] for m in meshes]),
            FIELD: new_parts([top_of(f) for f in fields]),
            BALLS: new_parts([tree.ball[a:b][leaf[a:b]] for a, b in itertools.pairwise(ends)]),
        }
        _samples.append(Samples(tables, new_narrow_work(tables), parts))
    return _samples[0]


COUNTS = {MESH: 3, FIELD: 3, BALLS: 2, MAP: 2}


def random_wholes(rng, count, kinds):
    """Pairs with solids that are not convex, from deep overlap to apart; beside height fields B is above or below."""
    pairs = random_pairs(rng, count, tuple(SPHERE if k in WHOLE else k for k in kinds))
    pairs["kind"] = kinds
    pairs["table"] = rng.integers(0, [COUNTS.get(k, 3) for k in kinds], (count, 2))
    reach = radii(pairs)
    for side in range(2):
        if kinds[side] in WHOLE:
            pairs["R"][:, side] = random_rotations(rng, count)
            reach[:, side] = 0.7
    pairs["r"] = unit(rng.normal(size=(count, 3))) * (rng.uniform(0, 1.5, count) * reach.sum(1))[:, None]
    if FIELD in kinds:
        side = kinds.index(FIELD)
        widest = np.where(pairs["kind"][:, 1 - side, None] < MESH, reach[:, 1 - side, None], WIDEST)
        half = 0.5 * SPACING * (GRID - 1) - widest  # the other one does not reach over the rim
        place = np.column_stack((half * rng.uniform(-1, 1, (count, 2)), rng.uniform(-0.5, 1.5, count)))
        pairs["r"] = np.einsum("nij,nj->ni", pairs["R"][:, side], place) * (1 if side == 0 else -1)
    return pairs, reach.sum(1)


def find_wholes(pairs, margin):
    """Points of pairs with solids that are not convex."""
    s, n = samples(), len(pairs)
    fill_rows(s.tables.rows, [tuple(pairs["kind"][0])])
    out, counts = np.zeros((n, MANY), POINT).view(np.recarray), np.zeros(n, np.int64)
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    run_pairs(*parts, np.ascontiguousarray(margin), s.tables, new_memory(n), s.work, out, counts)
    return Found(out, counts)


def by_parts(pairs):
    """Least distance of the parts, and whether a point of B is inside."""
    s, n = samples(), len(pairs)
    kinds = [int(k) for k in pairs["kind"][0]]
    part = [SPHERE if k == BALLS else TRIANGLE if k in WHOLE else k for k in kinds]
    fill_rows(s.tables.rows, [tuple(part)])
    d, inside = np.zeros(n), np.zeros(n, bool)
    columns = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    of_a, of_b = s.parts[kinds[0]], s.parts.get(kinds[1], s.parts[kinds[0]])
    nearest_parts(*columns, of_a, of_b, s.tables, new_memory(1), s.work, new_points(), d, inside)
    return d, inside
