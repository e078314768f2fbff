"""The pool of points of two surfaces: what has no room makes room, and the deepest one stays (I-091)."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.narrow.facet_contact import FLAT
from gelenk.collision.narrow.surface_choice import TAKEN, deepest_open, row3
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

# what a point is, in b[2]
NEAR = 0.0  # a place where the surfaces are apart or touch
CORNER_A = 1.0  # a corner of A inside B
CORNER_B = 2.0
SIDES = 3.0  # two sides

KEEP = -3.0  # group of a point that stays
AROUND = 8  # directions in which the outermost point of a group stays


@routine
def put_surface_point(surface, a, m, d, feature_a, feature_b, kind):
    """One more point: its place on A, its normal from A to B and its distance, axes of A."""
    if surface.counts[1] == surface.pool.shape[0]:
        thin_pool(surface)
    k = surface.counts[1]
    point = surface.pool[k]
    point.a[0], point.a[1], point.a[2] = a.x, a.y, a.z
    point.n[0], point.n[1], point.n[2] = m.x, m.y, m.z
    point.b[0], point.b[1], point.b[2] = -1.0, 0.0, kind
    point.d, point.feature_a, point.feature_b = d, feature_a, feature_b
    surface.counts[1] = k + 1


@helper
def mark_outermost(surface, leader):
    """Mark of all open points of the direction of a leader the outermost ones and itself, and take out the others."""
    n, origin = row3(surface.pool[leader].n), row3(surface.pool[leader].a)
    u = Vec3(0.0, n.z, -n.y) if abs(n.x) < 0.6 else Vec3(-n.z, 0.0, n.x)
    u = u * (1.0 / u.norm())
    v = n.cross(u)
    for j in range(AROUND):
        angle = 2.0 * math.pi * j / AROUND
        way = u * math.cos(angle) + v * math.sin(angle)
        best, most = leader, -math.inf
        for i in range(surface.counts[1]):
            point = surface.pool[i]
            open_ = point.b[0] == -1.0 or point.b[0] == KEEP
            if open_ and row3(point.n) @ n >= FLAT and (row3(point.a) - origin) @ way > most:
                best, most = i, (row3(point.a) - origin) @ way
        surface.pool[best].b[0] = KEEP
    surface.pool[leader].b[0] = KEEP
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] == -1.0 and row3(point.n) @ n >= FLAT:
            point.b[0] = TAKEN


@routine
def thin_pool(surface):
    """Leave of each direction the deepest point and the outermost ones; the deeper half if that is still too many."""
    while True:
        leader = deepest_open(surface)
        if leader < 0:
            break
        mark_outermost(surface, leader)
    close_up(surface, math.inf)
    if 4 * surface.counts[1] > 3 * surface.pool.shape[0]:
        middle = 0.0
        for i in range(surface.counts[1]):
            middle += surface.pool[i].d / surface.counts[1]
        close_up(surface, middle)
    if surface.counts[1] == surface.pool.shape[0]:
        surface.counts[1] -= 1  # all are as deep as each other


@helper
def close_up(surface, most):
    """Take out what is not marked, or farther than ``most``; what stays is open again."""
    count = 0
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        if point.b[0] != TAKEN and point.d <= most:
            target = surface.pool[count]
            for j in range(3):
                target.a[j], target.n[j], target.b[j] = point.a[j], point.n[j], point.b[j]
            target.d, target.feature_a, target.feature_b = point.d, point.feature_a, point.feature_b
            target.b[0] = -1.0
            count += 1
    surface.counts[1] = np.int64(count)
