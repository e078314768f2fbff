"""Tippe top: a top that turns over as it spins, because it slides on the table.

A ball with a stem, its centre of mass below the middle. At rest it stands on its belly. Spun fast, it slides a little
on the table; friction at the one point where it touches turns it over, against gravity, until the stem touches the
table and it rises onto it. The spin that it began with ends up the other way round in the body. Without friction it
would spin on its belly for ever: one small force, in the right direction and at every moment, decides.

Proof. Whatever friction does, the angular momentum along the line from the centre of mass to the point of contact does
not change as long as the ball alone touches: Jellett's integral,  L . r.  Friction only takes energy.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

RADIUS, BELOW, MASS, G = 0.02, 0.2, 0.02, 9.81  # [m], centre of mass below the middle in radii, [kg]
STEM, TIP = 1.2, 0.3  # middle of the tip of the stem, and its radius, in radii of the ball
SPIN, TILT, FRICTION = 250.0, 0.1, 0.2  # [rad/s], [rad]
STEP, T_END = 1e-4, 6.5  # [s]; 1/40 rad in a step


def build(friction: float = FRICTION) -> gk.Model:
    b = gk.Builder(name="tippe top")
    b.material("wood", friction=friction, color=(0.80, 0.42, 0.30))
    b.material("table", friction=friction, color=(0.80, 0.84, 0.86))
    b.body("table", shape=gk.Plane(), material="table", static=True)
    axis = np.array([0.0, -math.sin(TILT), math.cos(TILT)])
    spin = SPIN * axis
    parts = [gk.Sphere(RADIUS), gk.Part(gk.Capsule(TIP * RADIUS, 0.5 * RADIUS), at=(0, 0, (STEM - 0.25) * RADIUS))]
    moment = 0.4 * MASS * RADIUS**2
    b.body("top", shape=parts, material="wood", mass=MASS, com=(0, 0, -BELOW * RADIUS),
           inertia=(0.97 * moment, 0.97 * moment, moment), at=(0, 0, RADIUS),
           rotation=gk.turned("x", TILT), angular_velocity=spin)  # fmt: skip
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=0.01)


def upright(run: gk.Run) -> np.ndarray:
    """Cosine of the angle of the stem from straight up."""
    return run["top"].rotation[:, 2, 2]


def jellett(run: gk.Run) -> np.ndarray:
    """L . r  with r from the centre of mass to the lowest point of the ball [N m s m]."""
    top = run["top"]
    L_B = top.angular_velocity_body @ np.array(run.parts.body("top").inertia)
    L_W = np.einsum("kij,kj->ki", top.rotation, L_B)
    return np.einsum("ki,ki->k", L_W, top.position - (0, 0, RADIUS) - top.com)


def on_belly(run: gk.Run) -> np.ndarray:
    """Whether the stem is still clear of the table: up to the first time that it is not."""
    high = RADIUS + upright(run) * STEM * RADIUS - TIP * RADIUS
    return np.arange(len(run)) < np.flatnonzero(high < 0.02 * RADIUS)[0]


def check(run: gk.Run) -> None:
    assert upright(run)[0] > 0.99
    assert upright(run)[-50:].max() < -0.9, "it stands on its stem in the end"
    invariant = jellett(run)[on_belly(run)]
    # Order 1 with 1/40 rad a step over some 200 turns.
    np.testing.assert_allclose(invariant, invariant[0], rtol=0.01)
    energy = run["energy.total"]
    assert np.diff(energy).max() < 1e-5 * energy[0]
    assert run["top"].com[-1, 2] > RADIUS, "its weight has risen"


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.9))
    cosine = upright(run)
    moments = [0, *(int(np.flatnonzero(cosine < c)[0]) for c in (0.7, 0.1, -0.5)), len(run) - 1]
    for k, sample in enumerate(moments):
        panel = figure.add_axes((0.2 * k, 0.36, 0.198, 0.54))
        middle = run["top"].position[sample] * (1, 1, 0) + (0, 0, 0.9 * RADIUS)
        draw_instant(panel, run, sample, middle, (0.088, 0.1), toward=(0.3, -1.0, 0.35), pixels=175)
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
    panels = [figure.add_axes((left, 0.1, 0.26, 0.22)) for left in (0.05, 0.385, 0.72)]
    panels[0].plot(run.time, np.degrees(np.arccos(np.clip(cosine, -1, 1))), color="#c44e52")
    panels[0].set_title("angle of the stem from upright [deg]", fontsize=9)
    belly = on_belly(run)
    panels[1].plot(run.time, jellett(run) / jellett(run)[0], color="0.7", label="stem touches")
    panels[1].plot(run.time[belly], (jellett(run) / jellett(run)[0])[belly], color="#4c72b0", label="ball alone")
    panels[1].set_ylim(0, 1.2)
    panels[1].legend(fontsize=7)
    panels[1].set_title("Jellett's integral over that of the start", fontsize=9)
    panels[2].plot(run.time, 1000 * run["energy.kinetic"], color="#4c72b0", label="motion")
    panels[2].plot(run.time, 1000 * run["energy.potential"], color="#55a868", label="height")
    panels[2].legend(fontsize=7)
    panels[2].set_title("energy [mJ]", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("A tippe top turns over: friction at one point lifts its weight", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A top that turns over.")
    parser.add_argument("--out", default="tippe_top.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    share = jellett(run)[on_belly(run)] / jellett(run)[0]
    rise = 1000 * (run["top"].com[-1, 2] - run["top"].com[0, 2])
    first, last = upright(run)[[0, -1]]
    print(f"the stem goes from {first:+.2f} to {last:+.2f} (cosine), the weight rises by {rise:.1f} mm")
    print(f"Jellett's integral stays within {100 * np.ptp(share):.2f} % until the stem touches, closed form 0")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
