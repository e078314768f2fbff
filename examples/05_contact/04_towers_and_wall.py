"""Towers and wall: what is stacked stands still, to the last bit of a millimetre, until it is hit.

A tower of ten boxes and a wall of 252 bricks stand without mortar while a ball of 112 kg is on its way to the wall.
Nearly 3000 points of contact have to share the weight. Sweeping over them one by one comes near, and a wall that is
only nearly held creeps and trembles until it falls; here Newton's method ends what a few sweeps began, and nothing
moves. Then the ball arrives (the shot E-7 of the thesis on virtual worlds): what stood by itself breaks by itself.

Proof. Until the ball arrives no brick moves by more than a thousandth of a millimetre, and the ground bears  M g.  All
the time momentum changes by what the ground does and nothing else,  P' - P = h (F - M g),  though thousands of points
push in between; and contact only takes energy.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

COLUMNS, ROWS, BRICK = 18, 14, np.array([0.25, 0.12, 0.08])  # of the wall; [m]
TOWER, BOX = 10, 0.15  # boxes, [m]
RADIUS, DENSITY, SPEED, FLIGHT, G = 0.15, 7900.0, 12.0, 0.5, 9.81  # of the ball [m], [kg/m^3], [m/s], until it hits [s]
STEP, T_END = 1 / 240, 1.4  # [s]
FACE = BRICK[1] / 2 + RADIUS  # distance of ball and middle of the wall at the impact [m]


def build() -> gk.Model:
    b = gk.Builder(name="towers and wall")
    b.material("brick", density=1800, friction=0.6, color=(0.76, 0.42, 0.33))
    b.material("pale", density=1800, friction=0.6, color=(0.84, 0.55, 0.42))
    b.material("wood", density=700, friction=0.5, color=(0.80, 0.68, 0.48))
    b.material("iron", density=DENSITY, friction=0.4, color=(0.30, 0.32, 0.36))
    b.body("ground", shape=gk.Plane(), static=True)
    for row in range(ROWS):
        for column in range(COLUMNS):
            x = BRICK[0] * (column - COLUMNS / 2 + 0.25 + 0.5 * (row % 2))
            material = "pale" if (7 * row + 3 * column) % 5 < 2 else "brick"
            b.body(f"brick {row} {column}", shape=gk.Box(BRICK), material=material, at=(x, 0, BRICK[2] * (row + 0.5)))
    for k in range(TOWER):
        b.body(f"box {k}", shape=gk.Box((BOX, BOX, BOX)), material="wood", at=(-1.6, -1.3, BOX * (k + 0.5)))
    at = (0.1, -FACE - SPEED * FLIGHT, 0.75)
    b.body("ball", shape=gk.Sphere(RADIUS), material="iron", at=at, velocity=(0, SPEED, G * FLIGHT / 2))
    return b.build()


def simulate() -> gk.Run:
    def support(sim: gk.Simulation) -> np.ndarray:
        """Force of the ground on all that stands on it, in the last step [N]."""
        return sum((c.force for c in sim.contacts if c.a == "ground"), np.zeros(3))

    outputs = {"support": support, "points": lambda sim: float(sim.info["contacts"])}
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=STEP, outputs=outputs)


def standing(run: gk.Run) -> np.ndarray:
    """Bodies of wall and tower."""
    return np.array([k for k, name in enumerate(run.bodies) if name not in ("ground", "ball")])


def drift(run: gk.Run) -> float:
    """Largest way of any body of wall and tower before the ball arrives [m]."""
    places = run.read("position")[run.time < FLIGHT - 2 * STEP][:, standing(run)]
    return float(np.abs(places - places[0]).max())


def masses(run: gk.Run) -> np.ndarray:
    return np.array([run.parts.body(name).mass for name in run.bodies])


def check(run: gk.Run) -> None:
    before = run.time < FLIGHT - 2 * STEP
    assert drift(run) < 1e-6
    weight = masses(run)[standing(run)].sum() * G
    np.testing.assert_allclose(run["support"][before][1:, 2], weight, rtol=1e-6)
    # Momentum: forces of points that come in pairs cancel to round-off.
    forces = run["support"][1:] - (0, 0, masses(run)[1:].sum() * G)
    np.testing.assert_allclose(np.diff(run.momentum, axis=0), STEP * forces, atol=1e-9 * run.momentum[0, 1])
    ball = masses(run)[list(run.bodies).index("ball")]
    after = np.flatnonzero(run.time > FLIGHT + 0.1)[0]
    assert ball * (SPEED - run["ball"].velocity[after, 1]) > 0.3 * run.momentum[0, 1]
    energy = run["energy.total"]
    assert np.diff(energy).max() < 1e-9 * energy[0]
    thrown = np.abs(run.read("position")[-1, standing(run), 1]) > 0.3
    assert thrown.sum() > 20, "bricks where the ball comes leave the wall"


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.4))
    moments = (FLIGHT - 0.04, FLIGHT + 0.2, T_END)
    for k, t in enumerate(moments):
        panel = figure.add_axes((0.334 * k, 0.36, 0.331, 0.57))
        sample = int(np.abs(run.time - t).argmin())
        draw_instant(panel, run, sample, (0, -0.1, 0.55), (4.9, 3.85), toward=(0.75, -1.0, 0.5), pixels=292,
                     colors={"ground": (0.9, 0.9, 0.87)})  # fmt: skip
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
    panels = [figure.add_axes((left, 0.09, 0.26, 0.2)) for left in (0.05, 0.385, 0.72)]
    places = run.read("position")[:, standing(run)]
    way = np.linalg.norm(places - places[0], axis=2).max(axis=1)
    panels[0].semilogy(run.time[1:], np.maximum(way[1:], 1e-18), color="#4c72b0")
    panels[0].set_title("largest way of a brick [m]", fontsize=9)
    panels[1].plot(run.time, run.momentum[:, 1], color="0.3", label="all")
    ball = masses(run)[list(run.bodies).index("ball")]
    panels[1].plot(run.time, ball * run["ball"].velocity[:, 1], color="#c44e52", label="ball")
    panels[1].set_title("momentum across the wall [N s]", fontsize=9)
    panels[1].legend(fontsize=7)
    panels[2].plot(run.time, run["points"], color="#55a868")
    panels[2].set_title("points of contact", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("252 bricks and a tower stand still, until the ball is there", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A wall and a tower that stand, and a ball.")
    parser.add_argument("--out", default="towers_and_wall.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    weight = masses(run)[standing(run)].sum() * G
    print(f"before the ball: largest drift {1000 * drift(run):.1e} mm, expected 0")
    print(f"the ground bears {run['support'][10, 2]:.3f} N, weight of wall and tower {weight:.3f} N")
    thrown = int((np.abs(run.read("position")[-1, standing(run), 1]) > 0.3).sum())
    print(
        f"after it: {thrown} bricks thrown out, up to {int(run['points'].max())} points; run in {run.wall_time:.1f} s"
    )
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
