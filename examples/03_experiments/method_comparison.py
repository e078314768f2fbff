"""Method comparison: Lagrange multipliers, stabilised in three ways, against impulses.

Three links on ball joints whirl about, once with joint forces from Lagrange multipliers and a Runge-Kutta scheme of
order 4, and once with the impulse method. Multipliers make the accelerations fit, so that an error of a joint, once
there, stays and grows. Baumgarte's remedy is a spring and a damper in every joint; impulses after each step are the
other. J. Bender (Dynamiksimulation in der Computergraphik, Karlsruhe 2014, section 3.6.2) compares in words:
multipliers drift without stabilisation; impulses as a stabiliser beat Baumgarte's; impulses treat joints, velocity
conditions and inequalities alike, which a linear system for multipliers cannot express; their accuracy is set by the
tolerances and by the rotation, for translation under constant forces is exact.

Proof. Each statement becomes a figure. The gap of the joints grows for multipliers alone; it stays bounded with
Baumgarte's springs, and is at round-off or below the tolerance with impulses. A stop at the middle joint is refused by
the multipliers and kept by the impulses. A stone that flies beside the chain in the same model follows the parabola to
round-off. Multipliers of order 4 and impulses of order 2 go to the same motion: with half the step the impulses come
four times nearer to it.
"""

import argparse
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

STEP, T_END = 0.01, 10.0  # [s]
SPIN, LENGTH = 4.0, 0.5  # [rad/s] about the vertical, [m]
METHODS = {
    "multipliers": gk.Lagrange(h=STEP, stabilise="off", solver=gk.Tree()),
    "multipliers, Baumgarte": gk.Lagrange(h=STEP, stabilise="baumgarte", solver=gk.Tree()),
    "multipliers, impulses": gk.Lagrange(h=STEP, stabilise="impulse", solver=gk.Tree()),
    "impulses, 1e-3 m": gk.Impulse(h=STEP, tolerance=1e-3, velocity_tolerance=1e-3),
    "impulses, 1e-9 m": gk.Impulse(h=STEP, tolerance=1e-9),
}
COLORS = ("#c44e52", "#dd8452", "#8172b3", "#55a868", "#4c72b0")


def build(**stop: tuple[float, float]) -> gk.Model:
    """Three links from the horizontal, turning together about the vertical; a stone is thrown beside them."""
    b = gk.Builder(name="links")
    for i in range(3):
        x = (i + 0.5) * LENGTH
        speed = {"velocity": (0, SPIN * x, 0), "angular_velocity": (0, 0, SPIN)}
        b.body(f"link{i}", shape=gk.Box((LENGTH, 0.08, 0.08)), mass=1, at=(x, 0, 0), **speed)
        above, limits = f"link{i - 1}" if i > 0 else gk.WORLD, {"limits": stop} if i == 1 and stop else {}
        b.add(gk.Ball(name=f"joint{i}", a=above, b=f"link{i}", at=(i * LENGTH, 0, 0), axis=(1, 0, 0), **limits))
    b.body("stone", shape=gk.Sphere(0.1), mass=1, at=(0, 2, 0), velocity=(1, 2, 10))
    return b.build()


def simulate(name: str = "impulses, 1e-9 m", step: float = STEP) -> gk.Run:
    outputs = {"open": lambda sim: sim.info.get("position_error", 0.0)}
    method = replace(METHODS[name], h=step)
    return gk.simulate(build(), T_END, method=method, output_dt=STEP, outputs=outputs)


def check(run: gk.Run) -> None:
    gap = {name: simulate(name)["open"] for name in METHODS}
    tenth = len(run) // 10
    # Alone they drift, more than ten times as far in ten times the time; springs hold that, impulses do away with it.
    alone, springs, impulses = (gap[name] for name in list(METHODS)[:3])
    assert alone[-1] > 10 * alone[tenth]
    assert springs[tenth:].max() < 0.1 * alone[-1]
    assert impulses.max() < 1e-14 < 1e-3 * springs.max()
    # The impulse method keeps the tolerance it is given.
    assert gap["impulses, 1e-3 m"].max() <= 1e-3
    assert gap["impulses, 1e-9 m"].max() <= 1e-9
    # Translation is exact: round-off of 1000 steps over 400 m.
    t = run.time[:, None]
    parabola = np.array([0, 2, 0]) + t * (1, 2, 10) + t**2 / 2 * (0, 0, -9.81)
    np.testing.assert_allclose(run["stone"].position, parabola, atol=1e-10)
    # Order 2: half the step, a quarter of the error, against order 4 with half the step; early, before chaos.
    early = round(0.5 / STEP)
    true = simulate("multipliers, impulses", STEP / 2)["link2"].position[early]
    error = [np.linalg.norm(simulate(step=h)["link2"].position[early] - true) for h in (STEP, STEP / 2)]
    assert 3 < error[0] / error[1] < 5
    # Inequalities: a stop at the middle joint.
    stopped = gk.simulate(build(swing=(0, 0.2)), 2.0, method=METHODS["impulses, 1e-9 m"])
    assert 0.19 < stopped["joint1"].swing.max() < 0.2 + 1e-6
    np.testing.assert_raises(gk.InputError, gk.simulate, build(swing=(0, 0.2)), 2.0, method=METHODS["multipliers"])


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.4))
    figure.suptitle("Three whirling links, h = 10 ms: multipliers and impulses", fontsize=12)
    left, middle = figure.add_axes((0.07, 0.12, 0.3, 0.76)), figure.add_axes((0.45, 0.12, 0.3, 0.76))
    for name, color in zip(METHODS, COLORS):
        each = simulate(name)
        error = np.abs(each["energy"] / each["energy"][0] - 1)
        left.semilogy(each.time[1::4], np.maximum(each["open"][1::4], 1e-18), color=color, linewidth=0.8, label=name)
        middle.semilogy(each.time[1::4], np.maximum(error[1::4], 1e-18), color=color, linewidth=0.8)
    left.set(xlabel="time [s]", ylabel="widest gap of a joint [m]", ylim=(1e-17, 1e4))
    left.legend(fontsize=7, loc="upper left", ncols=2)
    middle.set(xlabel="time [s]", ylabel="error of the energy, relative", ylim=(1e-10, 1e-1))
    for panel in (left, middle):
        panel.grid(alpha=0.25)
    scene = figure.add_axes((0.78, 0.12, 0.21, 0.76))
    tip = run["link2"].position[: round(3 / STEP)]
    scene.plot(tip[:, 0], tip[:, 2], color="#4c72b0", linewidth=0.8)
    for k in range(0, round(0.6 / STEP), 10):
        for i in range(3):
            half = run[f"link{i}"].rotation[k] @ (0.5 * LENGTH, 0, 0)
            ends = run[f"link{i}"].position[k] + np.array([-half, half])
            scene.plot(ends[:, 0], ends[:, 2], color=f"{0.8 - k / 80:.2f}")
    scene.set_title("from the side, and the way of the last link", fontsize=9)
    scene.set_aspect("equal")
    scene.set_axis_off()
    figure.savefig(out, dpi=74)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Lagrange multipliers and impulses on three whirling links.")
    parser.add_argument("--out", default="methods.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    drift = simulate("multipliers")["open"][-1]
    print(f"after {T_END:g} s multipliers alone leave a gap of {drift:.1e} m, impulses {run['open'].max():.1e} m")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
