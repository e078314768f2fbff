"""RowStepping: all conditions as rows on the velocities at the end of the step (virtual-worlds V-41, V-54)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_number
from gelenk.compile import helper, routine
from gelenk.contact.converged import judge_step
from gelenk.contact.micro import with_micro
from gelenk.contact.options import MOST_SWEEPS, TOLERANCE, WARM, ContactOptions
from gelenk.contact.pivot_stages import with_pivot
from gelenk.contact.setup import AUTO, check_contact, new_stages, options_for
from gelenk.contact.stages import ASK, BEGIN, FINISH, MEASURE, SETTLE, SHIFT, SWEEP, ContactStages
from gelenk.graph.rest_block import FALL, ROWS_ASLEEP, WAKE, RestSet
from gelenk.graph.rest_stages import NOTHING_MOVES, begin_rest, run_rest
from gelenk.graph.shock_stages import with_shock
from gelenk.integrators.scheme import applied_loads, nearly_unit, step
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.methods.contact_stage import contact_stage, find_contacts
from gelenk.methods.free_turn import gains, turned_by_midpoint
from gelenk.methods.remember import remember
from gelenk.methods.rows_stepper import RowsStepper, check_bool, check_solver
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    angle_rate,
    count_turns,
    evaluate,
    inverse_inertia,
    jacobian,
    kick_row,
    new_bodies,
    new_coordinates,
    new_rows,
    row_rate,
)
from gelenk.rows.block import SERVO, JointMemory, Joints
from gelenk.rows.conditions import REACH, passes_a_stop, position_conditions, velocity_conditions
from gelenk.rows.coordinate import is_angle
from gelenk.rows.guides import TO_END
from gelenk.solvers.gauss_seidel import GaussSeidel
from gelenk.solvers.solver import apply_change, prepare, residual, solve
from gelenk.state import Loads, Masses, State, like_state, new_loads

STABILISE = ("off", "baumgarte", "pre", "post")
OFF, BAUMGARTE, PRE, POST = range(4)
OFF_ROWS = -1.0  # reach of stops when all joints sleep
ROUNDS = 3  # of pre- and post-stabilisation; each squares the error


class RowSteppingWork(NamedTuple):
    """Scratch of one run."""

    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    now: Coordinates
    ahead: Coordinates
    rows: RowWork
    next: State
    solver: Any
    length: np.ndarray  # (1,) of a whole step [s]
    options: np.ndarray  # (2,) int64 stabilisation, warm start
    figures: np.ndarray  # (2,) residual of the last step, largest since the start [m/s] or [rad/s]
    status: np.ndarray  # (3,) int64
    contact: ContactStages
    masses: Masses  # of the model; what sleeps has no inverse mass
    rest: RestSet


@step.register(RowSteppingWork)
def _(work, system, state, t, h):
    """One step: contacts and impacts, free velocities, rows, impulses, poses (virtual-worlds 4.2).

    V* = V + h M^-1 F        J V' + (c/h) p = b + (k/h) e,  p in its set        V' = V* + M^-1 J^T p
    x' = x + h v'            q' = q exp(h w')
    """
    applied_loads(system, state, t, work.loads)
    if rest_stage(work, state, h, WAKE) != 0:
        return  # all sleeps, or the status says what is missing
    awake = work.rest.number[ROWS_ASLEEP] == 0
    if awake:
        evaluate(work.joints, work.memory, state, work.now)
        jacobian(work.joints, state, work.now, work.rows)
    if find_contacts(work, work.masses, state, h) != 0:
        return  # state as it was
    solve_rows(work, system, state, h, REACH if awake else OFF_ROWS)
    if awake:
        finish_rows(work, system, state, h)
    if work.contact.address[ASK] != 0:
        judge_step(work.contact.contacts, work.figures[0], h)
    contact_stage(work, work.masses, state, h, FINISH)
    move_bodies(work, state, h)
    contact_stage(work, work.masses, state, h, SHIFT)
    if work.options[0] == POST and awake:
        project(work, work.masses, state, h)
    rest_stage(work, state, h, FALL)


@routine
def finish_rows(work, system, state, h):
    """What rows leave behind once their impulses are known; where a stop is passed, they are solved once more."""
    joints, memory, bodies, rows = work.joints, work.memory, work.bodies, work.rows
    if passes_a_stop(joints, memory, bodies, rows, h, REACH):
        solve_rows(work, system, state, h, math.inf)  # with every stop
    work.figures[1] = max(work.figures[0], work.figures[1])
    keep_impulses(joints, memory, rows, h)
    if work.options[0] == PRE:
        correct_ahead(work, system, state, h)
    servo_errors(joints, bodies, rows, h)
    remember(joints, memory, work.now, rows, h)
    foresee_angles(joints, memory, bodies, work.now, h)


@helper
def rest_stage(work, state, h, stage):
    """Wake clusters, and 0 if the step goes on; or let them fall asleep."""
    address = work.rest.address[stage]
    if address == 0:
        return 0
    found = run_rest(address, work.rest, work.contact, work.memory, state, work.loads, h)
    if stage == WAKE and found != 0 and found != NOTHING_MOVES:
        work.status[0] = found
    return found


@routine
def solve_rows(work, system, state, h, reach):
    """Velocities of the end of the step and the impulses that lead to them, with the stops within reach."""
    joints, bodies, rows = work.joints, work.bodies, work.rows
    free_velocities(work.masses, state, work.loads, bodies, h)
    for r in range(joints.row.shape[0]):
        rows.number[r].p = 0.0
    share = min(h / work.length[0], 1.0) if work.options[0] == BAUMGARTE else 0.0  # a short last step does not hurry
    contact_stage(work, work.masses, state, h, BEGIN)
    if reach == OFF_ROWS:
        rows.counts[0] = 0
    else:
        velocity_conditions(joints, work.memory, work.now, bodies, rows, h, share, reach)
        ask_velocities(work, h)
        prepare(work.solver, joints, work.masses, state, bodies, rows)
    if work.contact.address[ASK] != 0:
        solve_with_contacts(work, system, state, h)
        return
    solve(work.solver, joints, bodies, rows)
    work.figures[0] = residual(joints, bodies, rows)
    apply_change(bodies)


@routine
def solve_with_contacts(work, system, state, h):
    """Rows and contacts at once; where that fails, in turn, each with the velocities that the others left."""
    joints, bodies, rows, contacts = work.joints, work.bodies, work.rows, work.contact.contacts
    contact_stage(work, work.masses, state, h, ASK)
    solved = contact_stage(work, work.masses, state, h, SETTLE)
    work.figures[0] = contacts.figures[3]
    apply_change(bodies)
    if solved == 1:
        return
    for _ in range(int(contacts.options[MOST_SWEEPS])):
        ask_rows_anew(joints, bodies, rows)
        solve(work.solver, joints, bodies, rows)
        apply_change(bodies)
        contact_stage(work, work.masses, state, h, ASK)
        contact_stage(work, work.masses, state, h, SWEEP)
        apply_change(bodies)
        if contacts.figures[3] <= contacts.options[TOLERANCE]:
            break
    ask_rows_anew(joints, bodies, rows)
    contact_stage(work, work.masses, state, h, ASK)
    contact_stage(work, work.masses, state, h, MEASURE)
    work.figures[0] = max(residual(joints, bodies, rows), contacts.figures[3])


@helper
def ask_rows_anew(joints, bodies, rows):
    """What rows lack of the velocities as they stand."""
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x = rows.number[r]
        x.ask = x.want - row_rate(joints, rows.J, bodies.V, r) - x.soft * x.p
        x.before = x.p


@routine
def free_velocities(masses, state, loads, bodies, h):
    """V* = V + h M^-1 F with the velocity of the middle of the step for rotation:  w* = w + h I^-1 (T - 1/2 w x I w).

    As for free bodies (semi_implicit_euler), the last half of the gyroscopic term comes with the new axes, which keeps
    angular momentum exactly where the explicit term would feed energy (trap T-13).
    """
    for i in range(state.p_WC.shape[0]):
        v = get3(state.v_WC, i) + get3(loads.force_W, i) * (h * masses.inv_mass[i])
        bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2] = v.x, v.y, v.z
    for i in range(state.q_WB.shape[0]):
        R, w_B = rotation(get4(state.q_WB, i)), get3(state.w_WB_B, i)
        gyro = w_B.cross(get33(masses.inertia_B, i) @ w_B)
        torque_B = R.tdot(get3(loads.torque_W, i))
        w = R @ (w_B + get33(masses.inv_inertia_B, i) @ ((torque_B - gyro * 0.5) * h))
        bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5] = w.x, w.y, w.z
        inverse_inertia(masses, bodies, i, R)


@helper
def ask_velocities(work, h):
    """What is missing of each row:  ask = b + (k/h) e - J V - (c/h) p,  from a share g of the last impulses or none.

    With error reduction g = 1/(1 + k), since the impulse that took an error away would be given once more. Where a
    solver reaches only a share s of its goal in a step, the error e of a row and its rate u follow

        u_{n+1} = (1 - s) (u_n + g (u_n - u_{n-1})) - s (k/h) e_n        e_{n+1} = e_n + h u_{n+1}

    which by Jury's criterion is stable if and only if (1 - s) g (1 + k) < 1: for every s with this g; with g = 1 and
    k = 1/2 only from s = 1/3 on.
    """
    joints, memory, bodies, rows = work.joints, work.memory, work.bodies, work.rows
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x = rows.number[r]
        x.p = 0.0
        if work.options[1] == 1:
            k = joints.row[r].gain if work.options[0] == BAUMGARTE else 0.0
            x.p = min(max(h * memory.impulse[r] / (1.0 + k), x.lo), x.hi)
            kick_row(joints, bodies, rows.J, bodies.V, r, x.p)
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x = rows.number[r]
        x.ask = x.want - row_rate(joints, rows.J, bodies.V, r) - x.soft * x.p


@helper
def keep_impulses(joints, memory, rows, h):
    """What the next step, be it shorter or longer, begins with."""
    for r in range(joints.row.shape[0]):
        memory.impulse[r] = rows.number[r].p / h


@helper
def servo_errors(joints, bodies, rows, h):
    """Errors of servos at the end of the step,  c + h J V',  which their integrals go on with."""
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == SERVO:
            rows.number[r].error += h * row_rate(joints, rows.J, bodies.V, r)


