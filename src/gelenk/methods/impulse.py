"""Impulse: joints by impulses from the error they would have at the end of the step (impulse-dynamics 4.3 to 4.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.compile import helper, routine, seconds
from gelenk.integrators.free_rotation import free_rotation
from gelenk.integrators.scheme import applied_loads, nearly_unit, step
from gelenk.math.quat import get4, put4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.methods.remember import reactions, remember
from gelenk.methods.rows_stepper import RowsStepper, check_solver
from gelenk.methods.spring_halves import first_half, second_half
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    fetch_bodies,
    inverse_inertia,
    is_broken,
    jacobian,
    kick_row,
    new_bodies,
    new_coordinates,
    new_rows,
    row_error,
    row_rate,
    target_of,
)
from gelenk.rows.block import DRIVE, NONE, PUSH, SERVO, SPRING, JointMemory, Joints
from gelenk.rows.conditions import position_conditions, servo_speed, velocity_conditions
from gelenk.rows.coordinate import CURVE
from gelenk.solvers.solver import apply_change, clear_change, prepare, residual, solve
from gelenk.solvers.tree import Tree
from gelenk.state import Loads, State, like_state, new_loads

TOLERANCE, VELOCITY_TOLERANCE, CAP, BUDGET, END, LIMIT = range(6)  # places in ImpulseWork.numbers
SHORTEST = 64  # parts of a step
STRIDE = 0.2  # [m] or [rad] that a torn joint is closed by in a step
POSITION, VELOCITY, WARM, ALWAYS = range(4)  # places in ImpulseWork.options


class ImpulseWork(NamedTuple):
    """Scratch of one run."""

    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    at: Coordinates  # at the pose looked at last
    rows: RowWork
    next: State
    solver: Any
    before: np.ndarray  # (R,) impulses of the position loop
    strain: np.ndarray  # (J,) scratch of the cap
    numbers: np.ndarray  # (6,) tolerance, velocity tolerance, cap, time budget, when that of this step ends, limit
    options: np.ndarray  # (4,) int64 most position iterations, most velocity iterations, warm start, prepare anew
    ready: np.ndarray  # (1,) int64 1 if rows and factors are those of the state
    figures: np.ndarray  # (4,) residual now and at worst, position error left now and at worst
    counts: np.ndarray  # (4,) int64 steps, position iterations, turns to the preview direction, shortened steps
    kept: np.ndarray  # the state at the start of a step that may have to be taken again
    status: np.ndarray  # (3,) int64


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
        done += 1
        if pieces < SHORTEST and strongest(work.joints, work.memory) * h / pieces > work.numbers[LIMIT]:
            for k in range(state.flat.shape[0]):
                state.flat[k] = work.kept[k]
            pieces, done, work.ready[0] = 2 * pieces, 0, 0
            work.counts[3] += 1


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

    With constant forces between the impulses this is the RATTLE scheme: order 2, and energy without drift.
    """
    if work.numbers[BUDGET] < math.inf:
        work.numbers[END] = seconds() + work.numbers[BUDGET]
    fetch_bodies(system.masses, state, work.bodies)
    if work.ready[0] == 0:
        evaluate(work.joints, work.memory, state, work.at)
        jacobian(work.joints, state, work.at, work.rows)
    begin_drives(work, h)
    applied_loads(system, state, t, work.loads)
    kick(system.masses, state, work.loads, work.bodies, 0.5 * h)
    correct_positions(work, system, state, h)
    land(system.masses, state, work.bodies, work.next)
    applied_loads(system, state, t + h, work.loads)
    kick(system.masses, state, work.loads, work.bodies, 0.5 * h)
    jacobian(work.joints, state, work.at, work.rows)
    other_rows = correct_velocities(work, system, state, h)
    store_velocities(state, work.bodies)
    work.ready[0] = 0 if other_rows else 1 - work.options[ALWAYS]


