"""Figures of the solver, as rows of a table: what a step costs, what it did, what is conserved."""

from __future__ import annotations

import math
from typing import Any

from gelenk.simulate import Simulation
from gelenk.view.to_page import Figures

MOST_ROWS = 40


def figures(sim: Simulation, cost: float, energy: float) -> Figures:
    """All figures of a simulation now; ``cost`` is the wall time of a step [s], ``energy`` that of the start [J]."""
    ledger = sim.ledger
    rows = [
        ("step", f"{1e3 * sim.method.h:.4g} ms"),
        ("time of a step", f"{1e3 * cost:.3g} ms"),
        ("kinetic energy", f"{ledger[0]:.5g} J"),
        ("potential energy", f"{ledger[1]:.5g} J"),
        ("sum of both", f"{ledger[0] + ledger[1]:.6g} J"),
        ("drift of the sum", f"{ledger[0] + ledger[1] - energy:.3g} J"),
    ]
    rows += [(str(name).replace("_", " "), shown(value)) for name, value in sim.info.items()]
    return Figures(tuple(rows[:MOST_ROWS]))


def shown(value: Any) -> str:
    """A figure in few characters."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)[:80]
    return (
        f"{int(number)}" if math.isfinite(number) and number == int(number) and abs(number) < 1e9 else f"{number:.3g}"
    )
