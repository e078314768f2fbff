"""Car through wall: a car with springs and motors drives up to a wall of bricks, and through it.

The scene X5 of the thesis on impulses: four wheels on suspensions, two of them driven, two steered, meet a wall that
stands by itself. Joints and contacts are one problem here: what the wall does to the bumper goes through the springs to
the wheels and from there to the ground. Motors push with no more than their torque, and wheels with no more than
friction allows.

Sweeps alone solve it here (`newton=0`): while 252 bricks fly apart, Newton's method beside them leaves residuals of the
same size, some smaller and some larger, at up to 18 times the work of a step.

Proof. The wall, more than 2000 points, stands still until the car is there: less than a millimetre a brick. Before, the
car speeds up with  F / (m + 4 I / r^2),  F the torque of the motors over the radius. The wall takes speed from the car,
and energy never grows by more than the work of the motors.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

BRICK, COLUMNS, ROWS = np.array([0.2, 0.4, 0.15]), 21, 12  # 252 bricks [m]
WALL, START, G = 0.0, -6.5, 9.81  # x of the wall and of the car [m]
RADIUS, WIDTH, BASE, TRACK = 0.32, 0.2, 1.5, 1.1  # of a wheel; distance of axles and of wheels [m]
CAR, WHEEL = 700.0, 18.0  # mass of the body and of a wheel [kg]
TORQUE, TOP = 550.0, 30.0  # of a motor [N m], most speed [rad/s]
STIFF, DAMPING = 35e3, 3e3  # of a spring [N/m], [N s/m]
STEP, T_END = 2.5e-3, 2.8  # [s]
WHEELS = {"front left": (1, 1), "front right": (1, -1), "rear left": (-1, 1), "rear right": (-1, -1)}
INERTIA = 0.5 * WHEEL * RADIUS**2  # of a wheel about its axle [kg m^2]


def build() -> gk.Model:
    b = gk.Builder(name="car through wall")
    b.material("rubber", friction=0.9, color=(0.22, 0.22, 0.24))
    b.material("paint", friction=0.3, color=(0.20, 0.45, 0.72))
    b.material("brick", density=500, friction=0.6, color=(0.76, 0.42, 0.33))
    b.material("pale", density=500, friction=0.6, color=(0.84, 0.55, 0.42))
    b.body("ground", shape=gk.Plane(), static=True)
    floor = 0.42  # height of the middle of the lower body [m]
    cabin = gk.ConvexHull(
        [(x, y, z) for y in (-0.42, 0.42) for x, z in ((-0.95, 0.0), (0.65, 0.0), (-0.8, 0.5), (0.15, 0.5))]
    )
    shell = [gk.Part(gk.Box((2.5, 0.86, 0.36))), gk.Part(cabin, at=(-0.1, 0, 0.18))]
    b.body("car", shape=shell, material="paint", mass=CAR, com=(0, 0, 0), inertia=(90, 380, 420), at=(START, 0, floor))
    for name, (front, left) in WHEELS.items():
        at = (START + front * BASE / 2, left * TRACK / 2, RADIUS)
        wheel = gk.Part(gk.Cylinder(RADIUS, WIDTH), rotation=(math.sqrt(0.5), math.sqrt(0.5), 0, 0))
        b.body(name, shape=wheel, material="rubber", mass=WHEEL, inertia=(0.6, INERTIA, 0.6), at=at)
        kind = gk.SteeredSuspension if front == 1 else gk.DampedHinge
        b.add(kind(name=f"{name} spring", a="car", b=name, at=at, axis=(0, 1, 0), x_axis=(0, 0, 1), stiffness=STIFF,
                   damping=DAMPING, load=CAR * G / 4))  # fmt: skip
        if front == 1:
            b.add(gk.Servo(name=f"{name} servo", on=f"{name} spring.steer", target=0.0, force_max=400.0))
        else:
            b.add(gk.VelocityMotor(name=f"{name} motor", on=f"{name} spring.spin", speed=TOP, force_max=TORQUE))
    for row in range(ROWS):
        for column in range(COLUMNS):
            y = BRICK[1] * (column - (COLUMNS - 1) / 2 + 0.5 * (row % 2) - 0.25)
            material = "pale" if (7 * row + 3 * column) % 5 < 2 else "brick"
            at = (WALL, y, BRICK[2] * (row + 0.5))
            b.body(f"brick {row} {column}", shape=gk.Box(BRICK), material=material, at=at)
    return b.build()


def simulate() -> gk.Run:
    outputs = {"points": lambda sim: float(sim.info["contacts"]), "depth": lambda sim: sim.info["overlap"]}
    method = gk.RowStepping(h=STEP, contact=gk.ContactOptions(newton=0))
    return gk.simulate(build(), T_END, method=method, output_dt=4 * STEP, outputs=outputs, peaks=True)


def bricks(run: gk.Run) -> np.ndarray:
    return np.array([k for k, name in enumerate(run.bodies) if name.startswith("brick")])


def arrival(run: gk.Run) -> int:
    """The sample before the bumper is at the wall."""
    return int(np.flatnonzero(run["car"].position[:, 0] + 1.25 > WALL - BRICK[0] / 2 - 0.1)[0])


def drift(run: gk.Run) -> float:
    """Largest way of a brick before the car is there [m]."""
    places = run.read("position")[: arrival(run), bricks(run)]
    return float(np.abs(places - places[0]).max())


def acceleration(run: gk.Run) -> tuple[float, float]:
    """Of the car from 0.3 to 0.9 s, and by the closed form [m/s^2]."""
    v, t = run["car"].velocity[:, 0], run.time
    a, b = (int(np.abs(t - x).argmin()) for x in (0.3, 0.9))
    form = 2 * TORQUE / RADIUS / (CAR + 4 * WHEEL + 4 * INERTIA / RADIUS**2)
    return float((v[b] - v[a]) / (t[b] - t[a])), form


def work(run: gk.Run) -> np.ndarray:
    """Of the motors since the start [J]: mean torque between two samples times the way of the wheel against the car."""
    made = np.zeros(len(run))
    for name in ("rear left", "rear right"):
        turned = np.diff(run[f"{name} spring"].spin, prepend=0.0)
        made += np.cumsum(run[f"{name} motor"].force_mean * turned)
    return made


def check(run: gk.Run) -> None:
    assert drift(run) < 1e-3
    assert run["points"][1 : arrival(run)].min() > 2000
    found, form = acceleration(run)
    assert abs(found / form - 1) < 0.02
    energy = run["energy.total"] - run["energy.total"][0]
    assert (energy - work(run)).max() < 0.01 * work(run)[-1], "no energy but from the motors"
    assert run["car"].position[-1, 0] > WALL + 1.5, "it is through"
    assert run["car"].velocity[-1, 0] < run["car"].velocity[arrival(run), 0], "the wall took speed"


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.0))
    first = arrival(run)
    for k, sample in enumerate((max(first - 30, 0), first + 12, first + 75)):
        panel = figure.add_axes((0.334 * k, 0.36, 0.331, 0.57))
        draw_instant(panel, run, sample, (0.0, 0, 0.7), (10.0, 5.85), toward=(0.75, -1.0, 0.55), pixels=292,
                     colors={"ground": (0.9, 0.9, 0.87)})  # fmt: skip
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
    panels = [figure.add_axes((left, 0.09, 0.26, 0.2)) for left in (0.05, 0.385, 0.72)]
    panels[0].plot(run.time, run["car"].velocity[:, 0], color="#4c72b0")
    panels[0].plot(run.time[:first], acceleration(run)[1] * run.time[:first], ":", color="0.4", label="closed form")
    panels[0].legend(fontsize=7)
    panels[0].set_title("speed of the car [m/s]", fontsize=9)
    for name in WHEELS:
        panels[1].plot(run.time, 1000 * run[f"{name} spring"].travel, linewidth=0.9, label=name)
    panels[1].legend(fontsize=6)
    panels[1].set_title("travel of the springs [mm]", fontsize=9)
    panels[2].plot(run.time, work(run) / 1000, "--", color="#c44e52", label="work of the motors")
    panels[2].plot(run.time, (run["energy.total"] - run["energy.total"][0]) / 1000, color="0.3", label="energy")
    panels[2].legend(fontsize=7)
    panels[2].set_title("since the start [kJ]", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("A car with springs and motors goes through a wall of loose bricks", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A car through a wall of bricks.")
    parser.add_argument("--out", default="car_through_wall.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    found, form = acceleration(run)
    before, after = run["car"].velocity[arrival(run), 0], run["car"].velocity[:, 0][arrival(run) :].min()
    print(f"the wall moves by {1000 * drift(run):.4f} mm before the car is there, expected 0")
    print(f"the car speeds up with {found:.3f} m/s^2, closed form {form:.3f} m/s^2")
    print(f"the wall slows it from {before:.2f} to {after:.2f} m/s; up to {int(run['points'].max())} points")
    print(f"{run.wall_time:.1f} s of computing; picture in {out}")


if __name__ == "__main__":
    main()
