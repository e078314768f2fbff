"""Cardan shaft: one universal joint makes a shaft stutter, a second one makes it smooth again.

A motor turns the first shaft at a constant speed. A universal joint takes it around a bend of 35 degrees into the
middle shaft, which runs ahead and falls behind twice a turn; another one, with its fork in line with the first, takes
it back into the third shaft, which runs exactly as the first. The middle shaft can slide in itself, as all real ones
can, because the distance between two bearings is never just right. A load holds back the third shaft.

Proof. The pins of a universal joint stay at right angles. For a bend b and the angle t of the first shaft, from where
its pin stands across the bend, this is  tan(middle) = tan(t) cos(b), and so

    middle speed / speed = cos(b) / (1 - sin(b)^2 sin(t)^2)

Joints without friction do no work, so the torque of the motor is that of the load and what turns the middle shaft, of
axial inertia J, faster and slower:   T w = T_load w + d/dt (J w_m^2 / 2).
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk.run.picture import draw_scene

BEND = np.radians(35.0)
SPEED, LOAD = 10.0, 6.0  # [rad/s], [N m]
STEP = 0.0005  # [s]
X, Y = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
MIDDLE = np.array([np.cos(BEND), 0, -np.sin(BEND)])  # direction of the middle shaft
FORK = np.cross(MIDDLE, Y)  # direction of the pins in its forks
LENGTH = 0.8  # of the middle shaft [m]


def build() -> gk.Model:
    second = LENGTH * MIDDLE  # the first joint is at the origin
    b = gk.Builder(name="cardan shaft")
    b.material("steel", density=7850, color=(0.60, 0.65, 0.72))
    b.material("red", density=7850, color=(0.80, 0.35, 0.35))
    b.material("blue", density=7850, color=(0.33, 0.50, 0.75))
    shaft(b, "first", "red", -0.45 * X, X, Y, radius=0.03, length=0.45, speed=SPEED)
    # Where it starts, the middle shaft is at its slowest.
    shaft(b, "middle", "steel", second / 2, MIDDLE, FORK, radius=0.04, length=-LENGTH / 2, speed=SPEED * np.cos(BEND))
    shaft(b, "spline", "steel", second / 2, MIDDLE, FORK, radius=0.028, length=LENGTH / 2, speed=SPEED * np.cos(BEND))
    shaft(b, "third", "blue", second + 0.45 * X, X, Y, radius=0.03, length=-0.45, speed=SPEED)
    b.add(gk.Hinge(name="input", a=gk.WORLD, b="first", at=-0.4 * X, axis=X))
    b.add(gk.Universal(name="joint 1", a="first", b="middle", at=(0, 0, 0), axis=MIDDLE, x_axis=Y))
    b.add(gk.Slider(name="slide", a="middle", b="spline", at=second / 2, axis=MIDDLE))
    b.add(gk.Universal(name="joint 2", a="spline", b="third", at=second, axis=MIDDLE, x_axis=FORK))
    b.add(gk.Hinge(name="output", a=gk.WORLD, b="third", at=second + 0.4 * X, axis=X))
    b.add(gk.VelocityMotor(name="motor", on="input", speed=SPEED))
    b.add(gk.ForceMotor(name="load", on="output", force=-LOAD))
    return b.build()


def shaft(b, name, material, at, along, pin, *, radius, length, speed):
    """A cylinder from a place to its fork; a negative length puts the fork behind it. Its z axis is the shaft's."""
    turn = Rotation.from_matrix(np.column_stack([pin, np.cross(along, pin), along])).as_quat(scalar_first=True)
    sign = np.sign(length)
    rod = gk.Part(gk.Cylinder(radius=radius, length=abs(length) - 0.07), at=(0, 0, 0.5 * (length - 0.07 * sign)))
    plate = gk.Part(gk.Box((0.15, 0.06, 0.02)), at=(0, 0, length - 0.075 * sign))
    lugs = [gk.Part(gk.Box((0.02, 0.05, 0.085)), at=(x, 0, length - 0.035 * sign)) for x in (-0.065, 0.065)]
    pins = gk.Part(
        gk.Cylinder(radius=0.011, length=0.16), at=(0, 0, length), rotation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    )
    b.body(
        name, shape=[rod, plate, *lugs, pins], material=material, at=at, rotation=turn, angular_velocity=speed * along
    )


def simulate(step: float = STEP) -> gk.Run:
    return gk.simulate(build(), 1.5, method=gk.Impulse(h=step), output_dt=STEP)


