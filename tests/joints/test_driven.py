"""Driven joints: what they are told, and what they refuse (B-09)."""

import math
import warnings

import numpy as np
import pytest

import gelenk as gk
from gelenk.rows.guides import motion_at_time

METHODS = {
    "rows": gk.RowStepping(h=1e-3, solver=gk.Tree()),
    "impulse": gk.Impulse(h=1e-3),
    "tree": gk.MoreauTree(h=1e-3),
}


def wheel(*more, **how):
    b = gk.Builder()
    b.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    for element in more:
        b.add(element)
    b.add(gk.Driven(name="drive", on="axle", **how))
    return b.build()


@pytest.mark.parametrize(
    ("how", "found"),
    [
        ({}, "no input and no function of time"),
        ({"position": 0.0, "velocity": 1.0}, "position and velocity together"),
        ({"amplitude": 1.0}, "no frequency"),
        ({"frequency": 1.0}, "no amplitude"),
        ({"amplitude": 1.0, "frequency": 0.0}, "frequency is 0"),
        ({"velocity": 1.0, "phase": 1.0}, "phase or offset alone"),
        ({"velocity": math.nan}, "velocity is nan"),
        ({"times": (0, 1), "places": (0, math.nan)}, "row 1 of places is nan"),
        ({"times": (0, 1), "places": (0,)}, "2 times and 1 places"),
        ({"times": (0, 1, 1), "places": (0, 1, 2)}, "times are"),
        ({"times": (0, 1e-200), "places": (0, 1)}, "places that jump"),
        ({"places": (0, 1)}, "times has shape"),
        ({"times": (0, 1), "places": (0, 1), "between": "steps"}, "between is 'steps'"),
        ({"position": 0.0, "speed_max": 0.0}, "speed_max is 0"),
        ({"position": 0.0, "acceleration_max": -1.0}, "acceleration_max is -1"),
    ],
)
def test_bad_motions_are_refused(how, found):
    with pytest.raises(gk.InputError, match=found):
        gk.Driven(name="drive", on="axle", **how)


def test_a_function_begins_where_the_joint_is():
    with pytest.raises(gk.InputError, match=r"its function of time is at 0.2 .* and the joint at 0"):
        wheel(times=(0, 1), places=(0.2, 1.0))
    sim = gk.Simulation(wheel(times=(0, 1), places=(0, 1), between="rest"), METHODS["tree"], time=0.5)
    with pytest.raises(gk.InputError, match=r"is at 0.5 .* at 0.5 s, and the joint at 0"):
        sim.advance(0.01)


def test_a_coordinate_has_one_motion():
    with pytest.raises(gk.InputError, match="on is 'axle', which driven 'other' drives"):
        wheel(gk.Driven(name="other", on="axle", velocity=0.0), position=0.0)
    with pytest.warns(gk.DriveWarning, match="drives 'axle' too"):
        wheel(gk.VelocityMotor(name="other", on="axle", speed=0.0), position=0.0)


def test_a_function_of_time_owns_its_input():
    sim = gk.Simulation(wheel(amplitude=0.1, frequency=1.0), METHODS["tree"])
    with pytest.raises(gk.InputError, match="driven 'drive' sets in every step"):
        sim.inputs["drive.position"] = 1.0
    link = gk.Connection(name="link", output="axle.angle", input="drive.position")
    with pytest.raises(gk.InputError, match="sets by its function of time"):
        wheel(link, amplitude=0.1, frequency=1.0)


def test_inputs_that_are_no_numbers_are_refused():
    sim = gk.Simulation(wheel(position=0.0), METHODS["tree"])
    with pytest.raises(gk.InputError, match="nan"):
        sim.inputs["drive.position"] = math.nan


def test_lagrange_refuses_drives():
    with pytest.raises(gk.InputError, match="driven 'drive'"):
        gk.Simulation(wheel(velocity=1.0), gk.Lagrange())


