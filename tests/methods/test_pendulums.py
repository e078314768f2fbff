"""Pendulums on hinges: order, energy, period and reactions against closed forms and minimal coordinates."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gelenk as gk
from exact import two_link_arm
from exact.compound_pendulum import CompoundPendulum, compound_pendulum, period, pivot_force
from exact.n_pendulum import Link, hinge_forces, n_pendulum
from exact.two_link_arm import TwoLinkArm
from methods.joint_models import (
    METHODS,
    angle_apart,
    angle_y,
    compound_pendulum_model,
    impulse,
    joint_gap,
    longer,
    n_pendulum_model,
    name,
    reactions,
    record,
    row_stepping,
    scara_model,
    slopes,
)

SWING = CompoundPendulum(mass=1.7, arm=0.4, inertia=0.11)
SWINGS, TURNS = (1.0, 2.0), (0.5, 12.0)  # angle [rad] and rate [rad/s] at the start


def pendulum_errors(method, steps, motion, t_end=1.0, dt=0.1):
    """(runs, 2) largest errors of angle [rad] and rate [rad/s] over the samples."""
    errors = []
    for n in steps:
        run = record(compound_pendulum_model(SWING, *motion), method(t_end / n), t_end, dt)
        exact = compound_pendulum(run.time, SWING, *motion)
        rate = run["body"].angular_velocity[:, 1]
        errors.append([angle_apart(angle_y(run["body"]), exact.angle), np.abs(rate - exact.rate).max()])
    return np.array(errors)


@pytest.mark.parametrize(
    ("method", "motion", "steps"),
    [
        (impulse, SWINGS, (100, 200, 400)),
        (impulse, TURNS, (100, 200, 400)),
        (row_stepping, SWINGS, (400, 800, 1600)),
    ],
    ids=["impulse-swings", "impulse-turns", "row_stepping-swings"],
)
def test_compound_pendulum_converges_with_the_stated_order(method, motion, steps):
    errors = pendulum_errors(method, steps, motion)
    assert slopes(steps, errors) == pytest.approx([method.order] * 2, abs=0.1)


def pendulum_energy(h, periods):
    """Energy relative to its value at the start over that of the swing [1], every few steps."""
    span = period(SWING, *SWINGS)
    run = record(compound_pendulum_model(SWING, *SWINGS), impulse(h), periods * span, 5 * h)
    energy = run.series("energy.total")
    return (energy - energy[0]) / run.series("energy.kinetic").max()


def test_energy_of_the_pendulum_stays_within_a_band_that_narrows_with_the_square_of_the_step():
    """No drift: the scheme is symplectic up to the tolerance, so its error swings and does not grow.

    The band of leapfrog is about (h w)^2 / 8 of the kinetic energy, w = 4.2 rad/s. What the tolerance of 1e-9 m leaves
    in a step is a share 1e-9 / (v h) = 2e-8 of the energy of the radial motion at most, far below it.
    """
    periods = longer(400, 10)
    bands = []
    for h in (0.02, 0.01):
        energy = pendulum_energy(h, periods)
        tenth = len(energy) // 10
        first, last = np.ptp(energy[:tenth]), np.ptp(energy[-tenth:])
        trend = np.polyfit(np.linspace(0.0, 1.0, len(energy)), energy, 1)[0]
        assert last == pytest.approx(first, rel=0.1)  # the samples meet the extremes at other phases
        assert abs(trend) < 0.1 * np.ptp(energy)
        assert np.ptp(energy) < (h * SWING.frequency) ** 2
        bands.append(np.ptp(energy))
    assert np.log2(bands[0] / bands[1]) == pytest.approx(2.0, abs=0.1)


def measured_period(h, periods=5):
    """Mean time between passages downward through zero, each by the straight line between two steps."""
    span = period(SWING, *SWINGS)
    run = record(compound_pendulum_model(SWING, *SWINGS), impulse(h), (periods + 1) * span, h)
    angle = angle_y(run["body"])
    n = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    passed = run.time[n] + h * angle[n] / (angle[n] - angle[n + 1])
    return np.mean(np.diff(passed))


def test_period_of_the_pendulum():
    """Leapfrog shortens the period by a share of (h w)^2 / 24 for small swings; here two radians at w = 4.2 rad/s.

    The straight line adds an error of h^2 |a''| h / (16 a') at most, zero at the middle, where the angle is straight.
    """
    exact = period(SWING, *SWINGS)
    errors = [measured_period(h) / exact - 1.0 for h in (0.02, 0.01)]
    assert abs(errors[0]) < (0.02 * SWING.frequency) ** 2 / 12.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def pivot_reactions(method, n, t_end=0.8):
    """(n, 3) difference to the force of the closed form in the middle of each step [N], and the couples [N m]."""
    h = t_end / n
    run = record(compound_pendulum_model(SWING, *SWINGS), method(h), t_end, h)
    exact = compound_pendulum(run.time[1:] - 0.5 * h, SWING, *SWINGS)
    f = reactions(run, "pivot")[1:]
    return f[:, :3] - pivot_force(SWING, *exact), f[:, 3:]


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_pivot_reaction_is_the_force_that_moves_the_centre(method):
    """Mean over a step against the closed form at its middle, with the order of the method.

    RowStepping starts without the force that turns the velocity (trap T-11), and error reduction takes half of that up
    in every step; after 40 steps nothing of it is left.
    """
    steps, skip = (200, 400, 800), 0 if method is impulse else 40
    errors = []
    for n in steps:
        f, couple = pivot_reactions(method, n)
        errors.append([np.linalg.norm(f[skip:], axis=1).max()])
        # A hinge gives no couple about its axis, and this planar motion asks for none across it: round-off of forces.
        assert np.abs(couple).max() < 1e-9
    assert slopes(steps, errors) == pytest.approx([method.order], abs=0.1)


def test_first_step_of_row_stepping_lacks_the_force_towards_the_pivot():
    """Its size is m d w^2 for every step (trap T-11), and is seen to first order in h."""
    missing = SWING.mass * SWING.arm * SWINGS[1] ** 2
    off = [np.linalg.norm(pivot_reactions(row_stepping, n)[0][0]) - missing for n in (400, 800)]
    assert abs(off[1]) < 0.02 * missing
    assert off[0] / off[1] == pytest.approx(2.0, abs=0.1)


def test_hinge_counts_the_turns_of_the_pendulum():
    """Twelve radians a second for three seconds: nearly five turns, read from the joint itself."""
    run = record(compound_pendulum_model(SWING, *TURNS), impulse(5e-3), 3.0, 0.1)
    exact = compound_pendulum(run.time, SWING, *TURNS).angle - TURNS[0]
    assert exact[-1] > 4 * 2.0 * np.pi
    # The angle errs by 0.004 rad after one second at h = 5 ms and grows with time.
    np.testing.assert_allclose(run["pivot"].angle, exact, atol=0.02)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_joints_are_met_to_the_tolerance_in_every_step(tolerance):
    """Also at a step of 20 ms, where a link turns by up to 0.1 rad in it; measured from the poses too."""
    links, (angle, rate) = links_of(5), CHAINS[5]
    method = impulse(0.02, tolerance=tolerance, velocity_tolerance=tolerance)
    sim = gk.Simulation(n_pendulum_model(links, angle, rate), method)
    for _ in range(50):
        sim.advance(0.02)
        assert sim.info["position_error"] <= tolerance
        assert sim.info["residual"] <= tolerance
        assert joint_gap(sim) <= tolerance
    assert sim.info["worst_position_error"] <= tolerance


CHAINS = {
    2: ((1.0, 0.6), (0.0, 1.0)),
    3: ((0.8, 0.2, -0.4), (0.0, 0.5, 1.0)),
    5: ((0.6, 0.5, 0.3, 0.1, -0.2), (0.0, 0.3, 0.0, -0.3, 0.0)),
}


def links_of(n):
    return [Link.rod(1.0 + 0.3 * k, 0.5 - 0.05 * k) for k in range(n)]


def chain_errors(method, n, steps, t_end=1.0, dt=0.1):
    """(runs, 2) largest errors of angles [rad] and rates [rad/s] over links and samples."""
    links, (angle, rate), errors = links_of(n), CHAINS[n], []
    for m in steps:
        run = record(n_pendulum_model(links, angle, rate), method(t_end / m), t_end, dt)
        exact = n_pendulum(run.time, links, angle, rate)
        seen = np.stack([angle_y(run[f"link{k}"]) for k in range(n)], axis=-1)
        rates = np.stack([run[f"link{k}"].angular_velocity[:, 1] for k in range(n)], axis=-1)
        errors.append([angle_apart(seen, exact.angle), np.abs(rates - exact.rate).max()])
    return np.array(errors)


@pytest.mark.parametrize("n", CHAINS)
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_chain_of_pendulums_converges_to_minimal_coordinates(method, n):
    """Against Lagrange's equations in absolute angles, which know no joint."""
    steps = (200, 400, 800) if method is impulse else (1600, 3200, 6400)
    errors = chain_errors(method, n, steps)
    assert slopes(steps, errors) == pytest.approx([method.order] * 2, abs=0.1)


def test_hinge_forces_of_a_triple_pendulum():
    """Every hinge carries what moves and holds the links below it.

    A sensor adds the impulses of both ends of a step along the axes of its end, which turn with the link before; so the
    forces of the inner hinges are seen with an error of half a step's turn at most, order 1.
    """
    links, (angle, rate) = links_of(3), CHAINS[3]
    errors, steps = [], (200, 400, 800)
    for m in steps:
        h = 0.5 / m
        run = record(n_pendulum_model(links, angle, rate), impulse(h), 0.5, 10 * h)
        exact = n_pendulum(np.maximum(run.time - 0.5 * h, 0.0), links, angle, rate)
        f = np.array([hinge_forces(links, a, w) for a, w in zip(*exact)])
        seen = np.stack([reactions(run, f"hinge{k}")[:, :3] for k in range(3)], axis=1)
        errors.append([np.abs(seen - f)[1:].max()])
    # Half a turn of h w / 2 of 40 N at w = 3 rad/s and h = 2.5 ms.
    assert errors[0][0] < 40.0 * 0.5 * 2.5e-3 * 3.0 * 2.0
    assert slopes(steps, errors) > 0.9


ARM = TwoLinkArm(m1=2.0, m2=1.2, l1=0.7, l2=0.5)
Q, QD, TORQUES = np.array([0.3, 0.8]), np.array([0.5, -1.0]), np.array([1.5, -0.6])


def arm_motion(t):
    """Joint angles and rates (n, 4) of the arm under constant torques, in joint coordinates by DOP853."""

    def rhs(_, y):
        return np.concatenate([y[2:], two_link_arm.joint_acceleration(ARM, y[:2], y[2:], TORQUES)])

    y0 = np.concatenate([Q, QD])
    return solve_ivp(rhs, (0.0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t).y.T


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_two_link_arm_with_motors_moves_and_bears_as_its_equations_say(method):
    """Joint angles, rates and the reactions of both joints (virtual-worlds 3.19).

    Reactions are compared with those of the exact motion in the middle of a step, order 1 at least (see the triple
    pendulum), and first after a tenth of the run (trap T-11). The force sensor of a motor reads its torque as given.
    """
    t_end, errors, steps = 0.5, [], (100, 200, 400) if method is impulse else (800, 1600, 3200)
    for n in steps:
        h = t_end / n
        model = scara_model(ARM, Q, QD, TORQUES)
        run = record(model, method(h), t_end, t_end / 10)
        y, middle = arm_motion(run.time), arm_motion(np.concatenate([[0.0], run.time[1:] - 0.5 * h]))
        turn = [2.0 * np.arctan2(q[:, 3], q[:, 0]) for q in (run[f"link{k}"].orientation for k in range(2))]
        rate = np.stack([run[f"link{k}"].angular_velocity[:, 2] for k in range(2)], axis=-1)
        exact = [two_link_arm.solve_kkt(ARM, m[:2], m[2:], TORQUES) for m in middle[1:]]
        f = np.stack([reactions(run, "shoulder")[1:, :2], reactions(run, "elbow")[1:, :2]], axis=1)
        errors.append(
            [
                angle_apart(np.stack(turn, axis=-1), np.cumsum(y[:, :2], axis=1)),
                np.abs(rate - np.cumsum(y[:, 2:], axis=1)).max(),
                np.abs(f - [(e.f_1, e.f_2) for e in exact]).max(),
            ]
        )
        np.testing.assert_allclose(run["M1"].force[1:], TORQUES[0], rtol=1e-14)
        np.testing.assert_allclose(run["M2"].force[1:], TORQUES[1], rtol=1e-14)
    assert slopes(steps, errors)[:2] == pytest.approx([method.order] * 2, abs=0.1)
    assert slopes(steps, errors)[2] > 0.9
