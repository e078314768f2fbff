"""Reference models under MoreauTree, RowStepping and Impulse: each nears the true motion with the order it states, so
that methods near each other (V-52, B-30, T-53).

The truth is a closed form or an equation in other coordinates, `gelenk.bench.reference`; its own tests are below.
"""

import numpy as np
import pytest

import gelenk as gk
from exact.compound_pendulum import CompoundPendulum, centre, compound_pendulum
from exact.four_bar import FourBar, four_bar_motion
from exact.heavy_top import HeavyTop, TopStart, heavy_top
from exact.n_pendulum import Link, centres, n_pendulum
from gelenk.bench.reference import CASES, errors_of, linkages, methods_for, touching, turning
from gelenk.bench.reference.case import SAMPLES

METHODS = ("MoreauTree", "RowStepping", "Impulse")
ORDERS = {  # as docs/trees.md and docs/joints.md state them, of methods as they come
    "tree": {"MoreauTree": 4, "RowStepping": 1, "Impulse": 2},
    "loop": {"MoreauTree": 2, "RowStepping": 1, "Impulse": 2},
}
SMOOTH = [case for case in CASES.values() if case.kind != "contact"]
TOUCHING = [case for case in CASES.values() if case.kind == "contact"]


def largest_errors(case, method, counts, **options):
    """Largest error [m] for each number of steps between two samples."""
    truth, model = case.places(case.times), case.model()
    chosen = [methods_for(case.t_end / (SAMPLES * n), **options)[method] for n in counts]
    return np.array([errors_of(case, m, truth, model).max() for m in chosen])


def slop(case):
    """What contact leaves of overlaps [m]: 1e-4 of the smallest side of what moves, here 0.2 m at most."""
    return 2e-5 if case.kind == "contact" else 0.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", SMOOTH, ids=lambda c: c.name)
def test_smooth_motion_nears_the_truth_with_the_order_of_the_method(case, method):
    """The next power of h is some 10 % at these steps, in a top that spins by 0.1 rad in one of order 1 still 20 %."""
    order = ORDERS[case.kind][method]
    counts = (160, 320, 640) if order == 1 else (20, 40, 80)
    errors = largest_errors(case, method, counts)
    found = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert found == pytest.approx(order, abs=0.3 if order == 4 else 0.1)
    assert errors[-1] < {1: 2e-3, 2: 1e-4, 4: 1e-7}[order]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", TOUCHING, ids=lambda c: c.name)
def test_motion_with_contact_nears_the_truth_with_order_one(case, method):
    """err(h) <= 1.6 err(h_0) h / h_0 + twice the slop.

    When a body lands or stops within a step is a matter of chance, so that errors scatter by a factor of up to 1.6
    about C h; over a factor of 8 in h an order of 0.75 would be too low.
    """
    counts = (20, 40, 80, 160)
    errors = largest_errors(case, method, counts)
    bound = 1.6 * errors[0] * counts[0] / np.array(counts) + 2 * slop(case) + 1e-12
    assert errors[0] < 0.03
    assert np.all(errors <= bound), (errors, bound)


@pytest.mark.proof
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", TOUCHING, ids=lambda c: c.name)
def test_motion_with_contact_goes_on_to_near_the_truth(case, method):
    """Fitted over a factor of 64 in h, where the scatter has little weight: order 1, with no slop that would end it.

    Errors below 1e-6 m are of the solver, and do not count. What errs by less than 3e-6 m at the largest step already,
    a third of the slop of these bricks, has none.
    """
    counts = (20, 40, 80, 160, 320, 640, 1280)
    errors = largest_errors(case, method, counts, contact=gk.ContactOptions(slop=1e-8))
    if errors.max() < 3e-6:
        return
    counted = errors > 1e-6
    assert counted.sum() >= 3
    assert -np.polyfit(np.log(np.array(counts)[counted]), np.log(errors[counted]), 1)[0] > 0.85


# ---- the truths ------------------------------------------------------------------------------------------------------


