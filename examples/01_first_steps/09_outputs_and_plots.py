"""Outputs and plots: a weight on a spring, what to record of it, and where to take it.

A weight that hangs on a spring is pulled down and let go. If the spring swings up and down twice as fast as the weight
swings sideways, bouncing turns into swinging and back, over and over. A second weight, hung exactly straight, keeps
bouncing.

Every run records time, motion, energy and momenta. More series are functions of the simulation, given by name; a sample
is taken every `output_dt`. The run goes to an HDF5 file while it runs, in constant memory, and from there to plots and
tables.

Proof. The straight weight is an oscillator:  z = -l + a cos(w t),  w^2 = k/m.  What the recorded pull of the spring and
gravity give in impulse is what the momentum gains. And what comes back from the run file and from the table of comma-
separated values equals the run to the last bit.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import gelenk as gk

MASS, LENGTH = 1.0, 1.0  # [kg], of the spring with the weight on it [m]
STIFFNESS = 4 * MASS * 9.81 / LENGTH  # [N/m], twice the frequency of the pendulum
REST_LENGTH = LENGTH - MASS * 9.81 / STIFFNESS  # [m]
PULLED = 0.15  # [m]
SAMPLE = 0.02  # [s]
FREQUENCY = np.sqrt(STIFFNESS / MASS)  # [rad/s]


def build() -> gk.Model:
    b = gk.Builder(name="spring pendulum")
    for name, aside in (("straight", 0.0), ("swinging", 0.01)):
        b.particle(name, mass=MASS, at=(aside, 0, -LENGTH - PULLED))
        b.add(gk.Spring(f"spring of {name}", "world", name, stiffness=STIFFNESS, rest_length=REST_LENGTH))
    return b.build()


def swing_angle(sim: gk.Simulation) -> float:
    """Angle of the spring to the vertical [deg]."""
    x, _, z = sim["swinging"].position
    return np.degrees(np.arctan2(x, -z))


def pull(sim: gk.Simulation) -> np.ndarray:
    """(3,) force of the spring on the swinging weight [N]."""
    p = sim["swinging"].position
    length = np.linalg.norm(p)
    return -STIFFNESS * (length - REST_LENGTH) / length * p


def simulate(file: Path | None = None) -> gk.Run:
    """With a file the run streams to it and is read from there; without, it stays in memory."""
    outputs = {"angle": swing_angle, "pull": pull}
    return gk.simulate(build(), t_end=40.0, output_dt=SAMPLE, outputs=outputs, file=file)


def check(run: gk.Run) -> None:
    t = run.time
    np.testing.assert_allclose(t, SAMPLE * np.arange(2001), atol=1e-12)
    # Order 4: (h w)^4 / 120 of a phase of 250 rad, 3e-9, times the amplitude.
    z = run["straight"].position[:, 2]
    np.testing.assert_allclose(z, -LENGTH - PULLED * np.cos(FREQUENCY * t), atol=1e-9)
    assert np.abs(run["straight.position.x"]).max() == 0.0
    # Bouncing becomes swinging: from half a degree to more than ten.
    assert abs(run["angle"][0]) < 0.6
    assert np.abs(run["angle"]).max() > 10
    # Impulse of the outputs by the trapezoidal rule, whose error is dt^2 / 12 times the change of the slope of the
    # force, at most 2 a k w.
    force = run["pull"] + np.array([0, 0, -9.81 * MASS])
    impulse = np.vstack([np.zeros(3), np.cumsum((force[1:] + force[:-1]) / 2 * np.diff(t)[:, None], axis=0)])
    gained = MASS * (run["swinging"].velocity - run["swinging"].velocity[0])
    np.testing.assert_allclose(impulse, gained, atol=SAMPLE**2 / 12 * 2 * PULLED * STIFFNESS * FREQUENCY)
    # Files give back the same bits.
    with tempfile.TemporaryDirectory() as folder:
        with simulate(Path(folder, "run.h5")) as written, gk.load_run(Path(folder, "run.h5")) as loaded:
            assert written.status == loaded.status == "finished"
            assert all(np.array_equal(loaded[name], run[name]) for name in run.names)
        csv = run.export(Path(folder, "run.csv"), "angle", "pull")
        assert csv.read_text(encoding="utf-8").startswith("time,angle,pull.x,pull.y,pull.z")
        table = np.loadtxt(csv, delimiter=",", skiprows=1)
        assert np.array_equal(table, np.column_stack([t, run["angle"], run["pull"]]))


def picture(run: gk.Run, out: str) -> None:
    """One call draws any series; the figure is matplotlib's and can be changed before it is saved."""
    figure = run.plot("swinging.position", "angle")
    figure.suptitle("A weight on a spring: bouncing turns into swinging and back")
    figure.set_size_inches(9, 4)
    position, angle = figure.axes
    position.set_ylabel("position [m]")
    position.legend(loc="center right", fontsize=8)
    angle.set_ylabel("angle of the spring [°]")
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A spring pendulum: outputs, run file, plot and table.")
    parser.add_argument("--out", default="pendulum.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"{len(run)} samples of {len(run.names)} series: {', '.join(run.names[-2:])} are our own")
    print(f"largest swing {np.abs(run['angle']).max():.1f} degrees, from {run['angle'][0]:.1f} at the start")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
