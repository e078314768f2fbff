"""Tree of balls against any solid that is no such tree: convex, plane, mesh or height field."""

from __future__ import annotations

from gelenk.collision.ball_table import ball_centre, is_last, pick_spread
from gelenk.collision.manifold import put_point
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.compile import routine
from gelenk.math.vec3 import get3, put3


@routine
def balls_solid(A, B, r, margin, tables, memory, work, out):
    """Points of a tree A of balls on a solid B, the deepest first, then the most spread of the rest (V-22, V-23).

    Each ball is an exact pair with B: the distance of its centre less its radius. When the budget of tests is used up,
    the balls reached stand for what lies below them.
    """
    balls, scratch = tables.balls, work.balls
    root = balls.root[A.table]
    count, head, found = 1, 0, 0
    scratch.queue[0, 0] = root
    d, _, _ = nearest_on_solid(B, tables, A.R @ ball_centre(balls, root) - r)
    scratch.gap[0] = d - balls.ball[root, 3]
    if d - balls.reach[root] > margin:
        return 0
    tests = 1
    while head < count:
        node = scratch.queue[head, 0]
        if is_last(balls, node, scratch) or tests + 8 > scratch.limits[1]:
            if scratch.gap[head] <= margin:
                scratch.found[found] = head
                put3(scratch.place, found, A.R @ ball_centre(balls, node))
                found += 1
        else:
            for child in range(balls.child_first[node], balls.child_last[node]):
                d, _, _ = nearest_on_solid(B, tables, A.R @ ball_centre(balls, child) - r)
                tests += 1
                if d - balls.reach[child] <= margin:
                    scratch.queue[count, 0] = child
                    scratch.gap[count] = d - balls.ball[child, 3]
                    count += 1
        head += 1

    kept = 0
    most = min(found, out.shape[0])
    for k in range(most):
        kept = pick_spread(scratch, found, k, kept)
        place = scratch.found[kept]
        node = scratch.queue[place, 0]
        centre = get3(scratch.place, kept)
        d, _, n = nearest_on_solid(B, tables, centre - r)
        put_point(out, k, centre - n * balls.ball[node, 3], r, -n, d - balls.ball[node, 3], node - root, 0)
    return most
