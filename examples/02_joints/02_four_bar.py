"""Four bar: a motor turns a crank, and a rocker swings to and fro.

Crank, coupler and rocker with the ground between the two bearings: a loop of four joints. Three of them are hinges; the
fourth, from coupler to rocker, is a ball on a line, because hinges in a plane loop would hold the plane over and over
again. A velocity motor keeps the crank turning against gravity and inertia, and its sensor reads the torque.

Proof. The place and the speed of the rocker follow from those of the crank alone (Freudenstein). With the crank at the
angle t, its tip is at  c = a (cos t, sin t),  the diagonal to the bearing of the rocker at (d, 0) is s long, and the
triangle of diagonal, rocker r and coupler k gives the angle of the rocker

    q = atan2(c_y, c_x - d) - acos( (s^2 + r^2 - k^2) / (2 s r) )

The power of the motor goes into the bodies and nowhere else:  its work is the change of energy.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

CRANK, COUPLER, ROCKER, GROUND = 0.10, 0.30, 0.25, 0.30  # lengths [m]; crank + longest < the other two: it turns around
SPEED = 2 * np.pi  # of the motor [rad/s]
STEP, T_END = 0.001, 2.0  # [s], two turns
START = np.radians(60.0)  # of the crank
COLORS = {"crank": "#c44e52", "coupler": "#55a868", "rocker": "#4c72b0"}
AXIS = (0, -1, 0)  # angles count from x to z


def rocker_angle(t: np.ndarray) -> np.ndarray:
    """The closed form above [rad]."""
    x, y = CRANK * np.cos(t) - GROUND, CRANK * np.sin(t)
    s = np.hypot(x, y)
    return np.mod(np.arctan2(y, x), 2 * np.pi) - np.arccos((s**2 + ROCKER**2 - COUPLER**2) / (2 * s * ROCKER))


def rocker_speed(t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rocker speed per crank speed: both tips move alike along the coupler, whose direction is e."""
    e = np.stack([GROUND + ROCKER * np.cos(q) - CRANK * np.cos(t), ROCKER * np.sin(q) - CRANK * np.sin(t)])

    def along(angle: np.ndarray) -> np.ndarray:
        return -np.sin(angle) * e[0] + np.cos(angle) * e[1]

    return CRANK * along(t) / (ROCKER * along(q))


def build() -> gk.Model:
    q = float(rocker_angle(np.array(START)))
    tip = CRANK * np.array([np.cos(START), 0, np.sin(START)])
    bearing = np.array([GROUND, 0, 0])
    end = bearing + ROCKER * np.array([np.cos(q), 0, np.sin(q)])
    # It starts in motion, so that the motor need not jerk: speeds of the tips of crank and rocker.
    v_tip = SPEED * CRANK * np.array([-np.sin(START), 0, np.cos(START)])
    v_end = rocker_speed(START, q) * SPEED * ROCKER * np.array([-np.sin(q), 0, np.cos(q)])
    still = np.zeros(3)
    b = gk.Builder(name="four bar")
    b.material("steel", density=7850)
    bar(b, "crank", still, tip, still, v_tip)
    bar(b, "coupler", tip, end, v_tip, v_end)
    bar(b, "rocker", bearing, end, still, v_end)
    b.add(gk.Hinge(name="motor shaft", a=gk.WORLD, b="crank", at=(0, 0, 0), axis=AXIS))
    b.add(gk.Hinge(name="crank pin", a="crank", b="coupler", at=tip, axis=AXIS))
    b.add(gk.Hinge(name="bearing", a=gk.WORLD, b="rocker", at=bearing, axis=AXIS))
    b.add(gk.BallOnLine(name="rocker pin", a="rocker", b="coupler", at=end, axis=AXIS))
    b.add(gk.VelocityMotor(name="motor", on="motor shaft", speed=SPEED))
    return b.build()


def bar(b: gk.Builder, name: str, first: np.ndarray, last: np.ndarray, v_first: np.ndarray, v_last: np.ndarray) -> None:
    """A flat bar whose x axis points from one pin to the other, and whose pins move at given velocities."""
    along = last - first
    length = float(np.linalg.norm(along))
    half = -np.arctan2(along[2], along[0]) / 2
    b.body(
        name,
        shape=gk.Box((length, 0.01, 0.02)),
        material="steel",
        at=(first + last) / 2,
        rotation=(np.cos(half), 0, np.sin(half), 0),
        velocity=(v_first + v_last) / 2,
        angular_velocity=np.cross(along, v_last - v_first) / length**2,
    )


def simulate(step: float = STEP) -> gk.Run:
    return gk.simulate(build(), T_END, method=gk.Impulse(h=step), output_dt=step)


