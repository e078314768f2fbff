"""Contact of a model, made ready for a method: shapes, laws, room, and stages compiled where they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.collision.contacts import new_contacts as new_found
from gelenk.collision.manifold import MANY
from gelenk.compile import Plug
from gelenk.contact.block import STEP, ContactSet, enlarged, new_contacts
from gelenk.contact.events import more_events, new_events
from gelenk.contact.heaps import ROOM, WIDE
from gelenk.contact.levels import new_levels
from gelenk.contact.narrow_team import find_part, join_part, pair_team
from gelenk.contact.options import ContactOptions
from gelenk.contact.pivot_block import enlarged_pivot, new_pivot
from gelenk.contact.points_team import ask_part, keep_part, points_team, take_part, touch_part
from gelenk.contact.segment_block import (
    forget_segments,
    new_segment_sets,
    segment_elements,
    segment_margin,
    with_segment_laws,
)
from gelenk.contact.separate_lanes import apart_part, ask_apart_part
from gelenk.contact.settle import begin_part, heap_team, settle_part, slide_part
from gelenk.contact.slabs import batch_part, group_part, weigh_part
from gelenk.contact.space_block import (
    EVENTS_ROOM,
    MIDDLE,
    PIVOT_ROOM,
    POINTS_ROOM,
    Space,
    completed,
    new_space,
    with_team,
)
from gelenk.contact.stages import FIND, FINISH, STAGES, WHOLE, ContactStages, find_alone, keep
from gelenk.contact.sweep_lanes import hand_back_part, lead_part, residual_part, sweep_part
from gelenk.contact.teams import task_team
from gelenk.contact.unite import root_of, unite
from gelenk.errors import InputError
from gelenk.model.builder import Builder
from gelenk.model.contact_law import grain_table, law_table
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.rows.assemble import new_bodies, new_rows
from gelenk.state import new_loads
from gelenk.threads import team_of_threads

UNLIKE = 100.0  # masses
MOST_WIDE = 4000  # nodes; 18 kB each
AUTO = "auto"  # contact where shapes of several mechanisms, loose bodies or surroundings can meet


def new_stages(model: Model, options: ContactOptions | None, used: tuple[int, ...] = WHOLE) -> ContactStages:
    """Contact of a model; nothing touches if there are no options or no shapes that can meet."""
    on = options is not None and can_touch(model)
    of = model if on else Builder().build()
    space = new_space(of, None)
    margin = 2.0 * float(space.colliders.item["margin"].max(initial=0.0)) or segment_margin(of)
    law, places = law_table(of, (options or ContactOptions()).restitution == "product")
    if on:
        check_slip(law, options or ContactOptions())
    segments = new_segment_sets(of, len(law))
    law = with_segment_laws(law, of)
    parts = [of.bodies[item.node - 1].parts[item.part] for item in space.colliders.item]
    material = np.array([places[part.material] for part in parts], np.uint32)
    numbers = (options or ContactOptions()).numbers(margin)
    room = len(space.found.contact) + len(segments.segment) if on else 1
    sizes = space.found.pair.shape[1], model.nodes.count, len(model.wired.joints.row)
    contacts = new_contacts(room, *sizes, law, grain_table(of), material, numbers, blocks_of(model) if on else ROOM)
    contacts.tied[model.wired.joints.body] = 1
    address = np.zeros(len(STAGES), np.int64)
    if on:
        with compiling("contact"):
            address[list(used)] = [stage_plug.address(STAGES[k]) for k in used]
            space = put_to_work(space, contacts)
    levels = new_levels(model.nodes.count, model.gravity)
    pivot = new_pivot(None, 0, model.wired.joints, 0)
    return ContactStages(address, space, contacts, new_events(), levels, pivot, segments)


def blocks_of(model: Model) -> int:
    """Most blocks of a factor for each body: more where masses are so unlike that sweeps would not end."""
    mass = model.system.masses.mass[model.system.masses.mass > 0.0]
    unlike = len(mass) > 0 and float(mass.max()) > UNLIKE * float(mass.min())
    return WIDE if unlike and model.nodes.count <= MOST_WIDE else ROOM


def tree_stages(model: Model, options: ContactOptions | None) -> ContactStages:
    """Contact of a model in minimal coordinates: points are found and kept as everywhere, and solved elsewhere."""
    stages = new_stages(model, options, ())
    if options is not None and can_touch(model):
        with compiling("contact"):
            stages.space.number[MIDDLE] = 1
            stages.address[FIND], stages.address[FINISH] = (stage_plug.address(f) for f in (find_alone, keep))
    return stages


def put_to_work(space: Space, contacts: ContactSet) -> Space:
    """Say how many threads work on heaps and on pairs, and where their tasks are."""
    runner, threads = team_of_threads()
    tasks = [task_team.address(task) for task in PARTS]
    tasks += [heap_team.address(task) for task in (settle_part, begin_part)]
    tasks += [points_team.address(task) for task in (take_part, keep_part)]
    contacts.team[: 2 + len(tasks)] = [runner, threads, *tasks]
    if threads == 1:
        return space
    return with_team(space, [runner, threads, pair_team.address(find_part), pair_team.address(join_part)])


def can_touch(model: Model) -> bool:
    """Whether two parts of the model can meet, by what moves, or segments; groups and joints are not looked at."""
    if segment_elements(model):
        return True
    parts = [(body.static, k) for k, body in enumerate(model.bodies) for part in body.parts if part.collide]
    return len({k for _, k in parts}) > 1 and not all(static for static, _ in parts)


def can_bounce(model: Model, options: ContactOptions | None) -> bool:
    """Whether two parts that can meet bounce, by the law of their materials; or segments, by their own."""
    if any(max(element.restitution, element.slip_restitution) > 0.0 for element in segment_elements(model)):
        return True
    table, places = law_table(model, options is not None and options.restitution == "product")
    bodies: dict[tuple[int, bool], set[int]] = {}  # by material, and whether they are fixed
    for k, body in enumerate(model.bodies):
        for part in body.parts:
            if part.collide:
                bodies.setdefault((places[part.material], body.static), set()).add(k)
    bounces = (table["restitution"] > 0.0) | (table["slip_restitution"] > 0.0)
    return any(
        bounces[m, n] and not (fixed and held) and len(some | others) > 1
        for (m, fixed), some in bodies.items()
        for (n, held), others in bodies.items()
    )


def is_mechanism(model: Model) -> bool:
    """Whether all shapes that collide belong to one mechanism, so that nothing but its own parts can meet.

    Segments meet their ground, which is none of it. Bodies hang together by joints, but not through what is fixed: the
    balls of a cradle are five mechanisms.
    """
    if segment_elements(model):
        return False
    mechanism, tied = list(range(model.nodes.count)), set()
    for a, b in zip(model.wired.joints.pair["a"].tolist(), model.wired.joints.pair["b"].tolist()):
        tied |= {a, b}
        if not (model.nodes.is_static(a) or model.nodes.is_static(b)):
            unite(mechanism, a, b)
    colliding = [k for k, body in enumerate(model.bodies, start=1) if any(part.collide for part in body.parts)]
    moving = {root_of(mechanism, k) for k in colliding if not model.nodes.is_static(k)}
    return len(moving) <= 1 and all(k in tied for k in colliding)


def check_contact(method: str, contact: Any) -> None:
    """Options of contact, "auto" or None."""
    if contact is not None and not isinstance(contact, ContactOptions) and contact != AUTO:
        raise InputError(
            method, f"contact is {contact!r}", f"{AUTO!r}, gk.ContactOptions() or None", "Choose contact from these."
        )


def check_awake(method: str, contact: Any) -> None:
    """Refuse options of contact that act in RowStepping alone."""
    if isinstance(contact, ContactOptions):
        for what, off in (("sleep", False), ("shock", "off"), ("lift", None)):
            if getattr(contact, what) != off:
                found = f"contact has {what}={getattr(contact, what)!r}"
                raise InputError(
                    method, found, f"{what}={off!r}: it acts in RowStepping alone", "Use gk.RowStepping()."
                )


def check_newton(method: str, contact: Any) -> None:
    """Refuse laws of restitution other than Newton's, where no other is known."""
    if isinstance(contact, ContactOptions) and contact.impacts != "newton":
        found, remedy = (
            f"contact has impacts={contact.impacts!r}",
            "Use gk.RowStepping() or gk.Impulse(), or leave it out.",
        )
        raise InputError(method, found, "Newton's law, impacts='newton'", remedy)


