"""Own law, compiled: a spoke in Saturn's rings winds up, and the same function runs at machine speed.

A force law written with plain loops and the `math` module runs two ways: called as Python, or compiled to machine code
with `compiled=True`. Nothing else changes, and both ways give the same bits. Compiled, a law may go over thousands of
particles millions of times; as Python it is there for the first try and for the debugger.

Sixty boulders start in a row across the rings. The inner ones are faster, so the row winds up into a spiral.

Proof. A circular orbit keeps its radius r and turns by  sqrt(G M / r^3) t.
"""

import argparse
import math
import time
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import gelenk as gk

GM = 3.7931187e16  # of Saturn [m^3/s^2]
RADII = np.linspace(74_658e3, 136_775e3, 60)  # inner edge of the C ring to the outer edge of the A ring [m]
RATE = np.sqrt(GM / RADII**3)  # [rad/s]
HOUR = 3600.0  # [s]
STEP = 60.0  # [s]
METHOD = gk.FreeMotion(h=STEP)


def saturn(t, state, loads):
    """Pull of Saturn on boulders of 1 kg. Row 0 is the world; only numbers, loops and `math`: this compiles."""
    for i in range(1, state.p_WC.shape[0]):
        x, y, z = state.p_WC[i, 0], state.p_WC[i, 1], state.p_WC[i, 2]
        distance = math.sqrt(x * x + y * y + z * z)
        pull = GM / (distance * distance * distance)
        loads.force_W[i, 0] -= pull * x
        loads.force_W[i, 1] -= pull * y
        loads.force_W[i, 2] -= pull * z


@cache  # a law is compiled when its model is built; a model never changes, so one of each is enough
def build(compiled: bool = True) -> gk.Model:
    b = gk.Builder(gravity=(0, 0, 0), name="rings")
    for i, (radius, rate) in enumerate(zip(RADII, RATE)):
        b.particle(f"boulder {i}", mass=1.0, at=(radius, 0, 0), velocity=(0, radius * rate, 0))
    b.add(gk.Law("saturn", saturn, compiled=compiled))
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), t_end=30 * HOUR, method=METHOD, output_dt=HOUR / 2)


def check(run: gk.Run) -> None:
    for i, (radius, rate) in enumerate(zip(RADII, RATE)):
        x, y, _ = run[f"boulder {i}"].position.T
        angle = rate * run.time
        # Order 4: less than (h rate)^4 for each radian of the way, 4e-6 in all for the innermost boulder.
        most = (STEP * rate) ** 4 * angle[-1] * radius
        np.testing.assert_allclose(x, radius * np.cos(angle), rtol=0, atol=most)
        np.testing.assert_allclose(y, radius * np.sin(angle), rtol=0, atol=most)
    # Both ways do the same operations in the same order: not close, equal.
    python, machine = (gk.Simulation(model, METHOD) for model in (build(compiled=False), build()))
    for simulation in (python, machine):
        simulation.advance(50 * STEP)
    assert np.array_equal(python.state.flat, machine.state.flat)


def speed(model: gk.Model, steps: int) -> float:
    """Steps a second, after a first step that loads the compiled code."""
    simulation = gk.Simulation(model, METHOD)
    simulation.advance(STEP)
    begun = time.perf_counter()
    simulation.advance(steps * STEP)
    return steps / (time.perf_counter() - begun)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(9.5, 3), layout="constrained")
    figure.suptitle("A row of boulders in Saturn's rings winds up")
    for panel, hours in zip(figure.subplots(1, 4), (0, 3, 10, 30)):
        k = round(hours * HOUR / 1800)
        x, y, _ = np.array([run[name].position[k] for name in run.particles]).T / 1e6
        for radius, color in ((RADII[-1], "0.92"), (RADII[0], "white"), (60_268e3, "#ccb974")):  # rings, gap, Saturn
            panel.add_patch(Circle((0, 0), radius / 1e6, color=color))
        panel.plot(x, y, "-", color="#c44e52", linewidth=0.8)
        panel.plot(x, y, ".", color="#c44e52", markersize=4)
        panel.set_title(f"{hours} h", fontsize=9)
        panel.set(aspect="equal", xlim=(-145, 145), ylim=(-145, 145))
        panel.set_axis_off()
    figure.savefig(out, dpi=90)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A spoke in Saturn's rings, with a compiled law.")
    parser.add_argument("--out", default="rings.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    python, machine = speed(build(compiled=False), steps=100), speed(build(), steps=20000)
    print(f"60 boulders, as Python {python:8.0f} steps/s")
    print(f"             compiled  {machine:8.0f} steps/s: {machine / python:.0f} times faster, same bits")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
