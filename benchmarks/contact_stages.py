"""Where the time of a contact goes in a step of boxes at rest: stage by stage, one thread, all sizes in turn.

    python benchmarks/contact_stages.py [--one-bin | --wall] [boxes ...]

The step of `contact_cost.py` with the clock read between its stages, least time of each in all steps. Every pile is
stepped by the real stepper as well, and both must come to the same bits: so what is timed here is that step.
"""

from __future__ import annotations

import sys

import numpy as np

from contact_cost import SIZES, SWEEPS, Pile, bring_to_rest, choose_scene, h, step_in_turn
from gelenk.collision.broad.phase import find_pairs
from gelenk.collision.collider import place_all
from gelenk.collision.contacts import carry_pairs
from gelenk.compile import helper, kernel, routine, seconds
from gelenk.contact.assemble import acceleration, start_speeds
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.converged import judge_step
from gelenk.contact.events import note_events
from gelenk.contact.halves import move_by
from gelenk.contact.heaps import FOUND, HEAPS, USED, find_heaps
from gelenk.contact.impacts import resolve_impacts
from gelenk.contact.narrow_team import find_all
from gelenk.contact.points_team import ask_contacts, keep_contacts, take_contacts, touch_bodies
from gelenk.contact.separate import separate
from gelenk.contact.settle import begin_heaps, heaps_slide, note_heaps, settle_heaps, share_heaps
from gelenk.contact.slabs import batch_heap
from gelenk.contact.space import look_ahead
from gelenk.contact.stages import fly_on
from gelenk.contact.sweep import contact_residual
from gelenk.contact.sweep_lanes import residual_in_lanes, sweep_in_lanes
from gelenk.contact.teams import SETTLE_HEAP, TASKS
from gelenk.integrators.scheme import applied_loads
from gelenk.methods.row_stepping import free_velocities, move_bodies
from gelenk.rows.assemble import fetch_bodies
from gelenk.solvers.solver import apply_change, clear_change

STAGES = (
    "boxes, pairs (broad phase)",
    "points of pairs (narrow phase)",
    "contacts from points",
    "impulses to start from, heaps",
    "what is asked for",
    "batches",
    "sweeps",
    "residual",
    "sliding, impulses of small heaps",
    "overlaps",
    "touch, events",
    "what is remembered",
    "all else",
)
PAIRS, POINTS, TAKE, BEGIN, ASK, BATCH, SWEEP, RESIDUAL, SLIDE, APART, NOTE, KEEP, ELSE = range(len(STAGES))


@helper
def lap(spent, stage, since):
    """Count the time since the last lap to a stage; the time now [s]."""
    now = seconds()
    spent[stage] += now - since
    return now


@kernel
def timed_steps(work, system, state, h, count, spent):
    """So many steps of `RowStepping` on loose bodies that do not bounce, as `step` and its stages take them."""
    for k in range(count):
        timed_step(work, system, state, h, spent[k])


