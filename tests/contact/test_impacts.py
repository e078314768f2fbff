"""Laws of restitution with friction against closed forms, and the energy that they take (V-36..V-38, I-096)."""

import math
from types import SimpleNamespace

import numpy as np
import planar_impact
import pytest

import gelenk as gk
from gelenk.contact.stronge import energetic_impulse
from gelenk.math.vec3 import Vec3

RADIUS, LENGTH = 0.01, 1.0
H = 1e-4


def rod(angle, velocity, friction, restitution):
    """A rod over a plane without gravity that meets it with its lower end, half a step from now; no spin."""
    gap = -0.5 * H * velocity[1]
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=friction, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True)
    half = 0.5 * (math.pi / 2 - angle)  # from the axis z to a slope of ``angle`` towards x
    b.body(
        "rod",
        shape=gk.Capsule(RADIUS, LENGTH),
        material="m",
        at=(0, 0, 0.5 * LENGTH * math.sin(angle) + RADIUS + gap),
        rotation=(math.cos(half), 0, math.sin(half), 0),
        velocity=(velocity[0], 0, velocity[1]),
    )
    return b.build()


def after_impact(model, law, method=gk.RowStepping):
    sim = gk.Simulation(model, method(h=H, contact=gk.ContactOptions(impacts=law)))
    before = sim.ledger[0]
    sim.advance(H)
    assert sim.info["impacts"] == 1
    return sim, sim.ledger[0] - before


def point_of_rod(model, angle):
    """Arm (x, z) from the centre of mass to the point, mass, inertia about y, and K."""
    m, inertia = model.body("rod").mass, float(model.system.masses.inertia_B[2, 0, 0])
    x, z = -0.5 * LENGTH * math.cos(angle), -0.5 * LENGTH * math.sin(angle) - RADIUS
    return x, z, m, inertia, (1 / m + x * x / inertia, -x * z / inertia, 1 / m + z * z / inertia)


