"""Boulders: stones of every form roll down a hillside and come to rest in the valley.

Forty random convex hulls of 0.3 to 1 m are let go above a hillside, a height field with ledges. They bounce, roll,
slide and push each other, each with its own mass and inertia from its own form, and end in a heap at the bottom or on a
ledge. Nothing here has a closed form but the laws that hold for all of it.

Proof. Contact only takes energy: the total never grows, and what is lost in the end is the height that the stones have
come down. No stone sinks into the ground, none is lost, and in the end they lie still.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull as Points

import gelenk as gk
from gelenk.instants import draw_instant, save_small

COUNT, CELL, CELLS, G = 40, 0.4, (41, 25), 9.81  # [m]
STEP, T_END = 1 / 240, 6.0  # [s]
TOWARD = (0.85, -0.75, 1.15)


def heights() -> np.ndarray:
    """(nx, ny) a slope with ledges that runs out in a bowl, and sides that keep everything in [m]."""
    x = CELL * (np.arange(CELLS[0]) - (CELLS[0] - 1) / 2)[:, None]
    y = CELL * (np.arange(CELLS[1]) - (CELLS[1] - 1) / 2)[None, :]
    slope = 4.5 / (1 + np.exp(0.9 * (x + 1.5))) + 0.25 * np.sin(2.2 * x) * (x < 1)
    bumps = 0.12 * np.sin(2.6 * x + 1.0) * np.cos(2.1 * y)
    sides = 0.09 * y**2 + 2.5 * np.maximum(0, (x - 5.5) / 2.5) ** 2 + 2.0 * np.maximum(0, (-6.5 - x) / 1.5) ** 2
    return slope + bumps + sides


def height_at(x: float, y: float) -> float:
    """Of the nearest sample [m]."""
    i, j = (round(p / CELL + (n - 1) / 2) for p, n in zip((x, y), CELLS))
    return float(heights()[i, j])


def stone(random: np.random.Generator) -> gk.ConvexHull:
    """Points on an ellipsoid, and their hull."""
    points = random.normal(size=(24, 3))
    points *= random.uniform(0.18, 0.5) * random.uniform(0.65, 1.0, 3) / np.linalg.norm(points, axis=1, keepdims=True)
    return gk.ConvexHull(points[Points(points).vertices])


def build(count: int = COUNT) -> gk.Model:
    random = np.random.default_rng(11)
    b = gk.Builder(name="boulders")
    b.material("grass", friction=0.7, restitution=0.1, color=(0.66, 0.72, 0.52))
    for k in range(4):
        b.material(
            f"rock {k}",
            density=2600,
            friction=0.6,
            restitution=0.2,
            color=(0.52 + 0.07 * k, 0.50 + 0.05 * k, 0.47 + 0.04 * k),
        )
    b.body("hill", shape=gk.HeightField(heights(), CELL), material="grass", static=True)
    for k in range(count):
        x, y = -6.6 + 1.1 * (k % 5), 1.0 * (k // 5 % 8 - 3.5)
        turn = random.normal(size=4)
        at = (x, y, height_at(x, y) + 0.8 + 0.3 * random.uniform() + 0.8 * (k // 40))
        b.body(f"stone {k}", shape=stone(random), material=f"rock {k % 4}", at=at,
               rotation=turn / np.linalg.norm(turn), velocity=(1.0, 0, 0))  # fmt: skip
    return b.build()


def simulate(count: int = COUNT) -> gk.Run:
    outputs = {"depth": lambda sim: sim.info["overlap"], "points": lambda sim: float(sim.info["contacts"])}
    return gk.simulate(build(count), T_END, method=gk.RowStepping(h=STEP), output_dt=4 * STEP, outputs=outputs)


def fastest(run: gk.Run) -> np.ndarray:
    """Speed of the fastest stone over time [m/s]."""
    return np.linalg.norm(run.read("velocity"), axis=2).max(axis=1)


def check(run: gk.Run) -> None:
    energy = run["energy.total"]
    assert np.diff(energy).max() < 1e-6 * np.ptp(energy)
    assert run["depth"].max() < 0.02
    assert run["depth"][-1] < 1e-3
    speeds = np.linalg.norm(run.read("velocity")[-1], axis=1)
    assert np.mean(speeds < 0.3) > 0.9  # nothing keeps a round stone from rolling on in the bowl
    # All are still in the valley: none fell through the ground or over the rim.
    places = run.read("position")[-1, 1:]
    assert (np.abs(places[:, 0]) < 8).all()
    assert (np.abs(places[:, 1]) < 4.8).all()
    assert places[:, 2].min() > heights().min()


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.6))
    for k, t in enumerate((0.0, 1.2, T_END)):
        panel = figure.add_axes((0.334 * k, 0.36, 0.331, 0.57))
        sample = int(np.abs(run.time - t).argmin())
        draw_instant(panel, run, sample, (-1.0, 0.5, 2.2), (16.2, 13.1), toward=TOWARD, pixels=292)
        panel.set_title(f"{run.time[sample]:.1f} s", fontsize=9)
    panels = [figure.add_axes((left, 0.09, 0.26, 0.21)) for left in (0.06, 0.39, 0.72)]
    loss = run["energy.total"] - run["energy.total"][-1]
    panels[0].plot(run.time, loss / 1000, color="0.3")
    panels[0].set_title("energy above that of the end [kJ]", fontsize=9)
    panels[1].plot(run.time, fastest(run), color="#c44e52")
    panels[1].set_title("fastest stone [m/s]", fontsize=9)
    panels[2].plot(run.time, 1000 * run["depth"], color="#4c72b0")
    panels[2].set_title("deepest overlap [mm]", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle(f"{len(run.bodies) - 1} boulders on a hillside", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Boulders on a height field.")
    parser.add_argument("--out", default="boulders.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    energy = run["energy.total"]
    print(f"energy {energy[0] / 1000:.2f} kJ at the start, {energy[-1] / 1000:.2f} kJ in the end")
    print(f"the most it gained in a sample is {np.diff(energy).max():.1e} J, closed form at most 0")
    print(f"deepest overlap {1000 * run['depth'].max():.2f} mm on the way, {1000 * run['depth'][-1]:.3f} mm at rest")
    print(f"up to {int(run['points'].max())} points; {run.wall_time:.1f} s of computing; picture in {out}")


if __name__ == "__main__":
    main()
