"""What a run records of a model: the columns of a run file, and how a state fills them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.rows.block import JointMemory, memory_sizes
from gelenk.run.signals import BROKEN, COORDINATE, DRIVE, FORCE, MEAN, PEAK, RATE, TORQUE, can_break

BODY_SERIES = ("position", "orientation", "velocity", "angular_velocity", "angular_velocity_body")
PARTICLE_SERIES = ("position", "velocity")


class Column(NamedTuple):
    """One time series: where it lies in the file, the shape of one sample, and what it is."""

    path: str
    shape: tuple[int, ...]
    unit: str
    about: str


def columns(model: Model, outputs: dict[str, tuple[int, ...]], *, peaks: bool = False) -> list[Column]:
    """All series of a run, in the order they are written; with ``peaks`` also means and peaks of forces."""
    n, p = len(model.bodies), len(model.particles)
    C, J, D = len(model.wired.coordinates), len(model.wired.names), len(model.wired.forces)
    made = [
        Column("time", (), "s", "time of the sample"),
        Column("position", (n, 3), "m", "origin of the body frames, world axes"),
        Column("orientation", (n, 4), "1", "unit quaternions w x y z, body to world"),
        Column("velocity", (n, 3), "m/s", "velocity of the origins of the body frames, world axes"),
        Column("angular_velocity", (n, 3), "rad/s", "world axes"),
        Column("particle_position", (p, 3), "m", "world axes"),
        Column("particle_velocity", (p, 3), "m/s", "world axes"),
        Column("energy/kinetic", (), "J", "of all bodies and particles"),
        Column("energy/potential", (), "J", "of gravity and springs"),
        Column("momentum", (3,), "N s", "of all bodies and particles"),
        Column("angular_momentum", (3,), "N m s", "about the world origin"),
        Column(COORDINATE, (C,), "rad or m", "free coordinates of joints, angles over all turns"),
        Column(RATE, (C,), "rad/s or m/s", "their rates"),
        Column(FORCE, (J, 3), "N", "of joints on b at the joint point, world axes, mean of the step before"),
        Column(TORQUE, (J, 3), "N m", "of joints on b about the joint point, world axes, mean of the step before"),
        Column(BROKEN, (J if can_break(model) else 0,), "1", "1 where a joint is broken"),
        Column(DRIVE, (D,), "N or N m", "of motors, springs and gears, mean of the step before"),
    ]
    for kind, about in ((MEAN, "mean"), (PEAK, "the largest of a step")) if peaks else ():
        about = f"{about} since the sample before"
        made += [Column(FORCE + kind, (J, 3), "N", f"of joints on b at the joint point, world axes, {about}")]
        made += [Column(TORQUE + kind, (J, 3), "N m", f"of joints on b about the joint point, world axes, {about}")]
        made += [Column(DRIVE + kind, (D,), "N or N m", f"of motors, springs and gears, {about}")]
    made += [Column(f"outputs/{name}", shape, "", "user output") for name, shape in outputs.items()]
    return [c for c in made if 0 not in c.shape]


def fill(model: Model, time: np.ndarray, flat: np.ndarray, ledger: np.ndarray) -> dict[str, Any]:
    """Values of all columns that k samples of states (k, numbers) and ledgers (k, 8) give.

    Poses are those of the user's body frames:  p_WB = p_WC - R p_BC,   v_WB = v_WC - w x R p_BC.
    """
    k, nodes, n = len(time), model.nodes.count, len(model.bodies) + 1
    a, b, c = 3 * nodes, 3 * nodes + 4 * n, 6 * nodes + 4 * n
    p_WC, q_WB = flat[:, :a].reshape(k, nodes, 3), flat[:, a:b].reshape(k, n, 4)
    v_WC, w_B = flat[:, b:c].reshape(k, nodes, 3), flat[:, c : c + 3 * n].reshape(k, n, 3)
    p_BC = np.array([np.zeros(3), *(np.array(body.com) for body in model.bodies)])
    with np.errstate(all="ignore"):  # of a run that explodes, numbers overflow before the state does
        R_WB = rotation_matrix(q_WB)
        r_W, w_W = turned(R_WB, p_BC), turned(R_WB, w_B)
        p_WB, v_WB = p_WC[:, :n] - r_W, v_WC[:, :n] - np.cross(w_W, r_W)
    return {
        "time": time,
        "position": p_WB[:, 1:],
        "orientation": q_WB[:, 1:],
        "velocity": v_WB[:, 1:],
        "angular_velocity": w_W[:, 1:],
        "particle_position": p_WC[:, n:],
        "particle_velocity": v_WC[:, n:],
        "energy/kinetic": ledger[:, 0],
        "energy/potential": ledger[:, 1],
        "momentum": ledger[:, 2:5],
        "angular_momentum": ledger[:, 5:8],
        **joint_columns(model, flat[:, c + 3 * n :]),
    }


def joint_columns(model: Model, memory: np.ndarray) -> dict[str, np.ndarray]:
    """Reactions and forces, from the memory of k states (:class:`JointMemory`)."""
    wired = model.wired
    if not model.joints:
        return {}
    ends = np.cumsum(memory_sizes(wired.joints, len(wired.inputs), wired.segments))
    part = dict(zip(JointMemory._fields, np.split(memory, ends[:-1], axis=1)))
    reaction = part["reaction"].reshape(len(memory), -1, 6)
    made = {
        FORCE: reaction[:, :, :3],
        TORQUE: reaction[:, :, 3:],
        DRIVE: part["force"][:, [felt.row for felt in wired.forces]],
    }
    if can_break(model):
        made[BROKEN] = part["broken"]
    return made


def peak_columns(model: Model, between: np.ndarray) -> dict[str, np.ndarray]:
    """Means and peaks of forces, from k tallies (:func:`gelenk.methods.tally.read_tally`)."""
    J, D = len(model.wired.names), len(model.wired.forces)
    parts = np.split(between, np.cumsum([6 * J, 6 * J, D]), axis=1)
    made: dict[str, np.ndarray] = {}
    for kind, reaction, drive in ((MEAN, parts[0], parts[2]), (PEAK, parts[1], parts[3])):
        table = reaction.reshape(len(between), J, 6)
        made |= {FORCE + kind: table[:, :, :3], TORQUE + kind: table[:, :, 3:], DRIVE + kind: drive}
    return made


def turned(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """R a for each; written out, since the sums of einsum and matmul may round by the size of the batch."""
    return R[..., 0] * a[..., None, 0] + R[..., 1] * a[..., None, 1] + R[..., 2] * a[..., None, 2]
