"""Tree of balls against a convex solid or a plane."""

from __future__ import annotations

from gelenk.collision.ball_table import ball_centre, is_last, pick_spread
from gelenk.collision.closest import perpendicular, point_segment, unit_or
from gelenk.collision.epa import convex_distance
from gelenk.collision.manifold import put_point
from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.narrow.sphere_box import point_box
from gelenk.collision.narrow.sphere_cone import point_cone
from gelenk.collision.narrow.sphere_cylinder import point_cylinder
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, PLANE, SPHERE, Solid
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3


@helper
def in_world(B, foot):
    """Distance and normal outward from B of a point that B sees as ``foot``."""
    return foot.d, B.R @ foot.n


@routine
def point_solid(B, p, hulls, work):
    """Signed distance of the point p, seen from the centre of B in world axes, and the outward normal of B there."""
    if B.kind == PLANE:
        n = plane_normal(B)
        return p @ n, n
    if B.kind == SPHERE:
        return p.norm() - B.size.x, unit_or(p, Vec3(0.0, 0.0, 1.0))
    if B.kind == CAPSULE:
        h = half_axis(B)
        w = p - h * point_segment(p, h)
        return w.norm() - B.size.x, unit_or(w, perpendicular(h))
    if B.kind == BOX:
        return in_world(B, point_box(B.R.tdot(p), B.size))
    if B.kind == CYLINDER:
        return in_world(B, point_cylinder(B.R.tdot(p), B.size))
    if B.kind == CONE:
        return in_world(B, point_cone(B.R.tdot(p), B.size))
    point = Solid(SPHERE, 0, B.R, Vec3(0.0, 0.0, 0.0))
    d, n, _ = convex_distance(point, B, -p, Vec3(0.0, 0.0, 0.0), hulls, work)
    return d, -n


@routine
def balls_convex(A, B, r, margin, tables, memory, work, out):
    """Points of a tree A of balls on a solid B, the deepest first, then the most spread of the rest (V-22, V-23).

    Each ball is an exact pair with B: the distance of its centre less its radius. When the budget of tests is used up,
    the balls reached stand for what lies below them.
    """
    balls, scratch = tables.balls, work.balls
    root = balls.root[A.table]
    count, head, found = 1, 0, 0
    scratch.queue[0, 0] = root
    d, _ = point_solid(B, A.R @ ball_centre(balls, root) - r, tables.hulls, work.convex)
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
                d, _ = point_solid(B, A.R @ ball_centre(balls, child) - r, tables.hulls, work.convex)
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
        d, n = point_solid(B, centre - r, tables.hulls, work.convex)
        put_point(out, k, centre - n * balls.ball[node, 3], r, -n, d - balls.ball[node, 3], node - root, 0)
    return most
