"""Hands in a session: drag, push, freeze, delete, add; what else there is goes on."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.equip import Equipment
from gelenk.view.from_page import Add, Delete, Drag, Freeze, Push, Release, Reset, SetParameter, Step
from gelenk.view.session import Session
from view.models import H, falling_simulation
from view.test_session import Heard, turn_until


def equipped(sim=None, *, runs="runs", **options):
    session = Session(sim or falling_simulation(), playing=False, runs=runs)
    equipment = Equipment(session, **options)
    heard = Heard(session)
    session.begin()
    return session, heard, equipment


def take(session, *messages, steps=0):
    for message in messages:
        session.send(1, message)
    turn_until(session, session.commands.empty)
    if steps:
        before = session.steps
        session.send(1, Step(steps))
        turn_until(session, lambda: session.steps == before + steps)


def arm():
    """Two rods that hang from the world, driven at the elbow, with a spring to a ball beside."""
    b = gk.Builder(name="arm")
    b.body("upper", shape=gk.Box((0.1, 0.1, 1.0)), at=(0, 0, -0.5), density=1000)
    b.body("lower", shape=gk.Box((0.1, 0.1, 1.0)), at=(0, 0, -1.5), density=1000)
    b.body("ball", shape=gk.Sphere(0.2), at=(1, 0, -0.5), density=1000)
    b.frame("hand", "lower", at=(0, 0, -0.5))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(0, 0, -1), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=0.0, force_max=0.5))
    b.add(gk.Spring(name="cord", a="lower", b="ball", stiffness=100.0, rest_length=1.0, damping=2.0))
    b.exclude("upper", "lower")
    return gk.Simulation(b.build(), gk.Impulse(h=H))


def test_a_drag_moves_a_body_and_its_release_leaves_no_force():
    session, heard, equipment = equipped()
    take(session, Drag("ball", (0.0, 0.0, 0.0), (0.5, 0.0, 2.2)), steps=1500)
    np.testing.assert_allclose(session.sim["ball"].position, (0.5, 0, 2.2), atol=3e-3)
    take(session, Drag("ball", (0.0, 0.0, 0.0), (0.0, 0.0, 2.0)), steps=1500)
    np.testing.assert_allclose(session.sim["ball"].position, (0, 0, 2.0), atol=3e-3)
    take(session, Release())
    assert equipment.touch.grip is None
    assert not session.before_each
    before = session.sim["ball"].velocity
    take(session, steps=100)
    np.testing.assert_allclose(session.sim["ball"].velocity, before - np.array([0, 0, 9.81 * 100 * H]), atol=1e-9)
    assert not heard.problems()


def test_only_who_holds_lets_go():
    session, _, equipment = equipped()
    session.send(1, Drag("ball", (0.0, 0.0, 0.0), (0.5, 0.0, 2.2)))
    session.send(2, Release())
    turn_until(session, session.commands.empty)
    assert equipment.touch.grip is not None
    session.send(1, Release())
    turn_until(session, session.commands.empty)
    assert equipment.touch.grip is None


def test_a_reset_lets_go_and_thaws():
    session, heard, equipment = equipped()
    take(session, Freeze("box", True), Drag("ball", (0.0, 0.0, 0.0), (0.5, 0.0, 2.2)), steps=10)
    take(session, Reset())
    assert equipment.touch.grip is None
    assert equipment.touch.frozen == ()
    assert [m.bodies for _, m in heard.told if m.kind == "frozen"] == [("box",), ()]
    take(session, steps=10)
    other = falling_simulation()
    other.step(10)
    np.testing.assert_array_equal(session.sim.state.flat, other.state.flat)


def test_a_frozen_body_stays_and_thaws_again():
    session, heard, _ = equipped(arm())
    take(session, Push("lower", (0.0, 0.0, -2.0), (5.0, 0.0, 0.0)), steps=100)
    place = session.sim["upper"].position
    take(session, Freeze("upper", True), Freeze("ball", True), steps=200)
    np.testing.assert_allclose(session.sim["upper"].position, place, atol=1e-12)
    assert np.linalg.norm(session.sim["lower"].velocity) > 0.05, "the elbow still turns"
    take(session, Drag("upper", (0.0, 0.0, 0.0), (9.0, 9.0, 9.0)))
    assert "frozen" in heard.problems()[-1]
    take(session, Freeze("upper", False), steps=200)
    assert np.linalg.norm(session.sim["upper"].position - place) > 1e-4
    assert [m.bodies for _, m in heard.told if m.kind == "frozen"][-1] == ("ball",)


def test_what_is_frozen_stays_so_in_a_changed_model():
    session, _, equipment = equipped(arm())
    take(session, Freeze("upper", True), SetParameter("gravity", 3.0), Add("sphere", (0.1,), (3.0, 0.0, 0.0)), steps=50)
    np.testing.assert_allclose(session.sim["upper"].position, (0, 0, -0.5), atol=1e-12)
    assert equipment.touch.frozen == ("upper",)
    assert session.sim.model.gravity == (0, 0, -3.0)


def test_a_body_goes_with_all_that_holds_on_to_it():
    session, heard, _ = equipped(arm())
    take(session, Push("upper", (0.0, 0.0, -0.5), (3.0, 0.0, 0.0)), steps=100)
    angle, velocity = session.sim["shoulder"].angle, session.sim["ball"].velocity
    take(session, Delete("lower"))
    model = session.sim.model
    assert [body.name for body in model.bodies] == ["upper", "ball"]
    assert [joint.name for joint in model.joints] == ["shoulder"]
    assert not model.forces
    assert not model.frames
    assert session.sim["shoulder"].angle == angle
    np.testing.assert_array_equal(session.sim["ball"].velocity, velocity)
    assert session.sim.time == pytest.approx(0.1)
    take(session, steps=100)
    assert session.scene.number == 1
    assert not heard.problems()


def test_a_body_is_added_where_and_as_it_is_asked_for():
    session, heard, _ = equipped()
    take(session, steps=50)
    before = session.sim["box"].position
    take(session, Add("box", (0.2, 0.4, 0.6), (5.0, 0.0, 1.0), (0.0, 0.0, 2.0), density=500.0))
    take(session, Add("torus", (0.4, 0.1), (8.0, 0.0, 1.0), name="ring"))
    model = session.sim.model
    assert [body.name for body in model.bodies] == ["ball", "box", "box 1", "ring"]
    assert model.body("box 1").mass == pytest.approx(24.0)
    np.testing.assert_array_equal(session.sim["box"].position, before)
    take(session, steps=10)
    assert session.sim["box 1"].position[2] == pytest.approx(1.0 + 0.01 * 2.0 - 0.5 * 9.81e-4, abs=1e-5)
    take(session, Reset())
    np.testing.assert_array_equal(session.sim["box 1"].position, (5, 0, 1))
    np.testing.assert_array_equal(session.sim["box"].position, (1, 0, 2))
    assert session.sim.time == 0.0
    assert not heard.problems()


def test_what_cannot_be_is_said_and_changes_nothing():
    session, heard, _ = equipped(arm())
    bad = [
        Add("box", (1.0,), (0.0, 0.0, 0.0)), Add("sphere", (0.1,), (1e12, 0.0, 0.0)),
        Add("sphere", (0.1,), (5.0, 0.0, 0.0), (0.0, 1e12, 0.0)), Add("sphere", (0.1,), (0.0, 0.0, 0.0), name="ball"),
        Delete("nobody"), Delete("world"), Freeze("nobody", True), Freeze("world", True),
        Push("nobody", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), Push("ball", (0.0, 0.0, 0.0), (1e12, 0.0, 0.0)),
        Drag("nobody", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), Drag("world", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        SetParameter("nothing", 1.0), SetParameter("gravity", -5.0), SetParameter("gravity", 1e9),
    ]  # fmt: skip
    flat, model = session.sim.state.flat.copy(), session.sim.model
    for k, message in enumerate(bad):
        take(session, message)
        assert len(heard.problems()) == k + 1, f"{message} was not refused"
    assert session.sim.model is model
    np.testing.assert_array_equal(session.sim.state.flat, flat)


def test_a_held_body_that_is_deleted_is_let_go():
    session, heard, equipment = equipped()
    take(session, Drag("ball", (0.0, 0.0, 0.0), (0.5, 0.0, 2.2)), Delete("ball"), steps=5)
    assert equipment.touch.grip is None
    assert not session.failure
    assert not heard.problems()
