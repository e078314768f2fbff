"""Closed forms in short, with the default method and solver: what `make test` sees of the proofs in the files beside.

Every force here is read as anyone would, from the sensors of a simulation or the series of a run.
"""

import numpy as np
import pytest

import gelenk as gk
from exact.chain_statics import hanging_forces
from exact.compound_pendulum import CompoundPendulum, compound_pendulum, pivot_force
from exact.four_bar import FourBar, coupler_thrust, crank_torque, four_bar, reduced
from exact.heavy_top import HeavyTop, TopStart, steady_precession
from exact.n_pendulum import Link
from methods.joint_models import (
    angle_apart,
    angle_y,
    axle_model,
    compound_pendulum_model,
    four_bar_model,
    hanging_chain_model,
    heavy_top_model,
    impulse,
    press_model,
    reactions,
    record,
    slopes,
)
from solvers.row_models import crane_loop, door

SWING = CompoundPendulum(mass=1.7, arm=0.4, inertia=0.11)
BARS = FourBar(crank=0.3, coupler=0.9, rocker=0.7, ground=0.8)
CRANE = FourBar(crank=0.4, coupler=float(np.hypot(0.9, 0.3)), rocker=float(np.hypot(0.1, 0.7)), ground=0.8)
CRANE_TORQUE = reduced(CRANE, (1.0, 2.0, 3.0), -0.5 * np.pi)[3]  # with the first bar upright


def test_compound_pendulum_is_of_order_two_in_angle_rate_and_force_and_keeps_its_energy():
    """The error of the energy of leapfrog is about (h w)^2 / 8 of the kinetic energy, w = 4.2 rad/s."""
    steps, motion, errors = (50, 100), (1.0, 2.0), []
    for n in steps:
        h = 1.0 / n
        run = record(compound_pendulum_model(SWING, *motion), impulse(h), 1.0, h)
        exact, middle = (compound_pendulum(t, SWING, *motion) for t in (run.time, run.time[1:] - 0.5 * h))
        force = reactions(run, "pivot")[1:, :3] - pivot_force(SWING, *middle)
        energy = run.series("energy.total")
        errors.append(
            [
                angle_apart(angle_y(run["body"]), exact.angle),
                np.abs(run["body"].angular_velocity[:, 1] - exact.rate).max(),
                np.linalg.norm(force, axis=1).max(),
            ]
        )
        assert np.ptp(energy) < (h * SWING.frequency) ** 2 * run.series("energy.kinetic").max()
    assert slopes(steps, errors) == pytest.approx([2.0] * 3, abs=0.1)


def test_steady_precession_of_a_heavy_top():
    """The axis keeps its tilt and turns at the rate of the closed form for nearly a period of nutation.

    Both err by about (h w)^2 / 24, w = 90 rad/s; a weight wrong by 1 % shows with 2 %.
    """
    top = HeavyTop(mass=0.5, arm=0.1, inertia_across=0.5 * 0.1**2 + 8e-4, inertia_axis=1.2e-3)
    theta, spin, h, t_end = 0.6, 90.0, 1e-3, 0.3
    rate = steady_precession(top, theta, spin)[0]
    sim = gk.Simulation(heavy_top_model(top, TopStart(theta, 0.0, rate, spin - rate * np.cos(theta))), impulse(h))
    sim.advance(t_end)
    e = sim["top"].rotation[:, 2]
    assert np.arctan2(np.hypot(e[0], e[1]), e[2]) == pytest.approx(theta, rel=(h * spin) ** 2 / 12)
    assert np.arctan2(e[0], -e[1]) == pytest.approx(rate * t_end, rel=(h * spin) ** 2 / 12)


@pytest.mark.parametrize("closing", ["hinge", "line"])
def test_four_bar_has_the_places_speeds_and_forces_of_its_closed_form(closing):
    """Driven at 6 rad/s; then braked, with the torque and the thrust that virtual work asks for.

    Motor and joints are met to 1e-9 m or rad on arms of 0.3 m, multiplied by at most 10 in the linkage.
    """
    speed, angle0 = 6.0, 0.4
    model = four_bar_model(BARS, angle0, speed, (1.0, 2.0, 1.5), closing=closing, speed=speed)
    run = record(model, impulse(0.01), 0.4, 0.1)
    exact = four_bar(BARS, angle0 + speed * run.time, speed)
    assert np.ptp(exact.rocker) > 0.5
    assert angle_apart(angle_y(run["coupler"]), exact.coupler) < 1e-7
    assert angle_apart(angle_y(run["rocker"]), exact.rocker) < 1e-7
    np.testing.assert_allclose(run["coupler"].angular_velocity[:, 1], exact.coupler_rate, atol=1e-6)
    np.testing.assert_allclose(run["rocker"].angular_velocity[:, 1], exact.rocker_rate, atol=1e-6)
    model = four_bar_model(BARS, 1.9, 0.0, (1.0, 2.0, 1.5), closing=closing, speed=0.0, rocker_torque=5.0, gravity=0.0)
    sim = gk.Simulation(model, impulse(1e-3))
    sim.advance(5e-3)
    exact = four_bar(BARS, 1.9)
    thrust = coupler_thrust(BARS, 1.9, 5.0) * (exact.p_WC - exact.p_WB) / BARS.coupler
    # Rows met to 1e-9 m/s in a step of 1 ms, times 2 kg: 2e-6 N.
    assert sim["motor"].force == pytest.approx(crank_torque(BARS, 1.9, 5.0), abs=2e-6)
    for joint, sign in (("A", 1.0), ("B", 1.0), ("C", 1.0), ("D", -1.0)):
        np.testing.assert_allclose(sim[joint].force[[0, 2]], sign * thrust[[0, 2]], atol=2e-6)


