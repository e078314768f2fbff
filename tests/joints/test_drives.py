"""Limits, motors, springs, gears, locks and hands: each against the closed form of what it says it does."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import gelenk as gk
from gelenk.math.quat import Quat, quat_exp, quat_log
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3
from joints.joint_samples import turned

H = 1e-2
MASS, SPIN = 2.0, 0.3  # of the body on the joint: mass [kg], moment about z [kg m^2]
METHODS = {"row_stepping": gk.RowStepping(h=H), "impulse": gk.Impulse(h=H)}
both = pytest.mark.parametrize("method", METHODS)
EPS = np.finfo(float).eps
# Where a place is met: by RowStepping to round-off, by Impulse to its tolerance.
MET = {"row_stepping": 1e-12, "impulse": 2e-9}


def scene(*elements, gravity=(0, 0, 0), **motion):
    """A body at the origin, whose centre of mass lies on every axis through it, and what holds it to the world."""
    b = gk.Builder(gravity=gravity)
    b.body("body", mass=MASS, inertia=(0.2, 0.25, SPIN), **motion)
    for element in elements:
        b.add(element)
    return b.build()


def cart(**more):
    """A body that slides along z."""
    return gk.Slider(name="joint", a="world", b="body", at=(0, 0, 0), axis=(0, 0, 1), **more)


def wheel(**more):
    """A body that turns about z."""
    return gk.Hinge(name="joint", a="world", b="body", at=(0, 0, 0), axis=(0, 0, 1), **more)


def ball(**more):
    return gk.Ball(name="joint", a="world", b="body", at=(0, 0, 0), **more)


def simulation(method, *elements, **more):
    return gk.Simulation(scene(*elements, **more), METHODS.get(method, method))


def steps(sim, count):
    """Take steps, and say after each of them."""
    for n in range(1, count + 1):
        sim.advance(sim.method.h)
        yield n


def run(sim, count):
    for _ in steps(sim, count):
        pass
    return sim


def track(sim, sensor, count):
    """A sensor after each of some steps."""
    return np.array([sim.sensors[sensor] for _ in steps(sim, count)])


# --- limits ----------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("speed", [1.0, -1.0, 7.3])
def test_a_stop_is_reached_and_not_passed(method, speed):
    """Both ways, also at a speed that would cross it by far within a step; then the cart stands there (V-71, I-026)."""
    sim = simulation(method, cart(limits=(-0.2, 0.3)), velocity=(0, 0, speed))
    z = track(sim, "joint.position", 40)
    stop = 0.3 if speed > 0 else -0.2
    assert z.max() <= 0.3 + MET[method]
    assert z.min() >= -0.2 - MET[method]
    assert z[-1] == pytest.approx(stop, abs=MET[method])
    assert sim.sensors["joint.rate"] == pytest.approx(0.0, abs=1e-9)


@both
@pytest.mark.parametrize("pull", [9.81, -9.81])
def test_a_stop_carries_the_load_that_leans_on_it_and_lets_go_of_one_that_leaves(method, pull):
    """The force is that of the load, in the direction away from the stop; pushed off, the cart leaves as if free."""
    push = gk.ForceMotor(name="push", on="joint", force=0.0)
    sim = simulation(method, cart(limits=(-0.1, 0.1)), push, gravity=(0, 0, pull))
    run(sim, 60)
    at = math.copysign(0.1, pull)
    assert sim.sensors["joint.position"] == pytest.approx(at, abs=MET[method])
    np.testing.assert_allclose(sim.sensors["joint.force"], (0, 0, -MASS * pull), atol=1e-6)
    sim.inputs["push.force"] = -3 * MASS * pull
    run(sim, 1)
    np.testing.assert_allclose(sim.sensors["joint.force"][2] * pull, 0.0, atol=MASS * abs(pull) * abs(pull) * 0.51)
    rates = track(sim, "joint.rate", 5)
    np.testing.assert_allclose(np.diff(rates), -2 * pull * H, atol=1e-9)
    assert sim.sensors["joint.force"][2] == 0.0


@both
def test_a_force_motor_does_not_push_through_a_stop(method):
    sim = simulation(method, cart(limits=(-1.0, 0.05)), gk.ForceMotor(name="push", on="joint", force=50.0))
    z = track(sim, "joint.position", 30)
    assert z.max() <= 0.05 + MET[method]
    assert z[-1] == pytest.approx(0.05, abs=MET[method])
    assert sim.sensors["joint.force"][2] == pytest.approx(-50.0, rel=1e-6)


@both
def test_a_motor_does_not_drive_through_a_stop(method):
    """Also where it starts a millimetre before the stop, from rest, with a speed of ten times that in a step."""
    drive = gk.VelocityMotor(name="drive", on="joint", speed=1.0, force_max=1000.0)
    sim = simulation(method, cart(limits=(-1.0, 1e-3)), drive)
    z = track(sim, "joint.position", 10)
    assert z.max() <= 1e-3 + MET[method]
    assert z[-1] == pytest.approx(1e-3, abs=MET[method])
    for _ in steps(sim, 6):  # it leans on the stop with all its force, in every step
        assert sim.sensors["drive.force"] == pytest.approx(1000.0, rel=1e-6)
        assert sim.sensors["joint.force"][2] == pytest.approx(-1000.0, rel=1e-6)
        assert abs(sim.sensors["joint.rate"]) < 1e-9


@both
@pytest.mark.parametrize(("speed", "stop"), [(100.0, 0.5), (-100.0, 0.5), (100.0, 0.99), (30.0, 0.15), (500.0, 0.11)])
def test_a_fast_motor_does_not_drive_through_a_far_stop(method, speed, stop):
    """From rest through a stop within one step, farther off than stops that take part at once.

    The wheel reaches its stop in that step: by RowStepping  c + h c'  is the stop itself, to round-off, also where the
    sweeps of the solver end before motor and stop have settled how hard they lean on each other.
    """
    drive = gk.VelocityMotor(name="drive", on="joint", speed=speed, force_max=5e4)
    sim = simulation(method, wheel(limits=(-stop, stop)), drive)
    angle = track(sim, "joint.angle", 6)
    assert abs(angle).max() <= stop + MET[method]
    np.testing.assert_allclose(angle, math.copysign(stop, speed), atol=MET[method])


def test_a_gear_does_not_drive_through_a_far_stop():
    """The motor turns the first wheel, the stop holds the second, which turns ten times as fast."""
    drive = gk.VelocityMotor(name="drive", on="first", speed=10.0, force_max=1e6)
    gear = gk.Gear(name="gear", first="first", second="second", ratio=0.1)
    model = two_wheels(gear, drive, limits=(-0.5, 0.5))
    sim = gk.Simulation(model, gk.RowStepping(h=H, solver=gk.Dantzig()))
    angle = track(sim, "second.angle", 6)
    assert abs(sim.sensors["first.angle"]) == pytest.approx(0.05, abs=1e-9)
    np.testing.assert_allclose(abs(angle), 0.5, atol=1e-9)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("beyond", [1e-6, 1e-2, 0.3])
def test_what_stands_beyond_a_stop_comes_back_to_it_and_stays(side, beyond):
    """Impulse brings it to the stop in one step, with the speed beyond / h; none of that is left after the step."""
    sim = simulation("impulse", cart(limits=(-0.2, 0.2)))
    sim.state.p_WC[sim.model.nodes.names.index("body"), 2] = side * (0.2 + beyond)
    for _ in steps(sim, 3):
        assert sim["joint"].position == pytest.approx(side * 0.2, abs=MET["impulse"])
        assert sim["joint"].rate == pytest.approx(0.0, abs=1e-9)


@both
def test_limits_of_an_angle_count_turns(method):
    """A stop at 9 rad is met after a turn and a half, not at 9 - 2 pi (T-14)."""
    sim = simulation(method, wheel(limits=(-20.0, 9.0)), angular_velocity=(0, 0, 15.0))
    angle = track(sim, "joint.angle", 80)
    assert angle.max() <= 9.0 + MET[method]
    assert angle[-1] == pytest.approx(9.0, abs=MET[method])


@both
@pytest.mark.parametrize("turns", [0.4, 0.6, -0.9, 1.5, 3.0, -3.3])
def test_turns_are_counted_at_any_number_of_them_a_step(method, turns):
    """Free, driven from rest, and beside a second body that turns as fast; stops are met after many turns (T-14)."""
    w = 2 * math.pi * turns / H
    sim = simulation(method, wheel(), angular_velocity=(0, 0, w))
    assert track(sim, "joint.angle", 8)[-1] == pytest.approx(8 * H * w, rel=1e-9)
    sim = simulation(method, wheel(), gk.VelocityMotor(name="drive", on="joint", speed=w))
    assert track(sim, "joint.angle", 8)[-1] == pytest.approx(8 * H * w, rel=1e-9)
    sim = simulation(method, wheel(limits=(-45.0, 45.0)), angular_velocity=(0, 0, w))
    angle = track(sim, "joint.angle", 40)
    assert abs(angle).max() <= 45.0 + 100 * MET[method]
    assert angle[-1] == pytest.approx(math.copysign(45.0, w), abs=100 * MET[method])


@both
def test_turns_between_two_free_bodies_are_counted(method):
    """A rotor in a carrier that tumbles, two and a half turns a step; its axis is a main axis of both."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("carrier", mass=3.0, inertia=(0.5, 0.5, 0.5), angular_velocity=(0.3, -0.2, 0.4))
    w = 2 * math.pi * 2.5 / H
    b.body("rotor", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), angular_velocity=(0.3, -0.2, 0.4 + w))
    b.add(gk.Hinge(name="joint", a="carrier", b="rotor", at=(0, 0, 0), axis=(0, 0, 1)))
    sim = gk.Simulation(b.build(), METHODS[method])
    angle = track(sim, "joint.angle", 10)
    np.testing.assert_allclose(angle, w * H * np.arange(1, 11), rtol=1e-3)


