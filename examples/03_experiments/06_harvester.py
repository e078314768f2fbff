"""Harvester: the machine on which pivoting and sweeping were compared, 201 rows, built anew.

A harvester fells and cuts trees: six wheels, articulated steering, a crane of seven metres, a head of a tonne at its
end. T. J. Jung (Methoden der Mehrkoerperdynamiksimulation als Grundlage realitaetsnaher Virtueller Welten, Aachen 2011,
section 3.5.3) compares solvers on one: joints are not stabilised, so that what a solver leaves undone stays visible,
and the error is the sum of the squares of all position and orientation errors of all joints.

    27 hinges 135    4 sliders 20    10 gears 10    middle joint with lock and motor 6    12 motors 12    6 wheels 18

make 201 rows, as there. The thesis gives neither masses nor lengths; those here are of the usual size. Each cylinder of
the crane closes a loop: pin, slider, pin, beside the hinge that it drives; that takes two hinges more in the crane, and
the head has two fewer. A wheel stands on a ball joint at the point where it touches the ground: one row upward and two
across, as many as a contact with friction has, but without bounds. The crane slews, lifts, luffs and reaches out, all
at once and at full speed from the first step on.

Proof. Pivoting solves all rows to round-off; what is left of its error is the curvature of the motion, h^2/2 times an
acceleration in every step, so that half the step leaves half of it after the same time, a quarter in squares. The
thesis finds that 100 sweeps of Gauss-Seidel leave 100 times the error of pivoting, and that the curves for 10, 100,
1000, 10000 sweeps lie in this order. Both hold here, and after one second the joints of the swept machine gape by
decimetres, those of the pivoted one not by a millimetre. The loops make some rows repeat others, so that pivoting adds
a little to the diagonal. As in the thesis the less the better: 1e-3, 1e-4, 1e-9 of the diagonal. With 1e-4 it leaves a
fortieth of what 100 sweeps leave (a hundredth there), with 1e-9 a thousandth.

The time of a solve in the picture is that of a step less assembly, in seconds of the processor, the least of several
tries; assembly is what a step of ten sweeps takes without them.
"""

import argparse
import time
import warnings
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.model.pose_rows import gaps, held_rows
from gelenk.run.picture import draw_scene

STEP = 0.012  # [s], as in the thesis
EARLY = 8  # steps
SHORT, LONG = EARLY * STEP, 84 * STEP  # [s] of figures 3.14 and 3.15
SWEEPS = (10, 100, 1000, 10000)
ADD_ONS = (1e-3, 1e-4, 1e-9)  # of the diagonal
UP, ASIDE, ALONG = (0, 0, 1), (0, 1, 0), (1, 0, 0)


def bar(b: gk.Builder, name: str, start: tuple, end: tuple, thick: float, mass: float) -> None:
    """A box from ``start`` to ``end``, both in an upright plane along x."""
    (x0, y0, z0), (x1, _, z1) = start, end
    half = -0.5 * np.arctan2(z1 - z0, x1 - x0)
    box = gk.Box((np.hypot(x1 - x0, z1 - z0), thick, thick))
    middle = (0.5 * (x0 + x1), y0, 0.5 * (z0 + z1))
    b.body(name, shape=box, mass=mass, at=middle, rotation=(np.cos(half), 0, np.sin(half), 0))


def build() -> gk.Model:
    b = gk.Builder(name="harvester")
    build_chassis(b)
    build_crane(b)
    build_head(b)
    return b.build()


def build_chassis(b: gk.Builder) -> None:
    """Two frames of 6 and 7 t, two bogies, six wheels on the ground, 4 gears and one drive: 87 rows."""
    b.body("front", shape=gk.Box((3.0, 1.2, 0.6)), mass=6000, at=(1.8, 0, 1.2))
    b.body("rear", shape=gk.Box((3.4, 1.4, 1.0)), mass=7000, at=(-2.0, 0, 1.4))
    middle = {"at": (0, 0, 1.0), "axis": UP, "x_axis": ALONG, "lock_below": 0.05}
    b.add(gk.ArticulatedSteering(name="middle", a="front", b="rear", **middle))
    b.add(gk.VelocityMotor(name="steering", on="middle.steer", speed=0, force_max=2e5))
    across = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # turns z, the axis of a cylinder, to y
    for side, y in (("left", 1.1), ("right", -1.1)):
        bogie = f"bogie_{side}"
        b.body(bogie, shape=gk.Box((1.5, 0.3, 0.3)), mass=500, at=(1.9, 0.7 * y, 0.75))
        b.add(gk.Hinge(name=f"{bogie}_pin", a="front", b=bogie, at=(1.9, 0.7 * y, 0.75), axis=ASIDE))
        for place, x, carrier in (("fore", 2.65, bogie), ("aft", 1.15, bogie), ("rear", -2.3, "rear")):
            wheel, at = f"{place}_{side}", (x, y, 0.67)
            b.body(wheel, shape=gk.Cylinder(radius=0.67, length=0.6), mass=400, at=at, rotation=across)
            b.add(gk.Hinge(name=f"{wheel}_hub", a=carrier, b=wheel, at=at, axis=ASIDE))
            b.add(gk.Ball(name=f"ground_{wheel}", a=gk.WORLD, b=wheel, at=(x, y, 0)))
        b.add(gk.Gear(name=f"chain_{side}", first=f"fore_{side}_hub", second=f"aft_{side}_hub", positions=False))
    for place in ("aft", "rear"):
        b.add(gk.Gear(name=f"axle_{place}", first=f"{place}_left_hub", second=f"{place}_right_hub", positions=False))
    b.add(gk.Differential(name="drive", first="aft_left_hub", second="rear_left_hub", speed=0, force_max=5e4))


