"""A simulation that goes on with a changed model: joints, drives and forces come and go (V-103, V-104)."""

import numpy as np
import pytest

import gelenk as gk

H, G = 1e-3, 9.81


def crane():
    """Two rods on hinges, a motor at the elbow, a cord, and a connection that reads the motor's joint."""
    b = gk.Builder(name="crane")
    b.body("upper", shape=gk.Box((0.1, 0.1, 1.0)), at=(0, 0, -0.5), density=1000, angular_velocity=(0, 1, 0))
    b.body("lower", shape=gk.Box((0.1, 0.1, 1.0)), at=(0, 0, -1.5), density=1000)
    b.frame("hand", "lower", at=(0, 0, -0.5))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(0, 0, -1), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=0.5, force_max=40.0))
    b.add(gk.Spring(name="cord", a="world", b="lower", stiffness=50.0, rest_length=1.0, at_a=(2, 0, 0)))
    b.exclude("upper", "lower")
    return b


def running(steps=100):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the start lets a joint turn, which is put right in the first step
        sim = gk.Simulation(crane().build(), gk.Impulse(h=H))
    sim.step(steps)
    return sim


def test_a_joint_that_is_taken_out_lets_go_and_the_state_goes_on():
    """V-104: the part below falls freely from where it was, under its weight alone once the cord is gone too."""
    sim = running()
    v, com = sim["lower"].velocity, sim["lower"].com
    v_com = v + np.cross(sim["lower"].angular_velocity, com - sim["lower"].position)
    other = sim.changed(lambda b: (b.remove("elbow", dependents=True), b.remove("cord")))
    assert other.time == sim.time
    np.testing.assert_array_equal(other["lower"].position, sim["lower"].position)
    np.testing.assert_array_equal(other["upper"].angular_velocity, sim["upper"].angular_velocity)
    assert other["shoulder"].angle == sim["shoulder"].angle
    assert [joint.name for joint in other.model.joints] == ["shoulder"], "its motor went with it"
    other.step(200)
    t = 200 * H
    fallen = com + v_com * t - np.array([0, 0, 0.5 * G * t * t])
    np.testing.assert_allclose(other["lower"].com, fallen, atol=G * t * H)  # of order 1 in the step: g t h
    assert len(sim.model.joints) == 3, "the model it came from is as it was"


def test_a_drive_that_is_taken_out_leaves_its_joint_free():
    """The motor holds the elbow at its speed; without it the angle follows weight and inertia."""
    sim = running()
    assert sim["elbow"].rate == pytest.approx(0.5, abs=1e-6)
    other = sim.changed(lambda b: b.remove("drive"))
    assert other["elbow"].angle == sim["elbow"].angle
    other.step(300)
    sim.step(300)
    assert sim["elbow"].rate == pytest.approx(0.5, abs=1e-6)
    assert abs(other["elbow"].rate - 0.5) > 0.05
    assert other.info["worst_position_error"] < 1e-6


def test_a_joint_is_put_on_where_bodies_are_now():
    """V-103: the hand is fixed to the world in mid-swing, and stays; all joints stay closed."""
    sim = running(300)
    at = sim["hand"].position
    other = sim.changed(lambda b: b.add(gk.Ball(name="grip", a="world", b="lower", at=tuple(at))), from_now=True)
    np.testing.assert_array_equal(other["upper"].position, sim["upper"].position)
    assert other["elbow"].angle == pytest.approx(sim["elbow"].angle, abs=1e-12)
    other.step(500)
    np.testing.assert_allclose(other["hand"].position, at, atol=1e-6)  # tolerance of the method: 1e-7 m at a joint
    again = other.changed(lambda b: b.remove("grip"))
    again.step(100)
    assert np.linalg.norm(again["hand"].position - at) > 1e-4