@both
def test_a_coordinate_without_room_does_not_move(method):
    """Limits that are equal hold both ways, with the force of the load."""
    for pull in (9.81, -9.81):
        sim = simulation(method, cart(limits=(0.0, 0.0)), gravity=(0, 0, pull))
        z = track(sim, "joint.position", 5)
        np.testing.assert_allclose(z, 0.0, atol=MET[method])
        assert sim.sensors["joint.force"][2] == pytest.approx(-MASS * pull, rel=1e-6)


@both
def test_room_smaller_than_a_step_is_kept_on_both_sides(method):
    """From one stop to the other within a step."""
    sim = simulation(method, cart(limits=(0.0, 0.02)), velocity=(0, 0, 5.0))
    z = track(sim, "joint.position", 5)
    assert z.max() <= 0.02 + MET[method]
    assert z.min() >= -MET[method]


def test_an_error_beyond_a_stop_contracts_by_the_gain():
    """A stop that is passed by e is left by (1 - k) e after a step; it does not stop a motion away from it."""
    for gain, speed in ((0.3, 0.0), (0.8, 0.0), (0.3, -20.0)):
        model = scene(cart(limits=(-1.0, 0.0), gain=gain), velocity=(0, 0, speed))
        state = model.initial_state()
        state.p_WC[1, 2] = 0.05
        sim = run(gk.Simulation(model, METHODS["row_stepping"], state=state), 1)
        if speed == 0.0:
            assert sim.sensors["joint.position"] == pytest.approx((1 - gain) * 0.05, abs=20 * EPS)
        else:
            assert sim.sensors["joint.rate"] == speed


@both
def test_a_cone_limit_stops_the_swing_and_leaves_the_rest(method):
    """The z axis tilts up to the cone; the spin about it goes on."""
    cone = 0.5
    sim = simulation(method, ball(limits={"swing": (0.0, cone)}), angular_velocity=(1.2, 0.9, 0.0))
    swing = track(sim, "joint.swing", 80)
    # the direction of the swing is that of the start of a step: a bend of second order within it
    assert swing.max() <= cone + (1.5 * H) ** 2
    assert swing[-1] == pytest.approx(cone, abs=1e-3)
    spinning = simulation(method, ball(limits={"swing": (0.0, cone)}), angular_velocity=(0.0, 0.0, 3.0))
    run(spinning, 20)
    np.testing.assert_allclose(spinning["body"].angular_velocity, (0, 0, 3.0), atol=1e-12)


@both
def test_the_middle_of_a_cone_is_no_stop(method):
    """A swing cannot be less than zero, so that a lower limit of zero is none: neither at it, nor across it."""
    for start in (0.0, 0.049):
        for w in ((2.0, 0, 0), (-2.0, 0, 0), (0, 2.0, 0), (1.2, -1.6, 0)):
            ends = []
            for limits in ({}, {"swing": (0.0, 1.0)}):
                model = scene(ball(limits=limits), angular_velocity=w)
                state = model.initial_state()
                state.q_WB[1] = turned(start)
                ends.append(run(gk.Simulation(model, METHODS[method], state=state), 8)["body"].angular_velocity)
            np.testing.assert_allclose(*ends, atol=1e-12)


@both
def test_a_twist_limit_stops_the_twist_and_leaves_the_swing(method):
    sim = simulation(method, ball(limits={"twist": (-0.4, 0.2)}), angular_velocity=(0, 0, 2.0))
    twist = track(sim, "joint.twist", 30)
    assert twist.max() <= 0.2 + MET[method]
    assert twist[-1] == pytest.approx(0.2, abs=MET[method])
    sim = simulation(method, ball(limits={"twist": (-0.4, 0.2)}), angular_velocity=(1.0, 0, 0))
    run(sim, 10)
    np.testing.assert_allclose(sim["body"].angular_velocity, (1.0, 0, 0), atol=1e-9)


def rope_model(at, velocity):
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("stone", mass=1.5, at=at, velocity=velocity)
    b.add(gk.Distance(name="joint", a="world", b="stone", limits=(0.0, 1.0)))
    return b.build()


@both
def test_a_rope_holds_at_its_length_and_is_slack_within(method):
    sim = gk.Simulation(rope_model((0.2, 0.1, 0.0), (2.0, 1.0, 0.0)), METHODS[method])
    length = track(sim, "joint.length", 60)
    assert length.max() <= 1.0 + MET[method]
    assert length[-1] == pytest.approx(1.0, abs=MET[method])
    assert np.linalg.norm(sim["stone"].velocity) < 1e-9


@both
@pytest.mark.parametrize("at", [(0, 0, 0), (0.035, 0, 0), (0.035, 1e-3, 0)])
def test_a_slack_rope_does_not_feel_its_other_end(method, at):
    """At the same place, straight through it, or close by: a length cannot be less than zero."""
    for velocity in ((-1.0, 0, 0), (0, 0, -1.0), (0.3, -0.4, 0.0)):
        sim = gk.Simulation(rope_model(at, velocity), METHODS[method])
        run(sim, 8)
        np.testing.assert_allclose(sim["stone"].velocity, velocity, atol=1e-12)


# --- velocity motors -------------------------------------------------------------------------------------------------


@both
def test_a_motor_reaches_its_speed_with_the_torque_that_takes(method):
    """I dw / h in the first step, then the torque of the load alone, here that of a force motor (V-72, V-113)."""
    drive = gk.VelocityMotor(name="drive", on="joint", speed=3.0)
    load = gk.ForceMotor(name="load", on="joint", force=-0.7)
    sim = simulation(method, wheel(), drive, load)
    run(sim, 1)
    assert sim.sensors["joint.rate"] == pytest.approx(3.0, abs=1e-12)
    assert sim.sensors["drive.force"] == pytest.approx(SPIN * 3.0 / H + 0.7, rel=1e-12)
    run(sim, 5)
    assert sim.sensors["joint.rate"] == pytest.approx(3.0, abs=1e-9)
    assert sim.sensors["drive.force"] == pytest.approx(0.7, abs=1e-6)
    sim.inputs["drive.speed"] = -1.0
    run(sim, 1)
    assert sim.sensors["joint.rate"] == pytest.approx(-1.0, abs=1e-12)


