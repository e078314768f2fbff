"""A look at the contacts of the first step: what a person would want to know before trusting what follows."""

from __future__ import annotations

from gelenk.contact.block import COUNT
from gelenk.contact.stages import ContactStages
from gelenk.contact.warning import ContactWarning
from gelenk.errors import warn_user
from gelenk.model.model import Model

DEEP = 0.5  # of the margin, times 50: a hundredth of the smallest extent of what moves
UNLIKE = 1e5  # masses of two that touch


def warn_of_contacts(model: Model, stages: ContactStages) -> None:
    """Name the worst of what is wrong with the contacts of the first step."""
    contacts, names = stages.contacts, model.nodes.names
    found = contacts.contact[: int(contacts.number[COUNT])]
    if not len(found):
        return
    margin = 2.0 * float(stages.space.colliders.item["margin"].max())
    worst = found[int(found["d"].argmin())]
    if worst.d < -DEEP * margin:
        what = f"{names[worst.a]!r} and {names[worst.b]!r} start {-worst.d:.3g} m inside each other"
        warn_user(
            f"{what}. They are moved apart by at most 2 m/s unless ContactOptions(speed=) says otherwise; "
            "place them apart if that is not meant.",
            ContactWarning,
        )
    mass = model.system.masses.mass
    for c in found:
        light, heavy = sorted((float(mass[c.a]), float(mass[c.b])))
        if light > 0.0 and heavy > UNLIKE * light:
            what = (
                f"{names[c.a]!r} and {names[c.b]!r} touch, and their masses are {mass[c.a]:.3g} and {mass[c.b]:.3g} kg"
            )
            warn_user(
                f"{what}. Sweeps alone would let the lighter one yield; Newton's method copes, which is on unless "
                "ContactOptions(newton=0) says otherwise. See sim.info['residual'].",
                ContactWarning,
            )
            return