@routine
def kick(masses, state, loads, bodies, h):
    """V += h M^-1 F."""
    V = bodies.V
    for i in range(state.p_WC.shape[0]):
        s = h * masses.inv_mass[i]
        for k in range(3):
            V[i, k] += s * loads.force_W[i, k]
    for i in range(state.q_WB.shape[0]):
        w = get33(bodies.inv_inertia_W, i) @ get3(loads.torque_W, i)
        V[i, 3] += h * w.x
        V[i, 4] += h * w.y
        V[i, 5] += h * w.z


@routine
def fly(masses, state, V, h, out):
    """Free flight over h without forces: straight on, and turning as a free body does (I-027)."""
    for i in range(state.p_WC.shape[0]):
        put3(out.p_WC, i, get3(state.p_WC, i) + Vec3(V[i, 0], V[i, 1], V[i, 2]) * h)
    for i in range(state.q_WB.shape[0]):
        q = get4(state.q_WB, i)
        if masses.inv_mass[i] == 0.0:
            put4(out.q_WB, i, q)
            continue
        w_B = rotation(q).tdot(Vec3(V[i, 3], V[i, 4], V[i, 5]))
        turn, w_B = free_rotation(get33(masses.inertia_B, i), get33(masses.inv_inertia_B, i), w_B, h)
        put4(out.q_WB, i, nearly_unit(q * turn))
        put3(out.w_WB_B, i, w_B)


@routine
def set_goals(joints, memory, now, rows):
    """What may be left of a torn joint at the end of the step (I-110): its error less STRIDE; returns the largest.

    The whole way at once would turn a body by more than the row of a joint can see. Goals are zero for closed joints.
    """
    square, owner, first, worst = 0.0, NONE, 0, 0.0
    for r in range(joints.equalities[0]):
        e = row_error(joints, now, r) if joints.row[r].gain > 0.0 else 0.0
        if joints.row[r].owner != owner or owner == NONE:
            square, owner, first = 0.0, joints.row[r].owner, r
        square += e * e
        rows.number[r].begin = e
        if r + 1 == joints.equalities[0] or joints.row[r + 1].owner != owner or owner == NONE:
            size = math.sqrt(square)
            left = max(0.0, 1.0 - STRIDE / size) if size > 0.0 else 0.0
            for k in range(first, r + 1):
                rows.number[k].begin *= left
            worst = max(worst, left * size)
    return worst


@routine
def correct_positions(work, system, state, h):
    """Impulses at the start of the step until no joint would be open by more than the tolerance at its end (I-028)."""
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    torn = 0.0
    if work.ready[0] == 0 or work.figures[2] > STRIDE:  # else all joints were closed by the last step
        torn = set_goals(joints, memory, work.at, rows)
    begin_with_impulses(work, h)
    worst = preview(work, system, state, h)
    if work.options[WARM] == 1 and worst > work.numbers[TOLERANCE]:
        take_back(work)
        worst = preview(work, system, state, h)
    fresh, last = work.ready[0] == 1, math.inf
    for _ in range(work.options[POSITION]):
        if worst <= work.numbers[TOLERANCE] or late(work.numbers, 0.7):
            break
        if worst > last and work.numbers[CAP] == math.inf:
            if torn > 0.0:  # too long a step of Newton's: go back half of it
                halve_change(bodies, rows)
                worst = preview(work, system, state, h)
                continue
            jacobian(joints, work.next, work.at, rows)  # turned too far: push along the rows of the end (8.2, 33)
            fresh = False
            work.counts[2] += 1
        if not fresh:
            prepare(work.solver, joints, system.masses, state, bodies, rows)
            fresh = True
        solve(work.solver, joints, bodies, rows)
        if work.numbers[CAP] < math.inf:
            cap_impulses(work)
        apply_change(bodies)
        work.counts[1] += 1
        last, worst = worst, preview(work, system, state, h)
    work.counts[0] += 1
    work.figures[2] = max(worst, torn)
    work.figures[3] = max(work.figures[3], work.figures[2])


