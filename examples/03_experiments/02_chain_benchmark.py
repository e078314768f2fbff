"""Chain benchmark: one to sixty links, and how the work of three solvers grows with them.

Links of 1 m and 1 kg on ball joints are let go in a row from the horizontal, each with a velocity of its own. Steps are
0.01 s long, joints are closed to 1e-6 m and 1e-3 m/s. J. Bender (Dynamiksimulation in der Computergraphik, Karlsruhe
2014, section 3.6.1, figures 3.16 to 3.18) measured 5 s of each length on a Core 2 Quad of 2.4 GHz: joint by joint the
curve is steep and leaves real time at 25 links; the sparse system is much flatter, 60 links take a fourth of real time;
elimination is a straight line, a fifth of real time for 60 links, but slower than the others for very short chains.
The velocities are not told there; here they are sines of the number of the link.

Proof. All joints are closed to the tolerance after every step. Newton's law for the whole chain holds in every step:
the force in the top joint is the rate of the momentum less the weight, to round-off, for each solver.
Work is counted, not timed: the corrections a step of the direct solvers hardly grow with the chain, so that their time
is that of one elimination; those of sweeping grow with its length, and a sweep itself grows too.

Times in the picture are seconds of the processor for the same 5 s, the least of several tries; a straight line is
fitted to those of linear time, which bend up a little, as the corrections become more when the long chains crack like a
whip. A chain is eliminated without fill-in from one end to the other, so that the sparse solver is nearly as quick. The
remark of the thesis on very short chains does not return: linear time is the quickest from the first link on.
"""

import argparse
import time

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

STEP, SECONDS = 0.01, 5.0  # [s]
LINKS = (1, 2, 4, 8, 15, 20, 25, 30, 40, 50, 60)
GRAVITY = np.array([0, 0, -9.81])
TOLERANCES = {"tolerance": 1e-6, "velocity_tolerance": 1e-3}  # [m], [m/s]
SOLVERS = {"linear time": gk.Tree(), "sparse": gk.Sparse(), "sweeps": gk.GaussSeidel(sweeps=10, tolerance=0)}
COLORS = {"linear time": "#4c72b0", "sparse": "#55a868", "sweeps": "#c44e52"}
THESIS = {"linear time": (60, 2.0), "sparse": (60, 2.5), "sweeps": (25, 10.0)}  # links, and their time of a step [ms]


def build(links: int = 60) -> gk.Model:
    b = gk.Builder(gravity=tuple(GRAVITY), name=f"chain of {links}")
    for i in range(links):
        velocity = (0, 0.5 * np.sin(i), 0.5 * np.sin(2 * i))
        b.body(f"link{i}", shape=gk.Box((1, 0.1, 0.1)), mass=1, at=(i + 0.5, 0, 0), velocity=velocity)
        b.add(gk.Ball(name=f"joint{i}", a=f"link{i - 1}" if i > 0 else gk.WORLD, b=f"link{i}", at=(i, 0, 0)))
    return b.build(assemble=True)  # fits the velocities to the joints


def method(solver: str = "linear time") -> gk.Impulse:
    """As many corrections as the tolerances take."""
    return gk.Impulse(h=STEP, solver=SOLVERS[solver], iterations=10**4, velocity_iterations=10**4, **TOLERANCES)


