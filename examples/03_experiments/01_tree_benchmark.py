"""Tree benchmark: a binary tree of up to 255 ball joints, four ways to hold it together, two tolerances.

A tree of square rods hangs on one ball joint, and each rod carries two more at its end. Rods are 1.5 times as long as
those they carry, 0.1 m the last ones, 0.04 m thick, of light wood. In the first step a torque of 10 N m acts on the top
rod, and the whole tree comes to rotate. Steps are 1/30 s long. J. Bender (Dynamiksimulation in der Computergraphik,
Karlsruhe 2014, section 3.6.1) measured his solvers on it: impulses joint by joint, one sparse system of all joints,
elimination in linear time, and Lagrange multipliers beside them. How the rods are spread is not told there; here two
that grow from one part by 1.2 rad, in planes that alternate from level to level, and there is no gravity.

Proof. After every step all joints are closed to the tolerance, 1e-6 or 1e-3 m, with every solver. A ball joint holds no
moment, so the angular momentum about the support stays what the torque gave, 10 N m times 1/30 s; the joint may be off
its place by the tolerance, so that its impulses may change the momentum by the tolerance times their sum, no more.
Work is counted, not timed: a direct solver factorises once a step, whatever the tolerance, and needs no more
corrections for 255 joints than for 63; sweeping has ten sweeps in each of its own, and needs four times as many of them
for the tighter tolerance.

Times in the picture are seconds of the processor for the first two simulated seconds, the least of several tries, and
beside them those of the thesis. Its ranking holds, but sparse and linear time are close: a tree can be eliminated in an
order that fills nothing in, the sparse solver finds one, and is then of linear time too.
"""

import argparse
import time

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import gelenk as gk

STEP, SECONDS, TIMED = 1 / 30, 30.0, 2.0  # [s]
SIZES = (31, 63, 127, 255)  # joints
TORQUE = 10.0  # [N m], mean over the first step
SPREAD = 0.6  # [rad], each of two rods off the direction of the one that carries them
SWEEPS = 10  # of Gauss-Seidel between two previews
SOLVERS = {"linear time": gk.Tree(), "sparse": gk.Sparse(), "sweeps": gk.GaussSeidel(sweeps=SWEEPS, tolerance=0)}
COLORS = {"linear time": "#4c72b0", "sparse": "#55a868", "sweeps": "#c44e52", "multipliers": "#8172b3"}
MARKERS = {1e-6: ("o-", "s"), 1e-3: ("o--", "D")}  # ours and those of the thesis
THESIS = {  # mean time of a step [ms] on a Pentium 4 of 3.4 GHz, by solver, tolerance and joints
    ("linear time", 1e-6): {255: 13.7},
    ("sparse", 1e-6): {127: 19.66, 255: 59.48},
    ("sparse", 1e-3): {255: 57.72},
    ("sweeps", 1e-6): {63: 54.25},
    ("sweeps", 1e-3): {127: 20.35},
    ("multipliers", None): {127: 35.29},
}
THESIS_LU = (31, 212.12)  # joints, [ms]: multipliers from one dense system


def build(joints: int = 127) -> gk.Model:
    """``joints`` is 2^k - 1; rod i grows from the end of rod (i - 1) // 2, the first hangs from the world."""
    levels = (joints + 1).bit_length() - 1
    b = gk.Builder(gravity=(0, 0, 0), name=f"tree of {joints}")
    way, end = [np.array([0.0, 0.0, -1.0])], []
    for i in range(joints):
        level, parent = (i + 1).bit_length() - 1, (i - 1) // 2
        if i > 0:
            aside = np.cross(way[parent], (0, 1, 0) if level % 2 else (1, 0, 0))
            side = np.sin(SPREAD) if i % 2 else -np.sin(SPREAD)
            way.append(np.array(gk.unit(np.cos(SPREAD) * way[parent] + side * np.array(gk.unit(aside)))))
        start, length = end[parent] if i > 0 else np.zeros(3), 0.1 * 1.5 ** (levels - 1 - level)
        end.append(start + length * way[i])
        shape, middle = gk.Box((0.04, 0.04, length)), 0.5 * (start + end[i])
        b.body(f"rod{i}", shape=shape, density=600, at=middle, rotation=turn_z_to(way[i]))
        b.add(gk.Ball(name=f"joint{i}", a=f"rod{parent}" if i > 0 else gk.WORLD, b=f"rod{i}", at=start))
    # Falls from twice its mean to zero within the step.
    torque = [(0, 2 * TORQUE, 0), (0, 0, 0)]
    b.add(gk.Wrench("twist", "rod0", torque=torque, times=(0, STEP)))
    return b.build()


