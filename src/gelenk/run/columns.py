"""What a run records of a model: the columns of a run file, and how a state fills them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model


class Column(NamedTuple):
    """One time series: where it lies in the file, the shape of one sample, and what it is."""

    path: str
    shape: tuple[int, ...]
    unit: str
    about: str


def columns(model: Model, outputs: dict[str, tuple[int, ...]]) -> list[Column]:
    """All series of a run, in the order they are written."""
    n, p = len(model.bodies), len(model.particles)
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
    ]
    made += [Column(f"outputs/{name}", shape, "", "user output") for name, shape in outputs.items()]
    return [c for c in made if 0 not in c.shape]


def fill(model: Model, time: np.ndarray, flat: np.ndarray, ledger: np.ndarray) -> dict[str, Any]:
    """Values of all columns but the user's, from k samples of states (k, 6 nodes + 7 bodies) and ledgers (k, 8).

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
    }


def turned(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """R a for each; written out, since the sums of einsum and matmul may round by the size of the batch."""
    return R[..., 0] * a[..., None, 0] + R[..., 1] * a[..., None, 1] + R[..., 2] * a[..., None, 2]
