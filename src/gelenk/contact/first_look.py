"""A look at the contacts of the first step: what a person would want to know before trusting what follows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.contact.block import COUNT
from gelenk.contact.options import SPEED
from gelenk.contact.stages import ContactStages
from gelenk.contact.unite import root_of, unite
from gelenk.contact.warning import ContactWarning
from gelenk.errors import warn_user
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.state import State

DEEP = 0.5  # of the margin, times 50: a hundredth of the smallest extent of what moves
UNLIKE = 1e5  # masses of two that touch or lie in one heap


def warn_of_contacts(model: Model, stages: ContactStages, begun: State, ahead: float) -> None:
    """Name the worst of what is wrong with the contacts of the first step, which are those of ``ahead`` [s] after its

    begin, at the state ``begun``: what has come so far by then did not start there.
    """
    contacts, names = stages.contacts, model.nodes.names
    found = contacts.contact[: int(contacts.number[COUNT])]
    if not len(found):
        return
    shapes = found[found["pair"] != NONE].copy()  # segments may start as deep as they are long
    for k in np.flatnonzero(shapes["d"] < 0.0) if ahead > 0.0 else ():
        shapes["d"][k] -= ahead * approach(begun, shapes[k])
    margin = 2.0 * float(stages.space.colliders.item["margin"].max(initial=0.0))
    worst = shapes[int(shapes["d"].argmin())] if len(shapes) else found[0]
    if len(shapes) and worst.d < -DEEP * margin:
        deep = shapes[shapes["d"] < -DEEP * margin]
        others = len(set(zip(deep["a"].tolist(), deep["b"].tolist()))) - 1
        what = f"{names[worst.a]!r} and {names[worst.b]!r} start {-worst.d:.3g} m inside each other"
        what += f", {others} other pairs less deep" if others > 1 else ", another pair less deep" if others else ""
        warn_user(
            f"{what}. They are moved apart by at most {contacts.options[SPEED]:g} m/s, as ContactOptions(speed=) says; "
            "place them apart if that is not meant.",
            ContactWarning,
        )
    unlike = unlike_masses(model, found)
    if unlike is not None:
        a, b, where = unlike
        mass = model.system.masses.mass
        warn_user(
            f"{names[a]!r} and {names[b]!r} {where}, and their masses are {mass[a]:.3g} and {mass[b]:.3g} kg. Sweeps "
            "alone would let the lighter one yield; Newton's method copes where ContactOptions(newton=) leaves it on "
            "and its heap is not too large. Look at sim.info['unconverged_steps'].",
            ContactWarning,
        )


def approach(begun: State, c: Any) -> float:
    """Rate of the gap of a contact,  n . (v_b + w_b x r_b - v_a - w_a x r_a)."""
    rate = 0.0
    for node, r, sign in ((int(c["a"]), c["r_a"], -1.0), (int(c["b"]), c["r_b"], 1.0)):
        v = begun.v_WC[node]
        if node < len(begun.q_WB):
            v = v + np.cross(rotation_matrix(begun.q_WB[node]) @ begun.w_WB_B[node], r)
        rate += sign * float(c["n"] @ v)
    return rate


def unlike_masses(model: Model, found: Any) -> tuple[int, int, str] | None:
    """Two nodes whose masses differ too much, those that touch before those of one heap, and which of both it is."""
    mass = model.system.masses.mass
    pairs = [(int(c.a), int(c.b)) for c in found if mass[c.a] > 0.0 and mass[c.b] > 0.0]
    for a, b in pairs:
        if max(mass[a], mass[b]) > UNLIKE * min(mass[a], mass[b]):
            return a, b, "touch"
    heap = {k: k for pair in pairs for k in pair}
    for a, b in pairs:
        unite(heap, a, b)
    heaps: dict[int, list[int]] = {}
    for k in heap:
        heaps.setdefault(root_of(heap, k), []).append(k)
    for nodes in heaps.values():
        light, heavy = min(nodes, key=mass.__getitem__), max(nodes, key=mass.__getitem__)
        if mass[heavy] > UNLIKE * mass[light]:
            return light, heavy, "lie in one heap"
    return None
