"""A driven car: traction limit, and the same motion with every solver of its joints (E-26)."""

import pytest
from contact_scenes import G

import gelenk as gk

HALF, RADIUS = 0.9, 0.3  # half of the wheelbase [m], radius of a wheel [m]


def car(friction, speed, force, wheels):
    """Chassis on four wheels of some density, the rear ones driven."""
    b = gk.Builder()
    b.material("rubber", density=wheels, friction=friction)
    b.body("ground", shape=gk.Plane(), static=True, material="rubber")
    b.body("chassis", shape=gk.Box((2.4, 1.2, 0.3)), density=400, at=(0, 0, 0.6))
    for k, (x, y) in enumerate([(HALF, 0.7), (HALF, -0.7), (-HALF, 0.7), (-HALF, -0.7)]):
        wheel = gk.Part(gk.Cylinder(RADIUS, 0.2), rotation=(0.5**0.5, 0.5**0.5, 0, 0))
        b.body(f"wheel{k}", shape=wheel, material="rubber", at=(x, y, RADIUS))
        b.add(gk.Hinge(name=f"axle{k}", a="chassis", b=f"wheel{k}", at=(x, y, RADIUS), axis=(0, 1, 0)))
    for k in (2, 3):
        b.add(gk.VelocityMotor(name=f"motor{k}", on=f"axle{k}", speed=speed, force_max=force))
    return b.build()


def accelerations(sim):
    sim.advance(0.3)
    before = sim["chassis"].velocity[0]
    sim.advance(0.3)
    return (sim["chassis"].velocity[0] - before) / 0.3


def test_full_throttle_is_bounded_by_the_friction_of_the_driven_wheels():
    """E-26 with wheels that weigh: M mass of all, I of both front wheels about their axle, h height of the centre.

        (M + I/r^2) a = mu N_r        L N_r = l_f M g + h M a + I a / r

    The rear wheels spin at constant speed. For I = 0 that is  a = mu g l_f / (L - mu h).
    """
    mu, r, L = 0.5, RADIUS, 2 * HALF
    model = car(mu, speed=100.0, force=1e4, wheels=100)
    sim = gk.Simulation(model, gk.RowStepping(h=2e-3))
    M = sum(body.mass for body in model.bodies)
    wheel = model.body("wheel0").mass
    height = (model.body("chassis").mass * 0.6 + 4 * wheel * r) / M
    inertia = 2 * 0.5 * wheel * r * r
    limit = mu * HALF * M * G / (L * (M + inertia / r**2) - mu * (height * M + inertia / r))
    assert accelerations(sim) == pytest.approx(limit, rel=2e-3)
    assert all(c.slides for c in sim.contacts if c.b in ("wheel2", "wheel3"))


@pytest.mark.proof
def test_solvers_of_joints_agree_on_a_car():
    """All meet the tolerance of 1e-7 m/s a step; over 300 steps that is 3e-5 m/s at most."""
    found = []
    for solver in (gk.GaussSeidel(), gk.Tree(), gk.Sparse(), gk.Dantzig()):
        sim = gk.Simulation(car(0.8, 20.0, 200.0, wheels=500), gk.RowStepping(h=2e-3, solver=solver))
        found.append(accelerations(sim))
    assert max(found) - min(found) < 3e-5 / 0.3