@routine
def timed_step(work, system, state, h, spent):
    """One of them."""
    stages, bodies, joints, rows, masses = work.contact, work.bodies, work.joints, work.rows, work.masses
    space, contacts, since = stages.space, stages.contacts, seconds()
    applied_loads(system, state, 0.0, work.loads)
    contacts.heaps.number[FOUND] = 0
    since = lap(spent, ELSE, since)

    look_ahead(space, state, h)
    place_all(space.colliders, space.tables, state)
    carry_pairs(space.pairs, find_pairs(space.phase, space.colliders.box, space.filter, space.pairs), space.found)
    since = lap(spent, PAIRS, since)
    find_all(space)
    since = lap(spent, POINTS, since)

    fetch_bodies(masses, state, bodies)
    acceleration(masses, state, work.loads, bodies, contacts)
    start_speeds(bodies, contacts)
    since = lap(spent, ELSE, since)
    take_contacts(space, contacts, state, bodies, h)
    since = lap(spent, TAKE, since)
    resolve_impacts(contacts, joints, work.memory, state, bodies, rows, h)
    free_velocities(masses, state, work.loads, bodies, h)
    since = lap(spent, ELSE, since)
    begin_heaps(contacts, joints, rows, masses, state, bodies)
    since = lap(spent, BEGIN, since)
    rows.counts[0] = 0
    ask_contacts(contacts, bodies, h, True)
    since = lap(spent, ASK, since)

    clear_change(bodies)
    if contacts.heaps.number[FOUND] == 0:
        find_heaps(contacts, contacts.number[0], joints, rows, 0, bodies.inv_mass)
    contacts.heaps.number[FOUND] = USED
    since = lap(spent, BEGIN, since)
    task, count = contacts.team[TASKS + SETTLE_HEAP], contacts.heaps.number[HEAPS]
    share_heaps(0, 1, task, 0, count, contacts, joints, rows, masses, state, bodies)
    since = lap(spent, SLIDE, since)
    for g in range(count):
        heap = contacts.heaps.item[g]
        fits = batch_heap(contacts, heap, bodies)
        since = lap(spent, BATCH, since)
        if fits:
            sweep_in_lanes(contacts, heap, bodies, SWEEPS)
            since = lap(spent, SWEEP, since)
            heap.residual = residual_in_lanes(contacts, heap, bodies)
        else:
            sweep_on(contacts, heap, bodies, SWEEPS)
            since = lap(spent, SWEEP, since)
            heap.residual = contact_residual(bodies, contacts, heap)
        heap.solved = 1
        since = lap(spent, RESIDUAL, since)
    if heaps_slide(contacts, bodies):
        settle_heaps(contacts, joints, rows, masses, state, bodies)
    note_heaps(contacts)
    since = lap(spent, SLIDE, since)
    work.figures[0] = contacts.figures[3]
    apply_change(bodies)
    judge_step(contacts, work.figures[0], h)
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = contacts.tied[i]
    since = lap(spent, ELSE, since)

    touch_bodies(contacts, bodies)
    since = lap(spent, NOTE, since)
    separate(contacts, bodies, h)
    since = lap(spent, APART, since)
    note_events(stages.events, space.found, contacts)
    since = lap(spent, NOTE, since)
    keep_contacts(space, contacts, state, bodies, h)
    since = lap(spent, KEEP, since)
    fly_on(contacts, h)
    move_bodies(work, state, h)
    move_by(masses, state, contacts.shift, 1.0)
    lap(spent, ELSE, since)


class TimedPile(Pile):
    """A pile at rest, stepped by the stepper and by its stages."""

    threads = (1, 1)

    def __init__(self, boxes: int, rest: int) -> None:
        super().__init__(boxes, rest)
        self.spent: list[np.ndarray] = []  # of each step, stage by stage, ns a contact

    def run(self, which: int) -> None:
        """Some steps of the stepper (0), timed, or of its stages (1)."""
        stepper = self.steppers[which]
        if which == 0:
            super().run(0)
            return
        spent = np.zeros((self.steps, len(STAGES)))
        timed_steps(stepper.work, stepper.system, stepper.state, h, self.steps, spent)
        self.spent.extend(spent / self.contacts * 1e9)

    def check(self) -> None:
        """Whether the stages have come to where the stepper has come."""
        real, staged = self.steppers
        if not np.array_equal(real.state.flat, staged.state.flat):
            raise SystemExit(f"{self.boxes} boxes: the stages do not do what a step does.")


def main() -> None:
    """Bring all piles to rest, step them in turn, and print what a contact costs in each stage."""
    choose_scene()
    piles = bring_to_rest(TimedPile, [int(n) for n in sys.argv[1:] if n.isdigit()] or list(SIZES))
    step_in_turn(piles)
    for pile in piles:
        pile.check()
    print("ns a contact and step" + " " * 12 + "".join(f"{pile.boxes:8d}" for pile in piles))
    least = [np.min(pile.spent, axis=0) for pile in piles]
    for k, name in enumerate(STAGES):
        print(f"{name:33s}" + "".join(f"{x[k]:8.0f}" for x in least))
    print(f"{'sum':33s}" + "".join(f"{x.sum():8.0f}" for x in least))
    print(f"{'a whole step':33s}" + "".join(f"{min(p.times[0]) / p.contacts * 1e9:8.0f}" for p in piles))


if __name__ == "__main__":
    main()
