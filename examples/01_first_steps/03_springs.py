"""Springs: two boxes tumble about each other, tied corner to corner.

Four springs of rest length zero join the corners of a large box with those of a small one. Nothing else acts, so energy
and both momenta are constant, whatever the boxes do. Five minutes of it show what schemes are good for: the implicit
midpoint rule lets the energy swing in a narrow band for ever and turns the angular momentum slowly, Runge-Kutta, though
of higher order, loses a little energy on every turn.

Proof. The four corners of each box lie evenly about its centre, so the springs pull the centres together with 4 k d,
d their distance, no matter how the boxes are turned: d is a harmonic oscillator inside a motion that has no formula.

    d(t) = d(0) cos(w t) + d'(0)/w sin(w t),     w^2 = 4 k (1/m1 + 1/m2)

The midpoint rule keeps the amplitude and only turns by 2 atan(h w / 2) instead of h w a step, so  w_h = 2/h atan(h w/2)
inside the cosine and sine makes the formula exact for the computed motion.
"""

import argparse

import numpy as np

import gelenk as gk

LARGE, SMALL = np.array([0.36, 0.24, 0.16]), np.array([0.24, 0.16, 0.08])  # edges [m]
CORNERS = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / 2
M_LARGE, M_SMALL, STIFFNESS = 2.0, 1.0, 5.0  # [kg], [kg], [N/m] each
DRIFT = np.array([0.69, 0.40, 0.0])  # velocity of the pair [m/s]
APART = np.array([0.0, 0.9, -0.7])  # velocity of the small box as the large one sees it [m/s]
STEP = 0.02  # [s]
W = np.sqrt(4 * STIFFNESS * (1 / M_LARGE + 1 / M_SMALL))  # [rad/s]


def build() -> gk.Model:
    b = gk.Builder(gravity=(0, 0, 0), name="springs")
    share = M_SMALL / (M_LARGE + M_SMALL)  # of the distance, from the large box to the common centre of mass
    b.body(
        "large",
        shape=gk.Box(LARGE),
        mass=M_LARGE,
        at=(-0.6 * share, 0, 0),
        velocity=DRIFT - share * APART,
        angular_velocity=(0, 3, 1),
    )
    b.body(
        "small",
        shape=gk.Box(SMALL),
        mass=M_SMALL,
        at=(0.6 * (1 - share), 0, 0),
        velocity=DRIFT + (1 - share) * APART,
        angular_velocity=(-4, 0, 2),
    )
    for i, corner in enumerate(CORNERS):
        b.add(
            gk.Spring(
                f"spring {i}",
                "large",
                "small",
                stiffness=STIFFNESS,
                rest_length=0,
                at_a=corner * LARGE,
                at_b=corner * SMALL,
            )
        )
    return b.build()


def simulate(integrator: object = gk.ImplicitMidpoint(), step: float = STEP, t_end: float = 300.0) -> gk.Run:
    return gk.simulate(build(), t_end, method=gk.FreeMotion(h=step, integrator=integrator))


def check(run: gk.Run) -> None:
    t = run.time
    # Springs pull both ends alike, so the momentum is constant to round-off: 15000 steps of 1e-16, and room.
    assert run.drift()["momentum"] < 1e-12
    centre = (M_LARGE * run["large"].com + M_SMALL * run["small"].com) / (M_LARGE + M_SMALL)
    np.testing.assert_allclose(centre, np.outer(t, DRIFT), atol=1e-10)
    # The distance of the centres is the oscillator of the closed form, to round-off after 260 swings.
    np.testing.assert_allclose(distance(run), oscillator(t), atol=1e-10)
    # The error of the energy is bounded: the last minute is no worse than twice the first, and all of it is about
    # (h w)^2 / 100. That of Runge-Kutta grows minute by minute.
    minutes = np.array([minute.max() for minute in np.array_split(energy_error(run), 5)])
    assert minutes.max() < (STEP * W) ** 2 / 100
    assert minutes[-1] < 2 * minutes[0]
    minutes_rk = np.array([minute.max() for minute in np.array_split(energy_error(simulate(gk.RungeKutta4())), 5)])
    assert np.all(np.diff(minutes_rk) > 0)
    assert minutes_rk[-1] > 4 * minutes_rk[0]
    # The angular momentum turns by a share of h^2: half the step, a quarter of the error (order 2).
    half = simulate(step=STEP / 2)
    assert 3.5 < run.drift()["angular_momentum"] / half.drift()["angular_momentum"] < 4.5


def distance(run: gk.Run) -> np.ndarray:
    """(n, 3) from the centre of the large box to that of the small one [m]."""
    return run["small"].com - run["large"].com


def oscillator(t: np.ndarray) -> np.ndarray:
    """The closed form above at the frequency of the scheme."""
    phase = np.outer(2 / STEP * np.arctan(STEP * W / 2) * t, np.ones(3))
    return np.array([0.6, 0, 0]) * np.cos(phase) + APART / W * np.sin(phase)


def energy_error(run: gk.Run) -> np.ndarray:
    """Relative change of the energy since the start."""
    return np.abs(run["energy"] / run["energy"][0] - 1)


def picture(run: gk.Run, out: str) -> None:
    figure = simulate(t_end=6.0).picture(instants=9)
    figure.suptitle("Two boxes tied by springs tumble through space", fontsize=12)
    _, orbit, energy, momentum = figure.axes
    momentum.set_ylim(-1e-4, 4e-4)
    for panel in (orbit, energy):
        panel.clear()
        panel.grid(alpha=0.25)
        panel.tick_params(labelsize=7)
    short = run.time < 20
    orbit.plot(*distance(run)[short][:, :2].T, "o", markersize=3, color="#c44e52", label="samples of 20 s")
    orbit.plot(*oscillator(np.linspace(0, 2 * np.pi / W, 200))[:, :2].T, color="0.3", linewidth=1, label="closed form")
    orbit.set(aspect="equal", xlim=(-0.75, 0.75), ylim=(-0.3, 0.5))
    orbit.set_title("small box seen from the large one, x and y [m]", fontsize=9)
    orbit.legend(fontsize=7, loc="upper center", ncols=2)
    for name, r, color in (
        ("Runge-Kutta 4", simulate(gk.RungeKutta4()), "#4c72b0"),
        ("implicit midpoint", run, "#55a868"),
    ):
        energy.plot(r.time, (r["energy"] / r["energy"][0] - 1), color=color, linewidth=1.2, label=name)
    energy.set_title("change of energy, relative, over five minutes", fontsize=9)
    energy.set_xlabel("time [s]", fontsize=8)
    energy.legend(fontsize=7, loc="lower left")
    figure.savefig(out, dpi=72)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Two boxes tied by springs tumble through space.")
    parser.add_argument("--out", default="springs.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"momentum changed by {run.drift()['momentum']:.0e} of itself in {run.time[-1]:.0f} s")
    print(f"energy stayed within {energy_error(run).max():.0e}, {100 * run.wall_time:.0f} ms for 100 s of motion")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
