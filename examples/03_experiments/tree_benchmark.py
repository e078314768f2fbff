"""Tree benchmark: a binary tree of up to 255 ball joints, three solvers, two tolerances.

A tree of square rods hangs on one ball joint, and each rod carries two more at its end. Rods are 1.5 times as long as
those they carry, 0.1 m the last ones, 0.04 m thick, of light wood. In the first step a torque of 10 N m acts on the top
rod, and the whole tree comes to rotate. Steps are 1/30 s long. J. Bender (Dynamiksimulation in der Computergraphik,
Karlsruhe 2014, section 3.6.1) measured his solvers on it: impulses joint by joint, one sparse system of all joints, and
elimination in linear time. How the rods are spread is not told there; here two that grow from one part by 1.2 rad, in
planes that alternate from level to level, and there is no gravity.

Proof. After every step all joints are closed to the tolerance, 1e-6 or 1e-3 m, with every solver. A ball joint holds no
moment, so the angular momentum about the support stays what the torque gave, 10 N m times 1/30 s; the joint may be off
its place by the tolerance, so that the force F in it may change the momentum by tolerance times F a second, no more.
Work is counted, not timed: the direct solvers need the same few corrections a step for 31 joints as for 127;
sweeping needs more, and more yet for a tighter tolerance. In the thesis as here, elimination in linear time is the
fastest; the picture shows its times beside ours.
"""

import argparse
import time

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import gelenk as gk

STEP, SECONDS = 1 / 30, 2.0  # [s]
SIZES = (31, 63, 127, 255)  # joints
TORQUE = 10.0  # [N m], mean over the first step
SPREAD = 0.6  # [rad], each of two rods off the direction of the one that carries them
SWEEPS = 10  # of Gauss-Seidel between two previews
SOLVERS = {"linear time": gk.Tree(), "sparse": gk.Sparse(), "sweeps": gk.GaussSeidel(sweeps=SWEEPS, tolerance=0)}
COLORS = {"linear time": "#4c72b0", "sparse": "#55a868", "sweeps": "#c44e52"}
THESIS = {  # mean time of a step [ms] on a Pentium 4 of 3.4 GHz, by solver, tolerance and joints
    ("linear time", 1e-6): {255: 13.7},
    ("sparse", 1e-6): {127: 19.66, 255: 59.48},
    ("sparse", 1e-3): {255: 57.72},
    ("sweeps", 1e-6): {63: 54.25},
    ("sweeps", 1e-3): {127: 20.35},
}
MULTIPLIERS = {31: (212.12, "LU"), 127: (35.29, "linear time")}  # joints: mean time of a step [ms], and how


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


def method(solver: str = "linear time", tolerance: float = 1e-6) -> gk.Impulse:
    """Tolerances in m and m/s, as many corrections as they take."""
    limits = {"tolerance": tolerance, "velocity_tolerance": tolerance}
    return gk.Impulse(h=STEP, solver=SOLVERS[solver], iterations=10**4, velocity_iterations=10**4, **limits)


