"""Runs say how well their joints held together, and warn where they did not."""

import warnings

import numpy as np
import pytest

import gelenk as gk
from gelenk.run.accuracy import remedy

T_END = 0.02


def truss(**hinge):
    """Two light bars on three hinges, a statically determinate arch far larger than its bodies: hard for sweeps."""
    b = gk.Builder(name="truss")
    b.body("left", shape=gk.Box((0.05, 0.05, 0.05)), mass=2, at=(0.5, 0, -0.5))
    b.body("right", shape=gk.Box((0.05, 0.05, 0.05)), mass=1, at=(1.5, 0, -0.5))
    for name, a, other, at in (
        ("foot", "world", "left", (0, 0, 0)),
        ("crown", "left", "right", (1, 0, -1)),
        ("heel", "world", "right", (2, 0, 0)),
    ):
        b.add(gk.Hinge(name=name, a=a, b=other, at=at, axis=(0, 1, 0), **hinge))
    return b.build()


def slow():
    """A method that cannot keep up: two sweeps a step."""
    return gk.RowStepping(solver=gk.GaussSeidel(sweeps=2))


def test_joints_that_come_apart_are_warned_of_at_the_users_line_with_a_remedy():
    sim = gk.Simulation(truss(), slow())
    with pytest.warns(gk.AccuracyWarning) as notes:
        run = sim.run(T_END, progress=False)
    assert [note.filename for note in notes] == [__file__]
    text = str(notes[0].message)
    for words in (
        "hinge 'crown' was open by",
        "the solver falls short by",
        "more sweeps than 2",
        "gk.Dantzig()",
        "0.001",
    ):
        assert words in text
    # what is said is what the recorded poses tell: the crown of one bar against that of the other
    gap = crown(run, "left", (0.5, 0, -0.5)) - crown(run, "right", (-0.5, 0, -0.5))
    assert np.abs(gap).max() > 1e-3
    # rows measure along axes of a body, which has turned by the gap over the length of a bar, 0.003 rad
    np.testing.assert_allclose(run.accuracy.distance, max(np.abs(gap).max(), feet(run)), rtol=5e-3)
    assert run.accuracy.residual == sim.info["worst_residual"] > 0.1


def crown(run, body, arm):
    return run[body].position + run[body].rotation @ np.array(arm)


def feet(run):
    foot, heel = crown(run, "left", (-0.5, 0, 0.5)), crown(run, "right", (0.5, 0, 0.5)) - np.array([2, 0, 0])
    return max(np.abs(foot).max(), np.abs(heel).max())


def test_a_method_that_keeps_up_is_silent_and_its_figures_are_kept_with_the_run(tmp_path):
    run = gk.simulate(truss(), T_END, method=gk.Impulse(), file=tmp_path / "run.h5", progress=False)
    drift = run.drift()
    with gk.load_run(tmp_path / "run.h5") as again:
        assert again.accuracy == run.accuracy
    assert run.accuracy.distance == drift["joints_open"] < 1e-9
    assert run.accuracy.angle == drift["joints_turned"] < 1e-9
    assert run.accuracy.residual == drift["residual"] < 1e-9


def test_impulse_far_above_its_tolerance_warns():
    """1000 times 1e-9 m is the least that is told."""
    poor = gk.Impulse(iterations=1, velocity_iterations=1, solver=gk.GaussSeidel(sweeps=2))
    with pytest.warns(gk.AccuracyWarning, match="was open by"):
        run = gk.simulate(truss(), T_END, method=poor, progress=False)
    assert run.accuracy.distance > 1e-6


def test_a_torn_start_that_closes_and_joints_that_break_are_no_fault():
    model = truss()
    state = model.initial_state()
    state.p_WC[1, 2] += 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = gk.Simulation(model, gk.Impulse(), state=state).run(T_END, progress=False)
    assert run.accuracy.distance > 0.009  # told, not warned of
    fragile = truss(break_force=1e-3)
    run = gk.simulate(fragile, T_END, method=gk.Impulse(), progress=False)
    assert run["crown"].broken[-1] == 1
    assert run.accuracy.distance < 1e-9


def test_a_method_without_a_solver_is_not_told_of_another_one():
    assert "solver" not in remedy(gk.MoreauTree())
    assert remedy(gk.MoreauTree()).startswith("Try a step below 0.001 s;")
    assert remedy(gk.PositionBased()).startswith("Try more iterations than 20 or a step below 0.001 s;")
    assert remedy(gk.Impulse()).startswith("Try solver=gk.Dantzig() or a step below 0.001 s;")


def test_runs_without_joints_have_nothing_to_tell():
    b = gk.Builder()
    b.particle("stone", mass=1)
    run = gk.simulate(b.build(), T_END, progress=False)
    assert run.accuracy.opening == ""
    assert np.isnan(run.accuracy).all()
    assert set(run.drift()) == {"energy", "momentum", "angular_momentum"}