@helper
def foresee_angles(joints, memory, bodies, now, h):
    """Angles that the velocities lead to,  c + h c',  to count the turns of the new pose from."""
    for c in range(joints.coordinate.shape[0]):
        if is_angle(joints.coordinate[c].kind):
            memory.coordinate[c, 0] += h * angle_rate(joints, bodies.V, c, now.more[c])


@routine
def move_bodies(work, state, h):
    """X' = x + h v',  q' = q exp(h w),  and the angular momentum carried over to the new axes.

    Bodies at joints turn so in any case, since their rows count on it; loose ones that would gain energy do not.
    """
    masses, bodies, touch = work.masses, work.bodies, work.contact.address[ASK] != 0
    for i in range(state.p_WC.shape[0]):
        v = Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2])
        put3(state.v_WC, i, v)
        put3(state.p_WC, i, get3(state.p_WC, i) + v * h)
    for i in range(state.q_WB.shape[0]):
        if masses.inv_mass[i] == 0.0:
            continue
        q, w_B = get4(state.q_WB, i), get3(state.w_WB_B, i)
        w = rotation(q).tdot(Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5]))
        inertia = get33(masses.inertia_B, i)
        L_B = inertia @ w + w_B.cross(inertia @ w_B) * (0.5 * h)
        turn = quat_exp(w * h)
        L_new = rotation(turn).tdot(L_B)
        if touch and work.contact.contacts.tied[i] == 0 and gains(get33(masses.inv_inertia_B, i), L_B, L_new):
            turn, L_new = turned_by_midpoint(get33(masses.inv_inertia_B, i), L_B, h)
        put3(state.w_WB_B, i, get33(masses.inv_inertia_B, i) @ L_new)
        put4(state.q_WB, i, nearly_unit(q * turn))


