"""Slope and stop: what sticks, what slides, how far it goes, and when a ball rolls.

Four blocks stand on a slope of 25 degrees. One is rough enough to stick, one is smooth and slides. Two more are alike,
rough at rest and smooth in motion: the one that is let go stays, the one with a push goes. On the level three pucks
slide until friction has stopped them, and a ball that was thrown without spin slides until it rolls. All of it is one
law, Coulomb's cone, with one coefficient for sticking and one for sliding.

Proof. On a slope a block sticks if  tan a < mu_s,  and slides with  g (sin a - mu cos a).  A puck stops after
v^2 / (2 mu g)  and never turns back; a ball rolls at 5/7 of its speed from  t = 2 v / (7 mu g)  on.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

ANGLE, G = math.radians(25), 9.81
BLOCKS = {"rough": (0.6, 0.6, 0.0), "smooth": (0.2, 0.2, 0.0), "let go": (0.2, 0.6, 0.0), "pushed": (0.2, 0.6, 0.2)}
COLORS = {"rough": (0.75, 0.36, 0.32), "smooth": (0.35, 0.55, 0.78), "let go": (0.45, 0.66, 0.45),
          "pushed": (0.85, 0.68, 0.35)}  # fmt: skip
PUCKS = {"puck 0.2": 0.2, "puck 0.3": 0.3, "puck 0.6": 0.6}  # coefficients of friction
SIZE, FAST, RADIUS, BALL_FRICTION = (0.3, 0.25, 0.15), 2.5, 0.1, 0.1  # [m], [m/s], [m]
STEP, T_END = 2e-3, 1.2  # [s]
DOWN = np.array([math.cos(ANGLE), 0.0, -math.sin(ANGLE)])
UP = np.array([math.sin(ANGLE), 0.0, math.cos(ANGLE)])


def build() -> gk.Model:
    b = gk.Builder(name="slope and stop")
    b.body("ground", shape=gk.Plane(), static=True)
    turn = gk.turned("y", ANGLE)
    length, thick, middle = 3.2, 0.1, np.array([-1.7, 1.0, 0.8])  # of the slope [m]
    b.body("slope", shape=gk.Box((length, 2.0, thick)), static=True, at=middle - UP * thick / 2, rotation=turn)
    for k, (name, (friction, static, speed)) in enumerate(BLOCKS.items()):
        b.material(name, friction=friction, static_friction=static, color=COLORS[name])
        at = middle + np.array([0, 0.5 * (k - 1.5), 0]) - DOWN * 1.1 + UP * SIZE[2] / 2
        b.body(name, shape=gk.Box(SIZE), material=name, at=at, rotation=turn, velocity=speed * DOWN)
    for k, (name, mu) in enumerate(PUCKS.items()):
        b.material(name, friction=mu, color=(0.25 + 0.3 * k, 0.4, 0.75 - 0.25 * k))
        at = (-3.0, -0.5 - 0.4 * k, 0.04)
        b.body(name, shape=gk.Cylinder(radius=0.13, length=0.08), material=name, at=at, velocity=(FAST, 0, 0))
    b.material("ball", friction=BALL_FRICTION, color=(0.92, 0.9, 0.85))
    b.body("ball", shape=gk.Sphere(RADIUS), material="ball", at=(-3.0, -1.7, RADIUS), velocity=(FAST, 0, 0))
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=STEP)


def way(run: gk.Run, name: str) -> np.ndarray:
    """Along the slope, or on the level along x [m]."""
    return (run[name].position - run[name].position[0]) @ (DOWN if name in BLOCKS else [1.0, 0.0, 0.0])


def expected(name: str, t: np.ndarray) -> np.ndarray:
    """The same by the closed forms [m]."""
    if name in BLOCKS:
        friction, static, speed = BLOCKS[name]
        if speed == 0 and math.tan(ANGLE) < static:
            return 0.0 * t
        return speed * t + 0.5 * G * (math.sin(ANGLE) - friction * math.cos(ANGLE)) * t**2
    mu, slower = (PUCKS[name], 1.0) if name in PUCKS else (BALL_FRICTION, 2 / 7)
    end = slower * FAST / (mu * G)  # of the sliding [s]
    s = np.minimum(t, end)
    return FAST * s - 0.5 * mu * G * s**2 + (0.0 if name in PUCKS else 5 / 7 * FAST) * (t - s)


def check(run: gk.Run) -> None:
    for name in (*BLOCKS, *PUCKS, "ball"):
        # Order 1: velocities are those of the end of each step, ways are off by at most h/2 times the change of speed.
        np.testing.assert_allclose(way(run, name), expected(name, run.time), atol=0.51 * STEP * 5.0, err_msg=name)
    for name in PUCKS:
        assert np.diff(way(run, name)).min() > -1e-12
    for name in ("rough", "let go"):
        assert np.abs(way(run, name)).max() < 1e-7
    assert abs(run["ball"].velocity[-1, 0] - 5 / 7 * FAST) < 1e-6
    assert abs(run["ball"].angular_velocity[-1, 1] * RADIUS - 5 / 7 * FAST) < 1e-6


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.0))
    for k, sample in enumerate((0, len(run) - 1)):
        scene = figure.add_axes((0.335 * k, 0.0, 0.33, 0.9))
        draw_instant(scene, run, sample, (-1.55, -0.2, 0.72), (4.3, 4.1), toward=(0.35, -1.0, 0.5), pixels=290,
                     colors={"ground": (0.92, 0.92, 0.9), "slope": (0.8, 0.76, 0.68)})  # fmt: skip
        scene.set_title(f"{run.time[sample]:.1f} s", fontsize=9)
    panels = [figure.add_axes((0.73, bottom, 0.255, 0.34)) for bottom in (0.55, 0.1)]
    for panel, names, title in (
        (panels[0], BLOCKS, "slope: way down [m]"),
        (panels[1], (*PUCKS, "ball"), "level: way [m]"),
    ):
        for name in names:
            color = next(m.color for m in run.model.materials if m.name == name)
            color = tuple(0.8 * c for c in color)
            panel.plot(run.time, expected(name, run.time), color=color, linewidth=3, alpha=0.4)
            panel.plot(run.time, way(run, name), color=color, linewidth=1, label=name)
        panel.set_title(f"{title}, pale: closed form", fontsize=9)
        panel.legend(fontsize=7)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("Friction: sticking, sliding, stopping, rolling", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Blocks on a slope, pucks that stop, a ball that begins to roll.")
    parser.add_argument("--out", default="slope_and_stop.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    names = (*BLOCKS, *PUCKS, "ball")
    print("               " + "".join(f"{name:>10}" for name in names))
    print("way [m]        " + "".join(f"{abs(way(run, name)[-1]):10.4f}" for name in names))
    print("closed form [m]" + "".join(f"{expected(name, run.time)[-1]:10.4f}" for name in names))
    print(f"speed of the ball {run['ball'].velocity[-1, 0]:.6f} m/s, 5/7 of {FAST} is {5 / 7 * FAST:.6f}; {out}")


if __name__ == "__main__":
    main()
