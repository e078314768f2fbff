"""Begin and end of touch, told to user code while a simulation runs (V-33, V-114), with both methods."""

import math

import numpy as np
import pytest
from contact_scenes import G, ball, boxes

import gelenk as gk


def test_a_bouncing_ball_begins_and_ends_to_touch(method):
    """Told in order, with the times of their steps: falls of sqrt(2 h/g), then 2 e of it in the air."""
    h, e = 1e-3, 0.7
    sim = gk.Simulation(ball(0.2, e), method(h=h, contact=gk.ContactOptions()))
    told = []
    sim.subscribe(told.append)
    sim.advance(0.8)
    fall = math.sqrt(2 * 0.2 / G)
    assert [x.kind for x in told[:4]] == ["begin", "end", "begin", "end"]
    assert {(x.a, x.b) for x in told} == {("ground", "ball")}
    assert told[0].time == pytest.approx(fall, abs=1.1 * h)
    # it ends to touch when it is farther than the margin of 2 mm: at 1.4 m/s after one or two steps
    assert 0 < told[1].time - told[0].time < 3.1 * h
    assert told[2].time == pytest.approx(fall * (1 + 2 * e), abs=2.1 * h)


def test_who_subscribes_while_bodies_touch_is_told_when_they_part(method):
    sim = gk.Simulation(boxes({"lower": (0, 0, 0.05), "upper": (0, 0, 0.15)}), method(h=2e-3))
    sim.advance(0.05)
    told = []
    sim.subscribe(told.append)
    sim.advance(0.05)
    assert told == []
    sim.state.p_WC[sim.model.index("upper"), 2] += 0.05
    sim.advance(0.05)
    assert [(x.kind, x.a, x.b) for x in told] == [("end", "lower", "upper")]
    sim.advance(0.15)  # it falls back after 0.1 s
    assert [(x.kind, x.a, x.b) for x in told] == [("end", "lower", "upper"), ("begin", "lower", "upper")]
    assert told[1].time == pytest.approx(0.1 + math.sqrt(2 * 0.05 / G), abs=2.1 * 2e-3)
    sim.unsubscribe(told.append)


def test_who_subscribes_while_bodies_sleep_is_told_when_they_part():
    options = gk.ContactOptions(sleep=True, sleep_after=0.1)
    sim = gk.Simulation(boxes({"lower": (0, 0, 0.05), "upper": (0, 0, 0.15)}), gk.RowStepping(h=2e-3, contact=options))
    sim.advance(0.3)
    assert len(sim.asleep) == 2
    told = []
    sim.subscribe(told.append)
    sim.state.p_WC[sim.model.index("upper"), 2] += 0.05
    sim.advance(0.02)
    assert [(x.kind, x.a, x.b) for x in told] == [("end", "lower", "upper")]


def test_events_reach_a_controller_before_its_next_call(method):
    """A control function that acts on every step sees a touch one step after it, and no later."""
    sim = gk.Simulation(ball(0.05), method(h=1e-3, contact=gk.ContactOptions()))
    told, seen = [], []
    sim.subscribe(told.append)
    sim.run(0.2, control=lambda t, sim: seen.append(t) if told and not seen else None)
    assert seen[0] - told[0].time == pytest.approx(1e-3, abs=1e-9)


def test_forces_are_equal_and_opposite_for_every_pair(method):
    model = boxes({"lower": (0, 0, 0.05), "upper": (0, 0, 0.15)})
    sim = gk.Simulation(model, method(h=2e-3))
    sim.advance(0.05)
    weight = model.body("upper").mass * G
    np.testing.assert_allclose(sim.contact_force("upper", "lower"), (0, 0, weight), atol=1e-3 * weight)
    np.testing.assert_array_equal(sim.contact_force("lower", "upper"), -sim.contact_force("upper", "lower"))
    total = sim.contact_force("lower", "upper") + sim.contact_force("lower", "ground")
    np.testing.assert_allclose(sim.contact_force("lower"), total, atol=1e-9 * weight)


@pytest.mark.parametrize("without", [gk.FreeMotion(), gk.Lagrange()], ids=lambda m: m.kind)
def test_methods_without_contact_refuse_to_be_listened_to(without):
    sim = gk.Simulation(ball(0.2), without)
    with pytest.raises(gk.InputError, match="contact"):
        sim.subscribe(print)
    assert sim.contacts == []
    with pytest.raises(gk.InputError, match="subscribe"):
        sim.unsubscribe(print)