@both
def test_a_motor_at_its_speed_moves_at_its_speed(method):
    """What a body goes in a step lies between what its speeds before and after would make, also while it starts."""
    sim = simulation(method, cart(), gk.VelocityMotor(name="drive", on="joint", speed=0.5))
    z = np.concatenate(([0.0], track(sim, "joint.position", 8)))
    assert (np.diff(z) <= 0.5 * H * (1 + 1e-9)).all()
    assert (np.diff(z) >= -1e-12).all()
    np.testing.assert_allclose(np.diff(z)[2:], 0.5 * H, rtol=1e-9)


@both
def test_a_motor_at_its_bound_gives_its_greatest_force(method):
    """Speed grows by f h / m until the step in which the target is met exactly."""
    drive = gk.VelocityMotor(name="drive", on="joint", speed=0.105, force_max=4.0)
    sim = simulation(method, cart(), drive)
    gain = 4.0 * H / MASS
    rates = [sim.sensors["joint.rate"]]
    for _ in steps(sim, 8):
        rates.append(sim.sensors["joint.rate"])
        if rates[-1] < 0.105 - 1e-12:
            assert sim.sensors["drive.force"] == pytest.approx(4.0, rel=1e-12)
    assert max(np.diff(rates)) == pytest.approx(gain, rel=1e-9)
    np.testing.assert_allclose(rates[-2:], 0.105, atol=1e-12)
    assert abs(sim.sensors["drive.force"]) < 1e-9


@both
@pytest.mark.parametrize(("braking", "force"), [(0.0, 0.0), (0.01, -0.04), (1.0, -4.0)])
def test_a_motor_brakes_with_its_share_alone(method, braking, force):
    """Too fast, an engine drags with 1 % of its force, a one-sided drive not at all (3.68)."""
    drive = gk.VelocityMotor(name="drive", on="joint", speed=1.0, force_max=4.0, braking=braking)
    sim = simulation(method, cart(), drive, velocity=(0, 0, 2.0))
    run(sim, 5)
    assert sim.sensors["drive.force"] == pytest.approx(force, abs=1e-12)
    # Impulse gives half of a force at the start of a step, as it does with loads: half a step later at first
    late = 0.5 if method == "impulse" else 0.0
    expected = 2.0 + 5 * force * H / MASS
    assert sim.sensors["joint.rate"] == pytest.approx(expected, abs=late * abs(force) * H / MASS + 1e-12)


@both
def test_strength_scales_the_bound_and_switches_a_motor_off(method):
    for force_max in (4.0, math.inf):
        drive = gk.VelocityMotor(name="drive", on="joint", speed=9.0, force_max=force_max)
        sim = simulation(method, cart(), drive)
        sim.inputs["drive.strength"] = 0.0
        run(sim, 2)
        assert sim.sensors["drive.force"] == 0.0
        assert sim.sensors["joint.rate"] == 0.0
    sim = simulation(method, cart(), gk.VelocityMotor(name="drive", on="joint", speed=9.0, force_max=4.0))
    sim.inputs["drive.strength"] = 0.25
    run(sim, 2)
    assert sim.sensors["drive.force"] == pytest.approx(1.0, rel=1e-12)


@both
def test_a_brake_stops_and_holds(method):
    """A motor of speed 0: the friction of a brake, up to its bound, and never more than it takes."""
    stopped = simulation(method, cart(), gk.VelocityMotor(name="brake", on="joint", speed=0.0), velocity=(0, 0, 0.3))
    z = track(stopped, "joint.position", 6)
    assert (np.diff(z) >= -1e-12).all()  # it does not throw back
    brake = gk.VelocityMotor(name="brake", on="joint", speed=0.0, force_max=30.0)
    sim = simulation(method, cart(), brake, gravity=(0, 0, -9.81), velocity=(0, 0, 0.3))
    run(sim, 30)
    z = track(sim, "joint.position", 10)
    np.testing.assert_allclose(z, z[0], atol=1e-9)
    assert sim.sensors["brake.force"] == pytest.approx(MASS * 9.81, rel=1e-6)
    weak = simulation(
        method, cart(), gk.VelocityMotor(name="brake", on="joint", speed=0.0, force_max=5.0), gravity=(0, 0, -9.81)
    )
    run(weak, 10)
    assert weak.sensors["brake.force"] == pytest.approx(5.0, rel=1e-12)
    rates = track(weak, "joint.rate", 5)
    np.testing.assert_allclose(np.diff(rates), H * (5.0 / MASS - 9.81), atol=1e-12)


# --- servos ----------------------------------------------------------------------------------------------------------


def test_a_servo_fades_its_error_step_by_step():
    """e' = e / (1 + kp h)  exactly: the velocity of each step is kp times the error at its end."""
    sim = simulation("row_stepping", wheel(), gk.Servo(name="servo", on="joint", target=0.8, kp=6.0))
    angle = track(sim, "joint.angle", 40)
    np.testing.assert_allclose(0.8 - angle, 0.8 / (1 + 6.0 * H) ** np.arange(1, 41), atol=1e-12)


@pytest.mark.parametrize("kind", ["row_stepping", "impulse"])
def test_a_servo_approaches_exponentially(kind):
    """exp(-kp t), of first order in h: the error halves with the step."""
    missed = []
    for h in (0.01, 0.005):
        method = gk.RowStepping(h=h) if kind == "row_stepping" else gk.Impulse(h=h)
        sim = gk.Simulation(scene(wheel(), gk.Servo(name="servo", on="joint", target=0.8, kp=5.0)), method)
        sim.advance(0.2)
        missed.append(abs(0.8 - sim.sensors["joint.angle"] - 0.8 * math.exp(-5.0 * 0.2)))
    assert missed[0] < 0.8 * 5.0 * 0.01
    assert 1.7 < missed[0] / missed[1] < 2.4


def test_the_integral_of_a_servo_adds_up_and_its_damping_subtracts():
    """The law at the end of each step, by hand:  v = kp e' + ki s' - kd v,  e' = e - h v,  s' = s + h e'."""
    kp, ki, kd = 4.0, 3.0, 0.2
    sim = simulation("row_stepping", cart(), gk.Servo(name="servo", on="joint", target=0.5, kp=kp, ki=ki, kd=kd))
    e, s = 0.5, 0.0
    for _ in steps(sim, 30):
        _, e, s = np.linalg.solve([[1 + kd, -kp, -ki], [H, 1, 0], [0, -H, 1]], [0, e, s])
        assert 0.5 - sim.sensors["joint.position"] == pytest.approx(e, abs=1e-12)


@both
def test_a_servo_follows_the_law_of_its_controller(method):
    """e' = -v, s' = e, (1 + kd) v = kp e + ki s,  by the matrix exponential; of first order: the error halves with h.

    Also with kd above 1, where an explicit step would diverge at any h.
    """
    for kp, ki, kd in ((5.0, 0.0, 0.0), (5.0, 8.0, 0.0), (5.0, 8.0, 0.7), (5.0, 8.0, 3.0)):
        law = np.array([[-kp, -ki], [1 + kd, 0]]) / (1 + kd)
        exact = (expm(law * 0.2) @ (0.8, 0.0))[0]
        missed = []
        for h in (0.01, 0.005):
            servo = gk.Servo(name="servo", on="joint", target=0.8, kp=kp, ki=ki, kd=kd)
            sim = gk.Simulation(scene(wheel(), servo), type(METHODS[method])(h=h))
            sim.advance(0.2)
            missed.append(0.8 - sim.sensors["joint.angle"] - exact)
        assert missed[0] / missed[1] == pytest.approx(2.0, abs=0.3)  # next order: h kp and its like, up to 0.1


