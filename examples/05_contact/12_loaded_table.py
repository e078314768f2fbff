"""Loaded table: feet in the colour of what they bear, while a cart climbs a rail from one side to the other.

A round table on three legs stands on the floor, with joints between plate and legs. A motor pulls a cart along a rail
that rises by six degrees. ``gk.load_colors`` gives each leg the colour of the force with which the floor presses on it,
from blue for none to red for 180 N, and the motor that of the share of its limit; the cart wears it. Colours are
recorded with the run, as an output of its own.

Proof. Three feet are statically determinate: their forces follow from the weights and the places of table and cart
alone. The motor of a cart at constant speed gives the weight of it times the sine of the slope, half of its limit.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

G, SLOPE, SPEED = 9.81, math.radians(6), 0.35  # [m/s^2], of the rail, of the cart along it [m/s]
HEIGHT, SPREAD, LEG = 0.7, 0.4, 0.03  # of the legs, from the middle to a foot, their radius [m]
FEET = {"left": math.pi, "front": -math.pi / 3, "back": math.pi / 3}  # directions from the middle
CART = 10.0  # [kg]
FULL = 180.0  # red [N]
STEP, T_END = 2e-3, 2.0  # [s]
SHOWN = (*FEET, "cart")


def build() -> gk.Model:
    b = gk.Builder(name="loaded table")
    b.material("wood", density=600, friction=0.5, color=(0.87, 0.78, 0.62))
    b.body("floor", shape=gk.Plane(), static=True)
    axis, turn = np.array([math.cos(SLOPE), 0, math.sin(SLOPE)]), gk.turned("y", -SLOPE)
    rail = gk.Part(gk.Box((0.86, 0.05, 0.02)), at=(0, 0, 0.07), rotation=turn)
    post = gk.Part(gk.Box((0.03, 0.05, 0.08)), at=(0.4, 0, 0.06))
    b.body("plate", shape=[gk.Part(gk.Cylinder(0.5, 0.04)), rail, post], material="wood", at=(0, 0, HEIGHT + 0.02))
    for name, angle in FEET.items():
        at = np.array([SPREAD * math.cos(angle), SPREAD * math.sin(angle), HEIGHT / 2])
        b.body(name, shape=gk.Capsule(LEG, HEIGHT - 2 * LEG), material="wood", at=at)
        b.add(gk.Rigid(name=f"{name} screw", a="plate", b=name, at=(at[0], at[1], HEIGHT)))
    at = np.array([0, 0, HEIGHT + 0.18]) - 0.35 * axis
    cube = gk.Box((0.16, 0.16, 0.16))
    b.body("cart", shape=cube, mass=CART, at=at, rotation=turn, velocity=SPEED * axis)
    b.add(gk.Slider(name="rail", a="plate", b="cart", at=at, axis=axis))
    limit = 2 * CART * G * math.sin(SLOPE)
    b.add(gk.VelocityMotor(name="motor", on="rail", speed=SPEED, force_max=limit))
    return b.build()


def colors(sim: gk.Simulation) -> list[tuple[float, float, float]]:
    """Of the legs by their contact force, of the cart by the load of its motor."""
    made = gk.load_colors(sim, full=FULL)
    return [*(made[name] for name in FEET), made["motor"]]


def simulate() -> gk.Run:
    sim = gk.Simulation(build(), gk.RowStepping(h=STEP))
    forces = {"feet": lambda sim: [sim.contact_force(name)[2] for name in FEET], "colors": colors}
    return sim.run(T_END, output_dt=5 * STEP, outputs=forces)


def statics(run: gk.Run) -> np.ndarray:
    """(n, 3) forces F of the feet [N]: sum F = W, sum F x = W x_c, sum F y = W y_c; friction has no arm there."""
    masses = {body.name: body.mass for body in run.model.bodies}
    whole = sum(masses.values())
    centre = sum(mass * run[name].com for name, mass in masses.items()) / whole
    feet = np.array([run[name].position[:, :2] for name in FEET])  # (3, n, 2)
    A = np.stack([np.ones(feet.shape[:2]), feet[..., 0], feet[..., 1]]).transpose(2, 0, 1)
    load = whole * G * np.column_stack([np.ones(len(run.time)), centre[:, 0], centre[:, 1]])
    return np.linalg.solve(A, load[:, :, None])[:, :, 0]


def check(run: gk.Run) -> None:
    later = run.time > 0.05  # feet and screws have found their forces
    feet, wanted = run["feet"][later], statics(run)[later]
    weight = wanted[0].sum()
    assert np.abs(feet.sum(axis=1) / weight - 1).max() < 1e-3, "the feet bear the weight (E-24)"
    late = STEP * SPEED * CART * G / (1.5 * SPREAD)  # forces are those of the places at the start of the step [N]
    assert np.abs(feet - wanted).max() < 1.2 * late, "each what statics says"
    assert wanted[0, 0] > 1.5 * wanted[-1, 0], "the left one is relieved"
    share = run["motor"].force[later] / (CART * G * math.sin(SLOPE))
    assert np.abs(share - 1).max() < 1e-3, "the motor lifts the cart"
    for k, name in enumerate(FEET):
        color = [gk.load_color(force / FULL) for force in run["feet"][later][:, k]]
        # friction, some hundredths of a force, adds less than a thousandth to its size
        np.testing.assert_allclose(run["colors"][later][:, k], color, atol=2e-3, err_msg=name)
    np.testing.assert_allclose(run["colors"][later][:, 3], np.tile(gk.load_color(0.5), (later.sum(), 1)), atol=0.01)
    assert np.abs(run["left"].position - run["left"].position[0]).max() < 1e-4, "the table stands"


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 3.6))
    for k, t in enumerate((0.1, 1.0, T_END)):
        panel = figure.add_axes((0.215 * k, 0.02, 0.213, 0.84))
        sample = int(np.abs(run.time - t).argmin())
        worn = {"floor": (0.9, 0.9, 0.9)} | dict(zip(SHOWN, run["colors"][sample]))
        draw_instant(
            panel, run, sample, (0.0, 0.0, 0.44), (1.25, 1.4), toward=(-0.15, -1.0, 0.32), pixels=210, colors=worn
        )
        panel.set_title(f"{run.time[sample]:.1f} s", fontsize=9)
    bar = figure.add_axes((0.665, 0.14, 0.012, 0.68))
    ramp = np.array([gk.load_color(share) for share in np.linspace(0, 1, 128)])[:, None]
    bar.imshow(ramp, origin="lower", aspect="auto", extent=(0, 1, 0, FULL))
    bar.set_xticks([])
    bar.tick_params(labelsize=7)
    bar.set_title("N", fontsize=8)
    panel = figure.add_axes((0.74, 0.14, 0.245, 0.68))
    for k, (name, line) in enumerate(zip(FEET, ("-", "--", ":"))):
        panel.plot(run.time, statics(run)[:, k], color="0.6", linewidth=3.5)
        panel.plot(run.time[1:], run["feet"][1:, k], line, color="#222222", linewidth=1.3, label=name)
    panel.set_title("feet [N], statics in grey", fontsize=9)
    panel.set_xlabel("time [s]", fontsize=8)
    panel.set_ylim(0, FULL)
    panel.tick_params(labelsize=7)
    panel.legend(fontsize=7)
    panel.grid(alpha=0.25)
    figure.suptitle("Legs in the colour of what they bear, the cart in that of its motor's load", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A table whose feet show what they bear.")
    parser.add_argument("--out", default="loaded_table.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    for t in (0.1, T_END):
        sample = int(np.abs(run.time - t).argmin())
        told = ", ".join(f"{name} {force:.2f}" for name, force in zip(FEET, run["feet"][sample]))
        print(f"at {t:.1f} s the feet bear [N]: {told}; statics {np.round(statics(run)[sample], 2).tolist()}")
    print(f"motor {run['motor'].force[-1]:.3f} N, weight times sine of the slope {CART * G * math.sin(SLOPE):.3f} N")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
