"""Own kind of force: buoyancy of balls in water, added to the package from this one file.

A `gk.Law` is one function for one model. A *kind* of force is more: an element with checked numbers that is added by
name, as often as wanted, that knows its potential energy, that is written to scene files, and that runs inside the
compiled step like a spring does. It takes four pieces, all on this page:

    Buoyancy      the element a user adds: a frozen dataclass
    Buoyancies    the block the kernels see: all elements of a model as arrays
    add_loads     what the force does
    add_energy    its potential, so that the energy balance of every run closes

Water carries a ball of radius R, centre at height z over the water, with the weight of the water it displaces:

    f = rho g V,    V = pi d^2 (R - d/3),    d = R - z  wetted depth, from 0 (dry) to 2 R (sunk)

Proof. Energy is constant, also through the splash of the ball that falls from one metre. A ball of half the density of
water floats with its middle in the surface, where V is linear in z: nudged a little it bobs with  w = sqrt(3 g / 2 R).
The ice ball floats so deep that it displaces its own weight. (Drag and the water that a ball carries along are left
out.)
"""

import argparse
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.extend import Labelled, Nodes, add_energy, add_loads, check_number, column, helper, node_indices

# --- the new kind of force: all that the package needs to know -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Buoyancy(Labelled):
    """Buoyancy of a ball in water that fills all below z = 0.

    Parameters
    ----------
    name : unique name
    body : name of the body or particle
    radius : of the ball [m]
    density : of the liquid [kg/m^3]
    gravity : [m/s^2]
    """

    kind: ClassVar[str] = "buoyancy"

    name: str
    body: str
    radius: float
    density: float = 1000.0
    gravity: float = 9.81

    def __post_init__(self) -> None:
        check_number(self.label, "radius", self.radius, "m", above=0)
        check_number(self.label, "density", self.density, "kg/m^3", least=0)

    @classmethod
    def block(cls, elements: Sequence["Buoyancy"], nodes: Nodes) -> "Buoyancies":
        weight = column(elements, "density") * column(elements, "gravity")
        return Buoyancies(node_indices(elements, "body", nodes), column(elements, "radius"), weight)


class Buoyancies(NamedTuple):
    """All balls in the water."""

    node: np.ndarray  # (n,) uint32, row of the state
    radius: np.ndarray  # (n,) [m]
    weight: np.ndarray  # (n,) of the liquid, rho g [N/m^3]


@helper
def wetted_volume(radius, z):
    """Volume below the surface [m^3] of a ball whose centre is at height z [m]."""
    d = min(max(radius - z, 0.0), 2.0 * radius)
    return math.pi * d * d * (radius - d / 3.0)


@add_loads.register(Buoyancies)
def _(balls, masses, state, t, loads_out):
    for e in range(balls.node.shape[0]):
        i = balls.node[e]
        loads_out.force_W[i, 2] += balls.weight[e] * wetted_volume(balls.radius[e], state.p_WC[i, 2])


@add_energy.register(Buoyancies)
def _(balls, masses, state, t, energy_out):
    """Integral of the force from the height where the ball just touches the water."""
    for e in range(balls.node.shape[0]):
        R, z = balls.radius[e], state.p_WC[balls.node[e], 2]
        d = min(max(R - z, 0.0), 2.0 * R)
        sunk = max(-R - z, 0.0)  # below the depth where all is wet
        wetted = math.pi * d * d * d * (R / 3.0 - d / 12.0) + 4.0 / 3.0 * math.pi * R * R * R * sunk
        energy_out[0] += balls.weight[e] * wetted


# --- the example -----------------------------------------------------------------------------------------------------

RADIUS = 0.1  # [m]
DENSITY = {"cork": 240.0, "wood": 500.0, "ice": 917.0}  # [kg/m^3]
NUDGE = 0.001  # [m]


def build() -> gk.Model:
    b = gk.Builder(name="buoyancy")
    start = {"cork": 1.0, "wood": NUDGE, "ice": floating_height(DENSITY["ice"])}
    for k, (name, density) in enumerate(DENSITY.items()):
        b.body(name, shape=gk.Sphere(RADIUS), density=density, at=(0.4 * k, 0, start[name]))
        b.add(Buoyancy(f"water on {name}", name, radius=RADIUS))
    return b.build()