@routine
def preview(work, system, state, h):
    """Fly on a copy; what the rows would still lack at its end, and the largest error of a joint (I-025)."""
    fly(system.masses, state, work.bodies.V, h, work.next)
    evaluate(work.joints, work.memory, work.next, work.at)
    return position_conditions(work.joints, work.memory, work.at, work.rows, h, True)


@routine
def halve_change(bodies, rows):
    """Take back half of what the last solve changed."""
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.p = 0.5 * (x.p + x.before)
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.dV[i, k] *= 0.5
            bodies.V[i, k] -= bodies.dV[i, k]


@helper
def driven(mode):
    """Whether a row is a motor, brake or servo, whose bounds are those of both halves together."""
    return mode in (DRIVE, SERVO, PUSH)


@routine
def begin_drives(work, h):
    """What motors, servos and springs have to know of the start of the step: places and rates, before any impulse."""
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        if row.mode == SPRING:
            first_half(joints, memory, work.at, bodies, rows, r, h)
        elif row.mode == DRIVE or row.mode == SERVO:
            x.begin, x.want = row_error(joints, work.at, r), target_of(row, memory)
            if row.mode == SERVO:
                x.want = servo_speed(row, memory, r, x.begin, row_rate(joints, rows.J, bodies.V, r))


@routine
def begin_with_impulses(work, h):
    """Joints may begin with their impulses of the last step (I-111); force motors give half of theirs.

    The other half comes with the velocities at the end, as with forces.
    """
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    for r in range(joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        x.p = x.before = work.before[r] = 0.0
        if is_broken(row, memory):
            continue
        if row.mode == PUSH:
            work.before[r] = 0.5 * h * target_of(row, memory)
            kick_row(joints, bodies, rows.J, bodies.V, r, work.before[r])
        elif work.options[WARM] == 1 and row.plain == 1 and row.gain > 0.0:
            x.p = memory.impulse[r]
            kick_row(joints, bodies, rows.J, bodies.V, r, x.p)


@routine
def take_back(work):
    """Begin with no impulses instead, where those of the last step do not lead to the tolerance.

    Only a guess that needs no correction is worth keeping. In a closed loop of bodies impulses that hold each other
    have no effect while the directions stay, so nothing would take them back as they turn.
    """
    joints, rows, bodies = work.joints, work.rows, work.bodies
    for r in range(joints.row.shape[0]):
        x = rows.number[r]
        if joints.row[r].plain == 1 and x.p != 0.0:
            kick_row(joints, bodies, rows.J, bodies.V, r, -x.p)
            x.p = 0.0


@helper
def late(numbers, share):
    """Whether a share of the time budget of this step is used up; positions leave some of it to velocities (I-002)."""
    if numbers[BUDGET] == math.inf:
        return False
    return seconds() > numbers[END] - (1.0 - share) * numbers[BUDGET]


@routine
def cap_impulses(work):
    """No joint gives more than the cap in one step (I-109):  s <- cap s / |s|,  s its impulses of this step."""
    joints, rows, bodies, strain, cap = work.joints, work.rows, work.bodies, work.strain, work.numbers[CAP]
    for j in range(strain.shape[0]):
        strain[j] = 0.0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].owner != NONE:
            strain[joints.row[r].owner] += rows.number[r].p * rows.number[r].p
    clear_change(bodies)
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x, j = rows.number[r], joints.row[r].owner
        if j != NONE and strain[j] > cap * cap:
            x.p *= cap / math.sqrt(strain[j])
        kick_row(joints, bodies, rows.J, bodies.dV, r, x.p - x.before)


@routine
def land(masses, state, bodies, next_):
    """Take the flight: poses, and velocities as seen from the new axes."""
    for i in range(state.p_WC.shape[0]):
        put3(state.p_WC, i, get3(next_.p_WC, i))
    for i in range(state.q_WB.shape[0]):
        if masses.inv_mass[i] > 0.0:
            q = get4(next_.q_WB, i)
            R = rotation(q)
            w = R @ get3(next_.w_WB_B, i)
            put4(state.q_WB, i, q)
            bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5] = w.x, w.y, w.z
            inverse_inertia(masses, bodies, i, R)