def test_a_bounce_begins_at_its_time_within_the_step_with_its_impulse(method):
    """V-33: the time of the impact, which steps do not divide, and  m (1 + e) v  on the ball."""
    h, e, height = 4e-3, 0.7, 0.2
    model = ball(height, e)
    sim = gk.Simulation(model, method(h=h, contact=gk.ContactOptions()))
    told = []
    sim.subscribe(told.append)
    sim.advance(0.4)
    fall = math.sqrt(2 * height / G)
    assert abs(fall / h - round(fall / h)) > 0.1
    begun = [x for x in told if x.kind == "begin"]
    assert begun[0].time == pytest.approx(fall, abs=1e-9)  # flights are exact
    assert begun[0].impulse == pytest.approx((0, 0, model.body("ball").mass * (1 + e) * G * fall), rel=1e-9)
    assert [x.impulse for x in told if x.kind == "end"] == [None]


def test_a_landing_without_restitution_tells_the_impulse_of_its_step(method):
    """It has the time of its step. RowStepping takes two steps to stop the ball, the first one to the ground.

    Both together take the momentum of the fall, with the weight of up to three steps.
    """
    h = 1e-3
    model = ball(0.1, 0.0)
    sim = gk.Simulation(model, method(h=h, contact=gk.ContactOptions()))
    told = []
    sim.subscribe(told.append)
    while not told:
        sim.advance(h)
    np.testing.assert_allclose(told[0].impulse, h * sim.contact_force("ball"), rtol=1e-12)
    sim.advance(h)
    fall, mass = math.sqrt(2 * 0.1 / G), model.body("ball").mass
    assert [x.kind for x in told] == ["begin"]
    assert told[0].time == pytest.approx(fall, abs=1.1 * h)
    stopped = told[0].impulse + h * sim.contact_force("ball")
    assert stopped == pytest.approx((0, 0, mass * G * fall), abs=3 * mass * G * h)


@pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse])
@pytest.mark.parametrize("ahead", [0.2022, 0.2037, 0.3])
def test_a_short_last_step_does_not_move_the_time_of_an_event(method, ahead):
    """The ball meets the floor at sqrt(2 h/g) = 0.201928 s, in the step that begins at 0.2 s, be it whole or not."""
    b = gk.Builder()
    b.material("steel", restitution=1.0, friction=0.0)
    b.body("floor", shape=gk.Plane(), static=True, material="steel")
    b.body("ball", shape=gk.Sphere(0.1), material="steel", at=(0, 0, 0.3))
    sim, told = gk.Simulation(b.build(), method(h=0.01)), []
    sim.subscribe(told.append)
    sim.advance(ahead)
    assert told[0].time == pytest.approx(math.sqrt(2 * 0.2 / G), abs=1e-9)


def test_beginnings_of_a_step_are_told_in_the_order_of_time():
    """The ball that is named last is lower, so it lands first; both do so within one step."""
    b, h = gk.Builder(), 0.02
    b.material("m", restitution=0.5)
    b.body("ground", shape=gk.Plane(), static=True)
    for name, x, z in (("anna", 0.0, 0.2), ("bert", 1.0, 0.197)):
        b.body(name, shape=gk.Sphere(0.05), material="m", at=(x, 0, z + 0.05))
    sim = gk.Simulation(b.build(), gk.RowStepping(h=h))
    told = []
    sim.subscribe(told.append)
    sim.advance(0.22)
    begun = [x for x in told if x.kind == "begin"]
    assert math.floor(begun[0].time / h) == math.floor(begun[1].time / h)
    assert [x.b for x in begun] == ["bert", "anna"]
    assert [x.time for x in begun] == pytest.approx([math.sqrt(2 * z / G) for z in (0.197, 0.2)], abs=1e-9)


def test_the_impulse_of_two_bodies_is_that_on_the_second_whatever_their_names():
    """Balls of equal mass swap velocities: the one that was hit gets m v; part by part of a body of two balls."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", density=1000, friction=0, restitution=1)
    pair = gk.Compound([(gk.Sphere(0.05), (0, 0.05, 0)), (gk.Sphere(0.05), (0, -0.05, 0))])
    b.body("zoe", shape=gk.Box((0.1, 0.4, 0.4)), material="m", at=(-0.2, 0, 0), velocity=(2, 0, 0))
    b.body("adam", shape=pair, material="m", at=(0, 0, 0))
    model = b.build()
    sim = gk.Simulation(model, gk.RowStepping(h=1e-3))
    told = []
    sim.subscribe(told.append)
    sim.advance(0.1)
    gained = model.body("adam").mass * sim["adam"].velocity
    begun = [x for x in told if x.kind == "begin"]
    assert {(x.a, x.b) for x in begun} == {("zoe", "adam")}
    assert gained[0] > 1
    np.testing.assert_allclose(np.sum([x.impulse for x in begun], axis=0), gained, rtol=1e-9, atol=1e-12)
    assert [x.time for x in begun] == pytest.approx([0.05] * len(begun), abs=1e-9)