@routine
def turn_and_shift(masses, state, V, h, out):
    """Pose after h at constant velocities."""
    for i in range(state.p_WC.shape[0]):
        put3(out.p_WC, i, get3(state.p_WC, i) + Vec3(V[i, 0], V[i, 1], V[i, 2]) * h)
    for i in range(state.q_WB.shape[0]):
        q = get4(state.q_WB, i)
        w = rotation(q).tdot(Vec3(V[i, 3], V[i, 4], V[i, 5]))
        put4(out.q_WB, i, nearly_unit(q * quat_exp(w * h)) if masses.inv_mass[i] > 0.0 else q)


@routine
def correct_ahead(work, system, state, h):
    """Pre-stabilisation (V-47): impulses until the poses that the velocities lead to meet their joints."""
    joints, rows = work.joints, work.rows
    for _ in range(ROUNDS):
        turn_and_shift(work.masses, state, work.bodies.V, h, work.next)
        evaluate(joints, work.memory, work.next, work.ahead)
        count_turns(joints, work.memory, work.bodies.V, h, work.ahead, 0, joints.pair.shape[0])
        position_conditions(joints, work.memory, work.ahead, rows, h, False)
        solve(work.solver, joints, work.bodies, rows)
        apply_change(work.bodies)


@routine
def project(work, masses, state, h):
    """Post-stabilisation (V-57): the same rows at the new pose, solved for a shift that leaves velocities alone."""
    joints, bodies, rows, now = work.joints, work.bodies, work.rows, work.now
    for _ in range(ROUNDS):
        evaluate(joints, work.memory, state, now)
        for i in range(state.q_WB.shape[0]):
            inverse_inertia(masses, bodies, i, rotation(get4(state.q_WB, i)))
        jacobian(joints, state, now, rows)
        for r in range(joints.row.shape[0]):
            rows.number[r].p = 0.0
        position_conditions(joints, work.memory, now, rows, h, False)
        prepare(work.solver, joints, masses, state, bodies, rows)
        solve(work.solver, joints, bodies, rows)
        turn_and_shift(masses, state, bodies.dV, h, state)


