"""Systems of rows of a model, J M^-1 J^T p = b, as sparse matrices: work and room grow with the number of rows.

A row meets the rows of its own joint and of those at the same bodies. So the matrix of a chain or tree has a band of
blocks, and its factors are hardly larger; only closed loops fill them further.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.model.pose_rows import records
from gelenk.rows.assemble import Coordinates, jacobian, new_rows
from gelenk.state import State


class RowSystem:
    """Rows at one pose, scaled so that metres and radians are alike.

        K = S J M^-1 J^T S,    S = diag(J M^-1 J^T)^(-1/2)

    The factor is that of K + d: a damping d lets redundant rows pass, which follow from others, and follows open rows
    less far where they are not straight.
    """

    def __init__(self, model: Model, state: State, now: Coordinates, rows: list[int]) -> None:
        from scipy.sparse import csr_matrix

        joints, work = model.wired.joints, new_rows(model.wired.joints)
        jacobian(joints, state, now, work)
        entries, first = entries_of(model, rows)
        columns = 6 * joints.body[entries].astype(np.int64)[:, None] + np.arange(6)
        shape = len(rows), 6 * model.nodes.count
        self.J = csr_matrix((work.J[entries].ravel(), columns.ravel(), 6 * first), shape=shape)
        self.nodes = np.unique(joints.body[entries])  # that rows move
        with np.errstate(over="ignore", invalid="ignore"):
            self.response = inverse_masses(model, state) @ self.J.T
            K = self.J @ self.response
            size = np.sqrt(K.diagonal())
            self.scale = np.divide(1.0, size, where=size > 0.0, out=np.zeros(len(rows)))
            self.K = K.multiply(self.scale[:, None]).multiply(self.scale).tocsc()
        self.finite = bool(np.isfinite(self.K.data).all())

    def solve(self, b: np.ndarray, damping: float) -> np.ndarray | None:
        """Impulses S q of  (K + d) q = S b; None where that has no answer."""
        factor = factored(self.K, damping)
        return None if factor is None else self.scale * factor.solve(self.scale * b)

    def motion(self, p: np.ndarray) -> np.ndarray:
        """M^-1 J^T p (nodes, 6), world axes, linear part first."""
        made: np.ndarray = (self.response @ p).reshape(-1, 6)
        return made


def factored(K: Any, damping: float) -> Any:
    """Factor of the symmetric matrix K + d, None where it is singular."""
    from scipy.sparse import identity
    from scipy.sparse.linalg import splu

    order = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 1e-3, "options": {"SymmetricMode": True}}
    try:
        return splu((K + damping * identity(K.shape[0])).tocsc(), **order)
    except RuntimeError:
        return None


def entries_of(model: Model, rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Entries of rows, one row after the other, and where each row begins among them; the last ends all."""
    row = records(model).row[rows]
    counts = (row.entry_last - row.entry_first).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(counts)])
    return np.repeat(row.entry_first.astype(np.int64) - first[:-1], counts) + np.arange(first[-1]), first


def inverse_masses(model: Model, state: State) -> Any:
    """M^-1 of all nodes, world axes: a block of six for each; zero for what does not move."""
    from scipy.sparse import bsr_matrix

    masses, n, bodies = model.system.masses, model.nodes.count, len(state.q_WB)
    blocks = np.zeros((n, 6, 6))
    blocks[:, [0, 1, 2], [0, 1, 2]] = masses.inv_mass[:, None]
    R = rotation_matrix(state.q_WB)
    blocks[:bodies, 3:, 3:] = R @ masses.inv_inertia_B @ np.swapaxes(R, 1, 2)
    return bsr_matrix((blocks, np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n)).tocsr()


def island(model: Model, rows: list[int], is_open: np.ndarray) -> list[int]:
    """Rows that hang together with an open one through bodies that move."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not np.any(is_open):
        return []
    entries, first = entries_of(model, rows)
    bodies = model.wired.joints.body[entries]
    shape = len(rows), model.nodes.count
    meets = csr_matrix((np.ones(len(bodies)), bodies, first), shape=shape)
    _, part = connected_components(meets @ meets.T, directed=False)
    reached = np.isin(part, part[is_open])
    return [r for r, yes in zip(rows, reached.tolist()) if yes]
