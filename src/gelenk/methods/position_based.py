"""PositionBased: particles whose places are moved directly until rods fit (virtual-worlds V-49, 4.33; I-084)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.compile import helper, routine
from gelenk.errors import InputError
from gelenk.integrators.scheme import applied_loads, copy, step
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.methods.flight import kick
from gelenk.methods.remember import remember
from gelenk.methods.rows_stepper import RowsStepper
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    evaluate_pairs,
    fetch_bodies,
    is_broken,
    jacobian_rows,
    new_bodies,
    new_coordinates,
    new_rows,
    push,
    respond,
    row_error,
    row_rate,
    target_of,
)
from gelenk.rows.block import LIMIT, LOCK, SPRING, JointMemory, Joints
from gelenk.rows.conditions import bounds, clear_rows, is_spring, take_part
from gelenk.rows.springs import spring_line
from gelenk.state import Loads, State, like_state, new_loads

UNCONVERGED, SWEPT = 1, 2  # places in the status
NOW, WORST, OPEN, MOVED = range(4)  # places in the figures
SHOWN = 4  # names in a message


class PositionBasedWork(NamedTuple):
    """Scratch of one run."""

    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    now: Coordinates
    rows: RowWork
    next: State
    options: np.ndarray  # (1,) int64 most iterations
    numbers: np.ndarray  # (1,) tolerance [m]
    figures: np.ndarray  # (4,) residual of the last step, at worst [m/s]; rods open by, last sweep moved [m]
    status: np.ndarray  # (3,) int64 outcome, steps that did not converge, iterations of the last one


@step.register(PositionBasedWork)
def _(work, system, state, t, h):
    """One step (virtual-worlds 4.33), the places always  x* = x + h v,  so that velocities need no difference of them:

    v += h f / m        repeat: for each row  p = -C(x*) / (h J W J^T),  v += W J^T p,  x* = x + h v        x = x*
    """
    applied_loads(system, state, t, work.loads)
    fetch_bodies(system.masses, state, work.bodies)
    kick(system.masses, state, work.loads, work.bodies, h)
    copy(work.next.flat, state.flat)
    for i in range(state.p_WC.shape[0]):
        move_node(work, state, i, h)
    begin_rows(work, h)
    work.status[SWEPT], moved = 0, math.inf
    while moved > work.numbers[0] and work.status[SWEPT] < work.options[0]:
        work.status[SWEPT] += 1
        moved = h * sweep(work, state, h)
    for i in range(state.p_WC.shape[0]):
        put3(state.p_WC, i, get3(work.next.p_WC, i))
        put3(state.v_WC, i, velocity(work, i))
    judge(work, h, moved)
    evaluate(work.joints, work.memory, state, work.now)
    remember(work.joints, work.memory, work.now, work.rows, h)


@helper
def velocity(work, i):
    """Of node i, as it stands."""
    V = work.bodies.V
    return Vec3(V[i, 0], V[i, 1], V[i, 2])


@helper
def move_node(work, state, i, h):
    """x* = x + h v  of node i."""
    put3(work.next.p_WC, i, get3(state.p_WC, i) + velocity(work, i) * h)


@routine
def begin_rows(work, h):
    """Rows of joints that are whole take part, without impulse yet and with their bounds."""
    joints, rows = work.joints, work.rows
    clear_rows(rows)
    for r in range(joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        x.p = 0.0
        if is_broken(row, work.memory):
            continue
        if row.mode == LIMIT:
            x.lo, x.hi = (0.0, math.inf) if row.low > -math.inf else (-math.inf, 0.0)
        else:
            bounds(row, work.memory, x, h)
        take_part(joints, rows, r)


@routine
def sweep(work, state, h):
    """Correct row after row; returns the largest change of a row's rate [m/s]."""
    joints, rows, largest = work.joints, work.rows, 0.0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x, p = rows.number[r], lacking(work, r, h)
        x.p += p
        push(joints, rows.B, work.bodies.V, r, p)
        for e in range(joints.row[r].entry_first, joints.row[r].entry_last):
            move_node(work, state, joints.body[e], h)
        largest = max(largest, abs(p) * x.diag)
    return largest


@routine
def lacking(work, r, h):
    """Impulse that row r lacks at the places x*, within its bounds. With  W = J M^-1 J^T:

    C + h W p = 0                                              a rod, or a stop that is passed
    P + p = -h (k (C + h W p) + d (J v + W p))                 a spring and damper, which gave P already
    """
    joints, memory, rows = work.joints, work.memory, work.rows
    row, x = joints.row[r], rows.number[r]
    for m in range(row.term_first, row.term_last):
        pair = np.int64(joints.coordinate[joints.term[m].coordinate].pair)
        evaluate_pairs(joints, memory, work.next, work.now, pair, pair + 1)
    jacobian_rows(joints, work.next, work.now, rows, r, r + 1)
    respond(joints, work.bodies, rows, r)
    x.error = error_of(row, memory, row_error(joints, work.now, r))
    if not x.diag > 0.0:
        return 0.0
    if is_spring(row):
        k, f = spring_line(row, x.error)
        force = k * x.error + f + row.damping * row_rate(joints, rows.J, work.bodies.V, r)
        p = -(x.p + h * force) / (1.0 + h * (h * k + row.damping) * x.diag)
    else:
        p = -x.error / (h * x.diag)
    return min(max(x.p + p, x.lo), x.hi) - x.p


