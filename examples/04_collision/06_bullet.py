"""Bullet: steps of 10 ms jump over a thin plate, the time of impact does not.

A ball of 1 cm flies at 300 m/s towards a plate of 5 mm. In a step of 10 ms it goes three metres: before it and after it
the ball is far from the plate, and whoever looks at the ends of steps alone sees nothing. ``impacts`` looks at the
whole step: it finds when two bodies meet that keep their velocities, however thin and fast they are. ``sweep`` asks the
same for a shape and a way that are in no model.

Proof. The ball meets the plate when it has gone from its start to the face less its radius:  t = (x - r) / v.  The time
found is never later, and earlier by no more than the gap that counts as contact, a millionth of the sizes.
"""

import argparse
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

import gelenk as gk

RADIUS, SPEED = 0.005, 300.0  # [m], [m/s]
THICK, FACE = 0.005, 7.4  # of the plate, and where its front is, from the middle of the ball at the start [m]
WIDE = 0.4  # [m]
STEP, T_END = 0.01, 0.05  # [s]
HIT = (FACE - RADIUS) / SPEED  # [s]


def build() -> gk.Model:
    b = gk.Builder(name="bullet", gravity=(0, 0, 0))
    b.body("plate", shape=gk.Box((THICK, WIDE, WIDE)), static=True, at=(FACE + THICK / 2, 0, 0))
    b.body("bullet", shape=gk.Sphere(RADIUS), density=8000, velocity=(SPEED, 0, 0))
    return b.build()


def simulate() -> gk.Run:
    """The bullet flies on; ``points`` is what is found at the end of each step, ``impact`` what is found within it."""
    model = build()
    world = gk.CollisionWorld(model)

    def points(sim: gk.Simulation) -> float:
        return len(world.detect(sim.state))

    def impact(sim: gk.Simulation) -> float:
        found = world.impacts(sim.state, STEP)
        return sim.time + found[0].time if found else np.inf

    return gk.simulate(
        model, T_END, method=gk.FreeMotion(h=STEP), output_dt=STEP, outputs={"points": points, "impact": impact}
    )


def check(run: gk.Run) -> None:
    assert not run["points"].any()
    assert run["bullet"].position[-1, 0] > FACE + 1.0
    # One step has it: never late, and early by the gap over the speed at most. The sizes are those of ball and plate.
    found = run["impact"][np.isfinite(run["impact"])]
    assert len(found) == 1
    gap = 1e-6 * (RADIUS + np.linalg.norm([THICK, WIDE, WIDE]) / 2)
    round_off = 1e-14
    assert HIT - gap / SPEED - round_off <= found[0] <= HIT + round_off
    hit = gk.CollisionWorld(run.model).sweep(gk.Sphere(RADIUS), at=(1, 0, 0), way=(20, 0, 0))
    assert (hit.body, tuple(hit.normal)) == ("plate", (-1.0, 0.0, 0.0))
    assert FACE - RADIUS - 1 - gap - round_off <= hit.distance <= FACE - RADIUS - 1 + round_off


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 3.6))
    far, near = figure.add_axes((0.03, 0.16, 0.53, 0.66)), figure.add_axes((0.63, 0.12, 0.36, 0.74))
    x, found = run["bullet"].position[:, 0], run["impact"].min()
    far.axvspan(FACE, FACE + 12 * THICK, color="0.45")
    far.text(FACE, 0.78, "plate, 5 mm ", fontsize=8, ha="right")
    for k, (a, b) in enumerate(pairwise(x)):
        far.annotate("", (b, 0.35), (a, 0.35), arrowprops={"arrowstyle": "->", "color": "#c44e52", "shrinkB": 4})
        far.text((a + b) / 2, 0.43, f"step {k + 1}", fontsize=7, ha="center", color="#c44e52")
    far.plot(
        x, np.full(len(x), 0.35), "o", color="#c44e52", markersize=6, label="ends of steps: no contact at any of them"
    )
    stops = [*x[x < FACE], SPEED * found]
    far.plot(stops, np.full(len(stops), -0.35), "o-", color="#4c72b0", markersize=6, linewidth=1,
             label=f"with the time of impact: stopped at {1000 * found:.3f} ms")  # fmt: skip
    far.set(ylim=(-1, 1), yticks=[], xlim=(-0.6, x[-1] + 0.6))
    far.set_xlabel("way of the bullet [m]", fontsize=8)
    far.legend(fontsize=7, loc="lower right")
    far.tick_params(labelsize=7)
    draw_touch(near, SPEED * found)
    near.set_title("where it meets the plate", fontsize=9)
    figure.suptitle(
        "300 m/s at steps of 10 ms: plain stepping misses the plate, the time of impact does not", fontsize=12
    )
    figure.savefig(out, dpi=80)


def draw_touch(panel: Axes, x: float) -> None:
    """Ball and plate at the time of impact, from the front of the plate [mm]."""
    mm, at = 1000.0, 1000.0 * (x - FACE)
    panel.add_patch(Rectangle((0, -14), mm * THICK, 28, facecolor="0.75", edgecolor="0.3"))
    for k in range(4):
        panel.add_patch(
            Circle((at - 7 * k, 0), mm * RADIUS, facecolor="#4c72b0", alpha=0.9 / (1 + 2 * k), edgecolor="none")
        )
    panel.annotate(
        "", (-8, 0), (0, 0), arrowprops={"arrowstyle": "-|>", "color": "#d62728", "linewidth": 1.6, "shrinkA": 0}
    )
    panel.plot(0, 0, "ko", markersize=5, markeredgecolor="white")
    panel.set(xlim=(-33, 12), ylim=(-15, 15), aspect="equal")
    panel.set_xlabel("[mm]", fontsize=8)
    panel.tick_params(labelsize=7)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A bullet, a thin plate, and the time of impact.")
    parser.add_argument("--out", default="bullet.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"steps of {1000 * STEP:g} ms see {int(run['points'].sum())} contacts, and the bullet is behind the plate")
    print(f"impact at {1000 * run['impact'].min():.6f} ms, by the closed form {1000 * HIT:.6f} ms")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