def check_slip(law: np.ndarray, options: ContactOptions) -> None:
    """Refuse restitution along the tangents beside laws that know none."""
    for what, usual in (("impacts", "newton"), ("lift", None)):
        if getattr(options, what) != usual and (law["slip_restitution"] > 0.0).any():
            found = f"{what}={getattr(options, what)!r} with materials that have a slip_restitution"
            remedy = f"Leave {what} out, or the slip_restitution of the materials."
            raise InputError("ContactOptions", found, "Newton's law for restitution along the tangents", remedy)


def options_for(model: Model, contact: ContactOptions | str | None) -> ContactOptions | None:
    """The options of contact for a model, or None if nothing touches; "auto" leaves one mechanism by itself alone."""
    if contact == AUTO:
        return None if is_mechanism(model) else ContactOptions()
    return contact if isinstance(contact, ContactOptions) else None


def with_more(stages: ContactStages, model: Model, missing: int) -> ContactStages:
    """Contact with what :func:`find` lacked."""
    if missing == EVENTS_ROOM:
        need = int(stages.space.found.tally[0].pairs.sum()) + len(stages.segments.set)
        return stages._replace(events=more_events(stages.events, need))
    if missing == PIVOT_ROOM:
        return stages._replace(pivot=enlarged_pivot(stages.pivot, model.wired.joints))
    if missing != POINTS_ROOM:
        stages = stages._replace(space=completed(stages.space, model, missing))
    space, contacts = stages.space, stages.contacts
    room = len(space.found.contact) + len(stages.segments.segment)
    return stages._replace(contacts=enlarged(contacts, room, space.found.pair.shape[1]))


