"""What the rows of a step leave behind: forces for sensors, reactions, breaking, impulses to start from."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.vec3 import get3
from gelenk.rows.assemble import couple_of, target_of, vec_of
from gelenk.rows.block import NONE, SERVO


@helper
def remember(joints, memory, now, rows, h):
    """What all rows of a step leave behind; returns how many joints broke."""
    remember_places(joints, memory, now, 0, joints.pair.shape[0])
    remember_forces(joints, memory, rows, h, 0, joints.row.shape[0])
    clear_reactions(joints, memory, 0, joints.joint.shape[0])
    add_reactions(joints, memory, now, 0, joints.row.shape[0])
    return break_joints(joints, memory)


@routine
def remember_places(joints, memory, now, first, last):
    """Take over the coordinates of some pairs that count turns or look for a place."""
    for k in range(first, last):
        if joints.pair[k].points_only == 0:
            for c in range(joints.pair[k].first, joints.pair[k].last):
                place = now.more[c].place
                memory.coordinate[c, 0], memory.coordinate[c, 1] = place[0], place[1]


@routine
def remember_forces(joints, memory, rows, h, first, last):
    """The forces p/h of some rows, and the integrals of servos (trap 21: they rest at the bound)."""
    for r in range(first, last):
        row, x = joints.row[r], rows.number[r]
        memory.force[r] = x.p / h
        if row.mode == SERVO and x.lo < x.p < x.hi:
            memory.integral[r] += h * (target_of(row, memory) - x.error)


@helper
def clear_reactions(joints, memory, first, last):
    """No reaction of some joints yet."""
    for j in range(first, last):
        for k in range(6):
            memory.reaction[j, k] = 0.0


@routine
def add_reactions(joints, memory, now, first, last):
    """Force and couple of joints on b, about their anchors: what some rows add to them.

    Every row gives its wrench (f, t) p/h at the point of its pair, moved to the anchor of the joint.
    """
    R = memory.reaction
    for r in range(first, last):
        row = joints.row[r]
        j = row.owner
        if j == NONE or row.bearing == 0 or memory.force[r] == 0.0:
            continue
        anchor = get3(now.point_W, joints.joint[j].pair)
        for m in range(row.term_first, row.term_last):
            term = joints.term[m]
            s = term.factor * memory.force[r]
            f = vec_of(now.at[term.coordinate].f) * s
            t = couple_of(now, term) * s + (get3(now.point_W, joints.coordinate[term.coordinate].pair) - anchor).cross(
                f
            )
            R[j, 0] += f.x
            R[j, 1] += f.y
            R[j, 2] += f.z
            R[j, 3] += t.x
            R[j, 4] += t.y
            R[j, 5] += t.z


@routine
def break_joints(joints, memory):
    """Joints whose reaction is above what they bear break (V-60); returns how many."""
    R, broke = memory.reaction, 0
    for k in range(joints.breakable.shape[0]):
        j = joints.breakable[k]
        joint = joints.joint[j]
        force = R[j, 0] * R[j, 0] + R[j, 1] * R[j, 1] + R[j, 2] * R[j, 2]
        torque = R[j, 3] * R[j, 3] + R[j, 4] * R[j, 4] + R[j, 5] * R[j, 5]
        if force > joint.break_force * joint.break_force or torque > joint.break_torque * joint.break_torque:
            broke += 1 if memory.broken[j] == 0.0 else 0
            memory.broken[j] = 1.0
    return broke
