"""Which ways out of an overlap of two surfaces stay (V-20, I-091).

Corners and sides each know a way out. Those in different directions may undo the same overlap, and would work against
each other. So ways are sorted into directions; the move that undoes all of one direction may undo others as well. If
there is one that undoes all, the shortest such one is left: two bodies that meet at one place come apart by it. If
there is none, the bodies meet at several places; ways go that a shorter move makes needless.
"""

from __future__ import annotations

import math

from gelenk.collision.narrow.point_pool import CORNER_B, SIDES
from gelenk.collision.narrow.surface_choice import TAKEN, row3
from gelenk.collision.narrow.surface_inside import is_within, to_b
from gelenk.compile import helper, routine

APART = 0.8  # cosine (37 degrees) below which directions work against each other
AMPLE = 1.1  # by how much a move is made longer, since neighbours on a curved surface lean a little
OPEN = -1.0


@helper
def deepest_without(surface, slack):
    """Deepest overlapping point that has no direction yet, or -1."""
    best = -1
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        waits = point.b[0] == OPEN and point.d < -slack and point.b[1] == 0.0
        if waits and (best < 0 or point.d < surface.pool[best].d):
            best = i
    return best


@routine
def sort_directions(surface, slack):
    """Number the directions of overlapping points from 1 on, in b[1]; how many there are."""
    for i in range(surface.counts[1]):
        surface.pool[i].b[1] = 0.0
    count = 0
    while True:
        leader = deepest_without(surface, slack)
        if leader < 0:
            return count
        count += 1
        m = row3(surface.pool[leader].n)
        for i in range(surface.counts[1]):
            point = surface.pool[i]
            if point.b[0] == OPEN and point.d < -slack and point.b[1] == 0.0 and row3(point.n) @ m >= APART:
                point.b[1] = float(count)
        surface.pool[leader].b[1] = float(count)


@helper
def shortest_direction(surface, slack, count):
    """Deepest point of the direction whose deepest point is least deep, of those not done; -1 if all are.

    There are fewer than 40 directions so far apart, and ``surface.arc`` has more rows.
    """
    deepest = surface.arc
    for k in range(count + 1):
        deepest[k, 0], deepest[k, 1] = -1.0, -slack
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == OPEN and point.b[1] > 0.0 and point.d < deepest[int(point.b[1]), 1]:
            deepest[int(point.b[1]), 0], deepest[int(point.b[1]), 1] = float(i), point.d
    best, least = -1, -math.inf
    for k in range(1, count + 1):
        if deepest[k, 0] >= 0.0 and deepest[k, 1] > least and deepest[k, 2] == 0.0:
            best, least = int(deepest[k, 0]), deepest[k, 1]
    return best


@routine
def is_cleared(point, move, q, tables):
    """Whether what overlaps at a point is apart after B has moved, axes of A: the corner is out, or the sides are."""
    if point.b[2] == SIDES:
        return point.d + row3(point.n) @ move >= 0.0
    a = row3(point.a)
    if point.b[2] == CORNER_B:
        return not is_within(q.A, tables, a + row3(point.n) * point.d + move, q.sheet)
    return not is_within(q.B, tables, to_b(q, a - move), q.sheet)


@helper
def move_of(point, slack):
    """Move of B that undoes the overlap at a point, and a little more, axes of A."""
    return row3(point.n) * (4.0 * slack - AMPLE * point.d)


@helper
def overlaps_along(point, slack, group):
    """Whether a point overlaps, is still to be looked at, and has another direction."""
    return point.b[0] == OPEN and point.d < -slack and point.b[1] > 0.0 and point.b[1] != group


@routine
def parts_all(leader, q, tables, surface):
    """Whether the move of a point undoes all overlap in other directions."""
    group, move = surface.pool[leader].b[1], move_of(surface.pool[leader], q.slack)
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if overlaps_along(point, q.slack, group) and not is_cleared(point, move, q, tables):
            return False
    return True


@routine
def keep_parting(count, q, tables, surface):
    """Leave the shortest direction alone whose move parts the bodies; whether there is one."""
    for k in range(count + 1):
        surface.arc[k, 2] = 0.0
    for _ in range(count):
        leader = shortest_direction(surface, q.slack, count)
        group = surface.pool[leader].b[1]
        if parts_all(leader, q, tables, surface):
            for i in range(surface.counts[1]):
                if overlaps_along(surface.pool[i], q.slack, group):
                    surface.pool[i].b[0] = TAKEN
            return True
        surface.arc[int(group), 2] = 1.0
    for k in range(count + 1):
        surface.arc[k, 2] = 0.0
    return False


@routine
def drop_longer_ways(q, tables, surface):
    """Take out points whose overlap is undone by a move in another direction."""
    count = sort_directions(surface, q.slack)
    if count < 2 or keep_parting(count, q, tables, surface):
        return
    while True:
        leader = shortest_direction(surface, q.slack, count)
        if leader < 0:
            return
        group, move = surface.pool[leader].b[1], move_of(surface.pool[leader], q.slack)
        for i in range(surface.counts[1]):
            point = surface.pool[i]
            if overlaps_along(point, q.slack, group) and is_cleared(point, move, q, tables):
                point.b[0] = TAKEN
            elif point.b[1] == group:
                point.b[1] = -group
