"""Swept tests in a scene: what a moving shape meets first, and which bodies meet within a step (V-06)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.broad.pair_filter import present
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree_phase import descend_to_box
from gelenk.collision.collider import Colliders, centre_of, solid_of
from gelenk.collision.impact_coming import EVERY
from gelenk.collision.impact_pieces import PairStack, new_pair_stack
from gelenk.collision.impact_rows import coming_impact_of, fill_impact, get_impact, run_impact
from gelenk.collision.manifold import forget
from gelenk.collision.motion import Motion, no_motion, pose_after
from gelenk.collision.query.scene import box_around, placed
from gelenk.collision.solid import FIELD, PLANE
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, kernel, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3

SWEEP = np.dtype(
    [
        ("collider", "u4"),  # NONE: nothing
        ("distance", "f8"),  # how far the shape went [m]; infinite: nothing
        ("share", "f8"),  # of its way, 0 to 1
        ("point", "f8", (3,)),  # where, world [m]
        ("normal", "f8", (3,)),  # unit normal from what is met to the shape
    ]
)
MEETING = np.dtype(
    [
        ("a", "u4"),  # colliders
        ("b", "u4"),
        ("t", "f8"),  # [s]
        ("p", "f8", (3,)),  # point of b, world [m]
        ("n", "f8", (3,)),  # unit normal from a to b
        ("d", "f8"),  # distance then [m]
    ]
)


class SweepSpace(NamedTuple):
    """Scratch: candidates of a box, and pairs of nodes. ``need`` says how many candidates there were."""

    found: np.ndarray  # (k,) uint32
    stack: PairStack
    need: np.ndarray  # (1,) int64


def new_sweep_space(count: int = 256) -> SweepSpace:
    """Space for so many candidates."""
    return SweepSpace(np.zeros(count, np.uint32), new_pair_stack(), np.zeros(1, np.int64))


def sweep_shapes(
    tree: Any,
    colliders: Colliders,
    tables: Any,
    filter_: Any,
    asked: Colliders,
    at: np.ndarray,
    turn: np.ndarray,
    way: np.ndarray,
    gap: float,
    mask: Any,
    work: Any,
    space: SweepSpace,
    out: np.ndarray,
) -> int:
    """First of all colliders that a shape meets on each of many straight ways (k, 3), from places ``at`` and ``turn``.

    ``asked`` is a block like ``colliders`` with a row for each piece of the shape. Returns how many ways are done; if
    that is not all, ``space.need`` is above its size: ask again with more.
    """
    fill_impact(space.stack, np.unique([*np.unique(colliders.item["kind"]), *asked.item["kind"]]))
    scene = tree, colliders, tables, filter_, asked
    return int(sweeps_of(*scene, at, turn, way, gap, mask, work, space, out))


@kernel
def sweeps_of(tree, colliders, tables, filter_, asked, at, turn, way, gap, mask, work, space, out):
    """See :func:`sweep_shapes`."""
    for q in range(at.shape[0]):
        hit, length = out[q], get3(way, q).norm()
        hit.collider, hit.share = NONE, math.inf
        depth = math.inf
        for k in range(3):
            hit.point[k] = hit.normal[k] = math.nan
        for piece in range(asked.item.shape[0]):
            A, centre = placed(asked, piece, get3(at, q), rotation(get4(turn, q)))
            depth = sweep_piece(
                tree, colliders, tables, filter_, A, centre, get3(way, q), gap, mask, work, space, hit, depth
            )
            if space.need[0] > space.found.shape[0]:
                return q
        hit.distance = hit.share * length if hit.collider != NONE else math.inf
    return at.shape[0]


@routine
def sweep_piece(tree, colliders, tables, filter_, A, centre, way, gap, mask, work, space, hit, depth):
    """Take the first contact of one piece of a shape if it is before the one found, or deeper at the same time.

    ``depth`` is the distance at the contact found so far; returns that of the one found now.
    """
    box = box_around(A, tables, centre, gap).around(box_around(A, tables, centre + way, gap))
    near = descend_to_box(tree, colliders.box, filter_, box, mask, space.found)
    space.need[0] = near
    if near > space.found.shape[0]:
        return depth
    motion = Motion(way, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
    for k in range(near):
        i = np.int64(space.found[k])
        if not present(filter_, colliders.box, i):
            continue
        B, r, t_end = solid_of(colliders, i), centre_of(colliders, i) - centre, min(1.0, hit.share)
        run_impact(space.stack.row[0], A, motion, B, no_motion(), r, t_end, gap, EVERY, tables, work, space.stack)
        impact = get_impact(space.stack.found)
        if impact.t < hit.share or (impact.t == hit.share and impact.d < depth):
            p, n = centre_of(colliders, i) + impact.b, impact.n
            hit.collider, hit.share, depth = i, impact.t, impact.d
            hit.point[0], hit.point[1], hit.point[2] = p.x, p.y, p.z
            hit.normal[0], hit.normal[1], hit.normal[2] = -n.x, -n.y, -n.z
    return depth


@helper
def put_meeting(out, a, b, impact, p):
    """Write one."""
    out.a, out.b, out.t, out.d = a, b, impact.t, impact.d
    out.p[0], out.p[1], out.p[2] = p.x, p.y, p.z
    out.n[0], out.n[1], out.n[2] = impact.n.x, impact.n.y, impact.n.z


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
        if colliders.item[i].kind == PLANE or (colliders.item[i].kind == FIELD and motion.w.norm() > 0.0):
            moves = motion.v.norm() > 0.0 or motion.w.norm() > 0.0
            for k in range(6):
                end = -math.inf if k < 3 else math.inf
                box_out[i, k] = end if moves else colliders.box[i, k]
            continue
        p, way = centre_of(colliders, i) - motion.arm, motion.v * t_end
        turn = motion.w.norm() * t_end
        x = max(abs(box.x - p.x), abs(box.x_high - p.x))
        y = max(abs(box.y - p.y), abs(box.y_high - p.y))
        z = max(abs(box.z - p.z), abs(box.z_high - p.z))
        far = math.sqrt(x * x + y * y + z * z)
        side = far * min(turn, 2.0) if turn > 0.0 else 0.0  # boxes may have no end where nothing turns
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


def step_impacts(
    colliders: Colliders,
    tables: Any,
    state: Any,
    pairs: Any,
    count: int,
    t_end: float,
    gap: float,
    memory: np.ndarray,
    work: Any,
    point: np.ndarray,
    stack: PairStack,
    out: np.ndarray,
) -> int:
    """Times at which pairs of colliders meet within a step of constant velocities; returns how many do.

    ``work`` is a NarrowWork, ``memory`` and ``point`` scratch of a pair. If triangles of a surface had no room, -1 is
    returned and ``work.surface.counts`` says how many: ask again with more.
    """
    fill_impact(stack, np.unique(colliders.item["kind"]))
    return int(impacts_of(colliders, tables, state, pairs, count, t_end, gap, memory, work, point, stack, out))


@kernel
def impacts_of(colliders, tables, state, pairs, count, t_end, gap, memory, work, point, stack, out):
    """See :func:`step_impacts`."""
    met = 0
    for k in range(count):
        i, j = np.int64(pairs.pair[k, 0]), np.int64(pairs.pair[k, 1])
        motion_A, motion_B = motion_of(colliders, state, i), motion_of(colliders, state, j)
        A, B, r = solid_of(colliders, i), solid_of(colliders, j), centre_of(colliders, j) - centre_of(colliders, i)
        if A.kind == PLANE and B.kind == PLANE:
            continue
        forget(memory[0])
        work.surface.counts[LEFT_OUT] = 0
        impact = coming_impact_of(A, motion_A, B, motion_B, r, t_end, gap, tables, memory[0], work, point, stack)
        if work.surface.counts[LEFT_OUT] > 0:
            return -1
        if impact.t < math.inf:
            _, way, _ = pose_after(B, motion_B, impact.t)
            put_meeting(out[met], i, j, impact, centre_of(colliders, j) + way + impact.b)
            met += 1
    return met
