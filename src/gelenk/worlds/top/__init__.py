"""The tumbling handle: a torque-free asymmetric body that flips about its middle axis (I-018)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gelenk.integrators.runge_kutta4 import RungeKutta4
from gelenk.methods.free import FreeMotion
from gelenk.model.model import Model
from gelenk.model.scene_read import load_scene
from gelenk.run.run import Run

ABOUT = "a T-shaped handle, free of forces, spinning about its middle axis"
T_END = 20.0
NEXT = (
    ("gelenk plot {run} handle.angular_velocity_body energy", "plot any series"),
    ("gelenk export {run}", "the numbers as CSV"),
    ("gelenk run top --integrator semi_implicit_euler", "a cheaper scheme: watch the energy"),
    ("gelenk bench free", "how fast it is, beside other engines"),
)


def build() -> Model:
    """The model, from the scene beside this file."""
    return load_scene(Path(__file__).with_name("top.toml"))


def method() -> FreeMotion:
    """Runge-Kutta at 2 ms: three hundred steps a turn."""
    return FreeMotion(h=2e-3, integrator=RungeKutta4())


def report(run: Run) -> list[tuple[str, str]]:
    """Flips of the spin axis and the time between them."""
    spin = run["handle"].angular_velocity_body[:, 0]
    flips = np.flatnonzero(np.diff(np.sign(spin)) != 0)
    lines = [("flips about the middle axis", str(len(flips)))]
    if len(flips) > 1:
        lines.append(("time between flips", f"{np.diff(run.time[flips]).mean():.3f} s"))
    return lines
