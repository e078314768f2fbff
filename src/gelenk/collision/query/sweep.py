"""Swept tests in a scene: what a moving shape meets first, and which bodies meet within a step (V-06)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.broad.pair_filter import present
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree_phase import descend_to_box
from gelenk.collision.collider import centre_of, solid_of
from gelenk.collision.field_table import field_facet, field_in_box
from gelenk.collision.impact_surface import impact_time_triangles, put_corners, swept_box
from gelenk.collision.impact_time import Impact, impact_time, no_impact
from gelenk.collision.map_query import mesh_of
from gelenk.collision.mesh_table import mesh_facet
from gelenk.collision.mesh_tree import mesh_in_box
from gelenk.collision.motion import Motion, pose_after
from gelenk.collision.query.scene import box_around
from gelenk.collision.solid import BALLS, FIELD, MAP, MESH, PLANE
from gelenk.compile import helper, kernel, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3

SWEPT = np.dtype(
    [
        ("a", "u4"),  # colliders; a is NONE for the shape that was asked about, b is NONE if nothing is met
        ("b", "u4"),
        ("t", "f8"),  # [s]
        ("p", "f8", (3,)),  # point of b, world [m]
        ("n", "f8", (3,)),  # unit normal from a to b
        ("d", "f8"),  # distance then [m]
    ]
)


class SweepSpace(NamedTuple):
    """Scratch: candidates of a box, triangles of a surface and their corners. ``need`` says how many there were."""

    found: np.ndarray  # (k,) uint32
    triangle: np.ndarray  # (k,) uint32
    corner: np.ndarray  # (k, 3, 3) [m]
    need: np.ndarray  # (1,) int64


def new_sweep_space(count: int = 256) -> SweepSpace:
    """Space for so many candidates and triangles."""
    index = np.zeros(count, np.uint32)
    return SweepSpace(index, index.copy(), np.zeros((count, 3, 3)), np.zeros(1, np.int64))


@routine
def impact_of(A, motion_A, B, motion_B, r, t_end, gap, tables, work, space):
    """First contact until t_end of two solids that move, one of which may be a plane, a mesh or a height field.

    Trees of balls are left out. Triangles that do not find space are counted in ``space.need``: the result is then not
    to be used.
    """
    if A.kind == BALLS or B.kind == BALLS:
        return no_impact()
    if A.kind == MAP:
        A = mesh_of(A, tables.maps)
    if B.kind == MAP:
        B = mesh_of(B, tables.maps)
    if A.kind == MESH or A.kind == FIELD:
        found = surface_impact(B, motion_B, A, motion_A, -r, t_end, gap, tables, work, space)
        return Impact(found.t, found.d, -found.n, found.b, found.a)
    if B.kind == MESH or B.kind == FIELD:
        return surface_impact(A, motion_A, B, motion_B, r, t_end, gap, tables, work, space)
    return impact_time(A, motion_A, B, motion_B, r, t_end, gap, tables, work)


@routine
def surface_impact(A, motion_A, B, motion_B, r, t_end, gap, tables, work, space):
    """Convex A against the triangles of B that it can come near."""
    box = swept_box(A, motion_A, B, motion_B, r, t_end, gap, tables)
    if B.kind == MESH:
        count = mesh_in_box(tables.meshes, B.table, box, space.triangle)
    else:
        count = field_in_box(tables.fields, B.table, box, space.triangle)
    if count > space.triangle.shape[0]:
        space.need[0] = max(space.need[0], count)
        return no_impact()
    for k in range(count):
        t = np.int64(space.triangle[k])
        if B.kind == MESH:
            put_corners(space.corner, k, mesh_facet(tables.meshes, B.table, t))
        else:
            put_corners(space.corner, k, field_facet(tables.fields, B.table, t))
    return impact_time_triangles(A, motion_A, B, motion_B, r, t_end, gap, tables, space.corner, count, work)[0]


@helper
def put_impact(out, a, b, impact, p):
    """Write one."""
    out.a, out.b, out.t, out.d = a, b, impact.t, impact.d
    out.p[0], out.p[1], out.p[2] = p.x, p.y, p.z
    out.n[0], out.n[1], out.n[2] = impact.n.x, impact.n.y, impact.n.z


@kernel
def sweep_shape(tree, colliders, tables, filter_, asked, way, gap, mask, work, space, out):
    """First of all colliders that one convex shape meets on a straight way, which it goes in unit time.

    ``asked`` is a block like ``colliders`` with one row. ``space.need`` above its size: ask again with more.
    """
    A, centre, w = solid_of(asked, 0), centre_of(asked, 0), Vec3(0.0, 0.0, 0.0)
    start = box_around(A, tables, centre, gap)
    box = start.around(box_around(A, tables, centre + way, gap))
    near = descend_to_box(tree, colliders.box, filter_, box, mask, space.found)
    space.need[0] = near
    hit = out[0]
    hit.b, hit.t = NONE, math.inf
    if near > space.found.shape[0]:
        return
    for k in range(near):
        i = np.int64(space.found[k])
        if not present(filter_, colliders.box, i):
            continue
        still = Motion(w, w, w)
        B, r = solid_of(colliders, i), centre_of(colliders, i) - centre
        impact = impact_of(A, Motion(way, w, w), B, still, r, min(1.0, hit.t), gap, tables, work, space)
        if impact.t < hit.t:
            put_impact(hit, NONE, i, impact, centre_of(colliders, i) + impact.b)


@helper
def motion_of(colliders, state, i):
    """How a collider moves with its body: about the centre of mass, angular velocity in world axes."""
    node = colliders.item[i].node
    R_WB = rotation(get4(state.q_WB, node))
    arm = centre_of(colliders, i) - get3(state.p_WC, node)
    return Motion(get3(state.v_WC, node), R_WB @ get3(state.w_WB_B, node), arm)


@kernel
def grow_boxes(colliders, state, t_end, box_out):
    """Boxes of all that colliders can reach until t_end with their present velocities: those of turns included.

    A point at x from the centre of mass goes at most  |w| |x| t  aside from the straight way  v t.
    """
    for i in range(box_out.shape[0]):
        motion, box = motion_of(colliders, state, i), get_box(colliders.box, i)
        if colliders.item[i].kind == PLANE:
            moves = motion.v.norm() > 0.0 or motion.w.norm() > 0.0
            for k in range(6):
                end = -math.inf if k < 3 else math.inf
                box_out[i, k] = end if moves else colliders.box[i, k]
            continue
        p, way = centre_of(colliders, i) - motion.arm, motion.v * t_end
        x = max(abs(box.x - p.x), abs(box.x_high - p.x))
        y = max(abs(box.y - p.y), abs(box.y_high - p.y))
        z = max(abs(box.z - p.z), abs(box.z_high - p.z))
        far = math.sqrt(x * x + y * y + z * z)
        side = far * min(motion.w.norm() * t_end, 2.0)
        grown = box.around(moved_box(box, way))
        box_out[i, 0], box_out[i, 3] = grown.x - side, grown.x_high + side
        box_out[i, 1], box_out[i, 4] = grown.y - side, grown.y_high + side
        box_out[i, 2], box_out[i, 5] = grown.z - side, grown.z_high + side


@helper
def moved_box(box, way):
    """A box elsewhere."""
    return Bounds(
        box.x + way.x, box.y + way.y, box.z + way.z, box.x_high + way.x, box.y_high + way.y, box.z_high + way.z
    )


@kernel
def step_impacts(colliders, tables, state, pairs, count, t_end, gap, work, space, out):
    """Times at which pairs of colliders meet within a step of constant velocities; returns how many do.

    Pairs that are surfaces both are left out. ``space.need`` above its size: ask again with more.
    """
    met = 0
    space.need[0] = 0
    for k in range(count):
        i, j = np.int64(pairs.pair[k, 0]), np.int64(pairs.pair[k, 1])
        A, B = solid_of(colliders, i), solid_of(colliders, j)
        if A.kind >= PLANE and B.kind >= PLANE:
            continue
        motion_A, motion_B = motion_of(colliders, state, i), motion_of(colliders, state, j)
        r = centre_of(colliders, j) - centre_of(colliders, i)
        impact = impact_of(A, motion_A, B, motion_B, r, t_end, gap, tables, work, space)
        if impact.t < math.inf:
            _, way, _ = pose_after(B, motion_B, impact.t)
            put_impact(out[met], i, j, impact, centre_of(colliders, j) + way + impact.b)
            met += 1
    return met
