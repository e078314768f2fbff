"""Tree of balls against tree of balls."""

from __future__ import annotations

from gelenk.collision.ball_table import ball_centre, is_last, pick_spread
from gelenk.collision.closest import unit_or
from gelenk.collision.manifold import put_point
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3


@helper
def way_between(A, B, r, balls, i, j):
    """From the centre of ball i of A to that of ball j of B, world axes."""
    return r + B.R @ ball_centre(balls, j) - A.R @ ball_centre(balls, i)


@helper
def try_balls(A, B, r, margin, balls, work, i, j, count):
    """Put a pair of nodes into the queue if balls below them may touch; length of the queue then."""
    away = way_between(A, B, r, balls, i, j).norm()
    if away - balls.reach[i] - balls.reach[j] <= margin:
        work.queue[count, 0], work.queue[count, 1] = i, j
        work.gap[count] = away - balls.ball[i, 3] - balls.ball[j, 3]
        return count + 1
    return count


@routine
def balls_balls(A, B, r, margin, tables, memory, work, out):
    """Points of balls against balls, the deepest first, then the most spread of the rest (V-22, V-23).

    Both trees are gone down level by level, each time the node with the larger ball. When the budget of tests is used
    up, the balls reached stand for what lies below them.
    """
    balls, scratch = tables.balls, work.balls
    count = try_balls(A, B, r, margin, balls, scratch, balls.root[A.table], balls.root[B.table], 0)
    head, tests, found = 0, 1, 0
    while head < count:
        i, j = scratch.queue[head, 0], scratch.queue[head, 1]
        last_i, last_j = is_last(balls, i, scratch), is_last(balls, j, scratch)
        of_a = not last_i and (last_j or balls.ball[i, 3] >= balls.ball[j, 3])
        if (last_i and last_j) or tests + 8 > scratch.limits[1]:
            if scratch.gap[head] <= margin:
                scratch.found[found] = head
                put3(scratch.place, found, A.R @ ball_centre(balls, i))
                found += 1
        else:
            node = i if of_a else j
            for child in range(balls.child_first[node], balls.child_last[node]):
                if of_a:
                    count = try_balls(A, B, r, margin, balls, scratch, child, j, count)
                else:
                    count = try_balls(A, B, r, margin, balls, scratch, i, child, count)
                tests += 1
        head += 1

    written, kept = 0, 0
    for k in range(min(found, out.shape[0])):
        kept = pick_spread(scratch, found, k, kept)
        if k > 0 and scratch.spare[kept] == 0.0:
            break
        place = scratch.found[kept]
        i, j = scratch.queue[place, 0], scratch.queue[place, 1]
        n = unit_or(way_between(A, B, r, balls, i, j), Vec3(0.0, 0.0, 1.0))
        a = get3(scratch.place, kept) + n * balls.ball[i, 3]
        put_point(out, k, a, r, n, scratch.gap[place], i - balls.root[A.table], j - balls.root[B.table])
        written = k + 1
    return written
