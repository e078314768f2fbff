"""Limits without restitution in trees: what meets one within a step is held there and gives no speed back (V-71)."""

from dataclasses import replace

import numpy as np
import pytest

import gelenk as gk

H = 1e-3
METHODS = {
    "order 1": gk.MoreauTree(h=H, order=1),
    "order 2": gk.MoreauTree(h=H),
    "at once": gk.MoreauTree(h=H, impacts="simultaneous"),
}
every = pytest.mark.parametrize("method", METHODS)


def wheel(limits, rate=0.0, **stop):
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(0.1,) * 3, angular_velocity=(0, 0, rate))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1), limits=limits, **stop))
    return b.build()


@every
@pytest.mark.parametrize("turn", [1e-2, -0.1, 2.5])
def test_a_stop_holds_whenever_in_a_step_it_is_met(method, turn):
    """Also in the first half of the first step, whose middle lies beyond it already (it came back with up to 0.25 of

    its speed for ever, and went 0.19 rad too far at 2.5 rad a step). All is linear, so only rounding is left.
    """
    for begun in (0, 1, 3):
        for phase in (0.02, 0.25, 0.425, 0.49, 0.51, 0.75, 0.99):
            way = (begun + phase) * abs(turn)
            limits = (-100.0, way) if turn > 0.0 else (-way, 100.0)
            sim = gk.Simulation(wheel(limits, turn / H), METHODS[method])
            for _ in range(begun + 5):
                sim.step()
                assert abs(sim["axle"].angle) <= way + 1e-14
            assert abs(sim["axle"].angle) == pytest.approx(way, abs=1e-14)
            assert abs(sim["axle"].rate) <= 1e-13 * abs(turn) / H


@every
@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("beyond", [1e-6, 1e-2, 0.3])
def test_what_stands_beyond_a_stop_comes_back_to_it_and_stays(method, beyond, e):
    """Put back as overlaps are, by a motion that is no velocity: it was thrown back with the speed  beyond / 2h."""
    sim = gk.Simulation(wheel((-0.2, 0.2), stop_restitution=e), METHODS[method])
    half = 0.5 * (0.2 + beyond)
    sim.state.q_WB[1] = (np.cos(half), 0, 0, np.sin(half))
    for _ in range(3):
        sim.step()
        assert sim["axle"].angle == pytest.approx(0.2, abs=1e-14)
        assert sim["axle"].rate == 0.0


STOPS = 2e-4, 1e-4  # [rad] of the arm, into the way of its first and second hinge


def arm(rates):
    """Three links in space, turned against each other; the first two hinges have limits close to where they are."""
    b = gk.Builder(gravity=(0, 0, 0))
    axes, twist = ((0, 1, 0), (0.6, 0.8, 0), (0, 0, 1)), np.zeros(3)
    for k, (axis, rate) in enumerate(zip(axes, rates)):
        twist = twist + rate * np.array(axis)
        v = np.zeros(3)
        for m in range(k + 1):  # joint m lies at x = m, the middle of link k at k + 1/2
            v += rates[m] * np.cross(axes[m], (k + 0.5 - m, 0, 0))
        b.body(f"l{k}", mass=1.0 + k, inertia=(0.02, 0.1, 0.1), at=(k + 0.5, 0, 0), velocity=v, angular_velocity=twist)
    limits = (*((-3.0, way) if rate > 0.0 else (-way, 3.0) for way, rate in zip(STOPS, rates)), None)
    for k in range(3):
        parent = "world" if k == 0 else f"l{k - 1}"
        b.add(gk.Hinge(name=f"j{k}", a=parent, b=f"l{k}", at=(k, 0, 0), axis=axes[k], limits=limits[k]))
    return b.build()


def after_impact(model, side):
    """M (u' - u) = W P,  0 <= W^T u'  perp  P >= 0:  of all sets of stops that press, the one that obeys (B-28)."""
    tree = gk.TreeDynamics(model)
    q, u = tree.coordinates(model.initial_state())
    W = -np.diag(side)[:, :2]
    Z = np.linalg.solve(tree.mass_matrix(q), W)
    for press in ([], [0], [1], [0, 1]):
        P = np.zeros(2)
        if press:
            P[press] = np.linalg.solve(W[:, press].T @ Z[:, press], -W[:, press].T @ u)
        after = u + Z @ P
        if (P >= 0.0).all() and (W.T @ after >= -1e-12).all():
            return after, len(press)
    raise AssertionError("no set of stops obeys")


@every
def test_stops_of_a_chain_stop_it_as_the_equations_of_impulses_say(method):
    """Both stops are passed in the middle of the first step; inertia forces of a step change its rates by h w^2,

    w no more than all rates together. Where one stop throws the next link off the other, that does not press.
    """
    rng, met = np.random.default_rng(3), set()
    for _ in range(12):
        rates = rng.uniform((0.45, 0.25, -0.9), (0.5, 0.5, 0.9)) * rng.choice((-1.0, 1.0), 3)
        model, side = arm(rates), np.sign(rates)
        sim, (exact, press) = gk.Simulation(model, METHODS[method]), after_impact(model, side)
        energy = sim.ledger[0]
        sim.step()
        found = [sim[f"j{k}"].rate for k in range(3)]
        np.testing.assert_allclose(found, exact, atol=H * np.abs(rates).sum() ** 2)
        for k in range(2):
            gap = STOPS[k] - side[k] * sim[f"j{k}"].angle
            assert gap >= -1e-15
            assert gap <= 1e-15 or side[k] * found[k] < 0.0
        assert sim.ledger[0] < energy
        met.add(press)
    assert met == {1, 2}


@every
def test_a_bounce_throws_onto_a_stop(method):
    """A slider comes back from a wall with all its speed and meets its stop early in the next step: it stays there."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=1.0)
    b.body("wall", shape=gk.Plane(), static=True, material="m")
    b.body("ball", shape=gk.Sphere(0.1), mass=2.0, at=(0, 0, 0.1 + 2.5 * 0.01), velocity=(0, 0, -10.0), material="m")
    b.add(gk.Slider(name="rail", a="world", b="ball", at=(0, 0, 0), axis=(0, 0, 1), limits=(-1.0, 0.001)))
    sim = gk.Simulation(b.build(), replace(METHODS[method], contact=gk.ContactOptions()))
    for _ in range(12):
        sim.step()
        assert sim["rail"].position <= 0.001 + 1e-12
    assert sim.info["impacts"] >= 1
    assert sim["rail"].position == pytest.approx(0.001, abs=1e-12)
    assert sim["rail"].rate == pytest.approx(0.0, abs=1e-10)
