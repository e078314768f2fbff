"""Impulse: joints by impulses from the error they would have at the end of the step (impulse-dynamics 4.3 to 4.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import helper, routine, seconds
from gelenk.contact.options import ContactOptions
from gelenk.contact.setup import AUTO, check_awake, check_contact, new_stages, options_for
from gelenk.contact.stages import HALVES, PUSH_APART
from gelenk.integrators.scheme import applied_loads, step
from gelenk.methods.contact_stage import contact_stage
from gelenk.methods.flight import kick, land, store_velocities
from gelenk.methods.impulse_contact import end_with_contacts, fly_with_contacts, has_contact, meet_and_shift
from gelenk.methods.impulse_positions import begin_drives, correct_positions
from gelenk.methods.impulse_velocities import correct_velocities
from gelenk.methods.impulse_work import ALWAYS, BUDGET, END, LIMIT, ImpulseWork
from gelenk.methods.rows_stepper import RowsStepper, check_bool, check_solver
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    evaluate,
    fetch_bodies,
    jacobian,
    new_bodies,
    new_coordinates,
    new_rows,
)
from gelenk.rows.coordinate import CURVE
from gelenk.solvers.tree import Tree
from gelenk.state import State, like_state, new_loads

SHORTEST = 64  # parts of a step


@step.register(ImpulseWork)
def _(work, system, state, t, h):
    """One step, or twice as many shorter ones until no joint gives more than the limit (I-108)."""
    if work.numbers[LIMIT] == math.inf:
        impulse_step(work, system, state, t, h)
        return
    for k in range(state.flat.shape[0]):
        work.kept[k] = state.flat[k]
    pieces, done = 1, 0
    while done < pieces:
        impulse_step(work, system, state, t + done * h / pieces, h / pieces)
        if work.status[0] != 0:
            for k in range(state.flat.shape[0]):
                state.flat[k] = work.kept[k]
            work.ready[0] = 0
            return
        add_forces(work, done)
        done += 1
        if pieces < SHORTEST and strongest(work.joints, work.memory) * h / pieces > work.numbers[LIMIT]:
            for k in range(state.flat.shape[0]):
                state.flat[k] = work.kept[k]
            pieces, done, work.ready[0] = 2 * pieces, 0, 0
            work.counts[3] += 1
    if pieces > 1:
        take_mean_forces(work, pieces)


@helper
def add_forces(work, done):
    """Sum of the forces of the parts of a step, from the first one on."""
    keep, memory = 0.0 if done == 0 else 1.0, work.memory
    for r in range(memory.force.shape[0]):
        work.force_sum[r] = keep * work.force_sum[r] + memory.force[r]
    for j in range(memory.reaction.shape[0]):
        for k in range(6):
            work.reaction_sum[j, k] = keep * work.reaction_sum[j, k] + memory.reaction[j, k]


@helper
def take_mean_forces(work, pieces):
    """Sensors tell the mean over the whole step."""
    for r in range(work.force_sum.shape[0]):
        work.memory.force[r] = work.force_sum[r] / pieces
    for j in range(work.reaction_sum.shape[0]):
        for k in range(6):
            work.memory.reaction[j, k] = work.reaction_sum[j, k] / pieces


@helper
def strongest(joints, memory):
    """Largest force of a joint or couple of it in the last step, a metre being a radian [N]."""
    most = 0.0
    for j in range(joints.joint.shape[0]):
        s = 0.0
        for k in range(6):
            s += memory.reaction[j, k] * memory.reaction[j, k]
        most = max(most, s)
    return math.sqrt(most)


@routine
def impulse_step(work, system, state, t, h):
    """One step: half a kick, impulses until the joints would meet, the flight, half a kick, velocities.

    V <- V + h/2 M^-1 F(t)
    repeat   fly on a copy over h;  e = errors there;  stop if |e| <= tolerance;  V <- V + M^-1 J^T A^-1 (-e/h)
    take the flight;  V <- V + h/2 M^-1 F(t + h)
    V <- V + M^-1 J^T A^-1 (b - J V)      with J and A of the end, kept for the next step (I-064, I-067)

    With constant forces between the impulses this is the RATTLE scheme: order 2, and energy without drift. Where shapes
    can touch, impacts come first, and contacts are solved with the joints in both places (impulse-dynamics 4.8).
    """
    if work.numbers[BUDGET] < math.inf:
        work.numbers[END] = seconds() + work.numbers[BUDGET]
    if work.ready[0] == 0:
        fetch_bodies(system.masses, state, work.bodies)
        evaluate(work.joints, work.memory, state, work.at)
        jacobian(work.joints, state, work.at, work.rows)
    applied_loads(system, state, t, work.loads)
    touching = has_contact(work)
    if touching and not meet_and_shift(work, system, state, h):
        return  # state as it was
    begin_drives(work, h)
    kick(system.masses, state, work.loads, work.bodies, 0.5 * h)
    if touching:
        fly_with_contacts(work, system, state, h)
    else:
        correct_positions(work, system, state, h)
    land(system.masses, state, work.bodies, work.next)
    applied_loads(system, state, t + h, work.loads)
    kick(system.masses, state, work.loads, work.bodies, 0.5 * h)
    if touching:
        other_rows = end_with_contacts(work, system, state, h)
    else:
        other_rows = correct_velocities(work, system, state, h)
    store_velocities(state, work.bodies)
    work.ready[0] = 0 if other_rows else 1 - work.options[ALWAYS]
    if touching:
        contact_stage(work, system.masses, state, h, PUSH_APART)
        work.ready[0] = 0


@friendly
@dataclass(frozen=True, slots=True)
class Impulse:
    """Joints by preview and impulses, positions and velocities both met to a tolerance; order 2.

    Parameters
    ----------
    h : step [s]
    solver : one of the solvers of :mod:`gelenk.solvers`
    tolerance : of position errors left after a step [m] or [rad] (I-003)
    velocity_tolerance : of velocity errors left [m/s] or [rad/s]
    iterations : most corrections of positions a step; what is left is taken up by the steps after it (I-004)
    velocity_iterations : most corrections of velocities; 0 leaves those of joints out (I-009)
    impulse_cap : most impulse that a joint gives in a step to close its gap [N s], beside what fits its velocity: torn
        models come together gently (I-109, I-110)
    impulse_limit : a step in which a joint gives more is taken again in 2, 4, ... 64 parts [N s] (I-108)
    time_budget : stop correcting when a step has taken this long [s] (I-002, I-076); results then depend on the machine
    warm_start : begin with the impulses of the step before (I-111); pays where most steps need no correction then
    contact : how contacts are treated (I-094 to I-104); None lets bodies pass through each other. "auto" is
        ``ContactOptions()``, and None for one mechanism by itself, whose parts may overlap
    """

    kind: ClassVar[str] = "impulse"

    h: float = 1e-3
    solver: Any = field(default_factory=Tree)
    tolerance: float = 1e-9
    velocity_tolerance: float = 1e-9
    iterations: int = 20
    velocity_iterations: int = 20
    impulse_cap: float = math.inf
    impulse_limit: float = math.inf
    time_budget: float = math.inf
    warm_start: bool = False
    contact: ContactOptions | str | None = AUTO

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "h", check_number("Impulse", "h", self.h, "s", above=0))
        check_solver("Impulse", self.solver)
        check_bool("Impulse", "warm_start", self.warm_start)
        check_contact("Impulse", self.contact)
        check_awake("Impulse", self.contact)
        put(self, "tolerance", check_number("Impulse", "tolerance", self.tolerance, "m", above=0))
        limit = check_number("Impulse", "velocity_tolerance", self.velocity_tolerance, "m/s", above=0)
        put(self, "velocity_tolerance", limit)
        put(self, "iterations", check_count("Impulse", "iterations", self.iterations, least=1, most=10**9))
        most = check_count("Impulse", "velocity_iterations", self.velocity_iterations, least=0, most=10**9)
        put(self, "velocity_iterations", most)
        for what in ("impulse_cap", "impulse_limit"):
            if getattr(self, what) != math.inf:
                put(self, what, check_number("Impulse", what, getattr(self, what), "N s", above=0))
        if self.time_budget != math.inf:
            put(self, "time_budget", check_number("Impulse", "time_budget", self.time_budget, "s", above=0))

    def begin(self, model: Model, state: State) -> ImpulseStepper:
        """Make ready to move ``state`` in place."""
        joints = model.wired.joints
        curved = bool((joints.coordinate["kind"] >= CURVE).any())  # their places are found anew from each guess
        led = any(pose <= at < pose + 3 for pose in joints.pair["pose"] for at in model.wired.links["input"])
        work = ImpulseWork(
            joints,
            model.wired.memory(state.memory),
            new_loads(state),
            new_bodies(model.system.masses, state),
            new_coordinates(joints),
            new_rows(joints),
            like_state(state),
            self.solver.workspace(joints, model.system.masses),
            np.zeros(len(joints.row)),
            np.zeros(len(joints.joint)),
            np.zeros(len(state.p_WC)),
            np.array(
                [self.tolerance, self.velocity_tolerance, self.impulse_cap, self.time_budget, 0.0, self.impulse_limit]
            ),
            np.array([self.iterations, self.velocity_iterations, int(self.warm_start), int(curved or led)], np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(5),
            np.zeros(4, dtype=np.int64),
            np.zeros(len(state.flat)),
            np.zeros(len(joints.row)),
            np.zeros((len(joints.joint), 6)),
            np.zeros(3, dtype=np.int64),
            new_stages(model, options_for(model, self.contact), HALVES),
        )
        return ImpulseStepper(model, state, work)


class ImpulseStepper(RowsStepper):
    """One run of the method."""

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """As for every method; the rows are taken from the state, which may have been changed since the last call."""
        self.work.ready[0] = 0
        return RowsStepper.advance(self, t_start, h, first, count)

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        error, worst = self.work.figures[2:4]
        iterations, turned, shortened = (int(n) for n in self.work.counts[1:])
        positions = {"position_error": float(error), "worst_position_error": float(worst)}
        return (
            RowsStepper.info(self)
            | positions
            | {"position_iterations": iterations, "turned_directions": turned, "shortened_steps": shortened}
        )