@both
@pytest.mark.parametrize("stride", [0.1, 1.0, 2.0, 10.0, 100.0])
def test_no_gain_of_a_servo_is_too_high_for_its_step(method, stride):
    """Kp h from 0.1 to 100, alone and with an integral or much damping: it comes to its target and stays (V-74).

    Without integral the way left shrinks by  1 - kp h / (1 + kd + kp h)  in every step and never changes its sign.
    With ki = kp^2 / 4 both eigenvalues are 1 / x,  x = 1 + kp h / 2,  and  x^-n (1 - n (x - 1) / x)  is left.
    """
    kp = stride / H
    for ki, kd in ((0.0, 0.0), (0.0, 5.0), (kp * kp / 4, 0.0)):
        sim = simulation(method, cart(), gk.Servo(name="servo", on="joint", target=0.5, kp=kp, ki=ki, kd=kd))
        left = 0.5 - track(sim, "joint.position", 60)
        n, x = np.arange(1, 61), 1 + stride / 2
        shrinks = (1 - stride / (1 + kd + stride)) ** n if ki == 0.0 else x**-n * (1 - n * (x - 1) / x)
        np.testing.assert_allclose(left, 0.5 * shrinks, atol=60 * MET[method])


@both
def test_the_integral_rests_at_the_bound(method):
    """Held by its bound for long, a servo with an integral comes back without having wound up.

    While it is held far off, the integral would grow by e t = 0.5; what is left of it drives past the target.
    """
    servo = gk.Servo(name="servo", on="joint", target=0.5, kp=5.0, ki=2.0, force_max=1.0)
    load = gk.ForceMotor(name="load", on="joint", force=-2.0)
    sim = simulation(method, cart(limits=(0.0, 5.0)), servo, load)
    run(sim, 100)
    assert sim.sensors["servo.force"] == pytest.approx(1.0, rel=1e-9)
    (row,) = (felt.row for felt in sim.model.wired.forces if felt.name == "servo")
    integral = sim.model.wired.memory(sim.state.memory).integral
    assert abs(integral[row]) < 0.02


@both
def test_a_bounded_servo_gives_no_more_than_its_force(method):
    sim = simulation(method, cart(), gk.Servo(name="servo", on="joint", target=5.0, kp=50.0, force_max=3.0))
    run(sim, 10)
    assert sim.sensors["servo.force"] == pytest.approx(3.0, rel=1e-12)


# --- force motors and springs ----------------------------------------------------------------------------------------


@both
def test_a_force_motor_accelerates_with_force_over_mass(method):
    for joint, mass, name in ((cart(), MASS, "position"), (wheel(), SPIN, "angle")):
        sim = simulation(method, joint, gk.ForceMotor(name="push", on=f"joint.{name}", force=0.9))
        rates = track(sim, "joint.rate", 10)
        np.testing.assert_allclose(np.diff(rates), 0.9 * H / mass, rtol=1e-12)
        assert sim.sensors["push.force"] == pytest.approx(0.9, rel=1e-12)
        sim.inputs["push.force"] = 0.0
        run(sim, 1)
        assert np.ptp(track(sim, "joint.rate", 3)) == pytest.approx(0.0, abs=1e-15)


def test_a_force_motor_pushes_both_bodies():
    """Equal and opposite: the pair flies apart about its centre of mass."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("left", mass=1.0, inertia=(1, 1, 1))
    b.body("right", mass=3.0, inertia=(1, 1, 1), at=(1, 0, 0))
    b.add(gk.Slider(name="joint", a="left", b="right", at=(0.5, 0, 0), axis=(1, 0, 0)))
    b.add(gk.ForceMotor(name="push", on="joint", force=6.0))
    sim = gk.Simulation(b.build(), METHODS["row_stepping"])
    run(sim, 10)
    t = 10 * H
    np.testing.assert_allclose(sim["left"].velocity, (-6.0 * t, 0, 0), atol=1e-13)
    np.testing.assert_allclose(sim["right"].velocity, (2.0 * t, 0, 0), atol=1e-13)


@pytest.mark.parametrize(("stiffness", "damping"), [(300.0, 0.0), (300.0, 7.0), (0.0, 7.0), (1e9, 0.0), (1e9, 1e6)])
def test_a_joint_spring_is_the_implicit_step_of_one_mass(stiffness, damping):
    """v' = (m v - h k (x - rest)) / (m + h d + h^2 k)   to round-off (virtual-worlds 3.94)."""
    rest = 0.05
    spring = gk.JointSpring(name="spring", on="joint", stiffness=stiffness, damping=damping, rest=rest)
    sim = simulation("row_stepping", cart(), spring, velocity=(0, 0, 0.4))
    x, v = 0.0, 0.4
    for _ in steps(sim, 20):
        v = (MASS * v - H * stiffness * (x - rest)) / (MASS + H * damping + H * H * stiffness)
        force = -stiffness * (x + H * v - rest) - damping * v
        x += H * v
        assert sim.sensors["joint.rate"] == pytest.approx(v, abs=1e-12)
        assert sim.sensors["joint.position"] == pytest.approx(x, abs=1e-12)
        assert sim.sensors["spring.force"] == pytest.approx(force, abs=1e-9 * (1 + abs(force)) + 1e-12 * stiffness)


@both
@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e12])
def test_no_spring_is_too_stiff(method, stiffness):
    """Never faster than at the start, nor farther than v / omega; far too stiff a spring holds still at once."""
    spring = gk.JointSpring(name="spring", on="joint", stiffness=stiffness)
    sim = simulation(method, cart(), spring, velocity=(0, 0, 1.0))
    for _ in steps(sim, 50):
        assert abs(sim.sensors["joint.position"]) < 1.02 * math.sqrt(MASS / stiffness)  # 1 + (h omega)^2/24 for 1e3
        assert abs(sim.sensors["joint.rate"]) <= 1 + 1e-9
    if stiffness > 1e6:  # h omega = 8e3
        assert abs(sim.sensors["joint.rate"]) < 1e-6


@pytest.mark.parametrize(("stiffness", "damping"), [(300.0, 0.0), (300.0, 7.0), (300.0, 30.0), (0.0, 7.0)])
def test_springs_of_impulse_are_of_order_two(stiffness, damping):
    """Against exp(A t) of one mass; the error falls by four with half the step, and no energy drifts away."""
    A = np.array([[0.0, 1.0], [-stiffness / MASS, -damping / MASS]])
    exact = expm(0.4 * A) @ (0.0, 0.4)
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        spring = gk.JointSpring(name="spring", on="joint", stiffness=stiffness, damping=damping)
        sim = simulation(gk.Impulse(h=h), cart(), spring, velocity=(0, 0, 0.4))
        sim.advance(0.4)
        errors.append(math.dist((sim.sensors["joint.position"], sim.sensors["joint.rate"]), exact))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.12)  # nearer by half


@both
@pytest.mark.parametrize("little", [5e-324, 1e-320, 1e-200, 1e-155, 1e-140, 1e-99])
def test_a_spring_of_next_to_nothing_does_nothing(method, little):
    """Down to the smallest number: the cart flies on, to round-off."""
    for law in ({"stiffness": little}, {"damping": little}, {"stiffness": little, "damping": little}):
        sim = simulation(
            method, cart(), gk.JointSpring(name="spring", on="joint", rest=1.0, **law), velocity=(0, 0, 0.5)
        )
        run(sim, 3)
        assert sim.sensors["joint.position"] == pytest.approx(3 * H * 0.5, rel=1e-12)
        assert sim.sensors["spring.force"] == pytest.approx(0.0, abs=1e-90)


@both
def test_a_damper_alone_lets_speed_fade(method):
    """exp(-d t / m) to the order of the method; no place is pulled to."""
    damper = gk.JointSpring(name="damper", on="joint", damping=40.0)
    sim = simulation(method, cart(), damper, velocity=(0, 0, 1.0))
    rates, fade = track(sim, "joint.rate", 10), H * 40.0 / MASS
    order = 1 if method == "row_stepping" else 2
    np.testing.assert_allclose(rates, np.exp(-fade * np.arange(1, 11)), atol=0.5 * fade**order)
    np.testing.assert_allclose(rates[1:] / rates[:-1], rates[0], rtol=1e-9)


