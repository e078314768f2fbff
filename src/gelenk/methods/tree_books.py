"""Energy books of a tree: the work of everything that changes its energy, each item counted by itself in every step.

Of Moreau's rule  M (u' - u) = h f + W P  follows, with the mean velocity of the step,

    T' - T = (u + u')/2 . (h f + W P)

but for what the step turns, h^2. So an impulse P with the velocity g = w.u of its point does the work  P (g + g')/2,
and a force f on a coordinate  f dq. No item is what others leave; what the sum lacks is the error of the rule.

- *friction* and *pressing* of contacts: along the tangents, with couples of rolling and torsion, and along the normal.
  Where ice curves at the radius R below a point with speed v, the rule brakes what moves toward it by h v^2 / R once a
  step: pressing takes  N v h v / (2 R)  a second, an error of first order in h. *Blows* are the same where points come
  together faster
- *impacts*: of contacts and stops with restitution, at times of their own
- *damping* of springs in joints:  -d q' dq
- *springs*: what the implicit rule takes beside it, which has a spring k where it will be, h q' ahead, as if its damper
  were stronger by h k: work of the spring and change of its energy
- *drives*: of given motions
- *air*: drag
- *overlaps*: weight that is lifted where bodies are shifted apart

Forces with a potential are no items, they are in the energy. Wrenches and laws of users are not counted,
nor are rows beside the tree: motors, limits, brakes, joints that yield, springs with bounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.segment_block import segment_elements
from gelenk.contact.stages import ContactStages
from gelenk.contact.tree_meeting import FIRST
from gelenk.contact.tree_turn import has_couple
from gelenk.math.vec3 import Vec3, get3
from gelenk.model.model import Model
from gelenk.rows.assemble import target_of
from gelenk.rows.springs import spring_energy
from gelenk.trees.block import Tree
from gelenk.trees.directions import rate_along
from gelenk.trees.kinematics import kinematics

BLOW = 0.05  # [m/s] points that come together faster than this have a blow; h v^2 / R is 0.01 m/s in the fastest curves
FRICTION, PRESSING, BLOWS = range(3)  # of contacts
DAMPING, SPRINGS = range(2)  # of springs in joints
AIR, OVERLAPS, BEFORE, STEPS, TAKEN = range(5)  # BEFORE: power of the air at the end of the last step


class TreeBooks(NamedTuple):
    """Work on the bodies since the books were opened [J]; all numbers are views of ``flat``."""

    on: np.ndarray  # (1,) int64
    flat: np.ndarray
    contact: np.ndarray  # (sets + 1, 3) of sets of segments, and of all shapes together
    spring: np.ndarray  # (S, 2)
    drive: np.ndarray  # (D,)
    number: np.ndarray  # (5,)


def new_books(tree: Tree, sets: int) -> TreeBooks:
    """Closed books."""
    sizes = 3 * (sets + 1), 2 * len(tree.sprung), len(tree.led), 5
    flat = np.zeros(sum(sizes))
    contact, spring, drive, number = np.split(flat, np.cumsum(sizes)[:-1])
    return TreeBooks(np.zeros(1, np.int64), flat, contact.reshape(-1, 3), spring.reshape(-1, 2), drive, number)


@routine
def count_work(books, work, system, h, order):
    """Count the step that was just taken; bodies are at its end."""
    if work.tree_address[0] != 0:
        count_contacts(books, work)
        count_shift(books, work, system, h)
    count_springs(books, work, h, order)
    for n in range(work.tree.led.shape[0]):
        x = work.tree.led[n]
        mean = 0.5 * x.scale * (work.begin_u[x.u] + work.work.u[x.u])
        books.drive[n] += work.memory.force[x.row] * mean * h
    power = air_power(system, work.work.at)
    if books.number[STEPS] == 0.0:
        books.number[BEFORE] = power
    books.number[AIR] += 0.5 * h * (books.number[BEFORE] + power)
    books.number[BEFORE] = power
    books.number[STEPS] += 1.0


@routine
def count_contacts(books, work):
    """P (g + g')/2 of the normal and of both tangents of every contact, and of its couples, q (w + w')/2 (B-94)."""
    contacts, tree, directions, meet = work.contact.contacts, work.tree, work.directions, work.meet
    shapes, sets = contacts.material.shape[0], books.contact.shape[0] - 1
    for k in range(contacts.number[COUNT]):
        c, at = contacts.contact[k], meet.number[FIRST] + 3 * k
        place = sets
        if c.collider_a >= shapes:
            place = (int(c.collider_a) - shapes) // 2
        before = rate_along(tree, directions, at, meet.start)
        after = rate_along(tree, directions, at, work.work.u)
        what = BLOWS if before < -BLOW else PRESSING
        books.contact[place, what] += 0.5 * c.p[0] * (before + after)
        for i in range(1, 3):
            if c.p[i] != 0.0:
                before = rate_along(tree, directions, at + i, meet.start)
                after = rate_along(tree, directions, at + i, work.work.u)
                books.contact[place, FRICTION] += 0.5 * c.p[i] * (before + after)
        if has_couple(contacts, k):
            x = contacts.turn[k]
            for i in range(3):
                before = rate_along(tree, directions, np.int64(x.spare) + i, meet.start)
                after = rate_along(tree, directions, np.int64(x.spare) + i, work.work.u)
                books.contact[place, FRICTION] += 0.5 * x.p[i] * (before + after)


@routine
def count_springs(books, work, h, order):
    """-d q' dq  of the damper, with q' of the end for order 1 as the force has it; the rest of the force beside it."""
    tree, joints, memory, now = work.tree, work.joints, work.memory, work.work
    for n in range(tree.sprung.shape[0]):
        x = tree.sprung[n]
        row, s = joints.row[x.row], x.scale
        u, end = s * work.begin_u[x.u], s * now.u[x.u]
        way = 0.5 * h * (u + end)
        damped = -row.damping * (end if order == 1 else 0.5 * (u + end))
        rest = target_of(row, memory)
        stored = spring_energy(row, s * now.q[x.q] - rest) - spring_energy(row, s * work.begin_q[x.q] - rest)
        books.spring[n, DAMPING] += damped * way
        books.spring[n, SPRINGS] += (memory.force[x.row] - damped) * way + stored


@routine
def count_shift(books, work, system, h):
    """-m g.(shift) of all bodies, where overlaps were taken out."""
    tree, now = work.tree, work.work
    size = 0.0
    for i in range(work.sum_u.shape[0]):
        size = max(size, abs(work.sum_u[i]))
    if size == 0.0:
        return
    for i in range(work.sum_u.shape[0]):
        work.scratch_u[i], now.u[i] = now.u[i], work.sum_u[i]
    kinematics(tree, now)
    g, masses = system.forces[0].g_W, system.masses
    pull = Vec3(g[0], g[1], g[2])
    for i in range(now.at.v_WC.shape[0]):
        books.number[OVERLAPS] -= h * masses.mass[i] * (pull @ get3(now.at.v_WC, i))
    for i in range(work.sum_u.shape[0]):
        now.u[i] = work.scratch_u[i]
    kinematics(tree, now)


@helper
def air_power(system, at):
    """-1/2 rho c_d A |u| u.v  of all drags,  u against the air."""
    drags, power = system.forces[1], 0.0
    for e in range(drags.node.shape[0]):
        v = get3(at.v_WC, drags.node[e])
        u = v - get3(drags.wind_W, e)
        power -= drags.factor[e] * u.norm() * (u @ v)
    return power


def work_by_name(books: TreeBooks, model: Model, tree: Tree, stages: ContactStages) -> dict[str, dict[str, float]]:
    """Work on the bodies [J], by what it is and whose it is."""
    sets, elements = stages.segments.set, segment_elements(model)
    contact: list[dict[str, float]] = [{}, {}, {}]
    for n, row in enumerate(books.contact):
        name = elements[int(sets[n]["law"] - sets["law"].min())].name if n < len(sets) else "shapes"
        for kind, found in zip(contact, row.tolist()):
            if n < len(sets) or found != 0.0:
                kind[name] = kind.get(name, 0.0) + found
    labels = model.wired.labels
    damping, springs = ({labels[int(x.row)]: float(v) for x, v in zip(tree.sprung, table)} for table in books.spring.T)
    drives = {labels[int(x.row)]: float(v) for x, v in zip(tree.led, books.drive)}
    lost: Any = stages.contacts.figures
    return {
        "friction": contact[FRICTION],
        "pressing": contact[PRESSING],
        "blows": contact[BLOWS],
        "impacts": {"": float(lost[1] - lost[0] - books.number[TAKEN])},
        "damping": damping,
        "springs": springs,
        "drives": drives,
        "air": {"": float(books.number[AIR])},
        "overlaps": {"": float(books.number[OVERLAPS])},
    }


def open_books(books: TreeBooks, stages: ContactStages) -> None:
    """Begin to count, from nothing."""
    books.flat[:] = 0.0
    books.number[TAKEN] = stages.contacts.figures[1] - stages.contacts.figures[0]
    books.on[0] = 1