def test_truth_of_linkages_is_that_of_closed_forms():
    """Three equations of other authorship: elliptic functions, Lagrange's in angles, the reduced one of a crank."""
    t = np.linspace(0.1, 0.8, 8)
    rod = CompoundPendulum(mass=1.0, arm=0.5, inertia=1.0 / 12)
    exact = centre(rod, compound_pendulum(t, rod, -np.pi / 2, 0.0).angle)
    np.testing.assert_allclose(linkages.linkage_places(linkages.chain(1), t)[:, 0], exact, rtol=0, atol=1e-10)
    links = [Link.rod(0.2, 0.2)] * 5
    start = np.append(0.0, t)
    exact = centres(links, n_pendulum(start, links, np.full(5, -np.pi / 2), np.zeros(5)).angle)[1:]
    np.testing.assert_allclose(linkages.linkage_places(linkages.chain(5), t), exact, rtol=0, atol=1e-9)
    bars = FourBar(crank=0.5, coupler=float(np.hypot(1.1, 0.5)), rocker=float(np.hypot(0.2, 1.0)), ground=1.3)
    angle = four_bar_motion(start, bars, (1.0, 2.0, 1.0), -np.pi / 2, 0.0)[0][1:]
    crank = 0.25 * np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=-1)
    np.testing.assert_allclose(linkages.linkage_places(linkages.FOUR_BAR, t)[:, 0], crank, rtol=0, atol=1e-9)


def test_truth_of_the_top_is_that_of_elliptic_functions():
    t = np.linspace(0.05, 0.3, 6)
    across = turning.ACROSS + turning.MASS * turning.ARM**2
    top = HeavyTop(turning.MASS, turning.ARM, across, turning.ALONG)
    exact = heavy_top(t, top, TopStart(turning.TILT, 0.0, 0.0, turning.SPIN))
    e = np.stack([np.sin(exact.theta) * np.sin(exact.phi), -np.sin(exact.theta) * np.cos(exact.phi)], axis=-1)
    np.testing.assert_allclose(turning.heavy_top_places(t)[:, 0, :2], turning.ARM * e, rtol=0, atol=1e-10)


def test_truth_of_the_coin_keeps_its_energy_and_its_edge_on_the_ground():
    """Nothing in the equation knows of either; r' by differences is right to 1e-12."""
    m, radius = turning.MASS, turning.RADIUS
    across = m * (3 * radius**2 + turning.THICK**2) / 12
    energies = []
    for y in turning.coin_motion(np.linspace(0.0, 0.4, 9)):
        p, e, w = y[:3], y[3:6], y[6:]
        r = turning.to_contact(e)
        assert p[2] == pytest.approx(-r[2], abs=1e-10)
        turn = across * w + (0.5 * m * radius**2 - across) * (w @ e) * e
        energies.append(0.5 * m * np.sum(np.cross(w, r) ** 2) + 0.5 * w @ turn + m * turning.G * p[2])
    assert np.ptp(energies) < 1e-9 * energies[0]


def test_truth_of_the_toy_is_steady_without_a_rider(monkeypatch):
    """A light rider changes nothing: speed after a step by  (I + m l^2 cos 2a) / (I + m l^2)  (McGeer), here on a ramp
    on which the fall of a step makes up for it: the wheel comes back to the speed of the limit cycle."""
    half, length, hub = np.pi / touching.SPOKES, touching.LEG, touching.HUB
    monkeypatch.setattr(touching, "RIDER", 1e-9)
    monkeypatch.setattr(touching, "RIDER_INERTIA", 1e-12)
    J = touching.HUB_INERTIA + hub * length**2
    keep = (touching.HUB_INERTIA + hub * length**2 * np.cos(2 * half)) / J
    fall = 2 * hub * touching.G * length * (np.cos(half - touching.RAMP) - np.cos(half + touching.RAMP)) / J
    after = np.sqrt(keep**2 * fall / (1 - keep**2))  # w'^2 = keep^2 (w'^2 + fall): just after a step
    t = np.linspace(5.0, 9.0, 4001)
    x = touching.toy_places(t)[:, 0, 0]
    steps = np.diff(np.flatnonzero(np.diff(x // (2 * length * np.sin(half))))) * (t[1] - t[0])  # over each foot
    a = np.linspace(-half, half, 20001)
    lost = np.cos(half - touching.RAMP) - np.cos(a + touching.RAMP)  # height of the hub, over l
    w = np.sqrt(after**2 + 2 * hub * touching.G * length / J * lost)
    period = np.trapezoid(1 / w, a)
    assert steps.mean() == pytest.approx(period, abs=1e-3)  # samples of 1 ms
