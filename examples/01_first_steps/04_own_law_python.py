"""Own law: the sun's pull as a Python function, and the inner planets on their orbits.

A force law of your own is a function of time, state and loads that adds to the loads. As plain Python it works at once
and may call anything, here NumPy; it costs some microseconds a call, which is plenty for four planets.

    f = -G M m r / |r|^3

Proof. Kepler's third law: the square of the period over the cube of the half axis is 4 pi^2 / (G M) for every planet.
The orbits start at perihelion with the speed of a Kepler ellipse, and the periods come out as the almanac has them.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

GM = 1.32712440018e20  # of the sun [m^3/s^2]
AU, DAY = 1.495978707e11, 86400.0  # [m], [s]
# Half axis [AU], eccentricity, longitude of the perihelion [deg], mass [kg], period in the almanac [d].
# Source: JPL, Approximate Positions of the Planets, table 1; NASA Planetary Fact Sheet for the last two.
PLANETS = {
    "Mercury": (0.38709927, 0.20563593, 77.458, 0.330e24, 87.969),
    "Venus": (0.72333566, 0.00677672, 131.602, 4.87e24, 224.701),
    "Earth": (1.00000261, 0.01671123, 102.938, 5.97e24, 365.256),
    "Mars": (1.52371034, 0.09339410, 336.056, 0.642e24, 686.980),
}
MASS = np.array([p[3] for p in PLANETS.values()])


def sun(t, state, loads):
    """Pull of the sun on all planets. Row 0 of every table is the world, then come the particles as they were added."""
    r = state.p_WC[1:]
    distance = np.linalg.norm(r, axis=1)
    loads.force_W[1:] -= (GM * MASS / distance**3)[:, None] * r


def build() -> gk.Model:
    b = gk.Builder(gravity=(0, 0, 0), name="planets")
    for name, (a, e, longitude, mass, _) in PLANETS.items():
        toward = np.array([np.cos(np.radians(longitude)), np.sin(np.radians(longitude)), 0])
        across = np.array([-toward[1], toward[0], 0])
        speed = np.sqrt(GM / (a * AU) * (1 + e) / (1 - e))  # at perihelion
        b.particle(name, mass=mass, at=a * AU * (1 - e) * toward, velocity=speed * across)
    b.add(gk.Law("sun", sun))
    return b.build()


def simulate() -> gk.Run:
    """Two years of Mars in steps of six hours."""
    return gk.simulate(build(), t_end=1375 * DAY, method=gk.FreeMotion(h=DAY / 4), output_dt=DAY)


def check(run: gk.Run) -> None:
    for name, (a, e, _, _, almanac) in PLANETS.items():
        r, v = run[name].position, run[name].velocity
        distance = np.linalg.norm(r, axis=1)
        # Energy and area law, each planet for itself. Mercury is the worst: 352 steps a turn, order 4 and 15 turns give
        # 15 (2 pi / 352)^4 = 2e-6 times a small constant.
        energy, area = np.sum(v * v, axis=1) / 2 - GM / distance, np.cross(r, v)[:, 2] / 2
        np.testing.assert_allclose(energy, -GM / (2 * a * AU), rtol=1e-7)
        np.testing.assert_allclose(area, area[0], rtol=1e-7)
        # The ellipse: perihelion and aphelion. A sample a day misses the turn by half a day at most, 1e-3 of the
        # distance for Mercury.
        np.testing.assert_allclose([distance.min(), distance.max()], a * AU * np.array([1 - e, 1 + e]), rtol=1e-3)
        # Kepler's third law; the interpolation of the perihelion is good to 1e-7 of a turn.
        np.testing.assert_allclose(period(run, name) ** 2 / (a * AU) ** 3, 4 * np.pi**2 / GM, rtol=1e-6)
        # The sky: the planets also pull each other, which shifts the true periods in the fifth digit.
        np.testing.assert_allclose(period(run, name) / DAY, almanac, rtol=5e-5)


def period(run: gk.Run, planet: str) -> float:
    """Mean time from perihelion to perihelion [s], where the distance stops to shrink:  r . v = 0, rising."""
    t, rate = run.time[1:], np.sum(run[planet].position * run[planet].velocity, axis=1)[1:]  # not the one at the start
    k = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0))
    times = t[k] - rate[k] * (t[k + 1] - t[k]) / (rate[k + 1] - rate[k])
    return float(times[-1] / len(times))


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(0, 0, "o", markersize=9, color="#e1a100")
    for name, color in zip(PLANETS, ("#8c8c8c", "#ccb974", "#4c72b0", "#c44e52")):
        x, y, _ = run[name].position.T / AU
        days = int(period(run, name) / DAY)
        left.plot(x[: days + 2], y[: days + 2], color=color, linewidth=1)
        left.plot(x[:days:30], y[:days:30], "o", markersize=3.5, color=color)
        a = PLANETS[name][0]
        right.loglog(a, period(run, name) / DAY, "o", color=color, label=f"{name}: {period(run, name) / DAY:.2f} d")
    left.set(title="Orbits, a dot every 30 days", xlabel="x [AU]", ylabel="y [AU]", aspect="equal")
    a = np.array([0.3, 2.0])
    right.loglog(a, 365.2569 * a**1.5, color="0.6", linewidth=1, zorder=0, label="$T^2 = 4 \\pi^2 a^3 / GM$")
    right.set(title="Kepler's third law", xlabel="half axis [AU]", ylabel="period [d]")
    right.set_xticks([0.4, 0.7, 1, 1.5], ["0.4", "0.7", "1", "1.5"], minor=False)
    right.set_xticks([], minor=True)
    right.set_yticks([100, 200, 400, 700], ["100", "200", "400", "700"], minor=False)
    right.set_yticks([], minor=True)
    right.legend(fontsize=8)
    for panel in (left, right):
        panel.grid(alpha=0.25)
    figure.savefig(out, dpi=90)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="The inner planets under the pull of the sun, as a Python function.")
    parser.add_argument("--out", default="planets.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    for name, (*_, almanac) in PLANETS.items():
        print(f"{name:8} {period(run, name) / DAY:8.3f} days, almanac {almanac:8.3f}")
    print(f"{4 * run.time[-1] / run.attributes['h'] / run.wall_time:.0f} calls of the law a second; picture in {out}")


if __name__ == "__main__":
    main()
