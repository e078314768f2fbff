"""Joints in a simulation: inputs, sensors, what they give at rest, restarts to the bit, the door."""

import json
import math
import sys

import numpy as np
import pytest

import gelenk as gk

H = 2e-3
G = 9.81
METHODS = [gk.RowStepping(h=H), gk.Impulse(h=H)]
methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)


def arm(**elbow):
    """Two links in any attitude and motion, a shoulder, an elbow and a motor on it."""
    b = gk.Builder(name="arm")
    b.body(
        "upper",
        shape=gk.Box((0.1, 0.08, 1.0)),
        density=500,
        at=(0.3, 0.2, -0.5),
        rotation=gk.unit((1, 0.2, 0.1, 0.3)),
        angular_velocity=(0.1, 0.3, 0.7),
    )
    b.body("lower", shape=gk.Box((0.1, 0.2, 0.6)), density=500, at=(0.3, 0, -1.5), angular_velocity=(2, 3, 1))
    b.add(gk.Ball(name="shoulder", a="world", b="upper", at=(0, 0, 0)))
    b.add(gk.Universal(name="elbow", a="upper", b="lower", at=(0.3, 0.1, -1.0), axis=(0, 0, 1), **elbow))
    b.add(gk.VelocityMotor(name="drive", on="elbow.angle_x", speed=1.0, force_max=5.0))
    return b.build()


def beam(*elements, moving=()):
    """A beam of 2 kg whose centre of mass is 0.3 m beside the joint at the origin, along x."""
    b = gk.Builder(name="beam")
    b.body("beam", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0, 0), **dict(moving))
    for element in elements:
        b.add(element)
    return b.build()


HINGE = gk.Hinge(name="hinge", a="world", b="beam", at=(0, 0, 0), axis=(0, 1, 0))


# --- sensors ---------------------------------------------------------------------------------------------------------


@methods
def test_a_rigid_joint_is_a_sensor_of_six_axes(method):
    """V-115: it carries the weight m g at an arm of 0.3 m, force up and couple (r x m g) about -y."""
    sim = gk.Simulation(beam(gk.Rigid(name="wall", a="world", b="beam", at=(0, 0, 0))), method)
    sim.advance(5 * H)
    # Velocities are met to 1e-9 m/s a step, so forces to m 1e-9 / h = 1e-6 N.
    np.testing.assert_allclose(sim.sensors["wall.force"], (0, 0, 2 * G), atol=1e-5)
    np.testing.assert_allclose(sim.sensors["wall.torque"], (0, -0.3 * 2 * G, 0), atol=1e-5)
    assert np.array_equal(sim["wall"].force, sim.sensors["wall.force"])
    assert np.array_equal(sim["wall"].torque, sim.sensors["wall.torque"])


@methods
def test_a_motor_reads_its_torque(method):
    """V-113: a brake that holds the beam level; gravity turns it about +y, the motor about -y."""
    sim = gk.Simulation(beam(HINGE, gk.VelocityMotor(name="brake", on="hinge", speed=0.0)), method)
    sim.advance(5 * H)
    assert sim.sensors["brake.force"] == pytest.approx(-0.3 * 2 * G, abs=1e-5)
    assert sim["brake"].force == sim.sensors["brake.force"]
    np.testing.assert_allclose(sim["hinge"].force, (0, 0, 2 * G), atol=1e-5)
    np.testing.assert_allclose(sim["hinge"].torque, 0, atol=1e-5)  # the motor is not part of the bearing


def test_before_the_first_step_no_force_is_known():
    sim = gk.Simulation(arm())
    assert np.array_equal(sim.sensors["elbow.force"], np.zeros(3))
    assert sim.sensors["drive.force"] == 0.0


def test_coordinates_are_those_of_now():
    sim = gk.Simulation(beam(HINGE, moving={"angular_velocity": (0, 2.0, 0), "velocity": (0, 0, -0.6)}.items()))
    assert sim["hinge"].angle == 0.0
    assert sim["hinge"].rate == sim.sensors["hinge.rate"] == pytest.approx(2.0, abs=1e-15)
    a = math.radians(30)
    sim.state.q_WB[1] = (math.cos(a / 2), 0, math.sin(a / 2), 0)  # moved by hand between two steps
    assert sim["hinge"].angle == pytest.approx(a, abs=1e-15)
    assert sim.sensors["hinge.angle"] == sim["hinge"].angle


def test_a_joint_of_several_coordinates_says_which():
    sim = gk.Simulation(arm())
    elbow = sim["elbow"]
    names = {"angle_x", "angle_x_rate", "angle_y", "angle_y_rate", "force", "torque"}
    assert {n.partition(".")[2] for n in sim.sensors if n.startswith("elbow.")} == names
    assert names <= set(dir(elbow))
    # Turned by (2, 3, 1) - (0.1, 0.3, 0.7) about axes that are x of one and y of the other side, at right angles.
    w = np.array([1.9, 2.7, 0.3])
    assert elbow.angle_x_rate == pytest.approx(w[0], abs=1e-14)
    assert elbow.angle_y_rate == pytest.approx(w[1], abs=1e-14)
    with pytest.raises(AttributeError, match=r"joint 'elbow' has no 'angle'; it gives angle_x, angle_x_rate"):
        _ = elbow.angle


