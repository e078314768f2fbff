"""Lagrange: joints by multipliers at the level of accelerations; a reference for the other methods (I-078 to I-081)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_number
from gelenk.compile import helper, routine
from gelenk.errors import InputError
from gelenk.integrators.scheme import derivative, move, renormalise, step
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.methods.remember import remember
from gelenk.methods.row_stepping import project, turn_and_shift
from gelenk.methods.rows_stepper import RowsStepper, check_solver
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    fetch_bodies,
    is_broken,
    jacobian,
    new_bodies,
    new_coordinates,
    new_rows,
    row_error,
    row_rate,
)
from gelenk.rows.block import LIMIT, LOCK, JointMemory, Joints
from gelenk.rows.conditions import take_part
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.solver import apply_change, prepare, residual, solve
from gelenk.state import Loads, State, like_state, new_loads

STABILISE = ("off", "baumgarte", "impulse")
WHAT = {LIMIT: "limits of ", LOCK: "lock of "}  # what of an element is refused, if not all of it
OFF, BAUMGARTE, IMPULSE = range(3)
SHORT = 6e-6  # cube root of the round-off: share of the time of motion over which J is differenced


class LagrangeWork(NamedTuple):
    """Scratch of one run."""

    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    now: Coordinates
    rows: RowWork
    next: State
    stage: State
    k1: State
    k2: State
    k3: State
    k4: State
    solver: Any
    free: np.ndarray  # (nodes, 6) accelerations without joints
    turn: np.ndarray  # (R,) J' V [m/s^2] or [rad/s^2]
    force: np.ndarray  # (R,) weighted sum of the multipliers of the stages [N] or [N m]
    options: np.ndarray  # (1,) int64 stabilisation
    numbers: np.ndarray  # (1,) rate of Baumgarte [1/s]
    figures: np.ndarray  # (4,) residual now and at worst, position and velocity error after the last step
    status: np.ndarray  # (3,) int64


@step.register(LagrangeWork)
def _(work, system, state, t, h):
    """Runge-Kutta of order 4 over the accelerations under all joint forces; then the errors are taken back, if asked.

    V' = M^-1 (F + J^T m),      J M^-1 J^T m = -J M^-1 F - J' V      at each of the four stages
    """
    stage, k1, k2, k3, k4 = work.stage, work.k1, work.k2, work.k3, work.k4
    for r in range(work.force.shape[0]):
        work.force[r] = 0.0
    constrained_rate(work, system, state, t, 1.0, k1)
    move(stage.flat, state.flat, k1.flat, 0.5 * h)
    constrained_rate(work, system, stage, t + 0.5 * h, 2.0, k2)
    move(stage.flat, state.flat, k2.flat, 0.5 * h)
    constrained_rate(work, system, stage, t + 0.5 * h, 2.0, k3)
    move(stage.flat, state.flat, k3.flat, h)
    constrained_rate(work, system, stage, t + h, 1.0, k4)
    y, s = state.flat, h / 6.0
    for k in range(y.shape[0]):
        y[k] += s * (k1.flat[k] + 2.0 * (k2.flat[k] + k3.flat[k]) + k4.flat[k])
    renormalise(state)
    if work.options[0] == IMPULSE:
        project(work, system.masses, state, h)
        correct_velocities(work, system, state)
    leave(work, system, state, h)


@routine
def constrained_rate(work, system, state, t, weight, rate_out):
    """Rate of a state under forces and joints; the multipliers are summed up with a weight."""
    joints, bodies, rows, free = work.joints, work.bodies, work.rows, work.free
    derivative(system, state, t, work.loads, rate_out)
    for i in range(state.p_WC.shape[0]):
        put_twist(free, i, get3(rate_out.v_WC, i), Vec3(0.0, 0.0, 0.0))
    for i in range(state.q_WB.shape[0]):
        R = rotation(get4(state.q_WB, i))
        put_twist(free, i, get3(rate_out.v_WC, i), R @ get3(rate_out.w_WB_B, i))
    fetch_bodies(system.masses, state, bodies)
    turning_rows(work, system, state)
    look(work, state)
    ask_accelerations(work)
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    solve(work.solver, joints, bodies, rows)
    work.figures[0] = residual(joints, bodies, rows)
    work.figures[1] = max(work.figures[0], work.figures[1])
    for n in range(rows.counts[0]):
        r = rows.active[n]
        work.force[r] += weight * rows.number[r].p
    dV = bodies.dV
    for i in range(state.p_WC.shape[0]):
        put3(rate_out.v_WC, i, get3(rate_out.v_WC, i) + Vec3(dV[i, 0], dV[i, 1], dV[i, 2]))
    for i in range(state.q_WB.shape[0]):
        a_B = rotation(get4(state.q_WB, i)).tdot(Vec3(dV[i, 3], dV[i, 4], dV[i, 5]))
        put3(rate_out.w_WB_B, i, get3(rate_out.w_WB_B, i) + a_B)


@helper
def put_twist(V, i, v, w):
    """Linear and angular part of node i."""
    V[i, 0], V[i, 1], V[i, 2], V[i, 3], V[i, 4], V[i, 5] = v.x, v.y, v.z, w.x, w.y, w.z


@routine
def turning_rows(work, system, state):
    """J' V by central differences along the motion, the velocities held fast:

        J' V = (J(x + e V) V - J(x - e V) V) / 2 e

    Its error is (e w)^2 / 6 of J' V for a motion of rate w, and round-off / e. With e w = SHORT both are 1e-11.
    """
    joints, bodies, rows, V = work.joints, work.bodies, work.rows, work.bodies.V
    fastest = 1.0
    for i in range(V.shape[0]):
        for k in range(6):
            fastest = max(fastest, abs(V[i, k]))
    e = SHORT / fastest
    for r in range(work.turn.shape[0]):
        work.turn[r] = 0.0
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        turn_and_shift(system.masses, state, V, sign * e, work.next)
        evaluate(joints, work.memory, work.next, work.now)
        jacobian(joints, work.next, work.now, rows)
        for r in range(work.turn.shape[0]):
            work.turn[r] += sign * row_rate(joints, rows.J, bodies.V, r) / (2.0 * e)


@routine
def look(work, state):
    """Rows at a pose: J, errors, rates; all take part but those of broken joints."""
    joints, rows = work.joints, work.rows
    evaluate(joints, work.memory, state, work.now)
    jacobian(joints, state, work.now, rows)
    rows.counts[0] = rows.counts[1] = 0
    for r in range(joints.row.shape[0]):
        x = rows.number[r]
        x.p = 0.0
        if not is_broken(joints.row[r], work.memory):
            x.error, x.rate = row_error(joints, work.now, r), row_rate(joints, rows.J, work.bodies.V, r)
            take_part(joints, rows, r)


@helper
def ask_accelerations(work):
    """What is missing of  J V' + J' V = 0,  or with Baumgarte (I-080) of

    J V' + J' V = -2 k J V - k^2 C        for places C,        J V' + J' V = -k J V        for rows on velocities alone
    """
    joints, rows, k = work.joints, work.rows, work.numbers[0]
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x = rows.number[r]
        x.ask = -row_rate(joints, rows.J, work.free, r) - work.turn[r]
        if work.options[0] == BAUMGARTE:
            x.ask -= 2.0 * k * x.rate + k * k * x.error if joints.row[r].gain > 0.0 else k * x.rate


@routine
def correct_velocities(work, system, state):
    """Impulses that make the velocities fit the new pose (I-081)."""
    joints, bodies, rows = work.joints, work.bodies, work.rows
    fetch_bodies(system.masses, state, bodies)
    look(work, state)
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.ask = -x.rate
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    solve(work.solver, joints, bodies, rows)
    apply_change(bodies)
    for i in range(state.p_WC.shape[0]):
        put3(state.v_WC, i, Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2]))
    for i in range(state.q_WB.shape[0]):
        w_W = Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5])
        put3(state.w_WB_B, i, rotation(get4(state.q_WB, i)).tdot(w_W))


@routine
def leave(work, system, state, h):
    """Mean forces of the step, coordinates and errors of its end."""
    joints, rows = work.joints, work.rows
    fetch_bodies(system.masses, state, work.bodies)
    look(work, state)
    work.figures[2] = work.figures[3] = 0.0
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        if joints.row[rows.active[n]].gain > 0.0:
            work.figures[2] = max(work.figures[2], abs(x.error))
        work.figures[3] = max(work.figures[3], abs(x.rate))
    for r in range(joints.row.shape[0]):
        rows.number[r].p = h * work.force[r] / 6.0
    remember(joints, work.memory, work.now, rows, h)


@friendly
@dataclass(frozen=True, slots=True)
class Lagrange:
    """Joint forces as Lagrange multipliers, solved anew at every stage of a Runge-Kutta step; order 4.

    Parameters
    ----------
    h : step [s]
    stabilise : "off" lets errors grow, "baumgarte" pulls them in (I-080), "impulse" takes them away after each step by
        impulses, positions and velocities both (I-081)
    rate : of Baumgarte [1/s]; a higher one pulls harder, and errs more itself
    solver : of the linear systems: dense L D L^T with :class:`Dantzig` (I-078), linear time with :class:`Tree` (I-079)

    A reference and for comparison: joints and gears only. Limits, motors and springs in joints need inequalities or
    impulses, which accelerations cannot express.
    """

    kind: ClassVar[str] = "lagrange"

    h: float = 1e-3
    stabilise: str = "impulse"
    rate: float = 5.0
    solver: Any = field(default_factory=Dantzig)

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", check_number("Lagrange", "h", self.h, "s", above=0))
        check_choice("Lagrange", "stabilise", self.stabilise, STABILISE)
        object.__setattr__(self, "rate", check_number("Lagrange", "rate", self.rate, "1/s", above=0))
        if self.stabilise == "baumgarte" and self.rate * self.h > 1.0:
            found = f"rate {self.rate:g} /s with a step of {self.h:g} s"
            raise InputError("Lagrange", found, "rate h at most 1", "Use a smaller h or a lower rate.")
        check_solver("Lagrange", self.solver)

    def begin(self, model: Model, state: State) -> LagrangeStepper:
        """Make ready to move ``state`` in place."""
        wired = model.wired
        joints, masses = wired.joints, model.system.masses
        modes = [(joints.row["mode"][r], label) for r, label in enumerate(wired.labels) if joints.row["plain"][r] == 0]
        others = list(dict.fromkeys(WHAT.get(mode, "") + label for mode, label in modes))
        if others:
            found = ", ".join(others[:4]) + (f" and {len(others) - 4} more" if len(others) > 4 else "")
            allowed = "joints without limits and locks, gears"
            raise InputError("Lagrange", found, allowed, "Leave them out, or use gk.Impulse() or gk.RowStepping().")
        next_, stage, k1, k2, k3, k4 = (like_state(state) for _ in range(6))
        R = len(joints.row)
        work = LagrangeWork(
            joints,
            wired.memory(state.memory),
            new_loads(state),
            new_bodies(masses, state),
            new_coordinates(joints),
            new_rows(joints),
            next_,
            stage,
            k1,
            k2,
            k3,
            k4,
            self.solver.workspace(joints, masses),
            np.zeros((len(state.p_WC), 6)),
            np.zeros(R),
            np.zeros(R),
            np.array([STABILISE.index(self.stabilise)], dtype=np.int64),
            np.array([self.rate]),
            np.zeros(4),
            np.zeros(3, dtype=np.int64),
        )
        return LagrangeStepper(model, state, work)


class LagrangeStepper(RowsStepper):
    """One run of the method."""

    listen = None  # type: ignore[assignment]  # it knows no contact

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        _, _, position, velocity = self.work.figures
        return RowsStepper.info(self) | {"position_error": float(position), "velocity_error": float(velocity)}
