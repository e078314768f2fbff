"""Cradle: as many balls leave on one side as come in on the other.

Five steel balls hang side by side and touch. One, two or three of them are raised and let go. Rigid balls that touch
are the hard case: all impacts in the row come at once, and whoever solves them together lets the whole row swing.
Here an impact passes from pair to pair in rounds, each with the velocities that the round before left, as it does in
steel, where it travels with the speed of sound. No gaps between the balls are needed, and no option has to be set.

Proof. Of equal balls with restitution 1 as many leave as came, with the same speed; the others stay where they are.
Momentum and energy allow nothing else but if each pair meets by itself. Energy: the swing comes back to its height.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small
from gelenk.run.picture import Camera

BALLS, RAISED = 5, (1, 2, 3)  # in a cradle; of three cradles
RADIUS, LENGTH, ANGLE, APART = 0.05, 0.5, 0.7, 0.5  # [m], [rad], of cradles [m]
STEP, T_END, G = 1e-3, 3.0, 9.81  # [s], [m/s^2]
TOWARD = (0.55, -1.0, 0.3)
SPEED = math.sqrt(2 * G * LENGTH * (1 - math.cos(ANGLE)) / (1 + 0.4 * (RADIUS / LENGTH) ** 2))  # at the bottom [m/s]


def name(raised: int, k: int) -> str:
    return f"cradle {raised} ball {k}"


def build() -> gk.Model:
    b = gk.Builder(name="cradle")
    b.material("steel", density=7800, friction=0.0, restitution=1.0, color=(0.62, 0.66, 0.72))
    b.material("wood", color=(0.66, 0.49, 0.33))
    for n, raised in enumerate(RAISED):
        y, width = APART * n, 2 * RADIUS * BALLS
        b.body(f"bar {raised}", shape=gk.Box((width, 0.03, 0.03)), material="wood", static=True, at=(0, y, 0.015))
        for k in range(BALLS):
            turn = ANGLE if k < raised else 0.0
            x = 2 * RADIUS * (k - (BALLS - 1) / 2)
            at = (x - LENGTH * math.sin(turn), y, -LENGTH * math.cos(turn))
            ball = name(raised, k)
            b.body(ball, shape=gk.Sphere(RADIUS), material="steel", at=at)
            b.add(gk.Hinge(name=f"string of {ball}", a="world", b=ball, at=(x, y, 0), axis=(0, 1, 0)))
    return b.build()


def simulate() -> gk.Run:
    outputs = {"fed": lambda sim: float(sim.info["impacts_that_fed_energy"])}
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=2 * STEP, outputs=outputs)


def speeds(run: gk.Run, raised: int) -> np.ndarray:
    """(n, BALLS) along x [m/s]."""
    return np.stack([run[name(raised, k)].velocity[:, 0] for k in range(BALLS)], axis=1)


def after_impact(run: gk.Run, raised: int) -> np.ndarray:
    """(BALLS,) speeds just after the first impact [m/s]."""
    v = speeds(run, raised)
    return v[np.flatnonzero(v[:, -1] > 0.5 * SPEED)[0]]


def check(run: gk.Run) -> None:
    for raised in RAISED:
        expected = np.where(np.arange(BALLS) >= BALLS - raised, SPEED, 0.0)
        # A swing of order 1 comes with an error of h times its rate, 1/200; balls that stay have less than 1 %.
        np.testing.assert_allclose(after_impact(run, raised), expected, atol=0.01 * SPEED)
    assert not run["fed"].any()
    energy = run["energy.total"]
    assert np.ptp(energy) < 0.02 * (energy[0] - rest_energy(run))


def rest_energy(run: gk.Run) -> float:
    """Of all balls at the bottom [J]."""
    return sum(-run.parts.body(name(n, k)).mass * G * LENGTH for n in RAISED for k in range(BALLS))


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.2))
    first = np.flatnonzero(speeds(run, 1)[:, -1] > 0.5 * SPEED)[0]
    high = first + np.argmax(run[name(1, BALLS - 1)].position[first : first + 400, 0])
    camera = Camera(np.array(TOWARD))
    for j, sample in enumerate((0, first, high)):
        panel = figure.add_axes((0.333 * j, 0.4, 0.333, 0.5))
        draw_instant(panel, run, sample, (0, APART, -0.25), (1.55, 1.1), toward=TOWARD, pixels=293)
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
        for raised in RAISED:
            for k in range(BALLS):
                pivot = np.array([2 * RADIUS * (k - (BALLS - 1) / 2), APART * RAISED.index(raised), 0.0])
                ends = camera.project(np.array([pivot, run[name(raised, k)].position[sample]]))[0]
                way = ends[1] - ends[0]
                ends[1] -= way * RADIUS / LENGTH
                panel.plot(ends[:, 0], ends[:, 1], color="0.35", linewidth=0.7)
    for j, raised in enumerate(RAISED):
        panel = figure.add_axes((0.05 + 0.325 * j, 0.09, 0.28, 0.25))
        for k in range(BALLS):
            swing = run[name(raised, k)].position[:, 0] - 2 * RADIUS * (k - (BALLS - 1) / 2)
            panel.plot(run.time, np.degrees(np.arcsin(swing / LENGTH)), linewidth=1, label=f"{k + 1}")
        panel.set_title(f"{raised} in: angles of the balls [deg]", fontsize=9)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("Newton's cradle with balls that touch: as many leave as came, the others stay", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Newton's cradle with one, two and three balls.")
    parser.add_argument("--out", default="cradle.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"speeds of balls 1 to {BALLS} after the first impact [m/s]; closed form 0 or {SPEED:.3f}")
    for raised in RAISED:
        print(f"  {raised} in  " + "".join(f"{v:9.4f}" for v in after_impact(run, raised)))
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
