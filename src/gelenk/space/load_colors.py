"""Colours by load: bodies by the contact force on them, motors by the share of their limit (V-117, E-24)."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.rows.block import DRIVE, NONE, SERVO

Color = tuple[float, float, float]

# from no load to all of it: blue, green, yellow, red; hue goes one way
STOPS = np.array([[0.23, 0.37, 0.72], [0.30, 0.66, 0.50], [0.96, 0.82, 0.26], [0.80, 0.16, 0.13]])
OVER: Color = (0.45, 0.05, 0.20)  # more than all
ROUND_OFF = 1e-9  # a motor at its bound gives no more than it


def load_color(share: float) -> Color:
    """Red, green, blue of a load as a share of the greatest: blue for 0, green, yellow, red for 1, dark beyond."""
    share = check_number("load_color()", "share", share, "1", least=0)
    if share > 1.0 + ROUND_OFF:
        return OVER
    at = min(share, 1.0) * (len(STOPS) - 1)
    k = min(int(at), len(STOPS) - 2)
    made = (1.0 - (at - k)) * STOPS[k] + (at - k) * STOPS[k + 1]
    return float(made[0]), float(made[1]), float(made[2])


def contact_loads(sim: Any) -> dict[str, float]:
    """Of every body the largest contact force that another one gives to it, in the last step [N].

    Not the sum of all: what is squeezed bears a load although its forces cancel.
    """
    between: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(3))
    for c in sim.contacts:
        between[c.a, c.b] += c.force
    loads = {body.name: 0.0 for body in sim.model.bodies}
    for a, b in {(min(pair), max(pair)) for pair in between}:
        total = np.linalg.norm(between.get((a, b), np.zeros(3)) - between.get((b, a), np.zeros(3)))
        for name in (a, b):
            loads[name] = max(loads[name], float(total))
    return loads


def motor_loads(sim: Any) -> dict[str, float]:
    """Of every motor and servo with a limit the share of it that it gave in the last step, in the direction it pushed.

    The limit is that of now, with its strength; a motor of no strength bears no share.
    """
    wired = sim.model.wired
    memory = wired.memory(sim.state.memory)
    found = {}
    for felt in wired.forces:
        row = wired.joints.row[felt.row]
        if row["mode"] not in (DRIVE, SERVO) or not math.isfinite(row["high"]):
            continue
        force = float(memory.force[felt.row])
        strength = 1.0 if row["strength"] == NONE else float(memory.inputs[row["strength"]])
        limit = strength * float(row["high"] if force >= 0.0 else -row["low"])
        found[felt.name] = abs(force) / limit if limit > 0.0 else 0.0
    return found


def load_colors(sim: Any, *, full: float | None = None) -> dict[str, Color]:
    """Colours of all bodies by the contact force on them, and of all motors with a limit by their share of it.

    ::

        colors = gk.load_colors(sim, full=200.0)        # red is 200 N
        draw_instant(panel, run, -1, middle, size, colors=colors)

    They are those of the last step. Names of motors are theirs; give the colour to the body that shall show it.

    Parameters
    ----------
    full : contact force that is all of the load [N]; the largest now if left out
    """
    if not hasattr(sim, "contacts") or not hasattr(sim, "sensors"):
        raise InputError("load_colors()", f"{sim!r}"[:100], "a Simulation", "Pass the simulation, not its run.")
    loads = contact_loads(sim)
    if full is not None:
        full = check_number("load_colors()", "full", full, "N", above=0)
    largest = full or max(loads.values(), default=0.0) or 1.0
    shares = {name: load / largest for name, load in loads.items()} | motor_loads(sim)
    return {name: load_color(share) for name, share in shares.items()}
