"""Means and peaks of forces between samples: nothing that happens between two of them is missed."""

import csv

import numpy as np
import pytest

import gelenk as gk

H = 2e-3
G = 9.81
METHODS = [gk.Impulse(h=H), gk.RowStepping(h=H)]
methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)


def hammer():
    """A pendulum with a motor that drops onto its stop after 0.2 s: a blow of one step, then rest."""
    b = gk.Builder(name="hammer")
    b.body("head", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0.1))
    b.add(gk.Hinge(name="axle", a="world", b="head", at=(0, 0, 0), axis=(0, 1, 0), limits=(-1.0, 0.3)))
    b.add(gk.VelocityMotor(name="brake", on="axle", speed=0.0, force_max=1.5))
    return b.build()


FORCES = ("axle.force", "axle.torque", "brake.force")


def runs(method, every, t_end=0.4):
    """The same motion sampled every step, and every so many steps with peaks."""
    fine = gk.Simulation(hammer(), method).run(t_end, output_dt=H, progress=False)
    coarse = gk.Simulation(hammer(), method).run(t_end, output_dt=every * H, progress=False, peaks=True)
    return fine, coarse


@methods
@pytest.mark.parametrize("every", [1, 20, 70])
def test_they_are_those_of_all_steps_between_two_samples(method, every):
    fine, coarse = runs(method, every)
    for name in FORCES:
        steps = fine[name][1:].reshape(200, -1)
        mean, peak = (coarse[name + kind].reshape(len(coarse), -1) for kind in ("_mean", "_peak"))
        assert np.array_equal(coarse[name + "_peak"][0], coarse[name][0])  # before the first step
        for k in range(1, len(coarse)):
            between = steps[(k - 1) * every : k * every]
            size = np.linalg.norm(between, axis=1)
            assert np.array_equal(peak[k], between[size.argmax()])
            # sums of up to 70 numbers in another order: 70 eps of the largest
            np.testing.assert_allclose(mean[k], between.mean(axis=0), atol=70 * 2.3e-16 * size.max())


@methods
def test_a_blow_between_two_samples_is_seen(method):
    """The blow takes up the momentum, 2 kg at 1.3 m/s, in a step: m v / h = 1300 N; samples see the weight of 20 N."""
    fine, coarse = runs(method, every=20)
    peak = np.linalg.norm(coarse["axle"].force_peak, axis=1).max()
    assert peak == np.linalg.norm(fine["axle"].force, axis=1).max()
    assert peak > 1000
    assert np.linalg.norm(coarse["axle"].force, axis=1).max() < 3 * 2 * G
    assert np.abs(coarse["brake"].force_peak).max() <= 1.5 * (1 + 1e-12)


@pytest.mark.parametrize("t_end", [0.4, 0.3993])
@methods
def test_means_add_up_to_the_change_of_momentum(method, t_end):
    """m (v' - v) = sum over the samples of  dt (F_mean + m g), with a shorter last step too."""
    run = gk.Simulation(hammer(), method).run(t_end, output_dt=50 * H, progress=False, peaks=True)
    dt = np.diff(run.time)
    impulse = (dt[:, None] * (run["axle"].force_mean[1:] - np.array([0, 0, 2 * G]))).sum(axis=0)
    # round-off of 200 steps beside a blow of some thousand newtons
    np.testing.assert_allclose(run.momentum[-1] - run.momentum[0], impulse, atol=1e-9)


def test_a_second_run_begins_anew():
    """Its first sample has no steps before it: forces as they stand, not the peak of the run before."""
    sim = gk.Simulation(hammer(), METHODS[1])
    first = sim.run(0.4, output_dt=0.04, progress=False, peaks=True)
    second = sim.run(0.44, output_dt=0.04, progress=False, peaks=True)
    for kind in ("_mean", "_peak"):
        assert np.array_equal(second["axle.force" + kind][0], first["axle.force"][-1])
    assert np.linalg.norm(second["axle"].force_peak, axis=1).max() < 3 * 2 * G


def test_steps_that_are_taken_back_are_not_counted():
    sim = gk.Simulation(hammer(), METHODS[1])
    sim._tally(True)
    sim.advance(10 * H)
    before, kept = sim._stepper.tally.flat.copy(), sim._stepper.memory()
    sim.advance(5 * H)
    assert not np.array_equal(sim._stepper.tally.flat, before)
    sim._stepper.restore(kept)
    assert np.array_equal(sim._stepper.tally.flat, before)


def test_they_are_named_listed_saved_and_exported(tmp_path):
    path = tmp_path / "a.h5"
    gk.Simulation(hammer(), METHODS[1]).run(0.04, output_dt=0.02, progress=False, peaks=True, file=path).close()
    with gk.load_run(path) as run:
        names = [n for n in run.names if n.endswith(("_mean", "_peak"))]
        assert names == [f"{name}{kind}" for name in FORCES for kind in ("_mean", "_peak")]
        assert run.unit("axle.torque_peak") == "N m"
        assert run.unit("axle.force_mean.x") == "N"
        assert np.array_equal(run["axle.force_peak.z"], run["axle"].force_peak[:, 2])
        run.export(tmp_path / "a.csv", "brake.force_peak")
        with open(tmp_path / "a.csv", newline="") as f:
            assert [float(row["brake.force_peak"]) for row in csv.DictReader(f)] == run["brake"].force_peak.tolist()
        assert run.model == hammer()


def test_without_them_nothing_changes_and_the_way_is_named(tmp_path):
    plain = gk.Simulation(hammer(), METHODS[1]).run(0.04, output_dt=0.02, progress=False)
    peaks = gk.Simulation(hammer(), METHODS[1]).run(0.04, output_dt=0.02, progress=False, peaks=True)
    assert [n for n in peaks.names if not n.endswith(("_mean", "_peak"))] == plain.names
    for name in plain.names:
        assert np.array_equal(plain[name], peaks[name])
    for what in ("force_peak", "torque_mean"):
        with pytest.raises(AttributeError, match=r"peaks=True"):
            getattr(plain["axle"], what)


def test_a_model_without_joints_has_none():
    b = gk.Builder()
    b.particle("stone", mass=1.0)
    run = gk.simulate(b.build(), 0.01, progress=False, peaks=True)
    assert not [n for n in run.names if n.endswith(("_mean", "_peak"))]
    with pytest.raises(gk.InputError, match="peaks is 'yes'"):
        gk.simulate(b.build(), 0.01, progress=False, peaks="yes")