def check(run: gk.Run) -> None:
    t, q = START + run["motor shaft"].angle, angle_of(run, "rocker")
    # The loop is closed to 1e-9 m, which is 1e-8 rad of the shortest bar; the rocker turns about as far as the crank.
    np.testing.assert_allclose(q, rocker_angle(t), atol=2e-8)
    # Velocities meet to 1e-9 m/s; what is left is the share of the position errors, 1e-8 rad at 6 rad/s.
    np.testing.assert_allclose(run["motor shaft"].rate, SPEED, atol=1e-7)
    np.testing.assert_allclose(run["bearing"].rate, rocker_speed(t, q) * SPEED, atol=1e-6)
    # Two turns. The motor finds its torque in the first step, and its speed between two steps is good to their square.
    assert abs(t[-1] - START - SPEED * T_END) < 0.1 * SPEED * STEP
    # The work of the motor is the change of energy, but for the order of the method: half the step, a quarter of it.
    missing, finer = (np.abs(balance(r)).max() for r in (run, simulate(STEP / 2)))
    assert missing < 1e-4 * np.ptp(run["energy"])
    assert 3 < missing / finer < 5


def angle_of(run: gk.Run, name: str) -> np.ndarray:
    """Angle of a bar in the plane [rad]."""
    x = run[name].rotation[:, :, 0]
    return np.unwrap(np.arctan2(x[:, 2], x[:, 0]))


def balance(run: gk.Run) -> np.ndarray:
    """Change of energy less the work of the motor [J]."""
    work = np.cumsum(run["motor"].force[1:] * np.diff(run["motor shaft"].angle))
    return run["energy"][1:] - run["energy"][0] - work


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplot_mosaic("sq;sw;st", width_ratios=(1.25, 1))
    scene = panels["s"]
    samples = np.linspace(0, 1000, 13).astype(int)[:-1]
    pins = pins_of(run)
    for n, k in enumerate(samples):
        fade = 0.18 if n else 1.0
        for name, first, last in (("coupler", 1, 2), ("crank", 0, 1), ("rocker", 3, 2)):
            xy = pins[[first, last]][:, k]
            width = 9 if n == 0 else 4
            scene.plot(*xy.T, "-", color=COLORS[name], alpha=fade, linewidth=width, solid_capstyle="round",
                       label=None if n else name, zorder=3 if n == 0 else 1)  # fmt: skip
    scene.plot(*pins[:, 0].T, "o", markersize=7, markerfacecolor="w", markeredgecolor="0.2", zorder=4)
    scene.plot(*pins[1].T, color=COLORS["crank"], linewidth=0.8)
    scene.plot(*pins[2].T, color=COLORS["rocker"], linewidth=0.8)
    middle = run["coupler"].position[:, [0, 2]]
    scene.plot(*middle.T, color=COLORS["coupler"], linewidth=1, linestyle="--")
    for x in (0, GROUND):
        scene.fill([x, x - 0.03, x + 0.03], [0, -0.045, -0.045], color="0.75", zorder=0)
    scene.plot([-0.13, GROUND + 0.1], [-0.047, -0.047], color="0.5", linewidth=2)
    scene.set(aspect="equal", title="A four-bar linkage at twelve instants of a turn")
    scene.set_axis_off()
    scene.legend(fontsize=9, loc="upper left", frameon=False)
    t = run.time
    every = slice(None, None, 60)
    crank = START + run["motor shaft"].angle
    q = angle_of(run, "rocker")
    panels["q"].plot(t, np.degrees(q), color=COLORS["rocker"], label="run")
    panels["q"].plot(t[every], np.degrees(rocker_angle(crank[every])), "k.", markersize=4, label="closed form")
    panels["w"].plot(t[1:], run["bearing"].rate[1:] / SPEED, color=COLORS["rocker"])
    panels["w"].plot(t[1:][every], rocker_speed(crank, q)[1:][every], "k.", markersize=4)
    panels["t"].plot(t[1:], run["motor"].force[1:], color=COLORS["crank"])
    for key, title in (("q", "angle of the rocker [°]"), ("w", "speed of the rocker / speed of the crank"),
                       ("t", "torque of the motor [N m]")):  # fmt: skip
        panels[key].set_title(title, fontsize=9)
        panels[key].tick_params(labelsize=7)
        panels[key].grid(alpha=0.25)
    panels["q"].set_ylim(80, 170)
    panels["q"].legend(fontsize=7, loc="upper right", ncols=2)
    panels["t"].set_xlabel("time [s]", fontsize=8)
    figure.savefig(out, dpi=80)


def pins_of(run: gk.Run) -> np.ndarray:
    """(4, n, 2) motor shaft, crank pin, rocker pin, bearing in the plane [m]."""

    def tip(name: str, length: float) -> np.ndarray:
        return (run[name].position + 0.5 * length * run[name].rotation[:, :, 0])[:, [0, 2]]

    still = np.zeros((len(run), 2))
    return np.stack([still, tip("crank", CRANK), tip("coupler", COUPLER), still + np.array([GROUND, 0])])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A four-bar linkage driven by a motor.")
    parser.add_argument("--out", default="four_bar.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    q = angle_of(run, "rocker")
    error = np.abs(q - rocker_angle(START + run["motor shaft"].angle)).max()
    print(f"the rocker swings by {np.degrees(np.ptp(q)):.2f} degrees, {error:.0e} rad from the closed form")
    print(f"torque of the motor from {run['motor'].force[1:].min():.3f} to {run['motor'].force[1:].max():.3f} N m")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
