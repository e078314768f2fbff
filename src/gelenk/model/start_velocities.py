"""Velocities at the start that joints do not allow: said, or fitted (I-029)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gelenk.errors import InputError, warn_user
from gelenk.math.rotation import rotation_matrix
from gelenk.model.mass import as_vector
from gelenk.model.model import Model
from gelenk.model.pose_rows import coordinates_at, records
from gelenk.model.sparse_rows import RowSystem, island
from gelenk.rows.assemble import jacobian, new_rows
from gelenk.rows.block import NONE
from gelenk.rows.guides import SINE, TABLE, motion_at_time
from gelenk.state import State

FITS = 1e-6  # share of the largest velocity, or [m/s] or [rad/s]: six printed digits
DAMPING = 1e-12  # of rows scaled alike: lets redundant ones pass, above the round-off of a thousand of them
PASSES = 2


class StartWarning(UserWarning):
    """A start that the first step changes by a blow."""


def velocities(state: State) -> np.ndarray:
    """V (nodes, 6) of all nodes, world axes, linear part first."""
    V = np.zeros((len(state.p_WC), 6))
    V[:, :3] = state.v_WC
    n = len(state.q_WB)
    V[:n, 3:] = np.einsum("nij,nj->ni", rotation_matrix(state.q_WB), state.w_WB_B)
    return V


def rates(model: Model, state: State, V: np.ndarray) -> np.ndarray:
    """J V of every row [m/s or rad/s]."""
    joints, work = records(model), new_rows(model.wired.joints)
    jacobian(model.wired.joints, state, coordinates_at(model, state), work)
    row = np.repeat(np.arange(len(joints.row)), joints.row.entry_last - joints.row.entry_first)
    return np.bincount(row, np.einsum("ek,ek->e", work.J, V[joints.body]), len(joints.row))


def given_rates(model: Model) -> np.ndarray:
    """Rates that functions of time ask of their rows at the start; zero for all other rows."""
    guides = records(model).guides
    given = np.zeros(len(model.wired.joints.row))
    for g, guide in enumerate(guides.guide):
        if guide.kind in (SINE, TABLE):
            given[guide.row] = motion_at_time(guides, g, 0.0)[1]
    return given


def misfits(model: Model, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Rows of joints, gears and functions of time, and by how much their rates are off where they are; else zero."""
    row, guides = records(model).row, records(model).guides.guide
    timed = [int(guide.row) for guide in guides if guide.kind in (SINE, TABLE)]
    rows = np.concatenate([np.flatnonzero(row.plain == 1), np.array(timed, dtype=np.int64)])
    V, given = velocities(state), given_rates(model)
    if not (V.any() or given.any()) or not len(rows):
        return rows, np.zeros(len(rows))
    rate = (rates(model, state, V) - given)[rows]
    return rows, np.where(np.abs(rate) > FITS * max(1.0, float(np.abs(V).max())), rate, 0.0)


def warn_of_velocities(model: Model) -> None:
    """Name the joint that is worst."""
    rows, rate = misfits(model, model.initial_state())
    if not rate.any():
        return
    worst = int(np.abs(rate).argmax())
    owner = int(model.wired.joints.row[rows[worst]].owner)
    names = {joint.name: joint.label for joint in model.joints}
    label = "a gear" if owner == NONE else names[model.wired.names[owner]]
    warn_user(
        f"{label}: the velocities at the start part it at {abs(rate[worst]):.3g} m/s or rad/s. The first step takes "
        "that away by a blow, and energy with it. Give velocities that fit, or let build(assemble=True) fit them.",
        StartWarning,
    )


def with_fitting_velocities(model: Model) -> Model:
    """A model whose bodies start with the velocities nearest to the given ones, by mass and inertia, that joints allow:

        V' = V - M^-1 J^T (J M^-1 J^T)^+ (J V - b)        b: rates of functions of time, else zero

    which is what the blow of the first step would leave.
    """
    state = model.initial_state()
    plain, rate = misfits(model, state)
    rows = island(model, plain.tolist(), rate != 0.0) if rate.any() else []
    if not rows:
        return model
    system, V = RowSystem(model, state, coordinates_at(model, state), rows), velocities(state)
    if not system.finite:
        found = "masses or places so far apart that velocities that fit overflow"
        raise InputError("build(assemble=True)", found, "numbers that double precision holds", "Change the model.")
    wanted = given_rates(model)[rows]
    for _ in range(PASSES):  # what the damping leaves of a pass, the next one takes
        p = system.solve(wanted - system.J @ V.ravel(), DAMPING)
        if p is None:
            break
        V += system.motion(p)
    moving = system.nodes
    bodies, particles = list(model.bodies), list(model.particles)
    for i in moving.tolist():
        if model.nodes.is_particle(i):
            k = i - len(state.q_WB)
            particles[k] = replace(particles[k], velocity=as_vector(V[i, :3]))
        else:
            v = V[i, :3] - np.cross(V[i, 3:], rotation_matrix(state.q_WB[i]) @ np.array(bodies[i - 1].com))
            bodies[i - 1] = replace(bodies[i - 1], velocity=as_vector(v), angular_velocity=as_vector(V[i, 3:]))
    return replace(model, bodies=tuple(bodies), particles=tuple(particles))
