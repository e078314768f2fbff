"""What the rows of a step leave behind: forces for sensors, reactions, breaking, impulses to start from."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.math.vec3 import get3
from gelenk.rows.assemble import target_of, vec_of
from gelenk.rows.block import NONE, SERVO


@routine
def remember(joints, memory, now, rows, h):
    """Take over the coordinates, the forces p/h, and the integrals of servos (trap 21: they rest at the bound)."""
    for c in range(joints.coordinate.shape[0]):
        memory.coordinate[c, 0], memory.coordinate[c, 1] = now.at[c].place[0], now.at[c].place[1]
    for r in range(joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        memory.force[r] = x.p / h
        if row.mode == SERVO and x.lo < x.p < x.hi:
            memory.integral[r] += h * (target_of(row, memory) - x.error)


@routine
def reactions(joints, memory, now):
    """Force and couple of each joint on b, about its anchor, and whether that breaks it; returns how many broke.

    Every row gives its wrench (f, t) p/h at the point of its pair, moved to the anchor of the joint.
    """
    R = memory.reaction
    for j in range(joints.joint.shape[0]):
        for k in range(6):
            R[j, k] = 0.0
    for r in range(joints.row.shape[0]):
        row = joints.row[r]
        j = row.owner
        if j == NONE or row.bearing == 0 or memory.force[r] == 0.0:
            continue
        anchor = get3(now.point_W, joints.joint[j].pair)
        for m in range(row.term_first, row.term_last):
            term = joints.term[m]
            at, s = now.at[term.coordinate], term.factor * memory.force[r]
            f = vec_of(at.f) * s
            t = vec_of(at.t) * s + (get3(now.point_W, joints.coordinate[term.coordinate].pair) - anchor).cross(f)
            R[j, 0] += f.x
            R[j, 1] += f.y
            R[j, 2] += f.z
            R[j, 3] += t.x
            R[j, 4] += t.y
            R[j, 5] += t.z
    broke = 0
    for j in range(joints.joint.shape[0]):
        joint = joints.joint[j]
        force = R[j, 0] * R[j, 0] + R[j, 1] * R[j, 1] + R[j, 2] * R[j, 2]
        torque = R[j, 3] * R[j, 3] + R[j, 4] * R[j, 4] + R[j, 5] * R[j, 5]
        if force > joint.break_force * joint.break_force or torque > joint.break_torque * joint.break_torque:
            broke += 1 if memory.broken[j] == 0.0 else 0
            memory.broken[j] = 1.0
    return broke
