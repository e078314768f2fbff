"""Bouncing balls: a ball comes back to the square of its coefficient of restitution, every time.

Seven balls are thrown side by side from the same height, with restitutions from 0 to 1. A material says how they
bounce; all that is left to say is the step, and what is seen does not depend on it: an impact is found at its own time
within a step, with the velocities of that moment. A ball without loss bounces for as long as you like, one with loss
makes infinitely many bounces in a finite time and then rests.

Proof. After n impacts a ball rises to  e^(2n) H,  and its bounces end after  T (1 + e) / (1 - e)  with the time of the
fall  T = sqrt(2 H / g).  What is slower than gravity makes it in two steps rests at once.
"""

import argparse

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import save_small
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_shapes

RESTITUTIONS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
RADIUS, HEIGHT, LANE, SPEED, G = 0.05, 1.0, 0.3, 0.9, 9.81  # [m], of the throw [m/s], [m/s^2]
STEP, T_END = 2e-3, 4.0  # [s]
FALL = np.sqrt(2 * HEIGHT / G)  # [s]
EYE = Camera(np.array([-0.1, -1.0, 0.55]))


def name(e: float) -> str:
    return f"e {e:g}"


def build() -> gk.Model:
    b = gk.Builder(name="bouncing balls")
    b.body("ground", shape=gk.Plane(), static=True)
    for k, e in enumerate(RESTITUTIONS):
        b.material(name(e), restitution=e, friction=0.0, color=colormaps["viridis"](0.95 * e)[:3])
        at = (0, LANE * k, RADIUS + HEIGHT)
        b.body(name(e), shape=gk.Sphere(RADIUS), material=name(e), at=at, velocity=(SPEED, 0, 0))
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=STEP)


def impacts(e: float) -> np.ndarray:
    """Times of the impacts by the closed form, as long as the flights after them take more than eight steps [s]."""
    times, flight = [FALL], 2 * FALL * e
    while e > 0 and times[-1] + flight < T_END and e * flight > 8 * STEP:
        times.append(times[-1] + flight)
        flight *= e
    return np.array(times)


def heights(run: gk.Run, e: float) -> np.ndarray:
    """(n,) that the ball rises to after each impact: its height and speed in the middle of each flight [m]."""
    times = impacts(e)
    middle = times + np.maximum(FALL * e ** np.arange(1, len(times) + 1), 3 * STEP)
    ball, at = run[name(e)], np.minimum(np.round(middle / STEP), len(run) - 1).astype(int)
    return ball.position[at, 2] - RADIUS + ball.velocity[at, 2] ** 2 / (2 * G)


def check(run: gk.Run) -> None:
    # Flight and impact are exact, so that round-off of some dozen impacts is left: far below the 1 % that count.
    for e in RESTITUTIONS:
        found = heights(run, e)
        np.testing.assert_allclose(found, HEIGHT * e ** (2.0 * np.arange(1, len(found) + 1)), atol=1e-9)
    # A ball that rests, rests: nothing trembles, and nothing sinks.
    rest = run[name(0.5)].position[run.time > FALL * (1 + 0.5) / (1 - 0.5) + 0.05, 2]
    assert np.abs(rest - RADIUS).max() < 1e-5


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.8))
    scene, panel = figure.add_axes((0.0, 0.0, 0.68, 0.93)), figure.add_axes((0.74, 0.14, 0.24, 0.72))
    every = round(0.06 / STEP)
    shots = gk.Builder()
    shots.body("ground", shape=gk.Plane(), static=True)
    colors = {"ground": (0.93, 0.93, 0.91)}
    for e in RESTITUTIONS:
        for k, at in enumerate(run[name(e)].position[::every]):
            shots.body(f"{name(e)} {k}", shape=gk.Sphere(RADIUS), static=True, at=at)
            colors[f"{name(e)} {k}"] = colormaps["viridis"](0.95 * e)[:3]
    world = gk.CollisionWorld(shots.build())
    draw_shapes(scene, world, EYE, (1.7, 0.9, 0.5), (4.0, 2.35), [Layer(color=colors)], pixels=590)
    for e in RESTITUTIONS:
        color, found = colormaps["viridis"](0.95 * e), heights(run, e)
        n = np.arange(1, len(found) + 1)
        panel.semilogy(n, HEIGHT * e ** (2.0 * n), "-", color=color, linewidth=1)
        panel.semilogy(n, found, "o", color=color, markersize=4, label=name(e))
    panel.set(xlim=(0.5, 14.5), ylim=(1e-3, 3))
    panel.set_title("height after n impacts [m]; lines: e^(2n) H", fontsize=9)
    panel.set_xlabel("impacts", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.legend(fontsize=7, loc="upper right")
    panel.grid(alpha=0.25)
    figure.suptitle("Seven balls, one picture every 0.06 s: each comes back to e² of its height", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Balls that bounce with restitutions from 0 to 1.")
    parser.add_argument("--out", default="bouncing_balls.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    first = [heights(run, e)[0] for e in RESTITUTIONS]
    print("restitution e  " + "".join(f"{e:9.1f}" for e in RESTITUTIONS))
    print("rises to [m]   " + "".join(f"{max(h, 0.0):9.6f}" for h in first))
    print("e^2 H [m]      " + "".join(f"{HEIGHT * e * e:9.6f}" for e in RESTITUTIONS))
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
