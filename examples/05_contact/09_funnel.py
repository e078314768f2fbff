"""Funnel: cubes fall through a funnel into a container and come to rest.

The scene X4 of the thesis on impulses: a block of cubes is let go above a funnel. They jam and slide and jostle through
its mouth, fall, and fill the container below; each cube touches several others all the time, and nothing may pass
through anything. There are 60 cubes here; ``--count 1000`` fills it as the thesis does, and ``--shock`` solves it with
shock propagation after ten sweeps, to compare.

Proof. All cubes end in the container and lie still. Energy only falls, and what is lost is the height they have come
down. No two cubes overlap by more than a twentieth of a cube on the way, nor by more than a thousandth at rest.
"""

import argparse
import math

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import colors_of, save_small, state_at
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_shapes

COUNT, EDGE, PITCH, THICK = 60, 0.1, 0.175, 0.04  # cubes; side, distance at the start, walls [m]
SIDES, STEEP, DROP = 12, math.radians(50), 0.15  # of the funnel; height of its mouth above the container [m]
STEP = 1 / 240  # [s]
EYE = Camera(np.array([0.5, -1.0, 0.42]))


def side_of(count: int) -> int:
    """Cubes along each side of the block."""
    return math.ceil(count ** (1 / 3))


def half_width(count: int) -> float:
    """Of the container, inside [m]."""
    return EDGE * max(3.5, 0.8 * side_of(count))


def half_mouth(count: int) -> float:
    """Of the funnel, so wide that cubes do not arch over it [m]."""
    return EDGE * max(2.5, 0.65 * side_of(count))


def rim(count: int) -> float:
    """Height of the container, so that it holds a little more than all cubes [m]."""
    return 0.2 + 1.7 * count * EDGE**3 / (2 * half_width(count)) ** 2


