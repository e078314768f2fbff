"""Screw press: a small torque on a spindle becomes a great force on a workpiece.

A motor turns a spindle in its nut with a given torque, raised in three steps. The spindle comes down by its lead in
each turn, and carries a platen, which slides on guides and does not turn, onto a spring that stands for the workpiece.
Some friction in the thread lets it come to rest.

Proof. Virtual work: in a turn the torque T does the work 2 pi T, and the workpiece takes F times the lead. With the
weight W of spindle and platen, which helps, at rest

    F = 2 pi T / lead + W

In motion the inertia J of the spindle and the mass m of both take their share, and friction takes its own:

    T - T_friction + (W - F) lead / 2 pi = (J + m (lead / 2 pi)^2) angle''
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import gelenk as gk

LEAD, GAP = 0.010, 0.015  # [m] a turn, [m] before the platen touches
STIFFNESS, FRICTION = 3.0e5, 0.24  # of the workpiece [N/m], of the thread [N m s]
STAGES = (2.0, 4.0, 6.0)  # torque of the motor [N m]
STAGE = 4.0  # how long each [s]
STEP = 0.002  # [s]
G, DOWN = 9.81, (0, 0, -1)
NUT, TIP, PLATEN = 0.30, 0.16, 0.02  # heights of nut and tip of the spindle, thickness of the platen [m]


def build() -> gk.Model:
    b = gk.Builder(name="screw press")
    b.material("steel", density=7850)
    spindle = gk.Part(gk.Cylinder(radius=0.012, length=0.26), at=(0, 0, TIP + 0.13))
    wheel = gk.Part(gk.Cylinder(radius=0.10, length=0.02), at=(0, 0, TIP + 0.26))
    b.body("spindle", shape=[spindle, wheel], material="steel")
    b.body("platen", shape=gk.Part(gk.Box((0.16, 0.1, PLATEN)), at=(0, 0, TIP - PLATEN / 2)), material="steel")
    b.add(gk.Screw(name="thread", a=gk.WORLD, b="spindle", at=(0, 0, NUT), axis=DOWN, lead=LEAD))
    b.add(gk.Slider(name="guide", a=gk.WORLD, b="platen", at=(0, 0, TIP), axis=DOWN))
    b.add(gk.BallOnPlane(name="foot", a="spindle", b="platen", at=(0, 0, TIP), axis=DOWN))
    b.add(gk.ForceMotor(name="motor", on="thread.angle", force=0.0))
    b.add(gk.JointSpring(name="friction", on="thread.angle", damping=FRICTION))
    b.add(gk.JointSpring(name="workpiece", on="guide", stiffness=STIFFNESS, rest=GAP, force_max=0.0))  # pushes up only
    return b.build()


def simulate(step: float = STEP) -> gk.Run:
    def steer(sim: gk.Simulation) -> float:
        """Called at every sample: the torque of the stage."""
        sim.inputs["motor.force"] = STAGES[min(int(sim.time / STAGE), len(STAGES) - 1)]
        return sim.inputs["motor.force"]

    method = gk.RowStepping(h=step, solver=gk.GaussSeidel(sweeps=200))
    return gk.simulate(build(), len(STAGES) * STAGE, method=method, output_dt=step, outputs={"torque": steer})


def check(run: gk.Run) -> None:
    thread, force = run["thread"], -run["workpiece"].force
    # The nut makes lead / 2 pi of each radian. The solver leaves 1e-10 m/s in a step, and half an error goes in a step.
    np.testing.assert_allclose(thread.position, LEAD / (2 * np.pi) * thread.angle, atol=1e-10)
    # At rest at the end of a stage: what is left of the approach shrinks as exp(-4.9 t), for almost 3 s: a millionth.
    for k, torque in enumerate(STAGES):
        at_end = round((k + 1) * STAGE / STEP) - 1
        np.testing.assert_allclose(force[at_end], press_force(run.model, torque), rtol=5e-6)
        np.testing.assert_allclose(run["guide"].position[at_end], GAP + force[at_end] / STIFFNESS, atol=1e-9)
    # In motion: forces are means over a step and all coordinates are linear, so the balance of a step is exact, but for
    # the round-off of rates divided by the step and 1e-9 of the rates that the solver may leave.
    missing = np.abs(momentum_balance(run))
    assert missing.max() < 1e-5 * STAGES[0]
    # The workpiece pushes and never pulls.
    assert force.min() >= 0.0
    assert force[run["guide"].position < GAP - 1e-3].max() == 0.0


def weight(model: gk.Model) -> float:
    return G * sum(body.mass for body in model.bodies)


def inertia(model: gk.Model) -> float:
    """What the torque has to turn, the masses that come down included [kg m^2]."""
    return model.body("spindle").inertia[2][2] + weight(model) / G * (LEAD / (2 * np.pi)) ** 2


def press_force(model: gk.Model, torque: float) -> float:
    """The closed form above [N]."""
    return 2 * np.pi * torque / LEAD + weight(model)


def momentum_balance(run: gk.Run) -> np.ndarray:
    """Left side less right side of the law of motion above, over each step [N m]."""
    arm = LEAD / (2 * np.pi)
    torque = run["motor"].force + run["friction"].force + arm * (weight(run.model) + run["workpiece"].force)
    return torque[1:] - inertia(run.model) * np.diff(run["thread"].angle_rate) / STEP


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplot_mosaic("abcdf", width_ratios=(1, 1, 1, 1, 2.6))
    for key, t in zip("abcd", (0.0, STAGE - STEP, 2 * STAGE - STEP, 3 * STAGE - STEP)):
        k = round(t / STEP)
        draw_press(panels[key], run["guide"].position[k], run["thread"].angle[k])
        torque = 0.0 if k == 0 else run["motor"].force[k]
        panels[key].set_title(f"{torque:g} N m\n{abs(run['workpiece'].force[k]) / 1000:.2f} kN", fontsize=10)
    force = panels["f"]
    force.plot(run.time, -run["workpiece"].force / 1000, color="#c44e52", linewidth=2, label="on the workpiece")
    level = [press_force(run.model, torque) / 1000 for torque in run["torque"]]
    force.plot(run.time, level, "k--", linewidth=1, label="2π T / lead + weight")
    force.set_title("force [kN]", fontsize=9)
    force.set_xlabel("time [s]", fontsize=8)
    force.tick_params(labelsize=7)
    force.grid(alpha=0.25)
    force.legend(fontsize=8, loc="lower right")
    figure.suptitle(f"A screw of {1000 * LEAD:.0f} mm lead presses a spring, torque raised in three steps", fontsize=12)
    figure.savefig(out, dpi=80)


def draw_press(panel, down: float, angle: float) -> None:
    """Frame, nut and guides, and what moved down [m] and turned [rad]; lengths in millimetres."""
    iron, dark, bright = "#8d99a6", "#5b6673", "#c9d1da"

    def put(x: float, z: float, width: float, height: float, color: str, zorder: int = 1) -> None:
        corner, width, height = (1e3 * x, 1e3 * z), 1e3 * width, 1e3 * height
        panel.add_patch(Rectangle(corner, width, height, color=color, zorder=zorder))

    put(-0.13, 0.0, 0.26, 0.03, dark)
    for x in (-0.125, 0.105):
        put(x, 0.03, 0.02, NUT - 0.03, iron)
    put(-0.13, NUT - 0.015, 0.26, 0.035, dark)
    put(-0.03, NUT - 0.03, 0.06, 0.06, "#b08d4c", zorder=3)
    tip = TIP - down
    put(-0.012, tip, 0.024, 0.26, bright, zorder=2)
    for turn in np.arange(0.004, 0.25, LEAD):  # the threads rise as the spindle turns
        z = tip + turn + LEAD * (angle / (2 * np.pi) % 1)
        panel.plot([-12, 12], [1e3 * z - 1.5, 1e3 * z + 1.5], color="0.45", linewidth=0.8, zorder=2)
    put(-0.10, tip + 0.25, 0.20, 0.02, dark, zorder=4)
    mark = 100 * np.cos(angle)
    panel.plot([mark], [1e3 * (tip + 0.26)], "o", color="#e0a030", markersize=5, zorder=5)
    put(-0.08, tip - PLATEN, 0.16, PLATEN, iron, zorder=3)
    top = min(TIP - PLATEN - GAP, tip - PLATEN)  # the spring ends where it is free, or where the platen is
    zs = np.linspace(0.03, top, 60)
    squeeze = (TIP - PLATEN - GAP - top) / 0.045
    panel.plot(
        45 * np.sin(np.linspace(0, 14 * np.pi, 60)), 1e3 * zs, color=(0.3 + 0.5 * squeeze, 0.4, 0.45), linewidth=2.5
    )
    panel.set(aspect="equal", xlim=(-135, 135), ylim=(-5, 450))
    panel.set_axis_off()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A screw press.")
    parser.add_argument("--out", default="screw_press.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    force = -run["workpiece"].force[-1]
    print(f"{STAGES[-1]:g} N m press with {force:.2f} N; closed form: {press_force(run.model, STAGES[-1]):.3f} N")
    print(f"{run['thread'].angle[-1] / (2 * np.pi):.2f} turns, {1000 * run['thread'].position[-1]:.2f} mm down")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
