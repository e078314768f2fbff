"""Which findings of a pair with a surface count (V-20, I-091).

Overlap can be undone in many ways, and findings that undo the same overlap in different directions would work against
each other. So a finding is dropped if a better one of another direction *clears* it: moved by that one's depth along
that one's normal, the solid does not touch this one's place any more. Regular findings are better than others, and
among equals the shallower. What a plate has below it, what lies behind a rim or on the far flank of a ridge goes so.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.narrow.facet_contact import FACE, SAME, TIP
from gelenk.collision.narrow.fans import END, KEYS, begin_buckets, bucket_of, known_bucket
from gelenk.collision.narrow.surface_choice import KEPT, TAKEN, TWIN, row3, write_points
from gelenk.compile import helper, routine

SIMILAR = 0.9998  # cosine (1.1 degrees) between normals that do not work against each other
ONE_PLANE = 1.0 - 1e-14  # cosine between normals of one plane
EQUAL = 1e-12  # between normals that are the same
WIDE = 8.0  # times TWIN: edges of the cells in which points are looked up

OPEN = 0
GONE = 1


@helper
def reach_along(surface, finding, m):
    """How far up along m the place of a finding reaches."""
    c = surface.corners[finding.row]
    h = (
        m.x * c[0] + m.y * c[1] + m.z * c[2],
        m.x * c[3] + m.y * c[4] + m.z * c[5],
        m.x * c[6] + m.y * c[7] + m.z * c[8],
    )
    k = int(finding.place)
    if k == FACE:
        return max(h[0], max(h[1], h[2]))
    if k >= TIP:
        return h[0] if k == TIP else (h[1] if k == TIP + 1 else h[2])
    return max(h[0], h[1]) if k == 1 else (max(h[1], h[2]) if k == 2 else max(h[2], h[0]))


@helper
def whole_way(surface, i):
    """Way after which the whole solid lies on the outer side of the place of finding i: negative."""
    finding = surface.finding[i]
    return finding.low - reach_along(surface, finding, row3(finding.m))


@helper
def of_one_direction(surface):
    """Whether all findings that overlap have nearly the same normal."""
    first = -1
    for i in range(surface.counts[0]):
        if surface.finding[i].d < 0.0:
            if first < 0:
                first = i
            elif row3(surface.finding[i].m) @ row3(surface.finding[first].m) < SIMILAR:
                return False
    return True


@helper
def is_better(surface, i, j):
    """Whether finding i comes before finding j."""
    a, b = surface.finding[i], surface.finding[j]
    if a.regular != b.regular:
        return a.regular > b.regular
    return a.d > b.d or (a.d == b.d and i < j)


@routine
def sort_findings(surface, count):
    """Sort the first findings of ``order``, better ones first: by the method of D. L. Shell (1959)."""
    order, step = surface.order, 1
    while step < count // 9:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, count):
            mine, j = order[i], i
            while j >= step and is_better(surface, mine, order[j - step]):
                order[j] = order[j - step]
                j -= step
            order[j] = mine
        step //= 3


@helper
def clears(surface, mover, mine, slack):
    """Whether one finding clears another: its place lies below the plane that the solid touches when moved."""
    other = surface.finding[mover]
    m = row3(other.m)
    if m @ row3(mine.m) >= SIMILAR:
        return False
    return other.low - reach_along(surface, mine, m) >= other.d - slack


@helper
def is_cleared_by(surface, movers, mine, slack):
    """Whether one of the movers clears a finding; those written last are the deepest and clear most."""
    half = surface.finding.shape[0]
    for j in range(movers - 1, -1, -1):  # noqa: SIM110
        if clears(surface, surface.order[half + j], mine, slack):
            return True
    return False


@helper
def add_mover(surface, movers, i):
    """Write down a finding that is kept; of equal normals only the one whose plane is higher can clear more."""
    half, mine = surface.finding.shape[0], surface.finding[i]
    for j in range(movers - 1, -1, -1):
        other = surface.finding[surface.order[half + j]]
        w = row3(other.m) - row3(mine.m)
        if w @ w <= EQUAL * EQUAL:
            if mine.low - mine.d > other.low - other.d:
                surface.order[half + j] = i
            return movers
    surface.order[half + movers] = i
    return movers + 1


@routine
def keep_or_drop(surface, count, movers, slack):
    """Mark the first findings of ``order`` as KEPT or GONE, better ones first; how many movers there are then."""
    sort_findings(surface, count)
    for k in range(count):
        i = surface.order[k]
        mine = surface.finding[i]
        if is_cleared_by(surface, movers, mine, slack):
            mine.gone = GONE
        else:
            mine.gone = KEPT
            movers = add_mover(surface, movers, i)
    return movers


@routine
def drop_cleared(surface, slack):
    """Mark findings as KEPT or GONE: regular ones, then of the others those that no regular one clears.

    Whether normals differ; if not, all are kept.
    """
    count, one_way = surface.counts[0], of_one_direction(surface)
    regular = 0
    for i in range(count):
        mine = surface.finding[i]
        mine.gone = KEPT if one_way or mine.d >= 0.0 else OPEN
        if mine.gone == OPEN and mine.regular == 1:
            surface.order[regular] = i
            regular += 1
    if one_way:
        return False
    movers = keep_or_drop(surface, regular, 0, slack)
    left = 0
    for i in range(count):
        mine = surface.finding[i]
        if mine.gone == OPEN:
            if is_cleared_by(surface, movers, mine, slack):
                mine.gone = GONE
            else:
                surface.order[left] = i
                left += 1
    keep_or_drop(surface, left, movers, slack)
    return True


@helper
def is_regular(surface, point):
    """Whether an open point belongs to a regular finding."""
    return point.b[0] == -1.0 and surface.finding[int(point.b[1])].regular == 1


@helper
def place_key(x, y, z):
    """A key for a cell of space."""
    return (np.int64(x) * 73856093 + np.int64(y) * 19349663 + np.int64(z) * 83492791) % (KEYS // 2)


@helper
def cell_of(x, cell):
    """Which cell of a raster a coordinate is in."""
    return math.floor(x / cell)


@routine
def has_double(surface, mine, centre, near):
    """Whether a point in the buckets is as near as this to a point."""
    p = row3(mine.a)
    w, cell = p - centre, WIDE * near
    for i in range(cell_of(w.x - near, cell), cell_of(w.x + near, cell) + 1):
        for j in range(cell_of(w.y - near, cell), cell_of(w.y + near, cell) + 1):
            for k in range(cell_of(w.z - near, cell), cell_of(w.z + near, cell) + 1):
                at = known_bucket(surface, place_key(i, j, k))
                other = surface.bucket[at, 1] if at >= 0 else END
                while other != END:
                    v = row3(surface.pool[other].a) - p
                    if v @ v <= near * near:
                        return True
                    other = surface.after[other]
    return False


@routine
def drop_doubles(surface, centre, near):
    """Leave out points of findings that are not regular where one that is has a point at the same place.

    Needed only where normals differ. Points are found by the cells of a raster that they lie in.
    """
    equal, both = True, 0
    for i in range(surface.counts[0]):
        equal = equal and row3(surface.finding[i].m) @ row3(surface.finding[0].m) > ONE_PLANE
        both |= 1 if surface.finding[i].regular == 1 else 2
    if equal or both != 3:
        return
    begin_buckets(surface, surface.counts[1])
    cell = WIDE * near
    for i in range(surface.counts[1]):
        if is_regular(surface, surface.pool[i]):
            w = row3(surface.pool[i].a) - centre
            key = place_key(cell_of(w.x, cell), cell_of(w.y, cell), cell_of(w.z, cell))
            bucket = surface.bucket[bucket_of(surface, key)]
            surface.after[i], bucket[1] = bucket[1], i
    for i in range(surface.counts[1]):
        mine = surface.pool[i]
        if mine.b[0] == -1.0 and not is_regular(surface, mine) and has_double(surface, mine, centre, near):
            mine.b[0] = TAKEN


@routine
def choose_points(surface, centre, scale, A, r, out):
    """Write the points of the findings that are left to ``out``, world axes; their number. centre: near them."""
    if drop_cleared(surface, SAME * scale):
        for i in range(surface.counts[1]):
            point = surface.pool[i]
            if surface.finding[int(point.b[1])].gone == GONE:
                point.b[0] = TAKEN
    drop_doubles(surface, centre, TWIN * scale)
    return write_points(surface, scale, A, r, out)
