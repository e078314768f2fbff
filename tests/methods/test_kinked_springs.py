"""Springs that bend at a kink: periods against the closed form, forces, energy, all methods (B-53, B-54)."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.errors import InputError

INERTIA, KINK, SPEED = 0.5, 0.05, 1.5
SOFTER, HARDER = (60.0, 30.0), (20.0, 90.0)
METHODS = {
    "order 1": (lambda h: gk.MoreauTree(h=h, order=1), 1),
    "order 2": (lambda h: gk.MoreauTree(h=h, order=2), 2),
    "order 4": (lambda h: gk.MoreauTree(h=h, order=4), 2),  # the kink is as smooth as order 2 needs, and no smoother
    "impulse": (lambda h: gk.Impulse(h=h), 2),
    "rows": (lambda h: gk.RowStepping(h=h), 1),
}


def flywheel(law, damping=0.0):
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, SPEED))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    more = {"stiffness": law[0], "stiffness_beyond": law[1], "kink": KINK}
    b.add(gk.JointSpring(name="spring", on="axle", damping=damping, **more))
    return b.build()


def quarter(law):
    """Time from the rest to the turning point, and its angle: two arcs of sines that meet at the kink."""
    w1, w2 = (math.sqrt(c / INERTIA) for c in law)
    rate = math.sqrt(SPEED**2 - (w1 * KINK) ** 2)
    centre = law[0] * KINK / law[1]  # of the outer sine, inside of the kink
    phase = math.atan2(centre * w2, rate)
    top = KINK - centre + math.hypot(centre, rate / w2)
    return math.asin(w1 * KINK / SPEED) / w1 + (0.5 * math.pi - phase) / w2, top


@pytest.mark.parametrize("law", [SOFTER, HARDER], ids=["softer", "harder"])
@pytest.mark.parametrize("name", list(METHODS))
def test_a_wheel_on_a_kinked_spring_turns_back_when_it_should(name, law):
    """After half a period it comes back through the rest with the opposite speed: errors fall with the order, and are
    below (w h)^p of a swing of 0.2 rad with w = 13/s, times half a period in radians."""
    make, order = METHODS[name]
    time, _ = quarter(law)
    errors = []
    for steps in (250, 2000):
        sim = gk.Simulation(flywheel(law), make(2.0 * time / steps))
        sim.advance(2.0 * time)
        errors.append(math.hypot(sim.sensors["axle.angle"], (sim.sensors["axle.rate"] + SPEED) / 13.0))
    assert errors[1] < 0.2 * math.pi * (13.0 * 2.0 * time / 2000) ** order
    assert np.log2(errors[0] / errors[1]) / 3 > order - 0.3  # where a step meets the kink scatters


@pytest.mark.parametrize("name", list(METHODS))
def test_force_and_energy_are_those_of_the_law(name):
    """At the turning point energy is in the spring alone, and the force is c1 x_k + c2 (x - x_k)."""
    make, order = METHODS[name]
    time, top = quarter(SOFTER)
    h = time / 4000
    sim = gk.Simulation(flywheel(SOFTER), make(h))
    sim.advance(time)
    begin, near = 0.5 * INERTIA * SPEED**2, 5 * h * 13.0  # of order 1, relative
    kinetic, potential = sim.ledger[:2]
    assert potential == pytest.approx(begin, rel=near if order == 1 else near**2)
    assert kinetic < near**2 * begin
    assert sim.sensors["spring.force"] == pytest.approx(-(60.0 * KINK + 30.0 * (top - KINK)), rel=near)


def test_equations_of_motion_have_the_bent_spring():
    tree = gk.TreeDynamics(flywheel(SOFTER, damping=0.3))
    for angle, moment in ((0.03, 1.8), (-0.2, -(3.0 + 4.5)), (0.2, 7.5)):
        du = tree.forward([angle], [2.0])
        assert du[0] == pytest.approx(-(moment + 0.6) / INERTIA, rel=1e-13)


def test_stiff_kinked_springs_stay_stable():
    """w h = 140 within and 100 beyond the kink: the implicit step takes energy out and never feeds any."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, SPEED))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.JointSpring(name="spring", on="axle", stiffness=1e10, stiffness_beyond=5e9, kink=1e-6))
    for method in (gk.MoreauTree(h=1e-3, order=1), gk.RowStepping(h=1e-3)):
        sim = gk.Simulation(b.build(), method)
        kinetic = []
        for _ in range(40):
            sim.advance(1e-3)
            kinetic.append(sim.ledger[0])
        assert max(kinetic) <= 0.5 * INERTIA * SPEED**2 * (1 + 1e-9)
        assert kinetic[-1] < 1e-6


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"stiffness_beyond": 3.0}, "without a kink"),
        ({"kink": 0.1}, "no stiffness beyond"),
        ({"kink": -0.1, "stiffness_beyond": 3.0}, "kink"),
        ({"kink": 0.1, "stiffness_beyond": 3.0, "force_max": 2.0}, "bounds of the force"),
        ({"kink": 0.1, "stiffness_beyond": math.nan}, "stiffness_beyond"),
    ],
)
def test_bad_kinks_are_refused(more, found):
    with pytest.raises(InputError, match=found):
        gk.JointSpring(name="s", on="axle", stiffness=1.0, **more)
