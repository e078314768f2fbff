"""Forces in the joints of a tree: what each passes on, by Newton's and Euler's equations after the step (B-32, V-115).

With the acceleration of the middle of the step, impulses over its length included, and with contacts and rows as loads,
the inverse dynamics tell the force and the couple that go through each joint.
"""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.tree_turn import has_couple, struck_couple
from gelenk.contact.turn import in_world
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.rows.assemble import evaluate, jacobian_rows
from gelenk.rows.block import NONE
from gelenk.trees.inner import spring_force
from gelenk.trees.kind_table import HINGE
from gelenk.trees.kinematics import body_turn
from gelenk.trees.newton_euler import inverse_dynamics


@routine
def load_by_rows(work, rows, h):
    """Add what rows gave in the step to the loads, but for those that are part of a joint of the tree."""
    joints, mine = work.joints, work.mine
    for r in range(joints.row.shape[0]):
        row = joints.row[r]
        if mine.place[r] < 0 or rows.number[r].p == 0.0:
            continue
        if row.bearing == 1 and row.owner != NONE and work.owner_in_tree[row.owner] == 1:
            continue
        load_by_row(work, rows, r, rows.number[r].p / h)


@helper
def load_by_row(work, rows, r, f):
    """Add a force f along row r to the loads of its bodies."""
    joints, loads = work.joints, work.loads
    for e in range(joints.row[r].entry_first, joints.row[r].entry_last):
        i = joints.body[e]
        force = Vec3(rows.J[e, 0], rows.J[e, 1], rows.J[e, 2]) * f
        put3(loads.force_W, i, get3(loads.force_W, i) + force)
        if i < loads.torque_W.shape[0]:
            torque = Vec3(rows.J[e, 3], rows.J[e, 4], rows.J[e, 5]) * f
            put3(loads.torque_W, i, get3(loads.torque_W, i) + torque)


@routine
def load_by_contacts(work, h):
    """Add what contacts gave in the step, impacts included, to the loads."""
    contacts, loads = work.contact.contacts, work.loads
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        force = (n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2]) * (1.0 / h)
        if c.hit == 1:
            force = force + get3(contacts.struck, k) * (1.0 / h)
        couple = Vec3(0.0, 0.0, 0.0)
        if has_couple(contacts, k):
            couple = in_world(c, triple(contacts.turn[k].p)) * (1.0 / h)
            if c.hit == 1:
                couple = couple + struck_couple(contacts, k) * (1.0 / h)
        put3(loads.force_W, c.b, get3(loads.force_W, c.b) + force)
        put3(loads.force_W, c.a, get3(loads.force_W, c.a) - force)
        put3(loads.torque_W, c.b, get3(loads.torque_W, c.b) + triple(c.r_b).cross(force) + couple)
        put3(loads.torque_W, c.a, get3(loads.torque_W, c.a) - triple(c.r_a).cross(force) - couple)


@routine
def load_by_inner(work, masses, h, order):
    """Springs in joints and drives as loads on both of their bodies, and what each of them gave.

    The force of a drive is what the inverse dynamics leave along its coordinate; contacts that push on bodies behind
    it are part of that (B-32).
    """
    tree, joints, memory, now = work.tree, work.joints, work.memory, work.work
    if not on_hinges(tree):
        evaluate(joints, memory, now.at, work.now)
    for n in range(tree.sprung.shape[0]):
        r = np.int64(tree.sprung[n].row)
        memory.force[r] = spring_force(tree, joints, memory, now, work.begin_u, n, h, order)
        load_by_one(work, tree.sprung[n], memory.force[r])
    if tree.led.shape[0] > 0:
        inverse_dynamics(tree, masses, work.loads, now, work.scratch_u)
    for n in range(tree.led.shape[0]):
        r = np.int64(tree.led[n].row)
        memory.force[r] = work.scratch_u[tree.led[n].u] / tree.led[n].scale
        load_by_one(work, tree.led[n], memory.force[r])


@helper
def on_hinges(tree):
    """Whether all springs in joints and drives are on hinges, which have one gradient, their axis."""
    for n in range(tree.sprung.shape[0]):
        if tree.link[tree.of_u[tree.sprung[n].u]].kind != HINGE:
            return False
    for n in range(tree.led.shape[0]):  # noqa: SIM110
        if tree.link[tree.of_u[tree.led[n].u]].kind != HINGE:
            return False
    return True


@helper
def load_by_one(work, x, force):
    """Add the force of one row that the tree takes in to the loads: on a hinge, a couple about its axis."""
    tree, loads = work.tree, work.loads
    link = tree.link[tree.of_u[x.u]]
    if link.kind == HINGE:
        couple = triple(work.work.column[x.u].w) * (x.scale * force)
        put3(loads.torque_W, link.node, get3(loads.torque_W, link.node) + couple)
        if link.stem < loads.torque_W.shape[0]:
            put3(loads.torque_W, link.stem, get3(loads.torque_W, link.stem) - couple)
        return
    r = np.int64(x.row)
    jacobian_rows(work.joints, work.work.at, work.now, work.rows, r, r + 1)
    load_by_row(work, work.rows, r, force)


@routine
def tree_reactions(work, masses, h, order):
    """Force and couple of each joint of the tree on its side b, about the anchor, world axes, for the u' that stand."""
    tree, now, R = work.tree, work.work, work.memory.reaction
    if tree.sprung.shape[0] + tree.led.shape[0] > 0:
        load_by_inner(work, masses, h, order)
    inverse_dynamics(tree, masses, work.loads, now, work.scratch_u)
    for n in range(tree.link.shape[0]):
        j = work.joint_of[n]
        if j == NONE:
            continue
        link, moving = tree.link[n], now.moving[n]
        f, t = triple(moving.f), triple(moving.n)
        if link.back == 1:
            p_b = anchor(link, now.at)
            f, t = -f, -(t + (triple(moving.p_N) - p_b).cross(f))
        R[j, 0], R[j, 1], R[j, 2] = f.x, f.y, f.z
        R[j, 3], R[j, 4], R[j, 5] = t.x, t.y, t.z


@helper
def anchor(link, at):
    """P_b of a joint whose side b is the parent."""
    p, arm = get3(at.p_WC, link.stem), triple(link.r_b)
    return p + rotation(body_turn(at, link.stem)) @ arm
