"""Times of impact by what a scene holds: three routines for the same, of which a scene has one compiled (V-06).

    flat     spheres, capsules, boxes and planes: one piece each, depths by the polytope alone
    single   any convex solids and planes
    any      surfaces, trees of balls and maps among them: down their trees

Each has all that the one before has, and takes about twice as long to compile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.epa import epa
from gelenk.collision.gjk import ROUND_OFF, TOUCH, ConvexWork, difference_point, gjk, new_convex_work
from gelenk.collision.impact_coming import COMING, EVERY, LATER, comes_together, coming_impact, outward_normal
from gelenk.collision.impact_pieces import PairStack, new_pair_stack, pair_gap
from gelenk.collision.impact_start import impact_of
from gelenk.collision.impact_time import Impact, default_gap, first_impact
from gelenk.collision.motion import Motion, make_mover
from gelenk.collision.pair_table import collide
from gelenk.collision.sight import distance_by
from gelenk.collision.solid import BOX, CAPSULE, PLANE, SPHERE, Solid, rounding
from gelenk.compile import Plug, helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3, put3

FLAT = (SPHERE, CAPSULE, BOX, PLANE)
ALIKE = 0.999  # cosine of two normals that may be the same one
SLACK = 16.0 * ROUND_OFF  # of the sizes: what rounding does to distances


class FlatWork(NamedTuple):
    """Scratch of a pair whose cores are points, lines and boxes: tells :func:`distance_by` that little is needed."""

    near: np.ndarray  # as in ConvexWork
    convex: ConvexWork


@helper
def kept_normal(A, B, r, m, n, least, hulls, near):
    """The unit vector m in place of n if they agree and the cores are as far apart along m."""
    if m @ n > ALIKE and m @ difference_point(A, B, r, hulls, near, m)[0] >= least:
        return m
    return n


@routine
def side_normal(solid, n):
    """Of a box the normal of the side that looks most along n, else n."""
    if solid.kind != BOX:
        return n
    u, R = solid.R.tdot(n), solid.R
    x, y, z = abs(u.x), abs(u.y), abs(u.z)
    if x >= y and x >= z:
        return Vec3(R.xx, R.yx, R.zx) * math.copysign(1.0, u.x)
    if y >= z:
        return Vec3(R.xy, R.yy, R.zy) * math.copysign(1.0, u.y)
    return Vec3(R.xz, R.yz, R.zz) * math.copysign(1.0, u.z)


@routine
def clear_normal(A, B, r, n, d, count, scale, hulls, work):
    """A normal as exact as sides and edges are: that of a short way n between cores has rounding of 1e-16 size / d.

    Any direction along which the cores are d apart will do.
    """
    least = d - SLACK * scale
    if count == 3:
        w = get3(work.w, 0)
        m = (get3(work.w, 1) - w).cross(get3(work.w, 2) - w)
        size = m.norm()
        if size > 0.0:
            n = kept_normal(A, B, r, m * (math.copysign(1.0, m @ n) / size), n, least, hulls, work.near)
    n = kept_normal(A, B, r, side_normal(A, n), n, least, hulls, work.near)
    return kept_normal(A, B, r, side_normal(B, n), n, least, hulls, work.near)


@distance_by.register(FlatWork)
def flat_distance(work, A, B, r, guess, hulls):
    """By simplices, and of an overlap by the polytope, which for such cores is small and exact."""
    v, a, count, scale = gjk(A, B, r, guess, hulls, work.convex)
    d, radius = v.norm(), rounding(A)
    if count < 4 and d > TOUCH * scale:
        n = clear_normal(A, B, r, v * (1.0 / d), d, count, scale, hulls, work.convex)
    else:
        depth, n, a = epa(A, B, r, guess, hulls, work.convex, count, scale, a)
        d = -depth
    return d - radius - rounding(B), n, a + n * radius


@outward_normal.register(FlatWork)
def normal_as_it_is(work, whole, tables, item, turn, m):
    """There is no surface."""
    return m


@helper
def put_impact(found, impact):
    """Write it; 1 if there is one, else 0."""
    found[0, 0], found[0, 1] = impact.t, impact.d
    put3(found, 1, impact.n)
    put3(found, 2, impact.a)
    put3(found, 3, impact.b)
    return 1 if impact.t < math.inf else 0


@helper
def get_impact(found):
    """Read what :func:`put_impact` has written."""
    return Impact(found[0, 0], found[0, 1], get3(found, 1), get3(found, 2), get3(found, 3))


@helper
def of_two(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):
    """First contact of two convex solids, one may be a plane."""
    gap = gap if gap > 0.0 else default_gap(A, B, tables.hulls)
    mover_A, mover_B = make_mover(A, motion_A, tables.hulls), make_mover(B, motion_B, tables.hulls)
    if counts == EVERY:
        return put_impact(stack.found, first_impact(mover_A, mover_B, r, t_end, gap, tables.hulls, work))
    found = coming_impact(A, mover_A, 0, B, mover_B, 0, r, t_end, gap, counts, tables, work)
    return put_impact(stack.found, found)


def flat_impact(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):
    """Arguments of all three as of :func:`gelenk.collision.impact_start.impact_of`; into ``stack.found``."""
    flat = FlatWork(work.near, work)
    return of_two(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, flat, stack)


def single_impact(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):  # noqa: D103
    return of_two(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack)


def any_impact(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack):  # noqa: D103
    found = impact_of(A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work, stack)
    return put_impact(stack.found, found)


def _samples() -> tuple[Any, ...]:
    from gelenk.collision.tables import new_tables

    zero = Vec3(0.0, 0.0, 0.0)
    solid = Solid(0, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), zero)
    motion = Motion(zero, zero, zero)
    scratch = new_convex_work(), new_pair_stack()
    return solid, motion, solid, motion, zero, 0.0, 0.0, EVERY, new_tables(), *scratch


impact_plug = Plug(_samples, 11)
run_impact = impact_plug.call


def fill_impact(stack: PairStack, kinds: Iterable[int]) -> None:
    """Have the routine compiled that serves solids of these kinds, and called from now on."""
    found = {int(kind) for kind in kinds}
    routine_ = flat_impact if found <= set(FLAT) else single_impact if max(found) <= PLANE else any_impact
    stack.row[0] = impact_plug.address(routine_)


@routine
def coming_impact_of(A, motion_A, B, motion_B, r, t_end, gap, tables, memory, work, point, stack):
    """First contact of two solids that come together there; what touches at t = 0 is told by its contact points.

    Of those that come together the deepest counts. ``work``: a NarrowWork, ``memory`` and ``point`` as for a pair.
    """
    count = collide(A, B, r, pair_gap(A, B, gap, tables), tables, memory, work, point)
    best, depth = -1, math.inf
    for k in range(count):
        p = point[k]
        a, b, n = Vec3(p.a[0], p.a[1], p.a[2]), Vec3(p.b[0], p.b[1], p.b[2]), Vec3(p.n[0], p.n[1], p.n[2])
        if p.d < depth and comes_together(motion_A, motion_A.arm, a, motion_B, motion_B.arm, b, n):
            best, depth = k, p.d
    if best >= 0:
        p = point[best]
        a, b, n = Vec3(p.a[0], p.a[1], p.a[2]), Vec3(p.b[0], p.b[1], p.b[2]), Vec3(p.n[0], p.n[1], p.n[2])
        return Impact(0.0, depth, n, a, b)
    counts = COMING if count == 0 else LATER
    run_impact(stack.row[0], A, motion_A, B, motion_B, r, t_end, gap, counts, tables, work.convex, stack)
    return get_impact(stack.found)