def test_sensors_have_the_names_of_the_run():
    sim = gk.Simulation(arm())
    run = sim.run(2e-3, progress=False)
    assert list(sim.sensors) == [n for n in run.names if "." in n and not n.startswith("energy")]
    assert len(sim.sensors) == len(list(sim.sensors))
    for name, now in sim.sensors.items():
        # Body series of a run are turned by another sum: round-off of one product
        np.testing.assert_allclose(run[name][-1], now, atol=1e-14, err_msg=name)


@pytest.mark.parametrize(
    ("name", "near"),
    [("elbow.angel_x", "elbow.angle_x"), ("drive.forc", "drive.force"), ("uper.velocity", "upper.velocity")],
)
def test_a_wrong_sensor_is_answered_with_near_ones(name, near):
    with pytest.raises(gk.InputError, match=r"sensors: name is .* does not exist") as caught:
        gk.Simulation(arm()).sensors[name]
    assert repr(near) in caught.value.remedy


@pytest.mark.parametrize("name", ["elbo", "drives", "uper", "elbow.angle"])
def test_a_wrong_part_is_answered_with_near_ones(name):
    with pytest.raises(gk.InputError, match=r"model 'arm': name is .* does not exist.*Did you mean"):
        gk.Simulation(arm())[name]


@methods
def test_a_broken_joint_says_so_and_lets_go(method):
    model = beam(gk.Rigid(name="wall", a="world", b="beam", at=(0, 0, 0), break_force=15.0))  # the beam weighs 19.6 N
    sim = gk.Simulation(model, method)
    assert sim["wall"].broken is False
    run = sim.run(5 * H, progress=False)
    assert sim["wall"].broken is sim.sensors["wall.broken"] is True
    assert list(run["wall"].broken) == [0, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(run["wall"].force[:, 2], [0, 2 * G, 0, 0, 0, 0], atol=1e-5)
    # One step held, then four of free fall.
    assert sim["beam"].velocity[2] == pytest.approx(-4 * H * G, abs=1e-8)


# --- inputs ----------------------------------------------------------------------------------------------------------


@methods
def test_an_input_acts_from_the_next_step_on(method):
    sim = gk.Simulation(beam(HINGE, gk.VelocityMotor(name="drive", on="hinge", speed=0.0, force_max=1e4)), method)
    assert dict(sim.inputs) == {"drive.speed": 0.0, "drive.strength": 1.0}
    sim.inputs["drive.speed"] = 0.5
    sim.advance(H)
    assert sim["hinge"].rate == pytest.approx(0.5, abs=1e-8)
    sim["drive"].inputs["speed"] = -1
    assert sim.inputs["drive.speed"] == -1.0
    sim.advance(H)
    assert sim["hinge"].rate == pytest.approx(-1.0, abs=1e-8)
    sim.inputs.update({"drive.strength": 0.0})
    sim.advance(H)
    assert sim["drive"].force == 0.0
    assert dict(sim["drive"].inputs) == {"speed": -1.0, "strength": 0.0}


def test_a_servo_goes_to_its_target():
    sim = gk.Simulation(beam(HINGE, gk.Servo(name="servo", on="hinge", kp=20.0)), gk.RowStepping(h=H))
    sim.inputs["servo.target"] = 0.2
    sim.advance(100 * H)
    # e' = -kp e with the speed of the end of each step held over it: the error fades by 1 / (1 + kp h) a step.
    left = 0.2 * (1 + 20 * H) ** -100
    assert sim["hinge"].angle == pytest.approx(0.2 - left, abs=1e-8)


def test_an_input_belongs_to_the_state_and_not_to_the_model():
    model = arm()
    sim = gk.Simulation(model)
    sim.inputs["drive.speed"] = 3.0
    assert gk.Simulation(model).inputs["drive.speed"] == 1.0
    assert gk.Simulation(model, state=sim.state).inputs["drive.speed"] == 3.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True, [1.0], 1j])
def test_an_input_is_a_finite_number(value):
    sim = gk.Simulation(arm())
    with pytest.raises(gk.InputError, match=r"inputs: drive.speed is .* a finite number"):
        sim.inputs["drive.speed"] = value
    assert sim.inputs["drive.speed"] == 1.0


def test_inputs_that_do_not_exist_are_refused():
    sim = gk.Simulation(arm())
    with pytest.raises(gk.InputError, match=r"does not exist.*Did you mean 'drive.speed'"):
        sim.inputs["drive.sped"] = 1.0
    with pytest.raises(gk.InputError, match=r"inputs of 'drive'.*Did you mean 'speed'"):
        sim["drive"].inputs["sped"] = 1.0
    with pytest.raises(gk.InputError, match="does not exist"):
        _ = sim.inputs[3]
    with pytest.raises(gk.InputError, match="to be removed"):
        del sim.inputs["drive.speed"]
    assert len(sim.inputs) == 2


