"""The contact problem of the last step of a simulation, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.contact.block import COUNT, STEP
from gelenk.contact.options import LIFT
from gelenk.contact.problem import ContactProblem
from gelenk.contact.problem_layout import change, contact_velocity
from gelenk.contact.stages import ContactStages
from gelenk.errors import InputError
from gelenk.rows.assemble import BodyWork, RowWork
from gelenk.rows.block import BOX, Joints


def taken_problem(stages: ContactStages, joints: Joints, bodies: BodyWork, rows: RowWork) -> ContactProblem:
    """What the solver was asked, from what it left: impulses p and velocities V' of the end of the step.

    Velocities without the impulses are  V = V' - M^-1 J^T p.  What a contact wants follows from what it asked for when
    the solver began, at  V' - dV.
    """
    contacts = stages.contacts
    if contacts.number[STEP] == 0:
        raise refused("no step was taken yet", "a simulation after a step", "Call sim.advance(...) first.")
    if contacts.options[LIFT] > 0.0:
        raise refused("micro-collisions, lift in ContactOptions", "contacts that are solved", "Leave lift=None.")
    active = rows.active[: int(rows.counts[0])]
    row, x = joints.row[active], rows.number[active]
    if (row["set"] != BOX).any():
        raise refused("rows that share a ball or an ellipse", "rows with bounds of their own", "Leave such joints out.")
    found = contacts.contact[: int(contacts.number[COUNT])]
    moves = bodies.inv_mass[found["a"]] + bodies.inv_mass[found["b"]] > 0.0
    c, turn = found[moves], contacts.turn[: len(found)][moves]
    on = turn["on"] == 1
    entries = [np.arange(r["entry_first"], r["entry_last"]) for r in row]
    chosen = np.concatenate([np.zeros(0, np.int64), *entries]).astype(np.int64)
    problem = ContactProblem(
        inverse_mass=bodies.inv_mass,
        inverse_inertia=bodies.inv_inertia_W,
        velocity=bodies.V - bodies.dV,
        a=c["a"],
        b=c["b"],
        normal=c["n"],
        tangent=c["t"],
        arm_a=c["r_a"],
        arm_b=c["r_b"],
        want=c["ask"][:, 0] + c["soft"] * c["start"][:, 0],
        soft=c["soft"],
        friction=np.stack([c["along"], c["across"]], axis=1),
        couple_arms=np.stack([turn["rolling"], turn["torsional"]], axis=1) * on[:, None],
        row_first=np.cumsum([0, *map(len, entries)]),
        row_node=joints.body[chosen],
        row_jacobian=rows.J[chosen],
        row_want=x["want"],
        row_soft=x["soft"],
        row_low=x["lo"],
        row_high=x["hi"],
        impulse=c["p"],
        couple=turn["p"] * on[:, None],
        row_impulse=x["p"],
    )
    began = contact_velocity(problem, problem.velocity)[0][:, 0]
    free = bodies.V - change(problem, problem.found)
    values: dict[str, Any] = {name: getattr(problem, name) for name in problem.__slots__}
    return ContactProblem(**values | {"want": problem.want + began, "velocity": free})


def refused(found: str, allowed: str, remedy: str) -> InputError:
    """A step whose problem cannot be told."""
    return InputError("contact_problem()", found, allowed, remedy)
