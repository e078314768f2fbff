"""Accelerations of a tree in a step, by forces, springs in joints and force motors alone (B-07, B-15)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.integrators.scheme import applied_loads
from gelenk.methods.moreau_work import END, ORDER, PUSHES
from gelenk.methods.tree_reactions import load_by_row
from gelenk.rows.assemble import evaluate, is_broken, jacobian_rows, target_of
from gelenk.rows.block import PUSH
from gelenk.trees.articulated import accelerations
from gelenk.trees.inner import lead_rates, spring_forces
from gelenk.trees.kinematics import kinematics


@routine
def evaluate_tree(work, system, t, h):
    """Accelerations u' at (q, u), by forces and springs in joints alone."""
    kinematics(work.tree, work.work)
    applied_loads(system, work.work.at, t, work.loads)
    if work.tree.sprung.shape[0] > 0:
        spring_forces(work.tree, work.joints, work.memory, work.work, work.meet.start, h, work.options[ORDER])
    if work.options[PUSHES] == 1:
        push_motors(work)
    accelerations(work.tree, system.masses, work.loads, work.work)


@routine
def push_motors(work):
    """Force motors as loads on both of their bodies."""
    joints, rows, at = work.joints, work.rows, work.work.at
    evaluate(joints, work.memory, at, work.now)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == PUSH and not is_broken(joints.row[r], work.memory):
            jacobian_rows(joints, at, work.now, rows, r, r + 1)
            load_by_row(work, rows, r, target_of(joints.row[r], work.memory))


@helper
def go_on(work, h):
    """Velocities of the end by forces alone."""
    for k in range(work.work.u.shape[0]):
        work.work.u[k] = work.meet.start[k] + h * work.work.du[k]
    lead_rates(work.tree, work.rows.given, work.work.u, END)
