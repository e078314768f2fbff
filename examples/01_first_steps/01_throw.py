"""Throw: three tennis balls, one in empty space and two in air.

The first ball flies without drag, the second with it: same throw, half the range. The third is dropped from a tower
and shows how a fall in air ends, at a constant speed. A model is built in `build`, and one call moves it.

Proof. Each ball has a closed form, with the terminal speed  v_T = sqrt(2 m g / (rho c_d A)):

    without drag    x = x0 + u t,   z = z0 + w t - g t^2 / 2                               a parabola
    dropped         v = v_T tanh(g t / v_T)                                                ends at v_T
    thrown in air   1/u^2 + (p sqrt(1 + p^2) + asinh p) / v_T^2  is constant               p = w / u, slope of the path

with u and w the horizontal and vertical velocity. The last one is Johann Bernoulli's, from 1719.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

MASS, AREA = 0.058, 0.00194  # a tennis ball: [kg], drag area c_d A = 0.55 times its disc [m^2]
THROW = (21.0, 0.0, 21.0)  # [m/s], 45 degrees upwards
TOWER = 120.0  # [m]
G, AIR_DENSITY = 9.81, 1.225  # what the package takes if nothing is said
TERMINAL_SPEED = np.sqrt(2 * MASS * G / (AIR_DENSITY * AREA))


def build() -> gk.Model:
    b = gk.Builder(name="throw")
    b.particle("in vacuum", mass=MASS, velocity=THROW)
    b.particle("in air", mass=MASS, velocity=THROW)
    b.particle("dropped", mass=MASS, at=(0, 0, TOWER))
    b.add(gk.Drag("air 1", "in air", area=AREA))
    b.add(gk.Drag("air 2", "dropped", area=AREA))
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), t_end=6.0, output_dt=0.01)


def check(run: gk.Run) -> None:
    t = run.time
    # Runge-Kutta of order 4 is exact on a parabola: only round-off is left, on numbers of about 100 m.
    x, _, z = run["in vacuum"].position.T
    np.testing.assert_allclose(x, THROW[0] * t, atol=1e-10)
    np.testing.assert_allclose(z, THROW[2] * t - G / 2 * t**2, atol=1e-10)
    # With drag its error is about (h g / v_T)^4 = 4e-14 for h = 1 ms, again below the round-off of 6000 steps.
    fall = -run["dropped"].velocity[:, 2]
    np.testing.assert_allclose(fall, TERMINAL_SPEED * np.tanh(G * t / TERMINAL_SPEED), atol=1e-10)
    u, _, w = run["in air"].velocity.T
    slope = w / u
    constant = 1 / u**2 + (slope * np.sqrt(1 + slope**2) + np.arcsinh(slope)) / TERMINAL_SPEED**2
    np.testing.assert_allclose(constant, constant[0], rtol=1e-10)
    # What the closed forms are about: air costs a good part of the range, and the fall ends at the terminal speed.
    assert landing(run, "in air") < 0.6 * landing(run, "in vacuum")
    assert 0.98 * TERMINAL_SPEED < fall[-1] < TERMINAL_SPEED


def landing(run: gk.Run, ball: str) -> float:
    """Where a ball comes down to the height of the throw [m]."""
    x, _, z = run[ball].position.T
    after = np.flatnonzero(z < 0)[0]
    return float(np.interp(0.0, z[[after, after - 1]], x[[after, after - 1]]))


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(9.5, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.9, 1))
    for ball, color in (("in vacuum", "#4c72b0"), ("in air", "#c44e52")):
        x, _, z = run[ball].position.T
        left.plot(x[z >= 0], z[z >= 0], color=color, label=f"{ball}: {landing(run, ball):.0f} m")
        left.plot(x[z >= 0][::50], z[z >= 0][::50], "o", markersize=4, color=color)
    left.set(title="A throw at 45°, a dot every 0.5 s", xlabel="x [m]", ylabel="z [m]", aspect="equal", ylim=(0, 32))
    right.plot(run.time, -run["dropped"].velocity[:, 2], color="#c44e52", label="dropped")
    t = np.linspace(0, 6, 25)
    right.plot(t, TERMINAL_SPEED * np.tanh(G * t / TERMINAL_SPEED), "k.", label="$v_T$ tanh($g\\,t / v_T$)")
    right.axhline(TERMINAL_SPEED, color="0.6", linewidth=1, linestyle="--")
    right.set(title="A fall in air ends at constant speed", xlabel="time [s]", ylabel="speed [m/s]", ylim=(0, 25))
    for panel, corner in ((left, "upper right"), (right, "lower right")):
        panel.grid(alpha=0.25)
        panel.legend(loc=corner, fontsize=8)
    figure.savefig(out, dpi=100)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Three tennis balls, with and without air.")
    parser.add_argument("--out", default="throw.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"range without air {landing(run, 'in vacuum'):.1f} m, with air {landing(run, 'in air'):.1f} m")
    print(f"speed of the fall after 6 s {-run['dropped'].velocity[-1, 2]:.2f} m/s, terminal {TERMINAL_SPEED:.2f} m/s")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