def simulate(solver: str = "linear time", links: int = 60) -> gk.Run:
    outputs = {
        "open": lambda sim: sim.info["position_error"],
        "corrections": lambda sim: sim.info["position_iterations"],
    }
    return gk.simulate(build(links), SECONDS, method=method(solver), output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    short = {solver: simulate(solver, 8) for solver in SOLVERS}
    for each in (run, *short.values()):
        assert each["open"].max() <= TOLERANCES["tolerance"]
        weight = GRAVITY * sum(body.mass for body in each.model.bodies)
        rate = np.diff(each.momentum, axis=0) / STEP
        force = each["joint0"].force[1:]
        # The force is summed up from impulses: round-off of sums, relative to the largest, over the 180 rows.
        np.testing.assert_allclose(force + weight, rate, atol=1e-11 * np.abs(force).max())
    # Two to four corrections a step for 60 links as for 8, though the end of the long one cracks like a whip.
    assert corrections(run) < 2 * corrections(short["linear time"]) < 8
    assert corrections(short["sparse"]) == corrections(short["linear time"])
    # Three times the links, four times the corrections: sweeping carries a change from link to link.
    assert corrections(simulate("sweeps", 24)) > 3 * corrections(short["sweeps"])
    # Early on, before neighbouring motions part, all solvers agree to the tolerances times the steps taken.
    early = round(0.2 / STEP)
    for each in short.values():
        end, other = (x["link7"].position[early] for x in (each, short["linear time"]))
        np.testing.assert_allclose(end, other, atol=early * TOLERANCES["velocity_tolerance"] * STEP)


def corrections(run: gk.Run) -> float:
    """Of positions, mean of all steps."""
    return run["corrections"][-1] / (len(run) - 1)


def milliseconds_a_step(solver: str, links: int) -> float:
    """Mean over 5 s [ms] of the processor, the least of up to 25 tries in 0.4 s."""
    model, tries = build(links), []
    while not tries or (len(tries) < 25 and sum(tries) < 0.4):
        sim = gk.Simulation(model, method(solver))
        sim.advance(STEP)
        begun = time.process_time()
        sim.advance(SECONDS - STEP)
        tries.append(time.process_time() - begun)
    return 1e3 * min(tries) / round(SECONDS / STEP - 1)


def straight_line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Slope, intercept and R^2 of a fit."""
    slope, start = np.polyfit(x, y, 1)
    rest = y - start - slope * x
    return slope, start, 1 - rest @ rest / np.sum((y - y.mean()) ** 2)


def picture(run: gk.Run, out: str) -> str:
    """Times over links, on two scales, and the chain; returns the line of the fit."""
    figure = Figure(figsize=(11, 4.6))
    figure.suptitle("A chain of 1 to 60 ball joints, steps of 10 ms, joints closed to 1e-6 m", fontsize=12)
    links = np.array(LINKS)
    slope, start, fit = 0.0, 0.0, 0.0
    first, second = figure.add_axes((0.06, 0.12, 0.26, 0.78)), figure.add_axes((0.38, 0.12, 0.26, 0.78))
    for solver, color in COLORS.items():
        sizes = links[::2] if solver == "sweeps" else links
        ms = np.array([milliseconds_a_step(solver, n) for n in sizes.tolist()])
        for panel in (first, second):
            panel.plot(sizes, ms, "o-", color=color, markersize=3, linewidth=1, label=solver)
        second.plot(*THESIS[solver], "s", color=color, markerfacecolor="none")
        if solver == "linear time":
            slope, start, fit = straight_line(links, ms)
            first.set_ylim(0, 1.6 * ms[-1])
    first.plot(links, start + slope * links, "k--", linewidth=0.8, label=f"straight, R$^2$ = {fit:.4f}")
    first.set(xlabel="links", ylabel="processor time of a step [ms]")
    first.legend(fontsize=8, loc="upper right")
    second.plot([], [], "ks", markerfacecolor="none", label="thesis, Core 2 Quad")
    second.axhline(1e3 * STEP, color="k", linestyle=":", linewidth=0.8)
    second.text(1, 1.1e3 * STEP, "real time", fontsize=8)
    second.set(xlabel="links", yscale="log", ylim=(1e-3, 100))
    second.legend(fontsize=8, loc="lower right")
    for panel in (first, second):
        panel.grid(alpha=0.25)
    scene = figure.add_axes((0.7, 0.12, 0.28, 0.78))
    for t in range(6):
        ends = [(0, 0)] + [run[f"link{i}"].position[round(t / STEP), ::2] for i in range(60)]
        scene.plot(*np.transpose(ends), color=f"{0.8 - 0.16 * t:.2f}", linewidth=1.2, label=f"{t} s")
    scene.set_title("the longest, from the side", fontsize=9)
    scene.set(xlabel="x [m]", ylabel="z [m]", aspect="equal", ylim=(-75, 5))
    scene.legend(fontsize=8, loc="lower center", ncols=3)
    figure.savefig(out, dpi=80)
    return f"linear time: {1e3 * start:.1f} us + {1e3 * slope:.2f} us a link, R^2 = {fit:.4f}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A chain of ball joints, three solvers.")
    parser.add_argument("--out", default="chain.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    line = picture(run, out)
    print(f"60 links closed to {run['open'].max():.1e} m, {corrections(run):.1f} corrections a step")
    print(line)
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