@pytest.mark.parametrize("name", METHODS)
def test_a_jump_is_met_at_the_fastest_speed_with_a_warning(name):
    sim = gk.Simulation(wheel(position=0.0), METHODS[name])
    sim.advance(2e-3)
    sim.inputs["drive.position"] = 0.25
    with pytest.warns(gk.JumpWarning, match="driven 'drive': its input jumped"):
        sim.advance(1e-3)
    assert sim.sensors["axle.angle"] == pytest.approx(0.1, abs=1e-9)  # 100 rad/s for 1 ms
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        sim.advance(3e-3)
    assert sim.sensors["axle.angle"] == pytest.approx(0.25, abs=1e-9)
    assert sim.sensors["axle.rate"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", METHODS)
def test_limits_lead_to_a_place_without_overshoot(name):
    """From rest over 0.5 rad with 20 rad/s^2 and 2 rad/s: 0.1 s to the speed, 0.15 s at it, 0.1 s to rest."""
    sim = gk.Simulation(wheel(position=0.0, speed_max=2.0, acceleration_max=20.0), METHODS[name])
    sim.inputs["drive.position"] = 0.5
    angle, rate = [0.0], [0.0]
    for _ in range(370):
        sim.advance(1e-3)
        angle.append(sim.sensors["axle.angle"])
        rate.append(sim.sensors["axle.rate"])
    assert max(np.abs(rate)) == pytest.approx(2.0, rel=1e-6)
    assert max(np.abs(np.diff(rate))) / 1e-3 == pytest.approx(20.0, rel=1e-4)
    assert max(angle) <= 0.5 + 1e-9
    assert angle[350] == pytest.approx(0.5, abs=2e-3 * 2.0)  # a step or two late at its speed
    assert angle[-1] == pytest.approx(0.5, abs=1e-6)


def test_a_velocity_may_be_limited():
    sim = gk.Simulation(wheel(velocity=3.0, acceleration_max=100.0), METHODS["tree"])
    sim.advance(0.01)
    assert sim.sensors["axle.rate"] == pytest.approx(1.0, rel=1e-9)
    sim.advance(0.03)
    assert sim.sensors["axle.rate"] == pytest.approx(3.0, rel=1e-9)
    assert sim.sensors["drive.force"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("between", ["spline", "rest"])
def test_tables_go_through_their_places(between):
    """Rates and accelerations against differences; round-off of 1e-16 / e and e^2 with e = 1e-4."""
    times, places = (0.0, 0.3, 0.5, 1.0), (0.0, 0.4, 0.3, -0.2)
    guides = wheel(times=times, places=places, between=between).wired.joints.guides
    for t, place in zip(times, places):
        assert motion_at_time(guides, 0, t)[0] == pytest.approx(place, abs=1e-15)
    e = 1e-4
    for t in np.linspace(0.011, 0.987, 40):
        before, (place, rate, bend), after = (motion_at_time(guides, 0, x) for x in (t - e, t, t + e))
        assert rate == pytest.approx((after[0] - before[0]) / (2 * e), abs=2e-4)  # third derivatives of some 1e4
        assert bend == pytest.approx((after[1] - before[1]) / (2 * e), abs=2e-2)
        assert abs(place) < 0.5
    assert motion_at_time(guides, 0, -1.0) == (0.0, 0.0, 0.0)
    assert motion_at_time(guides, 0, 2.0) == (-0.2, 0.0, 0.0)
    assert motion_at_time(guides, 0, 1.0 - 1e-9)[1] == pytest.approx(0.0, abs=1e-6)


def test_velocities_at_the_start_are_fitted_or_said():
    b = gk.Builder()
    b.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Driven(name="drive", on="axle", amplitude=0.5, frequency=1.0))
    with pytest.warns(UserWarning, match="the velocities at the start part it at 3.14"):
        b.build()
    assert b.build(assemble=True).bodies[0].angular_velocity == pytest.approx((0, 0, np.pi))


def test_scenes_keep_drives():
    model = wheel(times=(0, 1), places=(0, 1), between="rest", acceleration_max=9.0)
    assert gk.read_scene(gk.scene_text(model)).joints == model.joints


def test_a_device_may_write_the_position():
    """A connection from one wheel leads another: B-09 from any output."""
    b = gk.Builder()
    b.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0, 0, 2.0))
    b.body("slave", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="other", a="world", b="slave", at=(1, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Driven(name="drive", on="other", position=0.0))
    b.add(gk.Connection(name="link", output="axle.angle", input="drive.position", factor=-1.0))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3))
    sim.advance(0.1)
    assert sim.sensors["other.angle"] == pytest.approx(-0.2 + 2e-3, abs=1e-9)  # one step late


def test_a_blow_leaves_driven_velocities_alone():
    """Momenta of a blow on the bead of a turntable: its groove gives way, the table goes on as it must."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("disc", mass=2.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 3.0))
    b.body("bead", mass=0.5, inertia=(0.01,) * 3, at=(0.2, 0, 0), velocity=(0, 0.6, 0), angular_velocity=(0, 0, 3.0))
    b.add(gk.Hinge(name="axle", a="world", b="disc", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Slider(name="groove", a="disc", b="bead", at=(0.2, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Driven(name="motor", on="axle", velocity=3.0))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-6))
    sim.state.v_WC[2] += (1.0, 2.0, 3.0)
    sim.advance(1e-6)
    assert sim.sensors["axle.rate"] == pytest.approx(3.0, abs=1e-12)
    assert sim.sensors["groove.rate"] == pytest.approx(1.0, abs=1e-5)  # h w^2 r
