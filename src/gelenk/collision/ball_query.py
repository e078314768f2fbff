"""Bounds, rays and nearest points of trees of balls: those of the balls at the ends of the tree (V-22)."""

from __future__ import annotations

import math

from gelenk.collision.ball_table import ball_centre
from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.closest import unit_or
from gelenk.collision.query.hit import miss
from gelenk.collision.query.ray_sphere import ray_sphere
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def ball_bounds(balls, index):
    """Box around all balls of a tree, shape axes: that of the ball that holds them."""
    root = balls.root[index]
    c, far = ball_centre(balls, root), balls.reach[root]
    return Bounds(c.x - far, c.y - far, c.z - far, c.x + far, c.y + far, c.z + far)


@helper
def has_children(balls, node):
    """Whether a node has smaller balls below it."""
    return balls.child_first[node] != balls.child_last[node]


@routine
def ray_balls(balls, index, start, direction, length):
    """First point of all balls on a ray: (s, n) as for every solid, shape axes."""
    best, n = miss()
    stack, top = balls.stack, 1
    stack[0] = balls.root[index]
    while top > 0:
        top -= 1
        node = stack[top]
        c, radius = ball_centre(balls, node), balls.ball[node, 3]
        inner = has_children(balls, node)
        around = balls.reach[node] if inner else radius
        s, m = ray_sphere(Vec3(around, 0.0, 0.0), start - c, direction, min(length, best))
        if s == math.inf:
            continue
        if not inner:
            if s < best:
                best, n = s, m
            continue
        for child in range(balls.child_first[node], balls.child_last[node]):
            stack[top] = child
            top += 1
    return best, n


@routine
def nearest_on_balls(balls, index, p):
    """Signed distance, nearest point and outward normal of the ball of a tree that p is nearest to or deepest in."""
    best, q, n = math.inf, p, Vec3(0.0, 0.0, 1.0)
    stack, top = balls.stack, 1
    stack[0] = balls.root[index]
    while top > 0:
        top -= 1
        node = stack[top]
        c, radius = ball_centre(balls, node), balls.ball[node, 3]
        away = (p - c).norm()
        if has_children(balls, node):
            if away - balls.reach[node] < best:
                for child in range(balls.child_first[node], balls.child_last[node]):
                    stack[top] = child
                    top += 1
        elif away - radius < best:
            best, n = away - radius, unit_or(p - c, Vec3(0.0, 0.0, 1.0))
            q = c + n * radius
    return best, q, n