@both
def test_a_spring_that_only_pushes_does_not_pull(method):
    """A bumper: force_min = 0 throws the cart back and lets it go."""
    bumper = gk.JointSpring(name="spring", on="joint", stiffness=500.0, rest=0.0, force_min=0.0)
    sim = simulation(method, cart(), bumper, velocity=(0, 0, -1.0))
    forces = track(sim, "spring.force", 60)
    assert forces.max() > 1.0
    assert forces.min() == 0.0
    assert sim.sensors["joint.rate"] > 0.3
    assert sim.sensors["spring.force"] == 0.0


@both
def test_a_spring_carries_a_load_where_statics_say(method):
    """x = rest - m g / k, with the force m g; the rest is an input."""
    spring = gk.JointSpring(name="spring", on="joint", stiffness=400.0, damping=60.0)
    sim = simulation(method, cart(), spring, gravity=(0, 0, -9.81))
    run(sim, 300)
    assert sim.sensors["joint.position"] == pytest.approx(-MASS * 9.81 / 400.0, rel=1e-6)
    assert sim.sensors["spring.force"] == pytest.approx(MASS * 9.81, rel=1e-6)
    sim.inputs["spring.rest"] = 0.2
    run(sim, 300)
    assert sim.sensors["joint.position"] == pytest.approx(0.2 - MASS * 9.81 / 400.0, rel=1e-6)


@both
def test_a_suspension_stands_where_it_was_modelled_under_its_load(method):
    """The load of the modelled pose is carried there, and more of it by load / stiffness further on (3.12)."""
    b = gk.Builder(gravity=(0, 0, -9.81))
    b.body("chassis", mass=10.0, inertia=(1, 1, 1), at=(0, 0, 1))
    b.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add(gk.Rigid(name="ground", a="world", b="wheel", at=(0, 0, 0)))
    suspension = {"a": "chassis", "b": "wheel", "at": (0, 0, 0), "axis": (0, 1, 0), "x_axis": (0, 0, 1)}
    b.add(gk.DampedHinge(name="joint", **suspension, stiffness=2000.0, damping=300.0, load=10.0 * 9.81))
    sim = gk.Simulation(b.build(), METHODS[method])
    for _ in steps(sim, 20):  # from the first step on
        assert sim["chassis"].position[2] == pytest.approx(1.0, abs=1e-9)
        np.testing.assert_allclose(sim.sensors["ground.force"], (0, 0, 11.0 * 9.81), atol=1e-6)


# --- gears -----------------------------------------------------------------------------------------------------------

SPIN_1, SPIN_2 = 0.3, 0.8


