"""The stages of sleeping in a step, compiled where a method lets bodies sleep, and called by address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gelenk.compile import Plug, routine
from gelenk.contact.block import COUNT, SLIDES, STEP
from gelenk.contact.events import note_gone
from gelenk.contact.options import ContactOptions
from gelenk.contact.report import ContactForce
from gelenk.contact.setup import new_stages
from gelenk.contact.space import detect
from gelenk.contact.space_block import FOUND, READY
from gelenk.contact.stages import ContactStages
from gelenk.graph.falling import count_slow, find_clusters, put_to_rest
from gelenk.graph.nearness import by_length, find_lengths
from gelenk.graph.rest_block import CLUSTERS, MOVING, SLEEPING, STORED, WOKE, RestSet, masses_awake, new_rest
from gelenk.graph.waking import begin_warm, wake_changed, wake_touched
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.state import Masses, new_loads

NOTHING_MOVES = 1  # the step is over: all sleeps


@routine
def wake(rest, stages, memory, state, loads, h):
    """Before a step: wake what must, and find where those awake touch. 0, NOTHING_MOVES, or what detection lacks."""
    space, contacts, number = stages.space, stages.contacts, rest.number
    if number[SLEEPING] > 0:
        wake_changed(rest, stages, memory, state, loads)
    if number[SLEEPING] == 0 and number[WOKE] == 0:
        return 0
    if number[SLEEPING] == number[MOVING]:
        contacts.number[COUNT] = number[CLUSTERS] = 0
        contacts.number[STEP] += 1
        return NOTHING_MOVES
    while True:
        missing = detect(space, state, h)
        if missing != READY:
            return missing
        if not wake_touched(rest, space, memory, state):
            break
        note_gone(stages.events, space.found, contacts.number[STEP])
    if number[WOKE] > 0:
        begin_warm(rest, space, contacts)
    space.number[FOUND] = 1
    return 0


@routine
def fall(rest, stages, memory, state, loads, h):
    """After a step: clusters, how long they have been slow, and sleep. Returns how many bodies sleep."""
    if by_length(rest):
        find_lengths(rest, stages.space, memory)
    find_clusters(rest, stages.contacts)
    if count_slow(rest, state, h):
        put_to_rest(rest, stages, memory, state)
    return rest.number[SLEEPING]


def begin_rest(model: Model, options: ContactOptions | None, stages: ContactStages) -> tuple[RestSet, Masses]:
    """All awake, and the masses that a step is to use; stages are compiled if sleeping is on."""
    rest = new_rest(model, options, stages)
    on = options is not None and options.sleep and bool(stages.address[0])
    if on:
        with compiling("sleeping"):
            rest.address[:] = [rest_plug.address(stage) for stage in (wake, fall)]
    return rest, masses_awake(model, rest, on)


def with_room(rest: RestSet, stages: ContactStages) -> RestSet:
    """Room to put as many contacts by as a step can have."""
    more = len(stages.contacts.contact) - len(rest.contact)
    if not rest.address[0] or more <= 0:
        return rest
    added = np.zeros(more, rest.contact.dtype)
    return rest._replace(contact=np.concatenate([rest.contact, added]).view(np.recarray))


def rest_info(rest: RestSet) -> dict[str, Any]:
    """How many bodies sleep, and clusters of those awake."""
    return {"asleep": int(rest.number[SLEEPING]), "clusters_awake": int(rest.number[CLUSTERS])}


def sleeping_forces(rest: RestSet, names: Sequence[str]) -> list[ContactForce]:
    """Points that press among what sleeps, as when they fell asleep; names are those of colliders."""
    return [
        ContactForce(
            names[c.collider_a], names[c.collider_b], c.x, c.n, c.force, float(c.d), bool(c.state == SLIDES), c.couple
        )
        for c in rest.contact[: int(rest.number[STORED])].copy()
        if c.force @ c.n > 0.0
    ]


def touching_asleep(rest: RestSet) -> set[tuple[int, int]]:
    """Pairs of colliders that touch and sleep."""
    stored = rest.contact[: int(rest.number[STORED])]
    return {(int(c.collider_a), int(c.collider_b)) for c in stored if c.touch == 1}


def names_asleep(model: Model, rest: RestSet) -> tuple[str, ...]:
    """Bodies and particles that sleep."""
    return tuple(model.nodes.names[i] for i in np.flatnonzero(rest.asleep))


def _samples() -> tuple[Any, ...]:
    """Arguments of a stage, for the compiler."""
    model = Builder().build()
    state, stages = model.initial_state(), new_stages(model, None)
    rest = new_rest(model, None, stages)
    return rest, stages, model.wired.memory(state.memory), state, new_loads(state), 1e-3


rest_plug = Plug(_samples, 6)
run_rest = rest_plug.call
