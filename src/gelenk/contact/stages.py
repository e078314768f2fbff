"""The stages of contact in a step, each compiled by itself when a model with shapes needs it, and called by address.

All take the same arguments, so that a method without contact carries no more than a jump that it does not take.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import Plug, routine
from gelenk.contact.assemble import (
    acceleration,
    ask_contacts,
    begin_contacts,
    choose_friction,
    keep_contacts,
    set_friction,
    take_contacts,
    touch_bodies,
)
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS, ContactSet, enlarged, new_contacts
from gelenk.contact.impacts import resolve_impacts
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, SLOW, TOLERANCE, ContactOptions
from gelenk.contact.polish import assemble, find_sets, newton_step, recall_solution, store_solution
from gelenk.contact.separate import separate
from gelenk.contact.skyline import BODIES, factor, order_bodies
from gelenk.contact.space import POINTS_ROOM, READY, TAKEN, Space, completed, detect, new_space
from gelenk.contact.sweep import change_at, contact_residual, sweep_contacts, triple
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.model.builder import Builder
from gelenk.model.contact_law import grain_table, law_table
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.rows.assemble import fetch_bodies, new_bodies, new_rows
from gelenk.solvers.solver import clear_change
from gelenk.state import new_loads

FEW = 6  # sweeps before Newton's method
FIND, BEGIN, ASK, SWEEP, SETTLE, FINISH, SHIFT = range(7)


class ContactStages(NamedTuple):
    """Contact in a step: the shapes, the contacts, and where its stages are; all 0 in a model without shapes."""

    address: np.ndarray  # (7,) int64
    tied: np.ndarray  # (n,) uint32 1 for nodes at joints
    space: Space
    contacts: ContactSet


@routine
def find(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, and all impacts; READY, or what is missing to find it."""
    space, contacts = stages.space, stages.contacts
    missing = detect(space, state, h)
    if missing != READY:
        return missing
    fetch_bodies(masses, state, bodies)
    acceleration(masses, state, loads, bodies, contacts)
    if take_contacts(space, contacts, state, bodies, h) > contacts.contact.shape[0]:
        space.number[TAKEN] = 1  # the pairs are those of this step still
        return POINTS_ROOM
    if resolve_impacts(contacts, joints, memory, bodies, rows, h) > 0:
        take_velocities(masses, state, bodies)
    choose_friction(contacts, bodies, h, contacts.options[SLOW])
    return READY


@routine
def take_velocities(masses, state, bodies):
    """Velocities of the bodies to the state, rotations in body axes."""
    for i in range(state.p_WC.shape[0]):
        put3(state.v_WC, i, Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2]))
    for i in range(state.q_WB.shape[0]):
        if masses.inv_mass[i] > 0.0:
            w = Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5])
            put3(state.w_WB_B, i, rotation(get4(state.q_WB, i)).tdot(w))


