"""Map of signed distances against any other solid but trees of balls (V-26)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.ball_table import pick_spread
from gelenk.collision.closest import unit_or
from gelenk.collision.manifold import put_point
from gelenk.collision.map_query import nearest_on_map
from gelenk.collision.map_table import FACING, WRONG, drop_averted, map_distance, put_candidate
from gelenk.collision.narrow.map_points import OTHER, points_in_map
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.solid import MAP
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3


@routine
def map_solid(A, B, r, margin, tables, memory, work, out):
    """Points of a map A and a solid B: the deepest first, then the most spread of the rest.

    Test points of A are put to B, and those of B, where it has some, to A. Edges that cross are found as far as test
    points lie on them: to about a cell.
    """
    found = work.maps
    found.tally[0] = 0
    own_points(A, B, r, margin, tables, found, False)
    if B.kind == MAP:
        own_points(B, A, -r, margin, tables, found, True)
    else:
        points_in_map(A, B, r, margin, tables, work)

    drop_averted(found)
    kept, written = 0, 0
    for k in range(min(found.tally[0], out.shape[0])):
        kept = pick_spread(found, found.tally[0], k, kept)
        if k > 0 and found.spare[kept] == 0.0:
            break
        place, n = get3(found.place, kept), get3(found.way, kept)
        put_point(out, k, place, r, n, found.gap[kept], found.mark[kept, 0], found.mark[kept, 1])
        written = k + 1
    return written


@helper
def slack_of(solid, tables):
    """How much less than by the nearest point the distance of another point may be, beside the way between them [m]."""
    return 2.0 * WRONG * tables.maps.map[solid.table].cell if solid.kind == MAP else 0.0


@helper
def foot_on(solid, tables, p, limit):
    """As ``nearest_on_solid``, for what is within a limit."""
    if solid.kind == MAP:
        d, q, n = nearest_on_map(tables.maps, tables.meshes, solid.table, solid.R.tdot(p), limit)
        return d, solid.R @ q, solid.R @ n
    return nearest_on_solid(solid, tables, p)


@routine
def own_points(A, B, r, margin, tables, found, swapped):
    """Candidates from the test points of A that are in B or near it. Swapped: B is the first of the pair.

    A ball whose centre is farther from B than its radius and the margin holds none.
    """
    maps = tables.maps
    record = maps.map[A.table]
    node, slack = record.node, slack_of(B, tables)
    while node < record.node_last:
        radius = maps.ball[node, 3]
        c = A.R @ Vec3(maps.ball[node, 0], maps.ball[node, 1], maps.ball[node, 2])
        reach = radius + margin + slack
        if foot_on(B, tables, c - r, reach)[0] > reach:
            node = np.int64(maps.skip[node])
            continue
        if maps.skip[node] == node + 1:
            for i in range(maps.first[node], maps.last[node]):
                p = A.R @ get3(maps.probe, i)
                d, _, n = foot_on(B, tables, p - r, margin)
                if d > margin:
                    continue
                outward = A.R @ unit_or(map_distance(maps, record, get3(maps.probe, i))[1], Vec3(0.0, 0.0, 0.0))
                facing, own = -(outward @ n) > FACING, np.int64(i) - record.point
                # normals go from A to B: along n if B comes first, else against it
                if swapped:
                    put_candidate(found, d, p - r - n * d, n, OTHER, own, facing)
                else:
                    put_candidate(found, d, p, -n, own, OTHER, facing)
        node += 1
