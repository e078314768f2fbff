"""Falling cat: a body turns over in the air by its joints alone, with no angular momentum at any time.

A cat that is let go upside down lands on its feet, though nothing can turn it: there is no torque, and it begins at
rest. It bends, and turns its front and its back about their own, bent, axes; the bent spine answers by turning the
other way about the line between them. Here a light spine carries two halves on hinges, bent so far to either side that
one turn of both halves turns the whole cat by half a turn; two motors turn them. The tree moves in minimal coordinates:
nothing is open, and nothing drifts.

Proof. Let J and I be the moments of inertia of a half about its axis and across it, b the bend of each, s the speed of
the motors, and J_s the moment of inertia that the spine adds, its mass beside the centre of all three included. The
angular momentum about the line through that centre along the cat is

    2 J s cos(b) + (2 J cos(b)^2 + 2 I sin(b)^2 + J_s) w = 0

which gives the constant speed w at which the spine turns; its other components vanish by symmetry.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk.run.picture import draw_scene

RADIUS, LENGTH, MASS = 0.09, 0.20, 2.0  # of a half [m], [kg]
SPINE = 0.05  # mass of the spine [kg]
HEIGHT, STEP = 1.4, 1e-3  # [m], [s]
X = np.array([1.0, 0, 0])
FALL = 0.5  # [s] in which it turns over
SPEED = 2 * np.pi / FALL  # one turn of each half against the spine [rad/s]
ARM = 0.05 + LENGTH / 2  # joint to the centre of a half [m]
BALL = 0.4 * SPINE * 0.03**2  # moment of inertia of the spine, a small ball [kg m^2]


def moments() -> tuple[float, float]:
    """Of a half, a cylinder: about its axis and across it [kg m^2]."""
    return 0.5 * MASS * RADIUS**2, MASS * (3 * RADIUS**2 + LENGTH**2) / 12


def below(bend: float) -> float:
    """How far the centre of mass of all three is below the spine [m]."""
    return ARM * np.sin(bend) * 2 * MASS / (2 * MASS + SPINE)


def answer(bend: float) -> float:
    """How fast the spine turns, per speed of the motors."""
    J, across = moments()
    spine = BALL + SPINE * below(bend) ** 2 + 2 * MASS * (ARM * np.sin(bend) - below(bend)) ** 2
    return -2 * J * np.cos(bend) / (2 * J * np.cos(bend) ** 2 + 2 * across * np.sin(bend) ** 2 + spine)


BEND = brentq(lambda bend: answer(bend) + 0.5, 0.1, 1.5)  # a turn of the halves is half a turn of the cat
LOW = below(BEND)
AXES = [np.array([np.cos(BEND), 0, -np.sin(BEND)]), np.array([-np.cos(BEND), 0, -np.sin(BEND)])]  # front and back, bent


def build() -> gk.Model:
    turning = answer(BEND) * SPEED  # of the spine, from the first moment on: nothing ever has angular momentum
    b = gk.Builder(name="falling cat")
    b.material("fur", color=(0.80, 0.52, 0.25))
    b.material("belly", color=(0.95, 0.88, 0.78))
    spine = gk.Part(gk.Sphere(0.03), material="belly")
    centre = np.array([0, 0, HEIGHT - LOW])
    spin = {"angular_velocity": turning * X, "velocity": np.cross(turning * X, [0, 0, LOW])}
    b.body("spine", shape=spine, mass=SPINE, inertia=(BALL,) * 3, at=(0, 0, HEIGHT), **spin)
    for name, axis, sign in (("front", AXES[0], 1.0), ("back", AXES[1], -1.0)):
        down = sign * np.cross([0.0, 1.0, 0.0], axis)
        turn = Rotation.from_matrix(np.column_stack([down, np.cross(axis, down), axis])).as_quat(scalar_first=True)
        trunk = gk.Part(gk.Cylinder(radius=RADIUS, length=LENGTH), material="fur")
        lying = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
        paws = [gk.Part(gk.Capsule(0.018, 0.10), at=(-0.11, y, 0.03), rotation=lying) for y in (-0.05, 0.05)]
        J, across = moments()
        at = np.array([0, 0, HEIGHT]) + axis * ARM
        weight = {"mass": MASS, "inertia": (across, across, J), "com": (0, 0, 0)}
        spin = {"angular_velocity": turning * X + sign * SPEED * axis, "velocity": np.cross(turning * X, at - centre)}
        b.body(name, shape=[trunk, *paws], material="fur", at=at, rotation=turn, **weight, **spin)
        b.add(gk.Hinge(name=f"{name} hinge", a="spine", b=name, at=(0, 0, HEIGHT), axis=axis))
        b.add(gk.VelocityMotor(name=f"{name} motor", on=f"{name} hinge", speed=sign * SPEED))
    return b.build()


def simulate(step: float = STEP) -> gk.Run:
    return gk.simulate(build(), FALL, method=gk.MoreauTree(h=step, contact=None), output_dt=0.005)


def check(run: gk.Run) -> None:
    # All speeds are constant, which every scheme meets exactly: what is left is round-off of 500 steps.
    np.testing.assert_allclose(turned(run), answer(BEND) * SPEED * run.time, atol=1e-9)
    assert momentum(run).max() < 1e-10


def turned(run: gk.Run) -> np.ndarray:
    """Turn of the spine about the line between both halves [rad]."""
    q = run["spine"].orientation
    return np.unwrap(2 * np.arctan2(q[:, 1], q[:, 0]))


def momentum(run: gk.Run) -> np.ndarray:
    """Angular momentum about the centre of mass [N m s], from what every body does."""
    total = np.zeros((len(run.time), 3))
    bodies = list(run.model.bodies)
    mass = np.array([b.mass for b in bodies])
    places = np.stack([run[b.name].position for b in bodies], axis=1)
    speeds = np.stack([run[b.name].velocity for b in bodies], axis=1)
    centre = (mass[:, None] * places).sum(axis=1) / mass.sum()
    drift = (mass[:, None] * speeds).sum(axis=1) / mass.sum()
    for k, body in enumerate(bodies):
        R = Rotation.from_quat(run[body.name].orientation, scalar_first=True).as_matrix()
        w = run[body.name].angular_velocity
        total += np.einsum("tij,jk,tlk,tl->ti", R, np.array(body.inertia), R, w)
        total += mass[k] * np.cross(places[:, k] - centre, speeds[:, k] - drift)
    return np.linalg.norm(total, axis=1)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 3.6))
    for k, share in enumerate((0.0, 0.25, 0.5, 0.75, 1.0)):
        scene = figure.add_axes((0.136 * k + 0.002, 0.08, 0.134, 0.80))
        sample = round(share * (len(run.time) - 1))
        draw_scene(scene, run, np.array([sample]))
        for text in scene.texts:
            text.remove()
        degrees = np.degrees(abs(turned(run)[sample]))
        scene.set_title(f"{run.time[sample]:.2f} s: {degrees:.0f}°", fontsize=9, y=-0.08)
    angle = figure.add_axes((0.73, 0.16, 0.25, 0.68))
    angle.plot(run.time, np.degrees(np.abs(turned(run))), color="#b5651d", linewidth=3, label="spine")
    closed = np.degrees(abs(answer(BEND)) * SPEED * run.time)
    angle.plot(run.time[::10], closed[::10], "k.", label="closed form")
    angle.set_title("turned over by [degrees]", fontsize=9)
    angle.set_xlabel("time [s]", fontsize=8)
    angle.tick_params(labelsize=7)
    angle.legend(fontsize=8)
    angle.grid(alpha=0.25)
    figure.suptitle("A cat that falls turns over by its joints alone, without angular momentum", fontsize=12)
    figure.savefig(out, dpi=72)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A falling cat turns over.")
    parser.add_argument("--out", default="falling_cat.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"turned by {np.degrees(abs(turned(run)[-1])):.2f} degrees in {FALL:g} s, closed form 180")
    print(f"angular momentum at most {momentum(run).max():.0e} N m s, each half spins with {moments()[0] * SPEED:.2f}")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