@routine
def correct_velocities(work, system, state, h):
    """Impulses at the end of the step that make velocities fit: joints, stops, motors, springs (I-029).

    Returns whether the factors are not those that the next step begins with.
    """
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    for r in range(joints.row.shape[0]):
        mode, x = joints.row[r].mode, rows.number[r]
        if mode != PUSH:
            work.before[r] = x.p
        x.p = work.before[r] if driven(mode) else 0.0
    velocity_conditions(joints, memory, work.at, bodies, rows, h, 0.0, False)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == SPRING:
            second_half(joints, memory, work.at, bodies, rows, r, h)
    left_out = work.options[VELOCITY] == 0 and leave_joints_out(rows)
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    for n in range(max(work.options[VELOCITY], 1 if left_out else 0)):
        if n > 0:
            for m in range(rows.counts[0]):
                x = rows.number[rows.active[m]]
                x.ask = x.want - row_rate(joints, rows.J, bodies.V, rows.active[m]) - x.soft * x.p
        solve(work.solver, joints, bodies, rows)
        work.figures[0] = residual(joints, bodies, rows)
        apply_change(bodies)
        if work.figures[0] <= work.numbers[VELOCITY_TOLERANCE] or late(work.numbers, 1.0):
            break
    work.figures[1] = max(work.figures[1], work.figures[0])
    for r in range(joints.row.shape[0]):
        if driven(joints.row[r].mode):
            memory.impulse[r] = rows.number[r].p
        else:
            rows.number[r].p += work.before[r]
            memory.impulse[r] = 0.5 * rows.number[r].p
    remember(joints, memory, work.at, rows, h)
    return reactions(joints, memory, work.at) > 0 or left_out


@routine
def leave_joints_out(rows):
    """Only stops and drives take part, which act through velocities (I-009); False if there are none."""
    joints, count = rows.counts[1], rows.counts[0] - rows.counts[1]
    if count == 0:
        return False
    for n in range(count):
        rows.active[n] = rows.active[joints + n]
    rows.counts[0], rows.counts[1] = count, 0
    return True


@helper
def store_velocities(state, bodies):
    """Velocities back to the state, rotations in body axes; V is then what the state gives, as after a restart."""
    V = bodies.V
    for i in range(state.p_WC.shape[0]):
        put3(state.v_WC, i, Vec3(V[i, 0], V[i, 1], V[i, 2]))
    for i in range(state.q_WB.shape[0]):
        R = rotation(get4(state.q_WB, i))
        w_B = R.tdot(Vec3(V[i, 3], V[i, 4], V[i, 5]))
        put3(state.w_WB_B, i, w_B)
        w = R @ w_B
        V[i, 3], V[i, 4], V[i, 5] = w.x, w.y, w.z


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
    impulse_cap : most impulse that a joint gives in a step [N s]; torn models come together gently (I-109, I-110)
    impulse_limit : a step in which a joint gives more is taken again in 2, 4, ... 64 parts [N s] (I-108)
    time_budget : stop correcting when a step has taken this long [s] (I-002, I-076); results then depend on the machine
    warm_start : begin with the impulses of the step before (I-111); pays where most steps need no correction then
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

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "h", check_number("Impulse", "h", self.h, "s", above=0))
        check_solver("Impulse", self.solver)
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
            np.array(
                [self.tolerance, self.velocity_tolerance, self.impulse_cap, self.time_budget, 0.0, self.impulse_limit]
            ),
            np.array([self.iterations, self.velocity_iterations, int(self.warm_start), int(curved)], dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(4),
            np.zeros(4, dtype=np.int64),
            np.zeros(len(state.flat)),
            np.zeros(3, dtype=np.int64),
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
        _, _, error, worst = self.work.figures
        iterations, turned, shortened = (int(n) for n in self.work.counts[1:])
        positions = {"position_error": float(error), "worst_position_error": float(worst)}
        return (
            RowsStepper.info(self)
            | positions
            | {"position_iterations": iterations, "turned_directions": turned, "shortened_steps": shortened}
        )
