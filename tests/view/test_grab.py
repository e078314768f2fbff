"""A hand on a body: as fast as theory says, never past the target, never above its cap, and gone when it lets go."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.grab import RATE, WEIGHTS, Grip
from view.models import H


def floating(gravity=(0, 0, 0)):
    b = gk.Builder(name="floating", gravity=gravity)
    b.body("box", shape=gk.Box((0.3, 0.4, 0.5)), at=(0, 0, 1), density=1000)
    b.particle("grain", mass=0.5, at=(3, 0, 0))
    return gk.Simulation(b.build(), gk.FreeMotion(h=H))


def pendulum(method=None):
    b = gk.Builder(name="pendulum")
    b.body("rod", shape=gk.Box((1.0, 0.05, 0.05)), at=(0.5, 0, 0), density=1000)
    b.add(gk.Hinge(name="pivot", a="world", b="rod", at=(0, 0, 0), axis=(0, 1, 0)))
    return gk.Simulation(b.build(), method)


def held(sim, grip, steps):
    places, impulses = [grip.place(sim)], []
    for _ in range(steps):
        impulses.append(grip.pull(sim))
        sim.step(1)
        places.append(grip.place(sim))
    return np.array(places), np.array(impulses)


@pytest.mark.parametrize("name", ["box", "grain"])
def test_a_free_body_goes_to_the_target_as_theory_says(name):
    sim = floating()
    start = sim[name].position
    grip = Grip(sim, name, (0, 0, 0), start + np.array([0.6, 0.2, 0.3]))
    places, _ = held(sim, grip, 800)
    n = np.arange(len(places))
    share = (1 + n * H * RATE / (1 + H * RATE)) * (1 + H * RATE) ** -n.astype(float)
    expected = grip.target + share[:, None] * (start - grip.target)
    np.testing.assert_allclose(places, expected, atol=1e-10)
    distance = np.linalg.norm(places - grip.target, axis=1)
    assert (np.diff(distance) < 0).all(), "never past the target"
    assert distance[-1] < 1e-3


def test_a_point_off_the_centre_comes_to_the_target_and_the_body_comes_to_rest():
    sim = floating()
    grip = Grip(sim, "box", (0.15, 0.2, 0.25), (0.5, -0.4, 1.2))
    places, _ = held(sim, grip, 6000)
    way = (grip.target - places[0]) / np.linalg.norm(grip.target - places[0])
    assert ((grip.target - places) @ way > -0.01).all(), "a hundredth at most: what swings about the point tugs at it"
    assert np.linalg.norm(places[-1] - grip.target) < 1e-3
    assert np.linalg.norm(sim["box"].angular_velocity) < 5e-3


def test_weight_does_not_pull_it_off_the_target():
    sim = floating(gravity=(0, 0, -9.81))
    grip = Grip(sim, "box", (0, 0, 0), (0.2, 0, 1.2))
    places, _ = held(sim, grip, 2000)
    assert np.linalg.norm(places[-1] - grip.target) < 2e-3


@pytest.mark.parametrize("strength", [0.05, 1.0])
def test_the_impulse_never_exceeds_its_cap_however_far_the_target(strength):
    sim = floating(gravity=(0, 0, -9.81))
    grip = Grip(sim, "box", (0.1, 0.1, 0.2), (300.0, -20.0, 40.0), strength)
    mass = sim.model.body("box").mass
    assert grip.force_max == pytest.approx(strength * WEIGHTS * mass * 9.81)
    places, impulses = held(sim, grip, 3000)
    assert (np.linalg.norm(impulses, axis=1) <= H * grip.force_max * (1 + 1e-12)).all()
    assert np.isfinite(places).all()


def test_a_far_target_is_not_passed_either():
    sim = floating()
    grip = Grip(sim, "box", (0, 0, 0), (30.0, 0, 1))
    places, _ = held(sim, grip, 20_000)
    assert places[:, 0].max() <= 30.0 + 1e-9
    assert places[-1, 0] == pytest.approx(30.0, abs=1e-3)


def test_a_fast_body_is_caught_within_the_cap():
    sim = floating()
    sim["box"].apply_impulse((60.0 * 20.0, 0, 0))
    grip = Grip(sim, "box", (0, 0, 0), (0, 0, 1))
    places, impulses = held(sim, grip, 10_000)
    assert np.linalg.norm(impulses, axis=1).max() <= H * grip.force_max * (1 + 1e-12)
    assert np.linalg.norm(places[-1] - grip.target) < 1e-3


@pytest.mark.parametrize("method", [gk.Impulse(), gk.RowStepping()], ids=["impulse", "rows"])
def test_a_pendulum_that_is_dragged_keeps_its_joint(method):
    sim = pendulum(method)
    grip = Grip(sim, "rod", (0.5, 0, 0), (0.4, 0.8, 0.9))  # out of the plane in which it can move
    worst = 0.0
    for _ in range(round(1.5 / method.h)):
        grip.pull(sim)
        sim.step(1)
        worst = max(worst, float(np.linalg.norm(sim["rod"].position - sim["rod"].rotation @ (0.5, 0, 0))))
    assert worst < (1e-9 if isinstance(method, gk.Impulse) else 1e-4), "the tolerance of the method"
    end = grip.place(sim)
    nearest = np.array([0.4, 0, 0.9]) / np.hypot(0.4, 0.9)
    assert np.linalg.norm(end - nearest) < 0.05, "as near to the pointer as the joint lets it"


def test_letting_go_leaves_no_force():
    sim = floating()
    grip = Grip(sim, "box", (0, 0, 0), (1, 0, 1))
    held(sim, grip, 50)
    velocity = sim["box"].velocity
    sim.step(500)
    np.testing.assert_array_equal(sim["box"].velocity, velocity)


def test_a_contact_holds_against_the_hand():
    b = gk.Builder(name="floor")
    b.body("floor", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 0.2), density=1000)
    sim = gk.Simulation(b.build())
    grip = Grip(sim, "ball", (0, 0, 0), (0.3, 0, -0.8))
    places, _ = held(sim, grip, round(0.5 / sim.method.h))
    assert places[:, 2].min() > 0.19


def test_a_point_far_out_does_not_spin_it_up():
    sim = floating()
    grip = Grip(sim, "box", (1e9, 0, 0), (0, 1e9, 1e9))
    held(sim, grip, 1000)
    assert np.linalg.norm(sim["box"].angular_velocity) < 1e4
    assert np.isfinite(sim.state.flat).all()


def test_a_static_body_is_not_dragged():
    b = gk.Builder(name="still")
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 3), density=1000)
    with pytest.raises(gk.InputError, match="static"):
        Grip(gk.Simulation(b.build(), gk.FreeMotion(h=H)), "wall", (0, 0, 0), (0, 0, 0))
