"""Telescopic crane: one drive pushes out three stages, a winch hauls in the load.

The boom stands at 40 degrees. Its three stages slide in each other; a drive moves the first, and chains, as gears
between sliders, make the second and the third come out of their neighbours by the same length. So the tip goes three
times as far as the drive. The load hangs on a rope, whose length a second motor takes in, and swings a little.

Proof. When the drive goes by s, the stages go by s, 2 s and 3 s along the boom e, and so does the rope at the tip.
Virtual work gives the force of the drive from their masses and the pull R of the rope,

    F = m_1 e (a_1 + g) + 2 m_2 e (a_2 + g) + 3 m_3 e (a_3 + g) - 3 e R

which is  (m_1 + 2 m_2 + 3 m_3 + 3 M) g sin(40 degrees)  when all is still. The load moves by  M (a + g) = -R.  And the
work of both motors is the change of energy.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import gelenk as gk

ANGLE = np.radians(40.0)
BOOM = np.array([np.cos(ANGLE), 0, np.sin(ANGLE)])
LENGTH, WIDTHS = 4.0, (0.5, 0.4, 0.3, 0.2)  # of boom and stages [m]
MASSES = (400.0, 300.0, 200.0)  # of the stages [kg]
LOAD, ROPE = 800.0, 2.5  # [kg], [m] at the start
STROKE, HAUL, DURATION = 3.0, 1.0, 8.0  # of the drive [m], of the winch [m], [s]
STEP, T_END = 0.002, 10.0  # [s]
FOOT = np.array([0.0, 0, 1.6])  # where the boom is mounted
G = np.array([0, 0, 9.81])


def build() -> gk.Model:
    b = gk.Builder(name="telescopic crane")
    rotation = (np.cos(ANGLE / 2), 0, -np.sin(ANGLE / 2), 0)  # body x axis along the boom
    middle = FOOT + LENGTH / 2 * BOOM
    b.body("boom", shape=gk.Box((LENGTH, WIDTHS[0], WIDTHS[0])), at=middle, rotation=rotation, static=True)
    for i, mass in enumerate(MASSES, start=1):
        box, at = gk.Box((LENGTH, WIDTHS[i], WIDTHS[i])), middle + 0.1 * i * BOOM  # each peeps out of the last
        b.body(f"stage {i}", shape=box, mass=mass, at=at, rotation=rotation)
        inside = "boom" if i == 1 else f"stage {i - 1}"
        b.add(gk.Slider(name=f"slide {i}", a=inside, b=f"stage {i}", at=at, axis=BOOM))
    tip = middle + (0.3 + LENGTH / 2) * BOOM
    b.body("load", shape=gk.Box((1.0, 1.0, 0.8)), mass=LOAD, at=tip - (0, 0, ROPE + 0.4))
    b.add(gk.Distance(name="rope", a="stage 3", b="load", at_a=tip, at_b=tip - (0, 0, ROPE), limits=(0.2, 20.0)))
    b.add(gk.Gear(name="chain 2", first="slide 2", second="slide 1"))
    b.add(gk.Gear(name="chain 3", first="slide 3", second="slide 1"))
    b.add(gk.VelocityMotor(name="drive", on="slide 1", speed=0.0))
    b.add(gk.VelocityMotor(name="winch", on="rope.length", speed=0.0, force_max=50e3))
    return b.build()


def simulate(step: float = STEP) -> gk.Run:
    def steer(sim: gk.Simulation) -> float:
        """Called at every sample: speeds up and slows down gently, as sin^2, and stands in the end."""
        share = 2 / DURATION * np.sin(np.pi * min((sim.time + step) / DURATION, 1.0)) ** 2
        sim.inputs["drive.speed"], sim.inputs["winch.speed"] = STROKE * share, -HAUL * share
        return share

    return gk.simulate(build(), T_END, method=gk.Impulse(h=step), output_dt=step, outputs={"speed": steer})


def check(run: gk.Run) -> None:
    first = run["slide 1"].position
    # Chains keep the stages together to the tolerance of joints, 1e-9 m, and the tip goes three times as far.
    np.testing.assert_allclose(run["slide 2"].position, first, atol=2e-9)
    np.testing.assert_allclose(run["slide 3"].position, first, atol=2e-9)
    np.testing.assert_allclose((tip(run) - tip(run)[0]) @ BOOM, 3 * first, atol=1e-8)
    # Motors keep their speed at the ends of steps; in between it errs with h^2 times the change of their acceleration,
    # whose share of the stroke is (2 pi / 8 s)^2: 2e-6 of it, and room.
    assert abs(first[-1] - STROKE) < 4 * STROKE * (2 * np.pi / DURATION * STEP) ** 2
    # Virtual work and Newton's law for means over a step. The rope turns in a step; its pull acts along its direction
    # at the end and at the start, so it is known to h times its turning, 0.1 rad/s, of its force.
    weight = LOAD * 9.81
    np.testing.assert_allclose(run["drive"].force[1:], virtual_work(run), atol=3 * weight * 0.1 * STEP)
    needed = LOAD * (acceleration(run, "load") + G)
    np.testing.assert_allclose(-pull(run)[1:], needed, atol=weight * 0.1 * STEP)
    # The rope pulls and never pushes.
    assert run["winch"].force[1:].max() < 0
    # The work of both motors is the change of energy. A motor takes a new speed at the start of a step, as its input
    # does, and its force is known as a mean over the step: the sum errs by less than the work of one step.
    work = np.cumsum(run["drive"].force[1:] * np.diff(first) + run["winch"].force[1:] * np.diff(run["rope"].length))
    change = run["energy"][1:] - run["energy"][0]
    assert np.abs(work - change).max() < np.abs(run["drive"].force * run["slide 1"].rate).max() * STEP


def acceleration(run: gk.Run, name: str) -> np.ndarray:
    """(n - 1, 3) mean over each step [m/s^2]."""
    return np.diff(run[name].velocity, axis=0) / STEP


def tip(run: gk.Run) -> np.ndarray:
    """(n, 3) where the rope is fixed [m]."""
    return run["stage 3"].position + LENGTH / 2 * BOOM


def pull(run: gk.Run) -> np.ndarray:
    """(n, 3) force of the rope on the tip, towards the load [N]."""
    hook = run["load"].position + run["load"].rotation @ (0, 0, 0.4)
    along = hook - tip(run)
    return -run["winch"].force[:, None] * along / np.linalg.norm(along, axis=1)[:, None]


def virtual_work(run: gk.Run) -> np.ndarray:
    """Force of the drive by the closed form [N]."""
    stages = sum(i * mass * (acceleration(run, f"stage {i}") + G) for i, mass in enumerate(MASSES, start=1))
    return (stages - 3 * pull(run)[1:]) @ BOOM


def at_rest() -> float:
    """Force of the drive that holds everything [N]."""
    return 9.81 * np.sin(ANGLE) * (sum(i * mass for i, mass in enumerate(MASSES, start=1)) + 3 * LOAD)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.0), layout="constrained")
    panels = figure.subplot_mosaic("sp;sf;sr", width_ratios=(1.6, 1))
    scene = panels["s"]
    draw_truck(scene)
    for time, alpha in ((0.0, 0.25), (4.0, 0.45), (T_END, 1.0)):
        draw_crane(scene, run, round(time / STEP), alpha)
    hook = run["load"].position
    scene.plot(hook[:, 0], hook[:, 2], color="#c44e52", linewidth=1, linestyle="--")
    scene.set(aspect="equal", xlim=(-3.8, 12.5), ylim=(-0.4, 11.5))
    scene.set_axis_off()
    scene.set_title("A crane at 0, 4 and 10 s: one drive, three stages", fontsize=11)
    t = run.time
    every = slice(None, None, 200)
    panels["p"].plot(t, 3 * run["slide 1"].position, color="#e0a030", linewidth=3, label="3 × drive")
    panels["p"].plot(t, (tip(run) - tip(run)[0]) @ BOOM, color="0.2", linewidth=1, label="tip")
    panels["p"].plot(t, run["rope"].length, color="#c44e52", label="rope")
    panels["p"].set_title("way along the boom, length of the rope [m]", fontsize=9)
    panels["f"].plot(t[1:], run["drive"].force[1:] / 1000, color="#e0a030", linewidth=2, label="drive")
    panels["f"].plot(t[1:][every], virtual_work(run)[every] / 1000, "k.", markersize=4, label="virtual work")
    panels["f"].axhline(at_rest() / 1000, color="0.6", linestyle="--", linewidth=1, label="at rest")
    panels["f"].set_title("force of the drive [kN]", fontsize=9)
    panels["r"].plot(t[1:], -run["winch"].force[1:] / (LOAD * 9.81), color="#c44e52", label="winch")
    panels["r"].set_title("pull of the rope / weight of the load", fontsize=9)
    panels["r"].set_xlabel("time [s]", fontsize=8)
    for key in "pfr":
        panels[key].tick_params(labelsize=7)
        panels[key].grid(alpha=0.25)
        if key != "r":
            panels[key].legend(fontsize=7, loc="best")
    figure.savefig(out, dpi=80)


def draw_crane(panel, run: gk.Run, k: int, alpha: float) -> None:
    """Boom, stages, rope and load as they are at a sample."""
    across = np.array([-np.sin(ANGLE), 0, np.cos(ANGLE)])
    parts = [(FOOT + LENGTH / 2 * BOOM, WIDTHS[0])]
    parts += [(run[f"stage {i}"].position[k], WIDTHS[i]) for i in (1, 2, 3)]
    colors = ("#f0b429", "#f4c95d", "#f7d98b", "#fae8b8")
    for (middle, width), color in reversed(list(zip(parts, colors))):
        corners = [
            middle + x * LENGTH / 2 * BOOM + z * width / 2 * across for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        panel.fill(*np.array(corners)[:, [0, 2]].T, facecolor=color, edgecolor="0.35", linewidth=0.8, alpha=alpha)
    load, turn = run["load"].position[k], run["load"].rotation[k]
    top = load + turn @ (0, 0, 0.4)
    panel.plot(*np.array([tip(run)[k], top])[:, [0, 2]].T, color="0.2", linewidth=1.2, alpha=alpha)
    corners = np.array([load + turn @ (x, 0, z) for x, z in ((-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4))])
    panel.fill(*corners[:, [0, 2]].T, facecolor="#c44e52", edgecolor="0.3", linewidth=0.8, alpha=alpha)


def draw_truck(panel) -> None:
    """What carries the boom; it only stands there."""
    panel.fill([-2.6, 2.6, 2.6, -2.6], [0.55, 0.55, 1.0, 1.0], color="#6b7683")
    panel.fill([-2.6, -3.6, -3.6, -3.2, -2.6], [0.55, 0.55, 1.2, 1.9, 1.9], color="#8d99a6")
    panel.fill([-0.7, 0.7, 0.35, -0.35], [1.0, 1.0, 1.9, 1.9], color="#4f5965", zorder=0)
    for x in (-3.0, -1.6, 0.9, 1.9):
        panel.add_patch(Circle((x, 0.45), 0.45, color="#333a42", zorder=2))
        panel.add_patch(Circle((x, 0.45), 0.18, color="#aab4be", zorder=2))
    panel.plot([-3.8, 12.5], [0, 0], color="0.6", linewidth=1.5)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A telescopic crane with one drive for three stages.")
    parser.add_argument("--out", default="telescopic_crane.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    error = np.abs(run["drive"].force[1:] - virtual_work(run)).max()
    print(f"the drive goes {run['slide 1'].position[-1]:.3f} m, the tip {(tip(run)[-1] - tip(run)[0]) @ BOOM:.3f} m")
    print(f"the drive gives {run['drive'].force[1:].max() / 1000:.1f} kN at most, virtual work within {error:.1f} N")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
