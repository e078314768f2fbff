"""Steps of order 4 that are too long for what turns: told once, with who, how far and what to do."""

import re
import warnings

import pytest

import gelenk as gk

H = 1e-3


def stick(b, w):
    """Free, tumbling about its length."""
    b.body("stick", mass=1.0, inertia=(1.0, 1.0, 0.02), angular_velocity=(0.3 * w, 0, 0.954 * w))


def two(b, w):
    """Two links in a plane that turn against each other."""
    inertia = {"mass": 1.0, "inertia": (0.1,) * 3}
    b.body("inner", **inertia, at=(0.5, 0, 0), velocity=(0, 0.5 * w, 0), angular_velocity=(0, 0, w))
    b.body("outer", **inertia, at=(1.5, 0, 0), velocity=(0, 0.75 * w, 0), angular_velocity=(0, 0, -0.5 * w))
    b.add(gk.Hinge(name="shoulder", a="world", b="inner", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="elbow", a="inner", b="outer", at=(1, 0, 0), axis=(0, 0, 1)))


def ball(b, w):
    b.body("ball", mass=1.0, inertia=(1.0,) * 3, angular_velocity=(0.6 * w, 0, 0.8 * w))


def wheel(b, w):
    b.body("wheel", mass=1.0, inertia=(1.0, 0.7, 0.4), angular_velocity=(0, 0, w))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))


def gyroscope(b, w):
    """A base that tumbles slowly, with a rotor that is not round."""
    b.body("base", mass=5.0, inertia=(2, 3, 4), angular_velocity=(5, 1, 0))
    b.body("rotor", mass=1.0, inertia=(0.5, 0.2, 0.4), angular_velocity=(5, 1, w))
    b.add(gk.Hinge(name="axle", a="base", b="rotor", at=(0, 0, 0), axis=(0, 0, 1)))


def begun(build, turn, h=H, order=4):
    b = gk.Builder(gravity=(0, 0, 0))
    build(b, turn / H)
    return gk.Simulation(b.build(), gk.MoreauTree(h=h, order=order, contact=None))


def lost(sim, steps):
    """Share of the energy that goes."""
    energy = sim.ledger[0]
    sim.step(steps)
    return 1.0 - sim.ledger[0] / energy


@pytest.mark.parametrize(("build", "who"), [(stick, "body 'stick'"), (two, "hinge 'elbow'")])
def test_what_turns_far_in_a_step_is_told_once(build, who):
    """At 0.3 rad a step and more 1 % of the energy goes in 1000 steps; at the step that is named, less than 1e-4."""
    sim = begun(build, 0.32)
    with pytest.warns(gk.AccuracyWarning, match=rf"^{who} turns by 0\.\d+ rad in a step") as told:
        gone = lost(sim, 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(10)
    assert gone > 5e-3
    assert len(told) == 1
    h = float(re.search(r"steps of (\S+) s", str(told[0].message))[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert abs(lost(begun(build, 0.32, h), 1000)) < 1e-4


@pytest.mark.parametrize("build", [ball, wheel, gyroscope])
def test_what_turns_evenly_may_turn_as_fast_as_it_likes(build):
    """A radian a step about axes that stay loses nothing that a shorter step would save: no false alarm."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert abs(lost(begun(build, 1.0), 1000)) < 1e-5


def test_other_orders_and_usual_steps_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begun(stick, 0.1).step(100)
        begun(stick, 0.3, order=2).step(100)
