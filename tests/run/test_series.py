"""Series by name, the motion of one body, and how much was conserved."""

import numpy as np
import pytest

import gelenk as gk
from run.models import started, stone, tumblers


@pytest.fixture(scope="module")
def run():
    outputs = {
        "pair": lambda sim: np.array([sim.time, -sim.time]),
        "force.tie": lambda sim: sim["plate"].position,
        "turn": lambda sim: sim["plate"].rotation,
    }
    return started(tumblers()).run(0.5, output_dt=0.01, outputs=outputs, progress=False)


def test_every_name_in_the_list_is_a_series_of_samples(run):
    for name in run.names:
        assert len(run.series(name)) == len(run) == 51
        assert np.array_equal(run[name], run.series(name))


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("energy", lambda r: r["energy.kinetic"] + r["energy.potential"]),
        ("energy.total", lambda r: r["energy"]),
        ("plate.position", lambda r: r["plate"].position),
        ("plate.position.x", lambda r: r["plate"].position[:, 0]),
        ("plate.orientation.w", lambda r: r["plate"].orientation[:, 0]),
        ("arm.upper.velocity", lambda r: r["arm.upper"].velocity),
        ("arm.upper.velocity.z", lambda r: r["arm.upper"].velocity[:, 2]),
        ("bead.velocity.y", lambda r: r["bead"].velocity[:, 1]),
        ("momentum.z", lambda r: r.momentum[:, 2]),
        ("angular_momentum.x", lambda r: r.angular_momentum[:, 0]),
        ("pair.1", lambda r: -r.time),
        ("force.tie", lambda r: r["plate"].position),
        ("force.tie.y", lambda r: r["plate"].position[:, 1]),
        ("turn.5", lambda r: r["plate"].rotation[:, 1, 2]),
    ],
)
def test_a_name_finds_its_series(run, name, same):
    assert np.array_equal(run[name], same(run))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("plat", "plate"),
        ("plate.positon", "plate.position"),
        ("plate.position.w", "plate.position"),
        ("arm.uper.position", "arm.upper.position"),
        ("energy.totl", "energy.total"),
        ("bead.orientation", "bead.position"),
        ("pair.2", "pair"),
        ("paar", "pair"),
    ],
)
def test_a_wrong_name_is_answered_with_near_ones(run, name, near):
    with pytest.raises(gk.InputError, match=r"does not exist.*Did you mean") as caught:
        run[name]
    assert repr(near) in caught.value.remedy


@pytest.mark.parametrize("name", ["", ".", "plate.", ".x", "plate..x", "world", "energy.kinetic.x", "time.x", 3, None])
def test_a_name_that_makes_no_sense_is_refused(run, name):
    with pytest.raises(gk.InputError, match="does not exist"):
        run[name]


def test_nothing_can_be_added_to_a_run(run):
    with pytest.raises(gk.InputError) as caught:
        run["elbow"]
    assert caught.value.remedy == "Look at run.names for what was recorded."


def test_a_body_named_like_a_series_of_another_body_hides_nothing():
    b = gk.Builder()
    b.particle("a", mass=1.0, at=(1, 2, 3))
    b.particle("a.position", mass=1.0, at=(4, 5, 6))
    run = started(b.build()).run(0.01, progress=False)
    assert np.array_equal(run["a"].position[0], [1, 2, 3])
    assert np.array_equal(run["a.position"].position[0], [4, 5, 6])
    assert run["a.position.x"][0] == 1
    assert run["a.position.position.x"][0] == 4


def test_a_body_cannot_have_the_name_of_a_series():
    for name in ("energy", "time", "momentum", "angular_momentum"):
        with pytest.raises(gk.InputError, match="series of every run"):
            gk.Builder().particle(name, mass=1.0)


def test_a_body_is_not_taken_for_a_series(run):
    with pytest.raises(gk.InputError, match=r"'bead' is a particle.*Use bead.position, bead.velocity"):
        run.series("bead")


