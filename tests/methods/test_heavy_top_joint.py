"""A symmetric top on a ball joint under gravity against elliptic functions: nutation, precession, steady precession."""

import numpy as np
import pytest

from exact.heavy_top import HeavyTop, TopStart, heavy_top, nutation_limits, nutation_period, reaction, steady_precession
from methods.joint_models import METHODS, heavy_top_model, impulse, longer, name, reactions, record, slopes

TOP = HeavyTop(mass=0.5, arm=0.1, inertia_across=0.5 * 0.1**2 + 8e-4, inertia_axis=1.2e-3)
START = TopStart(theta=0.6, theta_rate=0.0, phi_rate=0.0, psi_rate=60.0)  # let go: the axis runs along cusps


def axis_angles(track):
    """Tilt theta and precession phi of the axis e = (sin t sin f, -sin t cos f, cos t), without jumps [rad]."""
    e = track.rotation[:, :, 2]
    return np.arctan2(np.hypot(e[:, 0], e[:, 1]), e[:, 2]), np.unwrap(np.arctan2(e[:, 0], -e[:, 1]))


def top_errors(method, steps, t_end=0.5, dt=0.05):
    """(runs, 2) largest errors of nutation and precession over the samples [rad]."""
    errors = []
    for n in steps:
        run = record(heavy_top_model(TOP, START), method(t_end / n), t_end, dt)
        exact = heavy_top(run.time, TOP, START)
        theta, phi = axis_angles(run["top"])
        errors.append([np.abs(theta - exact.theta).max(), np.abs(phi - exact.phi).max()])
    return np.array(errors)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_nutation_and_precession_converge_with_the_stated_order(method):
    steps = (200, 400, 800) if method is impulse else (3200, 6400, 12800)
    errors = top_errors(method, steps)
    assert slopes(steps, errors) == pytest.approx([method.order] * 2, abs=0.1)


def nutation(cuts, periods):
    """Lowest and highest tilt [rad] and mean period [s] over many periods of nutation, h = period / cuts."""
    low, high = nutation_limits(TOP, START)
    span = nutation_period(TOP, START)
    h = span / cuts
    run = record(heavy_top_model(TOP, START), impulse(h), periods * span, h)
    theta, _ = axis_angles(run["top"])
    middle = 0.5 * (low + high)
    n = np.flatnonzero((theta[:-1] < middle) & (theta[1:] >= middle))
    passed = run.time[n] + h * (middle - theta[n]) / (theta[n + 1] - theta[n])
    # Neither weight nor tip turns the top about the vertical, but the tip is met to 1e-9 m only: an arm for m g t.
    assert np.ptp(run.angular_momentum[:, 2]) < 1e-9 * TOP.mass * TOP.gravity * run.time[-1]
    return theta.min(), theta.max(), np.mean(np.diff(passed))


def test_nutation_keeps_its_limits_and_its_period_for_many_periods():
    """Nothing drifts: limits and period err by the square of the step, 2 pi / 80 of a period, over all the run."""
    low, high = nutation_limits(TOP, START)
    span = nutation_period(TOP, START)
    exact, size = np.array([low, high, span]), np.array([high - low, high - low, span])
    errors = [np.abs(nutation(cuts, longer(100, 4)) - exact) / size for cuts in (80, 160)]
    assert np.all(errors[0] < (2.0 * np.pi / 80) ** 2)
    # The start is itself the lower limit, a cusp, and errs less.
    assert slopes((80, 160), errors)[1:] == pytest.approx([2.0] * 2, abs=0.2)


@pytest.mark.parametrize("which", [0, 1], ids=["slow", "fast"])
def test_steady_precession(which):
    """Both rates at which the tilt stays; the tilt and the rate err by the square of the step."""
    theta, w_axis = 0.6, 90.0
    rate = steady_precession(TOP, theta, w_axis)[which]
    start = TopStart(theta, 0.0, rate, w_axis - rate * np.cos(theta))
    errors, steps = [], (400, 800)
    for n in steps:
        run = record(heavy_top_model(TOP, start), impulse(0.5 / n), 0.5, 0.01)
        tilt, phi = axis_angles(run["top"])
        seen = (phi[-1] - phi[0]) / run.time[-1]
        errors.append([abs(seen - rate), np.abs(tilt - theta).max()])
    assert slopes(steps, errors) == pytest.approx([2.0, 2.0], abs=0.2)


def test_tip_bears_the_weight_and_what_turns_the_centre():
    errors, steps = [], (400, 800)
    for n in steps:
        h = 0.3 / n
        run = record(heavy_top_model(TOP, START), impulse(h), 0.3, 0.03)
        exact = heavy_top(run.time[1:] - 0.5 * h, TOP, START)
        f = reactions(run, "tip")[1:]
        errors.append([np.abs(f[:, :3] - reaction(TOP, exact)).max()])
        assert np.abs(f[:, 3:]).max() == 0.0  # a ball gives no couple
    assert slopes(steps, errors) == pytest.approx([2.0], abs=0.1)