def panel_points(k: int, sides: int, low: float, high: float, bottom: float, top: float) -> np.ndarray:
    """(8, 3) corners of one of some walls around the z axis, between two polygons; it is thick outward."""
    corners = []
    half = math.tan(math.pi / sides)
    for inside, z in ((low, bottom), (high, top)):
        for x in (inside, inside + THICK):
            corners += [(x, -x * half, z), (x, x * half, z)]
    c, s = math.cos(2 * math.pi * k / sides), math.sin(2 * math.pi * k / sides)
    return np.array(corners) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def build(count: int = COUNT) -> gk.Model:
    b = gk.Builder(name="funnel")
    b.material("steel", friction=0.05, color=(0.72, 0.76, 0.80))
    for k in range(6):
        b.material(f"colour {k}", density=800, friction=0.12, color=colormaps["Set2"](k)[:3])
    n, wide, high = side_of(count), half_width(count), rim(count)
    b.body("ground", shape=gk.Part(gk.Plane(), groups="cubes"), static=True)
    bottom, top, mouth = high + DROP, 0.78 * n * PITCH + 0.12, half_mouth(count)
    rise = (top - mouth) * math.tan(STEEP)
    for k in range(4):
        wall = gk.Part(gk.ConvexHull(panel_points(k, 4, wide, wide, 0.0, high)), groups="glass")
        b.body(f"wall {k}", shape=wall, material="steel", static=True)
    for k in range(SIDES):
        slope = gk.Part(gk.ConvexHull(panel_points(k, SIDES, mouth, top, bottom, bottom + rise)), groups="steel")
        b.body(f"funnel {k}", shape=slope, material="steel", static=True)
    random = np.random.default_rng(2)
    for k in range(count):
        place = np.array([k % n, k // n % n, k // n**2]) - [(n - 1) / 2, (n - 1) / 2, 0]
        turn = random.normal(size=4)
        at = PITCH * place + (0, 0, bottom + 0.85 * rise + EDGE)
        cube = gk.Part(gk.Box((EDGE, EDGE, EDGE)), groups="cubes")
        b.body(f"cube {k}", shape=cube, material=f"colour {k % 6}", at=at, rotation=turn / np.linalg.norm(turn))
    return b.build()


def simulate(count: int = COUNT, shock: bool = False) -> gk.Run:
    few = count <= 100
    t_end = 3.0 if few else 4.0
    if few or shock:
        h, contact = STEP, gk.ContactOptions()
    else:  # a large block falls faster: overlaps go with the step, and short steps need fewer sweeps
        h, contact = STEP / 3, gk.ContactOptions(sweeps=12, newton=0, share=0.5, sleep=True)
    if shock:
        contact = gk.ContactOptions(sweeps=10, newton=0, shock="freezing")
    outputs = {"depth": lambda sim: sim.info["overlap"], "points": lambda sim: float(sim.info["contacts"])}
    method = gk.RowStepping(h=h, contact=contact)
    return gk.simulate(build(count), t_end, method=method, output_dt=4 * STEP, outputs=outputs)


def cubes(run: gk.Run) -> np.ndarray:
    """Their places among the bodies."""
    return np.array([k for k, name in enumerate(run.bodies) if name.startswith("cube")])


def inside(run: gk.Run) -> np.ndarray:
    """(n,) cubes within the container over time."""
    count = len(cubes(run))
    at = run.read("position")[:, cubes(run)]
    within = (np.abs(at[..., :2]).max(axis=2) < half_width(count)) & (at[..., 2] < rim(count)) & (at[..., 2] > 0)
    return within.sum(axis=1)


def check(run: gk.Run) -> None:
    assert inside(run)[-1] == len(cubes(run))
    energy = run["energy.total"]
    assert np.diff(energy).max() < 1e-5 * np.ptp(energy)
    assert run["depth"].max() < 0.05 * EDGE
    assert run["depth"][-1] < 1e-3 * EDGE
    assert np.abs(run.read("velocity")[-1]).max() < 0.05


def picture(run: gk.Run, out: str) -> None:
    count = len(cubes(run))
    high = rim(count) + DROP + 1.8 * side_of(count) * PITCH + 0.2
    figure = Figure(figsize=(11, 4.2))
    half = int(np.flatnonzero(inside(run) > 0.4 * count)[0])
    early = int(np.flatnonzero(inside(run) > 0.02 * count)[0])
    for k, sample in enumerate((0, early, half, len(run) - 1)):
        panel = figure.add_axes((0.195 * k, 0.0, 0.193, 0.92))
        world = gk.CollisionWorld(run.model).detect(state_at(run, sample))
        colors = colors_of(run.model) | {"ground": (0.92, 0.91, 0.88)}
        layers = [Layer(("cubes",), colors), Layer(("steel",), colors, 0.65), Layer(("glass",), (0.6, 0.75, 0.85), 0.3)]
        draw_shapes(panel, world, EYE, (0, 0, 0.46 * high), (0.66 * high, 1.2 * high), layers, pixels=169)
        panel.set_title(f"{run.time[sample]:.1f} s", fontsize=9)
    panels = [figure.add_axes((0.82, bottom, 0.165, 0.18)) for bottom in (0.63, 0.345, 0.06)]
    panels[0].plot(run.time, inside(run), color="#55a868")
    panels[0].set_title("cubes in the container", fontsize=9)
    panels[1].plot(run.time, run["energy.total"] - run["energy.total"][-1], color="0.3")
    panels[1].set_title("energy above the end [J]", fontsize=9)
    panels[2].plot(run.time, 1000 * run["depth"], color="#4c72b0")
    panels[2].set_title("deepest overlap [mm]", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle(f"{count} cubes through a funnel", fontsize=11, x=0.895)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Cubes through a funnel.")
    parser.add_argument("--count", type=int, default=COUNT, help="number of cubes")
    parser.add_argument("--shock", action="store_true", help="with shock propagation, ten sweeps")
    parser.add_argument("--out", default="funnel.png", help="picture to write")
    chosen = parser.parse_args(arguments)
    run = simulate() if chosen.count == COUNT and not chosen.shock else simulate(chosen.count, chosen.shock)
    if not chosen.shock:  # which may leave cubes deeper in each other
        check(run)
    picture(run, chosen.out)
    energy, depth = run["energy.total"], 1000 * run["depth"]
    print(f"{inside(run)[-1]} of {len(cubes(run))} cubes lie in the container, after {run.time[-1]:.1f} s")
    gained = np.diff(energy).max()
    print(f"energy falls by {energy[0] - energy[-1]:.1f} J; the most it gained in a sample is {gained:.1e} J")
    print(f"deepest overlap {depth.max():.2f} mm on the way, {depth[-1]:.3f} mm at rest, of {1000 * EDGE:.0f} mm cubes")
    height = run.read("position")[-1, cubes(run), 2].mean()
    print(f"the cubes lie {1000 * height:.0f} mm high in the mean")
    print(f"up to {int(run['points'].max())} points, {run.wall_time:.1f} s of computing; picture in {chosen.out}")


if __name__ == "__main__":
    main()