@friendly
@dataclass(frozen=True, slots=True)
class RowStepping:
    """Joints, limits, motors and gears as rows on velocities, positions by error reduction; order 1.

    Parameters
    ----------
    h : step [s]
    solver : one of the solvers of :mod:`gelenk.solvers`
    stabilise : "baumgarte" takes a share of each position error away in every step (V-56), "pre" and "post" correct
        positions by impulses ahead of the step (V-47) or by a shift after it (V-57), "off" lets errors stand (V-59)
    warm_start : begin with the impulses of the step before, of joints and contacts; helps a solver that iterates
    contact : how contacts are treated; None lets bodies pass through each other. "auto" is ``ContactOptions()``, and
        None for one mechanism by itself, whose parts may overlap
    """

    kind: ClassVar[str] = "row_stepping"

    h: float = 1e-3
    solver: Any = field(default_factory=GaussSeidel)
    stabilise: str = "baumgarte"
    warm_start: bool = True
    contact: ContactOptions | str | None = AUTO

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", check_number("RowStepping", "h", self.h, "s", above=0))
        check_solver("RowStepping", self.solver)
        check_choice("RowStepping", "stabilise", self.stabilise, STABILISE)
        check_bool("RowStepping", "warm_start", self.warm_start)
        check_contact("RowStepping", self.contact)

    def begin(self, model: Model, state: State) -> RowsStepper:
        """Make ready to move ``state`` in place."""
        joints, contact = model.wired.joints, options_for(model, self.contact)
        stages = with_shock(with_pivot(new_stages(model, contact), model, self.solver, contact), contact)
        stages = with_micro(stages, model, contact)
        stages.contacts.options[WARM] = float(self.warm_start)
        rest, masses = begin_rest(model, contact, stages)
        work = RowSteppingWork(
            joints,
            model.wired.memory(state.memory),
            new_loads(state),
            new_bodies(masses, state),
            new_coordinates(joints),
            new_coordinates(joints),
            new_rows(joints, TO_END),
            like_state(state),
            self.solver.workspace(joints, model.system.masses),
            np.array([self.h]),
            np.array([STABILISE.index(self.stabilise), int(self.warm_start)], dtype=np.int64),
            np.zeros(2),
            np.zeros(3, dtype=np.int64),
            stages,
            masses,
            rest,
        )
        return RowsStepper(model, state, work)