def check(run: gk.Run) -> None:
    t = run["input"].angle
    # Rates: velocities meet to 1e-9, and an error of the place of 1e-9 rad is one of w 1e-9 here. With room for both.
    np.testing.assert_allclose(run["input"].rate, SPEED, atol=1e-7)
    np.testing.assert_allclose(middle_speed(run), SPEED * ratio(t), atol=1e-6)
    np.testing.assert_allclose(run["output"].rate, SPEED, atol=1e-6)
    # The third shaft keeps pace with the first over all turns, as near as joints of 1e-9 m on pins of 0.1 m allow.
    np.testing.assert_allclose(run["output"].angle, t, atol=1e-7)
    # Torque: the sensor gives the mean of the last step and the formula is taken at its end, so they differ by half a
    # step; the swing of the torque has 2 w as its slowest part and three times that in its peaks.
    swing = np.ptp(torque(run.model, t))
    np.testing.assert_allclose(run["motor"].force[1:], torque(run.model, t[1:]), atol=3 * SPEED * STEP * swing)
    # On average the motor gives what the load takes: the middle shaft gives back what it borrows. Whole turns count.
    turns = t[1:] < 4 * np.pi
    np.testing.assert_allclose(run["motor"].force[1:][turns].mean(), LOAD, atol=3 * SPEED * STEP * swing)


def ratio(t: np.ndarray) -> np.ndarray:
    """Speed of the middle shaft per speed of the first."""
    return np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.sin(t) ** 2)


def torque(model: gk.Model, t: np.ndarray) -> np.ndarray:
    """What the motor must give [N m]."""
    J = model.body("middle").inertia[2][2] + model.body("spline").inertia[2][2]
    slope = np.cos(BEND) * np.sin(BEND) ** 2 * np.sin(2 * t) / (1 - np.sin(BEND) ** 2 * np.sin(t) ** 2) ** 2
    return LOAD + J * SPEED**2 * ratio(t) * slope


def middle_speed(run: gk.Run) -> np.ndarray:
    """Turning of the middle shaft about its own direction [rad/s]."""
    return run["middle"].angular_velocity @ MIDDLE


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.4))
    for k, turn in enumerate((0, 45, 90)):
        scene = figure.add_axes((0.33 * k + 0.005, 0.46, 0.33, 0.46))
        sample = int(np.argmin(np.abs(run["input"].angle - np.radians(turn))))
        draw_scene(scene, run, np.array([sample]))
        for text in scene.texts:
            text.remove()
        faster = middle_speed(run)[sample] / SPEED
        scene.set_title(f"first shaft at {turn}°, middle shaft\n{faster:.3f} times as fast", fontsize=9, y=-0.04)
    t, angle = run.time, run["input"].angle
    speed = figure.add_axes((0.05, 0.09, 0.43, 0.27))
    effort = figure.add_axes((0.55, 0.09, 0.43, 0.27))
    every = slice(None, None, 60)
    speed.plot(t, middle_speed(run), color="#666666", label="middle shaft")
    speed.plot(t[every], SPEED * ratio(angle)[every], "k.", markersize=4, label="closed form")
    speed.plot(t, run["input"].rate, color="#e79a9c", linewidth=5, label="first shaft")
    speed.plot(t, run["output"].rate, color="#2f5597", linewidth=1.5, linestyle="--", label="third shaft")
    speed.set_title("speed [rad/s]", fontsize=9)
    speed.set_ylim(7.5, 14.2)
    speed.legend(fontsize=7, ncols=4, loc="upper center")
    effort.plot(t[1:], run["motor"].force[1:], color="#c44e52", label="motor")
    effort.plot(t[1:][every], torque(run.model, angle[1:])[every], "k.", markersize=4, label="power balance")
    effort.axhline(LOAD, color="#4c72b0", linewidth=1.2, label="load")
    effort.set_title("torque [N m]", fontsize=9)
    effort.set_ylim(3.8, 9.2)
    effort.legend(fontsize=7, ncols=3, loc="upper center")
    for panel in (speed, effort):
        panel.set_xlabel("time [s]", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle(
        "Two universal joints: the bend makes the middle shaft stutter, the third one runs smoothly", fontsize=12
    )
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A Cardan shaft with two universal joints.")
    parser.add_argument("--out", default="cardan_shaft.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    error = np.abs(middle_speed(run) - SPEED * ratio(run["input"].angle)).max()
    print(f"middle shaft: {middle_speed(run).min():.3f} to {middle_speed(run).max():.3f} rad/s, formula to {error:.0e}")
    print(f"third shaft: within {np.abs(run['output'].rate - SPEED).max():.0e} rad/s of {SPEED:g}")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