def build_crane(b: gk.Builder) -> None:
    """Post, two arms with their cylinders, two telescopes: 7 hinges, 4 sliders, 1 gear, 4 motors, 60 rows."""
    foot, shoulder, elbow, knuckle, tip = (2.6, 0, 1.5), (2.6, 0, 2.3), (5.2, 0, 4.6), (7.4, 0, 4.2), (9.6, 0, 3.8)
    bar(b, "post", foot, shoulder, 0.4, 500)
    bar(b, "lift_arm", shoulder, elbow, 0.3, 900)
    bar(b, "luff_arm", elbow, knuckle, 0.25, 500)
    bar(b, "telescope_1", (6.0, 0, 4.4545), (8.4, 0, 4.0182), 0.2, 300)
    bar(b, "telescope_2", (7.2, 0, 4.2364), tip, 0.15, 200)
    b.add(gk.Hinge(name="slew", a="front", b="post", at=foot, axis=UP))
    b.add(gk.Hinge(name="lift", a="post", b="lift_arm", at=shoulder, axis=ASIDE))
    b.add(gk.Hinge(name="luff", a="lift_arm", b="luff_arm", at=elbow, axis=ASIDE))
    reach = gk.unit((2.2, 0, -0.4))
    b.add(gk.Slider(name="reach_1", a="luff_arm", b="telescope_1", at=knuckle, axis=reach))
    b.add(gk.Slider(name="reach_2", a="telescope_1", b="telescope_2", at=(8.4, 0, 4.0182), axis=reach))
    b.add(gk.Gear(name="chain_of_telescope", first="reach_2", second="reach_1"))
    cylinder(b, "lift", ("post", (2.9, 0, 1.6)), ("lift_arm", (4.3, 0, 3.5)))
    cylinder(b, "luff", ("lift_arm", (3.4, 0, 3.7)), ("luff_arm", (5.3, 0, 5.2)))
    b.add(gk.VelocityMotor(name="slewing", on="slew", speed=0.15, force_max=1e5))
    b.add(gk.VelocityMotor(name="lifting", on="lift_cylinder", speed=0.05, force_max=5e5))
    b.add(gk.VelocityMotor(name="luffing", on="luff_cylinder", speed=-0.05, force_max=5e5))
    b.add(gk.VelocityMotor(name="reaching", on="reach_1", speed=0.1, force_max=1e5))


def cylinder(b: gk.Builder, name: str, low: tuple, high: tuple) -> None:
    """Barrel and rod between two pins, the loop beside the hinge that it drives."""
    (body_low, start), (body_high, end) = low, high
    p, q = np.array(start), np.array(end)
    bar(b, f"{name}_barrel", start, tuple(p + 0.6 * (q - p)), 0.14, 80)
    bar(b, f"{name}_rod", tuple(p + 0.4 * (q - p)), end, 0.08, 50)
    b.add(gk.Hinge(name=f"{name}_foot", a=body_low, b=f"{name}_barrel", at=start, axis=ASIDE))
    along = gk.unit(tuple(q - p))
    b.add(gk.Slider(name=f"{name}_cylinder", a=f"{name}_barrel", b=f"{name}_rod", at=tuple(0.5 * (p + q)), axis=along))
    b.add(gk.Hinge(name=f"{name}_eye", a=f"{name}_rod", b=body_high, at=end, axis=ASIDE))


