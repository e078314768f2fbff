"""Gripper tongs: two tongs close on an egg, and a motor with a bounded torque decides how hard they hold it.

A motor turns the left tong, teeth make the right one do the same the other way round. The egg is a limit: the tips
cannot come closer than its width. Where they meet it, the motor gives all the torque it may and no more. Then it is
allowed twice the torque, and in the end it opens the tongs.

Proof. Virtual work: when the tongs close by a small angle each, the tips at the distance r from the hinges, which lean
by the angle q, come closer by 2 r cos(q) of it. The motor does work on one of them, the weight m g of a tong, c below
its hinge, on both. At rest the force on the egg is

    F = (T + 2 m g c sin(q)) / (2 r cos(q))

and half of the torque of the motor goes through the teeth to the other tong.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse

import gelenk as gk

REACH, APART, WIDTH = 0.20, 0.06, 0.045  # hinge to tip, hinge to hinge, the egg [m]
OPEN = np.radians(30.0)  # lean of the tongs at the start
TORQUE, SPEED = 0.4, 1.5  # [N m], [rad/s]
STEP, T_END = 0.001, 2.2  # [s]
FIRMER, LET_GO = 1.0, 1.75  # when [s]
G = 9.81


def build() -> gk.Model:
    b = gk.Builder(name="gripper tongs")
    b.material("aluminium", density=2700)
    tips = {}
    for side, sign in (("left", -1), ("right", 1)):
        hinge = np.array([sign * APART / 2, 0, 0])
        # In its own axes a tong hangs down from its hinge; it leans outward at the start.
        half = -sign * OPEN / 2
        arm = gk.Part(gk.Box((0.016, 0.02, REACH)), at=(0, 0, -REACH / 2))
        b.body(side, shape=arm, material="aluminium", at=hinge, rotation=(np.cos(half), 0, np.sin(half), 0))
        tips[side] = hinge + REACH * np.array([sign * np.sin(OPEN), 0, -np.cos(OPEN)])
        b.add(gk.Hinge(name=f"{side} hinge", a=gk.WORLD, b=side, at=hinge, axis=(0, -1, 0)))
    b.add(gk.Gear(name="teeth", first="right hinge", second="left hinge", ratio=-1.0))
    b.add(gk.Distance(name="egg", a="left", b="right", at_a=tips["left"], at_b=tips["right"], limits=(WIDTH, 1.0)))
    b.add(gk.VelocityMotor(name="motor", on="left hinge", speed=SPEED, force_max=TORQUE))
    return b.build()


def simulate(step: float = STEP) -> gk.Run:
    def steer(sim: gk.Simulation) -> float:
        """Called at every sample: close, hold firmer, let go."""
        sim.inputs["motor.strength"] = 1.0 if sim.time < FIRMER - step / 2 else 2.0
        sim.inputs["motor.speed"] = SPEED if sim.time < LET_GO - step / 2 else -SPEED
        return sim.inputs["motor.strength"]

    method = gk.RowStepping(h=step, solver=gk.GaussSeidel(sweeps=200))
    return gk.simulate(build(), T_END, method=method, output_dt=step, outputs={"strength": steer})


def check(run: gk.Run) -> None:
    t, left, right = run.time, run["left hinge"].angle, run["right hinge"].angle
    # The teeth tie the tongs to the tolerance of joints, 1e-9 rad.
    np.testing.assert_allclose(right, -left, atol=2e-9)
    # The tips never come closer than the egg lets them, but for what the motor moves them in one step from rest.
    tong = run.model.body("left")
    spin = 2 * TORQUE * STEP / (2 * (tong.inertia[1][1] + tong.mass * (REACH / 2) ** 2))  # both tongs turn
    assert run["egg"].length.min() > WIDTH - 1.1 * 2 * REACH * spin * STEP
    # The motor never gives more than it may; round-off of one product.
    assert np.all(np.abs(run["motor"].force[1:]) <= TORQUE * run["strength"][:-1] * (1 + 1e-12))
    # Held: all the torque there is, half of it through the teeth, and the force of the closed form, as a rule of the
    # last 100 steps. The solver leaves 1e-9 rad/s in a step: far below a millionth of the torque, over that step.
    for time, torque in ((FIRMER, TORQUE), (LET_GO, 2 * TORQUE)):
        held = slice(round(time / STEP) - 100, round(time / STEP))
        np.testing.assert_allclose(run["motor"].force[held], torque, rtol=1e-9)
        np.testing.assert_allclose(np.median(np.abs(run["teeth"].force[held])), torque / 2, rtol=1e-6)
        np.testing.assert_allclose(np.median(grip(run)[held]), grip_force(run, torque), rtol=1e-6)
        np.testing.assert_allclose(np.median(left[held]), OPEN - lean_of_grip(), atol=2e-8)
    # Before and after, nothing touches the egg.
    free = (run["egg"].length > WIDTH + 1e-4) & (t > 0)
    assert grip(run)[free].max() == 0.0
    assert free.mean() > 0.25


def lean_of_grip() -> float:
    """Lean of the tongs when they touch the egg [rad]: the tips then are its width apart."""
    return np.arcsin((WIDTH - APART) / (2 * REACH))


def grip_force(run: gk.Run, torque: float) -> float:
    """The closed form above [N]."""
    tong, q = run.model.body("left"), lean_of_grip()
    moment = 2 * tong.mass * G * REACH / 2 * np.sin(q)
    return (torque + moment) / (2 * REACH * np.cos(q))


def grip(run: gk.Run) -> np.ndarray:
    """Force on the egg from each side [N]."""
    return run["egg"].force[:, 0]


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.0), layout="constrained")
    panels = figure.subplot_mosaic("abcd;ffmm", height_ratios=(1.5, 1))
    moments = ((0.0, "open"), (0.17, "closing"), (LET_GO, "holding"), (T_END, "let go"))
    for key, (time, title) in zip("abcd", moments):
        k = round(time / STEP)
        draw_tongs(panels[key], run, k)
        panels[key].set_title(f"{title}, {time:g} s", fontsize=10)
    t = run.time[1:]
    panels["f"].plot(t, grip(run)[1:], color="#c44e52", linewidth=1.5, label="on the egg")
    for torque in (TORQUE, 2 * TORQUE):
        panels["f"].axhline(grip_force(run, torque), color="0.4", linestyle="--", linewidth=1)
    panels["f"].text(0.02, grip_force(run, 2 * TORQUE), "virtual work", fontsize=8, va="bottom")
    panels["f"].set_title("force on the egg [N]", fontsize=9)
    top = 1.6 * grip_force(run, 2 * TORQUE)
    panels["f"].set_ylim(-0.05 * top, top)
    panels["m"].fill_between(
        t, TORQUE * run["strength"][:-1], -TORQUE * run["strength"][:-1], color="0.93", label="allowed"
    )
    panels["m"].plot(t, run["motor"].force[1:], color="#e0a030", linewidth=1.5, label="motor")
    panels["m"].plot(t, run["teeth"].force[1:], color="#4c72b0", linewidth=1, label="teeth")
    panels["m"].set_title("torque [N m]", fontsize=9)
    panels["m"].legend(fontsize=7, loc="lower left", ncols=3)
    for key in "fm":
        panels[key].set_xlabel("time [s]", fontsize=8)
        panels[key].tick_params(labelsize=7)
        panels[key].grid(alpha=0.25)
    figure.savefig(out, dpi=80)


def draw_tongs(panel, run: gk.Run, k: int) -> None:
    """Palm, gear wheels, tongs and egg, in millimetres."""
    panel.fill([-70, 70, 70, 45, -45, -70], [45, 45, 15, -8, -8, 15], color="#6b7683")
    panel.fill([-16, 16, 16, -16], [45, 45, 80, 80], color="#4f5965")
    egg = run["egg"].length[k] < WIDTH + 1e-6
    color = "#f3c98b" if egg else "#f7ead3"
    height = -1e3 * (REACH * np.cos(lean_of_grip()))
    panel.fill([-40, 40, 28, -28], [-248, -248, height - 24, height - 24], color="0.85", zorder=0)
    panel.add_patch(Ellipse((0, height), 1e3 * WIDTH, 62, facecolor=color, edgecolor="0.4"))
    for name, sign in (("left", -1), ("right", 1)):
        track, color = run[name], "#c44e52" if name == "left" else "#4c72b0"
        hinge, turn = 1e3 * track.position[k], track.rotation[k]
        # Bent outward, with the tip where the model has it.
        shape = np.array(
            [(0, 0), (32, -60), (40, -120), (24, -170), (0, -200), (12, -150), (22, -115), (14, -65), (-6, -10)]
        )
        points = hinge + np.column_stack([sign * shape[:, 0], 0 * shape[:, 0], shape[:, 1]]) @ turn.T
        panel.fill(points[:, 0], points[:, 2], facecolor=color, edgecolor="0.25", linewidth=0.8, zorder=3)
        panel.add_patch(Circle(hinge[[0, 2]], 30, facecolor="#aab4be", edgecolor="0.3", zorder=2))
        angles = (
            np.arange(0, 2 * np.pi, np.pi / 9) + np.arctan2(turn[2, 0], turn[0, 0]) + (np.pi / 18 if sign > 0 else 0)
        )
        teeth = hinge[[0, 2]] + 31 * np.column_stack([np.cos(angles), np.sin(angles)])
        panel.plot(*teeth.T, "s", color="#8d99a6", markersize=2.5, zorder=2)
        panel.plot(*hinge[[0, 2]], "o", markersize=5, markerfacecolor="w", markeredgecolor="0.2", zorder=4)
    panel.set(aspect="equal", xlim=(-165, 165), ylim=(-250, 85))
    panel.set_axis_off()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Tongs that grip with a bounded torque.")
    parser.add_argument("--out", default="gripper_tongs.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    gentle, firm = (grip(run)[round(time / STEP)] for time in (FIRMER, LET_GO))
    print(f"{TORQUE:g} N m hold the egg with {gentle:.6f} N, {2 * TORQUE:g} N m with {firm:.6f} N")
    print(f"virtual work: {grip_force(run, TORQUE):.6f} N and {grip_force(run, 2 * TORQUE):.6f} N")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
