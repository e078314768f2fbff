"""Which routine finds the contacts of which pair of shapes (V-28): one row a pair.

A new shape adds its rows here. Order in a row is that of the routine's arguments; pairs that come the other way round
are swapped before and after. Routines are compiled one by one, those that a model needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gelenk.collision.manifold import swap_sides
from gelenk.collision.narrow.balls_balls import balls_balls
from gelenk.collision.narrow.balls_solid import balls_solid
from gelenk.collision.narrow.box_box import box_box, box_box_sparing
from gelenk.collision.narrow.box_hull import box_hull
from gelenk.collision.narrow.box_triangle import box_triangle
from gelenk.collision.narrow.capsule_box import capsule_box
from gelenk.collision.narrow.capsule_capsule import capsule_capsule
from gelenk.collision.narrow.capsule_ellipsoid import capsule_ellipsoid
from gelenk.collision.narrow.capsule_hull import capsule_hull
from gelenk.collision.narrow.capsule_round import capsule_round
from gelenk.collision.narrow.capsule_triangle import capsule_triangle
from gelenk.collision.narrow.convex_convex import convex_convex
from gelenk.collision.narrow.hull_hull import hull_hull_pair
from gelenk.collision.narrow.hull_triangle import hull_triangle
from gelenk.collision.narrow.map_solid import map_solid
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
from gelenk.collision.narrow.sphere_ellipsoid import sphere_ellipsoid
from gelenk.collision.narrow.sphere_hull import sphere_hull
from gelenk.collision.narrow.sphere_sphere import sphere_sphere
from gelenk.collision.narrow.sphere_triangle import sphere_triangle
from gelenk.collision.narrow.surface_convex import surface_convex
from gelenk.collision.narrow.surface_plane import surface_plane
from gelenk.collision.narrow.surface_surface import surface_surface
from gelenk.collision.narrow.triangle_triangle import triangle_triangle
from gelenk.collision.pair_plugs import exact_pair, run_exact, run_searched, searched_pair
from gelenk.collision.solid import (
    BALLS,
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HULL,
    KINDS,
    MAP,
    MESH,
    PLANE,
    SPHERE,
    TRIANGLE,
)
from gelenk.compile import helper

CONVEX = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
Pairs = dict[tuple[int, int], Callable[..., Any]]

# closed forms: (A, B, r, margin, hulls, out)
EXACT: Pairs = {
    (SPHERE, SPHERE): sphere_sphere,
    (SPHERE, BOX): sphere_box,
    (SPHERE, CAPSULE): sphere_capsule,
    (SPHERE, CYLINDER): sphere_cylinder,
    (SPHERE, CONE): sphere_cone,
    (SPHERE, ELLIPSOID): sphere_ellipsoid,
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
    (PLANE, TRIANGLE): plane_triangle,
}
# by a search, with memory and scratch: (A, B, r, margin, tables, memory, work, out)
SEARCHED: Pairs = {
    (PLANE, HULL): plane_hull,
    (SPHERE, HULL): sphere_hull,
    (BOX, CYLINDER): convex_convex,
    (BOX, CONE): convex_convex,
    (BOX, ELLIPSOID): convex_convex,
    (BOX, HULL): box_hull,
    (BOX, TRIANGLE): box_triangle,
    (CAPSULE, CYLINDER): capsule_round,
    (CAPSULE, CONE): capsule_round,
    (CAPSULE, ELLIPSOID): capsule_ellipsoid,
    (CAPSULE, HULL): capsule_hull,
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
    (HULL, TRIANGLE): hull_triangle,
    (TRIANGLE, TRIANGLE): triangle_triangle,
    **{(surface, kind): surface_convex for surface in (MESH, FIELD) for kind in CONVEX},
    (MESH, PLANE): surface_plane,
    (FIELD, PLANE): surface_plane,
    (MESH, MESH): surface_surface,
    (MESH, FIELD): surface_surface,
    (FIELD, FIELD): surface_surface,
    **{(BALLS, kind): balls_solid for kind in (*CONVEX, PLANE, MESH, FIELD, MAP)},
    (BALLS, BALLS): balls_balls,
    **{(MAP, kind): map_solid for kind in (*CONVEX, PLANE, MESH, FIELD, MAP)},
}
# other ways for some pairs, by name (I-089)
OTHERS: dict[str, Pairs] = {
    "gjk": {(HULL, HULL): convex_convex, (BOX, BOX): convex_convex, (CAPSULE, BOX): convex_convex},
    "sparing boxes": {(BOX, BOX): box_box_sparing},
}
# routines for most cases, and the one that they ask in the others
BEHIND = {capsule_round: convex_convex, capsule_ellipsoid: convex_convex, triangle_triangle: convex_convex}
FORMS_EXACT = {*EXACT.values(), box_box_sparing}


PAIR_ROW = np.dtype(
    [
        ("address", "i8"),  # 0: nothing touches
        ("searched", "i4"),
        ("swapped", "i4"),
        ("behind", "i8"),  # of the routine that is asked where the first one has no answer
    ]
)


def new_rows() -> np.recarray:
    """(KINDS, KINDS) rows of the table, none of them there yet."""
    return np.zeros((KINDS, KINDS), PAIR_ROW).view(np.recarray)


def fill_rows(rows: np.recarray, pairs: Iterable[tuple[int, int]], other: str | None = None) -> None:
    """Have the routines of some pairs of kinds compiled. Pairs that have none, such as two planes, never touch."""
    chosen = {**EXACT, **SEARCHED, **(OTHERS[other] if other else {})}
    for pair in ((int(a), int(b)) for a, b in pairs):
        for a, b in (pair, pair[::-1]):
            if (a, b) in chosen and not rows[a, b].address:
                searched = chosen[a, b] not in FORMS_EXACT
                address = (searched_pair if searched else exact_pair).address(chosen[a, b])
                behind = searched_pair.address(BEHIND[chosen[a, b]]) if chosen[a, b] in BEHIND else 0
                rows[b, a], rows[a, b] = (address, searched, True, behind), (address, searched, False, behind)


@helper
def collide(A, B, r, margin, tables, memory, work, out):
    """Contact points of any two solids, by the table: their number."""
    if A.kind == SPHERE and B.kind == SPHERE:  # it takes no longer than the way to it
        return sphere_sphere(A, B, r, margin, tables.hulls, out)
    row = tables.rows[A.kind, B.kind]
    if row.address == 0:
        return 0
    if row.swapped == 1:
        count = run_row(row, B, A, -r, margin, tables, memory, work, out)
        for k in range(count):
            swap_sides(out[k])
        return count
    return run_row(row, A, B, r, margin, tables, memory, work, out)


@helper
def run_row(row, A, B, r, margin, tables, memory, work, out):
    """The routine of a row, solids in its own order."""
    if row.searched == 1:
        return run_searched(row.address, A, B, r, margin, tables, memory, work, out)
    return run_exact(row.address, A, B, r, margin, tables.hulls, out)