@routine
def begin(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Let the impulses to start from act."""
    begin_contacts(stages.contacts, bodies, h)
    return stages.contacts.number[COUNT]


@routine
def ask(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack of the velocities as they are now."""
    ask_contacts(stages.contacts, bodies, h)
    return stages.contacts.number[COUNT]


@routine
def sweep(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once forth and once back over the contacts; the largest change is in the figures."""
    contacts = stages.contacts
    clear_change(bodies)
    sweep_contacts(bodies, contacts, False)
    contacts.figures[3] = sweep_contacts(bodies, contacts, True)
    contacts.number[SWEEPS] += 2
    return stages.contacts.number[COUNT]


@routine
def settle(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts alone: some sweeps, Newton's method where it helps, and sweeps until little changes.

    What slipped slides, and is solved once more.
    """
    contacts = stages.contacts
    clear_change(bodies)
    solve_contacts(contacts, masses, state, bodies)
    if let_slide(contacts, bodies):
        solve_contacts(contacts, masses, state, bodies)
    contacts.figures[3] = contact_residual(bodies, contacts)
    return contacts.number[COUNT]


@routine
def solve_contacts(contacts, masses, state, bodies):
    """Sweeps, with Newton's method after the first few."""
    tolerance = contacts.options[TOLERANCE]
    most = int(contacts.options[MOST_SWEEPS])
    first = min(FEW, most)
    if sweep_on(contacts, bodies, first) <= tolerance or most <= FEW:
        return
    steps = int(contacts.options[NEWTON_STEPS])
    if steps > 0 and order_bodies(contacts.sky, contacts.contact, contacts.number[COUNT], bodies.inv_mass):
        if polish(contacts, masses, state, bodies, steps, tolerance):
            return
    sweep_on(contacts, bodies, most - first)


@routine
def polish(contacts, masses, state, bodies, steps, tolerance):
    """Newton's method; whether it came to an end. A step that does not help is taken back."""
    sky = contacts.sky
    for k in range(sky.number[BODIES]):
        i = sky.node[k]
        R = rotation(get4(state.q_WB, i))
        A = R.times(get33(masses.inertia_B, i)).times(R.transposed())
        I = contacts.inertia
        I[i, 0, 0], I[i, 0, 1], I[i, 0, 2] = A.xx, A.xy, A.xz
        I[i, 1, 0], I[i, 1, 1], I[i, 1, 2] = A.yx, A.yy, A.yz
        I[i, 2, 0], I[i, 2, 1], I[i, 2, 2] = A.zx, A.zy, A.zz
    best, before = contact_residual(bodies, contacts), 0
    for _ in range(steps):
        store_solution(contacts, bodies)
        sets = find_sets(contacts, bodies)
        if sets != before:
            assemble(sky, contacts, masses, bodies)
            factor(sky)
            before = sets
        newton_step(sky, contacts, bodies)
        contacts.number[SWEEPS] += 2
        sweep_contacts(bodies, contacts, False)
        sweep_contacts(bodies, contacts, True)
        now = contact_residual(bodies, contacts)
        if not now < best:
            recall_solution(contacts, bodies)
            return best <= tolerance
        best = now
        if best <= tolerance:
            return True
    return False


@routine
def sweep_on(contacts, bodies, most):
    """Sweeps forth and back in turn, sped up as a non-linear conjugate gradient method (NNCG):

        p'  = sweep(p),    g = p' - p,    beta = |g|^2 / |g before|^2
        p'' = p' + beta s,    s <- g + beta s

    and anew from s = 0 where beta > 1. What s does to the velocities is carried along, so a step costs little more than
    its sweep. Source: M. Silcowitz-Hansen, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for
    interactive contact force problems (2010).
    """
    count, before, largest = contacts.number[COUNT], 0.0, 0.0
    dV, trend, last = bodies.dV, contacts.trend, contacts.last
    for i in range(dV.shape[0]):
        for j in range(6):
            trend[i, j], last[i, j] = 0.0, dV[i, j]
    for k in range(count):
        c = contacts.contact[k]
        for j in range(3):
            c.trend[j], c.last[j] = 0.0, c.p[j]
    for m in range(most):
        contacts.number[SWEEPS] += 1
        largest = sweep_contacts(bodies, contacts, m % 2 == 1)
        if largest <= contacts.options[TOLERANCE] or m + 1 == most:
            break
        square = 0.0
        for k in range(count):
            c = contacts.contact[k]
            for j in range(3):
                g = c.p[j] - c.last[j]
                square += g * g * c.K[0]
        beta = square / before if before > 0.0 else 0.0
        before = square
        if beta > 1.0:
            beta = 0.0
        for k in range(count):
            c = contacts.contact[k]
            for j in range(3):
                g, s = c.p[j] - c.last[j], beta * c.trend[j]
                c.trend[j] = g + s
                c.p[j] += s
                c.last[j] = c.p[j]
        for i in range(dV.shape[0]):
            for j in range(6):
                g, s = dV[i, j] - last[i, j], beta * trend[i, j]
                trend[i, j] = g + s
                dV[i, j] += s
                last[i, j] = dV[i, j]
    return largest


@routine
def let_slide(contacts, bodies):
    """Points that were to stick, and move with all the friction they can have, slide (impulse-dynamics 4.9)."""
    found = False
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        if c.state == STICKS and c.p[0] > 0.0:
            a, b = c.along * c.p[0], c.across * c.p[0]
            x, y = c.p[1] * b, c.p[2] * a
            n, t, u = triple(c.n), triple(c.t), change_at(bodies.dV, c)
            u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
            if x * x + y * y >= 0.999 * a * a * b * b and max(abs(u_t), abs(u_s)) > contacts.options[SLOW]:
                c.state = SLIDES
                set_friction(contacts, c)
                found = found or law.static_friction > law.friction or law.static_across > law.friction_across
    return found


@routine
def finish(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """After the velocities are known: overlaps, what the next step begins with, and the way beside the velocities.

    A body that nothing pushed flies as under constant forces,  x' = x + h V' - h^2/2 a.
    """
    contacts = stages.contacts
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = stages.tied[i]
    touch_bodies(contacts)
    separate(contacts, bodies, h)
    keep_contacts(stages.space, contacts, h)
    for i in range(contacts.shift.shape[0]):
        free = 0.5 * h * h if contacts.touched[i] == 0 else 0.0
        for k in range(6):
            contacts.shift[i, k] += h * contacts.push[i, k]
            if k < 3:
                contacts.shift[i, k] -= free * contacts.load[i, k]
    return stages.contacts.number[COUNT]


@routine
def shift(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Move the bodies by their shifts, after the way of the step; velocities in world axes stay."""
    way = stages.contacts.shift
    for i in range(state.p_WC.shape[0]):
        if masses.inv_mass[i] > 0.0:
            put3(state.p_WC, i, get3(state.p_WC, i) + Vec3(way[i, 0], way[i, 1], way[i, 2]))
    for i in range(state.q_WB.shape[0]):
        r = Vec3(way[i, 3], way[i, 4], way[i, 5])
        if masses.inv_mass[i] > 0.0 and r @ r > 0.0:
            q = get4(state.q_WB, i)
            R = rotation(q)
            turn_B = quat_exp(R.tdot(r))
            put3(state.w_WB_B, i, rotation(turn_B).tdot(get3(state.w_WB_B, i)))
            put4(state.q_WB, i, (q * turn_B).unit())
    return stages.contacts.number[COUNT]


STAGES = (find, begin, ask, sweep, settle, finish, shift)


def new_stages(model: Model, options: ContactOptions | None) -> ContactStages:
    """Contact of a model; nothing touches if there are no options or no shapes that can meet."""
    on = options is not None and can_touch(model)
    of = model if on else Builder().build()
    space = new_space(of, None)
    margin = 2.0 * float(space.colliders.item["margin"].max(initial=0.0))
    law, places = law_table(of)
    parts = [of.bodies[item.node - 1].parts[item.part] for item in space.colliders.item]
    material = np.array([places[part.material] for part in parts], np.uint32)
    numbers = (options or ContactOptions()).numbers(margin)
    room = len(space.found.contact) if on else 1
    contacts = new_contacts(room, space.found.pair.shape[1], model.nodes.count, law, grain_table(of), material, numbers)
    tied = np.zeros(model.nodes.count, np.uint32)
    tied[model.wired.joints.body] = 1
    address = np.zeros(len(STAGES), np.int64)
    if on:
        with compiling("contact"):
            address[:] = [stage_plug.address(stage) for stage in STAGES]
    return ContactStages(address, tied, space, contacts)


def can_touch(model: Model) -> bool:
    """Whether two parts of the model can meet, by what moves; groups and joints are not looked at."""
    parts = [(body.static, k) for k, body in enumerate(model.bodies) for part in body.parts if part.collide]
    return len({k for _, k in parts}) > 1 and not all(static for static, _ in parts)


def with_more(stages: ContactStages, model: Model, missing: int) -> ContactStages:
    """Contact with what :func:`find` lacked."""
    if missing != POINTS_ROOM:
        stages = stages._replace(space=completed(stages.space, model, missing))
    space, contacts = stages.space, stages.contacts
    return stages._replace(contacts=enlarged(contacts, len(space.found.contact), space.found.pair.shape[1]))


def _samples() -> tuple[Any, ...]:
    """Arguments of a stage, for the compiler."""
    model = Builder().build()
    state, joints, masses = model.initial_state(), model.wired.joints, model.system.masses
    bodies, rows = new_bodies(masses, state), new_rows(joints)
    memory = model.wired.memory(state.memory)
    return new_stages(model, None), joints, memory, masses, state, new_loads(state), bodies, rows, 1e-3


stage_plug = Plug(_samples, 9)
run_stage = stage_plug.call
