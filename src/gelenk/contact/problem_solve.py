"""A contact problem, given as plain data, solved and judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.compile import kernel
from gelenk.contact.block import SWEEPS
from gelenk.contact.options import ContactOptions
from gelenk.contact.pivot_block import KIND, OFF, new_pivot
from gelenk.contact.problem import ContactProblem, ContactSolution
from gelenk.contact.problem_layout import Layout, laid_out
from gelenk.contact.problem_ways import UNABLE, WAYS, by_boxes, by_pyramids, measure
from gelenk.contact.setup import run_stage, stage_plug
from gelenk.errors import InputError
from gelenk.model.builder import Builder
from gelenk.progress import compiling
from gelenk.solvers.dantzig import Dantzig


@kernel
def run_way(address, stages, joints, memory, masses, state, loads, bodies, rows, h):
    """One stage, by its address."""
    return run_stage(address, stages, joints, memory, masses, state, loads, bodies, rows, h)


def measured(problem: ContactProblem, given: ContactSolution, solver: Any) -> float:
    """The residual of impulses; see :meth:`ContactProblem.residual`."""
    for name in ("impulse", "couple", "row_impulse"):
        if np.shape(getattr(given, name)) != getattr(problem, name).shape:
            found = f"{name} of the shape {np.shape(getattr(given, name))}"
            raise InputError("residual()", found, f"{getattr(problem, name).shape}", "Pass a ContactSolution of it.")
    if not is_finite(given):
        return np.inf
    layout = laid_out(problem, ContactOptions(), pivoting(solver), begin=None, now=given)
    run(layout, measure)
    return float(layout.stages.contacts.figures[3])


def check_way(solver: Any) -> None:
    """The name of a way to solve."""
    if not isinstance(solver, str) or solver not in WAYS:
        allowed = ", ".join(map(repr, WAYS)) + ", gk.Dantzig() or gk.Lemke()"
        raise InputError("solve()", f"solver is {solver!r}", allowed, "Choose solver from these.")


def solved(problem: ContactProblem, solver: Any, tolerance: float, sweeps: int, warm: bool) -> ContactSolution:
    """Impulses by a solver; see :meth:`ContactProblem.solve`."""
    pivots = pivoting(solver)
    if pivots is None:
        check_way(solver)
    options = ContactOptions(
        tolerance=check_number("solve()", "tolerance", tolerance, "m/s", above=0),
        sweeps=check_count("solve()", "sweeps", sweeps, least=1, most=10**9),
    )
    layout = laid_out(problem, options, pivots, begin=problem.found if warm and pivots is None else None)
    if pivots is None:
        way = WAYS[solver]
    else:
        way = by_boxes if isinstance(pivots, Dantzig) else by_pyramids
    state = run(layout, way)
    if state == UNABLE:
        found = f"{problem!r} and the solver {solver!r}"
        allowed = "contacts without rows and couples; for 'lanes' at least 128 rigid ones that share few bodies"
        raise InputError("solve()", found, allowed, "Use 'sweeps', 'newton' or a solver that pivots.")
    contacts, count = layout.stages.contacts, len(problem.a)
    solution = ContactSolution(
        contacts.contact["p"][:count].copy(),
        contacts.turn["p"][:count].copy(),
        layout.rows.number["p"].copy(),
        float(contacts.figures[3]),
        bool(contacts.figures[3] <= options.tolerance),
        int(contacts.number[SWEEPS]),
    )
    return solution if is_finite(solution) else solution._replace(residual=np.inf, solved=False)


def is_finite(given: ContactSolution) -> bool:
    """Whether all impulses are numbers; a maximum passes over what is none."""
    return all(bool(np.isfinite(p).all()) for p in (given.impulse, given.couple, given.row_impulse))


def pivoting(solver: Any) -> Any:
    """The solver if it pivots, else None."""
    return solver if new_pivot(solver, 0, Builder().build().wired.joints, 0).number[KIND] != OFF else None


def run(layout: Layout, way: Any) -> int:
    """One way over a problem."""
    with compiling("contact problem"):
        address = stage_plug.address(way)
        return int(run_way(address, *layout))
