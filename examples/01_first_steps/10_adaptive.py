"""Adaptive steps: two stars on a long ellipse that almost meet.

Two suns go round each other once in 63 years and spend a few weeks of it close together, at a hundredth of the distance
and a hundred times the speed. A fixed step that is short enough there is a waste elsewhere. The scheme of Dormand and
Prince estimates its error on the way and chooses its steps: two months far out, less than a day at the encounter. The
`h` of the method is then only the interval at whose ends it lands, for the samples.

The pull between the stars is a law in Python that also counts how often it is called. The count becomes an output of
the run, and shows where the work goes: seven calls for every inner step.

Proof. The ellipse closes: after every period  T = 2 pi sqrt(a^3 / G (m1 + m2))  the stars are back where they started.
Energy and angular momentum are constant. Runge-Kutta of order 4 with the same number of calls loses the orbit at the
first encounter.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

AU, YEAR, GM = 1.495978707e11, 3.15576e7, 1.32712440018e20  # [m], [s], of one sun [m^3/s^2]
SUN = 1.989e30  # [kg]
HALF_AXIS, ECCENTRICITY = 20 * AU, 0.98  # of the distance between the stars
TURNS = 3
PERIOD = 2 * np.pi * np.sqrt(HALF_AXIS**3 / (2 * GM))  # [s]
INTERVAL = PERIOD / 200  # [s], a sample each
ADAPTIVE = gk.FreeMotion(h=INTERVAL, integrator=gk.DormandPrince(relative=1e-10))


class Pull:
    """Attraction of the two stars; an object with a memory serves as a law, too."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, t, state, loads):
        self.calls += 1
        d = state.p_WC[2] - state.p_WC[1]
        f = GM * SUN / np.dot(d, d) ** 1.5 * d
        loads.force_W[1] += f
        loads.force_W[2] -= f


def build(pull: Pull | None = None) -> gk.Model:
    b = gk.Builder(gravity=(0, 0, 0), name="double star")
    far = HALF_AXIS * (1 + ECCENTRICITY)
    slow = np.sqrt(2 * GM / HALF_AXIS * (1 - ECCENTRICITY) / (1 + ECCENTRICITY))  # at that distance
    b.particle("A", mass=SUN, at=(-far / 2, 0, 0), velocity=(0, -slow / 2, 0))
    b.particle("B", mass=SUN, at=(far / 2, 0, 0), velocity=(0, slow / 2, 0))
    b.add(gk.Law("pull", pull or Pull()))
    return b.build()


def simulate(method: gk.FreeMotion = ADAPTIVE) -> gk.Run:
    pull = Pull()
    outputs = {"calls": lambda sim: pull.calls}
    return gk.simulate(build(pull), TURNS * PERIOD, method=method, output_dt=INTERVAL, outputs=outputs)


def fixed_steps(run: gk.Run) -> gk.Run:
    """The same by Runge-Kutta with fixed steps, four calls each, and at least as many calls in all."""
    steps = int(np.ceil(run["calls"][-1] / 4 / (len(run) - 1)))  # in an interval
    return simulate(gk.FreeMotion(h=INTERVAL / steps, integrator=gk.RungeKutta4()))


def check(run: gk.Run) -> None:
    # A step may be off by 1e-10 of each number, and there are 7 calls in each step.
    most = 1e-10 * run["calls"][-1] / 7
    np.testing.assert_allclose(energy(run), -GM / (2 * HALF_AXIS), rtol=most)
    np.testing.assert_allclose(run.angular_momentum[:, 2], run.angular_momentum[0, 2], rtol=most)
    # The ellipse closes, turn after turn, and the stars come as near as they should (a sample stands at half a turn).
    for turn in range(1, TURNS + 1):
        np.testing.assert_allclose(run["B"].position[200 * turn], run["B"].position[0], atol=most * HALF_AXIS)
        np.testing.assert_allclose(distance(run)[200 * turn - 100], HALF_AXIS * (1 - ECCENTRICITY), rtol=1e-6)
    # The steps follow the motion: at the encounter they are a hundred times shorter than far out.
    assert step_length(run).max() / step_length(run).min() > 70
    # With the same effort spread evenly one star throws the other out: the energy is wrong by more than itself.
    fixed = fixed_steps(run)
    assert fixed["calls"][-1] >= run["calls"][-1]
    assert np.abs(energy(fixed) / energy(fixed)[0] - 1)[-1] > 1


def step_length(run: gk.Run) -> np.ndarray:
    """(n - 1,) mean inner step of each interval [s]."""
    return 7 * INTERVAL / np.diff(run["calls"])


def distance(run: gk.Run) -> np.ndarray:
    """(n,) between the stars [m]."""
    return np.linalg.norm(run["B"].position - run["A"].position, axis=1)


def energy(run: gk.Run) -> np.ndarray:
    """(n,) of the pair, over the mass of one star [J/kg]. The run itself knows no potential of a law."""
    v2 = np.sum(run["A"].velocity ** 2 + run["B"].velocity ** 2, axis=1)
    return v2 / 2 - GM / distance(run)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(9.5, 4.6), layout="constrained")
    (orbit, steps, errors) = figure.subplot_mosaic("AA;BC", height_ratios=(1, 1.15)).values()
    fixed = fixed_steps(run)
    for name, color in (("A", "#c44e52"), ("B", "#4c72b0")):
        x, y, _ = run[name].position.T / AU
        orbit.plot(x, y, ".-", color=color, markersize=3, linewidth=0.8, label=f"star {name}")
        x, y, _ = fixed[name].position.T / AU
        orbit.plot(x, y, "--", color=color, linewidth=0.8, label=f"star {name}, fixed steps")
    orbit.set(title="Three turns, a dot every 0.3 years", xlabel="x [AU]", ylabel="y [AU]")
    orbit.set(xlim=(-32, 32), ylim=(-6, 6), aspect="equal")
    orbit.legend(fontsize=7, loc="upper center", ncols=4)
    years = run.time / YEAR
    steps.step(years[1:], step_length(run) / 86400, color="#333333", linewidth=1)
    steps.set(title="Inner step", xlabel="time [years]", ylabel="[days]", yscale="log")
    for r, label, color in ((run, "Dormand-Prince", "#333333"), (fixed, "fixed steps, same effort", "#c44e52")):
        error = np.maximum(np.abs(energy(r) / energy(r)[0] - 1), 1e-16)
        errors.plot(years, error, color=color, linewidth=1, label=label)
    errors.set(title="Error of the energy, relative", xlabel="time [years]", yscale="log", ylim=(1e-16, 1e6))
    errors.legend(fontsize=8, loc="center right")
    for panel in (orbit, steps, errors):
        panel.grid(alpha=0.25)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Two stars that almost meet, with adaptive steps.")
    parser.add_argument("--out", default="double_star.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    error = np.abs(energy(run) / energy(run)[0] - 1).max()
    print(f"steps from {step_length(run).min() / 86400:.1f} to {step_length(run).max() / 86400:.0f} days")
    print(f"energy constant to {error:.0e} with {run['calls'][-1]:.0f} calls of the law")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
