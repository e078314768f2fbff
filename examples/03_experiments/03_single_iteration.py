"""Single iteration: one sweep over the joints a step, and the chain still holds.

Interactive work cannot wait for a tolerance. J. Bender (Dynamiksimulation in der Computergraphik, Karlsruhe 2014,
section 3.6.2) reports, in words alone, that the impulse method stays stable with one iteration a step: what a step
leaves of an error, the preview of the next one sees and takes up. Ten links swing for a minute from 40 degrees off the
vertical, with one preview and one sweep over the joints for positions and one for velocities in each of 6000 steps;
then with ten sweeps, a hundred, and once with all that a tolerance of 1e-9 m takes. Impulses begin at zero in every
step: those of the step before would help many sweeps, but one sweep does not take them back in time.

Proof. With one sweep the joints gape, but the gap is bounded: the second half minute is no worse than the first. Ten
times the sweeps make it about ten times smaller, down to the tolerance. No energy comes from nowhere: that of the start
is never exceeded, and what the sweeps leave undone costs energy instead; the chain that is closed keeps its own to the
order of the scheme. Let go from the horizontal, the chain cracks like a whip, and one sweep still bounds the gap.
"""

import argparse
import warnings
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

LINKS, LENGTH, MASS, G = 10, 0.5, 1.0, 9.81  # -, [m], [kg], [m/s^2]
STEP, T_END, TOLERANCE = 0.01, 60.0, 1e-9  # [s], [s], [m]
SWEEPS = (1, 10, 100, 0)  # 0: to the tolerance, by elimination
LABELS = ("1 sweep", "10 sweeps", "100 sweeps", "to 1e-9 m")
COLORS = ("#c44e52", "#dd8452", "#55a868", "#4c72b0")
REST = -MASS * G * LENGTH * LINKS**2 / 2  # [J], hanging straight down


def build(tilt: float = 40.0) -> gk.Model:
    """A straight chain, off the vertical by ``tilt`` [degrees]."""
    b = gk.Builder(name="chain")
    a = np.radians(tilt)
    along, half = np.array([np.sin(a), 0, -np.cos(a)]), (np.pi / 2 - a) / 2  # turns x about y to where links point
    for i in range(LINKS):
        start, turn = i * LENGTH * along, (np.cos(half), 0, np.sin(half), 0)
        box, middle = gk.Box((LENGTH, 0.1, 0.1)), start + 0.5 * LENGTH * along
        b.body(f"link{i}", shape=box, mass=MASS, at=middle, rotation=turn)
        b.add(gk.Ball(name=f"joint{i}", a=f"link{i - 1}" if i > 0 else gk.WORLD, b=f"link{i}", at=start))
    return b.build()


def simulate(sweeps: int = 1, tilt: float = 40.0) -> gk.Run:
    """One correction of ``sweeps`` sweeps a step; all that the tolerance takes for 0."""
    if sweeps:
        once = {"iterations": 1, "velocity_iterations": 1}
        method = gk.Impulse(h=STEP, solver=gk.GaussSeidel(sweeps=sweeps, tolerance=0), warm_start=False, **once)
    else:
        method = gk.Impulse(h=STEP, solver=gk.Tree(), tolerance=TOLERANCE, iterations=200)
    outputs = {"open": lambda sim: sim.info["position_error"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gk.AccuracyWarning)  # the open joints are what is looked at
        return gk.simulate(build(tilt), T_END, method=method, output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    runs = [run, *(simulate(sweeps) for sweeps in SWEEPS[1:])]
    half, start = len(run) // 2, run["energy"][0]
    # One sweep: a gap of less than a tenth of a link, no wider later; from the horizontal of less than an eighth.
    assert run["open"][half:].max() <= run["open"][:half].max() < LENGTH / 10
    whip = simulate(tilt=90.0)
    assert whip["open"][half:].max() <= whip["open"][:half].max() < LENGTH / 8
    # Nothing is gained: round-off of sums of 250 J.
    for each in (*runs, whip):
        assert each["energy"].max() < each["energy"][0] + 1e-10
    # Each sweep takes its share of what is left, so ten times the sweeps leave much less; the last are all it takes.
    gap = [np.median(each["open"]) for each in runs]
    for fewer, more in pairwise(gap):
        assert more < fewer / 5
    assert runs[-1]["open"].max() <= TOLERANCE
    # Closed joints: the energy wavers by (h w)^2 / 8, w = 11 rad/s at most.
    assert np.abs(runs[-1]["energy"] - start).max() < (STEP * 11) ** 2 / 8 * (start - REST)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.6))
    figure.suptitle(
        "Ten links, steps of 10 ms: one correction a step, with one sweep over the joints or more", fontsize=12
    )
    left, middle = figure.add_axes((0.07, 0.12, 0.3, 0.76)), figure.add_axes((0.44, 0.12, 0.26, 0.76))
    for sweeps, label, color in zip(SWEEPS, LABELS, COLORS):
        each = run if sweeps == 1 else simulate(sweeps)
        widest = each["open"][1:].reshape(-1, 50).max(axis=1)  # in half a second
        left.semilogy(each.time[1::50], widest, color=color, linewidth=1.2, label=label)
        middle.plot(each.time[::10], each["energy"][::10] - REST, color=color, linewidth=1.2, label=label)
    left.axhline(LENGTH, color="k", linestyle=":", linewidth=0.8)
    left.text(T_END, 1.2 * LENGTH, "length of a link", fontsize=8, ha="right")
    left.text(0.5, 1e3, "thesis, in words: stable with one iteration a step", fontsize=8)
    left.set(xlabel="time [s]", ylabel="widest gap of a joint in half a second [m]", ylim=(1e-10, 1e4))
    left.legend(fontsize=8, ncols=2, loc="center right", bbox_to_anchor=(1, 0.3))
    middle.set(xlabel="time [s]", ylabel="energy above that at rest [J]", ylim=(0, 65))
    middle.legend(fontsize=8, loc="lower left")
    for panel in (left, middle):
        panel.grid(alpha=0.25)
    scene = figure.add_axes((0.72, 0.12, 0.27, 0.76))
    for k in range(0, 201, 40):
        for i in range(LINKS):
            half = run[f"link{i}"].rotation[k] @ (0.5 * LENGTH, 0, 0)
            ends = run[f"link{i}"].position[k] + np.array([-half, half])
            scene.plot(ends[:, 0], ends[:, 2], color=f"{0.8 - 0.8 * k / 200:.2f}", linewidth=2, solid_capstyle="butt")
    scene.set_title("one sweep a step: the first 2 s", fontsize=9)
    scene.set_aspect("equal")
    scene.set_axis_off()
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="One sweep over the joints of a chain in each step.")
    parser.add_argument("--out", default="single.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    widest, median = run["open"].max(), np.median(run["open"])
    print(f"{len(run) - 1} steps of one sweep each: widest gap {1e3 * widest:.0f} mm, median {1e3 * median:.0f} mm")
    print(
        f"energy {run['energy'][0] - REST:.1f} J above rest at the start, {run['energy'][-1] - REST:.1f} J at the end"
    )
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