def turn_z_to(way: np.ndarray) -> np.ndarray:
    """Quaternion that turns the z axis to a direction, by the shortest way; downward by half a turn about x."""
    if way[2] < -0.999999:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1 + way[2], -way[1], way[0], 0.0])
    return q / np.linalg.norm(q)


def method(solver: str = "linear time", tolerance: float | None = 1e-6) -> gk.Impulse | gk.Lagrange:
    """Tolerances in m and m/s, as many corrections as they take; multipliers know none, but drift and are pulled in."""
    if solver == "multipliers":
        return gk.Lagrange(h=STEP, stabilise="baumgarte", solver=gk.Tree())
    limits = {"tolerance": tolerance, "velocity_tolerance": tolerance}
    limits |= {"iterations": 10**4, "velocity_iterations": 10**4}
    return gk.Impulse(h=STEP, solver=SOLVERS[solver], warm_start=True, **limits)


def simulate(solver: str = "linear time", tolerance: float = 1e-6, joints: int = 127) -> gk.Run:
    outputs = {
        "open": lambda sim: sim.info["position_error"],
        "corrections": lambda sim: sim.info["position_iterations"],
        "turned": lambda sim: sim.info["turned_directions"],
    }
    return gk.simulate(build(joints), SECONDS, method=method(solver, tolerance), output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    sparse, loose = simulate("sparse"), simulate("sparse", 1e-3)
    quick, exact = (simulate("sweeps", tolerance, 63) for tolerance in (1e-3, 1e-6))
    for each, tolerance in ((run, 1e-6), (sparse, 1e-6), (loose, 1e-3), (quick, 1e-3), (exact, 1e-6)):
        assert each["open"].max() <= tolerance
        assert momentum_change(each) < tolerance * support_impulses(each)
    # A step begins with the impulses of the last one, and most of them are good already: less than one correction.
    # None asks for new directions, so that each step has one factorisation, for both tolerances.
    assert corrections(loose) < corrections(sparse) == corrections(run) < 1
    assert run["turned"][-1] == sparse["turned"][-1] == loose["turned"][-1] == 0
    small, large = (simulate(joints=joints) for joints in (63, 255))
    assert corrections(large) <= corrections(run) <= corrections(small) < 2
    # Sweeping closes in by the same factor with every correction, so that a thousandth takes several more.
    assert corrections(exact) > 3 * corrections(quick)
    # Both direct solvers stop after the same correction, so they part by round-off only; the motion is slow, and lets
    # that grow little: 900 steps of some units in the last place of 3 m.
    np.testing.assert_allclose(sparse["rod126"].position, run["rod126"].position, atol=1e-9)


def momentum_change(run: gk.Run) -> float:
    """Largest distance from what the torque gave [N m s]."""
    return np.abs(run.angular_momentum[1:] - (0, TORQUE * STEP, 0)).max()


def support_impulses(run: gk.Run) -> float:
    """Sum over all steps of what the support gave [N s]."""
    return STEP * np.linalg.norm(run["joint0"].force, axis=1).sum()


def corrections(run: gk.Run) -> float:
    """Of positions, mean of all steps."""
    return run["corrections"][-1] / (len(run) - 1)


def milliseconds_a_step(solver: str, tolerance: float | None, joints: int) -> float:
    """Mean over the first two seconds [ms] of the processor, the least of up to 9 tries in a sixth of a second."""
    model, tries = build(joints), []
    while len(tries) < 2 or (len(tries) < 9 and sum(tries) < 0.16):
        sim = gk.Simulation(model, method(solver, tolerance))
        sim.advance(STEP)
        begun = time.process_time()
        sim.advance(TIMED - STEP)
        tries.append(time.process_time() - begun)
    return 1e3 * min(tries) / round(TIMED / STEP - 1)


def picture(run: gk.Run, out: str) -> dict[tuple[str, float | None], float]:
    """Times beside those of the thesis, the tree, and what is conserved; returns the times for 255 joints [ms]."""
    figure = Figure(figsize=(11, 5))
    figure.suptitle("A binary tree of ball joints, steps of 1/30 s", fontsize=12)
    panel = figure.add_axes((0.06, 0.1, 0.42, 0.8))
    last = {}
    for (solver, tolerance), thesis in THESIS.items():
        ours = [milliseconds_a_step(solver, tolerance, joints) for joints in SIZES]
        last[solver, tolerance] = ours[-1]
        line, marker = MARKERS[tolerance or 1e-6]
        label = solver + {1e-6: ", 1e-6 m", 1e-3: ", 1e-3 m", None: ", linear time"}[tolerance]
        panel.loglog(SIZES, ours, line, color=COLORS[solver], markersize=4, label=label)
        aside = 1.06 if tolerance == 1e-3 else 1.0  # two of the thesis would hide each other
        panel.loglog(
            [aside * n for n in thesis], list(thesis.values()), marker, color=COLORS[solver], markerfacecolor="none"
        )
    panel.loglog(*THESIS_LU, "s", color=COLORS["multipliers"], markerfacecolor="none")
    panel.text(1.07 * THESIS_LU[0], THESIS_LU[1], "dense multipliers", va="center", fontsize=8)
    panel.plot([], [], "ks", markerfacecolor="none", label="thesis, Pentium 4, 1e-6 m")
    panel.plot([], [], "kD", markerfacecolor="none", label="thesis, Pentium 4, 1e-3 m")
    panel.axhline(1e3 * STEP, color="k", linestyle=":", linewidth=0.8)
    panel.text(SIZES[0], 1.1e3 * STEP, "real time", fontsize=8)
    panel.set(xlabel="joints", ylabel="processor time of a step [ms]", xlim=(28, 290), ylim=(0.01, 3e4))
    panel.set_xticks(SIZES, [str(n) for n in SIZES])
    panel.minorticks_off()
    panel.legend(fontsize=8, ncols=2, loc="upper left")
    for k, t in enumerate((0, SECONDS / 2, SECONDS)):
        scene = figure.add_axes((0.51 + 0.163 * k, 0.46, 0.16, 0.42))
        draw_tree(scene, run, round(t / STEP))
        scene.set_title(f"{t:.0f} s", fontsize=9)
    below = figure.add_axes((0.56, 0.1, 0.42, 0.32))
    below.semilogy(run.time[1::3], run["open"][1::3], ".", markersize=3, color="#4c72b0", label="widest gap [m]")
    change = np.abs(run.angular_momentum[1:, 1] / (TORQUE * STEP) - 1)
    below.semilogy(run.time[1:], change, color="#c44e52", label="change of angular momentum, relative")
    below.axhline(1e-6, color="k", linestyle=":", linewidth=0.8)
    below.text(0.1, 1.6e-6, "tolerance", fontsize=8)
    below.set(xlabel="time [s], 127 joints in linear time", ylim=(1e-14, 1e-2))
    below.legend(fontsize=8, loc="upper right", ncols=2)
    for each in (panel, below):
        each.grid(alpha=0.25)
    figure.savefig(out, dpi=80)
    return last


def draw_tree(panel: Axes, run: gk.Run, sample: int) -> None:
    """Rods as lines, seen from the front."""
    for body in run.model.bodies:
        half = run[body.name].rotation[sample] @ (0, 0, 0.5 * body.parts[0].shape.size[2])
        x, _, z = np.transpose([run[body.name].position[sample] - half, run[body.name].position[sample] + half])
        panel.plot(x, z, color="#555555", linewidth=0.8)
    panel.set(aspect="equal", xlim=(-1.9, 1.9), ylim=(-3.6, 0.1))
    panel.set_axis_off()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A binary tree of ball joints, four ways to hold it.")
    parser.add_argument("--out", default="tree.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    times = picture(run, out)
    print(f"127 joints closed to {run['open'].max():.1e} m, {corrections(run):.1f} corrections a step")
    for solver in ("linear time", "sparse"):
        thesis = THESIS[solver, 1e-6][255]
        print(f"255 joints, {solver}: {times[solver, 1e-6]:.2f} ms a step (thesis: {thesis} ms)")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
