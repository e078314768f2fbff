"""Meshes and height fields against each other (V-20, V-21, I-091, I-093).

1. Pairs of triangles within the margin (:mod:`surface_pairs`) give the points of places that are apart or touch, to
   round-off the least distance, and tell whether the surfaces pass through each other.
2. If they do, or if one lies inside the other as a whole, corners inside the other one give points by their ways out
   (:mod:`corners_inside`), and sides that pass through it by the sides beyond (:mod:`sides_inside`).
3. Ways out that a shorter move makes needless go (:mod:`ways_apart`), and a well-spread few points are written.

So there is a point with d < 0 if and only if the solids overlap, from first touch until one is swallowed, and deeper.
Depths are ways out at corners and crossing sides. Of shallow overlaps they are the shortest way out; bodies that are
deep in each other or poke through need not come apart by them (convex meshes do: they collide as hulls).
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.narrow.corners_inside import corners_inside, put_corner_of_a, put_corner_of_b, put_corners
from gelenk.collision.narrow.facet_pierce import COUNT_A, COUNT_B, COUNT_PIERCING, MAY_OVERLAP
from gelenk.collision.narrow.point_pool import thin_pool
from gelenk.collision.narrow.sides_inside import put_piercing_sides, put_witness
from gelenk.collision.narrow.surface_choice import deepest_open, row3, write_points
from gelenk.collision.narrow.surface_inside import Meeting, corner_place, is_inside, is_within, to_a, to_b
from gelenk.collision.narrow.surface_pairs import look_at_surfaces, turned_box
from gelenk.collision.narrow.ways_apart import drop_longer_ways
from gelenk.collision.solid import FIELD
from gelenk.collision.surface import surface_bounds
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

SHEET = 1e-6  # of its size: a mesh thinner than this is a sheet and has no far side
FARTHER = 1.25  # times the longest shortest way: ways out are looked for so far, to tell long ones from short ones
MOST_CORNERS = 128  # of each surface inside the other that are asked for their ways out
MANY_POINTS = 256  # from which on the pool is thinned out before points are compared with each other


@helper
def extent(box):
    """Diagonal of a box."""
    return Vec3(box.x_high - box.x, box.y_high - box.y, box.z_high - box.z).norm()


@helper
def half_thickness(box):
    """Half of the least side of a box; of the largest one if it is as thin as a sheet."""
    x, y, z = box.x_high - box.x, box.y_high - box.y, box.z_high - box.z
    most, least = max(x, y, z), min(x, y, z)
    return 0.5 * (most if least <= SHEET * most else least)


@helper
def way_past(a, b):
    """Shortest move along an axis that parts two boxes."""
    x, y = min(a.x_high - b.x, b.x_high - a.x), min(a.y_high - b.y, b.y_high - a.y)
    return min(x, y, min(a.z_high - b.z, b.z_high - a.z))


@helper
def longest_way(A, B, box_a, box_b, R, c):
    """No shortest way out of an overlap is longer; that out of a field may be any."""
    if A.kind == FIELD or B.kind == FIELD:
        return math.inf
    back = turned_box(box_a, R.transposed(), -R.tdot(c), 0.0)
    return min(way_past(box_a, turned_box(box_b, R, c, 0.0)), way_past(back, box_b))


@routine
def lies_within(X, of_a, q, tables):
    """Whether a connected piece of X lies inside the other surface, if none passes through it."""
    Y = q.B if of_a else q.A
    pieces = np.int64(1)
    if X.kind != FIELD:
        pieces = np.int64(tables.meshes.mesh[X.table].shell_count)
    if Y.kind != FIELD and tables.meshes.mesh[Y.table].closed == 0:
        return False
    for i in range(pieces):
        t = np.int64(0)
        if X.kind != FIELD:
            t = np.int64(tables.meshes.shell[np.int64(tables.meshes.mesh[X.table].shell) + i])
        p = corner_place(X, tables, t, 0)
        if is_within(Y, tables, to_b(q, p) if of_a else to_a(q, p), q.sheet):
            return True
    return False


@routine
def list_corners(q, tables, surface):
    """Corners of each inside the other, in two lists; how many there are of A and of B."""
    seen_a, seen_b = np.int64(0), np.int64(0)
    surface.inside[COUNT_A], seen_a = corners_inside(
        q.A, q.B, q.R.transposed(), -q.R.tdot(q.c), q, tables, surface.walk, surface.found[:MOST_CORNERS]
    )
    surface.inside[COUNT_B], seen_b = corners_inside(
        q.B, q.A, q.R, q.c, q, tables, surface.walk, surface.found_b[:MOST_CORNERS]
    )
    return seen_a, seen_b


@routine
def put_lowest(X, of_a, q, tables, surface):
    """The farthest corner of a mesh against the way out of the deepest point, if it is inside the other one too."""
    leader = deepest_open(surface)
    if leader < 0 or X.kind == FIELD:
        return
    m = row3(surface.pool[leader].n)
    m = m if of_a else -q.R.tdot(m)
    meshes, mesh = tables.meshes, tables.meshes.mesh[X.table]
    first, best, most = np.int64(mesh.face), np.int64(-1), -math.inf
    for t in range(mesh.face_count):
        v = np.int64(mesh.vertex) + np.int64(meshes.face[first + t, 0])
        h = get3(meshes.vertex, v) @ m
        if h > most:
            best, most = np.int64(t), h
    p = corner_place(X, tables, best, 0)
    if of_a and is_inside(q.B, tables, to_b(q, p), q.slack, q.sheet):
        put_corner_of_a(best, 0, q, tables, surface)
    elif not of_a and is_inside(q.A, tables, to_a(q, p), q.slack, q.sheet):
        put_corner_of_b(best, 0, q, tables, surface)


@helper
def overlaps(surface, slack):
    """Whether a point that is left overlaps."""
    leader = deepest_open(surface)
    return leader >= 0 and surface.pool[leader].d < -slack


@routine
def put_overlap(q, tables, surface):
    """Points of an overlap."""
    seen_a, seen_b = list_corners(q, tables, surface)
    count_a, count_b = surface.inside[COUNT_A], surface.inside[COUNT_B]
    put_corners(True, surface.found, count_a, q, tables, surface)
    put_corners(False, surface.found_b, count_b, q, tables, surface)
    put_piercing_sides(not overlaps(surface, q.slack), q, tables, surface)
    if surface.counts[1] > MANY_POINTS:
        thin_pool(surface)
    drop_longer_ways(q, tables, surface)
    if seen_a > count_a:
        put_lowest(q.A, True, q, tables, surface)
    if seen_b > count_b:
        put_lowest(q.B, False, q, tables, surface)
    if surface.inside[COUNT_PIERCING] > 0 and not overlaps(surface, 0.0):
        put_witness(q, tables, surface)


@routine
def surface_surface(A, B, r, margin, tables, memory, work, out):
    """Points of two surfaces, at most ``len(out)``; groups of one direction have up to four."""
    surface = work.surface
    R, c = A.R.transposed().times(B.R), A.R.tdot(r)
    box_a, box_b = surface_bounds(A, tables), surface_bounds(B, tables)
    scale = min(extent(box_a), extent(box_b))
    slack = 1e-12 * (scale + c.norm())
    limit = longest_way(A, B, box_a, box_b, R, c)
    sheet = min(half_thickness(box_a), half_thickness(box_b))
    q = Meeting(A, B, R, c, margin, slack, scale, FARTHER * max(limit, 0.0) + slack, sheet)
    surface.counts[0] = surface.counts[1] = surface.counts[2] = surface.counts[3] = 0
    for i in range(4):
        surface.inside[i] = 0
    look_at_surfaces(q, tables, surface)
    deep = surface.inside[MAY_OVERLAP] == 1 or A.kind == FIELD or B.kind == FIELD
    if deep or lies_within(A, True, q, tables) or lies_within(B, False, q, tables):
        put_overlap(q, tables, surface)
    if surface.counts[1] > MANY_POINTS:
        thin_pool(surface)
    return write_points(surface, scale, A, r, out)