def test_drift_shows_a_run_that_explodes():
    """Compared with the median of the energy, a run cannot hide its end behind its own size."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=1.0, at=(1.5, 0, 0))
    b.add(gk.Spring("s", "world", "p", stiffness=1000, rest_length=1))
    run = gk.simulate(b.build(), 10.0, method=gk.FreeMotion(h=1e-2, integrator=gk.Ballistic()), progress=False)
    assert run.drift()["energy"] > 1e3
    assert run.outer_causes() == {
        "momentum": "springs to what is fixed",
        "angular_momentum": "springs to what is fixed",
    }


def test_a_particle_has_no_orientation(run):
    track = run["bead"]
    assert track.position.shape == track.velocity.shape == track.com.shape == (51, 3)
    assert np.array_equal(track.com, track.position)
    for what in ("orientation", "rotation", "angular_velocity", "angular_velocity_body"):
        with pytest.raises(gk.InputError, match="particle 'bead'"):
            getattr(track, what)


def test_the_centre_of_mass_of_an_offset_body_is_beside_its_origin(run):
    track = run["arm.upper"]
    offset = np.array([0.1, -0.05, 0.02])
    np.testing.assert_allclose(track.com - track.position, track.rotation @ offset, atol=1e-15)
    w_W = track.angular_velocity
    np.testing.assert_allclose(np.einsum("kij,kj->ki", track.rotation, track.angular_velocity_body), w_W, atol=1e-14)


def test_a_free_offset_body_flies_on_a_line_and_its_origin_round_it():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("club", mass=1.0, inertia=(1, 2, 2.5), com=(0.3, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 2))
    run = started(b.build()).run(1.0, output_dt=0.1, progress=False)
    # The origin starts with (1, 0, 0), so the centre of mass with (1, 0.6, 0): w x r = 2 * 0.3 along y.
    v_WC, t = np.array([1.0, 0.6, 0]), run.time[:, None]
    arm = 0.3 * np.hstack([np.cos(2 * t), np.sin(2 * t), 0 * t])
    line = np.array([0.3, 0, 0]) + t * v_WC
    # Runge-Kutta at h w = 2e-3 turns by 2 rad with an error of (h w)^4 / 120 a radian, 3e-13
    np.testing.assert_allclose(run["club"].com, line, atol=1e-12)
    np.testing.assert_allclose(run["club"].position, line - arm, atol=1e-12)
    np.testing.assert_allclose(run["club"].velocity, v_WC - np.cross([0, 0, 2], arm), atol=1e-12)
    np.testing.assert_allclose(run["club"].angular_velocity, np.tile([0, 0, 2.0], (11, 1)), atol=1e-12)


def test_drift_is_zero_for_what_is_conserved_and_large_for_what_is_not():
    fall = started(stone()).run(1.0, progress=False)
    drift = fall.drift()
    # 1000 steps, each a round-off of 1e-16 relative to energies of 60 J over a swing of 27 J: below 1e-12 for certain
    assert drift["energy"] < 1e-12
    # falling from 2 m/s to -7.81 m/s: the momentum changes by m g t = 4.905 of at most 0.5 |(1, 0, -7.81)| = 3.937
    assert drift["momentum"] == pytest.approx(4.905 / np.hypot(0.5, 3.905), rel=1e-12)


def test_drift_of_a_model_that_comes_to_rest_is_relative_to_the_energy_it_had():
    """A mass on a damper, at rest most of the time: it loses all it had, and no more."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("bob", mass=1, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0), velocity=(1, 0, 0))
    b.add(gk.Spring("spring", "world", "bob", stiffness=100, damping=20, at_a=(-1, 0, 0), rest_length=1))
    run = gk.simulate(b.build(), 3.0, method=gk.FreeMotion(h=5e-3), progress=False)
    assert np.median(run["energy"]) < 1e-3 * run["energy"].max()
    assert 0.99 < run.drift()["energy"] <= 1.0


def test_drift_of_a_structure_at_rest_is_small():
    """Round-off of its energy is not compared with round-off of its motion."""
    b = gk.Builder()
    b.body("beam", mass=1, inertia=(0.1, 0.1, 0.1), at=(0.3, 0.1, 0.0))
    b.add(gk.Rigid(name="clamp", a="world", b="beam", at=(0, 0, 0)))
    run = gk.simulate(b.build(), 0.05, progress=False)
    assert np.ptp(run["energy"]) < 1e-14  # m g times the round-off of places
    assert run.drift()["energy"] < 1e-5


def test_drift_of_a_run_without_motion_is_zero():
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=1.0)
    assert started(b.build()).run(0.01, progress=False).drift() == {"energy": 0, "momentum": 0, "angular_momentum": 0}