def build_head(b: gk.Builder) -> None:
    """Rotator, frame, two arms, three rollers, four tongs, a saw: 12 hinges, 5 gears, 7 motors, 72 rows."""
    x, z = 9.6, 3.8  # the tip of the crane
    b.body("rotator", shape=gk.Box((0.2, 0.2, 0.5)), mass=60, at=(x, 0, z - 0.3))
    b.body("head", shape=gk.Box((1.4, 0.5, 0.4)), mass=700, at=(x, 0, z - 0.75))
    b.add(gk.Hinge(name="rotator_pin", a="telescope_2", b="rotator", at=(x, 0, z - 0.05), axis=UP))
    b.add(gk.Hinge(name="tilt_pin", a="rotator", b="head", at=(x, 0, z - 0.55), axis=ASIDE))
    on_end = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    for side, y in (("left", 1), ("right", -1)):
        for part, at, mass in (("arm", 0.0, 40), ("upper", 0.6, 30), ("lower", -0.6, 30)):
            name, pin = f"{part}_{side}", (x + at, 0.2 * y, z - 0.95)
            b.body(name, shape=gk.Box((0.1, 0.1, 0.5)), mass=mass, at=(x + at, 0.3 * y, z - 1.2))
            b.add(gk.Hinge(name=f"{name}_pin", a="head", b=name, at=pin, axis=ALONG))
        wheel, at = f"roller_{side}", (x, 0.3 * y, z - 1.4)
        b.body(wheel, shape=gk.Cylinder(radius=0.2, length=0.15), mass=40, at=at)
        b.add(gk.Hinge(name=f"{wheel}_pin", a=f"arm_{side}", b=wheel, at=at, axis=UP))
    b.body(
        "roller_top", shape=gk.Cylinder(radius=0.15, length=0.3), mass=30, at=(x + 0.3, 0, z - 0.95), rotation=on_end
    )
    b.body("saw", shape=gk.Box((0.05, 0.6, 0.1)), mass=10, at=(x - 0.72, 0, z - 0.95))
    b.add(gk.Hinge(name="roller_top_pin", a="head", b="roller_top", at=(x + 0.3, 0, z - 0.95), axis=ASIDE))
    b.add(gk.Hinge(name="saw_pin", a="head", b="saw", at=(x - 0.72, 0.2, z - 0.9), axis=ALONG))
    for part in ("arm", "upper", "lower", "roller"):
        b.add(gk.Gear(name=f"{part}_gear", first=f"{part}_left_pin", second=f"{part}_right_pin", ratio=-1))
    b.add(gk.Gear(name="top_gear", first="roller_top_pin", second="roller_left_pin"))
    motors = {"rotator": 0.0, "tilt": 0.0, "roller_left": 2.0, "arm_left": 0.1, "upper_left": 0.1, "lower_left": 0.1}
    for joint, speed in (motors | {"saw": 0.5}).items():
        b.add(gk.VelocityMotor(name=f"{joint}_motor", on=f"{joint}_pin", speed=speed, force_max=2e4))


def method(sweeps: int, step: float = STEP, add_on: float = 1e-9) -> gk.RowStepping:
    """Rows without stabilisation; pivoting for 0 sweeps, else that many of them, from nothing."""
    solver = gk.GaussSeidel(sweeps=sweeps, tolerance=0) if sweeps else gk.Dantzig(add_on=add_on)
    return gk.RowStepping(h=step, solver=solver, stabilise="off", warm_start=False)


