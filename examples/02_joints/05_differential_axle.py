"""Differential axle: brake one wheel, and the other one turns faster.

An axle on a test stand: the ring gear runs at a constant speed, the road holds both wheels back by a torque that grows
with their speed. After a second the left wheel is braked, four seconds later so hard that it stands. The differential
lets the wheels share the speed as they like, and gives both the same torque.

Proof. The mean of the wheel speeds w_l and w_r is that of the ring gear, W, always. Both wheels of inertia J get the
torque T, the road takes d w, the brake takes M from the left one:

    J w_l' = T - d w_l - M        J w_r' = T - d w_r

The sum says  T = d W + M / 2,  without delay, and the difference  D = w_l - w_r  goes to its end as an exponential,

    D' = -(d D + M) / J

or D = -2 W when the left wheel stands. M is constant within a step h, so D + M/d falls to its exp(-h d / J); what the
computed motion lacks of that is of order h^2.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.run.picture import draw_scene

RING = 20.0  # speed of the ring gear [rad/s]
ROAD = 0.6  # [N m s]
BRAKE = 12.0  # [N m]
STAGES = ((0.0, 0.0), (1.0, 1.0), (5.0, 4.0))  # from when [s], how strong
STEP, T_END = 0.002, 9.0  # [s]
RADIUS, TRACK = 0.30, 0.9  # of a wheel, between the wheels [m]
Y = (0, 1, 0)  # wheels turn about y
TURN = (np.sqrt(0.5), -np.sqrt(0.5), 0, 0)  # takes z to y


def build() -> gk.Model:
    b = gk.Builder(name="differential axle", gravity=(0, 0, 0))
    b.material("rubber", density=900, color=(0.30, 0.32, 0.36))
    b.material("red", density=2700, color=(0.85, 0.35, 0.32))
    b.material("blue", density=2700, color=(0.32, 0.50, 0.80))
    b.material("iron", density=7000, color=(0.65, 0.68, 0.70))
    for name, color, y in (("left", "red", TRACK / 2), ("right", "blue", -TRACK / 2)):
        tyre = gk.Part(gk.Torus(radius=RADIUS - 0.06, tube_radius=0.06), rotation=TURN, material="rubber")
        hub = gk.Part(gk.Cylinder(radius=0.07, length=0.08), rotation=TURN, material=color)
        spokes = [gk.Part(gk.Box((0.045, 0.03, 2 * RADIUS - 0.16)), material=color),
                  gk.Part(gk.Box((2 * RADIUS - 0.16, 0.03, 0.045)), material=color)]  # fmt: skip
        b.body(name, shape=[hub, *spokes, tyre], at=(0, y, 0), angular_velocity=(0, RING, 0))
        b.add(gk.Hinge(name=f"{name} bearing", a=gk.WORLD, b=name, at=(0, y, 0), axis=Y))
        b.add(gk.JointSpring(name=f"{name} road", on=f"{name} bearing", damping=ROAD))
    axle = gk.Part(gk.Cylinder(radius=0.035, length=TRACK), rotation=TURN)
    case = gk.Part(gk.Sphere(radius=0.11))
    shaft = gk.Part(
        gk.Cylinder(radius=0.035, length=0.35), at=(-0.2, 0, 0), rotation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    )
    b.body("housing", shape=[axle, case, shaft], material="iron", static=True)
    b.add(gk.Differential(name="differential", first="left bearing", second="right bearing", speed=RING))
    b.add(gk.VelocityMotor(name="brake", on="left bearing", speed=0.0, force_max=BRAKE))
    return b.build()


def simulate(step: float = STEP) -> gk.Run:
    def steer(sim: gk.Simulation) -> float:
        """Called at every sample: how strong the brake is."""
        sim.inputs["brake.strength"] = [strength for since, strength in STAGES if sim.time > since - step / 2][-1]
        return sim.inputs["brake.strength"]

    return gk.simulate(
        build(), T_END, method=gk.Impulse(h=step, contact=None), output_dt=step, outputs={"strength": steer}
    )


def check(run: gk.Run) -> None:
    left, right = run["left bearing"].rate, run["right bearing"].rate
    torque, brake = run["differential"].force[1:], -run["brake"].force[1:]
    # The mean of the speeds, to the tolerance of velocities, 1e-9 rad/s.
    np.testing.assert_allclose(left + right, 2 * RING, atol=4e-9)
    # Order 2: a sixth of (h d / J)^2 = 1e-6 at most, of differences of 40 rad/s.
    rate = STEP * ROAD / inertia(run.model)
    np.testing.assert_allclose(left - right, difference(run), atol=rate**2 / 6 * 2 * RING)
    # Both wheels get the same torque: that which each of them needs by its own momentum balance.
    J = inertia(run.model)
    for wheel, rate, held in (("left", left, brake), ("right", right, 0.0)):
        needs = J * np.diff(rate) / STEP - run[f"{wheel} road"].force[1:] + held
        np.testing.assert_allclose(torque, needs, atol=4e-9 * J / STEP)
    np.testing.assert_allclose(torque, ROAD * RING + brake / 2, atol=4e-9 * J / STEP)
    # The brake gives no more than it may. Standing, the left wheel needs what the differential gives it: d W 2.
    assert np.all(brake <= BRAKE * run["strength"][:-1] + 1e-12)
    np.testing.assert_allclose([left[-1], right[-1]], [0.0, 2 * RING], atol=1e-8)
    np.testing.assert_allclose([torque[-1], brake[-1]], 2 * ROAD * RING, atol=1e-5)


def inertia(model: gk.Model) -> float:
    return model.body("left").inertia[1][1]


def difference(run: gk.Run) -> np.ndarray:
    """Left speed less right speed by the closed form [rad/s]."""
    fade, D = np.exp(-STEP * ROAD / inertia(run.model)), [0.0]
    for strength in run["strength"][:-1]:
        goal = -strength * BRAKE / ROAD
        D.append(max(goal + (D[-1] - goal) * fade, -2 * RING))
    return np.array(D)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.4))
    t = run.time
    for k, (title, begin) in enumerate((("free", 0.4), ("left wheel braked", 4.5), ("left wheel stands", 8.5))):
        scene = figure.add_axes((0.33 * k + 0.01, 0.41, 0.32, 0.44))
        sample = int(begin / STEP)
        draw_scene(scene, run, np.array([sample]))
        for text in scene.texts:
            text.remove()
        left, right = run["left bearing"].rate[sample], run["right bearing"].rate[sample]
        scene.set_title(f"{title}\nleft {left:.1f}, right {right:.1f} rad/s", fontsize=9, y=0.98)
    speed = figure.add_axes((0.05, 0.085, 0.43, 0.27))
    torque = figure.add_axes((0.55, 0.085, 0.43, 0.27))
    every = slice(None, None, 200)
    half = difference(run) / 2
    speed.plot(t, run["right bearing"].rate, color="#4c72b0", linewidth=2, label="right")
    speed.plot(t, run["left bearing"].rate, color="#c44e52", linewidth=2, label="left")
    speed.plot(t, (run["left bearing"].rate + run["right bearing"].rate) / 2, color="0.4", linewidth=1, label="mean")
    speed.plot(t[every], RING + half[every], "k.", markersize=4, label="closed form")
    speed.plot(t[every], RING - half[every], "k.", markersize=4)
    speed.set_title("speed of the wheels [rad/s]", fontsize=9)
    speed.legend(fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.35))
    torque.plot(t[1:], run["differential"].force[1:], color="0.2", linewidth=2, label="differential, on each wheel")
    torque.plot(t[1:], -run["brake"].force[1:], color="#c44e52", linewidth=1.2, label="brake")
    torque.plot(t[1:], -run["left road"].force[1:], color="#c44e52", linestyle=":", label="road, left")
    torque.plot(t[1:], -run["right road"].force[1:], color="#4c72b0", linestyle=":", label="road, right")
    torque.set_title("torque [N m]", fontsize=9)
    torque.legend(fontsize=7, loc="upper left")
    for panel in (speed, torque):
        panel.set_xlabel("time [s]", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle("A differential: one wheel is braked, the mean speed stays, both get the same torque", fontsize=12)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="An axle with a differential, one wheel braked.")
    parser.add_argument("--out", default="differential_axle.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    left, right = run["left bearing"].rate, run["right bearing"].rate
    print(f"mean speed {RING:g} rad/s within {np.abs((left + right) / 2 - RING).max():.0e}")
    torque = run["differential"].force[-1]
    print(f"at the end: left {abs(left[-1]):.2f}, right {right[-1]:.2f} rad/s, {torque:.2f} N m each")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