def test_what_is_now_can_be_printed():
    sim = gk.Simulation(arm(break_force=1e9))
    assert "angle_x 0 rad" in repr(sim["elbow"])
    assert "force 0 N m" in repr(sim["drive"])
    assert "'speed': 1.0" in repr(sim["drive"])
    assert "drive.strength" in repr(sim.inputs)
    assert "elbow.angle_x" in repr(sim.sensors)


# --- restarts --------------------------------------------------------------------------------------------------------


@methods
def test_batches_do_not_show(method, monkeypatch):
    """How many steps are taken a call depends on the clock; the result must not. The elbow breaks on the way."""
    states = []
    for seconds, pieces in ((0.0, 1), (1e-4, 1), (100.0, 1), (100.0, 10)):
        monkeypatch.setattr(sys.modules["gelenk.run.stepping"], "BATCH_SECONDS", seconds)
        sim = gk.Simulation(arm(break_force=200.0), method)
        for _ in range(pieces):
            sim.advance(50 * H / pieces)
        states.append(sim.state.flat.copy())
        assert sim["elbow"].broken
        assert not sim["shoulder"].broken
    for other in states[1:]:
        assert np.array_equal(states[0], other)


@methods
def test_a_run_goes_on_from_its_last_state_bit_by_bit(method, tmp_path):
    whole, first = gk.Simulation(arm(), method), gk.Simulation(arm(), method)
    whole.inputs["drive.speed"] = first.inputs["drive.speed"] = -2.0
    one = whole.run(40 * H, progress=False)
    first.run(15 * H, file=tmp_path / "first.h5", progress=False).close()
    with gk.load_run(tmp_path / "first.h5") as run:
        t, state = run.last_state
        second = gk.Simulation(run.model, method, state=state, time=t)
    two = second.run(40 * H, progress=False)
    assert second.inputs["drive.speed"] == -2.0
    assert np.array_equal(whole.state.flat, second.state.flat)
    for name in ("elbow.angle_x", "elbow.angle_y_rate", "elbow.force", "drive.force", "lower.position"):
        assert np.array_equal(one[name][15:], two[name]), name


def test_row_stepping_begins_with_the_impulses_of_the_step_before():
    sim = gk.Simulation(arm(), gk.RowStepping(h=H))
    sim.advance(3 * H)
    memory = sim.model.wired.memory(sim.state.memory)
    assert np.abs(memory.impulse).max() > 0
    np.testing.assert_allclose(memory.impulse, memory.force, rtol=1e-15)


# --- the method, and what a run file says of it ----------------------------------------------------------------------


def test_a_method_is_chosen_that_can_express_the_model():
    b = gk.Builder()
    b.particle("p", mass=1.0)
    assert gk.Simulation(b.build()).method == gk.FreeMotion()
    b.add(gk.Ball(name="j", a="world", b="p"))
    assert gk.Simulation(b.build()).method == gk.MoreauTree()
    with pytest.raises(gk.InputError, match=r"FreeMotion.*1 joints and drives"):
        gk.Simulation(b.build(), gk.FreeMotion())


def test_the_run_names_method_and_solver():
    method = gk.RowStepping(h=H, solver=gk.GaussSeidel(sweeps=77))
    run = gk.Simulation(arm(), method).run(H, progress=False)
    options = json.loads(run.attributes["options"])
    assert options["solver"] == {"kind": "gauss_seidel", "sweeps": 77, "tolerance": 1e-10}
    assert options["stabilise"] == "baumgarte"
    assert "RowStepping" in run.attributes["method"]
    run = gk.Simulation(arm(), gk.Impulse(h=H)).run(H, progress=False)
    assert json.loads(run.attributes["options"])["solver"]["kind"] == "tree"


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_state_that_is_not_finite_names_a_body():
    b = gk.Builder(name="torn")
    b.body("upper", mass=1.0, inertia=(1, 1, 1), at=(0, 0, -0.5))
    b.add(gk.Ball(name="hook", a="world", b="upper", at=(0, 0, 0)))

    def pull(t, state, loads):
        loads.force_W[1, 2] += math.nan if t > 2.5 * H else 0.0

    b.add(gk.Law("pull", pull))
    sim = gk.Simulation(b.build(), gk.Impulse(h=H))
    with np.errstate(all="ignore"), pytest.raises(gk.SimulationError, match=r"of body 'upper' is not finite") as caught:
        sim.run(10 * H, progress=False)
    # Forces are taken at both ends of a step: the one from 2 h to 3 h fails.
    assert caught.value.run.time[-1] == sim.time == 2 * H
    assert np.isfinite(sim.state.flat).all()


def test_a_force_that_is_not_finite_names_its_joint():
    from gelenk.run.good_state import first_bad

    model = arm()
    state = model.initial_state()
    model.wired.memory(state.memory).force[-1] = math.inf
    assert first_bad(model, state) == "force of velocity_motor 'drive'"
    with pytest.raises(gk.InputError, match=r"force of velocity_motor 'drive' is not finite"):
        gk.Simulation(model, state=state)


def test_a_state_of_another_model_is_refused():
    with pytest.raises(gk.InputError, match="does not fit"):
        gk.Simulation(arm(), state=arm(limits={"angle_x": (-1, 1)}).initial_state())
