"""One problem, one residual, any solver: what comparisons of solvers call (V-90)."""

from __future__ import annotations

from gelenk.compile import kernel
from gelenk.solvers.solver import prepare, residual, solve


@kernel
def answer(solver, joints, masses, state, bodies, rows):
    """Solve the rows as they stand; impulses in ``rows.number.p``, change of velocities in ``bodies.dV``.

    Returns the residual [m/s] or [rad/s]. To solve again, set ``rows.number.p`` back to ``rows.number.before``.
    """
    prepare(solver, joints, masses, state, bodies, rows)
    solve(solver, joints, bodies, rows)
    return residual(joints, bodies, rows)
