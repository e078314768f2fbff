"""Which routine finds the contacts of which pair of shapes (V-28): one row a pair.

A new shape adds its rows here. Order in a row is that of the routine's arguments; pairs that come the other way round
are swapped before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.collision.narrow.box_box import box_box, box_box_sparing
from gelenk.collision.narrow.capsule_box import capsule_box
from gelenk.collision.narrow.capsule_capsule import capsule_capsule
from gelenk.collision.narrow.capsule_triangle import capsule_triangle
from gelenk.collision.narrow.convex_convex import convex_convex
from gelenk.collision.narrow.hull_hull import hull_hull_pair
from gelenk.collision.narrow.plane_box import plane_box
from gelenk.collision.narrow.plane_capsule import plane_capsule
from gelenk.collision.narrow.plane_cone import plane_cone
from gelenk.collision.narrow.plane_cylinder import plane_cylinder
from gelenk.collision.narrow.plane_ellipsoid import plane_ellipsoid
from gelenk.collision.narrow.plane_hull import plane_hull
from gelenk.collision.narrow.plane_sphere import plane_sphere
from gelenk.collision.narrow.plane_triangle import plane_triangle
from gelenk.collision.narrow.sphere_box import sphere_box
from gelenk.collision.narrow.sphere_capsule import sphere_capsule
from gelenk.collision.narrow.sphere_cone import sphere_cone
from gelenk.collision.narrow.sphere_cylinder import sphere_cylinder
from gelenk.collision.narrow.sphere_sphere import sphere_sphere
from gelenk.collision.narrow.sphere_triangle import sphere_triangle
from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    KINDS,
    PLANE,
    SPHERE,
    TRIANGLE,
)
from gelenk.compile import helper, routine, switch

Pairs = dict[tuple[int, int], Callable[..., Any]]

# closed forms: (A, B, r, margin, hulls, out)
EXACT: Pairs = {
    (SPHERE, SPHERE): sphere_sphere,
    (SPHERE, BOX): sphere_box,
    (SPHERE, CAPSULE): sphere_capsule,
    (SPHERE, CYLINDER): sphere_cylinder,
    (SPHERE, CONE): sphere_cone,
    (SPHERE, TRIANGLE): sphere_triangle,
    (BOX, BOX): box_box,
    (CAPSULE, BOX): capsule_box,
    (CAPSULE, CAPSULE): capsule_capsule,
    (CAPSULE, TRIANGLE): capsule_triangle,
    (PLANE, SPHERE): plane_sphere,
    (PLANE, BOX): plane_box,
    (PLANE, CAPSULE): plane_capsule,
    (PLANE, CYLINDER): plane_cylinder,
    (PLANE, CONE): plane_cone,
    (PLANE, ELLIPSOID): plane_ellipsoid,
    (PLANE, HULL): plane_hull,
    (PLANE, TRIANGLE): plane_triangle,
}
# by a search, with memory and scratch: (A, B, r, margin, tables, memory, work, out)
SEARCHED: Pairs = {
    (SPHERE, ELLIPSOID): convex_convex,
    (SPHERE, HULL): convex_convex,
    (BOX, CYLINDER): convex_convex,
    (BOX, CONE): convex_convex,
    (BOX, ELLIPSOID): convex_convex,
    (BOX, HULL): convex_convex,
    (BOX, TRIANGLE): convex_convex,
    (CAPSULE, CYLINDER): convex_convex,
    (CAPSULE, CONE): convex_convex,
    (CAPSULE, ELLIPSOID): convex_convex,
    (CAPSULE, HULL): convex_convex,
    (CYLINDER, CYLINDER): convex_convex,
    (CYLINDER, CONE): convex_convex,
    (CYLINDER, ELLIPSOID): convex_convex,
    (CYLINDER, HULL): convex_convex,
    (CYLINDER, TRIANGLE): convex_convex,
    (CONE, CONE): convex_convex,
    (CONE, ELLIPSOID): convex_convex,
    (CONE, HULL): convex_convex,
    (CONE, TRIANGLE): convex_convex,
    (ELLIPSOID, ELLIPSOID): convex_convex,
    (ELLIPSOID, HULL): convex_convex,
    (ELLIPSOID, TRIANGLE): convex_convex,
    (HULL, HULL): hull_hull_pair,
    (HULL, TRIANGLE): convex_convex,
    (TRIANGLE, TRIANGLE): convex_convex,
}
# other ways for some pairs, by name (I-089)
OTHERS: dict[str, Pairs] = {
    "gjk": {(HULL, HULL): convex_convex, (BOX, BOX): convex_convex, (CAPSULE, BOX): convex_convex},
    "sparing boxes": {(BOX, BOX): box_box_sparing},
}

_exact = tuple(dict.fromkeys([*EXACT.values(), box_box_sparing]))
_searched = tuple(dict.fromkeys(SEARCHED.values()))
_number = {f: n + 1 for n, f in enumerate((*_exact, *_searched))}
EXACT_COUNT = len(_exact)
run_exact = switch(_exact, 6)
run_searched = switch(_searched, 8)


def pair_rows(other: str | None = None) -> np.ndarray:
    """(KINDS, KINDS) numbers of the routines, from 1; negative for pairs that are swapped, 0 where nothing touches.

    Two planes, and pairs of surfaces that never move, have no contact.
    """
    rows = np.zeros((KINDS, KINDS), dtype=np.int64)
    for (a, b), function in {**EXACT, **SEARCHED, **(OTHERS[other] if other else {})}.items():
        rows[a, b] = _number[function]
        if a != b:
            rows[b, a] = -_number[function]
    return rows


@routine
def collide(A, B, r, margin, tables, memory, work, out):
    """Contact points of any two solids, by the table: their number."""
    row = tables.rows[A.kind, B.kind]
    if row == 0:
        return 0
    if row < 0:
        count = run_row(-row, B, A, -r, margin, tables, memory, work, out)
        for k in range(count):
            swap_sides(out[k])
        return count
    return run_row(row, A, B, r, margin, tables, memory, work, out)


@routine
def run_row(row, A, B, r, margin, tables, memory, work, out):
    """Routine ``row`` of the table, counted from 1."""
    if row <= EXACT_COUNT:
        return run_exact(row - 1, A, B, r, margin, tables.hulls, out)
    return run_searched(row - 1 - EXACT_COUNT, A, B, r, margin, tables, memory, work, out)


@helper
def swap_sides(point):
    """Exchange A and B of a point."""
    for i in range(3):
        point.a[i], point.b[i] = point.b[i], point.a[i]
        point.n[i] = -point.n[i]
    point.feature_a, point.feature_b = point.feature_b, point.feature_a
