"""Which findings of a pair with a surface become its points (V-20, I-091).

Overlap can be undone in many ways, and findings that undo the same overlap in different directions would work against
each other. So a finding is dropped if a better one of another direction *clears* it: moved by that one's depth along
that one's normal, the solid does not touch this one's place any more. Regular findings are better than others, and
among equals the shallower. What a plate has below it, what lies behind a rim or on the far flank of a ridge goes so.

What is left is grouped by direction. Of each group at most four points stay, the deepest and those spread most.
"""

from __future__ import annotations

import math

from gelenk.collision.manifold import put_point
from gelenk.collision.narrow.facet_contact import FACE, FLAT, SAME, TIP
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

EACH = 4  # points of a group
SIMILAR = 0.9998  # cosine (1.1 degrees) between normals that do not work against each other
ONE_PLANE = 1.0 - 1e-14  # cosine between normals of one plane
BETTER = 1.0 + 1e-6  # by how much a later point must be better: round-off alone does not change the choice
TWIN = 1e-6  # of the sizes: points closer than this are one

OPEN = 0
GONE = 1
KEPT = 2
TAKEN = -2.0  # group of a point that is left out; -1 is open


@helper
def row3(a):
    """Three numbers of a record as a value."""
    return Vec3(a[0], a[1], a[2])


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


@routine
def drop_cleared(surface, slack):
    """Mark findings as KEPT or GONE, better ones first."""
    count = surface.counts[0]
    if of_one_direction(surface):
        for i in range(count):
            surface.finding[i].gone = KEPT
        return 0
    dropped = 0
    for i in range(count):
        if surface.finding[i].d >= 0.0:
            surface.finding[i].gone = KEPT
    while True:
        best = -1
        for i in range(count):
            if surface.finding[i].gone == OPEN:
                a = surface.finding[i]
                if best < 0:
                    best = i
                else:
                    b = surface.finding[best]
                    if a.regular > b.regular or (a.regular == b.regular and a.d > b.d):
                        best = i
        if best < 0:
            return dropped
        mine = surface.finding[best]
        mine.gone = KEPT
        for j in range(count):
            other = surface.finding[j]
            if j != best and other.gone == KEPT and other.d < 0.0:
                m = row3(other.m)
                cleared = other.low - reach_along(surface, mine, m) >= other.d - slack
                if cleared and m @ row3(mine.m) < SIMILAR:
                    mine.gone = GONE
                    dropped += 1
                    break


@helper
def deepest_open(surface):
    """Deepest point that is in no group yet, or -1."""
    best = -1
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == -1.0 and (best < 0 or point.d < surface.pool[best].d):
            best = i
    return best


@helper
def gather(surface, leader, group):
    """Put all open points of a direction into a group, with their places in the plane across it; middle of them."""
    n = row3(surface.pool[leader].n)
    u = Vec3(0.0, n.z, -n.y) if abs(n.x) < 0.6 else Vec3(-n.z, 0.0, n.x)
    u = u * (1.0 / u.norm())
    v = n.cross(u)
    x, y, members = 0.0, 0.0, 0
    origin = row3(surface.pool[leader].a)
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == -1.0 and row3(point.n) @ n >= FLAT:
            w = row3(point.a) - origin
            point.b[0], point.b[1], point.b[2] = group, w @ u, w @ v
            x, y, members = x + point.b[1], y + point.b[2], members + 1
    return x / members, y / members


@helper
def gain(point, stage, p, q, s, x, y):
    """What a point adds: way from the middle; from p; twice the area with p, q; twice what it adds to p, q, s."""
    u, v = point.b[1], point.b[2]
    if stage == 0:
        return math.sqrt((u - x) ** 2 + (v - y) ** 2)
    if stage == 1:
        return math.sqrt((u - p.x) ** 2 + (v - p.y) ** 2)
    area = (q.x - p.x) * (v - p.y) - (q.y - p.y) * (u - p.x)
    if stage == 2:
        return abs(area)
    turn = 1.0 if (q.x - p.x) * (s.y - p.y) - (q.y - p.y) * (s.x - p.x) > 0.0 else -1.0
    second = (s.x - q.x) * (v - q.y) - (s.y - q.y) * (u - q.x)
    third = (p.x - s.x) * (v - s.y) - (p.y - s.y) * (u - s.x)
    return -min(turn * area, turn * second, turn * third)


@routine
def spread_group(surface, group, leader, x, y, scale, A, r, out, written):
    """Write at most four points of a group: one of the deepest, then each time the one that adds most."""
    deepest = surface.pool[leader].d + SAME * scale
    p = q = s = Vec3(0.0, 0.0, 0.0)
    for stage in range(EACH):
        if written >= out.shape[0]:
            break
        best, most = -1, -1.0 if stage == 0 else TWIN * scale
        if stage > 1:
            most = TWIN * scale * math.sqrt((q.x - p.x) ** 2 + (q.y - p.y) ** 2)
        for i in range(surface.counts[1]):
            point = surface.pool[i]
            if point.b[0] == group and (stage > 0 or point.d <= deepest):
                more = gain(point, stage, p, q, s, x, y)
                if more > most:
                    best, most = i, more * BETTER
        if best < 0:
            break
        point = surface.pool[best]
        place = Vec3(point.b[1], point.b[2], 0.0)
        if stage == 0:
            p = place
        elif stage == 1:
            q = place
        else:
            s = place
        put_point(out, written, A.R @ row3(point.a), r, A.R @ row3(point.n), point.d, point.feature_a, point.feature_b)
        written += 1
    return written


@routine
def drop_doubles(surface, near):
    """Leave out points of findings that are not regular where one that is has a point at the same place.

    Needed only where normals differ.
    """
    count = surface.counts[0]
    equal = True
    for i in range(1, count):
        equal = equal and row3(surface.finding[i].m) @ row3(surface.finding[0].m) > ONE_PLANE
    if equal:
        return
    for i in range(surface.counts[1]):
        mine = surface.pool[i]
        if mine.b[0] == -1.0 and surface.finding[int(mine.b[1])].regular == 0:
            for j in range(surface.counts[1]):
                other = surface.pool[j]
                if other.b[0] == -1.0 and surface.finding[int(other.b[1])].regular == 1:
                    w = row3(other.a) - row3(mine.a)
                    if w @ w <= near * near:
                        mine.b[0] = TAKEN
                        break


@routine
def choose_points(surface, scale, A, r, out):
    """Write the points of the findings that are left to ``out``, world axes; their number."""
    drop_cleared(surface, SAME * scale)
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if surface.finding[int(point.b[1])].gone == GONE:
            point.b[0] = TAKEN
    drop_doubles(surface, TWIN * scale)
    return write_points(surface, scale, A, r, out)


@routine
def write_points(surface, scale, A, r, out):
    """Write the open points of the pool to ``out``, group by group, world axes; their number."""
    written, group = 0, 0.0
    while written < out.shape[0]:
        leader = deepest_open(surface)
        if leader < 0:
            break
        x, y = gather(surface, leader, group)
        written = spread_group(surface, group, leader, x, y, scale, A, r, out, written)
        group += 1.0
    return written