def test_screw_turns_force_into_torque_by_its_lead():
    """T = F lead / 2 pi at constant speed, without friction; 8 kg of spindle and platen help the motor."""
    lead = 0.01
    sim = gk.Simulation(press_model(lead, force=1000.0, speed=-3.0), impulse(1e-3))
    sim.advance(0.05)
    assert sim["motor"].force == pytest.approx(-(1000.0 - 8.0 * 9.81) * lead / (2.0 * np.pi), rel=1e-5)
    assert sim["platen"].velocity[2] == pytest.approx(-3.0 * lead / (2.0 * np.pi), rel=1e-6)
    # The spindle rests on the platen with the working force less the weight of the platen.
    assert sim["seat"].force[2] == pytest.approx(1000.0 - 5.0 * 9.81, rel=1e-5)


def test_differential_gives_both_wheels_the_same_torque():
    """T = -(L1 / I1 + L2 / I2) / (1 / I1 + 1 / I2) for loads L on wheels of inertia I, and the mean speed is kept."""
    inertias, loads, speed, t = np.array([0.4, 0.9]), np.array([-3.0, -1.0]), 5.0, 0.05
    sim = gk.Simulation(axle_model(inertias, loads, speed, rates=(5.0, 5.0)), impulse(1e-3))
    sim.advance(t)
    torque = -np.sum(loads / inertias) / np.sum(1.0 / inertias)
    rates = np.array([sim[f"wheel{k}"].angular_velocity[1] for k in range(2)])
    assert sim["differential"].force == pytest.approx(torque, abs=1e-5)
    np.testing.assert_allclose(rates, speed + (torque + loads) / inertias * t, atol=1e-6)


def test_loaded_chain_of_100_hangs_on_the_sum_of_its_weights():
    """Every joint carries all that hangs below it; round-off of one solve, times the square of the joints."""
    links = [Link.rod(0.5 + 0.005 * k, 0.1) for k in range(100)]
    model = hanging_chain_model(links, np.tile([0.0, 0.0, -1.0], (100, 1)), load=20.0)
    sim = gk.Simulation(model, impulse(1e-3))
    sim.advance(3e-3)
    exact = hanging_forces([link.mass for link in links], 20.0)
    f = np.array([sim[f"joint{k}"].force for k in range(100)])
    np.testing.assert_allclose(f[:, 2], exact, rtol=1e-9)
    assert np.abs(f[:, :2]).max() < 1e-9 * exact[0]


def test_three_hinges_share_the_weight_of_a_door_the_same_way_every_time():
    """Ten of 15 rows repeat others: the sum is that of statics, about the hinge line too, and every share repeats.

    f_z sums up to m g; about the y axis at the floor the weight at 0.45 m is held by forces across and couples.
    """
    shares = []
    for _ in range(2):
        sim = gk.Simulation(door(), impulse(1e-3))
        sim.advance(5e-3)
        shares.append(np.array([np.hstack([sim[f"hinge{k}"].force, sim[f"hinge{k}"].torque]) for k in range(3)]))
    f, couple, z = shares[0][:, :3], shares[0][:, 3:], np.array([0.2, 1.0, 1.8])
    weight = 20.0 * 9.81
    assert np.isfinite(shares[0]).all()
    assert np.array_equal(shares[0], shares[1])
    np.testing.assert_allclose(f.sum(axis=0), [0.0, 0.0, weight], atol=1e-6 * weight)
    np.testing.assert_allclose(couple[:, 1].sum() + z @ f[:, 0], -0.45 * weight, rtol=1e-6)


def test_brake_of_a_crane_loop_holds_what_virtual_work_asks_for():
    """T = dV/da  of the one motion that 20 rows of four hinges leave; the supports carry all weights together."""
    sim = gk.Simulation(crane_loop(braked=True), impulse(1e-3))
    sim.advance(5e-3)
    assert sim["brake"].force == pytest.approx(CRANE_TORQUE, rel=1e-6)
    # Of the world on the first bar, and of the last bar on the world.
    lift = sim["hinge0"].force[2] - sim["hinge3"].force[2]
    assert lift == pytest.approx(6.0 * 9.81, rel=1e-6)
