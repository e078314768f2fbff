"""`gelenk bench conformance`: error against cost of our own methods, on models whose true motion is known.

No other engine takes part. A row is a model under a method as it comes; its errors are those of places, at worst over
the run, and its cost is processor time of the steps alone, the least of some repeats.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gelenk.bench.reference.case import CASES, SAMPLES, Case, errors_of, methods_for
from gelenk.bench.rounds import Say
from gelenk.methods.method import Method
from gelenk.model.model import Model
from gelenk.simulate import Simulation

ABOUT = "models with a known motion under each of our methods: error against cost"
STEPS = (2.5e-3, 5e-4, 1e-4)  # [s] each a whole part of the time between two samples of every model
REPEATS = 5
EXACT = 1e-11  # [m] what the truths are known to


def bench_conformance(say: Say, names: Sequence[str] = tuple(CASES), steps: Sequence[float] = STEPS) -> list[dict]:
    """Measure and print a table in Markdown; the records are returned."""
    say(f"conformance: {ABOUT}; the least time of {REPEATS} repeats")
    records = [record for name in names for record in measured(CASES[name], steps)]
    for line in table(records, steps):
        say(line)
    say("")
    say(
        "cost: processor time [ms] of a simulated second; error: of a place, at worst [m]; order: at the last two steps"
    )
    return records


def measured(case: Case, steps: Sequence[float]) -> Iterator[dict[str, Any]]:
    """A record for each method."""
    truth, model = case.places(case.times), case.model()
    for name in methods_for(steps[0]):
        chosen = [methods_for(h)[name] for h in steps]
        errors = [float(errors_of(case, method, truth, model).max()) for method in chosen]
        costs = [cost(case, method, model) for method in chosen]
        yield {
            "scene": "conformance",
            "model": case.name,
            "method": name,
            "h": list(steps),
            "error_m": errors,
            "ms_per_simulated_s": costs,
            "order": order(steps, errors),
        }


def cost(case: Case, method: Method, model: Model) -> float:
    """Processor time of a simulated second [ms], steps alone."""
    sim = Simulation(model, method)
    count = SAMPLES * round(case.t_end / (SAMPLES * method.h))
    best = math.inf
    for _ in range(REPEATS):
        sim.restart()
        sim.step(1)  # what only a first step does
        begun = time.thread_time()
        sim.step(count - 1)
        best = min(best, time.thread_time() - begun)
    return 1e3 * best / ((count - 1) * method.h)


def order(steps: Sequence[float], errors: Sequence[float]) -> float | None:
    """Observed at the two smallest steps; None where round-off is all that is left, or for a single step."""
    if len(steps) < 2 or errors[-1] < EXACT:
        return None
    return float(np.log(errors[-2] / errors[-1]) / np.log(steps[-2] / steps[-1]))


def table(records: Sequence[dict[str, Any]], steps: Sequence[float]) -> Iterator[str]:
    """Markdown, a row for each record."""
    heading = ["model", "method"]
    for h in steps:
        heading += [f"cost at {1e3 * h:g} ms", "error"]
    rows = [[*heading, "order"]]
    for r in records:
        row = [r["model"], f"`{r['method']}`"]
        for c, e in zip(r["ms_per_simulated_s"], r["error_m"]):
            row += [f"{c:.2g}" if c < 100 else f"{c:.0f}", "exact" if e < EXACT else f"{e:.0e}"]
        rows.append([*row, "-" if r["order"] is None else f"{r['order']:.1f}"])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    rows.insert(1, ["-" * w if k < 2 else "-" * (w - 1) + ":" for k, w in enumerate(widths)])
    for row in rows:
        cells = (cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
        yield "| " + " | ".join(cells) + " |"
