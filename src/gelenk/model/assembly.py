"""Do the joints meet at the start? If not: say by how much, or move the bodies until they do (I-110)."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3, vec3
from gelenk.model.carried import Move, carried
from gelenk.model.mass import as_vector
from gelenk.model.model import Model
from gelenk.model.pose_rows import (
    Gap,
    axis_angle,
    coordinates_at,
    errors,
    gaps,
    held_rows,
    pair_axes,
    records,
)
from gelenk.model.sparse_rows import RowSystem, island
from gelenk.rows.assemble import Coordinates
from gelenk.rows.block import NONE
from gelenk.rows.coordinate import CURVE, FOLLOW, PLACE, SKEW, SURFACE, TILT, TURN, axis_of
from gelenk.state import State

MEETS = 1e-6  # [m or rad]; six printed digits of a model of metres
CLOSED = 1e-12  # [m or rad] that assembly leaves open; of larger models this share of their extent
PASSES = 200
LARGEST_TURN = 0.5  # [rad] of a body in one pass: further the rows are not straight enough to be followed
# Damping d, tried from the fastest to the safest; the diagonal of J M^-1 J^T is scaled to 1. The first only lets
# redundant rows pass: it is above the round-off of a thousand rows and slows what is worse than 1e-6 of the best.
DAMPING = (1e-12, 1e-4, 1e-2, 1.0, 1e2)
TIP = 0.05  # [rad]
LEAST_GAIN = 1e-3  # share of the error that a pass must take away; less, and the joints cannot meet from here


def check_closed(model: Model) -> None:
    """Refuse joints whose frames a user placed one by one and that do not meet."""
    wired = model.wired
    if not wired.to_check:
        return
    placed = [r for r in held_rows(model) if wired.to_check.intersection(pairs_of(model, r))]
    _refuse(
        [gap for gap in gaps(model, model.initial_state(), placed) if gap.worst > MEETS],
        "stands open by {} at the start",
        f"an opening of at most {MEETS:g} m or rad",
        "Move the bodies or frames until they meet, or let build(assemble=True) move the bodies.",
    )


def assembled(model: Model, settled: Collection[str] = ()) -> Model:
    """A model whose bodies are moved until all joints meet; the same model if they do.

    Every pass moves bodies by the least motion, weighed by mass and inertia, that closes the joints to first order
    (Gauss-Newton, damped as by Levenberg where that leads astray):

        minimise  x^T M x   with   J x = -e:        x = M^-1 J^T p,   (J M^-1 J^T + d) p = -e

    Only bodies that hang together with an open joint move; static ones never do. Limits are not looked at: the pose
    that is given chooses between several ways to assemble. Joints that are ``settled``, by name, count as closed while
    they meet as well as joints must that users place.
    """
    state, rows = model.initial_state(), held_rows(model)
    if not rows:
        return model
    now = coordinates_at(model, state)
    extent = max(1.0, float(np.abs(state.p_WC).max()), float(np.abs(now.point_W).max(initial=0.0)))
    known = {joint.label for joint in model.joints if joint.name in settled}
    enough = np.array([MEETS if model.wired.labels[r] in known else CLOSED * extent for r in rows])
    tip_over(model, state, rows)
    rows = island(model, rows, np.abs(errors(model, coordinates_at(model, state), rows)) > enough)
    if not rows:
        return model
    for _ in range(PASSES):
        now = coordinates_at(model, state)
        if np.abs(errors(model, now, rows)).max() <= 0.01 * CLOSED * extent or not closer(model, state, rows, now):
            break
    _refuse(
        [gap for gap in gaps(model, state, rows) if gap.worst > (MEETS if gap.label in known else CLOSED * extent)],
        "stays open by {} however the bodies are moved",
        "joints that can all be closed at once",
        "Check lengths and places of these joints, or place the bodies nearer to where they belong.",
    )
    return placed_anew(model, state)


def _refuse(gaps: list[Gap], how: str, allowed: str, remedy: str) -> None:
    if gaps:
        worst = max(gaps, key=lambda gap: gap.worst)
        others = [f"{gap.label} by {gap}" for gap in gaps if gap is not worst]
        more = f"; so do {', '.join(others[:5])}" if others else ""
        more += f" and {len(others) - 5} more" if len(others) > 5 else ""
        raise InputError(worst.label, f"it {how.format(worst)}{more}", allowed, remedy)


def pairs_of(model: Model, r: int) -> set[int]:
    """Pairs that row r measures."""
    joints = records(model)
    terms = joints.term[joints.row[r].term_first : joints.row[r].term_last]
    return set(joints.coordinate[terms.coordinate].pair.tolist())


def closer(model: Model, state: State, rows: list[int], now: Coordinates) -> bool:
    """One pass: move the bodies, and say whether that took a share off the errors. If not, nothing is moved."""
    e, system = errors(model, now, rows), RowSystem(model, state, now, rows)
    if not system.finite:
        return False
    start, before = state.flat.copy(), float(np.linalg.norm(system.scale * e))
    best, best_flat = (1.0 - LEAST_GAIN) * before, None
    for damping in DAMPING:
        p = system.solve(-e, damping)
        if p is None:
            continue
        x = system.motion(p)[system.nodes]
        x *= min(1.0, LARGEST_TURN / max(float(np.linalg.norm(x[:, 3:], axis=1).max()), 1e-300))
        move(model, state, system.nodes, x)
        left = float(np.linalg.norm(system.scale * errors(model, coordinates_at(model, state), rows)))
        if left < best:
            best, best_flat = left, state.flat.copy()
        state.flat[:] = start
        if best < 0.9 * before:
            break
    if best_flat is None:
        return False
    state.flat[:] = best_flat
    follow(model, state)
    return True


def move(model: Model, state: State, nodes: np.ndarray, x: np.ndarray) -> None:
    """Shift centres of mass by x[:, :3] and turn bodies by the rotation vectors x[:, 3:], world axes."""
    for i, step in zip(nodes.tolist(), x):
        state.p_WC[i] += step[:3]
        if not model.nodes.is_particle(i):
            put4(state.q_WB, i, (quat_exp(vec3(step[3:])) * get4(state.q_WB, i)).unit())


def follow(model: Model, state: State) -> None:
    """Let the feet of points on curves and surfaces follow. Angles do not: at the start they lie within a half turn."""
    feet = np.flatnonzero(np.isin(records(model).coordinate.kind, (CURVE, PLACE, FOLLOW, SURFACE)))
    if len(feet):
        more: Any = coordinates_at(model, state).more
        model.wired.memory(state.memory).coordinate[feet] = more.place[feet]


def tip_over(model: Model, state: State, rows: list[int]) -> None:
    """Turn bodies a little where the gradient of a row vanishes, since nothing says to which side they should fall."""
    joints, now = model.wired.joints, coordinates_at(model, state)
    for r in rows:
        term = joints.term[joints.row[r].term_first]
        axis = tip_axis(model, state, term.coordinate, now.at[term.coordinate].value)
        if axis is not None:
            slot = term.slot_b if term.slot_b != NONE else term.slot_a
            move(model, state, joints.body[slot : slot + 1], np.array([[0.0, 0.0, 0.0, *(axis * TIP)]]))


def tip_axis(model: Model, state: State, c: int, value: float) -> Vec3 | None:
    """Axis about which a body must turn for coordinate c to get a gradient, if it has none.

    So it is with opposite axes of a TILT, parallel ones of a SKEW, and half a turn of a TURN, trace R = 4 w^2 - 1 = -1.
    """
    what = model.wired.joints.coordinate[c]
    R_a, R_b = pair_axes(model, state, what.pair)
    if what.kind == TILT and axis_angle(model, state, what.pair) > math.pi - 1e-3:
        return axis_of(R_a, 0)
    if what.kind == SKEW and abs(axis_of(R_a, 0) @ axis_of(R_b, 1)) > 1.0 - 1e-6:
        return axis_of(R_a, 2)
    trace = sum(axis_of(R_a, k) @ axis_of(R_b, k) for k in range(3))
    if what.kind == TURN and trace < -1.0 + 1e-6 and abs(value) > 1.0:
        return axis_of(R_a, what.axis)
    return None


def placed_anew(model: Model, state: State) -> Model:
    """The model with its bodies where the state has them; what has not moved keeps its bits."""
    start = model.initial_state()
    moved = np.any(state.p_WC != start.p_WC, axis=1)
    moved[: len(start.q_WB)] |= np.any(state.q_WB != start.q_WB, axis=1)
    bodies, particles = list(model.bodies), list(model.particles)
    for i in np.flatnonzero(moved).tolist():
        if model.nodes.is_particle(i):
            k = i - len(start.q_WB)
            particles[k] = replace(particles[k], at=as_vector(state.p_WC[i]))
        else:
            at = state.p_WC[i] - rotation_matrix(state.q_WB[i]) @ np.array(bodies[i - 1].com)
            bodies[i - 1] = replace(bodies[i - 1], at=as_vector(at), rotation=tuple(state.q_WB[i].tolist()))
    shift = Move(model, tuple(bodies), tuple(particles))
    joints = tuple(carried(joint, shift) for joint in model.joints)
    return replace(model, bodies=tuple(bodies), particles=tuple(particles), frames=tuple(shift.frames), joints=joints)