def test_a_model_that_begins_now_is_the_state_of_now():
    sim = running(300)
    other = sim.changed(lambda b: None, from_now=True)
    start = other.model.initial_state()
    np.testing.assert_allclose(start.p_WC, sim.state.p_WC, atol=1e-6)  # assembly moves what a step left open
    np.testing.assert_allclose(start.v_WC, sim.state.v_WC, atol=1e-4)
    np.testing.assert_array_equal(other.state.p_WC, sim.state.p_WC)


def test_what_refers_to_what_is_gone_goes_too():
    b = crane()
    assert b.remove("lower", dependents=True) == ["hand", "elbow", "drive", "cord"]
    model = b.build()
    assert [joint.name for joint in model.joints] == ["shoulder"]
    assert not model.frames
    assert b.remove("shoulder", dependents=True) == []


def test_bad_changes_are_refused():
    sim = running(1)
    with pytest.raises(gk.InputError, match="function of a builder"):
        sim.changed("elbow")
    with pytest.raises(gk.InputError, match="elbow"):
        sim.changed(lambda b: b.remove("elbow"))  # the motor still acts on it
    with pytest.raises(gk.InputError, match="nothing"):
        sim.changed(lambda b: b.remove("nothing"))


def test_names_with_dots_are_not_taken_for_values():
    """A body "arm.left" is no value of a body "arm": what holds it stays."""
    b = gk.Builder()
    for k, name in enumerate(("arm", "arm.left")):
        b.body(name, mass=1, inertia=(1, 1, 1), at=(k, 0, 0))
    b.add(gk.Hinge(name="j", a="world", b="arm.left", at=(1, 0, 0), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="m", on="j.angle", speed=1.0))
    assert b.remove("arm", dependents=True) == []
    assert b.remove("arm.left", dependents=True) == ["j", "m"]


def test_a_joint_is_put_on_after_another_broke():
    """The broken one cannot be closed any more, and is left out; the body hangs where it is caught."""
    b = gk.Builder()
    b.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add(gk.Ball(name="thread", a="world", b="ball", at=(0, 0, 0), break_force=1.0))
    sim = gk.Simulation(b.build(), gk.Impulse(h=H))
    sim.advance(0.3)
    place = sim["ball"].position
    assert place[2] < -0.4
    sim = sim.changed(lambda b: b.add(gk.Rigid(name="hold", a="world", b="ball", at=tuple(place))), from_now=True)
    sim.advance(0.3)
    np.testing.assert_allclose(sim["ball"].position, place, rtol=0, atol=1e-2)  # the fall is stopped within steps
    assert [joint.name for joint in sim.model.joints] == ["hold"]


def test_numbers_that_overflow_are_refused_and_do_not_hang():
    b = gk.Builder()
    b.body("far", mass=1e-290, inertia=(1e-290,) * 3, velocity=(1, 2, 3))
    b.add(gk.Ball(name="j", a="world", b="far", at=(1e12, 0, 0)))
    with pytest.raises(gk.InputError, match="overflow"):
        b.build(assemble=True)


def test_what_moves_joints_stays_when_a_motor_comes_or_goes():
    """A named method is kept, and the one that was chosen where it will do; shapes that meet ask for contact."""
    b = crane()
    b.remove("drive")
    sim = gk.Simulation(b.build())
    assert isinstance(sim.method, gk.MoreauTree)
    driven = sim.changed(lambda b: b.add(gk.VelocityMotor(name="drive", on="elbow", speed=0.5, force_max=40.0)))
    assert isinstance(driven.method, gk.MoreauTree)
    driven.step(50)
    assert driven["elbow"].rate == pytest.approx(0.5, abs=1e-6)
    assert isinstance(running(1).changed(lambda b: b.remove("drive")).method, gk.Impulse)
    floor = sim.changed(lambda b: b.body("floor", shape=gk.Plane(), static=True, at=(0, 0, -3)))
    assert isinstance(floor.method, gk.RowStepping)
    assert floor.method.h == sim.method.h
