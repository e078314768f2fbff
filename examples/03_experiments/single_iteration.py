"""Single iteration: one sweep over the joints a step, and the chain still holds.

Interactive work cannot wait for a tolerance. J. Bender (Dynamiksimulation in der Computergraphik, Karlsruhe 2014,
section 3.6.2) reports that the impulse method stays stable with one iteration a step: what a step leaves of an error,
the preview of the next one sees and takes up. Ten links swing from the horizontal for twenty seconds, with one preview
and one sweep over the joints for positions and one for velocities in each of 2000 steps; then with ten, a hundred,
and once with all that a tolerance of 1e-9 m takes. Impulses begin at zero in every step: those of the step before
would help many sweeps, but one sweep does not take them back in time.

Proof. With one sweep the joints gape, but the gap is bounded: the second ten seconds are no worse than the first, and
more sweeps make it smaller, down to the tolerance. No energy comes from nowhere: with one sweep it never exceeds that
of the start; what the sweep leaves undone costs energy instead. So do the ends of the chain when they crack like a
whip, which is too quick for this step and any number of sweeps.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

LINKS, LENGTH = 10, 0.5  # [m]
STEP, T_END = 0.01, 20.0  # [s]
SWEEPS = (1, 10, 100)
COLORS = ("#c44e52", "#dd8452", "#55a868", "#4c72b0")


def build() -> gk.Model:
    b = gk.Builder(name="chain")
    for i in range(LINKS):
        b.body(f"link{i}", shape=gk.Box((LENGTH, 0.1, 0.1)), mass=1, at=((i + 0.5) * LENGTH, 0, 0))
        above = f"link{i - 1}" if i > 0 else gk.WORLD
        b.add(gk.Ball(name=f"joint{i}", a=above, b=f"link{i}", at=(i * LENGTH, 0, 0)))
    return b.build()


def simulate(sweeps: int = 1) -> gk.Run:
    """One correction of ``sweeps`` sweeps a step; all that the tolerance takes for 0."""
    if sweeps:
        once = {"iterations": 1, "velocity_iterations": 1}
        method = gk.Impulse(h=STEP, solver=gk.GaussSeidel(sweeps=sweeps, tolerance=0), warm_start=False, **once)
    else:
        method = gk.Impulse(h=STEP, solver=gk.Tree(), iterations=200)
    outputs = {"open": lambda sim: sim.info["position_error"]}
    return gk.simulate(build(), T_END, method=method, output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    whole, runs = simulate(0), {sweeps: run if sweeps == 1 else simulate(sweeps) for sweeps in SWEEPS}
    # One sweep: a gap of at most an eighth of a link, no wider later, and no energy gained; the start has none.
    half = len(run) // 2
    assert run["open"][half:].max() <= run["open"][:half].max() < LENGTH / 8
    assert run["energy"].max() < 1e-9
    # More sweeps: less of a gap, in the median of all steps.
    gap = [np.median(each["open"]) for each in runs.values()]
    assert gap[0] > 10 * gap[1] > 10 * gap[2] > 10 * whole["open"].max()
    assert whole["open"].max() <= 1e-9


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.4))
    figure.suptitle("Ten links, h = 10 ms: one correction a step, with one sweep over the joints or more", fontsize=12)
    left, middle = figure.add_axes((0.075, 0.12, 0.3, 0.76)), figure.add_axes((0.45, 0.12, 0.25, 0.76))
    for sweeps, color in zip((*SWEEPS, 0), COLORS):
        each = run if sweeps == 1 else simulate(sweeps)
        label = f"{sweeps} sweep{'s' * (sweeps > 1)}" if sweeps else "to 1e-9 m"
        left.semilogy(each.time[1::4], each["open"][1::4], color=color, linewidth=0.7, label=label)
        middle.plot(each.time[::4], each["energy"][::4], color=color, linewidth=1.2, label=label)
    left.set(xlabel="time [s]", ylabel="widest gap of a joint [m]", ylim=(1e-12, 30))
    left.legend(fontsize=8, ncols=2, loc="upper right")
    middle.set(xlabel="time [s]", ylabel="energy [J]")
    for panel in (left, middle):
        panel.grid(alpha=0.25)
    scene = figure.add_axes((0.72, 0.12, 0.27, 0.76))
    for k in np.linspace(0, 150, 6).astype(int):
        for i in range(LINKS):
            half = run[f"link{i}"].rotation[k] @ (0.5 * LENGTH, 0, 0)
            ends = run[f"link{i}"].position[k] + np.array([-half, half])
            scene.plot(ends[:, 0], ends[:, 2], color=f"{0.8 - 0.8 * k / 150:.2f}", linewidth=1.5)
    scene.set_title("one sweep a step, the first 1.5 s", fontsize=9)
    scene.set_aspect("equal")
    scene.set_axis_off()
    figure.savefig(out, dpi=70)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="One sweep over the joints of a chain in each step.")
    parser.add_argument("--out", default="single.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    widest, median = run["open"].max(), np.median(run["open"])
    print(f"{len(run) - 1} steps of one sweep each: widest gap {widest:.3f} m, median {median:.3f} m")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
