"""Which points of the findings of a pair with a surface become its points (V-20, I-091).

Points are grouped by direction. Of each group four stay that spread most, beginning with one that is nearly as deep
as the deepest, and the deepest itself, if it is not among them: so small tilts of a round or many-sided body that lies
flat do not change which points stay.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.clip import copy_point
from gelenk.collision.manifold import put_point
from gelenk.collision.narrow.facet_contact import FLAT, KIND, SAME
from gelenk.collision.narrow.underside import MOVING
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

EACH = 4  # points of a group that are spread
NEARLY = 1e-7  # of the sizes: by which the deepest point of an overlap must be deeper than these to be one more
DEEP = 1e-5  # of the sizes: a point less above the deepest may be the first of them
BETTER = 1.0 + 1e-6  # by how much a later point must be better: round-off alone does not change the choice
TWIN = 1e-6  # of the sizes: points closer than this are one
COPY = 16 * KIND  # added to features of B that a point before has

FAR = 0.9  # of the way from the middle of a group to its farthest point
CLEARLY = 1.0 + 1e-3  # by how much another first point must be farther from the second
WEIGHT = 0.9  # of places of a solid that move over it in small tilts: below the cosine of a sixteenth of a turn

KEPT = 2  # a finding that counts
FIRST = -3.0  # group of a point that is written in any case
TAKEN = -2.0  # group of a point that is left out; -1 is open


@helper
def row3(a):
    """Three numbers of a record as a value."""
    return Vec3(a[0], a[1], a[2])


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
def gain(point, stage, p, q, s):
    """What a point adds: at stage 2 twice the area with p, q; then twice what it adds to p, q, s."""
    u, v = point.b[1], point.b[2]
    area = (q.x - p.x) * (v - p.y) - (q.y - p.y) * (u - p.x)
    if stage == 2:
        return abs(area)
    turn = 1.0 if (q.x - p.x) * (s.y - p.y) - (q.y - p.y) * (s.x - p.x) > 0.0 else -1.0
    second = (s.x - q.x) * (v - q.y) - (s.y - q.y) * (u - q.x)
    third = (p.x - s.x) * (v - s.y) - (p.y - s.y) * (u - s.x)
    return -min(turn * area, turn * second, turn * third)


@helper
def own_name(out, count, feature_a, feature_b):
    """Feature of B that no point before has together with that of A: almost always the one given."""
    k = 0
    while k < count:
        if out[k].feature_a == feature_a and out[k].feature_b == feature_b:
            feature_b, k = feature_b + COPY, 0
        else:
            k += 1
    return feature_b


@routine
def write_point(point, A, r, out, written):
    """Write a point to ``out``, world axes, under a name of its own; how many there are then."""
    own = own_name(out, written, np.int64(point.feature_a), np.int64(point.feature_b))
    put_point(out, written, A.R @ row3(point.a), r, A.R @ row3(point.n), point.d, point.feature_a, own)
    return written + 1


@helper
def first_of(surface, group, deep, x, y):
    """Of the deep points of a group that are far from its middle the one with the lowest features.

    So of many corners of a body at about the same distance it is the same from step to step.
    """
    far = 0.0
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == group and point.d <= deep:
            far = max(far, (point.b[1] - x) ** 2 + (point.b[2] - y) ** 2)
    best = -1
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == group and point.d <= deep:
            away = (point.b[1] - x) ** 2 + (point.b[2] - y) ** 2
            if away >= FAR * FAR * far and (best < 0 or point.feature_b < surface.pool[best].feature_b):
                best = i
    return best


@helper
def weight_of(point):
    """How much what a point adds counts."""
    return WEIGHT if point.feature_b & MOVING else 1.0


@routine
def farthest_from(surface, group, start, least, deep):
    """Point of a group at least so deep farthest from one of them, if that is farther than ``least``; else -1."""
    best, most = -1, least
    p = surface.pool[start]
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == group and point.d <= deep:
            more = math.sqrt((point.b[1] - p.b[1]) ** 2 + (point.b[2] - p.b[2]) ** 2) * weight_of(point)
            if more > most:
                best, most = i, more * BETTER
    return best


@helper
def far_ends(surface, group, deep, x, y, scale, enough):
    """Two points of a group far from each other, the second -1 if there is none; the first may be exchanged."""
    first = first_of(surface, group, deep, x, y)
    second = farthest_from(surface, group, first, TWIN * scale, math.inf)
    if second >= 0 and enough:
        p, q = surface.pool[first], surface.pool[second]
        way = math.sqrt((q.b[1] - p.b[1]) ** 2 + (q.b[2] - p.b[2]) ** 2)
        other = farthest_from(surface, group, second, way * CLEARLY, deep)
        first = other if other >= 0 else first
    return first, second


@helper
def place_in_plane(point):
    """Place of a point in the plane across the direction of its group."""
    return Vec3(point.b[1], point.b[2], 0.0)


@routine
def spread_group(surface, group, leader, x, y, scale, A, r, out, written):
    """Write at most five points of a group: two far ends, each time the one that adds most, and the deepest."""
    enough = out.shape[0] - written > EACH
    deep = surface.pool[leader].d + (DEEP if enough else SAME) * scale
    first, second = far_ends(surface, group, deep, x, y, scale, enough)
    written = write_point(surface.pool[first], A, r, out, written)
    least = surface.pool[first].d
    p = q = s = place_in_plane(surface.pool[first])
    if second >= 0 and written < out.shape[0]:
        written = write_point(surface.pool[second], A, r, out, written)
        least = min(least, surface.pool[second].d)
        q = place_in_plane(surface.pool[second])
        third = adds_most(surface, group, 2, p, q, s, scale)
        if third >= 0 and written < out.shape[0]:
            written = write_point(surface.pool[third], A, r, out, written)
            least = min(least, surface.pool[third].d)
            s = place_in_plane(surface.pool[third])
            fourth = adds_most(surface, group, 3, p, q, s, scale)
            if fourth >= 0 and written < out.shape[0]:
                written = write_point(surface.pool[fourth], A, r, out, written)
                least = min(least, surface.pool[fourth].d)
    slack = SAME if surface.pool[leader].d > 0.0 else NEARLY
    if enough and surface.pool[leader].d < least - slack * scale:
        written = write_point(surface.pool[leader], A, r, out, written)
    return written


@routine
def adds_most(surface, group, stage, p, q, s, scale):
    """Point of a group that adds most to those before, or -1 if none adds more than round-off."""
    best, most = -1, TWIN * scale * math.sqrt((q.x - p.x) ** 2 + (q.y - p.y) ** 2)
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == group:
            more = gain(point, stage, p, q, s) * weight_of(point)
            if more > most:
                best, most = i, more * BETTER
    return best


@routine
def leave_open(surface):
    """Move the open points of the pool to its front, in their order; the others are forgotten."""
    count = 0
    for i in range(surface.counts[1]):
        if surface.pool[i].b[0] == -1.0:
            if count < i:
                copy_point(surface.pool, i, count)
            count += 1
    surface.counts[1] = count


@routine
def write_first(surface, A, r, out):
    """Write the points that no other of nearly the same direction may stand for; their number."""
    written = 0
    for i in range(surface.counts[1]):
        if surface.pool[i].b[0] == FIRST and written < out.shape[0]:
            surface.pool[i].b[0] = TAKEN
            written = write_point(surface.pool[i], A, r, out, written)
    return written


@routine
def write_points(surface, scale, A, r, out):
    """Write the open points of the pool to ``out``, group by group, world axes; their number."""
    written, group = write_first(surface, A, r, out), 0.0
    while written < out.shape[0]:
        leave_open(surface)
        leader = deepest_open(surface)
        if leader < 0:
            break
        x, y = gather(surface, leader, group)
        written = spread_group(surface, group, leader, x, y, scale, A, r, out, written)
        group += 1.0
    return written
