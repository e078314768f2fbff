"""Contacts made of points, and what they leave to the next step, by several threads at once (V-97)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import Team, routine
from gelenk.contact.assemble import ask_points, keep_points, keep_slots, take_pairs, touch_points
from gelenk.contact.block import COUNT, STEP, TURNS
from gelenk.contact.space_block import new_space
from gelenk.contact.teams import (
    ASK,
    KEEP,
    RUNNER,
    TAKE,
    TASKS,
    THREADS,
    TOUCH,
    contact_samples,
    piece,
    pieces,
    share_all,
)
from gelenk.contact.turn import ask_turns, count_couples, laws_with_arms
from gelenk.math.vec3 import get3, put3
from gelenk.model.builder import Builder


@routine
def take_contacts(space, contacts, state, bodies, h):
    """All points of the space as contacts."""
    tally, team, centre = space.found.tally[0], contacts.team, contacts.lanes.centre
    for i in range(state.p_WC.shape[0]):
        put3(centre, i, get3(state.p_WC, i))
    parts = pieces(tally.pairs[tally.now])
    contacts.number[TURNS] = laws_with_arms(contacts) if tally.points > 0 else 0
    share_points(team[RUNNER], team[THREADS], team[TASKS + TAKE], 0, parts, space, contacts, state, bodies, h)
    contacts.number[COUNT] = tally.points
    if contacts.number[TURNS] > 0:
        contacts.number[TURNS] = count_couples(contacts)


@routine
def take_part(part, space, contacts, state, bodies, h):
    """Contacts of some pairs."""
    first, last = piece(space.found.tally[0].pairs[space.found.tally[0].now], part)
    take_pairs(space, contacts, state, bodies, h, first, last)
    return np.int64(0)


@routine
def ask_contacts(contacts, bodies, h, falls):
    """What is missing of each contact and its couples; ``falls`` says whether bodies that nothing pushes fall."""
    share_all(contacts, bodies, ASK, pieces(contacts.number[COUNT]), h, 1 if falls else 0)
    ask_turns(contacts, bodies)


@routine
def ask_part(part, contacts, bodies, heap, h, falls):
    """What is missing of some contacts."""
    first, last = piece(contacts.number[COUNT], part)
    ask_points(contacts, bodies, h, falls == 1, first, last)
    return np.int64(0)


@routine
def touch_bodies(contacts, bodies):
    """Note which bodies are pushed. Parts that share one write the same number."""
    share_all(contacts, bodies, TOUCH, pieces(contacts.number[COUNT]), 0.0, 0)


@routine
def touch_part(part, contacts, bodies, heap, x, back):
    """Bodies of some contacts."""
    first, last = piece(contacts.number[COUNT], part)
    touch_points(contacts, first, last)
    return np.int64(0)


@routine
def keep_contacts(space, contacts, state, bodies, h):
    """What the next step begins with."""
    tally, team = space.found.tally[0], contacts.team
    contacts.number[STEP] += 1
    parts = max(pieces(contacts.number[COUNT]), pieces(tally.pairs[tally.now]))
    share_points(team[RUNNER], team[THREADS], team[TASKS + KEEP], 0, parts, space, contacts, state, bodies, h)


@routine
def keep_part(part, space, contacts, state, bodies, h):
    """What some contacts leave, and where some pairs will find theirs."""
    first, last = piece(contacts.number[COUNT], part)
    keep_points(contacts, bodies, h, first, last)
    first, last = piece(space.found.tally[0].pairs[space.found.tally[0].now], part)
    keep_slots(space, contacts, first, last)
    return np.int64(0)


def _samples() -> tuple[Any, ...]:
    """Arguments of a part, for the compiler."""
    model = Builder().build()
    contacts, bodies = contact_samples()
    return new_space(model, None), contacts, model.initial_state(), bodies, 1e-3


points_team = Team(_samples, 5)
share_points = points_team.share
