"""What contacts of the last step tell: figures, and forces by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.block import CONVERGED, COUNT, DROPPED, FAR_OFF, FED, IMPACTS, LEFT, SLIDES, STEP, UNSOLVED
from gelenk.contact.pivot_block import KIND, OFF
from gelenk.contact.stages import ContactStages
from gelenk.contact.warning import ContactWarning
from gelenk.errors import warn_user
from gelenk.model.model import Model

MANY_STEPS, OFTEN = 50, 0.1  # steps far off, and their share of all, that are worth a warning


class ContactForce(NamedTuple):
    """One point of two bodies in the last step, with its force; world axes."""

    a: str  # names of the bodies
    b: str
    point: np.ndarray  # (3,) where it acts, at the start of the step [m]
    normal: np.ndarray  # (3,) unit vector from a to b
    force: np.ndarray  # (3,) on b, mean over the step, impacts left out [N]; -force acts on a
    distance: float  # at the start of the step, negative by the depth [m]
    slides: bool
    couple: np.ndarray  # (3,) on b, of rolling and torsional friction [N m]


class ContactImpact(NamedTuple):
    """One point of two bodies that met in the last step and has a coefficient of restitution; world axes."""

    a: str  # names of the bodies
    b: str
    point: np.ndarray  # (3,) where it was at the start of the step [m]
    normal: np.ndarray  # (3,) unit vector from a to b
    impulse: np.ndarray  # (3,) on b, of all impacts of the point in the step [N s]; -impulse acts on a
    speed: float  # with which the bodies came together there first [m/s]
    after: float  # the start of the step, when they did [s]


def contact_info(stages: ContactStages) -> dict[str, Any]:
    """Figures of the last step, and counts since the start."""
    number, figures, tally = stages.contacts.number, stages.contacts.figures, stages.pivot.tally
    pivots = {"pivots_on_the_ladder": int(tally[1]), "pivots_without_answer": int(tally[3])}
    return {
        "contacts": int(number[COUNT]),
        "overlap": float(figures[2]),  # deepest of the last step [m]
        "converged": bool(number[CONVERGED]),  # whether the solver came close enough in the last step
        "unconverged_steps": int(number[UNSOLVED]),
        "contacts_dropped": int(number[DROPPED]),  # points that met without restitution when the rounds were over
        "impacts": int(number[IMPACTS]),
        "impacts_unfinished": int(number[LEFT]),  # steps in which the rounds did not suffice
        "impacts_that_fed_energy": int(number[FED]),  # Newton's law with friction may
        "energy_lost_in_impacts": float(figures[0]),
        "energy_fed_in_impacts": float(figures[1]),
        **(pivots if stages.pivot.number[KIND] != OFF else {}),
    }


def warn_of_solver(stages: ContactStages) -> bool:
    """Say so if the solver fell far short again and again; whether it did."""
    number = stages.contacts.number
    far, steps = int(number[FAR_OFF]), int(number[STEP])
    if far < MANY_STEPS or far < OFTEN * steps:
        return False
    warn_user(
        f"the contact solver fell far short in {far} of {steps} steps, now by {stages.contacts.figures[3]:.2g} m/s: "
        "bodies at rest creep or sink. Try contact=gk.ContactOptions(sweeps=..., newton=...) with more of them, or "
        "smaller steps; see sim.info['unconverged_steps'].",
        ContactWarning,
    )
    return True


def colliders_by_name(model: Model, stages: ContactStages) -> list[str]:
    """Name of the body of every collider."""
    return [model.nodes.names[node] for node in stages.space.colliders.item["node"].tolist()]


def contact_forces(stages: ContactStages, names: Sequence[str]) -> list[ContactForce]:
    """All points that pressed in the last step, in the order of their pairs of shapes; names are those of colliders."""
    contacts = stages.contacts
    count = int(contacts.number[COUNT])
    table = contacts.contact[:count]
    press = np.flatnonzero(table["p"][:, 0] > 0.0)
    chosen, kept = table[press], contacts.kept[press]  # copies, by columns: records one by one are slow
    columns = (
        [names[k] for k in chosen["collider_a"].tolist()],
        [names[k] for k in chosen["collider_b"].tolist()],
        chosen["x"].copy(),
        chosen["n"].copy(),
        kept["force"].copy(),
        chosen["d"].tolist(),
        (chosen["state"] == SLIDES).tolist(),
        kept["couple"].copy(),
    )
    return list(map(ContactForce._make, zip(*columns)))


def impacts_of(stages: ContactStages, names: Sequence[str]) -> list[ContactImpact]:
    """All points that met and bounced in the last step; names are those of colliders."""
    contacts = stages.contacts
    table = contacts.contact[: int(contacts.number[COUNT])]
    met = np.flatnonzero(table["hit"] == 1)
    chosen, struck = table[met], contacts.struck[met]
    columns = (
        [names[k] for k in chosen["collider_a"].tolist()],
        [names[k] for k in chosen["collider_b"].tolist()],
        chosen["x"].copy(),
        chosen["n"].copy(),
        struck[:, :3].copy(),
        struck[:, 3].tolist(),
        struck[:, 4].tolist(),
    )
    return list(map(ContactImpact._make, zip(*columns)))