CASES = {  # angle, velocity (x, z), friction, restitution; what the point does
    "slides": (0.9, (4.0, -2.0), 0.2, 0.6),
    "slides the other way": (0.9, (-4.0, -2.0), 0.2, 0.6),
    "stops early and stays": (0.7, (0.3, -2.0), 1.2, 0.7),
    "stops late and stays": (1.2, (4.0, -2.0), 0.6, 0.9),
    "turns round early": (0.7, (0.2, -2.0), 0.3, 0.7),
    "turns round late": (0.7, (1.9, -2.0), 0.3, 0.9),
    "stays without slip": (0.4, (0.0, -2.0), 0.8, 0.5),
    "never bounces": (0.7, (0.3, -2.0), 0.5, 1e-9),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("law", planar_impact.LAWS)
def test_a_rod_bounces_off_as_the_law_says(law, case, method):
    angle, velocity, mu, e = CASES[case]
    model = rod(*CASES[case])
    x, z, m, inertia, K = point_of_rod(model, angle)
    u = (velocity[1], velocity[0])
    p_n, p_t = planar_impact.LAWS[law](K, u, mu, e)
    sim, gained = after_impact(model, law, method)
    assert sim["rod"].velocity[0] == pytest.approx(velocity[0] + p_t / m, abs=1e-9)
    assert sim["rod"].velocity[2] == pytest.approx(velocity[1] + p_n / m, abs=1e-9)
    assert sim["rod"].angular_velocity[1] == pytest.approx((z * p_t - x * p_n) / inertia, abs=1e-8)
    work = planar_impact.gain(K, u, (p_n, p_t))
    assert gained == pytest.approx(work, abs=1e-9 * m)
    assert sim.info["energy_lost_in_impacts"] == pytest.approx(max(-work, 0.0), abs=1e-9 * m)


def test_newton_feeds_energy_where_stronge_does_not_and_it_is_told():
    """A rod whose point slips towards its foot (after Kane and Levinson): restitution of the speed of a point that
    friction stops takes energy out of the slip and gives more than that to the bounce.
    """
    angle, e, mu = 0.7, 0.95, 1.2
    fed = {}
    for law in planar_impact.LAWS:
        gains = []
        for slip in (0.2, -0.2, 0.8, -0.8):
            model = rod(angle, (slip, -2.0), mu, e)
            sim, gained = after_impact(model, law)
            gains.append(gained)
            assert sim.info["impacts_that_fed_energy"] == (1 if gained > 0 else 0)
            assert sim.info["energy_fed_in_impacts"] == pytest.approx(max(gained, 0.0), abs=1e-9)
        fed[law] = max(gains)
    assert fed["newton"] > 0.01
    assert fed["poisson"] < 0
    assert fed["stronge"] < 0


@pytest.mark.parametrize("law", planar_impact.LAWS)
def test_a_ball_with_spin_bounces_alike_by_all_laws(law, method):
    """For a ball K has no nt, so the three laws agree:  u_n' = -e u_n,  the rim stops or slides with mu p_n."""
    r, e, w, v = 0.1, 0.7, 30.0, 2.0
    for mu in (0.1, 0.9):
        b = gk.Builder(gravity=(0, 0, 0))
        b.material("m", friction=mu, restitution=e)
        b.body("ground", shape=gk.Plane(), static=True)
        start = {"velocity": (0.5, -0.4, -v), "angular_velocity": (w, 0.3 * w, 5.0)}
        b.body("ball", shape=gk.Sphere(r), material="m", at=(0, 0, r + 0.5 * H * v), **start)
        model = b.build()
        sim, _ = after_impact(model, law, method)
        u = np.array([0.5 - 0.3 * w * r, -0.4 + w * r])  # of the rim; it turns by 3e-3 rad in the step, as a ball may
        push = -u / np.linalg.norm(u) * min(mu * (1 + e) * v, 2 / 7 * np.linalg.norm(u))
        np.testing.assert_allclose(sim["ball"].velocity, [0.5 + push[0], -0.4 + push[1], e * v], atol=1e-9)
        spin = np.array([w + 2.5 / r * push[1], 0.3 * w - 2.5 / r * push[0], 5.0])
        np.testing.assert_allclose(sim["ball"].angular_velocity, spin, atol=1e-7)


def by_small_pieces(K, u, a, b, e, pieces=200_000):
    """Stronge's law with slip in any direction, by Euler's method with pieces so small that their error is 1e-4."""
    u, p = np.array(u), np.zeros(3)
    taken = given = 0.0
    dp = 4.0 * -u[0] / K[0, 0] / pieces
    while True:
        z = np.array([a * u[1], b * u[2]])
        size = math.hypot(z[0], z[1])
        f = np.array([1.0, -a * z[0] / size, -b * z[1] / size]) if size > 0 else np.array([1.0, 0, 0])
        new = u + K @ f * dp
        work = 0.5 * dp * (u[0] + new[0])
        taken, given = (taken - work, given) if u[0] < 0 else (taken, given + work)
        u, p = new, p + f * dp
        if u[0] >= 0 and given >= e * e * taken:
            return p


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("across", [1.0, 0.4])
def test_slip_that_turns_aside_is_followed(seed, across):
    """Bodies of any shape: slip swirls. Against many small pieces, whose own error is 1e-4 near a stop of the slip."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    K = A @ A.T + 0.5 * np.eye(3)
    u, mu, e = np.array([-1.0, *rng.normal(size=2)]), 0.4, 0.7
    c = SimpleNamespace(K=(K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], K[2, 2]), along=mu, across=mu * across)
    p = energetic_impulse(c, Vec3(*u), e)
    expected = by_small_pieces(K, u, mu, mu * across, e, 40_000)
    np.testing.assert_allclose((p.x, p.y, p.z), expected, atol=2e-3 * expected[0])


def test_no_single_impact_feeds_energy_by_stronges_law():
    rng = np.random.default_rng(5)
    for _ in range(1000):
        A = rng.normal(size=(3, 3))
        K = A @ A.T + 1e-3 * np.eye(3)
        u = np.array([-abs(rng.normal()), *rng.normal(size=2)])
        mu, e = rng.uniform(0, 2), rng.uniform(0, 1)
        c = SimpleNamespace(K=(K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], K[2, 2]), along=mu, across=mu)
        p = np.array(energetic_impulse(c, Vec3(*u), e))
        after = u + K @ p
        assert 0.5 * p @ (u + after) <= 1e-12 * abs(p @ u)
        assert after[0] >= -1e-9 * abs(u[0])
        assert math.hypot(p[1], p[2]) <= mu * p[0] * (1 + 1e-12)


def drops(count, seed, law, method=gk.RowStepping):
    """Bodies of all kinds thrown at a plane, far from each other."""
    rng = np.random.default_rng(seed)
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(count):
        b.material(f"m{k}", friction=rng.uniform(0, 1.5), restitution=rng.uniform(0.05, 1))
        x, y, z = rng.uniform(0.05, 0.3, 3)
        shapes = gk.Box((x, y, z)), gk.Capsule(0.2 * x, 3 * y), gk.Cylinder(x, y), gk.Cone(x, 2 * y), gk.Sphere(x)
        q = rng.normal(size=4)
        b.body(
            f"body{k}",
            shape=shapes[k % 5],
            material=f"m{k}",
            at=(20.0 * (k % 10), 20.0 * (k // 10), 0.6),
            rotation=tuple(q / np.linalg.norm(q)),
            velocity=tuple(rng.normal(size=3) * 2),
            angular_velocity=tuple(rng.normal(size=3) * 10),
        )
    return gk.Simulation(b.build(), method(h=2e-3, contact=gk.ContactOptions(impacts=law)))


@pytest.mark.parametrize("law", ["poisson", "stronge"])
@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.proof)])
def test_thrown_bodies_gain_no_energy(law, count, method):
    """Impacts are judged one by one, to 1e-9 of what they turn over; rest and friction may only lose."""
    sim = drops(count, 1, law, method)
    before = sum(sim.ledger[:2])
    sim.advance(1.5)
    assert sim.info["impacts"] > 5 * count
    assert sim.info["impacts_that_fed_energy"] == 0
    assert sim.info["energy_fed_in_impacts"] == 0.0
    assert sum(sim.ledger[:2]) < before - 0.5 * sim.info["energy_lost_in_impacts"]


def test_newtons_law_feeds_energy_in_some_throws_and_it_is_told(method):
    sim = drops(50, 1, "newton", method)
    sim.advance(1.5)
    assert sim.info["impacts_that_fed_energy"] > 0
    assert sim.info["energy_fed_in_impacts"] > 0
