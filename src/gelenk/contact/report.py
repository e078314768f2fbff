"""What contacts of the last step tell: figures, and forces by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.block import COUNT, FED, IMPACTS, LEFT, SLIDES
from gelenk.contact.stages import ContactStages
from gelenk.model.model import Model


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


def contact_info(stages: ContactStages) -> dict[str, Any]:
    """Figures of the last step, and counts since the start."""
    number, figures = stages.contacts.number, stages.contacts.figures
    return {
        "contacts": int(number[COUNT]),
        "overlap": float(figures[2]),  # deepest of the last step [m]
        "impacts": int(number[IMPACTS]),
        "impacts_unfinished": int(number[LEFT]),  # steps in which the rounds did not suffice
        "impacts_that_fed_energy": int(number[FED]),  # Newton's law with friction may
        "energy_lost_in_impacts": float(figures[0]),
        "energy_fed_in_impacts": float(figures[1]),
    }


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
