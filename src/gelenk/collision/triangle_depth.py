"""Depth of two triangles, by the faces of their difference (V-25).

The difference of two triangles is a polyhedron. Its faces have the normals N of the two, or  m = e x g,  e an edge of
A, g one of B; such a face is there only if the rest of A lies below the edge e along m and that of B above g. The third
corner of A has the height  -g . N_A  over e, the same for all e, and that of B  e . N_B  over g: six numbers tell which
of the nine pairs of edges count, and which way. The least overlap along these normals is the depth.
Source: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, on the directions; D. Gregorius, The separating
axis test between convex polyhedra, GDC 2013, on the pairs of edges that count.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.narrow.triangle import corners
from gelenk.collision.near_way import Way
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

THIN = 1e-12  # squared sine of the angle between two edges that are taken for parallel
NO_WAY = -1.0


class Face(NamedTuple):
    """The nearest face of the difference so far."""

    m: Vec3  # its normal, of any length, from A to B
    gap: float  # along m, times the length of m
    mm: float  # m . m; negative: they do not overlap if the gap is above zero, else edges are parallel
    number: int  # 0: of A, 1: of B, 2 + 3 i + j: edge i of A across edge j of B


@helper
def nearer(x, m, gap, mm, number):
    """The nearer of two faces, compared by the squares of their distances."""
    if gap > 0.0:
        return Face(m, gap, NO_WAY, number)
    return Face(m, gap, mm, number) if gap * gap * x.mm < x.gap * x.gap * mm else x


@helper
def edge_pair(x, e, g, ee, gg, w, a_over, b_over, number):
    """The nearer of a face and that of two edges, w from the start of e to that of g; a_over, b_over: third corners."""
    if x.mm < 0.0 or a_over * b_over > 0.0:
        return x
    m = e.cross(g)
    mm = m @ m
    if mm <= THIN * ee * gg:
        return Face(m, 0.0, NO_WAY, number)
    if a_over < 0.0 or b_over > 0.0:
        return nearer(x, m, m @ w, mm, number)
    return nearer(x, -m, -(m @ w), mm, number)


@helper
def is_inside(x, a, b, c, n):
    """Whether a point of the plane of a triangle with the normal n lies inside its border."""
    return (b - a).cross(x - a) @ n > 0.0 and (c - b).cross(x - b) @ n > 0.0 and (a - c).cross(x - c) @ n > 0.0


@helper
def farthest(x, y, z, a, b, c):
    """The corner with the largest number."""
    return a if x >= y and x >= z else (b if y >= z else c)


@helper
def picked(k, x, y, z):
    """One of three."""
    return x if k == 0 else (y if k == 1 else z)


@helper
def no_depth(m, gap):
    """A direction with a gap above zero, or nothing known."""
    if gap > 0.0:
        k = 1.0 / m.norm()
        return Way(gap * k, m * k, m, False, 0.0)
    return Way(0.0, Vec3(0.0, 0.0, 0.0), m, False, 0.0)


@routine
def triangle_depth(A, B, r):
    """The shortest way out of two triangles. Not sure: past a border, edges parallel, or a gap, d above zero, along n.

    Edges of A are e, f, h, those of B g, k, t, from corners a, b, c and p, q, s. Numbers x, y, z are heights of corners
    of B over the plane of A, and u, v, w those of A over the plane of B, so that  x - y = -g . N_A,  v - u = e . N_B.
    """
    a, b, c = corners(A)
    p, q, s = corners(B)
    p, q, s = p + r, q + r, s + r
    e, f, h = b - a, c - b, a - c
    g, k, t = q - p, s - q, p - s
    normal_a, normal_b = e.cross(f), g.cross(k)
    ee, ff, hh, gg, kk, tt = e @ e, f @ f, h @ h, g @ g, k @ k, t @ t
    size_a, size_b = normal_a @ normal_a, normal_b @ normal_b
    if size_a <= THIN * ee * ff or size_b <= THIN * gg * kk:
        return no_depth(r, 0.0)
    x, y, z = normal_a @ (p - a), normal_a @ (q - a), normal_a @ (s - a)
    u, v, w = normal_b @ (a - p), normal_b @ (b - p), normal_b @ (c - p)
    low, high = min(x, min(y, z)), max(x, max(y, z))
    under, over = min(u, min(v, w)), max(u, max(v, w))
    on_a = Face(normal_a, low, size_a, 0) if low >= -high else Face(-normal_a, -high, size_a, 0)
    if on_a.gap > 0.0:
        return no_depth(on_a.m, on_a.gap)
    ahead = over <= -under
    best = nearer(on_a, normal_b if ahead else -normal_b, -over if ahead else under, size_b, 1)
    best = edge_pair(best, e, g, ee, gg, p - a, x - y, v - u, 2)
    best = edge_pair(best, e, k, ee, kk, q - a, y - z, v - u, 3)
    best = edge_pair(best, e, t, ee, tt, s - a, z - x, v - u, 4)
    best = edge_pair(best, f, g, ff, gg, p - b, x - y, w - v, 5)
    best = edge_pair(best, f, k, ff, kk, q - b, y - z, w - v, 6)
    best = edge_pair(best, f, t, ff, tt, s - b, z - x, w - v, 7)
    best = edge_pair(best, h, g, hh, gg, p - c, x - y, u - w, 8)
    best = edge_pair(best, h, k, hh, kk, q - c, y - z, u - w, 9)
    best = edge_pair(best, h, t, hh, tt, s - c, z - x, u - w, 10)
    if best.mm < 0.0:
        return no_depth(best.m, best.gap)
    size = 1.0 / math.sqrt(best.mm)
    d, n = best.gap * size, best.m * size
    if best.number == 0:
        ahead = n @ normal_a > 0.0
        foot = (farthest(-x, -y, -z, p, q, s) if ahead else farthest(x, y, z, p, q, s)) - n * d
        return Way(d, n, foot, is_inside(foot, a, b, c, normal_a), 0.0)
    if best.number == 1:
        ahead = n @ normal_b > 0.0
        foot = farthest(u, v, w, a, b, c) if ahead else farthest(-u, -v, -w, a, b, c)
        return Way(d, n, foot, is_inside(foot + n * d, p, q, s, normal_b), 0.0)
    i, j = (best.number - 2) // 3, (best.number - 2) % 3
    start, edge = picked(i, a, b, c), picked(i, e, f, h)
    way, other = picked(j, p, q, s) - start, picked(j, g, k, t)
    m = edge.cross(other)
    at_a, at_b = way.cross(other) @ m / best.mm, way.cross(edge) @ m / best.mm
    inside = 0.0 < at_a < 1.0 and 0.0 < at_b < 1.0
    return Way(d, n, start + edge * at_a, inside, 0.0)