def two_wheels(*elements, axis_2=(0, 0, 1), w=(0.0, 0.0), limits=()):
    """Two wheels in the world about their centres."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("one", mass=1.0, inertia=(0.3, 0.3, SPIN_1), angular_velocity=(0, 0, w[0]))
    b.body("two", mass=1.0, inertia=(0.8, 0.8, SPIN_2), at=(1, 0, 0), angular_velocity=np.array(axis_2) * w[1])
    b.add(gk.Hinge(name="first", a="world", b="one", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="second", a="world", b="two", at=(1, 0, 0), axis=axis_2, limits=limits))
    for element in elements:
        b.add(element)
    return b.build()


@both
@pytest.mark.parametrize("ratio", [1.0, -2.5, 0.4])
def test_a_gear_ties_rates_and_angles_and_does_no_work(method, ratio):
    """first = ratio second; driven by a torque T on the first wheel, by virtual work

    (I_1 + I_2 / ratio^2) a_1 = T        torque of the gear on the second wheel  -ratio q = I_2 a_2
    """
    gear = gk.Gear(name="gear", first="first", second="second", ratio=ratio)
    sim = gk.Simulation(two_wheels(gear, gk.ForceMotor(name="push", on="first", force=0.6)), METHODS[method])
    rates = []
    for _ in steps(sim, 20):
        rates.append((sim.sensors["first.rate"], sim.sensors["second.rate"]))
        assert rates[-1][0] == pytest.approx(ratio * rates[-1][1], abs=1e-9)
    a_1 = 0.6 / (SPIN_1 + SPIN_2 / ratio**2)
    np.testing.assert_allclose(np.diff(rates, axis=0), [[a_1 * H, a_1 / ratio * H]] * 19, rtol=1e-6)
    assert sim.sensors["first.angle"] == pytest.approx(ratio * sim.sensors["second.angle"], abs=1e-8)
    assert -ratio * sim.sensors["gear.force"] == pytest.approx(SPIN_2 * a_1 / ratio, rel=1e-6)


def test_a_bevel_gear_turns_axes_that_cross():
    gear = gk.Gear(name="gear", first="first", second="second", ratio=2.0)
    model = two_wheels(gear, gk.ForceMotor(name="push", on="first", force=0.6), axis_2=(0, 1, 0))
    sim = run(gk.Simulation(model, METHODS["row_stepping"]), 50)
    assert sim["one"].angular_velocity[2] == pytest.approx(2.0 * sim["two"].angular_velocity[1], abs=1e-9)


def test_an_offset_between_gears_fades_by_the_gain_or_stays():
    """Teeth bring angles together, a half of what is left in each step; tied rates leave them as they are."""
    for positions, left in ((True, 0.5), (False, 1.0)):
        model = two_wheels(gk.Gear(name="gear", first="first", second="second", ratio=1.0, positions=positions))
        state = model.initial_state()
        state.q_WB[1] = turned(z=0.4)
        sim = gk.Simulation(model, METHODS["row_stepping"], state=state)
        for n in steps(sim, 5):
            apart = sim.sensors["first.angle"] - sim.sensors["second.angle"]
            assert apart == pytest.approx(0.4 * left**n, abs=1e-9)


@both
def test_a_rack_and_pinion_ties_a_position_to_an_angle(method):
    """position = radius angle;  (m + I / r^2) a = F  for a force F on the rack."""
    radius = 0.2
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("rack", mass=MASS, inertia=(1, 1, 1))
    b.body("pinion", mass=1.0, inertia=(1, 1, SPIN), at=(0, 1, 0))
    b.add(gk.Slider(name="slide", a="world", b="rack", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Hinge(name="shaft", a="world", b="pinion", at=(0, 1, 0), axis=(0, 0, 1)))
    b.add(gk.Gear(name="gear", first="slide", second="shaft", ratio=radius))
    b.add(gk.ForceMotor(name="push", on="slide", force=3.0))
    sim = gk.Simulation(b.build(), METHODS[method])
    rates = track(sim, "slide.rate", 20)
    np.testing.assert_allclose(np.diff(rates), 3.0 * H / (MASS + SPIN / radius**2), rtol=1e-6)
    assert sim.sensors["slide.position"] == pytest.approx(radius * sim.sensors["shaft.angle"], abs=1e-8)


@both
def test_a_differential_shares_its_torque_and_means_its_speeds(method):
    """The same torque on both wheels, their mean speed that of the ring gear (3.11, T-5)."""
    axle = gk.Differential(name="axle", first="first", second="second", speed=2.0, force_max=0.5)
    sim = gk.Simulation(two_wheels(axle), METHODS[method])
    run(sim, 1)
    assert sim.sensors["axle.force"] == pytest.approx(0.5, rel=1e-12)
    before = sim.sensors["first.rate"], sim.sensors["second.rate"]
    run(sim, 1)
    gains = sim.sensors["first.rate"] - before[0], sim.sensors["second.rate"] - before[1]
    np.testing.assert_allclose(gains, (0.5 * H / SPIN_1, 0.5 * H / SPIN_2), rtol=1e-9)
    run(sim, 300)
    assert sim.sensors["first.rate"] + sim.sensors["second.rate"] == pytest.approx(4.0, abs=1e-9)
    assert abs(sim.sensors["axle.force"]) < 1e-6


@both
def test_one_wheel_of_a_differential_on_ice(method):
    """With one wheel held the other turns at twice the speed of the ring gear, and the held one feels the torque."""
    axle = gk.Differential(name="axle", first="first", second="second", speed=2.0)
    brake = gk.VelocityMotor(name="brake", on="second", speed=0.0)
    drag = gk.ForceMotor(name="drag", on="first", force=-0.3)
    sim = gk.Simulation(two_wheels(axle, brake, drag), METHODS[method])
    run(sim, 5)
    assert sim.sensors["first.rate"] == pytest.approx(4.0, abs=1e-9)
    assert sim.sensors["second.rate"] == pytest.approx(0.0, abs=1e-9)
    assert sim.sensors["axle.force"] == pytest.approx(0.3, abs=1e-6)
    assert sim.sensors["brake.force"] == pytest.approx(-0.3, abs=1e-6)


# --- screws ----------------------------------------------------------------------------------------------------------


def screw(lead):
    return gk.Screw(name="joint", a="world", b="body", at=(0, 0, 0), axis=(0, 0, 1), lead=lead)


@both
@pytest.mark.parametrize("lead", [0.01, -0.3])
def test_a_screw_advances_by_its_lead_over_many_turns(method, lead):
    """15 turns at 10 turns a second: counted, none lost, in both senses (V-66, 3.10)."""
    sim = simulation(method, screw(lead), gk.VelocityMotor(name="drive", on="joint.angle", speed=20 * math.pi))
    run(sim, 150)
    turns = sim.sensors["joint.angle"] / (2 * math.pi)
    assert 14.8 < turns < 15.1  # Impulse starts half a step later
    assert sim.sensors["joint.position"] == pytest.approx(lead * turns, abs=1e-8)
    np.testing.assert_allclose(sim["body"].position, (0, 0, lead * turns), atol=1e-8)
    sim.inputs["drive.speed"] = -20 * math.pi
    run(sim, 200)
    turns = sim.sensors["joint.angle"] / (2 * math.pi)
    assert -5.2 < turns < -4.8
    assert sim.sensors["joint.position"] == pytest.approx(lead * turns, abs=1e-8)


@both
def test_a_screw_presses_with_the_force_of_its_lead(method):
    """Statics: a torque T holds an axial force  2 pi T / lead;  dynamics: (I + m p^2) a = T,  p = lead / 2 pi."""
    lead, weight = 0.1, MASS * 9.81
    hold = gk.VelocityMotor(name="hold", on="joint.angle", speed=0.0)
    sim = simulation(method, screw(lead), hold, gravity=(0, 0, -9.81))
    run(sim, 20)
    assert sim.sensors["hold.force"] == pytest.approx(weight * lead / (2 * math.pi), rel=1e-6)
    pitch = 0.6 / (2 * math.pi)
    sim = simulation(method, screw(0.6), gk.ForceMotor(name="push", on="joint.angle", force=0.2))
    rates = np.diff([sim["body"].angular_velocity[2] for _ in steps(sim, 20)])
    np.testing.assert_allclose(rates, 0.2 * H / (SPIN + MASS * pitch**2), rtol=1e-6)


# --- locks -----------------------------------------------------------------------------------------------------------


@both
def test_a_blocked_hinge_is_rigid_where_it_stands_and_free_again(method):
    """Locked in motion it stops and holds against a torque; unlocked it turns (V-79)."""
    push = gk.ForceMotor(name="push", on="joint", force=0.0)
    sim = simulation(method, wheel(blocked=False), push, angular_velocity=(0, 0, 2.0))
    run(sim, 25)
    sim.inputs["joint.blocked"] = 1.0
    at = sim.sensors["joint.angle"]
    sim.inputs["push.force"] = 5.0
    angle = track(sim, "joint.angle", 20)
    assert abs(angle[-1] - at) < 2.5 * H * 2.0  # within the step in which it is locked
    np.testing.assert_allclose(angle[8:], angle[-1], atol=1e-4 if method == "row_stepping" else 1e-8)
    assert sim.sensors["joint.torque"][2] == pytest.approx(-5.0, rel=1e-4)
    sim.inputs["joint.blocked"] = 0.0
    rates = track(sim, "joint.rate", 5)
    np.testing.assert_allclose(np.diff(rates), 5.0 * H / SPIN, rtol=1e-6)


@both
def test_a_joint_that_is_blocked_from_the_start_stays_where_it_is(method):
    """Also where its coordinate is not zero there: a hinge between frames, a place on a curve, a length."""
    b = gk.Builder()
    b.body("door", mass=1.0, inertia=(1, 1, 1), rotation=turned(z=0.5))
    b.frame("post", "world")
    b.frame("edge", "door")
    b.add(gk.Hinge(name="hinge", a="post", b="edge", blocked=True))
    b.body("bead", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    wire = ((0, 0, 0), (1, 0, 0), (2, 0.5, 0), (3, 1, 0.5))
    b.add(gk.BallOnCurve(name="wire", a="world", b="bead", points=wire, at=(1, 0, 0), blocked=True))
    b.particle("stone", mass=1.0, at=(0, 0, -0.5))
    b.add(gk.Distance(name="rope", a="world", b="stone", limits=(0.0, 1.0), blocked=True))
    sim = gk.Simulation(b.build(), METHODS[method])
    start = {name: sim.sensors[name] for name in ("hinge.angle", "wire.place", "rope.length")}
    run(sim, 20)
    for name, value in start.items():
        assert sim.sensors[name] == pytest.approx(value, abs=1e-6)
    assert start["hinge.angle"] == pytest.approx(0.5, abs=1e-15)


def steering(method, speed, **more):
    """Front and rear of a loader; the front is held, the rear gets a twist and a turn."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("rear", mass=MASS, inertia=(0.2, 0.25, SPIN), angular_velocity=(0.5, 0, 0.8))
    b.add(
        gk.ArticulatedSteering(
            name="joint", a="world", b="rear", at=(0, 0, 0), axis=(0, 0, 1), x_axis=(1, 0, 0), lock_below=0.5, **more
        )
    )
    sim = gk.Simulation(b.build(), METHODS[method])
    sim.inputs["joint.speed"] = speed
    return sim


@both
@pytest.mark.parametrize("speed", [0.0, 0.3, -0.49])
def test_the_twist_of_a_loader_is_locked_when_it_is_slow(method, speed):
    """Below the threshold the rear cannot roll against the front, and still steers (V-70)."""
    sim = steering(method, speed)
    run(sim, 10)
    assert sim.sensors["joint.twist"] == pytest.approx(0.0, abs=0.006)  # the step in which the lock takes hold
    assert abs(np.diff(track(sim, "joint.twist", 2))[0]) < 1e-6
    assert sim.sensors["joint.steer"] > 0.05


@both
@pytest.mark.parametrize("speed", [0.5, -2.0])
def test_the_twist_of_a_loader_is_free_when_it_drives(method, speed):
    sim = steering(method, speed)
    run(sim, 10)
    assert sim.sensors["joint.twist"] > 0.03
    sim.inputs["joint.speed"] = 0.0
    run(sim, 3)
    twist = track(sim, "joint.twist", 5)
    np.testing.assert_allclose(twist, twist[-1], atol=2e-3 if method == "row_stepping" else 1e-6)


# --- breaking --------------------------------------------------------------------------------------------------------


@both
def test_a_weld_breaks_at_its_force_and_stays_broken(method):
    """Held below the threshold, gone above it, and gone when the load is gone too."""
    for load, holds in ((4.9, True), (5.1, False)):
        b = gk.Builder(gravity=(0, 0, -10.0))
        b.body("body", mass=1.0, inertia=(1, 1, 1))
        b.add(gk.Rigid(name="weld", a="world", b="body", at=(0, 0, 0), break_force=15.0))
        b.add(gk.Wrench("pull", "body", force=(0, 0, -load)))
        sim = gk.Simulation(b.build(), METHODS[method])
        run(sim, 10)
        assert sim.sensors["weld.broken"] is not holds
        if holds:
            np.testing.assert_allclose(sim.sensors["weld.force"], (0, 0, 10.0 + load), atol=1e-6)
            np.testing.assert_allclose(sim["body"].position, 0.0, atol=1e-8)
        else:
            np.testing.assert_array_equal(sim.sensors["weld.force"], 0.0)
            v = [sim["body"].velocity[2] for _ in steps(sim, 5)]
            np.testing.assert_allclose(np.diff(v), -15.1 * H, atol=1e-12)