def simulate(solver: str = "linear time", tolerance: float = 1e-6, joints: int = 127) -> gk.Run:
    outputs = {"open": lambda sim: sim.info["position_error"], "work": lambda sim: sim.info["position_iterations"]}
    return gk.simulate(build(joints), SECONDS, method=method(solver, tolerance), output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    sparse = simulate("sparse")
    quick, exact = (simulate("sweeps", tolerance, 63) for tolerance in (1e-3, 1e-6))
    check_run(run, 1e-6)
    check_run(sparse, 1e-6)
    check_run(quick, 1e-3)
    check_run(exact, 1e-6)
    # Direct solvers meet the same tolerance with the same few corrections, one for the preview of most steps.
    assert corrections(sparse) == corrections(run) < 2
    # Sweeping needs more of them, and more again for a tighter tolerance; each has SWEEPS sweeps.
    assert corrections(exact) > 1.5 * corrections(quick)
    assert corrections(exact) > corrections(simulate(joints=63))
    # Both direct solvers stop after the same correction, so they part by round-off only, which the motion lets grow.
    np.testing.assert_allclose(sparse["rod126"].position, run["rod126"].position, atol=1e-9)


def check_run(run: gk.Run, tolerance: float) -> None:
    assert run["open"].max() <= tolerance
    force = np.linalg.norm(run["joint0"].force, axis=1).max()  # [N]
    momentum = run.angular_momentum[1:]
    drift = tolerance * force * SECONDS
    np.testing.assert_allclose(momentum, np.broadcast_to((0, TORQUE * STEP, 0), momentum.shape), atol=drift + 1e-12)


def corrections(run: gk.Run) -> float:
    """Of positions, mean of all steps."""
    return run["work"][-1] / (len(run) - 1)


def milliseconds_a_step(solver: str, tolerance: float, joints: int) -> float:
    """Least of three means over half a second [ms] of the processor, whatever else runs on the machine."""
    sim, tries = gk.Simulation(build(joints), method(solver, tolerance)), []
    sim.advance(STEP)
    for _ in range(3):
        begun = time.process_time()
        sim.advance(15 * STEP)
        tries.append(1e3 * (time.process_time() - begun) / 15)
    return min(tries)


def picture(run: gk.Run, out: str) -> dict[str, float]:
    """Times beside those of the thesis, the tree, and what is conserved; returns the times for 255 joints [ms]."""
    figure = Figure(figsize=(11, 4.6))
    figure.suptitle("A binary tree of ball joints, h = 1/30 s", fontsize=12)
    panel = figure.add_axes((0.06, 0.12, 0.42, 0.78))
    last = {}
    for (solver, tolerance), thesis in THESIS.items():
        label, line = f"{solver}, {tolerance:g} m", "-" if tolerance == 1e-6 else "--"
        ours = [milliseconds_a_step(solver, tolerance, joints) for joints in SIZES]
        panel.loglog(SIZES, ours, "o" + line, color=COLORS[solver], markersize=4, label=label)
        marker = "s" if tolerance == 1e-6 else "D"
        panel.loglog(list(thesis), list(thesis.values()), marker, color=COLORS[solver], markerfacecolor="none")
        if tolerance == 1e-6:
            last[solver] = ours[-1]
    panel.plot([], [], "ks", markerfacecolor="none", label="thesis, Pentium 4 (diamonds: 1e-3 m)")
    for joints, (ms, what) in MULTIPLIERS.items():
        panel.loglog(joints, ms, "x", color="#777777")
        panel.text(1.06 * joints, 1.1 * ms, f"thesis, multipliers, {what}", fontsize=7, color="#777777")
    panel.axhline(1e3 * STEP, color="k", linestyle=":", linewidth=0.8)
    panel.text(SIZES[0], 1.1e3 * STEP, "real time", fontsize=8)
    panel.set(xlabel="joints", ylabel="time of a step [ms]", ylim=(0.01, 3e3))
    panel.set_xticks(SIZES, [str(n) for n in SIZES])
    panel.minorticks_off()
    panel.legend(fontsize=7, ncols=2, loc="upper left")
    for k, t in enumerate((0, SECONDS)):
        scene = figure.add_axes((0.5 + 0.25 * k, 0.48, 0.24, 0.42))
        draw_tree(scene, run, round(t / STEP))
        scene.set_title(f"{len(run.model.bodies)} rods after {t:.0f} s", fontsize=9)
    below = figure.add_axes((0.56, 0.12, 0.42, 0.3))
    below.semilogy(run.time[1:], run["open"][1:], ".", color="#4c72b0", label="widest gap of a joint [m]")
    change = np.abs(run.angular_momentum[1:, 1] / (TORQUE * STEP) - 1)
    below.semilogy(run.time[1:], np.maximum(change, 1e-17), color="#c44e52", label="change of the angular momentum")
    below.axhline(1e-6, color="k", linestyle=":", linewidth=0.8)
    below.set(xlabel="time [s]", ylim=(1e-14, 1e-2))
    below.legend(fontsize=7, loc="upper right")
    for each in (panel, below):
        each.grid(alpha=0.25)
    figure.savefig(out, dpi=76)
    return last


def draw_tree(panel: Axes, run: gk.Run, sample: int) -> None:
    """Rods as lines, seen from the front."""
    for body in run.model.bodies:
        half = run[body.name].rotation[sample] @ (0, 0, 0.5 * body.parts[0].shape.size[2])
        x, _, z = np.transpose([run[body.name].position[sample] - half, run[body.name].position[sample] + half])
        panel.plot(x, z, color="#555555", linewidth=0.8)
    panel.set_aspect("equal")
    panel.set_axis_off()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A binary tree of ball joints, three solvers.")
    parser.add_argument("--out", default="tree.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    times = picture(run, out)
    thesis = {solver: THESIS[solver, 1e-6].get(255) for solver in times}
    for solver, ms in times.items():
        print(
            f"255 joints, {solver}: {ms:.2f} ms a step" + (f" (thesis: {thesis[solver]} ms)" if thesis[solver] else "")
        )
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
