"""What contacts of the last step tell: figures, and forces by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.block import CONVERGED, COUNT, DROPPED, FAR_OFF, FED, IMPACTS, LEFT, SLIDES, STEP, SWEEPS, UNSOLVED
from gelenk.contact.options import LIFT
from gelenk.contact.pivot_block import KIND, OFF
from gelenk.contact.segment_block import LOSSES, LOST
from gelenk.contact.stages import ContactStages
from gelenk.contact.warning import ContactWarning
from gelenk.errors import warn_user
from gelenk.model.model import Model
from gelenk.state import Masses, State

MUCH = 0.01  # of the energy of motion, fed by impacts: worth a warning
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
        "contact_sweeps": int(number[SWEEPS]),  # of all steps
        "overlap": float(figures[2]),  # deepest of the last step [m]
        **({"segments_lost": int(stages.segments.number[LOSSES])} if len(stages.segments.set) else {}),
        "converged": bool(number[CONVERGED]),  # whether the solver came close enough in the last step
        "unconverged_steps": int(number[UNSOLVED]),
        **impact_info(stages),
        **(pivots if stages.pivot.number[KIND] != OFF else {}),
    }


def impact_info(stages: ContactStages) -> dict[str, Any]:
    """Counts of impacts since the start, of contacts and of stops."""
    number, figures = stages.contacts.number, stages.contacts.figures
    return {
        "contacts_dropped": int(number[DROPPED]),  # points that met without restitution when the rounds were over
        "impacts": int(number[IMPACTS]),
        "impacts_unfinished": int(number[LEFT]),  # steps in which the rounds did not suffice
        "impacts_that_fed_energy": int(number[FED]),  # Newton's law with friction may
        "energy_lost_in_impacts": float(figures[0]),
        "energy_fed_in_impacts": float(figures[1]),
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


def warn_of_fed_energy(stages: ContactStages, masses: Masses, state: State) -> bool:
    """Say so if impacts have fed much of the energy of motion; whether they did."""
    fed, lost = float(stages.contacts.figures[1]), float(stages.contacts.figures[0])
    if stages.contacts.number[FED] == 0 or stages.contacts.options[LIFT] > 0.0:
        return False  # micro-collisions lift bodies on purpose
    moving = energy_of_motion(masses, state)
    if not fed > MUCH * (moving + lost):
        return False
    warn_user(
        f"impacts have fed {fed:.3g} J, where bodies move with {moving:.3g} J: Newton's law with friction may. Lower "
        "restitution or friction, or use gk.RowStepping(contact=gk.ContactOptions(impacts='poisson')), which feeds "
        "none; see sim.info['energy_fed_in_impacts'].",
        ContactWarning,
    )
    return True


def energy_of_motion(masses: Masses, state: State) -> float:
    """Sum of 1/2 m v^2 + 1/2 w.I w  [J]."""
    moving, w = masses.inv_mass > 0.0, state.w_WB_B
    spin = np.einsum("ij,ijk,ik->i", w, masses.inertia_B, w)[moving[: len(w)]].sum()
    return 0.5 * float(masses.mass[moving] @ (state.v_WC[moving] ** 2).sum(axis=1) + spin)


def warn_of_losses(model: Model, stages: ContactStages) -> bool:
    """Say so if a segment has gone through its ground; whether it did."""
    sets, lost = stages.segments, stages.segments.segment["state"] == LOST
    if sets.number[LOSSES] == 0:
        return False
    there = next((s for s in sets.set if lost[s.first : s.last].any()), None)
    who = "a segment" if there is None else f"a segment of {model.nodes.names[there.node]!r}"
    ground = "its ground" if there is None else repr(model.nodes.names[there.ground])
    warn_user(
        f"{who} has gone through {ground} with its whole length, and touches it no more. Take longer segments or "
        "smaller steps; see sim.info['segments_lost'].",
        ContactWarning,
    )
    return True


def colliders_by_name(model: Model, stages: ContactStages) -> list[str]:
    """Name of the body of every collider, and behind them of the ground and the body of every set of segments."""
    sets = stages.segments.set
    nodes = [*stages.space.colliders.item["node"].tolist(), *np.column_stack((sets["ground"], sets["node"])).ravel()]
    return [model.nodes.names[node] for node in nodes]


def all_colliders(stages: ContactStages) -> Any:
    """Colliders, and behind them the ground and the body of every set of segments as parts without a shape."""
    colliders, sets = stages.space.colliders, stages.segments.set
    nodes = np.column_stack((sets["ground"], sets["node"])).ravel().tolist()
    parts = np.column_stack((sets["ground_part"], sets["body_part"])).ravel().tolist()
    return colliders._replace(item=with_segment_rows(colliders.item, list(zip(nodes, parts))))


def with_segment_rows(item: np.ndarray, rows: Sequence[tuple[int, int]]) -> np.ndarray:
    """Colliders, and behind them parts without a shape, by node and number of the part."""
    more = np.zeros(len(rows), item.dtype)
    more["node"], more["part"] = np.array(rows, np.uint32).reshape(-1, 2).T
    return np.concatenate((item, more)).view(np.recarray)


def touching_segments(stages: ContactStages) -> set[tuple[int, int]]:
    """Ground and body of the sets of segments that touch, as colliders."""
    first = len(stages.space.colliders.item)
    return {(first + 2 * k, first + 2 * k + 1) for k in np.flatnonzero(stages.segments.set["touch"]).tolist()}


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


def contact_torque(stages: ContactStages, node: int) -> np.ndarray:
    """Moment of all contact forces and couples on a node about its centre of mass in the last step [N m]."""
    contacts = stages.contacts
    count = int(contacts.number[COUNT])
    table, kept, total = contacts.contact[:count], contacts.kept[:count], np.zeros(3)
    for end, arm, sign in (("a", "r_a", -1.0), ("b", "r_b", 1.0)):
        on = table[end] == node
        total += sign * (np.cross(table[arm][on], kept["force"][on]) + kept["couple"][on]).sum(axis=0)
    return total


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