def simulate(sweeps: int = 0, t_end: float = LONG, step: float = STEP, add_on: float = 1e-9) -> gk.Run:
    outputs = {"open": open_joints, "rows": lambda sim: sim.info["rows"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gk.AccuracyWarning)  # the open joints are what is looked at
        return gk.simulate(build(), t_end, method=method(sweeps, step, add_on), output_dt=STEP, outputs=outputs)


def open_joints(sim: gk.Simulation) -> np.ndarray:
    """Sum of the squares of all errors of the joints [m^2 + rad^2], and the widest gap [m]."""
    found = gaps(sim.model, sim.state, held_rows(sim.model))
    return np.array([sum(gap.distance**2 + gap.angle**2 for gap in found), max(gap.distance for gap in found)])


def check(run: gk.Run) -> None:
    # As many rows as in the thesis, all of them active.
    assert (run["rows"][1:] == 201).all()
    pivoted = run["open"]
    # At the start the joints are closed, but for the round-off of places of 10 m; later they gape by the curvature.
    assert pivoted[0, 1] < 1e-14
    assert pivoted[-1, 1] < 1e-3
    # Half the step: half the drift, which is its square in the sum. The next order, h w = 0.1 at most, may blur that.
    finer = simulate(step=STEP / 2, t_end=SHORT)["open"]
    assert 0.2 < finer[-1, 0] / pivoted[EARLY, 0] < 0.3
    # The order of the curves, and the factor 100 between 100 sweeps and pivoting.
    swept = {sweeps: simulate(sweeps, SHORT)["open"][:, 0] for sweeps in SWEEPS}
    for fewer, more in pairwise(SWEEPS):
        assert (swept[more][1:] < swept[fewer][1:]).all()
    early = pivoted[1 : EARLY + 1, 0]
    assert (early * 100 < swept[100][1:]).all()
    # Less of an add-on, less of an error.
    added = [simulate(t_end=SHORT, add_on=add_on)["open"][1:, 0] for add_on in ADD_ONS[:2]]
    assert (added[0] > added[1]).all()
    assert (added[1] > 10 * early).all()


def seconds_a_step(sweeps: int) -> float:
    """The least of 15 tries of four steps [s] of the processor."""
    sim, tries = gk.Simulation(build(), method(sweeps)), []
    sim.advance(STEP)
    for _ in range(15):
        begun = time.process_time()
        sim.advance(4 * STEP)
        tries.append((time.process_time() - begun) / 4)
    return min(tries)


def solve_times() -> tuple[float, float]:
    """Of pivoting and of one sweep [s]: what remains of a step without assembly, which both have in common."""
    few, many = seconds_a_step(10), seconds_a_step(1000)
    sweep = (many - few) / 990
    return seconds_a_step(0) - (few - 10 * sweep), sweep


def picture(run: gk.Run, out: str) -> str:
    """Error over time on the left, the machine after one second on the right; returns the line about times."""
    pivot, sweep = solve_times()
    times = f"pivoting {1e3 * pivot:.2f} ms a solve, as long as {pivot / sweep:.0f} sweeps (thesis: 6.3 ms, 70 sweeps)"
    figure = Figure(figsize=(11, 5))
    figure.suptitle(f"A harvester of 201 rows, steps of 12 ms, not stabilised: {times}", fontsize=10)
    panel = figure.add_axes((0.07, 0.11, 0.4, 0.8))
    runs = {sweeps: simulate(sweeps, LONG if sweeps == 100 else SHORT) for sweeps in SWEEPS}
    early, t = slice(1, EARLY + 1), 1e3 * run.time[1 : EARLY + 1]
    for sweeps, color in zip(SWEEPS, ("#937860", "#c44e52", "#dd8452", "#8172b3")):
        panel.semilogy(t, runs[sweeps]["open"][early, 0], "o-", color=color, markersize=4, label=f"{sweeps} sweeps")
    for add_on, line in zip(ADD_ONS, ("o:", "o--", "o-")):
        each = run if add_on == ADD_ONS[-1] else simulate(t_end=SHORT, add_on=add_on)
        label = f"pivoting, add-on {add_on:.0e}".replace("e-0", "e-")
        panel.semilogy(t, each["open"][early, 0], line, color="#4c72b0", markersize=4, label=label)
    # The thesis has a factor alone.
    thesis = 100 * run["open"][early, 0]
    panel.semilogy(t, thesis, "ks", markerfacecolor="none", markersize=5, label="thesis: 100 sweeps, factor 100")
    panel.set(xlabel="time [ms]", ylabel="squares of the errors of all joints [m$^2$ + rad$^2$]", ylim=(1e-10, 100))
    panel.legend(fontsize=8, ncols=2, loc="upper left")
    panel.grid(alpha=0.25)
    for k, (shown, title) in enumerate(((runs[100], "100 sweeps"), (run, "pivoting"))):
        scene = figure.add_axes((0.49, 0.46 - 0.44 * k, 0.5, 0.44))
        draw_scene(scene, shown, np.array([len(shown) - 1]))
        for text in scene.texts:
            text.remove()
        gap = shown["open"][-1, 1]
        scene.set_title(f"{title}: a gap of {1e3 * gap:.1f} mm after {shown.time[-1]:.2g} s", fontsize=9)
    upper, lower = figure.axes[1:]
    lows, highs = np.transpose([(each.get_xlim(), each.get_ylim()) for each in (upper, lower)])
    for each in (upper, lower):  # the same scale
        each.set(xlim=(lows[0].min(), highs[0].max()), ylim=(lows[1].min(), highs[1].max()))
    figure.savefig(out, dpi=80)
    return times


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A harvester of 201 rows: pivoting against sweeping.")
    parser.add_argument("--out", default="harvester.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    times = picture(run, out)
    print(f"{run['rows'][-1]:.0f} rows, widest gap after {run.time[-1]:.2g} s: {1e3 * run['open'][-1, 1]:.2g} mm")
    print(times)
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
