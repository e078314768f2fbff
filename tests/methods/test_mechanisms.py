"""Driven mechanisms with loops, threads and gears against closed forms: places, speeds, and torques by virtual work."""

import numpy as np
import pytest

import gelenk as gk
from exact import cardan
from exact import slider_crank as slider
from exact.four_bar import FourBar, coupler_thrust, crank_torque, four_bar, four_bar_motion, reduced
from exact.slider_crank import SliderCrank, slider_crank
from methods.joint_models import (
    METHODS,
    angle_apart,
    angle_y,
    axle_model,
    bar,
    cardan_model,
    converges,
    double_cardan_model,
    four_bar_model,
    impulse,
    motor_force,
    name,
    press_model,
    reaction,
    reactions,
    record,
    row_stepping,
    slider_crank_model,
    slopes,
)

BARS = FourBar(crank=0.3, coupler=0.9, rocker=0.7, ground=0.8)
MASSES = (1.0, 2.0, 1.5)
CLOSINGS = ["hinge", "line"]  # with rows too many, and without


# ---- brake -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_brake_holds_a_level_arm_where_it_is(method):
    """A motor of speed zero against gravity: no creep, as there would be if every step began with a fall.

    The first step may give way by w' h^2 / 2 at the end of the arm, w' = 3 g / 2 l; after it, rows are met to 1e-9 m/s.
    """
    b = gk.Builder()
    bar(b, "arm", np.zeros(3), 0.0, 1.0, 2.0)
    b.add(gk.Hinge(name="shoulder", a="world", b="arm", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="brake", on="shoulder", speed=0.0, force_max=20.0))
    sim = gk.Simulation(b.build(), method(1e-3))
    sim.advance(0.01)
    early = sim["arm"].position[2]
    sim.advance(0.5)
    assert abs(early) < 0.5 * 1.5 * 9.81 * 1e-6
    assert abs(sim["arm"].position[2] - early) < 0.5e-9
    assert motor_force(sim, "brake") == pytest.approx(-2.0 * 9.81 * 0.5, rel=1e-6)
    sim.inputs["brake.strength"] = 0.25  # 5 N m hold half of the weight
    sim.advance(0.1)
    assert motor_force(sim, "brake") == pytest.approx(-5.0, rel=1e-9)
    assert sim["arm"].angular_velocity[1] == pytest.approx(
        (9.81 - 5.0) / (2.0 / 3.0) * 0.1, rel=0.01
    )  # cos of 2 degrees


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_motor_at_its_bound_pushes_with_a_constant_force(method):
    """x = F t^2 / 2 m  as long as the speed is not reached; exact with half of the force before and after the flight.

    RowStepping moves with the velocity of the end of a step, h F t / 2 m further.
    """
    h, t, force = 1e-3, 0.2, 6.0
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("sled", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    b.add(gk.Slider(name="rail", a="world", b="sled", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.VelocityMotor(name="motor", on="rail", speed=10.0, force_max=force))
    sim = gk.Simulation(b.build(), method(h))
    sim.advance(t)
    late = 0.5 * h * t * force / 2.0 if method is row_stepping else 0.0
    assert sim["rail"].position == pytest.approx(0.5 * force / 2.0 * t**2 + late, rel=1e-10)
    assert sim["rail"].rate == pytest.approx(force / 2.0 * t, rel=1e-10)
    assert motor_force(sim, "motor") == pytest.approx(force, rel=1e-12)


# ---- four-bar --------------------------------------------------------------------------------------------------------


def steps_of(method):
    return (100, 200, 400) if method is impulse else (800, 1600, 3200)


@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_driven_four_bar_has_the_positions_and_speeds_of_its_closed_form(method, closing):
    """Crank at 6 rad/s for a turn; angles and rates of coupler and rocker at the angle that the crank should have.

    Tolerances leave 1e-9 m on arms of 0.3 m, multiplied by at most 10 in the linkage, and that over a step in rates.
    """
    speed, angle0, t_end, errors = 6.0, 0.4, 1.0, []
    for n in steps_of(method):
        model = four_bar_model(BARS, angle0, speed, MASSES, closing=closing, speed=speed)
        run = record(model, method(t_end / n), t_end, 0.1)
        exact = four_bar(BARS, angle0 + speed * run.time, speed)
        errors.append(
            [
                angle_apart(angle_y(run["crank"]), angle0 + speed * run.time),
                angle_apart(angle_y(run["coupler"]), exact.coupler),
                angle_apart(angle_y(run["rocker"]), exact.rocker),
                np.abs(run["coupler"].angular_velocity[:, 1] - exact.coupler_rate).max(),
                np.abs(run["rocker"].angular_velocity[:, 1] - exact.rocker_rate).max(),
            ]
        )
    assert np.all(errors[-1] < np.array([1e-4, 1e-4, 1e-4, 1e-2, 1e-2]))
    assert converges(steps_of(method), errors, method.order, floor=1e-7)


@pytest.mark.parametrize("closing", CLOSINGS)
def test_torque_of_the_motor_moves_the_masses_of_the_four_bar(closing):
    """At constant speed  T = dV/da + w^2/2 dJ/da  with inertia J and height energy V as seen at the crank.

    The sensor gives the mean over a step, compared in its middle; it is of order 1 at least.
    """
    speed, angle0, t_end, errors, steps = 6.0, 0.4, 1.0, [], (200, 400, 800)
    for n in steps:
        h = t_end / n
        model = four_bar_model(BARS, angle0, speed, MASSES, closing=closing, speed=speed)
        run = record(model, impulse(h), t_end, 0.05)
        _, J1, _, V1 = reduced(BARS, MASSES, angle0 + speed * (run.time[1:] - 0.5 * h))
        torque = V1 + 0.5 * speed**2 * J1
        errors.append([np.abs(run["motor"].force[1:] - torque).max()])
    assert errors[-1][0] < 0.01 * np.abs(torque).max()
    assert converges(steps, errors, 1)


@pytest.mark.parametrize("closing", CLOSINGS)
def test_free_four_bar_moves_as_its_reduced_equation(closing):
    """No motor: a loop that swings under gravity, order 2 against one equation for the crank angle."""
    angle0, rate0, t_end, errors, steps = 0.4, 2.0, 1.0, [], (100, 200, 400)
    for n in steps:
        run = record(four_bar_model(BARS, angle0, rate0, MASSES, closing=closing), impulse(t_end / n), t_end, 0.1)
        angle, rate = four_bar_motion(run.time, BARS, MASSES, angle0, rate0)
        seen = run["crank"].angular_velocity[:, 1]
        errors.append([angle_apart(angle_y(run["crank"]), angle), np.abs(seen - rate).max()])
    assert slopes(steps, errors) == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_brake_on_the_crank_holds_a_torque_on_the_rocker(method, closing):
    """Statics, no weight: torque of the brake by virtual work, and the thrust of the coupler at every hinge.

    Nothing may creep, so the forces are right to what tolerances leave: rows met to 1e-9 m/s in a step of 1 ms, times
    2 kg, is 2e-6 N; measured 1e-10.
    """
    for angle in (0.4, 1.9, 4.0):
        model = four_bar_model(BARS, angle, 0.0, MASSES, closing=closing, speed=0.0, rocker_torque=5.0, gravity=0.0)
        sim = gk.Simulation(model, method(1e-3))
        sim.advance(0.05)
        exact = four_bar(BARS, angle)
        thrust = coupler_thrust(BARS, angle, 5.0) * (exact.p_WC - exact.p_WB) / BARS.coupler
        assert motor_force(sim, "motor") == pytest.approx(crank_torque(BARS, angle, 5.0), abs=2e-6)
        for joint, sign in (("A", 1.0), ("B", 1.0), ("C", 1.0), ("D", -1.0)):
            np.testing.assert_allclose(reaction(sim, joint)[[0, 2]], sign * thrust[[0, 2]], atol=2e-6)


def test_redundant_hinges_of_the_four_bar_give_the_same_reactions_again():
    """Three rows of the closing hinge are implied by the others: what they carry is a choice, but always the same."""
    runs = []
    for _ in range(2):
        model = four_bar_model(BARS, 0.4, 6.0, MASSES, speed=6.0)
        run = record(model, impulse(2e-3), 0.5, 0.01)
        runs.append(np.stack([reactions(run, joint) for joint in "ABCD"]))
    assert np.isfinite(runs[0]).all()
    assert np.array_equal(runs[0], runs[1])
    # Forces across the plane do no work on this motion and nothing asks for them; they stay below those in the plane.
    assert np.abs(runs[0][:, :, 1]).max() < np.abs(runs[0][:, :, [0, 2]]).max()


# ---- slider-crank ----------------------------------------------------------------------------------------------------

ENGINE = SliderCrank(crank=0.1, rod=0.35, offset=0.02)
PARTS = (0.8, 1.2, 2.0)  # crank, rod, block [kg]


@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_driven_slider_crank_has_the_positions_and_speeds_of_its_closed_form(method, closing):
    """Crank at 10 rad/s; place and speed of the block, angle and rate of the rod."""
    speed, angle0, t_end, errors = 10.0, 0.3, 0.8, []
    steps = (80, 160, 320) if method is impulse else (800, 1600, 3200)
    for n in steps:
        model = slider_crank_model(ENGINE, angle0, speed, PARTS, closing=closing, speed=speed)
        run = record(model, method(t_end / n), t_end, 0.1)
        exact = slider_crank(ENGINE, angle0 + speed * run.time, speed)
        errors.append(
            [
                np.abs(run["block"].position[:, 0] - exact.x).max(),
                np.abs(run["block"].velocity[:, 0] - exact.speed).max(),
                angle_apart(angle_y(run["rod"]), exact.rod),
                np.abs(run["rod"].angular_velocity[:, 1] - exact.rod_rate).max(),
            ]
        )
    assert np.all(errors[-1] < np.array([1e-5, 1e-2, 1e-4, 1e-1]))
    assert converges(steps, errors, method.order, floor=1e-7)


@pytest.mark.parametrize("closing", CLOSINGS)
def test_slowly_turned_crank_balances_the_force_on_the_block(closing):
    """Virtual work over a whole turn, T = -F dx/da, and the forces of rod and guide (massless parts).

    Parts of 0.1 to 0.2 kg at 1 rad/s: inertia forces of 0.2 kg 0.1 m / s^2 = 0.02 N on 50 N, and the axes of the joint
    at P turn by h w = 2e-3 in a step.
    """
    speed, force, h = 1.0, -50.0, 2e-3
    model = slider_crank_model(
        ENGINE, 0.0, speed, (0.1, 0.1, 0.2), closing=closing, speed=speed, force=force, gravity=0
    )
    run = record(model, impulse(h), 2.0 * np.pi, 10 * h)
    middle = speed * (run.time[1:-1] - 0.5 * h)
    torque = slider.crank_torque(ENGINE, middle, force)
    thrust, across = slider.rod_thrust(ENGINE, middle, force)
    rod = slider_crank(ENGINE, middle).rod
    # P: the rod is its first body, the block its second.
    f_P = np.stack([thrust * np.cos(rod), -thrust * np.sin(rod)], axis=-1)
    f = {j: reactions(run, j)[1:-1][:, [0, 2]] for j in ("guide", "P", "A")}
    assert np.abs(run["motor"].force[1:-1] - torque).max() < 2e-3 * np.abs(torque).max()
    assert np.abs(f["P"] - f_P).max() < 2e-3 * 50.0
    assert np.abs(f["A"] - f_P).max() < 2e-3 * 50.0
    assert np.abs(f["guide"][:, 1] - across).max() < 2e-3 * 50.0


# ---- Cardan shafts ---------------------------------------------------------------------------------------------------

BEND = 0.6


def shaft_rate(run, body):
    """Rate of a shaft about its own axis (n,) [rad/s]; its x axis lies along it."""
    return np.einsum("nk,nk->n", run[body].angular_velocity, run[body].rotation[:, :, 0])


@pytest.mark.parametrize("bearing", ["line", "hinge"])
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_output_of_a_bent_cardan_shaft_is_not_uniform(method, bearing):
    """Rate of the output over a turn,  w cos(b) / (1 - sin^2(b) sin^2(a)):  from cos(b) to 1 / cos(b), twice."""
    speed, errors = 8.0, []
    for n in (t := (100, 200, 400) if method is impulse else (800, 1600, 3200)):
        run = record(cardan_model(BEND, speed, bearing=bearing), method(1.0 / n), 1.0, 0.02)
        exact = speed * cardan.speed_ratio(speed * run.time, BEND)
        seen = shaft_rate(run, "output")
        errors.append([np.abs(seen - exact).max()])
    assert converges(t, errors, method.order, floor=1e-7)
    # Samples every 0.16 rad miss the extremes by (0.16 / 2)^2 of the range at most.
    assert seen.min() / speed == pytest.approx(np.cos(BEND), abs=0.01)
    assert seen.max() / speed == pytest.approx(1.0 / np.cos(BEND), abs=0.01)


def test_cardan_shaft_transmits_torque_by_the_inverse_of_its_speeds():
    """Turned at 1 rad/s against a torque on the output:  T_in = -T_out w_out / w_in;  the cross carries the couple M.

    The inertia of 2e-3 kg m^2 takes 1e-3 N m at accelerations below 0.5 rad/s^2; the axes turn by h w = 2e-3 in a step.
    """
    speed, torque, h = 1.0, -4.0, 2e-3
    model = cardan_model(BEND, speed, output_torque=torque, inertia=2e-3)
    run = record(model, impulse(h), 2.0 * np.pi / speed, 10 * h)
    middle = speed * (run.time[1:-1] - 0.5 * h)
    exact = -torque * cardan.speed_ratio(middle, BEND)
    seen = run["motor"].force[1:-1]
    M = reactions(run, "cross")[1:-1, 3:]
    assert np.abs(seen - exact).max() < 2e-3 * 4.0
    assert np.abs(M - cardan.couple(middle, BEND, exact)).max() < 2e-3 * 4.0 * 2.0


@pytest.mark.parametrize("shape", [1.0, -1.0], ids=["W", "Z"])
def test_double_cardan_shaft_turns_at_constant_speed(shape):
    """Equal bends and forks of the middle shaft in one plane: the second joint undoes what the first does."""
    speed = 8.0
    run = record(double_cardan_model(0.5, shape * 0.5, speed), impulse(2e-3), 0.8, 0.02)
    # The joints are met to 1e-9 rad, so the ratio of rates is 1 to 1e-8 at these bends.
    np.testing.assert_allclose(shaft_rate(run, "output"), speed, atol=1e-6)
    assert np.ptp(shaft_rate(run, "middle")) > 0.2 * speed


def test_double_cardan_shaft_built_wrong_doubles_the_non_uniformity():
    speed, bend = 8.0, 0.5
    run = record(double_cardan_model(bend, bend, speed, twist=0.5 * np.pi), impulse(2e-3), 0.8, 0.02)
    exact = speed * cardan.double_speed_ratio(speed * run.time, bend, bend, 0.5 * np.pi)
    np.testing.assert_allclose(shaft_rate(run, "output"), exact, atol=1e-5)
    assert exact.max() / speed == pytest.approx(1.0 / np.cos(bend) ** 2, rel=0.01)


# ---- screw press -----------------------------------------------------------------------------------------------------

LEAD = 0.01


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_screw_press_at_rest_holds_a_force_of_two_pi_torque_over_lead(method):
    """2 N m on a thread of 10 mm hold 1257 N; the weights hang on the thread too."""
    force = 2.0 * np.pi * 2.0 / LEAD
    # The motor pushes the spindle down, against the work and with the weights of 8 kg.
    model = press_model(LEAD, force=force + 8.0 * 9.81, torque=-2.0)
    sim = gk.Simulation(model, method(1e-3))
    sim.advance(0.1)
    # Balanced: what is left is round-off of 1e3 N / 8 kg times 0.1 s, and 1e-9 m/s of the rows.
    assert np.abs(sim["platen"].velocity).max() < 1e-8
    assert np.abs(sim["spindle"].angular_velocity).max() < 1e-5
    assert reaction(sim, "seat")[2] == pytest.approx(force + 3.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_motor_of_the_screw_press_gives_force_times_lead_over_two_pi(method):
    """At constant speed nothing is accelerated; the thread has no friction."""
    model = press_model(LEAD, force=1000.0, speed=-3.0)
    sim = gk.Simulation(model, method(1e-3))
    sim.advance(1.0)
    torque = -(1000.0 - 8.0 * 9.81) * LEAD / (2.0 * np.pi)
    assert motor_force(sim, "motor") == pytest.approx(torque, rel=1e-5)
    assert sim["platen"].position[2] + 0.4 == pytest.approx(-3.0 * LEAD / (2.0 * np.pi), rel=1e-6)
    assert sim["platen"].velocity[2] == pytest.approx(-3.0 * LEAD / (2.0 * np.pi), rel=1e-6)


# ---- differential ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_differential_keeps_the_mean_speed_and_gives_both_wheels_the_same_torque(method):
    """Wheels of inertia 0.4 and 0.9 kg m^2 under braking torques of -3 and -1 N m, ring gear at 5 rad/s.

    From  I1 w1' = T + L1,  I2 w2' = T + L2,  w1' + w2' = 0:    T = -(L1 / I1 + L2 / I2) / (1 / I1 + 1 / I2)
    """
    inertias, loads, speed, t = (0.4, 0.9), (-3.0, -1.0), 5.0, 0.5
    sim = gk.Simulation(axle_model(inertias, loads, speed, rates=(5.0, 5.0)), method(1e-3))
    sim.advance(t)
    torque = -(loads[0] / inertias[0] + loads[1] / inertias[1]) / (1.0 / inertias[0] + 1.0 / inertias[1])
    rates = np.array([sim[f"wheel{k}"].angular_velocity[1] for k in range(2)])
    # All constant in time, so every step is exact: rows met to 1e-9 rad/s.
    assert motor_force(sim, "differential") == pytest.approx(torque, abs=1e-5)
    assert rates.mean() == pytest.approx(speed, abs=1e-8)
    np.testing.assert_allclose(rates, [speed + (torque + L) / J * t for L, J in zip(loads, inertias)], atol=1e-6)


def test_wheel_in_the_air_takes_all_the_speed():
    """One wheel held by a brake: the other turns at twice the speed of the ring gear (virtual-worlds 3.11)."""
    b = gk.Builder.from_model(axle_model((0.4, 0.9), (0.0, 0.0), 5.0))
    b.add(gk.VelocityMotor(name="brake", on="axle0", speed=0.0))
    sim = gk.Simulation(b.build(), impulse(1e-3))
    sim.advance(0.01)
    rates = np.array([sim[f"wheel{k}"].angular_velocity[1] for k in range(2)])
    np.testing.assert_allclose(rates, [0.0, 10.0], atol=1e-7)
    sim.inputs["differential.speed"] = -2.0
    sim.advance(0.01)
    assert sim["wheel1"].angular_velocity[1] == pytest.approx(-4.0, abs=1e-7)
