"""Stages of contact for solvers that pivot, which take the places of the ordinary ones (V-84, V-87, V-91)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.assemble import set_friction
from gelenk.contact.block import COUNT, SLIDES, STICKS
from gelenk.contact.converged import bounds_of
from gelenk.contact.newton_rows import begin_all_rows
from gelenk.contact.options import SLOW, TOLERANCE, ContactOptions
from gelenk.contact.pivot_block import BOXES, JOINT_ROWS, KIND, NEEDED, OFF, WIDTH, new_pivot, room_for
from gelenk.contact.pivot_box import box_residual, solve_boxes
from gelenk.contact.pivot_pyramid import pyramid_residual, solve_pyramids
from gelenk.contact.pivot_rows import begin_anew, put_impulses_by
from gelenk.contact.settle import settle
from gelenk.contact.setup import stage_plug
from gelenk.contact.space import detect
from gelenk.contact.space_block import FOUND, PIVOT_ROOM, READY, TAKEN
from gelenk.contact.stages import BEGIN, FIND, SETTLE, ContactStages, find
from gelenk.contact.sweep import change_at
from gelenk.math.vec3 import triple
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.solvers.solver import clear_change

FIRST_ROOM = 64  # contacts


@routine
def find_few(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """As ever, once there is room for a row of the matrix for all that touches."""
    space, number = stages.space, stages.pivot.number
    missing = detect(space, state, h)
    if missing != READY:
        return missing
    number[NEEDED] = number[JOINT_ROWS] + space.found.tally[0].points * number[WIDTH]
    if number[NEEDED] > stages.pivot.scale.shape[0]:
        space.number[TAKEN] = 1  # the pairs are those of this step still
        return PIVOT_ROOM
    space.number[FOUND] = 1
    return find(stages, joints, memory, masses, state, loads, bodies, rows, h)


@routine
def begin_without(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts begin without impulses: pivoting does not start from an answer, but bounds of friction do."""
    put_impulses_by(stages.contacts)
    return stages.contacts.number[COUNT]


@routine
def settle_boxes(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts and rows together by Dantzig's pivoting, as far as it has an answer."""
    if pivot_all(solve_boxes, box_residual, stages, joints, bodies, rows, enough(stages.contacts, h)):
        return np.int64(1)
    return settle(stages, joints, memory, masses, state, loads, bodies, rows, h)


@routine
def settle_pyramids(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The same by Lemke's pivoting."""
    if pivot_all(solve_pyramids, pyramid_residual, stages, joints, bodies, rows, enough(stages.contacts, h)):
        return np.int64(1)
    return settle(stages, joints, memory, masses, state, loads, bodies, rows, h)


@routine
def pivot_all(solve, judge, stages, joints, bodies, rows, most):
    """Solve by pivoting, and once more if what slipped slides; whether there is an answer, and if so its residual."""
    contacts = stages.contacts
    clear_change(bodies)
    solved = begin_all_rows(joints, bodies, rows) and pivot_once(solve, judge, stages, joints, bodies, rows, most)
    if solved and let_move(contacts, bodies):
        begin_anew(contacts, joints, bodies, rows)
        solved = pivot_once(solve, judge, stages, joints, bodies, rows, most)
    return solved


@routine
def pivot_once(solve, judge, stages, joints, bodies, rows, most):
    """Solve by pivoting. An answer whose residual is above ``most`` [m/s] is none, and nothing of it is kept."""
    contacts, pivot = stages.contacts, stages.pivot
    if not solve(pivot, contacts, joints, bodies, rows, contacts.options[TOLERANCE]):
        return False
    contacts.figures[3] = judge(pivot, contacts, joints, bodies, rows)
    if contacts.figures[3] <= most:
        return True
    begin_anew(contacts, joints, bodies, rows)
    pivot.tally[3] += 1
    return False


@helper
def enough(contacts, h):
    """The residual up to which a step counts as solved [m/s]."""
    forced, fast = bounds_of(contacts, 0, contacts.number[COUNT], False, h)
    return max(forced, fast)


@helper
def let_move(contacts, bodies):
    """Points that were to stick and move slide; whether that weakens any. In an exact answer what moves has slipped."""
    found = False
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if c.state == STICKS and c.p[0] > 0.0:
            law = contacts.law[c.law[0], c.law[1]]
            n, t, u = triple(c.n), triple(c.t), change_at(bodies.dV, c)
            if max(abs(t @ u - c.ask[1]), abs(n.cross(t) @ u - c.ask[2])) > contacts.options[SLOW]:
                c.state = SLIDES
                set_friction(contacts, c)
                found = found or law.static_friction > law.friction or law.static_across > law.friction_across
    return found


def with_pivot(stages: ContactStages, model: Model, solver: Any, options: ContactOptions | None) -> ContactStages:
    """The stages, with those of a solver that pivots in their places.

    Shock propagation is a way of sweeps, and micro-collisions leave nothing to solve.
    """
    if options is None or options.shock != "off" or options.lift is not None or not stages.address[0]:
        return stages
    joints, law = model.wired.joints, stages.contacts.law
    couples = bool((law["rolling"] > 0.0).any() or (law["torsional"] > 0.0).any())
    pivot = new_pivot(solver, model.nodes.count, joints, 0, couples)
    if pivot.number[KIND] == OFF:
        return stages
    most = room_for(0, len(joints.row) + FIRST_ROOM * int(pivot.number[WIDTH]))
    pivot = new_pivot(solver, model.nodes.count, joints, max(most, len(joints.row)), couples)
    with compiling("contact by pivoting"):
        settle_all = settle_boxes if pivot.number[KIND] == BOXES else settle_pyramids
        for place, stage in ((FIND, find_few), (BEGIN, begin_without), (SETTLE, settle_all)):
            stages.address[place] = stage_plug.address(stage)
    return stages._replace(pivot=pivot)