def floating_height(density: float) -> float:
    """Height at which a ball is carried [m]: the root of  V(z) / V(sunk) = density / 1000."""
    x = np.roots([1, 0, -3, 4 * density / 1000 - 2])  # with x = -z / R:  V = pi R^3 (2 + 3 x - x^3) / 3
    return float(-RADIUS * x[np.abs(x) <= 1].real[0])


def simulate() -> gk.Run:
    return gk.simulate(build(), t_end=5.0, output_dt=0.005, method=gk.FreeMotion())  # the balls never meet


def check(run: gk.Run) -> None:
    t, z = run.time, {name: run[name].position[:, 2] for name in DENSITY}
    # The force grows with the square of the depth, so its second derivative jumps when the cork enters at 4.2 m/s. The
    # step across the jump is off by f'' h^3 / (6 m v) = 4e-6 of the velocity at most.
    assert run.drift()["energy"] < 1e-5
    # Without losses the cork jumps back to where it fell from, again and again; a sample misses the top by g dt^2 / 8.
    tops = np.flatnonzero((z["cork"][1:-1] > z["cork"][:-2]) & (z["cork"][1:-1] >= z["cork"][2:])) + 1
    assert len(tops) >= 3
    np.testing.assert_allclose(z["cork"][tops], 1.0, atol=5e-5)
    # The wood bobs as a cosine. The cubic term of V slows it by (a / R)^2 / 8, a phase of 8e-4 rad after 61 rad.
    w = np.sqrt(1.5 * 9.81 / RADIUS)
    np.testing.assert_allclose(z["wood"], NUDGE * np.cos(w * t), atol=1e-3 * NUDGE)
    # The ice stays where it is carried, to round-off.
    np.testing.assert_allclose(z["ice"], floating_height(DENSITY["ice"]), atol=1e-12)
    # A kind of force is data: it goes to a scene file and comes back, if the reader is told the class.
    with tempfile.TemporaryDirectory() as folder:
        gk.save_scene(build(), scene := Path(folder, "buoyancy.toml"))
        assert gk.load_scene(scene, kinds=(Buoyancy,)) == build()


def speed(steps: int = 200_000) -> float:
    """Steps a second, after a first step that compiles."""
    simulation = gk.Simulation(build())
    simulation.advance(simulation.method.h)
    begun = time.perf_counter()
    simulation.advance(steps * simulation.method.h)
    return steps / (time.perf_counter() - begun)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(10.5, 3), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    left.axhspan(-0.9, 0, color="#4c72b0", alpha=0.15, linewidth=0)
    for name, color in zip(DENSITY, ("#c44e52", "#937860", "#4c72b0")):
        left.plot(run.time, run[name].position[:, 2], color=color, label=name)
    left.set(title="Height over the water", ylabel="z [m]", xlim=(0, 5), ylim=(-0.9, 1.5))
    t = np.linspace(0, 2, 41)
    middle.plot(run.time, 1000 * run["wood"].position[:, 2], color="#937860", label="wood, nudged")
    middle.plot(t, 1000 * NUDGE * np.cos(np.sqrt(1.5 * 9.81 / RADIUS) * t), "k.", markersize=4, label="closed form")
    middle.set(title="Wood bobs in the surface", ylabel="z [mm]", xlim=(0, 2), ylim=(-1.2, 1.7))
    for part, color in (("kinetic", "#c44e52"), ("potential", "#4c72b0"), ("total", "#333333")):
        right.plot(run.time, run[f"energy.{part}"], color=color, label=part)
    right.set(title="Energy, the new force included", ylabel="energy [J]", xlim=(0, 5), ylim=(-1, 14))
    for panel in (left, middle, right):
        panel.set_xlabel("time [s]")
        panel.grid(alpha=0.25)
        panel.legend(fontsize=8, loc="upper right", ncols=3)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Balls in water: a new kind of force from one file.")
    parser.add_argument("--out", default="buoyancy.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"energy constant to {run.drift()['energy']:.0e} through four splashes")
    print(f"{speed() / 1e6:.2f} million steps/s: the new force runs compiled")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
