"""Scene file: a lantern in the wind, once in Python and once as text, and both are the same model.

A scene file is TOML that a person writes and reads, see `08_scene.toml` beside this file. It is data: nothing in it is
executed, wrong input is refused with the line it stands on, and what comes back from a file is equal bit by bit to what
went in. Models, runs and results travel this way; a run file holds the scene it came from.

The lantern hangs on an elastic cord, is pushed aside by a gust and comes to rest slanted in the steady wind.

Proof. At rest the cord carries weight and drag together, along one line with the lantern:

    F = 1/2 rho c_d A wind^2,    tan(slant) = F / (m g),    length of the cord = l0 + sqrt(F^2 + (m g)^2) / k
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import gelenk as gk

SCENE = Path(__file__).with_name("08_scene.toml")


def build() -> gk.Model:
    """The same model as the file, in Python."""
    b = gk.Builder(name="lantern")
    b.material("brass", density=8500, color=(0.80, 0.73, 0.45))
    b.material("glass", density=2500, color=(0.55, 0.70, 0.80))
    glass = gk.Part(gk.Cylinder(radius=0.06, length=0.12), material="glass", density=400)
    foot = gk.Part(gk.Cylinder(radius=0.05, length=0.01), material="brass", at=(0, 0, -0.065))
    roof = gk.Part(gk.Cone(radius=0.08, height=0.05), material="brass", density=2000, at=(0, 0, 0.06))
    b.body("lantern", shape=[glass, foot, roof], at=(0, 0, 1.5))
    b.frame("hook", "lantern", at=(0, 0, 0.11))
    cord = {"stiffness": 60, "rest_length": 0.6, "damping": 2}
    b.add(gk.Spring("cord", "lantern", "world", at_a=(0, 0, 0.11), at_b=(0, 0, 2.5), **cord))
    b.add(gk.Drag("air", "lantern", area=0.04, wind=(8, 0, 0)))
    b.add(gk.Wrench("gust", "lantern", times=(0, 0.5, 1), force=[(0, 0, 0), (0, 3, 0), (0, 0, 0)]))
    return b.build()


def simulate(model: gk.Model | None = None) -> gk.Run:
    return gk.simulate(model or gk.load_scene(SCENE), t_end=200.0, method=gk.FreeMotion(h=2e-3), output_dt=0.1)


def check(run: gk.Run) -> None:
    # Text and Python give one model, and one model gives one motion: equal, not close.
    assert gk.load_scene(SCENE) == build() == run.model
    assert np.array_equal(simulate(build())["lantern.position"], run["lantern.position"])
    with tempfile.TemporaryDirectory() as folder:
        # A model saved is a scene file again, with every number to the last bit.
        gk.save_scene(run.model, scene := Path(folder, "again.toml"))
        assert gk.load_scene(scene) == run.model
        # A run file holds the motion and the model. It also holds the last state, to go on from.
        file = run.save(Path(folder, "lantern.h5"))
        with gk.load_run(file) as loaded:
            assert loaded.model == run.model
            assert all(np.array_equal(loaded[name], run[name]) for name in run.names)
            time, state = loaded.last_state
            assert time == run.time[-1]
            assert np.array_equal(state.flat, run.last_state[1].flat)
    # Only the air damps the swing, so the mean of the last 100 s is compared: 4e-4 rad are left by then, and the mean
    # over about 50 swings is good to a hundredth of that.
    slant, length = resting(run.model)
    late = run.time > 100
    np.testing.assert_allclose(cord_slant(run)[late].mean(), slant, atol=4e-6)
    np.testing.assert_allclose(cord_length(run)[late].mean(), length, rtol=1e-6)


def cord(run: gk.Run) -> np.ndarray:
    """(n, 3) from the hook of the lantern to where the cord is tied [m]."""
    (hook,), (spring,) = run.model.frames, (f for f in run.model.forces if f.name == "cord")
    return np.array(spring.at_b) - (run["lantern"].position + run["lantern"].rotation @ hook.at)


def cord_slant(run: gk.Run) -> np.ndarray:
    """(n,) angle of the cord to the vertical, downwind positive [rad]."""
    return np.arctan2(-cord(run)[:, 0], cord(run)[:, 2])


def cord_length(run: gk.Run) -> np.ndarray:
    """(n,) length of the cord [m]."""
    return np.linalg.norm(cord(run), axis=1)


def resting(model: gk.Model) -> tuple[float, float]:
    """Slant [rad] and length of the cord [m] at rest, by the closed form above."""
    spring, drag = (f for f in model.forces if f.name in ("cord", "air"))
    push = 0.5 * drag.air_density * drag.area * drag.wind[0] ** 2
    weight = model.body("lantern").mass * 9.81
    return float(np.arctan2(push, weight)), float(spring.rest_length + np.hypot(push, weight) / spring.stiffness)


def picture(run: gk.Run, out: str) -> None:
    figure = run.picture(instants=1)
    figure.set_size_inches(9.5, 3.6)
    lantern, *others = figure.axes
    for panel in others:
        panel.remove()
    figure.suptitle("")
    lantern.set_position((0.38, 0.12, 0.22, 0.75))
    lines = [line.partition("#")[0].rstrip() for line in SCENE.read_text(encoding="utf-8").splitlines()]
    part = lines[lines.index("[body.lantern]") : lines.index("[frame.hook]")]
    figure.text(0.015, 0.86, "\n".join(part), family="monospace", fontsize=7, va="top")
    figure.text(0.015, 0.92, "08_scene.toml, an extract", fontsize=11)
    figure.text(0.49, 0.92, "The body", fontsize=11, ha="center")
    swing = figure.add_axes((0.67, 0.15, 0.31, 0.72))
    rest = np.degrees(resting(run.model)[0])
    early = run.time <= 30
    swing.plot(run.time[early], np.degrees(cord_slant(run)[early]), color="#4c72b0", label="cord, downwind")
    swing.axhline(rest, color="0.3", linestyle="--", linewidth=1, label="closed form at rest")
    swing.set_title("The lantern swings to rest in the wind", fontsize=11)
    swing.set(xlabel="time [s]", ylabel="slant [°]")
    swing.legend(fontsize=8)
    swing.grid(alpha=0.25)
    figure.savefig(out, dpi=85)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A lantern in the wind from a scene file.")
    parser.add_argument("--out", default="lantern.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    slant, _ = resting(run.model)
    late = run.time > 100
    print("the scene file and the Python model are equal, bit by bit")
    print(f"slant {np.degrees(cord_slant(run)[late].mean()):.3f} degrees, closed form {np.degrees(slant):.3f}")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
