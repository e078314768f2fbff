"""Stages of contact with shock propagation, which take the places of the ordinary ones (V-99, I-105)."""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.options import MOST_SWEEPS, ContactOptions
from gelenk.contact.settle import points_slide
from gelenk.contact.setup import stage_plug
from gelenk.contact.stages import ASK, BEGIN, FINISH, SETTLE, SWEEP, ContactStages, ask, finish
from gelenk.graph.levels import find_levels
from gelenk.graph.shock import ask_shock, begin_shock, freeze_levels, restore_matrices, sweep_shock
from gelenk.progress import compiling
from gelenk.solvers.solver import apply_change, clear_change


@routine
def begin_hard(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Levels, rows, and the impulses to start from; uncompromising."""
    find_levels(stages.levels, stages.contacts, joints, memory, bodies.inv_mass)
    begin_shock(stages.levels, stages.contacts, bodies, True)
    return stages.contacts.number[COUNT]


@routine
def begin_eased(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Levels, rows, and the impulses to start from; optimised."""
    find_levels(stages.levels, stages.contacts, joints, memory, bodies.inv_mass)
    begin_shock(stages.levels, stages.contacts, bodies, False)
    return stages.contacts.number[COUNT]


@routine
def ask_hard(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack; uncompromising."""
    ask_shock(stages.levels, stages.contacts, bodies, h, True)
    return stages.contacts.number[COUNT]


@routine
def ask_eased(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack; optimised."""
    ask_shock(stages.levels, stages.contacts, bodies, h, False)
    return stages.contacts.number[COUNT]


@routine
def settle_hard(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Sweeps until little changes; uncompromising."""
    settle_all(stages, joints, rows, bodies, True)
    return alone(rows)


@routine
def settle_eased(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Sweeps until little changes; optimised."""
    settle_all(stages, joints, rows, bodies, False)
    return alone(rows)


@helper
def alone(rows):
    """1 if contacts were all there was to solve, 0 if rows of joints are to follow, in turn with them."""
    return np.int64(1) if rows.counts[0] == 0 else np.int64(0)


@routine
def settle_all(stages, joints, rows, bodies, hard):
    """Sweeps until little changes; what slipped slides, and is solved once more."""
    levels, contacts = stages.levels, stages.contacts
    most = int(contacts.options[MOST_SWEEPS])
    clear_change(bodies)
    contacts.figures[3] = sweep_shock(levels, contacts, bodies, hard, most)
    if points_slide(contacts, joints, rows, bodies):
        contacts.figures[3] = sweep_shock(levels, contacts, bodies, hard, most)


@routine
def sweep_hard(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once forth and once back, in turn with the rows of joints; uncompromising."""
    clear_change(bodies)
    stages.contacts.figures[3] = sweep_shock(stages.levels, stages.contacts, bodies, True, 2)
    return stages.contacts.number[COUNT]


@routine
def sweep_eased(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once forth and once back, in turn with the rows of joints; optimised."""
    clear_change(bodies)
    stages.contacts.figures[3] = sweep_shock(stages.levels, stages.contacts, bodies, False, 2)
    return stages.contacts.number[COUNT]


@routine
def finish_shock(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """As ever: overlaps are taken out with both bodies."""
    restore_matrices(stages.contacts, bodies)
    return finish(stages, joints, memory, masses, state, loads, bodies, rows, h)


@routine
def finish_frozen(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once more over the contacts from below, with frozen levels, and then as ever."""
    contacts = stages.contacts
    find_levels(stages.levels, contacts, joints, memory, bodies.inv_mass)
    ask(stages, joints, memory, masses, state, loads, bodies, rows, h)
    clear_change(bodies)
    freeze_levels(stages.levels, contacts, bodies)
    apply_change(bodies)
    restore_matrices(contacts, bodies)
    return finish(stages, joints, memory, masses, state, loads, bodies, rows, h)


PLACES = {
    "uncompromising": {
        BEGIN: begin_hard, ASK: ask_hard, SWEEP: sweep_hard, SETTLE: settle_hard, FINISH: finish_shock
    },
    "optimised": {
        BEGIN: begin_eased, ASK: ask_eased, SWEEP: sweep_eased, SETTLE: settle_eased, FINISH: finish_shock
    },
    "freezing": {FINISH: finish_frozen},
}  # fmt: skip


def with_shock(stages: ContactStages, options: ContactOptions | None) -> ContactStages:
    """The stages, with those of shock propagation in their places if it is on."""
    if options is not None and options.shock != "off" and stages.address[0]:
        with compiling("shock propagation"):
            for place, stage in PLACES[options.shock].items():
                stages.address[place] = stage_plug.address(stage)
    return stages