@both
def test_a_joint_breaks_at_its_torque_and_takes_its_drives_with_it(method):
    """A broken hinge holds no point, its motor drives nothing and its stop stops nothing."""
    hinge = wheel(break_torque=2.0, limits=(-1e-3, 1e-3))
    drive = gk.VelocityMotor(name="drive", on="joint", speed=0.01, force_max=1.5)
    push = gk.ForceMotor(name="push", on="joint", force=0.0)
    sim = simulation(method, hinge, drive, push)
    run(sim, 30)
    assert sim.sensors["joint.broken"] is False
    assert sim.sensors["joint.torque"][2] == pytest.approx(-1.5, rel=1e-3)
    sim.inputs["push.force"] = 3.0
    run(sim, 3)
    assert sim.sensors["joint.broken"] is True
    w, v = sim["body"].angular_velocity.copy(), sim["body"].velocity.copy()
    run(sim, 20)
    np.testing.assert_array_equal(sim["body"].angular_velocity, w)
    np.testing.assert_array_equal(sim["body"].velocity, v)
    assert sim.sensors["drive.force"] == sim.sensors["push.force"] == 0.0


@both
def test_a_break_within_one_call_of_many_steps_is_the_same(method):
    """Nothing of a broken joint is left in what a method keeps between steps."""
    ends = []
    for batch in (1, 40):
        b = gk.Builder(gravity=(0, 0, -10.0))
        b.body("body", mass=2.0, inertia=(1, 1, 1))
        b.add(gk.Rigid(name="weld", a="world", b="body", at=(0, 0, 0), break_force=15.0))
        sim = gk.Simulation(b.build(), METHODS[method])
        for _ in range(40 // batch):
            sim._stepper.advance(0.0, H, 0, batch)
        ends.append(sim.state.flat.copy())
    np.testing.assert_array_equal(*ends)


# --- hands -----------------------------------------------------------------------------------------------------------


@both
def test_a_grip_pulls_with_no_more_than_its_force_in_any_direction(method):
    """The impulse lies in a ball, not in a cube (I-062): along a diagonal as along an axis."""
    for to in ((5, 0, 0), (5, 5, 5), (-3, 4, 0)):
        sim = simulation(method, gk.Grab(name="hand", body="body", to=to, force_max=10.0))
        run(sim, 3)
        force = np.array([sim.sensors[f"hand.f{k}"] for k in "xyz"])
        np.testing.assert_allclose(force, 10.0 * np.array(to) / np.linalg.norm(to), rtol=1e-6, atol=1e-9)


@both
def test_a_grip_brings_its_point_to_the_place_and_lets_go(method):
    grab = gk.Grab(name="hand", body="body", at=(0.1, 0, 0), to=(0.3, 0.2, -0.1), force_max=50.0)
    sim = simulation(method, grab)
    run(sim, 300)
    point = sim["body"].position + rotation_matrix(sim["body"].orientation) @ (0.1, 0, 0)
    np.testing.assert_allclose(point, (0.3, 0.2, -0.1), atol=1e-3)
    sim.inputs["hand.strength"] = 0.0
    sim.inputs["hand.x"] = 2.0
    before = sim["body"].velocity.copy()
    run(sim, 10)
    np.testing.assert_allclose(sim["body"].velocity, before, atol=1e-12)


@both
def test_a_hand_gives_a_body_the_velocity_it_wants(method):
    """Six axes at once when unlimited; acceleration by its force when not (V-81)."""
    sim = simulation(method, gk.DirectControl(name="hand", body="body"), gravity=(0, 0, -9.81))
    for name, value in (("vx", 0.3), ("vz", -0.2), ("wy", 0.5), ("wz", 0.1)):
        sim.inputs[f"hand.{name}"] = value
    run(sim, 1)
    np.testing.assert_allclose(sim["body"].velocity, (0.3, 0, -0.2), atol=1e-9)
    run(sim, 5)
    np.testing.assert_allclose(sim["body"].velocity, (0.3, 0, -0.2), atol=1e-9)
    np.testing.assert_allclose(sim["body"].angular_velocity, (0, 0.5, 0.1), atol=1e-3)
    turn = quat_log(Quat(*sim["body"].orientation))  # not in the first step of Impulse, which leads to the rate
    np.testing.assert_allclose(turn, np.array((0, 0.5, 0.1)) * 6 * H, atol=1.01 * H * 0.51)
    weak = simulation(method, gk.DirectControl(name="hand", body="body", force_max=4.0))
    weak.inputs["hand.vy"] = 9.0
    v = [weak["body"].velocity[1] for _ in steps(weak, 5)]
    np.testing.assert_allclose(np.diff(v), 4.0 * H / MASS, rtol=1e-9)


@both
def test_a_hand_measures_velocities_in_the_axes_of_its_frame(method):
    """Seen by a camera that is turned by a quarter, its x axis is the y axis of the world."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("body", mass=MASS, inertia=(1, 1, 1))
    b.frame("camera", "world", at=(1, 2, 3), rotation=turned(z=math.pi / 2))
    b.add(gk.DirectControl(name="hand", body="body", frame="camera"))
    sim = gk.Simulation(b.build(), METHODS[method])
    sim.inputs["hand.vx"] = 0.4
    run(sim, 3)
    np.testing.assert_allclose(sim["body"].velocity, (0, 0.4, 0), atol=1e-12)


def aim(sim, place, q):
    """Ask a hand for a pose."""
    for name, value in zip(("x", "y", "z", "qw", "qx", "qy", "qz"), (*place, *q)):
        sim.inputs[f"hand.{name}"] = value


def turn_left(sim, q):
    """Rotation vector from a body to an orientation."""
    return np.array(quat_log(Quat(*q) * Quat(*map(float, sim["body"].orientation)).conj()))


@pytest.mark.parametrize("degrees", [3.0, 90.0, 179.0, 179.9, 180.0])
def test_a_hand_brings_a_body_to_a_pose_exponentially(degrees):
    """e' = e / (1 + rate h)  for the place, and for a turn of any angle, about an axis that stays."""
    rate, h = 8.0, 1e-2
    model = scene(gk.DirectControl(name="hand", body="body", mode="pose", rate=rate))
    sim = gk.Simulation(model, gk.RowStepping(h=h))
    turn = np.array((0.48, -0.6, 0.64)) * math.radians(degrees)
    q, place = quat_exp(Vec3(*turn)), np.array((0.3, -0.1, 0.2))
    aim(sim, place, q)
    way = turn_left(sim, q)  # at a half turn either way is the shortest
    np.testing.assert_allclose(abs(way), abs(turn), atol=1e-9)
    for n in steps(sim, 40):
        left = (1 + rate * h) ** -n
        np.testing.assert_allclose(place - sim["body"].position, place * left, atol=1e-12)
        np.testing.assert_allclose(turn_left(sim, q), way * left, atol=1e-12)


@both
@pytest.mark.parametrize("degrees", [20.0, 120.0, 179.9, 180.0, -179.9])
@pytest.mark.parametrize("rate", [8.0, 100.0])
def test_a_hand_brings_a_body_to_a_pose(method, degrees, rate):
    """The angle never grows and fades at the rate, also where a step takes half of the way (rate h = 1).

    Impulse turns one step later, as the velocities at the end of a step lead through the next, and the gyration of the
    free body in between bends its way by up to  h |w|  of a turn h |w|, half a radian in the first of those steps.
    """
    sim = simulation(method, gk.DirectControl(name="hand", body="body", mode="pose", rate=rate))
    q = quat_exp(Vec3(0.48, -0.6, 0.64) * math.radians(degrees))
    aim(sim, (0.3, -0.1, 0.2), q)
    start, late = abs(math.radians(degrees)), method == "impulse"
    angles = np.array([np.linalg.norm(turn_left(sim, q)) for _ in steps(sim, 30)])
    assert angles[0] <= start + 1e-9
    assert (np.diff(angles) <= 1e-9).all()
    expected = start * (1 + rate * H) ** -(np.arange(1.0, 31.0) - late)
    bent = start * (rate * H / (1 + rate * H)) ** 2 if late else 0.0
    np.testing.assert_allclose(angles, expected, atol=1e-9 + bent)
    np.testing.assert_allclose(sim["body"].position, (0.3, -0.1, 0.2), atol=0.3 * (1 + rate * H) ** -30 + 1e-8)


@both
def test_a_hand_refuses_a_quaternion_without_direction(method):
    """Half turns have qw = 0, which is right; four zeros are no orientation (V-81)."""
    sim = simulation(method, gk.DirectControl(name="hand", body="body", mode="pose", rate=50.0))
    sim.inputs["hand.qw"] = 0.0
    with pytest.raises(gk.InputError, match=r"hand\.qw, qx, qy and qz are 0, 0, 0, 0.* Set hand\.qw to 1"):
        sim.advance(H)
    sim.inputs["hand.qx"] = 1.0
    run(sim, 60)
    np.testing.assert_allclose(turn_left(sim, (0, 1, 0, 0)), 0.0, atol=1e-6)


@both
def test_a_resistance_brakes_and_never_pushes_back(method):
    """Motion against the normal loses f h / m a step, stops at zero and stays; motion along it is free (V-80)."""
    resist = gk.Deceleration(name="soil", body="body", normal=(0, 0, 1), force_max=10.0)
    sim = simulation(method, resist, velocity=(0.7, 0, -0.33))
    states = np.array([(sim["body"].position, sim["body"].velocity) for _ in steps(sim, 12)])
    v = states[:, 1]
    assert (np.diff(states[:, 0, 2]) <= 1e-12).all()
    np.testing.assert_allclose(v[:, 0], 0.7, atol=1e-12)
    assert (v[:, 2] <= 1e-12).all()
    np.testing.assert_allclose(v[8:, 2], 0.0, atol=1e-12)
    assert np.diff(v[:5, 2]) == pytest.approx(10.0 * H / MASS, rel=1e-9)
    free = simulation(method, resist, velocity=(0, 0, 0.5))
    run(free, 5)
    np.testing.assert_allclose(free["body"].velocity, (0, 0, 0.5), atol=1e-12)
    assert free.sensors["soil.force"] == 0.0


@both
def test_a_resistance_holds_up_to_its_force(method):
    """Under a weight below its force the body sinks no further; above it, it sinks with the difference."""
    for force_max, gain in ((30.0, 0.0), (10.0, 10.0 / MASS - 9.81)):
        resist = gk.Deceleration(name="soil", body="body", normal=(0, 0, 1), force_max=force_max)
        sim = simulation(method, resist, gravity=(0, 0, -9.81))
        run(sim, 5)
        v = [sim["body"].velocity[2] for _ in steps(sim, 5)]
        np.testing.assert_allclose(np.diff(v), gain * H, atol=1e-12)


@both
def test_limits_beyond_half_a_turn_count_from_their_own_turn(method):
    """Frames that stand 4.5 rad apart, read as -1.78 rad, lie within limits of 4 to 6 rad (V-71)."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("body", mass=MASS, inertia=(0.2, 0.25, SPIN), rotation=turned(z=4.5), angular_velocity=(0, 0, 2.0))
    b.frame("stand", "world")
    b.frame("rotor", "body", at=(0, 0, 0))
    b.add(gk.Hinge(name="joint", a="stand", b="rotor", limits=(4.0, 6.0)))
    sim = gk.Simulation(b.build(), METHODS[method])
    assert sim["joint"].angle == pytest.approx(4.5, abs=1e-12)
    angles = track(sim, "joint.angle", 100)
    assert angles[50] == pytest.approx(4.5 + 51 * H * 2.0, abs=1e-9)
    assert angles[-1] == pytest.approx(6.0, abs=MET[method])


def test_a_lock_holds_the_place_at_which_it_closes():
    """Closed in motion by RowStepping it stops the joint there, and does not throw it back by a step (V-79)."""
    sim = simulation("row_stepping", wheel(blocked=False), angular_velocity=(0, 0, 10.0))
    run(sim, 5)
    place = sim.sensors["joint.angle"]
    sim.inputs["joint.blocked"] = 1.0
    run(sim, 1)
    assert sim.sensors["joint.rate"] == pytest.approx(0.0, abs=1e-12)
    run(sim, 5)
    assert sim.sensors["joint.angle"] == pytest.approx(place, abs=1e-12)


@pytest.mark.parametrize("count", [1, 16, 64])
def test_many_springs_on_one_coordinate_are_as_stable_as_their_sum(count):
    """Each of them alone would be soft enough for half of the plain scheme; together they are not."""
    springs = [gk.JointSpring(name=f"s{i}", on="joint", stiffness=5e3, rest=0.01) for i in range(count)]
    sim = simulation("impulse", cart(), *springs)
    for _ in steps(sim, 60):
        assert abs(sim.sensors["joint.position"] - 0.01) <= 0.0101


@both
def test_a_gear_ends_with_a_joint_that_breaks(method):
    """The second wheel breaks off at once; the gear no longer drives it (V-76)."""
    b = gk.Builder(gravity=(0, 0, -9.81))
    for name, x in (("one", 0.0), ("two", 1.0)):
        b.body(name, mass=MASS, inertia=(0.2, 0.25, SPIN), at=(x, 0, 0))
        limit = 1.0 if name == "two" else math.inf
        b.add(gk.Hinge(name=f"pin {name}", a="world", b=name, at=(x, 0, 0), axis=(0, 0, 1), break_force=limit))
    b.add(gk.Gear(name="gear", first="pin one", second="pin two"))
    b.add(gk.ForceMotor(name="push", on="pin one", force=1.0))
    sim = gk.Simulation(b.build(), METHODS[method])
    run(sim, 10)
    assert sim.sensors["pin two.broken"]
    spin = sim["two"].angular_velocity[2]
    run(sim, 10)
    assert sim["two"].angular_velocity[2] == pytest.approx(spin, abs=1e-12)
    assert sim.sensors["gear.force"] == 0.0
    assert sim.info.get("position_error", 0.0) < 1e-6  # a broken joint is no torn one


def test_a_gear_of_rates_keeps_angles_together_in_impulse():
    """Order 2 without a tie of the angles: both turn by  F t^2 / (2 (I1 + I2))."""
    sim = gk.Simulation(
        two_wheels(
            gk.Gear(name="gear", first="first", second="second", positions=False),
            gk.ForceMotor(name="push", on="first", force=1.0),
        ),
        METHODS["impulse"],
    )
    run(sim, 100)
    exact = 0.5 / (SPIN_1 + SPIN_2)
    assert sim.sensors["first.angle"] == pytest.approx(exact, rel=1e-9)
    assert sim.sensors["second.angle"] == pytest.approx(exact, rel=1e-9)


def test_a_short_step_begins_with_a_share_of_the_last_impulses():
    """A hanging chain under RowStepping hardly feels a step of a hundredth.

    What 50 sweeps left of the velocities is now corrected within a hundredth of the time; with the impulses of a whole
    step the force was twenty times the weight.
    """
    b, above = gk.Builder(gravity=(0, 0, -9.81)), "world"
    for i in range(5):
        b.body(f"b{i}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -i - 0.5))
        b.add(gk.Ball(name=f"j{i}", a=above, b=f"b{i}", at=(0, 0, -i)))
        above = f"b{i}"
    sim = gk.Simulation(b.build(), METHODS["row_stepping"])
    run(sim, 60)
    sim.advance(H / 100)
    assert sim.sensors["j0.force"][2] == pytest.approx(5 * 9.81, rel=0.25)