def forgotten(stages: ContactStages) -> ContactStages:
    """Contact without what it remembers of earlier steps, which may be no numbers after one that failed."""
    stages.contacts.number[STEP] += 1  # what is kept is of another step then
    stages.contacts.sky.seen[:] = 0  # factors and rest of heaps are forgotten
    stages.space.number[:MIDDLE] = 0
    forget_segments(stages.segments.segment)
    stages.contacts.lanes.impulse[:] = 0.0
    found = stages.space.found
    space = stages.space._replace(found=new_found(found.pair.shape[1], len(found.contact) - MANY))
    return stages._replace(space=space)


def _samples() -> tuple[Any, ...]:
    """Arguments of a stage, for the compiler."""
    model = Builder().build()
    state, joints, masses = model.initial_state(), model.wired.joints, model.system.masses
    bodies, rows = new_bodies(masses, state), new_rows(joints)
    memory = model.wired.memory(state.memory)
    return new_stages(model, None), joints, memory, masses, state, new_loads(state), bodies, rows, 1e-3


PARTS = (
    batch_part,
    sweep_part,
    lead_part,
    residual_part,
    ask_apart_part,
    apart_part,
    ask_part,
    slide_part,
    group_part,
    weigh_part,
    hand_back_part,
    touch_part,
)  # as numbered in teams.py
stage_plug = Plug(_samples, 9)
run_stage = stage_plug.call