@helper
def error_of(row, memory, c):
    """C of a row: how far its coordinate is from where it should be, or above its stop."""
    if row.mode == LIMIT:
        return c - (row.low if row.low > -math.inf else row.high)
    return c - target_of(row, memory) if row.mode == SPRING else c


@routine
def judge(work, h, moved):
    """What is left when the iterations are over: rates that rows lack, and how far rigid ones are open.

    They sufficed where the last of them, or another one, moves nothing by more than the tolerance.
    """
    joints, rows, left, opened = work.joints, work.rows, 0.0, 0.0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        short = abs(lacking(work, r, h)) * rows.number[r].diag
        left = max(left, short)
        if not is_spring(joints.row[r]):
            opened = max(opened, h * short)
    work.figures[NOW], work.figures[WORST] = left, max(work.figures[WORST], left)
    work.figures[OPEN], work.figures[MOVED] = opened, min(moved, h * left)
    if work.figures[MOVED] > work.numbers[0]:
        work.status[UNCONVERGED] += 1


@friendly
@dataclass(frozen=True, slots=True)
class PositionBased:
    """Particles with rods: places are corrected rod by rod, and velocities follow from them; order 1, and damped.

    For nets, cloth and bodies made of particles that shall look right at a large step. It is always stable where
    forces are, and never exact: motion against rods fades, a turning body by a share h w of its spin in every radian,
    and rods are as long as the iterations let them be. For numbers to rely on use :class:`Impulse`.

    Parameters
    ----------
    h : step [s]
    iterations : most sweeps over all rods in a step. A chain of n rods takes some n^2 to be settled
    tolerance : sweeps end when none moved a particle along its rod by more than this [m]

    It takes particles on rods and ropes (:class:`Distance`), on lines, planes, curves and surfaces, held to each other,
    to the world and to static bodies; with a stiffness where they yield. Particles have no shape, so nothing touches.
    """

    kind: ClassVar[str] = "position_based"

    h: float = 1e-3
    iterations: int = 20
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "h", check_number("PositionBased", "h", self.h, "s", above=0))
        put(self, "iterations", check_count("PositionBased", "iterations", self.iterations, least=1, most=10**9))
        put(self, "tolerance", check_number("PositionBased", "tolerance", self.tolerance, "m", least=0))

    def begin(self, model: Model, state: State) -> PositionBasedStepper:
        """Make ready to move ``state`` in place."""
        check_particles(model)
        check_rows(model)
        joints = model.wired.joints
        work = PositionBasedWork(
            joints,
            model.wired.memory(state.memory),
            new_loads(state),
            new_bodies(model.system.masses, state),
            new_coordinates(joints),
            new_rows(joints),
            like_state(state),
            np.array([self.iterations], np.int64),
            np.array([self.tolerance]),
            np.zeros(4),
            np.zeros(3, np.int64),
        )
        return PositionBasedStepper(model, state, work)


class PositionBasedStepper(RowsStepper):
    """One run of the method."""

    listen = None  # type: ignore[assignment]  # it knows no contact

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        return RowsStepper.info(self) | {
            "iterations": int(self.work.status[SWEPT]),
            "position_error": float(self.work.figures[OPEN]),
            "converged": bool(self.work.figures[MOVED] <= self.work.numbers[0]),
            "unconverged_steps": int(self.work.status[UNCONVERGED]),
        }


def check_particles(model: Model) -> None:
    """Refuse rigid bodies that move."""
    moving = [repr(body.name) for body in model.bodies if not body.static]
    if moving:
        remedy = "Make them of particles and rods, or use gk.RowStepping() or gk.Impulse()."
        raise InputError("PositionBased", f"bodies that move: {shown(moving)}", "particles and static bodies", remedy)


def check_rows(model: Model) -> None:
    """Refuse what is no condition on places: motors, servos, locks, grips."""
    row = model.wired.joints.row
    taken = ((row["plain"] == 1) & (row["gain"] > 0.0)) | np.isin(row["mode"], (LIMIT, SPRING))
    labels = [model.wired.labels[r] for r in np.flatnonzero(~taken)]
    lock = [mode == LOCK for mode in row["mode"][~taken]]
    others = list(dict.fromkeys("lock of " + label if yes else label for label, yes in zip(labels, lock)))
    if others:
        allowed = "joints of particles with their limits, springs on joints"
        raise InputError("PositionBased", shown(others), allowed, "Use gk.RowStepping() or gk.Impulse().")


def shown(names: list[str]) -> str:
    """The first few names of a list."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
