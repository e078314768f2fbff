"""Impacts of pieces that may touch from the start: only where they come together (V-06).

A contact whose points part, rest on each other or slide along is no impact. It is left alone and looked at again:

    touching since the start   as soon as the depth can have changed by itself or by the gap, at least ``PARTS`` times
    come near later            as soon as the depth can have grown by the gap

On surfaces the normal of a contact is one that its triangle may have: so nothing is met at the seam of two triangles of
a flat floor that it slides over, and nothing from inside on its way out.
"""

from __future__ import annotations

import math

from gelenk.collision.facet_normal import is_bent, side_of
from gelenk.collision.field_walls import wall_contact_normal
from gelenk.collision.gjk import NOWHERE, ConvexWork
from gelenk.collision.impact_time import (
    MOST_ADVANCES,
    close_pair,
    free_time,
    impact_at,
    no_impact,
    usable_gap,
)
from gelenk.collision.motion import point_velocity, speed_along
from gelenk.collision.piece_tree import facet_of_piece, wall_of
from gelenk.collision.safe_time import safe_time
from gelenk.collision.sight import look
from gelenk.collision.solid import FIELD, MESH
from gelenk.compile import generic, helper, routine
from gelenk.math.rotation import rotation_exp
from gelenk.math.vec3 import Vec3

EVERY, COMING, LATER = 0, 1, 2  # which contacts count: all; those that come together; and not those at the start
COMING_SHARE = 1e-6  # of the speeds at a contact: what comes together slower than this rests, slides or rolls
LEANING = 1e-12  # sine of the angle from which on a normal leans over a side
PARTS = 64  # of the time, in which contacts that last are looked at again


@helper
def comes_together(motion_A, arm_A, a, motion_B, arm_B, b, n):
    """Whether points a and b, from the centres of their shapes, come nearer along the normal n from A to B."""
    v = point_velocity(motion_A, arm_A, a) - point_velocity(motion_B, arm_B, b)
    turn_A, turn_B = motion_A.w.cross(arm_A + a), motion_B.w.cross(arm_B + b)
    return v @ n > COMING_SHARE * (motion_A.v.norm() + motion_B.v.norm() + turn_A.norm() + turn_B.norm())


@routine
def facet_normal_of(F, m):
    """The unit normal m of a contact made one that the facet F may have; axes of the surface.

    Over every side that m leans over: not at all where the surface is flat or bends inward, else as far as the arc of
    that side goes. At a corner of two sides that are not bent only the normal of the facet is left.
    """
    if not m @ F.n > 0.0:
        return F.n
    flat = -1
    for k in range(6):  # each side twice, for what one takes away may lean over another
        side = side_of(F, k % 3)
        x, y = m @ F.n, m @ side.o
        if y > LEANING and x * side.s - y * side.c < 0.0:
            if not is_bent(side):
                if flat >= 0 and flat != k % 3:
                    return F.n
                flat = k % 3
            size = math.sqrt(x * x + y * y)
            m = m + F.n * (size * side.c - x) + side.o * (size * side.s - y)
    size = m.norm()
    return m * (1.0 / size) if size > 0.0 else F.n


@generic
def outward_normal(work, whole, tables, item, turn, m):
    """The normal m out of a piece, world axes, as its surface allows it; turn: rotation since the start."""


@outward_normal.register(ConvexWork)
def normal_of_any(work, whole, tables, item, turn, m):  # noqa: D103
    if whole.kind != MESH and whole.kind != FIELD:
        return m
    R = turn.times(whole.R)
    side = wall_of(whole, item)
    if side >= 0:
        return R @ wall_contact_normal(side, R.tdot(m))
    return R @ facet_normal_of(facet_of_piece(whole, tables, item), R.tdot(m))


@routine
def is_coming(whole_A, A, item_A, whole_B, B, item_B, sight, t, tables, work):
    """Whether two pieces that touch come together along a normal that both have."""
    turn_A, turn_B = rotation_exp(A.motion.w * t), rotation_exp(B.motion.w * t)
    n = outward_normal(work, whole_A, tables, item_A, turn_A, sight.n)
    if not comes_together(A.motion, sight.arm_A, sight.a, B.motion, sight.arm_B, sight.b, n):
        return False
    n = -outward_normal(work, whole_B, tables, item_B, turn_B, -sight.n)
    return comes_together(A.motion, sight.arm_A, sight.a, B.motion, sight.arm_B, sight.b, n)


@routine
def coming_impact(whole_A, A, item_A, whole_B, B, item_B, r, t_end, gap, counts, tables, work):
    """First impact of two pieces A and B that come together; counts: COMING or LATER."""
    hulls = tables.hulls
    t = free_time(A, B, r)
    if t > t_end:
        return no_impact()
    A, B = close_pair(A, B, r, t_end)
    fastest = (A.motion.v - B.motion.v).norm() + A.spin.rate * A.spin.reach + B.spin.rate * B.spin.reach
    work.near[0] = work.near[1] = NOWHERE
    n, lasting = Vec3(0.0, 0.0, 0.0), True
    for k in range(MOST_ADVANCES):
        sight, near = look(A, B, r, t, t, n, hulls, work), usable_gap(A, B, r, t, gap, hulls)
        n = sight.n
        if sight.d <= near:
            known = counts == LATER and t == 0.0
            if not known and is_coming(whole_A, A, item_A, whole_B, B, item_B, sight, t, tables, work):
                return impact_at(t, sight)
            mu = speed_along(A, n) + speed_along(B, -n)
            if sight.d >= -near and mu <= COMING_SHARE * fastest:  # the plane between them stays
                return no_impact()
            free = max(near, -sight.d) / fastest if fastest > 0.0 else math.inf
            if lasting:
                free = max(free, t_end / PARTS)
        else:
            if k + 1 == MOST_ADVANCES:
                return impact_at(t, sight)
            lasting = False
            free = safe_time(A, B, sight, near, t_end - t, hulls, work)
        if free >= t_end - t:
            break
        t += free
    return no_impact()
