"""Triangle mesh or height field against a plane (V-20, V-21)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.narrow.facet_contact import FACE, TIP, feature_of, put_found, put_pool
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.narrow.surface_choice import KEPT, deepest_open, gather, spread_group
from gelenk.collision.surface import surface_bounds, surface_facet, surface_in_box
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

DEEPEST_SPLIT = 40  # halvings of a box


@helper
def part_below(box, n, limit):
    """Box around the part of a box with  n . x <= limit;  empty (low above high) if there is none."""
    least = n.x * (box.x if n.x > 0.0 else box.x_high)
    least += n.y * (box.y if n.y > 0.0 else box.y_high)
    least += n.z * (box.z if n.z > 0.0 else box.z_high)
    room = limit - least
    if room < 0.0:
        return Bounds(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    x, x_high = below_along(n.x, room, box.x, box.x_high)
    y, y_high = below_along(n.y, room, box.y, box.y_high)
    z, z_high = below_along(n.z, room, box.z, box.z_high)
    return Bounds(x, y, z, x_high, y_high, z_high)


@helper
def below_along(n, room, low, high):
    """Ends along one axis."""
    if n > 0.0 and room < n * (high - low):
        return low, low + room / n
    if n < 0.0 and room < -n * (high - low):
        return high + room / n, high
    return low, high


@helper
def lower_half(box):
    """Box cut in two along its longest edge: the first half, and the other."""
    x, y, z = box.x_high - box.x, box.y_high - box.y, box.z_high - box.z
    if x >= y and x >= z:
        m = box.x + 0.5 * x
        return Bounds(box.x, box.y, box.z, m, box.y_high, box.z_high), Bounds(
            m, box.y, box.z, box.x_high, box.y_high, box.z_high
        )
    if y >= z:
        m = box.y + 0.5 * y
        return Bounds(box.x, box.y, box.z, box.x_high, m, box.z_high), Bounds(
            box.x, m, box.z, box.x_high, box.y_high, box.z_high
        )
    m = box.z + 0.5 * z
    return Bounds(box.x, box.y, box.z, box.x_high, box.y_high, m), Bounds(
        box.x, box.y, m, box.x_high, box.y_high, box.z_high
    )


@routine
def thin_out(surface, scale, A, r, out):
    """Keep the deepest point of the pool and those spread most, so that there is room for more."""
    leader = deepest_open(surface)
    if leader < 0:
        return 0
    x, y = gather(surface, leader, 0.0)
    return spread_group(surface, 0.0, leader, x, y, scale, A, r, out, 0)


@routine
def surface_plane(A, B, r, margin, tables, memory, work, out):
    """Corners of the surface A below the plane B or near it: the lowest, and up to three more spread most."""
    surface = work.surface
    m = A.R.tdot(plane_normal(B))  # axes of the surface
    c = A.R.tdot(r)
    limit = c @ m + margin
    whole = surface_bounds(A, tables)
    extent = Vec3(whole.x_high - whole.x, whole.y_high - whole.y, whole.z_high - whole.z).norm()
    grown = 1e-12 * (extent + c.norm())
    box = part_below(whole, m, limit + grown)
    surface.counts[0] = surface.counts[1] = surface.counts[3] = 0
    put_found(surface, 0, FACE, -m, 0.0, 0.0, True)
    surface.finding[0].gone = KEPT
    if not box.is_box():
        return 0
    stack = surface.stack  # halves of the box that are still to be looked at, two rows each
    put_stack(stack, 0, box)
    depth = 1
    while depth > 0:
        depth -= 1
        box = get_stack(stack, depth)
        count = surface_in_box(A, tables, box, surface.found)
        if count > surface.found.shape[0] and depth < DEEPEST_SPLIT:
            first, second = lower_half(box)
            put_stack(stack, depth, second)
            put_stack(stack, depth + 1, first)
            depth += 2
            continue
        for i in range(min(count, surface.found.shape[0])):
            add_corners(surface_facet(A, tables, surface.found[i]), surface.found[i], m, c, margin, surface)
            if surface.counts[1] + 3 > surface.pool.shape[0]:
                reduce_pool(surface, extent, A, r, out)
    lowest = deepest_open(surface)
    if lowest < 0:
        return 0
    return thin_out(surface, extent, A, r, out)


@helper
def put_stack(stack, k, box):
    """Box k of a stack of rows of three."""
    stack[2 * k, 0], stack[2 * k, 1], stack[2 * k, 2] = box.x, box.y, box.z
    stack[2 * k + 1, 0], stack[2 * k + 1, 1], stack[2 * k + 1, 2] = box.x_high, box.y_high, box.z_high


@helper
def get_stack(stack, k):
    """The same back."""
    a, b = stack[2 * k], stack[2 * k + 1]
    return Bounds(a[0], a[1], a[2], b[0], b[1], b[2])


@helper
def add_corners(F, t, m, c, margin, surface):
    """Corners of a facet within the margin of the plane through c with normal m."""
    for k in range(3):
        p = F.p if k == 0 else (F.q if k == 1 else F.s)
        d = (p - c) @ m
        if d <= margin:
            put_pool(surface, p, -m, d, feature_of(np.int64(t), TIP + k), 0)
            surface.pool[surface.counts[1] - 1].b[1] = 0.0


@routine
def reduce_pool(surface, scale, A, r, out):
    """Thin the pool out to four points: those written to ``out`` are found again by their features."""
    kept = thin_out(surface, scale, A, r, out)
    count = 0
    for i in range(surface.counts[1]):
        point = surface.pool[i]
        for k in range(kept):
            if point.feature_a == out[k].feature_a and count <= k:
                target = surface.pool[count]
                for j in range(3):
                    target.a[j], target.n[j] = point.a[j], point.n[j]
                target.d, target.feature_a, target.feature_b = point.d, point.feature_a, 0
                target.b[0], target.b[1] = -1.0, 0.0
                count += 1
                break
    surface.counts[1] = count
