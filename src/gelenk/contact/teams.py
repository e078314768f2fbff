"""Work on heaps shared out among threads: tasks of parts that write to places of their own (V-97).

A task is a function (part, contacts, bodies, heap, x, back); parts are groups of contacts, or stretches of bodies.
Results are the same to the last bit for any number of threads. Bodies that nothing moves are the exception: parts that
share one write its rows too, always what stands there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import Team, helper
from gelenk.contact.block import new_contacts
from gelenk.contact.options import ContactOptions
from gelenk.model.builder import Builder
from gelenk.model.contact_law import grain_table, law_table
from gelenk.rows.assemble import new_bodies

RUNNER, THREADS, TASKS = 0, 1, 2  # numbers of a team; where the addresses of its tasks begin
BATCH, SWEEP, LEAD, RESIDUAL, ASK_APART, APART, ASK, SLIDE, GROUP, WEIGH, HAND_BACK, TOUCH = range(12)
SETTLE_HEAP, BEGIN, TAKE, KEEP = range(12, 16)
STRETCH = 256  # bodies of a part
PIECE = 1024  # pairs or contacts of a part


def contact_samples() -> tuple[Any, Any]:
    """Contacts and bodies, for the compiler."""
    model = Builder().build()
    law, _ = law_table(model)
    numbers = ContactOptions().numbers(0.0)
    contacts = new_contacts(1, 1, 1, 0, law, grain_table(model), np.zeros(1, np.uint32), numbers)
    return contacts, new_bodies(model.system.masses, model.initial_state())


task_team = Team(lambda: (*contact_samples(), 0, 0.0, 0), 5)
_share = task_team.share


@helper
def share_out(contacts, heap, bodies, task, first, last, x, back):
    """Run a task for parts of a heap."""
    team = contacts.team
    _share(team[RUNNER], team[THREADS], team[TASKS + task], first, last, contacts, bodies, heap.index, x, back)


@helper
def share_all(contacts, bodies, task, parts, x, back):
    """Run a task for parts of all contacts."""
    team = contacts.team
    _share(team[RUNNER], team[THREADS], team[TASKS + task], 0, parts, contacts, bodies, 0, x, back)


@helper
def stretches(heap):
    """Parts that the bodies of a heap make."""
    return (heap.last - heap.first + STRETCH - 1) // STRETCH


@helper
def stretch(heap, part):
    """First and last body of a part, in the order of the skyline."""
    first = heap.first + STRETCH * part
    return first, min(first + STRETCH, heap.last)


@helper
def pieces(count):
    """Parts that so many pairs or contacts make."""
    return (count + PIECE - 1) // PIECE


@helper
def piece(count, part):
    """First and last of a part."""
    return PIECE * part, min(PIECE * part + PIECE, count)
